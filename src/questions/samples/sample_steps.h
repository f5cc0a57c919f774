/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which sample of its file a span belongs to: its run's, by the number of the invocation; else its
 * step's; else the only one. Steps, the time that each takes and which are left out are those of
 * 'breakdown' (profile/steps.h, questions/timeline/step_windows.h): work of a device belongs to the
 * step that launched it, or in whose window it starts. The k-th samples of parts are steps of one
 * number.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_STEPS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_STEPS_H

#include "questions/samples/samples.h"

/* The window of a span whose launch is not known: the one in which it starts. */
#define TACHO_SAMPLE_BY_TIME (TACHO_NONE - 1)

/* One step of one part. */
typedef struct tacho_sample_window {
    int64_t start_ns, end_ns;           /* on the device, or the host where that is compared */
    int64_t mark_start_ns, mark_end_ns; /* on the host */
    int64_t number;
    uint32_t part;
    uint32_t sample; /* TACHO_NONE: left out */
    bool is_left_out;
    bool has_work; /* for the caller, and the time axis of that */
    uint32_t axis;
} tacho_sample_window;

typedef struct tacho_sample_steps {
    const tacho_profile *profile;
    tacho_samples_domain domain;
    tacho_samples_kind kind;
    uint32_t sample_count;
    size_t left_out_count;        /* steps or runs */
    uint32_t *of_run;             /* by run: a sample */
    tacho_sample_window *windows; /* by part, then by start */
    size_t window_count, window_capacity;
    size_t *parts;      /* by part: its first window; and one more */
    uint32_t *of_spans; /* by span: the window that launched it, or TACHO_SAMPLE_BY_TIME */
    /* While a profile is gone through: */
    struct tacho_timeline *timeline;
    uint32_t *last_of_tracks; /* by track: the span that came last */
} tacho_sample_steps;

/* Of work in |domain|. Call deinit even after a failure. */
tacho_status tacho_sample_steps_init(tacho_sample_steps *steps, const tacho_profile *profile,
                                     tacho_samples_domain domain) TACHO_MUST_USE;
void tacho_sample_steps_deinit(tacho_sample_steps *steps);

/* The sample of |span|, the |id|-th, from 0; TACHO_NONE when it is in none. */
uint32_t tacho_sample_steps_find(const tacho_sample_steps *steps, size_t id,
                                 const tacho_span *span);

/* Of steps: the window of |span|, TACHO_NONE for none. */
uint32_t tacho_sample_steps_window(const tacho_sample_steps *steps, size_t id,
                                   const tacho_span *span);

/* The first window of |part| that ends after |ns|; where none does the first of the next part. */
size_t tacho_sample_steps_after(const tacho_sample_steps *steps, uint32_t part, int64_t ns);

#endif
