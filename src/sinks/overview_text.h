/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview as the vendor's test framework prints it. It supports only the table "overview", so
 * it is not in the registry; the verb uses it in place of the text sink.
 */
#ifndef TACHO_SINKS_OVERVIEW_TEXT_H
#define TACHO_SINKS_OVERVIEW_TEXT_H

#include "sinks/table_sink.h"

extern const tacho_table_sink tacho_table_sink_overview;

#endif
