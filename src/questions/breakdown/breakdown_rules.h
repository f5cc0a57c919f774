/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules over the facts of devices (breakdown_facts.h): advice on idle time, exposed communication,
 * exposed copies and unused engines, with the time that it can gain. Each is a file in rules/. They
 * find nothing below the limits in docs/rules.md.
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_RULES_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_RULES_H

#include "questions/breakdown/breakdown_facts.h"
#include "questions/breakdown/host_time.h"

/* One row per rule: the constant tacho_rule_NAME. Findings of equal gain are ranked in this
 * order. */
#define TACHO_BREAKDOWN_RULES(X)                                                                   \
    X(late_launches)         /* L-01 */                                                            \
    X(busy_host)             /* L-02 */                                                            \
    X(long_gap)              /* L-03 */                                                            \
    X(queued_gaps)           /* L-04 */                                                            \
    X(host_waits)            /* L-05 */                                                            \
    X(optimizer_loop)        /* L-06 */                                                            \
    X(small_batches)         /* L-07 */                                                            \
    X(allocations)           /* L-08 */                                                            \
    X(compilations)          /* L-09 */                                                            \
    X(exposed_communication) /* C-01 */                                                            \
    X(much_communication)    /* C-02 */                                                            \
    X(exposed_copies)        /* M-01 */                                                            \
    X(much_copying)          /* M-02 */                                                            \
    X(paged_copies)          /* M-03 */                                                            \
    X(copies_within)         /* M-04 */                                                            \
    X(layout_changes)        /* K-01 */                                                            \
    X(casts)                 /* K-02 */                                                            \
    X(elementwise_chains)    /* K-03 */                                                            \
    X(scalar_products)       /* K-04 */                                                            \
    X(wide_norms)            /* K-05 */                                                            \
    X(misaligned_products)   /* K-06 */                                                            \
    X(small_kernels)         /* K-07 */                                                            \
    X(spelled_attention)     /* K-08 */                                                            \
    X(uneven_engines)        /* E-01 */

#define TACHO_BREAKDOWN_RULE_EXTERN(name) extern const tacho_rule tacho_rule_##name;
TACHO_BREAKDOWN_RULES(TACHO_BREAKDOWN_RULE_EXTERN)
#undef TACHO_BREAKDOWN_RULE_EXTERN

/* All of them, NULL-terminated. */
extern const tacho_rule *const tacho_breakdown_rules[];

/* The feature that merges launches, in the terms of the profile's producer. */
const char *tacho_breakdown_graphs(const tacho_device_facts *of);

/* What merging launches can gain: the short gaps before late ones, but no more than work that
 * follows work leaves. */
int64_t tacho_breakdown_launch_gain(const tacho_device_facts *of);

enum { TACHO_VERDICT_ROOM = 640 };

/* One sentence on what hosts do where no device works; empty if they run too few operators. */
void tacho_breakdown_host_verdict(const tacho_dict *dict, const tacho_host_time *time,
                                  char out_text[TACHO_VERDICT_ROOM]);

/* One sentence on what limits the device; empty if the facts allow none. */
void tacho_breakdown_verdict(const tacho_device_facts *of, char out_text[TACHO_VERDICT_ROOM]);

#endif
