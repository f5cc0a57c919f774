/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendor of a GPU whose device has no name: recognised by the calls of the host.
 */
#ifndef TACHO_PROFILE_GPU_API_H
#define TACHO_PROFILE_GPU_API_H

#include "profile/dict.h"

/* The host's API for GPUs: "CUDA" or "HIP"; empty when it has calls of neither or of both. */
tacho_str tacho_gpu_api(const tacho_dict *dict);

#endif
