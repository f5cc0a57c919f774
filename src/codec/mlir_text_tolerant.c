/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unknown custom forms. Their tokens are taken one by one with their most frequent meaning: %a is
 * an operand, @a the symbol that the operation defines, {a = 1} attributes, other braces a region,
 * the text after the last ':' or '->' the types of the results. A name that is not defined and has
 * a type, (%a: i32), is an argument of the region that follows.
 *
 * The operation ends with loc(...), before a '}', or at the end of a line, outside brackets, when
 * the next one starts with something that can only be another operation.
 */
#include "codec/mlir_text_parser.h"

enum { RESULTS_MAX = 65536 };

static bool is_dotted(tacho_str word)
{
    return memchr(word.data, '.', word.len) != NULL;
}

/* Words without a dialect that start an operation. */
static bool is_bare_op(tacho_str word)
{
    return tacho_str_equal(word, TACHO_STR("return")) ||
           tacho_str_equal(word, TACHO_STR("module")) || tacho_str_equal(word, TACHO_STR("call")) ||
           tacho_str_equal(word, TACHO_STR("call_indirect")) ||
           tacho_str_equal(word, TACHO_STR("unrealized_conversion_cast"));
}

/* Whether "%a, %b:2 =" is next. */
static bool at_result_names(const tacho_mlir_parser *p)
{
    tacho_mlir_lexer ahead = {p->text, p->token.start};
    tacho_mlir_token token;
    do {
        token = tacho_mlir_lexer_next(&ahead);
        if (token.kind != TACHO_MLIR_TOKEN_VALUE) {
            return false;
        }
        token = tacho_mlir_lexer_next(&ahead);
        if (token.mark == ':') {
            if (tacho_mlir_lexer_next(&ahead).kind != TACHO_MLIR_TOKEN_NUMBER) {
                return false;
            }
            token = tacho_mlir_lexer_next(&ahead);
        }
    } while (token.mark == ',');
    return token.mark == '=';
}

bool tacho_mlir_at_op(const tacho_mlir_parser *p)
{
    tacho_str text = tacho_mlir_token_text(p);
    char next = '\0';
    switch (p->token.kind) {
    case TACHO_MLIR_TOKEN_END:
        return true;
    case TACHO_MLIR_TOKEN_MARK:
        return p->token.mark == '}';
    case TACHO_MLIR_TOKEN_WORD:
        return is_dotted(text) || is_bare_op(text);
    case TACHO_MLIR_TOKEN_STRING:
        return tacho_mlir_peek(p).mark == '(';
    case TACHO_MLIR_TOKEN_BLOCK:
        next = tacho_mlir_peek(p).mark;
        return next == ':' || next == '(';
    case TACHO_MLIR_TOKEN_VALUE:
        return at_result_names(p);
    case TACHO_MLIR_TOKEN_HASH:
    case TACHO_MLIR_TOKEN_BANG:
        return tacho_mlir_at_alias(p);
    case TACHO_MLIR_TOKEN_BAD:
    case TACHO_MLIR_TOKEN_SYMBOL:
    case TACHO_MLIR_TOKEN_NUMBER:
    case TACHO_MLIR_TOKEN_ARROW:
        break;
    }
    return false;
}

bool tacho_mlir_at_dict(const tacho_mlir_parser *p)
{
    tacho_mlir_lexer ahead = p->lexer;
    tacho_mlir_token key = tacho_mlir_lexer_next(&ahead);
    tacho_mlir_token next = tacho_mlir_lexer_next(&ahead);
    if (key.mark == '}') {
        /* Printers omit empty dictionaries; an empty region ends its operation. */
        tacho_str text = tacho_mlir_between(p, next.start, next.end);
        bool ends_op = next.after_newline || next.kind == TACHO_MLIR_TOKEN_END ||
                       next.mark == '}' || tacho_str_equal(text, TACHO_STR("loc"));
        return !ends_op;
    }
    if (key.kind != TACHO_MLIR_TOKEN_WORD && key.kind != TACHO_MLIR_TOKEN_STRING) {
        return false;
    }
    if (next.mark == '}' && key.kind == TACHO_MLIR_TOKEN_WORD) {
        return !key.after_blank; /* {a.unit}, but { an.operation } */
    }
    return next.mark == '=' || next.mark == ',' || next.mark == '}';
}

static bool starts_simple_type(const tacho_mlir_token *token)
{
    return token->kind == TACHO_MLIR_TOKEN_WORD || token->kind == TACHO_MLIR_TOKEN_BANG;
}

/* Types with commas; a comma and something else may follow the last one. */
static tacho_status take_types(tacho_mlir_parser *p)
{
    bool is_outside = tacho_mlir_top(p)->depth == 0;
    for (;;) {
        uint32_t type = 0;
        TACHO_TRY(tacho_mlir_take_type(p, &type));
        tacho_mlir_top(p)->last_type = type;
        if (is_outside) {
            TACHO_TRY(tacho_mlir_push_type(p, type));
        }
        tacho_mlir_token next = tacho_mlir_peek(p);
        if (!tacho_mlir_at_mark(p, ',') || !starts_simple_type(&next)) {
            return TACHO_OK;
        }
        tacho_mlir_advance(p);
    }
}

/* The types after ':', '->' or 'to'; those of results if no further ones follow. */
static tacho_status take_result_types(tacho_mlir_parser *p, bool is_arrow)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    if (frame->depth == 0) {
        p->type_count = frame->first_type;
    }
    /* Only outside brackets, since looking for a ')' at each '(' of a nest takes long. */
    bool is_group = tacho_mlir_at_mark(p, '(') && frame->depth == 0;
    bool is_function = is_group && tacho_mlir_at_function_type(p);
    if (is_arrow && is_group && !is_function) {
        return tacho_mlir_take_type_list(p, true);
    }
    if (!is_arrow && is_function) {
        return tacho_mlir_take_function_type(p);
    }
    return is_function || starts_simple_type(&p->token) ? take_types(p) : TACHO_OK;
}

/* A block argument or an operand. */
static tacho_status take_value(tacho_mlir_parser *p)
{
    tacho_str name = tacho_mlir_token_text(p);
    char next = tacho_mlir_peek(p).mark;
    bool has_type = next == ':' && tacho_mlir_top(p)->depth > 0;
    if ((!has_type && next != '=') || tacho_mlir_is_defined(p, name)) {
        return tacho_mlir_take_operand(p, 0);
    }
    uint32_t type = 0;
    tacho_mlir_advance(p);
    tacho_mlir_advance(p);
    if (has_type && starts_simple_type(&p->token)) {
        TACHO_TRY(tacho_mlir_take_type(p, &type));
        TACHO_TRY(tacho_mlir_skip_location(p));
    }
    return tacho_mlir_push_argument(p, name, type);
}

/* Steps over brackets whose content does not matter. */
static tacho_status skip_group(tacho_mlir_parser *p, size_t at)
{
    tacho_mlir_span span;
    TACHO_TRY(tacho_mlir_scan_group(p, at, &span));
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}

/* A token that may have brackets right after it: dense<1>, #hal.x<...>. */
static tacho_status skip_with_group(tacho_mlir_parser *p)
{
    size_t end = p->token.end;
    if (end < p->text.len && p->text.data[end] == '<') {
        return skip_group(p, end);
    }
    tacho_mlir_advance(p);
    return TACHO_OK;
}

/* Attributes; braces that only look like it are stepped over. */
static tacho_status take_dict(tacho_mlir_parser *p)
{
    size_t start = p->token.start;
    size_t attr_count = p->attr_count;
    p->is_trying = true;
    tacho_status status = tacho_mlir_take_dict(p);
    p->is_trying = false;
    if (tacho_status_code(status) != TACHO_CODE_BAD_DATA) {
        return status;
    }
    tacho_status_free(status);
    p->attr_count = attr_count;
    tacho_mlir_top(p)->makes_no_sense = true;
    return skip_group(p, start);
}

/* #attrs in place of a dictionary. */
static tacho_status take_hash(tacho_mlir_parser *p)
{
    const tacho_mlir_alias *alias = tacho_mlir_alias_find(p, tacho_mlir_token_text(p));
    if (alias == NULL || tacho_mlir_top(p)->depth > 0 || p->text.data[alias->body.start] != '{') {
        return skip_with_group(p);
    }
    tacho_mlir_lexer after = p->lexer;
    tacho_mlir_seek(p, alias->body.start);
    TACHO_TRY(take_dict(p));
    p->lexer = after;
    tacho_mlir_advance(p);
    return TACHO_OK;
}

/* Braces that hold neither attributes nor operations: "{ word : ...". */
static bool at_opaque(const tacho_mlir_parser *p)
{
    tacho_mlir_lexer ahead = p->lexer;
    tacho_mlir_token word = tacho_mlir_lexer_next(&ahead);
    return word.kind == TACHO_MLIR_TOKEN_WORD && tacho_mlir_lexer_next(&ahead).mark == ':';
}

static tacho_status take_brace(tacho_mlir_parser *p, bool *out_suspended)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    if (frame->depth > 0) {
        return skip_group(p, p->token.start);
    }
    if (tacho_mlir_at_dict(p)) {
        return take_dict(p);
    }
    if (at_opaque(p)) {
        frame->makes_no_sense = true;
        return skip_group(p, p->token.start);
    }
    *out_suspended = true;
    frame->form = TACHO_MLIR_FORM_TOLERANT;
    tacho_mlir_advance(p);
    return tacho_mlir_open_region(p);
}

static tacho_status take_mark(tacho_mlir_parser *p, bool *out_suspended)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    char mark = p->token.mark;
    switch (mark) {
    case '{':
        return take_brace(p, out_suspended);
    case '<':
        return skip_group(p, p->token.start);
    case '(':
    case '[':
        frame->depth++;
        break;
    case ')':
    case ']':
        frame->makes_no_sense = frame->makes_no_sense || frame->depth == 0;
        frame->depth -= frame->depth > 0;
        break;
    case '}':
        return tacho_mlir_fail(p, "')' or ']'");
    case ':':
        tacho_mlir_advance(p);
        return take_result_types(p, false);
    default:
        break;
    }
    tacho_mlir_advance(p);
    return TACHO_OK;
}

static tacho_status take_word(tacho_mlir_parser *p)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    tacho_str word = tacho_mlir_token_text(p);
    bool is_visibility = tacho_str_equal(word, TACHO_STR("private")) ||
                         tacho_str_equal(word, TACHO_STR("public")) ||
                         tacho_str_equal(word, TACHO_STR("nested"));
    if (frame->depth > 0) {
        return skip_with_group(p);
    }
    if (is_visibility && !frame->has_symbol) {
        TACHO_TRY(tacho_mlir_add_string(p, TACHO_STR("sym_visibility"), word));
    }
    bool is_conversion =
        p->type_count > frame->first_type &&
        (tacho_str_equal(word, TACHO_STR("to")) || tacho_str_equal(word, TACHO_STR("into")));
    bool is_attributes = tacho_str_equal(word, TACHO_STR("attributes"));
    TACHO_TRY(skip_with_group(p));
    if (is_conversion) {
        return take_result_types(p, false);
    }
    return is_attributes && tacho_mlir_at_mark(p, '{') ? take_dict(p) : TACHO_OK;
}

/* The first string is the operation's name, the first symbol its definition. */
static tacho_status take_text(tacho_mlir_parser *p, bool is_symbol)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    tacho_str text = tacho_mlir_token_text(p);
    bool is_first = p->operand_count == frame->first_operand && !frame->has_symbol;
    if (is_symbol && frame->depth == 0 && !frame->has_symbol) {
        frame->has_symbol = true;
        tacho_str name;
        TACHO_TRY(tacho_mlir_symbol_name(p, text, &p->module->arena, &name));
        TACHO_TRY(tacho_mlir_add_string(p, TACHO_STR("sym_name"), name));
    } else if (!is_symbol && is_first && frame->depth == 0 && !frame->has_string) {
        frame->has_string = true;
        TACHO_TRY(tacho_mlir_add_attr(p, TACHO_STR("name"), text));
    }
    tacho_mlir_advance(p);
    return TACHO_OK;
}

static tacho_status take_token(tacho_mlir_parser *p, bool *out_suspended)
{
    switch (p->token.kind) {
    case TACHO_MLIR_TOKEN_VALUE:
        return take_value(p);
    case TACHO_MLIR_TOKEN_MARK:
        return take_mark(p, out_suspended);
    case TACHO_MLIR_TOKEN_WORD:
        return take_word(p);
    case TACHO_MLIR_TOKEN_STRING:
    case TACHO_MLIR_TOKEN_SYMBOL:
        return take_text(p, p->token.kind == TACHO_MLIR_TOKEN_SYMBOL);
    case TACHO_MLIR_TOKEN_HASH:
        return take_hash(p);
    case TACHO_MLIR_TOKEN_BANG:
        return skip_with_group(p);
    case TACHO_MLIR_TOKEN_ARROW:
        tacho_mlir_advance(p);
        return take_result_types(p, true);
    case TACHO_MLIR_TOKEN_BAD:
        if (p->text.data[p->token.start] == '"') {
            return tacho_mlir_fail(p, "a string with a closing quote");
        }
        tacho_mlir_top(p)->makes_no_sense = true;
        break;
    case TACHO_MLIR_TOKEN_END:
        return tacho_mlir_fail(p, "')' or ']'");
    case TACHO_MLIR_TOKEN_BLOCK:
    case TACHO_MLIR_TOKEN_NUMBER:
        break;
    }
    tacho_mlir_advance(p);
    return TACHO_OK;
}

static bool has_ended(const tacho_mlir_parser *p)
{
    const tacho_mlir_frame *frame = tacho_mlir_top(p);
    if (frame->depth > 0) {
        return false;
    }
    return tacho_mlir_at_mark(p, '}') || p->token.kind == TACHO_MLIR_TOKEN_END ||
           tacho_mlir_at_location(p) ||
           (p->token.after_newline && !frame->after_comma && tacho_mlir_at_op(p));
}

/* Gives each name before the operation one of the last types, or none. */
static tacho_status settle_types(tacho_mlir_parser *p, const tacho_mlir_frame *frame)
{
    uint64_t named_count = 0;
    for (size_t i = frame->first_result_name; i < p->result_name_count; i++) {
        named_count += p->result_names[i].count;
    }
    if (named_count > RESULTS_MAX) {
        return tacho_mlir_fail_limit(p, frame->name_start, "at most 65536 results");
    }
    size_t type_count = p->type_count - frame->first_type;
    if (type_count >= named_count) {
        size_t first = p->type_count - (size_t)named_count;
        for (size_t i = 0; i < named_count; i++) {
            p->types[frame->first_type + i] = p->types[first + i];
        }
        p->type_count = frame->first_type + (size_t)named_count;
        return TACHO_OK;
    }
    for (; type_count < named_count; type_count++) {
        TACHO_TRY(tacho_mlir_push_type(p, frame->last_type == TACHO_NONE ? 0 : frame->last_type));
    }
    return TACHO_OK;
}

/* Turns the arguments of a region that never followed into operands. */
static tacho_status settle_arguments(tacho_mlir_parser *p, const tacho_mlir_frame *frame)
{
    for (size_t i = frame->first_argument; i < p->argument_count; i++) {
        tacho_mlir_operand operand = {TACHO_NONE, 0};
        TACHO_TRY(tacho_mlir_use_name(p, p->arguments[i].name_id, &operand.value));
        TACHO_TRY(tacho_mlir_push_operand(p, operand));
    }
    p->argument_count = frame->first_argument;
    return TACHO_OK;
}

tacho_status tacho_mlir_run_tolerant(tacho_mlir_parser *p)
{
    while (!has_ended(p)) {
        bool is_suspended = false;
        tacho_mlir_top(p)->after_comma = tacho_mlir_at_mark(p, ',');
        TACHO_TRY(take_token(p, &is_suspended));
        if (is_suspended) {
            return TACHO_OK;
        }
    }
    const tacho_mlir_frame *frame = tacho_mlir_top(p);
    p->module->tolerated_count += frame->makes_no_sense;
    TACHO_TRY(settle_types(p, frame));
    TACHO_TRY(settle_arguments(p, frame));
    return tacho_mlir_close_op(p);
}
