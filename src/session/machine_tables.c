/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What descriptions say, in rows.
 */
#include "session/machine_tables.h"

#include "machine/cost.h"
#include "machine/machine_walk.h"
#include "session/find_machine.h"
#include "session/host_machine.h"

/* ---- all of them --------------------------------------------------------------------------- */

static const tacho_column list_columns[] = {
    TACHO_COLUMN(MACHINE, "machine", TEXT),
    TACHO_COLUMN(CORES, "cores", INT),
    TACHO_COLUMN(CLOCK_MHZ, "clock (MHz)", INT),
    TACHO_COLUMN(PEAK_TYPE, "peak type", TEXT),
    TACHO_COLUMN(PEAK_MACS_PER_CYCLE, "MACs/cycle", INT),
    TACHO_COLUMN(LOCAL_BYTES, "local bytes", INT),
    TACHO_COLUMN(DDR_MB_PER_S, "DDR (MB/s)", INT),
    TACHO_COLUMN(TITLE, "what it is", TEXT),
};

/* The most multiply-accumulates per cycle of all cores, and for which type. */
static int64_t peak_macs(const tacho_machine *machine, tacho_dtype *out_dtype)
{
    tacho_ratio best = {0, 1};
    *out_dtype = TACHO_DTYPE_NONE;
    for (size_t i = 0; i < machine->engine_count; i++) {
        const tacho_engine *engine = &machine->engines[i];
        for (size_t j = 0; j < engine->mac_count; j++) {
            tacho_ratio all;
            if (tacho_ratio_multiply(engine->macs[j].per_cycle.value, engine->count.value, &all) &&
                tacho_ratio_compare(all, best) > 0) {
                best = all;
                *out_dtype = engine->macs[j].dtype;
            }
        }
    }
    int64_t peak;
    return tacho_ratio_ceil_multiply(tacho_machine_cores(machine), best, &peak) ? peak : 0;
}

static tacho_status add_list_row(tacho_table *table, const tacho_machine *machine)
{
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    const tacho_memory *ddr = tacho_machine_memory(machine, TACHO_MEMORY_DDR);
    uint64_t hz = (uint64_t)tacho_quantity_whole(&machine->core_clock_hz);
    int64_t rate = 0;
    tacho_dtype dtype;
    int64_t peak = peak_macs(machine, &dtype);
    bool fits = tacho_ratio_ceil_multiply(hz / 1000000, ddr->bytes_per_cycle.value, &rate);
    TACHO_TRY(tacho_table_add_text(table, machine->name));
    TACHO_TRY(tacho_table_add_int(table, tacho_machine_cores(machine)));
    TACHO_TRY(tacho_table_add_int(table, (int64_t)(hz / 1000000)));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(tacho_dtype_name(dtype))));
    TACHO_TRY(tacho_table_add_int(table, peak));
    TACHO_TRY(tacho_table_add_int(table, tacho_quantity_whole(&local->size_bytes)));
    TACHO_TRY(fits ? tacho_table_add_int(table, rate) : tacho_table_add_absent(table));
    return tacho_table_add_text(table, machine->title);
}

/* A machine as it is known: a listing measures nothing, and says so. */
static tacho_status find_listed(const char *name, const tacho_notes *notes, tacho_arena *arena,
                                tacho_machine **out_machine)
{
    bool is_known;
    if (!tacho_is_host_machine(name)) {
        return tacho_session_find_machine(name, notes, arena, out_machine);
    }
    TACHO_TRY(tacho_host_machine_known(arena, out_machine, &is_known));
    if (!is_known) {
        tacho_note(notes, "note",
                   "this computer has not been measured; the list shows the built-in host-cpu, and "
                   "its first use measures it");
    }
    return TACHO_OK;
}

tacho_status tacho_machine_list_table(const tacho_notes *notes, tacho_table *out_table)
{
    tacho_table_init(out_table, "machines", "Machines", list_columns,
                     sizeof(list_columns) / sizeof(list_columns[0]));
    for (size_t i = 0; tacho_machine_builtin(i) != NULL; i++) {
        tacho_arena arena;
        tacho_arena_init(&arena);
        tacho_machine *machine = NULL;
        tacho_status status = find_listed(tacho_machine_builtin(i), notes, &arena, &machine);
        if (status == TACHO_OK) {
            status = add_list_row(out_table, machine);
        }
        tacho_arena_deinit(&arena);
        TACHO_TRY(status);
    }
    return TACHO_OK;
}

/* ---- one of them --------------------------------------------------------------------------- */

static const tacho_column show_columns[] = {
    TACHO_COLUMN(PATH, "what", TEXT),
    TACHO_COLUMN(VALUE, "value", TEXT),
    TACHO_COLUMN(UNIT, "unit", TEXT),
    TACHO_COLUMN(SOURCE, "source", TEXT),
};

static tacho_status add_leaf(void *self, const tacho_machine_leaf *leaf)
{
    tacho_table *table = self;
    TACHO_TRY(tacho_table_add_text(table, leaf->path));
    TACHO_TRY(tacho_table_add_text(table, leaf->value));
    if (leaf->unit.len == 0) {
        TACHO_TRY(tacho_table_add_absent(table));
        return tacho_table_add_absent(table);
    }
    TACHO_TRY(tacho_table_add_text(table, leaf->unit));
    return tacho_table_add_text(table, leaf->source);
}

tacho_status tacho_machine_show_table(const char *name_or_path, const tacho_notes *notes,
                                      tacho_table *out_table)
{
    tacho_table_init(out_table, "machine", "Machine", show_columns,
                     sizeof(show_columns) / sizeof(show_columns[0]));
    static const tacho_column_id whole[] = {TACHO_COL_PATH, TACHO_COL_OTHER};
    out_table->whole = whole; /* to be written into a description */
    static const tacho_column_id kept[] = {TACHO_COL_PATH, TACHO_COL_VALUE, TACHO_COL_OTHER};
    out_table->kept = kept;
    tacho_arena arena;
    tacho_arena_init(&arena);
    tacho_machine *machine = NULL;
    tacho_status status = tacho_session_find_machine(name_or_path, notes, &arena, &machine);
    if (status == TACHO_OK) {
        status = tacho_machine_walk(machine, (tacho_machine_visitor){add_leaf, out_table});
    }
    tacho_arena_deinit(&arena);
    return status;
}
