/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that a sum of bytes is computed with, tried on all pairs.
 */
#include "kernels/byte_sum.h"

#include <math.h>
#include <stdlib.h>

enum { BYTES = 256 };

static int least_of(const tacho_byte_meaning *meaning)
{
    return meaning->dtype == TACHO_DTYPE_I8 ? INT8_MIN : 0;
}

static float hold(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

/* The results of reference kernels for all pairs. */
static void sum_by_steps(const tacho_byte_sum *self, float *out_bytes)
{
    float low = (float)least_of(&self->made), high = low + BYTES - 1;
    for (int i = 0; i < BYTES; i++) {
        float a = (float)(i + least_of(&self->a) - self->a.zero) * self->a.scale;
        for (int j = 0; j < BYTES; j++) {
            float b = (float)(j + least_of(&self->b) - self->b.zero) * self->b.scale;
            float real = hold(a + b, self->low, self->high);
            float byte = rintf(real / self->made.scale) + (float)self->made.zero;
            out_bytes[BYTES * i + j] = hold(byte, low, high);
        }
    }
}

/* Whether one kernel gives the same. */
static bool is_same(const tacho_byte_sum *self, const float *bytes)
{
    float low = (float)least_of(&self->made), high = low + BYTES - 1;
    float least = self->low / self->made.scale, most = self->high / self->made.scale;
    bool is_fine = true;
    for (int i = 0; i < BYTES && is_fine; i++) {
        float a = (float)(i + least_of(&self->a)) * self->factors[0];
        for (int j = 0; j < BYTES; j++) {
            float both = a + (float)(j + least_of(&self->b)) * self->factors[1];
            float byte = rintf(hold(both + self->offset, least, most)) + (float)self->made.zero;
            is_fine &= hold(byte, low, high) == bytes[BYTES * i + j];
        }
    }
    return is_fine;
}

/* Tries offsets around |offset| with the factors at hand. */
static bool try_offsets(tacho_byte_sum *self, float offset, const float *bytes)
{
    static const float nudges[] = {0, 1, -1, 2, -2, 4, -4, 8, -8, 16, -16};
    for (size_t i = 0; i < sizeof(nudges) / sizeof(nudges[0]); i++) {
        self->offset = offset + nudges[i] * 0x1p-20f;
        if (is_same(self, bytes)) {
            return true;
        }
    }
    return false;
}

/* Where results are close to the middle between two bytes, the first numbers tried may round to
 * the wrong byte, but neighbouring numbers do not. */
bool tacho_byte_sum_solve(tacho_byte_sum *self)
{
    static const float beside[] = {0, 0x1p-23f, -0x1p-23f};
    enum { BESIDE = sizeof(beside) / sizeof(beside[0]) };
    double a = (double)self->a.scale / (double)self->made.scale;
    double b = (double)self->b.scale / (double)self->made.scale;
    double offset = -self->a.zero * a - self->b.zero * b;
    float *bytes = calloc((size_t)BYTES * BYTES, sizeof(*bytes));
    bool is_found = false;
    if (bytes == NULL) {
        return false;
    }
    sum_by_steps(self, bytes);
    for (size_t i = 0; i < (size_t)BESIDE * BESIDE && !is_found; i++) {
        self->factors[0] = (float)a + (float)a * beside[i / BESIDE];
        self->factors[1] = (float)b + (float)b * beside[i % BESIDE];
        is_found = try_offsets(self, (float)offset, bytes);
    }
    free(bytes);
    return is_found;
}
