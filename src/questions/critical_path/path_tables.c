/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the path from its end to its beginning, and makes tables of its pieces and possible
 * gains.
 */
#include "questions/critical_path/critical_path.h"

#include "base/grow.h"

#include <stdlib.h>

enum { PERCENT = 100 };

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the path ------------------------------------------------------------------------------ */

/* Adds an entry per node; merge_operators merges those of one name. */
static tacho_status note_operator(tacho_path_result *result, const tacho_path_node *node,
                                  int64_t time_ns)
{
    TACHO_TRY(
        tacho_grow(&result->operators, &result->operator_capacity, result->operator_count + 1));
    result->operators[result->operator_count++] =
        (tacho_path_operator){node->name, node->is_work, 1, time_ns, 0};
    return TACHO_OK;
}

static void note_kind(tacho_path_result *result, tacho_path_kind kind, int64_t time_ns)
{
    result->counts[kind] += time_ns > 0 ? 1 : 0;
    result->times[kind] += time_ns;
}

static tacho_path_kind kind_of(tacho_path_reason reason)
{
    return reason == TACHO_PATH_LAUNCH  ? TACHO_PATH_KIND_LAUNCH
           : reason == TACHO_PATH_OTHER ? TACHO_PATH_KIND_WAIT
                                        : TACHO_PATH_KIND_QUEUE;
}

/* Notes the part of |node| that is on the path, and moves |at| to the node before it on the
 * path. */
static tacho_status step_back(const tacho_path_graph *graph, tacho_path_result *result,
                              uint32_t *at, int64_t *until_ns)
{
    const tacho_path_node *node = &graph->nodes[*at];
    int64_t weight_ns = 0;
    tacho_path_reason reason = tacho_path_graph_reason(graph, node, &weight_ns);
    int64_t length_ns = *until_ns - node->start_ns;
    if (length_ns > 0) {
        TACHO_TRY(note_operator(result, node, length_ns));
        note_kind(result, node->is_work ? TACHO_PATH_KIND_WORK : TACHO_PATH_KIND_HOST, length_ns);
    }
    result->start_ns = node->start_ns;
    *at = tacho_path_graph_from(node, reason);
    if (*at != TACHO_NONE) {
        note_kind(result, kind_of(reason), weight_ns);
        *until_ns = reason == TACHO_PATH_LAUNCH ? node->launch_ns : graph->nodes[*at].end_ns;
    }
    return TACHO_OK;
}

static uint32_t last_work(const tacho_path_graph *graph)
{
    uint32_t last = TACHO_NONE;
    for (uint32_t i = 0; i < graph->node_count; i++) {
        const tacho_path_node *node = &graph->nodes[i];
        if (node->is_work && (last == TACHO_NONE || node->end_ns > graph->nodes[last].end_ns)) {
            last = i;
        }
    }
    return last;
}

static int compare_names(const void *left, const void *right)
{
    const tacho_path_operator *a = left;
    const tacho_path_operator *b = right;
    return a->name != b->name ? (a->name < b->name ? -1 : 1) : (int)b->is_work - (int)a->is_work;
}

/* The longest first, then in the order of names. */
static int compare_times(const void *left, const void *right)
{
    const tacho_path_operator *a = left;
    const tacho_path_operator *b = right;
    return a->time_ns != b->time_ns ? (a->time_ns > b->time_ns ? -1 : 1)
                                    : compare_names(left, right);
}

static void merge_operators(tacho_path_result *result)
{
    tacho_path_operator *all = result->operators;
    size_t kept = 0;
    if (result->operator_count == 0) {
        return;
    }
    qsort(all, result->operator_count, sizeof(*all), compare_names);
    for (size_t i = 1; i < result->operator_count; i++) {
        if (compare_names(&all[kept], &all[i]) == 0) {
            all[kept].count++;
            all[kept].time_ns += all[i].time_ns;
        } else {
            all[++kept] = all[i];
        }
    }
    result->operator_count = kept + 1;
    qsort(all, result->operator_count, sizeof(*all), compare_times);
}

static tacho_status trace(tacho_path_gather *gather, tacho_path_result *result)
{
    tacho_path_graph *graph = &gather->graph;
    TACHO_TRY(tacho_path_graph_solve(graph, TACHO_NONE, false, &result->end_ns));
    int64_t until_ns = result->end_ns;
    for (uint32_t at = last_work(graph); at != TACHO_NONE;) {
        TACHO_TRY(step_back(graph, result, &at, &until_ns));
    }
    merge_operators(result);
    for (size_t i = 0; i < result->operator_count && i < gather->top; i++) {
        tacho_path_operator *found = &result->operators[i];
        int64_t end_ns = 0;
        if (found->name != 0) {
            TACHO_TRY(tacho_path_graph_solve(graph, found->name, found->is_work, &end_ns));
            found->gain_ns = result->end_ns - end_ns;
        }
    }
    return TACHO_OK;
}

tacho_status tacho_path_trace(tacho_path_gather *gather, uint32_t part)
{
    TACHO_TRY(tacho_grow(&gather->results, &gather->result_capacity, gather->result_count + 1));
    tacho_path_result *result = &gather->results[gather->result_count++];
    *result = (tacho_path_result){.part = part};
    return trace(gather, result);
}

/* ---- tables -------------------------------------------------------------------------------- */

static const tacho_column kind_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(WHAT, "on the path", TEXT),
    TACHO_COLUMN(COUNT, "count", INT),
    TACHO_COLUMN(TIME_NS, "time", DURATION),
    TACHO_COLUMN(SHARE_PERCENT, "of path", PERCENT),
};

static const tacho_column operator_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(OPERATION, "operation", TEXT),
    TACHO_COLUMN(WHAT, "by", TEXT),
    TACHO_COLUMN(COUNT, "count", INT),
    TACHO_COLUMN(TIME_NS, "on path", DURATION),
    TACHO_COLUMN(SHARE_PERCENT, "of path", PERCENT),
    TACHO_COLUMN(GAIN_NS, "gain if free", DURATION),
    TACHO_COLUMN(RATIO, "times as fast", REAL),
};

static const char *const kind_names[TACHO_PATH_KIND_COUNT] = {
    [TACHO_PATH_KIND_WORK] = "work of devices",
    [TACHO_PATH_KIND_HOST] = "work of the host",
    [TACHO_PATH_KIND_LAUNCH] = "launches, from call to start",
    [TACHO_PATH_KIND_QUEUE] = "gaps between work of a stream",
    [TACHO_PATH_KIND_WAIT] = "waits for another stream or device",
};

static tacho_status add_file(const tacho_path_gather *gather, const tacho_path_result *result,
                             tacho_table *table)
{
    const tacho_dict *dict = gather->timeline.events.dict;
    return tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[result->part].name));
}

static tacho_status add_share(const tacho_path_result *result, int64_t time_ns, tacho_table *table)
{
    int64_t length_ns = result->end_ns - result->start_ns;
    return length_ns > 0
               ? tacho_table_add_real(table, PERCENT * (double)time_ns / (double)length_ns)
               : tacho_table_add_absent(table);
}

static tacho_status add_kinds(const tacho_path_gather *gather, tacho_table *table)
{
    for (size_t i = 0; i < gather->result_count; i++) {
        const tacho_path_result *result = &gather->results[i];
        int64_t length_ns = result->end_ns - result->start_ns;
        TACHO_TRY(add_file(gather, result, table));
        TACHO_TRY(tacho_table_add_text(table, TACHO_STR("all of it")));
        TACHO_TRY(tacho_table_add_absent(table));
        TACHO_TRY(tacho_table_add_int(table, length_ns));
        TACHO_TRY(add_share(result, length_ns, table));
        for (size_t kind = 0; kind < TACHO_PATH_KIND_COUNT; kind++) {
            TACHO_TRY(add_file(gather, result, table));
            TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(kind_names[kind])));
            TACHO_TRY(tacho_table_add_int(table, (int64_t)result->counts[kind]));
            TACHO_TRY(tacho_table_add_int(table, result->times[kind]));
            TACHO_TRY(add_share(result, result->times[kind], table));
        }
    }
    return TACHO_OK;
}

static tacho_status add_gain(const tacho_path_result *result, const tacho_path_operator *found,
                             tacho_table *table)
{
    double length = (double)(result->end_ns - result->start_ns);
    double rest = length - (double)found->gain_ns;
    if (found->name == 0) { /* unknown, so no gain can be attributed to it */
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_int(table, found->gain_ns));
    return rest > 0 ? tacho_table_add_real(table, length / rest) : tacho_table_add_absent(table);
}

static tacho_status add_operator(const tacho_path_gather *gather, const tacho_path_result *result,
                                 const tacho_path_operator *found, tacho_table *table)
{
    const tacho_dict *dict = gather->timeline.events.dict;
    TACHO_TRY(add_file(gather, result, table));
    TACHO_TRY(tacho_table_add_text(table, found->name != 0 ? tacho_dict_string(dict, found->name)
                                                           : TACHO_STR("(nothing recorded)")));
    TACHO_TRY(
        tacho_table_add_text(table, found->is_work ? TACHO_STR("device") : TACHO_STR("host")));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)found->count));
    TACHO_TRY(tacho_table_add_int(table, found->time_ns));
    TACHO_TRY(add_share(result, found->time_ns, table));
    return add_gain(result, found, table);
}

static tacho_status add_operators(const tacho_path_gather *gather, tacho_table *table)
{
    for (size_t i = 0; i < gather->result_count; i++) {
        const tacho_path_result *result = &gather->results[i];
        for (size_t k = 0; k < result->operator_count && k < gather->top; k++) {
            TACHO_TRY(add_operator(gather, result, &result->operators[k], table));
        }
    }
    return TACHO_OK;
}

/* ---- notes --------------------------------------------------------------------------------- */

static const tacho_column note_columns[] = {
    TACHO_COLUMN(FILE, "file", TEXT),
    TACHO_COLUMN(NOTE, "note", TEXT),
};

static const tacho_path_result *find_result(const tacho_path_gather *gather, uint32_t part)
{
    for (size_t i = 0; i < gather->result_count; i++) {
        if (gather->results[i].part == part) {
            return &gather->results[i];
        }
    }
    return NULL;
}

static tacho_status add_notes(const tacho_path_gather *gather, tacho_table *table)
{
    const tacho_dict *dict = gather->timeline.events.dict;
    for (uint32_t part = 0; part < dict->part_count; part++) {
        const tacho_path_result *result = find_result(gather, part);
        const char *note = NULL;
        if (result == NULL) {
            note = "no work of a device: there is no path to follow";
        } else if (result->counts[TACHO_PATH_KIND_LAUNCH] == 0) {
            note = "no launch is on the path: it follows the order of streams and what ended last";
        }
        if (note != NULL) {
            TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[part].name)));
            TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(note)));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_path_write(tacho_events *events, const void *options,
                              const tacho_table_taker *to)
{
    const tacho_path_gather *gather = (const tacho_path_gather *)(const void *)events;
    tacho_table table;
    (void)options;
    tacho_table_init(&table, "critical_path", "Critical path", kind_columns,
                     COUNT_OF(kind_columns));
    TACHO_TRY(tacho_table_hand_over(to, add_kinds(gather, &table), &table));
    tacho_table_init(&table, "path_operators", "Operators on the critical path", operator_columns,
                     COUNT_OF(operator_columns));
    TACHO_TRY(tacho_table_hand_over(to, add_operators(gather, &table), &table));
    tacho_table_init(&table, "notes", "Notes", note_columns, COUNT_OF(note_columns));
    return tacho_table_hand_over(to, add_notes(gather, &table), &table);
}
