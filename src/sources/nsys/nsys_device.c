/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of devices: kernels, copies, fills, waits, graphs, memory and metrics.
 */
#include "sources/nsys/nsys_reader.h"

#include <inttypes.h>
#include <stdio.h>

enum { METRICS_MAX = 1 << 12 };

/* The columns that all tables of device work begin with. */
#define PLACE_COLUMNS                                                                              \
    "start", "end", "globalPid", "deviceId", "contextId", "streamId", "correlationId"

enum { START, END, PROCESS, DEVICE, CONTEXT, STREAM, CORRELATION, FIRST_OWN };

static nsys_place place_of(const tacho_sqlite_scan *row)
{
    return (nsys_place){
        .process = tacho_sqlite_int_or(row, PROCESS, 0),
        .device = tacho_sqlite_int_or(row, DEVICE, 0),
        .context = tacho_sqlite_int_or(row, CONTEXT, 0),
        .stream = tacho_sqlite_int_or(row, STREAM, -1),
    };
}

/* Pushes device work, or a wait for it. */
static tacho_status push_work(nsys_reader *reader, const tacho_sqlite_scan *row, uint32_t name,
                              nsys_word category)
{
    nsys_place place = place_of(row);
    int64_t correlation = tacho_sqlite_int_or(row, CORRELATION, 0);
    gpu_part_span span = {
        .name = name,
        .category = reader->words[category],
        .start = tacho_sqlite_int_or(row, START, -1),
        .end = tacho_sqlite_int_or(row, END, -1),
        .launch = {.process = nsys_process_of(place.process), .number = (uint64_t)correlation},
    };
    bool is_wait = category == NSYS_SYNC;
    span.launch.number = is_wait ? 0 : span.launch.number; /* calls that wait are not launches */
    if (correlation != 0) {
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_CORRELATION], TACHO_UNIT_NONE,
                            correlation);
    }
    TACHO_TRY(is_wait ? nsys_find_waits(reader, &place, &span.track)
                      : nsys_find_stream(reader, &place, &span.track));
    return gpu_part_push(&reader->gpu, &span);
}

/* Adds column |column| as an argument unless it is NULL or 0. */
static void add_if_set(nsys_reader *reader, const tacho_sqlite_scan *row, size_t column,
                       nsys_word key, tacho_unit unit)
{
    int64_t value = tacho_sqlite_int_or(row, column, 0);
    if (value != 0) {
        gpu_part_add_number(&reader->gpu, reader->words[key], unit, value);
    }
}

/* ---- kernels -------------------------------------------------------------------------------- */

enum {
    KERNEL_NAME = FIRST_OWN,
    KERNEL_SHORT_NAME,
    KERNEL_MANGLED_NAME,
    KERNEL_GRID,
    KERNEL_BLOCK = KERNEL_GRID + 3,
    KERNEL_REGISTERS = KERNEL_BLOCK + 3,
    KERNEL_STATIC,
    KERNEL_DYNAMIC,
    KERNEL_GRAPH,
    KERNEL_NODE,
};

static tacho_status add_sizes(nsys_reader *reader, const tacho_sqlite_scan *row, size_t first,
                              nsys_word key)
{
    int64_t sizes[3];
    for (size_t i = 0; i < 3; i++) {
        sizes[i] = tacho_sqlite_int_or(row, first + i, 0);
    }
    return gpu_part_add_sizes(&reader->gpu, reader->words[key], sizes);
}

static tacho_status take_kernel(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    uint32_t name = 0;
    TACHO_TRY(nsys_find_name(reader, row, KERNEL_NAME, KERNEL_GRID - KERNEL_NAME, &name));
    TACHO_TRY(name == 0 ? gpu_part_string(&reader->gpu, "kernel", &name) : TACHO_OK);
    if (reader->gpu.has_args) {
        uint64_t shared = (uint64_t)tacho_sqlite_int_or(row, KERNEL_STATIC, 0) +
                          (uint64_t)tacho_sqlite_int_or(row, KERNEL_DYNAMIC, 0);
        TACHO_TRY(add_sizes(reader, row, KERNEL_GRID, NSYS_GRID));
        TACHO_TRY(add_sizes(reader, row, KERNEL_BLOCK, NSYS_BLOCK));
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_REGISTERS], TACHO_UNIT_COUNT,
                            tacho_sqlite_int_or(row, KERNEL_REGISTERS, 0));
        gpu_part_add_number(&reader->gpu, reader->words[NSYS_SHARED], TACHO_UNIT_BYTES,
                            (int64_t)shared);
        add_if_set(reader, row, KERNEL_GRAPH, NSYS_GRAPH, TACHO_UNIT_NONE);
        add_if_set(reader, row, KERNEL_NODE, NSYS_GRAPH_NODE, TACHO_UNIT_NONE);
    }
    return push_work(reader, row, name, NSYS_KERNEL);
}

/* ---- copies and fills ----------------------------------------------------------------------- */

static const char *memory_name(int64_t kind)
{
    static const char *const names[] = {"Pageable", "Pinned",        "Device",        "Array",
                                        "Managed",  "Device static", "Managed static"};
    bool is_known = kind >= 0 && (size_t)kind < sizeof(names) / sizeof(names[0]);
    return is_known ? names[kind] : "Unknown";
}

enum { COPY_BYTES = FIRST_OWN, COPY_KIND, COPY_FROM, COPY_TO, COPY_NODE };

static tacho_status take_copy(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    static const char *const kinds[] = {"",      " HtoD",    " DtoH",    " HtoA",   " AtoH",
                                        " AtoA", " AtoD",    " DtoA",    " DtoD",   " HtoH",
                                        " PtoP", " UM HtoD", " UM DtoH", " UM DtoD"};
    char text[80];
    uint32_t name = 0;
    int64_t kind = tacho_sqlite_int_or(row, COPY_KIND, 0);
    bool is_known = kind > 0 && (size_t)kind < sizeof(kinds) / sizeof(kinds[0]);
    snprintf(text, sizeof(text), "Memcpy%s (%s -> %s)", is_known ? kinds[kind] : "",
             memory_name(tacho_sqlite_int_or(row, COPY_FROM, -1)),
             memory_name(tacho_sqlite_int_or(row, COPY_TO, -1)));
    TACHO_TRY(gpu_part_string(&reader->gpu, text, &name));
    add_if_set(reader, row, COPY_BYTES, NSYS_BYTES, TACHO_UNIT_BYTES);
    add_if_set(reader, row, COPY_NODE, NSYS_GRAPH_NODE, TACHO_UNIT_NONE);
    return push_work(reader, row, name, NSYS_COPY);
}

enum { SET_BYTES = FIRST_OWN, SET_MEMORY, SET_VALUE, SET_NODE };

static tacho_status take_set(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    char text[80];
    uint32_t name = 0;
    snprintf(text, sizeof(text), "Memset (%s)",
             memory_name(tacho_sqlite_int_or(row, SET_MEMORY, -1)));
    TACHO_TRY(gpu_part_string(&reader->gpu, text, &name));
    add_if_set(reader, row, SET_BYTES, NSYS_BYTES, TACHO_UNIT_BYTES);
    add_if_set(reader, row, SET_VALUE, NSYS_VALUE, TACHO_UNIT_NONE);
    add_if_set(reader, row, SET_NODE, NSYS_GRAPH_NODE, TACHO_UNIT_NONE);
    return push_work(reader, row, name, NSYS_SET);
}

/* ---- waits and graphs ----------------------------------------------------------------------- */

enum { WAIT_KIND = FIRST_OWN };

static tacho_status take_wait(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    static const char *const kinds[] = {"Synchronize", "Event Synchronize", "Stream Wait Event",
                                        "Stream Synchronize", "Context Synchronize"};
    uint32_t name = 0;
    int64_t kind = tacho_sqlite_int_or(row, WAIT_KIND, 0);
    bool is_known = kind > 0 && (size_t)kind < sizeof(kinds) / sizeof(kinds[0]);
    TACHO_TRY(gpu_part_string(&reader->gpu, kinds[is_known ? kind : 0], &name));
    return push_work(reader, row, name, NSYS_SYNC);
}

enum { GRAPH_ID = FIRST_OWN };

/* A launch of a graph as a whole: its kernels were not recorded. */
static tacho_status take_graph(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    char text[40];
    uint32_t name = 0;
    reader->has_graph_spans = true;
    snprintf(text, sizeof(text), "CUDA graph %" PRId64, tacho_sqlite_int_or(row, GRAPH_ID, 0));
    TACHO_TRY(gpu_part_string(&reader->gpu, text, &name));
    return push_work(reader, row, name, NSYS_KERNEL);
}

/* ---- counters ------------------------------------------------------------------------------- */

enum {
    MEMORY_START,
    MEMORY_START_TOO,
    MEMORY_PROCESS,
    MEMORY_DEVICE,
    MEMORY_BYTES,
    MEMORY_KIND,
    MEMORY_OPERATION
};

/* Allocations add up to the bytes that are allocated, per GPU and kind of memory. */
static tacho_status take_memory(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    enum { FREE = 1 };
    int64_t kind = tacho_sqlite_int_or(row, MEMORY_KIND, -1);
    int64_t gpu = nsys_find_gpu_number(reader, tacho_sqlite_int_or(row, MEMORY_PROCESS, 0),
                                       tacho_sqlite_int_or(row, MEMORY_DEVICE, 0));
    gpu_track_key key = {NSYS_TRACK_MEMORY, (uint64_t)gpu, (uint64_t)kind, 0};
    uint32_t track = gpu_part_find_track(&reader->gpu, key);
    if (track == TACHO_NONE) {
        char text[60];
        tacho_track facts = {.track_class = TACHO_TRACK_COUNTER, .unit = TACHO_UNIT_BYTES};
        TACHO_TRY(nsys_find_gpu(reader, gpu, &facts.parent));
        snprintf(text, sizeof(text), "allocated memory (%s)", memory_name(kind));
        TACHO_TRY(gpu_part_add_track(&reader->gpu, key, facts,
                                     (gpu_part_name){tacho_str_from_cstring(text), TACHO_STR("")},
                                     &track));
    }
    const uint64_t *held = tacho_number_map_find(&reader->memory, track);
    bool is_free = tacho_sqlite_int_or(row, MEMORY_OPERATION, 0) == FREE;
    uint64_t bytes = (uint64_t)tacho_sqlite_int_or(row, MEMORY_BYTES, 0);
    uint64_t now = (held != NULL ? *held : 0) + (is_free ? 0 - bytes : bytes);
    TACHO_TRY(tacho_number_map_set(&reader->memory, track, now));
    return gpu_part_push_sample(&reader->gpu, track, tacho_sqlite_int_or(row, MEMORY_START, -1),
                                (double)(int64_t)now);
}

enum { METRIC_TIME, METRIC_TIME_TOO, METRIC_TYPE, METRIC_ID, METRIC_VALUE };

/* The name of a metric, from a short table. */
static tacho_status find_metric_name(nsys_reader *reader, int64_t type, int64_t metric,
                                     uint32_t *out_name)
{
    static const char *const columns[] = {"typeId", "metricId", "metricName"};
    tacho_sqlite_scan scan;
    TACHO_TRY(
        tacho_sqlite_begin(reader->file, TACHO_STR("TARGET_INFO_GPU_METRICS"), columns, 3, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    *out_name = 0;
    while (status == TACHO_OK && scan.has_row && *out_name == 0) {
        tacho_str name;
        if (tacho_sqlite_int_or(&scan, 0, ~type) == type &&
            tacho_sqlite_int_or(&scan, 1, ~metric) == metric &&
            tacho_sqlite_text(&scan, 2, &name)) {
            status = tacho_dict_ensure_string(reader->gpu.dict, name, out_name);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status == TACHO_OK && *out_name == 0 ? gpu_part_string(&reader->gpu, "metric", out_name)
                                                : status;
}

/* The group of metrics of one type, which is one GPU's. */
static tacho_status find_metrics(nsys_reader *reader, int64_t type, uint32_t *out_track)
{
    gpu_track_key key = {.kind = NSYS_TRACK_METRICS, .a = (uint64_t)type};
    tacho_track facts = {.parent = TACHO_NONE, .track_class = TACHO_TRACK_GROUP};
    *out_track = gpu_part_find_track(&reader->gpu, key);
    return *out_track != TACHO_NONE
               ? TACHO_OK
               : gpu_part_add_track(&reader->gpu, key, facts,
                                    (gpu_part_name){TACHO_STR("GPU metrics"), TACHO_STR("")},
                                    out_track);
}

static tacho_status add_metric(nsys_reader *reader, gpu_track_key key, uint32_t *out_track)
{
    uint32_t name = 0;
    tacho_track facts = {.track_class = TACHO_TRACK_COUNTER};
    TACHO_TRY(find_metric_name(reader, (int64_t)key.a, (int64_t)key.b, &name));
    tacho_str text = tacho_dict_string(reader->gpu.dict, name);
    facts.unit = tacho_str_contains(text, TACHO_STR("%")) ? TACHO_UNIT_PERCENT : TACHO_UNIT_NONE;
    TACHO_TRY(find_metrics(reader, (int64_t)key.a, &facts.parent));
    reader->metric_count++;
    return gpu_part_add_track(&reader->gpu, key, facts, (gpu_part_name){text, TACHO_STR("")},
                              out_track);
}

static tacho_status take_metric(nsys_reader *reader, const tacho_sqlite_scan *row)
{
    gpu_track_key key = {NSYS_TRACK_METRIC, (uint64_t)tacho_sqlite_int_or(row, METRIC_TYPE, 0),
                         (uint64_t)tacho_sqlite_int_or(row, METRIC_ID, 0), 0};
    double value = 0;
    uint32_t track = gpu_part_find_track(&reader->gpu, key);
    if (!tacho_sqlite_real(row, METRIC_VALUE, &value) ||
        (track == TACHO_NONE && reader->metric_count == METRICS_MAX)) {
        return gpu_part_lose(&reader->gpu, TACHO_LOSS_NOT_A_NUMBER, 1, TACHO_STR("GPU_METRICS"));
    }
    if (track == TACHO_NONE) {
        TACHO_TRY(add_metric(reader, key, &track));
    }
    return gpu_part_push_sample(&reader->gpu, track, tacho_sqlite_int_or(row, METRIC_TIME, -1),
                                value);
}

const nsys_table nsys_device_tables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     {PLACE_COLUMNS, "demangledName", "shortName", "mangledName", "gridX", "gridY", "gridZ",
      "blockX", "blockY", "blockZ", "registersPerThread", "staticSharedMemory",
      "dynamicSharedMemory", "graphId", "graphNodeId"},
     take_kernel},
    {"CUPTI_ACTIVITY_KIND_MEMCPY",
     {PLACE_COLUMNS, "bytes", "copyKind", "srcKind", "dstKind", "graphNodeId"},
     take_copy},
    {"CUPTI_ACTIVITY_KIND_MEMSET",
     {PLACE_COLUMNS, "bytes", "memKind", "value", "graphNodeId"},
     take_set},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {PLACE_COLUMNS, "syncType"}, take_wait},
    {"CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {PLACE_COLUMNS, "graphId"}, take_graph},
    {"CUDA_GPU_MEMORY_USAGE_EVENTS",
     {"start", "start", "globalPid", "deviceId", "bytes", "memKind", "memoryOperationType"},
     take_memory},
    {"GPU_METRICS", {"timestamp", "timestamp", "typeId", "metricId", "value"}, take_metric},
    {.name = NULL},
};
