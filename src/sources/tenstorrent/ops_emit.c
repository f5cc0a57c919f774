/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts, tracks and rows of an op table.
 */
#include "sources/tenstorrent/ops_emit.h"

#include "base/grow.h"
#include "codec/json_number.h"
#include "sources/tenstorrent/ops_times.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 96, EXAMPLE_BYTES = 80 };

/* A span of the current part, held for sorting. */
typedef struct held_span {
    int64_t start, end;
    size_t row;
    uint32_t track;
    uint32_t flags;
    bool is_whole; /* with all cells; else only the identifying ones */
} held_span;

typedef struct emitter {
    const tacho_reading *reading;
    const tt_table *table;
    tacho_dict *dict;
    uint32_t *keys; /* by column: the name as a string */
    uint32_t row_key;
    tacho_arg *args;         /* room for all columns and the row */
    tt_row_key *rows;        /* by device, then row */
    bool *has_times;         /* by row: its device has times */
    const tt_ops_loss *loss; /* to be counted in the first part; then NULL */
    tacho_strings run_names;
    uint32_t *runs; /* by id of |run_names| */
    size_t run_count, run_capacity;
    tacho_strings host_spans; /* the ones already pushed: replays repeat them */
    tacho_strings replayed;   /* calls with a replay */
    /* The current part. */
    bool is_host;
    uint32_t part, clock;
    uint32_t op_track, firmware_track;
    held_span *held;
    size_t held_count, held_capacity;
} emitter;

/* ---- cells ------------------------------------------------------------------------------ */

static tacho_unit unit_of(tacho_str column)
{
    if (tacho_str_ends_with(column, TACHO_STR("[ns]"))) {
        return TACHO_UNIT_NS;
    }
    if (tacho_str_ends_with(column, TACHO_STR("CYCLE"))) {
        return TACHO_UNIT_CYCLES;
    }
    if (tacho_str_ends_with(column, TACHO_STR("[B]"))) {
        return TACHO_UNIT_BYTES;
    }
    return tacho_str_ends_with(column, TACHO_STR("(%)")) ? TACHO_UNIT_PERCENT : TACHO_UNIT_NONE;
}

/* A cell as an argument: a number where it is one, else text of the dictionary. */
static tacho_status fill_arg(emitter *self, tacho_str cell, tacho_arg *arg)
{
    if (tacho_str_parse_u64(cell, &arg->value.as_uint)) {
        arg->type = TACHO_ARG_UINT;
    } else if (tacho_str_find_byte(cell, '.') == cell.len &&
               tacho_json_number_i64(cell, &arg->value.as_int)) {
        arg->type = TACHO_ARG_INT;
    } else if (tacho_json_number_double(cell, &arg->value.as_real)) {
        arg->type = TACHO_ARG_REAL;
    } else if (tacho_str_equal(cell, TACHO_STR("True")) ||
               tacho_str_equal(cell, TACHO_STR("False"))) {
        arg->type = TACHO_ARG_BOOL;
        arg->value.as_bool = cell.data[0] == 'T';
    } else {
        arg->type = TACHO_ARG_STRING;
        return tacho_dict_ensure_string(self->dict, cell, &arg->value.as_string);
    }
    return TACHO_OK;
}

static tacho_status fill_args(emitter *self, size_t row, size_t *out_count)
{
    const tt_table *table = self->table;
    size_t count = 0;
    self->args[count++] =
        (tacho_arg){.key = self->row_key, .type = TACHO_ARG_UINT, .value.as_uint = row + 2};
    for (size_t i = 0; i < table->column_count; i++) {
        tacho_str cell = tt_table_at(table, row, i);
        if (cell.len == 0 || i == table->known[TACHO_TT_OP_CODE] || table->is_repeated[i]) {
            continue;
        }
        self->args[count] = (tacho_arg){.key = self->keys[i], .unit = unit_of(table->names[i])};
        TACHO_TRY(fill_arg(self, cell, &self->args[count]));
        count++;
    }
    *out_count = count;
    return TACHO_OK;
}

/* ---- parts ------------------------------------------------------------------------------ */

static tacho_str generation_of(const tt_table *table)
{
    if (table->known[TACHO_TT_OP_CODE] == TT_NO_COLUMN) {
        return table->known[TACHO_TT_OP_NAME] == TT_NO_COLUMN ? TACHO_STR("device-only")
                                                              : TACHO_STR("cpp");
    }
    if (table->known[TACHO_TT_DEVICE_ARCH] != TT_NO_COLUMN ||
        table->known[TACHO_TT_WORKER_CORES] != TT_NO_COLUMN) {
        return TACHO_STR("v2.1");
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (tacho_str_ends_with(table->names[i], TACHO_STR("_PAD[LOGICAL]"))) {
            return TACHO_STR("v2");
        }
    }
    return TACHO_STR("v1");
}

/* Counts the lines that do not fit the header in the current part. */
static tacho_status lose_lines(emitter *self, const tt_ops_loss *loss)
{
    if (loss->bad_row_count > 0) {
        tacho_loss lost = {self->part, TACHO_LOSS_FIELD_COUNT, loss->bad_row_count,
                           loss->first_bad_line, 0};
        tacho_str example = loss->bad_example;
        example.len = example.len > EXAMPLE_BYTES ? EXAMPLE_BYTES : example.len;
        TACHO_TRY(tacho_dict_ensure_string(self->dict, example, &lost.example));
        TACHO_TRY(tacho_dict_add_loss(self->dict, &lost));
    }
    tacho_loss cut = {self->part, TACHO_LOSS_CUT_INPUT, 1, 0, 0};
    return loss->is_cut ? tacho_dict_add_loss(self->dict, &cut) : TACHO_OK;
}

static tacho_status make_track(emitter *self, const char *name, tacho_track_class track_class,
                               tacho_nesting nesting, uint32_t *out_track)
{
    tacho_track facts = {
        .parent = self->dict->parts[self->part].root,
        .part = self->part,
        .clock = self->clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = nesting,
    };
    return tacho_dict_ensure_track(self->dict, &facts, tacho_str_from_cstring(name), out_track);
}

static tacho_status lose_with(emitter *self, tacho_loss_reason reason, size_t row,
                              tacho_str example)
{
    tacho_loss loss = {self->part, reason, 1, self->table->lines[row], 0};
    if (!tacho_dict_has_loss(self->dict, &loss)) {
        example.len = example.len > EXAMPLE_BYTES ? EXAMPLE_BYTES : example.len;
        TACHO_TRY(tacho_dict_ensure_string(self->dict, example, &loss.example));
    }
    return tacho_dict_add_loss(self->dict, &loss);
}

static tacho_status lose(emitter *self, tacho_loss_reason reason, size_t row)
{
    return lose_with(self, reason, row, tt_table_cell(self->table, row, TACHO_TT_OP_CODE));
}

/* Counts columns with a repeated name: the first is read. */
static tacho_status lose_columns(emitter *self)
{
    const tt_table *table = self->table;
    for (size_t i = 0; i < table->column_count; i++) {
        char text[NAME_BYTES];
        tacho_str name = table->names[i];
        tacho_loss loss = {self->part, TACHO_LOSS_UNKNOWN_COLUMN, 1, 1, 0};
        if (!table->is_repeated[i]) {
            continue;
        }
        int len = snprintf(text, sizeof(text), "a second column '%.*s'",
                           name.len < 48 ? (int)name.len : 48, name.data);
        TACHO_TRY(
            tacho_dict_ensure_string(self->dict, tacho_str_make(text, (size_t)len), &loss.example));
        TACHO_TRY(tacho_dict_add_loss(self->dict, &loss));
    }
    return TACHO_OK;
}

/* Counts the cells that are not a valid time, cycle count or device, in the current part. */
static tacho_status lose_cells(emitter *self)
{
    const tt_table *table = self->table;
    for (size_t row = 0; row < table->row_count; row++) {
        tacho_loss_reason reason;
        tacho_tt_column column;
        size_t at = 0;
        while ((reason = tt_row_damage(table, row, &at, &column)) != TACHO_LOSS_REASON_COUNT) {
            char text[NAME_BYTES];
            tacho_str cell = tt_table_cell(table, row, column);
            int len = snprintf(text, sizeof(text), "%s '%.*s'", tt_column_name(column),
                               cell.len < 32 ? (int)cell.len : 32, cell.data);
            TACHO_TRY(lose_with(self, reason, row, tacho_str_make(text, (size_t)len)));
        }
    }
    return TACHO_OK;
}

static tacho_status open_part(emitter *self, tacho_str name, tacho_track_class covered)
{
    tacho_clock clock;
    tacho_clock_init(&clock, 1, 1);
    TACHO_TRY(tacho_dict_add_clock(self->dict, &clock, TACHO_STR("nanoseconds"), &self->clock));
    tacho_part_facts facts = {
        .path = self->reading->path,
        .name = name,
        .format = TACHO_STR(TACHO_TT_FORMAT),
        .generation = generation_of(self->table),
        .origin = TACHO_ORIGIN_MEASURED,
        .clock = self->clock,
        .covered_classes = TACHO_TRACK_BIT(covered),
    };
    TACHO_TRY(tacho_dict_add_part(self->dict, &facts, &self->part));
    const tt_ops_loss *loss = self->loss;
    self->loss = NULL;
    if (loss == NULL) {
        return TACHO_OK;
    }
    TACHO_TRY(lose_lines(self, loss));
    TACHO_TRY(lose_columns(self));
    return lose_cells(self);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* Tables without op codes (of a device alone) name ops by their number, if at all. */
static tacho_status name_op(emitter *self, size_t row, uint32_t *out_name)
{
    tacho_str name = tt_table_cell(self->table, row, TACHO_TT_OP_CODE);
    char numbered[NAME_BYTES];
    if (name.len == 0) {
        name = tt_table_cell(self->table, row, TACHO_TT_OP_NAME);
    }
    if (name.len == 0) {
        tacho_str call = tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT);
        int len = call.len == 0 ? snprintf(numbered, sizeof(numbered), "op in row %zu", row + 2)
                                : snprintf(numbered, sizeof(numbered), "op %.*s",
                                           call.len < 24 ? (int)call.len : 24, call.data);
        name = tacho_str_make(numbered, (size_t)len);
    }
    return tacho_dict_ensure_string(self->dict, name, out_name);
}

static tacho_status make_site(emitter *self, size_t row, uint32_t *out_site)
{
    tacho_site site = {.location = TACHO_NONE};
    tacho_str type = tt_table_cell(self->table, row, TACHO_TT_OP_TYPE);
    tacho_str place = tt_table_cell(self->table, row, TACHO_TT_LOC);
    TACHO_TRY(name_op(self, row, &site.name));
    TACHO_TRY(tacho_dict_ensure_string(
        self->dict, type.len > 0 ? type : TACHO_STR(TACHO_TT_TYPE_DEVICE), &site.category));
    if (tacho_str_starts_with(place, TACHO_STR("loc(")) && place.data[place.len - 1] == ')') {
        place = tacho_str_make(place.data + 4, place.len - 5);
    }
    if (place.len > 0 && !tacho_str_equal(place, TACHO_STR("unknown"))) {
        tacho_location location = {.text = 0};
        TACHO_TRY(tacho_dict_ensure_string(self->dict, place, &location.text));
        TACHO_TRY(tacho_dict_ensure_location(self->dict, &location, &site.location));
    }
    return tacho_dict_ensure_site(self->dict, &site, out_site);
}

/* The replay of a trace that the row belongs to; TACHO_NONE for none. */
static tacho_status find_run(emitter *self, size_t row, uint32_t *out_run)
{
    tacho_str trace = tt_table_cell(self->table, row, TACHO_TT_TRACE_ID);
    int64_t session = 0;
    *out_run = TACHO_NONE;
    if (!tt_table_int(self->table, row, TACHO_TT_SESSION_ID, &session) || session < 0) {
        return TACHO_OK;
    }
    char name[NAME_BYTES];
    int shown = trace.len < 24 ? (int)trace.len : 24;
    int len = snprintf(name, sizeof(name), "%u replay %lld of trace %.*s", (unsigned)self->part,
                       (long long)session, shown, trace.data);
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->run_names, tacho_str_make(name, (size_t)len), &id));
    TACHO_TRY(tacho_grow(&self->runs, &self->run_capacity, self->run_names.item_count));
    for (; self->run_count < self->run_names.item_count; self->run_count++) {
        self->runs[self->run_count] = TACHO_NONE;
    }
    if (self->runs[id] == TACHO_NONE) {
        tacho_run run = {.part = self->part, .invocation = session};
        len = snprintf(name, sizeof(name), "trace %.*s", shown, trace.data);
        TACHO_TRY(
            tacho_dict_ensure_string(self->dict, tacho_str_make(name, (size_t)len), &run.name));
        TACHO_TRY(tacho_dict_add_run(self->dict, &run, &self->runs[id]));
    }
    *out_run = self->runs[id];
    return TACHO_OK;
}

/* Pushes a span of |row| on |track|; with all cells, or only the identifying ones. */
static tacho_status push_span(emitter *self, size_t row, tacho_row *span, bool is_whole)
{
    size_t arg_count = 0;
    TACHO_TRY(make_site(self, row, &span->of.span.site));
    span->kind = TACHO_ROW_SPAN;
    span->of.span.op = TACHO_NONE;
    if (is_whole) {
        TACHO_TRY(fill_args(self, row, &arg_count));
    } else if (tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT).len > 0) {
        self->args[0] = (tacho_arg){.key = self->keys[self->table->known[TACHO_TT_CALL_COUNT]]};
        TACHO_TRY(
            fill_arg(self, tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT), &self->args[0]));
        arg_count = 1;
    }
    span->args = self->args;
    span->arg_count = arg_count;
    return tacho_events_row(self->reading->events, span);
}

/* ---- time order -------------------------------------------------------------------------- */

static tacho_status hold(emitter *self, const held_span *span)
{
    TACHO_TRY(tacho_grow(&self->held, &self->held_capacity, self->held_count + 1));
    self->held[self->held_count++] = *span;
    return TACHO_OK;
}

/* By start; the longer one first, as calls are nested. */
static int compare_held(const void *a, const void *b)
{
    const held_span *left = a;
    const held_span *right = b;
    if (left->start != right->start) {
        return left->start < right->start ? -1 : 1;
    }
    if (left->end != right->end) {
        return left->end > right->end ? -1 : 1;
    }
    return left->row < right->row ? -1 : left->row > right->row;
}

/* Pushes the held spans, so that no sort is needed downstream, and ends the part. */
static tacho_status push_held(emitter *self)
{
    if (self->held_count > 1) {
        qsort(self->held, self->held_count, sizeof(*self->held), compare_held);
    }
    for (size_t i = 0; i < self->held_count; i++) {
        const held_span *from = &self->held[i];
        tacho_row span = {.track = from->track, .start = from->start};
        span.of.span.end = from->end;
        span.of.span.flags = from->flags;
        span.of.span.run = TACHO_NONE;
        if (!self->is_host) { /* the host issues an op once, however often it is replayed */
            TACHO_TRY(find_run(self, from->row, &span.of.span.run));
        }
        TACHO_TRY(push_span(self, from->row, &span, from->is_whole));
    }
    self->held_count = 0;
    return tacho_events_end_part(self->reading->events, self->part);
}

/* Whether the row's op ran only as replays of a trace, which have rows of their own. */
static bool is_captured(const emitter *self, size_t row)
{
    tacho_str call = tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT);
    return call.len > 0 && tacho_strings_find(&self->replayed, call) != TACHO_NONE;
}

/* Lists the calls that have a replay. */
static tacho_status list_replayed(emitter *self)
{
    for (size_t row = 0; row < self->table->row_count; row++) {
        int64_t session = 0;
        uint32_t id = 0;
        if (self->has_times[row] && tt_table_int(self->table, row, TACHO_TT_SESSION_ID, &session)) {
            TACHO_TRY(tacho_strings_ensure(
                &self->replayed, tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT), &id));
        }
    }
    return TACHO_OK;
}

static tacho_status hold_device_row(emitter *self, size_t row, int64_t mhz, int64_t *previous_end)
{
    tt_times times;
    tt_times_verdict verdict = tt_row_times(self->table, row, mhz, previous_end, &times);
    if (times.is_reversed) {
        TACHO_TRY(lose(self, TACHO_LOSS_END_BEFORE_START, row));
    }
    if (verdict == TT_TIMES_BAD) {
        return TACHO_OK; /* its cells are counted */
    }
    if (verdict == TT_TIMES_NONE && is_captured(self, row)) {
        return TACHO_OK; /* recorded for the trace, and run by its replays */
    }
    if (verdict != TT_TIMES_KNOWN && verdict != TT_TIMES_LAID) {
        return lose(self, verdict == TT_TIMES_NONE ? TACHO_LOSS_DROPPED : TACHO_LOSS_TIME_OVERFLOW,
                    row);
    }
    held_span span = {times.start, times.end, row, self->op_track, 0, true};
    TACHO_TRY(hold(self, &span));
    if (!times.has_firmware) {
        return TACHO_OK;
    }
    span =
        (held_span){times.firmware_start, times.firmware_end, row, self->firmware_track, 0, false};
    return hold(self, &span);
}

static bool has_cycles(const tt_table *table)
{
    return table->known[TACHO_TT_FW_START_CYCLE] != TT_NO_COLUMN ||
           table->known[TACHO_TT_KERNEL_START_CYCLE] != TT_NO_COLUMN;
}

static tacho_status push_device(emitter *self, const tt_row_key *rows, size_t row_count)
{
    char name[NAME_BYTES];
    char key[NAME_BYTES];
    tacho_str arch = tt_device_arch(self->table, rows, row_count);
    self->is_host = false;
    tt_rate rate;
    TACHO_TRY(tt_device_rate(self->table, rows, row_count, &rate));
    int len = snprintf(name, sizeof(name), "Device %lld%s%.*s%s", (long long)rows->device,
                       arch.len > 0 ? " (" : "", TACHO_STR_ARG(arch), arch.len > 0 ? ")" : "");
    TACHO_TRY(open_part(self, tacho_str_make(name, (size_t)len), TACHO_TRACK_COMPUTE));
    TACHO_TRY(make_track(self, "Ops", TACHO_TRACK_COMPUTE, TACHO_NESTING_ENGINE, &self->op_track));
    TACHO_TRY(make_track(self, "Firmware", TACHO_TRACK_PHASE, TACHO_NESTING_ENGINE,
                         &self->firmware_track));
    snprintf(key, sizeof(key), "tenstorrent.device_%lld.mhz", (long long)rows->device);
    if (!rate.is_assumed) {
        TACHO_TRY(tacho_dict_add_metadata_count(self->dict, key, (uint64_t)rate.mhz));
    } else if (has_cycles(self->table)) {
        char text[NAME_BYTES];
        int text_len = snprintf(text, sizeof(text), "%lld (assumed)", (long long)rate.mhz);
        TACHO_TRY(tacho_dict_add_metadata(self->dict, key, tacho_str_make(text, (size_t)text_len)));
    }
    int64_t previous_end = 0;
    for (size_t i = 0; i < row_count; i++) {
        TACHO_TRY(hold_device_row(self, rows[i].row, rate.mhz, &previous_end));
    }
    return push_held(self);
}

/* ---- the host --------------------------------------------------------------------------- */

static bool is_signpost(const tt_table *table, size_t row)
{
    return tacho_str_equal(tt_table_cell(table, row, TACHO_TT_OP_TYPE),
                           TACHO_STR(TACHO_TT_TYPE_SIGNPOST));
}

/* Whether the host's span of the row was pushed before: each replay repeats it. */
static tacho_status is_repeated(emitter *self, size_t row, bool *out_is)
{
    char text[NAME_BYTES];
    tacho_str call = tt_table_cell(self->table, row, TACHO_TT_CALL_COUNT);
    tacho_str start = tt_table_cell(self->table, row, TACHO_TT_HOST_START);
    *out_is = false;
    if (self->table->known[TACHO_TT_CALL_COUNT] == TT_NO_COLUMN) {
        call = tt_table_cell(self->table, row, TACHO_TT_OP_CODE);
        call.len = call.len > 64 ? 64 : call.len;
    } else if (call.len == 0 || call.len > 24) {
        return TACHO_OK;
    }
    if (start.len > 24) {
        return TACHO_OK;
    }
    int len = snprintf(text, sizeof(text), "%.*s %.*s", TACHO_STR_ARG(call), TACHO_STR_ARG(start));
    size_t known_count = self->host_spans.item_count;
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->host_spans, tacho_str_make(text, (size_t)len), &id));
    *out_is = self->host_spans.item_count == known_count;
    return TACHO_OK;
}

static tacho_status hold_host_row(emitter *self, size_t row, uint32_t signpost_track)
{
    held_span span = {.row = row, .track = self->op_track, .is_whole = !self->has_times[row]};
    bool is_known = false;
    if (tt_row_device(self->table, row) == TT_DEVICE_BAD) {
        return TACHO_OK; /* counted as lost; its kind is unknown */
    }
    if (!tt_row_host_times(self->table, row, &span.start, &span.end)) {
        return self->has_times[row] ? TACHO_OK : lose(self, TACHO_LOSS_MISSING_FIELD, row);
    }
    if (is_signpost(self->table, row)) {
        span.track = signpost_track;
        span.end = span.start;
        span.flags = TACHO_SPAN_INSTANT;
    } else if (self->has_times[row]) {
        TACHO_TRY(is_repeated(self, row, &is_known));
    }
    return is_known ? TACHO_OK : hold(self, &span);
}

static tacho_status push_host(emitter *self)
{
    uint32_t signpost_track = 0;
    self->is_host = true;
    TACHO_TRY(open_part(self, TACHO_STR(""), TACHO_TRACK_HOST));
    TACHO_TRY(make_track(self, "Host ops", TACHO_TRACK_HOST, TACHO_NESTING_STACK, &self->op_track));
    TACHO_TRY(
        make_track(self, "Signposts", TACHO_TRACK_HOST, TACHO_NESTING_STACK, &signpost_track));
    for (size_t row = 0; row < self->table->row_count; row++) {
        TACHO_TRY(hold_host_row(self, row, signpost_track));
    }
    return push_held(self);
}

/* ---- the whole table -------------------------------------------------------------------- */

/* Whether the table has data of the host: tables made from a device's log alone do not. */
static bool needs_host(const emitter *self)
{
    bool needs = self->table->known[TACHO_TT_HOST_START] != TT_NO_COLUMN;
    for (size_t row = 0; row < self->table->row_count && !needs; row++) {
        needs = self->rows[row].device < 0;
    }
    return needs;
}

/* Whether the device recorded any data for the row, so that its span there has all cells. */
static bool has_device_times(const tt_table *table, size_t row)
{
    tt_times times;
    int64_t previous_end = 0;
    tt_times_verdict verdict = tt_row_times(table, row, 1, &previous_end, &times);
    return verdict == TT_TIMES_KNOWN || verdict == TT_TIMES_LAID;
}

static tacho_status sort_rows(emitter *self)
{
    const tt_table *table = self->table;
    TACHO_TRY(tt_rows_by_device(table, &self->rows));
    self->has_times = tacho_items_alloc(table->row_count, sizeof(*self->has_times));
    if (self->has_times == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < table->row_count; i++) {
        size_t row = self->rows[i].row;
        self->has_times[row] = self->rows[i].device >= 0 && has_device_times(table, row);
    }
    return TACHO_OK;
}

static tacho_status prepare(emitter *self)
{
    const tt_table *table = self->table;
    TACHO_TRY(tacho_strings_init(&self->run_names));
    TACHO_TRY(tacho_strings_init(&self->host_spans));
    TACHO_TRY(tacho_strings_init(&self->replayed));
    self->keys = calloc(table->column_count, sizeof(*self->keys));
    self->args = tacho_items_alloc(table->column_count, sizeof(*self->args));
    if (self->keys == NULL || self->args == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < table->column_count; i++) {
        TACHO_TRY(tacho_dict_ensure_string(self->dict, table->names[i], &self->keys[i]));
    }
    TACHO_TRY(tacho_dict_ensure_string(self->dict, TACHO_STR(TACHO_TT_ROW), &self->row_key));
    TACHO_TRY(sort_rows(self));
    return list_replayed(self);
}

static tacho_status push_all(emitter *self)
{
    size_t count = self->table->row_count;
    TACHO_TRY(prepare(self));
    if (needs_host(self)) {
        TACHO_TRY(push_host(self));
    }
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && self->rows[end].device == self->rows[first].device) {
            end++;
        }
        if (self->rows[first].device >= 0) {
            TACHO_TRY(push_device(self, &self->rows[first], end - first));
        }
    }
    return TACHO_OK;
}

tacho_status tt_ops_emit(const tacho_reading *reading, const tt_table *table,
                         const tt_ops_loss *loss)
{
    emitter self = {
        .reading = reading, .table = table, .dict = reading->events->dict, .loss = loss};
    tacho_status status = push_all(&self);
    tacho_strings_deinit(&self.run_names);
    tacho_strings_deinit(&self.host_spans);
    tacho_strings_deinit(&self.replayed);
    free(self.keys);
    free(self.args);
    free(self.rows);
    free(self.has_times);
    free(self.runs);
    free(self.held);
    return status;
}
