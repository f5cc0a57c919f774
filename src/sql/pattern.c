/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After a run (% or *) that has matched too little only the latest one can help: what the earlier
 * ones have matched is the shortest possible. So the time is at most the product of both lengths,
 * and no stack is needed.
 */
#include "sql/pattern.h"

#include "base/process.h"
#include "base/utf8.h"

enum { STEPS_PER_LOOK = 1 << 16 };

typedef enum element_kind {
    ELEMENT_RUN,
    ELEMENT_ONE,
    ELEMENT_CODE,
    ELEMENT_SET,
    ELEMENT_BAD
} element_kind;

/* A piece of a pattern that stands for one character, or for any number. */
typedef struct element {
    element_kind kind;
    uint32_t code;
    tacho_str set; /* between the brackets */
    tacho_str rest;
} element;

static uint32_t take_code(tacho_str *text)
{
    uint32_t code = 0;
    size_t len = tacho_utf8_decode(*text, &code);
    code = code == UINT32_MAX ? (unsigned char)text->data[0] | UINT32_C(1) << 31 : code;
    *text = tacho_str_from(*text, len);
    return code;
}

/* Where the set that begins |text| ends: at its bracket, or with the text if it has none. */
static size_t set_end(tacho_str text)
{
    size_t at = text.len > 0 && text.data[0] == '^' ? 1 : 0;
    at += at < text.len && text.data[at] == ']' ? 1 : 0; /* a member */
    return at + tacho_str_find_byte(tacho_str_from(text, at), ']');
}

static element take_element(const tacho_pattern *pattern, tacho_str text)
{
    bool is_like = pattern->dialect == TACHO_PATTERN_LIKE;
    element next = {.kind = ELEMENT_CODE, .code = take_code(&text), .rest = text};
    if (pattern->has_escape && next.code == pattern->escape) {
        next.kind = text.len > 0 ? ELEMENT_CODE : ELEMENT_BAD;
        next.code = text.len > 0 ? take_code(&next.rest) : 0;
    } else if (next.code == (is_like ? '%' : '*')) {
        next.kind = ELEMENT_RUN;
    } else if (next.code == (is_like ? '_' : '?')) {
        next.kind = ELEMENT_ONE;
    } else if (!is_like && next.code == '[') {
        size_t end = set_end(text);
        next.kind = end < text.len ? ELEMENT_SET : ELEMENT_BAD;
        next.set = tacho_str_make(text.data, end);
        next.rest = tacho_str_from(text, end < text.len ? end + 1 : end);
    }
    return next;
}

static bool set_has(tacho_pattern *pattern, tacho_str set, uint32_t code)
{
    bool is_inverted = set.len > 0 && set.data[0] == '^', is_in = false, has_first = false;
    uint32_t first = 0;
    pattern->steps += (unsigned)set.len;
    for (set = tacho_str_from(set, is_inverted ? 1 : 0); set.len > 0;) {
        uint32_t next = take_code(&set);
        bool is_range = next == '-' && has_first && set.len > 0;
        uint32_t last = is_range ? take_code(&set) : next;
        is_in = is_in || (is_range ? code >= first && code <= last : code == last);
        has_first = !is_range;
        first = last;
    }
    return is_in != is_inverted;
}

static uint32_t fold(uint32_t code)
{
    return code >= 'A' && code <= 'Z' ? code | 0x20 : code;
}

static bool takes(tacho_pattern *pattern, const element *by, uint32_t code)
{
    bool is_like = pattern->dialect == TACHO_PATTERN_LIKE;
    return by->kind == ELEMENT_ONE ||
           (by->kind == ELEMENT_SET && set_has(pattern, by->set, code)) ||
           (by->kind == ELEMENT_CODE &&
            (is_like ? fold(by->code) == fold(code) : by->code == code));
}

static bool is_over(tacho_pattern *pattern)
{
    if (++pattern->steps >= STEPS_PER_LOOK) {
        pattern->steps = 0;
        pattern->is_late =
            pattern->until_ns < INT64_MAX && tacho_process_now_ns() >= pattern->until_ns;
    }
    return pattern->is_late;
}

bool tacho_pattern_matches(tacho_pattern *pattern, tacho_str text)
{
    tacho_str left = pattern->text;
    tacho_str run_left = {NULL, 0}, run_text = {NULL, 0}; /* after the latest run */
    bool has_run = false;
    while (left.len > 0 || text.len > 0) {
        element next = {.kind = ELEMENT_BAD};
        tacho_str after = text;
        if (left.len > 0) {
            next = take_element(pattern, left);
        }
        if (next.kind == ELEMENT_RUN) {
            has_run = true;
            left = run_left = next.rest;
            run_text = text;
        } else if (text.len > 0 && takes(pattern, &next, take_code(&after))) {
            left = next.rest;
            text = after;
        } else if (has_run && run_text.len > 0) {
            take_code(&run_text);
            left = run_left;
            text = run_text;
        } else {
            return false;
        }
        if (is_over(pattern)) {
            return false;
        }
    }
    return true;
}
