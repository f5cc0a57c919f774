/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles are made for each table and dropped again: what a table needs differs.
 */
#include "session/tables.h"

#include "analyses/ops.h"
#include "analyses/overview.h"

tacho_status tacho_run_overview_table(const tacho_run_session *session, tacho_table *out_table)
{
    tacho_run_profile profile;
    tacho_overview overview = {0};
    const tacho_overview_options options = {.wall_time_ns = session->totals.wall_ns};
    tacho_status status = tacho_run_profile_init(&profile, session);
    if (status == TACHO_OK) {
        status = tacho_overview_init(&overview, &profile.profile, &options);
    }
    if (status == TACHO_OK) {
        status = tacho_overview_table(&overview, out_table);
    }
    tacho_overview_deinit(&overview);
    tacho_run_profile_deinit(&profile);
    return status;
}

tacho_status tacho_run_ops_table(const tacho_run_session *session, size_t top,
                                 tacho_table *out_table)
{
    tacho_run_profile profile;
    tacho_ops ops = {0};
    const tacho_ops_options options = {
        .by_instance = true,
        .merges_parts = true,
        .sort = TACHO_OPS_BY_SELF,
        .top = top,
        .classes = ~(TACHO_TRACK_BIT(TACHO_TRACK_PORT) | TACHO_TRACK_BIT(TACHO_TRACK_SYNC) |
                     TACHO_TRACK_BIT(TACHO_TRACK_PHASE)),
    };
    tacho_status status = session->sample_count < 2 ? tacho_run_profile_init(&profile, session)
                                                    : tacho_run_profile_init_all(&profile, session);
    if (status == TACHO_OK) {
        status = tacho_ops_init(&ops, &profile.profile, &options);
    }
    if (status == TACHO_OK) {
        status = tacho_ops_table(&ops, out_table);
    }
    tacho_ops_deinit(&ops);
    tacho_run_profile_deinit(&profile);
    return status;
}
