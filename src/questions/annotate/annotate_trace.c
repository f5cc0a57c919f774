/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotated profile as events: the profile's own, with better names and more arguments, and the
 * engines' tracks. A part is pushed as a whole, so spans, samples and flow ends are first listed by
 * part.
 */
#include "questions/annotate/annotate_fit.h"
#include "base/grow.h"
#include "profile/torq_labels.h"

#include <stdlib.h>

enum {
    MORE_ARGS_MAX = 8,       /* that are added to a row */
    ESTIMATE_RANK = 1 << 24, /* sorts estimates last */
};

typedef struct engine_tracks {
    uint32_t used;
    uint32_t estimated;
} engine_tracks;

/* Labels of a job, the same everywhere. */
typedef struct job_label {
    bool is_made;
    uint32_t name;    /* string: its kernels, for display */
    uint32_t kernels; /* string: all of them */
} job_label;

/* Numbers of spans, samples or flow ends: those of part i are from first[i] up to first[i + 1]. */
typedef struct part_list {
    uint32_t *items;
    size_t *first;
} part_list;

typedef struct tracer {
    const tacho_annotation *annotation;
    const tacho_debug_info *info;
    const tacho_profile *profile;
    tacho_dict *dict;
    tacho_events *to;
    uint32_t part;
    uint32_t *rows; /* by span: its annotation row, or TACHO_NONE */
    size_t row_end; /* annotation rows before it are of this part or an earlier one */
    part_list spans;
    part_list samples;
    part_list flow_ends;
    tacho_fit fit;
    engine_tracks *engines; /* by engine, of the current part; TACHO_NONE until used */
    job_label *labels;      /* by job */
    uint32_t categories[TACHO_TRACK_CLASS_COUNT]; /* strings; 0 until used */
    tacho_arg *args;
    size_t arg_capacity;
    tacho_text text;
    uint32_t job_key, wait_key, program_key, kernels_key, operators_key, cycles_key, estimate_key;
    uint32_t estimate_text;
} tracer;

/* ---- names ------------------------------------------------------------------------------ */

static tacho_status take_text(tracer *self, uint32_t *out_string)
{
    return tacho_dict_ensure_string(self->dict, tacho_text_take(&self->text), out_string);
}

/* "conv2d_0, add_1", at most |max| of them. */
static tacho_status put_kernels(tracer *self, const tacho_debug_job *job, size_t max)
{
    const uint32_t *kernels =
        job->kernel_count > 0 ? self->info->kernels + job->first_kernel : NULL;
    return tacho_torq_put_kernels(&self->text, &self->dict->strings, kernels, job->kernel_count,
                                  max);
}

static tacho_status label_job(tracer *self, uint32_t id, const job_label **out_label)
{
    job_label *label = &self->labels[id];
    const tacho_debug_job *job = &self->info->jobs[id];
    *out_label = label;
    if (label->is_made) {
        return TACHO_OK;
    }
    label->is_made = true;
    label->name = job->name;
    if (job->kernel_count > 0) {
        TACHO_TRY(put_kernels(self, job, TACHO_TORQ_NAMED_KERNELS_MAX));
        TACHO_TRY(take_text(self, &label->name));
    }
    if (label->name == 0) {
        TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("NSS program"), &label->name));
    }
    TACHO_TRY(put_kernels(self, job, SIZE_MAX));
    return take_text(self, &label->kernels);
}

static tacho_status make_site(tracer *self, uint32_t name, tacho_track_class track_class,
                              uint32_t location, uint32_t *out_site)
{
    uint32_t *category = &self->categories[track_class];
    if (*category == 0) {
        tacho_str text = tacho_str_from_cstring(tacho_track_class_name(track_class));
        TACHO_TRY(tacho_dict_ensure_string(self->dict, text, category));
    }
    tacho_site site = {.name = name, .category = *category, .location = location};
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

/* Does nothing if the row has an argument of that name. */
static void add_number_arg(tracer *self, tacho_row *row, uint32_t key, int64_t value,
                           tacho_unit unit)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        if (self->args[i].key == key) {
            return;
        }
    }
    if (value >= 0) {
        self->args[row->arg_count] = (tacho_arg){.key = key, .type = TACHO_ARG_INT, .unit = unit};
        self->args[row->arg_count++].value.as_int = value;
    }
}

static void add_int_arg(tracer *self, tacho_row *row, uint32_t key, int64_t value)
{
    add_number_arg(self, row, key, value, TACHO_UNIT_NONE);
}

static void add_job_args(tracer *self, tacho_row *row, const tacho_annotation_row *from,
                         const job_label *label)
{
    const tacho_debug_job *job = &self->info->jobs[from->job];
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
    const part_list *list = &self->spans;
    for (size_t i = list->first[self->part]; i < list->first[self->part + 1]; i++) {
        tacho_row row;
        uint32_t id = list->items[i];
        TACHO_TRY(tacho_profile_row(self->profile, id, &self->args, &self->arg_capacity, &row));
        if (self->rows[id] != TACHO_NONE) {
            TACHO_TRY(improve_row(self, &self->annotation->rows[self->rows[id]], &row));
        }
        TACHO_TRY(tacho_events_row(self->to, &row));
    }
    return TACHO_OK;
}

static tacho_status push_samples(tracer *self)
{
    const part_list *list = &self->samples;
    for (size_t i = list->first[self->part]; i < list->first[self->part + 1]; i++) {
        const tacho_sample *sample = &self->profile->samples[list->items[i]];
        tacho_row row = {.kind = TACHO_ROW_SAMPLE, .track = sample->track, .start = sample->time};
        row.of.sample.value = sample->value;
        TACHO_TRY(tacho_events_row(self->to, &row));
    }
    return TACHO_OK;
}

static tacho_status push_flows(tracer *self)
{
    const part_list *list = &self->flow_ends;
    for (size_t i = list->first[self->part]; i < list->first[self->part + 1]; i++) {
        const tacho_flow_end *end = &self->profile->flow_ends[list->items[i]];
        tacho_row row = {.kind = TACHO_ROW_FLOW, .track = end->track, .start = end->time};
        row.of.flow.id = end->id;
        row.of.flow.role = end->role;
        row.of.flow.phase = end->phase;
        row.of.flow.span_end = end->span_end;
        row.of.flow.span_name = end->span_name;
        TACHO_TRY(tacho_events_row(self->to, &row));
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

static tacho_status ensure_track(tracer *self, const tacho_engine *engine, bool is_estimate,
                                 uint32_t *known)
{
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
            facts.rank = ESTIMATE_RANK + tacho_track_rank(0, engine->track_class, engine->index);
        }
        char name[TACHO_TORQ_TRACK_NAME_MAX];
        tacho_torq_track_name(vendor_engine(engine->track_class), engine->index,
                              is_estimate ? " (estimated)" : " Used", name);
        TACHO_TRY(tacho_dict_ensure_track(self->dict, &facts, tacho_str_from_cstring(name), known));
    }
    return TACHO_OK;
}

static tacho_status find_track(tracer *self, uint32_t engine, bool is_estimate, uint32_t *out_track)
{
    engine_tracks *tracks = &self->engines[engine];
    uint32_t *known = is_estimate ? &tracks->estimated : &tracks->used;
    TACHO_TRY(ensure_track(self, &self->info->engines[engine], is_estimate, known));
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

/* Every engine that the job uses, for as long as the job lasts: nothing finer was measured. */
static tacho_status push_used(tracer *self, const tacho_annotation_row *from)
{
    const tacho_debug_job *job = &self->info->jobs[from->job];
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

static tacho_status push_estimate(tracer *self, const tacho_annotation_row *from,
                                  const tacho_fit_time *time, const tacho_inner_op *op)
{
    const tacho_engine *engine = &self->info->engines[op->engine];
    tacho_row row = make_span(from, self->profile);
    row.start = time->start;
    row.of.span.end = time->end;
    row.of.span.flags = TACHO_ORIGIN_ESTIMATED;
    TACHO_TRY(tacho_grow(&self->args, &self->arg_capacity, MORE_ARGS_MAX));
    row.args = self->args;
    add_int_arg(self, &row, self->job_key, from->job_id);
    add_number_arg(self, &row, self->cycles_key, time->cycles, TACHO_UNIT_CYCLES);
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
    const tacho_debug_job *job = &self->info->jobs[from->job];
    tacho_fit_scale scale;
    if (!tacho_fit_find_scale(&self->fit, from, &scale)) {
        return TACHO_OK;
    }
    for (uint32_t i = 0; i < job->op_count; i++) {
        const tacho_inner_op *op = &self->info->ops[job->first_op + i];
        tacho_fit_time time;
        if (tacho_fit_unit(&self->fit, from, &scale, op, &time)) {
            TACHO_TRY(push_estimate(self, from, &time, op));
        }
    }
    return TACHO_OK;
}

/* Makes a track for each slice that the part's jobs could have used. */
static tacho_status make_slices(tracer *self)
{
    uint32_t count = tacho_torq_slice_count(self->info);
    for (uint32_t i = 0; i < count; i++) {
        tacho_engine slice = {TACHO_TRACK_COMPUTE, i};
        uint32_t track = TACHO_NONE;
        TACHO_TRY(ensure_track(self, &slice, false, &track));
    }
    return TACHO_OK;
}

/* Goes backwards, so that a job knows the next job of each number. */
static tacho_status push_jobs(tracer *self)
{
    const tacho_annotation_row *rows = self->annotation->rows;
    size_t first = self->row_end;
    while (self->row_end < self->annotation->row_count && rows[self->row_end].part == self->part) {
        self->row_end++;
    }
    bool has_jobs = false;
    for (size_t i = self->row_end; i-- > first;) {
        if (tacho_fit_is_job(&rows[i])) {
            has_jobs = true;
            TACHO_TRY(push_used(self, &rows[i]));
            TACHO_TRY(push_estimates(self, &rows[i]));
            tacho_fit_pass(&self->fit, &rows[i]);
        }
    }
    return has_jobs ? make_slices(self) : TACHO_OK;
}

/* ---- keys ------------------------------------------------------------------------------- */

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

/* ---- lists by part ---------------------------------------------------------------------- */

typedef uint32_t (*track_getter)(const tacho_profile *profile, size_t index);

static uint32_t span_track(const tacho_profile *profile, size_t index)
{
    return tacho_profile_span(profile, index).track;
}

static uint32_t sample_track(const tacho_profile *profile, size_t index)
{
    return profile->samples[index].track;
}

static uint32_t flow_end_track(const tacho_profile *profile, size_t index)
{
    return profile->flow_ends[index].track;
}

/* Counts, then puts each in its place; within a part they stay in order. */
static tacho_status list_by_part(const tracer *self, size_t count, track_getter get_track,
                                 part_list *out_list)
{
    size_t part_count = self->dict->part_count;
    out_list->items = malloc((count + 1) * sizeof(*out_list->items));
    out_list->first = calloc(part_count + 2, sizeof(*out_list->first));
    if (out_list->items == NULL || out_list->first == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory to list %zu rows", count);
    }
    for (size_t i = 0; i < count; i++) {
        out_list->first[self->dict->tracks[get_track(self->profile, i)].part + 2]++;
    }
    for (size_t i = 2; i < part_count + 2; i++) {
        out_list->first[i] += out_list->first[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t part = self->dict->tracks[get_track(self->profile, i)].part;
        out_list->items[out_list->first[part + 1]++] = (uint32_t)i;
    }
    return TACHO_OK;
}

static void free_list(part_list *list)
{
    free(list->items);
    free(list->first);
}

static tacho_status list_all(tracer *self)
{
    const tacho_profile *profile = self->profile;
    TACHO_TRY(list_by_part(self, profile->span_count, span_track, &self->spans));
    TACHO_TRY(list_by_part(self, profile->sample_count, sample_track, &self->samples));
    return list_by_part(self, profile->flow_end_count, flow_end_track, &self->flow_ends);
}

/* ---- all -------------------------------------------------------------------------------- */

static tacho_status init_lists(tracer *self)
{
    const tacho_annotation *annotation = self->annotation;
    size_t span_count = self->profile->span_count;
    self->rows = malloc((span_count + 1) * sizeof(*self->rows));
    self->engines = malloc((self->info->engine_count + 1) * sizeof(*self->engines));
    self->labels = tacho_items_alloc(self->info->job_count, sizeof(*self->labels));
    if (self->rows == NULL || self->engines == NULL || self->labels == NULL) {
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
    TACHO_TRY(list_all(self));
    TACHO_TRY(tacho_fit_init(&self->fit, self->info));
    return init_keys(self);
}

static tacho_status push_part(tracer *self)
{
    for (size_t i = 0; i < self->info->engine_count; i++) {
        self->engines[i] = (engine_tracks){TACHO_NONE, TACHO_NONE};
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
    tacho_fit_deinit(&self.fit);
    free_list(&self.spans);
    free_list(&self.samples);
    free_list(&self.flow_ends);
    free(self.engines);
    free(self.labels);
    free(self.args);
    tacho_text_deinit(&self.text);
    return status;
}
