/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a span as JSON, for every sink that writes JSON.
 */
#ifndef TACHO_SINKS_JSON_ARGS_H
#define TACHO_SINKS_JSON_ARGS_H

#include "codec/json.h"
#include "profile/events.h"

/*
 * Writes an object of the span's arguments and of what the model knows besides: cycles,
 * location, run and invocation, an origin that is not its part's, whether it ended.
 */
void tacho_json_args_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row);

/* Of these only what no trace may lack: its origin, and whether it ended. */
void tacho_json_marks_write(tacho_output *output, const tacho_dict *dict, const tacho_row *row);

/* Values with what stands ahead of them: a comma, a key, a colon. */
static inline void tacho_json_put_string(tacho_output *output, const char *before, tacho_str text)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_string(output, text);
}

static inline void tacho_json_put_int(tacho_output *output, const char *before, int64_t value)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_int(output, value);
}

static inline void tacho_json_put_uint(tacho_output *output, const char *before, uint64_t value)
{
    tacho_output_write_cstring(output, before);
    tacho_json_write_uint(output, value);
}

#endif
