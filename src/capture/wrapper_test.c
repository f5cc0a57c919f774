/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wrapper as a producer of events: processes, threads, counters, and what happens when they
 * cannot be stored.
 */
#include "capture/wrapper.h"
#include "profile/process_facts.h"
#include "profile/profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* The results of a capture. */
typedef struct seen {
    tacho_events events;
    tacho_dict dict;
    size_t process_count, thread_count, sample_count;
    size_t unended_count;
    int64_t exit_status, signal;
    int64_t rank;
    size_t left; /* rows until storing fails */
    bool is_finished;
    size_t seal_count;
} seen;

static int64_t arg_of(const tacho_dict *dict, const tacho_row *row, tacho_process_arg arg)
{
    for (size_t i = 0; i < row->arg_count; i++) {
        tacho_str key = tacho_dict_string(dict, row->args[i].key);
        if (strcmp(key.data, tacho_process_arg_name(arg)) == 0) {
            return row->args[i].value.as_int;
        }
    }
    return -1;
}

static tacho_status take_row(tacho_events *events, const tacho_row *row)
{
    seen *self = (seen *)(void *)events;
    const tacho_dict *dict = &self->dict;
    if (self->left-- == 0) {
        self->left = 0;
        return tacho_fail(TACHO_CODE_IO, "full");
    }
    assert_true(row->start >= dict->parts[0].first_start);
    if (row->kind == TACHO_ROW_SAMPLE) {
        assert_int_equal(dict->tracks[row->track].track_class, TACHO_TRACK_COUNTER);
        assert_true(row->of.sample.value >= 0);
        self->sample_count++;
        return TACHO_OK;
    }
    assert_int_equal(row->kind, TACHO_ROW_SPAN);
    assert_int_equal(dict->tracks[row->track].track_class, TACHO_TRACK_PHASE);
    assert_true(row->of.span.end >= row->start);
    tacho_str category = tacho_dict_string(dict, dict->sites[row->of.span.site].category);
    if (strcmp(category.data, TACHO_CATEGORY_PROCESS) == 0) {
        self->process_count++;
        self->unended_count += (row->of.span.flags & TACHO_SPAN_UNENDED) != 0 ? 1 : 0;
        int64_t status = arg_of(dict, row, TACHO_PROCESS_ARG_STATUS);
        int64_t signal_ = arg_of(dict, row, TACHO_PROCESS_ARG_SIGNAL);
        self->exit_status = status >= 0 ? status : self->exit_status;
        self->signal = signal_ >= 0 ? signal_ : self->signal;
        self->rank = arg_of(dict, row, TACHO_PROCESS_ARG_RANK);
        assert_true(arg_of(dict, row, TACHO_PROCESS_ARG_PID) > 0);
    } else {
        assert_string_equal(category.data, TACHO_CATEGORY_THREAD);
        self->thread_count++;
    }
    return TACHO_OK;
}

static tacho_status take_finish(tacho_events *events)
{
    ((seen *)(void *)events)->is_finished = true;
    return TACHO_OK;
}

static tacho_status count_seal(void *self)
{
    ((seen *)self)->seal_count++;
    return TACHO_OK;
}

/* Runs a line of shell; |room| is how many rows can be stored. */
static tacho_wrapper_result run_line(seen *self, const char *line, int64_t timeout_ns, size_t room)
{
    static const tacho_events_vtable vtable = {.row = take_row, .finish = take_finish};
    tacho_wrapper_result result;
    char *words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)line,
                     NULL};
    *self = (seen){.left = room, .exit_status = -1, .signal = -1, .rank = -1};
    assert_null(tacho_dict_init(&self->dict));
    self->events = (tacho_events){&vtable, &self->dict};
    const tacho_wrapper_request request = {
        .port = -1,
        .words = words,
        .timeout_ns = timeout_ns,
        .events = &self->events,
        .seal = count_seal,
        .seal_self = self,
    };
    assert_null(tacho_wrapper_run(&request, &result));
    return result;
}

static void end(seen *self)
{
    tacho_dict_deinit(&self->dict);
}

static void a_program_is_one_process(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result = run_line(&self, "exit 3", 0, SIZE_MAX);
    assert_int_equal(result.exit_status, 3);
    assert_int_equal(result.process_count, 1);
    assert_int_equal(self.process_count, 1);
    assert_int_equal(self.exit_status, 3);
    assert_true(self.is_finished);
    assert_true(self.sample_count >= 2); /* counters end at zero */
    assert_int_equal(result.stored_count, self.sample_count + 1);
    assert_int_equal(result.unstored_count, 0);
    end(&self);
}

static void signals_are_told_apart(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result = run_line(&self, "kill -SEGV $$", 0, SIZE_MAX);
    assert_int_equal(result.exit_status, 128 + 11);
    assert_true(result.is_signalled);
    assert_int_equal(self.signal, 11);
    assert_int_equal(self.exit_status, -1);
    end(&self);
}

/* Children, and orphans whose parents have ended. */
static void children_and_orphans_are_seen(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result =
        run_line(&self, "sleep 1 & (sleep 1 & sleep 1 &) & sleep 3", 0, SIZE_MAX);
    assert_int_equal(result.exit_status, 0);
    assert_true(self.process_count >= 5);
    assert_int_equal(result.running_count, 0);
    assert_int_equal(self.unended_count, 0);
    assert_true(self.seal_count >= 1);
    end(&self);
}

static void who_outlives_it_is_counted(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result =
        run_line(&self, "sleep 60 >/dev/null 2>&1 & sleep 1.5; exit 2", 0, SIZE_MAX);
    assert_int_equal(result.exit_status, 2);
    assert_int_equal(result.running_count, 1);
    assert_int_equal(self.unended_count, 1);
    assert_true(result.elapsed_ns < INT64_C(30000000000));
    end(&self);
}

static void a_timeout_ends_it(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result = run_line(&self, "sleep 30", 100000000, SIZE_MAX);
    assert_true(result.is_timed_out);
    assert_int_equal(result.exit_status, TACHO_WRAPPER_TIMED_OUT);
    end(&self);
}

static void ranks_are_found(void **state)
{
    seen self;
    (void)state;
    tacho_wrapper_result result =
        run_line(&self, "PMI_RANK=4 PMI_SIZE=8 exec sleep 2", 0, SIZE_MAX);
    assert_int_equal(result.exit_status, 0);
    assert_int_equal(self.rank, 4);
    end(&self);
}

/* Whatever fails to be stored, the program runs to its end, and no row is lost uncounted. */
static void storing_may_fail(void **state)
{
    (void)state;
    for (size_t room = 0; room < 3; room++) { /* one process, and two samples of it, at least */
        seen self;
        tacho_wrapper_result result = run_line(&self, "sleep 0.05; exit 9", 0, room);
        assert_int_equal(result.exit_status, 9);
        assert_non_null(result.store_error);
        assert_int_equal(result.stored_count, room);
        assert_true(result.unstored_count > 0);
        assert_false(self.is_finished);
        tacho_status_free(result.store_error);
        end(&self);
    }
}

static void refusals_have_a_status(void **state)
{
    seen self;
    tacho_wrapper_result result;
    char *words[] = {(char *)(uintptr_t) "/no/such/program", NULL};
    (void)state;
    static const tacho_events_vtable vtable = {.row = take_row};
    assert_null(tacho_dict_init(&self.dict));
    self.events = (tacho_events){&vtable, &self.dict};
    const tacho_wrapper_request request = {
        .port = -1, .words = words, .events = &self.events, .seal = count_seal, .seal_self = &self};
    assert_null(tacho_wrapper_run(&request, &result));
    assert_int_equal(result.exit_status, TACHO_WRAPPER_NOT_FOUND);
    assert_true(result.refusal.error != 0);
    end(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_one_process),
        cmocka_unit_test(signals_are_told_apart),
        cmocka_unit_test(children_and_orphans_are_seen),
        cmocka_unit_test(who_outlives_it_is_counted),
        cmocka_unit_test(a_timeout_ends_it),
        cmocka_unit_test(ranks_are_found),
        cmocka_unit_test(storing_may_fail),
        cmocka_unit_test(refusals_have_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
