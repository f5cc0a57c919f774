/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path is walked through the tables of machine_fields.c; a number's place in the text is where
 * the reader found it.
 */
#include "machine/constant.h"

#include "base/text.h"
#include "base/whole.h"
#include "machine/machine_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- finding ----------------------------------------------------------------------------- */

static const tacho_field *field_called(const tacho_fields *fields, tacho_str name)
{
    for (size_t i = 0; i < fields->item_count; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(fields->items[i].name))) {
            return &fields->items[i];
        }
    }
    return NULL;
}

/* The name that |rest| begins with, up to a dot or bracket. */
static tacho_str take_name(tacho_str *rest)
{
    size_t len = 0;
    while (len < rest->len && rest->data[len] != '.' && rest->data[len] != '[') {
        len++;
    }
    tacho_str name = tacho_str_make(rest->data, len);
    *rest = tacho_str_from(*rest, len);
    return name;
}

/* The element of a list that "[2]" at the front of |rest| names, or NULL. */
static char *take_element(const tacho_field *field, char *from, tacho_str *rest)
{
    char *items;
    size_t count;
    uint64_t index = 0;
    size_t close = tacho_str_find_byte(*rest, ']');
    memcpy(&items, from + field->offset, sizeof(items));
    memcpy(&count, from + field->count_offset, sizeof(count));
    if (rest->len == 0 || rest->data[0] != '[' || close == rest->len ||
        !tacho_str_parse_u64(tacho_str_make(rest->data + 1, close - 1), &index) || index >= count) {
        return NULL;
    }
    *rest = tacho_str_from(*rest, close + 1);
    return items + index * field->fields->struct_size;
}

static const tacho_field *find_field(tacho_machine *machine, tacho_str path, char **out_place)
{
    const tacho_fields *fields = &tacho_machine_fields;
    char *place = (char *)machine;
    for (tacho_str rest = path; rest.len > 0;) {
        const tacho_field *field = field_called(fields, take_name(&rest));
        if (field == NULL) {
            return NULL;
        }
        if (field->kind == TACHO_FIELD_QUANTITY) {
            *out_place = place + field->offset;
            return rest.len == 0 ? field : NULL;
        }
        bool is_list = field->kind == TACHO_FIELD_LIST;
        if (!is_list && field->kind != TACHO_FIELD_OBJECT) {
            return NULL;
        }
        place = is_list ? take_element(field, place, &rest) : place + field->offset;
        if (place == NULL || rest.len == 0 || rest.data[0] != '.') {
            return NULL;
        }
        rest = tacho_str_from(rest, 1);
        fields = field->fields;
    }
    return NULL;
}

tacho_status tacho_constant_find(tacho_machine *machine, tacho_str path,
                                 tacho_constant_ref *out_ref)
{
    char *place = NULL;
    const tacho_field *field = find_field(machine, path, &place);
    int shown = path.len < 80 ? (int)path.len : 80;
    if (field == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "%.*s has no number '%.*s'",
                          TACHO_STR_ARG(machine->name), shown, path.data);
    }
    tacho_quantity *quantity = (tacho_quantity *)(void *)place;
    if (!tacho_quantity_is_set(quantity)) {
        return tacho_fail(TACHO_CODE_USAGE,
                          "the description of %.*s leaves '%.*s' out; add it with a first guess",
                          TACHO_STR_ARG(machine->name), shown, path.data);
    }
    const tacho_unit *unit = tacho_unit_find(field->unit, quantity->unit);
    *out_ref = (tacho_constant_ref){
        .path = path,
        .quantity = quantity,
        .is_whole = (field->rules & TACHO_RULE_WHOLE) != 0,
        .is_share = (field->rules & TACHO_RULE_FRACTION) != 0,
        .max = (double)((field->rules & TACHO_RULE_FRACTION) != 0 ? 1 : field->max),
        .factor = unit != NULL ? (double)unit->factor : 1.0,
    };
    return TACHO_OK;
}

tacho_status tacho_constant_find_tied(tacho_machine *machine, tacho_str paths,
                                      tacho_constant_ref refs[TACHO_CONSTANT_TIED_MAX],
                                      size_t *out_count)
{
    *out_count = 0;
    for (tacho_str rest = paths;;) {
        size_t len = tacho_str_find_byte(rest, '+');
        if (*out_count == TACHO_CONSTANT_TIED_MAX) {
            return tacho_fail(TACHO_CODE_USAGE, "more than %d numbers have a + between them",
                              TACHO_CONSTANT_TIED_MAX);
        }
        TACHO_TRY(tacho_constant_find(machine, tacho_str_make(rest.data, len), &refs[*out_count]));
        ++*out_count;
        if (len == rest.len) {
            return TACHO_OK;
        }
        rest = tacho_str_from(rest, len + 1);
    }
}

/* ---- values ------------------------------------------------------------------------------ */

double tacho_constant_value(const tacho_constant_ref *ref)
{
    const tacho_ratio *value = &ref->quantity->value;
    return (double)value->num / (double)value->den / ref->factor;
}

void tacho_constant_print(const tacho_constant_ref *ref, double value,
                          char to[TACHO_CONSTANT_TEXT_MAX])
{
    enum { DIGITS = 5, DECIMALS_MAX = 6 };
    double max = ref->max / ref->factor;
    value = value > max ? max : value;
    int magnitude = value > 0 ? (int)tacho_whole_i64(floor(log10(value))) + 1 : 1;
    int decimals = DIGITS - magnitude;
    decimals = decimals < 0 ? 0 : decimals > DECIMALS_MAX ? DECIMALS_MAX : decimals;
    bool is_whole = ref->is_whole && ref->factor == 1.0;
    int len =
        snprintf(to, TACHO_CONSTANT_TEXT_MAX, "%.*f", is_whole ? 0 : decimals, fmax(value, 0.0));
    while (!is_whole && decimals > 0 && len > 1 && (to[len - 1] == '0' || to[len - 1] == '.')) {
        bool is_dot = to[--len] == '.';
        to[len] = '\0';
        if (is_dot) {
            break;
        }
    }
}

void tacho_constant_set(const tacho_constant_ref *ref, double value)
{
    char text[TACHO_CONSTANT_TEXT_MAX];
    tacho_ratio ratio;
    tacho_constant_print(ref, value, text);
    if (tacho_ratio_parse(tacho_str_from_cstring(text), &ratio)) {
        tacho_ratio_multiply(ratio, (tacho_ratio){tacho_whole_i64(ref->factor), 1},
                             &ref->quantity->value);
    }
}

/* ---- the text ---------------------------------------------------------------------------- */

/* Where the object that begins at |from| ends; it has strings and numbers, and nothing deeper. */
static size_t object_end(tacho_str text, size_t from)
{
    bool is_quoted = false;
    for (size_t i = from; i < text.len; i++) {
        if (is_quoted && text.data[i] == '\\') {
            i++;
        } else if (text.data[i] == '"') {
            is_quoted = !is_quoted;
        } else if (!is_quoted && text.data[i] == '}') {
            return i + 1;
        }
    }
    return text.len;
}

static int by_place(const void *a, const void *b)
{
    const tacho_constant_edit *const *first = a;
    const tacho_constant_edit *const *second = b;
    uint64_t x = (*first)->ref->quantity->offset;
    uint64_t y = (*second)->ref->quantity->offset;
    return x < y ? -1 : x > y;
}

/* A text as JSON has it; names of files may have quotes. */
static tacho_status put_plain(tacho_text *to, tacho_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.data[i];
        bool is_plain = byte >= ' ' && byte != '"' && byte != '\\';
        TACHO_TRY(tacho_text_put(to, is_plain ? tacho_str_make(text.data + i, 1) : TACHO_STR("_")));
    }
    return TACHO_OK;
}

static tacho_status put_edit(tacho_text *to, const tacho_constant_edit *edit)
{
    TACHO_TRY(tacho_text_put(to, TACHO_STR("{\"value\": ")));
    TACHO_TRY(tacho_text_put(to, edit->value));
    TACHO_TRY(tacho_text_put(to, TACHO_STR(", \"unit\": \"")));
    TACHO_TRY(tacho_text_put(to, edit->ref->quantity->unit));
    TACHO_TRY(tacho_text_put(to, TACHO_STR("\", \"source\": \"")));
    TACHO_TRY(put_plain(to, edit->source));
    return tacho_text_put(to, TACHO_STR("\"}"));
}

static tacho_status put_all(tacho_text *to, tacho_str text, const tacho_constant_edit **sorted,
                            size_t count)
{
    size_t done = 0;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)sorted[i]->ref->quantity->offset;
        TACHO_TRY(tacho_text_put(to, tacho_str_make(text.data + done, at - done)));
        TACHO_TRY(put_edit(to, sorted[i]));
        done = object_end(text, at);
    }
    return tacho_text_put(to, tacho_str_from(text, done));
}

tacho_status tacho_constant_rewrite(const tacho_machine *machine, const tacho_constant_edit *edits,
                                    size_t edit_count, tacho_arena *arena, tacho_str *out_text)
{
    void *memory;
    TACHO_TRY(tacho_arena_alloc(arena, edit_count * sizeof(tacho_constant_edit *), &memory));
    const tacho_constant_edit **sorted = memory;
    for (size_t i = 0; i < edit_count; i++) {
        sorted[i] = &edits[i];
    }
    qsort(sorted, edit_count, sizeof(*sorted), by_place);
    tacho_text text = {0};
    tacho_status status = put_all(&text, machine->text, sorted, edit_count);
    if (status == TACHO_OK) {
        status = tacho_arena_copy(arena, tacho_text_take(&text), out_text);
    }
    tacho_text_deinit(&text);
    return status;
}
