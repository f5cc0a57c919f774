/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes executions: bytes are taken for the choices of a small program, which reference and fast
 * kernels compute. Each step is two bytes or more: what it is, and sizes and attributes by what
 * follows. Bytes may come in (dequantised first) and go out (quantised last).
 *
 * Laws: both kernels take a program or both refuse it; reals agree within a thousandth of the
 * largest, bytes within one. What the reference makes of numbers that are none is not compared.
 */
#include "base/grow.h"
#include "base/index.h"
#include "device/execute.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS_MAX = 8, POOL_BYTES = 1 << 12, ELEMENTS_MAX = 4096, LISTS_MAX = 64, INPUTS_MAX = 3 };

typedef struct maker {
    const uint8_t *data; /* what choices are read from; zeros when there are no more */
    size_t size, at;
    tacho_program program;
    unsigned char pool[POOL_BYTES];
    size_t used;
    int64_t lists[LISTS_MAX][6];
    size_t list_count;
    uint32_t here; /* the tensor that the next step works on */
    uint32_t op, first_attr;
    uint64_t seed;
} maker;

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void require_ok(tacho_status status)
{
    require(status == TACHO_OK);
}

static int64_t choose(maker *self, int64_t low, int64_t high)
{
    int64_t byte = self->at < self->size ? self->data[self->at++] : 0;
    return low + byte % (high - low + 1);
}

/* ---- programs ------------------------------------------------------------------------------ */

static uint32_t text(maker *self, const char *string)
{
    uint32_t id;
    require_ok(tacho_strings_ensure(&self->program.strings, tacho_str_from_cstring(string), &id));
    return id;
}

static uint32_t add_tensor(maker *self, tacho_dtype dtype, tacho_storage storage, tacho_shape shape,
                           uint64_t offset)
{
    tacho_program *program = &self->program;
    uint64_t count = 0, bytes = 0;
    (void)(tacho_shape_elements(&shape, &count) && tacho_dtype_bytes(dtype, count, &bytes));
    require_ok(tacho_grow(&program->tensors, &program->tensor_capacity, program->tensor_count + 1));
    uint32_t shape_id = 0;
    require_ok(tacho_program_add_shape(program, &shape, &shape_id));
    program->tensors[program->tensor_count] = (tacho_program_tensor){
        .name = text(self, "t"),
        .dtype = (uint16_t)dtype,
        .storage = (uint16_t)storage,
        .offset = offset,
        .bytes = bytes,
        .shape = shape_id,
        .kept = (uint16_t)dtype,
    };
    return (uint32_t)program->tensor_count++;
}

static uint32_t made(maker *self, tacho_dtype dtype, tacho_shape shape)
{
    return add_tensor(self, dtype, TACHO_STORAGE_ACTIVATION, shape, 0);
}

static uint32_t input(maker *self, tacho_dtype dtype, tacho_shape shape)
{
    tacho_program *program = &self->program;
    uint32_t id = add_tensor(self, dtype, TACHO_STORAGE_INPUT, shape, 0);
    require_ok(tacho_grow(&program->inputs, &program->input_capacity, program->input_count + 1));
    program->inputs[program->input_count++] = id;
    return id;
}

/* Reals of a constant, or of another input. */
static uint32_t reals(maker *self, tacho_shape shape)
{
    bool is_live = choose(self, 0, 3) == 3 && self->program.input_count < INPUTS_MAX;
    return is_live ? input(self, TACHO_DTYPE_F32, shape)
                   : add_tensor(self, TACHO_DTYPE_F32, TACHO_STORAGE_RANDOM, shape, self->seed++);
}

static uint32_t constant(maker *self, tacho_dtype dtype, tacho_shape shape, const void *bytes)
{
    uint32_t id = add_tensor(self, dtype, TACHO_STORAGE_BYTES, shape, self->used);
    uint64_t size = self->program.tensors[id].bytes;
    require(self->used + size <= POOL_BYTES);
    memcpy(self->pool + self->used, bytes, (size_t)size);
    self->used += (size_t)(size + 7) / 8 * 8;
    return id;
}

static uint32_t number(maker *self, float value)
{
    return constant(self, TACHO_DTYPE_F32, (tacho_shape){0, {0}}, &value);
}

static const tacho_shape *shape_of(const maker *self, uint32_t id)
{
    return tacho_program_shape(&self->program, &self->program.tensors[id]);
}

static void add_attr(maker *self, tacho_attr attr)
{
    tacho_program *program = &self->program;
    require_ok(tacho_grow(&program->attrs, &program->attr_capacity, program->attr_count + 1));
    program->attrs[program->attr_count++] = attr;
}

static void add_int(maker *self, const char *name, int64_t value)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_INT,
                                .value.as_int = value});
}

static void add_real(maker *self, const char *name, double value)
{
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_REAL,
                                .value.as_real = value});
}

/* Memory for a list that lives as long as the program. */
static int64_t *add_ints(maker *self, const char *name, uint32_t count)
{
    require(self->list_count < LISTS_MAX && count <= 6);
    int64_t *list = self->lists[self->list_count++];
    add_attr(self, (tacho_attr){.name = tacho_str_from_cstring(name),
                                .kind = TACHO_ATTR_INTS,
                                .count = count,
                                .value.as_ints = list});
    return list;
}

/* A step with the attributes that were added before; its result is where the next one starts. */
static void add_step(maker *self, const char *type, const uint32_t *inputs, uint32_t count,
                     uint32_t output)
{
    tacho_program *program = &self->program;
    tacho_step step = {
        .op = self->op,
        .type = text(self, type),
        .opset = 13,
        .first_link = (uint32_t)program->link_count,
        .input_count = (uint16_t)count,
        .output_count = 1,
        .first_attr = self->first_attr,
        .attr_count = (uint32_t)program->attr_count - self->first_attr,
    };
    self->first_attr = (uint32_t)program->attr_count;
    require_ok(
        tacho_grow(&program->links, &program->link_capacity, program->link_count + count + 1));
    for (uint32_t i = 0; i < count; i++) {
        program->links[program->link_count++] = inputs[i];
    }
    program->links[program->link_count++] = output;
    require_ok(tacho_grow(&program->ops, &program->op_capacity, self->op + 1));
    for (; program->op_count <= self->op; program->op_count++) {
        program->ops[program->op_count] =
            (tacho_program_op){.name = text(self, "op"),
                               .type = step.type,
                               .location = text(self, ""),
                               .first_step = (uint32_t)program->step_count};
    }
    program->ops[self->op].step_count++;
    require_ok(tacho_grow(&program->steps, &program->step_capacity, program->step_count + 1));
    program->steps[program->step_count++] = step;
    self->here = output;
}

#define STEP(self, type, output, ...)                                                              \
    add_step(self, type, (uint32_t[]){__VA_ARGS__},                                                \
             (uint32_t)(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)), output)

static bool is_small(const tacho_shape *shape)
{
    uint64_t count;
    return tacho_shape_elements(shape, &count) && count <= ELEMENTS_MAX;
}

/* ---- steps --------------------------------------------------------------------------------- */

/* Window attributes; false when nothing is left of the image. */
static bool choose_window(maker *self, const tacho_shape *in, tacho_shape *filters,
                          tacho_shape *out, bool has_dilations)
{
    uint32_t spatial = (uint32_t)in->rank - 2;
    int64_t *strides = add_ints(self, "strides", spatial);
    int64_t *pads = add_ints(self, "pads", 2 * spatial);
    int64_t *dilations = has_dilations ? add_ints(self, "dilations", spatial) : NULL;
    bool is_fine = true;
    for (uint32_t i = 0; i < spatial; i++) {
        strides[i] = choose(self, 1, 3);
        pads[i] = choose(self, 0, 2);
        pads[spatial + i] = choose(self, 0, 2);
        int64_t dilation = has_dilations ? choose(self, 1, 2) : 1, size = choose(self, 1, 4);
        if (dilations != NULL) {
            dilations[i] = dilation;
        }
        filters->dims[i + 2] = size;
        int64_t room = in->dims[i + 2] + pads[i] + pads[spatial + i] - (size - 1) * dilation - 1;
        is_fine = is_fine && room >= 0 && pads[i] < size && pads[spatial + i] < size;
        out->dims[i + 2] = room < 0 ? 1 : room / strides[i] + 1;
    }
    return is_fine;
}

static void forget_attrs(maker *self)
{
    self->program.attr_count = self->first_attr;
}

static void add_conv(maker *self)
{
    tacho_shape in = *shape_of(self, self->here), filters = in, out = in;
    if (in.rank < 3 || in.rank > 5) {
        return;
    }
    int64_t groups = choose(self, 0, 2) == 0 ? in.dims[1] : 1;
    groups = groups == 0 ? 1 : groups;
    out.dims[1] = groups * choose(self, 1, 17 / (groups < 8 ? groups : 8));
    filters.dims[0] = out.dims[1];
    filters.dims[1] = in.dims[1] / groups;
    if (!choose_window(self, &in, &filters, &out, true) || !is_small(&filters) || !is_small(&out)) {
        forget_attrs(self);
        return;
    }
    add_int(self, "group", groups);
    uint32_t weights = reals(self, filters);
    bool has_bias = choose(self, 0, 1) == 1;
    uint32_t bias = has_bias ? reals(self, (tacho_shape){1, {out.dims[1]}}) : TACHO_NONE;
    uint32_t x = self->here, y = made(self, TACHO_DTYPE_F32, out);
    STEP(self, "Conv", y, x, weights, bias);
}

static void add_pool(maker *self)
{
    static const char *const types[] = {"MaxPool", "AveragePool"};
    tacho_shape in = *shape_of(self, self->here), filters = in, out = in;
    if (in.rank < 3 || in.rank > 5) {
        return;
    }
    bool is_mean = choose(self, 0, 1) == 1;
    if (!choose_window(self, &in, &filters, &out, !is_mean) || !is_small(&out)) {
        forget_attrs(self);
        return;
    }
    memcpy(add_ints(self, "kernel_shape", (uint32_t)in.rank - 2), filters.dims + 2,
           (size_t)(in.rank - 2) * sizeof(int64_t));
    if (is_mean) {
        add_int(self, "count_include_pad", choose(self, 0, 1));
    }
    uint32_t x = self->here;
    STEP(self, types[is_mean], made(self, TACHO_DTYPE_F32, out), x);
}

static void add_product(maker *self)
{
    tacho_shape in = *shape_of(self, self->here), b = in, out = in;
    uint32_t x = self->here;
    if (in.rank < 2) {
        return;
    }
    int64_t depth = in.dims[in.rank - 1], columns = choose(self, 1, 20);
    bool is_gemm = in.rank == 2 && choose(self, 0, 1) == 1;
    bool is_turned = is_gemm && choose(self, 0, 1) == 1;
    b.dims[in.rank - 2] = is_turned ? columns : depth;
    b.dims[in.rank - 1] = is_turned ? depth : columns;
    out.dims[in.rank - 1] = columns;
    for (int32_t i = 0; i < in.rank - 2; i++) {
        b.dims[i] = choose(self, 0, 1) == 0 ? 1 : in.dims[i];
    }
    if (!is_small(&b) || !is_small(&out)) {
        return;
    }
    uint32_t matrix = reals(self, b), y = made(self, TACHO_DTYPE_F32, out);
    if (!is_gemm) {
        STEP(self, "MatMul", y, x, matrix);
        return;
    }
    static const double factors[] = {1, 0.5, -2, 0};
    static const int64_t rows[] = {1, 0};
    tacho_shape summand = {2, {rows[choose(self, 0, 1)], columns}};
    summand.dims[0] = summand.dims[0] == 0 ? out.dims[0] : 1;
    summand.dims[1] = choose(self, 0, 3) == 0 ? 1 : columns;
    add_real(self, "alpha", factors[choose(self, 0, 3)]);
    add_real(self, "beta", factors[choose(self, 0, 3)]);
    add_int(self, "transB", is_turned);
    STEP(self, "Gemm", y, x, matrix, reals(self, summand));
}

static void add_function(maker *self)
{
    static const char *const types[] = {
        "Relu",      "Sigmoid",  "Tanh", "Elu",  "LeakyRelu", "HardSigmoid", "Neg",  "Abs",
        "HardSwish", "Softplus", "Gelu", "Mish", "Exp",       "Erf",         "Clip", "Identity"};
    uint32_t x = self->here;
    const char *type = types[choose(self, 0, 15)];
    uint32_t y = made(self, TACHO_DTYPE_F32, *shape_of(self, x));
    if (strcmp(type, "Clip") == 0) {
        uint32_t low = choose(self, 0, 1) == 0 ? TACHO_NONE : number(self, -0.05f);
        uint32_t high = choose(self, 0, 1) == 0 ? TACHO_NONE : number(self, 0.04f);
        STEP(self, type, y, x, low, high);
    } else {
        STEP(self, type, y, x);
    }
}

static void add_binary(maker *self)
{
    static const char *const types[] = {"Add", "Sub", "Mul", "Max", "Min", "Sum"};
    uint32_t x = self->here, other = x;
    tacho_shape shape = *shape_of(self, x), second = shape;
    const char *type = types[choose(self, 0, 5)];
    switch (choose(self, 0, 3)) {
    case 0: /* with an earlier one */
        for (uint32_t i = 0; i < x; i++) {
            const tacho_program_tensor *tensor = &self->program.tensors[i];
            other = tensor->dtype == TACHO_DTYPE_F32 && tacho_shape_equal(shape_of(self, i), &shape)
                        ? i
                        : other;
        }
        break;
    case 1:
        other = number(self, 0.25f * (float)choose(self, -8, 8));
        break;
    default:
        for (int32_t i = 0; i < shape.rank; i++) {
            second.dims[i] = choose(self, 0, 1) == 0 ? 1 : shape.dims[i];
        }
        other = reals(self, second);
    }
    uint32_t y = made(self, TACHO_DTYPE_F32, shape);
    bool is_first = choose(self, 0, 1) == 0;
    STEP(self, type, y, is_first ? x : other, is_first ? other : x);
}

static void add_softmax(maker *self)
{
    static const char *const types[] = {"Softmax", "LogSoftmax"};
    uint32_t x = self->here;
    int32_t rank = shape_of(self, x)->rank;
    if (rank == 0) {
        return;
    }
    add_int(self, "axis", choose(self, -rank, rank - 1));
    STEP(self, types[choose(self, 0, 1)], made(self, TACHO_DTYPE_F32, *shape_of(self, x)), x);
}

static void add_reduction(maker *self)
{
    static const char *const types[] = {"ReduceMean", "ReduceMax", "ReduceMin"};
    uint32_t x = self->here;
    tacho_shape out = *shape_of(self, x);
    if (out.rank == 0) {
        return;
    }
    int64_t axis = choose(self, 0, out.rank - 1);
    if (out.dims[axis] == 0) {
        return;
    }
    *add_ints(self, "axes", 1) = axis - (choose(self, 0, 1) == 0 ? out.rank : 0);
    bool keeps = choose(self, 0, 1) == 1;
    add_int(self, "keepdims", keeps);
    out.dims[axis] = 1;
    for (int64_t i = axis; !keeps && i + 1 < out.rank; i++) {
        out.dims[i] = out.dims[i + 1];
    }
    out.rank -= keeps ? 0 : 1;
    STEP(self, types[choose(self, 0, 2)], made(self, TACHO_DTYPE_F32, out), x);
}

static void add_transpose(maker *self)
{
    uint32_t x = self->here;
    tacho_shape in = *shape_of(self, x), out = in;
    if (in.rank == 0) {
        return;
    }
    int64_t *order = add_ints(self, "perm", (uint32_t)in.rank);
    for (int32_t i = 0; i < in.rank; i++) {
        order[i] = i;
    }
    for (int32_t i = in.rank - 1; i > 0; i--) {
        int64_t with = choose(self, 0, i), kept = order[i];
        order[i] = order[with];
        order[with] = kept;
    }
    for (int32_t i = 0; i < in.rank; i++) {
        out.dims[i] = in.dims[order[i]];
    }
    STEP(self, "Transpose", made(self, TACHO_DTYPE_F32, out), x);
}

static void add_concat(maker *self)
{
    uint32_t x = self->here;
    tacho_shape in = *shape_of(self, x), other = in, out = in;
    if (in.rank == 0) {
        return;
    }
    int64_t axis = choose(self, 0, in.rank - 1);
    other.dims[axis] = choose(self, 0, 5);
    out.dims[axis] = 2 * in.dims[axis] + other.dims[axis];
    if (!is_small(&other) || !is_small(&out)) {
        return;
    }
    add_int(self, "axis", axis);
    uint32_t y = made(self, TACHO_DTYPE_F32, out);
    STEP(self, "Concat", y, x, reals(self, other), x);
}

static void add_norm(maker *self)
{
    uint32_t x = self->here;
    tacho_shape shape = *shape_of(self, x);
    if (shape.rank < 2) {
        return;
    }
    bool is_batch = choose(self, 0, 1) == 0;
    tacho_shape each = {1, {is_batch ? shape.dims[1] : shape.dims[shape.rank - 1]}};
    uint32_t scale = reals(self, each), shift = reals(self, each);
    uint32_t y = made(self, TACHO_DTYPE_F32, shape);
    if (is_batch) {
        float variances[64];
        for (int i = 0; i < 64; i++) {
            variances[i] = 0.5f + 0.1f * (float)i;
        }
        if (each.dims[0] > 64) {
            return;
        }
        uint32_t variance = constant(self, TACHO_DTYPE_F32, each, variances);
        STEP(self, "BatchNormalization", y, x, scale, shift, reals(self, each), variance);
    } else {
        STEP(self, "LayerNormalization", y, x, scale, shift);
    }
}

/* All elements in a row, or in as many as there are batches. */
static void add_view(maker *self)
{
    uint32_t x = self->here;
    const tacho_shape *in = shape_of(self, x);
    uint64_t count = 0;
    (void)tacho_shape_elements(in, &count);
    int64_t rows = in->rank > 0 && in->dims[0] > 0 ? in->dims[0] : 1;
    tacho_shape out = {2, {rows, (int64_t)count / rows}};
    STEP(self, "Flatten", made(self, TACHO_DTYPE_F32, out), x);
}

static void (*const kinds[])(maker *self) = {
    add_conv,    add_function,  add_binary,    add_pool,   add_product, add_function,
    add_softmax, add_reduction, add_transpose, add_concat, add_norm,    add_view,
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

/* Between reals and bytes; zero points fit both types. */
static void add_scaling(maker *self, const char *type, tacho_dtype dtype, bool is_made)
{
    static const float scales[] = {0.01f, 0.02f, 0.0078125f, 0.015625f};
    uint32_t x = self->here;
    unsigned char zero = (unsigned char)choose(self, 0, 127);
    uint32_t scale = number(self, scales[choose(self, 0, 3)]);
    uint32_t zeros = constant(self, dtype, (tacho_shape){0, {0}}, &zero);
    STEP(self, type, made(self, is_made ? dtype : TACHO_DTYPE_F32, *shape_of(self, x)), x, scale,
         zeros);
}

static void make(maker *self)
{
    static const tacho_dtype bytes[] = {TACHO_DTYPE_U8, TACHO_DTYPE_I8};
    tacho_shape shape = {.rank = (int32_t)choose(self, 0, 5)};
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 0};
    for (int32_t i = 0; i < shape.rank; i++) {
        int64_t chosen = choose(self, 0, 39); /* nothing at all is seldom */
        shape.dims[i] = sizes[chosen == 39 ? 9 : chosen % 9];
    }
    while (!is_small(&shape)) {
        shape.rank--;
    }
    int64_t ends = choose(self, 0, 7);
    bool is_byte_in = ends >= 5, is_byte_out = ends == 4 || ends >= 6;
    self->here = input(self, is_byte_in ? bytes[choose(self, 0, 1)] : TACHO_DTYPE_F32, shape);
    if (is_byte_in) {
        add_scaling(self, "DequantizeLinear", (tacho_dtype)self->program.tensors[self->here].dtype,
                    false);
    }
    int64_t count = choose(self, 1, STEPS_MAX);
    for (int64_t i = 0; i < count; i++) {
        self->op = (uint32_t)self->program.op_count;
        self->op -= self->op > 0 && choose(self, 0, 3) > 0 ? 1 : 0;
        kinds[choose(self, 0, KINDS - 1)](self);
    }
    if (is_byte_out) {
        add_scaling(self, "QuantizeLinear", bytes[choose(self, 0, 1)], true);
    }
}

/* ---- comparing ----------------------------------------------------------------------------- */

static tacho_status execute(const tacho_program *program, tacho_kernel_choice choice,
                            tacho_execution **out)
{
    TACHO_TRY(tacho_execution_create(program, choice, 1, out));
    for (size_t i = 0; i < program->input_count; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        tacho_array array = {(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor),
                             calloc((size_t)tensor->bytes + 1, 1)};
        require(array.data != NULL);
        tacho_random_fill(array.dtype, i + 7, tensor->bytes, array.data);
        for (uint64_t j = 0; array.dtype == TACHO_DTYPE_F32 && j < tensor->bytes / 4; j++) {
            ((float *)array.data)[j] *= 8;
        }
        tacho_status status = tacho_execution_set_input(*out, i, &array);
        free(array.data);
        TACHO_TRY(status);
    }
    return tacho_execution_run(*out);
}

static double element(const tacho_array *array, uint64_t i)
{
    return array->dtype == TACHO_DTYPE_F32  ? (double)((const float *)array->data)[i]
           : array->dtype == TACHO_DTYPE_I8 ? ((const signed char *)array->data)[i]
                                            : ((const unsigned char *)array->data)[i];
}

static void compare(tacho_execution *const *executions)
{
    tacho_array expected, found;
    uint64_t count = 0;
    require_ok(tacho_execution_output(executions[0], 0, &expected));
    require_ok(tacho_execution_output(executions[1], 0, &found));
    require(expected.dtype == found.dtype && tacho_shape_equal(&expected.shape, &found.shape));
    require(tacho_shape_elements(&expected.shape, &count));
    double largest = 0;
    for (uint64_t i = 0; i < count; i++) {
        double size = fabs(element(&expected, i));
        if (!isfinite(size) || size > 1e30) {
            return;
        }
        largest = fmax(largest, size);
    }
    double most = expected.dtype == TACHO_DTYPE_F32 ? 1e-4 + 1e-3 * largest : 1;
    for (uint64_t i = 0; i < count; i++) {
        if (!(fabs(element(&found, i) - element(&expected, i)) <= most)) {
            fprintf(stderr, "element %llu of %llu is %g, expected %g\n", (unsigned long long)i,
                    (unsigned long long)count, element(&found, i), element(&expected, i));
            abort();
        }
    }
}

static void describe(const tacho_program *program)
{
    for (size_t i = 0; i < program->step_count; i++) {
        const tacho_step *step = &program->steps[i];
        fprintf(stderr, "op %u %s:", (unsigned)step->op,
                tacho_strings_get(&program->strings, step->type).data);
        for (uint32_t j = 0; j < step->input_count + 1u; j++) {
            uint32_t id = program->links[step->first_link + j];
            char shape[TACHO_SHAPE_TEXT_MAX];
            fprintf(stderr, " %d[%s]", (int)id,
                    id == TACHO_NONE
                        ? ""
                        : tacho_shape_print(tacho_program_shape(program, &program->tensors[id]),
                                            shape, sizeof(shape)));
        }
        fprintf(stderr, "\n");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static maker self;
    tacho_execution *executions[2] = {NULL, NULL};
    tacho_status statuses[2];
    memset(&self, 0, sizeof(self));
    self.data = data;
    self.size = size;
    self.seed = 1;
    require_ok(tacho_program_init(&self.program));
    make(&self);
    tacho_program *program = &self.program;
    program->constants = tacho_str_make((const char *)self.pool, sizeof(self.pool));
    require_ok(tacho_grow(&program->outputs, &program->output_capacity, 1));
    program->outputs[program->output_count++] = self.here;
    if (getenv("FUZZ_DESCRIBE") != NULL) {
        describe(program);
    }
    for (int i = 0; i < 2; i++) {
        statuses[i] =
            execute(program, i == 0 ? TACHO_KERNELS_REFERENCE : TACHO_KERNELS_FAST, &executions[i]);
    }
    if ((statuses[0] == TACHO_OK) != (statuses[1] == TACHO_OK)) {
        fprintf(stderr, "reference: %s; fast: %s\n",
                statuses[0] == TACHO_OK ? "computed" : tacho_status_message(statuses[0]),
                statuses[1] == TACHO_OK ? "computed" : tacho_status_message(statuses[1]));
        abort();
    }
    if (statuses[0] == TACHO_OK) {
        compare(executions);
    } else if (getenv("FUZZ_DESCRIBE") != NULL) {
        fprintf(stderr, "refused: %s\n", tacho_status_message(statuses[0]));
    }
    for (int i = 0; i < 2; i++) {
        tacho_status_free(statuses[i]);
        tacho_execution_free(executions[i]);
    }
    tacho_program_deinit(program);
    return 0;
}
