/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler's description of the program whose run was measured: dispatches, the host's actions,
 * the jobs they start on the accelerator and what each job does on which engine. Sources of
 * compiler output fill it, annotation joins it with a runtime profile.
 *
 *     dispatch   a function of the program; runs as a whole
 *     action     a step of the host within a dispatch, numbered as the runtime numbers it
 *     job        one start of an accelerator program: from its start action to its wait action
 *     task       a step of the job's control program, with estimated cycles
 *     inner op   an instruction of a task: configure, start or wait for an engine
 *     unit       one piece of work of an engine: from a start to the wait that ends it, perhaps
 *                in a later job
 *
 * Strings and locations are those of a dictionary. Arrays are in the order of the program: the
 * actions, jobs and units of a dispatch are contiguous, its actions by ascending number.
 */
#ifndef TACHO_PROFILE_DEBUG_INFO_H
#define TACHO_PROFILE_DEBUG_INFO_H

#include "profile/dict.h"

typedef enum tacho_action_kind {
    TACHO_ACTION_START, /* starts a program */
    TACHO_ACTION_WAIT,  /* waits for one */
    TACHO_ACTION_COPY,  /* copies memory on the host */
    TACHO_ACTION_ALLOC,
    TACHO_ACTION_DEALLOC,
    TACHO_ACTION_OTHER,
} tacho_action_kind;

/* Who runs a program. */
typedef enum tacho_executor {
    TACHO_EXECUTOR_NONE,
    TACHO_EXECUTOR_NSS, /* the accelerator's sequencer */
    TACHO_EXECUTOR_HOST,
    TACHO_EXECUTOR_SLICE,
    TACHO_EXECUTOR_CSS,
} tacho_executor;

typedef struct tacho_action {
    uint32_t dispatch;
    int64_t id; /* as the runtime's files have it */
    tacho_action_kind kind;
    tacho_executor executor; /* of a start or wait */
    uint32_t operation;      /* string: "torq_hl.start_program" */
    uint32_t name;           /* string: of the program or invocation, 0 for none */
    uint32_t location;       /* TACHO_NONE for none */
    uint32_t job;            /* that it starts or waits for, or TACHO_NONE */
    uint32_t order;          /* its place in the program, from 0 */
} tacho_action;

typedef struct tacho_engine {
    tacho_track_class track_class;
    uint32_t index;
} tacho_engine;

typedef struct tacho_debug_job {
    uint32_t dispatch;
    int64_t id;    /* as the compiler numbers it, -1 when it does not */
    uint32_t name; /* string: of its program */
    uint32_t location;
    uint32_t start_action; /* or TACHO_NONE */
    uint32_t wait_action;  /* or TACHO_NONE: nothing waits for it */
    uint32_t first_task, task_count;
    uint32_t first_op, op_count;         /* inner ops, in order */
    uint32_t first_used, used_count;     /* in |used|: engines at work in it, by class and index */
    uint32_t first_kernel, kernel_count; /* in |kernels|: each once, in order of first start */
} tacho_debug_job;

typedef struct tacho_task {
    uint32_t job;
    int64_t id;           /* -1 when not numbered */
    int64_t start_cycles; /* estimates from the start of the dispatch, -1 when there are none */
    int64_t end_cycles;
    uint32_t location;
} tacho_task;

typedef enum tacho_inner_kind {
    TACHO_INNER_CONFIGURE,
    TACHO_INNER_START,
    TACHO_INNER_WAIT,
} tacho_inner_kind;

typedef struct tacho_inner_op {
    uint32_t job;
    uint32_t task;
    uint32_t operation; /* string: "torq_hw.dma_in_start" */
    tacho_inner_kind kind;
    uint32_t engine;      /* in |engines| */
    uint32_t name;        /* string: kernel of a slice start or wait ("conv2d_0"), 0 for none */
    uint32_t location;    /* or TACHO_NONE */
    uint32_t unit;        /* that it starts or ends, or TACHO_NONE */
    int64_t async_cycles; /* estimate of a start's work, -1 when there is none */
    uint32_t from_space;  /* string: memory a transfer reads ("lram"), 0 when unknown */
    uint32_t to_space;    /* string: memory it writes */
} tacho_inner_op;

typedef struct tacho_unit_of_work {
    uint32_t engine;
    uint32_t start_op; /* inner op */
    uint32_t wait_op;  /* inner op, or TACHO_NONE: nothing waits for it */
} tacho_unit_of_work;

typedef struct tacho_dispatch {
    uint32_t name;    /* string: as the runtime's files have it */
    uint32_t file;    /* string: that it was read from */
    bool is_bytecode; /* that file, else text */
    uint32_t first_action, action_count;
    uint32_t first_job, job_count;
    uint32_t first_unit, unit_count;
} tacho_dispatch;

/* The texts that reports show for a location; filled once all locations are known. */
typedef struct tacho_place {
    uint32_t text;      /* string: "@L7C10+@L9C3", 0 for nothing to show */
    uint32_t operators; /* string: operators of the model there, "tosa.add@L7 tosa.mul@L9" */
    /*
     * The marks that it is compared by, in |marks|: those of callees, then of their callers. Empty
     * when it cannot be compared.
     */
    uint32_t first_mark;
    uint32_t callee_mark_count, mark_count;
    bool has_files; /* marks are lines of files, else names */
} tacho_place;

/* Whether two locations can be of the same operation. */
typedef enum tacho_place_verdict {
    TACHO_PLACES_UNKNOWN, /* they have nothing that could be compared */
    TACHO_PLACES_AGREE,
    TACHO_PLACES_DIFFER,
} tacho_place_verdict;

typedef struct tacho_debug_info {
    tacho_dict *dict; /* of strings and locations; outlives it */
    tacho_dispatch *dispatches;
    size_t dispatch_count, dispatch_capacity;
    uint32_t *dispatches_by_name; /* by string: the dispatch, or TACHO_NONE */
    size_t named_count, named_capacity;
    tacho_action *actions;
    size_t action_count, action_capacity;
    tacho_debug_job *jobs;
    size_t job_count, job_capacity;
    tacho_task *tasks;
    size_t task_count, task_capacity;
    tacho_inner_op *ops;
    size_t op_count, op_capacity;
    tacho_unit_of_work *units;
    size_t unit_count, unit_capacity;
    tacho_engine *engines;
    size_t engine_count, engine_capacity;
    uint32_t *used; /* engines */
    size_t used_count, used_capacity;
    uint32_t *kernels; /* strings */
    size_t kernel_count, kernel_capacity;
    tacho_place *places; /* by location; locations without one have nothing to show */
    size_t place_count, place_capacity;
    uint64_t *marks; /* a string in the upper half, a line in the lower */
    size_t mark_count, mark_capacity;
    uint32_t *operators_by_name; /* by string that names a node: its operators, a string; 0
                                    where they are ambiguous, TACHO_NONE where they are unknown */
    size_t operators_count, operators_capacity;
    /* Files that could not be read or were passed over, for reports; strings, a sentence each. */
    uint32_t *problems;
    size_t problem_count, problem_capacity;
    uint32_t *notes; /* the same, for remarks that are not about damage */
    size_t note_count, note_capacity;
    bool is_partial; /* a file was damaged, so that dispatches may be missing */
    /* Input that could not be understood; for reports and exit codes. */
    uint64_t unknown_op_count;     /* unknown operations of the vendor's dialects */
    uint32_t unknown_op;           /* string: the first of them, and its location */
    uint64_t undecoded_count;      /* operations whose inherent attributes are hidden */
    uint64_t unmatched_wait_count; /* waits for which nothing was started */
    uint64_t unwaited_count;       /* starts that nothing waits for */
} tacho_debug_info;

void tacho_debug_info_init(tacho_debug_info *info, tacho_dict *dict);
void tacho_debug_info_deinit(tacho_debug_info *info);

/* The engine of this class and index; added if new. */
tacho_status tacho_debug_info_ensure_engine(tacho_debug_info *info, tacho_engine engine,
                                            uint32_t *out_id) TACHO_MUST_USE;

/* Adds a dispatch, whose name is new; entries added from now on may belong to it. */
tacho_status tacho_debug_info_add_dispatch(tacho_debug_info *info, const tacho_dispatch *dispatch,
                                           uint32_t *out_id) TACHO_MUST_USE;

/*
 * Records which operators of the model, "onnx.Conv@n0 onnx.Relu@n1", a location called |name|
 * stands for, in a model whose nodes have names instead of lines. A name with contradicting
 * operators stands for none. Both are strings.
 */
tacho_status tacho_debug_info_name_operators(tacho_debug_info *info, uint32_t name,
                                             uint32_t operators) TACHO_MUST_USE;

/* The operators of that name, a string of the dictionary; empty where none are recorded. */
tacho_str tacho_debug_info_named_operators(const tacho_debug_info *info, tacho_str name);

/* Removes everything added since |before|, a copy, but keeps engines, names and sentences. */
void tacho_debug_info_cut(tacho_debug_info *info, const tacho_debug_info *before);

/* Adds a sentence to |problems| or |notes|. */
tacho_status tacho_debug_info_add_problem(tacho_debug_info *info, const char *format, ...)
    TACHO_PRINTF(2, 3) TACHO_MUST_USE;
tacho_status tacho_debug_info_add_note(tacho_debug_info *info, const char *format, ...)
    TACHO_PRINTF(2, 3) TACHO_MUST_USE;

/* How much was damaged or not understood: files, operations and waits. */
uint64_t tacho_debug_info_trouble_count(const tacho_debug_info *info);

/* The texts to show for a location, which may be TACHO_NONE. */
static inline tacho_place tacho_debug_info_place(const tacho_debug_info *info, uint32_t location)
{
    return location < info->place_count ? info->places[location] : (tacho_place){0};
}

/*
 * Compares two locations, each of which may be TACHO_NONE: by the lines that they name, of files
 * by their base names, or by their names where neither has a file. One line in common is enough;
 * but where both are calls, not the line from which they are called.
 */
tacho_place_verdict tacho_debug_info_compare(const tacho_debug_info *info, uint32_t location,
                                             uint32_t other);

/* The estimated cycles of a unit, where its tasks have them; else both are -1. */
void tacho_debug_info_unit_cycles(const tacho_debug_info *info, const tacho_unit_of_work *unit,
                                  int64_t *out_start, int64_t *out_end);

/* The dispatch called |name| (a string of the dictionary), or NULL. */
const tacho_dispatch *tacho_debug_info_dispatch(const tacho_debug_info *info, uint32_t name);

/* The action of |dispatch| numbered |id|, or NULL. */
const tacho_action *tacho_debug_info_action(const tacho_debug_info *info,
                                            const tacho_dispatch *dispatch, int64_t id);

#endif
