/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects cells; at the end selects the columns that matter and makes tables.
 */
#include "questions/fleet/fleet_matrix.h"

#include "base/grow.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { STEP_LETTER = 's', CALL_LETTER = 'c', KEY_BYTES_MAX = 4096 };

static const tacho_column rank_columns[] = {
    TACHO_COLUMN(RUN, "run", TEXT),    TACHO_COLUMN(HOST, "host", TEXT),
    TACHO_COLUMN(RANK, "rank", INT),   TACHO_COLUMN(PATH, "path", TEXT),
    TACHO_COLUMN(COUNT, "spans", INT),
};

static const tacho_column column_columns[] = {
    TACHO_COLUMN(KIND, "kind", TEXT),      TACHO_COLUMN(RUN, "run", TEXT),
    TACHO_COLUMN(GROUP, "group", TEXT),    TACHO_COLUMN(NAME, "name", TEXT),
    TACHO_COLUMN(SEQUENCE, "number", INT),
};

static const tacho_column cell_columns[] = {
    TACHO_COLUMN(FILE, "row", INT),
    TACHO_COLUMN(ID, "column", INT),
    TACHO_COLUMN(TIME_NS, "time", DURATION),
};

tacho_status tacho_fleet_matrix_init(tacho_fleet_matrix *matrix)
{
    *matrix = (tacho_fleet_matrix){.cell_max = TACHO_MATRIX_CELLS_MAX, .hash_limit = UINT64_MAX};
    return tacho_strings_init(&matrix->columns);
}

void tacho_fleet_matrix_deinit(tacho_fleet_matrix *matrix)
{
    tacho_strings_deinit(&matrix->columns);
    tacho_number_map_deinit(&matrix->known);
    free(matrix->files);
    free(matrix->cells);
    *matrix = (tacho_fleet_matrix){.cell_max = 0};
}

/* ---- cells --------------------------------------------------------------------------------- */

/* Leaves out half of the columns until there is room. */
static void thin_out(tacho_fleet_matrix *matrix)
{
    while (matrix->cell_count > matrix->cell_max && matrix->hash_limit > 0) {
        size_t kept = 0;
        matrix->hash_limit /= 2;
        for (size_t i = 0; i < matrix->cell_count; i++) {
            tacho_str key = tacho_strings_get(&matrix->columns, matrix->cells[i].column);
            if (tacho_fleet_hash(key) <= matrix->hash_limit) {
                matrix->cells[kept++] = matrix->cells[i];
            }
        }
        matrix->cell_count = kept;
    }
}

static tacho_status add_cell(tacho_fleet_matrix *matrix, char letter, tacho_str key,
                             const tacho_fleet_row *row)
{
    char text[KEY_BYTES_MAX];
    if (key.len + 1 > sizeof(text) || row->count == 0) {
        return TACHO_OK;
    }
    text[0] = letter;
    memcpy(text + 1, key.data, key.len);
    tacho_str column = tacho_str_make(text, key.len + 1);
    if (tacho_fleet_hash(column) > matrix->hash_limit) {
        return TACHO_OK;
    }
    tacho_matrix_cell cell = {.file = (uint32_t)matrix->file_count - 1,
                              .ns = tacho_fleet_cell_ns(row->total_ns / (tacho_i128)row->count)};
    TACHO_TRY(tacho_strings_ensure(&matrix->columns, column, &cell.column));
    TACHO_TRY(tacho_grow(&matrix->cells, &matrix->cell_capacity, matrix->cell_count + 1));
    matrix->cells[matrix->cell_count++] = cell;
    return TACHO_OK;
}

static tacho_status add_table(tacho_fleet_matrix *matrix, char letter,
                              const tacho_fleet_table *table)
{
    for (size_t i = 0; i < table->row_count; i++) {
        TACHO_TRY(add_cell(matrix, letter, tacho_fleet_key(&table->keys, i), &table->rows[i]));
    }
    thin_out(matrix);
    return TACHO_OK;
}

tacho_status tacho_fleet_matrix_add(tacho_fleet_matrix *matrix, const tacho_fleet *one)
{
    if (one->file_count != 1 || one->files[0].state == TACHO_FLEET_FAILED) {
        return TACHO_OK;
    }
    uint64_t id = tacho_fleet_get_id(tacho_fleet_key(&one->file_keys, 0));
    if (tacho_number_map_find(&matrix->known, id) != NULL) {
        return TACHO_OK; /* a copy */
    }
    TACHO_TRY(tacho_number_map_set(&matrix->known, id, matrix->file_count));
    TACHO_TRY(tacho_grow(&matrix->files, &matrix->file_capacity, matrix->file_count + 1));
    matrix->files[matrix->file_count++] = id;
    TACHO_TRY(add_table(matrix, STEP_LETTER, &one->tables[TACHO_FLEET_TABLE_STEPS]));
    return add_table(matrix, CALL_LETTER, &one->tables[TACHO_FLEET_TABLE_CALLS]);
}

/* ---- rows ---------------------------------------------------------------------------------- */

typedef struct ranked_file {
    tacho_str run, host, path;
    int64_t rank;
    uint64_t id;
    uint32_t old;
} ranked_file;

static int compare_files(const void *left, const void *right)
{
    const ranked_file *a = left;
    const ranked_file *b = right;
    int order = tacho_str_compare(a->run, b->run);
    if (order == 0 && a->rank != b->rank) {
        order = a->rank < b->rank ? -1 : 1;
    }
    order = order == 0 ? tacho_str_compare(a->host, b->host) : order;
    order = order == 0 ? tacho_str_compare(a->path, b->path) : order;
    return order == 0 ? (a->id > b->id) - (a->id < b->id) : order;
}

static ranked_file describe(const tacho_fleet_view *view, uint64_t id, size_t old)
{
    const tacho_fleet_file *file = tacho_fleet_view_file(view, id);
    ranked_file made = {.id = id, .old = (uint32_t)old, .rank = -1};
    if (file != NULL) {
        made.run = tacho_fleet_view_text(view, file->run);
        made.host = tacho_fleet_view_text(view, file->host);
        made.path = tacho_fleet_view_path(view, file);
        made.rank = file->rank;
    }
    return made;
}

static tacho_status order_files(tacho_fleet_matrix *matrix, const tacho_fleet_view *view)
{
    ranked_file *ranked = NULL;
    uint32_t *places = NULL;
    tacho_status status = tacho_items_make(&ranked, matrix->file_count);
    status = status == TACHO_OK ? tacho_items_make(&places, matrix->file_count) : status;
    if (status == TACHO_OK) {
        for (size_t i = 0; i < matrix->file_count; i++) {
            ranked[i] = describe(view, matrix->files[i], i);
        }
        qsort(ranked, matrix->file_count, sizeof(*ranked), compare_files);
        for (size_t i = 0; i < matrix->file_count; i++) {
            matrix->files[i] = ranked[i].id;
            places[ranked[i].old] = (uint32_t)i;
        }
        for (size_t i = 0; i < matrix->cell_count; i++) {
            matrix->cells[i].file = places[matrix->cells[i].file];
        }
    }
    free(ranked);
    free(places);
    return status;
}

typedef struct keyed_column {
    tacho_str key;
    uint32_t old;
} keyed_column;

static int compare_keys(const void *left, const void *right)
{
    return tacho_str_compare(((const keyed_column *)left)->key, ((const keyed_column *)right)->key);
}

/* |ordered| gets all columns by their keys; |places| has the new number of each. */
static tacho_status sort_keys(const tacho_strings *columns, keyed_column *keyed, uint32_t *places,
                              tacho_strings *ordered)
{
    for (size_t i = 0; i < columns->item_count; i++) {
        keyed[i] = (keyed_column){tacho_strings_get(columns, (uint32_t)i), (uint32_t)i};
    }
    qsort(keyed, columns->item_count, sizeof(*keyed), compare_keys);
    for (size_t i = 0; i < columns->item_count; i++) {
        TACHO_TRY(tacho_strings_ensure(ordered, keyed[i].key, &places[keyed[i].old]));
    }
    return TACHO_OK;
}

static tacho_status order_columns(tacho_fleet_matrix *matrix)
{
    keyed_column *keyed = NULL;
    uint32_t *places = NULL;
    tacho_strings ordered;
    tacho_status status = tacho_strings_init(&ordered);
    status = status == TACHO_OK ? tacho_items_make(&keyed, matrix->columns.item_count) : status;
    status = status == TACHO_OK ? tacho_items_make(&places, matrix->columns.item_count) : status;
    status = status == TACHO_OK ? sort_keys(&matrix->columns, keyed, places, &ordered) : status;
    if (status == TACHO_OK) {
        tacho_strings before = matrix->columns;
        matrix->columns = ordered;
        ordered = before;
        for (size_t i = 0; i < matrix->cell_count; i++) {
            matrix->cells[i].column = places[matrix->cells[i].column];
        }
    }
    tacho_strings_deinit(&ordered);
    free(keyed);
    free(places);
    return status;
}

static int compare_cells(const void *left, const void *right)
{
    const tacho_matrix_cell *a = left;
    const tacho_matrix_cell *b = right;
    return a->file != b->file ? (a->file > b->file) - (a->file < b->file)
                              : (a->column > b->column) - (a->column < b->column);
}

tacho_status tacho_fleet_matrix_settle(tacho_fleet_matrix *matrix, const tacho_fleet_view *view)
{
    TACHO_TRY(order_files(matrix, view));
    TACHO_TRY(order_columns(matrix));
    if (matrix->cell_count > 0) {
        qsort(matrix->cells, matrix->cell_count, sizeof(*matrix->cells), compare_cells);
    }
    return TACHO_OK;
}

/* ---- columns ------------------------------------------------------------------------------- */

typedef struct column_sum {
    uint32_t column, count;
    int64_t least, most;
    double total;
} column_sum;

/* Time by which ranks differ: for a collective, the waiting time of all. */
static double spread_of(const column_sum *sum)
{
    return sum->total - (double)sum->count * (double)sum->least;
}

static int compare_sums(const void *left, const void *right)
{
    const column_sum *a = left;
    const column_sum *b = right;
    double difference = spread_of(b) - spread_of(a);
    return difference != 0 ? (difference > 0) - (difference < 0)
                           : (a->column > b->column) - (a->column < b->column);
}

static void add_up(const tacho_fleet_matrix *matrix, column_sum *sums)
{
    for (size_t i = 0; i < matrix->cell_count; i++) {
        const tacho_matrix_cell *cell = &matrix->cells[i];
        column_sum *sum = &sums[cell->column];
        sum->column = cell->column;
        sum->least = sum->count == 0 || cell->ns < sum->least ? cell->ns : sum->least;
        sum->most = cell->ns > sum->most ? cell->ns : sum->most;
        sum->total += (double)cell->ns;
        sum->count++;
    }
}

static tacho_status add_column(tacho_str key, tacho_table *table)
{
    bool is_step = key.data[0] == STEP_LETTER;
    key = tacho_str_from(key, 1);
    TACHO_TRY(tacho_table_add_text(table, is_step ? TACHO_STR("step") : TACHO_STR("collective")));
    TACHO_TRY(tacho_fleet_add_text(table, tacho_fleet_next_text(&key)));
    TACHO_TRY(is_step ? tacho_table_add_absent(table)
                      : tacho_fleet_add_text(table, tacho_fleet_next_text(&key)));
    TACHO_TRY(tacho_fleet_add_text(table, is_step ? key : tacho_fleet_next_text(&key)));
    return !is_step && key.len == TACHO_FLEET_ID_BYTES
               ? tacho_table_add_int(table, (int64_t)(tacho_fleet_get_id(key) & INT64_MAX))
               : tacho_table_add_absent(table);
}

/* Lists columns of one kind; |places| has the place of each in the table plus one. */
static tacho_status list_columns(const tacho_fleet_matrix *matrix, char letter,
                                 const column_sum *sums, uint32_t *places, tacho_table *table)
{
    size_t left = TACHO_MATRIX_COLUMNS_MAX;
    for (size_t i = 0; i < matrix->columns.item_count && left > 0; i++) {
        tacho_str key = tacho_strings_get(&matrix->columns, sums[i].column);
        bool is_wanted = sums[i].count > 0 && key.data[0] == letter &&
                         (letter == STEP_LETTER || sums[i].count > 1);
        if (is_wanted) {
            TACHO_TRY(add_column(key, table));
            places[sums[i].column] = (uint32_t)tacho_table_row_count(table);
            left--;
        }
    }
    return TACHO_OK;
}

static tacho_status list_cells(const tacho_fleet_matrix *matrix, const uint32_t *places,
                               tacho_table *table)
{
    for (size_t i = 0; i < matrix->cell_count; i++) {
        const tacho_matrix_cell *cell = &matrix->cells[i];
        if (places[cell->column] > 0) {
            TACHO_TRY(tacho_table_add_int(table, cell->file));
            TACHO_TRY(tacho_table_add_int(table, places[cell->column] - 1));
            TACHO_TRY(tacho_table_add_int(table, cell->ns));
        }
    }
    return TACHO_OK;
}

static tacho_status list_ranks(const tacho_fleet_matrix *matrix, const tacho_fleet_view *view,
                               tacho_table *table)
{
    for (size_t i = 0; i < matrix->file_count; i++) {
        const tacho_fleet_file *file = tacho_fleet_view_file(view, matrix->files[i]);
        TACHO_TRY(tacho_fleet_add_who(view, matrix->files[i], table));
        TACHO_TRY(tacho_table_add_int(table, file != NULL ? (int64_t)file->span_count : 0));
    }
    return TACHO_OK;
}

static tacho_status make_tables(const tacho_fleet_matrix *matrix, const tacho_fleet_view *view,
                                column_sum *sums, uint32_t *places, tacho_table tables[3])
{
    add_up(matrix, sums);
    qsort(sums, matrix->columns.item_count, sizeof(*sums), compare_sums);
    TACHO_TRY(list_ranks(matrix, view, &tables[0]));
    TACHO_TRY(list_columns(matrix, STEP_LETTER, sums, places, &tables[1]));
    TACHO_TRY(list_columns(matrix, CALL_LETTER, sums, places, &tables[1]));
    return list_cells(matrix, places, &tables[2]);
}

tacho_status tacho_fleet_matrix_write(const tacho_fleet_matrix *matrix,
                                      const tacho_fleet_view *view, const tacho_table_taker *to)
{
    tacho_table tables[3];
    column_sum *sums = NULL;
    uint32_t *places = NULL;
    tacho_table_init(&tables[0], "fleet_ranks", "Ranks", rank_columns, COUNT_OF(rank_columns));
    tacho_table_init(&tables[1], "fleet_columns", "Steps and collectives", column_columns,
                     COUNT_OF(column_columns));
    tacho_table_init(&tables[2], "fleet_cells", "Times", cell_columns, COUNT_OF(cell_columns));
    tacho_status status = tacho_items_make(&sums, matrix->columns.item_count);
    status = status == TACHO_OK ? tacho_items_make(&places, matrix->columns.item_count) : status;
    status = status == TACHO_OK ? make_tables(matrix, view, sums, places, tables) : status;
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        status = tacho_table_hand_over(to, status, &tables[i]);
    }
    free(sums);
    free(places);
    return status;
}
