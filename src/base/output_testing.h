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

/*
 * Keeps a copy of a test's output in the folder $TACHO_KEEP_TRACES, if set, for the judges of
 * traces (tests/judge/run_unit.sh).
 */
static inline void keep_test_output(const void *bytes, size_t len)
{
    static unsigned number;
    const char *folder = getenv("TACHO_KEEP_TRACES");
    char path[1024];
    if (folder == NULL) {
        return;
    }
    snprintf(path, sizeof(path), "%s/%05u", folder, number++);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* Closes |output| and returns up to |room| bytes of its contents. */
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
