/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on bytes that are defined by their effect on the bytes, not on the reals they stand
 * for.
 */
#include "kernels/call.h"

#include "base/whole.h"

#include <math.h>

enum { BYTES = 256 };

/*
 * Exponentials of all differences to the largest byte, in f32, all scaled by one power of e: as
 * ONNX Runtime has them, so far below the largest f32 that a sum of |count| of them fits.
 */
static void fill_exponentials(double scale, int64_t count, float exponentials[BYTES])
{
    static const double reserve = 5; /* natural logarithm; keeps sums below the largest f32 */
    double room = log((double)3.402823466e+38F / (double)count) - reserve;
    double shift = (room > 0 ? room : 0) / scale;
    for (int i = 0; i < BYTES; i++) {
        exponentials[i] = (float)exp(((double)i - (BYTES - 1) + shift) * scale);
    }
}

/* One line of bytes, |step| apart, with 128 added where they are signed. */
typedef struct byte_line {
    int64_t at, step, count;
    int offset;
} byte_line;

static int byte_at(const byte_line *line, const tacho_array *array, int64_t i)
{
    return (int)tacho_int_at(array, line->at + i * line->step) + line->offset;
}

static void soften_line(const tacho_kernel_call *call, const byte_line *line,
                        const float exponentials[BYTES], float quanta)
{
    const tacho_array *input = call->inputs[0], *zero = tacho_call_input(call, 4);
    tacho_array *output = &call->outputs[0];
    int largest = 0;
    float sum = 0;
    for (int64_t i = 0; i < line->count; i++) {
        int byte = byte_at(line, input, i);
        largest = byte > largest ? byte : largest;
    }
    int up = BYTES - 1 - largest;
    for (int64_t i = 0; i < line->count; i++) {
        sum += exponentials[byte_at(line, input, i) + up];
    }
    int64_t added = zero == NULL ? 0 : tacho_int_at(zero, 0);
    for (int64_t i = 0; i < line->count; i++) {
        float share = exponentials[byte_at(line, input, i) + up] * quanta / sum;
        double whole = isnan(share) ? 0 : rint((double)share); /* infinite, if quanta are many */
        tacho_set_int(output, line->at + i * line->step,
                      tacho_clamp_int(tacho_whole_i64(whole + (double)added),
                                      tacho_int_min(output->dtype), tacho_int_max(output->dtype)));
    }
}

/*
 * Bytes, their scale and zero point, scale and zero point of the result. How many quanta 1 has is a
 * whole number, rounded down, so a scale of 1/255 that f32 rounds up gives at most 254.
 */
static tacho_status compute_qlinear_softmax(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *scale = call->inputs[1], *made = call->inputs[3];
    bool is_signed = input->dtype == TACHO_DTYPE_I8;
    int32_t axis = 0;
    if ((!is_signed && input->dtype != TACHO_DTYPE_U8) || call->outputs[0].dtype != input->dtype ||
        scale->dtype != TACHO_DTYPE_F32 || made->dtype != TACHO_DTYPE_F32) {
        return tacho_unsupported_type("a quantised softmax", input->dtype);
    }
    if (tacho_array_elements(scale) != 1 || tacho_array_elements(made) != 1 ||
        !tacho_axis_resolve(tacho_call_int(call, "axis", -1), input->shape.rank, &axis)) {
        return tacho_wrong_shapes("a quantised softmax");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    float exponentials[BYTES];
    fill_exponentials(tacho_real_at(scale, 0), split.dim, exponentials);
    float quanta = floorf(1.0F / (float)tacho_real_at(made, 0));
    for (int64_t i = 0; i < split.outer; i++) {
        for (int64_t j = 0; j < split.inner; j++) {
            byte_line line = {.at = i * split.dim * split.inner + j,
                              .step = split.inner,
                              .count = split.dim,
                              .offset = is_signed ? 128 : 0};
            soften_line(call, &line, exponentials, quanta);
        }
    }
    return TACHO_OK;
}

const tacho_kernel tacho_quantised_kernels[] = {
    {"com.microsoft.QLinearSoftmax", TACHO_KERNEL_PLAIN, compute_qlinear_softmax},
    {0},
};
