/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho run: what does this network compute, and where does its time go?
 */
#include "api/requests/registry.h"
#include "api/requests/run_options.h"
#include "api/requests/run_talk.h"
#include "vendors/tenstorrent/run_client.h"
#include "api/requests/request.h"

enum { DEFAULT_TOP = 10, SHOWN_ELEMENTS = 32 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "device", 'd', "DEVICE",
        "the device to run on: sim (the machine that the program was compiled for), sim:MACHINE, "
        "cpu, null (default: sim; a model is compiled for " TACHO_DEFAULT_MACHINE ")"),
    TACHO_OPT_VALUE("machine", 'm', "NAME", "same as {device} sim:NAME"),
    TACHO_OPT_VALUE("host", 0, "USER@HOST",
                    "run on another computer, such as a board, over ssh; the device is there",
                    TACHO_INTO_TEXT(tacho_run_choice, whole.request.board.host)),
    TACHO_OPT_VALUE("board-path", 0, "PATH",
                    "where the runtime is kept there, from the home directory on (default: "
                    ".cache/tacho/YOU/tacho-board)",
                    TACHO_INTO_TEXT(tacho_run_choice, whole.request.board.path)),
    TACHO_OPT_VALUE("board-runtime", 0, "FILE",
                    "the runtime to run there (default: the one installed for its processor)",
                    TACHO_INTO_TEXT(tacho_run_choice, whole.request.board.runtime)),
    TACHO_OPT_VALUE("board-wait", 0, "SECONDS",
                    "wait this long while others use the board (default: 0)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.board.wait_s, 0, 1000000)),
    TACHO_OPT_VALUE("timeout", 0, "SECONDS",
                    "fail when the board is silent for this long; one that computes is not "
                    "(default: 60, or 150 until it lets you in)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.board.silence_s, 1, 1000000)),
    TACHO_OPT_EACH("input", 'i', "VALUE",
                   "value of the next input, or NAME=VALUE for a named one: 1x1280xi8=0, 4xf32=1 2 "
                   "3 4, @x.npy, @x.pb; repeatable (default: seeded random)"),
    TACHO_OPT_VALUE("seed", 0, "N", "seed for inputs without a value (default: 0)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.seed, 0, UINT64_MAX)),
    TACHO_OPT_EACH("output", 0, "@FILE",
                   "write the next output to FILE as .npy, or as raw bytes to .bin; - prints it; "
                   "repeatable (default: print)",
                   .writes = TACHO_WRITES_TENSOR),
    TACHO_OPT_VALUE("function", 'f', "NAME", "fail if the program has no function of this name",
                    TACHO_INTO_TEXT(tacho_run_choice, whole.request.function)),
    TACHO_OPT_VALUE(
        "iterations", 'n', "N", "number of inferences (default: 1; with {compare} on cpu: 11)",
        TACHO_INTO_NUMBER(tacho_run_choice, whole.request.iterations, 1, TACHO_RUN_ITERATIONS_MAX)),
    TACHO_OPT_VALUE("activations", 'a', "N",
                    "number of copies of the program, each on its own cores (default: 1)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.device_options.activations, 1,
                                      TACHO_RUN_ACTIVATIONS_MAX)),
    TACHO_OPT_VALUE("kernels", 0, "fast|reference", "how values are computed (default: fast)",
                    TACHO_INTO_WORD(tacho_run_choice, whole.request.device_options.kernels)),
    TACHO_OPT_VALUE("threads", 0, "N", "host threads that compute values (default: 1)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.device_options.threads, 1,
                                      TACHO_RUN_THREADS_MAX)),
    TACHO_OPT_FLAG("no-values", 0, "sim: times only; do not compute values",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.request.device_options.skips_values)),
    TACHO_OPT_FLAG("force", 0,
                   "run a program, or compile a model, that exceeds a limit of work or memory; "
                   "replace files that were not written by tacho",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.request.device_options.is_forced)),
    TACHO_OPT_FLAG("unlimited", 0, "sim: disable contention; reproduces the estimate",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.request.device_options.is_unlimited)),
    TACHO_OPT_VALUE("profile", 0, "FILE",
                    "write the recording to FILE, with each operator's estimate; the suffix "
                    "selects the format: .tacho (complete, for tacho itself), .pb, .json, .csv ...",
                    TACHO_INTO_TEXT(tacho_run_choice, whole.profile.path),
                    .writes = TACHO_WRITES_TRACE | TACHO_WRITES_TORQ),
    TACHO_OPT_VALUE(
        "profile-format", 0, "FORMAT",
        "format of the recording: a trace format of '{/help formats}', or Torq's r0, r1 or r2"),
    TACHO_OPT_VALUE(
        "stats-dir", 0, "DIR",
        "write the raw stats of each recorded inference to DIR, one file per activation and device",
        TACHO_INTO_TEXT(tacho_run_choice, whole.request.stats_dir)),
    TACHO_OPT_VALUE(
        "samples", 0, "N",
        "number of inferences to record (default: 1; with {compare} on cpu: all but the first, up "
        "to 100)",
        TACHO_INTO_NUMBER(tacho_run_choice, whole.request.sampling.count, 0,
                          TACHO_RUN_ITERATIONS_MAX)),
    TACHO_OPT_VALUE(
        "start-iteration", 0, "N",
        "first iteration to record, counted from 0 (default: 0; 1 when several are measured)"),
    TACHO_OPT_VALUE(
        "start-delay", 0, "MS",
        "start recording after this much device time, at the latest with the last inference",
        TACHO_INTO_NUMBER(tacho_run_choice, whole.request.sampling.delay_ms, 0, INT32_MAX)),
    TACHO_OPT_FLAG("compare", 0,
                   "also print each operator's estimate, named stalls and the fitted clock",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.report.compares)),
    TACHO_OPT_FLAG("blocks", 0, "also print when each block (NSS program) ran",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.report.has_blocks)),
    TACHO_OPT_FLAG("no-tables", 0, "print outputs only",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.report.omits_tables)),
    TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP,
                   TACHO_INTO_FLAG(tacho_run_choice, whole.report.omits_advice)),
    TACHO_OPT_VALUE("top", 0, "N", "operators to list, 0 for all (default: 10)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.report.ops.top, 0, INT32_MAX)),
    TACHO_OPTION_OPERATORS("name or location"),
    TACHO_OPT_VALUE(
        "cores", 0, "N", "models only: use at most this many cores",
        TACHO_INTO_NUMBER(tacho_run_choice, whole.request.compile.compile.cores, 1, UINT16_MAX)),
    TACHO_OPT_VALUE("stats-level", 0, "N",
                    "models only: what the program records, as for '{/compile}' (default: 70)",
                    TACHO_INTO_NUMBER(tacho_run_choice, whole.request.compile.compile.stats.level,
                                      0, TACHO_STATS_LEVEL_MAX)),
    TACHO_OPT_EACH("dim", 0, "NAME=N",
                   "models only: the size of a dimension that it leaves open, or the sizes of an "
                   "input: x=1x3x224x224; repeatable"),
    TACHO_OPT_EACH("bind", 0, "NAME=VALUE",
                   "models only: fix an input, as for '{/compile}'; repeatable"),
    TACHO_OPT_VALUE("weights", 0, "random:SEED|zeros",
                    "models only: use seeded random weights, or zeros for missing ones (default: "
                    "the model's; missing ones are an error)"),
    TACHO_OPT_VALUE(
        "dtype", 0, "DTYPE",
        "models only: the type in which real numbers are stored and computed, for times "
        "of the simulation, as for '{/compile}'; values are not rounded to it"),
    TACHO_OPTIONS_TABLES,
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown",
                   TACHO_INTO_FLAG(tacho_run_choice, whole.request.is_quiet), .is_front = true),
    TACHO_OPTION_VERBOSE,
    TACHO_OPTION_COLOR,
    TACHO_OPTION_MEMORY,
    TACHO_OPTION_HELP,
};

static int run_command_run(tacho_request *given)
{
    tacho_run_choice choice = {
        .whole =
            {
                .request = {.observer = &tacho_run_client,
                            .leaves_signals = given->listener.output == NULL,
                            .iterations = TACHO_RUN_OPEN,
                            .sampling = {.count = TACHO_RUN_OPEN, .start = TACHO_RUN_OPEN},
                            .device_options = {.has_fine_timer = true,
                                               .activations = 1,
                                               .threads = 1},
                            .compile = {.compile = {.stats = {.level = TACHO_STATS_LEVEL_OPS,
                                                              .batch_size = 1}}},
                            .makes_stats_dir = true,
                            .notes = &given->notes},
                .outputs = {.element_max = SHOWN_ELEMENTS},
                .report = {.ops = {.top = DEFAULT_TOP}, .outputs = &choice.whole.outputs},
            },
    };
    tacho_arena_init(&choice.arena);
    int outcome = tacho_run_choose(given, &choice);
    if (outcome == TACHO_OUTCOME_DONE) {
        const tacho_run_job job = tacho_run_whole_job(&choice.whole);
        outcome = tacho_run_talk(given, &job);
    }
    tacho_text_filter_close(&choice.filter);
    tacho_arena_deinit(&choice.arena);
    return outcome;
}

const tacho_request_type tacho_request_type_run = {
    .name = "run",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = run_command_run,
};
