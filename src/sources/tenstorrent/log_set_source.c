/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of one run as a profile: the ops that the host issued, and their executions on each
 * chip.
 *
 * Where the set has anchors between the clocks of all its chips and the host's, all is one part on
 * the host's time, in picoseconds, with arrows from the op of the host to that of the chip; the
 * trace contains a bound on the error of the clocks. Else host and chips are parts of their own.
 */
#include "sources/tenstorrent/log.h"

#include "sources/tenstorrent/log_emit.h"
#include "sources/tenstorrent/log_host.h"
#include "sources/tenstorrent/log_set.h"
#include "sources/tenstorrent/ops_times.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_BYTES = 200 };

/* One run while it is read. */
typedef struct set_reader {
    const tacho_reading *reading;
    tacho_dict *dict;
    tacho_arena arena;
    tt_log_set set;
    tt_losses losses;
    tt_host host;
    tt_sync sync;
    bool is_aligned;
    uint32_t host_part, host_clock;
    int64_t host_scale; /* ticks of a nanosecond */
    uint64_t flow_count;
} set_reader;

/* ---- reading ------------------------------------------------------------------------------- */

static tacho_status read_host_file(set_reader *self, tt_set_file file,
                                   tacho_status (*read)(tt_host *host, tacho_input *input))
{
    tacho_input input;
    const char *path = self->set.paths[file];
    if (path == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_status status = read(&self->host, &input);
    tacho_input_close(&input);
    return status;
}

static tacho_status read_table(set_reader *self, tt_set_file file, tt_table *table)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(self->set.paths[file], &input));
    tacho_status status = tt_set_read_table(table, &input, &self->losses);
    tacho_input_close(&input);
    return status;
}

/* Reads the names of ops from the op table: a folder of reports does not contain messages. */
static tacho_status read_names(set_reader *self)
{
    tt_table table;
    tt_table_init(&table);
    tacho_status status = read_table(self, TT_SET_OPS, &table);
    for (size_t row = 0; status == TACHO_OK && row < table.row_count; row++) {
        int64_t id = 0;
        if (tt_table_int(&table, row, TACHO_TT_CALL_COUNT, &id) && id >= 0) {
            status = tt_host_add_name(&self->host, (uint64_t)id,
                                      tt_table_cell(&table, row, TACHO_TT_OP_CODE));
        }
    }
    tt_table_deinit(&table);
    return status;
}

static tacho_status read_host(set_reader *self)
{
    TACHO_TRY(read_host_file(self, TT_SET_MESSAGES, tt_host_read_messages));
    TACHO_TRY(read_host_file(self, TT_SET_TIMES, tt_host_read_times));
    if (self->set.paths[TT_SET_MESSAGES] == NULL && self->set.paths[TT_SET_OPS] != NULL) {
        TACHO_TRY(read_names(self));
    }
    return self->set.paths[TT_SET_SYNC] != NULL
               ? tt_sync_read(&self->sync, self->set.paths[TT_SET_SYNC])
               : TACHO_OK;
}

static tacho_str find_name(const void *of, uint64_t id)
{
    const tt_host *host = of;
    uint32_t op = tt_host_find(host, id);
    return op == TACHO_NONE ? TACHO_STR("") : host->datas[host->ops[op].data].code;
}

/* ---- parts --------------------------------------------------------------------------------- */

static tacho_status open_part(set_reader *self, const tacho_clock *clock, const char *clock_name,
                              const char *part_name)
{
    TACHO_TRY(tacho_dict_add_clock(self->dict, clock, tacho_str_from_cstring(clock_name),
                                   &self->host_clock));
    tacho_part_facts facts = {
        .path = self->reading->path,
        .name = tacho_str_from_cstring(part_name),
        .format = tacho_str_from_cstring(tacho_source_tenstorrent_set.name),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = self->host_clock,
        .covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_HOST),
    };
    return tacho_dict_add_part(self->dict, &facts, &self->host_part);
}

/* Adds the losses from the host's files and from tables to |part|. */
static tacho_status add_losses(set_reader *self, uint32_t part)
{
    static const struct {
        tt_log_loss loss;
        tacho_loss_reason reason;
    } reasons[] = {
        {TT_LOSS_CUT_MESSAGE, TACHO_LOSS_CUT_INPUT},
        {TT_LOSS_NO_FIRST, TACHO_LOSS_UNKNOWN_STATE},
        {TT_LOSS_BAD_MESSAGE, TACHO_LOSS_FIELD_COUNT},
        {TT_LOSS_BAD_ZONE, TACHO_LOSS_FIELD_COUNT},
        {TT_LOSS_NO_OP, TACHO_LOSS_UNKNOWN_STATE},
        {TT_LOSS_BAD_ROW, TACHO_LOSS_FIELD_COUNT},
        {TT_LOSS_CUT_FILE, TACHO_LOSS_CUT_INPUT},
        {TT_LOSS_BAD_FILE, TACHO_LOSS_CUT_INPUT},
        {TT_LOSS_COLLISION, TACHO_LOSS_UNKNOWN_STATE},
        {TT_LOSS_NO_REPLAY, TACHO_LOSS_UNKNOWN_STATE},
        {TT_LOSS_REPEATED_MESSAGE, TACHO_LOSS_BAD_RECORD},
    };
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        uint64_t count = self->losses.counts[reasons[i].loss];
        tacho_loss loss = {part, reasons[i].reason, count, 0, 0};
        if (count > 0) {
            tacho_str phrase = tacho_str_from_cstring(tt_loss_phrase(reasons[i].loss));
            TACHO_TRY(tacho_dict_ensure_string(self->dict, phrase, &loss.example));
            TACHO_TRY(tacho_dict_add_loss(self->dict, &loss));
        }
    }
    return TACHO_OK;
}

static tacho_status ensure_track(set_reader *self, uint32_t parent, tacho_str name,
                                 tacho_track_class track_class, uint32_t *out_track)
{
    tacho_track facts = {
        .parent = parent,
        .part = self->host_part,
        .clock = self->host_clock,
        .lane_of = TACHO_NONE,
        .rank = track_class == TACHO_TRACK_GROUP ? 0 : -1,
        .track_class = track_class,
        .nesting = TACHO_NESTING_STACK,
    };
    return tacho_dict_ensure_track(self->dict, &facts, name, out_track);
}

/* ---- the host ------------------------------------------------------------------------------ */

/* Host times beyond this are damage: they would not fit the clock. */
#define HOST_NS_END (UINT64_C(1) << 50)

static bool has_times(const tt_host_op *op)
{
    return op->has_time && op->start_ns < HOST_NS_END && op->duration_ns < HOST_NS_END;
}

static tacho_status make_site(set_reader *self, tacho_str name, tacho_str category,
                              uint32_t *out_site)
{
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(
        tacho_dict_ensure_string(self->dict, name.len > 0 ? name : TACHO_STR("op"), &site.name));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, category, &site.category));
    return tacho_dict_ensure_site(self->dict, &site, out_site);
}

/* The row of a host op, but for its arguments. */
static tacho_status make_host_row(set_reader *self, const tt_host_op *op, uint32_t group,
                                  tacho_row *out_row)
{
    const tt_op_data *data = &self->host.datas[op->data];
    char name[TEXT_BYTES];
    tacho_str thread = tacho_strings_get(&self->host.strings, op->thread);
    int len = snprintf(name, sizeof(name), "Thread %.*s", thread.len < 40 ? (int)thread.len : 40,
                       thread.data);
    *out_row =
        (tacho_row){.kind = TACHO_ROW_SPAN, .start = (int64_t)op->start_ns * self->host_scale};
    out_row->of.span.end = (int64_t)(op->start_ns + op->duration_ns) * self->host_scale;
    out_row->of.span.op = TACHO_NONE;
    out_row->of.span.run = TACHO_NONE;
    TACHO_TRY(ensure_track(self, group, tacho_str_make(name, (size_t)len), TACHO_TRACK_HOST,
                           &out_row->track));
    return make_site(self, data->code, data->type, &out_row->of.span.site);
}

static tacho_status push_host_op(set_reader *self, const tt_host_op *op, uint32_t group)
{
    tacho_row row;
    tacho_arg args[2] = {{.type = TACHO_ARG_UINT, .value.as_uint = op->id},
                         {.type = TACHO_ARG_INT, .value.as_int = op->device}};
    TACHO_TRY(make_host_row(self, op, group, &row));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("global call count"), &args[0].key));
    TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("device"), &args[1].key));
    row.args = args;
    row.arg_count = op->device < 0 ? 1 : 2;
    return tacho_events_row(self->reading->events, &row);
}

static tacho_status push_signpost(set_reader *self, const tt_signpost *post, uint32_t group)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .start = (int64_t)post->time_ns * self->host_scale};
    tacho_arg message = {.type = TACHO_ARG_TEXT, .value.as_text = post->message};
    row.of.span.end = row.start;
    row.of.span.flags = TACHO_SPAN_INSTANT;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR("message"), &message.key));
    TACHO_TRY(ensure_track(self, group, TACHO_STR("Signposts"), TACHO_TRACK_PHASE, &row.track));
    TACHO_TRY(make_site(self, post->header, TACHO_STR("signpost"), &row.of.span.site));
    row.args = &message;
    row.arg_count = post->message.len > 0 ? 1 : 0;
    return tacho_events_row(self->reading->events, &row);
}

static tacho_status push_host(set_reader *self)
{
    uint32_t group = self->dict->parts[self->host_part].root;
    if (self->is_aligned) {
        TACHO_TRY(ensure_track(self, group, TACHO_STR("Host"), TACHO_TRACK_GROUP, &group));
    }
    for (size_t i = 0; i < self->host.op_count; i++) {
        if (has_times(&self->host.ops[i])) {
            TACHO_TRY(push_host_op(self, &self->host.ops[i], group));
        }
    }
    for (size_t i = 0; i < self->host.signpost_count; i++) {
        if (self->host.signposts[i].time_ns < HOST_NS_END) {
            TACHO_TRY(push_signpost(self, &self->host.signposts[i], group));
        }
    }
    return TACHO_OK;
}

/* ---- arrows -------------------------------------------------------------------------------- */

static tacho_status push_flow_end(set_reader *self, const tacho_row *span, tacho_flow_phase phase)
{
    tacho_row row = {.kind = TACHO_ROW_FLOW, .track = span->track, .start = span->start};
    row.of.flow.id = self->flow_count;
    row.of.flow.role = TACHO_FLOW_LAUNCH;
    row.of.flow.phase = phase;
    row.of.flow.span_end = span->of.span.end;
    row.of.flow.span_name = self->dict->sites[span->of.span.site].name;
    return tacho_events_row(self->reading->events, &row);
}

/* Draws an arrow from the host op to its execution |span|; for a tt_log_target. */
static tacho_status push_arrow(void *of, uint64_t id, const tacho_row *span)
{
    set_reader *self = of;
    uint32_t op = tt_host_find(&self->host, id);
    if (op == TACHO_NONE || !has_times(&self->host.ops[op])) {
        return TACHO_OK;
    }
    uint32_t root = self->dict->parts[self->host_part].root;
    uint32_t group = 0;
    tacho_row from;
    TACHO_TRY(ensure_track(self, root, TACHO_STR("Host"), TACHO_TRACK_GROUP, &group));
    TACHO_TRY(make_host_row(self, &self->host.ops[op], group, &from));
    self->flow_count++;
    TACHO_TRY(push_flow_end(self, &from, TACHO_FLOW_LEAVES));
    return push_flow_end(self, span, TACHO_FLOW_ARRIVES);
}

/* ---- devices ------------------------------------------------------------------------------- */

static tacho_status read_log_rows(const tt_log_target *target, tt_log *log)
{
    tt_log_emit emit;
    tacho_status status = tt_log_emit_init(&emit, target);
    if (status == TACHO_OK) {
        status = tt_log_emit_read(&emit, log);
    }
    if (status == TACHO_OK) {
        status = tt_log_emit_finish(&emit);
    }
    tt_log_emit_deinit(&emit);
    return status;
}

/* Counts an execution that must be a replay although the host reports none; for a tt_log_target. */
static void note_replay(void *of, const tt_device_op *op)
{
    set_reader *self = of;
    uint64_t ns = 0;
    uint32_t id = tt_host_find(&self->host, op->key.host);
    if (self->set.paths[TT_SET_MESSAGES] == NULL || id == TACHO_NONE) {
        return;
    }
    int64_t captured = self->host.ops[id].trace;
    int64_t trace = op->key.trace >= 0 ? op->key.trace : captured;
    bool is_numbered = op->key.replay >= 0;
    bool is_replay = is_numbered || op->ordinal > 0 ||
                     (captured >= 0 && self->set.paths[TT_SET_DEVICE_LOG] != NULL);
    int64_t session = is_numbered ? op->key.replay : (int64_t)op->ordinal + 1;
    if (is_replay && !tt_host_find_replay(&self->host, op->key.chip, trace, session, &ns)) {
        tt_losses_add(&self->losses, TT_LOSS_NO_REPLAY, op->key.host);
    }
}

/* Each chip as a part of its own, in cycles; or all in the host's part, on its clock. */
static tt_log_target make_target(set_reader *self, const tt_log_header *header)
{
    tt_log_target target = {.reading = self->reading,
                            .header = header,
                            .names = {find_name, &self->host},
                            .note = note_replay,
                            .self = self};
    if (self->is_aligned) {
        target.part = self->host_part;
        target.clock = self->host_clock;
        target.sync = &self->sync;
        target.arrow = push_arrow;
    }
    return target;
}

static tacho_status push_log(set_reader *self)
{
    tacho_input input;
    tt_log log;
    const char *path = self->set.paths[TT_SET_DEVICE_LOG];
    if (path == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_input_open(path, &input));
    input.progress = self->reading->input->progress;
    tacho_status status = tt_log_open(&log, &input);
    if (status == TACHO_OK) {
        tt_log_target target = make_target(self, &log.header);
        target.has_markers = true;
        status = read_log_rows(&target, &log);
    }
    tacho_input_close(&input);
    return status;
}

/* Converts a row of the report to an execution; false if it has no times. */
static bool take_report_row(const tt_table *table, size_t row, tt_device_op *out_op)
{
    int64_t id = 0;
    int64_t device = 0;
    int64_t cores = 0;
    *out_op =
        (tt_device_op){.key = {.trace = -1, .replay = -1}, .next = TACHO_NONE, .sub_device = -1};
    tt_range *kernel = &out_op->kernel;
    bool has_cores = tt_table_int(table, row, TACHO_TT_CORE_COUNT, &cores);
    tt_table_int(table, row, TACHO_TT_TRACE_ID, &out_op->key.trace);
    tt_table_int(table, row, TACHO_TT_SESSION_ID, &out_op->key.replay);
    bool is_good = tt_table_int(table, row, TACHO_TT_CALL_COUNT, &id) && id >= 0 &&
                   tt_table_int(table, row, TACHO_TT_DEVICE_ID, &device) && device >= 0 &&
                   device < UINT32_MAX &&
                   tt_table_int(table, row, TACHO_TT_KERNEL_START_CYCLE, &kernel->first) &&
                   tt_table_int(table, row, TACHO_TT_KERNEL_END_CYCLE, &kernel->last) &&
                   kernel->first >= 0 && kernel->last >= kernel->first &&
                   kernel->last < TT_LOG_TIME_END;
    kernel->count = 2;
    out_op->key.host = (uint64_t)id;
    out_op->key.chip = (uint32_t)device;
    out_op->core_count = has_cores && cores > 0 ? (uint32_t)cores : 0;
    return is_good;
}

/* Pushes the executions of one device. */
static tacho_status push_report_device(set_reader *self, const tt_table *table,
                                       const tt_row_key *rows, size_t row_count)
{
    tt_log_emit emit;
    tt_rate rate;
    TACHO_TRY(tt_device_rate(table, rows, row_count, &rate));
    tacho_str arch = tt_device_arch(table, rows, row_count);
    tt_log_header header = {.hertz = (uint64_t)rate.mhz * TT_LOG_MHZ,
                            .is_rate_assumed = rate.is_assumed};
    snprintf(header.arch, sizeof(header.arch), "%.*s", TACHO_STR_ARG(arch));
    tt_log_target target = make_target(self, &header);
    target.covered_classes = TACHO_TRACK_BIT(TACHO_TRACK_COMPUTE);
    tacho_status status = tt_log_emit_init(&emit, &target);
    for (size_t i = 0; status == TACHO_OK && i < row_count; i++) {
        tt_device_op op;
        size_t row = rows[i].row;
        tacho_loss loss = {0, TACHO_LOSS_MISSING_FIELD, 1, table->lines[row], 0};
        status = take_report_row(table, row, &op)
                     ? tt_log_emit_add_op(&emit, &op)
                     : tt_chips_lose(&emit.chips, TACHO_NONE, &loss,
                                     tt_table_cell(table, row, TACHO_TT_CALL_COUNT));
    }
    if (status == TACHO_OK) {
        status = tt_log_emit_finish(&emit);
    }
    tt_log_emit_deinit(&emit);
    return status;
}

/* Pushes the executions in the runtime's report, without a log of markers. */
static tacho_status push_report(set_reader *self, const tt_table *table)
{
    tt_row_key *rows = NULL;
    size_t count = table->row_count;
    tacho_status status = count > 0 ? tt_rows_by_device(table, &rows) : TACHO_OK;
    for (size_t first = 0, end = 0; status == TACHO_OK && first < count; first = end) {
        while (end < count && rows[end].device == rows[first].device) {
            end++;
        }
        status = push_report_device(self, table, &rows[first], end - first);
    }
    free(rows);
    return status;
}

static tacho_status push_devices(set_reader *self)
{
    if (self->set.paths[TT_SET_DEVICE_LOG] != NULL || self->set.paths[TT_SET_REPORT] == NULL) {
        return push_log(self);
    }
    tt_table table;
    tt_table_init(&table);
    tacho_status status = read_table(self, TT_SET_REPORT, &table);
    if (status == TACHO_OK) {
        status = push_report(self, &table);
    }
    tt_table_deinit(&table);
    return status;
}

/* ---- the whole set ------------------------------------------------------------------------- */

/* Adds metadata on how the clocks are related. */
static tacho_status say_alignment(set_reader *self)
{
    char text[TEXT_BYTES];
    uint64_t anchors = 0;
    uint64_t error_ns = 0;
    for (size_t i = 0; i < self->sync.chip_count; i++) {
        const tt_chip_sync *chip = &self->sync.chips[i];
        anchors += chip->anchor_count;
        error_ns = chip->error_ns > error_ns ? chip->error_ns : error_ns;
    }
    snprintf(text, sizeof(text),
             "host and device clocks aligned by %" PRIu64 " anchors; off by at most %" PRIu64
             " ns at the anchors",
             anchors, error_ns);
    const char *said = self->is_aligned ? text
                       : self->set.paths[TT_SET_SYNC] == NULL
                           ? "host and device clocks are not aligned: no sync_device_info.csv"
                           : "host and device clocks are not aligned: sync_device_info.csv has "
                             "no usable anchors";
    return tacho_dict_add_metadata(self->dict, "clock alignment", tacho_str_from_cstring(said));
}

static tacho_status open_host_part(set_reader *self)
{
    tacho_clock clock;
    self->host_scale = self->is_aligned ? 1000 : 1;
    tacho_clock_init(&clock, 1, (uint64_t)self->host_scale);
    return open_part(self, &clock, self->is_aligned ? "picoseconds" : "nanoseconds",
                     self->is_aligned ? "" : "host");
}

/* Whether the clocks of all chips that the host used are related to its own. */
static bool can_align(const set_reader *self)
{
    for (size_t i = 0; i < self->host.op_count; i++) {
        int64_t device = self->host.ops[i].device;
        if (device >= 0 && tt_sync_find(&self->sync, (uint32_t)device) == NULL) {
            return false;
        }
    }
    return self->sync.chip_count > 0 && self->host.op_count > 0;
}

static tacho_status read_set(set_reader *self)
{
    size_t first_part = self->dict->part_count;
    TACHO_TRY(tt_log_set_add(&self->set, self->reading->input->name));
    tt_losses_add_count(&self->losses, TT_LOSS_BAD_FILE, 0, self->set.bad_count);
    TACHO_TRY(read_host(self));
    self->is_aligned = can_align(self);
    TACHO_TRY(say_alignment(self));
    bool has_host = self->set.paths[TT_SET_MESSAGES] != NULL;
    if (has_host) {
        TACHO_TRY(open_host_part(self));
        TACHO_TRY(push_host(self));
    }
    if (has_host && !self->is_aligned) {
        TACHO_TRY(tacho_events_end_part(self->reading->events, self->host_part));
    }
    TACHO_TRY(push_devices(self));
    if (self->dict->part_count == first_part) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: the logs hold no op",
                          self->reading->input->name);
    }
    TACHO_TRY(add_losses(self, (uint32_t)first_part));
    return self->is_aligned ? tacho_events_end_part(self->reading->events, self->host_part)
                            : TACHO_OK;
}

static tacho_status set_read(const tacho_reading *reading)
{
    set_reader self = {.reading = reading, .dict = reading->events->dict};
    tacho_arena_init(&self.arena);
    tt_log_set_init(&self.set, &self.arena);
    tacho_status status = tt_host_init(&self.host, &self.losses);
    if (status == TACHO_OK) {
        status = read_set(&self);
    }
    tt_host_deinit(&self.host);
    tt_sync_deinit(&self.sync);
    tacho_arena_deinit(&self.arena);
    return status;
}

static tacho_probe_verdict set_probe(tacho_str head)
{
    (void)head; /* a set is a folder */
    return TACHO_PROBE_NO;
}

static const char *describe_piece(tacho_str head)
{
    switch (tt_set_file_of(head)) {
    case TT_SET_MESSAGES:
        return "host messages of Tenstorrent's profiler (tracy_ops_data.csv)";
    case TT_SET_TIMES:
        return "host zones of Tenstorrent's profiler (tracy_ops_times.csv)";
    case TT_SET_SYNC:
        return "clock anchors of Tenstorrent's profiler (sync_device_info.csv)";
    case TT_SET_DEVICE_LOG:
    case TT_SET_REPORT:
    case TT_SET_OPS:
    case TT_SET_FILE_COUNT:
        break;
    }
    return NULL;
}

static const tacho_source_folder log_folder = {
    .is_folder = tt_log_set_is_folder,
    .holds = tt_log_set_holds,
    .drop_own = tt_log_set_drop_own,
    .find_table = tt_log_set_find_table,
    .describe_piece = describe_piece,
};

const tacho_source tacho_source_tenstorrent_set = {
    .name = "tenstorrent-logs",
    .title = "logs of one run of Tenstorrent's profiler, a directory",
    .probe = set_probe,
    .read = set_read,
    .folder = &log_folder,
};
