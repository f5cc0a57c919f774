/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What raw stats are read with: the program that recorded them, what it says of its records, and
 * the sums of one file at a time. Summaries of folders, of a run and of the library share it.
 */
#ifndef TACHO_VENDORS_QAIC_OPSTATS_DECODER_H
#define TACHO_VENDORS_QAIC_OPSTATS_DECODER_H

#include "questions/opstats/opstats.h"
#include "base/mapping.h"

typedef struct tacho_opstats_decoder {
    tacho_program program;
    tacho_stats_layout layout;
    tacho_stats_words words;
    tacho_opstats_plan plan;
    tacho_opstats stats;
} tacho_opstats_decoder;

/*
 * Reads the program; the rest is there only where it records anything (tacho_opstats_decoder_can).
 * |decoder| is all zeros before; Call deinit even after a failure.
 */
tacho_status tacho_opstats_decoder_init(tacho_opstats_decoder *decoder,
                                        const char *program_path) TACHO_MUST_USE;
void tacho_opstats_decoder_deinit(tacho_opstats_decoder *decoder);

/* Whether its program records anything. */
bool tacho_opstats_decoder_can(const tacho_opstats_decoder *decoder);

/* A file of raw stats. */
typedef struct tacho_opstats_file {
    tacho_mappings mappings;
    tacho_stats_file file;
} tacho_opstats_file;

/* |out| is all zeros before; close it even after a failure. Messages do not name the file. */
tacho_status tacho_opstats_file_open(const tacho_opstats_decoder *decoder, const char *path,
                                     tacho_opstats_file *out) TACHO_MUST_USE;
void tacho_opstats_file_close(tacho_opstats_file *file);

#endif
