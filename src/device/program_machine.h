/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine that a program was compiled for: described in the program itself, or built in.
 */
#ifndef TACHO_DEVICE_PROGRAM_MACHINE_H
#define TACHO_DEVICE_PROGRAM_MACHINE_H

#include "machine/machine.h"
#include "program/program.h"

/* The machine in |arena|, with the program's changes to its hardware applied. */
tacho_status tacho_program_machine(const tacho_program *program, tacho_arena *arena,
                                   tacho_machine **out_machine) TACHO_MUST_USE;

/* USAGE unless |argument|, a machine's name or file, is |machine| of the program; empty: any is. */
tacho_status tacho_program_machine_check(const tacho_machine *machine, const char *argument,
                                         tacho_arena *arena) TACHO_MUST_USE;

#endif
