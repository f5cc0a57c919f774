/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over the op report of Tenstorrent's chips (tacho_tt_report_csv_table).
 */
#ifndef TACHO_ESTIMATES_TENSTORRENT_TT_RULES_H
#define TACHO_ESTIMATES_TENSTORRENT_TT_RULES_H

#include "questions/rules.h"

/* Advice on matrix products, in the words and the order of the vendor's tool. */
extern const tacho_rule *const tacho_tt_matmul_rules[];

/* Advice on the run as a whole. */
extern const tacho_rule *const tacho_tt_run_rules[];

#endif
