/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a program and recording it: what tacho profile and the drop-in names for it share.
 */
#ifndef TACHO_API_REQUESTS_PROFILE_RUN_H
#define TACHO_API_REQUESTS_PROFILE_RUN_H

#include "api/requests/options.h"
#include "session/capture_run.h"

/* What the command line says. */
typedef struct tacho_profile_choice {
    const char *output;      /* capture, trace or table; or NULL */
    const char *tt_report;   /* Tenstorrent's op table; or NULL */
    const char *tracy_path;  /* a Tracy capture of operators beside the table; or NULL */
    bool has_all_tt_columns; /* see tacho_tt_capture_request */
    uint64_t port;           /* UINT64_MAX: none */
    uint64_t tracy_port;     /* 0: none */
    bool omits_tracy;
    uint64_t stats_level;
    const char *timeout;  /* or NULL */
    const char *activate; /* "/10s"; or NULL */
    bool is_live;
} tacho_profile_choice;

#define TACHO_PROFILE_DEFAULTS                                                                     \
    {                                                                                              \
        .port = UINT64_MAX, .stats_level = TACHO_PROFILE_LEVEL                                     \
    }

/* Runs the words of |given|; returns the exit status of the program, or our own. */
int tacho_profile_run(tacho_request *given, const tacho_profile_choice *choice);

#endif
