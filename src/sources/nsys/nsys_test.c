/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Databases composed here: detection, names that are missing, tables that are none, wrong types.
 * tests/nsys checks the sums of whole databases.
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
#include "profile/order.h"
#include "profile/profile.h"
#include "sources/nsys/nsys.h"

enum { SPOOL_BYTES = 1 << 14 };

#define STRINGS                                                                                    \
    "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);"                                 \
    "INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, 'v7000');"
#define KERNELS                                                                                    \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end INTEGER, start INTEGER, deviceId INTEGER,"       \
    "streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);"

static int remove_scratch(void **state)
{
    scratch *at = *state;
    unlink(at->path);
    rmdir(at->folder);
    free(at);
    return 0;
}

static void make_database(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A profile read from a database. */
typedef struct reading_result {
    tacho_dict dict;
    tacho_profile profile;
    tacho_status status;
} reading_result;

static void read_database(const char *path, reading_result *out)
{
    tacho_source_options options = {.choice_count = 0};
    tacho_order *order = NULL;
    tacho_input input;
    assert_null(tacho_dict_init(&out->dict));
    tacho_profile_init(&out->profile, &out->dict);
    assert_null(tacho_order_create(&out->profile.events, TACHO_ORDER_SORT, SPOOL_BYTES, &order));
    assert_null(tacho_input_open(path, &input));
    tacho_reading reading = {.input = &input,
                             .path = tacho_str_from_cstring(path),
                             .options = &options,
                             .events = tacho_order_events(order)};
    out->status = tacho_source_nsys.read(&reading);
    if (out->status == TACHO_OK) {
        assert_null(tacho_events_finish(tacho_order_events(order)));
        assert_null(tacho_profile_validate(&out->profile));
    }
    tacho_input_close(&input);
    tacho_order_destroy(order);
}

static void free_result(reading_result *result)
{
    tacho_status_free(result->status);
    tacho_profile_deinit(&result->profile);
    tacho_dict_deinit(&result->dict);
}

static uint64_t losses(const reading_result *result, tacho_loss_reason reason)
{
    uint64_t count = 0;
    for (size_t i = 0; i < result->dict.loss_count; i++) {
        const tacho_loss *loss = &result->dict.losses[i];
        count += loss->reason == reason ? loss->count : 0;
    }
    return count;
}

static bool has_site(const reading_result *result, const char *name)
{
    for (size_t i = 0; i < result->dict.site_count; i++) {
        tacho_str text = tacho_dict_string(&result->dict, result->dict.sites[i].name);
        if (tacho_str_equal(text, tacho_str_from_cstring(name))) {
            return true;
        }
    }
    return false;
}

static void test_probe(void **state)
{
    (void)state;
    assert_int_equal(tacho_source_nsys.probe(TACHO_STR("SQLite format 3\0 StringIds NVTX_EVENTS")),
                     TACHO_PROBE_SURE);
    assert_int_equal(tacho_source_nsys.probe(TACHO_STR("SQLite format 3\0 StringIds")),
                     TACHO_PROBE_MAYBE);
    assert_int_equal(tacho_source_nsys.probe(TACHO_STR("SQLite format 3\0 NVTX_EVENTS")),
                     TACHO_PROBE_NO);
    assert_int_equal(tacho_source_nsys.probe(TACHO_STR("SQLite format 3  StringIds NVTX_EVENTS")),
                     TACHO_PROBE_NO);
}

static void test_names(void **state)
{
    scratch *at = *state;
    reading_result result;
    make_database(at->path, STRINGS KERNELS
                  "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 10, 0, 7, 1, 1, 1),"
                  "(40, 30, 0, 7, 1, 1, 99), (60, 50, 0, 7, 1, 1, NULL), (80, 70, 0, 7, 1, 1, 'x');"
                  "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId);"
                  "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 5, 2), (3, 4, 5, 3)");
    read_database(at->path, &result);
    assert_null(result.status);
    assert_int_equal(result.profile.span_count, 6);
    assert_true(has_site(&result, "gemm") && has_site(&result, "kernel"));
    assert_true(has_site(&result, "cudaLaunchKernel") && has_site(&result, "v7000"));
    assert_int_equal(result.dict.loss_count, 0);
    free_result(&result);
}

/* Times of other types are lost and counted; large numbers overflow nothing. */
static void test_types(void **state)
{
    scratch *at = *state;
    reading_result result;
    make_database(
        at->path, STRINGS KERNELS
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 10, 0, 7, 1, 1, 1),"
        "(40, 'text', 0, 7, 1, 1, 1), (x'00', 41, 0, 7, 1, 1, 1), (50, 60, 0, 7, 1, 1, 1),"
        "(5, -5, 0, 7, 1, 1, 1), (9223372036854775807, 1, -9223372036854775808,"
        " -9223372036854775808, 9223372036854775807, -1, -9223372036854775808)");
    read_database(at->path, &result);
    assert_null(result.status);
    assert_int_equal(result.profile.span_count, 2);
    assert_int_equal(losses(&result, TACHO_LOSS_NOT_A_NUMBER), 1);
    assert_int_equal(losses(&result, TACHO_LOSS_NEGATIVE_TIME), 1);
    assert_int_equal(losses(&result, TACHO_LOSS_END_BEFORE_START), 2);
    free_result(&result);
}

/* A view in the place of a table is not run. */
static void test_view(void **state)
{
    scratch *at = *state;
    reading_result result;
    make_database(
        at->path,
        STRINGS "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS (SELECT 1 UNION "
                "ALL SELECT i + 1 FROM n) SELECT i AS start, i + 1 AS end FROM n");
    read_database(at->path, &result);
    assert_null(result.status);
    assert_int_equal(result.profile.span_count, 0);
    free_result(&result);
    unlink(at->path);
    make_database(at->path, "CREATE VIEW StringIds AS SELECT 1 AS id, 'x' AS value");
    read_database(at->path, &result);
    assert_int_equal(tacho_status_code(result.status), TACHO_CODE_BAD_DATA);
    free_result(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test_setup_teardown(test_names, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_types, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(test_view, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
