/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row goes to all takers; at the end tables become what the page shows.
 */
#include "pipeline/report_intake.h"

#include "questions/breakdown/breakdown.h"
#include "questions/critical_path/critical_path.h"
#include "base/grow.h"
#include "estimates/estimates.h"

#include <stdlib.h>

enum { GAPS = 200, PATH_OPERATORS = 10, PATH_ROWS_MAX = 1 << 18, ROOF_POINTS = 300 };

/* For rows that are sorted: columns and analyses need memory beside it. */
enum { SORT_BYTES = 8 << 20 };

/* ---- analyses ------------------------------------------------------------------------------ */

/* An analysis whose tables are on the page. */
typedef struct page_analysis {
    const tacho_analysis *analysis;
    const void *options; /* NULL: those of the profile */
    uint64_t row_max;    /* it is given up where there are more: it holds them; 0: it does not */
} page_analysis;

static const tacho_breakdown_options breakdown_options = {
    .top = GAPS, .step_top = TACHO_BREAKDOWN_TOP_MAX, .has_steady = true};
static const tacho_breakdown_options path_options = {.top = PATH_OPERATORS};

static const page_analysis page_analyses[TACHO_REPORT_ANALYSES] = {
    {&tacho_analysis_processes, NULL, 0},
    {&tacho_analysis_breakdown, &breakdown_options, 0},
    {&tacho_analysis_critical_path, &path_options, PATH_ROWS_MAX},
    {&tacho_analysis_roofline, NULL, REPORT_ROWS_MAX},
};

static const void *options_of(const tacho_report_intake *taken, size_t analysis)
{
    const page_analysis *of = &page_analyses[analysis];
    return of->analysis == &tacho_analysis_roofline ? &taken->roofline : of->options;
}

/* Gives up what holds every span once there are too many. */
static void give_up(tacho_report_intake *taken)
{
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        bool is_full = page_analyses[i].row_max > 0 && taken->row_count > page_analyses[i].row_max;
        if (is_full && taken->analyses[i] != NULL) {
            const tacho_analysis *analysis = page_analyses[i].analysis;
            if (analysis->timeline != NULL) {
                tacho_timeline_leave(analysis->timeline(taken->analyses[i]),
                                     &taken->layers.timeline);
            }
            analysis->close(taken->analyses[i]);
            taken->analyses[i] = NULL;
        }
    }
}

/* Where a span is, from the layers to the columns. */
static tacho_status take_place(void *self, const tacho_group_place *place)
{
    tacho_report_intake *taken = self;
    if (!place->is_counted) {
        return TACHO_OK;
    }
    const report_place known = {
        .layer = place->node + 1,
        .is_device = place->is_device,
        .is_piece = place->is_piece,
        .launch_track = place->has_launch ? place->launch_track : TACHO_NONE,
        .launch_ns = place->launch_ns,
    };
    return report_places_set(&taken->columns.places, place->serial, &known);
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Whether rows are pushed to an analysis itself: others take them with the layers. */
static bool takes_rows(const tacho_report_intake *taken, size_t analysis)
{
    return taken->analyses[analysis] != NULL && page_analyses[analysis].analysis->timeline == NULL;
}

static tacho_report_intake *intake_of(tacho_events *events)
{
    return (tacho_report_intake *)(void *)events;
}

static tacho_status share_row(tacho_events *events, const tacho_row *row)
{
    tacho_report_intake *taken = intake_of(events);
    TACHO_TRY(tacho_events_row(&taken->busy.events, row));
    TACHO_TRY(tacho_events_row(&taken->ops.events, row));
    TACHO_TRY(tacho_events_row(&taken->layers.events, row));
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        TACHO_TRY(takes_rows(taken, i) ? tacho_events_row(taken->analyses[i], row) : TACHO_OK);
    }
    TACHO_TRY(tacho_events_row(&taken->columns.events, row));
    if (TACHO_UNLIKELY(++taken->row_count % PATH_ROWS_MAX == 1)) {
        give_up(taken);
    }
    return TACHO_OK;
}

static tacho_status share_end_part(tacho_events *events, uint32_t part)
{
    tacho_report_intake *taken = intake_of(events);
    TACHO_TRY(tacho_events_end_part(&taken->busy.events, part));
    TACHO_TRY(tacho_events_end_part(&taken->ops.events, part));
    TACHO_TRY(tacho_events_end_part(&taken->layers.events, part));
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        TACHO_TRY(takes_rows(taken, i) ? tacho_events_end_part(taken->analyses[i], part)
                                       : TACHO_OK);
    }
    return tacho_events_end_part(&taken->columns.events, part);
}

static tacho_status share_finish(tacho_events *events)
{
    return tacho_events_finish(&intake_of(events)->columns.events);
}

static tacho_status init(tacho_report_intake *taken, const struct tacho_roof *roof,
                         tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {
        .row = share_row, .end_part = share_end_part, .finish = share_finish};
    *taken = (tacho_report_intake){
        .events = {&vtable, dict},
        .roofline = {.roof = roof, .top = ROOF_POINTS, .omits_unknown = true},
    };
    const tacho_groups_options by_layer = {.by = TACHO_GROUP_BY_LAYER,
                                           .order = TACHO_GROUPS_BY_TOTAL,
                                           .taker = {take_place, taken, .needs_serials = true}};
    tacho_overview_gather_init(&taken->busy, dict);
    tacho_ops_gather_init(&taken->ops, dict);
    taken->ops.exact_span_max = 0; /* they are for a profile that is not there in full */
    tacho_groups_init(&taken->layers, dict, &by_layer);
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        const tacho_analysis *analysis = page_analyses[i].analysis;
        TACHO_TRY(analysis->open(options_of(taken, i), dict, &taken->analyses[i]));
        if (analysis->timeline != NULL) {
            tacho_timeline_join(analysis->timeline(taken->analyses[i]), &taken->layers.timeline);
        }
    }
    return report_columns_init(&taken->columns, dict);
}

void tacho_report_intake_deinit(tacho_report_intake *taken)
{
    report_columns_deinit(&taken->columns);
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        page_analyses[i].analysis->close(taken->analyses[i]);
        taken->analyses[i] = NULL;
    }
    tacho_groups_deinit(&taken->layers);
    tacho_ops_gather_deinit(&taken->ops);
    tacho_overview_gather_deinit(&taken->busy);
}

typedef struct read_request {
    tacho_report_intake *taken;
    tacho_producer producer;
    const tacho_report_reading *reading;
} read_request;

static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const read_request *request = self;
    tacho_report_intake_deinit(request->taken); /* what an attempt that had to stop left there */
    TACHO_TRY(init(request->taken, request->reading->roof, dict));
    return tacho_pipeline_push_selected(&request->producer, mode, request->reading->selection,
                                        &request->taken->events);
}

tacho_status tacho_report_intake_read(tacho_report_intake *taken,
                                      const tacho_report_reading *reading, tacho_dict *dict)
{
    TACHO_TRY(init(taken, reading->roof, dict));
    TACHO_TRY(tacho_intake_check(reading->intake));
    read_request request = {taken, tacho_intake_producer(reading->intake), reading};
    request.producer.memory_bytes = SORT_BYTES;
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

tacho_status tacho_report_intake_ops(const tacho_report_intake *taken, tacho_report_op **out_ops,
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

/* ---- onto the page ------------------------------------------------------------------------- */

static tacho_status take_table(void *self, const tacho_table *table)
{
    return tacho_report_tables_add(self, table);
}

/* What all analyses say. */
static tacho_status make_tables(tacho_report_intake *taken, tacho_report_tables *tables)
{
    const tacho_table_taker taker = {take_table, tables};
    tacho_table layers = {0};
    for (size_t i = 0; i < TACHO_REPORT_ANALYSES; i++) {
        const tacho_analysis *analysis = page_analyses[i].analysis;
        TACHO_TRY(taken->analyses[i] != NULL
                      ? analysis->write(taken->analyses[i], options_of(taken, i), &taker)
                      : TACHO_OK);
    }
    tacho_status status = tacho_groups_table(&taken->layers, &layers);
    return tacho_table_hand_over(&taker, status, &layers);
}

/* The layers that spans are in, and which parts have whole operators. */
static tacho_status make_layers(const tacho_groups *groups, tacho_report_layer **out_layers,
                                bool **out_wholes)
{
    size_t part_count = groups->events.dict->part_count;
    TACHO_TRY(tacho_items_make(out_layers, groups->tree.node_count));
    TACHO_TRY(tacho_items_make(out_wholes, part_count));
    for (size_t i = 0; i < groups->tree.node_count; i++) {
        const tacho_group_node *node = &groups->tree.nodes[i];
        (*out_layers)[i] = (tacho_report_layer){i > 0 ? node->parent : 0, node->name};
    }
    for (size_t i = 0; i < part_count; i++) {
        (*out_wholes)[i] = i < groups->part_count && groups->parts[i].has_wholes;
    }
    return TACHO_OK;
}

tacho_status tacho_report_intake_add(tacho_report_intake *taken, tacho_report *report)
{
    tacho_report_tables tables = {0};
    tacho_report_profile profile = {.columns = &taken->columns, .tables = &tables};
    tacho_report_op *ops = NULL;
    tacho_report_layer *layers = NULL;
    bool *wholes = NULL;
    tacho_status status = TACHO_OK;
    if (taken->columns.resolution_ns > 0) { /* else the page works them out */
        status = tacho_report_intake_ops(taken, &ops, &profile.op_count);
        profile.ops = ops;
    }
    status = status == TACHO_OK ? make_tables(taken, &tables) : status;
    status = status == TACHO_OK ? make_layers(&taken->layers, &layers, &wholes) : status;
    if (status == TACHO_OK) {
        profile.layers = layers;
        profile.layer_count = taken->layers.tree.node_count;
        profile.has_wholes = wholes;
        status = add_with_ops(report, taken, &profile);
    }
    tacho_report_tables_deinit(&tables);
    free(ops);
    free(layers);
    free(wholes);
    return status;
}
