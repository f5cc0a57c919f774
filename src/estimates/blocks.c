/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the blocks of a program (the units that the host starts and waits for) ran.
 */
#include "estimates/estimates.h"
#include "program/block_order.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct block_lister {
    const tacho_program *program;
    tacho_block_order order;
} block_lister;

static tacho_str string_of(const block_lister *self, uint32_t id)
{
    return tacho_strings_get(&self->program->strings, id);
}

/* "conv2d_6 and 2 more". */
static tacho_status add_block_name(block_lister *self, const tacho_block *block, tacho_table *table)
{
    char text[200] = "-";
    uint32_t at = 0;
    uint32_t count = tacho_block_order_count_ops(&self->order, block, UINT32_MAX);
    tacho_block_order_begin_ops(&self->order);
    uint32_t op = tacho_block_order_next_op(&self->order, block, &at);
    if (count == 1) {
        return tacho_table_add_text(table, string_of(self, self->program->ops[op].name));
    }
    if (count > 1) {
        snprintf(text, sizeof(text), "%.120s and %" PRIu32 " more",
                 string_of(self, self->program->ops[op].name).data, count - 1);
    }
    return tacho_table_add_text(table, tacho_str_from_cstring(text));
}

static tacho_status add_block(block_lister *self, size_t i, const int64_t span[2],
                              tacho_table *table)
{
    const tacho_block *block = &self->program->blocks[self->order.blocks[i]];
    TACHO_TRY(tacho_table_add_int(table, (int64_t)i));
    TACHO_TRY(tacho_table_add_text(
        table, string_of(self, self->program->dispatches[block->dispatch].name)));
    TACHO_TRY(tacho_table_add_int(table, span[0]));
    TACHO_TRY(tacho_table_add_int(table, span[1]));
    TACHO_TRY(tacho_table_add_int(table, span[1] - span[0]));
    return add_block_name(self, block, table);
}

static tacho_status add_blocks(block_lister *self, const tacho_recording *recording,
                               tacho_table *table)
{
    const tacho_device_result *result = &recording->samples[0].result;
    int64_t shift_ns = -recording->open_ns;
    int64_t span[2] = {0, result->start_ns + shift_ns};
    for (size_t i = 0; i < self->program->block_count; i++) {
        tacho_block_order_span(&self->order, result, i, shift_ns, span);
        TACHO_TRY(add_block(self, i, span, table));
    }
    return TACHO_OK;
}

/* One row per block of the first recorded inference: when it ran, and for how long. */
static tacho_status blocks_table(const tacho_recording *recording, tacho_table *out_table)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(BLOCK, "Block", INT),         TACHO_COLUMN(DISPATCH, "Dispatch", TEXT),
        TACHO_COLUMN(START_NS, "Start", DURATION), TACHO_COLUMN(END_NS, "End", DURATION),
        TACHO_COLUMN(TIME_NS, "Time", DURATION),   TACHO_COLUMN(OPERATORS, "Operators", TEXT),
    };
    block_lister self = {.program = recording->program};
    tacho_table_init(out_table, "blocks", "Blocks", columns, 6);
    static const tacho_column_id kept[] = {TACHO_COL_DISPATCH, TACHO_COL_TIME_NS, TACHO_COL_OTHER};
    out_table->kept = kept;
    tacho_status status = tacho_block_order_init(&self.order, recording);
    if (status == TACHO_OK && recording->sample_count > 0) {
        status = add_blocks(&self, recording, out_table);
    }
    tacho_block_order_deinit(&self.order);
    return status;
}

static tacho_status make_tables(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    tacho_table table = {0};
    (void)options;
    tacho_status status = blocks_table(subject, &table);
    return tacho_table_hand_over(to, status, &table);
}

const tacho_analysis tacho_analysis_blocks = {
    .name = "blocks",
    .question = "when did each block of a program run",
    .subject = TACHO_SUBJECT_RECORDING,
    .make = make_tables,
};
