/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law of fleets: for any grouping and order of merging files, the part has the same bytes. And
 * of parts: a written part can be read, a damaged one is refused.
 */
#include "questions/fleet/fleet_part.h"
#include "questions/fleet/fleet_view.h"

#include "base/grow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILE_COUNT = 24, SPLITS = 60 };

static uint64_t state = 88172645463325252;

static uint64_t next_random(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state * UINT64_C(0x2545f4914f6cdd1d) >> 11) % below;
}

static void expect_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        print_error("%s\n", tacho_status_message(status));
    }
    assert_true(status == TACHO_OK);
}

/* Writes |fleet| to memory. */
static tacho_str write_part(tacho_fleet *fleet)
{
    FILE *file = tmpfile();
    tacho_output output;
    assert_non_null(file);
    expect_ok(tacho_output_open_descriptor(fileno(file), "part", &output));
    expect_ok(tacho_fleet_write(fleet, &output));
    expect_ok(tacho_output_commit(&output));
    tacho_output_close(&output);
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    char *bytes = malloc((size_t)len);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)len, file), (size_t)len);
    fclose(file);
    return tacho_str_make(bytes, (size_t)len);
}

static void free_bytes(tacho_str bytes)
{
    free((void *)(uintptr_t)bytes.data);
}

static void add_row(tacho_fleet *fleet, tacho_fleet_table_id table, tacho_str key, uint64_t id,
                    uint64_t count)
{
    static const char *const locations[] = {"", "a.py:1", "b.py:2"};
    tacho_durations durations;
    tacho_fleet_row row = {.count = count, .file_count = 1};
    tacho_durations_init(&durations);
    for (uint64_t i = 0; i < count; i++) {
        int64_t ns = (int64_t)next_random(next_random(2) == 0 ? 100 : 1000000);
        row.least = i == 0 || ns < row.least.ns ? (tacho_fleet_peak){ns, id} : row.least;
        row.most = i == 0 || ns > row.most.ns ? (tacho_fleet_peak){ns, id} : row.most;
        row.total_ns += ns;
        expect_ok(tacho_durations_add(&durations, ns));
    }
    row.inner_ns = row.total_ns / 3;
    row.largest = (tacho_fleet_peak){(int64_t)(row.total_ns - row.inner_ns), id};
    row.has_bytes = next_random(2) == 0;
    row.bytes = row.has_bytes ? (int64_t)next_random(UINT64_C(1) << 62) : 0;
    row.durations = tacho_fleet_table_has_durations(table) ? &durations : NULL;
    const tacho_fleet_amount amount = {
        .key = key,
        .row = &row,
        .location = tacho_str_from_cstring(locations[next_random(3)]),
    };
    expect_ok(tacho_fleet_add(fleet, table, &amount));
    tacho_durations_deinit(&durations);
}

/* A fleet of one file at |path|, with |spans| spans or so of operations. */
static void make_file_at(tacho_fleet *fleet, uint64_t id, uint64_t spans, const char *path,
                         const char *host)
{
    char key[64];
    expect_ok(tacho_fleet_init(fleet, TACHO_FLEET_ALL));
    tacho_str reading = id % 3 == 0 ? TACHO_STR("clock 800 MHz") : TACHO_STR("");
    expect_ok(tacho_fleet_text(fleet, TACHO_STR("0..1000 ns"), &fleet->window));
    expect_ok(tacho_fleet_text(fleet, reading, &fleet->reading));
    expect_ok(tacho_fleet_text(fleet, reading, &fleet->profile));
    tacho_fleet_put_id(key, id);
    add_row(fleet, TACHO_FLEET_TABLE_FILES, tacho_str_make(key, TACHO_FLEET_ID_BYTES), id,
            next_random(4));
    memcpy(key + TACHO_FLEET_ID_BYTES, "\1GPU 0", 6);
    tacho_fleet_device *device = NULL;
    expect_ok(
        tacho_fleet_ensure_device(fleet, tacho_str_make(key, TACHO_FLEET_ID_BYTES + 6), &device));
    for (size_t i = 0; i < TACHO_FLEET_NUMBER_COUNT; i++) {
        device->numbers[i] = (int64_t)next_random(UINT64_C(1) << 40);
    }
    int len = snprintf(key + TACHO_FLEET_ID_BYTES, 40, "%s", path);
    tacho_fleet_file *file = NULL;
    expect_ok(tacho_fleet_ensure_file(
        fleet, tacho_str_make(key, TACHO_FLEET_ID_BYTES + (size_t)len), &file));
    expect_ok(tacho_fleet_text(fleet, tacho_str_from_cstring(host), &file->host));
    file->rank = (int64_t)id;
    for (unsigned i = 0; i < 12; i++) {
        len = snprintf(key, sizeof(key), "\1\4op %u", (unsigned)next_random(16));
        add_row(fleet, TACHO_FLEET_TABLE_OPS, tacho_str_make(key, (size_t)len), id,
                1 + next_random(spans));
        len = snprintf(key, sizeof(key), "run%cProfilerStep#%u", 0, i);
        add_row(fleet, TACHO_FLEET_TABLE_STEPS, tacho_str_make(key, (size_t)len), id, 1);
        len = snprintf(key, sizeof(key), "run%c0%callreduce%c1234567%u", 0, 0, 0, i % 10);
        add_row(fleet, TACHO_FLEET_TABLE_CALLS, tacho_str_make(key, (size_t)len), id, 1);
        for (uint64_t call = 0; call < 16; call++) { /* more than the second group keeps */
            tacho_fleet_put_id(key, i % 2);
            tacho_fleet_put_id(key + TACHO_FLEET_ID_BYTES,
                               (i * id * 16 + call) * UINT64_C(0x9e3779b97f4a7c15));
            tacho_fleet_put_id(key + 2 * TACHO_FLEET_ID_BYTES, id);
            add_row(fleet, TACHO_FLEET_TABLE_ENDS, tacho_str_make(key, TACHO_FLEET_ENDS_KEY_BYTES),
                    id, 1);
        }
        len = snprintf(key, sizeof(key), "run%c0%callreduce%c", 0, 0, 0);
        add_row(fleet, TACHO_FLEET_TABLE_KINDS, tacho_str_make(key, (size_t)len), id,
                1 + next_random(300));
    }
}

static void make_file(tacho_fleet *fleet, uint64_t id, uint64_t spans)
{
    char path[40];
    snprintf(path, sizeof(path), "dir/%llu.json", (unsigned long long)id);
    make_file_at(fleet, id, spans, path, "host");
}

/* Merges |files| in a random tree into one part. */
static tacho_str merge_randomly(tacho_fleet *files)
{
    tacho_fleet merged[FILE_COUNT];
    size_t count = FILE_COUNT;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        expect_ok(tacho_fleet_init(&merged[i], TACHO_FLEET_ALL));
        expect_ok(tacho_fleet_merge(&merged[i], &files[i]));
    }
    while (count > 1) {
        size_t to = (size_t)next_random(count);
        size_t from = (size_t)next_random(count);
        if (to == from) {
            continue;
        }
        if (next_random(3) == 0) { /* through a file */
            tacho_str bytes = write_part(&merged[from]);
            tacho_fleet_deinit(&merged[from]);
            expect_ok(tacho_fleet_read(&merged[from], bytes));
            free_bytes(bytes);
        }
        expect_ok(tacho_fleet_merge(&merged[to], &merged[from]));
        tacho_fleet_deinit(&merged[from]);
        merged[from] = merged[--count];
    }
    tacho_str bytes = write_part(&merged[0]);
    tacho_fleet_deinit(&merged[0]);
    return bytes;
}

/* |spans|: few keep every duration, many are counted in buckets. */
static void check_law(uint64_t spans)
{
    static tacho_fleet files[FILE_COUNT];
    tacho_str expected = TACHO_STR("");
    for (size_t i = 0; i < FILE_COUNT; i++) {
        make_file(&files[i], i + 1, spans);
    }
    for (size_t i = 0; i < SPLITS; i++) {
        tacho_str bytes = merge_randomly(files);
        if (i == 0) {
            expected = bytes;
            continue;
        }
        assert_true(tacho_str_equal(expected, bytes));
        free_bytes(bytes);
    }
    free_bytes(expected);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        tacho_fleet_deinit(&files[i]);
    }
}

static void any_split_in_any_order_gives_the_same_bytes(void **unused)
{
    (void)unused;
    check_law(8);
    check_law(2000);
}

static void a_copy_of_a_file_is_listed_and_not_counted(void **unused)
{
    (void)unused;
    tacho_fleet one, two, copy, both, other;
    make_file(&one, 1, 10);
    make_file(&two, 2, 10);
    expect_ok(tacho_fleet_init(&copy, TACHO_FLEET_ALL));
    expect_ok(tacho_fleet_merge(&copy, &one));
    char key[] = "\0\0\0\0\0\0\0\1copy.json";
    tacho_fleet_file *file = NULL;
    expect_ok(tacho_fleet_ensure_file(&copy, tacho_str_make(key, sizeof(key) - 1), &file));
    expect_ok(tacho_fleet_init(&both, TACHO_FLEET_ALL));
    expect_ok(tacho_fleet_merge(&both, &one));
    expect_ok(tacho_fleet_merge(&both, &two));
    uint64_t counted = both.span_count;
    expect_ok(tacho_fleet_merge(&both, &copy));
    assert_int_equal(both.span_count, counted);
    assert_int_equal(both.file_count, 3);
    /* The copy first, then both files of another part. */
    expect_ok(tacho_fleet_init(&other, TACHO_FLEET_ALL));
    expect_ok(tacho_fleet_merge(&other, &copy));
    expect_ok(tacho_fleet_merge(&other, &both));
    tacho_str a = write_part(&both), b = write_part(&other);
    assert_true(tacho_str_equal(a, b));
    free_bytes(a);
    free_bytes(b);
    /* Two parts that share a file count it twice, and record that. */
    expect_ok(tacho_fleet_merge(&other, &both));
    const tacho_fleet_table *files = &other.tables[TACHO_FLEET_TABLE_FILES];
    assert_int_equal(files->rows[0].file_count, 2);
    tacho_fleet_deinit(&one);
    tacho_fleet_deinit(&two);
    tacho_fleet_deinit(&copy);
    tacho_fleet_deinit(&both);
    tacho_fleet_deinit(&other);
}

enum { COPIES = 6 };

/* Two files, one with two copies, one of which is at the same path on another computer. */
static void make_copies(tacho_fleet files[COPIES])
{
    static const struct {
        uint64_t id;
        const char *path, *host;
    } facts[COPIES] = {{1, "b.json", ""},    {1, "c.json", "n2"}, {1, "c.json", "n1"},
                       {1, "a.json.gz", ""}, {2, "d.json", "n3"}, {2, "d.json", ""}};
    for (size_t i = 0; i < COPIES; i++) {
        state = facts[i].id; /* the same sums */
        make_file_at(&files[i], facts[i].id, 8, facts[i].path, facts[i].host);
    }
}

/* Merges the files of |order| before and after |middle|; false if both halves count both files. */
static bool merge_split(tacho_fleet *files, const size_t order[COPIES], size_t middle,
                        tacho_fleet *to)
{
    tacho_fleet rest;
    expect_ok(tacho_fleet_init(to, TACHO_FLEET_ALL));
    expect_ok(tacho_fleet_init(&rest, TACHO_FLEET_ALL));
    for (size_t i = 0; i < COPIES; i++) {
        expect_ok(tacho_fleet_merge(i < middle ? to : &rest, &files[order[i]]));
    }
    bool is_law = to->tables[TACHO_FLEET_TABLE_FILES].row_count < 2 ||
                  rest.tables[TACHO_FLEET_TABLE_FILES].row_count < 2;
    expect_ok(tacho_fleet_merge(to, &rest));
    tacho_fleet_deinit(&rest);
    return is_law;
}

static void swap(size_t *a, size_t *b)
{
    size_t kept = *a;
    *a = *b;
    *b = kept;
}

/* Turns |order| into the next one; false: it was the last. */
static bool next_order(size_t order[COPIES])
{
    size_t from = COPIES - 1, to = COPIES - 1;
    while (from > 0 && order[from - 1] > order[from]) {
        from--;
    }
    if (from == 0) {
        return false;
    }
    while (order[to] < order[from - 1]) {
        to--;
    }
    swap(&order[from - 1], &order[to]);
    for (size_t low = from, high = COPIES - 1; low < high; low++, high--) {
        swap(&order[low], &order[high]);
    }
    return true;
}

static void copies_in_any_order_give_the_same_bytes(void **unused)
{
    (void)unused;
    tacho_fleet files[COPIES];
    size_t order[COPIES] = {0, 1, 2, 3, 4, 5};
    tacho_str expected = TACHO_STR("");
    make_copies(files);
    do {
        for (size_t middle = 0; middle < COPIES; middle++) {
            tacho_fleet fleet;
            bool is_law = merge_split(files, order, middle, &fleet);
            tacho_str bytes = write_part(&fleet);
            expected = expected.len == 0 ? bytes : expected;
            assert_true(!is_law || tacho_str_equal(expected, bytes));
            if (bytes.data != expected.data) {
                free_bytes(bytes);
            }
            tacho_fleet_deinit(&fleet);
        }
    } while (next_order(order));
    free_bytes(expected);
    for (size_t i = 0; i < COPIES; i++) {
        tacho_fleet_deinit(&files[i]);
    }
}

static void of_copies_the_one_that_names_its_host_is_shown(void **unused)
{
    (void)unused;
    tacho_fleet files[COPIES], fleet;
    tacho_fleet_view view;
    make_copies(files);
    expect_ok(tacho_fleet_init(&fleet, TACHO_FLEET_ALL));
    for (size_t i = 0; i < COPIES; i++) {
        expect_ok(tacho_fleet_merge(&fleet, &files[i]));
    }
    expect_ok(tacho_fleet_view_init(&view, &fleet));
    const tacho_fleet_file *file = tacho_fleet_view_file(&view, 1);
    assert_true(tacho_str_equal(tacho_fleet_view_text(&view, file->host), TACHO_STR("n1")));
    assert_true(tacho_str_equal(tacho_fleet_view_path(&view, file), TACHO_STR("c.json")));
    file = tacho_fleet_view_file(&view, 2);
    assert_true(tacho_str_equal(tacho_fleet_view_text(&view, file->host), TACHO_STR("n3")));
    tacho_fleet_view_deinit(&view);
    tacho_fleet_deinit(&fleet);
    for (size_t i = 0; i < COPIES; i++) {
        tacho_fleet_deinit(&files[i]);
    }
}

static void single_steps_are_kept_by_a_hash_up_to_a_limit(void **unused)
{
    (void)unused;
    tacho_fleet fleet;
    const tacho_fleet_row row = {.count = 1, .file_count = 1, .total_ns = 5};
    expect_ok(tacho_fleet_init(&fleet, TACHO_FLEET_ALL));
    for (unsigned i = 0; i < 3 * TACHO_FLEET_KEPT_KEYS; i++) {
        char key[32];
        int len = snprintf(key, sizeof(key), "r%cstep #%u", 0, i);
        const tacho_fleet_amount amount = {.key = tacho_str_make(key, (size_t)len), .row = &row};
        expect_ok(tacho_fleet_add(&fleet, TACHO_FLEET_TABLE_STEPS, &amount));
    }
    expect_ok(tacho_fleet_settle(&fleet));
    assert_int_equal(fleet.tables[TACHO_FLEET_TABLE_STEPS].row_count, TACHO_FLEET_KEPT_KEYS);
    /* Of ends, a fixed number of calls per group is kept, each with all its files. */
    for (uint64_t i = 0; i < 10000; i++) {
        char key[TACHO_FLEET_ENDS_KEY_BYTES];
        tacho_fleet_put_id(key, i < 9000 ? 7 : i / 100);
        tacho_fleet_put_id(key + TACHO_FLEET_ID_BYTES, (i / 5 + 1) * UINT64_C(0x9e3779b97f4a7c15));
        tacho_fleet_put_id(key + 2 * TACHO_FLEET_ID_BYTES, i % 5);
        const tacho_fleet_amount amount = {.key = tacho_str_make(key, sizeof(key)), .row = &row};
        expect_ok(tacho_fleet_add(&fleet, TACHO_FLEET_TABLE_ENDS, &amount));
    }
    expect_ok(tacho_fleet_settle(&fleet));
    assert_int_equal(fleet.tables[TACHO_FLEET_TABLE_ENDS].row_count,
                     5 * TACHO_FLEET_KEPT_ENDS + 1000);
    tacho_fleet_deinit(&fleet);
}

/* A file with more collectives than are kept; every second one is also of the file before. */
static void make_long_file(tacho_fleet *fleet, uint64_t id)
{
    char key[64];
    make_file_at(fleet, id, 8, "long.json", "");
    for (unsigned i = 0; i < 3 * TACHO_FLEET_KEPT_KEYS / 2; i++) {
        unsigned number = i % 2 == 0 ? i : i + (unsigned)id * 1000000;
        const tacho_fleet_peak peak = {(int64_t)(number % 977 + id), id};
        const tacho_fleet_row row = {
            .count = 1, .file_count = 1, .total_ns = peak.ns, .least = peak, .most = peak};
        int len = snprintf(key, sizeof(key), "run%c0%callreduce%c%08u", 0, 0, 0, number);
        const tacho_fleet_amount amount = {.key = tacho_str_make(key, (size_t)len), .row = &row};
        expect_ok(tacho_fleet_add(fleet, TACHO_FLEET_TABLE_CALLS, &amount));
    }
}

/* The choice among too many keys does not depend on the grouping of files. */
static void what_is_kept_of_many_does_not_depend_on_splits(void **unused)
{
    (void)unused;
    enum { LONG_FILES = 4 };
    static const unsigned orders[][LONG_FILES] = {{0, 1, 2, 3}, {3, 1, 0, 2}};
    tacho_str expected = TACHO_STR("");
    static tacho_fleet files[LONG_FILES];
    for (unsigned i = 0; i < LONG_FILES; i++) {
        make_long_file(&files[i], i + 1);
    }
    for (size_t i = 0; i < 3; i++) {
        tacho_fleet all, halves[2];
        expect_ok(tacho_fleet_init(&all, TACHO_FLEET_ALL));
        for (size_t k = 0; k < 2; k++) {
            expect_ok(tacho_fleet_init(&halves[k], TACHO_FLEET_ALL));
        }
        for (size_t k = 0; k < LONG_FILES; k++) { /* one by one, or by halves that are written */
            expect_ok(tacho_fleet_merge(i < 2 ? &all : &halves[k % 2], &files[orders[i % 2][k]]));
        }
        for (size_t k = 0; k < 2 && i == 2; k++) {
            tacho_fleet read;
            tacho_str half = write_part(&halves[k]);
            expect_ok(tacho_fleet_read(&read, half));
            expect_ok(tacho_fleet_merge(&all, &read));
            tacho_fleet_deinit(&read);
            free_bytes(half);
        }
        tacho_str bytes = write_part(&all);
        assert_int_equal(all.tables[TACHO_FLEET_TABLE_CALLS].row_count, TACHO_FLEET_KEPT_KEYS);
        assert_true(i == 0 || tacho_str_equal(expected, bytes));
        if (i > 0) {
            free_bytes(expected);
        }
        expected = bytes;
        tacho_fleet_deinit(&all);
        tacho_fleet_deinit(&halves[0]);
        tacho_fleet_deinit(&halves[1]);
    }
    free_bytes(expected);
    for (unsigned i = 0; i < LONG_FILES; i++) {
        tacho_fleet_deinit(&files[i]);
    }
}

static void a_part_that_is_cut_or_damaged_is_refused(void **unused)
{
    (void)unused;
    tacho_fleet fleet, read;
    make_file(&fleet, 7, 10);
    tacho_str bytes = write_part(&fleet);
    char *copy = malloc(bytes.len);
    for (size_t len = 0; len < bytes.len; len += 1 + len / 40) {
        tacho_status status = tacho_fleet_read(&read, tacho_str_make(bytes.data, len));
        assert_true(status != TACHO_OK);
        tacho_status_free(status);
        tacho_fleet_deinit(&read);
    }
    for (size_t at = 0; at < bytes.len; at += 7) {
        memcpy(copy, bytes.data, bytes.len);
        copy[at] = (char)(copy[at] ^ 0x10);
        tacho_status status = tacho_fleet_read(&read, tacho_str_make(copy, bytes.len));
        assert_true(status != TACHO_OK);
        tacho_status_free(status);
        tacho_fleet_deinit(&read);
    }
    free(copy);
    free_bytes(bytes);
    tacho_fleet_deinit(&fleet);
}

static void ranks_beyond_all_reason_are_refused(void **unused)
{
    (void)unused;
    static const int64_t bad[][3] = {{INT64_MAX, -1, 4},
                                     {INT64_C(1) << 31, -1, 4},
                                     {-2, -1, 4},
                                     {0, INT64_MAX, 4},
                                     {0, -1, INT64_MAX},
                                     {0, -1, -1},
                                     {INT32_MAX, INT32_MAX, INT32_MAX}};
    size_t count = sizeof(bad) / sizeof(bad[0]);
    for (size_t i = 0; i < count; i++) {
        tacho_fleet fleet, read;
        make_file(&fleet, 7, 10);
        fleet.files[0].rank = bad[i][0];
        fleet.files[0].own_rank = bad[i][1];
        fleet.files[0].world_size = bad[i][2];
        tacho_str bytes = write_part(&fleet);
        tacho_status status = tacho_fleet_read(&read, bytes);
        assert_int_equal(status == TACHO_OK, i + 1 == count); /* the last ones fit */
        tacho_status_free(status);
        tacho_fleet_deinit(&read);
        tacho_fleet_deinit(&fleet);
        free_bytes(bytes);
    }
}

static void parts_of_other_questions_are_not_merged(void **unused)
{
    (void)unused;
    tacho_fleet ops, all;
    expect_ok(tacho_fleet_init(&ops, TACHO_FLEET_OPS));
    expect_ok(tacho_fleet_init(&all, TACHO_FLEET_ALL));
    tacho_status status = tacho_fleet_merge(&all, &ops);
    assert_true(tacho_status_code(status) == TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_fleet_deinit(&ops);
    tacho_fleet_deinit(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_split_in_any_order_gives_the_same_bytes),
        cmocka_unit_test(a_copy_of_a_file_is_listed_and_not_counted),
        cmocka_unit_test(copies_in_any_order_give_the_same_bytes),
        cmocka_unit_test(of_copies_the_one_that_names_its_host_is_shown),
        cmocka_unit_test(single_steps_are_kept_by_a_hash_up_to_a_limit),
        cmocka_unit_test(what_is_kept_of_many_does_not_depend_on_splits),
        cmocka_unit_test(a_part_that_is_cut_or_damaged_is_refused),
        cmocka_unit_test(ranks_beyond_all_reason_are_refused),
        cmocka_unit_test(parts_of_other_questions_are_not_merged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
