/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho machine: which machines are known, what is known of them, is this description right?
 */
#include "base/utf8.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "session/find_machine.h"
#include "session/machine_file.h"
#include "session/machine_fit.h"
#include "session/machine_tables.h"

#include <stdio.h>
#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT_AND(TACHO_WRITES_MACHINE),
    TACHO_OPT_VALUE("from", 0, "TABLE",
                    "calibrate: fit numbers of MACHINE to the operators measured in TABLE, a CSV "
                    "file; OUT is the new description"),
    TACHO_OPT_VALUE(
        "fit", 0, "CONSTANTS",
        "calibrate: with --from, the numbers to fit, as 'show' names them, with commas "
        "between; those with a + between them change by the same factor (default: those "
        "that the description lists under 'fitted')"),
    TACHO_OPT_VALUE("folds", 0, "N",
                    "calibrate: with --from, parts that the shapes are split into; each part is "
                    "held out once, 2 to 20 (default: 5)"),
    TACHO_OPTIONS_COMMON,
};

typedef struct machine_request {
    const tacho_arguments *arguments;
    const char *output_path;
    const char *const *names; /* what follows the action, NULL after the last */
    size_t name_count;
} machine_request;

typedef tacho_status (*table_maker)(const machine_request *request, tacho_table *table);

/* ---- tables ------------------------------------------------------------------------------ */

static tacho_status make_list(const machine_request *request, tacho_table *table)
{
    bool is_quiet = tacho_arguments_has(request->arguments, "quiet");
    return tacho_machine_list_table(is_quiet ? NULL : &tacho_talk_notes, table);
}

static tacho_status make_show(const machine_request *request, tacho_table *table)
{
    return tacho_machine_show_table(request->names[0], &tacho_talk_notes, table);
}

/* ---- writing ----------------------------------------------------------------------------- */

static tacho_status add_table(void *table, tacho_table_report *report)
{
    return tacho_table_report_add(report, table);
}

static int run_table(const machine_request *request, table_maker make)
{
    const tacho_table_sink *sink = tacho_cli_table_sink(request->arguments, request->output_path);
    if (sink == NULL) {
        return TACHO_EXIT_USAGE;
    }
    tacho_table table;
    tacho_status status = make(request, &table);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(request->output_path, sink, add_table, &table);
    }
    tacho_table_deinit(&table);
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

static tacho_status say_good(const char *path, const tacho_machine *machine, tacho_arena *arena)
{
    tacho_str file;
    tacho_str name;
    TACHO_TRY(tacho_utf8_printable(tacho_str_from_cstring(path), arena, &file));
    TACHO_TRY(tacho_utf8_printable(machine->name, arena, &name));
    printf("%.*s: good: %.*s, %u cores\n", TACHO_STR_ARG(file), TACHO_STR_ARG(name),
           tacho_machine_cores(machine));
    return TACHO_OK;
}

static int run_check(const machine_request *request)
{
    int exit_code = TACHO_EXIT_DONE;
    bool is_quiet = tacho_arguments_has(request->arguments, "quiet");
    for (size_t i = 0; i < request->name_count; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        tacho_status status =
            tacho_session_find_machine(request->names[i], &tacho_talk_notes, &arena, &machine);
        if (status != TACHO_OK) {
            exit_code = tacho_talk_failure(status);
        } else if (!is_quiet) {
            status = say_good(request->names[i], machine, &arena);
            exit_code = status == TACHO_OK ? exit_code : tacho_talk_failure(status);
        }
        tacho_arena_deinit(&arena);
    }
    return exit_code;
}

/* ---- fitting ----------------------------------------------------------------------------- */

static tacho_status add_fit_tables(void *self, tacho_table_report *report)
{
    tacho_machine_fit_tables *tables = self;
    TACHO_TRY(tacho_table_report_add(report, &tables->constants));
    return tacho_table_report_add(report, &tables->errors);
}

/* The tables go to standard output, also when the numbers are refused: they show why. */
static int run_fit(const machine_request *request, const char *table_path)
{
    const tacho_arguments *arguments = request->arguments;
    const tacho_table_sink *sink = tacho_cli_table_sink(arguments, "-");
    const char *folds = tacho_arguments_value(arguments, "folds");
    uint64_t fold_count = TACHO_FIT_FOLDS_DEFAULT;
    if (sink == NULL) {
        return TACHO_EXIT_USAGE;
    }
    if (request->name_count != 1) {
        return tacho_command_misuse(arguments->command,
                                    "'calibrate --from' takes one machine or file");
    }
    if (folds != NULL && (!tacho_str_parse_u64(tacho_str_from_cstring(folds), &fold_count) ||
                          fold_count < 2 || fold_count > TACHO_FIT_FOLDS_MAX)) {
        return tacho_command_misuse(arguments->command, "invalid --folds '%s'; expected 2 to %d",
                                    folds, TACHO_FIT_FOLDS_MAX);
    }
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    tacho_machine_fit_request fit = {
        .machine = request->names[0],
        .table_path = table_path,
        .constants = tacho_arguments_value(arguments, "fit"),
        .folds = (uint32_t)fold_count,
        .out_path = tacho_arguments_value(arguments, "output"),
        .notes = is_quiet ? NULL : &tacho_talk_notes,
    };
    tacho_machine_fit_tables tables;
    tacho_status status = tacho_machine_fit(&fit, &tables);
    tacho_status shown = TACHO_OK;
    if (tacho_table_row_count(&tables.errors) > 0) {
        shown = tacho_table_report_write("-", sink, add_fit_tables, &tables);
    }
    tacho_machine_fit_deinit(&tables);
    status = tacho_status_first(status, shown);
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

static int end(tacho_status status)
{
    return status == TACHO_OK ? TACHO_EXIT_DONE : tacho_talk_failure(status);
}

/* ---- the verb ---------------------------------------------------------------------------- */

static int run_action(const machine_request *request, const char *action)
{
    const tacho_command *command = request->arguments->command;
    if (strcmp(action, "show") == 0) {
        if (request->name_count != 1) {
            return tacho_command_misuse(command, "'show' takes one machine or file");
        }
        return run_table(request, make_show);
    }
    if (strcmp(action, "export") == 0) {
        if (request->name_count != 1) {
            return tacho_command_misuse(command, "'export' takes one machine");
        }
        return end(
            tacho_machine_file_export(request->names[0], &tacho_talk_notes, request->output_path));
    }
    if (strcmp(action, "check") == 0) {
        if (request->name_count == 0) {
            return tacho_command_misuse(command, "'check' takes files or machine names");
        }
        return run_check(request);
    }
    bool is_list = strcmp(action, "list") == 0;
    if (!is_list && strcmp(action, "calibrate") != 0) {
        return tacho_command_misuse(
            command, "unknown action '%s'; use list, show, export, check or calibrate", action);
    }
    const char *table = tacho_arguments_value(request->arguments, "from");
    if (!is_list && table != NULL) {
        return run_fit(request, table);
    }
    if (request->name_count > 0) {
        return tacho_command_misuse(
            command, is_list ? "'%s' takes no machine" : "'%s' takes a machine only with --from",
            action);
    }
    return is_list ? run_table(request, make_list)
                   : end(tacho_machine_file_calibrate(request->output_path));
}

static int machine_command_run(const tacho_arguments *arguments)
{
    if (arguments->word_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no action given; use list, show, export, check or calibrate");
    }
    const char *path = tacho_arguments_value(arguments, "output");
    machine_request request = {
        .arguments = arguments,
        .output_path = path != NULL ? path : "-",
        .names = arguments->words + 1,
        .name_count = arguments->word_count - 1,
    };
    return run_action(&request, arguments->words[0]);
}

const tacho_command tacho_command_machine = {
    .name = "machine",
    .summary = "list, show, export, check and measure machines",
    .usage = "list | show NAME|FILE | export NAME | check FILE... | calibrate [MACHINE --from "
             "TABLE] [options]",
    .description =
        "A machine is a JSON description of cores, engines, memories and clocks; every\n"
        "number has a unit and cites its source. 'list' shows the built-in machines,\n"
        "'show' prints one in full, 'export' writes its description as a starting point\n"
        "for 'tacho compile -m', 'check' validates files and reports the line and key of\n"
        "each error, and 'calibrate' measures this computer (one or two seconds) and\n"
        "writes its description. 'calibrate MACHINE --from TABLE' fits numbers of a\n"
        "machine to operators that were measured on it: it shows them before and after,\n"
        "and how far estimates are off before, after, and on shapes that were held out.\n"
        "Numbers that the table does not determine are refused. -o writes the new\n"
        "description; nothing else is changed.\n"
        "\n"
        "The machine host-cpu is this computer. It is measured on first use, which takes\n"
        "about a second, and cached in $XDG_CACHE_HOME/tacho (default ~/.cache/tacho);\n"
        "'list' does not measure. Set TACHO_HOST_CPU to a description file to use that\n"
        "instead, or to 'built-in' for the reference computer's.\n"
        "\n"
        "'show template' lists every key that a description may have; docs/machines.md\n"
        "explains them.",
    .examples =
        "# which machines can be estimated\n"
        "tacho machine list\n"
        "# every number of one, with its source\n"
        "tacho machine show wormhole-n150\n"
        "# a machine like another, with other numbers\n"
        "tacho machine export aic100 -o mine.json\n"
        "# this computer as a machine\n"
        "tacho machine calibrate -o here.json\n"
        "tacho machine check here.json\n"
        "# a machine's numbers, fitted to what was measured on it\n"
        "tacho machine calibrate blackhole-p150 --from gemm.csv --fit launch_cycles -o new.json\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = machine_command_run,
};
