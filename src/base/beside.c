/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's list of mappings has the file that this code was loaded from; the name that a
 * program was started by need not lead to it.
 */
#include "base/beside.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef TACHO_LIBRARY_FOLDER
#define TACHO_LIBRARY_FOLDER "lib"
#endif

/* The file of a line of /proc/self/maps, if its range contains the address |at|; else NULL. */
static char *file_around(char *line, uintptr_t at)
{
    uintptr_t start = 0;
    uintptr_t end = 0;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2 || at < start || at >= end) {
        return NULL;
    }
    line[strcspn(line, "\n")] = '\0';
    return strchr(line, '/');
}

/* The folder of the file that this code was loaded from, to be freed; NULL: it is not known. */
static char *find_own_folder(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    char *folder = NULL;
    size_t room = 0;
    while (maps != NULL && folder == NULL && getline(&line, &room, maps) > 0) {
        const char *path = file_around(line, (uintptr_t)&tacho_beside_find);
        folder = path != NULL ? strdup(path) : NULL;
    }
    free(line);
    if (maps != NULL) {
        fclose(maps);
    }
    if (folder != NULL) {
        *strrchr(folder, '/') = '\0';
    }
    return folder;
}

bool tacho_beside_find(const char *name, char *out_path, size_t room)
{
    static const char *const places[] = {".", "../lib", ("../" TACHO_LIBRARY_FOLDER)};
    char *folder = find_own_folder();
    bool is_found = false;
    for (size_t i = 0; folder != NULL && !is_found && i < sizeof(places) / sizeof(places[0]); i++) {
        int len = snprintf(out_path, room, "%s/%s/tacho/%s", folder, places[i], name);
        is_found = len > 0 && (size_t)len < room && access(out_path, R_OK) == 0;
    }
    free(folder);
    return is_found;
}
