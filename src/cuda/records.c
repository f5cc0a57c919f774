/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are read by where their fields lie. What they say of devices, memory and ids outlasts the
 * buffer; all else goes out at once.
 */
#include "cuda/records.h"

#include "cuda/names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    DEVICES_MAX = 32,
    EXTERNALS = 1 << 12, /* a power of two */
    CONTEXTS = 64,
    ARGS_MAX = 12,
    NAME_ROOM = 96,
    SIZE_ROOM = 48,
    TRIES = 5, /* at a reading of two clocks */
};

static const uint64_t ns_per_s = 1000000000;
static const uint64_t clock_slack_ns = 1000;

/* What is known of a device. */
typedef struct device_facts {
    char name[NAME_ROOM];
    uint32_t warp_threads, warps, blocks, shared_bytes,
        registers; /* of a multiprocessor; 0: unknown */
} device_facts;

/* CUPTI's clock: ours = its + |shift|. */
typedef struct clock_facts {
    uint32_t version; /* 0: nobody has looked yet */
    int64_t shift;
    uint64_t error;
} clock_facts;

static struct {
    pthread_mutex_t clock_lock;
    clock_facts clock;
    pthread_mutex_t lock; /* of all below */
    device_facts devices[DEVICES_MAX];
    struct {
        uint32_t correlation;
        uint64_t id;
    } externals[EXTERNALS];
    struct {
        uint32_t context, device;
    } contexts[CONTEXTS];            /* as work has named them */
    uint64_t allocated[DEVICES_MAX]; /* bytes; below 0 where a release came first */
    tacho_cu_counts counts;
} state = {.clock_lock = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t read_u32(const uint8_t *record, size_t at)
{
    uint32_t value;
    memcpy(&value, record + at, sizeof(value));
    return value;
}

static uint64_t read_u64(const uint8_t *record, size_t at)
{
    uint64_t value;
    memcpy(&value, record + at, sizeof(value));
    return value;
}

static const char *read_text(const uint8_t *record, size_t at)
{
    const char *text = NULL;
    memcpy(&text, record + at, sizeof(text));
    return text;
}

/* ---- clocks -------------------------------------------------------------------------------- */

static bool read_clocks(const tacho_cupti *cupti, clock_facts *out_clock)
{
    bool is_read = false;
    for (int i = 0; i < TRIES; i++) {
        uint64_t theirs = 0;
        uint64_t before = tacho_client_now();
        bool is_good = cupti->GetTimestamp(&theirs) == 0;
        uint64_t error = (tacho_client_now() - before) / 2;
        if (is_good && (!is_read || error < out_clock->error)) {
            out_clock->error = error;
            out_clock->shift = (int64_t)(before + error - theirs);
            is_read = true;
        }
    }
    return is_read;
}

void tacho_cu_clock_compare(const tacho_cupti *cupti)
{
    clock_facts seen = {0};
    if (!read_clocks(cupti, &seen)) {
        return;
    }
    pthread_mutex_lock(&state.clock_lock);
    clock_facts *clock = &state.clock;
    int64_t moved = seen.shift - clock->shift;
    uint64_t distance = moved < 0 ? (uint64_t)-moved : (uint64_t)moved;
    /* Moved only where it has to be, so that work does not seem to overlap. */
    if (clock->version == 0 || distance > seen.error + clock->error + clock_slack_ns) {
        seen.version = clock->version + 1;
        *clock = seen;
    }
    pthread_mutex_unlock(&state.clock_lock);
}

/* Streams of threads are read one by one: each has to say the clock, once for a device. */
static void say_clock(uint32_t device, uint64_t ticks)
{
    static _Thread_local uint32_t said[DEVICES_MAX];
    pthread_mutex_lock(&state.clock_lock);
    const clock_facts clock = state.clock;
    pthread_mutex_unlock(&state.clock_lock);
    if (said[device] != clock.version) {
        const char *name = state.devices[device].name;
        said[device] = clock.version;
        tacho_client_describe_queues(device, name[0] != '\0' ? name : "CUDA", "stream");
        tacho_client_clock_pair(device, ticks + (uint64_t)clock.shift, ticks, ns_per_s);
    }
}

/* ---- arguments ----------------------------------------------------------------------------- */

typedef struct work_args {
    tacho_client_arg items[ARGS_MAX];
    size_t count;
    char grid[SIZE_ROOM], block[SIZE_ROOM];
} work_args;

static void add_number(work_args *args, const char *key, tacho_client_unit unit, uint64_t value)
{
    args->items[args->count++] = (tacho_client_arg){
        .key = key, .type = TACHO_CLIENT_UINT, .unit = unit, .value = {.as_uint = value}};
}

static void add_text(work_args *args, const char *key, const char *text)
{
    args->items[args->count++] =
        (tacho_client_arg){.key = key, .type = TACHO_CLIENT_TEXT, .value = {.as_text = text}};
}

static void put_sizes(char room[SIZE_ROOM], const uint8_t *record, size_t at)
{
    snprintf(room, SIZE_ROOM, "%ux%ux%u", (unsigned)read_u32(record, at),
             (unsigned)read_u32(record, at + 4), (unsigned)read_u32(record, at + 8));
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How much of a multiprocessor's room for warps the kernel can fill, in percent; 0: not known. */
static uint32_t find_occupancy(const device_facts *device, uint64_t threads, uint32_t registers,
                               uint64_t shared)
{
    if (device->warp_threads == 0 || device->warps == 0 || threads == 0 || threads > 1024) {
        return 0;
    }
    uint32_t warps = (uint32_t)((threads + device->warp_threads - 1) / device->warp_threads);
    uint32_t blocks = least(device->blocks, device->warps / warps);
    /* Registers are given to a warp in units of 256. */
    uint64_t block_registers =
        ((uint64_t)registers * device->warp_threads + 255) / 256 * 256 * warps;
    if (block_registers > 0) {
        blocks = least(blocks, (uint32_t)(device->registers / block_registers));
    }
    if (shared > 0) {
        blocks = least(blocks, (uint32_t)(device->shared_bytes / shared));
    }
    return 100 * blocks * warps / device->warps;
}

/* ---- work ---------------------------------------------------------------------------------- */

/* Where the fields lie that all work has. 0: it has none. */
typedef struct work_layout {
    size_t start, end, device, context, stream, correlation, graph, node;
} work_layout;

static const work_layout kernel_layout = {16, 24, 40, 44, 48, 92, 156, 144};
static const work_layout copy_layout = {16, 24, 32, 36, 40, 44, 72, 64};
static const work_layout peer_layout = {16, 24, 32, 36, 40, 60, 80, 72};
static const work_layout graph_layout = {8, 16, 24, 32, 36, 4, 28, 0};
static const work_layout sync_layout = {8, 16, 0, 28, 32, 24, 0, 0};

typedef struct work_item {
    const work_layout *layout;
    const char *name;
    tacho_client_engine engine;
    uint32_t device;
} work_item;

static void add_graph(work_args *args, const uint8_t *record, const work_layout *layout)
{
    if (layout->graph != 0 && read_u32(record, layout->graph) != 0) {
        add_number(args, "graph", TACHO_CLIENT_NO_UNIT, read_u32(record, layout->graph));
    }
    if (layout->node != 0 && read_u64(record, layout->node) != 0) {
        add_number(args, "graph_node", TACHO_CLIENT_NO_UNIT, read_u64(record, layout->node));
    }
}

static void report_work(const uint8_t *record, const work_item *work, work_args *args)
{
    const work_layout *layout = work->layout;
    uint64_t start = read_u64(record, layout->start);
    uint64_t end = read_u64(record, layout->end);
    uint32_t correlation = read_u32(record, layout->correlation);
    uint32_t stream = read_u32(record, layout->stream);
    state.counts.records++;
    if (start == 0 || end <= start || work->device >= DEVICES_MAX) {
        state.counts.untimed++; /* CUPTI had no memory on the device for its times */
        tacho_client_report_lost(1);
        return;
    }
    uint32_t context = read_u32(record, layout->context);
    if (layout->device != 0) {
        state.contexts[context % CONTEXTS].context = context;
        state.contexts[context % CONTEXTS].device = work->device;
    }
    add_graph(args, record, layout);
    add_number(args, "context", TACHO_CLIENT_NO_UNIT, context);
    add_number(args, "correlation", TACHO_CLIENT_NO_UNIT, correlation);
    size_t external = correlation & (EXTERNALS - 1);
    if (state.externals[external].correlation == correlation && correlation != 0) {
        add_number(args, "external_id", TACHO_CLIENT_NO_UNIT, state.externals[external].id);
    }
    const tacho_client_op op = {
        .code = work->name,
        .type = "cuda",
        .call = correlation,
        .device = work->device,
        .device_start_ticks = start,
        .device_end_ticks = end,
        .args = args->items,
        .arg_count = args->count,
        .engine = work->engine,
        .queue = stream == TACHO_CU_NO_STREAM ? 0 : stream,
        .launch = correlation,
    };
    say_clock(work->device, start);
    tacho_client_report_op(&op);
}

static void take_kernel(const uint8_t *record)
{
    const char *name = read_text(record, 104);
    uint16_t registers = 0;
    uint64_t threads = (uint64_t)read_u32(record, 64) * read_u32(record, 68) * read_u32(record, 72);
    uint64_t shared = (uint64_t)read_u32(record, 76) + read_u32(record, 80);
    work_args args = {.count = 0};
    const work_item work = {.layout = &kernel_layout,
                            .name = name != NULL ? tacho_cu_kernel_name(name) : "kernel",
                            .engine = TACHO_CLIENT_COMPUTE,
                            .device = read_u32(record, kernel_layout.device)};
    memcpy(&registers, record + 6, sizeof(registers));
    put_sizes(args.grid, record, 52);
    put_sizes(args.block, record, 64);
    add_text(&args, "grid", args.grid);
    add_text(&args, "block", args.block);
    add_number(&args, "registers", TACHO_CLIENT_COUNT, registers);
    add_number(&args, "shared_memory", TACHO_CLIENT_BYTES, shared);
    uint32_t occupancy = work.device < DEVICES_MAX ? find_occupancy(&state.devices[work.device],
                                                                    threads, registers, shared)
                                                   : 0;
    if (occupancy > 0) {
        add_number(&args, "occupancy", TACHO_CLIENT_PERCENT, occupancy);
    }
    report_work(record, &work, &args);
}

static const char *memory_name(uint8_t kind)
{
    static const char *const names[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                        "Array",   "Managed",  "Device static", "Managed static"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "Unknown";
}

static void take_copy(const uint8_t *record, const work_layout *layout)
{
    static const struct {
        const char *name;
        tacho_client_engine engine;
    } kinds[] = {{"", TACHO_CLIENT_ON_DEVICE},        {" HtoD", TACHO_CLIENT_TO_DEVICE},
                 {" DtoH", TACHO_CLIENT_FROM_DEVICE}, {" HtoA", TACHO_CLIENT_TO_DEVICE},
                 {" AtoH", TACHO_CLIENT_FROM_DEVICE}, {" AtoA", TACHO_CLIENT_ON_DEVICE},
                 {" AtoD", TACHO_CLIENT_ON_DEVICE},   {" DtoA", TACHO_CLIENT_ON_DEVICE},
                 {" DtoD", TACHO_CLIENT_ON_DEVICE},   {" HtoH", TACHO_CLIENT_ON_DEVICE},
                 {" PtoP", TACHO_CLIENT_FROM_DEVICE}};
    char name[NAME_ROOM];
    uint8_t kind = record[4] < sizeof(kinds) / sizeof(kinds[0]) ? record[4] : 0;
    snprintf(name, sizeof(name), "Memcpy%s (%s -> %s)", kinds[kind].name, memory_name(record[5]),
             memory_name(record[6]));
    work_args args = {.count = 0};
    const work_item work = {.layout = layout,
                            .name = name,
                            .engine = kinds[kind].engine,
                            .device = read_u32(record, layout->device)};
    add_number(&args, "bytes", TACHO_CLIENT_BYTES, read_u64(record, 8));
    report_work(record, &work, &args);
}

static void take_set(const uint8_t *record)
{
    char name[NAME_ROOM];
    work_args args = {.count = 0};
    const work_item work = {.layout = &copy_layout,
                            .name = name,
                            .engine = TACHO_CLIENT_ON_DEVICE,
                            .device = read_u32(record, copy_layout.device)};
    snprintf(name, sizeof(name), "Memset (%s)", memory_name(record[50]));
    add_number(&args, "bytes", TACHO_CLIENT_BYTES, read_u64(record, 8));
    report_work(record, &work, &args);
}

static void take_graph(const uint8_t *record)
{
    work_args args = {.count = 0};
    const work_item work = {.layout = &graph_layout,
                            .name = "CUDA graph",
                            .engine = TACHO_CLIENT_COMPUTE,
                            .device = read_u32(record, graph_layout.device)};
    report_work(record, &work, &args);
}

/* The device of a context; 0 where it has done no work yet. */
static uint32_t find_context_device(uint32_t context)
{
    bool is_known = state.contexts[context % CONTEXTS].context == context;
    return is_known ? state.contexts[context % CONTEXTS].device : 0;
}

/* Waiting of the host: it is said on the device that it waits for. */
static void take_sync(const uint8_t *record)
{
    static const char *const names[] = {"Synchronize", "Event synchronize", "Stream wait event",
                                        "Stream synchronize", "Context synchronize"};
    uint32_t type = read_u32(record, 4);
    work_args args = {.count = 0};
    const work_item work = {.layout = &sync_layout,
                            .name = names[type < sizeof(names) / sizeof(names[0]) ? type : 0],
                            .engine = TACHO_CLIENT_SYNC,
                            .device = find_context_device(read_u32(record, sync_layout.context))};
    report_work(record, &work, &args);
}

/* ---- facts --------------------------------------------------------------------------------- */

static void take_device(const uint8_t *record)
{
    uint32_t id = read_u32(record, 112);
    const char *name = read_text(record, 136);
    if (id >= DEVICES_MAX) {
        return;
    }
    device_facts *device = &state.devices[id];
    snprintf(device->name, sizeof(device->name), "%s", name != NULL ? name : "CUDA");
    device->warp_threads = read_u32(record, 32);
    device->warps = read_u32(record, 52);
    device->blocks = read_u32(record, 56);
    device->shared_bytes = read_u32(record, 60);
    device->registers = read_u32(record, 64);
}

static void take_external(const uint8_t *record)
{
    uint32_t correlation = read_u32(record, 16);
    size_t at = correlation & (EXTERNALS - 1);
    state.externals[at].correlation = correlation;
    state.externals[at].id = read_u64(record, 8);
}

/* Memory of a device that the program holds. */
static void take_memory(const uint8_t *record)
{
    enum { ALLOCATION = 1, RELEASE = 2, ON_DEVICE = 3 };
    uint32_t type = read_u32(record, 4);
    uint32_t device = read_u32(record, 52);
    uint64_t bytes = read_u64(record, 24);
    char name[NAME_ROOM];
    if (device >= DEVICES_MAX || read_u32(record, 8) != ON_DEVICE ||
        (type != ALLOCATION && type != RELEASE)) {
        return;
    }
    state.allocated[device] += type == ALLOCATION ? bytes : 0 - bytes;
    int64_t held = (int64_t)state.allocated[device];
    snprintf(name, sizeof(name), "GPU %u memory", (unsigned)device);
    tacho_client_site *site = tacho_cu_site(name, "bytes");
    pthread_mutex_lock(&state.clock_lock);
    int64_t shift = state.clock.shift;
    pthread_mutex_unlock(&state.clock_lock);
    if (site != NULL) {
        tacho_client_counter_at(site, held > 0 ? (double)held : 0,
                                read_u64(record, 32) + (uint64_t)shift);
    }
}

static void take_overhead(const uint8_t *record)
{
    uint64_t start = read_u64(record, 24);
    uint64_t end = read_u64(record, 32);
    state.counts.overhead_ns += end > start ? end - start : 0;
}

static void take_record(const uint8_t *record)
{
    switch (read_u32(record, 0)) {
    case TACHO_CU_CONCURRENT_KERNEL:
        take_kernel(record);
        break;
    case TACHO_CU_MEMCPY:
        take_copy(record, &copy_layout);
        break;
    case TACHO_CU_MEMCPY_PEER:
        take_copy(record, &peer_layout);
        break;
    case TACHO_CU_MEMSET:
        take_set(record);
        break;
    case TACHO_CU_GRAPH_TRACE:
        take_graph(record);
        break;
    case TACHO_CU_SYNCHRONIZATION:
        take_sync(record);
        break;
    case TACHO_CU_EXTERNAL_CORRELATION:
        take_external(record);
        break;
    case TACHO_CU_MEMORY:
        take_memory(record);
        break;
    case TACHO_CU_OVERHEAD:
        take_overhead(record);
        break;
    default:
        break;
    }
}

void tacho_cu_take_records(const tacho_cupti *cupti, uint8_t *buffer, size_t size)
{
    uint8_t *record = NULL;
    pthread_mutex_lock(&state.lock);
    /* Devices first: their names are those of tracks. */
    while (cupti->ActivityGetNextRecord(buffer, size, &record) == 0) {
        if (read_u32(record, 0) == TACHO_CU_DEVICE) {
            take_device(record);
        }
    }
    record = NULL;
    while (cupti->ActivityGetNextRecord(buffer, size, &record) == 0) {
        take_record(record);
    }
    pthread_mutex_unlock(&state.lock);
}

void tacho_cu_count_dropped(uint64_t count)
{
    pthread_mutex_lock(&state.lock);
    state.counts.dropped += count;
    pthread_mutex_unlock(&state.lock);
    tacho_client_report_lost(count);
}

tacho_cu_counts tacho_cu_records_counts(void)
{
    pthread_mutex_lock(&state.lock);
    const tacho_cu_counts counts = state.counts;
    pthread_mutex_unlock(&state.lock);
    return counts;
}
