/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines are data: a JSON description of cores, engines, memories and clocks, each number with
 * its physical name, its unit and where it is published. machine/cost.h computes with it.
 */
#ifndef TACHO_MACHINE_MACHINE_H
#define TACHO_MACHINE_MACHINE_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/status.h"

typedef struct tacho_machine tacho_machine;

#endif
