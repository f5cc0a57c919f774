/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is that is no profile: so that people learn which verb takes it.
 */
#ifndef TACHO_API_REQUESTS_FILE_KIND_H
#define TACHO_API_REQUESTS_FILE_KIND_H

#include "api/requests/request.h"
#include "pipeline/intake.h"

/* Adds to a failure to recognise an input what the inputs seem to be; passes others through. */
tacho_status tacho_request_note_kinds(const tacho_request *given, tacho_status status,
                                      const tacho_intake *intake) TACHO_MUST_USE;

/* The same of pipes, of a verb that tells networks and programs only where they are files. */
tacho_status tacho_request_note_pipes(tacho_status status,
                                      const tacho_intake *intake) TACHO_MUST_USE;

/* The same of a failure to read a model at |path|. */
tacho_status tacho_request_note_no_model(const tacho_request *given, tacho_status status,
                                         const char *path) TACHO_MUST_USE;

#endif
