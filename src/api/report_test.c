/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports through the public header: folders, files that cannot be read, misuse. What is on a page,
 * tests/report looks at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "api/testing.h"
#include <tacho/tacho.h>

enum { PATH_BYTES = 512 };

static const char timeline[] = TACHO_TEST_DATA "/torq/t1.csv";
static const char runtime[] = TACHO_TEST_DATA "/torq/r2i.csv";
static const char no_profile[] = TACHO_TEST_DATA "/run/pair.mlir";

static char page[PATH_BYTES];

static int choose_page(void **state)
{
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(page, sizeof(page), "%s/tacho-report.%ld.html",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp", (long)getpid());
    return 0;
}

static int remove_page(void **state)
{
    (void)state;
    unlink(page);
    return 0;
}

static bool page_has(const char *text)
{
    char head[4096];
    FILE *file = fopen(page, "rb");
    assert_non_null(file);
    size_t len = fread(head, 1, sizeof(head) - 1, file);
    head[len] = '\0';
    fclose(file);
    return strstr(head, text) != NULL;
}

static void test_pages(void **state)
{
    (void)state;
    const char *const paths[] = {timeline, runtime};
    const tacho_report_options options = {.title = "Two <profiles>"};
    tacho_report_result result;
    assert_ok(tacho_report_write(paths, 1, page, NULL, &result));
    assert_int_equal(result.read_count, 1);
    assert_true(page_has("<!doctype html>"));
    uint64_t one = result.span_count;
    assert_ok(tacho_report_write(paths, 2, page, &options, &result));
    assert_int_equal(result.read_count, 2);
    assert_int_equal(result.skipped_count, 0);
    assert_true(result.span_count > one);
    const tacho_report_options some = {.input = {.window_end_ns = 1}};
    assert_ok(tacho_report_write(paths, 1, page, &some, &result));
    assert_in_range(result.span_count, 1, one - 1);
}

static void count_skipped(void *user, const char *message)
{
    size_t *count = user;
    *count += strstr(message, "pair.mlir") != NULL ? 1 : 0;
}

static void test_files_that_are_left_out(void **state)
{
    (void)state;
    size_t count = 0;
    const char *const paths[] = {timeline, no_profile};
    tacho_report_options options = {.input = {.user = &count}, .skipped = count_skipped};
    tacho_report_result result;
    assert_ok(tacho_report_write(paths, 2, page, &options, &result));
    assert_int_equal(count, 1);
    assert_int_equal(result.read_count, 1);
    assert_int_equal(result.skipped_count, 1);
    assert_ok(tacho_report_write(paths, 2, page, NULL, NULL));
    unlink(page);
    options.is_strict = true;
    check_says(tacho_report_write(paths, 2, page, &options, NULL), TACHO_CODE_UNSUPPORTED,
               "pair.mlir");
    assert_int_equal(access(page, F_OK), -1);
}

static void test_folders(void **state)
{
    (void)state;
    const char *const paths[] = {TACHO_TEST_DATA "/torq"};
    tacho_report_result result;
    assert_ok(tacho_report_write(paths, 1, page, NULL, &result));
    assert_true(result.read_count > 5);
}

static bool refuse(void *user, uint64_t done_bytes, uint64_t total_bytes)
{
    (void)user;
    (void)done_bytes;
    (void)total_bytes;
    return false;
}

static void test_cancelled(void **state)
{
    (void)state;
    const char *const paths[] = {timeline, runtime};
    const tacho_report_options options = {.input = {.progress = refuse}};
    unlink(page);
    tacho_status status = tacho_report_write(paths, 2, page, &options, NULL);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_CANCELLED);
    tacho_status_free(status);
    assert_int_equal(access(page, F_OK), -1);
}

static void test_misuse(void **state)
{
    (void)state;
    const char *const paths[] = {timeline};
    const char *const none[] = {NULL};
    const tacho_report_options newer = {.reserved = {1}};
    const tacho_report_options unknown = {.input = {.from = "no-such"}};
    check_says(tacho_report_write(NULL, 1, page, NULL, NULL), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_report_write(none, 1, page, NULL, NULL), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_report_write(paths, 0, page, NULL, NULL), TACHO_CODE_USAGE, "no input");
    check_says(tacho_report_write(paths, 1, NULL, NULL, NULL), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_report_write(paths, 1, page, &newer, NULL), TACHO_CODE_USAGE, "version");
    check_says(tacho_report_write(paths, 1, page, &unknown, NULL), TACHO_CODE_USAGE, "no-such");
    check_says(tacho_report_write(paths, 1, timeline, NULL, NULL), TACHO_CODE_USAGE, "overwritten");
}

/* ---- logs and machines ----------------------------------------------------------------------- */

static void test_op_tables(void **state)
{
    (void)state;
    const char *const folders[] = {TACHO_TEST_DATA "/tenstorrent/run"};
    tacho_convert_result result;
    assert_ok(tacho_convert_to_op_table(folders, 1, page, NULL, &result));
    assert_true(result.event_count > 0 && result.lost_count > 0);
    assert_true(page_has("OP CODE"));
    check_says(tacho_convert_to_op_table(folders, 0, page, NULL, NULL), TACHO_CODE_USAGE,
               "no logs");
    check_says(tacho_convert_to_op_table(NULL, 1, page, NULL, NULL), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_convert_to_op_table(folders, 1, NULL, NULL, NULL), TACHO_CODE_USAGE, "NULL");
}

static void test_machine_files(void **state)
{
    (void)state;
    tacho_tables *tables = NULL;
    assert_ok(tacho_machines_export("aic100", page));
    assert_ok(tacho_machines_describe(page, &tables));
    assert_true(rows_of(tables, "machine") > 20);
    tacho_tables_free(tables);
    check_says(tacho_machines_export(page, "x"), TACHO_CODE_USAGE, "already a description");
    check_says(tacho_machines_export("aic200", page), TACHO_CODE_NOT_FOUND, "aic200");
    check_says(tacho_machines_export(NULL, page), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_machines_export("aic100", NULL), TACHO_CODE_USAGE, "NULL");
    check_says(tacho_machines_calibrate(NULL), TACHO_CODE_USAGE, "NULL");
    assert_ok(tacho_machines_calibrate(page));
    assert_ok(tacho_machines_describe(page, &tables));
    tacho_tables_free(tables);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages),         cmocka_unit_test(test_files_that_are_left_out),
        cmocka_unit_test(test_folders),       cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_misuse),        cmocka_unit_test(test_op_tables),
        cmocka_unit_test(test_machine_files),
    };
    return cmocka_run_group_tests(tests, choose_page, remove_page);
}
