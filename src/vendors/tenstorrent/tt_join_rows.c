/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are in the order of the vendor's table: ops by the start of their host zone, replays by the
 * time of their message, signposts by theirs; of equal times ops come first, then replays by device
 * and id.
 */
#include "vendors/tenstorrent/tt_join_rows.h"

#include "base/grow.h"
#include "vendors/tenstorrent/tt_join_metrics.h"
#include "sources/tenstorrent/log_read.h"

#include <stdlib.h>

tacho_status tt_join_init(tt_join *join)
{
    *join = (tt_join){.record_count = 0};
    tacho_arena_init(&join->arena);
    tt_table_init(&join->report);
    tacho_status host = tt_host_init(&join->host, &join->losses);
    tacho_status lanes = tt_lanes_init(&join->lanes);
    tacho_status ops = tt_log_ops_init(&join->log_ops, &join->lanes);
    tacho_status dispatch = tt_dispatch_init(&join->dispatch, &join->lanes);
    tacho_status index = tacho_index_init(&join->log_index);
    tacho_status counters = tt_log_counters_init(&join->counters);
    tacho_status cuts = tt_log_cuts_init(&join->cuts);
    dispatch = tacho_status_first(tacho_status_first(dispatch, counters), index);
    dispatch = tacho_status_first(dispatch, cuts);
    return tacho_status_first(tacho_status_first(host, lanes), tacho_status_first(ops, dispatch));
}

void tt_join_deinit(tt_join *join)
{
    tt_host_deinit(&join->host);
    tt_table_deinit(&join->report);
    tt_log_ops_deinit(&join->log_ops);
    tt_dispatch_deinit(&join->dispatch);
    tt_log_counters_deinit(&join->counters);
    tt_log_cuts_deinit(&join->cuts);
    tt_lanes_deinit(&join->lanes);
    tacho_index_deinit(&join->log_index);
    free(join->records);
    free(join->rows);
    tacho_arena_deinit(&join->arena);
}

/* ---- reading ------------------------------------------------------------------------------- */

typedef tacho_status (*read_function)(tt_join *join, tacho_input *input);

static tacho_status read_messages(tt_join *join, tacho_input *input)
{
    join->has_messages = true;
    return tt_host_read_messages(&join->host, input);
}

static tacho_status read_times(tt_join *join, tacho_input *input)
{
    join->has_times = true;
    return tt_host_read_times(&join->host, input);
}

/* Whether the table has a column of that name anyway. */
static bool is_table_column(tacho_str name)
{
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(tt_join_column_name((tt_join_column)i)))) {
            return true;
        }
    }
    return false;
}

/* Lists the columns of counters and networks: releases add to them. */
static tacho_status list_shares(tt_join *join)
{
    const tt_table *report = &join->report;
    tt_report_columns *columns = &join->report_columns;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&join->arena, report->column_count * sizeof(size_t), &memory));
    columns->shares = memory;
    for (size_t i = 0; i < report->column_count; i++) {
        bool is_share = tacho_str_ends_with(report->names[i], TACHO_STR("(%)")) ||
                        tt_metric_is_column(report->names[i]);
        if (is_share && !report->is_repeated[i] && !is_table_column(report->names[i])) {
            columns->shares[columns->share_count++] = i;
        }
    }
    return TACHO_OK;
}

static void find_report_columns(tt_join *join)
{
    tt_report_columns *columns = &join->report_columns;
    for (int i = 0; i < TT_JOIN_COLUMN_COUNT; i++) {
        columns->of[i] = tt_table_find(&join->report, tt_join_column_name((tt_join_column)i));
    }
    columns->kernel_start = tt_table_find(&join->report, "DEVICE KERNEL START CYCLE");
    columns->kernel_end = tt_table_find(&join->report, "DEVICE KERNEL END CYCLE");
    columns->mover_start = tt_table_find(&join->report, "DEVICE KERNEL DM START CYCLE");
    columns->mover_end = tt_table_find(&join->report, "DEVICE KERNEL DM END CYCLE");
}

static tacho_status read_report(tt_join *join, tacho_input *input)
{
    join->has_report = true;
    TACHO_TRY(tt_set_read_table(&join->report, input, &join->losses));
    find_report_columns(join);
    return list_shares(join);
}

static tacho_status take_counter(tt_join *join, const tt_log *log, const tt_lane *lane, uint32_t op)
{
    bool is_good = true;
    if (op == TACHO_NONE || !tt_log_is_counter(&log->row, lane)) {
        return TACHO_OK;
    }
    TACHO_TRY(tt_log_counters_add(&join->counters, &log->row, lane->core, op, &is_good));
    if (!is_good) {
        tt_losses_add(&join->losses, TT_LOSS_BAD_COUNTER, log->input->line_number);
    }
    return TACHO_OK;
}

static tacho_status take_log_row(tt_join *join, const tt_log *log)
{
    tt_log_place place;
    uint32_t op = 0;
    if (log->reason != TACHO_LOSS_REASON_COUNT) {
        tt_log_loss loss = log->reason == TACHO_LOSS_DROPPED     ? TT_LOSS_DROPPED
                           : log->reason == TACHO_LOSS_CUT_INPUT ? TT_LOSS_CUT_FILE
                                                                 : TT_LOSS_BAD_ROW;
        tt_losses_add(&join->losses, loss, log->input->line_number);
        return TACHO_OK;
    }
    TACHO_TRY(tt_lanes_ensure(&join->lanes, &log->row, &place.lane));
    TACHO_TRY(tt_lanes_ensure_zone(&join->lanes, log->row.zone, &place.zone));
    TACHO_TRY(tt_dispatch_add(&join->dispatch, &log->row, place));
    TACHO_TRY(tt_log_ops_add(&join->log_ops, &log->row, place, &op));
    return take_counter(join, log, &join->lanes.lanes[place.lane], op);
}

static tacho_status read_log_rows(tt_join *join, tacho_input *input)
{
    tt_log log;
    TACHO_TRY(tt_log_open(&log, input));
    join->log_header = log.header;
    tt_losses_add_count(&join->losses, TT_LOSS_UNKNOWN_COLUMN, 2, log.header.unknown_count);
    for (bool has_row = true;;) {
        TACHO_TRY(tt_log_next(&log, &has_row));
        if (!has_row) {
            break;
        }
        TACHO_TRY(take_log_row(join, &log));
    }
    if (tacho_input_damage(input) != NULL) {
        tt_losses_add(&join->losses, TT_LOSS_CUT_FILE, 0);
    }
    TACHO_TRY(tt_log_ops_finish(&join->log_ops));
    TACHO_TRY(tt_log_counters_finish(&join->counters, &join->lanes, &join->losses));
    return tt_dispatch_finish(&join->dispatch);
}

/* Takes the firmware zones of programs that |join->cuts| has. */
static tacho_status read_cuts(tt_join *join, tacho_input *input)
{
    tt_log log;
    TACHO_TRY(tt_log_open(&log, input));
    for (bool has_row = true;;) {
        TACHO_TRY(tt_log_next(&log, &has_row));
        if (!has_row) {
            return tt_log_cuts_finish(&join->cuts);
        }
        if (log.reason == TACHO_LOSS_REASON_COUNT) {
            TACHO_TRY(tt_log_cuts_add_row(&join->cuts, &join->lanes, &log.row));
        }
    }
}

static tacho_status restart_log(tt_join *join)
{
    tt_log_ops_deinit(&join->log_ops);
    tt_dispatch_deinit(&join->dispatch);
    tt_log_counters_deinit(&join->counters);
    tacho_status ops = tt_log_ops_init(&join->log_ops, &join->lanes);
    tacho_status dispatch = tt_dispatch_init(&join->dispatch, &join->lanes);
    tacho_status counters = tt_log_counters_init(&join->counters);
    join->log_ops.cuts = &join->cuts;
    return tacho_status_first(ops, tacho_status_first(dispatch, counters));
}

static tacho_status list_doubtful(tt_join *join)
{
    for (size_t i = 0; i < join->log_ops.op_count; i++) {
        uint32_t key = 0;
        if (join->log_ops.ops[i].is_doubtful) {
            TACHO_TRY(tt_log_cuts_ensure_key(&join->cuts, &join->log_ops.ops[i].key, &key));
        }
    }
    return TACHO_OK;
}

static tacho_status read_file(tt_join *join, const char *path, read_function read)
{
    tacho_input input;
    if (path == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = read(join, &input);
    tacho_input_close(&input);
    return status;
}

/* Reads it twice more where executions cannot be told apart row by row. */
static tacho_status read_log(tt_join *join, const char *path)
{
    const tt_losses before = join->losses;
    join->has_log = path != NULL;
    TACHO_TRY(read_file(join, path, read_log_rows));
    if (tt_log_ops_find_doubtful(&join->log_ops) == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(list_doubtful(join));
    TACHO_TRY(read_file(join, path, read_cuts));
    TACHO_TRY(restart_log(join));
    join->losses = before;
    return read_file(join, path, read_log_rows);
}

tacho_status tt_join_read(tt_join *join, const char *const *paths, size_t path_count)
{
    tt_log_set_init(&join->set, &join->arena);
    for (size_t i = 0; i < path_count; i++) {
        TACHO_TRY(tt_log_set_add(&join->set, paths[i]));
    }
    tt_losses_add_count(&join->losses, TT_LOSS_BAD_FILE, 0, join->set.bad_count);
    if (!tt_log_set_has_any(&join->set)) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          "%s: no logs of Tenstorrent's profiler here; expected "
                          "profile_log_device.csv, tracy_ops_data.csv or "
                          "cpp_device_perf_report.csv",
                          paths[0]);
    }
    TACHO_TRY(read_file(join, join->set.paths[TT_SET_MESSAGES], read_messages));
    TACHO_TRY(read_file(join, join->set.paths[TT_SET_TIMES], read_times));
    TACHO_TRY(read_file(join, join->set.paths[TT_SET_REPORT], read_report));
    return read_log(join, join->set.paths[TT_SET_DEVICE_LOG]);
}

/* ---- records ------------------------------------------------------------------------------- */

static int compare_keys(const tt_record *left, const tt_record *right)
{
    if (left->device != right->device) {
        return left->device < right->device ? -1 : 1;
    }
    return left->id < right->id ? -1 : left->id > right->id;
}

static int compare_records(const void *a, const void *b)
{
    const tt_record *left = a;
    const tt_record *right = b;
    int keys = compare_keys(left, right);
    if (keys != 0) {
        return keys;
    }
    if (left->trace != right->trace) {
        return left->trace < right->trace ? -1 : 1;
    }
    if (left->session != right->session) {
        return left->session < right->session ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

static tacho_status add_record(tt_join *join, const tt_record *record)
{
    TACHO_TRY(tacho_grow(&join->records, &join->record_capacity, join->record_count + 1));
    join->records[join->record_count++] = *record;
    return TACHO_OK;
}

/* The whole number in a cell of the report; |absent| where it is empty. */
static int64_t report_number(const tt_table *table, size_t row, tacho_tt_column column,
                             int64_t absent)
{
    int64_t value = absent;
    return tt_table_int(table, row, column, &value) ? value : absent;
}

static tacho_status add_report_records(tt_join *join)
{
    for (size_t row = 0; row < join->report.row_count; row++) {
        int64_t id = report_number(&join->report, row, TACHO_TT_CALL_COUNT, -1);
        tt_record record = {
            .device = report_number(&join->report, row, TACHO_TT_DEVICE_ID, -1),
            .id = (uint64_t)id,
            .trace = report_number(&join->report, row, TACHO_TT_TRACE_ID, -1),
            .session = report_number(&join->report, row, TACHO_TT_SESSION_ID, -1),
            .order = row,
        };
        if (record.device < 0 || id < 0) {
            tt_losses_add(&join->losses, TT_LOSS_BAD_ROW, join->report.lines[row]);
        } else {
            TACHO_TRY(add_record(join, &record));
        }
    }
    return TACHO_OK;
}

/* What the log lacks of an execution. */
static void count_damage(tt_join *join, const tt_device_op *op)
{
    if (op->missing_end_count > 0) {
        tt_losses_add_count(&join->losses, TT_LOSS_UNENDED, op->key.host, op->missing_end_count);
    }
    if (op->missing_start_count > 0) {
        tt_losses_add_count(&join->losses, TT_LOSS_UNSTARTED, op->key.host,
                            op->missing_start_count);
    }
    if (op->lost_count > 0) {
        tt_losses_add_count(&join->losses, TT_LOSS_LOST_ZONE, op->key.host, op->lost_count);
    }
    if (op->repeated_count > 0) {
        tt_losses_add(&join->losses, TT_LOSS_REPEATED, op->key.host);
    }
    if (op->firmware.count + op->kernel.count == 0) {
        tt_losses_add(&join->losses, TT_LOSS_NO_TIMES, op->key.host);
    }
}

static bool is_same_range(const tt_range *a, const tt_range *b)
{
    return a->first == b->first && a->last == b->last && a->count == b->count;
}

/* Whether an execution is another one once more, to the cycle: the log holds its rows twice. */
static bool is_doubled(const tt_join *join, size_t at)
{
    const tt_device_op *op = &join->log_ops.ops[at];
    const tt_device_op *before = op - 1;
    return at > 0 && op->ordinal > 0 && memcmp(&op->key, &before->key, sizeof(op->key)) == 0 &&
           op->firmware.count > 0 && is_same_range(&op->firmware, &before->firmware) &&
           is_same_range(&op->kernel, &before->kernel);
}

/* An execution of the log: of a traced op, the replay that it numbers, else by its order. */
static tacho_status add_log_records(tt_join *join)
{
    for (size_t i = 0; i < join->log_ops.op_count; i++) {
        const tt_device_op *op = &join->log_ops.ops[i];
        uint32_t host = tt_host_find(&join->host, op->key.host);
        tt_record record = {
            .device = op->key.chip,
            .id = op->key.host,
            .trace = op->key.trace,
            .session = op->key.replay,
            .order = i,
        };
        if (host != TACHO_NONE && join->host.ops[host].trace >= 0 && record.session < 0) {
            record.trace = join->host.ops[host].trace;
            record.session = (int64_t)op->ordinal + 1;
        }
        if (is_doubled(join, i)) {
            tt_losses_add(&join->losses, TT_LOSS_REPEATED, op->key.host);
            continue;
        }
        count_damage(join, op);
        TACHO_TRY(add_record(join, &record));
    }
    return TACHO_OK;
}

/* The records of one op on one device: [first, last). */
static void find_records(const tt_join *join, int64_t device, uint64_t id, size_t *out_first,
                         size_t *out_last)
{
    const tt_record wanted = {.device = device, .id = id};
    size_t low = 0;
    size_t high = join->record_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_before = compare_keys(&join->records[middle], &wanted) < 0;
        low = is_before ? middle + 1 : low;
        high = is_before ? high : middle;
    }
    *out_first = low;
    while (low < join->record_count && compare_keys(&join->records[low], &wanted) == 0) {
        low++;
    }
    *out_last = low;
}

/* What the device log says beside a report is found by this key. */
static uint32_t hash_key(const tt_join *join, const tt_op_key *key)
{
    return tacho_index_hash(&join->log_index, tacho_str_make((const char *)key, sizeof(*key)));
}

static tacho_status index_log(tt_join *join)
{
    for (size_t i = 0; i < join->log_ops.op_count; i++) {
        TACHO_TRY(tacho_index_add(&join->log_index, hash_key(join, &join->log_ops.ops[i].key),
                                  (uint32_t)i));
    }
    return TACHO_OK;
}

const tt_device_op *tt_join_find_log_op(const tt_join *join, size_t record)
{
    const tt_record *of = &join->records[record];
    const tt_op_key key = {
        .chip = (uint32_t)of->device, .host = of->id, .trace = of->trace, .replay = of->session};
    uint32_t hash = hash_key(join, &key);
    size_t at = tacho_index_begin(&join->log_index, hash);
    if (!join->has_report) {
        return tt_join_log_op(join, record);
    }
    for (uint32_t id; (id = tacho_index_next(&join->log_index, hash, &at)) != TACHO_NONE;) {
        if (memcmp(&join->log_ops.ops[id].key, &key, sizeof(key)) == 0) {
            return &join->log_ops.ops[id];
        }
    }
    return NULL;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static tacho_status add_row(tt_join *join, tt_join_row row)
{
    TACHO_TRY(tacho_grow(&join->rows, &join->row_capacity, join->row_count + 1));
    row.sequence = join->row_count;
    join->rows[join->row_count++] = row;
    return TACHO_OK;
}

static int compare_rows(const void *a, const void *b)
{
    const tt_join_row *left = a;
    const tt_join_row *right = b;
    if (left->time_ns != right->time_ns) {
        return left->time_ns < right->time_ns ? -1 : 1;
    }
    return left->sequence < right->sequence ? -1 : 1;
}

/* Whether any of the records [first, last) is of |trace|. */
static bool has_trace(const tt_join *join, int64_t trace, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++) {
        if (join->records[i].trace == trace) {
            return true;
        }
    }
    return false;
}

/* Whether the next record of a report replaces |record|: it has the same key. */
static bool is_replaced(const tt_join *join, size_t record, size_t last)
{
    const tt_record *one = &join->records[record];
    return join->has_report && record + 1 < last && one[1].trace == one->trace &&
           one[1].session == one->session;
}

static tacho_status add_replay(tt_join *join, size_t item, size_t record)
{
    const tt_host_op *op = &join->host.ops[item];
    const tt_record *from = &join->records[record];
    int64_t trace = from->trace >= 0 ? from->trace : op->trace;
    tt_join_row row = {.kind = TT_ROW_REPLAY,
                       .time_ns = op->message_ns,
                       .item = item,
                       .record = record,
                       .trace = trace,
                       .session = from->session};
    if (!tt_host_find_replay(&join->host, op->device, trace, from->session, &row.time_ns)) {
        tt_losses_add(&join->losses, TT_LOSS_NO_REPLAY, op->id);
    }
    return add_row(join, row);
}

/*
 * The rows of replays of one op, and of executions behind the first that no replay explains;
 * |*out_plain| is the record of the op itself, SIZE_MAX for none.
 */
static tacho_status add_replays(tt_join *join, size_t item, size_t *out_plain)
{
    const tt_host_op *op = &join->host.ops[item];
    size_t first = 0;
    size_t last = 0;
    bool has_replay = false;
    *out_plain = SIZE_MAX;
    if (op->device < 0) {
        return TACHO_OK;
    }
    find_records(join, op->device, op->id, &first, &last);
    bool is_any_trace = !has_trace(join, op->trace, first, last);
    for (size_t i = first; i < last; i++) {
        if (!is_any_trace && join->records[i].trace != op->trace) {
            continue;
        }
        join->records[i].is_matched = true;
        if (is_replaced(join, i, last)) {
            tt_losses_add(&join->losses, TT_LOSS_REPEATED, op->id);
        } else if (join->records[i].session >= 0 || *out_plain != SIZE_MAX) {
            has_replay = true;
            TACHO_TRY(add_replay(join, item, i));
        } else {
            *out_plain = i;
        }
    }
    if (*out_plain == SIZE_MAX && !has_replay) {
        tt_losses_add(&join->losses, TT_LOSS_NO_DEVICE, op->id);
    }
    return TACHO_OK;
}

/* Host ops by device, in the order in which devices come first, then by id. */
typedef struct op_place {
    size_t device_order;
    uint64_t id;
    size_t item;
} op_place;

static int compare_places(const void *a, const void *b)
{
    const op_place *left = a;
    const op_place *right = b;
    if (left->device_order != right->device_order) {
        return left->device_order < right->device_order ? -1 : 1;
    }
    return left->id < right->id ? -1 : left->id > right->id;
}

/* Which of the devices seen so far |device| is; a new one is added. */
static tacho_status order_of(tacho_strings *devices, int64_t device, size_t *out_order)
{
    uint32_t id = 0;
    TACHO_TRY(
        tacho_strings_ensure(devices, tacho_str_make((const char *)&device, sizeof(device)), &id));
    *out_order = id;
    return TACHO_OK;
}

static tacho_status place_ops(const tt_join *join, op_place *places)
{
    tacho_strings devices;
    tacho_status status = tacho_strings_init(&devices);
    for (size_t i = 0; status == TACHO_OK && i < join->host.op_count; i++) {
        places[i] = (op_place){.id = join->host.ops[i].id, .item = i};
        status = order_of(&devices, join->host.ops[i].device, &places[i].device_order);
    }
    tacho_strings_deinit(&devices);
    return status;
}

static tacho_status add_ops(tt_join *join)
{
    size_t count = join->host.op_count;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&join->arena, count * sizeof(op_place), &memory));
    op_place *places = memory;
    TACHO_TRY(place_ops(join, places));
    for (size_t i = 0; i < count; i++) {
        const tt_host_op *op = &join->host.ops[i];
        tt_join_row row = {.kind = TT_ROW_OP,
                           .time_ns = op->has_time ? op->start_ns : op->message_ns,
                           .item = i,
                           .record = SIZE_MAX,
                           .trace = -1,
                           .session = -1};
        if (!op->has_time && join->has_times) {
            tt_losses_add(&join->losses, TT_LOSS_NO_ZONE, op->id);
        }
        TACHO_TRY(add_row(join, row));
    }
    if (count > 1) {
        qsort(places, count, sizeof(*places), compare_places);
    }
    for (size_t i = 0; i < count && (join->has_report || join->has_log); i++) {
        size_t plain = SIZE_MAX;
        TACHO_TRY(add_replays(join, places[i].item, &plain));
        join->rows[places[i].item].record = plain;
    }
    return TACHO_OK;
}

static tacho_status add_signposts(tt_join *join)
{
    for (size_t i = 0; i < join->host.signpost_count; i++) {
        tt_join_row row = {.kind = TT_ROW_SIGNPOST,
                           .time_ns = join->host.signposts[i].time_ns,
                           .item = i,
                           .record = SIZE_MAX};
        TACHO_TRY(add_row(join, row));
    }
    return TACHO_OK;
}

/* Executions by themselves: the host says nothing. */
static tacho_status add_device_rows(tt_join *join)
{
    for (size_t i = 0; i < join->record_count; i++) {
        tt_join_row row = {.kind = TT_ROW_DEVICE,
                           .time_ns = join->records[i].order,
                           .record = i,
                           .trace = join->records[i].trace,
                           .session = join->records[i].session};
        TACHO_TRY(add_row(join, row));
    }
    return TACHO_OK;
}

/*
 * Ops whose message is missing, but whose zone on the host and whose execution are there: ids hold
 * the chip. What has neither message nor zone, as a replay of a whole trace, stays out.
 */
static tacho_status adopt_orphans(tt_join *join)
{
    enum { CHIP_MASK = (1 << 10) - 1 };
    for (size_t i = 0; i < join->host.orphan_count; i++) {
        const tt_orphan orphan = join->host.orphans[i];
        int64_t device = (int64_t)(orphan.id & CHIP_MASK);
        size_t first = 0;
        size_t last = 0;
        find_records(join, device, orphan.id, &first, &last);
        if (first < last && tt_host_find(&join->host, orphan.id) == TACHO_NONE) {
            TACHO_TRY(tt_host_adopt(&join->host, &orphan, device));
        }
    }
    return TACHO_OK;
}

static void count_unmatched(tt_join *join)
{
    for (size_t i = 0; i < join->record_count; i++) {
        if (!join->records[i].is_matched) {
            tt_losses_add(&join->losses, TT_LOSS_NO_HOST, join->records[i].id);
        }
    }
}

tacho_status tt_join_make_rows(tt_join *join)
{
    TACHO_TRY(index_log(join));
    TACHO_TRY(join->has_report ? add_report_records(join) : add_log_records(join));
    if (join->record_count > 1) {
        qsort(join->records, join->record_count, sizeof(*join->records), compare_records);
    }
    if ((join->has_report || join->has_log) && join->record_count == 0) {
        tt_losses_add(&join->losses, TT_LOSS_NO_EXECUTION, 0);
    }
    if (join->host.op_count > 0) {
        TACHO_TRY(adopt_orphans(join));
        TACHO_TRY(add_ops(join));
        count_unmatched(join);
    } else {
        TACHO_TRY(add_device_rows(join));
    }
    TACHO_TRY(add_signposts(join));
    if (join->row_count > 1) {
        qsort(join->rows, join->row_count, sizeof(*join->rows), compare_rows);
    }
    return TACHO_OK;
}
