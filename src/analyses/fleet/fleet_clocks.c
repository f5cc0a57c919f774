/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The largest cluster of files that collectives link has the reference.
 */
#include "analyses/fleet/fleet_clocks.h"
#include "analyses/fleet/fleet_links.h"
#include "analyses/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

/* ---- all ----------------------------------------------------------------------------------- */

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
        tacho_fleet_clock clock = {.file = id};
        if (file != NULL && file->clock_error_ns >= 0) {
            clock.method = TACHO_FLEET_BY_TIME_OF_DAY;
            clock.own_error_ns = file->clock_error_ns;
        }
        clocks->items[clocks->item_count++] = clock;
    }
    qsort(clocks->items, clocks->item_count, sizeof(*clocks->items), compare_clocks);
    return TACHO_OK;
}

/* Files that are linked to the first one know their clocks from that. */
static void choose_methods(tacho_fleet_clocks *clocks)
{
    for (size_t i = 0; i < clocks->item_count; i++) {
        tacho_fleet_clock *clock = &clocks->items[i];
        if (clock->cluster == 0 && clock->matched_count > 0) {
            clock->method = TACHO_FLEET_BY_COLLECTIVES;
        } else {
            const tacho_fleet_clock alone = {
                .file = clock->file, .method = clock->method, .error_ns = clock->own_error_ns};
            *clock = alone;
        }
    }
}

tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks, const tacho_fleet_view *view)
{
    size_t cluster_count = 0;
    *clocks = (tacho_fleet_clocks){.item_count = 0};
    TACHO_TRY(list_files(clocks, view));
    TACHO_TRY(tacho_fleet_links_find(view->fleet, clocks, &cluster_count));
    choose_methods(clocks);
    return TACHO_OK;
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
    tacho_fleet_clocks_deinit(&clocks);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_fleet_question tacho_fleet_question_clocks = {
    .name = "clocks",
    .sections = TACHO_FLEET_COLLECTIVES,
    .write = write_clocks,
};
