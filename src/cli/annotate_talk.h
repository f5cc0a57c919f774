/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person is told of an annotation that did not go smoothly.
 */
#ifndef TACHO_CLI_ANNOTATE_TALK_H
#define TACHO_CLI_ANNOTATE_TALK_H

#include "cli/talk.h"
#include "pipeline/annotated.h"

/*
 * Prints losses of the runtime profiles, trouble with the debug information and rows without a
 * match, a line for each reason with its first example. |says_all|: every file and every note.
 */
void tacho_annotate_talk(const tacho_annotated *annotated, const char *debug_path,
                         tacho_talk_level level);

/* The same of the debug information at |path| alone. */
void tacho_annotate_talk_debug_info(const tacho_debug_info *info, const char *path,
                                    tacho_talk_level level);

#endif
