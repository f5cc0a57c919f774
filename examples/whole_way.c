/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model's whole way: compiled, run, annotated, read as columns, written to a page; all through
 * the public headers. Files go to FOLDER, which exists.
 *
 *   whole_way MODEL FOLDER
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacho/tacho.h>

enum { PATH_BYTES = 4096 };

/* Files on the way. */
typedef struct files {
    const char *model;
    char debug_info[PATH_BYTES], runtime[PATH_BYTES], capture[PATH_BYTES], page[PATH_BYTES];
} files;

static tacho_status compile(const files *at)
{
    tacho_compiled *compiled = NULL;
    tacho_tables *tables = NULL;
    tacho_table_view operators = {.row_count = 0};
    tacho_status status = tacho_compiled_open(at->model, NULL, &compiled);
    if (status == TACHO_OK) {
        status = tacho_compiled_write_dumps(compiled, TACHO_DUMPS_DISPATCHES, at->debug_info);
    }
    if (status == TACHO_OK) {
        status = tacho_compiled_tables(compiled, &tables);
    }
    if (status == TACHO_OK) {
        tacho_tables_get(tables, tacho_tables_find(tables, "operators"), &operators);
        printf("compiled: %zu operators\n", operators.row_count);
    }
    tacho_tables_free(tables);
    tacho_compiled_close(compiled);
    return status;
}

static void print_inference(void *user, const tacho_inference *inference)
{
    (void)user;
    printf("inference %" PRIu64 ": %" PRId64 " cycles%s\n", inference->number, inference->cycles,
           inference->is_recorded ? ", recorded" : "");
}

static tacho_status run(const files *at)
{
    const tacho_runner_plan plan = {
        .inference_count = 3, .recorded_count = 2, .result = print_inference};
    tacho_runner *runner = NULL;
    tacho_status status = tacho_runner_open(at->model, NULL, &runner);
    if (status == TACHO_OK) {
        status = tacho_runner_go(runner, &plan);
    }
    if (status == TACHO_OK) {
        status = tacho_runner_write_profile(runner, at->capture, NULL);
    }
    if (status == TACHO_OK) {
        status = tacho_runner_write_profile(runner, at->runtime, "r2");
    }
    tacho_runner_close(runner);
    return status;
}

static tacho_status annotate(const files *at)
{
    const char *const paths[] = {at->runtime};
    tacho_tables *tables = NULL;
    tacho_table_view rows = {.row_count = 0};
    tacho_table_view problems = {.row_count = 0};
    tacho_status status = tacho_analyse_annotate(at->debug_info, paths, 1, NULL, &tables);
    if (status == TACHO_OK) {
        tacho_tables_get(tables, tacho_tables_find(tables, "annotation"), &rows);
        tacho_tables_get(tables, tacho_tables_find(tables, "problems"), &problems);
        printf("annotated: %zu rows, %zu problems\n", rows.row_count, problems.row_count);
    }
    tacho_tables_free(tables);
    return status;
}

/* The longest span, found in columns. */
static void print_longest(const tacho_view *view, const int64_t *starts, const int64_t *ends,
                          const uint32_t *names)
{
    uint64_t count = tacho_view_count(view).span_count;
    uint64_t longest = 0;
    for (uint64_t i = 1; i < count; i++) {
        longest = ends[i] - starts[i] > ends[longest] - starts[longest] ? i : longest;
    }
    if (count > 0) {
        printf("%" PRIu64 " spans, the longest is %s: %" PRId64 " ns\n", count,
               tacho_view_string(view, names[longest]), ends[longest] - starts[longest]);
    }
}

static tacho_status read_columns(const files *at)
{
    const char *const paths[] = {at->capture};
    const tacho_view_options options = {.min_duration_ns = 100};
    tacho_view *view = NULL;
    tacho_status status = tacho_view_open(paths, 1, &options, &view);
    if (status != TACHO_OK) {
        return status;
    }
    uint64_t count = tacho_view_count(view).span_count;
    int64_t *starts = calloc(count + 1, sizeof(*starts));
    int64_t *ends = calloc(count + 1, sizeof(*ends));
    uint32_t *names = calloc(count + 1, sizeof(*names));
    const tacho_span_columns columns = {.start_ns = starts, .end_ns = ends, .name = names};
    if (starts != NULL && ends != NULL && names != NULL) {
        tacho_view_read_spans(view, 0, count, &columns);
        print_longest(view, starts, ends, names);
    }
    free(starts);
    free(ends);
    free(names);
    tacho_view_close(view);
    return TACHO_OK;
}

static tacho_status report(const files *at)
{
    const char *const paths[] = {at->capture, at->runtime};
    tacho_report_result result;
    tacho_status status = tacho_report_write(paths, 2, at->page, NULL, &result);
    if (status == TACHO_OK) {
        printf("page: %" PRIu64 " profiles, %" PRIu64 " left out\n", result.read_count,
               result.skipped_count);
    }
    return status;
}

int main(int argc, char **argv)
{
    static tacho_status (*const steps[])(const files *) = {compile, run, annotate, read_columns,
                                                           report};
    static files at;
    if (argc != 3) {
        fprintf(stderr, "usage: whole_way MODEL FOLDER\n");
        return 2;
    }
    at.model = argv[1];
    snprintf(at.debug_info, sizeof(at.debug_info), "%s/debug", argv[2]);
    snprintf(at.runtime, sizeof(at.runtime), "%s/runtime.csv", argv[2]);
    snprintf(at.capture, sizeof(at.capture), "%s/run.tacho", argv[2]);
    snprintf(at.page, sizeof(at.page), "%s/run.html", argv[2]);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; status == TACHO_OK && i < sizeof(steps) / sizeof(steps[0]); i++) {
        status = steps[i](&at);
    }
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
    }
    int exit_code = status == TACHO_OK ? 0 : 1;
    tacho_status_free(status);
    return exit_code;
}
