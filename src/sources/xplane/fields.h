/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field numbers of XSpace, the message that an XPlane file is.
 */
#ifndef TACHO_SOURCES_XPLANE_FIELDS_H
#define TACHO_SOURCES_XPLANE_FIELDS_H

#include "codec/protobuf_fields.h"

enum {
    XP_SPACE_PLANE = 1,
    XP_SPACE_ERROR = 2,
    XP_SPACE_WARNING = 3,
    XP_SPACE_HOST = 4,

    XP_PLANE_NAME = 2,
    XP_PLANE_LINE = 3,
    XP_PLANE_EVENT_KIND = 4, /* maps: {1 key, 2 value} */
    XP_PLANE_STAT_NAME = 5,
    XP_PLANE_STAT = 6,
    XP_MAP_KEY = 1,
    XP_MAP_VALUE = 2,

    XP_LINE_ID = 1,
    XP_LINE_NAME = 2,
    XP_LINE_TIME = 3, /* nanoseconds */
    XP_LINE_EVENT = 4,
    XP_LINE_SHOWN_NAME = 11,

    XP_EVENT_KIND = 1,
    XP_EVENT_OFFSET = 2,   /* picoseconds */
    XP_EVENT_DURATION = 3, /* picoseconds */
    XP_EVENT_STAT = 4,
    XP_EVENT_COUNT = 5, /* in place of the offset, where several events are summed up */

    XP_KIND_NAME = 2,
    XP_KIND_SHOWN_NAME = 4,
    XP_KIND_STAT = 5,

    XP_STAT_NAME = 1,
    XP_STAT_REAL = 2,
    XP_STAT_UINT = 3,
    XP_STAT_INT = 4,
    XP_STAT_TEXT = 5,
    XP_STAT_BYTES = 6,
    XP_STAT_REFERENCE = 7, /* the value is the name of that stat */

    XP_STAT_NAME_TEXT = 2,
};

#endif
