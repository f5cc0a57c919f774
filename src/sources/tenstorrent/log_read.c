/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs are appended to: header lines may be repeated between rows, and so may the runtime's notes
 * about dropped markers.
 */
#include "sources/tenstorrent/log_read.h"

#include <inttypes.h>
#include <string.h>

static tacho_str take_line(tacho_str *text)
{
    size_t len = tacho_str_find_byte(*text, '\n');
    tacho_str line = tacho_str_make(text->data, len);
    *text = tacho_str_from(*text, len < text->len ? len + 1 : len);
    return tacho_str_trim(line);
}

bool tt_log_probe(tacho_str head)
{
    tt_log_header header;
    tacho_str first = take_line(&head);
    return tt_log_header_take_facts(&header, first) &&
           (head.len == 0 || tt_log_header_take_columns(&header, take_line(&head)));
}

tacho_status tt_log_open(tt_log *log, tacho_input *input)
{
    *log = (tt_log){.input = input, .reason = TACHO_LOSS_REASON_COUNT};
    bool has_line = false;
    TACHO_TRY(tacho_input_line(input, &log->line, &has_line));
    if (!has_line || !tt_log_header_take_facts(&log->header, tacho_str_trim(log->line))) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:1: expected the first line of a device log, 'ARCH: NAME, "
                          "CHIP_FREQ[MHz]: N'",
                          input->name);
    }
    TACHO_TRY(tacho_input_line(input, &log->line, &has_line));
    if (!has_line) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the file ends before its header", input->name);
    }
    if (!tt_log_header_take_columns(&log->header, log->line)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:2: expected the columns of a device log: PCIe slot, core_x, core_y, "
                          "RISC processor type, timer_id, time[cycles since reset]",
                          input->name);
    }
    return TACHO_OK;
}

/* Whether the line ends at the end of the file, without a line end: then it may have been cut. */
static bool is_at_cut(const tacho_input *input)
{
    return input->at_end && input->cursor == input->limit && input->limit[-1] != '\n';
}

/* The specific reason for a line rejected with |reason|. */
static tacho_loss_reason look_closer(const tt_log *log, tacho_loss_reason reason)
{
    if (tt_log_has_word(log->line, TACHO_STR("markers were dropped")) ||
        tt_log_has_word(log->line, TACHO_STR("buffers were full"))) {
        return TACHO_LOSS_DROPPED;
    }
    if (is_at_cut(log->input)) {
        return TACHO_LOSS_CUT_INPUT;
    }
    return tacho_str_find_byte(log->line, '\0') < log->line.len ? TACHO_LOSS_NUL_BYTE : reason;
}

/* Whether the line repeats one of the first two. */
static bool is_header_again(const tt_log *log)
{
    tt_log_header again;
    return tt_log_header_take_facts(&again, tacho_str_trim(log->line)) ||
           tt_log_header_take_columns(&again, log->line);
}

static void parse_row(tt_log *log)
{
    log->reason = tt_log_row_parse(&log->header, log->line, &log->row);
    if (TACHO_UNLIKELY(log->reason != TACHO_LOSS_REASON_COUNT)) {
        log->reason = look_closer(log, log->reason);
    } else if (TACHO_UNLIKELY(log->row.time >= (uint64_t)TT_LOG_TIME_END)) {
        log->reason = TACHO_LOSS_TIME_OVERFLOW;
    } else if (TACHO_UNLIKELY(log->row.type == TT_LOG_TYPE_COUNT)) {
        log->reason = TACHO_LOSS_UNKNOWN_EVENT;
    } else if (TACHO_UNLIKELY(memchr(log->line.data, '\0', log->line.len) != NULL)) {
        log->reason = TACHO_LOSS_NUL_BYTE; /* in a name or a path */
    }
}

tacho_status tt_log_next(tt_log *log, bool *out_got)
{
    for (;;) {
        TACHO_TRY(tacho_input_line(log->input, &log->line, out_got));
        if (!*out_got) {
            return TACHO_OK;
        }
        if (TACHO_UNLIKELY(log->line.len == 0)) {
            continue;
        }
        parse_row(log);
        if (TACHO_LIKELY(log->reason == TACHO_LOSS_REASON_COUNT) || !is_header_again(log)) {
            return TACHO_OK;
        }
    }
}
