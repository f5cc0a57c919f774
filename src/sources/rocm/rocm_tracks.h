/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracks, words and names that the three formats share.
 */
#ifndef TACHO_SOURCES_ROCM_ROCM_TRACKS_H
#define TACHO_SOURCES_ROCM_ROCM_TRACKS_H

#include "sources/gpu_part.h"

/* Keys of arguments and categories, which are strings. */
#define ROCM_WORDS(X)                                                                              \
    X(GRID, "grid")           /* in work groups, as CUDA counts blocks */                          \
    X(WORKGROUP, "workgroup") /* in work items */                                                  \
    X(LDS, "shared_memory")                                                                        \
    X(SCRATCH, "scratch_memory")                                                                   \
    X(VGPR, "vgpr")                                                                                \
    X(ACCUM_VGPR, "accum_vgpr")                                                                    \
    X(SGPR, "sgpr")                                                                                \
    X(STREAM, "stream")                                                                            \
    X(CORRELATION, "correlation")                                                                  \
    X(BYTES, "bytes")                                                                              \
    X(KERNEL, "kernel")                                                                            \
    X(COPY, "gpu_memcpy")                                                                          \
    X(HIP, "hip_runtime")                                                                          \
    X(HSA, "hsa")                                                                                  \
    X(MARKER, "roctx")                                                                             \
    X(RCCL, "rccl")                                                                                \
    X(OTHER, "rocm")                                                                               \
    X(MEMORY, "memory")

typedef enum rocm_word {
#define ROCM_WORD_ENUM(name, text) ROCM_##name,
    ROCM_WORDS(ROCM_WORD_ENUM)
#undef ROCM_WORD_ENUM
        ROCM_WORD_COUNT,
} rocm_word;

typedef struct rocm_part {
    gpu_part gpu;
    uint32_t words[ROCM_WORD_COUNT];
    tacho_number_map allocated; /* of counters, by track */
    tacho_number_map sizes;     /* of allocations, by address */
} rocm_part;

tacho_status rocm_part_init(rocm_part *part, const tacho_reading *reading, const char *format,
                            tacho_str generation) TACHO_MUST_USE;
void rocm_part_deinit(rocm_part *part);

/* The category of calls of a domain: "HIP_RUNTIME_API_EXT", "MARKER_CORE_API". */
rocm_word rocm_word_of_domain(tacho_str domain);

/* Whether calls of that name start work on a device. */
bool rocm_is_launch(tacho_str name);

/* Ids of several recordings in one file are told apart by |owner|. */
typedef struct rocm_thread {
    uint64_t owner;
    int64_t process, thread; /* process -1: not known */
    tacho_str process_name, thread_name;
} rocm_thread;

tacho_status rocm_find_thread(rocm_part *part, const rocm_thread *thread,
                              uint32_t *out_track) TACHO_MUST_USE;

/* A device, by the id that the file gives it; |number| and |name| are for people. */
typedef struct rocm_agent {
    uint64_t owner;
    int64_t id, number;
    bool is_gpu;
    tacho_str name; /* empty when not known; else the product's */
} rocm_agent;

tacho_status rocm_find_queue(rocm_part *part, const rocm_agent *agent, int64_t queue,
                             uint32_t *out_track) TACHO_MUST_USE;

/* The ways of a copy, in the order of the enumeration of rocprofv3. */
typedef enum rocm_way {
    ROCM_WAY_NONE,
    ROCM_WAY_HOST_TO_HOST,
    ROCM_WAY_HOST_TO_DEVICE,
    ROCM_WAY_DEVICE_TO_HOST,
    ROCM_WAY_DEVICE_TO_DEVICE,
} rocm_way;

/* By the name of the direction, "MEMORY_COPY_HOST_TO_DEVICE". */
rocm_way rocm_way_of(tacho_str direction);

/* Pushes a copy on the track of its way on |agent|; the other fields of |span| are set. */
tacho_status rocm_push_copy(rocm_part *part, const rocm_agent *agent, rocm_way way,
                            gpu_part_span *span) TACHO_MUST_USE;

/* Counts an allocation or, of 0 bytes, the end of one. */
typedef struct rocm_allocation {
    int64_t time;
    uint64_t address;
    uint64_t bytes;
    bool is_free;
} rocm_allocation;

tacho_status rocm_push_allocation(rocm_part *part, const rocm_agent *agent,
                                  const rocm_allocation *allocation) TACHO_MUST_USE;

/* A sample of a counter of |agent|. */
tacho_status rocm_push_counter(rocm_part *part, const rocm_agent *agent, tacho_str name,
                               int64_t time, double value) TACHO_MUST_USE;

/* Grid sizes count work items: adds them in work groups. */
tacho_status rocm_add_shape(rocm_part *part, const int64_t grid[3],
                            const int64_t workgroup[3]) TACHO_MUST_USE;

#endif
