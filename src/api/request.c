/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lookups that end in a status.
 */
#include "api/request.h"

#include "sources/torq/torq.h"

const tacho_source *const tacho_request_compile_sources[] = {&tacho_source_torq_timeline, NULL};
const tacho_source *const tacho_request_runtime_sources[] = {&tacho_source_torq_runtime,
                                                             &tacho_source_torq_host, NULL};

tacho_status tacho_request_check_reserved(const uint64_t *words, size_t word_count)
{
    for (size_t i = 0; i < word_count; i++) {
        if (words[i] != 0) {
            return tacho_fail(TACHO_CODE_USAGE,
                              "an option that this version of the library does not have; set "
                              "options to zero first");
        }
    }
    return TACHO_OK;
}

tacho_status tacho_request_check_paths(const char *const *paths, size_t path_count)
{
    for (size_t i = 0; i < path_count; i++) {
        if (paths == NULL || paths[i] == NULL) {
            return tacho_fail(TACHO_CODE_USAGE, "path %zu of %zu is NULL", i + 1, path_count);
        }
    }
    return TACHO_OK;
}

tacho_status tacho_request_source(const char *name, const tacho_source **out_source)
{
    *out_source = name == NULL ? NULL : tacho_source_find(tacho_str_from_cstring(name));
    return name == NULL || *out_source != NULL
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_USAGE, "unknown input format '%s'", name);
}

tacho_status tacho_request_sink(const char *name, const char *path,
                                const tacho_trace_sink **out_sink)
{
    if (path == NULL) {
        return tacho_fail(TACHO_CODE_USAGE, "no output file given (NULL)");
    }
    *out_sink = name != NULL ? tacho_trace_sink_find(tacho_str_from_cstring(name))
                             : tacho_trace_sink_find_for_path(tacho_str_from_cstring(path));
    return *out_sink != NULL ? TACHO_OK
                             : tacho_fail(TACHO_CODE_USAGE, "unknown trace format or suffix: '%s'",
                                          name != NULL ? name : path);
}
