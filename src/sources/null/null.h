/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The null format: spans as plain lines. Short to write by hand and to read with any tool, and the
 * skeleton of sources: docs/adding-a-source.md walks through null.c.
 */
#ifndef TACHO_SOURCES_NULL_NULL_H
#define TACHO_SOURCES_NULL_NULL_H

#include "sources/source.h"

extern const tacho_source tacho_source_null;

#endif
