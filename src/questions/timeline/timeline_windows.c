/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the windows of steps from a timeline.
 */
#include "questions/timeline/timeline_windows.h"

static tacho_status take_launch(void *timeline, uint32_t track, const tacho_launch *launch)
{
    tacho_timeline *self = timeline;
    tacho_step_windows_add_launch(&self->windows, &self->steps, track, launch->start_ns);
    return TACHO_OK;
}

static tacho_status take_work(void *timeline, const tacho_timeline_work *work, uint32_t *out_tag)
{
    tacho_timeline *self = timeline;
    uint32_t track = work->span.row->track;
    *out_tag = 0;
    tacho_step_windows_add(&self->windows, track, work->span.start_ns, work->span.end_ns);
    return work->has_launch ? take_launch(self, track, &work->launch) : TACHO_OK;
}

/* A range of a device may name a step. */
static tacho_status take_call(void *timeline, const tacho_timeline_span *span)
{
    tacho_timeline *self = timeline;
    uint32_t site = span->row->of.span.site;
    if (tacho_timeline_is_device(self, span->row->track) &&
        tacho_steps_is_mark(&self->steps, site)) {
        tacho_step_windows_add_echo(&self->windows, &self->steps,
                                    self->events.dict->sites[site].name, span->start_ns,
                                    span->end_ns);
    }
    return TACHO_OK;
}

tacho_timeline_taker tacho_timeline_windows_taker(tacho_timeline *timeline)
{
    return (tacho_timeline_taker){
        .self = timeline, .call = take_call, .work = take_work, .launch = take_launch};
}
