/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearly every packet of a sequence uses one clock and falls within one snapshot: that case costs
 * an addition and two comparisons.
 */
#include "sources/perfetto/clocks.h"

#include "base/grow.h"
#include "sources/perfetto/fields.h"

#include <stdlib.h>

tacho_status pfr_clocks_init(pfr_clocks *clocks)
{
    *clocks = (pfr_clocks){.trace_clock = PF_CLOCK_BOOTTIME};
    TACHO_TRY(tacho_index_init(&clocks->index));
    return tacho_index_init(&clocks->series_index);
}

void pfr_clocks_deinit(pfr_clocks *clocks)
{
    for (size_t i = 0; i < clocks->series_count; i++) {
        free(clocks->series[i].values);
    }
    free(clocks->series);
    free(clocks->items);
    tacho_index_deinit(&clocks->index);
    tacho_index_deinit(&clocks->series_index);
}

static uint64_t key_of(uint32_t sequence, uint32_t clock_id)
{
    bool is_private = clock_id >= PF_CLOCK_DELTA && clock_id < PF_CLOCK_PRIVATE_END;
    return is_private ? (uint64_t)sequence << 32 | clock_id : clock_id;
}

static bool is_private(uint64_t key)
{
    uint32_t id = (uint32_t)key;
    return id >= PF_CLOCK_DELTA && id < PF_CLOCK_PRIVATE_END;
}

static uint32_t find_clock(const pfr_clocks *clocks, uint64_t key, uint32_t *out_hash)
{
    *out_hash = tacho_index_hash(&clocks->index, tacho_str_make((const char *)&key, sizeof(key)));
    size_t at = tacho_index_begin(&clocks->index, *out_hash);
    uint32_t id = TACHO_NONE;
    while ((id = tacho_index_next(&clocks->index, *out_hash, &at)) != TACHO_NONE &&
           clocks->items[id].key != key) {
    }
    return id;
}

static tacho_status ensure_clock(pfr_clocks *clocks, uint64_t key, uint32_t *out_id)
{
    uint32_t hash = 0;
    *out_id = find_clock(clocks, key, &hash);
    if (*out_id != TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&clocks->items, &clocks->item_capacity, clocks->item_count + 1));
    *out_id = (uint32_t)clocks->item_count;
    clocks->items[clocks->item_count++] = (pfr_clock){.key = key, .unit_ns = 1};
    return tacho_index_add(&clocks->index, hash, *out_id);
}

/* ---- snapshots -------------------------------------------------------------------------- */

/* A snapshot as it is read. */
typedef struct snapshot {
    uint64_t keys[PFR_SNAPSHOT_CLOCKS_MAX];
    int64_t values[PFR_SNAPSHOT_CLOCKS_MAX]; /* ns */
    int64_t units[PFR_SNAPSHOT_CLOCKS_MAX];
    bool incremental[PFR_SNAPSHOT_CLOCKS_MAX];
    uint32_t count;
    uint64_t primary;
} snapshot;

static bool read_clock(uint32_t sequence, tacho_str bytes, snapshot *out_snapshot)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint64_t id = 0;
    uint64_t time = 0;
    uint64_t unit = 1;
    bool is_incremental = false;
    tacho_pb_reader_init(&reader, bytes);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_CLOCK_ID):
            id = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_CLOCK_TIMESTAMP):
            time = field.value;
            break;
        case TACHO_PB_KEY_VARINT(PF_CLOCK_IS_INCREMENTAL):
            is_incremental = field.value != 0;
            break;
        case TACHO_PB_KEY_VARINT(PF_CLOCK_UNIT_NS):
            unit = field.value == 0 ? 1 : field.value;
            break;
        default:
            break;
        }
    }
    uint32_t at = out_snapshot->count;
    if (!tacho_pb_is_sound(&reader) || id == 0 || id > UINT32_MAX ||
        at == PFR_SNAPSHOT_CLOCKS_MAX || time > INT64_MAX || unit > INT64_MAX ||
        __builtin_mul_overflow((int64_t)time, (int64_t)unit, &out_snapshot->values[at])) {
        return false;
    }
    out_snapshot->keys[at] = key_of(sequence, (uint32_t)id);
    out_snapshot->units[at] = (int64_t)unit;
    out_snapshot->incremental[at] = is_incremental;
    for (uint32_t i = 0; i < at; i++) {
        if (out_snapshot->keys[i] == out_snapshot->keys[at]) {
            return false;
        }
    }
    out_snapshot->count++;
    bool may_increment = is_private(out_snapshot->keys[at]) && sequence != 0;
    return may_increment || !(is_incremental || is_private(out_snapshot->keys[at]));
}

static bool read_snapshot(uint32_t sequence, tacho_str bytes, snapshot *out_snapshot)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    out_snapshot->count = 0;
    out_snapshot->primary = 0;
    tacho_pb_reader_init(&reader, bytes);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_SNAPSHOT_CLOCKS)) {
            if (!read_clock(sequence, field.bytes, out_snapshot)) {
                return false;
            }
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_VARINT(PF_SNAPSHOT_PRIMARY)) {
            out_snapshot->primary = field.value;
        }
    }
    return tacho_pb_is_sound(&reader) && out_snapshot->count > 0;
}

/* The series of the clocks |ids|, added if missing. */
static tacho_status ensure_series(pfr_clocks *clocks, const uint32_t *ids, uint32_t count,
                                  uint32_t *out_series)
{
    size_t size = count * sizeof(*ids);
    uint32_t hash =
        tacho_index_hash(&clocks->series_index, tacho_str_make((const char *)ids, size));
    size_t at = tacho_index_begin(&clocks->series_index, hash);
    while ((*out_series = tacho_index_next(&clocks->series_index, hash, &at)) != TACHO_NONE) {
        const pfr_clock_series *found = &clocks->series[*out_series];
        if (found->clock_count == count && memcmp(found->clocks, ids, size) == 0) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&clocks->series, &clocks->series_capacity, clocks->series_count + 1));
    *out_series = (uint32_t)clocks->series_count;
    clocks->series[clocks->series_count] = (pfr_clock_series){.clock_count = count};
    memcpy(clocks->series[clocks->series_count++].clocks, ids, size);
    for (uint32_t i = 0; i < count; i++) {
        pfr_clock *clock = &clocks->items[ids[i]];
        if (clock->series_count < PFR_CLOCK_SERIES_MAX) {
            clock->series[clock->series_count++] = *out_series;
        }
    }
    return tacho_index_add(&clocks->series_index, hash, *out_series);
}

/* Adds a row, unless some clock went back: then the earlier rows are the better ones. */
static tacho_status add_row(pfr_clock_series *series, const int64_t *values)
{
    size_t count = series->clock_count;
    bool is_new = series->row_count == 0;
    for (size_t i = 0; i < count && series->row_count > 0; i++) {
        int64_t last = series->values[(series->row_count - 1) * count + i];
        if (values[i] < last) {
            return TACHO_OK;
        }
        is_new = is_new || values[i] != last;
    }
    if (!is_new) {
        return TACHO_OK;
    }
    TACHO_TRY(
        tacho_grow(&series->values, &series->value_capacity, (series->row_count + 1) * count));
    memcpy(series->values + series->row_count++ * count, values, count * sizeof(*values));
    return TACHO_OK;
}

/*
 * The trace clock is the one that the first snapshot with a primary clock names; else a file clock,
 * if any.
 */
static void choose_trace_clock(pfr_clocks *clocks, const snapshot *from)
{
    for (uint32_t i = 0; i < from->count && !clocks->has_primary; i++) {
        clocks->trace_clock =
            from->keys[i] == PF_CLOCK_TRACE_FILE ? PF_CLOCK_TRACE_FILE : clocks->trace_clock;
    }
    if (from->primary != 0 && !clocks->has_primary) {
        clocks->trace_clock = from->primary;
        clocks->has_primary = true;
    }
}

tacho_status pfr_clocks_add(pfr_clocks *clocks, uint32_t sequence, tacho_str bytes, bool *out_good)
{
    snapshot read;
    uint32_t ids[PFR_SNAPSHOT_CLOCKS_MAX];
    uint32_t series = 0;
    *out_good = read_snapshot(sequence, bytes, &read);
    if (!*out_good) {
        return TACHO_OK;
    }
    choose_trace_clock(clocks, &read);
    for (uint32_t i = 0; i < read.count; i++) {
        TACHO_TRY(ensure_clock(clocks, read.keys[i], &ids[i]));
        pfr_clock *clock = &clocks->items[ids[i]];
        clock->unit_ns = read.units[i];
        clock->is_incremental = read.incremental[i];
        clock->is_set = true;
        clock->last_ns = read.values[i];
    }
    clocks->snapshot_count++; /* invalidates cached conversions */
    TACHO_TRY(ensure_series(clocks, ids, read.count, &series));
    return add_row(&clocks->series[series], read.values);
}

void pfr_clocks_forget(pfr_clocks *clocks, uint32_t sequence)
{
    for (uint32_t id = PF_CLOCK_DELTA; id < PF_CLOCK_PRIVATE_END && clocks->item_count > 0; id++) {
        uint32_t hash = 0;
        uint32_t clock = find_clock(clocks, key_of(sequence, id), &hash);
        if (clock != TACHO_NONE && clocks->items[clock].is_incremental) {
            clocks->items[clock].is_set = false;
        }
    }
}

/* ---- conversion ------------------------------------------------------------------------- */

/* The column of |clock| in |series|, or TACHO_NONE. */
static uint32_t column_of(const pfr_clock_series *series, uint32_t clock)
{
    for (uint32_t i = 0; i < series->clock_count; i++) {
        if (series->clocks[i] == clock) {
            return i;
        }
    }
    return TACHO_NONE;
}

/* One hop from |from| to |to|. */
static bool find_hop(const pfr_clocks *clocks, uint32_t from, uint32_t to, pfr_clock_hop *out_hop)
{
    const pfr_clock *clock = &clocks->items[from];
    for (uint32_t i = 0; i < clock->series_count; i++) {
        const pfr_clock_series *series = &clocks->series[clock->series[i]];
        uint32_t column = column_of(series, to);
        if (column != TACHO_NONE && series->row_count > 0) {
            *out_hop = (pfr_clock_hop){clock->series[i], column_of(series, from), column};
            return true;
        }
    }
    return false;
}

static void find_way(pfr_clocks *clocks, uint32_t from, uint32_t to)
{
    pfr_clock *clock = &clocks->items[from];
    clock->searched_count = clocks->series_count;
    if (find_hop(clocks, from, to, &clock->hops[0])) {
        clock->hop_count = 1;
        return;
    }
    for (uint32_t i = 0; i < clock->series_count; i++) {
        const pfr_clock_series *series = &clocks->series[clock->series[i]];
        for (uint32_t middle = 0; middle < series->clock_count && series->row_count > 0; middle++) {
            if (series->clocks[middle] != from &&
                find_hop(clocks, series->clocks[middle], to, &clock->hops[1])) {
                clock->hops[0] = (pfr_clock_hop){clock->series[i], column_of(series, from), middle};
                clock->hop_count = 2;
                return;
            }
        }
    }
}

/* How far the clock |to| is ahead at |time|, and from when until when that holds. */
static bool read_hop(const pfr_clock_series *series, const pfr_clock_hop *hop, int64_t time,
                     pfr_clock *out_reach)
{
    size_t low = 0;
    size_t high = series->row_count; /* the first row after |time| */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (series->values[middle * series->clock_count + hop->from] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    size_t row = low > 0 ? low - 1 : 0;
    const int64_t *values = series->values + row * series->clock_count;
    out_reach->from_ns = low > 0 ? values[hop->from] : INT64_MIN;
    out_reach->until_ns =
        low < series->row_count ? series->values[low * series->clock_count + hop->from] : INT64_MAX;
    return !__builtin_sub_overflow(values[hop->to], values[hop->from], &out_reach->ahead_ns);
}

static bool is_way_known(const pfr_clock *clock, size_t series_count)
{
    return clock->hop_count > 0 || clock->searched_count == series_count;
}

tacho_status pfr_clocks_convert(pfr_clocks *clocks, uint32_t id, int64_t *ns,
                                pfr_time_result *out_result)
{
    pfr_clock *clock = &clocks->items[id];
    *out_result = PFR_TIME_OK;
    if (clock->key == clocks->trace_clock) {
        return TACHO_OK;
    }
    *out_result = PFR_TIME_UNKNOWN;
    if (!is_way_known(clock, clocks->series_count)) {
        uint32_t hash = 0;
        uint32_t target = find_clock(clocks, clocks->trace_clock, &hash);
        if (target != TACHO_NONE) {
            find_way(clocks, id, target);
        }
    }
    if (clock->hop_count == 0) {
        return TACHO_OK;
    }
    *out_result = PFR_TIME_OK;
    for (uint32_t i = 0; i < clock->hop_count; i++) {
        pfr_clock reach;
        bool fits = read_hop(&clocks->series[clock->hops[i].series], &clock->hops[i], *ns, &reach);
        if (clock->hop_count == 1) {
            clock->reach_of = clocks->snapshot_count;
            clock->from_ns = reach.from_ns;
            clock->until_ns = fits ? reach.until_ns : reach.from_ns;
            clock->ahead_ns = reach.ahead_ns;
        }
        if (!fits || __builtin_add_overflow(*ns, reach.ahead_ns, ns)) {
            *out_result = PFR_TIME_OVERFLOW;
            return TACHO_OK;
        }
    }
    return TACHO_OK;
}

/* The clock's reading in ns since its own zero. */
static pfr_time_result read_clock_value(pfr_clock *clock, uint64_t timestamp, int64_t *out_ns)
{
    int64_t scaled = 0;
    bool fits = clock->is_incremental || timestamp <= INT64_MAX;
    if (!fits || __builtin_mul_overflow((int64_t)timestamp, clock->unit_ns, &scaled)) {
        return PFR_TIME_OVERFLOW;
    }
    if (!clock->is_incremental) {
        *out_ns = scaled;
        return PFR_TIME_OK;
    }
    if (!clock->is_set) {
        return PFR_TIME_UNKNOWN;
    }
    if (__builtin_add_overflow(clock->last_ns, scaled, out_ns)) {
        return PFR_TIME_OVERFLOW;
    }
    clock->last_ns = *out_ns;
    return PFR_TIME_OK;
}

tacho_status pfr_clocks_read(pfr_clocks *clocks, uint32_t sequence, uint32_t clock_id,
                             uint64_t timestamp, int64_t *out_ns, uint32_t *out_clock,
                             pfr_time_result *out_result)
{
    *out_clock = TACHO_NONE;
    *out_result = timestamp > INT64_MAX ? PFR_TIME_OVERFLOW : PFR_TIME_OK;
    *out_ns = (int64_t)timestamp;
    if (clock_id == 0) {
        return TACHO_OK;
    }
    uint64_t key = key_of(sequence, clock_id);
    uint32_t hash = 0;
    uint32_t id = clocks->last_id;
    if (TACHO_UNLIKELY(id >= clocks->item_count || clocks->items[id].key != key)) {
        id = find_clock(clocks, key, &hash);
        clocks->last_id = id;
    }
    if (id == TACHO_NONE) {
        bool is_trace_clock =
            key == clocks->trace_clock || key == PF_CLOCK_BOOTTIME || key == PF_CLOCK_TRACE_FILE;
        if (is_trace_clock || *out_result != PFR_TIME_OK) {
            return TACHO_OK;
        }
        *out_result = is_private(key) ? PFR_TIME_UNKNOWN : PFR_TIME_LATER;
        return is_private(key) ? TACHO_OK : ensure_clock(clocks, key, out_clock);
    }
    pfr_clock *clock = &clocks->items[id];
    *out_result = read_clock_value(clock, timestamp, out_ns);
    if (*out_result != PFR_TIME_OK) {
        return TACHO_OK;
    }
    if (TACHO_LIKELY(clock->reach_of == clocks->snapshot_count && *out_ns >= clock->from_ns &&
                     *out_ns < clock->until_ns)) {
        if (__builtin_add_overflow(*out_ns, clock->ahead_ns, out_ns)) {
            *out_result = PFR_TIME_OVERFLOW;
        }
    } else {
        int64_t own_ns = *out_ns;
        TACHO_TRY(pfr_clocks_convert(clocks, id, out_ns, out_result));
        if (*out_result == PFR_TIME_UNKNOWN) {
            *out_result = PFR_TIME_LATER;
            *out_ns = own_ns;
            *out_clock = id;
        }
    }
    if (*out_result == PFR_TIME_OK && *out_ns < 0) {
        *out_result = PFR_TIME_NEGATIVE;
    }
    return TACHO_OK;
}
