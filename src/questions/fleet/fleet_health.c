/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Health: files that could not be read, were cut or lost records, copies, ranks without a file,
 * files written by a different program than the rest, and clocks that cannot belong to the same
 * run.
 */
#include "questions/fleet/fleet_tables.h"

#include "base/duration.h"
#include "base/grow.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DETAIL_BYTES = 320 };

/* Ranks need not start at one moment. */
#define CLOSE_NS INT64_C(1000000000)

static const tacho_column columns[] = {
    TACHO_COLUMN(PROBLEM, "problem", TEXT), TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(HOST, "host", TEXT),       TACHO_COLUMN(RANK, "rank", INT),
    TACHO_COLUMN(PATH, "path", TEXT),       TACHO_COLUMN(DETAIL, "detail", TEXT),
};

typedef struct health {
    const tacho_fleet_view *view;
    tacho_table *table;
    const tacho_fleet_file **files; /* by run, rank, path */
    size_t file_count;
} health;

static tacho_str path_of(const health *self, const tacho_fleet_file *file)
{
    return tacho_fleet_view_path(self->view, file);
}

static uint64_t id_of(const health *self, const tacho_fleet_file *file)
{
    const tacho_fleet *fleet = self->view->fleet;
    return tacho_fleet_get_id(tacho_fleet_key(&fleet->file_keys, (size_t)(file - fleet->files)));
}

static tacho_status add_problem(const health *self, const char *problem,
                                const tacho_fleet_file *file, tacho_str detail)
{
    tacho_table *table = self->table;
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(problem)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(self->view, file->run)));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(self->view, file->host)));
    TACHO_TRY(file->rank >= 0 ? tacho_table_add_int(table, file->rank)
                              : tacho_table_add_absent(table));
    TACHO_TRY(tacho_fleet_add_text(table, path_of(self, file)));
    return tacho_fleet_add_text(table, detail);
}

/*
 * Why a file was not read, without its path, which has its own cell: "PATH:7: why" becomes "line 7:
 * why".
 */
static tacho_status add_failure(const health *self, const tacho_fleet_file *file)
{
    char detail[DETAIL_BYTES];
    uint64_t line = 0;
    tacho_str path = path_of(self, file);
    tacho_str reason = tacho_fleet_view_text(self->view, file->reason);
    tacho_str rest = tacho_str_from(reason, tacho_least(path.len, reason.len));
    bool is_of_path = path.len > 0 && tacho_str_starts_with(reason, path) && rest.len > 2;
    if (is_of_path && tacho_str_starts_with(rest, TACHO_STR(": "))) {
        return add_problem(self, "not read", file, tacho_str_from(rest, 2));
    }
    size_t end =
        is_of_path && rest.data[0] == ':' ? tacho_str_find_byte(tacho_str_from(rest, 1), ':') : 0;
    if (end == 0 || end + 3 >= rest.len ||
        !tacho_str_parse_u64(tacho_str_make(rest.data + 1, end), &line)) {
        return add_problem(self, "not read", file, reason);
    }
    rest = tacho_str_from(rest, end + 3);
    int len = snprintf(detail, sizeof(detail), "line %" PRIu64 ": %.*s", line,
                       (int)tacho_least(rest.len, DETAIL_BYTES - 32), rest.data);
    return add_problem(self, "not read", file, tacho_str_make(detail, (size_t)len));
}

/* ---- single files -------------------------------------------------------------------------- */

static tacho_status check_copy(const health *self, const tacho_fleet_file *file)
{
    uint64_t id = id_of(self, file);
    char key[TACHO_FLEET_ID_BYTES];
    char detail[DETAIL_BYTES];
    const tacho_fleet_file *first = tacho_fleet_view_file(self->view, id);
    if (first != file) {
        tacho_str path = path_of(self, first);
        int len =
            snprintf(detail, sizeof(detail), "not counted: a copy of %.*s",
                     (int)(path.len < DETAIL_BYTES / 2 ? path.len : DETAIL_BYTES / 2), path.data);
        return add_problem(self, "copy", file, tacho_str_make(detail, (size_t)len));
    }
    const tacho_fleet_table *files = &self->view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    tacho_fleet_put_id(key, id);
    uint32_t place = tacho_strings_find(&files->keys, tacho_str_make(key, sizeof(key)));
    return place != TACHO_NONE && place > 0 && files->rows[place - 1].file_count > 1
               ? add_problem(self, "counted twice", file,
                             TACHO_STR("appears in several parts; make one part per file"))
               : TACHO_OK;
}

static tacho_status check_losses(const health *self, const tacho_fleet_file *file)
{
    char detail[DETAIL_BYTES];
    tacho_str reason = tacho_fleet_view_text(self->view, file->reason);
    if (file->state == TACHO_FLEET_CUT) {
        return add_problem(self, "cut off", file, reason);
    }
    int len = snprintf(detail, sizeof(detail), "%" PRIu64 " lost: %.*s", file->lost_count,
                       (int)tacho_least(reason.len, DETAIL_BYTES / 2), reason.data);
    return add_problem(self, "records lost", file, tacho_str_make(detail, (size_t)len));
}

static tacho_status check_clock_step(const health *self, const tacho_fleet_file *file)
{
    char detail[DETAIL_BYTES];
    char text[TACHO_DURATION_TEXT_MAX];
    bool is_back = file->clock_step_ns < 0 && file->clock_step_ns > INT64_MIN;
    tacho_duration_format(is_back ? -file->clock_step_ns : file->clock_step_ns, text);
    int len = snprintf(detail, sizeof(detail), "set %s by %s while it recorded",
                       is_back ? "back" : "ahead", text);
    return add_problem(self, "clock was set", file, tacho_str_make(detail, (size_t)len));
}

static tacho_status check_own_rank(const health *self, const tacho_fleet_file *file)
{
    char detail[DETAIL_BYTES];
    int len =
        snprintf(detail, sizeof(detail), "the file says rank %" PRId64 ", its directory %" PRId64,
                 file->own_rank, file->rank);
    return add_problem(self, "other rank", file, tacho_str_make(detail, (size_t)len));
}

static tacho_status check_file(const health *self, const tacho_fleet_file *file)
{
    if (file->state == TACHO_FLEET_FAILED) {
        return add_failure(self, file);
    }
    TACHO_TRY(file->state != TACHO_FLEET_READ ? check_losses(self, file) : TACHO_OK);
    TACHO_TRY(file->clock_step_ns != 0 ? check_clock_step(self, file) : TACHO_OK);
    TACHO_TRY(file->own_rank >= 0 ? check_own_rank(self, file) : TACHO_OK);
    return check_copy(self, file);
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* The files of one run. */
typedef struct run_files {
    const tacho_fleet_file *const *items;
    size_t item_count;
} run_files;

/* Adds a row for |ranks|, from the first up to but not including the second, which have no file;
 * the run has |world| ranks. */
static tacho_status add_missing(const health *self, const tacho_fleet_file *of,
                                const int64_t ranks[2], int64_t world)
{
    tacho_table *table = self->table;
    bool is_one = ranks[1] - ranks[0] == 1;
    char detail[DETAIL_BYTES];
    if (is_one) {
        snprintf(detail, sizeof(detail), "no file for this rank; the job has %" PRId64, world);
    } else {
        snprintf(detail, sizeof(detail),
                 "no files for ranks %" PRId64 " to %" PRId64 "; the job has %" PRId64, ranks[0],
                 ranks[1] - 1, world);
    }
    TACHO_TRY(tacho_table_add_text(table, is_one ? TACHO_STR("missing rank")
                                                 : TACHO_STR("missing ranks")));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_view_text(self->view, of->run)));
    TACHO_TRY(tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, ranks[0]));
    TACHO_TRY(tacho_table_add_absent(table));
    return tacho_table_add_text(table, tacho_str_from_cstring(detail));
}

/* Ranks that have no file, neighbours in one row; those of a run are in order. */
static tacho_status check_ranks(const health *self, const run_files *run)
{
    int64_t world = 0, next = 0;
    for (size_t i = 0; i < run->item_count; i++) {
        world = tacho_most(world, tacho_most(run->items[i]->world_size, run->items[i]->rank + 1));
    }
    for (size_t i = 0; i <= run->item_count; i++) {
        int64_t rank = i < run->item_count ? run->items[i]->rank : world;
        if (rank > next) {
            const int64_t ranks[2] = {next, rank};
            TACHO_TRY(add_missing(self, run->items[0], ranks, world));
        }
        next = rank >= next ? rank + 1 : next;
    }
    return TACHO_OK;
}

/* Ranks that have several files in one run: these are of several runs, or of several windows. */
static tacho_status check_twice(const health *self, const run_files *run)
{
    for (size_t i = 1; i < run->item_count; i++) {
        const tacho_fleet_file *file = run->items[i];
        const tacho_fleet_file *other = run->items[i - 1];
        char detail[DETAIL_BYTES];
        if (file->rank < 0 || file->rank != other->rank || file->state == TACHO_FLEET_FAILED ||
            other->state == TACHO_FLEET_FAILED || id_of(self, file) == id_of(self, other)) {
            continue;
        }
        tacho_str path = path_of(self, other);
        int len =
            snprintf(detail, sizeof(detail), "two runs? use directories run=ID; mixed with %.*s",
                     (int)tacho_least(path.len, DETAIL_BYTES / 2), path.data);
        TACHO_TRY(add_problem(self, "same rank", file, tacho_str_make(detail, (size_t)len)));
    }
    return TACHO_OK;
}

/* The writer of most files of |run|, a text; ties go to the first by alphabet. */
static tacho_status find_usual_writer(const health *self, const run_files *run, uint32_t *out_usual)
{
    size_t *counts = NULL;
    *out_usual = 0;
    TACHO_TRY(tacho_items_make(&counts, self->view->fleet->texts.item_count));
    for (size_t i = 0; i < run->item_count; i++) {
        counts[run->items[i]->writer] += run->items[i]->state != TACHO_FLEET_FAILED ? 1 : 0;
    }
    for (size_t i = 0; i < run->item_count; i++) {
        uint32_t writer = run->items[i]->writer;
        tacho_str text = tacho_fleet_view_text(self->view, writer);
        bool is_first = tacho_str_compare(text, tacho_fleet_view_text(self->view, *out_usual)) < 0;
        if (counts[writer] > counts[*out_usual] ||
            (counts[writer] == counts[*out_usual] && is_first)) {
            *out_usual = writer;
        }
    }
    free(counts);
    return TACHO_OK;
}

/* Removes the common start and end of two lists separated by ", ", unless one would become
 * empty. */
static void leave_out_common(tacho_str *a, tacho_str *b)
{
    size_t same = 0, ahead = 0, behind = 0, end = 0;
    for (; same < a->len && same < b->len && a->data[same] == b->data[same]; same++) {
        ahead = a->data[same] == ' ' && same > 0 && a->data[same - 1] == ',' ? same + 1 : ahead;
    }
    size_t shorter = tacho_least(a->len, b->len) - ahead;
    for (; end < shorter && a->data[a->len - 1 - end] == b->data[b->len - 1 - end]; end++) {
        bool is_start = a->data[a->len - 1 - end] == ',';
        behind = is_start ? end + 1 : behind;
    }
    bool has_more = a->len > ahead + behind && b->len > ahead + behind;
    *a = has_more ? tacho_str_make(a->data + ahead, a->len - ahead - behind) : *a;
    *b = has_more ? tacho_str_make(b->data + ahead, b->len - ahead - behind) : *b;
}

/* Names the files whose writer differs from that of most files. */
static tacho_status check_writers(const health *self, const run_files *run)
{
    uint32_t usual = 0;
    TACHO_TRY(find_usual_writer(self, run, &usual));
    for (size_t i = 0; i < run->item_count; i++) {
        const tacho_fleet_file *file = run->items[i];
        if (file->state == TACHO_FLEET_FAILED || file->writer == usual) {
            continue;
        }
        tacho_str own = tacho_fleet_view_text(self->view, file->writer);
        tacho_str others = tacho_fleet_view_text(self->view, usual);
        char detail[DETAIL_BYTES];
        leave_out_common(&own, &others);
        int len = snprintf(detail, sizeof(detail), "%.*s; most files: %.*s",
                           (int)(own.len < 128 ? own.len : 128), own.data,
                           (int)(others.len < 128 ? others.len : 128), others.data);
        TACHO_TRY(add_problem(self, "other version", file, tacho_str_make(detail, (size_t)len)));
    }
    return TACHO_OK;
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Whether times of the file are since 1970, not since some start. */
static bool knows_time(const tacho_fleet_file *file)
{
    return file->state != TACHO_FLEET_FAILED && file->first_ns >= TACHO_FLEET_DAY_LEAST;
}

static tacho_status check_clock(const health *self, const tacho_fleet_file *file, int64_t first_ns,
                                int64_t end_ns)
{
    bool is_behind = file->end_ns < first_ns - CLOSE_NS;
    if (!knows_time(file) || (!is_behind && file->first_ns - CLOSE_NS <= end_ns)) {
        return TACHO_OK;
    }
    char text[TACHO_DURATION_TEXT_MAX];
    char detail[DETAIL_BYTES];
    int64_t apart_ns = is_behind ? first_ns - file->first_ns : file->first_ns - first_ns;
    tacho_duration_format(apart_ns, text);
    int len = snprintf(detail, sizeof(detail), "starts %s %s than half of the files", text,
                       is_behind ? "earlier" : "later");
    return add_problem(self, "other time", file, tacho_str_make(detail, (size_t)len));
}

/* A file that shares no moment with the median one has another clock or belongs to another run. */
static tacho_status check_clocks(const health *self, const run_files *run)
{
    int64_t *times = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&times, 2 * run->item_count));
    for (size_t i = 0; i < run->item_count; i++) {
        if (knows_time(run->items[i])) {
            times[count] = run->items[i]->first_ns;
            times[run->item_count + count++] = run->items[i]->end_ns;
        }
    }
    tacho_status status = TACHO_OK;
    if (count > 2) {
        qsort(times, count, sizeof(*times), compare_times);
        qsort(times + run->item_count, count, sizeof(*times), compare_times);
    }
    for (size_t i = 0; i < run->item_count && count > 2 && status == TACHO_OK; i++) {
        status =
            check_clock(self, run->items[i], times[count / 2], times[run->item_count + count / 2]);
    }
    free(times);
    return status;
}

/* ---- all ----------------------------------------------------------------------------------- */

/* Files of one fleet, for qsort: the view is the same for all. */
typedef struct sortable_file {
    const tacho_fleet_file *file;
    tacho_str run, path;
} sortable_file;

static int compare_files(const void *left, const void *right)
{
    const sortable_file *a = left;
    const sortable_file *b = right;
    int order = tacho_str_compare(a->run, b->run);
    if (order == 0 && a->file->rank != b->file->rank) {
        order = a->file->rank < b->file->rank ? -1 : 1;
    }
    return order != 0 ? order : tacho_str_compare(a->path, b->path);
}

static tacho_status sort_files(health *self)
{
    const tacho_fleet *fleet = self->view->fleet;
    sortable_file *items = NULL;
    TACHO_TRY(tacho_items_make(&items, fleet->file_count));
    for (size_t i = 0; i < fleet->file_count; i++) {
        const tacho_fleet_file *file = &fleet->files[i];
        items[i] = (sortable_file){file, tacho_fleet_view_text(self->view, file->run),
                                   path_of(self, file)};
    }
    qsort(items, fleet->file_count, sizeof(*items), compare_files);
    tacho_status status = tacho_items_make(&self->files, fleet->file_count);
    for (size_t i = 0; i < fleet->file_count && status == TACHO_OK; i++) {
        self->files[self->file_count++] = items[i].file;
    }
    free(items);
    return status;
}

static tacho_status check_all(health *self)
{
    TACHO_TRY(sort_files(self));
    for (size_t i = 0; i < self->file_count; i++) {
        TACHO_TRY(check_file(self, self->files[i]));
    }
    size_t end = 0;
    for (size_t first = 0; first < self->file_count; first = end) {
        end = first;
        while (end < self->file_count && self->files[end]->run == self->files[first]->run) {
            end++;
        }
        const run_files run = {&self->files[first], end - first};
        TACHO_TRY(check_ranks(self, &run));
        TACHO_TRY(check_twice(self, &run));
        TACHO_TRY(check_writers(self, &run));
        TACHO_TRY(check_clocks(self, &run));
    }
    return TACHO_OK;
}

tacho_status tacho_fleet_health(const tacho_fleet_view *view, const tacho_table_taker *to,
                                size_t *out_problem_count)
{
    tacho_table table;
    health self = {.view = view, .table = &table};
    static const tacho_column_id kept[] = {TACHO_COL_PROBLEM, TACHO_COL_DETAIL, TACHO_COL_PATH,
                                           TACHO_COL_OTHER};
    tacho_table_init(&table, "health", "Health", columns, sizeof(columns) / sizeof(columns[0]));
    table.kept = kept;
    tacho_status status = check_all(&self);
    *out_problem_count = status == TACHO_OK ? tacho_table_row_count(&table) : 0;
    free(self.files);
    return tacho_table_hand_over(to, status, &table);
}
