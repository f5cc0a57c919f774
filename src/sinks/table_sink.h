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
    /* Writes |table|; |index| counts the tables of one report from 0. NULL for a workbook. */
    tacho_status (*write)(const tacho_table *table, size_t index, tacho_output *output);
    /* Writes more rows of the last table, as if they had been in it. (optional: it must be whole)
     */
    tacho_status (*append)(const tacho_table *more, tacho_output *output);
    bool holds_one; /* bytes, not text, and of a single table: a second one is refused */
    /* Of a format in which a report is one piece of work, such as a spreadsheet; else NULL. */
    const struct tacho_workbook_vtable *workbook;
} tacho_table_sink;

typedef struct tacho_workbook_vtable {
    tacho_status (*open)(void **out_workbook);
    tacho_status (*add)(void *workbook, const tacho_table *table, size_t index);
    /* More rows of the last table. (optional: it must be whole) */
    tacho_status (*append)(void *workbook, const tacho_table *more);
    tacho_status (*write)(void *workbook, tacho_output *output);
    void (*close)(void *workbook); /* always, once it is open */
} tacho_workbook_vtable;

/* Whether a table may be given in pieces. */
static inline bool tacho_table_sink_can_append(const tacho_table_sink *sink)
{
    return sink->append != NULL || (sink->workbook != NULL && sink->workbook->append != NULL);
}

/* Whether people or programs can tell tables of several kinds apart in one output. */
bool tacho_table_sink_tells_tables(const tacho_table_sink *sink);

/*
 * A report: the tables of one output, one after the other.
 *
 *     TACHO_TRY(tacho_table_report_open(&report, sink, output));
 *     tacho_status status = tacho_table_report_add(&report, &table);
 *     ... tacho_table_report_finish(&report), if all went well
 *     tacho_table_report_close(&report);
 */
typedef struct tacho_table_report {
    const tacho_table_sink *sink;
    tacho_output *output;
    size_t table_count;
    void *workbook;
} tacho_table_report;

tacho_status tacho_table_report_open(tacho_table_report *report, const tacho_table_sink *sink,
                                     tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_table_report_add(tacho_table_report *report,
                                    const tacho_table *table) TACHO_MUST_USE;
/* The same of a table that has rows, or shows that it has none, for takers of tables; |report| is a
 * tacho_table_report. */
tacho_status tacho_table_report_take(void *report, const tacho_table *table) TACHO_MUST_USE;
/* More rows of the table added last, by a sink that can. */
tacho_status tacho_table_report_append(tacho_table_report *report,
                                       const tacho_table *more) TACHO_MUST_USE;
tacho_status tacho_table_report_finish(tacho_table_report *report) TACHO_MUST_USE;
void tacho_table_report_close(tacho_table_report *report);

/* All of it: a report at |path|, to which |add| adds the tables. */
tacho_status tacho_table_report_write(const char *path, const tacho_table_sink *sink,
                                      tacho_status (*add)(void *user, tacho_table_report *report),
                                      void *user) TACHO_MUST_USE;

extern const tacho_table_sink tacho_table_sink_text;
extern const tacho_table_sink tacho_table_sink_csv;
extern const tacho_table_sink tacho_table_sink_jsonl;
extern const tacho_table_sink tacho_table_sink_markdown;

/* What JSON says it keeps to: raised when a name or meaning changes, not when one is added. */
enum { TACHO_TABLE_SCHEMA_VERSION = 1 };

/* Text of a tool that has no other format. Not in the list. */
extern const tacho_table_sink tacho_table_sink_text_alone;

/*
 * |table| as text for people, made to fit |columns|; 0: as wide as it is. |advice| is an option
 * that shows what does not fit; NULL: there is none.
 */
tacho_status tacho_table_write_text(const tacho_table *table, size_t columns, const char *advice,
                                    tacho_output *output) TACHO_MUST_USE;

/* A cell as people see it, "1.234 ms": printable text, made in |arena| where it has to be. */
tacho_status tacho_table_cell_text(const tacho_cell *cell, tacho_column_type type,
                                   tacho_arena *arena, tacho_str *out_text) TACHO_MUST_USE;

/*
 * As other tools print tables: semicolons, a header and rows, nothing added and nothing guarded.
 * Not in the list: it is asked for by what the table is.
 */
extern const tacho_table_sink tacho_table_sink_plain_csv;

/* As Python writes tables: commas, CR LF, all digits; nothing added or guarded. Not in the list. */
extern const tacho_table_sink tacho_table_sink_comma_csv;

/* All table sinks, NULL-terminated. */
const tacho_table_sink *const *tacho_table_sinks(void);

/* By name, or NULL. */
const tacho_table_sink *tacho_table_sink_find(tacho_str name);

/* By the suffix of |path|, compression suffixes aside; text when there is none, NULL if unknown. */
const tacho_table_sink *tacho_table_sink_find_for_path(tacho_str path);

/* The same, but NULL when there is no suffix, too. */
const tacho_table_sink *tacho_table_sink_find_suffix(tacho_str path);

/* Whether |path| ends with the suffix of |sink|, compression suffixes aside. */
bool tacho_table_sink_has_suffix(const tacho_table_sink *sink, const char *path);

/* "text, csv, json, xlsx". */
enum { TACHO_TABLE_SINK_NAMES_BYTES = 64 };
void tacho_table_sink_names(char out_names[TACHO_TABLE_SINK_NAMES_BYTES]);

#endif
