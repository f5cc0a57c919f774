/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tenstorrent's device log, profile_log_device.csv, of every release: markers of all processors
 * of all cores, in cycles.
 */
#include "sources/tenstorrent/log.h"

#include "sources/tenstorrent/log_emit.h"

#include <inttypes.h>

static tacho_probe_verdict log_probe(tacho_str head)
{
    return tt_log_probe(head) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

static tacho_status finish(tt_log_emit *emit, const tt_log *log)
{
    if (tacho_input_damage(log->input) != NULL) {
        tacho_loss loss = {0, TACHO_LOSS_CUT_INPUT, 1, log->input->line_number, 0};
        uint32_t last = (uint32_t)emit->chips.item_count - 1;
        TACHO_TRY(tt_chips_lose(&emit->chips, emit->chips.item_count == 0 ? TACHO_NONE : last,
                                &loss, TACHO_STR("")));
    }
    if (emit->row_count == 0) {
        enum { HEADER_LINES = 2 };
        return log->input->line_number > HEADER_LINES
                   ? tacho_fail(TACHO_CODE_BAD_DATA,
                                "%s:3: none of the %" PRIu64 " lines behind the header is a row; "
                                "expected a field for each of its columns",
                                log->input->name, log->input->line_number - HEADER_LINES)
                   : tacho_fail(TACHO_CODE_BAD_DATA, "%s: the device log has no rows",
                                log->input->name);
    }
    return tt_log_emit_finish(emit);
}

static tacho_status log_read(const tacho_reading *reading)
{
    tt_log log;
    tt_log_emit emit;
    tt_log_target target = {
        .reading = reading, .header = &log.header, .has_markers = true, .is_file = true};
    TACHO_TRY(tt_log_open(&log, reading->input));
    tacho_status status = tt_log_emit_init(&emit, &target);
    if (status == TACHO_OK) {
        status = tt_log_emit_read(&emit, &log);
    }
    if (status == TACHO_OK) {
        status = finish(&emit, &log);
    }
    tt_log_emit_deinit(&emit);
    return status;
}

const tacho_source tacho_source_tenstorrent_log = {
    .name = "tenstorrent-log",
    .title = "Tenstorrent device log (profile_log_device.csv): measured cycles",
    .probe = log_probe,
    .read = log_read,
};
