/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public face of runs: opening one, values, inferences. Its results are in runner_results.c.
 */
#include "api/runner.h"

#include "api/entry.h"
#include "api/view_files.h"
#include "program/stats_records.h"
#include "session/run_device.h"
#include "session/find_machine.h"
#include "session/run_request.h"
#include "vendors/tenstorrent/run_client.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- opening --------------------------------------------------------------------------------- */

static tacho_status copy_text(tacho_runner *self, const char **text)
{
    tacho_str copy;
    if (*text != NULL) {
        TACHO_TRY(tacho_arena_copy(&self->arena, tacho_str_from_cstring(*text), &copy));
        *text = copy.data;
    }
    return TACHO_OK;
}

static tacho_status check_options(const tacho_runner_options *options)
{
    TACHO_TRY(tacho_view_check_reserved(options->reserved, COUNT_OF(options->reserved)));
    if (options->compile.machine != NULL) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "a machine was given; the device says which: \"sim:%s\"",
                          options->compile.machine);
    }
    if (options->host == NULL && (options->board_path != NULL || options->board_runtime != NULL ||
                                  options->board_wait_s > 0 || options->board_timeout_s > 0)) {
        return tacho_fail(TACHO_CODE_USAGE, "options of a board need a host");
    }
    if (options->activations > TACHO_RUN_ACTIVATIONS_MAX ||
        options->threads > TACHO_RUN_THREADS_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "at most %d activations and %d threads",
                          TACHO_RUN_ACTIVATIONS_MAX, TACHO_RUN_THREADS_MAX);
    }
    return TACHO_OK;
}

/* Wishes that only the machine can tell to be good; a program has been compiled already. */
static tacho_status check_machine(tacho_runner *self)
{
    const tacho_compiled_options *compile = &self->options.compile;
    const tacho_notes *notes = tacho_model_request_notes(&self->model);
    tacho_machine *machine = NULL;
    tacho_arena arena;
    bool is_needed = compile->cores > 0 || compile->fidelity != NULL || compile->grid != NULL ||
                     compile->places != NULL || compile->pmu_recipe != NULL ||
                     compile->pmu_events != NULL;
    if (!is_needed || tacho_run_is_program(self->request.path)) {
        return TACHO_OK;
    }
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_session_find_machine(self->request.compile.machine, notes, &arena, &machine);
    if (status == TACHO_OK) {
        status = tacho_model_request_take_machine(&self->model, machine);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_device_options device_options(const tacho_runner_options *options)
{
    return (tacho_device_options){
        .kernels = options->reference_kernels ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST,
        .threads = options->threads > 0 ? options->threads : 1,
        .activations = options->activations > 0 ? options->activations : 1,
        .has_fine_timer = true,
        .is_unlimited = options->is_unlimited,
        .skips_values = options->skips_values,
        .is_forced = options->ignores_limit,
    };
}

/* While a board is waited for: whoever waits may have had enough. */
static bool goes_on(void *watcher)
{
    const tacho_runner *self = watcher;
    const tacho_compiled_options *compile = &self->options.compile;
    if (self->plan != NULL) {
        return self->plan->progress == NULL || self->plan->progress(self->plan->user, 0, 0);
    }
    return self->is_open || compile->progress == NULL || compile->progress(compile->user, 0, 0);
}

static tacho_status fill_request(tacho_runner *self)
{
    const tacho_runner_options *options = &self->options;
    const char *device = options->device != NULL ? options->device : TACHO_RUN_DEFAULT_DEVICE;
    tacho_run_request *request = &self->request;
    request->device = device;
    request->device_options = device_options(options);
    request->seed = options->seed;
    request->stats_dir = options->stats_folder;
    request->board = (tacho_remote_options){.host = options->host,
                                            .path = options->board_path,
                                            .runtime = options->board_runtime,
                                            .wait_s = options->board_wait_s,
                                            .silence_s = options->board_timeout_s,
                                            .goes_on = goes_on,
                                            .watcher = self};
    request->makes_stats_dir = true;
    request->notes = tacho_model_request_notes(&self->model);
    request->leaves_signals = true;
    request->observer = &tacho_run_client;
    tacho_run_request_complete(request, false);
    TACHO_TRY(check_machine(self));
    request->compile.model = self->model.model;
    request->compile.compile = self->model.compile;
    if (options->compile.stats_level == 0) {
        request->compile.compile.stats.level = TACHO_STATS_LEVEL_OPS;
    }
    return TACHO_OK;
}

static tacho_status open_runner(tacho_runner *self, const char *path,
                                const tacho_runner_options *options)
{
    self->options = *options;
    self->request.path = path;
    TACHO_TRY(copy_text(self, &self->request.path));
    TACHO_TRY(copy_text(self, &self->options.device));
    TACHO_TRY(copy_text(self, &self->options.stats_folder));
    TACHO_TRY(copy_text(self, &self->options.host));
    TACHO_TRY(copy_text(self, &self->options.board_path));
    TACHO_TRY(copy_text(self, &self->options.board_runtime));
    TACHO_TRY(check_options(options));
    TACHO_TRY(tacho_model_request_init(&self->model, &self->options.compile));
    TACHO_TRY(fill_request(self));
    return tacho_run_open(&self->session, &self->request);
}

tacho_status tacho_runner_open(const char *path, const tacho_runner_options *options,
                               tacho_runner **out_runner)
{
    const tacho_runner_options defaults = {.device = NULL};
    if (out_runner == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a runner needs a place for its handle");
    }
    *out_runner = NULL;
    if (path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no program or model given (NULL)");
    }
    tacho_runner *runner = calloc(1, sizeof(*runner));
    if (runner == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&runner->arena);
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = open_runner(runner, path, options != NULL ? options : &defaults);
    tacho_entry_end(entry);
    if (status != TACHO_OK) {
        tacho_runner_close(runner);
        return status;
    }
    runner->is_open = true;
    *out_runner = runner;
    return TACHO_OK;
}

void tacho_runner_close(tacho_runner *runner)
{
    if (runner == NULL) {
        return;
    }
    tacho_run_close(&runner->session);
    tacho_model_request_deinit(&runner->model);
    tacho_arena_deinit(&runner->arena);
    free(runner);
}

static tacho_status check_runner(const tacho_runner *runner)
{
    return runner != NULL ? TACHO_OK : tacho_fail(TACHO_CODE_USAGE, "no runner given (NULL)");
}

tacho_status tacho_runner_check_run(const tacho_runner *runner)
{
    TACHO_TRY(check_runner(runner));
    return runner->has_run && runner->session.device != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "no inference has run yet");
}

bool tacho_runner_get_board(const tacho_runner *runner, tacho_runner_board *out_board)
{
    tacho_remote_facts facts;
    if (runner == NULL || out_board == NULL || runner->session.device == NULL ||
        !tacho_remote_facts_of(runner->session.device, &facts)) {
        return false;
    }
    *out_board = (tacho_runner_board){
        .host = facts.host,
        .machine = facts.machine,
        .path = facts.path,
        .pushed_bytes = facts.pushed_bytes,
        .wall_ns = facts.wall_ns,
        .board_ns = facts.board_ns,
        .wait_ns = facts.wait_ns,
    };
    return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

size_t tacho_runner_input_count(const tacho_runner *runner)
{
    return runner != NULL ? runner->session.module.program.input_count : 0;
}

size_t tacho_runner_output_count(const tacho_runner *runner)
{
    return runner != NULL ? runner->session.module.program.output_count : 0;
}

static void fill_view(const tacho_runner *self, uint32_t name, const tacho_array *array,
                      tacho_value_view *out_view)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    *out_view = (tacho_value_view){
        .name = tacho_strings_get(&self->session.module.program.strings, name).data,
        .dtype = tacho_dtype_name(array->dtype),
        .rank = array->shape.rank > 0 ? (uint32_t)array->shape.rank : 0,
        .data = array->data,
    };
    memcpy(out_view->dims, array->shape.dims, out_view->rank * sizeof(out_view->dims[0]));
    if (tacho_shape_elements(&array->shape, &count) &&
        tacho_dtype_bytes(array->dtype, count, &bytes)) {
        out_view->byte_count = (size_t)bytes;
    }
}

static void fill_kind(const tacho_runner *self, uint32_t tensor_id, tacho_value_view *out_view)
{
    const tacho_program *program = &self->session.module.program;
    const tacho_program_tensor *tensor = &program->tensors[tensor_id];
    const tacho_array array = {(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor),
                               NULL};
    fill_view(self, tensor->name, &array, out_view);
}

bool tacho_runner_input(const tacho_runner *runner, size_t index, tacho_value_view *out_input)
{
    if (out_input == NULL || index >= tacho_runner_input_count(runner)) {
        return false;
    }
    fill_kind(runner, runner->session.module.program.inputs[index], out_input);
    return true;
}

bool tacho_runner_output_kind(const tacho_runner *runner, size_t index,
                              tacho_value_view *out_output)
{
    if (out_output == NULL || index >= tacho_runner_output_count(runner)) {
        return false;
    }
    fill_kind(runner, runner->session.module.program.outputs[index], out_output);
    return true;
}

/* A caller's value as an array: of a type that there is, and as many bytes as its shape has. */
static tacho_status take_value(const tacho_value_view *value, tacho_array *out_array)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    if (value == NULL || value->dtype == NULL || value->data == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no value given: it, its type or its data is NULL");
    }
    *out_array = (tacho_array){
        .dtype = tacho_dtype_find(tacho_str_from_cstring(value->dtype)),
        .data = (void *)(uintptr_t)value->data,
    };
    if (out_array->dtype == TACHO_DTYPE_NONE) {
        return tacho_fail(TACHO_CODE_USAGE, "unknown element type '%s'", value->dtype);
    }
    if (value->rank > TACHO_VALUE_RANK_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "a value has at most %d dimensions, not %u",
                          TACHO_VALUE_RANK_MAX, (unsigned)value->rank);
    }
    out_array->shape.rank = (int32_t)value->rank;
    memcpy(out_array->shape.dims, value->dims, value->rank * sizeof(value->dims[0]));
    if (!tacho_shape_elements(&out_array->shape, &count) ||
        !tacho_dtype_bytes(out_array->dtype, count, &bytes) || bytes != value->byte_count) {
        char text[TACHO_SHAPE_TEXT_MAX];
        return tacho_fail(TACHO_CODE_USAGE, "%zu bytes given for a value of %s elements of %s",
                          value->byte_count,
                          tacho_shape_print(&out_array->shape, text, sizeof(text)), value->dtype);
    }
    return TACHO_OK;
}

tacho_status tacho_runner_set_input(tacho_runner *runner, size_t index,
                                    const tacho_value_view *value)
{
    tacho_array array;
    TACHO_TRY(check_runner(runner));
    if (index >= tacho_runner_input_count(runner)) {
        return tacho_fail(TACHO_CODE_USAGE, "input %zu of %zu; they are counted from 0", index,
                          tacho_runner_input_count(runner));
    }
    TACHO_TRY(take_value(value, &array));
    return tacho_run_set_input(&runner->session, index, &array);
}

tacho_status tacho_runner_output(const tacho_runner *runner, size_t index,
                                 tacho_value_view *out_output)
{
    tacho_array array;
    TACHO_TRY(tacho_runner_check_run(runner));
    const tacho_program *program = &runner->session.module.program;
    if (out_output == NULL || index >= program->output_count) {
        return tacho_fail(TACHO_CODE_USAGE, "output %zu of %zu, or nowhere to put it (NULL)", index,
                          program->output_count);
    }
    if (!tacho_device_has_values(runner->session.device)) {
        return tacho_fail(TACHO_CODE_USAGE, "no values are computed");
    }
    TACHO_TRY(tacho_device_output(runner->session.device, index, &array));
    fill_view(runner, program->tensors[program->outputs[index]].name, &array, out_output);
    return TACHO_OK;
}

/* ---- inferences ------------------------------------------------------------------------------ */

static tacho_status see_inference(void *seer, const tacho_run_sample *sample, int64_t latency_ns,
                                  bool is_recorded)
{
    tacho_runner *self = seer;
    const tacho_runner_plan *plan = self->plan;
    const tacho_inference inference = {
        .number = sample->inference,
        .latency_ns = latency_ns,
        .cycles = sample->result.cycles,
        .is_recorded = is_recorded,
    };
    self->has_run = true;
    if (plan->result != NULL) {
        plan->result(plan->user, &inference);
    }
    if (plan->progress != NULL &&
        !plan->progress(plan->user, sample->inference + 1, self->request.iterations)) {
        return tacho_fail(TACHO_CODE_CANCELLED, "cancelled after inference %llu of %llu",
                          (unsigned long long)sample->inference + 1,
                          (unsigned long long)self->request.iterations);
    }
    return TACHO_OK;
}

static tacho_status take_plan(tacho_runner *self, const tacho_runner_plan *plan)
{
    tacho_run_request *request = &self->request;
    TACHO_TRY(tacho_view_check_reserved(plan->reserved, COUNT_OF(plan->reserved)));
    uint64_t count = plan->inference_count > 0 ? plan->inference_count : 1;
    if (count > TACHO_RUN_ITERATIONS_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "%llu inferences are more than %d",
                          (unsigned long long)count, (int)TACHO_RUN_ITERATIONS_MAX);
    }
    if (plan->first_recorded >= count) {
        return tacho_fail(TACHO_CODE_USAGE, "inference %llu is not one of %llu",
                          (unsigned long long)plan->first_recorded, (unsigned long long)count);
    }
    if (plan->delay_ms > INT32_MAX) {
        return tacho_fail(TACHO_CODE_USAGE, "a delay of %llu ms is more than %d ms",
                          (unsigned long long)plan->delay_ms, (int)INT32_MAX);
    }
    request->iterations = count;
    request->sampling = (tacho_run_sampling){
        .count = plan->omits_records        ? 0
                 : plan->recorded_count > 0 ? plan->recorded_count
                                            : 1,
        .start = plan->first_recorded > 0 ? plan->first_recorded : TACHO_RUN_OPEN,
        .delay_ms = (int64_t)plan->delay_ms,
    };
    tacho_run_request_complete(request, false);
    request->see = see_inference;
    request->seer = self;
    return TACHO_OK;
}

tacho_status tacho_runner_go(tacho_runner *runner, const tacho_runner_plan *plan)
{
    const tacho_runner_plan defaults = {.inference_count = 0};
    TACHO_TRY(check_runner(runner));
    if (runner->plan != NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "a run goes on already");
    }
    plan = plan != NULL ? plan : &defaults;
    TACHO_TRY(take_plan(runner, plan));
    runner->plan = plan;
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = tacho_run_go(&runner->session, NULL);
    tacho_entry_end(entry);
    runner->plan = NULL;
    return status;
}
