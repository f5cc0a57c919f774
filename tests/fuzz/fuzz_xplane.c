/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of XPlane files.
 *
 * Laws: whatever the bytes, the profile that comes out is valid, or the file is refused as bad
 * data. A capture of it reads back with all its rows.
 */
#include "read_back.h"
#include "sources/xplane/xplane.h"

enum { INPUT_MAX = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (size > INPUT_MAX) {
        return 0;
    }
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_xplane, bytes, TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(dict.part_count == 1);
        require_read_back(&tacho_source_xplane, bytes);
    } else {
        require(tacho_status_code(status) == TACHO_CODE_BAD_DATA);
    }
    tacho_status_free(status);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return 0;
}
