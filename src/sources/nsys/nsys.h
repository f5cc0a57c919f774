/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Databases of Nsight Systems: 'nsys export --type sqlite', schemas 2 and 3.
 */
#ifndef TACHO_SOURCES_NSYS_NSYS_H
#define TACHO_SOURCES_NSYS_NSYS_H

#include "sources/source.h"

extern const tacho_source tacho_source_nsys;

#endif
