/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version. Its second line answers the first question about slow or crashing kernels: which
 * library computes, with which vector instructions, and why not with better ones.
 */
#include "cli/version.h"

#include <stdio.h>
#include <tacho/front.h>
#include <tacho/version.h>

void tacho_print_version(void)
{
    char kernels[256];
    tacho_front_kernels(kernels, sizeof(kernels));
    printf("tacho %s\nkernels: %s\n", TACHO_VERSION, kernels);
}
