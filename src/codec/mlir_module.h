/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MLIR module in memory, as far as a profiler asks: operations with their attributes,
 * operands, results, regions and locations, of any dialect. codec/mlir_text and
 * codec/mlir_bytecode both make one, and give the same for the same module.
 *
 * Everything is numbered: operations, regions, blocks and values by their place in the arrays
 * below, operations in the order in which they stand in the file (an operation before those in
 * its regions). TACHO_NONE means absent. All texts live in the module.
 */
#ifndef TACHO_CODEC_MLIR_MODULE_H
#define TACHO_CODEC_MLIR_MODULE_H

#include "base/arena.h"
#include "base/index.h"
#include "base/status.h"
#include "base/str.h"
#include "base/strings.h"

typedef enum tacho_mlir_attr_kind {
    TACHO_MLIR_ATTR_UNIT,    /* present, and that is all */
    TACHO_MLIR_ATTR_BOOL,    /* as_int is 0 or 1 */
    TACHO_MLIR_ATTR_INT,     /* as_int; its type is not kept */
    TACHO_MLIR_ATTR_STRING,  /* text, escapes undone */
    TACHO_MLIR_ATTR_SYMBOL,  /* text is the root symbol without its '@' */
    TACHO_MLIR_ATTR_INTS,    /* a list: array<i32: 1, 2>, [1, 2], dense<[1, 2]> of one dimension */
    TACHO_MLIR_ATTR_TEXT,    /* anything else; text as MLIR would print it where that is known */
    TACHO_MLIR_ATTR_UNKNOWN, /* the file does not contain enough to know */
} tacho_mlir_attr_kind;

/* There can be millions, so only what the kind has is kept. */
typedef struct tacho_mlir_attr {
    uint32_t name; /* a string of |strings| */
    tacho_mlir_attr_kind kind;
    union {
        int64_t as_int; /* of a BOOL or an INT */
        tacho_str text; /* of a STRING, a SYMBOL or a TEXT */
        struct {        /* of INTS */
            const int64_t *ints;
            size_t int_count;
        };
    };
} tacho_mlir_attr;

typedef struct tacho_mlir_op {
    uint32_t name;  /* a string of |strings|: "torq_hl.program"; an unregistered one the same */
    uint32_t block; /* the block it is in; TACHO_NONE at the top */
    uint32_t first_attr; /* in |attrs|; inherent and discardable alike */
    uint32_t attr_count;
    uint32_t first_operand; /* in |operands| */
    uint32_t operand_count;
    uint32_t first_result; /* a value; results are numbered one after the other */
    uint32_t result_count;
    uint32_t first_region; /* likewise */
    uint32_t region_count;
    uint32_t location; /* a string of |strings|: the inside of loc(...), aliases replaced; or, with
                          TACHO_MLIR_OWN_PLACE added, one of |own_places| */
} tacho_mlir_op;

/*
 * An operation without a location in the text has that of its own line. There can be very many of
 * these, and few are needed, so their texts are made only on demand.
 */
#define TACHO_MLIR_OWN_PLACE UINT32_C(0x80000000)

typedef struct tacho_mlir_own_place {
    uint32_t line;
    uint32_t column;
} tacho_mlir_own_place;

typedef struct tacho_mlir_region {
    uint32_t op;          /* that holds it */
    uint32_t first_block; /* blocks of a region are numbered one after the other */
    uint32_t block_count;
} tacho_mlir_region;

typedef struct tacho_mlir_block {
    uint32_t region;
    uint32_t first_argument; /* a value; numbered one after the other */
    uint32_t argument_count;
    uint32_t first_op; /* its operations: follow |next_op| */
} tacho_mlir_block;

typedef struct tacho_mlir_value {
    uint32_t op;    /* whose result it is, or TACHO_NONE */
    uint32_t block; /* whose argument it is, or TACHO_NONE */
    uint32_t index; /* among them */
    uint32_t type;  /* string: "!torq_hl.invocation<nss>" */
} tacho_mlir_value;

/*
 * Bytes that are elsewhere in the file than the attribute they belong to. They are views of the
 * file's bytes, and valid as long as these.
 */
typedef struct tacho_mlir_blob {
    /* A resource's key; or the very text (by its place in memory) of a dense attribute whose
     * elements are too many for a text. */
    tacho_str key;
    tacho_str bytes;
    bool is_hex; /* digits in hexadecimal, "0x" left out: a resource in a text */
} tacho_mlir_blob;

typedef struct tacho_mlir_module {
    tacho_arena arena;     /* texts and integer lists */
    tacho_strings strings; /* names, types and locations */
    tacho_mlir_op *ops;
    uint32_t *next_op; /* by op: the next one of its block, or TACHO_NONE */
    size_t op_count, op_capacity, next_op_capacity;
    tacho_mlir_attr *attrs;
    size_t attr_count, attr_capacity;
    uint32_t *operands; /* values; TACHO_NONE for one that the file never defines */
    size_t operand_count, operand_capacity;
    tacho_mlir_value *values;
    size_t value_count, value_capacity;
    tacho_mlir_region *regions;
    size_t region_count, region_capacity;
    tacho_mlir_block *blocks;
    size_t block_count, block_capacity;
    tacho_str own_name; /* the file, as in a location: in quotes */
    tacho_mlir_own_place *own_places;
    size_t own_place_count, own_place_capacity;
    tacho_mlir_blob *resources; /* of the builtin dialect and others: dense_resource<key> */
    size_t resource_count, resource_capacity;
    tacho_mlir_blob
        *dense_blobs; /* of "dense<...>" in bytecode, in the order of their attributes */
    size_t dense_blob_count, dense_blob_capacity;
    /*
     * The damage that a lenient reader found, and where; empty when the file was read as a whole.
     * Operations that have more in them than was read are listed in |open_ops|, outermost first.
     */
    tacho_str damage;
    const uint32_t *open_ops;
    size_t open_op_count;
    /* Ops with inherent attributes that a native properties blob hides. */
    uint64_t undecoded_count;
    /* Ops in a custom form that was not understood: they have a name and a location. */
    uint64_t tolerated_count;
} tacho_mlir_module;

tacho_status tacho_mlir_module_init(tacho_mlir_module *module) TACHO_MUST_USE;

/*
 * Room for about |op_count| operations of about as many attributes: a guess that spares moving
 * them. Of very many only some is reserved.
 */
tacho_status tacho_mlir_module_reserve(tacho_mlir_module *module, size_t op_count) TACHO_MUST_USE;
void tacho_mlir_module_deinit(tacho_mlir_module *module);

/* The attribute of |op| whose name is that string, or NULL; |name| may be TACHO_NONE. */
static inline const tacho_mlir_attr *tacho_mlir_module_attr(const tacho_mlir_module *module,
                                                            const tacho_mlir_op *op, uint32_t name)
{
    for (uint32_t i = 0; i < op->attr_count; i++) {
        if (module->attrs[op->first_attr + i].name == name) {
            return &module->attrs[op->first_attr + i];
        }
    }
    return NULL;
}

/* The same by the text of the name. */
const tacho_mlir_attr *tacho_mlir_module_attr_called(const tacho_mlir_module *module,
                                                     const tacho_mlir_op *op, const char *name);

/* The integer attribute of |op| whose name is that string; false when there is none. */
static inline bool tacho_mlir_module_int(const tacho_mlir_module *module, const tacho_mlir_op *op,
                                         uint32_t name, int64_t *out_value)
{
    const tacho_mlir_attr *attr = tacho_mlir_module_attr(module, op, name);
    if (attr == NULL || attr->kind != TACHO_MLIR_ATTR_INT) {
        return false;
    }
    *out_value = attr->as_int;
    return true;
}

/* Puts |count| attributes in order of their names. */
void tacho_mlir_module_sort_attrs(const tacho_mlir_module *module, tacho_mlir_attr *attrs,
                                  size_t count);

static inline tacho_str tacho_mlir_module_string(const tacho_mlir_module *module, uint32_t id)
{
    return tacho_strings_get(&module->strings, id);
}

/* The text of an operation's location; one that has to be made lives in |arena|. */
tacho_status tacho_mlir_module_location(const tacho_mlir_module *module, uint32_t location,
                                        tacho_arena *arena, tacho_str *out_text) TACHO_MUST_USE;

#endif
