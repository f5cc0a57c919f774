/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that use libtacho-client, and the collector that they report to.
 */
#ifndef TACHO_CAPTURE_WAY_CLIENT_H
#define TACHO_CAPTURE_WAY_CLIENT_H

#include "capture/collector.h"
#include "capture/way.h"

extern const tacho_way_type tacho_way_client;

/* The counts of the collector of |way|, which is of that type. */
tacho_collector_counts tacho_way_client_counts(const tacho_way *way);

/* The port that it listens on; 0: none. */
uint16_t tacho_way_client_port(const tacho_way *way);

#endif
