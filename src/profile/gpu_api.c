/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By the names of calls: "hipLaunchKernel", "cudaLaunchKernel", "cuLaunchKernelEx".
 */
#include "profile/gpu_api.h"

static bool is_call_of(tacho_str name, tacho_str api)
{
    return tacho_str_starts_with(name, api) && name.len > api.len && name.data[api.len] >= 'A' &&
           name.data[api.len] <= 'Z';
}

tacho_str tacho_gpu_api(const tacho_dict *dict)
{
    bool has_hip = false;
    bool has_cuda = false;
    for (size_t i = 0; i < dict->site_count; i++) {
        tacho_str name = tacho_dict_string(dict, dict->sites[i].name);
        has_hip = has_hip || is_call_of(name, TACHO_STR("hip"));
        has_cuda =
            has_cuda || is_call_of(name, TACHO_STR("cuda")) || is_call_of(name, TACHO_STR("cu"));
    }
    return has_hip == has_cuda ? TACHO_STR("") : has_hip ? TACHO_STR("HIP") : TACHO_STR("CUDA");
}
