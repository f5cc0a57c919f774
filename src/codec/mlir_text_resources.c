/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resources at the end of an MLIR text, which attributes name as dense_resource<key>:
 *
 *     {-#
 *       dialect_resources: {
 *         builtin: { weight: "0x080000000000803F", "odd key": "0x..." }
 *       }
 *     #-}
 *
 * Braces nest three deep: kinds of resources, dialects, keys. Anything deeper or in other kinds is
 * passed over.
 */
#include "codec/mlir_text.h"

#include "base/grow.h"
#include "codec/mlir_lexer.h"

#include <inttypes.h>

typedef struct metadata {
    const char *name;
    tacho_str text;
    tacho_mlir_lexer lexer; /* over the contents of the braces */
    size_t start;           /* of that, in |text| */
    tacho_mlir_module *module;
} metadata;

static tacho_status fail_at(const metadata *self, size_t at, const char *expected)
{
    uint64_t line = 1;
    for (size_t i = 0; i < at; i++) {
        line += self->text.data[i] == '\n';
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s:%" PRIu64 ": expected %s", self->name, line,
                      expected);
}

static size_t skip_line(tacho_str text, size_t at)
{
    while (at < text.len && text.data[at] != '\n') {
        at++;
    }
    return at;
}

/* The first |mark| from |at| on outside strings and comments, or the end. */
static size_t find_outside(tacho_str text, size_t at, tacho_str mark)
{
    while (at < text.len) {
        char byte = text.data[at];
        if (byte == mark.data[0] && tacho_str_starts_with(tacho_str_from(text, at), mark)) {
            return at;
        }
        size_t next = at + 1;
        if (byte == '"') {
            next = tacho_mlir_skip_string(text, at);
            next = next > at ? next : text.len; /* all that follows is in the string */
        } else if (byte == '/' && next < text.len && text.data[next] == '/') {
            next = skip_line(text, next);
        }
        at = next;
    }
    return text.len;
}

static tacho_status keep(metadata *self, tacho_str key, tacho_str quoted)
{
    tacho_mlir_module *module = self->module;
    tacho_str value = tacho_str_make(quoted.data + 1, quoted.len - 2);
    if (!tacho_str_starts_with(value, TACHO_STR("0x"))) {
        return TACHO_OK; /* a string, and no bytes */
    }
    if (key.data[0] == '"') {
        key = tacho_str_make(key.data + 1, key.len - 2);
    }
    TACHO_TRY(
        tacho_grow(&module->resources, &module->resource_capacity, module->resource_count + 1));
    module->resources[module->resource_count++] =
        (tacho_mlir_blob){key, tacho_str_from(value, 2), true};
    return TACHO_OK;
}

static tacho_str text_of(const metadata *self, const tacho_mlir_token *token)
{
    return tacho_str_make(self->lexer.text.data + token->start, token->end - token->start);
}

/* One metadata section: keys, values and braces in any order. */
static tacho_status read_section(metadata *self)
{
    enum { KEYS_DEPTH = 2 };
    size_t depth = 0;
    bool is_resources = false;
    tacho_mlir_token key = {0};
    for (;;) {
        tacho_mlir_token token = tacho_mlir_lexer_next(&self->lexer);
        bool is_key = token.kind == TACHO_MLIR_TOKEN_WORD || token.kind == TACHO_MLIR_TOKEN_NUMBER;
        if (token.kind == TACHO_MLIR_TOKEN_END) {
            break;
        }
        if (token.kind == TACHO_MLIR_TOKEN_BAD) {
            return fail_at(self, self->start + token.start, "a key or a value of a resource");
        }
        if (token.mark == '{') {
            is_resources =
                depth == 0 ? tacho_str_equal(text_of(self, &key), TACHO_STR("dialect_resources"))
                           : is_resources;
            depth++;
        } else if (token.mark == '}') {
            if (depth == 0) {
                return fail_at(self, self->start + token.start, "'#-}'");
            }
            depth--;
        } else if (is_key) {
            key = token;
        } else if (token.kind == TACHO_MLIR_TOKEN_STRING) {
            tacho_mlir_lexer ahead = self->lexer;
            bool is_value = tacho_mlir_lexer_next(&ahead).mark != ':';
            if (!is_value) {
                key = token;
            } else if (is_resources && depth == KEYS_DEPTH && key.end > key.start) {
                TACHO_TRY(keep(self, text_of(self, &key), text_of(self, &token)));
            }
        }
    }
    return depth == 0 ? TACHO_OK : fail_at(self, self->text.len, "'}' after the resources");
}

tacho_status tacho_mlir_text_read_resources(const char *name, tacho_str text,
                                            tacho_mlir_module *module)
{
    metadata self = {.name = name, .text = text, .module = module};
    for (size_t at = 0;;) {
        at = find_outside(text, at, TACHO_STR("{-#"));
        if (at >= text.len) {
            return TACHO_OK;
        }
        self.start = at + 3;
        size_t end = find_outside(text, self.start, TACHO_STR("#-}"));
        if (end >= text.len) {
            return fail_at(&self, at, "'#-}' after the resources");
        }
        self.lexer =
            (tacho_mlir_lexer){tacho_str_make(text.data + self.start, end - self.start), 0};
        TACHO_TRY(read_section(&self));
        at = end + 3;
    }
}
