/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roofs: the maximum speed of a machine. A ceiling of arithmetic for each type of number, and one
 * for each level of memory; work cannot exceed the lowest of the ceilings that it needs.
 *
 *     least time = max(operations / arithmetic ceiling, bytes of a level / its ceiling, ...)
 *
 * Ceilings are peaks: all cores at the nominal clock, without allowance for efficiency, so nothing
 * real is above them. A multiplication and the addition after it are two operations; an elementary
 * step on an element (graph/op_def.h) is one.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOF_H
#define TACHO_ESTIMATES_ROOFLINE_ROOF_H

#include "machine/machine.h"
#include "machine/work.h"

/* Levels of memory. */
typedef enum tacho_roof_level {
    TACHO_ROOF_SHARED, /* shared by all cores */
    TACHO_ROOF_LOCAL,  /* of the cores: traffic from there into the engines */
    TACHO_ROOF_LEVEL_COUNT,
} tacho_roof_level;

typedef struct tacho_roof {
    tacho_str name;                   /* of the machine; empty for ceilings given by the user */
    const tacho_machine *machine;     /* or NULL */
    double matrix[TACHO_DTYPE_COUNT]; /* operations per second in one pass; 0: not known */
    double vector[TACHO_DTYPE_COUNT]; /* the same for elementary steps */
    tacho_str levels[TACHO_ROOF_LEVEL_COUNT];
    double bytes_per_s[TACHO_ROOF_LEVEL_COUNT]; /* 0: not known */
    double near_bytes; /* size of memories nearer than the shared one, all cores; 0: not known */
    uint32_t cores;
} tacho_roof;

/* The ceilings of |machine|, which outlives |roof|. */
void tacho_roof_init(tacho_roof *roof, const tacho_machine *machine);

/*
 * Parses ceilings: "f16=989TFLOP/s,f32=67TFLOP/s,HBM=4.8TB/s". Types have operations per second
 * (FLOP/s, OP/s), memory has bytes per second (B/s), each with a prefix from k to P or none. The
 * first memory is the shared one, a second the local one; a cache has a size, "L2=50MB". |text|
 * outlives |roof|.
 */
tacho_status tacho_roof_parse(tacho_roof *roof, const char *text) TACHO_MUST_USE;

/* One execution of work on a machine. */
typedef struct tacho_roof_work {
    tacho_work_kind kind;
    tacho_dtype dtype;   /* of the computation */
    uint32_t fidelity;   /* of the machine's list, index + 1; 0: its default */
    uint32_t cores;      /* of the device, if its file has them and they are more; else 0 */
    bool has_operations; /* operations are known */
    bool is_by_shapes;   /* bytes are those of its operands, else those actually moved */
    uint64_t operations;
    uint64_t bytes[TACHO_ROOF_LEVEL_COUNT];
} tacho_roof_work;

typedef enum tacho_roof_bound {
    TACHO_ROOF_BY_NONE, /* no known ceiling applies */
    TACHO_ROOF_BY_COMPUTE,
    TACHO_ROOF_BY_MEMORY, /* the shared one */
    TACHO_ROOF_BY_LOCAL,
    TACHO_ROOF_BOUND_COUNT,
} tacho_roof_bound;

/* "compute", "memory", "local memory"; "-" for NONE. */
const char *tacho_roof_bound_name(tacho_roof_bound bound);

typedef struct tacho_roof_least {
    double ns;                    /* once, at the roof */
    double compute_ns, memory_ns; /* by arithmetic alone and by memory alone */
    tacho_roof_bound bound;       /* the ceiling that decides */
} tacho_roof_least;

/* Maximum operations per second; 0 if not known. */
double tacho_roof_compute_rate(const tacho_roof *roof, const tacho_roof_work *work);

/* Maximum bytes per second of a level; 0 if not known. */
double tacho_roof_memory_rate(const tacho_roof *roof, tacho_roof_level level);

/* The least time that |work| can take. */
tacho_roof_least tacho_roof_find_least(const tacho_roof *roof, const tacho_roof_work *work);

/*
 * Whether all bytes may have been in memories nearer than the shared one: then |work| can be faster
 * than the shared one allows.
 */
bool tacho_roof_is_near(const tacho_roof *roof, const tacho_roof_work *work);

#endif
