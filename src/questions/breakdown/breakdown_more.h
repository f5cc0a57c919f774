/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns and gaps of each subject, for rules: tacho_device_more, by row of facts.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_MORE_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_MORE_H

#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/breakdown_subjects.h"

/* One for each of the |count| subjects; free them even after a failure. */
tacho_status tacho_device_more_make(const tacho_breakdown_gather *gather,
                                    const tacho_breakdown_subject *subjects, size_t count,
                                    tacho_device_more **out_more) TACHO_MUST_USE;
void tacho_device_more_free(tacho_device_more *more, size_t count);

#endif
