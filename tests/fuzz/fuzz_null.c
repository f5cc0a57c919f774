/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of the null format: whatever it accepts is a valid profile.
 */
#include "reading.h"
#include "sources/null/null.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str bytes = tacho_str_make((const char *)data, size);
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_null, bytes, TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
    }
    tacho_status_free(status);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return 0;
}
