/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints a module as text, for comparing readers: one line for each operation, in order, and one
 * for each block that has arguments. Values are numbered as they appear; attributes are sorted
 * by name, so that neither the numbering nor the order of a reader shows.
 */
#ifndef TACHO_TESTS_MLIR_DUMP_H
#define TACHO_TESTS_MLIR_DUMP_H

#include "codec/mlir_module.h"

#include <stdio.h>

/* False when memory is out. */
bool tacho_mlir_dump(const tacho_mlir_module *module, FILE *out);

#endif
