/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the analysis `tt_report` is asked: which rows of Tenstorrent's op tables, and which tables
 * of them.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_ANALYSIS_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_ANALYSIS_H

#include "estimates/tenstorrent/tt_report.h"
#include "base/notes.h"

typedef struct tacho_tt_report_options {
    tacho_tt_options rows;
    bool is_csv; /* the one table that the vendor's tool writes; else those for people */
    bool has_advice, has_summary, has_codes;
    bool needs_ops;           /* fails where none of the rows is an op of such a table */
    const tacho_notes *notes; /* who is told what is not as asked for (optional) */
} tacho_tt_report_options;

#endif
