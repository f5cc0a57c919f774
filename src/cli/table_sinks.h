/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table formats of the program: those of libtacho, and workbooks.
 */
#ifndef TACHO_CLI_TABLE_SINKS_H
#define TACHO_CLI_TABLE_SINKS_H

#include "sinks/table_sink.h"

/* The |index|-th, or NULL. */
const tacho_table_sink *tacho_cli_table_sink_at(size_t index);

/* By name, or NULL. */
const tacho_table_sink *tacho_cli_table_sink_find(tacho_str name);

/* By the suffix of |path|, compression suffixes aside, or NULL when it is that of none. */
const tacho_table_sink *tacho_cli_table_sink_find_for_path(tacho_str path);

/* "text, csv, json, xlsx". */
enum { TACHO_CLI_NAMES_BYTES = 128 };
void tacho_cli_table_sink_names(char out_names[TACHO_CLI_NAMES_BYTES]);

#endif
