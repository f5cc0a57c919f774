/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostile MLIR text: cut, changed and nested without end, and texts that would take for ever if
 * anything were searched for twice. Nothing is timed; a test that does not end has failed.
 */
#include "codec/mlir_text_testing.h"

/* -- Hostile texts -- */

/* Reads a copy of exactly |len| bytes, so that a sanitizer sees any step past them. */
static bool read_exact(const char *text, size_t len)
{
    char *copy = malloc(len + 1);
    tacho_mlir_module module;
    assert_non_null(copy);
    memcpy(copy + 1, text, len);
    assert_null(tacho_mlir_module_init(&module));
    tacho_status status = tacho_mlir_text_read("m", tacho_str_make(copy + 1, len), &module);
    bool is_read = status == TACHO_OK;
    if (is_read) {
        free(dump_module(&module));
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
    free(copy);
    return is_read;
}

static void test_truncation(void **state)
{
    (void)state;
    size_t len = 0;
    size_t read_count = 0;
    char *text = read_sample("torq_phase.mlir", &len);
    for (size_t i = 0; i <= len; i++) {
        read_count += read_exact(text, i);
    }
    /* The whole one; those cut after the module, between aliases; those cut before it, in the
       comment or in the names of attributes that need no more. */
    assert_true(read_exact(text, len));
    assert_int_equal(read_count, 143);
    free(text);
}

/* Reads |len| bytes leniently: operations and functions, or nothing. */
static void read_lenient(const char *text, size_t len, size_t *out_op_count, bool *out_is_damaged)
{
    char *copy = malloc(len + 1);
    tacho_mlir_module module;
    assert_non_null(copy);
    memcpy(copy, text, len);
    assert_null(tacho_mlir_module_init(&module));
    tacho_status status = tacho_mlir_text_read_lenient("m", tacho_str_make(copy, len), &module);
    *out_op_count = status == TACHO_OK ? module.op_count : 0;
    *out_is_damaged = status != TACHO_OK || module.damage.len > 0;
    if (status == TACHO_OK) {
        assert_true(tacho_mlir_module_is_sound(&module));
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
    free(copy);
}

/* Functions before a cut or an error are read at any nesting; aliases after it are found. */
static void test_lenient(void **state)
{
    (void)state;
    static const char text[] =
        "module { \"x.y\"() ({ hal.z @e { func.func @f() { return loc(#a) }\n"
        "func.func @g() { a.b loc(#b) return }\n";
    size_t op_count = 0;
    bool is_damaged = false;
    for (size_t i = 8; i < sizeof(text) - 1; i++) {
        read_lenient(text, i, &op_count, &is_damaged);
        bool has_first = i > (size_t)(strstr(text, " }\n") - text) + 1;
        bool has_second = i > (size_t)(strstr(text, "return }\n") - text) + 7;
        /* The module, x.y, hal.z; then f and its return, then g with two. */
        assert_int_equal(op_count, has_second ? 8 : (has_first ? 5 : 0));
        assert_true(is_damaged);
    }
    tacho_mlir_module module;
    assert_null(tacho_mlir_module_init(&module));
    assert_null(tacho_mlir_text_read_lenient(
        "m", TACHO_STR("module {\nfunc.func @f() { return loc(#a) }\n%% }\n#a = loc(\"x\":1:2)\n"),
        &module));
    assert_int_equal(module.op_count, 3);
    assert_string_equal(tacho_mlir_module_string(&module, module.ops[2].location).data,
                        "\"x\":1:2");
    assert_int_equal(module.damage.len, strlen("m:3:1: expected an operation, found %% }"));
    tacho_mlir_module_deinit(&module);
    /* An alias that is not there is trouble, but no more. */
    assert_null(tacho_mlir_module_init(&module));
    assert_null(tacho_mlir_text_read_lenient("m", TACHO_STR("module { a.b loc(#x) }"), &module));
    assert_int_equal(module.op_count, 2);
    assert_string_equal(tacho_mlir_module_string(&module, module.ops[1].location).data, "unknown");
    assert_true(module.damage.len > 0);
    tacho_mlir_module_deinit(&module);
}

static void test_mutations(void **state)
{
    (void)state;
    static const char bytes[] = "(){}[]<>\"#!%^@:,=->\\/\n 0a.\0";
    size_t len = 0;
    char *text = read_sample("torq_phase.mlir", &len);
    char *mutated = malloc(len);
    assert_non_null(mutated);
    uint64_t seed = 1;
    int read_count = 0;
    for (int i = 0; i < 20000; i++) {
        memcpy(mutated, text, len);
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            mutated[(seed >> 33) % len] = bytes[(seed >> 20) % sizeof(bytes)];
        }
        read_count += read_exact(mutated, len);
    }
    assert_in_range(read_count, 100, 19900);
    free(mutated);
    free(text);
}

/* |before| and |after|, |count| times each, around |middle|; free it. */
static char *nest(const char *before, const char *middle, const char *after, size_t count)
{
    size_t before_len = strlen(before);
    size_t after_len = strlen(after);
    size_t middle_len = strlen(middle);
    char *text = malloc((before_len + after_len) * count + middle_len + 1);
    assert_non_null(text);
    char *at = text;
    for (size_t i = 0; i < count; i++, at += before_len) {
        memcpy(at, before, before_len);
    }
    memcpy(at, middle, middle_len);
    at += middle_len;
    for (size_t i = 0; i < count; i++, at += after_len) {
        memcpy(at, after, after_len);
    }
    *at = '\0';
    return text;
}

static void check_nesting(const char *before, const char *middle, const char *after,
                          const char *expected)
{
    char *text = nest(before, middle, after, 9990);
    assert_true(read_exact(text, strlen(text)));
    free(text);
    text = nest(before, middle, after, 10001);
    char *message = read_text(tacho_str_from_cstring(text));
    assert_string_equal(message, expected);
    free(message);
    free(text);
}

static void test_depth(void **state)
{
    (void)state;
    check_nesting("module{", "", "}",
                  "m:1:70001: expected at most 10000 levels of regions, found "
                  "module{}}}}}}}}}}}}}}}}}}}}}}}}}");
    check_nesting("d.x{", "d.y", "}",
                  "m:1:39997: expected at most 10000 levels of regions, found "
                  "d.x{d.x{d.y}}}}}}}}}}}}}}}}}}}}}");
    char *brackets = nest("<(", "", ")>", 5001);
    char text[32768];
    snprintf(text, sizeof(text), "\"a.b\"() : () -> !t%s", brackets);
    check(text, "m:1:10019: expected at most 10000 levels of brackets, found "
                "<()>)>)>)>)>)>)>)>)>)>)>)>)>)>)>");
    free(brackets);
    char *aliases = malloc(1 << 20);
    assert_non_null(aliases);
    size_t len = 0;
    for (int i = 0; i < 10001; i++) {
        len += (size_t)snprintf(aliases + len, (1 << 20) - len, "#a%d = [#a%d]\n", i, i + 1);
    }
    snprintf(aliases + len, (1 << 20) - len, "module attributes {a = #a0} {}");
    check(aliases, "m:10000:10: expected at most 10000 levels of aliases, found [#a10000]");
    free(aliases);
}

/* Aliases that double at each step. */
static void test_alias_bomb(void **state)
{
    (void)state;
    char text[4096];
    size_t len = 0;
    for (int i = 0; i < 40; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "#a%d = [#a%d, #a%d]\n", i, i + 1,
                                i + 1);
    }
    snprintf(text + len, sizeof(text) - len, "module attributes {a = #a0} {}");
    char *message = read_text(tacho_str_from_cstring(text));
    assert_non_null(strstr(message, "expected aliases that expand to at most 64 MiB, found"));
    free(message);
}

/* Reads |text| and returns its number of operations. Nothing is timed: if the reader scanned the
 * text once for each position, the test would not end before its runner gives up. */
static size_t count_ops(const char *text, size_t len)
{
    tacho_mlir_module module;
    assert_null(tacho_mlir_module_init(&module));
    assert_null(tacho_mlir_text_read("m", tacho_str_make(text, len), &module));
    size_t op_count = module.op_count;
    tacho_mlir_module_deinit(&module);
    return op_count;
}

enum { MANY = 100000, MANY_BYTES = MANY * 260 };

static void test_many_ops(void **state)
{
    (void)state;
    char *text = malloc(MANY_BYTES);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, MANY_BYTES, "module {\n");
    for (int i = 0; i < MANY; i++) {
        len += (size_t)snprintf(
            text + len, MANY_BYTES - len,
            "  %%%d = \"d.op\"(%%%d) <{id = %d : index}> {\"torq-action-id\" = %d : "
            "i32} : (memref<64xi8>) -> memref<64xi8> loc(\"/w/m/add.mlir\":%d:10)\n",
            i, i > 0 ? i - 1 : 0, i, i, i);
    }
    len += (size_t)snprintf(text + len, MANY_BYTES - len, "}\n");
    assert_int_equal(count_ops(text, len), MANY + 1);
    free(text);
}

static void test_many_forward_references(void **state)
{
    (void)state;
    char *text = malloc(MANY_BYTES);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, MANY_BYTES, "module {\n");
    for (int i = 0; i < MANY; i++) {
        len += (size_t)snprintf(text + len, MANY_BYTES - len,
                                "torq_hl.wait_program %%v%d : !i {x} loc(#loc%d)\n", i, i);
    }
    for (int i = 0; i < MANY; i++) {
        len += (size_t)snprintf(text + len, MANY_BYTES - len, "%%v%d = d.op : i%d\n", i, i);
    }
    len += (size_t)snprintf(text + len, MANY_BYTES - len, "}\n");
    for (int i = 0; i < MANY; i++) {
        len += (size_t)snprintf(text + len, MANY_BYTES - len, "#loc%d = loc(\"f\":%d:1)\n", i, i);
    }
    assert_int_equal(count_ops(text, len), 2 * MANY + 1);
    free(text);
}

/* Texts that do not follow their format: each is tried, then read tolerantly. */
static void test_many_misfits(void **state)
{
    (void)state;
    char *text = nest("torq_hl.wait_program %a ( %a,\n%a ) odd\n", "", "", MANY);
    assert_int_equal(count_ops(text, strlen(text)), MANY + 1);
    free(text);
    text = nest("%a,\n", "%a", "", MANY);
    char *list = malloc(strlen(text) + 8);
    assert_non_null(list);
    size_t len = (size_t)snprintf(list, strlen(text) + 8, "d.op %s", text);
    assert_int_equal(count_ops(list, len), 2);
    free(list);
    free(text);
}

/* Missing ends, which a naive reader would search for from every position. */
static void test_missing_ends(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"d.a [", "//\n{-#"},
                                           {"d.a ", "\"\\"},
                                           {"d.a ", ":("},
                                           {"d.a ", "{-# \"\\"},
                                           {"d.a -> ", "(->"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char *middle = nest(cases[i][1], "", "", 20 * MANY);
        size_t len = strlen(middle) + strlen(cases[i][0]);
        char *text = malloc(len + 1);
        assert_non_null(text);
        snprintf(text, len + 1, "%s%s", cases[i][0], middle);
        (void)read_exact(text, len);
        free(text);
        free(middle);
    }
}

static void test_long_string(void **state)
{
    (void)state;
    size_t len = 8 << 20;
    char *text = malloc(len + 64);
    assert_non_null(text);
    size_t at = (size_t)snprintf(text, 64, "module attributes {a = \"");
    memset(text + at, 'x', len);
    at += len;
    at += (size_t)snprintf(text + at, 32, "\"} {}");
    tacho_mlir_module module;
    assert_null(tacho_mlir_module_init(&module));
    assert_null(tacho_mlir_text_read("m", tacho_str_make(text, at), &module));
    assert_int_equal(tacho_mlir_module_attr_called(&module, &module.ops[0], "a")->text.len, len);
    tacho_mlir_module_deinit(&module);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_mutations),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_many_ops),
        cmocka_unit_test(test_many_forward_references),
        cmocka_unit_test(test_many_misfits),
        cmocka_unit_test(test_missing_ends),
        cmocka_unit_test(test_long_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
