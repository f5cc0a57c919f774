/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table holds the classes of each byte; the rest is a switch on the first byte.
 */
#include "codec/mlir_lexer.h"

#include "base/attributes.h"

enum {
    BLANK = 1,
    DIGIT = 2,
    LETTER = 4, /* and '_' */
    INNER = 8,  /* '$' and '.', inside words */
    DASH = 16,
    MARK = 32,
    HEX = 64,      /* letters only */
    COMMENT = 128, /* may begin one, or metadata */
};

#define HEX_LETTER LETTER | HEX
static const unsigned char classes[256] = {
    [' '] = BLANK,          ['\t'] = BLANK,     ['\n'] = BLANK,     ['\r'] = BLANK,
    ['0'] = DIGIT,          ['1'] = DIGIT,      ['2'] = DIGIT,      ['3'] = DIGIT,
    ['4'] = DIGIT,          ['5'] = DIGIT,      ['6'] = DIGIT,      ['7'] = DIGIT,
    ['8'] = DIGIT,          ['9'] = DIGIT,      ['a'] = HEX_LETTER, ['b'] = HEX_LETTER,
    ['c'] = HEX_LETTER,     ['d'] = HEX_LETTER, ['e'] = HEX_LETTER, ['f'] = HEX_LETTER,
    ['g'] = LETTER,         ['h'] = LETTER,     ['i'] = LETTER,     ['j'] = LETTER,
    ['k'] = LETTER,         ['l'] = LETTER,     ['m'] = LETTER,     ['n'] = LETTER,
    ['o'] = LETTER,         ['p'] = LETTER,     ['q'] = LETTER,     ['r'] = LETTER,
    ['s'] = LETTER,         ['t'] = LETTER,     ['u'] = LETTER,     ['v'] = LETTER,
    ['w'] = LETTER,         ['x'] = LETTER,     ['y'] = LETTER,     ['z'] = LETTER,
    ['A'] = HEX_LETTER,     ['B'] = HEX_LETTER, ['C'] = HEX_LETTER, ['D'] = HEX_LETTER,
    ['E'] = HEX_LETTER,     ['F'] = HEX_LETTER, ['G'] = LETTER,     ['H'] = LETTER,
    ['I'] = LETTER,         ['J'] = LETTER,     ['K'] = LETTER,     ['L'] = LETTER,
    ['M'] = LETTER,         ['N'] = LETTER,     ['O'] = LETTER,     ['P'] = LETTER,
    ['Q'] = LETTER,         ['R'] = LETTER,     ['S'] = LETTER,     ['T'] = LETTER,
    ['U'] = LETTER,         ['V'] = LETTER,     ['W'] = LETTER,     ['X'] = LETTER,
    ['Y'] = LETTER,         ['Z'] = LETTER,     ['_'] = LETTER,     ['$'] = INNER,
    ['.'] = INNER,          ['-'] = DASH,       ['('] = MARK,       [')'] = MARK,
    ['{'] = MARK | COMMENT, ['}'] = MARK,       ['['] = MARK,       [']'] = MARK,
    ['<'] = MARK,           ['>'] = MARK,       [','] = MARK,       [':'] = MARK,
    ['='] = MARK,           ['+'] = MARK,       ['*'] = MARK,       ['/'] = MARK | COMMENT,
    ['?'] = MARK,           ['|'] = MARK,       ['&'] = MARK,       [';'] = MARK,
};

static inline unsigned class_at(tacho_str text, size_t at)
{
    return at < text.len ? classes[(unsigned char)text.data[at]] : 0;
}

static inline size_t skip_class(tacho_str text, size_t at, unsigned wanted)
{
    while (at < text.len && (classes[(unsigned char)text.data[at]] & wanted) != 0) {
        at++;
    }
    return at;
}

size_t tacho_mlir_skip_word(tacho_str text, size_t at)
{
    return skip_class(text, at, LETTER | DIGIT | INNER);
}

size_t tacho_mlir_skip_suffix(tacho_str text, size_t at)
{
    return skip_class(text, at, LETTER | DIGIT | INNER | DASH);
}

/* The end of a short string without escapes, or |at|. */
static size_t skip_short_string(tacho_str text, size_t at)
{
    enum { SHORT_MAX = 64 };
    const char *from = text.data + at + 1;
    size_t room = text.len - at - 1 < SHORT_MAX ? text.len - at - 1 : SHORT_MAX;
    const char *quote = memchr(from, '"', room);
    if (quote == NULL || memchr(from, '\\', (size_t)(quote - from)) != NULL ||
        memchr(from, '\n', (size_t)(quote - from)) != NULL) {
        return at;
    }
    return (size_t)(quote - text.data) + 1;
}

size_t tacho_mlir_skip_string(tacho_str text, size_t at)
{
    size_t end = skip_short_string(text, at);
    if (end > at) {
        return end;
    }
    for (size_t i = at + 1; i < text.len; i++) {
        char byte = text.data[i];
        if (byte == '"') {
            return i + 1;
        }
        if (byte == '\n') {
            break;
        }
        i += byte == '\\';
    }
    return at;
}

/* The end of the metadata that opens at |at|. Without an end it takes all that is left, lest the
   search for it start again and again. */
static size_t skip_metadata(tacho_str text, size_t at)
{
    for (size_t i = at + 3; i < text.len;) {
        tacho_str rest = tacho_str_from(text, i);
        if (text.data[i] == '"') {
            size_t end = tacho_mlir_skip_string(text, i);
            i = end == i ? i + tacho_str_find_byte(rest, '\n') : end;
        } else if (tacho_str_starts_with(rest, TACHO_STR("#-}"))) {
            return i + 3;
        } else {
            i++;
        }
    }
    return text.len;
}

size_t tacho_mlir_skip_blanks(tacho_str text, size_t at)
{
    for (;;) {
        at = skip_class(text, at, BLANK);
        if (at < text.len && text.data[at] != '/' && text.data[at] != '{') {
            return at;
        }
        tacho_str rest = tacho_str_from(text, at);
        size_t end = at;
        if (tacho_str_starts_with(rest, TACHO_STR("//"))) {
            end = at + tacho_str_find_byte(rest, '\n');
        } else if (tacho_str_starts_with(rest, TACHO_STR("{-#"))) {
            end = skip_metadata(text, at);
        }
        if (end == at) {
            return at;
        }
        at = end;
    }
}

static size_t skip_number(tacho_str text, size_t at)
{
    tacho_str rest = tacho_str_from(text, at);
    if (tacho_str_starts_with(rest, TACHO_STR("0x")) && (class_at(text, at + 2) & (DIGIT | HEX))) {
        return skip_class(text, at + 2, DIGIT | HEX);
    }
    at = skip_class(text, at, DIGIT);
    if (at >= text.len || text.data[at] != '.') {
        return at;
    }
    at = skip_class(text, at + 1, DIGIT);
    if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E')) {
        size_t exponent = at + 1;
        exponent +=
            exponent < text.len && (text.data[exponent] == '-' || text.data[exponent] == '+');
        size_t end = skip_class(text, exponent, DIGIT);
        at = end > exponent ? end : at;
    }
    return at;
}

/* A number, or a word that may hold '-'. A pack's index, as in %a#1, belongs to the value. */
static size_t skip_value(tacho_str text, size_t at)
{
    size_t start = at;
    bool is_number = (class_at(text, at) & DIGIT) != 0;
    at = is_number ? skip_class(text, at, DIGIT) : tacho_mlir_skip_suffix(text, at);
    if (at > start && at < text.len && text.data[at] == '#') {
        size_t end = skip_class(text, at + 1, DIGIT);
        at = end > at + 1 ? end : at;
    }
    return at;
}

static tacho_mlir_token_kind prefixed_kind(char prefix)
{
    switch (prefix) {
    case '%':
        return TACHO_MLIR_TOKEN_VALUE;
    case '^':
        return TACHO_MLIR_TOKEN_BLOCK;
    case '@':
        return TACHO_MLIR_TOKEN_SYMBOL;
    case '#':
        return TACHO_MLIR_TOKEN_HASH;
    case '!':
        return TACHO_MLIR_TOKEN_BANG;
    default:
        return TACHO_MLIR_TOKEN_BAD;
    }
}

static void lex_prefixed(tacho_str text, tacho_mlir_token *token)
{
    size_t at = token->start + 1;
    token->kind = prefixed_kind(text.data[token->start]);
    if (token->kind == TACHO_MLIR_TOKEN_VALUE) {
        token->end = skip_value(text, at);
    } else if (token->kind != TACHO_MLIR_TOKEN_SYMBOL) {
        token->end = tacho_mlir_skip_suffix(text, at);
    } else if (at < text.len && text.data[at] == '"') {
        token->end = tacho_mlir_skip_string(text, at);
    } else {
        token->end = tacho_mlir_skip_word(text, at);
    }
    if (token->end == at || token->kind == TACHO_MLIR_TOKEN_BAD) {
        token->kind = TACHO_MLIR_TOKEN_BAD;
        token->end = at;
    }
}

static void lex_mark(tacho_str text, tacho_mlir_token *token)
{
    token->kind = TACHO_MLIR_TOKEN_MARK;
    token->mark = text.data[token->start];
    token->end = token->start + 1;
    if (token->mark == '-' && token->end < text.len && text.data[token->end] == '>') {
        token->kind = TACHO_MLIR_TOKEN_ARROW;
        token->mark = '\0';
        token->end++;
    }
}

/* Whether blanks, a comment or metadata may begin at |at|, or the text ends there. */
static inline bool may_be_blank(tacho_str text, size_t at)
{
    return at >= text.len || (classes[(unsigned char)text.data[at]] & (BLANK | COMMENT)) != 0;
}

/* Goes past blanks; most often there is one space or line feed, or none. */
static inline void skip_to_token(tacho_mlir_lexer *lexer, tacho_mlir_token *token)
{
    tacho_str text = lexer->text;
    size_t at = lexer->at;
    token->after_newline = at == 0;
    if (TACHO_LIKELY(at < text.len) && (text.data[at] == ' ' || text.data[at] == '\n')) {
        token->after_newline |= text.data[at] == '\n';
        at++;
    }
    if (TACHO_UNLIKELY(may_be_blank(text, at))) {
        at = tacho_mlir_skip_blanks(text, at);
        token->after_newline |=
            at > lexer->at && memchr(text.data + lexer->at, '\n', at - lexer->at) != NULL;
    }
    token->start = at;
    token->after_blank = at > lexer->at;
}

void tacho_mlir_lexer_read(tacho_mlir_lexer *lexer, tacho_mlir_token *out_token)
{
    tacho_str text = lexer->text;
    tacho_mlir_token *token = out_token;
    skip_to_token(lexer, token);
    size_t start = token->start;
    unsigned class = class_at(text, start);
    token->kind = TACHO_MLIR_TOKEN_END;
    token->mark = '\0';
    token->end = start;
    if ((class & (MARK | DASH)) != 0) {
        lex_mark(text, token);
    } else if ((class & LETTER) != 0) {
        token->kind = TACHO_MLIR_TOKEN_WORD;
        token->end = tacho_mlir_skip_word(text, start);
    } else if ((class & DIGIT) != 0) {
        token->kind = TACHO_MLIR_TOKEN_NUMBER;
        token->end = skip_number(text, start);
    } else if (start < text.len && text.data[start] == '"') {
        size_t end = tacho_mlir_skip_string(text, start);
        token->kind = end > start ? TACHO_MLIR_TOKEN_STRING : TACHO_MLIR_TOKEN_BAD;
        token->end = end > start ? end : end + 1;
    } else if (start < text.len) {
        lex_prefixed(text, token);
    }
    lexer->at = token->end;
}

static int hex_value(char byte)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *found = memchr(digits, byte, sizeof(digits) - 1);
    int value = found == NULL ? -1 : (int)(found - digits);
    return value < 16 ? value : value - 6;
}

size_t tacho_mlir_read_escape(tacho_str escape, char *out_byte)
{
    switch (escape.len > 0 ? escape.data[0] : '\0') {
    case '"':
    case '\\':
        *out_byte = escape.data[0];
        return 1;
    case 'n':
        *out_byte = '\n';
        return 1;
    case 't':
        *out_byte = '\t';
        return 1;
    default:
        break;
    }
    int high = escape.len < 2 ? -1 : hex_value(escape.data[0]);
    int low = escape.len < 2 ? -1 : hex_value(escape.data[1]);
    *out_byte = (char)(unsigned char)(high * 16 + low);
    return high < 0 || low < 0 ? 0 : 2;
}
