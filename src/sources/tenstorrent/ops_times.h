/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times of the ops of one device, in nanoseconds, from its rows of an op table.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_OPS_TIMES_H
#define TACHO_SOURCES_TENSTORRENT_OPS_TIMES_H

#include "profile/vocabulary.h"
#include "sources/tenstorrent/tt_table.h"

/* Cycles and nanoseconds are below this; they have 44 bits where the device writes them. */
#define TT_TIME_END (INT64_C(1) << 52)

/* The rate of a device's cycles. */
typedef struct tt_rate {
    int64_t mhz;     /* whole, as in the device's log */
    bool is_assumed; /* not found in any row */
} tt_rate;

typedef enum tt_times_verdict {
    TT_TIMES_NONE,    /* the device recorded nothing of the op */
    TT_TIMES_KNOWN,   /* the row has the times */
    TT_TIMES_LAID,    /* the row has the duration; the op is placed after the one before */
    TT_TIMES_TOO_FAR, /* the result is beyond the largest time */
    TT_TIMES_BAD,     /* a cell is damaged (tt_row_damage), and the duration is unknown */
} tt_times_verdict;

typedef struct tt_times {
    int64_t start, end; /* of the op's kernels, ns */
    bool is_reversed;   /* cycles end before they start, and are ignored */
    bool has_firmware;
    int64_t firmware_start, firmware_end; /* ns */
} tt_times;

/* A row without a chip: a host op or a signpost; a row whose chip is damaged. */
enum { TT_DEVICE_NONE = -1, TT_DEVICE_BAD = -2 };

/* The chip of a row, or TT_DEVICE_NONE or TT_DEVICE_BAD. */
int64_t tt_row_device(const tt_table *table, size_t row);

/* A row and its device, to group rows by device. */
typedef struct tt_row_key {
    int64_t device;
    size_t row;
} tt_row_key;

/* All rows by device, then in the order of the table; the caller frees them. */
tacho_status tt_rows_by_device(const tt_table *table, tt_row_key **out_rows) TACHO_MUST_USE;

enum { TT_ARCH_BYTES = 31 };

/* The architecture that the first of these rows names, in at most TT_ARCH_BYTES; else empty. */
tacho_str tt_device_arch(const tt_table *table, const tt_row_key *rows, size_t row_count);

/*
 * The rate of most of these rows, which belong to one device. Whole rows agree to the nanosecond,
 * so a row with a damaged cell stands out and is ignored.
 */
tacho_status tt_device_rate(const tt_table *table, const tt_row_key *rows, size_t row_count,
                            tt_rate *out_rate) TACHO_MUST_USE;

/*
 * Why the next damaged cell of |row|, from |*at| on, is not a valid time, cycle count or device;
 * empty cells are skipped. Advances |*at|. TACHO_LOSS_REASON_COUNT after the last.
 */
tacho_loss_reason tt_row_damage(const tt_table *table, size_t row, size_t *at,
                                tacho_tt_column *out_column);

/*
 * The times of the op of |row|. |previous_end| is the end of the previous op on its device, and is
 * updated.
 */
tt_times_verdict tt_row_times(const tt_table *table, size_t row, int64_t mhz, int64_t *previous_end,
                              tt_times *out_times);

/* The time at which the host issued the op of |row|; false if the row lacks it. */
bool tt_row_host_times(const tt_table *table, size_t row, int64_t *out_start, int64_t *out_end);

#endif
