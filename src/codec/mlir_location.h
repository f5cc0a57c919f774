/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MLIR locations: the place in the model that an operation was made from, as MLIR prints it.
 *
 *     loc("add.mlir":12:10)          loc("add.mlir":12:10 to 14:3)     loc(unknown)
 *     loc("conv"("add.mlir":12:10))  loc(fused<META>["a":1:2, "b"])    loc(#loc1)
 *     loc(callsite("add.mlir":12:10 at "main.mlir":2:3))
 *
 * All forms nest freely. The text is untrusted: nesting costs memory, not stack, and a location
 * of more than TACHO_MLIR_LOCATION_NODE_MAX nodes is refused.
 */
#ifndef TACHO_CODEC_MLIR_LOCATION_H
#define TACHO_CODEC_MLIR_LOCATION_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/strings.h"

enum { TACHO_MLIR_LOCATION_NODE_MAX = 65536 };

typedef enum tacho_mlir_location_kind {
    TACHO_MLIR_LOCATION_UNKNOWN,  /* `unknown` or `?`; no text */
    TACHO_MLIR_LOCATION_FILE,     /* text is the file; line, column and perhaps an end */
    TACHO_MLIR_LOCATION_NAME,     /* text is the name; at most one child */
    TACHO_MLIR_LOCATION_FUSED,    /* text is META; any number of children */
    TACHO_MLIR_LOCATION_CALLSITE, /* two children: the callee, then the caller */
    TACHO_MLIR_LOCATION_ALIAS,    /* text is the alias with its '#'; only without an alias table */
} tacho_mlir_location_kind;

typedef struct tacho_mlir_location_node {
    tacho_mlir_location_kind kind;
    /* Escapes undone, but META is kept as written, for its strings need theirs. */
    tacho_str text;
    /* 0 when absent. The end of `to :C2` is on the line of its start. */
    uint32_t line;
    uint32_t column;
    uint32_t end_line;
    uint32_t end_column;
    uint32_t subtree_end; /* index one past the last descendant; index + 1 for a leaf */
} tacho_mlir_location_node;

/* A tree in preorder: node 0 is the root. At least one node once parsed. */
typedef struct tacho_mlir_location {
    const tacho_mlir_location_node *nodes;
    size_t node_count;
} tacho_mlir_location;

/*
 * The aliases that `#loc1 = loc(...)` lines define. Bodies may name aliases that are added later,
 * or never: a missing one is reported only where such a body is used.
 */
typedef struct tacho_mlir_aliases {
    tacho_strings names;         /* ids count from 1, since 0 is the empty string */
    tacho_mlir_location *bodies; /* by name id; trees not finished, see mlir_location.c */
    size_t body_capacity;
    tacho_arena arena; /* the nodes of the bodies and their texts */
} tacho_mlir_aliases;

tacho_status tacho_mlir_aliases_init(tacho_mlir_aliases *aliases) TACHO_MUST_USE;
void tacho_mlir_aliases_deinit(tacho_mlir_aliases *aliases);

/*
 * Defines |name| ("#loc1", with its '#') as |body| ("loc(...)", the wrapper optional). Both are
 * copied. A body that is not a location, or a name that is defined already, is BAD_DATA and leaves
 * the table as it was.
 */
tacho_status tacho_mlir_aliases_add(tacho_mlir_aliases *aliases, tacho_str name,
                                    tacho_str body) TACHO_MUST_USE;

/*
 * Parses the whole of |text|. With |aliases|, which is not modified, every alias is replaced by
 * its body, and an undefined or circular one is BAD_DATA; with NULL, alias nodes stay.
 *
 * Everything in the result, texts included, lives in |arena|. An alias that is used many times
 * costs its texts only once. On failure |*out_location| is empty.
 */
tacho_status tacho_mlir_location_parse(tacho_str text, const tacho_mlir_aliases *aliases,
                                       tacho_arena *arena,
                                       tacho_mlir_location *out_location) TACHO_MUST_USE;

/* The first file in preorder, so the callee before its caller; NULL when there is none. */
const tacho_mlir_location_node *tacho_mlir_location_primary(const tacho_mlir_location *location);

/*
 * A label such as "add.mlir:12:10": base name, line and column of the primary file; without one
 * the first name; without that, empty. Lives in |arena|, NUL-terminated.
 */
tacho_status tacho_mlir_location_format_short(const tacho_mlir_location *location,
                                              tacho_arena *arena,
                                              tacho_str *out_text) TACHO_MUST_USE;

/*
 * The inside of loc(...), as MLIR prints it. Lives in |arena|, NUL-terminated.
 */
tacho_status tacho_mlir_location_print(const tacho_mlir_location *location, tacho_arena *arena,
                                       tacho_str *out_text) TACHO_MUST_USE;

#endif
