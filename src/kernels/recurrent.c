/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent layers: LSTM, GRU and RNN, forward, in reverse or both. States stay in double from step
 * to step; sums go over the inputs first, then over the state, each in the order of the elements.
 *
 * Of a cell with g gates of |hidden| elements the weights are g*hidden rows; here they are turned,
 * so that one input adds to all gates at once. Gates are in ONNX's order: i o f c; z r h.
 *
 * The quick kernels multiply in f32 (kernels/real_product.h): the inputs of all steps at once, then
 * the state of each step; gates and states are doubles there, too, through kernels/vector.h.
 */
#include "kernels/call.h"
#include "kernels/functions.h"
#include "kernels/product.h"
#include "kernels/quick.h"
#include "kernels/real_product.h"

#include <strings.h>

enum {
    FUNCTIONS_MAX = 6, /* of two directions */
    TURNED_ROWS = 8,
};

static const int64_t hidden_max = INT64_MAX / 8; /* twice the gates are countable */

/* ---- activations --------------------------------------------------------------------------- */

typedef double (*function)(double x, double a, double b);

static double relu(double x, double a, double b)
{
    (void)a, (void)b;
    return x > 0 ? x : 0;
}

static double hyperbolic(double x, double a, double b)
{
    (void)a, (void)b;
    return tacho_tanh(x);
}

static double sigmoid(double x, double a, double b)
{
    (void)a, (void)b;
    return tacho_sigmoid(x);
}

static double affine(double x, double a, double b)
{
    return a * x + b;
}

static double leaky(double x, double a, double b)
{
    (void)b;
    return x < 0 ? a * x : x;
}

static double thresholded(double x, double a, double b)
{
    (void)b;
    return x > a ? x : 0;
}

static double scaled_tanh(double x, double a, double b)
{
    return a * tacho_tanh(b * x);
}

static double hard_sigmoid(double x, double a, double b)
{
    double y = a * x + b;
    return y < 0 ? 0 : y > 1 ? 1 : y;
}

static double elu(double x, double a, double b)
{
    (void)b;
    return x < 0 ? a * tacho_expm1(x) : x;
}

static double softsign(double x, double a, double b)
{
    (void)a, (void)b;
    return x / (1 + (x < 0 ? -x : x));
}

static double softplus(double x, double a, double b)
{
    (void)a, (void)b;
    return x > 0 ? x + tacho_log1p(tacho_exp(-x)) : tacho_log1p(tacho_exp(x));
}

static const struct {
    const char *name;
    function f;
    uint8_t parameters; /* taken from activation_alpha and activation_beta */
    double a, b;        /* where those give none */
} functions[] = {
    {"Relu", relu, 0, 0, 0},
    {"Tanh", hyperbolic, 0, 0, 0},
    {"Sigmoid", sigmoid, 0, 0, 0},
    {"Affine", affine, 2, 1, 0},
    {"LeakyRelu", leaky, 1, (double)0.01f, 0},
    {"ThresholdedRelu", thresholded, 1, 1, 0},
    {"ScaledTanh", scaled_tanh, 2, 1, 1},
    {"HardSigmoid", hard_sigmoid, 2, (double)0.2f, 0.5},
    {"Elu", elu, 1, 1, 0},
    {"Softsign", softsign, 0, 0, 0},
    {"Softplus", softplus, 0, 0, 0},
};

typedef struct activation {
    function f;
    double a, b;
} activation;

/* ---- the layer ----------------------------------------------------------------------------- */

typedef struct layer layer;

/* What differs between the cells. */
typedef struct cell {
    const char *name;
    int64_t gates;
    size_t function_count;
    const char *defaults[3];
    /* From the sums of x and of h to the next states, for one sequence of the batch. Sums are used
     * up. */
    void (*step)(const layer *self, double *x, double *h_sums, double *h, double *c);
} cell;

struct layer {
    const tacho_kernel_call *call;
    const cell *cell;
    int64_t steps, batch, inputs, hidden, directions;
    bool is_batch_first, is_coupled, is_reset_late, is_reverse;
    double clip; /* 0: none */
    activation activations[FUNCTIONS_MAX];
    /* Of the direction at work: */
    const activation *now;
    double *w, *r, *w_bias, *r_bias, *peephole; /* turned; peephole is zeros where there is none */
    double *x, *x_sums, *h_sums, *h, *c;
    /* Of quick kernels, instead of |w|, |r| and |x|: */
    bool is_quick;
    tacho_vector_set set;
    float *all_x_sums; /* of all steps and sequences, as the inputs lie, without biases */
    float *packed_r, *packed_new; /* the rows of |r| that h is multiplied by; of GRU's new state */
    float *h_row, *sums_row;
};

/* Rows of the state's weights that are multiplied by it before any gate is known. */
static int64_t early_rows(const layer *self)
{
    bool is_late = self->cell->gates != 3 || self->is_reset_late;
    return (is_late ? self->cell->gates : 2) * self->hidden;
}

static double clipped(const layer *self, double x)
{
    double most = self->clip;
    return most > 0 && x > most ? most : most > 0 && x < -most ? -most : x;
}

/* Activation |i| of each of |values|. */
static void apply(const layer *self, size_t i, double *values)
{
    const activation *how = &self->now[i];
    bool is_sigmoid = how->f == sigmoid, is_tanh = how->f == hyperbolic;
    if (self->is_quick && (is_sigmoid || is_tanh)) {
        tacho_vector_apply(self->set, is_sigmoid ? TACHO_VECTOR_SIGMOID : TACHO_VECTOR_TANH, values,
                           (size_t)self->hidden, 0);
        return;
    }
    for (int64_t j = 0; j < self->hidden; j++) {
        values[j] = how->f(values[j], how->a, how->b);
    }
}

static void apply_clipped(const layer *self, size_t i, double *values)
{
    for (int64_t j = 0; self->clip > 0 && j < self->hidden; j++) {
        values[j] = clipped(self, values[j]);
    }
    apply(self, i, values);
}

static void step_rnn(const layer *self, double *x, double *h_sums, double *h, double *c)
{
    (void)c;
    for (int64_t i = 0; i < self->hidden; i++) {
        h[i] = x[i] + h_sums[i];
    }
    apply_clipped(self, 0, h);
}

static void step_lstm(const layer *self, double *x, double *h_sums, double *h, double *c)
{
    int64_t n = self->hidden;
    const double *p = self->peephole;
    double *in = x, *out = x + n, *forget = x + 2 * n, *made = x + 3 * n;
    for (int64_t i = 0; i < n; i++) {
        in[i] = in[i] + h_sums[i] + p[i] * c[i];
        forget[i] = forget[i] + h_sums[2 * n + i] + p[2 * n + i] * c[i];
        made[i] = made[i] + h_sums[3 * n + i];
    }
    apply_clipped(self, 0, in);
    apply_clipped(self, 0, forget);
    apply_clipped(self, 1, made);
    for (int64_t i = 0; i < n; i++) {
        double kept = self->is_coupled ? 1 - in[i] : forget[i];
        c[i] = kept * c[i] + in[i] * made[i];
        out[i] = out[i] + h_sums[n + i] + p[n + i] * c[i];
        h[i] = c[i];
    }
    apply_clipped(self, 0, out);
    apply(self, 2, h);
    for (int64_t i = 0; i < n; i++) {
        h[i] = out[i] * h[i];
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

/* The product of |state| with the weights of GRU's new state is added to |sums|. */
static void add_new_state(const layer *self, const double *state, double *sums)
{
    int64_t n = self->hidden;
    if (!self->is_quick) {
        add_product(state, n, self->r, 3 * n, 2 * n, n, sums);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        self->h_row[i] = (float)state[i];
    }
    tacho_real_multiply_row(self->set, self->h_row, n, self->packed_new, n, self->sums_row);
    for (int64_t i = 0; i < n; i++) {
        sums[i] += (double)self->sums_row[i];
    }
}

/* The reset gate comes before the product with the state, or after it. */
static void step_gru(const layer *self, double *x, double *h_sums, double *h, double *c)
{
    int64_t n = self->hidden;
    double *reset = c, *made = c + n, *update = x, *next = x + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        reset[i] = x[n + i] + h_sums[n + i];
    }
    apply_clipped(self, 0, reset);
    for (int64_t i = 0; i < n; i++) {
        made[i] = self->is_reset_late ? reset[i] * h_sums[2 * n + i] : self->r_bias[2 * n + i];
        reset[i] *= h[i];
    }
    if (!self->is_reset_late) {
        add_new_state(self, reset, made);
    }
    for (int64_t i = 0; i < n; i++) {
        update[i] = update[i] + h_sums[i];
        next[i] = next[i] + made[i];
    }
    apply_clipped(self, 0, update);
    apply_clipped(self, 1, next);
    for (int64_t i = 0; i < n; i++) {
        h[i] = (1 - update[i]) * next[i] + update[i] * h[i];
    }
}

static const cell cells[] = {
    {"RNN", 1, 1, {"Tanh"}, step_rnn},
    {"GRU", 3, 2, {"Sigmoid", "Tanh"}, step_gru},
    {"LSTM", 4, 3, {"Sigmoid", "Tanh", "Tanh"}, step_lstm},
};

/* ---- what the node says -------------------------------------------------------------------- */

static tacho_status find_function(tacho_str name, size_t *out_at)
{
    for (*out_at = 0; *out_at < sizeof(functions) / sizeof(functions[0]); ++*out_at) {
        const char *known = functions[*out_at].name;
        if (strlen(known) == name.len && strncasecmp(known, name.data, name.len) == 0) {
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_UNSUPPORTED, "no activation is called '%.*s'",
                      (int)(name.len < 64 ? name.len : 64), name.data);
}

/* The next of the numbers that a list gives to the functions that take one. */
static double next_of(const tacho_attr *list, uint32_t *at, double fallback)
{
    bool has_it = list != NULL && list->kind == TACHO_ATTR_REALS && *at < list->count;
    return has_it ? list->value.as_reals[(*at)++] : fallback;
}

static tacho_status choose_activations(layer *self)
{
    const tacho_kernel_call *call = self->call;
    size_t each = self->cell->function_count, total = each * (size_t)self->directions;
    const tacho_attr *names = tacho_attr_find(call->attrs, call->attr_count, "activations");
    const tacho_attr *alphas = tacho_attr_find(call->attrs, call->attr_count, "activation_alpha");
    const tacho_attr *betas = tacho_attr_find(call->attrs, call->attr_count, "activation_beta");
    uint32_t alpha = 0, beta = 0;
    bool is_given = names != NULL && names->kind == TACHO_ATTR_TEXTS && names->count > 0;
    if (is_given && names->count != total) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s has %u activations, expected %zu",
                          self->cell->name, (unsigned)names->count, total);
    }
    for (size_t i = 0; i < total; i++) {
        size_t at;
        TACHO_TRY(find_function(is_given ? names->value.as_texts[i]
                                         : tacho_str_from_cstring(self->cell->defaults[i % each]),
                                &at));
        double a = functions[at].a, b = functions[at].b;
        a = functions[at].parameters > 0 ? next_of(alphas, &alpha, a) : a;
        b = functions[at].parameters > 1 ? next_of(betas, &beta, b) : b;
        self->activations[i] = (activation){functions[at].f, a, b};
    }
    return TACHO_OK;
}

static bool is_shape(const tacho_array *array, tacho_dtype dtype, const tacho_shape *shape)
{
    return array == NULL || (array->dtype == dtype && tacho_shape_equal(&array->shape, shape));
}

static tacho_status read_direction(layer *self)
{
    tacho_str way = tacho_attr_text(self->call->attrs, self->call->attr_count, "direction");
    bool is_both = tacho_str_equal(way, TACHO_STR("bidirectional"));
    self->directions = is_both ? 2 : 1;
    self->is_reverse = tacho_str_equal(way, TACHO_STR("reverse"));
    return is_both || self->is_reverse || way.len == 0 || tacho_str_equal(way, TACHO_STR("forward"))
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s has no direction '%.*s'", self->cell->name,
                            (int)(way.len < 64 ? way.len : 64), way.data);
}

/* Whether operands and results have the types and shapes that the sizes ask for. */
static bool is_fit(const layer *self)
{
    const tacho_kernel_call *call = self->call;
    tacho_dtype dtype = call->inputs[0]->dtype;
    int64_t both = self->directions, hidden = self->hidden, rows = self->cell->gates * hidden;
    bool is_lstm = self->cell->gates == 4;
    tacho_shape w = {3, {both, rows, self->inputs}}, r = {3, {both, rows, hidden}};
    tacho_shape biases = {2, {both, 2 * rows}}, peepholes = {2, {both, 3 * hidden}};
    tacho_shape all = {4, {self->steps, both, self->batch, hidden}};
    tacho_shape last = {3, {both, self->batch, hidden}};
    if (self->is_batch_first) {
        all = (tacho_shape){4, {self->batch, self->steps, both, hidden}};
        last = (tacho_shape){3, {self->batch, both, hidden}};
    }
    const tacho_array *lengths = tacho_call_input(call, 4);
    bool fits = is_shape(call->inputs[1], dtype, &w) && is_shape(call->inputs[2], dtype, &r) &&
                is_shape(tacho_call_input(call, 3), dtype, &biases) &&
                is_shape(tacho_call_input(call, 5), dtype, &last) &&
                is_shape(tacho_call_output(call, 0), dtype, &all) &&
                is_shape(tacho_call_output(call, 1), dtype, &last);
    fits = fits && (lengths == NULL || (tacho_is_int(lengths) && lengths->shape.rank == 1 &&
                                        lengths->shape.dims[0] == self->batch));
    return fits && (is_lstm ? is_shape(tacho_call_input(call, 6), dtype, &last) &&
                                  is_shape(tacho_call_input(call, 7), dtype, &peepholes) &&
                                  is_shape(tacho_call_output(call, 2), dtype, &last)
                            : tacho_call_output(call, 2) == NULL);
}

static tacho_status read_node(layer *self)
{
    const tacho_kernel_call *call = self->call;
    const tacho_shape *x = &call->inputs[0]->shape, *r = &call->inputs[2]->shape;
    if (!tacho_is_real(call->inputs[0])) {
        return tacho_unsupported_type(self->cell->name, call->inputs[0]->dtype);
    }
    if (x->rank != 3 || r->rank != 3 || r->dims[2] > hidden_max) {
        return tacho_wrong_shapes(self->cell->name);
    }
    self->is_batch_first = tacho_call_int(call, "layout", 0) != 0;
    self->steps = x->dims[self->is_batch_first ? 1 : 0];
    self->batch = x->dims[self->is_batch_first ? 0 : 1];
    self->inputs = x->dims[2];
    self->hidden = r->dims[2];
    self->is_coupled = tacho_call_int(call, "input_forget", 0) != 0;
    self->is_reset_late = tacho_call_int(call, "linear_before_reset", 0) != 0;
    self->clip = tacho_call_real(call, "clip", 0);
    TACHO_TRY(read_direction(self));
    return is_fit(self) ? choose_activations(self) : tacho_wrong_shapes(self->cell->name);
}

/* ---- one direction ------------------------------------------------------------------------- */

/* Matrix |direction| of an operand, transposed; a few rows at a time, so that memory is read in
 * order.
 */
static tacho_status transpose_weights(const layer *self, tacho_arena *arena, size_t input,
                                      int64_t direction, int64_t columns, double **out_matrix)
{
    int64_t rows = self->cell->gates * self->hidden;
    const tacho_array *array = self->call->inputs[input];
    double *block;
    TACHO_TRY(tacho_scratch_reals(arena, columns, rows, out_matrix));
    TACHO_TRY(tacho_scratch_reals(arena, columns, TURNED_ROWS, &block));
    for (int64_t row = 0; row < rows; row += TURNED_ROWS) {
        int64_t count = rows - row < TURNED_ROWS ? rows - row : TURNED_ROWS;
        tacho_read_reals(array, (direction * rows + row) * columns, 1, (size_t)(count * columns),
                         block);
        for (int64_t i = 0; i < columns; i++) {
            for (int64_t j = 0; j < count; j++) {
                (*out_matrix)[i * rows + row + j] = block[j * columns + i];
            }
        }
    }
    return TACHO_OK;
}

static tacho_status list_of(const layer *self, tacho_arena *arena, size_t input, int64_t at,
                            int64_t count, double **out_list)
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

static tacho_status alloc_floats(tacho_arena *arena, int64_t rows, int64_t columns,
                                 float **out_floats)
{
    size_t count;
    void *memory;
    if (__builtin_mul_overflow(rows, columns, &count) ||
        __builtin_mul_overflow(count, sizeof(float), &count)) {
        return tacho_no_memory();
    }
    TACHO_TRY(tacho_arena_alloc(arena, count + 1, &memory));
    *out_floats = memory;
    return TACHO_OK;
}

/* A list of |count| places, |step| apart. */
static tacho_status list_places(tacho_arena *arena, int64_t count, int64_t step,
                                const int64_t **out_places)
{
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, (size_t)(count + 1) * sizeof(int64_t), &memory));
    int64_t *places = memory;
    for (int64_t i = 0; i < count; i++) {
        places[i] = i * step;
    }
    *out_places = places;
    return TACHO_OK;
}

/* Rows of weights, |depth| elements each, as the columns that something is multiplied by. */
static tacho_status pack_rows(const layer *self, tacho_arena *arena, float *weights, int64_t rows,
                              int64_t depth, float **out_packed)
{
    tacho_real_matrix matrix = {.data = weights};
    TACHO_TRY(list_places(arena, depth, 1, &matrix.rows));
    TACHO_TRY(list_places(arena, rows, depth, &matrix.columns));
    TACHO_TRY(alloc_floats(arena, tacho_real_packed_count(self->set, 1, rows), depth, out_packed));
    tacho_real_pack(self->set, &matrix, 0, rows, depth, *out_packed);
    return TACHO_OK;
}

/* The inputs of all steps times their weights. */
static tacho_status multiply_inputs(layer *self, tacho_arena *arena, float *weights)
{
    int64_t rows = self->cell->gates * self->hidden, total = self->steps * self->batch;
    tacho_real_sizes sizes = {total, self->inputs, rows};
    tacho_real_matrix left = {.data = self->call->inputs[0]->data};
    tacho_real_matrix result = {0};
    float *packed = NULL, *scratch = NULL;
    TACHO_TRY(pack_rows(self, arena, weights, rows, self->inputs, &packed));
    TACHO_TRY(list_places(arena, total, self->inputs, &left.rows));
    TACHO_TRY(list_places(arena, self->inputs, 1, &left.columns));
    TACHO_TRY(list_places(arena, total, rows, &result.rows));
    TACHO_TRY(list_places(arena, rows, 1, &result.columns));
    TACHO_TRY(alloc_floats(arena, total, rows, &self->all_x_sums));
    TACHO_TRY(alloc_floats(arena, 1, tacho_real_scratch_count(self->set, self->inputs), &scratch));
    result.data = self->all_x_sums;
    tacho_real_multiply(self->set, &sizes, &left, packed, 0, &result, scratch);
    return TACHO_OK;
}

static tacho_status make_quick_room(layer *self, tacho_arena *arena, int64_t direction)
{
    int64_t rows = self->cell->gates * self->hidden, early = early_rows(self);
    float *w = (float *)self->call->inputs[1]->data + direction * rows * self->inputs;
    float *r = (float *)self->call->inputs[2]->data + direction * rows * self->hidden;
    TACHO_TRY(multiply_inputs(self, arena, w));
    TACHO_TRY(pack_rows(self, arena, r, early, self->hidden, &self->packed_r));
    TACHO_TRY(pack_rows(self, arena, r + early * self->hidden, rows - early, self->hidden,
                        &self->packed_new));
    TACHO_TRY(alloc_floats(arena, 1, self->hidden, &self->h_row));
    return alloc_floats(arena, 1, rows, &self->sums_row);
}

static tacho_status make_room(layer *self, tacho_arena *arena, int64_t direction)
{
    int64_t rows = self->cell->gates * self->hidden;
    bool is_lstm = self->cell->gates == 4;
    size_t absent = self->call->input_count;
    if (self->is_quick) {
        TACHO_TRY(make_quick_room(self, arena, direction));
    } else {
        TACHO_TRY(transpose_weights(self, arena, 1, direction, self->inputs, &self->w));
        TACHO_TRY(transpose_weights(self, arena, 2, direction, self->hidden, &self->r));
    }
    TACHO_TRY(list_of(self, arena, 3, direction * 2 * rows, rows, &self->w_bias));
    TACHO_TRY(list_of(self, arena, 3, direction * 2 * rows + rows, rows, &self->r_bias));
    TACHO_TRY(list_of(self, arena, is_lstm ? 7 : absent, direction * 3 * self->hidden,
                      3 * self->hidden, &self->peephole));
    TACHO_TRY(tacho_scratch_reals(arena, 1, self->inputs, &self->x));
    TACHO_TRY(tacho_scratch_reals(arena, 1, rows, &self->x_sums));
    TACHO_TRY(tacho_scratch_reals(arena, 1, rows, &self->h_sums));
    TACHO_TRY(tacho_scratch_reals(arena, 1, self->hidden, &self->h));
    return tacho_scratch_reals(arena, 2, self->hidden, &self->c);
}

/* Where the state of a sequence is in initial and last states. */
static int64_t state_at(const layer *self, int64_t direction, int64_t sequence)
{
    return self->hidden * (self->is_batch_first ? sequence * self->directions + direction
                                                : direction * self->batch + sequence);
}

static void write_state(const layer *self, size_t output, int64_t at, const double *state)
{
    tacho_array *array = tacho_call_output(self->call, output);
    if (array != NULL) {
        tacho_write_reals(array, at, (size_t)self->hidden, state);
    }
}

static void read_state(const layer *self, size_t input, int64_t at, double *state)
{
    const tacho_array *array = tacho_call_input(self->call, input);
    for (int64_t i = 0; i < self->hidden; i++) {
        state[i] = array == NULL ? 0 : tacho_real_at(array, at + i);
    }
}

/* Products of the state are added to |h_sums|, those of input |row| to |x_sums|. */
static void add_quick_products(const layer *self, int64_t row)
{
    int64_t rows = self->cell->gates * self->hidden, early = early_rows(self);
    const float *x_sums = self->all_x_sums + row * rows;
    for (int64_t i = 0; i < self->hidden; i++) {
        self->h_row[i] = (float)self->h[i];
    }
    tacho_real_multiply_row(self->set, self->h_row, self->hidden, self->packed_r, early,
                            self->sums_row);
    for (int64_t i = 0; i < rows; i++) {
        self->x_sums[i] += (double)x_sums[i];
    }
    for (int64_t i = 0; i < early; i++) {
        self->h_sums[i] += (double)self->sums_row[i];
    }
}

static void step_once(const layer *self, int64_t step, int64_t sequence)
{
    int64_t rows = self->cell->gates * self->hidden;
    int64_t row =
        self->is_batch_first ? sequence * self->steps + step : step * self->batch + sequence;
    memcpy(self->x_sums, self->w_bias, (size_t)rows * sizeof(double));
    memcpy(self->h_sums, self->r_bias, (size_t)rows * sizeof(double));
    if (self->is_quick) {
        add_quick_products(self, row);
    } else {
        tacho_read_reals(self->call->inputs[0], row * self->inputs, 1, (size_t)self->inputs,
                         self->x);
        add_product(self->x, self->inputs, self->w, rows, 0, rows, self->x_sums);
        add_product(self->h, self->hidden, self->r, rows, 0, rows, self->h_sums);
    }
    self->cell->step(self, self->x_sums, self->h_sums, self->h, self->c);
}

/* All steps of one sequence; what is behind its end is zero. */
static tacho_status run_sequence(const layer *self, int64_t direction, bool is_reverse,
                                 int64_t sequence)
{
    const tacho_array *lengths = tacho_call_input(self->call, 4);
    int64_t length = lengths == NULL ? self->steps : tacho_int_at(lengths, sequence);
    int64_t at = state_at(self, direction, sequence);
    if (length < 0 || length > self->steps) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a sequence of %lld steps, there are %lld",
                          (long long)length, (long long)self->steps);
    }
    read_state(self, 5, at, self->h);
    read_state(self, self->cell->gates == 4 ? 6 : self->call->input_count, at, self->c);
    for (int64_t i = 0; i < self->steps; i++) {
        int64_t step = i < length && is_reverse ? length - 1 - i : i;
        static const double zero = 0;
        int64_t place = self->is_batch_first
                            ? (sequence * self->steps + step) * self->directions + direction
                            : (step * self->directions + direction) * self->batch + sequence;
        if (i < length) {
            step_once(self, step, sequence);
            write_state(self, 0, place * self->hidden, self->h);
        }
        tacho_array *all = tacho_call_output(self->call, 0);
        for (int64_t j = 0; i >= length && all != NULL && j < self->hidden; j++) {
            tacho_write_reals(all, place * self->hidden + j, 1, &zero);
        }
    }
    write_state(self, 1, at, self->h);
    if (self->cell->gates == 4) {
        write_state(self, 2, at, self->c);
    }
    return TACHO_OK;
}

static tacho_status run_direction(layer *self, tacho_arena *arena, int64_t direction)
{
    bool is_reverse = direction == 1 || self->is_reverse;
    TACHO_TRY(make_room(self, arena, direction));
    self->now = self->activations + (size_t)direction * self->cell->function_count;
    for (int64_t i = 0; i < self->batch; i++) {
        TACHO_TRY(run_sequence(self, direction, is_reverse, i));
    }
    return TACHO_OK;
}

static tacho_status compute(const tacho_kernel_call *call, const cell *kind, bool is_quick)
{
    layer self = {.call = call, .cell = kind, .is_quick = is_quick, .set = tacho_vector_best()};
    TACHO_TRY(read_node(&self));
    tacho_status status = TACHO_OK;
    for (int64_t i = 0; status == TACHO_OK && i < self.directions; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        status = run_direction(&self, &arena, i);
        tacho_arena_deinit(&arena);
    }
    return status;
}

static tacho_status compute_rnn(const tacho_kernel_call *call)
{
    return compute(call, &cells[0], false);
}

static tacho_status compute_gru(const tacho_kernel_call *call)
{
    return compute(call, &cells[1], false);
}

static tacho_status compute_lstm(const tacho_kernel_call *call)
{
    return compute(call, &cells[2], false);
}

const tacho_kernel tacho_recurrent_kernels[] = {
    {"GRU", TACHO_KERNEL_HEAVY, compute_gru},
    {"LSTM", TACHO_KERNEL_HEAVY, compute_lstm},
    {"RNN", TACHO_KERNEL_HEAVY, compute_rnn},
    {0},
};

bool tacho_quick_fits_recurrent(const tacho_kernel_call *call)
{
    bool is_f32 = call->input_count >= 3 && call->outputs[0].dtype == TACHO_DTYPE_F32;
    for (size_t i = 0; i < 3 && is_f32; i++) {
        is_f32 = call->inputs[i] != NULL && call->inputs[i]->dtype == TACHO_DTYPE_F32;
    }
    return is_f32;
}

tacho_status tacho_quick_rnn(const tacho_kernel_call *call)
{
    return compute(call, &cells[0], true);
}

tacho_status tacho_quick_gru(const tacho_kernel_call *call)
{
    return compute(call, &cells[1], true);
}

tacho_status tacho_quick_lstm(const tacho_kernel_call *call)
{
    return compute(call, &cells[2], true);
}
