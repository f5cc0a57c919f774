/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torq compile-time timelines, generations T1-T4.
 *
 *   T1   id,start,end,location,op type              DI0,0,9408,loc("fc.mlir":4:10),DMA_IN
 *   T2   the same, DMA rows end with bytes          S0_1,9474,11522,loc(unknown),conv2d_add
 *   T3   actionIndex, elapsed, timestamp, event, location, bytes
 *   T4   taskId, elapsed, timestamp, event, location, bytes
 *
 * All numbers are cycles, though T3 and T4 call them us. Locations are not quoted and may contain
 * commas, so a row is parsed from both ends. T1 does not name the slice of an operation: slices
 * take turns. T1 and T2 may have a header line.
 */
#include "sources/torq/torq.h"

#include "sources/torq/torq_part.h"
#include "sources/torq/torq_rows.h"
#include "sources/torq/torq_text.h"

#include <inttypes.h>

enum { DEFAULT_SLICE_COUNT = 2, PROBE_LINES = 32 };

typedef enum generation { T1, T2, T3, T4, NO_GENERATION } generation;

static const char *const t1_header[] = {"ID", "Start", "End", "Location", "Op Type", NULL};
static const char *const t1_api_header[] = {"event_name",    "start_time", "end_time",
                                            "mlir_src_line", "event_type", NULL};
static const char *const t3_header[] = {
    "actionIndex", "elapsed_time(us)", "timestamp(us)", "event", "location", "bytes", NULL};
static const char *const t4_header[] = {
    "taskId", "elapsed_time(us)", "timestamp(us)", "event", "location", "bytes", NULL};

static const char *generation_name(generation which)
{
    static const char *const names[] = {"T1", "T2", "T3", "T4", "?"};
    return names[which];
}

static generation header_generation(tacho_str line)
{
    if (torq_is_header(line, ',', t4_header)) {
        return T4;
    }
    if (torq_is_header(line, ',', t3_header)) {
        return T3;
    }
    return torq_is_header(line, ',', t1_header) || torq_is_header(line, ',', t1_api_header)
               ? T1
               : NO_GENERATION;
}

typedef struct timeline {
    torq_part part;
    uint32_t slice_count; /* for the turns in T1 */
    uint32_t id_key;
    uint32_t task_key;
    uint32_t bytes_key;
} timeline;

/* The id at the front of a row. */
typedef struct engine_id {
    tacho_torq_engine engine;
    uint32_t slice;
    bool is_t2; /* a form that T1 does not have */
} engine_id;

/* "S12" (slice by turns) or "S12_1". */
static bool parse_slice_id(tacho_str digits, uint32_t slice_count, engine_id *out_id)
{
    size_t underscore = tacho_str_find_byte(digits, '_');
    uint64_t number = 0;
    if (!tacho_str_parse_u64(tacho_str_make(digits.data, underscore), &number)) {
        return false;
    }
    out_id->engine = TACHO_TORQ_SLICE;
    out_id->is_t2 = underscore < digits.len;
    if (out_id->is_t2 && !tacho_str_parse_u64(tacho_str_from(digits, underscore + 1), &number)) {
        return false;
    }
    out_id->slice = (uint32_t)(out_id->is_t2 ? number : number % slice_count);
    return !out_id->is_t2 || number < TORQ_SLICE_MAX;
}

/* DI#, DO#, S#, S#_#, CDMA_L2D#, CDMA_L2I#, CDMA_D2L#, CSS#. */
static bool parse_engine_id(tacho_str id, uint32_t slice_count, engine_id *out_id)
{
    static const struct {
        tacho_str prefix;
        tacho_torq_engine engine;
    } forms[] = {
        {TACHO_STR_INIT("CDMA_L2D"), TACHO_TORQ_CDMA},
        {TACHO_STR_INIT("CDMA_L2I"), TACHO_TORQ_CDMA},
        {TACHO_STR_INIT("CDMA_D2L"), TACHO_TORQ_CDMA},
        {TACHO_STR_INIT("CSS"), TACHO_TORQ_CSS},
    };
    if (id.len > 1 && id.data[0] == 'S') {
        return parse_slice_id(tacho_str_from(id, 1), slice_count, out_id);
    }
    if (id.len > 1 && id.data[0] == 'D' && (id.data[1] == 'I' || id.data[1] == 'O')) {
        bool is_in = id.data[1] == 'I';
        *out_id = (engine_id){is_in ? TACHO_TORQ_DMA_IN : TACHO_TORQ_DMA_OUT, 0, false};
        return torq_is_digits(tacho_str_from(id, 2));
    }
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (tacho_str_starts_with(id, forms[i].prefix)) {
            *out_id = (engine_id){forms[i].engine, 0, true};
            return torq_is_digits(tacho_str_from(id, forms[i].prefix.len));
        }
    }
    return false;
}

static inline bool has_good_times(const timeline *self, const torq_record *record, uint64_t end)
{
    return end >= record->start && end <= (uint64_t)self->part.max_ticks;
}

/* Whether the times of a row are valid; else counts it as lost. */
static inline tacho_status check_times(timeline *self, const torq_record *record, uint64_t end,
                                       bool *out_good)
{
    *out_good = TACHO_LIKELY(has_good_times(self, record, end));
    if (TACHO_LIKELY(*out_good)) {
        return TACHO_OK;
    }
    return torq_part_lose(
        &self->part, end < record->start ? TACHO_LOSS_END_BEFORE_START : TACHO_LOSS_TIME_OVERFLOW,
        torq_record_line(record));
}

/* The next row of the group and its arguments, filled except the first argument, track and site. */
static TACHO_ALWAYS_INLINE void fill_row(timeline *self, const torq_record *record, uint64_t end,
                                         tacho_row **out_row, tacho_arg **out_arg)
{
    torq_group *group = self->part.group;
    tacho_row *row = &group->rows[group->count];
    tacho_arg *args = group->args[group->count];
    row->start = (int64_t)record->start;
    row->of.span.end = (int64_t)end;
    row->arg_count = record->has_bytes ? 2 : 1;
    args[1].value.as_uint = record->bytes;
    *out_row = row;
    *out_arg = args;
}

/* A torq_rows_format.end_batch. */
static tacho_status end_batch(void *of)
{
    timeline *self = of;
    return torq_part_push_group(&self->part);
}

/* Counts a rejected line, unless it repeats the header: files may be concatenated with cat. */
static tacho_status lose_line(timeline *self, tacho_loss_reason reason, tacho_str line)
{
    return header_generation(line) != NO_GENERATION ? TACHO_OK
                                                    : torq_part_lose(&self->part, reason, line);
}

static size_t count_quotes(tacho_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.data[i] == '"' ? 1 : 0;
    }
    return count;
}

/* Whether all brackets and quotes are closed; only inside them may a location contain commas. */
static bool may_be_location(tacho_str field)
{
    field = tacho_str_trim(field);
    if (tacho_str_starts_with(field, TACHO_STR("loc("))) {
        return tacho_str_ends_with(field, TACHO_STR(")"));
    }
    if (tacho_str_starts_with(field, TACHO_STR("\"loc("))) {
        return tacho_str_ends_with(field, TACHO_STR("\"")) && count_quotes(field) % 2 == 0;
    }
    return tacho_str_find_byte(field, ',') == field.len;
}

/* Why a row was rejected; its first three fields are numbers, or two after an id. */
static tacho_loss_reason diagnose(tacho_str line, bool has_id)
{
    if (tacho_str_find_byte(line, '\0') < line.len) {
        return TACHO_LOSS_NUL_BYTE;
    }
    tacho_str rest = line;
    for (size_t field = 0; field < 3; field++) {
        size_t len = tacho_str_find_byte(rest, ',');
        if (len == rest.len) {
            return TACHO_LOSS_FIELD_COUNT;
        }
        tacho_str text = tacho_str_trim(tacho_str_make(rest.data, len));
        rest = tacho_str_from(rest, len + 1);
        uint64_t number = 0;
        bool is_id = has_id && field == 0;
        if (!is_id && (text.len > TORQ_DIGITS_MAX || !tacho_str_parse_u64(text, &number))) {
            return torq_diagnose_number(text);
        }
    }
    return TACHO_LOSS_FIELD_COUNT;
}

/* ---- T1 and T2 -------------------------------------------------------------------------- */

/* Takes ",<digits>" from the end of |*tail|: the bytes that T2 adds to transfers. */
static bool take_bytes(tacho_str *tail, uint64_t *out_bytes)
{
    size_t at = tail->len;
    while (at > 0 && tail->data[at - 1] >= '0' && tail->data[at - 1] <= '9') {
        at--;
    }
    size_t digits = at;
    while (at > 0 && tail->data[at - 1] == ' ') {
        at--;
    }
    if (at == 0 || digits == tail->len || tail->data[at - 1] != ',' ||
        !tacho_str_parse_u64(tacho_str_from(*tail, digits), out_bytes)) {
        return false;
    }
    tail->len = at - 1;
    return true;
}

/* Makes the site of "location,op type"; TACHO_NONE for any other text. */
static tacho_status make_t12_site(timeline *self, tacho_str tail, tacho_torq_engine engine,
                                  uint32_t *out_site)
{
    size_t comma = tail.len;
    while (comma > 0 && tail.data[comma - 1] != ',') {
        comma--;
    }
    *out_site = TACHO_NONE;
    if (comma == 0 || tacho_str_find_byte(tail, '\0') < tail.len ||
        !may_be_location(tacho_str_make(tail.data, comma - 1))) {
        return TACHO_OK;
    }
    torq_site_facts facts = {
        .name = tacho_str_trim(tacho_str_from(tail, comma)),
        .fallback_name = tacho_str_from_cstring(tacho_torq_engine_name(engine)),
        .location = tacho_str_make(tail.data, comma - 1),
        .track_class = tacho_torq_engine_class(engine),
    };
    return torq_part_make_site(&self->part, &facts, out_site);
}

/* The site of a row's tail, from the entries unless another engine used the same text. */
static tacho_status find_t12_site(timeline *self, const torq_record *record, tacho_str tail,
                                  uint32_t *out_site)
{
    const torq_entry *entry = torq_record_entry(record);
    if (TACHO_LIKELY(entry != NULL && entry->engine == record->engine)) {
        *out_site = entry->site;
        return TACHO_OK;
    }
    TACHO_TRY(make_t12_site(self, tail, (tacho_torq_engine)record->engine, out_site));
    if (entry != NULL || *out_site == TACHO_NONE) {
        return TACHO_OK;
    }
    torq_entry added = {
        .site = *out_site, .track = TACHO_NONE, .engine = (tacho_torq_engine)record->engine};
    torq_record_know(record, &added);
    return TACHO_OK;
}

/* Takes any id at the front of |line|; |*out_tail| is the text after it. */
static bool take_any_id(uint32_t slice_count, tacho_str line, torq_record *record,
                        tacho_str *out_tail)
{
    size_t id_len = tacho_str_find_byte(line, ',');
    engine_id parsed;
    record->number = id_len;
    *out_tail = tacho_str_from(line, id_len < line.len ? id_len + 1 : id_len);
    if (!parse_engine_id(tacho_str_make(line.data, id_len), slice_count, &parsed)) {
        return false;
    }
    record->engine = (uint8_t)parsed.engine;
    record->slice = (uint16_t)parsed.slice;
    return true;
}

/* Takes the bytes off a tail that ends in a digit, if it ends in a byte count. */
static void cut_t12_bytes(torq_record *record, tacho_str *tail)
{
    bool moves_data = record->engine != TACHO_TORQ_SLICE && record->engine != TACHO_TORQ_CSS;
    record->has_bytes = moves_data && take_bytes(tail, &record->bytes);
}

/* Parses any row. */
static TACHO_NEVER_INLINE void parse_any_t12(uint32_t slice_count, tacho_str line,
                                             torq_record *record, tacho_str *out_tail)
{
    tacho_str tail;
    record->is_good = take_any_id(slice_count, line, record, &tail) &&
                      torq_take_number(&tail, ',', &record->start) &&
                      torq_take_number(&tail, ',', &record->end);
    record->has_bytes = false;
    if (record->is_good) {
        cut_t12_bytes(record, &tail);
    }
    *out_tail = tail;
}

/* The slice of an operation, by turns. For two slices the last digit decides. */
static inline uint32_t take_turn(uint32_t slice_count, torq_digits number)
{
    return slice_count == 2 ? number.end[-1] & 1 : (uint32_t)(torq_join(number) % slice_count);
}

static inline bool ends_in_digit(tacho_str text)
{
    return text.len > 0 && (unsigned char)(text.data[text.len - 1] - '0') <= 9;
}

/*
 * Nearly all rows have an id without a second number, DI#, DO# or S#, and plain numbers. Which of
 * the three is unpredictable for a processor: the code selects values rather than branches.
 */
static TACHO_ALWAYS_INLINE void parse_t12_row(uint32_t slice_count, torq_record *record,
                                              const char *limit, tacho_str *out_tail)
{
    static const uint8_t engines[] = {TACHO_TORQ_DMA_IN, TACHO_TORQ_DMA_OUT, TACHO_TORQ_SLICE,
                                      TACHO_TORQ_SLICE};
    tacho_str line = torq_record_line(record);
    bool is_slice = line.data[0] == 'S';
    bool is_out = line.len > 1 && line.data[1] == 'O';
    bool is_known =
        line.len > 1 && (is_slice | ((line.data[0] == 'D') & (is_out | (line.data[1] == 'I'))));
    torq_numbers found = torq_find_numbers(line.data, is_slice ? 1 : 2, limit, ',');
    if (TACHO_UNLIKELY(!is_known || found.rest == NULL)) {
        parse_any_t12(slice_count, line, record, out_tail);
        return;
    }
    record->number = (uint64_t)(found.first.end - line.data);
    record->start = torq_join(found.second);
    record->end = torq_join(found.third);
    record->engine = engines[2 * is_slice + is_out];
    record->slice = (uint16_t)(take_turn(slice_count, found.first) & -(uint32_t)is_slice);
    record->is_good = true;
    record->has_bytes = false;
    *out_tail = tacho_str_make(found.rest, (size_t)(line.data + line.len - found.rest));
    if (ends_in_digit(*out_tail)) {
        cut_t12_bytes(record, out_tail);
    }
}

/* A torq_rows_format.parse. */
static void parse_t12(const void *self, torq_record *records, size_t count, const char *limit,
                      tacho_str *out_tails)
{
    uint32_t slice_count = ((const timeline *)self)->slice_count;
    for (size_t i = 0; i < count; i++) {
        parse_t12_row(slice_count, &records[i], limit, &out_tails[i]);
    }
}

/* Counts a line that parse_t12 rejected. */
static tacho_status lose_t12(timeline *self, tacho_str line)
{
    uint64_t number = 0;
    size_t id_len = tacho_str_find_byte(line, ',');
    tacho_str tail = tacho_str_from(line, id_len < line.len ? id_len + 1 : id_len);
    bool has_times = torq_take_number(&tail, ',', &number) && torq_take_number(&tail, ',', &number);
    return has_times ? torq_part_lose(&self->part, TACHO_LOSS_UNKNOWN_EVENT, line)
                     : lose_line(self, diagnose(line, true), line);
}

/* Pushes a row if its times are valid. */
static TACHO_ALWAYS_INLINE tacho_status push_t12(timeline *self, const torq_record *record,
                                                 uint32_t track, uint32_t site)
{
    tacho_row *row = NULL;
    tacho_arg *id = NULL;
    fill_row(self, record, record->end, &row, &id);
    row->track = track;
    row->of.span.site = site;
    id->value.as_text.data = record->line;
    id->value.as_text.len = (size_t)record->number;
    return torq_part_push(&self->part);
}

/* Takes any row. */
static TACHO_NEVER_INLINE tacho_status take_any_t12(timeline *self, const torq_record *record,
                                                    tacho_str tail)
{
    torq_part *part = &self->part;
    tacho_str line = torq_record_line(record);
    uint32_t site = TACHO_NONE;
    uint32_t track = TACHO_NONE;
    bool is_good = false;
    if (!record->is_good) {
        return lose_t12(self, line);
    }
    TACHO_TRY(find_t12_site(self, record, tail, &site));
    if (site == TACHO_NONE) {
        return lose_line(self, diagnose(line, true), line);
    }
    TACHO_TRY(torq_part_track(part, (tacho_torq_engine)record->engine, record->slice, &track));
    TACHO_TRY(check_times(self, record, record->end, &is_good));
    return is_good ? push_t12(self, record, track, site) : TACHO_OK;
}

static TACHO_ALWAYS_INLINE tacho_status take_t12_row(timeline *self, const torq_record *record,
                                                     const tacho_str *tail)
{
    torq_part *part = &self->part;
    const torq_entry *entry = torq_record_entry(record);
    part->line_number = record->line_number;
    if (TACHO_LIKELY(record->is_good && entry != NULL && entry->engine == record->engine &&
                     has_good_times(self, record, record->end))) {
        uint32_t track =
            torq_part_find_track(part, (tacho_torq_engine)record->engine, record->slice);
        if (TACHO_LIKELY(track != TACHO_NONE)) {
            return push_t12(self, record, track, entry->site);
        }
    }
    return take_any_t12(self, record, *tail);
}

/* A torq_rows_format.take. */
static tacho_status take_t12(void *self, const torq_record *records, const tacho_str *tails,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(take_t12_row(self, &records[i], &tails[i]));
    }
    return TACHO_OK;
}

/* ---- T3 and T4 -------------------------------------------------------------------------- */

/* "DMA In", "DMA Out", "CDMA ...", "Slice <n>", "CSS". */
static bool parse_event(tacho_str event, engine_id *out_id)
{
    out_id->slice = 0;
    if (tacho_str_equal(event, TACHO_STR("DMA In"))) {
        out_id->engine = TACHO_TORQ_DMA_IN;
    } else if (tacho_str_equal(event, TACHO_STR("DMA Out"))) {
        out_id->engine = TACHO_TORQ_DMA_OUT;
    } else if (tacho_str_starts_with(event, TACHO_STR("CDMA "))) {
        out_id->engine = TACHO_TORQ_CDMA;
    } else if (tacho_str_equal(event, TACHO_STR("CSS"))) {
        out_id->engine = TACHO_TORQ_CSS;
    } else if (tacho_str_starts_with(event, TACHO_STR("Slice "))) {
        uint64_t number = 0;
        out_id->engine = TACHO_TORQ_SLICE;
        if (!tacho_str_parse_u64(tacho_str_from(event, 6), &number) || number >= TORQ_SLICE_MAX) {
            return false;
        }
        out_id->slice = (uint32_t)number;
    } else {
        return false;
    }
    return true;
}

/*
 * Parses "event,location"; |*out_reason| is set if it is invalid. A slice's operation is not named
 * in these files, so its span is named after the source line.
 */
static tacho_status resolve_t34_tail(timeline *self, const torq_record *record, tacho_str tail,
                                     torq_entry *out_entry, tacho_loss_reason *out_reason)
{
    size_t comma = tacho_str_find_byte(tail, ',');
    tacho_str event = tacho_str_trim(tacho_str_make(tail.data, comma));
    engine_id parsed;
    *out_entry = (torq_entry){.site = TACHO_NONE};
    bool has_location = comma < tail.len && may_be_location(tacho_str_from(tail, comma + 1));
    if (!has_location || tacho_str_find_byte(tail, '\0') < tail.len ||
        !parse_event(event, &parsed)) {
        *out_reason = has_location ? TACHO_LOSS_UNKNOWN_EVENT : TACHO_LOSS_FIELD_COUNT;
        if (tacho_str_find_byte(tail, '\0') < tail.len) {
            *out_reason = TACHO_LOSS_NUL_BYTE;
        }
        return TACHO_OK;
    }
    torq_site_facts facts = {
        .name = parsed.engine == TACHO_TORQ_SLICE ? TACHO_STR("") : event,
        .fallback_name = event,
        .location = tacho_str_from(tail, comma + 1),
        .track_class = tacho_torq_engine_class(parsed.engine),
    };
    out_entry->engine = parsed.engine;
    TACHO_TRY(torq_part_track(&self->part, parsed.engine, parsed.slice, &out_entry->track));
    TACHO_TRY(torq_part_make_site(&self->part, &facts, &out_entry->site));
    torq_record_know(record, out_entry);
    return TACHO_OK;
}

/*
 * Cuts the bytes field off |*tail|: digits, or nothing if the engine does not move data.
 * |*out_reason| is set for anything else.
 */
static bool cut_bytes(tacho_str *tail, uint64_t *out_bytes, bool *out_has_bytes,
                      tacho_loss_reason *out_reason)
{
    size_t comma = tail->len;
    while (comma > 0 && tail->data[comma - 1] != ',') {
        comma--;
    }
    if (comma == 0) {
        return false;
    }
    tacho_str field = tacho_str_trim(tacho_str_from(*tail, comma));
    tail->len = comma - 1;
    *out_has_bytes = field.len > 0;
    bool is_location = tacho_str_ends_with(field, TACHO_STR(")"));
    *out_reason = is_location ? TACHO_LOSS_FIELD_COUNT : TACHO_LOSS_NOT_A_NUMBER;
    return field.len == 0 || tacho_str_parse_u64(field, out_bytes);
}

static TACHO_ALWAYS_INLINE bool take_t34_numbers(tacho_str *tail, torq_record *record)
{
    return torq_take_number(tail, ',', &record->number) &&
           torq_take_number(tail, ',', &record->end) && torq_take_number(tail, ',', &record->start);
}

/* Parses any row; |end| is its duration. */
static TACHO_NEVER_INLINE void parse_any_t34(tacho_str line, torq_record *record,
                                             tacho_str *out_tail)
{
    tacho_loss_reason reason;
    bool has_bytes = false;
    *out_tail = line;
    record->is_good = take_t34_numbers(out_tail, record) &&
                      cut_bytes(out_tail, &record->bytes, &has_bytes, &reason);
    record->has_bytes = has_bytes;
}

static TACHO_ALWAYS_INLINE void parse_t34_row(torq_record *record, const char *limit,
                                              tacho_str *out_tail)
{
    tacho_str line = torq_record_line(record);
    size_t digit_count = 0;
    torq_numbers found = torq_find_numbers(line.data, 0, limit, ',');
    if (TACHO_UNLIKELY(found.rest == NULL)) {
        parse_any_t34(line, record, out_tail);
        return;
    }
    tacho_str tail = tacho_str_make(found.rest, (size_t)(line.data + line.len - found.rest));
    if (TACHO_UNLIKELY(!torq_cut_plain(&tail, ',', &record->bytes, &digit_count))) {
        parse_any_t34(line, record, out_tail);
        return;
    }
    record->number = torq_join(found.first);
    record->end = torq_join(found.second);
    record->start = torq_join(found.third);
    record->is_good = true;
    record->has_bytes = digit_count > 0;
    *out_tail = tail;
}

/* A torq_rows_format.parse. */
static void parse_t34(const void *self, torq_record *records, size_t count, const char *limit,
                      tacho_str *out_tails)
{
    (void)self;
    for (size_t i = 0; i < count; i++) {
        parse_t34_row(&records[i], limit, &out_tails[i]);
    }
}

/* Counts a line that parse_t34 rejected. */
static tacho_status lose_t34(timeline *self, tacho_str line)
{
    torq_record record = {.number = 0};
    tacho_loss_reason reason = TACHO_LOSS_FIELD_COUNT;
    tacho_str tail = line;
    if (!take_t34_numbers(&tail, &record)) {
        return lose_line(self, diagnose(line, false), line);
    }
    bool has_bytes = false;
    cut_bytes(&tail, &record.bytes, &has_bytes, &reason);
    return torq_part_lose(&self->part, reason, line);
}

static TACHO_ALWAYS_INLINE tacho_status take_t34_row(timeline *self, const torq_record *record,
                                                     const tacho_str *tail)
{
    torq_part *part = &self->part;
    uint64_t end = 0;
    part->line_number = record->line_number;
    if (TACHO_UNLIKELY(!record->is_good)) {
        return lose_t34(self, torq_record_line(record));
    }
    if (TACHO_UNLIKELY(__builtin_add_overflow(record->start, record->end, &end))) {
        return torq_part_lose(part, TACHO_LOSS_TIME_OVERFLOW, torq_record_line(record));
    }
    const torq_entry *entry = torq_record_entry(record);
    torq_entry added;
    if (TACHO_UNLIKELY(entry == NULL)) {
        tacho_loss_reason reason = TACHO_LOSS_FIELD_COUNT;
        TACHO_TRY(resolve_t34_tail(self, record, *tail, &added, &reason));
        if (added.site == TACHO_NONE) {
            return torq_part_lose(part, reason, torq_record_line(record));
        }
        entry = &added;
    }
    bool is_good = false;
    TACHO_TRY(check_times(self, record, end, &is_good));
    if (TACHO_UNLIKELY(!is_good)) {
        return TACHO_OK;
    }
    tacho_row *row = NULL;
    tacho_arg *task = NULL;
    fill_row(self, record, end, &row, &task);
    row->track = entry->track;
    row->of.span.site = entry->site;
    task->value.as_uint = record->number;
    return torq_part_push(part);
}

/* A torq_rows_format.take. */
static tacho_status take_t34(void *self, const torq_record *records, const tacho_str *tails,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(take_t34_row(self, &records[i], &tails[i]));
    }
    return TACHO_OK;
}

/* ---- the file --------------------------------------------------------------------------- */

/* T1 or T2 by the form of one row, NO_GENERATION for any other. */
static generation row_generation(tacho_str line)
{
    tacho_str tail = torq_skip_mark(line);
    size_t id_len = tacho_str_find_byte(tail, ',');
    engine_id parsed;
    uint64_t number = 0;
    if (id_len == tail.len || !parse_engine_id(tacho_str_make(tail.data, id_len), 1, &parsed)) {
        return NO_GENERATION;
    }
    tail = tacho_str_from(tail, id_len + 1);
    if (!torq_take_number(&tail, ',', &number) || !torq_take_number(&tail, ',', &number) ||
        tacho_str_find_byte(tail, ',') == tail.len) {
        return NO_GENERATION;
    }
    return parsed.is_t2 || take_bytes(&tail, &number) ? T2 : T1;
}

/* The generation of a file by its first lines, and the line that proved it. */
static generation find_generation(tacho_str head, size_t *out_line)
{
    generation found = NO_GENERATION;
    tacho_str line;
    for (size_t i = 0; i < PROBE_LINES && torq_take_line(&head, &line);) {
        if (tacho_str_trim(line).len == 0) {
            continue;
        }
        generation shown = i == 0 ? header_generation(line) : NO_GENERATION;
        shown = shown == NO_GENERATION ? row_generation(line) : shown;
        size_t number = i++;
        if (shown == NO_GENERATION) {
            continue;
        }
        if (found == NO_GENERATION) {
            *out_line = number;
        }
        if (shown != T1) {
            return shown; /* T1 until proved otherwise */
        }
        found = T1;
    }
    return found;
}

static tacho_probe_verdict timeline_probe(tacho_str head)
{
    size_t line = 0;
    if (find_generation(head, &line) == NO_GENERATION) {
        return TACHO_PROBE_NO;
    }
    return line == 0 ? TACHO_PROBE_SURE : TACHO_PROBE_MAYBE;
}

static tacho_status read_lines(timeline *self, generation which)
{
    bool is_late = which >= T3;
    const tacho_arg args[TORQ_ROW_ARGS] = {
        {.key = is_late ? self->task_key : self->id_key,
         .type = is_late ? TACHO_ARG_UINT : TACHO_ARG_TEXT},
        {.key = self->bytes_key, .type = TACHO_ARG_UINT, .unit = TACHO_UNIT_BYTES},
    };
    torq_part_begin_group(&self->part, args);
    torq_rows_format format = {
        .parse = is_late ? parse_t34 : parse_t12,
        .take = is_late ? take_t34 : take_t12,
        .end_batch = end_batch,
        .taker = torq_part_shared(&self->part),
        .self = self,
    };
    return torq_rows_read(self->part.reading->input, &format);
}

/* T1 predates the local transfers and the vector engine. */
static uint32_t covered_classes(generation which)
{
    uint32_t covered = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) | TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |
                       TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE);
    return which == T1 ? covered
                       : covered | TACHO_TRACK_BIT(TACHO_TRACK_DMA_LOCAL) |
                             TACHO_TRACK_BIT(TACHO_TRACK_VECTOR);
}

static tacho_status read_all(timeline *self, const tacho_reading *reading, generation which)
{
    const tacho_source_options *options = reading->options;
    tacho_str mhz = options->clock_mhz.len > 0 ? options->clock_mhz : TACHO_STR("800");
    tacho_clock clock;
    TACHO_TRY(tacho_clock_init_mhz(&clock, mhz));
    clock.is_assumed = options->clock_mhz.len == 0;
    tacho_part_facts facts = {
        .format = tacho_str_from_cstring(tacho_source_torq_timeline.name),
        .generation = tacho_str_from_cstring(generation_name(which)),
        .origin = TACHO_ORIGIN_ESTIMATED,
        .covered_classes = covered_classes(which),
    };
    TACHO_TRY(torq_part_init(&self->part, reading, &facts, &clock, TACHO_STR("cycles")));
    TACHO_TRY(torq_part_key(&self->part, "id", &self->id_key));
    TACHO_TRY(torq_part_key(&self->part, "task", &self->task_key));
    TACHO_TRY(torq_part_key(&self->part, "bytes", &self->bytes_key));
    TACHO_TRY(read_lines(self, which));
    return torq_part_finish(&self->part);
}

/* Compute slices that T1 counts through. */
static const tacho_source_option slices_option = {"slices", TACHO_SOURCE_OPTION_COUNT};

static tacho_status timeline_read(const tacho_reading *reading)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(reading->input, TACHO_PROBE_BYTES, &head));
    size_t line = 0;
    generation which = find_generation(head, &line);
    uint64_t slice_count = tacho_source_options_number(reading->options, &slices_option);
    if (slice_count > TORQ_SLICE_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "%" PRIu64 " slices are too many; at most %d",
                          slice_count, TORQ_SLICE_MAX);
    }
    /* The user chose the timeline format; lines that are not rows will be counted. */
    which = which == NO_GENERATION ? T1 : which;
    timeline self = {.slice_count = slice_count > 0 ? (uint32_t)slice_count : DEFAULT_SLICE_COUNT};
    tacho_status status = read_all(&self, reading, which);
    torq_part_deinit(&self.part);
    return status;
}

static const tacho_source_option *const timeline_options[] = {&slices_option, &torq_vendor_tracks,
                                                              NULL};

const tacho_source tacho_source_torq_timeline = {
    .name = "torq-timeline",
    .title = "Torq compile-time timeline CSV (T1-T4): estimated cycles",
    .probe = timeline_probe,
    .read = timeline_read,
    .options = timeline_options,
};
