/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Performance counters of a device log. With TT_METAL_PROFILE_PERF_COUNTERS, BRISC of each core
 * writes the counters of its core at the end of an op: a row with the timer 9090 and
 *
 *   {"counter type":"FPU_COUNTER";"ref cnt":4711;"value":815}
 *
 * in its meta data, where "ref cnt" is the number of cycles counted. Counters that columns of the
 * op table are computed from are kept until the end, 24 bytes each, since the log is ordered by
 * core and the table by op.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_COUNTERS_H
#define TACHO_SOURCES_TENSTORRENT_LOG_COUNTERS_H

#include "sources/tenstorrent/log_host.h"
#include "sources/tenstorrent/log_lanes.h"

#define TT_COUNTERS(X)                                                                             \
    X(SFPU_COUNTER)                                                                                \
    X(FPU_COUNTER)                                                                                 \
    X(MATH_COUNTER)                                                                                \
    X(DATA_HAZARD_STALLS_MOVD2A)                                                                   \
    X(MATH_FIDELITY_STALL)                                                                         \
    X(MATH_INSTRN_STARTED)                                                                         \
    X(MATH_INSTRN_AVAILABLE)                                                                       \
    X(MATH_INSTRN_HF_1_CYCLE)                                                                      \
    X(MATH_INSTRN_HF_2_CYCLE)                                                                      \
    X(MATH_INSTRN_HF_4_CYCLE)                                                                      \
    X(MATH_NOT_STALLED_DEST_WR_PORT)                                                               \
    X(AVAILABLE_MATH)                                                                              \
    X(SRCA_WRITE_AVAILABLE)                                                                        \
    X(SRCA_WRITE_ACTUAL)                                                                           \
    X(SRCA_WRITE_NOT_BLOCKED_OVR)                                                                  \
    X(SRCB_WRITE_AVAILABLE)                                                                        \
    X(SRCB_WRITE_ACTUAL)                                                                           \
    X(SRCB_WRITE_NOT_BLOCKED_PORT)                                                                 \
    X(UNPACK0_BUSY_THREAD0)                                                                        \
    X(UNPACK1_BUSY_THREAD0)                                                                        \
    X(PACKER_DEST_READ_AVAILABLE)                                                                  \
    X(DEST_READ_GRANTED_0)                                                                         \
    X(PACKER_BUSY)                                                                                 \
    X(PACKER_BUSY_0)                                                                               \
    X(PACKER_BUSY_1)                                                                               \
    X(PACKER_BUSY_2)                                                                               \
    X(CFG_INSTRN_AVAILABLE_0)                                                                      \
    X(SYNC_INSTRN_AVAILABLE_0)                                                                     \
    X(THCON_INSTRN_AVAILABLE_0)                                                                    \
    X(MOVE_INSTRN_AVAILABLE_0)                                                                     \
    X(FPU_INSTRN_AVAILABLE_1)                                                                      \
    X(UNPACK_INSTRN_AVAILABLE_0)                                                                   \
    X(PACK_INSTRN_AVAILABLE_2)                                                                     \
    X(THREAD_STALLS_0)                                                                             \
    X(THREAD_STALLS_1)                                                                             \
    X(THREAD_STALLS_2)                                                                             \
    X(THREAD_INSTRUCTIONS_0)                                                                       \
    X(THREAD_INSTRUCTIONS_1)                                                                       \
    X(THREAD_INSTRUCTIONS_2)                                                                       \
    X(WAITING_FOR_SRCA_CLEAR)                                                                      \
    X(WAITING_FOR_SRCB_CLEAR)                                                                      \
    X(WAITING_FOR_SRCA_VALID)                                                                      \
    X(WAITING_FOR_SRCB_VALID)                                                                      \
    X(WAITING_FOR_MATH_IDLE_1)                                                                     \
    X(WAITING_FOR_PACK_IDLE_2)                                                                     \
    X(WAITING_FOR_UNPACK_IDLE_0)                                                                   \
    X(WAITING_FOR_NONZERO_SEM_0)                                                                   \
    X(WAITING_FOR_NONZERO_SEM_1)                                                                   \
    X(WAITING_FOR_NONZERO_SEM_2)                                                                   \
    X(WAITING_FOR_NONFULL_SEM_0)                                                                   \
    X(WAITING_FOR_NONFULL_SEM_1)                                                                   \
    X(WAITING_FOR_NONFULL_SEM_2)                                                                   \
    X(WAITING_FOR_MMIO_IDLE_0)                                                                     \
    X(WAITING_FOR_SFPU_IDLE_1)                                                                     \
    X(WAITING_FOR_THCON_IDLE_0)                                                                    \
    X(WAITING_FOR_MOVE_IDLE_0)                                                                     \
    X(L1_0_UNPACKER_0)                                                                             \
    X(L1_0_UNPACKER_0_GRANT)                                                                       \
    X(L1_0_UNIFIED_PACKER)                                                                         \
    X(L1_0_UNPACKER_1_ECC_PACK1)                                                                   \
    X(L1_0_PORT1_GRANT)                                                                            \
    X(L1_0_TDMA_BUNDLE_0_RISC)                                                                     \
    X(L1_0_TDMA_BUNDLE_1_TRISC)                                                                    \
    X(L1_0_NOC_RING0_OUTGOING_0)                                                                   \
    X(L1_0_NOC_RING0_OUTGOING_1)                                                                   \
    X(L1_0_NOC_RING0_INCOMING_0)                                                                   \
    X(L1_0_NOC_RING0_INCOMING_1)                                                                   \
    X(L1_0_NOC_RING0_OUTGOING_0_GRANT)                                                             \
    X(L1_0_NOC_RING0_OUTGOING_1_GRANT)                                                             \
    X(L1_0_NOC_RING0_INCOMING_0_GRANT)                                                             \
    X(L1_0_NOC_RING0_INCOMING_1_GRANT)                                                             \
    X(L1_1_RISC_CORE)                                                                              \
    X(L1_1_NOC_RING1_OUTGOING_0)                                                                   \
    X(L1_1_NOC_RING1_OUTGOING_1)                                                                   \
    X(L1_1_NOC_RING1_INCOMING_0)                                                                   \
    X(L1_1_NOC_RING1_INCOMING_1)                                                                   \
    X(L1_1_NOC_RING1_OUTGOING_0_GRANT)                                                             \
    X(L1_1_NOC_RING1_OUTGOING_1_GRANT)                                                             \
    X(L1_1_NOC_RING1_INCOMING_0_GRANT)                                                             \
    X(L1_1_NOC_RING1_INCOMING_1_GRANT)

typedef enum tt_counter {
#define TT_COUNTER_ENUM(name) TT_##name,
    TT_COUNTERS(TT_COUNTER_ENUM)
#undef TT_COUNTER_ENUM
        TT_COUNTER_COUNT,
} tt_counter;

/* The value of one counter of one core in one execution. */
typedef struct tt_sample {
    uint32_t op;    /* id of the execution */
    uint32_t where; /* core << 8 | counter */
    uint64_t value, cycles;
} tt_sample;

/* Summary of all samples of a chip. */
typedef struct tt_counter_chip {
    uint32_t chip;
    bool has[TT_COUNTER_COUNT];
    uint64_t sums[TT_COUNTER_COUNT];
    bool has_matching_grants; /* grants of the first unpacker count its requests */
} tt_counter_chip;

/* The counters of one core; NaN: not recorded. */
typedef struct tt_core_counts {
    double values[TT_COUNTER_COUNT], cycles[TT_COUNTER_COUNT];
} tt_core_counts;

typedef struct tt_log_counters {
    tt_sample *samples; /* by execution, core and counter, once all rows are there */
    size_t sample_count, sample_capacity;
    tt_counter_chip *chips;
    size_t chip_count, chip_capacity;
    tacho_strings names; /* of counters, in their order, after the empty one */
} tt_log_counters;

/* Call deinit even if init failed. */
tacho_status tt_log_counters_init(tt_log_counters *counters) TACHO_MUST_USE;
void tt_log_counters_deinit(tt_log_counters *counters);

/* Whether |row| of |lane| is a counter. */
static inline bool tt_log_is_counter(const tt_log_row *row, const tt_lane *lane)
{
    return row->timer == TT_LOG_TIMER_COUNTER && lane->known == TT_RISC_BRISC &&
           (row->type == TT_LOG_VALUE || row->type == TT_LOG_EVENT);
}

/*
 * Adds such a row of the execution |op|; |*out_is_good| is false when its meta data cannot be read.
 */
tacho_status tt_log_counters_add(tt_log_counters *counters, const tt_log_row *row, uint32_t core,
                                 uint32_t op, bool *out_is_good) TACHO_MUST_USE;

/* Call after the last row. Of repeated samples one is kept; the others are lost. */
tacho_status tt_log_counters_finish(tt_log_counters *counters, const tt_lanes *lanes,
                                    tt_losses *losses) TACHO_MUST_USE;

/* The summary of |chip|; NULL when it has no counters. */
const tt_counter_chip *tt_log_counters_chip(const tt_log_counters *counters, uint32_t chip);

/* The samples of an execution: [first, last). */
void tt_log_counters_find(const tt_log_counters *counters, uint32_t op, size_t *out_first,
                          size_t *out_last);

/* Combines the samples of the core at |first|; returns where the next core starts. */
size_t tt_log_counters_take_core(const tt_log_counters *counters, size_t first, size_t last,
                                 tt_core_counts *out_counts);

#endif
