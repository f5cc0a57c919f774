/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways there are.
 */
#include "capture/way_client.h"
#include "capture/way_library.h"
#include "capture/way_tracy.h"

const tacho_way_type *const *tacho_way_types(void)
{
    static const tacho_way_type *const types[] = {&tacho_way_client, &tacho_way_opencl,
                                                  &tacho_way_cuda,   &tacho_way_nvtx,
                                                  &tacho_way_tracy,  NULL};
    return types;
}
