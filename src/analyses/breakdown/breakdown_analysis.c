/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis: rows in, tables out.
 */
#include "analyses/breakdown/breakdown.h"

#include <stdlib.h>

static tacho_breakdown_gather *gather_of(tacho_events *events)
{
    return (tacho_breakdown_gather *)(void *)events;
}

static tacho_status open_breakdown(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    const tacho_breakdown_options *chosen = options;
    tacho_breakdown_gather *gather = calloc(1, sizeof(*gather));
    if (gather == NULL) {
        return tacho_no_memory();
    }
    tacho_breakdown_gather_init(gather, dict);
    gather->top = chosen->top;
    *out_events = &gather->events;
    return TACHO_OK;
}

typedef tacho_status (*make_table)(const tacho_breakdown_gather *gather, tacho_table *out_table);

static tacho_status write_breakdown(tacho_events *events, const void *options,
                                    const tacho_table_taker *to)
{
    static const struct {
        make_table make;
        bool is_advice;
    } tables[] = {
        {tacho_breakdown_verdict_table, true},  {tacho_breakdown_advice_table, true},
        {tacho_breakdown_devices_table, false}, {tacho_breakdown_streams_table, false},
        {tacho_breakdown_idle_table, false},    {tacho_breakdown_launches_table, false},
        {tacho_breakdown_gaps_table, false},    {tacho_breakdown_notes_table, false},
    };
    const tacho_breakdown_options *chosen = options;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        tacho_table table = {0};
        if (tables[i].is_advice && chosen->omits_advice) {
            continue;
        }
        tacho_status status = tables[i].make(gather_of(events), &table);
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    return TACHO_OK;
}

static void close_breakdown(tacho_events *events)
{
    if (events != NULL) {
        tacho_breakdown_gather_deinit(gather_of(events));
        free(gather_of(events));
    }
}

const tacho_analysis tacho_analysis_breakdown = {
    .name = "breakdown",
    .question = "where did the time of each device go, and why was it idle",
    .options = "tacho_breakdown_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_breakdown,
    .write = write_breakdown,
    .close = close_breakdown,
};
