/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices by name: the kind and the machine of "sim:NAME", and which machine a model is compiled
 * for to run there.
 */
#ifndef TACHO_SESSION_RUN_DEVICE_H
#define TACHO_SESSION_RUN_DEVICE_H

#include "base/notes.h"
#include "device/device.h"
#include "machine/machine.h"

#define TACHO_RUN_DEFAULT_DEVICE "sim"

/* The kind of the device of this name; NULL: there is none. */
const tacho_device_type *tacho_run_device_type(const char *device);

/* The machine that models are compiled for to run on a device of this name. */
const char *tacho_run_device_machine(const char *device);

/* A device that is a machine's name, or has an unknown machine behind its colon, is refused. */
tacho_status tacho_run_check_device(const char *device, const tacho_notes *notes) TACHO_MUST_USE;

#endif
