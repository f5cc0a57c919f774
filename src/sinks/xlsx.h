/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as a workbook for spreadsheet programs (.xlsx), one sheet each.
 */
#ifndef TACHO_SINKS_XLSX_H
#define TACHO_SINKS_XLSX_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_xlsx;

#endif
