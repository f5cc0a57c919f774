/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of the library as a program: writes their tables as JSON, to be compared with what the
 * command line prints. It uses the public headers only.
 *
 *     verbs overview|ops|info FILE      verbs machines
 *     verbs annotate DEBUG FILE         verbs machine NAME
 *     verbs compile MODEL MACHINE       verbs run MODEL DEVICE
 */
#include <tacho/tacho.h>

#include <stdio.h>
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
    tacho_runner *runner = NULL;
    tacho_status status = tacho_runner_open(model, &options, &runner);
    if (status == TACHO_OK) {
        status = tacho_runner_go(runner, NULL);
    }
    if (status == TACHO_OK) {
        status = tacho_runner_tables(runner, out_tables);
    }
    tacho_runner_close(runner);
    return status;
}

static tacho_status make_tables(char **words, tacho_tables **out_tables)
{
    const char *verb = words[0];
    const char *const paths[] = {words[1]};
    if (strcmp(verb, "overview") == 0) {
        return tacho_analyse_overview(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "ops") == 0) {
        return tacho_analyse_ops(paths, 1, NULL, out_tables);
    }
    if (strcmp(verb, "info") == 0) {
        return tacho_analyse_info(paths, 1, NULL, out_tables);
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
    tacho_status status = make_tables(argv + 1, &tables);
    if (status == TACHO_OK) {
        status = tacho_tables_write(tables, "-", "json");
    }
    if (status != TACHO_OK) {
        fprintf(stderr, "%s\n", tacho_status_message(status));
        tacho_status_free(status);
    }
    tacho_tables_free(tables);
    return status == TACHO_OK ? 0 : 1;
}
