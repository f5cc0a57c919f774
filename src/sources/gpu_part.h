/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers of vendors' GPU profiles share: one part in nanoseconds with processes and their
 * threads, devices and their queues, and arrows from calls to the work that they launched.
 */
#ifndef TACHO_SOURCES_GPU_PART_H
#define TACHO_SOURCES_GPU_PART_H

#include "base/index.h"
#include "base/number_map.h"
#include "sources/source.h"

enum { GPU_PART_ARGS = 24, GPU_PART_NAME_BYTES = 512, GPU_PART_PAGE_WORDS = 64 };

/* Identifies a track by the vendor's numbers; |kind| is the reader's own. */
typedef struct gpu_track_key {
    uint64_t kind, a, b, c;
} gpu_track_key;

typedef struct gpu_part_track {
    gpu_track_key key;
    uint32_t track;
} gpu_part_track;

typedef struct gpu_part {
    tacho_events *events;
    tacho_dict *dict;
    uint32_t part, clock, root;
    int64_t max_ticks;
    bool has_args;     /* arguments are wanted that are not summed */
    bool has_launches; /* numbers of launches are wanted */
    tacho_index track_index;
    gpu_part_track *tracks;
    size_t track_count, track_capacity;
    size_t last_track;            /* the last one looked up */
    tacho_number_map process_ids; /* process to its place, which is in the ids of flows */
    tacho_number_map call_pages;  /* bits of the ids of calls, a page for ids that are close */
    uint64_t (*call_bits)[GPU_PART_PAGE_WORDS];
    size_t call_page_count, call_page_capacity;
    tacho_arg args[GPU_PART_ARGS];
    size_t arg_count;
    uint64_t line;      /* of the row that is being read, 0 in a format without lines */
    uint64_t row_count; /* rows pushed */
} gpu_part;

typedef struct gpu_part_facts {
    const char *format;
    tacho_str generation;
    uint32_t covered_classes;
} gpu_part_facts;

/* Adds the clock and the part. Call deinit even if init failed. */
tacho_status gpu_part_init(gpu_part *part, const tacho_reading *reading,
                           const gpu_part_facts *facts) TACHO_MUST_USE;
void gpu_part_deinit(gpu_part *part);

/* The track of |key|, TACHO_NONE where there is none yet. */
uint32_t gpu_part_find_track(gpu_part *part, gpu_track_key key);

/*
 * Makes the track of |key| from |facts|, whose part and clock are set here; TACHO_NONE as parent is
 * the part's root. A name that its parent has already gets |other| and, if need be, a number.
 */
typedef struct gpu_part_name {
    tacho_str name, other;
} gpu_part_name;
tacho_status gpu_part_add_track(gpu_part *part, gpu_track_key key, tacho_track facts,
                                gpu_part_name name, uint32_t *out_track) TACHO_MUST_USE;

/* Counts a record that is not in the profile; |example| may be empty. */
tacho_status gpu_part_lose(gpu_part *part, tacho_loss_reason reason, uint64_t count,
                           tacho_str example) TACHO_MUST_USE;

/* Arguments of the next span; those without effect on sums are left out when nobody wants them. */
void gpu_part_add_number(gpu_part *part, uint32_t key, tacho_unit unit, int64_t value);
void gpu_part_add_string(gpu_part *part, uint32_t key, uint32_t string);
void gpu_part_add_real(gpu_part *part, uint32_t key, double value);

/* The number that a call and its work share, in a format that has them in any order. */
void gpu_part_add_launch(gpu_part *part, uint32_t key, int64_t number);

/* "4x2x1" of three numbers. */
tacho_status gpu_part_add_sizes(gpu_part *part, uint32_t key,
                                const int64_t sizes[3]) TACHO_MUST_USE;

/* A launch: which call belongs to which work. */
typedef struct gpu_part_launch {
    uint64_t process; /* calls of other processes have numbers of their own */
    uint64_t number;  /* 0: none */
    bool is_call;     /* of the host, where the arrow begins */
} gpu_part_launch;

typedef struct gpu_part_span {
    uint32_t track, name, category; /* the latter two are strings */
    int64_t start, end;
    uint32_t flags;
    gpu_part_launch launch;
} gpu_part_span;

/* Work without a call has no arrow: notes the calls that there are, before any work is pushed. */
tacho_status gpu_part_note_call(gpu_part *part, const gpu_part_launch *launch) TACHO_MUST_USE;

/* Pushes a span with the arguments added since the last one, and the end of its arrow. */
tacho_status gpu_part_push(gpu_part *part, const gpu_part_span *span) TACHO_MUST_USE;

tacho_status gpu_part_push_sample(gpu_part *part, uint32_t track, int64_t time,
                                  double value) TACHO_MUST_USE;

/*
 * Ends the part of a text format: counts |damage| of the input, NULL for none, as lost, and fails
 * if there are no rows.
 */
tacho_status gpu_part_finish(gpu_part *part, const tacho_input *input,
                             const char *damage) TACHO_MUST_USE;

/* Shortcut for the dictionary. */
static inline tacho_status gpu_part_string(gpu_part *part, const char *text, uint32_t *out_string)
{
    return tacho_dict_ensure_string(part->dict, tacho_str_from_cstring(text), out_string);
}

#endif
