/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ports: where queues wait for the host or for another device.
 */
#include "device/recorder_parts.h"

tacho_status tacho_recorder_find_ports(tacho_recorder *recorder)
{
    void *memory;
    size_t bytes = ((size_t)recorder->program->facts.device_count + 2) * sizeof(size_t);
    TACHO_TRY(tacho_arena_alloc(&recorder->arena, bytes, &memory));
    memset(memory, 0, bytes);
    recorder->first_device_port = memory;
    return TACHO_OK;
}

void tacho_recorder_fill_ports(tacho_recorder *recorder, const tacho_recording *recording)
{
    (void)recorder;
    (void)recording;
}
