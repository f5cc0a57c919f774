/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of a diff. "A" is before, "B" is after.
 */
#include "questions/diff/diff_tables.h"

#include "questions/diff/diff_fit.h"
#include <tacho/hint.h>
#include "base/maths.h"
#include "base/text.h"
#include "base/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MORE_ROOM = 24, BAR_ROOM = 24, FALL_ROWS = 12 };

#define CONFIDENCE 0.95

/* ---- sides --------------------------------------------------------------------------------- */

static const tacho_column side_columns[] = {
    TACHO_COLUMN(SIDE, "side", TEXT),
    TACHO_COLUMN(ORIGIN, "origin", TEXT),
    TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN(SAMPLES, "samples", INT),
    TACHO_COLUMN(SAMPLE_KIND, "of", TEXT),
    TACHO_COLUMN(TOTAL_NS, "total", DURATION),
    TACHO_COLUMN(BUSY_NS, "busy", DURATION),
    TACHO_COLUMN(IDLE_NS, "idle", DURATION),
    TACHO_COLUMN(VARIATION_PERCENT, "variation", PERCENT),
    TACHO_COLUMN(ASIDE, "set aside", INT),
    TACHO_COLUMN(LOST, "lost", INT),
};

static tacho_status add_side(const tacho_diff *diff, size_t side, tacho_table *table)
{
    const tacho_samples *samples = diff->sides[side];
    const tacho_diff_side *total = &diff->total.sides[side];
    int64_t idle_ns = diff->idle.sides[side].wall_ns;
    TACHO_TRY(tacho_table_add_text(table, tacho_str_make(&"AB"[side], 1)));
    TACHO_TRY(
        tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(samples->origin))));
    TACHO_TRY(tacho_table_add_int(table, samples->file_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)samples->whole_count));
    TACHO_TRY(tacho_table_add_text(table,
                                   tacho_str_from_cstring(tacho_samples_kind_word(samples->kind))));
    TACHO_TRY(tacho_table_add_int(table, total->wall_ns));
    TACHO_TRY(tacho_table_add_int(table, total->wall_ns - idle_ns));
    TACHO_TRY(tacho_table_add_int(table, idle_ns));
    TACHO_TRY(samples->whole_count > 1
                  ? tacho_table_add_real(table, tacho_moments_variation(&total->moments))
                  : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)samples->aside_count));
    return tacho_table_add_int(table, samples->lost_count < INT64_MAX ? (int64_t)samples->lost_count
                                                                      : INT64_MAX);
}

static tacho_status sides_table(const tacho_diff *diff, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_table_init(&table, "sides", "Compared", side_columns,
                     sizeof(side_columns) / sizeof(side_columns[0]));
    tacho_status status = add_side(diff, 0, &table);
    status = status == TACHO_OK ? add_side(diff, 1, &table) : status;
    return tacho_table_hand_over(to, status, &table);
}

/* ---- names --------------------------------------------------------------------------------- */

static tacho_str text_of(const tacho_diff *diff, size_t side, uint32_t string)
{
    return tacho_strings_get(&diff->sides[side]->strings, string);
}

/* The side that the row is named after: A, unless it is new. */
static size_t naming_side(const tacho_diff_row *row)
{
    return row->ops[0] != TACHO_NONE ? 0 : 1;
}

static tacho_str name_on(const tacho_diff *diff, const tacho_diff_row *row, size_t side)
{
    if (diff->options.by != TACHO_DIFF_BY_INSTANCE) {
        return side == naming_side(row) ? tacho_strings_get(&diff->groups, row->group)
                                        : tacho_diff_group_of(diff, side, row->ops[side]);
    }
    return text_of(diff, side, diff->sides[side]->ops[row->ops[side]].name);
}

/* Puts the name on |side|, and the number of further operators: "conv1 (+2)". */
static tacho_status put_name(const tacho_diff *diff, const tacho_diff_row *row, size_t side,
                             tacho_text *text)
{
    char more[MORE_ROOM] = "";
    if (row->op_counts[side] > 1 && diff->options.by == TACHO_DIFF_BY_INSTANCE) {
        snprintf(more, sizeof(more), " (+%u)", row->op_counts[side] - 1);
    }
    TACHO_TRY(tacho_text_put(text, name_on(diff, row, side)));
    return tacho_text_put(text, tacho_str_from_cstring(more));
}

/* The layer of a row that is an operator; empty if not known. */
static tacho_str layer_of(const tacho_diff *diff, const tacho_diff_row *row)
{
    size_t side = naming_side(row);
    bool is_one = diff->options.by == TACHO_DIFF_BY_INSTANCE;
    return is_one ? text_of(diff, side, diff->sides[side]->ops[row->ops[side]].layer)
                  : TACHO_STR("");
}

static tacho_status put_names(const tacho_diff *diff, const tacho_diff_row *row, tacho_text *text)
{
    if (row->kind != TACHO_DIFF_RENAMED && row->kind != TACHO_DIFF_SPLIT &&
        row->kind != TACHO_DIFF_MERGED) {
        return tacho_text_put(text, name_on(diff, row, naming_side(row)));
    }
    TACHO_TRY(put_name(diff, row, 0, text));
    TACHO_TRY(tacho_text_put(text, TACHO_STR(" -> ")));
    return put_name(diff, row, 1, text);
}

/* Adds the layer unless the name contains it: one name may be in many layers. */
static tacho_status put_layer(const tacho_diff *diff, const tacho_diff_row *row, tacho_text *text)
{
    tacho_str layer = layer_of(diff, row);
    tacho_str name = name_on(diff, row, naming_side(row));
    bool is_rooted = tacho_str_starts_with(name, TACHO_STR("/"));
    if (layer.len == 0 || tacho_str_starts_with(tacho_str_from(name, is_rooted ? 1 : 0), layer)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_text_put(text, TACHO_STR(" in ")));
    return tacho_text_put(text, layer);
}

static tacho_status add_name(const tacho_diff *diff, const tacho_diff_row *row, bool has_layer,
                             tacho_table *table)
{
    tacho_text text = {0};
    tacho_status status = put_names(diff, row, &text);
    status = status == TACHO_OK && has_layer ? put_layer(diff, row, &text) : status;
    status = status == TACHO_OK ? tacho_table_add_text(table, tacho_text_take(&text)) : status;
    tacho_text_deinit(&text);
    return status;
}

tacho_status tacho_diff_add_name(const tacho_diff *diff, const tacho_diff_row *row,
                                 tacho_table *table)
{
    return add_name(diff, row, false, table);
}

/* ---- operators ----------------------------------------------------------------------------- */

static const tacho_column op_columns[] = {
    TACHO_COLUMN(OPERATION, "operation", TEXT),
    TACHO_COLUMN(KIND, "match", TEXT),
    TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(A_NS, "A", DURATION),
    TACHO_COLUMN(B_NS, "B", DURATION),
    TACHO_COLUMN(DIFFERENCE_NS, "difference", DURATION),
    TACHO_COLUMN(MARGIN_NS, "+/-", DURATION),
    TACHO_COLUMN(CHANGE_PERCENT, "change", PERCENT),
    TACHO_COLUMN(RATIO, "B / A", REAL),
    TACHO_COLUMN(A_SHARE_PERCENT, "share A", PERCENT),
    TACHO_COLUMN(B_SHARE_PERCENT, "share B", PERCENT),
    TACHO_COLUMN(A_COUNT, "count A", INT),
    TACHO_COLUMN(B_COUNT, "count B", INT),
    TACHO_COLUMN(A_BUSY_NS, "busy A", DURATION),
    TACHO_COLUMN(B_BUSY_NS, "busy B", DURATION),
    TACHO_COLUMN(A_GAP_NS, "gap A", DURATION),
    TACHO_COLUMN(B_GAP_NS, "gap B", DURATION),
    TACHO_COLUMN(A_BYTES, "bytes A", INT),
    TACHO_COLUMN(B_BYTES, "bytes B", INT),
    TACHO_COLUMN(VERDICT, "verdict", TEXT),
    TACHO_COLUMN(LAYER, "layer", TEXT),
    TACHO_COLUMN(LOCATION, "location", TEXT),
};

static const tacho_column_id op_kept[] = {TACHO_COL_OPERATION,
                                          TACHO_COL_A_NS,
                                          TACHO_COL_B_NS,
                                          TACHO_COL_DIFFERENCE_NS,
                                          TACHO_COL_CHANGE_PERCENT,
                                          TACHO_COL_VERDICT,
                                          TACHO_COL_KIND,
                                          TACHO_COL_MARGIN_NS,
                                          TACHO_COL_LAYER,
                                          TACHO_COL_LOCATION,
                                          TACHO_COL_A_COUNT,
                                          TACHO_COL_B_COUNT,
                                          TACHO_COL_TYPE,
                                          TACHO_COL_A_SHARE_PERCENT,
                                          TACHO_COL_B_SHARE_PERCENT,
                                          TACHO_COL_OTHER};

static tacho_status add_percent(tacho_table *table, double part, double whole)
{
    return whole > 0 ? tacho_table_add_real(table, 100 * part / whole)
                     : tacho_table_add_absent(table);
}

static tacho_status add_margin(tacho_table *table, const tacho_diff_row *row)
{
    double margin = tacho_shift_margin(&row->shift, CONFIDENCE);
    return row->shift.is_known && margin < 9e18 ? tacho_table_add_int(table, llround(margin))
                                                : tacho_table_add_absent(table);
}

static tacho_status add_known(tacho_table *table, bool is_known, int64_t value)
{
    return is_known ? tacho_table_add_int(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_times(const tacho_diff *diff, const tacho_diff_row *row, tacho_table *table)
{
    bool has[2] = {row->ops[0] != TACHO_NONE, row->ops[1] != TACHO_NONE};
    const tacho_diff_side *a = &row->sides[0];
    const tacho_diff_side *b = &row->sides[1];
    TACHO_TRY(add_known(table, has[0], a->wall_ns));
    TACHO_TRY(add_known(table, has[1], b->wall_ns));
    TACHO_TRY(tacho_table_add_int(table, tacho_diff_of(row)));
    TACHO_TRY(add_margin(table, row));
    TACHO_TRY(add_percent(table, (double)tacho_diff_of(row), (double)a->wall_ns));
    TACHO_TRY(has[0] && has[1] && a->wall_ns > 0
                  ? tacho_table_add_real(table, (double)b->wall_ns / (double)a->wall_ns)
                  : tacho_table_add_absent(table));
    TACHO_TRY(add_percent(table, (double)a->wall_ns, (double)diff->total.sides[0].wall_ns));
    return add_percent(table, (double)b->wall_ns, (double)diff->total.sides[1].wall_ns);
}

static tacho_status add_counts(const tacho_diff_row *row, tacho_table *table)
{
    bool has[2] = {row->ops[0] != TACHO_NONE, row->ops[1] != TACHO_NONE};
    const tacho_diff_side *sides = row->sides;
    TACHO_TRY(add_known(table, has[0], sides[0].count));
    TACHO_TRY(add_known(table, has[1], sides[1].count));
    TACHO_TRY(add_known(table, has[0], sides[0].busy_ns));
    TACHO_TRY(add_known(table, has[1], sides[1].busy_ns));
    TACHO_TRY(add_known(table, has[0], sides[0].gap_ns));
    TACHO_TRY(add_known(table, has[1], sides[1].gap_ns));
    TACHO_TRY(add_known(table, has[0] && sides[0].bytes >= 0, sides[0].bytes));
    return add_known(table, has[1] && sides[1].bytes >= 0, sides[1].bytes);
}

static tacho_status add_op(const tacho_diff *diff, const tacho_diff_row *row, tacho_table *table)
{
    size_t side = naming_side(row);
    const tacho_sampled_op *op = &diff->sides[side]->ops[row->ops[side]];
    bool is_one =
        diff->options.by == TACHO_DIFF_BY_INSTANCE; /* operator, with a type and a location */
    tacho_str type = is_one ? text_of(diff, side, op->type) : TACHO_STR("");
    tacho_str location = is_one ? text_of(diff, side, op->location) : TACHO_STR("");
    TACHO_TRY(tacho_diff_add_name(diff, row, table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_diff_kind_word(row->kind))));
    bool has_type = type.len > 0 && !tacho_str_equal(type, text_of(diff, side, op->name));
    TACHO_TRY(has_type ? tacho_table_add_text(table, type) : tacho_table_add_absent(table));
    TACHO_TRY(add_times(diff, row, table));
    TACHO_TRY(add_counts(row, table));
    TACHO_TRY(
        row->verdict != TACHO_VERDICT_NONE
            ? tacho_table_add_text(table, tacho_str_from_cstring(tacho_verdict_word(row->verdict)))
            : tacho_table_add_absent(table));
    if (row->verdict == TACHO_VERDICT_REGRESSION) {
        tacho_table_mark(table, TACHO_MARK_BAD);
    }
    tacho_str layer = layer_of(diff, row);
    TACHO_TRY(layer.len > 0 ? tacho_table_add_text(table, layer) : tacho_table_add_absent(table));
    return location.len > 0 ? tacho_table_add_text(table, location) : tacho_table_add_absent(table);
}

/* Whether the row is shown: within the limit of rows, or a regression. */
static bool is_shown(const tacho_diff *diff, size_t at)
{
    size_t top = diff->options.top;
    return top == 0 || at < top || diff->rows[at].verdict == TACHO_VERDICT_REGRESSION;
}

static tacho_status ops_table(const tacho_diff *diff, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_status status = TACHO_OK;
    size_t more = 0;
    tacho_table_init(&table, "operations",
                     diff->options.by == TACHO_DIFF_BY_LAYER
                         ? "Layers, largest difference first"
                         : "Operators, largest difference first",
                     op_columns, sizeof(op_columns) / sizeof(op_columns[0]));
    table.kept = op_kept;
    for (size_t i = 0; i < diff->row_count && status == TACHO_OK; i++) {
        bool is_one = is_shown(diff, i);
        more += is_one ? 0 : 1;
        status = is_one ? add_op(diff, &diff->rows[i], &table) : TACHO_OK;
    }
    if (more > 0) {
        tacho_note_hint(diff->options.notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more row%s", more, more == 1 ? "" : "s");
    }
    return tacho_table_hand_over(to, status, &table);
}

/* ---- what explains the difference ---------------------------------------------------------- */

static const tacho_column fall_columns[] = {
    TACHO_COLUMN(STEP, "what", TEXT),
    TACHO_COLUMN(DIFFERENCE_NS, "difference", DURATION),
    TACHO_COLUMN(TOTAL_NS, "total", DURATION),
    TACHO_COLUMN(SHARE_PERCENT, "of A", PERCENT),
    TACHO_COLUMN(BAR, "", PICTURE),
};

typedef struct fall {
    const tacho_diff *diff;
    tacho_table *table;
    int64_t now_ns;     /* the total so far */
    int64_t largest_ns; /* difference, for the bars */
} fall;

/* A bar whose length shows the difference relative to the largest. */
static tacho_status add_bar(const fall *self, int64_t difference)
{
    char text[3 * BAR_ROOM + 1];
    int64_t size = difference < 0 ? -difference : difference;
    int count = self->largest_ns > 0
                    ? (int)tacho_whole_i64(16 * (double)size / (double)self->largest_ns + 0.5)
                    : 0;
    size_t len = 0;
    for (int i = 0; i < count && len + 4 < sizeof(text); i++) {
        memcpy(text + len, difference < 0 ? "\xe2\x96\x91" : "\xe2\x96\x88", 3);
        len += 3;
    }
    return tacho_table_add_text(self->table, tacho_str_make(text, len));
}

static tacho_status add_values(fall *self, int64_t difference)
{
    self->now_ns = tacho_cycles_add(self->now_ns, difference);
    TACHO_TRY(tacho_table_add_int(self->table, difference));
    TACHO_TRY(tacho_table_add_int(self->table, self->now_ns));
    TACHO_TRY(
        add_percent(self->table, (double)difference, (double)self->diff->total.sides[0].wall_ns));
    return add_bar(self, difference);
}

static tacho_status add_fall(fall *self, const char *what, int64_t difference)
{
    TACHO_TRY(tacho_table_add_text(self->table, tacho_str_from_cstring(what)));
    return add_values(self, difference);
}

static tacho_status add_end(fall *self, const char *what)
{
    TACHO_TRY(tacho_table_add_text(self->table, tacho_str_from_cstring(what)));
    TACHO_TRY(tacho_table_add_absent(self->table));
    TACHO_TRY(tacho_table_add_int(self->table, self->now_ns));
    TACHO_TRY(tacho_table_add_absent(self->table));
    return tacho_table_add_text(self->table, TACHO_STR(""));
}

static tacho_status add_falls(fall *self)
{
    const tacho_diff *diff = self->diff;
    size_t shown = 0;
    int64_t rest = 0;
    TACHO_TRY(add_end(self, "A"));
    for (; shown < diff->row_count && shown < FALL_ROWS; shown++) {
        const tacho_diff_row *row = &diff->rows[shown];
        if (tacho_diff_of(row) == 0) {
            break;
        }
        TACHO_TRY(add_name(diff, row, true, self->table));
        TACHO_TRY(add_values(self, tacho_diff_of(row)));
    }
    size_t rest_count = 0;
    for (size_t i = shown; i < diff->row_count; i++) {
        rest = tacho_cycles_add(rest, tacho_diff_of(&diff->rows[i]));
        rest_count += tacho_diff_of(&diff->rows[i]) != 0 ? 1 : 0;
    }
    if (rest_count > 0) {
        char text[64];
        snprintf(text, sizeof(text), "(%zu other %s%s)", rest_count,
                 tacho_diff_by_called(diff->options.by), rest_count == 1 ? "" : "s");
        TACHO_TRY(add_fall(self, text, rest));
    }
    TACHO_TRY(add_fall(self, "(idle)", tacho_diff_of(&diff->idle)));
    return add_end(self, "B");
}

static tacho_status fall_table(const tacho_diff *diff, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_table_init(&table, "waterfall", "What explains the difference", fall_columns,
                     sizeof(fall_columns) / sizeof(fall_columns[0]));
    fall self = {.diff = diff, .table = &table, .now_ns = diff->total.sides[0].wall_ns};
    int64_t idle = tacho_diff_of(&diff->idle);
    self.largest_ns = idle < 0 ? -idle : idle;
    if (diff->row_count > 0) {
        int64_t first = tacho_diff_of(&diff->rows[0]);
        self.largest_ns = tacho_most(self.largest_ns, first < 0 ? -first : first);
    }
    return tacho_table_hand_over(to, add_falls(&self), &table);
}

/* ---- the gate ------------------------------------------------------------------------------ */

static const tacho_column gate_columns[] = {
    TACHO_COLUMN(VERDICT, "verdict", TEXT),
    TACHO_COLUMN(REASON, "reason", TEXT),
    TACHO_COLUMN(A_NS, "A", DURATION),
    TACHO_COLUMN(B_NS, "B", DURATION),
    TACHO_COLUMN(DIFFERENCE_NS, "difference", DURATION),
    TACHO_COLUMN(MARGIN_NS, "+/-", DURATION),
    TACHO_COLUMN(CHANGE_PERCENT, "change", PERCENT),
    TACHO_COLUMN(LIMIT_PERCENT, "limit", PERCENT),
    TACHO_COLUMN(LIMIT_NS, "and", DURATION),
};

static tacho_status gate_table(const tacho_diff *diff, const tacho_table_taker *to)
{
    tacho_table table;
    const tacho_diff_row *total = &diff->total;
    tacho_table_init(&table, "gate", "Gate", gate_columns,
                     sizeof(gate_columns) / sizeof(gate_columns[0]));
    tacho_status status =
        tacho_table_add_text(&table, tacho_str_from_cstring(tacho_verdict_word(diff->verdict)));
    if (status == TACHO_OK) {
        tacho_table_mark(&table, diff->verdict == TACHO_VERDICT_PASS         ? TACHO_MARK_GOOD
                                 : diff->verdict == TACHO_VERDICT_REGRESSION ? TACHO_MARK_BAD
                                                                             : TACHO_MARK_WEAK);
    }
    const int64_t times[] = {total->sides[0].wall_ns, total->sides[1].wall_ns,
                             tacho_diff_of(total)};
    status = status == TACHO_OK ? tacho_table_add_text(&table, tacho_str_from_cstring(diff->reason))
                                : status;
    for (size_t i = 0; i < 3 && status == TACHO_OK; i++) {
        status = tacho_table_add_int(&table, times[i]);
    }
    status = status == TACHO_OK ? add_margin(&table, total) : status;
    status = status == TACHO_OK ? add_percent(&table, (double)times[2], (double)times[0]) : status;
    status = status == TACHO_OK ? tacho_table_add_real(&table, 100 * diff->options.gate.relative)
                                : status;
    status =
        status == TACHO_OK ? tacho_table_add_int(&table, diff->options.gate.absolute_ns) : status;
    return tacho_table_hand_over(to, status, &table);
}

/* ---- all tables ---------------------------------------------------------------------------- */

/* Writes only the fit; fails if the sides have no operators in common. */
static tacho_status fit_alone(const tacho_diff *diff, const tacho_table_taker *to)
{
    if (!tacho_diff_has_fit(diff)) {
        return TACHO_OK;
    }
    if (diff->matched_percent <= 0) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "they have no operators in common");
    }
    return tacho_diff_fit_tables(diff, to);
}

static void say_what_matters(const tacho_diff *diff)
{
    const tacho_samples *a = diff->sides[0];
    const tacho_samples *b = diff->sides[1];
    if (a->origin != b->origin) {
        tacho_note(diff->options.notes, "note", "A is %s, B is %s: differences are not a change",
                   tacho_origin_name(a->origin), tacho_origin_name(b->origin));
    }
    if (diff->matched_percent < 50) {
        bool is_hinted = a->origin != b->origin && diff->options.by == TACHO_DIFF_BY_INSTANCE &&
                         !a->options.needs_operators;
        tacho_hint hint = {is_hinted ? TACHO_HINT_BY_OPERATOR : TACHO_HINT_NONE, ""};
        tacho_note_hint(diff->options.notes, hint, "warning",
                        "the sides share operators for only %.0f %% of their time",
                        diff->matched_percent);
    }
    if (tacho_diff_has_other_amounts(diff)) {
        tacho_note(diff->options.notes, "warning",
                   "a sample of A is one of its %s and one of B one of its %s: a file may hold "
                   "several steps that are not marked",
                   tacho_samples_kind_word(a->kind), tacho_samples_kind_word(b->kind));
    }
    for (size_t side = 0; side < 2; side++) {
        if (diff->options.by == TACHO_DIFF_BY_LAYER && !diff->sides[side]->has_layers) {
            tacho_note(diff->options.notes, "note",
                       "side %c: no modules, annotations or named locations: layers are not known",
                       "AB"[side]);
        }
        if (diff->sides[side]->has_left_layers) {
            tacho_note(diff->options.notes, "note",
                       "only side %c knows layers, so operators are compared across layers",
                       "AB"[side]);
        }
        if (diff->sides[side]->aside_count > 0) {
            tacho_note(diff->options.notes, "note",
                       "side %c: %zu sample%s far above the others set aside", "AB"[side],
                       diff -> sides[side] -> aside_count,
                       diff -> sides[side] -> aside_count == 1 ? "" : "s");
        }
        if (diff->sides[side]->empty_count > 0) {
            tacho_note(diff->options.notes, "note",
                       "side %c: %llu sample%s without any operator left out", "AB"[side],
                       (unsigned long long)diff -> sides[side] -> empty_count,
                       diff -> sides[side] -> empty_count == 1 ? "" : "s");
        }
        if (diff->sides[side]->left_out_count > 0) {
            tacho_note(diff->options.notes, "note",
                       "side %c: %llu of the %s left out: warm-up, or the profiler's stop",
                       "AB"[side], (unsigned long long)diff -> sides[side] -> left_out_count,
                       tacho_samples_kind_word(diff->sides[side]->kind));
        }
        if (diff->sides[side]->outside_count > 0) {
            tacho_note(diff->options.notes, "note", "side %c: %llu spans outside any step left out",
                       "AB"[side], (unsigned long long)diff -> sides[side] -> outside_count);
        }
    }
    bool is_single[2] = {tacho_samples_vary(a) && a->whole_count < 2,
                         tacho_samples_vary(b) && b->whole_count < 2};
    if (is_single[0] || is_single[1]) {
        tacho_note(diff->options.notes, "note",
                   "no intervals: side %c has a single sample; name several files, or record "
                   "several inferences",
                   is_single[0] ? 'A' : 'B');
    }
}

tacho_status tacho_diff_tables(const tacho_diff *diff, const tacho_table_taker *to)
{
    if (diff->options.is_fit_only) {
        return fit_alone(diff, to);
    }
    say_what_matters(diff);
    TACHO_TRY(sides_table(diff, to));
    TACHO_TRY(fall_table(diff, to));
    TACHO_TRY(tacho_diff_has_fit(diff) ? tacho_diff_fit_tables(diff, to) : TACHO_OK);
    TACHO_TRY(ops_table(diff, to));
    return diff->options.has_gate ? gate_table(diff, to) : TACHO_OK;
}
