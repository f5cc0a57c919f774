/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The final numbers. The parser finds regions of one operation and blocks of one region with others
 * in between; here they become contiguous. Values are numbered in the order of the text: the
 * arguments of a block, then the results of its operations.
 */
#include "codec/mlir_text_parser.h"

#include <stdlib.h>

/* Regions of an operation are together, in the order of the operations. */
static tacho_status number_regions(tacho_mlir_parser *p, uint32_t *numbers)
{
    tacho_mlir_module *module = p->module;
    TACHO_TRY(tacho_grow(&module->regions, &module->region_capacity, p->region_count));
    module->region_count = p->region_count;
    uint32_t next = 0;
    for (size_t i = 0; i < module->op_count; i++) {
        module->ops[i].first_region = next;
        next += module->ops[i].region_count;
        module->ops[i].region_count = 0;
    }
    for (size_t i = 0; i < p->region_count; i++) {
        tacho_mlir_op *op = &module->ops[p->regions[i].op];
        numbers[i] = op->first_region + op->region_count++;
        module->regions[numbers[i]] =
            (tacho_mlir_region){p->regions[i].op, 0, p->regions[i].block_count};
    }
    return TACHO_OK;
}

/* Blocks of a region are together, in the order in which the regions start. */
static tacho_status number_blocks(tacho_mlir_parser *p, const uint32_t *region_numbers,
                                  uint32_t *numbers)
{
    tacho_mlir_module *module = p->module;
    TACHO_TRY(tacho_grow(&module->blocks, &module->block_capacity, p->block_count));
    module->block_count = p->block_count;
    uint32_t next = 0;
    for (size_t i = 0; i < p->region_count; i++) {
        tacho_mlir_region *region = &module->regions[region_numbers[i]];
        region->first_block = next;
        next += region->block_count;
        region->block_count = 0;
    }
    for (size_t i = 0; i < p->block_count; i++) {
        const tacho_mlir_draft_block *draft = &p->blocks[i];
        tacho_mlir_region *region = &module->regions[region_numbers[draft->region]];
        numbers[i] = region->first_block + region->block_count++;
        module->blocks[numbers[i]] =
            (tacho_mlir_block){region_numbers[draft->region], draft->first_argument,
                               draft->argument_count, draft->first_op};
    }
    for (size_t i = 0; i < module->op_count; i++) {
        tacho_mlir_op *op = &module->ops[i];
        op->block = op->block == TACHO_NONE ? TACHO_NONE : numbers[op->block];
    }
    return TACHO_OK;
}

/* Numbers |count| values from |first_draft| on; returns the number of the first. */
static uint32_t number_some(tacho_mlir_parser *p, uint32_t first_draft, uint32_t count,
                            tacho_mlir_value like)
{
    tacho_mlir_module *module = p->module;
    uint32_t first = (uint32_t)module->value_count;
    for (uint32_t i = 0; i < count; i++) {
        tacho_mlir_draft *draft = &p->drafts[first_draft + i];
        draft->number = (uint32_t)module->value_count;
        like.index = i;
        like.type = draft->type;
        module->values[module->value_count++] = like;
    }
    return first;
}

static void number_arguments(tacho_mlir_parser *p, uint32_t block_number)
{
    tacho_mlir_block *block = &p->module->blocks[block_number];
    tacho_mlir_value like = {.op = TACHO_NONE, .block = block_number};
    block->first_argument = number_some(p, block->first_argument, block->argument_count, like);
}

static tacho_status number_values(tacho_mlir_parser *p)
{
    tacho_mlir_module *module = p->module;
    TACHO_TRY(tacho_grow(&module->values, &module->value_capacity, p->draft_count));
    for (uint32_t i = 0; i < module->op_count; i++) {
        tacho_mlir_op *op = &module->ops[i];
        if (op->block != TACHO_NONE && module->blocks[op->block].first_op == i) {
            number_arguments(p, op->block);
        }
        tacho_mlir_value like = {.op = i, .block = TACHO_NONE};
        op->first_result = number_some(p, op->first_result, op->result_count, like);
    }
    for (uint32_t i = 0; i < module->block_count; i++) {
        if (module->blocks[i].first_op == TACHO_NONE) {
            number_arguments(p, i);
        }
    }
    for (size_t i = 0; i < module->operand_count; i++) {
        const tacho_mlir_draft *draft = &p->drafts[module->operands[i]];
        if (draft->forward != TACHO_NONE) {
            draft = &p->drafts[draft->forward];
        }
        module->operands[i] = draft->number;
    }
    return TACHO_OK;
}

tacho_status tacho_mlir_number(tacho_mlir_parser *p)
{
    uint32_t *region_numbers = malloc((p->region_count + 1) * sizeof(*region_numbers));
    uint32_t *block_numbers = malloc((p->block_count + 1) * sizeof(*block_numbers));
    tacho_status status = TACHO_OK;
    if (region_numbers == NULL || block_numbers == NULL) {
        status = tacho_fail(TACHO_CODE_NO_MEMORY, "cannot get memory to number %zu blocks",
                            p->block_count);
    }
    if (status == TACHO_OK) {
        status = number_regions(p, region_numbers);
    }
    if (status == TACHO_OK) {
        status = number_blocks(p, region_numbers, block_numbers);
    }
    free(region_numbers);
    free(block_numbers);
    return status == TACHO_OK ? number_values(p) : status;
}
