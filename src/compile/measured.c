/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of a table of measured operators, in any order.
 */
#include "compile/measured.h"

#include "base/grow.h"
#include "base/text.h"
#include "codec/csv.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum column_kind {
    COLUMN_IGNORED,
    COLUMN_OP,
    COLUMN_SHAPE,
    COLUMN_ATTRIBUTES,
    COLUMN_M,
    COLUMN_K,
    COLUMN_N,
    COLUMN_LOOPS,
    COLUMN_STRIDE,
    COLUMN_DTYPE,
    COLUMN_IN0,
    COLUMN_IN1,
    COLUMN_OUT,
    COLUMN_GRID_X,
    COLUMN_GRID_Y,
    COLUMN_FIDELITY,
    COLUMN_TUNED,
    COLUMN_TABLE, /* "N150 Tuned ..." */
    COLUMN_CYCLES,
    COLUMN_NS,
    COLUMN_US,
    COLUMN_KIND_COUNT,
} column_kind;

/* Of several columns with a time the first here is the truth. */
static const struct {
    const char *name;
    column_kind kind;
} known[] = {
    {"cycles", COLUMN_CYCLES},
    {"measured_cycles", COLUMN_CYCLES},
    {"rtl_cycles", COLUMN_CYCLES},
    {"ns", COLUMN_NS},
    {"measured_ns", COLUMN_NS},
    {"device_ns_derived", COLUMN_NS},
    {"us", COLUMN_US},
    {"measured_us", COLUMN_US},
    {"median_us", COLUMN_US},
    {"op", COLUMN_OP},
    {"shape", COLUMN_SHAPE},
    {"shapes", COLUMN_SHAPE},
    {"attributes", COLUMN_ATTRIBUTES},
    {"M", COLUMN_M},
    {"K", COLUMN_K},
    {"N", COLUMN_N},
    {"loops", COLUMN_LOOPS},
    {"stride", COLUMN_STRIDE},
    {"dtype", COLUMN_DTYPE},
    {"in0_mem", COLUMN_IN0},
    {"in1_mem", COLUMN_IN1},
    {"out_mem", COLUMN_OUT},
    {"grid_x", COLUMN_GRID_X},
    {"grid_y", COLUMN_GRID_Y},
    {"fidelity", COLUMN_FIDELITY},
    {"tuned", COLUMN_TUNED},
    {"table", COLUMN_TABLE},
};

enum { COLUMNS_MAX = 256, KNOWN_COUNT = sizeof(known) / sizeof(known[0]) };

typedef struct table_reading {
    tacho_measured_table *table;
    const tacho_input *input;
    size_t column_count;
    size_t places[COLUMN_KIND_COUNT]; /* of columns; column_count: none */
    column_kind timed;
} table_reading;

static tacho_status fail_at(const table_reading *r, const char *format, ...) TACHO_PRINTF(2, 3);

static tacho_status fail_at(const table_reading *r, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s:%llu: %s", r->input->name,
                      (unsigned long long)r->input->line_number, text);
}

/* ---- the heading --------------------------------------------------------------------------- */

static size_t known_of(tacho_str name)
{
    size_t i = 0;
    while (i < KNOWN_COUNT && !tacho_str_equal(name, tacho_str_from_cstring(known[i].name))) {
        i++;
    }
    return i;
}

static bool has(const table_reading *r, column_kind kind)
{
    return r->places[kind] < r->column_count;
}

static tacho_status check_heading(const table_reading *r)
{
    if (r->timed == COLUMN_IGNORED) {
        return fail_at(r, "no column says how long operators took: expected cycles, ns or us");
    }
    bool is_product = has(r, COLUMN_M) && has(r, COLUMN_K) && has(r, COLUMN_N);
    if (!is_product && !has(r, COLUMN_LOOPS) && !(has(r, COLUMN_OP) && has(r, COLUMN_SHAPE))) {
        return fail_at(r, "no columns say what was measured: expected op and shape, or M, K and N, "
                          "or loops");
    }
    return TACHO_OK;
}

#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static tacho_status read_heading(table_reading *r, const tacho_csv_record *record)
{
    tacho_text ignored = {0};
    tacho_status status = TACHO_OK;
    size_t best = KNOWN_COUNT; /* of the times */
    r->column_count = record->field_count;
    for (size_t i = 0; i < COLUMN_KIND_COUNT; i++) {
        r->places[i] = r->column_count;
    }
    for (size_t i = 0; i < r->column_count && status == TACHO_OK; i++) {
        tacho_str name = tacho_str_trim(record->fields[i]);
        if (i == 0 && tacho_str_starts_with(name, TACHO_STR(BYTE_ORDER_MARK))) {
            name = tacho_str_from(name, sizeof(BYTE_ORDER_MARK) - 1); /* as spreadsheets write it */
        }
        size_t which = known_of(name);
        column_kind kind = which < KNOWN_COUNT ? known[which].kind : COLUMN_IGNORED;
        bool is_time = kind >= COLUMN_CYCLES;
        if (is_time && which < best) {
            best = which;
            r->timed = kind;
            r->places[kind] = i;
            status = tacho_arena_copy(&r->table->arena, name, &r->table->timed);
        } else if (kind != COLUMN_IGNORED && !is_time) {
            if (has(r, kind)) {
                status = fail_at(r, "column '%s' appears twice", known[which].name);
            }
            r->places[kind] = i;
        } else {
            status = tacho_text_put(&ignored, TACHO_STR(", "));
            status = status == TACHO_OK ? tacho_text_put(&ignored, name) : status;
        }
    }
    tacho_str all = tacho_text_take(&ignored);
    if (status == TACHO_OK) {
        all = tacho_str_from(all, all.len > 2 ? 2 : all.len);
        status = tacho_arena_copy(&r->table->arena, all, &r->table->ignored);
    }
    tacho_text_deinit(&ignored);
    return status == TACHO_OK ? check_heading(r) : status;
}

/* ---- cells --------------------------------------------------------------------------------- */

static tacho_str cell(const table_reading *r, const tacho_csv_record *record, column_kind kind)
{
    return has(r, kind) ? tacho_str_trim(record->fields[r->places[kind]]) : TACHO_STR("");
}

/* A positive decimal number. */
static bool parse_time(tacho_str text, double *out_value)
{
    char copy[64];
    char *end;
    if (text.len == 0 || text.len >= sizeof(copy) || (text.data[0] != '.' && text.data[0] < '0') ||
        text.data[0] > '9') {
        return false;
    }
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    *out_value = strtod(copy, &end);
    return *end == '\0' && isfinite(*out_value) && *out_value > 0.0 && *out_value < 1e18;
}

static tacho_status read_time(const table_reading *r, const tacho_csv_record *record,
                              tacho_measured *row)
{
    double value;
    tacho_str text = cell(r, record, r->timed);
    if (!parse_time(text, &value)) {
        return fail_at(r, "%.*s '%.*s' is not a time above 0", TACHO_STR_ARG(r->table->timed),
                       (int)(text.len < 40 ? text.len : 40), text.data);
    }
    row->cycles = r->timed == COLUMN_CYCLES ? value : 0.0;
    row->ns = r->timed == COLUMN_NS ? value : r->timed == COLUMN_US ? value * 1000.0 : 0.0;
    return TACHO_OK;
}

/* Types as frameworks and vendors call them, where that differs from ours. */
static tacho_dtype dtype_called(tacho_str name)
{
    static const struct {
        const char *name;
        tacho_dtype dtype;
    } others[] = {
        {"float32", TACHO_DTYPE_F32},
        {"float16", TACHO_DTYPE_F16},
        {"half", TACHO_DTYPE_F16},
        {"bfloat16", TACHO_DTYPE_BF16},
        {"BFLOAT16", TACHO_DTYPE_BF16},
        {"BFLOAT8_B", TACHO_DTYPE_BFP8},
        {"BFLOAT4_B", TACHO_DTYPE_BFP4},
        {"FLOAT32", TACHO_DTYPE_F32},
        {"int8", TACHO_DTYPE_I8},
        {"uint8", TACHO_DTYPE_U8},
        {"int16", TACHO_DTYPE_I16},
        {"float8_e4m3fn", TACHO_DTYPE_F8E4M3},
        {"float8_e5m2", TACHO_DTYPE_F8E5M2},
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(others[i].name))) {
            return others[i].dtype;
        }
    }
    return tacho_dtype_find(name);
}

static tacho_status read_place(const table_reading *r, tacho_str text, tacho_place_choice *out)
{
    static const char *const shared[] = {"", "dram", "DRAM", "ddr", "DDR", "hbm", "HBM"};
    static const char *const local[] = {"l1", "L1", "local"};
    for (size_t i = 0; i < sizeof(shared) / sizeof(shared[0]); i++) {
        if (tacho_str_equal(text, tacho_str_from_cstring(shared[i]))) {
            *out = TACHO_PLACE_ALWAYS_DDR;
            return TACHO_OK;
        }
    }
    for (size_t i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
        if (tacho_str_equal(text, tacho_str_from_cstring(local[i]))) {
            *out = TACHO_PLACE_ALWAYS_LOCAL;
            return TACHO_OK;
        }
    }
    return fail_at(r, "place '%.*s': expected dram or l1", (int)(text.len < 40 ? text.len : 40),
                   text.data);
}

static tacho_status read_grid(const table_reading *r, tacho_str text, uint32_t *out)
{
    uint64_t value = 0;
    if (text.len > 0 && (!tacho_str_parse_u64(text, &value) || value > 4096)) {
        return fail_at(r, "grid '%.*s': expected a number of cores",
                       (int)(text.len < 40 ? text.len : 40), text.data);
    }
    *out = (uint32_t)value;
    return TACHO_OK;
}

static bool has_tuned(tacho_str text)
{
    for (size_t i = 0; i + 5 <= text.len; i++) {
        if (memcmp(text.data + i, "Tuned", 5) == 0 || memcmp(text.data + i, "tuned", 5) == 0) {
            return true;
        }
    }
    return false;
}

/* How it ran. */
static tacho_status read_way(const table_reading *r, const tacho_csv_record *record,
                             tacho_measured *row)
{
    tacho_str dtype = cell(r, record, COLUMN_DTYPE);
    tacho_str tuned = cell(r, record, COLUMN_TUNED);
    row->dtype = dtype_called(dtype);
    if (dtype.len > 0 && row->dtype == TACHO_DTYPE_NONE) {
        return fail_at(r, "unknown dtype '%.*s'; expected one such as bf16 or i8",
                       (int)(dtype.len < 40 ? dtype.len : 40), dtype.data);
    }
    for (unsigned i = 0; i < TACHO_OPERAND_ROLE_COUNT; i++) {
        tacho_str place = cell(r, record, (column_kind)(COLUMN_IN0 + i));
        TACHO_TRY(read_place(r, place, &row->places[i]));
    }
    TACHO_TRY(read_grid(r, cell(r, record, COLUMN_GRID_X), &row->grid_x));
    TACHO_TRY(read_grid(r, cell(r, record, COLUMN_GRID_Y), &row->grid_y));
    if ((row->grid_x == 0) != (row->grid_y == 0)) {
        return fail_at(r, "grid_x and grid_y are both given, or neither");
    }
    row->is_tuned = has_tuned(cell(r, record, COLUMN_TABLE)) || has_tuned(tuned) ||
                    tacho_str_equal(tuned, TACHO_STR("1")) ||
                    tacho_str_equal(tuned, TACHO_STR("true")) ||
                    tacho_str_equal(tuned, TACHO_STR("True"));
    return tacho_arena_copy(&r->table->arena, cell(r, record, COLUMN_FIDELITY), &row->fidelity);
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* Reads the operator that was measured; texts live as long as the table. */
static tacho_status read_what(const table_reading *r, const tacho_csv_record *record,
                              tacho_measured *row)
{
    tacho_measured_words words;
    const struct {
        column_kind kind;
        tacho_str *to;
    } cells[] = {
        {COLUMN_OP, &words.op},
        {COLUMN_SHAPE, &words.shape},
        {COLUMN_ATTRIBUTES, &words.attributes},
        {COLUMN_M, &words.m},
        {COLUMN_K, &words.k},
        {COLUMN_N, &words.n},
        {COLUMN_LOOPS, &words.loops},
        {COLUMN_STRIDE, &words.stride},
    };
    for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        TACHO_TRY(tacho_arena_copy(&r->table->arena, cell(r, record, cells[i].kind), cells[i].to));
    }
    tacho_status status = tacho_measured_understand(&words, &r->table->arena, row);
    return status == TACHO_OK ? TACHO_OK
                              : tacho_status_add_note(status, "%s:%llu", r->input->name,
                                                      (unsigned long long)r->input->line_number);
}

static tacho_status read_row(table_reading *r, const tacho_csv_record *record)
{
    tacho_measured_table *table = r->table;
    if (record->field_count != r->column_count) {
        return fail_at(r, "%zu fields; the heading has %zu", record->field_count, r->column_count);
    }
    if (table->row_count == TACHO_MEASURED_ROWS_MAX) {
        return fail_at(r, "more than %d rows", TACHO_MEASURED_ROWS_MAX);
    }
    TACHO_TRY(tacho_grow(&table->rows, &table->row_capacity, table->row_count + 1));
    tacho_measured *row = &table->rows[table->row_count];
    *row = (tacho_measured){.line = r->input->line_number};
    TACHO_TRY(read_what(r, record, row));
    TACHO_TRY(read_way(r, record, row));
    TACHO_TRY(read_time(r, record, row));
    table->row_count++;
    return TACHO_OK;
}

static tacho_status read_lines(table_reading *r, tacho_input *input, tacho_arena *scratch)
{
    for (bool got = true;;) {
        tacho_str line;
        tacho_csv_record record;
        TACHO_TRY(tacho_input_line(input, &line, &got));
        if (!got) {
            break;
        }
        if (tacho_str_trim(line).len == 0) {
            continue;
        }
        tacho_arena_reset(scratch);
        tacho_status status = tacho_csv_read_quoted(line, ',', scratch, &record);
        if (status != TACHO_OK) {
            return tacho_status_add_note(status, "%s:%llu", input->name,
                                         (unsigned long long)input->line_number);
        }
        if (record.field_count > COLUMNS_MAX) {
            return fail_at(r, "more than %d columns", COLUMNS_MAX);
        }
        TACHO_TRY(r->column_count == 0 ? read_heading(r, &record) : read_row(r, &record));
    }
    return r->table->row_count > 0 ? TACHO_OK
                                   : tacho_fail(TACHO_CODE_BAD_DATA, "%s: no rows", input->name);
}

tacho_status tacho_measured_init(tacho_measured_table *table, tacho_input *input)
{
    *table = (tacho_measured_table){.rows = NULL};
    tacho_arena_init(&table->arena);
    tacho_arena scratch;
    tacho_arena_init(&scratch);
    table_reading reading = {.table = table, .input = input};
    tacho_status status = read_lines(&reading, input, &scratch);
    tacho_arena_deinit(&scratch);
    return status;
}

void tacho_measured_deinit(tacho_measured_table *table)
{
    free(table->rows);
    tacho_arena_deinit(&table->arena);
}
