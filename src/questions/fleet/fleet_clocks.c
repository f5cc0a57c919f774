/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clusters are files that collectives link. All clusters of a run that know the time of day share
 * one axis. The reference is on this axis or in one of the other clusters, whichever has the most
 * files.
 */
#include "questions/fleet/fleet_clocks.h"
#include "questions/fleet/fleet_links.h"
#include "questions/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

/* ---- files --------------------------------------------------------------------------------- */

static int compare_clocks(const void *left, const void *right)
{
    uint64_t a = ((const tacho_fleet_clock *)left)->file;
    uint64_t b = ((const tacho_fleet_clock *)right)->file;
    return (a > b) - (a < b);
}

static tacho_status list_files(tacho_fleet_clocks *clocks, const tacho_fleet_view *view)
{
    const tacho_fleet_table *files = &view->fleet->tables[TACHO_FLEET_TABLE_FILES];
    TACHO_TRY(tacho_items_make(&clocks->items, files->row_count));
    for (size_t i = 0; i < files->row_count; i++) {
        uint64_t id = tacho_fleet_get_id(tacho_fleet_key(&files->keys, i));
        const tacho_fleet_file *file = tacho_fleet_view_file(view, id);
        clocks->items[clocks->item_count++] = (tacho_fleet_clock){
            .file = id, .own_error_ns = file != NULL ? file->clock_error_ns : -1};
    }
    qsort(clocks->items, clocks->item_count, sizeof(*clocks->items), compare_clocks);
    return TACHO_OK;
}

/* ---- clusters ------------------------------------------------------------------------------ */

/* Files that collectives link: all are of one run. */
typedef struct cluster {
    uint32_t run; /* text */
    size_t number, file_count;
    const tacho_fleet_clock *day; /* the file with the least error of the time of day, or NULL */
    int64_t day_error_ns;         /* that error */
    /* The result. */
    tacho_fleet_method method;
    int64_t shift_ns;            /* of its offsets */
    tacho_fleet_clock reference; /* of the run: |day_ns| and so on */
} cluster;

/* Errors of damaged files may be arbitrarily large. */
static int64_t add_errors(int64_t a, int64_t b)
{
    return a > TACHO_FLEET_TIME_MAX - b ? TACHO_FLEET_TIME_MAX : a + b;
}

static void add_to_cluster(cluster *to, const tacho_fleet_clock *clock)
{
    to->file_count++;
    if (clock->own_error_ns < 0) {
        return;
    }
    int64_t error_ns = add_errors(clock->error_ns, clock->own_error_ns);
    if (to->day == NULL || error_ns < to->day_error_ns) {
        to->day = clock;
        to->day_error_ns = error_ns;
    }
}

static void fill_clusters(const tacho_fleet_clocks *clocks, const tacho_fleet_view *view,
                          cluster *clusters)
{
    for (size_t i = 0; i < clocks->item_count; i++) {
        const tacho_fleet_clock *clock = &clocks->items[i];
        const tacho_fleet_file *file = tacho_fleet_view_file(view, clock->file);
        cluster *to = &clusters[clock->cluster];
        to->number = clock->cluster;
        to->run = file != NULL ? file->run : TACHO_NONE;
        add_to_cluster(to, clock);
    }
}

static int compare_runs(const void *left, const void *right)
{
    const cluster *a = left;
    const cluster *b = right;
    if (a->run != b->run) {
        return a->run < b->run ? -1 : 1;
    }
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *left, const void *right)
{
    const cluster *a = left;
    const cluster *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Relates all clusters of a run that know the time of day to |first|, which is one of them. */
static void relate_by_day(cluster *clusters, size_t count, cluster *first)
{
    tacho_fleet_clock reference = {.has_day = true};
    if (first->file_count > 1) {
        first->method = TACHO_FLEET_BY_COLLECTIVES;
        reference.day_ns = first->day->offset_ns;
        reference.day_error_ns = first->day_error_ns;
    }
    for (size_t i = 0; i < count; i++) {
        if (clusters[i].day == NULL) {
            continue;
        }
        clusters[i].reference = reference;
        if (clusters[i].method == TACHO_FLEET_BY_NOTHING) {
            clusters[i].method = TACHO_FLEET_BY_TIME_OF_DAY;
            clusters[i].shift_ns = reference.day_ns - clusters[i].day->offset_ns;
        }
    }
}

/* Chooses the reference of a run, whose clusters have the most matches first. */
static void settle_run(cluster *clusters, size_t count)
{
    cluster *first_by_day = NULL;
    cluster *largest = NULL;
    size_t day_count = 0;
    for (size_t i = 0; i < count; i++) {
        cluster *at = &clusters[i];
        if (at->day != NULL) {
            first_by_day = first_by_day != NULL ? first_by_day : at;
            day_count += at->file_count;
        } else if (largest == NULL || at->file_count > largest->file_count) {
            largest = at;
        }
    }
    if (first_by_day != NULL && (largest == NULL || day_count >= largest->file_count)) {
        relate_by_day(clusters, count, first_by_day);
    } else if (largest != NULL && largest->file_count > 1) {
        largest->method = TACHO_FLEET_BY_COLLECTIVES;
    }
}

static void settle_clock(tacho_fleet_clock *clock, const cluster *of)
{
    bool is_by_day = of->method == TACHO_FLEET_BY_TIME_OF_DAY;
    int64_t offset_ns = clock->offset_ns + of->shift_ns;
    bool fits = offset_ns <= TACHO_FLEET_TIME_MAX && offset_ns >= -TACHO_FLEET_TIME_MAX;
    tacho_fleet_clock made = {.file = clock->file, .own_error_ns = clock->own_error_ns};
    if (of->method != TACHO_FLEET_BY_NOTHING && fits) {
        made = of->reference;
        made.file = clock->file;
        made.method = of->method;
        made.offset_ns = offset_ns;
        made.error_ns = clock->error_ns;
        made.matched_count = clock->matched_count;
        made.own_error_ns = clock->own_error_ns;
    }
    if (made.method != TACHO_FLEET_BY_NOTHING && is_by_day) {
        /* Via the file with the least error of the time of day. */
        int64_t way_ns =
            clock == of->day ? clock->own_error_ns : add_errors(clock->error_ns, of->day_error_ns);
        made.error_ns = add_errors(of->reference.day_error_ns, way_ns);
    }
    made.cluster = clock->cluster;
    *clock = made;
}

static tacho_status settle_clocks(tacho_fleet_clocks *clocks, const tacho_fleet_view *view,
                                  size_t cluster_count)
{
    cluster *clusters = NULL;
    size_t end = 0;
    TACHO_TRY(tacho_items_make(&clusters, cluster_count));
    fill_clusters(clocks, view, clusters);
    qsort(clusters, cluster_count, sizeof(*clusters), compare_runs);
    for (size_t first = 0; first < cluster_count; first = end) {
        for (end = first; end < cluster_count && clusters[end].run == clusters[first].run; end++) {
        }
        settle_run(&clusters[first], end - first);
    }
    qsort(clusters, cluster_count, sizeof(*clusters), compare_numbers);
    for (size_t i = 0; i < clocks->item_count; i++) {
        settle_clock(&clocks->items[i], &clusters[clocks->items[i].cluster]);
    }
    free(clusters);
    return TACHO_OK;
}

tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks, const tacho_fleet_view *view)
{
    size_t cluster_count = 0;
    *clocks = (tacho_fleet_clocks){.item_count = 0};
    TACHO_TRY(list_files(clocks, view));
    TACHO_TRY(tacho_fleet_links_find(view->fleet, clocks, &cluster_count));
    return settle_clocks(clocks, view, cluster_count);
}

void tacho_fleet_clocks_deinit(tacho_fleet_clocks *clocks)
{
    free(clocks->items);
    *clocks = (tacho_fleet_clocks){.item_count = 0};
}

/* ---- table --------------------------------------------------------------------------------- */

static const tacho_column columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(RANK, "rank", INT),
    TACHO_COLUMN(PATH, "path", TEXT),
    TACHO_COLUMN(OFFSET_NS, "ahead by", DURATION),
    TACHO_COLUMN(ERROR_NS, "within", DURATION),
    TACHO_COLUMN(METHOD, "known from", TEXT),
    TACHO_COLUMN(MATCHED_COUNT, "matched", INT),
};

static tacho_status add_clock(const tacho_fleet_view *view, const tacho_fleet_clock *clock,
                              tacho_table *table)
{
    static const char *const methods[] = {"nothing", "collectives", "time of day"};
    bool is_known = clock->method != TACHO_FLEET_BY_NOTHING;
    TACHO_TRY(tacho_fleet_add_who(view, clock->file, table));
    TACHO_TRY(is_known ? tacho_table_add_int(table, clock->offset_ns)
                       : tacho_table_add_absent(table));
    TACHO_TRY(is_known ? tacho_table_add_int(table, clock->error_ns)
                       : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(methods[clock->method])));
    return tacho_table_add_int(table, (int64_t)clock->matched_count);
}

static tacho_status add_clocks(const tacho_fleet_view *view, const tacho_fleet_clocks *clocks,
                               size_t top, tacho_table *table)
{
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, clocks->item_count));
    for (size_t i = 0; i < clocks->item_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(view, clocks->items[i].file);
        int64_t offset_ns = clocks->items[i].offset_ns;
        places[i] = (tacho_fleet_place){
            (double)(offset_ns < 0 ? -offset_ns : offset_ns),
            file != NULL ? tacho_fleet_view_path(view, file) : TACHO_STR(""), i};
    }
    size_t shown = tacho_fleet_sort(places, clocks->item_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_clock(view, &clocks->items[places[i].index], table);
    }
    free(places);
    return status;
}

static tacho_status write_clocks(const tacho_fleet_view *view, const tacho_fleet_options *options,
                                 const tacho_table_taker *to)
{
    tacho_table table;
    tacho_fleet_clocks clocks;
    tacho_table_init(&table, "clocks", "Clocks, the farthest from the reference first", columns,
                     sizeof(columns) / sizeof(columns[0]));
    tacho_status status = tacho_fleet_clocks_init(&clocks, view);
    if (status == TACHO_OK) {
        status = add_clocks(view, &clocks, options->top, &table);
    }
    size_t count = clocks.item_count;
    tacho_fleet_clocks_deinit(&clocks);
    status = tacho_table_hand_over(to, status, &table);
    if (status == TACHO_OK) {
        tacho_fleet_say_more(options, count, "clock");
    }
    return status;
}

const tacho_fleet_question tacho_fleet_question_clocks = {
    .name = "clocks",
    .sections = TACHO_FLEET_COLLECTIVES,
    .write = write_clocks,
};
