/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho overview: how busy was each kind of engine?
 */
#include "questions/overview/overview.h"
#include "cli/command.h"
#include "cli/listing.h"
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

static bool choose_wall_time(const tacho_arguments *arguments, const tacho_listing *listing,
                             tacho_overview_options *out_options)
{
    const char *value = tacho_arguments_value(arguments, "wall-time");
    if (value == NULL) {
        return true;
    }
    if (listing->intake.input_count > 1) {
        tacho_command_misuse(arguments->command,
                             "--wall-time applies to a single run; name one input");
        return false;
    }
    if (!parse_wall_time(value, &out_options->wall_time_ns)) {
        tacho_command_misuse(arguments->command,
                             "--wall-time: invalid time '%s'; expected seconds, such as 0.207",
                             value);
        return false;
    }
    return true;
}

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_overview_options *request = self;
    listing->options = request;
    if (listing->sink == &tacho_table_sink_text) {
        listing->sink = &tacho_table_sink_overview;
    }
    return tacho_arguments_fill(arguments, request) &&
           choose_wall_time(arguments, listing, request);
}

static int overview_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_overview,
        .also = &tacho_analysis_processes,
        .has_verdict = true,
    };
    tacho_overview_options request = {.in_cycles = false};
    return tacho_listing_run(arguments, &verb, &request);
}

const tacho_command tacho_command_overview = {
    .name = "overview",
    .summary = "show how busy each kind of engine was and how much overlapped",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints, for each input, how long transfers, slices, the\n"
        "vector engine, the runtime and the host were busy, how much of that overlapped,\n"
        "and how long everything was idle. Overlapping work counts once: every figure is\n"
        "the length of a union of intervals, and percentages are relative to OVERALL.\n"
        "Instants, counters, enclosing phases, allocations and waits do not count as\n"
        "busy.\n"
        "\n"
        "First comes a verdict: one sentence on what limits each device, then advice by\n"
        "rule with the time that it can gain (docs/rules.md). Both are silent where the\n"
        "profile does not allow a statement. CSV leaves them out.\n"
        "\n"
        "OVERALL  from the first start to the last end of work\n"
        "TOTAL NPU OPERATIONS  OVERALL minus runtime calls and host-only work\n"
        "Dma  transfers in and out; Dma In and Dma Out: each direction\n"
        "Cdma  transfers between local memories; Cdma Dtcm and Cdma Itcm: by memory\n"
        "Dma Total  Dma and Cdma combined; Dma Only: the part without compute\n"
        "Slice  all compute engines; Slice 0, 1, ...: each one; Css: the vector engine\n"
        "Compute  Slice and Css combined; Compute Only: the part without transfers\n"
        "Overlap  transfers and compute at the same time\n"
        "Hal, Host, Host Copy  runtime calls, host programs, copies made by the host\n"
        "Idle  OVERALL minus all of the above\n"
        "\n"
        "These are the words of Torq. Runs and estimates of other machines name their own\n"
        "engines: HMX and HVX of aic100, CPU, and so on. Of a profile of several inferences\n"
        "(tacho run -n) they show one on average.\n"
        "\n"
        "Profiles of Tenstorrent devices name the processors of their cores: NCRISC,\n"
        "BRISC and TRISC on any core, ERISC on the Ethernet cores. DM is data movement,\n"
        "NCRISC or BRISC; DM Only: movement, ERISC included, while no TRISC is busy. Op\n"
        "tables have Kernels.\n"
        "\n"
        "Profiles of GPUs: GPU busy, some stream works; GPU idle, none does; Host busy;\n"
        "Both idle. Traces of other devices say Device instead of GPU; traces without any\n"
        "have Host busy and Host idle.\n"
        "\n"
        "Only metrics that the input can show are listed; an engine that the input shows\n"
        "to be unused has 0. A runtime profile does not say which engines a program used,\n"
        "so the program itself counts as busy. Estimates and measurements are never added\n"
        "up.\n"
        "\n"
        "A directory stands for the files in it. Of several files, those that cannot be\n"
        "read are listed and skipped; the exit status is then 3.",
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
