/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures: tacho's own files (profile/capture_records.h).
 */
#ifndef TACHO_SOURCES_TACHO_CAPTURE_H
#define TACHO_SOURCES_TACHO_CAPTURE_H

#include "sources/source.h"

extern const tacho_source tacho_source_tacho;

#endif
