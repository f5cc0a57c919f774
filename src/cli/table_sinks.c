/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looking up table formats.
 */
#include "cli/table_sinks.h"

#include "sinks/xlsx.h"

#include <stdio.h>

const tacho_table_sink *tacho_cli_table_sink_at(size_t index)
{
    size_t count = 0;
    while (tacho_table_sinks()[count] != NULL) {
        count++;
    }
    if (index < count) {
        return tacho_table_sinks()[index];
    }
    return index == count ? &tacho_table_sink_xlsx : NULL;
}

const tacho_table_sink *tacho_cli_table_sink_find(tacho_str name)
{
    const tacho_table_sink *sink = NULL;
    for (size_t i = 0; (sink = tacho_cli_table_sink_at(i)) != NULL; i++) {
        if (tacho_str_equal(name, tacho_str_from_cstring(sink->name))) {
            break;
        }
    }
    return sink;
}

static tacho_str without_compression(tacho_str path)
{
    if (tacho_str_ends_with(path, TACHO_STR(".gz"))) {
        path.len -= 3;
    } else if (tacho_str_ends_with(path, TACHO_STR(".zst"))) {
        path.len -= 4;
    }
    return path;
}

const tacho_table_sink *tacho_cli_table_sink_find_for_path(tacho_str path)
{
    const tacho_table_sink *sink = NULL;
    path = without_compression(path);
    for (size_t i = 0; (sink = tacho_cli_table_sink_at(i)) != NULL; i++) {
        if (tacho_str_ends_with(path, tacho_str_from_cstring(sink->suffix))) {
            break;
        }
    }
    return sink;
}

void tacho_cli_table_sink_names(char out_names[TACHO_CLI_NAMES_BYTES])
{
    const tacho_table_sink *sink = NULL;
    size_t len = 0;
    out_names[0] = '\0';
    for (size_t i = 0; (sink = tacho_cli_table_sink_at(i)) != NULL; i++) {
        int written = snprintf(out_names + len, TACHO_CLI_NAMES_BYTES - len, "%s%s",
                               i > 0 ? ", " : "", sink->name);
        len += (size_t)written < TACHO_CLI_NAMES_BYTES - len ? (size_t)written : 0;
    }
}
