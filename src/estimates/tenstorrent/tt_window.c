/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Windows and merging by the rules of the vendor's tool. A window between two named signposts uses
 * the order of the table; the one after the last signpost uses the host's time.
 */
#include "estimates/tenstorrent/tt_window.h"

#include "estimates/tenstorrent/tt_sort.h"
#include "base/grow.h"
#include "profile/tt_columns.h"

#include <math.h>
#include <stdlib.h>

enum { DEVICES_MAX = 4096 };

void tacho_tt_window_deinit(tacho_tt_window *window)
{
    free(window->items);
}

static bool is_signpost(const tacho_tt_op *op)
{
    return tacho_str_equal(op->type, TACHO_STR(TACHO_TT_TYPE_SIGNPOST));
}

/* ---- order ------------------------------------------------------------------------------ */

static int compare_rows(const void *a, const void *b)
{
    const tacho_tt_op *left = a;
    const tacho_tt_op *right = b;
    return (left->row > right->row) - (left->row < right->row);
}

static void sort_by_row(tacho_tt_window *window)
{
    if (window->item_count > 1) {
        qsort(window->items, window->item_count, sizeof(*window->items), compare_rows);
    }
}

/* Lists |ops| by the host's time in |items|, those without one last. */
static void list_by_time(const tacho_tt_ops *ops, double *keys, size_t *items)
{
    size_t timed_count = 0;
    for (size_t i = 0; i < ops->item_count; i++) {
        keys[i] = ops->items[i].host_start;
        if (!isnan(keys[i])) {
            items[timed_count++] = i;
        }
    }
    tacho_tt_sort(keys, items, timed_count);
    for (size_t i = 0; i < ops->item_count; i++) {
        if (isnan(keys[i])) {
            items[timed_count++] = i;
        }
    }
}

/* Fills |window| with |ops|, by the host's time unless |keeps_order|. */
static tacho_status fill(const tacho_tt_ops *ops, bool keeps_order, tacho_tt_window *window)
{
    double *keys = tacho_items_alloc(ops->item_count, sizeof(*keys));
    size_t *items = tacho_items_alloc(ops->item_count, sizeof(*items));
    if (keys == NULL || items == NULL) {
        free(keys);
        free(items);
        return tacho_no_memory();
    }
    list_by_time(ops, keys, items);
    for (size_t i = 0; i < ops->item_count; i++) {
        window->items[i] = ops->items[keeps_order ? i : items[i]];
    }
    window->item_count = ops->item_count;
    free(keys);
    free(items);
    return TACHO_OK;
}

/* ---- signposts -------------------------------------------------------------------------- */

/* The row of the |nth| signpost called |name| in the window's order; 0 if there is none. */
static uint64_t find_signpost(const tacho_tt_window *window, tacho_str name, size_t nth)
{
    for (size_t i = 0; i < window->item_count; i++) {
        const tacho_tt_op *op = &window->items[i];
        if (is_signpost(op) && tacho_str_equal(op->code, name) && nth-- == 0) {
            return op->row;
        }
    }
    return 0;
}

/* Keeps rows of the table after |first| and before |last|; 0 for no limit. */
static void keep_between(tacho_tt_window *window, uint64_t first, uint64_t last, bool posts)
{
    size_t kept = 0;
    for (size_t i = 0; i < window->item_count; i++) {
        const tacho_tt_op *op = &window->items[i];
        if (op->row > first && (last == 0 || op->row < last) && (posts || !is_signpost(op))) {
            window->items[kept++] = *op;
        }
    }
    window->item_count = kept;
}

/* Keeps rows after the first signpost that has the name of the last one. */
static void keep_behind_last(tacho_tt_window *window, bool posts)
{
    tacho_str name = TACHO_STR("");
    size_t first = window->item_count;
    size_t kept = 0;
    for (size_t i = 0; i < window->item_count; i++) {
        name = is_signpost(&window->items[i]) ? window->items[i].code : name;
    }
    for (size_t i = 0; i < window->item_count && first == window->item_count; i++) {
        first = tacho_str_equal(window->items[i].code, name) ? i : first;
    }
    for (size_t i = first + 1; i < window->item_count; i++) {
        if (posts || !is_signpost(&window->items[i])) {
            window->items[kept++] = window->items[i];
        }
    }
    window->item_count = kept;
}

static size_t count_ops(const tacho_tt_window *window)
{
    size_t count = 0;
    for (size_t i = 0; i < window->item_count; i++) {
        count += is_signpost(&window->items[i]) ? 0 : 1;
    }
    return count;
}

static void keep_by_signposts(tacho_tt_report *report, tacho_tt_window *window)
{
    const tacho_tt_options *options = &report->options;
    bool is_same = tacho_str_equal(options->start_signpost, options->end_signpost);
    uint64_t first = 0;
    uint64_t last = 0;
    bool has_any = false;
    for (size_t i = 0; i < window->item_count && !has_any; i++) {
        has_any = is_signpost(&window->items[i]);
    }
    if (options->start_signpost.len > 0) {
        first = find_signpost(window, options->start_signpost, 0);
        report->has_no_such_signpost[0] = first == 0;
    }
    if (options->end_signpost.len > 0) {
        last = find_signpost(window, options->end_signpost, is_same ? 1 : 0);
        report->has_no_such_signpost[1] = last == 0;
    }
    if (options->ignores_signposts || !has_any) {
        return;
    }
    size_t count = count_ops(window);
    if (first > 0 || last > 0) {
        keep_between(window, first, last, options->shows_signposts);
    } else {
        keep_behind_last(window, options->shows_signposts);
    }
    report->outside_count = count - count_ops(window);
}

/* Numbers of devices continue from table to table. */
static void number_devices(tacho_tt_window *window, uint32_t first_table)
{
    double count = 0;
    for (size_t i = 0; i < window->item_count; i++) {
        double device = window->items[i].device;
        bool is_first = window->items[i].part == first_table;
        count = is_first && device + 1 > count ? device + 1 : count;
    }
    for (size_t i = 0; i < window->item_count; i++) {
        window->items[i].device += count * (window->items[i].part - first_table);
    }
}

tacho_status tacho_tt_window_choose(tacho_tt_report *report, tacho_tt_window *out_window)
{
    const tacho_tt_ops *ops = report->ops;
    *out_window = (tacho_tt_window){.items = NULL};
    TACHO_TRY(tacho_grow(&out_window->items, &out_window->item_capacity, ops->item_count + 1));
    TACHO_TRY(fill(ops, report->options.keeps_order, out_window));
    number_devices(out_window, ops->item_count > 0 ? ops->items[0].part : 0);
    keep_by_signposts(report, out_window);
    return TACHO_OK;
}

/* ---- devices ---------------------------------------------------------------------------- */

/* The ops of one device that are not merged yet. */
typedef struct queue {
    double device;
    const tacho_tt_op **items;
    size_t item_count, item_capacity;
    size_t next;
} queue;

typedef struct merging {
    queue *queues; /* by device */
    size_t queue_count, queue_capacity;
    tacho_tt_window merged;
    size_t unmatched_count;
} merging;

static bool is_device_op(const tacho_tt_op *op)
{
    return tacho_str_equal(op->type, TACHO_STR(TACHO_TT_TYPE_DEVICE)) && !isnan(op->device);
}

static tacho_status find_queue(merging *self, double device, queue **out_queue)
{
    for (size_t i = self->queue_count; i-- > 0;) {
        if (self->queues[i].device == device) {
            *out_queue = &self->queues[i];
            return TACHO_OK;
        }
    }
    if (self->queue_count == DEVICES_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "more than %d devices to be merged", DEVICES_MAX);
    }
    TACHO_TRY(tacho_grow(&self->queues, &self->queue_capacity, self->queue_count + 1));
    self->queues[self->queue_count] = (queue){.device = device};
    *out_queue = &self->queues[self->queue_count++];
    return TACHO_OK;
}

static int compare_queues(const void *a, const void *b)
{
    const queue *left = a;
    const queue *right = b;
    return (left->device > right->device) - (left->device < right->device);
}

static tacho_status add_merged(merging *self, const tacho_tt_op *op)
{
    tacho_tt_window *merged = &self->merged;
    TACHO_TRY(tacho_grow(&merged->items, &merged->item_capacity, merged->item_count + 1));
    merged->items[merged->item_count++] = *op;
    return TACHO_OK;
}

static tacho_status fill_queues(merging *self, const tacho_tt_window *window)
{
    for (size_t i = 0; i < window->item_count; i++) {
        const tacho_tt_op *op = &window->items[i];
        queue *of = NULL;
        if (!is_device_op(op)) {
            TACHO_TRY(add_merged(self, op));
            continue;
        }
        TACHO_TRY(find_queue(self, op->device, &of));
        TACHO_TRY(tacho_grow(&of->items, &of->item_capacity, of->item_count + 1));
        of->items[of->item_count++] = op;
    }
    if (self->queue_count > 1) {
        qsort(self->queues, self->queue_count, sizeof(*self->queues), compare_queues);
    }
    return TACHO_OK;
}

/* Collectives take the average time of the devices; for other ops the slowest counts. */
static bool is_collective(tacho_str code)
{
    return tacho_tt_holds(code, "AllGather") || tacho_tt_holds(code, "ReduceScatter") ||
           tacho_tt_holds(code, "AllReduce");
}

/* Merges one op of all devices whose next op has the same name, which is that of the first device
 * with ops left. */
static tacho_status merge_next(merging *self, bool *out_any)
{
    tacho_tt_op chosen = {.part = 0};
    double sum = 0;
    size_t timed_count = 0;
    size_t missing_count = 0;
    *out_any = false;
    for (size_t i = 0; i < self->queue_count; i++) {
        queue *of = &self->queues[i];
        const tacho_tt_op *op = of->next < of->item_count ? of->items[of->next] : NULL;
        if (op == NULL || (*out_any && !tacho_str_equal(op->code, chosen.code))) {
            missing_count++;
            continue;
        }
        of->next++;
        sum += isnan(op->kernel_ns) ? 0 : op->kernel_ns;
        timed_count += isnan(op->kernel_ns) ? 0 : 1;
        if (!*out_any || (!is_collective(op->code) && op->kernel_ns > chosen.kernel_ns)) {
            chosen = *op;
        }
        *out_any = true;
    }
    if (!*out_any) {
        return TACHO_OK;
    }
    self->unmatched_count += missing_count > 0 ? 1 : 0;
    if (is_collective(chosen.code)) {
        chosen.kernel_ns = timed_count > 0 ? sum / (double)timed_count : TACHO_TT_NONE;
    }
    return add_merged(self, &chosen);
}

tacho_status tacho_tt_window_merge(tacho_tt_report *report, tacho_tt_window *window)
{
    merging self = {.queues = NULL};
    bool has_more = true;
    tacho_status status = fill_queues(&self, window);
    while (status == TACHO_OK && has_more && self.queue_count > 0) {
        status = merge_next(&self, &has_more);
    }
    for (size_t i = 0; i < self.queue_count; i++) {
        free(self.queues[i].items);
    }
    free(self.queues);
    report->unmatched_count = self.unmatched_count;
    tacho_tt_window_deinit(window);
    *window = self.merged;
    sort_by_row(window);
    return status;
}
