/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Panels of packed weights, and a run over them: threads take panels one by one.
 */
#include "kernels/nbit_product.h"

#include "base/budget.h"
#include "base/maths.h"
#include "kernels/nbit_simd.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Products for which waking other threads takes longer than they save. */
enum { PARALLEL_FROM = 1 << 19, ALIGN = 64 };

struct tacho_nbit_product {
    const tacho_nbit_simd *simd;
    tacho_nbit_form form;
    int64_t columns, panels, panel_bytes;
    uint32_t threads;
    unsigned char *packed;
    float *bias; /* NULL: none */
};

/* ---- packing ------------------------------------------------------------------------------- */

/* Element |at| of a list; signed ones are moved up, and their zero points with them. */
static unsigned element_at(const unsigned char *list, tacho_dtype dtype, int64_t at)
{
    switch ((int)dtype) {
    case TACHO_DTYPE_U4:
    case TACHO_DTYPE_I4: {
        unsigned nibble = (unsigned)list[at / 2] >> (at % 2 * 4) & 15;
        return dtype == TACHO_DTYPE_I4 ? nibble ^ 8 : nibble;
    }
    case TACHO_DTYPE_I8:
        return list[at] ^ 128U;
    case TACHO_DTYPE_F16:
    case TACHO_DTYPE_BF16:
        return list[2 * at] | (unsigned)list[2 * at + 1] << 8;
    default:
        return list[at];
    }
}

static tacho_nbit_kind kind_of(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_F16                             ? TACHO_NBIT_F16
           : dtype == TACHO_DTYPE_BF16                          ? TACHO_NBIT_BF16
           : dtype == TACHO_DTYPE_U8 || dtype == TACHO_DTYPE_I8 ? TACHO_NBIT_BYTES
                                                                : TACHO_NBIT_NIBBLES;
}

static bool has_scales(const tacho_nbit_form *form)
{
    return form->kind == TACHO_NBIT_BYTES || form->kind == TACHO_NBIT_NIBBLES;
}

/* Bytes of an element of a panel, of which nibbles form words. */
static int64_t element_bytes(tacho_nbit_kind kind)
{
    return kind == TACHO_NBIT_NIBBLES ? 4 : kind == TACHO_NBIT_BYTES ? 1 : 2;
}

/* What stands for zero where there is no list of zero points. */
static unsigned moved_zero(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_I4 ? 8 : dtype == TACHO_DTYPE_I8 ? 128 : 0;
}

static unsigned zero_at(const tacho_nbit_weights *weights, int64_t block, int64_t column)
{
    int64_t at = block * weights->scale_depth_step + column * weights->scale_column_step;
    return weights->zeros != NULL ? element_at(weights->zeros, weights->dtype, at)
                                  : moved_zero(weights->dtype);
}

static int64_t blocks_of(const tacho_nbit_form *form)
{
    return (form->depth + form->block - 1) / form->block;
}

/* Whether all zero points are the same, which then is that of the form. */
static void find_zero(const tacho_nbit_weights *weights, tacho_nbit_form *form)
{
    unsigned first = zero_at(weights, 0, 0);
    form->zero = (float)first;
    for (int64_t b = 0; b < blocks_of(form) && weights->zeros != NULL; b++) {
        for (int64_t c = 0; c < weights->columns && !form->has_zeros; c++) {
            form->has_zeros = zero_at(weights, b, c) != first;
        }
    }
}

/* Weights |first| to |end| of the depth; columns beyond the last are zeros. */
static unsigned char *pack_places(const tacho_nbit_product *self, const tacho_nbit_weights *weights,
                                  int64_t column, const int64_t places[2], unsigned char *to)
{
    int64_t width = self->simd->width, first = places[0], end = places[1];
    int64_t step = self->form.kind == TACHO_NBIT_NIBBLES ? TACHO_NBIT_GROUP : 1;
    int64_t bytes = element_bytes(self->form.kind);
    for (int64_t k = first; k < end; k += step) {
        for (int64_t c = 0; c < width; c++) {
            uint32_t word = 0;
            for (int64_t i = 0; i < step && k + i < end && column + c < self->columns; i++) {
                int64_t at = (k + i) * weights->depth_step + (column + c) * weights->column_step;
                word |= (uint32_t)element_at(weights->data, weights->dtype, at) << (4 * i);
            }
            for (int64_t i = 0; i < bytes; i++) {
                to[c * bytes + i] = (unsigned char)(word >> (8 * i));
            }
        }
        to += width * bytes;
    }
    return to;
}

static void pack_panel(const tacho_nbit_product *self, const tacho_nbit_weights *weights,
                       int64_t panel)
{
    const tacho_nbit_form *form = &self->form;
    int64_t width = self->simd->width, column = panel * width;
    unsigned char *to = self->packed + panel * self->panel_bytes;
    for (int64_t b = 0; b < blocks_of(form); b++) {
        int64_t end = (b + 1) * form->block;
        const int64_t places[] = {b * form->block, end < form->depth ? end : form->depth};
        for (int64_t c = 0; c < width && has_scales(form); c++) {
            int64_t at = b * weights->scale_depth_step + (column + c) * weights->scale_column_step;
            float scale = column + c < self->columns ? weights->scales[at] : 0;
            memcpy(to + c * 4, &scale, sizeof(scale));
        }
        to += has_scales(form) ? width * 4 : 0;
        for (int64_t c = 0; c < width && form->has_zeros; c++) {
            to[c] =
                (unsigned char)(column + c < self->columns ? zero_at(weights, b, column + c) : 0);
        }
        to += form->has_zeros ? width : 0;
        to = pack_places(self, weights, column, places, to);
    }
}

/* Bytes of a panel: what |pack_panel| writes. */
static int64_t panel_bytes_of(const tacho_nbit_product *self)
{
    const tacho_nbit_form *form = &self->form;
    int64_t blocks = blocks_of(form), last = form->depth - (blocks - 1) * form->block;
    int64_t group = form->kind == TACHO_NBIT_NIBBLES ? TACHO_NBIT_GROUP : 1;
    int64_t each = (form->block + group - 1) / group, rest = (last + group - 1) / group;
    int64_t of_column = ((blocks - 1) * each + rest) * element_bytes(form->kind) +
                        blocks * ((has_scales(form) ? 4 : 0) + (form->has_zeros ? 1 : 0));
    return of_column * self->simd->width;
}

static tacho_status pack(tacho_nbit_product *self, const tacho_nbit_weights *weights)
{
    uint64_t bytes = (uint64_t)self->panels * (uint64_t)self->panel_bytes;
    TACHO_TRY_NOTE(tacho_budget_check(bytes), "packed weights of %" PRId64 " x %" PRId64,
                   weights->depth, weights->columns);
    self->packed = aligned_alloc(ALIGN, (size_t)(bytes / ALIGN + 1) * ALIGN);
    if (self->packed == NULL) {
        return tacho_no_memory();
    }
    for (int64_t i = 0; i < self->panels; i++) {
        pack_panel(self, weights, i);
    }
    return TACHO_OK;
}

static tacho_status fill(tacho_nbit_product *self, const tacho_nbit_weights *weights,
                         const float *bias)
{
    size_t padded = (size_t)(self->panels * self->simd->width);
    if (bias != NULL) {
        self->bias = calloc(padded, sizeof(*bias));
        if (self->bias == NULL) {
            return tacho_no_memory();
        }
        memcpy(self->bias, bias, (size_t)self->columns * sizeof(*bias));
    }
    return pack(self, weights);
}

tacho_status tacho_nbit_product_create(const tacho_nbit_weights *weights, const float *bias,
                                       uint32_t threads, tacho_nbit_product **out)
{
    tacho_nbit_product *self = calloc(1, sizeof(*self));
    *out = NULL;
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->simd = tacho_nbit_simd_best();
    self->form = (tacho_nbit_form){
        .depth = weights->depth, .block = weights->block, .kind = kind_of(weights->dtype)};
    if (has_scales(&self->form)) {
        find_zero(weights, &self->form);
    }
    self->columns = weights->columns;
    self->threads = threads;
    self->panels = (self->columns + self->simd->width - 1) / self->simd->width;
    self->panel_bytes = panel_bytes_of(self);
    tacho_status status = fill(self, weights, bias);
    if (status != TACHO_OK) {
        tacho_nbit_product_free(self);
        return status;
    }
    *out = self;
    return TACHO_OK;
}

void tacho_nbit_product_free(tacho_nbit_product *self)
{
    if (self != NULL) {
        free(self->packed);
        free(self->bias);
        free(self);
    }
}

const char *tacho_nbit_product_name(const tacho_nbit_product *self)
{
    return self->simd->name;
}

uint64_t tacho_nbit_product_bytes(const tacho_nbit_product *self)
{
    return (uint64_t)self->panels * (uint64_t)self->panel_bytes;
}

/* ---- running ------------------------------------------------------------------------------- */

typedef struct nbit_run {
    const tacho_nbit_product *self;
    const float *from;
    float *to;
    int64_t rows;
    atomic_llong next_panel;
} nbit_run;

static void finish_rows(const nbit_run *run, int64_t panel, int64_t row, int64_t count,
                        const float *sums)
{
    const tacho_nbit_product *self = run->self;
    int64_t width = self->simd->width, column = panel * width;
    int64_t columns = self->columns - column < width ? self->columns - column : width;
    for (int64_t r = 0; r < count; r++) {
        float *to = run->to + (row + r) * self->columns + column;
        for (int64_t c = 0; c < columns; c++) {
            to[c] = sums[r * width + c] + (self->bias != NULL ? self->bias[column + c] : 0);
        }
    }
}

static void do_panels(void *data)
{
    nbit_run *run = data;
    const tacho_nbit_product *self = run->self;
    float sums[TACHO_NBIT_ROWS_MAX * TACHO_NBIT_WIDTH_MAX];
    long long panel;
    while ((panel = atomic_fetch_add(&run->next_panel, 1)) < self->panels) {
        const unsigned char *packed = self->packed + panel * self->panel_bytes;
        for (int64_t row = 0; row < run->rows; row += self->simd->rows) {
            int64_t rest = run->rows - row;
            tacho_nbit_rows rows = {.data = run->from + row * self->form.depth,
                                    .stride = self->form.depth,
                                    .count = rest < self->simd->rows ? rest : self->simd->rows};
            self->simd->multiply(&rows, &self->form, packed, sums);
            finish_rows(run, panel, row, rows.count, sums);
        }
    }
}

void tacho_nbit_product_run(const tacho_nbit_product *self, const float *from, int64_t rows,
                            float *to, tacho_byte_parallel *parallel)
{
    nbit_run run = {.self = self, .from = from, .to = to, .rows = rows};
    bool is_small = rows * self->columns < PARALLEL_FROM / self->form.depth;
    if (parallel != NULL && self->threads > 1 && self->panels > 1 && !is_small) {
        parallel(do_panels, &run, self->threads, 0);
    } else {
        do_panels(&run);
    }
}
