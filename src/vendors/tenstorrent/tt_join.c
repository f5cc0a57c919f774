/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cells of a table that is joined from logs.
 */
#include "vendors/tenstorrent/tt_join.h"

#include "base/grow.h"
#include "base/real.h"
#include "profile/clock.h"
#include "vendors/tenstorrent/tt_join_cells.h"
#include "vendors/tenstorrent/tt_join_counters.h"
#include "vendors/tenstorrent/tt_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { METRIC_COLUMNS = TT_METRIC_COUNT * TT_METRIC_STATS };

/* Where writing the table stands. */
typedef struct join_writer {
    const tt_join *join;
    tt_writer table;
    tt_cells cells;
    tt_join_devices devices;
    uint32_t *calls; /* names of functions with host times, sorted */
    size_t call_count, call_capacity;
    tt_metrics metrics; /* of a row, by the counters of the device log */
    bool has_metric[METRIC_COLUMNS];
    size_t metric_count;
    tacho_arena names;   /* of columns behind those that every table has */
    tacho_arena numbers; /* of a row, in those columns */
    tacho_str *extras;   /* cells of them */
} join_writer;

/* ---- the shape ----------------------------------------------------------------------------- */

static bool has_host(const join_writer *writer)
{
    return writer->join->host.op_count > 0;
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

/* The execution whose counters |row| shows; NULL: none. A report has its own. */
static const tt_device_op *counted_op(const tt_join *join, const tt_join_row *row)
{
    bool has_counters = join->counters.chip_count > 0 && join->report_columns.share_count == 0;
    return has_counters && row->kind != TT_ROW_SIGNPOST && row->record != SIZE_MAX
               ? tt_join_find_log_op(join, row->record)
               : NULL;
}

/* The cell of a metric: "nan" without a value where its chip counts it, as the vendor has it. */
static tacho_str metric_cell(const tt_metrics *metrics, size_t column, char text[TACHO_REAL_MAX])
{
    size_t metric = column / TT_METRIC_STATS;
    size_t stat = column % TT_METRIC_STATS;
    double value = metrics->of[metric][stat];
    if (metrics->is_shown[metric] && !isnan(value)) {
        return tacho_str_make(text, (size_t)(tacho_real_put(text, value) - text));
    }
    bool is_empty = !metrics->is_shown[metric] || tt_metric_is_of_grid(metric, stat);
    return is_empty ? TACHO_STR("") : TACHO_STR("nan");
}

/* Finds the columns of counters that any row fills. */
static tacho_status measure_counters(join_writer *writer)
{
    const tt_join *join = writer->join;
    char text[TACHO_REAL_MAX];
    for (size_t row = 0; row < join->row_count; row++) {
        const tt_device_op *op = counted_op(join, &join->rows[row]);
        if (op == NULL) {
            continue;
        }
        TACHO_TRY(tt_metrics_of(&writer->metrics, &join->counters, op, &join->log_header));
        for (size_t i = 0; i < METRIC_COLUMNS; i++) {
            writer->has_metric[i] |= metric_cell(&writer->metrics, i, text).len > 0;
        }
    }
    for (size_t i = 0; i < METRIC_COLUMNS; i++) {
        writer->metric_count += writer->has_metric[i] ? 1 : 0;
    }
    return TACHO_OK;
}

static tacho_status name_metrics(join_writer *writer, tacho_str *names)
{
    for (size_t i = 0; i < METRIC_COLUMNS; i++) {
        char name[TT_METRIC_NAME_MAX];
        tt_metric_column(i / TT_METRIC_STATS, i % TT_METRIC_STATS, name);
        if (writer->has_metric[i]) {
            TACHO_TRY(tacho_arena_copy(&writer->names, tacho_str_from_cstring(name), names++));
        }
    }
    return TACHO_OK;
}

/*
 * Columns behind those that every table has: shares that a report has, metrics of counters, and
 * host functions.
 */
static tacho_status name_extras(join_writer *writer)
{
    const tt_join *join = writer->join;
    const tt_report_columns *columns = &join->report_columns;
    size_t call_first = columns->share_count + writer->metric_count;
    size_t count = call_first + writer->call_count;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&writer->names, 2 * count * sizeof(tacho_str), &memory));
    tacho_str *names = memory;
    writer->extras = names + count;
    for (size_t i = 0; i < columns->share_count; i++) {
        names[i] = join->report.names[columns->shares[i]];
    }
    TACHO_TRY(name_metrics(writer, names + columns->share_count));
    for (size_t i = 0; i < writer->call_count; i++) {
        tacho_text *text = &writer->table.text;
        TACHO_TRY(tacho_text_put(text, tacho_strings_get(&join->host.strings, writer->calls[i])));
        TACHO_TRY(tacho_text_put(text, TACHO_STR("_TT_HOST_FUNC [ns]")));
        TACHO_TRY(tacho_arena_copy(&writer->names, tacho_text_take(text), &names[call_first + i]));
    }
    writer->table.extra_names = names;
    writer->table.extra_count = count;
    return TACHO_OK;
}

static tacho_status measure(join_writer *writer)
{
    const tt_host *host = &writer->join->host;
    for (size_t i = 0; i < host->op_count; i++) {
        TACHO_TRY(tt_writer_measure(&writer->table, &host->datas[host->ops[i].data]));
    }
    for (size_t i = 0; i < host->call_count; i++) {
        TACHO_TRY(add_call(writer, host->calls[i].name));
    }
    writer->table.has_mlir = host->has_mlir;
    TACHO_TRY(measure_counters(writer));
    return name_extras(writer);
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
    return tt_cells_add_utilisation(cells);
}

static tacho_status fill_metrics(join_writer *writer, const tt_join_row *row, tacho_str *cells)
{
    const tt_join *join = writer->join;
    const tt_device_op *op = counted_op(join, row);
    char text[TACHO_REAL_MAX];
    if (op != NULL) {
        TACHO_TRY(tt_metrics_of(&writer->metrics, &join->counters, op, &join->log_header));
    }
    for (size_t i = 0; i < METRIC_COLUMNS; i++) {
        if (writer->has_metric[i]) {
            tacho_str cell = op == NULL ? TACHO_STR("") : metric_cell(&writer->metrics, i, text);
            TACHO_TRY(tacho_arena_copy(&writer->numbers, cell, cells++));
        }
    }
    return TACHO_OK;
}

/* What the report has of counters and networks, as it is; counters; times of host functions. */
static tacho_status fill_extras(join_writer *writer, const tt_join_row *row, const tt_host_op *op)
{
    const tt_join *join = writer->join;
    const tt_report_columns *columns = &join->report_columns;
    bool has_record = row->kind != TT_ROW_SIGNPOST && row->record != SIZE_MAX;
    tacho_arena_reset(&writer->numbers);
    for (size_t i = 0; i < columns->share_count; i++) {
        size_t column = has_record ? columns->shares[i] : TT_NO_COLUMN;
        size_t from = has_record ? join->records[row->record].order : 0;
        writer->extras[i] = tt_table_at(&join->report, from, column);
    }
    TACHO_TRY(fill_metrics(writer, row, writer->extras + columns->share_count));
    for (size_t i = 0; i < writer->call_count; i++) {
        tacho_str *cell = &writer->extras[columns->share_count + writer->metric_count + i];
        uint64_t total = 0;
        *cell = TACHO_STR("");
        if (op != NULL && tt_host_find_call(&join->host, op->id, writer->calls[i], &total)) {
            char text[24];
            int len = snprintf(text, sizeof(text), "%" PRIu64, total);
            TACHO_TRY(tacho_arena_copy(&writer->numbers, tacho_str_make(text, (size_t)len), cell));
        }
    }
    return TACHO_OK;
}

static tacho_status write_row(join_writer *writer, const tt_join_row *row)
{
    const tt_host *host = &writer->join->host;
    bool is_op = row->kind == TT_ROW_OP || row->kind == TT_ROW_REPLAY;
    const tt_host_op *op = is_op ? &host->ops[row->item] : NULL;
    tt_writer_row made = {.cells = writer->cells.of,
                          .data = is_op ? &host->datas[op->data] : NULL,
                          .extras = writer->extras};
    TACHO_TRY(fill_row(writer, row));
    TACHO_TRY(fill_extras(writer, row, op));
    for (size_t i = 0; i < TT_MLIR_COUNT; i++) {
        bool is_said = op != NULL && op->mlir[i] != TACHO_NONE;
        made.mlir[i] =
            is_said ? tacho_strings_get(&host->strings, op->mlir[i]) : tacho_str_make(NULL, 0);
    }
    return tt_writer_put(&writer->table, &made);
}

/* A table with nothing of the host has the columns that any row fills. */
static tacho_status choose_columns(join_writer *writer)
{
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        bool is_mark = i == TT_JOIN_TENSORS_MARK || i == TT_JOIN_SIZES_MARK;
        writer->table.has_column[i] = has_host(writer) && !is_mark;
    }
    for (size_t i = 0; i < writer->join->row_count && !has_host(writer); i++) {
        TACHO_TRY(fill_row(writer, &writer->join->rows[i]));
        for (int k = 0; k < TT_JOIN_COLUMN_COUNT; k++) {
            writer->table.has_column[k] |= writer->cells.of[k].len > 0;
        }
    }
    writer->devices.item_count = 0;
    return TACHO_OK;
}

static tacho_status write_table(join_writer *writer)
{
    TACHO_TRY(measure(writer));
    TACHO_TRY(choose_columns(writer));
    TACHO_TRY(tt_writer_put_header(&writer->table));
    for (size_t i = 0; i < writer->join->row_count; i++) {
        TACHO_TRY(write_row(writer, &writer->join->rows[i]));
    }
    return TACHO_OK;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static tacho_status write_to(const tt_join *join, tacho_output *output)
{
    join_writer writer = {.join = join};
    tt_writer_init(&writer.table, output);
    tacho_arena_init(&writer.cells.arena);
    tacho_arena_init(&writer.names);
    tacho_arena_init(&writer.numbers);
    tacho_status status = write_table(&writer);
    tacho_arena_deinit(&writer.cells.arena);
    tacho_arena_deinit(&writer.names);
    tacho_arena_deinit(&writer.numbers);
    tt_writer_deinit(&writer.table);
    tt_metrics_deinit(&writer.metrics);
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
    if (join->set.bad_path != NULL) {
        tacho_note(notes, "warning", "%s: not what its name says; passed over", join->set.bad_path);
    }
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
