/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Custom forms, one line each: the text, piece by piece.
 *
 *     o  o*      an operand; operands with commas, perhaps none
 *     t  t*      a type that is known from elsewhere; types
 *     r  r*      the type of a result; types
 *     f          (types) -> types of results
 *     d          a dictionary of attributes, perhaps none
 *     R          regions with commas, perhaps none; always last
 *     S=x I=x    a string, an integer: attribute x
 *     A=x T=x    any attribute, a type: attribute x
 *     Y=x N=x    a symbol: attribute x, a symbol or a string
 *     U=x:y      perhaps the word x: attribute y
 *     L=x        [1, %a]: integers of attribute x, operands where those are not constant
 *     V          a typed attribute: attribute "value", and the type of the result
 *     X          the rest, up to the bracket that closes '{'
 *     'word      that word
 *     /2         operands from here on belong to segment 2 of the generic form
 *     (? ... ?)  perhaps all that, if the first piece is there
 *
 * Anything else stands for itself. A text that does not follow its line is read tolerantly.
 */
#include "codec/mlir_text_parser.h"

typedef struct op_format {
    const char *name;
    const char *pieces;
    uint32_t segment_count; /* for operandSegmentSizes; 0 for none */
} op_format;

#define COPY "/1 o : t 'to /0 o : t d"
#define CONFIGURE "'from o : t 'to o : t d"
#define INVOCATION "S=name 'program ( o : t ) (? 'on I=executor_id ?) d : r*"
#define START                                                                                      \
    "o : t (? 'code ( /1 o* : t* ) ?) (? 'args ( /2 o* : t* ) ?) (? 'code ( /1 o* : t* ) ?) d"
#define SLICE_TASK                                                                                 \
    "{ 'op : S=op_name (? 'D /0 o* : t* ?) (? 'W /1 o* : t* ?) (? 'B /2 o* : t* ?) "               \
    "(? 'Q /3 o* : t* ?) (? 'DX /4 o* : t* ?) (? 'BX /5 o* : t* ?) (? 'SYMBOLS /6 o* ?) d X"
#define SLICE_PROFILING                                                                            \
    "d 'memory : I=slice_mem 'bytes 'memory_info : S=slice_meminfo 'max_cycle : I=max_cycle "      \
    "'ndl_cycles : A=slice_ndl_cycles"
#define GLOBAL                                                                                     \
    "(? S=sym_visibility ?) U=constant:constant N=sym_name : T=type "                              \
    "(? = U=uninitialized:initial_value (? A=initial_value ?) ?) d"
#define SUBVIEW "o /1 L=static_offsets /2 L=static_sizes /3 L=static_strides d : t 'to r"

static const op_format formats[] = {
    {"arith.constant", "d V", 0},
    {"func.call", "Y=callee ( o* ) d : f", 0},
    {"func.return", "d o* (? : t* ?)", 0},
    {"memref.alloc", "( o* ) (? [ /1 o* ] ?) d : r", 2},
    {"memref.alloca", "( o* ) (? [ /1 o* ] ?) d : r", 2},
    {"memref.cast", "o d : t 'to r", 0},
    {"memref.dealloc", "o d : t", 0},
    {"memref.get_global", "Y=name d : r", 0},
    {"memref.global", GLOBAL, 0},
    {"memref.subview", SUBVIEW, 4},
    {"tensor.extract_slice", SUBVIEW, 4},
    {"torch.vtensor.literal", "( A=value ) d : r", 0},
    {"torq_hl.call_program", "o 'inits ( /1 o* ) 'inputs ( /2 o* ) d : f", 3},
    {"torq_hl.convert", "'out ( o : t ) 'in ( o : t ) d (? -> r ?)", 0},
    {"torq_hl.create_invocation", INVOCATION, 0},
    {"torq_hl.descriptor", INVOCATION, 0},
    {"torq_hl.host_copy", COPY, 0},
    {"torq_hl.load", COPY, 0},
    {"torq_hl.next", "o* (? : t* ?) d", 0},
    {"torq_hl.program", "S=name d : r R", 0},
    {"torq_hl.return", "o* (? : t* ?) d", 0},
    {"torq_hl.start_program", START, 3},
    {"torq_hl.store", COPY, 0},
    {"torq_hl.wait_program", "o : t d (? : r* ?)", 0},
    {"torq_hw.cdma_start", "'from /1 o : t 'to /0 o : t d", 0},
    {"torq_hw.cdma_wait", "d", 0},
    {"torq_hw.css_start", "o : t 'program o ( o = o* ) d : t*", 0},
    {"torq_hw.css_wait", "d", 0},
    {"torq_hw.dispatch_profiling", "d 'memory : I=total_mem 'bytes 'total_cycle : I=total_cycle",
     0},
    {"torq_hw.dma_in_cfg", CONFIGURE, 0},
    {"torq_hw.dma_in_start", "d", 0},
    {"torq_hw.dma_in_wait", "d", 0},
    {"torq_hw.dma_out_cfg", CONFIGURE, 0},
    {"torq_hw.dma_out_start", "d", 0},
    {"torq_hw.dma_out_wait", "d", 0},
    {"torq_hw.nss_task", "d ( ) R", 0},
    {"torq_hw.slice_profiling", SLICE_PROFILING, 0},
    {"torq_hw.slice_program", "d ( ) R", 0},
    {"torq_hw.slice_task", SLICE_TASK, 7},
    {"tosa.variable_read", "Y=name d : r", 0},
    {"tosa.variable_write", "Y=name , o d : t", 0},
};

static const op_format *find_format(tacho_str name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(formats[i].name))) {
            return &formats[i];
        }
    }
    return NULL;
}

typedef struct format_state {
    tacho_str rest;     /* of the pieces */
    uint32_t segment;   /* of the next operand */
    size_t brace_start; /* of the last '{' */
    bool has_region;    /* one has been opened: done */
} format_state;

static tacho_str next_piece(tacho_str *rest)
{
    size_t len = tacho_str_find_byte(*rest, ' ');
    tacho_str piece = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len < rest->len ? len + 1 : len);
    return piece;
}

static bool starts_type(const tacho_mlir_parser *p)
{
    return p->token.kind == TACHO_MLIR_TOKEN_WORD || p->token.kind == TACHO_MLIR_TOKEN_BANG ||
           tacho_mlir_at_mark(p, '(');
}

/* Whether |piece| may start here; asked of the first of an optional group. */
static bool may_start(const tacho_mlir_parser *p, tacho_str piece)
{
    switch (piece.data[0]) {
    case 'S':
        return p->token.kind == TACHO_MLIR_TOKEN_STRING;
    case 'A':
        return !p->token.after_newline && !tacho_mlir_at_location(p) && !tacho_mlir_at_mark(p, '{');
    case '\'':
        return p->token.kind == TACHO_MLIR_TOKEN_WORD &&
               tacho_str_equal(tacho_mlir_token_text(p), tacho_str_from(piece, 1));
    case '-':
        return p->token.kind == TACHO_MLIR_TOKEN_ARROW;
    default:
        return tacho_mlir_at_mark(p, piece.data[0]);
    }
}

/* A whole number without its type, which some custom forms leave out and some do not. */
static tacho_status take_int(tacho_mlir_parser *p, tacho_str name)
{
    size_t start = p->token.start;
    (void)tacho_mlir_take_mark(p, '-');
    if (p->token.kind != TACHO_MLIR_TOKEN_NUMBER) {
        return tacho_mlir_fail(p, "an integer");
    }
    TACHO_TRY(tacho_mlir_add_attr(p, name, tacho_mlir_between(p, start, p->token.end)));
    tacho_mlir_advance(p);
    tacho_mlir_token type = tacho_mlir_peek(p);
    tacho_str word = tacho_mlir_between(p, type.start, type.end);
    if (tacho_mlir_at_mark(p, ':') && type.kind == TACHO_MLIR_TOKEN_WORD &&
        (tacho_str_equal(word, TACHO_STR("index")) || word.data[0] == 'i')) {
        tacho_mlir_seek(p, type.end);
    }
    return TACHO_OK;
}

static tacho_status take_symbol(tacho_mlir_parser *p, tacho_str name, bool as_string)
{
    if (p->token.kind != TACHO_MLIR_TOKEN_SYMBOL) {
        return tacho_mlir_fail(p, "a symbol");
    }
    if (!as_string) {
        /* Without what follows: a ':' may belong to the operation. */
        TACHO_TRY(tacho_mlir_add_attr(p, name, tacho_mlir_token_text(p)));
        tacho_mlir_advance(p);
        return TACHO_OK;
    }
    tacho_str symbol;
    TACHO_TRY(tacho_mlir_symbol_name(p, tacho_mlir_token_text(p), &p->module->arena, &symbol));
    TACHO_TRY(tacho_mlir_add_string(p, name, symbol));
    tacho_mlir_advance(p);
    return TACHO_OK;
}

static tacho_status take_type_attr(tacho_mlir_parser *p, tacho_str name)
{
    uint32_t type = 0;
    TACHO_TRY(tacho_mlir_take_type(p, &type));
    return tacho_mlir_add_attr(p, name, tacho_mlir_module_string(p->module, type));
}

/* A typed attribute. Truth values have no type in the text. */
static tacho_status take_typed_value(tacho_mlir_parser *p)
{
    tacho_mlir_span span;
    uint32_t type = 0;
    TACHO_TRY(tacho_mlir_scan_attr(p, p->token.start, &span));
    TACHO_TRY(tacho_mlir_take_attr(p, TACHO_STR("value")));
    if (span.type_start == 0) {
        bool is_bool = p->attrs[p->attr_count - 1].kind == TACHO_MLIR_ATTR_BOOL;
        tacho_str text = is_bool ? TACHO_STR("i1") : TACHO_STR("i64");
        TACHO_TRY(tacho_strings_ensure(&p->module->strings, text, &type));
    } else {
        tacho_mlir_seek(p, span.type_start);
        TACHO_TRY(tacho_mlir_take_type(p, &type));
    }
    return tacho_mlir_push_type(p, type);
}

/* [1, %a, ?]: an operand becomes the least integer in the attribute. */
static tacho_status take_mixed_list(tacho_mlir_parser *p, tacho_str name, uint32_t segment)
{
    enum { RANK_MAX = 64 };
    int64_t ints[RANK_MAX];
    size_t count = 0;
    TACHO_TRY(tacho_mlir_expect_mark(p, '[', "'['"));
    while (!tacho_mlir_take_mark(p, ']')) {
        if (count == RANK_MAX) {
            return tacho_mlir_fail(p, "']' after at most 64 integers");
        }
        ints[count] = INT64_MIN;
        if (p->token.kind == TACHO_MLIR_TOKEN_VALUE) {
            TACHO_TRY(tacho_mlir_take_operand(p, segment));
        } else {
            TACHO_TRY(take_int(p, name));
            ints[count] = p->attrs[--p->attr_count].as_int;
        }
        count++;
        if (!tacho_mlir_take_mark(p, ',') && !tacho_mlir_at_mark(p, ']')) {
            return tacho_mlir_fail(p, "',' or ']'");
        }
    }
    return tacho_mlir_add_ints(p, name, ints, count);
}

static tacho_status take_unit(tacho_mlir_parser *p, tacho_str names)
{
    size_t colon = tacho_str_find_byte(names, ':');
    tacho_str word = tacho_str_make(names.data, colon);
    if (p->token.kind != TACHO_MLIR_TOKEN_WORD ||
        !tacho_str_equal(tacho_mlir_token_text(p), word)) {
        return TACHO_OK;
    }
    tacho_mlir_advance(p);
    return tacho_mlir_add_attr(p, tacho_str_from(names, colon + 1), TACHO_STR("unit"));
}

/* A piece of the kind "S=name". */
static tacho_status take_named(tacho_mlir_parser *p, const format_state *state, tacho_str piece)
{
    tacho_str name = tacho_str_from(piece, 2);
    switch (piece.data[0]) {
    case 'S':
        if (p->token.kind != TACHO_MLIR_TOKEN_STRING) {
            return tacho_mlir_fail(p, "a string");
        }
        TACHO_TRY(tacho_mlir_add_attr(p, name, tacho_mlir_token_text(p)));
        tacho_mlir_advance(p);
        return TACHO_OK;
    case 'I':
        return take_int(p, name);
    case 'T':
        return take_type_attr(p, name);
    case 'Y':
    case 'N':
        return take_symbol(p, name, piece.data[0] == 'N');
    case 'U':
        return take_unit(p, name);
    case 'L':
        return take_mixed_list(p, name, state->segment);
    default:
        return tacho_mlir_take_attr(p, name);
    }
}

static tacho_status take_some_types(tacho_mlir_parser *p, bool is_list, bool keep)
{
    if (is_list && !starts_type(p)) {
        return TACHO_OK;
    }
    if (is_list) {
        return tacho_mlir_take_types(p, keep);
    }
    uint32_t type = 0;
    TACHO_TRY(tacho_mlir_take_type(p, &type));
    return keep ? tacho_mlir_push_type(p, type) : TACHO_OK;
}

/* A literal piece. */
static tacho_status take_literal(tacho_mlir_parser *p, format_state *state, tacho_str piece)
{
    if (!may_start(p, piece)) {
        return tacho_mlir_fail(p, "the custom form of the operation");
    }
    if (piece.data[0] == '{') {
        state->brace_start = p->token.start;
    }
    tacho_mlir_advance(p);
    return TACHO_OK;
}

static tacho_status take_rest(tacho_mlir_parser *p, const format_state *state)
{
    tacho_mlir_span span;
    TACHO_TRY(tacho_mlir_scan_group(p, state->brace_start, &span));
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}

static tacho_status open_first_region(tacho_mlir_parser *p, format_state *state)
{
    if (!tacho_mlir_take_mark(p, '{')) {
        return TACHO_OK;
    }
    tacho_mlir_top(p)->form = TACHO_MLIR_FORM_REGIONS;
    state->has_region = true;
    return tacho_mlir_open_region(p);
}

static tacho_status take_piece(tacho_mlir_parser *p, format_state *state, tacho_str piece)
{
    bool is_list = piece.len > 1 && piece.data[1] == '*';
    if (piece.len > 1 && piece.data[1] == '=') {
        return take_named(p, state, piece);
    }
    switch (piece.data[0]) {
    case 'o':
        return is_list ? tacho_mlir_take_operands(p, state->segment)
                       : tacho_mlir_take_operand(p, state->segment);
    case 't':
    case 'r':
        return take_some_types(p, is_list, piece.data[0] == 'r');
    case 'f':
        return tacho_mlir_take_function_type(p);
    case 'd':
        return tacho_mlir_at_mark(p, '{') && tacho_mlir_at_dict(p) ? tacho_mlir_take_dict(p)
                                                                   : TACHO_OK;
    case 'R':
        return open_first_region(p, state);
    case 'V':
        return take_typed_value(p);
    case 'X':
        return take_rest(p, state);
    case '/':
        state->segment = (uint32_t)(piece.data[1] - '0');
        return TACHO_OK;
    default:
        return take_literal(p, state, piece);
    }
}

/* Leaves out an optional group whose first piece is not there; groups nest once. */
static void enter_group(const tacho_mlir_parser *p, format_state *state)
{
    tacho_str after = state->rest;
    tacho_str first = next_piece(&after);
    if (may_start(p, first)) {
        return;
    }
    for (int depth = 1; depth > 0;) {
        tacho_str piece = next_piece(&state->rest);
        depth += tacho_str_equal(piece, TACHO_STR("(?"));
        depth -= tacho_str_equal(piece, TACHO_STR("?)"));
    }
}

static tacho_status follow(tacho_mlir_parser *p, format_state *state)
{
    while (state->rest.len > 0) {
        tacho_str piece = next_piece(&state->rest);
        if (tacho_str_equal(piece, TACHO_STR("(?"))) {
            enter_group(p, state);
        } else if (!tacho_str_equal(piece, TACHO_STR("?)"))) {
            TACHO_TRY(take_piece(p, state, piece));
        }
    }
    bool has_ended = state->has_region || tacho_mlir_at_location(p) || tacho_mlir_at_op(p);
    return has_ended ? TACHO_OK : tacho_mlir_fail(p, "the end of the operation");
}

/* Whether as many types of results have been read as there are names for them. */
static bool has_all_types(const tacho_mlir_parser *p, const tacho_mlir_frame *frame)
{
    uint64_t count = 0;
    for (size_t i = frame->first_result_name; i < p->result_name_count; i++) {
        count += p->result_names[i].count;
    }
    return count == 0 || count == p->type_count - frame->first_type;
}

tacho_status tacho_mlir_try_format(tacho_mlir_parser *p, bool *out_done)
{
    tacho_mlir_frame *frame = tacho_mlir_top(p);
    const op_format *format = find_format(tacho_mlir_top_name(p));
    *out_done = false;
    if (format == NULL) {
        return TACHO_OK;
    }
    tacho_mlir_lexer lexer = p->lexer;
    tacho_mlir_token token = p->token;
    format_state state = {.rest = tacho_str_from_cstring(format->pieces)};
    p->is_trying = true;
    tacho_status status = follow(p, &state);
    p->is_trying = false;
    frame = tacho_mlir_top(p);
    *out_done = status == TACHO_OK && (state.has_region || has_all_types(p, frame));
    if (*out_done) {
        frame->segment_count = format->segment_count;
        return state.has_region ? TACHO_OK : tacho_mlir_close_op(p);
    }
    tacho_code code = tacho_status_code(status);
    if (code != TACHO_CODE_OK && code != TACHO_CODE_BAD_DATA) {
        return status;
    }
    tacho_status_free(status);
    p->operand_count = frame->first_operand;
    p->attr_count = frame->first_attr;
    p->type_count = frame->first_type;
    p->lexer = lexer;
    p->token = token;
    return TACHO_OK;
}

tacho_status tacho_mlir_resume_regions(tacho_mlir_parser *p)
{
    if (!tacho_mlir_at_mark(p, ',')) {
        return tacho_mlir_close_op(p);
    }
    tacho_mlir_advance(p);
    TACHO_TRY(tacho_mlir_expect_mark(p, '{', "'{' and another region"));
    return tacho_mlir_open_region(p);
}
