/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names in braces. Texts of the library are constants, so braces in values that they quote are
 * never touched: spelling is applied to formats, before they are filled in.
 */
#include "base/str.h"
#include <tacho/request.h>

#include <string.h>

typedef struct spelled {
    char *out;
    size_t size, len;
} spelled;

static void put(spelled *to, char letter)
{
    if (to->len + 1 < to->size) {
        to->out[to->len] = letter;
    }
    to->len++;
}

static void put_text(spelled *to, const char *text)
{
    for (; text != NULL && *text != '\0'; text++) {
        put(to, *text);
    }
}

/* "name", "o|output" or "/fleet health", without the braces. */
static void put_name(spelled *to, const tacho_spelling *how, tacho_str name)
{
    if (name.len > 0 && name.data[0] == '/') {
        put_text(to, how->request);
        name = tacho_str_from(name, 1);
    } else {
        size_t bar = tacho_str_find_byte(name, '|');
        bool has_letter = bar < name.len && how->letter != NULL && how->letter[0] != '\0';
        put_text(to, has_letter ? how->letter : how->option);
        name = has_letter       ? tacho_str_make(name.data, bar)
               : bar < name.len ? tacho_str_from(name, bar + 1)
                                : name;
    }
    for (size_t i = 0; i < name.len; i++) {
        put(to, name.data[i] == '-' && how->dash != 0 ? how->dash : name.data[i]);
    }
}

size_t tacho_spelling_apply(const tacho_spelling *spelling, const char *text, char *out,
                            size_t size)
{
    static const tacho_spelling plain = {.option = ""};
    spelled to = {.out = out, .size = size};
    tacho_str rest = tacho_str_from_cstring(text != NULL ? text : "");
    while (rest.len > 0) {
        size_t end = rest.data[0] == '{' ? tacho_str_find_byte(rest, '}') : rest.len;
        if (end < rest.len) {
            put_name(&to, spelling != NULL ? spelling : &plain,
                     tacho_str_make(rest.data + 1, end - 1));
            rest = tacho_str_from(rest, end + 1);
        } else {
            put(&to, rest.data[0]);
            rest = tacho_str_from(rest, 1);
        }
    }
    if (size > 0) {
        out[to.len < size ? to.len : size - 1] = '\0';
    }
    return to.len;
}
