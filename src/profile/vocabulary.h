/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of the profile model: the kinds of track, unit, origin and loss, and their names. Also
 * the track names that vendors print, so that two readers of one vendor's files agree. Analyses
 * decide by class, never by name.
 */
#ifndef TACHO_PROFILE_VOCABULARY_H
#define TACHO_PROFILE_VOCABULARY_H

#include "base/str.h"

/*
 * The kinds of work of tracks, in display order. New ones go to the end, since traces store the
 * position.
 */
#define TACHO_TRACK_CLASSES(X)                                                                     \
    X(GROUP, "group")         /* holds other tracks; a process in a trace viewer */                \
    X(HOST, "host")           /* work of the host processor */                                     \
    X(HOST_COPY, "host_copy") /* memory copies by the host */                                      \
    X(RUNTIME, "runtime")     /* the runtime library's own work */                                 \
    X(CONTROL, "control")     /* the accelerator's sequencer: jobs and programs */                 \
    X(DMA_IN, "dma_in")       /* transfers towards local memory */                                 \
    X(DMA_OUT, "dma_out")     /* transfers from local memory */                                    \
    X(DMA_LOCAL, "dma_local") /* transfers between local memories */                               \
    X(COMPUTE, "compute")     /* the main arithmetic engines */                                    \
    X(VECTOR, "vector")       /* auxiliary programmable engines */                                 \
    X(SYNC, "sync")           /* waiting for one another */                                        \
    X(PORT, "port")           /* input and output ports */                                         \
    X(COUNTER, "counter")     /* samples of a value, not spans */                                  \
    X(PHASE, "phase")         /* stretches that contain other work and are none themselves */      \
    X(MEMORY, "memory")       /* memory taken and given back by the host */

typedef enum tacho_track_class {
#define TACHO_CLASS_ENUM(name, text) TACHO_TRACK_##name,
    TACHO_TRACK_CLASSES(TACHO_CLASS_ENUM)
#undef TACHO_CLASS_ENUM
        TACHO_TRACK_CLASS_COUNT,
} tacho_track_class;

/* For sets of classes. */
#define TACHO_TRACK_BIT(track_class) (UINT32_C(1) << (track_class))

/*
 * Whether the numbers were computed, simulated or measured; never summed together. Captures hold
 * the place of these, and of units and reasons below: new ones go to the end.
 */
#define TACHO_ORIGINS(X)                                                                           \
    X(UNKNOWN, "unknown")                                                                          \
    X(ESTIMATED, "estimated")                                                                      \
    X(SIMULATED, "simulated")                                                                      \
    X(MEASURED, "measured")

typedef enum tacho_origin {
#define TACHO_ORIGIN_ENUM(name, text) TACHO_ORIGIN_##name,
    TACHO_ORIGINS(TACHO_ORIGIN_ENUM)
#undef TACHO_ORIGIN_ENUM
        TACHO_ORIGIN_COUNT,
} tacho_origin;

#define TACHO_UNITS(X)                                                                             \
    X(NONE, "")                                                                                    \
    X(NS, "ns")                                                                                    \
    X(CYCLES, "cycles")                                                                            \
    X(BYTES, "bytes")                                                                              \
    X(COUNT, "count")                                                                              \
    X(PERCENT, "%")                                                                                \
    X(MHZ, "MHz")

typedef enum tacho_unit {
#define TACHO_UNIT_ENUM(name, text) TACHO_UNIT_##name,
    TACHO_UNITS(TACHO_UNIT_ENUM)
#undef TACHO_UNIT_ENUM
        TACHO_UNIT_END,
} tacho_unit;

/* Why a record of the input is not in the profile: a key for programs, a phrase for people. */
#define TACHO_LOSS_REASONS(X)                                                                      \
    X(FIELD_COUNT, "wrong_field_count", "wrong number of fields")                                  \
    X(NOT_A_NUMBER, "not_a_number", "a number was expected")                                       \
    X(NEGATIVE_TIME, "negative_time", "negative time")                                             \
    X(TIME_OVERFLOW, "time_overflow", "time too large")                                            \
    X(END_BEFORE_START, "end_before_start", "ends before it starts")                               \
    X(UNKNOWN_EVENT, "unknown_event", "unknown event or id")                                       \
    X(NUL_BYTE, "nul_byte", "holds a NUL byte")                                                    \
    X(CUT_INPUT, "cut_input", "the rest, where the input is cut off or damaged")                   \
    X(UNBOUND_FLOW, "unbound_flow", "a flow end outside any span")                                 \
    X(MISSING_FIELD, "missing_field", "a field is missing")                                        \
    X(UNMATCHED_END, "unmatched_end", "an end without a begin")                                    \
    X(TOO_DEEP, "too_deep", "arguments nested too deeply")                                         \
    X(UNKNOWN_CLOCK, "unknown_clock", "a time on a clock that the trace does not relate")          \
    X(UNKNOWN_STATE, "unknown_state", "refers to something that the trace never says")             \
    X(NOT_FINITE, "not_finite", "a counter value that is not a finite number")                     \
    X(NEVER_ENDED, "never_ended", "a begin without an end")                                        \
    X(DROPPED, "dropped", "dropped by the device that recorded it")                                \
    X(UNKNOWN_COLUMN, "unknown_column", "a column that this version does not know")                \
    X(BUFFER_FULL, "buffer_full", "dropped by the program: its buffer was full")                   \
    X(BAD_RECORD, "bad_record", "reported by the program and makes no sense")

typedef enum tacho_loss_reason {
#define TACHO_LOSS_ENUM(name, key, phrase) TACHO_LOSS_##name,
    TACHO_LOSS_REASONS(TACHO_LOSS_ENUM)
#undef TACHO_LOSS_ENUM
        TACHO_LOSS_REASON_COUNT,
} tacho_loss_reason;

const char *tacho_track_class_name(tacho_track_class track_class);
const char *tacho_origin_name(tacho_origin origin);

/* The origin of that name; UNKNOWN for any other. */
tacho_origin tacho_origin_find(tacho_str name);
const char *tacho_unit_name(tacho_unit unit);
const char *tacho_loss_key(tacho_loss_reason reason);
const char *tacho_loss_phrase(tacho_loss_reason reason);

/* The kind of a category's spans, for the categories of PyTorch's profiler, Kineto. */
typedef enum tacho_category_kind {
    TACHO_CATEGORY_KIND_OTHER,  /* not one of the known words */
    TACHO_CATEGORY_KIND_HOST,   /* work of the host: operators, Python frames, driver calls */
    TACHO_CATEGORY_KIND_DEVICE, /* work of a device: kernels, copies, fills */
    TACHO_CATEGORY_KIND_PHASE,  /* annotations, drawn around the work of others */
    TACHO_CATEGORY_KIND_WAIT,   /* a stream or device that waits for another */
} tacho_category_kind;

tacho_category_kind tacho_category_kind_of(tacho_str category);

/* The kind of spans |name| of |category|: some waits are in a category of work. */
tacho_category_kind tacho_span_kind_of(tacho_str category, tacho_str name);

/* Whether spans of |category| do not count as busy: phases and waits. */
bool tacho_category_is_phase(tacho_str category);

/* Overview titles of profiles without models: with devices, and of the host alone. */
#define TACHO_OVERVIEW_TITLE_DEVICE "Device Profile Overview"
#define TACHO_OVERVIEW_TITLE_HOST "Host Profile Overview"

/* The kind of a device's row in traces of TensorFlow and JAX, by its name. */
typedef enum tacho_xla_line {
    TACHO_XLA_LINE_OTHER,
    TACHO_XLA_LINE_STREAM,  /* of a GPU: kernels and copies as they ran */
    TACHO_XLA_LINE_OPS,     /* operators: all that a TPU did, or drawn around kernels of streams */
    TACHO_XLA_LINE_SUMMARY, /* steps, modules, scopes: drawn around other rows */
} tacho_xla_line;

tacho_xla_line tacho_xla_line_of(tacho_str name);

/* The engines of a Torq NPU as its files name them. */
#define TACHO_TORQ_ENGINES(X)                                                                      \
    X(NSS, CONTROL, "NSS Programs")                                                                \
    X(DMA_IN, DMA_IN, "DMA In")                                                                    \
    X(DMA_OUT, DMA_OUT, "DMA Out")                                                                 \
    X(CDMA, DMA_LOCAL, "CDMA")                                                                     \
    X(SLICE, COMPUTE, "Slice") /* followed by its number */                                        \
    X(CSS, VECTOR, "CSS")

typedef enum tacho_torq_engine {
#define TACHO_TORQ_ENUM(name, track_class, text) TACHO_TORQ_##name,
    TACHO_TORQ_ENGINES(TACHO_TORQ_ENUM)
#undef TACHO_TORQ_ENUM
        TACHO_TORQ_ENGINE_COUNT,
} tacho_torq_engine;

const char *tacho_torq_engine_name(tacho_torq_engine engine);
tacho_track_class tacho_torq_engine_class(tacho_torq_engine engine);

/* The memory of the vector engine that a local transfer reads or writes. */
typedef enum tacho_torq_memory {
    TACHO_TORQ_MEMORY_NONE,
    TACHO_TORQ_MEMORY_DTCM, /* its data */
    TACHO_TORQ_MEMORY_ITCM, /* its program */
    TACHO_TORQ_MEMORY_COUNT,
} tacho_torq_memory;

/* By the name of the transfer, "CDMA LRAM to DTCM" or "CDMA_LRAM_TO_DTCM". */
tacho_torq_memory tacho_torq_transfer_memory(tacho_str name);

/* The tracks of a Torq host profile, in display order. */
#define TACHO_TORQ_HOST_TRACKS(X)                                                                  \
    X(PHASES, PHASE, "Host")                                                                       \
    X(HAL, RUNTIME, "HAL")                                                                         \
    X(PROGRAMS, HOST, "Host Programs")                                                             \
    X(ACTIONS, SYNC, "Host Actions")                                                               \
    X(COPY, HOST_COPY, "Host Copy")                                                                \
    X(MEMORY, MEMORY, "Host Memory")                                                               \
    X(NSS_PROGRAMS, CONTROL, "NSS Programs")                                                       \
    X(NSS_ACTIONS, SYNC, "NSS Actions")

typedef enum tacho_torq_host_track {
#define TACHO_TORQ_HOST_ENUM(name, track_class, text) TACHO_TORQ_HOST_##name,
    TACHO_TORQ_HOST_TRACKS(TACHO_TORQ_HOST_ENUM)
#undef TACHO_TORQ_HOST_ENUM
        TACHO_TORQ_HOST_TRACK_COUNT,
} tacho_torq_host_track;

const char *tacho_torq_host_track_name(tacho_torq_host_track track);
tacho_track_class tacho_torq_host_track_class(tacho_torq_host_track track);

/* The groups of a Torq trace, by whether their tracks show work or sum it up once more. */
#define TACHO_TORQ_TRACE_GROUPS(X)                                                                 \
    X("Host", true)                                                                                \
    X("NPU Task Breakdown", true)                                                                  \
    X("NPU Task Measurements", true)                                                               \
    X("Compiler Input Locations", false)                                                           \
    X("Operator Type Totals", false)                                                               \
    X("Compile Profile Overview", false)                                                           \
    X("Host Profile Overview", false)

/* The names of those tracks; "Used" may follow, and "(Compile)" for the compiler's estimate. */
#define TACHO_TORQ_TRACE_TRACKS(X)                                                                 \
    X("HAL", RUNTIME)                                                                              \
    X("NSS Programs", CONTROL)                                                                     \
    X("NSS CFG Tasks", CONTROL)                                                                    \
    X("Host Programs", HOST)                                                                       \
    X("Host Copy", HOST_COPY)                                                                      \
    X("NDMA In", DMA_IN)                                                                           \
    X("DMA In", DMA_IN)                                                                            \
    X("NDMA Out", DMA_OUT)                                                                         \
    X("DMA Out", DMA_OUT)                                                                          \
    X("CDMA", DMA_LOCAL)                                                                           \
    X("Slice ", COMPUTE) /* followed by its number */                                              \
    X("CSS", VECTOR)

/* Whether |name| is a group of a Torq trace. */
bool tacho_torq_trace_group(tacho_str name);

/* The class and number of the track |name| in |group|; false when Torq traces have no such one. */
bool tacho_torq_trace_track(tacho_str group, tacho_str name, tacho_track_class *out_class,
                            uint32_t *out_index);

/* Groups whose presence shows the origin of the times, or that repeat the work of engines. */
#define TACHO_TORQ_GROUP_UNITS "NPU Task Breakdown"
#define TACHO_TORQ_GROUP_USED "NPU Task Measurements"
#define TACHO_TORQ_GROUP_ESTIMATE "Compile Profile Overview"
#define TACHO_TORQ_GROUP_RUN "Host Profile Overview"

/*
 * The names of threads of older Torq traces, after a number: 0_DMA_IN, 04_Slice_0. The oldest have
 * no numbers there, but one ahead of the process: "DMA IN" in "01 timeline.csv".
 */
#define TACHO_TORQ_OLD_TRACKS(X)                                                                   \
    X("DMA IN", DMA_IN, true)                                                                      \
    X("DMA OUT", DMA_OUT, true)                                                                    \
    X("CDMA", DMA_LOCAL, true)                                                                     \
    X("SLICE ", COMPUTE, true) /* followed by its number */                                        \
    X("CSS", VECTOR, true)                                                                         \
    X("INPUT LAYER", PHASE, false)                                                                 \
    X("TORQ OPERATIONS", CONTROL, false)                                                           \
    X("HOST", HOST, false)                                                                         \
    X("OVERALL", PHASE, false)

/* The contents of such a thread. */
typedef struct tacho_torq_old_track {
    tacho_track_class track_class;
    uint32_t index;
    bool is_numbered; /* the name begins with its place */
    bool is_engine;
} tacho_torq_old_track;

/* False when |name| is not a thread of an older Torq trace. */
bool tacho_torq_find_old_track(tacho_str name, tacho_torq_old_track *out_track);

/* Whether |name| is that of a process of the oldest traces: "01 timeline.csv". */
bool tacho_torq_is_old_process(tacho_str name);

/* The engine's name, from the name of its track: "HVX" of "Core 1 HVX 3". Empty where that is not
 * a short word in plain letters. */
tacho_str tacho_track_engine_word(tacho_str name);

#endif
