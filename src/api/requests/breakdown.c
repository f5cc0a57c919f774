/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho breakdown: where did the time of each device go?
 */
#include "api/requests/registry.h"
#include "questions/breakdown/breakdown.h"
#include "api/requests/options.h"
#include "api/requests/listing.h"

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT,
    TACHO_OPT_VALUE("top", 'n', "N", "list the N longest gaps and steps; 0: none (default: 10)",
                    TACHO_INTO_NUMBER(tacho_breakdown_options, top, 0, TACHO_BREAKDOWN_TOP_MAX)),
    TACHO_OPT_FLAG("critical-path", 0,
                   "show instead which chain of work ends last, and what would be gained if an "
                   "operation took no time; {top} N: how many operations"),
    TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP,
                   TACHO_INTO_FLAG(tacho_breakdown_options, omits_advice)),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_WINDOW,
    TACHO_OPTION_FILTER,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    tacho_breakdown_options *request = self;
    listing->options = request;
    return tacho_request_fill(given, request);
}

static int breakdown_command_run(tacho_request *given)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_breakdown,
    };
    static const tacho_listing_verb path_verb = {
        .choose = choose,
        .analysis = &tacho_analysis_critical_path,
    };
    bool is_path = tacho_request_has(given, "critical-path");
    tacho_breakdown_options request = {.top = TACHO_BREAKDOWN_TOP};
    return tacho_listing_run(given, is_path ? &path_verb : &verb, &request);
}

const tacho_request_type tacho_request_type_breakdown = {
    .name = "breakdown",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = breakdown_command_run,
};
