/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8 at the border: names are from files and may hold anything. Sinks write only clean text, and
 * the terminal receives only printable text.
 */
#ifndef TACHO_BASE_UTF8_H
#define TACHO_BASE_UTF8_H

#include "base/arena.h"
#include "base/str.h"

/* Whether |text| is valid UTF-8 without NUL bytes. */
bool tacho_utf8_is_clean(tacho_str text);

/* |text| itself when clean, else a copy with each bad byte replaced by U+FFFD. */
tacho_status tacho_utf8_clean(tacho_str text, tacho_arena *arena,
                              tacho_str *out_text) TACHO_MUST_USE;

/* The same into |to|, which has room for three times the bytes; returns the end. */
char *tacho_utf8_clean_into(tacho_str text, char *to);

/*
 * Decodes the character at the start of |text| (not empty): its length in bytes and its code
 * point. An invalid byte has length 1 and code point UINT32_MAX.
 */
size_t tacho_utf8_decode(tacho_str text, uint32_t *out_code_point);

/* Whether a character, or an invalid byte, would act on the terminal instead of being shown. */
bool tacho_utf8_acts_on_terminal(uint32_t code_point);

/* Writes the escape of the first character of |text| to |to|; returns its length. */
enum { TACHO_UTF8_ESCAPE_MAX = 12 }; /* room that an escape needs */
size_t tacho_utf8_escape(tacho_str text, char *to);

/*
 * |text| as a terminal may show it: control characters, DEL, C1 and text-direction controls and
 * invalid bytes become visible escapes (\x1b, \u202e). |text| itself when there are none.
 */
tacho_status tacho_utf8_printable(tacho_str text, tacho_arena *arena,
                                  tacho_str *out_text) TACHO_MUST_USE;

/* The beginning of |text|, at most |most| bytes of it, that ends where a character does. */
tacho_str tacho_utf8_cut(tacho_str text, size_t most);

/* Columns that |text| takes on a terminal. */
size_t tacho_utf8_width(tacho_str text);

#endif
