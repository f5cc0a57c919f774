/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aliases and locations. MLIR prints aliases of locations at the end of the text and others at
 * its start; each starts a line. So the lines are searched first, and an alias that starts
 * elsewhere is known only from its definition on.
 */
#include "codec/mlir_text_parser.h"

/* Bytes of locations whose aliases have been replaced: one alias may be in many of them. */
#define LOCATION_BYTES_MAX (UINT64_C(256) << 20)

/* A lenient reader passes over so many broken aliases: each may take it to the end of the text. */
enum { BROKEN_ALIASES_MAX = 16 };

tacho_mlir_alias *tacho_mlir_alias_find(const tacho_mlir_parser *p, tacho_str name)
{
    uint32_t id = tacho_strings_find(&p->alias_names, name);
    return id == TACHO_NONE ? NULL : &p->aliases[id];
}

/* Whether "#name =" is at |at|; the ends of the name and of the '='. */
static bool match_alias(tacho_str text, size_t at, size_t *out_name_end, size_t *out_end)
{
    size_t end = tacho_mlir_skip_suffix(text, at + 1);
    *out_name_end = end;
    if (end == at + 1) {
        return false;
    }
    end = tacho_mlir_skip_blanks(text, end);
    *out_end = end + 1;
    return end < text.len && text.data[end] == '=';
}

/* A location's body is the inside of its loc(...). */
static tacho_mlir_span strip_location(tacho_mlir_span body)
{
    body.start += sizeof("loc(") - 1;
    body.end--;
    return body;
}

static tacho_status add_alias(tacho_mlir_parser *p, tacho_str name, tacho_mlir_span body)
{
    tacho_str text = tacho_mlir_between(p, body.start, body.end);
    bool is_location = tacho_str_starts_with(text, TACHO_STR("loc(")) && name.data[0] == '#';
    if (is_location) {
        TACHO_TRY(tacho_mlir_aliases_add(&p->locations, name, text));
        body = strip_location(body);
    }
    uint32_t id = 0;
    TACHO_TRY(tacho_grow(&p->aliases, &p->alias_capacity, p->alias_names.item_count + 1));
    TACHO_TRY(tacho_strings_ensure(&p->alias_names, name, &id));
    p->aliases[id] = (tacho_mlir_alias){body, is_location, false};
    return TACHO_OK;
}

/* Adds the place in the text to a failure about a location. */
static tacho_status place_failure(const tacho_mlir_parser *p, size_t at, tacho_status inner)
{
    if (tacho_status_code(inner) == TACHO_CODE_NO_MEMORY) {
        return inner;
    }
    tacho_status placed = tacho_mlir_fail_because(p, at, inner);
    tacho_status_free(inner);
    return placed;
}

static tacho_status scan_alias_body(tacho_mlir_parser *p, char sigil, size_t at,
                                    tacho_mlir_span *out_body)
{
    return sigil == '!' ? tacho_mlir_scan_type(p, at, out_body)
                        : tacho_mlir_scan_attr(p, at, out_body);
}

/* Adds the definition at |at|, unless it exists already. */
static tacho_status define_alias(tacho_mlir_parser *p, size_t at, size_t *out_end)
{
    size_t name_end = 0;
    size_t body_start = 0;
    *out_end = at + 1;
    if (!match_alias(p->text, at, &name_end, &body_start)) {
        return TACHO_OK;
    }
    tacho_mlir_span body = {0};
    tacho_str name = tacho_mlir_between(p, at, name_end);
    TACHO_TRY(scan_alias_body(p, name.data[0], body_start, &body));
    *out_end = body.end;
    const tacho_mlir_alias *known = tacho_mlir_alias_find(p, name);
    if (known != NULL) {
        size_t first = known->body.start;
        return first >= body.start && first <= body.end
                   ? TACHO_OK
                   : tacho_mlir_fail_at(p, at, "an alias that is not defined yet");
    }
    tacho_status status = add_alias(p, name, body);
    return status == TACHO_OK ? TACHO_OK : place_failure(p, body.start, status);
}

/* Keeps the first problem; a parser with one has not read everything. */
static void keep_trouble(tacho_mlir_parser *p, tacho_status status)
{
    if (p->trouble == TACHO_OK) {
        p->trouble = status;
    } else {
        tacho_status_free(status);
    }
}

tacho_status tacho_mlir_find_aliases(tacho_mlir_parser *p)
{
    size_t at = 0;
    int broken_count = 0;
    while (at < p->text.len && broken_count < BROKEN_ALIASES_MAX) {
        while (at < p->text.len && (p->text.data[at] == ' ' || p->text.data[at] == '\t')) {
            at++;
        }
        if (at < p->text.len && (p->text.data[at] == '#' || p->text.data[at] == '!')) {
            tacho_status status = define_alias(p, at, &at);
            if (p->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
                keep_trouble(p, status);
                broken_count++;
            } else {
                TACHO_TRY(status);
            }
        }
        at += tacho_str_find_byte(tacho_str_from(p->text, at), '\n') + 1;
    }
    return TACHO_OK;
}

bool tacho_mlir_at_alias(const tacho_mlir_parser *p)
{
    size_t name_end = 0;
    size_t end = 0;
    bool has_sigil =
        p->token.kind == TACHO_MLIR_TOKEN_HASH || p->token.kind == TACHO_MLIR_TOKEN_BANG;
    return has_sigil && match_alias(p->text, p->token.start, &name_end, &end);
}

tacho_status tacho_mlir_take_alias(tacho_mlir_parser *p)
{
    size_t end = 0;
    TACHO_TRY(define_alias(p, p->token.start, &end));
    tacho_mlir_seek(p, end);
    return TACHO_OK;
}

/* -- Locations -- */

static size_t skip_digits(tacho_str text, size_t at)
{
    size_t start = at;
    while (at < text.len && text.data[at] >= '0' && text.data[at] <= '9') {
        at++;
    }
    /* A leading zero would be printed differently, and ten digits may be too many. */
    return at - start < 10 && (at == start + 1 || (at > start && text.data[start] != '0')) ? at : 0;
}

/* Whether |text| is just "file":line:column, as printed: by far the most common form. */
static bool is_plain_file(tacho_str text)
{
    size_t at = text.len > 1 && text.data[0] == '"' ? 1 : 0;
    while (at > 0 && at < text.len && text.data[at] != '"') {
        at = text.data[at] < ' ' || text.data[at] > '~' || text.data[at] == '\\' ? 0 : at + 1;
    }
    for (int i = 0; i < 2; i++) {
        at = at > 0 && at + 1 < text.len ? at + (i == 0) : 0;
        at = at > 0 && at < text.len && text.data[at] == ':' ? skip_digits(text, at + 1) : 0;
    }
    return at > 0 && at == text.len;
}

static tacho_status print_location(tacho_mlir_parser *p, tacho_str text, uint32_t *out_id)
{
    tacho_mlir_location location;
    tacho_str printed = {0};
    tacho_status status = tacho_mlir_location_parse(text, &p->locations, &p->scratch, &location);
    if (status == TACHO_OK) {
        status = tacho_mlir_location_print(&location, &p->scratch, &printed);
    }
    if (status == TACHO_OK) {
        p->location_bytes += printed.len;
        status = p->location_bytes > LOCATION_BYTES_MAX
                     ? tacho_fail(TACHO_CODE_LIMIT, "expected at most 256 MiB of locations")
                     : tacho_strings_ensure(&p->module->strings, printed, out_id);
    }
    tacho_arena_reset(&p->scratch);
    return status;
}

/* A location other than a plain file; printed once for each text. */
static tacho_status find_location(tacho_mlir_parser *p, tacho_str text, uint32_t *out_id)
{
    uint32_t text_id = 0;
    size_t known_count = p->location_texts.item_count;
    TACHO_TRY(tacho_strings_ensure(&p->location_texts, text, &text_id));
    if (text_id < known_count) {
        *out_id = p->location_ids[text_id];
        return TACHO_OK;
    }
    TACHO_TRY(tacho_grow(&p->location_ids, &p->location_id_capacity, known_count + 1));
    tacho_status status = print_location(p, text, out_id);
    if (p->is_lenient && tacho_status_code(status) == TACHO_CODE_BAD_DATA) {
        size_t at = (size_t)(text.data - p->text.data);
        bool is_first = p->trouble == TACHO_OK; /* else the place is not needed */
        keep_trouble(p, is_first ? place_failure(p, at, status) : status);
        status = tacho_strings_ensure(&p->module->strings, TACHO_STR("unknown"), out_id);
    }
    TACHO_TRY(status);
    p->location_ids[text_id] = *out_id;
    return TACHO_OK;
}

tacho_status tacho_mlir_take_location(tacho_mlir_parser *p, uint32_t *out_id)
{
    tacho_mlir_span span;
    size_t start = p->token.start;
    /* Operations that follow one another often have the same location. */
    if (p->last_location.len > 0 &&
        tacho_str_starts_with(tacho_str_from(p->text, start), p->last_location)) {
        *out_id = p->last_location_id;
        tacho_mlir_seek(p, start + p->last_location.len);
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_scan_group(p, p->token.end, &span));
    tacho_str text = tacho_mlir_between(p, span.start + 1, span.end - 1);
    tacho_status status = is_plain_file(text)
                              ? tacho_strings_ensure(&p->module->strings, text, out_id)
                              : find_location(p, text, out_id);
    if (status != TACHO_OK) {
        return place_failure(p, start, status);
    }
    p->last_location = tacho_mlir_between(p, start, span.end);
    p->last_location_id = *out_id;
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}

tacho_status tacho_mlir_skip_location(tacho_mlir_parser *p)
{
    tacho_mlir_span span;
    if (!tacho_mlir_at_location(p)) {
        return TACHO_OK;
    }
    TACHO_TRY(tacho_mlir_scan_group(p, p->token.end, &span));
    tacho_mlir_seek(p, span.end);
    return TACHO_OK;
}
