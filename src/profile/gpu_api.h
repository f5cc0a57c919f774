/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose GPU a profile is of, where devices have no names: the calls of the host tell.
 */
#ifndef TACHO_PROFILE_GPU_API_H
#define TACHO_PROFILE_GPU_API_H

#include "profile/dict.h"

/* What the host drives GPUs with: "CUDA" or "HIP"; empty where no call tells, or calls of both. */
tacho_str tacho_gpu_api(const tacho_dict *dict);

#endif
