/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options, and what is said at the end.
 */
#include "api/requests/ops_join.h"

#include "api/requests/outputs.h"
#include "api/requests/ops_compat.h"
#include "api/requests/request.h"
#include "vendors/tenstorrent/tt_join.h"
#include "sinks/table_sink.h"

#include <inttypes.h>

/* Whether the name of the output asks for another format than CSV. */
static bool asks_for_other(const char *path)
{
    tacho_str name = tacho_str_basename(tacho_str_from_cstring(path));
    bool has_suffix = tacho_str_find_byte(name, '.') < name.len;
    return has_suffix && tacho_table_sink_find_for_path(name) != &tacho_table_sink_csv;
}

int tacho_ops_join_run(tacho_request *given)
{
    /* Options that a joined table has no use for. */
    static const char *const strays[] = {"by",         "sort",      "top",   "filter",
                                         "window",     "no-advice", "class", "from",
                                         "num-slices", "program",   NULL};
    const char *clock_mhz = tacho_request_value(given, "clock-mhz");
    const char *output = tacho_request_value(given, "output");
    tacho_tt_join_request request = {
        .paths = given->words,
        .path_count = given->word_count,
        .output_path = tacho_request_output(given, "output"),
        .clock_mhz = tacho_str_from_cstring(clock_mhz != NULL ? clock_mhz : ""),
        .is_quiet = given->is_quiet,
        .is_strict = tacho_request_has(given, "strict"),
        .notes = &given->notes,
    };
    tacho_tt_join_result result;
    if (given->word_count == 0) {
        return tacho_request_misuse(given,
                                    "{join}: no logs given; name the files, or the directory that "
                                    "holds them");
    }
    if (request.output_path == NULL) {
        return tacho_request_misuse(given,
                                    "{join} needs a file for the table; use {o|output} FILE");
    }
    const char *stray = tacho_request_find(given, strays);
    stray = stray != NULL ? stray : tacho_ops_compat_stray(given);
    if (stray != NULL) {
        return tacho_request_misuse(
            given, "{%s} does not go with {join}, which writes the vendor's CSV", stray);
    }
    const char *format = tacho_request_format(given);
    if (format != NULL && strcmp(format, "csv") != 0) {
        return tacho_request_misuse(given, "{join} writes the vendor's CSV, not the format '%s'",
                                    format);
    }
    if (asks_for_other(request.output_path)) {
        return tacho_request_misuse(given,
                                    "{join} writes the vendor's CSV; name the output with .csv, "
                                    "not '%s'",
                                    request.output_path);
    }
    tacho_status status = tacho_tt_join_run(&request, &result);
    if (status != TACHO_OK) {
        return tacho_request_fail(given, status);
    }
    if (result.assumed_mhz > 0) {
        tacho_request_note(given, "warning",
                           "the log does not say the rate of its cycles; %" PRIu64
                           " MHz is assumed ({clock-mhz} sets another)",
                           result.assumed_mhz);
    }
    if (output != NULL && !given->is_quiet) {
        tacho_request_note(given, "wrote", "%s: %" PRIu64 " row%s", output, result.row_count,
                           result.row_count == 1 ? "" : "s");
    }
    return result.loss_count > 0 ? TACHO_OUTCOME_LOSSY : TACHO_OUTCOME_DONE;
}
