/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A complete fleet, for making tables: files by their numbers, and their readable names.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_VIEW_H
#define TACHO_QUESTIONS_FLEET_FLEET_VIEW_H

#include "questions/fleet/fleet.h"
#include "base/arena.h"
#include "base/number_map.h"
#include "table/table.h"

typedef struct tacho_fleet_view {
    tacho_fleet *fleet;
    uint32_t *files; /* by number, then path */
} tacho_fleet_view;

/* Settles |fleet|, which must not change meanwhile. Deinitialise it even after a failure. */
tacho_status tacho_fleet_view_init(tacho_fleet_view *view, tacho_fleet *fleet) TACHO_MUST_USE;
void tacho_fleet_view_deinit(tacho_fleet_view *view);

/*
 * The file with that number. Of copies, the one with the first path among those that name their
 * host, if any do. NULL if there is none.
 */
const tacho_fleet_file *tacho_fleet_view_file(const tacho_fleet_view *view, uint64_t id);

tacho_str tacho_fleet_view_text(const tacho_fleet_view *view, uint32_t text);
tacho_str tacho_fleet_view_path(const tacho_fleet_view *view, const tacho_fleet_file *file);

/* Adds "n03 rank 12", or the path if the rank is not known. */
tacho_status tacho_fleet_add_label(const tacho_fleet_view *view, uint64_t id,
                                   tacho_table *table) TACHO_MUST_USE;
/* Adds the cells of run, host, rank and path. */
tacho_status tacho_fleet_add_who(const tacho_fleet_view *view, uint64_t id,
                                 tacho_table *table) TACHO_MUST_USE;

/* Adds |text|, which may be any bytes; absent if empty. */
tacho_status tacho_fleet_add_text(tacho_table *table, tacho_str text) TACHO_MUST_USE;
tacho_status tacho_fleet_add_percent(tacho_table *table, double part, double whole) TACHO_MUST_USE;

/* A sum as a cell, clamped to 0..INT64_MAX. */
int64_t tacho_fleet_cell_ns(tacho_i128 ns);

/* The mean of |count| > 0, to the nearest. */
int64_t tacho_fleet_mean_ns(tacho_i128 total_ns, uint64_t count);

/* Sums by run. Empty if zeroed. */
typedef struct tacho_fleet_run_sum {
    tacho_i128 total_ns;
    uint64_t count;
} tacho_fleet_run_sum;

typedef struct tacho_fleet_run_sums {
    tacho_number_map places; /* by text of the run */
    tacho_fleet_run_sum *items;
    size_t item_count, item_capacity;
} tacho_fleet_run_sums;

/* Adds to the sum of the run of the file |id|. */
tacho_status tacho_fleet_run_sums_add(tacho_fleet_run_sums *sums, const tacho_fleet_view *view,
                                      uint64_t id, tacho_i128 total_ns,
                                      uint64_t count) TACHO_MUST_USE;
/* The sum of the run of the file |id|. */
tacho_fleet_run_sum tacho_fleet_run_sums_find(const tacho_fleet_run_sums *sums,
                                              const tacho_fleet_view *view, uint64_t id);
void tacho_fleet_run_sums_deinit(tacho_fleet_run_sums *sums);

/* A place in a list to be sorted: the largest number first, then by text. */
typedef struct tacho_fleet_place {
    double number;
    tacho_str text;
    size_t index;
} tacho_fleet_place;

/* Sorts |places|; returns how many to show, at most |top| if that is not 0. */
size_t tacho_fleet_sort(tacho_fleet_place *places, size_t count, size_t top);

/* The text of |key| up to the next NUL; moves |key| past it. */
tacho_str tacho_fleet_next_text(tacho_str *key);

#endif
