/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of rules: the facts of one device, a row of tacho_breakdown_facts_table. A rule is one
 * file in rules/: a limit, a sentence and a constant (TACHO_DEVICE_RULE).
 */
#ifndef TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_FACTS_H
#define TACHO_QUESTIONS_BREAKDOWN_BREAKDOWN_FACTS_H

#include "questions/breakdown/work_patterns.h"
#include "questions/rules.h"

/* The kind of a device's spans, column LEVEL. */
#define TACHO_LEVEL_KERNELS "kernels"       /* kernels and copies on streams */
#define TACHO_LEVEL_ENGINES "engines"       /* jobs of engines that compute and engines that move */
#define TACHO_LEVEL_PROCESSORS "processors" /* programs of processors, including their waits */
#define TACHO_LEVEL_PROGRAMS "programs"     /* whole programs, whose contents are not known */

/* The period that times refer to, column PERIOD. */
#define TACHO_PERIOD_SPAN "the span"
#define TACHO_PERIOD_STEP "a step"
#define TACHO_PERIOD_INFERENCE "an inference"

enum {
    TACHO_FACTS_PERCENT = 100,
    TACHO_FACTS_LEAST_WORK = 20,     /* fewer pieces of work give no verdict */
    TACHO_FACTS_LEAST_LAUNCHED = 90, /* percent of the work that must have a launch */
};

/* What the host did in the long gaps that repeat and in which it was late. */
typedef struct tacho_gap_facts {
    tacho_str deed;  /* that took the most of them; empty: nothing was recorded */
    bool has_deed;   /* it is known that nothing was recorded, or what was */
    bool is_at_step; /* most of its gaps are where a step begins */
    uint64_t count;
    int64_t ns, start_ns; /* of gaps with that deed; the start of the longest */
    int64_t all_ns;       /* of all gaps */
} tacho_gap_facts;

/* Gaps that happen once, which no other fact includes. */
typedef struct tacho_once_facts {
    uint64_t count;
    int64_t ns, longest_ns, start_ns;
    tacho_str deed; /* in the longest */
} tacho_once_facts;

/* What a row of facts is made of, beyond its columns. */
typedef struct tacho_device_more {
    const tacho_dict *dict;
    tacho_work_patterns patterns;
    tacho_gap_facts gaps;
    tacho_once_facts once;
    bool has_matrix_units; /* the profile names a device that has them */
} tacho_device_more;

typedef struct tacho_device_facts {
    const tacho_table *table;
    size_t row;
    const tacho_device_more *more; /* NULL: not known */
} tacho_device_facts;

/* The sum of a pattern; all 0 if it is not known, or if the device is not made of kernels. */
tacho_pattern_sum tacho_fact_pattern(const tacho_device_facts *of, tacho_pattern pattern);

/*
 * Whether the device limits the span: it is busy for most of it. Else faster kernels gain nothing,
 * and fewer launches do: tacho_facts_gain_of_pieces is what the host takes for them.
 */
bool tacho_facts_are_busy(const tacho_device_facts *of);
int64_t tacho_facts_gain_of_pieces(const tacho_device_facts *of, uint64_t count, int64_t ns);

/* Whether copies of pageable memory and within the device are half of the copies or more: these
 * have rules of their own. */
bool tacho_facts_explain_copies(const tacho_device_facts *of);

/* |ns| in percent of the span; |count| per step or inference if there are several. */
double tacho_fact_part(const tacho_device_facts *of, int64_t ns);
double tacho_fact_each(const tacho_device_facts *of, uint64_t count);

/* The smaller of the two. */
int64_t tacho_facts_least(int64_t ns, double limit_ns);

/* Adds a finding with that gain and place. */
tacho_status tacho_facts_add_finding(const tacho_device_facts *of, tacho_findings *findings,
                                     int64_t gain_ns, int64_t start_ns, const char *format, ...)
    TACHO_PRINTF(5, 6) TACHO_MUST_USE;

/* A number; in percent of the span; a text. */
double tacho_fact(const tacho_device_facts *of, tacho_column_id id);
double tacho_fact_share(const tacho_device_facts *of, tacho_column_id id);
tacho_str tacho_fact_text(const tacho_device_facts *of, tacho_column_id id);

/* The period that shares refer to: "the span", "a step" or "an inference". */
const char *tacho_fact_period(const tacho_device_facts *of);

/* Whether there is enough work, and none of it was lost. */
bool tacho_facts_are_enough(const tacho_device_facts *of);
/* Whether the spans are times in which something computes or moves. */
bool tacho_facts_show_work(const tacho_device_facts *of);
/* Whether enough launches are known to judge them. */
bool tacho_facts_have_launches(const tacho_device_facts *of);
bool tacho_facts_are_of_torch_gpu(const tacho_device_facts *of);

/* Sets the gain of the next finding from the fact |gain|, and its place from the fact |start|. */
void tacho_facts_set_gain(const tacho_device_facts *of, tacho_findings *findings,
                          tacho_column_id gain, tacho_column_id start);

/* The gain per step when |gain_ns| is the gain over all steps, at most the length of a step. */
int64_t tacho_facts_gain_per_step(const tacho_device_facts *of, int64_t gain_ns);

/* Calls |check| for each device with enough facts. */
tacho_status tacho_facts_check_each(const tacho_table *facts, tacho_findings *findings,
                                    tacho_status (*check)(const tacho_device_facts *of,
                                                          tacho_findings *findings)) TACHO_MUST_USE;

/* The rule tacho_rule_NAME of the function check_NAME. */
#define TACHO_DEVICE_RULE(name, text_id)                                                           \
    static tacho_status check_each_##name(const tacho_table *facts, tacho_findings *findings)      \
    {                                                                                              \
        return tacho_facts_check_each(facts, findings, check_##name);                              \
    }                                                                                              \
    const tacho_rule tacho_rule_##name = {(text_id), "docs/rules.md", check_each_##name, false}

#endif
