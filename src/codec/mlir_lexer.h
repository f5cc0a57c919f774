/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tokens of MLIR text. A lexer is a cursor over a text in memory; copying one looks ahead.
 *
 * Comments and file metadata ({-# ... #-}) count as blanks. Numbers have no sign. Text in the
 * brackets of an attribute or a type follows no common rule, so it is not for this lexer: see
 * mlir_text_scan.c.
 */
#ifndef TACHO_CODEC_MLIR_LEXER_H
#define TACHO_CODEC_MLIR_LEXER_H

#include "base/str.h"

typedef enum tacho_mlir_token_kind {
    TACHO_MLIR_TOKEN_END,
    TACHO_MLIR_TOKEN_BAD,    /* a byte that begins no token, or a token without its end */
    TACHO_MLIR_TOKEN_WORD,   /* module, torq_hl.program */
    TACHO_MLIR_TOKEN_VALUE,  /* %a, %0#1 */
    TACHO_MLIR_TOKEN_BLOCK,  /* ^bb0 */
    TACHO_MLIR_TOKEN_SYMBOL, /* @main, @"any text" */
    TACHO_MLIR_TOKEN_HASH,   /* #loc1, #hal.pipeline */
    TACHO_MLIR_TOKEN_BANG,   /* !ty, !hal.device */
    TACHO_MLIR_TOKEN_STRING, /* quotes included */
    TACHO_MLIR_TOKEN_NUMBER,
    TACHO_MLIR_TOKEN_ARROW, /* -> */
    TACHO_MLIR_TOKEN_MARK,  /* one byte, see |mark| */
} tacho_mlir_token_kind;

typedef struct tacho_mlir_token {
    tacho_mlir_token_kind kind;
    char mark;          /* the byte of a MARK, else NUL */
    bool after_newline; /* since the token before, or at the start */
    bool after_blank;   /* any space, newline or comment */
    size_t start;       /* bytes of the text */
    size_t end;
} tacho_mlir_token;

typedef struct tacho_mlir_lexer {
    tacho_str text;
    size_t at;
} tacho_mlir_lexer;

/* Reads the next token to where it is wanted: copying one that was just made stalls. */
void tacho_mlir_lexer_read(tacho_mlir_lexer *lexer, tacho_mlir_token *out_token);

static inline tacho_mlir_token tacho_mlir_lexer_next(tacho_mlir_lexer *lexer)
{
    tacho_mlir_token token;
    tacho_mlir_lexer_read(lexer, &token);
    return token;
}

/* The first byte from |at| on that is neither blank nor comment nor metadata. */
size_t tacho_mlir_skip_blanks(tacho_str text, size_t at);

/* The end of the string that opens at |at|; |at| itself when its closing quote is missing. */
size_t tacho_mlir_skip_string(tacho_str text, size_t at);

/* The end of the word that starts at |at|: letters, digits, '_', '$' and '.'. */
size_t tacho_mlir_skip_word(tacho_str text, size_t at);

/* The same for a name after '#', '!', '%' and '^', where '-' is allowed too. */
size_t tacho_mlir_skip_suffix(tacho_str text, size_t at);

/* The byte that |escape|, the text after a backslash, stands for; its length, or 0 if none. */
size_t tacho_mlir_read_escape(tacho_str escape, char *out_byte);

#endif
