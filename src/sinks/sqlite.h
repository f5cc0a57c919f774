/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as a SQLite database: the tables of 'tacho query', in a file.
 */
#ifndef TACHO_SINKS_SQLITE_H
#define TACHO_SINKS_SQLITE_H

#include "sinks/trace_sink.h"

extern const tacho_trace_sink tacho_sink_sqlite;

#endif
