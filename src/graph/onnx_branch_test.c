/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of If and of inputs that are fixed. Models are composed as bytes: x of 4 goes into an If
 * whose branches are given, and y is the output.
 */
#include "graph/infer.h"
#include "graph/model.h"
#include "graph/model_facts.h"
#include "graph/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* ---- messages ------------------------------------------------------------------------------- */

typedef struct message {
    unsigned char bytes[32768];
    size_t len;
} message;

static void put_varint(message *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) {
        to->bytes[to->len++] = (unsigned char)(value | 0x80);
    }
    to->bytes[to->len++] = (unsigned char)value;
}

static void put_number(message *to, uint32_t field, uint64_t value)
{
    put_varint(to, field << 3);
    put_varint(to, value);
}

static void put_bytes(message *to, uint32_t field, const void *bytes, size_t len)
{
    assert_true(to->len + len + 16 < sizeof(to->bytes));
    put_varint(to, field << 3 | 2);
    put_varint(to, len);
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

static void put_text(message *to, uint32_t field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

static void put_message(message *to, uint32_t field, const message *inner)
{
    put_bytes(to, field, inner->bytes, inner->len);
}

/* An input or output; |count| is -1 for a scalar, 0 for a vector of an unknown size. */
static void put_info(message *graph, uint32_t field, const char *name, uint64_t dtype, int count)
{
    static message shape, tensor, type, info, dim;
    shape.len = tensor.len = type.len = info.len = dim.len = 0;
    if (count > 0) {
        put_number(&dim, 1, (uint64_t)count);
    }
    if (count >= 0) {
        put_message(&shape, 1, &dim);
    }
    put_number(&tensor, 1, dtype);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&info, 1, name);
    put_message(&info, 2, &type);
    put_message(graph, field, &info);
}

/* "Add a b > c": operator, inputs, outputs; the node is called as its first output. */
static message node_of(const char *text)
{
    message made = {.len = 0};
    char words[256], *rest = words;
    uint32_t field = 4;
    bool has_name = false;
    snprintf(words, sizeof(words), "%s", text);
    for (char *word; (word = strtok_r(rest, " ", &rest)) != NULL;) {
        if (strcmp(word, ">") == 0) {
            field = 2;
            continue;
        }
        put_text(&made, field, word);
        if (field == 2 && !has_name) {
            put_text(&made, 3, word);
            has_name = true;
        }
        field = field == 4 ? 1 : field;
    }
    return made;
}

static void put_node(message *graph, const char *text)
{
    message made = node_of(text);
    put_message(graph, 1, &made);
}

static void put_branch(message *node, const char *name, const message *graph)
{
    static message attr;
    attr.len = 0;
    put_text(&attr, 1, name);
    put_message(&attr, 6, graph);
    put_number(&attr, 20, 5);
    put_message(node, 5, &attr);
}

static void put_if(message *graph, const char *text, const message *then, const message *other)
{
    message made = node_of(text);
    put_branch(&made, "then_branch", then);
    put_branch(&made, "else_branch", other);
    put_message(graph, 1, &made);
}

/* A branch of nodes, divided by ';', and its outputs. */
static message branch(const char *nodes, const char *outputs)
{
    message made = {.len = 0};
    char text[512], *rest = text;
    snprintf(text, sizeof(text), "%s", nodes);
    for (char *one; (one = strtok_r(rest, ";", &rest)) != NULL;) {
        put_node(&made, one);
    }
    rest = text;
    snprintf(text, sizeof(text), "%s", outputs);
    for (char *one; (one = strtok_r(rest, " ", &rest)) != NULL;) {
        message info = {.len = 0};
        put_text(&info, 1, one);
        put_message(&made, 12, &info);
    }
    return made;
}

static void put_bool(message *graph, const char *name, bool value)
{
    message tensor = {.len = 0};
    put_number(&tensor, 2, 9);
    put_number(&tensor, 5, value);
    put_text(&tensor, 8, name);
    put_message(graph, 5, &tensor);
}

static void put_int(message *graph, const char *name, int64_t value)
{
    message tensor = {.len = 0};
    put_number(&tensor, 2, 7);
    put_number(&tensor, 7, (uint64_t)value);
    put_text(&tensor, 8, name);
    put_message(graph, 5, &tensor);
}

/* Inputs x and flag, constants yes and no, |nodes|, output y. */
static message model_of(const message *nodes)
{
    static message graph;
    message opset = {.len = 0}, made = {.len = 0};
    graph = *nodes;
    put_bool(&graph, "yes", true);
    put_bool(&graph, "no", false);
    put_info(&graph, 11, "x", 1, 4);
    put_info(&graph, 11, "flag", 9, -1);
    put_info(&graph, 11, "list", 7, 0);
    put_info(&graph, 12, "y", 1, 4);
    put_number(&opset, 2, 13);
    put_number(&made, 1, 8);
    put_message(&made, 8, &opset);
    put_message(&made, 7, &graph);
    return made;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The list has a size in all of them. */
static const tacho_model_dim sizes[] = {{{"list.0", 6}, 2}};
static const tacho_model_options plain = {.dims = sizes, .dim_count = 1};

static tacho_status read_model(const message *from, const tacho_model_options *options,
                               tacho_graph *graph)
{
    assert_null(tacho_graph_init(graph));
    graph->path = TACHO_STR("m.onnx");
    tacho_str bytes = tacho_str_make((const char *)from->bytes, from->len);
    TACHO_TRY(tacho_onnx_reader.read(graph, bytes, options));
    TACHO_TRY(tacho_model_bind_inputs(graph, options));
    TACHO_TRY(tacho_graph_sort(graph));
    if (options->values != NULL) {
        TACHO_TRY(tacho_probe_open(graph, options->values, &graph->probe));
    }
    tacho_status status = tacho_graph_infer(graph);
    tacho_probe_close(graph->probe);
    graph->probe = NULL;
    return status;
}

/* "Relu x>y; ...": the remaining nodes, in order; each input is made by the named node. */
static void assert_nodes(const message *from, const tacho_model_options *options,
                         const char *expected)
{
    tacho_graph graph;
    char found[1024] = "";
    tacho_status status = read_model(from, options, &graph);
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
    for (size_t i = 0; i < graph.node_count; i++) {
        const tacho_node *node = &graph.nodes[i];
        size_t used = strlen(found);
        used += (size_t)snprintf(found + used, sizeof(found) - used, "%s%s", i > 0 ? "; " : "",
                                 tacho_graph_string(&graph, node->type).data);
        for (uint32_t j = 0; j < node->input_count; j++) {
            const tacho_tensor *tensor = tacho_graph_input(&graph, node, j);
            used += (size_t)snprintf(found + used, sizeof(found) - used, " %s",
                                     tacho_graph_string(&graph, tensor->name).data);
        }
        for (uint32_t j = 0; j < node->output_count; j++) {
            const tacho_tensor *tensor = tacho_graph_output(&graph, node, j);
            used += (size_t)snprintf(found + used, sizeof(found) - used, ">%s",
                                     tacho_graph_string(&graph, tensor->name).data);
            assert_int_equal(tensor->producer, i);
        }
    }
    assert_string_equal(found, expected);
    const tacho_tensor *y = &graph.tensors[graph.outputs[0]];
    assert_true(y->producer != TACHO_NONE && y->is_output);
    tacho_graph_deinit(&graph);
}

static void assert_refused(const message *from, const tacho_model_options *options, tacho_code code,
                           const char *text)
{
    tacho_graph graph;
    tacho_status status = read_model(from, options, &graph);
    assert_non_null(status);
    if (strstr(tacho_status_message(status), text) == NULL) {
        fail_msg("expected '%s', found '%s'", text, tacho_status_message(status));
    }
    assert_int_equal(tacho_status_code(status), code);
    tacho_status_free(status);
    tacho_graph_deinit(&graph);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void test_chosen(void **state)
{
    (void)state;
    message then = branch("Relu x > a;Exp a > b", "b"), other = branch("Neg x > b", "b");
    message nodes = {.len = 0};
    put_if(&nodes, "If yes > p", &then, &other);
    put_node(&nodes, "Abs p > y");
    message model = model_of(&nodes);
    assert_nodes(&model, &plain, "Relu x>a; Exp a>p; Abs p>y");
    nodes.len = 0;
    put_if(&nodes, "If no > p", &then, &other);
    put_node(&nodes, "Abs p > y");
    model = model_of(&nodes);
    assert_nodes(&model, &plain, "Neg x>p; Abs p>y");
    nodes.len = 0;
    put_if(&nodes, "If flag > y", &then, &other);
    model = model_of(&nodes);
    assert_nodes(&model, &plain, "Relu x>a; Exp a>b; Neg x>b; Where flag b b>y"); /* not known */
    other = branch("Concat x x > b", "b"); /* without an axis: it stays */
    nodes.len = 0;
    put_node(&nodes, "Neg x > z");
    put_if(&nodes, "If flag > y", &then, &other);
    model = model_of(&nodes);
    assert_nodes(&model, &plain, "Neg x>z; If flag>y");
    other = branch("Neg x > b", "b");
    nodes.len = 0;
    put_node(&nodes, "IsNaN x > many");
    put_if(&nodes, "If many > y", &then, &other);
    model = model_of(&nodes);
    assert_nodes(&model, &plain, "IsNaN x>many; If many>y"); /* four conditions are none */
}

/* Outputs not made by a node, or made twice, or used inside; branches with equal names. */
static void test_outputs(void **state)
{
    (void)state;
    message then = branch("Relu x > a;Exp a > b", "a a x yes b"), other = branch("", "");
    message nodes = {.len = 0};
    put_if(&nodes, "If yes > p q r s t", &then, &other);
    message second = branch("Neg t > a", "a");
    put_if(&nodes, "If no > u", &other, &second);
    put_node(&nodes, "Sum p q r u > y");
    put_node(&nodes, "Not s > w");
    message model = model_of(&nodes);
    assert_nodes(&model, &plain,
                 "Relu x>p; Exp p>t; Identity p>q; Identity x>r; Identity yes>s; Neg t>u; "
                 "Sum p q r u>y; Not s>w");
    message few = branch("Relu x > a", "a");
    nodes.len = 0;
    put_if(&nodes, "If yes > y z", &few, &few);
    model = model_of(&nodes);
    assert_refused(&model, &plain, TACHO_CODE_BAD_DATA, "a branch gives 1 values, the node has 2");
    message nothing = branch("Relu x > a", "b");
    nodes.len = 0;
    put_if(&nodes, "If yes > y", &nothing, &nothing);
    model = model_of(&nodes);
    assert_refused(&model, &plain, TACHO_CODE_BAD_DATA, "no node produces output 'b' of a branch");
}

/* A name inside hides that outside, from where it is made on. */
static void test_scopes(void **state)
{
    (void)state;
    message inner = branch("Add h x > i", "i"), other = branch("Neg h > i", "i");
    message outer = branch("Exp h > k;Relu k > h", "");
    put_if(&outer, "If yes > deep", &inner, &other);
    message info = {.len = 0};
    put_text(&info, 1, "deep");
    put_message(&outer, 12, &info);
    message nodes = {.len = 0};
    put_node(&nodes, "Abs x > h");
    put_if(&nodes, "If yes > p", &outer, &other);
    put_node(&nodes, "Sub h p > y");
    message model = model_of(&nodes);
    assert_nodes(&model, &plain, "Abs x>h; Exp h>k; Relu k>h; Add h x>p; Sub h p>y");
    message missing = branch("Exp absent > k", "k");
    nodes.len = 0;
    put_if(&nodes, "If yes > y", &missing, &other);
    model = model_of(&nodes);
    assert_refused(&model, &plain, TACHO_CODE_BAD_DATA, "needs 'absent', which no node produces");
    message early = branch("Exp late > k", "k");
    nodes.len = 0;
    put_if(&nodes, "If yes > p", &early, &other);
    put_node(&nodes, "Abs p > y");
    put_node(&nodes, "Abs x > late");
    model = model_of(&nodes);
    assert_refused(&model, &plain, TACHO_CODE_BAD_DATA,
                   "it is in a branch and needs 'late', which is computed later");
}

static void test_depth(void **state)
{
    (void)state;
    message other = branch("", "");
    for (int depth = 64; depth <= 65; depth++) {
        message inner = branch("Relu x > a", "a");
        for (int i = 1; i < depth; i++) {
            message next = branch("", "a");
            put_if(&next, "If yes > a", &inner, &other);
            inner = next;
        }
        message nodes = {.len = 0};
        put_if(&nodes, "If yes > y", &inner, &other);
        message model = model_of(&nodes);
        if (depth == 64) {
            assert_nodes(&model, &plain, "Relu x>y");
        } else {
            assert_refused(&model, &plain, TACHO_CODE_LIMIT, "branches nested more than 64 deep");
        }
    }
}

/* |self| is the flag. */
static tacho_status give_value(void *self, const tacho_graph *graph, size_t index,
                               tacho_array *out_value)
{
    static float zeros[4];
    const tacho_tensor *input = &graph->tensors[graph->inputs[index]];
    *out_value = (tacho_array){.dtype = input->dtype,
                               .shape = *input->shape,
                               .data = input->dtype == TACHO_DTYPE_BOOL ? self : zeros};
    return TACHO_OK;
}

/* Reads Ifs that are nested 30 deep and all ask for the flag; the innermost cannot be computed. */
static tacho_status read_nested(bool *flag, tacho_graph *graph)
{
    enum { DEPTH = 30 };
    const tacho_model_values values = {.self = flag, .input = give_value};
    message inner = branch("MatMul x list > a", "a"), other = branch("Neg x > a", "a");
    for (int i = 1; i < DEPTH; i++) {
        message next = branch("", "a");
        put_if(&next, "If flag > a", &inner, i == 1 ? &inner : &other);
        inner = next;
    }
    message nodes = {.len = 0};
    put_if(&nodes, "If flag > y", &inner, &other);
    message model = model_of(&nodes);
    tacho_model_options options = plain;
    options.values = &values;
    return read_model(&model, &options, graph);
}

/* A failure deep inside is tried a few times, not twice for each If around it. */
static void test_nested_failure(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        bool flag = i == 0;
        tacho_graph graph;
        tacho_status status = read_nested(&flag, &graph);
        if (flag) {
            assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
            assert_non_null(strstr(tacho_status_message(status), "(MatMul): "));
        } else {
            assert_null(status);                   /* the branch is not taken */
            assert_int_equal(graph.node_count, 3); /* the check of the flag, Neg, Identity */
        }
        assert_in_range(graph.tensor_count, 1, 500);
        tacho_status_free(status);
        tacho_graph_deinit(&graph);
    }
}

static void test_bind(void **state)
{
    (void)state;
    message then = branch("Relu x > a", "a"), other = branch("Neg x > a", "a");
    message nodes = {.len = 0};
    put_if(&nodes, "If flag > y", &then, &other);
    message model = model_of(&nodes);
    tacho_model_bind binds[] = {{TACHO_STR("flag"), TACHO_STR("true")},
                                {TACHO_STR("list"), TACHO_STR("-3,4,5")}};
    tacho_model_options options = {.binds = binds, .bind_count = 2}; /* the list has its size */
    assert_nodes(&model, &options, "Relu x>y");
    binds[0].values = TACHO_STR("0");
    assert_nodes(&model, &options, "Neg x>y");
    tacho_graph graph;
    assert_null(read_model(&model, &options, &graph));
    assert_int_equal(graph.input_count, 1);
    const tacho_tensor *list = NULL;
    for (size_t i = 0; i < graph.tensor_count; i++) {
        bool is_it =
            tacho_str_equal(tacho_graph_string(&graph, graph.tensors[i].name), TACHO_STR("list"));
        list = is_it ? &graph.tensors[i] : list;
    }
    static const int64_t values[] = {-3, 4, 5};
    assert_true(list != NULL && list->is_constant && !list->is_input && list->shape->dims[0] == 3);
    assert_memory_equal(graph.constants[list->constant].bytes, values, sizeof(values));
    tacho_graph_deinit(&graph);
    binds[0].values = TACHO_STR("2");
    assert_refused(&model, &options, TACHO_CODE_USAGE, "input flag=2: '2' is not a valid bool");
    binds[0] = (tacho_model_bind){TACHO_STR("flat"), TACHO_STR("1")};
    assert_refused(&model, &options, TACHO_CODE_USAGE,
                   "input flat=1: the model has no input of this name; there are x, flag, list");
    binds[0] = (tacho_model_bind){TACHO_STR("x"), TACHO_STR("1,2")};
    assert_refused(&model, &options, TACHO_CODE_USAGE, "2 values, and the input is of shape 4");
    binds[0] = (tacho_model_bind){TACHO_STR("x"), TACHO_STR("1e")};
    assert_refused(&model, &options, TACHO_CODE_USAGE, "'1e' is not a valid f32");
    binds[0].values = TACHO_STR("1e39");
    assert_refused(&model, &options, TACHO_CODE_USAGE, "'1e39' is not a valid f32");
}

static void test_hint(void **state)
{
    (void)state;
    message then = branch("Relu x > a", "a");
    message nodes = {.len = 0};
    put_node(&nodes, "Not flag > off");
    put_if(&nodes, "If off > y", &then, &then);
    message model = model_of(&nodes);
    tacho_graph graph;
    tacho_model_condition condition;
    assert_null(read_model(&model, &plain, &graph));
    assert_null(tacho_model_condition_of(&graph, &graph.nodes[3], &condition));
    assert_string_equal(
        condition.text,
        "both branches are counted and one is computed; its condition depends on input 'flag'");
    assert_int_equal(condition.hint.id, TACHO_HINT_FIX_INPUT);
    assert_string_equal(condition.hint.detail, "flag");
    assert_null(tacho_model_condition_of(&graph, &graph.nodes[0], &condition));
    assert_string_equal(condition.text, "");
    assert_int_equal(condition.hint.id, TACHO_HINT_NONE);
    tacho_graph_deinit(&graph);
}

/* A function that calls itself, and ones that call the next twice each. */
static void test_functions(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        message nodes = {.len = 0}, function = {.len = 0};
        put_node(&nodes, kind == 2 ? "Absent x > y" : "F0 x > y");
        message model = model_of(&nodes);
        for (int i = 0; i < (kind == 1 ? 40 : 1); i++) {
            char name[16], call[64];
            function.len = 0;
            snprintf(name, sizeof(name), "F%d", i);
            put_text(&function, 1, name);
            put_text(&function, 4, "a");
            put_text(&function, 5, "c");
            snprintf(call, sizeof(call), "F%d a > b", kind == 1 ? i + 1 : 0);
            message node = node_of(call);
            put_message(&function, 7, &node);
            snprintf(call, sizeof(call), "F%d b > c", kind == 1 ? i + 1 : 0);
            node = node_of(call);
            put_message(&function, 7, &node);
            put_message(&model, 25, &function);
        }
        if (kind < 2) {
            assert_refused(&model, &plain, TACHO_CODE_LIMIT,
                           kind == 0 ? "calls of functions nested more than 64 deep"
                                     : "loops and functions have more than 262144 nodes");
        } else {
            assert_nodes(&model, &plain, "Absent x>y");
        }
    }
}

/* A survey counts the weights of branches, and of branches inside them, beside the model's own. */
static void test_survey(void **state)
{
    (void)state;
    message inner = branch("Add x k > i", "i"), other = branch("Neg x > i", "i");
    put_bool(&inner, "k", true);
    message outer = branch("Exp x > h", "h");
    put_bool(&outer, "k", true); /* the same name again is another one */
    put_bool(&outer, "l", true);
    put_if(&outer, "If yes > deep", &inner, &other);
    message nodes = {.len = 0};
    put_if(&nodes, "If flag > y", &outer, &other);
    message model = model_of(&nodes);
    tacho_model_facts facts = {.dims = NULL};
    tacho_model_options options = {.facts = &facts};
    tacho_graph graph;
    assert_null(read_model(&model, &options, &graph));
    assert_int_equal(graph.node_count, 1);
    size_t count = 0;
    for (size_t i = 0; i < graph.tensor_count; i++) {
        count += graph.tensors[i].is_constant ? 1 : 0;
    }
    assert_int_equal(count, 5); /* yes, no; k, l; k */
    tacho_graph_deinit(&graph);
    tacho_model_facts_deinit(&facts);
}

/* The place of b in the list of a; an invalid place leaves the node as it is. */
static void test_insert(void **state)
{
    (void)state;
    static const struct {
        int64_t place;
        const char *first; /* how the first of the list is read then */
    } cases[] = {{-1, "Identity b"},        {0, "Identity b"},
                 {1, "Identity a"},         {2, "SequenceAt t zero"},
                 {-2, "SequenceAt t zero"}, {INT64_MIN, "SequenceAt t zero"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        message nodes = branch("Neg x > a;Abs x > b;SequenceConstruct a > s;"
                               "SequenceInsert s b place > t;SequenceAt t zero > u;Relu u > y",
                               "");
        char expected[256];
        put_int(&nodes, "place", cases[i].place);
        put_int(&nodes, "zero", 0);
        message model = model_of(&nodes);
        snprintf(expected, sizeof(expected),
                 "Neg x>a; Abs x>b; SequenceConstruct a>s; SequenceInsert s b place>t; %s>u; "
                 "Relu u>y",
                 cases[i].first);
        assert_nodes(&model, &plain, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),    cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_insert),    cmocka_unit_test(test_scopes),
        cmocka_unit_test(test_depth),     cmocka_unit_test(test_bind),
        cmocka_unit_test(test_hint),      cmocka_unit_test(test_survey),
        cmocka_unit_test(test_functions), cmocka_unit_test(test_nested_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
