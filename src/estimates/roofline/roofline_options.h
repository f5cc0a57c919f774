/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be asked of a roofline.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOFLINE_OPTIONS_H
#define TACHO_ESTIMATES_ROOFLINE_ROOFLINE_OPTIONS_H

#include "base/notes.h"
#include "profile/select.h"

/* What points can be sorted by. */
#define TACHO_ROOFLINE_KEYS(X)                                                                     \
    X(TIME, "time")           /* longest first */                                                  \
    X(GAIN, "gain")           /* most time above the least one first */                            \
    X(ROOF, "roof")           /* furthest from the roof first */                                   \
    X(INTENSITY, "intensity") /* lowest first */                                                   \
    X(NAME, "name")                                                                                \
    X(ORDER, "order") /* as they come */

typedef enum tacho_roofline_key {
#define TACHO_ROOFLINE_KEY_ENUM(id, text) TACHO_ROOFLINE_BY_##id,
    TACHO_ROOFLINE_KEYS(TACHO_ROOFLINE_KEY_ENUM)
#undef TACHO_ROOFLINE_KEY_ENUM
        TACHO_ROOFLINE_KEY_COUNT,
} tacho_roofline_key;

/* The key called |name|, TACHO_ROOFLINE_KEY_COUNT when there is none. */
tacho_roofline_key tacho_roofline_key_find(tacho_str name);

struct tacho_roof;
struct tacho_roof_works;

/* Of tacho_analysis_roofline. */
typedef struct tacho_roofline_options {
    const struct tacho_roof *roof; /* that all are under; NULL: as the inputs say */
    /* Of a model: what its operators work, for profiles that name them; NULL: none. */
    const struct tacho_roof_works *works;
    tacho_roofline_key sort;
    size_t top;               /* points at most; 0: all */
    tacho_name_filter filter; /* by name or location; accepts is NULL: all */
    bool omits_unknown;       /* profiles that do not say which machine they are of, without |roof|
                                 and |works|; otherwise they are refused */
    bool is_for_people;       /* with a plot */
    bool is_single;           /* points alone, without the table of ceilings */
    bool is_strict;           /* a point above its roof is a failure */
    size_t *above_count;      /* how many are above their roof (optional) */
    const tacho_notes *notes; /* (optional) */
} tacho_roofline_options;

#endif
