/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates of single matrix products, for bench/accuracy.py. Each line of standard input is
 *
 *     MACHINE M K N DTYPE FIDELITY GRID_X GRID_Y IN0 IN1 OUT TUNED
 *
 * with "-" for the machine's own fidelity, 0 for its own grid, dram or l1, and 0 or 1. Each line of
 * the output is the estimate in cycles.
 */
#include "compile/op_cost.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct row {
    char machine[64], dtype[16], fidelity[16], in0[8], in1[8], out[8];
    unsigned long m, k, n;
    unsigned grid_x, grid_y, tuned;
} row;

static void stop(tacho_status status)
{
    if (status != TACHO_OK) {
        fprintf(stderr, "op_cost_table: %s\n", tacho_status_message(status));
        tacho_status_free(status);
        exit(1);
    }
}

static tacho_operand operand(tacho_dtype dtype, const char *place, uint64_t elements)
{
    tacho_operand made = {.dtype = dtype};
    made.place = strcmp(place, "l1") == 0 ? TACHO_PLACE_LOCAL : TACHO_PLACE_DDR;
    if (!tacho_dtype_bytes(dtype, elements, &made.bytes)) {
        stop(tacho_fail(TACHO_CODE_BAD_DATA, "a tensor is too large"));
    }
    return made;
}

static void estimate(const row *r)
{
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    stop(tacho_machine_find(r->machine, &arena, &machine));
    tacho_dtype dtype = tacho_dtype_find(tacho_str_from_cstring(r->dtype));
    tacho_work work = {.kind = TACHO_WORK_MATRIX, .batch = 1, .m = r->m, .n = r->n};
    work.k_channels = r->k;
    work.k_window = 1;
    work.input = operand(dtype, r->in0, r->m * r->k);
    work.weights = operand(dtype, r->in1, r->k * r->n);
    work.output = operand(dtype, r->out, r->m * r->n);
    tacho_cost_options options = {.grid_x = r->grid_x, .grid_y = r->grid_y, .compute = dtype};
    options.fidelity = tacho_machine_fidelity_find(machine, tacho_str_from_cstring(r->fidelity));
    options.is_tuned = r->tuned != 0;
    tacho_op_cost cost;
    stop(tacho_op_cost_estimate(machine, &work, &options, &cost));
    printf("%lld\n", (long long)cost.cycles);
    tacho_arena_deinit(&arena);
}

int main(void)
{
    char line[512];
    while (fgets(line, sizeof(line), stdin) != NULL) {
        row r;
        int got =
            sscanf(line, "%63s %lu %lu %lu %15s %15s %u %u %7s %7s %7s %u", r.machine, &r.m, &r.k,
                   &r.n, r.dtype, r.fidelity, &r.grid_x, &r.grid_y, r.in0, r.in1, r.out, &r.tuned);
        if (got != 12) {
            fprintf(stderr, "op_cost_table: not a row: %s", line);
            return 1;
        }
        estimate(&r);
    }
    return 0;
}
