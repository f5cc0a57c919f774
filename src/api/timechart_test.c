/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time charts as a program draws them: what is in the file after each flush, and that a failure
 * changes neither file nor chart. write(2) is replaced so that any one of them can fail.
 */
#define _GNU_SOURCE /* syscall(2) */
#include <tacho/convert.h>
#include <tacho/profile.h>
#include <tacho/timechart.h>

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/output_testing.h"

enum { PATH_BYTES = 512, FILE_BYTES = 64 << 10 };

static int writes_until_failure = -1; /* -1: none fails */

ssize_t write(int fd, const void *bytes, size_t len)
{
    if (writes_until_failure == 0 && fd > 2) {
        errno = ENOSPC;
        return -1;
    }
    writes_until_failure -= writes_until_failure > 0 && fd > 2 ? 1 : 0;
    return (ssize_t)syscall(SYS_write, fd, bytes, len);
}

int fsync(int fd)
{
    (void)fd; /* does not wait for the disk */
    return 0;
}

/* ---- a folder for each test --------------------------------------------------------------- */

static char folder[PATH_BYTES];

static const char *path_of(const char *name)
{
    static char paths[32][PATH_BYTES * 2];
    static size_t next;
    char *path = paths[next++ % 32];
    int len = snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    assert_true(len > 0 && (size_t)len < sizeof(paths[0]));
    return path;
}

static int make_folder(void **state)
{
    (void)state;
    const char *temp = getenv("TMPDIR");
    snprintf(folder, sizeof(folder), "%s/tacho-chart.XXXXXX",
             temp != NULL && temp[0] != '\0' ? temp : "/tmp");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"t.jsonl", "t.json", "t.pb", "a.csv", "b.csv", "c.csv"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unlink(path_of(names[i]));
    }
    return rmdir(folder); /* fails if anything else was left behind */
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* The bytes of a file, with a NUL behind; "" when there is none. */
static char *read_file(const char *name, size_t *out_len)
{
    static char texts[2][FILE_BYTES];
    static size_t next;
    char *text = texts[next++ % 2];
    FILE *file = fopen(path_of(name), "rb");
    *out_len = file != NULL ? fread(text, 1, FILE_BYTES - 1, file) : 0;
    text[*out_len] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    keep_test_output(text, *out_len);
    return text;
}

/* Checks the events of t.jsonl: "file|track|start+duration|name flags", counters with a value. */
static void check_events(const char *expected)
{
    static char seen[FILE_BYTES];
    size_t len = 0;
    char *text = read_file("t.jsonl", &len);
    size_t used = 0;
    seen[0] = '\0';
    for (char *line = strtok_r(text, "\n", &text); line != NULL;
         line = strtok_r(NULL, "\n", &text)) {
        char kind[16], file[64], track[64], name[64];
        long long start = 0, duration = -1;
        double value = 0;
        if (strstr(line, "\"kind\":\"attribute\"") != NULL) {
            continue;
        }
        assert_int_equal(
            sscanf(line,
                   "{\"kind\":\"%15[^\"]\",\"file\":\"%63[^\"]\",\"track\":\"%63[^\"]\","
                   "\"class\":\"%*[^\"]\",\"start_ns\":%lld",
                   kind, file, track, &start),
            4);
        used +=
            (size_t)snprintf(seen + used, sizeof(seen) - used, "%s|%s|%lld", file, track, start);
        const char *at = strstr(line, "\"duration_ns\":");
        if (at != NULL && sscanf(at, "\"duration_ns\":%lld", &duration) == 1) {
            used += (size_t)snprintf(seen + used, sizeof(seen) - used, "+%lld", duration);
        }
        at = strstr(line, "\"value\":");
        if (at != NULL && sscanf(at, "\"value\":%lf", &value) == 1) {
            used += (size_t)snprintf(seen + used, sizeof(seen) - used, "=%g", value);
        }
        at = strstr(line, "\"name\":\"");
        if (at != NULL && sscanf(at, "\"name\":\"%63[^\"]", name) == 1) {
            used += (size_t)snprintf(seen + used, sizeof(seen) - used, "|%s", name);
        }
        used += (size_t)snprintf(seen + used, sizeof(seen) - used, "%s%s\n",
                                 strcmp(kind, "instant") == 0 ? " instant" : "",
                                 strstr(line, "\"unended\":true") != NULL ? " unended" : "");
    }
    assert_string_equal(seen, expected);
}

static void check_fails(tacho_status status, tacho_code code, const char *message)
{
    assert_int_equal(tacho_status_code(status), code);
    assert_string_equal(tacho_status_message(status), message);
    tacho_status_free(status);
}

static tacho_timechart *open_chart(const char *name, const tacho_timechart_options *options)
{
    tacho_timechart *chart = NULL;
    assert_null(tacho_timechart_open(path_of(name), options, &chart));
    assert_non_null(chart);
    return chart;
}

static tacho_status render(tacho_timechart *chart, const char *thread, const char *function,
                           int64_t start, int64_t end)
{
    tacho_timechart_log log = {"p", thread, function, start, end};
    return tacho_timechart_render(chart, &log);
}

static tacho_status set_event(tacho_timechart *chart, int64_t time, tacho_timechart_event type,
                              const char *function)
{
    tacho_timechart_log log = {"p", "t", function, 0, 0};
    return tacho_timechart_set_track_event(chart, time, type, &log);
}

/* ---- entries ------------------------------------------------------------------------------- */

static void test_entries_come_in_any_order(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    assert_null(render(chart, "t", "inner", 1200, 1300));
    assert_null(render(chart, "t", "outer", 1000, 2000));
    assert_null(render(chart, "t", "crossing", 1900, 2500));
    assert_null(render(chart, "u", "empty", 1000, 1000));
    check_events(""); /* nothing before a flush */
    assert_null(tacho_timechart_flush(chart));
    /* Times are as given: no zero is taken off. */
    check_events("p|t|1000+1000|outer\n"
                 "p|u|1000+0|empty\n"
                 "p|t|1200+100|inner\n"
                 "p|t|1900+600|crossing\n");
    tacho_timechart_close(chart);
}

static void test_crossing_spans_get_lanes(void **state)
{
    (void)state;
    size_t len = 0;
    tacho_timechart *chart = open_chart("t.json", NULL);
    assert_null(render(chart, "t", "a", 0, 10));
    assert_null(render(chart, "t", "b", 5, 15));
    for (int i = 0; i < 3; i++) { /* each flush has one lane, not one more */
        assert_null(tacho_timechart_flush(chart));
        const char *text = read_file("t.json", &len);
        const char *lane = strstr(text, " lane of 2\"}");
        assert_non_null(lane);
        assert_null(strstr(lane + 1, " lane of "));
        assert_non_null(strstr(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":0.000,\"dur\":0.010,"
                                     "\"name\":\"a\""));
        assert_non_null(strstr(text, "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":0.005,\"dur\":0.010,"
                                     "\"name\":\"b\""));
    }
    /* A new thread gets the number that the lane had. */
    assert_null(render(chart, "u", "c", 0, 1));
    assert_null(tacho_timechart_flush(chart));
    const char *text = read_file("t.json", &len);
    assert_non_null(strstr(text, "\"tid\":3,\"ts\":0.000,\"dur\":0.001,\"name\":\"c\""));
    assert_non_null(strstr(text, "\"tid\":4,\"ts\":0.005,\"dur\":0.010,\"name\":\"b\""));
    tacho_timechart_close(chart);
}

static void test_processes_share_a_clock(void **state)
{
    (void)state;
    tacho_timechart_options options = {0};
    options.ns_per_tick = 1000;
    tacho_timechart *chart = open_chart("t.jsonl", &options);
    tacho_timechart_log first = {"a/b", "t", "x", 7, 8};
    tacho_timechart_log second = {"c", "t", "y", 3, 4};
    assert_null(tacho_timechart_render(chart, &first));
    assert_null(tacho_timechart_render(chart, &second));
    assert_null(tacho_timechart_flush(chart));
    check_events("a/b|t|7000+1000|x\n"
                 "c|t|3000+1000|y\n");
    tacho_timechart_close(chart);
}

static void test_cycles(void **state)
{
    (void)state;
    tacho_timechart_options options = {0};
    options.clock_mhz = "800";
    options.origin = "measured";
    tacho_timechart *chart = open_chart("t.jsonl", &options);
    assert_null(render(chart, "t", "x", 1, 3));
    assert_null(tacho_timechart_flush(chart));
    check_events("p|t|1+2|x\n"); /* 1.25 and 3.75, both rounded down */
    size_t len = 0;
    const char *text = read_file("t.jsonl", &len);
    assert_non_null(strstr(text, "\"cycles\":2"));
    assert_non_null(strstr(text, "\"tacho.part.1.origin\",\"value\":\"measured\""));
    assert_non_null(strstr(text, "\"tacho.part.1.alignment\",\"value\":\"times as given\""));
    tacho_timechart_close(chart);
}

static void test_begin_and_end(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    check_fails(set_event(chart, 5, TACHO_TIMECHART_END, NULL), TACHO_CODE_USAGE,
                "an end at 5 on thread 't', where nothing has begun");
    assert_null(set_event(chart, 10, TACHO_TIMECHART_BEGIN, "outer"));
    assert_null(set_event(chart, 20, TACHO_TIMECHART_BEGIN, "inner"));
    assert_null(set_event(chart, 25, TACHO_TIMECHART_INSTANT, "now"));
    check_fails(set_event(chart, 19, TACHO_TIMECHART_END, NULL), TACHO_CODE_USAGE,
                "an end at 19 on thread 't', which began at 20");
    assert_null(render(chart, "u", "late", 30, 90));
    assert_null(tacho_timechart_flush(chart));
    check_events("p|t|10+80|outer unended\n"
                 "p|t|20+70|inner unended\n"
                 "p|t|25|now instant\n"
                 "p|u|30+60|late\n");
    assert_null(set_event(chart, 40, TACHO_TIMECHART_END, NULL)); /* the inner one */
    assert_null(set_event(chart, 100, TACHO_TIMECHART_END, "any name"));
    assert_null(tacho_timechart_flush(chart));
    check_events("p|t|10+90|outer\n"
                 "p|t|20+20|inner\n"
                 "p|t|25|now instant\n"
                 "p|u|30+60|late\n");
    check_fails(set_event(chart, 101, TACHO_TIMECHART_END, NULL), TACHO_CODE_USAGE,
                "an end at 101 on thread 't', where nothing has begun");
    check_fails(set_event(chart, 0, (tacho_timechart_event)9, "x"), TACHO_CODE_USAGE,
                "unknown time chart event type 9");
    tacho_timechart_close(chart);
}

static void test_descriptors_fix_the_order(void **state)
{
    (void)state;
    size_t len = 0;
    tacho_timechart *chart = open_chart("t.json", NULL);
    tacho_timechart_log q = {"q", "t", "x", 0, 1};
    assert_null(tacho_timechart_add_process(chart, "p"));
    assert_null(tacho_timechart_add_process(chart, "q"));
    assert_null(tacho_timechart_add_process(chart, "p")); /* nothing new */
    assert_null(tacho_timechart_add_thread(chart, "p", "second", NULL));
    assert_null(tacho_timechart_add_thread(chart, "p", "first", "compute"));
    assert_null(tacho_timechart_add_thread(chart, "p", "first", "vector")); /* stays compute */
    assert_null(tacho_timechart_add_counter(chart, "p", "bytes", "bytes"));
    assert_null(tacho_timechart_add_sample(chart, "p", "bytes", 1, 2.5));
    assert_null(tacho_timechart_render(chart, &q));
    assert_null(render(chart, "first", "y", 0, 1));
    assert_null(render(chart, "second", "z", 0, 1));
    assert_null(tacho_timechart_flush(chart));
    const char *text = read_file("t.json", &len);
    assert_non_null(strstr(text, "\"pid\":1,\"tid\":1,\"name\":\"process_name\",\"args\":{\"name\":"
                                 "\"p\","));
    assert_non_null(strstr(text, "\"args\":{\"name\":\"q\","));
    assert_non_null(strstr(text, "{\"name\":\"second\",\"facts\":\"tacho: host"));
    assert_non_null(strstr(text, "{\"name\":\"first\",\"facts\":\"tacho: compute"));
    assert_non_null(strstr(text, "\"pid\":1,\"tid\":3,\"name\":\"thread_sort_index\",\"args\":{"
                                 "\"sort_index\":0}"));
    assert_non_null(strstr(text, "\"pid\":1,\"tid\":4,\"name\":\"thread_sort_index\",\"args\":{"
                                 "\"sort_index\":1}"));
    assert_non_null(strstr(text, "\"name\":\"bytes\",\"args\":{\"bytes\":2.5}"));
    tacho_timechart_close(chart);
}

static void test_wrong_entries(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    check_fails(render(chart, "", "x", 0, 1), TACHO_CODE_USAGE,
                "a time chart entry without a thread");
    check_fails(render(chart, "t", NULL, 0, 1), TACHO_CODE_USAGE,
                "a time chart entry without a function");
    check_fails(render(chart, "t", "x", -1, 1), TACHO_CODE_USAGE,
                "time -1 is not within 0 and 9223372036854775807");
    check_fails(render(chart, "t", "x", 2, 1), TACHO_CODE_USAGE,
                "'x' ends at 1, before it starts at 2");
    check_fails(tacho_timechart_add_process(chart, NULL), TACHO_CODE_USAGE,
                "a time chart entry without a process");
    check_fails(tacho_timechart_add_thread(chart, "p", "t", "group"), TACHO_CODE_USAGE,
                "unknown thread class 'group'");
    check_fails(tacho_timechart_add_counter(chart, "p", "c", "m"), TACHO_CODE_USAGE,
                "unknown unit 'm'; use bytes, count, cycles, ns or %");
    assert_null(tacho_timechart_add_thread(chart, "p", "t", NULL));
    check_fails(tacho_timechart_add_sample(chart, "p", "t", 0, 1), TACHO_CODE_USAGE,
                "'t' of process 'p' is a thread already");
    assert_null(tacho_timechart_add_counter(chart, "p", "c", NULL));
    check_fails(render(chart, "c", "x", 0, 1), TACHO_CODE_USAGE,
                "'c' of process 'p' is a counter already");
    check_fails(tacho_timechart_add_sample(chart, "p", "c", 4, (double)NAN), TACHO_CODE_USAGE,
                "counter 'c' at 4 is not a finite number");
    assert_null(tacho_timechart_flush(chart));
    check_events("");
    tacho_timechart_close(chart);
}

/* ---- open ---------------------------------------------------------------------------------- */

static void check_open_fails(const char *path, const tacho_timechart_options *options,
                             tacho_code code, const char *message)
{
    tacho_timechart *chart = (tacho_timechart *)(void *)folder;
    check_fails(tacho_timechart_open(path, options, &chart), code, message);
    assert_null(chart);
}

static void test_open_refuses(void **state)
{
    (void)state;
    char expected[PATH_BYTES * 3];
    check_open_fails("t.xyz", NULL, TACHO_CODE_USAGE, "unknown trace format or suffix: 't.xyz'");
    tacho_timechart_options to = {0};
    to.to = "perfetto";
    check_open_fails("-", &to, TACHO_CODE_USAGE,
                     "-: a time chart needs a file that it can replace");
    const char *missing = path_of("none/t.pb");
    tacho_timechart *chart = NULL;
    tacho_status status = tacho_timechart_open(missing, NULL, &chart);
    assert_null(chart);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    snprintf(expected, sizeof(expected), "%s:", missing);
    assert_memory_equal(tacho_status_message(status), expected, strlen(expected));
    tacho_status_free(status);
    tacho_timechart_options options = {0};
    options.clock_mhz = "fast";
    options.ns_per_tick = 2;
    check_open_fails(path_of("t.pb"), &options, TACHO_CODE_USAGE,
                     "give clock_mhz or ns_per_tick, not both");
    options = (tacho_timechart_options){0};
    options.origin = "guessed";
    check_open_fails(path_of("t.pb"), &options, TACHO_CODE_USAGE,
                     "unknown origin 'guessed'; use measured, simulated, estimated or unknown");
    options = (tacho_timechart_options){0};
    options.reserved[5] = 1;
    check_open_fails(path_of("t.pb"), &options, TACHO_CODE_USAGE,
                     "an option that this version of the library does not have; set options to "
                     "zero first");
    tacho_timechart_close(NULL);
}

static void test_every_write_may_fail(void **state)
{
    (void)state;
    size_t len = 0;
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    assert_null(render(chart, "t", "first", 0, 1));
    assert_null(tacho_timechart_flush(chart));
    for (int i = 0; i < 6000; i++) {
        assert_null(render(chart, "t", "a name of some length", i, i + 2));
    }
    int failure_count = 0;
    for (;; failure_count++) {
        writes_until_failure = failure_count;
        tacho_status status = tacho_timechart_flush(chart);
        writes_until_failure = -1;
        if (status == TACHO_OK) {
            break;
        }
        assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
        assert_non_null(strstr(tacho_status_message(status), "No space left on device"));
        tacho_status_free(status);
        check_events("p|t|0+1|first\n"); /* the old file */
    }
    assert_true(failure_count >= 2);
    const char *text = read_file("t.jsonl", &len);
    assert_non_null(strstr(text, "a name of some length"));
    tacho_timechart_close(chart);
}

/* ---- files --------------------------------------------------------------------------------- */

static const char t1[] = "DI0,0,8,loc(unknown),DMA_IN\n"
                         "S0,8,16,loc(\"f.mlir\":4:1),conv\n"
                         "S4,16,24,loc(\"f.mlir\":5:1),add\n";
static const char r0[] = "id;time_since_open;time_since_start;location\n"
                         "0;15;5;loc(\"f.mlir\":4:1)\n"
                         "1;broken\n";

static void test_files(void **state)
{
    (void)state;
    write_file("a.csv", t1);
    write_file("b.csv", r0);
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    assert_null(render(chart, "t", "mine", 50, 60));
    assert_null(tacho_timechart_add_compile_csv(chart, "model", path_of("a.csv"), 3));
    assert_int_equal(tacho_timechart_lost_count(chart), 0);
    assert_null(tacho_timechart_add_runtime_csv(chart, "model", path_of("b.csv")));
    assert_null(tacho_timechart_add_runtime_csv(chart, NULL, path_of("b.csv")));
    assert_int_equal(tacho_timechart_lost_count(chart), 2);
    const char *const expected = "p|t|50+10|mine\n"
                                 "model|DMA In|0+10|DMA_IN\n"
                                 "model|Slice 0|10+10|conv\n"
                                 "model|Slice 1|20+10|add\n"
                                 "model #2|NSS Programs|0+5000|f.mlir:4:1\n"
                                 "b.csv|NSS Programs|0+5000|f.mlir:4:1\n";
    for (int i = 0; i < 2; i++) {
        assert_null(tacho_timechart_flush(chart));
        check_events(expected);
        assert_int_equal(tacho_timechart_lost_count(chart), 2);
    }
    tacho_timechart_log log = {"model", "t", "x", 0, 1};
    check_fails(tacho_timechart_render(chart, &log), TACHO_CODE_USAGE,
                "process 'model' was read from a file, which has a clock of its own; give entries "
                "another process");
    tacho_timechart_close(chart);
}

static void test_bad_files_change_nothing(void **state)
{
    (void)state;
    char message[PATH_BYTES * 3];
    size_t len = 0;
    size_t len_before = 0;
    write_file("a.csv", t1);
    write_file("b.csv", r0);
    write_file("c.csv", "DI0,0,8,loc(unknown),DMA_IN\n");
    tacho_timechart *chart = open_chart("t.json", NULL);
    assert_null(render(chart, "t", "mine", 50, 60));
    assert_null(tacho_timechart_flush(chart));
    const char *before = read_file("t.json", &len_before);
    snprintf(message, sizeof(message),
             "%s: expected Torq compile-time timeline CSV (T1-T4): estimated cycles, found Torq "
             "runtime job CSV (R0, R0b): measured microseconds",
             path_of("b.csv"));
    check_fails(tacho_timechart_add_compile_csv(chart, "m", path_of("b.csv"), 0),
                TACHO_CODE_BAD_DATA, message);
    snprintf(message, sizeof(message),
             "%s: expected Torq runtime job CSV (R0, R0b): measured microseconds or Torq host "
             "profile CSV (R1-R2i): measured microseconds, found Torq compile-time timeline CSV "
             "(T1-T4): estimated cycles",
             path_of("a.csv"));
    check_fails(tacho_timechart_add_runtime_csv(chart, "m", path_of("a.csv")), TACHO_CODE_BAD_DATA,
                message);
    /* This one opens its part and loses a row before it fails. */
    write_file("a.csv", "id;time_since_open;time_since_start;location\n0;x;y;\n");
    snprintf(message, sizeof(message),
             "%s:2: no row of this file can be read; first problem: a number was expected",
             path_of("a.csv"));
    check_fails(tacho_timechart_add_runtime_csv(chart, "m", path_of("a.csv")), TACHO_CODE_BAD_DATA,
                message);
    assert_int_equal(tacho_timechart_lost_count(chart), 0);
    snprintf(message, sizeof(message), "%s: cannot open: No such file or directory",
             path_of("none.csv"));
    check_fails(tacho_timechart_add_compile_csv(chart, "m", path_of("none.csv"), 0),
                TACHO_CODE_NOT_FOUND, message);
    assert_null(tacho_timechart_flush(chart));
    const char *after = read_file("t.json", &len);
    assert_int_equal(len, len_before);
    assert_memory_equal(after, before, len);
    assert_null(tacho_timechart_add_compile_csv(chart, "m", path_of("c.csv"), 0));
    assert_null(tacho_timechart_flush(chart));
    assert_non_null(strstr(read_file("t.json", &len), "\"args\":{\"name\":\"m\","));
    snprintf(message, sizeof(message), "%s is the chart's own output file and would be overwritten",
             path_of("t.json"));
    check_fails(tacho_timechart_add_compile_csv(chart, "m", path_of("t.json"), 0), TACHO_CODE_USAGE,
                message);
    tacho_timechart_close(chart);
}

/* A file that breaks off in the middle leaves no rows behind for the next one. */
static void test_late_failure(void **state)
{
    (void)state;
    enum { LONG_BYTES = 17 << 20 }; /* no line may be as long */
    write_file("a.csv", t1);
    write_file("b.csv", t1);
    FILE *file = fopen(path_of("b.csv"), "ab");
    assert_non_null(file);
    for (size_t i = 0; i < LONG_BYTES / 16; i++) {
        fputs("a long, long row", file);
    }
    assert_int_equal(fclose(file), 0);
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    tacho_status status = tacho_timechart_add_compile_csv(chart, "m", path_of("b.csv"), 0);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
    assert_null(tacho_timechart_add_compile_csv(chart, "m", path_of("a.csv"), 0));
    assert_null(tacho_timechart_flush(chart));
    check_events("m|DMA In|0+10|DMA_IN\n"
                 "m|Slice 0|10+10|conv\n"
                 "m|Slice 0|20+10|add\n");
    tacho_timechart_close(chart);
}

static void test_convert_to_perfetto(void **state)
{
    (void)state;
    size_t len = 0;
    write_file("a.csv", t1);
    write_file("b.csv", r0);
    tacho_named_log compile[] = {{"m", path_of("a.csv")}};
    tacho_named_log runtime[] = {{"m", path_of("b.csv")}};
    tacho_named_logs compile_logs = {compile, 1};
    tacho_named_logs runtime_logs = {runtime, 1};
    tacho_convert_result result = {0};
    assert_null(tacho_convert_to_perfetto(compile_logs, runtime_logs, path_of("t.pb"), 0, &result));
    assert_int_equal(result.event_count, 4);
    assert_int_equal(result.lost_count, 1);
    const char *bytes = read_file("t.pb", &len);
    assert_non_null(memmem(bytes, len, "m (estimated, not aligned)", 26));
    assert_non_null(memmem(bytes, len, "m #2 (measured, not aligned)", 28));
    assert_null(memmem(bytes, len, "SLICE 1", 7)); /* S0 and S4 of two slices */
    assert_null(
        tacho_convert_to_perfetto(compile_logs, (tacho_named_logs){0}, path_of("t.pb"), 3, NULL));
    bytes = read_file("t.pb", &len);
    assert_non_null(memmem(bytes, len, "m (estimated)", 13));
    assert_non_null(memmem(bytes, len, "SLICE 1", 7));
    tacho_status status =
        tacho_convert_to_perfetto(runtime_logs, compile_logs, path_of("t.pb"), 0, NULL);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    assert_memory_equal(tacho_status_message(status), runtime[0].path, strlen(runtime[0].path));
    tacho_status_free(status);
    check_fails(tacho_convert_to_perfetto((tacho_named_logs){0}, (tacho_named_logs){0},
                                          path_of("t.pb"), 0, NULL),
                TACHO_CODE_USAGE, "no input");
}

static void test_convert_options(void **state)
{
    (void)state;
    write_file("a.csv", t1);
    const char *inputs[] = {path_of("a.csv")};
    tacho_convert_options options = {0};
    options.reserved[0] = 1;
    check_fails(tacho_convert(inputs, 1, path_of("t.pb"), &options, NULL), TACHO_CODE_USAGE,
                "an option that this version of the library does not have; set options to zero "
                "first");
    options.reserved[0] = 0;
    assert_null(tacho_convert(inputs, 1, path_of("t.pb"), &options, NULL));
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

/* ---- arguments and flows ------------------------------------------------------------------- */

static void test_arguments(void **state)
{
    (void)state;
    const tacho_timechart_arg args[] = {
        {.key = "size", .unit = "bytes", .type = TACHO_VALUE_UINT, .as_uint = 4096},
        {.key = "delta", .type = TACHO_VALUE_INT, .as_int = -3},
        {.key = "ratio", .type = TACHO_VALUE_REAL, .as_real = 0.5},
        {.key = "hot", .type = TACHO_VALUE_BOOL, .as_bool = true},
        {.key = "layer", .type = TACHO_VALUE_TEXT, .text = "conv1"},
    };
    const tacho_timechart_log log = {"p", "t", "f", 0, 10};
    tacho_timechart *chart = open_chart("t.jsonl", NULL);
    size_t len = 0;
    assert_null(tacho_timechart_render_args(chart, &log, args, 5));
    assert_null(tacho_timechart_flush(chart));
    const char *text = read_file("t.jsonl", &len);
    assert_non_null(strstr(text, "\"size\":4096"));
    assert_non_null(strstr(text, "\"delta\":-3"));
    assert_non_null(strstr(text, "\"ratio\":0.5"));
    assert_non_null(strstr(text, "\"hot\":true"));
    assert_non_null(strstr(text, "\"layer\":\"conv1\""));
    tacho_timechart_arg bad = {.key = "x", .type = TACHO_VALUE_DICT};
    check_fails(tacho_timechart_render_args(chart, &log, &bad, 1), TACHO_CODE_USAGE,
                "argument 'x' is neither a number, a truth value nor text");
    bad = (tacho_timechart_arg){.key = "x", .type = TACHO_VALUE_REAL, .as_real = (double)NAN};
    check_fails(tacho_timechart_render_args(chart, &log, &bad, 1), TACHO_CODE_USAGE,
                "argument 'x' is not a finite number");
    bad = (tacho_timechart_arg){.key = "x", .unit = "miles"};
    check_fails(tacho_timechart_render_args(chart, &log, &bad, 1), TACHO_CODE_USAGE,
                "unknown unit 'miles'; use bytes, count, cycles, ns or %");
    check_fails(tacho_timechart_render_args(chart, &log, NULL, 1), TACHO_CODE_USAGE,
                "'f' has 1 arguments; at most 64, and not NULL");
    check_fails(tacho_timechart_render_args(chart, &log, args, 65), TACHO_CODE_USAGE,
                "'f' has 65 arguments; at most 64, and not NULL");
    tacho_timechart_close(chart);
}

static void test_flows(void **state)
{
    (void)state;
    const char *const paths[] = {path_of("t.json")};
    const tacho_timechart_flow flow = {"p", "a", "b", 5, 25, {0}};
    tacho_timechart_flow backwards = flow;
    tacho_view *view = NULL;
    tacho_flow_view ends[2];
    tacho_timechart *chart = open_chart("t.json", NULL);
    assert_null(tacho_timechart_add_flow(chart, &flow));
    assert_null(render(chart, "a", "make", 0, 10));
    assert_null(render(chart, "b", "use", 20, 30));
    backwards.to_time = 4;
    check_fails(tacho_timechart_add_flow(chart, &backwards), TACHO_CODE_USAGE,
                "a flow arrives at 4, before it leaves at 5");
    check_fails(tacho_timechart_add_flow(chart, NULL), TACHO_CODE_USAGE, "no flow given (NULL)");
    backwards = (tacho_timechart_flow){"p", "a", NULL, 5, 25, {0}};
    tacho_status status = tacho_timechart_add_flow(chart, &backwards);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    tacho_status_free(status);
    assert_null(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    assert_null(tacho_view_open(paths, 1, NULL, &view));
    assert_int_equal(tacho_view_count(view).flow_count, 2);
    assert_true(tacho_view_flow(view, 0, &ends[0]));
    assert_true(tacho_view_flow(view, 1, &ends[1]));
    assert_int_equal(ends[0].id, ends[1].id);
    assert_string_equal(ends[0].phase, "leaves");
    assert_string_equal(ends[1].phase, "arrives");
    assert_true(ends[0].track != ends[1].track);
    tacho_view_close(view);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_entries_come_in_any_order),
        IN_FOLDER(test_crossing_spans_get_lanes),
        IN_FOLDER(test_processes_share_a_clock),
        IN_FOLDER(test_cycles),
        IN_FOLDER(test_begin_and_end),
        IN_FOLDER(test_descriptors_fix_the_order),
        IN_FOLDER(test_wrong_entries),
        IN_FOLDER(test_open_refuses),
        IN_FOLDER(test_every_write_may_fail),
        IN_FOLDER(test_files),
        IN_FOLDER(test_bad_files_change_nothing),
        IN_FOLDER(test_late_failure),
        IN_FOLDER(test_convert_to_perfetto),
        IN_FOLDER(test_convert_options),
        IN_FOLDER(test_arguments),
        IN_FOLDER(test_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
