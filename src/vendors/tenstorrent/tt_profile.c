/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of what programs reported to the collector, else of what tt-metal reported through
 * Tracy.
 */
#include "vendors/tenstorrent/tt_profile.h"

#include "base/folder.h"
#include "sinks/tracy.h"
#include "vendors/tenstorrent/tt_capture.h"
#include "vendors/tenstorrent/tt_tracy.h"

#include <inttypes.h>
#include <time.h>

/* The table of what tt-metal told through Tracy, where it did. */
static tacho_status write_table_of_tracy(const tacho_tt_profile *self,
                                            const tacho_profile_report *report,
                                            uint64_t *out_row_count)
{
    const tacho_tt_tracy_request request = {.capture_path = report->capture_path,
                                            .output_path = self->path,
                                            .notes = report->notes};
    for (size_t i = 0; i < report->result->way_count; i++) {
        const tacho_way_counts *way = &report->result->ways[i];
        if (strcmp(way->name, "Tracy") == 0 && way->programs > 0) {
            return tacho_tt_tracy_run(&request, out_row_count);
        }
    }
    return TACHO_OK;
}

static void say_kept(const tacho_tt_profile *self, const tacho_notes *notes, time_t since)
{
    char moment[32] = "an unknown date";
    struct tm parts;
    if (gmtime_r(&since, &parts) != NULL) {
        strftime(moment, sizeof(moment), "%Y-%m-%d %H:%M:%S UTC", &parts);
    }
    tacho_note(notes, "warning",
               "%s: no operators were reported; the file still holds the report of an earlier run, "
               "of %s",
               self->path, moment);
}

/* A Tracy capture beside the table; without it the table is still good. */
static void write_tracy_capture(const char *path, const tacho_profile_report *report)
{
    tacho_status status = tacho_folder_ensure_above(path);
    if (status == TACHO_OK) {
        status = tacho_profile_report_write_trace(report, &tacho_sink_tracy, path);
    }
    if (status != TACHO_OK) {
        tacho_note(report->notes, "warning", "no Tracy capture: %s", tacho_status_message(status));
        tacho_status_free(status);
    } else if (!report->is_quiet) {
        tacho_note(report->notes, "wrote", "%s, for Tracy's profiler", path);
    }
}

tacho_status tacho_tt_profile_write(const void *maker, const tacho_profile_report *report)
{
    const tacho_tt_profile *self = maker;
    const tacho_tt_capture_request request = {
        .capture_path = report->capture_path,
        .output_path = self->path,
        .has_all_columns = self->has_all_columns,
    };
    tacho_tt_capture_result result;
    TACHO_TRY(tacho_tt_capture_run(&request, &result));
    if (result.row_count == 0) {
        TACHO_TRY(write_table_of_tracy(self, report, &result.row_count));
    }
    if (result.row_count > 0 && self->tracy_path != NULL) {
        write_tracy_capture(self->tracy_path, report);
    }
    if (result.row_count == 0 && result.is_kept) {
        say_kept(self, report->notes, result.kept_since);
    } else if (result.row_count == 0) {
        tacho_note(report->notes, "warning",
                   "%s: no operators were reported; the table has columns and no rows",
                   self->path);
    } else if (!report->is_quiet) {
        tacho_note(report->notes, "wrote",
                   "%s: %" PRIu64 " operator%s, %" PRIu64 " with times of a device",
                   self->path, result.row_count, result.row_count == 1 ? "" : "s",
                   result.timed_count);
    }
    return TACHO_OK;
}
