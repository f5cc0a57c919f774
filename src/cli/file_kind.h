/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is that is no profile: so that people learn which verb takes it.
 */
#ifndef TACHO_CLI_FILE_KIND_H
#define TACHO_CLI_FILE_KIND_H

#include "api/intake.h"

/* Adds to a failure to recognise an input what the inputs seem to be; passes others through. */
tacho_status tacho_cli_note_kinds(tacho_status status, const tacho_intake *intake) TACHO_MUST_USE;

#endif
