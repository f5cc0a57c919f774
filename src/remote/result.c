/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of inferences, put and read in the same order.
 */
#include "remote/result.h"

#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

enum { MOMENTS = 4, TURN_MOMENTS = 3 };

/* ---- putting ------------------------------------------------------------------------------- */

static tacho_status put_raw(tacho_bytes *to, const void *items, size_t count, size_t item_bytes)
{
    TACHO_TRY(tacho_bytes_put(to, count, 8));
    TACHO_TRY(tacho_bytes_pad(to));
    return tacho_bytes_append(to, tacho_str_make(items, count * item_bytes));
}

static tacho_status put_buffer(tacho_bytes *to, const tacho_stats_buffer *buffer)
{
    TACHO_TRY(put_raw(to, &buffer->head, 1, sizeof(buffer->head)));
    TACHO_TRY(tacho_bytes_put(to, buffer->record_cost_ns, 8));
    TACHO_TRY(tacho_bytes_put(to, buffer->array_count, 8));
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        TACHO_TRY(tacho_bytes_put(to, (uint64_t)array->type, 4));
        TACHO_TRY(tacho_bytes_put(to, array->stream, 4));
        TACHO_TRY(put_raw(to, array->records, array->count, tacho_stats_record_bytes(array->type)));
    }
    return TACHO_OK;
}

tacho_status tacho_wire_put_result(tacho_bytes *to, const tacho_program *program,
                                   const tacho_device_result *result)
{
    const int64_t moments[MOMENTS] = {result->start_ns, result->end_ns, result->cycles,
                                      result->wall_ns};
    const int64_t turn[TURN_MOMENTS] = {result->host.sent_ns, result->host.fetched_ns,
                                        result->host.wait_ns};
    size_t op_moments = result->host_op_ns != NULL ? program->op_count + 1 : 0;
    TACHO_TRY(put_raw(to, moments, MOMENTS, sizeof(moments[0])));
    TACHO_TRY(put_raw(to, turn, result->host.is_known ? TURN_MOMENTS : 0, sizeof(turn[0])));
    TACHO_TRY(put_raw(to, result->blocks, result->block_count, sizeof(*result->blocks)));
    TACHO_TRY(put_raw(to, result->host_op_ns, op_moments, sizeof(int64_t)));
    TACHO_TRY(tacho_bytes_put(to, result->stats_count, 8));
    for (size_t i = 0; i < result->stats_count; i++) {
        TACHO_TRY(put_buffer(to, &result->stats[i]));
    }
    return TACHO_OK;
}

/* ---- limits -------------------------------------------------------------------------------- */

/* Buffers of one inference: one per activation and device. */
static uint64_t buffers_max(const tacho_wire_asked *asked)
{
    return (uint64_t)asked->activations * asked->layout->program->facts.device_count;
}

/* Arrays of one buffer: two per engine at most, and one of each other type. */
static uint64_t arrays_max(const tacho_wire_asked *asked)
{
    return 2 * (uint64_t)asked->layout->program->engine_count + TACHO_STATS_TYPE_COUNT;
}

/* Whatever a program consists of has a few records, none of them longer than a tenth of this. */
uint64_t tacho_wire_result_limit(const tacho_wire_asked *asked)
{
    enum { PART_BYTES = 4096 };
    const tacho_program *program = asked->layout->program;
    const tacho_program_facts *facts = &program->facts;
    uint64_t parts = (uint64_t)facts->device_count * facts->core_count * facts->thread_count;
    const size_t counts[] = {program->job_count, program->need_count, program->op_count,
                             program->engine_count, program->block_count};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        parts = tacho_size_add(parts, counts[i]);
    }
    uint64_t bytes =
        tacho_size_multiply(tacho_size_multiply(parts, PART_BYTES), asked->activations);
    return tacho_size_add(TACHO_WIRE_SMALL_BYTES, bytes);
}

/* ---- reading ------------------------------------------------------------------------------- */

void tacho_wire_result_init(tacho_wire_result *result)
{
    *result = (tacho_wire_result){.result = {.cycles = -1}};
    tacho_arena_init(&result->arena);
}

static void drop_files(tacho_wire_result *self)
{
    for (size_t i = 0; i < self->file_count; i++) {
        tacho_stats_file_deinit(&self->files[i]);
    }
    free(self->files);
    self->files = NULL;
    self->file_count = 0;
}

void tacho_wire_result_deinit(tacho_wire_result *result)
{
    drop_files(result);
    tacho_arena_deinit(&result->arena);
}

/* Items in a row, within the payload; their number must be |wanted| or, if |or_none|, 0. */
static const void *get_raw(tacho_wire_reader *reader, size_t wanted, bool or_none,
                           size_t item_bytes)
{
    uint64_t count = tacho_wire_get(reader, 8);
    tacho_wire_align(reader);
    reader->is_bad |= count != wanted && !(or_none && count == 0);
    uint64_t bytes = 0;
    reader->is_bad |= __builtin_mul_overflow(count, item_bytes, &bytes);
    const void *found = tacho_wire_get_bytes(reader, bytes).data;
    return count > 0 && !reader->is_bad ? found : NULL;
}

static void get_array(tacho_wire_reader *reader, tacho_stats_array *out_array)
{
    uint64_t type = tacho_wire_get(reader, 4);
    out_array->stream = (uint32_t)tacho_wire_get(reader, 4);
    reader->is_bad |= type >= TACHO_STATS_TYPE_COUNT || type == TACHO_STATS_TYPE_head ||
                      type == TACHO_STATS_TYPE_end;
    uint64_t count = tacho_wire_get(reader, 8);
    tacho_wire_align(reader);
    reader->is_bad |= count > UINT32_MAX;
    if (reader->is_bad) {
        return;
    }
    out_array->type = (tacho_stats_type)type;
    out_array->count = (uint32_t)count;
    out_array->records =
        tacho_wire_get_bytes(reader, count * tacho_stats_record_bytes(out_array->type)).data;
}

static tacho_status get_arrays(tacho_wire_reader *reader, uint64_t count, tacho_stats_file *file)
{
    TACHO_TRY(tacho_items_make(&file->arrays, (size_t)count));
    file->array_capacity = (size_t)count + 1;
    for (uint64_t i = 0; i < count && !reader->is_bad; i++) {
        tacho_stats_array array = {.count = 0};
        get_array(reader, &array);
        if (array.count > 0) {
            file->arrays[file->array_count++] = array;
        }
    }
    return TACHO_OK;
}

/* Whether a buffer matches the request. */
static bool is_asked_for(const tacho_stats_file *file, const tacho_wire_asked *asked)
{
    const tacho_stats_head *head = &file->head;
    return head->activation < asked->activations && head->inference == asked->inference &&
           head->timer_hz > 0 && head->core_hz > 0 && file->end.record_cost_ns <= TACHO_WIRE_NS_MAX;
}

/* A buffer of the device, as a file with the same records would be read. */
static tacho_status get_buffer(tacho_wire_reader *reader, const tacho_wire_asked *asked,
                               tacho_stats_file *file)
{
    const tacho_stats_head *head = get_raw(reader, 1, false, sizeof(*head));
    *file = (tacho_stats_file){.end = {.record_cost_ns = tacho_wire_get(reader, 8)}};
    tacho_arena_init(&file->arena);
    uint64_t array_count = tacho_wire_get(reader, 8);
    if (reader->is_bad || array_count > arrays_max(asked)) {
        reader->is_bad = true;
        return TACHO_OK;
    }
    file->head = *head;
    TACHO_TRY(get_arrays(reader, array_count, file));
    reader->is_bad |= !is_asked_for(file, asked);
    if (reader->is_bad) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_stats_bind(file, asked->layout));
    return file->damage.bad_records == 0
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%llu records of the runtime cannot be true",
                            (unsigned long long)file->damage.bad_records);
}

static tacho_status get_stats(tacho_wire_reader *reader, const tacho_wire_asked *asked,
                              tacho_wire_result *self)
{
    uint64_t count = tacho_wire_get(reader, 8);
    tacho_stats_buffer *buffers = NULL;
    if (reader->is_bad || count == 0 || count > buffers_max(asked) ||
        count > (reader->bytes.len - reader->at) / sizeof(tacho_stats_head)) {
        reader->is_bad |= count > 0;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_items_make(&self->files, (size_t)count));
    TACHO_TRY(tacho_arena_alloc(&self->arena, (size_t)count * sizeof(*buffers), (void **)&buffers));
    while (self->file_count < count && !reader->is_bad) {
        tacho_stats_file *file = &self->files[self->file_count++];
        TACHO_TRY(get_buffer(reader, asked, file));
        buffers[self->file_count - 1] = (tacho_stats_buffer){
            .head = file->head,
            .arrays = file->arrays,
            .array_count = file->array_count,
            .record_cost_ns = file->end.record_cost_ns,
        };
    }
    self->result.stats = buffers;
    self->result.stats_count = self->file_count;
    return TACHO_OK;
}

/* Whether all of |times| are times of a board. */
static bool are_times(const int64_t *times, size_t count)
{
    bool are_good = true;
    for (size_t i = 0; i < count; i++) {
        are_good = are_good && times[i] >= 0 && times[i] <= TACHO_WIRE_NS_MAX;
    }
    return are_good;
}

static void get_moments(tacho_wire_reader *reader, tacho_device_result *result)
{
    const int64_t *moments = get_raw(reader, MOMENTS, false, sizeof(*moments));
    const int64_t *turn = get_raw(reader, TURN_MOMENTS, true, sizeof(*turn));
    if (moments != NULL) {
        result->start_ns = moments[0];
        result->end_ns = moments[1];
        result->cycles = moments[2];
        result->wall_ns = moments[3];
        reader->is_bad |= !are_times(moments, 2) || !are_times(moments + 3, 1);
        reader->is_bad |= result->cycles != -1 && !are_times(&result->cycles, 1);
        reader->is_bad |= result->end_ns < result->start_ns;
    }
    if (turn != NULL) {
        result->host = (tacho_host_turn){true, turn[0], turn[1], turn[2]};
        reader->is_bad |= !are_times(turn, TURN_MOMENTS);
    }
}

static void get_block_times(tacho_wire_reader *reader, const tacho_program *program,
                            tacho_device_result *result)
{
    result->blocks = get_raw(reader, program->block_count, true, sizeof(*result->blocks));
    result->block_count = result->blocks != NULL ? program->block_count : 0;
    for (size_t i = 0; i < result->block_count; i++) {
        const int64_t times[] = {result->blocks[i].start_ns, result->blocks[i].end_ns};
        reader->is_bad |= !are_times(times, 2);
    }
}

static void get_op_times(tacho_wire_reader *reader, const tacho_program *program,
                         tacho_device_result *result)
{
    size_t count = program->op_count + 1;
    result->host_op_ns = get_raw(reader, count, true, sizeof(int64_t));
    reader->is_bad |= result->host_op_ns != NULL && !are_times(result->host_op_ns, count);
}

/* The longest time in |result|; sums over results add no more than this for each. */
static int64_t longest_ns(const tacho_device_result *result)
{
    int64_t end_ns = tacho_most(result->end_ns, result->host.fetched_ns);
    uint64_t cost_ns = 0;
    for (size_t i = 0; i < result->block_count; i++) {
        end_ns = tacho_most(end_ns, result->blocks[i].end_ns);
    }
    for (size_t i = 0; i < result->stats_count; i++) {
        cost_ns = tacho_size_add(cost_ns, result->stats[i].record_cost_ns);
    }
    int64_t longest = tacho_most(end_ns - result->start_ns, result->wall_ns);
    longest = tacho_most(longest, result->host.wait_ns);
    return tacho_most(longest, (int64_t)tacho_least(cost_ns, INT64_MAX));
}

/* One result may be long, but not all of them. */
static tacho_status add_total(tacho_wire_result *self)
{
    self->total_ns = tacho_cycles_add(self->total_ns, longest_ns(&self->result));
    return self->total_ns <= TACHO_WIRE_NS_MAX
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA,
                            "the times of the runtime cannot be true: they add up to more than 73 "
                            "years");
}

tacho_status tacho_wire_get_result(tacho_str payload, const tacho_wire_asked *asked,
                                   tacho_wire_result *out_result)
{
    const tacho_program *program = asked->layout->program;
    tacho_wire_reader reader = {.bytes = payload};
    tacho_device_result *result = &out_result->result;
    drop_files(out_result);
    tacho_arena_reset(&out_result->arena);
    *result = (tacho_device_result){.cycles = -1};
    get_moments(&reader, result);
    get_block_times(&reader, program, result);
    get_op_times(&reader, program, result);
    TACHO_TRY(get_stats(&reader, asked, out_result));
    TACHO_TRY(tacho_wire_end(&reader, TACHO_WIRE_RESULT));
    return add_total(out_result);
}
