/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Formats that tacho recognises and does not read: what each is called, and how to get from it to
 * a file that tacho reads. A source that learns to read one deletes its row.
 */
#ifndef TACHO_SOURCES_KNOWN_FORMATS_H
#define TACHO_SOURCES_KNOWN_FORMATS_H

#include "base/status.h"
#include "base/str.h"

enum { KNOWN_FORMAT_WORDS = 4 };

/*
 * Recognised by |magic| at |offset| together with all |words| somewhere in the head, or by
 * |is_mine| for formats without fixed bytes, or by the suffix of its name for formats that nobody
 * documents.
 */
typedef struct tacho_known_format {
    const char *title;  /* "an Nsight Systems report" */
    const char *remedy; /* a clause; FILE stands for the path */
    tacho_str magic;
    size_t offset;
    const char *words[KNOWN_FORMAT_WORDS]; /* NULL-terminated unless full */
    bool (*is_mine)(tacho_str head);
    const char *suffixes; /* separated by spaces */
} tacho_known_format;

/* All of them; ends with a title of NULL. */
extern const tacho_known_format tacho_known_formats[];

/* The format of a file by its |head|, else by its |name|; NULL for none. */
const tacho_known_format *tacho_known_format_find(tacho_str head, tacho_str name);

/* The failure that names the format of |path| and the remedy. */
tacho_status tacho_known_format_fail(const tacho_known_format *format,
                                     const char *path) TACHO_MUST_USE;

#endif
