/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interning the keys.
 */
#include "profile/schedule_args.h"

tacho_status tacho_schedule_args_ensure(tacho_dict *dict,
                                        uint32_t out_keys[TACHO_SCHEDULE_ARG_COUNT])
{
    static const char *const keys[] = {
#define KEY(name, key) key,
        TACHO_SCHEDULE_ARGS(KEY)
#undef KEY
    };
    for (size_t i = 0; i < TACHO_SCHEDULE_ARG_COUNT; i++) {
        TACHO_TRY(tacho_dict_ensure_string(dict, tacho_str_from_cstring(keys[i]), &out_keys[i]));
    }
    return TACHO_OK;
}
