/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test helpers for host profiles of Torq. Composed ones are read into a profile, in sort mode, and
 * the result is written as text: one line for each part, span and loss. Include it after
 * <cmocka.h>.
 *
 *     part r.csv torq-host R2 measured, microseconds of 1000/1 ns from 410
 *     Host Copy|412|533|HOST_COPY|host_copy|-|main#2|action=0
 *     lost not_a_number 1 at 2
 */
#ifndef TACHO_SOURCES_TORQ_HOST_TESTING_H
#define TACHO_SOURCES_TORQ_HOST_TESTING_H

#include "sources/torq/torq.h"
#include "sources/torq/torq_testing.h"

#include <stdio.h>
#include <stdlib.h>

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

static inline tacho_status read_bytes(fixture *to, tacho_str bytes)
{
    return read_as(to, &tacho_source_torq_host, "r.csv", bytes);
}

/* ---- the profile as text ---------------------------------------------------------------- */

static inline void put_site(fixture *to, const tacho_site *site)
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

static inline void put_arg(fixture *to, const tacho_arg *arg)
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

static inline void put_span(fixture *to, size_t id)
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

static inline const char *render(fixture *from)
{
    return render_with(from, put_span);
}

/* ---- checks ----------------------------------------------------------------------------- */

static inline void check_bytes(tacho_str bytes, const char *expected)
{
    fixture made;
    setup_in(&made, TACHO_ORDER_SORT);
    assert_ok(read_bytes(&made, bytes));
    assert_ok(tacho_profile_validate(&made.profile));
    assert_string_equal(render(&made), expected);
    assert_int_equal(made.dict.parts[0].row_count, made.profile.span_count);
    teardown(&made);
}

static inline void check(const char *text, const char *expected)
{
    check_bytes(tacho_str_from_cstring(text), expected);
}

/* Rows in time order pass the order filter unsorted, with the same zero. */
static inline void check_passes(const char *text)
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

static inline int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits |text| at its line ends, which are overwritten. */
static inline size_t split_lines(char *text, char **lines)
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

/*
 * Reads header and lines into |made| and returns its lines, sorted: the order of tracks does not
 * matter.
 */
static inline size_t read_lines(fixture *made, const char *header, char **rows, size_t row_count,
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
    for (size_t i = 0; i < count; i++) { /* its line number does not matter */
        char *place = strncmp(out_lines[i], "lost ", 5) == 0 ? strstr(out_lines[i], " at ") : NULL;
        if (place != NULL) {
            *place = '\0';
        }
    }
    qsort(out_lines, count, sizeof(*out_lines), compare_lines);
    return count;
}

/* Any order of the rows gives the same profile. */
static inline void check_shuffled(const char *header, const char *rows)
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

#endif
