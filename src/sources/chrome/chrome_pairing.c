/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A held step is a row on the part's root. Its time is the start, and its end decreases from step
 * to step, so that the spool, which puts the longer of two spans first, keeps the order of the
 * file. All other fields travel as arguments after the step's own.
 */
#include "sources/chrome/chrome_pairing.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXAMPLE_BYTES = 88 };

static tacho_status take_held(tacho_events *events, const tacho_row *row);

static const tacho_events_vtable held_vtable = {.row = take_held};

tacho_status chrome_pairing_init(chrome_pairing *pairing, const tacho_reading *reading,
                                 chrome_tracks *tracks)
{
    *pairing = (chrome_pairing){
        .events = {&held_vtable, reading->events->dict},
        .reading = reading,
        .dict = reading->events->dict,
        .tracks = tracks,
        .part = TACHO_NONE,
        .kept_stack = TACHO_NONE,
    };
    tacho_open_spans_init(&pairing->open, reading->events);
    TACHO_TRY(chrome_map_init(&pairing->async_map));
    return reading->holds_events
               ? tacho_spool_create(pairing->dict, TACHO_SPOOL_DEFAULT_BYTES, &pairing->spool)
               : TACHO_OK;
}

void chrome_pairing_deinit(chrome_pairing *pairing)
{
    tacho_open_spans_deinit(&pairing->open);
    tacho_spool_destroy(pairing->spool);
    chrome_map_deinit(&pairing->async_map);
    free(pairing->asyncs);
    free(pairing->stack_times);
    free(pairing->held_args);
}

void chrome_pairing_begin_part(chrome_pairing *pairing, uint32_t part)
{
    pairing->part = part;
    for (size_t i = 0; i < pairing->stack_count; i++) {
        pairing->stack_times[i] = 0;
    }
}

tacho_status chrome_pairing_ensure_stack(chrome_pairing *pairing, uint32_t *stack)
{
    if (TACHO_LIKELY(*stack != TACHO_NONE)) {
        return TACHO_OK;
    }
    TACHO_TRY(
        tacho_grow(&pairing->stack_times, &pairing->stack_capacity, pairing->stack_count + 1));
    pairing->stack_times[pairing->stack_count] = 0;
    *stack = (uint32_t)pairing->stack_count++;
    return TACHO_OK;
}

tacho_status chrome_pairing_ensure_async(chrome_pairing *pairing, const chrome_key *key,
                                         uint32_t *out_async)
{
    uint32_t added = (uint32_t)pairing->async_count;
    TACHO_TRY(chrome_map_ensure(&pairing->async_map, key, added, out_async));
    if (*out_async == added) {
        TACHO_TRY(tacho_grow(&pairing->asyncs, &pairing->async_capacity, pairing->async_count + 1));
        pairing->asyncs[pairing->async_count++] = (chrome_async){TACHO_NONE, TACHO_NONE};
    }
    return chrome_pairing_ensure_stack(pairing, &pairing->asyncs[*out_async].stack);
}

tacho_status chrome_lost_add(tacho_dict *dict, uint32_t part, tacho_loss_reason reason,
                             const chrome_lost *lost)
{
    tacho_loss loss = {part, reason, 1, 0, 0};
    if (!tacho_dict_has_loss(dict, &loss)) {
        char text[EXAMPLE_BYTES];
        int len =
            snprintf(text, sizeof(text), "byte %" PRIu64 ": \"ph\":\"%.*s\",\"name\":\"%.*s\"",
                     lost->offset, lost->phase.len > 8 ? 8 : (int)lost->phase.len, lost->phase.data,
                     TACHO_STR_ARG(lost->name));
        size_t used = len < EXAMPLE_BYTES ? (size_t)len : EXAMPLE_BYTES - 1;
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_make(text, used), &loss.example));
    }
    return tacho_dict_add_loss(dict, &loss);
}

/* ---- steps in time order ---------------------------------------------------------------- */

static tacho_status end_span(chrome_pairing *pairing, const chrome_step *step)
{
    uint32_t name = pairing->dict->sites[step->row.of.span.site].name;
    tacho_span_end end = {
        .time = step->row.start,
        .name = name != 0 ? name : TACHO_NONE,
        .args = step->row.args,
        .arg_count = step->row.arg_count,
    };
    bool is_ended = false;
    TACHO_TRY(tacho_open_spans_end(&pairing->open, step->stack, &end, &is_ended));
    if (is_ended) {
        return TACHO_OK;
    }
    chrome_lost lost = {step->offset, tacho_str_make(&step->phase, 1),
                        tacho_dict_string(pairing->dict, name)};
    return chrome_lost_add(pairing->dict, pairing->part, TACHO_LOSS_UNMATCHED_END, &lost);
}

/* The track of a step: that of the outermost span of its operation, which it may be itself. */
static tacho_status find_track(chrome_pairing *pairing, const chrome_step *step, uint32_t *track)
{
    if (step->async == TACHO_NONE) {
        return TACHO_OK;
    }
    chrome_async *async = &pairing->asyncs[step->async];
    if (!tacho_open_spans_has(&pairing->open, step->stack)) {
        uint32_t name = pairing->dict->sites[step->row.of.span.site].name;
        TACHO_TRY(chrome_tracks_async(pairing->tracks, step->process, name, &async->track));
    }
    *track = async->track;
    return TACHO_OK;
}

static tacho_status begin_span(chrome_pairing *pairing, uint32_t stack, const tacho_row *row,
                               const tacho_row *flow)
{
    bool is_noted = false;
    TACHO_TRY(tacho_open_spans_begin(&pairing->open, stack, row));
    return flow != NULL ? tacho_open_spans_flow(&pairing->open, stack, flow, &is_noted) : TACHO_OK;
}

tacho_status chrome_pairing_keep(chrome_pairing *pairing, const tacho_row *row,
                                 const tacho_row *flow)
{
    TACHO_TRY(chrome_pairing_ensure_stack(pairing, &pairing->kept_stack));
    return begin_span(pairing, pairing->kept_stack, row, flow);
}

static tacho_status pair_step(chrome_pairing *pairing, const chrome_step *step)
{
    if (step->type == CHROME_STEP_END) {
        return end_span(pairing, step);
    }
    tacho_row row = step->row;
    tacho_row flow = step->flow;
    TACHO_TRY(find_track(pairing, step, &row.track));
    if (step->type == CHROME_STEP_BEGIN) {
        return begin_span(pairing, step->stack, &row, step->has_flow ? &flow : NULL);
    }
    if (step->has_flow) {
        flow.track = row.track;
        TACHO_TRY(tacho_events_row(pairing->reading->events, &flow));
    }
    return tacho_events_row(pairing->reading->events, &row);
}

/* ---- steps that are held ---------------------------------------------------------------- */

/* After the step's own arguments. */
enum {
    HELD_TYPE,
    HELD_PHASE,
    HELD_STACK,
    HELD_ASYNC,
    HELD_PROCESS,
    HELD_OFFSET,
    HELD_TRACK,
    HELD_FLAGS,
    HELD_FLOW,
    HELD_FLOW_PHASE,
    HELD_COUNT,
};

static tacho_status hold_step(chrome_pairing *pairing, const chrome_step *step)
{
    size_t count = step->row.arg_count;
    const uint64_t values[HELD_COUNT] = {
        [HELD_TYPE] = step->type,
        [HELD_PHASE] = (unsigned char)step->phase,
        [HELD_STACK] = step->stack,
        [HELD_ASYNC] = step->async,
        [HELD_PROCESS] = step->process,
        [HELD_OFFSET] = step->offset,
        [HELD_TRACK] = step->row.track,
        [HELD_FLAGS] = step->row.of.span.flags,
        [HELD_FLOW] = step->has_flow ? step->flow.of.flow.id : 0,
        [HELD_FLOW_PHASE] = step->has_flow ? step->flow.of.flow.phase : 0,
    };
    TACHO_TRY(tacho_grow(&pairing->held_args, &pairing->held_arg_capacity, count + HELD_COUNT));
    if (count > 0) {
        memcpy(pairing->held_args, step->row.args, count * sizeof(*pairing->held_args));
    }
    for (size_t i = 0; i < HELD_COUNT; i++) {
        tacho_arg *arg = &pairing->held_args[count + i];
        *arg = (tacho_arg){.type = TACHO_ARG_UINT};
        arg->value.as_uint = values[i];
    }
    tacho_row row = step->row;
    row.track = pairing->dict->parts[pairing->part].root;
    row.of.span.end = INT64_MAX - (int64_t)pairing->held_count++;
    row.of.span.flags = 0;
    row.args = pairing->held_args;
    row.arg_count = count + HELD_COUNT;
    return tacho_spool_add(pairing->spool, &row);
}

static tacho_status take_held(tacho_events *events, const tacho_row *row)
{
    chrome_pairing *pairing = (chrome_pairing *)(void *)events;
    const tacho_arg *held = row->args + row->arg_count - HELD_COUNT;
    chrome_step step = {
        .type = (chrome_step_type)held[HELD_TYPE].value.as_uint,
        .phase = (char)held[HELD_PHASE].value.as_uint,
        .stack = (uint32_t)held[HELD_STACK].value.as_uint,
        .async = (uint32_t)held[HELD_ASYNC].value.as_uint,
        .process = (uint32_t)held[HELD_PROCESS].value.as_uint,
        .offset = held[HELD_OFFSET].value.as_uint,
        .row = *row,
        .has_flow = held[HELD_FLOW].value.as_uint != 0,
    };
    step.row.track = (uint32_t)held[HELD_TRACK].value.as_uint;
    step.row.of.span.end = row->start;
    step.row.of.span.flags = (uint32_t)held[HELD_FLAGS].value.as_uint;
    step.row.arg_count -= HELD_COUNT;
    if (step.has_flow) {
        step.flow =
            (tacho_row){.kind = TACHO_ROW_FLOW, .track = step.row.track, .start = row->start};
        step.flow.of.flow.id = held[HELD_FLOW].value.as_uint;
        step.flow.of.flow.role = TACHO_FLOW_DATA;
        step.flow.of.flow.phase = (tacho_flow_phase)held[HELD_FLOW_PHASE].value.as_uint;
        step.flow.of.flow.span_end = row->start;
    }
    return pair_step(pairing, &step);
}

/* ---- steps in file order ---------------------------------------------------------------- */

tacho_status chrome_pairing_add(chrome_pairing *pairing, const chrome_step *step)
{
    int64_t time = step->row.start;
    if (pairing->spool != NULL) {
        return hold_step(pairing, step);
    }
    if (TACHO_UNLIKELY(time < pairing->stack_times[step->stack])) {
        return tacho_fail(TACHO_CODE_OUT_OF_ORDER,
                          "%s: byte %" PRIu64 ": an event out of time order",
                          pairing->reading->input->name, step->offset);
    }
    pairing->stack_times[step->stack] = time;
    return pair_step(pairing, step);
}

tacho_status chrome_pairing_end_part(chrome_pairing *pairing, int64_t latest)
{
    if (pairing->spool != NULL) {
        TACHO_TRY(tacho_spool_drain(pairing->spool, &pairing->events));
    }
    return tacho_open_spans_finish(&pairing->open, latest);
}
