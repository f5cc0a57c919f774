/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the Torq compiler says about a program: its MLIR, after all passes, into debug info.
 *
 *     func.func @main$async_dispatch_0        a dispatch
 *       torq_hl.start_program %i args(...)    an action that starts a job of the accelerator
 *       torq_hl.wait_program %i               an action that waits for it
 *     tacho.operators                         what a location that is a name stands for
 *
 * The program of a job is a chain of blocks of torq_hw.nss_task, whose operations configure,
 * start and wait for engines. Any number of pieces of work of an engine may be under way: a wait
 * ends the oldest. Work may be waited for in a later job.
 */
#ifndef TACHO_SOURCES_TORQ_IR_H
#define TACHO_SOURCES_TORQ_IR_H

#include "codec/mlir_module.h"
#include "profile/debug_info.h"

/* Inner ops that the jobs of one module may have together; a job for each start. */
enum { TORQ_IR_INNER_MAX = 1 << 23 };

/*
 * Adds the dispatches of |module| to |info|. |name| is the file's. A dispatch that is there
 * already is a problem of |info|, and is left out; so is one that is not there as a whole, since
 * its file is damaged: that is a problem if there are others, else a failure. Operations of torq's
 * dialects that are not known, waits without a start and starts without a wait are counted.
 */
tacho_status torq_ir_read_module(const tacho_mlir_module *module, tacho_str name,
                                 tacho_debug_info *info) TACHO_MUST_USE;

#endif
