/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files are settled in order of their errors, the least first. A settled file is compared with the
 * others in its calls, normally once per call, so that work grows with ends, not with pairs of
 * files.
 */
#include "questions/fleet/fleet_links.h"

#include "base/grow.h"
#include "base/heap.h"

#include <stdlib.h>
#include <string.h>

enum {
    MATCHED_LEAST = 2, /* the error of a single difference is unknown */
    COMPARED_MOST = 8, /* comparisons of the files of a call while some are not reached */
    SURE_COUNT = 4,    /* differences of a group whose error is more than luck */
    WORSE_MOST = 4,    /* groups with errors up to this many times the least are as good */
};

/* When a call ended by the clock of a file. */
typedef struct call_end {
    size_t call, file; /* indexes */
    tacho_i128 end_ns;
} call_end;

/* A call: its ends, and their state. */
typedef struct shared_call {
    uint64_t group; /* hash */
    size_t first, end;
    size_t unreached_count; /* its files that are not in a cluster yet */
    unsigned compared_count;
} shared_call;

/* The offset of one file to another, in one call. */
typedef struct difference {
    size_t file;
    uint64_t group;
    int64_t ns;
} difference;

typedef struct linking {
    tacho_fleet_clock *clocks;
    size_t clock_count;
    call_end *ends; /* by call, then file */
    size_t end_count;
    shared_call *calls;
    size_t call_count;
    size_t *own_first; /* by file: its first place in |own|; then the end of the last */
    size_t *own;       /* indexes of ends, by file */
    size_t *match_counts;
    bool *is_settled;
    difference *differences;
    size_t difference_count, difference_capacity;
    tacho_heap heap; /* files to be settled */
    size_t cluster;  /* the current one */
} linking;

/* ---- ends ---------------------------------------------------------------------------------- */

static int compare_clocks(const void *left, const void *right)
{
    uint64_t a = ((const tacho_fleet_clock *)left)->file;
    uint64_t b = ((const tacho_fleet_clock *)right)->file;
    return (a > b) - (a < b);
}

static const tacho_fleet_clock *find_clock(const linking *self, uint64_t file)
{
    const tacho_fleet_clock key = {.file = file};
    return self->clock_count > 0 ? bsearch(&key, self->clocks, self->clock_count,
                                           sizeof(*self->clocks), compare_clocks)
                                 : NULL;
}

/* Lists the ends of files that are counted once, by call and file. */
static void list_ends(linking *self, const tacho_fleet_table *table, const uint32_t *order)
{
    tacho_str last = TACHO_STR("");
    for (size_t i = 0; i < table->row_count; i++) {
        tacho_str key = tacho_fleet_key(&table->keys, order[i]);
        tacho_str call = tacho_str_make(key.data, 2 * TACHO_FLEET_ID_BYTES);
        const tacho_fleet_row *row = &table->rows[order[i]];
        const tacho_fleet_clock *clock =
            find_clock(self, tacho_fleet_get_id(tacho_str_from(key, call.len)));
        if (clock == NULL || row->count != 1) { /* counted twice: ambiguous */
            continue;
        }
        if (self->call_count == 0 || !tacho_str_equal(last, call)) {
            self->calls[self->call_count++] =
                (shared_call){.group = tacho_fleet_get_id(key), .first = self->end_count};
            last = call;
        }
        size_t file = (size_t)(clock - self->clocks);
        self->ends[self->end_count++] = (call_end){self->call_count - 1, file, row->total_ns};
        self->calls[self->call_count - 1].end = self->end_count;
        self->calls[self->call_count - 1].unreached_count++;
        self->own_first[file + 1]++;
    }
}

/* Lists ends by file, and counts the other ends that each file can be compared with. */
static tacho_status list_own(linking *self)
{
    size_t *next = NULL;
    for (size_t i = 0; i < self->clock_count; i++) {
        self->own_first[i + 1] += self->own_first[i];
    }
    TACHO_TRY(tacho_items_make(&next, self->clock_count));
    for (size_t i = 0; i < self->end_count; i++) {
        const shared_call *call = &self->calls[self->ends[i].call];
        size_t file = self->ends[i].file;
        self->own[self->own_first[file] + next[file]++] = i;
        self->match_counts[file] += call->end - call->first - 1;
    }
    free(next);
    return TACHO_OK;
}

static tacho_status prepare(linking *self, const tacho_fleet *fleet)
{
    const tacho_fleet_table *table = &fleet->tables[TACHO_FLEET_TABLE_ENDS];
    uint32_t *order = NULL;
    TACHO_TRY(tacho_items_make(&self->ends, table->row_count));
    TACHO_TRY(tacho_items_make(&self->calls, table->row_count));
    TACHO_TRY(tacho_items_make(&self->own, table->row_count));
    TACHO_TRY(tacho_items_make(&self->own_first, self->clock_count + 1));
    TACHO_TRY(tacho_items_make(&self->match_counts, self->clock_count));
    TACHO_TRY(tacho_items_make(&self->is_settled, self->clock_count));
    TACHO_TRY(tacho_fleet_order(&table->keys, table->row_count, &order));
    list_ends(self, table, order);
    free(order);
    return list_own(self);
}

static void release(linking *self)
{
    free(self->ends);
    free(self->calls);
    free(self->own);
    free(self->own_first);
    free(self->match_counts);
    free(self->is_settled);
    free(self->differences);
    tacho_heap_deinit(&self->heap);
}

/* ---- files --------------------------------------------------------------------------------- */

/* Takes over |found| for a file if it is better than before. */
static tacho_status reach(linking *self, size_t file, const tacho_fleet_clock *found)
{
    tacho_fleet_clock *clock = &self->clocks[file];
    bool is_new = clock->cluster == TACHO_FLEET_NO_CLUSTER;
    if (!is_new && found->error_ns >= clock->error_ns) {
        return TACHO_OK;
    }
    for (size_t i = self->own_first[file]; i < self->own_first[file + 1] && is_new; i++) {
        self->calls[self->ends[self->own[i]].call].unreached_count--;
    }
    clock->cluster = self->cluster;
    clock->offset_ns = found->offset_ns;
    clock->error_ns = found->error_ns;
    clock->matched_count = found->matched_count;
    return tacho_heap_add(&self->heap, (tacho_moment){(tacho_u128)found->error_ns, file, file});
}

/* Adds the offsets of the other files in the call of |own|. */
static tacho_status add_differences(linking *self, const call_end *own)
{
    shared_call *call = &self->calls[own->call];
    bool is_open = call->compared_count == 0 ||
                   (call->compared_count < COMPARED_MOST && call->unreached_count > 0);
    if (!is_open) {
        return TACHO_OK;
    }
    call->compared_count++;
    TACHO_TRY(tacho_grow(&self->differences, &self->difference_capacity,
                         self->difference_count + (call->end - call->first)));
    for (size_t i = call->first; i < call->end; i++) {
        tacho_i128 ns = self->ends[i].end_ns - own->end_ns;
        bool fits = ns <= TACHO_FLEET_TIME_MAX && ns >= -TACHO_FLEET_TIME_MAX;
        if (fits && !self->is_settled[self->ends[i].file]) {
            self->differences[self->difference_count++] =
                (difference){self->ends[i].file, call->group, (int64_t)ns};
        }
    }
    return TACHO_OK;
}

static int compare_differences(const void *left, const void *right)
{
    const difference *a = left;
    const difference *b = right;
    if (a->file != b->file) {
        return a->file < b->file ? -1 : 1;
    }
    if (a->group != b->group) {
        return a->group < b->group ? -1 : 1;
    }
    return (a->ns > b->ns) - (a->ns < b->ns);
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = ((const difference *)left)->ns;
    int64_t b = ((const difference *)right)->ns;
    return (a > b) - (a < b);
}

/* An estimate from the sorted differences of one file to another. */
typedef struct estimate {
    size_t first, count;
    int64_t middle_ns, error_ns;
} estimate;

static estimate estimate_of(const difference *items, size_t first, size_t count)
{
    int64_t middle = items[first + count / 2].ns;
    int64_t error_ns = tacho_most(middle - items[first].ns, items[first + count - 1].ns - middle);
    return (estimate){first, count, middle, error_ns};
}

/* The estimate from the next group after |last|; false if there is none. */
static bool next_group(const difference *items, size_t count, estimate *last)
{
    size_t first = last->first + last->count;
    size_t end = first;
    while (end < count && items[end].group == items[first].group) {
        end++;
    }
    if (end > first) {
        *last = estimate_of(items, first, end - first);
    }
    return end > first;
}

/* Whether |a| is preferred: few differences may have a small error by luck. */
static bool is_better(const estimate *a, const estimate *b)
{
    bool is_sure = a->count >= SURE_COUNT;
    if (b->count == 0 || is_sure != (b->count >= SURE_COUNT)) {
        return b->count == 0 || is_sure;
    }
    return a->error_ns < b->error_ns || (a->error_ns == b->error_ns && a->count > b->count);
}

/* The group with the least error; its count is 0 if no group has enough differences. */
static estimate find_best_group(const difference *items, size_t count)
{
    estimate best = {0}, at = {0};
    while (next_group(items, count, &at)) {
        best = at.count >= MATCHED_LEAST && is_better(&at, &best) ? at : best;
    }
    return best;
}

/*
 * The estimate from all groups that agree with the best one. Others do not: ranks do not leave
 * every kind of call together, such as a message from one to the other, and two groups may have the
 * same name.
 */
static estimate combine(difference *items, size_t count)
{
    const estimate best = find_best_group(items, count);
    estimate at = {0};
    size_t kept = 0;
    while (best.count > 0 && next_group(items, count, &at)) {
        int64_t apart_ns = tacho_most(at.middle_ns - best.middle_ns, best.middle_ns - at.middle_ns);
        bool agrees = at.first == best.first || (at.error_ns / WORSE_MOST <= best.error_ns &&
                                                 apart_ns / WORSE_MOST <= best.error_ns);
        if (agrees) {
            memmove(&items[kept], &items[at.first], at.count * sizeof(*items));
            kept += at.count;
        }
    }
    if (kept > 0) {
        qsort(items, kept, sizeof(*items), compare_times);
        return estimate_of(items, 0, kept);
    }
    return best;
}

/* Takes |count| differences of one file to the one at |from|. */
static tacho_status take_differences(linking *self, const tacho_fleet_clock *from,
                                     difference *items, size_t count)
{
    size_t file = items[0].file;
    const estimate all = combine(items, count);
    const tacho_fleet_clock found = {.offset_ns = from->offset_ns + all.middle_ns,
                                     .error_ns = from->error_ns + all.error_ns,
                                     .matched_count = all.count};
    bool fits = found.offset_ns <= TACHO_FLEET_TIME_MAX &&
                found.offset_ns >= -TACHO_FLEET_TIME_MAX && found.error_ns <= TACHO_FLEET_TIME_MAX;
    return all.count > 0 && fits ? reach(self, file, &found) : TACHO_OK;
}

/* Compares |file|, whose clock is settled, with others. */
static tacho_status compare_file(linking *self, size_t file)
{
    size_t end = 0;
    self->difference_count = 0;
    for (size_t i = self->own_first[file]; i < self->own_first[file + 1]; i++) {
        TACHO_TRY(add_differences(self, &self->ends[self->own[i]]));
    }
    difference *items = self->differences;
    if (self->difference_count > 0) {
        qsort(self->differences, self->difference_count, sizeof(*items), compare_differences);
    }
    for (size_t first = 0; first < self->difference_count; first = end) {
        for (end = first; end < self->difference_count && items[end].file == items[first].file;
             end++) {
        }
        TACHO_TRY(take_differences(self, &self->clocks[file], &items[first], end - first));
    }
    return TACHO_OK;
}

/* ---- clusters ------------------------------------------------------------------------------ */

/* The number of calls of |file| that other files share. */
static size_t count_shared(const linking *self, size_t file)
{
    size_t count = 0;
    for (size_t i = self->own_first[file]; i < self->own_first[file + 1]; i++) {
        const shared_call *call = &self->calls[self->ends[self->own[i]].call];
        count += call->end - call->first > 1 ? 1 : 0;
    }
    return count;
}

/* Adds all files that can be reached from |first|. */
static tacho_status grow_cluster(linking *self, size_t first)
{
    const tacho_fleet_clock own = {.matched_count = count_shared(self, first)};
    TACHO_TRY(reach(self, first, &own));
    while (self->heap.item_count > 0) {
        size_t file = (size_t)tacho_heap_take(&self->heap).value;
        if (!self->is_settled[file]) {
            self->is_settled[file] = true;
            TACHO_TRY(compare_file(self, file));
        }
    }
    return TACHO_OK;
}

/* A file, for the order of references. */
typedef struct ranked_file {
    size_t match_count, file;
} ranked_file;

static int compare_ranked(const void *left, const void *right)
{
    const ranked_file *a = left;
    const ranked_file *b = right;
    if (a->match_count != b->match_count) {
        return a->match_count > b->match_count ? -1 : 1;
    }
    return (a->file > b->file) - (a->file < b->file);
}

static tacho_status grow_clusters(linking *self)
{
    ranked_file *ranked = NULL;
    TACHO_TRY(tacho_items_make(&ranked, self->clock_count));
    for (size_t i = 0; i < self->clock_count; i++) {
        ranked[i] = (ranked_file){self->match_counts[i], i};
    }
    qsort(ranked, self->clock_count, sizeof(*ranked), compare_ranked);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < self->clock_count && status == TACHO_OK; i++) {
        if (self->clocks[ranked[i].file].cluster == TACHO_FLEET_NO_CLUSTER) {
            status = grow_cluster(self, ranked[i].file);
            self->cluster++;
        }
    }
    free(ranked);
    return status;
}

tacho_status tacho_fleet_links_find(const tacho_fleet *fleet, tacho_fleet_clocks *clocks,
                                    size_t *out_cluster_count)
{
    linking self = {.clocks = clocks->items, .clock_count = clocks->item_count};
    for (size_t i = 0; i < clocks->item_count; i++) {
        clocks->items[i].cluster = TACHO_FLEET_NO_CLUSTER;
    }
    tacho_status status = prepare(&self, fleet);
    if (status == TACHO_OK) {
        status = grow_clusters(&self);
    }
    *out_cluster_count = self.cluster;
    release(&self);
    return status;
}
