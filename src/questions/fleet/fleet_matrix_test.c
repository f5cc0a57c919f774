/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of more columns than are kept: all files keep the same ones in any order of files; copies
 * and fleets of several files add nothing.
 */
#include "questions/fleet/fleet_matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { FILES = 3, CELLS_MAX = 2000, MANY = CELLS_MAX / 2, FEW = 10 };

static void add_step(tacho_fleet *fleet, const char *name, unsigned number, int64_t ns)
{
    char text[32] = "r1"; /* the run, its end, the step */
    size_t len = strlen(text) + 1;
    len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u", name, number);
    const tacho_fleet_row row = {.count = 1, .file_count = 1, .total_ns = ns};
    const tacho_fleet_amount amount = {.key = tacho_str_make(text, len), .row = &row};
    assert_null(tacho_fleet_add(fleet, TACHO_FLEET_TABLE_STEPS, &amount));
}

/* The fleet of a file with |step_count| steps. */
static void make_fleet(tacho_fleet *fleet, uint64_t id, unsigned step_count)
{
    char key[TACHO_FLEET_ID_BYTES + 1];
    tacho_fleet_file *file = NULL;
    assert_null(tacho_fleet_init(fleet, TACHO_FLEET_STEPS));
    tacho_fleet_put_id(key, id);
    key[TACHO_FLEET_ID_BYTES] = (char)('a' + id);
    assert_null(tacho_fleet_ensure_file(fleet, tacho_str_make(key, sizeof(key)), &file));
    for (unsigned i = 0; i < step_count; i++) {
        add_step(fleet, "step_", i, (int64_t)(100 * i + id));
    }
}

static void add_file(tacho_fleet_matrix *matrix, uint64_t id, unsigned step_count)
{
    tacho_fleet fleet;
    make_fleet(&fleet, id, step_count);
    assert_null(tacho_fleet_matrix_add(matrix, &fleet));
    tacho_fleet_deinit(&fleet);
}

static void test_copies(void **state)
{
    (void)state;
    tacho_fleet_matrix matrix;
    tacho_fleet two, more;
    assert_null(tacho_fleet_matrix_init(&matrix));
    add_file(&matrix, 1, FEW);
    add_file(&matrix, 1, FEW);
    assert_int_equal(matrix.file_count, 1);
    assert_int_equal(matrix.cell_count, FEW);
    assert_int_equal(matrix.cells[3].ns, 301);
    make_fleet(&two, 2, FEW);
    make_fleet(&more, 3, FEW);
    assert_null(tacho_fleet_merge(&two, &more));
    assert_null(tacho_fleet_matrix_add(&matrix, &two));
    assert_int_equal(matrix.file_count, 1);
    tacho_fleet_deinit(&two);
    tacho_fleet_deinit(&more);
    tacho_fleet_matrix_deinit(&matrix);
}

static void test_many(void **state)
{
    (void)state;
    tacho_fleet_matrix matrices[2];
    for (uint64_t i = 0; i < 2; i++) {
        assert_null(tacho_fleet_matrix_init(&matrices[i]));
        matrices[i].cell_max = CELLS_MAX;
        for (uint64_t file = 0; file < FILES; file++) {
            add_file(&matrices[i], i == 0 ? file : FILES - 1 - file, MANY);
        }
        size_t counts[FILES] = {0};
        for (size_t k = 0; k < matrices[i].cell_count; k++) {
            counts[matrices[i].cells[k].file]++;
        }
        assert_true(matrices[i].cell_count <= CELLS_MAX);
        assert_true(counts[0] > MANY / 8);
        assert_int_equal(counts[0], counts[1]);
        assert_int_equal(counts[0], counts[2]);
    }
    assert_true(matrices[0].hash_limit == matrices[1].hash_limit);
    assert_int_equal(matrices[0].cell_count, matrices[1].cell_count);
    tacho_fleet_matrix_deinit(&matrices[0]);
    tacho_fleet_matrix_deinit(&matrices[1]);
}

/* Adds, in this order, two files with own and common steps. */
static void settle_files(tacho_fleet_matrix *matrix, const unsigned ids[2])
{
    tacho_fleet fleet;
    tacho_fleet_view view;
    assert_null(tacho_fleet_matrix_init(matrix));
    assert_null(tacho_fleet_init(&fleet, TACHO_FLEET_STEPS));
    for (size_t i = 0; i < 2; i++) {
        tacho_fleet one;
        make_fleet(&one, ids[i], FEW);
        add_step(&one, "own_", ids[i], 7);
        assert_null(tacho_fleet_matrix_add(matrix, &one));
        assert_null(tacho_fleet_merge(&fleet, &one));
        tacho_fleet_deinit(&one);
    }
    assert_null(tacho_fleet_view_init(&view, &fleet));
    assert_null(tacho_fleet_matrix_settle(matrix, &view));
    tacho_fleet_view_deinit(&view);
    tacho_fleet_deinit(&fleet);
}

static void test_order(void **state)
{
    (void)state;
    static const unsigned forward[] = {1, 2}, backward[] = {2, 1};
    tacho_fleet_matrix one, other;
    settle_files(&one, forward);
    settle_files(&other, backward);
    assert_int_equal(one.cell_count, 2 * FEW + 2);
    assert_int_equal(other.cell_count, one.cell_count);
    assert_memory_equal(one.files, other.files, 2 * sizeof(*one.files));
    for (size_t i = 0; i < one.cell_count; i++) {
        assert_int_equal(one.cells[i].file, other.cells[i].file);
        assert_int_equal(one.cells[i].ns, other.cells[i].ns);
        assert_int_equal(one.cells[i].column, other.cells[i].column);
        assert_true(tacho_str_equal(tacho_strings_get(&one.columns, one.cells[i].column),
                                    tacho_strings_get(&other.columns, other.cells[i].column)));
    }
    tacho_fleet_matrix_deinit(&one);
    tacho_fleet_matrix_deinit(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
