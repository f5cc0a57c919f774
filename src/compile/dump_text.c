/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pieces of MLIR text. Text from models is untrusted: all of it is escaped.
 */
#include "compile/dump_text.h"

#include "codec/mlir_location.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LOOK_BACK = 256 };

/* ---- words --------------------------------------------------------------------------------- */

void tacho_dump_escaped(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        if (byte == '\\' || byte == '"' || byte < 0x20 || byte >= 0x7f) {
            tacho_output_printf(output, "\\%02X", byte);
        } else {
            tacho_output_write(output, &byte, 1);
        }
    }
}

void tacho_dump_quoted(tacho_output *output, tacho_str text)
{
    tacho_output_write(output, "\"", 1);
    tacho_dump_escaped(output, text);
    tacho_output_write(output, "\"", 1);
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_';
}

static bool is_word_byte(char byte)
{
    return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '.' || byte == '$';
}

void tacho_dump_word(tacho_output *output, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        tacho_output_write(output, is_word_byte(text.data[i]) ? &text.data[i] : "_", 1);
    }
}

/* ---- types --------------------------------------------------------------------------------- */

static const char *element_name(tacho_dtype dtype)
{
    static const char *const names[TACHO_DTYPE_COUNT] = {
        [TACHO_DTYPE_F32] = "f32",
        [TACHO_DTYPE_F64] = "f64",
        [TACHO_DTYPE_F16] = "f16",
        [TACHO_DTYPE_BF16] = "bf16",
        [TACHO_DTYPE_F8E4M3] = "f8E4M3FN",
        [TACHO_DTYPE_F8E5M2] = "f8E5M2",
        [TACHO_DTYPE_BFP8] = "!tacho.bfp8",
        [TACHO_DTYPE_BFP4] = "!tacho.bfp4",
        [TACHO_DTYPE_I4] = "i4",
        [TACHO_DTYPE_U4] = "ui4",
        [TACHO_DTYPE_I8] = "i8",
        [TACHO_DTYPE_U8] = "ui8",
        [TACHO_DTYPE_I16] = "i16",
        [TACHO_DTYPE_U16] = "ui16",
        [TACHO_DTYPE_I32] = "i32",
        [TACHO_DTYPE_U32] = "ui32",
        [TACHO_DTYPE_I48] = "i48",
        [TACHO_DTYPE_I64] = "i64",
        [TACHO_DTYPE_U64] = "ui64",
        [TACHO_DTYPE_BOOL] = "i1",
        [TACHO_DTYPE_C64] = "complex<f32>",
        [TACHO_DTYPE_C128] = "complex<f64>",
        [TACHO_DTYPE_STRING] = "!onnx.String",
        [TACHO_DTYPE_F8E4M3FNUZ] = "f8E4M3FNUZ",
        [TACHO_DTYPE_F8E5M2FNUZ] = "f8E5M2FNUZ",
        [TACHO_DTYPE_F8E8M0] = "f8E8M0FNU",
        [TACHO_DTYPE_F4E2M1] = "f4E2M1FN",
        [TACHO_DTYPE_I2] = "i2",
        [TACHO_DTYPE_U2] = "ui2",
    };
    return names[dtype];
}

void tacho_dump_tensor_type(tacho_output *output, tacho_dtype dtype, const tacho_shape *shape)
{
    const char *element = element_name(dtype);
    if (element == NULL) {
        tacho_output_write_cstring(output, "none");
        return;
    }
    tacho_output_write_cstring(output, "tensor<");
    if (shape->rank == TACHO_RANK_UNKNOWN) {
        tacho_output_write_cstring(output, "*x");
    }
    for (int32_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] < 0) {
            tacho_output_write_cstring(output, "?x");
        } else {
            tacho_output_printf(output, "%" PRId64 "x", shape->dims[i]);
        }
    }
    tacho_output_printf(output, "%s>", element);
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* MLIR requires a point in every real number, and bits for infinities and NaN. */
static void write_real(tacho_output *output, double value)
{
    if (!isfinite(value)) {
        uint64_t bits;
        memcpy(&bits, &value, sizeof(bits));
        tacho_output_printf(output, "0x%016" PRIX64, bits);
        return;
    }
    char text[40];
    int len = snprintf(text, sizeof(text), "%.17g", value);
    const char *exponent = memchr(text, 'e', (size_t)len);
    size_t head = exponent != NULL ? (size_t)(exponent - text) : (size_t)len;
    tacho_output_write(output, text, head);
    if (memchr(text, '.', head) == NULL) {
        tacho_output_write(output, ".0", 2);
    }
    tacho_output_write(output, text + head, (size_t)len - head);
}

static void write_list(tacho_output *output, const tacho_attr *attr)
{
    bool is_texts = attr->kind == TACHO_ATTR_TEXTS;
    const char *open = attr->kind == TACHO_ATTR_INTS ? "array<i64" : "array<f64";
    tacho_output_write_cstring(output, is_texts ? "[" : open);
    for (uint32_t i = 0; i < attr->count; i++) {
        tacho_output_write_cstring(output, i > 0 ? ", " : (is_texts ? "" : ": "));
        if (is_texts) {
            tacho_dump_quoted(output, attr->value.as_texts[i]);
        } else if (attr->kind == TACHO_ATTR_INTS) {
            tacho_output_printf(output, "%" PRId64, attr->value.as_ints[i]);
        } else {
            write_real(output, attr->value.as_reals[i]);
        }
    }
    tacho_output_write_cstring(output, is_texts ? "]" : ">");
}

static void write_value(tacho_output *output, const tacho_attr *attr)
{
    switch (attr->kind) {
    case TACHO_ATTR_INT:
        tacho_output_printf(output, "%" PRId64 " : i64", attr->value.as_int);
        break;
    case TACHO_ATTR_REAL:
        write_real(output, attr->value.as_real);
        tacho_output_write_cstring(output, " : f64");
        break;
    case TACHO_ATTR_TEXT:
        tacho_dump_quoted(output, attr->value.as_text);
        break;
    case TACHO_ATTR_INTS:
    case TACHO_ATTR_REALS:
    case TACHO_ATTR_TEXTS:
        write_list(output, attr);
        break;
    case TACHO_ATTR_TENSOR:
        tacho_output_printf(output, "#tacho.tensor<%" PRIu32 ">", attr->value.as_tensor);
        break;
    case TACHO_ATTR_GRAPH:
        tacho_output_printf(output, "#tacho.graph<%" PRId64 ">", attr->value.as_int);
        break;
    case TACHO_ATTR_OTHER:
        tacho_output_write_cstring(output, "unit");
        break;
    }
}

static bool is_bare(tacho_str name)
{
    bool is_good = name.len > 0 && is_letter(name.data[0]);
    for (size_t i = 0; i < name.len && is_good; i++) {
        is_good = is_word_byte(name.data[i]);
    }
    return is_good;
}

/* A name twice would be an error in MLIR; the first one counts, as it does for the compiler. */
static bool is_first_of_its_name(const tacho_attr *attrs, size_t i)
{
    bool is_first = attrs[i].name.len > 0;
    for (size_t k = i > LOOK_BACK ? i - LOOK_BACK : 0; k < i && is_first; k++) {
        is_first = !tacho_str_equal(attrs[k].name, attrs[i].name);
    }
    return is_first;
}

void tacho_dump_attrs(tacho_output *output, const tacho_attr *attrs, size_t attr_count)
{
    bool is_next = false;
    for (size_t i = 0; i < attr_count; i++) {
        if (!is_first_of_its_name(attrs, i)) {
            continue;
        }
        tacho_output_write_cstring(output, is_next ? ", " : "");
        is_next = true;
        if (is_bare(attrs[i].name)) {
            tacho_output_write_str(output, attrs[i].name);
        } else {
            tacho_dump_quoted(output, attrs[i].name);
        }
        tacho_output_write_cstring(output, " = ");
        write_value(output, &attrs[i]);
    }
}

/* ---- locations ----------------------------------------------------------------------------- */

tacho_status tacho_dump_location_alias(tacho_output *output, size_t number, tacho_str location,
                                       tacho_arena *scratch)
{
    tacho_mlir_location parsed;
    tacho_str text = TACHO_STR("unknown");
    bool is_unknown = location.len == 0;
    tacho_arena_reset(scratch);
    tacho_output_printf(output, "#loc%zu = loc(", number);
    tacho_status status =
        is_unknown ? TACHO_OK : tacho_mlir_location_parse(location, NULL, scratch, &parsed);
    bool is_parsed = status == TACHO_OK && !is_unknown;
    if (status != TACHO_OK && tacho_status_code(status) == TACHO_CODE_NO_MEMORY) {
        return status;
    }
    for (size_t i = 0; is_parsed && i < parsed.node_count; i++) {
        is_parsed = parsed.nodes[i].kind != TACHO_MLIR_LOCATION_ALIAS;
    }
    if (is_parsed) {
        TACHO_TRY(tacho_mlir_location_print(&parsed, scratch, &text));
    }
    if (is_parsed || is_unknown) {
        tacho_output_write_str(output, text);
    } else {
        tacho_status_free(status);
        tacho_dump_quoted(output, location);
    }
    tacho_output_write_cstring(output, ")\n");
    return TACHO_OK;
}
