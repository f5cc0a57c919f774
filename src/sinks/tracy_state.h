/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the writer of .tracy files. Names, and the number of zones of each place, precede the
 * zones in the file, and zones store the number of zones inside, so rows are spooled by track until
 * all are known. Memory grows with names, texts and messages, not with zones.
 */
#ifndef TACHO_SINKS_TRACY_STATE_H
#define TACHO_SINKS_TRACY_STATE_H

#include "base/number_map.h"
#include "codec/tracy_pack.h"
#include "profile/tracy_rows.h"
#include "sinks/args_text.h"
#include "sinks/trace_sink.h"
#include "sinks/tracy_spool.h"

/* Zones refer to their place by 16 bits: above 0 for static ones, below for the others. */
enum {
    TRACY_STATIC_MAX = 32766,
    TRACY_PLACE_MAX = 65533,
    TRACY_TEXT_MAX = (1 << 24) - 2,
    TRACY_THREAD_MAX = (1 << 16) - 2,
};

/* Times are stored in 48 bits: 39 hours. */
#define TRACY_TIME_MAX ((INT64_C(1) << 47) - 1)

/* A source location. Strings are those of |texts|, 0 for none. */
typedef struct tracy_place {
    uint32_t name, function, file, line, color;
    uint64_t zone_count, device_count;
} tracy_place;

/* Data of a zone besides its place. */
typedef struct tracy_extra {
    uint32_t text, name;
} tracy_extra;

/* A zone, spooled. */
typedef struct tracy_zone {
    int64_t start, end; /* ns */
    uint32_t children;
    uint32_t extra;
    int32_t place; /* index of |places| */
    uint32_t is_unended;
} tracy_zone;

/* A sample or a frame, spooled: time and bits of the value of a sample, both ends of a frame. */
typedef struct tracy_pair {
    int64_t time;
    int64_t value;
} tracy_pair;

/* A zone that may still contain others. */
typedef struct tracy_open {
    int64_t end;
    uint64_t at; /* of its record */
    uint32_t children;
} tracy_open;

/* A track of the profile, and its data in the file. */
typedef struct tracy_track {
    tracy_stream zones;
    tracy_open *stack;
    size_t depth, stack_capacity;
    uint64_t zone_count, root_count, parent_count;
    uint64_t message_count;
    bool is_device; /* its zones are a device's */
    tracy_stream pairs;
    uint64_t frame_count, sample_count;
    bool has_gaps;        /* frames are not contiguous */
    int64_t last_end;     /* of its frames */
    double min, max, sum; /* of its samples */
    /* Set at the end: */
    uint64_t tid;
    uint32_t thread; /* number in the file; 0: none */
    uint32_t name;   /* text */
    bool is_fiber;
} tracy_track;

typedef struct tracy_message {
    int64_t time;
    uint64_t order;
    uint32_t track;
    uint32_t text;
    uint32_t color; /* 0xRRGGBB, 0 for none */
} tracy_message;

/* A context of a device: the lanes of a core, or one track. */
typedef struct tracy_context {
    uint32_t name; /* text */
    uint8_t type;
    bool has_lanes;
    size_t first_lane, lane_count;
    uint64_t zone_count;
} tracy_context;

/* A track as a lane of a context. */
typedef struct tracy_lane {
    uint64_t lane;
    uint32_t context;
    uint32_t track;
} tracy_lane;

typedef struct tracy_sink {
    tacho_events events;
    tacho_output *output;
    tacho_trace_options options;
    tracy_spool spool;
    tacho_strings texts; /* of the file; their number is their index */
    bool has_texts;
    tracy_track *tracks; /* by track of the profile */
    size_t track_count, track_capacity;
    tracy_place *places; /* the first is for those without a number */
    size_t place_count, place_capacity;
    tacho_number_map variant_map; /* function and colour: number + 1 */
    tacho_number_map title_map;   /* name and location of a place: number */
    tacho_number_map place_map;   /* site or title, and variant: place */
    tracy_extra *extras;
    size_t extra_count, extra_capacity;
    tacho_number_map extra_map;
    tracy_message *messages;
    size_t message_count, message_capacity;
    tracy_context *contexts;
    size_t context_count, context_capacity;
    tracy_lane *lanes;
    size_t lane_count, lane_capacity;
    uint32_t *infos; /* texts: about the profile */
    size_t info_count, info_capacity;
    tacho_args_text args;
    tacho_arg *kept; /* arguments written as text */
    size_t kept_capacity;
    uint32_t key_text, key_function, key_color, key_place;
    int64_t last_time;
    tracy_message crash; /* |text| is TACHO_NONE without a crash */
    tacho_tracy_pack pack;
} tracy_sink;

/* The number of a text. */
tacho_status tracy_ensure_text(tracy_sink *sink, tacho_str text, uint32_t *out_text) TACHO_MUST_USE;

/* Data of a row besides name and times. */
typedef struct tracy_said {
    uint32_t function; /* text */
    uint32_t place;    /* text: name of the place, if the zone has another name; or 0 */
    uint32_t color;
    tacho_str text; /* valid until the next row */
} tracy_said;
tacho_status tracy_say(tracy_sink *sink, const tacho_row *row, tracy_said *out_said) TACHO_MUST_USE;

/* Finds the place of a row; data without a place number is in |out_extra|, 0 for none. */
tacho_status tracy_ensure_place(tracy_sink *sink, const tacho_row *row, const tracy_said *said,
                                tracy_zone *out_zone) TACHO_MUST_USE;

/* Names and numbers of threads, plots, frames and devices. */
tacho_status tracy_name_tracks(tracy_sink *sink) TACHO_MUST_USE;

/* Collects the facts of the trace about itself. */
tacho_status tracy_note_infos(tracy_sink *sink) TACHO_MUST_USE;

/* The whole file. */
tacho_status tracy_write_file(tracy_sink *sink) TACHO_MUST_USE;

/* Zones of a track as a timeline. */
tacho_status tracy_write_timeline(tracy_sink *sink, const tracy_track *track,
                                  bool is_device) TACHO_MUST_USE;

/* The origin of all parts; UNKNOWN if they differ. */
tacho_origin tracy_common_origin(const tacho_dict *dict);

/* 0xBBGGRR of 0xRRGGBB. */
static inline uint32_t tracy_stored_color(uint32_t color)
{
    return (color & 0xff) << 16 | (color & 0xff00) | (color >> 16 & 0xff);
}

/* The number by which zones refer to a place. */
static inline int16_t tracy_place_number(size_t place)
{
    return (int16_t)(place < TRACY_STATIC_MAX ? (int32_t)place + 1
                                              : TRACY_STATIC_MAX - (int32_t)place - 1);
}

#endif
