/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over the facts of devices (tacho_breakdown_facts_table): what to do about idle time,
 * exposed communication and exposed copies, with the time that it can gain. Below the limits that
 * docs/breakdown.md names, they say nothing.
 */
#ifndef TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_RULES_H
#define TACHO_ANALYSES_BREAKDOWN_BREAKDOWN_RULES_H

#include "analyses/rules.h"

extern const tacho_rule tacho_rule_late_launches;         /* L-01 */
extern const tacho_rule tacho_rule_busy_host;             /* L-02 */
extern const tacho_rule tacho_rule_long_gap;              /* L-03 */
extern const tacho_rule tacho_rule_queued_gaps;           /* L-04 */
extern const tacho_rule tacho_rule_exposed_communication; /* C-01 */
extern const tacho_rule tacho_rule_exposed_copies;        /* M-01 */

/* All of them, NULL-terminated. */
extern const tacho_rule *const tacho_breakdown_rules[];

enum { TACHO_VERDICT_ROOM = 256 };

/* One sentence on what limits the device of |row|; empty where the facts allow none. */
void tacho_breakdown_verdict(const tacho_table *facts, size_t row,
                             char out_text[TACHO_VERDICT_ROOM]);

#endif
