/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds that registry.c lists, each made in a folder of its own.
 */
#ifndef TACHO_DEVICE_TYPES_H
#define TACHO_DEVICE_TYPES_H

#include "device/device.h"

extern const tacho_device_type tacho_device_null;
extern const tacho_device_type tacho_device_sim;
extern const tacho_device_type tacho_device_cpu;

#endif
