/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of Tracy: what its capture tools save (.tracy).
 */
#ifndef TACHO_SOURCES_TRACY_H
#define TACHO_SOURCES_TRACY_H

#include "sources/source.h"

extern const tacho_source tacho_source_tracy;

#endif
