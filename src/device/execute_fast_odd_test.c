/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast kernels against reference kernels: random sizes and attributes, NaN and infinities.
 */
#include "device/execute_fast_testing.h"

/* ---- by chance ----------------------------------------------------------------------------- */

static int64_t chance(uint64_t *state, int64_t low, int64_t high)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)((*state >> 33) % (uint64_t)(high - low + 1));
}

/* A window that fits: sizes of the output follow. */
static void make_window(uint64_t *state, bool is_transposed, conv_case *out)
{
    int32_t rank = (int32_t)chance(state, 3, 5);
    out->data = out->filters = out->out = (tacho_shape){.rank = rank};
    out->groups = chance(state, 0, 2) == 0 ? chance(state, 1, 4) : 1;
    int64_t in = chance(state, 1, 9) * out->groups,
            made_channels = chance(state, 1, 9) * out->groups;
    out->data.dims[0] = out->out.dims[0] = chance(state, 1, 2);
    out->data.dims[1] = in;
    out->out.dims[1] = made_channels;
    out->filters.dims[0] = is_transposed ? in : made_channels;
    out->filters.dims[1] = (is_transposed ? made_channels : in) / out->groups;
    for (int32_t i = 0; i < rank - 2; i++) {
        out->strides[i] = chance(state, 1, 3);
        out->dilations[i] = chance(state, 1, 2);
        out->pads[i] = chance(state, 0, 2);
        out->pads[rank - 2 + i] = chance(state, 0, 2);
        out->filters.dims[2 + i] = chance(state, 1, 3);
        int64_t reach = (out->filters.dims[2 + i] - 1) * out->dilations[i] + 1;
        int64_t padding = out->pads[i] + out->pads[rank - 2 + i];
        out->data.dims[2 + i] = chance(state, reach, reach + 5);
        out->out.dims[2 + i] =
            is_transposed ? (out->data.dims[2 + i] - 1) * out->strides[i] + reach - padding
                          : (out->data.dims[2 + i] + padding - reach) / out->strides[i] + 1;
    }
}

static bool is_real_shape(const tacho_shape *shape)
{
    uint64_t count;
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 1) {
            return false;
        }
    }
    return tacho_shape_elements(shape, &count) && count < 10000;
}

static uint32_t chance_window(fixture *self, uint64_t *state, int kind)
{
    static const char *const types[] = {"Conv", "ConvTranspose", "MaxPool", "AveragePool"};
    conv_case at;
    do {
        make_window(state, kind == 1, &at);
    } while (!is_real_shape(&at.out) || !is_real_shape(&at.data) || !is_real_shape(&at.filters));
    bool is_pool = kind > 1;
    if (is_pool) {
        at.out.dims[1] = at.data.dims[1];
        add_ints(self, "kernel_shape", at.filters.dims + 2, (uint32_t)at.data.rank - 2);
        add_int(self, "count_include_pad", chance(state, 0, 1));
    }
    uint32_t spatial = (uint32_t)at.data.rank - 2;
    int64_t *kept = malloc(12 * sizeof(*kept)); /* as long as the program: freed with it */
    assert_non_null(kept);
    memcpy(kept, at.strides, 3 * sizeof(*kept));
    memcpy(kept + 3, at.dilations, 3 * sizeof(*kept));
    memcpy(kept + 6, at.pads, 6 * sizeof(*kept));
    self->kept = kept;
    add_ints(self, "strides", kept, spatial);
    add_ints(self, "pads", kept + 6, 2 * spatial);
    if (kind != 3) {
        add_ints(self, "dilations", kept + 3, spatial);
    }
    if (is_pool) {
        memcpy(self->kernel, at.filters.dims + 2, 3 * sizeof(*kept));
        self->program.attrs[0].value.as_ints = self->kernel;
    } else {
        add_int(self, "group", at.groups);
    }
    uint32_t x = input(self, TACHO_DTYPE_F32, at.data);
    uint32_t y = made(self, TACHO_DTYPE_F32, at.out);
    if (is_pool) {
        add_step(&self->program, 0, types[kind], INPUTS(x), y);
    } else {
        uint32_t filters = constant(self, TACHO_DTYPE_F32, at.filters, NULL);
        add_step(&self->program, 0, types[kind], INPUTS(x, filters), y);
    }
    return y;
}

static tacho_shape chance_shape(uint64_t *state, int32_t least)
{
    tacho_shape shape = {.rank = (int32_t)chance(state, least, 5)};
    for (int32_t i = 0; i < shape.rank; i++) {
        shape.dims[i] = chance(state, 1, 6);
    }
    return shape;
}

static uint32_t chance_other(fixture *self, uint64_t *state, int kind)
{
    tacho_shape in = chance_shape(state, 2), out = in;
    uint32_t x = input(self, TACHO_DTYPE_F32, in), y;
    int64_t axis = chance(state, 0, in.rank - 1);
    switch (kind) {
    case 4:
        add_int(self, "axis", axis - (chance(state, 0, 1) == 0 ? in.rank : 0));
        y = step(self, "Softmax", INPUTS(x), x);
        if (chance(state, 0, 1) == 0) {
            self->program.steps[0].opset = 11;
        }
        return y;
    case 5: {
        static const char *const types[] = {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"};
        self->kernel[0] = axis;
        add_ints(self, "axes", self->kernel, 1);
        out.dims[axis] = 1;
        bool keeps = chance(state, 0, 1) == 1;
        add_int(self, "keepdims", keeps);
        for (int64_t i = axis; !keeps && i + 1 < out.rank; i++) {
            out.dims[i] = out.dims[i + 1];
        }
        out.rank -= keeps ? 0 : 1;
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, types[chance(state, 0, 3)], INPUTS(x), y);
        self->program.steps[0].opset = 11; /* axes are an attribute */
        return y;
    }
    case 6:
        for (int32_t i = 0; i < in.rank; i++) {
            self->order[i] = i;
        }
        for (int32_t i = in.rank - 1; i > 0; i--) {
            int64_t with = chance(state, 0, i), kept = self->order[i];
            self->order[i] = self->order[with];
            self->order[with] = kept;
        }
        for (int32_t i = 0; i < in.rank; i++) {
            out.dims[i] = in.dims[self->order[i]];
        }
        add_ints(self, "perm", self->order, (uint32_t)in.rank);
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "Transpose", INPUTS(x), y);
        return y;
    case 7:
        add_int(self, "axis", axis);
        out.dims[axis] = 3 * in.dims[axis];
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "Concat",
                 INPUTS(x, constant(self, TACHO_DTYPE_F32, in, NULL), x), y);
        return y;
    case 8: {
        static const char *const types[] = {"Add", "Sub", "Mul", "Max", "Min"};
        tacho_shape other = in;
        for (int32_t i = 0; i < in.rank; i++) {
            other.dims[i] = chance(state, 0, 1) == 0 ? 1 : in.dims[i];
        }
        uint32_t b = constant(self, TACHO_DTYPE_F32, other, NULL);
        bool is_first = chance(state, 0, 1) == 0;
        return step(self, types[chance(state, 0, 4)], INPUTS(is_first ? x : b, is_first ? b : x),
                    x);
    }
    default: {
        tacho_shape b = in;
        int64_t columns = chance(state, 1, 9);
        b.dims[b.rank - 2] = in.dims[in.rank - 1];
        b.dims[b.rank - 1] = out.dims[out.rank - 1] = columns;
        for (int32_t i = 0; i < b.rank - 2; i++) {
            b.dims[i] = chance(state, 0, 1) == 0 ? 1 : b.dims[i];
        }
        y = made(self, TACHO_DTYPE_F32, out);
        add_step(&self->program, 0, "MatMul", INPUTS(x, constant(self, TACHO_DTYPE_F32, b, NULL)),
                 y);
        return y;
    }
    }
}

/* NaN and infinities through functions that do not bound them. */
static void test_infinities(void **state)
{
    (void)state;
    static const char *const types[] = {"Clip", "Clip", "Clip", "Clip", "Relu", "LeakyRelu"};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {8, 19}});
        float *values = self->input.data;
        values[0] = (float)INFINITY;
        values[1] = -(float)INFINITY;
        values[2] = 3.4028234663852886e38f;
        uint32_t low = i % 2 == 0 ? TACHO_NONE : number(self, -0.01f);
        uint32_t high = i / 2 == 0 ? TACHO_NONE : number(self, 0.01f);
        uint32_t y = i < 4 ? step(self, "Clip", INPUTS(x, low, high), x)
                           : step(self, types[i], INPUTS(x), x);
        expect_same(self, y);
        free(self->input.data);
        tacho_program_deinit(&self->program);
        free(self);
    }
}

/* ---- NaN and infinities --------------------------------------------------------------------- */

typedef struct odd_case {
    const char *type;
    int32_t inputs;   /* of the shape of the first, all with odd numbers */
    const char *next; /* the next step of the same op, or NULL */
    tacho_shape in, out;
} odd_case;

#define ODD_EACH(type_, inputs_)                                                                   \
    {                                                                                              \
        type_, inputs_, NULL, {4, {1, 8, 6, 6}},                                                   \
        {                                                                                          \
            4,                                                                                     \
            {                                                                                      \
                1, 8, 6, 6                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

#define ODD_THEN(type_, inputs_, next_)                                                            \
    {                                                                                              \
        type_, inputs_, next_, {4, {1, 8, 6, 6}},                                                  \
        {                                                                                          \
            4,                                                                                     \
            {                                                                                      \
                1, 8, 6, 6                                                                         \
            }                                                                                      \
        }                                                                                          \
    }

static const odd_case odd_cases[] = {
    ODD_EACH("Abs", 1),
    ODD_EACH("Clip", 1),
    ODD_EACH("Elu", 1),
    ODD_EACH("Exp", 1),
    ODD_EACH("Gelu", 1),
    ODD_EACH("HardSigmoid", 1),
    ODD_EACH("HardSwish", 1),
    ODD_EACH("LRN", 1),
    ODD_EACH("LeakyRelu", 1),
    ODD_EACH("LogSoftmax", 1),
    ODD_EACH("Mish", 1),
    ODD_EACH("Neg", 1),
    ODD_EACH("Reciprocal", 1),
    ODD_EACH("Relu", 1),
    ODD_EACH("Sigmoid", 1),
    ODD_EACH("Softmax", 1),
    ODD_EACH("Softplus", 1),
    ODD_EACH("Sqrt", 1),
    ODD_EACH("Swish", 1),
    ODD_EACH("Tanh", 1),
    ODD_EACH("Add", 2),
    ODD_EACH("Div", 2),
    ODD_EACH("Max", 2),
    ODD_EACH("Min", 2),
    ODD_EACH("Mul", 2),
    ODD_EACH("Sub", 2),
    ODD_EACH("Sum", 3),
    ODD_THEN("Add", 2, "Relu"),
    ODD_THEN("Mul", 2, "Exp"),
    ODD_THEN("Sub", 2, "Sigmoid"),
    ODD_THEN("Conv", 1, NULL),
    ODD_THEN("Conv", 1, "Relu"),
    ODD_THEN("Conv", 1, "Clip"),
    ODD_THEN("Conv", 1, "Sigmoid"),
    {"MatMul", 1, NULL, {2, {6, 8}}, {2, {6, 8}}},
    {"MatMul", 1, "Relu", {2, {6, 8}}, {2, {6, 8}}},
    {"MatMul", 1, "Gelu", {2, {6, 8}}, {2, {6, 8}}},
    {"LayerNormalization", 1, NULL, {2, {6, 8}}, {2, {6, 8}}},
    {"MaxPool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 5, 5}}},
    {"AveragePool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 5, 5}}},
    {"GlobalMaxPool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 1, 1}}},
    {"GlobalAveragePool", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 1, 1}}},
    {"ReduceMax", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceMin", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceMean", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"ReduceSum", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 1}}},
    {"QuantizeLinear", 1, NULL, {4, {1, 8, 6, 6}}, {4, {1, 8, 6, 6}}},
};

/* Puts one of NaN, infinity and its negative, or all, at places that differ by input. */
static void make_odd(tacho_array *array, unsigned which, unsigned from)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY};
    float *values = array->data;
    for (unsigned i = 0; i < 3; i++) {
        if (which == 3 || which == i) {
            values[from + 7 * i] = odd[i];
        }
    }
}

static uint32_t add_odd_step(fixture *self, const odd_case *at, uint32_t x)
{
    static const int64_t window[] = {2, 2}, last[] = {-1};
    uint32_t inputs[] = {x, TACHO_NONE, TACHO_NONE, (uint32_t)INPUTS_END};
    tacho_dtype dtype = TACHO_DTYPE_F32;
    for (int32_t i = 1; i < at->inputs; i++) {
        inputs[i] = another_input(self, at->in);
    }
    if (strstr(at->type, "Pool") != NULL && at->type[0] != 'G') {
        add_ints(self, "kernel_shape", window, 2);
    } else if (strncmp(at->type, "Reduce", 6) == 0 && strcmp(at->type, "ReduceSum") != 0) {
        add_ints(self, "axes", last, 1);
    } else if (strcmp(at->type, "ReduceSum") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_I64, (tacho_shape){1, {1}}, last);
    } else if (strcmp(at->type, "LRN") == 0) {
        add_int(self, "size", 3);
    } else if (strcmp(at->type, "Conv") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){4, {8, 8, 1, 1}}, NULL);
    } else if (strcmp(at->type, "MatMul") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){2, {8, 8}}, NULL);
    } else if (strcmp(at->type, "LayerNormalization") == 0) {
        inputs[1] = constant(self, TACHO_DTYPE_F32, (tacho_shape){1, {8}}, NULL);
    } else if (strcmp(at->type, "Clip") == 0) {
        inputs[1] = number(self, -0.25f);
        inputs[2] = number(self, 0.25f);
    } else if (strcmp(at->type, "QuantizeLinear") == 0) {
        inputs[1] = number(self, 0.01f);
        dtype = TACHO_DTYPE_U8;
    }
    uint32_t y = made(self, dtype, at->out);
    uint32_t count = 3;
    for (; count > 1 && inputs[count - 1] == TACHO_NONE; count--) {
    }
    inputs[count] = (uint32_t)INPUTS_END;
    add_step(&self->program, 0, at->type, inputs, y);
    return at->next == NULL                ? y
           : strcmp(at->next, "Clip") == 0 ? step(self, "Clip", INPUTS(y, number(self, -0.1f)), y)
                                           : step(self, at->next, INPUTS(y), y);
}

/* NaN and infinities appear where reference kernels have them. */
static void test_odd_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < 4 * sizeof(odd_cases) / sizeof(odd_cases[0]); i++) {
        const odd_case *at = &odd_cases[i / 4];
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        uint32_t x = input(self, TACHO_DTYPE_F32, at->in);
        uint32_t y = add_odd_step(self, at, x);
        make_odd(&self->input, i % 4, 3);
        for (size_t j = 0; j < self->other_count; j++) {
            make_odd(&self->others[j], i % 4, 4);
        }
        expect_same(self, y);
        end(self);
        free(self);
    }
}

/* NaN that another thread than the caller's finds, in one run; and op by op. */
static void test_odd_threads(void **state)
{
    (void)state;
    enum { COUNT = 1 << 20 };
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {4, COUNT / 4}});
    uint32_t y = step(self, "Neg", INPUTS(x), x);
    uint32_t z = made(self, TACHO_DTYPE_F32, (tacho_shape){2, {4, COUNT / 4}});
    add_step(&self->program, 1, "Relu", INPUTS(y), z);
    add_all_ends(self, z);
    tacho_execution *execution;
    assert_null(tacho_execution_create(&self->program, TACHO_KERNELS_FAST, 2, &execution));
    for (int i = 0; i < 6; i++) { /* without, at the front, at the end */
        float *values = self->input.data;
        tacho_array output;
        size_t odd = i % 3 == 1 ? 5 : COUNT - 5;
        float kept = values[odd];
        values[odd] = i % 3 == 0 ? kept : (float)NAN;
        set_all(self, execution);
        if (i < 3) {
            assert_null(tacho_execution_run(execution));
        } else {
            assert_null(tacho_execution_run_op(execution, 0));
            assert_null(tacho_execution_run_op(execution, 1));
        }
        assert_null(tacho_execution_output(execution, 0, &output));
        assert_true(isnan(((const float *)output.data)[odd]) == (i % 3 != 0));
        values[odd] = kept;
        assert_true(((const float *)output.data)[9] == fmaxf(-values[9], 0));
        assert_null(tacho_execution_output(execution, 0, &output)); /* not computed once more */
    }
    assert_int_equal(tacho_execution_count(execution).recomputed, has_fast ? 4 : 0);
    tacho_execution_free(execution);
    end(self);
    free(self);
}

/* Memory for this many pieces, and no more. */
typedef struct few_pieces {
    float places[16][16];
    size_t count, most;
} few_pieces;

static void *take_piece(void *self, uint64_t bytes)
{
    few_pieces *pieces = self;
    assert_true(bytes <= sizeof(pieces->places[0]));
    return pieces->count < pieces->most ? pieces->places[pieces->count++] : NULL;
}

/* Sets NaN or a number, runs and expects the same at the end of both steps. */
static void expect_odd(fixture *self, tacho_execution *execution, bool is_odd, bool by_op)
{
    tacho_array output;
    float *values = self->input.data;
    values[1] = is_odd ? (float)NAN : 4;
    set_all(self, execution);
    if (by_op) {
        assert_null(tacho_execution_run_op(execution, 0));
        assert_null(tacho_execution_run_op(execution, 1));
    } else {
        assert_null(tacho_execution_run(execution));
    }
    assert_null(tacho_execution_output(execution, 0, &output));
    const float *got = output.data;
    assert_true(is_odd ? isnan(got[1]) : got[1] == 4);
    assert_true(got[0] == 7 && got[2] == 0);
}

/* Without memory to compute it again, the execution fails every later call. */
static void expect_lost(fixture *self, tacho_execution *execution)
{
    tacho_array output;
    ((float *)self->input.data)[1] = (float)NAN;
    set_all(self, execution);
    assert_null(tacho_execution_run(execution));
    tacho_status failures[] = {tacho_execution_output(execution, 0, &output),
                               tacho_execution_output(execution, 0, &output),
                               tacho_execution_run_op(execution, 0), tacho_execution_run(execution),
                               tacho_execution_set_input(execution, 0, &self->input)};
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        assert_int_equal(tacho_status_code(failures[i]), TACHO_CODE_NO_MEMORY);
        tacho_status_free(failures[i]);
    }
}

/* Two ops, on three numbers. */
static fixture *begin_odd(void)
{
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
    uint32_t y = step(self, "Relu", INPUTS(x), x);
    uint32_t z = made(self, TACHO_DTYPE_F32, (tacho_shape){1, {3}});
    add_step(&self->program, 1, "Relu", INPUTS(y), z);
    add_all_ends(self, z);
    memcpy(self->input.data, (float[]){7, 4, -5}, 3 * sizeof(float));
    return self;
}

/* Where two executions are not allowed, reference kernels take over for good; counts of the run are
 * still those of the kernels that were timed. */
static void test_odd_takes_over(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* with memory to compute it again, and without */
        fixture *self = begin_odd();
        few_pieces pieces = {.most = 16};
        tacho_execution_memory memory = {take_piece, &pieces};
        tacho_execution_options options = {
            .threads = 1, .twice_max = 1, .memory = i == 0 ? NULL : &memory};
        tacho_execution *execution;
        assert_null(tacho_execution_open(&self->program, &options, &execution));
        tacho_execution_counts before = tacho_execution_count(execution);
        uint64_t peak = tacho_execution_peak_bytes(execution);
        bool computes[] = {tacho_execution_computes_op(execution, 0),
                           tacho_execution_computes_op(execution, 1)};
        expect_odd(self, execution, false, false);
        for (int j = 0; j < 4 && i == 0; j++) {
            expect_odd(self, execution, j % 2 == 0, j > 1);
        }
        assert_int_equal(tacho_execution_count(execution).recomputed, has_fast && i == 0 ? 1 : 0);
        if (i == 1 && has_fast) {
            pieces.most = pieces.count;
            expect_lost(self, execution);
        }
        assert_int_equal(tacho_execution_count(execution).fast, before.fast);
        assert_int_equal(tacho_execution_count(execution).reference, before.reference);
        assert_int_equal(tacho_execution_peak_bytes(execution), peak);
        for (uint32_t op = 0; op < 2; op++) {
            bool is_lost = i == 1 && has_fast;
            assert_int_equal(tacho_execution_computes_op(execution, op), computes[op] && !is_lost);
        }
        tacho_execution_free(execution);
        end(self);
        free(self);
    }
}

/* Operators with sizes and attributes by chance. */
static void test_chance(void **state)
{
    (void)state;
    uint64_t chances = 7;
    for (int i = 0; i < 1500; i++) {
        fixture *self = malloc(sizeof(*self));
        assert_non_null(self);
        begin(self);
        int kind = i % 10;
        uint32_t y =
            kind < 4 ? chance_window(self, &chances, kind) : chance_other(self, &chances, kind);
        expect_same(self, y);
        assert_int_equal(counted.recomputed, 0);
        free(self->input.data);
        free(self->kept);
        tacho_program_deinit(&self->program);
        free(self);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_infinities),  cmocka_unit_test(test_odd_numbers),
        cmocka_unit_test(test_odd_threads), cmocka_unit_test(test_odd_takes_over),
        cmocka_unit_test(test_chance),
    };
    return cmocka_run_group_tests(tests, look_for_fast, NULL);
}
