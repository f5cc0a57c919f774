/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report summed up: a row per op, category, kind of memory or replay.
 */
#include "estimates/tenstorrent/tt_report.h"

#include "base/grow.h"
#include "base/strings.h"
#include "base/whole.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 256, DEVICE_BYTES = 400, NS_PER_US = 1000 };

typedef struct group {
    tacho_str name;
    double device;        /* if devices are kept apart */
    const char *category; /* of its first op */
    double time_us;
    size_t count;
    /* Percent of peak, of the ops that have it. */
    size_t rated_count;
    double min, max, sum, weighted_sum, weight;
    double mean, squares; /* updated op by op to avoid cancellation */
} group;

typedef struct summary {
    const tacho_tt_report *report;
    tacho_strings keys;
    group *items;
    size_t item_count, item_capacity;
    double total_us; /* of the current device */
} summary;

static tacho_str first_word(tacho_str text)
{
    text = tacho_str_trim(text);
    text.len = tacho_str_find_byte(text, ' ');
    return text;
}

/* The last two words of DEV_0_L1_WIDTH_SHARDED in small letters: width_sharded. */
static void put_memory(tacho_str memory, char *out_text, size_t size)
{
    size_t start = memory.len;
    size_t words = 0;
    while (start > 0 && words < 2) {
        start--;
        words += memory.data[start] == '_' ? 1 : 0;
    }
    start += words == 2 ? 1 : 0;
    size_t len = 0;
    for (size_t i = start; i < memory.len && len + 1 < size; i++) {
        out_text[len++] = (char)tolower((unsigned char)memory.data[i]);
    }
    out_text[len] = '\0';
}

/* The name of the group of |line|. */
static tacho_str name_group(const tacho_tt_report *report, const tacho_tt_line *line,
                            char out_text[NAME_BYTES])
{
    char memory[64];
    tacho_str word = first_word(line->title);
    int word_len = word.len < 160 ? (int)word.len : 160;
    int len = 0;
    tacho_tt_grouping grouping = report->options.grouping;
    if (grouping == TACHO_TT_GROUP_CATEGORY) {
        return tacho_str_from_cstring(tacho_tt_category(line->title));
    }
    if (grouping == TACHO_TT_GROUP_REPLAY) {
        len = isnan(line->op.session)
                  ? snprintf(out_text, NAME_BYTES, "no replay")
                  : snprintf(out_text, NAME_BYTES, "replay %.0f", line->op.session);
        return tacho_str_make(out_text, (size_t)len);
    }
    if (grouping == TACHO_TT_GROUP_MEMORY && line->op.memories[TACHO_TT_INPUT_0].len > 0) {
        put_memory(line->op.memories[TACHO_TT_INPUT_0], memory, sizeof(memory));
        len = snprintf(out_text, NAME_BYTES, "%.*s (in0:%s)", word_len, word.data, memory);
        return tacho_str_make(out_text, (size_t)len);
    }
    return word;
}

/*
 * Groups are made in the order of their keys' ids, which begin with 1. A key is the device, if
 * devices are kept apart, and the name.
 */
static tacho_status find_group(summary *self, const tacho_tt_line *line, group **out_group)
{
    char text[NAME_BYTES];
    char key[NAME_BYTES + DEVICE_BYTES];
    uint32_t id = 0;
    bool has_device = self->report->options.keeps_devices && isfinite(line->op.device);
    tacho_str name = name_group(self->report, line, text);
    int len = snprintf(key, sizeof(key), "%.0f|", has_device ? line->op.device : 0);
    size_t name_len = name.len < NAME_BYTES ? name.len : NAME_BYTES;
    memcpy(key + len, name.data, name_len);
    TACHO_TRY(tacho_strings_ensure(&self->keys, tacho_str_make(key, (size_t)len + name_len), &id));
    if (id > self->item_count) {
        TACHO_TRY(tacho_grow(&self->items, &self->item_capacity, self->item_count + 1));
        tacho_str kept = tacho_strings_get(&self->keys, id);
        self->items[self->item_count++] = (group){
            .name = tacho_str_from(kept, (size_t)len),
            .device = has_device ? line->op.device : TACHO_TT_NONE,
            .category = tacho_tt_category(line->title),
        };
    }
    *out_group = &self->items[id - 1];
    return TACHO_OK;
}

static void add_rate(group *to, double percent, double time_us)
{
    if (isnan(percent)) {
        return;
    }
    double step = percent - to->mean;
    to->min = to->rated_count == 0 || percent < to->min ? percent : to->min;
    to->max = to->rated_count == 0 || percent > to->max ? percent : to->max;
    to->rated_count++;
    to->mean += step / (double)to->rated_count;
    to->squares += step * (percent - to->mean);
    to->sum += percent;
    to->weighted_sum += percent * time_us;
    to->weight += time_us;
}

static tacho_status add_lines(summary *self)
{
    for (size_t i = 0; i < self->report->line_count; i++) {
        const tacho_tt_line *line = &self->report->lines[i];
        group *to = NULL;
        double time_us = isnan(line->time_us) ? 0 : line->time_us;
        if (line->is_signpost) {
            continue;
        }
        TACHO_TRY(find_group(self, line, &to));
        to->count++;
        to->time_us += time_us;
        add_rate(to, line->flops_percent, time_us);
    }
    return TACHO_OK;
}

/* By device, the most time first; equal ones by name. */
static int compare_groups(const void *a, const void *b)
{
    const group *left = a;
    const group *right = b;
    if (left->device < right->device || left->device > right->device) {
        return left->device < right->device ? -1 : 1;
    }
    if (left->time_us != right->time_us) {
        return left->time_us > right->time_us ? -1 : 1;
    }
    return tacho_str_compare(left->name, right->name);
}

static const tacho_column summary_columns[] = {
    TACHO_COLUMN(TOTAL_PERCENT, "Total %", PERCENT),
    TACHO_COLUMN(OP, "Op Code", TEXT),
    TACHO_COLUMN(DEVICE, "Device", INT),
    TACHO_COLUMN(DEVICE_TIME_NS, "Device Time Sum", DURATION),
    TACHO_COLUMN(COUNT, "Op Count", INT),
    TACHO_COLUMN(CATEGORY, "Op Category", TEXT),
    TACHO_COLUMN(MIN_FLOPS_PERCENT, "Min FLOPs", PERCENT),
    TACHO_COLUMN(MAX_FLOPS_PERCENT, "Max FLOPs", PERCENT),
    TACHO_COLUMN(MEAN_FLOPS_PERCENT, "Mean FLOPs", PERCENT),
    TACHO_COLUMN(STD_FLOPS_PERCENT, "Std FLOPs", PERCENT),
    TACHO_COLUMN(WEIGHTED_MEAN_FLOPS_PERCENT, "Weighted Mean FLOPs", PERCENT),
};

static tacho_status add_real_if(tacho_table *table, bool has, double value)
{
    return has && isfinite(value) ? tacho_table_add_real(table, value)
                                  : tacho_table_add_absent(table);
}

static tacho_status add_group(const summary *self, const group *item, tacho_table *table)
{
    double count = (double)item->rated_count;
    bool is_rated = item->rated_count > 0;
    bool has_device = isfinite(item->device);
    TACHO_TRY(
        add_real_if(table, true, self->total_us > 0 ? item->time_us / self->total_us * 100 : 0));
    TACHO_TRY(tacho_table_add_text(table, item->name));
    TACHO_TRY(has_device ? tacho_table_add_int(table, tacho_whole_i64(item->device))
                         : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, tacho_whole_i64(round(item->time_us * NS_PER_US))));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)item->count));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(item->category)));
    TACHO_TRY(add_real_if(table, is_rated, item->min));
    TACHO_TRY(add_real_if(table, is_rated, item->max));
    TACHO_TRY(add_real_if(table, is_rated, item->sum / count));
    TACHO_TRY(add_real_if(table, item->rated_count > 1, sqrt(item->squares / (count - 1))));
    return add_real_if(table, is_rated && item->weight > 0, item->weighted_sum / item->weight);
}

/* Whether two groups are of one device, or of all of them. */
static bool is_same_device(const group *a, const group *b)
{
    return a->device == b->device || (isnan(a->device) && isnan(b->device));
}

/* The time of the groups of the device of |first|, which are consecutive. */
static double device_time(const summary *self, size_t first)
{
    double sum = 0;
    for (size_t i = first;
         i < self->item_count && is_same_device(&self->items[i], &self->items[first]); i++) {
        sum += self->items[i].time_us;
    }
    return sum;
}

static tacho_status fill(summary *self, tacho_table *table)
{
    TACHO_TRY(tacho_strings_init(&self->keys));
    TACHO_TRY(add_lines(self));
    if (self->item_count > 1) {
        qsort(self->items, self->item_count, sizeof(*self->items), compare_groups);
    }
    for (size_t i = 0; i < self->item_count; i++) {
        bool is_first = i == 0 || !is_same_device(&self->items[i], &self->items[i - 1]);
        self->total_us = is_first ? device_time(self, i) : self->total_us;
        TACHO_TRY(add_group(self, &self->items[i], table));
    }
    return TACHO_OK;
}

tacho_status tacho_tt_summary_table(const tacho_tt_report *report, tacho_table *out_table)
{
    static const tacho_column_id kept[] = {TACHO_COL_TOTAL_PERCENT,  TACHO_COL_OP,
                                           TACHO_COL_DEVICE_TIME_NS, TACHO_COL_COUNT,
                                           TACHO_COL_CATEGORY,       TACHO_COL_OTHER};
    summary self = {.report = report};
    tacho_table_init(out_table, "summary", "Summary", summary_columns,
                     sizeof(summary_columns) / sizeof(summary_columns[0]));
    out_table->kept = kept;
    tacho_status status = fill(&self, out_table);
    tacho_strings_deinit(&self.keys);
    free(self.items);
    return status;
}
