/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sheets as Office Open XML (ECMA-376), row after row, so that memory does not grow with their
 * size: each sheet is compressed into a temporary file as its rows are added. Written by hand,
 * because libxlsxwriter does not notice when its temporary files cannot be written, and loses rows
 * then.
 *
 * The same tables give the same bytes: the date of creation is fixed. Text is text, never a
 * formula, and valid in XML. A table with more rows than a sheet may have continues in the next
 * one.
 */
#include "sinks/xlsx.h"

#include "base/grow.h"
#include "base/text.h"
#include "base/utf8.h"
#include "codec/zip.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
    SHEET_ROWS_MAX = 1048576, /* with the header */
    SHEET_COLUMNS_MAX = 16384,
    PART_NAME_BYTES = 48,
    TEXT_UNITS_MAX = 32767, /* UTF-16 units in a cell */
    WIDTH_MIN = 6,
    WIDTH_MAX = 60,
    WIDTH_ROWS_MAX = 1000, /* rows that a column's width is taken from; they wait for it */
    FLUSH_BYTES = 64 << 10,
    REFERENCE_BYTES = 16,
};

/* Formats of cells, in the order of the style sheet. */
enum { STYLE_PLAIN, STYLE_HEADER, STYLE_PERCENT };

/* Larger whole numbers are text: as numbers of a spreadsheet they would lose digits. */
static const int64_t EXACT_MAX = INT64_C(1) << 53;

typedef struct sheet_name {
    char title[TACHO_XLSX_TITLE_BYTES];
    char part[PART_NAME_BYTES];
} sheet_name;

typedef struct book {
    tacho_zip zip;
    sheet_name **sheets;
    size_t sheet_count, sheet_capacity;
    /* The current sheet: its rows but the header, and columns. */
    bool has_sheet;
    bool has_started; /* the XML before its rows is written */
    size_t row_count;
    size_t column_count;
    uint8_t widths[SHEET_COLUMNS_MAX];
    tacho_text xml; /* not written yet */
    char *text;     /* of the current cell */
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

/* Code points that are dropped: control characters but tab and line feed, non-characters. */
static bool is_dropped(uint32_t code_point)
{
    bool is_control = code_point < 0x20 && code_point != '\t' && code_point != '\n';
    return is_control || (code_point >= 0x7f && code_point < 0xa0) || code_point == 0xfffe ||
           code_point == 0xffff;
}

static const char cut_mark[] = "\u2026";
static const char escape[] = "_x005F";

/* Whether |text| needs no change for a cell: short, printable ASCII, without an escape. */
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

/* Puts |text|, which is valid UTF-8, into book->text in the form of a cell. */
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

/* ---- XML -------------------------------------------------------------------------------- */

static tacho_status put(book *self, const char *piece)
{
    return tacho_text_put(&self->xml, tacho_str_from_cstring(piece));
}

/* Writes |text| with XML's special characters escaped. */
static tacho_status put_escaped(book *self, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "&<>\"");
        TACHO_TRY(tacho_text_put(&self->xml, tacho_str_make(text, len)));
        text += len;
        if (*text != '\0') {
            TACHO_TRY(put(self, *text == '&'   ? "&amp;"
                                : *text == '<' ? "&lt;"
                                : *text == '>' ? "&gt;"
                                               : "&quot;"));
            text++;
        }
    }
    return TACHO_OK;
}

/* Writes pending XML, if there is enough. */
static tacho_status flush(book *self, size_t least)
{
    return self->xml.item_count >= least ? tacho_zip_write(&self->zip, tacho_text_take(&self->xml))
                                         : TACHO_OK;
}

/* "AB12": |row| counts from 0. */
static void format_reference(size_t row, size_t column, char out_text[REFERENCE_BYTES])
{
    char letters[4] = "";
    size_t at = sizeof(letters) - 1;
    for (size_t left = column + 1; left > 0; left = (left - 1) / 26) {
        letters[--at] = (char)('A' + (left - 1) % 26);
    }
    snprintf(out_text, REFERENCE_BYTES, "%s%zu", letters + at, row + 1);
}

/* ---- cells ------------------------------------------------------------------------------ */

/* <c r="A1" s="1" t="b">; |type| may be NULL. */
static tacho_status begin_cell(book *self, size_t row, size_t column, int style, const char *type)
{
    char text[64];
    char reference[REFERENCE_BYTES];
    char look[16] = "";
    format_reference(row, column, reference);
    if (style != STYLE_PLAIN) {
        snprintf(look, sizeof(look), " s=\"%d\"", style);
    }
    snprintf(text, sizeof(text), "<c r=\"%s\"%s%s%s%s>", reference, look,
             type != NULL ? " t=\"" : "", type != NULL ? type : "", type != NULL ? "\"" : "");
    return put(self, text);
}

/* Writes book->text as a cell. */
static tacho_status put_set_text(book *self, size_t row, size_t column, int style)
{
    if (self->text[0] == '\0') {
        return TACHO_OK;
    }
    TACHO_TRY(begin_cell(self, row, column, style, "inlineStr"));
    TACHO_TRY(put(self, "<is><t xml:space=\"preserve\">"));
    TACHO_TRY(put_escaped(self, self->text));
    return put(self, "</t></is></c>");
}

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

static tacho_status put_text(book *self, size_t row, size_t column, tacho_str text, int style)
{
    if (is_plain(text)) {
        TACHO_TRY(reserve_text(self, text.len));
        memcpy(self->text, text.data, text.len);
        self->text[text.len] = '\0';
    } else {
        TACHO_TRY(clean_text(self, text));
    }
    return put_set_text(self, row, column, style);
}

static tacho_status put_value(book *self, size_t row, size_t column, int style, const char *type,
                              const char *value)
{
    TACHO_TRY(begin_cell(self, row, column, style, type));
    TACHO_TRY(put(self, "<v>"));
    TACHO_TRY(put(self, value));
    return put(self, "</v></c>");
}

static tacho_status put_int(book *self, size_t row, size_t column, int64_t value)
{
    char text[24];
    snprintf(text, sizeof(text), "%" PRId64, value);
    return value >= -EXACT_MAX && value <= EXACT_MAX
               ? put_value(self, row, column, STYLE_PLAIN, NULL, text)
               : put_text(self, row, column, tacho_str_from_cstring(text), STYLE_PLAIN);
}

/* Values that are not finite are text. */
static tacho_status put_real(book *self, size_t row, size_t column, double value, int style)
{
    char text[32];
    snprintf(text, sizeof(text), "%.16G", value);
    return isfinite(value) ? put_value(self, row, column, style, NULL, text)
                           : put_text(self, row, column, tacho_str_from_cstring(text), STYLE_PLAIN);
}

static tacho_status put_cell(book *self, size_t row, size_t column, const tacho_cell *cell,
                             tacho_column_type type)
{
    if (cell->is_absent) {
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
        return put_text(self, row, column, cell->value.text, STYLE_PLAIN);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
        return put_int(self, row, column, cell->value.integer);
    case TACHO_COLUMN_REAL:
        return put_real(self, row, column, cell->value.real, STYLE_PLAIN);
    case TACHO_COLUMN_PERCENT:
        return put_real(self, row, column, cell->value.real, STYLE_PERCENT);
    case TACHO_COLUMN_FLAG:
        return put_value(self, row, column, STYLE_PLAIN, "b", cell->value.integer != 0 ? "1" : "0");
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

/* The approximate width of the cell: the printed number, or the text. */
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

static bool has_title(const book *self, const char *title)
{
    for (size_t i = 0; i < self->sheet_count; i++) {
        if (strcasecmp(self->sheets[i]->title, title) == 0) {
            return true;
        }
    }
    return false;
}

void tacho_xlsx_title(const char *title, unsigned number, char out_name[TACHO_XLSX_TITLE_BYTES])
{
    char suffix[16] = "";
    if (number > 1) {
        snprintf(suffix, sizeof(suffix), " (%u)", number);
    }
    tacho_str rest = tacho_str_from_cstring(title[0] != '\0' ? title : "Sheet");
    size_t room = TACHO_XLSX_TITLE_BYTES - 1 - strlen(suffix);
    size_t used = 0;
    while (rest.len > 0) {
        uint32_t point = 0;
        size_t len = tacho_utf8_decode(rest, &point);
        bool is_bad = point < ' ' || point == UINT32_MAX ||
                      (point < 0x80 && strchr("[]:*?/\\'", (int)point) != NULL);
        if (used + (is_bad ? 1 : len) > room) {
            break;
        }
        memcpy(out_name + used, is_bad ? " " : rest.data, is_bad ? 1 : len);
        used += is_bad ? 1 : len;
        rest = tacho_str_from(rest, len);
    }
    memcpy(out_name + used, suffix, strlen(suffix) + 1);
}

static void name_sheet(const book *self, const char *title, sheet_name *out_name)
{
    unsigned number = 1;
    do {
        tacho_xlsx_title(title, number++, out_name->title);
    } while (has_title(self, out_name->title));
    snprintf(out_name->part, PART_NAME_BYTES, "xl/worksheets/sheet%zu.xml", self->sheet_count + 1);
}

static tacho_status add_sheet(book *self, const char *title)
{
    TACHO_TRY(tacho_grow(&self->sheets, &self->sheet_capacity, self->sheet_count + 1));
    sheet_name *name = calloc(1, sizeof(*name));
    if (name == NULL) {
        return tacho_no_memory();
    }
    name_sheet(self, title, name);
    self->sheets[self->sheet_count++] = name;
    self->has_sheet = true;
    self->has_started = false;
    self->row_count = self->column_count = 0;
    return tacho_zip_begin(&self->zip, name->part);
}

static tacho_status put_header(book *self, const tacho_table *table)
{
    size_t at = 0;
    TACHO_TRY(put(self, "<row r=\"1\">"));
    for (size_t column = 0; column < table->column_count; column++) {
        char heading[256];
        if (table->columns[column].type == TACHO_COLUMN_PICTURE) {
            continue;
        }
        format_heading(&table->columns[column], heading, sizeof(heading));
        tacho_str text = tacho_str_from_cstring(heading);
        self->widths[at] = WIDTH_MIN;
        widen(self, at, tacho_utf8_width(text) + 2 + 2); /* the filter's button */
        TACHO_TRY(put_text(self, 0, at, text, STYLE_HEADER));
        at++;
    }
    self->column_count = at;
    return put(self, "</row>");
}

/* Writes the XML before the rows, and the rows that waited for the widths. */
static tacho_status start_sheet(book *self)
{
    tacho_text rows = self->xml;
    self->xml = (tacho_text){0};
    self->has_started = true;
    tacho_status status = put(
        self, "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
              "<worksheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
              "<sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" topLeftCell=\"A2\" "
              "activePane=\"bottomLeft\" state=\"frozen\"/><selection pane=\"bottomLeft\"/>"
              "</sheetView></sheetViews>");
    for (size_t i = 0; i < self->column_count && status == TACHO_OK; i++) {
        char text[128]; /* the width in characters, and the padding of a cell */
        snprintf(text, sizeof(text),
                 "%s<col min=\"%zu\" max=\"%zu\" width=\"%u.7109375\" customWidth=\"1\"/>%s",
                 i == 0 ? "<cols>" : "", i + 1, i + 1, (unsigned)self->widths[i],
                 i + 1 == self->column_count ? "</cols>" : "");
        status = put(self, text);
    }
    if (status == TACHO_OK) {
        status = put(self, "<sheetData>");
    }
    if (status == TACHO_OK) {
        status = tacho_text_put(&self->xml, tacho_str_make(rows.items, rows.item_count));
    }
    tacho_text_deinit(&rows);
    return status;
}

static tacho_status put_row(book *self, const tacho_table *table, size_t row)
{
    char text[32];
    size_t at = 0;
    bool is_measured = self->row_count < WIDTH_ROWS_MAX;
    if (!is_measured && !self->has_started) {
        TACHO_TRY(start_sheet(self));
    }
    size_t to = ++self->row_count;
    snprintf(text, sizeof(text), "<row r=\"%zu\">", to + 1);
    TACHO_TRY(put(self, text));
    for (size_t column = 0; column < table->column_count; column++) {
        tacho_column_type type = table->columns[column].type;
        const tacho_cell *cell = tacho_table_cell(table, row, column);
        if (type == TACHO_COLUMN_PICTURE) {
            continue;
        }
        if (is_measured) {
            widen(self, at, cell_width(cell, type) + 2);
        }
        TACHO_TRY(put_cell(self, to, at++, cell, type));
    }
    TACHO_TRY(put(self, "</row>"));
    return self->has_started ? flush(self, FLUSH_BYTES) : TACHO_OK;
}

static tacho_status begin_sheet(book *self, const tacho_table *table)
{
    TACHO_TRY(add_sheet(self, table->title));
    return put_header(self, table);
}

static tacho_status end_sheet(book *self)
{
    if (!self->has_sheet) {
        return TACHO_OK;
    }
    self->has_sheet = false;
    if (!self->has_started) {
        TACHO_TRY(start_sheet(self));
    }
    TACHO_TRY(put(self, "</sheetData>"));
    if (self->column_count > 0) {
        char text[64];
        char last[REFERENCE_BYTES];
        format_reference(self->row_count, self->column_count - 1, last);
        snprintf(text, sizeof(text), "<autoFilter ref=\"A1:%s\"/>", last);
        TACHO_TRY(put(self, text));
    }
    TACHO_TRY(put(self, "</worksheet>"));
    TACHO_TRY(flush(self, 0));
    return tacho_zip_end(&self->zip);
}

/* Writes rows, and continues in another sheet when one is full. */
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

/* ---- parts of the book ------------------------------------------------------------------ */

#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define OFFICE "http://schemas.openxmlformats.org/officeDocument/2006/"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define SPREADSHEET "application/vnd.openxmlformats-officedocument.spreadsheetml."

/* Parts that are the same in every book. The first ones identify the kind of file to programs. */
static const char root_part[] = XML_HEAD
    "<Relationships xmlns=\"" PACKAGE "relationships\"><Relationship Id=\"rId1\" Type=\"" OFFICE
    "relationships/officeDocument\" Target=\"xl/workbook.xml\"/><Relationship Id=\"rId2\" "
    "Type=\"" PACKAGE "relationships/metadata/core-properties\" "
    "Target=\"docProps/core.xml\"/></Relationships>";
static const char core_part[] = XML_HEAD
    "<cp:coreProperties xmlns:cp=\"" PACKAGE "metadata/core-properties\" "
    "xmlns:dcterms=\"http://purl.org/dc/terms/\" "
    "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dcterms:created "
    "xsi:type=\"dcterms:W3CDTF\">2000-01-01T00:00:00Z</dcterms:created></cp:coreProperties>";
static const char style_part[] = XML_HEAD
    "<styleSheet xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\">"
    "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
    "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>"
    "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
    "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
    "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/>"
    "</cellStyleXfs><cellXfs count=\"3\">"
    "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
    "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>"
    "<xf numFmtId=\"2\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
    "applyNumberFormat=\"1\"/></cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" "
    "xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>";

/* Puts a line for each sheet, then |tail|, and writes all of it as the part |name|. */
static tacho_status add_part(book *self, const char *name, const char *tail)
{
    TACHO_TRY(put(self, tail));
    return tacho_zip_add(&self->zip, name, tacho_text_take(&self->xml));
}

static tacho_status add_book(book *self)
{
    TACHO_TRY(put(self, XML_HEAD
                  "<workbook xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" "
                  "xmlns:r=\"" OFFICE "relationships\"><bookViews><workbookView/></bookViews>"
                  "<sheets>"));
    for (size_t i = 0; i < self->sheet_count; i++) {
        char text[96];
        TACHO_TRY(put(self, "<sheet name=\""));
        TACHO_TRY(put_escaped(self, self->sheets[i]->title));
        snprintf(text, sizeof(text), "\" sheetId=\"%zu\" r:id=\"rId%zu\"/>", i + 1, i + 1);
        TACHO_TRY(put(self, text));
    }
    return add_part(self, "xl/workbook.xml", "</sheets></workbook>");
}

static tacho_status add_relations(book *self)
{
    char text[256];
    TACHO_TRY(put(self, XML_HEAD "<Relationships xmlns=\"" PACKAGE "relationships\">"));
    for (size_t i = 0; i < self->sheet_count; i++) {
        snprintf(text, sizeof(text),
                 "<Relationship Id=\"rId%zu\" Type=\"" OFFICE "relationships/worksheet\" "
                 "Target=\"worksheets/sheet%zu.xml\"/>",
                 i + 1, i + 1);
        TACHO_TRY(put(self, text));
    }
    snprintf(text, sizeof(text),
             "<Relationship Id=\"rId%zu\" Type=\"" OFFICE "relationships/styles\" "
             "Target=\"styles.xml\"/></Relationships>",
             self->sheet_count + 1);
    return add_part(self, "xl/_rels/workbook.xml.rels", text);
}

static tacho_status add_types(book *self)
{
    TACHO_TRY(put(
        self, XML_HEAD
        "<Types xmlns=\"" PACKAGE "content-types\"><Default Extension=\"rels\" "
        "ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
        "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
        "<Override PartName=\"/docProps/core.xml\" "
        "ContentType=\"application/vnd.openxmlformats-package.core-properties+xml\"/>"
        "<Override PartName=\"/xl/styles.xml\" ContentType=\"" SPREADSHEET "styles+xml\"/>"
        "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" SPREADSHEET "sheet.main+xml\"/>"));
    for (size_t i = 0; i < self->sheet_count; i++) {
        char text[192];
        snprintf(text, sizeof(text),
                 "<Override PartName=\"/%s\" ContentType=\"" SPREADSHEET "worksheet+xml\"/>",
                 self->sheets[i]->part);
        TACHO_TRY(put(self, text));
    }
    return add_part(self, "[Content_Types].xml", "</Types>");
}

/* ---- interface -------------------------------------------------------------------------- */

static void xlsx_close(void *workbook)
{
    book *self = workbook;
    tacho_zip_close(&self->zip);
    for (size_t i = 0; i < self->sheet_count; i++) {
        free(self->sheets[i]);
    }
    free(self->sheets);
    tacho_text_deinit(&self->xml);
    free(self->text);
    free(self);
}

static tacho_status open_book(book *self)
{
    TACHO_TRY(tacho_zip_open(&self->zip));
    TACHO_TRY(tacho_zip_add(&self->zip, "_rels/.rels", tacho_str_from_cstring(root_part)));
    TACHO_TRY(tacho_zip_add(&self->zip, "docProps/core.xml", tacho_str_from_cstring(core_part)));
    return tacho_zip_add(&self->zip, "xl/styles.xml", tacho_str_from_cstring(style_part));
}

static tacho_status xlsx_open(void **out_workbook)
{
    *out_workbook = NULL;
    book *self = calloc(1, sizeof(*self));
    if (self == NULL) {
        return tacho_no_memory();
    }
    tacho_status status = open_book(self);
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

/* A book must have a sheet: an empty report gets an empty one. */
static tacho_status xlsx_write(void *workbook, tacho_output *output)
{
    book *self = workbook;
    if (self->sheet_count == 0) {
        TACHO_TRY(add_sheet(self, "Empty"));
    }
    TACHO_TRY(end_sheet(self));
    TACHO_TRY(add_book(self));
    TACHO_TRY(add_relations(self));
    TACHO_TRY(add_types(self));
    return tacho_zip_finish(&self->zip, output);
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
