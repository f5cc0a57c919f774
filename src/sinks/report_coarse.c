/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a profile that is too large for a page: merged as they arrive, and again, from the
 * columns, each time the resolution doubles.
 */
#include "sinks/report_columns.h"

#include "base/grow.h"

#include <assert.h>
#include <string.h>

/* ---- merging ------------------------------------------------------------------------------- */

/* The end of the innermost long span that contains |start|. */
static int64_t limit_at(report_track *track, int64_t start)
{
    while (track->end_count > 0 && track->ends[track->end_count - 1] <= start) {
        track->end_count--;
    }
    return track->end_count > 0 ? track->ends[track->end_count - 1] : INT64_MAX;
}

/*
 * Whether |next| belongs to the current stretch of |track|; |limit| is the end of the enclosing
 * span.
 */
static bool belongs(const report_columns *columns, const report_track *track,
                    const report_span *next, int64_t limit)
{
    const report_span *held = &track->span;
    if (!track->has_span || ((held->flags ^ next->flags) & TACHO_SPAN_ORIGIN_MASK) != 0 ||
        limit != track->span_limit) {
        return false;
    }
    /* A span that starts inside belongs, whatever its length. */
    return next->start < held->end || next->start - held->start < columns->resolution_ns;
}

static uint64_t sum_of_sizes(uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    if (a == 0 || b == 0) {
        return a + b;
    }
    return __builtin_add_overflow(a - 1, b, &sum) || sum > INT64_MAX ? INT64_MAX : sum;
}

static void merge(report_columns *columns, report_span *into, const report_span *more)
{
    if (more->start >= into->end) {
        into->busy += more->busy;
    } else if (more->end > into->end) {
        int64_t beyond = more->end - into->end;
        into->busy += more->busy < beyond ? more->busy : beyond;
    }
    into->end = more->end > into->end ? more->end : into->end;
    into->site = into->site == more->site ? into->site : columns->several_site;
    into->type = into->type == more->type ? into->type : 0;
    into->flags &= TACHO_SPAN_ORIGIN_MASK;
    into->size = sum_of_sizes(into->size, more->size);
    into->count += more->count;
}

static tacho_status flush_span(report_columns *columns, report_track *track)
{
    bool has_span = track->has_span;
    track->has_span = false;
    return has_span ? report_track_put_span(columns, track, &track->span) : TACHO_OK;
}

static tacho_status flush_sample(report_columns *columns, report_track *track)
{
    bool has_sample = track->has_sample;
    track->has_sample = false;
    return has_sample ? report_track_put_sample(columns, track, &track->sample) : TACHO_OK;
}

tacho_status report_coarse_flush(report_columns *columns, report_track *track)
{
    TACHO_TRY(flush_span(columns, track));
    return flush_sample(columns, track);
}

tacho_status report_coarse_span(report_columns *columns, report_track *track,
                                const report_span *span)
{
    int64_t limit = limit_at(track, span->start);
    bool is_long = span->end - span->start >= columns->resolution_ns;
    if (!is_long && belongs(columns, track, span, limit)) {
        merge(columns, &track->span, span);
        return TACHO_OK;
    }
    TACHO_TRY(flush_span(columns, track));
    if (!is_long) {
        track->span = *span;
        track->span_limit = limit;
        track->has_span = true;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&track->ends, &track->end_capacity, track->end_count + 1));
    track->ends[track->end_count++] = span->end;
    return report_track_put_span(columns, track, span);
}

tacho_status report_coarse_sample(report_columns *columns, report_track *track,
                                  const report_sample *sample)
{
    if (track->has_sample && sample->time < track->sample_end) {
        track->sample.value =
            sample->value > track->sample.value ? sample->value : track->sample.value;
        return TACHO_OK;
    }
    TACHO_TRY(flush_sample(columns, track));
    track->sample = *sample;
    track->has_sample = true;
    if (__builtin_add_overflow(sample->time, columns->resolution_ns, &track->sample_end)) {
        track->sample_end = INT64_MAX;
    }
    return TACHO_OK;
}

/* ---- merging the columns again ------------------------------------------------------------- */

/* Read positions in the columns of a track. */
typedef struct column_reader {
    const report_track *track;
    size_t starts, lengths, sites, flags, sizes, types, counts, busy, values;
    int64_t time;
} column_reader;

/* Takes from a column that may be missing. */
static uint64_t take_rare(const report_bytes *column, size_t *at)
{
    return column->item_count > 0 ? report_bytes_take_uint(column, at) : 0;
}

static report_span take_span(column_reader *reader, bool has_counts)
{
    const report_track *from = reader->track;
    reader->time += (int64_t)report_bytes_take_uint(&from->starts, &reader->starts);
    report_span span = {.start = reader->time, .count = 1};
    span.busy = (int64_t)report_bytes_take_uint(&from->lengths, &reader->lengths);
    span.end = span.start + span.busy;
    span.site = (uint32_t)report_bytes_take_uint(&from->sites, &reader->sites);
    span.flags = (unsigned char)take_rare(&from->flags, &reader->flags);
    span.size = take_rare(&from->sizes, &reader->sizes);
    span.type = take_rare(&from->types, &reader->types);
    if (has_counts) {
        span.count = report_bytes_take_uint(&from->counts, &reader->counts);
        span.busy = (int64_t)report_bytes_take_uint(&from->busy, &reader->busy);
    }
    return span;
}

static report_sample take_sample(column_reader *reader)
{
    const report_track *from = reader->track;
    uint64_t bits = 0;
    report_sample sample = {0};
    reader->time += (int64_t)report_bytes_take_uint(&from->starts, &reader->starts);
    for (unsigned shift = 0; shift < 64; shift += 8) {
        bits |= (uint64_t)from->values.items[reader->values++] << shift;
    }
    memcpy(&sample.value, &bits, sizeof(bits));
    sample.time = reader->time;
    return sample;
}

/* Passes the rows of |from| through again. */
static tacho_status read_again(report_columns *columns, const report_track *from, report_track *to,
                               bool has_counts)
{
    column_reader reader = {.track = from};
    bool has_samples = from->values.item_count > 0;
    for (uint64_t i = 0; i < from->row_count; i++) {
        if (has_samples) {
            report_sample sample = take_sample(&reader);
            TACHO_TRY(report_coarse_sample(columns, to, &sample));
        } else {
            report_span span = take_span(&reader, has_counts);
            TACHO_TRY(report_coarse_span(columns, to, &span));
        }
    }
    return TACHO_OK;
}

/* Merges all rows to the current resolution; |has_counts|: the columns have counts already. */
static tacho_status shrink_tracks(report_columns *columns, bool has_counts)
{
    columns->row_count = 0;
    for (size_t i = 0; i < columns->track_count; i++) {
        if (columns->tracks[i] == NULL) {
            continue;
        }
        report_track old = *columns->tracks[i];
        *columns->tracks[i] = (report_track){0};
        tacho_status status = read_again(columns, &old, columns->tracks[i], has_counts);
        report_track_clear(&old);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

/* The site of stretches of different spans. */
static tacho_status ensure_several(report_columns *columns)
{
    tacho_dict *dict = columns->events.dict;
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("several spans"), &site.name));
    return tacho_dict_ensure_site(dict, &site, &columns->several_site);
}

static tacho_status flush_all(report_columns *columns)
{
    for (size_t i = 0; i < columns->track_count; i++) {
        TACHO_TRY(columns->tracks[i] != NULL ? report_coarse_flush(columns, columns->tracks[i])
                                             : TACHO_OK);
    }
    return TACHO_OK;
}

tacho_status report_coarse_shrink(report_columns *columns)
{
    bool has_counts = columns->resolution_ns > 0;
    int64_t resolution = has_counts ? columns->resolution_ns : 1;
    TACHO_TRY(ensure_several(columns));
    while (!has_counts && resolution < columns->last_end_ns / (int64_t)columns->row_max) {
        resolution *= 2;
    }
    do {
        resolution *= 2;
        TACHO_TRY(flush_all(columns));
        columns->resolution_ns = resolution;
        TACHO_TRY(shrink_tracks(columns, has_counts));
        has_counts = true;
    } while (columns->row_count > columns->row_max / 2 && resolution / 2 <= columns->last_end_ns);
    /* A larger number of tracks is inevitable: they are the dictionary's. */
    columns->row_limit =
        2 * columns->row_count > columns->row_max ? 2 * columns->row_count : columns->row_max;
    return TACHO_OK;
}
