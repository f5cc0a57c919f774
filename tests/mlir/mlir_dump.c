/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mlir_dump [--time] FILE: reads an MLIR file and prints the module (dump.h), or with --time how
 * much processor time the reading took. Exit status 1 when it cannot be read.
 */
#include "dump.h"

#include "codec/mlir_bytecode.h"
#include "codec/mlir_text.h"

#include <stdlib.h>
#include <time.h>

static char *read_whole(const char *path, size_t *out_len)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long len = ftell(file);
    rewind(file);
    char *bytes = len < 0 ? NULL : malloc((size_t)len + 1);
    if (bytes != NULL && fread(bytes, 1, (size_t)len, file) != (size_t)len) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *out_len = (size_t)len;
    return bytes;
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int show(const char *path, tacho_str bytes, bool is_timed)
{
    tacho_mlir_module module;
    double start = cpu_ms();
    tacho_status status = tacho_mlir_module_init(&module);
    if (status == TACHO_OK) {
        status = tacho_mlir_is_bytecode(bytes) ? tacho_mlir_bytecode_read(path, bytes, &module)
                                               : tacho_mlir_text_read(path, bytes, &module);
    }
    int result = status == TACHO_OK ? 0 : 1;
    if (status != TACHO_OK) {
        fprintf(stderr, "mlir_dump: %s\n", tacho_status_message(status));
    } else if (is_timed) {
        printf("%zu operations, %.1f ms\n", module.op_count, cpu_ms() - start);
    } else {
        result = tacho_mlir_dump(&module, stdout) ? 0 : 1;
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
    return result;
}

int main(int argc, char **argv)
{
    bool is_timed = argc == 3 && strcmp(argv[1], "--time") == 0;
    if (argc != 2 && !is_timed) {
        fprintf(stderr, "usage: mlir_dump [--time] FILE\n");
        return 2;
    }
    const char *path = argv[argc - 1];
    size_t len = 0;
    char *bytes = read_whole(path, &len);
    if (bytes == NULL) {
        fprintf(stderr, "mlir_dump: cannot read %s\n", path);
        return 1;
    }
    int result = show(path, tacho_str_make(bytes, len), is_timed);
    free(bytes);
    return result;
}
