/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs products of bytes. Data are gathered, tile by tile, as rows of 16-bit numbers, one row for
 * each place of the output with all that its window covers; rows are multiplied with blocks of
 * filters. Where each channel has filters of its own (depthwise), nothing is gathered: blocks of
 * channels are multiplied in place.
 */
#include "kernels/byte_product_parts.h"

#include <stdatomic.h>

/* Products for which waking other threads takes longer than they save. */
enum { PARALLEL_FROM = 1 << 17 };

/* ---- rows ---------------------------------------------------------------------------------- */

/* A place of the output: coordinates of its window's first element. */
static void find_window(const tacho_byte_spec *spec, int64_t place,
                        int64_t out_first[TACHO_BYTE_SPATIAL])
{
    for (int i = TACHO_BYTE_SPATIAL - 1; i >= 0; i--) {
        out_first[i] = place % spec->out[i] * spec->strides[i] - spec->begins[i];
        place /= spec->out[i];
    }
}

/* The line of the input under line |k| of the window; -1: padding. */
static int64_t find_line(const tacho_byte_spec *spec, const int64_t *first, int64_t k)
{
    int64_t z = first[0] + k / spec->kernel[1] * spec->dilations[0];
    int64_t y = first[1] + k % spec->kernel[1] * spec->dilations[1];
    bool is_within = z >= 0 && z < spec->in[0] && y >= 0 && y < spec->in[1];
    return is_within ? z * spec->in[1] + y : -1;
}

/* One line of a window, all its elements side by side where they are in the data, too. */
static void gather_line(const tacho_byte_product *self, const unsigned char *line, int64_t x,
                        int16_t zero, int16_t *to)
{
    const tacho_byte_spec *spec = &self->spec;
    int64_t count = spec->kernel[2], depth = self->depth;
    int64_t width = spec->in[2], step = spec->dilations[2];
    bool is_signed = spec->data == TACHO_DTYPE_I8;
    if (step == 1 && spec->groups == 1) {
        int64_t first = x < 0 ? (-x < count ? -x : count) : 0;
        int64_t end = width - x < count ? (width - x > first ? width - x : first) : count;
        memset(to, 0, (size_t)(first * depth) * sizeof(*to));
        self->simd->widen(line + (x + first) * depth, (end - first) * depth, is_signed, zero,
                          to + first * depth);
        memset(to + end * depth, 0, (size_t)((count - end) * depth) * sizeof(*to));
        return;
    }
    for (int64_t i = 0; i < count; i++, x += step, to += depth) {
        if (x >= 0 && x < width) {
            self->simd->widen(line + x * spec->inputs, depth, is_signed, zero, to);
        } else {
            memset(to, 0, (size_t)depth * sizeof(*to));
        }
    }
}

/* |data| are an image's, from the group's first channel on. */
static void gather(const tacho_byte_product *self, const unsigned char *data, int64_t place,
                   int16_t zero, int16_t *to)
{
    const tacho_byte_spec *spec = &self->spec;
    int64_t first[TACHO_BYTE_SPATIAL], each = spec->kernel[2] * self->depth;
    find_window(spec, place, first);
    for (int64_t k = 0; k < spec->kernel[0] * spec->kernel[1]; k++, to += each) {
        int64_t line = find_line(spec, first, k);
        if (line < 0) {
            memset(to, 0, (size_t)each * sizeof(*to));
        } else {
            gather_line(self, data + line * spec->in[2] * spec->inputs, first[2], zero, to);
        }
    }
    if (self->taps * self->depth % 2 != 0) {
        *to = 0;
    }
}

/* ---- work ---------------------------------------------------------------------------------- */

/* A run, divided into units that threads take one by one. */
typedef struct byte_run {
    const tacho_byte_product *self;
    const unsigned char *data;
    unsigned char *output, *scratch;
    const int16_t *filters;
    int16_t zero;                  /* of the data */
    int64_t tiles, columns, units; /* of an image; of a tile; of all */
    atomic_llong next_unit;
    atomic_int next_thread;
} byte_run;

/* A tile: some places of an image, and blocks of a group. */
typedef struct unit {
    int64_t image, group, first, count, first_block, end_block;
} unit;

static unit unit_of(const byte_run *run, int64_t number)
{
    const tacho_byte_product *self = run->self;
    int64_t groups = self->is_each ? 1 : self->spec.groups;
    int64_t column = number % run->columns;
    unit at = {.group = number / run->columns % groups,
               .image = number / run->columns / groups / run->tiles,
               .first = number / run->columns / groups % run->tiles * self->tile,
               .first_block = column * self->blocks / run->columns,
               .end_block = (column + 1) * self->blocks / run->columns};
    at.count = self->places - at.first < self->tile ? self->places - at.first : self->tile;
    return at;
}

static unsigned char *output_of(const byte_run *run, const unit *at, int64_t place, int64_t channel)
{
    const tacho_byte_spec *spec = &run->self->spec;
    int64_t number = (at->image * run->self->places + at->first + place) * spec->outputs;
    int64_t size = spec->made == TACHO_DTYPE_I32 ? (int64_t)sizeof(int32_t) : 1;
    return run->output + (number + at->group * run->self->made + channel) * size;
}

static void multiply_tile(const byte_run *run, const unit *at, int16_t *rows)
{
    const tacho_byte_product *self = run->self;
    const tacho_byte_simd *simd = self->simd;
    int64_t width = simd->width, numbers = 2 * self->pairs;
    int64_t set = at->group + (self->spec.image_step == 0 ? 0 : at->image * self->spec.groups);
    const int16_t *filters = run->filters + set * self->set_numbers;
    int64_t size = self->spec.made == TACHO_DTYPE_I32 ? (int64_t)sizeof(int32_t) : 1;
    for (int64_t block = at->first_block; block < at->end_block; block++) {
        int64_t left = self->made - block * width;
        tacho_byte_target target = {.finish = &self->finish,
                                    .channel = (at->group * self->blocks + block) * width,
                                    .count = left < width ? left : width,
                                    .row_bytes = self->spec.outputs * size};
        for (int64_t i = 0; i < at->count; i += TACHO_BYTE_ROWS) {
            int64_t count = at->count - i < TACHO_BYTE_ROWS ? at->count - i : TACHO_BYTE_ROWS;
            tacho_byte_rows some = {rows + i * numbers, numbers, self->pairs, count};
            target.to = output_of(run, at, i, block * width);
            simd->multiply(&some, filters + block * self->pairs * width * 2, &target);
        }
    }
}

static void work_rows(const byte_run *run, const unit *at, void *scratch)
{
    const tacho_byte_product *self = run->self;
    const tacho_byte_spec *spec = &self->spec;
    int64_t size = tacho_byte_places_of(spec->in) * spec->inputs;
    const unsigned char *data = run->data + at->image * size + at->group * self->depth;
    int16_t *rows = scratch;
    if (self->is_flat) {
        self->simd->widen(data + at->first * self->depth, at->count * self->depth,
                          spec->data == TACHO_DTYPE_I8, run->zero, rows);
    }
    for (int64_t i = 0; i < at->count && !self->is_flat; i++) {
        gather(self, data, at->first + i, run->zero, rows + i * 2 * self->pairs);
    }
    multiply_tile(run, at, rows);
}

/* Where the bytes of a depthwise window are, place by place; |blank| stands for padding. */
static void find_places(const byte_run *run, const unit *at, int64_t place,
                        const unsigned char **places, const unsigned char *blank)
{
    const tacho_byte_spec *spec = &run->self->spec;
    const unsigned char *data =
        run->data + at->image * tacho_byte_places_of(spec->in) * spec->inputs;
    int64_t first[TACHO_BYTE_SPATIAL];
    find_window(spec, at->first + place, first);
    for (int64_t k = 0; k < spec->kernel[0] * spec->kernel[1]; k++) {
        int64_t line = find_line(spec, first, k), x = first[2];
        const unsigned char *from = data + (line < 0 ? 0 : line) * spec->in[2] * spec->inputs;
        for (int64_t i = 0; i < spec->kernel[2]; i++, x += spec->dilations[2]) {
            bool is_within = line >= 0 && x >= 0 && x < spec->in[2];
            *places++ = is_within ? from + x * spec->inputs : blank;
        }
    }
    if (run->self->taps % 2 != 0) {
        *places = blank;
    }
}

/* Copies of the bytes at all places: as often as a channel has filters, and padded. */
static void copy_places(const tacho_byte_product *self, const unsigned char **places,
                        const unsigned char *blank, unsigned char *to)
{
    int64_t padded = self->blocks * self->simd->width;
    for (int64_t k = 0; k < 2 * self->pairs; k++, to += padded) {
        if (places[k] == blank) {
            continue;
        }
        for (int64_t i = 0; self->made > 1 && i < self->spec.outputs; i++) {
            to[i] = places[k][i / self->made];
        }
        if (self->made == 1) {
            memcpy(to, places[k], (size_t)self->spec.outputs);
        }
        places[k] = to;
    }
}

static void work_each(const byte_run *run, const unit *at, void *scratch)
{
    const tacho_byte_product *self = run->self;
    const tacho_byte_simd *simd = self->simd;
    int64_t width = simd->width, padded = self->blocks * width;
    const unsigned char **places = scratch;
    unsigned char *blank = (unsigned char *)(places + 2 * self->pairs), *copies = blank + padded;
    bool needs_copies = self->made > 1 || padded != self->spec.outputs;
    tacho_byte_places all = {places, self->pairs, self->spec.data == TACHO_DTYPE_I8, run->zero};
    int64_t first = at->first_block * width, end = at->end_block * width;
    end = end < self->spec.outputs ? end : self->spec.outputs;
    tacho_byte_target target = {.finish = &self->finish, .channel = first, .count = end - first};
    memset(blank, (unsigned char)run->zero, (size_t)padded);
    if (needs_copies) { /* the padding of a copy is multiplied, too, and then dropped */
        memset(copies, 0, (size_t)(2 * self->pairs * padded));
    }
    for (int64_t i = 0; i < at->count; i++) {
        find_places(run, at, i, places, blank);
        if (needs_copies) {
            copy_places(self, places, blank, copies);
        }
        target.to = output_of(run, at, i, first);
        simd->multiply_each(&all, run->filters + first * self->pairs * 2, &target);
    }
}

static void do_work(void *data)
{
    byte_run *run = data;
    const tacho_byte_product *self = run->self;
    int thread = atomic_fetch_add(&run->next_thread, 1);
    if (thread < 0 || (uint32_t)thread >= self->threads) {
        return; /* more threads than requested: others take their units */
    }
    void *scratch = run->scratch + self->live_bytes + (uint64_t)thread * self->thread_bytes;
    long long number;
    while ((number = atomic_fetch_add(&run->next_unit, 1)) < run->units) {
        unit at = unit_of(run, number);
        (self->is_each ? work_each : work_rows)(run, &at, scratch);
    }
}

static int16_t zero_of(const tacho_byte_product *self, const tacho_byte_memory *memory)
{
    if (memory->zero == NULL) {
        return (int16_t)self->spec.zero;
    }
    return self->spec.data == TACHO_DTYPE_I8 ? *(const int8_t *)memory->zero
                                             : *(const uint8_t *)memory->zero;
}

void tacho_byte_product_run(const tacho_byte_product *self, const tacho_byte_memory *memory,
                            tacho_byte_parallel *parallel)
{
    byte_run run = {.self = self,
                    .data = memory->data,
                    .output = memory->output,
                    .scratch = memory->scratch,
                    .filters = self->filters,
                    .zero = zero_of(self, memory)};
    if (self->filters == NULL) {
        tacho_byte_product_pack(self, memory->filters, memory->scratch);
        run.filters = memory->scratch;
    }
    run.tiles = (self->places + self->tile - 1) / self->tile;
    run.columns = 1;
    run.units = run.tiles * self->spec.images * (self->is_each ? 1 : self->spec.groups);
    if (run.units < self->threads) {
        int64_t columns = ((int64_t)self->threads + run.units - 1) / run.units;
        run.columns = columns < self->blocks ? columns : self->blocks;
        run.units *= run.columns;
    }
    bool is_small = self->spec.images * self->places * self->spec.outputs <
                    PARALLEL_FROM / (self->taps * self->depth);
    if (parallel != NULL && self->threads > 1 && run.units > 1 && !is_small) {
        parallel(do_work, &run, self->threads, 0);
    } else {
        do_work(&run);
    }
}
