/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A filter of names as people write it: a text to find in the name or location of a span, or an
 * extended regular expression between slashes that either has to match.
 */
#ifndef TACHO_PROFILE_TEXT_FILTER_H
#define TACHO_PROFILE_TEXT_FILTER_H

#include "base/status.h"
#include "profile/select.h"

#include <regex.h>

/* Zeroed, it has nothing to be closed. */
typedef struct tacho_text_filter {
    tacho_str text;
    regex_t regex;
    bool has_regex;
    bool lacks_memory; /* matching a name ran out of memory ... */
    bool *has_failed;  /* ... which is recorded through this pointer */
} tacho_text_filter;

/* |text| outlives it. A bad expression is a USAGE failure. Close it even if this fails. */
tacho_status tacho_text_filter_open(tacho_text_filter *filter, const char *text) TACHO_MUST_USE;
void tacho_text_filter_close(tacho_text_filter *filter);

/* The filter for a selection; |filter| stays where it is while that is used. */
tacho_name_filter tacho_text_filter_names(tacho_text_filter *filter);

#endif
