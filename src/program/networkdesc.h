/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AICNetworkDesc: inputs, outputs and stats of a network, as a protobuf that compilers for Qualcomm
 * Cloud AI 100 put into their containers as `networkdesc.bin`.
 *
 * It is written from a program, and read from any container. The reader keeps fields that people
 * ask about and skips the rest; views of names refer to the bytes that were read.
 *
 * Our contents of fields that the public schema only names: an op's kind is the machine's vendor's
 * name of it, its type the element type of its first result, its memory where its result is made,
 * its shape that of the result, its operands the names of its inputs (the first is also the
 * operand), its attributes the model's operator and its place in the source; a core's number of ops
 * counts its listed ops, an op once per thread group that works on it.
 */
#ifndef TACHO_PROGRAM_NETWORKDESC_H
#define TACHO_PROGRAM_NETWORKDESC_H

#include "program/bytes.h"
#include "program/program.h"
#include "program/slice.h"
#include "program/stats_records.h"

enum {
    TACHO_NETWORKDESC_MAJOR = 9, /* of the interface */
    TACHO_NETWORKDESC_MINOR = 0,
    TACHO_STATS_LEVEL_MIN = 40, /* below it nothing is recorded, and no statistics are described */
    TACHO_NETWORKDESC_DIMS_MAX = 32,
    TACHO_NETWORKDESC_BINDINGS_MAX = 1 << 16, /* inputs or outputs that are read */
    TACHO_NETWORKDESC_OPS_MAX = 1 << 22,      /* of all cores and thread groups */
};

/* One row per element type: number, the schema's name, ours. */
#define TACHO_NETWORKDESC_TYPES(X)                                                                 \
    X(0, "FloatTy", F32)                                                                           \
    X(1, "Float16Ty", F16)                                                                         \
    X(2, "Int8QTy", I8)                                                                            \
    X(3, "UInt8QTy", U8)                                                                           \
    X(4, "Int16QTy", I16)                                                                          \
    X(5, "Int32QTy", I32)                                                                          \
    X(6, "Int32ITy", I32)                                                                          \
    X(7, "Int64ITy", I64)                                                                          \
    X(8, "Int8Ty", I8)

/* The schema's name of type |number|, or NULL. */
const char *tacho_networkdesc_type_name(uint64_t number);

typedef struct tacho_networkdesc_binding {
    tacho_str name;
    uint64_t type;
    uint64_t layout;
    float scale; /* of a quantized type */
    int32_t zero;
    int32_t dims[TACHO_NETWORKDESC_DIMS_MAX];
    size_t dim_count;
} tacho_networkdesc_binding;

typedef struct tacho_networkdesc_op {
    uint32_t core, group;
    tacho_str name, kind, type, memory, shape;
    uint64_t output_bytes;
} tacho_networkdesc_op;

typedef struct tacho_networkdesc_dma {
    uint64_t bytes;
    bool is_out;
} tacho_networkdesc_dma;

typedef struct tacho_networkdesc_stats {
    uint64_t buffer; /* number of the DMA buffer that holds the records */
    bool prints_ops, counts_ddr;
    int32_t level, op_level, pmu_level;
    int32_t batch_size;
    int32_t timer_khz; /* ticks per millisecond */
} tacho_networkdesc_stats;

/* Lists: the items, named in the plural, and their count; grown as they are read. */
#define TACHO_NETWORKDESC_LISTS(X)                                                                 \
    X(input, tacho_networkdesc_binding)                                                            \
    X(output, tacho_networkdesc_binding)                                                           \
    X(dma, tacho_networkdesc_dma)                                                                  \
    X(group_size, uint64_t)                                                                        \
    X(group_name, tacho_str)                                                                       \
    X(pmu_event, uint64_t)                                                                         \
    X(core_op_count, uint64_t)                                                                     \
    X(op, tacho_networkdesc_op)

typedef struct tacho_networkdesc {
    uint64_t major, minor;
    tacho_str name;
    uint64_t core_count, thread_count, vector_thread_count;
    int32_t batch_size;
    bool has_stats;
    tacho_networkdesc_stats stats;
    uint32_t listed_core_count; /* cores that list ops */
#define TACHO_NETWORKDESC_FIELD(name, type)                                                        \
    type *name##s;                                                                                 \
    size_t name##_count, name##_capacity;
    TACHO_NETWORKDESC_LISTS(TACHO_NETWORKDESC_FIELD)
#undef TACHO_NETWORKDESC_FIELD
} tacho_networkdesc;

/* Reads |bytes|, which must outlive |out_desc|; deinit it even after a failure. */
tacho_status tacho_networkdesc_read(tacho_str bytes, tacho_networkdesc *out_desc) TACHO_MUST_USE;
void tacho_networkdesc_deinit(tacho_networkdesc *desc);

/*
 * Appends the description of a slice of |program|, which has been checked: the cores of its device
 * and their ops, the inputs and outputs of the network that are its own.
 */
tacho_status tacho_networkdesc_write(const tacho_program *program, const tacho_slice *slice,
                                     tacho_bytes *out_bytes) TACHO_MUST_USE;

#endif
