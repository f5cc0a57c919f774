/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of recurrent layers: with activations that are exact, worked out by hand, and against the
 * equations of the specification; and operands and results that do not fit.
 */
#include "kernels/kernel_testing.h"
#include "kernels/quick.h"

#include <string.h>

#define NAMES(...)                                                                                 \
    {                                                                                              \
        .name = TACHO_STR_INIT("activations"), .kind = TACHO_ATTR_TEXTS,                           \
        .count = sizeof((tacho_str[]){__VA_ARGS__}) / sizeof(tacho_str),                           \
        .value.as_texts = (tacho_str[])                                                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define RELU NAMES(TACHO_STR("Relu"))
#define PLAIN TACHO_STR("Affine") /* x, without parameters */
#define LINEAR NAMES(PLAIN, PLAIN, PLAIN)

/* h = relu(2x + h), of three steps of two sequences: 1 1 1 and 2 0 -9. */
#define X ARRAY(F32, SHAPE(3, 2, 1), 1, 2, 1, 0, 1, -9)
#define W ARRAY(F32, SHAPE(1, 1, 1), 2)
#define R ARRAY(F32, SHAPE(1, 1, 1), 1)

static void test_rnn(void **state)
{
    (void)state;
    tacho_shape all = SHAPE(3, 1, 2, 1);
    check(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU}},
          ARRAY(F32, all, 2, 4, 4, 4, 6, 0));
    check(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU, REAL("clip", 3)}},
          ARRAY(F32, all, 2, 3, 3, 3, 3, 0));
    check(
        &(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU, TEXT("direction", "reverse")}},
        ARRAY(F32, all, 6, 4, 4, 0, 2, 0));
    check(&(trial){.name = "RNN",
                   .inputs = {X, W, R, NULL, NULL, ARRAY(F32, SHAPE(1, 2, 1), 10, 20)},
                   .attrs = {RELU}},
          ARRAY(F32, all, 12, 24, 14, 24, 16, 6));
}

static void test_lengths(void **state)
{
    (void)state;
    F32_type memory[6] = {9, 9, 9, 9, 9, 9}, last_memory[2] = {9, 9};
    tacho_array outputs[2] = {{TACHO_DTYPE_F32, SHAPE(3, 1, 2, 1), memory},
                              {TACHO_DTYPE_F32, SHAPE(1, 2, 1), last_memory}};
    trial given = {
        .name = "RNN",
        .inputs = {X, W, R, NULL, ARRAY(I32, SHAPE(2), 0, 2), ARRAY(F32, SHAPE(1, 2, 1), 10, 20)},
        .attrs = {RELU}};
    tacho_status status = run(&given, outputs, 2);
    assert_null(status);
    assert_memory_equal(memory, ((F32_type[]){0, 24, 0, 24, 0, 0}), sizeof(memory));
    assert_memory_equal(last_memory, ((F32_type[]){10, 24}), sizeof(last_memory));
    const tacho_array *const bad[] = {
        ARRAY(I32, SHAPE(2), 4, 1),    ARRAY(I32, SHAPE(2), -1, 1), ARRAY(F32, SHAPE(2), 1, 1),
        ARRAY(I32, SHAPE(2, 1), 1, 1), ARRAY(I32, SHAPE(1), 1),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        given.inputs[4] = bad[i];
        check_failure(&given, TACHO_DTYPE_F32, SHAPE(3, 1, 2, 1), TACHO_CODE_BAD_DATA);
    }
}

/* Gates i o f c are 0.5, 1, 7 and 2 at each step; coupled, f is 1 - 0.5. */
static void test_lstm(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(F32, SHAPE(2, 1, 1), 1, 1);
    const tacho_array *w = ARRAY(F32, SHAPE(1, 4, 1), 0.5f, 1, 7, 2);
    const tacho_array *r = ARRAY(F32, SHAPE(1, 4, 1), 0, 0, 0, 0);
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 1, 8));
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR, INT("input_forget", 1)}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 1, 1.5f));
    check(&(trial){.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR, REAL("clip", 1)}},
          ARRAY(F32, SHAPE(2, 1, 1, 1), 0.5f, 1));
}

/*
 * With activations that leave numbers as they are, c = f c + i g and h = o c. x is (5 - 3) / 2 = 1,
 * and of the first step i is (68 - 8) / 4 = 15, o 1, f 0 and g 17: c and h are 255, which is 255
 * quanta of 1. In the second step o and f have 255 more: c = 255 * 255 + 255 and h = 256 c.
 */
static void test_quantised(void **state)
{
    (void)state;
    trial given = {
        .name = "tacho.QuantisedLSTM",
        .inputs = {ARRAY(U8, SHAPE(2, 1, 1), 5, 5), ARRAY(I8, SHAPE(1, 4, 1), 68, 12, 8, 76),
                   ARRAY(I8, SHAPE(1, 4, 1), 0, 1, 1, 0), NULL, NULL, NULL, NULL, NULL,
                   ARRAY(F32, SCALAR, 0.5f), ARRAY(U8, SCALAR, 3), ARRAY(F32, SHAPE(1), 0.25f),
                   ARRAY(I8, SHAPE(1), 8), ARRAY(F32, SHAPE(1, 4), 1, 1, 1, 1), NULL},
        .attrs = {LINEAR}};
    check(&given, ARRAY(F32, SHAPE(2, 1, 1, 1), 255, 256 * 65280));
    const struct {
        size_t input;
        const tacho_array *wrong;
    } cases[] = {
        {0, ARRAY(I8, SHAPE(2, 1, 1), 5, 5)},
        {1, ARRAY(F32, SHAPE(1, 4, 1), 1, 1, 1, 1)},
        {8, NULL},
        {9, ARRAY(I8, SCALAR, 3)},
        {10, NULL},
        {10, ARRAY(F32, SHAPE(2), 1, 1)},
        {11, ARRAY(U8, SHAPE(1), 8)},
        {12, ARRAY(F32, SHAPE(1, 3), 1, 1, 1)},
        {13, ARRAY(I8, SHAPE(4), 1, 1, 1, 1)},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        trial bad = given;
        bad.inputs[cases[i].input] = cases[i].wrong;
        check_failure(&bad, TACHO_DTYPE_F32, SHAPE(2, 1, 1, 1), TACHO_CODE_BAD_DATA);
    }
}

/* Wrong types and shapes of each output, the others being right. */
static void test_bad_outputs(void **state)
{
    (void)state;
    const tacho_array *x = ARRAY(F32, SHAPE(2, 1, 1), 1, 1);
    const tacho_array *w = ARRAY(F32, SHAPE(1, 4, 1), 0.5f, 1, 7, 2);
    const tacho_array *r = ARRAY(F32, SHAPE(1, 4, 1), 0, 0, 0, 0);
    const trial given = {.name = "LSTM", .inputs = {x, w, r}, .attrs = {LINEAR}};
    const tacho_shape right[] = {SHAPE(2, 1, 1, 1), SHAPE(1, 1, 1), SHAPE(1, 1, 1)};
    const tacho_shape wrong[] = {SHAPE(1, 1, 1, 1), SHAPE(0, 1, 1), SHAPE(1, 1)};
    for (size_t i = 0; i < 7; i++) { /* right, a wrong shape of each, a wrong type of each */
        double memory[3][8];
        tacho_array outputs[3];
        for (size_t j = 0; j < 3; j++) {
            outputs[j] = (tacho_array){i == j + 4 ? TACHO_DTYPE_F64 : TACHO_DTYPE_F32,
                                       i == j + 1 ? wrong[j] : right[j], memory[j]};
        }
        tacho_status status = run(&given, outputs, 3);
        assert_int_equal(tacho_status_code(status), i == 0 ? TACHO_CODE_OK : TACHO_CODE_BAD_DATA);
        tacho_status_free(status);
    }
}

static void test_bad_operands(void **state)
{
    (void)state;
    tacho_shape all = SHAPE(3, 1, 2, 1);
    const tacho_array *flat = ARRAY(F32, SHAPE(1, 1), 2);
    double memory[2][8];
    check_failure(&(trial){.name = "RNN", .inputs = {X, flat, R}, .attrs = {RELU}}, TACHO_DTYPE_F32,
                  all, TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "RNN",
                           .inputs = {X, ARRAY(F32, SHAPE(1, 2, 1), 2, 2), R},
                           .attrs = {RELU}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    /* as many elements, but in other dimensions */
    check_failure(&(trial){.name = "GRU",
                           .inputs = {X, ARRAY(F32, SHAPE(3, 1, 1), 1, 1, 1),
                                      ARRAY(F32, SHAPE(1, 3, 1), 1, 1, 1)}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    check_failure(&(trial){.name = "RNN",
                           .inputs = {X, W, R},
                           .attrs = {RELU, TEXT("direction", "sideways")}},
                  TACHO_DTYPE_F32, all, TACHO_CODE_BAD_DATA);
    tacho_array outputs[3] = {
        {TACHO_DTYPE_F32, all, memory[0]}, {0}, {TACHO_DTYPE_F32, SHAPE(1, 2, 1), memory[1]}};
    tacho_status status =
        run(&(trial){.name = "RNN", .inputs = {X, W, R}, .attrs = {RELU}}, outputs, 3);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA); /* LSTM alone has a third */
    tacho_status_free(status);
}

/* ---- against the equations ----------------------------------------------------------------- */

/*
 * The layers of ONNX's specification once more, gate by gate and number by number, with the
 * functions of libm: gates have random weights, so that none can be another's, or have its sign.
 */
enum { STEPS = 3, BATCH = 2, INPUTS = 3, HIDDEN = 2, GATES_MAX = 4, ROWS_MAX = GATES_MAX * HIDDEN };

typedef struct weights {
    float x[STEPS * BATCH * INPUTS], w[ROWS_MAX * INPUTS], r[ROWS_MAX * HIDDEN];
    float biases[2 * ROWS_MAX], peepholes[3 * HIDDEN];
    float h[BATCH * HIDDEN], c[BATCH * HIDDEN];
} weights;

/* A way to run a layer. */
typedef struct layer_case {
    const char *name;
    int gates;
    bool is_coupled, is_reset_late, is_reverse;
    float clip;
} layer_case;

static void fill(float *numbers, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) { /* from -1 to 1 */
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        numbers[i] = (float)((double)(*seed >> 40) / 8388608 - 1);
    }
}

static double logistic(double x)
{
    return 1 / (1 + exp(-x));
}

static double within(const layer_case *of, double x)
{
    double most = (double)of->clip;
    return most > 0 ? fmin(fmax(x, -most), most) : x;
}

/* Row |row| of the weights of inputs, or of states, times |numbers|, with its bias. */
static double row_of_x(const weights *of, const layer_case *how, int row, const float *numbers)
{
    (void)how;
    double sum = (double)of->biases[row];
    for (int i = 0; i < INPUTS; i++) {
        sum += (double)of->w[row * INPUTS + i] * (double)numbers[i];
    }
    return sum;
}

static double row_of_h(const weights *of, const layer_case *how, int row, const double *numbers)
{
    double sum = (double)of->biases[how->gates * HIDDEN + row];
    for (int i = 0; i < HIDDEN; i++) {
        sum += (double)of->r[row * HIDDEN + i] * numbers[i];
    }
    return sum;
}

static void next_rnn(const weights *of, const layer_case *how, const float *x, double *h)
{
    double made[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        made[i] = tanh(within(how, row_of_x(of, how, i, x) + row_of_h(of, how, i, h)));
    }
    memcpy(h, made, sizeof(made));
}

static void next_gru(const weights *of, const layer_case *how, const float *x, double *h)
{
    double update[HIDDEN], reset[HIDDEN], kept[HIDDEN], made[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        int z = i, r = HIDDEN + i;
        update[i] = logistic(within(how, row_of_x(of, how, z, x) + row_of_h(of, how, z, h)));
        reset[i] = logistic(within(how, row_of_x(of, how, r, x) + row_of_h(of, how, r, h)));
        kept[i] = reset[i] * h[i];
    }
    for (int i = 0; i < HIDDEN; i++) {
        int row = 2 * HIDDEN + i;
        double past = how->is_reset_late ? reset[i] * row_of_h(of, how, row, h)
                                         : row_of_h(of, how, row, kept);
        made[i] = tanh(within(how, row_of_x(of, how, row, x) + past));
    }
    for (int i = 0; i < HIDDEN; i++) {
        h[i] = (1 - update[i]) * made[i] + update[i] * h[i];
    }
}

static void next_lstm(const weights *of, const layer_case *how, const float *x, double *h,
                      double *c)
{
    double gates[GATES_MAX * HIDDEN];
    for (int row = 0; row < GATES_MAX * HIDDEN; row++) {
        gates[row] = row_of_x(of, how, row, x) + row_of_h(of, how, row, h);
    }
    for (int i = 0; i < HIDDEN; i++) {
        const float *p = of->peepholes + i;
        double in = logistic(within(how, gates[i] + (double)p[0] * c[i]));
        double forget = gates[2 * HIDDEN + i] + (double)p[2 * HIDDEN] * c[i];
        forget = how->is_coupled ? 1 - in : logistic(within(how, forget));
        c[i] = forget * c[i] + in * tanh(within(how, gates[3 * HIDDEN + i]));
        h[i] = logistic(within(how, gates[HIDDEN + i] + (double)p[HIDDEN] * c[i])) * tanh(c[i]);
    }
}

/* All states of all sequences, as the first output has them. */
static void evaluate(const weights *of, const layer_case *how, double all[STEPS * BATCH * HIDDEN])
{
    for (int sequence = 0; sequence < BATCH; sequence++) {
        double h[HIDDEN], c[HIDDEN];
        for (int i = 0; i < HIDDEN; i++) {
            h[i] = (double)of->h[sequence * HIDDEN + i];
            c[i] = (double)of->c[sequence * HIDDEN + i];
        }
        for (int step = 0; step < STEPS; step++) {
            int row = (how->is_reverse ? STEPS - 1 - step : step) * BATCH + sequence;
            const float *x = of->x + row * INPUTS;
            if (how->gates == 1) {
                next_rnn(of, how, x, h);
            } else if (how->gates == 3) {
                next_gru(of, how, x, h);
            } else {
                next_lstm(of, how, x, h, c);
            }
            memcpy(all + row * HIDDEN, h, sizeof(h));
        }
    }
}

/* Runs the reference kernel, or the quick one, on the same numbers. */
static void run_layer(weights *of, const layer_case *how, bool is_quick,
                      float all[STEPS * BATCH * HIDDEN])
{
    int64_t rows = (int64_t)how->gates * HIDDEN;
    bool is_lstm = how->gates == 4;
    tacho_array x = {TACHO_DTYPE_F32, SHAPE(STEPS, BATCH, INPUTS), of->x};
    tacho_array w = {TACHO_DTYPE_F32, SHAPE(1, rows, INPUTS), of->w};
    tacho_array r = {TACHO_DTYPE_F32, SHAPE(1, rows, HIDDEN), of->r};
    tacho_array biases = {TACHO_DTYPE_F32, SHAPE(1, 2 * rows), of->biases};
    tacho_array h = {TACHO_DTYPE_F32, SHAPE(1, BATCH, HIDDEN), of->h};
    tacho_array c = {TACHO_DTYPE_F32, SHAPE(1, BATCH, HIDDEN), of->c};
    tacho_array peepholes = {TACHO_DTYPE_F32, SHAPE(1, 3 * HIDDEN), of->peepholes};
    const tacho_array *inputs[] = {&x, &w, &r, &biases, NULL, &h, &c, &peepholes};
    tacho_array output = {TACHO_DTYPE_F32, SHAPE(STEPS, 1, BATCH, HIDDEN), all};
    const tacho_attr attrs[] = {INT("input_forget", how->is_coupled),
                                INT("linear_before_reset", how->is_reset_late),
                                REAL("clip", (double)how->clip), TEXT("direction", "reverse")};
    tacho_kernel_call call = {.opset = 14,
                              .inputs = inputs,
                              .input_count = is_lstm ? 8 : 6,
                              .outputs = &output,
                              .output_count = 1,
                              .attrs = attrs,
                              .attr_count = how->is_reverse ? 4 : 3};
    tacho_str name = tacho_str_from_cstring(how->name);
    const tacho_kernel *kernel = is_quick ? tacho_quick_find(name, &call) : tacho_kernel_find(name);
    assert_non_null(kernel);
    assert_null(tacho_kernel_compute(kernel, &call));
}

static void test_values_follow_the_equations(void **state)
{
    (void)state;
    static const layer_case cases[] = {
        {"RNN", 1, false, false, false, 0},  {"RNN", 1, false, false, true, 0.5f},
        {"GRU", 3, false, false, false, 0},  {"GRU", 3, false, true, false, 0},
        {"GRU", 3, false, false, true, 0},   {"GRU", 3, false, true, false, 0.5f},
        {"LSTM", 4, false, false, false, 0}, {"LSTM", 4, true, false, false, 0},
        {"LSTM", 4, false, false, true, 0},  {"LSTM", 4, false, false, false, 0.5f},
    };
    weights of;
    uint64_t seed = 1;
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        const layer_case *how = &cases[i / 2];
        double expected[STEPS * BATCH * HIDDEN];
        float all[STEPS * BATCH * HIDDEN];
        fill((float *)&of, sizeof(of) / sizeof(float), &seed);
        evaluate(&of, how, expected);
        run_layer(&of, how, i % 2 == 1, all);
        for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
            if (!(fabs((double)all[k] - expected[k]) < 1e-5)) {
                fail_msg("%s, case %zu: number %zu is %g, expected %g", how->name, i, k,
                         (double)all[k], expected[k]);
            }
        }
    }
}

/* ---- activations --------------------------------------------------------------------------- */

/* h = f(x) of each function, below and above the places where it bends. */
static void test_activations_follow_their_definitions(void **state)
{
    (void)state;
    static float x[] = {-4, -2.6f, -2.4f, -0.5f, 0, 0.5f, 0.9f, 1.1f, 2.4f, 2.6f};
    enum { COUNT = sizeof(x) / sizeof(x[0]) };
    static const char *const names[] = {"Relu",       "Tanh",           "Sigmoid", "LeakyRelu",
                                        "ScaledTanh", "HardSigmoid",    "Elu",     "Softsign",
                                        "Softplus",   "ThresholdedRelu"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        float made[COUNT], one = 1, zero = 0;
        tacho_array data = {TACHO_DTYPE_F32, SHAPE(1, COUNT, 1), x};
        tacho_array w = {TACHO_DTYPE_F32, SHAPE(1, 1, 1), &one};
        tacho_array r = {TACHO_DTYPE_F32, SHAPE(1, 1, 1), &zero};
        tacho_array output = {TACHO_DTYPE_F32, SHAPE(1, 1, COUNT, 1), made};
        const trial given = {.name = "RNN",
                             .inputs = {&data, &w, &r},
                             .attrs = {NAMES(tacho_str_from_cstring(names[i]))}};
        assert_null(run(&given, &output, 1));
        for (size_t k = 0; k < COUNT; k++) {
            double v = (double)x[k];
            const double expected[] = {
                v > 0 ? v : 0,          tanh(v),           logistic(v),
                v < 0 ? 0.01 * v : v,   tanh(v),           fmin(fmax(0.2 * v + 0.5, 0), 1),
                v < 0 ? exp(v) - 1 : v, v / (1 + fabs(v)), log(1 + exp(v)),
                v > 1 ? v : 0};
            if (!(fabs((double)made[k] - expected[i]) < 1e-6)) {
                fail_msg("%s of %g is %g, expected %g", names[i], v, (double)made[k], expected[i]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rnn),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_lstm),
        cmocka_unit_test(test_quantised),
        cmocka_unit_test(test_bad_outputs),
        cmocka_unit_test(test_bad_operands),
        cmocka_unit_test(test_values_follow_the_equations),
        cmocka_unit_test(test_activations_follow_their_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
