/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho machine: which machines are known, what is known of them, is this description right?
 */
#include "api/requests/registry.h"
#include "api/requests/options.h"
#include "api/requests/listing.h"
#include "session/find_machine.h"
#include "session/machine_file.h"
#include "session/machine_fit.h"
#include "session/machine_tables.h"

#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT_AND(TACHO_WRITES_MACHINE),
    TACHO_OPT_VALUE("from", 0, "TABLE",
                    "calibrate: fit numbers of MACHINE to the operators measured in TABLE, a CSV "
                    "file; OUT is the new description"),
    TACHO_OPT_VALUE(
        "fit", 0, "CONSTANTS",
        "calibrate: with {from}, the numbers to fit, as 'show' names them, with commas "
        "between; those with a + between them change by the same factor (default: those "
        "that the description lists under 'fitted')"),
    TACHO_OPT_VALUE("folds", 0, "N",
                    "calibrate: with {from}, parts that the shapes are split into; each part is "
                    "held out once, 2 to 20 (default: 5)"),
    TACHO_OPTIONS_COMMON,
};

typedef struct machine_request {
    tacho_request *given;
    const char *output_path;
    const char *const *names; /* what follows the action, NULL after the last */
    size_t name_count;
} machine_request;

typedef tacho_status (*table_maker)(const machine_request *request, tacho_table *table);

/* ---- tables ------------------------------------------------------------------------------ */

static tacho_status make_list(const machine_request *request, tacho_table *table)
{
    tacho_request *given = request->given;
    return tacho_machine_list_table(given->remarks, table);
}

static tacho_status make_show(const machine_request *request, tacho_table *table)
{
    tacho_request *given = request->given;
    return tacho_machine_show_table(request->names[0], &given->notes, table);
}

/* ---- writing ----------------------------------------------------------------------------- */

static tacho_status add_table(void *table, tacho_table_report *report)
{
    return tacho_table_report_add(report, table);
}

static int run_table(const machine_request *request, table_maker make)
{
    tacho_request *given = request->given;
    const tacho_table_sink *sink = tacho_request_table_sink(request->given, request->output_path);
    if (sink == NULL) {
        return TACHO_OUTCOME_USAGE;
    }
    const tacho_table_target to = tacho_request_target(given, sink, request->output_path);
    tacho_table table;
    tacho_status status = make(request, &table);
    if (status == TACHO_OK) {
        status = tacho_table_report_write(&to, add_table, &table);
    }
    tacho_table_deinit(&table);
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

static int check_one(tacho_request *given, const char *name, tacho_arena *arena)
{
    tacho_machine *machine = NULL;
    tacho_status status = tacho_session_find_machine(name, &given->notes, arena, &machine);
    if (status != TACHO_OK) { /* the others are checked as well */
        bool is_usage = tacho_status_code(status) == TACHO_CODE_USAGE;
        tacho_request_note_status(given, "error", status);
        return is_usage ? TACHO_OUTCOME_USAGE : TACHO_OUTCOME_FAILED;
    }
    if (!given->is_quiet) {
        tacho_request_note(given, "answer", "%s: good: %.*s, %u cores", name,
                           TACHO_STR_ARG(machine->name), tacho_machine_cores(machine));
    }
    return TACHO_OUTCOME_DONE;
}

static int run_check(const machine_request *request)
{
    int outcome = TACHO_OUTCOME_DONE;
    for (size_t i = 0; i < request->name_count; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        int checked = check_one(request->given, request->names[i], &arena);
        outcome = checked != TACHO_OUTCOME_DONE ? checked : outcome;
        tacho_arena_deinit(&arena);
    }
    return outcome;
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
    tacho_request *given = request->given;
    const tacho_table_sink *sink = tacho_request_table_sink(given, given->listener.output);
    const char *folds = tacho_request_value(given, "folds");
    uint64_t fold_count = TACHO_FIT_FOLDS_DEFAULT;
    if (sink == NULL) {
        return TACHO_OUTCOME_USAGE;
    }
    if (request->name_count != 1) {
        return tacho_request_misuse(given, "'calibrate {from}' takes one machine or file");
    }
    if (folds != NULL && (!tacho_str_parse_u64(tacho_str_from_cstring(folds), &fold_count) ||
                          fold_count < 2 || fold_count > TACHO_FIT_FOLDS_MAX)) {
        return tacho_request_misuse(given, "invalid {folds} '%s'; expected 2 to %d", folds,
                                    TACHO_FIT_FOLDS_MAX);
    }
    tacho_machine_fit_request fit = {
        .machine = request->names[0],
        .table_path = table_path,
        .constants = tacho_request_value(given, "fit"),
        .folds = (uint32_t)fold_count,
        .out_path = tacho_request_value(given, "output"),
        .notes = given->remarks,
    };
    const tacho_table_target to = tacho_request_target(given, sink, given->listener.output);
    tacho_machine_fit_tables tables;
    tacho_status status = tacho_machine_fit(&fit, &tables);
    tacho_status shown = TACHO_OK;
    if (tacho_table_row_count(&tables.errors) > 0) {
        shown = tacho_table_report_write(&to, add_fit_tables, &tables);
    }
    tacho_machine_fit_deinit(&tables);
    status = tacho_status_first(status, shown);
    return status == TACHO_OK ? TACHO_OUTCOME_DONE : tacho_request_fail(given, status);
}

/* ---- the verb ---------------------------------------------------------------------------- */

static int run_action(const machine_request *request, const char *action)
{
    tacho_request *given = request->given;
    bool is_file = strcmp(action, "export") == 0 ||
                   (strcmp(action, "calibrate") == 0 && !tacho_request_has(given, "from"));
    if (is_file && request->output_path == NULL) {
        return tacho_request_misuse(given, "no output file given; use {o|output} OUT");
    }
    if (strcmp(action, "show") == 0) {
        if (request->name_count != 1) {
            return tacho_request_misuse(given, "'show' takes one machine or file");
        }
        return run_table(request, make_show);
    }
    if (strcmp(action, "export") == 0) {
        if (request->name_count != 1) {
            return tacho_request_misuse(given, "'export' takes one machine");
        }
        return tacho_request_end(given, tacho_machine_file_export(request->names[0], &given->notes,
                                                                  request->output_path));
    }
    if (strcmp(action, "check") == 0) {
        if (request->name_count == 0) {
            return tacho_request_misuse(given, "'check' takes files or machine names");
        }
        return run_check(request);
    }
    bool is_list = strcmp(action, "list") == 0;
    if (!is_list && strcmp(action, "calibrate") != 0) {
        return tacho_request_misuse(
            given, "unknown action '%s'; use list, show, export, check or calibrate", action);
    }
    const char *table = tacho_request_value(request->given, "from");
    if (!is_list && table != NULL) {
        return run_fit(request, table);
    }
    if (request->name_count > 0) {
        return tacho_request_misuse(
            given, is_list ? "'%s' takes no machine" : "'%s' takes a machine only with {from}",
            action);
    }
    return is_list ? run_table(request, make_list)
                   : tacho_request_end(given, tacho_machine_file_calibrate(request->output_path));
}

static int machine_command_run(tacho_request *given)
{
    if (given->word_count == 0) {
        return tacho_request_misuse(given,
                                    "no action given; use list, show, export, check or calibrate");
    }
    const char *path = tacho_request_output(given, "output");
    machine_request request = {
        .given = given,
        .output_path = path,
        .names = given->words + 1,
        .name_count = given->word_count - 1,
    };
    return run_action(&request, given->words[0]);
}

const tacho_request_type tacho_request_type_machine = {
    .name = "machine",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = machine_command_run,
};
