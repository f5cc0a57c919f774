/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "analyses/info.h"
#include "cli/command.h"
#include "cli/listing.h"

static const tacho_option options[] = {
    TACHO_LISTING_OPTION_FORMAT, TACHO_LISTING_OPTION_OUTPUT, TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,          TACHO_OPTION_SLICES,         TACHO_OPTION_STRICT,
    TACHO_OPTION_QUIET,          TACHO_OPTION_HELP,
};

typedef tacho_status (*table_maker)(const tacho_info *info, tacho_table *out_table);

static tacho_events *begin(void *self, tacho_dict *dict)
{
    tacho_info *info = self;
    tacho_info_init(info, dict);
    return &info->events;
}

static tacho_status write_tables(void *self, tacho_listing *listing)
{
    static const table_maker makers[] = {tacho_info_inputs, tacho_info_tracks, tacho_info_losses,
                                         tacho_info_notes};
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]) && status == TACHO_OK; i++) {
        tacho_table table;
        status = makers[i](self, &table);
        if (status == TACHO_OK) {
            status = tacho_listing_add(listing, &table);
        }
        tacho_table_deinit(&table);
    }
    return status;
}

static void end(void *self)
{
    tacho_info_deinit(self);
}

static int info_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .begin = begin,
        .write = write_tables,
        .end = end,
        .shows_losses = true,
    };
    tacho_info info;
    return tacho_listing_run(arguments, &verb, &info);
}

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "say what profiles hold: format, events, tracks, time, losses",
    .usage = "IN... [options]",
    .description =
        "Reads profiles and prints what they are: the format and its generation, whether\n"
        "times were estimated or measured and on which clock, how many events and tracks,\n"
        "the time they span, each track with its sums, and what could not be read.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
