/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants of every module, however bad the file was that a reader accepted. For tests.
 */
#ifndef TACHO_CODEC_MLIR_MODULE_TESTING_H
#define TACHO_CODEC_MLIR_MODULE_TESTING_H

#include "codec/mlir_module.h"

static inline bool tacho_mlir_has_range(uint32_t first, uint32_t count, size_t total)
{
    return count == 0 || (first < total && count <= total - first);
}

/* Touches every byte of |text|, for the address sanitizer. */
static inline bool tacho_mlir_is_text(tacho_str text)
{
    unsigned sum = 0;
    for (size_t i = 0; i < text.len; i++) {
        sum += (unsigned char)text.data[i];
    }
    return sum != UINT32_MAX;
}

static inline bool tacho_mlir_is_location(const tacho_mlir_module *module, uint32_t location)
{
    return (location & TACHO_MLIR_OWN_PLACE) != 0
               ? (location & ~TACHO_MLIR_OWN_PLACE) < module->own_place_count
               : location < module->strings.item_count;
}

static inline bool tacho_mlir_op_is_sound(const tacho_mlir_module *module, uint32_t id)
{
    const tacho_mlir_op *op = &module->ops[id];
    bool holds =
        op->name < module->strings.item_count &&
        (op->block == TACHO_NONE || op->block < module->block_count) &&
        (module->next_op[id] == TACHO_NONE ||
         (module->next_op[id] > id && module->next_op[id] < module->op_count &&
          module->ops[module->next_op[id]].block == op->block)) &&
        tacho_mlir_has_range(op->first_attr, op->attr_count, module->attr_count) &&
        tacho_mlir_has_range(op->first_operand, op->operand_count, module->operand_count) &&
        tacho_mlir_has_range(op->first_result, op->result_count, module->value_count) &&
        tacho_mlir_has_range(op->first_region, op->region_count, module->region_count) &&
        tacho_mlir_is_location(module, op->location);
    for (uint32_t i = 0; holds && i < op->result_count; i++) {
        const tacho_mlir_value *value = &module->values[op->first_result + i];
        holds = value->op == id && value->block == TACHO_NONE && value->index == i;
    }
    for (uint32_t i = 0; holds && i < op->region_count; i++) {
        holds = module->regions[op->first_region + i].op == id;
    }
    return holds;
}

static inline bool tacho_mlir_block_is_sound(const tacho_mlir_module *module, uint32_t id)
{
    const tacho_mlir_block *block = &module->blocks[id];
    bool holds =
        block->region < module->region_count &&
        (block->first_op == TACHO_NONE ||
         (block->first_op < module->op_count && module->ops[block->first_op].block == id)) &&
        tacho_mlir_has_range(block->first_argument, block->argument_count, module->value_count);
    for (uint32_t i = 0; holds && i < block->argument_count; i++) {
        const tacho_mlir_value *value = &module->values[block->first_argument + i];
        holds = value->block == id && value->op == TACHO_NONE && value->index == i;
    }
    return holds;
}

static inline bool tacho_mlir_attr_is_sound(const tacho_mlir_module *module,
                                            const tacho_mlir_attr *attr)
{
    tacho_str bytes = TACHO_STR("");
    if (attr->kind == TACHO_MLIR_ATTR_INTS) {
        bytes = tacho_str_make((const char *)attr->ints, attr->int_count * sizeof(int64_t));
    } else if (attr->kind == TACHO_MLIR_ATTR_STRING || attr->kind == TACHO_MLIR_ATTR_SYMBOL ||
               attr->kind == TACHO_MLIR_ATTR_TEXT) {
        bytes = attr->text;
    }
    return attr->name < module->strings.item_count && tacho_mlir_is_text(bytes) &&
           attr->kind <= TACHO_MLIR_ATTR_UNKNOWN &&
           (attr->kind != TACHO_MLIR_ATTR_BOOL || attr->as_int == (attr->as_int & 1));
}

/* Every number refers to something, and mutual references agree. */
static inline bool tacho_mlir_module_is_sound(const tacho_mlir_module *module)
{
    bool holds = true;
    for (uint32_t i = 0; holds && i < module->op_count; i++) {
        holds = tacho_mlir_op_is_sound(module, i);
    }
    for (uint32_t i = 0; holds && i < module->region_count; i++) {
        const tacho_mlir_region *region = &module->regions[i];
        holds = region->op < module->op_count &&
                tacho_mlir_has_range(region->first_block, region->block_count, module->block_count);
    }
    for (uint32_t i = 0; holds && i < module->block_count; i++) {
        holds = tacho_mlir_block_is_sound(module, i);
    }
    for (size_t i = 0; holds && i < module->operand_count; i++) {
        holds = module->operands[i] == TACHO_NONE || module->operands[i] < module->value_count;
    }
    for (size_t i = 0; holds && i < module->value_count; i++) {
        holds = module->values[i].type < module->strings.item_count;
    }
    for (size_t i = 0; holds && i < module->attr_count; i++) {
        holds = tacho_mlir_attr_is_sound(module, &module->attrs[i]);
    }
    return holds;
}

#endif
