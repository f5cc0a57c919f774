/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of LIKE and GLOB, matched as SQLite does.
 */
#ifndef TACHO_SQL_PATTERN_H
#define TACHO_SQL_PATTERN_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum tacho_pattern_dialect {
    TACHO_PATTERN_LIKE, /* % and _, without regard to the case of ASCII */
    TACHO_PATTERN_GLOB, /* *, ? and [sets] */
} tacho_pattern_dialect;

typedef struct tacho_pattern {
    tacho_pattern_dialect dialect;
    tacho_str text;
    bool has_escape;  /* the character after |escape| has no special meaning */
    uint32_t escape;  /* a code point */
    int64_t until_ns; /* when to give up; INT64_MAX: never */
    unsigned steps;
    bool is_late; /* it has given up */
} tacho_pattern;

/* Whether all of |text| matches; false as well where |is_late| is set. */
bool tacho_pattern_matches(tacho_pattern *pattern, tacho_str text);

#endif
