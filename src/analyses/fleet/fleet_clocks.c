/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends are in the order of their keys: by call, and within a call by file.
 */
#include "analyses/fleet/fleet_clocks.h"
#include "analyses/fleet/fleet_tables.h"

#include "base/grow.h"

#include <stdlib.h>

enum { MATCHED_LEAST = 2 }; /* one difference cannot say how sure it is */

/* When a call ended by the clock of a file. */
typedef struct call_end {
    uint64_t call, file;
    tacho_i128 end_ns;
} call_end;

typedef struct end_list {
    call_end *items; /* by call, then file */
    size_t item_count;
} end_list;

static tacho_status make_ends(const tacho_fleet *fleet, end_list *out_list)
{
    const tacho_fleet_table *table = &fleet->tables[TACHO_FLEET_TABLE_ENDS];
    uint32_t *order = NULL;
    *out_list = (end_list){.item_count = 0};
    TACHO_TRY(tacho_fleet_order(&table->keys, table->row_count, &order));
    tacho_status status = tacho_items_make(&out_list->items, table->row_count);
    for (size_t i = 0; i < table->row_count && status == TACHO_OK; i++) {
        tacho_str key = tacho_fleet_key(&table->keys, order[i]);
        const tacho_fleet_row *row = &table->rows[order[i]];
        if (row->count == 1) { /* several of one file, or a file counted twice, tell nothing */
            out_list->items[out_list->item_count++] = (call_end){
                tacho_fleet_get_id(key),
                tacho_fleet_get_id(tacho_str_from(key, TACHO_FLEET_ID_BYTES)), row->total_ns};
        }
    }
    free(order);
    return status;
}

/* ---- the reference ------------------------------------------------------------------------- */

static int compare_clocks(const void *left, const void *right)
{
    uint64_t a = ((const tacho_fleet_clock *)left)->file;
    uint64_t b = ((const tacho_fleet_clock *)right)->file;
    return (a > b) - (a < b);
}

static tacho_fleet_clock *find_clock(const tacho_fleet_clocks *clocks, uint64_t file)
{
    const tacho_fleet_clock key = {.file = file};
    return clocks->item_count > 0 ? bsearch(&key, clocks->items, clocks->item_count,
                                            sizeof(*clocks->items), compare_clocks)
                                  : NULL;
}

/* The file with the most ends, of equals the first; 0 where there are none. */
static uint64_t find_reference(tacho_fleet_clocks *clocks, const end_list *ends)
{
    uint64_t reference = 0;
    size_t most = 0;
    for (size_t i = 0; i < ends->item_count; i++) {
        tacho_fleet_clock *clock = find_clock(clocks, ends->items[i].file);
        if (clock != NULL) {
            clock->matched_count++;
        }
    }
    for (size_t i = 0; i < clocks->item_count; i++) {
        if (clocks->items[i].matched_count > most) {
            most = clocks->items[i].matched_count;
            reference = clocks->items[i].file;
        }
        clocks->items[i].matched_count = 0;
    }
    return reference;
}

/* ---- differences --------------------------------------------------------------------------- */

/* Of one file to the reference, in one call. */
typedef struct difference {
    uint64_t file;
    int64_t ns;
} difference;

static int compare_differences(const void *left, const void *right)
{
    const difference *a = left;
    const difference *b = right;
    if (a->file != b->file) {
        return a->file < b->file ? -1 : 1;
    }
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Fills |differences|, which has room for all ends; returns how many there are. */
static size_t make_differences(const end_list *ends, uint64_t reference, difference *differences)
{
    size_t count = 0, end = 0;
    for (size_t first = 0; first < ends->item_count; first = end) {
        const call_end *own = NULL;
        for (end = first;
             end < ends->item_count && ends->items[end].call == ends->items[first].call; end++) {
            own = ends->items[end].file == reference ? &ends->items[end] : own;
        }
        for (size_t i = first; i < end && own != NULL; i++) {
            tacho_i128 ns = ends->items[i].end_ns - own->end_ns;
            bool fits = ns <= TACHO_FLEET_TIME_MAX / 2 && ns >= -(TACHO_FLEET_TIME_MAX / 2);
            differences[count] = (difference){ends->items[i].file, fits ? (int64_t)ns : 0};
            count += fits ? 1 : 0;
        }
    }
    return count;
}

static void take_differences(tacho_fleet_clocks *clocks, difference *differences, size_t count)
{
    size_t end = 0;
    if (count > 0) {
        qsort(differences, count, sizeof(*differences), compare_differences);
    }
    for (size_t first = 0; first < count; first = end) {
        for (end = first; end < count && differences[end].file == differences[first].file; end++) {
        }
        tacho_fleet_clock *clock = find_clock(clocks, differences[first].file);
        int64_t middle = differences[first + (end - first) / 2].ns;
        if (clock != NULL && end - first >= MATCHED_LEAST) {
            clock->method = TACHO_FLEET_BY_COLLECTIVES;
            clock->offset_ns = middle;
            clock->error_ns =
                tacho_most(middle - differences[first].ns, differences[end - 1].ns - middle);
            clock->matched_count = end - first;
        }
    }
}

static tacho_status match(tacho_fleet_clocks *clocks, const end_list *ends)
{
    difference *differences = NULL;
    uint64_t reference = find_reference(clocks, ends);
    TACHO_TRY(tacho_items_make(&differences, ends->item_count));
    size_t count = make_differences(ends, reference, differences);
    take_differences(clocks, differences, count);
    free(differences);
    return TACHO_OK;
}

/* ---- all ----------------------------------------------------------------------------------- */

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
            clock.error_ns = file->clock_error_ns;
        }
        clocks->items[clocks->item_count++] = clock;
    }
    qsort(clocks->items, clocks->item_count, sizeof(*clocks->items), compare_clocks);
    return TACHO_OK;
}

tacho_status tacho_fleet_clocks_init(tacho_fleet_clocks *clocks, const tacho_fleet_view *view)
{
    end_list ends = {.item_count = 0};
    *clocks = (tacho_fleet_clocks){.item_count = 0};
    TACHO_TRY(list_files(clocks, view));
    tacho_status status = make_ends(view->fleet, &ends);
    if (status == TACHO_OK) {
        status = match(clocks, &ends);
    }
    free(ends.items);
    return status;
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
