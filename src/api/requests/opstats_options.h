/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of tacho opstats and of the drop-in name that does the same.
 */
#ifndef TACHO_API_REQUESTS_OPSTATS_OPTIONS_H
#define TACHO_API_REQUESTS_OPSTATS_OPTIONS_H

#include "api/requests/options.h"
#include "vendors/qaic/opstats.h"

/* Chooses and does: what tacho opstats and the drop-in run. */
int tacho_opstats_command_run(tacho_request *given);

#endif
