/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators as tables write them: those of ONNX with the shapes of all inputs, short names as
 * people who measure single operators use them with one shape, products by M, K and N, and
 * convolutions by the sizes of their loops.
 */
#include "compile/measured.h"
#include "graph/op_def.h"

#include <stdio.h>

enum { SIZE_MAX_VALUE = 1 << 30, LIST_MAX = 16, KEY_BYTES = 512 };

static tacho_status fail_word(const char *what, tacho_str word, const char *expected)
{
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s '%.*s': expected %s", what,
                      (int)(word.len < 60 ? word.len : 60), word.data, expected);
}

/* The part of |rest| before the next |separator|, which is taken away; false at its end. */
static bool next_part(tacho_str *rest, char separator, tacho_str *out_part)
{
    if (rest->data == NULL) {
        return false;
    }
    size_t len = tacho_str_find_byte(*rest, separator);
    *out_part = tacho_str_trim(tacho_str_make(rest->data, len));
    *rest = len < rest->len ? tacho_str_from(*rest, len + 1) : (tacho_str){NULL, 0};
    return true;
}

/* ---- numbers and lists --------------------------------------------------------------------- */

static bool parse_size(tacho_str text, int64_t *out_size)
{
    uint64_t size;
    if (!tacho_str_parse_u64(text, &size) || size == 0 || size > SIZE_MAX_VALUE) {
        return false;
    }
    *out_size = (int64_t)size;
    return true;
}

static bool parse_signed(tacho_str text, int64_t *out_value)
{
    bool is_negative = text.len > 0 && text.data[0] == '-';
    uint64_t size;
    if (!tacho_str_parse_u64(tacho_str_from(text, is_negative ? 1 : 0), &size) ||
        size > SIZE_MAX_VALUE) {
        return false;
    }
    *out_value = is_negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* "128x768". */
static bool parse_shape(tacho_str text, tacho_shape *out_shape)
{
    *out_shape = (tacho_shape){.rank = 0};
    for (tacho_str part; next_part(&text, 'x', &part); out_shape->rank++) {
        if (out_shape->rank == TACHO_RANK_MAX ||
            !parse_size(part, &out_shape->dims[out_shape->rank])) {
            return false;
        }
    }
    uint64_t elements;
    return tacho_shape_elements(out_shape, &elements);
}

/* "1,1,2"; the list is allocated in |arena|. */
static tacho_status parse_list(tacho_str text, tacho_arena *arena, const int64_t **out_list,
                               uint32_t *out_count)
{
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, LIST_MAX * sizeof(int64_t), &memory));
    int64_t *list = memory;
    *out_count = 0;
    tacho_str rest = text;
    for (tacho_str part; next_part(&rest, ',', &part); ++*out_count) {
        if (*out_count == LIST_MAX || !parse_signed(part, &list[*out_count])) {
            return fail_word("list", text, "whole numbers with commas, 16 at most");
        }
    }
    *out_list = list;
    return TACHO_OK;
}

/* ---- building ------------------------------------------------------------------------------ */

static void add_input(tacho_measured *row, int32_t rank, const int64_t *dims)
{
    tacho_measured_input *input = &row->inputs[row->input_count++];
    *input = (tacho_measured_input){.shape = {.rank = rank}};
    memcpy(input->shape.dims, dims, (size_t)rank * sizeof(*dims));
}

/* A constant list of integers. */
static tacho_status add_values(tacho_measured *row, tacho_str text, tacho_arena *arena)
{
    tacho_measured_input *input = &row->inputs[row->input_count++];
    uint32_t count;
    TACHO_TRY(parse_list(text, arena, &input->values, &count));
    input->shape = (tacho_shape){.rank = 1, .dims = {count}};
    return TACHO_OK;
}

/* "strides=2,2": one number is an integer, several or "[1]" are a list. */
static tacho_status add_attr(tacho_measured *row, tacho_str word, tacho_arena *arena)
{
    size_t len = tacho_str_find_byte(word, '=');
    if (len == 0 || len == word.len || row->attr_count == TACHO_MEASURED_ATTRS_MAX) {
        return fail_word("attribute", word, "name=1 or name=1,2, and 12 of them at most");
    }
    tacho_attr attr = {.name = tacho_str_make(word.data, len), .kind = TACHO_ATTR_INTS};
    tacho_str value = tacho_str_from(word, len + 1);
    bool has_brackets = value.len > 1 && value.data[0] == '[' && value.data[value.len - 1] == ']';
    if (has_brackets) {
        value = tacho_str_make(value.data + 1, value.len - 2);
    }
    const int64_t *list;
    TACHO_TRY(parse_list(value, arena, &list, &attr.count));
    attr.value.as_ints = list;
    if (attr.count == 1 && !has_brackets) {
        attr.kind = TACHO_ATTR_INT;
        attr.value.as_int = list[0];
    }
    row->attrs[row->attr_count++] = attr;
    return TACHO_OK;
}

static tacho_status add_attrs(tacho_measured *row, tacho_str text, tacho_arena *arena)
{
    tacho_str rest = text;
    for (tacho_str word; next_part(&rest, ' ', &word);) {
        if (word.len > 0) {
            TACHO_TRY(add_attr(row, word, arena));
        }
    }
    return TACHO_OK;
}

/* Attributes that are made here, copied since views of them stay. */
static tacho_status add_made_attrs(tacho_measured *row, const char *text, tacho_arena *arena)
{
    tacho_str copy;
    TACHO_TRY(tacho_arena_copy(arena, tacho_str_from_cstring(text), &copy));
    return add_attrs(row, copy, arena);
}

/* ---- convolutions -------------------------------------------------------------------------- */

typedef struct conv {
    int64_t n, c, h, w; /* of the input */
    int64_t k, r, s;    /* results, window */
    int64_t stride, pad, group;
} conv;

static tacho_status make_conv(const conv *sizes, tacho_arena *arena, tacho_measured *row)
{
    char text[256];
    int64_t stride = sizes->stride;
    int64_t pad = sizes->pad;
    row->op = TACHO_STR("Conv");
    add_input(row, 4, (int64_t[]){sizes->n, sizes->c, sizes->h, sizes->w});
    add_input(row, 4, (int64_t[]){sizes->k, sizes->c / sizes->group, sizes->r, sizes->s});
    snprintf(text, sizeof(text),
             "strides=%lld,%lld pads=%lld,%lld,%lld,%lld kernel_shape=%lld,%lld group=%lld",
             (long long)stride, (long long)stride, (long long)pad, (long long)pad, (long long)pad,
             (long long)pad, (long long)sizes->r, (long long)sizes->s, (long long)sizes->group);
    return add_made_attrs(row, text, arena);
}

/* Sizes that follow letters, "k64r7s2p3g1" or "N1 C64 M64": each goes to its place, once. */
static bool parse_letters(tacho_str text, const char *letters, int64_t *const *places)
{
    unsigned seen = 0;
    for (size_t at = 0; at < text.len;) {
        if (text.data[at] == ' ') {
            at++;
            continue;
        }
        const char *found = text.data[at] != '\0' ? strchr(letters, text.data[at]) : NULL;
        size_t end = at + 1;
        while (end < text.len && text.data[end] >= '0' && text.data[end] <= '9') {
            end++;
        }
        uint64_t size;
        if (found == NULL || (seen >> (found - letters) & 1) != 0 ||
            !tacho_str_parse_u64(tacho_str_make(text.data + at + 1, end - at - 1), &size) ||
            size > SIZE_MAX_VALUE) {
            return false;
        }
        seen |= 1U << (found - letters);
        *places[found - letters] = (int64_t)size;
        at = end;
    }
    return true;
}

static bool is_conv_good(const conv *sizes)
{
    return sizes->n > 0 && sizes->c > 0 && sizes->h > 0 && sizes->w > 0 && sizes->k > 0 &&
           sizes->r > 0 && sizes->s > 0 && sizes->stride > 0 && sizes->group > 0 &&
           sizes->c % sizes->group == 0;
}

/* "1x3x224x224:k64r7s2p3g1": input, results, window, stride, padding, groups. */
static tacho_status make_short_conv(tacho_str text, tacho_arena *arena, tacho_measured *row)
{
    static const char expected[] = "1x3x224x224:k64r7s2p3g1";
    conv sizes = {.stride = 1, .group = 1};
    int64_t *const places[] = {&sizes.k, &sizes.r, &sizes.stride, &sizes.pad, &sizes.group};
    size_t colon = tacho_str_find_byte(text, ':');
    tacho_shape input;
    if (colon == text.len || !parse_shape(tacho_str_make(text.data, colon), &input) ||
        input.rank != 4 || !parse_letters(tacho_str_from(text, colon + 1), "krspg", places)) {
        return fail_word("shape", text, expected);
    }
    sizes.n = input.dims[0];
    sizes.c = input.dims[1];
    sizes.h = input.dims[2];
    sizes.w = input.dims[3];
    sizes.s = sizes.r;
    return is_conv_good(&sizes) ? make_conv(&sizes, arena, row)
                                : fail_word("shape", text, expected);
}

/*
 * "N1 C64 M64 P56 Q56 S3 R3" as timeloop writes them: batch, channels in and out, height and width
 * of the results and of the window. Padding is what keeps the size.
 */
static tacho_status make_loops(const tacho_measured_words *words, tacho_arena *arena,
                               tacho_measured *row)
{
    static const char expected[] = "N1 C64 M64 P56 Q56 S3 R3";
    conv sizes = {.n = 1, .r = 1, .s = 1, .stride = 1, .group = 1};
    int64_t rows = 0;
    int64_t columns = 0;
    int64_t *const places[] = {&sizes.n, &sizes.c, &sizes.k,      &rows,       &columns,
                               &sizes.s, &sizes.r, &sizes.stride, &sizes.group};
    if (!parse_letters(words->loops, "NCMPQSRUG", places) || rows <= 0 || columns <= 0 ||
        (words->stride.len > 0 && !parse_size(words->stride, &sizes.stride))) {
        return fail_word("loops", words->loops, expected);
    }
    sizes.pad = (sizes.r - 1) / 2;
    if (__builtin_mul_overflow(rows, sizes.stride, &sizes.h) ||
        __builtin_mul_overflow(columns, sizes.stride, &sizes.w) || sizes.h > SIZE_MAX_VALUE ||
        sizes.w > SIZE_MAX_VALUE || !is_conv_good(&sizes)) {
        return fail_word("loops", words->loops, expected);
    }
    return make_conv(&sizes, arena, row);
}

/* ---- short names --------------------------------------------------------------------------- */

typedef enum short_kind {
    SHORT_PRODUCT,   /* MxKxN, or with the batch in front */
    SHORT_CONV,      /* as above */
    SHORT_ALIKE,     /* as many inputs of one shape as |inputs| */
    SHORT_NORM,      /* of the last axis, with scale and offset */
    SHORT_REDUCTION, /* of the last axis */
    SHORT_SWAP,      /* of the last two axes */
    SHORT_POOL,      /* windows of 3 x 3 in steps of 2 */
} short_kind;

typedef struct short_name {
    const char *name, *op;
    short_kind kind;
    uint32_t inputs; /* ALIKE */
} short_name;

static const short_name short_names[] = {
    {"matmul", "MatMul", SHORT_PRODUCT, 0},
    {"linear", "MatMul", SHORT_PRODUCT, 0},
    {"batch_matmul", "MatMul", SHORT_PRODUCT, 0},
    {"bmm", "MatMul", SHORT_PRODUCT, 0},
    {"conv2d", "Conv", SHORT_CONV, 0},
    {"relu", "Relu", SHORT_ALIKE, 1},
    {"gelu", "Gelu", SHORT_ALIKE, 1},
    {"silu", "Swish", SHORT_ALIKE, 1},
    {"sigmoid", "Sigmoid", SHORT_ALIKE, 1},
    {"tanh", "Tanh", SHORT_ALIKE, 1},
    {"softmax", "Softmax", SHORT_ALIKE, 1},
    {"add", "Add", SHORT_ALIKE, 2},
    {"mul", "Mul", SHORT_ALIKE, 2},
    {"attention", "Attention", SHORT_ALIKE, 3},
    {"layernorm", "LayerNormalization", SHORT_NORM, 0},
    {"reduce_sum", "ReduceSum", SHORT_REDUCTION, 0},
    {"transpose", "Transpose", SHORT_SWAP, 0},
    {"global_avgpool", "GlobalAveragePool", SHORT_ALIKE, 1},
    {"maxpool3s2", "MaxPool", SHORT_POOL, 0},
};

static const short_name *find_short(tacho_str name)
{
    for (size_t i = 0; i < sizeof(short_names) / sizeof(short_names[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(short_names[i].name))) {
            return &short_names[i];
        }
    }
    return NULL;
}

static tacho_status make_product(const tacho_shape *all, tacho_measured *row)
{
    int32_t more = all->rank - 3; /* axes of the batch */
    if (more < 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "a product is MxKxN, or BxMxKxN");
    }
    int64_t first[TACHO_RANK_MAX];
    int64_t second[TACHO_RANK_MAX];
    memcpy(first, all->dims, sizeof(first));
    memcpy(second, all->dims, sizeof(second));
    second[more] = all->dims[more + 1];
    second[more + 1] = all->dims[more + 2];
    add_input(row, more + 2, first);
    add_input(row, more + 2, second);
    return TACHO_OK;
}

static tacho_status make_swap(const tacho_shape *shape, tacho_arena *arena, tacho_measured *row)
{
    char text[64] = "perm=[";
    size_t len = strlen(text);
    for (int32_t i = 0; i < shape->rank; i++) {
        int32_t axis = i == shape->rank - 1 ? i - 1 : i == shape->rank - 2 ? i + 1 : i;
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i > 0 ? "," : "", axis);
    }
    snprintf(text + len, sizeof(text) - len, "]");
    return shape->rank < 2 ? TACHO_OK : add_made_attrs(row, text, arena);
}

static tacho_status make_short(const short_name *name, const tacho_shape *shape, tacho_arena *arena,
                               tacho_measured *row)
{
    const int64_t *last = &shape->dims[shape->rank - 1];
    for (uint32_t i = 0; i < (name->kind == SHORT_ALIKE ? name->inputs : 1); i++) {
        add_input(row, shape->rank, shape->dims);
    }
    switch (name->kind) {
    case SHORT_NORM:
        add_input(row, 1, last);
        add_input(row, 1, last);
        break;
    case SHORT_REDUCTION:
        return add_values(row, TACHO_STR("-1"), arena);
    case SHORT_SWAP:
        return make_swap(shape, arena, row);
    case SHORT_POOL:
        return add_made_attrs(row, "kernel_shape=3,3 strides=2,2 pads=1,1,1,1", arena);
    case SHORT_PRODUCT:
    case SHORT_CONV:
    case SHORT_ALIKE:
        break;
    }
    return TACHO_OK;
}

/* ---- operators of ONNX --------------------------------------------------------------------- */

/* "1x64x56x56;64x64x3x3;=1,2": shapes of inputs, and constant lists. */
static tacho_status make_inputs(tacho_str text, tacho_arena *arena, tacho_measured *row)
{
    static const char expected[] = "shapes of at most 8 inputs such as 128x768;768x64";
    tacho_str rest = text;
    for (tacho_str part; next_part(&rest, ';', &part);) {
        tacho_shape shape;
        if (row->input_count == TACHO_MEASURED_INPUTS_MAX) {
            return fail_word("shape", text, expected);
        }
        if (part.len > 0 && part.data[0] == '=') {
            TACHO_TRY(add_values(row, tacho_str_from(part, 1), arena));
        } else if (parse_shape(part, &shape)) {
            add_input(row, shape.rank, shape.dims);
        } else {
            return fail_word("shape", text, expected);
        }
    }
    return TACHO_OK;
}

static tacho_status make_op(const tacho_measured_words *words, tacho_arena *arena,
                            tacho_measured *row)
{
    const short_name *name = find_short(words->op);
    tacho_shape shape;
    if (name == NULL) {
        row->op = words->op;
        if (tacho_op_def_find(words->op) == NULL) {
            return fail_word("operator", words->op,
                             "an operator of ONNX such as MatMul, or a short name such as matmul");
        }
        return make_inputs(words->shape, arena, row);
    }
    row->op = tacho_str_from_cstring(name->op);
    if (name->kind == SHORT_CONV) {
        return make_short_conv(words->shape, arena, row);
    }
    if (!parse_shape(words->shape, &shape)) {
        return fail_word("shape", words->shape, "sizes with an x between them, such as 128x768");
    }
    return name->kind == SHORT_PRODUCT ? make_product(&shape, row)
                                       : make_short(name, &shape, arena, row);
}

static tacho_status make_key(const tacho_measured_words *words, tacho_arena *arena,
                             tacho_measured *row)
{
    char key[KEY_BYTES];
    snprintf(key, sizeof(key), "%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s|%.*s",
             (int)(row->op.len < 60 ? row->op.len : 60), row->op.data,
             (int)(words->shape.len < 100 ? words->shape.len : 100), words->shape.data,
             (int)(words->attributes.len < 100 ? words->attributes.len : 100),
             words->attributes.data, (int)(words->m.len < 20 ? words->m.len : 20), words->m.data,
             (int)(words->k.len < 20 ? words->k.len : 20), words->k.data,
             (int)(words->n.len < 20 ? words->n.len : 20), words->n.data,
             (int)(words->loops.len < 100 ? words->loops.len : 100), words->loops.data,
             (int)(words->stride.len < 20 ? words->stride.len : 20), words->stride.data);
    return tacho_arena_copy(arena, tacho_str_from_cstring(key), &row->shape_key);
}

tacho_status tacho_measured_understand(const tacho_measured_words *words, tacho_arena *arena,
                                       tacho_measured *row)
{
    if (words->loops.len > 0) {
        TACHO_TRY(make_loops(words, arena, row));
    } else if (words->m.len > 0 || words->k.len > 0 || words->n.len > 0) {
        tacho_shape shape = {.rank = 3};
        row->op = words->op.len > 0 ? words->op : TACHO_STR("MatMul");
        if (!parse_size(words->m, &shape.dims[0]) || !parse_size(words->k, &shape.dims[1]) ||
            !parse_size(words->n, &shape.dims[2]) || tacho_op_def_find(row->op) == NULL) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "M, K and N are sizes of 1 to 2^30, and the "
                                                   "operator, if any, one of ONNX");
        }
        TACHO_TRY(make_product(&shape, row));
    } else {
        TACHO_TRY(make_op(words, arena, row));
    }
    TACHO_TRY(add_attrs(row, words->attributes, arena));
    return make_key(words, arena, row);
}
