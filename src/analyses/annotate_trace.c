/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotated profile as events: the profile's own, with better names and more arguments, and
 * the engines' tracks.
 *
 * Estimates are in cycles of an unknown clock, so they are stretched to fit: the cycles of a job's
 * tasks, from the first to the last, become the time that the job was measured to take.
 */
#include "analyses/annotate.h"

#include "base/grow.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    NAMED_KERNELS_MAX = 4, /* in the name of a job */
    MORE_ARGS_MAX = 8,     /* that are added to a row */
    TRACK_NAME_BYTES = 64,
    ESTIMATE_RANK = 1 << 24, /* estimates come last */
    ESTIMATE_RANK_PER_CLASS = 1 << 12,
};

typedef struct engine_tracks {
    uint32_t used;
    uint32_t estimated;
} engine_tracks;

/* What is said of a job wherever it is shown. */
typedef struct job_label {
    bool is_made;
    uint32_t name;    /* string: its kernels, for people */
    uint32_t kernels; /* string: all of them */
} job_label;

typedef struct tracer {
    const tacho_annotation *annotation;
    const tacho_debug_info *info;
    const tacho_profile *profile;
    tacho_dict *dict;
    tacho_events *to;
    uint32_t part;
    uint32_t *rows;         /* by span: the row that says more of it, or TACHO_NONE */
    uint32_t *next_rows;    /* by job: its next row, as rows are gone through from the end */
    engine_tracks *engines; /* by engine, of the current part; TACHO_NONE until used */
    job_label *labels;      /* by job */
    tacho_arg *args;
    size_t arg_capacity;
    char *text;
    size_t text_len, text_capacity;
    uint32_t job_key, wait_key, program_key, kernels_key, operators_key, cycles_key, estimate_key;
    uint32_t estimate_text;
} tracer;

/* ---- names ------------------------------------------------------------------------------ */

static tacho_status put(tracer *self, tacho_str piece)
{
    TACHO_TRY(tacho_grow(&self->text, &self->text_capacity, self->text_len + piece.len + 1));
    memcpy(self->text + self->text_len, piece.data, piece.len);
    self->text_len += piece.len;
    return TACHO_OK;
}

static tacho_status take_text(tracer *self, uint32_t *out_string)
{
    tacho_str text = tacho_str_make(self->text_len > 0 ? self->text : "", self->text_len);
    self->text_len = 0;
    return tacho_dict_ensure_string(self->dict, text, out_string);
}

/* "conv2d_0, add_1", at most |max| of them. */
static tacho_status put_kernels(tracer *self, const tacho_job *job, uint32_t max)
{
    for (uint32_t i = 0; i < job->kernel_count && i < max; i++) {
        TACHO_TRY(put(self, i > 0 ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(
            put(self, tacho_dict_string(self->dict, self->info->kernels[job->first_kernel + i])));
    }
    if (job->kernel_count > max) {
        char more[32];
        int len = snprintf(more, sizeof(more), " and %u more", (unsigned)(job->kernel_count - max));
        TACHO_TRY(put(self, tacho_str_make(more, (size_t)len)));
    }
    return TACHO_OK;
}

static tacho_status label_job(tracer *self, uint32_t id, const job_label **out_label)
{
    job_label *label = &self->labels[id];
    const tacho_job *job = &self->info->jobs[id];
    *out_label = label;
    if (label->is_made) {
        return TACHO_OK;
    }
    label->is_made = true;
    label->name = job->name;
    if (job->kernel_count > 0) {
        TACHO_TRY(put_kernels(self, job, NAMED_KERNELS_MAX));
        TACHO_TRY(take_text(self, &label->name));
    }
    if (label->name == 0) {
        TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("NSS program"), &label->name));
    }
    TACHO_TRY(put_kernels(self, job, UINT32_MAX));
    return take_text(self, &label->kernels);
}

static tacho_status make_site(tracer *self, uint32_t name, tacho_track_class track_class,
                              uint32_t location, uint32_t *out_site)
{
    const char *category = tacho_track_class_name(track_class);
    tacho_site site = {.name = name, .location = location};
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(category), &site.category));
    return tacho_dict_ensure_site(self->dict, &site, out_site);
}

/* ---- rows of the profile ---------------------------------------------------------------- */

static void add_string_arg(tracer *self, tacho_row *row, uint32_t key, uint32_t string)
{
    if (string != 0) {
        self->args[row->arg_count] = (tacho_arg){.key = key, .type = TACHO_ARG_STRING};
        self->args[row->arg_count++].value.as_string = string;
    }
}

/* Unless the row has one of that name. */
static void add_int_arg(tracer *self, tacho_row *row, uint32_t key, int64_t value)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        if (self->args[i].key == key) {
            return;
        }
    }
    if (value >= 0) {
        self->args[row->arg_count] = (tacho_arg){.key = key, .type = TACHO_ARG_INT};
        self->args[row->arg_count++].value.as_int = value;
    }
}

static void add_job_args(tracer *self, tacho_row *row, const tacho_annotation_row *from,
                         const job_label *label)
{
    const tacho_job *job = &self->info->jobs[from->job];
    int64_t wait = job->wait_action != TACHO_NONE ? self->info->actions[job->wait_action].id : -1;
    add_int_arg(self, row, self->job_key, from->job_id);
    add_int_arg(self, row, self->wait_key, wait);
    add_string_arg(self, row, self->program_key, job->name);
    add_string_arg(self, row, self->kernels_key, label->kernels);
}

/* Gives a row of the profile the name and the arguments that the annotation has for it. */
static tacho_status improve_row(tracer *self, const tacho_annotation_row *from, tacho_row *row)
{
    const tacho_site *old = &self->dict->sites[row->of.span.site];
    tacho_site site = *old;
    site.location = from->location;
    TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, row->arg_count + MORE_ARGS_MAX));
    row->args = self->args;
    if (from->kind == TACHO_ANNOTATION_JOB && from->job != TACHO_NONE) {
        const job_label *label = NULL;
        TACHO_TRY(label_job(self, from->job, &label));
        site.name = label->name;
        row->start = from->start;
        row->of.span.end = from->end;
        add_job_args(self, row, from, label);
    }
    add_string_arg(self, row, self->operators_key,
                   tacho_debug_info_place(self->info, from->location).operators);
    return tacho_dict_ensure_site(self->dict, &site, &row->of.span.site);
}

static tacho_status push_spans(tracer *self)
{
    for (size_t i = 0; i < self->profile->span_count; i++) {
        tacho_row row;
        uint32_t track = tacho_profile_span(self->profile, i).track;
        if (self->dict->tracks[track].part != self->part) {
            continue;
        }
        TACHO_TRY(tacho_profile_row(self->profile, i, &self->args, &self->arg_capacity, &row));
        if (self->rows[i] != TACHO_NONE) {
            TACHO_TRY(improve_row(self, &self->annotation->rows[self->rows[i]], &row));
        }
        TACHO_TRY(tacho_events_row(self->to, &row));
    }
    return TACHO_OK;
}

static tacho_status push_samples(tracer *self)
{
    for (size_t i = 0; i < self->profile->sample_count; i++) {
        const tacho_sample *sample = &self->profile->samples[i];
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = sample->track, .start = sample->time};
        row.of.sample.value = sample->value;
        if (self->dict->tracks[sample->track].part == self->part) {
            TACHO_TRY(tacho_events_row(self->to, &row));
        }
    }
    return TACHO_OK;
}

static tacho_status push_flows(tracer *self)
{
    for (size_t i = 0; i < self->profile->flow_end_count; i++) {
        const tacho_flow_end *end = &self->profile->flow_ends[i];
        tacho_row row = {.kind = TACHO_ROW_FLOW, .track = end->track, .start = end->time};
        row.of.flow.id = end->id;
        row.of.flow.role = end->role;
        row.of.flow.phase = end->phase;
        row.of.flow.span_end = end->span_end;
        if (self->dict->tracks[end->track].part == self->part) {
            TACHO_TRY(tacho_events_row(self->to, &row));
        }
    }
    return TACHO_OK;
}

/* ---- engines ---------------------------------------------------------------------------- */

static tacho_torq_engine vendor_engine(tacho_track_class track_class)
{
    for (int i = 0; i < TACHO_TORQ_ENGINE_COUNT; i++) {
        if (tacho_torq_engine_class((tacho_torq_engine)i) == track_class) {
            return (tacho_torq_engine)i;
        }
    }
    return TACHO_TORQ_NSS;
}

/* "Slice 1" with |suffix|. */
static void name_engine(const tacho_engine *engine, const char *suffix,
                        char out_name[TRACK_NAME_BYTES])
{
    const char *name = tacho_torq_engine_name(vendor_engine(engine->track_class));
    if (engine->track_class == TACHO_TRACK_COMPUTE) {
        snprintf(out_name, TRACK_NAME_BYTES, "%s %u%s", name, (unsigned)engine->index, suffix);
    } else {
        snprintf(out_name, TRACK_NAME_BYTES, "%s%s", name, suffix);
    }
}

static tacho_status find_track(tracer *self, uint32_t engine_id, bool is_estimate,
                               uint32_t *out_track)
{
    const tacho_engine *engine = &self->info->engines[engine_id];
    engine_tracks *tracks = &self->engines[engine_id];
    uint32_t *known = is_estimate ? &tracks->estimated : &tracks->used;
    if (*known == TACHO_NONE) {
        const tacho_part *part = &self->dict->parts[self->part];
        tacho_track facts = {
            .parent = part->root,
            .part = self->part,
            .clock = part->clock,
            .index = engine->index,
            .lane_of = TACHO_NONE,
            .rank = -1,
            .track_class = engine->track_class,
            .nesting = TACHO_NESTING_ENGINE,
        };
        if (is_estimate) {
            facts.track_class = TACHO_TRACK_PHASE; /* or its time would be counted twice */
            facts.rank = ESTIMATE_RANK + (int32_t)engine->track_class * ESTIMATE_RANK_PER_CLASS +
                         (int32_t)(engine->index % ESTIMATE_RANK_PER_CLASS);
        }
        char name[TRACK_NAME_BYTES];
        name_engine(engine, is_estimate ? " (estimated)" : " Used", name);
        TACHO_TRY(tacho_dict_ensure_track(self->dict, &facts, tacho_str_from_cstring(name), known));
    }
    *out_track = *known;
    return TACHO_OK;
}

static tacho_row make_span(const tacho_annotation_row *from, const tacho_profile *profile)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = from->start};
    row.of.span.end = from->end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run =
        from->span != TACHO_NONE ? tacho_profile_span(profile, from->span).run : TACHO_NONE;
    return row;
}

/* Every engine that the job uses, for as long as the job lasts: no more was measured. */
static tacho_status push_used(tracer *self, const tacho_annotation_row *from)
{
    const tacho_job *job = &self->info->jobs[from->job];
    const job_label *label = NULL;
    TACHO_TRY(label_job(self, from->job, &label));
    for (uint32_t i = 0; i < job->used_count; i++) {
        uint32_t engine = self->info->used[job->first_used + i];
        tacho_row row = make_span(from, self->profile);
        TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, MORE_ARGS_MAX));
        row.args = self->args;
        add_job_args(self, &row, from, label);
        TACHO_TRY(find_track(self, engine, false, &row.track));
        TACHO_TRY(make_site(self, label->name, self->info->engines[engine].track_class,
                            from->location, &row.of.span.site));
        TACHO_TRY(tacho_events_row(self->to, &row));
    }
    return TACHO_OK;
}

/* ---- estimates -------------------------------------------------------------------------- */

/* How cycles of a job become time. */
typedef struct job_scale {
    int64_t first_cycles;
    int64_t last_cycles;
    int64_t start;
    int64_t end;
} job_scale;

static bool find_scale(const tracer *self, const tacho_annotation_row *row, job_scale *out_scale)
{
    const tacho_job *job = &self->info->jobs[row->job];
    job_scale scale = {INT64_MAX, -1, row->start, row->end};
    for (uint32_t i = 0; i < job->task_count; i++) {
        const tacho_task *task = &self->info->tasks[job->first_task + i];
        if (task->start_cycles < 0 || task->end_cycles < task->start_cycles) {
            continue;
        }
        scale.first_cycles =
            task->start_cycles < scale.first_cycles ? task->start_cycles : scale.first_cycles;
        scale.last_cycles =
            task->end_cycles > scale.last_cycles ? task->end_cycles : scale.last_cycles;
    }
    *out_scale = scale;
    return scale.last_cycles > scale.first_cycles;
}

static int64_t scale_cycles(const job_scale *scale, int64_t cycles)
{
    if (cycles <= scale->first_cycles) {
        return scale->start;
    }
    if (cycles >= scale->last_cycles) {
        return scale->end;
    }
    return scale->start + (int64_t)tacho_scale_floor(cycles - scale->first_cycles,
                                                     scale->end - scale->start,
                                                     scale->last_cycles - scale->first_cycles);
}

/* The row of another job in the run of |row|, further on; or NULL. */
static const tacho_annotation_row *find_later(const tracer *self, const tacho_annotation_row *row,
                                              uint32_t job)
{
    if (self->next_rows[job] == TACHO_NONE) {
        return NULL;
    }
    const tacho_annotation_row *found = &self->annotation->rows[self->next_rows[job]];
    bool is_same_run = found->part == row->part && found->invocation == row->invocation &&
                       found->dispatch_name == row->dispatch_name;
    return is_same_run && found->start >= row->start ? found : NULL;
}

/* When the work ends that lasts until |cycles|, perhaps in a later job. */
static int64_t find_end(const tracer *self, const tacho_annotation_row *row, const job_scale *scale,
                        const tacho_unit_of_work *unit, int64_t cycles)
{
    if (cycles <= scale->last_cycles || unit->wait_op == TACHO_NONE) {
        return scale_cycles(scale, cycles);
    }
    const tacho_annotation_row *later = find_later(self, row, self->info->ops[unit->wait_op].job);
    job_scale later_scale;
    if (later == NULL || !find_scale(self, later, &later_scale)) {
        return scale->end;
    }
    int64_t end = scale_cycles(&later_scale, cycles);
    return end > scale->end ? end : scale->end;
}

static tacho_status push_estimate(tracer *self, const tacho_annotation_row *from,
                                  const job_scale *scale, const tacho_inner_op *op)
{
    const tacho_unit_of_work *unit = &self->info->units[op->unit];
    const tacho_engine *engine = &self->info->engines[op->engine];
    int64_t first = 0;
    int64_t last = 0;
    tacho_debug_info_unit_cycles(self->info, unit, &first, &last);
    if (first < 0) {
        return TACHO_OK;
    }
    tacho_row row = make_span(from, self->profile);
    row.start = scale_cycles(scale, first);
    row.of.span.end = find_end(self, from, scale, unit, last);
    row.of.span.flags = TACHO_ORIGIN_ESTIMATED;
    TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, MORE_ARGS_MAX));
    row.args = self->args;
    add_int_arg(self, &row, self->job_key, from->job_id);
    add_int_arg(self, &row, self->cycles_key, last - first);
    if (row.arg_count > 0) {
        self->args[row.arg_count - 1].unit = TACHO_UNIT_CYCLES;
    }
    add_string_arg(self, &row, self->estimate_key, self->estimate_text);
    tacho_place place = tacho_debug_info_place(self->info, op->location);
    add_string_arg(self, &row, self->operators_key, place.operators);
    uint32_t name =
        op->name != 0 ? op->name : (place.operators != 0 ? place.operators : place.text);
    if (name == 0) {
        const char *engine_name = tacho_torq_engine_name(vendor_engine(engine->track_class));
        TACHO_TRY(tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(engine_name), &name));
    }
    TACHO_TRY(find_track(self, op->engine, true, &row.track));
    TACHO_TRY(make_site(self, name, engine->track_class, op->location, &row.of.span.site));
    return tacho_events_row(self->to, &row);
}

static tacho_status push_estimates(tracer *self, const tacho_annotation_row *from)
{
    const tacho_job *job = &self->info->jobs[from->job];
    job_scale scale;
    if (!find_scale(self, from, &scale)) {
        return TACHO_OK;
    }
    for (uint32_t i = 0; i < job->op_count; i++) {
        const tacho_inner_op *op = &self->info->ops[job->first_op + i];
        if (op->kind == TACHO_INNER_START && op->unit != TACHO_NONE) {
            TACHO_TRY(push_estimate(self, from, &scale, op));
        }
    }
    return TACHO_OK;
}

/* From the end, so that a job knows the next one of each number. */
static tacho_status push_jobs(tracer *self)
{
    for (size_t i = self->annotation->row_count; i-- > 0;) {
        const tacho_annotation_row *row = &self->annotation->rows[i];
        if (row->part != self->part || row->kind != TACHO_ANNOTATION_JOB ||
            row->job == TACHO_NONE || !row->has_time) {
            continue;
        }
        TACHO_TRY(push_used(self, row));
        TACHO_TRY(push_estimates(self, row));
        self->next_rows[row->job] = (uint32_t)i;
    }
    return TACHO_OK;
}

/* ---- all -------------------------------------------------------------------------------- */

static tacho_status init_keys(tracer *self)
{
    const struct {
        const char *name;
        uint32_t *out_key;
    } keys[] = {
        {"job", &self->job_key},
        {"wait_action", &self->wait_key},
        {"program", &self->program_key},
        {"kernels", &self->kernels_key},
        {"operators", &self->operators_key},
        {"cycles", &self->cycles_key},
        {"estimate", &self->estimate_key},
        {"the compiler's cycles, fitted into the measured job", &self->estimate_text},
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        TACHO_TRY(tacho_dict_ensure_string(self->dict, tacho_str_from_cstring(keys[i].name),
                                           keys[i].out_key));
    }
    return TACHO_OK;
}

static tacho_status init_lists(tracer *self)
{
    const tacho_annotation *annotation = self->annotation;
    size_t span_count = self->profile->span_count;
    self->rows = malloc((span_count + 1) * sizeof(*self->rows));
    self->next_rows = malloc((self->info->job_count + 1) * sizeof(*self->next_rows));
    self->engines = malloc((self->info->engine_count + 1) * sizeof(*self->engines));
    self->labels = calloc(self->info->job_count + 1, sizeof(*self->labels));
    if (self->rows == NULL || self->next_rows == NULL || self->engines == NULL ||
        self->labels == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory to annotate %zu spans",
                          span_count);
    }
    for (size_t i = 0; i < span_count; i++) {
        self->rows[i] = TACHO_NONE;
    }
    for (size_t i = 0; i < annotation->row_count; i++) {
        const tacho_annotation_row *row = &annotation->rows[i];
        if (row->span != TACHO_NONE && row->action != TACHO_NONE &&
            (row->kind == TACHO_ANNOTATION_ACTION || row->kind == TACHO_ANNOTATION_JOB)) {
            self->rows[row->span] = (uint32_t)i;
        }
    }
    return init_keys(self);
}

static tacho_status push_part(tracer *self)
{
    for (size_t i = 0; i < self->info->engine_count; i++) {
        self->engines[i] = (engine_tracks){TACHO_NONE, TACHO_NONE};
    }
    for (size_t i = 0; i < self->info->job_count; i++) {
        self->next_rows[i] = TACHO_NONE;
    }
    TACHO_TRY(push_spans(self));
    TACHO_TRY(push_samples(self));
    TACHO_TRY(push_flows(self));
    TACHO_TRY(push_jobs(self));
    return tacho_events_end_part(self->to, self->part);
}

tacho_status tacho_annotation_push(const tacho_annotation *annotation, tacho_events *to)
{
    tracer self = {
        .annotation = annotation,
        .info = annotation->info,
        .profile = annotation->profile,
        .dict = to->dict,
        .to = to,
    };
    size_t part_count = self.dict->part_count;
    tacho_status status = init_lists(&self);
    for (uint32_t i = 0; i < part_count && status == TACHO_OK; i++) {
        self.part = i;
        status = push_part(&self);
    }
    free(self.rows);
    free(self.next_rows);
    free(self.engines);
    free(self.labels);
    free(self.args);
    free(self.text);
    return status;
}
