/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions on texts against SQLite's own, on random arguments; and that none of them takes the
 * product of two lengths, or goes on after its deadline.
 */
#include "sql/text_functions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/process.h"

enum { TEXT_MAX = 64 };

typedef struct pair {
    sqlite3 *sqlite, *ours;
    tacho_sql_deadline deadline;
} pair;

static void open_pair(pair *self)
{
    self->deadline.until_ns = INT64_MAX;
    assert_int_equal(sqlite3_open(":memory:", &self->sqlite), SQLITE_OK);
    assert_int_equal(sqlite3_open(":memory:", &self->ours), SQLITE_OK);
    assert_int_equal(tacho_sql_text_functions_add(self->ours, &self->deadline), SQLITE_OK);
}

static void close_pair(pair *self)
{
    sqlite3_close(self->sqlite);
    sqlite3_close(self->ours);
}

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (*state >> 33) % below;
}

/* Few different characters, so that parts are found and patterns match. */
static void draw_text(uint64_t *state, const char *const *pieces, size_t piece_count, char *text)
{
    size_t len = 0;
    for (uint64_t i = draw(state, 9); i > 0; i--) {
        const char *piece = pieces[draw(state, piece_count)];
        memcpy(text + len, piece, strlen(piece));
        len += strlen(piece);
    }
    text[len] = '\0';
}

/* What |sql| gives with those arguments: a type and a value. */
static void run(sqlite3 *db, const char *sql, char texts[3][TEXT_MAX], unsigned kinds, char *out)
{
    sqlite3_stmt *statement = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    for (int i = 0; i < sqlite3_bind_parameter_count(statement); i++) {
        unsigned kind = kinds >> (4 * i) & 15;
        if (kind == 0) {
            sqlite3_bind_null(statement, i + 1);
        } else if (kind == 1) {
            sqlite3_bind_blob(statement, i + 1, texts[i], (int)strlen(texts[i]), SQLITE_STATIC);
        } else if (kind == 2) {
            sqlite3_bind_int(statement, i + 1, 101);
        } else {
            sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
        }
    }
    int code = sqlite3_step(statement);
    const char *value = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "";
    snprintf(out, 8 * TEXT_MAX, "%d %d %s", code,
             code == SQLITE_ROW ? sqlite3_column_type(statement, 0) : -1,
             value != NULL ? value : "(null)");
    sqlite3_finalize(statement);
}

static void compare(const char *const *statements, size_t statement_count,
                    const char *const *pieces, size_t piece_count, uint64_t seed)
{
    enum { ROUNDS = 20000 };
    pair both;
    char texts[3][TEXT_MAX], expected[8 * TEXT_MAX], found[8 * TEXT_MAX];
    open_pair(&both);
    for (int i = 0; i < ROUNDS; i++) {
        const char *sql = statements[draw(&seed, statement_count)];
        unsigned kinds = 0;
        for (unsigned j = 0; j < 3; j++) {
            draw_text(&seed, pieces, piece_count, texts[j]);
            kinds |= (unsigned)draw(&seed, 16) << (4 * j);
        }
        run(both.sqlite, sql, texts, kinds, expected);
        run(both.ours, sql, texts, kinds, found);
        if (strcmp(expected, found) != 0) {
            fail_msg("%s of '%s', '%s', '%s' (%x): %s, not %s", sql, texts[0], texts[1], texts[2],
                     kinds, found, expected);
        }
    }
    close_pair(&both);
}

#define COUNT(items) (sizeof(items) / sizeof((items)[0]))

static void test_searching(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "SELECT instr(?, ?)", "SELECT replace(?, ?, ?)", "SELECT trim(?)",  "SELECT trim(?, ?)",
        "SELECT ltrim(?)",    "SELECT ltrim(?, ?)",      "SELECT rtrim(?)", "SELECT rtrim(?, ?)",
    };
    static const char *const pieces[] = {"a", "b", "ab", " ", "\xc3\xa9", "\xe2\x82\xac", "aa"};
    compare(statements, COUNT(statements), pieces, COUNT(pieces), 1);
}

static void test_patterns(void **state)
{
    (void)state;
    static const char *const like[] = {"SELECT like(?, ?)", "SELECT like(?, ?, 'e')",
                                       "SELECT like(?, ?, '%')", "SELECT ?2 LIKE ?1"};
    static const char *const glob[] = {"SELECT glob(?, ?)", "SELECT ?2 GLOB ?1"};
    static const char *const like_pieces[] = {"a", "b", "A", "%", "_", "e", "\xc3\xa9", "ab"};
    static const char *const glob_pieces[] = {"a", "b", "A", "*",     "?",    "[",       "]",
                                              "^", "-", "c", "[a-b]", "[^a]", "\xc3\xa9"};
    compare(like, COUNT(like), like_pieces, COUNT(like_pieces), 2);
    compare(glob, COUNT(glob), glob_pieces, COUNT(glob_pieces), 3);
}

/* An escape of two characters, and a pattern above the limit and at it. */
static void test_refusals(void **state)
{
    (void)state;
    pair both;
    char texts[3][TEXT_MAX] = {"aaaa", "aaaa", ""}, out[8 * TEXT_MAX];
    open_pair(&both);
    run(both.ours, "SELECT like(?, ?, 'ab')", texts, 0x333, out);
    assert_string_equal(out, "1 -1 ");
    assert_non_null(strstr(sqlite3_errmsg(both.ours), "must be a single character"));
    sqlite3_limit(both.ours, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 3);
    run(both.ours, "SELECT like(?, ?)", texts, 0x333, out);
    assert_string_equal(out, "1 -1 ");
    assert_non_null(strstr(sqlite3_errmsg(both.ours), "too complex"));
    sqlite3_limit(both.ours, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 4);
    run(both.ours, "SELECT like(?, ?)", texts, 0x333, out);
    assert_string_equal(out, "100 1 1");
    sqlite3_limit(both.ours, SQLITE_LIMIT_LENGTH, 100);
    run(both.ours, "SELECT replace(?, 'a', '1234567890123456789012345')", texts, 0x333, out);
    assert_true(strncmp(out, "100 3 ", 6) == 0);
    run(both.ours, "SELECT replace(?, 'a', '12345678901234567890123456')", texts, 0x333, out);
    assert_string_equal(out, "18 -1 "); /* SQLITE_TOOBIG */
    close_pair(&both);
}

/* Each of these takes hours where the time is the product of both lengths. */
static void test_linear(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "SELECT instr(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b')",
        ("SELECT length(replace(printf('%.*c', 8000000, 'a'), printf('%.*c', 4000000, 'a') || 'b',"
         " 'c')) - 8000000"),
        "SELECT length(trim(printf('%.*c', 4000000, 'a'), printf('%.*c', 4000000, 'b') || 'a'))",
    };
    pair both;
    char texts[3][TEXT_MAX] = {"", "", ""}, out[8 * TEXT_MAX];
    open_pair(&both);
    for (size_t i = 0; i < COUNT(statements); i++) {
        run(both.ours, statements[i], texts, 0, out);
        assert_string_equal(out, "100 1 0");
    }
    close_pair(&both);
}

static void test_deadline(void **state)
{
    (void)state;
    static const char *const statements[] = {
        "SELECT printf('%.*c', 8000000, 'a') LIKE '%' || printf('%.*c', 9000, 'a') || 'b'",
        "SELECT printf('%.*c', 8000000, 'a') GLOB '*' || printf('%.*c', 9000, 'a') || 'b'",
    };
    pair both;
    char texts[3][TEXT_MAX] = {"", "", ""}, out[8 * TEXT_MAX];
    open_pair(&both);
    for (size_t i = 0; i < COUNT(statements); i++) {
        both.deadline.until_ns = tacho_process_now_ns() + 20000000;
        run(both.ours, statements[i], texts, 0, out);
        assert_string_equal(out, "9 -1 "); /* SQLITE_INTERRUPT */
    }
    close_pair(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_searching), cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_linear),
        cmocka_unit_test(test_deadline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
