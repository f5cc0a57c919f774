/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of the headers, as a string and as numbers. CMake reads it from here.
 */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#define TACHO_VERSION "0.1.0"
#define TACHO_VERSION_MAJOR 0
#define TACHO_VERSION_MINOR 1
#define TACHO_VERSION_PATCH 0

#endif
