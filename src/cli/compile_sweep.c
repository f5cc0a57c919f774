/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile --sweep: a table of sizes in place of a table of operators.
 */
#include "cli/compile_options.h"

#include "cli/file_kind.h"
#include "cli/outputs.h"
#include "cli/talk.h"
#include "session/sweep.h"
#include "sinks/sweep_page.h"

static tacho_status add_sweep(void *self, tacho_table_report *report)
{
    const tacho_table_taker taker = {tacho_table_report_take, report};
    return tacho_sweep_run(self, &taker);
}

static tacho_status choose_axes(const tacho_arguments *arguments, tacho_sweep_axes *axes)
{
    size_t at = 0;
    for (const char *text; (text = tacho_arguments_next(arguments, "sweep", &at)) != NULL;) {
        TACHO_TRY(tacho_sweep_axes_add(axes, text));
    }
    return TACHO_OK;
}

int tacho_compile_sweep_chosen(const tacho_arguments *arguments, tacho_compile_choice *choice)
{
    static const char *const others[] = {"profile",
                                         "input",
                                         "batch",
                                         "sort",
                                         "filter",
                                         "top",
                                         "perf-metrics",
                                         "dump-compilation-phases-to",
                                         "torq-debug-info"};
    tacho_compile_request *request = &choice->request;
    tacho_sweep_axes axes = {.count = 0};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (tacho_arguments_has(arguments, others[i])) {
            return tacho_command_misuse(arguments->command,
                                        "--%s cannot be combined with --sweep, which estimates "
                                        "many sizes",
                                        others[i]);
        }
    }
    int exit_code = tacho_command_check(arguments->command, "sweep", choose_axes(arguments, &axes));
    const char *output = choice->output != NULL ? choice->output : "-";
    const tacho_table_sink *sink =
        exit_code == TACHO_EXIT_DONE
            ? tacho_cli_table_sink_or(arguments, output, &tacho_table_sink_sweep_page)
            : NULL;
    if (sink == NULL) {
        return exit_code == TACHO_EXIT_DONE ? TACHO_EXIT_USAGE : exit_code;
    }
    exit_code = tacho_compile_choose(arguments, choice);
    if (exit_code != TACHO_EXIT_DONE) {
        return exit_code;
    }
    tacho_sweep_request sweep = {
        request->model_path, &request->model, request->machine,
        &request->compile,   &axes,           request->is_quiet ? NULL : &tacho_talk_notes};
    tacho_status status = tacho_table_report_write(output, sink, add_sweep, &sweep);
    return status == TACHO_OK
               ? TACHO_EXIT_DONE
               : tacho_talk_failure(tacho_cli_note_no_model(status, sweep.model_path));
}
