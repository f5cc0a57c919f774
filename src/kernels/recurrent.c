/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recurrent layers: LSTM, GRU and RNN, forward, in reverse or both, and the LSTM of bytes that
 * DynamicQuantizeLSTM becomes. Gates and states are doubles from step to step, also in quick
 * kernels, which compute functions through kernels/vector.h; recurrent_products.c multiplies.
 * Gates are in ONNX's order: i o f c; z r h.
 */
#include "kernels/functions.h"
#include "kernels/product.h"
#include "kernels/recurrent.h"

#include <strings.h>

static const int64_t hidden_max = INT64_MAX / 8; /* twice the gates are countable */

/* ---- activations --------------------------------------------------------------------------- */

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
    tacho_recurrent_function f;
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

typedef tacho_recurrent layer;
typedef tacho_recurrent_cell cell;
typedef tacho_recurrent_activation activation;

/* ---- cells ----------------------------------------------------------------------------------- */

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

/* The reset gate applies before the product with the state, or after it. */
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
        tacho_recurrent_add_fresh(self, reset, made);
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
    {"RNN", 1, 1, {"Tanh"}, step_rnn, false},
    {"GRU", 3, 2, {"Sigmoid", "Tanh"}, step_gru, false},
    {"LSTM", 4, 3, {"Sigmoid", "Tanh", "Tanh"}, step_lstm, false},
    {"tacho.QuantisedLSTM", 4, 3, {"Sigmoid", "Tanh", "Tanh"}, step_lstm, true},
};

/* ---- attributes of the node ---------------------------------------------------------------- */

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

/* Whether a scale and a zero point are those of weights |weights|: by direction, or by row of it.
 */
static bool is_scaled(const layer *self, size_t scale, size_t weights)
{
    const tacho_kernel_call *call = self->call;
    tacho_shape each = {1, {self->directions}};
    tacho_shape by_row = {2, {self->directions, self->cell->gates * self->hidden}};
    const tacho_array *zero = tacho_call_input(call, scale + 1);
    const tacho_array *given = tacho_call_input(call, scale);
    tacho_dtype dtype = call->inputs[weights]->dtype;
    return given != NULL &&
           (is_shape(given, TACHO_DTYPE_F32, &each) || is_shape(given, TACHO_DTYPE_F32, &by_row)) &&
           (is_shape(zero, dtype, &each) || is_shape(zero, dtype, &by_row));
}

/* Whether an array is given and has one element of a type. */
static bool is_one(const tacho_array *array, tacho_dtype dtype)
{
    return array != NULL && array->dtype == dtype && tacho_array_elements(array) == 1;
}

/* Of bytes: unsigned data, weights of either kind, and their scales and zero points. */
static bool is_quantised_fit(const layer *self)
{
    const tacho_kernel_call *call = self->call;
    const tacho_array *zero = tacho_call_input(call, TACHO_RECURRENT_X_SCALE + 1);
    bool fits = call->inputs[0]->dtype == TACHO_DTYPE_U8 &&
                is_one(tacho_call_input(call, TACHO_RECURRENT_X_SCALE), TACHO_DTYPE_F32) &&
                (zero == NULL || is_one(zero, TACHO_DTYPE_U8));
    for (size_t i = 1; i <= 2; i++) {
        tacho_dtype dtype = call->inputs[i]->dtype;
        fits = fits && (dtype == TACHO_DTYPE_I8 || dtype == TACHO_DTYPE_U8);
    }
    return fits && self->inputs <= TACHO_BYTE_DEPTH_MAX && self->hidden <= TACHO_BYTE_DEPTH_MAX &&
           is_scaled(self, TACHO_RECURRENT_W_SCALE, 1) &&
           is_scaled(self, TACHO_RECURRENT_R_SCALE, 2);
}

/* Whether operands and results have the types and shapes of the sizes. */
static bool is_fit(const layer *self)
{
    const tacho_kernel_call *call = self->call;
    bool is_quantised = self->cell->is_quantised;
    tacho_dtype dtype = is_quantised ? TACHO_DTYPE_F32 : call->inputs[0]->dtype;
    tacho_dtype w_dtype = is_quantised ? call->inputs[1]->dtype : dtype;
    tacho_dtype r_dtype = is_quantised ? call->inputs[2]->dtype : dtype;
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
    bool fits = is_shape(call->inputs[1], w_dtype, &w) && is_shape(call->inputs[2], r_dtype, &r) &&
                (!is_quantised || is_quantised_fit(self)) &&
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
    if (!tacho_is_real(call->inputs[0]) && !self->cell->is_quantised) {
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

static tacho_status make_room(layer *self, tacho_arena *arena, int64_t direction)
{
    int64_t rows = self->cell->gates * self->hidden;
    bool is_lstm = self->cell->gates == 4;
    size_t absent = self->call->input_count;
    TACHO_TRY(tacho_recurrent_list(self, arena, 3, direction * 2 * rows, rows, &self->w_bias));
    TACHO_TRY(
        tacho_recurrent_list(self, arena, 3, direction * 2 * rows + rows, rows, &self->r_bias));
    TACHO_TRY(tacho_recurrent_list(self, arena, is_lstm ? 7 : absent, direction * 3 * self->hidden,
                                   3 * self->hidden, &self->peephole));
    TACHO_TRY(tacho_scratch_reals(arena, 1, rows, &self->x_sums));
    TACHO_TRY(tacho_scratch_reals(arena, 1, rows, &self->h_sums));
    TACHO_TRY(tacho_scratch_reals(arena, self->batch, self->hidden, &self->h));
    TACHO_TRY(tacho_scratch_reals(arena, self->batch, 2 * self->hidden, &self->c));
    return tacho_recurrent_begin_products(self, arena, direction);
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

/* How many steps a sequence has. */
static tacho_status read_length(const layer *self, int64_t sequence, int64_t *out_length)
{
    const tacho_array *lengths = tacho_call_input(self->call, 4);
    *out_length = lengths == NULL ? self->steps : tacho_int_at(lengths, sequence);
    return *out_length >= 0 && *out_length <= self->steps
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "a sequence of %lld steps, there are %lld",
                            (long long)*out_length, (long long)self->steps);
}

static tacho_status begin_states(const layer *self, int64_t direction)
{
    size_t second = self->cell->gates == 4 ? 6 : self->call->input_count;
    for (int64_t i = 0; i < self->batch; i++) {
        int64_t at = state_at(self, direction, i), length;
        TACHO_TRY(read_length(self, i, &length));
        read_state(self, 5, at, self->h + i * self->hidden);
        read_state(self, second, at, self->c + i * 2 * self->hidden);
    }
    return TACHO_OK;
}

static void end_states(const layer *self, int64_t direction)
{
    for (int64_t i = 0; i < self->batch; i++) {
        int64_t at = state_at(self, direction, i);
        write_state(self, 1, at, self->h + i * self->hidden);
        if (self->cell->gates == 4) {
            write_state(self, 2, at, self->c + i * 2 * self->hidden);
        }
    }
}

/* The |i|-th step of a sequence of |length|; steps after its end are zero. */
static void step_once(const layer *self, int64_t direction, int64_t sequence, int64_t i,
                      int64_t length)
{
    static const double zero = 0;
    bool is_reverse = direction == 1 || self->is_reverse;
    int64_t step = i < length && is_reverse ? length - 1 - i : i;
    int64_t row =
        self->is_batch_first ? sequence * self->steps + step : step * self->batch + sequence;
    int64_t place = self->is_batch_first
                        ? row * self->directions + direction
                        : (step * self->directions + direction) * self->batch + sequence;
    double *h = self->h + sequence * self->hidden, *c = self->c + sequence * 2 * self->hidden;
    tacho_array *all = tacho_call_output(self->call, 0);
    if (i < length) {
        tacho_recurrent_fill_sums(self, row, sequence);
        self->cell->step(self, self->x_sums, self->h_sums, h, c);
        write_state(self, 0, place * self->hidden, h);
    }
    for (int64_t j = 0; i >= length && all != NULL && j < self->hidden; j++) {
        tacho_write_reals(all, place * self->hidden + j, 1, &zero);
    }
}

static tacho_status run_direction(layer *self, tacho_arena *arena, int64_t direction)
{
    TACHO_TRY(make_room(self, arena, direction));
    TACHO_TRY(begin_states(self, direction));
    self->now = self->activations + (size_t)direction * self->cell->function_count;
    for (int64_t i = 0; i < self->steps; i++) {
        tacho_recurrent_multiply_states(self);
        for (int64_t j = 0; j < self->batch; j++) {
            int64_t length;
            TACHO_TRY(read_length(self, j, &length));
            step_once(self, direction, j, i, length);
        }
    }
    end_states(self, direction);
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

static tacho_status compute_quantised_lstm(const tacho_kernel_call *call)
{
    return compute(call, &cells[3], false);
}

const tacho_kernel tacho_recurrent_kernels[] = {
    {"GRU", TACHO_KERNEL_HEAVY, compute_gru},
    {"LSTM", TACHO_KERNEL_HEAVY, compute_lstm},
    {"RNN", TACHO_KERNEL_HEAVY, compute_rnn},
    {"tacho.QuantisedLSTM", TACHO_KERNEL_HEAVY, compute_quantised_lstm},
    {0},
};

/* ---- quick kernels ------------------------------------------------------------------------- */

bool tacho_quick_fits_recurrent(const tacho_kernel_call *call)
{
    bool is_f32 = call->input_count >= 3 && call->outputs[0].dtype == TACHO_DTYPE_F32;
    for (size_t i = 0; i < 3 && is_f32; i++) {
        is_f32 = call->inputs[i] != NULL && call->inputs[i]->dtype == TACHO_DTYPE_F32;
    }
    return is_f32;
}

bool tacho_quick_fits_quantised_lstm(const tacho_kernel_call *call)
{
    (void)call;
    return true; /* the types that the operator has are the only ones */
}

/* Weights that are constants, packed; NULL where they are none, or where the call fails anyway. */
static tacho_status prepare(const tacho_kernel_call *call, const cell *kind, tacho_arena *arena,
                            const void **out_prepared)
{
    layer self = {.call = call, .cell = kind, .is_quick = true, .set = tacho_vector_best()};
    tacho_recurrent_weights *weights = NULL;
    tacho_status status = read_node(&self);
    if (status != TACHO_OK) {
        tacho_status_free(status);
    } else {
        TACHO_TRY(tacho_recurrent_pack(&self, arena, &weights));
    }
    *out_prepared = weights;
    return TACHO_OK;
}

#define QUICK(name, number)                                                                        \
    tacho_status tacho_quick_##name(const tacho_kernel_call *call)                                 \
    {                                                                                              \
        return compute(call, &cells[number], true);                                                \
    }                                                                                              \
    tacho_status tacho_quick_prepare_##name(const tacho_kernel_call *call, tacho_arena *arena,     \
                                            const void **out_prepared)                             \
    {                                                                                              \
        return prepare(call, &cells[number], arena, out_prepared);                                 \
    }
QUICK(rnn, 0)
QUICK(gru, 1)
QUICK(lstm, 2)
QUICK(quantised_lstm, 3)
