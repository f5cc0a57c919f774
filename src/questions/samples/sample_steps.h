/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sample of its file that a span belongs to: its run's, by the number of the invocation; else
 * its step's; else the only one. Steps, their times and the choice of those left out are as in
 * 'breakdown' (profile/steps.h, questions/timeline/step_windows.h): work of a device belongs to the
 * step that launched it, or in whose window it starts. The k-th samples of parts are steps of one
 * number.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLE_STEPS_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLE_STEPS_H

#include "questions/samples/samples.h"

/* Marks a span without a known launch: it belongs to the window in which it starts. */
#define TACHO_SAMPLE_BY_TIME (TACHO_NONE - 1)

/* One step of one part. */
typedef struct tacho_sample_window {
    int64_t start_ns, end_ns;           /* on the device, or on the host if that is compared */
    int64_t mark_start_ns, mark_end_ns; /* on the host */
    int64_t number;
    uint32_t part;
    uint32_t sample; /* TACHO_NONE: left out */
    bool is_left_out;
    bool has_work; /* for the caller, with the time axis of the work */
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
    size_t *parts;      /* by part: its first window; then the end */
    uint32_t *of_spans; /* by span: the window that launched it, or TACHO_SAMPLE_BY_TIME */
    /* While a profile is read: */
    struct tacho_timeline *timeline;
    uint32_t *last_of_tracks; /* by track: its latest span */
} tacho_sample_steps;

/* For work in |domain|. Call deinit even after a failure. */
tacho_status tacho_sample_steps_init(tacho_sample_steps *steps, const tacho_profile *profile,
                                     tacho_samples_domain domain) TACHO_MUST_USE;
void tacho_sample_steps_deinit(tacho_sample_steps *steps);

/* The sample of |span|, the |id|-th, from 0; TACHO_NONE if it is not in a sample. */
uint32_t tacho_sample_steps_find(const tacho_sample_steps *steps, size_t id,
                                 const tacho_span *span);

/* For steps: the window of |span|, TACHO_NONE for none. */
uint32_t tacho_sample_steps_window(const tacho_sample_steps *steps, size_t id,
                                   const tacho_span *span);

/* The first window of |part| that ends after |ns|; else the first window of the next part. */
size_t tacho_sample_steps_after(const tacho_sample_steps *steps, uint32_t part, int64_t ns);

#endif
