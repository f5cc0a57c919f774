/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets of a power-of-two width; two neighbours become one whenever the range outgrows them.
 */
#include "questions/info/activity.h"

#include "base/maths.h"

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Doubles the width of all buckets. */
static void widen(tacho_activity *activity)
{
    int64_t old_first = activity->first;
    int64_t merged[TACHO_ACTIVITY_BUCKETS] = {0};
    activity->first = old_first / 2;
    activity->shift++;
    for (int64_t i = 0; i < TACHO_ACTIVITY_BUCKETS; i++) {
        /* (old_first + i) / 2 - first, without the sum that may overflow */
        merged[((old_first & 1) + i) / 2] += activity->busy[i];
    }
    memcpy(activity->busy, merged, sizeof(merged));
}

/* Moves the buckets up so that |bucket| becomes number 0; those moved out must be empty. */
static void move_first(tacho_activity *activity, int64_t bucket)
{
    int64_t distance = activity->first - bucket;
    for (int64_t i = TACHO_ACTIVITY_BUCKETS - 1; i >= 0; i--) {
        activity->busy[i] = i >= distance ? activity->busy[i - distance] : 0;
    }
    activity->first = bucket;
}

/* The highest bucket in use. */
static int64_t last_used(const tacho_activity *activity)
{
    int64_t last = TACHO_ACTIVITY_BUCKETS - 1;
    while (last > 0 && activity->busy[last] == 0) {
        last--;
    }
    return activity->first + last;
}

/* Makes the buckets cover [start, last] as well. */
static void cover(tacho_activity *activity, int64_t start, int64_t last)
{
    if (!activity->has_rows) {
        activity->has_rows = true;
        activity->first = start;
    }
    if (start >> activity->shift >= activity->first &&
        (last >> activity->shift) - activity->first < TACHO_ACTIVITY_BUCKETS) {
        return;
    }
    for (;;) {
        int64_t low = smaller(activity->first, start >> activity->shift);
        int64_t high = larger(last_used(activity), last >> activity->shift);
        if (high - low < TACHO_ACTIVITY_BUCKETS) {
            if (low < activity->first) {
                move_first(activity, low);
            }
            return;
        }
        widen(activity);
    }
}

void tacho_activity_add(tacho_activity *activity, int64_t start, int64_t end)
{
    cover(activity, start, end > start ? end - 1 : start);
    while (start < end) {
        int64_t bucket = start >> activity->shift;
        /* Unsigned, since the end of the last bucket may be 2^63. */
        uint64_t bucket_end = (uint64_t)(bucket + 1) << activity->shift;
        int64_t part_end = (uint64_t)end < bucket_end ? end : (int64_t)bucket_end;
        activity->busy[bucket - activity->first] += part_end - start;
        start = part_end;
    }
}

/* A stretch of time, in ticks times TACHO_ACTIVITY_COLUMNS, so that columns are whole numbers. */
typedef struct stretch {
    tacho_i128 begin;
    tacho_i128 end;
} stretch;

static stretch common_part(stretch a, stretch b)
{
    return (stretch){a.begin > b.begin ? a.begin : b.begin, a.end < b.end ? a.end : b.end};
}

/* Buckets from |first| to before |end|. */
typedef struct bucket_range {
    int64_t first, end;
} bucket_range;

/* The buckets that may overlap |column|: none in most columns of a short track. */
static bucket_range buckets_of(const tacho_activity *activity, stretch column)
{
    tacho_i128 first = (column.begin / TACHO_ACTIVITY_COLUMNS >> activity->shift) - 1;
    tacho_i128 last = (column.end / TACHO_ACTIVITY_COLUMNS >> activity->shift) + 1;
    first -= activity->first;
    last -= activity->first;
    return (bucket_range){first < 0                        ? 0
                          : first < TACHO_ACTIVITY_BUCKETS ? (int64_t)first
                                                           : TACHO_ACTIVITY_BUCKETS,
                          last < 0                        ? 0
                          : last < TACHO_ACTIVITY_BUCKETS ? (int64_t)last + 1
                                                          : TACHO_ACTIVITY_BUCKETS};
}

/* Busy time of |column|, assuming each bucket evenly busy within |whole|. */
static tacho_i128 busy_within(const tacho_activity *activity, stretch column, stretch whole)
{
    tacho_i128 busy = 0;
    bucket_range used = buckets_of(activity, column);
    for (int64_t i = used.first; i < used.end; i++) {
        tacho_i128 first = activity->first + i;
        stretch bucket = {(first << activity->shift) * TACHO_ACTIVITY_COLUMNS,
                          ((first + 1) << activity->shift) * TACHO_ACTIVITY_COLUMNS};
        bucket = common_part(bucket, whole);
        stretch shared = common_part(bucket, column);
        if (shared.end > shared.begin && activity->busy[i] > 0) {
            tacho_i128 scaled = (tacho_i128)activity->busy[i] * TACHO_ACTIVITY_COLUMNS;
            /* Divided first where the product might not fit. */
            tacho_i128 length = bucket.end - bucket.begin;
            tacho_i128 part = shared.end - shared.begin;
            busy += activity->shift < 40 ? scaled * part / length : scaled / length * part;
        }
    }
    return busy;
}

tacho_str tacho_activity_draw(const tacho_activity *activity, int64_t begin, int64_t end,
                              tacho_activity_line *line)
{
    static const char *const blocks[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                         "\u2585", "\u2586", "\u2587", "\u2588"};
    char *at = line->bytes;
    tacho_i128 length = (tacho_i128)end - begin; /* of a column, scaled */
    stretch whole = {(tacho_i128)begin * TACHO_ACTIVITY_COLUMNS,
                     (tacho_i128)end * TACHO_ACTIVITY_COLUMNS};
    for (int64_t i = 0; i < TACHO_ACTIVITY_COLUMNS && length > 0; i++) {
        stretch column = {whole.begin + length * i, whole.begin + length * (i + 1)};
        tacho_i128 busy = busy_within(activity, column, whole);
        /* Rounded up, so that any activity shows. */
        tacho_i128 eighths = (busy * 8 + length - 1) / length;
        const char *block = blocks[eighths < 8 ? eighths : 8];
        size_t len = strlen(block);
        memcpy(at, block, len);
        at += len;
    }
    return tacho_str_make(line->bytes, (size_t)(at - line->bytes));
}
