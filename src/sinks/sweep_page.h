/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep as a page (.html): the table "sweep" (session/sweep.h) and its curves. The file is
 * self-contained: without scripts, fonts and style sheets. Not in the list of table sinks.
 */
#ifndef TACHO_SINKS_SWEEP_PAGE_H
#define TACHO_SINKS_SWEEP_PAGE_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_sweep_page;

#endif
