/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells as the vendor's scripts write them.
 */
#include "vendors/tenstorrent/tt_writer.h"

#include "base/grow.h"
#include "codec/csv.h"

#include <stdio.h>
#include <stdlib.h>

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
    *writer = (tt_writer){.output = output};
}

void tt_writer_deinit(tt_writer *writer)
{
    tacho_text_deinit(&writer->text);
    free(writer->sizes);
    writer->sizes = NULL;
}

/* ---- sizes of kernels ---------------------------------------------------------------------- */

/* No processor has more; what a damaged message has beyond is left out. */
enum { SIZES_MAX = 1024 };

/* "TENSIX DM 0 MAX KERNEL SIZE" is of a class and a number, which decide where it stands. */
typedef struct size_place {
    size_t rank;
    uint64_t number;
} size_place;

static size_place place_of(tacho_str name)
{
    static const char *const classes[] = {"TENSIX DM ", "TENSIX COMPUTE ", "ACTIVE ETH DM ",
                                          "IDLE ETH DM "};
    size_place place = {sizeof(classes) / sizeof(classes[0]), 0};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        tacho_str prefix = tacho_str_from_cstring(classes[i]);
        if (tacho_str_starts_with(name, prefix)) {
            tacho_str rest = tacho_str_from(name, prefix.len);
            rest.len = tacho_str_find_byte(rest, ' ');
            place.rank = tacho_str_parse_u64(rest, &place.number) ? i : place.rank;
        }
    }
    return place;
}

static int compare_sizes(tacho_str a, tacho_str b)
{
    size_place left = place_of(a);
    size_place right = place_of(b);
    if (left.rank != right.rank) {
        return left.rank < right.rank ? -1 : 1;
    }
    if (left.number != right.number) {
        return left.number < right.number ? -1 : 1;
    }
    return tacho_str_compare(a, b);
}

static tacho_status insert_size(tt_writer *writer, size_t at, tacho_str name)
{
    TACHO_TRY(tacho_grow(&writer->sizes, &writer->size_capacity, writer->size_count + 1));
    memmove(&writer->sizes[at + 1], &writer->sizes[at],
            (writer->size_count - at) * sizeof(*writer->sizes));
    writer->sizes[at] = name;
    writer->size_count++;
    return TACHO_OK;
}

static tacho_status ensure_size(tt_writer *writer, tacho_str name)
{
    size_t low = 0;
    size_t high = writer->size_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_sizes(writer->sizes[middle], name);
        if (order == 0) {
            return TACHO_OK;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return writer->size_count < SIZES_MAX ? insert_size(writer, low, name) : TACHO_OK;
}

tacho_status tt_writer_fix_sizes(tt_writer *writer, bool is_old)
{
    writer->has_fixed_sizes = true;
    writer->size_count = 0;
    for (const char *const *name = is_old ? old_sizes : new_sizes; *name != NULL; name++) {
        TACHO_TRY(insert_size(writer, writer->size_count, tacho_str_from_cstring(*name)));
    }
    return TACHO_OK;
}

/* ---- the shape ----------------------------------------------------------------------------- */

static bool has_bracket(const tt_tensor *tensor)
{
    return tacho_str_find_byte(tensor->cells[0], '[') < tensor->cells[0].len;
}

tacho_status tt_writer_measure(tt_writer *writer, const tt_op_data *data)
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
    for (size_t i = 0; i < data->size_count && !writer->has_fixed_sizes; i++) {
        bool is_old = tacho_str_starts_with(data->sizes[i].name, TACHO_STR("BRISC "));
        TACHO_TRY(is_old ? tt_writer_fix_sizes(writer, true)
                         : ensure_size(writer, data->sizes[i].name));
    }
    return TACHO_OK;
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

static tacho_status put_size_names(tt_writer *writer)
{
    for (size_t i = 0; i < writer->size_count; i++) {
        TACHO_TRY(tacho_text_put(&writer->text, writer->sizes[i]));
        TACHO_TRY(tacho_text_put(&writer->text, TACHO_STR(" [B]")));
        put_raw(writer, tacho_text_take(&writer->text));
    }
    return TACHO_OK;
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
        } else if (i == TT_JOIN_SIZES_MARK) {
            TACHO_TRY(put_size_names(writer));
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
    for (size_t i = 0; i < writer->size_count; i++) {
        tacho_str bytes = TACHO_STR("");
        for (size_t k = 0; k < data->size_count; k++) {
            bool is_it = tacho_str_equal(data->sizes[k].name, writer->sizes[i]);
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
        } else if (i == TT_JOIN_SIZES_MARK) {
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
