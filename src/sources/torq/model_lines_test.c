/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operators of source lines, and the short texts of locations. Source files are written to a
 * folder of the test's own.
 */
#include "sources/torq/model_lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void check_operator(const char *line, const char *expected)
{
    tacho_str found = torq_model_line_operator(tacho_str_from_cstring(line));
    char text[128];
    snprintf(text, sizeof(text), "%.*s", TACHO_STR_ARG(found));
    assert_string_equal(text, expected);
}

static void test_operators(void **state)
{
    (void)state;
    check_operator("    %0 = tosa.add %arg0, %arg1 : tensor<1xi8>", "tosa.add");
    check_operator("%0 = \"tosa.mul\"(%a, %b) <{shift = 0 : i8}> : ()", "tosa.mul");
    check_operator("\t%12:2 = torch.operator \"onnx.Relu\"(%3) : ()", "onnx.Relu");
    check_operator("tosa.yield %0", "tosa.yield");
    check_operator("%0, %1 = tosa.split %2", "tosa.split");
    check_operator("%0 = linalg.add %2", "");
    check_operator("%0 = \"linalg.add\"(%2)", "");
    check_operator("%0 = torch.operator onnx.Relu", "");
    check_operator("%0 = \"tosa.mul", "");
    check_operator("%0 = tosa.", "");
    check_operator("// tosa.add", "");
    check_operator("%0", "");
    check_operator("", "");
}

/* ---- places ----------------------------------------------------------------------------- */

typedef struct fixture {
    char folder[64];
    char path[96];
    tacho_dict dict;
    tacho_debug_info info;
} fixture;

static void setup(fixture *made)
{
    snprintf(made->folder, sizeof(made->folder), "/tmp/tacho_lines_XXXXXX");
    assert_non_null(mkdtemp(made->folder));
    snprintf(made->path, sizeof(made->path), "%s/model.mlir", made->folder);
    FILE *file = fopen(made->path, "w");
    assert_non_null(file);
    fputs("module {\n"
          "  %0 = tosa.add %a, %b\r\n"
          "  %1 = \"tosa.mul\"(%0, %b)\n"
          "  %2 = arith.addi %1, %b\n"
          "  %3 = tosa.sub %2, %b",
          file);
    fclose(file);
    assert_ok(tacho_dict_init(&made->dict));
    tacho_debug_info_init(&made->info, &made->dict);
}

static void teardown(fixture *made)
{
    unlink(made->path);
    rmdir(made->folder);
    tacho_debug_info_deinit(&made->info);
    tacho_dict_deinit(&made->dict);
}

static uint32_t add_location(fixture *to, const char *text)
{
    tacho_location location = {0};
    uint32_t id = 0;
    assert_ok(tacho_dict_ensure_string(&to->dict, tacho_str_from_cstring(text), &location.text));
    assert_ok(tacho_dict_ensure_location(&to->dict, &location, &id));
    return id;
}

static const char *text(const fixture *from, uint32_t string)
{
    return tacho_dict_string(&from->dict, string).data;
}

static const struct {
    const char *location;
    const char *text;
    const char *operators;
} places[] = {
    {"\"/gone/model.mlir\":2:5", "@L2C5", "tosa.add@L2"},
    {"fused[\"/gone/model.mlir\":2:5, \"/gone/model.mlir\":3:5]", "@L2C5+@L3C5",
     "tosa.add@L2 tosa.mul@L3"},
    /* A line is named once. */
    {"fused<\"m\">[\"/gone/model.mlir\":2:5, \"/gone/model.mlir\":2:9]", "@L2C5+@L2C9",
     "tosa.add@L2"},
    /* Only the callee is shown, but operators of both count. */
    {"callsite(\"/gone/model.mlir\":5:1 at \"/gone/model.mlir\":3:7)", "@L5C1",
     "tosa.sub@L5 tosa.mul@L3"},
    {"callsite(fused[\"/gone/model.mlir\":5:1, \"x\"] at callsite(\"a\":1:1 at \"b\":2:2))",
     "@L5C1+x", "tosa.sub@L5"},
    {"fused[callsite(\"a\":1:1 at \"b\":2:2), \"/gone/model.mlir\":3:4]", "@L1C1+@L3C4",
     "tosa.mul@L3"},
    {"\"conv\"", "conv", ""},
    /* Without a file a node has its scope and its name. */
    {"\"node_add\"(\"enc.layer1\"(\"/gone/net.py\":9:0))", "enc.layer1/node_add", ""},
    {"\"node_add\"(\"/gone/other.mlir\":9:0)", "@L9C0", ""},
    {"fused[\"a\"(\"/gone/net.py\":9:0), \"b\"(\"/gone/model.mlir\":3:4)]", "a+@L3C4",
     "tosa.mul@L3"},
    {"\"conv\"(\"/gone/model.mlir\":3:4)", "@L3C4", "tosa.mul@L3"},
    {"\"/gone/model.mlir\":4:5", "@L4C5", ""},
    {"\"/gone/model.mlir\":6:5", "@L6C5", ""},
    {"\"/gone/model.mlir\":0:0", "@L0C0", ""},
    {"\"/gone/other.mlir\":2:5", "@L2C5", ""},
    {"\"/dev/zero\":2:5", "@L2C5", ""},
    {"no location", "no location", ""},
};

enum { PLACE_COUNT = sizeof(places) / sizeof(places[0]) };

static void check_places(const torq_model_search *search, fixture *made)
{
    uint32_t ids[PLACE_COUNT];
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        ids[i] = add_location(made, places[i].location);
    }
    assert_ok(torq_model_lines_resolve(&made->info, search));
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        tacho_place place = tacho_debug_info_place(&made->info, ids[i]);
        assert_string_equal(text(made, place.text), places[i].text);
        assert_string_equal(text(made, place.operators), places[i].operators);
    }
    /*
     * other.mlir, net.py, /dev/zero, and the files a and b: each is noted once; and, unless it was
     * asked for, that the model was found elsewhere.
     */
    assert_int_equal(made->info.note_count, search->dir_count > 0 ? 5 : 6);
    assert_int_equal(tacho_debug_info_place(&made->info, TACHO_NONE).text, 0);
}

static void test_source_dir(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    const char *dirs[] = {"/nowhere", made.folder};
    torq_model_search search = {.dirs = dirs, .dir_count = 2};
    check_places(&search, &made);
    teardown(&made);
}

/* Beside the debug info: in its folder, whether the path is the folder or the file. */
static void test_beside(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    torq_model_search search = {.debug_path = made.folder};
    check_places(&search, &made);
    teardown(&made);
    setup(&made);
    char file[128];
    snprintf(file, sizeof(file), "%s/d.mlirb", made.folder);
    search.debug_path = file;
    check_places(&search, &made);
    teardown(&made);
}

/* Under its own path; a folder or a pipe of that name is ignored. */
static void test_own_path(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    torq_model_search search = {.debug_path = NULL};
    char location[160];
    snprintf(location, sizeof(location), "\"%s\":3:1", made.path);
    uint32_t plain = add_location(&made, location);
    snprintf(location, sizeof(location), "\"%s\":3:1", made.folder);
    uint32_t folder = add_location(&made, location);
    char pipe_path[128];
    snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", made.folder);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    snprintf(location, sizeof(location), "\"%s\":3:1", pipe_path);
    uint32_t fifo = add_location(&made, location);
    assert_ok(torq_model_lines_resolve(&made.info, &search));
    assert_string_equal(text(&made, tacho_debug_info_place(&made.info, plain).operators),
                        "tosa.mul@L3");
    assert_int_equal(tacho_debug_info_place(&made.info, folder).operators, 0);
    assert_int_equal(tacho_debug_info_place(&made.info, fifo).operators, 0);
    assert_int_equal(made.info.note_count, 2);
    unlink(pipe_path);
    teardown(&made);
}

/* A location with very many parts is cut, and marked as cut. */
static void test_many_parts(void **state)
{
    (void)state;
    fixture made;
    char location[4096] = "fused[";
    setup(&made);
    for (int i = 1; i <= 65; i++) {
        size_t len = strlen(location);
        snprintf(location + len, sizeof(location) - len, "%s\"n%d\"", i > 1 ? ", " : "", i);
    }
    strncat(location, "]", sizeof(location) - strlen(location) - 1);
    uint32_t id = add_location(&made, location);
    torq_model_search search = {.debug_path = NULL};
    assert_ok(torq_model_lines_resolve(&made.info, &search));
    const char *shown = text(&made, tacho_debug_info_place(&made.info, id).text);
    const char *last = strstr(shown, "+n64+");
    assert_non_null(last);
    assert_string_equal(last, "+n64+...");
    teardown(&made);
}

static void name_operators(fixture *to, const char *name, const char *operators)
{
    uint32_t strings[2];
    assert_ok(tacho_dict_ensure_string(&to->dict, tacho_str_from_cstring(name), &strings[0]));
    assert_ok(tacho_dict_ensure_string(&to->dict, tacho_str_from_cstring(operators), &strings[1]));
    assert_ok(tacho_debug_info_name_operators(&to->info, strings[0], strings[1]));
}

/* Names resolve to operators where there is not a file, and where the name is unambiguous. */
static void test_named_operators(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"\"n0\"", "onnx.Conv@n0 onnx.Relu@n1"},
        {"\"n1\"", ""},
        {"\"twice\"", ""},
        {"\"again\"", "onnx.Mul@again"},
        {"fused[\"n2\", \"n0\", unknown, \"n2\"]", "onnx.Add@n2 onnx.Conv@n0 onnx.Relu@n1"},
        {"fused[\"n2\", \"/gone/model.mlir\":3:4]", "tosa.mul@L3"},
        {"\"n0\"(\"/gone/model.mlir\":3:4)", "tosa.mul@L3"},
        {"\"n0\"(unknown)", "onnx.Conv@n0 onnx.Relu@n1"},
        {"\"n0\"(\"enc\"(\"/gone/net.py\":9:0))", "onnx.Conv@n0 onnx.Relu@n1"},
    };
    fixture made;
    uint32_t ids[sizeof(cases) / sizeof(cases[0])];
    setup(&made);
    name_operators(&made, "n0", "onnx.Conv@n0 onnx.Relu@n1");
    name_operators(&made, "n2", "onnx.Add@n2");
    name_operators(&made, "again", "onnx.Mul@again");
    name_operators(&made, "again", "onnx.Mul@again");
    name_operators(&made, "twice", "onnx.Mul@twice");
    name_operators(&made, "twice", "onnx.Div@twice");
    name_operators(&made, "twice", "onnx.Mul@twice");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ids[i] = add_location(&made, cases[i][0]);
    }
    torq_model_search search = {.debug_path = made.folder};
    assert_ok(torq_model_lines_resolve(&made.info, &search));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        tacho_place place = tacho_debug_info_place(&made.info, ids[i]);
        assert_string_equal(text(&made, place.operators), cases[i][1]);
    }
    teardown(&made);
}

/* ---- comparing -------------------------------------------------------------------------- */

static const struct {
    const char *location;
    const char *other;
    tacho_place_verdict verdict;
} pairs[] = {
    {"\"/a/m.mlir\":2:5", "\"/a/m.mlir\":2:5", TACHO_PLACES_AGREE},
    {"\"/a/m.mlir\":2:5", "\"/b/c/m.mlir\":2:9", TACHO_PLACES_AGREE}, /* by base name and line */
    {"\"/a/m.mlir\":2:5", "\"/a/m.mlir\":3:5", TACHO_PLACES_DIFFER},
    {"\"/a/m.mlir\":2:5", "\"/a/n.mlir\":2:5", TACHO_PLACES_DIFFER},
    {"\"/a/m.mlir\":2:5", "fused<\"x\">[\"/a/m.mlir\":1:1, \"/a/m.mlir\":2:5]", TACHO_PLACES_AGREE},
    {"\"/a/m.mlir\":2:5", "\"relu\"(\"/a/m.mlir\":2:5 to 3:1)", TACHO_PLACES_AGREE},
    /* For calls the callee counts; but the other location may name only the caller. */
    {"callsite(\"m\":2:5 at \"m\":9:1)", "\"m\":2:5", TACHO_PLACES_AGREE},
    {"callsite(\"m\":2:5 at \"m\":9:1)", "\"m\":9:1", TACHO_PLACES_AGREE},
    {"callsite(\"m\":2:5 at \"m\":9:1)", "callsite(\"m\":3:5 at \"m\":9:1)", TACHO_PLACES_DIFFER},
    {"\"relu\"", "\"relu\"", TACHO_PLACES_AGREE},
    {"\"relu\"", "\"add\"", TACHO_PLACES_DIFFER},
    {"\"relu\"", "\"add\"(\"m\":1:1)", TACHO_PLACES_UNKNOWN}, /* a name and a file */
    {"\"m\":0:0", "\"m\":1:1", TACHO_PLACES_UNKNOWN},
    {"no location", "\"m\":1:1", TACHO_PLACES_UNKNOWN},
    {"\"dump.mlir\":2:5", "\"m\":1:1", TACHO_PLACES_UNKNOWN}, /* a line of the dump itself */
};

static void test_compare(void **state)
{
    (void)state;
    enum { PAIR_COUNT = sizeof(pairs) / sizeof(pairs[0]) };
    fixture made;
    uint32_t ids[PAIR_COUNT][2];
    tacho_dispatch dispatch = {0};
    uint32_t id = 0;
    setup(&made);
    assert_ok(tacho_dict_ensure_string(&made.dict, TACHO_STR("dump.mlir"), &dispatch.file));
    assert_ok(tacho_debug_info_add_dispatch(&made.info, &dispatch, &id));
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        ids[i][0] = add_location(&made, pairs[i].location);
        ids[i][1] = add_location(&made, pairs[i].other);
    }
    torq_model_search search = {.is_compared = true};
    assert_ok(torq_model_lines_resolve(&made.info, &search));
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        assert_int_equal(tacho_debug_info_compare(&made.info, ids[i][0], ids[i][1]),
                         pairs[i].verdict);
        assert_int_equal(tacho_debug_info_compare(&made.info, ids[i][1], ids[i][0]),
                         pairs[i].verdict);
    }
    assert_int_equal(tacho_debug_info_compare(&made.info, ids[0][0], TACHO_NONE),
                     TACHO_PLACES_UNKNOWN);
    teardown(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),       cmocka_unit_test(test_source_dir),
        cmocka_unit_test(test_beside),          cmocka_unit_test(test_own_path),
        cmocka_unit_test(test_many_parts),      cmocka_unit_test(test_compare),
        cmocka_unit_test(test_named_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
