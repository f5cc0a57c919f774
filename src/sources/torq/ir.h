/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug info from the Torq compiler's description of a program: its MLIR, after all passes.
 *
 *     func.func @main$async_dispatch_0        a dispatch
 *       torq_hl.start_program %i args(...)    an action that starts a job of the accelerator
 *       torq_hl.wait_program %i               an action that waits for it
 *     tacho.operators                         the operators of a location that is a name
 *
 * The program of a job is a chain of blocks of torq_hw.nss_task, whose operations configure, start
 * and wait for engines. An engine may have any number of pieces of work pending: a wait ends the
 * oldest. Work may be waited for in a later job.
 */
#ifndef TACHO_SOURCES_TORQ_IR_H
#define TACHO_SOURCES_TORQ_IR_H

#include "codec/mlir_module.h"
#include "profile/debug_info.h"

/* Inner ops of all jobs of one module; a job for each start. */
enum { TORQ_IR_INNER_MAX = 1 << 23 };

/*
 * Adds the dispatches of |module| to |info|. |name| is the file's. A dispatch that exists already
 * is a problem of |info|, and is left out; so is an incomplete one in a damaged file: that is a
 * problem if there are others, else a failure. Unknown operations of torq's dialects, waits without
 * a start and starts without a wait are counted.
 */
tacho_status torq_ir_read_module(const tacho_mlir_module *module, tacho_str name,
                                 tacho_debug_info *info) TACHO_MUST_USE;

#endif
