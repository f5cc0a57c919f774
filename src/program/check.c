/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of a program: single numbers by the lists of fields, relations between several by hand.
 */
#include "program/check.h"

#include "program/schema.h"

#include <inttypes.h>

static tacho_status fail_at(const char *table, size_t record, const char *field, uint64_t limit,
                            uint64_t found)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "program, %s[%zu].%s: expected less than %" PRIu64 ", found %" PRIu64, table,
                      record, field, limit, found);
}

/* One past the largest value that |field| may have; 0: any. */
static uint64_t limit_of(const tacho_program *program, const tacho_field *field)
{
    switch (field->meaning) {
    case TACHO_FIELD_NUMBER:
        return 0;
    case TACHO_FIELD_STRING:
        return program->strings.item_count;
    case TACHO_FIELD_ENUM:
        return field->limit;
    default:
        return tacho_program_rows_of(program,
                                     (tacho_program_table)(field->meaning - TACHO_FIELD_ID))
            .count;
    }
}

static tacho_status check_field(const tacho_program *program, const tacho_schema *schema,
                                const tacho_field *field, tacho_program_rows rows)
{
    if (field->meaning == TACHO_FIELD_NUMBER) {
        return TACHO_OK;
    }
    uint64_t limit = limit_of(program, field);
    for (size_t row = 0; row < rows.count; row++) {
        for (size_t i = 0; i < field->count; i++) {
            uint64_t value = tacho_field_get(field, rows.items + row * schema->memory_bytes, i);
            if (value >= limit && !(field->may_be_none && value == TACHO_NONE)) {
                return fail_at(schema->name, row, field->name, limit, value);
            }
        }
    }
    return TACHO_OK;
}

static tacho_status check_fields(const tacho_program *program, const tacho_schema *schema,
                                 tacho_program_rows rows)
{
    if (rows.count >= TACHO_NONE) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "program, %s: expected fewer than 2^32 - 1 records, found %zu",
                          schema->name, rows.count);
    }
    for (size_t i = 0; i < schema->field_count; i++) {
        TACHO_TRY(check_field(program, schema, &schema->fields[i], rows));
    }
    return TACHO_OK;
}

/* [first, first + count) of a table of |limit| records; the sum over owners goes to |total|. */
typedef struct run_check {
    const char *table;
    const char *field;
    uint64_t limit;
    uint64_t total;
} run_check;

static tacho_status check_run(run_check *check, size_t record, uint64_t first, uint64_t count)
{
    if (first + count > check->limit) { /* both below 2^33 */
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, %s[%zu].%s: expected a run within %" PRIu64
                          " records, found %" PRIu64 " records from %" PRIu64,
                          check->table, record, check->field, check->limit, count, first);
    }
    check->total += count;
    return TACHO_OK;
}

/* Were runs shared, a small file could ask for much work. */
static tacho_status check_unshared(const run_check *check)
{
    if (check->total > check->limit) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, %s: expected %s to have one owner each, found %" PRIu64
                          " owned of %" PRIu64,
                          check->table, check->field, check->total, check->limit);
    }
    return TACHO_OK;
}

static tacho_status check_steps(const tacho_program *program)
{
    run_check links = {"steps", "links", program->link_count, 0};
    run_check attrs = {"steps", "attrs", program->attr_count, 0};
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        bool has_condition = step->when != TACHO_WHEN_ALWAYS;
        uint64_t count = (uint64_t)step->input_count + step->output_count + has_condition;
        TACHO_TRY(check_run(&links, i, step->first_link, count));
        TACHO_TRY(check_run(&attrs, i, step->first_attr, step->attr_count));
    }
    TACHO_TRY(check_unshared(&links));
    return check_unshared(&attrs);
}

static tacho_status check_ops(const tacho_program *program)
{
    run_check steps = {"ops", "steps", program->step_count, 0};
    run_check jobs = {"ops", "jobs", program->job_count, 0};
    for (size_t i = 0; i < program->op_count; i++) {
        const tacho_program_op *op = &program->ops[i];
        TACHO_TRY(check_run(&steps, i, op->first_step, op->step_count));
        TACHO_TRY(check_run(&jobs, i, op->first_job, op->job_count));
    }
    return TACHO_OK;
}

static tacho_status check_needs(const tacho_program *program, size_t job_id)
{
    const tacho_job *job = &program->jobs[job_id];
    for (uint32_t i = 0; i < job->need_count; i++) {
        uint32_t needed = program->needs[job->first_need + i].job;
        if (needed >= job_id) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, needs[%" PRIu32 "].job: expected a job before jobs[%zu], "
                              "which waits for it, found %" PRIu32,
                              job->first_need + i, job_id, needed);
        }
    }
    return TACHO_OK;
}

/* Regions of jobs, and boxes of regions and buffers: within the dimensions that they are of. */
static tacho_status check_regions(const tacho_program *program)
{
    run_check regions = {"jobs", "regions", program->region_count, 0};
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        TACHO_TRY(check_run(&regions, i, job->first_region, job->region_count));
    }
    TACHO_TRY(check_unshared(&regions));
    run_check of_regions = {"regions", "extents", program->extent_count, 0};
    for (size_t i = 0; i < program->region_count; i++) {
        const tacho_region *region = &program->regions[i];
        TACHO_TRY(check_run(&of_regions, i, region->first_extent, region->extent_count));
        if (region->extent_count > TACHO_RANK_MAX + 1) {
            return fail_at("regions", i, "extent_count", TACHO_RANK_MAX + 2, region->extent_count);
        }
    }
    run_check of_buffers = {"buffers", "extents", program->extent_count, 0};
    for (size_t i = 0; i < program->buffer_count; i++) {
        const tacho_buffer *buffer = &program->buffers[i];
        TACHO_TRY(check_run(&of_buffers, i, buffer->first_extent, buffer->extent_count));
        if (buffer->extent_count > TACHO_RANK_MAX + 1) {
            return fail_at("buffers", i, "extent_count", TACHO_RANK_MAX + 2, buffer->extent_count);
        }
    }
    for (size_t i = 0; i < program->extent_count; i++) {
        const tacho_extent *extent = &program->extents[i];
        if (extent->size > extent->of || extent->offset > extent->of - extent->size) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, extents[%zu]: expected a part of %" PRIu64
                              " elements, found %" PRIu64 " from %" PRIu64,
                              i, extent->of, extent->size, extent->offset);
        }
    }
    return TACHO_OK;
}

static tacho_status check_jobs(const tacho_program *program)
{
    run_check needs = {"jobs", "needs", program->need_count, 0};
    for (size_t i = 0; i < program->job_count; i++) {
        TACHO_TRY(check_run(&needs, i, program->jobs[i].first_need, program->jobs[i].need_count));
    }
    TACHO_TRY(check_unshared(&needs));
    TACHO_TRY(check_regions(program));
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        TACHO_TRY(check_needs(program, i));
        if (job->start < 0 || job->end < job->start || job->cycles < 0) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, jobs[%zu]: expected 0 <= start <= end and 0 <= cycles, "
                              "found start %" PRId64 ", end %" PRId64 ", cycles %" PRId64,
                              i, job->start, job->end, job->cycles);
        }
    }
    return TACHO_OK;
}

static tacho_status check_blocks(const tacho_program *program)
{
    run_check jobs = {"blocks", "jobs", program->job_count, 0};
    for (size_t i = 0; i < program->block_count; i++) {
        TACHO_TRY(check_run(&jobs, i, program->blocks[i].first_job, program->blocks[i].job_count));
    }
    run_check ops = {"dispatches", "ops", program->op_count, 0};
    for (size_t i = 0; i < program->dispatch_count; i++) {
        const tacho_dispatch_info *dispatch = &program->dispatches[i];
        TACHO_TRY(check_run(&ops, i, dispatch->first_op, dispatch->op_count));
    }
    return TACHO_OK;
}

static tacho_status check_places(const tacho_program *program)
{
    uint32_t devices = program->facts.device_count;
    uint32_t cores = program->facts.core_count;
    for (size_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        if (engine->device >= devices) {
            return fail_at("engines", i, "device", devices, engine->device);
        }
        if (engine->core >= cores) {
            return fail_at("engines", i, "core", cores, engine->core);
        }
    }
    for (size_t i = 0; i < program->job_count; i++) {
        const tacho_job *job = &program->jobs[i];
        if (job->kind == TACHO_JOB_P2P && job->partner >= devices) {
            return fail_at("jobs", i, "partner", devices, job->partner);
        }
    }
    for (size_t i = 0; i < program->buffer_count; i++) {
        const tacho_buffer *buffer = &program->buffers[i];
        if (buffer->device >= devices) {
            return fail_at("buffers", i, "device", devices, buffer->device);
        }
        if (buffer->core >= cores) {
            return fail_at("buffers", i, "core", cores, buffer->core);
        }
    }
    return TACHO_OK;
}

static tacho_status check_shape(const tacho_shape *shape, size_t id)
{
    if (shape->rank < TACHO_RANK_UNKNOWN || shape->rank > TACHO_RANK_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, shapes[%zu].rank: expected -1 to %d, found %" PRId32, id,
                          TACHO_RANK_MAX, shape->rank);
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < TACHO_DIM_UNKNOWN) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "program, shapes[%zu].dims[%" PRId32
                              "]: expected -1 or more, found %" PRId64,
                              id, i, shape->dims[i]);
        }
    }
    return TACHO_OK;
}

/* Bytes that a tensor of known shape takes; false when they cannot be counted. */
static bool count_bytes(const tacho_program *program, const tacho_program_tensor *tensor,
                        uint64_t *out_bytes)
{
    uint64_t elements = 0;
    return tacho_shape_elements(tacho_program_shape(program, tensor), &elements) &&
           tacho_dtype_bytes((tacho_dtype)tensor->dtype, elements, out_bytes);
}

static tacho_status check_constant(const tacho_program *program, size_t id, uint64_t bytes)
{
    const tacho_program_tensor *tensor = &program->tensors[id];
    uint64_t end = 0;
    if (__builtin_add_overflow(tensor->offset, bytes, &end) || end > program->constants.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, tensors[%zu]: expected a constant within %zu bytes, found "
                          "%" PRIu64 " bytes at %" PRIu64,
                          id, program->constants.len, bytes, tensor->offset);
    }
    size_t element = tacho_dtype_element_bytes((tacho_dtype)tensor->dtype);
    size_t alignment = element & -element;     /* 2 for 48 bits */
    alignment = alignment < 8 ? alignment : 8; /* the file aligns to no more */
    if (alignment > 1 && tensor->offset % alignment != 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA,
            "program, tensors[%zu].offset: expected a multiple of %zu, found %" PRIu64, id, element,
            tensor->offset);
    }
    return TACHO_OK;
}

static tacho_status check_tensor(const tacho_program *program, size_t id)
{
    const tacho_program_tensor *tensor = &program->tensors[id];
    uint64_t one = 0;
    if (tensor->storage == TACHO_STORAGE_SPLAT) {
        (void)tacho_dtype_bytes((tacho_dtype)tensor->dtype, 1, &one);
        return check_constant(program, id, one);
    }
    if (tensor->storage == TACHO_STORAGE_RANDOM) {
        return TACHO_OK;
    }
    uint64_t needed = 0;
    bool is_known = tacho_shape_is_known(tacho_program_shape(program, tensor));
    if (is_known && (!count_bytes(program, tensor, &needed) || tensor->bytes < needed)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, tensors[%zu].bytes: expected %" PRIu64
                          " or more, by its shape, found %" PRIu64,
                          id, needed, tensor->bytes);
    }
    return tensor->storage == TACHO_STORAGE_BYTES ? check_constant(program, id, tensor->bytes)
                                                  : TACHO_OK;
}

static tacho_status check_attrs(const tacho_program *program)
{
    for (size_t i = 0; i < program->attr_count; i++) {
        const tacho_attr *attr = &program->attrs[i];
        if ((unsigned)attr->kind > TACHO_ATTR_OTHER) {
            return fail_at("attrs", i, "kind", TACHO_ATTR_OTHER + 1, (unsigned)attr->kind);
        }
        if (attr->kind == TACHO_ATTR_TENSOR && attr->value.as_tensor >= program->tensor_count) {
            return fail_at("attrs", i, "tensor", program->tensor_count, attr->value.as_tensor);
        }
    }
    return TACHO_OK;
}

static tacho_status check_facts(const tacho_program *program)
{
    const tacho_program_facts *facts = &program->facts;
    const tacho_schema *schema = tacho_program_facts_schema();
    tacho_program_facts copy = *facts;
    TACHO_TRY(check_fields(program, schema, (tacho_program_rows){(unsigned char *)&copy, 1}));
    if (facts->stats.pmu_event_count > TACHO_PMU_EVENTS_MAX) {
        return fail_at("facts", 0, "stats.pmu_event_count", TACHO_PMU_EVENTS_MAX + 1,
                       facts->stats.pmu_event_count);
    }
    if (facts->device_count > UINT16_MAX) {
        return fail_at("facts", 0, "device_count", UINT16_MAX + 1, facts->device_count);
    }
    if (facts->core_count > UINT16_MAX) {
        return fail_at("facts", 0, "core_count", UINT16_MAX + 1, facts->core_count);
    }
    if (facts->total_cycles < 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "program, facts[0].total_cycles: expected 0 or more, found %" PRId64,
                          facts->total_cycles);
    }
    return TACHO_OK;
}

tacho_status tacho_program_check(const tacho_program *program)
{
    TACHO_TRY(check_facts(program));
    for (int i = 0; i < TACHO_TABLE_COUNT; i++) {
        tacho_program_table table = (tacho_program_table)i;
        TACHO_TRY(check_fields(program, tacho_program_schema(table),
                               tacho_program_rows_of(program, table)));
    }
    for (size_t i = 0; i < program->shape_count; i++) {
        TACHO_TRY(check_shape(&program->shapes[i], i));
    }
    for (size_t i = 0; i < program->tensor_count; i++) {
        TACHO_TRY(check_tensor(program, i));
    }
    TACHO_TRY(check_attrs(program));
    TACHO_TRY(check_steps(program));
    TACHO_TRY(check_ops(program));
    TACHO_TRY(check_jobs(program));
    TACHO_TRY(check_blocks(program));
    return check_places(program);
}
