/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One span per line, with its track, start, end and name; times in nanoseconds:
 *
 *     null 1
 *     # from my own counters
 *     npu 0 1500 conv 3x3
 *     npu 1500 1700 relu
 *
 * A track has no spaces; the name is the rest of the line. Empty lines and lines that begin with #
 * are skipped.
 */
#include "sources/null/null.h"

#define HEADER "null 1"

typedef struct null_reader {
    const tacho_reading *reading;
    tacho_dict *dict;
    int64_t max_ticks; /* of the clock */
    uint32_t clock_id, part, category;
    uint64_t good_count; /* lines that are spans */
} null_reader;

/* A line, parsed. */
typedef struct null_line {
    tacho_str track, name;
    uint64_t start, end;
} null_line;

/* ---- lines --------------------------------------------------------------------------------- */

/* Cuts the field before the next space off |rest|; false where there is no space. */
static bool take_field(tacho_str *rest, tacho_str *out_field)
{
    size_t len = tacho_str_find_byte(*rest, ' ');
    if (len == 0 || len >= rest->len) {
        return false;
    }
    *out_field = tacho_str_make(rest->data, len);
    *rest = tacho_str_trim(tacho_str_from(*rest, len));
    return true;
}

/* TACHO_LOSS_REASON_COUNT where the number is good; else why it is not. */
static tacho_loss_reason parse_time(const null_reader *self, tacho_str text, uint64_t *out_ns)
{
    bool is_digits = text.len > 0;
    for (size_t i = 0; i < text.len; i++) {
        is_digits = is_digits && text.data[i] >= '0' && text.data[i] <= '9';
    }
    if (!is_digits) {
        return tacho_str_starts_with(text, TACHO_STR("-")) ? TACHO_LOSS_NEGATIVE_TIME
                                                           : TACHO_LOSS_NOT_A_NUMBER;
    }
    bool fits = tacho_str_parse_u64(text, out_ns) && *out_ns <= (uint64_t)self->max_ticks;
    return fits ? TACHO_LOSS_REASON_COUNT : TACHO_LOSS_TIME_OVERFLOW;
}

static tacho_loss_reason parse_line(const null_reader *self, tacho_str text, null_line *out)
{
    tacho_str start, end;
    *out = (null_line){.start = 0};
    if (tacho_str_find_byte(text, '\0') < text.len) {
        return TACHO_LOSS_NUL_BYTE;
    }
    if (!take_field(&text, &out->track) || !take_field(&text, &start) || !take_field(&text, &end)) {
        return TACHO_LOSS_FIELD_COUNT;
    }
    out->name = text;
    tacho_loss_reason reason = parse_time(self, start, &out->start);
    reason = reason == TACHO_LOSS_REASON_COUNT ? parse_time(self, end, &out->end) : reason;
    return reason != TACHO_LOSS_REASON_COUNT ? reason
           : out->end < out->start           ? TACHO_LOSS_END_BEFORE_START
                                             : TACHO_LOSS_REASON_COUNT;
}

/* ---- events -------------------------------------------------------------------------------- */

static tacho_status add_loss(const null_reader *self, tacho_loss_reason reason)
{
    const tacho_loss loss = {.part = self->part,
                             .reason = reason,
                             .count = 1,
                             .first_line = self->reading->input->line_number};
    return tacho_dict_add_loss(self->dict, &loss);
}

static tacho_status push_span(const null_reader *self, const null_line *line)
{
    const tacho_track track = {
        .parent = self->dict->parts[self->part].root,
        .part = self->part,
        .clock = self->clock_id,
        .lane_of = TACHO_NONE,
        .track_class = TACHO_TRACK_COMPUTE,
        .nesting = TACHO_NESTING_STACK,
    };
    tacho_site site = {.category = self->category, .location = TACHO_NONE};
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = (int64_t)line->start};
    row.of.span.end = (int64_t)line->end;
    row.of.span.op = row.of.span.run = TACHO_NONE;
    TACHO_TRY(tacho_dict_ensure_track(self->dict, &track, line->track, &row.track));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, line->name, &site.name));
    TACHO_TRY(tacho_dict_ensure_site(self->dict, &site, &row.of.span.site));
    return tacho_events_row(self->reading->events, &row);
}

static tacho_status take_line(null_reader *self, tacho_str text)
{
    null_line line;
    text = tacho_str_trim(text);
    if (text.len == 0 || text.data[0] == '#') {
        return TACHO_OK;
    }
    tacho_loss_reason reason = parse_line(self, text, &line);
    if (reason != TACHO_LOSS_REASON_COUNT) {
        return add_loss(self, reason);
    }
    self->good_count++;
    return push_span(self, &line);
}

/* ---- the file ------------------------------------------------------------------------------ */

static tacho_status check_header(tacho_input *input)
{
    tacho_str line = TACHO_STR("");
    bool got = false;
    TACHO_TRY(tacho_input_line(input, &line, &got));
    line = tacho_str_trim(line);
    return tacho_str_equal(line, TACHO_STR(HEADER))
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s:1: expected '" HEADER "', found '%.*s'",
                            input->name, (int)(line.len < 40 ? line.len : 40), line.data);
}

static tacho_status open_part(null_reader *self)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    TACHO_TRY(tacho_dict_add_clock(self->dict, &clock, TACHO_STR("nanoseconds"), &self->clock_id));
    self->max_ticks = clock.max_ticks;
    const tacho_part_facts facts = {
        .path = self->reading->path,
        .format = tacho_str_from_cstring(tacho_source_null.name),
        .generation = TACHO_STR("1"),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = self->clock_id,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE),
    };
    TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("span"), &self->category));
    return tacho_dict_add_part(self->dict, &facts, &self->part);
}

static tacho_status read_lines(null_reader *self)
{
    tacho_input *input = self->reading->input;
    tacho_str line;
    bool got = true;
    while (true) {
        TACHO_TRY(tacho_input_line(input, &line, &got));
        if (!got) {
            break;
        }
        TACHO_TRY(take_line(self, line));
    }
    /* A compressed file that is cut off, or fails its checksum, ends early. */
    return tacho_input_damage(input) != NULL ? add_loss(self, TACHO_LOSS_CUT_INPUT) : TACHO_OK;
}

static tacho_status null_read(const tacho_reading *reading)
{
    null_reader self = {.reading = reading, .dict = reading->events->dict};
    TACHO_TRY(check_header(reading->input));
    TACHO_TRY(open_part(&self));
    TACHO_TRY(read_lines(&self));
    if (self.good_count == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: no line is 'TRACK START END NAME'",
                          reading->input->name);
    }
    return tacho_events_end_part(reading->events, self.part);
}

static tacho_probe_verdict null_probe(tacho_str head)
{
    tacho_str line = tacho_str_make(head.data, tacho_str_find_byte(head, '\n'));
    return tacho_str_equal(tacho_str_trim(line), TACHO_STR(HEADER)) ? TACHO_PROBE_SURE
                                                                    : TACHO_PROBE_NO;
}

const tacho_source tacho_source_null = {
    .name = "null",
    .title = "spans as plain lines: TRACK START END NAME, in ns",
    .probe = null_probe,
    .read = null_read,
};
