/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intake: the files of a request, read one after the other through their sources: the producer of
 * most pipelines.
 */
#ifndef TACHO_PIPELINE_INTAKE_H
#define TACHO_PIPELINE_INTAKE_H

#include "pipeline/pipeline.h"
#include "sources/source.h"

typedef struct tacho_intake_input {
    const char *path;           /* "-" for standard input */
    const tacho_source *source; /* NULL: recognise by content */
    const char *name;           /* what to call its part; NULL: after the path */
    bool is_in_memory;          /* it is |bytes|, and |path| only what it is called */
    tacho_str bytes;
    /* What it may be, NULL-terminated, when it is recognised by content; NULL: anything. */
    const tacho_source *const *accepted;
} tacho_intake_input;

typedef struct tacho_intake {
    const tacho_intake_input *inputs;
    size_t input_count;
    tacho_source_options options;
    tacho_progress progress;
    const _Atomic bool
        *is_cancelled; /* set meanwhile: no more rows are taken (CANCELLED); or NULL */
    size_t *current; /* where to say which input is read, |input_count| behind the last; or NULL */
} tacho_intake;

/* Refuses what cannot work, before anything is opened: no input, standard input twice. */
tacho_status tacho_intake_check(const tacho_intake *intake) TACHO_MUST_USE;

/* The same of two intakes that are read one after the other. */
tacho_status tacho_intake_check_pair(const tacho_intake intakes[2]) TACHO_MUST_USE;

/* Refuses an output that is one of the inputs: profiles are measurements, not to be replaced. */
tacho_status tacho_intake_check_output(const tacho_intake *intake,
                                       const char *output_path) TACHO_MUST_USE;

/* The inputs, one after the other, as a producer; |intake| outlives it. */
tacho_producer tacho_intake_producer(const tacho_intake *intake);

/* Reads one input into |events|, as it comes; |mode| is how those are ordered behind it. */
tacho_status tacho_intake_read_input(const tacho_intake *intake, const tacho_intake_input *input,
                                     tacho_order_mode mode, tacho_events *events) TACHO_MUST_USE;

/*
 * Whether |input| can be opened, has bytes and is of a format that it may be: what can be said of a
 * file without reading it.
 */
tacho_status tacho_intake_probe(const tacho_intake_input *input) TACHO_MUST_USE;

/* Whether |input| can be read to its end: what it gives is dropped. */
tacho_status tacho_intake_try(const tacho_intake *intake,
                              const tacho_intake_input *input) TACHO_MUST_USE;

/*
 * Reads what is selected into |profile|, which is initialised over |dict|, both empty. Rows are in
 * track order and parts start at their zero, as in a conversion.
 */
tacho_status tacho_intake_load(const tacho_intake *intake, const tacho_selection *selection,
                               tacho_dict *dict, tacho_profile *profile) TACHO_MUST_USE;

#endif
