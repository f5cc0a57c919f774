/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Synaptics Torq: the compiler's timeline of estimated cycles, and the runtime's job times.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_H
#define TACHO_SOURCES_TORQ_TORQ_H

#include "sources/source.h"

/* Timelines T1-T4 (`--torq-dump-profiling`). */
extern const tacho_source tacho_source_torq_timeline;

/* Job times R0 and R0b (`--torq_profile`). */
extern const tacho_source tacho_source_torq_runtime;

/* Host profiles R1, R1q, R2, R2h and R2i (`--torq_profile_host`). */
extern const tacho_source tacho_source_torq_host;

/* Annotated profiles A0 to A3: a runtime profile joined with the debug information. */
extern const tacho_source tacho_source_torq_annotated;

#endif
