/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening what a run needs, and the loop over its inferences.
 */
#include "session/run.h"

#include "base/folder.h"
#include "base/grow.h"
#include "device/clock.h"
#include "graph/gate.h"
#include "session/run_device.h"
#include "session/run_notes.h"
#include "session/run_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_MS = 1000000, RANDOM_NAMED_MAX = 4 };

/* ---- opening ------------------------------------------------------------------------------- */

static tacho_status check_stats_dir(const tacho_run_request *request)
{
    struct stat facts;
    const char *path = request->stats_dir;
    if (path == NULL) {
        return TACHO_OK;
    }
    if (stat(path, &facts) != 0) {
        if (request->makes_stats_dir && errno == ENOENT) {
            return TACHO_OK;
        }
        return tacho_fail(TACHO_CODE_IO, "%s: %s; the directory for stats must exist", path,
                          strerror(errno));
    }
    if (!S_ISDIR(facts.st_mode)) {
        return tacho_fail(TACHO_CODE_IO, "%s: not a directory", path);
    }
    if (access(path, W_OK | X_OK) != 0) {
        return tacho_fail(TACHO_CODE_IO, "%s: %s", path, strerror(errno));
    }
    return TACHO_OK;
}

/* What "@x.npy" or "NAME=@x.npy" names, or NULL. */
static const char *input_file(const char *text)
{
    const char *at = text[0] == '@' ? text : strstr(text, "=@");
    return at == NULL ? NULL : at + (at[0] == '@' ? 1 : 2);
}

static tacho_status keep_place(tacho_run_session *session, const char *path)
{
    TACHO_TRY(tacho_grow(&session->places, &session->place_capacity, session->place_count + 1));
    tacho_output_find_place(path, &session->places[session->place_count++]);
    return TACHO_OK;
}

/* Looks up, once, what must not be written: each further output is compared in memory. */
static tacho_status keep_read_places(tacho_run_session *session)
{
    const tacho_run_request *request = session->request;
    if (session->read_count > 0) {
        return TACHO_OK;
    }
    TACHO_TRY(keep_place(session, request->path));
    for (size_t i = 0; i < request->input_count; i++) {
        const char *input = input_file(request->inputs[i]);
        if (input != NULL) {
            TACHO_TRY(keep_place(session, input));
        }
    }
    session->read_count = session->place_count;
    return TACHO_OK;
}

static tacho_status refuse_place(const tacho_run_session *session, size_t other, const char *path)
{
    if (other == 0) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is the program being run and would be overwritten",
                          path);
    }
    return other < session->read_count
               ? tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", path)
               : tacho_fail(TACHO_CODE_USAGE, "two results cannot both go to %s", path);
}

/* Refuses a path that is read or written otherwise, and remembers others. */
static tacho_status add_place(tacho_run_session *session, const char *path)
{
    TACHO_TRY(keep_read_places(session));
    TACHO_TRY(keep_place(session, path));
    size_t last = session->place_count - 1;
    for (size_t i = 0; i < last; i++) {
        if (tacho_output_is_same_place(&session->places[i], &session->places[last])) {
            return refuse_place(session, i, path);
        }
    }
    return tacho_mappings_has(&session->module.program.mappings, path)
               ? tacho_fail(TACHO_CODE_USAGE, "%s is read by this run and would be overwritten",
                            path)
               : TACHO_OK;
}

tacho_status tacho_run_check_chosen_output(tacho_run_session *session, const char *path,
                                           const char *mark)
{
    tacho_output output;
    TACHO_TRY(add_place(session, path));
    TACHO_TRY(tacho_output_open_chosen(path, mark, &output));
    tacho_output_close(&output); /* nothing is left of it */
    return TACHO_OK;
}

tacho_status tacho_run_check_output(tacho_run_session *session, const char *path)
{
    tacho_output output;
    if (path == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(add_place(session, path));
    if (!tacho_output_is_replaceable(path)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_output_close(&output); /* nothing is left of it */
    return TACHO_OK;
}

static tacho_status set_inputs(tacho_run_session *self)
{
    const tacho_program *program = &self->module.program;
    bool has_values = tacho_device_has_values(self->device);
    TACHO_TRY(tacho_run_inputs_ensure(&self->inputs, program, has_values));
    for (size_t i = 0; i < program->input_count && has_values; i++) {
        TACHO_TRY(tacho_device_set_input(self->device, i, &self->inputs.arrays[i]));
    }
    return TACHO_OK;
}

/* Whether there is a device still. */
static tacho_status check_device(const tacho_run_session *self)
{
    return self->device != NULL ? TACHO_OK
                                : tacho_fail(TACHO_CODE_USAGE,
                                             "the device was lost when %s was compiled for other "
                                             "inputs; open it again",
                                             self->request->path);
}

tacho_status tacho_run_set_input(tacho_run_session *session, size_t index, const tacho_array *value)
{
    const tacho_array *before = &session->inputs.arrays[index];
    uint64_t count = 0;
    uint64_t bytes = 0;
    TACHO_TRY(check_device(session));
    if (!tacho_device_has_values(session->device)) {
        return tacho_fail(TACHO_CODE_USAGE, "no values are computed");
    }
    TACHO_TRY(tacho_device_set_input(session->device, index, value));
    if (tacho_shape_elements(&before->shape, &count) &&
        tacho_dtype_bytes(before->dtype, count, &bytes)) {
        memcpy(before->data, value->data, (size_t)bytes);
    }
    session->inputs.random_count -= session->inputs.is_random[index] ? 1 : 0;
    session->inputs.is_random[index] = false;
    session->has_new_inputs = true;
    return TACHO_OK;
}

/* On this computer, or on the board that the request names. */
static tacho_status open_device(tacho_run_session *self, const tacho_device_options *options)
{
    const tacho_run_request *request = self->request;
    const tacho_device_type *kind = tacho_run_device_type(request->device);
    const char *colon = strchr(request->device, ':');
    if (request->board.host == NULL || kind == NULL) {
        return tacho_device_open(tacho_str_from_cstring(request->device), options, &self->device);
    }
    tacho_remote_options board = request->board;
    board.notes = request->is_quiet ? NULL : request->notes;
    return tacho_remote_open(&board, kind, colon != NULL ? colon + 1 : "", options, &self->device);
}

/* Whether outputs depend on the model's weights; times do not. */
static bool needs_values(const tacho_run_request *request)
{
    const tacho_device_type *type = tacho_run_device_type(request->device);
    return !request->device_options.skips_values && (type == NULL || type->computes_values);
}

/* Reads the program, or compiles the model, where need be for the values of inputs. */
static tacho_status open_module(tacho_run_session *self, tacho_run_module *module)
{
    const tacho_run_request *request = self->request;
    tacho_run_compile compile = request->compile;
    compile.is_quiet = request->is_quiet;
    compile.notes = request->notes;
    compile.model.values = &self->inputs.values;
    compile.model.needs_values = needs_values(request);
    TACHO_TRY(tacho_run_module_open(module, request->path, &compile));
    return request->function != NULL ? tacho_run_module_check_function(module, request->function)
                                     : TACHO_OK;
}

/* Opens the device, loads the module and hands the inputs over. */
static tacho_status load_module(tacho_run_session *self)
{
    const tacho_run_request *request = self->request;
    tacho_device_options options = request->device_options;
    options.gate = &tacho_infer_gate;
    options.is_forced |= self->module.was_compiled; /* the limit is for files */
    TACHO_TRY(open_device(self, &options));
    TACHO_TRY_NOTE(self->device->type->load(self->device, &self->module.program),
                   "while loading %s", request->path);
    TACHO_TRY(set_inputs(self));
    if (request->observer == NULL) {
        return TACHO_OK;
    }
    const tacho_run_facts facts = {
        .program = &self->module.program,
        .path = request->path,
        .device = request->device,
        .is_simulated = self->device->type->is_simulated,
        .notes = request->notes,
    };
    return request->observer->open(&facts, &self->observer);
}

tacho_status tacho_run_open(tacho_run_session *session, const tacho_run_request *request)
{
    *session = (tacho_run_session){.request = request, .totals = {.cycles = -1}};
    tacho_arena_init(&session->arena);
    tacho_arena_init(&session->records);
    TACHO_TRY(check_stats_dir(request));
    TACHO_TRY(tacho_run_check_device(request->device, request->notes));
    tacho_run_input_texts texts = {request->inputs, request->input_count, request->notes};
    tacho_run_inputs_init(&session->inputs, &texts, request->seed, &session->arena);
    TACHO_TRY(open_module(session, &session->module));
    session->is_decided = session->inputs.is_read; /* whoever compiled it has asked for them */
    TACHO_TRY(load_module(session));
    tacho_run_say_weights(session);
    if (request->makes_stats_dir && request->stats_dir != NULL) {
        bool is_new;
        TACHO_TRY(tacho_folder_ensure(request->stats_dir, &is_new));
    }
    return TACHO_OK;
}

static void close_device(tacho_run_session *self)
{
    if (self->observer != NULL) {
        self->request->observer->close(self->observer);
    }
    tacho_device_close(self->device);
    self->observer = NULL;
    self->device = NULL;
}

/* The model is compiled for the inputs that there are now; after a failure all is as before, unless
 * it is the device's. */
static tacho_status compile_again(tacho_run_session *self)
{
    tacho_run_module made;
    tacho_status status = open_module(self, &made);
    if (status != TACHO_OK) {
        tacho_run_module_deinit(&made);
        return status;
    }
    close_device(self); /* which uses the module */
    tacho_run_module_deinit(&self->module);
    self->module = made;
    self->has_new_inputs = false;
    status = load_module(self);
    if (status != TACHO_OK) {
        close_device(self);
    }
    return status;
}

void tacho_run_close(tacho_run_session *session)
{
    close_device(session);
    tacho_run_module_deinit(&session->module);
    tacho_arena_deinit(&session->arena);
    tacho_arena_deinit(&session->records);
    free(session->totals.latencies);
    free(session->places);
    free(session->samples);
}

/* ---- stats --------------------------------------------------------------------------------- */

enum { STATS_NAME_MAX = 256 };

/*
 * The name of a raw stats file without its folder; device |head|.device of several has a slice's
 * name. Bytes that do not belong in a file's name are '_'.
 */
static void run_stats_name(const tacho_run_session *session, const tacho_stats_head *head,
                           char out_name[STATS_NAME_MAX])
{
    char network[128];
    char slice[24] = "";
    snprintf(network, sizeof(network), "%.120s",
             tacho_run_string(session, session->module.program.facts.name).data);
    tacho_make_plain_name(network);
    if (head->device_count > 1) {
        snprintf(slice, sizeof(slice), "_slice%02u", (unsigned)head->device);
    }
    snprintf(out_name, STATS_NAME_MAX,
             "aic-profiling-program-%" PRIu32 "-activation-%" PRIu32 "-inf-%" PRIu64
             "-%s%s-aiccyclecounts.bin",
             head->program, head->activation, head->inference, network, slice);
}

static tacho_status write_stats_file(tacho_run_session *self, const tacho_stats_buffer *buffer)
{
    char name[STATS_NAME_MAX];
    const char *path = NULL;
    tacho_arena arena;
    tacho_output output;
    run_stats_name(self, &buffer->head, name);
    tacho_arena_init(&arena);
    tacho_status status =
        tacho_folder_join(self->request->stats_dir, tacho_str_from_cstring(name), &arena, &path);
    if (status == TACHO_OK) {
        status = tacho_output_open_chosen(path, TACHO_CHUNK_FILE_MARK, &output);
    }
    if (status == TACHO_OK) {
        tacho_stats_seal(buffer, &output);
        status = tacho_output_commit(&output);
        tacho_output_close(&output);
    }
    tacho_arena_deinit(&arena);
    self->stats_file_count += status == TACHO_OK ? 1 : 0;
    return status;
}

/* ---- samples ------------------------------------------------------------------------------- */

static tacho_status copy_bytes(tacho_arena *arena, const void *from, size_t size, void **out_copy)
{
    TACHO_TRY(tacho_arena_alloc(arena, size, out_copy));
    if (size > 0) {
        memcpy(*out_copy, from, size);
    }
    return TACHO_OK;
}

static tacho_status copy_buffer(tacho_arena *arena, tacho_stats_buffer *buffer)
{
    tacho_stats_array *arrays = NULL;
    TACHO_TRY(
        copy_bytes(arena, buffer->arrays, buffer->array_count * sizeof(*arrays), (void **)&arrays));
    for (size_t i = 0; i < buffer->array_count; i++) {
        void *records = NULL;
        TACHO_TRY(copy_bytes(arena, arrays[i].records,
                             arrays[i].count * tacho_stats_record_bytes(arrays[i].type), &records));
        arrays[i].records = records;
    }
    buffer->arrays = arrays;
    return TACHO_OK;
}

/* What the device has recorded is good until its next run. */
static tacho_status copy_result(tacho_arena *arena, tacho_device_result *result)
{
    tacho_block_time *blocks = NULL;
    tacho_stats_buffer *stats = NULL;
    TACHO_TRY(
        copy_bytes(arena, result->blocks, result->block_count * sizeof(*blocks), (void **)&blocks));
    TACHO_TRY(
        copy_bytes(arena, result->stats, result->stats_count * sizeof(*stats), (void **)&stats));
    for (size_t i = 0; i < result->stats_count; i++) {
        TACHO_TRY(copy_buffer(arena, &stats[i]));
    }
    result->host_op_ns = NULL;
    result->blocks = blocks;
    result->stats = stats;
    return TACHO_OK;
}

static uint64_t bytes_of(const tacho_device_result *result)
{
    uint64_t bytes = result->block_count * sizeof(*result->blocks);
    for (size_t i = 0; i < result->stats_count; i++) {
        const tacho_stats_buffer *buffer = &result->stats[i];
        for (size_t k = 0; k < buffer->array_count; k++) {
            bytes += sizeof(buffer->arrays[k]) +
                     buffer->arrays[k].count * tacho_stats_record_bytes(buffer->arrays[k].type);
        }
    }
    return bytes;
}

/* Samples are held from the first on without a gap, so that tables are of the first so many. */
static tacho_status hold_sample(tacho_run_session *self, tacho_run_sample sample)
{
    uint64_t bytes = bytes_of(&sample.result);
    uint64_t most = self->request->held_bytes_max;
    bool is_next = self->sample_count + 1 == self->totals.recorded_count;
    if (self->sample_count > 0 && most > 0 && (!is_next || self->held_bytes + bytes > most)) {
        return TACHO_OK;
    }
    TACHO_TRY(copy_result(&self->records, &sample.result));
    TACHO_TRY(tacho_grow(&self->samples, &self->sample_capacity, self->sample_count + 1));
    self->samples[self->sample_count++] = sample;
    self->held_bytes += bytes;
    return TACHO_OK;
}

static tacho_status take_sample(tacho_run_session *self, tacho_run_sample sample)
{
    const tacho_run_request *request = self->request;
    const tacho_device_result *result = &sample.result;
    bool is_written = request->stats_dir != NULL && !request->keeps_stats_in_memory;
    self->totals.recorded_count++;
    for (size_t i = 0; i < result->stats_count; i++) {
        self->totals.record_cost_ns += result->stats[i].record_cost_ns;
        if (is_written) {
            TACHO_TRY(write_stats_file(self, &result->stats[i]));
        }
    }
    if (self->observer != NULL) {
        TACHO_TRY(request->observer->report(self->observer, &sample));
    }
    if (request->take != NULL) {
        TACHO_TRY(request->take(request->taker, &self->module.program, &sample));
    }
    return hold_sample(self, sample);
}

/* ---- the loop ------------------------------------------------------------------------------ */

static bool is_sampled(tacho_run_session *self, uint64_t iteration)
{
    const tacho_run_sampling *sampling = &self->request->sampling;
    uint64_t left = self->request->iterations - iteration;
    if (self->totals.recorded_count >= sampling->count || iteration < sampling->start) {
        return false;
    }
    bool has_passed = self->totals.recorded_count > 0 || sampling->delay_ms <= 0 ||
                      self->totals.device_ns / NS_PER_MS >= sampling->delay_ms;
    bool is_last_chance = left <= sampling->count - self->totals.recorded_count;
    self->is_late = self->is_late || (!has_passed && is_last_chance);
    return has_passed || is_last_chance;
}

/* How long an inference takes when its stats need not be written: simulated, that is known. */
static int64_t latency_of(const tacho_run_session *self, const tacho_device_result *result)
{
    int64_t whole = result->end_ns - result->start_ns;
    uint64_t clock_hz = self->module.program.facts.core_clock_hz;
    if (!self->device->type->is_simulated || result->cycles < 0 || clock_hz == 0) {
        return whole;
    }
    double ns = (double)result->cycles * 1e9 / (double)clock_hz;
    return ns < (double)whole ? llround(ns) : whole;
}

static tacho_status hand_over_inputs(tacho_run_session *self)
{
    for (size_t i = 0; i < self->module.program.input_count; i++) {
        TACHO_TRY(tacho_device_set_input(self->device, i, &self->inputs.arrays[i]));
    }
    return TACHO_OK;
}

static tacho_status read_outputs(tacho_run_session *self)
{
    tacho_array value;
    for (size_t i = 0; i < self->module.program.output_count; i++) {
        TACHO_TRY(tacho_device_output(self->device, i, &value));
    }
    return TACHO_OK;
}

/* One inference of the device, with what the host does around it where that is wanted. */
static tacho_status run_device(tacho_run_session *self, uint64_t iteration, bool records,
                               tacho_run_sample *out_sample)
{
    bool moves = self->request->moves_values && tacho_device_has_values(self->device);
    tacho_run_host_times *host = &out_sample->host;
    host->is_known = moves;
    host->begin_ns = tacho_now_ns();
    TACHO_TRY(moves ? hand_over_inputs(self) : TACHO_OK);
    host->submit_ns = tacho_now_ns();
    TACHO_TRY(self->device->type->run(self->device, iteration, records, &out_sample->result));
    host->done_ns = tacho_now_ns();
    TACHO_TRY(moves ? read_outputs(self) : TACHO_OK);
    host->end_ns = tacho_now_ns();
    return TACHO_OK;
}

/* Counts an inference, and keeps it where it was recorded. */
static tacho_status take_result(tacho_run_session *self, const tacho_run_sample *sample,
                                bool is_recorded)
{
    const tacho_device_result *result = &sample->result;
    int64_t latency = latency_of(self, result);
    self->totals.latencies[self->totals.latency_count++] = latency;
    self->totals.latency_ns += latency;
    self->totals.wall_ns += result->wall_ns;
    self->totals.device_ns += result->end_ns - result->start_ns;
    self->totals.wait_ns += result->host.wait_ns;
    bool is_fetched_later = result->host.is_known && result->host.fetched_ns > result->end_ns;
    self->totals.fetch_ns = is_fetched_later ? result->host.fetched_ns - result->end_ns : 0;
    self->totals.cycles = result->cycles;
    if (sample->inference == 0 && !self->device->type->is_simulated) {
        self->open_ns = result->start_ns;
    }
    return is_recorded ? take_sample(self, *sample) : TACHO_OK;
}

/* Meanwhile, no other thread writes what was recorded. */
static tacho_status take_locked(tacho_run_session *self, const tacho_run_sample *sample,
                                bool is_recorded)
{
    if (self->request->leaves_signals) {
        return take_result(self, sample, is_recorded);
    }
    tacho_run_rescue_lock(&self->rescue);
    tacho_status status = take_result(self, sample, is_recorded);
    tacho_run_rescue_unlock(&self->rescue);
    return status;
}

static tacho_status run_one(tacho_run_session *self, uint64_t iteration)
{
    const tacho_run_request *request = self->request;
    tacho_run_sample sample = {.inference = iteration, .result = {.cycles = -1}};
    bool records = is_sampled(self, iteration);
    TACHO_TRY(run_device(self, iteration, records, &sample));
    TACHO_TRY(take_locked(self, &sample, records));
    return request->see != NULL
               ? request->see(request->seer, &sample, latency_of(self, &sample.result), records)
               : TACHO_OK;
}

static tacho_status run_all(tacho_run_session *self, const tacho_progress *progress)
{
    uint64_t iterations = self->request->iterations;
    for (uint64_t i = 0; i < iterations; i++) {
        if (!self->request->leaves_signals && tacho_run_rescue_is_asked()) {
            self->is_interrupted = true;
            break;
        }
        TACHO_TRY(run_one(self, i));
        if (progress != NULL) {
            progress->update(progress->self, i + 1, iterations);
        }
    }
    return TACHO_OK;
}

/* Values that do not fit, an index out of range say, may be due to inputs that were random. */
static tacho_status note_random(const tacho_run_session *self, tacho_status status)
{
    const tacho_program *program = &self->module.program;
    if (tacho_status_code(status) != TACHO_CODE_BAD_DATA || self->inputs.random_count == 0) {
        return status;
    }
    status = tacho_status_add_note(
        status, "%zu input%s random (seed %" PRIu64 "), as nothing was given",
        self->inputs.random_count, self->inputs.random_count == 1 ? " was" : "s were",
        self->request->seed);
    size_t left = RANDOM_NAMED_MAX;
    for (size_t i = 0; i < program->input_count && left > 0; i++) {
        char text[200];
        if (self->inputs.is_random[i]) {
            tacho_run_input_print(program, i, text, sizeof(text));
            status = tacho_status_add_hint(status, TACHO_HINT_GIVE_INPUT, text);
            left--;
        }
    }
    return status;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* Forgets what ran before, and gets memory for what is to run. */
static tacho_status begin_run(tacho_run_session *self)
{
    uint64_t iterations = self->request->iterations;
    free(self->totals.latencies);
    self->totals = (tacho_run_totals){.cycles = -1};
    tacho_arena_reset(&self->records);
    self->sample_count = 0;
    self->held_bytes = 0;
    self->is_late = false;
    self->is_interrupted = false;
    self->totals.latencies = calloc((size_t)iterations, sizeof(*self->totals.latencies));
    return self->totals.latencies != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %" PRIu64 " iterations",
                            iterations);
}

tacho_status tacho_run_go(tacho_run_session *session, const tacho_progress *progress)
{
    bool takes_signals = !session->request->leaves_signals;
    TACHO_TRY(check_device(session));
    TACHO_TRY(begin_run(session));
    if (takes_signals) {
        tacho_run_rescue_begin(&session->rescue);
    }
    tacho_status status = run_all(session, progress);
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA && session->is_decided &&
        session->has_new_inputs) { /* at the first inference, so nothing was recorded */
        tacho_status_free(status);
        status = compile_again(session);
        status = status != TACHO_OK ? status : begin_run(session);
        status = status != TACHO_OK ? status : run_all(session, progress);
    }
    status = note_random(session, status);
    if (takes_signals) {
        tacho_run_rescue_end(&session->rescue);
    }
    qsort(session->totals.latencies, session->totals.latency_count,
          sizeof(*session->totals.latencies), compare_times);
    return status;
}

/* ---- for analyses and sinks ---------------------------------------------------------------- */

static bool computes_op(const void *device, uint32_t op)
{
    return tacho_device_computes_op(device, op);
}

tacho_recording tacho_run_recording(const tacho_run_session *session)
{
    const tacho_device_type *type = session->device->type;
    const tacho_device_options *options = &session->request->device_options;
    bool has_values = tacho_device_has_values(session->device);
    tacho_remote_facts board = {.host = NULL};
    bool is_remote = tacho_remote_facts_of(session->device, &board);
    tacho_recording recording = {
        .program = &session->module.program,
        .path = session->request->path,
        .was_compiled = session->module.was_compiled,
        .device =
            {
                .name = session->request->device,
                .about = type->about,
                .is_simulated = type->is_simulated,
                .has_no_times = type->has_no_times,
                .has_time_model = type->has_time_model,
                .is_unlimited = options->is_unlimited,
                .threads = options->threads > 0 ? options->threads : 1,
                .activations = options->activations > 0 ? options->activations : 1,
                .has_values = has_values,
                .board = {.host = board.host,
                          .machine = board.machine,
                          .path = board.path,
                          .wall_ns = is_remote ? board.wall_ns : 0,
                          .board_ns = is_remote ? board.board_ns : 0,
                          .wait_ns = is_remote ? board.wait_ns : 0},
            },
        .totals = session->totals,
        .open_ns = session->open_ns,
        .samples = session->samples,
        .sample_count = session->sample_count,
        .wanted_count = session->request->sampling.count,
        .random_input_count = session->inputs.random_count,
    };
    if (has_values) {
        tacho_execution_counts counts = tacho_device_count(session->device);
        recording.device.fast_count = counts.fast;
        recording.device.reference_count = counts.reference;
        recording.device.free_count = counts.free;
        recording.device.peak_bytes = tacho_device_peak_bytes(session->device);
        recording.device.computes_op = computes_op;
        recording.device.self = session->device;
    }
    return recording;
}
