/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The estimate of a network on a machine: its operators one after the other, each with the whole
 * machine to itself. Nothing that runs on the accelerator is free: an operator that is not known
 * is costed by the bytes it reads and writes.
 */
#ifndef TACHO_COMPILE_ESTIMATE_H
#define TACHO_COMPILE_ESTIMATE_H

#include "compile/fuse.h"
#include "compile/op_cost.h"
#include "compile/place.h"

typedef enum tacho_place_choice {
    TACHO_PLACE_AS_FITS,
    TACHO_PLACE_ALWAYS_DDR,
    TACHO_PLACE_ALWAYS_LOCAL,
} tacho_place_choice;

/* The operands that a placement is chosen for. */
typedef enum tacho_operand_role {
    TACHO_OPERAND_INPUT,
    TACHO_OPERAND_WEIGHTS,
    TACHO_OPERAND_OUTPUT,
    TACHO_OPERAND_ROLE_COUNT,
} tacho_operand_role;

typedef struct tacho_estimate_options {
    tacho_cost_options cost;
    tacho_place_choice places[TACHO_OPERAND_ROLE_COUNT];
    const tacho_placement *placement; /* of activations; NULL: the usual one on all cores */
    uint64_t factor;                  /* inferences that run as one; 0: one */
} tacho_estimate_options;

typedef struct tacho_op_estimate {
    tacho_work work;
    tacho_op_cost cost;
    int64_t start_cycles;
    /* Of shared memory: each transfer, but once for all cores that it is cast to. */
    uint64_t ddr_read_bytes;
    uint64_t ddr_write_bytes;
    uint64_t local_bytes; /* read and written in the memories of the cores */
    uint32_t device;      /* that it runs on ... */
    uint64_t link_bytes;  /* ... and bytes that it first gets from others */
} tacho_op_estimate;

enum { TACHO_BOUND_COUNT = TACHO_BOUND_LINK + 1 };

typedef struct tacho_estimate {
    const tacho_fusion *fusion;
    const tacho_machine *machine;
    tacho_op_estimate *ops; /* one for each of the fusion's */
    int64_t cycles;
    uint64_t macs;
    uint64_t weight_bytes; /* of all constants that operators read, each once */
    uint64_t ddr_bytes;    /* moved */
    uint64_t local_peak_bytes;
    uint64_t inferences;    /* that run as one */
    tacho_dtype compute;    /* that real numbers are kept in; NONE: as the machine does */
    uint32_t fidelity;      /* as in tacho_cost_options */
    bool is_eager, is_tf32; /* GPU: launched by the host; products of f32 in TF32 */
    uint32_t devices;       /* that operators are spread over */
    int64_t ideal_cycles;   /* with every engine at its peak */
    size_t unknown_count;   /* operators that are not known */
    int64_t bound_cycles[TACHO_BOUND_COUNT];
    size_t bound_ops[TACHO_BOUND_COUNT];
} tacho_estimate;

/* |fusion| and |machine| outlive the estimate. */
tacho_status tacho_estimate_init(tacho_estimate *estimate, const tacho_fusion *fusion,
                                 const tacho_machine *machine,
                                 const tacho_estimate_options *options) TACHO_MUST_USE;
void tacho_estimate_deinit(tacho_estimate *estimate);

/* The timing of an operator in a schedule. */
typedef struct tacho_op_timing {
    int64_t start_cycles, cycles;
    uint64_t ddr_read_bytes, ddr_write_bytes;
    uint32_t device;
    uint64_t link_bytes; /* from other devices ... */
    int64_t link_cycles; /* ... of |cycles|, before all else */
    bool is_tiled;       /* the following fields are set: where it runs ... */
    bool has_bound;      /* ... and what bounds it */
    uint32_t cores;      /* that its jobs run on */
    int64_t compute_cycles, read_cycles, write_cycles, copy_cycles, launch_cycles; /* the busiest */
    int64_t shared_cycles; /* of the memory that all cores share */
} tacho_op_timing;

/* Takes one for each operator from a schedule; sums are made anew. */
tacho_status tacho_estimate_retime(tacho_estimate *estimate,
                                   const tacho_op_timing *timings) TACHO_MUST_USE;

/* "compute", "memory", "local memory", "launch", "device link"; "-" for operators without time. */
const char *tacho_bound_name(tacho_bound bound);

/*
 * The type whose rate product |op| is costed at, as its engine has none for the product's own;
 * NONE where it has, and for other operators. Integers of one size are alike.
 */
tacho_dtype tacho_estimate_stand_in(const tacho_estimate *estimate, size_t op);

/* Whether the operator's work is unknown, so that only its bytes count. */
bool tacho_estimate_is_unknown(const tacho_estimate *estimate, size_t op);

/* Utilisation of the engines and share of the work that is padding, in percent. */
double tacho_op_estimate_utilisation(const tacho_op_estimate *op);
double tacho_op_estimate_padding(const tacho_op_estimate *op);

/*
 * The name of an operator: that of its root, or made of type and number; and its type with the
 * fused operators, "Conv+Relu", without the dialect. Both are copied to |arena|.
 */
tacho_status tacho_estimate_op_name(const tacho_estimate *estimate, size_t op, tacho_arena *arena,
                                    tacho_str *out_name) TACHO_MUST_USE;
tacho_status tacho_estimate_op_type(const tacho_estimate *estimate, size_t op, char between,
                                    tacho_arena *arena, tacho_str *out_type) TACHO_MUST_USE;

/* The vendor's name for such operators on this machine, by type or else kind; empty: none. */
tacho_str tacho_estimate_vendor_name(const tacho_estimate *estimate, size_t op);

#endif
