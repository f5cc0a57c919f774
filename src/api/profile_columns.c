/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a profile as columns: numbers in arrays of the caller.
 */
#include "api/profile_view.h"

#include <math.h>

/* ---- words ---------------------------------------------------------------------------------- */

/* The numbers of |count| words, |name_of| each. */
static tacho_status intern(tacho_dict *dict, const char *(*name_of)(unsigned), size_t count,
                           uint32_t *out_words)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(name_of((unsigned)i)),
                                           &out_words[i]));
    }
    return TACHO_OK;
}

static const char *origin_of(unsigned i)
{
    return tacho_origin_name((tacho_origin)i);
}

static const char *class_of(unsigned i)
{
    return tacho_track_class_name((tacho_track_class)i);
}

static const char *unit_of(unsigned i)
{
    return tacho_unit_name((tacho_unit)i);
}

static const char *role_of(unsigned i)
{
    return tacho_flow_role_name((tacho_flow_role)i);
}

static const char *phase_of(unsigned i)
{
    return tacho_flow_phase_name((tacho_flow_phase)i);
}

tacho_status tacho_view_intern_words(tacho_view *view)
{
    tacho_view_words *words = &view->words;
    TACHO_TRY(intern(&view->dict, origin_of, TACHO_ORIGIN_COUNT, words->origins));
    TACHO_TRY(intern(&view->dict, class_of, TACHO_TRACK_CLASS_COUNT, words->classes));
    TACHO_TRY(intern(&view->dict, unit_of, TACHO_UNIT_COUNT, words->units));
    TACHO_TRY(intern(&view->dict, role_of, TACHO_VIEW_ROLES, words->roles));
    return intern(&view->dict, phase_of, TACHO_VIEW_PHASES, words->phases);
}

const char *tacho_view_text(const tacho_view *view, uint32_t string, size_t *out_len)
{
    bool is_known = view != NULL && string < view->dict.strings.item_count;
    tacho_str text = is_known ? tacho_dict_string(&view->dict, string) : (tacho_str){NULL, 0};
    if (out_len != NULL) {
        *out_len = text.len;
    }
    return text.data;
}

const char *tacho_view_string(const tacho_view *view, uint32_t string)
{
    return tacho_view_text(view, string, NULL);
}

/* ---- what all kinds of rows have ------------------------------------------------------------ */

/* How many of |total| rows are asked for. */
static uint64_t clip(uint64_t total, uint64_t first, uint64_t count)
{
    uint64_t left = first < total ? total - first : 0;
    return count < left ? count : left;
}

static bool is_clear(void *const *reserved, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (reserved[i] != NULL) {
            return false;
        }
    }
    return true;
}

#define IS_CLEAR(columns)                                                                          \
    is_clear((columns)->reserved, sizeof((columns)->reserved) / sizeof((columns)->reserved[0]))

/* Sets an element of a column that is wanted. */
#define SET(column, at, value)                                                                     \
    do {                                                                                           \
        if ((column) != NULL) {                                                                    \
            (column)[at] = (value);                                                                \
        }                                                                                          \
    } while (0)

static int64_t ns_of(const tacho_view *view, uint32_t track, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(&view->dict, track), ticks);
}

/* ---- spans ---------------------------------------------------------------------------------- */

static void set_times(const tacho_view *view, const tacho_span *span,
                      const tacho_span_columns *columns, uint64_t at)
{
    if (columns->start_ns != NULL || columns->end_ns != NULL) {
        const tacho_clock *clock = tacho_dict_track_clock(&view->dict, span->track);
        SET(columns->start_ns, at, tacho_clock_ns(clock, span->start));
        SET(columns->end_ns, at, tacho_clock_ns(clock, span->end));
    }
    SET(columns->start_ticks, at, span->start);
    SET(columns->end_ticks, at, span->end);
}

static void set_place(const tacho_view *view, const tacho_span *span,
                      const tacho_span_columns *columns, uint64_t at)
{
    uint32_t part = view->dict.tracks[span->track].part;
    uint32_t own = span->flags & TACHO_SPAN_ORIGIN_MASK;
    SET(columns->track, at, span->track);
    SET(columns->part, at, part);
    SET(columns->origin, at, view->words.origins[own != 0 ? own : view->dict.parts[part].origin]);
    SET(columns->is_instant, at, (span->flags & TACHO_SPAN_INSTANT) != 0);
    SET(columns->is_unended, at, (span->flags & TACHO_SPAN_UNENDED) != 0);
}

static void set_site(const tacho_view *view, const tacho_span *span,
                     const tacho_span_columns *columns, uint64_t at)
{
    const tacho_dict *dict = &view->dict;
    const tacho_site *site = &dict->sites[span->site];
    tacho_location location = {.text = TACHO_NONE};
    if (site->location != TACHO_NONE) {
        location = dict->locations[site->location];
    }
    SET(columns->name, at, site->name);
    SET(columns->category, at, site->category);
    SET(columns->location, at, location.text);
    SET(columns->file, at, location.file != 0 ? location.file : TACHO_VIEW_NONE);
    SET(columns->line, at, location.line);
    bool has_run = span->run != TACHO_NONE;
    SET(columns->run, at, has_run ? dict->runs[span->run].name : TACHO_VIEW_NONE);
    SET(columns->invocation, at, has_run ? dict->runs[span->run].invocation : -1);
}

uint64_t tacho_view_read_spans(const tacho_view *view, uint64_t first, uint64_t count,
                               const tacho_span_columns *columns)
{
    if (view == NULL || columns == NULL || !IS_CLEAR(columns)) {
        return 0;
    }
    count = clip(view->profile.span_count, first, count);
    for (uint64_t i = 0; i < count; i++) {
        tacho_span span = tacho_profile_span(&view->profile, first + i);
        set_times(view, &span, columns, i);
        set_place(view, &span, columns, i);
        set_site(view, &span, columns, i);
    }
    return count;
}

/* ---- arguments ------------------------------------------------------------------------------ */

static double number_of(const tacho_arg *arg)
{
    switch (arg->type) {
    case TACHO_ARG_INT:
        return (double)arg->value.as_int;
    case TACHO_ARG_UINT:
        return (double)arg->value.as_uint;
    case TACHO_ARG_REAL:
        return arg->value.as_real;
    case TACHO_ARG_BOOL:
        return arg->value.as_bool ? 1 : 0;
    case TACHO_ARG_STRING:
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        break;
    }
    return (double)NAN;
}

/* What lies inside dictionaries and arrays is passed over. */
static double find_number(const tacho_profile *profile, uint32_t at, uint32_t key)
{
    while (at != TACHO_NONE) {
        const tacho_stored_arg *stored = &profile->args[at];
        bool is_opener = stored->arg.type == TACHO_ARG_DICT || stored->arg.type == TACHO_ARG_ARRAY;
        size_t inside = is_opener ? (size_t)stored->arg.value.as_uint : 0;
        if (stored->arg.key == key) {
            return number_of(&stored->arg);
        }
        at = profile->args[at + inside].is_last ? TACHO_NONE : (uint32_t)(at + inside + 1);
    }
    return (double)NAN;
}

uint64_t tacho_view_read_arg(const tacho_view *view, const char *key, uint64_t first,
                             uint64_t count, double *values)
{
    if (view == NULL || key == NULL || values == NULL) {
        return 0;
    }
    uint32_t wanted = tacho_strings_find(&view->dict.strings, tacho_str_from_cstring(key));
    count = clip(view->profile.span_count, first, count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t at = tacho_profile_span(&view->profile, first + i).args;
        values[i] = wanted != TACHO_NONE ? find_number(&view->profile, at, wanted) : (double)NAN;
    }
    return count;
}

/* ---- samples, flows and tracks -------------------------------------------------------------- */

uint64_t tacho_view_read_samples(const tacho_view *view, uint64_t first, uint64_t count,
                                 const tacho_sample_columns *columns)
{
    if (view == NULL || columns == NULL || !IS_CLEAR(columns)) {
        return 0;
    }
    count = clip(view->profile.sample_count, first, count);
    for (uint64_t i = 0; i < count; i++) {
        const tacho_sample *sample = &view->profile.samples[first + i];
        SET(columns->time_ns, i, ns_of(view, sample->track, sample->time));
        SET(columns->time_ticks, i, sample->time);
        SET(columns->value, i, sample->value);
        SET(columns->track, i, sample->track);
        SET(columns->part, i, view->dict.tracks[sample->track].part);
    }
    return count;
}

int64_t tacho_view_flow_span_end_ns(const tacho_view *view, const tacho_flow_end *flow)
{
    if (flow->span_end == TACHO_FLOW_AROUND) {
        return -1;
    }
    return flow->span_end == TACHO_FLOW_NEXT ? INT64_MAX : ns_of(view, flow->track, flow->span_end);
}

uint64_t tacho_view_read_flows(const tacho_view *view, uint64_t first, uint64_t count,
                               const tacho_flow_columns *columns)
{
    if (view == NULL || columns == NULL || !IS_CLEAR(columns)) {
        return 0;
    }
    count = clip(view->profile.flow_end_count, first, count);
    for (uint64_t i = 0; i < count; i++) {
        const tacho_flow_end *flow = &view->profile.flow_ends[first + i];
        SET(columns->time_ns, i, ns_of(view, flow->track, flow->time));
        SET(columns->time_ticks, i, flow->time);
        SET(columns->span_end_ns, i, tacho_view_flow_span_end_ns(view, flow));
        SET(columns->id, i, flow->id);
        SET(columns->track, i, flow->track);
        SET(columns->part, i, view->dict.tracks[flow->track].part);
        SET(columns->role, i, view->words.roles[flow->role]);
        SET(columns->phase, i, view->words.phases[flow->phase]);
    }
    return count;
}

uint64_t tacho_view_read_tracks(const tacho_view *view, uint64_t first, uint64_t count,
                                const tacho_track_columns *columns)
{
    if (view == NULL || columns == NULL || !IS_CLEAR(columns)) {
        return 0;
    }
    count = clip(view->dict.track_count, first, count);
    for (uint64_t i = 0; i < count; i++) {
        const tacho_track *track = &view->dict.tracks[first + i];
        SET(columns->name, i, tacho_dict_track_name(&view->dict, (uint32_t)(first + i)));
        SET(columns->track_class, i, view->words.classes[track->track_class]);
        SET(columns->unit, i, view->words.units[track->unit]);
        SET(columns->parent, i, track->parent);
        SET(columns->part, i, track->part);
        SET(columns->number, i, track->index);
    }
    return count;
}
