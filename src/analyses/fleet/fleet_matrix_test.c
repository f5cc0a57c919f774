/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cells of more columns than are kept: all files keep the same ones, whatever the order of files;
 * copies and fleets of several files add nothing.
 */
#include "analyses/fleet/fleet_matrix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { FILES = 3, CELLS_MAX = 2000, MANY = CELLS_MAX / 2, FEW = 10 };

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
        char text[32];
        int len = snprintf(text, sizeof(text), "r1%cstep_%u", '\0', i);
        const tacho_fleet_row row = {.count = 1, .file_count = 1, .total_ns = 100 * i + id};
        const tacho_fleet_amount amount = {.key = tacho_str_make(text, (size_t)len), .row = &row};
        assert_null(tacho_fleet_add(fleet, TACHO_FLEET_TABLE_STEPS, &amount));
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
