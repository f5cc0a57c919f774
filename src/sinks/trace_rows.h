/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for rows, shared by trace sinks.
 */
#ifndef TACHO_SINKS_TRACE_ROWS_H
#define TACHO_SINKS_TRACE_ROWS_H

#include "sinks/trace_sink.h"

#include <math.h>

/* Whether |part| is beside others, with a zero of its own: here, or where it was captured. */
static inline bool tacho_trace_is_aside(const tacho_trace_options *options, const tacho_part *part)
{
    return options->side_by_side || part->is_aside;
}

/* Nanoseconds of |ticks| on the row's track. */
static inline int64_t tacho_trace_ns(const tacho_dict *dict, const tacho_row *row, int64_t ticks)
{
    return tacho_clock_ns(tacho_dict_track_clock(dict, row->track), ticks);
}

/* The origin of a span that differs from its part's; UNKNOWN otherwise. */
static inline tacho_origin tacho_trace_own_origin(const tacho_dict *dict, const tacho_row *row)
{
    tacho_origin origin = (tacho_origin)(row->of.span.flags & TACHO_SPAN_ORIGIN_MASK);
    return origin == dict->parts[dict->tracks[row->track].part].origin ? TACHO_ORIGIN_UNKNOWN
                                                                       : origin;
}

/* Whether a span has a mark that sinks must not leave out: an origin of its own, a missing end. */
static inline bool tacho_trace_is_marked(const tacho_dict *dict, const tacho_row *row)
{
    return (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ||
           tacho_trace_own_origin(dict, row) != TACHO_ORIGIN_UNKNOWN;
}

/* The word for |value|, which is not finite; JSON has no number for it, and SQL reads one as NULL.
 */
static inline tacho_str tacho_trace_not_finite(double value)
{
    return isnan(value) ? TACHO_STR("NaN")
           : value > 0  ? TACHO_STR("Infinity")
                        : TACHO_STR("-Infinity");
}

/* Whether the value of a sample is finite; others cannot be written and are counted. */
tacho_status tacho_trace_check_sample(tacho_dict *dict, const tacho_row *row,
                                      bool *out_is_good) TACHO_MUST_USE;

/* The number of lost records in all, for sinks that do not list losses. */
uint64_t tacho_trace_lost_count(const tacho_dict *dict);

/*
 * For sinks that write names with every row: fails if the names of the row's track may still
 * change. The caller then tries again with rows held until the end of their part.
 */
tacho_status tacho_trace_check_names(const tacho_dict *dict, const tacho_trace_options *options,
                                     const tacho_row *row) TACHO_MUST_USE;

#endif
