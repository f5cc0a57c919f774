/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of a part, and the formats of the files that a trace was made of.
 */
#include "profile/part_format.h"

#include <inttypes.h>
#include <stdio.h>

/*
 * Whether a trace that tacho wrote was made of files of this format: it keeps the format of each of
 * its parts, which it numbers from 1. Two traces that contradict each other about a number do not
 * count.
 */
static bool was_made_of(const tacho_dict *dict, uint32_t part, tacho_str format_prefix)
{
    uint32_t first = part;
    bool is_so = false;
    char key[48];
    while (first > 0 && dict->parts[first - 1].path == dict->parts[part].path) {
        first--;
    }
    snprintf(key, sizeof(key), "from.part.%" PRIu32 ".format", part - first + 1);
    for (size_t i = 0; i < dict->metadata_count; i++) {
        const tacho_metadata *fact = &dict->metadata[i];
        tacho_str format = tacho_dict_string(dict, fact->value);
        bool is_trace = tacho_str_equal(format, TACHO_STR("perfetto")) ||
                        tacho_str_equal(format, TACHO_STR("chrome")); /* on the way */
        if (tacho_str_equal(tacho_dict_string(dict, fact->key), tacho_str_from_cstring(key)) &&
            !is_trace) {
            is_so = tacho_str_starts_with(format, format_prefix);
            if (!is_so) {
                return false;
            }
        }
    }
    return is_so;
}

bool tacho_part_is_of_format(const tacho_dict *dict, uint32_t part, tacho_str prefix)
{
    return tacho_str_starts_with(tacho_dict_string(dict, dict->parts[part].format), prefix) ||
           was_made_of(dict, part, prefix);
}
