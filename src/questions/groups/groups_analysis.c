/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analysis: takes rows, makes the groups and notes on missing information.
 */
#include "questions/groups/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- notes --------------------------------------------------------------------------------- */

static tacho_status add_note(const tacho_groups *groups, uint32_t part, const char *note,
                             tacho_table *table)
{
    const tacho_dict *dict = groups->events.dict;
    TACHO_TRY(tacho_table_add_text(table, tacho_dict_string(dict, dict->parts[part].name)));
    return tacho_table_add_text(table, tacho_str_from_cstring(note));
}

/* The missing spans that would open the requested groups, and how to record them with PyTorch. */
typedef struct missing_scope {
    const char *what, *how;
} missing_scope;

static missing_scope missing_of(tacho_group_key by)
{
    static const missing_scope texts[TACHO_GROUP_KEY_COUNT] = {
        [TACHO_GROUP_BY_OP] = {"no operators of a framework", ""},
        [TACHO_GROUP_BY_LAYER] =
            {"no modules, annotations or named locations: layers are not known",
             " (torch.profiler records modules with with_stack=True)"},
        [TACHO_GROUP_BY_LINE] = {"no Python frames or locations: source lines are not known",
                                 " (torch.profiler records frames with with_stack=True)"},
        [TACHO_GROUP_BY_STEP] = {"no marked steps, ranges that repeat, numbered runs or signposts",
                                 " (torch.profiler marks steps with a schedule and step())"},
    };
    return texts[by];
}

/* Whether some work of |part| is in a group. */
static bool has_groups(const tacho_groups *groups, uint32_t part)
{
    for (size_t i = 0; i < groups->tree.cell_count; i++) {
        if (groups->tree.cells[i].part == part && groups->tree.cells[i].node != 0) {
            return true;
        }
    }
    return false;
}

static tacho_status add_part_notes(const tacho_groups *groups, uint32_t part, tacho_table *table)
{
    const tacho_groups_facts *facts = &groups->parts[part];
    const missing_scope missing = missing_of(groups->options.by);
    char text[192];
    if (facts->work_count == 0) {
        TACHO_TRY(add_note(groups, part, "no work of a device: only the host has times", table));
    }
    if (missing.what != NULL && !has_groups(groups, part)) {
        snprintf(text, sizeof(text), "%s%s", missing.what,
                 facts->operator_count > 0 ? missing.how : "");
        return add_note(groups, part, text, table);
    }
    if (missing.what == NULL || facts->joined_count == facts->work_count ||
        facts->host_count == 0) {
        return TACHO_OK;
    }
    snprintf(text, sizeof(text),
             "%" PRIu64 " of %" PRIu64 " pieces of device work lead to no call of the host: "
             "no correlation id, arrow or External id",
             facts->work_count - facts->joined_count, facts->work_count);
    return add_note(groups, part, text, table);
}

/* One row per kind of missing information. */
static tacho_status groups_notes_table(const tacho_groups *groups, tacho_table *out_table)
{
    static const tacho_column columns[] = {TACHO_COLUMN(FILE, "file", TEXT),
                                           TACHO_COLUMN(NOTE, "note", TEXT)};
    tacho_table_init(out_table, "notes", "Notes", columns, sizeof(columns) / sizeof(columns[0]));
    for (uint32_t part = 0; part < groups->part_count; part++) {
        TACHO_TRY(add_part_notes(groups, part, out_table));
    }
    return TACHO_OK;
}

/* ---- the analysis -------------------------------------------------------------------------- */

static tacho_groups *groups_of(tacho_events *events)
{
    return (tacho_groups *)(void *)events;
}

static tacho_status open_groups(const void *options, tacho_dict *dict, tacho_events **out_events)
{
    tacho_groups *groups = calloc(1, sizeof(*groups));
    if (groups == NULL) {
        return tacho_no_memory();
    }
    tacho_groups_init(groups, dict, options);
    *out_events = &groups->events;
    return TACHO_OK;
}

static tacho_status write_groups(tacho_events *events, const void *options,
                                 const tacho_table_taker *to)
{
    (void)options;
    tacho_table table = {0};
    tacho_status status = tacho_groups_table(groups_of(events), &table);
    TACHO_TRY(tacho_table_hand_over(to, status, &table));
    status = groups_notes_table(groups_of(events), &table);
    return tacho_table_hand_over(to, status, &table);
}

static void close_groups(tacho_events *events)
{
    if (events != NULL) {
        tacho_groups_deinit(groups_of(events));
        free(groups_of(events));
    }
}

const tacho_analysis tacho_analysis_groups = {
    .name = "groups",
    .question = "how long did each layer, operator, kernel, source line, device or step take",
    .options = "tacho_groups_options",
    .subject = TACHO_SUBJECT_EVENTS,
    .open = open_groups,
    .write = write_groups,
    .close = close_groups,
};
