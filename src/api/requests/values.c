/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about inputs that options give.
 */
#include "api/requests/values.h"

#include "base/duration.h"
#include "api/requests/request.h"

#include <stdio.h>

enum { SLICE_COUNT_MAX = 1024, SECONDS_ROOM = 64 };

bool tacho_value_source_options(tacho_request *given, tacho_source_options *out_options)
{
    *out_options = (tacho_source_options){0};
    const char *mhz = tacho_request_value(given, "clock-mhz");
    if (mhz != NULL) {
        out_options->clock_mhz = tacho_str_from_cstring(mhz);
        tacho_clock clock;
        tacho_status status = tacho_clock_init_mhz(&clock, out_options->clock_mhz);
        if (status != TACHO_OK) {
            tacho_request_misuse(given, "{clock-mhz}: %s", tacho_status_message(status));
            tacho_status_free(status);
            return false;
        }
    }
    const char *slices = tacho_request_value(given, "num-slices");
    uint64_t slice_count = 0;
    if (slices != NULL && (!tacho_str_parse_u64(tacho_str_from_cstring(slices), &slice_count) ||
                           slice_count == 0 || slice_count > SLICE_COUNT_MAX)) {
        tacho_request_misuse(given, "{num-slices}: '%s' is not a number from 1 to %d", slices,
                             SLICE_COUNT_MAX);
        return false;
    }
    tacho_source_options_set_number(out_options, "slices", slice_count);
    const char *program = tacho_request_value(given, "program");
    tacho_source_options_set_path(out_options, "program",
                                  tacho_str_from_cstring(program != NULL ? program : ""));
    return true;
}

bool tacho_request_seconds(tacho_request *given, const char *option, int64_t *out_ns)
{
    const char *value = tacho_request_value(given, option);
    char text[SECONDS_ROOM];
    if (value == NULL) {
        return true;
    }
    size_t len = strlen(value);
    bool is_bare = len > 0 && strchr("0123456789.", value[len - 1]) != NULL;
    snprintf(text, sizeof(text), "%s%s", value, is_bare ? "s" : "");
    if (len + 2 > sizeof(text) || !tacho_duration_parse(tacho_str_from_cstring(text), out_ns) ||
        *out_ns <= 0) {
        tacho_request_misuse(given, "{%s}: expected seconds, such as 30 or 500ms, not '%s'", option,
                             value);
        return false;
    }
    return true;
}
