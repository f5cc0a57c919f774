/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the analysis `tt_report`: the rows of Tenstorrent's op tables, and the tables to make.
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_ANALYSIS_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_ANALYSIS_H

#include "estimates/tenstorrent/tt_report.h"
#include "base/notes.h"

typedef struct tacho_tt_report_options {
    tacho_tt_options rows;
    bool is_csv; /* the vendor's single table; else those for users */
    bool has_advice, has_summary, has_codes;
    bool needs_ops;           /* fails if no row is an op of such a table */
    const tacho_notes *notes; /* receives notes on deviations from the options (optional) */
} tacho_tt_report_options;

#endif
