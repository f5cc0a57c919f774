/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Building the chain source -> order -> select -> lanes -> sink, and running it once or twice.
 */
#include "api/conversion.h"

#include "profile/lanes.h"
#include "profile/order.h"
#include "profile/spool.h"

#include <stdio.h>

static tacho_status read_open_input(tacho_input *input, const tacho_conversion_input *wanted,
                                    const tacho_source_options *options, tacho_events *events)
{
    const tacho_source *source = wanted->source;
    if (source == NULL) {
        TACHO_TRY(tacho_source_resolve(input, &source));
    }
    tacho_reading reading = {
        .input = input,
        .path = tacho_str_from_cstring(wanted->path),
        .options = options,
        .events = events,
    };
    return source->read(&reading);
}

tacho_status tacho_conversion_read_input(const tacho_conversion_input *input,
                                         const tacho_source_options *options,
                                         const tacho_progress *progress, tacho_events *events)
{
    tacho_input opened;
    TACHO_TRY(tacho_input_open(input->path, &opened));
    opened.progress = *progress;
    tacho_status status = read_open_input(&opened, input, options, events);
    tacho_input_close(&opened);
    return status;
}

uint64_t tacho_conversion_lost_count(const tacho_dict *dict)
{
    uint64_t lost = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        lost += dict->losses[i].count;
    }
    return lost;
}

static tacho_status push_inputs(const tacho_conversion *conversion, tacho_events *events)
{
    for (size_t i = 0; i < conversion->input_count; i++) {
        TACHO_TRY(tacho_conversion_read_input(&conversion->inputs[i], &conversion->source_options,
                                              &conversion->progress, events));
    }
    return tacho_events_finish(events);
}

static tacho_status run_ordered(const tacho_conversion *conversion, tacho_order_mode mode,
                                tacho_events *next)
{
    tacho_order *order = NULL;
    TACHO_TRY(tacho_order_create(next, mode, TACHO_SPOOL_DEFAULT_BYTES, &order));
    tacho_status status = push_inputs(conversion, tacho_order_events(order));
    tacho_order_destroy(order);
    return status;
}

static tacho_status run_filters(const tacho_conversion *conversion, tacho_order_mode mode,
                                tacho_events *sink)
{
    tacho_lanes *lanes = NULL;
    TACHO_TRY(tacho_lanes_create(sink, &lanes));
    tacho_events *next = tacho_lanes_events(lanes);
    tacho_select select;
    if (!tacho_selection_is_all(&conversion->selection)) {
        tacho_select_init(&select, &conversion->selection, next);
        next = &select.events;
    }
    tacho_status status = run_ordered(conversion, mode, next);
    tacho_lanes_destroy(lanes);
    return status;
}

static tacho_status refuse_losses(const tacho_conversion *conversion, const tacho_dict *dict)
{
    uint64_t lost = tacho_conversion_lost_count(dict);
    if (!conversion->is_strict || lost == 0) {
        return TACHO_OK;
    }
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "%llu records could not be read, which --strict does not allow; nothing "
                      "was written",
                      (unsigned long long)lost);
}

static tacho_status write_trace(const tacho_conversion *conversion, tacho_order_mode mode,
                                tacho_dict *dict, tacho_output *output)
{
    tacho_trace_options options = conversion->trace_options;
    options.side_by_side = conversion->input_count > 1;
    tacho_events *events = NULL;
    TACHO_TRY(conversion->sink->open(dict, output, &options, &events));
    tacho_status status = run_filters(conversion, mode, events);
    conversion->sink->close(events);
    TACHO_TRY(status);
    TACHO_TRY(refuse_losses(conversion, dict));
    return tacho_output_commit(output);
}

static tacho_status run_once(const tacho_conversion *conversion, tacho_order_mode mode,
                             tacho_dict *dict)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open(conversion->output_path, &output));
    tacho_status status = write_trace(conversion, mode, dict, &output);
    tacho_output_close(&output);
    return status;
}

static bool can_run_twice(const tacho_conversion *conversion)
{
    for (size_t i = 0; i < conversion->input_count; i++) {
        if (!tacho_input_is_rereadable(conversion->inputs[i].path)) {
            return false;
        }
    }
    return tacho_output_is_replaceable(conversion->output_path);
}

tacho_status tacho_conversion_run(const tacho_conversion *conversion, tacho_dict *dict)
{
    if (!can_run_twice(conversion)) {
        return run_once(conversion, TACHO_ORDER_SORT, dict);
    }
    tacho_status status = run_once(conversion, TACHO_ORDER_PASS, dict);
    if (tacho_status_code(status) != TACHO_CODE_OUT_OF_ORDER) {
        return status;
    }
    tacho_status_free(status);
    tacho_dict_deinit(dict);
    TACHO_TRY(tacho_dict_init(dict));
    return run_once(conversion, TACHO_ORDER_SORT, dict);
}
