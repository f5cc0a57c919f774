/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as a workbook for spreadsheet programs (.xlsx), one sheet each. It needs libxlsxwriter,
 * which libtacho shall not: so this sink is a build target of its own, of the program alone, and
 * not in the list of the others. Where the library is missing, it is there and refuses.
 */
#ifndef TACHO_SINKS_XLSX_H
#define TACHO_SINKS_XLSX_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_xlsx;

#endif
