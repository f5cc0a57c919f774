/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State shared by the files of this source: the current part, its tracks, sites and argument keys.
 * All are made on first use, never per record.
 */
#ifndef TACHO_SOURCES_STATS_STATS_EMIT_H
#define TACHO_SOURCES_STATS_STATS_EMIT_H

#include "sources/stats/stats.h"

/* Keys of arguments: in tacho's words, in the vendor's. */
#define STATS_KEYS(X)                                                                              \
    X(OC, "oc", "oc")                                                                              \
    X(KIND, "kind", "opKind")                                                                      \
    X(OP, "op", "opName")                                                                          \
    X(TYPE, "type", "opType")                                                                      \
    X(MEMORY, "memory", "opMemory")                                                                \
    X(BYTES, "bytes", "opOutputSize")                                                              \
    X(UCYCLES, "ucycles", "opUCycle")                                                              \
    X(PCYCLES, "pcycles", "opPCycle")                                                              \
    X(SYNC, "sync_ns", "opSyncDurUs")                                                              \
    X(BARRIER, "barrier_ns", "opBarrierDurUs")                                                     \
    X(ESTIMATE, "estimate_cycles", "estimatedPCycle")                                              \
    X(REPEAT, "repeat", "opRepeat")                                                                \
    X(FREQUENCY, "mhz", "effectiveFreq")                                                           \
    X(UCYCLES_PER_KB, "ucycles_per_kb", "UCyclesPerKB")                                            \
    X(PCYCLES_PER_KB, "pcycles_per_kb", "PCyclesPerKB")                                            \
    X(SHAPE, "shape", "opShape")                                                                   \
    X(PORT_TYPE, "port_type", "PortType")                                                          \
    X(PORT_PEERS, "port_peers", "PortDescription")                                                 \
    X(TRANSACTION, "transaction", "TransactionId")                                                 \
    X(WAITS, "waits", "waitCount")                                                                 \
    X(LONGEST, "longest_ns", "longestWaitUs")                                                      \
    X(READ, "ddr_read_bytes", "ddrReadBytes")                                                      \
    X(WRITTEN, "ddr_write_bytes", "ddrWriteBytes")                                                 \
    X(FLUSH, "flush_ns", "statsFlushUs")                                                           \
    X(INFERENCE, "inference", "inference")                                                         \
    X(BATCH, "stats_batch", "statsBatchSize")                                                      \
    X(CORE, "core", "core")                                                                        \
    X(THREAD, "thread", "thread")                                                                  \
    X(ATTRIBUTES, "attributes", "opAttributes")

typedef enum stats_key {
#define STATS_KEY_ENUM(name, native, vendor) STATS_KEY_##name,
    STATS_KEYS(STATS_KEY_ENUM)
#undef STATS_KEY_ENUM
        STATS_KEY_COUNT
} stats_key;

/* The tracks of an engine. */
typedef enum stats_track_kind {
    STATS_TRACK_OPS,
    STATS_TRACK_TRANSFERS,
    STATS_TRACK_BARRIERS,
    STATS_TRACK_KIND_COUNT
} stats_track_kind;

enum { STATS_OPERANDS_MAX = 6 };

/* Facts shared by all tasks of one kind, op and class of engine. */
typedef struct stats_facts {
    uint32_t site;                  /* TACHO_NONE: not known yet */
    uint32_t kind_name, class_name; /* of the layout; of the program: its subject */
    uint32_t op;                    /* of the program, or TACHO_NONE */
    uint32_t job_kind;              /* tacho_job_kind */
    uint32_t kind;                  /* strings of the dictionary from here on */
    uint32_t memory;                /* or TACHO_NONE */
} stats_facts;

/* Facts cached for each op: a few kinds of tasks. */
enum { STATS_FACTS_OF_OP = 8 };

/* Texts of an op: strings of the dictionary. */
typedef struct stats_op_texts {
    bool is_known;
    uint32_t name, type, shape;
    uint32_t attributes; /* TACHO_NONE: it has none */
    uint32_t operand_count;
    uint32_t operands[STATS_OPERANDS_MAX];
} stats_op_texts;

typedef struct stats_emitter {
    const tacho_stats_set *set;
    const tacho_program *program;
    const tacho_stats_file *file; /* the current file */
    tacho_events *events;
    tacho_dict *dict;
    int64_t max_ticks;
    double timer_mhz;
    uint32_t part, clock, run;
    uint32_t keys[STATS_KEY_COUNT];
    uint32_t operand_keys[STATS_OPERANDS_MAX];
    uint32_t pmu_keys[TACHO_PMU_EVENTS_MAX];
    uint32_t category;       /* string: in the vendor's words */
    uint32_t *groups;        /* by device and core: process, or TACHO_NONE */
    uint32_t *engine_tracks; /* by engine and kind */
    uint32_t *sync_sites;    /* by engine */
    uint32_t *barrier_sites; /* by engine */
    stats_facts *facts;      /* by op, and one more; STATS_FACTS_OF_OP each */
    stats_op_texts *ops;     /* by op */
    /* Arrays of the current file: the first of an engine, and the one after each. */
    uint32_t *first_op, *first_pmu;
    uint32_t *next_array;
    size_t next_capacity;
    tacho_text text;
    uint64_t overflow_count;
} stats_emitter;

/* One op record, or those of a group's threads merged. Ticks of the timer. */
typedef struct stats_times {
    int64_t sync_start, start, end, barrier_end;
    int64_t done; /* of a transfer that continues by itself, else -1 */
    uint64_t pcycles;
    int64_t estimate; /* cycles, -1: none */
    uint64_t bytes;   /* its share of the task's */
    uint32_t oc;
    uint32_t repeat;
    uint32_t job;        /* or TACHO_NONE */
    bool is_wait;        /* only waiting: not an op in the vendor's words */
    bool is_link;        /* a transfer from another device */
    const uint64_t *pmu; /* values of the program's events, or NULL */
} stats_times;

/* ---- tracks and sites (stats_tracks.c) ---- */

/* The track of an engine; in the vendor's words that of its group unless they are split. */
tacho_status stats_engine_track(stats_emitter *self, uint32_t engine, stats_track_kind kind,
                                uint32_t *out_track) TACHO_MUST_USE;

/* A track of the file's device outside its cores, by name: "_P2P_Port_102"; vendor's words. */
tacho_status stats_device_track(stats_emitter *self, const char *suffix,
                                tacho_track_class track_class, uint32_t *out_track) TACHO_MUST_USE;

/* The track of transfers from another device such as |job|; vendor's words. */
tacho_status stats_link_track(stats_emitter *self, uint32_t job,
                              uint32_t *out_track) TACHO_MUST_USE;

/* A track of a core by name: "" for the core itself, "_Port_100". */
tacho_status stats_core_track(stats_emitter *self, uint32_t core, const char *suffix,
                              tacho_track_class track_class, uint32_t *out_track) TACHO_MUST_USE;

tacho_status stats_site(stats_emitter *self, tacho_str name, const char *category,
                        uint32_t location, uint32_t *out_site) TACHO_MUST_USE;

/* Sites "sync HVX" and "barrier HVX". */
tacho_status stats_wait_site(stats_emitter *self, uint32_t engine, bool is_barrier,
                             uint32_t *out_site) TACHO_MUST_USE;

/* The facts that records of a task, or of an op, share. */
tacho_status stats_facts_of(stats_emitter *self, uint32_t engine, uint32_t oc,
                            const stats_facts **out_facts) TACHO_MUST_USE;
tacho_status stats_texts_of(stats_emitter *self, uint32_t op,
                            const stats_op_texts **out_texts) TACHO_MUST_USE;

/* ---- rows (stats_ops.c, stats_flows.c) ---- */

/* Pushes a span; one outside the clock's range is counted. */
tacho_status stats_push_span(stats_emitter *self, const tacho_row *row) TACHO_MUST_USE;

typedef tacho_status (*stats_take)(stats_emitter *self, uint32_t engine, const stats_times *times,
                                   void *with);

/* Gives the op records of an engine in the order of the file. */
tacho_status stats_visit_engine(stats_emitter *self, uint32_t engine, stats_take take,
                                void *with) TACHO_MUST_USE;

/* Whether the engine belongs to the file's device, and its core is shown. */
bool stats_shows_engine(const stats_emitter *self, uint32_t engine);

/* All op records of the file. */
tacho_status stats_emit_ops(stats_emitter *self) TACHO_MUST_USE;

/* Makes a file the current one. */
tacho_status stats_open_file(stats_emitter *self, const tacho_stats_file *file) TACHO_MUST_USE;

/* Arrows between the op records of all files. */
tacho_status stats_emit_flows(stats_emitter *self) TACHO_MUST_USE;

static inline bool stats_is_by_op(const tacho_stats_file *file)
{
    return (file->head.features & TACHO_STATS_BY_OP) != 0;
}

/* Whether the program ran on the host's processor: without cores of its machine or cycles. */
static inline bool stats_is_on_host(const tacho_stats_file *file)
{
    return !tacho_stats_has_cycles(&file->head);
}

static inline const tacho_stats_view *stats_view_of(const stats_emitter *self)
{
    return &self->set->view;
}

/* Whether a core of the current file's device is shown. */
static inline bool stats_shows_core(const stats_emitter *self, uint32_t core)
{
    return tacho_stats_choice_has(&self->set->view.cores, core);
}

#endif
