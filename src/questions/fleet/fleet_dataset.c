/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are in the order of their keys, so equal files give equal bytes.
 */
#include "questions/fleet/fleet_dataset.h"

#include "questions/fleet/fleet_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define COLUMN(name, type) TACHO_COLUMN_NAMED(name, name, type)

static const tacho_column op_columns[] = {
    COLUMN("operation", TEXT), COLUMN("class", TEXT), COLUMN("origin", TEXT),
    COLUMN("location", TEXT),  COLUMN("count", INT),  COLUMN("total_ns", INT),
    COLUMN("self_ns", INT),    COLUMN("min_ns", INT), COLUMN("max_ns", INT),
    COLUMN("bytes", INT),
};

static const tacho_column device_columns[] = {
    COLUMN("device", TEXT),
    COLUMN("origin", TEXT),
    COLUMN("span_ns", INT),
    COLUMN("busy_ns", INT),
    COLUMN("compute_ns", INT),
    COLUMN("communication_ns", INT),
    COLUMN("exposed_communication_ns", INT),
    COLUMN("copy_ns", INT),
    COLUMN("exposed_copy_ns", INT),
    COLUMN("host_late_ns", INT),
    COLUMN("dependency_ns", INT),
    COLUMN("queue_empty_ns", INT),
    COLUMN("queued_ns", INT),
    COLUMN("unknown_ns", INT),
    COLUMN("gap_count", INT),
    COLUMN("longest_gap_ns", INT),
    COLUMN("work_count", INT),
    COLUMN("launch_count", INT),
    COLUMN("launch_delay_sum_ns", INT),
    COLUMN("launch_delay_max_ns", INT),
    COLUMN("launch_call_count", INT),
    COLUMN("launch_call_sum_ns", INT),
    COLUMN("shorter_than_call_count", INT),
    COLUMN("queue_max", INT),
};
_Static_assert(COUNT_OF(device_columns) == 2 + TACHO_FLEET_NUMBER_COUNT,
               "one column for each number of a device, in their order");

static const tacho_column step_columns[] = {COLUMN("step", TEXT), COLUMN("duration_ns", INT)};

static const tacho_column call_columns[] = {
    COLUMN("process_group", TEXT), COLUMN("collective", TEXT), COLUMN("sequence", INT),
    COLUMN("start_ns", INT),       COLUMN("duration_ns", INT), COLUMN("end_at_ns", INT),
};

static const tacho_column clock_columns[] = {
    COLUMN("path", TEXT),       COLUMN("file_id", TEXT),   COLUMN("format", TEXT),
    COLUMN("writer", TEXT),     COLUMN("world_size", INT), COLUMN("span_count", INT),
    COLUMN("first_at_ns", INT), COLUMN("end_at_ns", INT),  COLUMN("zero_at_ns", INT),
    COLUMN("offset_ns", INT),   COLUMN("error_ns", INT),   COLUMN("step_ns", INT),
};

static const tacho_column loss_columns[] = {
    COLUMN("path", TEXT), COLUMN("problem", TEXT),   COLUMN("detail", TEXT),
    COLUMN("count", INT), COLUMN("first_line", INT),
};

static tacho_status add_known(tacho_table *table, bool is_known, int64_t value)
{
    return is_known ? tacho_table_add_int(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_word(tacho_table *table, const char *word)
{
    return tacho_table_add_text(table, tacho_str_from_cstring(word));
}

/* Whether the rows of the file are in the data set. */
static bool has_rows(const tacho_fleet_dataset *self)
{
    return self->gather != NULL && self->copy_of.len == 0;
}

/* ---- operations, devices, steps -------------------------------------------------------------- */

static tacho_status add_op(const tacho_fleet_dataset *self, uint32_t place, tacho_table *table)
{
    const tacho_fleet_table *ops = &self->fleet->tables[TACHO_FLEET_TABLE_OPS];
    const tacho_fleet_row *row = &ops->rows[place];
    tacho_str key = tacho_fleet_key(&ops->keys, place);
    tacho_str location = row->location != TACHO_NONE
                             ? tacho_strings_get(&self->fleet->texts, row->location)
                             : TACHO_STR("");
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_from(key, 2)));
    TACHO_TRY(
        add_word(table, tacho_track_class_name((tacho_track_class)(unsigned char)key.data[1])));
    TACHO_TRY(add_word(table, tacho_origin_name((tacho_origin)(unsigned char)key.data[0])));
    TACHO_TRY(tacho_fleet_add_text(table, location));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(row->total_ns)));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(row->total_ns - row->inner_ns)));
    TACHO_TRY(tacho_table_add_int(table, row->least.ns));
    TACHO_TRY(tacho_table_add_int(table, row->most.ns));
    return add_known(table, row->has_bytes, row->bytes);
}

static tacho_status add_device(const tacho_fleet_dataset *self, uint32_t place, tacho_table *table)
{
    const int64_t *numbers = self->fleet->devices[place].numbers;
    tacho_str key = tacho_fleet_key(&self->fleet->device_keys, place);
    unsigned origin = (unsigned char)key.data[TACHO_FLEET_ID_BYTES];
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_from(key, TACHO_FLEET_ID_BYTES + 1)));
    TACHO_TRY(add_word(table, tacho_origin_name((tacho_origin)origin)));
    for (size_t i = 0; i < TACHO_FLEET_NUMBER_COUNT; i++) {
        TACHO_TRY(tacho_table_add_int(table, numbers[i]));
    }
    return TACHO_OK;
}

static tacho_status add_step(const tacho_fleet_dataset *self, uint32_t place, tacho_table *table)
{
    const tacho_fleet_table *steps = &self->fleet->tables[TACHO_FLEET_TABLE_STEPS];
    tacho_str key = tacho_fleet_key(&steps->keys, place);
    tacho_fleet_next_text(&key); /* its run */
    TACHO_TRY(tacho_fleet_add_text(table, key));
    return tacho_table_add_int(table, tacho_fleet_cell_ns(steps->rows[place].total_ns));
}

typedef tacho_status (*row_adder)(const tacho_fleet_dataset *self, uint32_t place,
                                  tacho_table *table);

/* Adds a row for each of |keys|, in their order. */
static tacho_status add_in_order(const tacho_fleet_dataset *self, const tacho_strings *keys,
                                 size_t count, row_adder add, tacho_table *table)
{
    uint32_t *order = NULL;
    if (!has_rows(self)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_fleet_order(keys, count, &order));
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        status = add(self, order[i], table);
    }
    free(order);
    return status;
}

static tacho_status write_ops(const tacho_fleet_dataset *self, tacho_table *table)
{
    const tacho_fleet_table *ops = &self->fleet->tables[TACHO_FLEET_TABLE_OPS];
    return add_in_order(self, &ops->keys, ops->row_count, add_op, table);
}

static tacho_status write_devices(const tacho_fleet_dataset *self, tacho_table *table)
{
    return add_in_order(self, &self->fleet->device_keys, self->fleet->device_count, add_device,
                        table);
}

static tacho_status write_steps(const tacho_fleet_dataset *self, tacho_table *table)
{
    const tacho_fleet_table *steps = &self->fleet->tables[TACHO_FLEET_TABLE_STEPS];
    return add_in_order(self, &steps->keys, steps->row_count, add_step, table);
}

/* ---- collectives ----------------------------------------------------------------------------- */

static tacho_status add_call(const tacho_fleet_dataset *self, const tacho_fleet_call *call,
                             tacho_table *table)
{
    const tacho_dict *dict = self->gather->events.dict;
    int64_t zero_ns = 0;
    bool has_zero = tacho_fleet_gather_zero(self->gather, &zero_ns);
    tacho_i128 end_ns = (tacho_i128)zero_ns + call->end_ns;
    char group[TACHO_FLEET_GROUP_BYTES];
    size_t len = tacho_fleet_call_group(dict, call, self->fleet->files[0].world_size, group);
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_make(group, len)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_dict_string(dict, call->name)));
    TACHO_TRY(
        add_known(table, call->has_number && call->number <= INT64_MAX, (int64_t)call->number));
    TACHO_TRY(tacho_table_add_int(table, call->start_ns));
    TACHO_TRY(tacho_table_add_int(table, call->ns));
    return add_known(table, has_zero && end_ns >= 0 && end_ns <= INT64_MAX, (int64_t)end_ns);
}

static tacho_status write_calls(const tacho_fleet_dataset *self, tacho_table *table)
{
    for (size_t i = 0; has_rows(self) && i < self->gather->marks.call_count; i++) {
        TACHO_TRY(add_call(self, &self->gather->marks.calls[i], table));
    }
    return TACHO_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

static tacho_status write_clock(const tacho_fleet_dataset *self, tacho_table *table)
{
    const tacho_fleet *fleet = self->fleet;
    const tacho_fleet_file *file = &fleet->files[0];
    tacho_str key = tacho_fleet_key(&fleet->file_keys, 0);
    char id[2 * sizeof(self->gather->content) + 1];
    int64_t zero_ns = 0;
    if (!has_rows(self)) {
        return TACHO_OK;
    }
    bool has_zero = tacho_fleet_gather_zero(self->gather, &zero_ns);
    bool has_offset = file->clock_error_ns >= 0;
    int len = snprintf(id, sizeof(id), "%016" PRIx64, self->gather->content);
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_from(key, TACHO_FLEET_ID_BYTES)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_make(id, (size_t)len)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_strings_get(&fleet->texts, file->format)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_strings_get(&fleet->texts, file->writer)));
    TACHO_TRY(add_known(table, file->world_size > 0, file->world_size));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)file->span_count));
    TACHO_TRY(tacho_table_add_int(table, file->first_ns));
    TACHO_TRY(tacho_table_add_int(table, file->end_ns));
    TACHO_TRY(add_known(table, has_zero, zero_ns));
    TACHO_TRY(add_known(table, has_offset, file->clock_offset_ns));
    TACHO_TRY(add_known(table, has_offset, file->clock_error_ns));
    return tacho_table_add_int(table, file->clock_step_ns);
}

/* Adds one problem; count and line are those of |loss|, absent if it is NULL. */
static tacho_status add_problem(const tacho_fleet_dataset *self, const char *problem,
                                tacho_str detail, const tacho_loss *loss, tacho_table *table)
{
    tacho_str key = tacho_fleet_key(&self->fleet->file_keys, 0);
    TACHO_TRY(tacho_fleet_add_text(table, tacho_str_from(key, TACHO_FLEET_ID_BYTES)));
    TACHO_TRY(add_word(table, problem));
    TACHO_TRY(tacho_fleet_add_text(table, detail));
    TACHO_TRY(add_known(table, loss != NULL, loss != NULL ? (int64_t)loss->count : 0));
    bool has_line = loss != NULL && loss->first_line > 0;
    return add_known(table, has_line, has_line ? (int64_t)loss->first_line : 0);
}

static tacho_status write_losses(const tacho_fleet_dataset *self, tacho_table *table)
{
    const tacho_fleet_file *file = &self->fleet->files[0];
    if (self->copy_of.len > 0) {
        return add_problem(self, "copy", self->copy_of, NULL, table);
    }
    if (self->gather == NULL) {
        tacho_str reason = tacho_strings_get(&self->fleet->texts, file->reason);
        return add_problem(self, "not read", reason, NULL, table);
    }
    const tacho_dict *dict = self->gather->events.dict;
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        const char *problem = loss->reason == TACHO_LOSS_CUT_INPUT ? "cut off" : "records lost";
        TACHO_TRY(add_problem(
            self, problem, tacho_str_from_cstring(tacho_loss_phrase(loss->reason)), loss, table));
    }
    return TACHO_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

tacho_status tacho_fleet_dataset_tables(const tacho_fleet_dataset *dataset,
                                        const tacho_table_taker *to)
{
    static const struct {
        const char *name;
        const tacho_column *columns;
        size_t column_count;
        tacho_status (*write)(const tacho_fleet_dataset *self, tacho_table *table);
    } tables[TACHO_FLEET_DATASET_TABLES] = {
        {"ops", op_columns, COUNT_OF(op_columns), write_ops},
        {"devices", device_columns, COUNT_OF(device_columns), write_devices},
        {"steps", step_columns, COUNT_OF(step_columns), write_steps},
        {"collectives", call_columns, COUNT_OF(call_columns), write_calls},
        {"clock", clock_columns, COUNT_OF(clock_columns), write_clock},
        {"loss", loss_columns, COUNT_OF(loss_columns), write_losses},
    };
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        tacho_table table;
        tacho_table_init(&table, tables[i].name, tables[i].name, tables[i].columns,
                         tables[i].column_count);
        tacho_status status = tables[i].write(dataset, &table);
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    return TACHO_OK;
}
