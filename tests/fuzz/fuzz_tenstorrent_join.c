/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the join of Tenstorrent's logs to an op table. Lines that begin with "@@" part the input
 * into up to four files: messages, host times, the runtime's report, the device log.
 *
 * Laws: whatever the bytes, it ends well; every row of the table has as many fields as its header,
 * and ends with CR LF.
 */
#define _GNU_SOURCE

#include "reading.h"
#include "vendors/tenstorrent/tt_join.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FILES_MAX = 4 };

static int make_file(tacho_str bytes, char out_path[64])
{
    int file = memfd_create("log", MFD_CLOEXEC);
    require(file >= 0);
    require(bytes.len == 0 || write(file, bytes.data, bytes.len) == (ssize_t)bytes.len);
    snprintf(out_path, 64, "/proc/self/fd/%d", file);
    return file;
}

/* The bytes up to a line that begins with "@@", which is taken off. */
static tacho_str take_section(tacho_str *rest)
{
    const char *mark = rest->len > 0 ? memmem(rest->data, rest->len, "\n@@", 3) : NULL;
    size_t len = mark == NULL ? rest->len : (size_t)(mark - rest->data) + 1;
    tacho_str section = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len);
    size_t line = tacho_str_find_byte(*rest, '\n');
    *rest = tacho_str_from(*rest, line < rest->len ? line + 1 : line);
    return section;
}

static void check_table(const char *path)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    size_t fields = 1;
    size_t expected = 0;
    bool is_quoted = false;
    int before = 0;
    for (int byte; (byte = fgetc(file)) != EOF; before = byte) {
        is_quoted ^= byte == '"';
        fields += !is_quoted && byte == ',' ? 1 : 0;
        if (!is_quoted && byte == '\n') {
            require(before == '\r');
            require(expected == 0 || fields == expected);
            expected = fields;
            fields = 1;
        }
    }
    require(!is_quoted && before == '\n');
    fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_str rest = tacho_str_make((const char *)data, size);
    char names[FILES_MAX][64];
    const char *paths[FILES_MAX];
    int files[FILES_MAX];
    size_t count = 0;
    char output[64];
    tacho_tt_join_result result;
    while (rest.len > 0 && count < FILES_MAX) {
        files[count] = make_file(take_section(&rest), names[count]);
        paths[count] = names[count];
        count++;
    }
    snprintf(output, sizeof(output), "/tmp/fuzz-join-%ld.csv", (long)getpid());
    if (count > 0) {
        tacho_status status = tacho_tt_join_run(
            &(tacho_tt_join_request){.paths = paths, .path_count = count, .output_path = output},
            &result);
        if (status == TACHO_OK) {
            check_table(output);
            unlink(output);
        }
        tacho_status_free(status);
    }
    for (size_t i = 0; i < count; i++) {
        close(files[i]);
    }
    return 0;
}
