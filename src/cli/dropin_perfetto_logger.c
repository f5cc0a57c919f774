/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, numbered in the order given, with
 * the tool's names of tracks and the overview; and the overview is printed as the tool prints it.
 */
#include "analyses/overview_tracks.h"
#include "base/grow.h"
#include "base/output.h"
#include "cli/command.h"
#include "cli/convert_run.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sources/torq/torq.h"
#include "sinks/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256 };

static const tacho_option options[] = {
    TACHO_OPT_LIST("compile_profile", 0, "CSV", "compile-time timelines"),
    TACHO_OPT_LIST("runtime_profile", 0, "CSV", "runtime profiles"),
    TACHO_OPT_VALUE("pb", 0, "OUT", "the trace to write"),
    TACHO_OPT_VALUE("num-slices", 0, "N", "number of slices in T1 timelines (default: 2)"),
    TACHO_OPT_VALUE("clock-mhz", 0, "N", "frequency of cycle counts in MHz (default: 800)"),
    TACHO_OPTION_QUIET,
    TACHO_OPTION_HELP,
};

/* Runtime profiles come in several forms, so these are recognised by content. */
static const tacho_source *source_of(const tacho_option *option)
{
    return option == &options[0] ? &tacho_source_torq_timeline : NULL;
}

/* Compile-time profiles first, as the tool's own output has them. */
static void collect(const tacho_arguments *arguments, const tacho_option *option,
                    tacho_intake_input *inputs, size_t *count)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == option) {
            inputs[(*count)++] = (tacho_intake_input){.path = arguments->items[i].value,
                                                      .source = source_of(option)};
        }
    }
}

/* ---- the overview -------------------------------------------------------------------------- */

/* A line of it: the tool's word for a metric. */
typedef struct overview_line {
    const char *word;
    tacho_metric metric;
} overview_line;

/* As the tool of the first timelines prints it, which know no other engines; and the next one. */
static const overview_line first_lines[] = {
    {"DMA", TACHO_METRIC_DMA},           {"SLICE", TACHO_METRIC_SLICE},
    {"DMA_ONLY", TACHO_METRIC_DMA_ONLY}, {"DMA_SLICE_OVERLAP", TACHO_METRIC_OVERLAP},
    {"IDLE", TACHO_METRIC_IDLE},         {"OVERALL", TACHO_METRIC_OVERALL},
};
static const overview_line next_lines[] = {
    {"DMA_COMBINED", TACHO_METRIC_DMA_COMBINED},
    {"COMPUTE_COMBINED", TACHO_METRIC_COMPUTE},
    {"DMA_ONLY", TACHO_METRIC_DMA_ONLY},
    {"COMPUTE_ONLY", TACHO_METRIC_COMPUTE_ONLY},
    {"IDLE", TACHO_METRIC_IDLE},
    {"OVERALL", TACHO_METRIC_OVERALL},
    {"DMA", TACHO_METRIC_DMA},
    {"SLICE", TACHO_METRIC_SLICE},
    {"CDMA", TACHO_METRIC_CDMA},
    {"CSS", TACHO_METRIC_CSS},
    {"DMA_COMPUTE_OVERLAP", TACHO_METRIC_OVERLAP},
};

/* What is printed of a part; kept until the trace is written. */
typedef struct part_overview {
    char name[NAME_BYTES];
    const overview_line *lines;
    size_t line_count; /* 0: nothing to show */
    int64_t values[sizeof(next_lines) / sizeof(next_lines[0])];
    int64_t overall;
    int64_t unit; /* what the numbers are divided by */
} part_overview;

typedef struct overview_list {
    part_overview *parts; /* by number of the part */
    size_t part_count, part_capacity;
} overview_list;

static void keep_values(const tacho_overview *overview, part_overview *part)
{
    const tacho_overview_block *block = &overview->blocks[0];
    const int64_t *overall = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    part->overall = overall != NULL ? *overall : 0;
    for (size_t i = 0; i < part->line_count; i++) {
        const int64_t *found = tacho_overview_find(overview, block, part->lines[i].metric, 0);
        part->values[i] = found != NULL ? *found : 0;
    }
}

/* Cycles of the first timelines and microseconds of the runtime as they are; else nanoseconds. */
static tacho_status measure_part(const tacho_overview_gather *gather, uint32_t number,
                                 part_overview *part)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_part *facts = &dict->parts[number];
    tacho_overview_form form = tacho_overview_form_of(dict, number);
    tacho_str name = tacho_str_basename(tacho_dict_string(dict, facts->path));
    *part = (part_overview){.lines = form.is_first ? first_lines : next_lines, .unit = form.unit};
    snprintf(part->name, sizeof(part->name), "%.*s", TACHO_STR_ARG(name));
    tacho_overview_options how = {
        .in_cycles = form.in_cycles, .is_of_one_part = true, .part = number};
    tacho_overview overview;
    tacho_status status = tacho_overview_init_gathered(&overview, gather, &how);
    if (status == TACHO_OK && overview.block_count > 0) {
        part->line_count = form.is_first ? sizeof(first_lines) / sizeof(first_lines[0])
                                         : sizeof(next_lines) / sizeof(next_lines[0]);
        keep_values(&overview, part);
    }
    tacho_overview_deinit(&overview);
    return status;
}

/* Of a part that is read a second time the second reading counts. */
static tacho_status end_part(void *user, const tacho_overview_gather *gather, uint32_t number)
{
    overview_list *list = user;
    TACHO_TRY(tacho_grow(&list->parts, &list->part_capacity, (size_t)number + 1));
    while (list->part_count <= number) {
        list->parts[list->part_count++].line_count = 0;
    }
    return measure_part(gather, number, &list->parts[number]);
}

static void print_part(const part_overview *part, tacho_output *output)
{
    tacho_output_printf(output, "\n=== Overview (%s) ===\n", part->name);
    for (size_t i = 0; i < part->line_count; i++) {
        int64_t value = part->values[i];
        tacho_output_printf(output, "%s time: %" PRId64, part->lines[i].word, value / part->unit);
        if (part->lines[i].metric != TACHO_METRIC_OVERALL) {
            tacho_output_printf(output, " (%.2f%%)",
                                part->overall > 0 ? 100.0 * (double)value / (double)part->overall
                                                  : 0.0);
        }
        tacho_output_write_cstring(output, "\n");
    }
}

static tacho_status print_overviews(const overview_list *list, const char *output_path)
{
    tacho_output output;
    TACHO_TRY(tacho_output_open("-", &output));
    for (size_t i = 0; i < list->part_count; i++) {
        if (list->parts[i].line_count > 0) {
            print_part(&list->parts[i], &output);
        }
    }
    tacho_output_write_cstring(&output, "\n\u2713 Perfetto trace generated: ");
    tacho_output_write_cstring(&output, output_path);
    tacho_output_write_cstring(&output, "\n");
    tacho_status status = tacho_output_commit(&output);
    tacho_output_close(&output);
    return status;
}

/* ---- the trace ----------------------------------------------------------------------------- */

/* "01 compile.csv": what the tool calls its processes. */
static void name_inputs(tacho_intake_input *inputs, size_t count, char (*names)[NAME_BYTES])
{
    for (size_t i = 0; i < count; i++) {
        const char *slash = strrchr(inputs[i].path, '/');
        snprintf(names[i], NAME_BYTES, "%02zu %.200s", i + 1,
                 slash != NULL ? slash + 1 : inputs[i].path);
        inputs[i].name = names[i];
    }
}

/* Writes the trace, then prints what it shows. */
static int convert(tacho_conversion *conversion, overview_list *list, bool is_quiet)
{
    int exit_code = tacho_convert_run(conversion, is_quiet ? TACHO_TALK_QUIET : TACHO_TALK_NORMAL);
    bool is_written = exit_code == TACHO_EXIT_DONE || exit_code == TACHO_EXIT_LOSSY;
    if (is_written && !is_quiet && strcmp(conversion->output_path, "-") != 0) {
        tacho_status status = print_overviews(list, conversion->output_path);
        exit_code = status == TACHO_OK ? exit_code : tacho_talk_failure(status);
    }
    free(list->parts);
    return exit_code;
}

static int log_with(const tacho_arguments *arguments, tacho_intake_input *inputs,
                    char (*names)[NAME_BYTES])
{
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    overview_list list = {0};
    tacho_overview_listener listener = {end_part, &list};
    tacho_conversion conversion = {
        .intake = {.inputs = inputs},
        .output_path = tacho_arguments_value(arguments, "pb"),
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
        .has_overview = true,
        .has_first_overview = true,
        .overview_listener = is_quiet ? NULL : &listener,
    };
    collect(arguments, &options[0], inputs, &conversion.intake.input_count);
    collect(arguments, &options[1], inputs, &conversion.intake.input_count);
    collect(arguments, NULL, inputs, &conversion.intake.input_count);
    if (conversion.intake.input_count == 0) {
        return tacho_command_misuse(
            arguments->command,
            "no input given; use --compile_profile CSV or --runtime_profile CSV");
    }
    if (conversion.output_path == NULL) {
        return tacho_command_misuse(arguments->command, "no output file given; use --pb OUT");
    }
    if (!tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    conversion.intake.options.has_vendor_tracks = true;
    name_inputs(inputs, conversion.intake.input_count, names);
    return convert(&conversion, &list, is_quiet);
}

static int perfetto_logger_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = tacho_items_alloc(arguments->item_count, sizeof(*inputs));
    char(*names)[NAME_BYTES] = tacho_items_alloc(arguments->item_count, sizeof(*names));
    int exit_code = inputs != NULL && names != NULL ? log_with(arguments, inputs, names)
                                                    : tacho_command_no_memory();
    free(inputs);
    free(names);
    return exit_code;
}

const tacho_command tacho_dropin_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .summary = "convert Torq profiles to a Perfetto trace, with the vendor's options",
    .usage = "[CSV...] [--compile_profile CSV...] [--runtime_profile CSV...] --pb OUT",
    .description =
        "Reads compile-time timelines and runtime profiles, prints how busy each kind of\n"
        "engine was, and writes one Perfetto trace: a process for each file, with the\n"
        "overview as tracks. 'tacho convert' and 'tacho overview' do more.",
    .examples = "perfetto_logger.py --compile_profile compile.csv --runtime_profile runtime.csv "
                "--pb log.pb\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = perfetto_logger_run,
};
