/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of the model as short texts that a trace carries for people, and for tacho itself when it
 * reads the trace back: the kind of a track, the rate of a clock.
 *
 *     tacho: compute 1 engine                     a track
 *     tacho: host 0 stack id 3254                 the thread 3254; "lane of 7" follows for a lane
 *     cycles: 1 tick = 5/4 ns (assumed), 0 ns = tick 100
 *     dma_in, compute, vector                     classes of tracks
 */
#ifndef TACHO_PROFILE_FACTS_H
#define TACHO_PROFILE_FACTS_H

#include "profile/dict.h"

enum { TACHO_FACTS_MAX = 192 };

/*
 * Brackets in names of arguments, for Chrome JSON: Perfetto takes the text in [] for an index, and
 * fails to show a span where it is not one. These look the same.
 */
#define TACHO_WIDE_OPEN "\xef\xbc\xbb"
#define TACHO_WIDE_CLOSE "\xef\xbc\xbd"

/* The alignment text of a part whose clock has a fixed zero. */
#define TACHO_ALIGNMENT_FIXED "times as given"

/* Facts of a track, as read from a text. */
typedef struct tacho_track_facts {
    tacho_track_class track_class;
    tacho_nesting nesting;
    uint32_t index;
    bool is_root;    /* of a part */
    bool has_number; /* these as those of the track */
    bool is_numbered;
    bool is_free;
    int64_t number;
    bool has_rank; /* a group's, where the file has another */
    int32_t rank;
    uint64_t lane_of; /* the number that the trace gives the track this is a lane of, or 0 */
} tacho_track_facts;

/* Writes the facts of |track| to |out_text|; |lane_of| is the number in the trace, 0 for none. */
void tacho_track_facts_format(const tacho_track *track, uint64_t lane_of,
                              char out_text[TACHO_FACTS_MAX]);

/* Describes the track, of a part of |format|: a sentence for people in the words of its vendor. */
void tacho_track_describe(const tacho_track *track, tacho_str format,
                          char out_text[TACHO_FACTS_MAX]);

/* Reads such a text; false when it is none. */
bool tacho_track_facts_parse(tacho_str text, tacho_track_facts *out_facts);

void tacho_clock_facts_format(const tacho_dict *dict, const tacho_clock *clock,
                              char out_text[TACHO_FACTS_MAX]);

/* Reads such a text: a clock with its zero, and its name, a view of |text|. */
bool tacho_clock_facts_parse(tacho_str text, tacho_clock *out_clock, tacho_str *out_name);

/* A set of TACHO_TRACK_BITs; of none the text is empty. */
void tacho_classes_facts_format(uint32_t classes, char out_text[TACHO_FACTS_MAX]);

/* Reads such a text; unknown names, of a later version, are skipped. */
uint32_t tacho_classes_facts_parse(tacho_str text);

#endif
