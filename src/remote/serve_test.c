/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runtime of a board, in a thread: the messages that it sends while a host waits.
 */
#include "remote/lock.h"
#include "remote/messages.h"
#include "remote/serve.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static bool send_bytes(void *self, const void *bytes, size_t len)
{
    return write(*(int *)self, bytes, len) == (ssize_t)len;
}

static size_t receive_bytes(void *self, void *bytes, size_t len)
{
    ssize_t got = read(*(int *)self, bytes, len);
    return got > 0 ? (size_t)got : 0;
}

static void *serve(void *self)
{
    const tacho_wire wire = {send_bytes, receive_bytes, self};
    tacho_board_line line = {.silence_s = 0};
    tacho_board_serve(&wire, &line);
    return NULL;
}

static tacho_wire_type receive_type(const tacho_wire *wire)
{
    tacho_wire_message message = {.type = TACHO_WIRE_NONE};
    bool is_end = false;
    assert_null(tacho_wire_receive(wire, &message, &is_end));
    tacho_bytes_deinit(&message.payload);
    return is_end ? TACHO_WIRE_NONE : message.type;
}

static void claim(const tacho_wire *wire, uint64_t wait_s, uint64_t silence_s)
{
    tacho_bytes claim = {0};
    assert_null(tacho_bytes_put(&claim, wait_s, 8));
    assert_null(tacho_bytes_put(&claim, silence_s, 8));
    assert_null(tacho_wire_put_text(&claim, TACHO_STR("ann@laptop")));
    assert_true(
        tacho_wire_send(wire, TACHO_WIRE_CLAIM, 0, tacho_bytes_view(&claim), TACHO_STR("")));
    tacho_bytes_deinit(&claim);
}

/* A host that would give up after a second hears of the board while that waits for another one. */
static void gives_signs_of_life(void **state)
{
    char path[] = "/tmp/tacho-lock-test-XXXXXX";
    char holder[TACHO_BOARD_HOLDER_BYTES] = "";
    bool is_ours = false;
    int ends[2];
    size_t signs = 0;
    pthread_t thread;
    tacho_board_lock lock;
    tacho_wire_type type;
    (void)state;
    close(mkstemp(path));
    assert_int_equal(setenv(TACHO_BOARD_LOCK_VARIABLE, path, 1), 0);
    assert_null(tacho_board_lock_open(&lock));
    assert_null(tacho_board_lock_try(&lock, TACHO_STR("bob@desk"), &is_ours, holder));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const tacho_wire wire = {send_bytes, receive_bytes, &ends[0]};
    assert_int_equal(pthread_create(&thread, NULL, serve, &ends[1]), 0);
    assert_int_equal(receive_type(&wire), TACHO_WIRE_HELLO);
    claim(&wire, 1, 1);
    assert_int_equal(receive_type(&wire), TACHO_WIRE_BUSY);
    while ((type = receive_type(&wire)) == TACHO_WIRE_ALIVE) {
        signs++;
    }
    assert_int_equal(type, TACHO_WIRE_BUSY);
    assert_in_range(signs, 1, 4);
    claim(&wire, 0, 0); /* no host is that impatient */
    assert_int_equal(receive_type(&wire), TACHO_WIRE_FAILED);
    close(ends[0]);
    assert_int_equal(pthread_join(thread, NULL), 0);
    close(ends[1]);
    tacho_board_lock_close(&lock);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gives_signs_of_life)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
