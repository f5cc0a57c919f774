/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes products of bytes: sizes of tiles, filters in the order in which the loops read them, and
 * what becomes of the sums.
 */
#include "kernels/byte_product_parts.h"

#include <math.h>
#include <stdlib.h>

enum { ALIGN = 64, TILE_NUMBERS = 16384, TILE_PLACES = 96 };

static int64_t round_up(int64_t value, int64_t to)
{
    return (value + to - 1) / to * to;
}

/* ---- filters ------------------------------------------------------------------------------- */

/* A filter's number; beyond the last channel, input or place there are zeros. */
static int16_t filter_at(const tacho_byte_product *self, const int8_t *filters, int64_t output,
                         int64_t k)
{
    const tacho_byte_spec *spec = &self->spec;
    if (k >= self->taps * self->depth) {
        return 0;
    }
    return filters[output * spec->output_step + k % self->depth * spec->input_step +
                   k / self->depth * spec->place_step];
}

/* Of one group: blocks x pairs x width x 2. */
static void pack_group(const tacho_byte_product *self, const int8_t *filters, int16_t *to)
{
    int64_t width = self->simd->width;
    for (int64_t block = 0; block < self->blocks; block++) {
        for (int64_t k = 0; k < 2 * self->pairs; k++) {
            for (int64_t i = 0; i < width; i++) {
                int64_t output = block * width + i;
                to[((block * self->pairs + k / 2) * width + i) * 2 + k % 2] =
                    output < self->made ? filter_at(self, filters, output, k) : 0;
            }
        }
    }
}

/* Of all channels, one each: blocks x pairs x two places in the loops' layout. */
static void pack_each(const tacho_byte_product *self, const int8_t *filters, int16_t *to)
{
    int64_t width = self->simd->width;
    int16_t rows[2][TACHO_BYTE_WIDTH_MAX];
    for (int64_t at = 0; at < self->blocks * self->pairs; at++) {
        for (int64_t i = 0; i < 2 * width; i++) {
            int64_t output = at / self->pairs * width + i % width;
            int64_t k = at % self->pairs * 2 + i / width;
            rows[i / width][i % width] =
                output < self->spec.outputs ? filter_at(self, filters, output, k) : 0;
        }
        self->simd->interleave(rows[0], rows[1], to + at * 2 * width);
    }
}

void tacho_byte_product_pack(const tacho_byte_product *self, const int8_t *filters, int16_t *to)
{
    for (int64_t i = 0; i < self->sets; i++) {
        int64_t image = self->is_each ? i : i / self->spec.groups;
        int64_t group = self->is_each ? 0 : i % self->spec.groups;
        const int8_t *from =
            filters + image * self->spec.image_step + group * self->made * self->spec.output_step;
        (self->is_each ? pack_each : pack_group)(self, from, to + i * self->set_numbers);
    }
}

/* ---- making -------------------------------------------------------------------------------- */

static float hold(float value, float low, float high)
{
    value = value > low ? value : low;
    return value < high ? value : high;
}

static bool is_bound(const tacho_fast_post *post)
{
    return post->function == TACHO_FAST_CLIP ||
           (post->function == TACHO_FAST_RELU && post->alpha == 0);
}

/* Bounds at the end become those of the rounding, and so do those of the type. */
static bool take_posts(tacho_byte_product *self, const tacho_byte_spec *spec)
{
    tacho_byte_finish *finish = &self->finish;
    size_t count = spec->post_count;
    float least = (float)((spec->made == TACHO_DTYPE_I8 ? INT8_MIN : 0) - spec->made_zero);
    if (count > TACHO_FAST_POSTS_MAX || (spec->made == TACHO_DTYPE_I32 && count > 0)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        self->posts[i] = spec->posts[i];
        if (!tacho_byte_post_is_known(&spec->posts[i])) {
            return false;
        }
    }
    if (count > 0 && spec->posts[count - 1].function == TACHO_FAST_ROUND) {
        count--; /* which is done anyway */
    }
    finish->post_count = count;
    while (finish->post_count > 0 && is_bound(&spec->posts[finish->post_count - 1])) {
        finish->post_count--;
    }
    finish->posts = self->posts;
    finish->low = -INFINITY;
    finish->high = INFINITY;
    for (size_t i = finish->post_count; i < count; i++) {
        bool is_clip = spec->posts[i].function == TACHO_FAST_CLIP;
        float low = is_clip ? spec->posts[i].alpha : 0;
        float high = is_clip ? spec->posts[i].beta : INFINITY;
        finish->low = hold(finish->low, low, high);
        finish->high = hold(finish->high, low, high);
    }
    finish->low = hold(finish->low, least, least + UINT8_MAX);
    finish->high = hold(finish->high, least, least + UINT8_MAX);
    finish->zero = spec->made_zero;
    finish->dtype = spec->made;
    return true;
}

/* Biases and scales in the loops' layout: one for each channel, groups in whole blocks. */
static void take_channels(tacho_byte_product *self, const tacho_byte_spec *spec)
{
    int64_t padded = self->blocks * self->simd->width;
    int64_t each = self->is_each ? spec->outputs : self->made;
    for (int64_t i = 0; i < spec->outputs; i++) {
        int64_t at = i / each * padded + i % each;
        if (spec->bias != NULL && spec->bias_dtype == TACHO_DTYPE_I32) {
            self->int_biases[at] = ((const int32_t *)spec->bias)[i];
            self->biases[at] = (float)self->int_biases[at];
        } else if (spec->bias != NULL) {
            self->biases[at] = ((const float *)spec->bias)[i];
        }
        self->scales[at] =
            spec->scale_count == 0 ? 1 : spec->scales[spec->scale_count == 1 ? 0 : i];
    }
    self->finish.int_biases = self->int_biases;
    self->finish.biases = self->biases;
    self->finish.scales = self->scales;
}

static bool is_flat(const tacho_byte_product *self)
{
    const tacho_byte_spec *spec = &self->spec;
    bool is_so = self->taps == 1 && spec->groups == 1 && self->depth % 2 == 0;
    for (int i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        is_so =
            is_so && spec->strides[i] == 1 && spec->begins[i] == 0 && spec->in[i] == spec->out[i];
    }
    return is_so;
}

/* Sizes, from the spec. */
static void measure(tacho_byte_product *self)
{
    const tacho_byte_spec *spec = &self->spec;
    int64_t width = self->simd->width;
    self->taps = tacho_byte_places_of(spec->kernel);
    self->places = tacho_byte_places_of(spec->out);
    self->depth = spec->inputs / spec->groups;
    self->made = spec->outputs / spec->groups;
    self->is_each = self->depth == 1 && spec->groups > 1;
    self->is_flat = is_flat(self);
    self->pairs = (self->taps * self->depth + 1) / 2;
    self->blocks = ((self->is_each ? spec->outputs : self->made) + width - 1) / width;
    self->set_numbers = self->blocks * self->pairs * width * 2;
    self->sets = (self->is_each ? 1 : spec->groups) * (spec->image_step == 0 ? 1 : spec->images);
    int64_t rows = TILE_NUMBERS / (2 * self->pairs) / TACHO_BYTE_ROWS * TACHO_BYTE_ROWS;
    self->tile = rows < TACHO_BYTE_ROWS ? TACHO_BYTE_ROWS : rows > TILE_PLACES ? TILE_PLACES : rows;
    int64_t padded = self->blocks * width;
    uint64_t bytes = self->is_each
                         ? (uint64_t)(2 * self->pairs * ((int64_t)sizeof(void *) + padded) + padded)
                         : (uint64_t)(self->tile * 2 * self->pairs) * sizeof(int16_t);
    self->thread_bytes = (bytes / ALIGN + 1) * ALIGN;
}

static void *zeros(int64_t count, size_t size)
{
    return calloc((size_t)count, size);
}

/* Nothing to compute, or nothing to sum up: left to the reference kernels. */
static bool is_empty(const tacho_byte_spec *spec)
{
    bool is_none = spec->images < 1 || spec->groups < 1 || spec->inputs < 1 || spec->outputs < 1;
    for (size_t i = 0; i < TACHO_BYTE_SPATIAL; i++) {
        is_none = is_none || spec->out[i] < 1 || spec->kernel[i] < 1;
    }
    return is_none;
}

tacho_status tacho_byte_product_create(const tacho_byte_spec *spec, uint32_t threads,
                                       tacho_byte_product **out)
{
    *out = NULL;
    if (is_empty(spec)) {
        return TACHO_OK;
    }
    tacho_byte_product *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->spec = *spec;
    self->simd = tacho_byte_simd_best();
    self->threads = threads;
    if (!take_posts(self, spec)) {
        tacho_byte_product_free(self);
        return TACHO_OK;
    }
    measure(self);
    int64_t channels = self->blocks * self->simd->width * (self->is_each ? 1 : spec->groups);
    self->int_biases = zeros(channels, sizeof(int32_t));
    self->biases = zeros(channels, sizeof(float));
    self->scales = zeros(channels, sizeof(float));
    int64_t numbers = self->sets * self->set_numbers;
    self->filters = spec->filters == NULL ? NULL : zeros(numbers, sizeof(int16_t));
    self->live_bytes =
        spec->filters != NULL ? 0 : (uint64_t)round_up(numbers * (int64_t)sizeof(int16_t), ALIGN);
    if (self->int_biases == NULL || self->biases == NULL || self->scales == NULL ||
        (spec->filters != NULL && self->filters == NULL)) {
        tacho_byte_product_free(self);
        return tacho_no_memory();
    }
    take_channels(self, spec);
    if (spec->filters != NULL) {
        tacho_byte_product_pack(self, spec->filters, self->filters);
    }
    *out = self;
    return TACHO_OK;
}

void tacho_byte_product_free(tacho_byte_product *self)
{
    if (self != NULL) {
        free(self->filters);
        free(self->int_biases);
        free(self->biases);
        free(self->scales);
        free(self);
    }
}

const char *tacho_byte_product_name(const tacho_byte_product *self)
{
    return self->simd->name;
}

uint64_t tacho_byte_product_scratch_bytes(const tacho_byte_product *self)
{
    return self->live_bytes + self->thread_bytes * self->threads;
}
