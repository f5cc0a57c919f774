/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop over operations. An operation runs until it ends or opens a region; the loop then
 * reads the operations in the region, and resumes the operation after it.
 */
#include "codec/mlir_text.h"

#include "base/text.h"
#include "codec/mlir_text_parser.h"

#include <assert.h>
#include <stdlib.h>

/* -- Generic form -- */

/* {attributes} : (types) -> types. */
static tacho_status take_generic_tail(tacho_mlir_parser *p)
{
    if (tacho_mlir_at_mark(p, '{')) {
        TACHO_TRY(tacho_mlir_take_dict(p));
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, ':', "':' and the type of the operation"));
    TACHO_TRY(tacho_mlir_take_op_type(p));
    return tacho_mlir_close_op(p);
}

static tacho_status resume_generic(tacho_mlir_parser *p)
{
    if (tacho_mlir_take_mark(p, ',')) {
        TACHO_TRY(tacho_mlir_expect_mark(p, '{', "'{' and another region"));
        return tacho_mlir_open_region(p);
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, ')', "',' or ')' after a region"));
    return take_generic_tail(p);
}

/* ^bb1, ^bb2(%v : t)]; blocks are not kept, but their arguments are. */
static tacho_status take_successors(tacho_mlir_parser *p)
{
    do {
        if (p->token.kind != TACHO_MLIR_TOKEN_BLOCK) {
            return tacho_mlir_fail(p, "a block");
        }
        tacho_mlir_advance(p);
        if (tacho_mlir_take_mark(p, '(')) {
            TACHO_TRY(tacho_mlir_take_operands(p, 0));
            TACHO_TRY(tacho_mlir_expect_mark(p, ':', "':' and the types of the arguments"));
            TACHO_TRY(tacho_mlir_take_types(p, false));
            TACHO_TRY(tacho_mlir_expect_mark(p, ')', "')' after the arguments of a block"));
        }
    } while (tacho_mlir_take_mark(p, ','));
    return tacho_mlir_expect_mark(p, ']', "',' or ']' after a block");
}

static tacho_status take_generic(tacho_mlir_parser *p)
{
    TACHO_TRY(tacho_mlir_expect_mark(p, '(', "'(' and operands"));
    TACHO_TRY(tacho_mlir_take_operands(p, 0));
    TACHO_TRY(tacho_mlir_expect_mark(p, ')', "an operand or ')'"));
    for (;;) {
        if (tacho_mlir_take_mark(p, '[')) {
            TACHO_TRY(take_successors(p));
        } else if (tacho_mlir_take_mark(p, '<')) {
            TACHO_TRY(tacho_mlir_take_dict(p));
            TACHO_TRY(tacho_mlir_expect_mark(p, '>', "'>' after the properties"));
        } else {
            break;
        }
    }
    if (!tacho_mlir_take_mark(p, '(')) {
        return take_generic_tail(p);
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, '{', "'{' and a region"));
    return tacho_mlir_open_region(p);
}

static tacho_status start_generic(tacho_mlir_parser *p, size_t first_result_name)
{
    tacho_str name = tacho_mlir_token_text(p);
    if (memchr(name.data, '\\', name.len) != NULL) {
        TACHO_TRY(tacho_mlir_unquote(p, name, &p->scratch, &name));
    } else {
        name = tacho_str_make(name.data + 1, name.len - 2);
    }
    tacho_status status = tacho_mlir_open_op(p, name, first_result_name);
    tacho_arena_reset(&p->scratch);
    TACHO_TRY(status);
    tacho_mlir_top(p)->form = TACHO_MLIR_FORM_GENERIC;
    tacho_mlir_advance(p);
    return take_generic(p);
}

/* -- Modules and functions -- */

static tacho_status take_symbol_name(tacho_mlir_parser *p)
{
    tacho_str name;
    if (p->token.kind != TACHO_MLIR_TOKEN_SYMBOL) {
        return tacho_mlir_fail(p, "a symbol");
    }
    TACHO_TRY(tacho_mlir_symbol_name(p, tacho_mlir_token_text(p), &p->scratch, &name));
    tacho_status status = tacho_mlir_add_string(p, TACHO_STR("sym_name"), name);
    tacho_arena_reset(&p->scratch);
    tacho_mlir_advance(p);
    return status;
}

static tacho_status start_module(tacho_mlir_parser *p)
{
    tacho_mlir_top(p)->form = TACHO_MLIR_FORM_MODULE;
    if (p->token.kind == TACHO_MLIR_TOKEN_SYMBOL) {
        TACHO_TRY(take_symbol_name(p));
    }
    if (tacho_mlir_take_word(p, "attributes")) {
        TACHO_TRY(tacho_mlir_take_dict(p));
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, '{', "'{' and the body of the module"));
    return tacho_mlir_open_region(p);
}

static tacho_status build_types(tacho_mlir_parser *p, tacho_text *out, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        TACHO_TRY(tacho_text_put(out, i > first ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_text_put(out, tacho_mlir_module_string(p->module, p->types[i])));
    }
    return TACHO_OK;
}

/* "(i32) -> i64" from the types on the stack: those of arguments, then those of results. */
static tacho_status build_function_type(tacho_mlir_parser *p, tacho_text *out, size_t first_result)
{
    size_t first = tacho_mlir_top(p)->first_type;
    bool is_single = p->type_count == first_result + 1 &&
                     tacho_mlir_module_string(p->module, p->types[first_result]).data[0] != '(';
    TACHO_TRY(tacho_text_put(out, TACHO_STR("(")));
    TACHO_TRY(build_types(p, out, first, first_result));
    TACHO_TRY(tacho_text_put(out, is_single ? TACHO_STR(") -> ") : TACHO_STR(") -> (")));
    TACHO_TRY(build_types(p, out, first_result, p->type_count));
    return tacho_text_put(out, is_single ? TACHO_STR("") : TACHO_STR(")"));
}

/* "[{}, {a = 1}]" from the dictionaries of arguments or results. */
static tacho_status build_dicts(tacho_mlir_parser *p, tacho_text *out, size_t first, size_t end)
{
    TACHO_TRY(tacho_text_put(out, TACHO_STR("[")));
    for (size_t i = first; i < end; i++) {
        tacho_str text = TACHO_STR("{}");
        if (p->dicts[i].end > 0) {
            TACHO_TRY(tacho_mlir_expand(p, p->dicts[i], &text));
        }
        TACHO_TRY(tacho_text_put(out, i > first ? TACHO_STR(", ") : TACHO_STR("")));
        TACHO_TRY(tacho_text_put(out, text));
    }
    return tacho_text_put(out, TACHO_STR("]"));
}

static tacho_status add_dicts(tacho_mlir_parser *p, tacho_str name, size_t first, size_t end)
{
    bool has_any = false;
    for (size_t i = first; i < end; i++) {
        has_any = has_any || p->dicts[i].end > 0;
    }
    tacho_text out = {0};
    tacho_status status = has_any ? build_dicts(p, &out, first, end) : TACHO_OK;
    if (has_any && status == TACHO_OK) {
        status = tacho_mlir_add_attr(p, name, tacho_text_take(&out));
    }
    tacho_text_deinit(&out);
    return status;
}

static tacho_status add_function_type(tacho_mlir_parser *p, size_t first_result)
{
    tacho_text out = {0};
    tacho_status status = build_function_type(p, &out, first_result);
    if (status == TACHO_OK) {
        status = tacho_mlir_add_attr(p, TACHO_STR("function_type"), tacho_text_take(&out));
    }
    tacho_text_deinit(&out);
    return status;
}

/* A type with perhaps attributes and a location, of an argument or a result. */
static tacho_status take_signature_type(tacho_mlir_parser *p, bool may_have_dict,
                                        uint32_t *out_type)
{
    tacho_mlir_span dict = {0};
    TACHO_TRY(tacho_mlir_take_type(p, out_type));
    TACHO_TRY(tacho_mlir_push_type(p, *out_type));
    if (may_have_dict && tacho_mlir_at_mark(p, '{')) {
        TACHO_TRY(tacho_mlir_scan_group(p, p->token.start, &dict));
        tacho_mlir_seek(p, dict.end);
    }
    TACHO_TRY(tacho_grow(&p->dicts, &p->dict_capacity, p->dict_count + 1));
    p->dicts[p->dict_count++] = dict;
    return tacho_mlir_skip_location(p);
}

static tacho_status take_argument(tacho_mlir_parser *p)
{
    tacho_str name = TACHO_STR("");
    uint32_t type = 0;
    if (p->token.kind == TACHO_MLIR_TOKEN_VALUE) {
        name = tacho_mlir_token_text(p);
        tacho_mlir_advance(p);
        TACHO_TRY(tacho_mlir_expect_mark(p, ':', "':' and the type of the argument"));
    }
    TACHO_TRY(take_signature_type(p, true, &type));
    return tacho_mlir_push_argument(p, name, type);
}

static tacho_status take_results(tacho_mlir_parser *p)
{
    uint32_t type = 0;
    if (p->token.kind != TACHO_MLIR_TOKEN_ARROW) {
        return TACHO_OK;
    }
    tacho_mlir_advance(p);
    if (!tacho_mlir_at_mark(p, '(') || tacho_mlir_at_function_type(p)) {
        return take_signature_type(p, false, &type);
    }
    tacho_mlir_advance(p);
    if (tacho_mlir_take_mark(p, ')')) {
        return TACHO_OK;
    }
    do {
        TACHO_TRY(take_signature_type(p, true, &type));
    } while (tacho_mlir_take_mark(p, ','));
    return tacho_mlir_expect_mark(p, ')', "',' or ')' after a result");
}

static tacho_status take_signature(tacho_mlir_parser *p)
{
    p->dict_count = 0;
    TACHO_TRY(tacho_mlir_expect_mark(p, '(', "'(' and arguments"));
    if (!tacho_mlir_at_mark(p, ')')) {
        do {
            TACHO_TRY(take_argument(p));
        } while (tacho_mlir_take_mark(p, ','));
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, ')', "',' or ')' after an argument"));
    size_t first_result = p->type_count;
    size_t argument_count = p->dict_count;
    TACHO_TRY(take_results(p));
    TACHO_TRY(add_function_type(p, first_result));
    TACHO_TRY(add_dicts(p, TACHO_STR("arg_attrs"), 0, argument_count));
    TACHO_TRY(add_dicts(p, TACHO_STR("res_attrs"), argument_count, p->dict_count));
    p->type_count = tacho_mlir_top(p)->first_type;
    return TACHO_OK;
}

static tacho_status start_function(tacho_mlir_parser *p)
{
    tacho_mlir_top(p)->form = TACHO_MLIR_FORM_REGIONS;
    if (p->token.kind == TACHO_MLIR_TOKEN_WORD) {
        TACHO_TRY(tacho_mlir_add_string(p, TACHO_STR("sym_visibility"), tacho_mlir_token_text(p)));
        tacho_mlir_advance(p);
    }
    TACHO_TRY(take_symbol_name(p));
    TACHO_TRY(take_signature(p));
    if (tacho_mlir_take_word(p, "attributes")) {
        TACHO_TRY(tacho_mlir_take_dict(p));
    }
    if (tacho_mlir_take_mark(p, '{')) {
        return tacho_mlir_open_region(p);
    }
    /* A declaration: it has its region, without a block. */
    p->argument_count = tacho_mlir_top(p)->first_argument;
    TACHO_TRY(tacho_mlir_open_region(p));
    tacho_mlir_close_region(p);
    return tacho_mlir_close_op(p);
}

/* -- The loop -- */

/* The name with the dialect that the text may leave out. */
static tacho_str full_name(tacho_str word)
{
    static const struct {
        tacho_str word;
        tacho_str name;
    } names[] = {
        {TACHO_STR_INIT("call"), TACHO_STR_INIT("func.call")},
        {TACHO_STR_INIT("call_indirect"), TACHO_STR_INIT("func.call_indirect")},
        {TACHO_STR_INIT("module"), TACHO_STR_INIT("builtin.module")},
        {TACHO_STR_INIT("return"), TACHO_STR_INIT("func.return")},
        {TACHO_STR_INIT("unrealized_conversion_cast"),
         TACHO_STR_INIT("builtin.unrealized_conversion_cast")},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (tacho_str_equal(word, names[i].word)) {
            return names[i].name;
        }
    }
    return word;
}

static tacho_status start_custom(tacho_mlir_parser *p, size_t first_result_name)
{
    tacho_str name = full_name(tacho_mlir_token_text(p));
    TACHO_TRY(tacho_mlir_open_op(p, name, first_result_name));
    tacho_mlir_advance(p);
    if (tacho_str_equal(name, TACHO_STR("builtin.module"))) {
        return start_module(p);
    }
    if (tacho_str_equal(name, TACHO_STR("func.func"))) {
        return start_function(p);
    }
    bool is_done = false;
    TACHO_TRY(tacho_mlir_try_format(p, &is_done));
    return is_done ? TACHO_OK : tacho_mlir_run_tolerant(p);
}

/* %a or %a:2. */
static tacho_status take_result_name(tacho_mlir_parser *p)
{
    tacho_mlir_result_name name = {0, 1};
    tacho_str text = tacho_mlir_token_text(p);
    if (p->token.kind != TACHO_MLIR_TOKEN_VALUE || memchr(text.data, '#', text.len) != NULL) {
        return tacho_mlir_fail(p, "the name of a result");
    }
    TACHO_TRY(tacho_mlir_name_id(p, tacho_str_from(text, 1), &name.name_id));
    tacho_mlir_advance(p);
    if (tacho_mlir_take_mark(p, ':')) {
        uint64_t count = 0;
        bool is_number = p->token.kind == TACHO_MLIR_TOKEN_NUMBER &&
                         tacho_str_parse_u64(tacho_mlir_token_text(p), &count);
        if (!is_number || count == 0 || count >= UINT32_MAX) {
            return tacho_mlir_fail(p, "a number of results");
        }
        name.count = (uint32_t)count;
        tacho_mlir_advance(p);
    }
    TACHO_TRY(
        tacho_mlir_grow(&p->result_names, &p->result_name_capacity, p->result_name_count + 1));
    p->result_names[p->result_name_count++] = name;
    return TACHO_OK;
}

static bool is_implicit(const tacho_mlir_parser *p)
{
    return p->frame_count == 1 && tacho_mlir_top(p)->form == TACHO_MLIR_FORM_IMPLICIT;
}

/* Whether only the implicit module, if any, is around the next operation. */
static bool is_outside(const tacho_mlir_parser *p)
{
    return p->frame_count == 0 || is_implicit(p);
}

static tacho_status start_op(tacho_mlir_parser *p)
{
    size_t first_result_name = p->result_name_count;
    if (p->frame_count > 0 && tacho_mlir_top(p)->block == TACHO_NONE) {
        TACHO_TRY(tacho_mlir_open_block(p));
    }
    if (p->token.kind == TACHO_MLIR_TOKEN_VALUE) {
        do {
            TACHO_TRY(take_result_name(p));
        } while (tacho_mlir_take_mark(p, ','));
        TACHO_TRY(tacho_mlir_expect_mark(p, '=', "'=' and an operation"));
    }
    if (p->token.kind == TACHO_MLIR_TOKEN_STRING) {
        return start_generic(p, first_result_name);
    }
    bool is_op = p->token.kind == TACHO_MLIR_TOKEN_WORD;
    if (is_op && is_outside(p)) {
        is_op = tacho_mlir_at_op(p); /* not any word, or any text would do */
    }
    return is_op ? start_custom(p, first_result_name) : tacho_mlir_fail(p, "an operation");
}

/* ^bb0(%a: t loc(...)):. */
static tacho_status take_label(tacho_mlir_parser *p)
{
    tacho_mlir_advance(p);
    if (tacho_mlir_take_mark(p, '(') && !tacho_mlir_take_mark(p, ')')) {
        do {
            uint32_t type = 0;
            tacho_str name = tacho_mlir_token_text(p);
            if (p->token.kind != TACHO_MLIR_TOKEN_VALUE) {
                return tacho_mlir_fail(p, "an argument of the block");
            }
            tacho_mlir_advance(p);
            TACHO_TRY(tacho_mlir_expect_mark(p, ':', "':' and the type of the argument"));
            TACHO_TRY(tacho_mlir_take_type(p, &type));
            TACHO_TRY(tacho_mlir_skip_location(p));
            TACHO_TRY(tacho_mlir_push_argument(p, name, type));
        } while (tacho_mlir_take_mark(p, ','));
        TACHO_TRY(tacho_mlir_expect_mark(p, ')', "',' or ')' after an argument"));
    }
    TACHO_TRY(tacho_mlir_expect_mark(p, ':', "':' after the name of a block"));
    return tacho_mlir_open_block(p);
}

static tacho_status end_region(tacho_mlir_parser *p)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    bool is_module =
        frame->form == TACHO_MLIR_FORM_MODULE || frame->form == TACHO_MLIR_FORM_IMPLICIT;
    if (is_module && frame->block == TACHO_NONE) {
        TACHO_TRY(tacho_mlir_open_block(p));
    }
    tacho_mlir_close_region(p);
    switch (frame->form) {
    case TACHO_MLIR_FORM_GENERIC:
        return resume_generic(p);
    case TACHO_MLIR_FORM_REGIONS:
        return tacho_mlir_resume_regions(p);
    case TACHO_MLIR_FORM_TOLERANT:
        return tacho_mlir_run_tolerant(p);
    case TACHO_MLIR_FORM_MODULE:
    case TACHO_MLIR_FORM_IMPLICIT:
        break;
    }
    return tacho_mlir_close_op(p);
}

/* Puts a module around operations that have none. */
static tacho_status open_implicit_module(tacho_mlir_parser *p)
{
    bool is_module = tacho_mlir_at_word(p, "module") || tacho_mlir_at_word(p, "builtin.module") ||
                     tacho_str_equal(tacho_mlir_token_text(p), TACHO_STR("\"builtin.module\""));
    if (is_module) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_open_op(p, TACHO_STR("builtin.module"), 0));
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    frame->form = TACHO_MLIR_FORM_IMPLICIT;
    frame->line = 0;
    frame->column = 0;
    return tacho_mlir_open_region(p);
}

/* Ends the operations around the last function where the text was cut after it. */
static tacho_status close_all(tacho_mlir_parser *p)
{
    while (p->frame_count > 0) {
        const tacho_mlir_frame *frame = tacho_mlir_top(p);
        tacho_mlir_close_region(p);
        p->result_name_count = frame->first_result_name;
        p->type_count = frame->first_type;
        TACHO_TRY(tacho_mlir_close_op(p));
    }
    return TACHO_OK;
}

static tacho_status run_loop(tacho_mlir_parser *p)
{
    while (p->token.kind != TACHO_MLIR_TOKEN_END) {
        bool is_inside = !is_outside(p);
        if (!is_inside && tacho_mlir_at_alias(p)) {
            TACHO_TRY(tacho_mlir_take_alias(p));
        } else if (p->module->op_count == 0) {
            TACHO_TRY(open_implicit_module(p));
            TACHO_TRY(start_op(p));
        } else if (is_inside && tacho_mlir_at_mark(p, '}')) {
            tacho_mlir_advance(p);
            TACHO_TRY(end_region(p));
        } else if (is_inside && p->token.kind == TACHO_MLIR_TOKEN_BLOCK) {
            TACHO_TRY(take_label(p));
        } else {
            TACHO_TRY(start_op(p));
        }
    }
    if (p->module->op_count == 0) {
        TACHO_TRY(open_implicit_module(p));
    }
    if (p->is_cut) {
        TACHO_TRY(close_all(p));
    }
    if (is_implicit(p)) {
        TACHO_TRY(end_region(p));
    }
    return p->frame_count == 0 ? TACHO_OK : tacho_mlir_fail(p, "'}' after the region");
}

/* The name as locations have it. */
static tacho_status quote_name(tacho_mlir_parser *p)
{
    tacho_mlir_location_node node = {.kind = TACHO_MLIR_LOCATION_FILE,
                                     .text = tacho_str_from_cstring(p->name),
                                     .subtree_end = 1};
    tacho_mlir_location location = {&node, 1};
    TACHO_TRY(tacho_mlir_location_print(&location, &p->module->arena, &p->module->own_name));
    p->module->own_name.len -= sizeof(":0:0") - 1;
    return TACHO_OK;
}

static tacho_status init_parser(tacho_mlir_parser *p)
{
    TACHO_TRY(tacho_strings_init(&p->alias_names));
    TACHO_TRY(tacho_strings_init(&p->location_texts));
    TACHO_TRY(tacho_strings_init(&p->names));
    TACHO_TRY(tacho_grow(&p->location_ids, &p->location_id_capacity, 1));
    p->location_ids[0] = 0;
    TACHO_TRY(tacho_mlir_aliases_init(&p->locations));
    return quote_name(p);
}

static void deinit_parser(tacho_mlir_parser *p)
{
    tacho_arena_deinit(&p->scratch);
    tacho_strings_deinit(&p->alias_names);
    tacho_strings_deinit(&p->location_texts);
    tacho_strings_deinit(&p->names);
    tacho_mlir_aliases_deinit(&p->locations);
    free(p->brackets);
    free(p->buffer);
    free(p->expansions);
    free(p->aliases);
    free(p->location_ids);
    free(p->bindings);
    free(p->forwards);
    free(p->undos);
    free(p->drafts);
    free(p->regions);
    free(p->blocks);
    free(p->frames);
    free(p->result_names);
    free(p->operands);
    free(p->attrs);
    free(p->types);
    free(p->arguments);
    free(p->dicts);
}

enum { OP_BYTES = 128 }; /* of most operations */

static tacho_status run_parser(tacho_mlir_parser *p)
{
    if (p->text.len >= UINT32_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "%s: expected less than 4 GiB of MLIR text, found %zu",
                          p->name, p->text.len);
    }
    TACHO_TRY(init_parser(p));
    TACHO_TRY(tacho_mlir_module_reserve(p->module, p->text.len / OP_BYTES));
    TACHO_TRY(tacho_mlir_find_aliases(p));
    tacho_mlir_advance(p);
    TACHO_TRY(run_loop(p));
    return tacho_mlir_number(p);
}

static tacho_mlir_parser make_parser(const char *name, tacho_str text, tacho_mlir_module *module)
{
    tacho_mlir_parser p = {.name = name,
                           .text = text.len > 0 ? text : TACHO_STR(""),
                           .module = module,
                           .line = 1,
                           .top_last_op = TACHO_NONE};
    assert(module->op_count == 0);
    p.lexer.text = p.text;
    tacho_arena_init(&p.scratch);
    return p;
}

tacho_status tacho_mlir_text_read(const char *name, tacho_str text, tacho_mlir_module *out_module)
{
    tacho_mlir_parser p = make_parser(name, text, out_module);
    tacho_status status = run_parser(&p);
    deinit_parser(&p);
    return status;
}

/* Reads up to |end|; aliases are looked up after it, too. */
static tacho_status read_up_to(const char *name, tacho_str text, size_t end,
                               tacho_mlir_module *module)
{
    tacho_mlir_module_deinit(module);
    TACHO_TRY(tacho_mlir_module_init(module));
    tacho_mlir_parser p = make_parser(name, text, module);
    p.is_lenient = true;
    p.is_cut = true;
    p.lexer.text.len = end;
    tacho_status status = run_parser(&p);
    deinit_parser(&p);
    tacho_status_free(p.trouble);
    return status;
}

tacho_status tacho_mlir_text_read_lenient(const char *name, tacho_str text,
                                          tacho_mlir_module *out_module)
{
    tacho_mlir_parser p = make_parser(name, text, out_module);
    p.is_lenient = true;
    tacho_status status = run_parser(&p);
    deinit_parser(&p);
    tacho_status damage = p.trouble;
    if (tacho_status_code(status) == TACHO_CODE_BAD_DATA && p.whole_end > 0) {
        tacho_status_free(damage);
        damage = status;
        status = read_up_to(name, text, p.whole_end, out_module);
    }
    if (status == TACHO_OK && damage != TACHO_OK) {
        tacho_str message = tacho_str_from_cstring(tacho_status_message(damage));
        status = tacho_arena_copy(&out_module->arena, message, &out_module->damage);
    }
    tacho_status_free(damage);
    return status;
}
