/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The strings of a dictionary that a timeline searches for.
 */
#include "questions/timeline/timeline_keys.h"

static tacho_status ensure_keys(tacho_dict *dict, const tacho_str *names, size_t count,
                                uint32_t *out_keys)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_dict_ensure_string(dict, names[i], &out_keys[i]));
    }
    return TACHO_OK;
}

tacho_status tacho_timeline_find_keys(tacho_timeline *self)
{
    static const tacho_str external_keys[TACHO_EXTERNAL_KEYS] = {TACHO_STR_INIT("External id"),
                                                                 TACHO_STR_INIT("external id")};
    tacho_dict *dict = self->events.dict;
    TACHO_TRY(ensure_keys(dict, tacho_launch_keys, TACHO_LAUNCH_KEYS, self->keys));
    TACHO_TRY(ensure_keys(dict, external_keys, TACHO_EXTERNAL_KEYS, self->external_keys));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("Sequence number"), &self->sequence_key));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("Fwd thread id"), &self->forward_key));
    self->operators.dict = dict;
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("op_name"), &self->operators.key));
    return tacho_dict_ensure_string(dict, TACHO_STR("tacho.serial"), &self->serial_key);
}
