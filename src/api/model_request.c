/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names looked up and numbers compared with what there is.
 */
#include "api/model_request.h"

#include "api/entry.h"
#include "api/view_files.h"
#include "program/stats_records.h"
#include "session/compile_spec.h"

#include <inttypes.h>

enum { STATS_LEVEL_MAX = 100 };

/* ---- notes ----------------------------------------------------------------------------------- */

static void take_note(void *self, const char *kind, const char *text, tacho_hint hint)
{
    (void)hint; /* the words for it are the caller's */
    const tacho_compiled_options *options = self;
    tacho_entry_note(options->note, options->user, kind, text);
}

const tacho_notes *tacho_model_request_notes(const tacho_model_request *request)
{
    return request->options->note != NULL ? &request->notes : NULL;
}

/* ---- the model ------------------------------------------------------------------------------- */

static tacho_status take_sizes(tacho_model_request *self)
{
    const tacho_compiled_options *options = self->options;
    tacho_model_dim *dims = NULL;
    TACHO_TRY(
        tacho_arena_alloc(&self->arena, (options->size_count + 1) * sizeof(*dims), (void **)&dims));
    for (size_t i = 0; i < options->size_count; i++) {
        const tacho_model_size *size = options->sizes != NULL ? &options->sizes[i] : NULL;
        if (size == NULL || size->name == NULL || size->size < 0 || size->size > INT32_MAX) {
            return tacho_fail(TACHO_CODE_USAGE, "size %zu of %zu has no name or is not a size",
                              i + 1, options->size_count);
        }
        dims[i] = (tacho_model_dim){tacho_str_from_cstring(size->name), size->size};
    }
    self->model.dims = dims;
    self->model.dim_count = options->size_count;
    return TACHO_OK;
}

static tacho_status take_constants(tacho_model_request *self)
{
    const tacho_compiled_options *options = self->options;
    tacho_model_bind *binds = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->arena, (options->constant_count + 1) * sizeof(*binds),
                                (void **)&binds));
    for (size_t i = 0; i < options->constant_count; i++) {
        const tacho_model_constant *constant =
            options->constants != NULL ? &options->constants[i] : NULL;
        if (constant == NULL || constant->name == NULL || constant->values == NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "constant %zu of %zu has no name or no values",
                              i + 1, options->constant_count);
        }
        binds[i] = (tacho_model_bind){tacho_str_from_cstring(constant->name),
                                      tacho_str_from_cstring(constant->values)};
    }
    self->model.binds = binds;
    self->model.bind_count = options->constant_count;
    return TACHO_OK;
}

/* ---- the program ----------------------------------------------------------------------------- */

static tacho_status take_stats(tacho_model_request *self)
{
    const tacho_compiled_options *options = self->options;
    tacho_stats_config *stats = &self->compile.stats;
    uint32_t level = options->stats_level;
    *stats = (tacho_stats_config){.level = level > 0 ? level : TACHO_STATS_LEVEL_INFERENCE,
                                  .batch_size = 1,
                                  .counts_ddr = options->counts_ddr ? 1 : 0};
    if (stats->level > STATS_LEVEL_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "stats level %" PRIu32 " is more than %d", level,
                          STATS_LEVEL_MAX);
    }
    bool counts = options->counts_ddr || options->pmu_recipe != NULL || options->pmu_events != NULL;
    if (counts && stats->level < TACHO_STATS_LEVEL_INFERENCE) {
        return tacho_fail(TACHO_CODE_USAGE, "counters need stats level %d or more, not %" PRIu32,
                          (int)TACHO_STATS_LEVEL_INFERENCE, level);
    }
    if (options->pmu_recipe != NULL && options->pmu_events != NULL) {
        return tacho_fail(
            TACHO_CODE_USAGE,
            "both a recipe of counters and single events were given; use one of them");
    }
    if (options->pmu_events != NULL) {
        TACHO_TRY_NOTE(tacho_spec_events(options->pmu_events, stats), "counters");
    }
    if (options->pmu_recipe != NULL) {
        TACHO_TRY_NOTE(tacho_spec_recipe(options->pmu_recipe, stats, &self->compile.pmu_recipe),
                       "recipe of counters");
    }
    return TACHO_OK;
}

static tacho_status take_counts(tacho_model_request *self)
{
    const tacho_compiled_options *options = self->options;
    if (options->devices > TACHO_DEVICES_MAX || options->batch > TACHO_BATCH_MAX) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "at most %d devices and a batch of %d, not %" PRIu32 " and %" PRIu32,
                          TACHO_DEVICES_MAX, TACHO_BATCH_MAX, options->devices, options->batch);
    }
    self->compile.cores = options->cores;
    self->compile.devices = options->devices;
    self->compile.batch = options->batch;
    self->compile.bytes_max = options->ignores_limit ? UINT64_MAX : 0;
    self->compile.has_values = !options->is_estimate;
    self->compile.pace = (tacho_compile_pace){options->progress, options->user};
    return TACHO_OK;
}

tacho_status tacho_model_request_init(tacho_model_request *request,
                                      const tacho_compiled_options *options)
{
    *request = (tacho_model_request){
        .options = options,
        .model = {.has_random_weights = options->has_random_weights,
                  .has_zero_weights = options->has_zero_weights,
                  .seed = options->seed},
    };
    tacho_arena_init(&request->arena);
    request->notes = (tacho_notes){take_note, (void *)(uintptr_t)options};
    TACHO_TRY(tacho_view_check_reserved(options->reserved,
                                        sizeof(options->reserved) / sizeof(options->reserved[0])));
    TACHO_TRY(take_sizes(request));
    TACHO_TRY(take_constants(request));
    request->compile.estimate.cost.is_tuned = options->is_tuned;
    TACHO_TRY(options->dtype != NULL
                  ? tacho_spec_dtype(options->dtype, &request->compile.estimate.cost)
                  : TACHO_OK);
    TACHO_TRY(take_stats(request));
    return take_counts(request);
}

void tacho_model_request_deinit(tacho_model_request *request)
{
    tacho_arena_deinit(&request->arena);
}

tacho_status tacho_model_request_take_machine(tacho_model_request *request,
                                              const tacho_machine *machine)
{
    const tacho_compiled_options *options = request->options;
    tacho_cost_options *cost = &request->compile.estimate.cost;
    if (options->cores > tacho_machine_cores(machine)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s has %u cores, not %" PRIu32, machine->name.data,
                          (unsigned)tacho_machine_cores(machine), options->cores);
    }
    if (request->compile.stats.pmu_event_count > 0 && machine->counter_count == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "no counters are known for %s", machine->name.data);
    }
    if (options->grid != NULL && options->cores > 0) {
        return tacho_fail(TACHO_CODE_USAGE, "a grid and a number of cores; give one of them");
    }
    if (options->places != NULL && !options->is_estimate) {
        return tacho_fail(TACHO_CODE_USAGE, "places of operands are for estimates alone");
    }
    TACHO_TRY(options->fidelity != NULL ? tacho_spec_fidelity(options->fidelity, machine, cost)
                                        : TACHO_OK);
    TACHO_TRY(options->grid != NULL ? tacho_spec_grid(options->grid, machine, cost) : TACHO_OK);
    return options->places != NULL
               ? tacho_spec_places(options->places, machine, request->compile.estimate.places)
               : TACHO_OK;
}
