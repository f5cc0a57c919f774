/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Track order. The first comparison, by start, decides nearly always; the rest runs on ties only.
 */
#include "profile/events.h"

const char *tacho_flow_role_name(tacho_flow_role role)
{
    static const char *const names[] = {"data", "order", "launch"};
    return names[role];
}

const char *tacho_flow_phase_name(tacho_flow_phase phase)
{
    static const char *const names[] = {"leaves", "passes", "arrives"};
    return names[phase];
}

tacho_status tacho_events_each_row(tacho_events *events, const tacho_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        TACHO_TRY(tacho_events_row(events, &rows[i]));
    }
    return TACHO_OK;
}

static int compare_i64(int64_t a, int64_t b)
{
    return a == b ? 0 : (a < b ? -1 : 1);
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a == b ? 0 : (a < b ? -1 : 1);
}

/* A total order, not a numerical one: NaN has its place too. */
static int compare_reals(double a, double b)
{
    int64_t bits_a;
    int64_t bits_b;
    memcpy(&bits_a, &a, sizeof(bits_a));
    memcpy(&bits_b, &b, sizeof(bits_b));
    return compare_i64(bits_a, bits_b);
}

static int compare_strings(const tacho_dict *dict, uint32_t a, uint32_t b)
{
    return a == b ? 0 : tacho_str_compare(tacho_dict_string(dict, a), tacho_dict_string(dict, b));
}

static tacho_str location_text(const tacho_dict *dict, uint32_t location)
{
    return location == TACHO_NONE ? TACHO_STR("")
                                  : tacho_dict_string(dict, dict->locations[location].text);
}

static int compare_sites(const tacho_dict *dict, uint32_t a, uint32_t b)
{
    if (a == b) {
        return 0;
    }
    const tacho_site *site_a = &dict->sites[a];
    const tacho_site *site_b = &dict->sites[b];
    int order = compare_strings(dict, site_a->name, site_b->name);
    if (order == 0) {
        order = compare_strings(dict, site_a->category, site_b->category);
    }
    return order != 0 ? order
                      : tacho_str_compare(location_text(dict, site_a->location),
                                          location_text(dict, site_b->location));
}

static int compare_values(const tacho_dict *dict, const tacho_arg *a, const tacho_arg *b)
{
    switch (a->type) {
    case TACHO_ARG_INT:
        return compare_i64(a->value.as_int, b->value.as_int);
    case TACHO_ARG_UINT:
    case TACHO_ARG_DICT:
    case TACHO_ARG_ARRAY:
        return compare_u64(a->value.as_uint, b->value.as_uint);
    case TACHO_ARG_REAL:
        return compare_reals(a->value.as_real, b->value.as_real);
    case TACHO_ARG_BOOL:
        return (int)a->value.as_bool - (int)b->value.as_bool;
    case TACHO_ARG_STRING:
        return compare_strings(dict, a->value.as_string, b->value.as_string);
    case TACHO_ARG_TEXT:
    case TACHO_ARG_JSON:
        return tacho_str_compare(a->value.as_text, b->value.as_text);
    }
    return 0;
}

static int compare_args(const tacho_dict *dict, const tacho_row *a, const tacho_row *b)
{
    int order = compare_u64(a->arg_count, b->arg_count);
    for (size_t i = 0; i < a->arg_count && order == 0; i++) {
        order = compare_strings(dict, a->args[i].key, b->args[i].key);
        order = order != 0 ? order : (int)a->args[i].type - (int)b->args[i].type;
        order = order != 0 ? order : (int)a->args[i].unit - (int)b->args[i].unit;
        order = order != 0 ? order : compare_values(dict, &a->args[i], &b->args[i]);
    }
    return order;
}

static int compare_runs(const tacho_dict *dict, uint32_t a, uint32_t b)
{
    if (a == b || a == TACHO_NONE || b == TACHO_NONE) {
        return (a == TACHO_NONE) - (b == TACHO_NONE);
    }
    int order = compare_strings(dict, dict->runs[a].name, dict->runs[b].name);
    return order != 0 ? order : compare_i64(dict->runs[a].invocation, dict->runs[b].invocation);
}

static int compare_spans(const tacho_dict *dict, const tacho_row *a, const tacho_row *b)
{
    int longer_first = compare_i64(b->of.span.end, a->of.span.end);
    if (longer_first != 0 && dict->tracks[a->track].nesting == TACHO_NESTING_ENGINE) {
        bool a_empty = a->of.span.end == a->start;
        bool b_empty = b->of.span.end == b->start;
        if (a_empty != b_empty) {
            return a_empty ? -1 : 1;
        }
    }
    if (longer_first != 0) {
        return longer_first;
    }
    if (dict->parts[dict->tracks[a->track].part].keeps_order) {
        return compare_u64(a->of.span.flags >> TACHO_SPAN_DEPTH_SHIFT,
                           b->of.span.flags >> TACHO_SPAN_DEPTH_SHIFT);
    }
    int order = compare_sites(dict, a->of.span.site, b->of.span.site);
    order = order != 0 ? order : compare_u64(a->of.span.flags, b->of.span.flags);
    order = order != 0 ? order : compare_runs(dict, a->of.span.run, b->of.span.run);
    order = order != 0 ? order : compare_u64(a->of.span.op, b->of.span.op);
    return order != 0 ? order : compare_args(dict, a, b);
}

static int compare_flows(const tacho_row *a, const tacho_row *b)
{
    int order = (int)a->of.flow.phase - (int)b->of.flow.phase;
    order = order != 0 ? order : compare_u64(a->of.flow.id, b->of.flow.id);
    order = order != 0 ? order : compare_i64(a->of.flow.span_end, b->of.flow.span_end);
    order = order != 0 ? order : (int)a->of.flow.role - (int)b->of.flow.role;
    return order != 0 ? order : compare_u64(a->of.flow.span_name, b->of.flow.span_name);
}

int tacho_row_compare(const tacho_dict *dict, const tacho_row *a, const tacho_row *b)
{
    int order = compare_i64(a->start, b->start);
    if (order == 0) {
        order = tacho_row_rank(a) - tacho_row_rank(b);
    }
    if (order == 0) {
        order = (int)a->kind - (int)b->kind;
    }
    if (order != 0) {
        return order;
    }
    switch (a->kind) {
    case TACHO_ROW_SPAN:
        return compare_spans(dict, a, b);
    case TACHO_ROW_FLOW:
        return compare_flows(a, b);
    case TACHO_ROW_SAMPLE:
        return compare_reals(a->of.sample.value, b->of.sample.value);
    }
    return 0;
}
