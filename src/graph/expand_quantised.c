/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of ONNX Runtime's domain on quantised tensors: the operator on reals between the
 * dequantisation of its inputs and the quantisation of its result, which later passes make one
 * integer operator again.
 */
#include "graph/expand.h"

#include <inttypes.h>

/* ---- between integers and reals ------------------------------------------------------------ */

/* The tensor at |first|, which its scale and its zero point follow, as reals. */
static uint32_t read_scaled(tacho_expander *self, size_t first, int64_t axis)
{
    tacho_expand_need(self, first, 0, TACHO_RANK_MAX);
    tacho_expand_need(self, first + 1, 0, TACHO_RANK_MAX);
    tacho_expand_set_int(self, "axis", axis);
    return TACHO_EXPAND_OP(self, "DequantizeLinear", tacho_expand_input(self, first),
                           tacho_expand_input(self, first + 1),
                           tacho_expand_input(self, first + 2));
}

/* Reals as integers of type |dtype|, by the scale at |scale| and the zero point after it. */
static uint32_t write_scaled(tacho_expander *self, uint32_t reals, size_t scale, tacho_dtype dtype)
{
    tacho_expand_need(self, scale, 0, TACHO_RANK_MAX);
    uint32_t zero = tacho_expand_input(self, scale + 1);
    if (zero == TACHO_NONE) {
        zero = tacho_expand_number(self, dtype, 0);
    }
    return TACHO_EXPAND_OP(self, "QuantizeLinear", reals, tacho_expand_input(self, scale), zero);
}

static void return_scaled(tacho_expander *self, uint32_t reals, size_t scale, size_t typed)
{
    uint32_t made = write_scaled(self, reals, scale, tacho_expand_dtype(self, typed));
    tacho_expand_return(self, 0, made);
}

/* ---- element by element -------------------------------------------------------------------- */

/* A, its scale and zero point, the same of B, scale and zero point of the result. */
static void expand_pair(tacho_expander *self, const char *type)
{
    uint32_t a = read_scaled(self, 0, 1), b = read_scaled(self, 3, 1);
    return_scaled(self, TACHO_EXPAND_OP(self, type, a, b), 6, 0);
}

void tacho_expand_qlinear_add(tacho_expander *self)
{
    expand_pair(self, "Add");
}

void tacho_expand_qlinear_mul(tacho_expander *self)
{
    expand_pair(self, "Mul");
}

/* X, its scale and zero point, those of the result. */
void tacho_expand_qlinear_sigmoid(tacho_expander *self)
{
    return_scaled(self, TACHO_EXPAND_OP(self, "Sigmoid", read_scaled(self, 0, 1)), 3, 0);
}

void tacho_expand_qlinear_leaky_relu(tacho_expander *self)
{
    uint32_t x = read_scaled(self, 0, 1);
    tacho_expand_set_real(self, "alpha", tacho_expand_real(self, "alpha", 0.01));
    return_scaled(self, TACHO_EXPAND_OP(self, "LeakyRelu", x), 3, 0);
}

/* Condition, X with scale and zero point, Y with its own, those of the result. */
void tacho_expand_qlinear_where(tacho_expander *self)
{
    uint32_t x = read_scaled(self, 1, 1), y = read_scaled(self, 4, 1);
    tacho_expand_need(self, 0, 0, TACHO_RANK_MAX);
    return_scaled(self, TACHO_EXPAND_OP(self, "Where", tacho_expand_input(self, 0), x, y), 7, 1);
}

/* Scale and zero point of the result, then tensors with their own. */
void tacho_expand_qlinear_concat(tacho_expander *self)
{
    uint32_t parts = TACHO_NONE;
    size_t count = self->origin.input_count;
    if (count < 5 || (count - 2) % 3 != 0) {
        tacho_expand_fail(self,
                          "%zu inputs; expected a scale and a zero point, then a tensor, a "
                          "scale and a zero point for each part",
                          count);
    }
    for (size_t i = 2; i + 2 < count; i += 3) {
        uint32_t part = read_scaled(self, i, 1);
        parts = parts == TACHO_NONE
                    ? part
                    : tacho_expand_concat(self, parts, part, tacho_expand_int(self, "axis", 0));
    }
    return_scaled(self, parts, 0, 2);
}

/* ---- softmax ------------------------------------------------------------------------------- */

static void return_softmax(tacho_expander *self, const uint32_t inputs[5], int64_t axis)
{
    tacho_expand_set_int(self, "axis", axis);
    uint32_t made = tacho_expand_add(self, "com.microsoft.QLinearSoftmax", inputs, 5, 1);
    tacho_expand_return(self, 0, made);
}

/* X, its scale and zero point, those of the result. Before opset 13 the axis splits X in two. */
void tacho_expand_qlinear_softmax(tacho_expander *self)
{
    uint32_t inputs[5];
    const tacho_shape *shape = tacho_expand_shape(self, 0);
    bool is_early = tacho_expand_int(self, "opset", 13) < 13;
    int64_t axis = tacho_expand_int(self, "axis", is_early ? 1 : -1);
    if (!tacho_expand_need(self, 0, 1, TACHO_RANK_MAX)) {
        return;
    }
    for (size_t i = 0; i < 5; i++) {
        inputs[i] = tacho_expand_input(self, i);
    }
    axis += axis < 0 ? shape->rank : 0;
    if (!is_early || axis == shape->rank - 1) {
        return_softmax(self, inputs, axis);
        return;
    }
    if (axis < 0 || axis > shape->rank) {
        tacho_expand_fail(self, "axis is %" PRId64, axis);
        return;
    }
    int64_t flat[] = {tacho_expand_product(self, shape->dims, (size_t)axis),
                      tacho_expand_product(self, shape->dims + axis, (size_t)(shape->rank - axis))};
    inputs[0] = tacho_expand_reshape(self, inputs[0], flat, 2);
    tacho_expand_set_int(self, "axis", 1);
    uint32_t made = tacho_expand_add(self, "com.microsoft.QLinearSoftmax", inputs, 5, 1);
    tacho_expand_return(self, 0,
                        tacho_expand_reshape(self, made, shape->dims, (size_t)shape->rank));
}

/* The node that makes a tensor, if it is of this type, or NULL. */
static const tacho_node *maker_of(const tacho_expander *self, uint32_t tensor, const char *type)
{
    uint32_t producer = tensor == TACHO_NONE ? TACHO_NONE : self->graph->tensors[tensor].producer;
    const tacho_node *node = producer == TACHO_NONE ? NULL : &self->graph->nodes[producer];
    bool is_it = node != NULL && node->def != NULL && strcmp(node->def->name, type) == 0;
    return is_it ? node : NULL;
}

/* Whether a tensor is one number that is known. */
static bool is_one_constant(const tacho_graph *graph, uint32_t tensor)
{
    uint64_t count;
    return tensor != TACHO_NONE && graph->tensors[tensor].is_constant &&
           tacho_shape_elements(graph->tensors[tensor].shape, &count) && count == 1;
}

/*
 * DequantizeLinear, Softmax and QuantizeLinear become QLinearSoftmax, which ONNX Runtime runs. Its
 * bytes may be one below the nearest (kernels/quantised.c), and products with them make that
 * visible, so values would differ if the three operators were computed as they are written.
 */
void tacho_expand_quantised_softmax(tacho_expander *self)
{
    const tacho_graph *graph = self->graph;
    const tacho_node *softmax = maker_of(self, tacho_expand_input(self, 0), "Softmax");
    const tacho_node *reals =
        softmax == NULL ? NULL
                        : maker_of(self, graph->links[softmax->first_input], "DequantizeLinear");
    self->is_declined = reals == NULL || reals->input_count < 3 || softmax->opset < 13 ||
                        !tacho_expand_has(self, 2);
    if (self->is_declined) {
        return;
    }
    const uint32_t *from = &graph->links[reals->first_input];
    uint32_t inputs[5] = {from[0], from[1], from[2], tacho_expand_input(self, 1),
                          tacho_expand_input(self, 2)};
    tacho_dtype dtype = from[0] == TACHO_NONE ? TACHO_DTYPE_NONE : graph->tensors[from[0]].dtype;
    self->is_declined = (dtype != TACHO_DTYPE_U8 && dtype != TACHO_DTYPE_I8) ||
                        dtype != tacho_expand_dtype(self, 2);
    for (size_t i = 1; i < 5; i++) {
        self->is_declined = self->is_declined || !is_one_constant(graph, inputs[i]);
    }
    return_softmax(
        self, inputs,
        tacho_attr_int(tacho_graph_attrs(graph, softmax), softmax->attr_count, "axis", -1));
}

/* ---- windows and means --------------------------------------------------------------------- */

/* Brings channels from the end to where ONNX has them, or back. */
static uint32_t move_channels(tacho_expander *self, uint32_t tensor, bool is_back)
{
    int32_t rank = tacho_expand_shape(self, 0)->rank;
    int64_t order[TACHO_RANK_MAX] = {0};
    if (tacho_expand_int(self, "channels_last", 0) == 0 || rank < 3) {
        return tensor;
    }
    for (int32_t i = 1; i < rank; i++) {
        order[i] = is_back ? i + 1 : i - 1;
    }
    order[is_back ? rank - 1 : 1] = is_back ? 1 : rank - 1;
    return tacho_expand_transpose(self, tensor, order, (size_t)rank);
}

static const char *const own_attrs[] = {"channels_last", NULL};

static void expand_pool(tacho_expander *self, const char *type)
{
    uint32_t x = move_channels(self, read_scaled(self, 0, 1), false);
    tacho_expand_copy_attrs(self, own_attrs);
    uint32_t pooled = TACHO_EXPAND_OP(self, type, x);
    return_scaled(self, move_channels(self, pooled, true), 3, 0);
}

void tacho_expand_qlinear_average_pool(tacho_expander *self)
{
    expand_pool(self, "AveragePool");
}

void tacho_expand_qlinear_global_average_pool(tacho_expander *self)
{
    expand_pool(self, "GlobalAveragePool");
}

void tacho_expand_qlinear_reduce_mean(tacho_expander *self)
{
    uint32_t x = read_scaled(self, 0, 1), axes = TACHO_NONE;
    size_t count;
    const int64_t *given = tacho_attr_ints(tacho_graph_attrs(self->graph, &self->origin),
                                           self->origin.attr_count, "axes", &count);
    if (given != NULL) {
        axes = tacho_expand_ints(self, given, count);
    }
    tacho_expand_set_int(self, "keepdims", tacho_expand_int(self, "keepdims", 1));
    return_scaled(self, TACHO_EXPAND_OP(self, "ReduceMean", x, axes), 3, 0);
}

/* The standard's operator, with channels first or last. */
void tacho_expand_qlinear_conv(tacho_expander *self)
{
    uint32_t inputs[9];
    tacho_expand_need(self, 0, 3, TACHO_RANK_MAX);
    tacho_expand_need(self, 3, 3, TACHO_RANK_MAX);
    for (size_t i = 0; i < 9; i++) {
        inputs[i] = tacho_expand_input(self, i);
    }
    inputs[0] = move_channels(self, inputs[0], false);
    tacho_expand_copy_attrs(self, own_attrs);
    uint32_t made = tacho_expand_add(self, "QLinearConv", inputs, 9, 1);
    tacho_expand_return(self, 0, move_channels(self, made, true));
}

/* ---- products ------------------------------------------------------------------------------ */

/*
 * A and B with scales and zero points, a bias in units of the product of both scales, scale and
 * zero point of the result; without these the result is real.
 */
void tacho_expand_qgemm(tacho_expander *self)
{
    int64_t is_b_turned = tacho_expand_int(self, "transB", 0) != 0;
    uint32_t a = read_scaled(self, 0, 1), b = read_scaled(self, 3, is_b_turned ? 0 : 1);
    uint32_t bias = tacho_expand_input(self, 6);
    if (bias != TACHO_NONE && tacho_expand_need(self, 6, 0, 2)) {
        uint32_t unit =
            TACHO_EXPAND_OP(self, "Mul", tacho_expand_input(self, 1), tacho_expand_input(self, 4));
        int64_t axis = tacho_expand_shape(self, 6)->rank - 1;
        tacho_expand_set_int(self, "axis", axis < 0 ? 0 : axis);
        bias = TACHO_EXPAND_OP(self, "DequantizeLinear", bias, unit);
    }
    tacho_expand_set_real(self, "alpha", tacho_expand_real(self, "alpha", 1));
    tacho_expand_set_int(self, "transA", tacho_expand_int(self, "transA", 0));
    tacho_expand_set_int(self, "transB", is_b_turned);
    uint32_t made = TACHO_EXPAND_OP(self, "Gemm", a, b, bias);
    if (tacho_expand_has(self, 7)) {
        return_scaled(self, made, 7, 0);
    } else {
        tacho_expand_return(self, 0, made);
    }
}

/* A product of integers times its scales, plus a bias. */
static uint32_t scale_product(tacho_expander *self, uint32_t product, uint32_t scale, uint32_t bias)
{
    uint32_t made = tacho_expand_cast(self, product, TACHO_DTYPE_F32);
    made = TACHO_EXPAND_OP(self, "Mul", made, scale);
    return bias == TACHO_NONE ? made : TACHO_EXPAND_OP(self, "Add", made, bias);
}

/* A, B, their scales, their zero points, a bias. */
void tacho_expand_matmul_integer_to_float(tacho_expander *self)
{
    tacho_expand_need(self, 0, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 2, 0, 1);
    tacho_expand_need(self, 3, 0, 1);
    uint32_t product = TACHO_EXPAND_OP(self, "MatMulInteger", tacho_expand_input(self, 0),
                                       tacho_expand_input(self, 1), tacho_expand_input(self, 4),
                                       tacho_expand_input(self, 5));
    uint32_t scale =
        TACHO_EXPAND_OP(self, "Mul", tacho_expand_input(self, 2), tacho_expand_input(self, 3));
    tacho_expand_return(self, 0, scale_product(self, product, scale, tacho_expand_input(self, 6)));
}

/* A in reals, B, its scale and zero point, a bias. */
void tacho_expand_dynamic_quantise_matmul(tacho_expander *self)
{
    tacho_expand_need(self, 0, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 1, TACHO_RANK_MAX);
    tacho_expand_need(self, 2, 0, 1);
    uint32_t a = tacho_expand_input(self, 0);
    uint32_t bytes = tacho_expand_add(self, "DynamicQuantizeLinear", &a, 1, 3);
    uint32_t product = TACHO_EXPAND_OP(self, "MatMulInteger", bytes, tacho_expand_input(self, 1),
                                       bytes + 2, tacho_expand_input(self, 3));
    uint32_t scale = TACHO_EXPAND_OP(self, "Mul", bytes + 1, tacho_expand_input(self, 2));
    tacho_expand_return(self, 0, scale_product(self, product, scale, tacho_expand_input(self, 4)));
}

/* Like the standard's, which takes the same types. */
static void expand_same(tacho_expander *self, const char *type)
{
    tacho_expand_need(self, 0, 0, TACHO_RANK_MAX);
    tacho_expand_need(self, 1, 0, TACHO_RANK_MAX);
    tacho_expand_copy_attrs(self, own_attrs);
    tacho_expand_return(self, 0,
                        TACHO_EXPAND_OP(self, type, tacho_expand_input(self, 0),
                                        tacho_expand_input(self, 1), tacho_expand_input(self, 2)));
}

void tacho_expand_quantise_linear(tacho_expander *self)
{
    expand_same(self, "QuantizeLinear");
}

void tacho_expand_dequantise_linear(tacho_expander *self)
{
    expand_same(self, "DequantizeLinear");
}
