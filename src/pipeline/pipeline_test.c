/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A producer of three spans, in order or not, through the chain into a sink that writes numbers:
 * how often and in which mode it is asked, what stages, windows and strictness do, and what is left
 * of an output when it fails.
 */
#include "pipeline/pipeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- a producer ---------------------------------------------------------------------------- */

typedef struct script {
    int64_t starts[3];
    tacho_code fails_until_sorted; /* said in place of rows, until all is sorted */
    bool loses_one;
    tacho_order_mode modes[8]; /* in which it was asked */
    size_t asked;
    size_t opened, closed; /* of its stage */
    size_t staged_rows;
} script;

static tacho_status push_spans(const script *self, uint32_t track, tacho_events *events)
{
    tacho_row row = {.kind = TACHO_ROW_SPAN, .track = track};
    row.of.span.op = TACHO_NONE;
    row.of.span.run = TACHO_NONE;
    tacho_site site = {.location = TACHO_NONE};
    TACHO_TRY(tacho_dict_ensure_string(events->dict, TACHO_STR("work"), &site.name));
    TACHO_TRY(tacho_dict_ensure_site(events->dict, &site, &row.of.span.site));
    for (size_t i = 0; i < 3; i++) {
        row.start = self->starts[i];
        row.of.span.end = row.start + 5;
        TACHO_TRY(tacho_events_row(events, &row));
    }
    return TACHO_OK;
}

static tacho_status produce(void *user, tacho_order_mode mode, tacho_events *events)
{
    script *self = user;
    tacho_dict *dict = events->dict;
    tacho_clock clock;
    tacho_part_facts facts = {.path = TACHO_STR("script"), .origin = TACHO_ORIGIN_MEASURED};
    uint32_t part, track_id;
    assert_int_equal(dict->part_count, 0); /* a dictionary of its own */
    self->modes[self->asked++] = mode;
    tacho_clock_init(&clock, 1, 1);
    TACHO_TRY(tacho_dict_add_clock(dict, &clock, TACHO_STR("clock"), &facts.clock));
    TACHO_TRY(tacho_dict_add_part(dict, &facts, &part));
    tacho_track track = {.parent = dict->parts[part].root,
                         .part = part,
                         .clock = facts.clock,
                         .lane_of = TACHO_NONE,
                         .track_class = TACHO_TRACK_COMPUTE,
                         .nesting = TACHO_NESTING_ENGINE};
    TACHO_TRY(tacho_dict_ensure_track(dict, &track, TACHO_STR("engine"), &track_id));
    if (self->fails_until_sorted != TACHO_CODE_OK && mode != TACHO_ORDER_SORT_ALL) {
        return tacho_fail(self->fails_until_sorted, "not in this mode");
    }
    if (self->loses_one) {
        tacho_loss loss = {.part = part, .count = 1};
        TACHO_TRY(tacho_dict_add_loss(dict, &loss));
    }
    TACHO_TRY(push_spans(self, track_id, events));
    TACHO_TRY(tacho_events_end_part(events, part));
    return tacho_events_finish(events);
}

/* ---- a sink that writes "start-end@lane " -------------------------------------------------- */

typedef struct number_sink {
    tacho_events events;
    tacho_output *output;
} number_sink;

static tacho_status write_row(tacho_events *events, const tacho_row *row)
{
    number_sink *self = (number_sink *)(void *)events;
    char text[64];
    int len = snprintf(text, sizeof(text), "%lld-%lld@%u ", (long long)row->start,
                       (long long)row->of.span.end, (unsigned)row->track);
    tacho_output_write(self->output, text, (size_t)len);
    return TACHO_OK;
}

static tacho_status open_numbers(tacho_dict *dict, tacho_output *output,
                                 const tacho_trace_options *options, tacho_events **out_events)
{
    static const tacho_events_vtable vtable = {.row = write_row};
    number_sink *self = calloc(1, sizeof(*self));
    (void)options;
    assert_non_null(self);
    *self = (number_sink){{&vtable, dict}, output};
    *out_events = &self->events;
    return TACHO_OK;
}

static void close_numbers(tacho_events *events)
{
    free(events);
}

static const tacho_trace_sink numbers = {.open = open_numbers, .close = close_numbers};
static const tacho_trace_sink numbers_as_given = {
    .open = open_numbers, .close = close_numbers, .takes_rows_as_given = true};

/* ---- a stage that counts ------------------------------------------------------------------- */

typedef struct counting_stage {
    tacho_events events;
    tacho_events *next;
    script *script;
} counting_stage;

static counting_stage counting;

static tacho_status count_row(tacho_events *events, const tacho_row *row)
{
    counting_stage *self = (counting_stage *)(void *)events;
    self->script->staged_rows++;
    return tacho_events_row(self->next, row);
}

static tacho_events *open_counting(void *user, tacho_events *next)
{
    static const tacho_events_vtable vtable = {.row = count_row};
    counting = (counting_stage){{&vtable, next->dict}, next, user};
    counting.script->opened++;
    return &counting.events;
}

static void close_counting(void *user)
{
    ((script *)user)->closed++;
}

/* ---- writing ------------------------------------------------------------------------------- */

static char path[512];

static tacho_tracing tracing_of(script *self)
{
    return (tacho_tracing){
        .producer = {.produce = produce, .self = self, .first_mode = TACHO_ORDER_PASS},
        .selection = TACHO_SELECT_ALL,
        .sink = &numbers,
        .path = path,
    };
}

static const char *file_text(void)
{
    static char text[256];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    text[len] = '\0';
    fclose(file);
    return text;
}

static tacho_code write_code(const tacho_tracing *tracing)
{
    tacho_dict dict;
    assert_null(tacho_dict_init(&dict));
    unlink(path);
    tacho_status status = tacho_pipeline_write(tracing, &dict);
    tacho_code code = tacho_status_code(status);
    tacho_status_free(status);
    tacho_dict_deinit(&dict);
    return code;
}

static void test_rows_in_order_pass_once(void **state)
{
    script self = {.starts = {10, 20, 30}};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_int_equal(self.asked, 1);
    assert_int_equal(self.modes[0], TACHO_ORDER_PASS);
    assert_string_equal(file_text(), "10-15@1 20-25@1 30-35@1 ");
}

static void test_rows_out_of_order_are_asked_for_again(void **state)
{
    script self = {.starts = {30, 10, 20}};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_int_equal(self.asked, 2);
    assert_int_equal(self.modes[1], TACHO_ORDER_SORT);
    assert_string_equal(file_text(), "10-15@1 20-25@1 30-35@1 ");
}

static void test_a_producer_may_want_all_sorted(void **state)
{
    script self = {.starts = {30, 10, 20}, .fails_until_sorted = TACHO_CODE_OUT_OF_ORDER};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_int_equal(self.asked, 3);
    assert_int_equal(self.modes[2], TACHO_ORDER_SORT_ALL);
    script once = {.starts = {30, 10, 20}};
    tracing = tracing_of(&once);
    tracing.producer.first_mode = TACHO_ORDER_SORT_ALL;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_int_equal(once.asked, 1);
    assert_int_equal(once.modes[0], TACHO_ORDER_SORT_ALL);
}

static void test_other_failures_end_it(void **state)
{
    script self = {.starts = {10, 20, 30}, .fails_until_sorted = TACHO_CODE_BAD_DATA};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_BAD_DATA);
    assert_int_equal(self.asked, 1);
    assert_null(file_text());
}

static void test_lanes_unless_the_sink_wants_none(void **state)
{
    script self = {.starts = {10, 12, 30}};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_string_equal(file_text(), "10-15@1 12-17@2 30-35@1 ");
    tracing.sink = &numbers_as_given;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_string_equal(file_text(), "10-15@1 12-17@1 30-35@1 ");
}

static void test_a_stage_sees_all_and_a_window_keeps_some(void **state)
{
    script self = {.starts = {30, 10, 20}};
    tacho_stage stage = {open_counting, close_counting, &self};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    tracing.stage = &stage;
    tracing.selection.window_begin_ns = 10; /* behind the first event */
    tracing.selection.window_end_ns = 11;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    assert_string_equal(file_text(), "20-25@1 ");
    assert_int_equal(self.opened, 2); /* one more for the second attempt */
    assert_int_equal(self.closed, 2);
    assert_int_equal(self.staged_rows, 1 + 3);
}

static void test_strict_refuses_losses(void **state)
{
    script self = {.starts = {10, 20, 30}, .loses_one = true};
    tacho_tracing tracing = tracing_of(&self);
    (void)state;
    assert_int_equal(write_code(&tracing), TACHO_CODE_OK);
    tracing.is_strict = true;
    assert_int_equal(write_code(&tracing), TACHO_CODE_BAD_DATA);
    assert_null(file_text());
}

static void test_a_chosen_name_replaces_its_own_kind_only(void **state)
{
    script self = {.starts = {10, 20, 30}};
    tacho_tracing tracing = tracing_of(&self);
    tacho_dict dict;
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("letters", file);
    fclose(file);
    tracing.is_path_chosen = true;
    tracing.mark = "10-15@1";
    assert_null(tacho_dict_init(&dict));
    tacho_status status = tacho_pipeline_write(&tracing, &dict);
    assert_non_null(status);
    tacho_status_free(status);
    tacho_dict_deinit(&dict);
    assert_string_equal(file_text(), "letters");
}

static void test_loading_starts_afresh(void **state)
{
    script self = {.starts = {10, 30, 20}};
    tacho_producer producer = {produce, &self, TACHO_ORDER_PASS, 0};
    tacho_dict dict;
    tacho_profile profile;
    (void)state;
    assert_null(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    assert_null(tacho_pipeline_load(&producer, &TACHO_SELECT_ALL, &dict, &profile));
    assert_int_equal(self.asked, 2);
    assert_int_equal(profile.span_count, 3); /* not five */
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
}

int main(void)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%.400s/pipeline_test.%ld", folder != NULL ? folder : "/tmp",
             (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_in_order_pass_once),
        cmocka_unit_test(test_rows_out_of_order_are_asked_for_again),
        cmocka_unit_test(test_a_producer_may_want_all_sorted),
        cmocka_unit_test(test_other_failures_end_it),
        cmocka_unit_test(test_lanes_unless_the_sink_wants_none),
        cmocka_unit_test(test_a_stage_sees_all_and_a_window_keeps_some),
        cmocka_unit_test(test_strict_refuses_losses),
        cmocka_unit_test(test_a_chosen_name_replaces_its_own_kind_only),
        cmocka_unit_test(test_loading_starts_afresh),
    };
    int result = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return result;
}
