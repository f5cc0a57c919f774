/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of MLIR, as far as tensors have them.
 */
#include "graph/mlir_model.h"

typedef struct element_name {
    const char *name;
    tacho_dtype dtype;
} element_name;

static const element_name element_names[] = {
    {"f32", TACHO_DTYPE_F32},
    {"f64", TACHO_DTYPE_F64},
    {"f16", TACHO_DTYPE_F16},
    {"bf16", TACHO_DTYPE_BF16},
    {"f8E4M3FN", TACHO_DTYPE_F8E4M3},
    {"f8E4M3", TACHO_DTYPE_F8E4M3},
    {"f8E5M2", TACHO_DTYPE_F8E5M2},
    {"i1", TACHO_DTYPE_BOOL},
    {"si1", TACHO_DTYPE_BOOL},
    {"ui1", TACHO_DTYPE_BOOL},
    {"index", TACHO_DTYPE_I64},
    {"i4", TACHO_DTYPE_I4},
    {"i8", TACHO_DTYPE_I8},
    {"i16", TACHO_DTYPE_I16},
    {"i32", TACHO_DTYPE_I32},
    {"i48", TACHO_DTYPE_I48},
    {"i64", TACHO_DTYPE_I64},
    {"si4", TACHO_DTYPE_I4},
    {"si8", TACHO_DTYPE_I8},
    {"si16", TACHO_DTYPE_I16},
    {"si32", TACHO_DTYPE_I32},
    {"si48", TACHO_DTYPE_I48},
    {"si64", TACHO_DTYPE_I64},
    {"ui4", TACHO_DTYPE_U4},
    {"ui8", TACHO_DTYPE_U8},
    {"ui16", TACHO_DTYPE_U16},
    {"ui32", TACHO_DTYPE_U32},
    {"ui64", TACHO_DTYPE_U64},
    {"u8", TACHO_DTYPE_U8}, /* the storage of a quantised type */
    {"u16", TACHO_DTYPE_U16},
    {"complex<f32>", TACHO_DTYPE_C64},
    {"complex<f64>", TACHO_DTYPE_C128},
    {"!torch.qint8", TACHO_DTYPE_I8},
    {"!torch.quint8", TACHO_DTYPE_U8},
    {"!torch.qint32", TACHO_DTYPE_I32},
};

static const char element_problem[] = "its element type is unknown";

static tacho_dtype find_element(tacho_str name)
{
    for (size_t i = 0; i < sizeof(element_names) / sizeof(*element_names); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(element_names[i].name))) {
            return element_names[i].dtype;
        }
    }
    return TACHO_DTYPE_NONE;
}

/* The text between |prefix| and the '>' at the end; false when |text| is not of this form. */
static bool take_inside(tacho_str text, tacho_str prefix, tacho_str *out_inside)
{
    bool fits = tacho_str_starts_with(text, prefix) && text.len > prefix.len &&
                text.data[text.len - 1] == '>';
    if (fits) {
        *out_inside = tacho_str_make(text.data + prefix.len, text.len - prefix.len - 1);
    }
    return fits;
}

/* The storage type of !quant.uniform<i8<-127:127>:f32, 0.5:10>. */
static tacho_str quantised_storage(tacho_str text)
{
    tacho_str inside;
    if (!take_inside(text, TACHO_STR("!quant.uniform<"), &inside) &&
        !take_inside(text, TACHO_STR("!quant.any<"), &inside)) {
        return text;
    }
    size_t len = 0;
    while (len < inside.len && inside.data[len] != '<' && inside.data[len] != ':') {
        len++;
    }
    return tacho_str_make(inside.data, len);
}

static const char *parse_element(tacho_str text, tacho_dtype *out_dtype)
{
    tacho_str name = quantised_storage(tacho_str_trim(text));
    *out_dtype = find_element(name);
    return *out_dtype == TACHO_DTYPE_NONE ? element_problem : NULL;
}

static const char *add_dim(tacho_shape *shape, tacho_str text)
{
    uint64_t value = 0;
    if (shape->rank == TACHO_RANK_MAX) {
        return "it has more than 8 dimensions";
    }
    bool is_known = !tacho_str_equal(text, TACHO_STR("?"));
    if (is_known && (!tacho_str_parse_u64(text, &value) || value > INT64_MAX)) {
        return "one of its dimensions is not a number";
    }
    shape->dims[shape->rank++] = is_known ? (int64_t)value : TACHO_DIM_UNKNOWN;
    return NULL;
}

/* 1x?xi8, *xf32; an encoding after a comma does not concern numbers or types. */
static const char *parse_tensor(tacho_str inside, tacho_mlir_type *type)
{
    type->shape.rank = 0;
    if (tacho_str_starts_with(inside, TACHO_STR("*x"))) {
        type->shape.rank = TACHO_RANK_UNKNOWN;
        return parse_element(tacho_str_from(inside, 2), &type->dtype);
    }
    while (inside.len > 0 &&
           (inside.data[0] == '?' || (inside.data[0] >= '0' && inside.data[0] <= '9'))) {
        size_t len = tacho_str_find_byte(inside, 'x');
        const char *problem = len == inside.len
                                  ? "it has no element type"
                                  : add_dim(&type->shape, tacho_str_make(inside.data, len));
        if (problem != NULL) {
            return problem;
        }
        inside = tacho_str_from(inside, len + 1);
    }
    bool is_nested = inside.len > 0 && inside.data[0] == '!';
    size_t end = is_nested ? inside.len : tacho_str_find_byte(inside, ',');
    return parse_element(tacho_str_make(inside.data, end), &type->dtype);
}

/* [1,?],f32 or *,f32. */
static const char *parse_torch_tensor(tacho_str inside, tacho_mlir_type *type)
{
    size_t close = tacho_str_find_byte(inside, ']');
    if (tacho_str_starts_with(inside, TACHO_STR("*,"))) {
        return parse_element(tacho_str_from(inside, 2), &type->dtype);
    }
    if (inside.len == 0 || inside.data[0] != '[' || close + 1 >= inside.len ||
        inside.data[close + 1] != ',') {
        return "expected [sizes],element type";
    }
    tacho_str sizes = tacho_str_make(inside.data + 1, close - 1);
    type->shape.rank = 0;
    while (sizes.len > 0) {
        size_t len = tacho_str_find_byte(sizes, ',');
        const char *problem =
            add_dim(&type->shape, tacho_str_trim(tacho_str_make(sizes.data, len)));
        if (problem != NULL) {
            return problem;
        }
        sizes = tacho_str_from(sizes, len < sizes.len ? len + 1 : len);
    }
    return parse_element(tacho_str_from(inside, close + 2), &type->dtype);
}

static const char *parse_shape(tacho_str inside, tacho_mlir_type *type)
{
    type->dtype = TACHO_DTYPE_I64;
    type->shape.rank = 0;
    return add_dim(&type->shape, inside);
}

const char *tacho_mlir_type_parse(tacho_str text, tacho_mlir_type *out_type)
{
    tacho_str inside;
    *out_type = (tacho_mlir_type){.shape = {.rank = TACHO_RANK_UNKNOWN}};
    if (take_inside(text, TACHO_STR("tensor<"), &inside)) {
        return parse_tensor(inside, out_type);
    }
    if (take_inside(text, TACHO_STR("!tosa.shape<"), &inside)) {
        return parse_shape(inside, out_type);
    }
    if (take_inside(text, TACHO_STR("!torch.vtensor<"), &inside) ||
        take_inside(text, TACHO_STR("!torch.tensor<"), &inside)) {
        return parse_torch_tensor(inside, out_type);
    }
    if (tacho_str_starts_with(text, TACHO_STR("!torch."))) {
        out_type->is_absent = tacho_str_equal(text, TACHO_STR("!torch.none"));
        return NULL; /* a list, an integer: nothing that a tensor could hold */
    }
    if (tacho_str_starts_with(text, TACHO_STR("vector<")) ||
        tacho_str_starts_with(text, TACHO_STR("memref<"))) {
        return "vectors and memrefs are not supported in models; expected tensors";
    }
    out_type->shape.rank = 0;
    const char *problem = parse_element(text, &out_type->dtype);
    return problem == NULL ? NULL : "expected tensor<...>, !tosa.shape<...> or !torch.vtensor<...>";
}
