/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of inputs and states with the weights of a recurrent layer.
 *
 * Of a cell with g gates of |hidden| elements the weights are g*hidden rows. Reference kernels turn
 * them, so that one input adds to all gates at once, and sum up in double, over the inputs first,
 * then over the state, each in the order of the elements. Quick ones multiply in f32
 * (kernels/real_product.h): the inputs of all steps at once, then the states of each step.
 *
 * Where data and weights are bytes, so becomes the state, in each step anew and of all sequences
 * together, as ONNX Runtime does it. Sums are whole numbers then, and both kinds of kernels have
 * the same.
 */
#include "kernels/product.h"
#include "kernels/real_product.h"
#include "kernels/recurrent.h"

#include <math.h>

enum { TURNED_ROWS = 8 };

static int64_t row_count(const tacho_recurrent *self)
{
    return self->cell->gates * self->hidden;
}

/* Rows of the state's weights that are multiplied by it before any gate is known. */
static int64_t recurrent_early_rows(const tacho_recurrent *self)
{
    bool is_late = self->cell->gates != 3 || self->is_reset_late;
    return (is_late ? self->cell->gates : 2) * self->hidden;
}

/* ---- memory -------------------------------------------------------------------------------- */

static tacho_status alloc(tacho_arena *arena, int64_t rows, int64_t columns, size_t size,
                          void *out_memory)
{
    size_t count;
    void *memory;
    if (__builtin_mul_overflow(rows, columns, &count) ||
        __builtin_mul_overflow(count, size, &count)) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_arena_alloc(arena, count + 1, &memory));
    memcpy(out_memory, &memory, sizeof(memory));
    return TACHO_OK;
}

tacho_status tacho_recurrent_list(const tacho_recurrent *self, tacho_arena *arena, size_t input,
                                  int64_t at, int64_t count, double **out_list)
{
    const tacho_array *array = tacho_call_input(self->call, input);
    TACHO_TRY(tacho_scratch_reals(arena, 1, count, out_list));
    if (array != NULL) {
        tacho_read_reals(array, at, 1, (size_t)count, *out_list);
        return TACHO_OK;
    }
    for (int64_t i = 0; i < count; i++) {
        (*out_list)[i] = 0;
    }
    return TACHO_OK;
}

/* A list of |count| places, |step| apart. */
static tacho_status list_places(tacho_arena *arena, int64_t count, int64_t step,
                                const int64_t **out_places)
{
    int64_t *places = NULL;
    TACHO_TRY(alloc(arena, count + 1, 1, sizeof(int64_t), &places));
    for (int64_t i = 0; i < count; i++) {
        places[i] = i * step;
    }
    *out_places = places;
    return TACHO_OK;
}

/* ---- weights ------------------------------------------------------------------------------- */

/* The zero point of row |row| of |direction|: one for each direction, for each row, or none. */
static int64_t zero_of(const tacho_recurrent *self, size_t zeros, int64_t direction, int64_t row)
{
    const tacho_array *array =
        self->cell->is_quantised ? tacho_call_input(self->call, zeros) : NULL;
    if (array == NULL) {
        return 0;
    }
    bool is_by_row = array->shape.rank == 2;
    return tacho_int_at(array, is_by_row ? direction * row_count(self) + row : direction);
}

/* Which input has the zero points of weights |input|. */
static size_t zeros_of(size_t input)
{
    return (input == 1 ? TACHO_RECURRENT_W_SCALE : TACHO_RECURRENT_R_SCALE) + 1;
}

/* Matrix |direction| of an operand, transposed; a few rows at a time, so that memory is read in
 * order.
 */
static tacho_status transpose_weights(const tacho_recurrent *self, tacho_arena *arena, size_t input,
                                      int64_t direction, double **out_matrix)
{
    int64_t rows = row_count(self), columns = input == 1 ? self->inputs : self->hidden;
    const tacho_array *array = self->call->inputs[input];
    double *block;
    TACHO_TRY(tacho_scratch_reals(arena, columns, rows, out_matrix));
    TACHO_TRY(tacho_scratch_reals(arena, columns, TURNED_ROWS, &block));
    for (int64_t row = 0; row < rows; row += TURNED_ROWS) {
        int64_t count = rows - row < TURNED_ROWS ? rows - row : TURNED_ROWS;
        tacho_read_reals(array, (direction * rows + row) * columns, 1, (size_t)(count * columns),
                         block);
        for (int64_t j = 0; j < count; j++) {
            double zero = (double)zero_of(self, zeros_of(input), direction, row + j);
            for (int64_t i = 0; i < columns; i++) {
                (*out_matrix)[i * rows + row + j] = block[j * columns + i] - zero;
            }
        }
    }
    return TACHO_OK;
}

/* Rows of weights, |depth| elements each, as the columns that something is multiplied by. */
static tacho_status pack_reals(const tacho_recurrent *self, tacho_arena *arena, float *weights,
                               int64_t rows, int64_t depth, float **out_packed)
{
    tacho_real_matrix matrix = {.data = weights};
    tacho_arena places;
    tacho_arena_init(&places);
    tacho_status status = list_places(&places, depth, 1, &matrix.rows);
    status = status != TACHO_OK ? status : list_places(&places, rows, depth, &matrix.columns);
    int64_t columns = tacho_real_packed_count(self->set, 1, rows);
    status = status != TACHO_OK ? status : alloc(arena, columns, depth, sizeof(float), out_packed);
    if (status == TACHO_OK) {
        tacho_real_pack(self->set, &matrix, 0, rows, depth, *out_packed);
    }
    tacho_arena_deinit(&places);
    return status;
}

static tacho_status pack_bytes(const tacho_recurrent *self, tacho_arena *arena, size_t input,
                               int64_t direction, tacho_byte_matrix *out_matrix)
{
    int64_t rows = row_count(self), depth = input == 1 ? self->inputs : self->hidden;
    const tacho_array *array = self->call->inputs[input];
    int16_t *zeros = NULL;
    TACHO_TRY(alloc(arena, rows, 1, sizeof(int16_t), &zeros));
    for (int64_t i = 0; i < rows; i++) {
        zeros[i] = (int16_t)zero_of(self, zeros_of(input), direction, i);
    }
    tacho_byte_columns columns = {
        .data = (const unsigned char *)array->data + direction * rows * depth,
        .is_signed = array->dtype == TACHO_DTYPE_I8,
        .zeros = zeros,
        .depth = depth,
        .columns = rows,
    };
    return tacho_byte_matrix_pack(&columns, arena, out_matrix);
}

static tacho_status pack_direction(const tacho_recurrent *self, tacho_arena *arena,
                                   int64_t direction, tacho_recurrent_weights *out)
{
    int64_t rows = row_count(self), early = recurrent_early_rows(self);
    if (self->cell->is_quantised) {
        TACHO_TRY(pack_bytes(self, arena, 1, direction, &out->byte_w));
        return pack_bytes(self, arena, 2, direction, &out->byte_r);
    }
    float *w = (float *)self->call->inputs[1]->data + direction * rows * self->inputs;
    float *r = (float *)self->call->inputs[2]->data + direction * rows * self->hidden;
    TACHO_TRY(pack_reals(self, arena, w, rows, self->inputs, &out->w));
    TACHO_TRY(pack_reals(self, arena, r, early, self->hidden, &out->r));
    return pack_reals(self, arena, r + early * self->hidden, rows - early, self->hidden,
                      &out->fresh);
}

/* Whether an input has a value now, or is absent. */
static bool is_constant(const tacho_recurrent *self, size_t input)
{
    const tacho_array *array = tacho_call_input(self->call, input);
    return array == NULL || array->data != NULL;
}

tacho_status tacho_recurrent_pack(const tacho_recurrent *self, tacho_arena *arena,
                                  tacho_recurrent_weights **out_weights)
{
    bool is_known = is_constant(self, 1) && is_constant(self, 2);
    is_known = is_known && (!self->cell->is_quantised ||
                            (is_constant(self, zeros_of(1)) && is_constant(self, zeros_of(2))));
    *out_weights = NULL;
    if (!is_known) {
        return TACHO_OK;
    }
    TACHO_TRY(alloc(arena, self->directions, 1, sizeof(**out_weights), out_weights));
    for (int64_t i = 0; i < self->directions; i++) {
        (*out_weights)[i] = (tacho_recurrent_weights){0};
        TACHO_TRY(pack_direction(self, arena, i, &(*out_weights)[i]));
    }
    return TACHO_OK;
}

/* ---- the beginning ------------------------------------------------------------------------- */

/* The scales in |input| by row, which may be one for all of a direction. */
static tacho_status list_scales(const tacho_recurrent *self, tacho_arena *arena, size_t input,
                                int64_t direction, double **out_scales)
{
    int64_t rows = row_count(self);
    const tacho_array *scales = self->call->inputs[input];
    bool is_by_row = scales->shape.rank == 2;
    TACHO_TRY(tacho_scratch_reals(arena, 1, rows, out_scales));
    for (int64_t i = 0; i < rows; i++) {
        (*out_scales)[i] = tacho_real_at(scales, is_by_row ? direction * rows + i : direction);
    }
    return TACHO_OK;
}

static double rounded_product(double a, double b)
{
    return (double)((float)a * (float)b);
}

static tacho_status multiply_real_inputs(tacho_recurrent *self, tacho_arena *arena)
{
    int64_t rows = row_count(self), total = self->steps * self->batch;
    tacho_real_sizes sizes = {total, self->inputs, rows};
    tacho_real_matrix left = {.data = self->call->inputs[0]->data};
    tacho_real_matrix result = {0};
    float *scratch = NULL;
    TACHO_TRY(list_places(arena, total, self->inputs, &left.rows));
    TACHO_TRY(list_places(arena, self->inputs, 1, &left.columns));
    TACHO_TRY(list_places(arena, total, rows, &result.rows));
    TACHO_TRY(list_places(arena, rows, 1, &result.columns));
    TACHO_TRY(alloc(arena, total, rows, sizeof(float), &self->all_x_sums));
    TACHO_TRY(alloc(arena, 1, tacho_real_scratch_count(self->set, self->inputs), sizeof(float),
                    &scratch));
    result.data = self->all_x_sums;
    tacho_real_multiply(self->set, &sizes, &left, self->packed->w, 0, &result, scratch);
    return TACHO_OK;
}

/* Memory for products with states. */
static tacho_status begin_real_states(tacho_recurrent *self, tacho_arena *arena)
{
    int64_t early = recurrent_early_rows(self);
    TACHO_TRY(list_places(arena, self->batch, self->hidden, &self->lists[0]));
    TACHO_TRY(list_places(arena, self->hidden, 1, &self->lists[1]));
    TACHO_TRY(list_places(arena, self->batch, early, &self->lists[2]));
    TACHO_TRY(list_places(arena, early, 1, &self->lists[3]));
    TACHO_TRY(alloc(arena, self->batch, early, sizeof(float), &self->all_h_sums));
    TACHO_TRY(alloc(arena, 1, self->hidden, sizeof(float), &self->sums_row));
    return alloc(arena, 1, tacho_real_scratch_count(self->set, self->hidden), sizeof(float),
                 &self->real_scratch);
}

/* All sums of inputs as whole numbers. */
static tacho_status multiply_byte_inputs(tacho_recurrent *self, tacho_arena *arena)
{
    const tacho_array *zero = tacho_call_input(self->call, TACHO_RECURRENT_X_SCALE + 1);
    int64_t total = self->steps * self->batch;
    const tacho_byte_matrix *w = &self->packed->byte_w;
    int16_t *scratch = NULL;
    TACHO_TRY(alloc(arena, total, row_count(self), sizeof(int32_t), &self->all_x_sums));
    TACHO_TRY(
        alloc(arena, tacho_byte_matrix_scratch_count(w, total), 1, sizeof(int16_t), &scratch));
    tacho_byte_matrix_multiply(w, self->call->inputs[0]->data, total,
                               (int16_t)(zero == NULL ? 0 : tacho_int_at(zero, 0)), scratch,
                               self->all_x_sums);
    const tacho_byte_matrix *r = &self->packed->byte_r;
    TACHO_TRY(alloc(arena, self->batch, row_count(self), sizeof(int32_t), &self->all_h_sums));
    return alloc(arena, tacho_byte_matrix_scratch_count(r, self->batch), 1, sizeof(int16_t),
                 &self->byte_scratch);
}

static tacho_status begin_bytes(tacho_recurrent *self, tacho_arena *arena, int64_t direction)
{
    double x_scale = tacho_real_at(self->call->inputs[TACHO_RECURRENT_X_SCALE], 0);
    TACHO_TRY(list_scales(self, arena, TACHO_RECURRENT_W_SCALE, direction, &self->w_scales));
    TACHO_TRY(list_scales(self, arena, TACHO_RECURRENT_R_SCALE, direction, &self->r_scales));
    for (int64_t i = 0; i < row_count(self); i++) {
        self->w_scales[i] = rounded_product(x_scale, self->w_scales[i]);
    }
    TACHO_TRY(tacho_scratch_reals(arena, 1, row_count(self), &self->h_scales));
    TACHO_TRY(tacho_scratch_reals(arena, 1, self->hidden, &self->h_numbers));
    return alloc(arena, self->batch, self->hidden, 1, &self->h_bytes);
}

tacho_status tacho_recurrent_begin_products(tacho_recurrent *self, tacho_arena *arena,
                                            int64_t direction)
{
    TACHO_TRY(alloc(arena, self->batch, self->hidden, sizeof(float), &self->h_rows));
    if (self->cell->is_quantised) {
        TACHO_TRY(begin_bytes(self, arena, direction));
    }
    if (!self->is_quick) {
        TACHO_TRY(transpose_weights(self, arena, 1, direction, &self->w));
        TACHO_TRY(transpose_weights(self, arena, 2, direction, &self->r));
        return tacho_scratch_reals(arena, 1, self->inputs, &self->x);
    }
    const tacho_recurrent_weights *prepared = self->call->prepared;
    tacho_recurrent_weights *packed = NULL;
    if (prepared == NULL) {
        TACHO_TRY(alloc(arena, 1, 1, sizeof(*packed), &packed));
        TACHO_TRY(pack_direction(self, arena, direction, packed));
    }
    self->packed = prepared != NULL ? prepared + direction : packed;
    if (self->cell->is_quantised) {
        return multiply_byte_inputs(self, arena);
    }
    TACHO_TRY(multiply_real_inputs(self, arena));
    return begin_real_states(self, arena);
}

/* ---- steps --------------------------------------------------------------------------------- */

/* All states as bytes; where they have no range, the scale is a NaN and so are all products. */
static void quantise_states(tacho_recurrent *self)
{
    int64_t count = self->batch * self->hidden;
    if (!tacho_quantise_reals(self->h_rows, count, self->h_bytes, &self->h_scale, &self->h_zero)) {
        self->h_scale = NAN;
        self->h_zero = 0;
        memset(self->h_bytes, 0, (size_t)count);
    }
    for (int64_t i = 0; i < row_count(self); i++) {
        self->h_scales[i] = rounded_product((double)self->h_scale, self->r_scales[i]);
    }
}

void tacho_recurrent_multiply_states(tacho_recurrent *self)
{
    int64_t early = recurrent_early_rows(self);
    bool needs_rows = self->is_quick || self->cell->is_quantised;
    for (int64_t i = 0; needs_rows && i < self->batch * self->hidden; i++) {
        self->h_rows[i] = (float)self->h[i];
    }
    if (self->cell->is_quantised) {
        quantise_states(self);
    }
    if (self->is_quick && self->cell->is_quantised) {
        tacho_byte_matrix_multiply(&self->packed->byte_r, self->h_bytes, self->batch, self->h_zero,
                                   self->byte_scratch, self->all_h_sums);
    } else if (self->is_quick && self->batch == 1) {
        tacho_real_multiply_row(self->set, self->h_rows, self->hidden, self->packed->r, early,
                                self->all_h_sums);
    } else if (self->is_quick) {
        tacho_real_sizes sizes = {self->batch, self->hidden, early};
        tacho_real_matrix left = {self->h_rows, self->lists[0], self->lists[1]};
        tacho_real_matrix sums = {self->all_h_sums, self->lists[2], self->lists[3]};
        tacho_real_multiply(self->set, &sizes, &left, self->packed->r, 0, &sums,
                            self->real_scratch);
    }
}

/* |h| times the turned |matrix| of rows of |columns|, from column |at| on. */
static void add_product(const double *h, int64_t depth, const double *matrix, int64_t columns,
                        int64_t at, int64_t count, double *sums)
{
    for (int64_t k = 0; k < depth; k++) {
        const double *row = matrix + k * columns + at;
        for (int64_t i = 0; i < count; i++) {
            sums[i] += h[k] * row[i];
        }
    }
}

/* |count| bytes less their zero point. */
static void widen(const uint8_t *bytes, int64_t zero, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (double)(bytes[i] - zero);
    }
}

/* Scales sums of integers, in |sums| or in |whole|, to reals, and adds biases. */
static void scale_sums(const double *biases, const double *scales, const int32_t *whole,
                       int64_t count, double *sums)
{
    for (int64_t i = 0; i < count; i++) {
        sums[i] = biases[i] + (whole != NULL ? (double)whole[i] : sums[i]) * scales[i];
    }
}

static void fill_byte_sums(const tacho_recurrent *self, int64_t row, int64_t sequence)
{
    int64_t rows = row_count(self), hidden = self->hidden;
    const tacho_array *zero = tacho_call_input(self->call, TACHO_RECURRENT_X_SCALE + 1);
    const int32_t *x = NULL, *h = NULL;
    if (self->is_quick) {
        x = (const int32_t *)self->all_x_sums + row * rows;
        h = (const int32_t *)self->all_h_sums + sequence * rows;
    } else {
        memset(self->x_sums, 0, (size_t)rows * sizeof(double));
        memset(self->h_sums, 0, (size_t)rows * sizeof(double));
        widen((const uint8_t *)self->call->inputs[0]->data + row * self->inputs,
              zero == NULL ? 0 : tacho_int_at(zero, 0), self->inputs, self->x);
        add_product(self->x, self->inputs, self->w, rows, 0, rows, self->x_sums);
        widen(self->h_bytes + sequence * hidden, self->h_zero, hidden, self->h_numbers);
        add_product(self->h_numbers, hidden, self->r, rows, 0, rows, self->h_sums);
    }
    scale_sums(self->w_bias, self->w_scales, x, rows, self->x_sums);
    scale_sums(self->r_bias, self->h_scales, h, rows, self->h_sums);
}

static void add_reals(const float *from, int64_t count, double *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] += (double)from[i];
    }
}

void tacho_recurrent_fill_sums(const tacho_recurrent *self, int64_t row, int64_t sequence)
{
    int64_t rows = row_count(self), early = recurrent_early_rows(self);
    if (self->cell->is_quantised) {
        fill_byte_sums(self, row, sequence);
        return;
    }
    memcpy(self->x_sums, self->w_bias, (size_t)rows * sizeof(double));
    memcpy(self->h_sums, self->r_bias, (size_t)rows * sizeof(double));
    if (self->is_quick) {
        add_reals((const float *)self->all_x_sums + row * rows, rows, self->x_sums);
        add_reals((const float *)self->all_h_sums + sequence * early, early, self->h_sums);
        return;
    }
    tacho_read_reals(self->call->inputs[0], row * self->inputs, 1, (size_t)self->inputs, self->x);
    add_product(self->x, self->inputs, self->w, rows, 0, rows, self->x_sums);
    add_product(self->h + sequence * self->hidden, self->hidden, self->r, rows, 0, rows,
                self->h_sums);
}

void tacho_recurrent_add_fresh(const tacho_recurrent *self, const double *state, double *sums)
{
    int64_t n = self->hidden;
    if (!self->is_quick) {
        add_product(state, n, self->r, 3 * n, 2 * n, n, sums);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        self->h_rows[i] = (float)state[i]; /* the products of this step are done */
    }
    tacho_real_multiply_row(self->set, self->h_rows, n, self->packed->fresh, n, self->sums_row);
    add_reals(self->sums_row, n, sums);
}
