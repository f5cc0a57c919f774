/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads track events and passes them to pairing.
 */
#ifndef TACHO_SOURCES_PERFETTO_EVENTS_H
#define TACHO_SOURCES_PERFETTO_EVENTS_H

#include "sources/perfetto/annotations.h"
#include "sources/perfetto/pairing.h"

/* A value of an extra counter in an event. */
typedef struct pfr_extra {
    uint64_t uuid;
    double value;
} pfr_extra;

/* The last site used for events of a name. */
typedef struct pfr_named_site {
    uint32_t category;
    uint32_t location;
    uint32_t site; /* TACHO_NONE before the first */
} pfr_named_site;

/* The running value of an incremental counter, one for each sequence; reset at a fresh start. */
typedef struct pfr_running {
    uint32_t key[2]; /* sequence, track */
    uint32_t epoch;
    double value;
} pfr_running;

typedef struct pfr_events {
    tacho_dict *dict;
    pfr_sequences *sequences;
    pfr_pairing *pairing;
    pfr_args args;
    pfr_flow *flows;
    size_t flow_count, flow_capacity;
    uint64_t *extra_uuids[2]; /* of the event itself; integers, doubles */
    size_t extra_uuid_count[2], extra_uuid_capacity[2];
    double *extra_values[2];
    size_t extra_value_count[2], extra_value_capacity[2];
    uint32_t log_key;      /* string "log_message" */
    pfr_named_site *sites; /* by name, a string */
    size_t site_count, site_capacity;
    pfr_running *running;
    size_t running_count, running_capacity;
    tacho_index running_index;
} pfr_events;

tacho_status pfr_events_init(pfr_events *events, pfr_sequences *sequences,
                             pfr_pairing *pairing) TACHO_MUST_USE;
void pfr_events_deinit(pfr_events *events);

/* An event packet: the message, its sequence and its time. */
typedef struct pfr_event_packet {
    tacho_str message;
    pfr_sequence *sequence;
    int64_t ns;
    uint32_t clock; /* the clock of |ns|, TACHO_NONE for the trace clock */
    uint64_t ticks; /* beyond |ns|, in a trace by tacho */
    uint64_t offset;
} pfr_event_packet;

/* A value of the counter |uuid|, which must have been described. */
tacho_status pfr_events_push_value(pfr_events *events, const pfr_event_packet *packet,
                                   uint64_t uuid, double value) TACHO_MUST_USE;

/* Reads an event and passes it to pairing, or counts it as lost. */
tacho_status pfr_events_read(pfr_events *events, const pfr_event_packet *packet) TACHO_MUST_USE;

#endif
