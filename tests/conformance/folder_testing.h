/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What laws over the registries share: statuses, names, and a folder that outputs are written to.
 * Include it behind cmocka.
 */
#ifndef TACHO_TESTS_FOLDER_TESTING_H
#define TACHO_TESTS_FOLDER_TESTING_H

#include "base/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/output_testing.h"

enum { PATH_BYTES = 1024 };

/* What may follow any suffix. */
static const char *const compressions[] = {"", ".gz", ".zst"};

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

/* Names are typed by people: short, lower case, and each means one thing. */
static void check_name(const char *name, const char *title)
{
    assert_non_null(name);
    assert_non_null(title);
    assert_in_range(strlen(name), 1, 32);
    assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(name));
    assert_true(strlen(title) > 0);
}

static int make_folder(void **state)
{
    char *folder = malloc(PATH_BYTES);
    const char *temp = getenv("TMPDIR");
    if (folder == NULL) {
        return -1;
    }
    snprintf(folder, PATH_BYTES, "%s/tacho-conformance-XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    if (mkdtemp(folder) == NULL) {
        free(folder);
        return -1;
    }
    *state = folder;
    return 0;
}

static int remove_folder(void **state)
{
    int result = rmdir(*state);
    free(*state);
    return result;
}

/*
 * The bytes of an output, read back from its file, which is not committed: so none is left
 * behind, and no test waits for a disk. Free them.
 */
static tacho_str take_output(tacho_output *output)
{
    tacho_output_flush(output);
    assert_false(tacho_output_failed(output));
    size_t size = (size_t)tacho_output_offset(output);
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    for (size_t at = 0; at < size;) {
        ssize_t got = pread(output->fd, bytes + at, size - at, (off_t)at);
        assert_true(got > 0);
        at += (size_t)got;
    }
    tacho_output_close(output);
    keep_test_output(bytes, size);
    return tacho_str_make(bytes, size);
}

static void free_file(tacho_str file)
{
    free((void *)(uintptr_t)file.data);
}

#endif
