/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages there and back, and what damaged ones become; names of hosts; the lock of a board.
 */
#include "codec/crc32c.h"
#include "remote/link.h"
#include "remote/lock.h"
#include "remote/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* A wire to itself: bytes that are sent are received. */
typedef struct echo {
    tacho_bytes bytes;
    size_t at;
} echo;

static bool echo_send(void *self, const void *bytes, size_t len)
{
    echo *wire = self;
    assert_null(tacho_bytes_append(&wire->bytes, tacho_str_make(bytes, len)));
    return true;
}

static size_t echo_receive(void *self, void *bytes, size_t len)
{
    echo *wire = self;
    size_t there = wire->bytes.len - wire->at;
    size_t taken = there < len ? there : len;
    taken = taken > 7 ? 7 : taken; /* in small pieces */
    memcpy(bytes, wire->bytes.data + wire->at, taken);
    wire->at += taken;
    return taken;
}

static void carries_messages(void **state)
{
    echo line = {.at = 0};
    const tacho_wire wire = {echo_send, echo_receive, &line};
    tacho_wire_message message = {.type = TACHO_WIRE_NONE};
    bool is_end = true;
    (void)state;
    assert_true(
        tacho_wire_send(&wire, TACHO_WIRE_VALUE, 77, TACHO_STR("first "), TACHO_STR("second")));
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_DONE, 78, TACHO_STR(""), TACHO_STR("")));
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    assert_false(is_end);
    assert_int_equal(message.type, TACHO_WIRE_VALUE);
    assert_int_equal(message.elapsed_ns, 77);
    assert_true(tacho_str_equal(tacho_bytes_view(&message.payload), TACHO_STR("first second")));
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    assert_int_equal(message.type, TACHO_WIRE_DONE);
    assert_int_equal(message.payload.len, 0);
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    assert_true(is_end);
    tacho_bytes_deinit(&line.bytes);
    tacho_bytes_deinit(&message.payload);
}

/* Makes a damaged header look valid, with a matching checksum. */
static void seal_header(echo *line)
{
    enum { SUMMED = TACHO_WIRE_HEADER_BYTES - 4 };
    const char *header = (const char *)line->bytes.data;
    tacho_bytes_store(line->bytes.data + SUMMED, tacho_crc32c(0, tacho_str_make(header, SUMMED)),
                      4);
}

/* One bit of any byte, and no message is left. */
static void finds_damage(void **state)
{
    echo line = {.at = 0};
    const tacho_wire wire = {echo_send, echo_receive, &line};
    tacho_wire_message message = {.type = TACHO_WIRE_NONE};
    bool is_end = false;
    (void)state;
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_VALUE, 9, TACHO_STR("abc"), TACHO_STR("defg")));
    for (size_t bit = 0; bit < line.bytes.len * 8; bit++) {
        line.at = 0;
        line.bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
        tacho_status status = tacho_wire_receive(&wire, &message, &is_end);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
        tacho_status_free(status);
        line.bytes.data[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    line.at = 0;
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    for (size_t len = 0; len < line.bytes.len; len++) { /* cut anywhere, it is not a message */
        echo cut = {.bytes = {.data = line.bytes.data, .len = len}};
        const tacho_wire short_wire = {echo_send, echo_receive, &cut};
        assert_null(tacho_wire_receive(&short_wire, &message, &is_end));
        assert_true(is_end);
    }
    tacho_bytes_deinit(&line.bytes);
    tacho_bytes_deinit(&message.payload);
}

/* An impossible length is not trusted. */
static void believes_no_lengths(void **state)
{
    echo line = {.at = 0};
    const tacho_wire wire = {echo_send, echo_receive, &line};
    tacho_wire_message message = {.type = TACHO_WIRE_NONE};
    bool is_end = false;
    (void)state;
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_VALUE, 0, TACHO_STR("abc"), TACHO_STR("")));
    tacho_bytes_store(line.bytes.data + 8, UINT64_MAX, 8);
    seal_header(&line);
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    assert_true(is_end);
    line.at = 0;
    line.bytes.data[0] = 'X';
    tacho_status status = tacho_wire_receive(&wire, &message, &is_end);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_bytes_deinit(&line.bytes);
    tacho_bytes_deinit(&message.payload);
}

/* Data may be as long as requested, and other messages a megabyte. */
static void keeps_limits(void **state)
{
    echo line = {.at = 0};
    const tacho_wire wire = {echo_send, echo_receive, &line};
    tacho_wire_message message = {.limit = 3};
    bool is_end = false;
    (void)state;
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_VALUE, 0, TACHO_STR("abc"), TACHO_STR("")));
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_RESULT, 0, TACHO_STR("abcd"), TACHO_STR("")));
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    tacho_status status = tacho_wire_receive(&wire, &message, &is_end);
    assert_string_equal(tacho_status_message(status),
                        "a message of the runtime (RESULT) has 4 bytes; expected at most 3");
    tacho_status_free(status);
    line.at = line.bytes.len = 0;
    assert_true(tacho_wire_send(&wire, TACHO_WIRE_BUSY, 0, TACHO_STR("abcd"), TACHO_STR("")));
    assert_null(tacho_wire_receive(&wire, &message, &is_end));
    line.at = 0;
    tacho_bytes_store(line.bytes.data + 8, TACHO_WIRE_SMALL_BYTES + 1, 8);
    seal_header(&line);
    status = tacho_wire_receive(&wire, &message, &is_end);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    line.at = 0;
    tacho_bytes_store(line.bytes.data + 8, 4, 8);
    tacho_bytes_store(line.bytes.data + 16, UINT64_MAX, 8); /* a clock that cannot be */
    seal_header(&line);
    status = tacho_wire_receive(&wire, &message, &is_end);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_bytes_deinit(&line.bytes);
    tacho_bytes_deinit(&message.payload);
}

static void carries_failures(void **state)
{
    tacho_bytes bytes = {0};
    tacho_status failure = tacho_fail(TACHO_CODE_LIMIT, "too %s", "much");
    (void)state;
    failure = tacho_status_add_hint(failure, TACHO_HINT_FORCE_RUN, "");
    failure = tacho_status_add_note(failure, "while testing");
    failure = tacho_status_add_hint(failure, TACHO_HINT_SEED, "9");
    assert_null(tacho_wire_put_failure(&bytes, failure));
    tacho_status_free(failure);
    for (size_t len = 0; len < bytes.len; len++) { /* cut anywhere, it is still a failure */
        tacho_status cut = tacho_wire_get_failure(tacho_str_make((const char *)bytes.data, len));
        assert_non_null(cut);
        tacho_status_free(cut);
    }
    failure = tacho_wire_get_failure(tacho_bytes_view(&bytes));
    assert_int_equal(tacho_status_code(failure), TACHO_CODE_LIMIT);
    assert_string_equal(tacho_status_message(failure), "too much");
    assert_string_equal(tacho_status_note(failure, 0), "while testing");
    assert_int_equal(tacho_status_hint(failure, 0, 0).id, TACHO_HINT_FORCE_RUN);
    assert_string_equal(tacho_status_hint(failure, 1, 0).detail, "9");
    tacho_status_free(failure);
    tacho_bytes_deinit(&bytes);
}

static void carries_arrays(void **state)
{
    tacho_bytes bytes = {0};
    int32_t elements[6] = {1, 2, 3, 4, 5, 6};
    const tacho_array sent = {TACHO_DTYPE_I32, {.rank = 2, .dims = {2, 3}}, elements};
    tacho_array found;
    uint64_t index = 0;
    (void)state;
    assert_null(tacho_wire_put_array(&bytes, 4, &sent));
    assert_null(tacho_bytes_append(&bytes, tacho_str_make((const char *)elements, 24)));
    assert_null(tacho_wire_get_array(tacho_bytes_view(&bytes), TACHO_WIRE_VALUE, &index, &found));
    assert_int_equal(index, 4);
    assert_int_equal(found.dtype, TACHO_DTYPE_I32);
    assert_true(tacho_shape_equal(&found.shape, &sent.shape));
    assert_memory_equal(found.data, elements, 24);
    tacho_bytes_store(bytes.data + 16, UINT64_MAX / 8, 8); /* more elements than bytes can be */
    tacho_status status =
        tacho_wire_get_array(tacho_bytes_view(&bytes), TACHO_WIRE_VALUE, &index, &found);
    assert_int_equal(tacho_status_code(status), TACHO_CODE_BAD_DATA);
    tacho_status_free(status);
    tacho_bytes_deinit(&bytes);
}

static void carries_options(void **state)
{
    tacho_bytes bytes = {0};
    const tacho_device_options sent = {.kernels = TACHO_KERNELS_REFERENCE,
                                       .threads = 3,
                                       .activations = 2,
                                       .is_unlimited = true,
                                       .is_forced = true};
    tacho_device_options found;
    tacho_str device;
    (void)state;
    assert_null(tacho_wire_put_load(&bytes, "sim", &sent));
    assert_null(tacho_wire_get_load(tacho_bytes_view(&bytes), &device, &found));
    assert_true(tacho_str_equal(device, TACHO_STR("sim")));
    assert_int_equal(found.kernels, TACHO_KERNELS_REFERENCE);
    assert_int_equal(found.threads, 3);
    assert_int_equal(found.activations, 2);
    assert_true(found.is_unlimited && found.is_forced);
    assert_false(found.skips_values || found.has_fine_timer);
    tacho_bytes_deinit(&bytes);
}

static void refuses_odd_hosts(void **state)
{
    static const char *const good[] = {"board", "root@10.46.130.17", "a.b-c_d@host.example",
                                       "ssh://me@board:2222", "root@[fe80::1%eth0]"};
    static const char *const bad[] = {"",
                                      "-oProxyCommand=x",
                                      "root@-oProxyCommand=x",
                                      "@board",
                                      "root@",
                                      "a b",
                                      "$(touch x)",
                                      "a;b",
                                      "a\nb",
                                      "`x`",
                                      "a'b",
                                      "a|b"};
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        assert_null(tacho_link_check_host(good[i]));
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        tacho_status status = tacho_link_check_host(bad[i]);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_USAGE);
        tacho_status_free(status);
    }
}

static bool takes_lock(tacho_board_lock *lock, const char *who,
                       char out_holder[TACHO_BOARD_HOLDER_BYTES])
{
    bool is_ours = false;
    assert_null(tacho_board_lock_try(lock, tacho_str_from_cstring(who), &is_ours, out_holder));
    return is_ours;
}

/* Two of one process are as good as two processes: the kernel locks open files. */
static void locks_boards(void **state)
{
    char path[] = "/tmp/tacho-lock-test-XXXXXX";
    char holder[TACHO_BOARD_HOLDER_BYTES] = "";
    tacho_board_lock first;
    tacho_board_lock second;
    (void)state;
    close(mkstemp(path));
    assert_int_equal(setenv(TACHO_BOARD_LOCK_VARIABLE, path, 1), 0);
    assert_null(tacho_board_lock_open(&first));
    assert_null(tacho_board_lock_open(&second));
    assert_true(takes_lock(&first, "ann@laptop", holder));
    assert_false(takes_lock(&second, "bob@desk", holder));
    assert_non_null(strstr(holder, "ann@laptop since 2"));
    tacho_board_lock_close(&first);
    assert_true(takes_lock(&second, "bob@desk", holder));
    tacho_board_lock_close(&second);
    unlink(path);
}

/* A lock on a file that has lost its name excludes no one: the file with the name counts. */
static void locks_the_file_of_that_name(void **state)
{
    char path[] = "/tmp/tacho-lock-test-XXXXXX";
    char holder[TACHO_BOARD_HOLDER_BYTES] = "";
    tacho_board_lock early;
    tacho_board_lock late;
    (void)state;
    close(mkstemp(path));
    assert_int_equal(setenv(TACHO_BOARD_LOCK_VARIABLE, path, 1), 0);
    assert_null(tacho_board_lock_open(&early));
    assert_int_equal(unlink(path), 0); /* as a cleaner of old files does */
    assert_null(tacho_board_lock_open(&late));
    assert_true(takes_lock(&late, "bob@desk", holder));
    assert_false(takes_lock(&early, "ann@laptop", holder));
    assert_non_null(strstr(holder, "bob@desk"));
    tacho_board_lock_close(&late);
    assert_true(takes_lock(&early, "ann@laptop", holder));
    tacho_board_lock_close(&early);
    unlink(path);
}

/* A file with a second link may be a user's, linked there by someone else: never write to it. */
static void writes_no_linked_files(void **state)
{
    char path[] = "/tmp/tacho-lock-test-XXXXXX";
    char twin[sizeof(path) + 5];
    char holder[TACHO_BOARD_HOLDER_BYTES] = "";
    char text[16] = "";
    tacho_board_lock lock;
    (void)state;
    int fd = mkstemp(path);
    snprintf(twin, sizeof(twin), "%s.twin", path);
    assert_int_equal(write(fd, "precious", 8), 8);
    assert_int_equal(link(path, twin), 0);
    assert_int_equal(setenv(TACHO_BOARD_LOCK_VARIABLE, path, 1), 0);
    assert_null(tacho_board_lock_open(&lock));
    assert_true(takes_lock(&lock, "ann@laptop", holder));
    assert_int_equal(pread(fd, text, sizeof(text), 0), 8);
    assert_string_equal(text, "precious");
    tacho_board_lock_close(&lock);
    close(fd);
    unlink(path);
    unlink(twin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_messages),       cmocka_unit_test(finds_damage),
        cmocka_unit_test(believes_no_lengths),    cmocka_unit_test(keeps_limits),
        cmocka_unit_test(carries_failures),       cmocka_unit_test(carries_arrays),
        cmocka_unit_test(carries_options),        cmocka_unit_test(refuses_odd_hosts),
        cmocka_unit_test(locks_boards),           cmocka_unit_test(locks_the_file_of_that_name),
        cmocka_unit_test(writes_no_linked_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
