/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the chain source -> order -> select -> lanes -> sink, and running it.
 */
#include "api/conversion.h"

#include "profile/lanes.h"

static tacho_status run_filters(const tacho_conversion *conversion, tacho_order_mode mode,
                                tacho_events *sink)
{
    tacho_lanes *lanes = NULL;
    tacho_events *next = sink;
    if (!conversion->sink->takes_rows_as_given) {
        TACHO_TRY(tacho_lanes_create(sink, &lanes));
        next = tacho_lanes_events(lanes);
    }
    tacho_select select;
    if (!tacho_selection_is_all(&conversion->selection)) {
        tacho_select_init(&select, &conversion->selection, next);
        next = &select.events;
    }
    tacho_overview_tracks tracks;
    if (conversion->has_overview) {
        tacho_overview_tracks_init(&tracks, next);
        tracks.listener = conversion->overview_listener;
        tracks.is_of_first_tools = conversion->has_first_overview;
        next = &tracks.events;
    }
    tacho_status status = tacho_intake_read(&conversion->intake, mode, next);
    if (conversion->has_overview) {
        tacho_overview_tracks_deinit(&tracks);
    }
    tacho_lanes_destroy(lanes);
    return status;
}

static tacho_status write_trace(const tacho_conversion *conversion, tacho_order_mode mode,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = conversion->trace_options;
    options.side_by_side = conversion->intake.input_count > 1;
    options.names_may_change = mode == TACHO_ORDER_PASS;
    tacho_events *events = NULL;
    TACHO_TRY(conversion->sink->open(dict, output, &options, &events));
    tacho_status status = run_filters(conversion, mode, events);
    conversion->sink->close(events);
    TACHO_TRY(status);
    if (conversion->is_strict) {
        TACHO_TRY(tacho_intake_refuse_losses(dict));
    }
    return tacho_output_commit(output);
}

static tacho_status attempt(void *self, tacho_order_mode mode, tacho_dict *dict)
{
    const tacho_conversion *conversion = self;
    tacho_output output;
    TACHO_TRY(tacho_output_open(conversion->output_path, &output));
    tacho_status status = write_trace(conversion, mode, dict, &output);
    tacho_output_close(&output);
    return status;
}

tacho_status tacho_conversion_run(const tacho_conversion *conversion, tacho_dict *dict)
{
    TACHO_TRY(tacho_intake_check(&conversion->intake));
    TACHO_TRY(tacho_intake_check_output(&conversion->intake, conversion->output_path));
    bool can_repeat = tacho_intake_is_rereadable(&conversion->intake) &&
                      tacho_output_is_replaceable(conversion->output_path);
    tacho_conversion copy = *conversion;
    return tacho_intake_run(attempt, &copy, can_repeat, dict);
}
