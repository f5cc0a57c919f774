/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate. A row is a regression if the difference exceeds the limit and is unlikely to be chance:
 * the test finds a difference in three of 10,000 comparisons of equal totals, and as rarely in any
 * operator, whose errors are judged together. Simulated and estimated times do not vary, so one
 * sample is enough.
 */
#include "questions/diff/diff.h"

#include "base/duration.h"
#include "base/grow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *tacho_verdict_word(tacho_verdict verdict)
{
    static const char *const words[] = {
#define TACHO_VERDICT_WORD(id, word) word,
        TACHO_VERDICTS(TACHO_VERDICT_WORD)
#undef TACHO_VERDICT_WORD
    };
    return words[verdict];
}

/* ---- limits -------------------------------------------------------------------------------- */

/* "3%", "0.5%". */
static bool parse_percent(tacho_str text, double *out_part)
{
    uint64_t whole = 0;
    uint64_t decimals = 0;
    if (text.len == 0 || text.data[text.len - 1] != '%') {
        return false;
    }
    text.len--;
    size_t point = tacho_str_find_byte(text, '.');
    tacho_str behind = point < text.len ? tacho_str_from(text, point + 1) : TACHO_STR("0");
    if (!tacho_str_parse_u64(tacho_str_make(text.data, point), &whole) || whole > 100000 ||
        behind.len > 9 || !tacho_str_parse_u64(behind, &decimals)) {
        return false;
    }
    *out_part = ((double)whole + (double)decimals / pow(10, (double)behind.len)) / 100;
    return true;
}

/* A limit to parse. */
typedef struct limit_of_text {
    const char *key;      /* with "=" */
    const char *expected; /* the valid values, for messages */
    bool is_given;
} limit_of_text;

enum { REL, ABS, LIMIT_COUNT };

/* "20us"; a number alone could be anything, so only 0 needs no unit. */
static bool parse_time(tacho_str text, int64_t *out_ns)
{
    bool has_unit = text.len > 0 && text.data[text.len - 1] == 's';
    return tacho_duration_parse(text, out_ns) && (has_unit || *out_ns == 0);
}

static bool parse_value(size_t limit, tacho_str text, tacho_gate *gate)
{
    return limit == REL ? parse_percent(text, &gate->relative)
                        : parse_time(text, &gate->absolute_ns);
}

/* One limit, "rel=3%". */
static tacho_status parse_limit(limit_of_text limits[LIMIT_COUNT], tacho_str text, tacho_gate *gate)
{
    size_t at = 0;
    while (at < LIMIT_COUNT &&
           !tacho_str_starts_with(text, tacho_str_from_cstring(limits[at].key))) {
        at++;
    }
    if (at == LIMIT_COUNT) {
        return tacho_fail(TACHO_CODE_USAGE, "expected limits such as rel=3%%,abs=20us, not '%.*s'",
                          TACHO_STR_ARG(text));
    }
    if (limits[at].is_given) {
        return tacho_fail(TACHO_CODE_USAGE, "a limit is given twice: '%.*s'", TACHO_STR_ARG(text));
    }
    limits[at].is_given = true;
    return parse_value(at, tacho_str_from(text, strlen(limits[at].key)), gate)
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "expected %s, not '%.*s'", limits[at].expected,
                            TACHO_STR_ARG(text));
}

tacho_status tacho_gate_parse(tacho_str text, tacho_gate *out_gate)
{
    limit_of_text limits[LIMIT_COUNT] = {
        [REL] = {.key = "rel=", .expected = "a percentage, such as rel=3%"},
        [ABS] = {.key = "abs=",
                 .expected = "a time with its unit (ns, us, ms, s), such as abs=20us"},
    };
    *out_gate = (tacho_gate){.relative = 0};
    for (size_t at = 0; at <= text.len;) { /* a limit must follow a comma */
        tacho_str rest = tacho_str_from(text, at);
        size_t len = tacho_str_find_byte(rest, ',');
        if (len == 0) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "expected limits such as rel=3%%,abs=20us, not '%.*s'",
                              TACHO_STR_ARG(text));
        }
        TACHO_TRY(parse_limit(limits, tacho_str_make(rest.data, len), out_gate));
        at += len + 1;
    }
    return TACHO_OK;
}

/* ---- verdicts ------------------------------------------------------------------------------ */

/* Both limits must be exceeded, so that the larger one counts. */
static double limit_of(const tacho_gate *gate, const tacho_diff_row *row)
{
    double relative = gate->relative * row->sides[0].moments.mean;
    return relative > (double)gate->absolute_ns ? relative : (double)gate->absolute_ns;
}

/* Whether the times of a side vary from sample to sample. */
static bool is_measured(const tacho_diff *diff)
{
    return tacho_samples_vary(diff->sides[0]) || tacho_samples_vary(diff->sides[1]);
}

/* The time that errors of a row are relative to: both sides, since one alone may be small by
 * chance. */
static double size_of(const tacho_diff_row *row)
{
    return (row->sides[0].moments.mean + row->sides[1].moments.mean) / 2;
}

/* The significance that a row's difference needs, and the prior of its error from other rows. */
typedef struct judging {
    double false_alarm;
    tacho_prior prior;
} judging;

static tacho_verdict judge_row(const tacho_diff *diff, const tacho_diff_row *row,
                               const judging *how)
{
    double limit = limit_of(&diff->options.gate, row);
    bool exceeds = row->shift.difference > limit;
    if (!row->shift.is_known || !is_measured(diff)) {
        return exceeds ? TACHO_VERDICT_REGRESSION : TACHO_VERDICT_PASS;
    }
    if (exceeds) {
        tacho_shift shift = tacho_shift_with(&row->shift, size_of(row), &how->prior);
        return tacho_shift_p(&shift) <= how->false_alarm ? TACHO_VERDICT_REGRESSION
                                                         : TACHO_VERDICT_INCONCLUSIVE;
    }
    /* Inconclusive if the 95 % interval reaches beyond the limit and is wider than it. */
    double reach = row->shift.difference < 0 ? limit - row->shift.difference : limit;
    bool is_unsure = row->shift.error > 0 &&
                     tacho_student_above(reach / row->shift.error, row->shift.freedom) > 0.025;
    return is_unsure ? TACHO_VERDICT_INCONCLUSIVE : TACHO_VERDICT_PASS;
}

/* Whether the row exists on both sides and is long enough to matter. */
static bool is_judged(const tacho_diff *diff, const tacho_diff_row *row)
{
    return row->ops[0] != TACHO_NONE && row->ops[1] != TACHO_NONE &&
           row->sides[1].moments.mean > (double)diff->options.gate.absolute_ns;
}

/* Computes the significance from the number of judged rows, and the prior from their errors. */
static tacho_status prepare_rows(const tacho_diff *diff, judging *out_how)
{
    tacho_error *errors = NULL;
    size_t error_count = 0;
    size_t judged_count = 0;
    TACHO_TRY(tacho_items_make(&errors, diff->row_count));
    for (size_t i = 0; i < diff->row_count; i++) {
        const tacho_diff_row *row = &diff->rows[i];
        double mean = size_of(row);
        bool is_one = is_judged(diff, row);
        judged_count += is_one ? 1 : 0;
        if (is_one && row->shift.is_known && row->shift.error > 0 && mean > 0) {
            double error = row->shift.error / mean;
            errors[error_count++] = (tacho_error){error * error, row->shift.freedom};
        }
    }
    *out_how = (judging){.false_alarm = TACHO_GATE_FALSE_ALARM / (double)judged_count,
                         .prior = tacho_prior_of(errors, error_count)};
    free(errors);
    return TACHO_OK;
}

/* Verdicts of the rows. */
typedef struct row_verdicts {
    size_t bad_count;    /* exceed the limit */
    size_t unsure_count; /* are too noisy to judge */
    const tacho_diff_row *largest;
} row_verdicts;

static row_verdicts judge_rows(tacho_diff *diff, const judging *how)
{
    row_verdicts all = {.largest = NULL};
    for (size_t i = 0; i < diff->row_count; i++) {
        tacho_diff_row *row = &diff->rows[i];
        if (is_judged(diff, row)) {
            row->verdict = judge_row(diff, row, how);
            all.bad_count += row->verdict == TACHO_VERDICT_REGRESSION ? 1 : 0;
            all.unsure_count += row->verdict == TACHO_VERDICT_INCONCLUSIVE ? 1 : 0;
            all.largest =
                all.largest == NULL || size_of(row) > size_of(all.largest) ? row : all.largest;
        }
    }
    return all;
}

/* One verdict for all rows and the total. The total does not pass if its largest part is too
 * noisy. */
static tacho_verdict verdict_of(const tacho_diff *diff, const row_verdicts *rows)
{
    bool is_largest_unsure =
        rows->largest != NULL && rows->largest->verdict == TACHO_VERDICT_INCONCLUSIVE;
    if (rows->bad_count > 0) {
        return TACHO_VERDICT_REGRESSION;
    }
    return diff->total.verdict == TACHO_VERDICT_PASS && is_largest_unsure
               ? TACHO_VERDICT_INCONCLUSIVE
               : diff->total.verdict;
}

static void explain(tacho_diff *diff, const row_verdicts *rows)
{
    const char *called = tacho_diff_by_called(diff->options.by);
    size_t size = sizeof(diff->reason);
    if (diff->total.verdict == TACHO_VERDICT_REGRESSION) {
        snprintf(diff->reason, size, "the total exceeds the limit");
    } else if (rows->bad_count > 0) {
        bool is_one = rows->bad_count == 1;
        snprintf(diff->reason, size, "%zu %s%s exceed%s the limit", rows->bad_count, called,
                 is_one ? "" : "s", is_one ? "s" : "");
    } else if (diff->total.verdict == TACHO_VERDICT_INCONCLUSIVE) {
        snprintf(diff->reason, size, "%s",
                 diff->total.shift.difference > limit_of(&diff->options.gate, &diff->total)
                     ? "the total exceeds the limit, but that could be chance; take more samples"
                     : "the noise is larger than the limit; take more samples");
    } else if (diff->verdict == TACHO_VERDICT_INCONCLUSIVE) {
        snprintf(diff->reason, size,
                 "the total passes, but the largest %s is too noisy to judge; take more samples",
                 called);
    } else if (rows->unsure_count > 0) {
        snprintf(diff->reason, size, "the total passes; %zu %s%s too noisy to judge",
                 rows->unsure_count, called, rows->unsure_count == 1 ? " is" : "s are");
    } else {
        snprintf(diff->reason, size, "nothing exceeds the limit");
    }
}

bool tacho_diff_has_other_amounts(const tacho_diff *diff)
{
    int64_t counts[2] = {0, 0};
    bool is_file[2] = {diff->sides[0]->kind == TACHO_SAMPLES_FILES,
                       diff->sides[1]->kind == TACHO_SAMPLES_FILES};
    for (size_t i = 0; i < diff->row_count; i++) {
        const tacho_diff_row *row = &diff->rows[i];
        bool is_common = row->ops[0] != TACHO_NONE && row->ops[1] != TACHO_NONE;
        counts[0] += is_common ? row->sides[0].count : 0;
        counts[1] += is_common ? row->sides[1].count : 0;
    }
    int64_t more = counts[is_file[0] ? 0 : 1];
    int64_t fewer = counts[is_file[0] ? 1 : 0];
    bool is_alike = diff->sides[0]->origin == diff->sides[1]->origin; /* so are pieces of work */
    return is_alike && is_file[0] != is_file[1] && 2 * more >= 3 * fewer;
}

/* Why no verdict is possible for any times; NULL if one is. */
static const char *find_obstacle(const tacho_diff *diff)
{
    if (diff->sides[0]->lost_count > 0 || diff->sides[1]->lost_count > 0) {
        return "records were lost";
    }
    if (diff->sides[0]->domain != diff->sides[1]->domain) {
        return "one side has device work and the other has none";
    }
    if (diff->sides[0]->origin != diff->sides[1]->origin) {
        return "the sides are of different origin";
    }
    if (diff->has_other_shapes) {
        return "operators have different shapes";
    }
    if (diff->matched_percent < 50) {
        return "less than half of the time is spent in operators that both sides have";
    }
    if (diff->options.by == TACHO_DIFF_BY_LAYER &&
        (!diff->sides[0]->has_layers || !diff->sides[1]->has_layers)) {
        return "one side has no layers";
    }
    if (tacho_diff_has_other_amounts(diff)) {
        return "a sample is a whole file on one side, and one of its steps on the other";
    }
    bool has_few = diff->sides[0]->whole_count < TACHO_GATE_SAMPLES_MIN ||
                   diff->sides[1]->whole_count < TACHO_GATE_SAMPLES_MIN;
    return is_measured(diff) && has_few ? "a measured side has fewer than 5 samples" : NULL;
}

tacho_status tacho_diff_judge(tacho_diff *diff)
{
    const judging of_total = {.false_alarm = TACHO_GATE_FALSE_ALARM};
    const char *obstacle = find_obstacle(diff);
    judging of_rows;
    if (obstacle != NULL) {
        diff->verdict = TACHO_VERDICT_INCONCLUSIVE;
        snprintf(diff->reason, sizeof(diff->reason), "%s", obstacle);
        return TACHO_OK;
    }
    TACHO_TRY(prepare_rows(diff, &of_rows));
    const row_verdicts rows = judge_rows(diff, &of_rows);
    diff->total.verdict = judge_row(diff, &diff->total, &of_total);
    diff->verdict = verdict_of(diff, &rows);
    explain(diff, &rows);
    return TACHO_OK;
}
