/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contents of a blob of the page. Numbers are varints (report_blob.h); "count x" is a number and
 * that many x. page.js reads it in the same order.
 *
 *     head      title, tool version
 *     skipped   path, reason
 *     table     as those of a profile
 *     profile   count string                      the texts that ids below mean
 *               count part: name path format generation origin clock rows has_wholes
 *               count track: name parent+1 lane_of+1 part rank(int) class unit
 *                            ns_numerator ns_denominator counts_cycles
 *                            rows is_counter has_flags has_sizes has_types has_counts has_places
 *                            has_launches has_facts
 *               count site: name category location+1 is_phase+2*kind_of_work
 *               count type: name                   operators that spans themselves give, and facts
 *               count layer: parent name           the first is the root
 *               count loss: reason count first_line example
 *               count attribute: key value         facts of a trace about itself
 *               count metric: part origin name value_ns(int) percent(real)
 *               spans samples flow_ends last_end_ns resolution_ns
 *               count op: part origin class is_phase name location+1 count
 *                         total self mean p50 p99 min max is_sketched bytes+1
 *               count table: name title, and results of analyses:
 *                   count column: name title type unit
 *                   count row: of each column 0, or 1 and a string, an int or a real
 *               columns of each track (report_columns.h)
 */
#include "sinks/report_page.h"

#include "base/grow.h"
#include "profile/work_kind.h"
#include "sinks/attributes.h"
#include "sinks/report/page_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tacho/version.h>

/* ---- elements of the page --------------------------------------------------------------- */

/* Writes |head| and then |columns|, which may be NULL, as one blob of |kind|. */
static tacho_status write_element(tacho_output *output, const char *kind, const report_bytes *head,
                                  const report_columns *columns)
{
    tacho_output_printf(output, "<script type=\"application/octet-stream\" data-tacho=\"%s\">",
                        kind);
    report_blob blob;
    tacho_status status = report_blob_begin(&blob, output);
    if (status == TACHO_OK) {
        status = report_blob_write(&blob, head);
    }
    if (status == TACHO_OK && columns != NULL) {
        status = report_columns_write(columns, &blob);
    }
    if (status == TACHO_OK) {
        status = report_blob_end(&blob);
    }
    report_blob_deinit(&blob);
    tacho_output_write_cstring(output, "</script>\n");
    return status;
}

/* A blob of two texts. */
static tacho_status write_pair(tacho_output *output, const char *kind, tacho_str first,
                               tacho_str second)
{
    report_bytes head = {0};
    tacho_status status = report_bytes_put_string(&head, first);
    if (status == TACHO_OK) {
        status = report_bytes_put_string(&head, second);
    }
    if (status == TACHO_OK) {
        status = write_element(output, kind, &head, NULL);
    }
    report_bytes_deinit(&head);
    return status;
}

tacho_status tacho_report_begin(tacho_report *report, tacho_output *output, tacho_str title)
{
    *report = (tacho_report){.output = output};
    tacho_output_write(output, tacho_report_head, tacho_report_head_len);
    return write_pair(output, "head", title, TACHO_STR(TACHO_VERSION));
}

tacho_status tacho_report_add_skipped(tacho_report *report, tacho_str path, tacho_str reason)
{
    return write_pair(report->output, "skipped", path, reason);
}

tacho_status tacho_report_end(tacho_report *report)
{
    tacho_output_write(report->output, tacho_report_tail, tacho_report_tail_len);
    return tacho_output_failed(report->output) ? tacho_output_take_failure(report->output)
                                               : TACHO_OK;
}

/* ---- a profile --------------------------------------------------------------------------- */

/* The head of a profile under construction. */
typedef struct profile_head {
    const tacho_dict *dict;
    const report_columns *columns;
    report_bytes bytes;
    uint32_t *text_ids; /* by string id: its place on the page, or TACHO_NONE */
    uint64_t attribute_count;
    report_bytes attributes;
} profile_head;

static void use_text(profile_head *head, uint32_t string)
{
    head->text_ids[string] = 0;
}

/* Numbers the texts of tracks, sites, types and operators, and writes them. */
static tacho_status put_texts(profile_head *head, const tacho_report_profile *profile)
{
    const tacho_dict *dict = head->dict;
    for (uint32_t i = 0; i < dict->track_count; i++) {
        use_text(head, tacho_dict_track_name(dict, i));
    }
    for (size_t i = 0; i < dict->site_count; i++) {
        use_text(head, dict->sites[i].name);
        use_text(head, dict->sites[i].category);
        if (dict->sites[i].location != TACHO_NONE) {
            use_text(head, dict->locations[dict->sites[i].location].text);
        }
    }
    for (size_t i = 0; i < head->columns->type_count; i++) {
        use_text(head, head->columns->types[i]);
    }
    for (size_t i = 0; i < profile->layer_count; i++) {
        use_text(head, profile->layers[i].name);
    }
    for (size_t i = 0; i < profile->op_count; i++) {
        use_text(head, profile->ops[i].name);
        if (profile->ops[i].location != TACHO_NONE) {
            use_text(head, profile->ops[i].location);
        }
    }
    uint32_t count = 0;
    for (size_t i = 0; i < dict->strings.item_count; i++) {
        head->text_ids[i] = head->text_ids[i] == 0 ? count++ : TACHO_NONE;
    }
    TACHO_TRY(report_bytes_put_uint(&head->bytes, count));
    for (uint32_t i = 0; i < dict->strings.item_count; i++) {
        if (head->text_ids[i] != TACHO_NONE) {
            TACHO_TRY(report_bytes_put_string(&head->bytes, tacho_dict_string(dict, i)));
        }
    }
    return TACHO_OK;
}

static tacho_status put_clock_text(profile_head *head, const tacho_clock *clock)
{
    char text[128];
    tacho_str name = tacho_dict_string(head->dict, clock->name);
    int shown_len = name.len > 64 ? 64 : (int)name.len;
    uint64_t khz = tacho_clock_hz(clock) / 1000;
    const char *assumed = clock->is_assumed ? " (assumed)" : "";
    if (clock->counts_cycles && khz > 0) {
        char digits[16] = "";
        if (khz % 1000 != 0) {
            snprintf(digits, sizeof(digits), ".%03" PRIu64, khz % 1000);
        }
        snprintf(text, sizeof(text), "%.*s at %" PRIu64 "%s MHz%s", shown_len, name.data,
                 khz / 1000, digits, assumed);
    } else {
        snprintf(text, sizeof(text), "%.*s%s", shown_len, name.data, assumed);
    }
    return report_bytes_put_string(&head->bytes, tacho_str_from_cstring(text));
}

static tacho_status put_parts(profile_head *head, const tacho_report_profile *profile)
{
    const tacho_dict *dict = head->dict;
    TACHO_TRY(report_bytes_put_uint(&head->bytes, dict->part_count));
    for (size_t i = 0; i < dict->part_count; i++) {
        const tacho_part *part = &dict->parts[i];
        const uint32_t texts[] = {part->name, part->path, part->format, part->generation};
        for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]); j++) {
            TACHO_TRY(report_bytes_put_string(&head->bytes, tacho_dict_string(dict, texts[j])));
        }
        TACHO_TRY(report_bytes_put_string(&head->bytes,
                                          tacho_str_from_cstring(tacho_origin_name(part->origin))));
        TACHO_TRY(put_clock_text(head, &dict->clocks[part->clock]));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, part->row_count));
        bool has_wholes = profile->has_wholes != NULL && profile->has_wholes[i];
        TACHO_TRY(report_bytes_put_uint(&head->bytes, has_wholes ? 1 : 0));
    }
    return TACHO_OK;
}

/* An id that may be absent: 0 for none, else the id plus one. */
static uint64_t or_zero(uint32_t id)
{
    return id == TACHO_NONE ? 0 : (uint64_t)id + 1;
}

static tacho_status put_track(profile_head *head, uint32_t id, const report_track *columns)
{
    const tacho_track *track = &head->dict->tracks[id];
    const tacho_clock *clock = tacho_dict_track_clock(head->dict, id);
    report_bytes *bytes = &head->bytes;
    TACHO_TRY(report_bytes_put_uint(bytes, head->text_ids[tacho_dict_track_name(head->dict, id)]));
    TACHO_TRY(report_bytes_put_uint(bytes, or_zero(track->parent)));
    TACHO_TRY(report_bytes_put_uint(bytes, or_zero(track->lane_of)));
    TACHO_TRY(report_bytes_put_uint(bytes, track->part));
    TACHO_TRY(report_bytes_put_int(bytes, track->rank));
    TACHO_TRY(report_bytes_put_string(
        bytes, tacho_str_from_cstring(tacho_track_class_name(track->track_class))));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(tacho_unit_name(track->unit))));
    TACHO_TRY(report_bytes_put_uint(bytes, (uint64_t)clock->ns_numerator));
    TACHO_TRY(report_bytes_put_uint(bytes, (uint64_t)clock->ns_denominator));
    TACHO_TRY(report_bytes_put_uint(bytes, clock->counts_cycles ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->row_count));
    TACHO_TRY(report_bytes_put_uint(bytes, track->track_class == TACHO_TRACK_COUNTER ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->flags.item_count > 0 ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->sizes.item_count > 0 ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->types.item_count > 0 ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->counts.item_count > 0 ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->has_places ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, columns->has_launches ? 1 : 0));
    return report_bytes_put_uint(bytes, columns->facts.item_count > 0 ? 1 : 0);
}

static tacho_status put_sites(profile_head *head)
{
    const tacho_dict *dict = head->dict;
    TACHO_TRY(report_bytes_put_uint(&head->bytes, dict->site_count));
    for (size_t i = 0; i < dict->site_count; i++) {
        const tacho_site *site = &dict->sites[i];
        uint32_t location = site->location == TACHO_NONE
                                ? TACHO_NONE
                                : head->text_ids[dict->locations[site->location].text];
        TACHO_TRY(report_bytes_put_uint(&head->bytes, head->text_ids[site->name]));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, head->text_ids[site->category]));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, or_zero(location)));
        tacho_str category = tacho_dict_string(dict, site->category);
        tacho_work_kind kind =
            tacho_work_kind_of(TACHO_TRACK_COMPUTE, category, tacho_dict_string(dict, site->name));
        uint64_t is_phase = tacho_category_is_phase(category) ? 1 : 0;
        TACHO_TRY(report_bytes_put_uint(&head->bytes, is_phase + 2 * (uint64_t)kind));
    }
    return TACHO_OK;
}

static tacho_status put_types(profile_head *head)
{
    const report_columns *columns = head->columns;
    TACHO_TRY(report_bytes_put_uint(&head->bytes, columns->type_count));
    for (size_t i = 0; i < columns->type_count; i++) {
        TACHO_TRY(report_bytes_put_uint(&head->bytes, head->text_ids[columns->types[i]]));
    }
    return TACHO_OK;
}

static tacho_status put_layers(profile_head *head, const tacho_report_profile *profile)
{
    TACHO_TRY(report_bytes_put_uint(&head->bytes, profile->layer_count));
    for (size_t i = 0; i < profile->layer_count; i++) {
        const tacho_report_layer *layer = &profile->layers[i];
        TACHO_TRY(report_bytes_put_uint(&head->bytes, layer->parent));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, head->text_ids[layer->name]));
    }
    return TACHO_OK;
}

static tacho_status put_losses(profile_head *head)
{
    const tacho_dict *dict = head->dict;
    TACHO_TRY(report_bytes_put_uint(&head->bytes, dict->loss_count));
    for (size_t i = 0; i < dict->loss_count; i++) {
        const tacho_loss *loss = &dict->losses[i];
        TACHO_TRY(report_bytes_put_string(&head->bytes,
                                          tacho_str_from_cstring(tacho_loss_phrase(loss->reason))));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, loss->count));
        TACHO_TRY(report_bytes_put_uint(&head->bytes, loss->first_line));
        TACHO_TRY(report_bytes_put_string(&head->bytes, tacho_dict_string(dict, loss->example)));
    }
    return TACHO_OK;
}

static tacho_status take_attribute(void *self, tacho_str key, tacho_str value)
{
    profile_head *head = self;
    head->attribute_count++;
    TACHO_TRY(report_bytes_put_string(&head->attributes, key));
    return report_bytes_put_string(&head->attributes, value);
}

/*
 * The attributes of a trace of this profile alone; the page renumbers parts when it joins several.
 */
static tacho_status put_attributes(profile_head *head)
{
    const tacho_trace_options options = {0};
    for (uint32_t part = 0; part < head->dict->part_count; part++) {
        TACHO_TRY(tacho_attributes_visit_part(head->dict, &options, part, take_attribute, head));
    }
    TACHO_TRY(tacho_attributes_visit_tail(head->dict, take_attribute, head));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, head->attribute_count));
    return report_bytes_put(&head->bytes, head->attributes.items, head->attributes.item_count);
}

static tacho_status put_metrics(profile_head *head, const tacho_report_profile *profile)
{
    TACHO_TRY(report_bytes_put_uint(&head->bytes, profile->metric_count));
    for (size_t i = 0; i < profile->metric_count; i++) {
        const tacho_report_metric *metric = &profile->metrics[i];
        TACHO_TRY(report_bytes_put_uint(&head->bytes, metric->part));
        TACHO_TRY(report_bytes_put_string(
            &head->bytes, tacho_str_from_cstring(tacho_origin_name(metric->origin))));
        TACHO_TRY(report_bytes_put_string(&head->bytes, metric->name));
        TACHO_TRY(report_bytes_put_int(&head->bytes, metric->value_ns));
        TACHO_TRY(report_bytes_put_real(&head->bytes, metric->percent));
    }
    return TACHO_OK;
}

static tacho_status put_op(profile_head *head, const tacho_report_op *op)
{
    report_bytes *bytes = &head->bytes;
    const char *class_name = tacho_track_class_name(op->track_class);
    uint32_t location = op->location != TACHO_NONE ? head->text_ids[op->location] : TACHO_NONE;
    const int64_t times[] = {op->total, op->self, op->mean, op->p50, op->p99, op->min, op->max};
    TACHO_TRY(report_bytes_put_uint(bytes, op->part));
    TACHO_TRY(
        report_bytes_put_string(bytes, tacho_str_from_cstring(tacho_origin_name(op->origin))));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(class_name)));
    TACHO_TRY(report_bytes_put_uint(bytes, op->is_phase ? 1 : 0));
    TACHO_TRY(report_bytes_put_uint(bytes, head->text_ids[op->name]));
    TACHO_TRY(report_bytes_put_uint(bytes, or_zero(location)));
    TACHO_TRY(report_bytes_put_uint(bytes, op->count));
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        TACHO_TRY(report_bytes_put_uint(bytes, (uint64_t)times[i]));
    }
    TACHO_TRY(report_bytes_put_uint(bytes, op->is_sketched ? 1 : 0));
    return report_bytes_put_uint(bytes, op->has_bytes ? (uint64_t)op->bytes + 1 : 0);
}

static tacho_status put_ops(profile_head *head, const tacho_report_profile *profile)
{
    TACHO_TRY(report_bytes_put_uint(&head->bytes, profile->op_count));
    for (size_t i = 0; i < profile->op_count; i++) {
        TACHO_TRY(put_op(head, &profile->ops[i]));
    }
    return TACHO_OK;
}

static tacho_status put_cell(report_bytes *bytes, tacho_column_type type, const tacho_cell *cell)
{
    TACHO_TRY(report_bytes_put_uint(bytes, cell->is_absent ? 0 : 1));
    if (cell->is_absent) {
        return TACHO_OK;
    }
    switch (type) {
    case TACHO_COLUMN_TEXT:
    case TACHO_COLUMN_PICTURE:
        return report_bytes_put_string(bytes, cell->value.text);
    case TACHO_COLUMN_REAL:
    case TACHO_COLUMN_PERCENT:
        return report_bytes_put_real(bytes, cell->value.real);
    case TACHO_COLUMN_INT:
    case TACHO_COLUMN_DURATION:
    case TACHO_COLUMN_FLAG:
        break;
    }
    return report_bytes_put_int(bytes, cell->value.integer);
}

static tacho_status put_column(report_bytes *bytes, const tacho_column *column)
{
    static const char *const types[] = {
        [TACHO_COLUMN_TEXT] = "text",         [TACHO_COLUMN_INT] = "int",
        [TACHO_COLUMN_REAL] = "real",         [TACHO_COLUMN_PERCENT] = "percent",
        [TACHO_COLUMN_DURATION] = "duration", [TACHO_COLUMN_FLAG] = "flag",
        [TACHO_COLUMN_PICTURE] = "text",
    };
    const char *unit = tacho_column_unit_name(tacho_column_unit_of(column));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(tacho_column_name(column))));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(column->title)));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(types[column->type])));
    return report_bytes_put_string(bytes, tacho_str_from_cstring(unit != NULL ? unit : ""));
}

static tacho_status put_table(report_bytes *bytes, const tacho_table *table)
{
    size_t columns = table->column_count;
    size_t rows = columns > 0 ? tacho_table_row_count(table) : 0;
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(table->name)));
    TACHO_TRY(report_bytes_put_string(bytes, tacho_str_from_cstring(table->title)));
    TACHO_TRY(report_bytes_put_uint(bytes, columns));
    for (size_t i = 0; i < columns; i++) {
        TACHO_TRY(put_column(bytes, &table->columns[i]));
    }
    TACHO_TRY(report_bytes_put_uint(bytes, rows));
    for (size_t i = 0; i < rows * columns; i++) {
        TACHO_TRY(put_cell(bytes, table->columns[i % columns].type, &table->cells[i]));
    }
    return TACHO_OK;
}

void tacho_report_tables_deinit(tacho_report_tables *tables)
{
    report_bytes_deinit(&tables->bytes);
    *tables = (tacho_report_tables){0};
}

tacho_status tacho_report_tables_add(tacho_report_tables *tables, const tacho_table *table)
{
    if (table->cell_count == 0) {
        return TACHO_OK;
    }
    tables->count++;
    return put_table(&tables->bytes, table);
}

static tacho_status put_tables(profile_head *head, const tacho_report_tables *tables)
{
    TACHO_TRY(report_bytes_put_uint(&head->bytes, tables != NULL ? tables->count : 0));
    return tables != NULL && tables->count > 0
               ? report_bytes_put(&head->bytes, tables->bytes.items, tables->bytes.item_count)
               : TACHO_OK;
}

static tacho_status put_head(profile_head *head, const tacho_report_profile *profile)
{
    const tacho_dict *dict = head->dict;
    const report_columns *columns = head->columns;
    size_t string_count = dict->strings.item_count;
    size_t text_capacity = 0;
    TACHO_TRY(tacho_grow(&head->text_ids, &text_capacity, string_count));
    memset(head->text_ids, 0xff, string_count * sizeof(*head->text_ids)); /* TACHO_NONE */
    TACHO_TRY(put_texts(head, profile));
    TACHO_TRY(put_parts(head, profile));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, dict->track_count));
    for (uint32_t i = 0; i < dict->track_count; i++) {
        TACHO_TRY(put_track(head, i, report_columns_track(columns, i)));
    }
    TACHO_TRY(put_sites(head));
    TACHO_TRY(put_types(head));
    TACHO_TRY(put_layers(head, profile));
    TACHO_TRY(put_losses(head));
    TACHO_TRY(put_attributes(head));
    TACHO_TRY(put_metrics(head, profile));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, columns->span_count));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, columns->sample_count));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, columns->flow_end_count));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, (uint64_t)columns->last_end_ns));
    TACHO_TRY(report_bytes_put_uint(&head->bytes, (uint64_t)columns->resolution_ns));
    TACHO_TRY(put_ops(head, profile));
    return put_tables(head, profile->tables);
}

static tacho_status add_head(tacho_report *report, const tacho_report_profile *profile)
{
    const report_columns *columns = profile->columns;
    profile_head head = {.dict = columns->events.dict, .columns = columns};
    tacho_status status = put_head(&head, profile);
    if (status == TACHO_OK) {
        status = write_element(report->output, "profile", &head.bytes, columns);
    }
    free(head.text_ids);
    report_bytes_deinit(&head.bytes);
    report_bytes_deinit(&head.attributes);
    return status;
}

tacho_status tacho_report_add(tacho_report *report, const tacho_report_profile *profile)
{
    TACHO_TRY(report_columns_finish(profile->columns));
    TACHO_TRY(add_head(report, profile));
    report->profile_count++;
    return TACHO_OK;
}

tacho_status tacho_report_add_table(tacho_report *report, const tacho_table *table)
{
    report_bytes head = {0};
    tacho_status status = put_table(&head, table);
    status = status == TACHO_OK ? write_element(report->output, "table", &head, NULL) : status;
    report_bytes_deinit(&head);
    return status;
}
