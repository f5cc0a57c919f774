/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops on the host: their messages (tracy_ops_data.csv) and their times (tracy_ops_times.csv),
 * joined by id. A message that only repeats another, as of a cached program, shares its data.
 * Memory grows with the number of distinct programs and ops.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_HOST_H
#define TACHO_SOURCES_TENSTORRENT_LOG_HOST_H

#include "base/strings.h"
#include "sources/tenstorrent/log_messages.h"
#include "sources/tenstorrent/log_times.h"

/* Reasons why data in a log is not in the result. */
#define TT_LOG_LOSSES(X)                                                                           \
    X(CUT_MESSAGE, "byte", "messages that Tracy cut, or whose JSON is damaged")                    \
    X(NO_FIRST, "op", "messages of cached programs whose first message is missing or damaged")     \
    X(COLLISION, "op", "messages of cached programs whose hash is that of another op")             \
    X(BAD_MESSAGE, "byte", "messages that cannot be read")                                         \
    X(REPEATED_MESSAGE, "byte", "messages of ops and replays that come twice")                     \
    X(BAD_ZONE, "line", "host zones that cannot be read")                                          \
    X(NO_OP, "op", "host zones of ops without a message")                                          \
    X(NO_ZONE, "op", "ops without host times")                                                     \
    X(NO_DEVICE, "op", "ops without device data")                                                  \
    X(NO_HOST, "op", "executions that the host says nothing of, left out")                         \
    X(NO_TIMES, "op", "executions without firmware and kernel markers")                            \
    X(NO_REPLAY, "op", "replays that the host does not report")                                    \
    X(REPEATED, "op", "rows of a device that come twice")                                          \
    X(BAD_ROW, "line", "rows of a device report or log that cannot be read")                       \
    X(BAD_COUNTER, "line", "performance counters that cannot be read")                             \
    X(REPEATED_COUNTER, "op", "performance counters that a core reports twice for an op")          \
    X(DROPPED, "line", "notices that the device dropped markers")                                  \
    X(UNENDED, "op", "firmware and kernel zones that never end")                                   \
    X(UNSTARTED, "op", "firmware and kernel zones that end and never start")                       \
    X(LOST_ZONE, "op", "firmware and kernel zones that other executions of the op have")           \
    X(NO_EXECUTION, "line", "device logs and reports that name no op")                             \
    X(NO_RATE, "line", "rates of cycles that cannot be read")                                      \
    X(UNKNOWN_COLUMN, "line", "columns of a device log that this version does not know")           \
    X(BAD_FILE, "line", "files that are called like a log and are none")                           \
    X(CUT_FILE, "line", "files that are cut off")

typedef enum tt_log_loss {
#define TT_LOSS_ENUM(name, place, text) TT_LOSS_##name,
    TT_LOG_LOSSES(TT_LOSS_ENUM)
#undef TT_LOSS_ENUM
        TT_LOSS_COUNT,
} tt_log_loss;

/* The number of losses by reason, and the first of each: the id of an op or a line. */
typedef struct tt_losses {
    uint64_t counts[TT_LOSS_COUNT];
    uint64_t firsts[TT_LOSS_COUNT];
} tt_losses;

void tt_losses_add(tt_losses *losses, tt_log_loss loss, uint64_t who);
void tt_losses_add_count(tt_losses *losses, tt_log_loss loss, uint64_t who, uint64_t count);
const char *tt_loss_phrase(tt_log_loss loss);

/* The unit of the first place: "op", "line" or "byte". */
const char *tt_loss_place(tt_log_loss loss);

enum { TT_TENSOR_CELLS = 7 };

/* W, Z, Y, X, layout, data type, memory. */
typedef struct tt_tensor {
    tacho_str cells[TT_TENSOR_CELLS];
} tt_tensor;

typedef struct tt_kernel_size {
    tacho_str name; /* "TENSIX DM 0 MAX KERNEL SIZE" */
    tacho_str bytes;
} tt_kernel_size;

/* A program as described by a message; texts as Python prints them. */
typedef struct tt_op_data {
    uint64_t hash;
    bool has_hash;
    bool is_partial; /* the message is damaged or missing: only name, hash and device are known */
    int64_t device;  /* -1: none */
    tacho_str code, type, attributes, fidelity, strategy, cache_hit, hash_text;
    tt_tensor *inputs, *outputs;
    size_t input_count, output_count;
    bool has_kernels;
    tacho_str compute_sources, compute_names, mover_sources, mover_names;
    tt_kernel_size *sizes;
    size_t size_count;
    bool has_model;
    tacho_str ideal, compute, bandwidth, input_rates, output_rates;
} tt_op_data;

/* The three columns that tt-torch adds: the last such messages before an op. */
typedef enum tt_mlir_fact {
    TT_MLIR_LOCATION,
    TT_MLIR_CONST_EVAL,
    TT_MLIR_METADATA,
    TT_MLIR_COUNT,
} tt_mlir_fact;

typedef struct tt_host_op {
    uint64_t id; /* global call count */
    uint32_t data;
    int64_t device;      /* -1: none */
    int64_t trace;       /* being captured; -1: none */
    uint64_t message_ns; /* when its message was sent */
    bool has_time;       /* its zone is known: */
    uint64_t start_ns, duration_ns;
    uint32_t thread;              /* string */
    tacho_str cache_hit;          /* as its message has it */
    uint32_t mlir[TT_MLIR_COUNT]; /* strings; or TACHO_NONE */
} tt_host_op;

/* A zone of an op without a message. */
typedef struct tt_orphan {
    uint64_t id;
    uint64_t start_ns, duration_ns;
    uint32_t thread; /* string */
} tt_orphan;

typedef struct tt_signpost {
    tacho_str header, message;
    uint64_t time_ns;
} tt_signpost;

typedef struct tt_replay {
    int64_t device, trace;
    uint64_t time_ns;
    uint64_t offset; /* of its message */
    bool has_time;   /* else it is the time of the previous message */
} tt_replay;

/* Time that an op spent in functions that it called. */
typedef struct tt_host_call {
    uint64_t id; /* of the op */
    uint32_t name;
    uint64_t total_ns;
} tt_host_call;

typedef struct tt_capture {
    int64_t device, trace; /* -1: none now */
} tt_capture;

typedef struct tt_host {
    tacho_arena arena;
    tacho_strings strings;
    tt_losses *losses;
    tt_op_data *datas;
    size_t data_count, data_capacity;
    tacho_index data_index; /* by device and hash: the last */
    tt_host_op *ops;
    size_t op_count, op_capacity;
    tacho_index op_index; /* by id */
    tt_orphan *orphans;
    size_t orphan_count, orphan_capacity;
    uint64_t last_ns; /* of the last message that has a time */
    tt_signpost *signposts;
    size_t signpost_count, signpost_capacity;
    tt_replay *replays; /* by device, trace and time, after the last message */
    size_t replay_count, replay_capacity;
    tt_host_call *calls;
    size_t call_count, call_capacity;
    tacho_index call_index;
    tt_capture *captures; /* by device */
    size_t capture_count, capture_capacity;
    uint32_t mlir[TT_MLIR_COUNT]; /* from the last messages */
    bool has_mlir;
} tt_host;

/* |losses| outlives |host|. Call deinit even if init failed. */
tacho_status tt_host_init(tt_host *host, tt_losses *losses) TACHO_MUST_USE;
void tt_host_deinit(tt_host *host);

/* Reads all messages of |input|; all zones. Read messages first: zones look up their op. */
tacho_status tt_host_read_messages(tt_host *host, tacho_input *input) TACHO_MUST_USE;
tacho_status tt_host_read_times(tt_host *host, tacho_input *input) TACHO_MUST_USE;

/* Adds an op with only a name. */
tacho_status tt_host_add_name(tt_host *host, uint64_t id, tacho_str name) TACHO_MUST_USE;

/* Makes an op from an orphan, on |device|, with only its times. */
tacho_status tt_host_adopt(tt_host *host, const tt_orphan *orphan, int64_t device) TACHO_MUST_USE;

/* The op |id|, or TACHO_NONE. */
uint32_t tt_host_find(const tt_host *host, uint64_t id);

/* The time at which the host started replay |session|, from 1, of a trace; false when unknown. */
bool tt_host_find_replay(const tt_host *host, int64_t device, int64_t trace, int64_t session,
                         uint64_t *out_ns);

/* The time that op |id| spent in the function |name|, a string; false without any call. */
bool tt_host_find_call(const tt_host *host, uint64_t id, uint32_t name, uint64_t *out_ns);

/* Reads the JSON of an op's message, kept in |host|; |*out_is_good| is false if it is not valid. */
tacho_status tt_op_data_read(tt_host *host, tacho_str json, tt_op_data *out_data, uint64_t *out_id,
                             bool *out_is_good) TACHO_MUST_USE;

#endif
