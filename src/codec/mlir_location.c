/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parser with a stack of its own: |pending| holds the token that each open location waits for, so
 * that the depth of nesting is bounded by memory.
 *
 * While a tree is being made, and in alias bodies for good, |subtree_end| holds the depth of the
 * node. A tree of depths goes into another with one addition per node, one of ends does not.
 * Depths become ends when the tree is finished.
 */
#include "codec/mlir_location.h"

#include "base/grow.h"
#include "codec/mlir_lexer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef tacho_mlir_location_node location_node;

enum { SHOWN_BYTES = 32 }; /* of the input, in messages */

/* The token that an open location waits for, once the location inside it has ended. */
enum {
    PENDING_WRAPPER, /* `)` of `loc(` */
    PENDING_CHILD,   /* `)` of `"name"(` */
    PENDING_FUSED,   /* `,` and one more, or `]` */
    PENDING_CALLEE,  /* `at` and the caller */
    PENDING_CALLER,  /* `)` of `callsite(` */
};

/* An alias met in this parse, and the nodes that it became. */
typedef struct expansion {
    uint32_t alias_id;
    uint32_t first_node;
    uint32_t node_count; /* 0 while its body is being copied */
    uint32_t depth;      /* of its root in this tree */
    uint32_t next_node;  /* of the body, to be copied next */
    uint32_t outer;      /* the expansion that this one interrupts, or TACHO_NONE */
} expansion;

typedef struct parser {
    tacho_str text;
    size_t at;
    const tacho_mlir_aliases *aliases; /* may be NULL */
    tacho_arena *arena;

    location_node *nodes;
    size_t node_count;
    size_t node_capacity;
    uint32_t depth; /* of the next node */

    /* PENDING_ values; above them, inside META, the missing closing brackets. */
    unsigned char *pending;
    size_t pending_count;
    size_t pending_capacity;

    expansion *expansions;
    size_t expansion_count;
    size_t expansion_capacity;
    tacho_index expansion_index; /* by alias id; made when the first alias is met */
    uint32_t innermost;          /* the expansion being copied, or TACHO_NONE */
} parser;

static tacho_str shorten(tacho_str text)
{
    return tacho_str_make(text.data, text.len < SHOWN_BYTES ? text.len : SHOWN_BYTES);
}

static tacho_status fail_at(const parser *p, size_t at, const char *expected)
{
    bool at_end = at >= p->text.len;
    tacho_str found = at_end ? TACHO_STR("the end") : shorten(tacho_str_from(p->text, at));
    return tacho_fail(TACHO_CODE_BAD_DATA, "location, byte %zu: expected %s, found %.*s", at,
                      expected, TACHO_STR_ARG(found));
}

/* For an alias that may be in another's body: the byte is where the outermost one is named. */
static tacho_status fail_alias(const parser *p, const char *found, tacho_str name)
{
    return tacho_fail(TACHO_CODE_BAD_DATA,
                      "location, byte %zu: expected an alias of a location, found %s %.*s", p->at,
                      found, TACHO_STR_ARG(shorten(name)));
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || is_digit(byte) ||
           byte == '_' || byte == '$' || byte == '.';
}

/* The next byte that is not a space, not consumed; NUL, which starts no token, at the end. */
static char peek(parser *p)
{
    for (; p->at < p->text.len; p->at++) {
        char byte = p->text.data[p->at];
        if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') {
            return byte;
        }
    }
    return '\0';
}

static bool accept_byte(parser *p, char byte)
{
    bool taken = peek(p) == byte;
    p->at += taken;
    return taken;
}

static tacho_status expect(parser *p, char byte, const char *expected)
{
    return accept_byte(p, byte) ? TACHO_OK : fail_at(p, p->at, expected);
}

static bool take_word(parser *p, tacho_str word)
{
    peek(p);
    tacho_str rest = tacho_str_from(p->text, p->at);
    if (!tacho_str_starts_with(rest, word) ||
        (rest.len > word.len && is_word_byte(rest.data[word.len]))) {
        return false;
    }
    p->at += word.len;
    return true;
}

static tacho_status take_number(parser *p, uint32_t *out_number)
{
    peek(p);
    tacho_str digits = tacho_str_make(p->text.data + p->at, 0);
    while (p->at + digits.len < p->text.len && is_digit(digits.data[digits.len])) {
        digits.len++;
    }
    uint64_t value = 0;
    if (!tacho_str_parse_u64(digits, &value) || value > UINT32_MAX) {
        return fail_at(p, p->at, "a number up to 4294967295");
    }
    p->at += digits.len;
    *out_number = (uint32_t)value;
    return TACHO_OK;
}

/* Takes the string that opens at the cursor; |*out_body| is the text in its quotes. */
static tacho_status take_string(parser *p, tacho_str *out_body)
{
    size_t start = p->at + 1;
    for (size_t i = start; i < p->text.len; i++) {
        if (p->text.data[i] == '"') {
            *out_body = tacho_str_make(p->text.data + start, i - start);
            p->at = i + 1;
            return TACHO_OK;
        }
        i += p->text.data[i] == '\\';
    }
    return fail_at(p, p->at, "a string with a closing quote");
}

static tacho_status unescape(parser *p, tacho_str body, tacho_str *out_text)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(p->arena, body.len + 1, &memory));
    char *text = memory;
    size_t len = 0;
    for (size_t i = 0; i < body.len; i++) {
        char byte = body.data[i];
        if (byte == '\\') {
            size_t used = tacho_mlir_read_escape(tacho_str_from(body, i + 1), &byte);
            if (used == 0) {
                return fail_at(p, (size_t)(body.data - p->text.data) + i,
                               "one of the escapes \\\" \\\\ \\n \\t \\HH");
            }
            i += used;
        }
        text[len++] = byte;
    }
    *out_text = tacho_str_make(text, len);
    return TACHO_OK;
}

static tacho_status push_pending(parser *p, unsigned char what)
{
    TACHO_TRY(tacho_grow(&p->pending, &p->pending_capacity, p->pending_count + 1));
    p->pending[p->pending_count++] = what;
    return TACHO_OK;
}

/* Lets the node just added have children. */
static tacho_status open_children(parser *p, unsigned char what)
{
    p->depth++;
    return push_pending(p, what);
}

static tacho_status add_node(parser *p, location_node node)
{
    if (p->node_count >= TACHO_MLIR_LOCATION_NODE_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, "location, byte %zu: expected at most %d nodes in all",
                          p->at, (int)TACHO_MLIR_LOCATION_NODE_MAX);
    }
    TACHO_TRY(tacho_grow(&p->nodes, &p->node_capacity, p->node_count + 1));
    p->nodes[p->node_count++] = node;
    return TACHO_OK;
}

static location_node make_node(const parser *p, tacho_mlir_location_kind kind)
{
    return (location_node){.kind = kind, .text = TACHO_STR(""), .subtree_end = p->depth};
}

/* The nodes of an alias met before, once more; their texts are shared. */
static tacho_status repeat_expansion(parser *p, expansion made, uint32_t depth)
{
    for (uint32_t i = 0; i < made.node_count; i++) {
        location_node node = p->nodes[made.first_node + i];
        node.subtree_end = node.subtree_end - made.depth + depth;
        TACHO_TRY(add_node(p, node));
    }
    return TACHO_OK;
}

static tacho_status begin_expansion(parser *p, uint32_t hash, expansion begun)
{
    uint32_t at = (uint32_t)p->expansion_count;
    TACHO_TRY(tacho_grow(&p->expansions, &p->expansion_capacity, p->expansion_count + 1));
    TACHO_TRY(tacho_index_add(&p->expansion_index, hash, at));
    p->expansions[p->expansion_count++] = begun;
    p->innermost = at;
    return TACHO_OK;
}

/* Starts on the body of alias |name|, or repeats its earlier expansion. */
static tacho_status enter_alias(parser *p, tacho_str name, uint32_t depth)
{
    uint32_t alias_id = tacho_strings_find(&p->aliases->names, name);
    if (alias_id == TACHO_NONE) {
        return fail_alias(p, "the undefined", name);
    }
    const char *key = (const char *)&alias_id;
    uint32_t hash = tacho_index_hash(&p->expansion_index, tacho_str_make(key, sizeof(alias_id)));
    size_t cursor = tacho_index_begin(&p->expansion_index, hash);
    for (uint32_t at; (at = tacho_index_next(&p->expansion_index, hash, &cursor)) != TACHO_NONE;) {
        expansion made = p->expansions[at];
        if (made.alias_id == alias_id) {
            return made.node_count == 0 ? fail_alias(p, "a cycle through", name)
                                        : repeat_expansion(p, made, depth);
        }
    }
    expansion begun = {alias_id, (uint32_t)p->node_count, 0, depth, 0, p->innermost};
    return begin_expansion(p, hash, begun);
}

/* Copies one node of the innermost alias body, or ends that body. */
static tacho_status step_expansion(parser *p)
{
    expansion *inner = &p->expansions[p->innermost];
    tacho_mlir_location body = p->aliases->bodies[inner->alias_id];
    if (inner->next_node == body.node_count) {
        inner->node_count = (uint32_t)p->node_count - inner->first_node;
        p->innermost = inner->outer;
        return TACHO_OK;
    }
    location_node node = body.nodes[inner->next_node++];
    node.subtree_end += inner->depth;
    if (node.kind == TACHO_MLIR_LOCATION_ALIAS) {
        return enter_alias(p, node.text, node.subtree_end);
    }
    if (node.kind != TACHO_MLIR_LOCATION_UNKNOWN) {
        TACHO_TRY(tacho_arena_copy(p->arena, node.text, &node.text));
    }
    return add_node(p, node);
}

static tacho_status expand_alias(parser *p, tacho_str name)
{
    if (p->expansion_index.slots == NULL) {
        TACHO_TRY(tacho_index_init(&p->expansion_index));
    }
    TACHO_TRY(enter_alias(p, name, p->depth));
    while (p->innermost != TACHO_NONE) {
        TACHO_TRY(step_expansion(p));
    }
    return TACHO_OK;
}

/* The length of the alias at the start of |text|, its '#' included; below 2 there is none. */
static size_t alias_length(tacho_str text)
{
    size_t len = text.len > 0 && text.data[0] == '#' ? 1 : 0;
    while (len > 0 && len < text.len && (is_word_byte(text.data[len]) || text.data[len] == '-')) {
        len++;
    }
    return len;
}

static tacho_status start_alias(parser *p)
{
    tacho_str name = tacho_str_from(p->text, p->at);
    name.len = alias_length(name);
    if (name.len < 2) {
        return fail_at(p, p->at, "an alias");
    }
    if (p->aliases != NULL) {
        TACHO_TRY(expand_alias(p, name));
    } else {
        location_node node = make_node(p, TACHO_MLIR_LOCATION_ALIAS);
        TACHO_TRY(tacho_arena_copy(p->arena, name, &node.text));
        TACHO_TRY(add_node(p, node));
    }
    p->at += name.len;
    return TACHO_OK;
}

/* Line, column and perhaps the end of a range, after `"file":`. */
static tacho_status take_position(parser *p, location_node *node)
{
    TACHO_TRY(take_number(p, &node->line));
    TACHO_TRY(expect(p, ':', "':' and a column"));
    TACHO_TRY(take_number(p, &node->column));
    if (!take_word(p, TACHO_STR("to"))) {
        return TACHO_OK;
    }
    node->end_line = node->line;
    if (peek(p) != ':') {
        TACHO_TRY(take_number(p, &node->end_line));
    }
    TACHO_TRY(expect(p, ':', "':' and an end column"));
    return take_number(p, &node->end_column);
}

static tacho_status start_string(parser *p)
{
    location_node node = make_node(p, TACHO_MLIR_LOCATION_NAME);
    tacho_str body = {0};
    TACHO_TRY(take_string(p, &body));
    TACHO_TRY(unescape(p, body, &node.text));
    if (accept_byte(p, ':')) {
        node.kind = TACHO_MLIR_LOCATION_FILE;
        TACHO_TRY(take_position(p, &node));
        return add_node(p, node);
    }
    TACHO_TRY(add_node(p, node));
    return accept_byte(p, '(') ? open_children(p, PENDING_CHILD) : TACHO_OK;
}

/* Skips one byte of META, which may open or close a bracket. */
static tacho_status skip_attribute_byte(parser *p)
{
    static const char openers[] = "<([{";
    static const char closers[] = ">)]}";
    char byte = p->text.data[p->at];
    char wanted = (char)p->pending[p->pending_count - 1];
    const char *opener = memchr(openers, byte, sizeof(openers) - 1);
    if (byte == wanted) {
        p->pending_count--;
    } else if (opener != NULL) {
        TACHO_TRY(push_pending(p, (unsigned char)closers[opener - openers]));
    } else if (memchr(closers, byte, sizeof(closers) - 1) != NULL) {
        char expected[] = {'\'', wanted, '\'', '\0'};
        return fail_at(p, p->at, expected);
    }
    p->at++;
    return TACHO_OK;
}

/* Skips a string, an operator or one other byte of META. */
static tacho_status skip_attribute_part(parser *p)
{
    char byte = p->text.data[p->at];
    char next = p->at + 1 < p->text.len ? p->text.data[p->at + 1] : '\0';
    if (byte == '"') {
        tacho_str ignored;
        return take_string(p, &ignored);
    }
    /* `->` of function types and the comparisons of affine sets are not brackets. */
    if ((byte == '-' && next == '>') || (next == '=' && (byte == '<' || byte == '>'))) {
        p->at += 2;
        return TACHO_OK;
    }
    return skip_attribute_byte(p);
}

/* Takes an attribute of any dialect, up to and with the '>' that balances the one before it. */
static tacho_status take_attribute(parser *p, tacho_str *out_attribute)
{
    size_t start = p->at;
    size_t floor = p->pending_count;
    TACHO_TRY(push_pending(p, '>'));
    while (p->pending_count > floor) {
        if (p->at >= p->text.len) {
            return fail_at(p, p->at, "the end of the metadata");
        }
        TACHO_TRY(skip_attribute_part(p));
    }
    tacho_str attribute = tacho_str_make(p->text.data + start, p->at - 1 - start);
    return tacho_arena_copy(p->arena, attribute, out_attribute);
}

static tacho_status start_fused(parser *p)
{
    location_node node = make_node(p, TACHO_MLIR_LOCATION_FUSED);
    if (accept_byte(p, '<')) {
        TACHO_TRY(take_attribute(p, &node.text));
    }
    TACHO_TRY(expect(p, '[', "'[' and the fused locations"));
    TACHO_TRY(add_node(p, node));
    return accept_byte(p, ']') ? TACHO_OK : open_children(p, PENDING_FUSED);
}

/* Takes a location up to its end, or up to where another one must start inside it. */
static tacho_status start_location(parser *p)
{
    char byte = peek(p);
    if (byte == '"') {
        return start_string(p);
    }
    if (byte == '#') {
        return start_alias(p);
    }
    if (take_word(p, TACHO_STR("loc"))) {
        TACHO_TRY(expect(p, '(', "'(' after loc"));
        return push_pending(p, PENDING_WRAPPER);
    }
    if (take_word(p, TACHO_STR("fused"))) {
        return start_fused(p);
    }
    if (take_word(p, TACHO_STR("callsite"))) {
        TACHO_TRY(expect(p, '(', "'(' after callsite"));
        TACHO_TRY(add_node(p, make_node(p, TACHO_MLIR_LOCATION_CALLSITE)));
        return open_children(p, PENDING_CALLEE);
    }
    if (take_word(p, TACHO_STR("unknown")) || accept_byte(p, '?')) {
        return add_node(p, make_node(p, TACHO_MLIR_LOCATION_UNKNOWN));
    }
    return fail_at(p, p->at, "a location");
}

/* After a location has ended: continues the one around it, which may need another. */
static tacho_status resume_pending(parser *p, bool *out_wants_location)
{
    unsigned char *top = &p->pending[p->pending_count - 1];
    *out_wants_location = false;
    if (*top == PENDING_CALLEE) {
        *top = PENDING_CALLER;
        *out_wants_location = true;
        return take_word(p, TACHO_STR("at")) ? TACHO_OK : fail_at(p, p->at, "'at' and a caller");
    }
    if (*top == PENDING_FUSED) {
        if (accept_byte(p, ',')) {
            *out_wants_location = true;
            return TACHO_OK;
        }
        TACHO_TRY(expect(p, ']', "',' or ']'"));
    } else {
        TACHO_TRY(expect(p, ')', "')'"));
    }
    p->depth -= *top != PENDING_WRAPPER;
    p->pending_count--;
    return TACHO_OK;
}

static tacho_status parse_tree(parser *p)
{
    bool wants_location = true;
    while (wants_location) {
        size_t pending_before = p->pending_count;
        TACHO_TRY(start_location(p));
        wants_location = p->pending_count > pending_before;
        while (!wants_location && p->pending_count > 0) {
            TACHO_TRY(resume_pending(p, &wants_location));
        }
    }
    peek(p);
    return p->at == p->text.len ? TACHO_OK : fail_at(p, p->at, "the end");
}

/* Copies the nodes to the arena, depths and all. */
static tacho_status copy_nodes(const parser *p, location_node **out_nodes)
{
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(p->arena, p->node_count * sizeof(*p->nodes), &memory));
    memcpy(memory, p->nodes, p->node_count * sizeof(*p->nodes));
    *out_nodes = memory;
    return TACHO_OK;
}

/* From the last node back: the siblings after a node's first child are found by their ends. */
static void set_subtree_ends(const parser *p, location_node *nodes)
{
    uint32_t node_count = (uint32_t)p->node_count;
    for (uint32_t i = node_count; i-- > 0;) {
        uint32_t end = i + 1;
        while (end < node_count && p->nodes[end].subtree_end > p->nodes[i].subtree_end) {
            end = nodes[end].subtree_end;
        }
        nodes[i].subtree_end = end;
    }
}

/* Parses |text|; the nodes keep their depths when |keep_depths|. */
static tacho_status run_parser(parser *p, bool keep_depths, tacho_mlir_location *out_location)
{
    *out_location = (tacho_mlir_location){0};
    p->innermost = TACHO_NONE;
    if (p->text.len == 0) {
        p->text = TACHO_STR(""); /* an empty view may hold no pointer */
    }
    location_node *nodes = NULL;
    tacho_status status = parse_tree(p);
    if (status == TACHO_OK) {
        status = copy_nodes(p, &nodes);
    }
    if (status == TACHO_OK) {
        if (!keep_depths) {
            set_subtree_ends(p, nodes);
        }
        *out_location = (tacho_mlir_location){nodes, p->node_count};
    }
    free(p->nodes);
    free(p->pending);
    free(p->expansions);
    tacho_index_deinit(&p->expansion_index);
    return status;
}

tacho_status tacho_mlir_location_parse(tacho_str text, const tacho_mlir_aliases *aliases,
                                       tacho_arena *arena, tacho_mlir_location *out_location)
{
    parser p = {.text = text, .aliases = aliases, .arena = arena};
    return run_parser(&p, false, out_location);
}

tacho_status tacho_mlir_aliases_init(tacho_mlir_aliases *aliases)
{
    *aliases = (tacho_mlir_aliases){0};
    tacho_arena_init(&aliases->arena);
    tacho_status status = tacho_strings_init(&aliases->names);
    if (status != TACHO_OK) {
        tacho_mlir_aliases_deinit(aliases);
    }
    return status;
}

void tacho_mlir_aliases_deinit(tacho_mlir_aliases *aliases)
{
    tacho_strings_deinit(&aliases->names);
    tacho_arena_deinit(&aliases->arena);
    free(aliases->bodies);
    *aliases = (tacho_mlir_aliases){0};
}

tacho_status tacho_mlir_aliases_add(tacho_mlir_aliases *aliases, tacho_str name, tacho_str body)
{
    parser p = {.text = body, .arena = &aliases->arena};
    if (name.len < 2 || alias_length(name) != name.len) {
        return fail_alias(&p, "the name", name);
    }
    if (tacho_strings_find(&aliases->names, name) != TACHO_NONE) {
        return fail_alias(&p, "a second definition of", name);
    }
    tacho_mlir_location parsed;
    TACHO_TRY_NOTE(run_parser(&p, true, &parsed), "in the definition of %.*s",
                   TACHO_STR_ARG(shorten(name)));
    uint32_t id = 0;
    TACHO_TRY(tacho_grow(&aliases->bodies, &aliases->body_capacity, aliases->names.item_count + 1));
    TACHO_TRY(tacho_strings_ensure(&aliases->names, name, &id));
    aliases->bodies[id] = parsed;
    return TACHO_OK;
}

static const location_node *find_kind(const tacho_mlir_location *location,
                                      tacho_mlir_location_kind kind)
{
    for (size_t i = 0; i < location->node_count; i++) {
        if (location->nodes[i].kind == kind) {
            return &location->nodes[i];
        }
    }
    return NULL;
}

const tacho_mlir_location_node *tacho_mlir_location_primary(const tacho_mlir_location *location)
{
    return find_kind(location, TACHO_MLIR_LOCATION_FILE);
}

tacho_status tacho_mlir_location_format_short(const tacho_mlir_location *location,
                                              tacho_arena *arena, tacho_str *out_text)
{
    const location_node *file = tacho_mlir_location_primary(location);
    if (file == NULL) {
        const location_node *name = find_kind(location, TACHO_MLIR_LOCATION_NAME);
        return tacho_arena_copy(arena, name != NULL ? name->text : TACHO_STR(""), out_text);
    }
    char position[32];
    int position_len =
        snprintf(position, sizeof(position), ":%" PRIu32 ":%" PRIu32, file->line, file->column);
    tacho_str base = tacho_str_basename(file->text);
    size_t len = base.len + (size_t)position_len;
    void *memory = NULL;
    TACHO_TRY(tacho_arena_alloc(arena, len + 1, &memory));
    char *text = memory;
    if (base.len > 0) {
        memcpy(text, base.data, base.len);
    }
    memcpy(text + base.len, position, (size_t)position_len + 1);
    *out_text = tacho_str_make(text, len);
    return TACHO_OK;
}
