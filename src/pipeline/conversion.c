/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A conversion as a pipeline: the files of the request to a trace, the overview between.
 */
#include "pipeline/conversion.h"

#include "pipeline/pipeline.h"

typedef struct overview_stage {
    const tacho_conversion *conversion;
    tacho_overview_tracks tracks;
} overview_stage;

static tacho_events *open_overview(void *user, tacho_events *next)
{
    overview_stage *self = user;
    tacho_overview_tracks_init(&self->tracks, next);
    self->tracks.listener = self->conversion->overview_listener;
    self->tracks.is_of_first_tools = self->conversion->has_first_overview;
    return &self->tracks.events;
}

static void close_overview(void *user)
{
    tacho_overview_tracks_deinit(&((overview_stage *)user)->tracks);
}

static tacho_events *open_queues(void *user, tacho_events *next)
{
    tacho_queue_tracks_init(user, next);
    return &((tacho_queue_tracks *)user)->events;
}

static void close_queues(void *user)
{
    tacho_queue_tracks_deinit(user);
}

tacho_status tacho_conversion_run(const tacho_conversion *conversion, tacho_dict *dict)
{
    overview_stage overview = {.conversion = conversion};
    tacho_queue_tracks queues;
    tacho_stage stage = {open_overview, close_overview, &overview};
    tacho_stage queue_stage = {open_queues, close_queues, &queues};
    TACHO_TRY(tacho_intake_check(&conversion->intake));
    TACHO_TRY(tacho_intake_check_output(&conversion->intake, conversion->output_path));
    tacho_tracing tracing = {
        .producer = tacho_intake_producer(&conversion->intake),
        .stage = conversion->has_overview ? &stage
                 : conversion->has_queues ? &queue_stage
                                          : NULL,
        .selection = conversion->selection,
        .sink = conversion->sink,
        .options = conversion->trace_options,
        .is_strict = conversion->is_strict,
        .path = conversion->output_path,
    };
    tracing.options.side_by_side = conversion->intake.input_count > 1;
    return tacho_pipeline_write(&tracing, dict);
}
