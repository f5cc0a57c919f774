/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as Parquet files, for DuckDB, pandas and other programs that work with columns.
 */
#ifndef TACHO_SINKS_PARQUET_H
#define TACHO_SINKS_PARQUET_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_parquet;

#endif
