/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of the file are padded with blanks. Rows that relate chips to one another are not
 * anchors.
 */
#include "sources/tenstorrent/log_sync.h"

#include "base/grow.h"
#include "base/whole.h"
#include "codec/csv.h"
#include "codec/json_number.h"

#include <math.h>
#include <stdlib.h>

/* In the order of the file. */
enum {
    SYNC_CHIP = 0,
    SYNC_DEVICE = 3,
    SYNC_HOST = 4,
    SYNC_WRITE = 6,
    SYNC_START = 7,
    SYNC_RATIO = 10,
    SYNC_BASE = 11,
    SYNC_FIELDS = 14,
};

/* More than any system has: chips are searched linearly. */
enum { CHIPS_MAX = 1 << 10 };

typedef struct anchor {
    uint32_t chip;
    double cycles;   /* of the chip */
    double ns;       /* of the host, since its profiler started */
    double write_ns; /* duration of the write of the host's time */
} anchor;

void tt_sync_deinit(tt_sync *sync)
{
    free(sync->chips);
    *sync = (tt_sync){NULL, 0, 0, 0};
}

const tt_chip_sync *tt_sync_find(const tt_sync *sync, uint32_t chip)
{
    for (size_t i = 0; i < sync->chip_count; i++) {
        if (sync->chips[i].chip == chip) {
            return &sync->chips[i];
        }
    }
    return NULL;
}

static bool take_number(tacho_str field, double *out_value)
{
    return tacho_json_number_double(tacho_str_trim(field), out_value);
}

/* Whether |value| is a valid clock time: an integer below it is exact in a double. */
static bool is_time(double value)
{
    return fabs(value) < 0x1p52;
}

/* False when the line does not have an anchor. */
static bool parse(tacho_str line, anchor *out_anchor)
{
    tacho_str fields[SYNC_FIELDS];
    uint64_t chip = 0;
    double host = 0;
    double start = 0;
    double ratio = 0;
    double base = 0;
    double write = 0;
    if (tacho_csv_split(line, ',', fields, SYNC_FIELDS) != SYNC_FIELDS ||
        !tacho_str_parse_u64(tacho_str_trim(fields[SYNC_CHIP]), &chip) || chip >= CHIPS_MAX ||
        !take_number(fields[SYNC_DEVICE], &out_anchor->cycles) ||
        !take_number(fields[SYNC_HOST], &host) || !take_number(fields[SYNC_START], &start) ||
        !take_number(fields[SYNC_RATIO], &ratio) || !take_number(fields[SYNC_BASE], &base) ||
        !take_number(fields[SYNC_WRITE], &write) || ratio <= 0) {
        return false;
    }
    out_anchor->chip = (uint32_t)chip;
    out_anchor->ns = (host + (start - base)) * ratio;
    out_anchor->write_ns = write * ratio;
    return out_anchor->cycles >= 0 && is_time(out_anchor->cycles) && is_time(out_anchor->ns) &&
           is_time(out_anchor->write_ns);
}

static tacho_status ensure_chip(tt_sync *sync, const anchor *first, tt_chip_sync **out_chip)
{
    for (size_t i = 0; i < sync->chip_count; i++) {
        if (sync->chips[i].chip == first->chip) {
            *out_chip = &sync->chips[i];
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&sync->chips, &sync->chip_capacity, sync->chip_count + 1));
    *out_chip = &sync->chips[sync->chip_count++];
    **out_chip =
        (tt_chip_sync){.chip = first->chip, .cycle_origin = first->cycles, .ns_origin = first->ns};
    return TACHO_OK;
}

static tacho_status sum_up(tt_sync *sync, const anchor *one)
{
    tt_chip_sync *chip = NULL;
    TACHO_TRY(ensure_chip(sync, one, &chip));
    double x = one->cycles - chip->cycle_origin;
    double y = one->ns - chip->ns_origin;
    chip->anchor_count++;
    chip->sum_x += x;
    chip->sum_y += y;
    chip->sum_xx += x * x;
    chip->sum_xy += x * y;
    chip->worst_write_ns = fmax(chip->worst_write_ns, one->write_ns);
    return TACHO_OK;
}

/* Fits a line; false when no clock could have these anchors. */
static bool fit(tt_chip_sync *chip)
{
    const double denominator = 1 << 30;
    double count = (double)chip->anchor_count;
    double spread = count * chip->sum_xx - chip->sum_x * chip->sum_x;
    double slope = (count * chip->sum_xy - chip->sum_x * chip->sum_y) / spread;
    double start = (chip->sum_y - slope * chip->sum_x) / count + chip->ns_origin;
    if (!(spread > 0 && slope > 1e-3 && slope < 1e3 && is_time(start))) {
        return false;
    }
    chip->map = (tt_time_map){
        .numerator = llround(slope * 1000 * denominator),
        .denominator = 1 << 30,
        .origin = tacho_whole_i64(chip->cycle_origin),
        .offset = llround(start * 1000),
    };
    return true;
}

static tacho_status measure(tt_sync *sync, const anchor *one)
{
    for (size_t i = 0; i < sync->chip_count; i++) {
        tt_chip_sync *chip = &sync->chips[i];
        if (chip->chip == one->chip) {
            double ns = (double)tt_time_map_ticks(&chip->map, tacho_whole_i64(one->cycles)) / 1000;
            double error = ceil(fabs(ns - one->ns) + chip->worst_write_ns);
            chip->error_ns =
                error > (double)chip->error_ns ? tacho_whole_u64(error) : chip->error_ns;
        }
    }
    return TACHO_OK;
}

static tacho_status read_pass(tt_sync *sync, const char *path,
                              tacho_status (*take)(tt_sync *sync, const anchor *one))
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_str line;
    bool has_line = true;
    tacho_status status = tacho_input_line(&input, &line, &has_line); /* the header */
    sync->bad_row_count = 0;
    while (status == TACHO_OK && has_line) {
        anchor one;
        status = tacho_input_line(&input, &line, &has_line);
        if (status != TACHO_OK || !has_line || line.len == 0) {
            continue;
        }
        if (parse(line, &one)) {
            status = take(sync, &one);
        } else {
            sync->bad_row_count++;
        }
    }
    tacho_input_close(&input);
    return status;
}

tacho_status tt_sync_read(tt_sync *sync, const char *path)
{
    *sync = (tt_sync){NULL, 0, 0, 0};
    TACHO_TRY(read_pass(sync, path, sum_up));
    size_t kept = 0;
    for (size_t i = 0; i < sync->chip_count; i++) {
        if (sync->chips[i].anchor_count > 1 && fit(&sync->chips[i])) {
            sync->chips[kept++] = sync->chips[i];
        }
    }
    sync->chip_count = kept;
    return read_pass(sync, path, measure);
}
