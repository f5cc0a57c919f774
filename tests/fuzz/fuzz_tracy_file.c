/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of .tracy files. The first byte chooses a container for the rest, so that the
 * search need not find out how LZ4 and Zstandard work; 4 and more: the rest is the file.
 *
 * Laws: whatever the bytes, the file is refused, or the profile that comes out of sorting is valid,
 * and a file that ends early says so. A capture of it reads back with all its rows.
 */
#include "read_back.h"
#include "sources/tracy/tracy.h"
#include "sources/tracy/tracy_file_testing.h"
#include "mutate/mutate.h"

const fuzz_layout fuzz_input_layout = {.prefix_bytes = 1};

enum { INPUT_MAX = 1 << 17, BLOCK = 4096 };

static void read_profile(const composed *file)
{
    tacho_dict dict;
    tacho_profile profile;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status =
        read_through(&tacho_source_tracy, tacho_str_make((const char *)file->bytes, file->len),
                     TACHO_ORDER_SORT, &profile.events);
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(dict.part_count == 1);
        require_read_back(&tacho_source_tracy,
                          tacho_str_make((const char *)file->bytes, file->len));
    }
    tacho_status_free(status);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    composed body;
    composed file;
    if (size < 1 || size > INPUT_MAX) {
        return 0;
    }
    composed_init(&body);
    composed_init(&file);
    body.len = size - 1;
    memcpy(body.bytes, data + 1, size - 1);
    if (data[0] < COMPOSED_CONTAINERS) {
        composed_pack(&file, &body, (composed_container)data[0], BLOCK);
        read_profile(&file);
    } else {
        read_profile(&body);
    }
    free(body.bytes);
    free(file.bytes);
    return 0;
}
