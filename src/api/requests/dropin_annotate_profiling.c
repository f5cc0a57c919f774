/* SPDX-License-Identifier: Apache-2.0 */
/*
 * annotate_profiling.py: the Torq tool that joins a runtime profile with the compiler's output,
 * with its flags of all generations. Which columns a table has follows from the input, as it did
 * with the versions of the tool that read it.
 */
#include "api/requests/registry.h"
#include "api/view_files.h"
#include "api/requests/annotate_run.h"
#include "api/requests/request.h"
#include "sinks/perfetto.h"
#include "sinks/xlsx.h"

#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_OPT_FLAG(
        "host_profiling", 0,
        "write the columns of the vendor's tool that had this option: torq-a1, or torq-a2 with "
        "{original_mlir_file} or {perfetto_file}; no effect on profiles of jobs only"),
    TACHO_OPT_VALUE("original_mlir_file", 0, "MLIR",
                    "the model, if the debug information names other paths"),
    TACHO_OPT_VALUE("perfetto_file", 0, "PB", "also write a Perfetto trace"),
    TACHO_OPT_FLAG("debug", 0, "show all problems and notes, not only the first few"),
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

typedef struct dropin_job {
    tacho_annotate_job job; /* first */
    bool is_second_tool;    /* --host_profiling was given */
    bool is_third_tool;     /* and so was --original_mlir_file or --perfetto_file */
} dropin_job;

static const tacho_annotation_set *choose_set(const tacho_annotate_job *job, const tacho_dict *dict,
                                              const tacho_table_sink *sink)
{
    const dropin_job *self = (const dropin_job *)(const void *)job;
    tacho_str generation = tacho_dict_string(dict, dict->parts[0].generation);
    const char *name = "torq-a3";
    if (tacho_str_starts_with(generation, TACHO_STR("R0"))) {
        name = sink == &tacho_table_sink_xlsx ? "torq-a0-manual" : "torq-a0";
    } else if (self->is_second_tool) {
        name = self->is_third_tool ? "torq-a2" : "torq-a1";
    } else if (tacho_str_starts_with(generation, TACHO_STR("R1"))) {
        name = "torq-a3-manual";
    }
    return tacho_annotation_set_find(tacho_str_from_cstring(name));
}

/* Adds the trace that --perfetto_file asks for. */
static bool add_trace(tacho_request *given, tacho_annotate_job *job)
{
    const char *path = tacho_request_value(given, "perfetto_file");
    if (path == NULL) {
        return true;
    }
    if (strcmp(path, job->outputs[0].path) == 0) {
        tacho_request_misuse(given, "'%s' cannot be both the table and the trace", path);
        return false;
    }
    job->outputs[job->output_count++] =
        (tacho_annotate_output){.path = path, .trace_sink = &tacho_sink_perfetto};
    return true;
}

static int annotate_words(tacho_request *given, const char **words, const char **source_dir)
{
    tacho_intake_input input = {.path = words[1], .accepted = tacho_view_runtime_sources};
    dropin_job self = {
        .job =
            {
                .request =
                    {
                        .debug_path = words[0],
                        .intake = {.inputs = &input, .input_count = 1},
                        .source_dirs = source_dir,
                        .source_dir_count = *source_dir != NULL ? 1 : 0,
                    },
                .output_count = 1,
                .choose_set = choose_set,
                .is_quiet = given->is_quiet,
                .says_all = tacho_request_has(given, "debug"),
            },
        .is_second_tool = tacho_request_has(given, "host_profiling"),
        .is_third_tool = tacho_request_has(given, "original_mlir_file") ||
                         tacho_request_has(given, "perfetto_file"),
    };
    if (!tacho_annotate_choose_output(given, words[2], NULL, &self.job.outputs[0]) ||
        !add_trace(given, &self.job)) {
        return TACHO_OUTCOME_USAGE;
    }
    return tacho_annotate_run(given, &self.job);
}

/* The folder of |path|, to be freed; NULL without memory. */
static char *folder_of(const char *path)
{
    size_t len = strlen(path) - tacho_str_basename(tacho_str_from_cstring(path)).len;
    char *folder = malloc(len + 2);
    if (folder != NULL) {
        memcpy(folder, path, len);
        memcpy(folder + len, ".", 2); /* "a/b/." and "." */
    }
    return folder;
}

static int annotate_profiling_run(tacho_request *given)
{
    const char *model = tacho_request_value(given, "original_mlir_file");
    char *folder = model != NULL ? folder_of(model) : NULL;
    const char *source_dir = folder;
    int outcome = TACHO_OUTCOME_FAILED;
    if (model != NULL && folder == NULL) {
        outcome = tacho_request_fail(given, tacho_no_memory());
    } else if (given->word_count != 3) {
        outcome =
            tacho_request_misuse(given, "expected three files: the debug information (a phase "
                                        "dump or directory), the runtime profile, and the output");
    } else {
        outcome = annotate_words(given, given->words, &source_dir);
    }
    free(folder);
    return outcome;
}

const tacho_request_type tacho_request_type_annotate_profiling = {
    .name = "annotate_profiling.py",
    .is_dropin = true,
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = annotate_profiling_run,
};
