/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scale is the ratio of sums over operators that both sides have: idle time and new or removed
 * operators do not count. A clock is fitted only if A counts cycles: the clock at which these
 * cycles take as long as B.
 */
#include "questions/diff/diff_fit.h"

#include "questions/diff/diff_tables.h"
#include "base/duration.h"
#include "base/grow.h"
#include <tacho/hint.h>
#include "base/strings.h"

#include <math.h>
#include <stdlib.h>

/* Operators of one type. */
typedef struct type_sums {
    uint32_t type; /* string of |types| */
    uint32_t count;
    double a, b;
    double apart; /* the size of the part of B's time that the fit does not explain */
} type_sums;

/* A row that both sides have. */
typedef struct row_error {
    double apart;
    size_t row; /* of the diff */
} row_error;

typedef struct fit {
    const tacho_diff *diff;
    double a, b;     /* sums of operators that both sides have */
    size_t op_count; /* of side A, used to fit the scale */
    double scale;    /* the factor for A to take as long as B */
    double apart;
    double near_10, near_25; /* B's time in operators whose fit is within 10 and 25 % */
    tacho_strings types;
    type_sums *sums; /* by type */
    size_t sum_count, sum_capacity;
    row_error *errors; /* of rows, largest first */
    size_t error_count;
} fit;

bool tacho_diff_has_fit(const tacho_diff *diff)
{
    return diff->sides[0]->origin != diff->sides[1]->origin;
}

static bool is_on_both(const tacho_diff_row *row)
{
    return row->ops[0] != TACHO_NONE && row->ops[1] != TACHO_NONE;
}

static void find_scale(fit *self)
{
    for (size_t i = 0; i < self->diff->row_count; i++) {
        const tacho_diff_row *row = &self->diff->rows[i];
        self->a += is_on_both(row) ? (double)row->sides[0].wall_ns : 0;
        self->b += is_on_both(row) ? (double)row->sides[1].wall_ns : 0;
        self->op_count += is_on_both(row) ? row->op_counts[0] : 0;
    }
    self->scale = self->a > 0 ? self->b / self->a : 0;
}

/* The type of a row: that of its first operator on A or, if that has none, on B. */
static tacho_str type_of(const tacho_diff *diff, const tacho_diff_row *row)
{
    if (diff->options.by != TACHO_DIFF_BY_INSTANCE) {
        return tacho_strings_get(&diff->groups, row->group);
    }
    for (size_t side = 0; side < 2; side++) {
        const tacho_samples *samples = diff->sides[side];
        tacho_str type = tacho_strings_get(&samples->strings, samples->ops[row->ops[side]].type);
        if (type.len > 0) {
            return type;
        }
    }
    return TACHO_STR("");
}

static tacho_status add_row(fit *self, size_t at)
{
    const tacho_diff_row *row = &self->diff->rows[at];
    double a = (double)row->sides[0].wall_ns;
    double b = (double)row->sides[1].wall_ns;
    double apart = fabs(b - self->scale * a);
    uint32_t id = 0;
    TACHO_TRY(tacho_strings_ensure(&self->types, type_of(self->diff, row), &id));
    TACHO_TRY(tacho_grow(&self->sums, &self->sum_capacity, self->types.item_count));
    while (self->sum_count < self->types.item_count) {
        self->sums[self->sum_count] = (type_sums){.type = (uint32_t)self->sum_count};
        self->sum_count++;
    }
    type_sums *sums = &self->sums[id];
    sums->count += self->diff->options.by != TACHO_DIFF_BY_INSTANCE ? row->op_counts[0] : 1;
    sums->a += a;
    sums->b += b;
    sums->apart += apart;
    self->errors[self->error_count++] = (row_error){apart, at};
    self->apart += apart;
    self->near_10 += apart <= 0.10 * b ? b : 0;
    self->near_25 += apart <= 0.25 * b ? b : 0;
    return TACHO_OK;
}

static int compare_sums(const void *left, const void *right)
{
    const type_sums *a = left;
    const type_sums *b = right;
    return a->apart != b->apart ? (a->apart > b->apart ? -1 : 1)
                                : (a->type > b->type) - (a->type < b->type);
}

static int compare_errors(const void *left, const void *right)
{
    const row_error *a = left;
    const row_error *b = right;
    return a->apart != b->apart ? (a->apart > b->apart ? -1 : 1)
                                : (a->row > b->row) - (a->row < b->row);
}

static tacho_status gather(fit *self)
{
    find_scale(self);
    TACHO_TRY(tacho_items_make(&self->errors, self->diff->row_count));
    for (size_t i = 0; i < self->diff->row_count; i++) {
        if (is_on_both(&self->diff->rows[i])) {
            TACHO_TRY(add_row(self, i));
        }
    }
    if (self->error_count > 0) {
        qsort(self->sums, self->sum_count, sizeof(*self->sums), compare_sums);
        qsort(self->errors, self->error_count, sizeof(*self->errors), compare_errors);
    }
    return TACHO_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static const tacho_column fit_columns[] = {
    TACHO_COLUMN(PROPERTY, "fit of A to B", TEXT),
    TACHO_COLUMN(VALUE, "value", TEXT),
};

/* How much samples grow from the first to the last, by a line through them. */
typedef struct drift {
    double percent;
    double margin; /* half of the 95 % confidence interval: chance may look like drift */
} drift;

static drift drift_of(const tacho_samples *samples)
{
    double count = (double)samples->whole_count;
    double mean = 0;
    double products = 0;
    double squares = 0;
    double spread = 0;
    for (size_t i = 0; i < samples->whole_count; i++) {
        mean += (double)samples->wholes[i].wall_ns / count;
    }
    for (size_t i = 0; i < samples->whole_count; i++) {
        double at = (double)i - (count - 1) / 2;
        double off = (double)samples->wholes[i].wall_ns - mean;
        products += at * off;
        squares += at * at;
        spread += off * off;
    }
    if (squares <= 0 || mean <= 0) {
        return (drift){0, 0};
    }
    double rest = fmax(spread - products * products / squares, 0); /* residual of the line */
    double error = sqrt(rest / (count - 2) / squares);
    double whole = 100 * (count - 1) / mean;
    return (drift){whole * products / squares,
                   whole * error * tacho_student_quantile(0.025, count - 2)};
}

static tacho_status add_side(const tacho_diff *diff, size_t side, tacho_table *table)
{
    const tacho_samples *samples = diff->sides[side];
    const char *name = side == 0 ? "A" : "B";
    char time[TACHO_DURATION_TEXT_MAX];
    tacho_duration_format(diff->total.sides[side].wall_ns, time);
    const char *origin = tacho_origin_name(samples->origin);
    if (samples->whole_count == 1) {
        return tacho_table_add_property(table, name, "%s, %s", origin, time);
    }
    return tacho_table_add_property(table, name, "%s, %s: mean of %zu %s", origin, time,
                                    samples->whole_count, tacho_samples_kind_word(samples->kind));
}

static tacho_status add_drift(const tacho_samples *samples, tacho_table *table)
{
    enum { FEWEST = 3 }; /* a line fits any two */
    if (samples->whole_count < FEWEST) {
        return TACHO_OK;
    }
    drift found = drift_of(samples);
    return tacho_table_add_property(table, "drift of B, first to last",
                                    "%+.1f %%, give or take %.1f %%", found.percent, found.margin);
}

static tacho_status add_properties(const fit *self, tacho_table *table)
{
    const tacho_samples *a = self->diff->sides[0];
    double part = self->b > 0 ? 100 / self->b : 0;
    TACHO_TRY(add_side(self->diff, 0, table));
    TACHO_TRY(add_side(self->diff, 1, table));
    TACHO_TRY(tacho_table_add_property(
        table, "fitted from", "%zu operator%s in common, %.1f %% of the time of all",
        self->op_count, self->op_count == 1 ? "" : "s", self->diff->matched_percent));
    if (self->op_count == 0) {
        return tacho_table_add_property(table, "scale", "none: nothing is in common");
    }
    TACHO_TRY(
        tacho_table_add_property(table, "scale", "B takes %.3f times as long as A", self->scale));
    if (a->clock_hz > 0 && self->scale > 0) {
        TACHO_TRY(tacho_table_add_property(
            table, "fitted clock", "%.1f MHz, at which A's cycles take as long as B (A: %.1f MHz)",
            a->clock_hz / self->scale / 1e6, a->clock_hz / 1e6));
    }
    TACHO_TRY(tacho_table_add_property(table, "error per operator", "%.1f %% of B's time",
                                       self->apart * part));
    TACHO_TRY(tacho_table_add_property(table, "operators within 10 %", "%.1f %% of B's time",
                                       self->near_10 * part));
    TACHO_TRY(tacho_table_add_property(table, "operators within 25 %", "%.1f %% of B's time",
                                       self->near_25 * part));
    return add_drift(self->diff->sides[1], table);
}

/* Columns of sums, after the column that names them. */
#define SUM_COLUMNS                                                                                \
    TACHO_COLUMN(COUNT, "operators", INT), TACHO_COLUMN(A_NS, "A", DURATION),                      \
        TACHO_COLUMN(B_NS, "B", DURATION), TACHO_COLUMN(RATIO, "B / A", REAL),                     \
        TACHO_COLUMN(FIT_RATIO, "at that scale", REAL),                                            \
        TACHO_COLUMN(SHARE_PERCENT, "error", PERCENT)

static const tacho_column type_columns[] = {TACHO_COLUMN(TYPE, "type", TEXT), SUM_COLUMNS};
static const tacho_column layer_columns[] = {TACHO_COLUMN(LAYER, "layer", TEXT), SUM_COLUMNS};

static tacho_status add_ratio(tacho_table *table, double above, double below)
{
    return below > 0 ? tacho_table_add_real(table, above / below) : tacho_table_add_absent(table);
}

/* A sum of times; one that does not fit shows as the largest that does. */
static tacho_status add_time(tacho_table *table, double ns)
{
    return tacho_table_add_int(table, ns < 9e18 ? llround(ns) : INT64_MAX);
}

static tacho_status add_type(const fit *self, const type_sums *sums, tacho_table *table)
{
    tacho_str type = tacho_strings_get(&self->types, sums->type);
    TACHO_TRY(type.len > 0 ? tacho_table_add_text(table, type) : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, sums->count));
    TACHO_TRY(add_time(table, sums->a));
    TACHO_TRY(add_time(table, sums->b));
    TACHO_TRY(add_ratio(table, sums->b, sums->a));
    TACHO_TRY(add_ratio(table, sums->b, sums->a * self->scale));
    return self->b > 0 ? tacho_table_add_real(table, 100 * sums->apart / self->b)
                       : tacho_table_add_absent(table);
}

static tacho_status types_table(const fit *self, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_status status = TACHO_OK;
    bool is_layers = self->diff->options.by == TACHO_DIFF_BY_LAYER;
    tacho_table_init(
        &table, is_layers ? "layers" : "types",
        is_layers ? "Layers, worst agreement first" : "Types of operators, worst agreement first",
        is_layers ? layer_columns : type_columns, sizeof(type_columns) / sizeof(type_columns[0]));
    for (size_t i = 0; i < self->sum_count && status == TACHO_OK; i++) {
        status = self->sums[i].count > 0 ? add_type(self, &self->sums[i], &table) : TACHO_OK;
    }
    return tacho_table_hand_over(to, status, &table);
}

static const tacho_column op_columns[] = {
    TACHO_COLUMN(OPERATION, "operation", TEXT),
    TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(A_NS, "A", DURATION),
    TACHO_COLUMN(B_NS, "B", DURATION),
    TACHO_COLUMN(RATIO, "B / A", REAL),
    TACHO_COLUMN(FIT_RATIO, "at that scale", REAL),
    TACHO_COLUMN(SHARE_PERCENT, "error", PERCENT),
};

static tacho_status add_op(const fit *self, const row_error *error, tacho_table *table)
{
    const tacho_diff_row *row = &self->diff->rows[error->row];
    double a = (double)row->sides[0].wall_ns;
    double b = (double)row->sides[1].wall_ns;
    tacho_str type = type_of(self->diff, row);
    TACHO_TRY(tacho_diff_add_name(self->diff, row, table));
    TACHO_TRY(type.len > 0 ? tacho_table_add_text(table, type) : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, row->sides[0].wall_ns));
    TACHO_TRY(tacho_table_add_int(table, row->sides[1].wall_ns));
    TACHO_TRY(add_ratio(table, b, a));
    TACHO_TRY(add_ratio(table, b, a * self->scale));
    return self->b > 0 ? tacho_table_add_real(table, 100 * error->apart / self->b)
                       : tacho_table_add_absent(table);
}

static tacho_status ops_table(const fit *self, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_status status = TACHO_OK;
    size_t top = self->diff->options.top;
    size_t shown = top == 0 || top > self->error_count ? self->error_count : top;
    tacho_table_init(&table, "agreement", "Operators, worst agreement first", op_columns,
                     sizeof(op_columns) / sizeof(op_columns[0]));
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_op(self, &self->errors[i], &table);
    }
    if (shown < self->error_count && self->diff->options.is_fit_only) {
        size_t more = self->error_count - shown;
        tacho_note_hint(self->diff->options.notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more operator%s that agree%s better", more, more == 1 ? "" : "s",
                        more == 1 ? "s" : "");
    }
    return tacho_table_hand_over(to, status, &table);
}

/* Rows of a diff by type or layer need no further grouping. */
static tacho_status write_tables(const fit *self, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_table_init(&table, "fit", "How A agrees with B", fit_columns,
                     sizeof(fit_columns) / sizeof(fit_columns[0]));
    TACHO_TRY(tacho_table_hand_over(to, add_properties(self, &table), &table));
    TACHO_TRY(types_table(self, to));
    return self->diff->options.by != TACHO_DIFF_BY_INSTANCE ? TACHO_OK : ops_table(self, to);
}

tacho_status tacho_diff_fit_tables(const tacho_diff *diff, const tacho_table_taker *to)
{
    fit self = {.diff = diff};
    tacho_status status = tacho_strings_init(&self.types);
    status = status == TACHO_OK ? gather(&self) : status;
    status = status == TACHO_OK ? write_tables(&self, to) : status;
    tacho_strings_deinit(&self.types);
    free(self.sums);
    free(self.errors);
    return status;
}
