/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of constants, in the forms that MLIR has for them:
 *
 *     dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>      numbers, brackets as the shape nests
 *     dense<0.5> : tensor<512x512xbf16>             one for all
 *     dense<"0x0011..."> : tensor<4096xi16>         bytes in hexadecimal
 *     dense_resource<weight> : tensor<8x8xf32>      bytes elsewhere in the file, or nowhere
 *
 * and, from bytecode, bytes that are borrowed from the file. Elements that are all the same become
 * a splat, as MLIR itself does, so that all forms of a file give the same graph.
 */
#include "graph/mlir_model.h"

#include "codec/mlir_lexer.h"
#include "codec/mlir_text.h"

#include <inttypes.h>
#include <stdlib.h>

/* One attribute on its way to a constant. */
typedef struct elements {
    tacho_mlir_import *import;
    const tacho_mlir_op *op;
    tacho_mlir_type type;
    uint64_t count; /* of elements */
    size_t size;    /* bytes of one, in MLIR's form */
} elements;

/* ---- the parts of the text ---- */

/* The end of the text after "dense<": the '>'. */
static size_t body_end(tacho_str text, size_t start)
{
    size_t at = start;
    if (at < text.len && text.data[at] == '"') {
        at = tacho_mlir_skip_string(text, at);
    }
    return at + tacho_str_find_byte(tacho_str_from(text, at), '>');
}

/* "dense<body> : type" in its parts; a type that is not there is empty. */
static bool split(tacho_str text, tacho_str prefix, tacho_str *out_body, tacho_str *out_type)
{
    if (!tacho_str_starts_with(text, prefix)) {
        return false;
    }
    size_t end = body_end(text, prefix.len);
    if (end >= text.len) {
        return false;
    }
    *out_body = tacho_str_make(text.data + prefix.len, end - prefix.len);
    tacho_str rest = tacho_str_trim(tacho_str_from(text, end + 1));
    bool has_type = rest.len > 0 && rest.data[0] == ':';
    *out_type = has_type ? tacho_str_trim(tacho_str_from(rest, 1)) : TACHO_STR("");
    return has_type || rest.len == 0;
}

/* "1.5 : f32" in its parts. */
static void split_scalar(tacho_str text, tacho_str *out_body, tacho_str *out_type)
{
    size_t colon = tacho_str_find_byte(text, ':');
    *out_body = tacho_str_trim(tacho_str_make(text.data, colon));
    *out_type = colon < text.len ? tacho_str_trim(tacho_str_from(text, colon + 1)) : TACHO_STR("");
}

static const tacho_str dense_prefix = TACHO_STR_INIT("dense<");
static const tacho_str resource_prefix = TACHO_STR_INIT("dense_resource<");

bool tacho_mlir_is_elements(const tacho_mlir_attr *attr)
{
    return attr->kind == TACHO_MLIR_ATTR_TEXT &&
           (tacho_str_starts_with(attr->text, dense_prefix) ||
            tacho_str_starts_with(attr->text, resource_prefix));
}

tacho_status tacho_mlir_constant_type(const tacho_mlir_import *self, const tacho_mlir_op *op,
                                      const tacho_mlir_attr *attr, const tacho_mlir_type *declared,
                                      tacho_mlir_type *out_type)
{
    tacho_str body;
    tacho_str text = TACHO_STR("");
    *out_type = *declared;
    if (attr->kind != TACHO_MLIR_ATTR_TEXT) {
        return TACHO_OK;
    }
    if (!split(attr->text, resource_prefix, &body, &text) &&
        !split(attr->text, dense_prefix, &body, &text)) {
        split_scalar(attr->text, &body, &text);
    }
    if (text.len == 0) {
        return TACHO_OK;
    }
    const char *problem = tacho_mlir_type_parse(text, out_type);
    if (problem == NULL && out_type->dtype == TACHO_DTYPE_NONE) {
        problem = "expected a tensor";
    }
    return problem == NULL ? TACHO_OK
                           : tacho_mlir_import_fail(self, op, "its constant has the type %.*s: %s",
                                                    TACHO_STR_ARG(text), problem);
}

/* ---- elements in memory to a constant ---- */

static bool are_equal(const unsigned char *bytes, const elements *all)
{
    size_t total = (size_t)all->count * all->size;
    return memcmp(bytes, bytes + all->size, total - all->size) == 0;
}

static bool is_packed(tacho_dtype dtype)
{
    return dtype == TACHO_DTYPE_I4 || dtype == TACHO_DTYPE_U4;
}

/* Two elements to a byte, the first in the low half; in place. */
static void pack(unsigned char *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i += 2) {
        unsigned high = i + 1 < count ? bytes[i + 1] & 15U : 0;
        bytes[i / 2] = (unsigned char)((bytes[i] & 15U) | high << 4);
    }
}

static void set_splat(const unsigned char *element, size_t size, tacho_constant *out_constant)
{
    *out_constant = (tacho_constant){.kind = TACHO_CONSTANT_SPLAT};
    memcpy(out_constant->splat, element, size);
}

/* |bytes| are |count| elements in MLIR's form, and may be changed. */
static void make_constant(const elements *all, unsigned char *bytes, tacho_constant *out_constant)
{
    if (all->count > 0 && are_equal(bytes, all)) {
        set_splat(bytes, all->size, out_constant);
        return;
    }
    if (is_packed(all->type.dtype)) {
        pack(bytes, all->count);
    }
    *out_constant = (tacho_constant){.kind = TACHO_CONSTANT_BYTES, .bytes = bytes};
}

static tacho_status fail_type(const elements *all, const char *what, tacho_str text)
{
    enum { SHOWN_MAX = 40 };
    char shape[TACHO_SHAPE_TEXT_MAX];
    return tacho_mlir_import_fail(all->import, all->op,
                                  "expected %s for a constant of %s %s, found '%.*s'", what,
                                  tacho_shape_print(&all->type.shape, shape, sizeof(shape)),
                                  tacho_dtype_name(all->type.dtype),
                                  text.len < SHOWN_MAX ? (int)text.len : SHOWN_MAX, text.data);
}

static tacho_status alloc_elements(const elements *all, unsigned char **out_bytes)
{
    void *memory = NULL;
    size_t total = 0;
    if (__builtin_mul_overflow((size_t)all->count, all->size, &total)) {
        return fail_type(all, "fewer elements", TACHO_STR(""));
    }
    TACHO_TRY(tacho_mlir_import_alloc(all->import, total, &memory));
    *out_bytes = memory;
    return TACHO_OK;
}

/* ---- numbers in brackets ---- */

typedef struct list_cursor {
    const elements *all;
    tacho_str body;
    size_t at;
    uint64_t done; /* elements */
    int32_t depth;
    int64_t counts[TACHO_RANK_MAX]; /* by depth: items in the open bracket so far */
    bool after_value;               /* or after a bracket that closed */
    unsigned char *bytes;
} list_cursor;

static bool close_bracket(list_cursor *self)
{
    const tacho_shape *shape = &self->all->type.shape;
    if (self->depth == 0 || self->counts[self->depth - 1] != shape->dims[self->depth - 1]) {
        return false;
    }
    self->depth--;
    if (self->depth > 0) {
        self->counts[self->depth - 1]++;
    }
    self->after_value = true;
    return true;
}

static bool open_bracket(list_cursor *self)
{
    if (self->after_value || self->depth == self->all->type.shape.rank) {
        return false;
    }
    self->counts[self->depth++] = 0;
    return true;
}

static bool take_element(list_cursor *self)
{
    const elements *all = self->all;
    size_t start = self->at;
    bool is_complex = self->body.data[start] == '(';
    size_t end = start;
    while (end < self->body.len && self->body.data[end] != ']' && self->body.data[end] != '\n' &&
           (is_complex || (self->body.data[end] != ',' && self->body.data[end] != ' '))) {
        end++;
        if (is_complex && self->body.data[end - 1] == ')') {
            break;
        }
    }
    unsigned char element[16];
    tacho_str text = tacho_str_make(self->body.data + start, end - start);
    if (self->after_value || self->depth != all->type.shape.rank || self->depth == 0 ||
        self->done == all->count || !tacho_mlir_element_parse(text, all->type.dtype, element)) {
        return false;
    }
    memcpy(self->bytes + self->done * all->size, element, all->size);
    self->done++;
    self->counts[self->depth - 1]++;
    self->after_value = true;
    self->at = end;
    return true;
}

static bool take_list_token(list_cursor *self)
{
    switch (self->body.data[self->at]) {
    case ' ':
    case '\n':
    case '\t':
    case '\r':
        self->at++;
        return true;
    case '[':
        self->at++;
        return open_bracket(self);
    case ']':
        self->at++;
        return close_bracket(self);
    case ',':
        self->at++;
        if (!self->after_value || self->depth == 0) {
            return false;
        }
        self->after_value = false;
        return true;
    default:
        return take_element(self);
    }
}

static tacho_status read_list(const elements *all, tacho_str body, tacho_constant *out_constant)
{
    list_cursor self = {.all = all, .body = body};
    /* Each element takes a byte at least, so a short text cannot ask for much memory. */
    if (all->count > body.len) {
        return fail_type(all, "as many numbers as its shape has", body);
    }
    TACHO_TRY(alloc_elements(all, &self.bytes));
    while (self.at < body.len) {
        size_t start = self.at;
        if (!take_list_token(&self)) {
            return fail_type(all, "numbers in brackets as its shape nests",
                             tacho_str_from(body, start));
        }
    }
    if (self.depth > 0 || self.done != all->count) {
        return fail_type(all, "as many numbers as its shape has", body);
    }
    make_constant(all, self.bytes, out_constant);
    return TACHO_OK;
}

/* The integers that the codec has read already. */
static tacho_status read_ints(const elements *all, const tacho_mlir_attr *attr,
                              tacho_constant *out_constant)
{
    unsigned char *bytes = NULL;
    if (attr->int_count != all->count) {
        return fail_type(all, "as many numbers as its shape has", TACHO_STR("a list"));
    }
    TACHO_TRY(alloc_elements(all, &bytes));
    for (size_t i = 0; i < attr->int_count; i++) {
        unsigned char element[16] = {0};
        if (!tacho_mlir_element_from_int(attr->ints[i], all->type.dtype, element)) {
            return tacho_mlir_import_fail(all->import, all->op, "%" PRId64 " is not a valid %s",
                                          attr->ints[i], tacho_dtype_name(all->type.dtype));
        }
        memcpy(bytes + i * all->size, element, all->size);
    }
    make_constant(all, bytes, out_constant);
    return TACHO_OK;
}

/* ---- bytes ---- */

/* The value of a hexadecimal digit; 16 for any other byte. */
static unsigned hex_value(char digit)
{
    char lower = (char)(digit | 0x20);
    if (digit >= '0' && digit <= '9') {
        return (unsigned)(digit - '0');
    }
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

static tacho_status decode_hex(const elements *all, tacho_str digits, tacho_str *out_bytes)
{
    void *memory = NULL;
    TACHO_TRY(tacho_mlir_import_alloc(all->import, digits.len / 2, &memory));
    char *bytes = memory;
    bool is_good = digits.len % 2 == 0;
    for (size_t i = 0; is_good && i < digits.len; i += 2) {
        unsigned high = hex_value(digits.data[i]);
        unsigned low = hex_value(digits.data[i + 1]);
        is_good = high < 16 && low < 16;
        bytes[i / 2] = (char)((high << 4 | low) & 255U);
    }
    *out_bytes = tacho_str_make(bytes, digits.len / 2);
    return is_good ? TACHO_OK : fail_type(all, "pairs of hexadecimal digits", digits);
}

static tacho_status fail_size(const elements *all, size_t len)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    return tacho_mlir_import_fail(all->import, all->op,
                                  "a constant of %s %s has %" PRIu64
                                  " elements, which %zu bytes are not",
                                  tacho_shape_print(&all->type.shape, shape, sizeof(shape)),
                                  tacho_dtype_name(all->type.dtype), all->count, len);
}

/* Flags: one bit or one byte each, or one byte for all. */
static tacho_status read_flags(const elements *all, tacho_str raw, tacho_constant *out_constant)
{
    const unsigned char *from = (const unsigned char *)raw.data;
    bool is_bits = raw.len == all->count / 8 + (all->count % 8 != 0) && raw.len != all->count;
    bool is_one = raw.len == 1 && (from[0] == 0 || from[0] == 0xff);
    if (is_one) {
        unsigned char element = from[0] != 0;
        set_splat(&element, 1, out_constant);
        return TACHO_OK;
    }
    if (!is_bits && raw.len != all->count) {
        return fail_size(all, raw.len);
    }
    unsigned char *bytes = NULL;
    TACHO_TRY(alloc_elements(all, &bytes));
    for (size_t i = 0; i < all->count; i++) {
        bytes[i] = is_bits ? from[i / 8] >> (i % 8) & 1 : from[i] != 0;
    }
    make_constant(all, bytes, out_constant);
    return TACHO_OK;
}

/*
 * Elements in MLIR's form. |raw| lives as long as the graph. Bytes of a resource are kept, even if
 * they are all the same.
 */
static tacho_status read_raw(const elements *all, tacho_str raw, bool is_resource,
                             tacho_constant *out_constant)
{
    const unsigned char *bytes = (const unsigned char *)raw.data;
    bool is_one = raw.len == all->size && all->count != 1;
    uint64_t total = 0;
    if (all->type.dtype == TACHO_DTYPE_BOOL) {
        return read_flags(all, raw, out_constant);
    }
    if (is_one && all->count > 0) {
        set_splat(bytes, all->size, out_constant);
        return TACHO_OK;
    }
    bool has_all =
        !__builtin_mul_overflow(all->count, (uint64_t)all->size, &total) && total == raw.len;
    if (has_all && is_packed(all->type.dtype)) {
        unsigned char *copy = NULL;
        TACHO_TRY(alloc_elements(all, &copy));
        memcpy(copy, bytes, raw.len);
        for (size_t i = 0; i < raw.len; i++) {
            copy[i] &= 15;
        }
        make_constant(all, copy, out_constant);
        return TACHO_OK;
    }
    bool is_packed_already =
        is_packed(all->type.dtype) && raw.len == all->count / 2 + all->count % 2;
    if (!has_all && !is_packed_already) {
        return fail_size(all, raw.len);
    }
    if (has_all && !is_resource && all->count > 0 && are_equal(bytes, all)) {
        set_splat(bytes, all->size, out_constant);
        return TACHO_OK;
    }
    *out_constant = (tacho_constant){.kind = TACHO_CONSTANT_BYTES, .bytes = bytes};
    return TACHO_OK;
}

/* ---- bytes elsewhere ---- */

/*
 * The replacement for absent values: integers, which may be indexes, are zeros. |key| is that of a
 * resource, or empty.
 */
static tacho_status set_absent(const elements *all, tacho_str key, tacho_constant *out_constant)
{
    const tacho_mlir_import *import = all->import;
    bool is_random = tacho_dtype_kind_of(all->type.dtype) == TACHO_DTYPE_REAL &&
                     !import->options->has_zero_weights;
    uint64_t number = import->graph->constant_count + 1;
    *out_constant = (tacho_constant){.kind = TACHO_CONSTANT_SPLAT};
    if (is_random) {
        *out_constant =
            (tacho_constant){.kind = TACHO_CONSTANT_RANDOM,
                             .seed = import->options->seed + number * 0x9e3779b97f4a7c15U};
    }
    if (key.len == 0 || tacho_str_equal(key, TACHO_STR("__elided__"))) {
        TACHO_TRY(tacho_mlir_module_location(&import->module, all->op->location,
                                             &import->graph->arena, &key));
    }
    return tacho_graph_add_absent(import->graph, key, TACHO_STR(""),
                                  is_random ? TACHO_STAND_IN_RANDOM : TACHO_STAND_IN_ZEROS);
}

static const tacho_mlir_blob *find_resource(const tacho_mlir_import *import, tacho_str key)
{
    uint32_t hash = tacho_index_hash(&import->lookup, key);
    size_t at = tacho_index_begin(&import->lookup, hash);
    for (uint32_t id; (id = tacho_index_next(&import->lookup, hash, &at)) != TACHO_NONE;) {
        if (tacho_str_equal(import->module.resources[id].key, key)) {
            return &import->module.resources[id];
        }
    }
    return NULL;
}

static tacho_status index_resources(tacho_mlir_import *import)
{
    tacho_mlir_module *module = &import->module;
    import->has_resources = true;
    if (!tacho_mlir_is_bytecode(import->bytes)) {
        TACHO_TRY(tacho_mlir_text_read_resources(import->path, import->bytes, module));
    }
    for (size_t i = 0; i < module->resource_count && i < TACHO_NONE; i++) {
        tacho_str key = module->resources[i].key;
        if (find_resource(import, key) == NULL) {
            uint32_t hash = tacho_index_hash(&import->lookup, key);
            TACHO_TRY(tacho_index_add(&import->lookup, hash, (uint32_t)i));
        }
    }
    return TACHO_OK;
}

static tacho_status read_resource(const elements *all, tacho_str key, tacho_constant *out_constant)
{
    enum { HEADER_BYTES = 4 }; /* the alignment that a text has before the bytes */
    tacho_mlir_import *import = all->import;
    if (!import->has_resources) {
        TACHO_TRY(index_resources(import));
    }
    if (key.len >= 2 && key.data[0] == '"') {
        key = tacho_str_make(key.data + 1, key.len - 2);
    }
    const tacho_mlir_blob *blob = find_resource(import, key);
    if (blob == NULL) {
        return set_absent(all, key, out_constant);
    }
    tacho_str raw = blob->bytes;
    if (blob->is_hex) {
        TACHO_TRY(decode_hex(all, blob->bytes, &raw));
        if (raw.len < HEADER_BYTES) {
            return fail_type(all, "an alignment of 4 bytes before the bytes of a resource", key);
        }
        raw = tacho_str_from(raw, HEADER_BYTES);
    }
    return read_raw(all, raw, true, out_constant);
}

static int compare_places(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const tacho_mlir_blob *)a)->key.data;
    uintptr_t right = (uintptr_t)((const tacho_mlir_blob *)b)->key.data;
    return (left > right) - (left < right);
}

/* The bytes of "dense<...>" in bytecode, or NULL. */
static const tacho_mlir_blob *find_dense(tacho_mlir_import *import, tacho_str text)
{
    tacho_mlir_module *module = &import->module;
    tacho_mlir_blob wanted = {.key = text};
    if (module->dense_blob_count == 0) {
        return NULL;
    }
    if (!import->has_sorted_blobs) {
        qsort(module->dense_blobs, module->dense_blob_count, sizeof(wanted), compare_places);
        import->has_sorted_blobs = true;
    }
    return bsearch(&wanted, module->dense_blobs, module->dense_blob_count, sizeof(wanted),
                   compare_places);
}

/* ---- any ---- */

static tacho_status read_splat(const elements *all, tacho_str body, tacho_constant *out_constant)
{
    unsigned char element[16];
    if (!tacho_mlir_element_parse(tacho_str_trim(body), all->type.dtype, element)) {
        return fail_type(all, "a number", body);
    }
    set_splat(element, all->size, out_constant);
    return TACHO_OK;
}

static tacho_status read_dense(const elements *all, const tacho_mlir_attr *attr, tacho_str body,
                               tacho_constant *out_constant)
{
    tacho_str raw;
    const tacho_mlir_blob *blob = NULL;
    if (tacho_str_equal(body, TACHO_STR("..."))) {
        blob = find_dense(all->import, attr->text);
    }
    if (blob != NULL) {
        return read_raw(all, blob->bytes, false, out_constant);
    }
    bool is_left_out =
        tacho_str_equal(body, TACHO_STR("...")) || tacho_str_equal(body, TACHO_STR("__elided__"));
    if (is_left_out) {
        return set_absent(all, TACHO_STR(""), out_constant);
    }
    if (tacho_str_starts_with(body, TACHO_STR("\"0x")) && body.len >= 4) {
        TACHO_TRY(decode_hex(all, tacho_str_make(body.data + 3, body.len - 4), &raw));
        return read_raw(all, raw, false, out_constant);
    }
    bool is_list = body.len == 0 || body.data[0] == '[';
    if (is_list || all->count == 0) {
        return read_list(all, is_list ? body : TACHO_STR(""), out_constant);
    }
    return read_splat(all, body, out_constant);
}

static tacho_status read_text(const elements *all, const tacho_mlir_attr *attr,
                              tacho_constant *out_constant)
{
    tacho_str body;
    tacho_str type;
    if (split(attr->text, resource_prefix, &body, &type)) {
        return read_resource(all, body, out_constant);
    }
    if (split(attr->text, dense_prefix, &body, &type)) {
        return read_dense(all, attr, body, out_constant);
    }
    split_scalar(attr->text, &body, &type);
    return read_splat(all, body, out_constant);
}

tacho_status tacho_mlir_constant_read(tacho_mlir_import *self, const tacho_mlir_op *op,
                                      const tacho_mlir_attr *attr, const tacho_mlir_type *type,
                                      tacho_constant *out_constant)
{
    elements all = {.import = self, .op = op, .type = *type};
    all.size = tacho_mlir_element_bytes(type->dtype);
    if (!tacho_shape_elements(&type->shape, &all.count) || all.size == 0) {
        return fail_type(&all, "known dimensions and an element type", TACHO_STR(""));
    }
    unsigned char element[16] = {0};
    switch (attr->kind) {
    case TACHO_MLIR_ATTR_INTS:
        return read_ints(&all, attr, out_constant);
    case TACHO_MLIR_ATTR_TEXT:
        return read_text(&all, attr, out_constant);
    case TACHO_MLIR_ATTR_INT:
    case TACHO_MLIR_ATTR_BOOL:
        if (tacho_mlir_element_from_int(attr->as_int, type->dtype, element)) {
            set_splat(element, all.size, out_constant);
            return TACHO_OK;
        }
        break;
    case TACHO_MLIR_ATTR_UNIT:
    case TACHO_MLIR_ATTR_STRING:
    case TACHO_MLIR_ATTR_SYMBOL:
    case TACHO_MLIR_ATTR_UNKNOWN:
        break;
    }
    return fail_type(&all, "dense<...> or dense_resource<...>", TACHO_STR("another attribute"));
}
