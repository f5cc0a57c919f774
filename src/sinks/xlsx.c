/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sheets by libxlsxwriter, row after row, so that memory does not follow their size: its parts and
 * then the file are made in unnamed temporary files, from where the bytes go to the output.
 *
 * The same tables give the same bytes: the date of creation is always the same. Text is text,
 * never a formula, and only what XML may hold. A table with more rows than a sheet may have goes
 * on in the next one.
 */
#include "sinks/xlsx.h"

#include "base/tempfile.h"
#include "base/utf8.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <xlsxwriter.h>

enum {
    SHEET_ROWS_MAX = 1048576, /* with the header */
    SHEET_COLUMNS_MAX = 16384,
    SHEET_NAME_BYTES = 32,
    TEXT_UNITS_MAX = 32767, /* UTF-16 units in a cell */
    WIDTH_MIN = 6,
    WIDTH_MAX = 60,
    WIDTH_ROWS_MAX = 1000, /* that a column's width is taken from */
    COPY_BYTES = 32 << 10,
    CREATED_S = 946684800, /* 2000-01-01 */
};

/* Whole numbers up to here are numbers of a spreadsheet; beyond it digits would be lost. */
static const int64_t EXACT_MAX = INT64_C(1) << 53;

typedef struct book {
    tacho_tempfile file;
    lxw_workbook *workbook; /* NULL once it is written */
    lxw_format *header;
    lxw_format *percent;
    unsigned sheet_count;
    /* The sheet that rows are put in, or NULL; its rows but the header, and columns. */
    lxw_worksheet *sheet;
    size_t row_count;
    lxw_col_t column_count;
    uint8_t widths[SHEET_COLUMNS_MAX];
    char *text; /* of the cell at hand */
    size_t text_capacity;
} book;

/* ---- text ------------------------------------------------------------------------------- */

/* Whether "_x0041_" stands here, which spreadsheets read as a character. */
static bool is_escape(tacho_str text)
{
    if (text.len < 7 || text.data[0] != '_' || text.data[1] != 'x' || text.data[6] != '_') {
        return false;
    }
    for (size_t i = 2; i < 6; i++) {
        if (isxdigit((unsigned char)text.data[i]) == 0) {
            return false;
        }
    }
    return true;
}

/* What neither XML nor people want: control characters but tab and line feed, non-characters. */
static bool is_dropped(uint32_t code_point)
{
    bool is_control = code_point < 0x20 && code_point != '\t' && code_point != '\n';
    return is_control || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0xfffe ||
           code_point == 0xffff;
}

static const char cut_mark[] = "\u2026";
static const char escape[] = "_x005F";

/* Whether a cell may have |text| as it is: short, printable ASCII, nothing like an escape. */
static bool is_plain(tacho_str text)
{
    bool is_fine = text.len < TEXT_UNITS_MAX;
    for (size_t i = 0; i < text.len && is_fine; i++) {
        char byte = text.data[i];
        bool may_escape = byte == '_' && i + 1 < text.len && text.data[i + 1] == 'x';
        is_fine = byte >= ' ' && byte <= '~' && !may_escape;
    }
    return is_fine;
}

static tacho_status reserve_text(book *self, size_t len)
{
    size_t room = len * 2 + sizeof(cut_mark) + 1; /* an escape takes 7 bytes and becomes 13 */
    if (room > self->text_capacity) {
        char *grown = realloc(self->text, room);
        if (grown == NULL) {
            return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get %zu bytes for a cell", room);
        }
        self->text = grown;
        self->text_capacity = room;
    }
    return TACHO_OK;
}

/* Puts |text|, which is clean UTF-8, into book->text as a cell may have it. */
static tacho_status set_text(book *self, tacho_str text)
{
    TACHO_TRY(reserve_text(self, text.len));
    char *to = self->text;
    size_t units = 0;
    while (text.len > 0) {
        uint32_t code_point = 0;
        size_t len = tacho_utf8_decode(text, &code_point);
        size_t escape_len = is_escape(text) ? sizeof(escape) - 1 : 0;
        size_t more = escape_len + (code_point > 0xffff ? 2 : 1);
        if (!is_dropped(code_point) && units + more >= TEXT_UNITS_MAX) {
            memcpy(to, cut_mark, sizeof(cut_mark) - 1);
            to += sizeof(cut_mark) - 1;
            break;
        }
        if (!is_dropped(code_point)) {
            memcpy(to, escape, escape_len);
            memcpy(to + escape_len, text.data, len);
            to += escape_len + len;
            units += more;
        }
        text = tacho_str_from(text, len);
    }
    *to = '\0';
    return TACHO_OK;
}

static tacho_status check(lxw_error error)
{
    return error == LXW_NO_ERROR
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_IO, "cannot write the workbook: %s", lxw_strerror(error));
}

/* ---- cells ------------------------------------------------------------------------------ */

static tacho_status clean_text(book *self, tacho_str text)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_status status = tacho_utf8_clean(text, &arena, &text);
    if (status == TACHO_OK) {
        status = set_text(self, text);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status put_text(book *self, lxw_worksheet *sheet, lxw_row_t row, size_t column,
                             tacho_str text, lxw_format *format)
{
    if (is_plain(text)) {
        TACHO_TRY(reserve_text(self, text.len));
        memcpy(self->text, text.data, text.len);
        self->text[text.len] = '\0';
    } else {
        TACHO_TRY(clean_text(self, text));
    }
    return self->text[0] == '\0'
               ? TACHO_OK
               : check(worksheet_write_string(sheet, row, (lxw_col_t)column, self->text, format));
}

static tacho_status put_int(lxw_worksheet *sheet, lxw_row_t row, size_t column, int64_t value)
{
    if (value >= -EXACT_MAX && value <= EXACT_MAX) {
        return check(worksheet_write_number(sheet, row, (lxw_col_t)column, (double)value, NULL));
    }
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    return check(worksheet_write_string(sheet, row, (lxw_col_t)column, text, NULL));
}

static tacho_status put_cell(book *self, lxw_worksheet *sheet, lxw_row_t row, size_t column,
                             const tacho_cell *cell, tacho_column_type type)
{
    if (cell->is_absent) {
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        return put_text(self, sheet, row, column, cell->value.text, NULL);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        return put_int(sheet, row, column, cell->value.integer);
    case TACHO_COLUMN_REAL:
        return check(worksheet_write_number(sheet, row, (lxw_col_t)column, cell->value.real, NULL));
    case TACHO_COLUMN_PERCENT:
        return check(
            worksheet_write_number(sheet, row, (lxw_col_t)column, cell->value.real, self->percent));
    case TACHO_COLUMN_FLAG:
        return check(
            worksheet_write_boolean(sheet, row, (lxw_col_t)column, cell->value.integer != 0, NULL));
    case TACHO_COLUMN_PICTURE:
        break;
    }
    return TACHO_OK;
}

/* ---- sheets ----------------------------------------------------------------------------- */

static void format_heading(const tacho_column *column, char *text, size_t size)
{
    const char *unit = column->type == TACHO_COLUMN_DURATION
                           ? " [ns]"
                           : (column->type == TACHO_COLUMN_PERCENT ? " [%]" : "");
    snprintf(text, size, "%s%s", column->title, unit);
}

/* How wide the cell is, about: the printed number, or the text. */
static size_t cell_width(const tacho_cell *cell, tacho_column_type type)
{
    char text[400];
    if (cell->is_absent || type == TACHO_COLUMN_PICTURE) {
        return 0;
    }
    if (type == TACHO_COLUMN_TEXT) {
        return tacho_utf8_width(cell->value.text);
    }
    if (type == TACHO_COLUMN_FLAG) {
        return sizeof("FALSE") - 1;
    }
    bool is_int = type == TACHO_COLUMN_INT || type == TACHO_COLUMN_DURATION;
    int len = is_int ? snprintf(text, sizeof(text), "%" PRId64, cell->value.integer)
                     : snprintf(text, sizeof(text), "%.10g", cell->value.real);
    return (size_t)len;
}

static void widen(book *self, size_t column, size_t width)
{
    width = width > WIDTH_MAX ? WIDTH_MAX : width;
    self->widths[column] = width > self->widths[column] ? (uint8_t)width : self->widths[column];
}

/* The table's title, with a number when it is not the first sheet of that name. */
static void name_sheet(const book *self, const tacho_table *table, char out_name[SHEET_NAME_BYTES])
{
    snprintf(out_name, SHEET_NAME_BYTES, "%.31s", table->title);
    for (char *at = out_name; *at != '\0'; at++) {
        *at = strchr("[]:*?/\\'", *at) != NULL ? ' ' : *at;
    }
    for (unsigned number = 2; workbook_get_worksheet_by_name(self->workbook, out_name) != NULL;
         number++) {
        snprintf(out_name, SHEET_NAME_BYTES, "%.20s (%u)", table->title, number);
    }
}

static tacho_status put_header(book *self, const tacho_table *table)
{
    lxw_col_t at = 0;
    for (size_t column = 0; column < table->column_count; column++) {
        char heading[256];
        if (table->columns[column].type == TACHO_COLUMN_PICTURE) {
            continue;
        }
        format_heading(&table->columns[column], heading, sizeof(heading));
        tacho_str text = tacho_str_from_cstring(heading);
        self->widths[at] = WIDTH_MIN;
        widen(self, at, tacho_utf8_width(text) + 2 + 2); /* the filter's button */
        TACHO_TRY(put_text(self, self->sheet, 0, at, text, self->header));
        at++;
    }
    self->column_count = at;
    worksheet_freeze_panes(self->sheet, 1, 0);
    return TACHO_OK;
}

static tacho_status put_row(book *self, const tacho_table *table, size_t row)
{
    size_t at = 0;
    bool is_measured = self->row_count < WIDTH_ROWS_MAX;
    lxw_row_t to = (lxw_row_t)(++self->row_count);
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_column_type type = table->columns[column].type;
        const tacho_cell *cell = tacho_table_cell(table, row, column);
        if (type == TACHO_COLUMN_PICTURE) {
            continue;
        }
        if (is_measured) {
            widen(self, at, cell_width(cell, type) + 2);
        }
        TACHO_TRY(put_cell(self, self->sheet, to, at++, cell, type));
    }
    return TACHO_OK;
}

static tacho_status begin_sheet(book *self, const tacho_table *table)
{
    char name[SHEET_NAME_BYTES];
    name_sheet(self, table, name);
    self->sheet = workbook_add_worksheet(self->workbook, name);
    if (self->sheet == NULL) {
        return tacho_fail(TACHO_CODE_LIMIT, "cannot add sheet '%s' to the workbook", name);
    }
    self->sheet_count++;
    self->row_count = 0;
    return put_header(self, table);
}

/* Says how wide the columns are and where the filter ends, once that is known. */
static tacho_status end_sheet(book *self)
{
    lxw_worksheet *sheet = self->sheet;
    if (sheet == NULL) {
        return TACHO_OK;
    }
    self->sheet = NULL;
    for (lxw_col_t i = 0; i < self->column_count; i++) {
        TACHO_TRY(check(worksheet_set_column(sheet, i, i, self->widths[i], NULL)));
    }
    lxw_col_t last = self->column_count > 0 ? (lxw_col_t)(self->column_count - 1) : 0;
    return check(worksheet_autofilter(sheet, 0, 0, (lxw_row_t)self->row_count, last));
}

/* Goes on in another sheet where one is full. */
static tacho_status put_rows(book *self, const tacho_table *table)
{
    size_t row_count = tacho_table_row_count(table);
    for (size_t row = 0; row < row_count; row++) {
        if (self->row_count == SHEET_ROWS_MAX - 1) {
            TACHO_TRY(end_sheet(self));
            TACHO_TRY(begin_sheet(self, table));
        }
        TACHO_TRY(put_row(self, table, row));
    }
    return TACHO_OK;
}

/* ---- interface -------------------------------------------------------------------------- */

static void xlsx_close(void *workbook)
{
    book *self = workbook;
    if (self->workbook != NULL) {
        lxw_workbook_free(self->workbook);
    }
    tacho_tempfile_close(&self->file);
    free(self->text);
    free(self);
}

static tacho_status open_workbook(book *self)
{
    TACHO_TRY(tacho_tempfile_open(&self->file));
    char path[64];
    snprintf(path, sizeof(path), "/proc/self/fd/%d", self->file.fd);
    lxw_workbook_options options = {.constant_memory = LXW_TRUE, .use_zip64 = LXW_FALSE};
    self->workbook = workbook_new_opt(path, &options);
    if (self->workbook == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a workbook");
    }
    lxw_doc_properties properties = {.created = CREATED_S};
    self->header = workbook_add_format(self->workbook);
    self->percent = workbook_add_format(self->workbook);
    if (self->header == NULL || self->percent == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a workbook");
    }
    format_set_bold(self->header);
    format_set_num_format(self->percent, "0.00");
    return check(workbook_set_properties(self->workbook, &properties));
}

static tacho_status xlsx_open(void **out_workbook)
{
    *out_workbook = NULL;
    book *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for a workbook");
    }
    self->file.fd = -1;
    tacho_status status = open_workbook(self);
    if (status != TACHO_OK) {
        xlsx_close(self);
        return status;
    }
    *out_workbook = self;
    return TACHO_OK;
}

static tacho_status xlsx_add(void *workbook, const tacho_table *table, size_t index)
{
    (void)index;
    book *self = workbook;
    if (table->column_count > SHEET_COLUMNS_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%zu columns are more than the %d of a sheet",
                          table->column_count, SHEET_COLUMNS_MAX);
    }
    TACHO_TRY(end_sheet(self));
    TACHO_TRY(begin_sheet(self, table));
    return put_rows(self, table);
}

static tacho_status xlsx_append(void *workbook, const tacho_table *more)
{
    return put_rows(workbook, more);
}

/* Closing a workbook without sheets would fail: an empty report has an empty sheet. */
static tacho_status finish_workbook(book *self)
{
    if (self->sheet_count == 0 && workbook_add_worksheet(self->workbook, "Empty") == NULL) {
        return tacho_fail(TACHO_CODE_LIMIT, "cannot add a sheet to the workbook");
    }
    TACHO_TRY(end_sheet(self));
    lxw_workbook *workbook = self->workbook;
    self->workbook = NULL; /* closing frees it */
    return check(workbook_close(workbook));
}

static tacho_status xlsx_write(void *workbook, tacho_output *output)
{
    book *self = workbook;
    TACHO_TRY(finish_workbook(self));
    struct stat facts;
    if (fstat(self->file.fd, &facts) != 0 || facts.st_size <= 0) {
        return tacho_fail(TACHO_CODE_IO, "the workbook did not arrive in its temporary file");
    }
    char bytes[COPY_BYTES];
    uint64_t size = (uint64_t)facts.st_size;
    for (uint64_t at = 0; at < size;) {
        size_t len = size - at < sizeof(bytes) ? (size_t)(size - at) : sizeof(bytes);
        TACHO_TRY(tacho_tempfile_read(&self->file, at, bytes, len));
        tacho_output_write(output, bytes, len);
        at += len;
    }
    return TACHO_OK;
}

static const tacho_workbook_vtable workbook_functions = {
    .open = xlsx_open,
    .add = xlsx_add,
    .append = xlsx_append,
    .write = xlsx_write,
    .close = xlsx_close,
};

const tacho_table_sink tacho_table_sink_xlsx = {
    .name = "xlsx",
    .title = "workbook for spreadsheet programs, one sheet per table",
    .suffix = ".xlsx",
    .workbook = &workbook_functions,
};
