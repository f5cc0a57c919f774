/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the MLIR text reader. Laws: numbers are in range; regions, blocks and operations know
 * each other; chains of operations end and follow the text; values know where they come from.
 */
#include "codec/mlir_text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool succeeded(tacho_status status)
{
    bool is_ok = status == TACHO_OK;
    tacho_status_free(status);
    return is_ok;
}

static void check_op(const tacho_mlir_module *module, uint32_t index)
{
    const tacho_mlir_op *op = &module->ops[index];
    require(op->name < module->strings.item_count);
    require(op->block == TACHO_NONE || op->block < module->block_count);
    require((op->location & TACHO_MLIR_OWN_PLACE) != 0
                ? (op->location & ~TACHO_MLIR_OWN_PLACE) < module->own_place_count
                : op->location < module->strings.item_count);
    require((size_t)op->first_attr + op->attr_count <= module->attr_count);
    require((size_t)op->first_operand + op->operand_count <= module->operand_count);
    require((size_t)op->first_region + op->region_count <= module->region_count);
    require((size_t)op->first_result + op->result_count <= module->value_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = module->operands[op->first_operand + i];
        require(value == TACHO_NONE || value < module->value_count);
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        const tacho_mlir_value *value = &module->values[op->first_result + i];
        require(value->op == index && value->index == i && value->block == TACHO_NONE);
        require(value->type < module->strings.item_count);
    }
    for (uint32_t i = 0; i < op->region_count; i++) {
        require(module->regions[op->first_region + i].op == index);
    }
    for (uint32_t i = 1; i < op->attr_count; i++) {
        const tacho_mlir_attr *attr = &module->attrs[op->first_attr + i];
        require(tacho_str_compare(tacho_mlir_module_string(module, attr[-1].name),
                                  tacho_mlir_module_string(module, attr->name)) <= 0);
    }
}

static size_t check_block(const tacho_mlir_module *module, uint32_t index)
{
    const tacho_mlir_block *block = &module->blocks[index];
    require(block->region < module->region_count);
    const tacho_mlir_region *region = &module->regions[block->region];
    require(index >= region->first_block && index - region->first_block < region->block_count);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        const tacho_mlir_value *value = &module->values[block->first_argument + i];
        require(value->block == index && value->index == i && value->op == TACHO_NONE);
    }
    size_t op_count = 0;
    uint32_t last = region->op;
    for (uint32_t op = block->first_op; op != TACHO_NONE; op = module->next_op[op]) {
        require(op > last && op < module->op_count && module->ops[op].block == index);
        last = op;
        op_count++;
    }
    return op_count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_mlir_module module;
    require(succeeded(tacho_mlir_module_init(&module)));
    if (succeeded(tacho_mlir_text_read("f", tacho_str_make((const char *)data, size), &module))) {
        size_t op_count = 0;
        for (uint32_t i = 0; i < module.block_count; i++) {
            op_count += check_block(&module, i);
        }
        for (uint32_t i = 0; i < module.op_count; i++) {
            check_op(&module, i);
            op_count += module.ops[i].block == TACHO_NONE;
        }
        require(op_count == module.op_count);
    }
    tacho_mlir_module_deinit(&module);
    return 0;
}
