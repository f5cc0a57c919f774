/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that are not plain: escapes, and control characters that a lenient reader lets pass.
 */
#ifndef TACHO_CODEC_JSON_ESCAPE_H
#define TACHO_CODEC_JSON_ESCAPE_H

#include "codec/json_reader.h"

/*
 * Finds the quote that ends a string, from its first odd byte |at| on, and counts the oddities in
 * it. NULL, with |stop| and |wanted| set and nothing counted, when it is wrong or incomplete.
 */
char *tacho_json_escape_find_end(tacho_json_reader *reader, char *at);

/* Unescapes in place a string whose escapes have been checked; returns its new length. */
size_t tacho_json_escape_undo(char *text, size_t len);

#endif
