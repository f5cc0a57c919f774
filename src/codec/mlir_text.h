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
 * Generic forms are read exactly. Custom forms of the operations that matter here come out as their
 * generic forms would; of others, what looks like an operand, an attribute, a region or a type
 * is taken for one, and the module counts those that made no sense at all (|tolerated_count|).
 *
 * As in MLIR: operations without a module around them get one; an operation without loc(...)
 * stands where its name does in the text. The attributes of an operation are sorted by name.
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
 * The same of a text that may be cut or broken somewhere: the module holds what stands up to the
 * end of the last function before that, and says why (|damage|). Without a whole function it is the
 * failure. A location whose alias is not there, since a cut takes these first, is unknown.
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
