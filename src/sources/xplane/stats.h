/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stats: named values of planes, of kinds of events and of single events. They become arguments,
 * but for those that only link events: these become arrows.
 */
#ifndef TACHO_SOURCES_XPLANE_STATS_H
#define TACHO_SOURCES_XPLANE_STATS_H

#include "profile/summed_args.h"
#include "sources/xplane/ids.h"
#include "sources/xplane/fields.h"
#include "profile/events.h"

/* Stats that mean more than their name and value. */
typedef enum xp_role {
    XP_ROLE_ARG,
    XP_ROLE_CATEGORY,      /* the kind of an HLO operation */
    XP_ROLE_SOURCE,        /* "file.py:12" */
    XP_ROLE_COPY,          /* a text that contains the size of a copy */
    XP_ROLE_STEP,          /* the number of the step that a range of the host is */
    XP_ROLE_CORRELATION,   /* of a call of the host and the work it launched */
    XP_ROLE_PRODUCER_TYPE, /* with PRODUCER: where an arrow leaves */
    XP_ROLE_PRODUCER,
    XP_ROLE_CONSUMER_TYPE, /* with CONSUMER: where one arrives */
    XP_ROLE_CONSUMER,
    XP_ROLE_FLOW, /* both in one number */
    XP_ROLE_NONE, /* of no use outside the viewer that wrote it */
    XP_ROLE_COUNT,
} xp_role;

/* The name of a stat. */
typedef struct xp_stat_name {
    uint32_t name; /* string */
    xp_role role;
    tacho_unit unit;
    bool is_wanted; /* as an argument */
} xp_stat_name;

/* Names of stats of one plane. */
typedef struct xp_stat_names {
    tacho_dict *dict;
    tacho_args_wanted wanted;
    xp_ids ids;
    xp_stat_name *items;
    size_t item_count, item_capacity;
} xp_stat_names;

/* Takes an entry of the plane's map. */
tacho_status xp_stat_names_add(xp_stat_names *names, tacho_str entry) TACHO_MUST_USE;
void xp_stat_names_clear(xp_stat_names *names);
void xp_stat_names_deinit(xp_stat_names *names);

/* A stat with its value. */
typedef struct xp_stat {
    const xp_stat_name *name;
    tacho_arg arg;
    bool has_value; /* opaque bytes have none here */
} xp_stat;

/* Reads a stat; false where the message is malformed. A stat of an unknown name has no value. */
bool xp_stat_read(const xp_stat_names *names, tacho_str message, xp_stat *out_stat);

/* The whole number of a stat; false for any other value. Negative ones wrap. */
bool xp_stat_number(const xp_stat *stat, uint64_t *out_number);

/* The text of a stat; empty for any other value. */
tacho_str xp_stat_text(const xp_stat *stat, const tacho_dict *dict);

#endif
