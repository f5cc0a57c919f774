/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile: how long will this network take on that machine?
 */
#include "cli/command.h"
#include "cli/compile_options.h"
#include "cli/listing.h"
#include "cli/talk.h"

#include <stdlib.h>

static const tacho_option options[] = {
    {"machine", 'm', false, "NAME|FILE",
     "a built-in machine, as listed by 'tacho machine list', or a description file "
     "(default: " TACHO_DEFAULT_MACHINE ")"},
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    {"weights", 0, false, "random:SEED",
     "use seeded random weights, even where the model has none"},
    {"dtype", 0, false, "DTYPE",
     "store and compute real numbers as this type: bf16, bfp8, f16 ... (default: the model's type, "
     "as the machine supports it)"},
    {"fidelity", 0, false, "NAME", "multiplication precision, on machines that offer a choice"},
    {"cores", 0, false, "N", "use at most this many cores; fewer are used where that is faster"},
    {"devices", 0, false, "N", "spread the operators over this many devices, in order"},
    {"batch", 0, false, "N", "run this many inferences as one batch; weights are shared"},
    {"grid", 0, false, "XxY", "use a grid of this size, on machines whose cores form a grid"},
    {"place", 0, false, "LIST",
     "placement of operands, on machines with a mesh: in0=dram|l1, in1=dram|l1 (weights, or the "
     "second matrix), out=dram|l1, separated by commas"},
    {"tuned", 0, false, NULL, "hand-tuned blocking and placement, on machines that distinguish it"},
    {"torq-hw", 0, false, "SPEC",
     "another Torq configuration: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]"},
    {"force", 0, false, NULL, "compile a model even if its jobs exceed the memory limit"},
    {"sort", 0, false, "KEY", "order (as they run), cycles, macs, bytes or name (default: order)"},
    {"top", 0, false, "N", "the first N operators, 0 for all (default: 0)"},
    {"profile", 0, false, "FILE",
     "write the estimated timeline to FILE; the suffix selects the format: .pb, .json, .csv (Torq: "
     "timeline t1; else a table of events for other programs, which tacho does not read) ..."},
    {"profile-format", 0, false, "FORMAT",
     "format of the timeline: a trace format of 'tacho help formats', or Torq's t1 or t4"},
    {"stats-level", 0, false, "N",
     "what the program records: 40 inferences, 50 also ports, 70 also operators, 100 also counters "
     "per operator; below 40 nothing (default: 40)"},
    {"stats-batchsize", 0, false, "N",
     "number of inferences to average statistics over (default: 1)"},
    {"ddr-stats", 0, false, NULL, "count DDR traffic per core"},
    {"pmu-recipe", 0, false, "NAME",
     "count a predefined set of core events: AxiRd, AxiWr, AxiRdWr, KernelUtil, HmxMacs"},
    {"pmu-events", 0, false, "HEX,...", "count these core events, at most 8"},
    {"perf-warnings", 0, false, NULL, "print performance warnings"},
    {"perf-metrics", 0, false, NULL, "also print program statistics and per-core figures"},
    TACHO_COMPILE_OPTIONS_DUMPS,
    TACHO_OPTIONS_TABLES,
    {"output", 'o', false, "OUT",
     "write the program to OUT; with a table suffix (.txt, .csv, .json, .xlsx) or --format, write "
     "the tables to OUT"},
    TACHO_OPTIONS_COMMON,
};

/* ---- the model ----------------------------------------------------------------------------- */

static bool choose_model(const tacho_arguments *arguments, tacho_compile_request *request)
{
    size_t count = arguments->word_count;
    request->model_path = count == 1 ? arguments->words[0] : NULL;
    if (request->model_path == NULL) {
        tacho_command_misuse(arguments->command, count == 0
                                                     ? "no model given; name an .onnx or .mlir file"
                                                     : "more than one model given");
    }
    return request->model_path != NULL;
}

/* ---- the verb ------------------------------------------------------------------------------ */

static const tacho_compile_names names = {
    .devices = "devices",
    .cores = "cores",
    .batch = "batch",
    .metrics = "perf-metrics",
    .warnings = "perf-warnings",
    .stats = {"stats-level", "stats-batchsize", "ddr-stats", "pmu-recipe", "pmu-events"},
};

static int compile_with(const tacho_arguments *arguments, tacho_arena *arena)
{
    tacho_compile_request request = {.is_quiet = false};
    if (!choose_model(arguments, &request) ||
        !tacho_compile_choose_weights(arguments, &request.model) ||
        !tacho_compile_choose_outputs(arguments, &request)) {
        return TACHO_EXIT_USAGE;
    }
    tacho_compile_choose_dumps(arguments, &request);
    tacho_machine *machine = NULL;
    int exit_code = tacho_compile_choose_dims(arguments, arena, &request.model);
    if (exit_code == 0) {
        exit_code = tacho_compile_choose_binds(arguments, arena, &request.model);
    }
    if (exit_code != 0) {
        return exit_code;
    }
    exit_code = tacho_compile_choose_machine(arguments, arena, &machine, &request);
    if (exit_code == 0 && !tacho_compile_choose_program(arguments, &names, &request)) {
        exit_code = TACHO_EXIT_USAGE;
    }
    if (exit_code == 0) {
        tacho_machine_use_cores(machine, request.compile.cores);
        request.compile.bytes_max = tacho_arguments_has(arguments, "force") ? UINT64_MAX : 0;
    }
    return exit_code != 0 ? exit_code : tacho_compile_run_chosen(&request, NULL);
}

static int compile_command_run(const tacho_arguments *arguments)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    int exit_code = compile_with(arguments, &arena);
    tacho_arena_deinit(&arena);
    return exit_code;
}

const tacho_command tacho_command_compile = {
    .name = "compile",
    .summary = "estimate a model on a machine and compile it",
    .usage = "MODEL [--machine M] [-o PROGRAM] [options]",
    .description =
        "Reads a model (ONNX, or MLIR in TOSA or torch-onnx), folds constants, fuses\n"
        "operators, and estimates each operator on the machine: cycles, MACs, bytes per\n"
        "memory, engine utilisation, padding, and what limits it. Operators are\n"
        "partitioned over the cores, tiled to fit local memory, and scheduled on engines\n"
        "and DMA queues; the total is the end of the schedule.\n"
        "\n"
        "Every operator that runs is costed against the machine description. Views and\n"
        "nodes that depend only on constants do not run; the summary counts them. An\n"
        "unknown operator is reported in a warning, and its estimate is a lower bound; if\n"
        "the program is kept, the exit status is 3. An operator whose shapes are unknown\n"
        "is an error.\n"
        "\n"
        "CSV, JSON and XLSX have every column of the tables, among them the cycles of\n"
        "computing, reading, writing and launching; text has those that fit a screen.\n"
        "\n"
        "With --profile the timeline is written as well: a trace for a viewer and for\n"
        "'tacho overview', 'ops' and 'report', or the timeline of Torq's compiler. It is\n"
        "an estimate, and its origin says so.\n"
        "\n"
        "With -o the program is written: jobs, dependencies, buffers, constants and what\n"
        "the device is to record, in a container that 'tacho info' reads. Dumps show the\n"
        "model after each phase as generic MLIR.",
    .examples = "# where would the time go?\n"
                "tacho compile model.onnx --machine wormhole-n150 --sort cycles --top 20\n"
                "# a batch of 8, and the timeline for ui.perfetto.dev\n"
                "tacho compile model.onnx -m aic100 --dim N=8 --profile model.pb\n"
                "# a program that records operators and how busy the engines are\n"
                "tacho compile model.onnx -m aic100 -o programqpc.bin --stats-level 70 "
                "--pmu-recipe KernelUtil\n"
                "# as Torq's compiler writes it\n"
                "tacho compile add.mlir --profile timeline.csv --profile-format t1\n"
                "# a matrix product on 8x4 cores, in bfp8, all of it in local memory\n"
                "tacho compile gemm.onnx -m wormhole-n150 --grid 8x4 --dtype bfp8 --fidelity LoFi "
                "--place in0=l1,in1=l1,out=l1\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = compile_command_run,
};
