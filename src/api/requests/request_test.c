/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests through the public interface: names and options, what is refused, tables and messages in
 * results, the outcome, spelling, and outputs that are not tacho's.
 */
#define _GNU_SOURCE /* mkstemps(3) */
#include "api/requests/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TIMELINE TACHO_TEST_DATA "/torq/t1.csv"

/* Makes a request of options "name=value ..." on up to two inputs. */
static tacho_request *make(const char *name, const char *options, const char *first,
                           const char *second)
{
    char copy[256];
    char *rest = copy;
    tacho_request *request = NULL;
    snprintf(copy, sizeof(copy), "%s", options);
    assert_null(tacho_request_create(name, &request));
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        assert_null(tacho_request_set(request, word, value));
    }
    assert_true(first == NULL || tacho_request_add_input(request, first) == TACHO_OK);
    assert_true(second == NULL || tacho_request_add_input(request, second) == TACHO_OK);
    return request;
}

static void check_message(tacho_status status, const char *expected)
{
    assert_non_null(status);
    if (strstr(tacho_status_message(status), expected) == NULL) {
        fail_msg("expected '%s' in: %s", expected, tacho_status_message(status));
    }
    tacho_status_free(status);
}

static void test_names_and_options(void **state)
{
    (void)state;
    size_t count = 0, names = 0;
    while (tacho_request_name(names) != NULL) {
        assert_non_null(tacho_request_options(tacho_request_name(names++), &count));
        assert_true(count > 0);
    }
    assert_int_equal(names, 27);
    assert_null(tacho_request_options("opz", &count));
    assert_int_equal(count, 0);
    tacho_request *request = NULL;
    check_message(tacho_request_create("opz", &request), "unknown request 'opz'");
    assert_null(request);
    check_message(tacho_request_create("ops", NULL), "needs a place");
}

static void test_options_are_checked(void **state)
{
    (void)state;
    tacho_request *request = make("ops", "top=5", NULL, NULL);
    check_message(tacho_request_set(request, "tip", "5"), "unknown option 'tip' of ops");
    check_message(tacho_request_set(request, NULL, "5"), "unknown option ''");
    check_message(tacho_request_set(request, "sort", NULL), "sort needs a value: KEY");
    check_message(tacho_request_set(request, "strict", "yes"), "strict takes no value");
    check_message(tacho_request_set(request, "top", "6"), "given twice: '5' and '6'");
    assert_null(tacho_request_set(request, "top", "5"));
    assert_null(tacho_request_set(request, "no_advice", NULL)); /* as Python writes it */
    check_message(tacho_request_add_input(request, NULL), "no input given (NULL)");
    tacho_request_free(request);
    tacho_request_free(NULL);
}

static void test_tables_stay_in_results(void **state)
{
    (void)state;
    tacho_results *results = NULL;
    tacho_result_note note;
    tacho_request *request = make("ops", "top=2", TIMELINE, NULL);
    assert_null(tacho_request_run(request, &results));
    assert_int_equal(tacho_results_outcome(results), TACHO_OUTCOME_DONE);
    assert_false(tacho_results_is_misuse(results));
    tacho_table_view view;
    size_t ops = tacho_tables_find(tacho_results_tables(results), "ops");
    assert_true(tacho_tables_get(tacho_results_tables(results), ops, &view));
    assert_int_equal(view.row_count, 2);
    assert_true(tacho_results_note(results, 0, &note));
    assert_string_equal(note.kind, "note");
    assert_int_equal(note.hints[0].id, TACHO_HINT_ALL_ROWS);
    assert_false(tacho_results_note(results, 1, &note));
    tacho_tables *taken = tacho_results_take_tables(results);
    assert_non_null(taken);
    assert_null(tacho_results_take_tables(results));
    tacho_tables_free(taken);
    check_message(tacho_request_run(request, NULL), "runs once");
    tacho_results_free(results);
    tacho_request_free(request);
}

static void test_inputs_are_skipped(void **state)
{
    (void)state;
    tacho_results *results = NULL;
    tacho_result_note note;
    tacho_request *request = make("overview", "", TIMELINE, "/nothing/here");
    assert_null(tacho_request_run(request, &results));
    assert_int_equal(tacho_results_outcome(results), TACHO_OUTCOME_LOSSY);
    assert_true(tacho_results_note(results, 0, &note));
    assert_string_equal(note.kind, "skipped");
    tacho_results_free(results);
    tacho_request_free(request);
    request = make("overview", "strict", TIMELINE, "/nothing/here");
    check_message(tacho_request_run(request, &results), "/nothing/here: cannot open");
    assert_int_equal(tacho_results_outcome(results), TACHO_OUTCOME_FAILED);
    assert_false(tacho_results_is_misuse(results));
    tacho_results_free(results);
    tacho_request_free(request);
}

static void test_misuse(void **state)
{
    (void)state;
    static const tacho_listener front = {
        .spelling = {.option = "--", .letter = "-", .request = "tacho "}};
    tacho_results *results = NULL;
    tacho_request *request = make("ops", "class=nope", TIMELINE, NULL);
    check_message(tacho_request_run(request, &results), "class: unknown track class 'nope'; 'info");
    assert_true(tacho_results_is_misuse(results));
    assert_int_equal(tacho_results_outcome(results), TACHO_OUTCOME_USAGE);
    tacho_results_free(results);
    tacho_request_free(request);
    request = make("ops", "class=nope", TIMELINE, NULL);
    tacho_request_listen(request, &front);
    check_message(tacho_request_run(request, NULL), "--class: unknown track class 'nope'; 'tacho");
    tacho_request_free(request);
}

static bool refuse(void *user, const char *path)
{
    (void)path;
    ++*(int *)user;
    return false;
}

/* Only a listener that can be asked protects files; without one they are replaced. */
static void test_files_of_others(void **state)
{
    (void)state;
    char path[] = "/tmp/tacho-request-XXXXXX.pb";
    int asked = 0;
    const tacho_listener front = {.may_replace = refuse, .user = &asked};
    int file = mkstemps(path, 3);
    assert_true(file >= 0 && write(file, "a letter\n", 9) == 9);
    close(file);
    char options[64];
    snprintf(options, sizeof(options), "output=%s", path);
    tacho_request *request = make("convert", options, TIMELINE, NULL);
    tacho_request_listen(request, &front);
    check_message(tacho_request_run(request, NULL), "is not a trace written by tacho; use force");
    assert_int_equal(asked, 1);
    tacho_request_free(request);
    request = make("convert", options, TIMELINE, NULL);
    assert_null(tacho_request_run(request, NULL));
    tacho_request_free(request);
    unlink(path);
}

static bool stop(void *user, const tacho_request_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

static void test_progress_stops(void **state)
{
    (void)state;
    const tacho_listener listener = {.progress = stop, .may_stop = true};
    tacho_request *request = make("ops", "", TIMELINE, NULL);
    tacho_request_listen(request, &listener);
    tacho_status status = tacho_request_run(request, NULL);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_CANCELLED);
    tacho_status_free(status);
    tacho_request_free(request);
    request = make("ops", "", TIMELINE, TIMELINE); /* a second input is not read, either */
    tacho_request_listen(request, &listener);
    status = tacho_request_run(request, NULL);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_CANCELLED);
    tacho_status_free(status);
    tacho_request_free(request);
}

static void check_spelling(const tacho_spelling *how, const char *text, const char *expected)
{
    char out[64];
    assert_int_equal(tacho_spelling_apply(how, text, out, sizeof(out)), strlen(expected));
    assert_string_equal(out, expected);
}

static void test_spelling(void **state)
{
    (void)state;
    static const tacho_spelling line = {"--", "-", "tacho ", 0};
    static const tacho_spelling python = {"", "", "", '_'};
    static const char text[] = "use {o|output} or {no-advice}; '{/fleet health}' {";
    char out[8];
    check_spelling(&line, text, "use -o or --no-advice; 'tacho fleet health' {");
    check_spelling(&python, text, "use output or no_advice; 'fleet health' {");
    check_spelling(NULL, "{a-b}", "a-b");
    assert_int_equal(tacho_spelling_apply(&line, "{output}s", out, sizeof(out)), 9);
    assert_string_equal(out, "--outpu");
    assert_int_equal(tacho_spelling_apply(&line, "{output}", NULL, 0), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_options),
        cmocka_unit_test(test_options_are_checked),
        cmocka_unit_test(test_tables_stay_in_results),
        cmocka_unit_test(test_inputs_are_skipped),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_files_of_others),
        cmocka_unit_test(test_progress_stops),
        cmocka_unit_test(test_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
