/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One row for each point; columns that no point has anything for are left out for people.
 */
#include "session/sweep_table.h"

static const char *phase_name(tacho_sweep_phase phase)
{
    static const char *const names[] = {"forward", "prefill", "decode"};
    return names[phase];
}

static tacho_status add_count(tacho_table *table, int64_t value)
{
    return value >= 0 ? tacho_table_add_int(table, value) : tacho_table_add_absent(table);
}

static tacho_status add_bytes(tacho_table *table, uint64_t bytes)
{
    return tacho_table_add_int(table, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX);
}

static tacho_status add_word(tacho_table *table, const char *word)
{
    return word[0] != '\0' ? tacho_table_add_text(table, tacho_str_from_cstring(word))
                           : tacho_table_add_absent(table);
}

static tacho_status add_results(tacho_table *table, const tacho_sweep_point *point)
{
    TACHO_TRY(tacho_table_add_int(table, point->time_ns));
    TACHO_TRY(point->tokens_per_s > 0 ? tacho_table_add_real(table, point->tokens_per_s)
                                      : tacho_table_add_absent(table));
    TACHO_TRY(tacho_table_add_real(table, point->inferences_per_s));
    TACHO_TRY(tacho_table_add_text(table, tacho_str_from_cstring(point->bound)));
    TACHO_TRY(tacho_table_add_real(table, point->bound_percent));
    TACHO_TRY(tacho_table_add_real(table, point->utilisation_percent));
    TACHO_TRY(add_bytes(table, point->ddr_bytes));
    TACHO_TRY(add_bytes(table, point->live.constants));
    TACHO_TRY(point->cache_bytes > 0 ? add_bytes(table, point->cache_bytes)
                                     : tacho_table_add_absent(table));
    TACHO_TRY(add_bytes(table, tacho_live_bytes_sum(&point->live)));
    TACHO_TRY(tacho_table_add_flag(table, point->fits));
    tacho_table_mark(table, point->fits ? TACHO_MARK_NONE : TACHO_MARK_BAD);
    return add_word(table, point->is_scheduled ? "schedule" : "operators");
}

enum { SIZE_COLUMNS = 5, RESULT_COLUMNS = 12 };

static tacho_status add_point(tacho_table *table, const tacho_sweep_point *point,
                              const tacho_sweep_request *request)
{
    TACHO_TRY(tacho_table_add_text(table, request->machine->name));
    TACHO_TRY(add_word(table, phase_name(point->phase)));
    TACHO_TRY(add_count(table, point->batch));
    TACHO_TRY(add_count(table, point->sequence));
    TACHO_TRY(add_word(table, point->sizes));
    if (point->is_estimated) {
        return add_results(table, point);
    }
    for (int i = 0; i < RESULT_COLUMNS - 2; i++) {
        TACHO_TRY(tacho_table_add_absent(table));
    }
    TACHO_TRY(tacho_table_add_flag(table, false));
    tacho_table_mark(table, TACHO_MARK_BAD);
    return tacho_table_add_absent(table);
}

tacho_status tacho_sweep_table_write(const tacho_sweep_point *points, size_t point_count,
                                     const tacho_sweep_request *request,
                                     const tacho_table_taker *to)
{
    static const tacho_column columns[] = {
        TACHO_COLUMN(MACHINE, "Machine", TEXT),
        TACHO_COLUMN(PHASE, "Phase", TEXT),
        TACHO_COLUMN(BATCH, "Batch", INT),
        TACHO_COLUMN(SEQUENCE, "Seq", INT),
        TACHO_COLUMN(SIZES, "Sizes", TEXT),
        TACHO_COLUMN(TIME_NS, "Time", DURATION),
        TACHO_COLUMN(TOKENS_PER_S, "Tokens/s", REAL),
        TACHO_COLUMN(INFERENCES_PER_S, "Inf/s", REAL),
        TACHO_COLUMN(BOUND, "Bound", TEXT),
        TACHO_COLUMN(BOUND_PERCENT, "Bound share", PERCENT),
        TACHO_COLUMN(UTILISATION_PERCENT, "Util", PERCENT),
        TACHO_COLUMN(DDR_BYTES, "DDR bytes", INT),
        TACHO_COLUMN(WEIGHT_BYTES, "Weights", INT),
        TACHO_COLUMN(CACHE_BYTES, "Cache", INT),
        TACHO_COLUMN(MEMORY_BYTES, "Memory", INT),
        TACHO_COLUMN(FITS, "Fits", FLAG),
        TACHO_COLUMN(METHOD, "Method", TEXT),
    };
    static const tacho_column_id kept[] = {TACHO_COL_PHASE,        TACHO_COL_BATCH,
                                           TACHO_COL_SEQUENCE,     TACHO_COL_TIME_NS,
                                           TACHO_COL_TOKENS_PER_S, TACHO_COL_OTHER};
    tacho_table table;
    tacho_table_init(&table, "sweep", "Sweep", columns, SIZE_COLUMNS + RESULT_COLUMNS);
    table.kept = kept;
    tacho_status status = TACHO_OK;
    for (size_t i = 0; status == TACHO_OK && i < point_count; i++) {
        status = add_point(&table, &points[i], request);
    }
    if (status == TACHO_OK) {
        status = to->take(to->self, &table);
    }
    tacho_table_deinit(&table);
    return status;
}
