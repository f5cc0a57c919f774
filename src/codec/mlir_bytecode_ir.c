/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations, regions and blocks. Regions nest on a stack of our own.
 *
 * A region numbers the values that it defines after those of the regions around it, up to one
 * that is isolated: there numbering starts afresh. An operand may name a value that is defined
 * later. The operands that use it are then linked through the operands themselves, and get the
 * value when it is defined.
 */
#include "codec/mlir_bytecode_state.h"

#include "base/grow.h"

#include <stdlib.h>

enum {
    HAS_ATTRS = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_USE_LIST_ORDERS = 32,
    HAS_PROPERTIES = 64,
};

/* A value that an operand can name: its number in the module, or who waits for it. */
typedef struct slot {
    uint32_t value;         /* TACHO_NONE until it is defined */
    uint32_t first_waiting; /* an operand that names it; the next one is stored in its place */
} slot;

/* The regions of one operation, while they are read. */
typedef struct frame {
    tacho_mlirb_cursor bytes; /* of isolated regions, which have their own section */
    size_t owner;             /* the frame whose bytes are read here */
    uint32_t region;          /* the one being read, and the last plus one */
    uint32_t region_end;
    bool is_in_region;
    uint32_t block; /* the one being read, and the last plus one */
    uint32_t block_end;
    uint64_t op_left_count;
    uint32_t last_op;  /* of the block, or TACHO_NONE */
    size_t scope;      /* slot of value 0 */
    size_t first_slot; /* of this region; slots are given back at its end */
    size_t next_slot;  /* that is defined next */
    bool defines_values;
} frame;

typedef struct ir {
    tacho_mlirb *reader;
    tacho_mlir_module *module;
    frame *frames;
    size_t frame_count, frame_capacity;
    slot *slots;
    size_t slot_count, slot_capacity;
    uint64_t budget; /* values, regions and blocks that may still be announced */
} ir;

/*
 * Each value, region and block takes at least a byte of the section, so that no more can be
 * announced in all than it has: memory and time stay within reason however they nest.
 */
static tacho_status announce(ir *state, const tacho_mlirb_cursor *cursor, const char *what,
                             uint64_t count)
{
    if (count > state->budget) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "%llu %s are announced, more than the file can hold",
                          TACHO_MLIRB_WHERE(state->reader, cursor->at), (unsigned long long)count,
                          what);
    }
    state->budget -= count;
    return TACHO_OK;
}

/* ---- values ---- */

static void resolve_slot(ir *state, slot *named, uint32_t value)
{
    uint32_t *operands = state->module->operands;
    for (uint32_t at = named->first_waiting; at != TACHO_NONE;) {
        uint32_t next = operands[at];
        operands[at] = value;
        at = next;
    }
    *named = (slot){value, TACHO_NONE};
}

static tacho_status push_slots(ir *state, frame *top, uint64_t count)
{
    size_t need = state->slot_count + (size_t)count;
    top->first_slot = state->slot_count;
    top->next_slot = state->slot_count;
    top->defines_values = count > 0;
    if (need > state->slot_capacity) {
        TACHO_TRY(tacho_grow(&state->slots, &state->slot_capacity, need));
    }
    for (size_t i = state->slot_count; i < need; i++) {
        state->slots[i] = (slot){TACHO_NONE, TACHO_NONE};
    }
    state->slot_count = need;
    return TACHO_OK;
}

/* Values that were never defined stay absent in the operands that wait for them. */
static void pop_slots(ir *state, const frame *top)
{
    for (size_t i = top->first_slot; i < state->slot_count; i++) {
        if (state->slots[i].value == TACHO_NONE) {
            resolve_slot(state, &state->slots[i], TACHO_NONE);
        }
    }
    state->slot_count = top->first_slot;
}

static tacho_status add_value(ir *state, const tacho_mlirb_cursor *cursor, tacho_mlir_value value)
{
    tacho_mlir_module *module = state->module;
    frame *top = &state->frames[state->frame_count - 1];
    TACHO_TRY(tacho_grow(&module->values, &module->value_capacity, module->value_count + 1));
    module->values[module->value_count] = value;
    uint32_t id = (uint32_t)module->value_count++;
    if (!top->defines_values) {
        return TACHO_OK;
    }
    if (top->next_slot >= state->slot_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA,
                          TACHO_MLIRB_AT "a region defines more values than it announced",
                          TACHO_MLIRB_WHERE(state->reader, cursor->at));
    }
    resolve_slot(state, &state->slots[top->next_slot++], id);
    return TACHO_OK;
}

static tacho_status read_operand(ir *state, tacho_mlirb_cursor *cursor)
{
    tacho_mlir_module *module = state->module;
    const frame *top = &state->frames[state->frame_count - 1];
    uint32_t index = 0;
    TACHO_TRY(
        tacho_mlirb_index(state->reader, cursor, state->slot_count - top->scope, "value", &index));
    slot *named = &state->slots[top->scope + index];
    TACHO_TRY(tacho_grow(&module->operands, &module->operand_capacity, module->operand_count + 1));
    uint32_t place = (uint32_t)module->operand_count++;
    if (named->value != TACHO_NONE) {
        module->operands[place] = named->value;
        return TACHO_OK;
    }
    module->operands[place] = named->first_waiting;
    named->first_waiting = place;
    return TACHO_OK;
}

/* The order of a value's users is not used. */
static tacho_status skip_use_lists(ir *state, tacho_mlirb_cursor *cursor, size_t value_count)
{
    size_t list_count = 1;
    uint64_t ignored = 0;
    if (value_count > 1) {
        TACHO_TRY(tacho_mlirb_count(state->reader, cursor, &list_count));
    }
    for (size_t i = 0; i < list_count; i++) {
        uint64_t count = 0;
        bool is_pairs = false;
        if (value_count > 1) {
            TACHO_TRY(tacho_mlirb_varint(state->reader, cursor, &ignored));
        }
        TACHO_TRY(tacho_mlirb_flagged(state->reader, cursor, &count, &is_pairs));
        for (uint64_t use = 0; use < count; use++) {
            TACHO_TRY(tacho_mlirb_varint(state->reader, cursor, &ignored));
        }
    }
    return TACHO_OK;
}

/* ---- operations ---- */

static tacho_status add_op(ir *state, tacho_mlirb_op_name *name, uint32_t location)
{
    tacho_mlir_module *module = state->module;
    frame *top = &state->frames[state->frame_count - 1];
    TACHO_TRY(tacho_grow(&module->ops, &module->op_capacity, module->op_count + 1));
    TACHO_TRY(tacho_grow(&module->next_op, &module->next_op_capacity, module->op_count + 1));
    uint32_t id = (uint32_t)module->op_count++;
    module->ops[id] = (tacho_mlir_op){
        .name = name->name_id,
        .block = top->block,
        .first_attr = (uint32_t)module->attr_count,
        .first_operand = (uint32_t)module->operand_count,
        .first_result = (uint32_t)module->value_count,
        .first_region = (uint32_t)module->region_count,
        .location = location,
    };
    module->next_op[id] = TACHO_NONE;
    if (top->last_op != TACHO_NONE) {
        module->next_op[top->last_op] = id;
    } else if (top->block != TACHO_NONE) {
        module->blocks[top->block].first_op = id;
    }
    top->last_op = id;
    return TACHO_OK;
}

static tacho_status read_native(ir *state, tacho_mlirb_cursor *cursor, tacho_mlirb_op_name *name)
{
    tacho_mlirb *reader = state->reader;
    uint32_t index = 0;
    tacho_mlirb_cursor start = *cursor;
    tacho_status status =
        tacho_mlirb_index(reader, cursor, reader->property_count, "properties", &index);
    bool is_lost = status == TACHO_OK && reader->properties[index].at == NULL;
    if (reader->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        uint64_t number = 0;
        *cursor = start;
        tacho_mlirb_keep_trouble(reader, status);
        status = tacho_mlirb_varint(reader, cursor, &number);
        is_lost = status == TACHO_OK;
    }
    TACHO_TRY(status);
    if (is_lost) { /* cut off */
        state->module->undecoded_count++;
        return TACHO_OK;
    }
    if (name->is_registered) {
        return tacho_mlirb_read_properties(reader, name, reader->properties[index]);
    }
    tacho_mlirb_cursor blob = reader->properties[index];
    TACHO_TRY(tacho_mlirb_index(reader, &blob, reader->attr_count, "attribute", &index));
    return tacho_mlirb_add_dictionary(reader, index);
}

/* Operations that have the same dictionary, and nothing else, share its attributes. */
static tacho_status read_shared(ir *state, tacho_mlir_op *op, uint32_t index)
{
    tacho_mlirb_entry *entry = &state->reader->entries[index];
    if (entry->first_attr == TACHO_NONE) {
        uint32_t first = (uint32_t)state->module->attr_count;
        TACHO_TRY(tacho_mlirb_add_dictionary(state->reader, index));
        entry->first_attr = first;
        entry->attr_count = (uint32_t)state->module->attr_count - first;
    }
    op->first_attr = entry->first_attr;
    op->attr_count = entry->attr_count;
    return TACHO_OK;
}

/* Adds inherent attributes, then discardable ones, and sorts them all. */
static tacho_status read_attrs(ir *state, tacho_mlirb_cursor *cursor, tacho_mlir_op *op,
                               tacho_mlirb_op_name *name, unsigned mask)
{
    uint32_t dictionary = TACHO_NONE;
    tacho_mlirb *reader = state->reader;
    if ((mask & HAS_ATTRS) != 0) {
        TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "attribute", &dictionary));
    }
    if ((mask & HAS_PROPERTIES) != 0) {
        TACHO_TRY(read_native(state, cursor, name));
    } else if (dictionary != TACHO_NONE) {
        return read_shared(state, op, dictionary);
    }
    if (dictionary != TACHO_NONE) {
        TACHO_TRY(tacho_mlirb_add_dictionary(reader, dictionary));
    }
    op->attr_count = (uint32_t)state->module->attr_count - op->first_attr;
    if (op->attr_count > 1) {
        tacho_mlir_module_sort_attrs(state->module, state->module->attrs + op->first_attr,
                                     op->attr_count);
    }
    return TACHO_OK;
}

/* The types of results precede the operands, but results are defined after these. */
static tacho_status read_results(ir *state, tacho_mlirb_cursor *cursor, uint32_t op, size_t count)
{
    tacho_mlirb *reader = state->reader;
    for (uint32_t i = 0; i < count; i++) {
        tacho_mlir_value value = {.op = op, .block = TACHO_NONE, .index = i};
        uint32_t type = 0;
        TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->type_count, "type", &type));
        TACHO_TRY(tacho_mlirb_string_id(reader, (uint32_t)reader->attr_count + type, &value.type));
        TACHO_TRY(add_value(state, cursor, value));
    }
    state->module->ops[op].result_count = (uint32_t)count;
    return TACHO_OK;
}

static tacho_status read_operands(ir *state, tacho_mlirb_cursor *cursor, tacho_mlir_op *op)
{
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(state->reader, cursor, &count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(read_operand(state, cursor));
    }
    op->operand_count = (uint32_t)count;
    return TACHO_OK;
}

static tacho_status skip_successors(ir *state, tacho_mlirb_cursor *cursor)
{
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_count(state->reader, cursor, &count));
    const frame *top = &state->frames[state->frame_count - 1];
    size_t block_count = 1;
    if (top->block != TACHO_NONE) {
        block_count = state->module->regions[top->region].block_count;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t successor = 0;
        TACHO_TRY(tacho_mlirb_index(state->reader, cursor, block_count, "successor", &successor));
    }
    return TACHO_OK;
}

static tacho_status add_regions(ir *state, tacho_mlirb_cursor *cursor, uint32_t op,
                                bool *out_is_isolated)
{
    tacho_mlir_module *module = state->module;
    uint64_t count = 0;
    TACHO_TRY(tacho_mlirb_flagged(state->reader, cursor, &count, out_is_isolated));
    TACHO_TRY(announce(state, cursor, "regions", count));
    size_t need = module->region_count + (size_t)count;
    TACHO_TRY(tacho_grow(&module->regions, &module->region_capacity, need));
    for (size_t i = module->region_count; i < need; i++) {
        module->regions[i] = (tacho_mlir_region){.op = op};
    }
    module->region_count = need;
    module->ops[op].region_count = (uint32_t)count;
    return TACHO_OK;
}

/* Goes down into the regions of operation |op|. */
static tacho_status push_frame(ir *state, tacho_mlirb_cursor *cursor, uint32_t op, bool is_isolated)
{
    const tacho_mlir_op *parent = &state->module->ops[op];
    const frame *below = &state->frames[state->frame_count - 1];
    if (state->frame_count > TACHO_MLIR_DEPTH_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT, TACHO_MLIRB_AT "regions nest more than %d deep",
                          TACHO_MLIRB_WHERE(state->reader, cursor->at), TACHO_MLIR_DEPTH_MAX);
    }
    frame top = {.region = parent->first_region,
                 .region_end = parent->first_region + parent->region_count};
    top.owner = below->owner;
    top.scope = is_isolated ? state->slot_count : below->scope;
    if (is_isolated && state->reader->version >= 2) {
        const uint8_t *start = cursor->at;
        tacho_mlirb_section section = TACHO_MLIRB_STRINGS;
        TACHO_TRY(tacho_mlirb_section_clipped(state->reader, cursor, &section, &top.bytes));
        top.owner = state->frame_count;
        if (section != TACHO_MLIRB_IR) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              TACHO_MLIRB_AT "expected a section of operations, found section %d",
                              TACHO_MLIRB_WHERE(state->reader, start), (int)section);
        }
    }
    TACHO_TRY(tacho_grow(&state->frames, &state->frame_capacity, state->frame_count + 1));
    state->frames[state->frame_count++] = top;
    return TACHO_OK;
}

/* The operation at the cursor; the contents of its regions are read later. */
static tacho_status read_op(ir *state, tacho_mlirb_cursor *cursor)
{
    tacho_mlirb *reader = state->reader;
    uint32_t name = 0;
    uint32_t location = 0;
    uint8_t mask = 0;
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->op_name_count, "operation name", &name));
    TACHO_TRY(tacho_mlirb_byte(reader, cursor, &mask));
    TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "location", &location));
    TACHO_TRY(tacho_mlirb_string_id(reader, location, &location));
    TACHO_TRY(add_op(state, &reader->op_names[name], location));
    uint32_t id = (uint32_t)state->module->op_count - 1;
    tacho_mlir_op *op = &state->module->ops[id];
    TACHO_TRY(read_attrs(state, cursor, op, &reader->op_names[name], mask));
    tacho_mlirb_cursor results = *cursor;
    size_t result_count = 0;
    bool is_isolated = false;
    if ((mask & HAS_RESULTS) != 0) {
        TACHO_TRY(tacho_mlirb_count(reader, cursor, &result_count));
        results = *cursor;
        for (size_t i = 0; i < result_count; i++) {
            uint64_t type = 0;
            TACHO_TRY(tacho_mlirb_varint(reader, cursor, &type));
        }
    }
    if ((mask & HAS_OPERANDS) != 0) {
        TACHO_TRY(read_operands(state, cursor, op));
    }
    if ((mask & HAS_SUCCESSORS) != 0) {
        TACHO_TRY(skip_successors(state, cursor));
    }
    if (reader->version >= 3 && (mask & HAS_USE_LIST_ORDERS) != 0) {
        TACHO_TRY(skip_use_lists(state, cursor, result_count));
    }
    if ((mask & HAS_REGIONS) != 0) {
        TACHO_TRY(add_regions(state, cursor, id, &is_isolated));
    }
    TACHO_TRY(read_results(state, &results, id, result_count));
    return op->region_count > 0 ? push_frame(state, cursor, id, is_isolated) : TACHO_OK;
}

/* ---- blocks and regions ---- */

static tacho_status read_argument(ir *state, tacho_mlirb_cursor *cursor, uint32_t index)
{
    tacho_mlirb *reader = state->reader;
    const uint8_t *start = cursor->at;
    tacho_mlir_value value = {.op = TACHO_NONE, .index = index};
    value.block = state->frames[state->frame_count - 1].block;
    uint64_t type = 0;
    bool has_location = true;
    TACHO_TRY(reader->version >= 4 ? tacho_mlirb_flagged(reader, cursor, &type, &has_location)
                                   : tacho_mlirb_varint(reader, cursor, &type));
    if (type >= reader->type_count) {
        return tacho_fail(TACHO_CODE_BAD_DATA, TACHO_MLIRB_AT "type %llu, but there are only %zu",
                          TACHO_MLIRB_WHERE(reader, start), (unsigned long long)type,
                          reader->type_count);
    }
    if (has_location) {
        uint32_t location = 0; /* of an argument: not used */
        TACHO_TRY(tacho_mlirb_index(reader, cursor, reader->attr_count, "location", &location));
    }
    TACHO_TRY(tacho_mlirb_string_id(reader, (uint32_t)(reader->attr_count + type), &value.type));
    return add_value(state, cursor, value);
}

static tacho_status read_block_header(ir *state, tacho_mlirb_cursor *cursor)
{
    tacho_mlirb *reader = state->reader;
    frame *top = &state->frames[state->frame_count - 1];
    bool has_arguments = false;
    size_t count = 0;
    TACHO_TRY(tacho_mlirb_flagged(reader, cursor, &top->op_left_count, &has_arguments));
    top->last_op = TACHO_NONE;
    if (top->block != TACHO_NONE) {
        state->module->blocks[top->block].first_argument = (uint32_t)state->module->value_count;
    }
    if (!has_arguments) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_count(reader, cursor, &count));
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(read_argument(state, cursor, (uint32_t)i));
    }
    if (top->block != TACHO_NONE) {
        state->module->blocks[top->block].argument_count = (uint32_t)count;
    }
    uint8_t has_orders = 0;
    if (reader->version >= 3) {
        TACHO_TRY(tacho_mlirb_byte(reader, cursor, &has_orders));
    }
    return has_orders != 0 ? skip_use_lists(state, cursor, count) : TACHO_OK;
}

static tacho_status begin_region(ir *state, tacho_mlirb_cursor *cursor)
{
    tacho_mlir_module *module = state->module;
    frame *top = &state->frames[state->frame_count - 1];
    uint64_t block_count = 0;
    uint64_t value_count = 0;
    TACHO_TRY(tacho_mlirb_varint(state->reader, cursor, &block_count));
    tacho_mlir_region *region = &module->regions[top->region];
    region->first_block = (uint32_t)module->block_count;
    if (block_count == 0) {
        top->region++;
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlirb_varint(state->reader, cursor, &value_count));
    TACHO_TRY(announce(state, cursor, "blocks", block_count));
    TACHO_TRY(announce(state, cursor, "values", value_count));
    size_t need = module->block_count + (size_t)block_count;
    TACHO_TRY(tacho_grow(&module->blocks, &module->block_capacity, need));
    for (size_t i = module->block_count; i < need; i++) {
        module->blocks[i] = (tacho_mlir_block){.region = top->region, .first_op = TACHO_NONE};
    }
    top->block = (uint32_t)module->block_count;
    top->block_end = (uint32_t)need;
    module->block_count = need;
    region->block_count = (uint32_t)block_count;
    top->is_in_region = true;
    TACHO_TRY(push_slots(state, top, value_count));
    return read_block_header(state, cursor);
}

/* The block at hand has no more operations: on to the next, or out of the region. */
static tacho_status end_block(ir *state, tacho_mlirb_cursor *cursor)
{
    frame *top = &state->frames[state->frame_count - 1];
    if (top->block != TACHO_NONE && ++top->block < top->block_end) {
        return read_block_header(state, cursor);
    }
    pop_slots(state, top);
    top->is_in_region = false;
    top->region++;
    return TACHO_OK;
}

static tacho_status step(ir *state)
{
    frame *top = &state->frames[state->frame_count - 1];
    size_t owner = top->owner;
    if (top->is_in_region && top->op_left_count > 0) {
        top->op_left_count--;
        tacho_mlirb_cursor cursor = state->frames[owner].bytes; /* frames may move */
        TACHO_TRY(read_op(state, &cursor));
        state->frames[owner].bytes = cursor;
        return TACHO_OK;
    }
    if (top->is_in_region) {
        return end_block(state, &state->frames[owner].bytes);
    }
    if (top->region < top->region_end) {
        return begin_region(state, &state->frames[owner].bytes);
    }
    state->frame_count--;
    return TACHO_OK;
}

/* The top is a block of its own that belongs to no region. */
enum { OP_BYTES = 16 }; /* of most operations */

static tacho_status read_top(ir *state)
{
    tacho_mlirb_cursor section = state->reader->sections[TACHO_MLIRB_IR];
    state->budget = tacho_mlirb_left(&section);
    TACHO_TRY(tacho_mlir_module_reserve(state->module, tacho_mlirb_left(&section) / OP_BYTES));
    TACHO_TRY(tacho_grow(&state->frames, &state->frame_capacity, 1));
    frame top = {.bytes = section, .block = TACHO_NONE, .last_op = TACHO_NONE};
    top.is_in_region = true;
    state->frames[state->frame_count++] = top;
    TACHO_TRY(read_block_header(state, &state->frames[0].bytes));
    while (state->frame_count > 0) {
        TACHO_TRY(step(state));
    }
    return TACHO_OK;
}

/* Lists the operations that are not read to their end, and drops values not defined yet. */
static tacho_status give_up(ir *state)
{
    tacho_mlir_module *module = state->module;
    void *memory = NULL;
    TACHO_TRY(
        tacho_arena_alloc(&module->arena, (state->frame_count + 1) * sizeof(uint32_t), &memory));
    uint32_t *open = memory;
    for (size_t i = 1; i < state->frame_count; i++) { /* the first is the file's own */
        open[module->open_op_count++] = module->regions[state->frames[i].region_end - 1].op;
    }
    if (module->op_count > 0 &&
        (module->open_op_count == 0 || open[module->open_op_count - 1] < module->op_count - 1)) {
        open[module->open_op_count++] = (uint32_t)module->op_count - 1;
    }
    module->open_ops = open;
    for (size_t i = state->frame_count; i-- > 0;) {
        if (state->frames[i].is_in_region) {
            pop_slots(state, &state->frames[i]);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_mlirb_read_ir(tacho_mlirb *reader)
{
    ir state = {.reader = reader, .module = reader->module};
    tacho_status status = read_top(&state);
    if (reader->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        tacho_mlirb_keep_trouble(reader, status);
        status = give_up(&state);
    }
    free(state.frames);
    free(state.slots);
    return status;
}
