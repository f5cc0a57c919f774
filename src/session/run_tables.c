/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile of all recorded inferences is made for the table that needs it, and dropped again.
 */
#include "session/run_tables.h"

#include "questions/ops/ops.h"
#include "questions/overview/overview.h"

tacho_status tacho_run_overview_table(const tacho_run_session *session,
                                      const tacho_run_profile *first, tacho_table *out_table)
{
    tacho_overview overview;
    tacho_remote_facts board = {.host = NULL};
    bool is_remote = tacho_remote_facts_of(session->device, &board);
    const tacho_overview_options options = {
        .wall_time_ns = is_remote ? board.wall_ns : session->totals.wall_ns,
    };
    tacho_status status = tacho_overview_init(&overview, &first->profile, &options);
    if (status == TACHO_OK) {
        status = tacho_overview_table(&overview, out_table);
    }
    tacho_overview_deinit(&overview);
    return status;
}

static tacho_status make_ops(const tacho_profile *profile, const tacho_run_ops_choice *choice,
                             tacho_table *out_table)
{
    tacho_ops ops;
    const tacho_ops_options options = {
        .by_instance = true,
        .merges_parts = true,
        .sort = TACHO_OPS_BY_SELF,
        .top = choice->top,
        .filter = choice->filter,
        .classes = ~(TACHO_TRACK_BIT(TACHO_TRACK_PORT) | TACHO_TRACK_BIT(TACHO_TRACK_SYNC) |
                     TACHO_TRACK_BIT(TACHO_TRACK_PHASE)),
    };
    tacho_status status = tacho_ops_init(&ops, profile, &options);
    if (status == TACHO_OK) {
        status = tacho_ops_table(&ops, out_table);
    }
    tacho_ops_deinit(&ops);
    return status;
}

tacho_status tacho_run_ops_table(const tacho_run_session *session, const tacho_run_profile *first,
                                 const tacho_run_ops_choice *choice, tacho_table *out_table)
{
    tacho_run_profile all;
    if (session->sample_count < 2) {
        return make_ops(&first->profile, choice, out_table);
    }
    tacho_status status = tacho_run_profile_init_all(&all, session);
    if (status == TACHO_OK) {
        status = make_ops(&all.profile, choice, out_table);
    }
    tacho_run_profile_deinit(&all);
    return status;
}
