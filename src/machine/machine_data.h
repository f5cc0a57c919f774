/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of machines/ as bytes of the program (cmake/embed_machines.cmake).
 */
#ifndef TACHO_MACHINE_MACHINE_DATA_H
#define TACHO_MACHINE_MACHINE_DATA_H

#include <stddef.h>

typedef struct tacho_machine_data {
    const char *name; /* of the file, without suffix */
    const unsigned char *bytes;
    size_t len;
} tacho_machine_data;

extern const tacho_machine_data tacho_machine_data_items[];
extern const size_t tacho_machine_data_count;

#endif
