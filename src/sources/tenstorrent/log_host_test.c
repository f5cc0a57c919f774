/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages and host times, both forms of each, cut and damaged: their results as text.
 */
#include "sources/tenstorrent/log_host.h"

#include "sources/tenstorrent/log_json.h"
#include "sources/tenstorrent/log_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text_testing.h"

#define HEADER "MessageName;total_ns\n"

/* ---- Python -------------------------------------------------------------------------------- */

static void assert_python(const char *json, const char *expected)
{
    tt_json tree;
    tacho_text text = {NULL, 0, 0};
    bool is_good = false;
    assert_ok(tt_json_init(&tree, tacho_str_from_cstring(json), &is_good));
    assert_true(is_good);
    assert_ok(tt_json_put_python(&tree, 0, &text));
    tacho_str got = tacho_text_take(&text);
    if (!tacho_str_equal(got, tacho_str_from_cstring(expected))) {
        fail_msg("%s gives %.*s, not %s", json, TACHO_STR_ARG(got), expected);
    }
    tacho_text_deinit(&text);
    tt_json_deinit(&tree);
}

/* As python3 prints str(json.loads(...)). */
static void test_python(void **state)
{
    (void)state;
    assert_python("\"plain, it's\"", "plain, it's");
    assert_python("[]", "[]");
    assert_python("{}", "{}");
    assert_python("[1, -2, 18446744073709551615]", "[1, -2, 18446744073709551615]");
    assert_python("[1.5, 100.0, 1e5, 0.1, 1e16, 1e-5, 0.0001, -0.0, 123456789.125]",
                  "[1.5, 100.0, 100000.0, 0.1, 1e+16, 1e-05, 0.0001, -0.0, 123456789.125]");
    assert_python(
        "[1224.971923828125, 2.0211689472198486, 0.3333333333333333, 9007199254740993.0]",
        "[1224.971923828125, 2.0211689472198486, 0.3333333333333333, 9007199254740992.0]");
    assert_python("[true, false, null]", "[True, False, None]");
    assert_python("{\"a\": \"x\", \"b\": [\"it's\", \"say \\\"x\\\"\", \"both ' \\\"\"]}",
                  "{'a': 'x', 'b': [\"it's\", 'say \"x\"', 'both \\' \"']}");
    assert_python("[\"a\\\\b\\n\\t\\u0001\", {\"k\": {}}]", "['a\\\\b\\n\\t\\x01', {'k': {}}]");
}

static void test_bad_json(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{", "{\"a\": }", "[1", "nope", "{\"a\":1} x"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tt_json tree;
        bool is_good = true;
        assert_ok(tt_json_init(&tree, tacho_str_from_cstring(texts[i]), &is_good));
        assert_false(is_good);
        tt_json_deinit(&tree);
    }
}

/* ---- messages ------------------------------------------------------------------------------ */

static void assert_messages(const char *file, const char *expected)
{
    tacho_input input;
    test_text text;
    clear_text(&text);
    assert_ok(tacho_input_open_bytes("m", tacho_str_from_cstring(file), &input));
    assert_ok(tt_messages_open(&input));
    for (;;) {
        tt_message message;
        bool has_message = false;
        assert_ok(tt_messages_next(&input, &message, &has_message));
        if (!has_message) {
            break;
        }
        put(&text, "<%.*s>%s %lld\n", TACHO_STR_ARG(message.text), message.is_cut ? " cut" : "",
            message.has_time ? (long long)message.time_ns : -1LL);
    }
    assert_string_equal(text.bytes, expected);
    tacho_input_close(&input);
}

static void test_messages(void **state)
{
    (void)state;
    assert_messages(
        HEADER "SYNC_CHECK;12\n`a\nb;3\nc`;13\r\nMLIR_OP_LOCATION;loc(\"x;y\");14\n`d`;15",
        "<SYNC_CHECK> 12\n<a\nb;3\nc> 13\n<MLIR_OP_LOCATION;loc(\"x;y\")> 14\n<d> 15\n");
    assert_messages(HEADER "`one ` backtick inside`;5\n", "<one ` backtick inside> 5\n");
    assert_messages(HEADER, "");
}

/* A cut message ends with its row, and the messages after it are read. */
static void test_cut_messages(void **state)
{
    (void)state;
    assert_messages(HEADER "`TT: \"A\" ->\n{ \"a\": \"bbb;21\nSYNC_CHECK;22\n`TT: \"B\"`;23\n",
                    "<TT: \"A\" ->\n{ \"a\": \"bbb> cut 21\n<SYNC_CHECK> 22\n<TT: \"B\"> 23\n");
    assert_messages(HEADER "`never closed\nat all", "<never closed\nat all> cut -1\n");
    assert_messages(HEADER "no time\n;\n", "<no time> -1\n<;> -1\n");
}

/* ---- ops ----------------------------------------------------------------------------------- */

typedef struct host_fixture {
    tt_losses losses;
    tt_host host;
} host_fixture;

static void read_host(host_fixture *made, const char *messages, const char *times)
{
    tacho_input input;
    made->losses = (tt_losses){{0}, {0}};
    assert_ok(tt_host_init(&made->host, &made->losses));
    assert_ok(tacho_input_open_bytes("m", tacho_str_from_cstring(messages), &input));
    assert_ok(tt_host_read_messages(&made->host, &input));
    tacho_input_close(&input);
    assert_ok(tacho_input_open_bytes("t", tacho_str_from_cstring(times), &input));
    assert_ok(tt_host_read_times(&made->host, &input));
    tacho_input_close(&input);
}

static void assert_host(const char *messages, const char *times, const char *expected)
{
    host_fixture made;
    test_text text;
    clear_text(&text);
    read_host(&made, messages, times);
    for (size_t i = 0; i < made.host.op_count; i++) {
        const tt_host_op *op = &made.host.ops[i];
        const tt_op_data *data = &made.host.datas[op->data];
        put(&text, "%llu %.*s dev %lld trace %lld hit %.*s at %llu+%llu\n",
            (unsigned long long)op->id, TACHO_STR_ARG(data->code), (long long)op->device,
            (long long)op->trace, TACHO_STR_ARG(op->cache_hit), (unsigned long long)op->start_ns,
            (unsigned long long)op->duration_ns);
    }
    for (int i = 0; i < TT_LOSS_COUNT; i++) {
        if (made.losses.counts[i] > 0) {
            put(&text, "lost %llu %s\n", (unsigned long long)made.losses.counts[i],
                tt_loss_phrase((tt_log_loss)i));
        }
    }
    assert_string_equal(text.bytes, expected);
    tt_host_deinit(&made.host);
}

#define TIMES                                                                                      \
    "name,src_file,src_line,zone_name,zone_text,ns_since_start,exec_time_ns,thread,"               \
    "special_parent_text\n"
#define FIRST_OF(name, arrow, hash, id)                                                            \
    "`TT_DNN_DEVICE_OP: \"" name "\", " hash ", 0, " arrow id " ->\n{\"op_code\": \"" name         \
    "\", \"device_id\": 0, \"op_hash\": " hash ", \"global_call_count\": " id                      \
    ", \"program_cache_hit\": false}`;10\n"
#define FIRST(arrow, hash, id) FIRST_OF("Op, with a comma", arrow, hash, id)

/* Cached programs in the form of 2026-03 and in that before; traces; hashes of 64 bits. */
static void test_ops(void **state)
{
    (void)state;
    assert_host(
        HEADER FIRST(
            "false, ", "18446744073709551615",
            "1024") "`TT_METAL_TRACE_BEGIN: 0, 3`;11\n"
                    "`TT_DNN_DEVICE_OP: \"Op, with a comma\", 18446744073709551615, 0, true, "
                    "2048`;12\n"
                    "`TT_METAL_TRACE_ENQUEUE_PROGRAM: 0, 3, 9`;12\n"
                    "`TT_METAL_TRACE_END: 0, 3`;13\n"
                    "`TT_DNN_DEVICE_OP: \"Op, with a comma\", 18446744073709551615, 0, 3072`;14\n"
                    "`TT_DNN_DEVICE_OP: \"Op\", 5, 0, 4096`;15\n"
                    "`TT_DNN_DEVICE_OP: \"Op\", 5`;16\n"
                    "`TT_METAL_TRACE_REPLAY: x`;17\n",
        TIMES "TT_DNN_DEVICE_OP,/w/op.hpp,3,,\"id:2048\",500,40,1,\n"
              "TT_DNN_DEVICE_OP,/w/op.hpp,3,,\"a, b \" c id:1024\",400,30,1,\n"
              "other,/w/op.hpp,3,,\"x\",1,2,1,\n",
        "1024 Op, with a comma dev 0 trace -1 hit False at 400+30\n"
        "2048 Op, with a comma dev 0 trace 3 hit True at 500+40\n"
        "3072 Op, with a comma dev 0 trace -1 hit False at 0+0\n"
        "4096 Op dev 0 trace -1 hit  at 0+0\n"
        "lost 1 messages of cached programs whose first message is missing or damaged\n"
        "lost 2 messages that cannot be read\n");
}

/* The first line of a damaged message still identifies the op, also for cached ones. */
static void test_damaged_messages(void **state)
{
    (void)state;
    assert_host(HEADER "`TT_DNN_DEVICE_OP: \"Op\", 7, 0, false, 1024 ->\n{\"op_code\": `;10\n"
                       "`TT_DNN_DEVICE_OP: \"Op\", 7, 0, true, 2048`;20\n"
                       "`TT_DNN_FALL_BACK_OP:\"pad\" ->\n{`;30\n",
                TIMES,
                "1024 Op dev 0 trace -1 hit False at 0+0\n"
                "2048 Op dev 0 trace -1 hit True at 0+0\n"
                "lost 2 messages that Tracy cut, or whose JSON is damaged\n"
                "lost 1 messages of cached programs whose first message is missing or damaged\n");
}

/* Two programs of one hash are distinguished by name; data of another op is not copied. */
static void test_hash_collisions(void **state)
{
    (void)state;
    assert_host(HEADER FIRST_OF("A", "false, ", "7", "1024") FIRST_OF(
                    "B", "false, ", "7", "2048") "`TT_DNN_DEVICE_OP: \"A\", 7, 0, true, 3072`;11\n"
                                                 "`TT_DNN_DEVICE_OP: \"C\", 7, 0, true, 4096`;12\n",
                TIMES,
                "1024 A dev 0 trace -1 hit False at 0+0\n"
                "2048 B dev 0 trace -1 hit False at 0+0\n"
                "3072 A dev 0 trace -1 hit True at 0+0\n"
                "4096 C dev 0 trace -1 hit True at 0+0\n"
                "lost 1 messages of cached programs whose hash is that of another op\n");
}

/* Tracy's own csvexport writes other columns. */
static void test_times_of_tracy(void **state)
{
    (void)state;
    assert_host(HEADER FIRST("", "7", "1024"),
                "name,src_file,src_line,ns_since_start,exec_time_ns,thread,value\n"
                "TT_DNN_DEVICE_OP,/w/op.hpp,3,800,5,77,id:1024\n"
                "TT_DNN_DEVICE_OP,/w/op.hpp,3,800,5,77,nothing\n"
                "TT_DNN_DEVICE_OP,/w/op.hpp,3,x,5,77,id:1024\n"
                "TT_DNN_DEVICE_OP,/w/op.hpp,3,900,5,77,id:9\n",
                "1024 Op, with a comma dev 0 trace -1 hit False at 800+5\n"
                "lost 2 host zones that cannot be read\n"
                "lost 1 host zones of ops without a message\n");
}

static void test_replays(void **state)
{
    (void)state;
    host_fixture made;
    uint64_t time = 0;
    read_host(&made,
              HEADER "`TT_METAL_TRACE_REPLAY: 1, 0`;50\n`TT_METAL_TRACE_REPLAY: 0, 2`;60\n"
                     "`TT_METAL_TRACE_REPLAY: 0, 2`;70\n`TT_METAL_TRACE_REPLAY: 0, 1`;80\n",
              TIMES);
    assert_true(tt_host_find_replay(&made.host, 0, 2, 2, &time));
    assert_int_equal(time, 70);
    assert_true(tt_host_find_replay(&made.host, 1, 0, 1, &time));
    assert_int_equal(time, 50);
    assert_true(tt_host_find_replay(&made.host, 0, 1, 1, &time));
    assert_int_equal(time, 80);
    assert_false(tt_host_find_replay(&made.host, 0, 1, 2, &time));
    assert_false(tt_host_find_replay(&made.host, 0, 2, 0, &time));
    assert_false(tt_host_find_replay(&made.host, 3, 0, 1, &time));
    tt_host_deinit(&made.host);
}

static void test_kinds_of_files(void **state)
{
    (void)state;
    assert_int_equal(tt_set_file_of(TACHO_STR(HEADER "x;1\n")), TT_SET_MESSAGES);
    assert_int_equal(tt_set_file_of(TACHO_STR(TIMES)), TT_SET_TIMES);
    assert_int_equal(tt_set_file_of(TACHO_STR("GLOBAL CALL COUNT,METAL TRACE ID,DEVICE ID\n")),
                     TT_SET_REPORT);
    assert_int_equal(tt_set_file_of(TACHO_STR("OP CODE,OP TYPE\n")), TT_SET_FILE_NONE);
    assert_int_equal(tt_set_file_of(TACHO_STR("")), TT_SET_FILE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python),
        cmocka_unit_test(test_bad_json),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_cut_messages),
        cmocka_unit_test(test_ops),
        cmocka_unit_test(test_damaged_messages),
        cmocka_unit_test(test_hash_collisions),
        cmocka_unit_test(test_times_of_tracy),
        cmocka_unit_test(test_replays),
        cmocka_unit_test(test_kinds_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
