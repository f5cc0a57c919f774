/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives, matched across ranks by run, group, name and number. All ranks leave a collective at
 * about the same time, so the rank that spent the least time in it was the last to arrive, and the
 * others waited for it as long as they spent more. This needs no common clock. If the second last
 * arrived hardly earlier, it may just as well have been the last: ranks leave at *about* the same
 * time.
 */
#include "questions/fleet/fleet_clocks.h"
#include "questions/fleet/fleet_tables.h"

#include "base/duration.h"
#include "base/grow.h"
#include "base/number_map.h"

#include <inttypes.h>
#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

static const tacho_column kind_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(GROUP, "group", TEXT),
    TACHO_COLUMN(COLLECTIVE, "collective", TEXT),
    TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN(COUNT, "count", INT),
    TACHO_COLUMN(TOTAL_NS, "total", DURATION),
    TACHO_COLUMN(MEAN_NS, "mean", DURATION),
    TACHO_COLUMN(P50_NS, "p50", DURATION),
    TACHO_COLUMN(P99_NS, "p99", DURATION),
    TACHO_COLUMN(MIN_NS, "min", DURATION),
    TACHO_COLUMN(MAX_NS, "max", DURATION),
    TACHO_COLUMN(SLOWEST, "max on", TEXT),
    TACHO_COLUMN(WAIT_NS, "waiting", DURATION),
    TACHO_COLUMN(WAIT_PERCENT, "waiting %", PERCENT),
};

static const tacho_column straggler_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(RANK, "rank", INT),
    TACHO_COLUMN(PATH, "path", TEXT),
    TACHO_COLUMN(LAST_COUNT, "came last", INT),
    TACHO_COLUMN(CLEARLY_LAST_COUNT, "clearly", INT),
    TACHO_COLUMN(CAUSED_WAIT_NS, "others waited", DURATION),
    TACHO_COLUMN(WAIT_PERCENT, "of all waiting", PERCENT),
    TACHO_COLUMN(LONGEST_WAIT_NS, "longest", DURATION),
};

static const tacho_column wait_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(GROUP, "group", TEXT),
    TACHO_COLUMN(COLLECTIVE, "collective", TEXT),
    TACHO_COLUMN(SEQUENCE, "number", INT),
    TACHO_COLUMN(FILES, "files", INT),
    TACHO_COLUMN(LAST_RANK, "came last", TEXT),
    TACHO_COLUMN(LAST_BY_NS, "by", DURATION),
    TACHO_COLUMN(WAITING_RANK, "waited longest", TEXT),
    TACHO_COLUMN(LONGEST_WAIT_NS, "waited", DURATION),
    TACHO_COLUMN(WAIT_NS, "all waited", DURATION),
};

tacho_i128 tacho_fleet_call_wait(const tacho_fleet_row *call)
{
    tacho_i128 wait = call->total_ns - (tacho_i128)call->least.ns * (tacho_i128)call->count;
    return wait > 0 ? wait : 0;
}

/* The key of the kind of the call with |key|. */
static tacho_str kind_of(tacho_str key)
{
    return key.len >= TACHO_FLEET_ID_BYTES
               ? tacho_str_make(key.data, key.len - TACHO_FLEET_ID_BYTES)
               : key;
}

/* ---- kinds --------------------------------------------------------------------------------- */

/* Waiting by kind; |waits| and |totals| are by row of the kinds. */
static void sum_waits(const tacho_fleet *fleet, tacho_i128 *waits, tacho_i128 *totals)
{
    const tacho_fleet_table *calls = &fleet->tables[TACHO_FLEET_TABLE_CALLS];
    for (size_t i = 0; i < calls->row_count; i++) {
        tacho_str kind = kind_of(tacho_fleet_key(&calls->keys, i));
        uint32_t place = tacho_strings_find(&fleet->tables[TACHO_FLEET_TABLE_KINDS].keys, kind);
        if (place != TACHO_NONE && place > 0) {
            waits[place - 1] += tacho_fleet_call_wait(&calls->rows[i]);
            totals[place - 1] += calls->rows[i].total_ns;
        }
    }
}

static tacho_status add_kind(const tacho_fleet_view *view, size_t index, tacho_i128 wait,
                             tacho_i128 total, tacho_table *table)
{
    const tacho_fleet_table *kinds = &view->fleet->tables[TACHO_FLEET_TABLE_KINDS];
    const tacho_fleet_row *row = &kinds->rows[index];
    tacho_str key = tacho_fleet_key(&kinds->keys, index);
    for (size_t i = 0; i < 3; i++) {
        TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_next_text(&key)));
    }
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->file_count));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->count));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(row->total_ns)));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_mean_ns(row->total_ns, row->count)));
    for (uint64_t percent = 50; percent <= 99; percent += 49) {
        int64_t ns = tacho_durations_percentile(row->durations, percent);
        ns = ns < row->least.ns ? row->least.ns : ns > row->most.ns ? row->most.ns : ns;
        TACHO_TRY(tacho_table_add_int(table, ns));
    }
    TACHO_TRY(tacho_table_add_int(table, row->least.ns));
    TACHO_TRY(tacho_table_add_int(table, row->most.ns));
    TACHO_TRY(tacho_fleet_add_label(view, row->most.file, table));
    TACHO_TRY(tacho_table_add_int(table, tacho_fleet_cell_ns(wait)));
    return tacho_fleet_add_percent(table, (double)wait, (double)total);
}

static tacho_status add_kinds(const tacho_fleet_view *view, size_t top, tacho_i128 *waits,
                              tacho_table *table)
{
    const tacho_fleet_table *kinds = &view->fleet->tables[TACHO_FLEET_TABLE_KINDS];
    tacho_i128 *totals = waits + kinds->row_count;
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, kinds->row_count));
    sum_waits(view->fleet, waits, totals);
    for (size_t i = 0; i < kinds->row_count; i++) {
        places[i] = (tacho_fleet_place){(double)kinds->rows[i].total_ns,
                                        tacho_fleet_key(&kinds->keys, i), i};
    }
    size_t shown = tacho_fleet_sort(places, kinds->row_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        size_t index = places[i].index;
        status = add_kind(view, index, waits[index], totals[index], table);
    }
    free(places);
    return status;
}

/* Notes when no collective, or only some of the calls, can be matched. */
static void say_unmatched(const tacho_fleet_view *view, const tacho_fleet_options *options)
{
    const tacho_fleet *fleet = view->fleet;
    const tacho_fleet_table *calls = &fleet->tables[TACHO_FLEET_TABLE_CALLS];
    size_t matched = 0;
    uint64_t kept = 0, all = 0;
    for (size_t i = 0; i < calls->row_count; i++) {
        matched += calls->rows[i].count > 1 ? 1 : 0;
        kept += calls->rows[i].count;
    }
    const tacho_fleet_table *kinds = &fleet->tables[TACHO_FLEET_TABLE_KINDS];
    for (size_t i = 0; i < kinds->row_count; i++) {
        all += kinds->rows[i].count;
    }
    if (all == 0) {
        tacho_note(options->ops.notes, "note", "no collectives were recorded");
    } else if (matched == 0) {
        tacho_note(options->ops.notes, "note",
                   "no collective can be matched with one of another file, so waiting times are "
                   "unknown");
    } else if (kept < all) {
        tacho_note(options->ops.notes, "note",
                   "waiting times come from %" PRIu64 " of %" PRIu64
                   " calls: files that are cut off cannot be matched by order, and of very many "
                   "calls a sample is kept",
                   kept, all);
    }
}

/* The longest of all matched calls. */
static int64_t longest_match(const tacho_fleet *fleet)
{
    const tacho_fleet_table *calls = &fleet->tables[TACHO_FLEET_TABLE_CALLS];
    int64_t longest_ns = 0;
    for (size_t i = 0; i < calls->row_count; i++) {
        longest_ns =
            calls->rows[i].count > 1 ? tacho_most(longest_ns, calls->rows[i].most.ns) : longest_ns;
    }
    return longest_ns;
}

/*
 * For any clocks of two files, the ends of their matched calls are equally far apart. If the
 * distances differ by more than any call takes, the calls do not belong together.
 */
static tacho_status say_doubt(const tacho_fleet_view *view, const tacho_fleet_options *options)
{
    char text[TACHO_DURATION_TEXT_MAX];
    tacho_fleet_clocks clocks;
    int64_t error_ns = 0;
    tacho_status status = tacho_fleet_clocks_init(&clocks, view);
    for (size_t i = 0; i < clocks.item_count && status == TACHO_OK; i++) {
        const tacho_fleet_clock *clock = &clocks.items[i];
        bool is_direct = clock->method == TACHO_FLEET_BY_COLLECTIVES && clock->matched_count > 1;
        error_ns = is_direct ? tacho_most(error_ns, clock->error_ns) : error_ns;
    }
    tacho_fleet_clocks_deinit(&clocks);
    int64_t longest_ns = longest_match(view->fleet);
    if (status == TACHO_OK && longest_ns > 0 && error_ns > longest_ns) {
        tacho_duration_format(error_ns, text);
        tacho_note(options->ops.notes, "warning",
                   "matched collectives end up to %s apart, which is longer than any of them "
                   "takes: files may not begin with the same call, and waiting times may be wrong",
                   text);
    }
    return status;
}

static tacho_status write_collectives(const tacho_fleet_view *view,
                                      const tacho_fleet_options *options,
                                      const tacho_table_taker *to)
{
    tacho_table table;
    tacho_i128 *waits = NULL;
    size_t kind_count = view->fleet->tables[TACHO_FLEET_TABLE_KINDS].row_count;
    tacho_table_init(&table, "collectives", "Collectives", kind_columns, COUNT_OF(kind_columns));
    tacho_status status = tacho_items_make(&waits, 2 * kind_count);
    if (status == TACHO_OK) {
        status = add_kinds(view, options->top, waits, &table);
    }
    free(waits);
    status = tacho_table_hand_over(to, status, &table);
    if (status == TACHO_OK) {
        tacho_fleet_say_more(options, kind_count, "row");
        say_unmatched(view, options);
        status = say_doubt(view, options);
    }
    return status;
}

/* ---- stragglers ---------------------------------------------------------------------------- */

typedef struct straggler {
    uint64_t file;
    int64_t last_count, clear_count, longest_ns;
    tacho_i128 caused_ns;
} straggler;

typedef struct straggler_list {
    tacho_number_map places; /* by file */
    straggler *items;
    size_t item_count, item_capacity;
    size_t call_count, unclear_count;
    tacho_fleet_run_sums runs; /* all waiting */
} straggler_list;

/*
 * Whether the last rank arrived after the second last by more than a twentieth of the longest wait
 * and a hundredth of the longest call. With two ranks the former always holds.
 */
static bool is_clear(const tacho_fleet_row *call)
{
    enum { WAIT_PART = 20, CALL_PART = 100 };
    tacho_i128 by_ns = (tacho_i128)call->second.ns - call->least.ns;
    return by_ns * WAIT_PART > (tacho_i128)call->most.ns - call->least.ns &&
           by_ns * CALL_PART > call->most.ns;
}

static tacho_status blame(straggler_list *list, const tacho_fleet_view *view,
                          const tacho_fleet_row *call)
{
    uint64_t *place = tacho_number_map_find(&list->places, call->least.file);
    uint64_t at = place != NULL ? *place : list->item_count;
    if (place == NULL) {
        TACHO_TRY(tacho_number_map_set(&list->places, call->least.file, at));
        TACHO_TRY(tacho_grow(&list->items, &list->item_capacity, list->item_count + 1));
        list->items[list->item_count++] = (straggler){.file = call->least.file};
    }
    straggler *item = &list->items[at];
    tacho_i128 wait = tacho_fleet_call_wait(call);
    item->last_count++;
    item->clear_count += is_clear(call) ? 1 : 0;
    item->caused_ns += wait;
    item->longest_ns = tacho_most(item->longest_ns, call->most.ns - call->least.ns);
    list->call_count++;
    list->unclear_count += is_clear(call) || wait == 0 ? 0 : 1;
    return tacho_fleet_run_sums_add(&list->runs, view, item->file, wait, 1);
}

static tacho_status add_stragglers(const tacho_fleet_view *view, const straggler_list *list,
                                   size_t top, tacho_table *table)
{
    tacho_fleet_place *places = NULL;
    TACHO_TRY(tacho_items_make(&places, list->item_count));
    for (size_t i = 0; i < list->item_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(view, list->items[i].file);
        places[i] = (tacho_fleet_place){
            (double)list->items[i].caused_ns,
            file != NULL ? tacho_fleet_view_path(view, file) : TACHO_STR(""), i};
    }
    size_t shown = tacho_fleet_sort(places, list->item_count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        const straggler *item = &list->items[places[i].index];
        tacho_i128 all_ns = tacho_fleet_run_sums_find(&list->runs, view, item->file).total_ns;
        status = tacho_fleet_add_who(view, item->file, table);
        status = status == TACHO_OK ? tacho_table_add_int(table, item->last_count) : status;
        status = status == TACHO_OK ? tacho_table_add_int(table, item->clear_count) : status;
        status = status == TACHO_OK
                     ? tacho_table_add_int(table, tacho_fleet_cell_ns(item->caused_ns))
                     : status;
        status = status == TACHO_OK
                     ? tacho_fleet_add_percent(table, (double)item->caused_ns, (double)all_ns)
                     : status;
        status = status == TACHO_OK ? tacho_table_add_int(table, item->longest_ns) : status;
    }
    free(places);
    return status;
}

static tacho_status add_wait(const tacho_fleet_view *view, size_t index, tacho_table *table)
{
    const tacho_fleet_table *calls = &view->fleet->tables[TACHO_FLEET_TABLE_CALLS];
    const tacho_fleet_row *row = &calls->rows[index];
    tacho_str key = tacho_fleet_key(&calls->keys, index);
    for (size_t i = 0; i < 3; i++) {
        TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_next_text(&key)));
    }
    TACHO_TRY(key.len == TACHO_FLEET_ID_BYTES
                  ? tacho_table_add_int(table, (int64_t)(tacho_fleet_get_id(key) & INT64_MAX))
                  : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)row->file_count));
    TACHO_TRY(tacho_fleet_add_label(view, row->least.file, table));
    TACHO_TRY(tacho_table_add_int(table, row->second.ns - row->least.ns));
    TACHO_TRY(tacho_fleet_add_label(view, row->most.file, table));
    TACHO_TRY(tacho_table_add_int(table, row->most.ns - row->least.ns));
    return tacho_table_add_int(table, tacho_fleet_cell_ns(tacho_fleet_call_wait(row)));
}

/* Notes rows that the tables omit, and collectives without a clear straggler. */
static void say_stragglers(const straggler_list *list, const tacho_fleet_options *options)
{
    tacho_fleet_say_more(options, list->item_count, "straggler");
    tacho_fleet_say_more(options, list->call_count, "collective");
    if (list->unclear_count > 0) {
        tacho_note(options->ops.notes, "note",
                   "in %zu of %zu collectives several ranks came last at about the same time; "
                   "'clearly' leaves these out",
                   list->unclear_count, list->call_count);
    }
}

static tacho_status add_waits(const tacho_fleet_view *view, size_t top, tacho_table *table)
{
    const tacho_fleet_table *calls = &view->fleet->tables[TACHO_FLEET_TABLE_CALLS];
    tacho_fleet_place *places = NULL;
    size_t count = 0;
    TACHO_TRY(tacho_items_make(&places, calls->row_count));
    for (size_t i = 0; i < calls->row_count; i++) {
        if (calls->rows[i].count > 1) {
            places[count++] = (tacho_fleet_place){(double)tacho_fleet_call_wait(&calls->rows[i]),
                                                  tacho_fleet_key(&calls->keys, i), i};
        }
    }
    size_t shown = tacho_fleet_sort(places, count, top);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < shown && status == TACHO_OK; i++) {
        status = add_wait(view, places[i].index, table);
    }
    free(places);
    return status;
}

static tacho_status write_stragglers(const tacho_fleet_view *view,
                                     const tacho_fleet_options *options,
                                     const tacho_table_taker *to)
{
    const tacho_fleet_table *calls = &view->fleet->tables[TACHO_FLEET_TABLE_CALLS];
    straggler_list list = {.item_count = 0};
    tacho_table tables[2];
    tacho_table_init(&tables[0], "stragglers", "Stragglers: whom the others waited for",
                     straggler_columns, COUNT_OF(straggler_columns));
    tacho_table_init(&tables[1], "waits", "Collectives with the longest waits", wait_columns,
                     COUNT_OF(wait_columns));
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < calls->row_count && status == TACHO_OK; i++) {
        status = calls->rows[i].count > 1 ? blame(&list, view, &calls->rows[i]) : TACHO_OK;
    }
    status = status == TACHO_OK ? add_stragglers(view, &list, options->top, &tables[0]) : status;
    status = status == TACHO_OK ? add_waits(view, options->top, &tables[1]) : status;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        status = tacho_table_hand_over(to, status, &tables[i]);
    }
    if (status == TACHO_OK) {
        say_stragglers(&list, options);
        say_unmatched(view, options);
        status = say_doubt(view, options);
    }
    tacho_fleet_run_sums_deinit(&list.runs);
    tacho_number_map_deinit(&list.places);
    free(list.items);
    return status;
}

static const tacho_fleet_question question_collectives = {
    .name = "collectives",
    .sections = TACHO_FLEET_COLLECTIVES,
    .write = write_collectives,
};

const tacho_fleet_question tacho_fleet_question_stragglers = {
    .name = "stragglers",
    .sections = TACHO_FLEET_COLLECTIVES,
    .write = write_stragglers,
};

void tacho_fleet_say_more(const tacho_fleet_options *options, size_t count, const char *what)
{
    if (options->top > 0 && count > options->top) {
        size_t left_out = count - options->top;
        tacho_note_hint(options->ops.notes, (tacho_hint){TACHO_HINT_ALL_ROWS, ""}, "note",
                        "%zu more %s%s", left_out, what, left_out == 1 ? "" : "s");
    }
}

const tacho_fleet_question *tacho_fleet_question_find(const char *name)
{
    static const tacho_fleet_question *const questions[] = {
        &tacho_fleet_question_overview,   &tacho_fleet_question_ops,
        &tacho_fleet_question_breakdown,  &tacho_fleet_question_steps,
        &tacho_fleet_question_stragglers, &question_collectives,
        &tacho_fleet_question_clocks,
    };
    for (size_t i = 0; i < COUNT_OF(questions); i++) {
        if (strcmp(questions[i]->name, name) == 0) {
            return questions[i];
        }
    }
    return NULL;
}
