/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Percentiles are found by partitioning, not by sorting: in linear time, and in that of a sort for
 * the rare input on which that does not work out.
 */
#include "sql/functions.h"

#include "base/whole.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- percentile ------------------------------------------------------------------------------ */

typedef union number {
    int64_t integer;
    double real;
} number;

typedef struct numbers {
    number *items;
    size_t item_count, item_capacity;
    bool is_real; /* all are, because one is */
    bool has_percent;
    double percent;
    bool has_failed;
} numbers;

static bool is_less(const numbers *self, number a, number b)
{
    return self->is_real ? a.real < b.real : a.integer < b.integer;
}

static void make_real(numbers *self)
{
    for (size_t i = 0; i < self->item_count; i++) {
        self->items[i].real = (double)self->items[i].integer;
    }
    self->is_real = true;
}

static bool grow(numbers *self)
{
    size_t capacity = self->item_capacity == 0 ? 16 : 2 * self->item_capacity;
    number *items = sqlite3_realloc64(self->items, (sqlite3_uint64)capacity * sizeof(*self->items));
    if (items == NULL) {
        return false;
    }
    self->items = items;
    self->item_capacity = capacity;
    return true;
}

static void percentile_step(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    numbers *self = sqlite3_aggregate_context(context, sizeof(*self));
    int type = sqlite3_value_numeric_type(values[0]);
    (void)value_count;
    if (self == NULL || self->has_failed || type == SQLITE_NULL) {
        return;
    }
    double percent = sqlite3_value_double(values[1]);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    if (!is_number || !(percent >= 0 && percent <= 100) ||
        (self->has_percent && percent != self->percent)) {
        sqlite3_result_error(context, "percentile(x, p): x is a number, p one from 0 to 100", -1);
        self->has_failed = true;
        return;
    }
    if (self->item_count == self->item_capacity && !grow(self)) {
        sqlite3_result_error_nomem(context);
        self->has_failed = true;
        return;
    }
    self->has_percent = true;
    self->percent = percent;
    if (type == SQLITE_FLOAT && !self->is_real) {
        make_real(self);
    }
    number *item = &self->items[self->item_count++];
    if (self->is_real) {
        item->real = sqlite3_value_double(values[0]);
    } else {
        item->integer = sqlite3_value_int64(values[0]);
    }
}

static int compare_integers(const void *left, const void *right)
{
    int64_t a = ((const number *)left)->integer, b = ((const number *)right)->integer;
    return (a > b) - (a < b);
}

static int compare_reals(const void *left, const void *right)
{
    double a = ((const number *)left)->real, b = ((const number *)right)->real;
    return (a > b) - (a < b);
}

/* Parts items [low, high] by the middle one; those up to *out_left are at most it. */
static void part(numbers *self, ptrdiff_t low, ptrdiff_t high, ptrdiff_t bounds[2])
{
    number *items = self->items;
    number pivot = items[low + (high - low) / 2];
    ptrdiff_t i = low, j = high;
    while (i <= j) {
        while (is_less(self, items[i], pivot)) {
            i++;
        }
        while (is_less(self, pivot, items[j])) {
            j--;
        }
        if (i <= j) {
            number swap = items[i];
            items[i++] = items[j];
            items[j--] = swap;
        }
    }
    bounds[0] = j;
    bounds[1] = i;
}

/* The item of that rank, from 0. */
static number select_rank(numbers *self, size_t rank)
{
    enum { ROUNDS_MAX = 96 };
    ptrdiff_t low = 0, high = (ptrdiff_t)self->item_count - 1, wanted = (ptrdiff_t)rank;
    for (int round = 0; low < high; round++) {
        ptrdiff_t bounds[2];
        if (round == ROUNDS_MAX) {
            qsort(self->items + low, (size_t)(high - low + 1), sizeof(*self->items),
                  self->is_real ? compare_reals : compare_integers);
            break;
        }
        part(self, low, high, bounds);
        if (wanted <= bounds[0]) {
            high = bounds[0];
        } else if (wanted >= bounds[1]) {
            low = bounds[1];
        } else {
            break;
        }
    }
    return self->items[rank];
}

/* Ranks of whole percents are exact. */
static size_t rank_of(const numbers *self)
{
    size_t count = self->item_count;
    double whole = floor(self->percent);
    size_t rank = self->percent == whole
                      ? (size_t)(((uint64_t)count * tacho_whole_u64(whole) + 99) / 100)
                      : (size_t)tacho_whole_u64(ceil((double)count * self->percent / 100));
    rank = rank < 1 ? 1 : rank;
    return (rank > count ? count : rank) - 1;
}

int64_t tacho_sql_percentile(int64_t *items, size_t item_count, int percent)
{
    numbers self = {.items = (number *)(void *)items,
                    .item_count = item_count,
                    .item_capacity = item_count,
                    .percent = percent};
    return select_rank(&self, rank_of(&self)).integer;
}

static void percentile_final(sqlite3_context *context)
{
    numbers *self = sqlite3_aggregate_context(context, 0);
    if (self == NULL) {
        return;
    }
    if (self->item_count > 0 && !self->has_failed) {
        number found = select_rank(self, rank_of(self));
        if (self->is_real) {
            sqlite3_result_double(context, found.real);
        } else {
            sqlite3_result_int64(context, found.integer);
        }
    }
    sqlite3_free(self->items);
    self->items = NULL;
}

/* ---- only_value ------------------------------------------------------------------------------ */

typedef struct only {
    sqlite3_value *value; /* NULL: no row yet */
    bool differs;
} only;

static bool is_same(sqlite3_value *a, sqlite3_value *b)
{
    int type = sqlite3_value_type(a);
    if (type != sqlite3_value_type(b)) {
        return false;
    }
    if (type == SQLITE_INTEGER) {
        return sqlite3_value_int64(a) == sqlite3_value_int64(b);
    }
    if (type == SQLITE_FLOAT) {
        return !(sqlite3_value_double(a) < sqlite3_value_double(b)) &&
               !(sqlite3_value_double(a) > sqlite3_value_double(b));
    }
    int len = sqlite3_value_bytes(a);
    return type == SQLITE_NULL ||
           (len == sqlite3_value_bytes(b) &&
            (len == 0 || memcmp(sqlite3_value_blob(a), sqlite3_value_blob(b), (size_t)len) == 0));
}

static void only_step(sqlite3_context *context, int value_count, sqlite3_value **values)
{
    only *self = sqlite3_aggregate_context(context, sizeof(*self));
    (void)value_count;
    if (self == NULL || self->differs) {
        return;
    }
    if (self->value == NULL) {
        self->value = sqlite3_value_dup(values[0]);
        if (self->value == NULL) {
            sqlite3_result_error_nomem(context);
        }
        return;
    }
    self->differs = !is_same(self->value, values[0]);
}

static void only_final(sqlite3_context *context)
{
    only *self = sqlite3_aggregate_context(context, 0);
    if (self != NULL && self->value != NULL) {
        if (!self->differs) {
            sqlite3_result_value(context, self->value);
        }
        sqlite3_value_free(self->value);
        self->value = NULL;
    }
}

/* ---- all of them ----------------------------------------------------------------------------- */

int tacho_sql_functions_add(sqlite3 *db)
{
    static const struct {
        const char *name;
        int value_count;
        void (*step)(sqlite3_context *context, int value_count, sqlite3_value **values);
        void (*finish)(sqlite3_context *context);
    } functions[] = {
        {"percentile", 2, percentile_step, percentile_final},
        {"only_value", 1, only_step, only_final},
    };
    int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < sizeof(functions) / sizeof(functions[0]); i++) {
        code = sqlite3_create_function_v2(db, functions[i].name, functions[i].value_count, flags,
                                          NULL, NULL, functions[i].step, functions[i].finish, NULL);
    }
    return code;
}
