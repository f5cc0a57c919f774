/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version of the headers, as a string and as numbers, and that of the library a program runs
 * with. CMake reads it from here.
 *
 * Programs built for one version run with later ones of the same major number; before 1.0, of the
 * same minor number. The soname follows: libtacho.so.0.1, from 1.0 on libtacho.so.1.
 */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACHO_VERSION "0.1.0"
#define TACHO_VERSION_MAJOR 0
#define TACHO_VERSION_MINOR 1
#define TACHO_VERSION_PATCH 0

/* TACHO_VERSION of the library itself, such as "0.1.0". Static storage. */
TACHO_API const char *tacho_version(void);

#ifdef __cplusplus
}
#endif

#endif
