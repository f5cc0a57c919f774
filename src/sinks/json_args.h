/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span as JSON, for every sink that writes JSON.
 */
#ifndef TACHO_SINKS_JSON_ARGS_H
#define TACHO_SINKS_JSON_ARGS_H

#include "codec/json.h"
#include "profile/events.h"

/* Cached JSON of something with an id; |len| 0: none. */
typedef struct tacho_json_piece {
    uint32_t id;
    uint32_t len;
    char text[120];
} tacho_json_piece;

enum { TACHO_JSON_PIECE_ROOM = sizeof(((tacho_json_piece *)0)->text) };

/*
 * Copies the piece to |at|, which has room for any piece. Returns its end, or NULL if it is not
 * that of |id|.
 */
static inline unsigned char *tacho_json_piece_copy(unsigned char *at, const tacho_json_piece *piece,
                                                   uint32_t id)
{
    enum { SHORT = 32 };
    if (TACHO_UNLIKELY(piece->id != id || piece->len == 0)) {
        return NULL;
    }
    /* Constant lengths are quick copies. */
    memcpy(at, piece->text, SHORT);
    if (piece->len > SHORT) {
        memcpy(at + SHORT, piece->text + SHORT, sizeof(piece->text) - SHORT);
    }
    return at + piece->len;
}

/* Writes the piece if it is that of |id|. */
static inline bool tacho_json_piece_put(tacho_output *output, const tacho_json_piece *piece,
                                        uint32_t id)
{
    unsigned char *at = tacho_output_reserve(output, TACHO_JSON_PIECE_ROOM);
    unsigned char *end = tacho_json_piece_copy(at, piece, id);
    output->cursor = end != NULL ? end : at;
    return end != NULL;
}

/* Caches the text from |start| on as the piece of |id|, unless it is long. */
static inline void tacho_json_piece_keep(const tacho_output *output, tacho_json_piece *piece,
                                         uint32_t id, uint64_t start)
{
    uint64_t len = tacho_output_offset(output) - start;
    if (len <= sizeof(piece->text) && len <= (size_t)(output->cursor - output->buffer)) {
        piece->id = id;
        piece->len = (uint32_t)len;
        memcpy(piece->text, output->cursor - len, (size_t)len);
    }
}

/*
 * Caches of argument keys and strings of the dictionary, and options for values; all zero to begin
 * with.
 */
enum { TACHO_JSON_KEY_SLOTS = 64, TACHO_JSON_STRING_SLOTS = 512 };
typedef struct tacho_json_keys {
    /*
     * Numbers beyond signed 64 bits and doubles are written as strings, and names of arguments
     * without brackets (profile/facts.h).
     */
    bool is_for_viewers;
    tacho_json_piece pieces[TACHO_JSON_KEY_SLOTS];
    tacho_json_piece strings[TACHO_JSON_STRING_SLOTS];
} tacho_json_keys;

/*
 * Writes an object with the span's arguments and further facts of the model: cycles, location, run
 * and invocation, an origin other than its part's, a missing end. Returns the number of numbers
 * written as strings.
 */
size_t tacho_json_args_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row,
                             tacho_json_keys *keys);

/* Writes the indices of the numbers written as strings: "0,3" for the first and the fourth. */
void tacho_json_large_write(tacho_output *output, const tacho_row *row);

/* Writes only the arguments that every trace must have: the origin, and a missing end. */
void tacho_json_marks_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row);

/* Writes a value after the text |before|: a comma, a key, a colon. */
static inline void tacho_json_put_string(tacho_output *output, const char *before, tacho_str text)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_string(output, text);
}

static inline void tacho_json_put_int(tacho_output *output, const char *before, int64_t value)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_int(output, value);
}

static inline void tacho_json_put_uint(tacho_output *output, const char *before, uint64_t value)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_uint(output, value);
}

#endif
