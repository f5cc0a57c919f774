/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams: every part is done once, parts can wait for one another, notes of invalid operations come
 * together, and work within work is done by one.
 */
#include "kernels/team.h"

#include "kernels/invalid.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

enum { PARTS = 4, ROUNDS = 2000 };

typedef struct tally {
    atomic_uint done[PARTS], all, wrong;
    tacho_team *team;
    pthread_t caller;
} tally;

static void count_part(void *data)
{
    tally *self = data;
    atomic_fetch_add(&self->done[tacho_team_part()], 1);
    atomic_fetch_add(&self->wrong, tacho_team_parts() == PARTS && tacho_team_is_working() ? 0 : 1);
}

static void test_every_part_once(void **state)
{
    (void)state;
    tally self = {.wrong = 0};
    tacho_team *team = tacho_team_create(PARTS);
    assert_non_null(team);
    assert_int_equal(tacho_team_size(team), PARTS);
    for (unsigned i = 1; i <= ROUNDS; i++) {
        tacho_team_run(team, count_part, &self, PARTS);
        for (size_t part = 0; part < PARTS; part++) {
            assert_int_equal(atomic_load(&self.done[part]), i);
        }
        if (i % 500 == 0) { /* longer than threads stay awake */
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        }
    }
    assert_int_equal(atomic_load(&self.wrong), 0);
    assert_false(tacho_team_is_working());
    assert_int_equal(tacho_team_parts(), 1);
    tacho_team_free(team);
    tacho_team_free(NULL);
}

/* Before any part goes on, all have come. */
static void meet(void *data)
{
    tally *self = data;
    for (unsigned i = 1; i <= 3; i++) {
        atomic_fetch_add(&self->all, 1);
        tacho_team_wait();
        atomic_fetch_add(&self->wrong, atomic_load(&self->all) >= i * PARTS ? 0 : 1);
        tacho_team_wait();
    }
}

static void meet_two(void *data)
{
    tally *self = data;
    atomic_fetch_add(&self->all, 1);
    tacho_team_wait();
}

static void test_parts_wait(void **state)
{
    (void)state;
    tacho_team *team = tacho_team_create(PARTS);
    assert_non_null(team);
    for (int i = 0; i < 50; i++) {
        tally self = {.wrong = 0};
        tacho_team_run(team, meet, &self, PARTS);
        assert_int_equal(atomic_load(&self.all), 3 * PARTS);
        assert_int_equal(atomic_load(&self.wrong), 0);
    }
    tacho_team_free(team);
}

static void note_in_last(void *data)
{
    (void)data;
    if (tacho_team_part() + 1 == tacho_team_parts()) {
        tacho_invalid_note();
    }
    tacho_team_wait(); /* every part in a thread of its own */
}

static void do_nothing(void *data)
{
    (void)data;
}

static void test_invalid(void **state)
{
    (void)state;
    tacho_team *team = tacho_team_create(PARTS);
    assert_non_null(team);
    (void)tacho_invalid_take();
    tacho_team_run(team, do_nothing, NULL, PARTS);
    assert_false(tacho_invalid_take());
    tacho_team_run(team, note_in_last, NULL, PARTS);
    assert_true(tacho_invalid_take());
    tacho_team_run(team, do_nothing, NULL, PARTS);
    assert_false(tacho_invalid_take());
    tacho_invalid_note(); /* the caller's own stays */
    tacho_team_run(team, do_nothing, NULL, PARTS);
    assert_true(tacho_invalid_take());
    tacho_team_free(team);
}

/* Whoever is not the caller is slow. */
static void be_late(void *data)
{
    tally *self = data;
    if (!pthread_equal(pthread_self(), self->caller)) {
        atomic_fetch_add(&self->all, 1);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

/* Threads that are late are left alone for a while; parts that wait for one another wake them. */
static void test_late_threads(void **state)
{
    (void)state;
    tally self = {.team = tacho_team_create(2), .caller = pthread_self()};
    assert_non_null(self.team);
    for (int i = 0; i < 600; i++) {
        tacho_team_run(self.team, be_late, &self, 2);
    }
    assert_in_range(atomic_load(&self.all), 0, 100);
    tally meeting = {.wrong = 0};
    tacho_team_run(self.team, meet_two, &meeting, 2);
    assert_int_equal(atomic_load(&meeting.all), 2);
    tacho_team_free(self.team);
}

static void count_once(void *data)
{
    tally *self = data;
    atomic_fetch_add(&self->all, 1);
    atomic_fetch_add(&self->wrong, tacho_team_parts() == 1 && tacho_team_part() == 0 ? 0 : 1);
    tacho_team_wait(); /* for nobody */
}

static void work_within(void *data)
{
    tally *self = data;
    unsigned part = tacho_team_part();
    tacho_team_run(self->team, count_once, self, PARTS);
    bool is_back = tacho_team_part() == part && tacho_team_parts() == PARTS;
    atomic_fetch_add(&self->wrong, is_back ? 0 : 1);
}

static void test_one_does_it(void **state)
{
    (void)state;
    tally self = {.team = tacho_team_create(PARTS)};
    assert_non_null(self.team);
    tacho_team_run(self.team, work_within, &self, PARTS);
    assert_int_equal(atomic_load(&self.all), PARTS);
    tacho_team_run(NULL, count_once, &self, PARTS);
    tacho_team_run(self.team, count_once, &self, 1);
    tacho_team_run(self.team, count_once, &self, PARTS + 1);
    assert_int_equal(atomic_load(&self.all), PARTS + 3);
    assert_int_equal(atomic_load(&self.wrong), 0);
    tacho_team_free(self.team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part_once), cmocka_unit_test(test_parts_wait),
        cmocka_unit_test(test_invalid),         cmocka_unit_test(test_one_does_it),
        cmocka_unit_test(test_late_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
