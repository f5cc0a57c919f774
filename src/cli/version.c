/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version. Its second line answers the first question about slow or crashing kernels: which
 * library computes, with which vector instructions, and why not with better ones.
 */
#include "cli/version.h"
#include "kernels/isa.h"
#include "kernels/onednn.h"

#include <stdio.h>
#include <tacho/version.h>

void tacho_print_version(void)
{
    tacho_fast *fast = NULL;
    tacho_cpu_facts facts = tacho_cpu_read();
    tacho_isa_choice choice = tacho_isa_choose(&facts, tacho_isa_limit());
    char why[TACHO_ISA_REASON_MAX];
    tacho_isa_explain(&choice, tacho_isa_limit_name(), why, sizeof(why));
    tacho_status_free(tacho_fast_create(1, &fast));
    printf("tacho %s\n", TACHO_VERSION);
    printf("kernels: %s%s, instruction set %s (%s)\n", fast != NULL ? "oneDNN " : "without oneDNN",
           tacho_fast_version(fast), tacho_isa_name(choice.isa), why);
    tacho_fast_free(fast);
}
