/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In place of xlsx.c, where there was no libxlsxwriter when tacho was built.
 */
#include "sinks/xlsx.h"

static tacho_status xlsx_open(void **out_workbook)
{
    *out_workbook = NULL;
    return tacho_fail(
        TACHO_CODE_USAGE,
        "this tacho was built without libxlsxwriter and cannot write .xlsx; use .csv, "
        "or build it with the library (Debian: libxlsxwriter-dev)");
}

static const tacho_workbook_vtable missing = {.open = xlsx_open};

const tacho_table_sink tacho_table_sink_xlsx = {
    .name = "xlsx",
    .title = "workbook for spreadsheet programs, one sheet per table (not in this build: no "
             "libxlsxwriter)",
    .suffix = ".xlsx",
    .workbook = &missing,
};
