/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inherent attributes in native form: references without names, sorted by name, then the segment
 * sizes (version 5 has those as an attribute, in their place among the names). A blob does not
 * describe its own shape, so it fits a schema only if it is used up to the last byte.
 */
#include "codec/mlir_bytecode_state.h"

#define ANY TACHO_MLIR_ATTR_UNKNOWN
#define REQUIRED(name, kind)                                                                       \
    {                                                                                              \
        name, TACHO_MLIR_PROPERTY_REQUIRED, kind, 0                                                \
    }
#define OPTIONAL(name, kind)                                                                       \
    {                                                                                              \
        name, TACHO_MLIR_PROPERTY_OPTIONAL, kind, 0                                                \
    }
#define SEGMENTS(count)                                                                            \
    {                                                                                              \
        "operandSegmentSizes", TACHO_MLIR_PROPERTY_SEGMENTS, TACHO_MLIR_ATTR_INTS, count           \
    }
#define STRING TACHO_MLIR_ATTR_STRING
#define INT TACHO_MLIR_ATTR_INT
#define INTS TACHO_MLIR_ATTR_INTS
#define SYMBOL TACHO_MLIR_ATTR_SYMBOL

/* Those of MLIR are checked against mlir-opt; those of torq follow what its readers ask for. */
static const tacho_mlir_op_schema built_in[] = {
    {"arith.addf", {OPTIONAL("fastmath", ANY)}},
    {"arith.addi", {OPTIONAL("overflowFlags", ANY)}},
    {"arith.cmpf", {OPTIONAL("fastmath", ANY), REQUIRED("predicate", INT)}},
    {"arith.cmpi", {REQUIRED("predicate", INT)}},
    {"arith.constant", {REQUIRED("value", ANY)}},
    {"arith.divf", {OPTIONAL("fastmath", ANY)}},
    {"arith.mulf", {OPTIONAL("fastmath", ANY)}},
    {"arith.muli", {OPTIONAL("overflowFlags", ANY)}},
    {"arith.subf", {OPTIONAL("fastmath", ANY)}},
    {"arith.subi", {OPTIONAL("overflowFlags", ANY)}},
    {"builtin.module", {OPTIONAL("sym_name", STRING), OPTIONAL("sym_visibility", STRING)}},
    {"cf.cond_br", {OPTIONAL("branch_weights", ANY), SEGMENTS(3)}},
    {"func.call",
     {OPTIONAL("arg_attrs", ANY), REQUIRED("callee", SYMBOL), OPTIONAL("no_inline", ANY),
      OPTIONAL("res_attrs", ANY)}},
    {"func.constant", {REQUIRED("value", SYMBOL)}},
    {"func.func",
     {OPTIONAL("arg_attrs", ANY), REQUIRED("function_type", ANY), OPTIONAL("no_inline", ANY),
      OPTIONAL("res_attrs", ANY), REQUIRED("sym_name", STRING),
      OPTIONAL("sym_visibility", STRING)}},
    {"memref.alloc", {OPTIONAL("alignment", INT), SEGMENTS(2)}},
    {"memref.alloca", {OPTIONAL("alignment", INT), SEGMENTS(2)}},
    {"memref.collapse_shape", {REQUIRED("reassociation", ANY)}},
    {"memref.expand_shape",
     {REQUIRED("reassociation", ANY), REQUIRED("static_output_shape", INTS)}},
    {"memref.get_global", {REQUIRED("name", SYMBOL)}},
    {"memref.global",
     {OPTIONAL("alignment", INT), OPTIONAL("constant", ANY), OPTIONAL("initial_value", ANY),
      REQUIRED("sym_name", STRING), OPTIONAL("sym_visibility", STRING), REQUIRED("type", ANY)}},
    {"memref.load", {OPTIONAL("alignment", INT), OPTIONAL("nontemporal", ANY)}},
    {"memref.load", {OPTIONAL("nontemporal", ANY)}},
    {"memref.reinterpret_cast",
     {SEGMENTS(4), REQUIRED("static_offsets", INTS), REQUIRED("static_sizes", INTS),
      REQUIRED("static_strides", INTS)}},
    {"memref.store", {OPTIONAL("alignment", INT), OPTIONAL("nontemporal", ANY)}},
    {"memref.store", {OPTIONAL("nontemporal", ANY)}},
    {"memref.subview",
     {SEGMENTS(4), REQUIRED("static_offsets", INTS), REQUIRED("static_sizes", INTS),
      REQUIRED("static_strides", INTS)}},
    {"torq_hl.create_invocation", {REQUIRED("name", STRING)}},
    {"torq_hl.create_invocation", {REQUIRED("name", STRING), SEGMENTS(3)}},
    {"torq_hl.descriptor", {REQUIRED("name", STRING)}},
    {"torq_hl.descriptor", {REQUIRED("name", STRING), SEGMENTS(3)}},
    {"torq_hl.program", {REQUIRED("name", STRING)}},
    {"torq_hl.start_program", {SEGMENTS(3)}},
    {"torq_hw.slice_start", {REQUIRED("id", INT)}},
    {"torq_hw.slice_start", {REQUIRED("id", INT), SEGMENTS(3)}},
    {"torq_hw.slice_wait", {REQUIRED("id", INT)}},
};

enum { BUILT_IN_COUNT = sizeof(built_in) / sizeof(*built_in), SEGMENTS_MAX = 16 };

static size_t schema_count(const tacho_mlirb *reader)
{
    return reader->schemas.item_count + BUILT_IN_COUNT;
}

/* The caller's schemas are first. */
static const tacho_mlir_op_schema *schema_at(const tacho_mlirb *reader, size_t index)
{
    size_t own_count = reader->schemas.item_count;
    return index < own_count ? &reader->schemas.items[index] : &built_in[index - own_count];
}

static size_t find_schema(const tacho_mlirb *reader, tacho_str op, size_t from)
{
    while (from < schema_count(reader) &&
           !tacho_str_equal(tacho_str_from_cstring(schema_at(reader, from)->op), op)) {
        from++;
    }
    return from;
}

/* ---- one blob against one schema ---- */

/* As tacho_mlirb_varint, but running out of bytes is an answer and not a failure. */
static bool take_varint(tacho_mlirb *reader, tacho_mlirb_cursor *blob, uint64_t *out_value)
{
    if (blob->at == blob->end) {
        return false;
    }
    unsigned more = *blob->at == 0 ? 8 : (unsigned)__builtin_ctz(*blob->at);
    if (tacho_mlirb_left(blob) <= more) {
        return false;
    }
    tacho_status status = tacho_mlirb_varint(reader, blob, out_value);
    tacho_status_free(status); /* there are bytes enough: it cannot fail */
    return status == TACHO_OK;
}

/* The decoded value of a property. */
typedef struct finding {
    bool is_present;
    uint32_t attr; /* TACHO_NONE for |segments| */
    int64_t segments[SEGMENTS_MAX];
} finding;

static tacho_status take_attr(tacho_mlirb *reader, tacho_mlirb_cursor *blob,
                              const tacho_mlir_property *property, finding *found, bool *out_fits)
{
    uint64_t index = 0;
    *out_fits = take_varint(reader, blob, &index);
    found->is_present = true;
    if (property->form == TACHO_MLIR_PROPERTY_OPTIONAL) {
        found->is_present = (index & 1) != 0;
        index >>= 1;
    }
    *out_fits = *out_fits && (!found->is_present || index < reader->attr_count);
    if (!*out_fits || !found->is_present) {
        return TACHO_OK;
    }
    found->attr = (uint32_t)index;
    TACHO_TRY(tacho_mlirb_resolve(reader, found->attr));
    *out_fits = property->kind == TACHO_MLIR_ATTR_UNKNOWN ||
                property->kind == (tacho_mlir_attr_kind)reader->entries[index].kind;
    return TACHO_OK;
}

/* All values, or those that are not zero, each with its place in the low bits. */
static bool take_segments(tacho_mlirb *reader, tacho_mlirb_cursor *blob, uint32_t count,
                          int64_t *segments)
{
    uint64_t head = 0;
    uint64_t place_bits = 0;
    if (!take_varint(reader, blob, &head)) {
        return false;
    }
    bool is_sparse = (head & 1) != 0;
    uint64_t stored = head >> 1;
    if (stored > count || (is_sparse && stored > 0 && !take_varint(reader, blob, &place_bits)) ||
        place_bits > 8) {
        return false;
    }
    for (uint64_t i = 0; i < stored; i++) {
        uint64_t value = 0;
        if (!take_varint(reader, blob, &value)) {
            return false;
        }
        uint64_t place = is_sparse ? value & ((UINT64_C(1) << place_bits) - 1) : i;
        value >>= place_bits;
        if (place >= count || value > INT32_MAX) {
            return false;
        }
        segments[place] = (int64_t)value;
    }
    return true;
}

static tacho_status match(tacho_mlirb *reader, tacho_mlirb_cursor blob,
                          const tacho_mlir_op_schema *schema, finding *findings, bool *out_fits)
{
    const tacho_mlir_property *properties = schema->properties;
    bool has_native_segments = reader->version >= 6;
    size_t count = 0;
    *out_fits = true;
    for (; count < TACHO_MLIR_SCHEMA_PROPERTIES_MAX && properties[count].name != NULL; count++) {
        findings[count] = (finding){.attr = TACHO_NONE};
        bool is_last =
            properties[count].form == TACHO_MLIR_PROPERTY_SEGMENTS && has_native_segments;
        if (*out_fits && !is_last) {
            TACHO_TRY(take_attr(reader, &blob, &properties[count], &findings[count], out_fits));
        }
    }
    for (size_t i = 0; i < count && has_native_segments && *out_fits; i++) {
        if (properties[i].form == TACHO_MLIR_PROPERTY_SEGMENTS) {
            findings[i].is_present = true;
            *out_fits =
                take_segments(reader, &blob, properties[i].segment_count, findings[i].segments);
        }
    }
    *out_fits = *out_fits && blob.at == blob.end;
    return TACHO_OK;
}

/* ---- into the module ---- */

static tacho_status add_segments(tacho_mlirb *reader, uint32_t name, const int64_t *segments,
                                 uint32_t count)
{
    void *ints = NULL;
    TACHO_TRY(tacho_arena_alloc(&reader->module->arena, count * sizeof(int64_t), &ints));
    memcpy(ints, segments, count * sizeof(int64_t));
    tacho_mlir_attr attr = {.name = name, .kind = TACHO_MLIR_ATTR_INTS};
    attr.ints = ints;
    attr.int_count = count;
    return tacho_mlirb_append_attr(reader, &attr);
}

/* Names are those of the schema. */
static tacho_status add_finding(tacho_mlirb *reader, const tacho_mlir_property *property,
                                const finding *found)
{
    if (!found->is_present) {
        return TACHO_OK;
    }
    uint32_t name = 0;
    TACHO_TRY(tacho_strings_ensure(&reader->module->strings, tacho_str_from_cstring(property->name),
                                   &name));
    return found->attr != TACHO_NONE
               ? tacho_mlirb_add_attr(reader, name, found->attr)
               : add_segments(reader, name, found->segments, property->segment_count);
}

tacho_status tacho_mlirb_read_properties(tacho_mlirb *reader, tacho_mlirb_op_name *op_name,
                                         tacho_mlirb_cursor blob)
{
    if (op_name->first_schema == TACHO_NONE) {
        op_name->first_schema = (uint32_t)find_schema(reader, op_name->name, 0);
    }
    finding findings[TACHO_MLIR_SCHEMA_PROPERTIES_MAX];
    for (size_t at = op_name->first_schema; at < schema_count(reader);
         at = find_schema(reader, op_name->name, at + 1)) {
        const tacho_mlir_op_schema *schema = schema_at(reader, at);
        bool fits = false;
        TACHO_TRY(match(reader, blob, schema, findings, &fits));
        for (size_t i = 0; fits && i < TACHO_MLIR_SCHEMA_PROPERTIES_MAX; i++) {
            if (schema->properties[i].name == NULL) {
                break;
            }
            TACHO_TRY(add_finding(reader, &schema->properties[i], &findings[i]));
        }
        if (fits) {
            return TACHO_OK;
        }
    }
    reader->module->undecoded_count++;
    return TACHO_OK;
}
