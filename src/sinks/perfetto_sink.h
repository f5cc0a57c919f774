/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of a Perfetto sink between rows: open spans, flows that wait for their span, spans held
 * back for flows, facts of tracks. perfetto.c handles all rows, perfetto_plain.c only the most
 * common ones.
 */
#ifndef TACHO_SINKS_PERFETTO_SINK_H
#define TACHO_SINKS_PERFETTO_SINK_H

#include "sinks/perfetto_ends.h"
#include "sinks/perfetto_writer.h"

enum {
    PF_EVENT_OVERHEAD = 80 + PF_SITE_BYTES_MAX, /* tags, lengths and numbers, arguments aside */
    PF_PLAIN_ROOM = 4096,                       /* enough for nearly all events with arguments */
    PF_FRAME_BYTES = 16,
    PF_FRAME_HEAD = 4, /* fields of the packet: sequence and flags */
    PF_FRAME_BODY = 6, /* offset of the event's body in a frame */
    PF_FRAME_TYPE = 7, /* offset of its type */
};

/* Data of an open span that is not plain: flows may follow for it, or it has ticks. */
typedef struct pf_open_span {
    int64_t end_ticks; /* extra ones: tacho_clock_extra_ticks */
    uint32_t parent;   /* the enclosing one on its track, or TACHO_NONE */
    uint32_t flows;    /* list of flows for its END */
} pf_open_span;

/* Lists of flow ids, chained by index. */
typedef struct pf_flow_node {
    uint64_t id;
    uint32_t next;
} pf_flow_node;

/* A span whose BEGIN waits for flows of its time. */
typedef struct pf_held_span {
    unsigned char *fields; /* of its event after the frame, without flows */
    size_t field_len, field_capacity;
    uint32_t track;
    bool is_instant;
    int64_t start_ticks; /* extra ones */
    int64_t end_ns, end_ticks;
    uint32_t before; /* the previous one on its track, or TACHO_NONE */
    uint32_t flows;
} pf_held_span;

typedef struct pf_track_state {
    uint32_t top;     /* innermost open span that is not plain */
    uint32_t pending; /* flows for the next BEGIN */
    uint32_t held;    /* the last span held, valid while |held_round| is the sink's */
    uint64_t held_round;
    uint64_t leaving_round; /* when a held span last got an arrow that leaves */
    /* Facts of the track, which are final from its first event on. */
    bool has_facts;
    bool holds_spans; /* flows may follow that are bound to the enclosing span */
    tacho_clock clock;
    /*
     * Bytes after the time in every event of the track: sequence and flags of the packet, then tag,
     * length and type of the event, to be set, and the track's id.
     */
    unsigned char frame[PF_FRAME_BYTES];
    unsigned char begin_frame[PF_FRAME_BYTES]; /* likewise, of a BEGIN */
    unsigned char end_frame[PF_FRAME_BYTES];   /* likewise, of an END without other fields */
    size_t frame_len;
    /* In this epoch only time and site matter for a span of the track. */
    uint32_t plain_epoch;
} pf_track_state;

typedef struct perfetto_sink {
    tacho_events events;
    pf_writer writer;
    pf_open_span *spans; /* slots; free ones chained by parent */
    size_t span_count, span_capacity;
    uint32_t free_span;
    pf_ends ends; /* of open spans */
    pf_flow_node *flows;
    size_t flow_count, flow_capacity;
    uint32_t free_flow;
    pf_track_state *tracks;
    size_t track_count, track_capacity;
    pf_held_span *held; /* all start at |held_ns| */
    size_t held_count, held_capacity, held_slots;
    int64_t held_ns;
    uint64_t held_round; /* counts releases, from 1 */
} perfetto_sink;

/* Writes |rows| up to the first that is not a plain span; |*out_done| is their number. */
tacho_status pf_put_plain_spans(perfetto_sink *sink, const tacho_row *rows, size_t count,
                                size_t *out_done) TACHO_MUST_USE;

#endif
