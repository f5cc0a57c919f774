/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile as sorted lines of text that do not depend on how its rows were numbered: what two
 * profiles must share to be called the same. Include it after <cmocka.h>.
 */
#ifndef TACHO_TESTS_CANONICAL_H
#define TACHO_TESTS_CANONICAL_H

#include "base/utf8.h"
#include "profile/profile.h"
#include "sinks/trace_sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct canonical {
    const tacho_profile *profile;
    unsigned limits; /* TACHO_LIMIT_*: what is left out */
    tacho_arena arena;
    char **lines;
    size_t line_count;
    char text[1 << 16]; /* the line being put together */
    size_t len;
} canonical;

static void canonical_put(canonical *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void canonical_put(canonical *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to->text + to->len, sizeof(to->text) - to->len, format, args);
    va_end(args);
    assert_true(len >= 0 && to->len + (size_t)len < sizeof(to->text));
    to->len += (size_t)len;
}

static void canonical_put_text(canonical *to, tacho_str text)
{
    assert_null(tacho_utf8_clean(text, &to->arena, &text));
    canonical_put(to, "\"%.*s\"", TACHO_STR_ARG(text));
}

static void canonical_put_string(canonical *to, uint32_t string)
{
    canonical_put_text(to, tacho_dict_string(to->profile->events.dict, string));
}

static void canonical_end_line(canonical *to)
{
    to->lines = realloc(to->lines, (to->line_count + 1) * sizeof(*to->lines));
    assert_non_null(to->lines);
    to->lines[to->line_count] = malloc(to->len + 1);
    assert_non_null(to->lines[to->line_count]);
    memcpy(to->lines[to->line_count], to->text, to->len);
    to->lines[to->line_count++][to->len] = '\0';
    to->len = 0;
}

/* part > group > track */
static void canonical_put_track(canonical *to, uint32_t id)
{
    const tacho_dict *dict = to->profile->events.dict;
    const tacho_track *track = &dict->tracks[id];
    if (track->parent != TACHO_NONE) {
        uint32_t chain[100];
        size_t depth = 0;
        for (uint32_t at = id; at != TACHO_NONE; at = dict->tracks[at].parent) {
            assert_true(depth < 100);
            chain[depth++] = at;
        }
        while (depth-- > 1) {
            canonical_put_string(to, dict->tracks[chain[depth]].name);
            canonical_put(to, ">");
        }
    }
    canonical_put_string(to, track->name);
}

static void canonical_put_arg(canonical *to, const tacho_arg *arg)
{
    canonical_put(to, " ");
    canonical_put_string(to, arg->key);
    switch (arg->type) {
    case TACHO_ARG_INT:
        canonical_put(to, "=int:%" PRId64, arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        canonical_put(to, "=%s:%" PRIu64,
                      (to->limits & TACHO_LIMIT_NUMBER_TYPES) != 0 &&
                              arg->value.as_uint <= INT64_MAX
                          ? "int"
                          : "uint",
                      arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        canonical_put(to, "=real:%.17g", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        canonical_put(to, "=bool:%d", arg->value.as_bool);
        break;
    case TACHO_ARG_STRING:
        canonical_put(to, "=");
        canonical_put_string(to, arg->value.as_string);
        break;
    case TACHO_ARG_TEXT:
        canonical_put(to, "=");
        canonical_put_text(to, arg->value.as_text);
        break;
    case TACHO_ARG_JSON:
        canonical_put(to, "=json:");
        canonical_put_text(to, arg->value.as_text);
        break;
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        canonical_put(to, "=%s:%" PRIu64, arg->type == TACHO_ARG_DICT ? "dict" : "array",
                      arg->value.as_uint);
        break;
    }
}

static void canonical_add_span(canonical *to, size_t id)
{
    const tacho_dict *dict = to->profile->events.dict;
    tacho_span span = tacho_profile_span(to->profile, id);
    const tacho_site *site = &dict->sites[span.site];
    tacho_origin origin = (tacho_origin)(span.flags & TACHO_SPAN_ORIGIN_MASK);
    if (origin == TACHO_ORIGIN_UNKNOWN) {
        origin = dict->parts[dict->tracks[span.track].part].origin;
    }
    canonical_put(to, "span ");
    canonical_put_track(to, span.track);
    canonical_put(to, " %" PRId64 "-%" PRId64 " ", span.start, span.end);
    canonical_put_string(to, site->name);
    canonical_put(to, " ");
    canonical_put_string(to, site->category);
    canonical_put(to, " at ");
    canonical_put_string(to,
                         site->location == TACHO_NONE ? 0 : dict->locations[site->location].text);
    canonical_put(to, " %s%s%s", tacho_origin_name(origin),
                  (span.flags & TACHO_SPAN_INSTANT) != 0 ? " instant" : "",
                  (span.flags & TACHO_SPAN_UNENDED) != 0 ? " unended" : "");
    if (span.run != TACHO_NONE) {
        canonical_put(to, " run ");
        canonical_put_string(to, dict->runs[span.run].name);
        canonical_put(to, "#%" PRId64, dict->runs[span.run].invocation);
    }
    for (size_t i = span.args; span.args != TACHO_NONE; i++) {
        canonical_put_arg(to, &to->profile->args[i].arg);
        if (to->profile->args[i].is_last) {
            break;
        }
    }
    canonical_end_line(to);
}

static bool canonical_is_better(const tacho_dict *dict, const tacho_flow_end *flow,
                                const tacho_span *span, const tacho_span *best)
{
    bool fits = false;
    if (flow->span_end == TACHO_FLOW_AROUND) {
        fits = span->start <= flow->time && flow->time < span->end;
        return fits && (best->track == TACHO_NONE || span->start > best->start ||
                        (span->start == best->start && span->end <= best->end));
    }
    if (flow->span_end == TACHO_FLOW_NEXT) {
        fits = span->start >= flow->time;
        return fits && (best->track == TACHO_NONE || span->start < best->start);
    }
    return span->start == flow->time && span->end == flow->span_end &&
           (flow->span_name == 0 || flow->span_name == dict->sites[span->site].name);
}

/* The span that a flow end belongs to; its track is TACHO_NONE when there is none. */
static tacho_span canonical_flow_span(const canonical *to, const tacho_flow_end *flow)
{
    tacho_span best = {.track = TACHO_NONE};
    for (size_t i = 0; i < to->profile->span_count; i++) {
        tacho_span span = tacho_profile_span(to->profile, i);
        if (span.track == flow->track &&
            canonical_is_better(to->profile->events.dict, flow, &span, &best)) {
            best = span;
        }
    }
    return best;
}

/* One end of an arrow, as text. */
typedef struct canonical_end_text {
    int64_t time_ns;
    char *text;
} canonical_end_text;

static int canonical_compare_ends(const void *a, const void *b)
{
    const canonical_end_text *end_a = a;
    const canonical_end_text *end_b = b;
    if (end_a->time_ns != end_b->time_ns) {
        return end_a->time_ns < end_b->time_ns ? -1 : 1;
    }
    return strcmp(end_a->text, end_b->text);
}

static void canonical_put_flow_end(canonical *to, const tacho_flow_end *flow,
                                   const tacho_span *span)
{
    canonical_put(to, " ");
    canonical_put_track(to, span->track);
    canonical_put(to, "[%" PRId64 "-%" PRId64 " ", span->start, span->end);
    canonical_put_string(to, to->profile->events.dict->sites[span->site].name);
    canonical_put(to, "]");
    if ((to->limits & TACHO_LIMIT_FLOW_FACTS) == 0) {
        canonical_put(to, "%s,%s", tacho_flow_role_name(flow->role),
                      tacho_flow_phase_name(flow->phase));
    }
}

/* An arrow is told by the spans it joins, in the order of time; its number means nothing. */
static void canonical_add_flow(canonical *to, uint64_t id, uint32_t part)
{
    const tacho_dict *dict = to->profile->events.dict;
    canonical_end_text *ends = calloc(to->profile->flow_end_count, sizeof(*ends));
    size_t end_count = 0;
    tacho_flow_role role = TACHO_FLOW_DATA;
    assert_non_null(ends);
    for (size_t i = 0; i < to->profile->flow_end_count; i++) {
        const tacho_flow_end *flow = &to->profile->flow_ends[i];
        if (flow->id != id || dict->tracks[flow->track].part != part) {
            continue;
        }
        tacho_span span = canonical_flow_span(to, flow);
        if (span.track == TACHO_NONE) {
            continue;
        }
        role = (tacho_flow_role)flow->role;
        canonical_put_flow_end(to, flow, &span);
        const tacho_clock *clock = tacho_dict_track_clock(dict, span.track);
        ends[end_count].time_ns = tacho_clock_ns(clock, span.start);
        ends[end_count].text = strndup(to->text, to->len);
        assert_non_null(ends[end_count++].text);
        to->len = 0;
    }
    qsort(ends, end_count, sizeof(*ends), canonical_compare_ends);
    canonical_put(to, "flow %s", tacho_flow_role_name(role));
    for (size_t i = 0; i < end_count; i++) {
        canonical_put(to, "%s", ends[i].text);
        free(ends[i].text);
    }
    free(ends);
    canonical_end_line(to);
}

static bool canonical_is_first_of_flow(const tacho_profile *profile, size_t at)
{
    const tacho_flow_end *flow = &profile->flow_ends[at];
    for (size_t i = 0; i < at; i++) {
        const tacho_flow_end *other = &profile->flow_ends[i];
        if (other->id == flow->id && profile->events.dict->tracks[other->track].part ==
                                         profile->events.dict->tracks[flow->track].part) {
            return false;
        }
    }
    return true;
}

static void canonical_add_sample(canonical *to, const tacho_sample *sample)
{
    if (!isfinite(sample->value)) {
        return; /* every trace counts it as lost */
    }
    canonical_put(to, "sample ");
    canonical_put_track(to, sample->track);
    canonical_put(to, " %" PRId64 " %.17g %s", sample->time, sample->value,
                  tacho_unit_name(to->profile->events.dict->tracks[sample->track].unit));
    canonical_end_line(to);
}

static void canonical_add_track(canonical *to, uint32_t id)
{
    const tacho_track *track = &to->profile->events.dict->tracks[id];
    bool is_counter = track->track_class == TACHO_TRACK_COUNTER;
    canonical_put(to, "track ");
    canonical_put_track(to, id);
    canonical_put(to, " %s %s", tacho_track_class_name(track->track_class),
                  is_counter ? "" : (track->nesting == TACHO_NESTING_ENGINE ? "engine" : "stack"));
    canonical_put(to, " %" PRIu32 " %" PRId32, track->index, track->rank);
    canonical_end_line(to);
}

static void canonical_add_part(canonical *to, const tacho_part *part)
{
    const tacho_clock *clock = &to->profile->events.dict->clocks[part->clock];
    canonical_put(to, "part ");
    canonical_put_string(to, part->name);
    canonical_put(to, " %s ", tacho_origin_name(part->origin));
    canonical_put_string(to, clock->name);
    canonical_put(to, " %" PRId64 "/%" PRId64 "%s%s%s", clock->ns_numerator, clock->ns_denominator,
                  clock->is_assumed ? " assumed" : "", clock->counts_cycles ? " cycles" : "",
                  clock->has_fixed_zero ? " aligned" : "");
    canonical_put(to, " covers %" PRIx32, part->covered_classes);
    canonical_end_line(to);
}

static int canonical_compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All lines of |profile|; tracks only where rows are. */
static void canonical_make(canonical *to, const tacho_profile *profile, unsigned limits)
{
    const tacho_dict *dict = profile->events.dict;
    memset(to, 0, sizeof(*to));
    to->profile = profile;
    to->limits = limits;
    tacho_arena_init(&to->arena);
    bool *is_used = calloc(dict->track_count + 1, sizeof(*is_used));
    assert_non_null(is_used);
    for (size_t i = 0; i < profile->span_count; i++) {
        is_used[tacho_profile_span(profile, i).track] = true;
        canonical_add_span(to, i);
    }
    for (size_t i = 0; i < profile->sample_count; i++) {
        is_used[profile->samples[i].track] = true;
        canonical_add_sample(to, &profile->samples[i]);
    }
    for (size_t i = 0; i < profile->flow_end_count; i++) {
        if (canonical_is_first_of_flow(profile, i)) {
            uint32_t part = dict->tracks[profile->flow_ends[i].track].part;
            canonical_add_flow(to, profile->flow_ends[i].id, part);
        }
    }
    for (uint32_t i = 0; i < dict->track_count; i++) {
        if (is_used[i]) {
            canonical_add_track(to, i);
        }
    }
    for (size_t i = 0; i < dict->part_count; i++) {
        canonical_add_part(to, &dict->parts[i]);
    }
    free(is_used);
    qsort(to->lines, to->line_count, sizeof(*to->lines), canonical_compare);
}

static void canonical_free(canonical *made)
{
    for (size_t i = 0; i < made->line_count; i++) {
        free(made->lines[i]);
    }
    free(made->lines);
    tacho_arena_deinit(&made->arena);
}

#endif
