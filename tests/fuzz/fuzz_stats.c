/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of stats files, and what ties them to a program. No mutation gets past the
 * checksums of a file, so an input that is none is cut into arrays of records, which are bound.
 *
 * Laws: bytes that are damaged or unknown are fewer than the file has; what is left after binding
 * names engines, cores, threads and ops of the program, and its times do not go back.
 */
#include "base/grow.h"
#include "base/index.h"
#include "program/program_testing.h"
#include "program/stats_stream.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_op(const tacho_stats_layout *layout, const tacho_stats_op *op, uint32_t engine)
{
    const tacho_program_engine *of = &layout->program->engines[engine];
    if (op->oc == TACHO_NONE) {
        return;
    }
    require(tacho_stats_layout_task(layout, of->device, of->core, op->oc) != NULL);
    require(op->sync_start_u <= op->op_start_u && op->op_start_u <= op->op_end_u);
    require(op->op_end_u <= op->barrier_end_u && op->op_start_p <= op->op_end_p);
}

static void check_array(const tacho_stats_layout *layout, const tacho_stats_array *array)
{
    const tacho_program *program = layout->program;
    require((uintptr_t)array->records % 8 == 0);
    for (uint32_t i = 0; i < array->count; i++) {
        if (array->type == TACHO_STATS_TYPE_op) {
            require(array->stream < program->engine_count);
            check_op(layout, (const tacho_stats_op *)array->records + i, array->stream);
        } else if (array->type == TACHO_STATS_TYPE_thread) {
            const tacho_stats_thread *thread = (const tacho_stats_thread *)array->records + i;
            require(thread->core < program->facts.core_count);
            require(thread->thread < program->facts.thread_count);
            require(thread->start_u <= thread->end_u && thread->start_p <= thread->end_p);
        } else if (array->type == TACHO_STATS_TYPE_pmu) {
            const tacho_stats_pmu *pmu = (const tacho_stats_pmu *)array->records + i;
            require(pmu->event_count <= TACHO_PMU_EVENTS_MAX);
        } else if (array->type == TACHO_STATS_TYPE_stall) {
            require(((const tacho_stats_stall *)array->records + i)->op < program->op_count);
        }
    }
}

static void bind(tacho_stats_file *file, const tacho_stats_layout *layout)
{
    tacho_status status = tacho_stats_bind(file, layout);
    bool by_op = (file->head.features & TACHO_STATS_BY_OP) != 0;
    for (size_t i = 0; status == TACHO_OK && i < file->array_count && !by_op; i++) {
        check_array(layout, &file->arrays[i]);
    }
    tacho_status_free(status);
}

/* Each array begins with type, stream and number of records. */
static void fuzz_arrays(const tacho_stats_layout *layout, const uint8_t *data, size_t size)
{
    tacho_stats_file file = {.head = {.layout_id = layout->id, .core_count = 2, .thread_count = 4}};
    tacho_arena_init(&file.arena);
    while (size >= 3) {
        tacho_stats_type type = (tacho_stats_type)(data[0] % TACHO_STATS_TYPE_COUNT);
        tacho_stats_array array = {type, data[1], data[2] % 8, NULL};
        size_t bytes = array.count * tacho_stats_record_bytes(type);
        data += 3;
        size -= 3;
        if (bytes > size || type == TACHO_STATS_TYPE_head || type == TACHO_STATS_TYPE_end) {
            continue;
        }
        void *copy;
        require(tacho_arena_alloc(&file.arena, bytes + 1, &copy) == TACHO_OK);
        memcpy(copy, data, bytes);
        array.records = copy;
        data += bytes;
        size -= bytes;
        require(tacho_grow(&file.arrays, &file.array_capacity, file.array_count + 1) == TACHO_OK);
        file.arrays[file.array_count++] = array;
    }
    bind(&file, layout);
    tacho_stats_file_deinit(&file);
}

static void fuzz_file(const tacho_stats_layout *layout, tacho_str bytes)
{
    tacho_stats_file file;
    tacho_status status = tacho_stats_read(&file, bytes);
    require(file.damage.damaged_bytes <= bytes.len);
    if (status == TACHO_OK) {
        bind(&file, layout);
    }
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_program program;
    tacho_stats_layout layout;
    require(tacho_program_init(&program) == TACHO_OK);
    require(make_test_program(&program) == TACHO_OK);
    require(tacho_stats_layout_init(&layout, &program) == TACHO_OK);
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (tacho_stats_is_file(bytes)) {
        fuzz_file(&layout, bytes);
    } else {
        fuzz_arrays(&layout, data, size);
    }
    tacho_stats_layout_deinit(&layout);
    tacho_program_deinit(&program);
    return 0;
}
