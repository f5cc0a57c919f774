/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of a request in the making.
 */
#ifndef TACHO_API_REQUESTS_RESULTS_H
#define TACHO_API_REQUESTS_RESULTS_H

#include "api/tables.h"
#include <tacho/request.h>

struct tacho_results {
    int outcome;
    bool is_misuse;
    tacho_tables *tables;
    tacho_result_note *notes; /* with texts and hints of their own in |arena| */
    size_t note_count, note_capacity;
    tacho_arena arena;
};

tacho_status tacho_results_create(tacho_results **out_results) TACHO_MUST_USE;

/* Keeps a copy of |note|; without memory it is lost. */
void tacho_results_add_note(tacho_results *results, const tacho_result_note *note);

#endif
