/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a program and its operators fit the memory of their machine.
 */
#ifndef TACHO_COMPILE_MEMORY_CHECK_H
#define TACHO_COMPILE_MEMORY_CHECK_H

#include "compile/estimate.h"
#include "program/program.h"

/*
 * That shared memory, that of all devices together, has room for the tensors of a program: else a
 * LIMIT failure with the bytes and the largest tensor. |estimate| is the program's.
 */
tacho_status tacho_memory_check(const tacho_estimate *estimate,
                                const tacho_program *program) TACHO_MUST_USE;

/*
 * Checks that shared memory has room for the tensors of each operator: the same failure, before an
 * operator that cannot run is cut. |compute|: the type of stored real numbers, or NONE.
 */
tacho_status tacho_memory_check_operators(const tacho_fusion *fusion, const tacho_machine *machine,
                                          tacho_dtype compute) TACHO_MUST_USE;

#endif
