/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list is short: comparing it is as fast as hashing.
 */
#include "profile/summed_args.h"

const tacho_str tacho_launch_keys[TACHO_LAUNCH_KEYS] = {
    TACHO_STR_INIT("correlation"), TACHO_STR_INIT("correlation_id"),
    TACHO_STR_INIT("correlationId"), TACHO_STR_INIT("corr_id")};

const tacho_str tacho_summed_keys[TACHO_SUMMED_KEYS] = {
    TACHO_STR_INIT(TACHO_ARG_KEY_BYTES),      TACHO_STR_INIT(TACHO_ARG_KEY_OPERATION),
    TACHO_STR_INIT(TACHO_ARG_KEY_GROUP),      TACHO_STR_INIT(TACHO_ARG_KEY_MEMBERS),
    TACHO_STR_INIT(TACHO_ARG_KEY_GROUP_SIZE), TACHO_STR_INIT(TACHO_ARG_KEY_COLLECTIVE),
    TACHO_STR_INIT(TACHO_ARG_KEY_NUMBER),     TACHO_STR_INIT(TACHO_ARG_KEY_NUMBER_TOO)};

bool tacho_summed_args_has(tacho_str key)
{
    bool is_found = false;
    for (size_t i = 0; i < TACHO_SUMMED_KEYS; i++) {
        is_found = is_found || tacho_str_equal(key, tacho_summed_keys[i]);
    }
    return is_found;
}
