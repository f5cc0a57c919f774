/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairing: begins and ends become spans, flow ids become arrows, in time order per track.
 *
 * Traces are sorted by time and place in the file before anything is paired. Most are in that order
 * already, track by track: then events are paired as they are read. Where that fails, or a track is
 * described after its events, the file is read again and all events of a part are held in a spool
 * until its end (tacho_reading.holds_events).
 */
#ifndef TACHO_SOURCES_PERFETTO_PAIRING_H
#define TACHO_SOURCES_PERFETTO_PAIRING_H

#include "profile/spool.h"
#include "sources/open_spans.h"
#include "sources/perfetto/clocks.h"
#include "sources/perfetto/own.h"
#include "sources/perfetto/tracks.h"
#include "sources/source.h"

typedef enum pfr_event_type {
    PFR_EVENT_BEGIN,
    PFR_EVENT_END,
    PFR_EVENT_INSTANT,
    PFR_EVENT_STATE,    /* lasts until the next one; without a site it ends the last */
    PFR_EVENT_COMPLETE, /* with its duration */
    PFR_EVENT_SAMPLE,
} pfr_event_type;

typedef struct pfr_flow {
    uint64_t id;
    bool terminates;
} pfr_flow;

typedef struct pfr_event {
    pfr_event_type type;
    int64_t ns;
    uint64_t ticks;  /* beyond |ns|, in a trace by tacho */
    uint32_t clock;  /* the clock of |ns|, until a snapshot relates it; else TACHO_NONE */
    uint64_t offset; /* of its packet */
    uint32_t track;  /* of the trace */
    uint32_t site;   /* of an end: the name of the span to end; or TACHO_NONE */
    int64_t duration_ns;
    double value;
    const tacho_arg *args;
    size_t arg_count;
    const pfr_flow *flows;
    size_t flow_count;
} pfr_event;

/* An arrow by its id in the trace. */
typedef struct pfr_arrow {
    uint64_t id;
    uint64_t number; /* in rows; a new one each time it leaves */
    bool is_open;    /* it has left and not ended */
} pfr_arrow;

typedef struct pfr_pairing pfr_pairing;

/* Receives held events whose time had to wait. */
typedef struct pfr_waiting {
    tacho_events events;
    pfr_pairing *pairing;
    tacho_spool *spool; /* NULL while there is none */
} pfr_waiting;

struct pfr_pairing {
    tacho_events events; /* receives the held events in time order */
    const tacho_reading *reading;
    tacho_dict *dict;
    pfr_tracks *tracks;
    pfr_clocks *clocks;
    pfr_waiting waiting;
    pfr_own own;
    tacho_open_spans open;
    tacho_spool *spool; /* NULL while events are paired as they are read */
    /* The current part. */
    pfr_place place; /* its part is TACHO_NONE between parts */
    tacho_clock clock;
    bool is_own; /* tacho wrote it */
    bool has_rows;
    bool has_read_any; /* rows, in any part */
    int64_t latest;    /* ticks */
    int64_t flow_ns;   /* time of the last event with flows */
    uint64_t held_count;
    pfr_arrow *arrows;
    size_t arrow_count, arrow_capacity;
    uint64_t last_arrow; /* number of the arrow that left last */
    tacho_index arrow_index;
    /* Losses from before the first part. */
    uint64_t early_losses[TACHO_LOSS_REASON_COUNT];
    uint64_t early_offsets[TACHO_LOSS_REASON_COUNT];
    /* A held event on its way into or out of the spool. */
    tacho_arg *held_args;
    size_t held_arg_capacity;
    pfr_flow *held_flows;
    size_t held_flow_capacity;
};

tacho_status pfr_pairing_init(pfr_pairing *pairing, const tacho_reading *reading,
                              pfr_tracks *tracks, pfr_clocks *clocks) TACHO_MUST_USE;
void pfr_pairing_deinit(pfr_pairing *pairing);

/* The events that follow belong to |place|, a part whose clock is in the dictionary. */
tacho_status pfr_pairing_begin_part(pfr_pairing *pairing, const pfr_place *place,
                                    bool is_own) TACHO_MUST_USE;

tacho_status pfr_pairing_add(pfr_pairing *pairing, const pfr_event *event) TACHO_MUST_USE;

/* Ends the part: pairs held events and ends open spans. */
tacho_status pfr_pairing_end_part(pfr_pairing *pairing) TACHO_MUST_USE;

/* Counts a loss in the current part; |offset| is that of the packet. */
tacho_status pfr_pairing_lose(pfr_pairing *pairing, tacho_loss_reason reason,
                              uint64_t offset) TACHO_MUST_USE;

#endif
