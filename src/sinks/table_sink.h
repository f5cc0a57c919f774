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
    const char *title; /* for display */
    const char *suffix;
    /* Writes |table|; |index| counts the tables of one report from 0. NULL for a workbook. */
    tacho_status (*write)(const tacho_table *table, size_t index, tacho_output *output);
    /* Writes more rows of the last table, as if they had been in it. (optional: it must be whole)
     */
    tacho_status (*append)(const tacho_table *more, tacho_output *output);
    bool holds_one; /* bytes, not text, and a single table: a second one is refused */
    /* For a format that needs all tables of a report, such as a spreadsheet; else NULL. */
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

/* Whether tables of several kinds are distinguishable in one output. */
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
    tacho_output *output;           /* NULL: tables are kept alone */
    const tacho_table_taker *keeper; /* gets every table as well, also without rows; NULL: nobody */
    size_t table_count;
    void *workbook;
} tacho_table_report;

tacho_status tacho_table_report_open(tacho_table_report *report, const tacho_table_sink *sink,
                                     tacho_output *output) TACHO_MUST_USE;
tacho_status tacho_table_report_add(tacho_table_report *report,
                                    const tacho_table *table) TACHO_MUST_USE;
/*
 * Adds a table that has rows, or is shown without any, for table receivers; |report| is a
 * tacho_table_report.
 */
tacho_status tacho_table_report_take(void *report, const tacho_table *table) TACHO_MUST_USE;
/* More rows of the table added last, by a sink that can. */
tacho_status tacho_table_report_append(tacho_table_report *report,
                                       const tacho_table *more) TACHO_MUST_USE;
tacho_status tacho_table_report_finish(tacho_table_report *report) TACHO_MUST_USE;
void tacho_table_report_close(tacho_table_report *report);

/* Where the tables of a report go. */
typedef struct tacho_table_target {
    const tacho_table_sink *sink;
    const char *path;                /* "-" for standard output; NULL: to |keeper| alone */
    const tacho_table_taker *keeper; /* (optional) */
} tacho_table_target;

/* Writes a report; |add| adds the tables. */
tacho_status tacho_table_report_write(const tacho_table_target *to,
                                      tacho_status (*add)(void *user, tacho_table_report *report),
                                      void *user) TACHO_MUST_USE;

extern const tacho_table_sink tacho_table_sink_text;
extern const tacho_table_sink tacho_table_sink_csv;
extern const tacho_table_sink tacho_table_sink_jsonl;
extern const tacho_table_sink tacho_table_sink_markdown;

/* Schema version in JSON: raised when a name or meaning changes, not when one is added. */
enum { TACHO_TABLE_SCHEMA_VERSION = 1 };

/* Text for a tool without other formats. Not in the list. */
extern const tacho_table_sink tacho_table_sink_text_alone;

/*
 * Writes |table| as text that fits |columns|; 0: unlimited. |advice| is an option that shows the
 * columns that do not fit; or NULL.
 */
tacho_status tacho_table_write_text(const tacho_table *table, size_t columns, const char *advice,
                                    tacho_output *output) TACHO_MUST_USE;

/* A cell formatted for display, "1.234 ms": printable text, allocated in |arena| if needed. */
tacho_status tacho_table_cell_text(const tacho_cell *cell, tacho_column_type type,
                                   tacho_arena *arena, tacho_str *out_text) TACHO_MUST_USE;

/*
 * Tables as other tools print them: semicolons, a header and rows, with nothing added and no guard
 * against formulas. Not in the list: chosen by the kind of table.
 */
extern const tacho_table_sink tacho_table_sink_plain_csv;

/*
 * Tables as Python writes them: commas, CR LF, all digits, with nothing added and no guard. Not in
 * the list.
 */
extern const tacho_table_sink tacho_table_sink_comma_csv;

/* All table sinks, NULL-terminated. */
const tacho_table_sink *const *tacho_table_sinks(void);

/* By name, or NULL. */
const tacho_table_sink *tacho_table_sink_find(tacho_str name);

/*
 * By the suffix of |path|, ignoring compression suffixes; text without a suffix, NULL if unknown.
 */
const tacho_table_sink *tacho_table_sink_find_for_path(tacho_str path);

/* Like tacho_table_sink_find_for_path, but NULL without a suffix, too. */
const tacho_table_sink *tacho_table_sink_find_suffix(tacho_str path);

/* Whether |path| ends with the suffix of |sink|, ignoring compression suffixes. */
bool tacho_table_sink_has_suffix(const tacho_table_sink *sink, const char *path);

/* "text, csv, json, xlsx". */
enum { TACHO_TABLE_SINK_NAMES_BYTES = 64 };
void tacho_table_sink_names(char out_names[TACHO_TABLE_SINK_NAMES_BYTES]);

#endif
