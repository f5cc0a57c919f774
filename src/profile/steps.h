/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: the iterations, inferences or batches of a part, and which of them are warm-up. The first
 * of these kinds of marks that a part has defines its steps:
 *
 *   ProfilerStep#7       as PyTorch's profiler marks them
 *   ranges that repeat   of annotations or NVTX, whose names have a word such as step, iteration,
 *                        batch or inference
 *   runs                 numbered executions of one program
 *   signposts            from one to the next; those of the most frequent name
 *   annotations of       where the host has none: ProfilerStep#7 and names with such a word
 *   a device
 *   ranges that repeat   under any name, where only one does, outermost on its thread
 *
 * Ranges other than PyTorch's have to repeat and to cover half of the time from the first to the
 * last. Ranges that PyTorch itself draws (Optimizer.step, DataLoader, collectives) do not count.
 * Names with a word for a step may end in a number that counts up; in any other name the number is
 * part of the name, for layer_3 does not repeat layer_2.
 *
 * Two kinds of steps are left out wherever a typical step is needed; only tacho_steps_leave_out
 * decides which. Leading steps are warm-up if they take longer than the second half of the steps:
 * longer than its third quartile by 1.5 interquartile ranges, and than its median by a tenth. With
 * fewer than three steps, no step is warm-up. The last step that a profiler marks contains the
 * profiler's stop if it takes longer, by as much, than the steps between the first and it; at least
 * two of these are needed.
 */
#ifndef TACHO_PROFILE_STEPS_H
#define TACHO_PROFILE_STEPS_H

#include "profile/events.h"

/* The kinds of marks that define steps: id, word for programs, words for people. */
#define TACHO_STEP_KINDS(X)                                                                        \
    X(NONE, "", "")                                                                                \
    X(PROFILER, "marked", "marked by the profiler")                                                \
    X(RANGE, "range", "ranges that repeat")                                                        \
    X(RUN, "run", "numbered runs")                                                                 \
    X(SIGNPOST, "signpost", "from signpost to signpost")

typedef enum tacho_step_kind {
#define TACHO_STEP_KIND_ENUM(id, word, phrase) TACHO_STEP_##id,
    TACHO_STEP_KINDS(TACHO_STEP_KIND_ENUM)
#undef TACHO_STEP_KIND_ENUM
} tacho_step_kind;

const char *tacho_step_kind_name(tacho_step_kind kind);

typedef struct tacho_step_span {
    int64_t start_ns, end_ns;
    int64_t number; /* at the end of the name, where those count up; else from 0 */
    uint32_t name;  /* string, of this step alone */
    bool is_warm_up;
    bool is_stop; /* the profiler stopped in it */
} tacho_step_span;

static inline bool tacho_step_is_steady(const tacho_step_span *step)
{
    return !step->is_warm_up && !step->is_stop;
}

enum { TACHO_STEP_MARKS_MAX = 1 << 18 };

typedef struct tacho_steps {
    tacho_dict *dict;
    /* Of the part that tacho_steps_find was asked about, by start. */
    tacho_step_span *items;
    size_t item_count, item_capacity;
    size_t warm_up_count; /* of them, the first */
    size_t stop_count;    /* of them, the last: 0 or 1 */
    tacho_step_kind kind;
    bool is_of_host;  /* marks of the host: a device may run their work later */
    uint32_t stem;    /* string that names of ranges which are steps begin with; TACHO_NONE: none */
    bool has_overlap; /* some start before others end */
    /* A part that is one numbered run has no steps; several of a file are steps of one another. */
    bool is_one_run;
    uint32_t run_name; /* string */
    tacho_step_span only_run;
    bool is_full; /* more ranges than TACHO_STEP_MARKS_MAX: nothing is known */
    /* Possible marks of steps, of all parts since the last clear. */
    struct tacho_step_mark *marks;
    size_t mark_count, mark_capacity;
    struct tacho_step_hull *runs, *parts; /* by run; by part */
    size_t run_count, run_capacity, part_count, part_capacity;
    uint8_t *sites; /* the kind of mark of each */
    size_t site_count, site_capacity;
} tacho_steps;

void tacho_steps_init(tacho_steps *steps, tacho_dict *dict);
void tacho_steps_deinit(tacho_steps *steps);

/* A row of any kind, in any order. */
tacho_status tacho_steps_add(tacho_steps *steps, const tacho_row *row) TACHO_MUST_USE;

/* Finds the steps of |part|, all of whose rows were added. */
tacho_status tacho_steps_find(tacho_steps *steps, uint32_t part) TACHO_MUST_USE;

/* Whether spans of |site|, on the host or a device, mark the steps that were found, and nothing in
 * the model: its name is that of a step. */
bool tacho_steps_is_mark(const tacho_steps *steps, uint32_t site);

/* Sorts |times|, and the shortest that is not shorter than |percent| % of them. */
void tacho_times_sort(int64_t *times, size_t count);
int64_t tacho_times_percentile(const int64_t *times, size_t count, size_t percent);

/* Marks which of |items|, by time, are warm-up, and returns how many. */
tacho_status tacho_steps_mark_warm_up(tacho_step_span *items, size_t count,
                                      size_t *out_count) TACHO_MUST_USE;

/*
 * Decides which steps are left out, when each of them took from its item of |times| on (start_ns to
 * end_ns; as many as there are steps): their own times, or those on a device.
 */
tacho_status tacho_steps_leave_out(tacho_steps *steps, const tacho_step_span *times) TACHO_MUST_USE;

/* Forgets rows; steps that were found stay. */
void tacho_steps_clear(tacho_steps *steps);

/* The step during which |ns| is, TACHO_NONE for none; of steps that overlap the last to start. */
uint32_t tacho_steps_at(const tacho_steps *steps, int64_t ns);

/* The same of |items|, by start. */
uint32_t tacho_step_spans_at(const tacho_step_span *items, size_t count, int64_t ns);

#endif
