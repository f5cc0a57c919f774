/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of databases of msprof.
 *
 * Laws: whatever the bytes, the file is refused, or the profile that comes out of sorting is valid.
 */
#include "reading.h"
#include "sources/ascend/ascend.h"

enum { INPUT_MAX = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_profile profile;
    if (size > INPUT_MAX) {
        return 0;
    }
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_ascend_db, tacho_str_make((const char *)data, size),
                     TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(dict.part_count == 1);
    }
    tacho_status_free(status);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return 0;
}
