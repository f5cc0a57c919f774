/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of writers: an output whose bytes are read back. It is never committed, so nothing
 * is left of it. Include it after <cmocka.h>.
 */
#ifndef TACHO_BASE_OUTPUT_TESTING_H
#define TACHO_BASE_OUTPUT_TESTING_H

#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void open_test_output(tacho_output *out_output)
{
    const char *temp = getenv("TMPDIR");
    char path[1024];
    int len = snprintf(path, sizeof(path), "%s/tacho-test.%ld.never",
                       temp != NULL && temp[0] != '\0' ? temp : "/tmp", (long)getpid());
    assert_true(len > 0 && (size_t)len < sizeof(path));
    assert_null(tacho_output_open(path, out_output));
}

/* Closes |output| and returns up to |room| bytes of what was written to it. */
static inline size_t read_test_output(tacho_output *output, char *bytes, size_t room)
{
    tacho_output_flush(output);
    assert_false(tacho_output_failed(output));
    size_t len = 0;
    for (ssize_t got; (got = pread(output->fd, bytes + len, room - len, (off_t)len)) > 0;) {
        len += (size_t)got;
    }
    tacho_output_close(output);
    return len;
}

#endif
