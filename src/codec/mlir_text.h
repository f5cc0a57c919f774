/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an MLIR module from its text, generic or custom form, of any dialect.
 *
 *     #loc1 = loc("add.mlir":7:10)
 *     module { func.func @main() {
 *       %p = torq_hl.program "nss_program_0" : !torq_hl.program<nss> { torq_hl.return }
 *       "torq_hw.slice_wait"() <{id = 0 : index}> : () -> () loc(#loc1)
 *       return } }
 *
 * Generic forms are read exactly. Custom forms of the operations that matter here give the same
 * result as their generic forms; in other forms, anything that looks like an operand, an attribute,
 * a region or a type is taken for one, and the module counts operations that made no sense at all
 * (|tolerated_count|).
 *
 * As in MLIR: operations without a module around them get one; an operation without loc(...)
 * has the place of its name in the text. The attributes of an operation are sorted by name.
 */
#ifndef TACHO_CODEC_MLIR_TEXT_H
#define TACHO_CODEC_MLIR_TEXT_H

#include "codec/mlir_module.h"

/* Regions, brackets and aliases may nest so deep. */
enum { TACHO_MLIR_TEXT_LEVELS_MAX = 10000 };

/*
 * Reads |text| into |out_module|, which is fresh from tacho_mlir_module_init. |name| is the file's,
 * for messages and locations. |text| may go away afterwards. After a failure the module holds
 * nothing of use.
 */
tacho_status tacho_mlir_text_read(const char *name, tacho_str text,
                                  tacho_mlir_module *out_module) TACHO_MUST_USE;

/*
 * The same for a text that may be truncated or broken: the module holds everything up to the end of
 * the last function before the damage, and the reason (|damage|). Without a whole function, the
 * damage is the failure. A location whose alias is missing, since a cut loses these first, is
 * unknown.
 */
tacho_status tacho_mlir_text_read_lenient(const char *name, tacho_str text,
                                          tacho_mlir_module *out_module) TACHO_MUST_USE;

/*
 * Adds the resources that |text| gives in {-# dialect_resources: ... #-} to |module|, as views of
 * |text|. tacho_mlir_text_read passes over them, since few who read a module ask for them.
 */
tacho_status tacho_mlir_text_read_resources(const char *name, tacho_str text,
                                            tacho_mlir_module *module) TACHO_MUST_USE;

#endif
