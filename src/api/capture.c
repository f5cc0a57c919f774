/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of captures.
 */
#include "api/entry.h"
#include "api/view_files.h"
#include "session/capture_helper.h"
#include "session/capture_run.h"
#include "sinks/tacho.h"

#include <stdlib.h>
#include <string.h>
#include <tacho/capture.h>
#include <tacho/convert.h>
#include <unistd.h>

static bool tell(void *user, const tacho_capturing_live *live)
{
    const tacho_capture_options *options = user;
    const tacho_capture_live shown = {.elapsed_ns = live->elapsed_ns,
                                      .process_count = live->process_count,
                                      .event_count = live->event_count,
                                      .dropped_count = live->dropped_count};
    return options->progress(options->user, &shown);
}

static tacho_status convert_capture(const char *partial, const char *path)
{
    const char *const paths[] = {partial};
    return tacho_convert(paths, 1, path, NULL, NULL);
}

/* Whether a capture may be put at |path|: its suffix says what it is to be. */
static tacho_status check_path(const char *path, const tacho_trace_sink **out_sink)
{
    TACHO_TRY(tacho_view_sink(NULL, path, out_sink));
    return strcmp(path, "-") != 0
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "standard output belongs to the program");
}

static tacho_status capture(const char *const *words, const char *path,
                            const tacho_capture_options *options, tacho_capturing_end *out_end)
{
    const tacho_trace_sink *sink = NULL;
    char *partial = NULL;
    TACHO_TRY(check_path(path, &sink));
    TACHO_TRY(tacho_profiling_name_capture(path, &partial));
    const tacho_capturing request = {
        .words = words,
        .timeout_ns = options->timeout_ns,
        .omits_tracy = options->omits_tracy,
        .stats_level = options->stats_level > 0 ? options->stats_level : TACHO_PROFILE_LEVEL,
        .port = options->port == 0  ? -1
                : options->port < 0 ? 0
                                    : options->port,
        .path = partial,
        .live = options->progress != NULL ? tell : NULL,
        .user = (void *)(uintptr_t)options,
    };
    tacho_status status = tacho_capturing_run(&request, out_end);
    if (status == TACHO_OK) {
        status = sink == &tacho_sink_tacho ? tacho_profiling_put_in_place(partial, path)
                                           : convert_capture(partial, path);
    }
    unlink(partial);
    free(partial);
    return status;
}

tacho_status tacho_capture_run(const char *const *words, const char *path,
                               const tacho_capture_options *options,
                               tacho_capture_result *out_result)
{
    const tacho_capture_options defaults = {.timeout_ns = 0};
    const tacho_capture_options *chosen = options != NULL ? options : &defaults;
    tacho_capturing_end end = {.exit_status = 0};
    TACHO_TRY(tacho_view_check_reserved(chosen->reserved,
                                        sizeof(chosen->reserved) / sizeof(chosen->reserved[0])));
    if (words == NULL || words[0] == NULL || path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "%s",
                          path == NULL ? "no output file given (NULL)" : "no program given (NULL)");
    }
    if (chosen->timeout_ns < 0) {
        return tacho_fail(TACHO_CODE_USAGE, "the timeout is negative");
    }
    if (chosen->stats_level > TACHO_PROFILE_LEVEL_MAX || chosen->port < -1 ||
        chosen->port > UINT16_MAX) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "stats levels are at most 100, ports from 1 to 65535, or -1");
    }
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = capture(words, path, chosen, &end);
    tacho_entry_end(entry);
    if (out_result != NULL) {
        *out_result = (tacho_capture_result){.exit_status = end.exit_status,
                                             .is_signalled = end.is_signalled,
                                             .is_timed_out = end.is_timed_out,
                                             .elapsed_ns = end.elapsed_ns,
                                             .cpu_ns = end.cpu_ns,
                                             .process_count = end.process_count,
                                             .event_count = end.event_count,
                                             .dropped_count = end.dropped_count};
    }
    return status;
}
