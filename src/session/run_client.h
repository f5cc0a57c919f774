/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as a client of 'tacho profile': each recorded inference is reported operator by operator,
 * with its times on this computer and on the device.
 */
#ifndef TACHO_SESSION_RUN_CLIENT_H
#define TACHO_SESSION_RUN_CLIENT_H

#include "base/notes.h"
#include "program/recording.h"

typedef struct tacho_run_client tacho_run_client;

/* Who reports what: |program| outlives the client. */
typedef struct tacho_run_client_facts {
    const tacho_program *program;
    const char *path;   /* of the program or model */
    const char *device; /* "sim:wormhole-n150" */
    bool is_simulated;
    const tacho_notes *notes;
} tacho_run_client_facts;

/* NULL in |*out_client| where no collector listens, or it asks for less than operators. */
tacho_status tacho_run_client_open(const tacho_run_client_facts *facts,
                                   tacho_run_client **out_client) TACHO_MUST_USE;

/* Reports an inference. */
tacho_status tacho_run_client_report(tacho_run_client *client,
                                     const tacho_run_sample *sample) TACHO_MUST_USE;

void tacho_run_client_close(tacho_run_client *client); /* NULL is allowed */

#endif
