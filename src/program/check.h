/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What holds of every program that is written or was read, so that devices need not ask.
 *
 * Ids are in range, and so are runs of records (first and count); a job waits for earlier jobs
 * only, and neither needs nor links nor attributes belong to two owners; tensors are as large as
 * their shapes say, constants lie within the constants, engines on cores that there are, and no
 * job ends before it starts.
 */
#ifndef TACHO_PROGRAM_CHECK_H
#define TACHO_PROGRAM_CHECK_H

#include "program/program.h"

/* The failure names table, record, field, what was expected and what was found. */
tacho_status tacho_program_check(const tacho_program *program) TACHO_MUST_USE;

#endif
