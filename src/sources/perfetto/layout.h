/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Torq's own tools have drawn: which tracks they use for what has changed from one to the
 * next, and some say only at the end of the trace whether they show a run or an estimate.
 *
 *     today   groups; engines in "NPU Task Breakdown" for an estimate, "Used" ones for a run
 *     before  processes whose threads are the engines
 *
 * A process is one of those only if all of its threads are: others may have a thread "CSS", too.
 */
#ifndef TACHO_SOURCES_PERFETTO_LAYOUT_H
#define TACHO_SOURCES_PERFETTO_LAYOUT_H

#include "sources/perfetto/tracks.h"

/* Whether what |track| shows may depend on tracks that are described behind it. */
bool pfr_layout_concerns(const pfr_tracks *tracks, const pfr_track *track);

/*
 * Finds the layout once all tracks are described: marks processes and threads of older ones in
 * |tracks|. The origin of all events is |*out_origin|, UNKNOWN when the tracks do not tell.
 */
void pfr_layout_find(pfr_tracks *tracks, tacho_origin *out_origin);

/* What the track |name| of a Torq |group| shows in this trace; false when it is none such. */
bool pfr_layout_track(const pfr_tracks *tracks, tacho_str group, tacho_str name,
                      tacho_track *facts);

#endif
