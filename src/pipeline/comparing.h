/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comparing two sets of profiles: each file is read once, reduced to samples and forgotten; then
 * the tables of the difference are written.
 */
#ifndef TACHO_PIPELINE_COMPARING_H
#define TACHO_PIPELINE_COMPARING_H

#include "questions/analysis.h"
#include "questions/diff/diff.h"
#include "pipeline/intake.h"
#include "sinks/table_sink.h"

typedef struct tacho_comparing {
    tacho_intake intakes[2]; /* of side A and side B */
    const tacho_selection *selection;
    tacho_samples_options samples;
    tacho_diff_options diff;
    const tacho_table_target *outputs; /* one after the other */
    size_t output_count;
    const tacho_table_taker *taker; /* who also gets the tables (optional) */
    bool is_strict;                 /* a loss is a failure */
    /* One file is read; |dict| says what was lost. (optional) */
    void (*read)(void *user, const tacho_dict *dict);
    void *user;
} tacho_comparing;

/* What became of it. */
typedef struct tacho_comparing_result {
    bool has_losses;
    tacho_verdict verdict;
} tacho_comparing_result;

tacho_status tacho_comparing_run(const tacho_comparing *comparing,
                                 tacho_comparing_result *out_result) TACHO_MUST_USE;

#endif
