/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments that sums over many files are made of: operations, bytes, collectives. A capture says
 * of each span whether it has one, so that whoever adds up passes over all others (capture_row.h).
 * Captures of before would have to be told apart if another key became one of these.
 */
#ifndef TACHO_PROFILE_SUMMED_ARGS_H
#define TACHO_PROFILE_SUMMED_ARGS_H

#include "base/str.h"

#define TACHO_ARG_KEY_BYTES "bytes"
#define TACHO_ARG_KEY_OPERATION "op_name"
#define TACHO_ARG_KEY_GROUP "Process Group Name"
#define TACHO_ARG_KEY_COLLECTIVE "Collective name"
#define TACHO_ARG_KEY_NUMBER "Seq"
#define TACHO_ARG_KEY_NUMBER_TOO "seq"

/* Whether |key| is one of them. */
bool tacho_summed_args_has(tacho_str key);

#endif
