/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CSV files of rocprofv3: kernels, calls of an API, copies, allocations, and counters of kernels.
 * Columns are found by name, since releases differ in order and number; "Agent 4" and 4 are the
 * same agent. Each file is a part of its own, so calls and kernels are not joined here.
 */
#include "base/grow.h"
#include "codec/csv.h"
#include "sources/rocm/rocm.h"
#include "sources/rocm/rocm_tracks.h"

#include <stdlib.h>

#define COLUMNS(X)                                                                                 \
    X(KIND, "Kind")                                                                                \
    X(DOMAIN, "Domain")                                                                            \
    X(FUNCTION, "Function")                                                                        \
    X(DIRECTION, "Direction")                                                                      \
    X(OPERATION, "Operation")                                                                      \
    X(AGENT, "Agent_Id")                                                                           \
    X(FROM, "Source_Agent_Id")                                                                     \
    X(TO, "Destination_Agent_Id")                                                                  \
    X(QUEUE, "Queue_Id")                                                                           \
    X(STREAM, "Stream_Id")                                                                         \
    X(PROCESS, "Process_Id")                                                                       \
    X(THREAD, "Thread_Id")                                                                         \
    X(DISPATCH, "Dispatch_Id")                                                                     \
    X(KERNEL, "Kernel_Name")                                                                       \
    X(CORRELATION, "Correlation_Id")                                                               \
    X(START, "Start_Timestamp")                                                                    \
    X(END, "End_Timestamp")                                                                        \
    X(LDS, "LDS_Block_Size")                                                                       \
    X(GROUP_SEGMENT, "Group_Segment_Size")                                                         \
    X(SCRATCH, "Scratch_Size")                                                                     \
    X(PRIVATE_SEGMENT, "Private_Segment_Size")                                                     \
    X(VGPR, "VGPR_Count")                                                                          \
    X(ACCUM_VGPR, "Accum_VGPR_Count")                                                              \
    X(SGPR, "SGPR_Count")                                                                          \
    X(WORKGROUP_X, "Workgroup_Size_X")                                                             \
    X(WORKGROUP_Y, "Workgroup_Size_Y")                                                             \
    X(WORKGROUP_Z, "Workgroup_Size_Z")                                                             \
    X(GRID_X, "Grid_Size_X")                                                                       \
    X(GRID_Y, "Grid_Size_Y")                                                                       \
    X(GRID_Z, "Grid_Size_Z")                                                                       \
    X(BYTES, "Allocation_Size")                                                                    \
    X(ADDRESS, "Address")                                                                          \
    X(COUNTER, "Counter_Name")                                                                     \
    X(VALUE, "Counter_Value")

typedef enum csv_column {
#define COLUMN_ENUM(name, text) COLUMN_##name,
    COLUMNS(COLUMN_ENUM)
#undef COLUMN_ENUM
        COLUMN_COUNT,
} csv_column;

enum { COLUMN_ABSENT = -1, FIELDS_MAX = 64 };

typedef struct csv_reader {
    rocm_part rocm;
    int places[COLUMN_COUNT]; /* of columns in a row */
    tacho_csv_record row;
    tacho_number_map dispatches; /* of a file of counters: those that have a span */
} csv_reader;

/* ---- columns -------------------------------------------------------------------------------- */

static tacho_str field(const csv_reader *reader, csv_column column)
{
    int place = reader->places[column];
    bool is_there = place != COLUMN_ABSENT && (size_t)place < reader->row.field_count;
    return is_there ? tacho_str_trim(reader->row.fields[place]) : TACHO_STR("");
}

/* The number of a field, "4" or "Agent 4"; |absent| where there is none. */
static int64_t number(const csv_reader *reader, csv_column column, int64_t absent)
{
    tacho_str text = field(reader, column);
    uint64_t value = 0;
    size_t at = tacho_str_find_byte(text, ' ');
    text = at < text.len ? tacho_str_from(text, at + 1) : text;
    bool is_hex = tacho_str_starts_with(text, TACHO_STR("0x"));
    bool is_good = is_hex ? tacho_str_parse_hex(tacho_str_from(text, 2), &value)
                          : tacho_str_parse_u64(text, &value);
    return is_good && value <= INT64_MAX ? (int64_t)value : absent;
}

static void find_columns(csv_reader *reader)
{
    static const char *const names[] = {
#define COLUMN_NAME(name, text) text,
        COLUMNS(COLUMN_NAME)
#undef COLUMN_NAME
    };
    for (size_t i = 0; i < COLUMN_COUNT; i++) {
        reader->places[i] = COLUMN_ABSENT;
        for (size_t k = 0; k < reader->row.field_count && k < FIELDS_MAX; k++) {
            if (tacho_str_equal(tacho_str_trim(reader->row.fields[k]),
                                tacho_str_from_cstring(names[i]))) {
                reader->places[i] = (int)k;
            }
        }
    }
}

static bool has(const csv_reader *reader, csv_column column)
{
    return reader->places[column] != COLUMN_ABSENT;
}

/* ---- rows ----------------------------------------------------------------------------------- */

static rocm_agent agent_of(const csv_reader *reader, csv_column column)
{
    int64_t id = number(reader, column, -1);
    return (rocm_agent){.id = id, .number = id};
}

static void add_number(csv_reader *reader, csv_column column, rocm_word key, tacho_unit unit)
{
    if (field(reader, column).len > 0) {
        gpu_part_add_number(&reader->rocm.gpu, reader->rocm.words[key], unit,
                            number(reader, column, 0));
    }
}

static tacho_status add_kernel_args(csv_reader *reader)
{
    int64_t grid[3];
    int64_t workgroup[3];
    for (size_t i = 0; i < 3; i++) {
        grid[i] = number(reader, COLUMN_GRID_X + (csv_column)i, 0);
        workgroup[i] = number(reader, COLUMN_WORKGROUP_X + (csv_column)i, 0);
    }
    if (has(reader, COLUMN_GRID_X)) {
        TACHO_TRY(rocm_add_shape(&reader->rocm, grid, workgroup));
    }
    add_number(reader, COLUMN_LDS, ROCM_LDS, TACHO_UNIT_BYTES);
    add_number(reader, COLUMN_GROUP_SEGMENT, ROCM_LDS, TACHO_UNIT_BYTES);
    add_number(reader, COLUMN_SCRATCH, ROCM_SCRATCH, TACHO_UNIT_BYTES);
    add_number(reader, COLUMN_PRIVATE_SEGMENT, ROCM_SCRATCH, TACHO_UNIT_BYTES);
    add_number(reader, COLUMN_VGPR, ROCM_VGPR, TACHO_UNIT_COUNT);
    add_number(reader, COLUMN_ACCUM_VGPR, ROCM_ACCUM_VGPR, TACHO_UNIT_COUNT);
    add_number(reader, COLUMN_SGPR, ROCM_SGPR, TACHO_UNIT_COUNT);
    add_number(reader, COLUMN_STREAM, ROCM_STREAM, TACHO_UNIT_NONE);
    add_number(reader, COLUMN_CORRELATION, ROCM_CORRELATION, TACHO_UNIT_NONE);
    return TACHO_OK;
}

/* A value of a counter while a kernel ran: a sample at its start. */
static tacho_status take_counter(csv_reader *reader, const rocm_agent *agent, int64_t start)
{
    char text[64];
    char *end = NULL;
    tacho_str value = field(reader, COLUMN_VALUE);
    size_t len = value.len < sizeof(text) - 1 ? value.len : sizeof(text) - 1;
    memcpy(text, value.data, len);
    text[len] = '\0';
    double real = strtod(text, &end);
    return end == text ? gpu_part_lose(&reader->rocm.gpu, TACHO_LOSS_NOT_A_NUMBER, 1, value)
                       : rocm_push_counter(&reader->rocm, agent, field(reader, COLUMN_COUNTER),
                                           start, real);
}

/* A kernel. A file of counters has a row for each counter of it. */
static tacho_status take_kernel(csv_reader *reader, gpu_part_span *span)
{
    rocm_agent agent = agent_of(reader, COLUMN_AGENT);
    if (has(reader, COLUMN_COUNTER)) {
        uint64_t process = (uint64_t)number(reader, COLUMN_PROCESS, 0);
        uint64_t key = process << 40 ^ (uint64_t)number(reader, COLUMN_DISPATCH, 0);
        bool is_known = tacho_number_map_find(&reader->dispatches, key) != NULL;
        TACHO_TRY(take_counter(reader, &agent, span->start));
        TACHO_TRY(tacho_number_map_set(&reader->dispatches, key, 1));
        if (is_known) {
            return TACHO_OK;
        }
    }
    TACHO_TRY(
        tacho_dict_ensure_string(reader->rocm.gpu.dict, field(reader, COLUMN_KERNEL), &span->name));
    TACHO_TRY(
        rocm_find_queue(&reader->rocm, &agent, number(reader, COLUMN_QUEUE, 0), &span->track));
    TACHO_TRY(add_kernel_args(reader));
    span->category = reader->rocm.words[ROCM_KERNEL];
    return gpu_part_push(&reader->rocm.gpu, span);
}

static tacho_status take_call(csv_reader *reader, gpu_part_span *span)
{
    rocm_thread thread = {.process = number(reader, COLUMN_PROCESS, -1),
                          .thread = number(reader, COLUMN_THREAD, 0)};
    rocm_word word = rocm_word_of_domain(field(reader, COLUMN_DOMAIN));
    span->category = reader->rocm.words[word];
    span->flags = word == ROCM_MARKER && span->start == span->end ? TACHO_SPAN_INSTANT : 0;
    TACHO_TRY(tacho_dict_ensure_string(reader->rocm.gpu.dict, field(reader, COLUMN_FUNCTION),
                                       &span->name));
    TACHO_TRY(rocm_find_thread(&reader->rocm, &thread, &span->track));
    add_number(reader, COLUMN_CORRELATION, ROCM_CORRELATION, TACHO_UNIT_NONE);
    return gpu_part_push(&reader->rocm.gpu, span);
}

static tacho_status take_copy(csv_reader *reader, gpu_part_span *span)
{
    rocm_way way = rocm_way_of(field(reader, COLUMN_DIRECTION));
    rocm_agent agent = agent_of(reader, way == ROCM_WAY_DEVICE_TO_HOST ? COLUMN_FROM : COLUMN_TO);
    add_number(reader, COLUMN_CORRELATION, ROCM_CORRELATION, TACHO_UNIT_NONE);
    return rocm_push_copy(&reader->rocm, &agent, way, span);
}

/* Memory and scratch memory: a call, and with an address a change of what is allocated. */
static tacho_status take_allocation(csv_reader *reader, gpu_part_span *span)
{
    rocm_agent agent = agent_of(reader, COLUMN_AGENT);
    tacho_str operation = field(reader, COLUMN_OPERATION);
    rocm_thread thread = {.process = -1, .thread = number(reader, COLUMN_THREAD, 0)};
    if (has(reader, COLUMN_ADDRESS)) {
        rocm_allocation allocation = {
            .time = span->start,
            .address = (uint64_t)number(reader, COLUMN_ADDRESS, 0),
            .bytes = (uint64_t)number(reader, COLUMN_BYTES, 0),
            .is_free = tacho_str_ends_with(operation, TACHO_STR("FREE")),
        };
        TACHO_TRY(rocm_push_allocation(&reader->rocm, &agent, &allocation));
    }
    add_number(reader, COLUMN_BYTES, ROCM_BYTES, TACHO_UNIT_BYTES);
    span->category = reader->rocm.words[ROCM_MEMORY];
    TACHO_TRY(tacho_dict_ensure_string(reader->rocm.gpu.dict, operation, &span->name));
    TACHO_TRY(rocm_find_thread(&reader->rocm, &thread, &span->track));
    return gpu_part_push(&reader->rocm.gpu, span);
}

static tacho_status take_row(csv_reader *reader, tacho_str line)
{
    gpu_part_span span = {.start = number(reader, COLUMN_START, -1),
                          .end = number(reader, COLUMN_END, -1)};
    if (!has(reader, COLUMN_START)) {
        return gpu_part_lose(&reader->rocm.gpu, TACHO_LOSS_MISSING_FIELD, 1, line);
    }
    if (span.start < 0 || span.end < 0) {
        return gpu_part_lose(&reader->rocm.gpu, TACHO_LOSS_NOT_A_NUMBER, 1, line);
    }
    if (has(reader, COLUMN_FUNCTION)) {
        return take_call(reader, &span);
    }
    if (has(reader, COLUMN_DIRECTION)) {
        return take_copy(reader, &span);
    }
    return has(reader, COLUMN_KERNEL) ? take_kernel(reader, &span) : take_allocation(reader, &span);
}

/* ---- the file ------------------------------------------------------------------------------- */

/* Splits |line|; false for one whose quotes are wrong. */
static tacho_status split(csv_reader *reader, tacho_str line, tacho_arena *scratch, bool *out_good)
{
    tacho_status status = tacho_csv_read_quoted(line, ',', scratch, &reader->row);
    *out_good = status == TACHO_OK;
    return tacho_status_forgive_data(status);
}

static tacho_status read_rows(csv_reader *reader, tacho_input *input, tacho_arena *scratch)
{
    tacho_str line;
    bool has_line = false;
    size_t field_count = reader->row.field_count;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    while (has_line) {
        bool is_good = false;
        reader->rocm.gpu.line = input->line_number;
        TACHO_TRY(split(reader, line, scratch, &is_good));
        if (tacho_str_trim(line).len == 0) {
            /* between tables that were written one after the other */
        } else if (!is_good || reader->row.field_count != field_count) {
            TACHO_TRY(gpu_part_lose(&reader->rocm.gpu, TACHO_LOSS_FIELD_COUNT, 1, line));
        } else {
            TACHO_TRY(take_row(reader, line));
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
    bool is_good = false;
    TACHO_TRY(tacho_input_line(reading->input, &line, &has_line));
    TACHO_TRY(split(reader, line, scratch, &is_good));
    if (!has_line || !is_good) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s:1: not a table of rocprofv3",
                          reading->input->name);
    }
    find_columns(reader);
    if (!has(reader, COLUMN_START)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:1: no column Start_Timestamp; counters of 2024 have no times, record "
                          "them with ROCm 6.3 or later",
                          reading->input->name);
    }
    TACHO_TRY(rocm_part_init(&reader->rocm, reading, tacho_source_rocprof_csv.name,
                             has(reader, COLUMN_COUNTER) ? TACHO_STR("counters") : TACHO_STR("")));
    TACHO_TRY(read_rows(reader, reading->input, scratch));
    return gpu_part_finish(&reader->rocm.gpu, reading->input, tacho_input_damage(reading->input));
}

static tacho_status rocprof_csv_read(const tacho_reading *reading)
{
    tacho_arena scratch;
    csv_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&scratch);
    tacho_status status = read_file(reader, reading, &scratch);
    tacho_arena_deinit(&scratch);
    tacho_number_map_deinit(&reader->dispatches);
    rocm_part_deinit(&reader->rocm);
    free(reader);
    return status;
}

static tacho_probe_verdict rocprof_csv_probe(tacho_str head)
{
    static const char *const needs[][2] = {{"\"Kind\"", "\"Start_Timestamp\""},
                                           {"\"Domain\"", "\"Function\""},
                                           {"\"Dispatch_Id\"", "\"Counter_Name\""}};
    tacho_str line = tacho_str_make(head.data, tacho_str_find_byte(head, '\n'));
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (line.len > 0 && line.data[0] == '"' &&
            tacho_str_contains(line, tacho_str_from_cstring(needs[i][0])) &&
            tacho_str_contains(line, tacho_str_from_cstring(needs[i][1]))) {
            return TACHO_PROBE_SURE;
        }
    }
    return TACHO_PROBE_NO;
}

const tacho_source tacho_source_rocprof_csv = {
    .name = "rocprof-csv",
    .title = "ROCm: CSV of rocprofv3: kernels, calls, copies, allocations, counters",
    .probe = rocprof_csv_probe,
    .read = rocprof_csv_read,
};
