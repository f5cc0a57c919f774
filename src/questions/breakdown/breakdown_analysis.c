/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two analyses: all tables, and only verdicts with advice, for callers that show these first.
 */
#include "questions/breakdown/breakdown.h"

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
    gather->top = chosen != NULL ? chosen->top : 0;
    gather->step_top =
        chosen != NULL && chosen->step_top > gather->top ? chosen->step_top : gather->top;
    *out_events = &gather->events;
    return TACHO_OK;
}

typedef tacho_status (*make_table)(const tacho_breakdown_gather *gather, tacho_table *out_table);

static tacho_status hand_table(tacho_events *events, make_table make, const tacho_table_taker *to)
{
    tacho_table table = {0};
    tacho_status status = make(gather_of(events), &table);
    return tacho_table_hand_over(to, status, &table);
}

/* A device looks idle where a filter hides its work, so nothing is concluded from gaps. */
static tacho_status write_verdict(tacho_events *events, const void *options,
                                  const tacho_table_taker *to)
{
    (void)options;
    if (events->dict->hides_names) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_breakdown_sort_ranks(gather_of(events)));
    TACHO_TRY(hand_table(events, tacho_breakdown_verdict_table, to));
    return hand_table(events, tacho_breakdown_advice_table, to);
}

static tacho_status write_breakdown(tacho_events *events, const void *options,
                                    const tacho_table_taker *to)
{
    static const make_table tables[] = {
        tacho_breakdown_devices_table, tacho_breakdown_streams_table,
        tacho_breakdown_idle_table,    tacho_breakdown_step_statistics_table,
        tacho_breakdown_steps_table,   tacho_breakdown_launches_table,
        tacho_breakdown_gaps_table,    tacho_breakdown_notes_table,
    };
    const tacho_breakdown_options *chosen = options;
    TACHO_TRY(tacho_breakdown_sort_ranks(gather_of(events)));
    TACHO_TRY(chosen->omits_advice ? TACHO_OK : write_verdict(events, NULL, to));
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        TACHO_TRY(hand_table(events, tables[i], to));
    }
    return chosen->has_steady ? hand_table(events, tacho_breakdown_steady_table, to) : TACHO_OK;
}

static void close_breakdown(tacho_events *events)
{
    if (events != NULL) {
        tacho_breakdown_gather_deinit(gather_of(events));
        free(gather_of(events));
    }
}

static tacho_timeline *timeline_of(tacho_events *events)
{
    return &gather_of(events)->timeline;
}

const tacho_analysis tacho_analysis_breakdown = {
    .name = "breakdown",
    .question = "where did the time of each device go, and why was it idle",
    .options = "tacho_breakdown_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_breakdown,
    .write = write_breakdown,
    .close = close_breakdown,
    .timeline = timeline_of,
};

const tacho_analysis tacho_analysis_verdict = {
    .name = "verdict",
    .question = "what limits each device, and what to try",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_breakdown,
    .write = write_verdict,
    .close = close_breakdown,
    .timeline = timeline_of,
};
