/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In text, searches the words as the lexer splits them; in bytecode, only the table of strings,
 * which has the names of its dialects. Weights are skipped.
 */
#include "sources/torq/ir_kind.h"

#include "codec/mlir_bytecode.h"
#include "codec/mlir_lexer.h"

bool torq_ir_is_own_name(tacho_str name)
{
    return tacho_str_starts_with(name, TACHO_STR("torq_hl.")) ||
           tacho_str_starts_with(name, TACHO_STR("torq_hw."));
}

/* The end of a string, or of the line if its end is missing: no quote is scanned twice. */
static size_t string_end(tacho_str text, size_t at)
{
    size_t end = tacho_mlir_skip_string(text, at);
    return end > at ? end : at + tacho_str_find_byte(tacho_str_from(text, at), '\n');
}

/* Skips a string. "torq_hl.program"(...) is an operation, other strings are not. */
static size_t pass_string(tacho_str text, size_t at, bool *out_is_own)
{
    size_t end = string_end(text, at);
    *out_is_own = end < text.len && text.data[end] == '(' &&
                  torq_ir_is_own_name(tacho_str_from(tacho_str_make(text.data, end), at + 1));
    return end;
}

/* Skips a symbol: @"a b"(...). */
static size_t pass_symbol(tacho_str text, size_t at)
{
    bool is_quoted = at + 1 < text.len && text.data[at + 1] == '"';
    return is_quoted ? string_end(text, at + 1) : tacho_mlir_skip_suffix(text, at + 1);
}

/* Skips one token at |at|; returns its end. */
static size_t pass(tacho_str text, size_t at, bool *out_is_own)
{
    size_t end = at;
    switch (text.data[at]) {
    case '"':
        return pass_string(text, at, out_is_own);
    case '@':
    case '%':
    case '^':
        return pass_symbol(text, at);
    case '!':
    case '#':
        *out_is_own = torq_ir_is_own_name(tacho_str_from(text, at + 1));
        end = tacho_mlir_skip_suffix(text, at + 1);
        break;
    default:
        *out_is_own = torq_ir_is_own_name(tacho_str_from(text, at));
        end = tacho_mlir_skip_word(text, at);
        break;
    }
    return end > at ? end : at + 1;
}

static bool has_own_word(tacho_str text)
{
    bool is_own = false;
    size_t at = tacho_mlir_skip_blanks(text, 0);
    while (at < text.len && !is_own) {
        at = tacho_mlir_skip_blanks(text, pass(text, at, &is_own));
    }
    return is_own;
}

bool torq_ir_is_program(tacho_str bytes)
{
    if (!tacho_mlir_is_bytecode(bytes)) {
        return has_own_word(bytes);
    }
    return tacho_mlir_bytecode_has_string(bytes, TACHO_STR("torq_hl")) ||
           tacho_mlir_bytecode_has_string(bytes, TACHO_STR("torq_hw"));
}
