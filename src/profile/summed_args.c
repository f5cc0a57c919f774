/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list is short: comparing it is as fast as hashing.
 */
#include "profile/summed_args.h"

const tacho_str tacho_launch_keys[TACHO_LAUNCH_KEYS] = {
    TACHO_STR_INIT("correlation"), TACHO_STR_INIT("correlation_id"),
    TACHO_STR_INIT("correlationId"), TACHO_STR_INIT("corr_id")};

bool tacho_summed_args_has(tacho_str key)
{
    static const tacho_str keys[] = {
        TACHO_STR_INIT(TACHO_ARG_KEY_BYTES),  TACHO_STR_INIT(TACHO_ARG_KEY_OPERATION),
        TACHO_STR_INIT(TACHO_ARG_KEY_GROUP),  TACHO_STR_INIT(TACHO_ARG_KEY_COLLECTIVE),
        TACHO_STR_INIT(TACHO_ARG_KEY_NUMBER), TACHO_STR_INIT(TACHO_ARG_KEY_NUMBER_TOO)};
    bool is_found = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        is_found = is_found || tacho_str_equal(key, keys[i]);
    }
    return is_found;
}
