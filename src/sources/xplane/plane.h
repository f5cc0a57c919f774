/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plane: a device or a host, with the kinds of its events. Descriptions may follow the lines
 * that refer to them, so a plane is read twice.
 */
#ifndef TACHO_SOURCES_XPLANE_PLANE_H
#define TACHO_SOURCES_XPLANE_PLANE_H

#include "sources/xplane/stats.h"

/* What events of one kind have in common. */
typedef struct xp_kind {
    uint32_t site;
    uint32_t name; /* string */
    uint32_t first_arg, arg_count;
} xp_kind;

typedef struct xp_plane {
    tacho_dict *dict;
    tacho_str message; /* all of it */
    tacho_str name;
    bool is_device;
    bool has_streams; /* of a GPU: lines of operators repeat their work */
    bool is_bad;      /* malformed somewhere */
    uint32_t track;   /* its group; TACHO_NONE until an event needs it */
    xp_stat_names stat_names;
    xp_ids kind_ids;
    xp_kind *kinds;
    size_t kind_count, kind_capacity;
    tacho_arg *args; /* of all kinds */
    size_t arg_count, arg_capacity;
} xp_plane;

void xp_plane_init(xp_plane *plane, tacho_dict *dict, tacho_args_wanted wanted);
void xp_plane_deinit(xp_plane *plane);

/* Reads the descriptions of the plane |message|, in place of those of the plane before. */
tacho_status xp_plane_describe(xp_plane *plane, tacho_str message) TACHO_MUST_USE;

/* The header of a line. */
typedef struct xp_line {
    uint64_t id;
    tacho_str name;
    int64_t time_ns;
    bool is_bad;
} xp_line;

void xp_line_read(tacho_str message, xp_line *out_line);

/* The argument |arg| of a kind or event as a number of bytes, if it describes a copy. */
bool xp_copy_bytes(tacho_str details, uint64_t *out_bytes);

#endif
