/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of protobuf by their fields, without a schema: bytes that read as a message to their end
 * are taken as one. A field is left out, doubled, copied from elsewhere or gets another value or
 * number; the lengths of all messages around it follow.
 */
#include "mutate.h"

#include <string.h>

enum { FIELDS_MAX = 4096, NO_PARENT = FIELDS_MAX, ROOM = MUTATION_ROOM };
enum { VARINT, FIXED64, BYTES, FIXED32 = 5 };

typedef struct field {
    size_t start, value, end; /* the tag, and the length of bytes, are before the value */
    size_t parent;
    unsigned wire;
    uint64_t number;
} field;

typedef struct tree {
    const uint8_t *data;
    field fields[FIELDS_MAX];
    size_t count;
} tree;

static bool take_varint(const uint8_t *data, size_t end, size_t *at, uint64_t *out_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = data[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out_value = value;
            return true;
        }
    }
    return false;
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t len = 0;
    for (; value >= 0x80; value >>= 7) {
        to[len++] = (uint8_t)(value | 0x80);
    }
    to[len++] = (uint8_t)value;
    return len;
}

static bool take_field(const uint8_t *data, size_t end, size_t *at, field *out)
{
    uint64_t tag = 0, len = 0;
    out->start = *at;
    if (!take_varint(data, end, at, &tag) || tag >> 3 == 0 || tag >> 3 >= UINT64_C(1) << 29) {
        return false;
    }
    out->wire = (unsigned)(tag & 7);
    out->number = tag >> 3;
    bool is_whole = out->wire != BYTES || take_varint(data, end, at, &len);
    out->value = *at;
    if (out->wire == VARINT) {
        is_whole = take_varint(data, end, at, &len);
        len = 0;
    } else if (out->wire == FIXED64 || out->wire == FIXED32) {
        len = out->wire == FIXED64 ? 8 : 4;
    } else if (out->wire != BYTES) {
        return false;
    }
    if (!is_whole || len > end - *at) {
        return false;
    }
    *at += (size_t)len;
    out->end = *at;
    return true;
}

/* Adds the fields of [start, end) if it is a message. */
static bool add_message(tree *self, size_t start, size_t end, size_t parent)
{
    size_t before = self->count;
    for (size_t at = start; at < end;) {
        field *next = &self->fields[self->count];
        if (self->count == FIELDS_MAX || !take_field(self->data, end, &at, next)) {
            self->count = before;
            return false;
        }
        next->parent = parent;
        self->count++;
    }
    return end > start;
}

static bool parse(tree *self, const uint8_t *data, size_t size)
{
    self->data = data;
    self->count = 0;
    if (!add_message(self, 0, size, NO_PARENT)) {
        return false;
    }
    for (size_t i = 0; i < self->count; i++) { /* which grows */
        field one = self->fields[i];
        if (one.wire == BYTES && one.end - one.value >= 2) {
            add_message(self, one.value, one.end, i);
        }
    }
    return true;
}

/* [start, end) of the children of |parent| becomes |len| bytes of |content|. */
typedef struct splice {
    size_t start, end, parent;
    uint8_t *content, *other; /* of ROOM bytes each */
    size_t len;
} splice;

/* Goes out by one message, with its length. */
static bool go_out(const tree *self, splice *at)
{
    enum { HEAD_MAX = 20 };
    const field *around = &self->fields[at->parent];
    size_t before = at->start - around->value, after = around->end - at->end;
    if (at->len + before + after + HEAD_MAX > ROOM) {
        return false;
    }
    size_t used = put_varint(at->other, around->number << 3 | BYTES);
    used += put_varint(at->other + used, before + at->len + after);
    memcpy(at->other + used, self->data + around->value, before);
    used += before;
    memcpy(at->other + used, at->content, at->len);
    used += at->len;
    memcpy(at->other + used, self->data + at->end, after);
    uint8_t *made = at->other;
    *at = (splice){around->start, around->end, around->parent, made, at->content, used + after};
    return true;
}

static size_t put_copy(uint8_t *to, const tree *self, const field *which)
{
    size_t len = which->end - which->start;
    memcpy(to, self->data + which->start, len);
    return len;
}

static uint64_t odd_value(mutation *self)
{
    unsigned bits = (unsigned)mutation_draw(self, 65);
    uint64_t top = bits == 64 ? 0 : UINT64_C(1) << bits;
    return top + (uint64_t)mutation_draw(self, 3) - 1;
}

/* |which| with another value; its bytes. */
static size_t put_changed(mutation *by, uint8_t *to, const tree *self, const field *which)
{
    uint8_t value[ROOM / 4];
    size_t used = put_varint(to, which->number << 3 | which->wire);
    uint64_t number = odd_value(by);
    if (which->wire == VARINT) {
        return used + put_varint(to + used, number);
    }
    if (which->wire != BYTES) {
        size_t width = which->wire == FIXED64 ? 8 : 4;
        memcpy(to + used, &number, width);
        return used + width;
    }
    size_t len = which->end - which->value,
           room = len + 64 < sizeof(value) ? len + 64 : sizeof(value);
    len = mutation_change_bytes(by, self->data + which->value, len, value, room);
    used += put_varint(to + used, len);
    memcpy(to + used, value, len);
    return used + len;
}

static size_t put_renumbered(mutation *by, uint8_t *to, const tree *self, const field *which)
{
    const field *like = &self->fields[mutation_draw(by, self->count)];
    size_t used = put_varint(to, like->number << 3 | which->wire), at = which->start;
    uint64_t tag = 0;
    take_varint(self->data, which->end, &at, &tag);
    memcpy(to + used, self->data + at, which->end - at);
    return used + which->end - at;
}

static void change(mutation *by, const tree *self, const field *which, splice *at)
{
    const field *other = &self->fields[mutation_draw(by, self->count)];
    size_t how = mutation_draw(by, 6);
    at->len = 0;
    if (how == 1 || how == 2) { /* doubled, or with another one after it */
        at->len = put_copy(at->content, self, which);
        at->len += put_copy(at->content + at->len, self, how == 1 ? which : other);
    } else if (how == 3) {
        at->len = put_renumbered(by, at->content, self, which);
    } else if (how > 3) {
        at->len = put_changed(by, at->content, self, which);
    }
}

bool mutate_protobuf_bytes(mutation *self, const uint8_t *bytes, size_t len)
{
    static tree fields;
    static uint8_t rooms[2][ROOM];
    if (len > ROOM / 4 || !parse(&fields, bytes, len)) {
        return false;
    }
    const field *which = &fields.fields[mutation_draw(self, fields.count)];
    splice at = {which->start, which->end, which->parent, rooms[0], rooms[1], 0};
    change(self, &fields, which, &at);
    while (at.parent != NO_PARENT) {
        if (!go_out(&fields, &at)) {
            return false;
        }
    }
    mutation_put(self, bytes, at.start);
    mutation_put(self, at.content, at.len);
    mutation_put(self, bytes + at.end, len - at.end);
    return true;
}

bool mutate_protobuf(mutation *self)
{
    return mutate_protobuf_bytes(self, self->data, self->size);
}
