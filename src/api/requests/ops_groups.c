/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that groups share with the list of operations.
 */
#include "api/requests/ops_groups.h"

#include "questions/groups/groups.h"
#include "api/requests/listing.h"

#include <string.h>

bool tacho_ops_groups_asked(tacho_request *given)
{
    const char *by = tacho_request_value(given, "by");
    return by != NULL && strcmp(by, "type") != 0 && strcmp(by, "instance") != 0;
}

/* The request of the verb, and what groups make of it. */
typedef struct groups_request {
    tacho_ops_request *ops;
    tacho_groups_options options;
} groups_request;

static bool choose_order(tacho_request *given, tacho_groups_order *out_order)
{
    const char *sort = tacho_request_value(given, "sort");
    if (sort == NULL || tacho_groups_order_find(tacho_str_from_cstring(sort), out_order)) {
        return true;
    }
    tacho_request_misuse(given, "{sort}: use self, total, count or name with {by} %s, not '%s'",
                         tacho_request_value(given, "by"), sort);
    return false;
}

static bool choose(void *self, tacho_request *given, tacho_listing *listing)
{
    groups_request *request = self;
    tacho_groups_options *options = &request->options;
    const char *by = tacho_request_value(given, "by");
    if (!tacho_group_key_parse(tacho_str_from_cstring(by), &options->by, &options->depth)) {
        tacho_request_misuse(given,
                             "{by}: unknown group '%s'; use type, instance, op, kernel, layer, "
                             "layer:N (N from 1 to %d), line, device or step",
                             by, TACHO_GROUP_DEPTH_MAX);
        return false;
    }
    if (tacho_request_has(given, "class")) {
        tacho_request_misuse(given, "{class} goes with {by} type or instance");
        return false;
    }
    request->ops->notes = tacho_request_hold(given, &request->ops->held);
    options->notes = listing->is_quiet ? NULL : &request->ops->notes;
    options->filter = listing->selection.events.names; /* of groups, not of events */
    listing->selection.events.names = (tacho_name_filter){.accepts = NULL};
    listing->options = options;
    bool is_filled = tacho_request_fill(given, request->ops);
    options->top = request->ops->options.top;
    return is_filled && choose_order(given, &options->order);
}

int tacho_ops_groups_run(tacho_request *given, tacho_ops_request *request)
{
    static const tacho_listing_verb verb = {.choose = choose, .analysis = &tacho_analysis_groups};
    groups_request groups = {.ops = request};
    int outcome = tacho_listing_run(given, &verb, &groups);
    tacho_request_release(&request->held);
    return outcome;
}
