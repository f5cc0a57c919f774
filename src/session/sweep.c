/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One compilation for each point. The last axis runs fastest, phases before axes: a table of them
 * reads as people compare them.
 */
#include "session/sweep.h"

#include "base/grow.h"
#include "base/whole.h"
#include "compile/machine_view.h"
#include "session/compilation.h"
#include "session/compile_spec.h"
#include "session/sweep_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- axes ---------------------------------------------------------------------------------- */

static tacho_status refuse(const char *text)
{
    return tacho_fail(TACHO_CODE_USAGE,
                      "invalid sweep '%s'; expected NAME=N,N,... such as batch=1,4,16: at most %d "
                      "sizes, each 1 to 2147483647",
                      text, TACHO_SWEEP_VALUES_MAX);
}

tacho_status tacho_sweep_axes_add(tacho_sweep_axes *axes, const char *text)
{
    tacho_str all = tacho_str_from_cstring(text);
    size_t at = tacho_str_find_byte(all, '=');
    if (axes->count == TACHO_SWEEP_AXES_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "at most %d dimensions can be swept at once",
                          TACHO_SWEEP_AXES_MAX);
    }
    tacho_sweep_axis *axis = &axes->items[axes->count];
    *axis = (tacho_sweep_axis){.name = tacho_str_make(all.data, at)};
    for (size_t i = 0; i < axes->count; i++) {
        if (tacho_str_equal(axes->items[i].name, axis->name)) {
            return tacho_fail(TACHO_CODE_USAGE, "'%.*s' is swept twice", TACHO_STR_ARG(axis->name));
        }
    }
    if (at == 0 || at == all.len) {
        return refuse(text);
    }
    tacho_str rest = tacho_str_from(all, at + 1);
    for (bool is_last = false; !is_last;) {
        size_t comma = tacho_str_find_byte(rest, ',');
        uint64_t value = 0;
        if (axis->value_count == TACHO_SWEEP_VALUES_MAX ||
            !tacho_str_parse_u64(tacho_str_make(rest.data, comma), &value) || value < 1 ||
            value > INT32_MAX) {
            return refuse(text);
        }
        axis->values[axis->value_count++] = (int64_t)value;
        is_last = comma == rest.len;
        rest = tacho_str_from(rest, is_last ? comma : comma + 1);
    }
    axes->count++;
    return TACHO_OK;
}

static tacho_status count_points(const tacho_sweep_axes *axes, size_t *out_count)
{
    *out_count = 1;
    for (size_t i = 0; i < axes->count; i++) {
        *out_count *= axes->items[i].value_count; /* at most 64 to the fourth */
    }
    return *out_count <= TACHO_SWEEP_POINTS_MAX
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "the sweep has %zu points, at most %d are estimated",
                            *out_count, TACHO_SWEEP_POINTS_MAX);
}

/* ---- one point ----------------------------------------------------------------------------- */

typedef struct sweep {
    const tacho_sweep_request *request;
    tacho_sweep_dims dims;
    tacho_model_dim *sizes;        /* of one point */
    size_t whole_count, big_count; /* points that were not scheduled, or not estimated at all */
    bool is_said;                  /* what is to be said of the model */
} sweep;

/* Keys and values: inputs or outputs of three and more dimensions with those of the past. */
static uint64_t find_cache(const sweep *self, const tacho_compilation *of)
{
    uint64_t sums[2] = {0, 0};
    const tacho_graph *graph = &of->graph;
    for (size_t side = 0; self->dims.has_cache && side < 2; side++) {
        size_t count = side == 0 ? graph->input_count : graph->output_count;
        for (size_t i = 0; i < count; i++) {
            uint32_t id = side == 0 ? graph->inputs[i] : graph->outputs[i];
            tacho_str name = tacho_graph_string(graph, graph->tensors[id].name);
            tacho_dim_role role = tacho_dim_role_of(name);
            bool is_cache =
                role == TACHO_DIM_PAST || tacho_str_starts_with(name, TACHO_STR("present"));
            if (is_cache && graph->tensors[id].shape->rank >= 3) {
                sums[side] += tacho_machine_view_bytes(self->request->machine, &graph->tensors[id],
                                                       of->estimate.compute);
            }
        }
    }
    return sums[0] > sums[1] ? sums[0] : sums[1];
}

static void find_bound(const tacho_estimate *estimate, tacho_sweep_point *out)
{
    size_t most = 0;
    for (size_t i = 1; i < TACHO_BOUND_COUNT; i++) {
        most = estimate->bound_cycles[i] > estimate->bound_cycles[most] ? i : most;
    }
    out->bound = tacho_bound_name((tacho_bound)most);
    double all = estimate->cycles > 0 ? (double)estimate->cycles : 1;
    out->bound_percent = 100.0 * (double)estimate->bound_cycles[most] / all;
    out->utilisation_percent = 100.0 * (double)estimate->ideal_cycles / all;
}

static tacho_status take_results(sweep *self, const tacho_compilation *of, tacho_sweep_point *out)
{
    const tacho_estimate *estimate = &of->estimate;
    const tacho_machine *machine = self->request->machine;
    double hz = tacho_machine_view_hz(machine);
    double seconds = (double)estimate->cycles / hz;
    double inferences = (double)(estimate->inferences > 0 ? estimate->inferences : 1);
    bool is_joined = self->dims.is_batch_joined;
    double rows = is_joined || out->batch < 1 ? inferences : inferences * (double)out->batch;
    int64_t read = out->phase == TACHO_SWEEP_DECODE ? 1 : out->sequence;
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    TACHO_TRY(tacho_live_bytes_find(&of->fusion, machine, estimate->compute, estimate->inferences,
                                    &out->live));
    uint64_t devices = estimate->devices > 0 ? estimate->devices : 1;
    out->is_estimated = true;
    out->time_ns = seconds < 9e9 ? tacho_whole_i64(seconds * 1e9 + 0.5) : INT64_MAX;
    out->tokens_per_s = read > 0 && seconds > 0 ? rows * (double)read / seconds : 0;
    out->inferences_per_s = seconds > 0 ? inferences / seconds : 0;
    out->ddr_bytes = estimate->ddr_bytes;
    out->cache_bytes = find_cache(self, of);
    out->fits = !tacho_quantity_is_set(&ddr->size_bytes) ||
                tacho_live_bytes_sum(&out->live) / devices <=
                    (uint64_t)tacho_quantity_whole(&ddr->size_bytes);
    find_bound(estimate, out);
    return TACHO_OK;
}

/* What too many jobs leave: the operators one after the other. */
static tacho_status add_up_operators(tacho_compilation *of, const tacho_sweep_request *request,
                                     const tacho_compile_options *options)
{
    tacho_estimate_options estimate = options->estimate;
    estimate.factor = options->batch;
    tacho_estimate_deinit(&of->estimate);
    of->estimate = (tacho_estimate){0};
    return tacho_estimate_init(&of->estimate, &of->fusion, request->machine, &estimate);
}

static void say_model(sweep *self, const tacho_compilation *of)
{
    if (!self->is_said && of->estimate.unknown_count > 0) {
        tacho_note(self->request->notes, "warning",
                   "%.120s: %zu operators are unknown: their estimates are lower bounds",
                   self->request->model_path, of->estimate.unknown_count);
    }
    self->is_said = true;
}

static tacho_status estimate_point(sweep *self, const tacho_sweep_sizes *sizes,
                                   tacho_sweep_point *out)
{
    const tacho_sweep_request *request = self->request;
    tacho_model_options model = *request->model;
    tacho_compile_options options = *request->compile;
    model.dims = self->sizes;
    model.dim_count = tacho_sweep_dims_fill(&self->dims, sizes, request->model, self->sizes);
    if (self->dims.is_batch_joined) {
        options.batch = (uint32_t)sizes->values[self->dims.batch_axis];
    }
    tacho_compilation_request wanted = {request->model_path, &model, request->machine, &options};
    tacho_compilation compilation;
    tacho_status status = tacho_compilation_open(&compilation, &wanted);
    out->is_scheduled = status == TACHO_OK;
    if (status != TACHO_OK && tacho_status_code(status) == TACHO_CODE_LIMIT &&
        compilation.fusion.op_count > 0) {
        tacho_status_free(status);
        status = add_up_operators(&compilation, request, &options);
        self->whole_count += status == TACHO_OK ? 1 : 0;
    }
    if (status == TACHO_OK) {
        say_model(self, &compilation);
        status = take_results(self, &compilation, out);
    }
    tacho_compilation_close(&compilation);
    if (status != TACHO_OK && tacho_status_code(status) == TACHO_CODE_LIMIT) {
        tacho_status_free(status);
        self->big_count++;
        return TACHO_OK;
    }
    return status;
}

/* ---- all points ---------------------------------------------------------------------------- */

/* Sizes of axes that have no column of their own. */
static void print_sizes(const sweep *self, const int64_t *values, char *to, size_t room)
{
    const tacho_sweep_axes *axes = self->request->axes;
    size_t used = 0;
    to[0] = '\0';
    for (size_t i = 0; i < axes->count && used < room; i++) {
        if (i != self->dims.batch_axis && i != self->dims.sequence_axis) {
            used += (size_t)snprintf(to + used, room - used, "%s%.*s=%" PRId64, used > 0 ? " " : "",
                                     TACHO_STR_ARG(axes->items[i].name), values[i]);
        }
    }
}

static tacho_status describe_point(sweep *self, const tacho_sweep_sizes *sizes,
                                   tacho_sweep_point *out)
{
    const tacho_sweep_dims *dims = &self->dims;
    const tacho_model_options *model = self->request->model;
    *out = (tacho_sweep_point){.phase = sizes->phase, .bound = ""};
    out->batch = dims->batch_axis < TACHO_SWEEP_AXES_MAX
                     ? sizes->values[dims->batch_axis]
                     : tacho_sweep_dims_value(dims, sizes, model, TACHO_DIM_BATCH);
    out->sequence = dims->sequence_axis < TACHO_SWEEP_AXES_MAX
                        ? sizes->values[dims->sequence_axis]
                        : tacho_sweep_dims_value(dims, sizes, model, TACHO_DIM_SEQUENCE);
    print_sizes(self, sizes->values, out->sizes, sizeof(out->sizes));
    tacho_status status = estimate_point(self, sizes, out);
    return status == TACHO_OK
               ? status
               : tacho_status_add_note(status, "at batch %" PRId64 ", length %" PRId64, out->batch,
                                       out->sequence);
}

static tacho_status estimate_phase(sweep *self, tacho_sweep_phase phase, size_t count,
                                   tacho_sweep_point *out_points)
{
    const tacho_sweep_axes *axes = self->request->axes;
    for (size_t i = 0; i < count; i++) {
        int64_t values[TACHO_SWEEP_AXES_MAX] = {0};
        size_t rest = i;
        for (size_t axis = axes->count; axis > 0; axis--) {
            const tacho_sweep_axis *of = &axes->items[axis - 1];
            values[axis - 1] = of->values[rest % of->value_count];
            rest /= of->value_count;
        }
        tacho_sweep_sizes sizes = {phase, values};
        TACHO_TRY(describe_point(self, &sizes, &out_points[i]));
    }
    return TACHO_OK;
}

static void say_points(const sweep *self)
{
    const tacho_notes *notes = self->request->notes;
    if (self->whole_count > 0) {
        tacho_note(notes, "note",
                   "%zu point%s: too many jobs to schedule; the times of operators are added up",
                   self->whole_count, self->whole_count == 1 ? "" : "s");
    }
    if (self->big_count > 0) {
        tacho_note(notes, "note", "%zu point%s: an operator alone exceeds the memory of %s",
                   self->big_count, self->big_count == 1 ? "" : "s",
                   self->request->machine->name.data);
    }
}

static tacho_status run_all(sweep *self, size_t count, const tacho_table_taker *to)
{
    tacho_sweep_point *points = NULL;
    TACHO_TRY(tacho_items_make(&points, 2 * count));
    size_t phases = self->dims.has_cache ? 2 : 1;
    tacho_status status = estimate_phase(
        self, self->dims.has_cache ? TACHO_SWEEP_PREFILL : TACHO_SWEEP_FORWARD, count, points);
    if (status == TACHO_OK && self->dims.has_cache) {
        status = estimate_phase(self, TACHO_SWEEP_DECODE, count, points + count);
    }
    if (status == TACHO_OK) {
        status = tacho_sweep_table_write(points, phases * count, self->request, to);
    }
    free(points);
    return status;
}

tacho_status tacho_sweep_run(const tacho_sweep_request *request, const tacho_table_taker *to)
{
    sweep self = {.request = request};
    size_t count = 0;
    TACHO_TRY(count_points(request->axes, &count));
    tacho_status status = tacho_sweep_dims_init(&self.dims, request);
    for (size_t i = 0; self.dims.is_batch_joined && status == TACHO_OK &&
                       i < request->axes->items[self.dims.batch_axis].value_count;
         i++) {
        if (request->axes->items[self.dims.batch_axis].values[i] > TACHO_BATCH_MAX) {
            status = tacho_fail(TACHO_CODE_USAGE, "a batch of more than %d", TACHO_BATCH_MAX);
        }
    }
    if (status == TACHO_OK) {
        status = tacho_items_make(&self.sizes, request->model->dim_count + self.dims.item_count);
    }
    if (status == TACHO_OK) {
        status = run_all(&self, count, to);
    }
    if (status == TACHO_OK) {
        say_points(&self);
    }
    free(self.sizes);
    tacho_sweep_dims_deinit(&self.dims);
    return status;
}
