/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators on a mesh of cores that multicast: see tacho_mesh in machine/machine.h. The work of its
 * cores is described twice, and both agree to the cycle: as a sum (tacho_parts), and as numbers
 * that jobs are made of (compile/mesh_jobs.h).
 */
#ifndef TACHO_COMPILE_OP_MESH_H
#define TACHO_COMPILE_OP_MESH_H

#include "compile/op_split.h"

/* Which cores get the same part of an operand at once. */
typedef enum tacho_mesh_team {
    TACHO_MESH_OWN, /* no cast: each core has a part of its own */
    TACHO_MESH_ROW,
    TACHO_MESH_COLUMN,
    TACHO_MESH_ALL,
} tacho_mesh_team;

/* A stream of an operand to the cores, or from them. */
typedef struct tacho_mesh_stream {
    bool moves;
    bool is_local; /* between memories of the cores; else from or to shared memory */
    tacho_mesh_team team;
    uint64_t bytes;        /* of all cores and turns; a multicast transfer counts once */
    uint64_t buffer_bytes; /* that it takes in each core */
} tacho_mesh_stream;

/*
 * The work of each of |cores| cores, all at once. A product has |turns|, one after the other, of
 * |steps| steps; cycles are those of one step or one turn. Other work flows: its cycles are those
 * of all steps together.
 */
typedef struct tacho_mesh_phase {
    bool is_flow;
    uint32_t cores, rows, columns;
    uint64_t turns, steps;
    int64_t bring;         /* product: operands of a step. Flow: loading ... */
    int64_t copy;          /* ... and, after it, copying from other cores */
    int64_t compute;       /* a step of a product, or all of a flow */
    int64_t bring_last;    /* product: further operands, while the last step is computed ... */
    int64_t fused;         /* ... and the work on them then */
    int64_t out;           /* sending results */
    bool is_late;          /* product: they leave after their turn, not while it ends */
    int64_t of_cores;      /* product, in all turns: bringing operands keeps a core busy for ... */
    int64_t of_memory;     /* ... and moving everything the memory that all share */
    uint64_t macs;         /* of all turns and cores ... */
    uint64_t padded_macs;  /* ... and what engines do for them; 0: too many to count */
    tacho_mesh_stream in0; /* flow: loads */
    tacho_mesh_stream in1; /* flow: copies */
    tacho_mesh_stream extra;
    tacho_mesh_stream result;
} tacho_mesh_phase;

/* Whether the machine has a mesh. */
bool tacho_op_mesh_has(const tacho_machine *machine);

/* The phase of the cores for |work|, sequences aside. |cost| names the engine and the type. */
tacho_status tacho_op_mesh_phase(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_cost_options *options, const tacho_op_cost *cost,
                                 tacho_mesh_phase *out_phase) TACHO_MUST_USE;

/* The same as sums, the launch included. */
tacho_status tacho_op_mesh_parts(const tacho_machine *machine, const tacho_work *work,
                                 const tacho_op_cost *cost, const tacho_mesh_phase *phase,
                                 tacho_parts *out_parts) TACHO_MUST_USE;

/* Cycles of a flow, by the first, the others and the last of its steps: mesh_flow.c. */
typedef struct tacho_mesh_flow {
    int64_t lead;                  /* copies that precede loads */
    int64_t read_first, read_rest; /* a step, and all after it ... */
    int64_t work_first, work_mid,
        work_last;                /* ... of which nothing is left for the last step ... */
    int64_t send_rest, send_last; /* ... where a step is all there is */
} tacho_mesh_flow;

tacho_mesh_flow tacho_mesh_flow_of(const tacho_mesh_phase *phase);
int64_t tacho_mesh_flow_cycles(const tacho_mesh_flow *flow);

/* For op_mesh.c. */
tacho_status tacho_op_mesh_flow(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_mesh_phase *out_phase) TACHO_MUST_USE;

#endif
