/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run recorded, as files of raw stats would be read: the same records, bound to the program.
 */
#ifndef TACHO_SESSION_RUN_STATS_H
#define TACHO_SESSION_RUN_STATS_H

#include "session/run.h"
#include "program/stats_words.h"

/* One activation of one recorded inference. */
typedef struct tacho_run_stats {
    const tacho_run_sample *sample;
    uint32_t activation;
    const tacho_stats_file *files; /* one per device */
    size_t file_count;
    const tacho_stats_words *words;
} tacho_run_stats;

typedef tacho_status (*tacho_run_stats_visit)(void *self, const tacho_run_stats *stats);

/* Whether anything was recorded. */
bool tacho_run_has_stats(const tacho_run_session *session);

/* Calls |visit| for each, in order; with |is_first_only| for the first alone. */
tacho_status tacho_run_stats_each(const tacho_run_session *session, bool is_first_only,
                                  tacho_run_stats_visit visit, void *self) TACHO_MUST_USE;

#endif
