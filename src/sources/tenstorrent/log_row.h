/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of Tenstorrent's device log, profile_log_device.csv.
 *
 *   ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64
 *   PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, ...
 *   0,1,1,BRISC,22845,2170879416545,0,1024,,,BRISC-FW,ZONE_START,412,/w/brisc.cc,
 *
 * The columns differ between releases, so they are found by name. A row is one marker: the start or
 * end of a zone, a sum, or a value, of one processor (RISC) of one core.
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_ROW_H
#define TACHO_SOURCES_TENSTORRENT_LOG_ROW_H

#include "base/input.h"
#include "profile/vocabulary.h"

/* Known columns. */
typedef enum tt_log_column {
    TT_LOG_CHIP,
    TT_LOG_X,
    TT_LOG_Y,
    TT_LOG_RISC,
    TT_LOG_TIMER,
    TT_LOG_TIME,
    TT_LOG_DATA,
    TT_LOG_HOST,
    TT_LOG_TRACE,
    TT_LOG_REPLAY,
    TT_LOG_ZONE,
    TT_LOG_TYPE,
    TT_LOG_LINE,
    TT_LOG_FILE,
    TT_LOG_META,
    TT_LOG_COLUMN_COUNT,
    TT_LOG_UNUSED, /* a known column that only repeats others */
} tt_log_column;

enum { TT_LOG_FIELDS_MAX = 32 };

#define TT_LOG_MHZ UINT64_C(1000000) /* hertz */
#define TT_LOG_RATE_OLDEST (1200 * TT_LOG_MHZ)

/* Facts of the first two lines. */
typedef struct tt_log_header {
    tt_log_column columns[TT_LOG_FIELDS_MAX]; /* of each field; TT_LOG_COLUMN_COUNT: unknown */
    size_t field_count;
    size_t unknown_count;
    char unknown_name[64]; /* of the first unknown column */
    bool has[TT_LOG_COLUMN_COUNT];
    bool is_data_named; /* the data column is named "data"; before 2025 "stat value" */
    char arch[32];      /* as in the file; empty if not given */
    uint64_t hertz;     /* of the device's cycles */
    bool is_rate_assumed;
    bool is_rate_damaged;        /* it is given but cannot be read */
    uint64_t compute_core_count; /* of the chip; 0 if not given */
} tt_log_header;

typedef enum tt_log_type {
    TT_LOG_START,
    TT_LOG_END,
    TT_LOG_TOTAL, /* a sum of cycles, in |data| */
    TT_LOG_VALUE, /* a value at a time, in |data| */
    TT_LOG_EVENT, /* an instant */
    TT_LOG_TYPE_COUNT,
} tt_log_type;

/* Timer ids that are not hashes of zones. */
enum { TT_LOG_TIMER_NOC = 12345, TT_LOG_TIMER_NOC_DEBUG = 23456, TT_LOG_TIMER_COUNTER = 9090 };

/* One marker; texts are views of the line. */
typedef struct tt_log_row {
    uint32_t chip, x, y;
    uint32_t line;
    uint64_t timer;
    uint64_t time; /* cycles since reset */
    uint64_t data;
    uint64_t host;         /* run host id of the op; 0: none */
    int64_t trace, replay; /* -1: none */
    tt_log_type type;
    tacho_str risc;
    tacho_str zone;
    tacho_str file;
    tacho_str meta;
} tt_log_row;

/* Whether |line| is the first of a device log; then |header| receives its facts. */
bool tt_log_header_take_facts(tt_log_header *header, tacho_str line);

/* Whether |line| names the columns that a device log must have; then |header| receives them all. */
bool tt_log_header_take_columns(tt_log_header *header, tacho_str line);

/* TACHO_LOSS_REASON_COUNT when |line| is a row, else the reason for rejecting it. */
tacho_loss_reason tt_log_row_parse(const tt_log_header *header, tacho_str line,
                                   tt_log_row *out_row);

/*
 * The value of |key| in a row's meta data, which is a flat JSON object with semicolons for commas;
 * texts are without quotes. False when |key| is missing.
 */
bool tt_log_meta_find(tacho_str meta, const char *key, tacho_str *out_value);

/* The first position of |word| in |text|; text.len if it is missing. */
size_t tt_log_find_word(tacho_str text, tacho_str word);

static inline bool tt_log_has_word(tacho_str text, tacho_str word)
{
    return tt_log_find_word(text, word) < text.len;
}

#endif
