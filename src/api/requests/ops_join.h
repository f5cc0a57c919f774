/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho ops --join: the logs of Tenstorrent's profiler to the vendor's op table.
 */
#ifndef TACHO_API_REQUESTS_OPS_JOIN_H
#define TACHO_API_REQUESTS_OPS_JOIN_H

#include "api/requests/options.h"

#define TACHO_OPS_JOIN_OPTION                                                                      \
    TACHO_OPT_FLAG(                                                                                \
        "join", 0,                                                                                 \
        "write the op table of the logs that Tenstorrent's profiler left, files or the "           \
        "directory of one run, as CSV")

int tacho_ops_join_run(tacho_request *given);

#endif
