/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of text, for command lines and help.
 */
#ifndef TACHO_CLI_PIECE_H
#define TACHO_CLI_PIECE_H

#include <stddef.h>
#include <string.h>

typedef struct tacho_piece {
    const char *data;
    size_t len;
} tacho_piece;

/* For "%.*s". */
#define TACHO_PIECE_ARG(piece) (int)(piece).len, (piece).data

static inline tacho_piece tacho_piece_make(const char *data, size_t len)
{
    return (tacho_piece){data, len};
}

static inline tacho_piece tacho_piece_of(const char *text)
{
    return tacho_piece_make(text, strlen(text));
}

/* What follows the first |count| bytes. */
static inline tacho_piece tacho_piece_from(tacho_piece piece, size_t count)
{
    return tacho_piece_make(piece.data + count, piece.len - count);
}

/* Where |byte| is; the length if it is nowhere. */
static inline size_t tacho_piece_find(tacho_piece piece, char byte)
{
    const char *found = piece.len > 0 ? memchr(piece.data, byte, piece.len) : NULL;
    return found != NULL ? (size_t)(found - piece.data) : piece.len;
}

/* Without blanks at both ends. */
static inline tacho_piece tacho_piece_trim(tacho_piece piece)
{
    while (piece.len > 0 && piece.data[0] == ' ') {
        piece = tacho_piece_from(piece, 1);
    }
    while (piece.len > 0 && piece.data[piece.len - 1] == ' ') {
        piece.len--;
    }
    return piece;
}

#endif
