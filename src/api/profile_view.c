/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of a profile in memory: columns and ids gathered into plain structs.
 */
#include "api/profile_view.h"

#include "api/entry.h"
#include "pipeline/intake.h"
#include "api/view_files.h"

#include <assert.h>
#include <stdlib.h>

enum {
    /* The cursor of an argument: its place, then where each thing that it lies in ends. */
    CURSOR_AT = 0,
    CURSOR_ENDS = 1,
};

static_assert(CURSOR_ENDS + TACHO_ARG_DEPTH_MAX <=
                  sizeof(((tacho_arg_view *)0)->cursor) / sizeof(uint32_t),
              "a cursor holds every depth");

/* ---- open and close ---------------------------------------------------------------------- */

static tacho_status load(tacho_view *view, const tacho_view_files *files)
{
    TACHO_TRY(tacho_dict_init(&view->dict));
    tacho_profile_init(&view->profile, &view->dict);
    TACHO_TRY(tacho_intake_load(&files->intake, &files->selection, &view->dict, &view->profile));
    return tacho_view_intern_words(view);
}

static tacho_status load_new(const tacho_view_files *files, tacho_view **out_view)
{
    tacho_view *view = calloc(1, sizeof(*view));
    if (view == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = load(view, files);
    if (status != TACHO_OK) {
        tacho_view_close(view);
        return status;
    }
    *out_view = view;
    return TACHO_OK;
}

static tacho_status check_place(tacho_view **out_view)
{
    if (out_view == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a profile needs a place for its handle");
    }
    *out_view = NULL;
    return TACHO_OK;
}

/* Reads |files| unless opening them failed, and closes them. */
static tacho_status load_files(tacho_view_files *files, tacho_status status, tacho_view **out_view)
{
    if (status == TACHO_OK) {
        status = load_new(files, out_view);
    }
    tacho_view_files_close(files);
    return status;
}

tacho_status tacho_view_open(const char *const *paths, size_t path_count,
                             const tacho_view_options *options, tacho_view **out_view)
{
    tacho_view_files files;
    TACHO_TRY(check_place(out_view));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_view_files_open(&files, paths, path_count, options);
    status = load_files(&files, status, out_view);
    tacho_entry_end(entry);
    return status;
}

tacho_status tacho_view_open_inputs(const tacho_input_view *inputs, size_t input_count,
                                    const tacho_view_options *options, tacho_view **out_view)
{
    tacho_view_files files;
    TACHO_TRY(check_place(out_view));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_view_files_open_inputs(&files, inputs, input_count, options);
    status = load_files(&files, status, out_view);
    tacho_entry_end(entry);
    return status;
}

void tacho_view_close(tacho_view *view)
{
    if (view == NULL) {
        return;
    }
    tacho_profile_deinit(&view->profile);
    tacho_dict_deinit(&view->dict);
    free(view);
}

/* ---- parts and tracks --------------------------------------------------------------------- */

/* What traces say was lost when they were made. */
static uint64_t count_lost_before(const tacho_dict *dict)
{
    uint64_t total = 0;
    for (size_t i = 0; i < dict->metadata_count; i++) {
        uint64_t count = 0;
        tacho_str key = tacho_dict_string(dict, dict->metadata[i].key);
        if (tacho_str_equal(key, TACHO_STR("from.lost.total")) &&
            tacho_str_parse_u64(tacho_dict_string(dict, dict->metadata[i].value), &count)) {
            total += count < TACHO_LOSS_MAX ? count : TACHO_LOSS_MAX;
        }
    }
    return total;
}

tacho_view_counts tacho_view_count(const tacho_view *view)
{
    if (view == NULL) {
        return (tacho_view_counts){0};
    }
    return (tacho_view_counts){
        .part_count = view->dict.part_count,
        .track_count = view->dict.track_count,
        .span_count = view->profile.span_count,
        .sample_count = view->profile.sample_count,
        .flow_count = view->profile.flow_end_count,
        .loss_count = view->dict.loss_count,
        .lost_count = tacho_pipeline_lost_count(&view->dict),
        .fact_count = view->dict.metadata_count,
        .lost_before_count = count_lost_before(&view->dict),
        .string_count = view->dict.strings.item_count,
    };
}

/* Strings of the dictionary end with NUL. */
static const char *text_of(const tacho_view *view, uint32_t string)
{
    return tacho_dict_string(&view->dict, string).data;
}

bool tacho_view_part(const tacho_view *view, uint64_t index, tacho_part_view *out_part)
{
    if (view == NULL || out_part == NULL || index >= view->dict.part_count) {
        return false;
    }
    const tacho_part *part = &view->dict.parts[index];
    const tacho_clock *clock = &view->dict.clocks[part->clock];
    *out_part = (tacho_part_view){
        .name = text_of(view, part->name),
        .path = text_of(view, part->path),
        .format = text_of(view, part->format),
        .generation = text_of(view, part->generation),
        .origin = tacho_origin_name(part->origin),
        .clock_name = text_of(view, clock->name),
        .ns_numerator = clock->ns_numerator,
        .ns_denominator = clock->ns_denominator,
        .zero_ticks = clock->zero_ticks,
        .is_clock_assumed = clock->is_assumed,
        .is_clock_in_cycles = clock->counts_cycles,
        .root = part->root,
        .event_count = part->row_count,
    };
    return true;
}

bool tacho_view_track(const tacho_view *view, uint64_t index, tacho_track_view *out_track)
{
    if (view == NULL || out_track == NULL || index >= view->dict.track_count) {
        return false;
    }
    const tacho_track *track = &view->dict.tracks[index];
    *out_track = (tacho_track_view){
        .name = text_of(view, tacho_dict_track_name(&view->dict, (uint32_t)index)),
        .track_class = tacho_track_class_name(track->track_class),
        .unit = tacho_unit_name(track->unit),
        .parent = track->parent,
        .part = track->part,
        .number = track->index,
    };
    return true;
}

/* ---- spans --------------------------------------------------------------------------------- */

static int64_t ns_of(const tacho_view *view, uint32_t track, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(&view->dict, track), ticks);
}

static void fill_location(const tacho_view *view, uint32_t id, tacho_span_view *span)
{
    const tacho_location *location = &view->dict.locations[id];
    span->location = text_of(view, location->text);
    span->file = location->file != 0 ? text_of(view, location->file) : NULL;
    span->line = location->line;
    span->column = location->column;
}

bool tacho_view_span(const tacho_view *view, uint64_t index, tacho_span_view *out_span)
{
    if (view == NULL || out_span == NULL || index >= view->profile.span_count) {
        return false;
    }
    tacho_span span = tacho_profile_span(&view->profile, index);
    const tacho_site *site = &view->dict.sites[span.site];
    uint32_t part = view->dict.tracks[span.track].part;
    uint32_t own_origin = span.flags & TACHO_SPAN_ORIGIN_MASK;
    *out_span = (tacho_span_view){
        .track = span.track,
        .part = part,
        .name = text_of(view, site->name),
        .category = text_of(view, site->category),
        .start_ns = ns_of(view, span.track, span.start),
        .end_ns = ns_of(view, span.track, span.end),
        .start_ticks = span.start,
        .end_ticks = span.end,
        .invocation = -1,
        .origin = tacho_origin_name(own_origin != 0 ? (tacho_origin)own_origin
                                                    : view->dict.parts[part].origin),
        .is_instant = (span.flags & TACHO_SPAN_INSTANT) != 0,
        .is_unended = (span.flags & TACHO_SPAN_UNENDED) != 0,
    };
    if (site->location != TACHO_NONE) {
        fill_location(view, site->location, out_span);
    }
    if (span.run != TACHO_NONE) {
        out_span->run = text_of(view, view->dict.runs[span.run].name);
        out_span->invocation = view->dict.runs[span.run].invocation;
    }
    return true;
}

/* ---- arguments ----------------------------------------------------------------------------- */

static void set_text(tacho_arg_view *to, tacho_value_type type, tacho_str text)
{
    to->type = type;
    to->text = text.data != NULL ? text.data : "";
    to->text_len = text.len;
}

static void set_value(const tacho_view *view, const tacho_arg *arg, tacho_arg_view *to)
{
    switch (arg->type) {
    case TACHO_ARG_INT:
        to->type = TACHO_VALUE_INT;
        to->as_int = arg->value.as_int;
        break;
    case TACHO_ARG_UINT:
        to->type = TACHO_VALUE_UINT;
        to->as_uint = arg->value.as_uint;
        break;
    case TACHO_ARG_REAL:
        to->type = TACHO_VALUE_REAL;
        to->as_real = arg->value.as_real;
        break;
    case TACHO_ARG_BOOL:
        to->type = TACHO_VALUE_BOOL;
        to->as_bool = arg->value.as_bool;
        break;
    case TACHO_ARG_STRING:
        set_text(to, TACHO_VALUE_TEXT, tacho_dict_string(&view->dict, arg->value.as_string));
        break;
    case TACHO_ARG_TEXT:
        set_text(to, TACHO_VALUE_TEXT, arg->value.as_text);
        break;
    case TACHO_ARG_JSON:
        set_text(to, TACHO_VALUE_JSON, arg->value.as_text);
        break;
    case TACHO_ARG_DICT:
        to->type = TACHO_VALUE_DICT;
        break;
    case TACHO_ARG_ARRAY:
        to->type = TACHO_VALUE_ARRAY;
        break;
    }
}

/* Fills |to| from the argument at |at|, which lies |depth| deep. */
static void fill_arg(const tacho_view *view, uint32_t at, uint32_t depth, tacho_arg_view *to)
{
    const tacho_arg *arg = &view->profile.args[at].arg;
    tacho_arg_view filled = {
        .key = text_of(view, arg->key),
        .key_len = tacho_dict_string(&view->dict, arg->key).len,
        .unit = tacho_unit_name(arg->unit),
        .depth = depth,
    };
    set_value(view, arg, &filled);
    memcpy(filled.cursor, to->cursor, sizeof(filled.cursor));
    filled.cursor[CURSOR_AT] = at;
    *to = filled;
}

bool tacho_view_first_arg(const tacho_view *view, uint64_t span, tacho_arg_view *out_arg)
{
    if (view == NULL || out_arg == NULL || span >= view->profile.span_count) {
        return false;
    }
    uint32_t first = tacho_profile_span(&view->profile, span).args;
    if (first == TACHO_NONE) {
        return false;
    }
    *out_arg = (tacho_arg_view){0};
    fill_arg(view, first, 0, out_arg);
    return true;
}

bool tacho_view_next_arg(const tacho_view *view, tacho_arg_view *arg)
{
    if (view == NULL || arg == NULL || arg->cursor[CURSOR_AT] >= view->profile.arg_count ||
        arg->depth > TACHO_ARG_DEPTH_MAX) {
        return false;
    }
    uint32_t at = arg->cursor[CURSOR_AT];
    uint32_t depth = arg->depth;
    const tacho_stored_arg *stored = &view->profile.args[at];
    if (stored->is_last) {
        return false;
    }
    at++;
    bool is_opener = stored->arg.type == TACHO_ARG_DICT || stored->arg.type == TACHO_ARG_ARRAY;
    if (is_opener && depth < TACHO_ARG_DEPTH_MAX) {
        arg->cursor[CURSOR_ENDS + depth++] = at + (uint32_t)stored->arg.value.as_uint;
    }
    while (depth > 0 && at >= arg->cursor[CURSOR_ENDS + depth - 1]) {
        depth--;
    }
    fill_arg(view, at, depth, arg);
    return true;
}

/* ---- the rest ------------------------------------------------------------------------------ */

bool tacho_view_sample(const tacho_view *view, uint64_t index, tacho_sample_view *out_sample)
{
    if (view == NULL || out_sample == NULL || index >= view->profile.sample_count) {
        return false;
    }
    const tacho_sample *sample = &view->profile.samples[index];
    *out_sample = (tacho_sample_view){
        .track = sample->track,
        .part = view->dict.tracks[sample->track].part,
        .time_ns = ns_of(view, sample->track, sample->time),
        .time_ticks = sample->time,
        .value = sample->value,
    };
    return true;
}

bool tacho_view_flow(const tacho_view *view, uint64_t index, tacho_flow_view *out_flow)
{
    if (view == NULL || out_flow == NULL || index >= view->profile.flow_end_count) {
        return false;
    }
    const tacho_flow_end *flow = &view->profile.flow_ends[index];
    *out_flow = (tacho_flow_view){
        .track = flow->track,
        .part = view->dict.tracks[flow->track].part,
        .time_ns = ns_of(view, flow->track, flow->time),
        .time_ticks = flow->time,
        .id = flow->id,
        .role = tacho_flow_role_name(flow->role),
        .phase = tacho_flow_phase_name(flow->phase),
        .span_end_ns = tacho_view_flow_span_end_ns(view, flow),
    };
    return true;
}

bool tacho_view_loss(const tacho_view *view, uint64_t index, tacho_loss_view *out_loss)
{
    if (view == NULL || out_loss == NULL || index >= view->dict.loss_count) {
        return false;
    }
    const tacho_loss *loss = &view->dict.losses[index];
    *out_loss = (tacho_loss_view){
        .part = loss->part,
        .reason = tacho_loss_key(loss->reason),
        .phrase = tacho_loss_phrase(loss->reason),
        .count = loss->count,
        .first_line = loss->first_line,
        .example = text_of(view, loss->example),
    };
    return true;
}

bool tacho_view_fact(const tacho_view *view, uint64_t index, tacho_fact_view *out_fact)
{
    if (view == NULL || out_fact == NULL || index >= view->dict.metadata_count) {
        return false;
    }
    const tacho_metadata *fact = &view->dict.metadata[index];
    *out_fact = (tacho_fact_view){
        .key = text_of(view, fact->key),
        .value = text_of(view, fact->value),
        .key_len = tacho_dict_string(&view->dict, fact->key).len,
        .value_len = tacho_dict_string(&view->dict, fact->value).len,
    };
    return true;
}
