/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records are read by offsets of their fields. Ids outlast the buffer; the rest is sent at once.
 */
#include "cuda/records.h"

#include "cuda/clock.h"
#include "cuda/facts.h"
#include "cuda/names.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    EXTERNALS = 1 << 12, /* a power of two */
    ARGS_MAX = 13,
    NAME_ROOM = 96,
    SIZE_ROOM = 48,
};

static struct {
    pthread_mutex_t lock; /* of all below, and of facts */
    struct {
        uint32_t correlation;
        uint64_t id;
    } externals[EXTERNALS];
    tacho_cu_counts counts;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static char *put_digits(char *at, uint32_t value)
{
    char digits[10];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    while (count > 0) {
        *at++ = digits[--count];
    }
    return at;
}

/* "132x2x1". Each kernel has two of these, and snprintf is a third of the time of its record. */
static void put_sizes(char room[SIZE_ROOM], const uint8_t *record, size_t at)
{
    char *end = room;
    for (size_t i = 0; i < 3; i++) {
        end = put_digits(end, tacho_cu_u32(record, at + 4 * i));
        *end++ = i < 2 ? 'x' : '\0';
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The share of a multiprocessor's warps that the kernel can occupy, in percent; 0: not known. */
static uint32_t find_occupancy(const tacho_cu_device *device, uint64_t threads, uint32_t registers,
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

/* Offsets of the fields that all work has. 0: no such field. */
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
    if (layout->graph != 0 && tacho_cu_u32(record, layout->graph) != 0) {
        add_number(args, "graph", TACHO_CLIENT_NO_UNIT, tacho_cu_u32(record, layout->graph));
    }
    if (layout->node != 0 && tacho_cu_u64(record, layout->node) != 0) {
        add_number(args, "graph_node", TACHO_CLIENT_NO_UNIT, tacho_cu_u64(record, layout->node));
    }
}

static void report_work(const uint8_t *record, const work_item *work, work_args *args)
{
    const work_layout *layout = work->layout;
    uint64_t start = tacho_cu_u64(record, layout->start);
    uint64_t end = tacho_cu_u64(record, layout->end);
    uint32_t correlation = tacho_cu_u32(record, layout->correlation);
    uint32_t stream = tacho_cu_u32(record, layout->stream);
    state.counts.records++;
    if (start == 0 || end <= start || work->device >= TACHO_CU_DEVICES_MAX) {
        state.counts.untimed++; /* CUPTI had no memory on the device for its times */
        tacho_client_report_lost(1);
        return;
    }
    uint32_t context = tacho_cu_u32(record, layout->context);
    int32_t priority = tacho_cu_stream_priority(context, stream);
    if (layout->device != 0) {
        tacho_cu_see_context(context, work->device);
    }
    add_graph(args, record, layout);
    add_number(args, "context", TACHO_CLIENT_NO_UNIT, context);
    add_number(args, "correlation", TACHO_CLIENT_NO_UNIT, correlation);
    if (priority != 0) {
        args->items[args->count++] = (tacho_client_arg){
            .key = "priority", .type = TACHO_CLIENT_INT, .value = {.as_int = priority}};
    }
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
    tacho_cu_clock_say(work->device, tacho_cu_find_device(work->device)->name, start);
    tacho_client_report_op(&op);
}

static void take_kernel(const uint8_t *record)
{
    const char *name = tacho_cu_text(record, 104);
    uint16_t registers = 0;
    uint64_t threads =
        (uint64_t)tacho_cu_u32(record, 64) * tacho_cu_u32(record, 68) * tacho_cu_u32(record, 72);
    uint64_t shared = (uint64_t)tacho_cu_u32(record, 76) + tacho_cu_u32(record, 80);
    work_args args = {.count = 0};
    const work_item work = {.layout = &kernel_layout,
                            .name = name != NULL ? tacho_cu_kernel_name(name) : "kernel",
                            .engine = TACHO_CLIENT_COMPUTE,
                            .device = tacho_cu_u32(record, kernel_layout.device)};
    memcpy(&registers, record + 6, sizeof(registers));
    put_sizes(args.grid, record, 52);
    put_sizes(args.block, record, 64);
    add_text(&args, "grid", args.grid);
    add_text(&args, "block", args.block);
    add_number(&args, "registers", TACHO_CLIENT_COUNT, registers);
    add_number(&args, "shared_memory", TACHO_CLIENT_BYTES, shared);
    uint32_t occupancy =
        find_occupancy(tacho_cu_find_device(work.device), threads, registers, shared);
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
                            .device = tacho_cu_u32(record, layout->device)};
    add_number(&args, "bytes", TACHO_CLIENT_BYTES, tacho_cu_u64(record, 8));
    report_work(record, &work, &args);
}

static void take_set(const uint8_t *record)
{
    char name[NAME_ROOM];
    work_args args = {.count = 0};
    const work_item work = {.layout = &copy_layout,
                            .name = name,
                            .engine = TACHO_CLIENT_ON_DEVICE,
                            .device = tacho_cu_u32(record, copy_layout.device)};
    snprintf(name, sizeof(name), "Memset (%s)", memory_name(record[50]));
    add_number(&args, "bytes", TACHO_CLIENT_BYTES, tacho_cu_u64(record, 8));
    report_work(record, &work, &args);
}

static void take_graph(const uint8_t *record)
{
    work_args args = {.count = 0};
    const work_item work = {.layout = &graph_layout,
                            .name = "CUDA graph",
                            .engine = TACHO_CLIENT_COMPUTE,
                            .device = tacho_cu_u32(record, graph_layout.device)};
    report_work(record, &work, &args);
}

/* Waiting of the host: reported on the device that it waits for. */
static void take_sync(const uint8_t *record)
{
    static const char *const names[] = {"Synchronize", "Event synchronize", "Stream wait event",
                                        "Stream synchronize", "Context synchronize"};
    uint32_t type = tacho_cu_u32(record, 4);
    work_args args = {.count = 0};
    const work_item work = {.layout = &sync_layout,
                            .name = names[type < sizeof(names) / sizeof(names[0]) ? type : 0],
                            .engine = TACHO_CLIENT_SYNC,
                            .device =
                                tacho_cu_context_device(tacho_cu_u32(record, sync_layout.context))};
    report_work(record, &work, &args);
}

static void take_external(const uint8_t *record)
{
    uint32_t correlation = tacho_cu_u32(record, 16);
    size_t at = correlation & (EXTERNALS - 1);
    state.externals[at].correlation = correlation;
    state.externals[at].id = tacho_cu_u64(record, 8);
}

static void take_overhead(const uint8_t *record)
{
    uint64_t start = tacho_cu_u64(record, 24);
    uint64_t end = tacho_cu_u64(record, 32);
    state.counts.overhead_ns += end > start ? end - start : 0;
}

static void take_record(const uint8_t *record)
{
    switch (tacho_cu_u32(record, 0)) {
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
    case TACHO_CU_OVERHEAD:
        take_overhead(record);
        break;
    default:
        tacho_cu_take_fact(record);
        break;
    }
}

/* Device records have the names of tracks, and contexts the device of a wait. */
static bool is_said_first(const uint8_t *record)
{
    uint32_t kind = tacho_cu_u32(record, 0);
    return kind == TACHO_CU_DEVICE || kind == TACHO_CU_CONTEXT || kind == TACHO_CU_STREAM;
}

static bool is_of_unknown_device(const uint8_t *record)
{
    uint32_t kind = tacho_cu_u32(record, 0);
    size_t at = kind == TACHO_CU_CONCURRENT_KERNEL                   ? kernel_layout.device
                : kind == TACHO_CU_GRAPH_TRACE                       ? graph_layout.device
                : kind == TACHO_CU_MEMCPY || kind == TACHO_CU_MEMSET ? copy_layout.device
                                                                     : 0;
    return at != 0 && tacho_cu_find_device(tacho_cu_u32(record, at))->name[0] == '\0';
}

static void take_facts(const tacho_cupti *cupti, uint8_t *buffer, size_t size)
{
    uint8_t *record = NULL;
    while (cupti->ActivityGetNextRecord(buffer, size, &record) == 0) {
        if (is_said_first(record)) {
            tacho_cu_take_fact(record);
        }
    }
}

/* Records of devices follow the first work of a program: then the buffer is read twice. */
void tacho_cu_take_records(const tacho_cupti *cupti, uint8_t *buffer, size_t size)
{
    uint8_t *record = NULL;
    bool has_facts = false;
    pthread_mutex_lock(&state.lock);
    while (cupti->ActivityGetNextRecord(buffer, size, &record) == 0) {
        if (!has_facts && is_of_unknown_device(record)) {
            take_facts(cupti, buffer, size);
            has_facts = true;
        }
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
