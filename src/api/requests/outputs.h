/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The format of an output, the same for all requests: the one that an option names, else that of
 * the path's suffix. Functions refuse the request for what is wrong, and return NULL or false then.
 */
#ifndef TACHO_API_REQUESTS_OUTPUTS_H
#define TACHO_API_REQUESTS_OUTPUTS_H

#include "api/requests/options.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"

/* The table format called |name|. */
const tacho_table_sink *tacho_request_table_format(tacho_request *given, const char *name);

/* The value of --format, --json or --csv; NULL: none. */
const char *tacho_request_format(const tacho_request *given);

/* The table format of --format, --json or --csv, or of the suffix of |path|. */
const tacho_table_sink *tacho_request_table_sink(tacho_request *given, const char *path);

/* The same, for a command that knows the format |own| besides; NULL: none. */
const tacho_table_sink *tacho_request_table_sink_or(tacho_request *given, const char *path,
                                                    const tacho_table_sink *own);

/*
 * The trace format that --|option| names, or that of the suffix of |path|. |others| are formats
 * that the command knows besides, "t1, t4 or "; "": none.
 */
const tacho_trace_sink *tacho_request_trace_sink(tacho_request *given, const char *option,
                                                 const char *path, const char *others);

/* Whether |path| can take bytes: a terminal cannot. */
bool tacho_request_takes_bytes(tacho_request *given, const char *path);

/* Where tables go. */
#define TACHO_OPTION_OUTPUT TACHO_OPTION_OUTPUT_AND(0)

/* The same of verbs that write more than tables. */
#define TACHO_OPTION_OUTPUT_AND(kinds)                                                             \
    TACHO_OPT_VALUE("output", 'o', "OUT",                                                          \
                    "write to OUT instead of standard output; .gz or .zst compresses",             \
                    .writes = TACHO_WRITES_TABLE | (kinds)),                                       \
        TACHO_OPTION_FORCE

#endif
