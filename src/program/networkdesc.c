/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing AICNetworkDesc of a program. Numbers that are 0 and texts that are empty are left out, as
 * proto3 has it; lists of numbers are packed.
 */
#include "program/networkdesc.h"

#include "base/grow.h"
#include "base/utf8.h"
#include "codec/protobuf.h"
#include "program/networkdesc_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- bytes -------------------------------------------------------------------------------- */

static tacho_status put_uint(tacho_bytes *bytes, uint32_t number, uint64_t value)
{
    unsigned char *at = NULL;
    if (value == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_bytes_extend(bytes, TACHO_PB_UINT_MAX, &at));
    bytes->len = (size_t)(tacho_pb_put_uint(at, number, value) - bytes->data);
    return TACHO_OK;
}

/* Opens a message; |*out_body| is for close_message. */
static tacho_status open_message(tacho_bytes *bytes, uint32_t number, size_t *out_body)
{
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, TACHO_PB_OPEN_MAX, &at));
    *out_body = bytes->len = (size_t)(tacho_pb_open(at, number) - bytes->data);
    return TACHO_OK;
}

static tacho_status close_message(tacho_bytes *bytes, size_t body)
{
    size_t end = bytes->len;
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, TACHO_PB_CLOSE_MAX, &at));
    bytes->len = (size_t)(tacho_pb_close(bytes->data + body, bytes->data + end) - bytes->data);
    return TACHO_OK;
}

/* Texts of a protobuf are UTF-8, whatever a model calls its tensors. */
static tacho_status append_clean(tacho_bytes *bytes, tacho_str text)
{
    unsigned char *at = NULL;
    if (tacho_utf8_is_clean(text)) {
        return tacho_bytes_append(bytes, text);
    }
    TACHO_TRY(tacho_bytes_extend(bytes, 3 * text.len, &at));
    char *end = tacho_utf8_clean_into(text, (char *)at);
    bytes->len = (size_t)((unsigned char *)end - bytes->data);
    return TACHO_OK;
}

/* Also when empty: an element of a list. */
static tacho_status put_item(tacho_bytes *bytes, uint32_t number, tacho_str text)
{
    size_t body = 0;
    TACHO_TRY(open_message(bytes, number, &body)); /* framed as a message is */
    TACHO_TRY(append_clean(bytes, text));
    return close_message(bytes, body);
}

static tacho_status put_text(tacho_bytes *bytes, uint32_t number, tacho_str text)
{
    return text.len > 0 ? put_item(bytes, number, text) : TACHO_OK;
}

static tacho_status put_one(tacho_bytes *bytes, uint32_t number)
{
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, TACHO_PB_TAG_MAX + 4, &at));
    at = tacho_pb_put_tag(at, number, TACHO_PB_WIRE_FIXED32);
    tacho_bytes_store(at, 0x3f800000u, 4); /* 1.0f */
    bytes->len = (size_t)(at + 4 - bytes->data);
    return TACHO_OK;
}

static tacho_status put_varint(tacho_bytes *bytes, uint64_t value)
{
    unsigned char *at = NULL;
    TACHO_TRY(tacho_bytes_extend(bytes, TACHO_PB_VARINT_MAX, &at));
    bytes->len = (size_t)(tacho_pb_put_varint(at, value) - bytes->data);
    return TACHO_OK;
}

/* ---- inputs and outputs ------------------------------------------------------------------- */

/* A tensor as the description's types allow it. */
typedef struct described {
    uint64_t type;
    bool is_quantized;
    int64_t dims[TACHO_RANK_MAX + 1];
    size_t dim_count;
} described;

enum { TYPE_UINT8 = 3, TYPE_BYTES = 8 };

/* The number of |dtype|; false when the description has none. */
static bool find_type(tacho_dtype dtype, uint64_t *out_type)
{
    bool is_found = true;
    if (dtype == TACHO_DTYPE_F32) {
        *out_type = 0;
    } else if (dtype == TACHO_DTYPE_F16) {
        *out_type = 1;
    } else if (dtype == TACHO_DTYPE_U8) {
        *out_type = TYPE_UINT8;
    } else if (dtype == TACHO_DTYPE_I16) {
        *out_type = 4;
    } else if (dtype == TACHO_DTYPE_I32) {
        *out_type = 6;
    } else if (dtype == TACHO_DTYPE_I64) {
        *out_type = 7;
    } else {
        *out_type = TYPE_BYTES;
        is_found = dtype == TACHO_DTYPE_I8 || dtype == TACHO_DTYPE_BOOL;
    }
    return is_found;
}

/*
 * A type without a number is described as bytes: with one more dimension for those of an element,
 * or, where elements are not whole bytes, as one row.
 */
static described describe(const tacho_program *program, const tacho_program_tensor *tensor)
{
    described result = {0};
    tacho_dtype dtype = (tacho_dtype)tensor->dtype;
    bool is_found = find_type(dtype, &result.type);
    size_t element = tacho_dtype_element_bytes(dtype);
    result.is_quantized = result.type == TYPE_UINT8 || result.type == 4;
    if (!is_found && element == 0) {
        result.dims[result.dim_count++] = (int64_t)tensor->bytes;
        return result;
    }
    const tacho_shape *shape = tacho_program_shape(program, tensor);
    for (int32_t i = 0; i < shape->rank; i++) {
        result.dims[result.dim_count++] = shape->dims[i];
    }
    if (!is_found) {
        result.dims[result.dim_count++] = (int64_t)element;
    }
    return result;
}

static tacho_status put_dims(tacho_bytes *bytes, uint32_t number, const described *what)
{
    if (what->dim_count == 0) {
        return TACHO_OK;
    }
    size_t body = 0;
    TACHO_TRY(open_message(bytes, number, &body));
    for (size_t i = 0; i < what->dim_count; i++) {
        if (what->dims[i] > INT32_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT,
                              "network description: expected dimensions below 2^31, found %" PRId64,
                              what->dims[i]);
        }
        TACHO_TRY(put_varint(bytes, (uint64_t)what->dims[i]));
    }
    return close_message(bytes, body);
}

static tacho_status put_descriptor(tacho_bytes *bytes, uint32_t number, const described *what)
{
    size_t body = 0;
    TACHO_TRY(open_message(bytes, number, &body));
    TACHO_TRY(put_uint(bytes, DESCRIPTOR_TYPE, what->type));
    if (what->is_quantized) { /* plain integers: scale 1, zero 0 */
        TACHO_TRY(put_one(bytes, DESCRIPTOR_SCALE));
    }
    TACHO_TRY(put_dims(bytes, DESCRIPTOR_DIMS, what));
    return close_message(bytes, body);
}

/* The only transformation is the copy to or from DMA buffer |buffer|. */
static tacho_status put_transform(tacho_bytes *bytes, const described *what, uint64_t direction,
                                  uint64_t buffer)
{
    size_t transform = 0;
    size_t copy = 0;
    TACHO_TRY(open_message(bytes, BINDING_TRANSFORMS, &transform));
    TACHO_TRY(put_uint(bytes, TRANSFORM_KIND, TRANSFORM_KIND_COPY));
    TACHO_TRY(put_uint(bytes, TRANSFORM_TYPE, what->type));
    TACHO_TRY(put_dims(bytes, TRANSFORM_DIMS, what));
    TACHO_TRY(open_message(bytes, TRANSFORM_COPY, &copy));
    TACHO_TRY(put_uint(bytes, COPY_DIRECTION, direction));
    TACHO_TRY(put_uint(bytes, COPY_BUFFER, buffer));
    TACHO_TRY(close_message(bytes, copy));
    return close_message(bytes, transform);
}

/* The |number|-th input or output of a slice. */
static const tacho_program_tensor *bound_tensor(const tacho_program *program,
                                                const tacho_slice *slice, bool is_in, size_t number)
{
    return &program->tensors[is_in ? program->inputs[slice->inputs[number]]
                                   : program->outputs[slice->outputs[number]]];
}

static tacho_status put_bindings(tacho_bytes *bytes, const tacho_program *program,
                                 const tacho_slice *slice, uint64_t direction,
                                 uint64_t first_buffer)
{
    bool is_in = direction == DIRECTION_IN;
    size_t count = is_in ? slice->input_count : slice->output_count;
    for (size_t i = 0; i < count; i++) {
        const tacho_program_tensor *tensor = bound_tensor(program, slice, is_in, i);
        described what = describe(program, tensor);
        size_t body = 0;
        TACHO_TRY(open_message(bytes, is_in ? NETWORK_INPUTS : NETWORK_OUTPUTS, &body));
        TACHO_TRY(
            put_text(bytes, BINDING_NAME, tacho_strings_get(&program->strings, tensor->name)));
        TACHO_TRY(put_descriptor(bytes, BINDING_INITIAL, &what));
        TACHO_TRY(put_descriptor(bytes, BINDING_TRANSFORMED, &what));
        TACHO_TRY(put_transform(bytes, &what, direction, first_buffer + i));
        TACHO_TRY(close_message(bytes, body));
    }
    return TACHO_OK;
}

static tacho_status put_dma(tacho_bytes *bytes, uint64_t size, uint64_t direction)
{
    if (size > UINT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "network description: expected inputs and outputs below 4 GiB, found "
                          "%" PRIu64 " bytes",
                          size);
    }
    size_t body = 0;
    TACHO_TRY(open_message(bytes, NETWORK_DMA_BUFFERS, &body));
    TACHO_TRY(put_uint(bytes, DMA_SIZE, size));
    TACHO_TRY(put_uint(bytes, DMA_DIRECTION, direction));
    return close_message(bytes, body);
}

static bool has_stats(const tacho_program *program)
{
    return program->facts.stats.level >= TACHO_STATS_LEVEL_MIN;
}

/* One buffer per input, one per output, one for records. */
static tacho_status put_dmas(tacho_bytes *bytes, const tacho_program *program,
                             const tacho_slice *slice)
{
    for (size_t i = 0; i < slice->input_count; i++) {
        TACHO_TRY(put_dma(bytes, bound_tensor(program, slice, true, i)->bytes, DIRECTION_IN));
    }
    for (size_t i = 0; i < slice->output_count; i++) {
        TACHO_TRY(put_dma(bytes, bound_tensor(program, slice, false, i)->bytes, DIRECTION_OUT));
    }
    return has_stats(program) ? put_dma(bytes, slice->stats_bytes, DIRECTION_OUT) : TACHO_OK;
}

/* ---- thread groups ------------------------------------------------------------------------ */

/* Threads of a core that do the same, or, where threads are mixed, engines of one class. */
typedef struct thread_group {
    uint32_t class_name; /* string; TACHO_NONE: of engines that move and wait */
    uint32_t name;       /* string; TACHO_NONE: the vendor's for such */
    uint32_t size;
    uint16_t device, core; /* where it was seen first */
} thread_group;

#define ISSUE_GROUP "DMAIssue"

/* An entry of an op's list: a group that works on it, in the order of files. */
typedef struct listed_op {
    uint32_t bucket; /* (core, group) */
    uint32_t op;
} listed_op;

typedef struct writer {
    const tacho_program *program;
    const tacho_slice *slice;
    tacho_bytes *bytes;
    thread_group *groups;
    size_t group_count, group_capacity;
    uint32_t *engine_groups; /* by engine */
    size_t engine_group_capacity;
    listed_op *ops;
    size_t op_count, op_capacity;
    uint32_t *last_ops; /* by bucket, plus 1: keeps tiles of one op from being listed each */
    size_t last_op_capacity;
} writer;

static void deinit_writer(writer *self)
{
    free(self->groups);
    free(self->engine_groups);
    free(self->ops);
    free(self->last_ops);
}

static tacho_status ensure_group(writer *self, const tacho_program_engine *engine,
                                 uint32_t *out_group)
{
    for (size_t i = 0; i < self->group_count; i++) {
        thread_group *group = &self->groups[i];
        if (group->class_name != engine->class_name) {
            continue;
        }
        if (group->device == engine->device && group->core == engine->core) {
            group->size++;
            /* Engines with different names get the name of their class. */
            group->name = group->name == engine->name ? group->name : group->class_name;
        }
        *out_group = (uint32_t)i;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->groups, &self->group_capacity, self->group_count + 1));
    *out_group = (uint32_t)self->group_count;
    self->groups[self->group_count++] =
        (thread_group){engine->class_name, engine->name, 1, engine->device, engine->core};
    return TACHO_OK;
}

/* Moves data or waits, which one thread does for all engines of a core. */
static bool is_issued(const tacho_program *program, const tacho_program_engine *engine)
{
    tacho_str class_name = tacho_strings_get(&program->strings, engine->class_name);
    return tacho_str_starts_with(class_name, TACHO_STR("dma")) ||
           tacho_str_equal(class_name, TACHO_STR("sync"));
}

/*
 * The first engine of the first core that |thread| drives, or NULL. Also NULL where it drives
 * engines of several kinds: such threads have no class.
 */
static const tacho_program_engine *engine_of_thread(const tacho_program *program, uint32_t thread)
{
    const tacho_program_engine *found = NULL;
    for (size_t i = 0; i < program->engine_count; i++) {
        const tacho_program_engine *engine = &program->engines[i];
        if (engine->device != 0 || engine->core != 0 || engine->thread != thread) {
            continue;
        }
        if (found != NULL && is_issued(program, found) != is_issued(program, engine)) {
            return NULL;
        }
        if (found != NULL && !is_issued(program, found) &&
            found->class_name != engine->class_name) {
            return NULL;
        }
        found = found != NULL ? found : engine;
    }
    return found;
}

static bool threads_tell(const tacho_program *program)
{
    uint32_t count = program->facts.thread_count;
    for (uint32_t i = 0; i < count; i++) {
        if (engine_of_thread(program, i) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        if (program->engines[i].thread >= count) {
            return false;
        }
    }
    return count > 1;
}

/* Groups in the order of threads: t0-t3 HVX, t4 HMX, t5 DMAIssue. */
static tacho_status group_threads(writer *self)
{
    const tacho_program *program = self->program;
    for (uint32_t i = 0; i < program->facts.thread_count; i++) {
        const tacho_program_engine *first = engine_of_thread(program, i);
        bool is_issue = is_issued(program, first);
        thread_group group = {
            .class_name = is_issue ? TACHO_NONE : first->class_name,
            .name = is_issue ? TACHO_NONE : first->name,
        };
        size_t at = 0;
        while (at < self->group_count && self->groups[at].class_name != group.class_name) {
            at++;
        }
        if (at == self->group_count) {
            TACHO_TRY(tacho_grow(&self->groups, &self->group_capacity, at + 1));
            self->groups[self->group_count++] = group;
        }
        self->groups[at].size++;
        for (size_t k = 0; k < program->engine_count; k++) {
            if (program->engines[k].thread == i) {
                self->engine_groups[k] = (uint32_t)at;
            }
        }
    }
    return TACHO_OK;
}

static tacho_status find_groups(writer *self)
{
    const tacho_program *program = self->program;
    TACHO_TRY(
        tacho_grow(&self->engine_groups, &self->engine_group_capacity, program->engine_count));
    if (threads_tell(program)) {
        return group_threads(self);
    }
    for (size_t i = 0; i < program->engine_count; i++) {
        TACHO_TRY(ensure_group(self, &program->engines[i], &self->engine_groups[i]));
    }
    return TACHO_OK;
}

static tacho_status put_groups(writer *self)
{
    size_t body = 0;
    uint64_t vector_threads = 0;
    uint32_t vector = tacho_strings_find(&self->program->strings, TACHO_STR("vector"));
    for (size_t i = 0; i < self->group_count; i++) {
        vector_threads += self->groups[i].class_name == vector ? self->groups[i].size : 0;
    }
    TACHO_TRY(put_uint(self->bytes, NETWORK_VECTOR_THREADS, vector_threads));
    if (self->group_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(open_message(self->bytes, NETWORK_GROUP_SIZES, &body));
    for (size_t i = 0; i < self->group_count; i++) {
        TACHO_TRY(put_varint(self->bytes, self->groups[i].size));
    }
    return close_message(self->bytes, body);
}

static tacho_status put_group_names(writer *self)
{
    for (size_t i = 0; i < self->group_count; i++) {
        uint32_t name = self->groups[i].name;
        TACHO_TRY(put_item(self->bytes, NETWORK_GROUP_NAMES,
                           name == TACHO_NONE ? TACHO_STR(ISSUE_GROUP)
                                              : tacho_strings_get(&self->program->strings, name)));
    }
    return TACHO_OK;
}

/* ---- ops ---------------------------------------------------------------------------------- */

static int compare_listed(const void *a, const void *b)
{
    const listed_op *left = a;
    const listed_op *right = b;
    if (left->bucket != right->bucket) {
        return left->bucket < right->bucket ? -1 : 1;
    }
    return (left->op > right->op) - (left->op < right->op);
}

static uint64_t bucket_count(const writer *self)
{
    const tacho_program_facts *facts = &self->program->facts;
    return (uint64_t)facts->core_count * self->group_count;
}

static tacho_status list_job(writer *self, const tacho_job *job)
{
    const tacho_program_engine *engine = &self->program->engines[job->engine];
    if (job->op == TACHO_NONE || engine->device != self->slice->device) {
        return TACHO_OK;
    }
    uint32_t bucket = engine->core * (uint32_t)self->group_count + self->engine_groups[job->engine];
    if (self->last_ops[bucket] == job->op + 1) {
        return TACHO_OK;
    }
    self->last_ops[bucket] = job->op + 1;
    TACHO_TRY(tacho_grow(&self->ops, &self->op_capacity, self->op_count + 1));
    self->ops[self->op_count++] = (listed_op){bucket, job->op};
    return TACHO_OK;
}

/* Fills |ops|: sorted, each once. */
static tacho_status list_ops(writer *self)
{
    enum { BUCKETS_MAX = 1 << 24 };
    uint64_t buckets = bucket_count(self);
    if (buckets > BUCKETS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "network description: expected at most %d thread groups on all cores, "
                          "found %" PRIu64,
                          BUCKETS_MAX, buckets);
    }
    TACHO_TRY(tacho_grow(&self->last_ops, &self->last_op_capacity, (size_t)buckets));
    if (buckets > 0) {
        memset(self->last_ops, 0, (size_t)buckets * sizeof(*self->last_ops));
    }
    for (size_t i = 0; i < self->program->job_count; i++) {
        TACHO_TRY(list_job(self, &self->program->jobs[i]));
    }
    if (self->op_count == 0) {
        return TACHO_OK;
    }
    qsort(self->ops, self->op_count, sizeof(*self->ops), compare_listed);
    size_t kept = 1;
    for (size_t i = 1; i < self->op_count; i++) {
        if (compare_listed(&self->ops[kept - 1], &self->ops[i]) != 0) {
            self->ops[kept++] = self->ops[i];
        }
    }
    self->op_count = kept;
    return TACHO_OK;
}

/* The first result of an op's last step, or NULL. */
static const tacho_program_tensor *result_of(const tacho_program *program,
                                             const tacho_program_op *op)
{
    if (op->step_count == 0) {
        return NULL;
    }
    const tacho_step *step = &program->steps[op->first_step + op->step_count - 1];
    if (step->output_count == 0) {
        return NULL;
    }
    uint32_t id = program->links[step->first_link + step->input_count];
    return id != TACHO_NONE ? &program->tensors[id] : NULL;
}

/* Local memory if any of its jobs uses it, the last that does; else the shared one. */
static tacho_str memory_of(const tacho_program *program, const tacho_program_op *op)
{
    for (uint32_t i = op->job_count; i > 0; i--) {
        uint32_t buffer = program->jobs[op->first_job + i - 1].buffer;
        if (buffer != TACHO_NONE) {
            return tacho_strings_get(&program->strings, program->buffers[buffer].memory);
        }
    }
    return TACHO_STR("DDR");
}

static tacho_status put_operands(writer *self, const tacho_program_op *op)
{
    const tacho_program *program = self->program;
    if (op->step_count == 0) {
        return TACHO_OK;
    }
    const tacho_step *step = &program->steps[op->first_step];
    for (uint32_t i = 0; i < step->input_count; i++) {
        uint32_t id = program->links[step->first_link + i];
        if (id != TACHO_NONE) {
            TACHO_TRY(put_item(self->bytes, OP_OPERANDS,
                               tacho_strings_get(&program->strings, program->tensors[id].name)));
        }
    }
    return TACHO_OK;
}

static tacho_status put_first_operand(writer *self, const tacho_program_op *op)
{
    const tacho_program *program = self->program;
    if (op->step_count == 0 || program->steps[op->first_step].input_count == 0) {
        return TACHO_OK;
    }
    uint32_t id = program->links[program->steps[op->first_step].first_link];
    return id == TACHO_NONE
               ? TACHO_OK
               : put_text(self->bytes, OP_OPERAND,
                          tacho_strings_get(&program->strings, program->tensors[id].name));
}

/* "operator=Conv location=model.onnx:3". */
static tacho_status put_attributes(writer *self, const tacho_program_op *op)
{
    const tacho_strings *strings = &self->program->strings;
    tacho_str type = tacho_strings_get(strings, op->type);
    tacho_str location = tacho_strings_get(strings, op->location);
    size_t body = 0;
    TACHO_TRY(open_message(self->bytes, OP_ATTRIBUTES, &body));
    TACHO_TRY(tacho_bytes_append(self->bytes, TACHO_STR("operator=")));
    TACHO_TRY(append_clean(self->bytes, type));
    if (location.len > 0) {
        TACHO_TRY(tacho_bytes_append(self->bytes, TACHO_STR(" location=")));
        TACHO_TRY(append_clean(self->bytes, location));
    }
    return close_message(self->bytes, body);
}

static tacho_status put_result(writer *self, const tacho_program_op *op)
{
    const tacho_program_tensor *result = result_of(self->program, op);
    char shape[TACHO_SHAPE_TEXT_MAX] = "";
    const char *type = "";
    if (result != NULL) {
        type = tacho_dtype_name((tacho_dtype)result->dtype);
        tacho_shape_print(tacho_program_shape(self->program, result), shape, sizeof(shape));
    }
    TACHO_TRY(put_text(self->bytes, OP_TYPE, tacho_str_from_cstring(type)));
    TACHO_TRY(put_text(self->bytes, OP_MEMORY, memory_of(self->program, op)));
    return put_text(self->bytes, OP_SHAPE, tacho_str_from_cstring(shape));
}

static tacho_status put_op(writer *self, const tacho_program_op *op)
{
    const tacho_strings *strings = &self->program->strings;
    size_t body = 0;
    TACHO_TRY(open_message(self->bytes, GROUP_OPS, &body));
    TACHO_TRY(put_text(self->bytes, OP_NAME, tacho_strings_get(strings, op->name)));
    TACHO_TRY(put_text(self->bytes, OP_KIND, tacho_strings_get(strings, op->kind)));
    TACHO_TRY(put_result(self, op));
    TACHO_TRY(put_first_operand(self, op));
    TACHO_TRY(put_uint(self->bytes, OP_OUTPUT_BYTES, op->output_bytes));
    TACHO_TRY(put_attributes(self, op));
    TACHO_TRY(put_operands(self, op));
    return close_message(self->bytes, body);
}

/* ---- statistics --------------------------------------------------------------------------- */

/* Core after core, group after group, also where there is nothing to list. */
static tacho_status put_op_lists(writer *self)
{
    size_t at = 0;
    size_t group_count = self->group_count;
    for (uint64_t bucket = 0; bucket < bucket_count(self);) {
        size_t core = 0;
        TACHO_TRY(open_message(self->bytes, STATS_CORES, &core));
        for (size_t i = 0; i < group_count; i++, bucket++) {
            size_t group = 0;
            TACHO_TRY(open_message(self->bytes, CORE_GROUPS, &group));
            for (; at < self->op_count && self->ops[at].bucket == bucket; at++) {
                TACHO_TRY(put_op(self, &self->program->ops[self->ops[at].op]));
            }
            TACHO_TRY(close_message(self->bytes, group));
        }
        TACHO_TRY(close_message(self->bytes, core));
    }
    return TACHO_OK;
}

static tacho_status put_op_counts(writer *self)
{
    size_t body = 0;
    size_t at = 0;
    if (bucket_count(self) == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(open_message(self->bytes, STATS_CORE_OP_COUNTS, &body));
    for (uint64_t end = self->group_count; end <= bucket_count(self); end += self->group_count) {
        size_t first = at;
        for (; at < self->op_count && self->ops[at].bucket < end; at++) {
        }
        TACHO_TRY(put_varint(self->bytes, at - first));
    }
    return close_message(self->bytes, body);
}

static tacho_status put_events(writer *self)
{
    const tacho_stats_config *stats = &self->program->facts.stats;
    size_t body = 0;
    if (stats->pmu_event_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(open_message(self->bytes, STATS_PMU_EVENTS, &body));
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        TACHO_TRY(put_varint(self->bytes, stats->pmu_events[i]));
    }
    return close_message(self->bytes, body);
}

static tacho_status put_stats(writer *self)
{
    const tacho_program *program = self->program;
    const tacho_stats_config *stats = &program->facts.stats;
    tacho_bytes *bytes = self->bytes;
    bool has_ops = stats->level >= TACHO_STATS_LEVEL_OPS;
    size_t body = 0;
    TACHO_TRY(open_message(bytes, NETWORK_STATS, &body));
    TACHO_TRY(put_uint(bytes, STATS_BUFFER, self->slice->input_count + self->slice->output_count));
    TACHO_TRY(put_uint(bytes, STATS_PRINTS, 1));
    TACHO_TRY(put_uint(bytes, STATS_LEVEL, stats->level));
    TACHO_TRY(put_uint(bytes, STATS_PRINTS_OPS, has_ops ? 1 : 0));
    TACHO_TRY(put_uint(bytes, STATS_OP_LEVEL, has_ops ? stats->level : 0));
    TACHO_TRY(put_uint(bytes, STATS_BATCH, stats->batch_size));
    TACHO_TRY(put_uint(bytes, STATS_COUNTS_DDR, stats->counts_ddr));
    TACHO_TRY(put_uint(bytes, STATS_TIMER_KHZ, program->facts.timer_hz / 1000));
    TACHO_TRY(put_events(self));
    TACHO_TRY(put_op_counts(self));
    TACHO_TRY(put_op_lists(self));
    TACHO_TRY(put_uint(bytes, STATS_PMU_LEVEL, stats->pmu_event_count > 0 ? stats->level : 0));
    return close_message(bytes, body);
}

static tacho_status put_network(writer *self)
{
    const tacho_program *program = self->program;
    const tacho_slice *slice = self->slice;
    const tacho_program_facts *facts = &program->facts;
    tacho_bytes *bytes = self->bytes;
    TACHO_TRY(find_groups(self));
    TACHO_TRY(put_uint(bytes, NETWORK_MAJOR, TACHO_NETWORKDESC_MAJOR));
    TACHO_TRY(put_uint(bytes, NETWORK_MINOR, TACHO_NETWORKDESC_MINOR));
    tacho_str name = tacho_strings_get(&program->strings, facts->name);
    name = tacho_slice_count(program) > 1 ? tacho_str_from_cstring(slice->name) : name;
    TACHO_TRY(put_text(bytes, NETWORK_NAME, name));
    TACHO_TRY(put_bindings(bytes, program, slice, DIRECTION_IN, 0));
    TACHO_TRY(put_bindings(bytes, program, slice, DIRECTION_OUT, slice->input_count));
    TACHO_TRY(put_dmas(bytes, program, slice));
    TACHO_TRY(put_uint(bytes, NETWORK_CORES, facts->core_count));
    TACHO_TRY(put_uint(bytes, NETWORK_THREADS, facts->thread_count));
    TACHO_TRY(put_groups(self));
    if (has_stats(program)) {
        TACHO_TRY(list_ops(self));
        TACHO_TRY(put_stats(self));
    }
    TACHO_TRY(put_group_names(self));
    return put_uint(bytes, NETWORK_BATCH, facts->batch_size);
}

tacho_status tacho_networkdesc_write(const tacho_program *program, const tacho_slice *slice,
                                     tacho_bytes *out_bytes)
{
    writer self = {.program = program, .slice = slice, .bytes = out_bytes};
    tacho_status status = put_network(&self);
    deinit_writer(&self);
    return status;
}
