/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments of Kineto: "Input Dims" [[8, 128], []], "Input type" ["float", "Scalar"], "Concrete
 * Inputs" ["", "1"], as deep as they are nested.
 */
#include "estimates/roofline/roof_aten.h"

tacho_status tacho_aten_keys_init(tacho_aten_keys *keys, tacho_dict *dict)
{
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("Input Dims"), &keys->dims));
    TACHO_TRY(tacho_dict_ensure_string(dict, TACHO_STR("Input type"), &keys->types));
    return tacho_dict_ensure_string(dict, TACHO_STR("Concrete Inputs"), &keys->values);
}

/* Types of tensors by their C++ names; lists and scalars have none. */
static tacho_dtype dtype_of(tacho_str type)
{
    static const struct {
        const char *name;
        tacho_dtype dtype;
    } names[] = {
        {"float", TACHO_DTYPE_F32},
        {"double", TACHO_DTYPE_F64},
        {"c10::Half", TACHO_DTYPE_F16},
        {"c10::BFloat16", TACHO_DTYPE_BF16},
        {"c10::Float8_e4m3fn", TACHO_DTYPE_F8E4M3},
        {"c10::Float8_e5m2", TACHO_DTYPE_F8E5M2},
        {"long int", TACHO_DTYPE_I64},
        {"long", TACHO_DTYPE_I64},
        {"int", TACHO_DTYPE_I32},
        {"short int", TACHO_DTYPE_I16},
        {"short", TACHO_DTYPE_I16},
        {"signed char", TACHO_DTYPE_I8},
        {"unsigned char", TACHO_DTYPE_U8},
        {"bool", TACHO_DTYPE_BOOL},
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (tacho_str_equal(type, tacho_str_from_cstring(names[i].name))) {
            return names[i].dtype;
        }
    }
    return TACHO_DTYPE_NONE;
}

static tacho_str arg_text(const tacho_dict *dict, const tacho_arg *arg)
{
    return arg->type == TACHO_ARG_STRING ? tacho_dict_string(dict, arg->value.as_string)
           : arg->type == TACHO_ARG_TEXT ? arg->value.as_text
                                         : TACHO_STR("");
}

/* The end of argument |at| and its contents, at most |end|. */
static size_t end_of(const tacho_row *row, size_t at, size_t end)
{
    const tacho_arg *arg = &row->args[at];
    bool holds = arg->type == TACHO_ARG_DICT || arg->type == TACHO_ARG_ARRAY;
    uint64_t inside = holds ? arg->value.as_uint : 0;
    return inside < end - at - 1 ? at + 1 + (size_t)inside : (holds ? end : at + 1);
}

/* Reads the sizes of one tensor; false if an item is not a size, as in a list of tensors. */
static bool read_dims(const tacho_row *row, size_t at, size_t end, tacho_aten_tensor *tensor)
{
    for (; at < end; at++) {
        const tacho_arg *arg = &row->args[at];
        bool is_size = (arg->type == TACHO_ARG_INT && arg->value.as_int >= 0) ||
                       (arg->type == TACHO_ARG_UINT && arg->value.as_uint <= INT64_MAX);
        if (!is_size || tensor->rank == TACHO_ATEN_DIMS_MAX) {
            return false;
        }
        tensor->dims[tensor->rank++] = arg->value.as_uint;
    }
    return true;
}

typedef enum list {
    LIST_DIMS,
    LIST_TYPES,
    LIST_VALUES,
} list;

/* Reads the items of the array |at|, one per input. */
static void read_list(const tacho_dict *dict, const tacho_row *row, size_t at, list which,
                      tacho_aten_call *call)
{
    size_t end = end_of(row, at, row->arg_count);
    size_t input = 0;
    for (size_t i = at + 1; i < end; input++) {
        size_t next = end_of(row, i, end);
        if (input == TACHO_ATEN_INPUTS_MAX) {
            return; /* tensors this late in the list do not matter */
        }
        tacho_aten_tensor *tensor = &call->inputs[input];
        if (which == LIST_TYPES) {
            tensor->dtype = dtype_of(arg_text(dict, &row->args[i]));
        } else if (which == LIST_VALUES) {
            tensor->text = arg_text(dict, &row->args[i]);
        } else if (row->args[i].type == TACHO_ARG_ARRAY) {
            call->is_whole &= read_dims(row, i + 1, next, tensor);
        }
        call->input_count = input + 1 > call->input_count ? input + 1 : call->input_count;
        i = next;
    }
}

bool tacho_aten_read(const tacho_dict *dict, const tacho_aten_keys *keys, const tacho_row *row,
                     tacho_aten_call *out_call)
{
    bool has_dims = false;
    *out_call = (tacho_aten_call){.is_whole = true};
    for (size_t i = 0; i < row->arg_count; i = end_of(row, i, row->arg_count)) {
        uint32_t key = row->args[i].key;
        if (row->args[i].type != TACHO_ARG_ARRAY) {
            continue;
        }
        if (key == keys->dims) {
            has_dims = true;
            read_list(dict, row, i, LIST_DIMS, out_call);
        } else if (key == keys->types) {
            read_list(dict, row, i, LIST_TYPES, out_call);
        } else if (key == keys->values) {
            read_list(dict, row, i, LIST_VALUES, out_call);
        }
    }
    out_call->name = tacho_dict_string(dict, dict->sites[row->of.span.site].name);
    for (size_t i = 0; i < TACHO_ATEN_INPUTS_MAX; i++) {
        tacho_str *text = &out_call->inputs[i].text;
        *text = text->data != NULL ? *text : TACHO_STR("");
    }
    return has_dims;
}
