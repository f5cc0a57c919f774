/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads MLIR bytecode, versions 0 to 6, into a module in memory (codec/mlir_module.h).
 *
 * Attributes and types of the builtin dialect are decoded; those of dialects that write assembly
 * text are kept as that text; those of dialects with an encoding of their own are UNKNOWN.
 *
 * From version 5 on an operation that its writer knew keeps its inherent attributes without
 * their names, as a blob that only the operation's definition explains. A schema is that
 * definition, as far as reading needs it; a blob without one that fits is counted.
 *
 * The attributes of an operation are sorted by name, as MLIR keeps them.
 */
#ifndef TACHO_CODEC_MLIR_BYTECODE_H
#define TACHO_CODEC_MLIR_BYTECODE_H

#include "codec/mlir_module.h"

enum {
    TACHO_MLIR_BYTECODE_VERSION_MAX = 6,
    TACHO_MLIR_DEPTH_MAX = 10000,        /* regions in regions */
    TACHO_MLIR_TEXT_MAX = 1 << 20,       /* bytes of one type, location or attribute */
    TACHO_MLIR_TEXT_TOTAL_MAX = 1 << 28, /* of all of them */
    TACHO_MLIR_ELEMENTS_MAX = 1 << 16,   /* of one list from raw bytes; a longer one is TEXT */
    TACHO_MLIR_ELEMENTS_TOTAL_MAX = 1 << 23,
    TACHO_MLIR_SCHEMA_PROPERTIES_MAX = 8, /* of one operation */
};

typedef enum tacho_mlir_property_form {
    TACHO_MLIR_PROPERTY_REQUIRED,
    TACHO_MLIR_PROPERTY_OPTIONAL, /* also one with a default value */
    TACHO_MLIR_PROPERTY_SEGMENTS, /* operandSegmentSizes, resultSegmentSizes */
} tacho_mlir_property_form;

typedef struct tacho_mlir_property {
    const char *name; /* NULL ends a list */
    tacho_mlir_property_form form;
    tacho_mlir_attr_kind kind; /* the required kind; UNKNOWN for any */
    uint32_t segment_count;
} tacho_mlir_property;

/*
 * The inherent attributes of an operation, sorted by name as MLIR writes them. Several schemas
 * of one operation are tried in turn, so that generations of a dialect can stand side by side.
 */
typedef struct tacho_mlir_op_schema {
    const char *op;
    tacho_mlir_property properties[TACHO_MLIR_SCHEMA_PROPERTIES_MAX];
} tacho_mlir_op_schema;

/* Schemas of the caller, tried before those that are built in. */
typedef struct tacho_mlir_schemas {
    const tacho_mlir_op_schema *items;
    size_t item_count;
} tacho_mlir_schemas;

/* Whether a file that starts with |head| is MLIR bytecode. */
bool tacho_mlir_is_bytecode(tacho_str head);

/*
 * Whether a string of the file |bytes|, such as the name of a dialect, is |string|. Only its table
 * of strings is looked at; a file that is cut before that has none.
 */
bool tacho_mlir_bytecode_has_string(tacho_str bytes, tacho_str string);

/*
 * Adds the contents of |bytes| to |module|, which is freshly made. |name| is for messages.
 * |schemas| may be NULL. On failure the module can only be deinitialised.
 */
tacho_status tacho_mlir_bytecode_read_with(const char *name, tacho_str bytes,
                                           const tacho_mlir_schemas *schemas,
                                           tacho_mlir_module *module) TACHO_MUST_USE;

/* The same with the built-in schemas alone. */
tacho_status tacho_mlir_bytecode_read(const char *name, tacho_str bytes,
                                      tacho_mlir_module *out_module) TACHO_MUST_USE;

/*
 * The same for a file that may be truncated or broken: the module holds the operations up to the
 * damage, and the reason (|damage|). Without its tables, which most writers put around the
 * operations, nothing can be read; properties, the last section, may be missing: those that are cut
 * off are counted.
 */
tacho_status tacho_mlir_bytecode_read_lenient(const char *name, tacho_str bytes,
                                              tacho_mlir_module *out_module) TACHO_MUST_USE;

#endif
