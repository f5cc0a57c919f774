/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts outlast the buffer of their record. Amounts that change are reported as counters.
 */
#include "cuda/facts.h"

#include "cuda/clock.h"
#include "cuda/names.h"

#include <stdbool.h>
#include <stdio.h>

/* Powers of two, but for the last: places by the number of a context, stream or pool. */
enum { CONTEXTS = 64, STREAMS = 1 << 10, POOLS = 64 };

static struct {
    tacho_cu_device devices[TACHO_CU_DEVICES_MAX];
    struct {
        uint32_t context, device;
    } contexts[CONTEXTS]; /* the last of its place */
    struct {
        uint32_t context, stream;
        int32_t priority;
    } streams[STREAMS];                       /* the last of its place */
    uint64_t allocated[TACHO_CU_DEVICES_MAX]; /* bytes; below 0 where a release was first */
    struct {
        uint64_t address, bytes;
        uint32_t device;
    } pools[POOLS]; /* address 0: none */
} facts;

/* ---- queries ------------------------------------------------------------------------------- */

const tacho_cu_device *tacho_cu_find_device(uint32_t id)
{
    static const tacho_cu_device unknown = {.name = ""};
    return id < TACHO_CU_DEVICES_MAX ? &facts.devices[id] : &unknown;
}

void tacho_cu_see_context(uint32_t context, uint32_t device)
{
    facts.contexts[context % CONTEXTS].context = context;
    facts.contexts[context % CONTEXTS].device = device;
}

uint32_t tacho_cu_context_device(uint32_t context)
{
    bool is_known = facts.contexts[context % CONTEXTS].context == context;
    return is_known ? facts.contexts[context % CONTEXTS].device : 0;
}

int32_t tacho_cu_stream_priority(uint32_t context, uint32_t stream)
{
    size_t at = stream % STREAMS;
    bool is_known =
        facts.streams[at].context == context && facts.streams[at].stream == stream && stream != 0;
    return is_known ? facts.streams[at].priority : 0;
}

/* ---- devices, contexts, streams ---------------------------------------------------------------
 */

/* Once for each, as a text of the capture. */
static void say_device(uint32_t id, const uint8_t *record)
{
    char text[TACHO_CU_NAME_ROOM + 160];
    uint64_t memory_mib = tacho_cu_u64(record, 16) >> 20;
    int len = snprintf(text, sizeof(text),
                       "CUDA: GPU %u is %s, compute capability %u.%u, %u multiprocessors, %u MHz, "
                       "memory %llu MiB, %llu GB/s, L2 cache %u KiB",
                       (unsigned)id, facts.devices[id].name, (unsigned)tacho_cu_u32(record, 104),
                       (unsigned)tacho_cu_u32(record, 108), (unsigned)tacho_cu_u32(record, 44),
                       (unsigned)(tacho_cu_u32(record, 36) / 1000), (unsigned long long)memory_mib,
                       (unsigned long long)(tacho_cu_u64(record, 8) / 1000000),
                       (unsigned)(tacho_cu_u32(record, 28) >> 10));
    if (len > 0 && (size_t)len < sizeof(text)) {
        tacho_client_message(text, (size_t)len);
    }
}

static void take_device(const uint8_t *record)
{
    uint32_t id = tacho_cu_u32(record, 112);
    const char *name = tacho_cu_text(record, 136);
    if (id >= TACHO_CU_DEVICES_MAX) {
        return;
    }
    tacho_cu_device *device = &facts.devices[id];
    bool is_new = device->name[0] == '\0';
    snprintf(device->name, sizeof(device->name), "%s", name != NULL ? name : "CUDA");
    device->warp_threads = tacho_cu_u32(record, 32);
    device->warps = tacho_cu_u32(record, 52);
    device->blocks = tacho_cu_u32(record, 56);
    device->shared_bytes = tacho_cu_u32(record, 60);
    device->registers = tacho_cu_u32(record, 64);
    if (is_new) {
        say_device(id, record);
    }
}

static void take_stream(const uint8_t *record)
{
    uint32_t stream = tacho_cu_u32(record, 8);
    size_t at = stream % STREAMS;
    facts.streams[at].context = tacho_cu_u32(record, 4);
    facts.streams[at].stream = stream;
    facts.streams[at].priority = (int32_t)tacho_cu_u32(record, 12);
}

/* ---- counters ------------------------------------------------------------------------------ */

static void count(uint32_t device, const char *what, const char *unit, double value, uint64_t ticks)
{
    char name[TACHO_CU_NAME_ROOM];
    snprintf(name, sizeof(name), "GPU %u %s", (unsigned)device, what);
    tacho_client_site *site = tacho_cu_site(name, unit);
    if (site != NULL) {
        tacho_client_counter_at(site, value, tacho_cu_clock_ns(ticks));
    }
}

/* Memory of a device that the program holds. */
static void take_memory(const uint8_t *record)
{
    enum { ALLOCATION = 1, RELEASE = 2, ON_DEVICE = 3 };
    uint32_t type = tacho_cu_u32(record, 4);
    uint32_t device = tacho_cu_u32(record, 52);
    uint64_t bytes = tacho_cu_u64(record, 24);
    if (device >= TACHO_CU_DEVICES_MAX || tacho_cu_u32(record, 8) != ON_DEVICE ||
        (type != ALLOCATION && type != RELEASE)) {
        return;
    }
    facts.allocated[device] += type == ALLOCATION ? bytes : 0 - bytes;
    int64_t held = (int64_t)facts.allocated[device];
    count(device, "memory", "bytes", held > 0 ? (double)held : 0, tacho_cu_u64(record, 32));
}

/* Bytes that pools of a device have, used or not. A pool more than there is room for is not seen.
 */
static void take_pool(const uint8_t *record)
{
    enum { DESTROYED = 2 };
    uint32_t device = tacho_cu_u32(record, 20);
    uint64_t address = tacho_cu_u64(record, 32);
    uint64_t bytes = tacho_cu_u32(record, 4) == DESTROYED ? 0 : tacho_cu_u64(record, 40);
    size_t at = POOLS, total = 0;
    for (size_t i = POOLS; i-- > 0;) {
        bool is_it = facts.pools[i].address == address && address != 0;
        at = is_it || (facts.pools[i].address == 0 && at == POOLS) ? i : at;
        if (is_it) {
            break;
        }
    }
    if (at == POOLS || device >= TACHO_CU_DEVICES_MAX) {
        return;
    }
    facts.pools[at].address = bytes > 0 ? address : 0;
    facts.pools[at].bytes = bytes;
    facts.pools[at].device = device;
    for (size_t i = 0; i < POOLS; i++) {
        total += facts.pools[i].device == device ? facts.pools[i].bytes : 0;
    }
    count(device, "memory pools", "bytes", (double)total, tacho_cu_u64(record, 56));
}

/* Clocks, temperature and power, as the driver samples them. */
static void take_environment(const uint8_t *record)
{
    enum { SPEED = 1, TEMPERATURE = 2, POWER = 3 };
    uint32_t device = tacho_cu_u32(record, 4), first = tacho_cu_u32(record, 20);
    uint64_t ticks = tacho_cu_u64(record, 8);
    switch (tacho_cu_u32(record, 16)) {
    case SPEED:
        count(device, "SM clock", "MHz", first, ticks);
        count(device, "memory clock", "MHz", tacho_cu_u32(record, 24), ticks);
        break;
    case TEMPERATURE:
        count(device, "temperature (C)", "count", first, ticks);
        break;
    case POWER:
        count(device, "power (W)", "count", first / 1000.0, ticks);
        break;
    default:
        break;
    }
}

void tacho_cu_take_fact(const uint8_t *record)
{
    switch (tacho_cu_u32(record, 0)) {
    case TACHO_CU_DEVICE:
        take_device(record);
        break;
    case TACHO_CU_CONTEXT:
        tacho_cu_see_context(tacho_cu_u32(record, 4), tacho_cu_u32(record, 8));
        break;
    case TACHO_CU_STREAM:
        take_stream(record);
        break;
    case TACHO_CU_MEMORY:
        take_memory(record);
        break;
    case TACHO_CU_MEMORY_POOL:
        take_pool(record);
        break;
    case TACHO_CU_ENVIRONMENT:
        take_environment(record);
        break;
    default:
        break;
    }
}
