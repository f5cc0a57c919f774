/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho compile --sweep: a table of sizes in place of a table of operators.
 */
#include "api/requests/compile_options.h"

#include "api/requests/file_kind.h"
#include "api/requests/outputs.h"
#include "api/requests/request.h"
#include "session/sweep.h"
#include "sinks/sweep_page.h"

static tacho_status add_sweep(void *self, tacho_table_report *report)
{
    const tacho_table_taker taker = {tacho_table_report_take, report};
    return tacho_sweep_run(self, &taker);
}

static tacho_status choose_axes(tacho_request *given, tacho_sweep_axes *axes)
{
    size_t at = 0;
    for (const char *text; (text = tacho_request_next(given, "sweep", &at)) != NULL;) {
        TACHO_TRY(tacho_sweep_axes_add(axes, text));
    }
    return TACHO_OK;
}

int tacho_compile_sweep_chosen(tacho_request *given, tacho_compile_choice *choice)
{
    static const char *const others[] = {
        "profile",        "input", "batch",        "sort",
        "filter",         "top",   "perf-metrics", "dump-compilation-phases-to",
        "torq-debug-info"};
    tacho_compile_request *request = &choice->request;
    tacho_sweep_axes axes = {.count = 0};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (tacho_request_has(given, others[i])) {
            return tacho_request_misuse(given,
                                        "{%s} cannot be combined with {sweep}, which estimates "
                                        "many sizes",
                                        others[i]);
        }
    }
    int outcome = tacho_request_check(given, "sweep", choose_axes(given, &axes));
    const char *output = choice->output != NULL ? choice->output : given->listener.output;
    const tacho_table_sink *sink =
        outcome == TACHO_OUTCOME_DONE
            ? tacho_request_table_sink_or(given, output, &tacho_table_sink_sweep_page)
            : NULL;
    if (sink == NULL) {
        return outcome == TACHO_OUTCOME_DONE ? TACHO_OUTCOME_USAGE : outcome;
    }
    outcome = tacho_compile_choose(given, choice);
    if (outcome != TACHO_OUTCOME_DONE) {
        return outcome;
    }
    tacho_sweep_request sweep = {
        request->model_path, &request->model, request->machine,
        &request->compile,   &axes,           request->is_quiet ? NULL : &given->notes};
    const tacho_table_target to = tacho_request_target(given, sink, output);
    tacho_status status = tacho_table_report_write(&to, add_sweep, &sweep);
    return status == TACHO_OK
               ? TACHO_OUTCOME_DONE
               : tacho_request_fail(given,
                                    tacho_request_note_no_model(given, status, sweep.model_path));
}
