/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options that groups share with the list of operations.
 */
#include "cli/ops_groups.h"

#include "questions/groups/groups.h"
#include "cli/listing.h"

#include <string.h>

bool tacho_ops_groups_asked(const tacho_arguments *arguments)
{
    const char *by = tacho_arguments_value(arguments, "by");
    return by != NULL && strcmp(by, "type") != 0 && strcmp(by, "instance") != 0;
}

/* The request of the verb, and what groups make of it. */
typedef struct groups_request {
    tacho_ops_request *ops;
    tacho_groups_options options;
} groups_request;

static bool choose_order(const tacho_arguments *arguments, tacho_groups_order *out_order)
{
    const char *sort = tacho_arguments_value(arguments, "sort");
    if (sort == NULL || tacho_groups_order_find(tacho_str_from_cstring(sort), out_order)) {
        return true;
    }
    tacho_command_misuse(arguments->command,
                         "--sort: use self, total, count or name with --by %s, not '%s'",
                         tacho_arguments_value(arguments, "by"), sort);
    return false;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    groups_request *request = self;
    tacho_groups_options *options = &request->options;
    const char *by = tacho_arguments_value(arguments, "by");
    if (!tacho_group_key_parse(tacho_str_from_cstring(by), &options->by, &options->depth)) {
        tacho_command_misuse(arguments->command,
                             "--by: unknown group '%s'; use type, instance, op, kernel, layer, "
                             "layer:N (N from 1 to %d), line, device or step",
                             by, TACHO_GROUP_DEPTH_MAX);
        return false;
    }
    if (tacho_arguments_has(arguments, "class")) {
        tacho_command_misuse(arguments->command, "--class goes with --by type or instance");
        return false;
    }
    request->ops->notes = tacho_talk_hold(&request->ops->held);
    options->notes = listing->is_quiet ? NULL : &request->ops->notes;
    options->filter = listing->selection.events.names; /* of groups, not of events */
    listing->selection.events.names = (tacho_name_filter){.accepts = NULL};
    listing->options = options;
    bool is_filled = tacho_arguments_fill(arguments, request->ops);
    options->top = request->ops->options.top;
    return is_filled && choose_order(arguments, &options->order);
}

int tacho_ops_groups_run(const tacho_arguments *arguments, tacho_ops_request *request)
{
    static const tacho_listing_verb verb = {.choose = choose, .analysis = &tacho_analysis_groups};
    groups_request groups = {.ops = request};
    int exit_code = tacho_listing_run(arguments, &verb, &groups);
    tacho_talk_release(&request->held);
    return exit_code;
}
