/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torq runtime job times, generations R0 and R0b (`--torq_profile`).
 *
 *   id;time_since_open;time_since_start;location
 *   0;1520;310;loc("add.mlir":12:10)
 *
 * One row per job, in microseconds, written when the wait for the job returns: so time_since_open
 * is the end of the job and time_since_start its duration. R0b has no location.
 */
#include "sources/torq/torq.h"

#include "codec/csv.h"
#include "profile/torq_origin.h"
#include "sources/torq/torq_part.h"
#include "sources/torq/torq_rows.h"
#include "sources/torq/torq_text.h"

enum { NS_PER_US = 1000 };

static const char *const r0_header[] = {"id", "time_since_open", "time_since_start", "location",
                                        NULL};
static const char *const r0b_header[] = {"id", "time_since_open", "time_since_start", NULL};
static const char *const r0_api_header[] = {"dispatch_id", "time_since_open", "time_since_start",
                                            "mlir_loc", NULL};

typedef struct runtime {
    torq_part part;
    uint32_t job_key;
} runtime;

static bool is_header(tacho_str line)
{
    return torq_is_header(line, ';', r0_header) || torq_is_header(line, ';', r0_api_header) ||
           torq_is_header(line, ';', r0b_header);
}

/* Takes the last number of an R0b row, or the one before the location. */
static TACHO_ALWAYS_INLINE bool take_duration(tacho_str *tail, uint64_t *out_duration)
{
    if (TACHO_LIKELY(torq_take_number(tail, ';', out_duration))) {
        return true;
    }
    tacho_str digits = tacho_str_trim(*tail);
    uint64_t duration = 0;
    if (digits.len > TORQ_DIGITS_MAX || !tacho_str_parse_u64(digits, &duration)) {
        return false;
    }
    *out_duration = duration;
    *tail = tacho_str_from(*tail, tail->len);
    return true;
}

/* Parses any row; the tail is the location, empty if it is missing. */
static TACHO_NEVER_INLINE void parse_any(tacho_str line, torq_record *record, tacho_str *out_tail)
{
    tacho_str tail = line;
    uint64_t duration = 0;
    record->is_good = torq_take_number(&tail, ';', &record->number) &&
                      torq_take_number(&tail, ';', &record->end) && take_duration(&tail, &duration);
    record->start = record->end - duration; /* above the end if that is negative */
    *out_tail = tail;
}

static TACHO_ALWAYS_INLINE void parse_row(torq_record *record, const char *limit,
                                          tacho_str *out_tail)
{
    tacho_str line = torq_record_line(record);
    torq_numbers found = torq_find_numbers(line.data, 0, limit, ';');
    if (TACHO_UNLIKELY(found.rest == NULL)) {
        parse_any(line, record, out_tail);
        return;
    }
    record->number = torq_join(found.first);
    record->end = torq_join(found.second);
    record->start = record->end - torq_join(found.third);
    record->is_good = true;
    *out_tail = tacho_str_make(found.rest, (size_t)(line.data + line.len - found.rest));
}

/* A torq_rows_format.parse. */
static void parse_records(const void *self, torq_record *records, size_t count, const char *limit,
                          tacho_str *out_tails)
{
    (void)self;
    for (size_t i = 0; i < count; i++) {
        parse_row(&records[i], limit, &out_tails[i]);
    }
}

static tacho_loss_reason diagnose(tacho_str line)
{
    if (tacho_str_find_byte(line, '\0') < line.len) {
        return TACHO_LOSS_NUL_BYTE;
    }
    tacho_str fields[4];
    size_t count = tacho_csv_split(line, ';', fields, 4);
    if (count < 3) {
        return TACHO_LOSS_FIELD_COUNT;
    }
    for (size_t i = 0; i < 3; i++) {
        uint64_t number = 0;
        fields[i] = tacho_str_trim(fields[i]);
        if (fields[i].len > TORQ_DIGITS_MAX || !tacho_str_parse_u64(fields[i], &number)) {
            return torq_diagnose_number(fields[i]);
        }
    }
    return TACHO_LOSS_FIELD_COUNT;
}

static tacho_status find_site(runtime *self, const torq_record *record, const tacho_str *tail,
                              uint32_t *out_site)
{
    const torq_entry *entry = torq_record_entry(record);
    if (TACHO_LIKELY(entry != NULL)) {
        *out_site = entry->site;
        return TACHO_OK;
    }
    torq_site_facts facts = {
        .fallback_name = TACHO_STR("NSS job"),
        .location = *tail,
        .track_class = TACHO_TRACK_CONTROL,
    };
    TACHO_TRY(torq_part_make_site(&self->part, &facts, out_site));
    torq_entry added = {*out_site, TACHO_NONE, TACHO_TORQ_NSS};
    torq_record_know(record, &added);
    return TACHO_OK;
}

static tacho_status push_row(runtime *self, const torq_record *record, const tacho_str *tail)
{
    torq_part *part = &self->part;
    uint32_t site = 0;
    uint32_t track = 0;
    TACHO_TRY(find_site(self, record, tail, &site));
    TACHO_TRY(torq_part_track(part, TACHO_TORQ_NSS, 0, &track));
    torq_group *group = part->group;
    tacho_row *row = &group->rows[group->count];
    row->track = track;
    row->start = (int64_t)record->start;
    row->of.span.end = (int64_t)record->end;
    row->of.span.site = site;
    row->arg_count = 1;
    group->args[group->count][0].value.as_uint = record->number;
    return torq_part_push(part);
}

/* A torq_rows_format.end_batch. */
static tacho_status end_batch(void *of)
{
    runtime *self = of;
    return torq_part_push_group(&self->part);
}

static TACHO_ALWAYS_INLINE tacho_status take_row(runtime *self, const torq_record *record,
                                                 const tacho_str *tail)
{
    torq_part *part = &self->part;
    tacho_str line = torq_record_line(record);
    part->line_number = record->line_number;
    if (TACHO_UNLIKELY(!record->is_good)) {
        return is_header(line) ? TACHO_OK : torq_part_lose(part, diagnose(line), line);
    }
    if (TACHO_UNLIKELY(record->end > (uint64_t)part->max_ticks)) {
        return torq_part_lose(part, TACHO_LOSS_TIME_OVERFLOW, line);
    }
    if (TACHO_UNLIKELY(record->start > record->end)) {
        return torq_part_lose(part, TACHO_LOSS_NEGATIVE_TIME, line);
    }
    /* Tails with an entry were checked before. */
    if (TACHO_UNLIKELY(torq_record_entry(record) == NULL) &&
        tacho_str_find_byte(*tail, '\0') < tail->len) {
        return torq_part_lose(part, TACHO_LOSS_NUL_BYTE, line);
    }
    return push_row(self, record, tail);
}

/* A torq_rows_format.take. */
static tacho_status take_records(void *self, const torq_record *records, const tacho_str *tails,
                                 size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(take_row(self, &records[i], &tails[i]));
    }
    return TACHO_OK;
}

/* The first nonempty line. */
static tacho_str first_line(tacho_str head)
{
    tacho_str line = TACHO_STR("");
    while (tacho_str_trim(line).len == 0 && torq_take_line(&head, &line)) {
    }
    return torq_skip_mark(line);
}

/* Whether the file's rows have a location, according to its first line. */
static bool has_location(tacho_str head)
{
    tacho_str fields[4];
    return tacho_csv_split(first_line(head), ';', fields, 4) > 3;
}

static tacho_probe_verdict runtime_probe(tacho_str head)
{
    tacho_str line = first_line(head);
    torq_record record = {.number = 0};
    tacho_str tail;
    if (is_header(line)) {
        return TACHO_PROBE_SURE;
    }
    parse_any(line, &record, &tail);
    if (!record.is_good) {
        return TACHO_PROBE_NO;
    }
    return tacho_str_starts_with(tail, TACHO_STR("loc(")) ? TACHO_PROBE_SURE : TACHO_PROBE_MAYBE;
}

static tacho_status read_lines(runtime *self)
{
    const tacho_arg args[TORQ_ROW_ARGS] = {{.key = self->job_key, .type = TACHO_ARG_UINT}};
    torq_part_begin_group(&self->part, args);
    torq_rows_format format = {
        .parse = parse_records,
        .take = take_records,
        .end_batch = end_batch,
        .taker = torq_part_shared(&self->part),
        .self = self,
    };
    return torq_rows_read(self->part.reading->input, &format);
}

static tacho_status read_all(runtime *self, const tacho_reading *reading, bool with_location)
{
    tacho_clock clock;
    tacho_clock_init(&clock, NS_PER_US, 1);
    tacho_part_facts facts = {
        .format = tacho_str_from_cstring(tacho_source_torq_runtime.name),
        .generation = with_location ? TACHO_STR("R0") : TACHO_STR("R0b"),
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_CONTROL),
    };
    TACHO_TRY(torq_origin_note_read(reading->path, &facts.origin));
    TACHO_TRY(torq_part_init(&self->part, reading, &facts, &clock, TACHO_STR("microseconds")));
    TACHO_TRY(torq_part_key(&self->part, "job", &self->job_key));
    TACHO_TRY(read_lines(self));
    return torq_part_finish(&self->part);
}

static tacho_status runtime_read(const tacho_reading *reading)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(reading->input, TACHO_PROBE_BYTES, &head));
    runtime self = {.job_key = 0};
    tacho_status status = read_all(&self, reading, has_location(head));
    torq_part_deinit(&self.part);
    return status;
}

const tacho_source tacho_source_torq_runtime = {
    .name = "torq-runtime",
    .title = "Torq runtime job CSV (R0, R0b): measured microseconds",
    .probe = runtime_probe,
    .read = runtime_read,
    .options = torq_part_options,
};
