/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of a text by its lines and numbers, for readers of languages: a line goes away, comes a
 * second time or trades its place with another, and a number becomes an odd one. A change of bytes
 * seldom leaves more than the first error of a text to be found.
 */
#ifndef TACHO_FUZZ_TEXT_MUTATE_H
#define TACHO_FUZZ_TEXT_MUTATE_H

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 1 << 16 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

typedef struct text_line {
    size_t start, end; /* with its newline */
} text_line;

static uint32_t text_draw(uint64_t *seed, size_t count)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return count == 0 ? 0 : (uint32_t)((*seed >> 33) % count);
}

/* The line that some place of the text lies in. */
static text_line pick_line(const uint8_t *data, size_t size, uint64_t *seed)
{
    size_t at = text_draw(seed, size);
    text_line line = {at, at};
    while (line.start > 0 && data[line.start - 1] != '\n') {
        line.start--;
    }
    while (line.end < size && data[line.end] != '\n') {
        line.end++;
    }
    line.end += line.end < size ? 1 : 0;
    return line;
}

typedef struct text_made {
    uint8_t bytes[2 * TEXT_MAX];
    size_t size;
} text_made;

static void put_text(text_made *made, const uint8_t *data, size_t start, size_t end)
{
    memcpy(made->bytes + made->size, data + start, end - start);
    made->size += end - start;
}

/* The first number from |at| on, if any; |at| is behind it then. */
static bool find_number(const uint8_t *data, size_t size, size_t *out_start, size_t *at)
{
    while (*at < size && !isdigit(data[*at])) {
        ++*at;
    }
    *out_start = *at;
    while (*at < size && isdigit(data[*at])) {
        ++*at;
    }
    return *at > *out_start;
}

static void change_number(const uint8_t *data, size_t size, uint64_t *seed, text_made *made)
{
    static const char *const odd[] = {"0",   "1",          "2",          "3",
                                      "7",   "64",         "255",        "4294967295",
                                      "999", "4294967296", "2147483648", "9223372036854775807"};
    size_t start, end = text_draw(seed, size);
    if (!find_number(data, size, &start, &end)) {
        return;
    }
    const char *number = odd[text_draw(seed, sizeof(odd) / sizeof(odd[0]))];
    put_text(made, data, 0, start);
    put_text(made, (const uint8_t *)number, 0, strlen(number));
    put_text(made, data, end, size);
}

/* Lines |a| and |b| in each other's place, or |b| twice, or |a| gone. */
static void change_lines(const uint8_t *data, size_t size, uint64_t *seed, text_made *made)
{
    text_line a = pick_line(data, size, seed), b = pick_line(data, size, seed);
    if (b.start < a.start) {
        text_line first = b;
        b = a;
        a = first;
    }
    uint32_t how = text_draw(seed, 4);
    put_text(made, data, 0, a.start);
    if (how == 0 && a.start < b.start) {
        put_text(made, data, b.start, b.end);
        put_text(made, data, a.end, b.start);
        put_text(made, data, a.start, a.end);
        put_text(made, data, b.end, size);
    } else if (how == 1) {
        put_text(made, data, a.end, size);
    } else {
        put_text(made, data, b.start, b.end);
        put_text(made, data, a.start, size);
    }
}

/* Changes |data| in place; its size afterwards. */
static size_t mutate_text(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    static text_made made;
    made.size = 0;
    uint32_t how = text_draw(&seed, 8);
    if (size > 0 && size < TEXT_MAX && how < 3) {
        change_lines(data, size, &seed, &made);
    } else if (size > 0 && size < TEXT_MAX && how < 5) {
        change_number(data, size, &seed, &made);
    }
    if (made.size == 0 || made.size > max_size) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    memcpy(data, made.bytes, made.size);
    return made.size;
}

#endif
