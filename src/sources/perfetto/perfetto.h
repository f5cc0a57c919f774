/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto traces by other tools and by tacho itself.
 */
#ifndef TACHO_SOURCES_PERFETTO_PERFETTO_H
#define TACHO_SOURCES_PERFETTO_PERFETTO_H

#include "sources/source.h"

extern const tacho_source tacho_source_perfetto;

#endif
