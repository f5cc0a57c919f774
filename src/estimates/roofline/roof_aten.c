/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row per operator: which of its operands are multiplied, or how many steps each element takes.
 */
#include "estimates/roofline/roof_aten.h"

#include "base/maths.h"
#include "graph/op_def.h"

#include <inttypes.h>
#include <stdio.h>

/* How the work follows from the operands. */
typedef enum form {
    FORM_PRODUCT,   /* [m, k] by [k, n], optionally batched; |a| is the first */
    FORM_INTEGERS,  /* the same with small integers; results have 32 bits */
    FORM_SCALED,    /* the same; |a| is the input with the type of the results */
    FORM_LINEAR,    /* [..., k] by [n, k] transposed */
    FORM_CONV,      /* data, weights; |a| is the order of stride, padding ... */
    FORM_ATTENTION, /* query, key, value; |a| is the input with the causal flag */
    FORM_ELEMENTS,  /* element by element, broadcast */
    FORM_SAME,      /* of the first operand; the result has its size */
    FORM_REDUCE,    /* of the first operand; the result is smaller */
    FORM_COPY,      /* the second operand to the first, or the first to a new one */
    FORM_CONV_BACK, /* gradients of a convolution */
    FORM_PICK,      /* rows of the first operand by the indices in |a| */
    FORM_FILL,      /* the first operand is written */
} form;

/* The order of a convolution's parameters. */
typedef enum conv_order {
    CONV_USUAL,      /* bias, stride, padding, dilation, groups */
    CONV_TRANSPOSED, /* bias, stride, padding, dilation, transposed, output padding, groups */
    CONV_CUDNN,      /* padding, stride, dilation, groups */
    CONV_MKLDNN,     /* bias, padding, stride, dilation, groups; MIOpen's, too */
} conv_order;

typedef struct aten_row {
    const char *name;
    form form;
    uint8_t a;
    uint8_t steps; /* operations per element */
} aten_row;

/* Layouts of attention: heads before positions, or after. */
enum { HEADS_LAST = 128 };

static const aten_row rows[] = {
    {"aten::mm", FORM_PRODUCT, 0, 0},
    {"aten::addmm", FORM_PRODUCT, 1, 0},
    {"aten::_addmm_activation", FORM_PRODUCT, 1, 0},
    {"aten::bmm", FORM_PRODUCT, 0, 0},
    {"aten::baddbmm", FORM_PRODUCT, 1, 0},
    {"aten::_scaled_mm", FORM_SCALED, 6, 0},
    {"aten::_int_mm", FORM_INTEGERS, 0, 0},
    {"aten::linear", FORM_LINEAR, 0, 0},
    {"aten::conv1d", FORM_CONV, CONV_USUAL, 0},
    {"aten::conv2d", FORM_CONV, CONV_USUAL, 0},
    {"aten::conv3d", FORM_CONV, CONV_USUAL, 0},
    {"aten::convolution", FORM_CONV, CONV_TRANSPOSED, 0},
    {"aten::_convolution", FORM_CONV, CONV_TRANSPOSED, 0},
    {"aten::cudnn_convolution", FORM_CONV, CONV_CUDNN, 0},
    {"aten::cudnn_convolution_relu", FORM_CONV, CONV_USUAL, 0},
    {"aten::mkldnn_convolution", FORM_CONV, CONV_MKLDNN, 0},
    {"aten::miopen_convolution", FORM_CONV, CONV_MKLDNN, 0},
    {"aten::miopen_depthwise_convolution", FORM_CONV, CONV_MKLDNN, 0},
    {"aten::miopen_convolution_relu", FORM_CONV, CONV_USUAL, 0},
    {"aten::convolution_backward", FORM_CONV_BACK, 0, 0},
    {"aten::scaled_dot_product_attention", FORM_ATTENTION, 5, 0},
    {"aten::_scaled_dot_product_flash_attention", FORM_ATTENTION, 4, 0},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", FORM_ATTENTION, 4, 0},
    {"aten::_scaled_dot_product_cudnn_attention", FORM_ATTENTION, 6, 0},
    {"aten::_scaled_dot_product_efficient_attention", FORM_ATTENTION, 6, 0},
    {"aten::_cudnn_attention_forward", FORM_ATTENTION, 10, 0},
    {"aten::_flash_attention_forward", FORM_ATTENTION, HEADS_LAST | 8, 0},
    {"aten::_efficient_attention_forward", FORM_ATTENTION, HEADS_LAST | 9, 0},
    {"aten::add", FORM_ELEMENTS, 0, 1},
    {"aten::add_", FORM_ELEMENTS, 0, 1},
    {"aten::sub", FORM_ELEMENTS, 0, 1},
    {"aten::sub_", FORM_ELEMENTS, 0, 1},
    {"aten::mul", FORM_ELEMENTS, 0, 1},
    {"aten::mul_", FORM_ELEMENTS, 0, 1},
    {"aten::div", FORM_ELEMENTS, 0, TACHO_STEPS_DIV},
    {"aten::div_", FORM_ELEMENTS, 0, TACHO_STEPS_DIV},
    {"aten::maximum", FORM_ELEMENTS, 0, 1},
    {"aten::minimum", FORM_ELEMENTS, 0, 1},
    {"aten::relu", FORM_SAME, 0, 1},
    {"aten::relu_", FORM_SAME, 0, 1},
    {"aten::neg", FORM_SAME, 0, 1},
    {"aten::abs", FORM_SAME, 0, 1},
    {"aten::clamp", FORM_SAME, 0, TACHO_STEPS_CLIP},
    {"aten::clamp_min", FORM_SAME, 0, 1},
    {"aten::hardtanh", FORM_SAME, 0, TACHO_STEPS_CLIP},
    {"aten::hardtanh_", FORM_SAME, 0, TACHO_STEPS_CLIP},
    {"aten::sqrt", FORM_SAME, 0, TACHO_STEPS_DIV},
    {"aten::rsqrt", FORM_SAME, 0, TACHO_STEPS_DIV},
    {"aten::reciprocal", FORM_SAME, 0, TACHO_STEPS_DIV},
    {"aten::exp", FORM_SAME, 0, TACHO_STEPS_EXP},
    {"aten::log", FORM_SAME, 0, TACHO_STEPS_EXP},
    {"aten::tanh", FORM_SAME, 0, TACHO_STEPS_TANH},
    {"aten::sigmoid", FORM_SAME, 0, TACHO_STEPS_SIGMOID},
    {"aten::silu", FORM_SAME, 0, TACHO_STEPS_SIGMOID + 1},
    {"aten::silu_", FORM_SAME, 0, TACHO_STEPS_SIGMOID + 1},
    {"aten::gelu", FORM_SAME, 0, TACHO_STEPS_ERF + 4},
    {"aten::erf", FORM_SAME, 0, TACHO_STEPS_ERF},
    {"aten::cos", FORM_SAME, 0, TACHO_STEPS_TRIG},
    {"aten::sin", FORM_SAME, 0, TACHO_STEPS_TRIG},
    {"aten::_softmax", FORM_SAME, 0, TACHO_STEPS_EXP + TACHO_STEPS_DIV + 3},
    {"aten::_log_softmax", FORM_SAME, 0, 2 * TACHO_STEPS_EXP + 4},
    {"aten::native_layer_norm", FORM_SAME, 0, TACHO_STEPS_NORM},
    {"aten::native_group_norm", FORM_SAME, 0, TACHO_STEPS_NORM},
    {"aten::native_batch_norm", FORM_SAME, 0, 2},
    {"aten::cudnn_batch_norm", FORM_SAME, 0, 2},
    {"aten::sum", FORM_REDUCE, 0, 1},
    {"aten::mean", FORM_REDUCE, 0, 1},
    {"aten::amax", FORM_REDUCE, 0, 1},
    {"aten::amin", FORM_REDUCE, 0, 1},
    {"aten::copy_", FORM_COPY, 0, 0},
    {"aten::index_select", FORM_PICK, 2, 0},
    {"aten::embedding", FORM_PICK, 1, 0},
    {"aten::fill_", FORM_FILL, 0, 0},
    {"aten::zero_", FORM_FILL, 0, 0},
};

/* ---- operands ---------------------------------------------------------------------------- */

static uint64_t count_elements(const tacho_aten_tensor *tensor)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        count = tacho_size_multiply(count, tensor->dims[i]);
    }
    return count;
}

static uint64_t count_bytes(tacho_dtype dtype, uint64_t elements)
{
    uint64_t bytes = 0;
    return tacho_dtype_bytes(dtype, elements, &bytes) ? bytes : UINT64_MAX;
}

static const tacho_aten_tensor *tensor_at(const tacho_aten_call *call, size_t index)
{
    return index < call->input_count && call->inputs[index].dtype != TACHO_DTYPE_NONE
               ? &call->inputs[index]
               : NULL;
}

static void add_bytes(tacho_roof_work *work, uint64_t bytes)
{
    work->bytes[TACHO_ROOF_SHARED] = tacho_size_add(work->bytes[TACHO_ROOF_SHARED], bytes);
}

static void add_operand(tacho_roof_work *work, const tacho_aten_tensor *tensor)
{
    if (tensor != NULL) {
        add_bytes(work, count_bytes(tensor->dtype, count_elements(tensor)));
    }
}

static void set_operations(tacho_roof_work *work, uint64_t macs)
{
    work->kind = TACHO_WORK_MATRIX;
    work->has_operations = true;
    work->operations = tacho_size_multiply(macs, 2);
}

/* "8x128x768". */
static void label_shape(const tacho_aten_tensor *tensor, char *label)
{
    size_t len = 0;
    label[0] = '\0';
    for (uint32_t i = 0; i < tensor->rank && len + 24 < TACHO_ATEN_LABEL_BYTES; i++) {
        len += (size_t)snprintf(label + len, TACHO_ATEN_LABEL_BYTES - len, "%s%" PRIu64,
                                i > 0 ? "x" : "", tensor->dims[i]);
    }
}

/* ---- products ---------------------------------------------------------------------------- */

/* All but the last |kept| dimensions. */
static uint64_t count_leading(const tacho_aten_tensor *tensor, uint32_t kept)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i + kept < tensor->rank; i++) {
        count = tacho_size_multiply(count, tensor->dims[i]);
    }
    return count;
}

static void label_product(uint64_t batch, const uint64_t size[3], char *label)
{
    int len = batch != 1 ? snprintf(label, TACHO_ATEN_LABEL_BYTES, "%" PRIu64 " of ", batch) : 0;
    snprintf(label + len, TACHO_ATEN_LABEL_BYTES - (size_t)len, "%" PRIu64 "x%" PRIu64 "x%" PRIu64,
             size[0], size[1], size[2]);
}

static void set_product(tacho_roof_work *work, uint64_t batch, const uint64_t size[3], char *label)
{
    uint64_t macs = tacho_size_multiply(tacho_size_multiply(size[0], size[1]), size[2]);
    set_operations(work, tacho_size_multiply(macs, batch));
    uint64_t results = tacho_size_multiply(tacho_size_multiply(size[0], size[2]), batch);
    add_bytes(work, count_bytes(work->dtype, results));
    label_product(batch, size, label);
}

static bool work_product(const tacho_aten_call *call, size_t first, tacho_roof_work *work,
                         char *label)
{
    const tacho_aten_tensor *left = tensor_at(call, first);
    const tacho_aten_tensor *right = tensor_at(call, first + 1);
    if (left == NULL || right == NULL || left->rank != right->rank || left->rank < 2 ||
        left->rank > 3) {
        return false;
    }
    uint32_t last = left->rank - 1;
    if (left->dims[last] != right->dims[last - 1] ||
        (left->rank == 3 && left->dims[0] != right->dims[0])) {
        return false;
    }
    const uint64_t size[3] = {left->dims[last - 1], left->dims[last], right->dims[last]};
    work->dtype = left->dtype;
    add_operand(work, left);
    add_operand(work, right);
    add_operand(work, first > 0 ? tensor_at(call, 0) : NULL);
    set_product(work, left->rank == 3 ? left->dims[0] : 1, size, label);
    return true;
}

static bool work_linear(const tacho_aten_call *call, tacho_roof_work *work, char *label)
{
    const tacho_aten_tensor *data = tensor_at(call, 0);
    const tacho_aten_tensor *weights = tensor_at(call, 1);
    if (data == NULL || weights == NULL || data->rank < 1 || weights->rank != 2 ||
        data->dims[data->rank - 1] != weights->dims[1]) {
        return false;
    }
    const uint64_t size[3] = {count_leading(data, 1), weights->dims[1], weights->dims[0]};
    work->dtype = data->dtype;
    add_operand(work, data);
    add_operand(work, weights);
    add_operand(work, tensor_at(call, 2));
    set_product(work, 1, size, label);
    return true;
}

/* ---- convolutions ------------------------------------------------------------------------ */

/* Numbers of "[1, 1]", or of "2" for all; false if there are none. */
static bool parse_list(tacho_str text, uint32_t count, uint64_t *out_values)
{
    uint32_t found = 0;
    while (text.len > 0 && found < count) {
        size_t skipped = 0;
        while (skipped < text.len && (text.data[skipped] < '0' || text.data[skipped] > '9')) {
            skipped++;
        }
        text = tacho_str_from(text, skipped);
        size_t len = 0;
        while (len < text.len && text.data[len] >= '0' && text.data[len] <= '9') {
            len++;
        }
        if (len > 0 && !tacho_str_parse_u64(tacho_str_make(text.data, len), &out_values[found])) {
            return false;
        }
        found += len > 0 ? 1 : 0;
        text = tacho_str_from(text, len);
    }
    for (uint32_t i = 1; found == 1 && i < count; i++) {
        out_values[i] = out_values[0];
    }
    return found == count || found == 1;
}

static tacho_str text_at(const tacho_aten_call *call, size_t index)
{
    return index < call->input_count ? call->inputs[index].text : TACHO_STR("");
}

typedef struct window {
    uint64_t stride[TACHO_ATEN_DIMS_MAX], padding[TACHO_ATEN_DIMS_MAX],
        dilation[TACHO_ATEN_DIMS_MAX];
} window;

/* False if a parameter is missing, or for a transposed convolution. */
static bool read_window(const tacho_aten_call *call, conv_order order, uint32_t count,
                        window *out_window)
{
    static const uint8_t places[][3] = {
        /* stride, padding, dilation */
        [CONV_USUAL] = {3, 4, 5},
        [CONV_TRANSPOSED] = {3, 4, 5},
        [CONV_CUDNN] = {3, 2, 4},
        [CONV_MKLDNN] = {4, 3, 5},
    };
    bool is_transposed =
        order == CONV_TRANSPOSED && tacho_str_equal(text_at(call, 6), TACHO_STR("True"));
    return !is_transposed &&
           parse_list(text_at(call, places[order][0]), count, out_window->stride) &&
           parse_list(text_at(call, places[order][1]), count, out_window->padding) &&
           parse_list(text_at(call, places[order][2]), count, out_window->dilation);
}

/* Positions of the result along one dimension; 0 if there are none. */
static uint64_t count_positions(const window *at, uint32_t i, uint64_t size, uint64_t kernel)
{
    uint64_t padded = tacho_size_add(size, tacho_size_multiply(at->padding[i], 2));
    uint64_t reach =
        tacho_size_add(tacho_size_multiply(at->dilation[i], kernel > 0 ? kernel - 1 : 0), 1);
    return at->stride[i] == 0 || padded < reach ? 0 : (padded - reach) / at->stride[i] + 1;
}

/* "1x8x10x10 by 8x1x3x3" */
static void label_pair(const tacho_aten_tensor *data, const tacho_aten_tensor *weights, char *label)
{
    label_shape(data, label);
    size_t len = strlen(label);
    snprintf(label + len, TACHO_ATEN_LABEL_BYTES - len, " by ");
    char shape[TACHO_ATEN_LABEL_BYTES];
    label_shape(weights, shape);
    len = strlen(label);
    snprintf(label + len, TACHO_ATEN_LABEL_BYTES - len, "%s", shape);
}

static bool work_conv(const tacho_aten_call *call, conv_order order, tacho_roof_work *work,
                      char *label)
{
    const tacho_aten_tensor *data = tensor_at(call, 0);
    const tacho_aten_tensor *weights = tensor_at(call, 1);
    window at;
    if (data == NULL || weights == NULL || data->rank != weights->rank || data->rank < 3 ||
        !read_window(call, order, data->rank - 2, &at)) {
        return false;
    }
    uint64_t positions = data->dims[0];
    for (uint32_t i = 2; i < data->rank; i++) {
        positions = tacho_size_multiply(
            positions, count_positions(&at, i - 2, data->dims[i], weights->dims[i]));
    }
    uint64_t results = tacho_size_multiply(positions, weights->dims[0]);
    work->dtype = data->dtype;
    add_operand(work, data);
    add_operand(work, weights);
    add_operand(work, order != CONV_CUDNN ? tensor_at(call, 2) : NULL);
    add_bytes(work, count_bytes(work->dtype, results));
    /* Weights have the channels of one group: each result sums up this many products. */
    uint64_t each = weights->dims[0] > 0 ? count_elements(weights) / weights->dims[0] : 0;
    set_operations(work, tacho_size_multiply(results, each));
    label_pair(data, weights, label);
    return true;
}

/* How many of the gradients of data and weights "[True, False, True]" asks for. */
static uint64_t count_gradients(tacho_str mask)
{
    uint64_t count = 0;
    for (size_t i = 0, place = 0; i < mask.len && place < 2; i++) {
        bool is_word = mask.data[i] == 'T' || mask.data[i] == 'F';
        count += mask.data[i] == 'T' ? 1 : 0;
        place += is_word ? 1 : 0;
    }
    return count;
}

/*
 * (gradient, data, weights, bias sizes, stride, padding, dilation, transposed, output padding,
 * groups, mask): each gradient takes as many multiply-adds as the convolution. It reads the
 * gradient of the result and the other operand, and writes a tensor of its own operand's size.
 */
static bool work_conv_back(const tacho_aten_call *call, tacho_roof_work *work, char *label)
{
    const tacho_aten_tensor *gradient = tensor_at(call, 0);
    const tacho_aten_tensor *data = tensor_at(call, 1);
    const tacho_aten_tensor *weights = tensor_at(call, 2);
    uint64_t count = count_gradients(text_at(call, 10));
    if (gradient == NULL || data == NULL || weights == NULL || data->rank != weights->rank ||
        data->rank < 3 || count == 0 || !tacho_str_equal(text_at(call, 7), TACHO_STR("False"))) {
        return false;
    }
    uint64_t each = weights->dims[0] > 0 ? count_elements(weights) / weights->dims[0] : 0;
    uint64_t products = tacho_size_multiply(count_elements(gradient), each);
    work->dtype = data->dtype;
    add_operand(work, gradient);
    add_operand(work, data);
    add_operand(work, weights);
    if (count == 2) {
        add_operand(work, data);
        add_operand(work, weights);
    }
    set_operations(work, tacho_size_multiply(products, count));
    label_pair(data, weights, label);
    return true;
}

/* ---- attention --------------------------------------------------------------------------- */

/* A causal mask leaves half of the products, or slightly more. */
static bool work_attention(const tacho_aten_call *call, uint8_t place, tacho_roof_work *work,
                           char *label)
{
    const tacho_aten_tensor *query = tensor_at(call, 0);
    const tacho_aten_tensor *key = tensor_at(call, 1);
    const tacho_aten_tensor *value = tensor_at(call, 2);
    if (query == NULL || key == NULL || value == NULL || query->rank != 4 || key->rank != 4 ||
        value->rank != 4) {
        return false;
    }
    unsigned along = (place & HEADS_LAST) != 0 ? 1 : 2; /* the positions */
    tacho_str causal = text_at(call, place & (HEADS_LAST - 1u));
    bool is_half = causal.len > 0 && (tacho_str_equal(causal, TACHO_STR("True")) ||
                                      tacho_str_equal(causal, TACHO_STR("1")) ||
                                      tacho_str_equal(causal, TACHO_STR("2")));
    uint64_t heads = tacho_size_multiply(query->dims[0], query->dims[3 - along]);
    uint64_t scores = tacho_size_multiply(query->dims[along], key->dims[along]);
    uint64_t each = tacho_size_add(query->dims[3], value->dims[3]);
    uint64_t macs = tacho_size_multiply(tacho_size_multiply(heads, scores), each);
    work->dtype = query->dtype;
    add_operand(work, query);
    add_operand(work, key);
    add_operand(work, value);
    uint64_t results = tacho_size_multiply(heads, query->dims[along]);
    add_bytes(work, count_bytes(work->dtype, tacho_size_multiply(results, value->dims[3])));
    set_operations(work, is_half ? macs / 2 : macs);
    label_shape(query, label);
    return true;
}

/* ---- results of another type ------------------------------------------------------------- */

/* The type with PyTorch's number, "15"; NONE if not known. */
static tacho_dtype dtype_of_number(tacho_str text)
{
    static const struct {
        const char *number;
        tacho_dtype dtype;
    } numbers[] = {{"5", TACHO_DTYPE_F16}, {"6", TACHO_DTYPE_F32}, {"15", TACHO_DTYPE_BF16}};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (tacho_str_equal(text, tacho_str_from_cstring(numbers[i].number))) {
            return numbers[i].dtype;
        }
    }
    return TACHO_DTYPE_NONE;
}

/* Results of a product were counted in the type of its first operand: adds the extra bytes of
 * |to|. */
static bool widen_results(const tacho_aten_call *call, tacho_dtype to, tacho_roof_work *work)
{
    const tacho_aten_tensor *left = tensor_at(call, 0);
    const tacho_aten_tensor *right = tensor_at(call, 1);
    uint32_t last = left->rank - 1;
    uint64_t results = tacho_size_multiply(count_leading(left, 1), right->dims[last]);
    uint64_t wide = count_bytes(to, results);
    uint64_t counted = count_bytes(work->dtype, results);
    add_bytes(work, wide > counted ? wide - counted : 0);
    return true;
}

/* ---- elements ---------------------------------------------------------------------------- */

static void set_steps(tacho_roof_work *work, uint64_t elements, uint64_t steps)
{
    work->kind = TACHO_WORK_VECTOR;
    work->has_operations = true;
    work->operations = tacho_size_multiply(elements, steps);
}

/* The shape that tensors are broadcast to; false if they do not match. */
static bool broadcast(const tacho_aten_tensor *tensor, tacho_aten_tensor *all)
{
    while (all->rank < tensor->rank) {
        memmove(all->dims + 1, all->dims, all->rank * sizeof(*all->dims));
        all->dims[0] = 1;
        all->rank++;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint64_t *of = &all->dims[all->rank - 1 - i];
        uint64_t size = tensor->dims[tensor->rank - 1 - i];
        if (size != *of && size != 1 && *of != 1) {
            return false;
        }
        *of = *of == 1 ? size : *of;
    }
    return true;
}

/* The rank of a type for promotion: real numbers before integers, then the wider one. */
static size_t rank_of(const tacho_aten_tensor *tensor)
{
    bool is_real = tacho_dtype_kind_of(tensor->dtype) == TACHO_DTYPE_REAL;
    return tacho_dtype_element_bytes(tensor->dtype) + (is_real ? 16 : 0);
}

/* The type of the results; single numbers among tensors do not widen it. */
static tacho_dtype promote(const tacho_aten_tensor *left, const tacho_aten_tensor *right)
{
    if (right == NULL) {
        return left->dtype;
    }
    if ((left->rank == 0) != (right->rank == 0)) {
        const tacho_aten_tensor *single = left->rank == 0 ? left : right;
        const tacho_aten_tensor *many = left->rank == 0 ? right : left;
        bool is_kept = tacho_dtype_kind_of(many->dtype) == TACHO_DTYPE_REAL ||
                       tacho_dtype_kind_of(single->dtype) != TACHO_DTYPE_REAL;
        return is_kept ? many->dtype : TACHO_DTYPE_F32;
    }
    return rank_of(right) > rank_of(left) ? right->dtype : left->dtype;
}

static bool work_elements(const tacho_aten_call *call, uint64_t steps, tacho_roof_work *work,
                          char *label)
{
    tacho_aten_tensor all = {.rank = 0};
    for (size_t i = 0; i < call->input_count && i < 2; i++) {
        const tacho_aten_tensor *tensor = tensor_at(call, i);
        if (tensor != NULL && !broadcast(tensor, &all)) {
            return false;
        }
        add_operand(work, tensor);
    }
    const tacho_aten_tensor *first = tensor_at(call, 0);
    if (first == NULL) {
        return false;
    }
    work->dtype = promote(first, tensor_at(call, 1));
    set_steps(work, count_elements(&all), steps);
    add_bytes(work, count_bytes(work->dtype, count_elements(&all)));
    label_shape(&all, label);
    return true;
}

static bool work_first(const tacho_aten_call *call, const aten_row *row, tacho_roof_work *work,
                       char *label)
{
    const tacho_aten_tensor *first = tensor_at(call, 0);
    if (first == NULL) {
        return false;
    }
    work->dtype = first->dtype;
    add_operand(work, first);
    if (row->form == FORM_SAME) {
        add_operand(work, first);
        for (size_t i = 1; i < call->input_count; i++) {
            add_operand(work, tensor_at(call, i)); /* scales and shifts of a norm */
        }
    }
    if (row->form == FORM_FILL) {
        work->kind = TACHO_WORK_MOVE;
    } else {
        set_steps(work, count_elements(first), row->steps);
    }
    label_shape(first, label);
    return true;
}

static bool work_copy(const tacho_aten_call *call, tacho_roof_work *work, char *label)
{
    const tacho_aten_tensor *to = tensor_at(call, 0);
    const tacho_aten_tensor *from = tensor_at(call, 1);
    if (to == NULL || from == NULL) {
        return false;
    }
    work->kind = TACHO_WORK_MOVE;
    work->dtype = to->dtype;
    add_operand(work, to);
    add_operand(work, from);
    label_shape(to, label);
    return true;
}

/* Reads rows of the table by index, and writes them. */
static bool work_pick(const tacho_aten_call *call, size_t place, tacho_roof_work *work, char *label)
{
    const tacho_aten_tensor *table = tensor_at(call, 0);
    const tacho_aten_tensor *numbers = tensor_at(call, place);
    bool is_first = place == 1 || tacho_str_equal(text_at(call, 1), TACHO_STR("0"));
    if (table == NULL || numbers == NULL || table->rank < 1 || table->dims[0] == 0 || !is_first) {
        return false;
    }
    uint64_t line = count_elements(table) / table->dims[0];
    uint64_t elements = tacho_size_multiply(count_elements(numbers), line);
    work->kind = TACHO_WORK_MOVE;
    work->dtype = table->dtype;
    add_operand(work, numbers);
    add_bytes(work, count_bytes(table->dtype, elements)); /* repeated rows may be in a cache */
    label_shape(numbers, label);
    return true;
}

/* ---- calls ------------------------------------------------------------------------------- */

static const aten_row *find_row(tacho_str name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(rows[i].name))) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool work_row(const tacho_aten_call *call, const aten_row *row, tacho_roof_work *work,
                     char *label)
{
    switch (row->form) {
    case FORM_PRODUCT:
        return work_product(call, row->a, work, label);
    case FORM_INTEGERS:
        return work_product(call, 0, work, label) && widen_results(call, TACHO_DTYPE_I32, work);
    case FORM_SCALED:
        return work_product(call, 0, work, label) &&
               widen_results(call, dtype_of_number(text_at(call, row->a)), work);
    case FORM_LINEAR:
        return work_linear(call, work, label);
    case FORM_CONV:
        return work_conv(call, (conv_order)row->a, work, label);
    case FORM_CONV_BACK:
        return work_conv_back(call, work, label);
    case FORM_ATTENTION:
        return work_attention(call, row->a, work, label);
    case FORM_ELEMENTS:
        return work_elements(call, row->steps, work, label);
    case FORM_SAME:
    case FORM_REDUCE:
    case FORM_FILL:
        return work_first(call, row, work, label);
    case FORM_COPY:
        return work_copy(call, work, label);
    case FORM_PICK:
        return work_pick(call, row->a, work, label);
    }
    return false;
}

bool tacho_aten_work(const tacho_aten_call *call, tacho_roof_work *out_work,
                     char out_label[TACHO_ATEN_LABEL_BYTES])
{
    const aten_row *row = call->is_whole ? find_row(call->name) : NULL;
    *out_work = (tacho_roof_work){.is_by_shapes = true};
    out_label[0] = '\0';
    bool is_known = row != NULL && work_row(call, row, out_work, out_label);
    if (out_work->has_operations && out_work->operations == 0) {
        out_work->bytes[TACHO_ROOF_SHARED] = 0; /* no result: no reads needed */
    }
    out_work->bytes[TACHO_ROOF_LOCAL] = out_work->bytes[TACHO_ROOF_SHARED];
    return is_known && out_work->bytes[TACHO_ROOF_SHARED] <= INT64_MAX &&
           out_work->operations <= INT64_MAX;
}
