/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a roofline.
 */
#ifndef TACHO_ESTIMATES_ROOFLINE_ROOFLINE_OPTIONS_H
#define TACHO_ESTIMATES_ROOFLINE_ROOFLINE_OPTIONS_H

#include "base/notes.h"
#include "profile/select.h"

/* Sort keys of points. */
#define TACHO_ROOFLINE_KEYS(X)                                                                     \
    X(TIME, "time")           /* longest first */                                                  \
    X(GAIN, "gain")           /* most time above the least one first */                            \
    X(ROOF, "roof")           /* furthest from the roof first */                                   \
    X(INTENSITY, "intensity") /* lowest first */                                                   \
    X(NAME, "name")                                                                                \
    X(ORDER, "order") /* in input order */

typedef enum tacho_roofline_key {
#define TACHO_ROOFLINE_KEY_ENUM(id, text) TACHO_ROOFLINE_BY_##id,
    TACHO_ROOFLINE_KEYS(TACHO_ROOFLINE_KEY_ENUM)
#undef TACHO_ROOFLINE_KEY_ENUM
        TACHO_ROOFLINE_KEY_COUNT,
} tacho_roofline_key;

/* The key called |name|, or TACHO_ROOFLINE_KEY_COUNT. */
tacho_roofline_key tacho_roofline_key_find(tacho_str name);

struct tacho_roof;
struct tacho_roof_works;

/* Options of tacho_analysis_roofline. */
typedef struct tacho_roofline_options {
    const struct tacho_roof *roof; /* for all points; NULL: from the inputs */
    /* The work of a model's operators, for profiles that name them; NULL: none. */
    const struct tacho_roof_works *works;
    tacho_roofline_key sort;
    size_t top;               /* maximum points; 0: all */
    tacho_name_filter filter; /* by name or location; a NULL |accepts| accepts all */
    bool omits_unknown;       /* profiles that do not name their machine, without |roof| and
                                 |works|; otherwise they are refused */
    bool is_for_people;       /* with a plot */
    bool is_single;           /* only points, without the table of ceilings */
    bool is_strict;           /* a point above its roof is a failure */
    size_t *above_count;      /* receives the number of points above their roof (optional) */
    const tacho_notes *notes; /* (optional) */
} tacho_roofline_options;

#endif
