/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts, advice and, in a terminal, notes as text: sentences, wrapped, instead of columns.
 *
 *     Verdict
 *       Host-bound: the GPU is idle 89.7 % of the span, ...
 *
 *     Advice
 *       1. L-01, can gain 21.226 ms, look at 18.023 ms: launches come too late ...
 *
 * With several devices, each sentence names its device.
 */
#ifndef TACHO_SINKS_FINDINGS_TEXT_H
#define TACHO_SINKS_FINDINGS_TEXT_H

#include "sinks/table_sink.h"

/*
 * Whether |table| has verdicts, advice with the possible gain or, in a terminal with |columns|,
 * notes on files.
 */
bool tacho_findings_text_fits(const tacho_table *table, size_t columns);

/* Writes |table| in lines of at most |columns|; 0: one line each. */
tacho_status tacho_findings_text_write(const tacho_table *table, size_t columns,
                                       tacho_output *output) TACHO_MUST_USE;

#endif
