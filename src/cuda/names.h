/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names found while the program runs: sites of calls and ranges, and readable names of kernels.
 * Each is made once and stays.
 */
#ifndef TACHO_CUDA_NAMES_H
#define TACHO_CUDA_NAMES_H

#include <stdbool.h>
#include <tacho/client.h>

/* The site of that name and kind; NULL when out of memory, or when too many are known. */
tacho_client_site *tacho_cu_site(const char *name, const char *category);

/*
 * Call it before anything else; repeated calls are fine. |has_kernels|: looks for a demangler,
 * which may wait while another thread loads a library, so that it need not be done later.
 */
void tacho_cu_names_start(bool has_kernels);

/* A kernel's name as it is in the source, or |name| itself. One thread at a time. */
const char *tacho_cu_kernel_name(const char *name);

#endif
