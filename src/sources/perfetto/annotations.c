/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An annotation may contain others, and its name may follow them: each message is read twice, once
 * for itself and once for its contents. Open annotations are kept on an explicit stack.
 */
#include "sources/perfetto/annotations.h"

#include "base/grow.h"
#include "codec/json_reader.h"
#include "sources/perfetto/fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* A dictionary or array whose contents are being read. */
typedef struct open_annotation {
    tacho_pb_reader reader;
    uint32_t field; /* of its contents */
    size_t arg;
} open_annotation;

tacho_status pfr_args_append(pfr_args *args, uint32_t key, tacho_arg **out_arg)
{
    TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, args->item_count + 1));
    *out_arg = &args->items[args->item_count++];
    **out_arg = (tacho_arg){.key = key};
    return TACHO_OK;
}

static void set_text(tacho_arg *arg, tacho_arg_type type, tacho_str text)
{
    arg->type = type;
    arg->value.as_text = text;
}

/* The old form of a value, if it is a simple one. */
static bool read_nested(tacho_str message, tacho_arg *arg)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    bool has_value = false;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        bool is_value = true;
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_NESTED_INT):
            arg->type = TACHO_ARG_INT;
            arg->value.as_int = (int64_t)field.value;
            break;
        case TACHO_PB_KEY_FIXED64(PF_NESTED_DOUBLE):
            arg->type = TACHO_ARG_REAL;
            arg->value.as_real = tacho_pb_double(field.value);
            break;
        case TACHO_PB_KEY_VARINT(PF_NESTED_BOOL):
            arg->type = TACHO_ARG_BOOL;
            arg->value.as_bool = field.value != 0;
            break;
        case TACHO_PB_KEY_BYTES(PF_NESTED_STRING):
            set_text(arg, TACHO_ARG_TEXT, pfr_text(field.bytes));
            break;
        default:
            is_value = false;
            break;
        }
        has_value = has_value || is_value;
    }
    return has_value;
}

/* Contents of one annotation. */
typedef struct annotation {
    tacho_arg *value; /* receives the key, and the value unless it is a container */
    bool has_value;
    uint32_t contents; /* the field of its contents, 0 for none */
} annotation;

static tacho_status read_json(tacho_str text, annotation *out)
{
    bool valid = false;
    text = pfr_text(text);
    TACHO_TRY(tacho_json_check_value(text, &valid));
    set_text(out->value, valid ? TACHO_ARG_JSON : TACHO_ARG_TEXT, text);
    return TACHO_OK;
}

/* Reads the string just parsed as the text of another value. */
static tacho_status read_own_value(annotation *out)
{
    static const struct {
        tacho_str word;
        double value;
    } not_finite[] = {{TACHO_STR_INIT("NaN"), (double)NAN},
                      {TACHO_STR_INIT("Infinity"), HUGE_VAL},
                      {TACHO_STR_INIT("-Infinity"), -HUGE_VAL}};
    if (out->value->type != TACHO_ARG_TEXT) {
        return TACHO_OK;
    }
    for (size_t i = 0; i < sizeof(not_finite) / sizeof(not_finite[0]); i++) {
        if (tacho_str_equal(out->value->value.as_text, not_finite[i].word)) {
            out->value->type = TACHO_ARG_REAL;
            out->value->value.as_real = not_finite[i].value;
            return TACHO_OK;
        }
    }
    return read_json(out->value->value.as_text, out);
}

static tacho_status read_value(pfr_args *args, const tacho_pb_field *field, annotation *out)
{
    tacho_arg *value = out->value;
    out->has_value = true;
    switch (tacho_pb_key(field)) {
    case TACHO_PB_KEY_VARINT(PF_ANNOTATION_BOOL):
        value->type = TACHO_ARG_BOOL;
        value->value.as_bool = field->value != 0;
        break;
    case TACHO_PB_KEY_VARINT(PF_ANNOTATION_UINT):
    case TACHO_PB_KEY_VARINT(PF_ANNOTATION_POINTER):
        value->type = TACHO_ARG_UINT;
        value->value.as_uint = field->value;
        break;
    case TACHO_PB_KEY_VARINT(PF_ANNOTATION_INT):
        value->type = TACHO_ARG_INT;
        value->value.as_int = (int64_t)field->value;
        break;
    case TACHO_PB_KEY_FIXED64(PF_ANNOTATION_DOUBLE):
        value->type = TACHO_ARG_REAL;
        value->value.as_real = tacho_pb_double(field->value);
        break;
    case TACHO_PB_KEY_BYTES(PF_ANNOTATION_STRING):
        set_text(value, TACHO_ARG_TEXT, pfr_text(field->bytes));
        break;
    case TACHO_PB_KEY_BYTES(PF_ANNOTATION_LEGACY_JSON):
        return read_json(field->bytes, out);
    case TACHO_PB_KEY_BYTES(PF_ANNOTATION_NESTED):
        out->has_value = read_nested(field->bytes, value);
        break;
    case TACHO_PB_KEY_VARINT(PF_ANNOTATION_STRING_IID):
        value->type = TACHO_ARG_STRING;
        value->value.as_string =
            pfr_sequences_find(args->sequences, args->sequence, PFR_TABLE_VALUES, field->value);
        out->has_value = value->value.as_string != TACHO_NONE;
        args->has_unknown = args->has_unknown || !out->has_value;
        break;
    default:
        out->has_value = false;
        break;
    }
    return TACHO_OK;
}

static tacho_status read_annotation(pfr_args *args, tacho_dict *dict, tacho_str message,
                                    annotation *out)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    uint32_t *key = &out->value->key;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_VARINT(PF_ANNOTATION_NAME_IID):
            *key = pfr_sequences_find(args->sequences, args->sequence, PFR_TABLE_KEYS, field.value);
            args->has_unknown = args->has_unknown || *key == TACHO_NONE;
            *key = *key == TACHO_NONE ? 0 : *key;
            break;
        case TACHO_PB_KEY_BYTES(PF_ANNOTATION_NAME):
            TACHO_TRY(tacho_dict_ensure_string(dict, pfr_text(field.bytes), key));
            break;
        case TACHO_PB_KEY_BYTES(PF_ANNOTATION_DICT_ENTRIES):
        case TACHO_PB_KEY_BYTES(PF_ANNOTATION_ARRAY_VALUES):
            out->contents = field.number;
            break;
        case TACHO_PB_KEY_VARINT(PF_ANNOTATION_TACHO_IS_VALUE):
            TACHO_TRY(out->has_value ? read_own_value(out) : TACHO_OK);
            break;
        default: {
            bool had_value = out->has_value;
            TACHO_TRY(read_value(args, &field, out));
            out->has_value = out->has_value || had_value;
            break;
        }
        }
    }
    args->is_bad = args->is_bad || !tacho_pb_is_sound(&reader);
    return TACHO_OK;
}

/* Adds one annotation; a container is opened, and its arguments follow. */
static tacho_status add_one(pfr_args *args, tacho_dict *dict, tacho_str message,
                            open_annotation *stack, size_t *depth)
{
    if (TACHO_UNLIKELY(args->item_count == args->item_capacity)) {
        TACHO_TRY(tacho_grow(&args->items, &args->item_capacity, args->item_count + 1));
    }
    tacho_arg *arg = &args->items[args->item_count];
    annotation read = {.value = arg};
    bool in_array = *depth > 0 && stack[*depth - 1].field == PF_ANNOTATION_ARRAY_VALUES;
    arg->key = 0;
    arg->unit = TACHO_UNIT_NONE;
    TACHO_TRY(read_annotation(args, dict, message, &read));
    if (read.contents == 0 && !read.has_value) {
        return TACHO_OK; /* a type that the model does not have */
    }
    if (read.contents != 0 && *depth == TACHO_ARG_DEPTH_MAX) {
        args->is_too_deep = true;
        return TACHO_OK;
    }
    args->item_count++;
    arg->key = in_array ? 0 : arg->key;
    if (read.contents == 0) {
        return TACHO_OK;
    }
    arg->type = read.contents == PF_ANNOTATION_DICT_ENTRIES ? TACHO_ARG_DICT : TACHO_ARG_ARRAY;
    open_annotation *opened = &stack[(*depth)++];
    *opened = (open_annotation){.field = read.contents, .arg = args->item_count - 1};
    tacho_pb_reader_init(&opened->reader, message);
    return TACHO_OK;
}

void pfr_args_close(pfr_args *args, size_t at)
{
    tacho_arg *arg = &args->items[at];
    size_t count = args->item_count - at - 1;
    bool is_dict = arg->type == TACHO_ARG_DICT;
    if (count == 0) {
        set_text(arg, TACHO_ARG_JSON, is_dict ? TACHO_STR("{}") : TACHO_STR("[]"));
    } else {
        arg->value.as_uint = count;
    }
}

tacho_status pfr_args_add(pfr_args *args, tacho_dict *dict, tacho_str message)
{
    open_annotation stack[TACHO_ARG_DEPTH_MAX];
    size_t depth = 0;
    TACHO_TRY(add_one(args, dict, message, stack, &depth));
    while (depth > 0) {
        open_annotation *open = &stack[depth - 1];
        tacho_pb_field field;
        if (!tacho_pb_try_next(&open->reader, &field)) {
            pfr_args_close(args, open->arg);
            depth--;
        } else if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(open->field)) {
            TACHO_TRY(add_one(args, dict, field.bytes, stack, &depth));
        }
    }
    return TACHO_OK;
}

/* ---- other fields as arguments ---------------------------------------------------------- */

static tacho_status append_named(pfr_args *args, tacho_dict *dict, tacho_str name,
                                 tacho_arg **out_arg)
{
    uint32_t key = 0;
    TACHO_TRY(tacho_dict_ensure_string(dict, name, &key));
    return pfr_args_append(args, key, out_arg);
}

tacho_status pfr_args_add_uint(pfr_args *args, tacho_dict *dict, const char *name, uint64_t value)
{
    tacho_arg *arg = NULL;
    TACHO_TRY(append_named(args, dict, tacho_str_from_cstring(name), &arg));
    arg->type = TACHO_ARG_UINT;
    arg->value.as_uint = value;
    return TACHO_OK;
}

tacho_status pfr_args_add_string(pfr_args *args, tacho_dict *dict, const char *name,
                                 uint32_t string)
{
    tacho_arg *arg = NULL;
    TACHO_TRY(append_named(args, dict, tacho_str_from_cstring(name), &arg));
    arg->type = TACHO_ARG_STRING;
    arg->value.as_string = string;
    return TACHO_OK;
}

tacho_status pfr_args_add_text(pfr_args *args, tacho_dict *dict, tacho_str name, tacho_str text)
{
    tacho_arg *arg = NULL;
    TACHO_TRY(append_named(args, dict, name, &arg));
    set_text(arg, TACHO_ARG_TEXT, text);
    return TACHO_OK;
}

/* Formats the frame as a string, since frames repeat; missing fields are left out. */
static tacho_status format_frame(tacho_dict *dict, tacho_str function, tacho_str file,
                                 uint64_t line, uint32_t *out_string)
{
    size_t size = function.len + file.len + 32;
    tacho_arena arena;
    void *memory = NULL;
    tacho_arena_init(&arena);
    tacho_status status = tacho_arena_alloc(&arena, size, &memory);
    if (status == TACHO_OK) {
        char *text = memory;
        size_t len = function.len;
        if (function.len > 0) {
            memcpy(text, function.data, function.len);
        }
        if (file.len > 0) {
            len += len > 0 ? (size_t)snprintf(text + len, size - len, " ") : 0;
            memcpy(text + len, file.data, file.len);
            len += file.len;
        }
        if (file.len > 0 && line > 0) {
            len += (size_t)snprintf(text + len, size - len, ":%" PRIu64, line);
        }
        status = tacho_dict_ensure_string(dict, tacho_str_make(text, len), out_string);
    }
    tacho_arena_deinit(&arena);
    return status;
}

static tacho_status add_frame(pfr_args *args, tacho_dict *dict, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_str function = TACHO_STR("");
    tacho_str file = TACHO_STR("");
    uint64_t line = 0;
    tacho_arg *arg = NULL;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        switch (tacho_pb_key(&field)) {
        case TACHO_PB_KEY_BYTES(PF_FRAME_FUNCTION):
            function = pfr_text(field.bytes);
            break;
        case TACHO_PB_KEY_BYTES(PF_FRAME_FILE):
            file = pfr_text(field.bytes);
            break;
        case TACHO_PB_KEY_VARINT(PF_FRAME_LINE):
            line = field.value;
            break;
        default:
            break;
        }
    }
    args->is_bad = args->is_bad || !tacho_pb_is_sound(&reader);
    TACHO_TRY(pfr_args_append(args, 0, &arg));
    arg->type = TACHO_ARG_STRING;
    return format_frame(dict, function, file, line, &arg->value.as_string);
}

tacho_status pfr_args_add_callstack(pfr_args *args, tacho_dict *dict, tacho_str message)
{
    tacho_pb_reader reader;
    tacho_pb_field field;
    tacho_arg *array = NULL;
    size_t at = args->item_count;
    TACHO_TRY(append_named(args, dict, TACHO_STR("callstack"), &array));
    array->type = TACHO_ARG_ARRAY;
    tacho_pb_reader_init(&reader, message);
    while (tacho_pb_try_next(&reader, &field)) {
        if (tacho_pb_key(&field) == TACHO_PB_KEY_BYTES(PF_CALLSTACK_FRAMES)) {
            TACHO_TRY(add_frame(args, dict, field.bytes));
        }
    }
    args->is_bad = args->is_bad || !tacho_pb_is_sound(&reader);
    pfr_args_close(args, at);
    return TACHO_OK;
}
