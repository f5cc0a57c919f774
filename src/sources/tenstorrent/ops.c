/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op tables of every release: 74 to 139 columns and more in future, recognized by names in the
 * header. The vendor's tool writes CR LF, and ';' for each ',' inside a value.
 */
#include "sources/tenstorrent/tenstorrent.h"

#include "base/text.h"
#include "sources/tenstorrent/ops_emit.h"

static tacho_str skip_mark(tacho_str line)
{
    return tacho_str_starts_with(line, TACHO_STR("\xef\xbb\xbf")) ? tacho_str_from(line, 3) : line;
}

/* Whether one of the names in the header |line| is |name|. */
static bool has_name(tacho_str line, const char *name)
{
    tacho_str wanted = tacho_str_from_cstring(name);
    while (line.len > 0) {
        size_t len = tacho_str_find_byte(line, ',');
        tacho_str field = tacho_str_trim(tacho_str_make(line.data, len));
        bool is_quoted = field.len > 1 && field.data[0] == '"' && field.data[field.len - 1] == '"';
        field = is_quoted ? tacho_str_make(field.data + 1, field.len - 2) : field;
        if (tacho_str_equal(tacho_str_trim(field), wanted)) {
            return true;
        }
        line = tacho_str_from(line, len < line.len ? len + 1 : len);
    }
    return false;
}

static bool has_column(tacho_str line, tacho_tt_column column)
{
    return has_name(line, tt_column_name(column));
}

/*
 * Whether a header is that of an op table: it describes ops or their execution on the device, and
 * names calls. Users remove columns, so two of the three are enough.
 */
static bool is_header(tacho_str line)
{
    bool has_ops = has_column(line, TACHO_TT_OP_CODE);
    bool has_device = has_column(line, TACHO_TT_KERNEL_DURATION) ||
                      has_column(line, TACHO_TT_FW_DURATION) ||
                      has_column(line, TACHO_TT_QUASAR_DM_DURATION) ||
                      has_column(line, TACHO_TT_QUASAR_TRISC_DURATION);
    bool has_calls = has_column(line, TACHO_TT_CALL_COUNT);
    return (has_ops && has_device) || (has_calls && has_device) ||
           (has_calls && has_ops && has_column(line, TACHO_TT_OP_TYPE));
}

static tacho_probe_verdict ops_probe(tacho_str head)
{
    tacho_str line = skip_mark(tacho_str_make(head.data, tacho_str_find_byte(head, '\n')));
    return is_header(line) ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

/* Counts a line that does not fit the header; Python's csv module always writes lines that do. */
static tacho_status count_bad(tt_table *table, tacho_str line, uint64_t line_number,
                              tt_ops_loss *loss)
{
    if (loss->bad_row_count++ == 0) {
        loss->first_bad_line = line_number;
        line.len = line.len > 80 ? 80 : line.len;
        return tacho_arena_copy(&table->arena, line, &loss->bad_example);
    }
    return TACHO_OK;
}

/* Adds one line, or counts it. */
static tacho_status add_line(tt_table *table, tacho_str line, uint64_t line_number,
                             tt_ops_loss *loss)
{
    bool is_good = tacho_str_find_byte(line, '\0') == line.len;
    if (tacho_str_trim(line).len == 0) {
        return TACHO_OK;
    }
    if (is_good) {
        TACHO_TRY(tt_table_add_line(table, line, line_number, &is_good));
    }
    return is_good ? TACHO_OK : count_bad(table, line, line_number, loss);
}

/* ---- records of several lines ------------------------------------------------------------ */

/* A quoted field may contain line ends; this limits the length of its record. */
enum { RECORD_BYTES_MAX = 1 << 20 };

/* Lines that may be one record, from |first_line| on: a quote was opened and not closed. */
typedef struct open_record {
    tacho_text text;
    bool is_open;
    uint64_t first_line;
} open_record;

static bool has_open_quote(tacho_str line)
{
    bool is_open = false;
    for (size_t i = 0; i < line.len; i++) {
        is_open ^= line.data[i] == '"';
    }
    return is_open;
}

/* Adds the lines as one record if they form one; else adds them one by one. */
static tacho_status close_record(open_record *record, tt_table *table, tt_ops_loss *loss)
{
    tacho_str all = tacho_text_take(&record->text);
    uint64_t line_number = record->first_line;
    bool is_good = tacho_str_find_byte(all, '\0') == all.len;
    record->is_open = false;
    if (is_good) {
        TACHO_TRY(tt_table_add_line(table, all, line_number, &is_good));
    }
    while (!is_good && all.len > 0) {
        size_t len = tacho_str_find_byte(all, '\n');
        TACHO_TRY(add_line(table, tacho_str_make(all.data, len), line_number++, loss));
        all = tacho_str_from(all, len < all.len ? len + 1 : len);
    }
    return TACHO_OK;
}

/* Adds the next line to an open record, or begins one. */
static tacho_status extend_record(open_record *record, tacho_str line, uint64_t line_number,
                                  tt_table *table, tt_ops_loss *loss)
{
    bool is_closing = record->is_open && has_open_quote(line);
    if (!record->is_open) {
        record->is_open = true;
        record->first_line = line_number;
    } else {
        TACHO_TRY(tacho_text_put(&record->text, TACHO_STR("\n")));
    }
    TACHO_TRY(tacho_text_put(&record->text, line));
    return is_closing || record->text.item_count > RECORD_BYTES_MAX
               ? close_record(record, table, loss)
               : TACHO_OK;
}

static tacho_status read_lines(tt_table *table, tacho_input *input, open_record *record,
                               tt_ops_loss *loss)
{
    tacho_str line;
    bool has_line = true;
    for (;;) {
        size_t row_count = table->row_count;
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
        if (!has_line) {
            return record->is_open ? close_record(record, table, loss) : TACHO_OK;
        }
        TACHO_TRY(record->is_open || has_open_quote(line)
                      ? extend_record(record, line, input->line_number, table, loss)
                      : add_line(table, line, input->line_number, loss));
        if (table->row_count > row_count) {
            input->use = (tacho_input_use){0}; /* names are available at the end */
        }
    }
}

static tacho_status read_rows(tt_table *table, tacho_input *input, tt_ops_loss *loss)
{
    open_record record = {.is_open = false};
    tacho_status status = read_lines(table, input, &record, loss);
    tacho_text_deinit(&record.text);
    loss->is_cut = tacho_input_damage(input) != NULL;
    return status;
}

static tacho_status check_header(const tt_table *table, tacho_str line, const tacho_input *input)
{
    if (is_header(line)) {
        return TACHO_OK;
    }
    bool has_ops = table->known[TACHO_TT_OP_CODE] != TT_NO_COLUMN ||
                   table->known[TACHO_TT_CALL_COUNT] != TT_NO_COLUMN;
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      has_ops ? "%s:1: the header has no column of device times, as DEVICE KERNEL "
                                "DURATION [ns]"
                              : "%s:1: the header has no column OP CODE or GLOBAL CALL COUNT, as "
                                "an op table of Tenstorrent's profiler does",
                      input->name);
}

static tacho_status read_table(tt_table *table, tacho_input *input, tt_ops_loss *loss)
{
    tacho_str line = TACHO_STR("");
    bool has_line = true;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    TACHO_TRY_NOTE(tt_table_set_header(table, skip_mark(line)), "reading the header of %s",
                   input->name);
    TACHO_TRY(check_header(table, skip_mark(line), input));
    TACHO_TRY(read_rows(table, input, loss));
    if (table->row_count == 0 && loss->bad_row_count > 0) {
        return tacho_fail(
            TACHO_CODE_BAD_DATA, "%s:%llu: no row of this file has the %zu fields of its header",
            input->name, (unsigned long long)loss->first_bad_line, table->column_count);
    }
    return TACHO_OK;
}

static tacho_status ops_read(const tacho_reading *reading)
{
    tt_table table;
    tt_ops_loss loss = {0};
    tt_table_init(&table);
    tacho_status status = read_table(&table, reading->input, &loss);
    if (status == TACHO_OK && table.row_count == 0) {
        status = tacho_fail(TACHO_CODE_BAD_DATA, "%s: the file has a header but no rows",
                            reading->input->name);
    }
    if (status == TACHO_OK) {
        status = tt_ops_emit(reading, &table, &loss);
    }
    tt_table_deinit(&table);
    return status;
}

const tacho_source tacho_source_tenstorrent_ops = {
    .name = TACHO_TT_FORMAT,
    .title = "op table of Tenstorrent's profiler (ops_perf_results*.csv)",
    .probe = ops_probe,
    .read = ops_read,
};
