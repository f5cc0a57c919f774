/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of MLIR text: a module in a notation of our own, which is compared.
 */
#ifndef TACHO_CODEC_MLIR_TEXT_TESTING_H
#define TACHO_CODEC_MLIR_TEXT_TESTING_H

#include "codec/mlir_module_testing.h"
#include "codec/mlir_text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline void write_str(FILE *out, tacho_str text)
{
    fwrite(text.data, 1, text.len, out);
}

static inline void write_value(FILE *out, uint32_t value)
{
    if (value == TACHO_NONE) {
        fputs("%?", out);
    } else {
        fprintf(out, "%%%u", value);
    }
}

static inline void write_attr(FILE *out, const tacho_mlir_module *module,
                              const tacho_mlir_attr *attr)
{
    write_str(out, tacho_mlir_module_string(module, attr->name));
    switch (attr->kind) {
    case TACHO_MLIR_ATTR_UNIT:
        break;
    case TACHO_MLIR_ATTR_BOOL:
        fputs(attr->as_int != 0 ? "=true" : "=false", out);
        break;
    case TACHO_MLIR_ATTR_INT:
        fprintf(out, "=%" PRId64, attr->as_int);
        break;
    case TACHO_MLIR_ATTR_STRING:
        fputs("='", out);
        write_str(out, attr->text);
        fputs("'", out);
        break;
    case TACHO_MLIR_ATTR_SYMBOL:
        fputs("=@", out);
        write_str(out, attr->text);
        break;
    case TACHO_MLIR_ATTR_INTS:
        fputs("=[", out);
        for (size_t i = 0; i < attr->int_count; i++) {
            fprintf(out, "%s%" PRId64, i > 0 ? "," : "", attr->ints[i]);
        }
        fputs("]", out);
        break;
    case TACHO_MLIR_ATTR_TEXT:
        fputs("=", out);
        write_str(out, attr->text);
        break;
    case TACHO_MLIR_ATTR_UNKNOWN:
        fputs("=?", out);
        break;
    }
}

static inline void write_op(FILE *out, const tacho_mlir_module *module, const tacho_mlir_op *op)
{
    fprintf(out, op->block == TACHO_NONE ? "- " : "%u ", op->block);
    for (uint32_t i = 0; i < op->result_count; i++) {
        assert_int_equal(module->values[op->first_result + i].op, op - module->ops);
        assert_int_equal(module->values[op->first_result + i].index, i);
        write_value(out, op->first_result + i);
    }
    fputs(op->result_count > 0 ? "=" : "", out);
    write_str(out, tacho_mlir_module_string(module, op->name));
    fputs("(", out);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        fputs(i > 0 ? "," : "", out);
        write_value(out, module->operands[op->first_operand + i]);
    }
    fputs("){", out);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        fputs(i > 0 ? "; " : "", out);
        write_attr(out, module, &module->attrs[op->first_attr + i]);
    }
    fputs("}", out);
    for (uint32_t i = 0; i < op->region_count; i++) {
        assert_int_equal(module->regions[op->first_region + i].op, op - module->ops);
        fprintf(out, "[%u]", op->first_region + i);
    }
    for (uint32_t i = 0; i < op->result_count; i++) {
        fputs(i > 0 ? ", " : " : ", out);
        write_str(out, tacho_mlir_module_string(module, module->values[op->first_result + i].type));
    }
    fputs(" @", out);
    tacho_arena arena;
    tacho_str location;
    tacho_arena_init(&arena);
    assert_null(tacho_mlir_module_location(module, op->location, &arena, &location));
    write_str(out, location);
    tacho_arena_deinit(&arena);
    fputs("\n", out);
}

static inline void write_block(FILE *out, const tacho_mlir_module *module, uint32_t index)
{
    const tacho_mlir_block *block = &module->blocks[index];
    const tacho_mlir_region *region = &module->regions[block->region];
    assert_true(index >= region->first_block && index < region->first_block + region->block_count);
    fprintf(out, "^%u [%u]", index, block->region);
    for (uint32_t i = 0; i < block->argument_count; i++) {
        const tacho_mlir_value *value = &module->values[block->first_argument + i];
        assert_int_equal(value->block, index);
        assert_int_equal(value->index, i);
        fprintf(out, " %%%u:", block->first_argument + i);
        write_str(out, tacho_mlir_module_string(module, value->type));
    }
    for (uint32_t op = block->first_op; op != TACHO_NONE; op = module->next_op[op]) {
        assert_int_equal(module->ops[op].block, index);
    }
    fputs("\n", out);
}

/* The module in our notation; free it. */
static inline char *dump_module(const tacho_mlir_module *module)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    assert_non_null(out);
    for (size_t i = 0; i < module->op_count; i++) {
        write_op(out, module, &module->ops[i]);
    }
    for (uint32_t i = 0; i < module->block_count; i++) {
        write_block(out, module, i);
    }
    if (module->tolerated_count > 0) {
        fprintf(out, "tolerated %" PRIu64 "\n", module->tolerated_count);
    }
    fclose(out);
    return text;
}

/* Reads |text|; returns the module in our notation, or the message. */
static inline char *read_text(tacho_str text)
{
    tacho_mlir_module module;
    assert_null(tacho_mlir_module_init(&module));
    tacho_status status = tacho_mlir_text_read("m", text, &module);
    char *dump = NULL;
    if (status == TACHO_OK) {
        dump = dump_module(&module);
    } else {
        size_t len = strlen(tacho_status_message(status)) + 1;
        dump = malloc(len);
        assert_non_null(dump);
        memcpy(dump, tacho_status_message(status), len);
    }
    tacho_status_free(status);
    tacho_mlir_module_deinit(&module);
    return dump;
}

static inline void check(const char *text, const char *expected)
{
    char *dump = read_text(tacho_str_from_cstring(text));
    assert_string_equal(dump, expected);
    free(dump);
}

/* A composed sample among the other test data; free it. */
static inline char *read_sample(const char *name, size_t *out_len)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/mlir/%s", TACHO_TEST_DATA, name);
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = malloc(1 << 16);
    assert_non_null(text);
    *out_len = fread(text, 1, 1 << 16, in);
    fclose(in);
    assert_in_range(*out_len, 1000, (1 << 16) - 1);
    return text;
}

#endif
