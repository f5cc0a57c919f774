/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the MLIR text reader; no other file includes this.
 *
 * - mlir_text.c: the loop over operations, generic forms, functions and modules
 * - mlir_text_format.c: custom forms that are described by a line each
 * - mlir_text_tolerant.c: unknown custom forms
 * - mlir_text_op.c: pieces of operations, and their end
 * - mlir_text_scan.c: extent and text of types and attributes
 * - mlir_text_alias.c: aliases and locations
 * - mlir_text_attr.c: the kind of an attribute
 * - mlir_text_names.c: the value of a name
 * - mlir_text_number.c: final numbers of values, blocks and regions
 *
 * An open operation has a frame. Its parts so far are on top of stacks that all frames share
 * (operands, attributes, ...), from the bottoms that the frame holds. Regions suspend their
 * operation: its frame records how to continue, so nothing recurses.
 */
#ifndef TACHO_CODEC_MLIR_TEXT_PARSER_H
#define TACHO_CODEC_MLIR_TEXT_PARSER_H

#include "base/grow.h"
#include "codec/mlir_lexer.h"
#include "codec/mlir_location.h"
#include "codec/mlir_module.h"
#include "codec/mlir_text.h"

/* tacho_grow, called only when out of room. */
#define tacho_mlir_grow(items, capacity, need)                                                     \
    (TACHO_LIKELY((need) <= *(capacity)) ? TACHO_OK : tacho_grow((items), (capacity), (need)))

/* A piece of the text; |is_plain| when MLIR would print it just so and no alias is in it. */
typedef struct tacho_mlir_span {
    size_t start;
    size_t end;
    bool is_plain;
    size_t type_start; /* of the type after an attribute's ':', or 0 */
} tacho_mlir_span;

typedef struct tacho_mlir_alias {
    tacho_mlir_span body;
    bool is_location; /* then |body| is the inside of loc(...) */
    bool is_open;     /* being expanded */
} tacho_mlir_alias;

/* A name of operations or attributes that was met before, and its text in the module. */
typedef struct tacho_mlir_known_name {
    tacho_str name;
    uint32_t id;
    tacho_str type; /* of the last operation so called, as the text has it; empty for none kept */
    bool has_result;
    uint32_t result_type;
} tacho_mlir_known_name;

enum { TACHO_MLIR_KNOWN_NAMES = 256 };

/* %name or %name:count before an operation. */
typedef struct tacho_mlir_result_name {
    uint32_t name_id;
    uint32_t count;
} tacho_mlir_result_name;

typedef struct tacho_mlir_operand {
    uint32_t value;
    uint32_t segment; /* sorts operands that the custom form has in another order */
} tacho_mlir_operand;

/* A block argument that a custom form lists before its region. */
typedef struct tacho_mlir_argument {
    uint32_t name_id; /* TACHO_NONE for none */
    uint32_t type;
} tacho_mlir_argument;

/* A value while parsing. One that is named before it is defined gets |forward| later. */
typedef struct tacho_mlir_draft {
    uint32_t type;
    uint32_t forward; /* the value it turned out to be, or TACHO_NONE */
    uint32_t number;  /* the final one */
    bool is_forward;  /* stands for a value not yet defined */
} tacho_mlir_draft;

/* The current meaning of a name. */
typedef struct tacho_mlir_binding {
    uint32_t value; /* the first of a pack; TACHO_NONE when unbound */
    uint32_t count;
    uint32_t scope;   /* number of the scope that bound it */
    uint32_t forward; /* index in |forwards|, newest first; TACHO_NONE when none waits */
} tacho_mlir_binding;

/* A use of a name in isolated scope |isolation|, waiting for the definition. */
typedef struct tacho_mlir_forward {
    uint32_t value;
    uint32_t isolation;
    uint32_t next;
} tacho_mlir_forward;

typedef struct tacho_mlir_undo {
    uint32_t name_id;
    uint32_t value;
    uint32_t count;
    uint32_t scope;
} tacho_mlir_undo;

typedef struct tacho_mlir_draft_region {
    uint32_t op;
    uint32_t block_count;
} tacho_mlir_draft_region;

typedef struct tacho_mlir_draft_block {
    uint32_t region;
    uint32_t first_argument;
    uint32_t argument_count;
    uint32_t first_op;
} tacho_mlir_draft_block;

typedef enum tacho_mlir_form {
    TACHO_MLIR_FORM_GENERIC,
    TACHO_MLIR_FORM_MODULE,   /* ends with its region */
    TACHO_MLIR_FORM_IMPLICIT, /* the module that the text does not mention */
    TACHO_MLIR_FORM_REGIONS,  /* more regions may follow, then it ends */
    TACHO_MLIR_FORM_TOLERANT, /* anything may follow */
} tacho_mlir_form;

typedef struct tacho_mlir_frame {
    uint32_t op;
    tacho_mlir_form form;
    size_t name_start; /* in the text */
    uint32_t line;     /* the same */
    uint32_t column;
    /* Bottoms of its part of the stacks. */
    size_t first_result_name;
    size_t first_operand;
    size_t first_attr;
    size_t first_type;
    size_t first_argument;
    uint32_t region_count;
    uint32_t segment_count; /* operandSegmentSizes of so many entries, 0 for none */

    /* The open region. */
    uint32_t region;
    uint32_t block; /* TACHO_NONE before the first */
    uint32_t last_op;
    uint32_t scope;     /* of the region around it */
    uint32_t isolation; /* likewise */
    uint32_t floor;     /* likewise */
    size_t first_undo;

    /* For tolerant forms: the parts seen so far. */
    bool has_symbol;
    bool has_string;
    bool makes_no_sense;
    bool after_comma;
    uint32_t depth;     /* of brackets */
    uint32_t last_type; /* in brackets */
} tacho_mlir_frame;

typedef struct tacho_mlir_parser {
    const char *name;
    tacho_str text;
    tacho_mlir_module *module;
    tacho_mlir_lexer lexer;
    tacho_mlir_token token; /* the next one */
    tacho_arena scratch;
    bool is_trying; /* failures are thrown away, so they need no place */

    /* Of a lenient reader. */
    bool is_lenient;
    bool is_cut;          /* open operations are closed at the end of the text */
    size_t whole_end;     /* where the last function ends, 0 for none */
    tacho_status trouble; /* the first problem passed over, or TACHO_OK */

    /* Lines up to byte |line_at| have been counted. */
    size_t line_at;
    size_t line_start;
    uint32_t line;

    char *brackets; /* missing closing ones */
    size_t bracket_count, bracket_capacity;
    char *buffer; /* a text with aliases replaced */
    size_t buffer_len, buffer_capacity;
    uint64_t expanded_bytes; /* in all */
    struct tacho_mlir_expansion *expansions;
    size_t expansion_count, expansion_capacity;

    tacho_mlir_known_name known_names[TACHO_MLIR_KNOWN_NAMES]; /* a cache: some, by their bytes */

    tacho_strings alias_names;
    tacho_mlir_alias *aliases; /* by name id */
    size_t alias_capacity;
    tacho_mlir_aliases locations;
    tacho_strings location_texts; /* as written; their meaning is in |location_ids| */
    uint32_t *location_ids;
    size_t location_id_capacity;
    uint64_t location_bytes; /* printed */
    tacho_str last_location; /* the last loc(...) in the text, with its brackets */
    uint32_t last_location_id;

    tacho_strings names; /* of values, without '%' */
    tacho_mlir_binding *bindings;
    size_t binding_count, binding_capacity;
    tacho_mlir_forward *forwards;
    size_t forward_count, forward_capacity;
    tacho_mlir_undo *undos;
    size_t undo_count, undo_capacity;
    uint32_t scope;     /* counts regions; larger for inner ones */
    uint32_t isolation; /* scope of the nearest isolated region */
    uint32_t floor;     /* names bound in scopes below are not seen */
    uint32_t scope_count;
    bool has_pack_forward;

    tacho_mlir_draft *drafts;
    size_t draft_count, draft_capacity;
    tacho_mlir_draft_region *regions;
    size_t region_count, region_capacity;
    tacho_mlir_draft_block *blocks;
    size_t block_count, block_capacity;

    tacho_mlir_frame *frames;
    size_t frame_count, frame_capacity;
    tacho_mlir_result_name *result_names;
    size_t result_name_count, result_name_capacity;
    tacho_mlir_operand *operands;
    size_t operand_count, operand_capacity;
    tacho_mlir_attr *attrs;
    size_t attr_count, attr_capacity;
    uint32_t *types; /* of results */
    size_t type_count, type_capacity;
    tacho_mlir_argument *arguments;
    size_t argument_count, argument_capacity;
    tacho_mlir_span *dicts; /* of the arguments and results of a function */
    size_t dict_count, dict_capacity;
    uint32_t top_last_op; /* the last operation outside all regions */
} tacho_mlir_parser;

static inline tacho_mlir_frame *tacho_mlir_top(const tacho_mlir_parser *p)
{
    return &p->frames[p->frame_count - 1];
}

/* Of the operation on top. */
static inline tacho_str tacho_mlir_top_name(const tacho_mlir_parser *p)
{
    return tacho_mlir_module_string(p->module, p->module->ops[tacho_mlir_top(p)->op].name);
}

static inline tacho_str tacho_mlir_between(const tacho_mlir_parser *p, size_t start, size_t end)
{
    return tacho_str_make(p->text.data + start, end - start);
}

static inline tacho_str tacho_mlir_token_text(const tacho_mlir_parser *p)
{
    return tacho_mlir_between(p, p->token.start, p->token.end);
}

static inline bool tacho_mlir_at_mark(const tacho_mlir_parser *p, char mark)
{
    return p->token.mark == mark;
}

static inline bool tacho_mlir_at_word(const tacho_mlir_parser *p, const char *word)
{
    return p->token.kind == TACHO_MLIR_TOKEN_WORD &&
           tacho_str_equal(tacho_mlir_token_text(p), tacho_str_from_cstring(word));
}

/* -- mlir_text_op.c -- */

tacho_status tacho_mlir_fail_at(const tacho_mlir_parser *p, size_t at,
                                const char *expected) TACHO_MUST_USE;
tacho_status tacho_mlir_fail_limit(const tacho_mlir_parser *p, size_t at,
                                   const char *expected) TACHO_MUST_USE;
/* The failure |reason|, with its place. */
tacho_status tacho_mlir_fail_because(const tacho_mlir_parser *p, size_t at,
                                     tacho_status reason) TACHO_MUST_USE;
/* At the next token. */
tacho_status tacho_mlir_fail(const tacho_mlir_parser *p, const char *expected) TACHO_MUST_USE;

void tacho_mlir_advance(tacho_mlir_parser *p);
/* Goes on at byte |at|. */
void tacho_mlir_seek(tacho_mlir_parser *p, size_t at);
bool tacho_mlir_take_mark(tacho_mlir_parser *p, char mark);
bool tacho_mlir_take_word(tacho_mlir_parser *p, const char *word);
tacho_status tacho_mlir_expect_mark(tacho_mlir_parser *p, char mark,
                                    const char *expected) TACHO_MUST_USE;
/* The token after the next one. */
tacho_mlir_token tacho_mlir_peek(const tacho_mlir_parser *p);
bool tacho_mlir_at_location(const tacho_mlir_parser *p);

/* Opens an operation called |name|, whose results' names are on their stack already. */
tacho_status tacho_mlir_open_op(tacho_mlir_parser *p, tacho_str name,
                                size_t first_result_name) TACHO_MUST_USE;
/* Ends the operation on top, with loc(...) if there is one. */
tacho_status tacho_mlir_close_op(tacho_mlir_parser *p) TACHO_MUST_USE;
/* Opens a region of it; the token after '{' is next. Arguments open its first block. */
tacho_status tacho_mlir_open_region(tacho_mlir_parser *p) TACHO_MUST_USE;
/* Its first or next block, with the arguments on the stack. */
tacho_status tacho_mlir_open_block(tacho_mlir_parser *p) TACHO_MUST_USE;
/* Ends a region; the token after '}' is next. */
void tacho_mlir_close_region(tacho_mlir_parser *p);

/* The operand that is the next token. */
tacho_status tacho_mlir_take_operand(tacho_mlir_parser *p, uint32_t segment) TACHO_MUST_USE;
/* %a, %b and so on, or nothing. */
tacho_status tacho_mlir_take_operands(tacho_mlir_parser *p, uint32_t segment) TACHO_MUST_USE;
tacho_status tacho_mlir_take_type(tacho_mlir_parser *p, uint32_t *out_type) TACHO_MUST_USE;
/* One type or more; of results when |keep|. */
tacho_status tacho_mlir_take_types(tacho_mlir_parser *p, bool keep) TACHO_MUST_USE;
/* Whether the "(...)" that is next starts a function type: "(...) ->". */
bool tacho_mlir_at_function_type(tacho_mlir_parser *p);
/* (types), perhaps none. */
tacho_status tacho_mlir_take_type_list(tacho_mlir_parser *p, bool keep) TACHO_MUST_USE;
/* (types) -> types, of which the latter are those of results. */
tacho_status tacho_mlir_take_function_type(tacho_mlir_parser *p) TACHO_MUST_USE;
/* The same, of the operation on top. */
tacho_status tacho_mlir_take_op_type(tacho_mlir_parser *p) TACHO_MUST_USE;
tacho_status tacho_mlir_push_operand(tacho_mlir_parser *p,
                                     tacho_mlir_operand operand) TACHO_MUST_USE;
tacho_status tacho_mlir_push_type(tacho_mlir_parser *p, uint32_t type) TACHO_MUST_USE;
tacho_status tacho_mlir_push_argument(tacho_mlir_parser *p, tacho_str name,
                                      uint32_t type) TACHO_MUST_USE;
tacho_status tacho_mlir_skip_location(tacho_mlir_parser *p) TACHO_MUST_USE;

/* -- mlir_text_scan.c -- */

/* Where the type or attribute that starts at or after |at| ends. */
tacho_status tacho_mlir_scan_type(tacho_mlir_parser *p, size_t at,
                                  tacho_mlir_span *out_span) TACHO_MUST_USE;
tacho_status tacho_mlir_scan_attr(tacho_mlir_parser *p, size_t at,
                                  tacho_mlir_span *out_span) TACHO_MUST_USE;
/* The brackets that open at |at|. */
tacho_status tacho_mlir_scan_group(tacho_mlir_parser *p, size_t at,
                                   tacho_mlir_span *out_span) TACHO_MUST_USE;
/* The text of |span|, aliases replaced; good until the next call. */
tacho_status tacho_mlir_expand(tacho_mlir_parser *p, tacho_mlir_span span,
                               tacho_str *out_text) TACHO_MUST_USE;

/* -- mlir_text_alias.c -- */

/* Finds the aliases that start a line, wherever they are. */
tacho_status tacho_mlir_find_aliases(tacho_mlir_parser *p) TACHO_MUST_USE;
/* The next token is an alias that is being defined. */
bool tacho_mlir_at_alias(const tacho_mlir_parser *p);
tacho_status tacho_mlir_take_alias(tacho_mlir_parser *p) TACHO_MUST_USE;
/* The alias called |name| ("#map"), or NULL. */
tacho_mlir_alias *tacho_mlir_alias_find(const tacho_mlir_parser *p, tacho_str name);
/* loc(...) is next; its text in the module. */
tacho_status tacho_mlir_take_location(tacho_mlir_parser *p, uint32_t *out_id) TACHO_MUST_USE;

/* -- mlir_text_attr.c -- */

/* Adds an attribute to the operation on top; |text| is its value, as MLIR prints it. */
tacho_status tacho_mlir_add_attr(tacho_mlir_parser *p, tacho_str name,
                                 tacho_str text) TACHO_MUST_USE;
tacho_status tacho_mlir_add_string(tacho_mlir_parser *p, tacho_str name,
                                   tacho_str text) TACHO_MUST_USE;
tacho_status tacho_mlir_add_ints(tacho_mlir_parser *p, tacho_str name, const int64_t *ints,
                                 size_t int_count) TACHO_MUST_USE;
/* The value that starts at the next token. */
tacho_status tacho_mlir_take_attr(tacho_mlir_parser *p, tacho_str name) TACHO_MUST_USE;
/* { name = value, ... }. */
tacho_status tacho_mlir_take_dict(tacho_mlir_parser *p) TACHO_MUST_USE;
/* |quoted| ("...") with its escapes undone, in |arena|. */
tacho_status tacho_mlir_unquote(tacho_mlir_parser *p, tacho_str quoted, tacho_arena *arena,
                                tacho_str *out_text) TACHO_MUST_USE;
/* @name or @"name" without its '@', likewise. */
tacho_status tacho_mlir_symbol_name(tacho_mlir_parser *p, tacho_str symbol, tacho_arena *arena,
                                    tacho_str *out_text) TACHO_MUST_USE;

/* -- mlir_text_names.c -- */

/* The name in the module, made if new; |*out_known| is valid until the next call. */
tacho_status tacho_mlir_know_name(tacho_mlir_parser *p, tacho_str name,
                                  tacho_mlir_known_name **out_known) TACHO_MUST_USE;

tacho_status tacho_mlir_name_id(tacho_mlir_parser *p, tacho_str name,
                                uint32_t *out_id) TACHO_MUST_USE;
/* The value that |use| ("%a", "%a#1") means here; a forward one if it is not defined. */
tacho_status tacho_mlir_use(tacho_mlir_parser *p, tacho_str use,
                            uint32_t *out_value) TACHO_MUST_USE;
tacho_status tacho_mlir_use_name(tacho_mlir_parser *p, uint32_t name_id,
                                 uint32_t *out_value) TACHO_MUST_USE;
bool tacho_mlir_is_defined(const tacho_mlir_parser *p, tacho_str use);
/* From here on |name_id| means |count| values from |first_value| on. */
tacho_status tacho_mlir_define(tacho_mlir_parser *p, uint32_t name_id, uint32_t first_value,
                               uint32_t count) TACHO_MUST_USE;
tacho_status tacho_mlir_add_draft(tacho_mlir_parser *p, uint32_t type, bool is_forward,
                                  uint32_t *out_value) TACHO_MUST_USE;
void tacho_mlir_open_scope(tacho_mlir_parser *p, tacho_mlir_frame *frame, bool is_isolated);
void tacho_mlir_close_scope(tacho_mlir_parser *p, const tacho_mlir_frame *frame);

/* -- mlir_text_format.c -- */

/*
 * Reads the operation on top, whose name has been taken, if its custom form is known and the text
 * follows it. Sets |*out_done| then; else nothing has been taken.
 */
tacho_status tacho_mlir_try_format(tacho_mlir_parser *p, bool *out_done) TACHO_MUST_USE;
/* Goes on after a region. */
tacho_status tacho_mlir_resume_regions(tacho_mlir_parser *p) TACHO_MUST_USE;

/* -- mlir_text_tolerant.c -- */

tacho_status tacho_mlir_run_tolerant(tacho_mlir_parser *p) TACHO_MUST_USE;
/* Whether an operation, a label, an alias or the end of a region may start at the next token. */
bool tacho_mlir_at_op(const tacho_mlir_parser *p);
/* Whether the '{' that is next opens a dictionary of attributes. */
bool tacho_mlir_at_dict(const tacho_mlir_parser *p);

/* -- mlir_text_number.c -- */

tacho_status tacho_mlir_number(tacho_mlir_parser *p) TACHO_MUST_USE;

#endif
