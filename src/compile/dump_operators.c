/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which operators of the model a location stands for, in the dump of the last phase. Locations of
 * MLIR name lines, and the operators stand there; those of ONNX are the names of nodes, and nothing
 * in the dump says what a node does.
 *
 *     "tacho.operators"() {name = "n0", operators = "onnx.Conv@n0 onnx.Relu@n1"} : () -> () ...
 */
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

/* What a location is that is nothing but a name; else empty. */
static tacho_status find_name(writer *self, const tacho_node *node, tacho_str *out_name)
{
    tacho_mlir_location parsed;
    tacho_str location = tacho_graph_string(self->graph, node->location);
    *out_name = TACHO_STR("");
    tacho_status status = tacho_mlir_location_parse(location, NULL, &self->scratch, &parsed);
    if (status != TACHO_OK) {
        if (tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
            return status;
        }
        tacho_status_free(status);
        return TACHO_OK;
    }
    if (parsed.node_count == 1 && parsed.nodes[0].kind == TACHO_MLIR_LOCATION_NAME) {
        *out_name = parsed.nodes[0].text;
    }
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
    bool has_dialect = tacho_str_find_byte(type, '.') < type.len;
    tacho_str name;
    TACHO_TRY(find_name(self, node, &name));
    tacho_output_write_cstring(self->output, has_dialect ? "" : "onnx.");
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
    TACHO_TRY(find_name(self, &self->graph->nodes[op->root], &name));
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
