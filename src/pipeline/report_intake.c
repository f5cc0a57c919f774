/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row goes to four takers; at the end tables become what the page shows.
 */
#include "pipeline/report_intake.h"

#include "base/grow.h"

#include <stdlib.h>

/* ---- reading ------------------------------------------------------------------------------- */

static tacho_report_intake *intake_of(tacho_events *events)
{
    return (tacho_report_intake *)(void *)events;
}

static tacho_status share_row(tacho_events *events, const tacho_row *row)
{
    tacho_report_intake *taken = intake_of(events);
    TACHO_TRY(tacho_events_row(&taken->busy.events, row));
    TACHO_TRY(tacho_events_row(&taken->ops.events, row));
    TACHO_TRY(tacho_events_row(taken->processes, row));
    return tacho_events_row(&taken->columns.events, row);
}

static tacho_status share_end_part(tacho_events *events, uint32_t part)
{
    tacho_report_intake *taken = intake_of(events);
    TACHO_TRY(tacho_events_end_part(&taken->busy.events, part));
    TACHO_TRY(tacho_events_end_part(&taken->ops.events, part));
    TACHO_TRY(tacho_events_end_part(taken->processes, part));
    return tacho_events_end_part(&taken->columns.events, part);
}

static tacho_status share_finish(tacho_events *events)
{
    return tacho_events_finish(&intake_of(events)->columns.events);
}

static tacho_status init(tacho_report_intake *taken, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {
        .row = share_row, .end_part = share_end_part, .finish = share_finish};
    *taken = (tacho_report_intake){.events = {&vtable, dict}};
    tacho_overview_gather_init(&taken->busy, dict);
    tacho_ops_gather_init(&taken->ops, dict);
    TACHO_TRY(tacho_analysis_processes.open(NULL, dict, &taken->processes));
    return report_columns_init(&taken->columns, dict);
}

void tacho_report_intake_deinit(tacho_report_intake *taken)
{
    report_columns_deinit(&taken->columns);
    tacho_analysis_processes.close(taken->processes);
    taken->processes = NULL;
    tacho_ops_gather_deinit(&taken->ops);
    tacho_overview_gather_deinit(&taken->busy);
}

typedef struct read_request {
    tacho_report_intake *taken;
    tacho_producer producer;
    const tacho_selection *selection;
} read_request;

static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const read_request *request = self;
    tacho_report_intake_deinit(request->taken); /* what an attempt that had to stop left there */
    TACHO_TRY(init(request->taken, dict));
    return tacho_pipeline_push_selected(&request->producer, mode, request->selection,
                                        &request->taken->events);
}

tacho_status tacho_report_intake_read(tacho_report_intake *taken, const tacho_intake *intake,
                                      const tacho_selection *selection, tacho_dict *dict)
{
    TACHO_TRY(init(taken, dict));
    TACHO_TRY(tacho_intake_check(intake));
    read_request request = {taken, tacho_intake_producer(intake), selection};
    return tacho_pipeline_try(attempt, &request, request.producer.first_mode, dict);
}

/* ---- tables -------------------------------------------------------------------------------- */

/* A metric of |block| as the page has it; |out_name| keeps its name. */
static tacho_report_metric page_metric(const tacho_overview *overview,
                                       const tacho_overview_block *block,
                                       const tacho_metric_value *value,
                                       char out_name[TACHO_METRIC_LABEL_MAX])
{
    const int64_t *overall = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    bool is_share = value->metric != TACHO_METRIC_OVERALL &&
                    value->metric != TACHO_METRIC_WALL_TIME && overall != NULL && *overall > 0;
    tacho_metric_label(block, value, out_name);
    return (tacho_report_metric){
        .part = block->part,
        .origin = block->origin,
        .name = tacho_str_from_cstring(out_name),
        .value_ns = value->value,
        .percent = is_share ? 100.0 * (double)value->value / (double)*overall : -1,
    };
}

/* Each part and origin has metrics of its own. */
static tacho_status add_with_metrics(tacho_report *report, tacho_report_profile *entry,
                                     const tacho_overview *overview)
{
    size_t count = overview->metric_count;
    char(*names)[TACHO_METRIC_LABEL_MAX] = tacho_items_alloc(count, sizeof(*names));
    tacho_report_metric *metrics = tacho_items_alloc(count, sizeof(*metrics));
    tacho_status status = names != NULL && metrics != NULL ? TACHO_OK : tacho_no_memory();
    for (size_t b = 0; b < overview->block_count && status == TACHO_OK; b++) {
        const tacho_overview_block *block = &overview->blocks[b];
        for (size_t i = block->first_metric; i < block->first_metric + block->metric_count; i++) {
            metrics[i] = page_metric(overview, block, &overview->metrics[i], names[i]);
        }
    }
    if (status == TACHO_OK) {
        entry->metrics = metrics;
        entry->metric_count = count;
        status = tacho_report_add(report, entry);
    }
    free(names);
    free(metrics);
    return status;
}

static tacho_status add_with_ops(tacho_report *report, const tacho_report_intake *taken,
                                 tacho_report_profile *entry)
{
    const tacho_overview_options in_time = {.in_cycles = false};
    tacho_overview overview;
    tacho_status status = tacho_overview_init_gathered(&overview, &taken->busy, &in_time);
    if (status == TACHO_OK) {
        status = add_with_metrics(report, entry, &overview);
    }
    tacho_overview_deinit(&overview);
    return status;
}

static tacho_report_op page_op(const tacho_dict *dict, const tacho_op_row *row, bool is_phase)
{
    return (tacho_report_op){
        .part = row->part,
        .origin = row->origin,
        .track_class = row->track_class,
        .is_phase = is_phase,
        .name = row->name,
        .location = row->location != TACHO_NONE ? dict->locations[row->location].text : TACHO_NONE,
        .count = row->count,
        .total = row->total_ns,
        .self = row->self_ns,
        .mean = row->mean_ns,
        .p50 = row->p50_ns,
        .p99 = row->p99_ns,
        .min = row->min_ns,
        .max = row->max_ns,
        .is_sketched = row->is_sketched,
        .has_bytes = row->has_bytes,
        .bytes = row->bytes,
    };
}

/* Work, then phases, which the page counts only when asked to. */
static tacho_status make_ops(const tacho_report_intake *taken, tacho_report_op **out_ops,
                             size_t *out_count)
{
    const tacho_dict *dict = taken->events.dict;
    tacho_ops tables[2] = {{0}};
    tacho_status status = TACHO_OK;
    for (unsigned i = 0; i < 2 && status == TACHO_OK; i++) {
        tacho_ops_options options = {.classes = i == 0 ? 0 : TACHO_TRACK_BIT(TACHO_TRACK_PHASE)};
        status = tacho_ops_init_gathered(&tables[i], &taken->ops, &options);
    }
    size_t count = tables[0].row_count + tables[1].row_count;
    tacho_report_op *ops = status == TACHO_OK ? tacho_items_alloc(count, sizeof(*ops)) : NULL;
    if (status == TACHO_OK && ops == NULL) {
        status = tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu operators", count);
    }
    for (size_t i = 0; i < count && status == TACHO_OK; i++) {
        bool is_phase = i >= tables[0].row_count;
        const tacho_op_row *row =
            is_phase ? &tables[1].rows[i - tables[0].row_count] : &tables[0].rows[i];
        ops[i] = page_op(dict, row, is_phase);
    }
    tacho_ops_deinit(&tables[0]);
    tacho_ops_deinit(&tables[1]);
    *out_ops = ops;
    *out_count = count;
    return status;
}

/* A profile on its way to the page. */
typedef struct page_entry {
    tacho_report_intake *taken;
    tacho_report *report;
    tacho_report_profile profile;
} page_entry;

/* The table of processes lasts for this call, in which all is written. */
static tacho_status add_with_processes(void *self, const tacho_table *table)
{
    page_entry *entry = self;
    entry->profile.processes = table;
    return add_with_ops(entry->report, entry->taken, &entry->profile);
}

tacho_status tacho_report_intake_add(tacho_report_intake *taken, tacho_report *report)
{
    page_entry entry = {taken, report, {.columns = &taken->columns}};
    const tacho_table_taker taker = {add_with_processes, &entry};
    tacho_report_op *ops = NULL;
    tacho_status status = TACHO_OK;
    if (taken->columns.resolution_ns > 0) { /* else the page works them out */
        status = make_ops(taken, &ops, &entry.profile.op_count);
        entry.profile.ops = ops;
    }
    if (status == TACHO_OK) {
        status = tacho_analysis_processes.write(taken->processes, NULL, &taker);
    }
    free(ops);
    return status;
}
