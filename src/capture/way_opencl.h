/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use OpenCL: their loader is asked to load a layer of ours, which reports what it
 * sees to the collector like any client.
 */
#ifndef TACHO_CAPTURE_WAY_OPENCL_H
#define TACHO_CAPTURE_WAY_OPENCL_H

#include "capture/way.h"

extern const tacho_way_type tacho_way_opencl;

#endif
