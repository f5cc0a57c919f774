/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries of tacho's that loaders and drivers take into a program, where a variable of its
 * environment names them: a layer for OpenCL, and what CUDA and NVTX call when they are first used.
 * They report through libtacho-client.
 */
#ifndef TACHO_CAPTURE_WAY_LIBRARY_H
#define TACHO_CAPTURE_WAY_LIBRARY_H

#include "capture/way.h"

extern const tacho_way_type tacho_way_opencl;
extern const tacho_way_type tacho_way_cuda;
extern const tacho_way_type tacho_way_nvtx;

#endif
