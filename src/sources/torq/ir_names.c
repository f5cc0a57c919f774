/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts of a Torq module: locations, memory spaces and executors from types, names.
 */
#include "codec/mlir_location.h"
#include "base/grow.h"
#include "sources/torq/ir_state.h"

#include <stdio.h>
#include <stdlib.h>

enum { TYPE_HEAD_BYTES = 64, EXAMPLE_BYTES = 512 };

/* Not looked up yet. */
#define UNSEEN (TACHO_NONE - 1)

static uint32_t *allocate(size_t count)
{
    uint32_t *items = malloc((count + 1) * sizeof(*items));
    for (size_t i = 0; items != NULL && i < count; i++) {
        items[i] = UNSEEN;
    }
    return items;
}

tacho_status torq_ir_names_init(torq_ir *ir)
{
    size_t count = ir->module->strings.item_count;
    tacho_arena_init(&ir->scratch);
    ir->locations = allocate(count);
    ir->spaces = allocate(count);
    ir->texts = allocate(count);
    ir->forms = tacho_items_alloc(count, sizeof(*ir->forms));
    if (ir->locations == NULL || ir->spaces == NULL || ir->texts == NULL || ir->forms == NULL) {
        return tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory for %zu texts", count);
    }
#define FIND_ATTR(member, text)                                                                    \
    ir->attrs.member = tacho_strings_find(&ir->module->strings, TACHO_STR(text));
    TORQ_IR_ATTRS(FIND_ATTR)
#undef FIND_ATTR
    return TACHO_OK;
}

void torq_ir_names_deinit(torq_ir *ir)
{
    tacho_arena_deinit(&ir->scratch);
    free(ir->locations);
    free(ir->spaces);
    free(ir->texts);
    free(ir->forms);
}

tacho_status torq_ir_string(torq_ir *ir, tacho_str text, uint32_t *out_string)
{
    return tacho_dict_ensure_string(ir->info->dict, text, out_string);
}

tacho_status torq_ir_own_string(torq_ir *ir, uint32_t string, uint32_t *out_string)
{
    if (ir->texts[string] == UNSEEN) {
        tacho_str text = tacho_mlir_module_string(ir->module, string);
        TACHO_TRY(torq_ir_string(ir, text, &ir->texts[string]));
    }
    *out_string = ir->texts[string];
    return TACHO_OK;
}

/* Adds a location. Text in another form is kept, since it may help the user. */
static tacho_status add_location(torq_ir *ir, tacho_str text, uint32_t *out_location)
{
    tacho_location facts = {0};
    tacho_mlir_location parsed;
    TACHO_TRY(torq_ir_string(ir, text, &facts.text));
    tacho_status status = tacho_mlir_location_parse(text, NULL, &ir->scratch, &parsed);
    const tacho_mlir_location_node *primary =
        status == TACHO_OK ? tacho_mlir_location_primary(&parsed) : NULL;
    TACHO_TRY(tacho_status_forgive_data(status));
    if (primary != NULL) {
        TACHO_TRY(torq_ir_string(ir, primary->text, &facts.file));
        facts.line = primary->line;
        facts.column = primary->column;
    }
    return tacho_dict_ensure_location(ir->info->dict, &facts, out_location);
}

/* Adds the line of an operation without a location. */
static tacho_status add_own_location(torq_ir *ir, uint32_t text, uint32_t *out_location)
{
    const tacho_mlir_own_place *place = &ir->module->own_places[text & ~TACHO_MLIR_OWN_PLACE];
    tacho_location facts = {.line = place->line, .column = place->column};
    tacho_str body;
    TACHO_TRY(tacho_mlir_module_location(ir->module, text, &ir->scratch, &body));
    TACHO_TRY(torq_ir_string(ir, body, &facts.text));
    TACHO_TRY(torq_ir_string(ir, ir->file, &facts.file));
    tacho_arena_reset(&ir->scratch);
    return tacho_dict_ensure_location(ir->info->dict, &facts, out_location);
}

tacho_status torq_ir_location(torq_ir *ir, uint32_t text, uint32_t *out_location)
{
    if ((text & TACHO_MLIR_OWN_PLACE) != 0) {
        return add_own_location(ir, text, out_location);
    }
    uint32_t *known = &ir->locations[text];
    if (*known == UNSEEN) {
        tacho_str body = tacho_mlir_module_string(ir->module, text);
        *known = TACHO_NONE;
        if (body.len > 0 && !tacho_str_equal(body, TACHO_STR("unknown"))) {
            TACHO_TRY(add_location(ir, body, known));
            tacho_arena_reset(&ir->scratch);
        }
    }
    *out_location = *known;
    return TACHO_OK;
}

/* "torq_hw.magic at model.mlir:9"; without a location, that of its file. */
tacho_status torq_ir_note_unknown(torq_ir *ir, const tacho_mlir_op *op)
{
    tacho_debug_info *info = ir->info;
    uint32_t location = TACHO_NONE;
    if (info->unknown_op_count++ > 0) {
        return TACHO_OK;
    }
    TACHO_TRY(torq_ir_location(ir, op->location, &location));
    const tacho_location *place =
        location != TACHO_NONE ? &info->dict->locations[location] : &(tacho_location){0};
    tacho_str file = place->file != 0 ? tacho_dict_string(info->dict, place->file) : ir->file;
    tacho_str name = torq_ir_op_name(ir, op);
    char text[EXAMPLE_BYTES];
    char line[16] = "";
    if (place->file != 0) {
        snprintf(line, sizeof(line), ":%u", (unsigned)place->line);
    }
    int len = snprintf(text, sizeof(text), "%.*s at %.*s%s", name.len > 100 ? 100 : (int)name.len,
                       name.data, file.len > 300 ? 300 : (int)file.len, file.data, line);
    return torq_ir_string(ir, tacho_str_make(text, (size_t)len), &info->unknown_op);
}

/* The rest of |text| after the first |mark|; empty if it is missing. */
static tacho_str after(tacho_str text, tacho_str mark)
{
    for (size_t i = 0; i + mark.len <= text.len; i++) {
        if (memcmp(text.data + i, mark.data, mark.len) == 0) {
            return tacho_str_from(text, i + mark.len);
        }
    }
    return TACHO_STR("");
}

/* The word at the head of |text|. */
static tacho_str head_word(tacho_str text)
{
    size_t len = 0;
    while (len < text.len &&
           ((text.data[len] >= 'a' && text.data[len] <= 'z') ||
            (text.data[len] >= '0' && text.data[len] <= '9') || text.data[len] == '_')) {
        len++;
    }
    return tacho_str_make(text.data, len);
}

/* In "memref<64xi8, #torq_hl<mem_space = lram>>": lram. */
static tacho_str find_space(tacho_str type)
{
    tacho_str rest = tacho_str_trim(after(type, TACHO_STR("mem_space")));
    if (rest.len > 0 && rest.data[0] == '=') {
        rest = tacho_str_trim(tacho_str_from(rest, 1));
    }
    return head_word(rest);
}

tacho_status torq_ir_space(torq_ir *ir, uint32_t value, uint32_t *out_space)
{
    *out_space = 0;
    if (value == TACHO_NONE) {
        return TACHO_OK;
    }
    uint32_t type = ir->module->values[value].type;
    if (ir->spaces[type] == UNSEEN) {
        tacho_str space = find_space(tacho_mlir_module_string(ir->module, type));
        TACHO_TRY(torq_ir_string(ir, space, &ir->spaces[type]));
    }
    *out_space = ir->spaces[type];
    return TACHO_OK;
}

/* In "!torq_hl.invocation<nss>": nss. */
tacho_executor torq_ir_executor(const torq_ir *ir, uint32_t value)
{
    static const struct {
        tacho_str name;
        tacho_executor executor;
    } executors[] = {
        {TACHO_STR_INIT("nss"), TACHO_EXECUTOR_NSS},
        {TACHO_STR_INIT("host"), TACHO_EXECUTOR_HOST},
        {TACHO_STR_INIT("slice"), TACHO_EXECUTOR_SLICE},
        {TACHO_STR_INIT("css"), TACHO_EXECUTOR_CSS},
    };
    if (value == TACHO_NONE) {
        return TACHO_EXECUTOR_NONE;
    }
    tacho_str type = tacho_mlir_module_string(ir->module, ir->module->values[value].type);
    if (!tacho_str_starts_with(type, TACHO_STR("!torq_hl."))) {
        return TACHO_EXECUTOR_NONE;
    }
    type.len = type.len > TYPE_HEAD_BYTES ? TYPE_HEAD_BYTES : type.len;
    tacho_str word = head_word(tacho_str_trim(after(type, TACHO_STR("<"))));
    for (size_t i = 0; i < sizeof(executors) / sizeof(executors[0]); i++) {
        if (tacho_str_equal(word, executors[i].name)) {
            return executors[i].executor;
        }
    }
    return TACHO_EXECUTOR_NONE;
}

tacho_str torq_ir_text(const torq_ir *ir, const tacho_mlir_op *op, uint32_t name)
{
    const tacho_mlir_attr *attr = tacho_mlir_module_attr(ir->module, op, name);
    bool is_text = attr != NULL &&
                   (attr->kind == TACHO_MLIR_ATTR_STRING || attr->kind == TACHO_MLIR_ATTR_SYMBOL);
    return is_text ? attr->text : TACHO_STR("");
}

const tacho_mlir_op *torq_ir_definition(const torq_ir *ir, uint32_t value)
{
    uint32_t op = value == TACHO_NONE ? TACHO_NONE : ir->module->values[value].op;
    return op == TACHO_NONE ? NULL : &ir->module->ops[op];
}

tacho_str torq_ir_invocation_name(const torq_ir *ir, uint32_t value)
{
    static const tacho_str prefixes[] = {TACHO_STR_INIT("slice_program_torq_hl."),
                                         TACHO_STR_INIT("css_program_torq_hl.")};
    const tacho_mlir_op *op = torq_ir_definition(ir, value);
    tacho_str name = op != NULL ? torq_ir_text(ir, op, ir->attrs.name) : TACHO_STR("");
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (tacho_str_starts_with(name, prefixes[i]) && name.len > prefixes[i].len) {
            return tacho_str_from(name, prefixes[i].len);
        }
    }
    return name;
}
