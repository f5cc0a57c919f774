/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All analyses.
 */
#include "analyses/analysis.h"

const tacho_analysis *const tacho_analyses[TACHO_ANALYSIS_COUNT] = {
#define ANALYSIS_ROW(id, name) [TACHO_ANALYSIS_##id] = &tacho_analysis_##name,
    TACHO_ANALYSES(ANALYSIS_ROW)
#undef ANALYSIS_ROW
};

tacho_status tacho_table_hand_over(const tacho_table_taker *to, tacho_status status,
                                   tacho_table *table)
{
    if (status == TACHO_OK) {
        status = to->take(to->self, table);
    }
    tacho_table_deinit(table);
    return status;
}
