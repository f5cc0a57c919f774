/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the bytecode reader: the cursor over bytes, the table of attributes and
 * types, and the text that is being put together. Not for other code.
 *
 * A name in the file is a number; attributes and types refer to one another by it, forwards and
 * backwards, so they are decoded when they are asked for and remembered (mlir_bytecode_entry.c).
 */
#ifndef TACHO_CODEC_MLIR_BYTECODE_STATE_H
#define TACHO_CODEC_MLIR_BYTECODE_STATE_H

#include "codec/mlir_bytecode.h"

/* For tacho_fail: which file, which byte. */
#define TACHO_MLIRB_AT "%s: byte %zu: "
#define TACHO_MLIRB_WHERE(reader, place)                                                           \
    (reader)->name, (size_t)((place) - (const uint8_t *)(reader)->bytes.data)

typedef struct tacho_mlirb_cursor {
    const uint8_t *at;
    const uint8_t *end;
} tacho_mlirb_cursor;

typedef enum tacho_mlirb_section {
    TACHO_MLIRB_STRINGS,
    TACHO_MLIRB_DIALECTS,
    TACHO_MLIRB_ENTRIES,
    TACHO_MLIRB_ENTRY_SIZES,
    TACHO_MLIRB_IR,
    TACHO_MLIRB_RESOURCES,
    TACHO_MLIRB_RESOURCE_SIZES,
    TACHO_MLIRB_DIALECT_VERSION,
    TACHO_MLIRB_PROPERTIES,
    TACHO_MLIRB_SECTION_COUNT,
} tacho_mlirb_section;

typedef enum tacho_mlirb_state {
    TACHO_MLIRB_NEW,
    TACHO_MLIRB_OPEN, /* waits for entries it refers to */
    TACHO_MLIRB_DONE,
} tacho_mlirb_state;

/* The form of an entry, as far as it matters to entries that refer to it. */
typedef enum tacho_mlirb_form {
    TACHO_MLIRB_OTHER,
    TACHO_MLIRB_LOCATION, /* an attribute; its text is the inside of loc(...) */
    TACHO_MLIRB_DICTIONARY,
    TACHO_MLIRB_INTEGER_TYPE, /* also index */
    TACHO_MLIRB_FLOAT_TYPE,
    TACHO_MLIRB_FUNCTION_TYPE,
    TACHO_MLIRB_SHAPED_TYPE,
} tacho_mlirb_form;

typedef enum tacho_mlirb_signedness {
    TACHO_MLIRB_SIGNLESS,
    TACHO_MLIRB_SIGNED,
    TACHO_MLIRB_UNSIGNED,
} tacho_mlirb_signedness;

/* An attribute or a type. There can be millions, so it is kept within 64 bytes. */
typedef struct tacho_mlirb_entry {
    uint32_t start; /* of its data, in the file */
    uint32_t len;
    uint32_t dialect;
    bool is_custom;     /* not assembly text */
    uint8_t state;      /* tacho_mlirb_state */
    uint8_t form;       /* tacho_mlirb_form */
    uint8_t kind;       /* tacho_mlir_attr_kind */
    tacho_str text;     /* as MLIR prints it; a STRING without quotes and escapes */
    uint32_t bare_len;  /* of |text| without its type, where MLIR may leave that out */
    uint32_t string_id; /* in the module's strings; TACHO_NONE until asked for */
    union {
        struct { /* an attribute */
            union {
                int64_t as_int;
                const int64_t *ints; /* in the module */
                uint32_t root;       /* of a SYMBOL: the entry that is its name */
                tacho_str *exported; /* of a TEXT, once it lives in the module; else NULL */
            };
            union {
                uint32_t int_count;
                uint32_t type; /* of an INT, which has no text of its own, nor has a BOOL */
            };
            uint32_t first_attr; /* of a dictionary that some operation has; else TACHO_NONE */
            uint32_t attr_count;
        };
        struct {                 /* a type */
            uint32_t width;      /* of a number */
            uint8_t signedness;  /* tacho_mlirb_signedness */
            uint32_t element;    /* type of a shaped type's elements, in |entries| */
            uint32_t rank;       /* TACHO_NONE when it is not known */
            const int64_t *dims; /* negative ones are not known */
        };
    };
} tacho_mlirb_entry;

typedef struct tacho_mlirb_op_name {
    tacho_str name; /* in the module */
    uint32_t name_id;
    bool is_registered;
    uint32_t first_schema; /* TACHO_NONE before the first look */
} tacho_mlirb_op_name;

typedef struct tacho_mlirb {
    const char *name;
    tacho_str bytes;
    uint64_t version;
    tacho_mlir_module *module;
    bool is_lenient;
    tacho_status trouble; /* the first that a lenient reader passed over, or TACHO_OK */
    tacho_mlir_schemas schemas;
    tacho_arena arena; /* the tables below, and texts that the module may not need */
    tacho_mlirb_cursor sections[TACHO_MLIRB_SECTION_COUNT]; /* at NULL when absent */
    tacho_str *strings;                                     /* in the module */
    size_t string_count;
    tacho_str *dialects;
    size_t dialect_count;
    tacho_mlirb_op_name *op_names;
    size_t op_name_count, op_name_capacity;
    tacho_mlirb_entry *entries; /* attributes, then types */
    size_t attr_count, type_count;
    tacho_mlirb_cursor *properties;
    size_t property_count;
    tacho_str *resources; /* keys */
    size_t resource_count, resource_capacity;
    uint32_t *pending; /* entries to decode, the last one first */
    size_t pending_count, pending_capacity;
    bool is_blocked; /* the entry at hand refers to one that is not decoded yet */
    char *text;      /* of the entry at hand */
    size_t text_len, text_capacity;
    size_t text_total;
    size_t element_total; /* in lists of integers */
} tacho_mlirb;

/* ---- the cursor: mlir_bytecode_cursor.c ---- */

static inline size_t tacho_mlirb_left(const tacho_mlirb_cursor *cursor)
{
    return (size_t)(cursor->end - cursor->at);
}

tacho_status tacho_mlirb_long_varint(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                     uint64_t *out_value) TACHO_MUST_USE;

/* An integer; small ones are a single byte with its lowest bit set. */
static inline tacho_status tacho_mlirb_varint(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                              uint64_t *out_value)
{
    if (TACHO_LIKELY(cursor->at != cursor->end && (*cursor->at & 1) != 0)) {
        *out_value = *cursor->at++ >> 1;
        return TACHO_OK;
    }
    return tacho_mlirb_long_varint(reader, cursor, out_value);
}

/* An integer whose lowest bit is a flag. */
tacho_status tacho_mlirb_flagged(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                 uint64_t *out_value, bool *out_flag) TACHO_MUST_USE;
tacho_status tacho_mlirb_signed(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                int64_t *out_value) TACHO_MUST_USE;
tacho_status tacho_mlirb_byte(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                              uint8_t *out_value) TACHO_MUST_USE;

/* The number of things that follow, each of at least one byte. */
tacho_status tacho_mlirb_count(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                               size_t *out_count) TACHO_MUST_USE;

/* The next |len| bytes. */
tacho_status tacho_mlirb_bytes(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor, uint64_t len,
                               tacho_mlirb_cursor *out_bytes) TACHO_MUST_USE;

/* A length and that many bytes. */
tacho_status tacho_mlirb_blob(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                              tacho_mlirb_cursor *out_blob) TACHO_MUST_USE;

/* A number that must be less than |count|; |what| is for the message. */
tacho_status tacho_mlirb_index(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor, size_t count,
                               const char *what, uint32_t *out_index) TACHO_MUST_USE;

/* The number of a string. */
tacho_status tacho_mlirb_string(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                tacho_str *out_string) TACHO_MUST_USE;

tacho_status tacho_mlirb_section_next(const tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                      tacho_mlirb_section *out_section,
                                      tacho_mlirb_cursor *out_data) TACHO_MUST_USE;

/* The same; a lenient reader takes the remaining part of a section that is cut off. */
tacho_status tacho_mlirb_section_clipped(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                         tacho_mlirb_section *out_section,
                                         tacho_mlirb_cursor *out_data) TACHO_MUST_USE;

/* Keeps the trouble of a lenient reader if it is the first, else frees it. */
void tacho_mlirb_keep_trouble(tacho_mlirb *reader, tacho_status status);

/* ---- the text of the entry at hand: mlir_bytecode_text.c ---- */

tacho_status tacho_mlirb_put(tacho_mlirb *reader, tacho_str text) TACHO_MUST_USE;
#define tacho_mlirb_puts(reader, literal) tacho_mlirb_put((reader), TACHO_STR(literal))
tacho_status tacho_mlirb_put_unsigned(tacho_mlirb *reader, uint64_t value) TACHO_MUST_USE;
tacho_status tacho_mlirb_put_signed(tacho_mlirb *reader, int64_t value) TACHO_MUST_USE;
tacho_status tacho_mlirb_put_quoted(tacho_mlirb *reader, tacho_str text) TACHO_MUST_USE;
/* Quoted only when it must be. */
tacho_status tacho_mlirb_put_keyword(tacho_mlirb *reader, tacho_str text) TACHO_MUST_USE;
/* The value that |bits| are in the float type |type|, as MLIR prints it. */
tacho_status tacho_mlirb_put_float(tacho_mlirb *reader, const tacho_mlirb_entry *type,
                                   uint64_t bits) TACHO_MUST_USE;

/* ---- attributes and types: mlir_bytecode_entry.c ---- */

static inline tacho_mlirb_cursor tacho_mlirb_data(const tacho_mlirb *reader,
                                                  const tacho_mlirb_entry *entry)
{
    const uint8_t *start = (const uint8_t *)reader->bytes.data + entry->start;
    return (tacho_mlirb_cursor){start, start + entry->len};
}

/* Decodes entry |index| and the entries it refers to; does nothing when that is done. */
tacho_status tacho_mlirb_resolve(tacho_mlirb *reader, uint32_t index) TACHO_MUST_USE;

/*
 * While an entry is decoded: the entry that the cursor refers to, or NULL when it must be
 * decoded first. The caller goes on to find what else is missing, as far as it can; it is
 * called again later.
 */
tacho_status tacho_mlirb_need_attr(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                   const tacho_mlirb_entry **out_entry) TACHO_MUST_USE;
tacho_status tacho_mlirb_need_type(tacho_mlirb *reader, tacho_mlirb_cursor *cursor,
                                   const tacho_mlirb_entry **out_entry) TACHO_MUST_USE;

/* Whether MLIR leaves out the type of a 64-bit number here. */
typedef enum tacho_mlirb_elision { TACHO_MLIRB_TYPED, TACHO_MLIRB_BARE } tacho_mlirb_elision;

/* Puts |entry| in its form inside another; NULL puts nothing. */
tacho_status tacho_mlirb_put_entry(tacho_mlirb *reader, const tacho_mlirb_entry *entry,
                                   tacho_mlirb_elision elision) TACHO_MUST_USE;

/* Decodes the data of one builtin entry into |entry| and the text at hand. */
tacho_status tacho_mlirb_decode_attr(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                     tacho_mlirb_cursor *cursor) TACHO_MUST_USE;
tacho_status tacho_mlirb_decode_type(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                     tacho_mlirb_cursor *cursor) TACHO_MUST_USE;
tacho_status tacho_mlirb_decode_dense_array(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                            tacho_mlirb_cursor *cursor) TACHO_MUST_USE;
tacho_status tacho_mlirb_decode_dense(tacho_mlirb *reader, tacho_mlirb_entry *entry,
                                      tacho_mlirb_cursor *cursor) TACHO_MUST_USE;

/* The value of an integer of |type| whose bits are |bits|: extended as its sign asks. */
int64_t tacho_mlirb_extend(const tacho_mlirb_entry *type, uint64_t bits);

/* Entry |index| as a type or location: its string in the module. */
tacho_status tacho_mlirb_string_id(tacho_mlirb *reader, uint32_t index,
                                   uint32_t *out_id) TACHO_MUST_USE;

/* Adds entry |index| to the module's attributes as |name|, a string of the file. */
tacho_status tacho_mlirb_add_attr(tacho_mlirb *reader, uint32_t name,
                                  uint32_t index) TACHO_MUST_USE;

/* Adds the entries of dictionary |index| to the module's attributes. */
tacho_status tacho_mlirb_add_dictionary(tacho_mlirb *reader, uint32_t index) TACHO_MUST_USE;

/* ---- bytes without a text: mlir_bytecode_blob.c ---- */

/* Adds a resource of the module; |data| is its data in its section. */
tacho_status tacho_mlirb_keep_resource(tacho_mlirb *reader, tacho_str key, uint8_t kind,
                                       tacho_mlirb_cursor data) TACHO_MUST_USE;

/* Adds the elements of a dense attribute whose text leaves them out; does nothing for others. */
tacho_status tacho_mlirb_keep_dense(tacho_mlirb *reader,
                                    const tacho_mlirb_entry *entry) TACHO_MUST_USE;

/* ---- the rest ---- */

/* Adds the inherent attributes in |blob|; counts the operation when they cannot be decoded. */
tacho_status tacho_mlirb_read_properties(tacho_mlirb *reader, tacho_mlirb_op_name *op_name,
                                         tacho_mlirb_cursor blob) TACHO_MUST_USE;

tacho_status tacho_mlirb_read_ir(tacho_mlirb *reader) TACHO_MUST_USE;

/* One more attribute of the module. */
tacho_status tacho_mlirb_append_attr(tacho_mlirb *reader,
                                     const tacho_mlir_attr *attr) TACHO_MUST_USE;

#endif
