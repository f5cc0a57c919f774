/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All analyses of profiles.
 */
#include "questions/analysis.h"

const tacho_analysis *const tacho_questions[] = {
#define ANALYSIS_ROW(name) &tacho_analysis_##name,
    TACHO_QUESTIONS(ANALYSIS_ROW)
#undef ANALYSIS_ROW
        NULL,
};

tacho_status tacho_table_hand_over(const tacho_table_taker *to, tacho_status status,
                                   tacho_table *table)
{
    if (status == TACHO_OK && to->take != NULL) {
        status = to->take(to->self, table);
    }
    tacho_table_deinit(table);
    return status;
}

tacho_status tacho_items_tables_make(const tacho_items_table *tables, size_t table_count,
                                     const tacho_items *items, const tacho_table_taker *to)
{
    for (size_t i = 0; i < table_count; i++) {
        tacho_table table;
        tacho_status status = TACHO_OK;
        tacho_table_init(&table, tables[i].name, tables[i].title, tables[i].columns,
                         tables[i].column_count);
        for (size_t k = 0; k < items->item_count && status == TACHO_OK; k++) {
            status = tables[i].add(items->item(items->subject, k), &table);
        }
        TACHO_TRY(tacho_table_hand_over(to, status, &table));
    }
    return TACHO_OK;
}
