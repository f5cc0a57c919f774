/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ops as an analysis of a stream of rows, with notes on omitted rows and inexact percentiles.
 */
#include "questions/analysis.h"
#include "questions/ops/ops.h"
#include "profile/categories.h"

#include <inttypes.h>
#include <stdlib.h>

static tacho_ops_gather *gather_of(tacho_events *events)
{
    return (tacho_ops_gather *)(void *)events;
}

static tacho_status open_ops(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    (void)options;
    tacho_ops_gather *gather = calloc(1, sizeof(*gather));
    if (gather == NULL) {
        return tacho_no_memory();
    }
    tacho_ops_gather_init(gather, dict);
    *out_events = &gather->events;
    return TACHO_OK;
}

/* Whether a device recorded only whole inferences, so that operators may be missing. */
static bool has_wholes(const tacho_dict *dict)
{
    bool has = false;
    for (size_t i = 0; i < dict->site_count && !has; i++) {
        has = tacho_str_equal(tacho_dict_string(dict, dict->sites[i].category),
                              tacho_str_from_cstring(TACHO_CATEGORY_INFERENCE));
    }
    return has;
}

static void say_left_out(const tacho_ops_options *options, const tacho_ops *ops)
{
    if (ops->left_out_count > 0) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more row%s", ops->left_out_count, ops->left_out_count == 1 ? "" : "s");
    } else if (ops->row_count == 0 && has_wholes(ops->dict) && options->classes == 0 &&
               options->filter.accepts == NULL) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_RECORD_OPERATORS, ""}, "note",
                        "only whole inferences were recorded");
    } else if (ops->row_count == 0) {
        bool is_filtered = options->classes != 0 || options->filter.accepts != NULL;
        tacho_note(options->notes, "note",
                   is_filtered ? "no operation matches the filter" : "no operations were recorded");
    }
}

/* Notes that the engines' work for operators is not listed. */
static void say_pieces(const tacho_ops_options *options, const tacho_ops *ops)
{
    if (ops->piece_count > 0) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_TRACK_CLASS, ""}, "note",
                        "%" PRIu64 " zone%s of processors, which are parts of these operations, "
                        "not listed",
                        ops->piece_count, ops->piece_count == 1 ? "" : "s");
    }
}

/* Inexact percentiles are never shown without a note. */
static void say_sketched(const tacho_ops_options *options, const tacho_ops *ops)
{
    size_t count = 0;
    for (size_t i = 0; i < ops->row_count; i++) {
        count += ops->rows[i].is_sketched ? 1 : 0;
    }
    if (count > 0) {
        tacho_note(options->notes, "note",
                   "p50 and p99 of %zu operation%s with more than %d spans on a track are "
                   "within " TACHO_DURATIONS_ERROR_PERCENT " %% of the exact values",
                   count, count == 1 ? "" : "s", TACHO_OPS_EXACT_OF_CELL);
    }
}

static tacho_status write_ops(tacho_events *events, const void *options,
                              const tacho_table_taker *to)
{
    const tacho_ops_options *chosen = options;
    tacho_ops_options merged = *chosen;
    merged.merges_inferences = true;
    tacho_ops ops;
    tacho_table table = {0};
    tacho_status status = tacho_ops_init_gathered(&ops, gather_of(events), &merged);
    const bool *has_no_memory = chosen->filter.has_no_memory;
    if (status == TACHO_OK && has_no_memory != NULL && *has_no_memory) {
        status = tacho_no_memory();
    }
    if (status == TACHO_OK) {
        status = tacho_ops_table(&ops, &table);
    }
    status = tacho_table_hand_over(to, status, &table);
    if (status == TACHO_OK) {
        say_left_out(chosen, &ops);
        say_sketched(chosen, &ops);
        say_pieces(chosen, &ops);
    }
    tacho_ops_deinit(&ops);
    return status;
}

static void close_ops(tacho_events *events)
{
    if (events != NULL) {
        tacho_ops_gather_deinit(gather_of(events));
        free(gather_of(events));
    }
}

const tacho_analysis tacho_analysis_ops = {
    .name = "ops",
    .question = "which operations took the time",
    .options = "tacho_ops_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_ops,
    .write = write_ops,
    .close = close_ops,
};
