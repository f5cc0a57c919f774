/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runner: a session with copies of all that its caller said.
 */
#ifndef TACHO_API_RUNNER_H
#define TACHO_API_RUNNER_H

#include "api/model_request.h"
#include "session/run.h"
#include <tacho/run.h>

struct tacho_runner {
    tacho_arena arena; /* of texts */
    tacho_runner_options options;
    tacho_model_request model;
    tacho_run_request request;
    tacho_run_session session;
    const tacho_runner_plan *plan; /* of a run that goes on, else NULL */
    bool is_open;                  /* opening it has succeeded */
    bool has_run;                  /* an inference, at least */
};

/* Whether |runner| is one and has run. */
tacho_status tacho_runner_check_run(const tacho_runner *runner) TACHO_MUST_USE;

#endif
