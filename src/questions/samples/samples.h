/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: the time of each operator in each repetition of the same work. A sample is one file, one
 * inference or one step: a file is divided by its numbered runs or marked steps, else it is one
 * sample.
 *
 * Time is counted so that it adds up. At every moment one busy operator counts: one on an
 * arithmetic engine before one that moves data, then the one that started first; the innermost of
 * nested calls. So the wall times of all operators and the idle time between them add up to the
 * time from the first start to the last end, to the nanosecond. An operator's busy time is the sum
 * over all engines, regardless of other operators. A step's time is that of 'breakdown', idle ends
 * included, unless only some operators are compared; steps do not overlap. Work counts in the step
 * that launched it, its time in the steps during which it runs.
 *
 * Profiles are added one after the other, and are not needed afterwards.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLES_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLES_H

#include "base/strings.h"
#include "profile/profile.h"
#include "profile/select.h"

/* One operator in one sample. */
typedef struct tacho_sample_cell {
    uint32_t sample;
    uint32_t count; /* of spans; saturates */
    int64_t wall_ns;
    int64_t busy_ns;
    int64_t gap_ns; /* idle time before it */
    int64_t bytes;  /* -1 if unknown; saturates */
} tacho_sample_cell;

typedef struct tacho_sampled_op {
    uint32_t name;      /* string: the operator's own, "conv1" */
    uint32_t type;      /* string: what it computes, "Conv"; the name if not known */
    uint32_t location;  /* string, 0 for none */
    uint32_t layer;     /* string: the path of its layer, 0 for none */
    uint32_t operators; /* string: of the framework, the innermost last, "aten::linear/aten::addmm";
                           0: not known, or not requested */
    uint32_t order;     /* its place among all, by first run */
    uint32_t shape;     /* hash of the shapes of its spans; 0: not known */
    tacho_sample_cell *cells; /* by sample; absent for samples in which it did not run */
    size_t cell_count, cell_capacity;
} tacho_sampled_op;

/* A shape of an operator. */
typedef struct tacho_sampled_shape {
    uint32_t op, hash;
} tacho_sampled_shape;

/* One sample as a whole. */
typedef struct tacho_sample_whole {
    int64_t wall_ns; /* from the first start to the last end; for a step, its own time */
    int64_t idle_ns; /* of that, with nothing busy */
    uint32_t file;
} tacho_sample_whole;

/* What the compared operators run on: the first that a profile has. */
typedef enum tacho_samples_domain {
    TACHO_SAMPLES_NONE, /* no work at all */
    TACHO_SAMPLES_DEVICE,
    TACHO_SAMPLES_CONTROL, /* the sequencer of a device without work on engines */
    TACHO_SAMPLES_HOST,
} tacho_samples_domain;

/* The kinds of samples: id, plural. */
#define TACHO_SAMPLES_KINDS(X)                                                                     \
    X(FILES, "files")                                                                              \
    X(RUNS, "inferences")                                                                          \
    X(STEPS, "steps")

typedef enum tacho_samples_kind {
#define TACHO_SAMPLES_KIND_ENUM(id, word) TACHO_SAMPLES_##id,
    TACHO_SAMPLES_KINDS(TACHO_SAMPLES_KIND_ENUM)
#undef TACHO_SAMPLES_KIND_ENUM
} tacho_samples_kind;

const char *tacho_samples_kind_word(tacho_samples_kind kind);

typedef struct tacho_samples_options {
    uint32_t classes;        /* TACHO_TRACK_BITs; 0: those of the domain */
    unsigned layer_depth;    /* of layers' paths; 0 for all */
    bool needs_operators;    /* of the framework, that launched the work */
    tacho_name_filter names; /* of operators; does not apply to steps and layers */
} tacho_samples_options;

typedef struct tacho_samples {
    tacho_samples_options options;
    tacho_strings strings;
    tacho_index index; /* of ops */
    tacho_index shape_index;
    struct tacho_sampled_shape *shapes; /* of operators, each once */
    size_t shape_count, shape_capacity;
    tacho_sampled_op *ops;
    size_t op_count, op_capacity;
    uint32_t started_count; /* ops that have an order */
    tacho_sample_whole *wholes;
    size_t whole_count, whole_capacity;
    uint32_t file_count;
    tacho_samples_kind kind;
    tacho_samples_domain domain;
    tacho_origin origin;
    bool is_mixed;          /* origins */
    bool has_mixed_domains; /* some profiles have device work, others only host work */
    uint64_t lost_count;
    uint64_t span_count;     /* work spans */
    uint64_t outside_count;  /* spans outside of steps */
    uint64_t left_out_count; /* steps and runs with warm-up or the profiler's stop */
    uint64_t empty_count;    /* files, inferences and steps without work: no samples */
    size_t aside_count;      /* samples set aside */
    bool has_layers;         /* the layer of some operator is known */
    bool has_left_layers;    /* layers were dropped, since the other side has none */
    double clock_hz;         /* of the first file's ticks; 0 if it counts ns */
} tacho_samples;

/* Call deinit even after a failure. */
tacho_status tacho_samples_init(tacho_samples *samples,
                                const tacho_samples_options *options) TACHO_MUST_USE;
void tacho_samples_deinit(tacho_samples *samples);

/* Whether times can vary from sample to sample: all but estimates and simulations. */
static inline bool tacho_samples_vary(const tacho_samples *samples)
{
    return samples->origin != TACHO_ORIGIN_ESTIMATED && samples->origin != TACHO_ORIGIN_SIMULATED;
}

/* Adds one file, or several that were recorded together. */
tacho_status tacho_samples_add(tacho_samples *samples, const tacho_profile *profile) TACHO_MUST_USE;

/*
 * Sets disturbed measured samples aside: those far above the rest of their side, by six times the
 * usual distance from the median. Times of operators and totals then cover only the others, and
 * still add up. A side with fewer than five keeps all. If more than one in five of a side are that
 * far above, they are typical: then both sides keep all, since dropping samples of one side would
 * favour it.
 */
tacho_status tacho_samples_set_aside(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
