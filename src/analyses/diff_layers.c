/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A path from the outside in, parted by slashes or dots. Exporters of ONNX repeat what is around a
 * part in it: after "layer1" comes "layer1.0".
 */
#include "analyses/diff_layers.h"

static bool is_layer_byte(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '.' || byte == '/' || byte == '-';
}

/* Without quotes around it and what ONNX Runtime appends. */
static tacho_str strip(tacho_str text)
{
    static const tacho_str suffixes[] = {TACHO_STR_INIT("_kernel_time"), TACHO_STR_INIT("_nchwc")};
    if (text.len >= 2 && text.data[0] == '"' && text.data[text.len - 1] == '"') {
        text = tacho_str_make(text.data + 1, text.len - 2);
    }
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        text.len -= tacho_str_ends_with(text, suffixes[i]) ? suffixes[i].len : 0;
    }
    return text;
}

/* Paths have no spaces, colons or brackets, as signatures and places in files do. */
static bool is_path(tacho_str text)
{
    bool has_parts = false;
    for (size_t i = 0; i < text.len; i++) {
        has_parts |= i > 0 && (text.data[i] == '/' || text.data[i] == '.');
        if (!is_layer_byte(text.data[i])) {
            return false;
        }
    }
    return has_parts;
}

/* The part of |path| up to the next slash, and what is behind it. */
static tacho_str next_part(tacho_str *path)
{
    size_t len = tacho_str_find_byte(*path, '/');
    tacho_str part = tacho_str_make(path->data, len);
    *path = tacho_str_from(*path, len < path->len ? len + 1 : len);
    return part;
}

tacho_status tacho_diff_layer_of(tacho_str text, tacho_arena *arena, tacho_str *out_layer)
{
    char *layer = NULL;
    size_t len = 0;
    tacho_str last = TACHO_STR("");
    *out_layer = TACHO_STR("");
    text = strip(text);
    if (!is_path(text)) {
        return TACHO_OK;
    }
    bool ends_in_type = text.data[0] == '/';
    TACHO_TRY(tacho_arena_alloc(arena, text.len + 1, (void **)&layer));
    while (text.len > 0) {
        tacho_str part = next_part(&text);
        if (part.len == 0 || (ends_in_type && text.len == 0)) {
            continue;
        }
        bool repeats = last.len > 0 && part.len > last.len && tacho_str_starts_with(part, last) &&
                       part.data[last.len] == '.';
        tacho_str added = repeats ? tacho_str_from(part, last.len + 1) : part;
        if (len > 0) {
            layer[len++] = '.';
        }
        memcpy(layer + len, added.data, added.len);
        len += added.len;
        last = part;
    }
    *out_layer = tacho_str_make(layer, len);
    return TACHO_OK;
}
