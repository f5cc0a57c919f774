/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows, durations and names from the command line.
 */
#include "api/requests/selection.h"

#include "base/duration.h"

int tacho_request_filter_open(tacho_text_filter *filter, tacho_request *given,
                              tacho_name_filter *out_names)
{
    const char *text = tacho_request_value(given, "filter");
    if (text == NULL) {
        return TACHO_OUTCOME_DONE;
    }
    tacho_status status = tacho_text_filter_open(filter, text);
    *out_names = tacho_text_filter_names(filter);
    return tacho_request_check(given, "filter", status);
}

int tacho_request_selection_open(tacho_request_selection *selection, tacho_request *given)
{
    *selection = (tacho_request_selection){.events = TACHO_SELECT_ALL};
    tacho_selection *events = &selection->events;
    const char *window = tacho_request_value(given, "window");
    if (window != NULL && !tacho_window_parse(tacho_str_from_cstring(window),
                                              &events->window_begin_ns, &events->window_end_ns)) {
        return tacho_request_misuse(given,
                                    "{window}: invalid range '%s'; expected A..B with A before B, "
                                    "in ns, us, ms or s, such as 10us..2ms",
                                    window);
    }
    const char *least = tacho_request_value(given, "min-duration");
    if (least != NULL &&
        !tacho_duration_parse(tacho_str_from_cstring(least), &events->min_duration_ns)) {
        return tacho_request_misuse(
            given, "{min-duration}: invalid duration '%s'; expected ns, us, ms or s, such as 5us",
            least);
    }
    return tacho_request_filter_open(&selection->filter, given, &events->names);
}

void tacho_request_selection_close(tacho_request_selection *selection)
{
    tacho_text_filter_close(&selection->filter);
}
