/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes tables of measured operators; input that does not begin as one gets a heading. Laws: a
 * table that is read has rows with an operator, inputs and a time; an operator that can be built
 * costs something, or fails, and the same again.
 */
#include "compile/measured.h"
#include "reading.h"

enum { SIZE_MAX_BYTES = 1 << 12, ROWS_MAX = 4, ELEMENTS_MAX = 1 << 22 };

static bool is_small(const tacho_measured *row)
{
    uint64_t all = 1;
    for (uint32_t i = 0; i < row->input_count; i++) {
        uint64_t elements;
        require(tacho_shape_elements(&row->inputs[i].shape, &elements));
        all = elements > ELEMENTS_MAX ? ELEMENTS_MAX + 1 : all * elements;
        if (all > ELEMENTS_MAX) {
            return false;
        }
    }
    return true;
}

static void estimate(const tacho_measured *row, const tacho_machine *machine)
{
    tacho_measured_op op;
    int64_t cycles[2] = {0, 0};
    tacho_status status = tacho_measured_op_init(&op, row, machine, TACHO_STR("t"));
    for (int i = 0; i < 2 && status == TACHO_OK; i++) {
        status = tacho_measured_op_cycles(&op, machine, &cycles[i]);
        require(status != TACHO_OK || cycles[i] > 0);
    }
    require(status != TACHO_OK || cycles[0] == cycles[1]);
    tacho_status_free(status);
    tacho_measured_op_deinit(&op);
}

static void read_table(const char *bytes, size_t size)
{
    tacho_measured_table table;
    tacho_input input;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_arena_init(&arena);
    require_ok(tacho_machine_find("wormhole-n150", &arena, &machine));
    require_ok(tacho_input_open_bytes("t", tacho_str_make(bytes, size), &input));
    tacho_status status = tacho_measured_init(&table, &input);
    require(status != TACHO_OK || table.row_count > 0);
    for (size_t i = 0; i < table.row_count; i++) {
        const tacho_measured *row = &table.rows[i];
        require(row->op.len > 0 && (row->ns > 0.0 || row->cycles > 0.0));
        require(row->input_count > 0 && row->shape_key.len > 0);
        if (i < ROWS_MAX && is_small(row)) {
            estimate(row, machine);
        }
    }
    tacho_status_free(status);
    tacho_measured_deinit(&table);
    tacho_input_close(&input);
    tacho_arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "op,shape,attributes,dtype,ns\n";
    enum { HEAD_BYTES = sizeof(head) - 1 };
    static char whole[HEAD_BYTES + SIZE_MAX_BYTES];
    size = size < SIZE_MAX_BYTES ? size : SIZE_MAX_BYTES;
    memcpy(whole, head, HEAD_BYTES);
    memcpy(whole + HEAD_BYTES, data, size);
    read_table((const char *)data, size);
    read_table(whole, HEAD_BYTES + size);
    return 0;
}
