/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The metrics as a table.
 */
#include "questions/overview/overview.h"

#include "questions/analysis.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static tacho_status add_names(const tacho_overview_block *block, const tacho_metric_value *value,
                              tacho_table *table)
{
    tacho_metric_names names;
    tacho_metric_name(block, value, &names);
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(names.key)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(names.dashboard)));
    return tacho_table_add_text(table, tacho_str_from_cstring(names.label));
}

static size_t find_last(tacho_str text, char byte)
{
    size_t at = text.len;
    while (at > 0 && text.data[at - 1] != byte) {
        at--;
    }
    return at > 0 ? at - 1 : text.len;
}

/* The text in [..] of the file's name, else the name without its suffixes. */
static tacho_str model_name(tacho_str path)
{
    tacho_str name = tacho_str_basename(path);
    tacho_str inner = tacho_str_from(name, tacho_str_find_byte(name, '['));
    size_t close = tacho_str_find_byte(inner, ']');
    if (close < inner.len && close > 1) {
        return tacho_str_make(inner.data + 1, close - 1);
    }
    if (tacho_str_ends_with(name, TACHO_STR(".gz"))) {
        name.len -= 3;
    } else if (tacho_str_ends_with(name, TACHO_STR(".zst"))) {
        name.len -= 4;
    }
    size_t dot = find_last(name, '.');
    return tacho_str_make(name.data, dot > 0 ? dot : name.len);
}

/* In a file of several parts, each part is a model. */
static tacho_str part_model_name(const tacho_dict *dict, uint32_t id)
{
    const tacho_part *part = &dict->parts[id];
    for (uint32_t other = 0; other < dict->part_count; other++) {
        if (other != id && dict->parts[other].path == part->path) {
            return model_name(tacho_dict_string(dict, part->name));
        }
    }
    return model_name(tacho_dict_string(dict, part->path));
}

static tacho_status add_value(const tacho_overview *overview, const tacho_metric_value *value,
                              tacho_table *table)
{
    bool in_cycles = overview->options.in_cycles && value->metric != TACHO_METRIC_WALL_TIME;
    TACHO_TRY(in_cycles ? tacho_table_add_absent(table) : tacho_table_add_int(table, value->value));
    return in_cycles ? tacho_table_add_int(table, value->value) : tacho_table_add_absent(table);
}

static tacho_status add_percent(int64_t overall, const tacho_metric_value *value,
                                tacho_table *table)
{
    if (value->metric <= TACHO_METRIC_TOTAL_NPU) {
        return tacho_table_add_absent(table);
    }
    double share = overall > 0 ? (double)value->value / (double)overall : 0;
    return tacho_table_add_real(table, share * 100);
}

/* Adds the file and model of a block. */
static tacho_status add_part_names(const tacho_dict *dict, uint32_t part, tacho_table *table)
{
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[part].name)));
    return tacho_table_add_text(table, part_model_name(dict, part));
}

static tacho_status add_inferences(const tacho_dict *dict, const tacho_overview_block *block,
                                   tacho_table *table)
{
    enum { NAME_SHOWN = 100 };
    char text[NAME_SHOWN + 48];
    tacho_str name = tacho_dict_string(dict, block->run_name);
    name.len = name.len < NAME_SHOWN ? name.len : NAME_SHOWN;
    int len = snprintf(text, sizeof(text), "%.*s, average of %" PRIu32 " inferences",
                       TACHO_STR_ARG(name), block->inference_count);
    TACHO_TRY(tacho_table_add_text(table, name));
    return tacho_table_add_text(table, tacho_str_make(text, (size_t)len));
}

static tacho_status add_block(const tacho_overview *overview, const tacho_overview_block *block,
                              tacho_table *table)
{
    const tacho_dict *dict = overview->dict;
    const int64_t *overall = tacho_overview_find(overview, block, TACHO_METRIC_OVERALL, 0);
    for (size_t i = 0; i < block->metric_count; i++) {
        const tacho_metric_value *value = &overview->metrics[block->first_metric + i];
        TACHO_TRY(block->inference_count > 1 ? add_inferences(dict, block, table)
                                             : add_part_names(dict, block->part, table));
        /* The computer's own clock, for any block. */
        tacho_origin origin =
            value->metric == TACHO_METRIC_WALL_TIME ? TACHO_ORIGIN_MEASURED : block->origin;
        TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(origin))));
        TACHO_TRY(add_names(block, value, table));
        TACHO_TRY(add_value(overview, value, table));
        TACHO_TRY(add_percent(overall != NULL ? *overall : 0, value, table));
    }
    return TACHO_OK;
}

/* The title of the table: Tenstorrent's profiles are of devices, including the host's part. */
static const char *title_of(const tacho_overview *overview)
{
    bool has_device = false;
    for (size_t i = 0; i < overview->block_count; i++) {
        tacho_overview_words words = overview->blocks[i].words;
        if (words == TACHO_WORDS_TORQ || words == TACHO_WORDS_OWN) {
            return "Overview";
        }
        has_device = has_device || words != TACHO_WORDS_HOST;
    }
    return overview->block_count == 0 ? "Overview"
           : has_device               ? TACHO_OVERVIEW_TITLE_DEVICE
                                      : TACHO_OVERVIEW_TITLE_HOST;
}

tacho_status tacho_overview_table(const tacho_overview *overview, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(FILE, "file", TEXT),          TACHO_COLUMN(MODEL, "model", TEXT),
        TACHO_COLUMN(ORIGIN, "origin", TEXT),      TACHO_COLUMN(METRIC, "metric", TEXT),
        TACHO_COLUMN(NAME, "name", TEXT),          TACHO_COLUMN(LABEL, "label", TEXT),
        TACHO_COLUMN(TIME_NS, "time", DURATION),   TACHO_COLUMN(CYCLES, "cycles", INT),
        TACHO_COLUMN(PERCENT, "percent", PERCENT),
    };
    tacho_table_init(out_table, "overview", title_of(overview), columns,
                     sizeof(columns) / sizeof(columns[0]));
    static const tacho_column_id kept[] = {TACHO_COL_METRIC, TACHO_COL_NAME,    TACHO_COL_TIME_NS,
                                           TACHO_COL_CYCLES, TACHO_COL_PERCENT, TACHO_COL_FILE,
                                           TACHO_COL_OTHER};
    out_table->kept = kept;
    for (size_t i = 0; i < overview->block_count; i++) {
        TACHO_TRY(add_block(overview, &overview->blocks[i], out_table));
    }
    return TACHO_OK;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static tacho_overview_gather *gather_of(tacho_events *events)
{
    return (tacho_overview_gather *)(void *)events;
}

static tacho_status open_overview(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    const tacho_overview_options *chosen = options;
    tacho_overview_gather *gather = calloc(1, sizeof(*gather));
    if (gather == NULL) {
        return tacho_no_memory();
    }
    tacho_overview_gather_init(gather, dict);
    gather->in_cycles = chosen->in_cycles;
    *out_events = &gather->events;
    return TACHO_OK;
}

static tacho_status write_overview(tacho_events *events, const void *options,
                                   const tacho_table_taker *to)
{
    tacho_overview overview;
    tacho_table table = {0};
    tacho_overview_options chosen = *(const tacho_overview_options *)options;
    chosen.merges_inferences = true;
    tacho_status status = tacho_overview_init_gathered(&overview, gather_of(events), &chosen);
    if (status == TACHO_OK) {
        status = tacho_overview_table(&overview, &table);
    }
    tacho_overview_deinit(&overview);
    return tacho_table_hand_over(to, status, &table);
}

static void close_overview(tacho_events *events)
{
    if (events != NULL) {
        tacho_overview_gather_deinit(gather_of(events));
        free(gather_of(events));
    }
}

const tacho_analysis tacho_analysis_overview = {
    .name = "overview",
    .question = "how busy was each kind of engine, and how much overlapped",
    .options = "tacho_overview_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_overview,
    .write = write_overview,
    .close = close_overview,
};
