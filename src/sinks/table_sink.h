/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table sinks: a result in, the bytes of a report out. Each is one constant struct; all are
 * listed in registry.c.
 */
#ifndef TACHO_SINKS_TABLE_SINK_H
#define TACHO_SINKS_TABLE_SINK_H

#include "base/output.h"
#include "table/table.h"

typedef struct tacho_table_sink {
    const char *name;  /* for --format */
    const char *title; /* for people */
    const char *suffix;
    /* Writes |table|; |index| counts the tables of one report from 0. */
    tacho_status (*write)(const tacho_table *table, size_t index, tacho_output *output);
} tacho_table_sink;

extern const tacho_table_sink tacho_table_sink_text;
extern const tacho_table_sink tacho_table_sink_csv;
extern const tacho_table_sink tacho_table_sink_jsonl;

/* All table sinks, NULL-terminated. */
const tacho_table_sink *const *tacho_table_sinks(void);

/* By name, or NULL. */
const tacho_table_sink *tacho_table_sink_find(tacho_str name);

/* By the suffix of |path|, compression suffixes aside; text when there is none, NULL if unknown. */
const tacho_table_sink *tacho_table_sink_find_for_path(tacho_str path);

#endif
