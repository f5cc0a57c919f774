/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes the rows of the report, from the choice of ops to their shares.
 */
#include "estimates/tenstorrent/tt_report.h"

#include "estimates/tenstorrent/tt_window.h"
#include "base/grow.h"
#include "profile/tt_columns.h"

#include <math.h>
#include <stdlib.h>

enum { DEFAULT_WORKERS = 64, BOUND_PERCENT = 65 };

/* ---- the chip --------------------------------------------------------------------------- */

/* The chip in the tables takes precedence over the one in the options. */
static tacho_status choose_arch(tacho_tt_report *report)
{
    tacho_str named = TACHO_STR("");
    double workers = TACHO_TT_NONE;
    bool is_told = false;
    for (size_t i = 0; i < report->ops->item_count; i++) {
        const tacho_tt_op *op = &report->ops->items[i];
        named = named.len == 0 ? op->arch : named;
        workers = isnan(workers) && op->worker_cores != 0 ? op->worker_cores : workers;
        is_told = is_told || op->arch.len > 0 || !isnan(op->worker_cores);
    }
    tacho_str asked = report->options.arch;
    report->is_arch_overruled = is_told && asked.len > 0;
    tacho_str name = is_told ? named : asked;
    name = name.len == 0 ? TACHO_STR("wormhole") : name;
    bool is_found = false;
    TACHO_TRY(tacho_tt_arch_find(name, &report->arena, &report->arch, &is_found));
    report->is_arch_unknown = !is_found;
    if (report->is_arch_unknown && is_told) { /* a future chip: rates without percentages */
        report->arch = (tacho_tt_arch){.name = named,
                                       .dram_gb_s = TACHO_TT_NONE,
                                       .tflops_hifi4 = TACHO_TT_NONE,
                                       .tflops_hifi2 = TACHO_TT_NONE,
                                       .tflops_lofi = TACHO_TT_NONE};
    } else if (report->is_arch_unknown) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "unknown architecture '%.*s'; peaks are known of wormhole, blackhole, "
                          "bh20 and n1, and of machine descriptions (.json) that have some",
                          TACHO_STR_ARG(name));
    }
    if (is_told) {
        report->arch.worker_cores = isnan(workers) ? DEFAULT_WORKERS : workers;
    }
    return TACHO_OK;
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_status add_line(tacho_tt_report *report, const tacho_tt_op *op, bool has_previous)
{
    TACHO_TRY(tacho_grow(&report->lines, &report->line_capacity, report->line_count + 1));
    tacho_tt_line *line = &report->lines[report->line_count++];
    *line = (tacho_tt_line){.op = *op};
    TACHO_TRY(tacho_tt_line_analyse(line, &report->arch, &report->arena));
    line->is_signpost = tacho_str_equal(op->type, TACHO_STR(TACHO_TT_TYPE_SIGNPOST));
    line->is_host = tacho_tt_holds(op->code, "(torch)");
    line->time_us = isnan(op->kernel_ns) ? 0 : op->kernel_ns / 1000;
    line->time_us = line->is_signpost || line->is_host ? TACHO_TT_NONE : line->time_us;
    line->gap_us = has_previous ? op->latency_ns / 1000 : TACHO_TT_NONE;
    if (line->is_signpost) {
        report->signpost_count++;
    } else if (line->is_host) {
        report->host_op_count++;
    } else {
        report->device_op_count++;
    }
    return TACHO_OK;
}

static tacho_status add_lines(tacho_tt_report *report, const tacho_tt_window *window)
{
    bool has_previous = false;
    for (size_t i = 0; i < window->item_count; i++) {
        TACHO_TRY(add_line(report, &window->items[i], has_previous));
        has_previous = has_previous || !report->lines[report->line_count - 1].is_signpost;
    }
    return TACHO_OK;
}

/* Leaves out rows outside of the window of ids, and host ops if hidden. */
static void keep_asked(tacho_tt_report *report)
{
    const tacho_tt_options *options = &report->options;
    bool has_window = options->has_first_row || options->has_last_row;
    size_t kept = 0;
    for (size_t i = 0; i < report->line_count; i++) {
        uint64_t row = report->lines[i].op.row;
        if ((!options->has_first_row || row >= options->first_row) &&
            (!options->has_last_row || row <= options->last_row)) {
            report->lines[kept++] = report->lines[i];
        }
    }
    report->line_count = kept;
    if (has_window && kept > 0) {
        report->lines[0].gap_us = TACHO_TT_NONE;
    }
    kept = 0;
    for (size_t i = 0; i < report->line_count; i++) {
        if (!options->hides_host_ops || !report->lines[i].is_host) {
            report->lines[kept++] = report->lines[i];
        }
    }
    report->line_count = kept;
}

static double or_0(double value)
{
    return isnan(value) ? 0 : value;
}

static void set_shares(tacho_tt_report *report)
{
    double times = 0;
    double gaps = 0;
    for (size_t i = 0; i < report->line_count; i++) {
        times += or_0(report->lines[i].time_us);
        gaps += or_0(report->lines[i].gap_us);
    }
    for (size_t i = 0; i < report->line_count; i++) {
        tacho_tt_line *line = &report->lines[i];
        bool has_time = !isnan(line->time_us) || !isnan(line->gap_us);
        line->total_percent =
            has_time && times + gaps != 0
                ? (or_0(line->time_us) + or_0(line->gap_us)) / (times + gaps) * 100
                : TACHO_TT_NONE;
    }
}

/*
 * Sets the bound of the op: the peak that it reaches, or else "SLOW". A product with unknown rates,
 * such as one that was only captured, is also slow, as in the vendor's tool.
 */
static void set_bound(tacho_tt_line *line)
{
    bool has_rates = (line->dram_percent > 0 || line->is_dram_unknown) &&
                     (line->flops_percent > 0 || line->is_flops_unknown);
    if (line->is_host) {
        line->bound = "HOST";
    } else if (tacho_tt_holds(line->op.code, "Matmul") && has_rates) {
        bool is_dram = line->dram_percent >= BOUND_PERCENT;
        bool is_flop = line->flops_percent >= BOUND_PERCENT;
        line->bound = is_dram ? (is_flop ? "BOTH" : "DRAM") : (is_flop ? "FLOP" : "SLOW");
    }
}

static size_t count_devices(const tacho_tt_window *window)
{
    size_t count = 0;
    double seen[2] = {TACHO_TT_NONE, TACHO_TT_NONE};
    for (size_t i = 0; i < window->item_count && count < 2; i++) {
        double device = window->items[i].device;
        if (!isnan(device) && (count == 0 || device != seen[0])) {
            seen[count++] = device;
        }
    }
    return count;
}

static tacho_status make(tacho_tt_report *report, tacho_tt_window *window)
{
    TACHO_TRY(tacho_tt_window_choose(report, window));
    size_t device_count = count_devices(window);
    if (device_count > 0 && !(report->options.keeps_devices && device_count > 1)) {
        TACHO_TRY(tacho_tt_window_merge(report, window));
    }
    TACHO_TRY(add_lines(report, window));
    keep_asked(report);
    set_shares(report);
    for (size_t i = 0; i < report->line_count; i++) {
        set_bound(&report->lines[i]);
    }
    return TACHO_OK;
}

tacho_status tacho_tt_options_take_rows(tacho_tt_options *options, tacho_str text)
{
    size_t dash = tacho_str_find_byte(text, '-');
    tacho_str first = tacho_str_make(text.data, dash);
    tacho_str last = dash < text.len ? tacho_str_from(text, dash + 1) : TACHO_STR("");
    options->has_first_row = first.len > 0;
    options->has_last_row = last.len > 0;
    return dash == text.len || (first.len == 0 && last.len == 0) ||
                   (first.len > 0 && !tacho_str_parse_u64(first, &options->first_row)) ||
                   (last.len > 0 && !tacho_str_parse_u64(last, &options->last_row)) ||
                   (first.len > 0 && last.len > 0 && options->first_row > options->last_row)
               ? tacho_fail(TACHO_CODE_USAGE, "expected rows like 5-10, 31- or -12, not '%.*s'",
                            TACHO_STR_ARG(text))
               : TACHO_OK;
}

tacho_status tacho_tt_report_init(tacho_tt_report *report, tacho_tt_ops *ops,
                                  const tacho_tt_options *options)
{
    *report = (tacho_tt_report){.ops = ops, .options = *options};
    tacho_arena_init(&report->arena);
    tacho_tt_window window = {.items = NULL};
    TACHO_TRY(tacho_tt_ops_sort(ops));
    TACHO_TRY(choose_arch(report));
    tacho_status status = make(report, &window);
    tacho_tt_window_deinit(&window);
    return status;
}

void tacho_tt_report_deinit(tacho_tt_report *report)
{
    tacho_arena_deinit(&report->arena);
    free(report->lines);
}
