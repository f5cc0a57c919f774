/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generations name their columns differently; the meaning is the same.
 */
#include "sources/torq/annotated_row.h"

#include "base/grow.h"
#include "codec/csv.h"
#include "codec/json_number.h"
#include "sources/torq/torq_text.h"

#include <stdlib.h>
#include <strings.h>

enum { US_DECIMALS = 3, DELIMITER = ';' };

/* ---- header ----------------------------------------------------------------------------- */

typedef struct column_form {
    tacho_str name;
    torq_annotated_column column;
} column_form;

static const column_form forms[] = {
    {TACHO_STR_INIT("action_id"), TORQ_ANNOTATED_ACTION},
    {TACHO_STR_INIT("job_id"), TORQ_ANNOTATED_JOB},
    {TACHO_STR_INIT("nss_program_index"), TORQ_ANNOTATED_JOB},
    {TACHO_STR_INIT("NSS Program Index"), TORQ_ANNOTATED_JOB},
    {TACHO_STR_INIT("operation"), TORQ_ANNOTATED_OPERATION},
    {TACHO_STR_INIT("torq-hw Operation in program"), TORQ_ANNOTATED_OPERATION},
    {TACHO_STR_INIT("invocation_name"), TORQ_ANNOTATED_KERNELS},
    {TACHO_STR_INIT("invocation_names"), TORQ_ANNOTATED_KERNELS},
    {TACHO_STR_INIT("Invocation Name"), TORQ_ANNOTATED_KERNELS},
    {TACHO_STR_INIT("original_operator"), TORQ_ANNOTATED_OPERATORS},
    {TACHO_STR_INIT("original_operators"), TORQ_ANNOTATED_OPERATORS},
    {TACHO_STR_INIT("timestamp_start"), TORQ_ANNOTATED_START},
    {TACHO_STR_INIT("nss_program_timestamp_start"), TORQ_ANNOTATED_START},
    {TACHO_STR_INIT("NSS Program Start Timestamp [us]"), TORQ_ANNOTATED_START},
    {TACHO_STR_INIT("timestamp_end"), TORQ_ANNOTATED_END},
    {TACHO_STR_INIT("nss_program_timestamp_end"), TORQ_ANNOTATED_END},
    {TACHO_STR_INIT("NSS Program End Timestamp [us]"), TORQ_ANNOTATED_END},
    {TACHO_STR_INIT("dma_in_used_in_program"), TORQ_ANNOTATED_DMA_IN},
    {TACHO_STR_INIT("dma_out_used_in_program"), TORQ_ANNOTATED_DMA_OUT},
    {TACHO_STR_INIT("cdma_used_in_program"), TORQ_ANNOTATED_CDMA},
    {TACHO_STR_INIT("css_used_in_program"), TORQ_ANNOTATED_CSS},
    {TACHO_STR_INIT("location"), TORQ_ANNOTATED_LOCATION},
};

/*
 * Columns of engines with a used flag. Tables with a row for each inner op show use by op instead:
 * an op that starts the engine, or waits for it.
 */
static const struct {
    torq_annotated_column column;
    tacho_torq_engine engine;
    tacho_str start;
    tacho_str wait;
} used_columns[] = {
    {TORQ_ANNOTATED_DMA_IN, TACHO_TORQ_DMA_IN, TACHO_STR_INIT("torq_hw.dma_in_start"),
     TACHO_STR_INIT("torq_hw.dma_in_wait")},
    {TORQ_ANNOTATED_DMA_OUT, TACHO_TORQ_DMA_OUT, TACHO_STR_INIT("torq_hw.dma_out_start"),
     TACHO_STR_INIT("torq_hw.dma_out_wait")},
    {TORQ_ANNOTATED_CDMA, TACHO_TORQ_CDMA, TACHO_STR_INIT("torq_hw.cdma_start"),
     TACHO_STR_INIT("torq_hw.cdma_wait")},
    {TORQ_ANNOTATED_CSS, TACHO_TORQ_CSS, TACHO_STR_INIT("torq_hw.css_start"),
     TACHO_STR_INIT("torq_hw.css_wait")},
};

enum { USED_COLUMN_COUNT = sizeof(used_columns) / sizeof(used_columns[0]) };

static bool is_name(tacho_str text, tacho_str name)
{
    return text.len == name.len && strncasecmp(text.data, name.data, name.len) == 0;
}

/* Takes the text between |prefix| and |suffix|, regardless of case. */
static bool take_between(tacho_str text, tacho_str prefix, tacho_str suffix, tacho_str *out_middle)
{
    if (text.len <= prefix.len + suffix.len) {
        return false;
    }
    size_t len = text.len - prefix.len - suffix.len;
    *out_middle = tacho_str_make(text.data + prefix.len, len);
    return is_name(tacho_str_make(text.data, prefix.len), prefix) &&
           is_name(tacho_str_from(text, prefix.len + len), suffix);
}

/* The number of numbers in "0/1/2". */
static uint32_t count_numbers(tacho_str numbers)
{
    uint32_t count = 1;
    for (size_t i = 0; i < numbers.len && count < TORQ_SLICE_MAX; i++) {
        count += numbers.data[i] == '/';
    }
    return count;
}

static tacho_status add_slice(torq_annotated_header *header, tacho_str name, size_t column)
{
    tacho_str number;
    if (!take_between(name, TACHO_STR("slice_used_"), TACHO_STR("_in_program"), &number) &&
        !take_between(name, TACHO_STR("Slice "), TACHO_STR(" Used in NSS Program"), &number)) {
        return TACHO_OK;
    }
    size_t *together = &header->columns[TORQ_ANNOTATED_SLICES];
    if (tacho_str_find_byte(number, '/') < number.len) {
        if (*together == SIZE_MAX) {
            *together = column;
            header->together_count = count_numbers(number);
        }
        return TACHO_OK;
    }
    uint64_t slice = 0;
    if (number.len > TORQ_DIGITS_MAX || !tacho_str_parse_u64(number, &slice) ||
        slice >= TORQ_SLICE_MAX) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "column '%.*s': expected a slice below %d",
                          TACHO_STR_ARG(name), TORQ_SLICE_MAX);
    }
    TACHO_TRY(tacho_grow(&header->slices, &header->slice_capacity, header->slice_count + 1));
    header->slices[header->slice_count++] = (torq_annotated_slice){column, (uint32_t)slice};
    return TACHO_OK;
}

/* Adds a column by name. The first of a name counts; repeated ones are ignored. */
static tacho_status add_column(torq_annotated_header *header, tacho_str name, size_t column)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        size_t *known = &header->columns[forms[i].column];
        if (is_name(name, forms[i].name)) {
            *known = *known == SIZE_MAX ? column : *known;
        }
    }
    header->has_many_kernels =
        header->has_many_kernels || is_name(name, TACHO_STR("invocation_names"));
    return add_slice(header, name, column);
}

bool torq_annotated_has(const torq_annotated_header *header, torq_annotated_column column)
{
    return header->columns[column] != SIZE_MAX;
}

static bool is_complete(const torq_annotated_header *header)
{
    bool has_used = header->slice_count > 0 || torq_annotated_has(header, TORQ_ANNOTATED_SLICES);
    for (size_t i = 0; i < USED_COLUMN_COUNT; i++) {
        has_used = has_used || torq_annotated_has(header, used_columns[i].column);
    }
    return has_used && torq_annotated_has(header, TORQ_ANNOTATED_JOB) &&
           torq_annotated_has(header, TORQ_ANNOTATED_OPERATION) &&
           torq_annotated_has(header, TORQ_ANNOTATED_START) &&
           torq_annotated_has(header, TORQ_ANNOTATED_END);
}

static tacho_status read_names(torq_annotated_header *header, tacho_str line, tacho_arena *scratch)
{
    tacho_csv_record record;
    TACHO_TRY(tacho_csv_read_quoted(line, DELIMITER, scratch, &record));
    header->field_count = record.field_count;
    for (size_t i = 0; i < record.field_count; i++) {
        TACHO_TRY(add_column(header, tacho_str_trim(record.fields[i]), i));
    }
    return TACHO_OK;
}

tacho_status torq_annotated_header_init(torq_annotated_header *header, tacho_str line,
                                        bool *out_matches)
{
    *header = (torq_annotated_header){.field_count = 0};
    for (size_t i = 0; i < TORQ_ANNOTATED_COLUMN_COUNT; i++) {
        header->columns[i] = SIZE_MAX;
    }
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    tacho_status status = read_names(header, torq_skip_mark(line), &scratch);
    tacho_arena_deinit(&scratch);
    *out_matches = status == TACHO_OK && is_complete(header);
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        tacho_status_free(status);
        return TACHO_OK;
    }
    return status;
}

void torq_annotated_header_deinit(torq_annotated_header *header)
{
    free(header->slices);
    header->slices = NULL;
}

tacho_str torq_annotated_generation(const torq_annotated_header *header)
{
    if (!torq_annotated_has(header, TORQ_ANNOTATED_ACTION)) {
        return TACHO_STR("A0");
    }
    if (header->has_many_kernels) {
        return TACHO_STR("A3");
    }
    bool is_a2 = torq_annotated_has(header, TORQ_ANNOTATED_OPERATORS) ||
                 torq_annotated_has(header, TORQ_ANNOTATED_CDMA) ||
                 torq_annotated_has(header, TORQ_ANNOTATED_CSS);
    return is_a2 ? TACHO_STR("A2") : TACHO_STR("A1");
}

/* The newest have a row for each action, the others for each inner op. */
static bool has_inner_ops(const torq_annotated_header *header)
{
    return !header->has_many_kernels;
}

uint32_t torq_annotated_covered(const torq_annotated_header *header)
{
    uint32_t covered = TACHO_TRACK_BIT(TACHO_TRACK_CONTROL);
    if (header->slice_count > 0 || torq_annotated_has(header, TORQ_ANNOTATED_SLICES)) {
        covered |= TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE);
    }
    for (size_t i = 0; i < USED_COLUMN_COUNT; i++) {
        if (torq_annotated_has(header, used_columns[i].column) || has_inner_ops(header)) {
            covered |= TACHO_TRACK_BIT(tacho_torq_engine_class(used_columns[i].engine));
        }
    }
    if (torq_annotated_has(header, TORQ_ANNOTATED_ACTION)) {
        covered |= TACHO_TRACK_BIT(TACHO_TRACK_HOST) | TACHO_TRACK_BIT(TACHO_TRACK_HOST_COPY);
    }
    return covered;
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_str get_field(const torq_annotated_header *header, const tacho_str *fields,
                           torq_annotated_column column)
{
    size_t at = header->columns[column];
    return at == SIZE_MAX ? TACHO_STR("") : tacho_str_trim(fields[at]);
}

/* A whole number, perhaps "3.0"; -1 when it is missing or negative. */
static bool parse_id(tacho_str text, int64_t *out_id)
{
    *out_id = -1;
    if (text.len == 0) {
        return true;
    }
    bool is_id = tacho_json_number_i64(text, out_id);
    *out_id = is_id && *out_id >= 0 ? *out_id : -1;
    return is_id;
}

static tacho_loss_reason parse_time(tacho_str text, int64_t max_ticks, int64_t *out_ns)
{
    double about = 0;
    if (text.len == 0) {
        return TACHO_LOSS_MISSING_FIELD;
    }
    if (!tacho_json_number_scaled(text, US_DECIMALS, out_ns)) {
        if (!tacho_json_number_double(text, &about)) {
            return torq_diagnose_number(text);
        }
        return about < 0 ? TACHO_LOSS_NEGATIVE_TIME : TACHO_LOSS_TIME_OVERFLOW;
    }
    if (*out_ns < 0) {
        return TACHO_LOSS_NEGATIVE_TIME;
    }
    return *out_ns > max_ticks ? TACHO_LOSS_TIME_OVERFLOW : TACHO_LOSS_REASON_COUNT;
}

/* An empty flag is false. */
static bool parse_flag(tacho_str text, bool *out_flag)
{
    *out_flag = is_name(text, TACHO_STR("True")) || tacho_str_equal(text, TACHO_STR("1"));
    return *out_flag || text.len == 0 || is_name(text, TACHO_STR("False")) ||
           tacho_str_equal(text, TACHO_STR("0"));
}

static bool parse_slice(tacho_str text, uint32_t slice, torq_annotated_used *used)
{
    bool is_used = false;
    if (!parse_flag(tacho_str_trim(text), &is_used) || slice >= TORQ_SLICE_MAX) {
        return false;
    }
    used->slices[slice / 64] |= (uint64_t)is_used << (slice % 64);
    return true;
}

/* Parses "True/False": of slice 0, of slice 1 ... */
static bool parse_slices(tacho_str text, torq_annotated_used *used)
{
    for (uint32_t slice = 0; text.len > 0; slice++) {
        size_t len = tacho_str_find_byte(text, '/');
        if (!parse_slice(tacho_str_make(text.data, len), slice, used)) {
            return false;
        }
        text = tacho_str_from(text, len < text.len ? len + 1 : len);
    }
    return true;
}

static bool parse_used(const torq_annotated_header *header, const tacho_str *fields,
                       torq_annotated_used *out_used)
{
    *out_used = (torq_annotated_used){.engines = 0};
    for (size_t i = 0; i < USED_COLUMN_COUNT; i++) {
        bool is_used = false;
        if (!torq_annotated_has(header, used_columns[i].column)) {
            tacho_str operation = get_field(header, fields, TORQ_ANNOTATED_OPERATION);
            is_used = has_inner_ops(header) && (tacho_str_equal(operation, used_columns[i].start) ||
                                                tacho_str_equal(operation, used_columns[i].wait));
        } else if (!parse_flag(get_field(header, fields, used_columns[i].column), &is_used)) {
            return false;
        }
        out_used->engines |= (uint32_t)is_used << used_columns[i].engine;
    }
    for (size_t i = 0; i < header->slice_count; i++) {
        const torq_annotated_slice *slice = &header->slices[i];
        if (!parse_slice(fields[slice->column], slice->slice, out_used)) {
            return false;
        }
    }
    return parse_slices(get_field(header, fields, TORQ_ANNOTATED_SLICES), out_used);
}

static tacho_loss_reason parse_fields(const torq_annotated_header *header, const tacho_str *fields,
                                      int64_t max_ticks, torq_annotated_row *out_row)
{
    out_row->operation = get_field(header, fields, TORQ_ANNOTATED_OPERATION);
    out_row->kernels = get_field(header, fields, TORQ_ANNOTATED_KERNELS);
    out_row->operators = get_field(header, fields, TORQ_ANNOTATED_OPERATORS);
    out_row->location = get_field(header, fields, TORQ_ANNOTATED_LOCATION);
    if (!parse_id(get_field(header, fields, TORQ_ANNOTATED_ACTION), &out_row->action) ||
        !parse_id(get_field(header, fields, TORQ_ANNOTATED_JOB), &out_row->job)) {
        return TACHO_LOSS_NOT_A_NUMBER;
    }
    tacho_str start = get_field(header, fields, TORQ_ANNOTATED_START);
    tacho_str end = get_field(header, fields, TORQ_ANNOTATED_END);
    out_row->has_time = start.len > 0 || end.len > 0;
    if (!out_row->has_time) {
        return TACHO_LOSS_REASON_COUNT;
    }
    tacho_loss_reason loss = parse_time(start, max_ticks, &out_row->start);
    if (loss == TACHO_LOSS_REASON_COUNT) {
        loss = parse_time(end, max_ticks, &out_row->end);
    }
    if (loss != TACHO_LOSS_REASON_COUNT) {
        return loss;
    }
    if (out_row->end < out_row->start) {
        return TACHO_LOSS_END_BEFORE_START;
    }
    return parse_used(header, fields, &out_row->used) ? TACHO_LOSS_REASON_COUNT
                                                      : TACHO_LOSS_UNKNOWN_EVENT;
}

tacho_status torq_annotated_row_parse(const torq_annotated_header *header, tacho_str line,
                                      int64_t max_ticks, tacho_arena *scratch,
                                      torq_annotated_row *out_row, tacho_loss_reason *out_loss)
{
    if (tacho_str_find_byte(line, '\0') < line.len) {
        *out_loss = TACHO_LOSS_NUL_BYTE;
        return TACHO_OK;
    }
    tacho_csv_record record;
    tacho_status status = tacho_csv_read_quoted(line, DELIMITER, scratch, &record);
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA ||
        (status == TACHO_OK && record.field_count != header->field_count)) {
        tacho_status_free(status);
        *out_loss = TACHO_LOSS_FIELD_COUNT;
        return TACHO_OK;
    }
    TACHO_TRY(status);
    *out_loss = parse_fields(header, record.fields, max_ticks, out_row);
    return TACHO_OK;
}
