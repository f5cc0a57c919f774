/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The op report that users of Tenstorrent's tt-perf-report know: for each op its share, time, gap
 * before it, cores, rates of memory and arithmetic in percent of the chip's peak, and what bounds
 * it. The numbers are that tool's, so that one can replace the other.
 *
 *     tacho_tt_report_init(&report, &ops, &options);
 *     ... tacho_tt_report_table(&report, &table)
 *     tacho_tt_report_deinit(&report);
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_REPORT_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_REPORT_H

#include "estimates/tenstorrent/tt_ops.h"
#include "table/table.h"

typedef enum tacho_tt_grouping {
    TACHO_TT_GROUP_MEMORY, /* op and memory of its first input */
    TACHO_TT_GROUP_OP,
    TACHO_TT_GROUP_CATEGORY,
    TACHO_TT_GROUP_REPLAY,
} tacho_tt_grouping;

/* Choice and form of rows. Empty texts: not requested. */
typedef struct tacho_tt_options {
    tacho_str start_signpost, end_signpost; /* the first with that name */
    bool ignores_signposts;                 /* all rows; else those after the last signpost */
    bool shows_signposts;
    bool has_first_row, has_last_row; /* an id window */
    uint64_t first_row, last_row;
    tacho_str arch;   /* if the table does not name it */
    bool keeps_order; /* rows in the order of the table, not by the host's time */
    bool hides_host_ops;
    bool keeps_devices;    /* a row per op and device; else devices are merged op by op */
    double min_percentage; /* rows below it are left out of the table for users */
    tacho_tt_grouping grouping;
} tacho_tt_options;

/* Reads an id window: "5-10", "31-" or "-12". */
tacho_status tacho_tt_options_take_rows(tacho_tt_options *options, tacho_str text) TACHO_MUST_USE;

/* Peaks of a chip, as the vendor's tool counts them. */
typedef struct tacho_tt_arch {
    tacho_str name;
    double worker_cores;
    double dram_gb_s;
    double tflops_hifi4, tflops_hifi2, tflops_lofi; /* per core */
} tacho_tt_arch;

/* One row of the report; numbers that do not apply are NaN. */
typedef struct tacho_tt_line {
    tacho_tt_op op;
    bool is_signpost, is_host;
    tacho_str title;   /* OP CODE, with the size of the computation */
    const char *bound; /* "DRAM", "FLOP", "BOTH", "SLOW", "HOST" or "" */
    double total_percent;
    double time_us, gap_us;
    double cores;
    double dram_gb_s, dram_percent, tflops, flops_percent;
    double operations; /* of a product or convolution: the source of |tflops| */
    /* A product or convolution without a device time, or without cores: rates are NaN. */
    bool is_dram_unknown, is_flops_unknown;
    tacho_str fidelity; /* with the types of inputs and output */
    bool is_dram_sharded;
    double block_w, subblock_h, subblock_w; /* of the program's configuration */
} tacho_tt_line;

typedef struct tacho_tt_report {
    const tacho_tt_ops *ops;
    tacho_tt_options options;
    tacho_tt_arch arch;
    tacho_arena arena;
    tacho_tt_line *lines;
    size_t line_count, line_capacity;
    size_t device_op_count, host_op_count,
        signpost_count;           /* before ids and host ops are left out */
    size_t unmatched_count;       /* ops that some of the merged devices lack */
    bool has_no_such_signpost[2]; /* start, end: no signpost has that name */
    bool is_arch_unknown;         /* the peaks of the table's chip are not known */
    size_t outside_count;         /* ops outside of the signposts */
    bool is_arch_overruled;       /* the table's chip replaces that of the options */
} tacho_tt_report;

/* Call deinit even if this fails. */
tacho_status tacho_tt_report_init(tacho_tt_report *report, tacho_tt_ops *ops,
                                  const tacho_tt_options *options) TACHO_MUST_USE;
void tacho_tt_report_deinit(tacho_tt_report *report);

/*
 * The peaks of the chip of that name, upper or lower case, from the machine descriptions that
 * are built in; or of the first chip in the description |name|, a path that ends with .json. Lives
 * in |arena|.
 */
tacho_status tacho_tt_arch_find(tacho_str name, tacho_arena *arena, tacho_tt_arch *out_arch,
                                bool *out_is_found) TACHO_MUST_USE;

/* The same with the whole description, which is allocated in |arena|; NULL if there is none. */
struct tacho_machine;
struct tacho_peaks;
tacho_status tacho_tt_machine_find(tacho_str name, tacho_arena *arena, tacho_tt_arch *out_arch,
                                   struct tacho_machine **out_machine) TACHO_MUST_USE;

/* The peaks of a chip by core. */
tacho_tt_arch tacho_tt_arch_of(const struct tacho_peaks *peaks);

/* Fills in the computation and the rates of |line->op|; texts go to |arena|. */
tacho_status tacho_tt_line_analyse(tacho_tt_line *line, const tacho_tt_arch *arch,
                                   tacho_arena *arena) TACHO_MUST_USE;

/* Bytes of a tensor in |memory|, such as "DRAM", or anywhere (""); 0 for others, NaN without a
 * shape. */
double tacho_tt_tensor_bytes(const tacho_tt_op *op, tacho_tt_tensor tensor, const char *memory);

/* "Compute", "DM", "TM", "Host" or "Other": the category of the op with that code. */
const char *tacho_tt_category(tacho_str code);

/* Whether |text| contains |part|. */
bool tacho_tt_holds(tacho_str text, const char *part);

/* The table for users: the tool's thirteen columns. */
tacho_status tacho_tt_report_table(const tacho_tt_report *report,
                                   tacho_table *out_table) TACHO_MUST_USE;

/* All columns of the tool's CSV except advice and op codes, as input of rules. */
tacho_status tacho_tt_facts_table(const tacho_tt_report *report,
                                  tacho_table *out_table) TACHO_MUST_USE;

/*
 * All columns of the tool's CSV under its names, with advice and op codes on request. This includes
 * the tool's text for missing values ("nan" or nothing).
 */
tacho_status tacho_tt_report_csv_table(const tacho_tt_report *report, bool with_advice,
                                       bool with_codes, tacho_table *out_table) TACHO_MUST_USE;

/* A row per group of ops, by the grouping in the options. */
tacho_status tacho_tt_summary_table(const tacho_tt_report *report,
                                    tacho_table *out_table) TACHO_MUST_USE;

#endif
