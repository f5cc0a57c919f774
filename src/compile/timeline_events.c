/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timeline as a profile: a part of origin estimated, a track for each engine under the name
 * that the machine gives it, a span for each job.
 */
#include "compile/timeline.h"

#include "base/grow.h"
#include "base/index.h"
#include "base/maths.h"
#include "compile/tasks.h"
#include "profile/locations.h"
#include "profile/schedule_args.h"

#include <stdio.h>
#include <stdlib.h>

/* Argument keys of spans. */
#define KEYS(X)                                                                                    \
    X(NAME, "op")                                                                                  \
    X(MACS, "macs")                                                                                \
    X(BYTES, "bytes")                                                                              \
    X(UTILISATION, "utilisation")                                                                  \
    X(PADDING, "padding")                                                                          \
    X(BOUND, "bound")                                                                              \
    X(DTYPE, "dtype")                                                                              \
    X(CORES, "cores")

enum { TRANSFER_NAME_MAX = 256 };

enum {
#define KEY_ENUM(name, text) KEY_##name,
    KEYS(KEY_ENUM)
#undef KEY_ENUM
        KEY_COUNT
};

typedef struct pusher {
    const tacho_timeline *timeline;
    tacho_events *events;
    tacho_dict *dict;
    uint32_t part;
    uint32_t clock;
    uint32_t keys[KEY_COUNT];
    uint32_t op; /* that the next fields are about */
    uint32_t location;
    tacho_str name;
    tacho_str type;
    tacho_str word;      /* the vendor's for it */
    tacho_arena scratch; /* of one operator */
    uint32_t schedule_keys[TACHO_SCHEDULE_ARG_COUNT];
    uint32_t *tasks; /* by job, where schedules are wanted */
} pusher;

static tacho_status open_part(pusher *self)
{
    const tacho_estimate *estimate = self->timeline->estimate;
    const tacho_ratio *hz = &estimate->machine->core_clock_hz.value;
    tacho_clock clock;
    uint64_t numerator;
    if (hz->num <= 0 ||
        __builtin_mul_overflow(UINT64_C(1000000000), (uint64_t)hz->den, &numerator)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: the core clock is out of range",
                          TACHO_STR_ARG(estimate->machine->name));
    }
    tacho_clock_init(&clock, numerator, (uint64_t)hz->num);
    clock.counts_cycles = true;
    if (estimate->cycles > clock.max_ticks) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: the model takes too long for a timeline",
                          TACHO_STR_ARG(estimate->fusion->graph->path));
    }
    TACHO_TRY(tacho_dict_add_clock(self->dict, &clock, TACHO_STR("cycles"), &self->clock));
    tacho_part_facts facts = {
        .path = estimate->fusion->graph->path,
        .format = TACHO_STR("tacho-estimate"),
        .generation = estimate->machine->name,
        .origin = TACHO_ORIGIN_ESTIMATED,
        .clock = self->clock,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_DMA_IN) |
                           TACHO_TRACK_BIT(TACHO_TRACK_DMA_OUT) |
                           TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE),
    };
    TACHO_TRY(tacho_dict_add_part(self->dict, &facts, &self->part));
    static const char *const texts[] = {
#define KEY_TEXT(name, text) text,
        KEYS(KEY_TEXT)
#undef KEY_TEXT
    };
    for (size_t i = 0; i < KEY_COUNT; i++) {
        TACHO_TRY(
            tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(texts[i]), &self->keys[i]));
    }
    TACHO_TRY(tacho_dict_add_metadata(self->dict, "machine", estimate->machine->name));
    return tacho_dict_add_metadata_count(self->dict, "macs", estimate->macs);
}

/* "SLICE 1", "DMA IN"; with several cores or devices "Core 3 HVX 1". */
static void write_track_name(const tacho_program *program, const tacho_program_engine *engine,
                             bool is_one_of_many, char *name, size_t size)
{
    size_t used = 0;
    if (program->facts.device_count > 1) {
        used += (size_t)snprintf(name, size, "Device %u ", (unsigned)engine->device);
    }
    const tacho_program_engine *last = &program->engines[program->engine_count - 1];
    if (last->core > 0) {
        used += (size_t)snprintf(name + used, size - used, "Core %u ", (unsigned)engine->core);
    }
    used += (size_t)snprintf(name + used, size - used, "%.100s",
                             tacho_strings_get(&program->strings, engine->name).data);
    if (is_one_of_many) {
        snprintf(name + used, size - used, " %u", (unsigned)engine->index);
    }
}

static tacho_status find_track(const pusher *self, const tacho_job *job, uint32_t *out_track)
{
    const tacho_program *program = self->timeline->program;
    const tacho_program_engine *engine = &program->engines[job->engine];
    bool has_next =
        job->engine + 1 < program->engine_count && program->engines[job->engine + 1].index > 0;
    char name[160];
    write_track_name(program, engine, engine->index > 0 || has_next, name, sizeof(name));
    /* No job waits here: the trigger of an operator is at work. */
    tacho_track_class track_class = tacho_timeline_class(self->timeline, job);
    track_class = track_class == TACHO_TRACK_SYNC ? TACHO_TRACK_CONTROL : track_class;
    tacho_track facts = {
        .parent = self->dict->parts[self->part].root,
        .part = self->part,
        .clock = self->clock,
        .index = engine->index,
        .lane_of = TACHO_NONE,
        .rank = tacho_track_rank(engine->core, track_class, engine->index),
        .track_class = track_class,
        .nesting = TACHO_NESTING_ENGINE,
    };
    return tacho_dict_ensure_track(self->dict, &facts, tacho_str_from_cstring(name), out_track);
}

/* Name, type and place of the operator that the next jobs belong to. */
static tacho_status enter_op(pusher *self, uint32_t op)
{
    const tacho_estimate *estimate = self->timeline->estimate;
    const tacho_graph *graph = estimate->fusion->graph;
    const tacho_node *root = &graph->nodes[estimate->fusion->ops[op].root];
    tacho_arena_reset(&self->scratch);
    TACHO_TRY(tacho_estimate_op_name(estimate, op, &self->scratch, &self->name));
    TACHO_TRY(tacho_estimate_op_type(estimate, op, '+', &self->scratch, &self->type));
    if (self->timeline->has_schedule) {
        self->word = tacho_estimate_vendor_name(estimate, op);
    }
    if (self->timeline->has_schedule && self->word.len == 0) {
        TACHO_TRY(tacho_estimate_op_type(estimate, op, '_', &self->scratch, &self->word));
    }
    uint32_t text;
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, tacho_graph_string(graph, root->location), &text));
    self->op = op;
    return tacho_location_file(self->dict, text, &self->location);
}

static bool is_between_memories(tacho_track_class track_class)
{
    return track_class == TACHO_TRACK_DMA_IN || track_class == TACHO_TRACK_DMA_OUT;
}

static tacho_status find_site(const pusher *self, const tacho_job *job, uint32_t *out_site)
{
    const tacho_program *program = self->timeline->program;
    tacho_track_class track_class = tacho_timeline_class(self->timeline, job);
    tacho_site site = {.location = self->location};
    tacho_str category = tacho_str_from_cstring(tacho_track_class_name(track_class));
    char transfer[TRANSFER_NAME_MAX];
    tacho_str name = self->type;
    if (job->kind == TACHO_JOB_P2P) {
        name = tacho_strings_get(&program->strings, program->facts.job_names[job->kind]);
    } else if (is_between_memories(track_class)) {
        const char *verb = track_class == TACHO_TRACK_DMA_IN ? "load" : "store";
        int len = snprintf(transfer, sizeof(transfer), "%s %.*s", verb, TACHO_STR_ARG(self->name));
        name = tacho_str_make(transfer, tacho_least((uint64_t)len, sizeof(transfer) - 1));
    } else if (track_class == TACHO_TRACK_SYNC) {
        name = TACHO_STR("launch");
    }
    TACHO_TRY(tacho_dict_ensure_string(self->dict, name, &site.name));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, category, &site.category));
    return tacho_dict_ensure_site(self->dict, &site, out_site);
}

static tacho_arg uint_arg(const pusher *self, size_t key, tacho_unit unit, uint64_t value)
{
    return (tacho_arg){
        .key = self->keys[key], .type = TACHO_ARG_UINT, .unit = unit, .value.as_uint = value};
}

static tacho_arg real_arg(const pusher *self, size_t key, double value)
{
    return (tacho_arg){.key = self->keys[key],
                       .type = TACHO_ARG_REAL,
                       .unit = TACHO_UNIT_PERCENT,
                       .value.as_real = value};
}

static tacho_arg text_arg(const pusher *self, size_t key, tacho_str text)
{
    return (tacho_arg){.key = self->keys[key], .type = TACHO_ARG_TEXT, .value.as_text = text};
}

static size_t fill_args(const pusher *self, const tacho_job *job, tacho_arg args[KEY_COUNT])
{
    const tacho_op_estimate *op = &self->timeline->estimate->ops[job->op];
    size_t count = 0;
    args[count++] = text_arg(self, KEY_NAME, self->name);
    if (job->bytes > 0) {
        args[count++] = uint_arg(self, KEY_BYTES, TACHO_UNIT_BYTES, job->bytes);
    }
    tacho_track_class track_class = tacho_timeline_class(self->timeline, job);
    if (is_between_memories(track_class) || track_class == TACHO_TRACK_SYNC) {
        return count;
    }
    if (job->macs > 0) {
        args[count++] = uint_arg(self, KEY_MACS, TACHO_UNIT_COUNT, job->macs);
        args[count++] = real_arg(self, KEY_PADDING, tacho_op_estimate_padding(op));
    }
    args[count++] = real_arg(self, KEY_UTILISATION, tacho_op_estimate_utilisation(op));
    args[count++] =
        text_arg(self, KEY_BOUND, tacho_str_from_cstring(tacho_bound_name(op->cost.bound)));
    args[count++] =
        text_arg(self, KEY_DTYPE, tacho_str_from_cstring(tacho_dtype_name(op->cost.compute)));
    args[count++] = uint_arg(self, KEY_CORES, TACHO_UNIT_COUNT, op->cost.cores);
    return count;
}

/* What sinks of schedules need besides; "bytes" is an argument already. */
static size_t add_schedule(const pusher *self, const tacho_job *job, tacho_arg *args)
{
    size_t index = (size_t)(job - self->timeline->program->jobs);
    const uint32_t *keys = self->schedule_keys;
    args[0] = (tacho_arg){
        .key = keys[TACHO_SCHEDULE_ARG_JOB], .type = TACHO_ARG_UINT, .value.as_uint = index};
    args[1] = (tacho_arg){.key = keys[TACHO_SCHEDULE_ARG_TASK],
                          .type = TACHO_ARG_UINT,
                          .value.as_uint = self->tasks[index]};
    args[2] = (tacho_arg){
        .key = keys[TACHO_SCHEDULE_ARG_WORD], .type = TACHO_ARG_TEXT, .value.as_text = self->word};
    return 3;
}

static tacho_status push_job(pusher *self, const tacho_job *job)
{
    if (job->op != self->op) {
        TACHO_TRY(enter_op(self, job->op));
    }
    tacho_arg args[KEY_COUNT + TACHO_SCHEDULE_ARG_COUNT];
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = job->start, .args = args};
    row.of.span.end = job->end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    TACHO_TRY(find_track(self, job, &row.track));
    TACHO_TRY(find_site(self, job, &row.of.span.site));
    row.arg_count = fill_args(self, job, args);
    if (self->timeline->has_schedule) {
        row.arg_count += add_schedule(self, job, args + row.arg_count);
    }
    return tacho_events_row(self->events, &row);
}

static tacho_status number_tasks(pusher *self)
{
    const tacho_program *program = self->timeline->program;
    TACHO_TRY(tacho_items_make(&self->tasks, program->job_count));
    TACHO_TRY(tacho_schedule_args_ensure(self->dict, self->schedule_keys));
    return tacho_tasks_number(program, self->tasks);
}

static tacho_status push_all(pusher *self)
{
    TACHO_TRY(open_part(self));
    TACHO_TRY(self->timeline->has_schedule ? number_tasks(self) : TACHO_OK);
    const tacho_program *program = self->timeline->program;
    for (size_t i = 0; i < program->job_count; i++) {
        if (tacho_timeline_class(self->timeline, &program->jobs[i]) != TACHO_TRACK_GROUP) {
            TACHO_TRY(push_job(self, &program->jobs[i]));
        }
    }
    TACHO_TRY(tacho_events_end_part(self->events, self->part));
    return tacho_events_finish(self->events);
}

tacho_status tacho_timeline_push(const tacho_timeline *timeline, tacho_events *events)
{
    pusher self = {.timeline = timeline, .events = events, .dict = events->dict, .op = TACHO_NONE};
    tacho_arena_init(&self.scratch);
    tacho_status status = push_all(&self);
    tacho_arena_deinit(&self.scratch);
    free(self.tasks);
    return status;
}
