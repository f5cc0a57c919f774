/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the profile and runs the statement once it is complete.
 */
#include "questions/query/query.h"

#include "profile/profile.h"
#include "sql/session.h"

#include <stdlib.h>

static tacho_profile *profile_of(tacho_events *events)
{
    return (tacho_profile *)(void *)events;
}

static tacho_status open_query(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    (void)options;
    tacho_profile *profile = calloc(1, sizeof(*profile));
    if (profile == NULL) {
        return tacho_no_memory();
    }
    tacho_profile_init(profile, dict);
    *out_events = &profile->events;
    return TACHO_OK;
}

static tacho_status write_query(tacho_events *events, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_query_options *chosen = options;
    tacho_sql sql;
    tacho_table table = {0};
    tacho_status status = tacho_sql_open(&sql, profile_of(events));
    if (status == TACHO_OK) {
        const tacho_sql_bounds bounds = {chosen->timeout_ns, chosen->row_max};
        status = tacho_sql_run(&sql, chosen->sql, &bounds, &table);
    }
    status = tacho_table_hand_over(to, status, &table);
    tacho_sql_close(&sql);
    return status;
}

static void close_query(tacho_events *events)
{
    if (events != NULL) {
        tacho_profile_deinit(profile_of(events));
        free(profile_of(events));
    }
}

tacho_status tacho_query_check(const char *sql)
{
    return tacho_sql_check(sql);
}

const tacho_analysis tacho_analysis_query = {
    .name = "query",
    .question = "what does a statement of SQL select",
    .options = "tacho_query_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_query,
    .write = write_query,
    .close = close_query,
};
