/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared state for reading a Torq module: ir.c walks the host's side, ir_job.c runs a job's
 * program, ir_names.c converts the module's texts to strings of the dictionary.
 */
#ifndef TACHO_SOURCES_TORQ_IR_STATE_H
#define TACHO_SOURCES_TORQ_IR_STATE_H

#include "sources/torq/ir.h"
#include "sources/torq/torq_part.h"

/* Pending work on an engine, the oldest first. */
typedef struct torq_ir_queue {
    uint32_t oldest; /* unit, or TACHO_NONE */
    uint32_t newest;
    uint32_t used_in; /* the last job that used the engine, or TACHO_NONE */
} torq_ir_queue;

/* State of a value of the module: one for each. */
typedef struct torq_ir_value {
    uint32_t bound_to;   /* of a block argument: its value in the current job */
    uint32_t oldest_job; /* of an invocation: jobs started and not waited for */
    uint32_t newest_job;
    uint32_t ordinal; /* of an invocation: its number in the text */
} torq_ir_value;

/* Attributes that are looked up, as the module numbers them; TACHO_NONE without any. */
#define TORQ_IR_ATTRS(X)                                                                           \
    X(action_id, "torq-action-id")                                                                 \
    X(job_id, "torq-job-id")                                                                       \
    X(task_id, "torq-task-id")                                                                     \
    X(start_cycles, "torq-start-time-cycles")                                                      \
    X(end_cycles, "torq-end-time-cycles")                                                          \
    X(async_cycles, "torq-async-duration-cycles")                                                  \
    X(id, "id")                                                                                    \
    X(name, "name")                                                                                \
    X(sym_name, "sym_name")                                                                        \
    X(operators, "operators")                                                                      \
    X(segments, "operandSegmentSizes")

typedef struct torq_ir_attrs {
#define TORQ_IR_ATTR_MEMBER(member, text) uint32_t member;
    TORQ_IR_ATTRS(TORQ_IR_ATTR_MEMBER)
#undef TORQ_IR_ATTR_MEMBER
} torq_ir_attrs;

typedef struct torq_ir {
    const tacho_mlir_module *module;
    tacho_debug_info *info;
    tacho_str file;
    tacho_arena scratch;
    uint32_t *locations;  /* by string of the module */
    uint32_t *spaces;     /* memory space, by string of the module that is a type */
    uint32_t *texts;      /* string of the dictionary, by string of the module */
    unsigned char *forms; /* by string of the module that names operations in jobs: see ir_job.c */
    torq_ir_attrs attrs;
    torq_ir_value *values;
    uint64_t visited_count; /* operations executed in jobs */
    /* Of the current dispatch. */
    uint32_t dispatch;
    uint32_t nss_invocation_count;
    bool is_numbered;      /* its actions have numbers of their own */
    torq_ir_queue *queues; /* by engine */
    size_t queue_count, queue_capacity;
    uint32_t *next_units; /* in the queue of its engine, by unit */
    size_t next_unit_capacity;
    uint32_t *next_jobs; /* in the queue of its invocation, by job */
    size_t next_job_capacity;
    uint32_t *kernel_jobs; /* by string: the last job that runs that kernel */
    size_t kernel_job_count, kernel_job_capacity;
    /* Ids of engines, TACHO_NONE until first used. */
    uint32_t engines[TACHO_TRACK_CLASS_COUNT];
    uint32_t slices[TORQ_SLICE_MAX];
    /* Source and destination of the last configuration of a DMA engine. */
    uint32_t from_space[TACHO_TRACK_CLASS_COUNT];
    uint32_t to_space[TACHO_TRACK_CLASS_COUNT];
} torq_ir;

/* ---- ir_names.c ---- */

tacho_status torq_ir_names_init(torq_ir *ir) TACHO_MUST_USE;
void torq_ir_names_deinit(torq_ir *ir);

/* The dictionary's id of a text; of a location of the module, TACHO_NONE for an unknown one. */
tacho_status torq_ir_string(torq_ir *ir, tacho_str text, uint32_t *out_string) TACHO_MUST_USE;
tacho_status torq_ir_location(torq_ir *ir, uint32_t text, uint32_t *out_location) TACHO_MUST_USE;

/* Counts an unknown operation; the first is kept as an example. */
tacho_status torq_ir_note_unknown(torq_ir *ir, const tacho_mlir_op *op) TACHO_MUST_USE;

/* The memory space of a value, as a string; 0 when its type does not name one. */
tacho_status torq_ir_space(torq_ir *ir, uint32_t value, uint32_t *out_space) TACHO_MUST_USE;

/* The executor of the program or invocation |value|. */
tacho_executor torq_ir_executor(const torq_ir *ir, uint32_t value);

/* The dictionary's id of a string of the module. */
tacho_status torq_ir_own_string(torq_ir *ir, uint32_t string, uint32_t *out_string) TACHO_MUST_USE;

/* The text of an attribute that is a string or a symbol; empty without one. */
tacho_str torq_ir_text(const torq_ir *ir, const tacho_mlir_op *op, uint32_t name);

static inline tacho_str torq_ir_op_name(const torq_ir *ir, const tacho_mlir_op *op)
{
    return tacho_mlir_module_string(ir->module, op->name);
}

/* The name of an invocation; for a slice's without the common prefix. */
tacho_str torq_ir_invocation_name(const torq_ir *ir, uint32_t value);

/* The operation that defines |value|, or NULL. */
const tacho_mlir_op *torq_ir_definition(const torq_ir *ir, uint32_t value);

/* The |index|-th operand of |op|, or TACHO_NONE. */
static inline uint32_t torq_ir_operand(const torq_ir *ir, const tacho_mlir_op *op, uint32_t index)
{
    return index < op->operand_count ? ir->module->operands[op->first_operand + index] : TACHO_NONE;
}

/* ---- ir_job.c ---- */

/* Reserves room for the work of all jobs, assuming that each is started once. */
tacho_status torq_ir_reserve(torq_ir *ir) TACHO_MUST_USE;

/* Adds the work of the program of |job| as started by |start|. */
tacho_status torq_ir_run_job(torq_ir *ir, const tacho_mlir_op *start, uint32_t job) TACHO_MUST_USE;

/* Ends the dispatch: counts pending work, and drops it. */
void torq_ir_end_jobs(torq_ir *ir);

#endif
