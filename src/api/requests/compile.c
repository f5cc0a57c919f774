/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile: how long will this network take on that machine?
 */
#include "api/requests/registry.h"
#include "api/requests/outputs.h"
#include "api/requests/compile_options.h"
#include "api/requests/run_options.h"

static const char *const sort_keys[] = {"order", "cycles", "macs", "bytes", "name", NULL};

static const tacho_option options[] = {
    TACHO_OPT_VALUE("machine", 'm', "NAME|FILE",
                    "a built-in machine, as listed by '{/machine list}', or a description file "
                    "(default: " TACHO_DEFAULT_MACHINE ")",
                    TACHO_COMPILE_INTO_TEXT(machine)),
    TACHO_COMPILE_OPTION_DIM,
    TACHO_COMPILE_OPTION_BIND,
    TACHO_OPT_EACH("sweep", 0, "NAME=N,...",
                   "estimate at each of these sizes: batch, seq, or an open dimension; repeatable, "
                   "all combinations. {o|output} takes tables then, or .html with curves"),
    TACHO_OPT_EACH("input", 'i', "VALUE",
                   "value of the next input, or NAME=VALUE for a named one, as for '{/run}': "
                   "decides branches, steps and sizes that follow from values; repeatable"),
    TACHO_OPT_VALUE("weights", 0, "random:SEED|zeros",
                    "use seeded random weights, or zeros for missing ones (default: the model's; "
                    "missing ones are random, with a warning)",
                    TACHO_COMPILE_INTO_TEXT(weights)),
    TACHO_OPT_VALUE("dtype", 0, "DTYPE",
                    "store and compute real numbers as this type: bf16, bfp8, f16 ... (default: "
                    "the model's type, as the machine supports it)",
                    TACHO_COMPILE_INTO_TEXT(dtype)),
    TACHO_OPT_VALUE("fidelity", 0, "NAME",
                    "multiplication precision, on machines that offer a choice",
                    TACHO_COMPILE_INTO_TEXT(fidelity)),
    TACHO_OPT_VALUE("cores", 0, "N",
                    "use at most this many cores; fewer are used where that is faster",
                    TACHO_COMPILE_INTO_NUMBER(request.compile.cores, 0, UINT32_MAX)),
    TACHO_OPT_VALUE("devices", 0, "N", "spread the operators over this many devices, in order",
                    TACHO_COMPILE_INTO_NUMBER(request.compile.devices, 1, TACHO_DEVICES_MAX)),
    TACHO_OPT_VALUE("batch", 0, "N", "run this many inferences as one batch; weights are shared",
                    TACHO_COMPILE_INTO_NUMBER(request.compile.batch, 1, TACHO_BATCH_MAX)),
    TACHO_OPT_VALUE("grid", 0, "XxY",
                    "use a grid of this size, on machines whose cores form a grid",
                    TACHO_COMPILE_INTO_TEXT(grid)),
    TACHO_OPT_VALUE("place", 0, "LIST",
                    "placement of operands, on machines with a mesh: in0=dram|l1, in1=dram|l1 "
                    "(weights, or the second matrix), out=dram|l1, separated by commas",
                    TACHO_COMPILE_INTO_TEXT(places)),
    TACHO_OPT_FLAG("eager", 0,
                   "the host launches one kernel after the other, on GPUs (default: a graph "
                   "replays them without gaps, so that the total is the time of kernels)",
                   TACHO_COMPILE_INTO_FLAG(request.compile.estimate.cost.is_eager)),
    TACHO_OPT_FLAG("tuned", 0, "hand-tuned blocking and placement, on machines that distinguish it",
                   TACHO_COMPILE_INTO_FLAG(request.compile.estimate.cost.is_tuned)),
    TACHO_OPT_VALUE("torq-hw", 0, "SPEC",
                    "another Torq configuration: <id>:<lram_kb>:<slices>:<css>:<nss>[:<dma>...]",
                    TACHO_COMPILE_INTO_TEXT(hardware)),
    TACHO_OPT_FLAG(
        "force", 0,
        "compile a model even if its jobs exceed the memory limit; replace files that were not "
        "written by tacho",
        TACHO_COMPILE_INTO_FLAG(is_forced)),
    TACHO_OPT_VALUE("sort", 0, "KEY",
                    "order (as they run), cycles, macs, bytes or name (default: order)",
                    TACHO_INTO_WORDS(tacho_compile_choice, request.table.sort, sort_keys)),
    TACHO_OPTION_OPERATORS("name or type"),
    TACHO_OPT_VALUE("top", 0, "N",
                    "the N costliest operators, or the first N by {sort}; 0 for all (default: 0)",
                    TACHO_COMPILE_INTO_NUMBER(request.table.top, 0, SIZE_MAX)),
    TACHO_OPT_VALUE("profile", 0, "FILE",
                    "write the estimated timeline to FILE; the suffix selects the format: .pb, "
                    ".json, .csv (Torq: timeline t1; else a table of events for other programs, "
                    "which tacho does not read) ...",
                    TACHO_COMPILE_INTO_TEXT(request.profile_path),
                    .writes = TACHO_WRITES_TRACE | TACHO_WRITES_TORQ),
    TACHO_OPT_VALUE(
        "profile-format", 0, "FORMAT",
        "format of the timeline: a trace format of '{/help formats}', or Torq's t1 or t4",
        TACHO_COMPILE_INTO_TEXT(profile_format)),
    TACHO_COMPILE_OPTIONS_STATS("pmu-recipe", "pmu-events"),
    TACHO_OPT_FLAG("perf-warnings", 0, "print performance warnings",
                   TACHO_COMPILE_INTO_FLAG(request.has_warnings)),
    TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP,
                   TACHO_INTO_UNFLAG(tacho_compile_choice, request.has_advice)),
    TACHO_OPT_FLAG("perf-metrics", 0, "also print program statistics and per-core figures",
                   TACHO_COMPILE_INTO_FLAG(request.has_metrics)),
    TACHO_COMPILE_OPTIONS_DUMPS,
    TACHO_OPTIONS_TABLES,
    TACHO_OPT_VALUE("output", 'o', "OUT",
                    "write the program to OUT; with a table suffix (.txt, .csv, .json, .xlsx) or "
                    "{format}, write the tables to OUT",
                    TACHO_COMPILE_INTO_TEXT(output),
                    .writes = TACHO_WRITES_PROGRAM | TACHO_WRITES_TABLE | TACHO_WRITES_PAGE),
    TACHO_COMPILE_OPTION_QUIET,
    TACHO_OPTION_VERBOSE,
    TACHO_OPTION_COLOR,
    TACHO_OPTION_MEMORY,
    TACHO_OPTION_HELP,
};

/* ---- outputs ------------------------------------------------------------------------------- */

static bool choose_profile(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    const char *format = choice->profile_format;
    if (request->profile_path == NULL) {
        if (format != NULL) {
            tacho_request_misuse(given, "{profile-format} needs {profile} FILE");
        }
        return format == NULL;
    }
    request->profile_sink =
        tacho_request_trace_sink(given, "profile-format", request->profile_path, "t1, t4 or ");
    return request->profile_sink != NULL;
}

/* The compiler does not check that operands fit where the user puts them. */
static bool check_program(tacho_request *given, const tacho_compile_choice *choice)
{
    const char *output = choice->request.program_path;
    tacho_str path = tacho_str_from_cstring(output);
    if (choice->places != NULL) {
        tacho_request_misuse(
            given,
            "{place} applies to estimates only; it cannot be combined with writing the program %s",
            output);
    } else if (tacho_str_ends_with(path, TACHO_STR(".html"))) {
        tacho_request_misuse(
            given,
            "%s: {o|output} takes a program or tables; for a page use {profile} FILE.pb, "
            "then '{/report FILE.pb} {o|output} %s'",
            output, output);
    } else {
        return true;
    }
    return false;
}

/* -o is for the tables where its suffix says so, or --format; else for the program. */
static bool choose_outputs(tacho_request *given, tacho_compile_choice *choice)
{
    tacho_compile_request *request = &choice->request;
    const char *output = choice->output;
    bool is_table = output == NULL || strcmp(output, "-") == 0 ||
                    tacho_request_format(given) != NULL ||
                    tacho_table_sink_find_suffix(tacho_str_from_cstring(output)) != NULL;
    request->program_path = is_table ? NULL : output;
    request->output_path = is_table && output != NULL ? output : given->listener.output;
    if (!is_table && !check_program(given, choice)) {
        return false;
    }
    request->table_sink = tacho_request_table_sink(given, request->output_path);
    request->table.is_for_people = request->table_sink == &tacho_table_sink_text;
    return request->table_sink != NULL && choose_profile(given, choice);
}

/* ---- the command --------------------------------------------------------------------------- */

static int compile(tacho_request *given, tacho_compile_choice *choice)
{
    if (!tacho_compile_choose_model(given, choice)) {
        return TACHO_OUTCOME_USAGE;
    }
    if (tacho_request_has(given, "sweep")) {
        return tacho_compile_sweep_chosen(given, choice);
    }
    if (!choose_outputs(given, choice)) {
        return TACHO_OUTCOME_USAGE;
    }
    int outcome = tacho_run_choose_list(given, "input", "", &choice->arena, &choice->request.inputs,
                                        &choice->request.input_count);
    if (outcome == TACHO_OUTCOME_DONE) {
        outcome = tacho_compile_choose(given, choice);
    }
    return outcome == TACHO_OUTCOME_DONE ? tacho_compile_run_chosen(given, choice) : outcome;
}

static int compile_command_run(tacho_request *given)
{
    const tacho_compile_choice defaults = {
        .request = {.dumps = {.has_profile = true}, .has_advice = true}};
    return tacho_compile_with(given, &defaults, compile);
}

const tacho_request_type tacho_request_type_compile = {
    .name = "compile",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = compile_command_run,
};
