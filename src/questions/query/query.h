/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query: what does a statement of SQL select from the tables of a profile (docs/query.md)? The
 * profile is in memory; the tables read it where it lies.
 */
#ifndef TACHO_QUESTIONS_QUERY_QUERY_H
#define TACHO_QUESTIONS_QUERY_QUERY_H

#include "questions/analysis.h"

typedef struct tacho_query_options {
    const char *sql;    /* one SELECT */
    int64_t timeout_ns; /* that it may take; 0: any time */
    uint64_t row_max;   /* of the result; 0: any number */
} tacho_query_options;

/* Whether |sql| is a statement that can be asked. */
tacho_status tacho_query_check(const char *sql) TACHO_MUST_USE;

#endif
