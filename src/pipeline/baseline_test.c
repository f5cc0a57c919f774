/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines: lists that are no lists, and a save that fails half-way.
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

#include "pipeline/baseline.h"

enum { PATH_BYTES = 512 };

static char folder[PATH_BYTES];

static int make_folder(void **state)
{
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%.400s/tacho-baseline.XXXXXX", temp != NULL ? temp : "/tmp");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"b/.baseline", "b/1-001.tacho", "b", NULL};
    char path[PATH_BYTES + 32];
    for (size_t i = 0; names[i] != NULL; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        remove(path);
    }
    return rmdir(folder); /* nothing else is left there */
}

static tacho_status read_list(const char *text, tacho_baseline *out_baseline)
{
    tacho_input input;
    assert_null(tacho_input_open_bytes("list", tacho_str_from_cstring(text), &input));
    tacho_status status = tacho_baseline_init_from(out_baseline, &input, "list");
    tacho_input_close(&input);
    return status;
}

static void check_refused(const char *text, const char *message)
{
    tacho_baseline baseline;
    tacho_status status = read_list(text, &baseline);
    assert_non_null(status);
    assert_non_null(strstr(tacho_status_message(status), message));
    tacho_status_free(status);
    tacho_baseline_deinit(&baseline);
}

static void test_lists(void **state)
{
    (void)state;
    tacho_baseline baseline;
    assert_null(read_list("tacho-baseline 1\n"
                          "entry 2023\tfirst\n"
                          "entry 2024\t\n"
                          "capture 2-001.tacho\t12\tffffffffffffffff\ta b\n"
                          "end 1\n",
                          &baseline));
    assert_int_equal(baseline.entry_count, 2);
    assert_true(tacho_str_equal(baseline.entries[0].reason, TACHO_STR("first")));
    assert_int_equal(baseline.capture_count, 1);
    assert_int_equal(baseline.captures[0].byte_count, 12);
    assert_true(baseline.captures[0].checksum == UINT64_MAX);
    assert_true(tacho_str_equal(baseline.captures[0].input, TACHO_STR("a b")));
    tacho_baseline_deinit(&baseline);
}

#define HEAD "tacho-baseline 1\nentry 2023\twhy\n"
#define CAPTURE "capture 1-001.tacho\t12\tff\tx\n"

static void test_lists_that_are_refused(void **state)
{
    (void)state;
    check_refused("", "cut off");
    check_refused("tacho-baseline 0\n", "version 0");
    check_refused("tacho-baseline x\n", "not the list");
    check_refused(HEAD, "cut off");
    check_refused(HEAD CAPTURE, "cut off");
    check_refused(HEAD CAPTURE "end 2\n", "list:4: expected the number");
    check_refused(HEAD CAPTURE "end 1\n" CAPTURE, "list:5: expected nothing");
    check_refused("tacho-baseline 1\n" CAPTURE "end 1\n", "cut off");
    check_refused(HEAD "capture ../1-1.tacho\t1\t0\tx\nend 1\n", "list:3: expected the name");
    check_refused(HEAD "capture 1-1.tacho/../x\t1\t0\tx\nend 1\n", "list:3: expected the name");
    check_refused(HEAD "capture 1-\t1\t0\tx\nend 1\n", "list:3: expected the name");
    check_refused(HEAD "capture 1-1.tacho\t-1\t0\tx\nend 1\n", "list:3: expected the name");
    check_refused(HEAD "capture 1-1.tacho\t1\tfffffffffffffffff\tx\nend 1\n", "list:3: expected");
    check_refused(HEAD "other\n", "list:3: expected an entry");
}

/* The second profile cannot be read: the baseline of before stays, and nothing new is left. */
static void test_a_save_that_fails(void **state)
{
    (void)state;
    const tacho_intake_input inputs[] = {{.path = TACHO_TEST_DATA "/torq/t1.csv"},
                                         {.path = "/no/such/file.csv"}};
    tacho_intake intake = {.inputs = inputs, .input_count = 1};
    tacho_baseline_request request = {
        .folder = folder, .name = "b", .reason = "first", .intake = &intake};
    char path[PATH_BYTES + 32];
    bool has_losses = true;
    tacho_baseline baseline;
    assert_null(tacho_baseline_save(&request, &has_losses));
    assert_false(has_losses);
    request.replaces = true;
    intake.input_count = 2;
    tacho_status status = tacho_baseline_save(&request, &has_losses);
    assert_non_null(status);
    tacho_status_free(status);
    snprintf(path, sizeof(path), "%s/b", folder);
    assert_null(tacho_baseline_init(&baseline, path));
    assert_int_equal(baseline.entry_count, 1);
    const char *capture = NULL;
    tacho_arena arena;
    tacho_arena_init(&arena);
    assert_null(tacho_baseline_resolve(&baseline.captures[0], path, &arena, &capture));
    tacho_arena_deinit(&arena);
    tacho_baseline_deinit(&baseline);
    snprintf(path, sizeof(path), "%s/b/2-001.tacho", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_lists_that_are_refused),
        cmocka_unit_test(test_a_save_that_fails),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
