/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata is written behind all rows, so the clocks are described at the end.
 */
#include "session/capture_stage.h"

#include <inttypes.h>
#include <stdio.h>

static tacho_capture_stage *stage_of(tacho_events *events)
{
    return (tacho_capture_stage *)(void *)events;
}

static tacho_status pass_row(tacho_events *events, const tacho_row *row)
{
    tacho_capture_stage *stage = stage_of(events);
    return tacho_row_end(row) >= stage->active_from_ns ? tacho_events_row(stage->next, row)
                                                       : TACHO_OK;
}

static tacho_status pass_end(tacho_events *events, uint32_t part)
{
    return tacho_events_end_part(stage_of(events)->next, part);
}

static tacho_status add_number(tacho_dict *dict, const char *key, int64_t value)
{
    char text[32];
    int len = snprintf(text, sizeof(text), "%" PRId64, value);
    return tacho_dict_add_metadata(dict, key, tacho_str_make(text, (size_t)len));
}

static tacho_status describe(const tacho_capture_stage *stage)
{
    tacho_dict *dict = stage->events.dict;
    const tacho_profiling *request = stage->request;
    if (request->activate_ns > 0) {
        TACHO_TRY(add_number(dict, "capture.active_from_ns", stage->active_from_ns));
    }
    if (!request->has_anchors) {
        return TACHO_OK;
    }
    TACHO_TRY(add_number(dict, TACHO_CLOCK_OFFSET, tacho_anchor_offset(&stage->clocks.start)));
    TACHO_TRY(add_number(dict, TACHO_CLOCK_ERROR, stage->clocks.start.error_ns));
    if (stage->clocks.step_ns != 0) {
        TACHO_TRY(add_number(dict, TACHO_CLOCK_STEP, stage->clocks.step_ns));
    }
    const struct {
        const char *key;
        tacho_str text;
    } facts[] = {{TACHO_CAPTURE_RUN, request->run},
                 {TACHO_CAPTURE_HOST, request->host},
                 {TACHO_CAPTURE_RANK, request->rank},
                 {TACHO_CAPTURE_WORLD_SIZE, request->world_size}};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        TACHO_TRY(facts[i].text.len > 0 ? tacho_dict_add_metadata(dict, facts[i].key, facts[i].text)
                                        : TACHO_OK);
    }
    return TACHO_OK;
}

static tacho_status pass_finish(tacho_events *events)
{
    tacho_capture_stage *stage = stage_of(events);
    tacho_capture_stage_look(stage);
    TACHO_TRY(describe(stage));
    return tacho_events_finish(stage->next);
}

/* The next moment since 1970 that is a multiple of |period_ns|, as CLOCK_MONOTONIC will show it. */
static int64_t next_moment(const tacho_anchor *now, int64_t period_ns)
{
    int64_t since_ns = now->realtime_ns % period_ns;
    return now->monotonic_ns + (since_ns == 0 ? 0 : period_ns - since_ns);
}

void tacho_capture_stage_init(tacho_capture_stage *stage, const tacho_profiling *request,
                              tacho_events *next)
{
    static const tacho_events_vtable vtable = {
        .row = pass_row, .end_part = pass_end, .finish = pass_finish};
    *stage =
        (tacho_capture_stage){.events = {&vtable, next->dict}, .next = next, .request = request};
    stage->last = stage->clocks.start = stage->clocks.end = tacho_anchor_take();
    stage->active_from_ns =
        request->activate_ns > 0 ? next_moment(&stage->last, request->activate_ns) : 0;
}

void tacho_capture_stage_look(tacho_capture_stage *stage)
{
    tacho_anchor now = tacho_anchor_take();
    stage->clocks.step_ns += tacho_anchor_step(&stage->last, &now);
    stage->last = stage->clocks.end = now;
}
