/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: what runs a program. Each kind is one constant struct, all are listed in registry.c.
 * A device computes values (device/execute.h), knows its own time, and fills records of the stats
 * level that the program was compiled with; the host seals them (program/stats_stream.h).
 *
 *     find -> open -> load -> run, run, ... -> close
 */
#ifndef TACHO_DEVICE_DEVICE_H
#define TACHO_DEVICE_DEVICE_H

#include "device/execute.h"
#include "program/recording.h"

typedef struct tacho_device tacho_device;

/* The user's options for a device; a device takes those that concern it. */
typedef struct tacho_device_options {
    tacho_kernel_choice kernels;
    uint32_t threads;       /* of the host that compute values; 0: one */
    uint32_t activations;   /* copies of the program on cores of their own; 0: one */
    bool has_fine_timer;    /* U ticks with the core clock, not the machine's timer */
    bool is_unlimited;      /* sim: no waits for shared memory and networks */
    bool skips_values;      /* sim: time only; outputs are not there */
    const tacho_gate *gate; /* who checks steps before any runs; see tacho_execution_options */
    bool is_forced;         /* any amount of work: a program made here, or forced */
} tacho_device_options;

/* Those of the execution of values. */
tacho_execution_options tacho_device_execution_options(const tacho_device_options *options);

/* Values of a device that computes them elsewhere, not in an execution of its own. */
typedef struct tacho_device_values {
    bool (*has_values)(const tacho_device *device);
    tacho_status (*set_input)(tacho_device *device, size_t index, const tacho_array *value);
    tacho_status (*output)(tacho_device *device, size_t index, tacho_array *out_value);
    tacho_execution_counts (*count)(const tacho_device *device);
    uint64_t (*peak_bytes)(const tacho_device *device);
    bool (*computes_op)(const tacho_device *device, uint32_t op);
} tacho_device_values;

typedef struct tacho_device_type {
    const char *name;  /* "sim", "cpu", "null" */
    const char *about; /* one line for people */
    bool is_simulated;
    bool has_no_times; /* it reports 0 for all times */
    bool has_argument; /* "sim:aic100": a machine */
    /* The machine that models are compiled for unless the argument names one; NULL: any. */
    const char *machine;
    bool computes_values;
    /* Times follow from a model of the machine: values may be left out, and limits lifted. */
    bool has_time_model;
    /* |argument| is what follows the colon, or empty. */
    tacho_status (*open)(const tacho_device_options *options, tacho_str argument,
                         tacho_device **out_device);
    /* The program outlives the device. Refuses a program compiled for another device. */
    tacho_status (*load)(tacho_device *device, const tacho_program *program);
    /* One inference of every activation. |inference| is its number; records when asked to. */
    tacho_status (*run)(tacho_device *device, uint64_t inference, bool records,
                        tacho_device_result *out_result);
    void (*close)(tacho_device *device);
    /* Optional: the requested records that are not available, and why; NULL: all are. */
    const char *(*missing)(const tacho_device *device);
    /* Optional: where its values are; NULL: in |execution| of the device. */
    const tacho_device_values *values;
} tacho_device_type;

/* Embedded first in every implementation. */
struct tacho_device {
    const tacho_device_type *type;
    const tacho_program *program;
    tacho_execution *execution; /* NULL when values are skipped */
};

/* All kinds, NULL-terminated. */
const tacho_device_type *const *tacho_device_types(void);

/* Opens "sim", "sim:aic100", "cpu"; an unknown name is NOT_FOUND and lists those there are. */
tacho_status tacho_device_open(tacho_str name, const tacho_device_options *options,
                               tacho_device **out_device) TACHO_MUST_USE;
void tacho_device_close(tacho_device *device); /* NULL is allowed */

/* After load: requested records that this device does not support, and why; else NULL. */
const char *tacho_device_missing(const tacho_device *device);

/* ---- values, wherever they are computed: see device/execute.h ------------------------------- */

bool tacho_device_has_values(const tacho_device *device);
tacho_status tacho_device_set_input(tacho_device *device, size_t index,
                                    const tacho_array *value) TACHO_MUST_USE;
tacho_status tacho_device_output(tacho_device *device, size_t index,
                                 tacho_array *out_value) TACHO_MUST_USE;
tacho_execution_counts tacho_device_count(const tacho_device *device);
uint64_t tacho_device_peak_bytes(const tacho_device *device);
bool tacho_device_computes_op(const tacho_device *device, uint32_t op);

#endif
