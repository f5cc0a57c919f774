/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU features: the CPUID leaves that decide which vector instructions can be used, and the state
 * that the operating system saves for them. Reading costs a few exits of a virtual machine (up to
 * 1 ms), so callers read once and keep the result.
 */
#ifndef TACHO_BASE_CPU_H
#define TACHO_BASE_CPU_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero on processors other than x86. */
typedef struct tacho_cpu_facts {
    uint32_t leaf_max;        /* leaf 0, EAX: leaves beyond it read as zeros here */
    uint32_t features_ecx;    /* leaf 1 */
    uint32_t extended_ebx;    /* leaf 7, subleaf 0 */
    uint32_t extended_edx;    /* leaf 7, subleaf 0 */
    uint32_t extended_ecx;    /* leaf 7, subleaf 0 */
    uint32_t more_eax;        /* leaf 7, subleaf 1 */
    uint32_t palette_max;     /* leaf 0x1d, subleaf 0, EAX */
    uint32_t palette[3];      /* leaf 0x1d, subleaf 1, EAX EBX ECX: palette 1 */
    uint64_t saved_state;     /* XCR0: the state that the operating system saves */
    bool has_tile_permission; /* Linux lets this process use AMX tiles */
} tacho_cpu_facts;

/* Reads the processor this thread runs on. Asks Linux for tiles where the rest of AMX is there. */
tacho_cpu_facts tacho_cpu_read(void);

/* How many processors this process may run on; 1 where that is not known. */
unsigned tacho_cpu_count(void);

/*
 * Whether it may run on more processors than it has threads. One thread more than processors is
 * worse than none: two that work together then wait for each other.
 */
bool tacho_cpu_is_spare(void);

/*
 * The processor's name from /proc/cpuinfo; for the Arm architecture, which has numbers there, the
 * names that they stand for ("Arm Neoverse-N1"); "unknown" where there is neither.
 */
enum { TACHO_CPU_NAME_MAX = 96 };
tacho_status tacho_cpu_name(char *to, size_t size) TACHO_MUST_USE;

/* The same from an open file. */
void tacho_cpu_name_in(FILE *file, char *to, size_t size);

#endif
