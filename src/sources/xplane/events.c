/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times are picoseconds since the start of the session.
 */
#include "sources/xplane/events.h"

#include "base/grow.h"
#include "profile/step_names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PS_PER_NS = 1000, NAME_BYTES = 512, DEVICE_RANK = 1 << 24 };

/* What pushing a line needs to know about it. */
typedef struct line_state {
    uint32_t track; /* TACHO_NONE until an event needs it */
    uint32_t order; /* among the lines of its plane */
    xp_line line;
    int64_t start_ps;
    bool is_out_of_range; /* its start is */
    bool is_counters;
    bool is_steps;
} line_state;

/* An event as it stands in the file. */
typedef struct event_fields {
    uint64_t kind, offset_ps, duration_ps;
    bool is_sum;
    tacho_str message;
} event_fields;

void xp_events_deinit(xp_events *self)
{
    xp_arrows_deinit(&self->arrows);
    free(self->args);
}

/* ---- tracks ------------------------------------------------------------------------------ */

static tacho_status ensure_group(xp_events *self, xp_plane *plane)
{
    if (plane->track != TACHO_NONE) {
        return TACHO_OK;
    }
    const tacho_part *part = &plane->dict->parts[self->part];
    tacho_track facts = {
        .parent = part->root,
        .part = self->part,
        .clock = part->clock,
        .lane_of = TACHO_NONE,
        .rank = (int32_t)(self->plane_count++ & (DEVICE_RANK - 1)) +
                (plane->is_device ? DEVICE_RANK : 0),
        .track_class = TACHO_TRACK_GROUP,
    };
    TACHO_TRY(tacho_dict_ensure_string(plane->dict, plane->name, &facts.name));
    return tacho_dict_add_track(plane->dict, &facts, &plane->track);
}

static tacho_track_class class_of_line(const xp_plane *plane, tacho_str name)
{
    tacho_xla_line line = tacho_xla_line_of(name);
    if (!plane->is_device) {
        return TACHO_TRACK_HOST;
    }
    bool sums_up =
        line == TACHO_XLA_LINE_SUMMARY || (line == TACHO_XLA_LINE_OPS && plane->has_streams);
    return sums_up ? TACHO_TRACK_PHASE : TACHO_TRACK_COMPUTE;
}

/* A thread of the host has its number as id, and mostly at the end of its name, too. */
static void set_number(const xp_plane *plane, const xp_line *line, tacho_track *facts)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, line->id);
    facts->has_number = !plane->is_device && line->id > 0 && line->id < TACHO_TRACK_NUMBER_END;
    facts->number = facts->has_number ? (int64_t)line->id : 0;
    facts->is_numbered =
        facts->has_number && tacho_str_ends_with(line->name, tacho_str_make(digits, (size_t)len));
}

static tacho_status ensure_track(xp_events *self, xp_plane *plane, line_state *state)
{
    if (state->track != TACHO_NONE) {
        return TACHO_OK;
    }
    char text[32];
    TACHO_TRY(ensure_group(self, plane));
    const tacho_part *part = &plane->dict->parts[self->part];
    tacho_track_class track_class = class_of_line(plane, state->line.name);
    bool overlaps = tacho_str_starts_with(state->line.name, TACHO_STR("Async"));
    tacho_track facts = {
        .parent = plane->track,
        .part = self->part,
        .clock = part->clock,
        .lane_of = TACHO_NONE,
        .rank = tacho_track_rank(0, track_class, state->order),
        .track_class = track_class,
        .nesting = overlaps ? TACHO_NESTING_ENGINE : TACHO_NESTING_STACK,
    };
    set_number(plane, &state->line, &facts);
    tacho_str name = state->line.name;
    if (name.len == 0) {
        int len = snprintf(text, sizeof(text), "line %" PRIu64, state->line.id);
        name = tacho_str_make(text, (size_t)len);
    }
    TACHO_TRY(tacho_dict_ensure_string(plane->dict, name, &facts.name));
    return tacho_dict_add_track(plane->dict, &facts, &state->track);
}

/* ---- arguments --------------------------------------------------------------------------- */

static tacho_status add_arg(xp_events *self, const tacho_arg *arg)
{
    TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, self->arg_count + 1));
    self->args[self->arg_count++] = *arg;
    return TACHO_OK;
}

static tacho_status add_stat(xp_events *self, const xp_plane *plane, const xp_stat *stat,
                             xp_arrow_ends *ends)
{
    uint64_t number = 0;
    xp_role role = stat->name->role;
    if (role >= XP_ROLE_CORRELATION && role < XP_ROLE_NONE && xp_stat_number(stat, &number)) {
        xp_arrow_ends_add(ends, role, number);
    }
    if (role == XP_ROLE_STEP && !plane->is_device) {
        self->has_step = xp_stat_number(stat, &self->step);
    }
    if (role == XP_ROLE_COPY && xp_copy_bytes(xp_stat_text(stat, plane->dict), &number)) {
        const tacho_arg bytes = {.key = self->bytes_key,
                                 .type = TACHO_ARG_UINT,
                                 .unit = TACHO_UNIT_BYTES,
                                 .value.as_uint = number};
        TACHO_TRY(add_arg(self, &bytes));
    }
    return stat->has_value && stat->name->is_wanted ? add_arg(self, &stat->arg) : TACHO_OK;
}

/* The arguments of an event: its own, then those of its kind. */
static tacho_status gather(xp_events *self, const xp_plane *plane, const event_fields *event,
                           const xp_kind *kind, xp_arrow_ends *ends)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    xp_stat stat;
    self->arg_count = 0;
    self->has_step = false;
    tacho_pb_reader_init(&reader, event->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) != TACHO_PB_KEY_BYTES(XP_EVENT_STAT)) {
            continue;
        }
        if (xp_stat_read(&plane->stat_names, field.bytes, &stat)) {
            TACHO_TRY(add_stat(self, plane, &stat, ends));
        } else {
            self->bad_count++;
        }
    }
    TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, self->arg_count + kind->arg_count + 1));
    if (kind->arg_count > 0) {
        memcpy(self->args + self->arg_count, plane->args + kind->first_arg,
               kind->arg_count * sizeof(*self->args));
    }
    self->arg_count += kind->arg_count;
    return TACHO_OK;
}

/* ---- events ------------------------------------------------------------------------------ */

static bool read_event(tacho_str message, event_fields *out_event)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    *out_event = (event_fields){.message = message};
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(XP_EVENT_KIND):
            out_event->kind = field.value;
            break;
        case TACHO_PB_KEY_VARINT(XP_EVENT_OFFSET):
            out_event->offset_ps = field.value;
            break;
        case TACHO_PB_KEY_VARINT(XP_EVENT_DURATION):
            out_event->duration_ps = field.value;
            break;
        case TACHO_PB_KEY_VARINT(XP_EVENT_COUNT):
            out_event->is_sum = true;
            break;
        default:
            break;
        }
    }
    return tacho_pb_is_sound(&reader);
}

/* Both ends of an event; false where the profile cannot hold them, which is counted. */
static bool place(xp_events *self, const line_state *state, const event_fields *event,
                  tacho_row *row)
{
    int64_t start = 0;
    int64_t end = 0;
    bool is_late = state->is_out_of_range ||
                   __builtin_add_overflow(state->start_ps, (int64_t)event->offset_ps, &start) ||
                   (int64_t)event->duration_ps < 0 ||
                   __builtin_add_overflow(start, (int64_t)event->duration_ps, &end);
    bool is_early = !is_late && start < 0;
    self->late_count += is_late;
    self->early_count += is_early;
    row->start = start;
    row->of.span.end = end;
    return !is_late && !is_early;
}

/*
 * Names a step so that it is found as one: "step 3" where the line of steps has the bare number,
 * "train step 3" where a range of the host has it beside its name.
 */
static tacho_status name_step(const xp_plane *plane, const xp_kind *kind, uint64_t number,
                              uint32_t *out_site)
{
    char text[NAME_BYTES];
    uint64_t bare = 0;
    tacho_site site = plane->dict->sites[kind->site];
    tacho_str name = tacho_dict_string(plane->dict, kind->name);
    name.len = name.len < NAME_BYTES / 2 ? name.len : 0;
    name.len = tacho_str_parse_u64(name, &bare) ? 0 : name.len;
    bool has_word = tacho_step_has_word(name);
    int len = snprintf(text, sizeof(text), "%.*s%s%s%" PRIu64, TACHO_STR_ARG(name),
                       name.len > 0 ? " " : "", has_word ? "" : "step ", number);
    TACHO_TRY(tacho_dict_ensure_string(plane->dict, tacho_str_make(text, (size_t)len), &site.name));
    return tacho_dict_ensure_site(plane->dict, &site, out_site);
}

/* The number of the step that the event is; false for other events. */
static bool find_step(const xp_events *self, const xp_plane *plane, const line_state *state,
                      const xp_kind *kind, uint64_t *out_number)
{
    if (state->is_steps) {
        return tacho_str_parse_u64(tacho_dict_string(plane->dict, kind->name), out_number);
    }
    *out_number = self->step;
    return self->has_step;
}

static double number_of(const tacho_arg *arg)
{
    return arg->type == TACHO_ARG_REAL  ? arg->value.as_real
           : arg->type == TACHO_ARG_INT ? (double)arg->value.as_int
                                        : (double)arg->value.as_uint;
}

/* A sample of the counter that is named as the event's kind, by the event's first number. */
static tacho_status push_sample(xp_events *self, xp_plane *plane, const xp_kind *kind,
                                const tacho_row *at)
{
    const tacho_arg *found = NULL;
    for (size_t i = 0; i < self->arg_count && found == NULL; i++) {
        tacho_arg_type type = self->args[i].type;
        bool is_number = type == TACHO_ARG_INT || type == TACHO_ARG_UINT || type == TACHO_ARG_REAL;
        found = is_number ? &self->args[i] : NULL;
    }
    if (found == NULL || !isfinite(number_of(found))) {
        self->bad_count++;
        return TACHO_OK;
    }
    const tacho_track facts = {
        .parent = plane->track,
        .part = self->part,
        .clock = plane->dict->parts[self->part].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = TACHO_TRACK_COUNTER,
        .unit = found->unit,
    };
    tacho_row row = {.kind = TACHO_ROW_SAMPLE, .start = at->start};
    row.of.sample.value = number_of(found);
    TACHO_TRY(ensure_group(self, plane));
    tacho_track track = facts;
    track.parent = plane->track;
    TACHO_TRY(tacho_dict_ensure_track(plane->dict, &track,
                                      tacho_dict_string(plane->dict, kind->name), &row.track));
    return tacho_events_row(self->events, &row);
}

static tacho_status push_span(xp_events *self, xp_plane *plane, line_state *state, tacho_row *row,
                              const xp_arrow_ends *ends)
{
    TACHO_TRY(ensure_track(self, plane, state));
    row->track = state->track;
    row->args = self->args;
    row->arg_count = self->arg_count;
    if (ends->has != 0) {
        TACHO_TRY(xp_arrows_push(&self->arrows, ends, row, plane->is_device, self->events));
    }
    return tacho_events_row(self->events, row);
}

static tacho_status push_event(xp_events *self, xp_plane *plane, line_state *state,
                               tacho_str message)
{
    event_fields event;
    xp_arrow_ends ends;
    tacho_row row = {.kind = TACHO_ROW_SPAN};
    ends.has = 0;
    bool is_sound = read_event(message, &event);
    uint32_t at = xp_ids_find(&plane->kind_ids, event.kind);
    if (!is_sound || event.is_sum || at == UINT32_MAX) {
        self->bad_count += !is_sound;
        self->summed_count += is_sound && event.is_sum;
        self->unknown_kind_count += is_sound && !event.is_sum;
        return TACHO_OK;
    }
    const xp_kind *kind = &plane->kinds[at];
    if (!place(self, state, &event, &row)) {
        return TACHO_OK;
    }
    TACHO_TRY(gather(self, plane, &event, kind, &ends));
    if (state->is_counters) {
        return push_sample(self, plane, kind, &row);
    }
    row.of.span.site = kind->site;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    row.of.span.flags = event.duration_ps == 0 ? TACHO_SPAN_INSTANT : 0;
    uint64_t step = 0;
    if (find_step(self, plane, state, kind, &step)) {
        TACHO_TRY(name_step(plane, kind, step, &row.of.span.site));
    }
    return push_span(self, plane, state, &row, &ends);
}

/* ---- lines ------------------------------------------------------------------------------- */

static void begin_line(const xp_events *self, tacho_str message, uint32_t order,
                       line_state *out_state)
{
    *out_state = (line_state){.track = TACHO_NONE, .order = order};
    xp_line_read(message, &out_state->line);
    tacho_str name = out_state->line.name;
    int64_t start_ns = out_state->line.time_ns;
    start_ns -= start_ns > XP_EPOCH_NS ? self->zero_ns : 0;
    out_state->is_out_of_range =
        __builtin_add_overflow(start_ns, self->shift_ns, &start_ns) ||
        __builtin_mul_overflow(start_ns, (int64_t)PS_PER_NS, &out_state->start_ps);
    out_state->is_counters = tacho_str_equal(name, TACHO_STR("_counters_"));
    out_state->is_steps = tacho_str_equal(name, TACHO_STR("Steps")) ||
                          tacho_str_equal(name, TACHO_STR("Sparse Core Steps"));
}

static tacho_status push_line(xp_events *self, xp_plane *plane, tacho_str message, uint32_t order)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    line_state state;
    begin_line(self, message, order, &state);
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_LINE_EVENT)) {
            TACHO_TRY(push_event(self, plane, &state, field.bytes));
        }
    }
    plane->is_bad = plane->is_bad || !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

tacho_status xp_events_push_plane(xp_events *self, xp_plane *plane)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint32_t order = 0;
    tacho_pb_reader_init(&reader, plane->message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(XP_PLANE_LINE)) {
            TACHO_TRY(push_line(self, plane, field.bytes, order++));
        }
    }
    return TACHO_OK;
}
