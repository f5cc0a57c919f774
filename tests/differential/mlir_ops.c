/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes what the MLIR text reader makes of each file: a line per operation, in order. For
 * mlir_vs_mlir_opt.py, which compares it with what MLIR itself makes of the file.
 *
 * Usage: mlir_ops FILE...
 */
#include "base/input.h"
#include "codec/mlir_text.h"

#include <stdio.h>

static void put_str(tacho_str text)
{
    fwrite(text.data, 1, text.len, stdout);
}

static void dump_op(const tacho_mlir_module *module, const tacho_mlir_op *op)
{
    put_str(tacho_mlir_module_string(module, op->name));
    putchar('\t');
    tacho_arena arena;
    tacho_str location = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status_free(tacho_mlir_module_location(module, op->location, &arena, &location));
    put_str(location);
    tacho_arena_deinit(&arena);
    printf("\t%u\t%u\t", op->operand_count, op->region_count);
    for (uint32_t i = 0; i < op->result_count; i++) {
        fputs(i > 0 ? ", " : "", stdout);
        put_str(tacho_mlir_module_string(module, module->values[op->first_result + i].type));
    }
    putchar('\n');
}

static tacho_status read_all(const char *path, tacho_arena *arena, tacho_str *out_text)
{
    tacho_input input;
    TACHO_TRY(tacho_input_open(path, &input));
    tacho_str bytes = {0};
    tacho_status status = tacho_input_peek(&input, TACHO_INPUT_TOKEN_MAX, &bytes);
    if (status == TACHO_OK) {
        status = tacho_arena_copy(arena, bytes, out_text);
    }
    tacho_input_close(&input);
    return status;
}

static tacho_status dump_file(const char *path, tacho_arena *arena, tacho_mlir_module *module)
{
    tacho_str text = {0};
    TACHO_TRY(read_all(path, arena, &text));
    TACHO_TRY(tacho_mlir_text_read(path, text, module));
    printf("== %s\t%llu\n", path, (unsigned long long)module->tolerated_count);
    for (size_t i = 0; i < module->op_count; i++) {
        dump_op(module, &module->ops[i]);
    }
    return TACHO_OK;
}

int main(int argc, char **argv)
{
    int failure_count = 0;
    for (int i = 1; i < argc; i++) {
        tacho_arena arena;
        tacho_mlir_module module;
        tacho_arena_init(&arena);
        tacho_status status = tacho_mlir_module_init(&module);
        if (status == TACHO_OK) {
            status = dump_file(argv[i], &arena, &module);
        }
        if (status != TACHO_OK) {
            fprintf(stderr, "%s\n", tacho_status_message(status));
            failure_count++;
        }
        tacho_status_free(status);
        tacho_mlir_module_deinit(&module);
        tacho_arena_deinit(&arena);
    }
    return failure_count > 0 ? 1 : 0;
}
