/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as RFC 4180 CSV, with the guard against spreadsheet formulas. Each table of a report has
 * its own header line; the first column names the table. The plain form, for exchange with other
 * tools, has neither.
 */
#include "codec/csv.h"

#include "base/decimal.h"
#include "base/real.h"
#include "base/utf8.h"
#include "base/whole.h"
#include "sinks/table_sink.h"

enum {
    PLAIN_DELIMITER = ';',
    SHORT_TEXT_MAX = 4096,
    CELL_MAX = 2 * SHORT_TEXT_MAX + 3, /* bytes of a cell that is not a longer text */
    WRITTEN_HALF = 32,                 /* half of the bytes of a cached cell */
    COLUMNS_MAX = 64,                  /* columns with cached cells; further ones share entries */
};

/* ---- texts ------------------------------------------------------------------------------ */

/* Properties of a byte of text. */
enum {
    QUOTED = 1,       /* quotes around the field */
    QUOTED_PLAIN = 2, /* likewise, in the plain form */
    ODD = 4,          /* not printable ASCII: a closer look */
};

/* clang-format off */
#define ODD_4 ODD, ODD, ODD, ODD
#define ODD_16 ODD_4, ODD_4, ODD_4, ODD_4
#define NONE_15 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
static const unsigned char byte_needs[256] = {
    ODD_16, ODD_16, /* control characters */
    0, 0, QUOTED | QUOTED_PLAIN, 0, 0, 0, 0, 0, 0, 0, 0, 0, QUOTED, 0, 0, 0, /* quote and comma */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, QUOTED_PLAIN, 0, 0, 0, 0, /* semicolon */
    0, NONE_15, 0, NONE_15, 0, NONE_15, NONE_15, ODD, /* letters, and the last of ASCII */
    ODD_16, ODD_16, ODD_16, ODD_16, ODD_16, ODD_16, ODD_16, ODD_16,
};
/* clang-format on */

/* Invalid UTF-8 would corrupt the whole file for a spreadsheet. */
static tacho_status write_any_text(tacho_str text, bool is_plain, tacho_output *output)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(text, &arena, &text);
    if (status == TACHO_OK && is_plain) {
        tacho_csv_write_field(output, text, PLAIN_DELIMITER);
    } else if (status == TACHO_OK) {
        tacho_csv_write_guarded(output, text, ',');
    }
    tacho_arena_deinit(&arena);
    return status;
}

/* Copies text with quotes doubled. */
static unsigned char *put_quoted(unsigned char *at, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        *at++ = (unsigned char)text.data[i];
        if (text.data[i] == '"') {
            *at++ = '"';
        }
    }
    return at;
}

static unsigned look_at(tacho_str text)
{
    unsigned needs = text.len > SHORT_TEXT_MAX ? ODD : 0;
    for (size_t i = 0; i < text.len && (needs & ODD) == 0; i++) {
        needs |= byte_needs[(unsigned char)text.data[i]];
    }
    return needs;
}

/* Copies few bytes, without a call. */
static inline unsigned char *put_bytes(unsigned char *at, tacho_str text)
{
    if (text.len > 32) {
        memcpy(at, text.data, text.len);
    } else if (text.len >= 16) { /* twice sixteen bytes, which may overlap; or eight */
        memcpy(at, text.data, 16);
        memcpy(at + text.len - 16, text.data + text.len - 16, 16);
    } else if (text.len >= 8) {
        memcpy(at, text.data, 8);
        memcpy(at + text.len - 8, text.data + text.len - 8, 8);
    } else {
        for (size_t i = 0; i < text.len; i++) {
            at[i] = (unsigned char)text.data[i];
        }
    }
    return at + text.len;
}

/* Most texts are short and ASCII: those are scanned once, then copied. */
static tacho_status write_text(tacho_str text, bool is_plain, tacho_output *output)
{
    unsigned needs = look_at(text);
    char first = text.len > 0 ? text.data[0] : '\0';
    bool may_be_number = first == '+' || first == '-';
    if ((needs & ODD) != 0 || (may_be_number && !is_plain)) {
        return write_any_text(text, is_plain, output);
    }
    unsigned char *at = tacho_output_reserve(output, CELL_MAX);
    bool is_quoted = (needs & (is_plain ? QUOTED_PLAIN : QUOTED)) != 0;
    *at = '"';
    at += is_quoted;
    if (!is_plain && (first == '=' || first == '@')) { /* a spreadsheet would evaluate it */
        *at++ = '\'';
    }
    if (is_quoted) {
        at = put_quoted(at, text);
        *at++ = '"';
    } else {
        at = put_bytes(at, text);
    }
    output->cursor = at;
    return TACHO_OK;
}

/* ---- numbers ---------------------------------------------------------------------------- */

static void write_int(int64_t value, tacho_output *output)
{
    char *at = (char *)tacho_output_reserve(output, TACHO_DECIMAL_MAX + 1);
    output->cursor = (unsigned char *)tacho_decimal_put_signed(at, value);
}

/* Whole numbers of moderate size are printed as integers, followed by ".0". */
static void write_real(double value, tacho_output *output)
{
    const double limit = 1e15;
    char *at = (char *)tacho_output_reserve(output, TACHO_REAL_MAX);
    if (value > 0 && value < limit && value == (double)tacho_whole_i64(value)) {
        at = tacho_decimal_put_signed(at, tacho_whole_i64(value));
        memcpy(at, ".0", 2);
        output->cursor = (unsigned char *)at + 2;
        return;
    }
    output->cursor = (unsigned char *)tacho_real_put(at, value);
}

/* ---- rows ------------------------------------------------------------------------------- */

static tacho_status write_new(const tacho_cell *cell, tacho_column_type type, bool is_plain,
                              tacho_output *output)
{
    switch (type) {
    case TACHO_COLUMN_TEXT:
        return write_text(cell->value.text, is_plain, output);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        write_int(cell->value.integer, output);
        break;
    case TACHO_COLUMN_REAL:
        write_real(cell->value.real, output);
        break;
    case TACHO_COLUMN_PERCENT:
        tacho_output_printf(output, "%.2f", cell->value.real);
        break;
    case TACHO_COLUMN_FLAG:
        tacho_output_write_cstring(output, cell->value.integer != 0 ? "True" : "False");
        break;
    case TACHO_COLUMN_PICTURE:
        break;
    }
    return TACHO_OK;
}

/* The last cell of a column and its output: the next one is often equal. */
typedef struct written {
    tacho_column_type type;
    tacho_cell cell;
    size_t len; /* 0: not cached */
    unsigned char bytes[2 * WRITTEN_HALF];
} written;

static inline bool is_written(const written *last, const tacho_cell *cell, tacho_column_type type)
{
    if (last->len == 0 || last->type != type) {
        return false;
    }
    return type == TACHO_COLUMN_TEXT ? last->cell.value.text.data == cell->value.text.data &&
                                           last->cell.value.text.len == cell->value.text.len
                                     : last->cell.value.integer == cell->value.integer;
}

/* Copies whole halves, since a constant size is cheapest. */
static inline unsigned char *put_written(unsigned char *at, const written *last)
{
    memcpy(at, last->bytes, WRITTEN_HALF);
    if (last->len > WRITTEN_HALF) {
        memcpy(at + WRITTEN_HALF, last->bytes + WRITTEN_HALF, WRITTEN_HALF);
    }
    return at + last->len;
}

static inline tacho_status write_cell(const tacho_cell *cell, tacho_column_type type, bool is_plain,
                                      written *last, tacho_output *output)
{
    if (cell->is_absent) {
        return TACHO_OK;
    }
    unsigned char *start = tacho_output_reserve(output, CELL_MAX);
    if (is_written(last, cell, type)) {
        output->cursor = put_written(start, last);
        return TACHO_OK;
    }
    uint64_t flushed_bytes = output->flushed_bytes;
    TACHO_TRY(write_new(cell, type, is_plain, output));
    bool is_there = output->flushed_bytes == flushed_bytes && output->cursor >= start;
    size_t len = is_there ? (size_t)(output->cursor - start) : SIZE_MAX;
    last->len = len <= sizeof(last->bytes) ? len : 0;
    last->type = type;
    last->cell = *cell;
    memcpy(last->bytes, start, last->len);
    return TACHO_OK;
}

static inline void write_byte(tacho_output *output, char byte)
{
    *tacho_output_reserve(output, 1) = (unsigned char)byte;
    output->cursor++;
}

/* Writes whole lines; in the plain form they do not name the table. */
static tacho_status write_rows(const tacho_table *table, bool is_plain, tacho_output *output)
{
    const char delimiter = is_plain ? PLAIN_DELIMITER : ',';
    tacho_str name = tacho_str_from_cstring(is_plain ? "" : table->name);
    const tacho_cell *cell = table->cells;
    written last[COLUMNS_MAX] = {{.len = 0}}; /* by column */
    size_t row_count = tacho_table_row_count(table);
    for (size_t row = 0; row < row_count; row++) {
        tacho_output_write_str(output, name);
        for (size_t column = 0; column < table->column_count; column++, cell++) {
            tacho_column_type type = table->columns[column].type;
            if (type == TACHO_COLUMN_PICTURE) {
                continue;
            }
            if (column > 0 || !is_plain) {
                write_byte(output, delimiter);
            }
            TACHO_TRY(write_cell(cell, type, is_plain, &last[column % COLUMNS_MAX], output));
        }
        write_byte(output, '\n');
    }
    return TACHO_OK;
}

static tacho_status csv_append(const tacho_table *more, tacho_output *output)
{
    return write_rows(more, false, output);
}

static tacho_status csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    tacho_output_printf(output, "%stable", index > 0 ? "\n" : "");
    for (size_t column = 0; column < table->column_count; column++) {
        if (table->columns[column].type != TACHO_COLUMN_PICTURE) {
            tacho_output_printf(output, ",%s", tacho_column_name(&table->columns[column]));
        }
    }
    tacho_output_write(output, "\n", 1);
    return write_rows(table, false, output);
}

const tacho_table_sink tacho_table_sink_csv = {
    .name = "csv",
    .title = "comma-separated values, durations in ns",
    .suffix = ".csv",
    .write = csv_write,
    .append = csv_append,
};

static tacho_status plain_csv_append(const tacho_table *more, tacho_output *output)
{
    return write_rows(more, true, output);
}

static tacho_status plain_csv_write(const tacho_table *table, size_t index, tacho_output *output)
{
    const char delimiter = PLAIN_DELIMITER;
    tacho_output_write(output, "\n", index > 0 ? 1 : 0);
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_output_write(output, &delimiter, column > 0 ? 1 : 0);
        TACHO_TRY(write_any_text(tacho_str_from_cstring(tacho_column_name(&table->columns[column])),
                                 true, output));
    }
    tacho_output_write(output, "\n", 1);
    return write_rows(table, true, output);
}

const tacho_table_sink tacho_table_sink_plain_csv = {
    .name = "csv",
    .title = "semicolon-separated values, as other tools print them",
    .suffix = ".csv",
    .write = plain_csv_write,
    .append = plain_csv_append,
};
