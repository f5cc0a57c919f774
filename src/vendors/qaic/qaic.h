/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that the runner of Qualcomm Cloud AI 100 makes itself of what was recorded.
 */
#ifndef TACHO_VENDORS_QAIC_QAIC_H
#define TACHO_VENDORS_QAIC_QAIC_H

#include "session/run.h"

/*
 * A summary of each recorded inference and activation, of all devices one after the other:
 * |folder|/aic-profiling-program-0-activation-<A>-inf-<I>.txt.
 */
tacho_status tacho_run_qaic_summaries(const tacho_run_session *session,
                                      const char *folder) TACHO_MUST_USE;

/*
 * A Chrome trace of all of them and of what the host did: |folder|/aic-profiling-program-0-trace
 * .json. Its clock-sync record lets qaic-opstats put it beside raw stats.
 */
tacho_status tacho_run_qaic_trace(const tacho_run_session *session,
                                  const char *folder) TACHO_MUST_USE;

#endif
