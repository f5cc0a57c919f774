/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forwards rows to the gatherers of the single analyses; at the end their results become keyed
 * rows.
 */
#include "questions/fleet/fleet_gather.h"

#include "questions/ops/ops.h"
#include "base/grow.h"
#include "base/utf8.h"
#include "profile/capture_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    REASON_BYTES = 256,
    DEVICE_HEAD_BYTES = TACHO_FLEET_ID_BYTES + 1,
    DEVICE_NAME_BYTES = 1024,
    DEVICE_NUMBER_BYTES = 16,
};

#define KIND(name) (1U << TACHO_WORK_##name)

static tacho_fleet_gather *gather_of(tacho_events *events)
{
    return (tacho_fleet_gather *)(void *)events;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static void take_time(tacho_fleet_gather *gather, const int64_t times_ns[2])
{
    gather->first_ns =
        gather->has_time && gather->first_ns <= times_ns[0] ? gather->first_ns : times_ns[0];
    gather->end_ns =
        gather->has_time && gather->end_ns >= times_ns[1] ? gather->end_ns : times_ns[1];
    gather->has_time = true;
}

static tacho_status gather_row(tacho_events *events, const tacho_row *row)
{
    tacho_fleet_gather *gather = gather_of(events);
    if ((gather->sections & TACHO_FLEET_DEVICES) != 0) {
        TACHO_TRY(tacho_events_row(&gather->breakdown.events, row));
    }
    const tacho_clock *clock = tacho_dict_track_clock(events->dict, row->track);
    const int64_t times_ns[2] = {tacho_clock_ns(clock, row->start),
                                 tacho_clock_ns(clock, tacho_row_end(row))};
    take_time(gather, times_ns);
    TACHO_TRY(tacho_fleet_digest_add(&gather->digest, events->dict, row));
    if (row->kind != TACHO_ROW_SPAN) {
        return TACHO_OK;
    }
    if ((gather->sections & TACHO_FLEET_OPS) != 0) {
        TACHO_TRY(tacho_events_row(&gather->ops.events, row));
    }
    gather->span_count += (row->of.span.flags & TACHO_SPAN_INSTANT) == 0 ? 1 : 0;
    return tacho_fleet_marks_add(&gather->marks, events->dict, row, times_ns);
}

static tacho_status end_part(tacho_events *events, uint32_t part)
{
    tacho_fleet_gather *gather = gather_of(events);
    TACHO_TRY(tacho_fleet_marks_end_part(&gather->marks, part));
    return (gather->sections & TACHO_FLEET_DEVICES) != 0
               ? tacho_events_end_part(&gather->breakdown.events, part)
               : TACHO_OK;
}

static tacho_status finish(tacho_events *events)
{
    tacho_fleet_gather *gather = gather_of(events);
    return (gather->sections & TACHO_FLEET_DEVICES) != 0
               ? tacho_events_finish(&gather->breakdown.events)
               : TACHO_OK;
}

void tacho_fleet_gather_init(tacho_fleet_gather *gather, tacho_dict *dict, unsigned sections)
{
    static const tacho_events_vtable vtable = {
        .row = gather_row, .end_part = end_part, .finish = finish};
    *gather = (tacho_fleet_gather){.events = {&vtable, dict}, .sections = sections};
    tacho_fleet_marks_init(&gather->marks, dict, sections);
    tacho_ops_gather_init(&gather->ops, dict);
    tacho_breakdown_gather_init(&gather->breakdown, dict);
    tacho_breakdown_omit_story(&gather->breakdown);
}

void tacho_fleet_gather_deinit(tacho_fleet_gather *gather)
{
    tacho_ops_gather_deinit(&gather->ops);
    tacho_breakdown_gather_deinit(&gather->breakdown);
    tacho_fleet_marks_deinit(&gather->marks);
    tacho_fleet_digest_deinit(&gather->digest);
}

/* ---- operations ---------------------------------------------------------------------------- */

static tacho_status fold_op(const tacho_ops *ops, size_t index, tacho_fleet *fleet)
{
    const tacho_op_row *row = &ops->rows[index];
    tacho_op_sums *sums = &ops->sums[index];
    tacho_str name =
        tacho_utf8_cut(tacho_dict_string(ops->dict, row->name), TACHO_FLEET_TEXT_MAX - 2);
    char *key = malloc(name.len + 2);
    if (key == NULL) {
        return tacho_no_memory();
    }
    key[0] = (char)row->origin;
    key[1] = (char)row->track_class;
    memcpy(key + 2, name.data, name.len);
    tacho_fleet_row made = {
        .count = row->count,
        .total_ns = sums->total_ns,
        .inner_ns = sums->inner_ns,
        .least = {.ns = row->min_ns},
        .most = {.ns = row->max_ns},
        .has_bytes = row->has_bytes,
        .bytes = row->bytes,
        .durations = &sums->durations,
    };
    const tacho_fleet_amount amount = {
        .key = tacho_str_make(key, name.len + 2),
        .row = &made,
        .location = row->location != TACHO_NONE
                        ? tacho_dict_string(ops->dict, ops->dict->locations[row->location].text)
                        : TACHO_STR(""),
    };
    tacho_status status = tacho_fleet_add(fleet, TACHO_FLEET_TABLE_OPS, &amount);
    free(key);
    return status;
}

static tacho_status fold_ops(const tacho_fleet_gather *gather, uint64_t id, tacho_fleet *fleet)
{
    const tacho_ops_options options = {.sort = TACHO_OPS_BY_SELF};
    tacho_ops ops;
    tacho_status status = tacho_ops_init_sums(&ops, &gather->ops, &options);
    for (size_t i = 0; i < ops.row_count && status == TACHO_OK; i++) {
        status = fold_op(&ops, i, fleet);
    }
    tacho_ops_deinit(&ops);
    tacho_fleet_table *table = &fleet->tables[TACHO_FLEET_TABLE_OPS];
    for (size_t i = 0; i < table->row_count; i++) {
        tacho_fleet_row *row = &table->rows[i];
        tacho_i128 self_ns = row->total_ns - row->inner_ns;
        row->file_count = 1;
        row->least.file = row->most.file = row->largest.file = id;
        row->largest.ns = self_ns > INT64_MAX ? INT64_MAX : self_ns < 0 ? 0 : (int64_t)self_ns;
    }
    return status;
}

/* ---- devices ------------------------------------------------------------------------------- */

static void take_times(const tacho_device_time *time, int64_t *numbers)
{
    const tacho_kind_time *busy = &time->busy;
    const unsigned both = KIND(COMPUTE) | KIND(COMMUNICATION);
    numbers[TACHO_FLEET_SPAN_NS] = tacho_device_time_span(time);
    numbers[TACHO_FLEET_BUSY_NS] = tacho_kind_time_sum(busy, both | KIND(COPY), 0);
    numbers[TACHO_FLEET_COMPUTE_NS] = tacho_kind_time_sum(busy, KIND(COMPUTE), 0);
    numbers[TACHO_FLEET_COMMUNICATION_NS] = tacho_kind_time_sum(busy, KIND(COMMUNICATION), 0);
    numbers[TACHO_FLEET_EXPOSED_COMMUNICATION_NS] =
        tacho_kind_time_sum(busy, KIND(COMMUNICATION), KIND(COMPUTE));
    numbers[TACHO_FLEET_COPY_NS] = tacho_kind_time_sum(busy, KIND(COPY), 0);
    numbers[TACHO_FLEET_EXPOSED_COPY_NS] = tacho_kind_time_sum(busy, KIND(COPY), both);
    for (size_t i = 0; i < TACHO_IDLE_CAUSE_COUNT; i++) {
        numbers[TACHO_FLEET_HOST_LATE_NS + i] = time->idle.causes[i];
    }
    numbers[TACHO_FLEET_GAP_COUNT] = (int64_t)time->idle.gap_count;
    numbers[TACHO_FLEET_LONGEST_NS] = time->idle.longest_ns;
}

static tacho_status take_launches(const tacho_launch_stats *stats, tacho_fleet_device *device)
{
    int64_t *numbers = device->numbers;
    numbers[TACHO_FLEET_LAUNCH_COUNT] += (int64_t)stats->count;
    numbers[TACHO_FLEET_DELAY_SUM_NS] =
        tacho_cycles_add(numbers[TACHO_FLEET_DELAY_SUM_NS], stats->delay_sum_ns);
    numbers[TACHO_FLEET_DELAY_MAX_NS] =
        tacho_most(numbers[TACHO_FLEET_DELAY_MAX_NS], stats->delay_max_ns);
    numbers[TACHO_FLEET_CALL_COUNT] += (int64_t)stats->call_count;
    numbers[TACHO_FLEET_CALL_SUM_NS] =
        tacho_cycles_add(numbers[TACHO_FLEET_CALL_SUM_NS], stats->call_sum_ns);
    numbers[TACHO_FLEET_SHORT_COUNT] += (int64_t)stats->short_count;
    numbers[TACHO_FLEET_QUEUE_MAX] =
        tacho_most(numbers[TACHO_FLEET_QUEUE_MAX], (int64_t)stats->queue_max);
    return tacho_durations_merge(&device->delays, &stats->delays);
}

/* Prints the name of a device, up to a thousand bytes; in a file with several parts, with its
 * part. */
static int print_device(const tacho_dict *dict, const tacho_breakdown_device *device, char *to,
                        size_t room)
{
    enum { HALF_BYTES = 500 };
    const tacho_part *part = &dict->parts[device->part];
    tacho_str group = tacho_dict_string(dict, tacho_dict_track_name(dict, device->group));
    tacho_str name = tacho_dict_string(dict, part->name);
    group = tacho_utf8_cut(group, HALF_BYTES);
    name = tacho_utf8_cut(name, HALF_BYTES);
    if (dict->part_count == 1) {
        group.len = device->group == part->root ? 0 : group.len;
        return snprintf(to, room, "%.*s", TACHO_STR_ARG(group));
    }
    return device->group == part->root
               ? snprintf(to, room, "%.*s", TACHO_STR_ARG(name))
               : snprintf(to, room, "%.*s: %.*s", TACHO_STR_ARG(name), TACHO_STR_ARG(group));
}

/* The number of devices of each name so far. */
typedef struct device_names {
    tacho_strings names;
    uint32_t *counts; /* by string */
    size_t count_capacity;
} device_names;

static tacho_status count_name(device_names *seen, tacho_str name, uint32_t **out_count)
{
    uint32_t id = 0;
    size_t before = seen->names.item_count;
    TACHO_TRY(tacho_strings_ensure(&seen->names, name, &id));
    TACHO_TRY(tacho_grow(&seen->counts, &seen->count_capacity, (size_t)id + 1));
    if (id >= before) {
        seen->counts[id] = 0;
    }
    *out_count = &seen->counts[id];
    return TACHO_OK;
}

/* Adds a new device: the second with one name, or with the same first bytes, is called "name
 * (2)". */
static tacho_status ensure_device(tacho_fleet *fleet, device_names *seen, char *key,
                                  size_t name_len, tacho_fleet_device **out_device)
{
    uint32_t *count = NULL;
    size_t len = DEVICE_HEAD_BYTES + name_len;
    *out_device = NULL;
    TACHO_TRY(count_name(seen, tacho_str_make(key + TACHO_FLEET_ID_BYTES, name_len + 1), &count));
    while (*out_device == NULL) {
        if (*count > 0) {
            size_t at = tacho_least(name_len, DEVICE_NAME_BYTES - DEVICE_NUMBER_BYTES);
            len = DEVICE_HEAD_BYTES + at +
                  (size_t)snprintf(key + DEVICE_HEAD_BYTES + at, DEVICE_NUMBER_BYTES,
                                   " (%" PRIu32 ")", *count + 1);
        }
        ++*count;
        TACHO_TRY(tacho_fleet_ensure_device(fleet, tacho_str_make(key, len), out_device));
    }
    return TACHO_OK;
}

static tacho_status fold_device(const tacho_breakdown_device *from, const tacho_dict *dict,
                                uint64_t id, device_names *seen, tacho_fleet *fleet)
{
    char key[DEVICE_HEAD_BYTES + DEVICE_NAME_BYTES];
    tacho_fleet_put_id(key, id);
    key[TACHO_FLEET_ID_BYTES] = (char)from->origin;
    int printed = print_device(dict, from, key + DEVICE_HEAD_BYTES, DEVICE_NAME_BYTES);
    size_t name_len = printed < DEVICE_NAME_BYTES ? (size_t)printed : DEVICE_NAME_BYTES - 1;
    tacho_fleet_device *device = NULL;
    TACHO_TRY(ensure_device(fleet, seen, key, name_len, &device));
    take_times(&from->time, device->numbers);
    for (size_t i = 0; i < from->stream_count; i++) {
        device->numbers[TACHO_FLEET_WORK_COUNT] += (int64_t)from->time.streams[i].work_count;
        TACHO_TRY(take_launches(&from->streams[i].launches, device));
    }
    bool is_large = device->delays.count > TACHO_FLEET_EXACT_OF_ROW && device->delays.is_exact;
    return is_large ? tacho_durations_compact(&device->delays) : TACHO_OK;
}

static tacho_status fold_devices(const tacho_breakdown_gather *gather, uint64_t id,
                                 tacho_fleet *fleet)
{
    device_names seen = {.count_capacity = 0};
    tacho_status status = tacho_strings_init(&seen.names);
    for (size_t i = 0; i < gather->device_count && status == TACHO_OK; i++) {
        status = fold_device(&gather->devices[i], gather->events.dict, id, &seen, fleet);
    }
    tacho_strings_deinit(&seen.names);
    free(seen.counts);
    return status;
}

/* ---- the file ------------------------------------------------------------------------------ */

static tacho_str find_metadata(const tacho_dict *dict, const char *key)
{
    for (size_t i = 0; i < dict->metadata_count; i++) {
        if (tacho_str_equal(tacho_dict_string(dict, dict->metadata[i].key),
                            tacho_str_from_cstring(key))) {
            return tacho_dict_string(dict, dict->metadata[i].value);
        }
    }
    return TACHO_STR("");
}

static int64_t find_number(const tacho_dict *dict, const char *key, int64_t otherwise)
{
    uint64_t value = 0;
    bool is_number = tacho_str_parse_u64(find_metadata(dict, key), &value) && value <= INT32_MAX;
    return is_number ? (int64_t)value : otherwise;
}

/* The rank in the file itself; -1: none. */
static int64_t own_rank(const tacho_dict *dict)
{
    int64_t rank = find_number(dict, TACHO_CAPTURE_RANK, -1);
    return find_number(dict, "chrome.distributedInfo.rank", rank);
}

/* The rank in the path, from a directory or the name of the file; -1: none. */
static int64_t rank_of(const tacho_fleet_origin *origin)
{
    return origin->rank >= 0 ? origin->rank : origin->name_rank;
}

/* How many ranks the job has; 0: not known. */
static int64_t world_size_of(const tacho_dict *dict)
{
    int64_t world_size = find_number(dict, TACHO_CAPTURE_WORLD_SIZE, 0);
    return find_number(dict, "chrome.distributedInfo.world_size", world_size);
}

/* Whether the file has all its calls: an incomplete order matches nothing. */
static bool is_whole(const tacho_fleet_gather *gather)
{
    return gather->events.dict->loss_count == 0 && !gather->is_cut_out;
}

/*
 * Hash of the file's contents and its rank (from the file or its directory), so that ranks with
 * exactly the same work are not taken for copies. Files without rows have unique hashes.
 */
static uint64_t content_of(const tacho_fleet_gather *gather, const tacho_fleet_origin *origin,
                           int64_t rank)
{
    uint64_t sum = tacho_fleet_digest_sum(&gather->digest, gather->events.dict);
    int64_t zero_ns = 0;
    bool has_zero = tacho_fleet_gather_zero(gather, &zero_ns);
    sum = has_zero ? tacho_fleet_mix(sum, (uint64_t)zero_ns) : sum;
    sum = gather->digest.row_count == 0 ? tacho_fleet_mix_text(sum, origin->path) : sum;
    /* Sums also depend on whether the file is complete, and on which groups are whole. */
    sum = tacho_fleet_mix(sum, is_whole(gather) ? 1 : 0);
    sum = tacho_fleet_mix(sum, (uint64_t)world_size_of(gather->events.dict));
    return tacho_fleet_mix(sum, (uint64_t)rank);
}

/*
 * The number of a file begins with its rank, so that ties are broken by the least rank; files
 * without a rank, or with an implausible one, follow all others.
 */
static uint64_t number_of(uint64_t identity, int64_t rank)
{
    enum { RANK_SHIFT = 44, RANK_END = 1 << 19 };
    const uint64_t last = UINT64_C(1) << 63;
    if (rank < 0 || rank >= RANK_END) {
        return identity | last;
    }
    identity &= (UINT64_C(1) << RANK_SHIFT) - 1;
    identity = identity != 0 ? identity : 1; /* 0 is for files that could not be read */
    return (uint64_t)rank << RANK_SHIFT | identity;
}

/* A signed number; 0 if the text is not a number. */
static int64_t find_signed(const tacho_dict *dict, const char *key)
{
    tacho_str text = find_metadata(dict, key);
    uint64_t value = 0;
    bool is_negative = text.len > 0 && text.data[0] == '-';
    text = is_negative ? tacho_str_from(text, 1) : text;
    bool is_number = tacho_str_parse_u64(text, &value) && value <= INT64_MAX;
    value = is_number ? tacho_least(value, TACHO_FLEET_TIME_MAX) : 0;
    return is_negative ? -(int64_t)value : (int64_t)value;
}

/* Sets rank and size: the rank in a directory overrides the file's own, which overrides the one in
 * its name. */
static void take_rank(const tacho_dict *dict, const tacho_fleet_origin *origin,
                      tacho_fleet_file *file)
{
    file->world_size = world_size_of(dict);
    int64_t rank = own_rank(dict);
    file->rank = origin->rank >= 0 || rank < 0 ? rank_of(origin) : rank;
    file->own_rank = origin->rank >= 0 && rank != origin->rank ? rank : -1;
}

/* Prints the place of |loss|, at which an input ends early. */
static void describe_cut(const tacho_dict *dict, const tacho_loss *loss, char *to, size_t room)
{
    tacho_str place = tacho_dict_string(dict, loss->example);
    if (tacho_str_starts_with(place, TACHO_STR("byte "))) {
        snprintf(to, room, "at %.*s; what follows is missing", (int)tacho_least(place.len, 32),
                 place.data);
    } else if (loss->first_line > 0) {
        snprintf(to, room, "at line %" PRIu64 "; what follows is missing", loss->first_line);
    } else {
        snprintf(to, room, "the end is missing or damaged");
    }
}

static void take_losses(const tacho_dict *dict, tacho_fleet_file *file, char *reason, size_t room)
{
    reason[0] = '\0';
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        file->lost_count += loss->count;
        if (loss->reason == TACHO_LOSS_CUT_INPUT && file->state != TACHO_FLEET_CUT) {
            file->state = TACHO_FLEET_CUT;
            describe_cut(dict, loss, reason, room);
        } else if (file->state == TACHO_FLEET_READ) {
            file->state = TACHO_FLEET_LOSSY;
            snprintf(reason, room, "%s", tacho_loss_phrase(loss->reason));
        }
    }
    file->lost_count = tacho_least(file->lost_count, TACHO_LOSS_MAX);
}

static tacho_status ensure_file(tacho_fleet *fleet, const tacho_fleet_origin *origin, uint64_t id,
                                tacho_fleet_file **out_file)
{
    char key[TACHO_FLEET_ID_BYTES + 4096];
    size_t room = sizeof(key) - TACHO_FLEET_ID_BYTES;
    size_t len = origin->path.len < room ? origin->path.len : room;
    tacho_fleet_put_id(key, id);
    memcpy(key + TACHO_FLEET_ID_BYTES, origin->path.data, len);
    TACHO_TRY(
        tacho_fleet_ensure_file(fleet, tacho_str_make(key, TACHO_FLEET_ID_BYTES + len), out_file));
    if (*out_file == NULL) {
        return TACHO_OK; /* already listed */
    }
    TACHO_TRY(tacho_fleet_text(fleet, origin->run, &(*out_file)->run));
    TACHO_TRY(tacho_fleet_text(fleet, origin->host, &(*out_file)->host));
    (*out_file)->rank = rank_of(origin);
    return TACHO_OK;
}

/* The program that wrote the file: the generation of the format and its versions. */
static tacho_status take_writer(const tacho_dict *dict, tacho_fleet *fleet, uint32_t *out_writer)
{
    static const char *const keys[][2] = {{"chrome.schemaVersion", "schema"},
                                          {"chrome.cuda_runtime_version", "CUDA"},
                                          {"chrome.cuda_driver_version", "driver"}};
    char text[512];
    tacho_str format = tacho_dict_string(dict, dict->parts[0].format);
    tacho_str generation = tacho_dict_string(dict, dict->parts[0].generation);
    int at = snprintf(text, sizeof(text), "%.*s%s%.*s", (int)tacho_least(format.len, 64),
                      format.data, generation.len > 0 ? " " : "",
                      (int)tacho_least(generation.len, 128), generation.data);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        tacho_str value = find_metadata(dict, keys[i][0]);
        if (value.len > 0) {
            at += snprintf(text + at, sizeof(text) - (size_t)at, ", %s %.*s", keys[i][1],
                           (int)tacho_least(value.len, 64), value.data);
        }
    }
    return tacho_fleet_text(fleet, tacho_str_make(text, (size_t)at), out_writer);
}

/* How the clock of a file relates to the time of day. */
typedef struct day_clock {
    int64_t offset_ns; /* time since 1970 ahead of the clock; 0: not known */
    int64_t error_ns;  /* -1: not known */
} day_clock;

/* The time zero of the first part, by the file's own clock. */
static int64_t own_zero_of(const tacho_dict *dict)
{
    const tacho_clock *clock = &dict->clocks[dict->parts[0].clock];
    return (int64_t)tacho_scale_floor(clock->zero_ticks, clock->ns_numerator,
                                      clock->ns_denominator);
}

/*
 * Captures have an anchor. PyTorch's times are those of the day since 1970, or since a moment that
 * the trace gives: both have a resolution of a microsecond or less.
 */
static day_clock day_clock_of(const tacho_dict *dict)
{
    enum { PYTORCH_ERROR_NS = 1000 };
    if (find_metadata(dict, TACHO_CLOCK_OFFSET).len > 0) {
        return (day_clock){find_signed(dict, TACHO_CLOCK_OFFSET),
                           find_signed(dict, TACHO_CLOCK_ERROR)};
    }
    int64_t zero_ns = dict->part_count > 0 ? own_zero_of(dict) : 0;
    int64_t base_ns = find_signed(dict, "chrome.baseTimeNanoseconds");
    base_ns = zero_ns < TACHO_FLEET_DAY_LEAST && base_ns < TACHO_FLEET_TIME_MAX ? base_ns : 0;
    bool is_known = base_ns >= TACHO_FLEET_DAY_LEAST || zero_ns >= TACHO_FLEET_DAY_LEAST;
    return is_known ? (day_clock){base_ns, PYTORCH_ERROR_NS} : (day_clock){0, -1};
}

/* The time zero of the first part, since 1970 if the file knows that. */
static int64_t zero_of(const tacho_dict *dict)
{
    int64_t zero_ns = own_zero_of(dict);
    int64_t sum_ns = 0;
    return __builtin_add_overflow(zero_ns, day_clock_of(dict).offset_ns, &sum_ns) ? zero_ns
                                                                                  : sum_ns;
}

bool tacho_fleet_gather_zero(const tacho_fleet_gather *gather, int64_t *out_zero_ns)
{
    const tacho_dict *dict = gather->events.dict;
    *out_zero_ns = dict->part_count == 1 ? zero_of(dict) : 0;
    return dict->part_count == 1;
}

/* The moment |ns| after zero; times of a damaged file may be arbitrarily large. */
static int64_t moment_of(int64_t ns, int64_t zero_ns)
{
    tacho_i128 moment = (tacho_i128)ns + zero_ns;
    return moment > TACHO_FLEET_TIME_MAX    ? TACHO_FLEET_TIME_MAX
           : moment < -TACHO_FLEET_TIME_MAX ? -TACHO_FLEET_TIME_MAX
                                            : (int64_t)moment;
}

static tacho_status fold_file(const tacho_fleet_gather *gather, const tacho_fleet_origin *origin,
                              uint64_t id, tacho_fleet *fleet)
{
    const tacho_dict *dict = gather->events.dict;
    tacho_fleet_file *file = NULL;
    char reason[REASON_BYTES];
    TACHO_TRY(ensure_file(fleet, origin, id, &file));
    take_losses(dict, file, reason, sizeof(reason));
    TACHO_TRY(tacho_fleet_text(fleet, tacho_str_from_cstring(reason), &file->reason));
    file->span_count = gather->span_count;
    file->clock_step_ns = find_signed(dict, TACHO_CLOCK_STEP);
    take_rank(dict, origin, file);
    const day_clock day = day_clock_of(dict);
    file->clock_offset_ns = day.offset_ns;
    file->clock_error_ns = day.error_ns;
    if (dict->part_count > 0) {
        int64_t zero_ns = zero_of(dict);
        file->first_ns = moment_of(gather->first_ns, zero_ns);
        file->end_ns = moment_of(gather->end_ns, zero_ns);
        tacho_str format = tacho_dict_string(dict, dict->parts[0].format);
        TACHO_TRY(tacho_fleet_text(fleet, format, &file->format));
        TACHO_TRY(take_writer(dict, fleet, &file->writer));
    }
    return TACHO_OK;
}

/* Completes |origin| with facts from the file that the path does not have. */
static tacho_fleet_origin complete(const tacho_dict *dict, const tacho_fleet_origin *origin)
{
    tacho_fleet_origin whole = *origin;
    whole.run = whole.run.len > 0 ? whole.run : find_metadata(dict, TACHO_CAPTURE_RUN);
    whole.run = whole.run.len > 0 ? whole.run : whole.name_run;
    whole.host = whole.host.len > 0 ? whole.host : find_metadata(dict, TACHO_CAPTURE_HOST);
    whole.host = whole.host.len > 0 ? whole.host : find_metadata(dict, "chrome.host_name");
    whole.host = whole.host.len > 0 ? whole.host : whole.name_host;
    return whole;
}

tacho_status tacho_fleet_gather_fold(tacho_fleet_gather *gather, const tacho_fleet_origin *origin,
                                     tacho_fleet *fleet)
{
    const tacho_fleet_origin whole = complete(gather->events.dict, origin);
    int64_t own = own_rank(gather->events.dict);
    int64_t rank = own >= 0 ? own : rank_of(&whole);
    gather->content = content_of(gather, &whole, rank);
    gather->identity = tacho_fleet_mix_text(gather->content, whole.run);
    uint64_t id = number_of(gather->identity, rank);
    TACHO_TRY(fold_file(gather, &whole, id, fleet));
    if ((gather->sections & TACHO_FLEET_OPS) != 0) {
        TACHO_TRY(fold_ops(gather, id, fleet));
    }
    TACHO_TRY(fold_devices(&gather->breakdown, id, fleet));
    tacho_fleet_owner owner = {.id = id, .run = whole.run};
    owner.is_whole = is_whole(gather);
    owner.world_size = fleet->files[fleet->file_count - 1].world_size; /* of this one */
    owner.has_zero = tacho_fleet_gather_zero(gather, &owner.zero_ns);
    return tacho_fleet_marks_fold(&gather->marks, gather->events.dict, &owner, fleet);
}

tacho_status tacho_fleet_add_failed(tacho_fleet *fleet, const tacho_fleet_origin *origin,
                                    tacho_str reason)
{
    tacho_fleet_file *file = NULL;
    TACHO_TRY(ensure_file(fleet, origin, 0, &file));
    if (file == NULL) {
        return TACHO_OK;
    }
    file->state = TACHO_FLEET_FAILED;
    tacho_str run = origin->run.len > 0 ? origin->run : origin->name_run;
    TACHO_TRY(tacho_fleet_text(fleet, run, &file->run));
    return tacho_fleet_text(fleet, reason, &file->reason);
}
