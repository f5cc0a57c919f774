/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of the library as a program: writes their tables as JSON, to be compared with what the
 * command line prints. It uses the public headers only.
 *
 *     verbs overview|breakdown|ops|info FILE      verbs machines
 *     verbs annotate DEBUG FILE         verbs machine NAME
 *     verbs compile MODEL MACHINE       verbs run MODEL DEVICE
 *     verbs diff A B                    verbs tt_report FILE
 *     verbs roofline FILE MACHINE
 *     verbs baseline FOLDER PROFILES    saves them as "b", and again
 *     verbs some FILE                   ops of a window, of some names
 *
 * These write a file:
 *
 *     verbs report OUT FILE             verbs join OUT FOLDER
 *     verbs part OUT FILE               verbs export OUT MACHINE
 *
 *     verbs opstats OUT PROGRAM STATS   summaries and traces in a directory
 *     verbs capture OUT LEVEL WORD...   what a program does
 */
#include <tacho/tacho.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tacho_status compile(const char *model, const char *machine, tacho_tables **out_tables)
{
    const tacho_compiled_options options = {.machine = machine, .is_estimate = true};
    tacho_compiled *compiled = NULL;
    tacho_status status = tacho_compiled_open(model, &options, &compiled);
    if (status == TACHO_OK) {
        status = tacho_compiled_tables(compiled, out_tables);
    }
    tacho_compiled_close(compiled);
    return status;
}

static tacho_status run(const char *model, const char *device, tacho_tables **out_tables)
{
    const tacho_runner_options options = {.device = device};
    const tacho_runner_plan plan = {.inference_count = 5, .recorded_count = 2, .delay_ms = 1};
    tacho_runner *runner = NULL;
    tacho_status status = tacho_runner_open(model, &options, &runner);
    if (status == TACHO_OK) {
        status = tacho_runner_go(runner, &plan);
    }
    if (status == TACHO_OK) {
        status = tacho_runner_tables(runner, out_tables);
    }
    tacho_runner_close(runner);
    return status;
}

/* Sets |*out_is_file| where the verb writes one. */
static tacho_status write_file(char **words, bool *out_is_file)
{
    const char *verb = words[0];
    const char *const paths[] = {words[1] != NULL ? words[2] : NULL};
    *out_is_file = true;
    if (strcmp(verb, "report") == 0) {
        const tacho_report_options options = {.title = "A <page>"};
        return tacho_report_write(paths, 1, words[1], &options, NULL);
    }
    if (strcmp(verb, "join") == 0) {
        return tacho_convert_to_op_table(paths, 1, words[1], NULL, NULL);
    }
    if (strcmp(verb, "part") == 0) {
        const tacho_convert_options options = {.to = "perfetto",
                                               .window_begin_ns = 1000,
                                               .min_duration_ns = 100,
                                               .filter = "/^[a-z]/"};
        return tacho_convert(paths, 1, words[1], &options, NULL);
    }
    if (strcmp(verb, "capture") == 0) {
        const tacho_capture_options options = {.stats_level =
                                                   (uint32_t)strtoul(words[2], NULL, 10)};
        return tacho_capture_run((const char *const *)&words[3], words[1], &options, NULL);
    }
    if (strcmp(verb, "opstats") == 0) {
        const tacho_opstats_write_options options = {
            .has_summaries = true, .has_traces = true, .table_format = "csv", .has_flows = true};
        return tacho_opstats_write(words[2], words[3], words[1], &options, NULL);
    }
    if (strcmp(verb, "export") == 0) {
        return tacho_machines_export(paths[0], words[1]);
    }
    *out_is_file = false;
    return TACHO_OK;
}

static tacho_status diff(const char *a, const char *b, tacho_tables **out_tables)
{
    const tacho_analyse_side sides[2] = {{&a, 1}, {&b, 1}};
    const tacho_analyse_diff_options options = {.by_type = true, .gate = "rel=3%,abs=20us"};
    tacho_analyse_diff_result result;
    tacho_status status = tacho_analyse_diff(sides, &options, &result, out_tables);
    if (status == TACHO_OK) {
        fprintf(stderr, "outcome %d, losses %d\n", (int)result.outcome, result.has_losses);
    }
    return status;
}

static tacho_status save(const char *folder, const char *profiles, tacho_tables **out_tables)
{
    const tacho_analyse_side side = {&profiles, 1};
    const tacho_baselines_options again = {.reason = "again", .replaces = true};
    tacho_status status = tacho_baselines_save(folder, "b", &side, NULL, NULL);
    if (status == TACHO_OK) {
        status = tacho_baselines_save(folder, "b", &side, &again, NULL);
    }
    return status == TACHO_OK ? tacho_baselines_list(folder, NULL, out_tables) : status;
}

static tacho_status make_tables(char **words, tacho_tables **out_tables)
{
    const char *verb = words[0];
    const char *const paths[] = {words[1]};
    if (strcmp(verb, "overview") == 0) {
        return tacho_analyse_overview(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "breakdown") == 0) {
        return tacho_analyse_breakdown(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "ops") == 0) {
        return tacho_analyse_ops(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "some") == 0) {
        const tacho_analyse_ops_options options = {
            .input = {.window_end_ns = 500000, .filter = "/[aeiou]/"}};
        return tacho_analyse_ops(paths, 1, &options, out_tables);
    }
    if (strcmp(verb, "info") == 0) {
        return tacho_analyse_info(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "diff") == 0) {
        return diff(words[1], words[2], out_tables);
    }
    if (strcmp(verb, "baseline") == 0) {
        return save(words[1], words[2], out_tables);
    }
    if (strcmp(verb, "tt_report") == 0) {
        const tacho_analyse_tt_report_options options = {.id_range = "2-", .group_by = "op"};
        return tacho_analyse_tt_report(paths, 1, &options, out_tables);
    }
    if (strcmp(verb, "roofline") == 0) {
        const tacho_analyse_roofline_options options = {.machine = words[2]};
        return tacho_analyse_roofline(paths, 1, &options, NULL, out_tables);
    }
    if (strcmp(verb, "annotate") == 0) {
        const char *const profiles[] = {words[2]};
        return tacho_analyse_annotate(words[1], profiles, 1, NULL, out_tables);
    }
    if (strcmp(verb, "compile") == 0) {
        return compile(words[1], words[2], out_tables);
    }
    if (strcmp(verb, "run") == 0) {
        return run(words[1], words[2], out_tables);
    }
    return strcmp(verb, "machine") == 0 ? tacho_machines_describe(words[1], out_tables)
                                        : tacho_machines_list(out_tables);
}

int main(int argc, char **argv)
{
    tacho_tables *tables = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: verbs VERB [FILE]...\n");
        return 2;
    }
    bool is_file = false;
    tacho_status status = write_file(argv + 1, &is_file);
    if (!is_file) {
        status = make_tables(argv + 1, &tables);
    }
    if (status == TACHO_OK && !is_file) {
        status = tacho_tables_write(tables, "-", "json");
    }
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
        tacho_status_free(status);
    }
    tacho_tables_free(tables);
    return status == TACHO_OK ? 0 : 1;
}
