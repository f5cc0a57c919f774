/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of decoding raw stats to files.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "vendors/qaic/opstats.h"
#include "sinks/chrome_json.h"

#include <tacho/analyse.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static void take_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    (void)hint; /* the words for it are the caller's */
    const tacho_opstats_write_options *options = self;
    tacho_entry_note(options->note, options->user, kind, text);
}

static tacho_status take_formats(const tacho_opstats_write_options *options,
                                 tacho_opstats_request *request)
{
    request->trace_sink = &tacho_sink_chrome_json;
    if (options->trace_format != NULL) {
        TACHO_TRY(tacho_view_sink(options->trace_format, "", &request->trace_sink));
    }
    if (options->table_format != NULL) {
        request->table_sink = tacho_table_sink_find(tacho_str_from_cstring(options->table_format));
        if (request->table_sink == NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "unknown table format '%s'; use csv, json or xlsx",
                              options->table_format);
        }
    }
    return TACHO_OK;
}

static tacho_status check(const tacho_opstats_write_options *options)
{
    TACHO_TRY(tacho_view_check_reserved(options->reserved, COUNT_OF(options->reserved)));
    if (!options->has_summaries && !options->has_traces) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "nothing to write; ask for summaries, for traces, or for both");
    }
    if (options->host_trace != NULL && !options->has_traces) {
        return tacho_fail(TACHO_CODE_USAGE, "the host's trace is shown in traces; ask for them");
    }
    if ((options->cores == NULL && options->core_count > 0) ||
        (options->devices == NULL && options->device_count > 0)) {
        return tacho_fail(TACHO_CODE_USAGE, "a list of cores or devices is NULL");
    }
    return TACHO_OK;
}

tacho_status tacho_opstats_write(const char *program, const char *stats, const char *folder,
                                 const tacho_opstats_write_options *options,
                                 uint64_t *out_problem_count)
{
    uint64_t problem_count = 0;
    if (program == NULL || stats == NULL || folder == NULL || options == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no %s given (NULL)",
                          program == NULL  ? "program"
                          : stats == NULL  ? "raw stats"
                          : folder == NULL ? "output directory"
                                           : "options");
    }
    TACHO_TRY(check(options));
    const tacho_notes notes = {take_note, (void *)(uintptr_t)options};
    tacho_opstats_request request = {
        .program_path = program,
        .input_path = stats,
        .output_folder = folder,
        .host_path = options->host_trace,
        .wants_summary = options->has_summaries,
        .wants_trace = options->has_traces,
        .merges_devices = !options->splits_devices,
        .view = {.has_vendor_words = true,
                 .splits_groups = options->splits_groups,
                 .shows_barriers = options->has_barriers,
                 .shows_flows = options->has_flows,
                 .cores = {options->cores, options->core_count},
                 .devices = {options->devices, options->device_count}},
        .notes = options->note != NULL ? &notes : NULL,
    };
    TACHO_TRY(take_formats(options, &request));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_opstats_run(&request, &problem_count);
    tacho_entry_end(entry);
    if (out_problem_count != NULL) {
        *out_problem_count = problem_count;
    }
    return status;
}
