/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subjects of verdicts, advice and rows of tables: a device; or, if the parts of a file are
 * inferences of one program, a device in all of them but warm-up.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_SUBJECTS_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_SUBJECTS_H

#include "questions/breakdown/breakdown_gather.h"
#include "table/table.h"

/* The devices first, first + stride, ...: one per inference, |count| of them. */
typedef struct tacho_breakdown_subject {
    size_t first, stride, count;
    size_t warm_up_count; /* of them, the first */
} tacho_breakdown_subject;

static inline const tacho_breakdown_device *
tacho_breakdown_subject_device(const tacho_breakdown_gather *gather,
                               const tacho_breakdown_subject *subject, size_t index)
{
    return &gather->devices[subject->first + index * subject->stride];
}

static inline bool tacho_breakdown_subject_has(const tacho_breakdown_subject *subject,
                                               size_t device)
{
    return device >= subject->first && (device - subject->first) % subject->stride == 0 &&
           (device - subject->first) / subject->stride < subject->count;
}

/* The end of the inferences that begin with |part|, each a part; always after |part|. */
uint32_t tacho_breakdown_inferences_end(const tacho_breakdown_gather *gather, uint32_t part);

/* All of them, by device; the caller frees them. */
tacho_status tacho_breakdown_subjects_make(const tacho_breakdown_gather *gather,
                                           tacho_breakdown_subject **out_subjects,
                                           size_t *out_count) TACHO_MUST_USE;

/* Adds the rows of each to |table|. */
typedef tacho_status (*tacho_breakdown_add_rows)(const tacho_breakdown_gather *gather,
                                                 const tacho_breakdown_subject *subject,
                                                 tacho_table *table);
tacho_status tacho_breakdown_each_subject(const tacho_breakdown_gather *gather,
                                          tacho_breakdown_add_rows add,
                                          tacho_table *table) TACHO_MUST_USE;

/* Adds the cells of TACHO_BREAKDOWN_WHO; several inferences have the name of the program. */
tacho_status tacho_breakdown_add_subject(const tacho_breakdown_gather *gather,
                                         const tacho_breakdown_subject *subject,
                                         tacho_table *table) TACHO_MUST_USE;

#endif
