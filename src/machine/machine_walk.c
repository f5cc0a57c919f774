/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks the tables of machine_fields.c, as deep as they are.
 */
#include "machine/machine_walk.h"

#include "machine/machine_fields.h"

#include <assert.h>
#include <stdio.h>

typedef struct walk {
    tacho_machine_visitor visitor;
    char path[256];
    size_t path_len;
} walk;

static size_t go_down(walk *w, const char *name, size_t index)
{
    size_t before = w->path_len;
    size_t room = sizeof(w->path) - before;
    int len = name != NULL ? snprintf(w->path + before, room, "%s%s", before > 0 ? "." : "", name)
                           : snprintf(w->path + before, room, "[%zu]", index);
    assert(len > 0 && (size_t)len < room);
    w->path_len = before + (size_t)len;
    return before;
}

static tacho_status visit(walk *w, tacho_str value, tacho_str unit, tacho_str source)
{
    if (value.len == 0) {
        return TACHO_OK; /* left out */
    }
    tacho_machine_leaf leaf = {tacho_str_make(w->path, w->path_len), value, unit, source};
    return w->visitor.visit(w->visitor.self, &leaf);
}

static tacho_status walk_fields(walk *w, const tacho_fields *fields, const char *from);

static tacho_status walk_list(walk *w, const tacho_field *field, const char *from)
{
    const char *items;
    size_t count;
    memcpy(&items, from + field->offset, sizeof(items));
    memcpy(&count, from + field->count_offset, sizeof(count));
    for (size_t i = 0; i < count; i++) {
        size_t before = go_down(w, NULL, i);
        TACHO_TRY(walk_fields(w, field->fields, items + i * field->fields->struct_size));
        w->path_len = before;
    }
    return TACHO_OK;
}

static tacho_status walk_field(walk *w, const tacho_field *field, const char *from)
{
    const tacho_str nothing = {"", 0};
    const void *place = from + field->offset;
    unsigned word;
    switch (field->kind) {
    case TACHO_FIELD_TEXT:
        return visit(w, *(const tacho_str *)place, nothing, nothing);
    case TACHO_FIELD_QUANTITY: {
        const tacho_quantity *quantity = place;
        return visit(w, quantity->text, quantity->unit, quantity->source);
    }
    case TACHO_FIELD_FLAG:
        return visit(w, *(const bool *)place ? TACHO_STR("true") : nothing, nothing, nothing);
    case TACHO_FIELD_WORD:
        memcpy(&word, place, sizeof(word));
        return visit(w, tacho_str_from_cstring(field->word(word)), nothing, nothing);
    case TACHO_FIELD_OBJECT:
        return walk_fields(w, field->fields, place);
    case TACHO_FIELD_LIST:
        return walk_list(w, field, from);
    }
    return TACHO_OK;
}

static tacho_status walk_fields(walk *w, const tacho_fields *fields, const char *from)
{
    for (size_t i = 0; i < fields->item_count; i++) {
        size_t before = go_down(w, fields->items[i].name, 0);
        TACHO_TRY(walk_field(w, &fields->items[i], from));
        w->path_len = before;
    }
    return TACHO_OK;
}

tacho_status tacho_machine_walk(const tacho_machine *machine, tacho_machine_visitor visitor)
{
    walk w = {.visitor = visitor};
    return walk_fields(&w, &tacho_machine_fields, (const char *)machine);
}
