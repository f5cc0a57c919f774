/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor's words for tasks and engines in reports of raw stats: thread groups, memories, element
 * types; and the job of a record. Computed once per program, for all decoders of its stats.
 */
#ifndef TACHO_PROGRAM_STATS_WORDS_H
#define TACHO_PROGRAM_STATS_WORDS_H

#include "base/text.h"
#include "program/stats_layout.h"

/* The group of threads that start transfers and do not wait for them. */
#define TACHO_STATS_ISSUE_GROUP "DMAIssue"

/* The kind of op that writes the stats at the end of an inference. */
#define TACHO_STATS_FLUSH_KIND "aicendcyclestats"

/* A job as its engine's records describe it. */
typedef struct tacho_stats_slot {
    uint32_t oc, job;
    int64_t cycles; /* estimate */
    uint64_t bytes; /* moved; its share of the task's output */
    bool is_wait;   /* nothing but waiting */
    bool is_link;   /* a transfer from another device */
} tacho_stats_slot;

typedef struct tacho_stats_words {
    const tacho_stats_layout *layout;
    bool *is_issue;          /* by engine: its thread starts transfers */
    uint64_t *task_bytes;    /* by task: its output; all tasks of an op that compute: the op's */
    uint32_t *task_first;    /* by task, and one more: place in |jobs| */
    uint32_t *jobs;          /* by task, in order */
    uint32_t *first_slot;    /* by engine, and one more: place in |slots| */
    tacho_stats_slot *slots; /* by engine: its jobs, in the order in which they are recorded */
} tacho_stats_words;

/* |layout| outlives it. Call deinit even after a failure. */
tacho_status tacho_stats_words_init(tacho_stats_words *words,
                                    const tacho_stats_layout *layout) TACHO_MUST_USE;
void tacho_stats_words_deinit(tacho_stats_words *words);

/* "HVX", "HMX", "DMAIssue". */
tacho_str tacho_stats_words_group(const tacho_stats_words *words, uint32_t engine);

/* "TCM" or "DDR": the target or source memory of jobs of |kind|. */
tacho_str tacho_stats_words_memory(uint16_t kind);

/* The place among all tasks of the task |oc| of the core of |engine|, which exists. */
static inline size_t tacho_stats_words_task(const tacho_stats_words *words, uint32_t engine,
                                            uint32_t oc)
{
    const tacho_program *program = words->layout->program;
    const tacho_program_engine *e = &program->engines[engine];
    return words->layout->core_first_task[(size_t)e->device * program->facts.core_count + e->core] +
           oc;
}

/* The job of a task on an engine, or TACHO_NONE. */
uint32_t tacho_stats_words_job(const tacho_stats_words *words, size_t task, uint32_t engine);

/*
 * The job of a record of an engine: the one with its |oc|, which |*cursor|, 0 before the first
 * record, points at unless some are missing. NULL when the engine has no such job.
 */
static inline const tacho_stats_slot *tacho_stats_words_slot(const tacho_stats_words *words,
                                                             uint32_t engine, uint32_t oc,
                                                             uint32_t *cursor)
{
    uint32_t first = words->first_slot[engine];
    uint32_t count = words->first_slot[engine + 1] - first;
    const tacho_stats_slot *slots = &words->slots[first];
    if (*cursor < count && slots[*cursor].oc == oc) {
        return &slots[(*cursor)++];
    }
    /* By halves: the numbers of an engine's jobs ascend. */
    uint32_t low = 0;
    uint32_t high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slots[middle].oc < oc) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == count || slots[low].oc != oc) {
        return NULL;
    }
    *cursor = low + 1;
    return &slots[low];
}

/* "(float16, i8)": the element types of an op's tensors, sorted; empty for none. */
tacho_status tacho_stats_words_types(const tacho_program *program, uint32_t op,
                                     tacho_text *text) TACHO_MUST_USE;

/* The vendor's name of an element type. */
const char *tacho_stats_words_dtype(tacho_dtype dtype);

#endif
