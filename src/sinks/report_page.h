/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: one HTML page that holds any number of profiles and needs nothing else, neither a
 * network nor a second file. Its layout and computations are in report/page.{html,css,js}; this
 * writes the page around the data.
 *
 *     <head, style>  <script type="application/octet-stream"> per profile  <script>
 *
 * Data are blobs (report_blob.h), so names in an input cannot become markup. The same input gives
 * the same bytes.
 */
#ifndef TACHO_SINKS_REPORT_PAGE_H
#define TACHO_SINKS_REPORT_PAGE_H

#include "base/output.h"
#include "sinks/report_columns.h"
#include "table/table.h"

/* A number about a profile that is shown first, on a card of its own. */
typedef struct tacho_report_metric {
    uint32_t part; /* its subject: the spans of one origin in one part */
    tacho_origin origin;
    tacho_str name;
    int64_t value_ns;
    double percent; /* 0..100 for a bar; below 0 for none */
} tacho_report_metric;

/* A row of the operator table, as 'tacho ops' has it; times in ns. */
typedef struct tacho_report_op {
    uint32_t part;
    tacho_origin origin;
    tacho_track_class track_class;
    bool is_phase;     /* counted only where phases are */
    uint32_t name;     /* string */
    uint32_t location; /* string, TACHO_NONE for none */
    uint64_t count;
    int64_t total, self, mean, p50, p99, min, max;
    bool is_sketched; /* p50 and p99 are near the exact ones */
    bool has_bytes;
    int64_t bytes;
} tacho_report_op;

/* Result tables of analyses on a profile, as bytes. Zero-initialized, it is empty. */
typedef struct tacho_report_tables {
    report_bytes bytes;
    uint64_t count;
} tacho_report_tables;

void tacho_report_tables_deinit(tacho_report_tables *tables);
/* Adds a copy; one without rows is left out. */
tacho_status tacho_report_tables_add(tacho_report_tables *tables,
                                     const tacho_table *table) TACHO_MUST_USE;

/* A layer of the model, inside another one. */
typedef struct tacho_report_layer {
    uint32_t parent; /* has a lower number; the root is first, and its own parent */
    uint32_t name;   /* string */
} tacho_report_layer;

/* One profile of the page. */
typedef struct tacho_report_profile {
    report_columns *columns; /* with all rows */
    const tacho_report_metric *metrics;
    size_t metric_count;
    /* Data that the page cannot compute from a coarse profile (report_columns.h). */
    const tacho_report_op *ops;
    size_t op_count;
    const tacho_report_tables *tables; /* (optional) */
    const tacho_report_layer *layers;  /* referred to by places of spans (report_columns.h) */
    size_t layer_count;
    const bool *has_wholes; /* by part: whole operators count, and not their pieces (optional) */
} tacho_report_profile;

typedef struct tacho_report {
    tacho_output *output;
    size_t profile_count;
} tacho_report;

/* Starts a page in |output|, which the caller commits. */
tacho_status tacho_report_begin(tacho_report *report, tacho_output *output,
                                tacho_str title) TACHO_MUST_USE;

tacho_status tacho_report_add(tacho_report *report,
                              const tacho_report_profile *profile) TACHO_MUST_USE;

/* Adds |table|, which concerns all profiles together. */
tacho_status tacho_report_add_table(tacho_report *report, const tacho_table *table) TACHO_MUST_USE;

/* Lists |path| on the page as skipped, with the reason. */
tacho_status tacho_report_add_skipped(tacho_report *report, tacho_str path,
                                      tacho_str reason) TACHO_MUST_USE;

tacho_status tacho_report_end(tacho_report *report) TACHO_MUST_USE;

#endif
