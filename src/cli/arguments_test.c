/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Command lines by option tables: every way to write an option, what is misuse and what the
 * message names, and how drop-ins differ.
 */
#define _GNU_SOURCE /* fileno(3), dup2(2) */
#include "cli/arguments_testing.h"

static const tacho_option options[] = {
    {.name = "output", .letter = 'o', .takes = TACHO_TAKES_ONE, .value = "OUT", .help = "h"},
    {.name = "quiet", .letter = 'q', .takes = TACHO_TAKES_ONE, .value = NULL, .help = "h"},
    {.name = "dim", .letter = 0, .takes = TACHO_TAKES_EACH, .value = "N=V", .help = "h"},
    {.name = "inputs", .letter = 'i', .takes = TACHO_TAKES_LIST, .value = "IN", .help = "h"},
    {.name = "clock-mhz", .letter = 0, .takes = TACHO_TAKES_ONE, .value = "MHZ", .help = "h"},
    {.name = "maybe", .letter = 0, .takes = TACHO_TAKES_ONE, .value = "[true|false]", .help = "h"},
};

static int run_nothing(const tacho_arguments *arguments)
{
    (void)arguments;
    return TACHO_OUTCOME_DONE;
}

#define COMMAND(...)                                                                               \
    {                                                                                              \
        .name = "verb", .summary = "s", .usage = "u", .description = "d", .examples = "e",         \
        .options = options, .option_count = sizeof(options) / sizeof(options[0]),                  \
        .run = run_nothing, __VA_ARGS__                                                            \
    }

static const tacho_command verb = COMMAND(.is_dropin = false);
static const tacho_command dropin = COMMAND(.is_dropin = true);
static const tacho_command llvm = COMMAND(.is_dropin = true, .has_single_dash = true);

/* All that was understood: "name=value" of options and plain words, in order, parted by blanks. */
static void check(const tacho_command *command, const char *line, const char *expected)
{
    tacho_arguments arguments;
    char said[SAID_MAX];
    char found[512] = "";
    size_t used = 0;
    assert_int_equal(parse(command, line, &arguments, said), TACHO_OUTCOME_DONE);
    assert_string_equal(said, "");
    for (size_t i = 0; i < arguments.item_count; i++) {
        const tacho_argument *item = &arguments.items[i];
        used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s%s%s", i > 0 ? " " : "",
                                 item->option != NULL ? item->option->name : "",
                                 item->option != NULL ? "=" : "", item->value);
    }
    assert_string_equal(found, expected);
    tacho_arguments_free(&arguments);
}

/* Misuse; the message has |about| in it. */
static void check_misuse(const tacho_command *command, const char *line, const char *about)
{
    tacho_arguments arguments;
    char said[SAID_MAX];
    assert_int_equal(parse(command, line, &arguments, said), TACHO_OUTCOME_USAGE);
    if (strstr(said, about) == NULL) {
        fail_msg("'%s': expected '%s' in: %s", line, about, said);
    }
    assert_non_null(strstr(said, "--help"));
    assert_null(arguments.items); /* nothing is left to be freed */
}

static void test_ways_to_write(void **state)
{
    (void)state;
    check(&verb, "", "");
    check(&verb, "a b", "a b");
    check(&verb, "--output x a", "output=x a");
    check(&verb, "--output=x a", "output=x a");
    check(&verb, "--output= a", "output= a");
    check(&verb, "--output=a=b", "output=a=b");
    check(&verb, "-o x", "output=x");
    check(&verb, "-ox", "output=x");
    check(&verb, "-q a", "quiet= a");
    check(&verb, "-qo x a", "quiet= output=x a");
    check(&verb, "-qox", "quiet= output=x");
    check(&verb, "a --quiet b", "a quiet= b");
    check(&verb, "- --output -", "- output=-");
    check(&verb, "-- --quiet -q", "--quiet -q");
    check(&verb, "--clock_mhz 5", "clock-mhz=5");
    check(&verb, "--output --quiet", "output=--quiet"); /* it needs a value, and that is one */
}

static void test_several_values(void **state)
{
    (void)state;
    check(&verb, "--dim a=1 --dim b=2 --dim a=1", "dim=a=1 dim=b=2 dim=a=1");
    check(&verb, "--inputs a b -q c", "inputs=a inputs=b quiet= c");
    check(&verb, "--inputs=a b", "inputs=a b");
    check(&verb, "--output x --output x", "output=x output=x"); /* the same twice is no doubt */
    check_misuse(&verb, "--output x --output y", "'x' and 'y'");
    check(&dropin, "--output x --output y", "output=x output=y");
    check(&verb, "-q --quiet", "quiet= quiet=");
}

static void test_a_value_that_may_lack(void **state)
{
    (void)state;
    check(&verb, "--maybe a", "maybe= a");
    check(&verb, "--maybe false a", "maybe=false a");
    check(&verb, "--maybe=true a", "maybe=true a");
}

static void test_misuse(void **state)
{
    (void)state;
    check_misuse(&verb, "--outptu x", "--output");
    check_misuse(&verb, "--zzzzzzzzz", "--zzzzzzzzz");
    check_misuse(&verb, "--output", "OUT");
    check_misuse(&verb, "a -o", "OUT");
    check_misuse(&verb, "--inputs -q", "IN");
    check_misuse(&verb, "--quiet=yes", "--quiet");
    check_misuse(&verb, "-x", "-x");
    check_misuse(&verb, "-qx", "-x");
    check_misuse(&verb, "-output x", "--output"); /* one dash too few */
}

static void test_dropins(void **state)
{
    (void)state;
    check(&dropin, "--quiet=true a", "quiet= a");
    check(&dropin, "--quiet --quiet=false a", "a"); /* taken back */
    check_misuse(&dropin, "--quiet=maybe", "maybe");
    check(&llvm, "-output=x -quiet a", "output=x quiet= a");
    check(&llvm, "-output x", "output=x");
    check(&llvm, "-o=x", "output=x");
    check(&llvm, "-o x", "output=x");
    check_misuse(&llvm, "-ox", "-ox"); /* another option's name, if anything */
}

static void test_values_by_name(void **state)
{
    (void)state;
    tacho_arguments arguments;
    char said[SAID_MAX];
    assert_int_equal(parse(&dropin, "-o x a --output=y -q b", &arguments, said),
                     TACHO_OUTCOME_DONE);
    assert_string_equal(tacho_arguments_value(&arguments, "output"), "y");
    assert_string_equal(tacho_arguments_value(&arguments, "quiet"), "");
    assert_true(tacho_arguments_has(&arguments, "quiet"));
    assert_null(tacho_arguments_value(&arguments, "dim"));
    assert_int_equal(arguments.word_count, 2);
    assert_string_equal(arguments.words[0], "a");
    assert_string_equal(arguments.words[1], "b");
    assert_null(arguments.words[2]);
    tacho_arguments_free(&arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ways_to_write),
        cmocka_unit_test(test_several_values),
        cmocka_unit_test(test_a_value_that_may_lack),
        cmocka_unit_test(test_misuse),
        cmocka_unit_test(test_dropins),
        cmocka_unit_test(test_values_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
