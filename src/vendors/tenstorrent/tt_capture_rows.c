/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collecting and joining.
 */
#include "vendors/tenstorrent/tt_capture_rows.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* ---- taking -------------------------------------------------------------------------------- */

static tacho_status copy_args(tt_capture_rows *self, const tacho_row *row, tt_report *report)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->arena, row->arg_count * sizeof(tacho_arg), &memory));
    tacho_arg *args = memory;
    for (size_t i = 0; i < row->arg_count; i++) {
        args[i] = row->args[i];
        if (tacho_arg_has_text(&args[i])) {
            TACHO_TRY(
                tacho_arena_copy(&self->arena, row->args[i].value.as_text, &args[i].value.as_text));
        }
    }
    report->args = args;
    report->arg_count = row->arg_count;
    return TACHO_OK;
}

static bool read_call(const tacho_arg *arg, uint64_t *out_call)
{
    if (arg == NULL || (arg->type != TACHO_ARG_UINT && arg->type != TACHO_ARG_INT)) {
        return false;
    }
    *out_call = arg->value.as_uint;
    return *out_call != 0;
}

static tacho_status add_report(tt_capture_rows *self, const tacho_row *row, bool is_signpost)
{
    const tacho_dict *dict = self->events.dict;
    const tacho_track *track = &dict->tracks[row->track];
    const tacho_clock *clock = &dict->clocks[track->clock];
    tt_report report = {
        .group = track->parent,
        .track = row->track,
        .site = row->of.span.site,
        .is_device = track->track_class != TACHO_TRACK_HOST,
        .is_signpost = is_signpost,
        .order = self->report_count,
        .start_ns = tacho_clock_ns(clock, row->start),
        .end_ns = tacho_clock_ns(clock, row->of.span.end),
    };
    TACHO_TRY(copy_args(self, row, &report));
    report.has_call = read_call(tt_report_find(dict, &report, TACHO_STR("call")), &report.call);
    TACHO_TRY(tacho_grow(&self->reports, &self->report_capacity, self->report_count + 1));
    self->reports[self->report_count++] = report;
    return TACHO_OK;
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    tt_capture_rows *self = (tt_capture_rows *)(void *)events;
    const tacho_dict *dict = events->dict;
    if (row->kind != TACHO_ROW_SPAN) {
        return TACHO_OK;
    }
    tacho_str category = tacho_dict_string(dict, dict->sites[row->of.span.site].category);
    bool is_signpost = tacho_str_equal(category, TACHO_STR("signpost"));
    return is_signpost || tacho_str_equal(category, TACHO_STR("op"))
               ? add_report(self, row, is_signpost)
               : TACHO_OK;
}

void tt_capture_rows_init(tt_capture_rows *rows, tacho_dict *dict)
{
    static const tacho_events_vtable vtable = {.row = take_row};
    *rows = (tt_capture_rows){.events = {&vtable, dict}};
    tacho_arena_init(&rows->arena);
}

void tt_capture_rows_deinit(tt_capture_rows *rows)
{
    tacho_arena_deinit(&rows->arena);
    free(rows->reports);
    free(rows->rows);
}

const tacho_arg *tt_report_find(const tacho_dict *dict, const tt_report *report, tacho_str name)
{
    for (size_t i = 0; report != NULL && i < report->arg_count; i++) {
        if (tacho_str_equal(tacho_dict_string(dict, report->args[i].key), name)) {
            return &report->args[i];
        }
    }
    return NULL;
}

/* ---- joining ------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t left, uint64_t right)
{
    return left < right ? -1 : left > right;
}

/* By process and call, the host first. */
static int compare_reports(const void *a, const void *b)
{
    const tt_report *left = a;
    const tt_report *right = b;
    int order = compare_numbers(left->group, right->group);
    order = order != 0 ? order : compare_numbers(left->has_call, right->has_call);
    order = order != 0 ? order : compare_numbers(left->call, right->call);
    order = order != 0 ? order : compare_numbers(left->is_device, right->is_device);
    return order != 0 ? order : compare_numbers(left->order, right->order);
}

static int compare_rows(const void *a, const void *b)
{
    const tt_capture_row *left = a;
    const tt_capture_row *right = b;
    if (left->start_ns != right->start_ns) {
        return left->start_ns < right->start_ns ? -1 : 1;
    }
    return compare_numbers(left->order, right->order);
}

static bool is_same(const tt_report *host, const tt_report *device)
{
    return host->has_call && device->has_call && !host->is_device && device->is_device &&
           host->group == device->group && host->call == device->call && host->site == device->site;
}

/*
 * Processes count their calls from 1 on, each by itself; a table counts them all. Those of the
 * first process keep their numbers, others go on behind the last of the one before. Reports are
 * sorted.
 */
static void number_calls(tt_report *reports, size_t count)
{
    uint64_t before = 0;
    uint64_t last = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && reports[i].group != reports[i - 1].group) {
            before = last;
        }
        if (reports[i].has_call && !__builtin_add_overflow(before, reports[i].call, &last)) {
            reports[i].call = last;
        }
    }
}

tacho_status tt_capture_rows_join(tt_capture_rows *rows)
{
    tt_report *reports = rows->reports;
    if (rows->report_count > 1) {
        qsort(reports, rows->report_count, sizeof(*reports), compare_reports);
    }
    number_calls(reports, rows->report_count);
    TACHO_TRY(tacho_items_make(&rows->rows, rows->report_count));
    for (size_t i = 0; i < rows->report_count; i++) {
        const tt_report *next = i + 1 < rows->report_count ? &reports[i + 1] : NULL;
        tt_capture_row *row = &rows->rows[rows->row_count++];
        *row = (tt_capture_row){.start_ns = reports[i].start_ns, .order = reports[i].order};
        row->host = reports[i].is_device ? NULL : &reports[i];
        row->device = reports[i].is_device ? &reports[i] : NULL;
        if (next != NULL && is_same(&reports[i], next)) {
            row->device = next;
            i++;
        }
    }
    if (rows->row_count > 1) {
        qsort(rows->rows, rows->row_count, sizeof(*rows->rows), compare_rows);
    }
    return TACHO_OK;
}
