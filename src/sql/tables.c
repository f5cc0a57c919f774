/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The smaller tables: files, tracks, counters, flows, losses, metadata.
 */
#include "sql/data.h"

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static const tacho_dict *dict_of(const tacho_sql_data *data)
{
    return data->profile->events.dict;
}

static void put_int(int64_t value, sqlite3_context *context)
{
    sqlite3_result_int64(context, value);
}

static void put_file(const tacho_sql_data *data, uint32_t part, sqlite3_context *context)
{
    tacho_sql_put_string(data, dict_of(data)->parts[part].name, context);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const tacho_sql_column file_columns[] = {
    {"file_id", "INTEGER", 0, false},    {"file", "TEXT", 0, false},
    {"path", "TEXT", 0, false},          {"format", "TEXT", 0, false},
    {"generation", "TEXT", 0, false},    {"origin", "TEXT", 0, false},
    {"clock", "TEXT", 0, false},         {"ns_per_tick", "REAL", 0, false},
    {"zero_ticks", "INTEGER", 0, false}, {"row_count", "INTEGER", 0, false},
};

static size_t count_files(const tacho_sql_data *data)
{
    return dict_of(data)->part_count;
}

static void put_file_clock(const tacho_sql_data *data, const tacho_clock *clock, int column,
                           sqlite3_context *context)
{
    if (column == 6) {
        tacho_sql_put_string(data, clock->name, context);
    } else if (column == 7) {
        sqlite3_result_double(context, (double)clock->ns_numerator / (double)clock->ns_denominator);
    } else {
        put_int(clock->zero_ticks, context);
    }
}

static void put_files(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_data *data = place->data;
    const tacho_part *part = &dict_of(data)->parts[place->row];
    const uint32_t texts[] = {0, part->name, part->path, part->format, part->generation};
    if (column == 0) {
        put_int((int64_t)place->row, context);
    } else if (column < COUNT_OF(texts)) {
        tacho_sql_put_string(data, texts[column], context);
    } else if (column == 5) {
        tacho_sql_put_word(tacho_origin_name(part->origin), context);
    } else if (column < 9) {
        put_file_clock(data, &dict_of(data)->clocks[part->clock], column, context);
    } else {
        put_int((int64_t)part->row_count, context);
    }
}

static const tacho_sql_table files = {
    .name = "files",
    .columns = file_columns,
    .column_count = COUNT_OF(file_columns),
    .count = count_files,
    .put = put_files,
};

/* ---- tracks ---------------------------------------------------------------------------------- */

static const tacho_sql_column track_columns[] = {
    {"track_id", "INTEGER", 0, false},    {"parent_id", "INTEGER", 0, false},
    {"file", "TEXT", 0, false},           {"process", "TEXT", 0, false},
    {"name", "TEXT", 0, false},           {"class", "TEXT", 0, false},
    {"class_index", "INTEGER", 0, false}, {"nesting", "TEXT", 0, false},
    {"unit", "TEXT", 0, false},           {"number", "INTEGER", 0, false},
};

static size_t count_tracks(const tacho_sql_data *data)
{
    return dict_of(data)->track_count;
}

static void put_tracks(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_dict *dict = dict_of(place->data);
    uint32_t id = (uint32_t)place->row;
    const tacho_track *track = &dict->tracks[id];
    switch (column) {
    case 0:
        put_int(id, context);
        break;
    case 1:
        if (track->parent != TACHO_NONE) {
            put_int(track->parent, context);
        }
        break;
    case 2:
        put_file(place->data, track->part, context);
        break;
    case 3:
        tacho_sql_put_string(place->data, tacho_sql_process_name(dict, id), context);
        break;
    case 4:
        tacho_sql_put_string(place->data, tacho_dict_track_name(dict, id), context);
        break;
    case 5:
        tacho_sql_put_word(tacho_track_class_name(track->track_class), context);
        break;
    case 6:
        put_int(track->index, context);
        break;
    case 7:
        tacho_sql_put_word(track->nesting == TACHO_NESTING_STACK ? "stack" : "engine", context);
        break;
    case 8:
        if (track->unit != TACHO_UNIT_NONE) {
            tacho_sql_put_word(tacho_unit_name(track->unit), context);
        }
        break;
    default:
        if (track->has_number) {
            put_int(track->number, context);
        }
    }
}

static const tacho_sql_table tracks = {
    .name = "tracks",
    .columns = track_columns,
    .column_count = COUNT_OF(track_columns),
    .count = count_tracks,
    .put = put_tracks,
};

/* ---- counters -------------------------------------------------------------------------------- */

static const tacho_sql_column counter_columns[] = {
    {"sample_id", "INTEGER", 0, false}, {"track_id", "INTEGER", 0, false},
    {"file", "TEXT", 0, false},         {"process", "TEXT", 0, false},
    {"name", "TEXT", 0, false},         {"time_ns", "INTEGER", 0, false},
    {"value", "REAL", 0, false},        {"unit", "TEXT", 0, false},
};

static size_t count_samples(const tacho_sql_data *data)
{
    return data->profile->sample_count;
}

static void put_counters(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_data *data = place->data;
    const tacho_dict *dict = dict_of(data);
    const tacho_sample *sample = &data->profile->samples[place->row];
    switch (column) {
    case 0:
        put_int((int64_t)place->row, context);
        break;
    case 1:
        put_int(sample->track, context);
        break;
    case 2:
        put_file(data, dict->tracks[sample->track].part, context);
        break;
    case 3:
        tacho_sql_put_string(data, tacho_sql_process_name(dict, sample->track), context);
        break;
    case 4:
        tacho_sql_put_string(data, tacho_dict_track_name(dict, sample->track), context);
        break;
    case 5:
        put_int(tacho_sql_ns(data, sample->track, sample->time), context);
        break;
    case 6:
        sqlite3_result_double(context, sample->value);
        break;
    default:
        if (dict->tracks[sample->track].unit != TACHO_UNIT_NONE) {
            tacho_sql_put_word(tacho_unit_name(dict->tracks[sample->track].unit), context);
        }
    }
}

static const tacho_sql_table counters = {
    .name = "counters",
    .columns = counter_columns,
    .column_count = COUNT_OF(counter_columns),
    .count = count_samples,
    .put = put_counters,
};

/* ---- flows ----------------------------------------------------------------------------------- */

static const tacho_sql_column flow_columns[] = {
    {"end_id", "INTEGER", 0, false},  {"flow_id", "INTEGER", 0, false},
    {"file", "TEXT", 0, false},       {"track_id", "INTEGER", 0, false},
    {"time_ns", "INTEGER", 0, false}, {"role", "TEXT", 0, false},
    {"phase", "TEXT", 0, false},      {"span_end_ns", "INTEGER", 0, false},
    {"span_name", "TEXT", 0, false},
};

static size_t count_flows(const tacho_sql_data *data)
{
    return data->profile->flow_end_count;
}

/* The values of an arrow's end from its span. */
static void put_flow_span(const tacho_sql_data *data, const tacho_flow_end *flow, int column,
                          sqlite3_context *context)
{
    bool is_bound = flow->span_end != TACHO_FLOW_AROUND && flow->span_end != TACHO_FLOW_NEXT;
    if (column == 7 && is_bound) {
        put_int(tacho_sql_ns(data, flow->track, flow->span_end), context);
    } else if (column == 8 && flow->span_name != 0) {
        tacho_sql_put_string(data, flow->span_name, context);
    }
}

static void put_flows(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_sql_data *data = place->data;
    const tacho_flow_end *flow = &data->profile->flow_ends[place->row];
    uint32_t part = dict_of(data)->tracks[flow->track].part;
    switch (column) {
    case 0:
        put_int((int64_t)place->row, context);
        break;
    case 1:
        put_int((int64_t)((uint64_t)part << 40 | flow->id), context);
        break;
    case 2:
        put_file(data, part, context);
        break;
    case 3:
        put_int(flow->track, context);
        break;
    case 4:
        put_int(tacho_sql_ns(data, flow->track, flow->time), context);
        break;
    case 5:
        tacho_sql_put_word(tacho_flow_role_name(flow->role), context);
        break;
    case 6:
        tacho_sql_put_word(tacho_flow_phase_name(flow->phase), context);
        break;
    default:
        put_flow_span(data, flow, column, context);
    }
}

static const tacho_sql_table flows = {
    .name = "flows",
    .columns = flow_columns,
    .column_count = COUNT_OF(flow_columns),
    .count = count_flows,
    .put = put_flows,
};

/* ---- losses ---------------------------------------------------------------------------------- */

static const tacho_sql_column loss_columns[] = {
    {"loss_id", "INTEGER", 0, false}, {"file", "TEXT", 0, false},
    {"reason", "TEXT", 0, false},     {"meaning", "TEXT", 0, false},
    {"count", "INTEGER", 0, false},   {"first_line", "INTEGER", 0, false},
    {"example", "TEXT", 0, false},
};

static size_t count_losses(const tacho_sql_data *data)
{
    return dict_of(data)->loss_count;
}

static void put_losses(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_loss *loss = &dict_of(place->data)->losses[place->row];
    switch (column) {
    case 0:
        put_int((int64_t)place->row, context);
        break;
    case 1:
        put_file(place->data, loss->part, context);
        break;
    case 2:
        tacho_sql_put_word(tacho_loss_key(loss->reason), context);
        break;
    case 3:
        tacho_sql_put_word(tacho_loss_phrase(loss->reason), context);
        break;
    case 4:
        put_int((int64_t)loss->count, context);
        break;
    case 5:
        if (loss->first_line > 0) {
            put_int((int64_t)loss->first_line, context);
        }
        break;
    default:
        if (loss->example != 0) {
            tacho_sql_put_string(place->data, loss->example, context);
        }
    }
}

static const tacho_sql_table losses = {
    .name = "loss",
    .columns = loss_columns,
    .column_count = COUNT_OF(loss_columns),
    .count = count_losses,
    .put = put_losses,
};

/* ---- metadata -------------------------------------------------------------------------------- */

static const tacho_sql_column metadata_columns[] = {
    {"metadata_id", "INTEGER", 0, false},
    {"key", "TEXT", 0, false},
    {"value", "TEXT", 0, false},
};

static size_t count_metadata(const tacho_sql_data *data)
{
    return dict_of(data)->metadata_count;
}

static void put_metadata(tacho_sql_place *place, int column, sqlite3_context *context)
{
    const tacho_metadata *fact = &dict_of(place->data)->metadata[place->row];
    if (column == 0) {
        put_int((int64_t)place->row, context);
    } else {
        tacho_sql_put_string(place->data, column == 1 ? fact->key : fact->value, context);
    }
}

static const tacho_sql_table metadata = {
    .name = "metadata",
    .columns = metadata_columns,
    .column_count = COUNT_OF(metadata_columns),
    .count = count_metadata,
    .put = put_metadata,
};

const tacho_sql_table *const tacho_sql_tables[] = {
    &tacho_sql_table_spans,
    &files,
    &tracks,
    &counters,
    &tacho_sql_table_args,
    &flows,
    &losses,
    &metadata,
    &tacho_sql_table_op_sums,
    &tacho_sql_table_step_rows,
    NULL,
};
