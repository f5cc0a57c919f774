/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State shared by the reader of .tracy files. Sections have one fixed order, with names ahead of
 * their users, so rows are pushed as they are read, and memory grows with names, threads and
 * messages, not with zones.
 */
#ifndef TACHO_SOURCES_TRACY_FILE_H
#define TACHO_SOURCES_TRACY_FILE_H

#include "base/number_map.h"
#include "profile/tracy_rows.h"
#include "sources/source.h"
#include "sources/tracy/tracy_bytes.h"

#define TRACY_VERSION(major, minor, patch)                                                         \
    ((uint32_t)(major) << 16 | (uint32_t)(minor) << 8 | (uint32_t)(patch))

enum { TRACY_PLACES = 1 << 16, TRACY_DEPTH_MAX = 1 << 20 };

/* A source location, and the sites made from it. */
typedef struct tracy_place {
    tacho_tracy_place place;
    uint32_t site, device_site; /* TACHO_NONE: not made yet */
} tracy_place;

/* Extra data of a zone. */
typedef struct tracy_extra {
    uint32_t text, name; /* strings, 0 for none */
    uint32_t color;
} tracy_extra;

typedef struct tracy_message {
    int64_t time;
    uint32_t text; /* string */
    uint32_t color;
} tracy_message;

typedef struct tracy_crash {
    uint64_t thread, message;
    int64_t time;
} tracy_crash;

/* A track without a name yet. */
typedef struct tracy_unnamed {
    uint32_t track;
    uint64_t key;
} tracy_unnamed;

typedef struct tracy_file {
    const tacho_reading *reading;
    tacho_dict *dict;
    tacho_tracy_container container;
    tracy_bytes bytes;
    uint32_t version;
    bool is_fork; /* devices have markers, which only the fork writes */
    tacho_tracy_rows rows;
    int64_t last_time;
    uint64_t pid;
    tracy_crash crash;
    uint32_t *texts; /* by index: strings of the dictionary */
    size_t text_count, text_capacity;
    tacho_number_map text_map;   /* by address: of the texts */
    tacho_number_map name_map;   /* by address: strings */
    tacho_number_map thread_map; /* names of threads: strings */
    tacho_number_map place_map;  /* static places: index of |places| */
    tracy_place *places;
    size_t place_count, place_capacity;
    uint32_t *expand; /* static places by number */
    size_t expand_count, expand_capacity;
    size_t dynamic_first; /* of |places| */
    uint64_t *threads;    /* by number */
    size_t thread_count, thread_capacity;
    tracy_extra *extras;
    size_t extra_count, extra_capacity;
    tracy_message *messages;
    size_t message_count, message_capacity;
    tacho_number_map message_map; /* by key */
    tracy_unnamed *frames;        /* sets of them */
    size_t frame_count, frame_capacity;
    uint64_t bad_count; /* rows with an invalid time or place */
    uint64_t placed_messages;
} tracy_file;

/* The text of index + 1, 0 for none: a string. */
uint32_t tracy_text_at(const tracy_file *file, uint32_t index);

/* The string of a key. */
uint32_t tracy_find_name(const tracy_file *file, uint64_t key);

/* The text of a reference: a string, 0 for none. */
uint32_t tracy_read_ref(tracy_file *file);

/* The place of a zone's number; NULL if it does not exist. */
tracy_place *tracy_find_place(tracy_file *file, int16_t number);

/* Reads everything up to the zones. */
tacho_status tracy_read_head(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_names(tracy_file *file) TACHO_MUST_USE;

/* Frames, locks, messages; then zones; then devices, plots, memory. */
tacho_status tracy_read_frames(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_name_frames(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_locks(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_messages(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_zones(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_devices(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_plots(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_memory(tracy_file *file) TACHO_MUST_USE;
tacho_status tracy_read_app_info(tracy_file *file) TACHO_MUST_USE;

/* The track of a thread. */
tacho_status tracy_thread_track(tracy_file *file, uint64_t tid, bool is_fiber,
                                uint32_t *out_track) TACHO_MUST_USE;

/* 0xRRGGBB of 0xBBGGRR. */
static inline uint32_t tracy_color(uint32_t color)
{
    return (color & 0xff) << 16 | (color & 0xff00) | (color >> 16 & 0xff);
}

#endif
