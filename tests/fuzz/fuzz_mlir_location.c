/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the MLIR location parser. A line of the input that reads `#name = body` defines an alias;
 * every other line is a location, parsed with and without the aliases known so far.
 *
 * Laws: ends of subtrees nest; a label can always be made; with an alias table no alias is left;
 * and a tree written out as text parses to the same tree.
 */
#include "codec/mlir_location.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Whether |status| is success; a failure is freed. */
static bool succeeded(tacho_status status)
{
    bool is_ok = status == TACHO_OK;
    tacho_status_free(status);
    return is_ok;
}

static bool may_have_children(tacho_mlir_location_kind kind, size_t child_count)
{
    switch (kind) {
    case TACHO_MLIR_LOCATION_FUSED:
        return true;
    case TACHO_MLIR_LOCATION_CALLSITE:
        return child_count == 2;
    case TACHO_MLIR_LOCATION_NAME:
        return child_count <= 1;
    case TACHO_MLIR_LOCATION_UNKNOWN:
    case TACHO_MLIR_LOCATION_FILE:
    case TACHO_MLIR_LOCATION_ALIAS:
        return child_count == 0;
    }
    return false;
}

/* The children of a node, taken one after another by their ends, fill its subtree. */
static void check_ends(const tacho_mlir_location *location)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    require(location->node_count > 0 && nodes[0].subtree_end == location->node_count);
    for (size_t i = 0; i < location->node_count; i++) {
        size_t child_count = 0;
        size_t child = i + 1;
        for (; child < nodes[i].subtree_end; child = nodes[child].subtree_end) {
            child_count++;
        }
        require(child == nodes[i].subtree_end);
        require(may_have_children(nodes[i].kind, child_count));
    }
}

static void write_string(FILE *out, tacho_str text)
{
    fputc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        fprintf(out, "\\%02x", (unsigned)(unsigned char)text.data[i]);
    }
    fputc('"', out);
}

/* What stands before the children of |node|, or the whole of a leaf. */
static void write_head(FILE *out, const tacho_mlir_location_node *node, bool has_children)
{
    switch (node->kind) {
    case TACHO_MLIR_LOCATION_UNKNOWN:
        fputs("unknown", out);
        break;
    case TACHO_MLIR_LOCATION_FILE:
        write_string(out, node->text);
        fprintf(out, ":%u:%u to %u:%u", node->line, node->column, node->end_line, node->end_column);
        break;
    case TACHO_MLIR_LOCATION_NAME:
        write_string(out, node->text);
        fputs(has_children ? "(" : "", out);
        break;
    case TACHO_MLIR_LOCATION_FUSED:
        fputs("fused<", out);
        fwrite(node->text.data, 1, node->text.len, out);
        fputs(has_children ? ">[" : ">[]", out);
        break;
    case TACHO_MLIR_LOCATION_CALLSITE:
        fputs("callsite(", out);
        break;
    case TACHO_MLIR_LOCATION_ALIAS:
        fwrite(node->text.data, 1, node->text.len, out);
        break;
    }
}

/* Writes |location|; |open| has room for an index per node. */
static void write_tree(FILE *out, const tacho_mlir_location *location, uint32_t *open)
{
    const tacho_mlir_location_node *nodes = location->nodes;
    size_t open_count = 0;
    for (uint32_t i = 0; i < location->node_count; i++) {
        write_head(out, &nodes[i], nodes[i].subtree_end > i + 1);
        open[open_count++] = i;
        for (; open_count > 0 && nodes[open[open_count - 1]].subtree_end == i + 1; open_count--) {
            const tacho_mlir_location_node *ended = &nodes[open[open_count - 1]];
            if (ended->subtree_end > open[open_count - 1] + 1) {
                fputs(ended->kind == TACHO_MLIR_LOCATION_FUSED ? "]" : ")", out);
            }
        }
        if (open_count > 0 && nodes[i].subtree_end == i + 1) {
            tacho_mlir_location_kind around = nodes[open[open_count - 1]].kind;
            fputs(around == TACHO_MLIR_LOCATION_FUSED ? ", " : " at ", out);
        }
    }
}

static void check_same(const tacho_mlir_location *a, const tacho_mlir_location *b)
{
    require(a->node_count == b->node_count);
    for (size_t i = 0; i < a->node_count; i++) {
        const tacho_mlir_location_node *x = &a->nodes[i];
        const tacho_mlir_location_node *y = &b->nodes[i];
        require(x->kind == y->kind && tacho_str_equal(x->text, y->text) && x->line == y->line &&
                x->column == y->column && x->end_line == y->end_line &&
                x->end_column == y->end_column && x->subtree_end == y->subtree_end);
    }
}

static void check_round_trip(const tacho_mlir_location *location, tacho_arena *arena)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    uint32_t *open = malloc(location->node_count * sizeof(*open));
    require(out != NULL && open != NULL);
    write_tree(out, location, open);
    fclose(out);
    tacho_mlir_location again;
    require(succeeded(tacho_mlir_location_parse(tacho_str_make(text, len), NULL, arena, &again)));
    check_same(location, &again);
    free(open);
    free(text);
}

static void check_location(tacho_str text, const tacho_mlir_aliases *aliases)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_mlir_location location;
    if (succeeded(tacho_mlir_location_parse(text, aliases, &arena, &location))) {
        tacho_str label;
        check_ends(&location);
        require(succeeded(tacho_mlir_location_format_short(&location, &arena, &label)));
        check_round_trip(&location, &arena);
        for (size_t i = 0; i < location.node_count; i++) {
            require(aliases == NULL || location.nodes[i].kind != TACHO_MLIR_LOCATION_ALIAS);
        }
    } else {
        require(location.node_count == 0 && tacho_mlir_location_primary(&location) == NULL);
    }
    tacho_arena_deinit(&arena);
}

static void run_line(tacho_str line, tacho_mlir_aliases *aliases)
{
    size_t equals = tacho_str_find_byte(line, '=');
    if (line.len > 0 && line.data[0] == '#' && equals < line.len) {
        tacho_str name = tacho_str_trim(tacho_str_make(line.data, equals));
        (void)succeeded(tacho_mlir_aliases_add(aliases, name, tacho_str_from(line, equals + 1)));
        return;
    }
    check_location(line, NULL);
    check_location(line, aliases);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_mlir_aliases aliases;
    require(succeeded(tacho_mlir_aliases_init(&aliases)));
    tacho_str rest = tacho_str_make((const char *)data, size);
    while (rest.len > 0) {
        size_t len = tacho_str_find_byte(rest, '\n');
        run_line(tacho_str_make(rest.data, len), &aliases);
        rest = tacho_str_from(rest, len < rest.len ? len + 1 : len);
    }
    tacho_mlir_aliases_deinit(&aliases);
    return 0;
}
