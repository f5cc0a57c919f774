/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of a profile, or jobs of a program, to the analysis.
 */
#include "session/compile_verdict.h"

#include "compile/timeline.h"

#include <stdlib.h>

/* Spans of a profile lie part by part. */
static tacho_status push_parts(const tacho_profile *profile, tacho_events *events, tacho_arg **args)
{
    size_t arg_capacity = 0;
    uint32_t part = 0;
    for (size_t i = 0; i < profile->span_count; i++) {
        tacho_row row;
        TACHO_TRY(tacho_profile_row(profile, i, args, &arg_capacity, &row));
        for (; part < events->dict->tracks[row.track].part; part++) {
            TACHO_TRY(tacho_events_end_part(events, part));
        }
        TACHO_TRY(tacho_events_row(events, &row));
    }
    for (; part < events->dict->part_count; part++) {
        TACHO_TRY(tacho_events_end_part(events, part));
    }
    return TACHO_OK;
}

static tacho_status replay(const tacho_profile *profile, tacho_events *events)
{
    tacho_arg *args = NULL;
    tacho_status status = push_parts(profile, events, &args);
    free(args);
    return status;
}

tacho_status tacho_session_judge_profile(const tacho_profile *profile, const tacho_table_taker *to)
{
    const tacho_analysis *analysis = &tacho_analysis_verdict;
    tacho_events *events = NULL;
    TACHO_TRY(analysis->open(NULL, profile->events.dict, &events));
    tacho_status status = replay(profile, events);
    if (status == TACHO_OK) {
        status = analysis->write(events, NULL, to);
    }
    analysis->close(events);
    return status;
}

static tacho_status judge_timeline(const tacho_timeline *timeline, tacho_dict *dict,
                                   const tacho_table_taker *to)
{
    const tacho_analysis *analysis = &tacho_analysis_verdict;
    tacho_events *events = NULL;
    TACHO_TRY(analysis->open(NULL, dict, &events));
    tacho_status status = tacho_timeline_push(timeline, events);
    if (status == TACHO_OK) {
        status = analysis->write(events, NULL, to);
    }
    analysis->close(events);
    return status;
}

tacho_status tacho_session_judge_compilation(const tacho_compilation *compilation,
                                             const tacho_table_taker *to)
{
    const tacho_timeline timeline = {.estimate = &compilation->estimate,
                                     .program = &compilation->program};
    tacho_dict dict;
    tacho_status status = tacho_dict_init(&dict);
    if (status == TACHO_OK) {
        status = judge_timeline(&timeline, &dict, to);
    }
    tacho_dict_deinit(&dict);
    return status;
}
