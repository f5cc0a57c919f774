/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and shapes of elementwise operators.
 */
#include "graph/onnx_infer.h"

#include <inttypes.h>

tacho_status tacho_onnx_infer_same(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    return tacho_onnx_set_same(infer);
}

tacho_status tacho_onnx_infer_unary_bool(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    return tacho_infer_set(infer, 0, TACHO_DTYPE_BOOL, tacho_infer_shape(infer, 0));
}

static tacho_status cannot_broadcast(const tacho_infer *infer, const tacho_shape *a,
                                     const tacho_shape *b)
{
    char text_a[TACHO_SHAPE_TEXT_MAX], text_b[TACHO_SHAPE_TEXT_MAX];
    return tacho_infer_fail(infer, "shapes %s and %s cannot be broadcast",
                            tacho_shape_print(a, text_a, sizeof(text_a)),
                            tacho_shape_print(b, text_b, sizeof(text_b)));
}

/* Before opset 7 input 1 is broadcast to input 0 only when asked for, from |axis| on. */
static tacho_status broadcast_early(const tacho_infer *infer, tacho_shape *out_shape)
{
    const tacho_shape *a = tacho_infer_shape(infer, 0), *b = tacho_infer_shape(infer, 1);
    *out_shape = *a;
    if (a->rank == TACHO_RANK_UNKNOWN || b->rank == TACHO_RANK_UNKNOWN || b->rank == 0) {
        return TACHO_OK;
    }
    int64_t axis = tacho_onnx_int(infer, "axis", (int64_t)a->rank - b->rank);
    axis += axis < 0 ? a->rank : 0;
    if (b->rank > a->rank || axis < 0 || axis > a->rank - b->rank) {
        return cannot_broadcast(infer, a, b);
    }
    for (int32_t i = 0; i < b->rank; i++) {
        int64_t in_a = a->dims[axis + i];
        if (b->dims[i] != 1 && b->dims[i] != in_a && b->dims[i] >= 0 && in_a >= 0) {
            return cannot_broadcast(infer, a, b);
        }
    }
    return TACHO_OK;
}

static tacho_status broadcast_all(const tacho_infer *infer, size_t count, tacho_shape *out_shape)
{
    *out_shape = *tacho_infer_shape(infer, 0);
    for (size_t i = 1; i < count; i++) {
        tacho_shape before = *out_shape;
        if (!tacho_shape_broadcast(&before, tacho_infer_shape(infer, i), out_shape)) {
            return cannot_broadcast(infer, &before, tacho_infer_shape(infer, i));
        }
    }
    return TACHO_OK;
}

static tacho_status broadcast_two(const tacho_infer *infer, tacho_shape *out_shape)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    bool is_early = tacho_onnx_before(infer, 7);
    return is_early ? broadcast_early(infer, out_shape) : broadcast_all(infer, 2, out_shape);
}

tacho_status tacho_onnx_infer_binary(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(broadcast_two(infer, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

tacho_status tacho_onnx_infer_compare(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(broadcast_two(infer, &shape));
    return tacho_infer_set(infer, 0, TACHO_DTYPE_BOOL, &shape);
}

tacho_status tacho_onnx_infer_variadic(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, infer->node->input_count > 0 ? infer->node->input_count : 1));
    TACHO_TRY(broadcast_all(infer, infer->node->input_count, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 0), &shape);
}

/* Both are known and the same, so that either can be the result. */
static tacho_status match_choices(const tacho_infer *infer)
{
    const tacho_shape *a = tacho_infer_shape(infer, 1), *b = tacho_infer_shape(infer, 2);
    tacho_dtype types[] = {tacho_infer_dtype(infer, 1), tacho_infer_dtype(infer, 2)};
    char texts[2][TACHO_SHAPE_TEXT_MAX];
    if (types[0] != types[1] || types[0] == TACHO_DTYPE_NONE || !tacho_shape_is_known(a) ||
        !tacho_shape_is_known(b) || !tacho_shape_equal(a, b)) {
        return tacho_infer_fail(
            infer, "it gives %s %s or %s %s, known only when it runs", tacho_dtype_name(types[0]),
            tacho_shape_print(a, texts[0], sizeof(texts[0])), tacho_dtype_name(types[1]),
            tacho_shape_print(b, texts[1], sizeof(texts[1])));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_where(const tacho_infer *infer)
{
    tacho_shape shape;
    TACHO_TRY(tacho_onnx_need(infer, 3));
    if (tacho_onnx_int(infer, "equal_shapes", 0) != 0) { /* a choice of graph/unroll.c */
        TACHO_TRY(match_choices(infer));
    }
    TACHO_TRY(broadcast_all(infer, 3, &shape));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 1), &shape);
}

/* The slope is broadcast to the data, never the other way round. */
tacho_status tacho_onnx_infer_prelu(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    return tacho_onnx_set_same(infer);
}

/* ---- types --------------------------------------------------------------------------------- */

/* The type an attribute asks for: a number, or a name before opset 6. */
static tacho_status attr_dtype(const tacho_infer *infer, const char *name, tacho_dtype fallback,
                               tacho_dtype *out_dtype)
{
    static const struct {
        tacho_str name;
        tacho_dtype dtype;
    } names[] = {
        {TACHO_STR_INIT("FLOAT"), TACHO_DTYPE_F32},     {TACHO_STR_INIT("DOUBLE"), TACHO_DTYPE_F64},
        {TACHO_STR_INIT("FLOAT16"), TACHO_DTYPE_F16},   {TACHO_STR_INIT("INT8"), TACHO_DTYPE_I8},
        {TACHO_STR_INIT("UINT8"), TACHO_DTYPE_U8},      {TACHO_STR_INIT("INT16"), TACHO_DTYPE_I16},
        {TACHO_STR_INIT("UINT16"), TACHO_DTYPE_U16},    {TACHO_STR_INIT("INT32"), TACHO_DTYPE_I32},
        {TACHO_STR_INIT("UINT32"), TACHO_DTYPE_U32},    {TACHO_STR_INIT("INT64"), TACHO_DTYPE_I64},
        {TACHO_STR_INIT("UINT64"), TACHO_DTYPE_U64},    {TACHO_STR_INIT("BOOL"), TACHO_DTYPE_BOOL},
        {TACHO_STR_INIT("STRING"), TACHO_DTYPE_STRING},
    };
    tacho_str text = tacho_onnx_text(infer, name);
    int64_t number = tacho_onnx_int(infer, name, 0);
    *out_dtype = text.len == 0 && number == 0 ? fallback : tacho_onnx_dtype_of(number);
    for (size_t i = 0; text.len > 0 && i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_str_equal(names[i].name, text)) {
            *out_dtype = names[i].dtype;
        }
    }
    if (*out_dtype == TACHO_DTYPE_NONE && (number != 0 || text.len > 0)) {
        return tacho_infer_fail(infer, "%s is %" PRId64 "%.*s, which is not a type", name, number,
                                TACHO_STR_ARG(text));
    }
    return TACHO_OK;
}

tacho_status tacho_onnx_infer_cast(const tacho_infer *infer)
{
    tacho_dtype dtype;
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(attr_dtype(infer, "to", TACHO_DTYPE_NONE, &dtype));
    if (dtype == TACHO_DTYPE_NONE) {
        return tacho_infer_fail(infer, "attribute 'to' is missing: the type to cast to");
    }
    return tacho_infer_set(infer, 0, dtype, tacho_infer_shape(infer, 0));
}

tacho_status tacho_onnx_infer_cast_like(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 2));
    return tacho_infer_set(infer, 0, tacho_infer_dtype(infer, 1), tacho_infer_shape(infer, 0));
}

tacho_status tacho_onnx_infer_bit_cast(const tacho_infer *infer)
{
    tacho_dtype from = tacho_infer_dtype(infer, 0), to;
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(attr_dtype(infer, "to", TACHO_DTYPE_NONE, &to));
    if (from != TACHO_DTYPE_NONE &&
        tacho_dtype_element_bits(from) != tacho_dtype_element_bits(to)) {
        return tacho_infer_fail(infer, "the bits of %s cannot be those of %s",
                                tacho_dtype_name(from), tacho_dtype_name(to));
    }
    return tacho_infer_set(infer, 0, to, tacho_infer_shape(infer, 0));
}

/* The type is the zero point's, else the requested one, else u8. */
tacho_status tacho_onnx_infer_quantise(const tacho_infer *infer)
{
    tacho_dtype dtype = tacho_infer_dtype(infer, 2);
    TACHO_TRY(tacho_onnx_need(infer, 2));
    if (!tacho_onnx_has(infer, 2)) {
        TACHO_TRY(attr_dtype(infer, "output_dtype", TACHO_DTYPE_U8, &dtype));
    }
    return tacho_infer_set(infer, 0, dtype, tacho_infer_shape(infer, 0));
}

/* The type is the requested one, else the scale's. */
tacho_status tacho_onnx_infer_dequantise(const tacho_infer *infer)
{
    tacho_dtype dtype;
    TACHO_TRY(tacho_onnx_need(infer, 2));
    TACHO_TRY(attr_dtype(infer, "output_dtype", tacho_infer_dtype(infer, 1), &dtype));
    return tacho_infer_set(infer, 0, dtype, tacho_infer_shape(infer, 0));
}

tacho_status tacho_onnx_infer_dynamic_quantise(const tacho_infer *infer)
{
    static const tacho_shape scalar = {0};
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_infer_set(infer, 0, TACHO_DTYPE_U8, tacho_infer_shape(infer, 0)));
    TACHO_TRY(tacho_infer_set(infer, 1, TACHO_DTYPE_F32, &scalar));
    return tacho_infer_set(infer, 2, TACHO_DTYPE_U8, &scalar);
}

/* The mask had the data's type until opset 10. */
tacho_status tacho_onnx_infer_dropout(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(tacho_onnx_set_same(infer));
    tacho_dtype mask =
        tacho_onnx_before(infer, 10) ? tacho_infer_dtype(infer, 0) : TACHO_DTYPE_BOOL;
    return tacho_infer_set(infer, 1, mask, tacho_infer_shape(infer, 0));
}

/* RandomNormal, RandomUniform. */
tacho_status tacho_onnx_infer_random(const tacho_infer *infer)
{
    size_t count;
    const int64_t *dims = tacho_onnx_ints(infer, "shape", &count);
    tacho_dtype dtype;
    TACHO_TRY(attr_dtype(infer, "dtype", TACHO_DTYPE_F32, &dtype));
    tacho_shape shape = tacho_onnx_any_shape(dims == NULL ? -1 : (int64_t)count);
    for (int32_t i = 0; i < shape.rank; i++) {
        if (dims[i] < 0) {
            return tacho_infer_fail(infer, "a dimension is %" PRId64, dims[i]);
        }
        shape.dims[i] = dims[i];
    }
    return tacho_infer_set(infer, 0, dtype, &shape);
}

/* RandomNormalLike, RandomUniformLike, Bernoulli, EyeLike. */
tacho_status tacho_onnx_infer_random_like(const tacho_infer *infer)
{
    tacho_dtype dtype;
    TACHO_TRY(tacho_onnx_need(infer, 1));
    TACHO_TRY(attr_dtype(infer, "dtype", tacho_infer_dtype(infer, 0), &dtype));
    return tacho_infer_set(infer, 0, dtype, tacho_infer_shape(infer, 0));
}

tacho_status tacho_onnx_infer_eye_like(const tacho_infer *infer)
{
    TACHO_TRY(tacho_onnx_need_rank(infer, 0, 2, 2));
    return tacho_onnx_infer_random_like(infer);
}
