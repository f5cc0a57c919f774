/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells as the vendor's scripts write them.
 */
#include "session/tt_writer.h"

#include "codec/csv.h"

#include <stdio.h>

static const char *const new_sizes[] = {
    "TENSIX DM 0 MAX KERNEL SIZE",      "TENSIX DM 1 MAX KERNEL SIZE",
    "TENSIX COMPUTE 0 MAX KERNEL SIZE", "TENSIX COMPUTE 1 MAX KERNEL SIZE",
    "TENSIX COMPUTE 2 MAX KERNEL SIZE", "ACTIVE ETH DM 0 MAX KERNEL SIZE",
    "ACTIVE ETH DM 1 MAX KERNEL SIZE",  "IDLE ETH DM 0 MAX KERNEL SIZE",
    "IDLE ETH DM 1 MAX KERNEL SIZE",    NULL,
};
/* Until 2025-09. */
static const char *const old_sizes[] = {
    "BRISC MAX KERNEL SIZE",
    "NCRISC MAX KERNEL SIZE",
    "TRISC 0 MAX KERNEL SIZE",
    "TRISC 1 MAX KERNEL SIZE",
    "TRISC 2 MAX KERNEL SIZE",
    "ERISC MAX KERNEL SIZE",
    NULL,
};

void tt_writer_init(tt_writer *writer, tacho_output *output)
{
    *writer = (tt_writer){.output = output, .sizes = new_sizes};
}

void tt_writer_deinit(tt_writer *writer)
{
    tacho_text_deinit(&writer->text);
}

void tt_writer_use_old_sizes(tt_writer *writer)
{
    writer->sizes = old_sizes;
}

/* ---- the shape ----------------------------------------------------------------------------- */

static bool has_bracket(const tt_tensor *tensor)
{
    return tacho_str_find_byte(tensor->cells[0], '[') < tensor->cells[0].len;
}

void tt_writer_measure(tt_writer *writer, const tt_op_data *data)
{
    writer->input_count =
        data->input_count > writer->input_count ? data->input_count : writer->input_count;
    writer->output_count =
        data->output_count > writer->output_count ? data->output_count : writer->output_count;
    for (size_t i = 0; i < data->input_count; i++) {
        writer->has_logical_shapes |= has_bracket(&data->inputs[i]);
    }
    for (size_t i = 0; i < data->output_count; i++) {
        writer->has_logical_shapes |= has_bracket(&data->outputs[i]);
    }
    for (size_t i = 0; i < data->size_count; i++) {
        if (tacho_str_starts_with(data->sizes[i].name, TACHO_STR("BRISC "))) {
            writer->sizes = old_sizes;
        }
    }
}

/* ---- cells --------------------------------------------------------------------------------- */

static void put_raw(tt_writer *writer, tacho_str cell)
{
    if (!writer->is_first) {
        tacho_output_write(writer->output, ",", 1);
    }
    writer->is_first = false;
    tacho_csv_write_field(writer->output, cell, ',');
}

/* A cell with semicolons for commas. */
static tacho_status put(tt_writer *writer, tacho_str cell)
{
    if (tacho_str_find_byte(cell, ',') == cell.len) {
        put_raw(writer, cell);
        return TACHO_OK;
    }
    for (size_t at = 0; at <= cell.len;) {
        size_t len = tacho_str_find_byte(tacho_str_from(cell, at), ',');
        TACHO_TRY(tacho_text_put(&writer->text, tacho_str_make(cell.data + at, len)));
        at += len + 1;
        if (at <= cell.len) {
            TACHO_TRY(tacho_text_put(&writer->text, TACHO_STR(";")));
        }
    }
    put_raw(writer, tacho_text_take(&writer->text));
    return TACHO_OK;
}

static void end_line(tt_writer *writer)
{
    tacho_output_write(writer->output, "\r\n", 2);
    writer->is_first = true;
}

/* ---- the header ---------------------------------------------------------------------------- */

static void put_tensor_names(tt_writer *writer, const char *kind, size_t count)
{
    static const char *const names[TT_TENSOR_CELLS] = {"W",      "Z",        "Y",     "X",
                                                       "LAYOUT", "DATATYPE", "MEMORY"};
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < TT_TENSOR_CELLS; k++) {
            char name[64];
            int len = snprintf(name, sizeof(name), "%s_%zu_%s%s", kind, i, names[k],
                               k < 4 && writer->has_logical_shapes ? "_PAD[LOGICAL]" : "");
            put_raw(writer, tacho_str_make(name, (size_t)len));
        }
    }
}

static void put_size_names(tt_writer *writer)
{
    for (size_t i = 0; writer->sizes[i] != NULL; i++) {
        char name[64];
        int len = snprintf(name, sizeof(name), "%s [B]", writer->sizes[i]);
        put_raw(writer, tacho_str_make(name, (size_t)len));
    }
}

static const char *const column_names[TT_JOIN_COLUMN_COUNT] = {
#define TT_JOIN_NAME(name, text) text,
    TT_JOIN_COLUMNS(TT_JOIN_NAME)
#undef TT_JOIN_NAME
};

const char *tt_join_column_name(tt_join_column column)
{
    return column_names[column];
}

tacho_status tt_writer_put_header(tt_writer *writer)
{
    static const char *const mlir[TT_MLIR_COUNT] = {"LOC", "CONST_EVAL_OP", "PROGRAM_METADATA"};
    writer->is_first = true;
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        if (i == TT_JOIN_TENSORS_MARK) {
            put_tensor_names(writer, "INPUT", writer->input_count);
            put_tensor_names(writer, "OUTPUT", writer->output_count);
        } else if (i == TT_JOIN_SIZES_MARK && writer->has_sizes) {
            put_size_names(writer);
        } else if (writer->has_column[i]) {
            put_raw(writer, tacho_str_from_cstring(tt_join_column_name((tt_join_column)i)));
        }
    }
    for (size_t i = 0; i < writer->extra_count; i++) {
        put_raw(writer, writer->extra_names[i]);
    }
    for (size_t i = 0; i < TT_MLIR_COUNT && writer->has_mlir; i++) {
        put_raw(writer, tacho_str_from_cstring(mlir[i]));
    }
    end_line(writer);
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status put_tensors(tt_writer *writer, const tt_tensor *tensors, size_t count,
                                size_t most)
{
    for (size_t i = 0; i < most; i++) {
        for (size_t k = 0; k < TT_TENSOR_CELLS; k++) {
            TACHO_TRY(put(writer, i < count ? tensors[i].cells[k] : TACHO_STR("")));
        }
    }
    return TACHO_OK;
}

static tacho_status put_sizes(tt_writer *writer, const tt_op_data *data)
{
    for (size_t i = 0; writer->sizes[i] != NULL; i++) {
        tacho_str bytes = TACHO_STR("");
        for (size_t k = 0; k < data->size_count; k++) {
            bool is_it =
                tacho_str_equal(data->sizes[k].name, tacho_str_from_cstring(writer->sizes[i]));
            bytes = is_it ? data->sizes[k].bytes : bytes;
        }
        TACHO_TRY(put(writer, bytes));
    }
    return TACHO_OK;
}

static void put_mlir(tt_writer *writer, const tt_writer_row *row)
{
    static const char *const unknown[TT_MLIR_COUNT] = {"loc(unknown)", "false", "{}"};
    for (size_t i = 0; i < TT_MLIR_COUNT && writer->has_mlir; i++) {
        put_raw(writer,
                row->mlir[i].data != NULL ? row->mlir[i] : tacho_str_from_cstring(unknown[i]));
    }
}

tacho_status tt_writer_put(tt_writer *writer, const tt_writer_row *row)
{
    static const tt_op_data nothing;
    const tt_op_data *data = row->data != NULL ? row->data : &nothing;
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        if (i == TT_JOIN_TENSORS_MARK) {
            TACHO_TRY(put_tensors(writer, data->inputs, data->input_count, writer->input_count));
            TACHO_TRY(put_tensors(writer, data->outputs, data->output_count, writer->output_count));
        } else if (i == TT_JOIN_SIZES_MARK && writer->has_sizes) {
            TACHO_TRY(put_sizes(writer, data));
        } else if (writer->has_column[i]) {
            TACHO_TRY(put(writer, row->cells[i]));
        }
    }
    for (size_t i = 0; i < writer->extra_count; i++) {
        TACHO_TRY(put(writer, row->extras[i]));
    }
    put_mlir(writer, row);
    end_line(writer);
    return TACHO_OK;
}
