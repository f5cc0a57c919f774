/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Holds, sorts and pushes spans. Actions that take time go straight through.
 */
#include "sources/torq/host_spans.h"

#include "base/grow.h"

#include <stdlib.h>

enum { ARG_MAX = 3 };

static void forget_held(torq_host_line *line)
{
    line->held_count = 0;
    line->earliest_start = INT64_MAX;
    line->latest_start = INT64_MIN;
}

tacho_status torq_host_spans_init(torq_host_spans *spans, torq_part *part)
{
    *spans = (torq_host_spans){.part = part};
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        spans->lines[i] = (torq_host_line){.track = TACHO_NONE};
        forget_held(&spans->lines[i]);
    }
    TACHO_TRY(torq_part_key(part, "action", &spans->action_key));
    TACHO_TRY(torq_part_key(part, "scope", &spans->scope_key));
    return torq_part_key(part, "unmatched", &spans->unmatched_key);
}

void torq_host_spans_deinit(torq_host_spans *spans)
{
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        free(spans->lines[i].held);
    }
    free(spans->scratch);
}

/* Phases and calls nest; an engine does one thing at a time. */
static tacho_nesting track_nesting(tacho_torq_host_track track)
{
    return track == TACHO_TORQ_HOST_PHASES || track == TACHO_TORQ_HOST_HAL ||
                   track == TACHO_TORQ_HOST_NSS_ACTIONS || track == TACHO_TORQ_HOST_ACTIONS
               ? TACHO_NESTING_STACK
               : TACHO_NESTING_ENGINE;
}

static tacho_status make_track(torq_host_spans *spans, tacho_torq_host_track track)
{
    const torq_part *part = spans->part;
    tacho_track facts = {
        .parent = part->dict->parts[part->part].root,
        .part = part->part,
        .clock = part->clock,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)track,
        .track_class = tacho_torq_host_track_class(track),
        .nesting = track_nesting(track),
    };
    return tacho_dict_ensure_track(part->dict, &facts,
                                   tacho_str_from_cstring(tacho_torq_host_track_name(track)),
                                   &spans->lines[track].track);
}

/* |span| as a row of |track|; |args| has room for ARG_MAX. */
static tacho_row as_row(const torq_host_spans *spans, const torq_host_line *line,
                        const torq_host_span *span, tacho_arg *args)
{
    tacho_row row = {
        .kind = TACHO_ROW_SPAN,
        .track = line->track,
        .start = span->start,
        .args = args,
    };
    row.of.span.end = span->end;
    row.of.span.site = span->site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = span->run;
    row.of.span.flags = span->flags;
    if (span->action >= 0) {
        args[row.arg_count] = (tacho_arg){.key = spans->action_key, .type = TACHO_ARG_INT};
        args[row.arg_count++].value.as_int = span->action;
    }
    if (span->scope != TACHO_NONE) {
        args[row.arg_count] = (tacho_arg){.key = spans->scope_key, .type = TACHO_ARG_STRING};
        args[row.arg_count++].value.as_string = span->scope;
    }
    if (span->is_unmatched) {
        args[row.arg_count] = (tacho_arg){.key = spans->unmatched_key, .type = TACHO_ARG_BOOL};
        args[row.arg_count++].value.as_bool = true;
    }
    return row;
}

static tacho_status push_span(torq_host_spans *spans, const torq_host_line *line,
                              const torq_host_span *span)
{
    tacho_arg args[ARG_MAX];
    tacho_row row = as_row(spans, line, span, args);
    spans->part->good_row_count++;
    return tacho_events_row(spans->part->reading->events, &row);
}

/* Whether |b| must precede |a|. */
static bool is_reversed(const torq_host_spans *spans, const torq_host_line *line,
                        const torq_host_span *a, const torq_host_span *b)
{
    if (TACHO_LIKELY(a->start != b->start)) {
        return b->start < a->start;
    }
    tacho_arg args_a[ARG_MAX];
    tacho_arg args_b[ARG_MAX];
    tacho_row row_a = as_row(spans, line, a, args_a);
    tacho_row row_b = as_row(spans, line, b, args_b);
    return tacho_row_compare(spans->part->dict, &row_a, &row_b) > 0;
}

/* One pass of a merge sort: halves of |width| from |from| to |to|. */
static void merge_pass(const torq_host_spans *spans, const torq_host_line *line, size_t width,
                       const torq_host_span *from, torq_host_span *to)
{
    size_t count = line->held_count;
    for (size_t begin = 0; begin < count; begin += 2 * width) {
        size_t middle = begin + width < count ? begin + width : count;
        size_t end = middle + width < count ? middle + width : count;
        size_t left = begin;
        size_t right = middle;
        for (size_t at = begin; at < end; at++) {
            bool take_right = left == middle ||
                              (right < end && is_reversed(spans, line, &from[left], &from[right]));
            to[at] = from[take_right ? right++ : left++];
        }
    }
}

static tacho_status sort_held(torq_host_spans *spans, torq_host_line *line)
{
    TACHO_TRY(tacho_grow(&spans->scratch, &spans->scratch_capacity, line->held_count));
    for (size_t width = 1; width < line->held_count; width *= 2) {
        merge_pass(spans, line, width, line->held, spans->scratch);
        torq_host_span *sorted = spans->scratch;
        size_t sorted_capacity = spans->scratch_capacity;
        spans->scratch = line->held;
        spans->scratch_capacity = line->held_capacity;
        line->held = sorted;
        line->held_capacity = sorted_capacity;
    }
    return TACHO_OK;
}

/* ---- when to push ----------------------------------------------------------------------- */

static tacho_status release(torq_host_spans *spans, torq_host_line *line)
{
    if (line->held_count > 1) {
        TACHO_TRY(sort_held(spans, line));
    }
    for (size_t i = 0; i < line->held_count; i++) {
        TACHO_TRY(push_span(spans, line, &line->held[i]));
    }
    forget_held(line);
    return TACHO_OK;
}

/* Pushes the spans of |line| unless the first span of the file has to precede them. */
static tacho_status try_release(torq_host_spans *spans, torq_host_line *line)
{
    if (spans->is_starting && line->earliest_start > spans->first_time) {
        return TACHO_OK;
    }
    spans->is_starting = false;
    return release(spans, line);
}

static tacho_status hold_span(torq_host_spans *spans, torq_host_line *line,
                              const torq_host_span *span)
{
    TACHO_TRY(tacho_grow(&line->held, &line->held_capacity, line->held_count + 1));
    line->held[line->held_count++] = *span;
    line->earliest_start = span->start < line->earliest_start ? span->start : line->earliest_start;
    line->latest_start = span->start > line->latest_start ? span->start : line->latest_start;
    if (!spans->is_starting) {
        return line->held_count >= TORQ_HOST_HELD_MAX ? release(spans, line) : TACHO_OK;
    }
    spans->is_starting = ++spans->held_count < TORQ_HOST_STARTING_MAX;
    return TACHO_OK;
}

tacho_status torq_host_spans_begin(torq_host_spans *spans, tacho_torq_host_track track,
                                   int64_t time)
{
    torq_host_line *line = &spans->lines[track];
    if (TACHO_UNLIKELY(!spans->has_begun)) {
        spans->has_begun = true;
        spans->is_starting = true;
        spans->first_time = time;
    }
    bool is_outermost = line->open_count++ == 0;
    /* A span with the same start as a held one may have to precede it. */
    return is_outermost && line->held_count > 0 && time > line->latest_start
               ? try_release(spans, line)
               : TACHO_OK;
}

tacho_status torq_host_spans_end(torq_host_spans *spans, tacho_torq_host_track track,
                                 const torq_host_span *span)
{
    torq_host_line *line = &spans->lines[track];
    if (TACHO_UNLIKELY(line->track == TACHO_NONE)) {
        TACHO_TRY(make_track(spans, track));
    }
    line->open_count -= line->open_count > 0 && !span->is_unmatched;
    bool is_outermost = line->open_count == 0;
    if (is_outermost && line->held_count == 0 && !spans->is_starting && span->end > span->start) {
        return push_span(spans, line, span);
    }
    TACHO_TRY(hold_span(spans, line, span));
    /* Everything that begins from now on starts after all held spans. */
    return is_outermost && span->end > line->latest_start ? try_release(spans, line) : TACHO_OK;
}

tacho_status torq_host_spans_finish(torq_host_spans *spans)
{
    torq_host_line *first = &spans->lines[0];
    for (size_t i = 1; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        torq_host_line *line = &spans->lines[i];
        first = line->earliest_start < first->earliest_start ? line : first;
    }
    TACHO_TRY(release(spans, first)); /* the earliest of all, when all are held */
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        TACHO_TRY(release(spans, &spans->lines[i]));
    }
    return TACHO_OK;
}
