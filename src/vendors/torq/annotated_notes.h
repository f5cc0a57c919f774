/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know of an annotation that did not go smoothly.
 */
#ifndef TACHO_VENDORS_TORQ_ANNOTATED_NOTES_H
#define TACHO_VENDORS_TORQ_ANNOTATED_NOTES_H

#include "base/notes.h"
#include "vendors/torq/annotated.h"

/* Who is told, and how much: problems always are. */
typedef struct tacho_annotated_notes {
    const tacho_notes *to;
    bool is_quiet; /* no notes */
    bool says_all; /* every problem and note, not the first few */
} tacho_annotated_notes;

/*
 * Losses of the runtime profiles, trouble with the debug information at |debug_path|, and rows
 * without a match, a line for each reason with its first example.
 */
void tacho_annotated_say(const tacho_annotated *annotated, const char *debug_path,
                         const tacho_annotated_notes *notes);

/* The same of the debug information at |path| alone. */
void tacho_debug_info_say(const tacho_debug_info *info, const char *path,
                          const tacho_annotated_notes *notes);

#endif
