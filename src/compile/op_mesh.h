/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products on a mesh of cores that multicast: see tacho_mesh in machine/machine.h.
 */
#ifndef TACHO_COMPILE_OP_MESH_H
#define TACHO_COMPILE_OP_MESH_H

#include "compile/op_split.h"

/* Whether the machine has a mesh and |cost| names the engine that works on it. */
bool tacho_op_mesh_applies(const tacho_machine *machine, const tacho_op_cost *cost);

tacho_status tacho_op_mesh_best(const tacho_machine *machine, const tacho_work *work,
                                const tacho_cost_options *options, const tacho_op_cost *cost,
                                tacho_parts *out_parts) TACHO_MUST_USE;

#endif
