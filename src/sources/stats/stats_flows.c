/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrows: dependencies of jobs, from the program, between the recorded spans. An arrow of the role
 * data is a true dependency, one of the role order a buffer that is reused. Where the threads of a
 * group share a span, arrows between two spans are drawn once. In the vendor's words a job that
 * only waits does not have a span: its successors have an arrow from the job it waited for longest.
 */
#include "sources/stats/stats_emit.h"

#include "base/grow.h"

#include <stdlib.h>

/* The place of a job, or a task, in the trace; the track is TACHO_NONE if it has none. */
typedef struct place {
    uint32_t track, out_track; /* of arrival and of departure */
    uint32_t name;             /* of the span there */
    int64_t start, end, out_end;
} place;

typedef struct flows {
    stats_emitter *emitter;
    place *places;     /* by job, or by task */
    uint32_t *marks;   /* by place: the last place with an arrow to it, + 1 */
    uint32_t *origins; /* by job: where its arrows leave; itself unless it only waits */
    size_t place_count;
    bool by_task;
    uint64_t next_id;
} flows;

static size_t place_of_job(const flows *self, uint32_t job)
{
    const tacho_stats_words *words = self->emitter->set->words;
    uint32_t engine = words->layout->program->jobs[job].engine;
    return self->by_task ? tacho_stats_words_task(words, engine, words->layout->job_task[job])
                         : job;
}

static tacho_status take_place(stats_emitter *emitter, uint32_t engine, const stats_times *times,
                               void *with)
{
    flows *self = with;
    const tacho_stats_words *words = emitter->set->words;
    size_t task = tacho_stats_words_task(words, engine, times->oc);
    uint32_t job = times->job;
    bool is_async = times->done >= 0;
    bool is_vendor = stats_view_of(emitter)->has_vendor_words;
    bool is_link = is_vendor && times->is_link;
    int64_t end = is_async && (!is_vendor || is_link) ? times->done : times->end;
    int64_t out_end = is_async ? times->done : times->end;
    if (job == TACHO_NONE || (is_vendor && times->is_wait) || out_end > emitter->max_ticks ||
        end > emitter->max_ticks) {
        return TACHO_OK;
    }
    place *at = &self->places[self->by_task ? task : job];
    uint32_t first = self->by_task ? words->layout->tasks[task].engine : engine;
    if (at->track == TACHO_NONE) {
        const stats_facts *facts = NULL;
        TACHO_TRY(stats_facts_of(emitter, engine, times->oc, &facts));
        *at = (place){
            .name = emitter->events->dict->sites[facts->site].name,
            .start = times->start,
            .end = end,
            .out_end = out_end,
        };
        TACHO_TRY(is_link ? stats_link_track(emitter, job, &at->track)
                          : stats_engine_track(emitter, first, STATS_TRACK_OPS, &at->track));
        at->out_track = at->track;
        if (is_async && is_vendor && !is_link) {
            TACHO_TRY(stats_engine_track(emitter, first, STATS_TRACK_TRANSFERS, &at->out_track));
        }
    }
    at->start = times->start < at->start ? times->start : at->start;
    at->end = tacho_most(at->end, end);
    at->out_end = tacho_most(at->out_end, out_end);
    return TACHO_OK;
}

static tacho_status find_places(flows *self)
{
    stats_emitter *emitter = self->emitter;
    for (size_t i = 0; i < emitter->set->file_count; i++) {
        const tacho_stats_file *file = &emitter->set->files[i];
        if (stats_is_by_op(file) ||
            !tacho_stats_choice_has(&emitter->set->view.devices, file->head.device)) {
            continue;
        }
        TACHO_TRY(stats_open_file(emitter, file));
        for (uint32_t engine = 0; engine < emitter->program->engine_count; engine++) {
            if (stats_shows_engine(emitter, engine)) {
                TACHO_TRY(stats_visit_engine(emitter, engine, take_place, self));
            }
        }
    }
    return TACHO_OK;
}

/* Needs precede their jobs, so one pass traces jobs that only wait back to their origin. */
static void find_origins(flows *self)
{
    const tacho_program *program = self->emitter->program;
    bool follows = stats_view_of(self->emitter)->has_vendor_words;
    for (uint32_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        int64_t last = -1;
        self->origins[i] = i;
        for (uint32_t j = 0; follows && job->kind == TACHO_JOB_WAIT && j < job->need_count; j++) {
            uint32_t origin = self->origins[program->needs[job->first_need + j].job];
            const place *at = &self->places[place_of_job(self, origin)];
            if (at->track != TACHO_NONE && at->out_end > last) {
                last = at->out_end;
                self->origins[i] = origin;
            }
        }
    }
}

static tacho_status push_arrow(flows *self, const tacho_need *need, uint32_t job)
{
    uint32_t origin = self->origins[need->job];
    const place *from = &self->places[place_of_job(self, origin)];
    const place *to = &self->places[place_of_job(self, job)];
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = from->out_track, .start = from->start};
    row.of.flow.id = self->next_id++;
    row.of.flow.role = need->is_false ? TACHO_FLOW_ORDER : TACHO_FLOW_DATA;
    row.of.flow.phase = TACHO_FLOW_LEAVES;
    row.of.flow.span_name = from->name;
    row.of.flow.span_end = from->out_end;
    TACHO_TRY(tacho_events_row(self->emitter->events, &row));
    row.track = to->track;
    row.start = to->start;
    row.of.flow.phase = TACHO_FLOW_ARRIVES;
    row.of.flow.span_name = to->name;
    row.of.flow.span_end = to->end;
    return tacho_events_row(self->emitter->events, &row);
}

/*
 * Pushes arrows to the jobs of a place: true dependencies first, so that they win between two
 * spans.
 */
static tacho_status push_arrows_to(flows *self, size_t at, const uint32_t *jobs, uint32_t job_count)
{
    const tacho_program *program = self->emitter->program;
    for (uint32_t is_false = 0; is_false < 2; is_false++) {
        for (uint32_t i = 0; i < job_count; i++) {
            const tacho_job *job = &program->jobs[jobs[i]];
            for (uint32_t j = 0; j < job->need_count; j++) {
                const tacho_need *need = &program->needs[job->first_need + j];
                size_t from = place_of_job(self, self->origins[need->job]);
                if ((need->is_false != 0) != (is_false != 0) || from == at ||
                    self->places[from].track == TACHO_NONE || self->marks[from] == at + 1) {
                    continue;
                }
                self->marks[from] = (uint32_t)at + 1;
                TACHO_TRY(push_arrow(self, need, jobs[i]));
            }
        }
    }
    return TACHO_OK;
}

static tacho_status push_arrows(flows *self)
{
    const tacho_stats_words *words = self->emitter->set->words;
    for (size_t i = 0; i < self->place_count; i++) {
        if (self->places[i].track == TACHO_NONE) {
            continue;
        }
        uint32_t job = (uint32_t)i;
        TACHO_TRY(self->by_task ? push_arrows_to(self, i, &words->jobs[words->task_first[i]],
                                                 words->task_first[i + 1] - words->task_first[i])
                                : push_arrows_to(self, i, &job, 1));
    }
    return TACHO_OK;
}

tacho_status stats_emit_flows(stats_emitter *emitter)
{
    const tacho_stats_view *view = stats_view_of(emitter);
    flows self = {.emitter = emitter, .by_task = view->has_vendor_words && !view->splits_groups};
    self.place_count =
        self.by_task ? emitter->set->words->layout->task_count : emitter->program->job_count;
    self.places = tacho_items_alloc(self.place_count, sizeof(*self.places));
    self.marks = tacho_items_alloc(self.place_count, sizeof(*self.marks));
    self.origins = tacho_items_alloc(emitter->program->job_count, sizeof(*self.origins));
    tacho_status status = TACHO_OK;
    if (self.places == NULL || self.marks == NULL || self.origins == NULL) {
        status = tacho_no_memory();
    }
    for (size_t i = 0; status == TACHO_OK && i < self.place_count; i++) {
        self.places[i].track = TACHO_NONE;
    }
    if (status == TACHO_OK) {
        status = find_places(&self);
    }
    if (status == TACHO_OK) {
        find_origins(&self);
        status = push_arrows(&self);
    }
    free(self.places);
    free(self.marks);
    free(self.origins);
    return status;
}
