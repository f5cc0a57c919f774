/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of each record, in the order in which files hold them.
 */
#include "program/schema.h"

#include "base/grow.h"
#include "program/bytes.h"

#include <assert.h>

#define WIDTH_OF(type, field) sizeof(((type *)0)->field)
#define FIELD(type, field, number, meaning, limit, none)                                           \
    {                                                                                              \
#field, offsetof(type, field), WIDTH_OF(type, field) / (number), number, meaning, limit,   \
            none                                                                                   \
    }
#define NUMBER(type, field) FIELD(type, field, 1, TACHO_FIELD_NUMBER, 0, false)
#define NUMBERS(type, field, number) FIELD(type, field, number, TACHO_FIELD_NUMBER, 0, false)
#define STRING(type, field) FIELD(type, field, 1, TACHO_FIELD_STRING, 0, false)
#define STRINGS(type, field, number) FIELD(type, field, number, TACHO_FIELD_STRING, 0, false)
#define ENUM(type, field, limit) FIELD(type, field, 1, TACHO_FIELD_ENUM, limit, false)
#define ID(type, field, table) FIELD(type, field, 1, TACHO_FIELD_ID + TACHO_TABLE_##table, 0, false)
#define ID_OR_NONE(type, field, table)                                                             \
    FIELD(type, field, 1, TACHO_FIELD_ID + TACHO_TABLE_##table, 0, true)

static const tacho_field tensor_fields[] = {
    STRING(tacho_program_tensor, name),
    ENUM(tacho_program_tensor, dtype, TACHO_DTYPE_COUNT),
    ENUM(tacho_program_tensor, storage, TACHO_STORAGE_COUNT),
    NUMBER(tacho_program_tensor, offset),
    NUMBER(tacho_program_tensor, bytes),
    ID(tacho_program_tensor, shape, shape),
    ENUM(tacho_program_tensor, kept, TACHO_DTYPE_COUNT),
    ENUM(tacho_program_tensor, is_local, 2),
};
static_assert(sizeof(tacho_program_tensor) == 32, "tensor_fields list every field");

static const tacho_field shape_fields[] = {
    NUMBER(tacho_shape, rank),
    NUMBERS(tacho_shape, dims, TACHO_RANK_MAX),
};
static_assert(sizeof(tacho_shape) == 72, "shape_fields list every field");

static const tacho_field step_fields[] = {
    ID(tacho_step, op, op),
    STRING(tacho_step, type),
    NUMBER(tacho_step, opset),
    NUMBER(tacho_step, first_link),
    NUMBER(tacho_step, input_count),
    NUMBER(tacho_step, output_count),
    NUMBER(tacho_step, first_attr),
    NUMBER(tacho_step, attr_count),
    ENUM(tacho_step, when, TACHO_WHEN_COUNT),
};
static_assert(sizeof(tacho_step) == 32, "step_fields list every field");

static const tacho_field op_fields[] = {
    STRING(tacho_program_op, name),
    STRING(tacho_program_op, type),
    STRING(tacho_program_op, location),
    STRING(tacho_program_op, kind),
    NUMBER(tacho_program_op, first_step),
    NUMBER(tacho_program_op, step_count),
    NUMBER(tacho_program_op, first_job),
    NUMBER(tacho_program_op, job_count),
    ID_OR_NONE(tacho_program_op, dispatch, dispatch),
    NUMBER(tacho_program_op, macs),
    NUMBER(tacho_program_op, input_bytes),
    NUMBER(tacho_program_op, weight_bytes),
    NUMBER(tacho_program_op, output_bytes),
    NUMBER(tacho_program_op, cycles),
};
static_assert(sizeof(tacho_program_op) == 80, "op_fields list every field");

static const tacho_field engine_fields[] = {
    STRING(tacho_program_engine, name),          STRING(tacho_program_engine, class_name),
    NUMBER(tacho_program_engine, device),        NUMBER(tacho_program_engine, core),
    NUMBER(tacho_program_engine, index),         NUMBER(tacho_program_engine, thread),
    ENUM(tacho_program_engine, is_sequenced, 2), NUMBER(tacho_program_engine, issue_cycles),
};
static_assert(sizeof(tacho_program_engine) == 24, "engine_fields list every field");

static const tacho_field job_fields[] = {
    ID_OR_NONE(tacho_job, op, op),
    ID(tacho_job, engine, engine),
    ENUM(tacho_job, kind, TACHO_JOB_KIND_COUNT),
    NUMBER(tacho_job, readers),
    NUMBER(tacho_job, tile),
    ID_OR_NONE(tacho_job, block, block),
    NUMBER(tacho_job, first_need),
    NUMBER(tacho_job, need_count),
    ID_OR_NONE(tacho_job, buffer, buffer),
    NUMBER(tacho_job, partner),
    NUMBER(tacho_job, cycles),
    NUMBER(tacho_job, start),
    NUMBER(tacho_job, end),
    NUMBER(tacho_job, bytes),
    NUMBER(tacho_job, macs),
    NUMBER(tacho_job, first_region),
    NUMBER(tacho_job, region_count),
};
static_assert(sizeof(tacho_job) == 88, "job_fields list every field");

static const tacho_field need_fields[] = {
    ID(tacho_need, job, job),
    ENUM(tacho_need, is_false, 2),
    NUMBER(tacho_need, lag),
};
static_assert(sizeof(tacho_need) == 16, "need_fields list every field");

static const tacho_field buffer_fields[] = {
    STRING(tacho_buffer, memory),
    NUMBER(tacho_buffer, device),
    NUMBER(tacho_buffer, core),
    NUMBER(tacho_buffer, offset),
    NUMBER(tacho_buffer, bytes),
    ID_OR_NONE(tacho_buffer, first_job, job),
    ID_OR_NONE(tacho_buffer, last_job, job),
    ENUM(tacho_buffer, role, TACHO_BUFFER_ROLE_COUNT),
    ID_OR_NONE(tacho_buffer, tensor, tensor),
    NUMBER(tacho_buffer, first_extent),
    NUMBER(tacho_buffer, extent_count),
};
static_assert(sizeof(tacho_buffer) == 48, "buffer_fields list every field");

static const tacho_field region_fields[] = {
    ID_OR_NONE(tacho_region, tensor, tensor),
    ID_OR_NONE(tacho_region, buffer, buffer),
    ENUM(tacho_region, access, TACHO_ACCESS_KIND_COUNT),
    NUMBER(tacho_region, extent_count),
    NUMBER(tacho_region, first_extent),
    NUMBER(tacho_region, bytes),
};
static_assert(sizeof(tacho_region) == 24, "region_fields list every field");

static const tacho_field extent_fields[] = {
    NUMBER(tacho_extent, offset),
    NUMBER(tacho_extent, size),
    NUMBER(tacho_extent, of),
};
static_assert(sizeof(tacho_extent) == 24, "extent_fields list every field");

static const tacho_field block_fields[] = {
    STRING(tacho_block, name),         ID_OR_NONE(tacho_block, dispatch, dispatch),
    NUMBER(tacho_block, first_job),    NUMBER(tacho_block, job_count),
    NUMBER(tacho_block, start_action), NUMBER(tacho_block, wait_action),
};
static_assert(sizeof(tacho_block) == 24, "block_fields list every field");

static const tacho_field dispatch_fields[] = {
    STRING(tacho_dispatch_info, name),
    NUMBER(tacho_dispatch_info, first_op),
    NUMBER(tacho_dispatch_info, op_count),
};
static_assert(sizeof(tacho_dispatch_info) == 12, "dispatch_fields list every field");

/* A link may be absent: an operand that the model leaves out. */
static const tacho_field link_fields[] = {
    {"tensor", 0, 4, 1, TACHO_FIELD_ID + TACHO_TABLE_tensor, 0, true}};
static const tacho_field input_fields[] = {
    {"tensor", 0, 4, 1, TACHO_FIELD_ID + TACHO_TABLE_tensor, 0, false}};
static const tacho_field output_fields[] = {
    {"tensor", 0, 4, 1, TACHO_FIELD_ID + TACHO_TABLE_tensor, 0, false}};

static const tacho_field facts_fields[] = {
    STRING(tacho_program_facts, name),
    STRING(tacho_program_facts, machine),
    STRING(tacho_program_facts, machine_text),
    STRING(tacho_program_facts, model_path),
    NUMBER(tacho_program_facts, device_count),
    NUMBER(tacho_program_facts, core_count),
    NUMBER(tacho_program_facts, thread_count),
    NUMBER(tacho_program_facts, batch_size),
    STRING(tacho_program_facts, hardware),
    NUMBER(tacho_program_facts, grid_width),
    NUMBER(tacho_program_facts, total_cycles),
    NUMBER(tacho_program_facts, core_clock_hz),
    NUMBER(tacho_program_facts, timer_hz),
    NUMBER(tacho_program_facts, local_bytes),
    NUMBER(tacho_program_facts, local_peak_bytes),
    NUMBER(tacho_program_facts, ddr_bytes),
    NUMBER(tacho_program_facts, constant_bytes),
    NUMBER(tacho_program_facts, moved_bytes),
    NUMBER(tacho_program_facts, random_weight_count),
    NUMBER(tacho_program_facts, zero_weight_count),
    NUMBER(tacho_program_facts, fidelity),
    STRINGS(tacho_program_facts, job_names, TACHO_JOB_NAME_COUNT),
    NUMBER(tacho_program_facts, stats.level),
    NUMBER(tacho_program_facts, stats.batch_size),
    ENUM(tacho_program_facts, stats.counts_ddr, 2),
    NUMBER(tacho_program_facts, stats.pmu_event_count),
    NUMBERS(tacho_program_facts, stats.pmu_events, TACHO_PMU_EVENTS_MAX),
    NUMBERS(tacho_program_facts, stats.pmu_counts, TACHO_PMU_EVENTS_MAX),
    STRINGS(tacho_program_facts, stats.pmu_names, TACHO_PMU_EVENTS_MAX),
    STRING(tacho_program_facts, stats.pmu_recipe),
    NUMBER(tacho_program_facts, stats.buffer_bytes),
};
static_assert(sizeof(tacho_program_facts) == 248, "facts_fields list every field");

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_schema schemas[] = {
#define SCHEMA(name, names, type) {#names, name##_fields, COUNT_OF(name##_fields), sizeof(type)},
    TACHO_PROGRAM_TABLES(SCHEMA)
#undef SCHEMA
};

static const tacho_schema facts_schema = {"facts", facts_fields, COUNT_OF(facts_fields),
                                          sizeof(tacho_program_facts)};

const tacho_schema *tacho_program_schema(tacho_program_table table)
{
    return &schemas[table];
}

const tacho_schema *tacho_program_facts_schema(void)
{
    return &facts_schema;
}

size_t tacho_schema_file_bytes(const tacho_schema *schema)
{
    size_t bytes = 0;
    for (size_t i = 0; i < schema->field_count; i++) {
        bytes += (size_t)schema->fields[i].width * schema->fields[i].count;
    }
    return bytes;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    hash = tacho_bytes_hash(hash, strlen(text));
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t hash_schema(uint64_t hash, const tacho_schema *schema)
{
    hash = tacho_bytes_hash(hash_text(hash, schema->name), schema->field_count);
    for (size_t i = 0; i < schema->field_count; i++) {
        const tacho_field *field = &schema->fields[i];
        hash = hash_text(hash, field->name);
        hash = tacho_bytes_hash(hash, (uint64_t)field->width << 32 | (uint64_t)field->count);
        hash = tacho_bytes_hash(hash, (uint64_t)field->meaning << 32 | (uint64_t)field->limit);
    }
    return hash;
}

uint64_t tacho_program_layout_id(void)
{
    uint64_t hash = hash_schema(TACHO_BYTES_HASH, &facts_schema);
    for (size_t i = 0; i < COUNT_OF(schemas); i++) {
        hash = hash_schema(hash, &schemas[i]);
    }
    return hash;
}

tacho_program_rows tacho_program_rows_of(const tacho_program *program, tacho_program_table table)
{
    switch (table) {
#define ROWS(name, names, type)                                                                    \
    case TACHO_TABLE_##name:                                                                       \
        return (tacho_program_rows){(void *)program->names, program->name##_count};
        TACHO_PROGRAM_TABLES(ROWS)
#undef ROWS
    case TACHO_TABLE_COUNT:
        break;
    }
    return (tacho_program_rows){0};
}

tacho_status tacho_program_resize(tacho_program *program, tacho_program_table table, size_t count)
{
    switch (table) {
#define RESIZE(name, names, type)                                                                  \
    case TACHO_TABLE_##name:                                                                       \
        TACHO_TRY(tacho_grow(&program->names, &program->name##_capacity, count));                  \
        program->name##_count = count;                                                             \
        break;
        TACHO_PROGRAM_TABLES(RESIZE)
#undef RESIZE
    case TACHO_TABLE_COUNT:
        break;
    }
    return TACHO_OK;
}

uint64_t tacho_field_get(const tacho_field *field, const unsigned char *record, size_t index)
{
    const unsigned char *at = record + field->offset + index * field->width;
    uint16_t two = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    switch (field->width) {
    case 2:
        memcpy(&two, at, sizeof(two));
        return two;
    case 4:
        memcpy(&four, at, sizeof(four));
        return four;
    default:
        memcpy(&eight, at, sizeof(eight));
        return eight;
    }
}

void tacho_field_set(const tacho_field *field, unsigned char *record, size_t index, uint64_t value)
{
    unsigned char *at = record + field->offset + index * field->width;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    switch (field->width) {
    case 2:
        memcpy(at, &two, sizeof(two));
        break;
    case 4:
        memcpy(at, &four, sizeof(four));
        break;
    default:
        memcpy(at, &value, sizeof(value));
        break;
    }
}
