/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of several parts are pushed mixed and played back part by part, any number of times, whether
 * they fit into memory or not. pwrite(2) is replaced so that it can fail.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "profile/row_store.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

enum { PART_COUNT = 3, ROW_COUNT = 3000 };

static bool pwrite_fails;
static size_t pwrite_call_count;

ssize_t pwrite(int fd, const void *bytes, size_t len, off_t offset)
{
    pwrite_call_count++;
    if (pwrite_fails) {
        errno = ENOSPC;
        return -1;
    }
    return (ssize_t)syscall(SYS_pwrite64, fd, bytes, len, offset);
}

/* Parts 0 .. 2, whose root tracks have the same numbers. */
static void init_dict(tacho_dict *dict)
{
    tacho_clock clock;
    uint32_t id = 0;
    assert_null(tacho_dict_init(dict));
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_add_clock(dict, &clock, TACHO_STR("ns"), &id));
    for (size_t i = 0; i < PART_COUNT; i++) {
        tacho_part_facts facts = {.path = TACHO_STR("a")};
        assert_null(tacho_dict_add_part(dict, &facts, &id));
        assert_int_equal(dict->parts[id].root, i);
    }
}

/* Text whose length depends on the number, so that rows differ in size. */
static tacho_str text_of(int64_t number)
{
    static char bytes[2000];
    memset(bytes, 'a' + (int)(number % 26), sizeof(bytes));
    return tacho_str_make(bytes, (size_t)(number * 7 % 300 + (number % 500 == 0 ? 1500 : 0)));
}

static tacho_status add_row(tacho_row_store *store, int64_t number)
{
    tacho_arg arg = {.key = 0, .type = TACHO_ARG_TEXT};
    arg.value.as_text = text_of(number);
    tacho_row row = {.kind = TACHO_ROW_SPAN,
                     .track = (uint32_t)(number % PART_COUNT),
                     .start = number,
                     .args = &arg,
                     .arg_count = 1};
    return tacho_events_row(tacho_row_store_events(store), &row);
}

/* Expects the rows of one part. */
typedef struct checker {
    tacho_events events;
    int64_t next;
    size_t count;
} checker;

static tacho_status check_row(tacho_events *events, const tacho_row *row)
{
    checker *check = (checker *)(void *)events;
    assert_int_equal(row->start, check->next);
    assert_int_equal(row->track, check->next % PART_COUNT);
    assert_int_equal(row->arg_count, 1);
    assert_true(tacho_str_equal(row->args[0].value.as_text, text_of(check->next)));
    check->next += PART_COUNT;
    check->count++;
    return TACHO_OK;
}

static void check_part(tacho_row_store *store, tacho_dict *dict, uint32_t part, size_t count)
{
    static const tacho_events_vtable vtable = {.row = check_row};
    checker check = {{&vtable, dict}, part, 0};
    assert_null(tacho_row_store_replay(store, part, &check.events));
    assert_int_equal(check.count, count);
}

static void check_store(size_t memory_bytes, bool uses_disk)
{
    tacho_dict dict;
    tacho_row_store *store = NULL;
    init_dict(&dict);
    pwrite_call_count = 0;
    assert_null(tacho_row_store_create(&dict, memory_bytes, &store));
    check_part(store, &dict, 1, 0);
    for (int64_t i = 0; i < ROW_COUNT; i++) {
        assert_null(add_row(store, i));
        if (i == ROW_COUNT / 2 - 1) {
            check_part(store, &dict, 1, ROW_COUNT / 2 / PART_COUNT);
        }
    }
    for (int round = 0; round < 2; round++) {
        for (uint32_t part = 0; part < PART_COUNT; part++) {
            check_part(store, &dict, part, ROW_COUNT / PART_COUNT);
        }
    }
    assert_int_equal(pwrite_call_count > 0, uses_disk);
    tacho_row_store_forget(store, 1);
    check_part(store, &dict, 0, ROW_COUNT / PART_COUNT);
    check_part(store, &dict, 1, 0);
    check_part(store, &dict, 2, 0);
    tacho_row_store_destroy(store);
    tacho_dict_deinit(&dict);
}

static void test_in_memory(void **state)
{
    (void)state;
    check_store(16 << 20, false);
}

static void test_on_disk(void **state)
{
    (void)state;
    check_store(20000, true);
    check_store(1, true);
}

static void test_full_disk(void **state)
{
    (void)state;
    tacho_dict dict;
    tacho_row_store *store = NULL;
    init_dict(&dict);
    assert_null(tacho_row_store_create(&dict, 4096, &store));
    pwrite_fails = true;
    size_t count = 0;
    tacho_status status = TACHO_OK;
    for (; status == TACHO_OK; count++) {
        status = add_row(store, (int64_t)count);
    }
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    pwrite_fails = false;
    for (count--; count < 300; count++) { /* the one that failed, again */
        assert_null(add_row(store, (int64_t)count));
    }
    for (uint32_t part = 0; part < PART_COUNT; part++) {
        check_part(store, &dict, part, 100);
    }
    tacho_row_store_destroy(store);
    tacho_row_store_destroy(NULL);
    tacho_dict_deinit(&dict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_on_disk),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
