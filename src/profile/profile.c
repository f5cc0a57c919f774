/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling and reading the columns.
 */
#include "profile/profile.h"

#include "base/grow.h"

#include <stdlib.h>

static tacho_profile *profile_of(tacho_events *events)
{
    return (tacho_profile *)(void *)events;
}

static tacho_status store_args(tacho_profile *profile, const tacho_row *row, uint32_t *out_first)
{
    *out_first = TACHO_NONE;
    if (row->arg_count == 0) {
        return TACHO_OK;
    }
    size_t count = profile->arg_count + row->arg_count;
    if (count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 event arguments");
    }
    TACHO_TRY(tacho_grow(&profile->args, &profile->arg_capacity, count));
    for (size_t i = 0; i < row->arg_count; i++) {
        tacho_stored_arg *stored = &profile->args[profile->arg_count + i];
        *stored = (tacho_stored_arg){row->args[i], i + 1 == row->arg_count};
        if (tacho_arg_has_text(&stored->arg)) {
            TACHO_TRY(tacho_arena_copy(&profile->arena, row->args[i].value.as_text,
                                       &stored->arg.value.as_text));
        }
    }
    *out_first = (uint32_t)profile->arg_count;
    profile->arg_count = count;
    return TACHO_OK;
}

static tacho_status ensure_chunk(tacho_profile *profile)
{
    if (profile->span_count < profile->chunk_count * TACHO_PROFILE_CHUNK_ROWS) {
        return TACHO_OK;
    }
    if (profile->span_count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than 2^32 spans");
    }
    TACHO_TRY(tacho_grow(&profile->chunks, &profile->chunk_capacity, profile->chunk_count + 1));
    tacho_span_chunk *chunk = malloc(sizeof(*chunk));
    if (chunk == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for more than %zu spans",
                          profile->span_count);
    }
    profile->chunks[profile->chunk_count++] = chunk;
    return TACHO_OK;
}

static tacho_status store_span(tacho_profile *profile, const tacho_row *row)
{
    uint32_t args = TACHO_NONE;
    TACHO_TRY(ensure_chunk(profile));
    TACHO_TRY(store_args(profile, row, &args));
    tacho_span_chunk *chunk = profile->chunks[profile->span_count / TACHO_PROFILE_CHUNK_ROWS];
    size_t at = profile->span_count % TACHO_PROFILE_CHUNK_ROWS;
    chunk->start[at] = row->start;
    chunk->end[at] = row->of.span.end;
    chunk->track[at] = row->track;
    chunk->site[at] = row->of.span.site;
    chunk->op[at] = row->of.span.op;
    chunk->run[at] = row->of.span.run;
    chunk->args[at] = args;
    chunk->flags[at] = row->of.span.flags;
    profile->span_count++;
    return TACHO_OK;
}

static tacho_status store_sample(tacho_profile *profile, const tacho_row *row)
{
    TACHO_TRY(tacho_grow(&profile->samples, &profile->sample_capacity, profile->sample_count + 1));
    profile->samples[profile->sample_count++] =
        (tacho_sample){row->start, row->of.sample.value, row->track};
    return TACHO_OK;
}

static tacho_status store_flow_end(tacho_profile *profile, const tacho_row *row)
{
    TACHO_TRY(
        tacho_grow(&profile->flow_ends, &profile->flow_end_capacity, profile->flow_end_count + 1));
    profile->flow_ends[profile->flow_end_count++] = (tacho_flow_end){
        .time = row->start,
        .span_end = row->of.flow.span_end,
        .id = row->of.flow.id,
        .span_name = row->of.flow.span_name,
        .track = row->track,
        .role = row->of.flow.role,
        .phase = row->of.flow.phase,
    };
    return TACHO_OK;
}

static tacho_status profile_row(tacho_events *events, const tacho_row *row)
{
    tacho_profile *profile = profile_of(events);
    switch (row->kind) {
    case TACHO_ROW_SPAN:
        return store_span(profile, row);
    case TACHO_ROW_SAMPLE:
        return store_sample(profile, row);
    case TACHO_ROW_FLOW:
        return store_flow_end(profile, row);
    }
    return TACHO_OK;
}

static const tacho_events_vtable profile_vtable = {.row = profile_row};

void tacho_profile_init(tacho_profile *profile, tacho_dict *dict)
{
    *profile = (tacho_profile){.events = {&profile_vtable, dict}};
    tacho_arena_init(&profile->arena);
}

void tacho_profile_deinit(tacho_profile *profile)
{
    for (size_t i = 0; i < profile->chunk_count; i++) {
        free(profile->chunks[i]);
    }
    free(profile->chunks);
    free(profile->args);
    free(profile->samples);
    free(profile->flow_ends);
    tacho_arena_deinit(&profile->arena);
    *profile = (tacho_profile){0};
}

tacho_span tacho_profile_span(const tacho_profile *profile, size_t id)
{
    const tacho_span_chunk *chunk = profile->chunks[id / TACHO_PROFILE_CHUNK_ROWS];
    size_t at = id % TACHO_PROFILE_CHUNK_ROWS;
    return (tacho_span){
        .start = chunk->start[at],
        .end = chunk->end[at],
        .track = chunk->track[at],
        .site = chunk->site[at],
        .op = chunk->op[at],
        .run = chunk->run[at],
        .args = chunk->args[at],
        .flags = chunk->flags[at],
    };
}

tacho_status tacho_profile_row(const tacho_profile *profile, size_t id, tacho_arg **args,
                               size_t *arg_capacity, tacho_row *out_row)
{
    tacho_span span = tacho_profile_span(profile, id);
    *out_row = (tacho_row){.kind = TACHO_ROW_SPAN, .track = span.track, .start = span.start};
    out_row->of.span.end = span.end;
    out_row->of.span.site = span.site;
    out_row->of.span.op = span.op;
    out_row->of.span.run = span.run;
    out_row->of.span.flags = span.flags;
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        TACHO_TRY(tacho_grow(args, arg_capacity, out_row->arg_count + 1));
        (*args)[out_row->arg_count++] = profile->args[i].arg;
        more = !profile->args[i].is_last;
    }
    out_row->args = *args;
    return TACHO_OK;
}

tacho_status tacho_profile_replay_spans(const tacho_profile *profile, tacho_events *next)
{
    tacho_arg *args = NULL;
    size_t arg_capacity = 0;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < profile->span_count && status == TACHO_OK; i++) {
        tacho_row row;
        status = tacho_profile_row(profile, i, &args, &arg_capacity, &row);
        if (status == TACHO_OK) {
            status = tacho_events_row(next, &row);
        }
    }
    free(args);
    return status;
}
