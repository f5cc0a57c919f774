/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes machine descriptions, and estimates with those that are accepted. Laws: reading twice
 * gives the same numbers; a product costs something, never less than its computing, and twice the
 * work never less; no machine that is accepted makes an estimate overflow unnoticed.
 */
#include "compile/op_cost.h"
#include "machine/machine_walk.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static tacho_status count_leaf(void *self, const tacho_machine_leaf *leaf)
{
    size_t *count = self;
    require(leaf->path.len > 0 && leaf->value.len > 0);
    require((leaf->unit.len > 0) == (leaf->source.len > 0));
    ++*count;
    return TACHO_OK;
}

static int64_t product_cycles(const tacho_machine *machine, uint64_t m, bool is_tuned)
{
    tacho_operand operand = {TACHO_DTYPE_BF16, TACHO_PLACE_DDR, 2 * m * 96};
    tacho_work work = {.kind = TACHO_WORK_MATRIX,
                       .input = operand,
                       .weights = operand,
                       .output = operand,
                       .batch = 1,
                       .m = m,
                       .n = 96,
                       .k_channels = 96,
                       .k_window = 1};
    tacho_cost_options options = {.is_tuned = is_tuned};
    tacho_op_cost cost;
    tacho_status status = tacho_op_cost_estimate(machine, &work, &options, &cost);
    if (status != TACHO_OK) {
        tacho_status_free(status);
        return -1;
    }
    require(cost.cycles > 0 && cost.cycles >= cost.compute_cycles && cost.compute_cycles > 0);
    require(cost.cores > 0 && cost.cores <= tacho_machine_cores(machine));
    return cost.cycles;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    tacho_status status =
        tacho_machine_read("fuzz", tacho_str_make((const char *)data, size), &arena, &machine);
    if (status == TACHO_OK) {
        size_t leaves = 0;
        tacho_machine_visitor visitor = {count_leaf, &leaves};
        require(tacho_machine_walk(machine, visitor) == TACHO_OK);
        require(leaves > 10);
        int64_t first = product_cycles(machine, 96, false);
        require(first == product_cycles(machine, 96, false));
        product_cycles(machine, 3000, true);
        status = tacho_machine_torq_hw(machine, "0:512:2:coral_v1:nss_v1:8:0.65", &arena);
    }
    tacho_status_free(status);
    tacho_arena_deinit(&arena);
    return 0;
}
