/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a module is printed: depth as indentation, results and operands as %number, successors not
 * at all, since a module does not keep them. A stack of our own holds the way back up.
 */
#include "dump.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct place {
    uint32_t region; /* the next one, and one past the last */
    uint32_t region_end;
    uint32_t block; /* the next one of the region */
    uint32_t block_end;
    uint32_t op; /* the next one of the block, or TACHO_NONE */
} place;

typedef struct dump {
    const tacho_mlir_module *module;
    FILE *out;
    uint32_t *numbers; /* of values, by value */
    uint32_t next_number;
    place *places;
    size_t depth;
} dump;

/* ---- numbers ---- */

static place inside(const tacho_mlir_op *op)
{
    return (place){.region = op->first_region,
                   .region_end = op->first_region + op->region_count,
                   .op = TACHO_NONE};
}

/* The next operation or block in order; false at the end. A block comes before what it holds. */
static bool next(dump *state, uint32_t *out_op, uint32_t *out_block)
{
    const tacho_mlir_module *module = state->module;
    *out_op = TACHO_NONE;
    *out_block = TACHO_NONE;
    while (state->depth > 0) {
        place *top = &state->places[state->depth - 1];
        if (top->op != TACHO_NONE) {
            *out_op = top->op;
            top->op = module->next_op[top->op];
            state->places[state->depth++] = inside(&module->ops[*out_op]);
            return true;
        }
        if (top->block < top->block_end) {
            *out_block = top->block++;
            top->op = module->blocks[*out_block].first_op;
            return true;
        }
        if (top->region < top->region_end) {
            const tacho_mlir_region *region = &module->regions[top->region++];
            top->block = region->first_block;
            top->block_end = region->first_block + region->block_count;
            continue;
        }
        state->depth--;
    }
    return false;
}

static void rewind_to_top(dump *state)
{
    state->depth = 1;
    state->places[0] = (place){.op = state->module->op_count > 0 ? 0 : TACHO_NONE};
}

static void number_values(dump *state, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        state->numbers[first + i] = state->next_number++;
    }
}

static void number_all(dump *state)
{
    uint32_t op = 0;
    uint32_t block = 0;
    rewind_to_top(state);
    while (next(state, &op, &block)) {
        if (op != TACHO_NONE) {
            number_values(state, state->module->ops[op].first_result,
                          state->module->ops[op].result_count);
        } else {
            number_values(state, state->module->blocks[block].first_argument,
                          state->module->blocks[block].argument_count);
        }
    }
}

/* ---- lines ---- */

static void print_text(FILE *out, tacho_str text)
{
    fputc('"', out);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < ' ' || c > '~' || c == '"' || c == '\\') {
            fprintf(out, "\\%02X", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void print_attr(FILE *out, const tacho_mlir_module *module, const tacho_mlir_attr *attr)
{
    tacho_str name = tacho_mlir_module_string(module, attr->name);
    fprintf(out, "%.*s=", TACHO_STR_ARG(name));
    switch (attr->kind) {
    case TACHO_MLIR_ATTR_UNIT:
        fputs("unit", out);
        break;
    case TACHO_MLIR_ATTR_BOOL:
        fputs(attr->as_int != 0 ? "true" : "false", out);
        break;
    case TACHO_MLIR_ATTR_INT:
        fprintf(out, "int %" PRId64, attr->as_int);
        break;
    case TACHO_MLIR_ATTR_STRING:
        print_text(out, attr->text);
        break;
    case TACHO_MLIR_ATTR_SYMBOL:
        fputs("symbol ", out);
        print_text(out, attr->text);
        break;
    case TACHO_MLIR_ATTR_INTS:
        fputs("ints[", out);
        for (size_t i = 0; i < attr->int_count; i++) {
            fprintf(out, "%s%" PRId64, i > 0 ? " " : "", attr->ints[i]);
        }
        fputc(']', out);
        break;
    case TACHO_MLIR_ATTR_TEXT:
        fputs("text ", out);
        print_text(out, attr->text);
        break;
    case TACHO_MLIR_ATTR_UNKNOWN:
        fputs("unknown", out);
        break;
    }
}

static bool print_attrs(dump *state, const tacho_mlir_op *op)
{
    size_t size = op->attr_count * sizeof(tacho_mlir_attr);
    if (size == 0) {
        return true;
    }
    tacho_mlir_attr *sorted = malloc(size);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, state->module->attrs + op->first_attr, size);
    tacho_mlir_module_sort_attrs(state->module, sorted, op->attr_count);
    fputs(" {", state->out);
    for (uint32_t i = 0; i < op->attr_count; i++) {
        fputs(i > 0 ? ", " : "", state->out);
        print_attr(state->out, state->module, &sorted[i]);
    }
    fputc('}', state->out);
    free(sorted);
    return true;
}

static void print_operands(dump *state, const tacho_mlir_op *op)
{
    fputc('(', state->out);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        uint32_t value = state->module->operands[op->first_operand + i];
        fputs(i > 0 ? ", " : "", state->out);
        if (value == TACHO_NONE) {
            fputs("%none", state->out);
        } else {
            fprintf(state->out, "%%%u", state->numbers[value]);
        }
    }
    fputc(')', state->out);
}

static void print_values(dump *state, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tacho_str type =
            tacho_mlir_module_string(state->module, state->module->values[first + i].type);
        fprintf(state->out, "%s%%%u: %.*s", i > 0 ? ", " : "", state->numbers[first + i],
                TACHO_STR_ARG(type));
    }
}

static bool print_op(dump *state, const tacho_mlir_op *op)
{
    tacho_str name = tacho_mlir_module_string(state->module, op->name);
    fprintf(state->out, "%.*s", TACHO_STR_ARG(name));
    print_operands(state, op);
    if (!print_attrs(state, op)) {
        return false;
    }
    if (op->result_count > 0) {
        fputs(" -> ", state->out);
        print_values(state, op->first_result, op->result_count);
    }
    if (op->region_count > 0) {
        fprintf(state->out, " regions %u", op->region_count);
    }
    tacho_arena arena;
    tacho_str location = TACHO_STR("");
    tacho_arena_init(&arena);
    tacho_status_free(tacho_mlir_module_location(state->module, op->location, &arena, &location));
    fprintf(state->out, " loc(%.*s)\n", TACHO_STR_ARG(location));
    tacho_arena_deinit(&arena);
    return true;
}

static void print_block(dump *state, uint32_t id)
{
    const tacho_mlir_block *block = &state->module->blocks[id];
    const tacho_mlir_region *region = &state->module->regions[block->region];
    fprintf(state->out, "^region %u block %u(",
            block->region - state->module->ops[region->op].first_region, id - region->first_block);
    print_values(state, block->first_argument, block->argument_count);
    fputs(")\n", state->out);
}

static bool print_all(dump *state)
{
    uint32_t op = 0;
    uint32_t block = 0;
    rewind_to_top(state);
    for (;;) {
        size_t depth = 0;
        if (!next(state, &op, &block)) {
            break;
        }
        depth = state->depth - (op != TACHO_NONE ? 2 : 1);
        fprintf(state->out, "%*s", (int)(2 * depth), "");
        if (op == TACHO_NONE) {
            print_block(state, block);
        } else if (!print_op(state, &state->module->ops[op])) {
            return false;
        }
    }
    fprintf(state->out, "undecoded %" PRIu64 "\n", state->module->undecoded_count);
    return true;
}

bool tacho_mlir_dump(const tacho_mlir_module *module, FILE *out)
{
    dump state = {.module = module, .out = out};
    state.numbers = calloc(module->value_count + 1, sizeof(*state.numbers));
    state.places = calloc(module->op_count + 2, sizeof(*state.places));
    bool is_done = state.numbers != NULL && state.places != NULL;
    if (is_done) {
        number_all(&state);
        is_done = print_all(&state);
    }
    free(state.numbers);
    free(state.places);
    return is_done;
}
