/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOSA's operators: values worked out by hand from the definitions of TOSA 1.0.
 */
#include "kernels/kernel_testing.h"

#define ONE SHAPE(1)

static void test_rescale(void **state)
{
    (void)state;
    const tacho_array *half = ARRAY(I32, ONE, 1 << 30), *by31 = ARRAY(I8, ONE, 31);
    const tacho_array *by32 = ARRAY(I8, ONE, 32), *zero = ARRAY(I32, ONE, 0);
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {ARRAY(I32, SHAPE(5), 100, -100, 7, -7, INT32_MAX), half, by31, zero,
                              ARRAY(I8, ONE, 10)},
                   .attrs = {INT("scale32", 1), TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I8, SHAPE(5), 60, -40, 14, 7, 127));
    const tacho_array *small = ARRAY(I32, SHAPE(4), 1, -1, 2, -2);
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {small, half, by32, zero, zero},
                   .attrs = {TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I32, SHAPE(4), 0, 0, 1, 0));
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {small, half, by32, zero, zero},
                   .attrs = {TEXT("rounding_mode", "DOUBLE_ROUND")}},
          ARRAY(I32, SHAPE(4), 1, 0, 1, -1));
    /* 255 - 128 + 100 = 227, whose bits as i8 are -29; 0 - 128 + 100 is held at 0. */
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {ARRAY(I8, SHAPE(2), -1, 0), half, ARRAY(I8, ONE, 30),
                              ARRAY(I8, ONE, -128), ARRAY(I8, ONE, 100)},
                   .attrs = {INT("input_unsigned", 1), INT("output_unsigned", 1),
                             TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I8, SHAPE(2), -29, 0));
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {ARRAY(I32, SHAPE(2, 2), 8, 8, -8, -8),
                              ARRAY(I32, SHAPE(2), 1 << 30, 1 << 29), ARRAY(I8, SHAPE(2), 30, 31),
                              zero, zero},
                   .attrs = {INT("per_channel", 1), TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I32, SHAPE(2, 2), 8, 2, -8, -2));
    check_failure(
        &(trial){.name = "tosa.rescale", .inputs = {small, half, ARRAY(I8, ONE, 63), zero, zero}},
        TACHO_DTYPE_I32, SHAPE(4), TACHO_CODE_BAD_DATA);
}

static void test_bits(void **state)
{
    (void)state;
    const tacho_array *by1 = ARRAY(I32, ONE, 1);
    check(&(trial){.name = "tosa.arithmetic_right_shift",
                   .inputs = {ARRAY(I32, SHAPE(3), 5, -5, 4), by1},
                   .attrs = {INT("round", 1)}},
          ARRAY(I32, SHAPE(3), 3, -2, 2));
    check(&(trial){.name = "tosa.arithmetic_right_shift",
                   .inputs = {ARRAY(I32, SHAPE(3), 5, -5, 4), by1},
                   .attrs = {INT("round", 0)}},
          ARRAY(I32, SHAPE(3), 2, -3, 2));
    check(&(trial){.name = "tosa.logical_right_shift",
                   .inputs = {ARRAY(I8, SHAPE(2), -1, 64), ARRAY(I8, ONE, 1)}},
          ARRAY(I8, SHAPE(2), 127, 32));
    check(&(trial){.name = "tosa.logical_left_shift",
                   .inputs = {ARRAY(I8, SHAPE(2), 1, 64), ARRAY(I8, SHAPE(2), 3, 1)}},
          ARRAY(I8, SHAPE(2), 8, -128));
    check(&(trial){.name = "tosa.clz", .inputs = {ARRAY(I32, SHAPE(4), 0, 1, -1, 65536)}},
          ARRAY(I32, SHAPE(4), 32, 31, 0, 15));
    check(&(trial){.name = "tosa.bitwise_not", .inputs = {ARRAY(I8, SHAPE(2), 0, 5)}},
          ARRAY(I8, SHAPE(2), -1, -6));
    check(&(trial){.name = "tosa.arithmetic_right_shift",
                   .inputs = {ARRAY(U64, SHAPE(2), UINT64_MAX, 4), ARRAY(U64, ONE, 1)},
                   .attrs = {INT("round", 0)}},
          ARRAY(U64, SHAPE(2), (uint64_t)INT64_MAX, 2));
    check(&(trial){.name = "tosa.bitwise_xor",
                   .inputs = {ARRAY(I8, SHAPE(2), 12, -1), ARRAY(I8, ONE, 10)}},
          ARRAY(I8, SHAPE(2), 6, -11));
}

/* Zero points may be as far away as elements of 64 bits. */
static void test_rescale_extremes(void **state)
{
    (void)state;
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {ARRAY(I64, SHAPE(2), INT64_MAX, INT64_MIN), ARRAY(I32, ONE, 1 << 30),
                              ARRAY(I8, ONE, 30), ARRAY(I64, ONE, -1), ARRAY(I64, ONE, 7)},
                   .attrs = {INT("scale32", 1), INT("per_channel", 0)}},
          ARRAY(I64, SHAPE(2), INT64_MAX, INT64_MIN + 8));
}

static void test_elements(void **state)
{
    (void)state;
    check(&(trial){.name = "tosa.mul",
                   .inputs = {ARRAY(I32, SHAPE(2), 3, -3), ARRAY(I32, ONE, 3), ARRAY(I8, ONE, 1)}},
          ARRAY(I32, SHAPE(2), 5, -4));
    check(&(trial){.name = "tosa.mul",
                   .inputs = {ARRAY(I8, SHAPE(2), 100, -128), ARRAY(I8, SHAPE(2), 100, -128),
                              ARRAY(I8, ONE, 0)}},
          ARRAY(I32, SHAPE(2), 10000, 16384));
    check(&(trial){.name = "tosa.negate",
                   .inputs = {ARRAY(I8, SHAPE(2), 5, -128), ARRAY(I8, ONE, 2), ARRAY(I8, ONE, 1)}},
          ARRAY(I8, SHAPE(2), -2, 127));
    check(&(trial){.name = "tosa.clamp",
                   .inputs = {ARRAY(I8, SHAPE(3), -50, 5, 50)},
                   .attrs = {INT("min_val", -10), INT("max_val", 10)}},
          ARRAY(I8, SHAPE(3), -10, 5, 10));
    check(&(trial){.name = "tosa.clamp",
                   .inputs = {ARRAY(U64, SHAPE(3), 1, 5, UINT64_MAX)},
                   .attrs = {INT("min_val", 2), INT("max_val", 10)}},
          ARRAY(U64, SHAPE(3), 2, 5, 10));
    check(&(trial){.name = "tosa.int_div",
                   .inputs = {ARRAY(U64, SHAPE(2), UINT64_MAX, 7), ARRAY(U64, SHAPE(2), 2, 7)}},
          ARRAY(U64, SHAPE(2), (uint64_t)INT64_MAX, 1));
    check(&(trial){.name = "tosa.clamp",
                   .inputs = {ARRAY(F32, SHAPE(3), -50, 0.5f, 50)},
                   .attrs = {REAL("min_val", 0), REAL("max_val", 6)}},
          ARRAY(F32, SHAPE(3), 0, 0.5f, 6));
    check(&(trial){.name = "tosa.cast",
                   .inputs = {ARRAY(F32, SHAPE(6), 2.5f, 3.5f, -2.5f, 300, -300, NAN)}},
          ARRAY(I8, SHAPE(6), 2, 4, -2, 127, -128, 0));
    check(&(trial){.name = "tosa.intdiv",
                   .inputs = {ARRAY(I32, SHAPE(2), -7, INT32_MIN), ARRAY(I32, SHAPE(2), 2, -1)}},
          ARRAY(I32, SHAPE(2), -3, INT32_MIN));
    check_failure(
        &(trial){.name = "tosa.intdiv", .inputs = {ARRAY(I32, ONE, 1), ARRAY(I32, ONE, 0)}},
        TACHO_DTYPE_I32, ONE, TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "tosa.rsqrt", .inputs = {ARRAY(F32, SHAPE(2), 4, 0.25f)}},
          ARRAY(F32, SHAPE(2), 0.5f, 2));
    check(&(trial){.name = "tosa.select",
                   .inputs = {ARRAY(BOOL, SHAPE(2, 1), 1, 0), ARRAY(I8, SHAPE(1, 2), 1, 2),
                              ARRAY(I8, SHAPE(1, 1), 9)}},
          ARRAY(I8, SHAPE(2, 2), 1, 2, 9, 9));
}

static void test_table(void **state)
{
    (void)state;
    int8_t bytes[256];
    int16_t words[513];
    for (int i = 0; i < 513; i++) {
        bytes[i % 256] = (int8_t)(127 - i % 256); /* of i - 128: its bits turned round */
        words[i] = (int16_t)(i * 3);
    }
    tacho_array table = {TACHO_DTYPE_I8, SHAPE(256), bytes};
    check(&(trial){.name = "tosa.table", .inputs = {ARRAY(I8, SHAPE(3), -128, 0, 127), &table}},
          ARRAY(I8, SHAPE(3), 127, -1, -128));
    tacho_array long_table = {TACHO_DTYPE_I16, SHAPE(513), words};
    check(&(trial){.name = "tosa.table",
                   .inputs = {ARRAY(I16, SHAPE(4), -32768, 0, 1, 32767), &long_table}},
          ARRAY(I32, SHAPE(4), 0, 98304, 98307, 196605));
}

static void test_windows(void **state)
{
    (void)state;
    const tacho_array *zero = ARRAY(I8, ONE, 0);
    const tacho_array *square = ARRAY(I8, SHAPE(1, 2, 2, 1), 1, 2, 3, 4);
    const tacho_array *filter = ARRAY(I8, SHAPE(1, 2, 2, 1), 1, 1, 1, 1);
    check(
        &(trial){.name = "tosa.conv2d",
                 .inputs = {square, filter, ARRAY(I32, ONE, 10), ARRAY(I8, ONE, 1), zero},
                 .attrs = {INTS("pad", 1, 1, 1, 1), INTS("stride", 1, 1), INTS("dilation", 1, 1)}},
        ARRAY(I32, SHAPE(1, 3, 3, 1), 10, 11, 11, 12, 16, 14, 12, 15, 13));
    check(
        &(trial){.name = "tosa.depthwise_conv2d",
                 .inputs = {ARRAY(I8, SHAPE(1, 1, 1, 2), 3, 5),
                            ARRAY(I8, SHAPE(1, 1, 2, 2), 1, 2, 3, 4),
                            ARRAY(I32, SHAPE(4), 0, 0, 0, 100), zero, zero},
                 .attrs = {INTS("pad", 0, 0, 0, 0), INTS("stride", 1, 1), INTS("dilation", 1, 1)}},
        ARRAY(I32, SHAPE(1, 1, 1, 4), 3, 6, 15, 120));
    check(&(trial){.name = "tosa.matmul",
                   .inputs = {ARRAY(I8, SHAPE(1, 1, 2), 3, 4), ARRAY(I8, SHAPE(1, 2, 1), 5, 6),
                              ARRAY(I8, ONE, 1), ARRAY(I8, ONE, 2)}},
          ARRAY(I32, SHAPE(1, 1, 1), 18));
    tacho_attr pool_attrs[] = {INTS("kernel", 2, 2), INTS("stride", 2, 2), INTS("pad", 0, 0, 0, 0)};
    trial average = {.name = "tosa.avg_pool2d",
                     .inputs = {ARRAY(I8, SHAPE(2, 2, 2, 2), 1, -1, 2, -2, 3, -3, 5, -5, 2, -2, 0,
                                      0, 0, 0, 0, 0),
                                zero, zero}};
    memcpy(average.attrs, pool_attrs, sizeof(pool_attrs));
    check(&average, ARRAY(I8, SHAPE(2, 1, 1, 2), 3, -3, 1, -1));
    trial greatest = {.name = "tosa.max_pool2d",
                      .inputs = {ARRAY(I8, SHAPE(1, 2, 2, 1), -9, -8, -7, -6)}};
    memcpy(greatest.attrs, pool_attrs, sizeof(pool_attrs));
    greatest.attrs[2] = (tacho_attr)INTS("pad", 1, 1, 1, 1);
    check(&greatest, ARRAY(I8, SHAPE(1, 2, 2, 1), -9, -8, -7, -6));
}

/* ---- i16 by i8, in 48 bits ----------------------------------------------------------------- */

enum { HEIGHT = 3, WIDTH = 4, DEPTH = 4, MADE = 2, SIDE = 3, I48_SIZE = 6 };

/* Any whole number of |bits|, the extremes more often than others. */
static int64_t next_whole(uint64_t *seed, int bits)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    int64_t value = (int64_t)(*seed >> (64 - bits)) - ((int64_t)1 << (bits - 1));
    return *seed >> 20 & 3 ? value
           : value < 0     ? -((int64_t)1 << (bits - 1))
                           : ((int64_t)1 << (bits - 1)) - 1;
}

static void set_i48(unsigned char *bytes, int64_t at, int64_t value)
{
    for (int i = 0; i < I48_SIZE; i++) {
        bytes[at * I48_SIZE + i] = (unsigned char)((uint64_t)value >> (8 * i));
    }
}

typedef struct wide_data {
    int16_t data[HEIGHT * WIDTH * DEPTH];
    int8_t filters[MADE * SIDE * SIDE * DEPTH];
    int64_t biases[MADE * DEPTH];
    unsigned char bias[MADE * DEPTH * I48_SIZE];
    unsigned char sums[HEIGHT * WIDTH * MADE * DEPTH * I48_SIZE];
} wide_data;

/* |channels| are those of the output; the extremes of 48 bits are among the biases. */
static void fill_wide(wide_data *to, int channels)
{
    uint64_t seed = 48;
    for (int i = 0; i < HEIGHT * WIDTH * DEPTH; i++) {
        to->data[i] = (int16_t)next_whole(&seed, 16);
    }
    for (int i = 0; i < MADE * SIDE * SIDE * DEPTH; i++) {
        to->filters[i] = (int8_t)next_whole(&seed, 8);
    }
    for (int i = 0; i < channels; i++) {
        to->biases[i] = next_whole(&seed, 48);
        set_i48(to->bias, i, to->biases[i]);
    }
}

/* The sum of one place by plain loops, |o| of |channels|; filters O,H,W,I or H,W,C,M. */
static int64_t sum_of(const wide_data *from, bool is_depthwise, int y, int x, int o)
{
    int64_t sum = from->biases[o];
    for (int k = 0; k < SIDE * SIDE; k++) {
        int row = y + k / SIDE - 1, column = x + k % SIDE - 1;
        for (int c = 0; c < DEPTH && row >= 0 && row < HEIGHT && column >= 0 && column < WIDTH;
             c++) {
            int at = is_depthwise ? (k * DEPTH + c) * MADE + o % MADE
                                  : (o * SIDE * SIDE + k) * DEPTH + c;
            bool is_used = !is_depthwise || c == o / MADE;
            sum += is_used
                       ? (int64_t)from->data[(row * WIDTH + column) * DEPTH + c] * from->filters[at]
                       : 0;
        }
    }
    return sum;
}

static void check_wide(bool is_depthwise)
{
    static wide_data all;
    int channels = is_depthwise ? MADE * DEPTH : MADE;
    fill_wide(&all, channels);
    for (int i = 0; i < HEIGHT * WIDTH * channels; i++) {
        set_i48(
            all.sums, i,
            sum_of(&all, is_depthwise, i / channels / WIDTH, i / channels % WIDTH, i % channels));
    }
    tacho_array data = {TACHO_DTYPE_I16, SHAPE(1, HEIGHT, WIDTH, DEPTH), all.data};
    tacho_array filters = {TACHO_DTYPE_I8, SHAPE(MADE, SIDE, SIDE, DEPTH), all.filters};
    filters.shape = is_depthwise ? SHAPE(SIDE, SIDE, DEPTH, MADE) : filters.shape;
    tacho_array bias = {TACHO_DTYPE_I48, SHAPE(channels), all.bias};
    tacho_array sums = {TACHO_DTYPE_I48, SHAPE(1, HEIGHT, WIDTH, channels), all.sums};
    check(
        &(trial){.name = is_depthwise ? "tosa.depthwise_conv2d" : "tosa.conv2d",
                 .inputs = {&data, &filters, &bias, ARRAY(I16, ONE, 0), ARRAY(I8, ONE, 0)},
                 .attrs = {INTS("pad", 1, 1, 1, 1), INTS("stride", 1, 1), INTS("dilation", 1, 1)}},
        &sums);
}

static void test_wide_sums(void **state)
{
    (void)state;
    check_wide(false);
    check_wide(true);
}

/* Sums of 48 bits by a factor of 16 are 63 bits long: -2^47 * 16384 >> 47, and just off a half. */
static void test_wide_rescale(void **state)
{
    (void)state;
    static const int64_t values[] = {-(INT64_C(1) << 47), (INT64_C(1) << 47) - 1,
                                     INT64_C(1) << 32,    (INT64_C(1) << 32) - 1,
                                     -(INT64_C(1) << 32), -(INT64_C(1) << 32) - 1};
    enum { COUNT = sizeof(values) / sizeof(values[0]) };
    unsigned char bytes[COUNT * I48_SIZE], zero[I48_SIZE] = {0};
    for (int i = 0; i < COUNT; i++) {
        set_i48(bytes, i, values[i]);
    }
    tacho_array input = {TACHO_DTYPE_I48, SHAPE(COUNT), bytes};
    tacho_array in_zero = {TACHO_DTYPE_I48, ONE, zero};
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {&input, ARRAY(I16, ONE, 16384), ARRAY(I8, ONE, 47), &in_zero,
                              ARRAY(I16, ONE, 0)},
                   .attrs = {TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I16, SHAPE(COUNT), -16384, 16384, 1, 0, 0, -1));
    check(&(trial){.name = "tosa.rescale",
                   .inputs = {&input, ARRAY(I16, ONE, 32767), ARRAY(I8, ONE, 47), &in_zero,
                              ARRAY(I16, ONE, 100)},
                   .attrs = {TEXT("rounding_mode", "SINGLE_ROUND")}},
          ARRAY(I16, SHAPE(COUNT), -32667, 32767, 101, 101, 99, 99));
}

static void test_fully_connected(void **state)
{
    (void)state;
    unsigned char bias[2 * I48_SIZE], sums[4 * I48_SIZE];
    static const int64_t biases[] = {1, -(INT64_C(1) << 46)};
    static const int64_t expected[] = {1 - 32768 * 127 + 5 * -128, 32768 * 2 + 15,
                                       1 + 32767 * 127 + 7 * -128, -32767 * 2 + 21};
    for (int i = 0; i < 2; i++) {
        set_i48(bias, i, biases[i]);
    }
    for (int i = 0; i < 4; i++) {
        set_i48(sums, i, expected[i] + (i % 2 == 1 ? biases[1] : 0));
    }
    tacho_array bias_array = {TACHO_DTYPE_I48, SHAPE(2), bias};
    tacho_array made = {TACHO_DTYPE_I48, SHAPE(2, 2), sums};
    const tacho_array *rows = ARRAY(I16, SHAPE(2, 2), -32768, 5, 32767, 7);
    check(&(trial){.name = "tosa.fully_connected",
                   .inputs = {rows, ARRAY(I8, SHAPE(2, 2), 127, -128, -2, 3), &bias_array}},
          &made);
    check(&(trial){.name = "tosa.fully_connected",
                   .inputs = {ARRAY(F32, SHAPE(1, 2), 1.5f, 2), ARRAY(F32, SHAPE(1, 2), 4, 8),
                              ARRAY(F32, ONE, 0.25f)}},
          ARRAY(F32, SHAPE(1, 1), 22.25f));
    check_failure(&(trial){.name = "tosa.fully_connected",
                           .inputs = {rows, ARRAY(I8, SHAPE(2, 3), 1, 2, 3, 4, 5, 6)}},
                  TACHO_DTYPE_I48, SHAPE(2, 2), TACHO_CODE_BAD_DATA);
}

static void test_resize(void **state)
{
    (void)state;
    const tacho_array *none = ARRAY(I64, SHAPE(2), 0, 0);
    check(&(trial){.name = "tosa.resize",
                   .inputs = {ARRAY(I8, SHAPE(1, 2, 2, 1), 1, 2, 3, 4),
                              ARRAY(I64, SHAPE(4), 4, 2, 4, 2), ARRAY(I64, SHAPE(2), -1, -1),
                              ARRAY(I64, SHAPE(2), 1, 1)},
                   .attrs = {TEXT("mode", "NEAREST_NEIGHBOR")}},
          ARRAY(I8, SHAPE(1, 4, 4, 1), 1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4));
    check(&(trial){.name = "tosa.resize",
                   .inputs = {ARRAY(I8, SHAPE(1, 1, 2, 1), 10, 20),
                              ARRAY(I64, SHAPE(4), 2, 1, 2, 1), none, none},
                   .attrs = {TEXT("mode", "BILINEAR")}},
          ARRAY(I32, SHAPE(1, 1, 3, 1), 40, 60, 80));
}

static void test_places(void **state)
{
    (void)state;
    const tacho_array *rows = ARRAY(I8, SHAPE(1, 3, 2), 1, 2, 3, 4, 5, 6);
    check(&(trial){.name = "tosa.gather", .inputs = {rows, ARRAY(I32, SHAPE(1, 2), 2, 0)}},
          ARRAY(I8, SHAPE(1, 2, 2), 5, 6, 1, 2));
    check(&(trial){.name = "tosa.scatter",
                   .inputs = {rows, ARRAY(I32, SHAPE(1, 1), 1), ARRAY(I8, SHAPE(1, 1, 2), 8, 9)}},
          ARRAY(I8, SHAPE(1, 3, 2), 1, 2, 8, 9, 5, 6));
    check_failure(&(trial){.name = "tosa.gather", .inputs = {rows, ARRAY(I32, SHAPE(1, 1), -1)}},
                  TACHO_DTYPE_I8, SHAPE(1, 1, 2), TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "tosa.reverse", .inputs = {rows}, .attrs = {INT("axis", 1)}},
          ARRAY(I8, SHAPE(1, 3, 2), 5, 6, 3, 4, 1, 2));
    check(&(trial){.name = "tosa.slice",
                   .inputs = {rows, ARRAY(I64, SHAPE(3), 0, 1, 1), ARRAY(I64, SHAPE(3), 1, 2, 1)}},
          ARRAY(I8, SHAPE(1, 2, 1), 4, 6));
    check_failure(&(trial){.name = "tosa.slice", .inputs = {rows, ARRAY(I64, SHAPE(3), 0, 2, 0)}},
                  TACHO_DTYPE_I8, SHAPE(1, 2, 2), TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "tosa.pad",
                   .inputs = {ARRAY(I8, SHAPE(1, 2), 1, 2), ARRAY(I64, SHAPE(4), 0, 1, 1, 0),
                              ARRAY(I8, ONE, -7)}},
          ARRAY(I8, SHAPE(2, 3), -7, 1, 2, -7, -7, -7));
    check(&(trial){.name = "tosa.transpose", .inputs = {rows}, .attrs = {INTS("perms", 2, 0, 1)}},
          ARRAY(I8, SHAPE(2, 1, 3), 1, 3, 5, 2, 4, 6));
    check(&(trial){.name = "tosa.transpose", /* before 1.0: an operand */
                   .inputs = {rows, ARRAY(I32, SHAPE(3), 2, 0, 1)}},
          ARRAY(I8, SHAPE(2, 1, 3), 1, 3, 5, 2, 4, 6));
    check_failure(&(trial){.name = "tosa.transpose", .inputs = {rows}}, TACHO_DTYPE_I8,
                  SHAPE(2, 3, 1), TACHO_CODE_BAD_DATA);
    check(&(trial){.name = "tosa.reduce_sum", .inputs = {rows}, .attrs = {INT("axis", 1)}},
          ARRAY(I8, SHAPE(1, 1, 2), 9, 12));
    check(&(trial){.name = "tosa.reduce_max", .inputs = {rows}, .attrs = {INT("axis", 2)}},
          ARRAY(I8, SHAPE(1, 3, 1), 2, 4, 6));
    check(&(trial){.name = "tosa.argmax",
                   .inputs = {ARRAY(I8, SHAPE(2, 3), 1, 7, 7, -1, -2, -3)},
                   .attrs = {INT("axis", 1)}},
          ARRAY(I32, SHAPE(2), 1, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rescale),         cmocka_unit_test(test_bits),
        cmocka_unit_test(test_elements),        cmocka_unit_test(test_rescale_extremes),
        cmocka_unit_test(test_table),           cmocka_unit_test(test_windows),
        cmocka_unit_test(test_resize),          cmocka_unit_test(test_places),
        cmocka_unit_test(test_wide_sums),       cmocka_unit_test(test_wide_rescale),
        cmocka_unit_test(test_fully_connected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
