/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts that a page shows about a kernel or an operator besides its name and times: the most useful
 * arguments, as one short text. Equal texts are kept once.
 */
#ifndef TACHO_SINKS_REPORT_FACTS_H
#define TACHO_SINKS_REPORT_FACTS_H

#include "base/text.h"
#include "profile/events.h"

enum { REPORT_FACT_KEYS = 7 };

typedef struct report_facts {
    uint32_t keys[REPORT_FACT_KEYS]; /* strings */
    bool is_ready;
    tacho_text text; /* of the last row */
} report_facts;

void report_facts_deinit(report_facts *facts);

/* The text of |row|, valid until the next call; empty without any of the arguments. */
tacho_status report_facts_of_row(report_facts *facts, tacho_dict *dict, const tacho_row *row,
                                 tacho_str *out_text) TACHO_MUST_USE;

#endif
