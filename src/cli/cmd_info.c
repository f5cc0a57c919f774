/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho info: what is in these files?
 */
#include "analyses/info.h"
#include "cli/command.h"
#include "cli/info_program.h"
#include "cli/listing.h"

#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_LISTING_OPTION_FORMAT, TACHO_LISTING_OPTION_OUTPUT, TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,          TACHO_OPTION_SLICES,         TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,         TACHO_OPTION_QUIET,          TACHO_OPTION_HELP,
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
    static const table_maker makers[] = {tacho_info_inputs, tacho_info_tracks,
                                         tacho_info_losses_before, tacho_info_losses,
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

static int run_profiles(const tacho_arguments *arguments)
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

/* Programs where any input is one and no format of profiles was asked for. */
static int info_command_run(const tacho_arguments *arguments)
{
    size_t path_count = 0;
    const char **paths = tacho_arguments_words(arguments, &path_count);
    bool has_program = false;
    for (size_t i = 0; i < path_count && !tacho_arguments_has(arguments, "from"); i++) {
        has_program = has_program || tacho_info_is_program(paths[i]);
    }
    int exit_code =
        has_program ? tacho_info_programs(arguments, paths, path_count) : run_profiles(arguments);
    free(paths);
    return exit_code;
}

const tacho_command tacho_command_info = {
    .name = "info",
    .summary = "say what profiles and programs hold: events, tracks, losses; ops, memory",
    .usage = "IN... [options]",
    .description =
        "Reads profiles and prints what they are: the format and its generation, whether\n"
        "times were estimated or measured and on which clock, how many events and tracks,\n"
        "the time they span, each track with its sums, what a trace says was lost when it\n"
        "was made, and what could not be read.\n"
        "\n"
        "Of a program (a QPC container, as qaic-compile and tacho write them) it prints the\n"
        "segments with their checksums, the network's inputs and outputs, cores and threads,\n"
        "what is recorded while it runs, ops by core, and, where tacho compiled it, the\n"
        "machine, ops, jobs, the estimate and the memory it takes.",
    .examples = "# one file\n"
                "tacho info timeline.csv\n"
                "# for a script: names of tracks with their total time\n"
                "tacho info runtime.csv --format json | jq 'select(.table==\"tracks\")'\n"
                "# a program: is it whole, what does it take, what will it record?\n"
                "tacho info programqpc.bin\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = info_command_run,
};
