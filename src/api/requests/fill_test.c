/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options put into a struct by their table: every kind of member, what is refused, and what stays.
 */
#include "api/requests/options.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ITEMS_MAX = 8, SAID_MAX = 1024, LINE_MAX_BYTES = 256 };

typedef enum color { RED, GREEN, BLUE } color;

typedef struct choice {
    bool is_quiet, has_advice, merges, splits, by_name;
    const char *path;
    tacho_str text;
    uint32_t count;
    uint64_t seed;
    int64_t delay;
    color first, second;
} choice;

static const char *const later[] = {"green", "blue", NULL};

static const tacho_option options[] = {
    TACHO_OPT_FLAG("quiet", 'q', "h", TACHO_INTO_FLAG(choice, is_quiet)),
    TACHO_OPT_FLAG("no-advice", 0, "h", TACHO_INTO_UNFLAG(choice, has_advice)),
    TACHO_OPT_VALUE("merge", 0, "[true|false]", "h", TACHO_INTO_TRUTH(choice, merges)),
    TACHO_OPT_VALUE("join", 0, "[true|false]", "h", TACHO_INTO_UNTRUTH(choice, splits)),
    TACHO_OPT_VALUE("by", 0, "type|name", "h", TACHO_INTO_WORD(choice, by_name)),
    TACHO_OPT_VALUE("path", 'p', "FILE", "h", TACHO_INTO_TEXT(choice, path)),
    TACHO_OPT_VALUE("text", 0, "TEXT", "h", TACHO_INTO_STRING(choice, text)),
    TACHO_OPT_VALUE("count", 'n', "N", "h", TACHO_INTO_NUMBER(choice, count, 1, 40)),
    TACHO_OPT_VALUE("seed", 0, "N", "h", TACHO_INTO_NUMBER(choice, seed, 0, UINT64_MAX)),
    TACHO_OPT_VALUE("delay", 0, "MS", "h", TACHO_INTO_NUMBER(choice, delay, 1, INT64_MAX)),
    TACHO_OPT_VALUE("first", 0, "red|green|blue", "h", TACHO_INTO_WORD(choice, first)),
    TACHO_OPT_VALUE("second", 0, "COLOR", "h", TACHO_INTO(WORD, choice, second, GREEN, 0, later)),
    TACHO_OPT_EACH("each", 0, "X", "looked up"),
};

static const tacho_request_type type = {
    .name = "verb",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
};

static const choice defaults = {.has_advice = true, .splits = true, .path = "-", .second = BLUE};

static const tacho_option *find_option(const char *name)
{
    for (size_t i = 0; i < type.option_count; i++) {
        if (strcmp(options[i].name, name) == 0) {
            return &options[i];
        }
    }
    fail_msg("no option %s", name);
    return NULL;
}

/* Fills a struct from "name=value name ..."; what is wrong with it goes to |said|. */
static bool fill(const char *line, choice *out_choice, char said[SAID_MAX])
{
    char copy[LINE_MAX_BYTES];
    tacho_given_item items[ITEMS_MAX];
    tacho_request given = {.type = &type, .items = items};
    char *rest = copy;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        char *value = strchr(word, '=');
        assert_true(given.item_count < ITEMS_MAX);
        if (value != NULL) {
            *value++ = '\0';
        }
        items[given.item_count++] =
            (tacho_given_item){find_option(word), value != NULL ? value : ""};
    }
    *out_choice = defaults;
    bool is_good = tacho_request_fill(&given, out_choice);
    snprintf(said, SAID_MAX, "%s", is_good ? "" : tacho_status_message(given.failure));
    assert_int_equal(is_good, given.failure == TACHO_OK);
    assert_int_equal(is_good, !given.is_misuse);
    tacho_status_free(given.failure);
    return is_good;
}

static void test_every_kind(void **state)
{
    (void)state;
    choice made;
    char said[SAID_MAX];
    assert_true(fill("quiet no-advice merge join=true by=name path=x", &made, said));
    assert_true(made.is_quiet && made.merges && made.by_name);
    assert_false(made.has_advice || made.splits);
    assert_string_equal(made.path, "x");
    assert_true(fill("text=ab count=40 seed=18446744073709551615 delay=7", &made, said));
    assert_true(tacho_str_equal(made.text, TACHO_STR("ab")));
    assert_int_equal(made.count, 40);
    assert_int_equal(made.seed, UINT64_MAX);
    assert_int_equal(made.delay, 7);
    assert_true(fill("first=blue second=green merge=0 join=false", &made, said));
    assert_int_equal(made.first, BLUE);
    assert_int_equal(made.second, GREEN);
    assert_false(made.merges);
    assert_true(made.splits);
    assert_string_equal(said, "");
}

static void test_what_was_not_given_stays(void **state)
{
    (void)state;
    choice made;
    char said[SAID_MAX];
    assert_true(fill("each=x", &made, said));
    assert_true(made.has_advice && made.splits && !made.is_quiet);
    assert_string_equal(made.path, "-");
    assert_int_equal(made.second, BLUE);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *words;
    } cases[] = {
        {"count=0", "count: invalid value '0'; expected a whole number from 1 to 40"},
        {"count=41", "count: invalid value '41'; expected a whole number from 1 to 40"},
        {"count=x", "count: invalid value 'x'; expected a whole number"},
        {"seed=-1", "seed: invalid value '-1'; expected a whole number"},
        {"delay=0", "delay: invalid value '0'; expected a whole number of at least 1"},
        {"first=pink", "first: unknown value 'pink'; use red, green or blue"},
        {"second=red", "second: unknown value 'red'; use green or blue"},
        {"by=type|name", "by: unknown value 'type|name'; use type or name"},
        {"merge=maybe", "merge: expected true or false, not 'maybe'"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        choice made;
        char said[SAID_MAX];
        assert_false(fill(cases[i].line, &made, said));
        if (strstr(said, cases[i].words) == NULL) {
            fail_msg("'%s': expected '%s' in: %s", cases[i].line, cases[i].words, said);
        }
    }
}

static void test_names_of_members(void **state)
{
    (void)state;
    const tacho_request given = {.type = &type};
    assert_string_equal(tacho_request_option_name(&given, offsetof(choice, seed)), "seed");
    assert_string_equal(tacho_request_option_name(&given, offsetof(choice, is_quiet)), "quiet");
    assert_string_equal(tacho_request_option_name(&given, sizeof(choice)), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind),
        cmocka_unit_test(test_what_was_not_given_stays),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names_of_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
