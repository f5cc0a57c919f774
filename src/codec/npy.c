/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header is {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } with its keys in any
 * order, padded with spaces so that the elements start at a multiple of 64 bytes.
 */
#include "codec/npy.h"

#include <stdio.h>

enum {
    MAGIC_BYTES = 8, /* with the version */
    HEADER_ALIGN = 64,
    HEADER_MAX = 64 << 10, /* far more than any header of a plain type */
};

static const char magic[] = "\x93NUMPY";

/* ---- types --------------------------------------------------------------------------------- */

typedef struct type_word {
    char letters[3]; /* after the byte order */
    tacho_dtype dtype;
} type_word;

static const type_word type_words[] = {
    {"f4", TACHO_DTYPE_F32},  {"f8", TACHO_DTYPE_F64}, {"f2", TACHO_DTYPE_F16},
    {"V2", TACHO_DTYPE_BF16}, {"i1", TACHO_DTYPE_I8},  {"u1", TACHO_DTYPE_U8},
    {"i2", TACHO_DTYPE_I16},  {"u2", TACHO_DTYPE_U16}, {"i4", TACHO_DTYPE_I32},
    {"u4", TACHO_DTYPE_U32},  {"i8", TACHO_DTYPE_I64}, {"u8", TACHO_DTYPE_U64},
    {"b1", TACHO_DTYPE_BOOL}, {"c8", TACHO_DTYPE_C64}, {"?", TACHO_DTYPE_BOOL},
};

static bool find_type(tacho_str descr, tacho_npy *npy)
{
    char order = descr.len > 0 ? descr.data[0] : '<';
    bool has_order = order == '<' || order == '>' || order == '|' || order == '=';
    npy->is_big_endian = order == '>';
    tacho_str word = tacho_str_from(descr, has_order && descr.len > 0 ? 1 : 0);
    for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++) {
        if (tacho_str_equal(word, tacho_str_from_cstring(type_words[i].letters))) {
            npy->dtype = type_words[i].dtype;
            return true;
        }
    }
    return false;
}

/* ---- the header ---------------------------------------------------------------------------- */

typedef struct header {
    const char *path;
    tacho_str text; /* the unread rest of the header */
    tacho_npy *npy;
    bool has_descr, has_order, has_shape;
} header;

static void skip_spaces(header *self)
{
    while (self->text.len > 0 && (self->text.data[0] == ' ' || self->text.data[0] == '\n')) {
        self->text = tacho_str_from(self->text, 1);
    }
}

static bool accept_byte(header *self, char byte)
{
    skip_spaces(self);
    if (self->text.len == 0 || self->text.data[0] != byte) {
        return false;
    }
    self->text = tacho_str_from(self->text, 1);
    return true;
}

static bool take_text(header *self, tacho_str *out_text)
{
    char quote = '\'';
    if (!accept_byte(self, quote)) {
        quote = '"';
        if (!accept_byte(self, quote)) {
            return false;
        }
    }
    size_t len = tacho_str_find_byte(self->text, quote);
    if (len == self->text.len) {
        return false;
    }
    *out_text = tacho_str_make(self->text.data, len);
    self->text = tacho_str_from(self->text, len + 1);
    return true;
}

static bool take_word(header *self, tacho_str word)
{
    skip_spaces(self);
    if (!tacho_str_starts_with(self->text, word)) {
        return false;
    }
    self->text = tacho_str_from(self->text, word.len);
    return true;
}

static bool take_number(header *self, int64_t *out_number)
{
    size_t len = 0;
    uint64_t number = 0;
    skip_spaces(self);
    while (len < self->text.len && self->text.data[len] >= '0' && self->text.data[len] <= '9') {
        len++;
    }
    if (!tacho_str_parse_u64(tacho_str_make(self->text.data, len), &number) || number > INT64_MAX) {
        return false;
    }
    *out_number = (int64_t)number;
    self->text = tacho_str_from(self->text, len);
    accept_byte(self, 'L'); /* as Python 2 wrote long numbers */
    return true;
}

/* "()", "(4,)", "(2, 3)". */
static tacho_status take_shape(header *self)
{
    tacho_shape *shape = &self->npy->shape;
    bool is_good = accept_byte(self, '(');
    while (is_good && !accept_byte(self, ')')) {
        if (shape->rank == TACHO_RANK_MAX) {
            return tacho_fail(TACHO_CODE_LIMIT, "%s: more than %d dimensions", self->path,
                              TACHO_RANK_MAX);
        }
        is_good = take_number(self, &shape->dims[shape->rank]);
        shape->rank++;
        if (is_good && !accept_byte(self, ',')) {
            is_good = accept_byte(self, ')');
            break;
        }
    }
    return is_good ? TACHO_OK
                   : tacho_fail(TACHO_CODE_BAD_DATA,
                                "%s: the header's shape is not a list of dimensions", self->path);
}

static tacho_status take_descr(header *self)
{
    tacho_str descr;
    if (!take_text(self, &descr)) {
        return tacho_fail(
            TACHO_CODE_UNSUPPORTED,
            "%s: structured element types are not supported; expected one type such as '<f4'",
            self->path);
    }
    if (!find_type(descr, self->npy)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "%s: element type '%.*s' is not supported",
                          self->path, (int)(descr.len < 40 ? descr.len : 40), descr.data);
    }
    return TACHO_OK;
}

static tacho_status take_value(header *self, tacho_str key)
{
    if (tacho_str_equal(key, TACHO_STR("descr"))) {
        self->has_descr = true;
        return take_descr(self);
    }
    if (tacho_str_equal(key, TACHO_STR("shape")) && !self->has_shape) {
        self->has_shape = true;
        return take_shape(self);
    }
    if (tacho_str_equal(key, TACHO_STR("fortran_order"))) {
        self->has_order = true;
        self->npy->is_fortran = take_word(self, TACHO_STR("True"));
        if (self->npy->is_fortran || take_word(self, TACHO_STR("False"))) {
            return TACHO_OK;
        }
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the header's '%.*s' is not what NumPy writes",
                      self->path, (int)(key.len < 40 ? key.len : 40), key.data);
}

static tacho_status take_header(header *self)
{
    tacho_str key;
    bool is_good = accept_byte(self, '{');
    while (is_good && !accept_byte(self, '}')) {
        if (!take_text(self, &key) || !accept_byte(self, ':')) {
            is_good = false;
            break;
        }
        TACHO_TRY(take_value(self, key));
        if (!accept_byte(self, ',')) {
            is_good = accept_byte(self, '}');
            break;
        }
    }
    if (!is_good || !self->has_descr || !self->has_order || !self->has_shape) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: the header has no %s, which every .npy file has", self->path,
                          !is_good           ? "whole list of keys"
                          : !self->has_descr ? "'descr'"
                          : !self->has_order ? "'fortran_order'"
                                             : "'shape'");
    }
    return TACHO_OK;
}

/* ---- files --------------------------------------------------------------------------------- */

bool tacho_npy_is_file(tacho_str bytes)
{
    return tacho_str_starts_with(bytes, tacho_str_make(magic, sizeof(magic) - 1));
}

static uint64_t read_little(tacho_str bytes, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        value |= (uint64_t)(unsigned char)bytes.data[at + i] << (8 * i);
    }
    return value;
}

static tacho_status find_data(const char *path, tacho_str rest, tacho_npy *npy)
{
    uint64_t bytes = 0;
    if (!tacho_shape_elements(&npy->shape, &npy->element_count) ||
        !tacho_dtype_bytes(npy->dtype, npy->element_count, &bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the header's shape is too large", path);
    }
    if (bytes != rest.len) {
        char shape[TACHO_SHAPE_TEXT_MAX];
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: %s elements of %s take %llu bytes, but %zu follow the header", path,
                          tacho_shape_print(&npy->shape, shape, sizeof(shape)),
                          tacho_dtype_name(npy->dtype), (unsigned long long)bytes, rest.len);
    }
    npy->data = rest;
    return TACHO_OK;
}

tacho_status tacho_npy_parse(const char *path, tacho_str bytes, tacho_npy *out_npy)
{
    *out_npy = (tacho_npy){.dtype = TACHO_DTYPE_NONE};
    if (!tacho_npy_is_file(bytes)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: not a .npy file: it does not begin with \\x93NUMPY", path);
    }
    unsigned version = bytes.len >= MAGIC_BYTES ? (unsigned char)bytes.data[6] : 1;
    size_t size_bytes = version == 1 ? 2 : 4;
    if (version < 1 || version > 3) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED,
                          "%s: unsupported .npy version %u; expected 1 to 3", path, version);
    }
    if (bytes.len < MAGIC_BYTES + size_bytes) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: cut within the header", path);
    }
    uint64_t header_bytes = read_little(bytes, MAGIC_BYTES, size_bytes);
    tacho_str rest = tacho_str_from(bytes, MAGIC_BYTES + size_bytes);
    if (header_bytes > rest.len || header_bytes > HEADER_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: a header of %llu bytes, but only %zu follow",
                          path, (unsigned long long)header_bytes, rest.len);
    }
    header self = {path, tacho_str_make(rest.data, (size_t)header_bytes), out_npy, 0, 0, 0};
    TACHO_TRY(take_header(&self));
    return find_data(path, tacho_str_from(rest, (size_t)header_bytes), out_npy);
}

/* ---- elements ------------------------------------------------------------------------------ */

static void turn_round(unsigned char *element, size_t size)
{
    for (size_t i = 0; i < size / 2; i++) {
        unsigned char byte = element[i];
        element[i] = element[size - 1 - i];
        element[size - 1 - i] = byte;
    }
}

/* Steps |index| on as the first dimension runs fastest; |*place| follows in row-major order. */
static void step_fortran(const tacho_shape *shape, const uint64_t *strides, int64_t *index,
                         uint64_t *place)
{
    for (int32_t d = 0; d < shape->rank; d++) {
        *place += strides[d];
        if (++index[d] < shape->dims[d]) {
            return;
        }
        *place -= strides[d] * (uint64_t)shape->dims[d];
        index[d] = 0;
    }
}

static void copy_fortran(const tacho_npy *npy, size_t size, unsigned char *to)
{
    uint64_t strides[TACHO_RANK_MAX] = {0};
    int64_t index[TACHO_RANK_MAX] = {0};
    uint64_t stride = 1;
    uint64_t place = 0;
    for (int32_t d = npy->shape.rank; d-- > 0;) {
        strides[d] = stride;
        stride *= (uint64_t)npy->shape.dims[d];
    }
    for (uint64_t i = 0; i < npy->element_count; i++) {
        memcpy(to + place * size, npy->data.data + i * size, size);
        step_fortran(&npy->shape, strides, index, &place);
    }
}

void tacho_npy_copy(const tacho_npy *npy, void *to)
{
    size_t size = tacho_dtype_element_bytes(npy->dtype);
    if (npy->is_fortran) {
        copy_fortran(npy, size, to);
    } else if (npy->data.len > 0) {
        memcpy(to, npy->data.data, npy->data.len);
    }
    /* A complex number is two. */
    size_t part = npy->dtype == TACHO_DTYPE_C64 ? size / 2 : size;
    for (size_t at = 0; npy->is_big_endian && at + part <= npy->data.len; at += part) {
        turn_round((unsigned char *)to + at, part);
    }
}

static const char *find_letters(tacho_dtype dtype)
{
    for (size_t i = 0; i < sizeof(type_words) / sizeof(type_words[0]); i++) {
        if (type_words[i].dtype == dtype) {
            return type_words[i].letters;
        }
    }
    return NULL;
}

/* "(2, 3)", with a comma after a single dimension. */
static size_t print_shape(const tacho_shape *shape, char *to, size_t room)
{
    size_t used = (size_t)snprintf(to, room, "(");
    for (int32_t d = 0; d < shape->rank; d++) {
        used += (size_t)snprintf(to + used, room - used, "%s%lld", d > 0 ? ", " : "",
                                 (long long)shape->dims[d]);
    }
    used += (size_t)snprintf(to + used, room - used, "%s", shape->rank == 1 ? ",)" : ")");
    return used;
}

tacho_status tacho_npy_write(const tacho_array *array, tacho_output *output)
{
    const char *letters = find_letters(array->dtype);
    uint64_t count = 0;
    uint64_t bytes = 0;
    if (letters == NULL || !tacho_shape_elements(&array->shape, &count) ||
        !tacho_dtype_bytes(array->dtype, count, &bytes)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "NumPy has no type for elements of %s",
                          tacho_dtype_name(array->dtype));
    }
    char text[TACHO_SHAPE_TEXT_MAX + 256];
    bool has_order = tacho_dtype_element_bytes(array->dtype) > 1;
    size_t used = (size_t)snprintf(
        text, sizeof(text),
        "{'descr': '%c%s', 'fortran_order': False, 'shape': ", has_order ? '<' : '|', letters);
    used += print_shape(&array->shape, text + used, sizeof(text) - used);
    used += (size_t)snprintf(text + used, sizeof(text) - used, ", }");
    size_t start = MAGIC_BYTES + 2;
    size_t padded = (start + used + 1 + HEADER_ALIGN - 1) / HEADER_ALIGN * HEADER_ALIGN - start;
    unsigned char size[2] = {(unsigned char)padded, (unsigned char)(padded >> 8)};
    tacho_output_write(output, magic, sizeof(magic) - 1);
    tacho_output_write(output, "\x01", 2); /* 1.0 */
    tacho_output_write(output, size, sizeof(size));
    tacho_output_write(output, text, used);
    for (; used + 1 < padded; used++) {
        tacho_output_write(output, " ", 1);
    }
    tacho_output_write(output, "\n", 1);
    tacho_output_write(output, array->data, (size_t)bytes);
    return TACHO_OK;
}
