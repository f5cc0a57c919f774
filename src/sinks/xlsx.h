/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as a workbook for spreadsheet programs (.xlsx), one sheet each.
 */
#ifndef TACHO_SINKS_XLSX_H
#define TACHO_SINKS_XLSX_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_xlsx;

/* Limit of spreadsheet programs for the name of a sheet, with the NUL. */
enum { TACHO_XLSX_TITLE_BYTES = 32 };

/*
 * The name of the |number|-th sheet, from 1, for the table |title|: characters not allowed in names
 * of sheets become spaces, and a long name is cut between characters.
 */
void tacho_xlsx_title(const char *title, unsigned number, char out_name[TACHO_XLSX_TITLE_BYTES]);

#endif
