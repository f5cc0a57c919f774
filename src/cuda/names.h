/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names that come while the program runs: sites of calls and ranges, and kernels as people write
 * them. Each is made once and stays.
 */
#ifndef TACHO_CUDA_NAMES_H
#define TACHO_CUDA_NAMES_H

#include <tacho/client.h>

/* The site of that name and kind; NULL where there is no memory, or too many are known. */
tacho_client_site *tacho_cu_site(const char *name, const char *category);

/* A kernel's name as it is in the source, or |name| itself. */
const char *tacho_cu_kernel_name(const char *name);

#endif
