/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho overview: how busy was each kind of engine?
 */
#include "api/requests/registry.h"
#include "questions/overview/overview.h"
#include "api/requests/options.h"
#include "api/requests/listing.h"
#include "base/duration.h"
#include "sinks/overview_text.h"

#include <stdio.h>

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT,
    TACHO_OPT_VALUE("unit", 0, "time|cycles",
                    "show time, or the raw cycles of an estimate (default: time)",
                    TACHO_INTO_WORD(tacho_overview_options, in_cycles)),
    TACHO_OPT_VALUE("wall-time", 0, "SECONDS",
                    "show this wall time above the metrics, such as 0.207 or 207ms"),
    TACHO_OPTION_NO_ADVICE,
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* A number without a unit is seconds. */
static bool parse_wall_time(const char *value, int64_t *out_ns)
{
    char text[64];
    size_t len = strlen(value);
    if (len == 0 || len + 2 > sizeof(text)) {
        return false;
    }
    bool has_unit = value[len - 1] < '0' || value[len - 1] > '9';
    int written = snprintf(text, sizeof(text), "%s%s", value, has_unit ? "" : "s");
    return tacho_duration_parse(tacho_str_make(text, (size_t)written), out_ns) && *out_ns > 0;
}

static bool choose_wall_time(tacho_request *given, const tacho_listing *listing,
                             tacho_overview_options *out_options)
{
    const char *value = tacho_request_value(given, "wall-time");
    if (value == NULL) {
        return true;
    }
    if (listing->intake.input_count > 1) {
        tacho_request_misuse(given, "{wall-time} applies to a single run; name one input");
        return false;
    }
    if (!parse_wall_time(value, &out_options->wall_time_ns)) {
        tacho_request_misuse(
            given, "{wall-time}: invalid time '%s'; expected seconds, such as 0.207", value);
        return false;
    }
    return true;
}

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    tacho_overview_options *request = self;
    listing->options = request;
    if (listing->sink == &tacho_table_sink_text) {
        listing->sink = &tacho_table_sink_overview;
    }
    return tacho_request_fill(given, request) && choose_wall_time(given, listing, request);
}

static int overview_command_run(tacho_request *given)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_overview,
        .also = &tacho_analysis_processes,
        .has_verdict = true,
    };
    tacho_overview_options request = {.in_cycles = false};
    return tacho_listing_run(given, &verb, &request);
}

const tacho_request_type tacho_request_type_overview = {
    .name = "overview",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = overview_command_run,
};
