/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of threads that take turns is in the order of the turns, as if one thread had written it
 * all, whatever a turn writes; and a failure is reported.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/output_files_testing.h"

#include "base/turns.h"

enum { TURNS = 400, LARGE_TURN = 97, LARGE_BYTES = 3 << 20 };

typedef struct writers {
    tacho_output *output;
    const tacho_shared *shared;
    tacho_turn turn;
    uint64_t next; /* in turns */
} writers;

typedef struct writer {
    writers *all;
    unsigned number;
    pthread_t thread;
} writer;

/* Bytes that turn |number| writes: mostly a few lines, rarely none or more than a buffer holds. */
static size_t len_of(uint64_t number)
{
    return number % LARGE_TURN == 5 ? LARGE_BYTES : (size_t)(number % 7 * 1000);
}

static void write_turn(tacho_output *output, uint64_t number)
{
    uint64_t before = tacho_output_offset(output);
    for (size_t left = len_of(number); left > 0;) {
        char piece[100];
        size_t len = left < sizeof(piece) ? left : sizeof(piece);
        memset(piece, 'a' + (int)(number % 26), len);
        tacho_output_write(output, piece, len);
        left -= len;
    }
    assert_true(tacho_output_failed(output) ||
                tacho_output_offset(output) == before + len_of(number));
}

static void *write_turns(void *of)
{
    const writer *self = of;
    writers *all = self->all;
    for (uint64_t number = self->number; number < TURNS; number += TACHO_TURN_THREADS) {
        assert_true(tacho_turn_wait(&all->turn, number));
        all->shared->begin(all->shared->self, self->number);
        write_turn(all->output, number);
        all->shared->end(all->shared->self, self->number);
        tacho_turn_pass(&all->turn);
        all->shared->after(all->shared->self, self->number);
    }
    return NULL;
}

static void write_together(tacho_output *output)
{
    writers all = {.output = output, .shared = tacho_output_shared(output)};
    assert_non_null(all.shared);
    assert_ptr_equal(tacho_output_shared(output), all.shared);
    tacho_turn_init(&all.turn);
    writer threads[TACHO_TURN_THREADS];
    for (unsigned i = 0; i < TACHO_TURN_THREADS; i++) {
        threads[i] = (writer){.all = &all, .number = i};
        assert_int_equal(pthread_create(&threads[i].thread, NULL, write_turns, &threads[i]), 0);
    }
    for (unsigned i = 0; i < TACHO_TURN_THREADS; i++) {
        pthread_join(threads[i].thread, NULL);
    }
    tacho_turn_deinit(&all.turn);
    uint64_t len = 4; /* of the head */
    for (uint64_t number = 0; number < TURNS; number++) {
        len += len_of(number);
    }
    assert_int_equal(tacho_output_offset(output), len);
}

static void write_alone(tacho_output *output)
{
    for (uint64_t number = 0; number < TURNS; number++) {
        write_turn(output, number);
    }
}

/* All of the file, which may be compressed. */
static char *read_file(const char *path, size_t *out_len)
{
    size_t room = 32 << 20;
    char *bytes = malloc(room);
    assert_non_null(bytes);
    tacho_input input;
    assert_null(tacho_input_open(path, &input));
    *out_len = 0;
    for (size_t got = 1; got > 0; *out_len += got) {
        assert_true(*out_len < room);
        assert_null(tacho_input_take(&input, bytes + *out_len, room - *out_len, &got));
    }
    tacho_input_close(&input);
    return bytes;
}

/* The file that |write| makes between a head and a tail. */
static char *make_file(const scratch *made, const char *name, void (*write)(tacho_output *output),
                       size_t *out_len)
{
    file_path path = path_of(made, name);
    tacho_output output;
    assert_null(tacho_output_open(path.text, &output));
    tacho_output_write_str(&output, TACHO_STR("head"));
    write(&output);
    tacho_output_write_str(&output, TACHO_STR("tail"));
    assert_null(tacho_output_commit(&output));
    tacho_output_close(&output);
    return read_file(path.text, out_len);
}

static void check_same(const scratch *made, const char *one, const char *other)
{
    size_t len = 0;
    size_t other_len = 0;
    char *bytes = make_file(made, one, write_alone, &len);
    char *other_bytes = make_file(made, other, write_together, &other_len);
    assert_int_equal(len, other_len);
    assert_memory_equal(bytes, other_bytes, len);
    free(bytes);
    free(other_bytes);
}

static void test_order(void **state)
{
    check_same(*state, "alone", "together");
    check_same(*state, "alone.zst", "together.zst");
}

/* A failure is reported to the thread that has the next turn, or at the end. */
static void check_failure(unsigned turn_count)
{
    tacho_output output;
    assert_null(tacho_output_open("/dev/full", &output));
    const tacho_shared *shared = tacho_output_shared(&output);
    assert_non_null(shared);
    for (unsigned i = 0; i < turn_count; i++) {
        unsigned thread = i % TACHO_TURN_THREADS;
        shared->begin(shared->self, thread);
        assert_int_equal(tacho_output_failed(&output), i > 0);
        tacho_output_write_str(&output, TACHO_STR("text"));
        shared->end(shared->self, thread);
        shared->after(shared->self, thread);
    }
    tacho_status status = tacho_output_commit(&output);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_IO);
    tacho_status_free(status);
    tacho_output_close(&output);
}

static void test_failure(void **state)
{
    (void)state;
    check_failure(1);
    check_failure(3);
}

/* No thread is left waiting for a turn that it will never get. */
static void test_end(void **state)
{
    (void)state;
    tacho_turn turn;
    tacho_turn_init(&turn);
    assert_true(tacho_turn_wait(&turn, 0));
    tacho_turn_pass(&turn);
    tacho_turn_end(&turn);
    assert_false(tacho_turn_wait(&turn, 7));
    tacho_turn_deinit(&turn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, make_scratch, remove_scratch),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
