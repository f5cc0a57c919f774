/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fuzz targets of sources share: a law that ends the program where it does not hold, and one
 * reading of bytes through the order filter. Included by each target.
 */
#ifndef TACHO_TESTS_FUZZ_READING_H
#define TACHO_TESTS_FUZZ_READING_H

#include "profile/order.h"
#include "profile/profile.h"
#include "sources/source.h"

#include <stdlib.h>

enum { SPOOL_BYTES = 1 << 12 }; /* small, so that runs are merged */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static inline void require_ok(tacho_status status)
{
    require(status == TACHO_OK);
}

/* Reads |bytes| with |source| into |next|, to the end. */
static inline tacho_status read_through(const tacho_source *source, tacho_str bytes,
                                        tacho_order_mode mode, tacho_events *next)
{
    tacho_source_options options = {.choice_count = 0};
    tacho_order *order = NULL;
    tacho_input input;
    require_ok(tacho_order_create(next, mode, SPOOL_BYTES, &order));
    require_ok(tacho_input_open_bytes("fuzz", bytes, &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("fuzz"),
        .options = &options,
        .events = tacho_order_events(order),
        .holds_events = mode == TACHO_ORDER_SORT_ALL,
    };
    tacho_status status = source->read(&reading);
    if (status == TACHO_OK) {
        status = tacho_events_finish(tacho_order_events(order));
    }
    tacho_input_close(&input);
    tacho_order_destroy(order);
    return status;
}

#endif
