/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of a diff. Sums over samples are exact; means are rounded down, and the nanoseconds then
 * missing from the total go to the rows that lost most by rounding.
 */
#include "questions/diff/diff.h"

#include "questions/diff/diff_types.h"
#include "questions/groups/groups.h"
#include "base/grow.h"
#include "base/maths.h"

#include <stdlib.h>

/* A row under construction: sums over the samples of each side. */
typedef struct row_sums {
    int64_t wall[2], busy[2], gap[2], count[2], bytes[2];
    bool has_bytes[2];
} row_sums;

typedef struct making {
    tacho_diff *diff;
    tacho_diff_match match;
    row_sums *sums;       /* by row, followed by the sums of idle time */
    uint32_t *members[2]; /* operators by row, one after the other */
    size_t *firsts[2];    /* of each row in members */
    int64_t *values;      /* wall times of one row, by sample; 0 between rows */
    bool *has_run;        /* whether the row ran, by sample; false between rows */
    uint32_t *ran;        /* samples in which it ran */
    size_t ran_count;
} making;

tacho_status tacho_diff_by_parse(tacho_str text, tacho_diff_by *out_by, unsigned *out_depth)
{
    static const tacho_str words[] = {
#define TACHO_DIFF_BY_WORD(id, word, called) TACHO_STR_INIT(word),
        TACHO_DIFF_BYS(TACHO_DIFF_BY_WORD)
#undef TACHO_DIFF_BY_WORD
    };
    tacho_group_key key = TACHO_GROUP_BY_OP;
    *out_depth = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (tacho_str_equal(text, words[i])) {
            *out_by = (tacho_diff_by)i;
            return TACHO_OK;
        }
    }
    *out_by = TACHO_DIFF_BY_LAYER;
    return tacho_group_key_parse(text, &key, out_depth) && key == TACHO_GROUP_BY_LAYER
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE,
                            "expected instance, type, op, layer or layer:N (N from 1 to %d), not "
                            "'%.*s'",
                            TACHO_GROUP_DEPTH_MAX, TACHO_STR_ARG(text));
}

const char *tacho_diff_by_called(tacho_diff_by by)
{
    static const char *const words[] = {
#define TACHO_DIFF_BY_CALLED(id, word, called) called,
        TACHO_DIFF_BYS(TACHO_DIFF_BY_CALLED)
#undef TACHO_DIFF_BY_CALLED
    };
    return words[by];
}

tacho_str tacho_diff_group_of(const tacho_diff *diff, size_t side, uint32_t op)
{
    const tacho_samples *samples = diff->sides[side];
    return diff->options.by == TACHO_DIFF_BY_LAYER ? tacho_diff_layer_of(samples, &samples->ops[op])
                                                   : tacho_diff_type_of(samples, &samples->ops[op]);
}

static size_t sample_count(const tacho_samples *samples)
{
    return samples->whole_count;
}

/* ---- members ------------------------------------------------------------------------------- */

/* Sorts the operators of a side by row, in the order in which they ran. */
static tacho_status list_members(making *self, size_t side)
{
    const tacho_samples *samples = self->diff->sides[side];
    size_t row_count = self->match.kind_count;
    const uint32_t *groups = self->match.groups[side];
    size_t *next = NULL;
    uint32_t *by_order = NULL;
    TACHO_TRY(tacho_items_make(&self->members[side], samples->op_count));
    TACHO_TRY(tacho_items_make(&self->firsts[side], row_count + 1));
    for (size_t i = 0; i < samples->op_count; i++) {
        self->firsts[side][groups[i] + 1]++;
    }
    for (size_t i = 0; i < row_count; i++) {
        self->firsts[side][i + 1] += self->firsts[side][i];
    }
    tacho_status status = tacho_items_make(&next, row_count + 1);
    status = status == TACHO_OK ? tacho_items_make(&by_order, samples->op_count) : status;
    if (status == TACHO_OK) {
        memcpy(next, self->firsts[side], row_count * sizeof(*next));
        for (uint32_t i = 0; i < samples->op_count; i++) {
            by_order[samples->ops[i].order] = i;
        }
        for (size_t i = 0; i < samples->op_count; i++) {
            self->members[side][next[groups[by_order[i]]]++] = by_order[i];
        }
    }
    free(next);
    free(by_order);
    return status;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void add_op(making *self, size_t side, const tacho_sampled_op *op, row_sums *sums)
{
    for (size_t i = 0; i < op->cell_count; i++) {
        const tacho_sample_cell *cell = &op->cells[i];
        if (!self->has_run[cell->sample]) {
            self->has_run[cell->sample] = true;
            self->ran[self->ran_count++] = cell->sample;
        }
        self->values[cell->sample] = tacho_cycles_add(self->values[cell->sample], cell->wall_ns);
        sums->wall[side] = tacho_cycles_add(sums->wall[side], cell->wall_ns);
        sums->busy[side] = tacho_cycles_add(sums->busy[side], cell->busy_ns);
        sums->gap[side] = tacho_cycles_add(sums->gap[side], cell->gap_ns);
        sums->count[side] += cell->count;
        if (cell->bytes >= 0) {
            sums->has_bytes[side] = true;
            sums->bytes[side] = tacho_cycles_add(sums->bytes[side], cell->bytes);
        }
    }
}

static int compare_samples(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Adds up the operators of |row| on one side; visits only samples in which one of them ran. */
static void fill_side(making *self, size_t row, size_t side)
{
    const tacho_samples *samples = self->diff->sides[side];
    tacho_diff_row *made = &self->diff->rows[row];
    size_t first = self->firsts[side][row];
    size_t end = self->firsts[side][row + 1];
    self->ran_count = 0;
    for (size_t i = first; i < end; i++) {
        add_op(self, side, &samples->ops[self->members[side][i]], &self->sums[row]);
    }
    made->ops[side] = end > first ? self->members[side][first] : TACHO_NONE;
    made->op_counts[side] = (uint32_t)(end - first);
    if (end - first > 1 && self->ran_count > 0) { /* the cells of one operator are in order */
        qsort(self->ran, self->ran_count, sizeof(*self->ran), compare_samples);
    }
    const tacho_measurements all = {self->values, sample_count(samples), self->ran,
                                    self->ran_count};
    made->sides[side].moments = tacho_moments_of_some(&all);
    for (size_t i = 0; i < self->ran_count; i++) {
        self->values[self->ran[i]] = 0;
        self->has_run[self->ran[i]] = false;
    }
}

/* Sums over whole samples: all of their time, or only their idle time. */
static void fill_wholes(making *self, tacho_diff_row *row, bool is_idle, row_sums *sums)
{
    for (size_t side = 0; side < 2; side++) {
        const tacho_samples *samples = self->diff->sides[side];
        for (size_t i = 0; i < samples->whole_count; i++) {
            const tacho_sample_whole *whole = &samples->wholes[i];
            self->values[i] = is_idle ? whole->idle_ns : whole->wall_ns;
            sums->wall[side] = tacho_cycles_add(sums->wall[side], self->values[i]);
        }
        row->sides[side].moments = tacho_moments_of(self->values, samples->whole_count);
        row->sides[side].bytes = -1;
        row->ops[side] = TACHO_NONE;
    }
    row->shift = tacho_shift_of(&row->sides[0].moments, &row->sides[1].moments);
}

/* ---- means --------------------------------------------------------------------------------- */

/* What a row lost by rounding its mean down, in parts of a nanosecond. */
typedef struct remainder_of {
    int64_t rest;
    size_t row;
} remainder_of;

static int compare_remainders(const void *left, const void *right)
{
    const remainder_of *a = left;
    const remainder_of *b = right;
    if (a->rest != b->rest) {
        return a->rest > b->rest ? -1 : 1;
    }
    return (a->row > b->row) - (a->row < b->row);
}

static int64_t mean_of(int64_t sum, size_t count)
{
    return count > 0 ? sum / (int64_t)count : 0;
}

/* Rounds the means of a side so that rows and idle time make the total. */
static tacho_status round_means(making *self, size_t side, const row_sums *total)
{
    tacho_diff *diff = self->diff;
    size_t count = sample_count(diff->sides[side]);
    remainder_of *rests = NULL;
    diff->total.sides[side].wall_ns = mean_of(total->wall[side], count);
    tacho_i128 missing = diff->total.sides[side].wall_ns; /* sums that saturate may exceed it */
    TACHO_TRY(tacho_items_make(&rests, diff->row_count + 1));
    for (size_t i = 0; i <= diff->row_count; i++) {
        tacho_diff_row *row = i < diff->row_count ? &diff->rows[i] : &diff->idle;
        row->sides[side].wall_ns = mean_of(self->sums[i].wall[side], count);
        rests[i] =
            (remainder_of){self->sums[i].wall[side] - row->sides[side].wall_ns * (int64_t)count, i};
        missing -= row->sides[side].wall_ns;
    }
    qsort(rests, diff->row_count + 1, sizeof(*rests), compare_remainders);
    for (size_t i = 0; i <= diff->row_count && (tacho_i128)i < missing; i++) {
        size_t row = rests[i].row;
        (row < diff->row_count ? &diff->rows[row] : &diff->idle)->sides[side].wall_ns++;
    }
    free(rests);
    return TACHO_OK;
}

static void fill_means(making *self)
{
    tacho_diff *diff = self->diff;
    for (size_t i = 0; i < diff->row_count; i++) {
        const row_sums *sums = &self->sums[i];
        for (size_t side = 0; side < 2; side++) {
            size_t count = sample_count(diff->sides[side]);
            tacho_diff_side *made = &diff->rows[i].sides[side];
            made->busy_ns = mean_of(sums->busy[side], count);
            made->gap_ns = mean_of(sums->gap[side], count);
            made->count = mean_of(sums->count[side] + (int64_t)count / 2, count);
            made->bytes = sums->has_bytes[side] ? mean_of(sums->bytes[side], count) : -1;
        }
    }
}

/* ---- the whole diff
 * ----------------------------------------------------------------------------- */

/* The kind of a type or layer: its operators on side B may all belong to another one. */
static tacho_diff_kind kind_of_group(const making *self, size_t at)
{
    const tacho_diff *diff = self->diff;
    const tacho_diff_row *row = &diff->rows[at];
    if (row->ops[0] == TACHO_NONE || row->ops[1] == TACHO_NONE) {
        return row->ops[0] == TACHO_NONE ? TACHO_DIFF_NEW : TACHO_DIFF_REMOVED;
    }
    const tacho_samples *b = diff->sides[1];
    tacho_str name = tacho_strings_get(&diff->groups, row->group);
    size_t end =
        diff->options.by == TACHO_DIFF_BY_LAYER ? self->firsts[1][at + 1] : self->firsts[1][at] + 1;
    for (size_t i = self->firsts[1][at]; i < end; i++) {
        if (tacho_str_equal(tacho_diff_group_of(diff, 1, self->members[1][i]), name)) {
            return TACHO_DIFF_SAME;
        }
    }
    return b->has_layers || diff->options.by == TACHO_DIFF_BY_TYPE ? TACHO_DIFF_RENAMED
                                                                   : TACHO_DIFF_SAME;
}

static tacho_status fill_rows(making *self)
{
    tacho_diff *diff = self->diff;
    row_sums total = {.wall = {0, 0}};
    for (size_t i = 0; i < diff->row_count; i++) {
        tacho_diff_row *row = &diff->rows[i];
        row->kind = self->match.kinds[i];
        fill_side(self, i, 0);
        fill_side(self, i, 1);
        if (diff->options.by != TACHO_DIFF_BY_INSTANCE) {
            row->group = (uint32_t)i + 1;
            row->kind = kind_of_group(self, i);
        }
        row->shift = tacho_shift_of(&row->sides[0].moments, &row->sides[1].moments);
    }
    fill_wholes(self, &diff->idle, true, &self->sums[diff->row_count]);
    fill_wholes(self, &diff->total, false, &total);
    TACHO_TRY(round_means(self, 0, &total));
    TACHO_TRY(round_means(self, 1, &total));
    fill_means(self);
    return TACHO_OK;
}

static int64_t magnitude(const tacho_diff_row *row)
{
    int64_t difference = tacho_diff_of(row);
    return difference < 0 ? -difference : difference;
}

/* Largest first; then in the order in which they ran. */
static int compare_rows(const void *left, const void *right)
{
    const tacho_diff_row *a = left;
    const tacho_diff_row *b = right;
    const int64_t pairs[][2] = {{magnitude(b), magnitude(a)},
                                {b->sides[1].wall_ns, a->sides[1].wall_ns},
                                {a->ops[1], b->ops[1]},
                                {a->ops[0], b->ops[0]}};
    int order = 0;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && order == 0; i++) {
        order = (pairs[i][0] > pairs[i][1]) - (pairs[i][0] < pairs[i][1]);
    }
    return order;
}

static double matched_percent(const tacho_diff *diff)
{
    double all = 0;
    double matched = 0;
    for (size_t i = 0; i < diff->row_count; i++) {
        const tacho_diff_row *row = &diff->rows[i];
        double time = (double)row->sides[0].wall_ns + (double)row->sides[1].wall_ns;
        all += time;
        matched += row->ops[0] != TACHO_NONE && row->ops[1] != TACHO_NONE ? time : 0;
    }
    return all > 0 ? 100 * matched / all : 0;
}

/* The shapes of a row that is one operator on each side. */
typedef struct row_shapes {
    uint32_t shapes[2], op_counts[2];
} row_shapes;

/* Compares operators one by one, even if rows are types or layers. */
static tacho_status compare_shapes(making *self)
{
    row_shapes *rows = NULL;
    TACHO_TRY(tacho_items_make(&rows, self->match.kind_count));
    for (size_t side = 0; side < 2; side++) {
        const tacho_samples *samples = self->diff->sides[side];
        for (size_t i = 0; i < samples->op_count; i++) {
            row_shapes *row = &rows[self->match.groups[side][i]];
            row->shapes[side] = samples->ops[i].shape;
            row->op_counts[side]++;
        }
    }
    for (size_t i = 0; i < self->match.kind_count && !self->diff->has_other_shapes; i++) {
        const row_shapes *row = &rows[i];
        self->diff->has_other_shapes =
            row->op_counts[0] == 1 && row->op_counts[1] == 1 && row->shapes[0] != row->shapes[1];
    }
    free(rows);
    return TACHO_OK;
}

static tacho_status match_rows(making *self)
{
    tacho_diff *diff = self->diff;
    TACHO_TRY(tacho_diff_match_init(&self->match, diff->sides[0], diff->sides[1]));
    TACHO_TRY(compare_shapes(self));
    if (diff->options.by != TACHO_DIFF_BY_INSTANCE) {
        TACHO_TRY(tacho_strings_init(&diff->groups));
        TACHO_TRY(diff->options.by == TACHO_DIFF_BY_TYPE
                      ? tacho_diff_match_types(&self->match, &diff->groups)
                      : tacho_diff_match_layers(&self->match, &diff->groups));
    }
    diff->row_count = self->match.kind_count;
    return TACHO_OK;
}

static tacho_status make(making *self)
{
    tacho_diff *diff = self->diff;
    size_t values = sample_count(diff->sides[0]) > sample_count(diff->sides[1])
                        ? sample_count(diff->sides[0])
                        : sample_count(diff->sides[1]);
    TACHO_TRY(match_rows(self));
    TACHO_TRY(tacho_items_make(&diff->rows, diff->row_count));
    TACHO_TRY(tacho_items_make(&self->sums, diff->row_count + 1));
    TACHO_TRY(tacho_items_make(&self->values, values));
    TACHO_TRY(tacho_items_make(&self->has_run, values));
    TACHO_TRY(tacho_items_make(&self->ran, values));
    TACHO_TRY(list_members(self, 0));
    TACHO_TRY(list_members(self, 1));
    TACHO_TRY(fill_rows(self));
    if (diff->row_count > 0) {
        qsort(diff->rows, diff->row_count, sizeof(*diff->rows), compare_rows);
    }
    diff->matched_percent = matched_percent(diff);
    return diff->options.has_gate ? tacho_diff_judge(diff) : TACHO_OK;
}

static tacho_status check_sides(const tacho_samples *const sides[2])
{
    for (size_t i = 0; i < 2; i++) {
        if (sides[i]->span_count == 0) {
            return tacho_fail(TACHO_CODE_BAD_DATA, "no operators to compare on side %c", "AB"[i]);
        }
        if (sides[i]->has_mixed_domains) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "side %c mixes profiles with device work and profiles without; "
                              "compare them separately",
                              "AB"[i]);
        }
        if (sides[i]->is_mixed) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "side %c mixes estimated, simulated and measured times; name "
                              "profiles of one origin",
                              "AB"[i]);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_diff_init(tacho_diff *diff, const tacho_samples *a, const tacho_samples *b,
                             const tacho_diff_options *options)
{
    *diff = (tacho_diff){.sides = {a, b}, .options = *options};
    TACHO_TRY(check_sides(diff->sides));
    making self = {.diff = diff};
    tacho_status status = make(&self);
    tacho_diff_match_deinit(&self.match);
    for (size_t side = 0; side < 2; side++) {
        free(self.members[side]);
        free(self.firsts[side]);
    }
    free(self.sums);
    free(self.values);
    free(self.has_run);
    free(self.ran);
    return status;
}

void tacho_diff_deinit(tacho_diff *diff)
{
    free(diff->rows);
    tacho_strings_deinit(&diff->groups);
    *diff = (tacho_diff){.rows = NULL};
}
