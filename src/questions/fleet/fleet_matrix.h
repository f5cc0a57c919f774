/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks by steps and by collectives: how long each took on each rank, for a picture. A fleet keeps
 * only sums and extremes, so this reads the fleet of each file before it is merged.
 *
 * At most TACHO_MATRIX_CELLS_MAX cells are kept: columns are then chosen by a hash of their keys,
 * the same for all files in any order.
 */
#ifndef TACHO_QUESTIONS_FLEET_FLEET_MATRIX_H
#define TACHO_QUESTIONS_FLEET_FLEET_MATRIX_H

#include "questions/fleet/fleet_tables.h"
#include "base/number_map.h"

enum { TACHO_MATRIX_CELLS_MAX = 1 << 20, TACHO_MATRIX_COLUMNS_MAX = 400 };

typedef struct tacho_matrix_cell {
    uint32_t file, column;
    int64_t ns;
} tacho_matrix_cell;

typedef struct tacho_fleet_matrix {
    uint64_t *files; /* their numbers; in the order of rows once it is settled */
    size_t file_count, file_capacity;
    tacho_number_map known; /* the same numbers, for lookup */
    tacho_strings columns;  /* a letter for the kind, then the key of the fleet's row */
    tacho_matrix_cell *cells;
    size_t cell_count, cell_capacity;
    size_t cell_max;     /* TACHO_MATRIX_CELLS_MAX */
    uint64_t hash_limit; /* columns with a larger hash are left out */
} tacho_fleet_matrix;

/* Deinitialise it even after a failure. */
tacho_status tacho_fleet_matrix_init(tacho_fleet_matrix *matrix) TACHO_MUST_USE;
void tacho_fleet_matrix_deinit(tacho_fleet_matrix *matrix);

/* Adds the fleet of one file; copies of known files and fleets of several files add nothing. */
tacho_status tacho_fleet_matrix_add(tacho_fleet_matrix *matrix,
                                    const tacho_fleet *one) TACHO_MUST_USE;

/* Call it after all files: sorts rows by run, rank and host, so that the order of files does not
 * matter. */
tacho_status tacho_fleet_matrix_settle(tacho_fleet_matrix *matrix,
                                       const tacho_fleet_view *view) TACHO_MUST_USE;

/*
 * Tables of rows, of columns (those that differ most between ranks, TACHO_MATRIX_COLUMNS_MAX of
 * each kind) and of cells, which name both by their place. |matrix| must be settled.
 */
tacho_status tacho_fleet_matrix_write(const tacho_fleet_matrix *matrix,
                                      const tacho_fleet_view *view,
                                      const tacho_table_taker *to) TACHO_MUST_USE;

#endif
