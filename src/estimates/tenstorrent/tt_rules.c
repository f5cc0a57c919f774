/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on slow matrix products, gaps between ops and ops on the host. Advice on matrix products
 * has the wording of the vendor's tool, whose CSV has a column for it.
 */
#include "estimates/tenstorrent/tt_rules.h"

#include "estimates/tenstorrent/tt_fidelity.h"
#include "estimates/tenstorrent/tt_report.h"
#include "base/whole.h"
#include "codec/json_number.h"

#include <math.h>
#include <stdio.h>

enum { GRID_CORES = 64, LOW_FLOPS_PERCENT = 40, PERCENT = 100, NS_PER_US = 1000 };

enum { OTHERS_BYTES = 128 };

static const char page[] = "docs/tenstorrent.md";

/* Columns that rules use. */
typedef struct columns {
    size_t code, bound, time, gap, cores, dram_percent, flops_percent, fidelity, types[3];
    size_t sharded, memory;
    size_t block_w, subblock_h, subblock_w;
} columns;

static columns find_columns(const tacho_table *table)
{
    return (columns){
        .code = tacho_rule_column(table, "OP Code"),
        .bound = tacho_rule_column(table, "Bound"),
        .time = tacho_rule_column(table, "Device Time"),
        .gap = tacho_rule_column(table, "Op-to-Op Gap"),
        .cores = tacho_rule_column(table, "Cores"),
        .dram_percent = tacho_rule_column(table, "DRAM %"),
        .flops_percent = tacho_rule_column(table, "FLOPs %"),
        .fidelity = tacho_rule_column(table, "Math Fidelity"),
        .types = {tacho_rule_column(table, "Input 0 Datatype"),
                  tacho_rule_column(table, "Input 1 Datatype"),
                  tacho_rule_column(table, "Output Datatype")},
        .sharded = tacho_rule_column(table, "DRAM Sharded"),
        .memory = tacho_rule_column(table, "Input 0 Memory"),
        .block_w = tacho_rule_column(table, "Inner Dim Block Size"),
        .subblock_h = tacho_rule_column(table, "Output Subblock H"),
        .subblock_w = tacho_rule_column(table, "Output Subblock W"),
    };
}

/* One matrix product to check. */
typedef struct product {
    const tacho_table *table;
    size_t row;
    columns at;
    tacho_str bound;
} product;

static double number(const product *of, size_t column)
{
    return tacho_rule_number(of->table, of->row, column);
}

static bool is_bound(const product *of, const char *bound)
{
    return tacho_str_equal(of->bound, tacho_str_from_cstring(bound));
}

static bool is_dram_bound(const product *of)
{
    return is_bound(of, "DRAM") || is_bound(of, "BOTH");
}

/* The time above the nearer of its limits, memory and arithmetic; 0 if none is known. */
static int64_t find_gain(const product *of)
{
    double time_us = number(of, of->at.time);
    double memory = number(of, of->at.dram_percent);
    double flops = number(of, of->at.flops_percent);
    double best = isnan(memory) || flops > memory ? flops : memory;
    bool is_known = time_us > 0 && best >= 0 && best < PERCENT;
    return is_known ? tacho_whole_i64(time_us * NS_PER_US * (1 - best / PERCENT)) : 0;
}

/* Runs |check| for each matrix product. */
static tacho_status for_products(const tacho_table *table, tacho_findings *findings,
                                 tacho_status (*check)(const product *of, tacho_findings *findings))
{
    product of = {.table = table, .at = find_columns(table)};
    for (of.row = 0; of.row < tacho_table_row_count(table); of.row++) {
        of.bound = tacho_rule_text(table, of.row, of.at.bound);
        if (tacho_tt_holds(tacho_rule_text(table, of.row, of.at.code), "Matmul")) {
            findings->gain_ns = find_gain(&of);
            TACHO_TRY(check(&of, findings));
        }
    }
    findings->gain_ns = 0;
    return TACHO_OK;
}

#define PRODUCT_RULE(name, text_id) PRODUCT_RULE_OF(name, text_id, false)

#define PRODUCT_RULE_OF(name, text_id, praises)                                                    \
    static tacho_status name##_all(const tacho_table *table, tacho_findings *findings)             \
    {                                                                                              \
        return for_products(table, findings, name);                                                \
    }                                                                                              \
    static const tacho_rule name##_rule = {(text_id), page, name##_all, praises};

static tacho_status dram_sharded(const product *of, tacho_findings *findings)
{
    bool is_sharded = number(of, of->at.sharded) > 0;
    return !is_dram_bound(of) || is_sharded
               ? TACHO_OK
               : tacho_findings_add(findings, of->row,
                                    "Try a DRAM-sharded program config "
                                    "(MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig) to "
                                    "improve throughput further");
}
PRODUCT_RULE(dram_sharded, "tt-matmul-dram-sharded")

static tacho_status grid(const product *of, tacho_findings *findings)
{
    tacho_str cores = tacho_rule_text(of->table, of->row, of->at.cores);
    double count = TACHO_TT_NONE;
    return is_bound(of, "FLOP") && tacho_json_number_double(cores, &count) && count < GRID_CORES
               ? tacho_findings_add(findings, of->row, "Increase grid size (currently using %.*s)",
                                    TACHO_STR_ARG(cores))
               : TACHO_OK;
}
PRODUCT_RULE(grid, "tt-matmul-grid")

static tacho_status input_in_l1(const product *of, tacho_findings *findings)
{
    tacho_str memory = tacho_rule_text(of->table, of->row, of->at.memory);
    return is_bound(of, "SLOW") && memory.len > 0 && !tacho_tt_holds(memory, "L1")
               ? tacho_findings_add(findings, of->row,
                                    "If possible place input 0 in L1 (currently in %.*s)",
                                    TACHO_STR_ARG(memory))
               : TACHO_OK;
}
PRODUCT_RULE(input_in_l1, "tt-matmul-input-l1")

/* Whether the program configuration of a product has any block sizes. */
static bool has_blocks(const product *of)
{
    return !isnan(number(of, of->at.block_w)) || !isnan(number(of, of->at.subblock_h)) ||
           !isnan(number(of, of->at.subblock_w));
}

static tacho_status configuration(const product *of, tacho_findings *findings)
{
    return is_bound(of, "SLOW") && !has_blocks(of)
               ? tacho_findings_add(findings, of->row,
                                    "No program_config specified, try using one to override "
                                    "in0_block_w and out_subblock_h/w")
               : TACHO_OK;
}
PRODUCT_RULE(configuration, "tt-matmul-config")

static tacho_status block_width(const product *of, tacho_findings *findings)
{
    double width = number(of, of->at.block_w);
    if (!is_bound(of, "SLOW") || !has_blocks(of) || width >= 2) {
        return TACHO_OK;
    }
    return isnan(width)
               ? tacho_findings_add(findings, of->row, "No inner dim block size found")
               : tacho_findings_add(findings, of->row,
                                    "in0_block_w=%.0f is small, try in0_block_w=2 or above", width);
}
PRODUCT_RULE(block_width, "tt-matmul-block-width")

static tacho_status subblock(const product *of, tacho_findings *findings)
{
    double height = number(of, of->at.subblock_h);
    double width = number(of, of->at.subblock_w);
    if (!is_bound(of, "SLOW") || !has_blocks(of) || height * width >= 2) {
        return TACHO_OK;
    }
    return isnan(height) || isnan(width)
               ? tacho_findings_add(findings, of->row, "No output subblock size found")
               : tacho_findings_add(findings, of->row,
                                    "Output subblock %.0fx%.0f is small, try out_subblock_h * "
                                    "out_subblock_w >= 2 if possible",
                                    height, width);
}
PRODUCT_RULE(subblock, "tt-matmul-subblock")

/* The blocks of a slow product are good. */
static tacho_status good_blocks(const product *of, tacho_findings *findings)
{
    double width = number(of, of->at.block_w);
    double sub_height = number(of, of->at.subblock_h);
    double sub_width = number(of, of->at.subblock_w);
    return is_bound(of, "SLOW") && width >= 2 && sub_height * sub_width >= 2
               ? tacho_findings_add(
                     findings, of->row,
                     "in0_block_w=%.0f and output subblock %.0fx%.0f look good \xf0\x9f\xa4\xb7",
                     width, sub_height, sub_width)
               : TACHO_OK;
}
PRODUCT_RULE_OF(good_blocks, "tt-matmul-good-blocks", true)

static tacho_status fidelity(const product *of, tacho_findings *findings)
{
    tacho_str types[3];
    for (size_t i = 0; i < 3; i++) {
        types[i] = tacho_rule_text(of->table, of->row, of->at.types[i]);
    }
    tacho_str level = tacho_rule_text(of->table, of->row, of->at.fidelity);
    level.len = tacho_str_find_byte(level, ' ');
    tacho_tt_fidelity judged = tacho_tt_judge_fidelity(types, level);
    bool is_high = judged.verdict == TACHO_TT_TOO_HIGH;
    bool is_low =
        judged.verdict == TACHO_TT_TOO_LOW && number(of, of->at.flops_percent) < LOW_FLOPS_PERCENT;
    bool applies = is_dram_bound(of)      ? is_high || is_low
                   : is_bound(of, "FLOP") ? is_high
                   : is_bound(of, "SLOW") ? has_blocks(of)
                                          : false;
    if (is_bound(of, "SLOW") && applies && judged.unsupported.len > 0) {
        return tacho_findings_add(findings, of->row,
                                  "Datatype %.*s is not supported for fidelity evaluation.",
                                  TACHO_STR_ARG(judged.unsupported));
    }
    return applies && judged.advice != NULL
               ? tacho_findings_add(findings, of->row, "%s", judged.advice)
               : TACHO_OK;
}
PRODUCT_RULE(fidelity, "tt-matmul-fidelity")

const tacho_rule *const tacho_tt_matmul_rules[] = {
    &dram_sharded_rule,  &grid_rule,        &input_in_l1_rule,
    &configuration_rule, &block_width_rule, &subblock_rule,
    &good_blocks_rule,   &fidelity_rule,    NULL,
};

/* ---- the run ---------------------------------------------------------------------------- */

static tacho_status fallbacks(const tacho_table *table, tacho_findings *findings)
{
    columns at = find_columns(table);
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        if (tacho_str_equal(tacho_rule_text(table, row, at.bound), TACHO_STR("HOST"))) {
            double time_us = tacho_rule_number(table, row, at.time);
            findings->gain_ns = time_us > 0 ? tacho_whole_i64(time_us * NS_PER_US) : 0;
            TACHO_TRY(tacho_findings_add(findings, row, "Move this op to the device"));
        }
    }
    return TACHO_OK;
}

static const tacho_rule fallback_rule = {"tt-fallback", page, fallbacks, false};

/*
 * Gaps longer than a traced op needs: 6 us; the vendor's tool calls them high from 6.5 us on. In
 * gaps of 100 ms and longer programs are compiled, or something else happens that a trace does not
 * save.
 */
static tacho_status gaps(const tacho_table *table, tacho_findings *findings)
{
    static const double high_us = 6.5;
    static const double needed_us = 6;
    static const double other_us = 100000;
    columns at = find_columns(table);
    double saved = 0;
    double total = 0;
    size_t count = 0;
    size_t other_count = 0;
    for (size_t row = 0; row < tacho_table_row_count(table); row++) {
        double gap = tacho_rule_number(table, row, at.gap);
        double time = tacho_rule_number(table, row, at.time);
        bool is_counted = gap < other_us;
        total += (isnan(time) ? 0 : time) + (is_counted ? gap : 0);
        saved += is_counted && gap > high_us ? gap - needed_us : 0;
        count += is_counted && gap > high_us ? 1 : 0;
        other_count += gap >= other_us ? 1 : 0;
    }
    char others[OTHERS_BYTES] = "";
    if (other_count > 0) {
        snprintf(others, sizeof(others),
                 "; %zu gap%s of 100 ms and longer, as where programs are compiled, not counted",
                 other_count, other_count == 1 ? "" : "s");
    }
    findings->gain_ns = count > 0 ? tacho_whole_i64(saved * NS_PER_US) : 0;
    return count == 0
               ? TACHO_OK
               : tacho_findings_add(findings, TACHO_WHOLE_TABLE,
                                    "%zu op%s start%s more than 6.5 us after the one before: "
                                    "running as a trace could save %.0f us (%.1f %% of the "
                                    "time)%s",
                                    count, count == 1 ? "" : "s", count == 1 ? "s" : "", saved,
                                    saved / total * PERCENT, others);
}

static const tacho_rule gap_rule = {"tt-op-gap", page, gaps, false};

const tacho_rule *const tacho_tt_run_rules[] = {&fallback_rule, &gap_rule, NULL};
