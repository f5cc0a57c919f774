/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completing a request: what the caller of a run leaves open follows from the device.
 */
#ifndef TACHO_SESSION_RUN_REQUEST_H
#define TACHO_SESSION_RUN_REQUEST_H

#include "session/run.h"

/* A number that is left open. */
#define TACHO_RUN_OPEN UINT64_MAX

enum { TACHO_RUN_ACTIVATIONS_MAX = 1024, TACHO_RUN_THREADS_MAX = 1024 };

/*
 * Fills in iterations and sampling that are TACHO_RUN_OPEN: one inference, recorded; where a
 * device measures, not the first of several, and enough for medians when it |compares| operators
 * with their estimates. The device says for which machine, and how, a model is compiled.
 */
void tacho_run_request_complete(tacho_run_request *request, bool compares);

#endif
