/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library in programs that are not made for it: calls with NULL, a locale that writes numbers
 * with a comma, a fork, another folder, several threads, names with control characters. It uses the
 * public headers only.
 *
 *     strangers FOLDER [LOCALE]     works in FOLDER; LOCALE has a decimal comma
 */
#include <tacho/tacho.h>

#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREAD_COUNT = 4, ENTRIES_PER_THREAD = 5000, FILE_BYTES = 1 << 16 };

static const char *comma_locale; /* NULL: none is installed */

static void assert_ok(tacho_status status)
{
    if (status != TACHO_OK) {
        fail_msg("%s", tacho_status_message(status));
    }
}

static void assert_usage(tacho_status status)
{
    assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
    tacho_status_free(status);
}

static const char *read_text(const char *path)
{
    static char text[FILE_BYTES];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[len] = '\0';
    return text;
}

static tacho_timechart *open_chart(const char *path)
{
    tacho_timechart *chart = NULL;
    assert_ok(tacho_timechart_open(path, NULL, &chart));
    return chart;
}

static const tacho_timechart_log entry = {"host", "main", "load", 10, 20};

static void test_version(void **state)
{
    (void)state;
    char numbers[64];
    snprintf(numbers, sizeof(numbers), "%d.%d.%d", TACHO_VERSION_MAJOR, TACHO_VERSION_MINOR,
             TACHO_VERSION_PATCH);
    assert_string_equal(tacho_version(), TACHO_VERSION);
    assert_string_equal(tacho_version(), numbers);
}

/* ---- NULL and misuse ------------------------------------------------------------------------ */

static void test_null_charts(void **state)
{
    (void)state;
    tacho_timechart *chart = NULL;
    assert_usage(tacho_timechart_open(NULL, NULL, &chart));
    assert_usage(tacho_timechart_open("null.json", NULL, NULL));
    assert_usage(tacho_timechart_render(NULL, &entry));
    assert_usage(tacho_timechart_add_process(NULL, "p"));
    assert_usage(tacho_timechart_add_thread(NULL, "p", "t", NULL));
    assert_usage(tacho_timechart_add_counter(NULL, "p", "c", NULL));
    assert_usage(tacho_timechart_set_track_event(NULL, 0, TACHO_TIMECHART_BEGIN, &entry));
    assert_usage(tacho_timechart_add_sample(NULL, "p", "c", 0, 1));
    assert_usage(tacho_timechart_add_compile_csv(NULL, NULL, "a.csv", 0));
    assert_usage(tacho_timechart_add_runtime_csv(NULL, NULL, "a.csv"));
    assert_usage(tacho_timechart_flush(NULL));
    assert_int_equal(tacho_timechart_lost_count(NULL), 0);
    tacho_timechart_close(NULL);

    chart = open_chart("null.json");
    assert_usage(tacho_timechart_render(chart, NULL));
    assert_usage(tacho_timechart_set_track_event(chart, 0, TACHO_TIMECHART_END, NULL));
    assert_usage(tacho_timechart_add_process(chart, NULL));
    assert_usage(tacho_timechart_add_thread(chart, "p", NULL, NULL));
    assert_usage(tacho_timechart_add_counter(chart, NULL, "c", NULL));
    assert_usage(tacho_timechart_add_sample(chart, "p", NULL, 0, 1));
    assert_usage(tacho_timechart_add_compile_csv(chart, NULL, NULL, 0));
    tacho_timechart_close(chart);
}

static void test_null_views(void **state)
{
    (void)state;
    const char *paths[] = {NULL};
    tacho_view *view = NULL;
    assert_usage(tacho_view_open(NULL, 1, NULL, &view));
    assert_usage(tacho_view_open(paths, 1, NULL, &view));
    assert_usage(tacho_view_open(paths, 1, NULL, NULL));
    tacho_span_view span;
    tacho_arg_view arg = {0};
    assert_int_equal(tacho_view_count(NULL).span_count, 0);
    assert_false(tacho_view_part(NULL, 0, &(tacho_part_view){0}));
    assert_false(tacho_view_track(NULL, 0, &(tacho_track_view){0}));
    assert_false(tacho_view_span(NULL, 0, &span));
    assert_false(tacho_view_first_arg(NULL, 0, &arg));
    assert_false(tacho_view_next_arg(NULL, &arg));
    assert_false(tacho_view_sample(NULL, 0, &(tacho_sample_view){0}));
    assert_false(tacho_view_flow(NULL, 0, &(tacho_flow_view){0}));
    assert_false(tacho_view_loss(NULL, 0, &(tacho_loss_view){0}));
    assert_false(tacho_view_fact(NULL, 0, &(tacho_fact_view){0}));
    tacho_view_close(NULL);

    tacho_timechart *chart = open_chart("view.json");
    assert_ok(tacho_timechart_render(chart, &entry));
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    paths[0] = "view.json";
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_false(tacho_view_span(view, 0, NULL));
    memset(&arg, 0xff, sizeof(arg)); /* of no span */
    assert_false(tacho_view_next_arg(view, &arg));
    assert_false(tacho_view_next_arg(view, NULL));
    tacho_view_close(view);
}

static void test_null_conversions(void **state)
{
    (void)state;
    const char *paths[] = {NULL};
    tacho_named_logs none = {0};
    tacho_named_logs no_items = {NULL, 1};
    tacho_named_logs no_path = {&(tacho_named_log){"a", NULL}, 1};
    assert_usage(tacho_convert(NULL, 1, "a.pb", NULL, NULL));
    assert_usage(tacho_convert(paths, 1, "a.pb", NULL, NULL));
    paths[0] = "a.csv";
    assert_usage(tacho_convert(paths, 1, NULL, NULL, NULL));
    assert_usage(tacho_convert_to_perfetto(no_items, none, "a.pb", 0, NULL));
    assert_usage(tacho_convert_to_perfetto(none, no_path, "a.pb", 0, NULL));
    assert_usage(tacho_convert_to_perfetto(none, none, NULL, 0, NULL));
}

/* ---- memory and descriptors ------------------------------------------------------------------ */

static const char small[] = "DI0,0,10,,DMA_IN\nDI1,20,30,,DMA_IN\n";

static void test_memory(void **state)
{
    (void)state;
    static const char *const formats[] = {"perfetto", "chrome", "tacho"};
    const tacho_input_view csv = {.bytes = small, .byte_count = strlen(small), .name = "small"};
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        const tacho_convert_options options = {.to = formats[i]};
        void *bytes = NULL;
        size_t byte_count = 0;
        tacho_view *view = NULL;
        tacho_part_view part;
        assert_ok(tacho_convert_to_memory(&csv, 1, &options, &bytes, &byte_count));
        const tacho_input_view trace = {.bytes = bytes, .byte_count = byte_count};
        assert_ok(tacho_view_open_inputs(&trace, 1, NULL, &view));
        free(bytes); /* not needed any more */
        assert_int_equal(tacho_view_count(view).span_count, 2);
        assert_true(tacho_view_part(view, 0, &part));
        assert_string_equal(part.name, "small");
        tacho_view_close(view);
    }
}

static void test_misused_memory(void **state)
{
    (void)state;
    const tacho_convert_options options = {.to = "chrome"};
    const tacho_convert_options formatless = {.to = NULL};
    const tacho_input_view csv = {.bytes = small, .byte_count = strlen(small)};
    const tacho_input_view neither = {.name = "x"};
    const tacho_input_view both = {.path = "x", .bytes = small, .byte_count = 1};
    const tacho_input_view no_bytes = {.byte_count = 1};
    void *bytes = NULL;
    size_t byte_count = 0;
    tacho_view *view = NULL;
    assert_usage(tacho_convert_to_memory(&csv, 1, &options, NULL, &byte_count));
    assert_usage(tacho_convert_to_memory(&csv, 1, &options, &bytes, NULL));
    assert_usage(tacho_convert_to_memory(&csv, 1, &formatless, &bytes, &byte_count));
    assert_usage(tacho_convert_to_memory(&csv, 1, NULL, &bytes, &byte_count));
    assert_usage(tacho_convert_to_memory(NULL, 1, &options, &bytes, &byte_count));
    assert_usage(tacho_convert_to_memory(&csv, 0, &options, &bytes, &byte_count));
    assert_null(bytes);
    assert_usage(tacho_view_open_inputs(&neither, 1, NULL, &view));
    assert_usage(tacho_view_open_inputs(&both, 1, NULL, &view));
    assert_usage(tacho_view_open_inputs(&no_bytes, 1, NULL, &view));
    assert_usage(tacho_view_open_inputs(&csv, 1, NULL, NULL));
    assert_usage(tacho_convert_inputs(&csv, 1, NULL, &options, NULL));
    assert_null(view);
}

static void test_descriptors(void **state)
{
    (void)state;
    char path[32];
    int ends[2];
    const char *const paths[] = {path};
    tacho_view *view = NULL;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], small, strlen(small)), strlen(small));
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_int_equal(tacho_view_count(view).span_count, 2);
    tacho_view_close(view);
    close(ends[0]);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[1]);
    const tacho_convert_options options = {.to = "jsonl"};
    const tacho_input_view csv = {.bytes = small, .byte_count = strlen(small)};
    assert_ok(tacho_convert_inputs(&csv, 1, path, &options, NULL));
    char head[8] = "";
    assert_int_equal(read(ends[0], head, 7), 7);
    assert_string_equal(head, "{\"kind\"");
    close(ends[0]);
    close(ends[1]);
}

/* ---- cancelling ----------------------------------------------------------------------------- */

static bool count_and_stop(void *user, uint64_t done_bytes, uint64_t total_bytes)
{
    size_t *left = user;
    assert_true(done_bytes <= total_bytes);
    return (*left)-- > 0;
}

static void test_cancelled_conversion(void **state)
{
    (void)state;
    const char *const inputs[] = {"cancel.csv"};
    size_t left = SIZE_MAX;
    tacho_convert_options options = {.progress = count_and_stop, .user = &left};
    tacho_convert_result result;
    FILE *file = fopen(inputs[0], "wb");
    assert_non_null(file);
    for (int i = 0; i < 200000; i++) {
        fprintf(file, "DI%d,%d,%d,,DMA_IN\n", i, i * 10, i * 10 + 5);
    }
    fclose(file);
    assert_ok(tacho_convert(inputs, 1, "cancel.json", &options, &result));
    assert_true(left < SIZE_MAX); /* it was told */
    assert_int_equal(result.event_count, 200000);
    left = 0;
    tacho_status status = tacho_convert(inputs, 1, "cancelled.json", &options, &result);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_CANCELLED);
    tacho_status_free(status);
    assert_int_equal(access("cancelled.json", F_OK), -1);
}

/* An end where nothing has begun makes no thread. */
static void test_failed_calls_change_nothing(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("same.jsonl");
    const tacho_timechart_log other = {"host", "other", NULL, 0, 0};
    const tacho_timechart_log nobody = {"nobody", "other", NULL, 0, 0};
    assert_ok(tacho_timechart_render(chart, &entry));
    assert_usage(tacho_timechart_set_track_event(chart, 5, TACHO_TIMECHART_END, &other));
    assert_usage(tacho_timechart_set_track_event(chart, 5, TACHO_TIMECHART_END, &nobody));
    assert_ok(tacho_timechart_add_counter(chart, "host", "other", NULL)); /* would be a thread */
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    assert_null(strstr(read_text("same.jsonl"), "nobody"));
}

/* ---- the program around it ------------------------------------------------------------------- */

static void test_comma_locale(void **state)
{
    (void)state;
    if (comma_locale == NULL || setlocale(LC_ALL, comma_locale) == NULL) {
        skip();
    }
    char shown[16];
    snprintf(shown, sizeof(shown), "%.1f", 1.5);
    assert_string_equal(shown, "1,5");
    tacho_timechart *chart = open_chart("comma.json");
    assert_ok(tacho_timechart_add_sample(chart, "host", "load", 5, 1234567.25));
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    assert_non_null(strstr(read_text("comma.json"), "1234567.25"));

    const char *paths[] = {"comma.json"};
    tacho_view *view = NULL;
    tacho_sample_view sample;
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_true(tacho_view_sample(view, 0, &sample));
    assert_true(sample.value == 1234567.25);
    tacho_view_close(view);

    assert_ok(tacho_convert(paths, 1, "again.jsonl", NULL, NULL));
    assert_non_null(strstr(read_text("again.jsonl"), "1234567.25"));
    snprintf(shown, sizeof(shown), "%.1f", 1.5); /* the program's own is as it was */
    assert_string_equal(shown, "1,5");
    setlocale(LC_ALL, "C");
}

/* A child that goes on with its parent's chart is told so, and the parent's file is its own. */
static void test_fork(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("fork.jsonl");
    assert_ok(tacho_timechart_render(chart, &entry));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tacho_timechart_log mine = {"child", "main", "work", 1, 2};
        tacho_status render = tacho_timechart_render(chart, &mine);
        tacho_status flush = tacho_timechart_flush(chart);
        bool is_right = tacho_status_code(render) == TACHO_CODE_USAGE &&
                        tacho_status_code(flush) == TACHO_CODE_USAGE;
        tacho_status_free(render);
        tacho_status_free(flush);
        tacho_timechart_close(chart);
        _exit(is_right ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    assert_non_null(strstr(read_text("fork.jsonl"), "load"));
    assert_null(strstr(read_text("fork.jsonl"), "child"));
}

static void test_another_folder(void **state)
{
    (void)state;
    char before[4096];
    assert_non_null(getcwd(before, sizeof(before)));
    tacho_timechart *chart = open_chart("here.jsonl");
    assert_ok(tacho_timechart_render(chart, &entry));
    assert_int_equal(chdir("/"), 0);
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);
    assert_int_equal(chdir(before), 0);
    assert_non_null(strstr(read_text("here.jsonl"), "load"));
}

typedef struct filler {
    tacho_timechart *chart;
    char thread_name[16];
    bool has_failed;
} filler;

static void *fill(void *self)
{
    filler *to = self;
    tacho_timechart_log log = {"host", to->thread_name, "step", 0, 0};
    for (int i = 0; i < ENTRIES_PER_THREAD; i++) {
        log.start_time = (int64_t)i * 10;
        log.end_time = log.start_time + 5;
        tacho_status status = tacho_timechart_render(to->chart, &log);
        to->has_failed = to->has_failed || status != TACHO_OK;
        tacho_status_free(status);
    }
    return NULL;
}

static void test_several_threads(void **state)
{
    (void)state;
    tacho_timechart *chart = open_chart("threads.pb");
    filler fillers[THREAD_COUNT];
    pthread_t threads[THREAD_COUNT];
    for (int i = 0; i < THREAD_COUNT; i++) {
        fillers[i] = (filler){.chart = chart};
        snprintf(fillers[i].thread_name, sizeof(fillers[i].thread_name), "t%d", i);
        assert_int_equal(pthread_create(&threads[i], NULL, fill, &fillers[i]), 0);
    }
    for (int i = 0; i < THREAD_COUNT; i++) {
        pthread_join(threads[i], NULL);
        assert_false(fillers[i].has_failed);
    }
    assert_ok(tacho_timechart_flush(chart));
    tacho_timechart_close(chart);

    const char *paths[] = {"threads.pb"};
    tacho_view *view = NULL;
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_int_equal(tacho_view_count(view).span_count, THREAD_COUNT * ENTRIES_PER_THREAD);
    assert_int_equal(tacho_view_count(view).lost_count, 0);
    tacho_view_close(view);
}

static void test_messages_are_printable(void **state)
{
    (void)state;
    const char *paths[] = {"no\x1b[31m\nsuch\x7f.csv"};
    tacho_view *view = NULL;
    tacho_status status = tacho_view_open(paths, 1, NULL, &view);
    assert_true(status != TACHO_OK);
    for (const char *at = tacho_status_message(status); *at != '\0'; at++) {
        assert_true(*at >= ' ' && *at != 0x7f);
    }
    assert_non_null(strstr(tacho_status_message(status), "no\\x1b[31m"));
    tacho_status_free(status);
}

/* What was lost when a trace was made is told to who reads it. */
static void test_losses_of_traces(void **state)
{
    (void)state;
    FILE *file = fopen("lost.json", "wb");
    assert_non_null(file);
    fputs("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2},"
          "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":\"late\",\"dur\":2}]}",
          file);
    fclose(file);
    const char *paths[] = {"lost.json"};
    tacho_view *view = NULL;
    tacho_convert_result result;
    assert_ok(tacho_convert(paths, 1, "lost.pb", NULL, &result));
    assert_int_equal(result.lost_count, 1);
    paths[0] = "lost.pb";
    assert_ok(tacho_view_open(paths, 1, NULL, &view));
    assert_int_equal(tacho_view_count(view).lost_count, 0);
    assert_int_equal(tacho_view_count(view).lost_before_count, 1);
    tacho_view_close(view);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: strangers FOLDER [LOCALE]\n");
        return 2;
    }
    comma_locale = argc > 2 ? argv[2] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_null_charts),
        cmocka_unit_test(test_null_views),
        cmocka_unit_test(test_null_conversions),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_misused_memory),
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_cancelled_conversion),
        cmocka_unit_test(test_failed_calls_change_nothing),
        cmocka_unit_test(test_comma_locale),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_another_folder),
        cmocka_unit_test(test_several_threads),
        cmocka_unit_test(test_messages_are_printable),
        cmocka_unit_test(test_losses_of_traces),
    };
    return cmocka_run_group_tests_name("strangers", tests, NULL, NULL);
}
