/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops: which operations took the time?
 */
#include "api/requests/registry.h"
#include "questions/ops/ops.h"
#include "api/requests/options.h"
#include "api/requests/listing.h"
#include "api/requests/ops_compat.h"
#include "api/requests/ops_groups.h"
#include "api/requests/ops_join.h"

#include <stdio.h>

enum { DEFAULT_TOP = 20 };

static const tacho_option options[] = {
    TACHO_OPT_VALUE("by", 0, "type|instance|op|kernel|layer|line|device|step",
                    "one row per operator, per name and source location, or per group: the "
                    "operator that launched the work, kernel, layer (layer:2 for two levels), "
                    "source line, device or step (default: type)"),
    TACHO_OPT_VALUE("sort", 0, "KEY",
                    "self, total, count, mean, p50, p99, min, max or bytes, largest first; name or "
                    "location, alphabetical (default: self)"),
    TACHO_OPT_VALUE(
        "top", 0, "N",
        "the first N rows of each input, of devices and of the host, 0 for all (default: 20)",
        TACHO_INTO_NUMBER(tacho_ops_request, options.top, 0, SIZE_MAX)),
    TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP,
                   TACHO_INTO_UNFLAG(tacho_ops_request, compat.has_advice)),
    TACHO_OPTION_FILTER,
    TACHO_OPTION_WINDOW,
    TACHO_OPT_VALUE("class", 0, "CLASS", "only tracks of this class, as '{/info}' shows it"),
    TACHO_OPS_COMPAT_OPTIONS,
    TACHO_OPS_JOIN_OPTION,
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT_AND(TACHO_WRITES_OPS),
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTIONS_COMMON,
};

/* ---- options ---------------------------------------------------------------------------- */

static bool choose_class(tacho_ops_request *request, tacho_request *given)
{
    const char *value = tacho_request_value(given, "class");
    for (size_t i = 0; value != NULL && i < TACHO_TRACK_CLASS_COUNT; i++) {
        if (strcmp(tacho_track_class_name((tacho_track_class)i), value) == 0) {
            request->options.classes = TACHO_TRACK_BIT(i);
        }
    }
    if (value != NULL && request->options.classes == 0) {
        tacho_request_misuse(given, "{class}: unknown track class '%s'; '{/info FILE}' lists them",
                             value);
        return false;
    }
    return true;
}

static bool choose_sort(tacho_ops_request *request, tacho_request *given)
{
    const char *sort = tacho_request_value(given, "sort");
    return sort == NULL ||
           tacho_request_check(given, "sort",
                               tacho_ops_key_parse(tacho_str_from_cstring(sort),
                                                   &request->options.sort)) == TACHO_OUTCOME_DONE;
}

/* Names are those of operators, so the filter is for rows of the table, not for events. */
static void take_filter(tacho_ops_request *request, tacho_listing *listing)
{
    tacho_selection *events = &listing->selection.events;
    request->options.filter = events->names;
    events->names = (tacho_name_filter){.accepts = NULL};
}

/* The same work is compared where two profiles are of different origin. */
static void choose_agreement(tacho_ops_request *request, tacho_listing *listing)
{
    request->compared = listing->selection.events;
    request->compared.names = request->options.filter;
    request->agreement = (tacho_agreement_options){
        .selection = &request->compared,
        .samples = {.classes = request->options.classes},
        .top = request->options.top,
        .notes = request->options.notes,
    };
    listing->agreement = &request->agreement;
}

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    tacho_ops_request *request = self;
    request->notes = tacho_request_hold(given, &request->held);
    request->options.notes = listing->is_quiet ? NULL : &request->notes;
    listing->options = &request->options;
    const char *by = tacho_request_value(given, "by");
    request->options.by_instance = by != NULL && strcmp(by, "instance") == 0;
    take_filter(request, listing);
    if (!tacho_request_fill(given, self) || !choose_sort(self, given) ||
        !choose_class(self, given)) {
        return false;
    }
    choose_agreement(request, listing);
    return true;
}

/* ---- the listing ------------------------------------------------------------------------- */

static int ops_command_run(tacho_request *given)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_ops,
        .also = &tacho_analysis_processes,
        .has_verdict = true,
    };
    tacho_ops_request request = {.options = {.top = DEFAULT_TOP, .sort = TACHO_OPS_BY_SELF}};
    if (tacho_request_has(given, "join")) {
        return tacho_ops_join_run(given);
    }
    if (tacho_request_has(given, "compat")) {
        return tacho_ops_compat_run(given, &request);
    }
    const char *stray = tacho_ops_compat_stray(given);
    if (stray != NULL) {
        return tacho_request_misuse(given, "{%s} goes with {compat} tt-perf-report", stray);
    }
    if (tacho_ops_groups_asked(given)) {
        return tacho_ops_groups_run(given, &request);
    }
    int outcome = tacho_listing_run(given, &verb, &request);
    tacho_request_release(&request.held);
    return outcome;
}

const tacho_request_type tacho_request_type_ops = {
    .name = "ops",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = ops_command_run,
};
