/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho overview: how busy was each kind of engine?
 */
#include "analyses/overview.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/values.h"
#include "sinks/overview_text.h"

#include <stdio.h>

static const tacho_option options[] = {
    TACHO_LISTING_OPTION_FORMAT,
    TACHO_LISTING_OPTION_OUTPUT,
    {"unit", 0, false, "time|cycles",
     "what to count: time, or the cycles of an estimate as they are (default: time)"},
    {"wall-time", 0, false, "SECONDS",
     "show this time, measured around the run, above the metrics: 0.207, or 207ms"},
    TACHO_OPTION_FROM,
    TACHO_OPTION_CLOCK,
    TACHO_OPTION_SLICES,
    TACHO_OPTION_PROGRAM,
    TACHO_OPTION_STRICT,
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

typedef struct overview_request {
    tacho_overview_options options;
    tacho_profile profile;
} overview_request;

static bool choose_unit(const tacho_arguments *arguments, tacho_overview_options *out_options)
{
    const char *unit = tacho_arguments_value(arguments, "unit");
    out_options->in_cycles = unit != NULL && strcmp(unit, "cycles") == 0;
    if (unit == NULL || out_options->in_cycles || strcmp(unit, "time") == 0) {
        return true;
    }
    tacho_command_misuse(arguments->command, "--unit: '%s' is neither time nor cycles", unit);
    return false;
}

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
    return tacho_value_duration(tacho_str_make(text, (size_t)written), out_ns) && *out_ns > 0;
}

static bool choose_wall_time(const tacho_arguments *arguments, const tacho_listing *listing,
                             tacho_overview_options *out_options)
{
    const char *value = tacho_arguments_value(arguments, "wall-time");
    if (value == NULL) {
        return true;
    }
    if (listing->intake.input_count > 1) {
        tacho_command_misuse(arguments->command, "--wall-time is that of one run; name one input");
        return false;
    }
    if (!parse_wall_time(value, &out_options->wall_time_ns)) {
        tacho_command_misuse(arguments->command,
                             "--wall-time: '%s' is no time; expected seconds, such as 0.207",
                             value);
        return false;
    }
    return true;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    overview_request *request = self;
    if (listing->sink == &tacho_table_sink_text) {
        listing->sink = &tacho_table_sink_overview;
    }
    return choose_unit(arguments, &request->options) &&
           choose_wall_time(arguments, listing, &request->options);
}

static tacho_events *begin(void *self, tacho_dict *dict)
{
    overview_request *request = self;
    tacho_profile_init(&request->profile, dict);
    return &request->profile.events;
}

static tacho_status write_overview(const tacho_overview *overview, tacho_listing *listing)
{
    tacho_table table;
    tacho_status status = tacho_overview_table(overview, &table);
    if (status == TACHO_OK) {
        status = tacho_listing_add(listing, &table);
    }
    tacho_table_deinit(&table);
    return status;
}

static tacho_status write_tables(void *self, tacho_listing *listing)
{
    const overview_request *request = self;
    tacho_overview overview;
    tacho_status status = tacho_overview_init(&overview, &request->profile, &request->options);
    if (status == TACHO_OK) {
        status = write_overview(&overview, listing);
    }
    tacho_overview_deinit(&overview);
    return status;
}

static void end(void *self)
{
    overview_request *request = self;
    tacho_profile_deinit(&request->profile);
}

static int overview_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .begin = begin,
        .write = write_tables,
        .end = end,
    };
    overview_request request = {.options = {.in_cycles = false}};
    return tacho_listing_run(arguments, &verb, &request);
}

const tacho_command tacho_command_overview = {
    .name = "overview",
    .summary = "say how busy each kind of engine was, alone and together",
    .usage = "IN... [options]",
    .description =
        "Reads profiles and prints, per input, how long transfers, slices, the vector\n"
        "engine, the runtime and the host were busy, how much of that at the same time,\n"
        "and how long nothing was. Work that overlaps counts once: every number is the\n"
        "length of a union of intervals, and percentages are of OVERALL, the time from\n"
        "the first start to the last end of work. Moments, counters, phases that contain\n"
        "other work, allocations and waits are no work.\n"
        "\n"
        "OVERALL  from the first start to the last end of work\n"
        "TOTAL NPU OPERATIONS  OVERALL without the runtime's calls and the host's work alone\n"
        "Dma  transfers in and out; Dma In and Dma Out are each direction\n"
        "Cdma  transfers between local memories; Cdma Dtcm and Cdma Itcm by memory\n"
        "Dma Total  Dma and Cdma together; Dma Only is that part of it without compute\n"
        "Slice  the compute engines together, Slice 0, 1, ... each; Css the vector engine\n"
        "Compute  Slice and Css together; Compute Only is that part of it without transfers\n"
        "Overlap  transfers and compute at the same time\n"
        "Hal, Host, Host Copy  calls of the runtime, host programs, copies by the host\n"
        "Idle  OVERALL less all of these\n"
        "\n"
        "Only what the input can show is listed; what it shows to be unused is 0. A\n"
        "runtime profile does not say which engines its programs used: there the programs\n"
        "themselves count as busy. Estimates and measurements are never added up.\n"
        "\n"
        "Of several inputs, those that cannot be read are named and the others shown; the\n"
        "exit status is then 3.",
    .examples =
        "# a compiler's estimate\n"
        "tacho overview timeline.csv\n"
        "# a run on the board that took 207 ms in all\n"
        "tacho overview runtime.csv --wall-time 0.207\n"
        "# for a script: the idle time in ns\n"
        "tacho overview timeline.csv --format json | jq 'select(.metric==\"IDLE\").time_ns'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = overview_command_run,
};
