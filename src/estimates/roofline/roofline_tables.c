/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings and points as rows. Rates are in billions per second, which is readable for small and
 * large machines.
 */
#include "estimates/roofline/roofline_tables.h"

#include "base/grow.h"
#include "base/whole.h"
#include "compile/op_cost.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 96 };

static const double billion = 1e9;

/* ---- ceilings ---------------------------------------------------------------------------- */

typedef struct ceilings {
    tacho_roof_ceiling *items;
    size_t count, capacity;
} ceilings;

static bool is_same_ceiling(const tacho_roof_ceiling *a, const tacho_roof_ceiling *b)
{
    return a->roof == b->roof && a->work.kind == b->work.kind && a->work.dtype == b->work.dtype &&
           a->work.fidelity == b->work.fidelity && a->work.cores == b->work.cores;
}

/* The fidelity of |work|, or the machine's default if not named. */
static uint32_t named_fidelity(const tacho_roof *roof, const tacho_roof_work *work)
{
    if (roof->machine == NULL || work->kind != TACHO_WORK_MATRIX || work->fidelity != 0) {
        return work->kind == TACHO_WORK_MATRIX ? work->fidelity : 0;
    }
    return tacho_machine_fidelity_default(roof->machine, work->dtype);
}

static tacho_status add_ceiling(ceilings *self, const tacho_roofline *line, uint32_t roof_number,
                                const tacho_roof_work *work)
{
    const tacho_roof *roof = &line->roofs[roof_number];
    tacho_roof_ceiling item = {.roof = roof_number, .work = {.dtype = work->dtype}};
    bool is_matrix = work->kind == TACHO_WORK_MATRIX || roof->machine == NULL;
    item.work.kind = is_matrix ? TACHO_WORK_MATRIX : TACHO_WORK_VECTOR;
    item.work.fidelity = named_fidelity(roof, work);
    item.work.cores = work->cores > roof->cores ? work->cores : 0;
    item.rate = tacho_roof_compute_rate(roof, &item.work);
    bool is_known = item.rate <= 0;
    for (size_t i = 0; i < self->count && !is_known; i++) {
        is_known = is_same_ceiling(&self->items[i], &item);
    }
    if (is_known) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&self->items, &self->capacity, self->count + 1));
    self->items[self->count++] = item;
    return TACHO_OK;
}

static int compare_ceilings(const void *left, const void *right)
{
    const tacho_roof_ceiling *a = left;
    const tacho_roof_ceiling *b = right;
    if (a->roof != b->roof) {
        return a->roof < b->roof ? -1 : 1;
    }
    if (a->rate < b->rate || a->rate > b->rate) {
        return a->rate > b->rate ? -1 : 1;
    }
    int order = (int)a->work.kind - (int)b->work.kind;
    order = order != 0 ? order : (int)a->work.dtype - (int)b->work.dtype;
    return order != 0 ? order : (int)a->work.fidelity - (int)b->work.fidelity;
}

static tacho_status add_used(ceilings *self, const tacho_roofline *line)
{
    for (size_t i = 0; i < line->point_count; i++) {
        const tacho_roof_point *point = &line->points[i];
        if (point->work.has_operations) {
            TACHO_TRY(add_ceiling(self, line, point->roof, &point->work));
        }
    }
    return TACHO_OK;
}

static tacho_status finish_ceilings(ceilings *self, tacho_status status,
                                    tacho_roof_ceiling **out_items, size_t *out_count)
{
    if (status == TACHO_OK && self->count > 1) {
        qsort(self->items, self->count, sizeof(*self->items), compare_ceilings);
    }
    if (status != TACHO_OK) {
        free(self->items);
        *self = (ceilings){NULL, 0, 0};
    }
    *out_items = self->items;
    *out_count = self->count;
    return status;
}

tacho_status tacho_roof_used_ceilings(const tacho_roofline *line, tacho_roof_ceiling **out_items,
                                      size_t *out_count)
{
    ceilings self = {NULL, 0, 0};
    tacho_status status = add_used(&self, line);
    return finish_ceilings(&self, status, out_items, out_count);
}

/* Adds the types that the machine multiplies natively, at its default fidelity. */
static tacho_status add_own(ceilings *self, const tacho_roofline *line, uint32_t roof_number)
{
    const tacho_roof *roof = &line->roofs[roof_number];
    for (int i = TACHO_DTYPE_NONE + 1; i < TACHO_DTYPE_COUNT; i++) {
        const tacho_roof_work work = {.kind = TACHO_WORK_MATRIX, .dtype = (tacho_dtype)i};
        bool is_own = roof->machine == NULL;
        if (roof->machine != NULL) {
            uint32_t best = tacho_op_cost_engine(roof->machine, TACHO_WORK_MATRIX, work.dtype);
            const tacho_engine *engine = best != TACHO_NONE ? &roof->machine->engines[best] : NULL;
            is_own = engine != NULL &&
                     tacho_rate_find(engine->macs, engine->mac_count, work.dtype) != NULL;
        }
        TACHO_TRY(is_own ? add_ceiling(self, line, roof_number, &work) : TACHO_OK);
    }
    return TACHO_OK;
}

static tacho_str fidelity_name(const tacho_roof *roof, uint32_t fidelity)
{
    return roof->machine != NULL && fidelity > 0 && fidelity <= roof->machine->fidelity_count
               ? roof->machine->fidelities[fidelity - 1].name
               : TACHO_STR("");
}

/* "bf16 HiFi2", "f16 vector", "bf16 HiFi2, 72 cores". */
static tacho_str name_ceiling(const tacho_roof *roof, const tacho_roof_work *work,
                              char text[NAME_BYTES])
{
    tacho_str fidelity = fidelity_name(roof, work->fidelity);
    int len = snprintf(text, NAME_BYTES, "%s%s%.*s", tacho_dtype_name(work->dtype),
                       work->kind != TACHO_WORK_MATRIX && roof->machine != NULL ? " vector"
                       : fidelity.len > 0                                       ? " "
                                                                                : "",
                       fidelity.len < 32 ? (int)fidelity.len : 32, fidelity.data);
    if (work->cores > 0 && len > 0 && len < NAME_BYTES) {
        len += snprintf(text + len, NAME_BYTES - (size_t)len, ", %u cores", (unsigned)work->cores);
    }
    return tacho_str_make(text, len > 0 && len < NAME_BYTES ? (size_t)len : 0);
}

static tacho_status add_real_or_absent(tacho_table *table, double value)
{
    return value > 0 ? tacho_table_add_real(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_head(const tacho_roof *roof, tacho_str name, const char *kind,
                             tacho_table *table)
{
    TACHO_TRY(roof->name.len > 0 ? tacho_table_add_text(table, roof->name)
                                 : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, name));
    return tacho_table_add_text(table, tacho_str_from_cstring(kind));
}

static tacho_status add_memory_row(const tacho_roof *roof, tacho_roof_level level,
                                   tacho_table *table)
{
    static const char *const kinds[TACHO_ROOF_LEVEL_COUNT] = {"memory", "local memory"};
    double rate = tacho_roof_memory_rate(roof, level);
    if (rate <= 0) {
        return TACHO_OK;
    }
    TACHO_TRY(add_head(roof, roof->levels[level], kinds[level], table));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_real(table, rate / billion));
    return tacho_table_add_absent(table);
}

static tacho_status add_compute_row(const tacho_roofline *line, const tacho_roof_ceiling *ceiling,
                                    tacho_table *table)
{
    char text[NAME_BYTES];
    const tacho_roof *roof = &line->roofs[ceiling->roof];
    double shared = tacho_roof_memory_rate(roof, TACHO_ROOF_SHARED);
    TACHO_TRY(add_head(roof, name_ceiling(roof, &ceiling->work, text), "compute", table));
    TACHO_TRY(tacho_table_add_real(table, ceiling->rate / billion));
    TACHO_TRY(tacho_table_add_absent(table));
    return add_real_or_absent(table, shared > 0 ? ceiling->rate / shared : 0);
}

static tacho_status add_ceiling_rows(const tacho_roofline *line, ceilings *all, tacho_table *table)
{
    size_t at = 0;
    for (uint32_t i = 0; i < line->roof_count; i++) {
        for (int k = 0; k < TACHO_ROOF_LEVEL_COUNT; k++) {
            TACHO_TRY(add_memory_row(&line->roofs[i], (tacho_roof_level)k, table));
        }
        for (; at < all->count && all->items[at].roof == i; at++) {
            TACHO_TRY(add_compute_row(line, &all->items[at], table));
        }
    }
    return TACHO_OK;
}

tacho_status tacho_roof_ceilings_table(const tacho_roofline *line, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(MACHINE, "Machine", TEXT), TACHO_COLUMN(CEILING, "Ceiling", TEXT),
        TACHO_COLUMN(KIND, "Kind", TEXT),       TACHO_COLUMN(GFLOP_PER_S, "GFLOP/s", REAL),
        TACHO_COLUMN(GB_PER_S, "GB/s", REAL),   TACHO_COLUMN(RIDGE, "Ridge FLOP/B", REAL),
    };
    ceilings all = {NULL, 0, 0};
    tacho_table_init(out_table, "ceilings", "Ceilings", columns,
                     sizeof(columns) / sizeof(columns[0]));
    tacho_status status = add_used(&all, line);
    for (uint32_t i = 0; i < line->roof_count && status == TACHO_OK; i++) {
        status = add_own(&all, line, i);
    }
    status = finish_ceilings(&all, status, &all.items, &all.count);
    if (status == TACHO_OK) {
        status = add_ceiling_rows(line, &all, out_table);
    }
    free(all.items);
    return status;
}

/* ---- points ------------------------------------------------------------------------------ */

static tacho_status add_optional(tacho_table *table, tacho_str text)
{
    return text.len > 0 ? tacho_table_add_text(table, text) : tacho_table_add_absent(table);
}

static tacho_status add_count(tacho_table *table, bool is_known, uint64_t value)
{
    return is_known ? tacho_table_add_int(table, value > INT64_MAX ? INT64_MAX : (int64_t)value)
                    : tacho_table_add_absent(table);
}

static int64_t whole_ns(double ns)
{
    return ns < 9e18 ? tacho_whole_i64(ns + 0.5) : INT64_MAX;
}

/* The rate that the roof allows at the point's intensity. */
static double roof_rate(const tacho_roof_point *point)
{
    return point->work.has_operations && point->least.ns > 0
               ? (double)point->work.operations / point->least.ns * 1e9
               : 0;
}

static tacho_status add_verdict(const tacho_roof_point *point, tacho_table *table)
{
    static const char *const names[TACHO_ROOF_VERDICT_COUNT] = {"", "above the roof",
                                                                "in near memory", "fewer steps"};
    if (point->verdict == TACHO_ROOF_FINE) {
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_lasting_text(table, tacho_str_from_cstring(names[point->verdict])));
    tacho_table_mark(table, point->verdict == TACHO_ROOF_ABOVE ? TACHO_MARK_BAD : TACHO_MARK_MINOR);
    return TACHO_OK;
}

static tacho_status add_names(const tacho_roofline *line, const tacho_roof_point *point,
                              tacho_table *table)
{
    const tacho_roof *roof = &line->roofs[point->roof];
    TACHO_TRY(tacho_table_add_text(table, point->file));
    TACHO_TRY(tacho_table_add_text(table, point->name));
    TACHO_TRY(add_optional(table, point->type));
    TACHO_TRY(
        tacho_table_add_text(table, tacho_str_from_cstring(tacho_origin_name(point->origin))));
    TACHO_TRY(
        tacho_table_add_text(table, tacho_str_from_cstring(tacho_dtype_name(point->work.dtype))));
    return add_optional(table, fidelity_name(roof, named_fidelity(roof, &point->work)));
}

static tacho_status add_times(const tacho_roof_point *point, tacho_table *table)
{
    double least_ns = point->least.ns * (double)point->count;
    bool is_known = point->least.bound != TACHO_ROOF_BY_NONE;
    TACHO_TRY(add_count(table, true, point->count));
    TACHO_TRY(tacho_table_add_int(table, whole_ns(point->total_ns)));
    TACHO_TRY(is_known ? tacho_table_add_int(table, whole_ns(least_ns))
                       : tacho_table_add_absent(table));
    TACHO_TRY(is_known && point->total_ns > 0
                  ? tacho_table_add_real(table, least_ns / point->total_ns * 100)
                  : tacho_table_add_absent(table));
    return tacho_table_add_text(table,
                                tacho_str_from_cstring(tacho_roof_bound_name(point->least.bound)));
}

static tacho_status add_rates(const tacho_roofline *line, const tacho_roof_point *point,
                              tacho_table *table)
{
    const tacho_roof_work *work = &point->work;
    bool has_local = tacho_roof_memory_rate(&line->roofs[point->roof], TACHO_ROOF_LOCAL) > 0 &&
                     work->bytes[TACHO_ROOF_LOCAL] > 0;
    TACHO_TRY(add_real_or_absent(table, tacho_roof_point_intensity(point)));
    TACHO_TRY(add_real_or_absent(table, tacho_roof_point_rate(point) / billion));
    TACHO_TRY(add_real_or_absent(table, roof_rate(point) / billion));
    TACHO_TRY(add_real_or_absent(table, tacho_roof_point_bandwidth(point) / billion));
    TACHO_TRY(add_count(table, work->has_operations, work->operations));
    TACHO_TRY(add_count(table, true, work->bytes[TACHO_ROOF_SHARED]));
    TACHO_TRY(add_count(table, has_local, work->bytes[TACHO_ROOF_LOCAL]));
    TACHO_TRY(add_verdict(point, table));
    return add_optional(table, point->location);
}

static tacho_status add_mark(const tacho_roofline *line, size_t place, tacho_table *table)
{
    char mark = tacho_roof_plot_mark(line, place);
    return mark != ' ' ? tacho_table_add_text(table, tacho_str_make(&mark, 1))
                       : tacho_table_add_absent(table);
}

tacho_status tacho_roof_points_table(const tacho_roofline *line, bool is_for_people,
                                     tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(MARK, "Mark", PICTURE),
        TACHO_COLUMN(FILE, "File", TEXT),
        TACHO_COLUMN(OPERATOR, "Operator", TEXT),
        TACHO_COLUMN(TYPE, "Type", TEXT),
        TACHO_COLUMN(ORIGIN, "Origin", TEXT),
        TACHO_COLUMN(DTYPE, "Dtype", TEXT),
        TACHO_COLUMN(FIDELITY, "Fidelity", TEXT),
        TACHO_COLUMN(COUNT, "Count", INT),
        TACHO_COLUMN(TOTAL_NS, "Time", DURATION),
        TACHO_COLUMN(LEAST_NS, "At the roof", DURATION),
        TACHO_COLUMN(ROOF_PERCENT, "Of roof", PERCENT),
        TACHO_COLUMN(BOUND, "Bound", TEXT),
        TACHO_COLUMN(INTENSITY, "FLOP/B", REAL),
        TACHO_COLUMN(GFLOP_PER_S, "GFLOP/s", REAL),
        TACHO_COLUMN(ROOF_GFLOP_PER_S, "Roof GFLOP/s", REAL),
        TACHO_COLUMN(GB_PER_S, "GB/s", REAL),
        TACHO_COLUMN(OPERATIONS, "FLOP", INT),
        TACHO_COLUMN(BYTES, "Bytes", INT),
        TACHO_COLUMN(LOCAL_BYTES, "Local bytes", INT),
        TACHO_COLUMN(VERDICT, "Verdict", TEXT),
        TACHO_COLUMN(LOCATION, "Location", TEXT),
        TACHO_COLUMN(MACHINE, "Machine", TEXT),
    };
    static const tacho_column_id kept[] = {
        TACHO_COL_OPERATOR, TACHO_COL_MACHINE,     TACHO_COL_TOTAL_NS,  TACHO_COL_ROOF_PERCENT,
        TACHO_COL_BOUND,    TACHO_COL_GFLOP_PER_S, TACHO_COL_INTENSITY, TACHO_COL_MARK,
        TACHO_COL_VERDICT,  TACHO_COL_GB_PER_S,    TACHO_COL_COUNT,     TACHO_COL_LEAST_NS,
        TACHO_COL_OTHER};
    bool has_machine = !is_for_people || line->roof_count > 1;
    size_t first = is_for_people ? 0 : 1;
    size_t count = sizeof(columns) / sizeof(columns[0]) - (has_machine ? 0 : 1);
    tacho_table_init(out_table, "roofline", "Roofline", columns + first, count - first);
    out_table->kept = kept;
    for (size_t i = 0; i < line->point_count; i++) {
        const tacho_roof_point *point = &line->points[i];
        TACHO_TRY(is_for_people ? add_mark(line, i, out_table) : TACHO_OK);
        TACHO_TRY(add_names(line, point, out_table));
        TACHO_TRY(add_times(point, out_table));
        TACHO_TRY(add_rates(line, point, out_table));
        TACHO_TRY(has_machine ? add_optional(out_table, line->roofs[point->roof].name) : TACHO_OK);
    }
    return TACHO_OK;
}
