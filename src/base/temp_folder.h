/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A directory for temporary files that need a name, which no other user can enter. A kernel lock on
 * it is held while its process is alive; so a directory left by a killed process can be
 * distinguished from one in use, also by another computer, and is removed when the next one is
 * made.
 */
#ifndef TACHO_BASE_TEMP_FOLDER_H
#define TACHO_BASE_TEMP_FOLDER_H

#include <stdbool.h>

enum { TACHO_TEMP_FOLDER_MAX = 4096 };

typedef struct tacho_temp_folder {
    char path[TACHO_TEMP_FOLDER_MAX]; /* "": none */
    int fd;                           /* holds the lock */
} tacho_temp_folder;

/*
 * Makes one in |parent|, for a file called |name|, a socket or a regular file; false, with errno,
 * if |parent| is unsuitable: NULL or relative, or the path of the file would have |path_max| bytes
 * or more.
 */
bool tacho_temp_folder_make(tacho_temp_folder *out_folder, const char *parent, const char *name,
                            bool is_socket, unsigned path_max);

/* Removes it; the caller has removed its contents before. */
void tacho_temp_folder_remove(tacho_temp_folder *folder);

#endif
