/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Points, their verdicts and their order.
 */
#include "estimates/roofline/roofline.h"

#include "estimates/roofline/roofline_tables.h"
#include "base/grow.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Processors temporarily exceed the clock in their description. */
static const double measured_tolerance = 1.05;

enum { EXCESS_BYTES = 80 };

tacho_roofline_key tacho_roofline_key_find(tacho_str name)
{
    static const char *const names[] = {
#define KEY_TEXT(id, text) text,
        TACHO_ROOFLINE_KEYS(KEY_TEXT)
#undef KEY_TEXT
    };
    size_t i = 0;
    while (i < TACHO_ROOFLINE_KEY_COUNT &&
           !tacho_str_equal(name, tacho_str_from_cstring(names[i]))) {
        i++;
    }
    return (tacho_roofline_key)i;
}

/* ---- the list ---------------------------------------------------------------------------- */

void tacho_roofline_init(tacho_roofline *line)
{
    *line = (tacho_roofline){0};
    tacho_arena_init(&line->arena);
}

void tacho_roofline_deinit(tacho_roofline *line)
{
    if (line->has_index) {
        tacho_index_deinit(&line->index);
    }
    tacho_arena_deinit(&line->arena);
    free(line->roofs);
    free(line->points);
    *line = (tacho_roofline){0};
}

tacho_status tacho_roofline_ensure_roof(tacho_roofline *line, const tacho_roof *roof,
                                        uint32_t *out_number)
{
    for (size_t i = 0; i < line->roof_count; i++) {
        if (tacho_str_equal(line->roofs[i].name, roof->name)) {
            *out_number = (uint32_t)i;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&line->roofs, &line->roof_capacity, line->roof_count + 1));
    *out_number = (uint32_t)line->roof_count;
    line->roofs[line->roof_count++] = *roof;
    return TACHO_OK;
}

static bool is_same_work(const tacho_roof_work *a, const tacho_roof_work *b)
{
    return a->kind == b->kind && a->dtype == b->dtype && a->fidelity == b->fidelity &&
           a->cores == b->cores && a->has_operations == b->has_operations &&
           a->is_by_shapes == b->is_by_shapes && a->operations == b->operations &&
           a->bytes[TACHO_ROOF_SHARED] == b->bytes[TACHO_ROOF_SHARED] &&
           a->bytes[TACHO_ROOF_LOCAL] == b->bytes[TACHO_ROOF_LOCAL];
}

static bool is_same_point(const tacho_roof_point *a, const tacho_roof_point *b)
{
    return a->origin == b->origin && a->roof == b->roof && is_same_work(&a->work, &b->work) &&
           tacho_str_equal(a->name, b->name) && tacho_str_equal(a->type, b->type) &&
           tacho_str_equal(a->file, b->file) && tacho_str_equal(a->location, b->location);
}

static tacho_status copy_texts(tacho_roofline *line, tacho_roof_point *point)
{
    TACHO_TRY(tacho_arena_copy(&line->arena, point->file, &point->file));
    TACHO_TRY(tacho_arena_copy(&line->arena, point->name, &point->name));
    TACHO_TRY(tacho_arena_copy(&line->arena, point->type, &point->type));
    return tacho_arena_copy(&line->arena, point->location, &point->location);
}

tacho_status tacho_roofline_add(tacho_roofline *line, const tacho_roof_point *point)
{
    if (!line->has_index) {
        TACHO_TRY(tacho_index_init(&line->index));
        line->has_index = true;
    }
    uint32_t hash = tacho_index_hash(&line->index, point->name);
    size_t at = tacho_index_begin(&line->index, hash);
    for (uint32_t id; (id = tacho_index_next(&line->index, hash, &at)) != TACHO_NONE;) {
        tacho_roof_point *known = &line->points[id];
        if (is_same_point(known, point)) {
            known->count += point->count;
            known->total_ns += point->total_ns;
            return TACHO_OK;
        }
    }
    TACHO_TRY(tacho_grow(&line->points, &line->point_capacity, line->point_count + 1));
    tacho_roof_point *added = &line->points[line->point_count];
    *added = *point;
    added->order = line->point_count;
    TACHO_TRY(copy_texts(line, added));
    return tacho_index_add(&line->index, hash, (uint32_t)line->point_count++);
}

/* ---- numbers of a point ------------------------------------------------------------------ */

static double per_second(const tacho_roof_point *point, uint64_t amount)
{
    return point->total_ns > 0 ? (double)amount * (double)point->count / point->total_ns * 1e9 : 0;
}

double tacho_roof_point_rate(const tacho_roof_point *point)
{
    return point->work.has_operations ? per_second(point, point->work.operations) : 0;
}

double tacho_roof_point_bandwidth(const tacho_roof_point *point)
{
    return per_second(point, point->work.bytes[TACHO_ROOF_SHARED]);
}

double tacho_roof_point_intensity(const tacho_roof_point *point)
{
    const tacho_roof_work *work = &point->work;
    return work->has_operations && work->bytes[TACHO_ROOF_SHARED] > 0
               ? (double)work->operations / (double)work->bytes[TACHO_ROOF_SHARED]
               : 0;
}

/*
 * Both ends of a span are rounded to nanoseconds, so a span may actually be one longer. A measured
 * one may be a little faster than the nominal clock allows, its operands may have been in a cache,
 * and its functions may have been computed in fewer steps than are counted.
 */
static tacho_roof_verdict judge(const tacho_roof *roof, const tacho_roof_point *point)
{
    bool is_measured = point->origin == TACHO_ORIGIN_MEASURED;
    double count = (double)point->count;
    double longest = (point->total_ns + count) * (is_measured ? measured_tolerance : 1);
    bool beats_memory = longest < point->least.memory_ns * count;
    bool beats_compute = longest < point->least.compute_ns * count;
    if (!beats_memory && !beats_compute) {
        return TACHO_ROOF_FINE;
    }
    if (!is_measured || (beats_compute && point->work.kind == TACHO_WORK_MATRIX) ||
        (beats_memory && !tacho_roof_is_near(roof, &point->work))) {
        return TACHO_ROOF_ABOVE;
    }
    return beats_memory ? TACHO_ROOF_NEAR : TACHO_ROOF_FEWER;
}

static bool is_accepted(const tacho_name_filter *filter, const tacho_roof_point *point)
{
    return filter->accepts == NULL || filter->accepts(filter->self, point->name, point->location);
}

/* Judges the points that |filter| accepts, and drops the others. */
static void judge_points(tacho_roofline *line, const tacho_name_filter *filter)
{
    size_t kept = 0;
    for (size_t i = 0; i < line->point_count; i++) {
        if (is_accepted(filter, &line->points[i])) {
            line->points[kept++] = line->points[i];
        }
    }
    line->point_count = kept;
    for (size_t i = 0; i < line->point_count; i++) {
        tacho_roof_point *point = &line->points[i];
        point->least = tacho_roof_find_least(&line->roofs[point->roof], &point->work);
        point->verdict = judge(&line->roofs[point->roof], point);
        line->above_count += point->verdict == TACHO_ROOF_ABOVE ? 1 : 0;
    }
}

/* ---- order ------------------------------------------------------------------------------- */

static double sort_number(const tacho_roof_point *point, tacho_roofline_key key)
{
    double least_ns = point->least.ns * (double)point->count;
    switch (key) {
    case TACHO_ROOFLINE_BY_TIME:
        return -point->total_ns;
    case TACHO_ROOFLINE_BY_GAIN:
        return least_ns - point->total_ns;
    case TACHO_ROOFLINE_BY_ROOF:
        return point->total_ns > 0 ? least_ns / point->total_ns : (double)INFINITY;
    case TACHO_ROOFLINE_BY_INTENSITY:
        return tacho_roof_point_intensity(point);
    case TACHO_ROOFLINE_BY_NAME:
    case TACHO_ROOFLINE_BY_ORDER:
    case TACHO_ROOFLINE_KEY_COUNT:
        break;
    }
    return 0;
}

typedef struct sortable {
    tacho_roof_point point;
    double number;
    bool is_by_name;
} sortable;

static int compare_points(const void *left, const void *right)
{
    const sortable *a = left;
    const sortable *b = right;
    if (a->number < b->number || a->number > b->number) {
        return a->number < b->number ? -1 : 1;
    }
    int order = a->is_by_name ? tacho_str_compare(a->point.name, b->point.name) : 0;
    return order != 0 ? order
                      : (a->point.order > b->point.order) - (a->point.order < b->point.order);
}

static tacho_status sort_points(tacho_roofline *line, const tacho_roofline_options *options)
{
    size_t count = line->point_count;
    sortable *items = tacho_items_alloc(line->point_count, sizeof(*items));
    if (items == NULL) {
        return tacho_no_memory();
    }
    for (size_t i = 0; i < count; i++) {
        items[i] = (sortable){line->points[i], sort_number(&line->points[i], options->sort),
                              options->sort == TACHO_ROOFLINE_BY_NAME};
    }
    if (count > 1) {
        qsort(items, count, sizeof(*items), compare_points);
    }
    line->point_count = options->top > 0 && options->top < count ? options->top : count;
    line->left_out_count = count - line->point_count;
    for (size_t i = 0; i < line->point_count; i++) {
        line->points[i] = items[i].point;
    }
    free(items);
    return TACHO_OK;
}

/* ---- notes ------------------------------------------------------------------------------- */

/* The factor by which a point exceeds its roof. */
static double excess(const tacho_roof_point *point)
{
    return point->total_ns > 0 ? point->least.ns * (double)point->count / point->total_ns
                               : (double)INFINITY;
}

/* "4.2 times its memory ceiling". */
static void print_excess(const tacho_roof_point *point, char *text, size_t size)
{
    if (point->total_ns > 0) {
        snprintf(text, size, "%.3g times its %s ceiling", excess(point),
                 tacho_roof_bound_name(point->least.bound));
    } else {
        snprintf(text, size, "which took no time at all");
    }
}

static const tacho_roof_point *find_worst(const tacho_roofline *line)
{
    const tacho_roof_point *worst = NULL;
    for (size_t i = 0; i < line->point_count; i++) {
        const tacho_roof_point *point = &line->points[i];
        if (point->verdict == TACHO_ROOF_ABOVE &&
            (worst == NULL || excess(point) > excess(worst))) {
            worst = point;
        }
    }
    return worst;
}

static void say_above(const tacho_roofline *line, const tacho_roof_point *worst,
                      const tacho_roofline_options *options)
{
    if (worst != NULL) {
        char text[EXCESS_BYTES];
        print_excess(worst, text, sizeof(text));
        tacho_note(
            options->notes, "warning",
            "%zu point%s above the roof, which cannot be: the time, the sizes or the machine "
            "is wrong; worst: %.*s, %s",
            line->above_count, line->above_count == 1 ? " is" : "s are",
            worst->name.len < 200 ? (int)worst->name.len : 200, worst->name.data, text);
    }
}

static void say_rest(const tacho_roofline *line, const tacho_roofline_options *options)
{
    if (line->left_out_count > 0) {
        tacho_note_hint(options->notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more point%s", line->left_out_count,
                        line->left_out_count == 1 ? "" : "s");
    }
    if (line->unknown_count > 0) {
        tacho_note(options->notes, "note",
                   "%" PRIu64
                   " operator call%s, %.3f ms together, with unknown operations and bytes "
                   "not shown%s",
                   line->unknown_count, line->unknown_count == 1 ? "" : "s", line->unknown_ns / 1e6,
                   line->needs_model ? "; name their model or program, too" : "");
    }
    if (line->point_count == 0) {
        tacho_note(options->notes, "note",
                   options->filter.accepts != NULL ? "no operator matches the filter"
                                                   : "no operator with known operations or bytes");
    }
}

/* ---- the roofline ------------------------------------------------------------------------ */

static tacho_status hand_over_tables(const tacho_roofline *line,
                                     const tacho_roofline_options *options,
                                     const tacho_table_taker *to)
{
    tacho_table table = {0};
    if (!options->is_single) {
        tacho_status status = tacho_roof_ceilings_table(line, &table);
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    for (uint32_t i = 0; options->is_for_people && i < line->roof_count; i++) {
        tacho_status status = tacho_roof_plot_table(line, i, &table);
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    tacho_status status = tacho_roof_points_table(line, options->is_for_people, &table);
    return tacho_table_hand_over(to, status, &table);
}

tacho_status tacho_roofline_write(tacho_roofline *line, const tacho_roofline_options *options,
                                  const tacho_table_taker *to)
{
    judge_points(line, &options->filter);
    if (options->above_count != NULL) {
        *options->above_count = line->above_count;
    }
    const tacho_roof_point *worst = find_worst(line);
    if (worst != NULL && options->is_strict) {
        char text[EXCESS_BYTES];
        print_excess(worst, text, sizeof(text));
        return tacho_fail(TACHO_CODE_BAD_DATA, "%.*s: %.*s is above the roof: %s; nothing written",
                          TACHO_STR_ARG(worst->file), TACHO_STR_ARG(worst->name), text);
    }
    say_above(line, worst, options);
    TACHO_TRY(sort_points(line, options));
    TACHO_TRY(hand_over_tables(line, options, to));
    say_rest(line, options);
    return TACHO_OK;
}
