/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces that tacho wrote itself: parts, clocks and origins are restored. Attributes by others are
 * kept. Reading a file with any cut or damage gives a valid profile, or bad data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sources/perfetto/perfetto_source_testing.h"

/* ---- traces by tacho -------------------------------------------------------------------- */

static void own_part(int part, const char *name, const char *clock)
{
    char key[64];
    snprintf(key, sizeof(key), "tacho.part.%d.name", part);
    attribute(key, name);
    snprintf(key, sizeof(key), "tacho.part.%d.origin", part);
    attribute(key, "estimated");
    snprintf(key, sizeof(key), "tacho.part.%d.clock", part);
    attribute(key, clock);
}

static void own_track(uint64_t uuid, const char *name, uint64_t parent, const char *facts)
{
    descriptor(uuid, name, parent);
    text(PF_TRACK_DESCRIPTION, facts);
    end_event();
}

/* A trace of two parts with everything that tacho's sink adds. */
static void compose_own(void)
{
    start();
    attribute("tacho.about", "words");
    own_part(1, "x.csv", "cycles: 1 tick = 5/4 ns (assumed), 0 ns = tick 100");
    own_track(1, "x.csv (estimated)", 0, "tacho: group 0 stack root");
    own_track(2, "Slice 1", 1, "tacho: compute 1 engine");
    own_track(3, "Slice 1", 1, "tacho: compute 1 engine lane of 2");
    packet(1);
    number(PF_PACKET_SEQUENCE_FLAGS, 1);
    interned(PF_INTERNED_STRING_VALUES, 1, "loc(\"a.mlir\":3:4)");
    end();
    packet(1);
    interned(PF_INTERNED_STRING_VALUES, 2, "main");
    end();
    event(1, PF_TYPE_BEGIN, 3); /* ceil(1 * 4 / 5) + 100 */
    annotation(PF_EVENT_ANNOTATIONS, "location");
    number(PF_ANNOTATION_STRING_IID, 1);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "cycles"); /* the user's own */
    number(PF_ANNOTATION_UINT, 99);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "cycles");
    number(PF_ANNOTATION_UINT, 3);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "run");
    number(PF_ANNOTATION_STRING_IID, 2);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "invocation");
    number(PF_ANNOTATION_UINT, 4);
    end();
    annotation(PF_EVENT_ANNOTATIONS, "origin");
    text(PF_ANNOTATION_STRING, "measured");
    end();
    annotation(PF_EVENT_ANNOTATIONS, "unended");
    number(PF_ANNOTATION_BOOL, 1);
    end();
    end_event();
    simple(6, PF_TYPE_END, 3, NULL); /* tick 105; the cycles are exact */
    own_part(2, "y.csv", "microseconds: 1 tick = 1000/1 ns, 0 ns = tick 7");
    own_track(4, "y.csv (measured)", 0, "tacho: group 0 stack root");
    simple(0, PF_TYPE_BEGIN, 4, "z");
    simple(2000, PF_TYPE_END, 4, NULL);
    attribute("tacho.lost.total", "0");
}

static void test_own_parts(void **state)
{
    (void)state;
    compose_own();
    bool was_in_order = false;
    assert_string_equal(
        read_trace(trace_bytes(), &was_in_order),
        "Slice 1|101|104||@loc(\"a.mlir\":3:4)|run main#4|cycles=u99|unended|measured\n"
        "y.csv|7|9|z|\nfact from.lost.total=0\n");
}

/* Two concatenated files by tacho: their numbers mean different tracks. */
static void test_own_files_put_together(void **state)
{
    (void)state;
    start();
    for (int file = 0; file < 2; file++) {
        attribute("tacho.about", "words");
        own_part(1, "x.csv", "ns: 1 tick = 1/1 ns, 0 ns = tick 0");
        own_track(1, "x.csv (estimated)", 0, "tacho: group 0 stack root");
        own_track(2, file == 0 ? "first" : "second", 1, "tacho: compute 1 engine");
        simple(10, PF_TYPE_BEGIN, 2, "e");
        simple(20, PF_TYPE_END, 2, NULL);
    }
    check("first|10|20|e|\nsecond|10|20|e|\n");
}

static void test_attributes(void **state)
{
    (void)state;
    start();
    attribute("device", "npu");
    attribute("tacho.from.version", "1");
    attribute("tacho.version", "2");
    attribute("tacho.perfetto.device", "old");
    packet(0);
    begin(PF_PACKET_TRACE_ATTRIBUTES);
    begin(PF_ATTRIBUTES_ATTRIBUTE);
    text(PF_ATTRIBUTE_KEY, "cores");
    number(PF_ATTRIBUTE_LONG, (uint64_t)-4);
    end();
    end();
    end();
    instants(1, 1);
    check("Default|1|1|||instant\nfact perfetto.device=npu\nfact from.version=1\n"
          "fact from.version=2\nfact perfetto.device=old\nfact perfetto.cores=-4\n");
}

/* ---- damage ----------------------------------------------------------------------------- */

/* Reads damaged bytes both ways: each gives a valid profile, or bad data. */
static void read_damaged(tacho_str input_bytes)
{
    for (int holds = 0; holds < 2; holds++) {
        tacho_status status = read_into(&first, input_bytes, holds != 0, TACHO_ORDER_SORT);
        tacho_code code = tacho_status_code(status);
        assert_true(code == TACHO_CODE_OK || code == TACHO_CODE_BAD_DATA ||
                    (holds == 0 && code == TACHO_CODE_OUT_OF_ORDER));
        if (status == TACHO_OK) {
            assert_ok(tacho_profile_validate(&first.profile));
        }
        tacho_status_free(status);
        drop(&first);
    }
}

static void test_own_cut_anywhere(void **state)
{
    (void)state;
    compose_own();
    size_t len = trace_bytes().len;
    for (size_t cut = 0; cut <= len; cut++) {
        read_damaged(tacho_str_make((const char *)made.bytes, cut));
    }
}

static void test_flipped_bits(void **state)
{
    (void)state;
    enum { FLIPS = 20000 };
    uint64_t random = 88172645463325252U;
    compose_own();
    size_t len = trace_bytes().len;
    for (int i = 0; i < FLIPS; i++) {
        unsigned char kept[3];
        size_t places[3];
        for (size_t k = 0; k < 3; k++) { /* one to three bits, restored in reverse order */
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            places[k] = (size_t)(random >> 8) % len;
            kept[k] = made.bytes[places[k]];
            if (k <= random % 3) {
                made.bytes[places[k]] ^= (unsigned char)(1U << (random >> 61));
            }
        }
        read_damaged(trace_bytes());
        for (size_t k = 3; k-- > 0;) {
            made.bytes[places[k]] = kept[k];
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_parts),    cmocka_unit_test(test_own_files_put_together),
        cmocka_unit_test(test_attributes),   cmocka_unit_test(test_own_cut_anywhere),
        cmocka_unit_test(test_flipped_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
