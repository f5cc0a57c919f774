/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader's state. All tables of events are read side by side in order of time, so that rows of
 * one thread, which are in several tables, arrive in order. Texts are looked up when an event
 * refers to them: a database also holds the environment, other processes and output of the program,
 * which must not get into a trace.
 */
#ifndef TACHO_SOURCES_NSYS_NSYS_READER_H
#define TACHO_SOURCES_NSYS_NSYS_READER_H

#include "codec/sqlite_file.h"
#include "sources/gpu_part.h"

/* Kinds of tracks, and of the groups that they are in. */
typedef enum nsys_track_kind {
    NSYS_TRACK_PROCESS, /* process */
    NSYS_TRACK_THREAD,  /* global id */
    NSYS_TRACK_RANGES,  /* process: ranges that end on another thread */
    NSYS_TRACK_OVERHEAD,
    NSYS_TRACK_GPU,    /* its number */
    NSYS_TRACK_STREAM, /* GPU, process and context, stream */
    NSYS_TRACK_WAITS,  /* process and context, stream */
    NSYS_TRACK_METRICS,
    NSYS_TRACK_METRIC, /* type, metric */
    NSYS_TRACK_MEMORY, /* GPU, kind of memory */
} nsys_track_kind;

/* Keys of arguments and categories, which are strings. */
#define NSYS_WORDS(X)                                                                              \
    X(GRID, "grid")                                                                                \
    X(BLOCK, "block")                                                                              \
    X(REGISTERS, "registers")                                                                      \
    X(SHARED, "shared_memory")                                                                     \
    X(CORRELATION, "correlation")                                                                  \
    X(GRAPH, "graph")                                                                              \
    X(GRAPH_NODE, "graph_node")                                                                    \
    X(BYTES, "bytes")                                                                              \
    X(VALUE, "value")                                                                              \
    X(RESULT, "result")                                                                            \
    X(DOMAIN, "domain")                                                                            \
    X(CATEGORY, "category")                                                                        \
    X(PAYLOAD, "payload")                                                                          \
    X(SIZE, "size")                                                                                \
    X(PEER, "peer_rank")                                                                           \
    X(KERNEL, "kernel")                                                                            \
    X(COPY, "gpu_memcpy")                                                                          \
    X(SET, "gpu_memset")                                                                           \
    X(SYNC, "cuda_sync")                                                                           \
    X(RUNTIME_CALL, "cuda_runtime")                                                                \
    X(DRIVER_CALL, "cuda_driver")                                                                  \
    X(NVTX, "nvtx")                                                                                \
    X(OS_CALL, "osrt")                                                                             \
    X(LIBRARY_CALL, "cuda_library")                                                                \
    X(MPI_CALL, "mpi")                                                                             \
    X(OVERHEAD, "overhead")

typedef enum nsys_word {
#define NSYS_WORD_ENUM(name, text) NSYS_##name,
    NSYS_WORDS(NSYS_WORD_ENUM)
#undef NSYS_WORD_ENUM
        NSYS_WORD_COUNT,
} nsys_word;

typedef struct nsys_reader {
    gpu_part gpu;
    tacho_sqlite_file *file;
    tacho_sqlite_scan strings, processes,
        gpus;                      /* places in StringIds, PROCESSES, TARGET_INFO_GPU */
    tacho_number_map texts;        /* string ids to strings of the dictionary */
    tacho_number_map calls;        /* the same without versions, and NSYS_IS_LAUNCH for launches */
    tacho_number_map domains;      /* process and NVTX domain to string */
    tacho_number_map categories;   /* the same with a category */
    tacho_number_map thread_names; /* global id to string id */
    tacho_number_map process_rows; /* process to row of PROCESSES */
    tacho_number_map device_gpus;  /* process and its CUDA device to GPU */
    tacho_number_map gpu_rows;     /* GPU to row of TARGET_INFO_GPU */
    tacho_number_map memory;       /* track to bytes allocated */
    uint32_t words[NSYS_WORD_COUNT];
    uint32_t metric_count;
    bool has_graph_spans; /* launches of graphs were recorded as a whole */
} nsys_reader;

#define NSYS_IS_LAUNCH (UINT64_C(1) << 32)

/* A table of events: columns 0 and 1 are its start and end, NULL ends the list. */
typedef struct nsys_table {
    const char *name;
    const char *columns[TACHO_SQLITE_COLUMNS_MAX];
    tacho_status (*take)(nsys_reader *reader, const tacho_sqlite_scan *row);
} nsys_table;

extern const nsys_table nsys_device_tables[], nsys_host_tables[]; /* end with a name of NULL */

/* Notes the calls that launch work, for arrows. */
tacho_status nsys_note_calls(nsys_reader *reader) TACHO_MUST_USE;

static inline uint64_t nsys_process_of(int64_t global_id)
{
    return (uint64_t)global_id >> 24;
}

tacho_status nsys_names_init(nsys_reader *reader) TACHO_MUST_USE;
void nsys_names_deinit(nsys_reader *reader);

/* The text of a string id, as a string of the dictionary; 0 where there is none. */
tacho_status nsys_find_text(nsys_reader *reader, int64_t id, uint32_t *out_string) TACHO_MUST_USE;

/* The same of the first of |column_count| columns of |row| that has one; 0 where none has. */
tacho_status nsys_find_name(nsys_reader *reader, const tacho_sqlite_scan *row, size_t first_column,
                            size_t column_count, uint32_t *out_string) TACHO_MUST_USE;

/* The track of a thread, by its global id. */
tacho_status nsys_find_thread(nsys_reader *reader, int64_t global_id,
                              uint32_t *out_track) TACHO_MUST_USE;

/* A track of a process that is not a thread. */
tacho_status nsys_find_extra(nsys_reader *reader, int64_t global_id, nsys_track_kind kind,
                             uint32_t *out_track) TACHO_MUST_USE;

/* Where a piece of device work ran. */
typedef struct nsys_place {
    int64_t process, device, context, stream;
} nsys_place;

/* The number of the GPU that |device| is in its process, and its group. */
int64_t nsys_find_gpu_number(const nsys_reader *reader, int64_t process, int64_t device);
tacho_status nsys_find_gpu(nsys_reader *reader, int64_t gpu, uint32_t *out_track) TACHO_MUST_USE;

tacho_status nsys_find_stream(nsys_reader *reader, const nsys_place *place,
                              uint32_t *out_track) TACHO_MUST_USE;

/*
 * The waits for a stream, or for all streams of a context, in the group of the process: the device
 * of such rows is 0 whatever the context.
 */
tacho_status nsys_find_waits(nsys_reader *reader, const nsys_place *place,
                             uint32_t *out_track) TACHO_MUST_USE;

#endif
