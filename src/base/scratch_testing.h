/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of one test, made before it and named after nothing that exists, with the paths of two
 * files that the test may make in it. Each kind of test removes it in its own way.
 */
#ifndef TACHO_BASE_SCRATCH_TESTING_H
#define TACHO_BASE_SCRATCH_TESTING_H

#include <stdio.h>
#include <stdlib.h>

enum { PATH_BYTES = 1024 };

typedef struct scratch {
    char folder[PATH_BYTES / 2];
    char path[PATH_BYTES];
    char other_path[PATH_BYTES];
} scratch;

static inline int make_scratch(void **state)
{
    scratch *made = calloc(1, sizeof(*made));
    const char *temp = getenv("TMPDIR");
    if (made == NULL) {
        return -1;
    }
    snprintf(made->folder, sizeof(made->folder), "%s/tacho-test-XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    if (mkdtemp(made->folder) == NULL) {
        free(made);
        return -1;
    }
    snprintf(made->path, sizeof(made->path), "%s/file", made->folder);
    snprintf(made->other_path, sizeof(made->other_path), "%s/other", made->folder);
    *state = made;
    return 0;
}

#endif
