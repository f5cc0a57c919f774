/* SPDX-License-Identifier: Apache-2.0 */
/*
 * msprof_*.db and ascend_pytorch_profiler_*.db. Tasks are joined to their operators by
 * globalTaskId, calls to tasks by connectionId. Times are nanoseconds since 1970.
 */
#include "sources/ascend/ascend.h"
#include "sources/ascend/ascend_tracks.h"
#include "sources/table_sweep.h"

#include <stdlib.h>

typedef struct ascend_reader {
    ascend_part part;
    tacho_sqlite_file *file;
    tacho_sqlite_scan strings, operators; /* places in STRING_IDS and COMPUTE_TASK_INFO */
    tacho_number_map string_rows;         /* id to row */
    tacho_number_map operator_rows;       /* globalTaskId to row */
    tacho_number_map texts;               /* id to string of the dictionary */
} ascend_reader;

/* ---- names ---------------------------------------------------------------------------------- */

/* Fills |map| from the integers of a column to the numbers of their rows. */
static tacho_status read_rows(ascend_reader *reader, const char *table, const char *column,
                              tacho_number_map *map)
{
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, tacho_str_from_cstring(table), &column, 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        int64_t key = 0;
        if (tacho_sqlite_int(&scan, 0, &key)) {
            status = tacho_number_map_set(map, (uint64_t)key, (uint64_t)scan.row_id);
        }
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

static tacho_status open_names(ascend_reader *reader)
{
    static const char *const string_columns[] = {"value"};
    static const char *const operator_columns[] = {"name", "opType", "inputShapes"};
    TACHO_TRY(read_rows(reader, "STRING_IDS", "id", &reader->string_rows));
    TACHO_TRY(read_rows(reader, "COMPUTE_TASK_INFO", "globalTaskId", &reader->operator_rows));
    TACHO_TRY(tacho_sqlite_begin_seek(reader->file, TACHO_STR("STRING_IDS"), string_columns, 1,
                                      &reader->strings));
    return tacho_sqlite_begin_seek(reader->file, TACHO_STR("COMPUTE_TASK_INFO"), operator_columns,
                                   3, &reader->operators);
}

/* The text of the id in |column|, a string of the dictionary; 0 where there is none. */
static tacho_status find_text(ascend_reader *reader, const tacho_sqlite_scan *row, size_t column,
                              uint32_t *out_string)
{
    int64_t id = 0;
    tacho_str text;
    *out_string = 0;
    if (!tacho_sqlite_int(row, column, &id)) {
        return TACHO_OK;
    }
    const uint64_t *known = tacho_number_map_find(&reader->texts, (uint64_t)id);
    const uint64_t *place = tacho_number_map_find(&reader->string_rows, (uint64_t)id);
    if (known != NULL || place == NULL) {
        *out_string = known != NULL ? (uint32_t)*known : 0;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_sqlite_seek(&reader->strings, (int64_t)*place));
    if (reader->strings.has_row && tacho_sqlite_text(&reader->strings, 0, &text)) {
        TACHO_TRY(tacho_dict_ensure_string(reader->part.gpu.dict, text, out_string));
    }
    return tacho_number_map_set(&reader->texts, (uint64_t)id, *out_string);
}

/* ---- tables --------------------------------------------------------------------------------- */

enum { START, END };
enum { TASK_DEVICE = 2, TASK_STREAM, TASK_CONNECTION, TASK_ID, TASK_TYPE };

/* Sets the name of a task, and adds its operator's facts. */
static tacho_status describe(ascend_reader *reader, const tacho_sqlite_scan *row, uint32_t type,
                             uint32_t *out_name)
{
    const uint64_t *place = tacho_number_map_find(&reader->operator_rows,
                                                  (uint64_t)tacho_sqlite_int_or(row, TASK_ID, -1));
    gpu_part *gpu = &reader->part.gpu;
    uint32_t op_type = 0;
    uint32_t shapes = 0;
    *out_name = 0;
    if (place != NULL) {
        TACHO_TRY(tacho_sqlite_seek(&reader->operators, (int64_t)*place));
    }
    if (place != NULL && reader->operators.has_row) {
        TACHO_TRY(find_text(reader, &reader->operators, 0, out_name));
        TACHO_TRY(find_text(reader, &reader->operators, 1, &op_type));
        TACHO_TRY(find_text(reader, &reader->operators, 2, &shapes));
        gpu_part_add_string(gpu, reader->part.words[ASCEND_OP_TYPE], op_type);
        gpu_part_add_string(gpu, reader->part.words[ASCEND_SHAPES], shapes);
        gpu_part_add_string(gpu, reader->part.words[ASCEND_TASK_TYPE], type);
    }
    *out_name = *out_name == 0 ? type : *out_name;
    return *out_name == 0 ? gpu_part_string(gpu, "task", out_name) : TACHO_OK;
}

static tacho_status take_task(ascend_reader *reader, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    uint32_t type = 0;
    ascend_word category = ASCEND_KERNEL;
    int64_t connection = tacho_sqlite_int_or(row, TASK_CONNECTION, 0);
    gpu_part_span span = {.start = stream->start,
                          .end = stream->end,
                          .launch = {.number = connection > 0 ? (uint64_t)connection : 0}};
    TACHO_TRY(find_text(reader, row, TASK_TYPE, &type));
    ascend_row place = ascend_row_of(tacho_dict_string(reader->part.gpu.dict, type), &category);
    TACHO_TRY(describe(reader, row, type, &span.name));
    span.category = reader->part.words[category];
    if (place == ASCEND_ROW_EVENTS) {
        span.launch.number = 0;
    }
    TACHO_TRY(ascend_find_row(&reader->part, place, tacho_sqlite_int_or(row, TASK_DEVICE, 0),
                              tacho_sqlite_int_or(row, TASK_STREAM, 0), &span.track));
    return gpu_part_push(&reader->part.gpu, &span);
}

enum { CALL_NAME = 2, CALL_THREAD, CALL_CONNECTION };

static tacho_status take_call(ascend_reader *reader, const table_stream *stream)
{
    enum { THREAD_BITS = 32 };
    const tacho_sqlite_scan *row = &stream->scan;
    int64_t connection = tacho_sqlite_int_or(row, CALL_CONNECTION, 0);
    uint64_t thread = (uint64_t)tacho_sqlite_int_or(row, CALL_THREAD, 0);
    gpu_part_span span = {
        .start = stream->start, .end = stream->end, .category = reader->part.words[ASCEND_CALL]};
    TACHO_TRY(find_text(reader, row, CALL_NAME, &span.name));
    if (connection > 0) {
        span.launch = (gpu_part_launch){.number = (uint64_t)connection, .is_call = true};
    }
    TACHO_TRY(ascend_find_thread(&reader->part, (int64_t)(thread >> THREAD_BITS),
                                 (int64_t)(thread & UINT32_MAX), &span.track));
    return gpu_part_push(&reader->part.gpu, &span);
}

enum { COLLECTIVE_NAME = 2, COLLECTIVE_TYPE, COLLECTIVE_DEVICE };

static tacho_status take_collective(ascend_reader *reader, const table_stream *stream)
{
    const tacho_sqlite_scan *row = &stream->scan;
    gpu_part_span span = {
        .start = stream->start, .end = stream->end, .category = reader->part.words[ASCEND_KERNEL]};
    TACHO_TRY(find_text(reader, row, COLLECTIVE_NAME, &span.name));
    TACHO_TRY(ascend_find_row(&reader->part, ASCEND_ROW_COMMUNICATION,
                              tacho_sqlite_int_or(row, COLLECTIVE_DEVICE, 0), 0, &span.track));
    return gpu_part_push(&reader->part.gpu, &span);
}

typedef struct ascend_table {
    const char *name;
    const char *columns[TACHO_SQLITE_COLUMNS_MAX];
    tacho_status (*take)(ascend_reader *reader, const table_stream *stream);
} ascend_table;

static const ascend_table tables[] = {
    {"CANN_API", {"startNs", "endNs", "name", "globalTid", "connectionId"}, take_call},
    {"COMMUNICATION_OP", {"startNs", "endNs", "opName", "opType", "deviceId"}, take_collective},
    {"TASK",
     {"startNs", "endNs", "deviceId", "streamId", "connectionId", "globalTaskId", "taskType"},
     take_task},
};

static tacho_status take_row(void *self, const table_stream *stream)
{
    const ascend_table *table = stream->kind;
    return table->take(self, stream);
}

/* ---- the source ----------------------------------------------------------------------------- */

/* Notes the calls that start tasks, for arrows. */
static tacho_status note_calls(ascend_reader *reader)
{
    static const char *const columns[] = {"connectionId"};
    tacho_sqlite_scan scan;
    TACHO_TRY(tacho_sqlite_begin(reader->file, TACHO_STR("CANN_API"), columns, 1, &scan));
    tacho_status status = tacho_sqlite_next(&scan);
    while (status == TACHO_OK && scan.has_row) {
        int64_t connection = tacho_sqlite_int_or(&scan, 0, 0);
        gpu_part_launch launch = {.number = connection > 0 ? (uint64_t)connection : 0};
        status = gpu_part_note_call(&reader->part.gpu, &launch);
        status = status == TACHO_OK ? tacho_sqlite_next(&scan) : status;
    }
    tacho_sqlite_end(&scan);
    return status;
}

static tacho_status read_events(ascend_reader *reader)
{
    table_sweep sweep = {
        .part = &reader->part.gpu, .file = reader->file, .self = reader, .take = take_row};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && status == TACHO_OK; i++) {
        table_choice choice = {tacho_str_from_cstring(tables[i].name), tables[i].columns,
                               &tables[i], NULL};
        status = table_sweep_add(&sweep, &choice);
    }
    if (status == TACHO_OK) {
        status = table_sweep_run(&sweep);
    }
    table_sweep_deinit(&sweep);
    return status;
}

static tacho_status read_file(ascend_reader *reader, const tacho_reading *reading)
{
    if (!tacho_sqlite_has_table(reader->file, TACHO_STR("STRING_IDS"))) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: not a database of msprof: no table STRING_IDS",
                          reading->input->name);
    }
    TACHO_TRY(ascend_part_init(&reader->part, reading, tacho_source_ascend_db.name, TACHO_STR("")));
    TACHO_TRY(open_names(reader));
    TACHO_TRY(note_calls(reader));
    TACHO_TRY(read_events(reader));
    const char *damage = tacho_sqlite_damage(reader->file);
    if (damage != NULL) {
        TACHO_TRY(gpu_part_lose(&reader->part.gpu, TACHO_LOSS_CUT_INPUT, 1,
                                tacho_str_from_cstring(damage)));
    }
    return tacho_events_end_part(reading->events, reader->part.gpu.part);
}

static tacho_status ascend_db_read(const tacho_reading *reading)
{
    ascend_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = tacho_sqlite_open(reading->input, &reader->file);
    if (status == TACHO_OK) {
        status = read_file(reader, reading);
    }
    tacho_sqlite_end(&reader->strings);
    tacho_sqlite_end(&reader->operators);
    tacho_number_map_deinit(&reader->string_rows);
    tacho_number_map_deinit(&reader->operator_rows);
    tacho_number_map_deinit(&reader->texts);
    gpu_part_deinit(&reader->part.gpu);
    tacho_sqlite_close(reader->file);
    free(reader);
    return status;
}

static tacho_probe_verdict ascend_db_probe(tacho_str head)
{
    bool is_it = tacho_sqlite_is_head(head) && tacho_str_contains(head, TACHO_STR("STRING_IDS")) &&
                 (tacho_str_contains(head, TACHO_STR("CANN_API")) ||
                  tacho_str_contains(head, TACHO_STR("SESSION_TIME_INFO")) ||
                  tacho_str_contains(head, TACHO_STR("COMPUTE_TASK_INFO")));
    return is_it ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_ascend_db = {
    .name = "ascend-db",
    .title = "Ascend: database of msprof or torch_npu",
    .probe = ascend_db_probe,
    .read = ascend_db_read,
};
