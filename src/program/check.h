/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Invariants of every program that is written or was read, so that devices need not check them.
 *
 * Ids are in range, and so are runs of records (first and count); a job waits for earlier jobs
 * only, and neither needs nor links nor attributes belong to two owners; sizes of tensors match
 * their shapes, constants are inside the constants and aligned for their type, engines are on
 * existing cores, and no job ends before it starts.
 */
#ifndef TACHO_PROGRAM_CHECK_H
#define TACHO_PROGRAM_CHECK_H

#include "program/program.h"

/* The failure names table, record, field, the expected value and the one found. */
tacho_status tacho_program_check(const tacho_program *program) TACHO_MUST_USE;

#endif
