/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From reports to cells. Tensors are texts such as "FLOAT32[1x256x256] TILE
 * DEV_0_DRAM_INTERLEAVED", as libtacho-client writes them.
 */
#include "vendors/tenstorrent/tt_capture.h"

#include "base/folder.h"
#include "base/grow.h"
#include "pipeline/intake.h"
#include "pipeline/pipeline.h"
#include "vendors/tenstorrent/tt_capture_rows.h"
#include "vendors/tenstorrent/tt_join_cells.h"
#include "vendors/tenstorrent/tt_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { TENSORS_MAX = 32, SHAPE_CELLS = 4, TILE = 32, TEXT_ROOM = 64, SIZES_MAX = 9 };

/* Where an operator of a device ended: for those that do not say how long they waited. */
typedef struct device_end {
    uint32_t track;
    int64_t end_ns;
} device_end;

typedef struct capture_writer {
    const tacho_tt_capture_request *request;
    tacho_tt_capture_result *result;
    tacho_intake intake;
    tt_capture_rows rows;
    tt_op_data *datas; /* by row */
    tt_writer table;
    tt_cells cells;
    tacho_dict *dict;
    uint32_t keys[TT_JOIN_COLUMN_COUNT]; /* strings: names of columns */
    device_end *ends;
    size_t end_count, end_capacity;
} capture_writer;

/* ---- values -------------------------------------------------------------------------------- */

/* The value of an argument as text in |arena|. */
static tacho_status print_arg(const capture_writer *self, const tacho_arg *arg, tacho_arena *arena,
                              tacho_str *out_text)
{
    char text[TEXT_ROOM];
    switch (arg->type) {
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        *out_text = arg->value.as_text;
        return TACHO_OK;
    case TACHO_ARG_STRING:
        *out_text = tacho_dict_string(self->dict, arg->value.as_string);
        return TACHO_OK;
    case TACHO_ARG_INT:
        snprintf(text, sizeof(text), "%" PRId64, arg->value.as_int);
        break;
    case TACHO_ARG_UINT:
        snprintf(text, sizeof(text), "%" PRIu64, arg->value.as_uint);
        break;
    case TACHO_ARG_REAL:
        snprintf(text, sizeof(text), "%.15g", arg->value.as_real);
        break;
    case TACHO_ARG_BOOL:
        snprintf(text, sizeof(text), "%s", arg->value.as_bool ? "True" : "False");
        break;
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        text[0] = '\0';
        break;
    }
    return tacho_arena_copy(arena, tacho_str_from_cstring(text), out_text);
}

static const tacho_arg *find_arg(const capture_writer *self, const tt_capture_row *row,
                                 const char *name)
{
    tacho_str text = tacho_str_from_cstring(name);
    const tacho_arg *found = tt_report_find(self->dict, row->device, text);
    return found != NULL ? found : tt_report_find(self->dict, row->host, text);
}

/* The text of the argument called |name|; empty where there is none. */
static tacho_str find_text(const capture_writer *self, const tt_capture_row *row, const char *name)
{
    const tacho_arg *arg = find_arg(self, row, name);
    if (arg == NULL) {
        return TACHO_STR("");
    }
    return tacho_arg_has_text(arg)         ? arg->value.as_text
           : arg->type == TACHO_ARG_STRING ? tacho_dict_string(self->dict, arg->value.as_string)
                                           : TACHO_STR("");
}

/* ---- tensors ------------------------------------------------------------------------------- */

/* Reads "2x3x4" into the last four extents, the outer ones multiplied; false where it is none. */
static bool read_shape(tacho_str text, uint64_t extents[SHAPE_CELLS])
{
    uint64_t number = 0;
    bool has_digit = false;
    for (size_t i = 0; i < SHAPE_CELLS; i++) {
        extents[i] = 1;
    }
    for (size_t i = 0; i <= text.len && text.len > 0; i++) {
        char byte = i < text.len ? text.data[i] : 'x';
        if (byte == 'x' && has_digit) {
            if (__builtin_mul_overflow(extents[0], extents[1], &extents[0])) {
                return false;
            }
            memmove(&extents[1], &extents[2], (SHAPE_CELLS - 2) * sizeof(*extents));
            extents[SHAPE_CELLS - 1] = number;
            number = 0;
            has_digit = false;
        } else if (byte >= '0' && byte <= '9') {
            has_digit = true;
            if (__builtin_mul_overflow(number, 10, &number) ||
                __builtin_add_overflow(number, (uint64_t)(byte - '0'), &number)) {
                return false;
            }
        } else {
            return false;
        }
    }
    return true;
}

/* "256", or with logical shapes "256[250]". Tiles fill the last two extents up. */
static tacho_status print_extent(capture_writer *self, uint64_t extent, bool is_tiled,
                                 tacho_str *out_cell)
{
    char text[TEXT_ROOM];
    uint64_t padded = is_tiled ? (extent + TILE - 1) / TILE * TILE : extent;
    if (self->request->has_all_columns) {
        snprintf(text, sizeof(text), "%" PRIu64 "[%" PRIu64 "]", padded, extent);
    } else {
        snprintf(text, sizeof(text), "%" PRIu64, padded);
    }
    return tacho_arena_copy(&self->rows.arena, tacho_str_from_cstring(text), out_cell);
}

static tacho_status read_tensor(capture_writer *self, tacho_str text, tt_tensor *tensor)
{
    uint64_t extents[SHAPE_CELLS];
    size_t open = tacho_str_find_byte(text, '[');
    size_t close = tacho_str_find_byte(text, ']');
    for (size_t i = 0; i < TT_TENSOR_CELLS; i++) {
        tensor->cells[i] = TACHO_STR("");
    }
    if (open >= close || close >= text.len ||
        !read_shape(tacho_str_make(text.data + open + 1, close - open - 1), extents)) {
        tensor->cells[TT_TENSOR_CELLS - 1] = text;
        return TACHO_OK;
    }
    tacho_str rest = tacho_str_from(text, close + 1);
    rest = tacho_str_from(rest, rest.len > 0 ? 1 : 0);
    size_t blank = tacho_str_find_byte(rest, ' ');
    tensor->cells[4] = tacho_str_make(rest.data, blank);
    tensor->cells[5] = tacho_str_make(text.data, open);
    tensor->cells[6] = tacho_str_from(rest, blank < rest.len ? blank + 1 : rest.len);
    bool is_tiled = tacho_str_equal(tensor->cells[4], TACHO_STR("TILE"));
    for (size_t i = 0; i < SHAPE_CELLS; i++) {
        TACHO_TRY(print_extent(self, extents[i], is_tiled && i >= 2, &tensor->cells[i]));
    }
    return TACHO_OK;
}

static tacho_status read_tensors(capture_writer *self, const tt_capture_row *row, const char *kind,
                                 tt_tensor **out_tensors, size_t *out_count)
{
    tt_tensor tensors[TENSORS_MAX];
    void *memory = NULL;
    size_t count = 0;
    for (; count < TENSORS_MAX; count++) {
        char name[TEXT_ROOM];
        snprintf(name, sizeof(name), "%s_%zu", kind, count);
        tacho_str text = find_text(self, row, name);
        if (text.len == 0) {
            break;
        }
        TACHO_TRY(read_tensor(self, text, &tensors[count]));
    }
    TACHO_TRY(tacho_arena_alloc(&self->rows.arena, count * sizeof(*tensors), &memory));
    if (count > 0) {
        memcpy(memory, tensors, count * sizeof(*tensors));
    }
    *out_tensors = memory;
    *out_count = count;
    return TACHO_OK;
}

/* Sizes of kernels: arguments such as "BRISC MAX KERNEL SIZE [B]". */
static tacho_status read_sizes(capture_writer *self, const tt_report *report, tt_op_data *data)
{
    static const char end[] = " MAX KERNEL SIZE [B]";
    enum { UNIT_LEN = 4 };
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->rows.arena, SIZES_MAX * sizeof(*data->sizes), &memory));
    data->sizes = memory;
    for (size_t i = 0; report != NULL && i < report->arg_count; i++) {
        tacho_str key = tacho_dict_string(self->dict, report->args[i].key);
        if (data->size_count < SIZES_MAX && tacho_str_ends_with(key, tacho_str_from_cstring(end))) {
            tt_kernel_size *size = &data->sizes[data->size_count++];
            size->name = tacho_str_make(key.data, key.len - UNIT_LEN);
            TACHO_TRY(print_arg(self, &report->args[i], &self->rows.arena, &size->bytes));
        }
    }
    return TACHO_OK;
}

/* ---- cells --------------------------------------------------------------------------------- */

static tacho_status fill_columns(capture_writer *self, const tt_report *report)
{
    for (size_t i = 0; report != NULL && i < report->arg_count; i++) {
        for (int k = 0; k < TT_JOIN_COLUMN_COUNT; k++) {
            if (report->args[i].key == self->keys[k] && self->keys[k] != 0) {
                TACHO_TRY(
                    print_arg(self, &report->args[i], &self->cells.arena, &self->cells.of[k]));
                break;
            }
        }
    }
    return TACHO_OK;
}

static tacho_status fill_host(capture_writer *self, const tt_report *host)
{
    tt_cells *cells = &self->cells;
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_HOST_START, "%" PRId64, host->start_ns));
    if (host->is_signpost) {
        return TACHO_OK;
    }
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_HOST_END, "%" PRId64, host->end_ns));
    return tt_cells_format(cells, TT_JOIN_HOST_DURATION, "%" PRId64, host->end_ns - host->start_ns);
}

static tacho_status find_end(capture_writer *self, uint32_t track, device_end **out_end,
                             bool *out_is_new)
{
    *out_is_new = false;
    for (size_t i = 0; i < self->end_count; i++) {
        if (self->ends[i].track == track) {
            *out_end = &self->ends[i];
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&self->ends, &self->end_capacity, self->end_count + 1));
    *out_end = &self->ends[self->end_count++];
    (*out_end)->track = track;
    *out_is_new = true;
    return TACHO_OK;
}

/* What follows from the span alone, where the report does not say it. */
static tacho_status fill_device(capture_writer *self, const tt_report *device)
{
    tt_cells *cells = &self->cells;
    int64_t duration_ns = device->end_ns - device->start_ns;
    device_end *end = NULL;
    bool is_first = false;
    TACHO_TRY(find_end(self, device->track, &end, &is_first));
    if (cells->of[TT_JOIN_KERNEL_DURATION].len == 0 && cells->of[TT_JOIN_FW_DURATION].len == 0) {
        int64_t gap_ns = is_first ? 0 : device->start_ns - end->end_ns;
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_FW_DURATION, "%" PRId64, duration_ns));
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_KERNEL_DURATION, "%" PRId64, duration_ns));
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_LATENCY, "%" PRId64, gap_ns));
    }
    end->end_ns = device->end_ns;
    self->result->timed_count++;
    return TACHO_OK;
}

static tacho_status fill_row(capture_writer *self, const tt_capture_row *row)
{
    tt_cells *cells = &self->cells;
    const tt_report *any = row->device != NULL ? row->device : row->host;
    tacho_arena_reset(&cells->arena);
    for (size_t i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        cells->of[i] = TACHO_STR("");
    }
    cells->of[TT_JOIN_OP_CODE] = tacho_dict_string(self->dict, self->dict->sites[any->site].name);
    cells->of[TT_JOIN_OP_TYPE] =
        any->is_signpost ? TACHO_STR("signpost") : find_text(self, row, "op_type");
    cells->of[TT_JOIN_ATTRIBUTES] = find_text(self, row, "attributes");
    if (any->has_call) {
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_CALL_COUNT, "%" PRIu64, any->call));
    }
    const tacho_arg *device = find_arg(self, row, "device");
    if (device != NULL) {
        TACHO_TRY(print_arg(self, device, &cells->arena, &cells->of[TT_JOIN_DEVICE_ID]));
    }
    if (row->host != NULL) {
        TACHO_TRY(fill_host(self, row->host));
    }
    TACHO_TRY(fill_columns(self, row->host));
    TACHO_TRY(fill_columns(self, row->device));
    if (row->device != NULL) {
        TACHO_TRY(fill_device(self, row->device));
    }
    return tt_cells_add_utilisation(cells);
}

/* "loc(...)" of the place of an operator. */
static tacho_status fill_location(capture_writer *self, const tt_capture_row *row,
                                  tacho_str *out_text)
{
    const tt_report *any = row->device != NULL ? row->device : row->host;
    uint32_t location = self->dict->sites[any->site].location;
    *out_text = tacho_str_make(NULL, 0);
    if (location == TACHO_NONE) {
        return TACHO_OK;
    }
    tacho_str text = tacho_dict_string(self->dict, self->dict->locations[location].text);
    if (tacho_str_starts_with(text, TACHO_STR("loc("))) {
        *out_text = text;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_text_put(&self->table.text, TACHO_STR("loc(")));
    TACHO_TRY(tacho_text_put(&self->table.text, text));
    TACHO_TRY(tacho_text_put(&self->table.text, TACHO_STR(")")));
    return tacho_arena_copy(&self->cells.arena, tacho_text_take(&self->table.text), out_text);
}

/* ---- the table ----------------------------------------------------------------------------- */

/* The columns of the table: those that it had when tt_profile was described, or all. */
static tacho_status choose_columns(capture_writer *self)
{
    static const tt_join_column newer[] = {
        TT_JOIN_DEVICE_ARCH, TT_JOIN_WORKER_CORES,   TT_JOIN_SUB_DEVICE, TT_JOIN_PROGRAM_HASH,
        TT_JOIN_CACHE_HIT,   TT_JOIN_MULTICAST_UTIL, TT_JOIN_DRAM_UTILS, TT_JOIN_ETH_UTIL,
    };
    tt_writer *table = &self->table;
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        table->has_column[i] = i != TT_JOIN_TENSORS_MARK && i != TT_JOIN_SIZES_MARK;
    }
    for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
        table->has_column[newer[i]] = self->request->has_all_columns;
    }
    table->has_mlir = true;
    return tt_writer_fix_sizes(table, !self->request->has_all_columns);
}

static tacho_status read_datas(capture_writer *self)
{
    TACHO_TRY(tacho_items_make(&self->datas, self->rows.row_count));
    for (size_t i = 0; i < self->rows.row_count; i++) {
        const tt_capture_row *row = &self->rows.rows[i];
        tt_op_data *data = &self->datas[i];
        TACHO_TRY(read_tensors(self, row, "input", &data->inputs, &data->input_count));
        TACHO_TRY(read_tensors(self, row, "output", &data->outputs, &data->output_count));
        TACHO_TRY(read_sizes(self, row->device != NULL ? row->device : row->host, data));
        TACHO_TRY(tt_writer_measure(&self->table, data));
    }
    return TACHO_OK;
}

static tacho_status write_row(capture_writer *self, size_t index)
{
    const tt_capture_row *row = &self->rows.rows[index];
    tt_writer_row made = {.cells = self->cells.of, .data = &self->datas[index]};
    const tacho_arg *constant = find_arg(self, row, "CONST_EVAL_OP");
    tacho_str metadata = find_text(self, row, "PROGRAM_METADATA");
    TACHO_TRY(fill_row(self, row));
    TACHO_TRY(fill_location(self, row, &made.mlir[TT_MLIR_LOCATION]));
    if (constant != NULL) {
        TACHO_TRY(print_arg(self, constant, &self->cells.arena, &made.mlir[TT_MLIR_CONST_EVAL]));
    }
    made.mlir[TT_MLIR_METADATA] = metadata.len > 0 ? metadata : tacho_str_make(NULL, 0);
    return tt_writer_put(&self->table, &made);
}

static tacho_status write_table(capture_writer *self, tacho_output *output)
{
    tt_writer_init(&self->table, output);
    TACHO_TRY(choose_columns(self));
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        TACHO_TRY(tacho_dict_ensure_string(
            self->dict, tacho_str_from_cstring(tt_join_column_name((tt_join_column)i)),
            &self->keys[i]));
    }
    TACHO_TRY(read_datas(self));
    TACHO_TRY(tt_writer_put_header(&self->table));
    for (size_t i = 0; i < self->rows.row_count; i++) {
        TACHO_TRY(write_row(self, i));
    }
    self->result->row_count = self->rows.row_count;
    return tacho_output_commit(output);
}

/* Writes the table, or leaves an earlier one where there are no rows. */
static tacho_status replace_table(capture_writer *self)
{
    tacho_output output;
    struct stat earlier;
    const char *path = self->request->output_path;
    TACHO_TRY(tt_capture_rows_join(&self->rows));
    if (self->rows.row_count == 0 && stat(path, &earlier) == 0 && S_ISREG(earlier.st_mode)) {
        self->result->is_kept = true;
        self->result->kept_since = earlier.st_mtime;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_output_open(path, &output));
    tacho_status status = write_table(self, &output);
    tt_writer_deinit(&self->table);
    tacho_output_close(&output);
    return status;
}

static tacho_status attempt(void *user, tacho_order_mode mode, tacho_dict *dict)
{
    capture_writer *self = user;
    tacho_producer producer = tacho_intake_producer(&self->intake);
    self->dict = dict;
    *self->result = (tacho_tt_capture_result){0};
    tt_capture_rows_init(&self->rows, dict);
    tacho_arena_init(&self->cells.arena);
    tacho_status status = tacho_pipeline_push(&producer, mode, &self->rows.events);
    if (status == TACHO_OK) {
        status = replace_table(self);
    }
    tt_capture_rows_deinit(&self->rows);
    tacho_arena_deinit(&self->cells.arena);
    free(self->datas);
    free(self->ends);
    self->datas = NULL;
    self->ends = NULL;
    self->end_count = self->end_capacity = 0;
    return status;
}

tacho_status tacho_tt_capture_run(const tacho_tt_capture_request *request,
                                  tacho_tt_capture_result *out_result)
{
    const tacho_intake_input input = {.path = request->capture_path};
    capture_writer writer = {
        .request = request, .result = out_result, .intake = {.inputs = &input, .input_count = 1}};
    tacho_dict dict;
    *out_result = (tacho_tt_capture_result){0};
    TACHO_TRY(tacho_folder_ensure_above(request->output_path));
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = tacho_pipeline_try(attempt, &writer, TACHO_ORDER_PASS, &dict);
    tacho_dict_deinit(&dict);
    return status;
}
