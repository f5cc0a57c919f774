/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of programs: whether a step is valid for its operator, by the rules of inference. The
 * loader of a program passes the gate to the device (kernels/gate.h), which checks before anything
 * runs, so that kernels may trust types, shapes and attributes of any file.
 */
#ifndef TACHO_GRAPH_GATE_H
#define TACHO_GRAPH_GATE_H

#include "kernels/gate.h"

extern const tacho_gate tacho_infer_gate;

#endif
