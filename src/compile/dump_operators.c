/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operators of the model a location stands for, in the dump of the last phase. Locations of
 * MLIR name the lines of the operators: an operator has the lines of everything that was fused into
 * it. Locations of ONNX are the names of nodes, and the dump does not show what a node does.
 *
 *     "tacho.operators"() {name = "n0", operators = "onnx.Conv@n0 onnx.Relu@n1"} : () -> () ...
 */
#include "base/text.h"
#include "codec/mlir_location.h"
#include "compile/dump_targets.h"
#include "compile/dump_text.h"

/* Operators of one that are named at most. */
enum { OPERATORS_MAX = 64 };

typedef struct writer {
    const tacho_graph *graph;
    tacho_output *output;
    tacho_arena scratch;
} writer;

/* The name ahead of a location, "n0" of "n0"("layer1"("net.py":9:0)), and whether it is all. */
static tacho_status find_outer_name(writer *self, const tacho_node *node, tacho_str *out_name,
                                    bool *out_is_all)
{
    tacho_mlir_location parsed;
    tacho_str location = tacho_graph_string(self->graph, node->location);
    *out_name = TACHO_STR("");
    *out_is_all = false;
    tacho_status status = tacho_mlir_location_parse(location, NULL, &self->scratch, &parsed);
    if (status != TACHO_OK) {
        if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
            return status;
        }
        tacho_status_free(status);
        return TACHO_OK;
    }
    if (parsed.node_count > 0 && parsed.nodes[0].kind == TACHO_MLIR_LOCATION_NAME) {
        *out_name = parsed.nodes[0].text;
        *out_is_all = parsed.node_count == 1;
    }
    return TACHO_OK;
}

/* The name in a location that has nothing else; else empty. */
static tacho_status find_name(writer *self, const tacho_node *node, tacho_str *out_name)
{
    bool is_all = false;
    TACHO_TRY(find_outer_name(self, node, out_name, &is_all));
    *out_name = is_all ? *out_name : TACHO_STR("");
    return TACHO_OK;
}

static bool is_onnx(const writer *self, const tacho_node *node)
{
    tacho_str type = tacho_graph_string(self->graph, node->type);
    return tacho_str_find_byte(type, '.') == type.len;
}

/* The name of a node: in ONNX even where its line is known. */
static tacho_status find_node_name(writer *self, const tacho_node *node, tacho_str *out_name)
{
    bool is_all = false;
    TACHO_TRY(find_outer_name(self, node, out_name, &is_all));
    *out_name = is_all || is_onnx(self, node) ? *out_name : TACHO_STR("");
    return TACHO_OK;
}

/* Words are split at spaces, so they have none. */
static tacho_status without_spaces(writer *self, tacho_str name, tacho_str *out_word)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(&self->scratch, name.len, &memory));
    char *text = memory;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char byte = (unsigned char)name.data[i];
        text[i] = byte <= ' ' || byte == 0x7f ? '_' : name.data[i];
    }
    *out_word = tacho_str_make(text, name.len);
    return TACHO_OK;
}

/* "onnx.Conv@n0", "tosa.conv2d@n0". */
static tacho_status write_operator(writer *self, const tacho_node *node)
{
    tacho_str type = tacho_graph_string(self->graph, node->type);
    tacho_str name;
    TACHO_TRY(find_node_name(self, node, &name));
    tacho_output_write_cstring(self->output, is_onnx(self, node) ? "onnx." : "");
    tacho_dump_word(self->output, type);
    if (name.len > 0) {
        TACHO_TRY(without_spaces(self, name, &name));
        tacho_output_write_cstring(self->output, "@");
        tacho_dump_escaped(self->output, name);
    }
    return TACHO_OK;
}

static tacho_status write_op(writer *self, const tacho_fusion *fusion, size_t index)
{
    const tacho_fused_op *op = &fusion->ops[index];
    uint32_t count = op->member_count < OPERATORS_MAX ? op->member_count : OPERATORS_MAX;
    tacho_str name;
    tacho_arena_reset(&self->scratch);
    TACHO_TRY(find_node_name(self, &self->graph->nodes[op->root], &name));
    if (name.len == 0) {
        return TACHO_OK;
    }
    tacho_output_write_cstring(self->output, "  \"tacho.operators\"() {name = ");
    tacho_dump_quoted(self->output, name);
    tacho_output_write_cstring(self->output, ", operators = \"");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t member = fusion->members[op->first_member + i];
        tacho_output_write_cstring(self->output, i > 0 ? " " : "");
        TACHO_TRY(write_operator(self, &self->graph->nodes[member]));
    }
    tacho_output_printf(self->output, "\"} : () -> () loc(#loc%zu)\n", index);
    return tacho_output_failed(self->output) ? tacho_output_take_failure(self->output) : TACHO_OK;
}

/* ---- lines --------------------------------------------------------------------------------- */

/* The text between the brackets of "loc(...)". */
static tacho_str bare(tacho_str location)
{
    bool is_wrapped = tacho_str_starts_with(location, TACHO_STR("loc(")) && location.len > 4;
    return is_wrapped ? tacho_str_make(location.data + 4, location.len - 5) : location;
}

/* Whether a member before the |count|-th is at the place of that one. */
static bool is_listed(const tacho_fusion *fusion, const tacho_fused_op *op, uint32_t count)
{
    const uint32_t *members = fusion->members + op->first_member;
    bool is_one = false;
    for (uint32_t i = 0; i < count && !is_one; i++) {
        is_one = fusion->graph->nodes[members[i]].location ==
                 fusion->graph->nodes[members[count]].location;
    }
    return is_one;
}

/* The places of all members, each once; |*out_count| is how many there are. */
static tacho_status fuse_locations(const tacho_fusion *fusion, const tacho_fused_op *op,
                                   tacho_text *text, uint32_t *out_count)
{
    uint32_t count = op->member_count < OPERATORS_MAX ? op->member_count : OPERATORS_MAX;
    *out_count = 0;
    TACHO_TRY(tacho_text_put(text, TACHO_STR("fused[")));
    for (uint32_t i = 0; i < count; i++) {
        const tacho_node *node = &fusion->graph->nodes[fusion->members[op->first_member + i]];
        tacho_str place = bare(tacho_graph_string(fusion->graph, node->location));
        bool is_line = place.len > 0 && place.data[0] != '#';
        if (is_line && !is_listed(fusion, op, i)) {
            TACHO_TRY(tacho_text_put(text, (*out_count)++ > 0 ? TACHO_STR(", ") : TACHO_STR("")));
            TACHO_TRY(tacho_text_put(text, place));
        }
    }
    return tacho_text_put(text, TACHO_STR("]"));
}

tacho_status tacho_targets_alias(const tacho_fusion *fusion, uint32_t op, tacho_output *output)
{
    const tacho_fused_op *fused = &fusion->ops[op];
    const tacho_node *root = &fusion->graph->nodes[fused->root];
    writer self = {.graph = fusion->graph, .output = output};
    tacho_text text = {0};
    tacho_str name;
    uint32_t count = 0;
    tacho_arena_init(&self.scratch);
    tacho_str location = tacho_graph_string(fusion->graph, root->location);
    tacho_status status = find_name(&self, root, &name);
    if (status == TACHO_OK && name.len == 0) {
        status = fuse_locations(fusion, fused, &text, &count);
    }
    if (status == TACHO_OK) {
        location = count > 1 ? tacho_text_take(&text) : location;
        status = tacho_dump_location_alias(output, op, location, &self.scratch);
    }
    tacho_text_deinit(&text);
    tacho_arena_deinit(&self.scratch);
    return status;
}

/* ---- names --------------------------------------------------------------------------------- */

tacho_status tacho_targets_operators(const tacho_fusion *fusion, tacho_output *output)
{
    writer self = {.graph = fusion->graph, .output = output};
    tacho_arena_init(&self.scratch);
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < fusion->op_count && status == TACHO_OK; i++) {
        status = write_op(&self, fusion, i);
    }
    tacho_arena_deinit(&self.scratch);
    return status;
}
