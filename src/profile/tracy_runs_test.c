/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Zones of the host and of devices find the op that a message of tt-metal names.
 */
#include "profile/tracy_rows.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

typedef struct listener {
    tacho_events events;
    tacho_dict dict;
    tacho_tracy_rows rows;
    uint32_t run; /* of the last row */
} listener;

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    ((listener *)(void *)events)->run = row->of.span.run;
    return TACHO_OK;
}

static const tacho_events_vtable vtable = {.row = take_row};

static void start(listener *self)
{
    tacho_clock clock;
    uint32_t clock_id = 0;
    uint32_t part = 0;
    *self = (listener){.events = {.vtable = &vtable}};
    assert_null(tacho_dict_init(&self->dict));
    self->events.dict = &self->dict;
    tacho_clock_init(&clock, 1, 1);
    assert_null(tacho_dict_add_clock(&self->dict, &clock, TACHO_STR("c"), &clock_id));
    const tacho_part_facts facts = {.path = TACHO_STR("p"), .clock = clock_id};
    assert_null(tacho_dict_add_part(&self->dict, &facts, &part));
    assert_null(tacho_tracy_rows_init(&self->rows, &self->events, part, TACHO_NONE));
}

static void stop(listener *self)
{
    tacho_tracy_rows_deinit(&self->rows);
    tacho_dict_deinit(&self->dict);
}

/* The name of the run that a zone is given; NULL for none. */
static const char *run_of(listener *self, const char *name, const char *function, const char *text)
{
    tacho_tracy_place place = {0};
    tacho_tracy_span span = {.text = tacho_str_from_cstring(text)};
    assert_null(tacho_dict_ensure_string(&self->dict, tacho_str_from_cstring(name), &place.name));
    assert_null(
        tacho_dict_ensure_string(&self->dict, tacho_str_from_cstring(function), &span.function));
    assert_null(tacho_tracy_rows_site(&self->rows, &place, 0, self->rows.zone, &span.site));
    assert_null(tacho_tracy_rows_span(&self->rows, &span));
    return self->run == TACHO_NONE
               ? NULL
               : tacho_dict_string(&self->dict, self->dict.runs[self->run].name).data;
}

static void say(listener *self, const char *text)
{
    const tacho_tracy_moment moment = {.site = self->rows.message_site,
                                       .text = tacho_str_from_cstring(text)};
    assert_null(tacho_tracy_rows_moment(&self->rows, &moment));
    assert_int_equal(self->run, TACHO_NONE);
}

static void test_ops_are_runs(void **state)
{
    listener self;
    (void)state;
    start(&self);
    say(&self, "`TT_DNN_DEVICE_OP: \"MatmulOp\", 777, 0, false, 1024 ->\n{}`");
    say(&self, "TT_DNN_DEVICE_OP: \"AddOp, really\", 777, 0, true, 2048");
    assert_string_equal(run_of(&self, "BRISC-FW", "OP ID:1024", ""), "MatmulOp");
    assert_int_equal(self.dict.runs[self.run].invocation, 1024);
    assert_string_equal(run_of(&self, "TRISC-KERNEL", "OP ID:2048", ""), "AddOp, really");
    assert_string_equal(run_of(&self, "TT_DNN_DEVICE_OP", "f", "id:1024"), "MatmulOp");
    assert_int_equal(self.dict.run_count, 2);
    stop(&self);
}

/* A zone may precede the message that names its op. */
static void test_late_names(void **state)
{
    listener self;
    (void)state;
    start(&self);
    assert_string_equal(run_of(&self, "BRISC-FW", "OP ID:5", ""), "OP ID:5");
    say(&self, "`TT_DNN_DEVICE_OP: \"Late\", 1, 0, false, 5`");
    assert_string_equal(run_of(&self, "BRISC-FW", "OP ID:5", ""), "Late");
    assert_int_equal(self.dict.run_count, 1);
    stop(&self);
}

static void test_others_are_none(void **state)
{
    listener self;
    (void)state;
    start(&self);
    say(&self, "`TT_DNN_DEVICE_OP: \"NoId\", 1, 0, false`");
    say(&self, "`TT_DNN_DEVICE_OP: \"NoEnd");
    say(&self, "`TT_DNN_DEVICE_OP: \"TooLarge\", 1, 0, false, 1234567890123456789`");
    say(&self, "TT_SIGNPOST: start");
    assert_null(run_of(&self, "zone", "main", "id:5"));
    assert_null(run_of(&self, "BRISC-FW", "OP ID:", ""));
    assert_null(run_of(&self, "BRISC-FW", "TRACE ID:3", ""));
    assert_null(run_of(&self, "TT_DNN_DEVICE_OP", "f", "x"));
    assert_int_equal(self.dict.run_count, 0);
    stop(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ops_are_runs),
        cmocka_unit_test(test_late_names),
        cmocka_unit_test(test_others_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
