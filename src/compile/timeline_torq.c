/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline as Torq's compiler writes it: commas and nothing quoted, cycles in every column,
 * transfers first, then slices, then the vector engine, each in the order of issue.
 *
 *     DI0,0,9408,loc("fc.mlir":4:10),DMA_IN                                     T1
 *     0,15831,0,DMA In,loc("add.mlir":7:10),75264                               T4
 *
 * T1 has no column for the slice: its readers take the number behind S modulo two. So a slice's
 * rows have the numbers that give the slice again, and leave out those that would not. The vector
 * engine came after T1; its rows are those of the next generation: CSS0,...,CSS.
 */
#include "compile/dump_targets.h"
#include "base/grow.h"
#include "compile/timeline.h"

#include <inttypes.h>
#include <stdlib.h>

/* The slices that readers of T1 take turns on. */
enum { READER_SLICE_COUNT = 2 };

typedef struct writer {
    const tacho_timeline *timeline;
    tacho_output *output;
    tacho_torq_timeline_form form;
    uint32_t transfer_count;
    uint32_t vector_count;
    uint32_t next_slice_number;
    uint32_t slice_count; /* of the machine, and at least as many as readers take turns on */
    uint32_t *tasks;      /* by job */
    tacho_arena scratch;
} writer;

typedef enum row_class { TRANSFERS, SLICES, VECTORS, ROW_CLASS_COUNT } row_class;

static row_class class_of(const writer *self, const tacho_job *job)
{
    switch (tacho_timeline_class(self->timeline, job)) {
    case TACHO_TRACK_GROUP:
        return ROW_CLASS_COUNT;
    case TACHO_TRACK_DMA_IN:
    case TACHO_TRACK_DMA_OUT:
        return TRANSFERS;
    case TACHO_TRACK_VECTOR:
    case TACHO_TRACK_CONTROL:
        return VECTORS;
    case TACHO_TRACK_HOST:
    case TACHO_TRACK_HOST_COPY:
    case TACHO_TRACK_RUNTIME:
    case TACHO_TRACK_COMPUTE:
    case TACHO_TRACK_DMA_LOCAL: /* within LRAM: CDMA goes to and from DTCM and ITCM alone */
    case TACHO_TRACK_SYNC:
    case TACHO_TRACK_PORT:
    case TACHO_TRACK_COUNTER:
    case TACHO_TRACK_PHASE:
    case TACHO_TRACK_MEMORY:
    case TACHO_TRACK_CLASS_COUNT:
        break;
    }
    return SLICES;
}

/* What a transfer is called: the id and the type of T1, the event of T4. */
typedef struct transfer_words {
    const char *id;
    const char *type;
    const char *event;
} transfer_words;

static const transfer_words *words_of(const writer *self, const tacho_job *job)
{
    static const transfer_words in = {"DI", "DMA_IN", "DMA In,"};
    static const transfer_words out = {"DO", "DMA_OUT", "DMA Out,"};
    return tacho_timeline_class(self->timeline, job) == TACHO_TRACK_DMA_OUT ? &out : &in;
}

/* Nothing is quoted in these files, so what would break a row cannot be in a field. */
static void write_clean(tacho_output *output, tacho_str text, bool may_have_commas)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.data[i];
        bool is_bad =
            byte == '\n' || byte == '\r' || byte == '\0' || (byte == ',' && !may_have_commas);
        tacho_output_write(output, is_bad ? "_" : &byte, 1);
    }
}

static void write_location(const writer *self, const tacho_job *job)
{
    const tacho_fusion *fusion = self->timeline->estimate->fusion;
    const tacho_node *root = &fusion->graph->nodes[fusion->ops[job->op].root];
    tacho_str location = tacho_graph_string(fusion->graph, root->location);
    bool is_wrapped = tacho_str_starts_with(location, TACHO_STR("loc("));
    tacho_output_write_cstring(self->output, is_wrapped ? "" : "loc(");
    write_clean(self->output, location, true);
    tacho_output_write_cstring(self->output, is_wrapped ? "" : ")");
}

/* The vendor's word for what a slice does, else ours. */
static tacho_status slice_word(writer *self, const tacho_job *job, tacho_str *out_word)
{
    const tacho_estimate *estimate = self->timeline->estimate;
    *out_word = tacho_estimate_vendor_name(estimate, job->op);
    if (out_word->len > 0) {
        return TACHO_OK;
    }
    tacho_arena_reset(&self->scratch);
    return tacho_estimate_op_type(estimate, job->op, '_', &self->scratch, out_word);
}

/* The next number from which a reader finds |slice|. */
static uint32_t take_slice_number(writer *self, uint32_t slice)
{
    uint32_t turn = self->next_slice_number % self->slice_count;
    uint32_t number =
        self->next_slice_number + (slice + self->slice_count - turn) % self->slice_count;
    self->next_slice_number = number + 1;
    return number;
}

static tacho_status write_t1_row(writer *self, const tacho_job *job)
{
    row_class which = class_of(self, job);
    const transfer_words *words = words_of(self, job);
    const char *id = which == TRANSFERS ? words->id : which == VECTORS ? "CSS" : "S";
    tacho_str type = which == TRANSFERS ? tacho_str_from_cstring(words->type) : TACHO_STR("CSS");
    uint32_t number;
    if (which == SLICES) {
        TACHO_TRY(slice_word(self, job, &type));
        number = take_slice_number(self, self->timeline->program->engines[job->engine].index);
    } else {
        number = which == TRANSFERS ? self->transfer_count++ : self->vector_count++;
    }
    tacho_output_printf(self->output, "%s%" PRIu32 ",%" PRId64 ",%" PRId64 ",", id, number,
                        job->start, job->end);
    write_location(self, job);
    tacho_output_write_cstring(self->output, ",");
    write_clean(self->output, type, false);
    tacho_output_write_cstring(self->output, "\n");
    return TACHO_OK;
}

static void write_t4_row(const writer *self, const tacho_job *job, uint32_t task)
{
    row_class which = class_of(self, job);
    tacho_output_printf(self->output, "%" PRIu32 ",%" PRId64 ",%" PRId64 ",", task,
                        job->end - job->start, job->start);
    if (which == SLICES) {
        tacho_output_printf(self->output, "Slice %" PRIu32 ",",
                            (uint32_t)self->timeline->program->engines[job->engine].index);
    } else {
        tacho_output_write_cstring(self->output,
                                   which == VECTORS ? "CSS," : words_of(self, job)->event);
    }
    write_location(self, job);
    if (which == TRANSFERS) {
        tacho_output_printf(self->output, ",%" PRIu64 "\n", job->bytes);
    } else {
        tacho_output_write_cstring(self->output, ",\n");
    }
}

static tacho_status write_rows(writer *self, row_class which)
{
    const tacho_program *program = self->timeline->program;
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (class_of(self, job) != which) {
            continue;
        }
        if (self->form == TACHO_TORQ_T1) {
            TACHO_TRY(write_t1_row(self, job));
        } else {
            write_t4_row(self, job, self->tasks[i]);
        }
    }
    return TACHO_OK;
}

static void count_slices(writer *self)
{
    const tacho_program *program = self->timeline->program;
    self->slice_count = READER_SLICE_COUNT;
    for (size_t i = 0; i < program->job_count; i++) {
        uint32_t count = (uint32_t)program->engines[program->jobs[i].engine].index + 1;
        bool is_more = class_of(self, &program->jobs[i]) == SLICES && count > self->slice_count;
        self->slice_count = is_more ? count : self->slice_count;
    }
}

static tacho_status write_all(writer *self)
{
    const tacho_program *program = self->timeline->program;
    TACHO_TRY(tacho_items_make(&self->tasks, program->job_count));
    TACHO_TRY(tacho_targets_number(program, self->tasks));
    count_slices(self);
    for (row_class which = TRANSFERS; which < ROW_CLASS_COUNT; which++) {
        TACHO_TRY(write_rows(self, which));
    }
    return TACHO_OK;
}

tacho_status tacho_timeline_write_torq(const tacho_timeline *timeline,
                                       tacho_torq_timeline_form form, tacho_output *output)
{
    writer self = {.timeline = timeline, .output = output, .form = form};
    tacho_arena_init(&self.scratch);
    if (form == TACHO_TORQ_T4) {
        tacho_output_write_cstring(
            output, "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n");
    }
    tacho_status status = write_all(&self);
    free(self.tasks);
    tacho_arena_deinit(&self.scratch);
    return status;
}
