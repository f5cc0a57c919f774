/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the JSON reader: its tokens as text, one per word. Brackets are written as they
 * are, then K:key, S:string, N:number, T:true, F:false, 0:null, END, and a failure as FAIL and its
 * message.
 */
#ifndef TACHO_CODEC_JSON_TESTING_H
#define TACHO_CODEC_JSON_TESTING_H

#include "codec/json_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4096 };

static inline void append(char *text, const char *word, tacho_str rest)
{
    size_t len = strlen(text);
    int added = snprintf(text + len, TEXT_BYTES - len, "%s%s%.*s", len == 0 ? "" : " ", word,
                         TACHO_STR_ARG(rest));
    assert_true(added >= 0 && (size_t)added < TEXT_BYTES - len);
}

static inline void append_token(char *text, tacho_json_token token, tacho_str token_text)
{
    static const char *const words[] = {"", "", "", "", "K:", "S:", "N:", "T:", "F:", "0:", "END"};
    append(text, words[token], token_text);
}

/* Appends a failure, frees it, and returns whether there was one. */
static inline bool append_failure(char *text, tacho_status status)
{
    if (status == TACHO_OK) {
        return false;
    }
    append(text, "FAIL ", tacho_str_from_cstring(tacho_status_message(status)));
    tacho_status_free(status);
    return true;
}

/* Appends the tokens that are left, END or a failure included. */
static inline void append_all(char *text, tacho_json_reader *reader)
{
    tacho_json_token token = TACHO_JSON_NULL;
    do {
        if (append_failure(text, tacho_json_next(reader, &token))) {
            return;
        }
        append_token(text, token, reader->text);
    } while (token != TACHO_JSON_END);
}

static inline void open_text(tacho_input *input, tacho_json_reader *reader, tacho_str text,
                             const tacho_json_options *options)
{
    assert_null(tacho_input_open_bytes("x.json", text, input));
    assert_null(tacho_json_reader_init(reader, input, options));
}

static inline void close_all(tacho_input *input, tacho_json_reader *reader)
{
    tacho_json_reader_deinit(reader);
    tacho_input_close(input);
}

/* All of |json| as text; returns whether it was found to be cut. */
static inline bool read_all(tacho_str json, const tacho_json_options *options, char *out_text)
{
    tacho_input input;
    tacho_json_reader reader;
    open_text(&input, &reader, json, options);
    out_text[0] = '\0';
    append_all(out_text, &reader);
    bool is_cut = reader.is_cut;
    close_all(&input, &reader);
    return is_cut;
}

#endif
