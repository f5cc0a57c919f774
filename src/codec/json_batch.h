/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the JSON reader: turns its buffer into a batch of tokens. Only json_reader.c uses
 * it.
 */
#ifndef TACHO_CODEC_JSON_BATCH_H
#define TACHO_CODEC_JSON_BATCH_H

#include "codec/json_reader.h"
#include "codec/json_runs.h"

/* The tokens that may follow. */
typedef enum tacho_json_state {
    TACHO_JSON_STATE_VALUE,
    TACHO_JSON_STATE_FIRST_VALUE, /* or the end of the array */
    TACHO_JSON_STATE_KEY,
    TACHO_JSON_STATE_FIRST_KEY, /* or the end of the object */
    TACHO_JSON_STATE_COLON,
    TACHO_JSON_STATE_AFTER, /* a comma or the end of the container */
    TACHO_JSON_STATE_DONE,
} tacho_json_state;

/*
 * Scans tokens from the cursor on until the batch is full or a byte does not fit; then |stop| is
 * that byte, the limit when more input may help, and |wanted| the expected token. The cursor ends
 * up after the last token.
 */
void tacho_json_batch_scan(tacho_json_reader *reader);

#endif
