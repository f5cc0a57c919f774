/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locations as MLIR prints them. A tree in preorder is printed from its first node to its last;
 * |open| holds the nodes whose closing brackets are missing.
 */
#include "base/decimal.h"
#include "base/grow.h"
#include "codec/mlir_location.h"

#include <stdlib.h>

/* A text that grows, and the nodes whose brackets are open. */
typedef struct printer {
    char *text;
    size_t len;
    size_t capacity;
    uint32_t *open;
    size_t open_count;
    size_t open_capacity;
} printer;

static tacho_status print_text(printer *out, tacho_str text)
{
    TACHO_TRY(tacho_grow(&out->text, &out->capacity, out->len + text.len));
    if (text.len > 0) {
        memcpy(out->text + out->len, text.data, text.len);
    }
    out->len += text.len;
    return TACHO_OK;
}

/* As MLIR does: a backslash is doubled; quotes and bytes that are not ASCII text become \HH. */
static tacho_status print_string(printer *out, tacho_str text)
{
    static const char digits[] = "0123456789ABCDEF";
    TACHO_TRY(tacho_grow(&out->text, &out->capacity, out->len + 3 * text.len + 2));
    char *at = out->text + out->len;
    *at++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '\\') {
            *at++ = '\\';
            *at++ = '\\';
        } else if (byte >= ' ' && byte <= '~' && byte != '"') {
            *at++ = (char)byte;
        } else {
            *at++ = '\\';
            *at++ = digits[byte >> 4];
            *at++ = digits[byte & 15];
        }
    }
    *at++ = '"';
    out->len = (size_t)(at - out->text);
    return TACHO_OK;
}

static tacho_status print_number(printer *out, const char *before, uint32_t number)
{
    char digits[TACHO_DECIMAL_MAX];
    char *end = tacho_decimal_put(digits, number);
    TACHO_TRY(print_text(out, tacho_str_from_cstring(before)));
    return print_text(out, tacho_str_make(digits, (size_t)(end - digits)));
}

static tacho_status print_file(printer *out, const tacho_mlir_location_node *node)
{
    TACHO_TRY(print_string(out, node->text));
    TACHO_TRY(print_number(out, ":", node->line));
    TACHO_TRY(print_number(out, ":", node->column));
    bool is_one_line = node->end_line == node->line || node->end_line == 0;
    if (is_one_line && (node->end_column == node->column || node->end_column == 0)) {
        return TACHO_OK;
    }
    TACHO_TRY(print_text(out, TACHO_STR(" to ")));
    if (!is_one_line) {
        TACHO_TRY(print_number(out, "", node->end_line));
    }
    return print_number(out, ":", node->end_column);
}

/* Prints the text before the children of |node|, or the whole of a leaf. */
static tacho_status print_head(printer *out, const tacho_mlir_location_node *node,
                               bool has_children)
{
    switch (node->kind) {
    case TACHO_MLIR_LOCATION_UNKNOWN:
        return print_text(out, TACHO_STR("unknown"));
    case TACHO_MLIR_LOCATION_FILE:
        return print_file(out, node);
    case TACHO_MLIR_LOCATION_NAME:
        TACHO_TRY(print_string(out, node->text));
        return print_text(out, has_children ? TACHO_STR("(") : TACHO_STR(""));
    case TACHO_MLIR_LOCATION_FUSED:
        TACHO_TRY(print_text(out, TACHO_STR("fused")));
        if (node->text.len > 0) {
            TACHO_TRY(print_text(out, TACHO_STR("<")));
            TACHO_TRY(print_text(out, node->text));
            TACHO_TRY(print_text(out, TACHO_STR(">")));
        }
        return print_text(out, has_children ? TACHO_STR("[") : TACHO_STR("[]"));
    case TACHO_MLIR_LOCATION_CALLSITE:
        return print_text(out, TACHO_STR("callsite("));
    case TACHO_MLIR_LOCATION_ALIAS:
        return print_text(out, node->text);
    }
    return TACHO_OK;
}

/* A name with an unknown child is printed as if it had none. */
static bool is_bare_name(const tacho_mlir_location *location, uint32_t at)
{
    return location->nodes[at].kind == TACHO_MLIR_LOCATION_NAME &&
           location->nodes[at].subtree_end == at + 2 &&
           location->nodes[at + 1].kind == TACHO_MLIR_LOCATION_UNKNOWN;
}

/* Closes the brackets of nodes that end before node |next|; one that continues gets a separator. */
static tacho_status print_ends(printer *out, const tacho_mlir_location *location, uint32_t next)
{
    for (; out->open_count > 0; out->open_count--) {
        const tacho_mlir_location_node *around = &location->nodes[out->open[out->open_count - 1]];
        bool is_fused = around->kind == TACHO_MLIR_LOCATION_FUSED;
        if (around->subtree_end > next) {
            return print_text(out, is_fused ? TACHO_STR(", ") : TACHO_STR(" at "));
        }
        TACHO_TRY(print_text(out, is_fused ? TACHO_STR("]") : TACHO_STR(")")));
    }
    return TACHO_OK;
}

static tacho_status print_tree(printer *out, const tacho_mlir_location *location)
{
    for (uint32_t i = 0; i < location->node_count;) {
        const tacho_mlir_location_node *node = &location->nodes[i];
        bool is_leaf = node->subtree_end == i + 1 || is_bare_name(location, i);
        TACHO_TRY(print_head(out, node, !is_leaf));
        if (is_leaf) {
            i = node->subtree_end;
            TACHO_TRY(print_ends(out, location, i));
            continue;
        }
        TACHO_TRY(tacho_grow(&out->open, &out->open_capacity, out->open_count + 1));
        out->open[out->open_count++] = i++;
    }
    return TACHO_OK;
}

tacho_status tacho_mlir_location_print(const tacho_mlir_location *location, tacho_arena *arena,
                                       tacho_str *out_text)
{
    printer out = {0};
    tacho_status status = print_tree(&out, location);
    if (status == TACHO_OK) {
        status = tacho_arena_copy(arena, tacho_str_make(out.text, out.len), out_text);
    }
    free(out.text);
    free(out.open);
    return status;
}
