/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfetto_logger.py: the Torq tool that turns compile-time and runtime CSVs into a Perfetto
 * trace, with its flags. Each file is a process of the trace, numbered in the order given, with
 * the tool's names of tracks and the overview; and the overview is printed as the tool prints it.
 */
#include "analyses/overview.h"
#include "cli/command.h"
#include "cli/convert_run.h"
#include "cli/talk.h"
#include "cli/values.h"
#include "sources/torq/torq.h"
#include "sinks/perfetto.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256, NS_PER_US = 1000 };

static const tacho_option options[] = {
    {"compile_profile", 0, TACHO_TAKES_LIST, "CSV", "compile-time timelines"},
    {"runtime_profile", 0, TACHO_TAKES_LIST, "CSV", "runtime profiles"},
    {"pb", 0, false, "OUT", "the trace to write"},
    {"num-slices", 0, false, "N", "slices that a T1 timeline takes turns on (default: 2)"},
    {"clock-mhz", 0, false, "N", "frequency of cycle counts in MHz (default: 800)"},
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

/* |unit| is what the numbers are divided by. */
static void print_lines(const tacho_overview *overview, const overview_line *lines, size_t count,
                        int64_t unit)
{
    const tacho_overview_block *block = &overview->blocks[0];
    const int64_t *whole = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    for (size_t i = 0; i < count; i++) {
        const int64_t *found = tacho_overview_find(overview, block, lines[i].metric, 0);
        int64_t value = found != NULL ? *found : 0;
        printf("%s time: %" PRId64, lines[i].word, value / unit);
        if (lines[i].metric != TACHO_METRIC_OVERALL) {
            printf(" (%.2f%%)",
                   whole != NULL && *whole > 0 ? 100.0 * (double)value / (double)*whole : 0.0);
        }
        putchar('\n');
    }
}

/* Cycles of the first timelines and microseconds of the runtime as they are; else nanoseconds. */
static tacho_status print_part(const tacho_profile *profile, const tacho_dict *dict,
                               const char *name)
{
    const tacho_part *part = &dict->parts[0];
    bool is_first = tacho_str_equal(tacho_dict_string(dict, part->generation), TACHO_STR("T1")) ||
                    !dict->clocks[part->clock].counts_cycles;
    tacho_overview_options how = {.in_cycles = dict->clocks[part->clock].counts_cycles && is_first};
    tacho_overview overview;
    tacho_status status = tacho_overview_init(&overview, profile, &how);
    if (status == TACHO_OK && overview.block_count > 0) {
        printf("\n=== Overview (%s) ===\n", name);
        print_lines(&overview, is_first ? first_lines : next_lines,
                    is_first ? sizeof(first_lines) / sizeof(first_lines[0])
                             : sizeof(next_lines) / sizeof(next_lines[0]),
                    dict->clocks[part->clock].counts_cycles ? 1 : NS_PER_US);
    }
    tacho_overview_deinit(&overview);
    return status;
}

/* What the trace already has is read once more, by itself. */
static tacho_status print_overview(const tacho_intake *all, size_t number)
{
    tacho_intake one = {.inputs = &all->inputs[number], .input_count = 1, .options = all->options};
    tacho_dict dict;
    tacho_profile profile;
    if (!tacho_intake_is_rereadable(&one)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    tacho_status status = tacho_intake_load(&one, &dict, &profile);
    if (status == TACHO_OK && dict.part_count > 0) {
        /* Without the number in front. */
        status = print_part(&profile, &dict, one.inputs[0].name + 3);
    }
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    return status;
}

static void print_all(const tacho_conversion *conversion)
{
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < conversion->intake.input_count && status == TACHO_OK; i++) {
        status = print_overview(&conversion->intake, i);
    }
    if (status != TACHO_OK) {
        (void)tacho_talk_failure(status);
    }
    printf("\n\u2713 Perfetto trace generated: %s\n", conversion->output_path);
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

static int log_with(const tacho_arguments *arguments, tacho_intake_input *inputs,
                    char (*names)[NAME_BYTES])
{
    tacho_conversion conversion = {
        .intake = {.inputs = inputs},
        .output_path = tacho_arguments_value(arguments, "pb"),
        .sink = &tacho_sink_perfetto,
        .selection = TACHO_SELECT_ALL,
        .has_overview = true,
    };
    bool is_quiet = tacho_arguments_has(arguments, "quiet");
    collect(arguments, &options[0], inputs, &conversion.intake.input_count);
    collect(arguments, &options[1], inputs, &conversion.intake.input_count);
    collect(arguments, NULL, inputs, &conversion.intake.input_count);
    if (conversion.intake.input_count == 0) {
        return tacho_command_misuse(arguments->command,
                                    "no input; say --compile_profile CSV or --runtime_profile CSV");
    }
    if (conversion.output_path == NULL) {
        return tacho_command_misuse(arguments->command, "where to? say --pb OUT");
    }
    if (!tacho_value_source_options(arguments, &conversion.intake.options)) {
        return TACHO_EXIT_USAGE;
    }
    conversion.intake.options.has_vendor_tracks = true;
    name_inputs(inputs, conversion.intake.input_count, names);
    int exit_code = tacho_convert_run(&conversion, is_quiet);
    bool is_written = exit_code == TACHO_EXIT_DONE || exit_code == TACHO_EXIT_LOSSY;
    if (is_written && !is_quiet && strcmp(conversion.output_path, "-") != 0) {
        print_all(&conversion);
    }
    return exit_code;
}

static int perfetto_logger_run(const tacho_arguments *arguments)
{
    tacho_intake_input *inputs = calloc(arguments->item_count + 1, sizeof(*inputs));
    char(*names)[NAME_BYTES] = calloc(arguments->item_count + 1, sizeof(*names));
    int exit_code = TACHO_EXIT_FAILED;
    if (inputs == NULL || names == NULL) {
        tacho_talk_line("error", "out of memory");
    } else {
        exit_code = log_with(arguments, inputs, names);
    }
    free(inputs);
    free(names);
    return exit_code;
}

const tacho_command tacho_dropin_perfetto_logger = {
    .name = "perfetto_logger.py",
    .is_dropin = true,
    .summary = "Torq profiles to a Perfetto trace, with the vendor's flags",
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
