/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs of a compilation as rows of Torq's timeline.
 */
#include "session/timeline_torq.h"

#include "base/grow.h"
#include "compile/dump_targets.h"

#include <stdlib.h>

typedef struct job_rows {
    const tacho_timeline *timeline;
    uint32_t *tasks; /* by job */
    tacho_arena scratch;
} job_rows;

/* The vendor's word for what a slice does, else ours. */
static tacho_status find_word(job_rows *self, const tacho_job *job, tacho_str *out_word)
{
    const tacho_estimate *estimate = self->timeline->estimate;
    *out_word = tacho_estimate_vendor_name(estimate, job->op);
    if (out_word->len > 0) {
        return TACHO_OK;
    }
    tacho_arena_reset(&self->scratch);
    return tacho_estimate_op_type(estimate, job->op, '_', &self->scratch, out_word);
}

static tacho_status make_row(void *user, size_t index, tacho_torq_timeline_row *out_row)
{
    job_rows *self = user;
    const tacho_program *program = self->timeline->program;
    const tacho_job *job = &program->jobs[index];
    *out_row = (tacho_torq_timeline_row){
        .track_class = tacho_timeline_class(self->timeline, job),
        .unit = program->engines[job->engine].index,
        .task = self->tasks[index],
        .start = job->start,
        .end = job->end,
        .bytes = job->bytes,
    };
    if (out_row->track_class == TACHO_TRACK_GROUP) {
        return TACHO_OK; /* not of an operator, perhaps */
    }
    const tacho_fusion *fusion = self->timeline->estimate->fusion;
    const tacho_node *root = &fusion->graph->nodes[fusion->ops[job->op].root];
    out_row->location = tacho_graph_string(fusion->graph, root->location);
    return find_word(self, job, &out_row->word);
}

tacho_status tacho_session_write_torq_timeline(const tacho_timeline *timeline,
                                               tacho_torq_timeline_form form, tacho_output *output)
{
    job_rows self = {.timeline = timeline};
    const tacho_torq_timeline rows = {timeline->program->job_count, make_row, &self};
    tacho_arena_init(&self.scratch);
    tacho_status status = tacho_items_make(&self.tasks, timeline->program->job_count);
    if (status == TACHO_OK) {
        status = tacho_targets_number(timeline->program, self.tasks);
    }
    if (status == TACHO_OK) {
        status = tacho_torq_timeline_write(&rows, form, output);
    }
    free(self.tasks);
    tacho_arena_deinit(&self.scratch);
    return status;
}
