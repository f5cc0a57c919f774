/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading /proc: texts of stat with hostile names, and this process itself.
 */
#include "base/proc_files.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define TAIL " S 7 1 1 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 3 0 250 1000000 12 99 1\n"

static void reads_fields(void **state)
{
    tacho_proc_stat stat;
    (void)state;
    assert_true(tacho_proc_stat_parse(TACHO_STR("42 (cat)" TAIL), &stat));
    assert_string_equal(stat.name, "cat");
    assert_int_equal(stat.state, 'S');
    assert_int_equal(stat.parent, 7);
    assert_int_equal(stat.thread_count, 3);
    assert_int_equal(stat.start_ns, 250 * (1000000000 / sysconf(_SC_CLK_TCK)));
    assert_int_equal(stat.rss_bytes, 12 * sysconf(_SC_PAGESIZE));
}

/* An old kernel ends before it; a number that cannot be read is none. */
static void tells_where_the_environment_is(void **state)
{
    tacho_proc_stat stat;
    (void)state;
    assert_true(tacho_proc_stat_parse(TACHO_STR("42 (cat)" TAIL), &stat));
    assert_int_equal(stat.environment_at, 0);
    assert_true(tacho_proc_stat_parse(
        TACHO_STR(
            "42 (cat) S 7 1 1 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 250 1000000 12 99 "
            "23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 4700 48 0"),
        &stat));
    assert_int_equal(stat.environment_at, 4700);
    assert_true(tacho_proc_read_stat(getpid(), 0, &stat));
    assert_int_not_equal(stat.environment_at, 0);
}

static void names_may_hold_anything(void **state)
{
    tacho_proc_stat stat;
    (void)state;
    assert_true(tacho_proc_stat_parse(TACHO_STR("42 (a) R 1 (b)" TAIL), &stat));
    assert_string_equal(stat.name, "a) R 1 (b");
    assert_int_equal(stat.parent, 7);
    assert_true(tacho_proc_stat_parse(TACHO_STR("42 ()" TAIL), &stat));
    assert_string_equal(stat.name, "");
}

static void refuses_other_texts(void **state)
{
    static const char *const bad[] = {
        "",
        "42",
        "42 (cat",
        "42 cat)",
        "42 (cat)",
        ")(",
        "42 (cat) S 7 1",
        "42 (cat) S x 1 1 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 250 1000000 12",
        "42 (cat) S 7 1 1 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 250 1000000 -12 9",
        "42 (cat) S 99999999999 1 1 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 250 1000000 12 9",
    };
    tacho_proc_stat stat;
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(tacho_proc_stat_parse(tacho_str_from_cstring(bad[i]), &stat));
    }
    /* Numbers that do not fit stop at the largest. */
    assert_true(
        tacho_proc_stat_parse(TACHO_STR("42 (cat) S 7 1 1 0 -1 1 1 2 3 4 5 6 7 8 20 0 3 0 "
                                        "18446744073709551615 1000000 18446744073709551615 9"),
                              &stat));
    assert_int_equal(stat.start_ns, INT64_MAX);
    assert_int_equal(stat.rss_bytes, INT64_MAX);
}

static bool has(const tacho_proc_ids *ids, pid_t id)
{
    for (size_t i = 0; i < ids->item_count; i++) {
        if (ids->items[i] == id) {
            return true;
        }
    }
    return false;
}

static void finds_this_process(void **state)
{
    tacho_proc_stat stat;
    tacho_proc_ids threads = {0};
    tacho_proc_ids children = {0};
    bool is_known = false;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    assert_true(tacho_proc_read_stat(getpid(), 0, &stat));
    assert_int_equal(stat.parent, getppid());
    assert_true(stat.rss_bytes > 0);
    assert_true(tacho_proc_read_stat(getpid(), getpid(), &stat));
    assert_null(tacho_proc_list_threads(getpid(), &threads));
    assert_true(has(&threads, getpid()));
    assert_null(tacho_proc_list_children(getpid(), &threads, &children, &is_known));
    assert_true(!is_known || has(&children, child));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_false(tacho_proc_read_stat(child, 0, &stat));
    threads.item_count = 0;
    assert_null(tacho_proc_list_threads(child, &threads));
    assert_int_equal(threads.item_count, 0);
    tacho_proc_ids_deinit(&threads);
    tacho_proc_ids_deinit(&children);
}

static void files_are_cut_to_fit(void **state)
{
    char text[4];
    (void)state;
    assert_int_equal(tacho_proc_read_file(getpid(), "stat", text, sizeof(text)), 3);
    assert_int_equal(text[3], '\0');
    assert_int_equal(tacho_proc_read_file(getpid(), "no_such_file", text, sizeof(text)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_fields),
        cmocka_unit_test(tells_where_the_environment_is),
        cmocka_unit_test(names_may_hold_anything),
        cmocka_unit_test(refuses_other_texts),
        cmocka_unit_test(finds_this_process),
        cmocka_unit_test(files_are_cut_to_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
