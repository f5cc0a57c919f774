/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folders: which paths are some, and those that outputs go to.
 */
#ifndef TACHO_BASE_FOLDER_H
#define TACHO_BASE_FOLDER_H

#include "base/arena.h"

/* The type of file at a path, links followed; false where there is none. */
bool tacho_path_is_folder(const char *path);
bool tacho_path_is_file(const char *path);

/*
 * Makes |path| and its missing parents. An existing folder is fine; |*out_is_new| is whether it was
 * made. A path that cannot be made, or is not a folder, is an IO failure that names it.
 */
tacho_status tacho_folder_ensure(const char *path, bool *out_is_new) TACHO_MUST_USE;

/* Makes the directories above the file |path|. */
tacho_status tacho_folder_ensure_above(const char *path) TACHO_MUST_USE;

/* "folder/name", NUL-terminated, in |arena|. */
tacho_status tacho_folder_join(const char *folder, tacho_str name, tacho_arena *arena,
                               const char **out_path) TACHO_MUST_USE;

#endif
