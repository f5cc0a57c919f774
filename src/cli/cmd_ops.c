/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops: which operations took the time?
 */
#include "questions/ops/ops.h"
#include "cli/command.h"
#include "cli/listing.h"
#include "cli/ops_compat.h"
#include "cli/ops_groups.h"
#include "cli/ops_join.h"

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
    TACHO_OPT_VALUE("class", 0, "CLASS", "only tracks of this class, as 'tacho info' shows it"),
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

static bool choose_class(tacho_ops_request *request, const tacho_arguments *arguments)
{
    const char *value = tacho_arguments_value(arguments, "class");
    for (size_t i = 0; value != NULL && i < TACHO_TRACK_CLASS_COUNT; i++) {
        if (strcmp(tacho_track_class_name((tacho_track_class)i), value) == 0) {
            request->options.classes = TACHO_TRACK_BIT(i);
        }
    }
    if (value != NULL && request->options.classes == 0) {
        tacho_command_misuse(arguments->command,
                             "--class: unknown track class '%s'; 'tacho info FILE' lists them",
                             value);
        return false;
    }
    return true;
}

static bool choose_sort(tacho_ops_request *request, const tacho_arguments *arguments)
{
    const char *sort = tacho_arguments_value(arguments, "sort");
    request->options.sort =
        sort != NULL ? tacho_ops_key_find(tacho_str_from_cstring(sort)) : TACHO_OPS_BY_SELF;
    if (request->options.sort == TACHO_OPS_KEY_COUNT) {
        tacho_command_misuse(arguments->command,
                             "--sort: unknown key '%s'; use self, total, count, mean, p50, p99, "
                             "min, max, bytes, name or location",
                             sort);
    }
    return request->options.sort != TACHO_OPS_KEY_COUNT;
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

static bool choose(void *self, const tacho_arguments *arguments, tacho_listing *listing)
{
    tacho_ops_request *request = self;
    request->notes = tacho_talk_hold(&request->held);
    request->options.notes = listing->is_quiet ? NULL : &request->notes;
    listing->options = &request->options;
    const char *by = tacho_arguments_value(arguments, "by");
    request->options.by_instance = by != NULL && strcmp(by, "instance") == 0;
    take_filter(request, listing);
    if (!tacho_arguments_fill(arguments, self) || !choose_sort(self, arguments) ||
        !choose_class(self, arguments)) {
        return false;
    }
    choose_agreement(request, listing);
    return true;
}

/* ---- the listing ------------------------------------------------------------------------- */

static int ops_command_run(const tacho_arguments *arguments)
{
    static const tacho_listing_verb verb = {
        .choose = choose,
        .analysis = &tacho_analysis_ops,
        .also = &tacho_analysis_processes,
        .has_verdict = true,
    };
    tacho_ops_request request = {.options = {.top = DEFAULT_TOP}};
    if (tacho_arguments_has(arguments, "join")) {
        return tacho_ops_join_run(arguments);
    }
    if (tacho_arguments_has(arguments, "compat")) {
        return tacho_ops_compat_run(arguments, &request);
    }
    const char *stray = tacho_ops_compat_stray(arguments);
    if (stray != NULL) {
        return tacho_command_misuse(arguments->command, "--%s goes with --compat tt-perf-report",
                                    stray);
    }
    if (tacho_ops_groups_asked(arguments)) {
        return tacho_ops_groups_run(arguments, &request);
    }
    int exit_code = tacho_listing_run(arguments, &verb, &request);
    tacho_talk_release(&request.held);
    return exit_code;
}

const tacho_command tacho_command_ops = {
    .name = "ops",
    .summary = "list the operations that took the most time",
    .usage = "FILE|DIR... [options]",
    .description =
        "Reads profiles and prints one row per operation: how often it ran, total time,\n"
        "self time, share, mean, percentiles, minimum and maximum, the bytes it moved,\n"
        "and where in the model it comes from.\n"
        "\n"
        "First comes a verdict: one sentence on what limits each device, then advice by\n"
        "rule with the time that it can gain (docs/rules.md). Both are silent where the\n"
        "profile does not allow a statement. CSV leaves them out.\n"
        "\n"
        "Rows are kept separate by input, origin (estimated, simulated, measured) and\n"
        "track class; devices come before the host. Inferences of one program in a file\n"
        "(tacho run -n) count together; --by step tells them apart. Total: the time of\n"
        "all its spans.\n"
        "Self: time not spent in nested spans, so that nested work counts once. Share: of\n"
        "the self time of all selected spans of the input's devices, or of its host,\n"
        "including those cut off by --top; work that runs in parallel on other tracks\n"
        "counts there as well. Where spans of a row differ in location, it shows none;\n"
        "use --by instance to split it.\n"
        "\n"
        "Percentiles use the nearest rank, so p99 is a duration that occurred. In inputs\n"
        "with more than 1048576 spans, p50 and p99 of an operation with more than 128\n"
        "spans on a track are within 0.8 % of the exact values; a note says so. Memory\n"
        "does not grow with the number of spans.\n"
        "\n"
        "With --by op, kernel, layer, line, device or step, rows are groups, with the time\n"
        "of the host and of devices apart. Device work counts for the operator, layer,\n"
        "source line and step of the call that launched it (by correlation, arrow or\n"
        "External id). Layers are the modules and annotations around the work, or those\n"
        "that its location names; self is without the layers inside. Each share is of one\n"
        "kind of time, and the rows of a kind add up to all of it. What a profile does not\n"
        "tell is listed below the table. docs/layers.md explains it.\n"
        "\n"
        "An operation is identified by the name of its spans. ONNX Runtime names spans\n"
        "after nodes and gives the operator in the argument op_name: there, --by type\n"
        "lists operators (Conv) and --by instance lists nodes (conv1_kernel_time).\n"
        "\n"
        "Of two files of different origin, such as an estimate and a measurement, text and\n"
        "JSON also say how they agree: the ratio of each type and operator, the worst\n"
        "first, the clock that fits, and drift, as 'tacho diff' does.\n"
        "\n"
        "With --compat tt-perf-report, prints the report of that tool from op tables of\n"
        "Tenstorrent's profiler: rates of memory and arithmetic in percent of the chip's\n"
        "peak, what bounds each op, advice by rule, and a summary.\n"
        "\n"
        "With --join, takes the logs that Tenstorrent's profiler leaves\n"
        "(tracy_ops_data.csv, tracy_ops_times.csv, cpp_device_perf_report.csv,\n"
        "profile_log_device.csv), or the directory that holds them, and writes the op\n"
        "table that the vendor's scripts make of them. Cells of what is missing stay\n"
        "empty; what is missing is counted by reason, and the exit status is 3.\n"
        "\n"
        "A directory stands for the files in it. Of several files, those that cannot be\n"
        "read are listed and skipped; the exit status is then 3.",
    .examples = "# the twenty with the most self time\n"
                "tacho ops timeline.csv\n"
                "# every convolution on the slices, one row per line of the model\n"
                "tacho ops timeline.csv --class compute --filter conv --by instance --top 0\n"
                "# which layers of the model the time of the GPU goes to, two levels deep\n"
                "tacho ops trace.json --by layer:2\n"
                "# for a spreadsheet, slowest 99th percentile first\n"
                "tacho ops runtime.csv --sort p99 -o ops.csv\n"
                "# the report of tt-perf-report as the CSV it writes\n"
                "tacho ops --compat tt-perf-report ops_perf_results.csv -o perf.csv\n"
                "# the op table of a run on Tenstorrent devices\n"
                "tacho ops --join generated/profiler/.logs -o ops_perf_results.csv\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = ops_command_run,
};
