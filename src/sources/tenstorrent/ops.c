/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Op tables of every release: 74 to 139 columns and more to come, recognised by what the header
 * names. The vendor's tool writes CR LF, and ';' for each ',' inside a value.
 */
#include "sources/tenstorrent/tenstorrent.h"

#include "codec/csv.h"
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
        if (tacho_str_equal(tacho_str_trim(tacho_str_make(line.data, len)), wanted)) {
            return true;
        }
        line = tacho_str_from(line, len < line.len ? len + 1 : len);
    }
    return false;
}

static tacho_probe_verdict ops_probe(tacho_str head)
{
    tacho_str line = skip_mark(tacho_str_make(head.data, tacho_str_find_byte(head, '\n')));
    if (!has_name(line, tt_column_name(TACHO_TT_CALL_COUNT))) {
        return TACHO_PROBE_NO;
    }
    bool has_ops = has_name(line, tt_column_name(TACHO_TT_OP_CODE)) &&
                   has_name(line, tt_column_name(TACHO_TT_OP_TYPE));
    bool has_device = has_name(line, tt_column_name(TACHO_TT_KERNEL_DURATION)) ||
                      has_name(line, tt_column_name(TACHO_TT_FW_DURATION));
    return has_ops || has_device ? TACHO_PROBE_SURE : TACHO_PROBE_NO;
}

/* A line that does not fit the header, as Python's csv module always writes it. */
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

static tacho_status read_rows(tt_table *table, tacho_input *input, tt_ops_loss *loss)
{
    tacho_str line;
    bool has_line = true;
    for (;;) {
        TACHO_TRY(tacho_input_line(input, &line, &has_line));
        if (!has_line) {
            break;
        }
        if (tacho_str_trim(line).len == 0) {
            continue;
        }
        bool is_good = tacho_str_find_byte(line, '\0') == line.len;
        if (is_good) {
            TACHO_TRY(tt_table_add_line(table, line, input->line_number, &is_good));
            input->use = is_good ? (tacho_input_use){0} : input->use; /* names come at the end */
        }
        if (!is_good) {
            TACHO_TRY(count_bad(table, line, input->line_number, loss));
        }
    }
    loss->is_cut = tacho_input_damage(input) != NULL;
    return TACHO_OK;
}

static tacho_status read_table(tt_table *table, tacho_input *input, tt_ops_loss *loss)
{
    tacho_str line = TACHO_STR("");
    bool has_line = true;
    TACHO_TRY(tacho_input_line(input, &line, &has_line));
    TACHO_TRY_NOTE(tt_table_set_header(table, skip_mark(line)), "reading the header of %s",
                   input->name);
    if (table->known[TACHO_TT_CALL_COUNT] == TT_NO_COLUMN) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:1: the header has no column GLOBAL CALL COUNT, as an op table of "
                          "Tenstorrent's profiler does",
                          input->name);
    }
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
