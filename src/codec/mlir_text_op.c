/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pieces that operations are made of, and how one begins and ends.
 */
#include "codec/mlir_text_parser.h"

#include <stdlib.h>

enum { SHOWN_BYTES = 32 }; /* of the input, in messages */

/* -- Failures -- */

/* Line and column of byte |at|, both from 1; computed only for messages. */
static void find_place(const tacho_mlir_parser *p, size_t at, size_t *out_line, size_t *out_column)
{
    size_t line_start = 0;
    *out_line = 1;
    for (size_t i = 0; i < at && !p->is_trying; i++) {
        if (p->text.data[i] == '\n') {
            ++*out_line;
            line_start = i + 1;
        }
    }
    *out_column = at - line_start + 1;
}

static tacho_status fail_with(const tacho_mlir_parser *p, tacho_code code, size_t at,
                              const char *expected)
{
    size_t line;
    size_t column;
    at = at < p->text.len ? at : p->text.len;
    find_place(p, at, &line, &column);
    tacho_str found = tacho_str_from(p->text, at);
    found.len = found.len < SHOWN_BYTES ? found.len : SHOWN_BYTES;
    found.len = tacho_str_find_byte(found, '\n');
    if (at == p->text.len) {
        found = TACHO_STR("the end");
    } else if (found.len == 0) {
        found = TACHO_STR("the end of the line");
    }
    return tacho_fail(code, "%s:%zu:%zu: expected %s, found %.*s", p->name, line, column, expected,
                      TACHO_STR_ARG(found));
}

tacho_status tacho_mlir_fail_because(const tacho_mlir_parser *p, size_t at, tacho_status reason)
{
    size_t line;
    size_t column;
    find_place(p, at, &line, &column);
    return tacho_fail(tacho_status_code(reason), "%s:%zu:%zu: %s", p->name, line, column,
                      tacho_status_message(reason));
}

tacho_status tacho_mlir_fail_at(const tacho_mlir_parser *p, size_t at, const char *expected)
{
    return fail_with(p, TACHO_CODE_BAD_DATA, at, expected);
}

tacho_status tacho_mlir_fail_limit(const tacho_mlir_parser *p, size_t at, const char *expected)
{
    return fail_with(p, TACHO_CODE_LIMIT, at, expected);
}

tacho_status tacho_mlir_fail(const tacho_mlir_parser *p, const char *expected)
{
    return tacho_mlir_fail_at(p, p->token.start, expected);
}

/* -- Tokens -- */

void tacho_mlir_advance(tacho_mlir_parser *p)
{
    tacho_mlir_lexer_read(&p->lexer, &p->token);
}

void tacho_mlir_seek(tacho_mlir_parser *p, size_t at)
{
    p->lexer.at = at;
    tacho_mlir_advance(p);
}

bool tacho_mlir_take_mark(tacho_mlir_parser *p, char mark)
{
    bool taken = tacho_mlir_at_mark(p, mark);
    if (taken) {
        tacho_mlir_advance(p);
    }
    return taken;
}

bool tacho_mlir_take_word(tacho_mlir_parser *p, const char *word)
{
    bool taken = tacho_mlir_at_word(p, word);
    if (taken) {
        tacho_mlir_advance(p);
    }
    return taken;
}

tacho_status tacho_mlir_expect_mark(tacho_mlir_parser *p, char mark, const char *expected)
{
    return tacho_mlir_take_mark(p, mark) ? TACHO_OK : tacho_mlir_fail(p, expected);
}

tacho_mlir_token tacho_mlir_peek(const tacho_mlir_parser *p)
{
    tacho_mlir_lexer ahead = p->lexer;
    return tacho_mlir_lexer_next(&ahead);
}

bool tacho_mlir_at_location(const tacho_mlir_parser *p)
{
    return tacho_mlir_at_word(p, "loc") && p->token.end < p->text.len &&
           p->text.data[p->token.end] == '(';
}

/* -- Operands and types -- */

tacho_status tacho_mlir_push_operand(tacho_mlir_parser *p, tacho_mlir_operand operand)
{
    TACHO_TRY(tacho_mlir_grow(&p->operands, &p->operand_capacity, p->operand_count + 1));
    p->operands[p->operand_count++] = operand;
    return TACHO_OK;
}

tacho_status tacho_mlir_take_operand(tacho_mlir_parser *p, uint32_t segment)
{
    if (p->token.kind != TACHO_MLIR_TOKEN_VALUE) {
        return tacho_mlir_fail(p, "an operand");
    }
    tacho_mlir_operand operand = {TACHO_NONE, segment};
    TACHO_TRY(tacho_mlir_use(p, tacho_mlir_token_text(p), &operand.value));
    TACHO_TRY(tacho_mlir_push_operand(p, operand));
    tacho_mlir_advance(p);
    return TACHO_OK;
}

tacho_status tacho_mlir_take_operands(tacho_mlir_parser *p, uint32_t segment)
{
    if (p->token.kind != TACHO_MLIR_TOKEN_VALUE) {
        return TACHO_OK;
    }
    do {
        TACHO_TRY(tacho_mlir_take_operand(p, segment));
    } while (tacho_mlir_take_mark(p, ','));
    return TACHO_OK;
}

tacho_status tacho_mlir_take_type(tacho_mlir_parser *p, uint32_t *out_type)
{
    tacho_mlir_span span;
    tacho_str text;
    TACHO_TRY(tacho_mlir_scan_type(p, p->token.start, &span));
    TACHO_TRY(tacho_mlir_expand(p, span, &text));
    TACHO_TRY(tacho_strings_ensure(&p->module->strings, text, out_type));
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}

tacho_status tacho_mlir_push_type(tacho_mlir_parser *p, uint32_t type)
{
    TACHO_TRY(tacho_mlir_grow(&p->types, &p->type_capacity, p->type_count + 1));
    p->types[p->type_count++] = type;
    return TACHO_OK;
}

tacho_status tacho_mlir_take_types(tacho_mlir_parser *p, bool keep)
{
    do {
        uint32_t type = 0;
        TACHO_TRY(tacho_mlir_take_type(p, &type));
        if (keep) {
            TACHO_TRY(tacho_mlir_push_type(p, type));
        }
    } while (tacho_mlir_take_mark(p, ','));
    return TACHO_OK;
}

tacho_status tacho_mlir_take_type_list(tacho_mlir_parser *p, bool keep)
{
    TACHO_TRY(tacho_mlir_expect_mark(p, '(', "'(' and types"));
    if (!tacho_mlir_at_mark(p, ')')) {
        TACHO_TRY(tacho_mlir_take_types(p, keep));
    }
    return tacho_mlir_expect_mark(p, ')', "',' or ')' after a type");
}

bool tacho_mlir_at_function_type(tacho_mlir_parser *p)
{
    tacho_mlir_span span;
    bool was_trying = p->is_trying;
    p->is_trying = true;
    tacho_status status = tacho_mlir_scan_group(p, p->token.start, &span);
    p->is_trying = was_trying;
    bool is_closed = status == TACHO_OK;
    tacho_status_free(status);
    tacho_mlir_lexer lexer = {p->text, span.end};
    return is_closed && tacho_mlir_lexer_next(&lexer).kind == TACHO_MLIR_TOKEN_ARROW;
}

/* Whether an operation ends at |at|: the text there cannot belong to a type before it. */
static bool ends_op(const tacho_mlir_parser *p, size_t at)
{
    tacho_str rest = tacho_str_from(p->text, at);
    return rest.len == 0 || rest.data[0] == '\n' || tacho_str_starts_with(rest, TACHO_STR(" loc("));
}

/* The type of the operation on top where it is, byte for byte, that of the last one so called. */
static bool take_known_type(tacho_mlir_parser *p, const tacho_mlir_known_name *known)
{
    tacho_str rest = tacho_str_from(p->text, p->token.start);
    if (known->type.len == 0 || !tacho_str_starts_with(rest, known->type) ||
        !ends_op(p, p->token.start + known->type.len)) {
        return false;
    }
    if (known->has_result) {
        p->types[p->type_count++] = known->result_type;
    }
    tacho_mlir_seek(p, p->token.start + known->type.len);
    return true;
}

tacho_status tacho_mlir_take_op_type(tacho_mlir_parser *p)
{
    tacho_mlir_known_name *known = NULL; /* stays where it is while the type is read */
    size_t start = p->token.start;
    size_t first_type = p->type_count;
    tacho_str name = tacho_mlir_top_name(p);
    TACHO_TRY(tacho_mlir_know_name(p, name, &known));
    TACHO_TRY(tacho_mlir_grow(&p->types, &p->type_capacity, p->type_count + 1));
    if (take_known_type(p, known)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_take_function_type(p));
    size_t end = p->token.start;
    while (end > start && strchr(" \t\r\n", p->text.data[end - 1]) != NULL) {
        end--;
    }
    if (p->type_count <= first_type + 1 && ends_op(p, end)) {
        known->type = tacho_mlir_between(p, start, end);
        known->has_result = p->type_count > first_type;
        known->result_type = known->has_result ? p->types[first_type] : 0;
    }
    return TACHO_OK;
}

tacho_status tacho_mlir_take_function_type(tacho_mlir_parser *p)
{
    TACHO_TRY(tacho_mlir_take_type_list(p, false));
    if (p->token.kind != TACHO_MLIR_TOKEN_ARROW) {
        return tacho_mlir_fail(p, "'->' and the types of results");
    }
    tacho_mlir_advance(p);
    if (tacho_mlir_at_mark(p, '(') && !tacho_mlir_at_function_type(p)) {
        return tacho_mlir_take_type_list(p, true);
    }
    uint32_t type = 0;
    TACHO_TRY(tacho_mlir_take_type(p, &type));
    return tacho_mlir_push_type(p, type);
}

tacho_status tacho_mlir_push_argument(tacho_mlir_parser *p, tacho_str name, uint32_t type)
{
    tacho_mlir_argument argument = {TACHO_NONE, type};
    if (name.len > 0) {
        TACHO_TRY(tacho_mlir_name_id(p, tacho_str_from(name, 1), &argument.name_id));
    }
    TACHO_TRY(tacho_mlir_grow(&p->arguments, &p->argument_capacity, p->argument_count + 1));
    p->arguments[p->argument_count++] = argument;
    return TACHO_OK;
}

/* -- Operations -- */

/* Counts lines up to the next token; tokens never go back between operations. */
static void count_lines(tacho_mlir_parser *p)
{
    while (p->line_at < p->token.start) {
        const char *from = p->text.data + p->line_at;
        const char *newline = memchr(from, '\n', p->token.start - p->line_at);
        if (newline == NULL) {
            p->line_at = p->token.start;
            return;
        }
        p->line_at += (size_t)(newline - from) + 1;
        p->line++;
        p->line_start = p->line_at;
    }
}

/* The block of an operation opened now, and the operation before it there. */
static void link_op(tacho_mlir_parser *p, uint32_t op)
{
    uint32_t *last_op = &p->top_last_op;
    p->module->ops[op].block = TACHO_NONE;
    if (p->frame_count > 0) {
        tacho_mlir_frame *around = tacho_mlir_top(p);
        last_op = &around->last_op;
        p->module->ops[op].block = around->block;
        if (*last_op == TACHO_NONE) {
            p->blocks[around->block].first_op = op;
        }
    }
    if (*last_op != TACHO_NONE) {
        p->module->next_op[*last_op] = op;
    }
    *last_op = op;
}

tacho_status tacho_mlir_open_op(tacho_mlir_parser *p, tacho_str name, size_t first_result_name)
{
    tacho_mlir_module *module = p->module;
    if (p->frame_count >= TACHO_MLIR_TEXT_LEVELS_MAX) {
        return tacho_mlir_fail_limit(p, p->token.start, "at most 10000 levels of regions");
    }
    if (module->op_count >= TACHO_NONE - 1) {
        return tacho_mlir_fail_limit(p, p->token.start, "fewer than 2^32 operations");
    }
    uint32_t op = (uint32_t)module->op_count;
    tacho_mlir_known_name *known = NULL;
    TACHO_TRY(tacho_mlir_know_name(p, name, &known));
    TACHO_TRY(tacho_mlir_grow(&module->ops, &module->op_capacity, module->op_count + 1));
    TACHO_TRY(tacho_mlir_grow(&module->next_op, &module->next_op_capacity, module->op_count + 1));
    TACHO_TRY(tacho_mlir_grow(&p->frames, &p->frame_capacity, p->frame_count + 1));
    module->ops[op] = (tacho_mlir_op){.name = known->id};
    module->next_op[op] = TACHO_NONE;
    module->op_count++;
    link_op(p, op);
    count_lines(p);
    p->frames[p->frame_count++] = (tacho_mlir_frame){
        .op = op,
        .name_start = p->token.start,
        .line = p->line,
        .column = (uint32_t)(p->token.start - p->line_start + 1),
        .first_result_name = first_result_name,
        .first_operand = p->operand_count,
        .first_attr = p->attr_count,
        .first_type = p->type_count,
        .first_argument = p->argument_count,
        .last_type = TACHO_NONE,
    };
    return TACHO_OK;
}

static bool ends_with(tacho_str name, const char *suffix)
{
    return tacho_str_ends_with(name, tacho_str_from_cstring(suffix));
}

/* Whether regions of operations so called see no values from outside. */
static bool is_isolated(tacho_str name)
{
    return ends_with(name, "func") || ends_with(name, "module") || ends_with(name, ".program") ||
           tacho_str_starts_with(name, TACHO_STR("hal.executable"));
}

tacho_status tacho_mlir_open_region(tacho_mlir_parser *p)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    TACHO_TRY(tacho_mlir_grow(&p->regions, &p->region_capacity, p->region_count + 1));
    frame->region = (uint32_t)p->region_count++;
    p->regions[frame->region] = (tacho_mlir_draft_region){frame->op, 0};
    frame->block = TACHO_NONE;
    frame->last_op = TACHO_NONE;
    frame->region_count++;
    tacho_mlir_open_scope(p, frame, is_isolated(tacho_mlir_top_name(p)));
    return p->argument_count > frame->first_argument ? tacho_mlir_open_block(p) : TACHO_OK;
}

tacho_status tacho_mlir_open_block(tacho_mlir_parser *p)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    size_t count = p->argument_count - frame->first_argument;
    TACHO_TRY(tacho_mlir_grow(&p->blocks, &p->block_capacity, p->block_count + 1));
    p->blocks[p->block_count] = (tacho_mlir_draft_block){frame->region, (uint32_t)p->draft_count,
                                                         (uint32_t)count, TACHO_NONE};
    frame->block = (uint32_t)p->block_count++;
    frame->last_op = TACHO_NONE;
    p->regions[frame->region].block_count++;
    for (size_t i = 0; i < count; i++) {
        uint32_t value = 0;
        tacho_mlir_argument argument = p->arguments[frame->first_argument + i];
        TACHO_TRY(tacho_mlir_add_draft(p, argument.type, false, &value));
        if (argument.name_id != TACHO_NONE) {
            TACHO_TRY(tacho_mlir_define(p, argument.name_id, value, 1));
        }
    }
    p->argument_count = frame->first_argument;
    return TACHO_OK;
}

void tacho_mlir_close_region(tacho_mlir_parser *p)
{
    tacho_mlir_close_scope(p, tacho_mlir_top(p));
}

/* The line and column of the operation's name. */
static tacho_status default_location(tacho_mlir_parser *p, const tacho_mlir_frame *frame,
                                     uint32_t *out_id)
{
    tacho_mlir_module *module = p->module;
    if (module->own_place_count >= TACHO_MLIR_OWN_PLACE - 1) {
        return tacho_mlir_fail_limit(p, frame->name_start, "fewer than 2^31 operations");
    }
    TACHO_TRY(tacho_mlir_grow(&module->own_places, &module->own_place_capacity,
                              module->own_place_count + 1));
    *out_id = TACHO_MLIR_OWN_PLACE | (uint32_t)module->own_place_count;
    module->own_places[module->own_place_count++] =
        (tacho_mlir_own_place){frame->line, frame->column};
    return TACHO_OK;
}

/* Moves operands to the order of their segments, few as these are. */
static tacho_status order_operands(tacho_mlir_parser *p, const tacho_mlir_frame *frame)
{
    enum { SEGMENT_MAX = 8 };
    size_t count = p->operand_count - frame->first_operand;
    if (count == 0 && frame->segment_count == 0) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_grow(&p->operands, &p->operand_capacity, p->operand_count + count + 1));
    tacho_mlir_operand *first = p->operands + frame->first_operand;
    bool is_ordered = true;
    int64_t sizes[SEGMENT_MAX] = {0};
    for (size_t i = 0; i < count; i++) {
        is_ordered = is_ordered && (i == 0 || first[i - 1].segment <= first[i].segment);
        sizes[first[i].segment % SEGMENT_MAX]++;
    }
    if (frame->segment_count > 0) {
        TACHO_TRY(
            tacho_mlir_add_ints(p, TACHO_STR("operandSegmentSizes"), sizes, frame->segment_count));
    }
    if (!is_ordered) {
        /* A counting sort through room after them. */
        size_t next = 0;
        for (uint32_t segment = 0; segment < SEGMENT_MAX; segment++) {
            for (size_t i = 0; i < count; i++) {
                if (first[i].segment == segment) {
                    first[count + next++] = first[i];
                }
            }
        }
        memmove(first, first + count, count * sizeof(*first));
    }
    return TACHO_OK;
}

/* Moves attributes and operands from the stacks to the module. */
static tacho_status store_op(tacho_mlir_parser *p, const tacho_mlir_frame *frame, tacho_mlir_op *op)
{
    tacho_mlir_module *module = p->module;
    size_t attr_count = p->attr_count - frame->first_attr;
    size_t operand_count = p->operand_count - frame->first_operand;
    op->first_attr = (uint32_t)module->attr_count;
    op->attr_count = (uint32_t)attr_count;
    TACHO_TRY(
        tacho_mlir_grow(&module->attrs, &module->attr_capacity, module->attr_count + attr_count));
    if (attr_count > 0) {
        tacho_mlir_attr *attrs = module->attrs + module->attr_count;
        memcpy(attrs, p->attrs + frame->first_attr, attr_count * sizeof(*attrs));
        tacho_mlir_module_sort_attrs(module, attrs, attr_count);
    }
    module->attr_count += attr_count;
    op->first_operand = (uint32_t)module->operand_count;
    op->operand_count = (uint32_t)operand_count;
    TACHO_TRY(tacho_mlir_grow(&module->operands, &module->operand_capacity,
                              module->operand_count + operand_count));
    for (size_t i = 0; i < operand_count; i++) {
        module->operands[module->operand_count++] = p->operands[frame->first_operand + i].value;
    }
    p->attr_count = frame->first_attr;
    p->operand_count = frame->first_operand;
    return TACHO_OK;
}

/* Makes the results and binds their names. */
static tacho_status store_results(tacho_mlir_parser *p, const tacho_mlir_frame *frame,
                                  tacho_mlir_op *op)
{
    uint64_t named_count = 0;
    for (size_t i = frame->first_result_name; i < p->result_name_count; i++) {
        named_count += p->result_names[i].count;
    }
    size_t type_count = p->type_count - frame->first_type;
    if (named_count > 0 && named_count != type_count) {
        return tacho_mlir_fail_at(p, frame->name_start,
                                  "an operation with as many results as names before it");
    }
    op->first_result = (uint32_t)p->draft_count;
    op->result_count = (uint32_t)type_count;
    for (size_t i = 0; i < type_count; i++) {
        uint32_t value = 0;
        TACHO_TRY(tacho_mlir_add_draft(p, p->types[frame->first_type + i], false, &value));
    }
    uint32_t first = op->first_result;
    for (size_t i = frame->first_result_name; i < p->result_name_count; i++) {
        tacho_mlir_result_name name = p->result_names[i];
        TACHO_TRY(tacho_mlir_define(p, name.name_id, first, name.count));
        first += name.count;
    }
    p->type_count = frame->first_type;
    p->result_name_count = frame->first_result_name;
    return TACHO_OK;
}

tacho_status tacho_mlir_close_op(tacho_mlir_parser *p)
{
    tacho_mlir_frame frame = *tacho_mlir_top(p);
    tacho_mlir_op op = p->module->ops[frame.op];
    if (tacho_mlir_at_location(p)) {
        TACHO_TRY(tacho_mlir_take_location(p, &op.location));
    } else {
        TACHO_TRY(default_location(p, &frame, &op.location));
    }
    op.region_count = frame.region_count;
    TACHO_TRY(order_operands(p, &frame));
    TACHO_TRY(store_op(p, &frame, &op));
    TACHO_TRY(store_results(p, &frame, &op));
    p->argument_count = frame.first_argument;
    p->module->ops[frame.op] = op;
    p->frame_count--;
    if (p->is_lenient && op.region_count > 0 && frame.block != TACHO_NONE &&
        tacho_str_equal(tacho_mlir_module_string(p->module, op.name), TACHO_STR("func.func"))) {
        p->whole_end = p->token.start;
    }
    return TACHO_OK;
}
