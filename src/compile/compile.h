/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling: fused operators and a machine to a program (program/program.h), pass by pass:
 * partition over devices and cores (here), places in local memory (compile/place.h), tiles
 * (compile/tile.h), schedule (compile/schedule.h), values (compile/values.h).
 */
#ifndef TACHO_COMPILE_COMPILE_H
#define TACHO_COMPILE_COMPILE_H

#include "compile/estimate.h"
#include "compile/schedule.h"
#include "program/program.h"

typedef struct tacho_compile_options {
    tacho_estimate_options estimate; /* its placement and factor are the compiler's */
    uint32_t cores;                  /* of each device, at most; 0: all, as far as they pay */
    uint32_t devices;                /* that the operators are spread over; 0: one */
    uint32_t batch;                  /* inferences that run as one; 0: one */
    uint64_t bytes_max;              /* that it may take; 0: see tacho_compile_program */
    bool has_values; /* bytes of constants go into the program, which then has to fit memory */
    tacho_str network_name; /* empty: the model's */
    tacho_str hardware;     /* of Torq, where it is not the machine's own */
    tacho_stats_config stats;
    tacho_str pmu_recipe;
    tacho_compile_pace pace;
} tacho_compile_options;

/*
 * The program, and the estimate with its times. All cores are tried, and the powers of two
 * below: N cores are never slower than fewer of those. Candidates that do not fit are left out.
 * Operators and jobs that take more than |bytes_max| are LIMIT, by default 192 MiB and two bytes
 * for each byte of the model's files, times the batch. Neither output has to be initialised; both
 * have to be deinitialised, even after a failure.
 */
tacho_status tacho_compile_program(const tacho_fusion *fusion, const tacho_machine *machine,
                                   const tacho_compile_options *options,
                                   tacho_estimate *out_estimate,
                                   tacho_program *out_program) TACHO_MUST_USE;

#endif
