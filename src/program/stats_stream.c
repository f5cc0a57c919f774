/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stats files: sealing and reading.
 */
#include "program/stats_stream.h"

#include <stdlib.h>

#include "base/grow.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they lie");

typedef struct type_row {
    uint32_t fourcc;
    uint32_t record_bytes;
} type_row;

static const type_row types[] = {
#define TYPE_ROW(a, b, c, d, name, level) {TACHO_FOURCC(a, b, c, d), sizeof(tacho_stats_##name)},
    TACHO_STATS_TYPES(TYPE_ROW)
#undef TYPE_ROW
};

size_t tacho_stats_record_bytes(tacho_stats_type type)
{
    return types[type].record_bytes;
}

static tacho_stats_type find_type(uint32_t fourcc)
{
    uint32_t type = 0;
    while (type < TACHO_STATS_TYPE_COUNT && types[type].fourcc != fourcc) {
        type++;
    }
    return (tacho_stats_type)type;
}

/* ---- shared by devices -------------------------------------------------------------------- */

tacho_stats_head tacho_stats_head_of(const tacho_stats_layout *layout, uint32_t device,
                                     uint32_t features)
{
    const tacho_program_facts *facts = &layout->program->facts;
    return (tacho_stats_head){
        .layout_id = layout->id,
        .device = device,
        .device_count = facts->device_count,
        .timer_hz = facts->timer_hz > 0 ? facts->timer_hz : 1,
        .core_hz = facts->core_clock_hz > 0 ? facts->core_clock_hz : 1,
        .level = (uint16_t)facts->stats.level,
        .features = (uint16_t)features,
        .core_count = (uint16_t)facts->core_count,
        .thread_count = (uint16_t)facts->thread_count,
        .batch_size = facts->stats.batch_size,
    };
}

uint32_t tacho_stats_account(const tacho_stats_array *arrays, size_t array_count,
                             tacho_stats_drop out_drops[TACHO_STATS_TYPE_COUNT])
{
    uint64_t counts[TACHO_STATS_TYPE_COUNT] = {0};
    uint32_t drop_count = 0;
    for (size_t i = 0; i < array_count; i++) {
        counts[arrays[i].type] += arrays[i].count;
    }
    for (size_t i = 0; i < TACHO_STATS_TYPE_COUNT; i++) {
        if (counts[i] > 0) {
            out_drops[drop_count++] = (tacho_stats_drop){
                .type = types[i].fourcc, .emitted = counts[i], .stored = counts[i]};
        }
    }
    return drop_count;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* Records of one chunk: its payload stays small enough to lose little when it is damaged. */
enum { CHUNK_RECORDS_MAX = 4096 };

static void seal_records(tacho_chunk_writer *writer, tacho_stats_type type, uint32_t stream,
                         const void *records, uint32_t count)
{
    uint32_t size = types[type].record_bytes;
    for (uint32_t i = 0; i < count; i += CHUNK_RECORDS_MAX) {
        uint32_t some = count - i < CHUNK_RECORDS_MAX ? count - i : CHUNK_RECORDS_MAX;
        tacho_chunk chunk = {
            .type = types[type].fourcc,
            .version = 1,
            .stream = stream,
            .record_size = size,
            .record_count = some,
            .payload =
                tacho_str_make((const char *)records + (size_t)i * size, (size_t)some * size),
        };
        tacho_chunk_write(writer, &chunk);
    }
}

void tacho_stats_seal(const tacho_stats_buffer *buffer, tacho_output *output)
{
    tacho_chunk_writer writer;
    tacho_chunk_begin(&writer, output, TACHO_STATS_KIND);
    seal_records(&writer, TACHO_STATS_TYPE_head, 0, &buffer->head, 1);
    for (size_t i = 0; i < buffer->array_count; i++) {
        const tacho_stats_array *array = &buffer->arrays[i];
        seal_records(&writer, array->type, array->stream, array->records, array->count);
    }
    tacho_stats_end end = {.chunk_count = writer.next_sequence,
                           .record_cost_ns = buffer->record_cost_ns};
    seal_records(&writer, TACHO_STATS_TYPE_end, 0, &end, 1);
}

/* ---- reading ------------------------------------------------------------------------------- */

bool tacho_stats_is_file(tacho_str head)
{
    return tacho_chunk_is_file(head, TACHO_STATS_KIND);
}

/* The records in place, or copied where they are longer than known or not aligned. */
static tacho_status records_of(tacho_stats_file *self, const tacho_chunk *chunk, size_t known,
                               const void **out_records)
{
    *out_records = chunk->payload.data;
    if (chunk->record_size == known && (uintptr_t)chunk->payload.data % 8 == 0) {
        return TACHO_OK;
    }
    void *copy;
    TACHO_TRY(tacho_arena_alloc(&self->arena, (size_t)chunk->record_count * known + 1, &copy));
    for (size_t i = 0; i < chunk->record_count; i++) {
        memcpy((char *)copy + i * known, chunk->payload.data + i * chunk->record_size, known);
    }
    *out_records = copy;
    return TACHO_OK;
}

static tacho_status take_chunk(tacho_stats_file *self, const tacho_chunk *chunk, bool *has_head)
{
    tacho_stats_type type = find_type(chunk->type);
    if (type == TACHO_STATS_TYPE_COUNT || chunk->record_size < types[type].record_bytes ||
        (type == TACHO_STATS_TYPE_head && *has_head)) {
        self->damage.unknown_chunks++;
        return TACHO_OK;
    }
    if (chunk->record_count == 0) {
        return TACHO_OK;
    }
    const void *records;
    TACHO_TRY(records_of(self, chunk, types[type].record_bytes, &records));
    if (type == TACHO_STATS_TYPE_head) {
        memcpy(&self->head, records, sizeof(self->head));
        *has_head = true;
        return TACHO_OK;
    }
    if (type == TACHO_STATS_TYPE_end) {
        memcpy(&self->end, records, sizeof(self->end));
        self->damage.is_cut = false;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->arrays, &self->array_capacity, self->array_count + 1));
    self->arrays[self->array_count++] =
        (tacho_stats_array){type, chunk->stream, chunk->record_count, records};
    return TACHO_OK;
}

tacho_status tacho_stats_read(tacho_stats_file *file, tacho_str bytes)
{
    *file = (tacho_stats_file){.damage = {.is_cut = true}};
    tacho_arena_init(&file->arena);
    if (!tacho_stats_is_file(bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "byte 0: not a stats buffer that tacho has written; the layout of the "
                          "vendor's own buffers is not public and cannot be read");
    }
    tacho_chunk_reader reader;
    TACHO_TRY(tacho_chunk_open(&reader, bytes, TACHO_STATS_KIND));
    bool has_head = false;
    for (tacho_chunk chunk; tacho_chunk_next(&reader, &chunk);) {
        TACHO_TRY(take_chunk(file, &chunk, &has_head));
    }
    file->damage.damaged_bytes = reader.damaged_bytes;
    file->damage.first_damage = reader.first_damage;
    file->damage.missing_chunks = reader.missing_count;
    if (!has_head) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "byte %d: the first chunk, which says what was run, is damaged",
                          TACHO_CHUNK_FILE_BYTES);
    }
    if (file->head.timer_hz == 0 || file->head.core_hz == 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "the first chunk has a clock of 0 Hz");
    }
    return TACHO_OK;
}

void tacho_stats_file_deinit(tacho_stats_file *file)
{
    free(file->arrays);
    tacho_arena_deinit(&file->arena);
}

/* ---- against the program ------------------------------------------------------------------- */

static bool is_op_possible(const tacho_stats_op *op, uint64_t oc_count)
{
    return op->oc < oc_count && op->sync_start_u <= op->op_start_u &&
           op->op_start_u <= op->op_end_u && op->op_end_u <= op->barrier_end_u &&
           op->barrier_end_u <= INT64_MAX && op->async_done_u <= INT64_MAX &&
           op->op_start_p <= op->op_end_p && op->op_end_p <= INT64_MAX &&
           ((op->flags & TACHO_STATS_OP_ASYNC) == 0 || op->async_done_u >= op->op_start_u);
}

static tacho_status check_ops(tacho_stats_file *self, uint64_t oc_count, tacho_stats_array *array)
{
    const tacho_stats_op *ops = array->records;
    tacho_stats_op *copy = NULL;
    for (uint32_t i = 0; i < array->count; i++) {
        if (is_op_possible(&ops[i], oc_count)) {
            continue;
        }
        if (copy == NULL) {
            void *memory;
            TACHO_TRY(tacho_arena_alloc(&self->arena, array->count * sizeof(*copy), &memory));
            copy = memory;
            memcpy(copy, ops, array->count * sizeof(*copy));
            array->records = copy;
        }
        copy[i].oc = TACHO_NONE;
        self->damage.bad_records++;
    }
    return TACHO_OK;
}

/* How the records of a type refer to their place. */
typedef enum place_kind {
    PLACE_NONE,
    PLACE_ENGINE, /* by their stream */
    PLACE_CORE,   /* they begin with it */
    PLACE_THREAD, /* they begin with core and thread */
    PLACE_OP,     /* they begin with it */
} place_kind;

static const place_kind places[TACHO_STATS_TYPE_COUNT] = {
    [TACHO_STATS_TYPE_thread] = PLACE_THREAD, [TACHO_STATS_TYPE_pmu] = PLACE_THREAD,
    [TACHO_STATS_TYPE_port] = PLACE_THREAD,   [TACHO_STATS_TYPE_ddr] = PLACE_CORE,
    [TACHO_STATS_TYPE_doorbell] = PLACE_CORE, [TACHO_STATS_TYPE_op] = PLACE_ENGINE,
    [TACHO_STATS_TYPE_op_pmu] = PLACE_ENGINE, [TACHO_STATS_TYPE_stall] = PLACE_OP,
    [TACHO_STATS_TYPE_core_pmu] = PLACE_CORE,
};

static bool is_span(uint64_t start, uint64_t end)
{
    return start <= end && end <= INT64_MAX;
}

/* Whether a record has only possible values, its place aside. */
static bool is_possible(tacho_stats_type type, const void *record)
{
    if (type == TACHO_STATS_TYPE_thread) {
        const tacho_stats_thread *thread = record;
        return is_span(thread->start_u, thread->flush_start_u) &&
               is_span(thread->flush_start_u, thread->end_u) &&
               is_span(thread->start_p, thread->end_p) &&
               is_span(thread->activate_start_u, thread->activate_end_u) &&
               is_span(thread->activate_start_p, thread->activate_end_p);
    }
    if (type == TACHO_STATS_TYPE_pmu) {
        const tacho_stats_pmu *pmu = record;
        return pmu->event_count <= TACHO_PMU_EVENTS_MAX;
    }
    if (type == TACHO_STATS_TYPE_core_pmu) {
        const tacho_stats_core_pmu *pmu = record;
        return pmu->event_count <= TACHO_PMU_EVENTS_MAX;
    }
    if (type == TACHO_STATS_TYPE_stall) {
        const tacho_stats_stall *stall = record;
        return stall->start_p >= 0 && stall->start_p <= stall->end_p;
    }
    return true;
}

/* Whether all cores, threads and ops that records of an array name exist. */
static bool is_placed(const tacho_stats_file *file, const tacho_program *program,
                      const tacho_stats_array *array)
{
    place_kind kind = places[array->type];
    if (kind == PLACE_ENGINE) {
        return array->stream < program->engine_count &&
               program->engines[array->stream].device == file->head.device;
    }
    bool is_good = true;
    for (uint32_t i = 0; kind != PLACE_NONE && i < array->count; i++) {
        const char *record = (const char *)array->records + i * types[array->type].record_bytes;
        uint16_t place[2];
        uint32_t op;
        memcpy(place, record, sizeof(place));
        memcpy(&op, record, sizeof(op));
        is_good &= is_possible(array->type, record);
        is_good &= kind == PLACE_OP
                       ? op < program->op_count
                       : place[0] < file->head.core_count &&
                             (kind == PLACE_CORE || place[1] < file->head.thread_count);
    }
    return is_good;
}

static uint64_t oc_count_of(const tacho_stats_file *file, const tacho_stats_layout *layout,
                            uint32_t engine)
{
    const tacho_program *program = layout->program;
    if (file->head.features & TACHO_STATS_BY_OP) {
        return program->op_count;
    }
    const tacho_program_engine *e = &program->engines[engine];
    size_t core = (size_t)e->device * program->facts.core_count + e->core;
    return layout->core_first_task[core + 1] - layout->core_first_task[core];
}

tacho_status tacho_stats_bind(tacho_stats_file *file, const tacho_stats_layout *layout)
{
    const tacho_program_facts *facts = &layout->program->facts;
    if (file->head.layout_id != layout->id || file->head.device >= facts->device_count ||
        file->head.core_count != facts->core_count ||
        file->head.thread_count != facts->thread_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "recorded by another program (layout %016llx) than this one (%016llx)",
                          (unsigned long long)file->head.layout_id, (unsigned long long)layout->id);
    }
    size_t kept = 0;
    for (size_t i = 0; i < file->array_count; i++) {
        tacho_stats_array array = file->arrays[i];
        if (!is_placed(file, layout->program, &array)) {
            file->damage.bad_records += array.count;
            continue;
        }
        if (array.type == TACHO_STATS_TYPE_op) {
            TACHO_TRY(check_ops(file, oc_count_of(file, layout, array.stream), &array));
        }
        file->arrays[kept++] = array;
    }
    file->array_count = kept;
    return TACHO_OK;
}
