/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts for build services. Names originate in files: each format escapes characters that would
 * end a field.
 */
#include "sinks/verdicts.h"

#include "base/grow.h"
#include "base/text.h"

#include <stdlib.h>

/* One row with a verdict. */
typedef struct verdict_row {
    tacho_str name, verdict, says;
} verdict_row;

/* The first column with |id|, SIZE_MAX if missing. */
static size_t find_column(const tacho_table *table, tacho_column_id id)
{
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].id == id) {
            return i;
        }
    }
    return SIZE_MAX;
}

static tacho_status cell_text(const tacho_table *table, size_t row, size_t column,
                              tacho_arena *arena, tacho_str *out_text)
{
    *out_text = TACHO_STR("");
    return column == SIZE_MAX || tacho_table_cell(table, row, column)->is_absent
               ? TACHO_OK
               : tacho_table_cell_text(tacho_table_cell(table, row, column),
                                       table->columns[column].type, arena, out_text);
}

/* Numbers of the row beside its name and verdict: "A 1.000 ms, B 1.100 ms, change 10.00 %". */
static tacho_status describe(const tacho_table *table, size_t row, tacho_arena *arena,
                             tacho_str *out_text)
{
    static const tacho_column_id shown[] = {TACHO_COL_REASON,        TACHO_COL_A_NS,
                                            TACHO_COL_B_NS,          TACHO_COL_DIFFERENCE_NS,
                                            TACHO_COL_MARGIN_NS,     TACHO_COL_CHANGE_PERCENT,
                                            TACHO_COL_LIMIT_PERCENT, TACHO_COL_LIMIT_NS};
    tacho_text text = {0};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]) && status == TACHO_OK; i++) {
        size_t column = find_column(table, shown[i]);
        tacho_str cell = TACHO_STR("");
        status = cell_text(table, row, column, arena, &cell);
        if (status == TACHO_OK && cell.len > 0) {
            const char *title = shown[i] != TACHO_COL_REASON ? table->columns[column].title : "";
            const tacho_str pieces[] = {text.item_count > 0 ? TACHO_STR(", ") : TACHO_STR(""),
                                        tacho_str_from_cstring(title),
                                        title[0] != '\0' ? TACHO_STR(" ") : TACHO_STR(""), cell};
            for (size_t k = 0; k < 4 && status == TACHO_OK; k++) {
                status = tacho_text_put(&text, pieces[k]);
            }
        }
    }
    status =
        status == TACHO_OK ? tacho_arena_copy(arena, tacho_text_take(&text), out_text) : status;
    tacho_text_deinit(&text);
    return status;
}

/* "gemm in encoder/layer.3", if the layer is known: one name may be in many. */
static tacho_status name_row(const tacho_table *table, size_t row, tacho_arena *arena,
                             tacho_str *out_name)
{
    tacho_str layer;
    TACHO_TRY(cell_text(table, row, find_column(table, TACHO_COL_OPERATION), arena, out_name));
    TACHO_TRY(cell_text(table, row, find_column(table, TACHO_COL_LAYER), arena, &layer));
    if (layer.len == 0) {
        return TACHO_OK;
    }
    tacho_text text = {0};
    tacho_status status = tacho_text_put(&text, *out_name);
    status = status == TACHO_OK ? tacho_text_put(&text, TACHO_STR(" in ")) : status;
    status = status == TACHO_OK ? tacho_text_put(&text, layer) : status;
    status =
        status == TACHO_OK ? tacho_arena_copy(arena, tacho_text_take(&text), out_name) : status;
    tacho_text_deinit(&text);
    return status;
}

/* Fills |out_row|; its verdict is empty for a row without one. */
static tacho_status read_row(const tacho_table *table, size_t row, tacho_arena *arena,
                             verdict_row *out_row)
{
    size_t verdict = find_column(table, TACHO_COL_VERDICT);
    size_t name = find_column(table, TACHO_COL_OPERATION);
    *out_row = (verdict_row){.name = TACHO_STR("total")};
    TACHO_TRY(cell_text(table, row, verdict, arena, &out_row->verdict));
    if (name != SIZE_MAX) {
        TACHO_TRY(name_row(table, row, arena, &out_row->name));
    }
    return describe(table, row, arena, &out_row->says);
}

static bool is_word(tacho_str text, const char *word)
{
    return tacho_str_equal(text, tacho_str_from_cstring(word));
}

/* ---- GitHub --------------------------------------------------------------------------------- */

/* A command is one line; "%" begins an escape. */
static void write_data(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '%') {
            tacho_output_write_cstring(output, "%25");
        } else {
            tacho_output_write(output, text.data + i, 1);
        }
    }
}

static void write_command(tacho_output *output, const verdict_row *row)
{
    const char *command = is_word(row->verdict, "regression")     ? "error"
                          : is_word(row->verdict, "inconclusive") ? "warning"
                                                                  : "notice";
    tacho_output_printf(output, "::%s title=tacho gate::", command);
    write_data(output, row->name);
    tacho_output_write_cstring(output, ": ");
    write_data(output, row->verdict);
    tacho_output_write_cstring(output, row->says.len > 0 ? ": " : "");
    write_data(output, row->says);
    tacho_output_write_cstring(output, "\n");
}

/* Operators that pass do not get a line each; the total does. */
static bool is_annotated(const tacho_table *table, const verdict_row *row)
{
    bool is_total = find_column(table, TACHO_COL_OPERATION) == SIZE_MAX;
    return row->verdict.len > 0 && (is_total || is_word(row->verdict, "regression"));
}

static tacho_status github_write(const tacho_table *table, size_t index, tacho_output *output)
{
    (void)index;
    tacho_status status = TACHO_OK;
    tacho_arena arena;
    tacho_arena_init(&arena);
    for (size_t i = 0; i < tacho_table_row_count(table) && status == TACHO_OK; i++) {
        verdict_row row;
        status = read_row(table, i, &arena, &row);
        if (status == TACHO_OK && is_annotated(table, &row)) {
            write_command(output, &row);
        }
        tacho_arena_reset(&arena);
    }
    tacho_arena_deinit(&arena);
    return status;
}

const tacho_table_sink tacho_table_sink_github = {
    .name = "github",
    .title = "annotations of a GitHub workflow",
    .suffix = ".github",
    .write = github_write,
};

/* ---- JUnit ---------------------------------------------------------------------------------- */

typedef struct suite {
    tacho_arena arena;
    verdict_row *rows;
    size_t row_count, row_capacity;
} suite;

static tacho_status junit_open(void **out_suite)
{
    suite *self = calloc(1, sizeof(*self));
    *out_suite = self;
    if (self == NULL) {
        return tacho_no_memory();
    }
    tacho_arena_init(&self->arena);
    return TACHO_OK;
}

static void junit_close(void *user)
{
    suite *self = user;
    tacho_arena_deinit(&self->arena);
    free(self->rows);
    free(self);
}

static tacho_status junit_add(void *user, const tacho_table *table, size_t index)
{
    suite *self = user;
    (void)index;
    for (size_t i = 0; i < tacho_table_row_count(table); i++) {
        verdict_row row;
        TACHO_TRY(read_row(table, i, &self->arena, &row));
        /* Texts of cells may belong to the table, which is temporary. */
        TACHO_TRY(tacho_arena_copy(&self->arena, row.name, &row.name));
        TACHO_TRY(tacho_arena_copy(&self->arena, row.verdict, &row.verdict));
        if (row.verdict.len > 0) {
            TACHO_TRY(tacho_grow(&self->rows, &self->row_capacity, self->row_count + 1));
            self->rows[self->row_count++] = row;
        }
    }
    return TACHO_OK;
}

/* Text of cells is printable, so that only XML's special characters are left. */
static void write_xml(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        switch (text.data[i]) {
        case '&':
            tacho_output_write_cstring(output, "&amp;");
            break;
        case '<':
            tacho_output_write_cstring(output, "&lt;");
            break;
        case '>':
            tacho_output_write_cstring(output, "&gt;");
            break;
        case '"':
            tacho_output_write_cstring(output, "&quot;");
            break;
        default:
            tacho_output_write(output, text.data + i, 1);
        }
    }
}

static size_t count_verdicts(const suite *self, const char *word)
{
    size_t count = 0;
    for (size_t i = 0; i < self->row_count; i++) {
        count += is_word(self->rows[i].verdict, word) ? 1 : 0;
    }
    return count;
}

static void write_case(tacho_output *output, const verdict_row *row)
{
    const char *element = is_word(row->verdict, "regression")     ? "failure"
                          : is_word(row->verdict, "inconclusive") ? "skipped"
                                                                  : NULL;
    tacho_output_write_cstring(output, "    <testcase classname=\"tacho.gate\" name=\"");
    write_xml(output, row->name);
    if (element == NULL) {
        tacho_output_write_cstring(output, "\"/>\n");
        return;
    }
    tacho_output_printf(output, "\">\n      <%s message=\"", element);
    write_xml(output, row->says);
    tacho_output_write_cstring(output, "\"/>\n    </testcase>\n");
}

static tacho_status junit_write(void *user, tacho_output *output)
{
    const suite *self = user;
    tacho_output_printf(output,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
                        "  <testsuite name=\"tacho gate\" tests=\"%zu\" failures=\"%zu\" "
                        "errors=\"0\" skipped=\"%zu\">\n",
                        self->row_count, count_verdicts(self, "regression"),
                        count_verdicts(self, "inconclusive"));
    for (size_t i = 0; i < self->row_count; i++) {
        write_case(output, &self->rows[i]);
    }
    tacho_output_write_cstring(output, "  </testsuite>\n</testsuites>\n");
    return TACHO_OK;
}

static const tacho_workbook_vtable junit_workbook = {
    .open = junit_open,
    .add = junit_add,
    .write = junit_write,
    .close = junit_close,
};

const tacho_table_sink tacho_table_sink_junit = {
    .name = "junit",
    .title = "test results in JUnit's XML",
    .suffix = ".xml",
    .workbook = &junit_workbook,
};
