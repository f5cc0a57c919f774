/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts together the text of an attribute or type as MLIR's printer would. While the entry at
 * hand waits for others nothing is put, since it will be decoded again.
 */
#include "codec/mlir_bytecode_state.h"

#include "base/decimal.h"
#include "base/grow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

tacho_status tacho_mlirb_put(tacho_mlirb *reader, tacho_str text)
{
    if (reader->is_blocked || text.len == 0) {
        return TACHO_OK;
    }
    size_t need = reader->text_len + text.len;
    if (need > TACHO_MLIR_TEXT_MAX) {
        return tacho_fail(TACHO_CODE_LIMIT,
                          "%s: an attribute, type or location is longer than %d bytes",
                          reader->name, TACHO_MLIR_TEXT_MAX);
    }
    if (need > reader->text_capacity) {
        TACHO_TRY(tacho_grow(&reader->text, &reader->text_capacity, need));
    }
    memcpy(reader->text + reader->text_len, text.data, text.len);
    reader->text_len = need;
    return TACHO_OK;
}

tacho_status tacho_mlirb_put_unsigned(tacho_mlirb *reader, uint64_t value)
{
    char digits[TACHO_DECIMAL_MAX];
    char *end = tacho_decimal_put(digits, value);
    return tacho_mlirb_put(reader, tacho_str_make(digits, (size_t)(end - digits)));
}

tacho_status tacho_mlirb_put_signed(tacho_mlirb *reader, int64_t value)
{
    char digits[TACHO_DECIMAL_MAX + 1];
    char *end = tacho_decimal_put_signed(digits, value);
    return tacho_mlirb_put(reader, tacho_str_make(digits, (size_t)(end - digits)));
}

static bool is_plain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

tacho_status tacho_mlirb_put_quoted(tacho_mlirb *reader, tacho_str text)
{
    static const char hex[] = "0123456789ABCDEF";
    TACHO_TRY(tacho_mlirb_puts(reader, "\""));
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && is_plain(text.data[end])) {
            end++;
        }
        TACHO_TRY(tacho_mlirb_put(reader, tacho_str_make(text.data + at, end - at)));
        if (end < text.len) {
            unsigned char c = (unsigned char)text.data[end++];
            char escape[3] = {'\\', hex[c >> 4], hex[c & 15]};
            TACHO_TRY(c == '\\' ? tacho_mlirb_puts(reader, "\\\\")
                                : tacho_mlirb_put(reader, tacho_str_make(escape, 3)));
        }
        at = end;
    }
    return tacho_mlirb_puts(reader, "\"");
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_bare(tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        bool follows = (c >= '0' && c <= '9') || c == '$' || c == '.';
        if (!is_letter(c) && (i == 0 || !follows)) {
            return false;
        }
    }
    return text.len > 0;
}

tacho_status tacho_mlirb_put_keyword(tacho_mlirb *reader, tacho_str text)
{
    return is_bare(text) ? tacho_mlirb_put(reader, text) : tacho_mlirb_put_quoted(reader, text);
}

/* ---- floats ---- */

/* How the bits of a float type divide; only those whose values doubles can hold. */
typedef struct float_layout {
    tacho_str type;
    unsigned exponent_bits;
    unsigned mantissa_bits;
} float_layout;

static const float_layout layouts[] = {
    {TACHO_STR_INIT("f16"), 5, 10},
    {TACHO_STR_INIT("bf16"), 8, 7},
    {TACHO_STR_INIT("f32"), 8, 23},
    {TACHO_STR_INIT("f64"), 11, 52},
};

static const float_layout *find_layout(tacho_str type)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
        if (tacho_str_equal(layouts[i].type, type)) {
            return &layouts[i];
        }
    }
    return NULL;
}

static double value_of(const float_layout *layout, uint64_t bits)
{
    int bias = (1 << (layout->exponent_bits - 1)) - 1;
    uint64_t mantissa = bits & ((UINT64_C(1) << layout->mantissa_bits) - 1);
    int exponent =
        (int)(bits >> layout->mantissa_bits & ((UINT64_C(1) << layout->exponent_bits) - 1));
    if (exponent == 0) {
        exponent = 1;
    } else {
        mantissa |= UINT64_C(1) << layout->mantissa_bits;
    }
    double value = ldexp((double)mantissa, exponent - bias - (int)layout->mantissa_bits);
    bool is_negative = bits >> (layout->exponent_bits + layout->mantissa_bits) != 0;
    return is_negative ? -value : value;
}

/* Whether |text| read as a number of this layout gives |value| back. */
static bool reads_back(const float_layout *layout, const char *text, double value)
{
    double read = strtod(text, NULL);
    if (layout->mantissa_bits == 23) {
        read = (double)strtof(text, NULL);
    } else if (layout->mantissa_bits < 23 && read != 0) {
        int exponent = 0;
        double fraction = frexp(read, &exponent);
        int bias = (1 << (layout->exponent_bits - 1)) - 1;
        int bits = (int)layout->mantissa_bits + 1;
        int lost = 2 - bias - exponent; /* below the smallest normal number */
        bits -= lost > 0 ? lost : 0;
        read = ldexp(nearbyint(ldexp(fraction, bits)), exponent - bits);
    }
    return read == value;
}

/*
 * Six digits and a zero, since MLIR pads rounded numbers: 3.140630e+00. It rounds a half up
 * and printf to the even digit, so a half is nudged.
 */
static void print_short(double value, char out[64])
{
    char text[40];
    snprintf(text, sizeof(text), "%.20e", value);
    const char *rest = strchr(text, '.') + 6;
    if (rest[0] == '5' && strspn(rest + 1, "0") == 14) {
        value = nextafter(value, value > 0 ? HUGE_VAL : -HUGE_VAL);
    }
    snprintf(text, sizeof(text), "%.5e", value);
    char *mark = strchr(text, 'e');
    snprintf(out, 64, "%.*s0%s", (int)(mark - text), text, mark);
}

/*
 * As many digits as distinguish the value from its neighbours, without an exponent where that takes
 * few zeros. Empty when it would look like a whole number, which MLIR would read as an integer.
 */
static void print_exact(const float_layout *layout, double value, char *out, size_t size)
{
    enum { PADDING_MAX = 3 };
    int digits_max = 2 + ((int)layout->mantissa_bits + 1) * 59 / 196;
    char text[40];
    snprintf(text, sizeof(text), "%.*e", digits_max - 1, fabs(value));
    long first_power = strtol(strchr(text, 'e') + 1, NULL, 10);
    char digits[40];
    int count = 0;
    for (const char *at = text; *at != 'e'; at++) {
        if (*at != '.') {
            digits[count++] = *at;
        }
    }
    while (count > 1 && digits[count - 1] == '0') {
        count--;
    }
    long last_power = first_power - (count - 1);
    const char *sign = signbit(value) ? "-" : "";
    *out = '\0';
    if (last_power >= 0 && last_power <= PADDING_MAX && count + last_power <= digits_max) {
        return;
    }
    if (last_power < 0 && first_power >= 0) {
        int whole = (int)first_power + 1;
        snprintf(out, size, "%s%.*s.%.*s", sign, whole, digits, count - whole, digits + whole);
    } else if (last_power < 0 && -first_power <= PADDING_MAX) {
        snprintf(out, size, "%s0.%.*s%.*s", sign, (int)-first_power - 1, "000", count, digits);
    } else {
        snprintf(out, size, "%s%c.%.*sE%+ld", sign, digits[0], count > 1 ? count - 1 : 1,
                 count > 1 ? digits + 1 : "0", first_power);
    }
}

/* Six digits if they are enough, else as many as it takes; bits where digits will not do. */
tacho_status tacho_mlirb_put_float(tacho_mlirb *reader, const tacho_mlirb_entry *type,
                                   uint64_t bits)
{
    const float_layout *layout = find_layout(type->text);
    char text[64] = "";
    if (layout != NULL) {
        uint64_t exponent_mask = (UINT64_C(1) << layout->exponent_bits) - 1;
        bool is_finite = (bits >> layout->mantissa_bits & exponent_mask) != exponent_mask;
        double value = is_finite ? value_of(layout, bits) : 0;
        if (is_finite) {
            print_short(value, text);
        }
        if (is_finite && !reads_back(layout, text, value)) {
            print_exact(layout, value, text, sizeof(text));
        }
    }
    if (*text == '\0') {
        snprintf(text, sizeof(text), "0x%0*llX", (int)(type->width / 4), (unsigned long long)bits);
    }
    return tacho_mlirb_put(reader, tacho_str_from_cstring(text));
}
