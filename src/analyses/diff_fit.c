/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scale comes from operators that both sides have, by their sums: what is idle, new or gone
 * does not count. A clock is fitted only where A counts cycles; it is the one at which those cycles
 * take as long as B.
 */
#include "analyses/diff_fit.h"

#include "base/grow.h"
#include "base/strings.h"

#include <math.h>
#include <stdlib.h>

/* Operators of one type. */
typedef struct type_sums {
    uint32_t type; /* string of |types| */
    uint32_t count;
    double a, b;
    double apart; /* of B's time, what the fit does not explain: its size */
} type_sums;

typedef struct fit {
    const tacho_diff *diff;
    double a, b;  /* sums of operators that both sides have */
    double scale; /* what A is multiplied by to take as long as B */
    double apart;
    double near_10, near_25; /* of B's time, in operators that the fit is within 10 and 25 % of */
    tacho_strings types;
    type_sums *sums; /* by type */
    size_t sum_count, sum_capacity;
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
    }
    self->scale = self->a > 0 ? self->b / self->a : 0;
}

/* The type of a row: that of the first operator of a side that says one. */
static tacho_str type_of(const tacho_diff *diff, const tacho_diff_row *row)
{
    if (diff->options.by_type) {
        return tacho_strings_get(&diff->types, row->type);
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

static tacho_status add_row(fit *self, const tacho_diff_row *row)
{
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
    sums->count += self->diff->options.by_type ? row->op_counts[0] : 1;
    sums->a += a;
    sums->b += b;
    sums->apart += apart;
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

static tacho_status gather(fit *self)
{
    find_scale(self);
    for (size_t i = 0; i < self->diff->row_count; i++) {
        if (is_on_both(&self->diff->rows[i])) {
            TACHO_TRY(add_row(self, &self->diff->rows[i]));
        }
    }
    if (self->sum_count > 0) {
        qsort(self->sums, self->sum_count, sizeof(*self->sums), compare_sums);
    }
    return TACHO_OK;
}

/* ---- tables --------------------------------------------------------------------------------- */

static const tacho_column fit_columns[] = {
    TACHO_COLUMN(PROPERTY, "fit of A to B", TEXT),
    TACHO_COLUMN(VALUE, "value", TEXT),
};

/* By how much B's samples grow from the first to the last, in percent: a line through them. */
static double drift_of(const tacho_samples *samples)
{
    double count = (double)samples->whole_count;
    double mean = 0;
    double products = 0;
    double squares = 0;
    for (size_t i = 0; i < samples->whole_count; i++) {
        mean += (double)samples->wholes[i].wall_ns / count;
    }
    for (size_t i = 0; i < samples->whole_count; i++) {
        double at = (double)i - (count - 1) / 2;
        products += at * ((double)samples->wholes[i].wall_ns - mean);
        squares += at * at;
    }
    return squares > 0 && mean > 0 ? 100 * products / squares * (count - 1) / mean : 0;
}

static tacho_status add_properties(const fit *self, tacho_table *table)
{
    const tacho_samples *a = self->diff->sides[0];
    const tacho_samples *b = self->diff->sides[1];
    double part = self->b > 0 ? 100 / self->b : 0;
    TACHO_TRY(tacho_table_add_property(table, "operators in common", "%.1f %% of the time",
                                       self->diff->matched_percent));
    TACHO_TRY(tacho_table_add_property(table, "B takes", "%.3f times as long as A", self->scale));
    if (a->clock_hz > 0 && self->scale > 0) {
        TACHO_TRY(tacho_table_add_property(table, "A takes as long as B at",
                                           "%.1f MHz (A counts cycles of %.1f MHz)",
                                           a->clock_hz / self->scale / 1e6, a->clock_hz / 1e6));
    }
    TACHO_TRY(tacho_table_add_property(table, "error per operator at that scale",
                                       "%.1f %% of B's time", self->apart * part));
    TACHO_TRY(tacho_table_add_property(table, "operators within 10 %", "%.1f %% of B's time",
                                       self->near_10 * part));
    TACHO_TRY(tacho_table_add_property(table, "operators within 25 %", "%.1f %% of B's time",
                                       self->near_25 * part));
    return b->whole_count > 2 ? tacho_table_add_property(table, "drift of B, first to last sample",
                                                         "%+.1f %%", drift_of(b))
                              : TACHO_OK;
}

static const tacho_column type_columns[] = {
    TACHO_COLUMN(TYPE, "type", TEXT),
    TACHO_COLUMN(COUNT, "operators", INT),
    TACHO_COLUMN(A_NS, "A", DURATION),
    TACHO_COLUMN(B_NS, "B", DURATION),
    TACHO_COLUMN(RATIO, "B / A", REAL),
    TACHO_COLUMN(FIT_RATIO, "at that scale", REAL),
    TACHO_COLUMN(SHARE_PERCENT, "error", PERCENT),
};

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

static tacho_status write_tables(const fit *self, const tacho_table_taker *to)
{
    tacho_table table;
    tacho_table_init(&table, "fit", "How A agrees with B", fit_columns,
                     sizeof(fit_columns) / sizeof(fit_columns[0]));
    TACHO_TRY(tacho_table_hand_over(to, add_properties(self, &table), &table));
    tacho_status status = TACHO_OK;
    tacho_table_init(&table, "types", "Types of operators, worst agreement first", type_columns,
                     sizeof(type_columns) / sizeof(type_columns[0]));
    for (size_t i = 0; i < self->sum_count && status == TACHO_OK; i++) {
        status = self->sums[i].count > 0 ? add_type(self, &self->sums[i], &table) : TACHO_OK;
    }
    return tacho_table_hand_over(to, status, &table);
}

tacho_status tacho_diff_fit_tables(const tacho_diff *diff, const tacho_table_taker *to)
{
    fit self = {.diff = diff};
    tacho_status status = tacho_strings_init(&self.types);
    status = status == TACHO_OK ? gather(&self) : status;
    status = status == TACHO_OK ? write_tables(&self, to) : status;
    tacho_strings_deinit(&self.types);
    free(self.sums);
    return status;
}
