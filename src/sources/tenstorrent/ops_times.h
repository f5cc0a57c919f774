/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the ops of one device ran, in nanoseconds, from what its rows of an op table say.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_OPS_TIMES_H
#define TACHO_SOURCES_TENSTORRENT_OPS_TIMES_H

#include "profile/vocabulary.h"
#include "sources/tenstorrent/tt_table.h"

/* Cycles and nanoseconds are below this; they have 44 bits where the device writes them. */
#define TT_TIME_END (INT64_C(1) << 52)

/* The rate of a device's cycles. */
typedef struct tt_rate {
    int64_t mhz;     /* whole, as the device's log has it */
    bool is_assumed; /* no row tells */
} tt_rate;

typedef enum tt_times_verdict {
    TT_TIMES_NONE,    /* the device recorded nothing of the op */
    TT_TIMES_KNOWN,   /* the row says when */
    TT_TIMES_LAID,    /* the row says how long; it is put behind the one before */
    TT_TIMES_TOO_FAR, /* the ops before it and its duration lead beyond any time */
    TT_TIMES_BAD,     /* a cell is damaged (tt_row_damage), and none tells how long it ran */
} tt_times_verdict;

typedef struct tt_times {
    int64_t start, end; /* of the op's kernels, ns */
    bool is_reversed;   /* cycles end before they start, and are not used */
    bool has_firmware;
    int64_t firmware_start, firmware_end; /* ns */
} tt_times;

/* A row without a chip: a host op or a signpost; and one whose cell is damaged. */
enum { TT_DEVICE_NONE = -1, TT_DEVICE_BAD = -2 };

/* The chip that a row belongs to, or one of those. */
int64_t tt_row_device(const tt_table *table, size_t row);

/* A row and the device it belongs to, so that rows can be put together by device. */
typedef struct tt_row_key {
    int64_t device;
    size_t row;
} tt_row_key;

/* All rows by device, then in the order of the table; to be freed. */
tacho_status tt_rows_by_device(const tt_table *table, tt_row_key **out_rows) TACHO_MUST_USE;

enum { TT_ARCH_BYTES = 31 };

/* The architecture that the first of these rows names, in at most TT_ARCH_BYTES; else empty. */
tacho_str tt_device_arch(const tt_table *table, const tt_row_key *rows, size_t row_count);

/*
 * The rate that most of these rows, of one device, agree on. Whole rows agree to the nanosecond, so
 * one with a damaged cell stands out and is not used.
 */
tacho_status tt_device_rate(const tt_table *table, const tt_row_key *rows, size_t row_count,
                            tt_rate *out_rate) TACHO_MUST_USE;

/*
 * Why a cell of |row| that is not empty is no time, cycle or device, from the |*at|-th on, which is
 * moved on; TACHO_LOSS_REASON_COUNT behind the last.
 */
tacho_loss_reason tt_row_damage(const tt_table *table, size_t row, size_t *at,
                                tacho_tt_column *out_column);

/*
 * When the op of |row| ran. |previous_end| is where the op before it on its device ended, and is
 * moved on.
 */
tt_times_verdict tt_row_times(const tt_table *table, size_t row, int64_t mhz, int64_t *previous_end,
                              tt_times *out_times);

/* When the host issued the op of |row|; false where it does not say. */
bool tt_row_host_times(const tt_table *table, size_t row, int64_t *out_start, int64_t *out_end);

#endif
