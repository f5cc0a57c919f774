/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of spans that are jobs of a schedule, under the keys that their producers and sinks
 * share.
 */
#ifndef TACHO_PROFILE_SCHEDULE_ARGS_H
#define TACHO_PROFILE_SCHEDULE_ARGS_H

#include "profile/dict.h"

#define TACHO_SCHEDULE_ARGS(X)                                                                     \
    X(JOB, "job")     /* its number, which is its place in the order of issue */                   \
    X(TASK, "task")   /* of the sequencer, that starts it */                                       \
    X(WORD, "word")   /* for its work, as the machine's vendor prints it */                        \
    X(BYTES, "bytes") /* of a transfer */

typedef enum tacho_schedule_arg {
#define TACHO_SCHEDULE_ARG_ENUM(name, key) TACHO_SCHEDULE_ARG_##name,
    TACHO_SCHEDULE_ARGS(TACHO_SCHEDULE_ARG_ENUM)
#undef TACHO_SCHEDULE_ARG_ENUM
        TACHO_SCHEDULE_ARG_COUNT,
} tacho_schedule_arg;

/* The strings of the keys in |dict|. */
tacho_status tacho_schedule_args_ensure(tacho_dict *dict,
                                        uint32_t out_keys[TACHO_SCHEDULE_ARG_COUNT]) TACHO_MUST_USE;

#endif
