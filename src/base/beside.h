/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are installed together with this program or library, found relative to its own path.
 */
#ifndef TACHO_BASE_BESIDE_H
#define TACHO_BASE_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The path of |name| in the folder tacho/ of the libraries that belong to the file that this code
 * was loaded from: a program, or a shared library. False where there is none, or no room.
 */
bool tacho_beside_find(const char *name, char *out_path, size_t room);

#endif
