/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Groups: time by operator, kernel, layer, source line, device or step, separately for host and
 * devices.
 *
 * Host time is the self time of host spans and of ranges that mark layers; device time is that of
 * kernels, copies and similar work. Device work counts for the operator, layer, line and step of
 * the call that launched it, found by correlation, by arrows, or by the number of an operator
 * ("External id"). If no call is found, the location of the work decides, then the ranges around it
 * on the device.
 *
 * Every piece of work counts in exactly one group, or as ungrouped: the times of all groups add up
 * to the time of the profile, to the nanosecond. Layers and operators are nested; self is the time
 * of the group itself, total includes all inner groups.
 */
#ifndef TACHO_QUESTIONS_GROUPS_GROUPS_H
#define TACHO_QUESTIONS_GROUPS_GROUPS_H

#include "questions/analysis.h"
#include "questions/groups/group_tree.h"
#include "questions/timeline/timeline.h"
#include "base/notes.h"
#include "profile/select.h"

/* Kinds of groups: id, word, the word for ungrouped work, title of the table. */
#define TACHO_GROUP_KEYS(X)                                                                        \
    X(OP, "op", "(no operator)", "Operators")                                                      \
    X(KERNEL, "kernel", "(no name)", "Kernels")                                                    \
    X(LAYER, "layer", "(no layer)", "Layers")                                                      \
    X(LINE, "line", "(no line)", "Source lines")                                                   \
    X(DEVICE, "device", "(no device)", "Devices")                                                  \
    X(STEP, "step", "(no step)", "Steps")

typedef enum tacho_group_key {
#define TACHO_GROUP_KEY_ENUM(id, word, none, title) TACHO_GROUP_BY_##id,
    TACHO_GROUP_KEYS(TACHO_GROUP_KEY_ENUM)
#undef TACHO_GROUP_KEY_ENUM
        TACHO_GROUP_KEY_COUNT,
} tacho_group_key;

/* Reads "layer", "layer:3": the key and the depth of groups, 0 for all; false if invalid. */
bool tacho_group_key_parse(tacho_str text, tacho_group_key *out_key, unsigned *out_depth);

/* Sort orders of groups: id, word. Times are of devices first, then of the host. */
#define TACHO_GROUPS_ORDERS(X)                                                                     \
    X(SELF, "self")                                                                                \
    X(TOTAL, "total")                                                                              \
    X(COUNT, "count")                                                                              \
    X(NAME, "name")

typedef enum tacho_groups_order {
#define TACHO_GROUPS_ORDER_ENUM(id, word) TACHO_GROUPS_BY_##id,
    TACHO_GROUPS_ORDERS(TACHO_GROUPS_ORDER_ENUM)
#undef TACHO_GROUPS_ORDER_ENUM
} tacho_groups_order;

/* The order called |name|; false if unknown. */
bool tacho_groups_order_find(tacho_str name, tacho_groups_order *out_order);

/* The group of a span. */
typedef struct tacho_group_place {
    uint32_t run;    /* of its row */
    uint64_t serial; /* number of earlier spans, if the taker asks for it */
    uint32_t node;   /* of the tree */
    bool is_counted; /* its time counts: device or host work */
    bool is_device;
    bool is_piece; /* as in tacho_group_cell */
    bool has_launch;
    uint32_t launch_track; /* of the call */
    int64_t launch_ns;     /* when the call started */
} tacho_group_place;

/* Receives the group of each span; of some spans again, once more is known. */
typedef struct tacho_groups_taker {
    tacho_status (*place)(void *self, const tacho_group_place *place); /* (optional) */
    void *self;
    bool needs_serials;
    bool has_own_runs; /* as in tacho_timeline_taker */
} tacho_groups_taker;

typedef struct tacho_groups_options {
    tacho_group_key by;
    unsigned depth; /* of layers and operators; 0 for all */
    tacho_groups_order order;
    size_t top;               /* rows per part and origin; 0 for all */
    tacho_name_filter filter; /* on names of groups; a NULL |accepts| accepts all */
    const tacho_notes *notes; /* receives notes on omissions (optional) */
    tacho_groups_taker taker;
} tacho_groups_options;

typedef struct tacho_groups {
    union {
        tacho_events events; /* push here; a part's rows in any order */
        tacho_timeline timeline;
    };
    tacho_groups_options options;
    tacho_group_tree tree;
    bool is_ready;
    struct tacho_groups_site *sites; /* by site */
    size_t site_count, site_capacity;
    struct tacho_groups_track *tracks;
    size_t track_count, track_capacity;
    uint32_t *of_locations; /* node plus one by location; 0: not computed yet */
    size_t location_count, location_capacity;
    uint32_t *steps; /* nodes, by the timeline's steps */
    size_t step_capacity;
    struct tacho_groups_late *late; /* a ring of work without a known launch */
    uint32_t late_next;
    struct tacho_groups_facts *parts; /* by part */
    size_t part_count, part_capacity;
} tacho_groups;

void tacho_groups_init(tacho_groups *groups, tacho_dict *dict, const tacho_groups_options *options);
void tacho_groups_deinit(tacho_groups *groups);

/* The layer of |site| itself, regardless of spans around its own: a node, 0 for none. */
tacho_status tacho_groups_layer_of_site(tacho_groups *groups, uint32_t site,
                                        uint32_t *out_node) TACHO_MUST_USE;

/* Counts of a part, for notes on missing information. */
typedef struct tacho_groups_facts {
    uint64_t host_count;     /* spans of the host */
    uint64_t work_count;     /* of devices */
    uint64_t joined_count;   /* of these, with a call */
    uint64_t operator_count; /* spans of PyTorch's operators */
    bool has_wholes;         /* some work is whole operators (categories.h) */
} tacho_groups_facts;

/* One row per group. */
tacho_status tacho_groups_table(tacho_groups *groups, tacho_table *out_table) TACHO_MUST_USE;

#endif
