/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words for what rooms of the library hint at: the options of a command that do something about
 * a failure. Only this file and option tables know both.
 */
#ifndef TACHO_CLI_HINTS_H
#define TACHO_CLI_HINTS_H

#include <stdbool.h>
#include <stdio.h>
#include <tacho/hint.h>

/* How a command gives a size; a hint that it has no option for is left out. */
typedef struct tacho_hint_dialect {
    const char *size_option; /* what comes before the name of a dimension */
    char size_separator;     /* and between it and its size */
    bool has_batch;          /* there is an option that runs several inferences as one */
} tacho_hint_dialect;

/* Of qaic-compile. */
extern const tacho_hint_dialect tacho_hints_qaic;

/*
 * Prints the words of |hints|, which end with TACHO_HINT_NONE, after a sentence; |dialect| NULL:
 * those of tacho itself.
 */
void tacho_hints_print(const tacho_hint_dialect *dialect, const tacho_hint *hints, FILE *to);

#endif
