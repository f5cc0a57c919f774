/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool's words for metrics, in its order, in its units.
 */
#include "vendors/torq/torq_overviews.h"

#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256 };

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
struct tacho_torq_overview {
    char name[NAME_BYTES];
    const overview_line *lines;
    size_t line_count; /* 0: nothing to show */
    int64_t values[sizeof(next_lines) / sizeof(next_lines[0])];
    bool is_known[sizeof(next_lines) / sizeof(next_lines[0])]; /* values[i] was recorded */
    int64_t overall;
    tacho_overview_form form;
};

static void keep_values(const tacho_overview *overview, tacho_torq_overview *part)
{
    const tacho_overview_block *block = &overview->blocks[0];
    const int64_t *overall = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    part->overall = overall != NULL ? *overall : 0;
    for (size_t i = 0; i < part->line_count; i++) {
        const int64_t *found = tacho_overview_find_torq(overview, block, part->lines[i].metric, 0);
        part->is_known[i] = found != NULL;
        part->values[i] = found != NULL ? *found : 0;
    }
}

/* Cycles of the first timelines and microseconds of the runtime as they are; else nanoseconds. */
static tacho_status measure_part(const tacho_overview_gather *gather, uint32_t number,
                                 tacho_torq_overview *part)
{
    const tacho_dict *dict = gather->events.dict;
    const tacho_part *facts = &dict->parts[number];
    tacho_overview_form form = tacho_overview_form_of(dict, number);
    tacho_str name = tacho_str_basename(tacho_dict_string(dict, facts->path));
    *part = (tacho_torq_overview){.lines = form.is_first ? first_lines : next_lines, .form = form};
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
    tacho_torq_overviews *list = user;
    TACHO_TRY(tacho_grow(&list->parts, &list->part_capacity, (size_t)number + 1));
    while (list->part_count <= number) {
        list->parts[list->part_count++].line_count = 0;
    }
    return measure_part(gather, number, &list->parts[number]);
}

static void print_line(const tacho_torq_overview *part, size_t index, tacho_output *output)
{
    const overview_line *line = &part->lines[index];
    int64_t value = part->values[index];
    if (!part->is_known[index]) {
        tacho_output_printf(output, "%s time: not recorded\n", line->word);
        return;
    }
    tacho_output_printf(output, "%s time: %" PRId64 " %s", line->word, value / part->form.unit,
                        part->form.unit_name);
    if (line->metric != TACHO_METRIC_OVERALL) {
        double share = part->overall > 0 ? (double)value / (double)part->overall : 0.0;
        tacho_output_printf(output, " (%.2f%%)", 100.0 * share);
    }
    tacho_output_write_cstring(output, "\n");
}

static void print_part(const tacho_torq_overview *part, tacho_output *output)
{
    tacho_output_printf(output, "\n=== Overview (%s) ===\n", part->name);
    for (size_t i = 0; i < part->line_count; i++) {
        print_line(part, i, output);
    }
}

void tacho_torq_overviews_print(const tacho_torq_overviews *overviews, tacho_output *output)
{
    for (size_t i = 0; i < overviews->part_count; i++) {
        if (overviews->parts[i].line_count > 0) {
            print_part(&overviews->parts[i], output);
        }
    }
}

tacho_overview_listener tacho_torq_overviews_listener(tacho_torq_overviews *overviews)
{
    return (tacho_overview_listener){end_part, overviews};
}

void tacho_torq_overviews_deinit(tacho_torq_overviews *overviews)
{
    free(overviews->parts);
    *overviews = (tacho_torq_overviews){0};
}
