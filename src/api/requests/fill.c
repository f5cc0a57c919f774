/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values of options, put where the table of the request has them. One place for what numbers, words
 * and truths look like, so that all requests accept and refuse the same.
 */
#include "api/requests/request.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORDS_BYTES = 256 };

static void put_number(const tacho_fill *fill, void *target, uint64_t number)
{
    char *member = (char *)target + fill->offset;
    bool truth = number != 0;
    uint32_t half = (uint32_t)number;
    switch (fill->size) {
    case sizeof(truth):
        memcpy(member, &truth, sizeof(truth));
        break;
    case sizeof(half):
        memcpy(member, &half, sizeof(half));
        break;
    default:
        memcpy(member, &number, sizeof(number));
        break;
    }
}

static bool refuse(tacho_request *given, const tacho_given_item *item, const char *why)
{
    tacho_request_misuse(given, "{%s}: %s", item->option->name, why);
    return false;
}

static bool parse_number(tacho_request *given, const char *name, const char *text,
                         const uint64_t bounds[2], uint64_t *out_number)
{
    bool is_good = tacho_str_parse_u64(tacho_str_from_cstring(text), out_number) &&
                   *out_number >= bounds[0] && *out_number <= bounds[1];
    if (!is_good) {
        char range[64] = "";
        if (bounds[1] < UINT32_MAX) {
            snprintf(range, sizeof(range), " from %" PRIu64 " to %" PRIu64, bounds[0], bounds[1]);
        } else if (bounds[0] > 0) {
            snprintf(range, sizeof(range), " of at least %" PRIu64, bounds[0]);
        }
        tacho_request_misuse(given, "{%s}: invalid value '%s'; expected a whole number%s", name,
                             text, range);
    }
    return is_good;
}

/* ---- words --------------------------------------------------------------------------------- */

/* The |index|-th word that an option takes; empty after the last. */
static tacho_str word_at(const tacho_option *option, size_t index)
{
    if (option->fill.words != NULL) {
        const char *word = option->fill.words[index];
        return tacho_str_from_cstring(word != NULL ? word : "");
    }
    tacho_str rest = tacho_str_from_cstring(option->value);
    for (; index > 0 && rest.len > 0; index--) {
        size_t bar = tacho_str_find_byte(rest, '|');
        rest = tacho_str_from(rest, bar < rest.len ? bar + 1 : bar);
    }
    return tacho_str_make(rest.data, tacho_str_find_byte(rest, '|'));
}

/* "a, b or c". */
static void list_words(const tacho_option *option, char out_text[WORDS_BYTES])
{
    size_t len = 0;
    out_text[0] = '\0';
    for (size_t i = 0; word_at(option, i).len > 0 && len < WORDS_BYTES; i++) {
        bool is_last = word_at(option, i + 1).len == 0;
        len += (size_t)snprintf(out_text + len, WORDS_BYTES - len, "%s%.*s",
                                i == 0    ? ""
                                : is_last ? " or "
                                          : ", ",
                                TACHO_STR_ARG(word_at(option, i)));
    }
}

static bool fill_word(tacho_request *given, const tacho_given_item *item, void *target)
{
    tacho_str value = tacho_str_from_cstring(item->value);
    for (size_t i = 0; word_at(item->option, i).len > 0; i++) {
        if (tacho_str_equal(word_at(item->option, i), value)) {
            put_number(&item->option->fill, target, item->option->fill.least + i);
            return true;
        }
    }
    char words[WORDS_BYTES];
    list_words(item->option, words);
    tacho_request_misuse(given, "{%s}: unknown value '%s'; use %s", item->option->name, item->value,
                         words);
    return false;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* "" is an option without its value. */
static bool fill_truth(tacho_request *given, const tacho_given_item *item, void *target)
{
    const char *value = item->value;
    bool is_true = value[0] == '\0' || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    bool is_false = strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
    bool is_set = is_true == (item->option->fill.kind == TACHO_FILL_TRUTH);
    put_number(&item->option->fill, target, is_set ? 1 : 0);
    char why[WORDS_BYTES];
    snprintf(why, sizeof(why), "expected true or false, not '%.100s'", value);
    return is_true || is_false || refuse(given, item, why);
}

static bool fill_one(tacho_request *given, const tacho_given_item *item, void *target)
{
    const tacho_fill *fill = &item->option->fill;
    char *member = (char *)target + fill->offset;
    const uint64_t bounds[2] = {fill->least, fill->most};
    uint64_t number = 0;
    switch (fill->kind) {
    case TACHO_FILL_NONE:
        return true;
    case TACHO_FILL_FLAG:
    case TACHO_FILL_UNFLAG:
        put_number(fill, target, fill->kind == TACHO_FILL_FLAG ? 1 : 0);
        return true;
    case TACHO_FILL_TRUTH:
    case TACHO_FILL_UNTRUTH:
        return fill_truth(given, item, target);
    case TACHO_FILL_TEXT:
        memcpy(member, &item->value, sizeof(item->value));
        return true;
    case TACHO_FILL_STRING:
        *(tacho_str *)(void *)member = tacho_str_from_cstring(item->value);
        return true;
    case TACHO_FILL_NUMBER:
        if (!parse_number(given, item->option->name, item->value, bounds, &number)) {
            return false;
        }
        put_number(fill, target, number);
        return true;
    case TACHO_FILL_WORD:
        return fill_word(given, item, target);
    }
    return false;
}

bool tacho_request_fill(tacho_request *given, void *target)
{
    for (size_t i = 0; i < given->item_count; i++) {
        const tacho_given_item *item = &given->items[i];
        if (item->option != NULL && !fill_one(given, item, target)) {
            return false;
        }
    }
    return true;
}

bool tacho_request_number(tacho_request *given, const char *name, uint64_t least, uint64_t most,
                          uint64_t *value)
{
    const char *text = tacho_request_value(given, name);
    const uint64_t bounds[2] = {least, most};
    uint64_t number = 0;
    if (text == NULL) {
        return true;
    }
    bool is_good = parse_number(given, name, text, bounds, &number);
    *value = is_good ? number : *value;
    return is_good;
}

/* ---- by name ------------------------------------------------------------------------------- */

const char *tacho_request_next(const tacho_request *given, const char *name, size_t *at)
{
    while (*at < given->item_count) {
        const tacho_given_item *item = &given->items[(*at)++];
        if (item->option != NULL && strcmp(item->option->name, name) == 0) {
            return item->value;
        }
    }
    return NULL;
}

const char *tacho_request_value(const tacho_request *given, const char *name)
{
    const char *last = NULL;
    size_t at = 0;
    for (const char *value; (value = tacho_request_next(given, name, &at)) != NULL;) {
        last = value;
    }
    return last;
}

const char *tacho_request_find(const tacho_request *given, const char *const *names)
{
    while (*names != NULL && !tacho_request_has(given, *names)) {
        names++;
    }
    return *names;
}

const char *tacho_request_option_name(const tacho_request *given, size_t offset)
{
    for (size_t i = 0; i < given->type->option_count; i++) {
        const tacho_fill *fill = &given->type->options[i].fill;
        if (fill->kind != TACHO_FILL_NONE && fill->offset == offset) {
            return given->type->options[i].name;
        }
    }
    return "";
}
