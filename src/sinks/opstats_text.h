/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary of raw stats as the vendor's tools print it, core by core. It combines the tables of
 * that summary, so it is not a table sink.
 */
#ifndef TACHO_SINKS_OPSTATS_TEXT_H
#define TACHO_SINKS_OPSTATS_TEXT_H

#include "base/output.h"
#include "table/opstats_tables.h"
#include "table/table.h"

/* Failures are recorded in |output|. */
void tacho_opstats_text_write(const tacho_table tables[TACHO_OPSTATS_TABLE_COUNT],
                              tacho_output *output);

#endif
