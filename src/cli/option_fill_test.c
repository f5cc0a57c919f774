/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options put into a struct by their table: every kind of member, what is refused, and what stays.
 */
#define _GNU_SOURCE /* fileno(3), dup2(2) */
#include "cli/arguments_testing.h"

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

static const tacho_command verb = {
    .name = "verb",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
};

static const choice defaults = {.has_advice = true, .splits = true, .path = "-", .second = BLUE};

static bool fill(const char *line, choice *out_choice, char said[SAID_MAX])
{
    tacho_arguments arguments;
    *out_choice = defaults;
    assert_int_equal(parse(&verb, line, &arguments, said), TACHO_EXIT_DONE);
    said_text listening = listen_begin();
    bool is_good = tacho_arguments_fill(&arguments, out_choice);
    listen_end(&listening, said);
    tacho_arguments_free(&arguments);
    return is_good;
}

static void test_every_kind(void **state)
{
    (void)state;
    choice made;
    char said[SAID_MAX];
    assert_true(fill("-q --no-advice --merge --join true --by name -p x", &made, said));
    assert_true(made.is_quiet && made.merges && made.by_name);
    assert_false(made.has_advice || made.splits);
    assert_string_equal(made.path, "x");
    assert_true(fill("--text ab -n 40 --seed 18446744073709551615 --delay 7", &made, said));
    assert_true(tacho_str_equal(made.text, TACHO_STR("ab")));
    assert_int_equal(made.count, 40);
    assert_int_equal(made.seed, UINT64_MAX);
    assert_int_equal(made.delay, 7);
    assert_true(fill("--first blue --second green --merge=0 --join=false", &made, said));
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
    assert_true(fill("--each x", &made, said));
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
        {"-n 0", "--count: invalid value '0'; expected a whole number from 1 to 40"},
        {"-n 41", "--count: invalid value '41'; expected a whole number from 1 to 40"},
        {"-n x", "--count: invalid value 'x'; expected a whole number"},
        {"--seed -1", "--seed: invalid value '-1'; expected a whole number\n"},
        {"--delay 0", "--delay: invalid value '0'; expected a whole number of at least 1"},
        {"--first pink", "--first: unknown value 'pink'; use red, green or blue"},
        {"--second red", "--second: unknown value 'red'; use green or blue"},
        {"--by type|name", "--by: unknown value 'type|name'; use type or name"},
        {"--merge=maybe", "--merge: expected true or false, not 'maybe'"},
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
    assert_string_equal(tacho_command_option_name(&verb, offsetof(choice, seed)), "seed");
    assert_string_equal(tacho_command_option_name(&verb, offsetof(choice, is_quiet)), "quiet");
    assert_string_equal(tacho_command_option_name(&verb, sizeof(choice)), "");
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
