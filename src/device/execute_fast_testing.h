/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of fast kernels: programs of a few steps, run by both kinds of kernels and
 * compared.
 */
#ifndef TACHO_DEVICE_EXECUTE_FAST_TESTING_H
#define TACHO_DEVICE_EXECUTE_FAST_TESTING_H

#include "device/execute_testing.h"
#include "kernels/element.h"
#include "kernels/onednn.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static bool has_fast;  /* whether this build and computer have fast kernels */
static bool has_bytes; /* and such for products of bytes */
static bool has_all;   /* and all that oneDNN has: older processors have some kernels less */
static tacho_execution_counts counted; /* of the last comparison's fast kernels */

typedef struct fixture {
    tacho_program program;
    unsigned char pool[1 << 16]; /* of constants */
    size_t used;
    tacho_array input, others[2]; /* besides the first, which is tensor 0 */
    uint32_t other_ids[2];
    size_t other_count;
    uint64_t seed;
    int64_t kernel[3], order[TACHO_RANK_MAX]; /* lists that attributes point to */
    void *kept;
} fixture;

static inline void begin(fixture *self)
{
    memset(self, 0, sizeof(*self));
    assert_null(tacho_program_init(&self->program));
    self->seed = 1;
}

static inline uint64_t bytes_of(const fixture *self, uint32_t id)
{
    return self->program.tensors[id].bytes;
}

/* A constant with |bytes|, or seeded ones where they are NULL. */
static inline uint32_t constant(fixture *self, tacho_dtype dtype, tacho_shape shape,
                                const void *bytes)
{
    uint32_t id = add_tensor(&self->program, "constant", dtype, TACHO_STORAGE_BYTES, shape);
    self->program.tensors[id].offset = self->used;
    assert_true(self->used + bytes_of(self, id) <= sizeof(self->pool));
    if (bytes != NULL) {
        memcpy(self->pool + self->used, bytes, bytes_of(self, id));
    } else {
        tacho_random_fill(dtype, self->seed++, bytes_of(self, id), self->pool + self->used);
    }
    self->used += (bytes_of(self, id) + 63) / 64 * 64;
    self->program.constants = tacho_str_make((const char *)self->pool, sizeof(self->pool));
    return id;
}

static inline uint32_t number(fixture *self, float value)
{
    return constant(self, TACHO_DTYPE_F32, (tacho_shape){0, {0}}, &value);
}

static inline uint32_t input(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    uint32_t id = add_tensor(&self->program, "x", dtype, TACHO_STORAGE_INPUT, shape);
    self->input = (tacho_array){dtype, shape, malloc((size_t)bytes_of(self, id))};
    assert_non_null(self->input.data);
    tacho_random_fill(dtype, self->seed++, bytes_of(self, id), self->input.data);
    return id;
}

static inline uint32_t another_input(fixture *self, tacho_shape shape)
{
    tacho_array first = self->input;
    assert_true(self->other_count < 2);
    uint32_t id = input(self, TACHO_DTYPE_F32, shape);
    self->others[self->other_count] = self->input;
    self->other_ids[self->other_count++] = id;
    self->input = first;
    return id;
}

/* Inputs and the output of a program that is complete. */
static inline void add_all_ends(fixture *self, uint32_t output)
{
    tacho_program *program = &self->program;
    program->tensors[output].storage = TACHO_STORAGE_OUTPUT;
    add_ends(program, 0, output);
    assert_null(tacho_grow(&program->inputs, &program->input_capacity, 3));
    for (size_t i = 0; i < self->other_count; i++) {
        program->inputs[program->input_count++] = self->other_ids[i];
    }
}

static inline void set_all(fixture *self, tacho_execution *execution)
{
    assert_null(tacho_execution_set_input(execution, 0, &self->input));
    for (size_t i = 0; i < self->other_count; i++) {
        assert_null(tacho_execution_set_input(execution, i + 1, &self->others[i]));
    }
}

static inline void end(fixture *self)
{
    free(self->input.data);
    free(self->others[0].data);
    free(self->others[1].data);
    tacho_program_deinit(&self->program);
}

static inline uint32_t made(fixture *self, tacho_dtype dtype, tacho_shape shape)
{
    return add_tensor(&self->program, "made", dtype, TACHO_STORAGE_ACTIVATION, shape);
}

/* A step of one op for all, whose result is like |like|. */
static inline uint32_t step(fixture *self, const char *type, const uint32_t *inputs, uint32_t like)
{
    const tacho_program_tensor *tensor = &self->program.tensors[like];
    uint32_t id =
        made(self, (tacho_dtype)tensor->dtype, *tacho_program_shape(&self->program, tensor));
    add_step(&self->program, 0, type, inputs, id);
    return id;
}

#define INPUTS(...) ((uint32_t[]){__VA_ARGS__, (uint32_t)INPUTS_END})

static inline void add_ints(fixture *self, const char *name, const int64_t *values, uint32_t count)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INTS,
                                          .count = count,
                                          .value.as_ints = values});
}

static inline void add_int(fixture *self, const char *name, int64_t value)
{
    add_attr(&self->program, (tacho_attr){.name = tacho_str_from_cstring(name),
                                          .kind = TACHO_ATTR_INT,
                                          .value.as_int = value});
}

/* ---- comparing ----------------------------------------------------------------------------- */

/* The output by one kind of kernels; its bytes are the caller's. */
static inline tacho_array run(fixture *self, tacho_kernel_choice choice,
                              tacho_execution_counts *out_counts)
{
    tacho_execution *execution;
    tacho_array output;
    uint64_t count, bytes;
    assert_null(tacho_execution_create(&self->program, choice, 1, &execution));
    set_all(self, execution);
    assert_null(tacho_execution_run(execution));
    assert_null(tacho_execution_run(execution)); /* nothing is left over from the first time */
    assert_null(tacho_execution_output(execution, 0, &output));
    assert_true(tacho_shape_elements(&output.shape, &count));
    assert_true(tacho_dtype_bytes(output.dtype, count, &bytes));
    void *copy = malloc((size_t)bytes);
    assert_non_null(copy);
    memcpy(copy, output.data, (size_t)bytes);
    output.data = copy;
    *out_counts = tacho_execution_count(execution);
    tacho_execution_free(execution);
    return output;
}

static inline double element(const tacho_array *array, uint64_t i)
{
    double real;
    switch ((int)array->dtype) {
    case TACHO_DTYPE_F16:
    case TACHO_DTYPE_BF16:
        tacho_read_reals(array, (int64_t)i, 1, 1, &real);
        return real;
    case TACHO_DTYPE_F32:
        return (double)((const float *)array->data)[i];
    case TACHO_DTYPE_I32:
        return ((const int32_t *)array->data)[i];
    case TACHO_DTYPE_I8:
        return ((const signed char *)array->data)[i];
    default:
        return ((const unsigned char *)array->data)[i];
    }
}

/* As many reference kernels as there are. */
enum { ANY = 1000 };

/* How the two differ at most, and how many elements do. Ends the fixture. */
static inline double compare(fixture *self, uint32_t output, unsigned reference,
                             uint64_t *out_differing)
{
    tacho_execution_counts counts, none;
    uint64_t count;
    double worst = 0, spread = 0;
    add_all_ends(self, output);
    tacho_array fast = run(self, TACHO_KERNELS_FAST, &counts);
    tacho_array exact = run(self, TACHO_KERNELS_REFERENCE, &none);
    assert_int_equal(none.fast, 0);
    assert_int_equal(counts.recomputed, 0);
    counted = counts;
    if (has_all && reference != ANY) {
        assert_int_equal(counts.reference, reference);
    }
    assert_true(tacho_shape_elements(&exact.shape, &count));
    *out_differing = 0;
    for (uint64_t i = 0; i < count; i++) {
        double away = fabs(element(&fast, i) - element(&exact, i));
        worst = away > worst || isnan(away) ? away : worst;
        *out_differing += away != 0 ? 1 : 0;
        spread = fmax(spread, fabs(element(&exact, i) - element(&exact, 0)));
    }
    assert_true(count < 8 || spread > 0); /* else anything would agree */
    free(fast.data);
    free(exact.data);
    end(self);
    return worst;
}

/* ---- convolutions of reals ----------------------------------------------------------------- */

typedef struct conv_case {
    tacho_shape data, filters, out;
    int64_t groups;
    int64_t strides[3], dilations[3], pads[6];
} conv_case;

static const conv_case convs[] = {
    {{4, {1, 8, 9, 9}}, {4, {16, 8, 3, 3}}, {4, {1, 16, 9, 9}}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {{4, {2, 3, 9, 7}}, {4, {5, 3, 3, 2}}, {4, {2, 5, 4, 7}}, 1, {2, 1}, {1, 1}, {0, 1, 0, 0}},
    {{4, {1, 32, 6, 6}}, {4, {32, 1, 3, 3}}, {4, {1, 32, 6, 6}}, 32, {1, 1}, {1, 1}, {1, 1, 1, 1}},
    {{4, {1, 8, 9, 9}}, {4, {12, 4, 3, 3}}, {4, {1, 12, 5, 5}}, 2, {1, 1}, {2, 2}, {0, 0, 0, 0}},
    {{4, {1, 32, 5, 5}}, {4, {64, 32, 1, 1}}, {4, {1, 64, 5, 5}}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}},
    {{3, {1, 4, 20}}, {3, {6, 4, 5}}, {3, {1, 6, 20}}, 1, {1}, {1}, {2, 2}},
    {{5, {1, 4, 5, 5, 5}},
     {5, {8, 4, 2, 2, 2}},
     {5, {1, 8, 4, 4, 4}},
     1,
     {1, 1, 1},
     {1, 1, 1},
     {0, 0, 0, 0, 0, 0}},
};

static inline void add_window(fixture *self, const conv_case *at)
{
    uint32_t spatial = (uint32_t)at->data.rank - 2;
    add_ints(self, "strides", at->strides, spatial);
    add_ints(self, "dilations", at->dilations, spatial);
    add_ints(self, "pads", at->pads, 2 * spatial);
    add_int(self, "group", at->groups);
}

/* Differs from compare in that both may refuse, for the same reason. */
static inline void expect_same(fixture *self, uint32_t output)
{
    tacho_execution *executions[2];
    tacho_status statuses[2];
    add_all_ends(self, output);
    for (int i = 0; i < 2; i++) {
        statuses[i] = tacho_execution_create(&self->program,
                                             i == 0 ? TACHO_KERNELS_FAST : TACHO_KERNELS_REFERENCE,
                                             1, &executions[i]);
        if (statuses[i] == TACHO_OK) {
            set_all(self, executions[i]);
            statuses[i] = tacho_execution_run(executions[i]);
        }
    }
    assert_int_equal(tacho_status_code(statuses[0]), tacho_status_code(statuses[1]));
    tacho_array found, expected;
    uint64_t count = 0;
    if (statuses[0] == TACHO_OK) {
        assert_null(tacho_execution_output(executions[0], 0, &found));
        assert_null(tacho_execution_output(executions[1], 0, &expected));
        assert_true(tacho_shape_elements(&expected.shape, &count));
    }
    for (uint64_t i = 0; i < count; i++) {
        double a = element(&found, i), b = element(&expected, i);
        if (!(fabs(a - b) <= 1e-5 + 1e-5 * fabs(b)) && !(isnan(a) && isnan(b)) && a != b) {
            fail_msg("%s: element %" PRIu64 " is %g, expected %g",
                     tacho_strings_get(&self->program.strings, self->program.steps[0].type).data, i,
                     a, b);
        }
    }
    counted = (tacho_execution_counts){0};
    for (int i = 1; i >= 0; i--) {
        if (statuses[i] == TACHO_OK) {
            counted = tacho_execution_count(executions[i]);
        }
        tacho_status_free(statuses[i]);
        tacho_execution_free(executions[i]);
    }
}

static inline int look_for_fast(void **state)
{
    (void)state;
    fixture *self = malloc(sizeof(*self));
    assert_non_null(self);
    begin(self);
    tacho_execution_counts counts;
    uint32_t x = input(self, TACHO_DTYPE_F32, (tacho_shape){2, {16, 16}});
    uint32_t y = step(self, "Relu", INPUTS(x), x);
    self->program.tensors[y].storage = TACHO_STORAGE_OUTPUT;
    add_ends(&self->program, x, y);
    free(run(self, TACHO_KERNELS_FAST, &counts).data);
    has_fast = counts.fast > 0;
    tacho_fast *fast;
    assert_null(tacho_fast_create(1, &fast));
    tacho_cpu_facts facts = tacho_cpu_read();
    tacho_isa isa = tacho_isa_choose(&facts, tacho_isa_limit()).isa;
    has_bytes = fast != NULL;
    has_all = fast != NULL && isa >= TACHO_ISA_AVX512_CORE_VNNI;
    print_message("fast kernels: %s%s\n", has_fast ? "yes" : "none here",
                  has_all ? ", all of them" : "");
    tacho_fast_free(fast);
    free(self->input.data);
    tacho_program_deinit(&self->program);
    free(self);
    return 0;
}

#endif
