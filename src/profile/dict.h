/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary: everything of a profile that rows refer to by 32-bit id. It is in memory
 * always, in streaming conversions too; its size follows the number of distinct names, sites
 * and tracks, not the number of events.
 *
 * Sources fill it, filters and sinks read it. Ids count from 0 in order of first appearance;
 * TACHO_NONE means absent.
 */
#ifndef TACHO_PROFILE_DICT_H
#define TACHO_PROFILE_DICT_H

#include "base/strings.h"
#include "profile/clock.h"
#include "profile/vocabulary.h"

/* One input of a profile: a file, with its own time axis unless aligned. */
typedef struct tacho_part {
    uint32_t name;       /* string: its name for people, unique in the profile */
    uint32_t path;       /* string: the file that was read, as the user wrote it */
    uint32_t source;     /* string: the path that a capture was made from; else |path| */
    uint32_t format;     /* string: the source's name, e.g. "torq-timeline" */
    uint32_t generation; /* string: which version of the format, e.g. "T1" */
    uint32_t clock;      /* the clock whose zero is this part's zero */
    uint32_t root;       /* its group track */
    tacho_origin origin;
    uint32_t covered_classes; /* as in tacho_part_facts */
    int64_t first_start;      /* first start that the source has read, -1 when unknown */
    bool is_aside;            /* was put beside others in one file, with a zero of its own */
    bool keeps_order;         /* spans of equal extent nest in the order of the input */
    bool has_flows_around;    /* flow ends that find their span by time; set by profile/order,
                               or by a source that knows of them ahead */
    uint64_t row_count;       /* rows read; counted by profile/order */
    uint64_t left_out_count;  /* rows among them that profile/select did not let through */
} tacho_part;

/* The numbers of processes and threads that tracks have are below this and not negative. */
#define TACHO_TRACK_NUMBER_END (INT64_C(1) << 48)

typedef enum tacho_nesting {
    TACHO_NESTING_STACK,  /* spans nest like calls */
    TACHO_NESTING_ENGINE, /* one thing at a time; an overlap opens a lane */
} tacho_nesting;

typedef struct tacho_track {
    uint32_t name;   /* string */
    uint32_t parent; /* track, TACHO_NONE for a root */
    uint32_t part;
    uint32_t clock;
    uint32_t index;   /* number among its class: slice 1, core 3 */
    uint32_t lane_of; /* the track this is an overflow lane of, or TACHO_NONE */
    int32_t rank;     /* place among its siblings */
    tacho_track_class track_class;
    tacho_nesting nesting;
    tacho_unit unit;     /* of a counter's samples */
    int64_t number;      /* that of the operating system: a group's process, a track's thread */
    bool has_number;     /* the input contains it ... */
    bool is_numbered;    /* ... and the name holds it, at its end or ahead of " [" */
    bool is_free;        /* not a thread: its spans may overlap, and it may have child tracks */
    bool is_provisional; /* name, class and rank may still change, until its part ends */
} tacho_track;

/*
 * The place of a track among its siblings: by core, then the way that data takes (host, control,
 * DMA in, compute, DMA out), then |index|.
 */
int32_t tacho_track_rank(uint32_t core, tacho_track_class track_class, uint32_t index);

/* A place in the user's model. */
typedef struct tacho_location {
    uint32_t text; /* string: exactly as the input gives it */
    uint32_t file; /* string, 0 when the text names no file */
    uint32_t line; /* 0 when unknown */
    uint32_t column;
} tacho_location;

/* Properties that many spans share: interned once, referred to by each of the spans. */
typedef struct tacho_site {
    uint32_t name;     /* string */
    uint32_t category; /* string, empty where there is none */
    uint32_t location; /* location or TACHO_NONE */
} tacho_site;

/* The category of a site, TACHO_NONE where there is none. */
static inline uint32_t tacho_site_category(const tacho_site *site)
{
    return site->category != 0 ? site->category : TACHO_NONE;
}

/* One execution: of a program, a dispatch, an inference. Spans refer to the one they belong to. */
typedef struct tacho_run {
    uint32_t part;
    uint32_t name;      /* string: name of the program, dispatch or inference */
    int64_t invocation; /* number that the input gives this execution, -1 when it gives none */
} tacho_run;

/* A fact about the whole profile, for people and later tools: "filtered.window" -> "12". */
typedef struct tacho_metadata {
    uint32_t key;   /* string */
    uint32_t value; /* string */
} tacho_metadata;

/* Counts of losses stop here, so that their sums fit. */
#define TACHO_LOSS_MAX (UINT64_C(1) << 40)

/* Records of an input that are not in the profile. Every sink writes them, every report too. */
typedef struct tacho_loss {
    uint32_t part;
    tacho_loss_reason reason;
    uint64_t count;
    uint64_t first_line; /* line of the first one; 0 when the format has no lines */
    uint32_t example;    /* string: how the first one begins, 0 for none */
} tacho_loss;

typedef struct tacho_dict {
    tacho_strings strings;
    tacho_index site_index; /* of sites that are not the first of their name */
    tacho_index location_index;
    tacho_index track_index;
    tacho_clock *clocks;
    size_t clock_count, clock_capacity;
    tacho_part *parts;
    size_t part_count, part_capacity;
    tacho_track *tracks;
    size_t track_count, track_capacity;
    tacho_location *locations;
    size_t location_count, location_capacity;
    tacho_site *sites;
    size_t site_count, site_capacity;
    /*
     * By name: its first site, TACHO_NONE where there is none. Most names have one site, and where
     * each name is new, names and sites are in the same order.
     */
    uint32_t *first_sites;
    size_t first_site_count, first_site_capacity;
    tacho_run *runs;
    size_t run_count, run_capacity;
    tacho_metadata *metadata;
    size_t metadata_count, metadata_capacity;
    tacho_loss *losses;
    size_t loss_count, loss_capacity;
    uint64_t unplaced_count; /* rows that the sink's format has no place for, once it is finished */
    tacho_str part_name;     /* name of the next part; empty: after its path */
    bool hides_names;        /* rows of some names are left out: a gap need not be idle time */
} tacho_dict;

tacho_status tacho_dict_init(tacho_dict *dict) TACHO_MUST_USE;
void tacho_dict_deinit(tacho_dict *dict);

/* The id of |text|. */
tacho_status tacho_dict_ensure_string(tacho_dict *dict, tacho_str text,
                                      uint32_t *out_id) TACHO_MUST_USE;

static inline tacho_str tacho_dict_string(const tacho_dict *dict, uint32_t id)
{
    return tacho_strings_get(&dict->strings, id);
}

tacho_status tacho_dict_add_clock(tacho_dict *dict, const tacho_clock *clock, tacho_str name,
                                  uint32_t *out_id) TACHO_MUST_USE;

/* The source's description of the file that it is about to read. */
typedef struct tacho_part_facts {
    tacho_str path;
    tacho_str name; /* the part's name in the file; empty: by its path */
    tacho_str format;
    tacho_str generation;
    tacho_origin origin;
    uint32_t clock;
    /* TACHO_TRACK_BITs of what the input would show had there been any: none is then zero. */
    uint32_t covered_classes;
    bool keeps_order; /* spans of equal extent nest in the order of the input */
} tacho_part_facts;

/*
 * Opens a part and its root track. It is called by dict->part_name, else by its name in |facts|,
 * else by the path's last component; a number makes the name unique, so that the same file twice
 * gives two processes.
 */
tacho_status tacho_dict_add_part(tacho_dict *dict, const tacho_part_facts *facts,
                                 uint32_t *out_id) TACHO_MUST_USE;

bool tacho_dict_has_part_named(const tacho_dict *dict, tacho_str name);

/*
 * The track with this name under |facts->parent|, a counter if |facts| are of one; made from
 * |facts| if there is none. A negative rank stands for that of tacho_track_rank, of core 0.
 */
tacho_status tacho_dict_ensure_track(tacho_dict *dict, const tacho_track *facts, tacho_str name,
                                     uint32_t *out_id) TACHO_MUST_USE;

/*
 * The counter, or the track of anything else, of that name, a string, under |parent|; TACHO_NONE
 * when there is none. A counter and a thread of one name are two tracks.
 */
uint32_t tacho_dict_find_track(const tacho_dict *dict, uint32_t parent, uint32_t name,
                               bool is_counter);

/* Adds a track without looking for an equal one: for lanes. */
tacho_status tacho_dict_add_track(tacho_dict *dict, const tacho_track *track,
                                  uint32_t *out_id) TACHO_MUST_USE;

tacho_status tacho_dict_ensure_location(tacho_dict *dict, const tacho_location *location,
                                        uint32_t *out_id) TACHO_MUST_USE;

tacho_status tacho_dict_ensure_site(tacho_dict *dict, const tacho_site *site,
                                    uint32_t *out_id) TACHO_MUST_USE;

tacho_status tacho_dict_add_run(tacho_dict *dict, const tacho_run *run,
                                uint32_t *out_id) TACHO_MUST_USE;

/* Counts |loss->count| more records lost in a part for a reason; the first line is kept. */
tacho_status tacho_dict_add_loss(tacho_dict *dict, const tacho_loss *loss) TACHO_MUST_USE;

/* Whether the part has lost records for that reason before. */
bool tacho_dict_has_loss(const tacho_dict *dict, const tacho_loss *loss);

/* Records a fact; a sink writes them all. */
tacho_status tacho_dict_add_metadata(tacho_dict *dict, const char *key,
                                     tacho_str value) TACHO_MUST_USE;
tacho_status tacho_dict_add_metadata_count(tacho_dict *dict, const char *key,
                                           uint64_t value) TACHO_MUST_USE;

/* The name of a track; of a lane that of its track, which may have been renamed since. */
static inline uint32_t tacho_dict_track_name(const tacho_dict *dict, uint32_t track)
{
    uint32_t lane_of = dict->tracks[track].lane_of;
    return dict->tracks[lane_of == TACHO_NONE ? track : lane_of].name;
}

/* The group that |track| is shown in: the nearest at or above it. */
static inline uint32_t tacho_dict_track_group(const tacho_dict *dict, uint32_t track)
{
    while (dict->tracks[track].track_class != TACHO_TRACK_GROUP) {
        track = dict->tracks[track].parent;
    }
    return track;
}

static inline const tacho_clock *tacho_dict_track_clock(const tacho_dict *dict, uint32_t track)
{
    return &dict->clocks[dict->tracks[track].clock];
}

#endif
