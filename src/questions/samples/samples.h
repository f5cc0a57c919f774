/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Samples: how long each operator took, each time the same work was done. A sample is one file, one
 * inference or one step: what a file says itself (runs that are numbered, steps that are marked)
 * divides it, else it is one sample.
 *
 * Time is counted so that it adds up. At every moment one operator counts: of those that are busy,
 * one on an arithmetic engine before one that moves data, then the one that started first; within
 * calls the innermost. The wall times of all operators and the idle time between them are then the
 * time from the first start to the last end, to the nanosecond. An operator's busy time is the sum
 * over all engines, whatever others did meanwhile. A step's time is that which 'breakdown' gives
 * it, idle ends included, unless only some operators are compared; steps do not overlap. Work
 * counts in the step that launched it, its time in the steps during which it runs.
 *
 * Profiles are added one after the other; nothing of them is needed afterwards.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLES_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLES_H

#include "base/strings.h"
#include "profile/profile.h"
#include "profile/select.h"

/* What one operator did in one sample. */
typedef struct tacho_sample_cell {
    uint32_t sample;
    uint32_t count; /* of spans; saturates */
    int64_t wall_ns;
    int64_t busy_ns;
    int64_t gap_ns; /* idle time ahead of it */
    int64_t bytes;  /* -1 when unknown; saturates */
} tacho_sample_cell;

typedef struct tacho_sampled_op {
    uint32_t name;      /* string: the operator's own, "conv1" */
    uint32_t type;      /* string: what it computes, "Conv"; the name where nothing says it */
    uint32_t location;  /* string, 0 for none */
    uint32_t layer;     /* string: the path of its layer, 0 for none */
    uint32_t operators; /* string: of the framework, the innermost last, "aten::linear/aten::addmm";
                           0: not known, or not asked for */
    uint32_t order;     /* its place among all, by when they first ran */
    uint32_t shape;     /* hash of the shapes that its spans have had; 0: none is said */
    tacho_sample_cell *cells; /* by sample; those in which it did not run are absent */
    size_t cell_count, cell_capacity;
} tacho_sampled_op;

/* A shape that an operator has had. */
typedef struct tacho_sampled_shape {
    uint32_t op, hash;
} tacho_sampled_shape;

/* One sample as a whole. */
typedef struct tacho_sample_whole {
    int64_t wall_ns; /* from the first start to the last end; of a step, its own time */
    int64_t idle_ns; /* of that, with nothing busy */
    uint32_t file;
} tacho_sample_whole;

/* What the operators that are compared run on, the first that a profile has. */
typedef enum tacho_samples_domain {
    TACHO_SAMPLES_NONE, /* no work at all */
    TACHO_SAMPLES_DEVICE,
    TACHO_SAMPLES_CONTROL, /* what a device's sequencer says, where its engines say nothing */
    TACHO_SAMPLES_HOST,
} tacho_samples_domain;

/* How the samples of a side came about: id, the word for several of them. */
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
    tacho_name_filter names; /* of operators; steps and layers need no such name */
} tacho_samples_options;

typedef struct tacho_samples {
    tacho_samples_options options;
    tacho_strings strings;
    tacho_index index; /* of ops */
    tacho_index shape_index;
    struct tacho_sampled_shape *shapes; /* that operators have had, each once */
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
    uint64_t span_count;     /* of work */
    uint64_t outside_count;  /* spans in no step */
    uint64_t left_out_count; /* steps and runs that are warm-up, or in which the profiler stopped */
    uint64_t empty_count;    /* files, inferences and steps without work: no samples */
    size_t aside_count;      /* samples that were set aside */
    bool has_layers;         /* of some operator the layer is known */
    bool has_left_layers;    /* they were left out, for the other side has none */
    double clock_hz;         /* of the ticks that the first file counts; 0 when it counts ns */
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

/* Adds what one file, or several that were recorded together, says. */
tacho_status tacho_samples_add(tacho_samples *samples, const tacho_profile *profile) TACHO_MUST_USE;

/*
 * Sets measured samples aside that something else must have disturbed: those far above the rest of
 * their side, by six times the usual distance from the median. Times of operators and totals are
 * those of the others then, and still add up. Where a side has fewer than five, its all stay. Where
 * more than one in five of a side are that far above, it is how they are: then all of both sides
 * stay, for to leave out some of one would favour it.
 */
tacho_status tacho_samples_set_aside(tacho_samples sides[2]) TACHO_MUST_USE;

#endif
