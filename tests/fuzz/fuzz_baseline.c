/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the list of a baseline; input that does not begin as one gets its first line.
 *
 * Laws: whatever the bytes, reading ends well; a list that is read has an entry and a capture, and
 * no capture leads out of its directory.
 */
#include "pipeline/baseline.h"
#include "reading.h"

static void read_list(const char *bytes, size_t size)
{
    tacho_baseline baseline;
    tacho_input input;
    tacho_status status = tacho_input_open_bytes("list", tacho_str_make(bytes, size), &input);
    require(status == TACHO_OK);
    status = tacho_baseline_init_from(&baseline, &input, "list");
    if (status == TACHO_OK) {
        require(baseline.entry_count > 0 && baseline.capture_count > 0);
    }
    for (size_t i = 0; i < baseline.capture_count; i++) {
        tacho_str name = baseline.captures[i].name;
        require(tacho_str_find_byte(name, '/') == name.len);
        require(tacho_str_ends_with(name, TACHO_STR(".tacho")) && name.data[0] != '.');
    }
    tacho_status_free(status);
    tacho_baseline_deinit(&baseline);
    tacho_input_close(&input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "tacho-baseline 1\n";
    enum { HEAD_BYTES = sizeof(head) - 1, SIZE_MAX_BYTES = 1 << 16 };
    static char whole[HEAD_BYTES + SIZE_MAX_BYTES];
    size = size < SIZE_MAX_BYTES ? size : SIZE_MAX_BYTES;
    memcpy(whole, head, HEAD_BYTES);
    memcpy(whole + HEAD_BYTES, data, size);
    read_list((const char *)data, size);
    read_list(whole, HEAD_BYTES + size);
    return 0;
}
