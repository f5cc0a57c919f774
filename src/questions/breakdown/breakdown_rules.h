/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over the facts of devices (breakdown_facts.h): advice on idle time, exposed communication,
 * exposed copies and unused engines, with the time that it can gain. Each is a file in rules/. They
 * find nothing below the limits in docs/rules.md.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_RULES_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_RULES_H

#include "questions/breakdown/breakdown_facts.h"

/* One row per rule: the constant tacho_rule_NAME. Findings of equal gain are ranked in this
 * order. */
#define TACHO_BREAKDOWN_RULES(X)                                                                   \
    X(late_launches)         /* L-01 */                                                            \
    X(busy_host)             /* L-02 */                                                            \
    X(long_gap)              /* L-03 */                                                            \
    X(queued_gaps)           /* L-04 */                                                            \
    X(exposed_communication) /* C-01 */                                                            \
    X(much_communication)    /* C-02 */                                                            \
    X(exposed_copies)        /* M-01 */                                                            \
    X(much_copying)          /* M-02 */                                                            \
    X(uneven_engines)        /* E-01 */

#define TACHO_BREAKDOWN_RULE_EXTERN(name) extern const tacho_rule tacho_rule_##name;
TACHO_BREAKDOWN_RULES(TACHO_BREAKDOWN_RULE_EXTERN)
#undef TACHO_BREAKDOWN_RULE_EXTERN

/* All of them, NULL-terminated. */
extern const tacho_rule *const tacho_breakdown_rules[];

/* The feature that merges launches, in the terms of the profile's producer. */
const char *tacho_breakdown_graphs(const tacho_device_facts *of);

enum { TACHO_VERDICT_ROOM = 400 };

/* One sentence on what limits the device of |row|; empty if the facts allow none. */
void tacho_breakdown_verdict(const tacho_table *facts, size_t row,
                             char out_text[TACHO_VERDICT_ROOM]);

#endif
