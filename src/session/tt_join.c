/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing the table: comma-separated, CR LF, every comma inside a value a semicolon, as the
 * vendor's scripts do. The columns that tt-torch adds keep their commas, in quotes.
 */
#include "session/tt_join.h"

#include "base/grow.h"
#include "base/text.h"
#include "codec/csv.h"
#include "profile/clock.h"
#include "session/tt_join_cells.h"

#include <inttypes.h>
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

/* The shape of the table, and where writing it stands. */
typedef struct join_writer {
    const tt_join *join;
    tacho_output *output;
    tacho_text text;
    tt_cells cells;
    tt_join_devices devices;
    size_t input_count, output_count; /* most tensors of a row */
    bool has_logical_shapes;          /* "32[1]" rather than "32" */
    const char *const *sizes;         /* NULL-terminated */
    bool has_column[TT_JOIN_COLUMN_COUNT];
    uint32_t *calls; /* names of functions with host times, sorted */
    size_t call_count, call_capacity;
    bool is_first; /* of the line */
} join_writer;

/* ---- the shape ----------------------------------------------------------------------------- */

static bool has_bracket(const tt_tensor *tensor)
{
    return tacho_str_find_byte(tensor->cells[0], '[') < tensor->cells[0].len;
}

static void measure_data(join_writer *writer, const tt_op_data *data)
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

static int compare_calls(const void *a, const void *b, const tt_host *host)
{
    return tacho_str_compare(tacho_strings_get(&host->strings, *(const uint32_t *)a),
                             tacho_strings_get(&host->strings, *(const uint32_t *)b));
}

/* Adds a name in its place; there are few. */
static tacho_status add_call(join_writer *writer, uint32_t name)
{
    const tt_host *host = &writer->join->host;
    size_t at = 0;
    while (at < writer->call_count && compare_calls(&writer->calls[at], &name, host) < 0) {
        at++;
    }
    if (at < writer->call_count && writer->calls[at] == name) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&writer->calls, &writer->call_capacity, writer->call_count + 1));
    memmove(&writer->calls[at + 1], &writer->calls[at],
            (writer->call_count - at) * sizeof(*writer->calls));
    writer->calls[at] = name;
    writer->call_count++;
    return TACHO_OK;
}

static tacho_status measure(join_writer *writer)
{
    const tt_host *host = &writer->join->host;
    writer->sizes = new_sizes;
    for (size_t i = 0; i < host->op_count; i++) {
        measure_data(writer, &host->datas[host->ops[i].data]);
    }
    for (size_t i = 0; i < host->call_count; i++) {
        TACHO_TRY(add_call(writer, host->calls[i].name));
    }
    return TACHO_OK;
}

/* ---- cells --------------------------------------------------------------------------------- */

static void put_raw(join_writer *writer, tacho_str cell)
{
    if (!writer->is_first) {
        tacho_output_write(writer->output, ",", 1);
    }
    writer->is_first = false;
    tacho_csv_write_field(writer->output, cell, ',');
}

/* A cell with semicolons for commas. */
static tacho_status put(join_writer *writer, tacho_str cell)
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

static void end_line(join_writer *writer)
{
    tacho_output_write(writer->output, "\r\n", 2);
    writer->is_first = true;
}

/* ---- the header ---------------------------------------------------------------------------- */

static void put_tensor_names(join_writer *writer, const char *kind, size_t count)
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

static void put_size_names(join_writer *writer)
{
    for (size_t i = 0; writer->sizes[i] != NULL; i++) {
        char name[64];
        int len = snprintf(name, sizeof(name), "%s [B]", writer->sizes[i]);
        put_raw(writer, tacho_str_make(name, (size_t)len));
    }
}

static tacho_status put_call_names(join_writer *writer)
{
    for (size_t i = 0; i < writer->call_count; i++) {
        tacho_str name = tacho_strings_get(&writer->join->host.strings, writer->calls[i]);
        TACHO_TRY(tacho_text_put(&writer->text, name));
        TACHO_TRY(tacho_text_put(&writer->text, TACHO_STR("_TT_HOST_FUNC [ns]")));
        put_raw(writer, tacho_text_take(&writer->text));
    }
    return TACHO_OK;
}

static bool has_host(const join_writer *writer)
{
    return writer->join->host.op_count > 0;
}

static tacho_status write_header(join_writer *writer)
{
    writer->is_first = true;
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        if (i == TT_JOIN_TENSORS_MARK) {
            put_tensor_names(writer, "INPUT", writer->input_count);
            put_tensor_names(writer, "OUTPUT", writer->output_count);
        } else if (i == TT_JOIN_SIZES_MARK && has_host(writer)) {
            put_size_names(writer);
        } else if (writer->has_column[i]) {
            put_raw(writer, tacho_str_from_cstring(tt_join_column_name((tt_join_column)i)));
        }
    }
    for (size_t i = 0; i < writer->join->report_columns.share_count; i++) {
        put_raw(writer, writer->join->report.names[writer->join->report_columns.shares[i]]);
    }
    TACHO_TRY(put_call_names(writer));
    if (writer->join->host.has_mlir) {
        put_raw(writer, TACHO_STR("LOC"));
        put_raw(writer, TACHO_STR("CONST_EVAL_OP"));
        put_raw(writer, TACHO_STR("PROGRAM_METADATA"));
    }
    end_line(writer);
    return TACHO_OK;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status fill_host(tt_cells *cells, const tt_join *join, const tt_join_row *row)
{
    const tt_host_op *op = &join->host.ops[row->item];
    const tt_op_data *data = &join->host.datas[op->data];
    cells->of[TT_JOIN_OP_CODE] = data->code;
    cells->of[TT_JOIN_OP_TYPE] = data->type;
    cells->of[TT_JOIN_ATTRIBUTES] = data->attributes;
    cells->of[TT_JOIN_FIDELITY] = data->fidelity;
    cells->of[TT_JOIN_STRATEGY] = data->strategy;
    cells->of[TT_JOIN_COMPUTE_SOURCES] = data->compute_sources;
    cells->of[TT_JOIN_COMPUTE_NAMES] = data->compute_names;
    cells->of[TT_JOIN_MOVER_SOURCES] = data->mover_sources;
    cells->of[TT_JOIN_MOVER_NAMES] = data->mover_names;
    cells->of[TT_JOIN_PROGRAM_HASH] = data->hash_text;
    cells->of[TT_JOIN_CACHE_HIT] = op->cache_hit;
    cells->of[TT_JOIN_PM_IDEAL] = data->ideal;
    cells->of[TT_JOIN_PM_COMPUTE] = data->compute;
    cells->of[TT_JOIN_PM_BANDWIDTH] = data->bandwidth;
    cells->of[TT_JOIN_PM_INPUTS] = data->input_rates;
    cells->of[TT_JOIN_PM_OUTPUTS] = data->output_rates;
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_CALL_COUNT, "%" PRIu64, op->id));
    if (op->device >= 0) {
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_DEVICE_ID, "%" PRId64, op->device));
    }
    if (!op->has_time) {
        return TACHO_OK;
    }
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_HOST_START, "%" PRIu64, op->start_ns));
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_HOST_END, "%" PRIu64, op->start_ns + op->duration_ns));
    return tt_cells_format(cells, TT_JOIN_HOST_DURATION, "%" PRIu64, op->duration_ns);
}

/* Which replay: only rows of replays say it, as in the vendor's table. */
static tacho_status fill_replay(tt_cells *cells, const tt_join_row *row)
{
    if (row->trace >= 0) {
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_TRACE_ID, "%" PRId64, row->trace));
    }
    return row->session < 0 ? TACHO_OK
                            : tt_cells_format(cells, TT_JOIN_SESSION_ID, "%" PRId64, row->session);
}

/* 100 * compute / kernel time, to three decimals, as Python prints it: "0.019", "12.5", "0.0". */
static tacho_status fill_utilisation(tt_cells *cells)
{
    double compute = 0;
    double kernel = 0;
    tacho_str kernel_text = cells->of[TT_JOIN_KERNEL_DURATION];
    if (cells->of[TT_JOIN_PM_COMPUTE].len == 0 || kernel_text.len == 0) {
        return TACHO_OK;
    }
    compute = strtod(cells->of[TT_JOIN_PM_COMPUTE].data, NULL);
    kernel = strtod(kernel_text.data, NULL);
    double share = kernel == 0 ? 0 : 100.0 * compute / kernel;
    TACHO_TRY(tt_cells_format(cells, TT_JOIN_PM_UTIL, "%.3f", share));
    tacho_str *cell = &cells->of[TT_JOIN_PM_UTIL];
    while (cell->len > 2 && cell->data[cell->len - 1] == '0' && cell->data[cell->len - 2] != '.') {
        cell->len--;
    }
    return TACHO_OK;
}

static void fill_signpost(tt_cells *cells, const tt_signpost *post)
{
    cells->of[TT_JOIN_OP_CODE] = post->header;
    cells->of[TT_JOIN_OP_TYPE] = TACHO_STR("signpost");
    cells->of[TT_JOIN_ATTRIBUTES] = post->message;
}

static tacho_status fill_row(join_writer *writer, const tt_join_row *row)
{
    const tt_join *join = writer->join;
    tt_cells *cells = &writer->cells;
    tacho_arena_reset(&cells->arena);
    memset(cells->of, 0, sizeof(cells->of));
    for (size_t i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        cells->of[i] = TACHO_STR("");
    }
    if (row->kind == TT_ROW_SIGNPOST) {
        const tt_signpost *post = &join->host.signposts[row->item];
        fill_signpost(cells, post);
        return tt_cells_format(cells, TT_JOIN_HOST_START, "%" PRIu64, post->time_ns);
    }
    if (row->kind == TT_ROW_DEVICE) {
        const tt_record *record = &join->records[row->record];
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_CALL_COUNT, "%" PRIu64, record->id));
        TACHO_TRY(tt_cells_format(cells, TT_JOIN_DEVICE_ID, "%" PRId64, record->device));
    } else {
        TACHO_TRY(fill_host(cells, join, row));
    }
    TACHO_TRY(fill_replay(cells, row));
    if (row->record != SIZE_MAX) {
        TACHO_TRY(tt_cells_add_device(cells, join, row->record, &writer->devices));
    }
    return fill_utilisation(cells);
}

static tacho_status put_tensors(join_writer *writer, const tt_tensor *tensors, size_t count,
                                size_t most)
{
    for (size_t i = 0; i < most; i++) {
        for (size_t k = 0; k < TT_TENSOR_CELLS; k++) {
            TACHO_TRY(put(writer, i < count ? tensors[i].cells[k] : TACHO_STR("")));
        }
    }
    return TACHO_OK;
}

static tacho_status put_sizes(join_writer *writer, const tt_op_data *data)
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

/* What the report has of counters and networks, as it is. */
static tacho_status put_shares(join_writer *writer, const tt_join_row *row)
{
    const tt_join *join = writer->join;
    bool has_record = row->kind != TT_ROW_SIGNPOST && row->record != SIZE_MAX;
    for (size_t i = 0; i < join->report_columns.share_count; i++) {
        size_t column = has_record ? join->report_columns.shares[i] : TT_NO_COLUMN;
        size_t from = has_record ? join->records[row->record].order : 0;
        TACHO_TRY(put(writer, tt_table_at(&join->report, from, column)));
    }
    return TACHO_OK;
}

static tacho_status put_calls(join_writer *writer, const tt_host_op *op)
{
    const tt_host *host = &writer->join->host;
    for (size_t i = 0; i < writer->call_count; i++) {
        uint64_t total = 0;
        bool has_total = op != NULL && tt_host_find_call(host, op->id, writer->calls[i], &total);
        char text[24];
        int len = has_total ? snprintf(text, sizeof(text), "%" PRIu64, total) : 0;
        put_raw(writer, tacho_str_make(text, (size_t)len));
    }
    return TACHO_OK;
}

static void put_mlir(join_writer *writer, const tt_host_op *op)
{
    static const char *const unknown[TT_MLIR_COUNT] = {"loc(unknown)", "false", "{}"};
    const tt_host *host = &writer->join->host;
    for (size_t i = 0; i < TT_MLIR_COUNT && host->has_mlir; i++) {
        bool is_said = op != NULL && op->mlir[i] != TACHO_NONE;
        put_raw(writer, is_said ? tacho_strings_get(&host->strings, op->mlir[i])
                                : tacho_str_from_cstring(unknown[i]));
    }
}

static tacho_status write_row(join_writer *writer, const tt_join_row *row)
{
    static const tt_op_data nothing;
    const tt_host *host = &writer->join->host;
    bool is_op = row->kind == TT_ROW_OP || row->kind == TT_ROW_REPLAY;
    const tt_host_op *op = is_op ? &host->ops[row->item] : NULL;
    const tt_op_data *data = is_op ? &host->datas[op->data] : &nothing;
    TACHO_TRY(fill_row(writer, row));
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        if (i == TT_JOIN_TENSORS_MARK) {
            TACHO_TRY(put_tensors(writer, data->inputs, data->input_count, writer->input_count));
            TACHO_TRY(put_tensors(writer, data->outputs, data->output_count, writer->output_count));
        } else if (i == TT_JOIN_SIZES_MARK && has_host(writer)) {
            TACHO_TRY(put_sizes(writer, data));
        } else if (writer->has_column[i]) {
            TACHO_TRY(put(writer, writer->cells.of[i]));
        }
    }
    TACHO_TRY(put_shares(writer, row));
    TACHO_TRY(put_calls(writer, op));
    put_mlir(writer, op);
    end_line(writer);
    return TACHO_OK;
}

/* A table with nothing of the host has the columns that any row fills. */
static tacho_status choose_columns(join_writer *writer)
{
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        bool is_mark = i == TT_JOIN_TENSORS_MARK || i == TT_JOIN_SIZES_MARK;
        writer->has_column[i] = has_host(writer) && !is_mark;
    }
    for (size_t i = 0; i < writer->join->row_count && !has_host(writer); i++) {
        TACHO_TRY(fill_row(writer, &writer->join->rows[i]));
        for (int k = 0; k < TT_JOIN_COLUMN_COUNT; k++) {
            writer->has_column[k] |= writer->cells.of[k].len > 0;
        }
    }
    writer->devices.item_count = 0;
    return TACHO_OK;
}

static tacho_status write_table(join_writer *writer)
{
    TACHO_TRY(measure(writer));
    TACHO_TRY(choose_columns(writer));
    TACHO_TRY(write_header(writer));
    for (size_t i = 0; i < writer->join->row_count; i++) {
        TACHO_TRY(write_row(writer, &writer->join->rows[i]));
    }
    return TACHO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static tacho_status write_to(const tt_join *join, tacho_output *output)
{
    join_writer writer = {.join = join, .output = output};
    tacho_arena_init(&writer.cells.arena);
    tacho_status status = write_table(&writer);
    tacho_arena_deinit(&writer.cells.arena);
    tacho_text_deinit(&writer.text);
    free(writer.devices.items);
    free(writer.calls);
    return status;
}

static uint64_t say_losses(const tt_join *join, const tacho_notes *notes)
{
    uint64_t sum = 0;
    for (int i = 0; i < TT_LOSS_COUNT; i++) {
        uint64_t count = join->losses.counts[i];
        sum += count;
        if (count > 0 && join->losses.firsts[i] > 0) {
            tacho_note(notes, "lost", "%s: %" PRIu64 " (first: %s %" PRIu64 ")",
                       tt_loss_phrase((tt_log_loss)i), count, tt_loss_place((tt_log_loss)i),
                       join->losses.firsts[i]);
        } else if (count > 0) {
            tacho_note(notes, "lost", "%s: %" PRIu64, tt_loss_phrase((tt_log_loss)i), count);
        }
    }
    return sum;
}

/* What the table cannot say because a file is not there. */
static void say_missing(const tt_join *join, const tacho_notes *notes)
{
    if (!join->has_messages) {
        tacho_note(notes, "note", "no tracy_ops_data.csv: the table has device data only");
    } else if (!join->has_times) {
        tacho_note(notes, "note", "no tracy_ops_times.csv: host times are empty");
    }
    if (!join->has_report && !join->has_log) {
        tacho_note(notes, "note",
                   "no cpp_device_perf_report.csv and no profile_log_device.csv: device times are "
                   "empty");
    }
}

static tacho_status check_output(const tt_join *join, const char *output_path)
{
    for (size_t i = 0; i < TT_SET_FILE_COUNT; i++) {
        const char *path = join->set.paths[i];
        if (path != NULL && tacho_input_is_same_file(path, output_path)) {
            return tacho_fail(TACHO_CODE_USAGE, "%s is an input and would be overwritten", path);
        }
    }
    return TACHO_OK;
}

/* A table without rows is none: says why there are none. */
static tacho_status check_rows(const tt_join *join)
{
    const char *log = join->set.paths[TT_SET_DEVICE_LOG];
    const tt_log_header *header = &join->log_header;
    if (join->row_count > 0) {
        return TACHO_OK;
    }
    for (size_t i = 0; log == NULL && i < TT_SET_FILE_COUNT; i++) {
        log = join->set.paths[i];
    }
    if (join->has_log && !header->has[TT_LOG_HOST]) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s:2: the log has no column 'run host ID', so nothing says which op a "
                          "row belongs to; there is no table to make",
                          log);
    }
    return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the logs name no op; there is no table to make",
                      log);
}

/* The rate of the log, or the one that was asked for. */
static tacho_status choose_rate(tt_join *join, const tacho_tt_join_request *request,
                                tacho_tt_join_result *out_result)
{
    tt_log_header *header = &join->log_header;
    tacho_clock clock;
    if (request->clock_mhz.len > 0) {
        TACHO_TRY(tacho_clock_init_mhz(&clock, request->clock_mhz));
        header->hertz = tacho_clock_hz(&clock);
        return TACHO_OK;
    }
    if (!join->has_log || join->has_report || !header->is_rate_assumed) {
        return TACHO_OK;
    }
    if (header->is_rate_damaged) {
        tt_losses_add(&join->losses, TT_LOSS_NO_RATE, 1);
    }
    out_result->assumed_mhz = header->hertz / TT_LOG_MHZ;
    return TACHO_OK;
}

static tacho_status run(tt_join *join, const tacho_tt_join_request *request,
                        tacho_tt_join_result *out_result)
{
    tacho_output output;
    TACHO_TRY(tt_join_read(join, request->paths, request->path_count));
    TACHO_TRY(check_output(join, request->output_path));
    TACHO_TRY(tt_join_make_rows(join));
    TACHO_TRY(check_rows(join));
    TACHO_TRY(choose_rate(join, request, out_result));
    say_missing(join, request->is_quiet ? NULL : request->notes);
    out_result->row_count = join->row_count;
    out_result->loss_count = say_losses(join, request->notes);
    if (out_result->loss_count > 0 && request->is_strict) {
        return tacho_fail_hint(TACHO_CODE_BAD_DATA, TACHO_HINT_STRICT,
                               "%" PRIu64 " record%s could not be read", out_result->loss_count,
                               out_result->loss_count == 1 ? "" : "s");
    }
    TACHO_TRY(tacho_output_open(request->output_path, &output));
    tacho_status status = write_to(join, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit(&output);
    }
    tacho_output_close(&output);
    return status;
}

tacho_status tacho_tt_join_run(const tacho_tt_join_request *request,
                               tacho_tt_join_result *out_result)
{
    tt_join join;
    *out_result = (tacho_tt_join_result){0};
    tacho_status status = tt_join_init(&join);
    if (status == TACHO_OK) {
        status = run(&join, request, out_result);
    }
    tt_join_deinit(&join);
    return status;
}
