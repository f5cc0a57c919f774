/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a conversion for a person: progress, summary, losses, exit code. Shared by `convert`
 * and the drop-in names that convert.
 */
#ifndef TACHO_API_REQUESTS_CONVERT_RUN_H
#define TACHO_API_REQUESTS_CONVERT_RUN_H

#include "api/requests/request.h"
#include "pipeline/conversion.h"

/* Runs |conversion| and returns the exit code. */
int tacho_convert_run(tacho_request *given, tacho_conversion *conversion);

#endif
