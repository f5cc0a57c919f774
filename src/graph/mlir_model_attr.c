/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes of MLIR operations as attributes of nodes: truth values are integers, symbols,
 * types and words of enumerations (#tosa.rounding_mode<SINGLE_ROUND>, or just SINGLE_ROUND) texts.
 */
#include "graph/mlir_model.h"

#include "codec/mlir_lexer.h"

/* Texts repeat from node to node, so they are interned. */
static tacho_status keep_text(tacho_mlir_import *self, tacho_str text, tacho_str *out_text)
{
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->graph->strings, text, &id));
    *out_text = tacho_graph_string(self->graph, id);
    return TACHO_OK;
}

static tacho_status set_text(tacho_mlir_import *self, tacho_str text, tacho_attr *attr)
{
    attr->kind = TACHO_ATTR_TEXT;
    return keep_text(self, text, &attr->value.as_text);
}

static tacho_status set_ints(tacho_mlir_import *self, const tacho_mlir_attr *from, tacho_attr *attr)
{
    void *memory = NULL;
    if (from->int_count > UINT32_MAX) {
        attr->kind = TACHO_ATTR_OTHER;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_import_alloc(self, from->int_count * sizeof(*from->ints), &memory));
    if (from->int_count > 0) {
        memcpy(memory, from->ints, from->int_count * sizeof(*from->ints));
    }
    attr->kind = TACHO_ATTR_INTS;
    attr->count = (uint32_t)from->int_count;
    attr->value.as_ints = memory;
    return TACHO_OK;
}

/* "1.5 : f32" or "1.5". */
static bool parse_typed_real(tacho_str text, double *out_value)
{
    size_t colon = tacho_str_find_byte(text, ':');
    tacho_str number = tacho_str_trim(tacho_str_make(text.data, colon));
    tacho_mlir_type type = {.dtype = TACHO_DTYPE_F64};
    if (colon < text.len &&
        tacho_mlir_type_parse(tacho_str_trim(tacho_str_from(text, colon + 1)), &type) != NULL) {
        return false;
    }
    return tacho_mlir_real_parse(number, type.dtype, out_value);
}

/* The next item of "a, b]", |*at| after its comma; false after the last or when it is odd. */
static bool next_item(tacho_str text, size_t *at, tacho_str *out_item)
{
    size_t start = tacho_mlir_skip_blanks(text, *at);
    size_t end = start;
    if (start < text.len && text.data[start] == '"') {
        end = tacho_mlir_skip_string(text, start);
    }
    while (end < text.len && text.data[end] != ',' && text.data[end] != ']') {
        end++;
    }
    *out_item = tacho_str_trim(tacho_str_make(text.data + start, end - start));
    *at = end + 1;
    return end < text.len && out_item->len > 0;
}

typedef struct item_list {
    double *reals;
    tacho_str *texts;
    size_t count;
} item_list;

/* Whether each item of a list is a real, or each is a text. */
static tacho_status take_items(tacho_mlir_import *self, tacho_str text, item_list *list,
                               tacho_attr_kind *out_kind)
{
    bool are_reals = true;
    bool are_texts = true;
    size_t at = 1;
    tacho_str item;
    while (next_item(text, &at, &item)) {
        double real = 0;
        bool is_text = item.len >= 2 && item.data[0] == '"' && item.data[item.len - 1] == '"';
        are_texts = are_texts && is_text;
        are_reals = are_reals && !is_text && parse_typed_real(item, &real);
        list->reals[list->count] = real;
        if (is_text) {
            item = tacho_str_make(item.data + 1, item.len - 2);
            TACHO_TRY(keep_text(self, item, &list->texts[list->count]));
        }
        list->count++;
    }
    bool is_whole = at >= text.len && list->count > 0;
    *out_kind = !is_whole   ? TACHO_ATTR_OTHER
                : are_reals ? TACHO_ATTR_REALS
                : are_texts ? TACHO_ATTR_TEXTS
                            : TACHO_ATTR_OTHER;
    return TACHO_OK;
}

/* [1.0 : f32, 2.0 : f32] or ["a", "b"]. */
static tacho_status set_list(tacho_mlir_import *self, tacho_str text, tacho_attr *attr)
{
    item_list list = {0};
    void *memory = NULL;
    size_t most = 1;
    for (size_t i = 0; i < text.len; i++) {
        most += text.data[i] == ',';
    }
    if (most > UINT32_MAX) {
        attr->kind = TACHO_ATTR_OTHER;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_import_alloc(self, most * sizeof(*list.reals), &memory));
    list.reals = memory;
    TACHO_TRY(tacho_mlir_import_alloc(self, most * sizeof(*list.texts), &memory));
    list.texts = memory;
    TACHO_TRY(take_items(self, text, &list, &attr->kind));
    attr->count = (uint32_t)list.count;
    if (attr->kind == TACHO_ATTR_REALS) {
        attr->value.as_reals = list.reals;
    } else if (attr->kind == TACHO_ATTR_TEXTS) {
        attr->value.as_texts = list.texts;
    } else {
        attr->count = 0;
    }
    return TACHO_OK;
}

/* The word of #dialect.kind<WORD>, or |text| itself. */
static tacho_str enumeration_word(tacho_str text)
{
    size_t open = tacho_str_find_byte(text, '<');
    bool is_one = text.data[0] == '#' && open < text.len && text.data[text.len - 1] == '>';
    tacho_str word = is_one ? tacho_str_make(text.data + open + 1, text.len - open - 2) : text;
    bool is_word = word.len > 0 && tacho_mlir_skip_word(word, 0) == word.len;
    return is_word ? word : text;
}

static tacho_status convert_text(tacho_mlir_import *self, tacho_str text, tacho_attr *attr)
{
    enum { TEXT_MAX = 65536 }; /* a node cannot use longer ones */
    double real = 0;
    if (text.len == 0 || text.len > TEXT_MAX) {
        attr->kind = TACHO_ATTR_OTHER;
        return TACHO_OK;
    }
    if (text.data[0] == '[') {
        return set_list(self, text, attr);
    }
    if (parse_typed_real(text, &real)) {
        attr->kind = TACHO_ATTR_REAL;
        attr->value.as_real = real;
        return TACHO_OK;
    }
    return set_text(self, enumeration_word(text), attr);
}

tacho_status tacho_mlir_attr_convert(tacho_mlir_import *self, const tacho_mlir_attr *attr,
                                     tacho_str name, tacho_attr *out_attr)
{
    *out_attr = (tacho_attr){.kind = TACHO_ATTR_OTHER};
    TACHO_TRY(keep_text(self, name, &out_attr->name));
    switch (attr->kind) {
    case TACHO_MLIR_ATTR_UNIT:
        out_attr->kind = TACHO_ATTR_INT;
        out_attr->value.as_int = 1;
        break;
    case TACHO_MLIR_ATTR_BOOL:
    case TACHO_MLIR_ATTR_INT:
        out_attr->kind = TACHO_ATTR_INT;
        out_attr->value.as_int = attr->as_int;
        break;
    case TACHO_MLIR_ATTR_STRING:
    case TACHO_MLIR_ATTR_SYMBOL:
        return set_text(self, attr->text, out_attr);
    case TACHO_MLIR_ATTR_INTS:
        return set_ints(self, attr, out_attr);
    case TACHO_MLIR_ATTR_TEXT:
        return convert_text(self, attr->text, out_attr);
    case TACHO_MLIR_ATTR_UNKNOWN:
        break;
    }
    return TACHO_OK;
}
