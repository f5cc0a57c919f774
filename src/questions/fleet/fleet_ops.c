/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of all files: rows are finished, sorted and cut by the code of 'ops', so that one file
 * gives the result of 'ops'.
 */
#include "questions/fleet/fleet_tables.h"

#include <stdlib.h>

static const tacho_column columns[] = {
    TACHO_COLUMN(OPERATION, "operation", TEXT), TACHO_COLUMN(CLASS, "class", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),       TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN(COUNT, "count", INT),          TACHO_COLUMN(TOTAL_NS, "total", DURATION),
    TACHO_COLUMN(SELF_NS, "self", DURATION),    TACHO_COLUMN(SHARE_PERCENT, "share", PERCENT),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION),    TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),      TACHO_COLUMN(MIN_NS, "min", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),      TACHO_COLUMN(SLOWEST, "max on", TEXT),
    TACHO_COLUMN(BYTES, "bytes", INT),          TACHO_COLUMN(LOCATION, "location", TEXT),
};

/* The row of |fleet| as one of 'ops', with its sums. */
static tacho_status add_row(const tacho_fleet *fleet, size_t index, tacho_dict *dict,
                            tacho_ops *ops, const tacho_ops_options *options)
{
    const tacho_fleet_table *table = &fleet->tables[TACHO_FLEET_TABLE_OPS];
    const tacho_fleet_row *from = &table->rows[index];
    tacho_str key = tacho_fleet_key(&table->keys, index);
    tacho_str name = tacho_str_from(key, 2);
    tacho_str place = from->location != TACHO_NONE
                          ? tacho_strings_get(&fleet->texts, from->location)
                          : TACHO_STR("");
    if (options->filter.accepts != NULL &&
        !options->filter.accepts(options->filter.self, name, place)) {
        return TACHO_OK;
    }
    tacho_op_row row = {
        .origin = (tacho_origin)(unsigned char)key.data[0],
        .track_class = (tacho_track_class)(unsigned char)key.data[1],
        .location = TACHO_NONE,
        .count = from->count,
        .min_ns = from->least.ns,
        .max_ns = from->most.ns,
        .has_bytes = from->has_bytes,
        .bytes = from->bytes,
    };
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &row.name));
    if (place.len > 0) {
        tacho_location location = {.line = 0};
        TACHO_TRY(tacho_dict_ensure_string(dict, place, &location.text));
        TACHO_TRY(tacho_dict_ensure_location(dict, &location, &row.location));
    }
    TACHO_TRY(tacho_ops_add_row(ops, &row));
    tacho_op_sums *sums = &ops->sums[ops->row_count - 1];
    sums->total_ns = from->total_ns;
    sums->inner_ns = from->inner_ns;
    return tacho_durations_merge(&sums->durations, from->durations);
}

/* The row of the fleet that |row| was made of. */
static tacho_status find_row(const tacho_fleet *fleet, const tacho_op_row *row, tacho_str name,
                             const tacho_fleet_row **out_row)
{
    const tacho_fleet_table *table = &fleet->tables[TACHO_FLEET_TABLE_OPS];
    char *key = malloc(name.len + 2);
    if (key == NULL) {
        return tacho_no_memory();
    }
    key[0] = (char)row->origin;
    key[1] = (char)row->track_class;
    memcpy(key + 2, name.data, name.len);
    uint32_t id = tacho_strings_find(&table->keys, tacho_str_make(key, name.len + 2));
    free(key);
    *out_row = &table->rows[id - 1];
    return TACHO_OK;
}

static tacho_status add_cells(const tacho_fleet_view *view, const tacho_ops *ops, size_t index,
                              tacho_table *table)
{
    const tacho_op_row *row = &ops->rows[index];
    tacho_str name = tacho_dict_string(ops->dict, row->name);
    const tacho_fleet_row *from = NULL;
    TACHO_TRY(find_row(view->fleet, row, name, &from));
    const char *class_name = tacho_track_class_name(row->track_class);
    TACHO_TRY(tacho_table_add_text(table, name));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(class_name)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(row->origin))));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)from->file_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->count));
    TACHO_TRY(tacho_table_add_int(table, row->total_ns));
    TACHO_TRY(tacho_table_add_int(table, row->self_ns));
    TACHO_TRY(tacho_table_add_real(
        table,
        row->group_self_ns > 0 ? (double)row->self_ns / (double)row->group_self_ns * 100 : 0));
    TACHO_TRY(tacho_table_add_int(table, row->mean_ns));
    TACHO_TRY(tacho_table_add_int(table, row->p50_ns));
    TACHO_TRY(tacho_table_add_int(table, row->p99_ns));
    TACHO_TRY(tacho_table_add_int(table, row->min_ns));
    TACHO_TRY(tacho_table_add_int(table, row->max_ns));
    TACHO_TRY(tacho_fleet_add_label(view, from->most.file, table));
    TACHO_TRY(row->has_bytes ? tacho_table_add_int(table, row->bytes)
                             : tacho_table_add_absent(table));
    return row->location != TACHO_NONE
               ? tacho_table_add_text(
                     table, tacho_dict_string(ops->dict, ops->dict->locations[row->location].text))
               : tacho_table_add_absent(table);
}

static void say(const tacho_ops *ops, const tacho_ops_options *options)
{
    size_t sketched = 0;
    for (size_t i = 0; i < ops->row_count; i++) {
        sketched += ops->rows[i].is_sketched ? 1 : 0;
    }
    if (ops->left_out_count > 0) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more row%s", ops->left_out_count, ops->left_out_count == 1 ? "" : "s");
    }
    if (ops->row_count == 0) {
        tacho_note(options->notes, "note",
                   options->filter.accepts != NULL ? "no operation matches the filter"
                                                   : "no operations were recorded");
    }
    if (sketched > 0) {
        tacho_note(options->notes, "note",
                   "p50 and p99 of %zu operation%s with more than %d spans are "
                   "within " TACHO_DURATIONS_ERROR_PERCENT " %% of the exact values",
                   sketched, sketched == 1 ? "" : "s", TACHO_FLEET_EXACT_OF_ROW);
    }
}

static tacho_status make_table(const tacho_fleet_view *view, const tacho_fleet_options *options,
                               tacho_dict *dict, tacho_table *table)
{
    static const tacho_column_id kept[] = {
        TACHO_COL_OPERATION, TACHO_COL_SHARE_PERCENT, TACHO_COL_TOTAL_NS, TACHO_COL_SELF_NS,
        TACHO_COL_CLASS,     TACHO_COL_COUNT,         TACHO_COL_OTHER};
    const tacho_fleet *fleet = view->fleet;
    tacho_ops ops = {.dict = dict};
    tacho_ops_options chosen = options->ops;
    chosen.top = options->top;
    tacho_table_init(table, "ops", "Operations of the fleet", columns,
                     sizeof(columns) / sizeof(columns[0]));
    table->kept = kept;
    uint32_t *order = NULL;
    const tacho_fleet_table *from = &fleet->tables[TACHO_FLEET_TABLE_OPS];
    tacho_status status = tacho_fleet_order(&from->keys, from->row_count, &order);
    for (size_t i = 0; i < from->row_count && status == TACHO_OK; i++) {
        status = add_row(fleet, order[i], dict, &ops, &chosen);
    }
    if (status == TACHO_OK) {
        status = tacho_ops_finish(&ops, &chosen);
    }
    for (size_t i = 0; i < ops.row_count && status == TACHO_OK; i++) {
        status = add_cells(view, &ops, i, table);
    }
    if (status == TACHO_OK) {
        say(&ops, &chosen);
    }
    free(order);
    tacho_ops_deinit(&ops);
    return status;
}

static tacho_status write_ops(const tacho_fleet_view *view, const tacho_fleet_options *options,
                              const tacho_table_taker *to)
{
    tacho_dict dict;
    tacho_table table = {0};
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = make_table(view, options, &dict, &table);
    }
    status = tacho_table_hand_over(to, status, &table);
    tacho_dict_deinit(&dict);
    return status;
}

const tacho_fleet_question tacho_fleet_question_ops = {
    .name = "ops",
    .sections = TACHO_FLEET_OPS,
    .write = write_ops,
};
