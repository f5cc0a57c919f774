/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole profile is kept in memory until its last event: tables such as that of operators need
 * all of it.
 */
#include "sinks/sqlite.h"

#include "profile/profile.h"
#include "sinks/trace_rows.h"
#include "sql/session.h"

#include <stdlib.h>

typedef struct sqlite_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    tacho_profile profile;
} sqlite_sink;

static sqlite_sink *sink_of(tacho_events *events)
{
    return (sqlite_sink *)(void *)events;
}

static tacho_status sqlite_row(tacho_events *events, const tacho_row *row)
{
    sqlite_sink *sink = sink_of(events);
    bool is_good = true;
    if (row->kind == TACHO_ROW_SAMPLE) {
        TACHO_TRY(tacho_trace_check_sample(events->dict, row, &is_good));
    }
    return is_good ? tacho_events_row(&sink->profile.events, row) : TACHO_OK;
}

static tacho_status sqlite_finish(tacho_events *events)
{
    sqlite_sink *sink = sink_of(events);
    return tacho_sql_write(&sink->profile, sink->options.omit_args, sink->output);
}

static const tacho_events_vtable sqlite_vtable = {.row = sqlite_row, .finish = sqlite_finish};

static void sqlite_close(tacho_events *events)
{
    tacho_profile_deinit(&sink_of(events)->profile);
    free(sink_of(events));
}

static tacho_status sqlite_open(tacho_dict *dict, tacho_output *output,
                                const tacho_trace_options *options, tacho_events **out_events)
{
    sqlite_sink *sink = calloc(1, sizeof(*sink));
    if (sink == NULL) {
        return tacho_no_memory();
    }
    sink->events = (tacho_events){&sqlite_vtable, dict};
    sink->output = output;
    sink->options = *options;
    tacho_profile_init(&sink->profile, dict);
    *out_events = &sink->events;
    return TACHO_OK;
}

static const char *const suffixes[] = {".db", ".sqlite", ".sqlite3", NULL};

const tacho_trace_sink tacho_sink_sqlite = {
    .name = "sqlite",
    .title = "SQLite database, for SQL",
    .suffixes = suffixes,
    .limits = TACHO_LIMIT_READING,
    .takes_rows_as_given = true,
    .open = sqlite_open,
    .close = sqlite_close,
};
