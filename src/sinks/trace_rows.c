/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows that cannot be written, or not yet.
 */
#include "sinks/trace_rows.h"

#include <math.h>

tacho_status tacho_trace_check_sample(tacho_dict *dict, const tacho_row *row, bool *out_is_good)
{
    *out_is_good = isfinite(row->of.sample.value);
    if (*out_is_good) {
        return TACHO_OK;
    }
    tacho_loss loss = {dict->tracks[row->track].part, TACHO_LOSS_NOT_FINITE, 1, 0, 0};
    return tacho_dict_add_loss(dict, &loss);
}

uint64_t tacho_trace_lost_count(const tacho_dict *dict)
{
    uint64_t count = 0;
    for (size_t i = 0; i < dict->loss_count; i++) {
        count += dict->losses[i].count;
    }
    return count;
}

tacho_status tacho_trace_check_names(const tacho_dict *dict, const tacho_trace_options *options,
                                     const tacho_row *row)
{
    if (!options->names_may_change) {
        return TACHO_OK;
    }
    const tacho_track *track = &dict->tracks[row->track];
    const tacho_track *main_track =
        track->lane_of == TACHO_NONE ? track : &dict->tracks[track->lane_of];
    const tacho_track *group = &dict->tracks[tacho_dict_track_group(dict, row->track)];
    return main_track->is_provisional || group->is_provisional
               ? tacho_fail(TACHO_CODE_OUT_OF_ORDER, "a track is named after its first event")
               : TACHO_OK;
}
