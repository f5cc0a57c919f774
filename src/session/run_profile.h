/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The profile of a run: what the device recorded, decoded as any file of raw stats would be. Tables
 * are made from the first recorded inference, that of operators from all of them (of the first
 * activation); a trace holds all.
 */
#ifndef TACHO_SESSION_RUN_PROFILE_H
#define TACHO_SESSION_RUN_PROFILE_H

#include "session/run.h"
#include "profile/profile.h"
#include "sinks/trace_sink.h"

typedef struct tacho_run_profile {
    tacho_dict dict;
    tacho_profile profile; /* no spans where nothing was recorded */
} tacho_run_profile;

/* Call deinit even after a failure. */
tacho_status tacho_run_profile_init(tacho_run_profile *profile,
                                    const tacho_run_session *session) TACHO_MUST_USE;

/* All recorded inferences of the first activation, a part each, which all bear one name. */
tacho_status tacho_run_profile_init_all(tacho_run_profile *profile,
                                        const tacho_run_session *session) TACHO_MUST_USE;
void tacho_run_profile_deinit(tacho_run_profile *profile);

/* Writes a trace of what was recorded to |path|. Where that is nothing it is UNSUPPORTED. */
tacho_status tacho_run_profile_write(const tacho_run_session *session, const tacho_trace_sink *sink,
                                     const char *path) TACHO_MUST_USE;

#endif
