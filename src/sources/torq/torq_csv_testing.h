/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for timelines and runtime profiles of Torq. Composed files are read into a profile,
 * in sort mode, and the result is written as text: one line for each part, span and loss. So a test
 * compares everything at once. Include it after <cmocka.h>.
 *
 *     part fc.csv torq-timeline T1 estimated, cycles of 5/4 ns from 0
 *     Slice 0|9408|11456|conv2d|compute|"fc.mlir":4:10|fc.mlir:4:10|id=S0
 *     lost not_a_number 1 at 2
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_CSV_TESTING_H
#define TACHO_SOURCES_TORQ_TORQ_CSV_TESTING_H

#include "sources/torq/torq.h"
#include "sources/torq/torq_testing.h"

#define TIMELINE (&tacho_source_torq_timeline)
#define RUNTIME (&tacho_source_torq_runtime)

#define T3_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n"
#define T4_HEADER "taskId, elapsed_time(us), timestamp(us), event, location, bytes\n"
#define R0_HEADER "id;time_since_open;time_since_start;location\n"
#define R0B_HEADER "id;time_since_open;time_since_start\n"
#define PART_T1 "part fc.csv torq-timeline T1 estimated, cycles of 5/4 ns from 0\n"
#define PART_T2 "part fc.csv torq-timeline T2 estimated, cycles of 5/4 ns from 0\n"
#define PART_T3 "part fc.csv torq-timeline T3 estimated, cycles of 5/4 ns from 0\n"
#define PART_T4 "part fc.csv torq-timeline T4 estimated, cycles of 5/4 ns from 0\n"

/* The example rows of the formats' description. */
#define T1_ROWS                                                                                    \
    "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN\n"                                               \
    "DO1,11456,20864,loc(\"/w/m/fc.mlir\":6:5),DMA_OUT\n"                                          \
    "S0,9408,11456,loc(\"/w/m/fc.mlir\":4:10),fully_connected\n"
#define T2_ROWS                                                                                    \
    "DI0,0,9408,loc(\"/w/m/fc.mlir\":4:10),DMA_IN,75264\n"                                         \
    "CDMA_L2I1,9408,9474,loc(unknown),CDMA_LRAM_TO_ITCM,380\n"                                     \
    "S0_1,9474,11522,loc(\"/w/m/fc.mlir\":4:10),conv2d_add\n"                                      \
    "CSS0,11522,19522,loc(\"/w/m/fc.mlir\":8:5),CSS\n"
#define T4_ROWS                                                                                    \
    "0,15831,0,DMA In,loc(\"/w/m/add.mlir\":7:10),75264\n"                                         \
    "2,15831,20536,DMA Out,loc(fused[\"/w/m/add.mlir\":12:10, \"/w/m/add.mlir\":18:10]),75264\n"   \
    "3,66,36367,CDMA LRAM to ITCM,loc(unknown),380\n"                                              \
    "4,12,36433,CDMA LRAM to DTCM,loc(\"/w/m/add.mlir\":20:5),64\n"                                \
    "1,4704,15831,Slice 0,"                                                                        \
    "loc(callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)),\n"                           \
    "1,4704,15832,Slice 1,loc(\"/w/m/add.mlir\":18:10),\n"                                         \
    "5,8000,36445,CSS,loc(\"/w/m/add.mlir\":20:5),\n"
#define R0_ROWS                                                                                    \
    "0;1520;310;loc(\"/w/m/add.mlir\":12:10)\n"                                                    \
    "1;1905;301;loc(callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3))\n"                 \
    "2;2298;344;\n"

#define T1_READ                                                                                    \
    "DMA In|0|9408|DMA_IN|dma_in|\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|id=DI0\n"                 \
    "Slice 0|9408|11456|fully_connected|compute|"                                                  \
    "\"/w/m/fc.mlir\":4:10|/w/m/fc.mlir:4:10|id=S0\n"                                              \
    "DMA Out|11456|20864|DMA_OUT|dma_out|\"/w/m/fc.mlir\":6:5|/w/m/fc.mlir:6:5|id=DO1\n"
#define T4_READ                                                                                    \
    "DMA In|0|15831|DMA In|dma_in|\"/w/m/add.mlir\":7:10|/w/m/add.mlir:7:10|"                      \
    "task=0 bytes=75264[bytes]\n"                                                                  \
    "Slice 0|15831|20535|add.mlir:12:10|compute|"                                                  \
    "callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)|/w/m/add.mlir:12:10|task=1\n"      \
    "Slice 1|15832|20536|add.mlir:18:10|compute|"                                                  \
    "\"/w/m/add.mlir\":18:10|/w/m/add.mlir:18:10|task=1\n"                                         \
    "DMA Out|20536|36367|DMA Out|dma_out|"                                                         \
    "fused[\"/w/m/add.mlir\":12:10, \"/w/m/add.mlir\":18:10]|/w/m/add.mlir:12:10|"                 \
    "task=2 bytes=75264[bytes]\n"                                                                  \
    "CDMA|36367|36433|CDMA LRAM to ITCM|dma_local|-|-|task=3 bytes=380[bytes]\n"                   \
    "CDMA|36433|36445|CDMA LRAM to DTCM|dma_local|"                                                \
    "\"/w/m/add.mlir\":20:5|/w/m/add.mlir:20:5|task=4 bytes=64[bytes]\n"                           \
    "CSS|36445|44445|CSS|vector|\"/w/m/add.mlir\":20:5|/w/m/add.mlir:20:5|task=5\n"
/* A job starts its duration before the time at which the wait for it returned. */
#define R0_READ                                                                                    \
    "part fc.csv torq-runtime R0 measured, microseconds of 1000/1 ns from 1210\n"                  \
    "NSS Programs|1210|1520|add.mlir:12:10|control|"                                               \
    "\"/w/m/add.mlir\":12:10|/w/m/add.mlir:12:10|job=0\n"                                          \
    "NSS Programs|1604|1905|add.mlir:12:10|control|"                                               \
    "callsite(\"/w/m/add.mlir\":12:10 at \"/w/m/add.mlir\":2:3)|/w/m/add.mlir:12:10|job=1\n"       \
    "NSS Programs|1954|2298|NSS job|control|-|-|job=2\n"

/* ---- reading ---------------------------------------------------------------------------- */

static inline tacho_status read_bytes(fixture *to, const tacho_source *source, tacho_str bytes)
{
    return read_as(to, source, "fc.csv", bytes);
}

static inline tacho_status read_text(fixture *to, const tacho_source *source, const char *text)
{
    return read_bytes(to, source, tacho_str_from_cstring(text));
}

/* ---- the profile as text ---------------------------------------------------------------- */

static inline void put_location(fixture *to, uint32_t id)
{
    if (id == TACHO_NONE) {
        put(&to->text, "-|-");
        return;
    }
    const tacho_location *location = &to->dict.locations[id];
    put_string(to, location->text);
    put(&to->text, "|");
    if (location->file == 0) {
        assert_int_equal(location->line + location->column, 0);
        put(&to->text, "-");
        return;
    }
    put_string(to, location->file);
    put(&to->text, ":%u:%u", (unsigned)location->line, (unsigned)location->column);
}

static inline void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    if (arg->type == TACHO_ARG_UINT) {
        put(&to->text, "=%llu", (unsigned long long)arg->value.as_uint);
    } else {
        assert_int_equal(arg->type, TACHO_ARG_TEXT);
        put(&to->text, "=%.*s", TACHO_STR_ARG(arg->value.as_text));
    }
    if (arg->unit != TACHO_UNIT_NONE) {
        put(&to->text, "[%s]", tacho_unit_name(arg->unit));
    }
}

static inline void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_site *site = &to->dict.sites[span.site];
    assert_int_equal(span.op, TACHO_NONE);
    assert_int_equal(span.run, TACHO_NONE);
    assert_int_equal(span.flags, 0);
    put_string(to, to->dict.tracks[span.track].name);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    put(&to->text, "|");
    put_location(to, site->location);
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(&to->text, i == span.args ? "|" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(&to->text, "\n");
}

static inline const char *render(fixture *from)
{
    return render_with(from, put_span);
}

static inline void check_with(const tacho_source_options *options, const tacho_source *source,
                              tacho_str bytes, const char *expected)
{
    fixture made;
    setup(&made);
    made.options = *options;
    assert_ok(read_bytes(&made, source, bytes));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made), expected);
    assert_int_equal(made.dict.parts[0].row_count, made.profile.span_count);
    teardown(&made);
}

static inline void check(const tacho_source *source, const char *text, const char *expected)
{
    const tacho_source_options defaults = {.choice_count = 0};
    check_with(&defaults, source, tacho_str_from_cstring(text), expected);
}

#endif
