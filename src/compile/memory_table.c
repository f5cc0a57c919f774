/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory report: the fullest core, shared memory, what goes between.
 */
#include "compile/memory_table.h"

tacho_status tacho_memory_table(const tacho_program *program, const tacho_machine *machine,
                                tacho_table *out_table)
{
    static const tacho_column columns[] = {
        {"memory", "Memory", TACHO_COLUMN_TEXT},
        {"what", "What", TACHO_COLUMN_TEXT},
        {"bytes", "Bytes", TACHO_COLUMN_INT},
        {"size_bytes", "Of", TACHO_COLUMN_INT},
        {"share_percent", "Share", TACHO_COLUMN_PERCENT},
    };
    const tacho_program_facts *facts = &program->facts;
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    uint64_t ddr_bytes = (uint64_t)tacho_quantity_whole(&ddr->size_bytes);
    const struct {
        tacho_str memory;
        const char *what;
        uint64_t bytes, size;
    } rows[] = {
        {local->name, "at most, of a core", facts->local_peak_bytes, facts->local_bytes},
        {ddr->name, "inputs, outputs and activations", facts->ddr_bytes, ddr_bytes},
        {ddr->name, "constants", facts->constant_bytes, ddr_bytes},
        {ddr->name, "read and written", facts->moved_bytes, 0},
    };
    tacho_table_init(out_table, "memory", "Memory", columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        TACHO_TRY(tacho_table_add_text(out_table, rows[i].memory));
        TACHO_TRY(tacho_table_add_text(out_table, tacho_str_from_cstring(rows[i].what)));
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)rows[i].bytes));
        if (rows[i].size == 0) {
            TACHO_TRY(tacho_table_add_absent(out_table));
            TACHO_TRY(tacho_table_add_absent(out_table));
            continue;
        }
        TACHO_TRY(tacho_table_add_int(out_table, (int64_t)rows[i].size));
        TACHO_TRY(
            tacho_table_add_real(out_table, 100.0 * (double)rows[i].bytes / (double)rows[i].size));
    }
    return TACHO_OK;
}
