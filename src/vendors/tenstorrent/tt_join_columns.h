/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the vendor's op table, in order. Those of tensors and of kernel sizes depend on
 * the run, and stand where the marks are.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_JOIN_COLUMNS_H
#define TACHO_VENDORS_TENSTORRENT_TT_JOIN_COLUMNS_H

#define TT_JOIN_COLUMNS(X)                                                                         \
    X(OP_CODE, "OP CODE")                                                                          \
    X(OP_TYPE, "OP TYPE")                                                                          \
    X(CALL_COUNT, "GLOBAL CALL COUNT")                                                             \
    X(DEVICE_ID, "DEVICE ID")                                                                      \
    X(DEVICE_ARCH, "DEVICE ARCH")                                                                  \
    X(ATTRIBUTES, "ATTRIBUTES")                                                                    \
    X(FIDELITY, "MATH FIDELITY")                                                                   \
    X(CORE_COUNT, "CORE COUNT")                                                                    \
    X(WORKER_CORES, "AVAILABLE WORKER CORE COUNT")                                                 \
    X(SUB_DEVICE, "SUB DEVICE ID")                                                                 \
    X(STRATEGY, "PARALLELIZATION STRATEGY")                                                        \
    X(HOST_START, "HOST START TS")                                                                 \
    X(HOST_END, "HOST END TS")                                                                     \
    X(HOST_DURATION, "HOST DURATION [ns]")                                                         \
    X(FW_START, "DEVICE FW START CYCLE")                                                           \
    X(FW_END, "DEVICE FW END CYCLE")                                                               \
    X(LATENCY, "OP TO OP LATENCY [ns]")                                                            \
    X(MOVER_LATENCY, "OP TO OP LATENCY BR/NRISC START [ns]")                                       \
    X(FW_DURATION, "DEVICE FW DURATION [ns]")                                                      \
    X(KERNEL_DURATION, "DEVICE KERNEL DURATION [ns]")                                              \
    X(MOVER_DURATION, "DEVICE KERNEL DURATION DM START [ns]")                                      \
    X(CORE_MIN, "DEVICE KERNEL DURATION PER CORE MIN [ns]")                                        \
    X(CORE_MAX, "DEVICE KERNEL DURATION PER CORE MAX [ns]")                                        \
    X(CORE_AVG, "DEVICE KERNEL DURATION PER CORE AVG [ns]")                                        \
    X(FIRST_TO_LAST, "DEVICE KERNEL FIRST TO LAST START [ns]")                                     \
    X(BRISC, "DEVICE BRISC KERNEL DURATION [ns]")                                                  \
    X(NCRISC, "DEVICE NCRISC KERNEL DURATION [ns]")                                                \
    X(TRISC0, "DEVICE TRISC0 KERNEL DURATION [ns]")                                                \
    X(TRISC1, "DEVICE TRISC1 KERNEL DURATION [ns]")                                                \
    X(TRISC2, "DEVICE TRISC2 KERNEL DURATION [ns]")                                                \
    X(ERISC, "DEVICE ERISC KERNEL DURATION [ns]")                                                  \
    X(WAIT_FRONT, "DEVICE COMPUTE CB WAIT FRONT [ns]")                                             \
    X(RESERVE_BACK, "DEVICE COMPUTE CB RESERVE BACK [ns]")                                         \
    X(DISPATCH_TOTAL, "DISPATCH TOTAL CQ CMD OP TIME [ns]")                                        \
    X(DISPATCH_GO, "DISPATCH GO SEND WAIT TIME [ns]")                                              \
    X(TENSORS_MARK, "") /* tensors stand here */                                                   \
    X(TRACE_ID, "METAL TRACE ID")                                                                  \
    X(SESSION_ID, "METAL TRACE REPLAY SESSION ID")                                                 \
    X(COMPUTE_SOURCES, "COMPUTE KERNEL SOURCE")                                                    \
    X(COMPUTE_NAMES, "COMPUTE KERNEL HASH")                                                        \
    X(MOVER_SOURCES, "DATA MOVEMENT KERNEL SOURCE")                                                \
    X(MOVER_NAMES, "DATA MOVEMENT KERNEL HASH")                                                    \
    X(PROGRAM_HASH, "PROGRAM HASH")                                                                \
    X(CACHE_HIT, "PROGRAM CACHE HIT")                                                              \
    X(SIZES_MARK, "") /* kernel sizes stand here */                                                \
    X(PM_IDEAL, "PM IDEAL [ns]")                                                                   \
    X(PM_COMPUTE, "PM COMPUTE [ns]")                                                               \
    X(PM_BANDWIDTH, "PM BANDWIDTH [ns]")                                                           \
    X(PM_INPUTS, "PM REQ I BW")                                                                    \
    X(PM_OUTPUTS, "PM REQ O BW")                                                                   \
    X(PM_UTIL, "PM FPU UTIL (%)")                                                                  \
    X(NOC_UTIL, "NOC UTIL (%)")                                                                    \
    X(MULTICAST_UTIL, "MULTICAST NOC UTIL (%)")                                                    \
    X(DRAM_UTIL, "DRAM BW UTIL (%)")                                                               \
    X(DRAM_UTILS, "DRAM BW UTIL PER CTRL (%)")                                                     \
    X(ETH_UTIL, "ETH BW UTIL (%)")                                                                 \
    X(CONGESTION, "NPE CONG IMPACT (%)")

typedef enum tt_join_column {
#define TT_JOIN_ENUM(name, text) TT_JOIN_##name,
    TT_JOIN_COLUMNS(TT_JOIN_ENUM)
#undef TT_JOIN_ENUM
        TT_JOIN_COLUMN_COUNT,
} tt_join_column;

const char *tt_join_column_name(tt_join_column column);

#endif
