/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The space of an operator's work: axes that it can be cut along, and what a piece of it reads and
 * writes. A piece is a range of each axis; the part of a tensor that it touches is a box, whose
 * dimensions follow from the axes: all of it, the same range, or, of a convolution's input, the
 * range plus the reach of its window.
 *
 * Where a box is not known (data that a Gather picks) only the number of bytes follows.
 */
#ifndef TACHO_COMPILE_SPACE_H
#define TACHO_COMPILE_SPACE_H

#include "compile/estimate.h"
#include "program/program.h"

enum { TACHO_AXES_MAX = 14, TACHO_BOX_RANK_MAX = TACHO_RANK_MAX + 1 };

typedef enum tacho_axis_role {
    TACHO_AXIS_BATCH,  /* products of their own */
    TACHO_AXIS_ROW,    /* of a product; of other work all that is independent */
    TACHO_AXIS_COLUMN, /* of a product */
    TACHO_AXIS_PASS,   /* once to gather, once to apply, where a line is cut */
    TACHO_AXIS_SUM,    /* the depth of a product, a line that is reduced or normalised */
    TACHO_AXIS_ROLE_COUNT
} tacho_axis_role;

typedef struct tacho_axis {
    tacho_axis_role role;
    uint64_t size;
    uint64_t counted;   /* rows, columns or depth of the product that all of it stands for */
    bool waits_batch;   /* it is cut only where every batch is a piece of its own */
    bool is_sequential; /* always in single steps, each of which needs the one before */
    bool is_of_one;     /* of one of several tensors that are joined: cores do not share it */
    bool is_single;     /* always in single steps: each reaches tensors in its own way */
} tacho_axis;

/* [first, end) of an axis. */
typedef struct tacho_range {
    uint64_t first, end;
} tacho_range;

/* How a dimension of a tensor follows from an axis: in steps of |scale| / |divisor|. */
typedef struct tacho_reach {
    uint32_t axis;   /* or TACHO_NONE: all of it */
    uint32_t outer;  /* an axis of |outer_scale| elements each around it, or TACHO_NONE */
    uint64_t size;   /* of the dimension */
    int64_t scale;   /* elements from one step of the axis to the next */
    int64_t divisor; /* steps that share an element (deconvolutions) */
    int64_t before;  /* of the first step's window, outside of the tensor */
    int64_t window;  /* elements that one step reads */
    uint64_t outer_scale;
    bool is_part; /* only |length| elements, from -|before| on, follow the axis */
    uint64_t length;
    bool is_mirrored; /* the axis runs from the last element to the first ... */
    uint32_t mirror;  /* ... in steps of this axis but the first; or TACHO_NONE: always */
} tacho_reach;

typedef struct tacho_access {
    uint32_t tensor; /* of the graph: as it is stored; TACHO_NONE: a variable, in shared memory */
    tacho_dtype kept;
    bool is_constant;
    bool is_output;
    bool is_source; /* of moves: results are made of it; the others steer */
    bool is_late;   /* of products: fused steps read it, once the sum is complete */
    bool is_known;  /* else |bytes| in proportion to the first reach, if there is one */
    uint32_t rank;
    tacho_reach reach[TACHO_BOX_RANK_MAX];
    uint32_t axes;       /* along which the box differs, as bits: tacho_space_mark_axes */
    uint32_t mirrored;   /* those of them that a mirrored dimension follows ... */
    uint32_t mirror;     /* ... and its |mirror| */
    uint32_t joined_dim; /* along which other parts of the operator have the rest; or TACHO_NONE */
    uint64_t bytes;      /* of all of it */
} tacho_access;

/*
 * The state that one step of a sequence leaves for the next: a number of bytes for each unit of
 * each direction and inference, twice, so that a step can be written while the one before is read.
 */
typedef struct tacho_state {
    uint32_t step, inference, direction, unit; /* axes, or TACHO_NONE */
    uint64_t inferences, directions, units;
    uint64_t unit_bytes; /* 0: no state */
} tacho_state;

enum { TACHO_STATE_COPIES = 2 };

typedef struct tacho_space {
    tacho_work_kind kind;
    uint32_t axis_count;
    tacho_axis axes[TACHO_AXES_MAX];
    uint32_t sums;       /* those of role SUM, as bits ... */
    uint32_t sequences;  /* ... and those in single steps */
    uint64_t depth;      /* of the product at each step of its SUM axes */
    bool has_passes;     /* a cut of a SUM axis visits it twice */
    bool makes_values;   /* a move whose results have elements that no operand has */
    tacho_state state;   /* of the state that is passed from step to step */
    uint64_t volume_all; /* elements of all parts of the operator; 0: it has one part */
    tacho_access *accesses;
    size_t access_count, access_capacity;
} tacho_space;

void tacho_space_deinit(tacho_space *space);

typedef struct tacho_space_options {
    bool keeps_dims; /* dimensions are not joined: cores have parts of them */
    uint32_t part;   /* of the operator */
} tacho_space_options;

/* How many parts operator |op| has that are worked on one after the other: tensors to join. */
uint32_t tacho_space_parts(const tacho_estimate *estimate, uint32_t op);

/* The space of operator |op|; |space| is zeros or was filled before. */
tacho_status tacho_space_fill(const tacho_estimate *estimate, uint32_t op,
                              const tacho_space_options *options,
                              tacho_space *space) TACHO_MUST_USE;

/* The box that a piece touches, one extent for each dimension; how many elements it has. */
uint64_t tacho_access_box(const tacho_access *access, const tacho_range *ranges,
                          tacho_extent *out_extents);

/* Whether a piece visits mirrored dimensions of |access| from their end. */
static inline bool tacho_access_is_mirrored(const tacho_access *access, const tacho_range *ranges)
{
    return access->mirrored != 0 &&
           (access->mirror == UINT32_MAX || ranges[access->mirror].first > 0);
}

/* The range of a dimension that |range| of its axis reaches, cut to the dimension; |outer| is that
 * of the axis around it, [0, 1) where there is none. */
tacho_extent tacho_reach_extent(const tacho_reach *reach, tacho_range range, tacho_range outer);

/* Bytes of |elements| of it. */
uint64_t tacho_access_box_bytes(const tacho_access *access, uint64_t elements);

/* Bytes that a piece touches. */
uint64_t tacho_access_bytes(const tacho_access *access, const tacho_range *ranges);

/* Bytes held by the core whose share is |ranges|, including results of other parts of the operator.
 */
uint64_t tacho_access_kept(const tacho_access *access, const tacho_range *ranges,
                           tacho_extent *out_extents);

/* Marks the axes that are summed over and those that accesses follow; call once all are added. */
void tacho_space_mark_axes(tacho_space *space);

/* Whether the box of |access| differs along |axis|. */
static inline bool tacho_access_follows(const tacho_access *access, uint32_t axis)
{
    return (access->axes >> axis & 1) != 0;
}

/* Steps of the product that |range| of |axis| stands for; they add up to |counted|. */
uint64_t tacho_axis_count(const tacho_axis *axis, tacho_range range);

/* ---- for its parts ------------------------------------------------------------------------- */

typedef struct tacho_space_maker {
    const tacho_estimate *estimate;
    const tacho_graph *graph;
    const tacho_fused_op *op;
    const tacho_node *root;
    const tacho_work *work;
    const tacho_space_options *options;
    tacho_space *space;
    uint32_t inferences; /* the axis of inferences that run as one, or TACHO_NONE */
    uint32_t part;
    bool is_move; /* elements change places and no more */
} tacho_space_maker;

/* Operands that steer a move, such as indices, are read whole up to this size. */
enum { TACHO_STEERING_BYTES = 4096 };

/* A new axis; its number. Those of one element are left out: TACHO_NONE. */
uint32_t tacho_space_axis(tacho_space_maker *maker, tacho_axis_role role, uint64_t size);

/* A new access to |tensor|, which the operator sees with |shape|: all of it, until mapped. */
tacho_status tacho_space_access(tacho_space_maker *maker, uint32_t tensor, const tacho_shape *shape,
                                tacho_access **out_access) TACHO_MUST_USE;

/* Whether there is an access that reads |tensor|. */
bool tacho_space_has(const tacho_space *space, uint32_t tensor);

/* A dimension of |size| that follows |axis| element by element, or TACHO_NONE: all of it. */
tacho_reach tacho_reach_along(uint32_t axis, uint64_t size);

/* The dimension of |access| that is |dim| of the shape it was made with. */
tacho_reach *tacho_access_dim(const tacho_space_maker *maker, tacho_access *access, uint32_t dim);

/* The tensor that the root reads as input |i|, as stored and as seen; false: no such input. */
bool tacho_space_input(const tacho_space_maker *maker, size_t i, uint32_t *out_stored,
                       const tacho_shape **out_seen);

/*
 * Accesses of all that the operator reads and has no access yet, and of its results, by the
 * dimensions of the root's result, each of which follows its axes as |reaches| describes.
 */
tacho_status tacho_space_rest(tacho_space_maker *maker, const tacho_shape *result,
                              const tacho_reach *reaches) TACHO_MUST_USE;

/* The integers of a constant input of the root, at most |max|; how many, 0: not known. */
size_t tacho_space_ints(const tacho_space_maker *maker, size_t input, int64_t *out_ints,
                        size_t max);

/* Whether the root is of the type |onnx| or |tosa|. */
bool tacho_space_is_type(const tacho_space_maker *maker, const char *onnx, const char *tosa);

/* Which elements |access| touches is not known: those of a piece of these axes, in proportion. */
void tacho_access_forget(const tacho_space_maker *maker, tacho_access *access, const uint32_t *axes,
                         size_t axis_count);

tacho_status tacho_space_matrix(tacho_space_maker *maker) TACHO_MUST_USE;
tacho_status tacho_space_vector(tacho_space_maker *maker) TACHO_MUST_USE;
tacho_status tacho_space_move(tacho_space_maker *maker, uint32_t parts) TACHO_MUST_USE;

/* Moves that take a box out of another, or put one into another; false for other operators. */
bool tacho_space_pick(tacho_space_maker *maker, tacho_status *out_status);

#endif
