/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho breakdown: where did the time of each device go?
 */
#include "questions/breakdown/breakdown.h"
#include "cli/command.h"
#include "cli/listing.h"

static const tacho_option options[] = {
    TACHO_OPTIONS_TABLES,
    TACHO_OPTION_OUTPUT,
    TACHO_OPT_VALUE("top", 'n', "N", "list the N longest gaps and steps; 0: none (default: 10)",
                    TACHO_INTO_NUMBER(tacho_breakdown_options, top, 0, TACHO_BREAKDOWN_TOP_MAX)),
    TACHO_OPT_FLAG("critical-path", 0,
                   "show instead which chain of work ends last, and what would be gained if an "
                   "operation took no time; --top N: how many operations"),
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

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_breakdown_options *request = self;
    listing->options = request;
    return tacho_arguments_fill(arguments, request);
}

static int breakdown_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_breakdown,
    };
    static const tacho_listing_verb path_verb = {
        .choose = choose,
        .analysis = &tacho_analysis_critical_path,
    };
    bool is_path = tacho_arguments_has(arguments, "critical-path");
    tacho_breakdown_options request = {.top = TACHO_BREAKDOWN_TOP};
    return tacho_listing_run(arguments, is_path ? &path_verb : &verb, &request);
}

const tacho_command tacho_command_breakdown = {
    .name = "breakdown",
    .summary = "show where the time of each device went and why it was idle",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints, for each device and each of its streams or engines,\n"
        "how long it computed, communicated and copied, and how long it was idle.\n"
        "Overlapping work counts once: every figure is the length of a union of intervals.\n"
        "Shares are of the device's span, from its first start to its last end. Several\n"
        "files, such as the ranks of one job, stand one below the other.\n"
        "\n"
        "First comes a verdict, one sentence per device on what limits it, then advice: what\n"
        "to do, by rule, with the time that it can gain and where to look. Both are silent\n"
        "where the profile does not allow a statement.\n"
        "\n"
        "compute  kernels and other arithmetic\n"
        "communication  collectives between devices (NCCL, RCCL, XLA collectives)\n"
        "exposed  communication while the device does not compute\n"
        "copy  memory copies, fills and DMA\n"
        "exposed copy  copies while the device neither computes nor communicates\n"
        "idle  none of these\n"
        "\n"
        "Compute, exposed communication, exposed copy and idle add up to the span.\n"
        "\n"
        "Idle time is split by what ended each gap, with launches as evidence:\n"
        "\n"
        "host late  the next work was launched after the device had become free\n"
        "queued  it was launched before, and nothing else ran: the device's own time\n"
        "between two kernels, or a wait that the profile does not show\n"
        "dependency  a stream waits for others of the device, or for where an arrow of\n"
        "the profile comes from\n"
        "queue empty  nothing is launched on the stream while others of the device work\n"
        "unknown  the profile does not show a launch\n"
        "\n"
        "Steps: how long they take (mean, median, least, most, and spread, from the first to\n"
        "the third quartile), and how long the device works, is idle and gets launches in\n"
        "them. Steps are what the profiler marks (ProfilerStep), ranges that repeat (step_3,\n"
        "train_step), numbered runs, or what lies between signposts. Leading steps that take\n"
        "longer than the spread of the later ones are warm-up: figures and the verdict leave\n"
        "them out. Of a profile of several inferences (tacho run -n), all rows are one\n"
        "inference on average. docs/breakdown.md has the exact rules.\n"
        "\n"
        "Launches and queues: how long work waits from the start of the call that launches\n"
        "it to its own start, how many pieces of work are launched and not started (on\n"
        "average and at most), how long the calls take, and how many pieces of work are\n"
        "shorter than their call. Longest gaps: when the device was idle for long, what\n"
        "ran before and after, and which span the launching thread spent most of it in.\n"
        "\n"
        "With --critical-path: the chain of host work, launches and device work that the\n"
        "last work waited for, and for each operation on it how much earlier that would end\n"
        "if the operation took no time (of the host: its own time, without spans inside),\n"
        "worked out again over all that had to happen before what. See docs/breakdown.md.\n"
        "\n"
        "A launch is an arrow from a call of the host to its work, or, where none leads to\n"
        "it, a call with the same correlation number. Annotations, waits and\n"
        "host work do not count. Estimates and measurements are never added up.",
    .examples = "# what the last kernel waited for, and what would shorten that\n"
                "tacho breakdown trace.json --critical-path\n"
                "# one rank\n"
                "tacho breakdown trace.json\n"
                "# all ranks of a job, one below the other\n"
                "tacho breakdown rank0.json rank1.json\n"
                "# for a script: how idle is each device\n"
                "tacho breakdown trace.json --format json | jq 'select(.table==\"devices\")'\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = breakdown_command_run,
};
