/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Databases made here: columns by name, types of values, damage at every page, and what a hostile
 * one might try to run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/scratch_testing.h"
#include "codec/sqlite_file.h"

static int remove_scratch(void **state)
{
    scratch *at = *state;
    unlink(at->path);
    unlink(at->other_path);
    rmdir(at->folder);
    free(at);
    return 0;
}

static void make_database(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    unlink(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* An opened file and its input. */
typedef struct opened {
    tacho_input input;
    tacho_sqlite_file *file;
} opened;

static opened open_database(const char *path)
{
    opened made;
    assert_null(tacho_input_open(path, &made.input));
    assert_null(tacho_sqlite_open(&made.input, &made.file));
    return made;
}

static void close_database(opened *made)
{
    tacho_sqlite_close(made->file);
    tacho_input_close(&made->input);
}

/* The sum of column |name| of |table| and how many rows there are. */
static int64_t sum(tacho_sqlite_file *file, const char *table, const char *name, uint64_t *out_rows)
{
    tacho_sqlite_scan scan;
    int64_t total = 0;
    assert_null(tacho_sqlite_begin(file, tacho_str_from_cstring(table), &name, 1, &scan));
    assert_null(tacho_sqlite_next(&scan));
    *out_rows = 0;
    while (scan.has_row) {
        total += tacho_sqlite_int_or(&scan, 0, 0);
        ++*out_rows;
        assert_null(tacho_sqlite_next(&scan));
    }
    tacho_sqlite_end(&scan);
    return total;
}

static void test_values(void **state)
{
    scratch *at = *state;
    static const char *const columns[] = {"end", "absent", "name", "real", "blob", "id"};
    make_database(at->path,
                  "CREATE TABLE \"a \"\"b\" (id INTEGER PRIMARY KEY, -- with, (a comment\n"
                  "real REAL, name TEXT, end INTEGER, blob BLOB);"
                  "INSERT INTO \"a \"\"b\" VALUES (7, 1.5, 'x', 40, x'00'),"
                  "(9, 'text', 3, 'no', 'y'), (12, NULL, NULL, NULL, NULL)");
    opened made = open_database(at->path);
    tacho_sqlite_scan scan;
    tacho_str text;
    int64_t integer = 0;
    double real = 0;
    assert_int_equal(tacho_sqlite_table_count(made.file), 1);
    assert_null(tacho_sqlite_begin(made.file, tacho_sqlite_table(made.file, 0), columns, 6, &scan));
    assert_true(tacho_sqlite_has_column(&scan, 0) && !tacho_sqlite_has_column(&scan, 1));
    assert_null(tacho_sqlite_next(&scan));
    assert_true(scan.has_row && scan.row_id == 7);
    assert_int_equal(tacho_sqlite_int_or(&scan, 0, -1), 40);
    assert_int_equal(tacho_sqlite_int_or(&scan, 1, -1), -1);
    assert_true(tacho_sqlite_text(&scan, 2, &text) && tacho_str_equal(text, TACHO_STR("x")));
    assert_true(tacho_sqlite_real(&scan, 3, &real) && real == 1.5);
    assert_false(tacho_sqlite_text(&scan, 4, &text) || tacho_sqlite_int(&scan, 4, &integer));
    assert_int_equal(tacho_sqlite_int_or(&scan, 5, -1), 7);
    assert_null(tacho_sqlite_next(&scan));
    assert_false(tacho_sqlite_real(&scan, 3, &real) || tacho_sqlite_int(&scan, 0, &integer));
    assert_true(tacho_sqlite_text(&scan, 2, &text) && tacho_str_equal(text, TACHO_STR("3")));
    assert_null(tacho_sqlite_next(&scan));
    assert_true(scan.has_row);
    assert_false(tacho_sqlite_text(&scan, 2, &text) || tacho_sqlite_real(&scan, 3, &real));
    assert_null(tacho_sqlite_next(&scan));
    assert_false(scan.has_row);
    tacho_sqlite_end(&scan);
    assert_null(tacho_sqlite_damage(made.file));
    close_database(&made);
}

/* Values that are not read may have any length; names of megabytes are not names. */
static void test_long(void **state)
{
    scratch *at = *state;
    static const char *const columns[] = {"name", "v"};
    make_database(at->path, "CREATE TABLE t (v INTEGER, unread BLOB, name TEXT);"
                            "INSERT INTO t VALUES (1, zeroblob(70000000), 'short'),"
                            "(2, NULL, printf('%.*c', 1048576, 'x')),"
                            "(3, NULL, printf('%.*c', 1048577, 'x'))");
    opened made = open_database(at->path);
    tacho_sqlite_scan scan;
    tacho_str text;
    assert_null(tacho_sqlite_begin(made.file, TACHO_STR("t"), columns, 2, &scan));
    for (int64_t row = 1; row <= 3; row++) {
        assert_null(tacho_sqlite_next(&scan));
        assert_true(scan.has_row && tacho_sqlite_int_or(&scan, 1, 0) == row);
        assert_int_equal(tacho_sqlite_text(&scan, 0, &text), row < 3);
    }
    tacho_sqlite_end(&scan);
    assert_null(tacho_sqlite_damage(made.file));
    close_database(&made);
}

static void test_seek(void **state)
{
    scratch *at = *state;
    static const char *const columns[] = {"value"};
    make_database(at->path, "CREATE TABLE t (id INTEGER PRIMARY KEY, value INTEGER);"
                            "INSERT INTO t VALUES (5, 50), (3, 30), (-1, 1)");
    opened made = open_database(at->path);
    static const int64_t asked[] = {5, 3, 4, -1, 5, INT64_MAX};
    static const int64_t found[] = {50, 30, -7, 1, 50, -7};
    tacho_sqlite_scan scan;
    assert_null(tacho_sqlite_begin_seek(made.file, TACHO_STR("t"), columns, 1, &scan));
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        assert_null(tacho_sqlite_seek(&scan, asked[i]));
        assert_int_equal(scan.has_row ? tacho_sqlite_int_or(&scan, 0, 0) : -7, found[i]);
    }
    tacho_sqlite_end(&scan);
    assert_null(tacho_sqlite_begin_seek(made.file, TACHO_STR("none"), columns, 1, &scan));
    assert_null(tacho_sqlite_seek(&scan, 5));
    assert_false(scan.has_row);
    tacho_sqlite_end(&scan);
    close_database(&made);
}

/* Nothing that computes is a table; a table that computes is refused when it is read. */
static void test_hostile(void **state)
{
    scratch *at = *state;
    uint64_t rows = 0;
    make_database(at->path,
                  "CREATE TABLE plain (v INTEGER); INSERT INTO plain VALUES (1), (2);"
                  "CREATE VIEW view (v) AS SELECT 1 UNION ALL SELECT 2;"
                  "CREATE VIRTUAL TABLE virtual USING rtree(id, low, high);"
                  "CREATE TRIGGER trigger AFTER INSERT ON plain BEGIN DELETE FROM plain; END;"
                  "CREATE TABLE computed (a INTEGER, v INTEGER AS (abs(a)));"
                  "INSERT INTO computed (a) VALUES (-3);"
                  "CREATE TABLE keyed (v INTEGER PRIMARY KEY) WITHOUT ROWID;"
                  "INSERT INTO keyed VALUES (4)");
    opened made = open_database(at->path);
    assert_false(tacho_sqlite_has_table(made.file, TACHO_STR("view")));
    assert_false(tacho_sqlite_has_table(made.file, TACHO_STR("virtual")));
    assert_int_equal(sum(made.file, "view", "v", &rows), 0);
    assert_int_equal(rows, 0);
    assert_int_equal(sum(made.file, "virtual", "id", &rows), 0);
    assert_int_equal(sum(made.file, "plain", "v", &rows), 3);
    assert_int_equal(rows, 2);
    assert_int_equal(sum(made.file, "computed", "a", &rows), 0);
    assert_int_equal(rows, 0);
    assert_string_equal(tacho_sqlite_damage(made.file), "a table is computed by functions");
    assert_int_equal(sum(made.file, "keyed", "v", &rows), 0);
    close_database(&made);
}

static size_t read_all(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(bytes, 1, room, file);
    fclose(file);
    return len;
}

static void write_all(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

/* A cut file keeps a prefix of its rows and names the damage, or is refused. */
static void test_cut(void **state)
{
    enum { ROOM = 1 << 16, STEP = 100, ROWS = 500 };
    scratch *at = *state;
    char *bytes = malloc(ROOM);
    size_t kept_count = 0;
    uint64_t longest = 0;
    make_database(at->path,
                  "PRAGMA page_size=512; CREATE TABLE t (v INTEGER, text TEXT); WITH RECURSIVE "
                  "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) "
                  "INSERT INTO t SELECT i, 'text of row ' || i FROM n");
    size_t whole = read_all(at->path, bytes, ROOM);
    for (size_t len = 0; len < whole; len += STEP) {
        tacho_input input;
        tacho_sqlite_file *file = NULL;
        write_all(at->other_path, bytes, len);
        assert_null(tacho_input_open(at->other_path, &input));
        tacho_status status = tacho_sqlite_open(&input, &file);
        if (status == TACHO_OK) {
            uint64_t rows = 0;
            int64_t total = sum(file, "t", "v", &rows);
            assert_int_equal(total, (int64_t)(rows * (rows + 1) / 2));
            assert_non_null(tacho_sqlite_damage(file));
            kept_count++;
            longest = rows > longest ? rows : longest;
        }
        tacho_status_free(status);
        tacho_sqlite_close(file);
        tacho_input_close(&input);
    }
    assert_true(kept_count > 10 && longest > ROWS / 2 && longest < ROWS);
    free(bytes);
}

/* Flipped bytes: never a crash, never endless. */
static void test_flips(void **state)
{
    enum { ROOM = 1 << 16, STEP = 7 };
    scratch *at = *state;
    char *bytes = malloc(ROOM);
    make_database(at->path,
                  "PRAGMA page_size=512; CREATE TABLE t (v INTEGER, text TEXT); WITH RECURSIVE "
                  "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
                  "INSERT INTO t SELECT i, 'text of row ' || i FROM n");
    size_t whole = read_all(at->path, bytes, ROOM);
    for (size_t i = 0; i < whole; i += STEP) {
        tacho_input input;
        tacho_sqlite_file *file = NULL;
        uint64_t rows = 0;
        bytes[i] = (char)(bytes[i] ^ 0x55);
        assert_null(tacho_input_open_bytes("flipped", tacho_str_make(bytes, whole), &input));
        tacho_status status = tacho_sqlite_open(&input, &file);
        if (status == TACHO_OK) {
            sum(file, "t", "v", &rows);
        }
        assert_true(rows <= 100000);
        tacho_status_free(status);
        tacho_sqlite_close(file);
        tacho_input_close(&input);
        bytes[i] = (char)(bytes[i] ^ 0x55);
    }
    free(bytes);
}

/* Changes beside the database are not ignored. */
static void test_beside(void **state)
{
    scratch *at = *state;
    char beside[PATH_BYTES + 8];
    tacho_input input;
    tacho_sqlite_file *file = NULL;
    make_database(at->path, "CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (1)");
    snprintf(beside, sizeof(beside), "%s-wal", at->path);
    write_all(beside, "x", 1);
    assert_null(tacho_input_open(at->path, &input));
    tacho_status status = tacho_sqlite_open(&input, &file);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_UNSUPPORTED);
    assert_non_null(strstr(tacho_status_message(status), "-wal'"));
    tacho_status_free(status);
    write_all(beside, "", 0);
    assert_null(tacho_sqlite_open(&input, &file));
    tacho_sqlite_close(file);
    tacho_input_close(&input);
    unlink(beside);
}

/* From a pipe or memory, and through a name that a URI would misread. */
static void test_ways(void **state)
{
    enum { ROOM = 1 << 16 };
    scratch *at = *state;
    char odd[PATH_BYTES + 40];
    char *bytes = malloc(ROOM);
    tacho_input input;
    tacho_sqlite_file *file = NULL;
    uint64_t rows = 0;
    make_database(at->path, "CREATE TABLE t (v INTEGER); INSERT INTO t VALUES (1), (2)");
    size_t len = read_all(at->path, bytes, ROOM);
    assert_null(tacho_input_open_bytes("memory", tacho_str_make(bytes, len), &input));
    assert_null(tacho_sqlite_open(&input, &file));
    assert_int_equal(sum(file, "t", "v", &rows), 3);
    tacho_sqlite_close(file);
    tacho_input_close(&input);
    snprintf(odd, sizeof(odd), "%s?mode=rwc&x=%%41#b", at->path);
    write_all(odd, bytes, len);
    opened made = open_database(odd);
    assert_int_equal(sum(made.file, "t", "v", &rows), 3);
    close_database(&made);
    unlink(odd);
    free(bytes);
    assert_null(tacho_input_open_bytes("text", TACHO_STR("SQLite format 3 not really"), &input));
    tacho_status status = tacho_sqlite_open(&input, &file);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_input_close(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_values, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_long, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_seek, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_hostile, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_cut, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_flips, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_beside, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_ways, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
