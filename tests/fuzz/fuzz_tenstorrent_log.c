/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of Tenstorrent's device logs. An input without a header gets one.
 *
 * Laws: whatever the rows, the profile is valid, or the file is refused; rows that need no holding
 * give as many spans without it. A capture reads back with all its rows.
 */
#include "read_back.h"
#include "sources/tenstorrent/log.h"

typedef struct outcome {
    tacho_code code;
    size_t span_count;
} outcome;

static outcome read_all(tacho_str bytes, tacho_order_mode mode)
{
    tacho_dict dict;
    tacho_profile profile;
    tacho_lanes *lanes = NULL;
    require_ok(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    require_ok(tacho_lanes_create(&profile.events, &lanes));
    tacho_status status =
        read_through(&tacho_source_tenstorrent_log, bytes, mode, tacho_lanes_events(lanes));
    outcome found = {tacho_status_code(status), profile.span_count};
    if (status == TACHO_OK) {
        require_ok(tacho_profile_validate(&profile));
        require(dict.part_count >= 1); /* one for each chip */
    }
    tacho_status_free(status);
    tacho_lanes_destroy(lanes);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return found;
}

static void check(tacho_str bytes)
{
    outcome held = read_all(bytes, TACHO_ORDER_SORT_ALL);
    outcome sorted = read_all(bytes, TACHO_ORDER_SORT);
    if (sorted.code != TACHO_CODE_OUT_OF_ORDER) {
        require(held.code == sorted.code && held.span_count == sorted.span_count);
    }
    require_read_back(&tacho_source_tenstorrent_log, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char header[] =
        "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000, Max Compute Cores: 64\n"
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, "
        "run host ID, trace id, trace id counter, zone name, type, source line, source file, meta "
        "data\n";
    tacho_str bytes = tacho_str_make((const char *)data, size);
    if (tacho_source_tenstorrent_log.probe(bytes) != TACHO_PROBE_NO) {
        check(bytes);
        return 0;
    }
    char *text = malloc(sizeof(header) + size);
    require(text != NULL);
    memcpy(text, header, sizeof(header) - 1);
    if (size > 0) {
        memcpy(text + sizeof(header) - 1, data, size);
    }
    check(tacho_str_make(text, sizeof(header) - 1 + size));
    free(text);
    return 0;
}
