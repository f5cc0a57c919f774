/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles made by hand for the tests of samples and diffs: tracks of one part, in nanoseconds.
 */
#ifndef TACHO_QUESTIONS_SAMPLES_SAMPLES_TESTING_H
#define TACHO_QUESTIONS_SAMPLES_SAMPLES_TESTING_H

#include "questions/samples/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct composed {
    tacho_dict dict;
    tacho_profile profile;
    uint32_t part;
} composed;

static inline uint32_t composed_string(composed *at, const char *text)
{
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_string(&at->dict, tacho_str_from_cstring(text), &id));
    return id;
}

static inline void composed_init(composed *at, tacho_origin origin)
{
    tacho_clock clock;
    tacho_part_facts facts = {.path = TACHO_STR("a.csv"), .origin = origin};
    assert_null(tacho_dict_init(&at->dict));
    tacho_profile_init(&at->profile, &at->dict);
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_add_clock(&at->dict, &clock, TACHO_STR("ns"), &facts.clock));
    assert_null(tacho_dict_add_part(&at->dict, &facts, &at->part));
}

static inline void composed_deinit(composed *at)
{
    tacho_profile_deinit(&at->profile);
    tacho_dict_deinit(&at->dict);
}

static inline uint32_t composed_track(composed *at, const char *name, tacho_track_class track_class,
                                      tacho_nesting nesting)
{
    tacho_track facts = {
        .parent = at->dict.parts[at->part].root,
        .part = at->part,
        .clock = at->dict.parts[at->part].clock,
        .lane_of = TACHO_NONE,
        .rank = -1,
        .track_class = track_class,
        .nesting = nesting,
    };
    uint32_t id = TACHO_NONE;
    assert_null(tacho_dict_ensure_track(&at->dict, &facts, tacho_str_from_cstring(name), &id));
    return id;
}

typedef struct composed_span {
    uint32_t track;
    const char *name;
    int64_t start, end;
    const char *category; /* NULL: "work" */
    const char *op;       /* argument; NULL: none */
    const char *location; /* NULL: none */
    int64_t invocation;   /* of run "net", from 1; 0: no run */
} composed_span;

static inline uint32_t composed_run(composed *at, int64_t invocation)
{
    uint32_t name = composed_string(at, "net");
    for (uint32_t i = 0; i < at->dict.run_count; i++) {
        if (at->dict.runs[i].invocation == invocation) {
            return i;
        }
    }
    uint32_t id = TACHO_NONE;
    tacho_run run = {at->part, name, invocation};
    assert_null(tacho_dict_add_run(&at->dict, &run, &id));
    return id;
}

static inline void composed_add(composed *at, composed_span span)
{
    tacho_site site = {.name = composed_string(at, span.name), .location = TACHO_NONE};
    site.category = composed_string(at, span.category != NULL ? span.category : "work");
    if (span.location != NULL) {
        tacho_location location = {.text = composed_string(at, span.location)};
        assert_null(tacho_dict_ensure_location(&at->dict, &location, &site.location));
    }
    tacho_arg arg = {.key = composed_string(at, "op"), .type = TACHO_ARG_STRING};
    arg.value.as_string = composed_string(at, span.op != NULL ? span.op : "");
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = span.track, .start = span.start};
    row.args = &arg;
    row.arg_count = span.op != NULL ? 1 : 0;
    row.of.span.end = span.end;
    row.of.span.op = TACHO_NONE;
    row.of.span.run = span.invocation > 0 ? composed_run(at, span.invocation) : TACHO_NONE;
    row.of.span.flags = 0;
    assert_null(tacho_dict_ensure_site(&at->dict, &site, &row.of.span.site));
    assert_null(tacho_events_row(&at->profile.events, &row));
}

/* The operator called |name|, which must exist exactly once. */
static inline const tacho_sampled_op *composed_find(const tacho_samples *samples, const char *name)
{
    const tacho_sampled_op *found = NULL;
    for (size_t i = 0; i < samples->op_count; i++) {
        tacho_str text = tacho_strings_get(&samples->strings, samples->ops[i].name);
        if (tacho_str_equal(text, tacho_str_from_cstring(name))) {
            assert_null(found);
            found = &samples->ops[i];
        }
    }
    assert_non_null(found);
    return found;
}

#endif
