/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How two profiles compare, for whoever shows them side by side: as by tacho_comparing. Of
 * different origins A is the one that was computed, and it is told how it agrees with what came of
 * it.
 */
#ifndef TACHO_PIPELINE_AGREEMENT_H
#define TACHO_PIPELINE_AGREEMENT_H

#include "questions/analysis.h"
#include "questions/samples/samples.h"
#include "base/notes.h"
#include "pipeline/intake.h"

/* Inputs with more rows than this together are not compared by the way: a note says so. */
enum { TACHO_AGREEMENT_ROWS_MAX = 1 << 20 };

typedef struct tacho_agreement_options {
    const tacho_selection *selection;
    tacho_samples_options samples;
    size_t top;     /* operators to show; 0 for all */
    bool is_of_any; /* inputs of one origin are compared, too, and what explains the difference told
                     */
    const tacho_notes *notes;
} tacho_agreement_options;

/* An input that was read. */
typedef struct tacho_agreement_input {
    tacho_intake_input input;
    tacho_origin origin; /* unknown where its parts are of several */
    uint64_t row_count;
} tacho_agreement_input;

typedef struct tacho_agreement {
    const tacho_intake *intake; /* how inputs are read; not which */
    tacho_agreement_options options;
    tacho_agreement_input inputs[2];
    size_t input_count; /* of all that were added */
    bool has_operators; /* one knows those of a framework, which launched what devices did */
} tacho_agreement;

/* Adds an input that was read to |dict|, maybe with others. Its texts outlive |agreement|. */
void tacho_agreement_add(tacho_agreement *agreement, const tacho_intake_input *input,
                         const tacho_dict *dict);

/*
 * Reads both inputs again and hands over how they compare. Nothing comes where there are not two,
 * or where they cannot be read twice, or are of one origin unless asked; what cannot be compared is
 * a note.
 */
tacho_status tacho_agreement_tables(const tacho_agreement *agreement,
                                    const tacho_table_taker *to) TACHO_MUST_USE;

#endif
