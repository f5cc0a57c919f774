/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extents of types and attributes, their texts, and the aliases in them.
 *
 * Dialects print any text between their brackets, so an extent is found by balancing brackets
 * outside strings. Its text is that of the source, unless that contains aliases, comments or blanks
 * that MLIR would not print; then it is written anew.
 */
#include "codec/mlir_text_parser.h"

enum {
    EXPANDED_MAX = 64 << 20, /* of one text */
};
#define EXPANDED_TOTAL_MAX (UINT64_C(512) << 20)

typedef struct tacho_mlir_expansion {
    size_t at;
    size_t end;
    tacho_mlir_alias *alias; /* NULL for the text itself */
} tacho_mlir_expansion;

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\n' || byte == '\t' || byte == '\r';
}

static char byte_at(const tacho_mlir_parser *p, size_t at)
{
    return at < p->text.len ? p->text.data[at] : '\0';
}

static char closer_of(char byte)
{
    switch (byte) {
    case '<':
        return '>';
    case '(':
        return ')';
    case '[':
        return ']';
    case '{':
        return '}';
    default:
        return '\0';
    }
}

static bool is_closer(char byte)
{
    return byte == '>' || byte == ')' || byte == ']' || byte == '}';
}

/* Whether '#...' or '!...' from |start| to |end| is an alias: no dot, and no brackets follow. */
static bool is_alias(const tacho_mlir_parser *p, size_t start, size_t end)
{
    return end > start + 1 && byte_at(p, end) != '<' &&
           memchr(p->text.data + start, '.', end - start) == NULL;
}

/* Whether MLIR would print the blank at |at| as it is: one space, not beside a bracket. */
static bool is_plain_blank(const tacho_mlir_parser *p, size_t at)
{
    char before = byte_at(p, at - 1);
    char after = byte_at(p, at + 1);
    return p->text.data[at] == ' ' && !is_blank(after) && closer_of(before) == '\0' &&
           !is_closer(after) && after != ',' && after != '\0';
}

/* The end of the operator at |at|, in which '<' or '>' is not a bracket; |at| if there is none. */
static size_t skip_operator(const tacho_mlir_parser *p, size_t at)
{
    char byte = p->text.data[at];
    char next = byte_at(p, at + 1);
    bool is_operator = (byte == '-' && next == '>') ||
                       (next == '=' && (byte == '<' || byte == '>') && byte_at(p, at + 2) != '=');
    return is_operator ? at + 2 : at;
}

/* Takes the part of a group at |*at|, brackets aside. */
static tacho_status scan_part(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    char byte = p->text.data[*at];
    size_t end = *at + 1;
    if (byte == '"') {
        end = tacho_mlir_skip_string(p->text, *at);
        if (end == *at) {
            return tacho_mlir_fail_at(p, *at, "a string with a closing quote");
        }
    } else if (byte == '#' || byte == '!') {
        end = tacho_mlir_skip_suffix(p->text, end);
        *is_plain = *is_plain && !is_alias(p, *at, end);
    } else if (is_blank(byte)) {
        *is_plain = *is_plain && is_plain_blank(p, *at);
    } else if (byte == '/' && byte_at(p, end) == '/') {
        *is_plain = false;
        end = tacho_mlir_skip_blanks(p->text, *at);
    }
    *at = end;
    return TACHO_OK;
}

static tacho_status push_bracket(tacho_mlir_parser *p, size_t at, char closer)
{
    if (p->bracket_count >= TACHO_MLIR_TEXT_LEVELS_MAX) {
        return tacho_mlir_fail_limit(p, at, "at most 10000 levels of brackets");
    }
    TACHO_TRY(tacho_grow(&p->brackets, &p->bracket_capacity, p->bracket_count + 1));
    p->brackets[p->bracket_count++] = closer;
    return TACHO_OK;
}

static tacho_status fail_bracket(const tacho_mlir_parser *p, size_t at)
{
    char expected[] = {'\'', p->brackets[p->bracket_count - 1], '\'', '\0'};
    return tacho_mlir_fail_at(p, at, expected);
}

/* Takes the brackets that open at |*at| and all inside. */
static tacho_status scan_group(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    p->bracket_count = 0;
    do {
        if (*at >= p->text.len) {
            return fail_bracket(p, *at);
        }
        char byte = p->text.data[*at];
        size_t operator_end = skip_operator(p, *at);
        char closer = closer_of(byte);
        if (operator_end > *at) {
            *at = operator_end;
        } else if (closer != '\0') {
            TACHO_TRY(push_bracket(p, (*at)++, closer));
        } else if (is_closer(byte)) {
            if (byte != p->brackets[p->bracket_count - 1]) {
                return fail_bracket(p, *at);
            }
            p->bracket_count--;
            (*at)++;
        } else {
            TACHO_TRY(scan_part(p, at, is_plain));
        }
    } while (p->bracket_count > 0);
    return TACHO_OK;
}

tacho_status tacho_mlir_scan_group(tacho_mlir_parser *p, size_t at, tacho_mlir_span *out_span)
{
    *out_span = (tacho_mlir_span){at, at, true, 0};
    return scan_group(p, &out_span->end, &out_span->is_plain);
}

static size_t skip_blanks(const tacho_mlir_parser *p, size_t at, bool *is_plain)
{
    size_t end = tacho_mlir_skip_blanks(p->text, at);
    if (end > at + 1 || (end > at && p->text.data[at] != ' ')) {
        *is_plain = false;
    }
    return end;
}

/* !name or #name at |*at|, with its brackets. */
static tacho_status scan_dialect(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    size_t start = *at;
    *at = tacho_mlir_skip_suffix(p->text, start + 1);
    if (*at == start + 1) {
        return tacho_mlir_fail_at(p, start, "the name of an attribute or a type");
    }
    if (byte_at(p, *at) == '<') {
        return scan_group(p, at, is_plain);
    }
    *is_plain = *is_plain && !is_alias(p, start, *at);
    return TACHO_OK;
}

static bool starts_word(const tacho_mlir_parser *p, size_t at)
{
    char lower = (char)(byte_at(p, at) | 0x20);
    return (lower >= 'a' && lower <= 'z') || byte_at(p, at) == '_';
}

/* A type other than a function type. */
static tacho_status scan_simple_type(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    if (byte_at(p, *at) == '!') {
        return scan_dialect(p, at, is_plain);
    }
    if (!starts_word(p, *at)) {
        return tacho_mlir_fail_at(p, *at, "a type");
    }
    *at = tacho_mlir_skip_word(p->text, *at);
    return byte_at(p, *at) == '<' ? scan_group(p, at, is_plain) : TACHO_OK;
}

static tacho_status scan_type(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    if (byte_at(p, *at) != '(') {
        return scan_simple_type(p, at, is_plain);
    }
    TACHO_TRY(scan_group(p, at, is_plain));
    *at = skip_blanks(p, *at, is_plain);
    if (!tacho_str_starts_with(tacho_str_from(p->text, *at), TACHO_STR("->"))) {
        return tacho_mlir_fail_at(p, *at, "'->' of a function type");
    }
    *at = skip_blanks(p, *at + 2, is_plain);
    return byte_at(p, *at) == '(' ? scan_group(p, at, is_plain) : scan_simple_type(p, at, is_plain);
}

tacho_status tacho_mlir_scan_type(tacho_mlir_parser *p, size_t at, tacho_mlir_span *out_span)
{
    at = tacho_mlir_skip_blanks(p->text, at);
    *out_span = (tacho_mlir_span){at, at, true, 0};
    return scan_type(p, &out_span->end, &out_span->is_plain);
}

/* @a::@"b". */
static tacho_status scan_symbol(tacho_mlir_parser *p, size_t *at)
{
    do {
        tacho_mlir_lexer lexer = {p->text, *at};
        tacho_mlir_token token = tacho_mlir_lexer_next(&lexer);
        if (token.kind != TACHO_MLIR_TOKEN_SYMBOL) {
            return tacho_mlir_fail_at(p, *at, "a symbol");
        }
        *at = token.end;
        if (byte_at(p, *at) != ':' || byte_at(p, *at + 1) != ':') {
            return TACHO_OK;
        }
        *at += 2;
    } while (true);
}

/* A word with any number of brackets right after it: dense<1>, loc(unknown), distinct[0]<1>. */
static tacho_status scan_word_attr(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    *at = tacho_mlir_skip_word(p->text, *at);
    while (closer_of(byte_at(p, *at)) != '\0') {
        TACHO_TRY(scan_group(p, at, is_plain));
    }
    return TACHO_OK;
}

static tacho_status scan_number(tacho_mlir_parser *p, size_t *at)
{
    size_t start = *at;
    tacho_mlir_lexer lexer = {p->text, start + (byte_at(p, start) == '-')};
    tacho_mlir_token token = tacho_mlir_lexer_next(&lexer);
    bool is_word = token.kind == TACHO_MLIR_TOKEN_WORD; /* -inf */
    if (token.after_blank || (token.kind != TACHO_MLIR_TOKEN_NUMBER && !is_word)) {
        return tacho_mlir_fail_at(p, start, "a number");
    }
    *at = token.end;
    return TACHO_OK;
}

/* An attribute without the type that may follow. */
static tacho_status scan_bare_attr(tacho_mlir_parser *p, size_t *at, bool *is_plain)
{
    char byte = byte_at(p, *at);
    switch (byte) {
    case '"':
        return scan_part(p, at, is_plain);
    case '[':
    case '{':
    case '<':
        return scan_group(p, at, is_plain);
    case '(':
        return scan_type(p, at, is_plain);
    case '@':
        return scan_symbol(p, at);
    case '#':
    case '!':
        return scan_dialect(p, at, is_plain);
    default:
        break;
    }
    if (byte == '-' || (byte >= '0' && byte <= '9')) {
        return scan_number(p, at);
    }
    if (!starts_word(p, *at)) {
        return tacho_mlir_fail_at(p, *at, "an attribute");
    }
    return scan_word_attr(p, at, is_plain);
}

tacho_status tacho_mlir_scan_attr(tacho_mlir_parser *p, size_t at, tacho_mlir_span *out_span)
{
    at = tacho_mlir_skip_blanks(p->text, at);
    *out_span = (tacho_mlir_span){at, at, true, 0};
    TACHO_TRY(scan_bare_attr(p, &out_span->end, &out_span->is_plain));
    bool is_plain = out_span->is_plain;
    at = skip_blanks(p, out_span->end, &is_plain);
    if (byte_at(p, at) != ':' || byte_at(p, at + 1) == ':') {
        return TACHO_OK;
    }
    is_plain = is_plain && at == out_span->end + 1 && byte_at(p, at + 1) == ' ';
    at = skip_blanks(p, at + 1, &is_plain);
    out_span->type_start = at;
    TACHO_TRY(scan_type(p, &at, &is_plain));
    out_span->end = at;
    out_span->is_plain = is_plain;
    return TACHO_OK;
}

/* -- Texts -- */

static tacho_status put(tacho_mlir_parser *p, size_t start, size_t end)
{
    size_t len = end - start;
    p->expanded_bytes += len;
    if (p->buffer_len + len > EXPANDED_MAX || p->expanded_bytes > EXPANDED_TOTAL_MAX) {
        return tacho_mlir_fail_limit(p, start, "aliases that expand to at most 64 MiB");
    }
    TACHO_TRY(tacho_grow(&p->buffer, &p->buffer_capacity, p->buffer_len + len + 1));
    memcpy(p->buffer + p->buffer_len, p->text.data + start, len);
    p->buffer_len += len;
    return TACHO_OK;
}

static tacho_status push_expansion(tacho_mlir_parser *p, tacho_mlir_span span,
                                   tacho_mlir_alias *alias)
{
    if (alias != NULL && alias->is_open) {
        return tacho_mlir_fail_at(p, span.start, "an alias that does not contain itself");
    }
    if (p->expansion_count >= TACHO_MLIR_TEXT_LEVELS_MAX) {
        return tacho_mlir_fail_limit(p, span.start, "at most 10000 levels of aliases");
    }
    TACHO_TRY(tacho_grow(&p->expansions, &p->expansion_capacity, p->expansion_count + 1));
    p->expansions[p->expansion_count++] = (tacho_mlir_expansion){span.start, span.end, alias};
    if (alias != NULL) {
        alias->is_open = true;
    }
    return TACHO_OK;
}

/* One space for the blanks that end at |next|, unless a bracket or the start is beside them. */
static void put_blank(tacho_mlir_parser *p, char next)
{
    char last = p->buffer_len > 0 ? p->buffer[p->buffer_len - 1] : '(';
    if (closer_of(last) == '\0' && !is_blank(last) && !is_closer(next) && next != ',') {
        p->buffer[p->buffer_len++] = ' ';
    }
}

static tacho_status expand_some(tacho_mlir_parser *p, tacho_mlir_expansion *top)
{
    size_t start = top->at;
    char byte = p->text.data[start];
    size_t end = tacho_mlir_skip_blanks(p->text, start);
    if (end > start) {
        top->at = end < top->end ? end : top->end;
        TACHO_TRY(put(p, start, start)); /* room for one byte */
        put_blank(p, top->at < top->end ? p->text.data[top->at] : ',');
        return TACHO_OK;
    }
    end = start + 1;
    if (byte == '"') {
        end = tacho_mlir_skip_string(p->text, start);
    } else if (byte == '#' || byte == '!') {
        end = tacho_mlir_skip_suffix(p->text, end);
        tacho_mlir_alias *alias = NULL;
        if (is_alias(p, start, end)) {
            alias = tacho_mlir_alias_find(p, tacho_mlir_between(p, start, end));
        }
        if (alias != NULL) {
            top->at = end;
            return push_expansion(p, alias->body, alias);
        }
    }
    end = end > start ? end : start + 1;
    end = end < top->end ? end : top->end;
    top->at = end;
    return put(p, start, end);
}

tacho_status tacho_mlir_expand(tacho_mlir_parser *p, tacho_mlir_span span, tacho_str *out_text)
{
    *out_text = tacho_mlir_between(p, span.start, span.end);
    if (span.is_plain) {
        return TACHO_OK;
    }
    p->buffer_len = 0;
    p->expansion_count = 0;
    TACHO_TRY(push_expansion(p, span, NULL));
    while (p->expansion_count > 0) {
        tacho_mlir_expansion *top = &p->expansions[p->expansion_count - 1];
        if (top->at < top->end) {
            TACHO_TRY(expand_some(p, top));
            continue;
        }
        if (top->alias != NULL) {
            top->alias->is_open = false;
        }
        p->expansion_count--;
    }
    *out_text = tacho_str_make(p->buffer, p->buffer_len);
    return TACHO_OK;
}
