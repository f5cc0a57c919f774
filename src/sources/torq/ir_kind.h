/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether MLIR is a program of torq's, rather than a model that is to become one: by its
 * operations and types, without reading the module.
 */
#ifndef TACHO_SOURCES_TORQ_IR_KIND_H
#define TACHO_SOURCES_TORQ_IR_KIND_H

#include "base/str.h"

/* Whether |name| is that of an operation, type or attribute of torq's dialects. */
bool torq_ir_is_own_name(tacho_str name);

/*
 * Whether |bytes|, a file of MLIR as text or bytecode, hold an operation or type of torq's. What
 * stands in comments, strings and names of symbols does not count.
 */
bool torq_ir_is_program(tacho_str bytes);

#endif
