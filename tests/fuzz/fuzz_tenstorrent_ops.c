/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Tenstorrent op tables: whatever the bytes, what comes out of sorting is a
 * valid profile, or the file is refused as bad.
 */
#include "reading.h"
#include "sources/tenstorrent/tenstorrent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_tenstorrent_ops, tacho_str_make((const char *)data, size),
                     TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(profile.span_count > 0 || dict.loss_count > 0);
    } else {
        tacho_code code = tacho_status_code(status);
        require(code == TACHO_CODE_BAD_DATA || code == TACHO_CODE_LIMIT);
        tacho_status_free(status);
    }
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return 0;
}
