/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of estimates to a machine description, in the words of the profile.
 */
#ifndef TACHO_COMPILE_MACHINE_VIEW_H
#define TACHO_COMPILE_MACHINE_VIEW_H

#include "graph/graph.h"
#include "machine/machine.h"

/* The local memories of all cores together; 0 when the machine has none. */
uint64_t tacho_machine_view_local_bytes(const tacho_machine *machine);

/* Cycles of the core clock in a second. */
double tacho_machine_view_hz(const tacho_machine *machine);

/*
 * The type that tensors of |dtype| are stored in: the machine's compute type, or |wanted| for real
 * numbers when it is not NONE. Without a machine, |dtype|.
 */
tacho_dtype tacho_machine_view_kept(const tacho_machine *machine, tacho_dtype dtype,
                                    tacho_dtype wanted);

/* Bytes of a tensor as it is stored; 0 if its shape is not known. */
uint64_t tacho_machine_view_bytes(const tacho_machine *machine, const tacho_tensor *tensor,
                                  tacho_dtype wanted);

/*
 * The engine for operators that no other engine does, at a fixed number of cycles for each job;
 * TACHO_NONE where the machine has none.
 */
uint32_t tacho_machine_view_processor(const tacho_machine *machine);

/*
 * Whether engines have to copy what changes its place within local memory: the local queue serves
 * auxiliary memories, where there are some.
 */
bool tacho_machine_view_copies_by_engine(const tacho_machine *machine);

/* The machine's name for its transfers of this class. */
tacho_str tacho_machine_view_dma_name(const tacho_machine *machine, tacho_engine_class dma_class);

#endif
