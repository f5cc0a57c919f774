/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The summary of raw stats as the vendor's tools print it, core by core. It takes the tables of
 * that summary together, by name, and so is no table sink.
 */
#ifndef TACHO_SINKS_OPSTATS_TEXT_H
#define TACHO_SINKS_OPSTATS_TEXT_H

#include "base/output.h"
#include "table/table.h"

/* Failures stick to |output|. */
void tacho_opstats_text_write(const tacho_table *tables, size_t table_count, tacho_output *output);

#endif
