/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho annotate: a runtime profile, and what the compiler says about its program.
 */
#include "api/request.h"
#include "base/grow.h"
#include "cli/annotate_run.h"
#include "cli/common_options.h"
#include "cli/inputs.h"
#include "vendors/torq/debug_info.h"

#include <stdio.h>
#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_OPT_VALUE(
        "output", 'o', "OUT",
        "output file; the suffix selects the kind: .csv and .xlsx are tables, .pb, .json and "
        ".jsonl traces; an added .gz or .zst compresses (default: a table on standard output)",
        .writes = TACHO_WRITES_TABLE | TACHO_WRITES_TRACE | TACHO_WRITES_TORQ),
    TACHO_OPTION_FORCE,
    TACHO_OPT_VALUE(
        "columns", 0, "SET",
        "columns and rows of the table: native (default), as the vendor's tools write them "
        "(torq-a0 to torq-a3), or as its manuals name them (torq-a0-manual, "
        "torq-a3-manual)"),
    TACHO_OPTIONS_TABLES,
    TACHO_OPT_EACH("source-dir", 0, "DIR",
                   "look for the model's files here when they are not where the debug information "
                   "says; may be repeated"),
    TACHO_OPTION_FROM,
    TACHO_OPT_FLAG("strict", 0,
                   "fail, and write nothing, if anything cannot be read or has no match"),
    TACHO_OPTIONS_COMMON,
};

static bool choose_columns(const tacho_arguments *arguments, tacho_annotate_job *job)
{
    const char *name = tacho_arguments_value(arguments, "columns");
    if (name == NULL) {
        return true;
    }
    if (job->outputs[0].table_sink == NULL) {
        tacho_command_misuse(arguments->command, "--columns applies to tables, but '%s' is a trace",
                             job->outputs[0].path);
        return false;
    }
    job->set = tacho_annotation_set_find(tacho_str_from_cstring(name));
    if (job->set == NULL) {
        char names[256] = "";
        const tacho_annotation_set *set = NULL;
        for (size_t i = 0; (set = tacho_annotation_set_at(i)) != NULL; i++) {
            size_t len = strlen(names);
            snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "",
                     tacho_annotation_set_name(set));
        }
        tacho_command_misuse(arguments->command, "--columns: unknown set '%s'; use one of %s", name,
                             names);
    }
    return job->set != NULL;
}

/* Only some tables show the operations inside jobs; without them there is less to remember. */
static bool needs_no_ops(const tacho_annotate_job *job)
{
    if (job->outputs[0].trace_sink != NULL) {
        return true;
    }
    tacho_str name = job->set != NULL ? tacho_str_from_cstring(tacho_annotation_set_name(job->set))
                                      : TACHO_STR("native");
    return tacho_str_equal(name, TACHO_STR("torq-a3-manual")) ||
           tacho_str_equal(name, TACHO_STR("torq-a3"));
}

/* The first word is the debug information, the others are inputs. */
static int choose_inputs(const tacho_arguments *arguments, tacho_input_set *inputs,
                         tacho_annotate_job *job)
{
    if (arguments->word_count < 2) {
        return tacho_command_misuse(
            arguments->command, "expected the debug information and at least one runtime profile");
    }
    job->request.debug_path = arguments->words[0];
    const tacho_cli_inputs_options how = {.first_word = 1,
                                          .set = {.output_path = job->outputs[0].path,
                                                  .is_whole = tacho_is_debug_info,
                                                  .keeps_empty = true,
                                                  .accepted = tacho_request_runtime_sources}};
    return tacho_cli_inputs_open(inputs, arguments, &how, &job->request.intake);
}

static void collect_dirs(const tacho_arguments *arguments, const char **dirs,
                         tacho_annotate_request *request)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option != NULL && strcmp(item->option->name, "source-dir") == 0) {
            dirs[request->source_dir_count++] = item->value;
        }
    }
    request->source_dirs = dirs;
}

static int annotate_with(const tacho_arguments *arguments, tacho_input_set *inputs,
                         const char **dirs)
{
    tacho_annotate_job job = {
        .request = {.is_strict = tacho_arguments_has(arguments, "strict")},
        .output_count = 1,
        .is_quiet = tacho_arguments_has(arguments, "quiet"),
        .is_verbose = tacho_arguments_has(arguments, "verbose"),
        .says_all = tacho_arguments_has(arguments, "verbose"),
    };
    const char *output = tacho_arguments_value(arguments, "output");
    collect_dirs(arguments, dirs, &job.request);
    if (!tacho_annotate_choose_output(arguments->command, output != NULL ? output : "-",
                                      tacho_common_format(arguments), &job.outputs[0]) ||
        !choose_columns(arguments, &job)) {
        return TACHO_EXIT_USAGE;
    }
    int exit_code = choose_inputs(arguments, inputs, &job);
    job.request.needs_no_ops = needs_no_ops(&job);
    return exit_code == TACHO_EXIT_DONE ? tacho_annotate_run(&job) : exit_code;
}

static int annotate_command_run(const tacho_arguments *arguments)
{
    const char **dirs = tacho_items_alloc(arguments->item_count, sizeof(*dirs));
    tacho_input_set inputs = {.inputs = NULL};
    int exit_code =
        dirs != NULL ? annotate_with(arguments, &inputs, dirs) : tacho_command_no_memory();
    tacho_input_set_close(&inputs);
    free(dirs);
    return exit_code;
}

const tacho_command tacho_command_annotate = {
    .name = "annotate",
    .summary = "join a runtime profile with the compiler's debug information",
    .usage = "DEBUG RUNTIME... [-o OUT] [options]",
    .description =
        "Joins Torq runtime profiles with the compiler's debug information: for each host\n"
        "action it shows which kernels it started, which engines they used and which\n"
        "operators of the model they implement.\n"
        "\n"
        "DEBUG is a phase dump (MODEL.9.executable-targets.mlir) or a directory of debug\n"
        "information (DISPATCH.mlirb); the content tells text from bytecode.\n"
        "RUNTIME may be of any version: jobs only, with actions, or with dispatches.\n"
        "Several runtime profiles make one table.\n"
        "\n"
        "The table has a row for each action, job and engine operation. The trace shows\n"
        "the run with programs named after their kernels, each engine for as long as its\n"
        "job took, the compiler's estimates fitted into the measured jobs, and the\n"
        "overview as tracks.\n"
        "\n"
        "Operators are read from the model's source files at the paths that the debug\n"
        "information gives. If a file is missing there, a file of the same name next to\n"
        "the debug information is used and a note says so. ONNX nodes have names but no\n"
        "lines; for them, operators come from the debug information that tacho's compiler\n"
        "wrote: onnx.Conv@NODE, with everything that was fused.\n"
        "\n"
        "Only jobs are measured. An engine operation shows the compiler's estimate fitted\n"
        "into its job (origin: estimated), or no time. In the vendor's columns it shows\n"
        "the wait for its job, as the vendor's tools do.\n"
        "\n"
        "The vendor's column sets use the vendor's names and units but correct times: in\n"
        "torq-a0 and torq-a0-manual a job lasts from its own start to its end, while\n"
        "the vendor's first tool started it at the end of the previous job. A host\n"
        "program has one row for its start and one for its wait (torq-a3,\n"
        "torq-a3-manual), or a single row (torq-a1, torq-a2).\n"
        "\n"
        "Rows without a match are kept with what is known of them and counted by reason\n"
        "on standard error; the exit status is then 3, as it is for damaged debug\n"
        "information and for source files that are there and cannot be read. A warning is\n"
        "printed when the debug information seems to come from another build.",
    .examples = "# which operator took how long, for a spreadsheet\n"
                "tacho annotate model.9.executable-targets.mlir runtime.csv -o annotated.xlsx\n"
                "# the columns of the vendor's manual\n"
                "tacho annotate debug/ runtime.csv --columns torq-a3-manual -o annotated.csv\n"
                "# a trace for ui.perfetto.dev, and how busy the engines were\n"
                "tacho annotate debug/ runtime.csv -o annotated.pb\n"
                "tacho overview annotated.pb\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = annotate_command_run,
};
