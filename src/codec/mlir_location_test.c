/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees are compared in a notation of their own, one word per node and children in braces, so
 * that a case is one line: the text to parse, its meaning, and its short label.
 */
#include "codec/mlir_location.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DUMP_BYTES = 4096, DUMP_DEPTH = 64 };

typedef struct dump {
    char text[DUMP_BYTES];
    size_t len;
} dump;

static void dump_add(dump *out, tacho_str text)
{
    assert_true(out->len + text.len < DUMP_BYTES);
    memcpy(out->text + out->len, text.data, text.len);
    out->len += text.len;
    out->text[out->len] = '\0';
}

static void dump_node(dump *out, const tacho_mlir_location_node *node)
{
    static const char *const kinds[] = {"unknown", "file", "name", "fused", "call", "alias"};
    dump_add(out, tacho_str_from_cstring(kinds[node->kind]));
    if (node->text.len > 0) {
        dump_add(out, TACHO_STR("="));
        dump_add(out, node->text);
    }
    char position[64] = "";
    if (node->kind == TACHO_MLIR_LOCATION_FILE) {
        snprintf(position, sizeof(position), "@%u:%u", node->line, node->column);
        dump_add(out, tacho_str_from_cstring(position));
    }
    if (node->end_column > 0) {
        snprintf(position, sizeof(position), "-%u:%u", node->end_line, node->end_column);
        dump_add(out, tacho_str_from_cstring(position));
    }
}

/* Takes the shape of the tree from |subtree_end| alone. */
static void dump_tree(dump *out, const tacho_mlir_location *location)
{
    size_t ends[DUMP_DEPTH];
    size_t open_count = 0;
    for (size_t i = 0; i < location->node_count; i++) {
        size_t end = location->nodes[i].subtree_end;
        dump_node(out, &location->nodes[i]);
        if (end > i + 1) {
            assert_true(open_count < DUMP_DEPTH);
            ends[open_count++] = end;
            dump_add(out, TACHO_STR("{"));
            continue;
        }
        for (; open_count > 0 && ends[open_count - 1] == i + 1; open_count--) {
            dump_add(out, TACHO_STR("}"));
        }
        dump_add(out, open_count > 0 ? TACHO_STR(" ") : TACHO_STR(""));
    }
    assert_int_equal(open_count, 0);
}

typedef struct good_case {
    const char *text;
    const char *tree;
    const char *label;
} good_case;

static void check_good(const good_case *good, const tacho_mlir_aliases *aliases)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_mlir_location location;
    tacho_status status =
        tacho_mlir_location_parse(tacho_str_from_cstring(good->text), aliases, &arena, &location);
    if (status != TACHO_OK) {
        print_error("%s: %s\n", good->text, tacho_status_message(status));
    }
    assert_null(status);
    dump out = {.len = 0};
    dump_tree(&out, &location);
    assert_string_equal(out.text, good->tree);
    tacho_str label;
    assert_null(tacho_mlir_location_format_short(&location, &arena, &label));
    assert_string_equal(label.data, good->label);
    assert_int_equal(label.len, strlen(good->label));
    tacho_arena_deinit(&arena);
}

static void check_bad(const char *text, const tacho_mlir_aliases *aliases, const char *message)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_mlir_location location;
    tacho_status status =
        tacho_mlir_location_parse(tacho_str_from_cstring(text), aliases, &arena, &location);
    assert_string_equal(tacho_status_message(status), message);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_int_equal(location.node_count, 0);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
}

static void test_forms(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"loc(\"/w/m/add.mlir\":12:10)", "file=/w/m/add.mlir@12:10", "add.mlir:12:10"},
        {"\"f\":1:2", "file=f@1:2", "f:1:2"},
        {"loc(unknown)", "unknown", ""},
        {"?", "unknown", ""},
        {"loc(loc(?))", "unknown", ""},
        {"loc(\"f\":1:2 to 3:4)", "file=f@1:2-3:4", "f:1:2"},
        {"loc(\"f\":1:2 to :4)", "file=f@1:2-1:4", "f:1:2"},
        {"loc(\"f\":4294967295:0)", "file=f@4294967295:0", "f:4294967295:0"},
        {"loc(\"conv\")", "name=conv", "conv"},
        {"loc(\"conv\"(\"f\":1:2))", "name=conv{file=f@1:2}", "f:1:2"},
        {"loc(\"\")", "name", ""},
        {"loc(fused[\"f\":1:2, \"g\":3:4])", "fused{file=f@1:2 file=g@3:4}", "f:1:2"},
        {"loc(fused[])", "fused", ""},
        {"loc(fused<\"pass\">[\"a\", \"b\"])", "fused=\"pass\"{name=a name=b}", "a"},
        {"loc(callsite(\"f\":1:2 at \"g\":3:4))", "call{file=f@1:2 file=g@3:4}", "f:1:2"},
        {"loc(callsite(unknown at \"g\":3:4))", "call{unknown file=g@3:4}", "g:3:4"},
        {"loc(#loc1)", "alias=#loc1", ""},
        {"#loc", "alias=#loc", ""},
        {" loc ( callsite\t( \"f\" : 1 : 2 to : 3 at #x-1.$_ ) )\n",
         "call{file=f@1:2-1:3 alias=#x-1.$_}", "f:1:2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_good(&cases[i], NULL);
    }
}

static void test_nesting(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"loc(fused[fused[\"a\", \"b\"(\"f\":1:2)], callsite(\"c\"(fused[?]) at \"g\":3:4), "
         "\"d\"])",
         "fused{fused{name=a name=b{file=f@1:2}} call{name=c{fused{unknown}} file=g@3:4} name=d}",
         "f:1:2"},
        {"loc(\"a\"(loc(\"b\"(loc(\"c\")))))", "name=a{name=b{name=c}}", "a"},
        {"fused[loc(\"a\"), callsite(loc(?) at loc(#b)), \"c\"]",
         "fused{name=a call{unknown alias=#b} name=c}", "a"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_good(&cases[i], NULL);
    }
}

static void test_metadata(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"fused<#di<a = [1, 2], b = <{x}>>>[?]", "fused=#di<a = [1, 2], b = <{x}>>{unknown}", ""},
        {"fused<affine_map<(d0) -> (d0)>>[?]", "fused=affine_map<(d0) -> (d0)>{unknown}", ""},
        {"fused<affine_set<(d) : (d >= 0, 9 <= d)>>[?]",
         "fused=affine_set<(d) : (d >= 0, 9 <= d)>{unknown}", ""},
        {"fused<\"a>]\\\">[\\\\\">[\"n\"]", "fused=\"a>]\\\">[\\\\\"{name=n}", "n"},
        {"fused<()->()> [\"n\"]", "fused=()->(){name=n}", "n"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_good(&cases[i], NULL);
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const good_case cases[] = {
        {"\"a\\\"b\\\\c\\nd\\te\"", "name=a\"b\\c\nd\te", "a\"b\\c\nd\te"},
        {"\"\\C3\\a9\\2F\\22x\":1:2", "file=\xC3\xA9/\"x@1:2", "\"x:1:2"},
        {"\"a,b)]\"", "name=a,b)]", "a,b)]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_good(&cases[i], NULL);
    }
}

static void test_bad_text(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "location, byte 0: expected a location, found the end"},
        {"loc", "location, byte 3: expected '(' after loc, found the end"},
        {"loc(", "location, byte 4: expected a location, found the end"},
        {"location", "location, byte 0: expected a location, found location"},
        {"loc(unknown", "location, byte 11: expected ')', found the end"},
        {"loc(unknown))", "location, byte 12: expected the end, found )"},
        {"loc(unknown) x", "location, byte 13: expected the end, found x"},
        {"\"f\":x", "location, byte 4: expected a number up to 4294967295, found x"},
        {"\"f\":1", "location, byte 5: expected ':' and a column, found the end"},
        {"\"f\":1:4294967296",
         "location, byte 6: expected a number up to 4294967295, found 4294967296"},
        {"\"f\":99999999999999999999:1",
         "location, byte 4: expected a number up to 4294967295, found 99999999999999999999:1"},
        {"\"f\":1:-2", "location, byte 6: expected a number up to 4294967295, found -2"},
        {"\"f\":1:2 to 3", "location, byte 12: expected ':' and an end column, found the end"},
        {"\"f\":1:2 tox", "location, byte 8: expected the end, found tox"},
        {"(\"f", "location, byte 0: expected a location, found (\"f"},
        {"?(\"f\")", "location, byte 1: expected the end, found (\"f\")"},
        {"loc(\"f)", "location, byte 4: expected a string with a closing quote, found \"f)"},
        {"\"f\\", "location, byte 0: expected a string with a closing quote, found \"f\\"},
        {"\"f\\q\"", "location, byte 2: expected one of the escapes \\\" \\\\ \\n \\t \\HH, "
                     "found \\q\""},
        {"\"f\\4\"", "location, byte 2: expected one of the escapes \\\" \\\\ \\n \\t \\HH, "
                     "found \\4\""},
        {"fused\"a\"", "location, byte 5: expected '[' and the fused locations, found \"a\""},
        {"fused[?", "location, byte 7: expected ',' or ']', found the end"},
        {"fused[?,]", "location, byte 8: expected a location, found ]"},
        {"fused<x", "location, byte 7: expected the end of the metadata, found the end"},
        {"fused<(]>[?]", "location, byte 7: expected ')', found ]>[?]"},
        {"callsite[", "location, byte 8: expected '(' after callsite, found ["},
        {"callsite(? on ?)", "location, byte 11: expected 'at' and a caller, found on ?)"},
        {"callsite(? at ?", "location, byte 15: expected ')', found the end"},
        {"#", "location, byte 0: expected an alias, found #"},
        {"#loc<1>", "location, byte 4: expected the end, found <1>"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_bad(cases[i][0], NULL, cases[i][1]);
    }
}

static void define(tacho_mlir_aliases *aliases, const char *name, const char *body)
{
    assert_null(tacho_mlir_aliases_add(aliases, tacho_str_from_cstring(name),
                                       tacho_str_from_cstring(body)));
}

static void test_aliases(void **state)
{
    (void)state;
    tacho_mlir_aliases aliases;
    assert_null(tacho_mlir_aliases_init(&aliases));
    define(&aliases, "#loc2", "loc(callsite(#loc1 at #loc))");
    define(&aliases, "#loc1", "loc(\"f\":1:2)");
    define(&aliases, "#loc", "loc(#loc3)");
    define(&aliases, "#loc3", "fused<\"m\">[?, \"main\"(#loc1)]");
    static const good_case cases[] = {
        {"loc(#loc1)", "file=f@1:2", "f:1:2"},
        {"#loc2", "call{file=f@1:2 fused=\"m\"{unknown name=main{file=f@1:2}}}", "f:1:2"},
        {"fused[\"a\"(#loc3), #loc3]",
         "fused{name=a{fused=\"m\"{unknown name=main{file=f@1:2}}} "
         "fused=\"m\"{unknown name=main{file=f@1:2}}}",
         "f:1:2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        check_good(&cases[i], &aliases);
    }
    tacho_mlir_aliases_deinit(&aliases);
}

static void test_bad_aliases(void **state)
{
    (void)state;
    tacho_mlir_aliases aliases;
    assert_null(tacho_mlir_aliases_init(&aliases));
    define(&aliases, "#self", "loc(#self)");
    define(&aliases, "#a", "fused[?, #b]");
    define(&aliases, "#b", "\"b\"(callsite(? at #a))");
    define(&aliases, "#open", "\"b\"(#none)");
    check_bad("loc(#self)", &aliases,
              "location, byte 4: expected an alias of a location, found a cycle through #self");
    check_bad("loc(#b)", &aliases,
              "location, byte 4: expected an alias of a location, found a cycle through #b");
    check_bad("[#x", &aliases, "location, byte 0: expected a location, found [#x");
    check_bad("fused[?, #open]", &aliases,
              "location, byte 9: expected an alias of a location, found the undefined #none");
    tacho_mlir_aliases_deinit(&aliases);
}

static void check_refused(tacho_mlir_aliases *aliases, const char *name, const char *body)
{
    tacho_status status =
        tacho_mlir_aliases_add(aliases, tacho_str_from_cstring(name), tacho_str_from_cstring(body));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
}

static void test_refused_definitions(void **state)
{
    (void)state;
    tacho_mlir_aliases aliases;
    assert_null(tacho_mlir_aliases_init(&aliases));
    check_refused(&aliases, "loc", "?");
    check_refused(&aliases, "#", "?");
    check_refused(&aliases, "#a b", "?");
    check_refused(&aliases, "", "?");
    check_refused(&aliases, "#loc", "#dialect.attr<1>");
    define(&aliases, "#loc", "\"first\"");
    check_refused(&aliases, "#loc", "\"second\"");
    static const good_case kept = {"#loc", "name=first", "first"};
    check_good(&kept, &aliases);
    tacho_mlir_aliases_deinit(&aliases);
}

/* Forty aliases, each twice the one before, would make 2^40 nodes. */
static void test_node_limit(void **state)
{
    (void)state;
    tacho_mlir_aliases aliases;
    assert_null(tacho_mlir_aliases_init(&aliases));
    define(&aliases, "#a0", "\"leaf\"");
    for (int i = 1; i <= 40; i++) {
        char name[16];
        char body[64];
        snprintf(name, sizeof(name), "#a%d", i);
        snprintf(body, sizeof(body), "fused[#a%d, #a%d]", i - 1, i - 1);
        define(&aliases, name, body);
    }
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_mlir_location location;
    /* A full binary tree of 2^15 leaves is one node below the limit. */
    assert_null(tacho_mlir_location_parse(TACHO_STR("#a15"), &aliases, &arena, &location));
    assert_int_equal(location.node_count, TACHO_MLIR_LOCATION_NODE_MAX - 1);
    assert_int_equal(location.nodes[1].subtree_end, TACHO_MLIR_LOCATION_NODE_MAX / 2);
    tacho_status status = tacho_mlir_location_parse(TACHO_STR("#a40"), &aliases, &arena, &location);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    tacho_mlir_aliases_deinit(&aliases);
}

/* |unit| repeated |count| times. */
static tacho_str repeat(const char *unit, size_t count, tacho_arena *arena)
{
    size_t unit_len = strlen(unit);
    void *memory = NULL;
    assert_null(tacho_arena_alloc(arena, unit_len * count, &memory));
    char *text = memory;
    for (size_t i = 0; i < count; i++) {
        memcpy(text + i * unit_len, unit, unit_len);
    }
    return tacho_str_make(text, unit_len * count);
}

/* Deep enough to overflow any C stack, if there were recursion. */
static void test_depth(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        size_t count;
        tacho_code code;
    } cases[] = {
        {"loc(", 4000000, TACHO_CODE_BAD_DATA},    {"\"a\"(", 65536, TACHO_CODE_BAD_DATA},
        {"\"a\"(", 65537, TACHO_CODE_LIMIT},       {"callsite(", 4000000, TACHO_CODE_LIMIT},
        {"fused<(", 4000000, TACHO_CODE_BAD_DATA},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_str text = repeat(cases[i].unit, cases[i].count, &arena);
        tacho_mlir_location location;
        tacho_status status = tacho_mlir_location_parse(text, NULL, &arena, &location);
        assert_int_equal(tacho_status_code(status), cases[i].code);
        tacho_status_free(status);
        tacho_arena_deinit(&arena);
    }
}

/* Aliases in a row, each naming the next. */
static void test_long_alias_chain(void **state)
{
    (void)state;
    enum { CHAIN = 200000 };
    tacho_mlir_aliases aliases;
    assert_null(tacho_mlir_aliases_init(&aliases));
    char name[16];
    char body[16];
    for (int i = 0; i < CHAIN; i++) {
        snprintf(name, sizeof(name), "#%d", i);
        snprintf(body, sizeof(body), "#%d", i + 1);
        define(&aliases, name, body);
    }
    snprintf(name, sizeof(name), "#%d", CHAIN);
    define(&aliases, name, "\"end\"");
    static const good_case whole = {"fused[#0, #100000]", "fused{name=end name=end}", "end"};
    check_good(&whole, &aliases);
    tacho_mlir_aliases_deinit(&aliases);
}

static void test_print(void **state)
{
    (void)state;
    /* A case without a second text is printed as it was written. */
    static const char *const cases[][2] = {
        {"unknown", NULL},
        {"?", "unknown"},
        {"\"f\":7:10", NULL},
        {"loc(\"f\":07:10)", "\"f\":7:10"},
        {"\"f\":1:2 to 3:4", NULL},
        {"\"f\":1:2 to :5", NULL},
        {"\"f\":1:2 to 1:5", "\"f\":1:2 to :5"},
        {"\"f\":1:2 to :2", "\"f\":1:2"},
        {"\"a\\\\b\\\"c\\n\\t\\C3\\7f ~\"", "\"a\\\\b\\22c\\0A\\09\\C3\\7F ~\""},
        {"\"n\"(\"f\":1:2)", NULL},
        {"\"n\"(unknown)", "\"n\""},
        {"callsite(\"f\":1:2 at callsite(\"n\"(unknown) at unknown))",
         "callsite(\"f\":1:2 at callsite(\"n\" at unknown))"},
        {"fused[ \"a\",\"b\":1:2 ]", "fused[\"a\", \"b\":1:2]"},
        {"fused<{k = \"]\"}>[\"a\"]", NULL},
        {"fused[]", NULL},
        {"fused<1>[fused[\"a\"(fused[unknown])], fused[]]", NULL},
        {"#alias", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        tacho_arena arena;
        tacho_mlir_location location;
        tacho_str text;
        tacho_arena_init(&arena);
        assert_null(tacho_mlir_location_parse(tacho_str_from_cstring(cases[i][0]), NULL, &arena,
                                              &location));
        assert_null(tacho_mlir_location_print(&location, &arena, &text));
        assert_string_equal(text.data, cases[i][1] != NULL ? cases[i][1] : cases[i][0]);
        assert_int_equal(text.len, strlen(text.data));
        tacho_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_metadata),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_bad_text),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_bad_aliases),
        cmocka_unit_test(test_refused_definitions),
        cmocka_unit_test(test_node_limit),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_long_alias_chain),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
