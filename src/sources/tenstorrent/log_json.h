/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small JSON value in memory, as a list of tokens, and its form in Python: Tenstorrent's op
 * tables hold values as Python's str() prints them.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_JSON_H
#define TACHO_SOURCES_TENSTORRENT_LOG_JSON_H

#include "base/text.h"
#include "codec/json_reader.h"

/* One token; a key precedes its value. */
typedef struct tt_json_node {
    tacho_str text; /* of a key or string: unescaped */
    tacho_json_token kind;
    uint32_t behind; /* the node after this one and all its contents */
} tt_json_node;

/* The texts of nodes live as long as this. */
typedef struct tt_json {
    tacho_input input;
    tacho_json_reader reader;
    bool is_open;
    tt_json_node *nodes;
    size_t node_count, node_capacity;
} tt_json;

/* |*out_is_good| is false when |text| is not one JSON value. Call deinit even if init failed. */
tacho_status tt_json_init(tt_json *json, tacho_str text, bool *out_is_good) TACHO_MUST_USE;
void tt_json_deinit(tt_json *json);

/*
 * The value of |key| in the object at |node|; TACHO_NONE when it is missing, or |node| is not an
 * object.
 */
uint32_t tt_json_find(const tt_json *json, uint32_t node, const char *key);

/* The first element of an array, and the next one after |node|; TACHO_NONE after the last. */
uint32_t tt_json_first(const tt_json *json, uint32_t array);
uint32_t tt_json_next(const tt_json *json, uint32_t node);

/* Appends Python's str() of the value: text as it is, True, None, ['a', 1.5]. */
tacho_status tt_json_put_python(const tt_json *json, uint32_t node,
                                tacho_text *text) TACHO_MUST_USE;

/* Appends Python's repr() of a string: in quotes, with escapes. */
tacho_status tt_put_python_string(tacho_text *text, tacho_str string) TACHO_MUST_USE;

#endif
