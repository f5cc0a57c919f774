/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A group of the first columns and the key of the next one make a group of both: the number that a
 * map gives to the pair, in the order of first appearance.
 */
#include "sql/grouping.h"

#include "base/grow.h"
#include "base/number_map.h"

#include <stdlib.h>

/* The number of |pair|, a new one where it has none. */
static tacho_status number_pair(tacho_number_map *map, uint64_t pair, uint32_t *out_number)
{
    const uint64_t *known = tacho_number_map_find(map, pair);
    *out_number = known != NULL ? (uint32_t)*known : (uint32_t)map->count;
    return known != NULL ? TACHO_OK : tacho_number_map_set(map, pair, *out_number);
}

/* Refines |groups| by one column. */
static tacho_status refine(const tacho_sql_table *table, const tacho_sql_data *data, int column,
                           uint32_t *groups, size_t *out_group_count)
{
    tacho_number_map map = {0};
    tacho_status status = TACHO_OK;
    uint64_t last_pair = 0;
    uint32_t last_number = TACHO_NONE;
    size_t count = table->count(data);
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        uint64_t pair = (uint64_t)groups[i] << 32 | table->key(data, i, column);
        if (last_number == TACHO_NONE || pair != last_pair) {
            status = number_pair(&map, pair, &last_number);
            last_pair = pair;
        }
        groups[i] = last_number;
    }
    *out_group_count = map.count;
    tacho_number_map_deinit(&map);
    return status;
}

/* ---- the order of groups --------------------------------------------------------------------- */

typedef struct request {
    const tacho_sql_table *table;
    const tacho_sql_data *data;
    const char *columns; /* as in tacho_sql_group */
} request;

typedef struct group {
    const request *of;
    uint32_t row; /* one of its rows */
    uint32_t number;
} group;

static bool is_descending(char column)
{
    return column >= 'a';
}

static int column_of(char column)
{
    return column - (is_descending(column) ? 'a' : 'A');
}

static int compare_groups(const void *left, const void *right)
{
    const group *a = left, *b = right;
    for (const char *column = a->of->columns; *column != '\0'; column++) {
        int order = a->of->table->compare(a->of->data, a->row, b->row, column_of(*column));
        if (order != 0) {
            return is_descending(*column) ? -order : order;
        }
    }
    return 0;
}

/*
 * Numbers groups in the order of their values: SQLite relies on it where ORDER BY has the same
 * columns. Groups of equal values, whose keys differ where text was cleaned, become one.
 */
static tacho_status number_groups(const request *of, uint32_t *numbers, size_t *group_count)
{
    group *groups = NULL;
    uint32_t *places = NULL;
    size_t count = of->table->count(of->data), place_count = 0;
    TACHO_TRY(tacho_items_make(&groups, *group_count));
    tacho_status status = tacho_items_make(&places, *group_count);
    for (size_t i = count; status == TACHO_OK && i > 0; i--) {
        groups[numbers[i - 1]] = (group){of, (uint32_t)(i - 1), numbers[i - 1]};
    }
    if (status == TACHO_OK && *group_count > 1) {
        qsort(groups, *group_count, sizeof(*groups), compare_groups);
    }
    for (size_t i = 0; status == TACHO_OK && i < *group_count; i++) {
        place_count += i == 0 || compare_groups(&groups[i - 1], &groups[i]) != 0;
        places[groups[i].number] = (uint32_t)(place_count - 1);
    }
    for (size_t i = 0; status == TACHO_OK && i < count; i++) {
        numbers[i] = places[numbers[i]];
    }
    *group_count = place_count;
    free(places);
    free(groups);
    return status;
}

static tacho_status number_rows(const request *of, uint32_t *groups, size_t *out_group_count)
{
    size_t group_count = of->table->count(of->data) > 0;
    for (const char *column = of->columns; group_count > 0 && *column != '\0'; column++) {
        TACHO_TRY(refine(of->table, of->data, column_of(*column), groups, &group_count));
    }
    *out_group_count = group_count;
    return number_groups(of, groups, out_group_count);
}

tacho_status tacho_sql_group_numbers(const tacho_sql_table *table, const tacho_sql_data *data,
                                     const char *columns, uint32_t **out_groups,
                                     size_t *out_group_count)
{
    const request of = {table, data, columns};
    uint32_t *groups = NULL;
    TACHO_TRY(tacho_items_make(&groups, table->count(data)));
    tacho_status status = number_rows(&of, groups, out_group_count);
    if (status != TACHO_OK) {
        free(groups);
        groups = NULL;
    }
    *out_groups = groups;
    return status;
}

/* ---- the order of rows ----------------------------------------------------------------------- */

static tacho_status sort_rows(const uint32_t *groups, size_t count, size_t group_count,
                              uint32_t *order)
{
    uint32_t *places = NULL;
    TACHO_TRY(tacho_items_make(&places, group_count + 1));
    for (size_t i = 0; i < count; i++) {
        places[groups[i] + 1]++;
    }
    for (size_t i = 1; i <= group_count; i++) {
        places[i] += places[i - 1];
    }
    for (size_t i = 0; i < count; i++) {
        order[places[groups[i]]++] = (uint32_t)i;
    }
    free(places);
    return TACHO_OK;
}

tacho_status tacho_sql_group(const tacho_sql_table *table, const tacho_sql_data *data,
                             const char *columns, uint32_t **out_order)
{
    uint32_t *groups = NULL;
    uint32_t *order = NULL;
    size_t count = table->count(data), group_count = 0;
    TACHO_TRY(tacho_sql_group_numbers(table, data, columns, &groups, &group_count));
    tacho_status status = tacho_items_make(&order, count);
    if (status == TACHO_OK) {
        status = sort_rows(groups, count, group_count, order);
    }
    free(groups);
    if (status != TACHO_OK) {
        free(order);
        order = NULL;
    }
    *out_order = order;
    return status;
}
