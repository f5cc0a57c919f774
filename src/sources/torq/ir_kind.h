/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Detects whether MLIR is a torq program, rather than a model to compile to one: by its operations
 * and types, without reading the module.
 */
#ifndef TACHO_SOURCES_TORQ_IR_KIND_H
#define TACHO_SOURCES_TORQ_IR_KIND_H

#include "base/str.h"

/* Whether |name| is that of an operation, type or attribute of torq's dialects. */
bool torq_ir_is_own_name(tacho_str name);

/*
 * Whether |bytes|, a file of MLIR as text or bytecode, contain an operation or type of torq's.
 * Comments, strings and names of symbols do not count.
 */
bool torq_ir_is_program(tacho_str bytes);

#endif
