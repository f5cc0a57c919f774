/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that are summed over many files: operations, bytes, collectives, launches. A capture
 * marks each span that has one, launches aside, so that sums can skip the arguments of all others
 * (capture_row.h). Adding a key would require recognising older captures, whose marks ignore it.
 */
#ifndef TACHO_PROFILE_SUMMED_ARGS_H
#define TACHO_PROFILE_SUMMED_ARGS_H

#include "base/str.h"

#define TACHO_ARG_KEY_BYTES "bytes"
#define TACHO_ARG_KEY_OPERATION "op_name"
#define TACHO_ARG_KEY_GROUP "Process Group Name"
#define TACHO_ARG_KEY_MEMBERS "Process Group Ranks"
#define TACHO_ARG_KEY_GROUP_SIZE "Group size"
#define TACHO_ARG_KEY_COLLECTIVE "Collective name"
#define TACHO_ARG_KEY_NUMBER "Seq"
#define TACHO_ARG_KEY_NUMBER_TOO "seq"

enum { TACHO_SUMMED_KEYS = 8 };
extern const tacho_str tacho_summed_keys[TACHO_SUMMED_KEYS];

/* Whether |key| is one of them. */
bool tacho_summed_args_has(tacho_str key);

/* Keys of the number that work and the call that launched it have in common. */
enum { TACHO_LAUNCH_KEYS = 4 };
extern const tacho_str tacho_launch_keys[TACHO_LAUNCH_KEYS];

/* Which arguments are asked for; others may be left out. */
typedef enum tacho_args_wanted {
    TACHO_ARGS_ALL,
    TACHO_ARGS_SUMMED,
    TACHO_ARGS_SUMMED_AND_LAUNCHES, /* also numbers of tacho_launch_keys */
} tacho_args_wanted;

#endif
