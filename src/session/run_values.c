/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts and files to tensors, and tensors to texts and files.
 */
#include "session/run_values.h"

#include "base/maths.h"
#include "codec/npy.h"
#include "graph/evaluate.h"
#include "graph/model.h"
#include "kernels/element.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Inputs beyond this are a slip of the pen. */
static const uint64_t input_bytes_max = (uint64_t)1 << 36;

enum {
    NUMBER_MAX = 64, /* characters of one element */
    LISTED_MAX = 8,  /* inputs that a message lists */
};

/* One text, and the input that it is for. */
typedef struct input_text {
    const tacho_program *program;
    const char *whole; /* for messages */
    size_t index;
    const tacho_program_tensor *tensor;
    tacho_arena *arena;
    const tacho_notes *notes;
} input_text;

static tacho_str name_of(const tacho_program *program, const tacho_program_tensor *tensor)
{
    return tacho_strings_get(&program->strings, tensor->name);
}

static tacho_status fail_shape(const input_text *self, const char *problem)
{
    return tacho_fail(
        TACHO_CODE_USAGE,
        "input '%.200s': %s; expected a value such as 1x4xf32=0, 4xf32=1 2 3 4 or @FILE.npy",
        self->whole, problem);
}

/* ---- types --------------------------------------------------------------------------------- */

typedef struct type_alias {
    const char *name;
    tacho_dtype dtype;
} type_alias;

/* Other words for types, as MLIR has them. */
static const type_alias aliases[] = {
    {"i1", TACHO_DTYPE_BOOL},   {"si8", TACHO_DTYPE_I8},   {"ui8", TACHO_DTYPE_U8},
    {"si16", TACHO_DTYPE_I16},  {"ui16", TACHO_DTYPE_U16}, {"si32", TACHO_DTYPE_I32},
    {"ui32", TACHO_DTYPE_U32},  {"si64", TACHO_DTYPE_I64}, {"ui64", TACHO_DTYPE_U64},
    {"index", TACHO_DTYPE_I64},
};

static tacho_dtype find_dtype(tacho_str name)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(aliases[i].name))) {
            return aliases[i].dtype;
        }
    }
    return tacho_dtype_find(name);
}

/* "1x4xf32", "f32": false when it is no type. */
static bool parse_type(tacho_str text, tacho_array *array)
{
    *array = (tacho_array){.dtype = TACHO_DTYPE_NONE};
    for (;;) {
        size_t by = tacho_str_find_byte(text, 'x');
        uint64_t dim = 0;
        if (by == text.len || !tacho_str_parse_u64(tacho_str_make(text.data, by), &dim)) {
            break;
        }
        if (array->shape.rank == TACHO_RANK_MAX || dim > INT64_MAX) {
            return false;
        }
        array->shape.dims[array->shape.rank++] = (int64_t)dim;
        text = tacho_str_from(text, by + 1);
    }
    array->dtype = find_dtype(text);
    return array->dtype != TACHO_DTYPE_NONE;
}

/* MLIR's integers have no sign of their own: i8 stands for an u8, too. */
static void adopt_sign(const input_text *self, tacho_array *array)
{
    tacho_dtype wanted = (tacho_dtype)self->tensor->dtype;
    bool are_whole = tacho_dtype_kind_of(array->dtype) == TACHO_DTYPE_SIGNED &&
                     tacho_dtype_kind_of(wanted) == TACHO_DTYPE_UNSIGNED;
    if (are_whole && wanted != TACHO_DTYPE_BOOL &&
        tacho_dtype_element_bytes(array->dtype) == tacho_dtype_element_bytes(wanted)) {
        array->dtype = wanted;
    }
}

/* Files that know no bf16, or no f16, have the bits as u16: ONNX's own tests are such. */
static void adopt_bits(const input_text *self, tacho_array *array)
{
    tacho_dtype wanted = (tacho_dtype)self->tensor->dtype;
    if (array->dtype == TACHO_DTYPE_U16 &&
        (wanted == TACHO_DTYPE_BF16 || wanted == TACHO_DTYPE_F16)) {
        array->dtype = wanted;
    }
}

/* What was given is what the program takes, or it says what that is. */
static tacho_status check_type(const input_text *self, const tacho_array *array)
{
    const tacho_program_tensor *tensor = self->tensor;
    const tacho_shape *shape = tacho_program_shape(self->program, tensor);
    if (array->dtype == (tacho_dtype)tensor->dtype && tacho_shape_equal(&array->shape, shape)) {
        return TACHO_OK;
    }
    char wanted[TACHO_SHAPE_TEXT_MAX];
    char given[TACHO_SHAPE_TEXT_MAX];
    return tacho_fail(
        TACHO_CODE_USAGE, "input '%.200s': input %zu '%s' is %s of %s, but %s of %s is given",
        self->whole, self->index, name_of(self->program, tensor).data,
        tacho_shape_print(shape, wanted, sizeof(wanted)),
        tacho_dtype_name((tacho_dtype)tensor->dtype),
        tacho_shape_print(&array->shape, given, sizeof(given)), tacho_dtype_name(array->dtype));
}

/* Bytes of its elements; UINT64_MAX when they cannot be counted. */
static uint64_t bytes_of(const tacho_array *array)
{
    uint64_t count, bytes;
    bool is_counted = tacho_shape_elements(&array->shape, &count) &&
                      tacho_dtype_bytes(array->dtype, count, &bytes);
    return is_counted ? bytes : UINT64_MAX;
}

static tacho_status make_room(tacho_arena *arena, tacho_array *array, uint64_t *out_bytes)
{
    *out_bytes = bytes_of(array);
    if (*out_bytes > input_bytes_max) {
        return tacho_fail(TACHO_CODE_LIMIT, "an input of more than %" PRIu64 " GiB",
                          input_bytes_max >> 30);
    }
    return tacho_arena_alloc(arena, (size_t)*out_bytes, &array->data);
}

/* ---- elements in words --------------------------------------------------------------------- */

/* The next word between spaces, commas and brackets; empty at the end. */
static tacho_str next_word(tacho_str *rest)
{
    static const tacho_str between = TACHO_STR_INIT(" \t\n,[]");
    size_t start = 0;
    while (start < rest->len && tacho_str_find_byte(between, rest->data[start]) < between.len) {
        start++;
    }
    size_t end = start;
    while (end < rest->len && tacho_str_find_byte(between, rest->data[end]) == between.len) {
        end++;
    }
    tacho_str word = tacho_str_make(rest->data + start, end - start);
    *rest = tacho_str_from(*rest, end);
    return word;
}

static bool parse_real(const char *text, double *out_real)
{
    char *end = NULL;
    *out_real = strtod(text, &end);
    return end != text && *end == '\0';
}

/* A whole number that the type can hold; u64 as its bits. */
static bool parse_int(const char *text, tacho_dtype dtype, int64_t *out_int)
{
    size_t bits = 8 * tacho_dtype_element_bytes(dtype);
    bool is_negative = text[0] == '-';
    bool has_sign = is_negative || text[0] == '+';
    uint64_t magnitude = 0;
    if (dtype == TACHO_DTYPE_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        *out_int = text[0] == 't';
        return true;
    }
    if (!tacho_str_parse_u64(tacho_str_from_cstring(text + (has_sign ? 1 : 0)), &magnitude)) {
        return false;
    }
    bool is_signed = tacho_dtype_kind_of(dtype) == TACHO_DTYPE_SIGNED;
    uint64_t most = dtype == TACHO_DTYPE_BOOL ? 1
                    : is_signed               ? ((uint64_t)1 << (bits - 1)) - 1
                                              : UINT64_MAX >> (64 - bits);
    most = is_negative ? (is_signed ? most + 1 : 0) : most;
    *out_int = (int64_t)(is_negative ? 0 - magnitude : magnitude);
    return magnitude <= most;
}

static tacho_status parse_element(const input_text *self, tacho_str word, tacho_array *array,
                                  int64_t at)
{
    char text[NUMBER_MAX];
    double real = 0;
    int64_t integer = 0;
    bool is_real = tacho_element_kind(array->dtype) == TACHO_DTYPE_REAL;
    bool is_short = word.len < sizeof(text);
    snprintf(text, sizeof(text), "%.*s", is_short ? (int)word.len : 0, word.data);
    if (!is_short ||
        !(is_real ? parse_real(text, &real) : parse_int(text, array->dtype, &integer))) {
        return tacho_fail(TACHO_CODE_USAGE, "input '%.200s': '%.*s' is not a valid %s", self->whole,
                          (int)(word.len < 40 ? word.len : 40), word.data,
                          tacho_dtype_name(array->dtype));
    }
    if (is_real) {
        tacho_write_reals(array, at, 1, &real);
    } else {
        tacho_write_ints(array, at, 1, &integer);
    }
    return TACHO_OK;
}

static void splat_first(tacho_array *array, int64_t count)
{
    size_t size = tacho_dtype_element_bytes(array->dtype);
    for (int64_t i = 1; i < count; i++) {
        memcpy((unsigned char *)array->data + (size_t)i * size, array->data, size);
    }
}

/* One element for all, or all of them. */
static tacho_status parse_elements(const input_text *self, tacho_str text, tacho_array *array)
{
    uint64_t bytes = 0;
    TACHO_TRY(make_room(self->arena, array, &bytes));
    if (tacho_element_kind(array->dtype) == TACHO_DTYPE_OTHER) {
        return fail_shape(self, "elements of this type cannot be written as text");
    }
    int64_t count = tacho_array_elements(array);
    int64_t found = 0;
    tacho_str first = next_word(&text);
    for (tacho_str word = first; word.len > 0; word = next_word(&text)) {
        if (found < count) {
            TACHO_TRY(parse_element(self, word, array, found));
        }
        found++;
    }
    if (found == 1 && count > 0) {
        splat_first(array, count);
    } else if (found != count) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "input '%.200s': %" PRId64 " elements, but the shape has %" PRId64
                          "; give all of them, or one for all",
                          self->whole, found, count);
    }
    return TACHO_OK;
}

/* ---- elements in files --------------------------------------------------------------------- */

/* The bytes of the elements in a row; the type is known. */
static tacho_status read_raw(const input_text *self, tacho_str file, const char *path,
                             tacho_array *array)
{
    uint64_t bytes = 0;
    TACHO_TRY(make_room(self->arena, array, &bytes));
    if (bytes != file.len) {
        return tacho_fail(TACHO_CODE_BAD_DATA, "%s: %zu bytes, but the elements take %" PRIu64,
                          path, file.len, bytes);
    }
    memcpy(array->data, file.data, file.len);
    return TACHO_OK;
}

static tacho_status read_npy(const input_text *self, tacho_str file, const char *path,
                             tacho_array *array)
{
    tacho_npy npy;
    uint64_t bytes = 0;
    TACHO_TRY(tacho_npy_parse(path, file, &npy));
    *array = (tacho_array){npy.dtype, npy.shape, NULL};
    TACHO_TRY(make_room(self->arena, array, &bytes));
    tacho_npy_copy(&npy, array->data);
    return TACHO_OK;
}

static tacho_status take_tensor(const input_text *self, const tacho_graph *graph, uint32_t id,
                                tacho_array *array)
{
    const tacho_tensor *tensor = &graph->tensors[id];
    uint64_t bytes = 0;
    *array = (tacho_array){tensor->dtype, *tensor->shape, NULL};
    TACHO_TRY(make_room(self->arena, array, &bytes));
    tacho_constant_expand(&graph->constants[tensor->constant], tensor, array->data);
    return TACHO_OK;
}

static tacho_status read_onnx(const input_text *self, const char *path, tacho_array *array)
{
    tacho_graph graph;
    uint32_t id = TACHO_NONE;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK) {
        status = tacho_onnx_tensor_file(&graph, path, &id);
    }
    if (status == TACHO_OK) {
        status = take_tensor(self, &graph, id, array);
    }
    tacho_graph_deinit(&graph);
    return status;
}

static tacho_status read_mapped(const input_text *self, tacho_mappings *mappings, const char *path,
                                bool is_raw, tacho_array *array)
{
    tacho_array own = {(tacho_dtype)self->tensor->dtype,
                       *tacho_program_shape(self->program, self->tensor), NULL};
    tacho_mapping_bound bound = {.is_known = is_raw ? NULL : tacho_npy_is_file};
    tacho_str file;
    bound.bytes_max = tacho_size_add(bytes_of(is_raw ? array : &own), 1); /* one too many is seen */
    TACHO_TRY(tacho_mappings_open_bounded(mappings, path, &bound, &file));
    if (is_raw) {
        return read_raw(self, file, path, array);
    }
    if (tacho_npy_is_file(file)) {
        return read_npy(self, file, path, array);
    }
    tacho_str name = tacho_str_from_cstring(path);
    if (tacho_str_ends_with(name, TACHO_STR(".npy"))) {
        tacho_npy npy;
        return tacho_npy_parse(path, file, &npy); /* says what is wrong */
    }
    if (tacho_str_ends_with(name, TACHO_STR(".pb"))) {
        return read_onnx(self, path, array);
    }
    *array = own;
    return read_raw(self, file, path, array);
}

/*
 * Opening a named pipe waits until a writer opens it, so a note says so. What
 * would be read twice cannot be one.
 */
static tacho_status check_pipe(const char *path, bool is_raw, const tacho_notes *notes)
{
    struct stat facts;
    tacho_str name = tacho_str_from_cstring(path);
    if (stat(path, &facts) != 0 || !S_ISFIFO(facts.st_mode)) {
        return TACHO_OK;
    }
    if (!is_raw && tacho_str_ends_with(name, TACHO_STR(".pb"))) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "%s: a pipe, and .pb is read twice; expected a file, or .npy", path);
    }
    if (!tacho_str_starts_with(name, TACHO_STR("/dev/"))) { /* as <(...) of a shell */
        tacho_note(notes, "note", "%.200s is a pipe: waiting for data", path);
    }
    return TACHO_OK;
}

/* |array| has a type already where the text gives it: then the file is bytes alone. */
static tacho_status read_file(const input_text *self, const char *path, bool is_raw,
                              tacho_array *array)
{
    tacho_mappings mappings = {0};
    TACHO_TRY(check_pipe(path, is_raw, self->notes));
    tacho_status status = read_mapped(self, &mappings, path, is_raw, array);
    tacho_mappings_close(&mappings);
    return status;
}

/* ---- inputs -------------------------------------------------------------------------------- */

static size_t find_input(const tacho_program *program, tacho_str name)
{
    size_t i = 0;
    while (i < program->input_count &&
           !tacho_str_equal(name_of(program, &program->tensors[program->inputs[i]]), name)) {
        i++;
    }
    return i;
}

/* "2x3xf32 'x', 1xi64 'ids', ..." */
static void list_inputs(const tacho_program *program, char *out_text, size_t room)
{
    char shape[TACHO_SHAPE_TEXT_MAX];
    size_t used = 0;
    out_text[0] = '\0';
    for (size_t i = 0; i < program->input_count && used + 1 < room; i++) {
        const tacho_program_tensor *tensor = &program->tensors[program->inputs[i]];
        bool is_enough = i == LISTED_MAX;
        used +=
            (size_t)(is_enough ? snprintf(out_text + used, room - used, " ...")
                               : snprintf(out_text + used, room - used, "%s'%.60s' (%.40s of %s)",
                                          i > 0 ? ", " : "", name_of(program, tensor).data,
                                          tacho_shape_print(tacho_program_shape(program, tensor),
                                                            shape, sizeof(shape)),
                                          tacho_dtype_name((tacho_dtype)tensor->dtype)));
        if (is_enough) {
            break;
        }
    }
}

static tacho_status fail_name(const input_text *self, tacho_str name)
{
    char known[1024];
    list_inputs(self->program, known, sizeof(known));
    return tacho_fail(TACHO_CODE_USAGE,
                      "input '%.200s': '%.*s' is neither a type such as 1x4xf32 nor an input of "
                      "the program, which has %s",
                      self->whole, (int)(name.len < 80 ? name.len : 80), name.data, known);
}

/* What follows "NAME=": |*text| without it, and the input; or the next input. */
static tacho_status choose_input(input_text *self, tacho_str *text, size_t *next)
{
    const tacho_program *program = self->program;
    size_t equals = tacho_str_find_byte(*text, '=');
    tacho_str head = tacho_str_make(text->data, equals);
    tacho_array ignored;
    self->index = *next;
    if (text->len > 0 && text->data[0] != '@' && equals < text->len &&
        !parse_type(head, &ignored)) {
        self->index = find_input(program, head);
        if (self->index == program->input_count) {
            return fail_name(self, head);
        }
        *text = tacho_str_from(*text, equals + 1);
    } else {
        (*next)++;
    }
    if (self->index >= program->input_count) {
        return tacho_fail(TACHO_CODE_USAGE, "input '%.200s': too many inputs; the program has %zu",
                          self->whole, program->input_count);
    }
    self->tensor = &program->tensors[program->inputs[self->index]];
    return TACHO_OK;
}

static tacho_status read_value(input_text *self, tacho_str text, tacho_array *array)
{
    if (text.len > 0 && text.data[0] == '@') {
        TACHO_TRY(read_file(self, text.data + 1, false, array));
        adopt_bits(self, array);
        return check_type(self, array);
    }
    size_t equals = tacho_str_find_byte(text, '=');
    if (!parse_type(tacho_str_make(text.data, equals), array)) {
        return fail_shape(self, "no value");
    }
    adopt_sign(self, array);
    TACHO_TRY(check_type(self, array));
    tacho_str value = equals < text.len ? tacho_str_from(text, equals + 1) : TACHO_STR("0");
    if (value.len > 0 && value.data[0] == '@') {
        return read_file(self, value.data + 1, true, array);
    }
    return parse_elements(self, value, array);
}

/* The shape in a file that has one, which can be read again. */
static tacho_status shape_of_file(const char *path, tacho_shape *out_shape)
{
    struct stat facts;
    tacho_str name = tacho_str_from_cstring(path);
    bool is_npy = tacho_str_ends_with(name, TACHO_STR(".npy"));
    bool is_file = stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
    if (!is_file || (!is_npy && !tacho_str_ends_with(name, TACHO_STR(".pb")))) {
        return TACHO_OK;
    }
    tacho_graph graph;
    tacho_str file;
    uint32_t id = TACHO_NONE;
    tacho_status status = tacho_graph_init(&graph);
    if (status == TACHO_OK && !is_npy) {
        status = tacho_onnx_tensor_file(&graph, path, &id);
        *out_shape = status == TACHO_OK ? *graph.tensors[id].shape : *out_shape;
    } else if (status == TACHO_OK) {
        tacho_npy npy;
        status = tacho_mappings_open(&graph.mappings, path, &file);
        status = status == TACHO_OK ? tacho_npy_parse(path, file, &npy) : status;
        *out_shape = status == TACHO_OK ? npy.shape : *out_shape;
    }
    tacho_graph_deinit(&graph);
    return status;
}

/* Whether |text| is for the input; |*text| without the name, and |*next| one more if it has none.
 */
static bool is_for(tacho_str *text, tacho_str name, size_t index, size_t *next)
{
    size_t equals = tacho_str_find_byte(*text, '=');
    tacho_str head = tacho_str_make(text->data, equals);
    tacho_array ignored;
    if (text->len == 0 || text->data[0] == '@' || equals == text->len ||
        parse_type(head, &ignored)) {
        return (*next)++ == index;
    }
    *text = tacho_str_from(*text, equals + 1);
    return tacho_str_equal(head, name);
}

tacho_status tacho_run_input_shape(const tacho_run_input_texts *texts, tacho_str name, size_t index,
                                   tacho_shape *out_shape)
{
    size_t next = 0;
    out_shape->rank = TACHO_RANK_UNKNOWN;
    for (size_t i = 0; i < texts->item_count; i++) {
        tacho_str text = tacho_str_from_cstring(texts->items[i]);
        tacho_array array;
        if (!is_for(&text, name, index, &next)) {
            continue;
        }
        if (text.len > 0 && text.data[0] == '@') {
            return shape_of_file(text.data + 1, out_shape);
        }
        if (parse_type(tacho_str_make(text.data, tacho_str_find_byte(text, '=')), &array)) {
            *out_shape = array.shape;
        }
        return TACHO_OK;
    }
    return TACHO_OK;
}

tacho_status tacho_run_inputs_read(const tacho_program *program, const tacho_run_input_texts *texts,
                                   tacho_arena *arena, tacho_array *out_arrays)
{
    size_t next = 0;
    for (size_t i = 0; i < program->input_count; i++) {
        out_arrays[i] = (tacho_array){.dtype = TACHO_DTYPE_NONE};
    }
    for (size_t i = 0; i < texts->item_count; i++) {
        input_text self = {
            .program = program, .whole = texts->items[i], .arena = arena, .notes = texts->notes};
        tacho_str text = tacho_str_from_cstring(texts->items[i]);
        TACHO_TRY(choose_input(&self, &text, &next));
        if (out_arrays[self.index].data != NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "input '%.200s': input %zu '%s' was given already",
                              texts->items[i], self.index, name_of(program, self.tensor).data);
        }
        TACHO_TRY(read_value(&self, text, &out_arrays[self.index]));
    }
    return TACHO_OK;
}

/* Of whole numbers that may be indices the lowest bit stays. */
static void make_small(tacho_array *array)
{
    int64_t count = tacho_array_elements(array);
    bool is_whole = tacho_element_kind(array->dtype) != TACHO_DTYPE_REAL &&
                    tacho_element_kind(array->dtype) != TACHO_DTYPE_OTHER;
    size_t size = tacho_dtype_element_bytes(array->dtype);
    for (int64_t i = 0; is_whole && size >= 4 && i < count; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (unsigned char *)array->data + (size_t)i * size, size);
        bits &= 1;
        memcpy((unsigned char *)array->data + (size_t)i * size, &bits, size);
    }
}

tacho_status tacho_run_input_random(const tacho_program *program, size_t index, uint64_t seed,
                                    tacho_arena *arena, tacho_array *out_array)
{
    const tacho_program_tensor *tensor = &program->tensors[program->inputs[index]];
    uint64_t bytes = 0;
    *out_array =
        (tacho_array){(tacho_dtype)tensor->dtype, *tacho_program_shape(program, tensor), NULL};
    TACHO_TRY(make_room(arena, out_array, &bytes));
    tacho_random_fill(out_array->dtype, seed + index, bytes, out_array->data);
    make_small(out_array);
    return TACHO_OK;
}

void tacho_run_input_print(const tacho_program *program, size_t index, char *out_text, size_t room)
{
    const tacho_program_tensor *tensor = &program->tensors[program->inputs[index]];
    const tacho_shape *of = tacho_program_shape(program, tensor);
    char shape[TACHO_SHAPE_TEXT_MAX];
    bool is_scalar = of->rank == 0;
    snprintf(out_text, room, "%.100s=%s%s%s=VALUE", name_of(program, tensor).data,
             is_scalar ? "" : tacho_shape_print(of, shape, sizeof(shape)), is_scalar ? "" : "x",
             tacho_dtype_name((tacho_dtype)tensor->dtype));
}

/* ---- outputs ------------------------------------------------------------------------------- */

static void print_element(const tacho_array *array, int64_t at, tacho_output *output)
{
    double real = 0;
    int64_t integer = 0;
    if (tacho_element_kind(array->dtype) == TACHO_DTYPE_REAL) {
        tacho_read_reals(array, at, 1, 1, &real);
        tacho_output_printf(output, "%G", real);
        return;
    }
    tacho_read_ints(array, at, 1, 1, &integer);
    if (array->dtype == TACHO_DTYPE_U64) {
        tacho_output_printf(output, "%" PRIu64, (uint64_t)integer);
    } else {
        tacho_output_printf(output, "%" PRId64, integer);
    }
}

/* How many dimensions, from the innermost on, begin at |at|; all at 0. */
static int32_t dims_that_begin(const tacho_shape *shape, int64_t at)
{
    int32_t count = 0;
    int64_t stride = 1;
    for (int32_t d = shape->rank - 1; d > 0; d--) {
        stride *= shape->dims[d];
        if (at % stride != 0) {
            break;
        }
        count++;
    }
    return count;
}

static void print_brackets(tacho_output *output, char bracket, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        tacho_output_write(output, &bracket, 1);
    }
}

static void print_elements(const tacho_array *array, uint64_t element_max, tacho_output *output)
{
    int64_t count = tacho_array_elements(array);
    int64_t shown = (uint64_t)count <= element_max ? count : (int64_t)element_max;
    for (int64_t i = 0; i < shown; i++) {
        int32_t begins = dims_that_begin(&array->shape, i);
        print_brackets(output, ']', i > 0 ? begins : 0);
        print_brackets(output, '[', begins);
        tacho_output_write_cstring(output, i > 0 && begins == 0 ? " " : "");
        print_element(array, i, output);
    }
    if (shown < count) {
        tacho_output_write_cstring(output, "...");
    }
    print_brackets(output, ']', count > 0 && array->shape.rank > 1 ? array->shape.rank - 1 : 0);
}

tacho_status tacho_run_value_print(const tacho_array *array, uint64_t element_max,
                                   tacho_output *output)
{
    for (int32_t d = 0; d < array->shape.rank; d++) {
        tacho_output_printf(output, "%" PRId64 "x", array->shape.dims[d]);
    }
    tacho_output_printf(output, "%s=", tacho_dtype_name(array->dtype));
    if (tacho_element_kind(array->dtype) == TACHO_DTYPE_OTHER) {
        tacho_output_write_cstring(output, "...");
    } else {
        print_elements(array, element_max, output);
    }
    return TACHO_OK;
}

static tacho_status write_value(const tacho_array *array, bool is_raw, tacho_output *output)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    if (!is_raw) {
        return tacho_npy_write(array, output);
    }
    if (!tacho_shape_elements(&array->shape, &count) ||
        !tacho_dtype_bytes(array->dtype, count, &bytes)) {
        return tacho_fail(TACHO_CODE_UNSUPPORTED, "elements of %s have no bytes",
                          tacho_dtype_name(array->dtype));
    }
    tacho_output_write(output, array->data, (size_t)bytes);
    return TACHO_OK;
}

tacho_status tacho_run_value_write(const tacho_array *array, const char *path, bool is_chosen,
                                   tacho_output_group *group)
{
    tacho_output output;
    TACHO_TRY(is_chosen ? tacho_output_open_chosen(path, NULL, &output)
                        : tacho_output_open(path, &output));
    bool is_raw = tacho_str_ends_with(tacho_str_from_cstring(path), TACHO_STR(".bin"));
    tacho_status status = write_value(array, is_raw, &output);
    if (status == TACHO_OK) {
        status = tacho_output_commit_to(&output, group);
    } else {
        status = tacho_status_add_note(status, "while writing %s", path);
    }
    tacho_output_close(&output);
    return status;
}
