/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of what a compiler's debug information holds.
 */
#ifndef TACHO_API_DEBUG_TABLES_H
#define TACHO_API_DEBUG_TABLES_H

#include "api/tables.h"

/* Whether |path| is debug information of Torq: a file, or a folder of them. */
bool tacho_debug_tables_are_of(const char *path);

/* Reads it and adds its tables. */
tacho_status tacho_debug_tables_add(const char *path, tacho_tables *tables) TACHO_MUST_USE;

#endif
