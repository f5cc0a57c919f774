/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks: the length of a tick. Times stay raw ticks throughout; a sink asks for nanoseconds at the
 * very end, for both ends of a span and never for a duration:
 *
 *     ns(ticks) = floor((ticks - zero_ticks) * ns_numerator / ns_denominator)
 *
 * Ticks of input are 0 .. max_ticks, so the result always fits.
 */
#ifndef TACHO_PROFILE_CLOCK_H
#define TACHO_PROFILE_CLOCK_H

#include "base/attributes.h"
#include "base/maths.h"
#include "base/status.h"
#include "base/str.h"

typedef struct tacho_clock {
    uint32_t name;        /* string id, e.g. "cycles" */
    int64_t ns_numerator; /* nanoseconds per tick as a reduced ratio */
    int64_t ns_denominator;
    int denominator_shift; /* log2 of the denominator when it is a power of two, else -1 */
    int64_t zero_ticks;    /* the tick shown as 0; set by profile/order unless it is fixed */
    int64_t max_ticks;     /* the last tick whose nanoseconds fit 63 bits */
    bool is_assumed;       /* the rate is a default: neither the input nor the user gave it */
    bool counts_cycles;    /* ticks are a processor's cycles: worth showing beside the time */
    bool has_fixed_zero;   /* zero_ticks holds for all parts of this clock, which are aligned */
} tacho_clock;

/* A clock of |numerator| / |denominator| ns per tick, both positive. */
void tacho_clock_init(tacho_clock *clock, uint64_t numerator, uint64_t denominator);

/* A clock by frequency, as text in MHz with at most six decimals ("800", "1.5"). */
tacho_status tacho_clock_init_mhz(tacho_clock *clock, tacho_str mhz) TACHO_MUST_USE;

static inline int64_t tacho_clock_ns(const tacho_clock *clock, int64_t ticks)
{
    int64_t shifted = ticks - clock->zero_ticks;
    int64_t product = 0;
    if (shifted >= 0 && !__builtin_mul_overflow(shifted, clock->ns_numerator, &product)) {
        return clock->denominator_shift >= 0 ? product >> clock->denominator_shift
                                             : product / clock->ns_denominator;
    }
    return (int64_t)tacho_scale_floor(shifted, clock->ns_numerator, clock->ns_denominator);
}

/*
 * The first tick at or after |ns|: the inverse of tacho_clock_ns wherever a tick lasts at least
 * one nanosecond; elsewhere add the extra ticks (below).
 */
int64_t tacho_clock_ticks(const tacho_clock *clock, int64_t ns);

/*
 * The number of ticks from the first one of its nanosecond to |ticks|: 0 unless ticks are shorter
 * than a nanosecond. Traces carry it beside the nanoseconds.
 */
static inline int64_t tacho_clock_extra_ticks(const tacho_clock *clock, int64_t ticks)
{
    return TACHO_LIKELY(clock->ns_numerator >= clock->ns_denominator)
               ? 0
               : ticks - tacho_clock_ticks(clock, tacho_clock_ns(clock, ticks));
}

/* Ticks per second, rounded down. */
uint64_t tacho_clock_hz(const tacho_clock *clock);

#endif
