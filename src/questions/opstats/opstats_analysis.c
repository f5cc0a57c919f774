/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw stats as analyses: the tables of one device's summary, and a roll-up of one inference.
 */
#include "questions/analysis.h"
#include "questions/opstats/opstats_rollup.h"
#include "questions/opstats/opstats_tables.h"

static tacho_status make_summary(const void *subject, const void *options,
                                 const tacho_table_taker *to)
{
    tacho_table tables[TACHO_OPSTATS_TABLE_COUNT];
    (void)options;
    tacho_status status = tacho_opstats_tables_init(tables, subject);
    for (size_t i = 0; i < TACHO_OPSTATS_TABLE_COUNT && status == TACHO_OK; i++) {
        status = to->take != NULL ? to->take(to->self, &tables[i]) : TACHO_OK;
    }
    tacho_opstats_tables_deinit(tables);
    return status;
}

const tacho_analysis tacho_analysis_opstats = {
    .name = "opstats",
    .question = "what did each core, thread, port and type of operator do during an inference",
    .subject = TACHO_SUBJECT_STATS,
    .make = make_summary,
};

static tacho_status make_rollup(const void *subject, const void *options,
                                const tacho_table_taker *to)
{
    const tacho_rollup_kind *kind = options;
    tacho_table table = {0};
    return tacho_table_hand_over(to, tacho_rollup_table(*kind, subject, &table), &table);
}

const tacho_analysis tacho_analysis_rollup = {
    .name = "rollup",
    .question = "where did the time of one inference go, over all its devices",
    .options = "tacho_rollup_kind",
    .subject = TACHO_SUBJECT_INFERENCE,
    .make = make_rollup,
};
