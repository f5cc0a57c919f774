/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Query: runs an SQL statement on the tables of a profile (docs/query.md). The profile is in
 * memory; the tables read it in place.
 */
#ifndef TACHO_QUESTIONS_QUERY_QUERY_H
#define TACHO_QUESTIONS_QUERY_QUERY_H

#include "questions/analysis.h"

typedef struct tacho_query_options {
    const char *sql;    /* one SELECT */
    int64_t timeout_ns; /* time limit; 0: none */
    uint64_t row_max;   /* maximum rows of the result; 0: unlimited */
} tacho_query_options;

/* Checks that |sql| is a statement that can be run. */
tacho_status tacho_query_check(const char *sql) TACHO_MUST_USE;

#endif
