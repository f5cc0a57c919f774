/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span as one text, for formats that have a single field for them. Members of
 * containers are named key.member and key[0].
 */
#ifndef TACHO_SINKS_ARGS_TEXT_H
#define TACHO_SINKS_ARGS_TEXT_H

#include "base/real.h"
#include "profile/arg_walk.h"

/* Options for the text, and its buffer. */
typedef struct tacho_args_text {
    const char *equals;    /* between a key and its value; NULL: "=" */
    const char *separator; /* between arguments; NULL: "; " */
    tacho_arg_walk walk;
    char *text;
    size_t len, capacity;
} tacho_args_text;

void tacho_args_text_deinit(tacho_args_text *self);

/* Formats all arguments of |row|; the text is valid until the next call. */
tacho_status tacho_args_text_make(tacho_args_text *self, const tacho_dict *dict,
                                  const tacho_row *row, tacho_str *out_text) TACHO_MUST_USE;

/* Formats a numeric argument into |room|. */
tacho_str tacho_args_text_number(const tacho_arg *arg, char room[TACHO_REAL_MAX]);

/* Appends to the text made last. */
tacho_status tacho_args_text_add(tacho_args_text *self, tacho_str text) TACHO_MUST_USE;

#endif
