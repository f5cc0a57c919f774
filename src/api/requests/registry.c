/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All types, in the order in which front ends list them.
 */
#include "api/requests/registry.h"

const tacho_request_type *const tacho_request_types[] = {
#define TACHO_REQUEST_TYPE_ITEM(name) &tacho_request_type_##name,
    TACHO_REQUEST_TYPES(TACHO_REQUEST_TYPE_ITEM)
#undef TACHO_REQUEST_TYPE_ITEM
        NULL,
};
