/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Analyses of the library as a program: writes their tables as JSON, to be compared with what the
 * command line prints. It uses the public headers only.
 *
 *     verbs overview|ops|info FILE      verbs machines
 *     verbs annotate DEBUG FILE         verbs machine NAME
 */
#include <tacho/tacho.h>

#include <stdio.h>
#include <string.h>

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
