/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a time chart: its rows, and spans that have not ended, as a producer.
 */
#include "api/timechart.h"

#include "api/entry.h"
#include "base/grow.h"
#include "pipeline/pipeline.h"
#include "profile/dict_mark.h"

#include <stdlib.h>

/* A thread on which spans have begun and not ended. */
typedef struct begun_track {
    uint32_t part, track;
} begun_track;

static int compare_begun(const void *left, const void *right)
{
    const begun_track *a = left;
    const begun_track *b = right;
    return a->part != b->part     ? (a->part < b->part ? -1 : 1)
           : a->track != b->track ? (a->track < b->track ? -1 : 1)
                                  : 0;
}

/* Those of all threads, by part. */
static tacho_status list_begun(const tacho_timechart *chart, begun_track **out_list,
                               size_t *out_len)
{
    *out_len = 0;
    TACHO_TRY(tacho_items_make(out_list, chart->begun_count));
    for (uint32_t track = 0; track < chart->begun_count; track++) {
        if (chart->begun[track].item_count > 0) {
            (*out_list)[(*out_len)++] = (begun_track){chart->dict.tracks[track].part, track};
        }
    }
    qsort(*out_list, *out_len, sizeof(**out_list), compare_begun);
    return TACHO_OK;
}

/* Spans that have begun on |track| and not ended, as far as they have come. */
static tacho_status push_begun(const tacho_timechart *chart, uint32_t track, tacho_events *next)
{
    const begun_stack *stack = &chart->begun[track];
    for (size_t i = 0; i < stack->item_count; i++) {
        tacho_row row = tacho_timechart_make_span(track, stack->items[i], chart->latest_time,
                                                  TACHO_SPAN_UNENDED);
        TACHO_TRY(tacho_events_row(next, &row));
    }
    return TACHO_OK;
}

static tacho_status push_each(const tacho_timechart *chart, const begun_track *begun,
                              size_t begun_count, tacho_events *next)
{
    const begun_track *end = begun + begun_count;
    for (uint32_t part = 0; part < chart->dict.part_count; part++) {
        TACHO_TRY(tacho_row_store_replay(chart->store, part, next));
        for (; begun < end && begun->part == part; begun++) {
            TACHO_TRY(push_begun(chart, begun->track, next));
        }
        TACHO_TRY(tacho_events_end_part(next, part));
    }
    return tacho_events_finish(next);
}

static tacho_status produce(void *self, tacho_order_mode mode, tacho_events *next)
{
    const tacho_timechart *chart = self;
    begun_track *begun = NULL;
    size_t begun_count = 0;
    (void)mode;
    TACHO_TRY(list_begun(chart, &begun, &begun_count));
    tacho_status status = push_each(chart, begun, begun_count, next);
    free(begun);
    return status;
}

static tacho_status flush(tacho_timechart *chart)
{
    tacho_tracing tracing = {
        .producer = {.produce = produce, .self = chart, .first_mode = TACHO_ORDER_SORT_ALL},
        .selection = TACHO_SELECT_ALL,
        .sink = chart->sink,
        .options = {.side_by_side = chart->has_files && chart->dict.part_count > 1},
        .path = chart->path,
    };
    tacho_dict_mark mark;
    TACHO_TRY(tacho_dict_mark_init(&mark, &chart->dict));
    tacho_status status = tacho_pipeline_write(&tracing, &chart->dict);
    tacho_dict_mark_restore(&mark, &chart->dict);
    tacho_dict_mark_deinit(&mark);
    return status;
}

tacho_status tacho_timechart_flush(tacho_timechart *chart)
{
    TACHO_TRY(tacho_timechart_enter(chart));
    tacho_entry entry = tacho_entry_begin();
    tacho_status status = flush(chart);
    tacho_entry_end(entry);
    return tacho_timechart_leave(chart, status);
}
