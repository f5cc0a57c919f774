/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON by its items: elements of arrays and members of objects are left out, doubled, exchanged; a
 * value becomes another one, or an odd one. What is no JSON is scanned as far as it goes.
 */
#include "mutate.h"

#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 4096, DEPTH_MAX = 256 };

/* A value, with its key where it has one: bytes [start, end), of which [value, end) are the value.
 */
typedef struct item {
    size_t start, key_end, value, end;
} item;

typedef struct document {
    item items[ITEMS_MAX];
    size_t item_count;
    size_t open[DEPTH_MAX]; /* containers around the place */
    size_t depth;
    bool has_key; /* the last item lacks its value */
} document;

static bool is_space(uint8_t byte)
{
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t' || byte == ',' ||
           byte == ':';
}

static size_t string_end(const uint8_t *data, size_t size, size_t at)
{
    for (at++; at < size && data[at] != '"'; at++) {
        at += data[at] == '\\' && at + 1 < size ? 1 : 0;
    }
    return at < size ? at + 1 : size;
}

static size_t scalar_end(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && !is_space(data[at]) && strchr("{}[]\"", data[at]) == NULL) {
        at++;
    }
    return at;
}

/* The item whose value begins at |at|; NULL if there are too many. */
static item *begin_value(document *self, size_t at)
{
    if (self->has_key) {
        self->has_key = false;
        self->items[self->item_count - 1].value = at;
    } else if (self->item_count < ITEMS_MAX) {
        self->items[self->item_count++] = (item){at, at, at, at};
    } else {
        return NULL;
    }
    return &self->items[self->item_count - 1];
}

/* A key if a colon follows. */
static bool take_string(document *self, const uint8_t *data, size_t size, size_t *at)
{
    size_t start = *at, end = string_end(data, size, start), after = end;
    while (after < size && is_space(data[after]) && data[after] != ':' && data[after] != ',') {
        after++;
    }
    item *made = begin_value(self, start);
    *at = end;
    if (made == NULL) {
        return false;
    }
    made->end = end;
    if (after < size && data[after] == ':' && made->start == start) {
        made->key_end = end;
        self->has_key = true;
    }
    return true;
}

static bool take_open(document *self, size_t at)
{
    item *made = begin_value(self, at);
    if (made == NULL || self->depth == DEPTH_MAX) {
        return false;
    }
    made->end = at + 1;
    self->open[self->depth++] = (size_t)(made - self->items);
    return true;
}

static void scan(document *self, const uint8_t *data, size_t size)
{
    bool goes_on = true;
    for (size_t at = 0; goes_on && at < size;) {
        uint8_t byte = data[at];
        if (is_space(byte)) {
            at++;
        } else if (byte == '"') {
            goes_on = take_string(self, data, size, &at);
        } else if (byte == '{' || byte == '[') {
            goes_on = take_open(self, at++);
        } else if (byte == '}' || byte == ']') {
            at++;
            self->has_key = false;
            if (self->depth > 0) {
                self->items[self->open[--self->depth]].end = at;
            }
        } else {
            size_t end = scalar_end(data, size, at);
            item *made = begin_value(self, at);
            goes_on = made != NULL && end > at;
            if (made != NULL) {
                made->end = end;
            }
            at = end;
        }
    }
    while (self->depth > 0) { /* of a text that is cut */
        self->items[self->open[--self->depth]].end = size;
    }
}

/* With one comma beside it. */
static void drop(mutation *self, const item *which)
{
    size_t start = which->start, end = which->end;
    while (end < self->size && is_space(self->data[end]) && self->data[end] != ',') {
        end++;
    }
    if (end < self->size && self->data[end] == ',') {
        end++;
    } else {
        end = which->end;
        while (start > 0 && is_space(self->data[start - 1]) && self->data[start - 1] != ',') {
            start--;
        }
        start -= start > 0 && self->data[start - 1] == ',' ? 1 : 0;
    }
    mutation_replace(self, start, end, NULL, 0);
}

static void add_after(mutation *self, const item *which, const item *added)
{
    mutation_put_range(self, 0, which->end);
    mutation_put(self, ",", 1);
    mutation_put_range(self, added->start, added->end);
    mutation_put_range(self, which->end, self->size);
}

static void exchange(mutation *self, const item *a, const item *b)
{
    const item *first = a->start < b->start ? a : b, *second = first == a ? b : a;
    if (first->end > second->start) { /* one is in the other, which it becomes */
        mutation_replace(self, first->start, first->end, self->data + second->start,
                         second->end - second->start);
        return;
    }
    mutation_put_range(self, 0, first->start);
    mutation_put_range(self, second->start, second->end);
    mutation_put_range(self, first->end, second->start);
    mutation_put_range(self, first->start, first->end);
    mutation_put_range(self, second->end, self->size);
}

static void set_odd(mutation *self, const item *which)
{
    static const char *const odd[] = {"null",
                                      "true",
                                      "false",
                                      "{}",
                                      "[]",
                                      "\"\"",
                                      "NaN",
                                      "Infinity",
                                      "-Infinity",
                                      "\"\\u0000\"",
                                      "\"\\ud800\"",
                                      "\"X\"",
                                      "\"B\"",
                                      "\"E\"",
                                      "\"i\"",
                                      "\"C\"",
                                      "\"M\"",
                                      "\"b\"",
                                      "\"e\"",
                                      "\"s\"",
                                      "\"f\"",
                                      "\"t\"",
                                      "\"P\"",
                                      "\"process_name\"",
                                      "\"thread_name\"",
                                      "\"Frame\"",
                                      "\"Lifetime\"",
                                      "\"cuda_runtime\"",
                                      "\"kernel\"",
                                      "\"0x10\"",
                                      "[[[[]]]]"};
    const char *text = mutation_draw(self, 2) == 0
                           ? mutation_odd_number(self)
                           : odd[mutation_draw(self, sizeof(odd) / sizeof(odd[0]))];
    mutation_replace(self, which->value, which->end, text, strlen(text));
}

static void wrap(mutation *self, const item *which)
{
    bool is_array = mutation_draw(self, 2) == 0;
    mutation_put_range(self, 0, which->value);
    mutation_put(self, is_array ? "[" : "{\"a\":", is_array ? 1 : 5);
    mutation_put_range(self, which->value, which->end);
    mutation_put(self, is_array ? "]" : "}", 1);
    mutation_put_range(self, which->end, self->size);
}

static bool has_key(const item *which)
{
    return which->key_end > which->start;
}

/* An item for the place of |which|, mostly: a member for a member, an element for an element. */
static const item *pick_like(mutation *self, const document *doc, const item *which)
{
    const item *picked = which;
    for (int tries = 0; tries < 8; tries++) {
        picked = &doc->items[1 + mutation_draw(self, doc->item_count - 1)];
        if (has_key(picked) == has_key(which)) {
            break;
        }
    }
    return picked;
}

bool mutate_json(mutation *self)
{
    static document doc;
    doc.item_count = doc.depth = 0;
    doc.has_key = false;
    scan(&doc, self->data, self->size);
    if (doc.item_count < 2 ||
        (self->data[doc.items[0].start] != '{' && self->data[doc.items[0].start] != '[')) {
        return false;
    }
    const item *a = &doc.items[1 + mutation_draw(self, doc.item_count - 1)];
    const item *b = pick_like(self, &doc, a);
    switch (mutation_draw(self, 9)) {
    case 0:
        drop(self, a);
        break;
    case 1:
        add_after(self, a, a);
        break;
    case 2:
        add_after(self, a, b);
        break;
    case 3:
        mutation_replace(self, a->value, a->end, self->data + b->value, b->end - b->value);
        break;
    case 4:
        mutation_replace(self, a->start, a->key_end, self->data + b->start, b->key_end - b->start);
        break;
    case 5:
        wrap(self, a);
        break;
    case 6:
        exchange(self, a, b);
        break;
    default:
        set_odd(self, a);
        break;
    }
    return true;
}
