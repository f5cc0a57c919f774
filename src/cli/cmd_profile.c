/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho profile: runs a program and records every process of it.
 */
#include "cli/profile_run.h"
#include "cli/talk.h"

static const tacho_option options[] = {
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "keep the capture: .tacho as it is, .pb, .json or another trace suffix as a "
                    "trace, .csv, .txt or .xlsx as a table; DIR/: one capture per rank, below DIR",
                    TACHO_INTO_TEXT(tacho_profile_choice, output),
                    .writes = TACHO_WRITES_TRACE | TACHO_WRITES_TABLE),
    TACHO_OPT_VALUE("tt-report", 0, "CSV",
                    "write the operators as Tenstorrent's op table; its directory is made",
                    TACHO_INTO_TEXT(tacho_profile_choice, tt_report),
                    .writes = TACHO_WRITES_TABLE | TACHO_WRITES_OPS),
    TACHO_OPTION_FORCE,
    TACHO_OPT_FLAG("tt-all-columns", 0,
                   "with --tt-report: also the columns of newer tables, such as PROGRAM HASH",
                   TACHO_INTO_FLAG(tacho_profile_choice, has_all_tt_columns)),
    TACHO_OPT_VALUE("port", 'p', "PORT",
                    "also let programs report over TCP on 127.0.0.1; 0 takes any free port "
                    "(default: a Unix socket alone)",
                    TACHO_INTO_NUMBER(tacho_profile_choice, port, 0, UINT16_MAX)),
    TACHO_OPT_VALUE(
        "tracy-port", 0, "PORT",
        "port that a Tracy client listens on, as TRACY_PORT; one process alone can have "
        "it (default: each process takes a free one)",
        TACHO_INTO_NUMBER(tacho_profile_choice, tracy_port, 0, UINT16_MAX)),
    TACHO_OPT_FLAG("no-tracy", 0, "do not listen for Tracy clients, and connect to none",
                   TACHO_INTO_FLAG(tacho_profile_choice, omits_tracy)),
    TACHO_OPT_VALUE("stats-level", 0, "N",
                    "how much programs report: below 70 no operators, 100 also counters of "
                    "operators (default: 70)",
                    TACHO_INTO_NUMBER(tacho_profile_choice, stats_level, 0, 100)),
    TACHO_OPT_VALUE(
        "timeout", 0, "S",
        "end the program after S seconds (SIGTERM, then SIGKILL); the exit status is then 124",
        TACHO_INTO_TEXT(tacho_profile_choice, timeout)),
    TACHO_OPT_VALUE("activate", 0, "/TIME",
                    "begin to record when the time of day is a multiple of TIME, as in /10s: the "
                    "same moment on all hosts whose clocks agree",
                    TACHO_INTO_TEXT(tacho_profile_choice, activate)),
    TACHO_OPT_FLAG(
        "live", 0,
        "show processes, events, losses, and where the time went, each second: in one line on a "
        "terminal, else in a line each",
        TACHO_INTO_FLAG(tacho_profile_choice, is_live)),
    TACHO_OPTIONS_COMMON,
};

static int profile_command_run(const tacho_arguments *arguments)
{
    tacho_profile_choice choice = TACHO_PROFILE_DEFAULTS;
    if (tacho_arguments_has(arguments, "no-tracy") &&
        tacho_arguments_has(arguments, "tracy-port")) {
        return tacho_command_misuse(arguments->command,
                                    "--tracy-port has no effect with --no-tracy");
    }
    return tacho_arguments_fill(arguments, &choice) ? tacho_profile_run(arguments, &choice)
                                                    : TACHO_EXIT_USAGE;
}

const tacho_command tacho_command_profile = {
    .name = "profile",
    .runs_program = true,
    .summary = "run a program and record every process of it",
    .usage = "[options] -- COMMAND [ARGUMENT...]",
    .description =
        "Runs COMMAND unchanged and records every process that belongs to it: when each\n"
        "process and thread started and ended, CPU time and resident memory over time. No\n"
        "instrumentation is needed. Programs that use libtacho-client (man\n"
        "tacho_client) also report zones, operators, counters, messages and arrows. When\n"
        "COMMAND ends, operators and processes are listed on standard error.\n"
        "\n"
        "COMMAND is found in PATH and gets its arguments as they are. One argument that\n"
        "contains blanks or shell operators is read by /bin/sh, as in \"pytest -v tests\".\n"
        "The program keeps standard input, output and error, its directory, terminal,\n"
        "process group, limits and open files. Signals are passed on; Ctrl-C reaches the\n"
        "program, and what was recorded until then is still shown.\n"
        "\n"
        "Processes are looked at every 10 ms, less often in long runs, and never for more\n"
        "than 2 % of one processor. A process that starts and ends between two looks is\n"
        "not seen. Starts are exact to 10 ms, ends of processes to the millisecond, ends\n"
        "of threads to the next look. CPU time and memory of a process count up to the\n"
        "last look, unless it is COMMAND itself. Processes that outlive COMMAND run on;\n"
        "recording ends with COMMAND.\n"
        "\n"
        "A process that reports events is always seen. It finds the collector by the\n"
        "variable TACHO_COLLECTOR, which COMMAND gets: a socket that its user alone may\n"
        "use, or with --port a port of this computer. Programs that COMMAND did not start\n"
        "can report as well if they are given that variable. Events go to memory that\n"
        "tacho owns, so a program that is killed loses nothing it had reported. When a\n"
        "thread reports faster than tacho can store, it waits for up to 10 ms, then events\n"
        "are dropped, counted and shown as lost.\n"
        "\n"
        "OpenCL programs need nothing: their kernels and transfers are recorded, by a layer\n"
        "that OPENCL_LAYERS names to their loader (ocl-icd 2.3 or later). Programs that did\n"
        "not ask for times of commands do not see them.\n"
        "\n"
        "CUDA programs need nothing where NVIDIA's libcupti.so is installed (CUDA 12 or\n"
        "later; PyTorch has it): CUDA_INJECTION64_PATH and NVTX_INJECTION64_PATH make the\n"
        "driver and NVTX load a library of tacho's. Level 40 records kernels, copies and\n"
        "one row for each launch of a graph; 50 the calls that launch and wait, too; 70\n"
        "the nodes of graphs and NVTX ranges; 100 waiting and memory of the device.\n"
        "\n"
        "Programs that are instrumented with Tracy need nothing: every process of COMMAND\n"
        "that listens for Tracy's profiler is connected to, and let go when it exits.\n"
        "Processes of other users are not. --no-tracy switches this off. A\n"
        "very short program may exit before that; TRACY_NO_EXIT=1 makes it wait.\n"
        "\n"
        "Ranks of torchrun, Open MPI, MPICH, MVAPICH, PMIx and Slurm are recognised by\n"
        "their environment variables. Of the environment, nothing else is recorded.\n"
        "\n"
        "With -o DIR/, each rank writes DIR/run=ID/host=NAME/rank=N/capture.tacho and a\n"
        "manifest.json beside it, with readings of its clocks; the run is the job of the\n"
        "launcher or scheduler. Ranks share no file and do not talk to each other, so\n"
        "'srun tacho profile -o DIR/ -- COMMAND' is all; 'tacho fleet' reads DIR.\n"
        "\n"
        "While the program runs, the capture is written to OUT.PID.partial four times a\n"
        "second, without -o to a temporary file. If tacho is killed, that file stays, and\n"
        "every command reads it.",
    .examples = "# what a program starts, and what that costs\n"
                "tacho profile -- tacho compile model.onnx\n"
                "# keep the capture for other commands\n"
                "tacho profile -o capture.tacho -- tacho run model.onnx -n 3\n"
                "# under srun, mpirun or torchrun: every rank below one directory\n"
                "tacho profile -o ranks/ -- tacho run model.onnx -n 3\n"
                "# a command line with a pipe, as a trace for https://ui.perfetto.dev\n"
                "tacho profile -o sort.pb \"sort timeline.csv | uniq -c\"\n"
                "# operators of a simulated run in the columns of Tenstorrent's reports\n"
                "tacho profile --tt-report ops.csv -- tacho run model.onnx --device "
                "sim:wormhole-n150\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = profile_command_run,
};
