/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns Tracy events into rows, for live captures and for files alike. Zones are spans on the track
 * of their thread, messages are moments there, plots are counters, devices have a track for each of
 * their lanes.
 */
#ifndef TACHO_PROFILE_TRACY_ROWS_H
#define TACHO_PROFILE_TRACY_ROWS_H

#include "base/number_map.h"
#include "profile/events.h"

/* Categories of spans, and names of arguments. */
#define TACHO_TRACY_CATEGORY_ZONE "zone"
#define TACHO_TRACY_CATEGORY_DEVICE "device zone"
#define TACHO_TRACY_CATEGORY_MESSAGE "message"
#define TACHO_TRACY_CATEGORY_FRAME "frame"
#define TACHO_TRACY_CATEGORY_LOCK "lock"
#define TACHO_TRACY_ARG_TEXT "text"
#define TACHO_TRACY_ARG_FUNCTION "function"
#define TACHO_TRACY_ARG_COLOR "color"
#define TACHO_TRACY_ARG_THREAD "thread"
#define TACHO_TRACY_ARG_PLACE "place"

/* How the text about the host begins in files that tacho writes; the name of an origin follows. */
#define TACHO_TRACY_WRITTEN_BY "Written by tacho\nOrigin: "

enum { TACHO_TRACY_NO_COLOR = 0 };

typedef struct tacho_tracy_rows {
    tacho_events *events;
    uint32_t part;
    uint32_t group; /* track: the process */
    uint32_t key_text, key_function, key_color, key_thread, key_place;
    uint32_t zone, device_zone, frame, lock; /* strings: categories */
    uint32_t message_site, crash_site, frame_site, wait_site, held_site;
    int64_t first_ns;      /* times before it are moved there */
    uint64_t row_count;    /* pushed */
    uint64_t early_count;  /* spans that end before |first_ns|, left out */
    tacho_number_map runs; /* of ops of tt-metal, by their ids */
} tacho_tracy_rows;

/* |group| is the track of the process, TACHO_NONE for the part's own. Call deinit even if init
 * failed. */
tacho_status tacho_tracy_rows_init(tacho_tracy_rows *rows, tacho_events *events, uint32_t part,
                                   uint32_t group) TACHO_MUST_USE;
void tacho_tracy_rows_deinit(tacho_tracy_rows *rows);

/*
 * Ops of tt-metal. A message names one and gives it an id; zones of devices name the id as their
 * function ("OP ID:1024"), those of the host in their text ("id:1024"). All of these are one run,
 * called after the op.
 */
tacho_status tacho_tracy_rows_note_op(tacho_tracy_rows *rows, tacho_str message) TACHO_MUST_USE;

/* A place in a program. */
typedef struct tacho_tracy_place {
    uint32_t name, function, file; /* strings, 0 for none */
    uint32_t line;
    uint32_t color; /* 0xRRGGBB */
} tacho_tracy_place;

/* The site of a zone: its name is |name|, or the place's name, or its function. */
tacho_status tacho_tracy_rows_site(tacho_tracy_rows *rows, const tacho_tracy_place *place,
                                   uint32_t name, uint32_t category,
                                   uint32_t *out_site) TACHO_MUST_USE;

/* The name, a string, of zones of |place| that have no name of their own. */
static inline uint32_t tacho_tracy_place_title(const tacho_tracy_place *place)
{
    return place->name != 0 ? place->name : place->function;
}

/* A zone, of a thread or a device. */
typedef struct tacho_tracy_span {
    uint32_t track;
    uint32_t site;
    int64_t start, end; /* ns */
    uint32_t flags;
    uint32_t function; /* string; 0 where it adds nothing to the name */
    uint32_t place;    /* string: the name of its place, where the zone has another name; or 0 */
    uint32_t color;
    tacho_str text;
} tacho_tracy_span;

tacho_status tacho_tracy_rows_span(tacho_tracy_rows *rows,
                                   const tacho_tracy_span *span) TACHO_MUST_USE;

/* A message of a thread; |site| is rows->message_site, or another moment's. */
typedef struct tacho_tracy_moment {
    uint32_t track;
    uint32_t site;
    int64_t time;
    uint32_t color;
    tacho_str text;
} tacho_tracy_moment;

tacho_status tacho_tracy_rows_moment(tacho_tracy_rows *rows,
                                     const tacho_tracy_moment *moment) TACHO_MUST_USE;

/* A span of a lock for a thread: waiting for it, or holding it. */
tacho_status tacho_tracy_rows_lock(tacho_tracy_rows *rows, const tacho_tracy_span *span,
                                   uint64_t thread) TACHO_MUST_USE;

/* A sample; false where its value or time cannot be one. */
tacho_status tacho_tracy_rows_sample(tacho_tracy_rows *rows, uint32_t track, int64_t time,
                                     double value, bool *out_is_good) TACHO_MUST_USE;

/* A track of the process whose name may still be unknown; rename when it is. */
typedef struct tacho_tracy_track {
    tacho_track_class track_class;
    tacho_nesting nesting;
    tacho_unit unit;
    int64_t number;      /* of the thread; -1: none */
    bool is_provisional; /* may be renamed */
} tacho_tracy_track;

tacho_status tacho_tracy_rows_track(tacho_tracy_rows *rows, const tacho_tracy_track *facts,
                                    tacho_str name, uint32_t *out_track) TACHO_MUST_USE;
tacho_status tacho_tracy_rows_rename(tacho_tracy_rows *rows, uint32_t track,
                                     tacho_str name) TACHO_MUST_USE;

/* The track of a thread: "name 1234". */
tacho_status tacho_tracy_rows_thread(tacho_tracy_rows *rows, tacho_str name, uint64_t tid,
                                     uint32_t *out_track) TACHO_MUST_USE;
tacho_status tacho_tracy_rows_rename_thread(tacho_tracy_rows *rows, uint32_t track, tacho_str name,
                                            uint64_t tid) TACHO_MUST_USE;

/* A context of a device. */
typedef struct tacho_tracy_device {
    tacho_str name;      /* as it was given; empty: none */
    uint8_t type;        /* Tracy's number */
    uint32_t number;     /* of the context */
    bool is_tenstorrent; /* its lanes are processors of a core */
    bool has_lanes;      /* zones carry the lane they belong to */
} tacho_tracy_device;

/* Whether the name is that of a Tenstorrent device: "Device: 0, Core (1,2)", "Device 0:". */
bool tacho_tracy_is_tenstorrent(tacho_str name);

/* The track of a lane of a device; |lane| is the thread that its zones name. */
tacho_status tacho_tracy_rows_lane(tacho_tracy_rows *rows, const tacho_tracy_device *device,
                                   uint64_t lane, uint32_t *out_track) TACHO_MUST_USE;

/* "Vulkan", where the number is one that all versions use for it. */
const char *tacho_tracy_device_kind(uint8_t type);

/* The text of a zone that was given a number, as Tracy of that protocol shows it. */
int tacho_tracy_format_value(char *to, size_t size, uint64_t value, bool has_hex);

#endif
