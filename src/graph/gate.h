/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of programs: whether a step is what its operator can be, by the rules of inference.
 * Whoever loads a program hands it to the device (kernels/gate.h), which asks before anything
 * runs, so that kernels may trust types, shapes and attributes of any file.
 */
#ifndef TACHO_GRAPH_GATE_H
#define TACHO_GRAPH_GATE_H

#include "kernels/gate.h"

extern const tacho_gate tacho_infer_gate;

#endif
