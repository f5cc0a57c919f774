/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts of traces from Torq's own tools. The use of tracks has changed from one tool to the next,
 * and some traces show only at the end whether they are a run or an estimate.
 *
 *     today   groups; engines in "NPU Task Breakdown" for an estimate, "Used" ones for a run
 *     before  processes whose threads are the engines
 *
 * A process counts as Torq's only if all of its threads do: others may have a thread "CSS", too.
 */
#ifndef TACHO_SOURCES_PERFETTO_LAYOUT_H
#define TACHO_SOURCES_PERFETTO_LAYOUT_H

#include "sources/perfetto/tracks.h"

/* Whether the meaning of |track| may depend on tracks described after it. */
bool pfr_layout_concerns(const pfr_tracks *tracks, const pfr_track *track);

/*
 * Finds the layout once all tracks are described: marks processes and threads of older ones in
 * |tracks|. |*out_origin| receives the origin of all events, UNKNOWN when the tracks do not
 * determine it.
 */
void pfr_layout_find(pfr_tracks *tracks, tacho_origin *out_origin);

/*
 * The class and index of the track |name| of a Torq |group| in this trace; false for other tracks.
 */
bool pfr_layout_track(const pfr_tracks *tracks, tacho_str group, tacho_str name,
                      tacho_track *facts);

#endif
