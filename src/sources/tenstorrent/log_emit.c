/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A held row is a span on its track. Its time is the start, and its end decreases from row to row,
 * so that the spool, which puts the longer of two spans first, keeps the order of the file. All
 * other fields travel as arguments after the row's own. The spool sorts by time across tracks, so
 * the times of each chip are moved beyond all those of the chip before.
 */
#include "sources/tenstorrent/log_emit.h"

#include "base/grow.h"
#include "profile/categories.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 96 };

/* A row with its place. */
typedef struct log_step {
    tt_log_type type;
    tt_log_place place;
    uint32_t key;  /* of |cuts|, for a held row; TACHO_NONE without an op */
    uint64_t time; /* cycles */
    uint64_t line_number;
    tacho_row row;
} log_step;

static tacho_status take_held(tacho_events *events, const tacho_row *row);

static const tacho_events_vtable held_vtable = {.row = take_held};

tacho_status tt_log_emit_init(tt_log_emit *emit, const tt_log_target *target)
{
    const tacho_reading *reading = target->reading;
    tacho_dict *dict = reading->events->dict;
    *emit = (tt_log_emit){.events = {&held_vtable, dict},
                          .target = *target,
                          .dict = dict,
                          .current = TACHO_NONE,
                          .chips = {.reading = reading,
                                    .header = target->header,
                                    .covered_classes = target->covered_classes,
                                    .is_file = target->is_file,
                                    .is_shared = target->sync != NULL,
                                    .part = target->part,
                                    .clock = target->clock}};
    tacho_open_spans_init(&emit->open, reading->events);
    TACHO_TRY(tt_lanes_init(&emit->lanes));
    TACHO_TRY(tt_log_ops_init(&emit->ops, &emit->lanes));
    TACHO_TRY(tt_log_cuts_init(&emit->cuts));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("data"), &emit->data_key));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("meta data"), &emit->meta_key));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("total"), &emit->cycles_key));
    return reading->holds_events ? tacho_spool_create(dict, TACHO_SPOOL_DEFAULT_BYTES, &emit->spool)
                                 : TACHO_OK;
}

void tt_log_emit_deinit(tt_log_emit *emit)
{
    tacho_open_spans_deinit(&emit->open);
    tacho_spool_destroy(emit->spool);
    tt_log_ops_deinit(&emit->ops);
    tt_log_cuts_deinit(&emit->cuts);
    tt_lanes_deinit(&emit->lanes);
    tt_chips_deinit(&emit->chips);
    free(emit->emit_lanes);
    free(emit->zones);
    free(emit->runs);
}

static tacho_status lose_line(tt_log_emit *emit, uint32_t chip, const tt_log *log,
                              tacho_loss_reason reason)
{
    tacho_loss loss = {0, reason, 1, log->input->line_number, 0};
    return tt_chips_lose(&emit->chips, chip, &loss, log->line);
}

/* ---- tracks -------------------------------------------------------------------------------- */

static tacho_track_class class_of(tt_risc risc)
{
    switch (risc) {
    case TT_RISC_BRISC:
        return TACHO_TRACK_DMA_OUT;
    case TT_RISC_NCRISC:
        return TACHO_TRACK_DMA_IN;
    case TT_RISC_TRISC0:
    case TT_RISC_TRISC1:
    case TT_RISC_TRISC2:
        return TACHO_TRACK_COMPUTE;
    case TT_RISC_ERISC: /* between the memories of two chips */
        return TACHO_TRACK_DMA_LOCAL;
    case TT_RISC_COUNT:
        break;
    }
    return TACHO_TRACK_CONTROL;
}

static tacho_status make_track(const tt_log_emit *emit, const tt_lane *lane, uint32_t chip,
                               uint32_t *out_track)
{
    enum { COLUMNS_OF_CORES = 64 };
    const tt_core *core = &emit->lanes.cores[lane->core];
    const tt_chip *of = &emit->chips.items[chip];
    tacho_str risc = tacho_strings_get(&emit->lanes.riscs, lane->risc);
    char name[NAME_BYTES];
    int len = snprintf(name, sizeof(name), "Core %" PRIu32 ",%" PRIu32 " %.*s", core->x, core->y,
                       risc.len < 40 ? (int)risc.len : 40, risc.data);
    tacho_track facts = {
        .parent = of->group,
        .part = of->part,
        .clock = of->clock,
        .index = lane->core,
        .lane_of = TACHO_NONE,
        .track_class = class_of(lane->known),
        .nesting = TACHO_NESTING_STACK,
    };
    uint32_t number = core->y % COLUMNS_OF_CORES * COLUMNS_OF_CORES + core->x % COLUMNS_OF_CORES;
    facts.rank = tacho_track_rank(number + 1, facts.track_class, lane->known);
    return tacho_dict_ensure_track(emit->dict, &facts, tacho_str_make(name, (size_t)len),
                                   out_track);
}

/* Finds the map from cycles of |chip| to ticks; false when it is not known. */
static bool find_map(const tt_log_emit *emit, uint32_t chip, tt_time_map *out_map)
{
    *out_map = (tt_time_map)TT_TIME_MAP_SAME;
    if (emit->target.sync == NULL) {
        return true;
    }
    const tt_chip_sync *sync = tt_sync_find(emit->target.sync, chip);
    *out_map = sync != NULL ? sync->map : *out_map;
    return sync != NULL;
}

static tacho_status ensure_lane(tt_log_emit *emit, uint32_t lane)
{
    while (TACHO_UNLIKELY(emit->lane_count <= lane)) {
        TACHO_TRY(tacho_grow(&emit->emit_lanes, &emit->lane_capacity, emit->lane_count + 1));
        tt_emit_lane made = {.last = INT64_MIN, .cut = TACHO_NONE};
        const tt_lane *writer = &emit->lanes.lanes[emit->lane_count];
        uint32_t number = emit->lanes.cores[writer->core].chip;
        made.has_map = find_map(emit, number, &made.map);
        TACHO_TRY(tt_chips_ensure(&emit->chips, number, &made.chip));
        TACHO_TRY(make_track(emit, writer, made.chip, &made.track));
        emit->emit_lanes[emit->lane_count++] = made;
    }
    return TACHO_OK;
}

/* ---- names --------------------------------------------------------------------------------- */

static const char *category_of(const tt_log_row *row, uint8_t kind)
{
    if (row->timer == TT_LOG_TIMER_COUNTER) {
        return "counter";
    }
    if (row->timer == TT_LOG_TIMER_NOC || row->timer == TT_LOG_TIMER_NOC_DEBUG) {
        return "noc";
    }
    if ((kind & TT_ZONE_FIRMWARE) != 0) {
        return "firmware";
    }
    if ((kind & TT_ZONE_KERNEL) != 0) {
        return "kernel";
    }
    return row->type == TT_LOG_TOTAL ? "sum" : row->type == TT_LOG_VALUE ? "value" : "zone";
}

/* The name of a row without a zone. */
static tacho_str name_of(const tt_log_row *row)
{
    if (row->zone.len > 0) {
        return row->zone;
    }
    switch (row->timer) {
    case TT_LOG_TIMER_NOC:
        return TACHO_STR("NoC event");
    case TT_LOG_TIMER_NOC_DEBUG:
        return TACHO_STR("NoC debug");
    case TT_LOG_TIMER_COUNTER:
        return TACHO_STR("perf counter");
    default:
        return row->type == TT_LOG_EVENT ? TACHO_STR("event") : TACHO_STR("value");
    }
}

static tacho_status make_location(tt_log_emit *emit, const tt_log_row *row, uint32_t *out_location)
{
    char text[512];
    tacho_location location = {.line = row->line};
    int len = snprintf(text, sizeof(text), "%.*s:%" PRIu32,
                       row->file.len < 480 ? (int)row->file.len : 480, row->file.data, row->line);
    TACHO_TRY(
        tacho_dict_ensure_string(emit->dict, tacho_str_make(text, (size_t)len), &location.text));
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, row->file, &location.file));
    return tacho_dict_ensure_location(emit->dict, &location, out_location);
}

static tacho_status make_zone(tt_log_emit *emit, const tt_log_row *row, uint8_t kind,
                              tt_emit_zone *zone)
{
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, name_of(row), &site.name));
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, tacho_str_from_cstring(category_of(row, kind)),
                                       &site.category));
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, row->file, &zone->file));
    if (row->file.len > 0) {
        TACHO_TRY(make_location(emit, row, &site.location));
    }
    zone->name = site.name;
    zone->line = row->line;
    return tacho_dict_ensure_site(emit->dict, &site, &zone->site);
}

/* The site of a row; usually that of the last row of its zone. */
static tacho_status find_zone(tt_log_emit *emit, const tt_log_row *row, uint32_t zone,
                              tt_emit_zone **out_zone)
{
    while (TACHO_UNLIKELY(emit->zone_count <= zone)) {
        TACHO_TRY(tacho_grow(&emit->zones, &emit->zone_capacity, emit->zone_count + 1));
        emit->zones[emit->zone_count++] = (tt_emit_zone){.site = TACHO_NONE};
    }
    *out_zone = &emit->zones[zone];
    /* Rows without a zone differ by their timer. */
    bool is_same = (*out_zone)->site != TACHO_NONE && row->zone.len > 0 &&
                   (*out_zone)->line == row->line &&
                   tacho_str_equal(row->file, tacho_dict_string(emit->dict, (*out_zone)->file));
    return TACHO_LIKELY(is_same) ? TACHO_OK
                                 : make_zone(emit, row, emit->lanes.zone_kinds[zone], *out_zone);
}

static tacho_status name_op(const tt_log_emit *emit, uint64_t host, uint32_t *out_name)
{
    char text[NAME_BYTES];
    tacho_str name = emit->target.names.find != NULL
                         ? emit->target.names.find(emit->target.names.self, host)
                         : TACHO_STR("");
    if (name.len == 0) {
        int len = snprintf(text, sizeof(text), "op %" PRIu64, host);
        name = tacho_str_make(text, (size_t)len);
    }
    return tacho_dict_ensure_string(emit->dict, name, out_name);
}

/* The run of an execution, by its key. */
static tacho_status add_run(tt_log_emit *emit, const tt_device_op *op, uint32_t *out_run)
{
    uint32_t chip = 0;
    TACHO_TRY(tt_chips_ensure(&emit->chips, op->key.chip, &chip));
    tacho_run run = {.part = emit->chips.items[chip].part, .invocation = op->key.replay};
    if (op->key.replay < 0 && op->ordinal > 0) {
        run.invocation = op->ordinal;
    }
    TACHO_TRY(name_op(emit, op->key.host, &run.name));
    return tacho_dict_add_run(emit->dict, &run, out_run);
}

static tacho_status find_run(tt_log_emit *emit, uint32_t op, uint32_t *out_run)
{
    *out_run = TACHO_NONE;
    if (op == TACHO_NONE) {
        return TACHO_OK;
    }
    while (emit->run_count <= op) {
        TACHO_TRY(tacho_grow(&emit->runs, &emit->run_capacity, emit->run_count + 1));
        TACHO_TRY(add_run(emit, &emit->ops.ops[emit->run_count], &emit->runs[emit->run_count]));
        emit->run_count++;
    }
    *out_run = emit->runs[op];
    return TACHO_OK;
}

/* ---- ops ----------------------------------------------------------------------------------- */

static tacho_status make_op_track(const tt_log_emit *emit, uint32_t chip, uint32_t *out_track)
{
    const tt_chip *of = &emit->chips.items[chip];
    tacho_track facts = {
        .parent = of->group,
        .part = of->part,
        .clock = of->clock,
        .lane_of = TACHO_NONE,
        .track_class = emit->target.has_markers ? TACHO_TRACK_CONTROL : TACHO_TRACK_COMPUTE,
        .nesting = TACHO_NESTING_STACK,
    };
    return tacho_dict_ensure_track(emit->dict, &facts, TACHO_STR("Ops"), out_track);
}

static tacho_arg count_arg(uint32_t key, tacho_unit unit, uint64_t value)
{
    return (tacho_arg){.key = key, .type = TACHO_ARG_UINT, .unit = unit, .value.as_uint = value};
}

/* Counts missing zones of an execution. */
static tacho_status lose_zones(tt_log_emit *emit, const tt_device_op *op, uint32_t part)
{
    char text[NAME_BYTES];
    tacho_loss loss = {part, TACHO_LOSS_DROPPED, op->lost_count, 0, 0};
    int len =
        snprintf(text, sizeof(text), "firmware and kernel zones of op %" PRIu64, op->key.host);
    TACHO_TRY(
        tacho_dict_ensure_string(emit->dict, tacho_str_make(text, (size_t)len), &loss.example));
    return tacho_dict_add_loss(emit->dict, &loss);
}

static tacho_status push_op(tt_log_emit *emit, const tt_device_op *op, uint32_t track)
{
    const tt_range *range = tt_range_has(&op->kernel) ? &op->kernel : &op->firmware;
    tt_time_map map;
    if (emit->target.note != NULL) {
        emit->target.note(emit->target.self, op);
    }
    if (op->lost_count > 0) {
        TACHO_TRY(lose_zones(emit, op, emit->dict->tracks[track].part));
    }
    if (range->count == 0 || !find_map(emit, op->key.chip, &map)) {
        return TACHO_OK;
    }
    int64_t start = tt_time_map_ticks(&map, range->first);
    int64_t end = tt_time_map_ticks(&map, range->last);
    if (start < 0 || end > tacho_dict_track_clock(emit->dict, track)->max_ticks) {
        return TACHO_OK; /* its rows are counted as lost */
    }
    const tt_log_target *target = &emit->target;
    uint32_t call_key = 0;
    uint32_t cores_key = 0;
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, TACHO_STR("global call count"), &call_key));
    TACHO_TRY(tacho_dict_ensure_string(emit->dict, TACHO_STR("cores"), &cores_key));
    TACHO_TRY(
        tacho_dict_ensure_string(emit->dict, TACHO_STR(TACHO_CATEGORY_OPERATOR), &site.category));
    TACHO_TRY(name_op(emit, op->key.host, &site.name));
    tacho_arg args[] = {
        count_arg(call_key, TACHO_UNIT_NONE, op->key.host),
        count_arg(cores_key, TACHO_UNIT_COUNT, op->core_count),
    };
    tacho_row row = {
        .kind = TACHO_ROW_SPAN, .track = track, .start = start, .args = args, .arg_count = 2};
    row.of.span.end = end;
    row.of.span.op = TACHO_NONE;
    TACHO_TRY(add_run(emit, op, &row.of.span.run));
    TACHO_TRY(tacho_dict_ensure_site(emit->dict, &site, &row.of.span.site));
    if (target->arrow != NULL) {
        TACHO_TRY(target->arrow(target->self, op->key.host, &row));
    }
    return tacho_events_row(target->reading->events, &row);
}

/* Pushes the ops of |chip|, all of which are finished. */
static tacho_status push_ops(tt_log_emit *emit, uint32_t chip)
{
    uint32_t number = emit->chips.items[chip].number;
    uint32_t track = 0;
    for (size_t i = 0; i < emit->ops.op_count; i++) {
        const tt_device_op *op = &emit->ops.ops[i];
        if (op->key.chip == number) {
            TACHO_TRY(make_op_track(emit, chip, &track));
            TACHO_TRY(push_op(emit, op, track));
        }
    }
    return TACHO_OK;
}

/* ---- chips --------------------------------------------------------------------------------- */

/* Ends the open zones of a lane whose ends are lost, at its last start or end. */
static tacho_status abandon(tt_log_emit *emit, uint32_t lane, uint64_t line_number)
{
    tt_emit_lane *at = &emit->emit_lanes[lane];
    if (at->open_count == 0) {
        return TACHO_OK;
    }
    char text[NAME_BYTES];
    tacho_str name = tacho_dict_string(emit->dict, emit->dict->tracks[at->track].name);
    int len = snprintf(text, sizeof(text), "%.*s", name.len < 80 ? (int)name.len : 80, name.data);
    tacho_loss loss = {0, TACHO_LOSS_NEVER_ENDED, at->open_count, line_number, 0};
    TACHO_TRY(tt_chips_lose(&emit->chips, at->chip, &loss, tacho_str_make(text, (size_t)len)));
    at->open_count = 0;
    return tacho_open_spans_finish_stack(&emit->open, lane, at->last);
}

/* Ends |chip| after its last row. */
static tacho_status end_chip(tt_log_emit *emit, uint32_t chip)
{
    tt_chip *of = &emit->chips.items[chip];
    for (uint32_t lane = 0; lane < emit->lane_count; lane++) {
        TACHO_TRY(emit->emit_lanes[lane].chip == chip ? abandon(emit, lane, 0) : TACHO_OK);
    }
    TACHO_TRY(push_ops(emit, chip));
    of->is_ended = true;
    return emit->chips.is_shared ? TACHO_OK
                                 : tacho_events_end_part(emit->target.reading->events, of->part);
}

/* Finishes |ops| after their last row. */
static tacho_status finish_ops(tt_log_emit *emit)
{
    TACHO_TRY(tt_log_ops_finish(&emit->ops));
    const tt_device_op *doubtful = tt_log_ops_find_doubtful(&emit->ops);
    return doubtful == NULL ? TACHO_OK
                            : tacho_fail(TACHO_CODE_OUT_OF_ORDER,
                                         "executions of op %" PRIu64 " cannot be told apart",
                                         doubtful->key.host);
}

/* Makes room for the ops of the next chip. */
static tacho_status restart_ops(tt_log_emit *emit)
{
    const tt_log_cuts *cuts = emit->ops.cuts;
    tt_log_ops_deinit(&emit->ops);
    emit->run_count = 0;
    TACHO_TRY(tt_log_ops_init(&emit->ops, &emit->lanes));
    emit->ops.cuts = cuts;
    return TACHO_OK;
}

/* Begins the rows of |chip|. Parts are consecutive, so the chip before it is ended. */
static tacho_status enter_chip(tt_log_emit *emit, uint32_t chip)
{
    uint32_t before = emit->current;
    if (TACHO_LIKELY(before == chip) || emit->chips.is_shared) {
        return TACHO_OK;
    }
    emit->current = chip;
    if (before == TACHO_NONE) {
        return TACHO_OK;
    }
    TACHO_TRY(finish_ops(emit));
    TACHO_TRY(end_chip(emit, before));
    return restart_ops(emit);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static bool is_firmware(const tt_log_emit *emit, const tacho_row *row)
{
    uint32_t category = emit->dict->sites[row->of.span.site].category;
    return tacho_str_equal(tacho_dict_string(emit->dict, category), TACHO_STR("firmware"));
}

static tacho_status end_zone(tt_log_emit *emit, const log_step *step)
{
    tt_emit_lane *lane = &emit->emit_lanes[step->place.lane];
    tacho_span_end end = {.time = step->row.start,
                          .name = emit->dict->sites[step->row.of.span.site].name};
    bool is_ended = false;
    TACHO_TRY(tacho_open_spans_end(&emit->open, step->place.lane, &end, &is_ended));
    if (is_ended) {
        lane->open_count--;
        return TACHO_OK;
    }
    tacho_loss loss = {0, TACHO_LOSS_UNMATCHED_END, 1, step->line_number, 0};
    return tt_chips_lose(&emit->chips, lane->chip, &loss, tacho_dict_string(emit->dict, end.name));
}

static tacho_status pair(tt_log_emit *emit, const log_step *step)
{
    tt_emit_lane *lane = &emit->emit_lanes[step->place.lane];
    tacho_row row = step->row;
    row.of.span.end = row.start;
    if (step->type != TT_LOG_START && step->type != TT_LOG_END) {
        row.of.span.flags = TACHO_SPAN_INSTANT;
        return tacho_events_row(emit->target.reading->events, &row);
    }
    /* Firmware zones contain all others, so zones open at the start of one have lost their ends. */
    if (step->type == TT_LOG_START && lane->open_count > 0 && is_firmware(emit, &row)) {
        TACHO_TRY(abandon(emit, step->place.lane, step->line_number));
    }
    lane->last = row.start;
    if (step->type == TT_LOG_END) {
        return end_zone(emit, step);
    }
    lane->open_count++;
    return tacho_open_spans_begin(&emit->open, step->place.lane, &row);
}

/* The amount by which the times of a lane's chip are moved in the spool. */
static int64_t held_offset(const tt_log_emit *emit, uint32_t lane)
{
    return emit->chips.is_shared ? 0 : (int64_t)emit->emit_lanes[lane].chip * TT_LOG_TIME_END;
}

enum { HELD_ARGS = 4 };

static tacho_status hold(tt_log_emit *emit, const log_step *step)
{
    tacho_arg args[2 + HELD_ARGS];
    size_t count = step->row.arg_count;
    if (count > 0) {
        memcpy(args, step->row.args, count * sizeof(*args));
    }
    const uint64_t values[HELD_ARGS] = {(uint64_t)step->place.lane << 8 | step->type,
                                        step->line_number,
                                        (uint64_t)step->place.zone << 32 | step->key, step->time};
    for (size_t i = 0; i < HELD_ARGS; i++) {
        args[count + i] = (tacho_arg){.type = TACHO_ARG_UINT, .value.as_uint = values[i]};
    }
    tacho_row row = step->row;
    row.start += held_offset(emit, step->place.lane);
    row.of.span.end = INT64_MAX - (int64_t)emit->held_count++;
    row.args = args;
    row.arg_count = count + HELD_ARGS;
    return tacho_spool_add(emit->spool, &row);
}

/* The run of a held row. */
static tacho_status find_held_run(tt_log_emit *emit, const log_step *step, uint32_t *out_run)
{
    uint32_t op = TACHO_NONE;
    if (step->key != TACHO_NONE) {
        const tt_op_key *key = &emit->cuts.keys[step->key].key;
        const tt_log_row row = {.chip = key->chip,
                                .host = key->host,
                                .trace = key->trace,
                                .replay = key->replay,
                                .timer = 1,
                                .time = step->time,
                                .type = step->type};
        TACHO_TRY(tt_log_ops_add(&emit->ops, &row, step->place, &op));
    }
    return find_run(emit, op, out_run);
}

static tacho_status take_held(tacho_events *events, const tacho_row *row)
{
    tt_log_emit *emit = (tt_log_emit *)(void *)events;
    const tacho_arg *held = row->args + row->arg_count - HELD_ARGS;
    log_step step = {
        .type = (tt_log_type)(held[0].value.as_uint & UINT8_MAX),
        .place = {.lane = (uint32_t)(held[0].value.as_uint >> 8),
                  .zone = (uint32_t)(held[2].value.as_uint >> 32)},
        .line_number = held[1].value.as_uint,
        .key = (uint32_t)held[2].value.as_uint,
        .time = held[3].value.as_uint,
        .row = *row,
    };
    step.row.arg_count -= HELD_ARGS;
    step.row.start -= held_offset(emit, step.place.lane);
    TACHO_TRY(enter_chip(emit, emit->emit_lanes[step.place.lane].chip));
    TACHO_TRY(find_held_run(emit, &step, &step.row.of.span.run));
    return pair(emit, &step);
}

/* The key of a row that will be held; firmware zones separate the executions of a key. */
static tacho_status note_key(tt_log_emit *emit, const tt_log_row *row, tt_log_place place,
                             uint32_t *out_key)
{
    tt_emit_lane *lane = &emit->emit_lanes[place.lane];
    const tt_op_key key = tt_op_key_of(row);
    bool is_edge = row->type == TT_LOG_START || row->type == TT_LOG_END;
    *out_key = TACHO_NONE;
    if (row->host == 0 || row->timer == 0) {
        return TACHO_OK;
    }
    if (lane->cut == TACHO_NONE || !tt_op_key_is_same(&lane->key, &key)) {
        TACHO_TRY(tt_log_cuts_ensure_key(&emit->cuts, &key, &lane->cut));
        lane->key = key;
    }
    *out_key = lane->cut;
    const tt_edge edge = {.time = (int64_t)row->time,
                          .key = lane->cut,
                          .lane = place.lane & INT32_MAX,
                          .is_start = row->type == TT_LOG_START};
    bool is_cut =
        is_edge && row->replay < 0 && (emit->lanes.zone_kinds[place.zone] & TT_ZONE_FIRMWARE) != 0;
    return is_cut ? tt_log_cuts_add(&emit->cuts, &edge) : TACHO_OK;
}

/* Fails if the row is too late: its lane is already past it, or its chip has ended. */
static tacho_status check_order(tt_log_emit *emit, const tt_log *log, const log_step *step)
{
    const tt_emit_lane *lane = &emit->emit_lanes[step->place.lane];
    bool is_edge = step->type == TT_LOG_START || step->type == TT_LOG_END;
    if (TACHO_UNLIKELY((is_edge && step->row.start < lane->last) ||
                       emit->chips.items[lane->chip].is_ended)) {
        return tacho_fail(TACHO_CODE_OUT_OF_ORDER, "%s:%" PRIu64 ": a marker out of time order",
                          log->input->name, log->input->line_number);
    }
    return TACHO_OK;
}

/* Fills in the data of a row other than a zone as arguments; returns their number. */
static size_t fill_args(const tt_log_emit *emit, const tt_log_row *row, tacho_arg *args)
{
    size_t count = 0;
    if (row->type == TT_LOG_TOTAL) {
        args[count++] = (tacho_arg){.key = emit->cycles_key,
                                    .type = TACHO_ARG_UINT,
                                    .unit = TACHO_UNIT_CYCLES,
                                    .value.as_uint = row->data};
    } else if (row->type == TT_LOG_VALUE) {
        args[count++] =
            (tacho_arg){.key = emit->data_key, .type = TACHO_ARG_UINT, .value.as_uint = row->data};
    }
    if (row->meta.len > 0) {
        args[count++] =
            (tacho_arg){.key = emit->meta_key, .type = TACHO_ARG_TEXT, .value.as_text = row->meta};
    }
    return count;
}

static tacho_status add_row(tt_log_emit *emit, const tt_log *log)
{
    const tt_log_row *row = &log->row;
    tt_log_place place;
    tt_emit_zone *zone = NULL;
    uint32_t op = TACHO_NONE;
    tacho_arg args[2];
    TACHO_TRY(tt_lanes_ensure(&emit->lanes, row, &place.lane));
    TACHO_TRY(tt_lanes_ensure_zone(&emit->lanes, row->zone, &place.zone));
    TACHO_TRY(ensure_lane(emit, place.lane));
    TACHO_TRY(find_zone(emit, row, place.zone, &zone));
    if (emit->spool == NULL) {
        TACHO_TRY(enter_chip(emit, emit->emit_lanes[place.lane].chip));
        TACHO_TRY(tt_log_ops_add(&emit->ops, row, place, &op));
    }
    const tt_emit_lane *lane = &emit->emit_lanes[place.lane];
    int64_t time = tt_time_map_ticks(&lane->map, (int64_t)row->time);
    int64_t last = tacho_dict_track_clock(emit->dict, lane->track)->max_ticks;
    if (TACHO_UNLIKELY(!lane->has_map || time < 0 || time > last)) {
        return lose_line(emit, lane->chip, log,
                         !lane->has_map ? TACHO_LOSS_UNKNOWN_CLOCK
                         : time < 0     ? TACHO_LOSS_NEGATIVE_TIME
                                        : TACHO_LOSS_TIME_OVERFLOW);
    }
    log_step step = {
        .type = row->type,
        .place = place,
        .time = row->time,
        .line_number = log->input->line_number,
        .row = {.kind = TACHO_ROW_SPAN,
                .track = lane->track,
                .start = time,
                .args = args,
                .arg_count = fill_args(emit, row, args)},
    };
    step.row.of.span.end = step.row.start;
    step.row.of.span.site = zone->site;
    step.row.of.span.op = TACHO_NONE;
    emit->row_count++;
    if (emit->spool != NULL) {
        step.row.of.span.run = TACHO_NONE;
        TACHO_TRY(note_key(emit, row, place, &step.key));
        return hold(emit, &step);
    }
    TACHO_TRY(find_run(emit, op, &step.row.of.span.run));
    TACHO_TRY(check_order(emit, log, &step));
    return pair(emit, &step);
}

/* The chip of the last row; TACHO_NONE before the first. */
static uint32_t current_chip(const tt_log_emit *emit)
{
    uint32_t lane = emit->lanes.last;
    return lane < emit->lane_count ? emit->emit_lanes[lane].chip : TACHO_NONE;
}

tacho_status tt_log_emit_read(tt_log_emit *emit, tt_log *log)
{
    for (bool has_line = true;;) {
        TACHO_TRY(tt_log_next(log, &has_line));
        if (!has_line) {
            return TACHO_OK;
        }
        TACHO_TRY(log->reason == TACHO_LOSS_REASON_COUNT
                      ? add_row(emit, log)
                      : lose_line(emit, current_chip(emit), log, log->reason));
    }
}

/* ---- end of the log ------------------------------------------------------------------------ */

tacho_status tt_log_emit_add_op(tt_log_emit *emit, const tt_device_op *op)
{
    tt_log_ops *ops = &emit->ops;
    TACHO_TRY(tacho_grow(&ops->ops, &ops->op_capacity, ops->op_count + 1));
    ops->ops[ops->op_count++] = *op;
    return TACHO_OK;
}

/* Reports that times of several chips cannot be compared, unless their clocks are aligned. */
static tacho_status note_chips(const tt_log_emit *emit)
{
    return emit->chips.item_count > 1 && !emit->chips.is_shared
               ? tacho_dict_add_metadata(emit->dict, "chip clocks",
                                         TACHO_STR("not aligned: compare times of one chip only"))
               : TACHO_OK;
}

tacho_status tt_log_emit_finish(tt_log_emit *emit)
{
    if (emit->spool != NULL) {
        TACHO_TRY(tt_log_cuts_finish(&emit->cuts));
        emit->ops.cuts = &emit->cuts;
        TACHO_TRY(tacho_spool_drain(emit->spool, &emit->events));
    }
    TACHO_TRY(finish_ops(emit));
    for (size_t i = 0; i < emit->ops.op_count; i++) {
        uint32_t chip = 0;
        TACHO_TRY(tt_chips_ensure(&emit->chips, emit->ops.ops[i].key.chip, &chip));
    }
    for (uint32_t chip = 0; chip < emit->chips.item_count; chip++) {
        TACHO_TRY(emit->chips.items[chip].is_ended ? TACHO_OK : end_chip(emit, chip));
    }
    TACHO_TRY(note_chips(emit));
    return tt_chips_finish(&emit->chips);
}
