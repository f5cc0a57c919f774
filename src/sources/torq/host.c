/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torq host profiles, generations R1, R1q, R2, R2h and R2i (`--torq_profile_host`).
 *
 *   R1    actionIndex, elapsed_time(us), timestamp(us), event, location
 *         0,0,81234567412,HOST_COPY_START,loc("add.mlir":7:10)
 *   R1q   the same, the location in quotes
 *   R2    dispatch_name,invocation_id,action_id,timestamp_us,event
 *         main$async_dispatch_0,2,0,81234567412,HOST_COPY_BEGIN
 *   R2h   the same, with the phases of a dispatch and the calls of the HAL
 *   R2i   the same, with the phases of the initialisation
 *
 * Two rows make a span (host_pairing). Times are those of the steady clock. The elapsed time of R1
 * counts from the first row or, in the manual, from the previous one; it is not needed. In R1 the
 * name of a begin ends in START, and NSS_START is followed by NSS_START_END. The runtime rewrites
 * an R1 file for each dispatch; where action 0 starts again, a new run still begins.
 */
#include "sources/torq/torq.h"

#include "codec/csv.h"
#include "sources/torq/host_pairing.h"
#include "profile/torq_origin.h"
#include "sources/torq/torq_text.h"

enum { NS_PER_US = 1000, FIELD_COUNT = 5, NUMBER_COUNT = 3 };

typedef enum generation { R1, R1Q, R2, R2H, R2I } generation;

static const char *const r1_header[] = {"actionIndex", "elapsed_time(us)", "timestamp(us)",
                                        "event",       "location",         NULL};
static const char *const r2_header[] = {"dispatch_name", "invocation_id", "action_id",
                                        "timestamp_us",  "event",         NULL};

static const char *generation_name(generation which)
{
    static const char *const names[] = {"R1", "R1q", "R2", "R2h", "R2i"};
    return names[which];
}

typedef struct host {
    torq_part part;
    torq_host_pairing pairing;
    tacho_index run_index; /* R2: all runs by name and invocation */
    /* The run of the last row. */
    uint32_t run;       /* TACHO_NONE before the first */
    tacho_str run_name; /* in the dictionary */
    int64_t invocation;
    bool has_action_0; /* R1: its action 0 has begun */
} host;

static bool is_header(tacho_str line)
{
    return torq_is_header(line, ',', r1_header) || torq_is_header(line, ',', r2_header);
}

/* ---- shared by R1 and R2 ---------------------------------------------------------------- */

/* Takes an action's number, or the -1 of rows without an action. */
static bool take_action(tacho_str *tail, int64_t *out_action)
{
    if (tacho_str_starts_with(*tail, TACHO_STR("-1,"))) {
        *tail = tacho_str_from(*tail, 3);
        *out_action = -1;
        return true;
    }
    uint64_t number = 0;
    bool is_number = torq_take_number(tail, ',', &number);
    *out_action = (int64_t)number;
    return is_number && number <= INT64_MAX;
}

static bool take_time(const torq_part *part, tacho_str *tail, int64_t *out_time)
{
    uint64_t number = 0;
    bool is_number = torq_take_number(tail, ',', &number);
    *out_time = (int64_t)number;
    return is_number && number <= (uint64_t)part->max_ticks;
}

/* Why the numbers of |line|, three from column |first|, cannot be read. */
static tacho_loss_reason diagnose(tacho_str line, size_t first, size_t action_column)
{
    tacho_str fields[FIELD_COUNT];
    if (tacho_str_find_byte(line, '\0') < line.len) {
        return TACHO_LOSS_NUL_BYTE;
    }
    if (tacho_csv_split(line, ',', fields, FIELD_COUNT) < FIELD_COUNT) {
        return TACHO_LOSS_FIELD_COUNT;
    }
    for (size_t i = first; i < first + NUMBER_COUNT; i++) {
        uint64_t number = 0;
        bool is_none = i == action_column && tacho_str_equal(fields[i], TACHO_STR("-1"));
        if (!is_none &&
            (fields[i].len > TORQ_DIGITS_MAX || !tacho_str_parse_u64(fields[i], &number))) {
            return torq_diagnose_number(fields[i]);
        }
    }
    return TACHO_LOSS_TIME_OVERFLOW; /* every number has digits only, so one is too large */
}

static bool cut_suffix(tacho_str *text, tacho_str suffix)
{
    if (text->len <= suffix.len || !tacho_str_ends_with(*text, suffix)) {
        return false;
    }
    text->len -= suffix.len;
    return true;
}

/* Splits "HOST_COPY_START"; false when it is neither a begin nor an end. */
static bool parse_r1_event(tacho_str event, torq_host_event_facts *out_facts)
{
    out_facts->base = event;
    if (cut_suffix(&out_facts->base, TACHO_STR("_END"))) {
        return true;
    }
    out_facts->is_begin = tacho_str_equal(event, TACHO_STR("NSS_START")) ||
                          cut_suffix(&out_facts->base, TACHO_STR("_START"));
    return out_facts->is_begin;
}

/* Splits "HOST_COPY_BEGIN". */
static bool parse_r2_event(tacho_str event, torq_host_event_facts *out_facts)
{
    out_facts->base = event;
    out_facts->is_begin = cut_suffix(&out_facts->base, TACHO_STR("_BEGIN"));
    return out_facts->is_begin || cut_suffix(&out_facts->base, TACHO_STR("_END"));
}

/*
 * Parses a row's tail: "event,location" in R1, "event" in R2. If it is invalid, |*out_event| is
 * TACHO_NONE and |*out_reason| is set.
 */
static tacho_status add_event(host *self, tacho_str tail, bool is_r1, uint32_t *out_event,
                              tacho_loss_reason *out_reason)
{
    torq_host_event_facts facts = {.is_begin = false};
    size_t comma = tacho_str_find_byte(tail, ',');
    tacho_str event = tacho_str_trim(tacho_str_make(tail.data, comma));
    bool has_location = comma < tail.len;
    *out_event = TACHO_NONE;
    *out_reason = TACHO_LOSS_UNKNOWN_EVENT;
    if (tacho_str_find_byte(tail, '\0') < tail.len) {
        *out_reason = TACHO_LOSS_NUL_BYTE;
    } else if (has_location != is_r1) {
        *out_reason = TACHO_LOSS_FIELD_COUNT;
    } else if (is_r1 ? parse_r1_event(event, &facts) : parse_r2_event(event, &facts)) {
        facts.location = tacho_str_from(tail, has_location ? comma + 1 : comma);
        return torq_host_events_add(&self->pairing.events, tail, &facts, out_event);
    }
    return TACHO_OK;
}

/* The event of |tail|; TACHO_NONE if it is invalid, after counting the row |line| as lost. */
static inline tacho_status find_event(host *self, tacho_str tail, bool is_r1, tacho_str line,
                                      uint32_t *out_event)
{
    *out_event = tail.len > 0 ? torq_host_events_find(&self->pairing.events, tail) : TACHO_NONE;
    if (TACHO_LIKELY(*out_event != TACHO_NONE)) {
        return TACHO_OK;
    }
    tacho_loss_reason reason;
    TACHO_TRY(add_event(self, tail, is_r1, out_event, &reason));
    return *out_event == TACHO_NONE ? torq_part_lose(&self->part, reason, line) : TACHO_OK;
}

/* Counts a rejected line, unless it repeats the header: files may be concatenated with cat. */
static tacho_status lose_line(host *self, tacho_loss_reason reason, tacho_str line)
{
    return is_header(line) ? TACHO_OK : torq_part_lose(&self->part, reason, line);
}

/* ---- R1 --------------------------------------------------------------------------------- */

static tacho_status ensure_r1_run(host *self, const torq_host_stamp *stamp)
{
    bool is_first = stamp->action == 0 && self->pairing.events.items[stamp->event].is_begin;
    if (self->run != TACHO_NONE && !(is_first && self->has_action_0)) {
        self->has_action_0 = self->has_action_0 || is_first;
        return TACHO_OK;
    }
    uint32_t name = 0;
    TACHO_TRY(tacho_dict_ensure_string(self->part.dict, TACHO_STR("dispatch"), &name));
    self->has_action_0 = is_first;
    return torq_host_runs_add(&self->pairing.runs, name, (int64_t)self->pairing.runs.item_count,
                              &self->run);
}

static tacho_status read_r1_line(host *self, tacho_str line)
{
    torq_host_stamp stamp;
    uint64_t elapsed = 0;
    tacho_str tail = line;
    if (TACHO_UNLIKELY(!take_action(&tail, &stamp.action) ||
                       !torq_take_number(&tail, ',', &elapsed) ||
                       !take_time(&self->part, &tail, &stamp.time))) {
        return lose_line(self, diagnose(line, 0, 0), line);
    }
    TACHO_TRY(find_event(self, tail, true, line, &stamp.event));
    if (TACHO_UNLIKELY(stamp.event == TACHO_NONE)) {
        return TACHO_OK;
    }
    TACHO_TRY(ensure_r1_run(self, &stamp));
    stamp.run = self->run;
    return torq_host_pairing_add(&self->pairing, &stamp);
}

/* ---- R2 --------------------------------------------------------------------------------- */

/* Finds or adds the run |name|, |invocation|, when it is not that of the last row. */
static tacho_status ensure_r2_run(host *self, tacho_str name, int64_t invocation)
{
    const tacho_dict *dict = self->part.dict;
    uint32_t name_id = 0;
    TACHO_TRY(tacho_dict_ensure_string(self->part.dict, name, &name_id));
    self->run_name = tacho_dict_string(dict, name_id);
    self->invocation = invocation;
    uint64_t key[2] = {name_id, (uint64_t)invocation};
    uint32_t hash =
        tacho_index_hash(&self->run_index, tacho_str_make((const char *)key, sizeof(key)));
    size_t at = tacho_index_begin(&self->run_index, hash);
    while ((self->run = tacho_index_next(&self->run_index, hash, &at)) != TACHO_NONE) {
        const tacho_run *run = &dict->runs[self->pairing.runs.items[self->run].id];
        if (run->name == name_id && run->invocation == invocation) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(torq_host_runs_add(&self->pairing.runs, name_id, invocation, &self->run));
    return tacho_index_add(&self->run_index, hash, self->run);
}

/* Whether |line| starts with the name of the last row and a comma. */
static bool has_same_name(const host *self, tacho_str line)
{
    tacho_str name = self->run_name;
    return self->run != TACHO_NONE && line.len > name.len && line.data[name.len] == ',' &&
           memcmp(line.data, name.data, name.len) == 0;
}

static tacho_status read_r2_line(host *self, tacho_str line)
{
    torq_host_stamp stamp;
    uint64_t invocation = 0;
    bool same_name = has_same_name(self, line);
    tacho_str name =
        same_name ? self->run_name : tacho_str_make(line.data, tacho_str_find_byte(line, ','));
    tacho_str tail = tacho_str_from(line, name.len < line.len ? name.len + 1 : name.len);
    if (TACHO_UNLIKELY(!torq_take_number(&tail, ',', &invocation) || invocation > INT64_MAX ||
                       !take_action(&tail, &stamp.action) ||
                       !take_time(&self->part, &tail, &stamp.time))) {
        return lose_line(self, diagnose(line, 1, 2), line);
    }
    TACHO_TRY(find_event(self, tail, false, line, &stamp.event));
    if (TACHO_UNLIKELY(stamp.event == TACHO_NONE)) {
        return TACHO_OK;
    }
    if (TACHO_UNLIKELY(!same_name || (int64_t)invocation != self->invocation)) {
        if (tacho_str_find_byte(name, '\0') < name.len) {
            return torq_part_lose(&self->part, TACHO_LOSS_NUL_BYTE, line);
        }
        TACHO_TRY(ensure_r2_run(self, name, (int64_t)invocation));
    }
    stamp.run = self->run;
    return torq_host_pairing_add(&self->pairing, &stamp);
}

/* ---- the file --------------------------------------------------------------------------- */

/* The generation that one row proves. */
static generation row_generation(tacho_str line, bool is_r1)
{
    tacho_str fields[FIELD_COUNT];
    if (!tacho_csv_split_ends(line, ',', is_r1 ? 4 : 0, is_r1 ? 0 : 4, fields)) {
        return is_r1 ? R1 : R2;
    }
    tacho_str last = fields[FIELD_COUNT - 1];
    if (is_r1) {
        return last.len > 0 && last.data[0] == '"' ? R1Q : R1;
    }
    if (tacho_str_starts_with(last, TACHO_STR("INIT"))) {
        return R2I;
    }
    bool is_phase = tacho_str_starts_with(last, TACHO_STR("DISPATCH_")) &&
                    !tacho_str_equal(last, TACHO_STR("DISPATCH_BEGIN")) &&
                    !tacho_str_equal(last, TACHO_STR("DISPATCH_END"));
    return is_phase || tacho_str_starts_with(last, TACHO_STR("HAL_")) ? R2H : R2;
}

/* Takes the first nonempty line of |*head|; false at the end. */
static bool take_first_line(tacho_str *head, tacho_str *out_line)
{
    if (head->len >= TACHO_PROBE_BYTES) {
        head->len = TACHO_PROBE_BYTES;
        while (head->len > 0 && head->data[head->len - 1] != '\n') {
            head->len--; /* a row cut in the middle proves nothing */
        }
    }
    while (torq_take_line(head, out_line)) {
        *out_line = tacho_str_trim(torq_skip_mark(*out_line));
        if (out_line->len > 0) {
            return true;
        }
    }
    return false;
}

/* The latest generation that the first rows prove. Without a header, R1 starts with a number. */
static generation find_generation(tacho_str head)
{
    tacho_str line;
    if (!take_first_line(&head, &line)) {
        return R2;
    }
    int64_t action = 0;
    tacho_str tail = line;
    bool is_r1 = torq_is_header(line, ',', r1_header) || take_action(&tail, &action);
    generation found = is_r1 ? R1 : R2;
    do {
        generation shown = row_generation(line, is_r1);
        found = shown > found ? shown : found;
    } while (torq_take_line(&head, &line));
    return found;
}

static tacho_probe_verdict host_probe(tacho_str head)
{
    tacho_str line;
    return take_first_line(&head, &line) && is_header(line) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

static tacho_status read_lines(host *self, bool is_r1)
{
    tacho_str line;
    bool got = false;
    for (;;) {
        TACHO_TRY(torq_next_line(self->part.reading->input, &line, &got));
        if (!got) {
            return torq_host_pairing_finish(&self->pairing);
        }
        TACHO_TRY(is_r1 ? read_r1_line(self, line) : read_r2_line(self, line));
    }
}

static uint32_t covered_classes(generation which)
{
    uint32_t covered = TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY) |
                       TACHO_TRACK_BIT(TACHO_TRACK_CONTROL);
    return which >= R2H ? covered | TACHO_TRACK_BIT(TACHO_TRACK_RUNTIME) : covered;
}

static tacho_status read_all(host *self, const tacho_reading *reading, generation which)
{
    tacho_clock clock;
    tacho_clock_init(&clock, NS_PER_US, 1);
    tacho_part_facts facts = {
        .format = tacho_str_from_cstring(tacho_source_torq_host.name),
        .generation = tacho_str_from_cstring(generation_name(which)),
        .covered_classes = covered_classes(which),
    };
    TACHO_TRY(torq_origin_note_read(reading->path, &facts.origin));
    TACHO_TRY(torq_part_init(&self->part, reading, &facts, &clock, TACHO_STR("microseconds")));
    TACHO_TRY(torq_host_pairing_init(&self->pairing, &self->part));
    TACHO_TRY(tacho_index_init(&self->run_index));
    TACHO_TRY(read_lines(self, which <= R1Q));
    return torq_part_finish(&self->part);
}

static tacho_status host_read(const tacho_reading *reading)
{
    tacho_str head;
    TACHO_TRY(tacho_input_peek(reading->input, TACHO_PROBE_BYTES, &head));
    host self = {.run = TACHO_NONE};
    tacho_status status = read_all(&self, reading, find_generation(head));
    torq_host_pairing_deinit(&self.pairing);
    tacho_index_deinit(&self.run_index);
    torq_part_deinit(&self.part);
    return status;
}

const tacho_source tacho_source_torq_host = {
    .name = "torq-host",
    .title = "Torq host profile CSV (R1-R2i): measured microseconds",
    .probe = host_probe,
    .read = host_read,
    .options = torq_part_options,
};
