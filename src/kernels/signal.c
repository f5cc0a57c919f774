/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spectra of signals: DFT, STFT, and the MelWeightMatrix that sums their bins up in bands.
 */
#include "kernels/call.h"
#include "base/whole.h"
#include "kernels/fourier.h"
#include "kernels/functions.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A number of an optional input; false if it is not one integer. */
static bool read_number(const tacho_kernel_call *call, size_t i, int64_t *number)
{
    const tacho_array *array = tacho_call_input(call, i);
    bool is_one = array == NULL || (tacho_is_int(array) && tacho_array_elements(array) == 1);
    *number = array != NULL && is_one ? tacho_int_at(array, 0) : *number;
    return is_one;
}

/* ---- DFT ------------------------------------------------------------------------------------ */

typedef struct dft {
    const tacho_array *input;
    tacho_array *output;
    int32_t axis;
    int64_t length, in_bins, out_bins;
    int64_t in_parts, out_parts; /* 2: real and imaginary ones */
    int64_t outer, inner;
    bool is_inverse, is_onesided;
} dft;

static tacho_status read_dft(const tacho_kernel_call *call, dft *out)
{
    const tacho_array *input = call->inputs[0];
    const tacho_shape *in = &input->shape, *made = &call->outputs[0].shape;
    bool is_attr = tacho_call_before(call, 20);
    int64_t axis = is_attr ? tacho_call_int(call, "axis", 1) : -2;
    *out = (dft){.input = input,
                 .output = &call->outputs[0],
                 .outer = 1,
                 .inner = 1,
                 .is_inverse = tacho_call_int(call, "inverse", 0) != 0,
                 .is_onesided = tacho_call_int(call, "onesided", 0) != 0};
    if (!tacho_is_real(input) || call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type("a spectrum", input->dtype);
    }
    if ((!is_attr && !read_number(call, 2, &axis)) || made->rank != in->rank || in->rank < 2 ||
        !tacho_axis_resolve(axis, in->rank, &out->axis) || out->axis == in->rank - 1) {
        return tacho_wrong_shapes("a spectrum");
    }
    bool is_halved = out->is_onesided && out->is_inverse, fits = true;
    out->in_bins = in->dims[out->axis];
    out->out_bins = made->dims[out->axis];
    out->in_parts = in->dims[in->rank - 1];
    out->out_parts = made->dims[in->rank - 1];
    out->length = is_halved ? 2 * (out->in_bins - 1) : out->in_bins;
    fits = read_number(call, 1, &out->length) && out->length >= 0;
    for (int32_t i = 0; i < in->rank - 1; i++) {
        fits = fits && (i == out->axis || in->dims[i] == made->dims[i]);
        out->outer *= i < out->axis ? in->dims[i] : 1;
        out->inner *= i > out->axis ? in->dims[i] : 1;
    }
    int64_t bins = out->is_onesided && !out->is_inverse ? out->length / 2 + 1 : out->length;
    fits = fits && out->out_bins == bins && (out->in_parts == 1 || out->in_parts == 2) &&
           out->out_parts == (is_halved ? 1 : 2);
    return fits ? TACHO_OK : tacho_wrong_shapes("a spectrum");
}

/* Signal |which| of all; it is padded with 0, and cut off at |length|. */
static void load_signal(const dft *self, int64_t which, tacho_complexes to)
{
    bool is_halved = self->is_inverse && self->is_onesided;
    int64_t given = is_halved ? self->length / 2 + 1 : self->length;
    int64_t row = which / self->inner * self->in_bins * self->inner + which % self->inner;
    memset(to.real, 0, (size_t)self->length * sizeof(double));
    memset(to.imag, 0, (size_t)self->length * sizeof(double));
    for (int64_t i = 0; i < given && i < self->in_bins && i < self->length; i++) {
        int64_t at = (row + i * self->inner) * self->in_parts;
        to.real[i] = tacho_real_at(self->input, at);
        to.imag[i] = self->in_parts == 2 ? tacho_real_at(self->input, at + 1) : 0;
    }
    if (is_halved) { /* the other half mirrors it, and the ends are real */
        to.imag[0] = 0;
        for (int64_t i = 1; i < given; i++) {
            int64_t other = self->length - i;
            to.imag[i] = other == i ? 0 : to.imag[i];
            to.real[other] = to.real[i];
            to.imag[other] = other == i ? 0 : -to.imag[i];
        }
    }
}

static void store_signal(const dft *self, int64_t which, tacho_complexes from)
{
    double scale = self->is_inverse ? (double)self->length : 1;
    int64_t row = which / self->inner * self->out_bins * self->inner + which % self->inner;
    for (int64_t i = 0; i < self->out_bins; i++) {
        int64_t at = (row + i * self->inner) * self->out_parts;
        tacho_set_real(self->output, at, from.real[i] / scale);
        if (self->out_parts == 2) {
            tacho_set_real(self->output, at + 1, from.imag[i] / scale);
        }
    }
}

static tacho_status run_dft(const dft *self, tacho_arena *arena)
{
    tacho_fourier fourier;
    tacho_complexes signal;
    TACHO_TRY(tacho_fourier_init(&fourier, self->length, self->is_inverse, arena));
    TACHO_TRY(tacho_complexes_alloc(arena, self->length, &signal));
    for (int64_t i = 0; i < self->outer * self->inner; i++) {
        load_signal(self, i, signal);
        tacho_fourier_run(&fourier, signal);
        store_signal(self, i, signal);
    }
    return TACHO_OK;
}

static tacho_status compute_dft(const tacho_kernel_call *call)
{
    dft self;
    tacho_arena arena;
    TACHO_TRY(read_dft(call, &self));
    tacho_arena_init(&arena);
    tacho_status status = self.length > 0 ? run_dft(&self, &arena) : TACHO_OK;
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- STFT ----------------------------------------------------------------------------------- */

typedef struct stft {
    const tacho_array *signal, *window;
    tacho_array *output;
    int64_t batch, samples, parts, step, length, frames, bins;
} stft;

/* Signal, step, window, length of a frame; a spectrum for each frame. */
static tacho_status read_stft(const tacho_kernel_call *call, stft *out)
{
    const tacho_array *signal = call->inputs[0], *window = tacho_call_input(call, 2);
    const tacho_shape *in = &signal->shape, *made = &call->outputs[0].shape;
    bool is_onesided = tacho_call_int(call, "onesided", 1) != 0;
    *out = (stft){.signal = signal, .window = window, .output = &call->outputs[0]};
    if (!tacho_is_real(signal) || call->outputs[0].dtype != signal->dtype ||
        (window != NULL && !tacho_is_real(window))) {
        return tacho_unsupported_type("a spectrum", signal->dtype);
    }
    if (in->rank != 3 || made->rank != 4 || (window != NULL && window->shape.rank != 1)) {
        return tacho_wrong_shapes("a spectrum");
    }
    out->batch = in->dims[0];
    out->samples = in->dims[1];
    out->parts = in->dims[2];
    out->length = window != NULL ? window->shape.dims[0] : out->samples;
    bool fits = read_number(call, 1, &out->step) && read_number(call, 3, &out->length);
    fits = fits && out->step > 0 && out->length > 0 && out->length <= out->samples &&
           (window == NULL || window->shape.dims[0] == out->length) &&
           (out->parts == 1 || out->parts == 2);
    if (!fits) {
        return tacho_wrong_shapes("a frame");
    }
    out->frames = 1 + (out->samples - out->length) / out->step;
    out->bins = is_onesided ? out->length / 2 + 1 : out->length;
    fits = made->dims[0] == out->batch && made->dims[1] == out->frames &&
           made->dims[2] == out->bins && made->dims[3] == 2;
    return fits ? TACHO_OK : tacho_wrong_shapes("a spectrum");
}

static tacho_status run_stft(const stft *self, tacho_arena *arena)
{
    tacho_fourier fourier;
    tacho_complexes frame;
    TACHO_TRY(tacho_fourier_init(&fourier, self->length, false, arena));
    TACHO_TRY(tacho_complexes_alloc(arena, self->length, &frame));
    for (int64_t i = 0; i < self->batch * self->frames; i++) {
        int64_t first = i / self->frames * self->samples + i % self->frames * self->step;
        for (int64_t k = 0; k < self->length; k++) {
            double weight = self->window != NULL ? tacho_real_at(self->window, k) : 1;
            int64_t at = (first + k) * self->parts;
            frame.real[k] = weight * tacho_real_at(self->signal, at);
            frame.imag[k] = self->parts == 2 ? weight * tacho_real_at(self->signal, at + 1) : 0;
        }
        tacho_fourier_run(&fourier, frame);
        for (int64_t k = 0; k < self->bins; k++) {
            tacho_set_real(self->output, (i * self->bins + k) * 2, frame.real[k]);
            tacho_set_real(self->output, (i * self->bins + k) * 2 + 1, frame.imag[k]);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_stft(const tacho_kernel_call *call)
{
    stft self;
    tacho_arena arena;
    TACHO_TRY(read_stft(call, &self));
    tacho_arena_init(&arena);
    tacho_status status = run_stft(&self, &arena);
    tacho_arena_deinit(&arena);
    return status;
}

/* ---- MelWeightMatrix ------------------------------------------------------------------------ */

typedef struct mel {
    int64_t bands, length, rate, bins;
    double low, step; /* in mel */
} mel;

static double mel_of(double hertz)
{
    return 2595 * tacho_log(1 + hertz / 700) / tacho_log(10);
}

/* The bin that contains edge |i| of the bands. */
static tacho_status edge_of(const mel *self, int64_t i, int64_t *out_bin)
{
    double at = (double)i * self->step + self->low;
    double hertz = 700 * (tacho_pow(10, at / 2595) - 1);
    double bin = floor((double)(self->length + 1) * hertz / (double)self->rate);
    if (!(bin >= 0 && bin < (double)self->bins)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "edge %" PRId64 " of the mel bands is at bin %g, expected 0 to %" PRId64
                          ": the frequencies do not fit the sample rate",
                          i, bin, self->bins - 1);
    }
    *out_bin = tacho_whole_i64(bin);
    return TACHO_OK;
}

static tacho_status read_mel(const tacho_kernel_call *call, mel *out)
{
    *out = (mel){0};
    for (size_t i = 0; i < 5; i++) {
        const tacho_array *input = call->inputs[i];
        if (i == 0 && !tacho_is_int(input)) {
            return tacho_unsupported_type("a mel matrix", input->dtype);
        }
        if (tacho_array_elements(input) != 1 ||
            (i < 3 ? !tacho_is_int(input) : !tacho_is_real(input))) {
            return tacho_wrong_shapes("a mel matrix");
        }
    }
    const tacho_shape *made = &call->outputs[0].shape;
    out->bands = tacho_int_at(call->inputs[0], 0);
    out->length = tacho_int_at(call->inputs[1], 0);
    out->rate = tacho_int_at(call->inputs[2], 0);
    if (!tacho_is_real(&call->outputs[0])) {
        return tacho_unsupported_type("a mel matrix", call->outputs[0].dtype);
    }
    if (out->length < 0 || out->length >= INT64_MAX - 1 || out->rate < 1 || out->bands < 0 ||
        made->rank != 2 || made->dims[0] != out->length / 2 + 1 || made->dims[1] != out->bands) {
        return tacho_wrong_shapes("a mel matrix");
    }
    out->bins = made->dims[0];
    out->low = mel_of(tacho_real_at(call->inputs[3], 0));
    out->step = (mel_of(tacho_real_at(call->inputs[4], 0)) - out->low) / (double)(out->bands + 2);
    return TACHO_OK;
}

/* A triangle for each band: up from its first edge to the second, down to the third. */
static tacho_status fill_band(const mel *self, int64_t band, tacho_array *output)
{
    int64_t edges[3];
    for (int64_t i = 0; i < 3; i++) {
        TACHO_TRY(edge_of(self, band + i, &edges[i]));
    }
    int64_t rise = edges[1] - edges[0], fall = edges[2] - edges[1];
    if (rise < 0 || fall < 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "the upper edge of the mel bands is below the lower");
    }
    for (int64_t i = 0; i < self->bins; i++) {
        double value = 0;
        if (i >= edges[1] && i < edges[2]) {
            value = (double)(edges[2] - i) / (double)fall;
        } else if (i >= edges[0] && i <= edges[1]) {
            value = rise == 0 ? 1 : (double)(i - edges[0]) / (double)rise;
        }
        tacho_set_real(output, i * self->bands + band, value);
    }
    return TACHO_OK;
}

static tacho_status compute_mel(const tacho_kernel_call *call)
{
    mel self;
    TACHO_TRY(read_mel(call, &self));
    for (int64_t i = 0; i < self.bands; i++) {
        TACHO_TRY(fill_band(&self, i, &call->outputs[0]));
    }
    return TACHO_OK;
}

const tacho_kernel tacho_signal_kernels[] = {
    {"DFT", TACHO_KERNEL_HEAVY, compute_dft},
    {"MelWeightMatrix", TACHO_KERNEL_PLAIN, compute_mel},
    {"STFT", TACHO_KERNEL_HEAVY, compute_stft},
    {0},
};
