/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed host profiles are read into a profile, in sort mode, and what became of them is
 * written as text: one line for each part, span and loss.
 *
 *     part r.csv torq-host R2 measured, microseconds of 1000/1 ns from 410
 *     Host Copy|412|533|HOST_COPY|host_copy|-|main#2|action=0
 *     lost not_a_number 1 at 2
 */
#include "sources/torq/torq.h"

#include "sources/torq/host_pairing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "sources/torq/torq_testing.h"

enum { TEXT_BYTES = 1 << 15, LINE_MAX_COUNT = 256 };

#define R1_HEADER "actionIndex, elapsed_time(us), timestamp(us), event, location\n"
#define R2_HEADER "dispatch_name,invocation_id,action_id,timestamp_us,event\n"
#define PART(generation, zero)                                                                     \
    "part r.csv torq-host " generation " measured, microseconds of 1000/1 ns from " zero "\n"

/* The example rows of the formats' description, with the ENDs that they leave out. */
#define R1_ROWS                                                                                    \
    "0,0,81234567412,HOST_COPY_START,loc(\"/w/m/add.mlir\":7:10)\n"                                \
    "0,121,81234567533,HOST_COPY_END,loc(\"/w/m/add.mlir\":7:10)\n"                                \
    "1,122,81234567534,NSS_START,loc(unknown)\n"                                                   \
    "1,123,81234567535,NSS_START_END,loc(unknown)\n"                                               \
    "2,124,81234567536,NSS_WAIT_START,loc(unknown)\n"                                              \
    "2,441,81234567853,NSS_WAIT_END,loc(unknown)\n"
#define R1Q_ROWS                                                                                   \
    "0,0,81234567412,HOST_COPY_START,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\n"                        \
    "0,121,81234567533,HOST_COPY_END,\"loc(\"\"/w/m/add.mlir\"\":7:10)\"\n"                        \
    "1,122,81234567534,NSS_START,\"loc(unknown)\"\n"                                               \
    "1,123,81234567535,NSS_START_END,\"loc(unknown)\"\n"                                           \
    "2,124,81234567536,NSS_WAIT_START,\"loc(unknown)\"\n"                                          \
    "2,441,81234567853,NSS_WAIT_END,\"loc(unknown)\"\n"
#define R1_READ                                                                                    \
    "Host Copy|81234567412|81234567533|HOST_COPY|host_copy|/w/m/add.mlir:7:10|dispatch#0|"         \
    "action=0\n"                                                                                   \
    "NSS Actions|81234567534|81234567535|NSS_START|sync|-|dispatch#0|action=1\n"                   \
    "NSS Programs|81234567534|81234567853|NSS program|control|-|dispatch#0|action=1\n"             \
    "NSS Actions|81234567536|81234567853|NSS_WAIT|sync|-|dispatch#0|action=2\n"
#define R2I_ROWS                                                                                   \
    "main$async_dispatch_0,0,-1,1000,INIT_BEGIN\n"                                                 \
    "main$async_dispatch_0,0,-1,1003,INIT_HW_OPEN_BEGIN\n"                                         \
    "main$async_dispatch_0,0,-1,1404,INIT_HW_OPEN_END\n"                                           \
    "main$async_dispatch_0,0,-1,1405,INIT_END\n"                                                   \
    "__HAL_QUEUE_EXECUTE__,1,-1,1406,HAL_CALL_BEGIN\n"                                             \
    "__HAL_QUEUE_EXECUTE__,1,-1,1409,HAL_QUEUE_APPLY_DEFERRED_BEGIN\n"                             \
    "main$async_dispatch_0,2,-1,1410,DISPATCH_BEGIN\n"                                             \
    "main$async_dispatch_0,2,-1,1411,DISPATCH_EXECUTE_ACTIONS_BEGIN\n"                             \
    "main$async_dispatch_0,2,0,1412,HOST_COPY_BEGIN\n"                                             \
    "main$async_dispatch_0,2,0,1533,HOST_COPY_END\n"                                               \
    "main$async_dispatch_0,2,1,1534,NSS_START_BEGIN\n"                                             \
    "main$async_dispatch_0,2,1,1535,NSS_START_END\n"                                               \
    "main$async_dispatch_0,2,2,1536,NSS_WAIT_BEGIN\n"                                              \
    "main$async_dispatch_0,2,2,1853,NSS_WAIT_END\n"                                                \
    "main$async_dispatch_0,2,-1,1859,DISPATCH_EXECUTE_ACTIONS_END\n"                               \
    "main$async_dispatch_0,2,-1,1860,DISPATCH_END\n"                                               \
    "__HAL_QUEUE_EXECUTE__,1,-1,1861,HAL_QUEUE_APPLY_DEFERRED_END\n"                               \
    "__HAL_QUEUE_EXECUTE__,1,-1,1862,HAL_CALL_END\n"
#define R2I_READ                                                                                   \
    "Host|1000|1405|INIT|phase|-|main$async_dispatch_0#0\n"                                        \
    "Host|1003|1404|INIT_HW_OPEN|phase|-|main$async_dispatch_0#0\n"                                \
    "HAL|1406|1862|HAL_CALL|runtime|-|__HAL_QUEUE_EXECUTE__#1|scope=__HAL_QUEUE_EXECUTE__\n"       \
    "HAL|1409|1861|HAL_QUEUE_APPLY_DEFERRED|runtime|-|__HAL_QUEUE_EXECUTE__#1|"                    \
    "scope=__HAL_QUEUE_EXECUTE__\n"                                                                \
    "Host|1410|1860|DISPATCH|phase|-|main$async_dispatch_0#2\n"                                    \
    "Host|1411|1859|DISPATCH_EXECUTE_ACTIONS|phase|-|main$async_dispatch_0#2\n"                    \
    "Host Copy|1412|1533|HOST_COPY|host_copy|-|main$async_dispatch_0#2|action=0\n"                 \
    "NSS Actions|1534|1535|NSS_START|sync|-|main$async_dispatch_0#2|action=1\n"                    \
    "NSS Programs|1534|1853|NSS program|control|-|main$async_dispatch_0#2|action=1\n"              \
    "NSS Actions|1536|1853|NSS_WAIT|sync|-|main$async_dispatch_0#2|action=2\n"

/* ---- reading ---------------------------------------------------------------------------- */

static tacho_status read_bytes(fixture *to, tacho_str bytes)
{
    return read_as(to, &tacho_source_torq_host, "r.csv", bytes);
}

/* ---- what was read, as text ------------------------------------------------------------- */

static void put_site(fixture *to, const tacho_site *site)
{
    put_string(to, site->name);
    put(&to->text, "|");
    put_string(to, site->category);
    put(&to->text, "|");
    if (site->location == TACHO_NONE) {
        put(&to->text, "-|");
        return;
    }
    const tacho_location *location = &to->dict.locations[site->location];
    put_string(to, location->file);
    put(&to->text, ":%u:%u|", (unsigned)location->line, (unsigned)location->column);
}

static void put_arg(fixture *to, const tacho_arg *arg)
{
    put_string(to, arg->key);
    put(&to->text, "=");
    if (arg->type == TACHO_ARG_INT) {
        put(&to->text, "%lld", (long long)arg->value.as_int);
    } else if (arg->type == TACHO_ARG_BOOL) {
        put(&to->text, arg->value.as_bool ? "true" : "false");
    } else {
        assert_int_equal(arg->type, TACHO_ARG_STRING);
        put_string(to, arg->value.as_string);
    }
}

static void put_span(fixture *to, size_t id)
{
    tacho_span span = tacho_profile_span(&to->profile, id);
    const tacho_run *run = &to->dict.runs[span.run];
    assert_int_equal(span.op, TACHO_NONE);
    put_string(to, to->dict.tracks[span.track].name);
    put(&to->text, "|%lld|%lld|", (long long)span.start, (long long)span.end);
    put_site(to, &to->dict.sites[span.site]);
    put_string(to, run->name);
    put(&to->text, "#%lld", (long long)run->invocation);
    bool more = span.args != TACHO_NONE;
    for (size_t i = span.args; more; i++) {
        put(&to->text, i == span.args ? "|" : " ");
        put_arg(to, &to->profile.args[i].arg);
        more = !to->profile.args[i].is_last;
    }
    put(&to->text, "%s\n", span.flags == 0 ? "" : " unended");
    assert_true(span.flags == 0 || span.flags == TACHO_SPAN_UNENDED);
}

static const char *render(fixture *from)
{
    return render_with(from, put_span);
}

/* ---- checks ----------------------------------------------------------------------------- */

static void check_bytes(tacho_str bytes, const char *expected)
{
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, bytes));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made), expected);
    assert_int_equal(made.dict.parts[0].row_count, made.profile.span_count);
    teardown(&made);
}

static void check(const char *text, const char *expected)
{
    check_bytes(tacho_str_from_cstring(text), expected);
}

/* Reads |text|, which must fail with a message that holds |words|. */
static void check_refused(const char *text, const char *words)
{
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    tacho_status status = read_bytes(&made, tacho_str_from_cstring(text));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), words);
    }
    assert_int_equal(made.profile.span_count, 0);
    tacho_status_free(status);
    teardown(&made);
}

/* Rows in order of time go through the order filter as they come, with the same zero. */
static void check_passes(const char *text)
{
    fixture sorted;
    fixture passed;
    setup_in(&sorted, TACHO_ORDER_SORT);
    setup_in(&passed, TACHO_ORDER_PASS);
    assert_ok(read_bytes(&sorted, tacho_str_from_cstring(text)));
    assert_ok(read_bytes(&passed, tacho_str_from_cstring(text)));
    assert_ok(tacho_profile_validate(&passed.profile));
    assert_int_equal(passed.profile.span_count, sorted.profile.span_count);
    assert_int_equal(passed.dict.clocks[0].zero_ticks, sorted.dict.clocks[0].zero_ticks);
    teardown(&passed);
    teardown(&sorted);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of |text|, which loses its line ends. */
static size_t split_lines(char *text, char **lines)
{
    size_t count = 0;
    while (*text != '\0') {
        assert_in_range(count, 0, LINE_MAX_COUNT - 1);
        lines[count++] = text;
        text += strcspn(text, "\n");
        assert_int_equal(*text, '\n');
        *text++ = '\0';
    }
    return count;
}

/* Reads header and lines and leaves what was read in |made|, sorted: no order of tracks. */
static size_t read_lines(fixture *made, const char *header, char **rows, size_t row_count,
                         char **out_lines)
{
    char text[TEXT_BYTES];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", header);
    for (size_t i = 0; i < row_count; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s\n", rows[i]);
    }
    setup_in(made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(made, tacho_str_make(text, len)));
    assert_ok(tacho_profile_validate(&made->profile));
    render(made);
    size_t count = split_lines(made->text.bytes, out_lines);
    for (size_t i = 0; i < count; i++) { /* on which line it was is another matter */
        char *place = strncmp(out_lines[i], "lost ", 5) == 0 ? strstr(out_lines[i], " at ") : NULL;
        if (place != NULL) {
            *place = '\0';
        }
    }
    qsort(out_lines, count, sizeof(*out_lines), compare_lines);
    return count;
}

/* Any order of the rows gives the same profile. */
static void check_shuffled(const char *header, const char *rows)
{
    static fixture plain;
    static fixture shuffled;
    char text[TEXT_BYTES];
    char *lines[LINE_MAX_COUNT];
    char *expected[LINE_MAX_COUNT];
    char *found[LINE_MAX_COUNT];
    snprintf(text, sizeof(text), "%s", rows);
    size_t count = split_lines(text, lines);
    size_t expected_count = read_lines(&plain, header, lines, count, expected);
    uint64_t random = 1;
    for (int round = 0; round < 200; round++) {
        for (size_t i = count; i > 1; i--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t other = (size_t)(random >> 33) % i;
            char *moved = lines[i - 1];
            lines[i - 1] = lines[other];
            lines[other] = moved;
        }
        assert_int_equal(read_lines(&shuffled, header, lines, count, found), expected_count);
        for (size_t i = 0; i < expected_count; i++) {
            assert_string_equal(found[i], expected[i]);
        }
        teardown(&shuffled);
    }
    teardown(&plain);
}

/* ---- R1 --------------------------------------------------------------------------------- */

static void test_r1(void **state)
{
    (void)state;
    check(R1_HEADER R1_ROWS, PART("R1", "81234567412") R1_READ);
    check(R1_HEADER R1Q_ROWS, PART("R1q", "81234567412") R1_READ);
    check("\xef\xbb\xbf" R1_HEADER R1_ROWS, PART("R1", "81234567412") R1_READ);
    check_passes(R1_HEADER R1_ROWS);
    check_shuffled(R1_HEADER, R1Q_ROWS);
}

static void test_r1_every_event(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,100,ALLOC_START,\n"
                    "0,5,105,ALLOC_END,\n"
                    "1,5,105,HOST_PROGRAM_START,loc(\"a.mlir\":1:2)\n"
                    "1,9,109,HOST_PROGRAM_END,loc(\"a.mlir\":1:2)\n"
                    "3,9,109,DEALLOC_START,loc(unknown)\n"
                    "3,10,110,DEALLOC_END,loc(unknown)\n"
                    "4,10,110,Unknown,loc(unknown)\n"
                    "4,11,111,Unknown,loc(unknown)\n",
          PART("R1", "100") "Host Memory|100|105|ALLOC|memory|-|dispatch#0|action=0\n"
                            "Host Programs|105|109|HOST_PROGRAM|host|a.mlir:1:2|dispatch#0|"
                            "action=1\n"
                            "Host Memory|109|110|DEALLOC|memory|-|dispatch#0|action=3\n"
                            "lost unknown_event 2 at 8\n");
}

/* Locations hold commas and quotes; those of NSS_START name the program. */
static void test_r1_locations(void **state)
{
    (void)state;
    static const char read[] =
        "NSS Actions|10|11|NSS_START|sync|/w/a.mlir:3:4|dispatch#0|action=0\n"
        "NSS Programs|10|20|a.mlir:3:4|control|/w/a.mlir:3:4|dispatch#0|action=0\n"
        "NSS Actions|11|20|NSS_WAIT|sync|b, c.mlir:1:2|dispatch#0|action=1\n";
    char expected[1024];
    snprintf(expected, sizeof(expected), PART("R1", "10") "%s", read);
    check(R1_HEADER "0,0,10,NSS_START,loc(fused[\"/w/a.mlir\":3:4, \"b.mlir\":5:6])\n"
                    "0,1,11,NSS_START_END,loc(fused[\"/w/a.mlir\":3:4, \"b.mlir\":5:6])\n"
                    "1,1,11,NSS_WAIT_START,loc(\"b, c.mlir\":1:2)\n"
                    "1,10,20,NSS_WAIT_END,loc(\"b, c.mlir\":1:2)\n",
          expected);
    snprintf(expected, sizeof(expected), PART("R1q", "10") "%s", read);
    check(R1_HEADER
          "0,0,10,NSS_START,\"loc(fused[\"\"/w/a.mlir\"\":3:4, \"\"b.mlir\"\":5:6])\"\n"
          "0,1,11,NSS_START_END,\"loc(fused[\"\"/w/a.mlir\"\":3:4, \"\"b.mlir\"\":5:6])\"\n"
          "1,1,11,NSS_WAIT_START,\"loc(\"\"b, c.mlir\"\":1:2)\"\n"
          "1,10,20,NSS_WAIT_END,\"loc(\"\"b, c.mlir\"\":1:2)\"\n",
          expected);
}

/* Each time that action 0 starts again, another run begins. */
static void test_r1_restarts(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,10,HOST_COPY_START,\n"
                    "0,1,11,HOST_COPY_END,\n"
                    "1,1,11,NSS_START,\n"
                    "1,2,12,NSS_START_END,\n"
                    "0,0,20,HOST_COPY_START,\n"
                    "0,1,21,HOST_COPY_END,\n"
                    "1,1,21,NSS_START,\n"
                    "1,2,22,NSS_START_END,\n"
                    "2,2,22,NSS_WAIT_START,\n"
                    "2,4,24,NSS_WAIT_END,\n"
                    "0,0,30,NSS_START,\n"
                    "0,1,31,NSS_START_END,\n",
          PART("R1", "10") "Host Copy|10|11|HOST_COPY|host_copy|-|dispatch#0|action=0\n"
                           "NSS Actions|11|12|NSS_START|sync|-|dispatch#0|action=1\n"
                           "NSS Programs|11|12|NSS program|control|-|dispatch#0|"
                           "action=1 unended\n"
                           "Host Copy|20|21|HOST_COPY|host_copy|-|dispatch#1|action=0\n"
                           "NSS Actions|21|22|NSS_START|sync|-|dispatch#1|action=1\n"
                           "NSS Programs|21|24|NSS program|control|-|dispatch#1|action=1\n"
                           "NSS Actions|22|24|NSS_WAIT|sync|-|dispatch#1|action=2\n"
                           "NSS Actions|30|31|NSS_START|sync|-|dispatch#2|action=0\n"
                           "NSS Programs|30|31|NSS program|control|-|dispatch#2|"
                           "action=0 unended\n"
                           "lost never_ended 2 at 4\n");
}

/* Waits for the host are silent, so actions are missing; in order, programs do not pile up. */
static void test_r1_silent_actions(void **state)
{
    (void)state;
    static char text[TEXT_BYTES];
    int len = snprintf(text, sizeof(text), R1_HEADER);
    enum { PROGRAM_COUNT = 100 };
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        int action = 1 + 4 * i; /* the one before it is silent */
        int time = 10 * i;
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "%d,%d,%d,NSS_START,\n%d,%d,%d,NSS_START_END,\n"
                        "%d,%d,%d,NSS_WAIT_START,\n%d,%d,%d,NSS_WAIT_END,\n",
                        action, time, time + 100, action, time, time + 101, action + 2, time,
                        time + 102, action + 2, time, time + 108);
    }
    fixture made;
    setup_in(&made, TACHO_ORDER_PASS);
    assert_ok(read_bytes(&made, tacho_str_from_cstring(text)));
    size_t found = 0;
    for (size_t i = 0; i < made.profile.span_count; i++) {
        tacho_span span = tacho_profile_span(&made.profile, i);
        tacho_track_class kind = made.dict.tracks[span.track].track_class;
        if (kind == TACHO_TRACK_CONTROL) {
            assert_int_equal(span.end - span.start, 8);
            found++;
        }
    }
    assert_int_equal(found, PROGRAM_COUNT);
    teardown(&made);
}

/* ---- R2 --------------------------------------------------------------------------------- */

static void test_r2i(void **state)
{
    (void)state;
    check(R2_HEADER R2I_ROWS, PART("R2i", "1000") R2I_READ);
    check_passes(R2_HEADER R2I_ROWS);
    check_shuffled(R2_HEADER, R2I_ROWS);
}

static void test_r2_generations(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,1,DISPATCH_BEGIN\nd,0,-1,2,DISPATCH_END\n",
          PART("R2", "1") "Host|1|2|DISPATCH|phase|-|d#0\n");
    check(R2_HEADER "d,0,-1,1,DISPATCH_HW_OPEN_BEGIN\nd,0,-1,2,DISPATCH_HW_OPEN_END\n",
          PART("R2h", "1") "Host|1|2|DISPATCH_HW_OPEN|phase|-|d#0\n");
    check(R2_HEADER "q,0,-1,1,HAL_CALL_BEGIN\nq,0,-1,2,HAL_CALL_END\n",
          PART("R2h", "1") "HAL|1|2|HAL_CALL|runtime|-|q#0|scope=q\n");
    check(R2_HEADER "d,0,-1,1,INIT_BEGIN\nd,0,-1,2,INIT_END\n"
                    "q,1,-1,3,HAL_CALL_BEGIN\nq,1,-1,4,HAL_CALL_END\n",
          PART("R2i", "1") "Host|1|2|INIT|phase|-|d#0\nHAL|3|4|HAL_CALL|runtime|-|q#1|scope=q\n");
}

/* The rows of each invocation together, or all in order of time: the same spans. */
static void test_r2_several_dispatches(void **state)
{
    (void)state;
    static const char read[] =
        PART("R2", "10") "Host|10|20|DISPATCH|phase|-|a#0\n"
                         "Host Copy|11|14|HOST_COPY|host_copy|-|a#0|action=0\n"
                         "Host|12|30|DISPATCH|phase|-|b#1\n"
                         "Host Copy|15|29|HOST_COPY|host_copy|-|b#1|action=0\n"
                         "Host|40|50|DISPATCH|phase|-|a#2\n"
                         "Host Copy|41|44|HOST_COPY|host_copy|-|a#2|action=0\n";
    check(R2_HEADER "a,0,-1,10,DISPATCH_BEGIN\n"
                    "a,0,0,11,HOST_COPY_BEGIN\n"
                    "a,0,0,14,HOST_COPY_END\n"
                    "a,0,-1,20,DISPATCH_END\n"
                    "b,1,-1,12,DISPATCH_BEGIN\n"
                    "b,1,0,15,HOST_COPY_BEGIN\n"
                    "b,1,0,29,HOST_COPY_END\n"
                    "b,1,-1,30,DISPATCH_END\n"
                    "a,2,-1,40,DISPATCH_BEGIN\n"
                    "a,2,0,41,HOST_COPY_BEGIN\n"
                    "a,2,0,44,HOST_COPY_END\n"
                    "a,2,-1,50,DISPATCH_END\n",
          read);
    check(R2_HEADER "a,0,-1,10,DISPATCH_BEGIN\n"
                    "a,0,0,11,HOST_COPY_BEGIN\n"
                    "b,1,-1,12,DISPATCH_BEGIN\n"
                    "a,0,0,14,HOST_COPY_END\n"
                    "b,1,0,15,HOST_COPY_BEGIN\n"
                    "a,0,-1,20,DISPATCH_END\n"
                    "b,1,0,29,HOST_COPY_END\n"
                    "b,1,-1,30,DISPATCH_END\n"
                    "a,2,-1,40,DISPATCH_BEGIN\n"
                    "a,2,0,41,HOST_COPY_BEGIN\n"
                    "a,2,0,44,HOST_COPY_END\n"
                    "a,2,-1,50,DISPATCH_END\n",
          read);
}

/* Names that begin alike. */
static void test_r2_names(void **state)
{
    (void)state;
    check(R2_HEADER "d_1,0,-1,10,DISPATCH_BEGIN\n"
                    "d_1,0,-1,20,DISPATCH_END\n"
                    "d_10,1,-1,30,DISPATCH_BEGIN\n"
                    "d_10,1,-1,40,DISPATCH_END\n"
                    "d_1,2,-1,50,DISPATCH_BEGIN\n"
                    "d_10,3,-1,60,DISPATCH_BEGIN\n"
                    "d_1,2,-1,70,DISPATCH_END\n"
                    ",3,-1,75,DISPATCH_END\n"
                    "d_10,3,-1,80,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d_1#0\n"
                           "Host|30|40|DISPATCH|phase|-|d_10#1\n"
                           "Host|50|70|DISPATCH|phase|-|d_1#2\n"
                           "Host|60|80|DISPATCH|phase|-|d_10#3\n"
                           "Host|75|75|DISPATCH|phase|-|#3|unmatched=true\n"
                           "lost unmatched_end 1 at 9\n");
}

/* A row that the probe sees only half does not count. */
static void test_r2_cut_head(void **state)
{
    (void)state;
    static const char row[] = "a,0,-1,10,DISPATCH_BEGIN\na,0,-1,20,DISPATCH_END\n";
    static char text[2 * TACHO_PROBE_BYTES];
    for (size_t back = 1; back < 16; back++) {
        size_t len = (size_t)snprintf(text, sizeof(text), R2_HEADER);
        while (len + 200 < TACHO_PROBE_BYTES) {
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", row);
        }
        /* A name so long that "DISPATCH_BEGIN" starts |back| bytes before the end of the head. */
        int name_len = (int)(TACHO_PROBE_BYTES - back - len - strlen(",0,-1,10,"));
        snprintf(text + len, sizeof(text) - len, "%0*d,0,-1,10,DISPATCH_BEGIN\n%s", name_len, 0,
                 row);
        fixture made;
        setup_in(&made, TACHO_ORDER_SORT);
        assert_ok(read_bytes(&made, tacho_str_from_cstring(text)));
        tacho_str shown = tacho_dict_string(&made.dict, made.dict.parts[0].generation);
        assert_string_equal(shown.data, "R2");
        teardown(&made);
    }
}

/* A host program lasts from its start to the wait; other actions may lie between. */
static void test_r2_programs(void **state)
{
    (void)state;
    static const char rows[] = "d,7,0,10,HOST_START_BEGIN\n"
                               "d,7,0,11,HOST_START_END\n"
                               "d,7,1,11,NSS_START_BEGIN\n"
                               "d,7,1,12,NSS_START_END\n"
                               "d,7,2,12,HOST_COPY_BEGIN\n"
                               "d,7,2,14,HOST_COPY_END\n"
                               "d,7,3,14,NSS_WAIT_BEGIN\n"
                               "d,7,3,20,NSS_WAIT_END\n"
                               "d,7,4,20,HOST_WAIT_BEGIN\n"
                               "d,7,4,25,HOST_WAIT_END\n"
                               "d,7,5,25,NSS_START_BEGIN\n"
                               "d,7,5,26,NSS_START_END\n"
                               "d,7,6,26,NSS_WAIT_BEGIN\n"
                               "d,7,6,40,NSS_WAIT_END\n";
    static const char read[] =
        PART("R2", "10") "Host Actions|10|11|HOST_START|sync|-|d#7|action=0\n"
                         "Host Programs|10|25|HOST_PROGRAM|host|-|d#7|action=0\n"
                         "NSS Actions|11|12|NSS_START|sync|-|d#7|action=1\n"
                         "NSS Programs|11|20|NSS program|control|-|d#7|action=1\n"
                         "Host Copy|12|14|HOST_COPY|host_copy|-|d#7|action=2\n"
                         "NSS Actions|14|20|NSS_WAIT|sync|-|d#7|action=3\n"
                         "Host Actions|20|25|HOST_WAIT|sync|-|d#7|action=4\n"
                         "NSS Actions|25|26|NSS_START|sync|-|d#7|action=5\n"
                         "NSS Programs|25|40|NSS program|control|-|d#7|action=5\n"
                         "NSS Actions|26|40|NSS_WAIT|sync|-|d#7|action=6\n";
    char text[1024];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    check(text, read);
    check_shuffled(R2_HEADER, rows);
}

/* Two programs started before one wait both end with it; a wait for nothing ends none. */
static void test_r2_odd_programs(void **state)
{
    (void)state;
    check(R2_HEADER "d,7,0,10,NSS_START_BEGIN\n"
                    "d,7,0,11,NSS_START_END\n"
                    "d,7,1,12,NSS_START_BEGIN\n"
                    "d,7,1,13,NSS_START_END\n"
                    "d,7,2,14,NSS_WAIT_BEGIN\n"
                    "d,7,2,20,NSS_WAIT_END\n"
                    "d,7,3,21,NSS_WAIT_BEGIN\n"
                    "d,7,3,22,NSS_WAIT_END\n"
                    "d,7,4,23,HOST_WAIT_BEGIN\n"
                    "d,7,4,24,HOST_WAIT_END\n",
          PART("R2", "10") "NSS Actions|10|11|NSS_START|sync|-|d#7|action=0\n"
                           "NSS Programs|10|20|NSS program|control|-|d#7|action=0\n"
                           "NSS Actions|12|13|NSS_START|sync|-|d#7|action=1\n"
                           "NSS Programs|12|20|NSS program|control|-|d#7|action=1\n"
                           "NSS Actions|14|20|NSS_WAIT|sync|-|d#7|action=2\n"
                           "NSS Actions|21|22|NSS_WAIT|sync|-|d#7|action=3\n"
                           "Host Actions|23|24|HOST_WAIT|sync|-|d#7|action=4\n");
}

/* Calls of one name in one scope: one inside another, then one after another. */
static void test_r2_hal_is_lifo(void **state)
{
    (void)state;
    check(R2_HEADER "q,1,-1,10,HAL_CALL_BEGIN\n"
                    "q,1,-1,11,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,12,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,13,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,14,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,15,HAL_QUEUE_WAIT_BEGIN\n"
                    "q,1,-1,16,HAL_QUEUE_WAIT_END\n"
                    "q,1,-1,17,HAL_CALL_END\n",
          PART("R2h", "10") "HAL|10|17|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "HAL|11|14|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n"
                            "HAL|12|13|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n"
                            "HAL|15|16|HAL_QUEUE_WAIT|runtime|-|q#1|scope=q\n");
    /* An END that belongs to nothing does not take the next BEGIN. */
    check(R2_HEADER "q,1,-1,11,HAL_CALL_END\n"
                    "q,1,-1,12,HAL_CALL_BEGIN\n"
                    "q,1,-1,13,HAL_CALL_END\n",
          PART("R2h", "11") "HAL|11|11|HAL_CALL|runtime|-|q#1|scope=q unmatched=true\n"
                            "HAL|12|13|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "lost unmatched_end 1 at 2\n");
}

static void test_r2_unmatched(void **state)
{
    (void)state;
    static const char rows[] = "d,0,-1,10,DISPATCH_BEGIN\n"
                               "d,0,0,11,HOST_COPY_BEGIN\n"
                               "d,0,1,12,ALLOC_END\n"
                               "d,0,2,13,NSS_START_BEGIN\n"
                               "d,0,2,14,NSS_START_END\n"
                               "d,0,3,20,NSS_WAIT_BEGIN\n"
                               "q,1,-1,15,HAL_CALL_BEGIN\n"
                               "e,2,-1,30,DISPATCH_BEGIN\n"
                               "e,2,-1,40,DISPATCH_END\n";
    char text[1024];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    /* What has no end lasts as long as its run; a call of the HAL as long as the file. */
    check(text, PART("R2h", "10") "Host|10|20|DISPATCH|phase|-|d#0 unended\n"
                                  "Host Copy|11|20|HOST_COPY|host_copy|-|d#0|action=0 unended\n"
                                  "Host Memory|12|12|ALLOC|memory|-|d#0|action=1 unmatched=true\n"
                                  "NSS Actions|13|14|NSS_START|sync|-|d#0|action=2\n"
                                  "NSS Programs|13|20|NSS program|control|-|d#0|action=2 unended\n"
                                  "HAL|15|40|HAL_CALL|runtime|-|q#1|scope=q unended\n"
                                  "NSS Actions|20|20|NSS_WAIT|sync|-|d#0|action=3 unended\n"
                                  "Host|30|40|DISPATCH|phase|-|e#2\n"
                                  "lost unmatched_end 1 at 4\n"
                                  "lost never_ended 1 at 5\n");
    check_shuffled(R2_HEADER, rows);
}

/* Of an END that comes too early and one that does not, the BEGIN gets the latter. */
static void test_r2_early_end(void **state)
{
    (void)state;
    check(R2_HEADER "q,1,-1,12,HAL_CALL_BEGIN\n"
                    "q,1,-1,11,HAL_CALL_END\n"
                    "q,1,-1,13,HAL_CALL_END\n",
          PART("R2h", "11") "HAL|11|11|HAL_CALL|runtime|-|q#1|scope=q unmatched=true\n"
                            "HAL|12|13|HAL_CALL|runtime|-|q#1|scope=q\n"
                            "lost unmatched_end 1 at 3\n");
}

static void test_r2_swapped(void **state)
{
    (void)state;
    static const char read[] = PART("R2", "10") "Host|10|30|DISPATCH|phase|-|d#0\n"
                                                "Host Copy|12|15|HOST_COPY|host_copy|-|d#0|"
                                                "action=0\n";
    check(R2_HEADER "d,0,-1,30,DISPATCH_BEGIN\n"
                    "d,0,0,15,HOST_COPY_BEGIN\n"
                    "d,0,0,12,HOST_COPY_END\n"
                    "d,0,-1,10,DISPATCH_END\n",
          read);
    check(R2_HEADER "d,0,-1,10,DISPATCH_END\n"
                    "d,0,0,12,HOST_COPY_END\n"
                    "d,0,0,15,HOST_COPY_BEGIN\n"
                    "d,0,-1,30,DISPATCH_BEGIN\n",
          read);
}

/* Names of a later version are kept where they pair up. */
static void test_r2_unknown_names(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                    "d,0,-1,11,WARM_UP_BEGIN\n"
                    "d,0,4,12,PREFETCH_BEGIN\n"
                    "d,0,4,13,PREFETCH_END\n"
                    "d,0,5,13,ALLOCATE_BEGIN\n"
                    "d,0,5,14,ALLOCATE_END\n"
                    "d,0,-1,14,WARM_UP_END\n"
                    "d,0,-1,15,COOL_DOWN_END\n"
                    "d,0,-1,16,SHUT_DOWN_BEGIN\n"
                    "d,0,-1,20,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "Host|11|14|WARM_UP|phase|-|d#0\n"
                           "Host|12|13|PREFETCH|phase|-|d#0|action=4\n"
                           "Host|13|14|ALLOCATE|phase|-|d#0|action=5\n"
                           "lost unknown_event 2 at 9\n");
}

/* Microseconds are coarse: much starts or ends at one time. */
static void test_r2_ties(void **state)
{
    (void)state;
    static const char rows[] = "d,0,-1,10,DISPATCH_BEGIN\n"
                               "d,0,-1,10,DISPATCH_SYNC_BINDINGS_IN_BEGIN\n"
                               "d,0,-1,10,DISPATCH_SYNC_BINDINGS_IN_END\n"
                               "d,0,-1,10,DISPATCH_EXECUTE_ACTIONS_BEGIN\n"
                               "d,0,0,10,DEALLOC_BEGIN\n"
                               "d,0,0,10,DEALLOC_END\n"
                               "d,0,1,10,ALLOC_BEGIN\n"
                               "d,0,1,10,ALLOC_END\n"
                               "d,0,2,10,ALLOC_BEGIN\n"
                               "d,0,2,12,ALLOC_END\n"
                               "d,0,3,12,NSS_START_BEGIN\n"
                               "d,0,3,12,NSS_START_END\n"
                               "d,0,4,12,NSS_WAIT_BEGIN\n"
                               "d,0,4,20,NSS_WAIT_END\n"
                               "d,0,5,20,NSS_START_BEGIN\n"
                               "d,0,5,20,NSS_START_END\n"
                               "d,0,6,20,NSS_WAIT_BEGIN\n"
                               "d,0,6,20,NSS_WAIT_END\n"
                               "d,0,-1,20,DISPATCH_EXECUTE_ACTIONS_END\n"
                               "d,0,-1,20,DISPATCH_END\n";
    char text[2048];
    snprintf(text, sizeof(text), R2_HEADER "%s", rows);
    check(text, PART("R2h", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                                  "Host|10|20|DISPATCH_EXECUTE_ACTIONS|phase|-|d#0\n"
                                  "Host|10|10|DISPATCH_SYNC_BINDINGS_IN|phase|-|d#0\n"
                                  "Host Memory|10|10|ALLOC|memory|-|d#0|action=1\n"
                                  "Host Memory|10|10|DEALLOC|memory|-|d#0|action=0\n"
                                  "Host Memory|10|12|ALLOC|memory|-|d#0|action=2\n"
                                  "NSS Actions|12|20|NSS_WAIT|sync|-|d#0|action=4\n"
                                  "NSS Actions|12|12|NSS_START|sync|-|d#0|action=3\n"
                                  "NSS Programs|12|20|NSS program|control|-|d#0|action=3\n"
                                  "NSS Actions|20|20|NSS_START|sync|-|d#0|action=5\n"
                                  "NSS Actions|20|20|NSS_WAIT|sync|-|d#0|action=6\n"
                                  "NSS Programs|20|20|NSS program|control|-|d#0|action=5\n");
    check_passes(text);
    check_shuffled(R2_HEADER, rows);
}

/* The scope around all others is complete last and goes first. */
static void test_passes(void **state)
{
    (void)state;
    check_passes(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                           "d,0,0,11,HOST_COPY_BEGIN\n"
                           "d,0,0,12,HOST_COPY_END\n"
                           "d,0,1,12,NSS_START_BEGIN\n"
                           "d,0,1,13,NSS_START_END\n"
                           "d,0,2,13,NSS_WAIT_BEGIN\n"
                           "d,0,2,14,NSS_WAIT_END\n"
                           "d,0,-1,20,DISPATCH_END\n"
                           "d,1,-1,30,DISPATCH_BEGIN\n"
                           "d,1,0,31,HOST_COPY_BEGIN\n"
                           "d,1,0,32,HOST_COPY_END\n"
                           "d,1,-1,40,DISPATCH_END\n");
    check_passes(R2_HEADER "q,0,-1,10,HAL_CALL_BEGIN\n"
                           "d,1,-1,11,DISPATCH_BEGIN\n"
                           "d,1,-1,12,DISPATCH_SYNC_BINDINGS_IN_BEGIN\n"
                           "d,1,-1,13,DISPATCH_SYNC_BINDINGS_IN_END\n"
                           "d,1,0,13,ALLOC_BEGIN\n"
                           "d,1,0,13,ALLOC_END\n"
                           "d,1,-1,14,DISPATCH_END\n"
                           "q,0,-1,15,HAL_CALL_END\n");
    /* Nothing tells that the first span is alone at its time before the file ends. */
    check_passes(R2_HEADER "d,0,0,10,HOST_COPY_BEGIN\n"
                           "d,0,0,10,HOST_COPY_END\n"
                           "d,0,1,12,NSS_START_BEGIN\n"
                           "d,0,1,13,NSS_START_END\n"
                           "d,0,2,13,NSS_WAIT_BEGIN\n"
                           "d,0,2,14,NSS_WAIT_END\n");
    /* A file that is cut: all that is open ends with it. */
    check_passes(R2_HEADER "q,0,-1,10,HAL_CALL_BEGIN\n"
                           "d,1,-1,11,DISPATCH_BEGIN\n"
                           "d,1,-1,12,DISPATCH_EXECUTE_ACTIONS_BEGIN\n"
                           "d,1,0,13,NSS_START_BEGIN\n"
                           "d,1,0,14,NSS_START_END\n"
                           "d,1,1,14,NSS_WAIT_BEGIN\n");
}

/* Adds one row to |pairing| as the reader would. */
static void add_row(torq_host_pairing *pairing, int64_t action, int64_t time, const char *base,
                    bool is_begin)
{
    char text[64];
    snprintf(text, sizeof(text), "%s%s", base, is_begin ? "_BEGIN" : "_END");
    tacho_str key = tacho_str_from_cstring(text);
    torq_host_stamp stamp = {.action = action, .time = time, .run = 0};
    stamp.event = torq_host_events_find(&pairing->events, key);
    if (stamp.event == TACHO_NONE) {
        torq_host_event_facts facts = {
            .base = tacho_str_from_cstring(base), .location = TACHO_STR(""), .is_begin = is_begin};
        assert_ok(torq_host_events_add(&pairing->events, key, &facts, &stamp.event));
    }
    assert_ok(torq_host_pairing_add(pairing, &stamp));
}

static void add_pair(torq_host_pairing *pairing, int64_t action, int64_t time, const char *base)
{
    add_row(pairing, action, time, base, true);
    add_row(pairing, action, time + 1, base, false);
}

static size_t held_count(const torq_host_pairing *pairing)
{
    size_t count = pairing->chained_count + pairing->runs.items[0].queues[0].count;
    for (size_t i = 0; i < TACHO_TORQ_HOST_TRACK_COUNT; i++) {
        count += pairing->spans.lines[i].held_count;
    }
    return count;
}

/* In a long run nothing piles up, though every third action is silent and one END is missing. */
static void test_memory(void **state)
{
    (void)state;
    fixture made;
    setup_in(&made, TACHO_ORDER_PASS);
    tacho_input input;
    assert_ok(tacho_input_open_bytes("r.csv", TACHO_STR(""), &input));
    tacho_reading reading = {
        .input = &input,
        .path = TACHO_STR("r.csv"),
        .events = tacho_order_events(made.order),
    };
    tacho_part_facts facts = {.origin = TACHO_ORIGIN_MEASURED};
    tacho_clock clock;
    tacho_clock_init(&clock, 1000, 1);
    torq_part part;
    torq_host_pairing pairing;
    uint32_t run = 0;
    assert_ok(torq_part_init(&part, &reading, &facts, &clock, TACHO_STR("us")));
    assert_ok(torq_host_pairing_init(&pairing, &part));
    assert_ok(torq_host_runs_add(&pairing.runs, 0, 0, &run));
    add_pair(&pairing, -1, 1, "INIT");
    add_row(&pairing, 0, 5, "ALLOC", true);
    for (int i = 1; i < 1000; i++) {
        int64_t time = 100 * i;
        add_row(&pairing, -1, time, "DISPATCH", true);
        add_pair(&pairing, 3 * i, time + 1, "NSS_START");
        add_pair(&pairing, 3 * i + 1, time + 3, "NSS_WAIT");
        add_row(&pairing, -1, time + 5, "DISPATCH", false);
        assert_in_range(held_count(&pairing), 0, 32);
        assert_int_equal(pairing.spans.lines[TACHO_TORQ_HOST_PHASES].held_count, 0);
    }
    torq_host_pairing_deinit(&pairing);
    torq_part_deinit(&part);
    tacho_input_close(&input);
    teardown(&made);
}

/* Thousands of rows that wait for their partners at once. */
static void test_r2_many_open(void **state)
{
    (void)state;
    enum { OPEN_COUNT = 5000, ROW_BYTES = 64 };
    size_t room = (size_t)2 * OPEN_COUNT * ROW_BYTES;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, room, R2_HEADER);
    for (int i = 0; i < OPEN_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len, "d,%d,%d,%d,HOST_COPY_BEGIN\n", i % 7, i,
                                100 + i);
    }
    for (int i = 0; i < OPEN_COUNT; i++) {
        int action = i * 7 % OPEN_COUNT; /* each once, in another order */
        len += (size_t)snprintf(text + len, room - len, "d,%d,%d,%d,HOST_COPY_END\n", action % 7,
                                action, 9000 + 2 * action);
    }
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, tacho_str_make(text, len)));
    assert_int_equal(made.profile.span_count, OPEN_COUNT);
    assert_int_equal(made.dict.run_count, 7);
    for (size_t i = 0; i < OPEN_COUNT; i++) {
        tacho_span span = tacho_profile_span(&made.profile, i);
        assert_int_equal(span.start, 100 + i);
        assert_int_equal(span.end, 9000 + 2 * i);
        assert_int_equal(made.profile.args[span.args].arg.value.as_int, i);
    }
    teardown(&made);
    free(text);
}

/* One scope with more spans inside than are held goes through the sort, and loses nothing. */
static void test_r2_long_scope(void **state)
{
    (void)state;
    enum { SPAN_COUNT = 150000, ROW_BYTES = 64 };
    size_t room = (size_t)2 * SPAN_COUNT * ROW_BYTES;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, room, R2_HEADER "d,0,-1,9,DISPATCH_BEGIN\n");
    for (int i = 0; i < SPAN_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len,
                                "d,0,%d,%d,HOST_COPY_BEGIN\nd,0,%d,%d,HOST_COPY_END\n", i,
                                10 + 2 * i, i, 11 + 2 * i);
    }
    len += (size_t)snprintf(text + len, room - len, "d,0,-1,%d,DISPATCH_END\n", 3 * SPAN_COUNT);
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, tacho_str_make(text, len)));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_int_equal(made.profile.span_count, SPAN_COUNT + 1);
    assert_int_equal(tacho_profile_span(&made.profile, 0).end, 3 * SPAN_COUNT);
    teardown(&made);
    setup_in(&made, TACHO_ORDER_PASS);
    tacho_status status = read_bytes(&made, tacho_str_make(text, len));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_OUT_OF_ORDER);
    tacho_status_free(status);
    teardown(&made);
    free(text);
}

/* ---- tracks ----------------------------------------------------------------------------- */

static void test_tracks(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tacho_track_class track_class;
        tacho_nesting nesting;
    } expected[] = {
        {"Host", TACHO_TRACK_PHASE, TACHO_NESTING_STACK},
        {"HAL", TACHO_TRACK_RUNTIME, TACHO_NESTING_STACK},
        {"Host Programs", TACHO_TRACK_HOST, TACHO_NESTING_ENGINE},
        {"Host Actions", TACHO_TRACK_SYNC, TACHO_NESTING_STACK},
        {"Host Copy", TACHO_TRACK_HOST_COPY, TACHO_NESTING_ENGINE},
        {"Host Memory", TACHO_TRACK_MEMORY, TACHO_NESTING_ENGINE},
        {"NSS Programs", TACHO_TRACK_CONTROL, TACHO_NESTING_ENGINE},
        {"NSS Actions", TACHO_TRACK_SYNC, TACHO_NESTING_STACK},
    };
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, TACHO_STR(R2_HEADER R2I_ROWS "d,9,0,1900,HOST_START_BEGIN\n"
                                                             "d,9,1,1901,ALLOC_BEGIN\n")));
    assert_int_equal(made.dict.track_count, 9);
    for (size_t i = 1; i < made.dict.track_count; i++) {
        const tacho_track *track = &made.dict.tracks[i];
        tacho_str name = tacho_dict_string(&made.dict, track->name);
        assert_int_equal(track->parent, made.dict.parts[0].root);
        assert_in_range(track->rank, 0, 7);
        assert_string_equal(name.data, expected[track->rank].name);
        assert_int_equal(track->track_class, expected[track->rank].track_class);
        assert_int_equal(track->nesting, expected[track->rank].nesting);
    }
    teardown(&made);
}

/* ---- bad input -------------------------------------------------------------------------- */

static void test_r2_losses(void **state)
{
    (void)state;
    check(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                    "d,0,-1,11\n"
                    "d\n"
                    "d,0,0,12,HOST_COPY_BEGIN,more\n"
                    "d,x,0,12,HOST_COPY_BEGIN\n"
                    "d,0,,12,HOST_COPY_BEGIN\n"
                    "d,0,-2,12,HOST_COPY_BEGIN\n"
                    "d,0,0,-12,HOST_COPY_BEGIN\n"
                    "d,0,0,99999999999999999999,HOST_COPY_BEGIN\n"
                    "d,0,0,9300000000000000,HOST_COPY_BEGIN\n"
                    "d,9300000000000000000,0,12,HOST_COPY_BEGIN\n"
                    "d,0,0,12,HOST_COPY\n"
                    "d,0,0,12,_BEGIN\n"
                    "d,0,0,12,\n"
                    "\n"
                    "d,0,-1,20,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "lost wrong_field_count 3 at 3\n"
                           "lost not_a_number 2 at 6\n"
                           "lost negative_time 2 at 8\n"
                           "lost time_overflow 3 at 10\n"
                           "lost unknown_event 3 at 13\n");
    check_bytes(TACHO_STR(R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
                                    "d\0,0,-1,11,HOST_COPY_BEGIN\n"
                                    "d,0,-1,1\0,HOST_COPY_BEGIN\n"
                                    "d,0,-1,11,HOST_COPY\0_BEGIN\n"
                                    "d,0,-1,20,DISPATCH_END\n"),
                PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                                 "lost nul_byte 3 at 3\n");
}

static void test_r1_losses(void **state)
{
    (void)state;
    check(R1_HEADER "0,0,10,HOST_COPY_START,loc(unknown)\n"
                    "0,x,11,HOST_COPY_END,loc(unknown)\n"
                    "0,-1,11,HOST_COPY_END,loc(unknown)\n"
                    "x,1,11,HOST_COPY_END,loc(unknown)\n"
                    "0,1,11,HOST_COPY_END\n"
                    "0,1,11\n"
                    "0,1,9300000000000000,HOST_COPY_END,loc(unknown)\n"
                    "0,1,11,HOST_COPY,loc(unknown)\n"
                    "0,2,12,HOST_COPY_END,loc(unknown)\n",
          PART("R1", "10") "Host Copy|10|12|HOST_COPY|host_copy|-|dispatch#0|action=0\n"
                           "lost not_a_number 2 at 3\n"
                           "lost negative_time 1 at 4\n"
                           "lost wrong_field_count 2 at 6\n"
                           "lost time_overflow 1 at 8\n"
                           "lost unknown_event 1 at 9\n");
    check_bytes(TACHO_STR(R1_HEADER "0,0,10,HOST_COPY_START,loc(\0unknown)\n"
                                    "0,0,11,HOST_COPY_END,loc(unknown)\n"),
                PART("R1", "11") "Host Copy|11|11|HOST_COPY|host_copy|-|dispatch#0|"
                                 "action=0 unmatched=true\n"
                                 "lost nul_byte 1 at 2\n"
                                 "lost unmatched_end 1 at 3\n");
}

static void test_line_ends(void **state)
{
    (void)state;
    check("dispatch_name,invocation_id,action_id,timestamp_us,event\r\n"
          "d,0,-1,10,DISPATCH_BEGIN\r\n"
          "\r\n"
          "d,0,-1,20,DISPATCH_END",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n");
    check("actionIndex, elapsed_time(us), timestamp(us), event, location\r\n"
          "0,0,10,NSS_START,\"loc(unknown)\"\r\n"
          "0,5,15,NSS_START_END,\"loc(unknown)\"",
          PART("R1q", "10") "NSS Actions|10|15|NSS_START|sync|-|dispatch#0|action=0\n"
                            "NSS Programs|10|15|NSS program|control|-|dispatch#0|"
                            "action=0 unended\n"
                            "lost never_ended 1 at 2\n");
}

/* Files that were put together, and files whose header was cut off: with --from. */
static void test_headers(void **state)
{
    (void)state;
    check("\n" R2_HEADER "d,0,-1,10,DISPATCH_BEGIN\n"
          "d,0,-1,20,DISPATCH_END\n" R2_HEADER "e,0,-1,30,DISPATCH_BEGIN\n"
          "e,0,-1,40,DISPATCH_END\n",
          PART("R2", "10") "Host|10|20|DISPATCH|phase|-|d#0\n"
                           "Host|30|40|DISPATCH|phase|-|e#0\n");
    check(R1_HEADER "0,0,10,ALLOC_START,\n"
                    "0,1,11,ALLOC_END,\n" R1_HEADER "0,0,20,ALLOC_START,\n"
                    "0,1,21,ALLOC_END,\n",
          PART("R1", "10") "Host Memory|10|11|ALLOC|memory|-|dispatch#0|action=0\n"
                           "Host Memory|20|21|ALLOC|memory|-|dispatch#1|action=0\n");
    check(R2I_ROWS, PART("R2i", "1000") R2I_READ);
    check(R1_ROWS, PART("R1", "81234567412") R1_READ);
    check(R1Q_ROWS, PART("R1q", "81234567412") R1_READ);
}

static void test_refused(void **state)
{
    (void)state;
    check_refused("", "r.csv: the file has a header but no rows");
    check_refused(R2_HEADER, "r.csv: the file has a header but no rows");
    check_refused(R1_HEADER, "r.csv: the file has a header but no rows");
    check_refused("some text\n", "r.csv:1: no row of this file can be read");
    check_refused(R2_HEADER "\nd,0,0,1\n", "r.csv:3: no row of this file can be read");
    check_refused(R2_HEADER "d,0,0,1,NEW_BEGIN\n", "r.csv:2: no row of this file can be read");
}

static const char *resolved(const char *text)
{
    tacho_input input;
    assert_ok(tacho_input_open_bytes("r.csv", tacho_str_from_cstring(text), &input));
    const tacho_source *source = NULL;
    tacho_status status = tacho_source_resolve(&input, &source);
    tacho_input_close(&input);
    tacho_status_free(status);
    return source != NULL ? source->name : "none";
}

static void test_probe(void **state)
{
    (void)state;
    assert_string_equal(resolved(R1_HEADER R1_ROWS), "torq-host");
    assert_string_equal(resolved(R1_HEADER R1Q_ROWS), "torq-host");
    assert_string_equal(resolved(R2_HEADER R2I_ROWS), "torq-host");
    assert_string_equal(resolved(R1_HEADER), "torq-host");
    assert_string_equal(resolved("\xef\xbb\xbf" R2_HEADER), "torq-host");
    assert_string_equal(resolved("\n\r\n" R2_HEADER), "torq-host");
    assert_string_equal(resolved(R2I_ROWS), "none");
    assert_string_equal(resolved("actionIndex,elapsed_time(us),timestamp(us),event,location\r\n"),
                        "torq-host");
    /* T3 has the same columns and one more. */
    assert_string_equal(
        resolved("actionIndex, elapsed_time(us), timestamp(us), event, location, bytes\n"
                 "0,5,0,DMA In,loc(unknown),64\n"),
        "torq-timeline");
    assert_string_equal(resolved("id;time_since_open;time_since_start;location\n0;5;1;\n"),
                        "torq-runtime");
    assert_string_equal(resolved("dispatch_name,invocation_id,action_id,event\n"), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r1),
        cmocka_unit_test(test_r1_every_event),
        cmocka_unit_test(test_r1_locations),
        cmocka_unit_test(test_r1_restarts),
        cmocka_unit_test(test_r1_silent_actions),
        cmocka_unit_test(test_r2i),
        cmocka_unit_test(test_r2_generations),
        cmocka_unit_test(test_r2_several_dispatches),
        cmocka_unit_test(test_r2_names),
        cmocka_unit_test(test_r2_cut_head),
        cmocka_unit_test(test_r2_programs),
        cmocka_unit_test(test_r2_odd_programs),
        cmocka_unit_test(test_r2_hal_is_lifo),
        cmocka_unit_test(test_r2_unmatched),
        cmocka_unit_test(test_r2_early_end),
        cmocka_unit_test(test_r2_swapped),
        cmocka_unit_test(test_r2_unknown_names),
        cmocka_unit_test(test_r2_ties),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_r2_many_open),
        cmocka_unit_test(test_r2_long_scope),
        cmocka_unit_test(test_tracks),
        cmocka_unit_test(test_r2_losses),
        cmocka_unit_test(test_r1_losses),
        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_probe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
