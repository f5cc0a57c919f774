/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that models write out as several operators, found again so that they run in one pass:
 *
 *     SiLU         x * Sigmoid(x)
 *     GELU         x * (1 + Erf(x / sqrt(2))) / 2
 *     GELU, tanh   x * (1 + Tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2
 *                  x * (1 + Tanh(sqrt(2 / pi) * x * (1 + 0.044715 * x^2))) / 2
 *
 * Factors may be in any order, powers may be products, and a half a product with 0.5 or a quotient
 * by 2; numbers must be these as their type rounds them. Only the next operator may read an
 * intermediate result. One pass rounds once; so it differs from the operators one by one as much as
 * their type rounds.
 */
#include "device/execute_parts.h"
#include "kernels/call.h"
#include "kernels/quick.h"

#include <math.h>

/* A walk from operator to operator; |at| is the result of the last one. */
typedef struct finder {
    tacho_execution *self;
    tacho_pattern *found;
    uint32_t root;
    uint32_t at;
} finder;

static bool is_named(const finder *f, uint32_t step, const char *type)
{
    return tacho_str_equal(tacho_step_type(f->self, step), tacho_str_from_cstring(type));
}

/*
 * Whether a number is |wanted| as its type has it. Programs work out roots in f32, too, so that one
 * which f32 must round may be the next to it; the values then differ less than they are rounded.
 */
static bool is_rounded(tacho_dtype dtype, double number, double wanted)
{
    double memory;
    tacho_array rounded = {.dtype = dtype, .data = &memory};
    tacho_set_real(&rounded, 0, wanted);
    double nearest = tacho_real_at(&rounded, 0);
    if (number == nearest) {
        return true;
    }
    return dtype == TACHO_DTYPE_F32 && nearest != wanted &&
           (number == (double)nextafterf((float)nearest, 0) ||
            number == (double)nextafterf((float)nearest, INFINITY));
}

/* Whether a value is one number for all, and that number. */
static bool is_number(const finder *f, uint32_t id, double wanted)
{
    tacho_execution *self = f->self;
    if (id == TACHO_NONE || self->values[id].state != TACHO_VALUE_CONSTANT) {
        return false;
    }
    tacho_array array = tacho_value_array(&self->values[id]);
    if (!tacho_is_real(&array) || tacho_array_elements(&array) != 1) {
        return false;
    }
    tacho_status status = tacho_execution_load_constant(self, id);
    if (status != TACHO_OK) {
        tacho_status_free(status); /* the fallback reports it again */
        return false;
    }
    array.data = self->values[id].data;
    return is_rounded(tacho_wide_type(self, id), tacho_real_at(&array, 0), wanted);
}

/* The operand of |step| that is not |id|; TACHO_NONE when there is not exactly one. */
static uint32_t other_operand(const finder *f, uint32_t step, uint32_t id)
{
    uint32_t first = tacho_step_input(f->self, step, 0);
    uint32_t second = tacho_step_input(f->self, step, 1);
    return first == id ? second : second == id ? first : TACHO_NONE;
}

/* Goes on to the operator of that type that is the only reader of |at|, in any op. */
static bool advance(finder *f, const char *type, uint32_t *out_other)
{
    const tacho_value *value = &f->self->values[f->at];
    uint32_t step = value->reader;
    bool is_sole = value->uses == 1 && step != TACHO_NONE && step > f->root &&
                   !f->self->is_done[step] && is_named(f, step, type) &&
                   tacho_step_is_with(f->self, f->root, step) &&
                   f->self->program->steps[step].output_count == 1 &&
                   tacho_step_output(f->self, step, 0) != TACHO_NONE &&
                   f->found->step_count < TACHO_PATTERN_STEPS_MAX;
    if (!is_sole) {
        return false;
    }
    *out_other = other_operand(f, step, f->at);
    f->found->steps[f->found->step_count++] = step;
    f->at = tacho_step_output(f->self, step, 0);
    return true;
}

/* The same of one with a number as its other operand. */
static bool advance_by(finder *f, const char *type, double number)
{
    uint32_t other;
    return advance(f, type, &other) && is_number(f, other, number);
}

/* Whether |id| is |x| times a number, and made before. */
static bool is_scaled(const finder *f, uint32_t id, uint32_t x, double number)
{
    uint32_t step = id == TACHO_NONE ? TACHO_NONE : f->self->values[id].producer;
    if (step == TACHO_NONE || f->self->values[id].state != TACHO_VALUE_LIVE) {
        return false;
    }
    uint32_t other = other_operand(f, step, x);
    return (is_named(f, step, "Mul") && is_number(f, other, number)) ||
           (is_named(f, step, "Div") && tacho_step_input(f->self, step, 0) == x &&
            is_number(f, other, 1 / number));
}

/* Goes on to a product with 0.5, or a quotient by 2. */
static bool advance_half(finder *f)
{
    uint32_t before = f->at;
    uint32_t step = f->self->values[before].reader;
    if (step != TACHO_NONE && is_named(f, step, "Div")) {
        return tacho_step_input(f->self, step, 0) == before && advance_by(f, "Div", 2);
    }
    return advance_by(f, "Mul", 0.5);
}

/* Goes on by products with |x| and |number|, in any order, or with one that was made before. */
static bool advance_both(finder *f, uint32_t x, double number)
{
    uint32_t other;
    if (!advance(f, "Mul", &other)) {
        return false;
    }
    if (other == x) {
        return number == 0.5 ? advance_half(f) : advance_by(f, "Mul", number);
    }
    if (is_number(f, other, number)) {
        return advance(f, "Mul", &other) && other == x;
    }
    return is_scaled(f, other, x, number);
}

/* From 1 + f(x) on: the products with x and 0.5. */
static bool finish_gelu(finder *f, uint32_t x)
{
    if (!advance_by(f, "Add", 1)) {
        return false;
    }
    uint32_t step = f->self->values[f->at].reader, other;
    if (step != TACHO_NONE && is_named(f, step, "Div")) {
        return advance_half(f) && advance(f, "Mul", &other) && other == x;
    }
    return advance_both(f, x, 0.5);
}

static bool find_gelu(finder *f, uint32_t x)
{
    uint32_t other = other_operand(f, f->root, x);
    bool is_root = (is_named(f, f->root, "Div") && tacho_step_input(f->self, f->root, 0) == x &&
                    is_number(f, other, 1.4142135623730951)) ||
                   (is_named(f, f->root, "Mul") && is_number(f, other, 0.7071067811865476));
    return is_root && advance(f, "Erf", &other) && finish_gelu(f, x);
}

/* The first power of x in the polynomial of a GELU by tanh; 0: not found. */
static unsigned first_power(const finder *f, uint32_t x, bool *out_has_factor)
{
    uint32_t first = tacho_step_input(f->self, f->root, 0);
    uint32_t second = tacho_step_input(f->self, f->root, 1);
    *out_has_factor = false;
    if (is_named(f, f->root, "Pow") && first == x) {
        return is_number(f, second, 3) ? 3 : is_number(f, second, 2) ? 2 : 0;
    }
    if (!is_named(f, f->root, "Mul")) {
        return 0;
    }
    *out_has_factor = is_number(f, other_operand(f, f->root, x), 0.044715);
    return *out_has_factor ? 1 : first == x && second == x ? 2 : 0;
}

/* Products with x and 0.044715 up to a sum, then x + 0.044715 x^3 or 1 + 0.044715 x^2. */
static bool find_gelu_tanh(finder *f, uint32_t x)
{
    bool has_factor;
    uint32_t other;
    unsigned power = first_power(f, x, &has_factor);
    while (power > 0 && power <= 3 && advance(f, "Mul", &other)) {
        bool is_factor = !has_factor && is_number(f, other, 0.044715);
        if (!is_factor && other != x) {
            return false;
        }
        has_factor = has_factor || is_factor;
        power += is_factor ? 0 : 1;
    }
    if (!has_factor || !advance(f, "Add", &other)) {
        return false;
    }
    bool is_cube = power == 3 && other == x && advance_by(f, "Mul", 0.7978845608028654);
    bool is_square = power == 2 && is_number(f, other, 1) && advance_both(f, x, 0.7978845608028654);
    return (is_cube || is_square) && advance(f, "Tanh", &other) && finish_gelu(f, x);
}

static bool find_silu(finder *f, uint32_t x)
{
    uint32_t other;
    return is_named(f, f->root, "Sigmoid") && advance(f, "Mul", &other) && other == x;
}

static bool begin(finder *f)
{
    f->found->step_count = 0;
    f->at = tacho_step_output(f->self, f->root, 0);
    return f->at != TACHO_NONE && f->self->program->steps[f->root].output_count == 1;
}

bool tacho_pattern_find(tacho_execution *self, uint32_t root, tacho_pattern *out_found)
{
    static const struct {
        bool (*find)(finder *f, uint32_t x);
        tacho_fast_function function;
    } patterns[] = {
        {find_silu, TACHO_FAST_SWISH},
        {find_gelu, TACHO_FAST_GELU},
        {find_gelu_tanh, TACHO_FAST_GELU_TANH},
    };
    finder f = {.self = self, .found = out_found, .root = root};
    for (size_t operand = 0; operand < 2; operand++) {
        uint32_t x = tacho_step_input(self, root, operand);
        if (x == TACHO_NONE || self->values[x].state != TACHO_VALUE_LIVE) {
            continue;
        }
        for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
            if (begin(&f) && patterns[i].find(&f, x)) {
                const tacho_value *from = &self->values[x], *to = &self->values[f.at];
                out_found->function = patterns[i].function;
                out_found->input = x;
                out_found->output = f.at;
                return from->dtype == to->dtype && tacho_shape_equal(from->shape, to->shape);
            }
        }
    }
    return false;
}

/* ---- by a quick kernel --------------------------------------------------------------------- */

/* The call of the operator that a pattern stands for. */
static tacho_status describe(tacho_execution *self, const tacho_pattern *pattern,
                             tacho_task *out_task)
{
    static const tacho_attr by_tanh = {.name = TACHO_STR_INIT("approximate"),
                                       .kind = TACHO_ATTR_TEXT,
                                       .value.as_text = TACHO_STR_INIT("tanh")};
    const tacho_step *last = &self->program->steps[pattern->steps[pattern->step_count - 1]];
    void *memory;
    TACHO_TRY(tacho_arena_alloc(&self->arena, sizeof(tacho_task_call), &memory));
    tacho_task_call *own = memory;
    own->from = pattern->input;
    own->to = pattern->output;
    own->input = tacho_value_array(&self->values[own->from]);
    own->output = tacho_value_array(&self->values[own->to]);
    own->link = &own->input;
    *out_task = (tacho_task){.is_quick = true, .call = own};
    own->call = (tacho_kernel_call){
        .opset = last->opset,
        .inputs = &own->link,
        .input_count = 1,
        .outputs = &own->output,
        .output_count = 1,
        .attrs = &by_tanh,
        .attr_count = pattern->function == TACHO_FAST_GELU_TANH ? 1 : 0,
    };
    return TACHO_OK;
}

tacho_status tacho_pattern_take(tacho_execution *self, uint32_t root, bool *out_is_done)
{
    tacho_pattern pattern;
    tacho_task task;
    uint32_t piece;
    *out_is_done = false;
    if (!tacho_pattern_find(self, root, &pattern)) {
        return TACHO_OK;
    }
    TACHO_TRY(describe(self, &pattern, &task));
    task.step = root;
    task.kernel = tacho_quick_find(pattern.function == TACHO_FAST_SWISH ? TACHO_STR("Swish")
                                                                        : TACHO_STR("Gelu"),
                                   &task.call->call);
    if (task.kernel == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_value_ensure_plain(self, pattern.input, root, &piece));
    TACHO_TRY(tacho_task_guard(self, &task));
    TACHO_TRY(tacho_task_append(self, &task));
    uint32_t number = (uint32_t)self->task_count - 1;
    tacho_piece_keep(self, self->values[self->values[pattern.input].root].piece, number);
    TACHO_TRY(tacho_value_make(self, pattern.output, NULL, number, &piece));
    for (size_t i = 0; i < pattern.step_count; i++) {
        self->is_done[pattern.steps[i]] = true;
    }
    self->counts.kernels++;
    self->counts.fast += (uint32_t)pattern.step_count + 1;
    *out_is_done = true;
    return TACHO_OK;
}
