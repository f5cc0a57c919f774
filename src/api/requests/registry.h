/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The types of requests: those of tacho, then drop-ins for tools of vendors.
 */
#ifndef TACHO_API_REQUESTS_REGISTRY_H
#define TACHO_API_REQUESTS_REGISTRY_H

#include "api/requests/request.h"

#define TACHO_REQUEST_TYPES(X)                                                                     \
    X(convert)                                                                                     \
    X(info)                                                                                        \
    X(overview)                                                                                    \
    X(breakdown)                                                                                   \
    X(ops)                                                                                         \
    X(query)                                                                                       \
    X(roofline)                                                                                    \
    X(annotate)                                                                                    \
    X(report)                                                                                      \
    X(compile)                                                                                     \
    X(run)                                                                                         \
    X(machine)                                                                                     \
    X(opstats)                                                                                     \
    X(diff)                                                                                        \
    X(profile)                                                                                     \
    X(baseline)                                                                                    \
    X(fleet)                                                                                       \
    X(annotate_profiling)                                                                          \
    X(perfetto_logger)                                                                             \
    X(iree_run_module)                                                                             \
    X(qaic_compile)                                                                                \
    X(qaic_opstats)                                                                                \
    X(qaic_runner)                                                                                 \
    X(torq_compile)                                                                                \
    X(torq_run_module)                                                                             \
    X(tt_profile)                                                                                  \
    X(tt_profile_py)

#define TACHO_REQUEST_TYPE_DECLARATION(name)                                                       \
    extern const tacho_request_type tacho_request_type_##name;
TACHO_REQUEST_TYPES(TACHO_REQUEST_TYPE_DECLARATION)
#undef TACHO_REQUEST_TYPE_DECLARATION

#endif
