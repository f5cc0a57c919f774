/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the anchors between the clocks of Tenstorrent's chips and the host; input without a header
 * gets one.
 *
 * Laws: whatever the bytes, reading ends well; a chip that is found has a clock that runs forwards.
 */
#define _GNU_SOURCE

#include "reading.h"
#include "sources/tenstorrent/log_sync.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const char header[] =
    "device id,core_x, core_y,device,host_tracy,host_real,write_overhead,host_start,delay,"
    "frequency,tracy_ratio,tracy_base_time,device_frequency_ratio,device_shift\n";

static void require_written(int file, const void *bytes, size_t size)
{
    require(size == 0 || write(file, bytes, size) == (ssize_t)size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    tt_sync sync;
    int file = memfd_create("sync", MFD_CLOEXEC);
    require(file >= 0);
    require_written(file, header, sizeof(header) - 1);
    require_written(file, data, size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    tacho_status_free(tt_sync_read(&sync, path));
    for (size_t i = 0; i < sync.chip_count; i++) {
        const tt_chip_sync *chip = tt_sync_find(&sync, sync.chips[i].chip);
        require(chip == &sync.chips[i] && chip->anchor_count > 1);
        require(tt_time_map_ticks(&chip->map, 0) <= tt_time_map_ticks(&chip->map, INT64_MAX));
    }
    tt_sync_deinit(&sync);
    close(file);
    return 0;
}
