/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: which processes ran, for how long, and with what resources? A capture records each as
 * a span (profile/process_facts.h); the table has a row per span, in the order of their starts.
 */
#include "questions/analysis.h"
#include "base/grow.h"
#include "profile/process_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PERCENT = 100, STATUS_ROOM = 32 };

typedef struct process_row {
    uint32_t name; /* string */
    int64_t start_ns, time_ns;
    bool is_unended;
    bool has[TACHO_PROCESS_ARG_COUNT];
    int64_t values[TACHO_PROCESS_ARG_COUNT]; /* of arguments that are numbers */
} process_row;

typedef struct process_list {
    tacho_events events;
    process_row *rows;
    size_t row_count, row_capacity;
} process_list;

static process_list *list_of(tacho_events *events)
{
    return (process_list *)(void *)events;
}

static void take_arg(const tacho_dict *dict, const tacho_arg *arg, process_row *row)
{
    tacho_str key = tacho_dict_string(dict, arg->key);
    for (unsigned i = 0; i < TACHO_PROCESS_ARG_COUNT; i++) {
        tacho_str name = tacho_str_from_cstring(tacho_process_arg_name((tacho_process_arg)i));
        bool is_number = arg->type == TACHO_ARG_INT || arg->type == TACHO_ARG_UINT;
        if (is_number && tacho_str_equal(key, name)) {
            row->has[i] = true;
            row->values[i] = arg->value.as_int;
        }
    }
}

static tacho_status processes_row(tacho_events *events, const tacho_row *row)
{
    process_list *self = list_of(events);
    const tacho_dict *dict = events->dict;
    if (row->kind != TACHO_ROW_SPAN) {
        return TACHO_OK;
    }
    const tacho_site *site = &dict->sites[row->of.span.site];
    if (dict->tracks[row->track].track_class != TACHO_TRACK_PHASE ||
        !tacho_str_equal(tacho_dict_string(dict, site->category),
                         TACHO_STR(TACHO_CATEGORY_PROCESS))) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->rows, &self->row_capacity, self->row_count + 1));
    const tacho_clock *clock = tacho_dict_track_clock(dict, row->track);
    process_row *made = &self->rows[self->row_count++];
    *made = (process_row){
        .name = site->name,
        .start_ns = tacho_clock_ns(clock, row->start),
        .time_ns = tacho_clock_ns(clock, row->of.span.end) - tacho_clock_ns(clock, row->start),
        .is_unended = (row->of.span.flags & TACHO_SPAN_UNENDED) != 0,
    };
    for (size_t i = 0; i < row->arg_count; i++) {
        take_arg(dict, &row->args[i], made);
    }
    return TACHO_OK;
}

static int compare_rows(const void *left, const void *right)
{
    const process_row *a = left;
    const process_row *b = right;
    int64_t first = a->values[TACHO_PROCESS_ARG_PID];
    int64_t second = b->values[TACHO_PROCESS_ARG_PID];
    return a->start_ns != b->start_ns ? (a->start_ns < b->start_ns ? -1 : 1)
           : first != second          ? (first < second ? -1 : 1)
                                      : 0;
}

static tacho_status add_value(tacho_table *table, const process_row *row, tacho_process_arg arg)
{
    return row->has[arg] ? tacho_table_add_int(table, row->values[arg])
                         : tacho_table_add_absent(table);
}

/* "0", "signal 9", "running". */
static tacho_status add_status(tacho_table *table, const process_row *row)
{
    char text[STATUS_ROOM];
    if (row->is_unended) {
        return tacho_table_add_text(table, TACHO_STR("running"));
    }
    if (!row->has[TACHO_PROCESS_ARG_STATUS] && !row->has[TACHO_PROCESS_ARG_SIGNAL]) {
        return tacho_table_add_absent(table);
    }
    bool is_signal = row->has[TACHO_PROCESS_ARG_SIGNAL];
    snprintf(text, sizeof(text), "%s%" PRId64, is_signal ? "signal " : "",
             row->values[is_signal ? TACHO_PROCESS_ARG_SIGNAL : TACHO_PROCESS_ARG_STATUS]);
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

static tacho_status add_row(const tacho_dict *dict, const process_row *row, tacho_table *table)
{
    double cpu_ns = (double)row->values[TACHO_PROCESS_ARG_CPU];
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, row->name)));
    TACHO_TRY(add_value(table, row, TACHO_PROCESS_ARG_PID));
    TACHO_TRY(add_value(table, row, TACHO_PROCESS_ARG_RANK));
    TACHO_TRY(tacho_table_add_int(table, row->start_ns));
    TACHO_TRY(tacho_table_add_int(table, row->time_ns));
    TACHO_TRY(add_value(table, row, TACHO_PROCESS_ARG_CPU));
    TACHO_TRY(row->time_ns > 0
                  ? tacho_table_add_real(table, cpu_ns * PERCENT / (double)row->time_ns)
                  : tacho_table_add_absent(table));
    TACHO_TRY(add_value(table, row, TACHO_PROCESS_ARG_RSS));
    TACHO_TRY(add_value(table, row, TACHO_PROCESS_ARG_THREADS));
    return add_status(table, row);
}

static tacho_status write_processes(tacho_events *events, const void *options,
                                    const tacho_table_taker *to)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(PROCESS, "Process", TEXT),
        TACHO_COLUMN(PID, "PID", INT),
        TACHO_COLUMN(RANK, "Rank", INT),
        TACHO_COLUMN(START_NS, "Start", DURATION),
        TACHO_COLUMN(TIME_NS, "Time", DURATION),
        TACHO_COLUMN(CPU_NS, "CPU time", DURATION),
        TACHO_COLUMN(CPU_PERCENT, "CPU", PERCENT),
        TACHO_COLUMN(MAX_RSS_BYTES, "Max RSS", INT),
        TACHO_COLUMN(THREAD_COUNT, "Threads", INT),
        TACHO_COLUMN(END_STATUS, "Exit", TEXT),
    };
    static const tacho_column_id kept[] = {TACHO_COL_PROCESS, TACHO_COL_TIME_NS, TACHO_COL_CPU_NS,
                                           TACHO_COL_OTHER};
    process_list *self = list_of(events);
    tacho_table table = {0};
    tacho_status status = TACHO_OK;
    (void)options;
    tacho_table_init(&table, "processes", "Processes", columns, 10);
    table.kept = kept;
    if (self->row_count > 0) {
        qsort(self->rows, self->row_count, sizeof(*self->rows), compare_rows);
    }
    for (size_t i = 0; i < self->row_count && status == TACHO_OK; i++) {
        status = add_row(events->dict, &self->rows[i], &table);
    }
    return tacho_table_hand_over(to, status, &table);
}

static tacho_status open_processes(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    static const tacho_events_vtable vtable = {.row = processes_row};
    process_list *self = calloc(1, sizeof(*self));
    (void)options;
    if (self == NULL) {
        return tacho_no_memory();
    }
    self->events = (tacho_events){&vtable, dict};
    *out_events = &self->events;
    return TACHO_OK;
}

static void close_processes(tacho_events *events)
{
    if (events != NULL) {
        free(list_of(events)->rows);
        free(list_of(events));
    }
}

const tacho_analysis tacho_analysis_processes = {
    .name = "processes",
    .question = "which processes ran and what did they use",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_processes,
    .write = write_processes,
    .close = close_processes,
};
