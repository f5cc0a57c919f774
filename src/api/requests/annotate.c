/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho annotate: a runtime profile, and what the compiler says about its program.
 */
#include "api/requests/registry.h"
#include "api/view_files.h"
#include "base/grow.h"
#include "api/requests/annotate_run.h"
#include "api/requests/outputs.h"
#include "api/requests/inputs.h"
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

static bool choose_columns(tacho_request *given, tacho_annotate_job *job)
{
    const char *name = tacho_request_value(given, "columns");
    if (name == NULL) {
        return true;
    }
    if (job->outputs[0].table_sink == NULL) {
        tacho_request_misuse(given, "{columns} applies to tables, but '%s' is a trace",
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
        tacho_request_misuse(given, "{columns}: unknown set '%s'; use one of %s", name, names);
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
static int choose_inputs(tacho_request *given, tacho_input_set *inputs, tacho_annotate_job *job)
{
    if (given->word_count < 2) {
        return tacho_request_misuse(
            given, "expected the debug information and at least one runtime profile");
    }
    job->request.debug_path = given->words[0];
    const tacho_request_inputs_options how = {.first_word = 1,
                                              .set = {.output_path = job->outputs[0].path,
                                                      .is_whole = tacho_is_debug_info,
                                                      .keeps_empty = true,
                                                      .accepted = tacho_view_runtime_sources}};
    return tacho_request_inputs_open(inputs, given, &how, &job->request.intake);
}

static void collect_dirs(tacho_request *given, const char **dirs, tacho_annotate_request *request)
{
    for (size_t i = 0; i < given->item_count; i++) {
        const tacho_given_item *item = &given->items[i];
        if (item->option != NULL && strcmp(item->option->name, "source-dir") == 0) {
            dirs[request->source_dir_count++] = item->value;
        }
    }
    request->source_dirs = dirs;
}

static int annotate_with(tacho_request *given, tacho_input_set *inputs, const char **dirs)
{
    tacho_annotate_job job = {
        .request = {.is_strict = tacho_request_has(given, "strict")},
        .output_count = 1,
        .is_quiet = given->is_quiet,
        .is_verbose = given->is_verbose,
        .says_all = given->is_verbose,
    };
    const char *output = tacho_request_value(given, "output");
    collect_dirs(given, dirs, &job.request);
    if (!tacho_annotate_choose_output(given, output != NULL ? output : given->listener.output,
                                      tacho_request_format(given), &job.outputs[0]) ||
        !choose_columns(given, &job)) {
        return TACHO_OUTCOME_USAGE;
    }
    int outcome = choose_inputs(given, inputs, &job);
    job.request.needs_no_ops = needs_no_ops(&job);
    return outcome == TACHO_OUTCOME_DONE ? tacho_annotate_run(given, &job) : outcome;
}

static int annotate_command_run(tacho_request *given)
{
    const char **dirs = tacho_items_alloc(given->item_count, sizeof(*dirs));
    tacho_input_set inputs = {.inputs = NULL};
    int outcome = dirs != NULL ? annotate_with(given, &inputs, dirs)
                               : tacho_request_fail(given, tacho_no_memory());
    tacho_input_set_close(&inputs);
    free(dirs);
    return outcome;
}

const tacho_request_type tacho_request_type_annotate = {
    .name = "annotate",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = annotate_command_run,
};
