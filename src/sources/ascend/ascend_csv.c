/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op_summary_*.csv of msprof and kernel_details.csv of torch_npu: an operator a row, with its start
 * in microseconds since 1970 and decimals, which are read exactly. Releases call columns
 * differently; a name of several is looked for.
 */
#include "codec/csv.h"
#include "codec/json_number.h"
#include "sources/ascend/ascend.h"
#include "sources/ascend/ascend_tracks.h"

#include <stdlib.h>

enum { NAMES = 3, DECIMALS_OF_US = 3 };

typedef enum csv_column {
    COLUMN_DEVICE,
    COLUMN_STREAM,
    COLUMN_NAME,
    COLUMN_TYPE,
    COLUMN_TASK_TYPE,
    COLUMN_START,
    COLUMN_DURATION,
    COLUMN_SHAPES,
    COLUMN_COUNT,
} csv_column;

static const char *const columns[COLUMN_COUNT][NAMES] = {
    [COLUMN_DEVICE] = {"Device_id", "Device ID"},
    [COLUMN_STREAM] = {"Stream ID", "Stream Id"},
    [COLUMN_NAME] = {"Op Name", "Name"},
    [COLUMN_TYPE] = {"OP Type", "Type", "Op Type"},
    [COLUMN_TASK_TYPE] = {"Task Type", "Accelerator Core"},
    [COLUMN_START] = {"Task Start Time(us)", "Start Time(us)"},
    [COLUMN_DURATION] = {"Task Duration(us)", "Duration(us)"},
    [COLUMN_SHAPES] = {"Input Shapes"},
};

typedef struct csv_reader {
    ascend_part part;
    size_t places[COLUMN_COUNT]; /* SIZE_MAX: not there */
    tacho_csv_record row;
} csv_reader;

static bool is_column(tacho_str field, csv_column column)
{
    for (size_t i = 0; i < NAMES && columns[column][i] != NULL; i++) {
        if (tacho_str_equal(field, tacho_str_from_cstring(columns[column][i]))) {
            return true;
        }
    }
    return false;
}

static tacho_str field(const csv_reader *reader, csv_column column)
{
    size_t place = reader->places[column];
    return place < reader->row.field_count ? tacho_str_trim(reader->row.fields[place])
                                           : TACHO_STR("");
}

static int64_t number(const csv_reader *reader, csv_column column)
{
    uint64_t value = 0;
    bool is_good = tacho_str_parse_u64(field(reader, column), &value) && value <= INT64_MAX;
    return is_good ? (int64_t)value : 0;
}

static tacho_status add_text(csv_reader *reader, csv_column column, ascend_word key)
{
    uint32_t string = 0;
    tacho_str text = field(reader, column);
    if (text.len == 0 || tacho_str_equal(text, TACHO_STR("N/A"))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_ensure_string(reader->part.gpu.dict, text, &string));
    gpu_part_add_string(&reader->part.gpu, reader->part.words[key], string);
    return TACHO_OK;
}

static tacho_status take_row(csv_reader *reader, tacho_str line)
{
    gpu_part_span span = {.start = 0};
    int64_t duration = 0;
    ascend_word category = ASCEND_KERNEL;
    if (!tacho_json_number_scaled(field(reader, COLUMN_START), DECIMALS_OF_US, &span.start) ||
        !tacho_json_number_scaled(field(reader, COLUMN_DURATION), DECIMALS_OF_US, &duration) ||
        __builtin_add_overflow(span.start, duration, &span.end)) {
        return gpu_part_lose(&reader->part.gpu, TACHO_LOSS_NOT_A_NUMBER, 1, line);
    }
    ascend_row place = ascend_row_of(field(reader, COLUMN_TASK_TYPE), &category);
    span.category = reader->part.words[category];
    TACHO_TRY(
        tacho_dict_ensure_string(reader->part.gpu.dict, field(reader, COLUMN_NAME), &span.name));
    TACHO_TRY(add_text(reader, COLUMN_TYPE, ASCEND_OP_TYPE));
    TACHO_TRY(add_text(reader, COLUMN_TASK_TYPE, ASCEND_TASK_TYPE));
    TACHO_TRY(add_text(reader, COLUMN_SHAPES, ASCEND_SHAPES));
    TACHO_TRY(ascend_find_row(&reader->part, place, number(reader, COLUMN_DEVICE),
                              number(reader, COLUMN_STREAM), &span.track));
    return gpu_part_push(&reader->part.gpu, &span);
}

static void find_columns(csv_reader *reader)
{
    for (size_t column = 0; column < COLUMN_COUNT; column++) {
        reader->places[column] = SIZE_MAX;
        for (size_t i = reader->row.field_count; i-- > 0;) {
            if (is_column(tacho_str_trim(reader->row.fields[i]), (csv_column)column)) {
                reader->places[column] = i;
            }
        }
    }
}

static tacho_status read_rows(csv_reader *reader, tacho_input *input, tacho_arena *scratch)
{
    tacho_str line;
    bool has_line = false;
    size_t field_count = reader->row.field_count;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    while (has_line) {
        reader->part.gpu.line = input->line_number;
        tacho_status status = tacho_csv_read_quoted(line, ',', scratch, &reader->row);
        bool is_good = status == TACHO_OK && reader->row.field_count >= field_count;
        TACHO_TRY(tacho_status_forgive_data(status));
        if (tacho_str_trim(line).len > 0) {
            TACHO_TRY(is_good ? take_row(reader, line)
                              : gpu_part_lose(&reader->part.gpu, TACHO_LOSS_FIELD_COUNT, 1, line));
        }
        tacho_arena_reset(scratch);
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
    }
    return TACHO_OK;
}

static tacho_status read_file(csv_reader *reader, const tacho_reading *reading,
                              tacho_arena *scratch)
{
    tacho_str line;
    bool has_line = false;
    TACHO_TRY(tacho_input_line(reading->input, &line, &has_line));
    tacho_status status = tacho_csv_read_quoted(line, ',', scratch, &reader->row);
    bool is_good = status == TACHO_OK;
    TACHO_TRY(tacho_status_forgive_data(status));
    find_columns(reader);
    if (!is_good || reader->places[COLUMN_START] == SIZE_MAX ||
        reader->places[COLUMN_DURATION] == SIZE_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s:1: not a table of operators of an Ascend NPU",
                          reading->input->name);
    }
    TACHO_TRY(
        ascend_part_init(&reader->part, reading, tacho_source_ascend_csv.name, TACHO_STR("")));
    TACHO_TRY(read_rows(reader, reading->input, scratch));
    return gpu_part_finish(&reader->part.gpu, reading->input, tacho_input_damage(reading->input));
}

static tacho_status ascend_csv_read(const tacho_reading *reading)
{
    tacho_arena scratch;
    csv_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&scratch);
    tacho_status status = read_file(reader, reading, &scratch);
    tacho_arena_deinit(&scratch);
    gpu_part_deinit(&reader->part.gpu);
    free(reader);
    return status;
}

static tacho_probe_verdict ascend_csv_probe(tacho_str head)
{
    tacho_str line = tacho_str_make(head.data, tacho_str_find_byte(head, '\n'));
    bool is_msprof = tacho_str_contains(line, TACHO_STR("Task Duration(us)")) &&
                     tacho_str_contains(line, TACHO_STR("Op Name"));
    bool is_torch = tacho_str_contains(line, TACHO_STR("Accelerator Core")) &&
                    tacho_str_contains(line, TACHO_STR("Duration(us)")) &&
                    tacho_str_contains(line, TACHO_STR("Start Time(us)"));
    return is_msprof || is_torch ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

const tacho_source tacho_source_ascend_csv = {
    .name = "ascend-csv",
    .title = "Ascend: op_summary of msprof, kernel_details of torch_npu",
    .probe = ascend_csv_probe,
    .read = ascend_csv_read,
};
