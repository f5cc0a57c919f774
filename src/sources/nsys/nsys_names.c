/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts, processes, threads, GPUs and streams of a database, made when an event first refers to
 * them.
 */
#include "sources/nsys/nsys_reader.h"

#include <inttypes.h>
#include <stdio.h>

enum { LOW_BITS = 24, LOW_MASK = (1 << LOW_BITS) - 1, DEVICE_BITS = 16 };

static uint64_t device_key(int64_t process, int64_t device)
{
    return ((uint64_t)process & LOW_MASK) << DEVICE_BITS | ((uint64_t)device & 0xffff);
}

/* ---- tables of names ------------------------------------------------------------------------ */

/* Fills |map| from two integer columns; -1 as the second stands for the row's own number. */
static tacho_status read_pairs(nsys_reader *reader, const char *table, const char *const *columns,
                               tacho_number_map *map)
{
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, tacho_str_from_cstring(table), columns,
                                 columns[1] != NULL ? 2 : 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        int64_t key = 0;
        int64_t value = scan.row_id;
        if (tacho_sqlite_int(&scan, 0, &key) &&
            (columns[1] == NULL || tacho_sqlite_int(&scan, 1, &value))) {
            status = tacho_number_map_set(map, (uint64_t)key, (uint64_t)value);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

static tacho_status read_devices(nsys_reader *reader)
{
    static const char *const columns[] = {"gpuId", "cudaId", "pid"};
    tacho_sqlite_scan scan;
    TACHO_TRY(
        tacho_sqlite_begin(reader->file, TACHO_STR("TARGET_INFO_CUDA_DEVICE"), columns, 3, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        int64_t gpu = tacho_sqlite_int_or(&scan, 0, -1);
        uint64_t key =
            device_key(tacho_sqlite_int_or(&scan, 2, -1), tacho_sqlite_int_or(&scan, 1, -1));
        status =
            gpu >= 0 ? tacho_number_map_set(&reader->device_gpus, key, (uint64_t)gpu) : TACHO_OK;
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

tacho_status nsys_names_init(nsys_reader *reader)
{
    static const char *const words[] = {
#define NSYS_WORD_TEXT(name, text) text,
        NSYS_WORDS(NSYS_WORD_TEXT)
#undef NSYS_WORD_TEXT
    };
    static const char *const text_columns[] = {"id", "value"};
    static const char *const process_columns[] = {"globalPid", "name"};
    static const char *const gpu_columns[] = {"id", "name"};
    static const char *const thread_columns[] = {"globalTid", "nameId"};
    static const char *const process_keys[] = {"globalPid", NULL};
    static const char *const gpu_keys[] = {"id", NULL};
    tacho_sqlite_file *file = reader->file;
    for (size_t i = 0; i < NSYS_WORD_COUNT; i++) {
        TACHO_TRY(gpu_part_string(&reader->gpu, words[i], &reader->words[i]));
    }
    TACHO_TRY(
        tacho_sqlite_begin_seek(file, TACHO_STR("StringIds"), text_columns, 2, &reader->strings));
    TACHO_TRY(tacho_sqlite_begin_seek(file, TACHO_STR("PROCESSES"), process_columns, 2,
                                      &reader->processes));
    TACHO_TRY(
        tacho_sqlite_begin_seek(file, TACHO_STR("TARGET_INFO_GPU"), gpu_columns, 2, &reader->gpus));
    TACHO_TRY(read_pairs(reader, "ThreadNames", thread_columns, &reader->thread_names));
    TACHO_TRY(read_pairs(reader, "PROCESSES", process_keys, &reader->process_rows));
    TACHO_TRY(read_pairs(reader, "TARGET_INFO_GPU", gpu_keys, &reader->gpu_rows));
    return read_devices(reader);
}

void nsys_names_deinit(nsys_reader *reader)
{
    tacho_number_map *maps[] = {&reader->texts,       &reader->calls,        &reader->domains,
                                &reader->categories,  &reader->thread_names, &reader->process_rows,
                                &reader->device_gpus, &reader->gpu_rows,     &reader->memory};
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        tacho_number_map_deinit(maps[i]);
    }
    tacho_sqlite_end(&reader->strings);
    tacho_sqlite_end(&reader->processes);
    tacho_sqlite_end(&reader->gpus);
}

/* ---- texts ---------------------------------------------------------------------------------- */

tacho_status nsys_find_text(nsys_reader *reader, int64_t id, uint32_t *out_string)
{
    const uint64_t *known = tacho_number_map_find(&reader->texts, (uint64_t)id);
    tacho_str text;
    *out_string = known != NULL ? (uint32_t)*known : 0;
    if (known != NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_sqlite_seek(&reader->strings, id));
    bool is_there = reader->strings.has_row &&
                    tacho_sqlite_int_or(&reader->strings, 0, ~id) == id &&
                    tacho_sqlite_text(&reader->strings, 1, &text);
    if (is_there) {
        TACHO_TRY(tacho_dict_ensure_string(reader->gpu.dict, text, out_string));
    }
    return tacho_number_map_set(&reader->texts, (uint64_t)id, *out_string);
}

tacho_status nsys_find_name(nsys_reader *reader, const tacho_sqlite_scan *row, size_t first_column,
                            size_t column_count, uint32_t *out_string)
{
    *out_string = 0;
    for (size_t i = 0; i < column_count && *out_string == 0; i++) {
        int64_t id = 0;
        if (tacho_sqlite_int(row, first_column + i, &id)) {
            TACHO_TRY(nsys_find_text(reader, id, out_string));
        }
    }
    return TACHO_OK;
}

/* ---- processes and threads ------------------------------------------------------------------ */

/* The name in column 1 of a row of names, without its directory. */
static tacho_status find_row_name(tacho_sqlite_scan *names, const uint64_t *row_id,
                                  tacho_str *out_name)
{
    tacho_str path;
    if (row_id == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_sqlite_seek(names, (int64_t)*row_id));
    if (names->has_row && tacho_sqlite_text(names, 1, &path) && tacho_str_basename(path).len > 0) {
        *out_name = tacho_str_basename(path);
    }
    return TACHO_OK;
}

/* "python 1234" */
static size_t print_numbered(char *text, size_t room, tacho_str name, uint64_t number)
{
    int cut = name.len < 100 ? (int)name.len : 100;
    int len = snprintf(text, room, "%.*s %" PRIu64, cut, name.data, number);
    return len > 0 ? (size_t)len : 0;
}

/* The group of a process, by a global id of one of its threads. */
static tacho_status find_process(nsys_reader *reader, int64_t global_id, uint32_t *out_track)
{
    uint64_t process = nsys_process_of(global_id);
    gpu_track_key key = {.kind = NSYS_TRACK_PROCESS, .a = process};
    char text[GPU_PART_NAME_BYTES];
    tacho_str name = TACHO_STR("process");
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    const uint64_t *row = tacho_number_map_find(&reader->process_rows, process << LOW_BITS);
    TACHO_TRY(find_row_name(&reader->processes, row, &name));
    uint64_t pid = process & LOW_MASK;
    size_t len = print_numbered(text, sizeof(text), name, pid);
    tacho_track facts = {.parent = TACHO_NONE,
                         .track_class = TACHO_TRACK_GROUP,
                         .number = (int64_t)pid,
                         .has_number = true,
                         .is_numbered = true};
    return gpu_part_add_track(&reader->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, len), TACHO_STR("")}, out_track);
}

tacho_status nsys_find_thread(nsys_reader *reader, int64_t global_id, uint32_t *out_track)
{
    gpu_track_key key = {.kind = NSYS_TRACK_THREAD, .a = (uint64_t)global_id};
    char text[GPU_PART_NAME_BYTES];
    uint32_t parent = TACHO_NONE;
    uint32_t string = 0;
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    const uint64_t *name_id = tacho_number_map_find(&reader->thread_names, (uint64_t)global_id);
    if (name_id != NULL) {
        TACHO_TRY(nsys_find_text(reader, (int64_t)*name_id, &string));
    }
    TACHO_TRY(find_process(reader, global_id, &parent));
    tacho_str name = tacho_dict_string(reader->gpu.dict, string);
    uint64_t tid = (uint64_t)global_id & LOW_MASK;
    size_t len = print_numbered(text, sizeof(text), name.len > 0 ? name : TACHO_STR("thread"), tid);
    tacho_track facts = {.parent = parent,
                         .track_class = TACHO_TRACK_HOST,
                         .number = (int64_t)tid,
                         .has_number = true,
                         .is_numbered = true};
    return gpu_part_add_track(&reader->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, len), TACHO_STR("")}, out_track);
}

tacho_status nsys_find_extra(nsys_reader *reader, int64_t global_id, nsys_track_kind kind,
                             uint32_t *out_track)
{
    gpu_track_key key = {.kind = kind, .a = nsys_process_of(global_id)};
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track facts = {.track_class = TACHO_TRACK_HOST, .is_free = kind == NSYS_TRACK_RANGES};
    TACHO_TRY(find_process(reader, global_id, &facts.parent));
    tacho_str name = kind == NSYS_TRACK_RANGES ? TACHO_STR("NVTX ranges across threads")
                                               : TACHO_STR("profiler overhead");
    return gpu_part_add_track(&reader->gpu, key, facts, (gpu_part_name){name, TACHO_STR("")},
                              out_track);
}

/* ---- devices -------------------------------------------------------------------------------- */

int64_t nsys_find_gpu_number(const nsys_reader *reader, int64_t process, int64_t device)
{
    uint64_t pid = nsys_process_of(process) & LOW_MASK;
    const uint64_t *gpu =
        tacho_number_map_find(&reader->device_gpus, device_key((int64_t)pid, device));
    return gpu != NULL ? (int64_t)*gpu : device;
}

tacho_status nsys_find_gpu(nsys_reader *reader, int64_t gpu, uint32_t *out_track)
{
    gpu_track_key key = {.kind = NSYS_TRACK_GPU, .a = (uint64_t)gpu};
    char text[GPU_PART_NAME_BYTES];
    char fact[40];
    tacho_str name = TACHO_STR("");
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    const uint64_t *row = tacho_number_map_find(&reader->gpu_rows, (uint64_t)gpu);
    TACHO_TRY(find_row_name(&reader->gpus, row, &name));
    int len = snprintf(text, sizeof(text), "GPU %" PRId64 "%s%.*s", gpu, name.len > 0 ? ": " : "",
                       name.len < 100 ? (int)name.len : 100, name.data);
    if (name.len > 0) {
        snprintf(fact, sizeof(fact), "device.%" PRId64 ".name", gpu);
        TACHO_TRY(tacho_dict_add_metadata(reader->gpu.dict, fact, name));
    }
    tacho_track facts = {.parent = TACHO_NONE,
                         .track_class = TACHO_TRACK_GROUP,
                         .index = gpu >= 0 && gpu < UINT32_MAX ? (uint32_t)gpu : 0};
    return gpu_part_add_track(&reader->gpu, key, facts,
                              (gpu_part_name){tacho_str_make(text, (size_t)len), TACHO_STR("")},
                              out_track);
}

/* Makes the track of |place| in the group |facts.parent|. */
static tacho_status add_place(nsys_reader *reader, gpu_track_key key, const nsys_place *place,
                              tacho_track facts, uint32_t *out_track)
{
    char text[60];
    char other[80];
    const char *ahead = key.kind == NSYS_TRACK_WAITS ? "waits for " : "";
    bool has_stream = place->stream >= 0 && place->stream < UINT32_MAX;
    facts.nesting = TACHO_NESTING_ENGINE;
    facts.index = has_stream ? (uint32_t)place->stream : 0;
    if (has_stream) {
        snprintf(text, sizeof(text), "%sstream %" PRId64, ahead, place->stream);
    } else {
        snprintf(text, sizeof(text), "%sall streams", ahead);
    }
    snprintf(other, sizeof(other), ", process %" PRIu64 ", context %" PRId64,
             nsys_process_of(place->process) & LOW_MASK, place->context);
    gpu_part_name name = {tacho_str_from_cstring(text), tacho_str_from_cstring(other)};
    return gpu_part_add_track(&reader->gpu, key, facts, name, out_track);
}

/* Identifies the context of a process. */
static uint64_t owner_of(const nsys_place *place)
{
    return nsys_process_of(place->process) << 16 | ((uint64_t)place->context & 0xffff);
}

tacho_status nsys_find_stream(nsys_reader *reader, const nsys_place *place, uint32_t *out_track)
{
    int64_t gpu = nsys_find_gpu_number(reader, place->process, place->device);
    gpu_track_key key = {NSYS_TRACK_STREAM, (uint64_t)gpu, owner_of(place),
                         (uint64_t)place->stream};
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track facts = {.track_class = TACHO_TRACK_COMPUTE};
    TACHO_TRY(nsys_find_gpu(reader, gpu, &facts.parent));
    return add_place(reader, key, place, facts, out_track);
}

tacho_status nsys_find_waits(nsys_reader *reader, const nsys_place *place, uint32_t *out_track)
{
    gpu_track_key key = {NSYS_TRACK_WAITS, 0, owner_of(place), (uint64_t)place->stream};
    *out_track = gpu_part_find_track(&reader->gpu, key);
    if (*out_track != TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_track facts = {.track_class = TACHO_TRACK_SYNC};
    TACHO_TRY(find_process(reader, place->process, &facts.parent));
    return add_place(reader, key, place, facts, out_track);
}
