/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TOSA's operators that ONNX's kernels do not do: rescaling, tables, shifts, products with a
 * shift, and elements by place. Integers are exact as TOSA 1.0 defines them.
 */
#include "kernels/tosa.h"

#include "kernels/walk.h"

#include <math.h>

bool tacho_tosa_mentions(const tacho_kernel_call *call, const char *name, const char *word)
{
    tacho_str text = tacho_attr_text(call->attrs, call->attr_count, name);
    tacho_str wanted = tacho_str_from_cstring(word);
    for (size_t i = 0; i + wanted.len <= text.len; i++) {
        if (memcmp(text.data + i, wanted.data, wanted.len) == 0) {
            return true;
        }
    }
    return false;
}

int64_t tacho_tosa_zero(const tacho_kernel_call *call, size_t input, tacho_dtype dtype,
                        bool is_unsigned)
{
    const tacho_array *zero = tacho_call_input(call, input);
    if (zero == NULL || !tacho_tosa_is_sum(zero) || tacho_array_elements(zero) != 1) {
        return 0;
    }
    int64_t value = tacho_int_at(zero, 0);
    int bits = (int)tacho_dtype_element_bytes(dtype) * 8;
    if (zero->dtype != dtype && !is_unsigned) { /* it should be; one that fits is fine */
        bool is_int = tacho_element_kind(dtype) == TACHO_DTYPE_SIGNED ||
                      tacho_element_kind(dtype) == TACHO_DTYPE_UNSIGNED || dtype == TACHO_DTYPE_I48;
        value = is_int ? tacho_clamp_int(value, tacho_int_min(dtype), tacho_int_max(dtype)) : 0;
    }
    return is_unsigned && bits < 64 ? value & (((int64_t)1 << bits) - 1) : value;
}

int64_t tacho_tosa_scale(int64_t value, int64_t multiplier, int64_t shift, bool is_double)
{
    if (value == (int32_t)value && multiplier == (int32_t)multiplier) { /* 64 bits will do */
        int64_t half = (int64_t)1 << (shift - 1), more = (int64_t)1 << 30;
        half += !is_double || shift <= 31 ? 0 : value >= 0 ? more : -more;
        return (value * multiplier + half) >> shift;
    }
    tacho_i128 round = (tacho_i128)1 << (shift - 1);
    if (is_double && shift > 31) {
        round += value >= 0 ? (tacho_i128)1 << 30 : -((tacho_i128)1 << 30);
    }
    return (int64_t)(((tacho_i128)value * multiplier + round) >> shift);
}

/* ---- rescale ------------------------------------------------------------------------------- */

/* Parameters for elements of all channels. */
typedef struct rescaling {
    int64_t in_zero, out_zero, low, high;
    int64_t mask; /* of the input's bits, where they are meant unsigned; else all */
    bool is_double;
} rescaling;

/* a + b and a - b, held within 64 bits: elements of 64 may be any. */
static int64_t add_held(int64_t a, int64_t b)
{
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t subtract_held(int64_t a, int64_t b)
{
    int64_t rest;
    return !__builtin_sub_overflow(a, b, &rest) ? rest : b > 0 ? INT64_MIN : INT64_MAX;
}

/* A run of elements with the multiplier and shift of each, or |is_each| false: one for all. */
static tacho_status rescale(const rescaling *self, size_t count, bool is_each,
                            const int64_t *multipliers, const int64_t *shifts, int64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        int64_t shift = shifts[is_each ? i : 0], multiplier = multipliers[is_each ? i : 0];
        if (shift < 2 || shift > 62) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "a shift of %lld; expected 2 to 62",
                              (long long)shift);
        }
        int64_t value = tacho_tosa_scale(subtract_held(values[i] & self->mask, self->in_zero),
                                         multiplier, shift, self->is_double);
        values[i] = tacho_clamp_int(add_held(value, self->out_zero), self->low, self->high);
    }
    return TACHO_OK;
}

/* All elements, in runs within one row of channels. */
static tacho_status rescale_all(const rescaling *self, const tacho_array *input,
                                const tacho_array *multipliers, const tacho_array *shifts,
                                tacho_array *output)
{
    int64_t channels = tacho_array_elements(multipliers), total = tacho_array_elements(output);
    int64_t values[TACHO_CHUNK], factors[TACHO_CHUNK], places[TACHO_CHUNK];
    for (int64_t at = 0; at < total;) {
        int64_t rest = channels > 1 ? channels - at % channels : total - at;
        size_t count = (size_t)(rest < TACHO_CHUNK ? rest : TACHO_CHUNK);
        size_t factor_count = channels > 1 ? count : 1;
        tacho_read_ints(input, at, 1, count, values);
        tacho_read_ints(multipliers, at % channels, 1, factor_count, factors);
        tacho_read_ints(shifts, at % channels, 1, factor_count, places);
        TACHO_TRY(rescale(self, count, channels > 1, factors, places, values));
        tacho_write_ints(output, at, count, values);
        at += (int64_t)count;
    }
    return TACHO_OK;
}

static tacho_status compute_rescale(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *multipliers = tacho_call_input(call, 1);
    const tacho_array *shifts = tacho_call_input(call, 2);
    tacho_array *output = &call->outputs[0];
    bool is_in_unsigned = tacho_call_int(call, "input_unsigned", 0) != 0;
    bool is_out_unsigned = tacho_call_int(call, "output_unsigned", 0) != 0;
    bool is_double = tacho_tosa_mentions(call, "rounding_mode", "DOUBLE_ROUND");
    bool is_each = tacho_call_int(call, "per_channel", 0) != 0;
    if (!tacho_tosa_is_sum(input) || !tacho_tosa_is_sum(output) || multipliers == NULL ||
        shifts == NULL || !tacho_is_int(multipliers) || !tacho_is_int(shifts)) {
        return tacho_unsupported_type("a rescaling", input->dtype);
    }
    int64_t channels = 1;
    if (is_each && input->shape.rank > 0) {
        channels = input->shape.dims[input->shape.rank - 1];
    }
    if (tacho_array_elements(output) != tacho_array_elements(input) ||
        tacho_array_elements(multipliers) != channels || tacho_array_elements(shifts) != channels) {
        return tacho_wrong_shapes("a rescaling");
    }
    int in_bits = (int)tacho_dtype_element_bytes(input->dtype) * 8;
    int bits = (int)tacho_dtype_element_bytes(output->dtype) * 8;
    rescaling self = {.in_zero = tacho_tosa_zero(call, 3, input->dtype, is_in_unsigned),
                      .out_zero = tacho_tosa_zero(call, 4, output->dtype, is_out_unsigned),
                      .low = tacho_int_min(output->dtype),
                      .high = tacho_int_max(output->dtype),
                      .mask = is_in_unsigned && in_bits < 64 ? ((int64_t)1 << in_bits) - 1 : -1,
                      .is_double = is_double};
    if (is_out_unsigned && bits < 64) {
        self.low = 0;
        self.high = ((int64_t)1 << bits) - 1;
    }
    return rescale_all(&self, input, multipliers, shifts, output);
}

/* ---- element by element -------------------------------------------------------------------- */

static tacho_status check_same(const tacho_kernel_call *call, const char *name)
{
    const tacho_array *input = call->inputs[0];
    if (tacho_element_kind(input->dtype) == TACHO_DTYPE_OTHER ||
        call->outputs[0].dtype != input->dtype) {
        return tacho_unsupported_type(name, input->dtype);
    }
    return tacho_array_elements(input) == tacho_array_elements(&call->outputs[0])
               ? TACHO_OK
               : tacho_wrong_shapes(name);
}

/* A bound: an attribute that is an integer or a real. */
static double real_attr(const tacho_kernel_call *call, const char *name, double fallback)
{
    const tacho_attr *attr = tacho_attr_find(call->attrs, call->attr_count, name);
    return attr == NULL                    ? fallback
           : attr->kind == TACHO_ATTR_REAL ? attr->value.as_real
           : attr->kind == TACHO_ATTR_INT  ? (double)attr->value.as_int
                                           : fallback;
}

static int64_t clamp_wide(int64_t x, int64_t low, int64_t high)
{
    return (uint64_t)x < (uint64_t)low ? low : (uint64_t)x > (uint64_t)high ? high : x;
}

static tacho_status compute_clamp(const tacho_kernel_call *call)
{
    TACHO_TRY(check_same(call, "bounds"));
    const tacho_array *input = call->inputs[0];
    int64_t total = tacho_array_elements(input);
    double low = real_attr(call, "min_val", -(double)INFINITY);
    double high = real_attr(call, "max_val", (double)INFINITY);
    bool is_wide = input->dtype == TACHO_DTYPE_U64; /* whose integers are bits of unsigned ones */
    int64_t int_low = tacho_call_int(call, "min_val", is_wide ? 0 : INT64_MIN);
    int64_t int_high = tacho_call_int(call, "max_val", is_wide ? -1 : INT64_MAX);
    bool ignores_nan = tacho_tosa_mentions(call, "nan_mode", "IGNORE");
    for (int64_t i = 0; i < total; i++) {
        if (tacho_is_real(input)) {
            double x = tacho_real_at(input, i);
            x = isnan(x) && ignores_nan ? low : x < low ? low : x > high ? high : x;
            tacho_set_real(&call->outputs[0], i, x);
        } else {
            int64_t x = tacho_int_at(input, i);
            tacho_set_int(&call->outputs[0], i,
                          is_wide ? clamp_wide(x, int_low, int_high)
                                  : tacho_clamp_int(x, int_low, int_high));
        }
    }
    return TACHO_OK;
}

/* Input, zero point of the input, zero point of the output. */
static tacho_status compute_negate(const tacho_kernel_call *call)
{
    TACHO_TRY(check_same(call, "a negation"));
    const tacho_array *input = call->inputs[0];
    int64_t total = tacho_array_elements(input);
    int64_t in_zero = tacho_tosa_zero(call, 1, input->dtype, false);
    int64_t out_zero = tacho_tosa_zero(call, 2, input->dtype, false);
    int64_t low = tacho_int_min(input->dtype), high = tacho_int_max(input->dtype);
    for (int64_t i = 0; i < total; i++) {
        if (tacho_is_real(input)) {
            tacho_set_real(&call->outputs[0], i, -tacho_real_at(input, i));
        } else {
            uint64_t value =
                (uint64_t)in_zero + (uint64_t)out_zero - (uint64_t)tacho_int_at(input, i);
            tacho_set_int(&call->outputs[0], i, tacho_clamp_int((int64_t)value, low, high));
        }
    }
    return TACHO_OK;
}

static tacho_status compute_clz(const tacho_kernel_call *call)
{
    TACHO_TRY(check_same(call, "zeros"));
    const tacho_array *input = call->inputs[0];
    int64_t total = tacho_array_elements(input);
    if (input->dtype != TACHO_DTYPE_I32) {
        return tacho_unsupported_type("zeros", input->dtype);
    }
    for (int64_t i = 0; i < total; i++) {
        uint32_t bits = (uint32_t)tacho_int_at(input, i);
        tacho_set_int(&call->outputs[0], i, bits == 0 ? 32 : __builtin_clz(bits));
    }
    return TACHO_OK;
}

/* 256 elements by value, or 513 of 16 bits between which 7 bits of the value interpolate. */
static tacho_status compute_table(const tacho_kernel_call *call)
{
    const tacho_array *input = call->inputs[0], *table = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    int64_t total = tacho_array_elements(input);
    bool is_byte = input->dtype == TACHO_DTYPE_I8;
    if ((!is_byte && input->dtype != TACHO_DTYPE_I16) || !tacho_is_int(table) ||
        !tacho_is_int(output)) {
        return tacho_unsupported_type("a table", input->dtype);
    }
    if (total != tacho_array_elements(output) ||
        tacho_array_elements(table) != (is_byte ? 256 : 513)) {
        return tacho_wrong_shapes("a table");
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t value = tacho_int_at(input, i);
        if (is_byte) {
            tacho_set_int(output, i, tacho_int_at(table, value + 128));
            continue;
        }
        int64_t index = (value + 32768) >> 7, fraction = (value + 32768) & 0x7f;
        int64_t base = tacho_int_at(table, index), next = tacho_int_at(table, index + 1);
        tacho_set_int(output, i, base * 128 + (next - base) * fraction);
    }
    return TACHO_OK;
}

/* ---- two operands -------------------------------------------------------------------------- */

typedef enum shifting { LEFT, RIGHT, ARITHMETIC, PRODUCT, QUOTIENT } shifting;

/* The result of |bits|-wide integers; |amount| is the shift of a product. */
static int64_t shift_result(shifting how, int64_t a, int64_t b, int bits, int64_t amount)
{
    uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    tacho_i128 product;
    switch (how) {
    case LEFT:
        return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
    case RIGHT:
        return b < 0 || b > 63 ? 0 : (int64_t)(((uint64_t)a & mask) >> b);
    case ARITHMETIC:
        b = b < 0 ? 0 : b > 63 ? 63 : b;
        return (a >> b) + (amount != 0 && b > 0 ? (a >> (b - 1)) & 1 : 0);
    case PRODUCT:
        product = (tacho_i128)a * b;
        return (int64_t)(amount > 0 ? (product + ((tacho_i128)1 << (amount - 1))) >> amount
                                    : product);
    case QUOTIENT:
    default:
        return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    }
}

/* The same of unsigned integers of 64 bits. */
static int64_t shift_wide(shifting how, uint64_t a, uint64_t b, int64_t amount)
{
    tacho_u128 product = (tacho_u128)a * b;
    switch (how) {
    case LEFT:
        return b > 63 ? 0 : (int64_t)(a << b);
    case RIGHT:
        return b > 63 ? 0 : (int64_t)(a >> b);
    case ARITHMETIC:
        b = b > 63 ? 63 : b;
        return (int64_t)((a >> b) + (amount != 0 && b > 0 ? (a >> (b - 1)) & 1 : 0));
    case PRODUCT:
        product += amount > 0 ? (tacho_u128)1 << (amount - 1) : 0;
        return (int64_t)(product >> (amount > 0 ? amount : 0));
    case QUOTIENT:
    default:
        return (int64_t)(a / b);
    }
}

static tacho_status shift_all(const tacho_kernel_call *call, shifting how, int64_t amount)
{
    const tacho_array *a = call->inputs[0], *b = call->inputs[1];
    tacho_array *output = &call->outputs[0];
    bool is_real = how == PRODUCT && tacho_is_real(a) && tacho_is_real(b) && tacho_is_real(output);
    if (!is_real && (!tacho_is_int(a) || !tacho_is_int(b) || !tacho_is_int(output))) {
        return tacho_unsupported_type("a shift or product", a->dtype);
    }
    if (!tacho_shape_fits(&a->shape, &output->shape) ||
        !tacho_shape_fits(&b->shape, &output->shape)) {
        return tacho_wrong_shapes("a shift or product");
    }
    tacho_walk walk;
    tacho_walk_begin(&walk, &output->shape);
    tacho_walk_broadcast(&walk, 0, &output->shape);
    tacho_walk_broadcast(&walk, 1, &a->shape);
    tacho_walk_broadcast(&walk, 2, &b->shape);
    int bits = (int)tacho_dtype_element_bytes(a->dtype) * 8;
    for (; !walk.is_done; tacho_walk_next(&walk)) {
        for (int64_t i = 0; i < tacho_walk_row(&walk); i++) {
            int64_t at_a = walk.at[1] + i * tacho_walk_row_step(&walk, 1);
            int64_t at_b = walk.at[2] + i * tacho_walk_row_step(&walk, 2);
            if (is_real) {
                tacho_set_real(output, walk.at[0] + i,
                               tacho_real_at(a, at_a) * tacho_real_at(b, at_b));
                continue;
            }
            int64_t x = tacho_int_at(a, at_a), y = tacho_int_at(b, at_b);
            if (how == QUOTIENT && y == 0) {
                return tacho_fail(TACHO_CODE_BAD_DATA, "an integer is divided by 0");
            }
            int64_t z = a->dtype == TACHO_DTYPE_U64
                            ? shift_wide(how, (uint64_t)x, (uint64_t)y, amount)
                            : shift_result(how, x, y, bits, amount);
            tacho_set_int(output, walk.at[0] + i, z);
        }
    }
    return TACHO_OK;
}

static tacho_status compute_left(const tacho_kernel_call *call)
{
    return shift_all(call, LEFT, 0);
}

static tacho_status compute_right(const tacho_kernel_call *call)
{
    return shift_all(call, RIGHT, 0);
}

static tacho_status compute_arithmetic(const tacho_kernel_call *call)
{
    return shift_all(call, ARITHMETIC, tacho_call_int(call, "round", 0));
}

static tacho_status compute_quotient(const tacho_kernel_call *call)
{
    return shift_all(call, QUOTIENT, 0);
}

static tacho_status compute_product(const tacho_kernel_call *call)
{
    int64_t shift = tacho_tosa_zero(call, 2, TACHO_DTYPE_I8, false);
    shift = tacho_call_has(call, "shift") ? tacho_call_int(call, "shift", 0) : shift;
    if (shift < 0 || shift > 63) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a shift of %lld; expected 0 to 63",
                          (long long)shift);
    }
    return shift_all(call, PRODUCT, shift);
}

/* ---- elements by place --------------------------------------------------------------------- */

static tacho_status check_copy(const tacho_kernel_call *call, const char *name)
{
    const tacho_array *input = call->inputs[0];
    return tacho_dtype_element_bytes(input->dtype) > 0 && call->outputs[0].dtype == input->dtype
               ? TACHO_OK
               : tacho_unsupported_type(name, input->dtype);
}

static void copy_elements(tacho_array *to, int64_t to_at, const tacho_array *from, int64_t from_at,
                          int64_t count)
{
    size_t size = tacho_dtype_element_bytes(to->dtype);
    if (count > 0) {
        memcpy((unsigned char *)to->data + (size_t)to_at * size,
               (const unsigned char *)from->data + (size_t)from_at * size, (size_t)count * size);
    }
}

static tacho_status compute_reverse(const tacho_kernel_call *call)
{
    TACHO_TRY(check_copy(call, "a reversal"));
    const tacho_array *input = call->inputs[0];
    int32_t axis;
    if (!tacho_axis_resolve(tacho_call_int(call, "axis", 0), input->shape.rank, &axis) ||
        !tacho_shape_equal(&input->shape, &call->outputs[0].shape)) {
        return tacho_wrong_shapes("a reversal");
    }
    tacho_split_shape split = tacho_shape_split(&input->shape, axis);
    for (int64_t i = 0; i < split.outer; i++) {
        for (int64_t j = 0; j < split.dim; j++) {
            copy_elements(&call->outputs[0], (i * split.dim + j) * split.inner, input,
                          (i * split.dim + split.dim - 1 - j) * split.inner, split.inner);
        }
    }
    return TACHO_OK;
}

/* From the starts of an operand (or an attribute, before 1.0) on. */
static tacho_status compute_slice(const tacho_kernel_call *call)
{
    TACHO_TRY(check_copy(call, "a slice"));
    const tacho_array *input = call->inputs[0], *starts = tacho_call_input(call, 1);
    tacho_array *output = &call->outputs[0];
    int64_t steps[TACHO_RANK_MAX] = {0}, from = 0, total = tacho_array_elements(output);
    size_t count;
    const int64_t *given = tacho_call_ints(call, "start", &count);
    int32_t rank = input->shape.rank;
    bool fits = output->shape.rank == rank &&
                (starts != NULL ? tacho_is_int(starts) && tacho_array_elements(starts) == rank
                                : given != NULL && count == (size_t)rank);
    tacho_shape_steps(&input->shape, steps);
    for (int32_t i = 0; fits && i < rank; i++) {
        int64_t start = starts != NULL ? tacho_int_at(starts, i) : given[i];
        fits = start >= 0 && start <= input->shape.dims[i] &&
               output->shape.dims[i] <= input->shape.dims[i] - start;
        from += fits ? start * steps[i] : 0;
    }
    if (!fits) {
        return tacho_wrong_shapes("a slice");
    }
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, at = from;
        for (int32_t j = rank - 1; j >= 0; j--) {
            at += rest % output->shape.dims[j] * steps[j];
            rest /= output->shape.dims[j];
        }
        copy_elements(output, i, input, at, 1);
    }
    return TACHO_OK;
}

/* Rows of C elements of N x K rows, by N x W indices; to or from |values|. */
static tacho_status move_rows(const tacho_kernel_call *call, bool is_scatter)
{
    const tacho_array *values = call->inputs[0], *indices = call->inputs[1];
    const tacho_array *from = is_scatter ? call->inputs[2] : values;
    tacho_array *output = &call->outputs[0];
    const tacho_shape *rows = is_scatter ? &from->shape : &output->shape;
    TACHO_TRY(check_copy(call, "a gathering"));
    if (!tacho_is_int(indices) || from->dtype != values->dtype) {
        return tacho_unsupported_type("an index", indices->dtype);
    }
    if (values->shape.rank != 3 || indices->shape.rank != 2 || rows->rank != 3 ||
        indices->shape.dims[0] != values->shape.dims[0] || rows->dims[0] != values->shape.dims[0] ||
        rows->dims[1] != indices->shape.dims[1] || rows->dims[2] != values->shape.dims[2] ||
        (is_scatter && !tacho_shape_equal(&output->shape, &values->shape))) {
        return tacho_wrong_shapes("a gathering");
    }
    if (is_scatter) {
        copy_elements(output, 0, values, 0, tacho_array_elements(values));
    }
    int64_t count = tacho_array_elements(indices), size = values->shape.dims[2];
    int64_t height = values->shape.dims[1], width = indices->shape.dims[1];
    for (int64_t i = 0; i < count; i++) {
        int64_t index = tacho_int_at(indices, i);
        if (index < 0 || index >= height) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "index %lld is not within %lld rows",
                              (long long)index, (long long)height);
        }
        int64_t at = (i / width * height + index) * size;
        copy_elements(output, is_scatter ? at : i * size, from, is_scatter ? i * size : at, size);
    }
    return TACHO_OK;
}

static tacho_status compute_gather(const tacho_kernel_call *call)
{
    return move_rows(call, false);
}

static tacho_status compute_scatter(const tacho_kernel_call *call)
{
    return move_rows(call, true);
}

const tacho_kernel tacho_tosa_kernels[] = {
    {"tosa.arithmetic_right_shift", TACHO_KERNEL_EACH, compute_arithmetic},
    {"tosa.clamp", TACHO_KERNEL_EACH, compute_clamp},
    {"tosa.clz", TACHO_KERNEL_EACH, compute_clz},
    {"tosa.gather", TACHO_KERNEL_PICKS, compute_gather},
    {"tosa.int_div", TACHO_KERNEL_EACH, compute_quotient},
    {"tosa.intdiv", TACHO_KERNEL_EACH, compute_quotient},
    {"tosa.logical_left_shift", TACHO_KERNEL_EACH, compute_left},
    {"tosa.logical_right_shift", TACHO_KERNEL_EACH, compute_right},
    {"tosa.mul", TACHO_KERNEL_EACH, compute_product},
    {"tosa.negate", TACHO_KERNEL_EACH, compute_negate},
    {"tosa.rescale", TACHO_KERNEL_PLAIN, compute_rescale},
    {"tosa.reverse", TACHO_KERNEL_PICKS, compute_reverse},
    {"tosa.scatter", TACHO_KERNEL_PLAIN, compute_scatter},
    {"tosa.slice", TACHO_KERNEL_PICKS, compute_slice},
    {"tosa.table", TACHO_KERNEL_PLAIN, compute_table},
    {0},
};
