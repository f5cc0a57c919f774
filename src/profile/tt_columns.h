/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of Tenstorrent's op tables, as the vendor writes them. A source keeps each cell as an
 * argument of the op's span under the name of its column; analyses find them by that name.
 */
#ifndef TACHO_PROFILE_TT_COLUMNS_H
#define TACHO_PROFILE_TT_COLUMNS_H

/* The format's name, and the table row of a span: the header is row 1. */
#define TACHO_TT_VENDOR "tenstorrent" /* how the names of its formats begin */
#define TACHO_TT_FORMAT "tenstorrent-ops"
#define TACHO_TT_ROW "table row"

#define TACHO_TT_COLUMNS(X)                                                                        \
    X(OP_CODE, "OP CODE")                                                                          \
    X(OP_TYPE, "OP TYPE")                                                                          \
    X(OP_NAME, "OP NAME")                                                                          \
    X(CALL_COUNT, "GLOBAL CALL COUNT")                                                             \
    X(DEVICE_ID, "DEVICE ID")                                                                      \
    X(DEVICE_ARCH, "DEVICE ARCH")                                                                  \
    X(ATTRIBUTES, "ATTRIBUTES")                                                                    \
    X(MATH_FIDELITY, "MATH FIDELITY")                                                              \
    X(CORE_COUNT, "CORE COUNT")                                                                    \
    X(WORKER_CORES, "AVAILABLE WORKER CORE COUNT")                                                 \
    X(HOST_START, "HOST START TS")                                                                 \
    X(HOST_END, "HOST END TS")                                                                     \
    X(HOST_DURATION, "HOST DURATION [ns]")                                                         \
    X(FW_START_CYCLE, "DEVICE FW START CYCLE")                                                     \
    X(FW_END_CYCLE, "DEVICE FW END CYCLE")                                                         \
    X(FW_DURATION, "DEVICE FW DURATION [ns]")                                                      \
    X(KERNEL_START_CYCLE, "DEVICE KERNEL START CYCLE")                                             \
    X(KERNEL_END_CYCLE, "DEVICE KERNEL END CYCLE")                                                 \
    X(KERNEL_DURATION, "DEVICE KERNEL DURATION [ns]")                                              \
    X(QUASAR_DM_DURATION, "DEVICE QUASAR_DM KERNEL DURATION [ns]")                                 \
    X(QUASAR_TRISC_DURATION, "DEVICE QUASAR_NEO_TRISC KERNEL DURATION [ns]")                       \
    X(LATENCY, "OP TO OP LATENCY [ns]")                                                            \
    X(TRACE_ID, "METAL TRACE ID")                                                                  \
    X(SESSION_ID, "METAL TRACE REPLAY SESSION ID")                                                 \
    X(LOC, "LOC")

typedef enum tacho_tt_column {
#define TACHO_TT_ENUM(name, text) TACHO_TT_##name,
    TACHO_TT_COLUMNS(TACHO_TT_ENUM)
#undef TACHO_TT_ENUM
        TACHO_TT_COLUMN_COUNT,
} tacho_tt_column;

/* Values of the column OP TYPE. */
#define TACHO_TT_TYPE_SIGNPOST "signpost"
#define TACHO_TT_TYPE_DEVICE "tt_dnn_device"

#endif
