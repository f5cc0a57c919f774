/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As no-color.org and terminals have it.
 */
#include "base/color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool tacho_color_is_on(int fd)
{
    const char *choice = getenv(TACHO_COLOR_VARIABLE);
    const char *none = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    if (choice != NULL && strcmp(choice, "always") == 0) {
        return true;
    }
    /* mpirun gives its processes terminals, wherever its own output goes. */
    bool is_relayed = getenv("OMPI_COMM_WORLD_RANK") != NULL;
    return (choice == NULL || strcmp(choice, "never") != 0) && (none == NULL || none[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0) && !is_relayed && isatty(fd) == 1;
}
