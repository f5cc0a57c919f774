/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Delimited text, one line at a time.
 *
 * Profilers write CSV in two ways: plain, where a delimiter always ends a field and quotes mean
 * nothing (tacho_csv_split, tacho_csv_split_ends), and quoted as in RFC 4180
 * (tacho_csv_read_quoted). Our own output is always RFC 4180.
 *
 * Fields are views of the line wherever they can be, and live as long as it does.
 */
#ifndef TACHO_CODEC_CSV_H
#define TACHO_CODEC_CSV_H

#include "base/arena.h"
#include "base/output.h"
#include "base/status.h"
#include "base/str.h"

/*
 * Splits a plain line at every |delimiter|. The first |field_max| fields go to |fields|; returns
 * how many there are in all, which may be more. An empty line has one field, which is empty.
 */
size_t tacho_csv_split(tacho_str line, char delimiter, tacho_str *fields, size_t field_max);

/*
 * Splits a plain line whose middle field may hold delimiters of its own, such as a location
 * written without quotes: |left_count| fields from the left, the middle verbatim, |right_count|
 * fields from the right; left_count + 1 + right_count in all, in the order of the line. False,
 * with |fields| unspecified, when the line holds fewer than left_count + right_count delimiters.
 */
bool tacho_csv_split_ends(tacho_str line, char delimiter, size_t left_count, size_t right_count,
                          tacho_str *fields);

typedef struct tacho_csv_record {
    const tacho_str *fields;
    size_t field_count; /* at least 1 */
} tacho_csv_record;

/*
 * Splits a line in which fields may be quoted. Quotes are taken off and doubled quotes undone; a
 * quote inside a field that does not start with one is kept as it is. The array of fields, and
 * those fields that differ from the line, live in |scratch|. A quote that is never closed, or
 * text after a closing quote, is BAD_DATA. |delimiter| must not be a quote.
 */
tacho_status tacho_csv_read_quoted(tacho_str line, char delimiter, tacho_arena *scratch,
                                   tacho_csv_record *out_record) TACHO_MUST_USE;

/*
 * Writes one field, quoted when it holds a delimiter, a quote, CR or LF. The caller writes the
 * delimiters and the line ends between fields.
 */
void tacho_csv_write_field(tacho_output *output, tacho_str text, char delimiter);

/*
 * The same for untrusted text that a spreadsheet may open: text that starts like a formula, with
 * = + - @ TAB or CR, and is neither a number nor a lone -, gets a ' in front. This changes the
 * data.
 */
void tacho_csv_write_guarded(tacho_output *output, tacho_str text, char delimiter);

#endif
