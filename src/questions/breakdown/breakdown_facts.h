/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What rules look at: the facts of one device, a row of tacho_breakdown_facts_table. A rule is one
 * file in rules/: a limit, a sentence and a constant (TACHO_DEVICE_RULE).
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_FACTS_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_FACTS_H

#include "questions/rules.h"

/* What the spans of a device are, column LEVEL. */
#define TACHO_LEVEL_KERNELS "kernels"       /* kernels and copies on streams */
#define TACHO_LEVEL_ENGINES "engines"       /* jobs of engines that compute and engines that move */
#define TACHO_LEVEL_PROCESSORS "processors" /* programs of processors, which also wait in them */
#define TACHO_LEVEL_PROGRAMS "programs"     /* programs as a whole: nobody knows what they do */

/* What times are of, column PERIOD. */
#define TACHO_PERIOD_SPAN "the span"
#define TACHO_PERIOD_STEP "a step"
#define TACHO_PERIOD_INFERENCE "an inference"

enum {
    TACHO_FACTS_PERCENT = 100,
    TACHO_FACTS_LEAST_WORK = 20,     /* pieces of work, below which nothing is said */
    TACHO_FACTS_LEAST_LAUNCHED = 90, /* percent of the work that has to have a launch */
};

typedef struct tacho_device_facts {
    const tacho_table *table;
    size_t row;
} tacho_device_facts;

/* A number; in percent of the span; a text. */
double tacho_fact(const tacho_device_facts *of, tacho_column_id id);
double tacho_fact_share(const tacho_device_facts *of, tacho_column_id id);
tacho_str tacho_fact_text(const tacho_device_facts *of, tacho_column_id id);

/* What shares are of: "the span", "a step" or "an inference". */
const char *tacho_fact_period(const tacho_device_facts *of);

/* Whether there is enough work, and none of it was lost. */
bool tacho_facts_are_enough(const tacho_device_facts *of);
/* Whether the spans are times in which something computes or moves. */
bool tacho_facts_show_work(const tacho_device_facts *of);
/* Whether launches are known well enough to speak of them. */
bool tacho_facts_have_launches(const tacho_device_facts *of);
bool tacho_facts_are_of_torch_gpu(const tacho_device_facts *of);

/* Sets what the next finding can gain: the fact |gain|; and where to look: the fact |start|. */
void tacho_facts_set_gain(const tacho_device_facts *of, tacho_findings *findings,
                          tacho_column_id gain, tacho_column_id start);

/* What |gain_ns| over all steps is in one, and no more than the step. */
int64_t tacho_facts_gain_per_step(const tacho_device_facts *of, int64_t gain_ns);

/* Asks |check| about each device of which enough is known. */
tacho_status tacho_facts_check_each(const tacho_table *facts, tacho_findings *findings,
                                    tacho_status (*check)(const tacho_device_facts *of,
                                                          tacho_findings *findings)) TACHO_MUST_USE;

/* The rule tacho_rule_NAME of the function check_NAME. */
#define TACHO_DEVICE_RULE(name, text_id)                                                           \
    static tacho_status check_each_##name(const tacho_table *facts, tacho_findings *findings)      \
    {                                                                                              \
        return tacho_facts_check_each(facts, findings, check_##name);                              \
    }                                                                                              \
    const tacho_rule tacho_rule_##name = {(text_id), "docs/rules.md", check_each_##name}

#endif
