/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transforms by halving, and convolutions made of them.
 */
#include "kernels/fourier.h"

#include "kernels/functions.h"

#include <string.h>

static const double pi = 3.141592653589793;

/* Longer ones would need more memory than any tensor has. */
static const int64_t length_max = INT64_C(1) << 40;

tacho_status tacho_complexes_alloc(tacho_arena *arena, int64_t count, tacho_complexes *out)
{
    void *memory;
    *out = (tacho_complexes){NULL, NULL};
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)count * 2 * sizeof(double) + 1, &memory));
    out->real = memory;
    out->imag = out->real + count;
    return TACHO_OK;
}

/* Moves each number to the place with its bits in reverse. */
static void reverse_bits(tacho_complexes signal, int64_t length)
{
    for (int64_t i = 1, j = 0; i < length; i++) {
        int64_t bit = length >> 1;
        for (; (j & bit) != 0; bit >>= 1) {
            j ^= bit;
        }
        j |= bit;
        if (i < j) {
            double real = signal.real[i], imag = signal.imag[i];
            signal.real[i] = signal.real[j];
            signal.imag[i] = signal.imag[j];
            signal.real[j] = real;
            signal.imag[j] = imag;
        }
    }
}

/* Of |padded| numbers; backwards if |sign| is -1. */
static void transform(const tacho_fourier *self, tacho_complexes signal, double sign)
{
    int64_t length = self->padded;
    reverse_bits(signal, length);
    for (int64_t half = 1; half < length; half *= 2) {
        int64_t step = length / (2 * half);
        for (int64_t start = 0; start < length; start += 2 * half) {
            for (int64_t k = 0; k < half; k++) {
                int64_t a = start + k, b = a + half;
                double cosine = self->turns.real[k * step];
                double sine = sign * self->turns.imag[k * step];
                double real = signal.real[b] * cosine - signal.imag[b] * sine;
                double imag = signal.real[b] * sine + signal.imag[b] * cosine;
                signal.real[b] = signal.real[a] - real;
                signal.imag[b] = signal.imag[a] - imag;
                signal.real[a] += real;
                signal.imag[a] += imag;
            }
        }
    }
}

/* exp(i pi k^2 / length), turned the one way or the other. */
static tacho_status make_chirp(tacho_fourier *self, double sign, tacho_arena *arena)
{
    int64_t length = self->length, square = 0; /* k^2, less whole turns */
    TACHO_TRY(tacho_complexes_alloc(arena, length, &self->chirp));
    TACHO_TRY(tacho_complexes_alloc(arena, self->padded, &self->chirp_back));
    TACHO_TRY(tacho_complexes_alloc(arena, self->padded, &self->scratch));
    memset(self->chirp_back.real, 0, (size_t)self->padded * 2 * sizeof(double));
    for (int64_t k = 0; k < length; k++) {
        double angle = pi * (double)square / (double)length;
        double cosine = tacho_cos(angle), sine = sign * tacho_sin(angle);
        self->chirp.real[k] = cosine;
        self->chirp.imag[k] = sine;
        self->chirp_back.real[k] = cosine;
        self->chirp_back.imag[k] = -sine;
        if (k > 0) {
            self->chirp_back.real[self->padded - k] = cosine;
            self->chirp_back.imag[self->padded - k] = -sine;
        }
        square = (square + 2 * k + 1) % (2 * length);
    }
    transform(self, self->chirp_back, 1);
    return TACHO_OK;
}

tacho_status tacho_fourier_init(tacho_fourier *self, int64_t length, bool is_backwards,
                                tacho_arena *arena)
{
    double sign = is_backwards ? 1 : -1;
    *self = (tacho_fourier){.length = length, .padded = 1};
    if (length < 0 || length > length_max) {
        return tacho_no_memory();
    }
    bool is_power = (length & (length - 1)) == 0;
    while (self->padded < (is_power ? length : 2 * length - 1)) {
        self->padded *= 2;
    }
    int64_t count = self->padded / 2;
    TACHO_TRY(tacho_complexes_alloc(arena, count + 1, &self->turns));
    for (int64_t k = 0; k < count; k++) {
        double angle = 2 * pi * (double)k / (double)self->padded;
        self->turns.real[k] = tacho_cos(angle);
        self->turns.imag[k] = (is_power ? sign : -1) * tacho_sin(angle);
    }
    return is_power ? TACHO_OK : make_chirp(self, sign, arena);
}

/* |a| becomes the product with |b|, element by element, times |scale|. */
static void multiply(tacho_complexes a, tacho_complexes b, int64_t count, double scale)
{
    for (int64_t i = 0; i < count; i++) {
        double real = a.real[i] * b.real[i] - a.imag[i] * b.imag[i];
        double imag = a.real[i] * b.imag[i] + a.imag[i] * b.real[i];
        a.real[i] = real * scale;
        a.imag[i] = imag * scale;
    }
}

void tacho_fourier_run(const tacho_fourier *self, tacho_complexes signal)
{
    if (self->chirp.real == NULL) {
        transform(self, signal, 1);
        return;
    }
    size_t bytes = (size_t)self->length * sizeof(double);
    multiply(signal, self->chirp, self->length, 1);
    memset(self->scratch.real, 0, (size_t)self->padded * 2 * sizeof(double));
    memcpy(self->scratch.real, signal.real, bytes);
    memcpy(self->scratch.imag, signal.imag, bytes);
    transform(self, self->scratch, 1);
    multiply(self->scratch, self->chirp_back, self->padded, 1 / (double)self->padded);
    transform(self, self->scratch, -1);
    memcpy(signal.real, self->scratch.real, bytes);
    memcpy(signal.imag, self->scratch.imag, bytes);
    multiply(signal, self->chirp, self->length, 1);
}
