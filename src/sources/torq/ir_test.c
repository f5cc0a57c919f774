/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Composed modules, as text, into debug info; larger ones are in tests/annotate.
 */
#include "sources/torq/ir_files.h"

#include "codec/mlir_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text_testing.h"

#define SLICE "!torq_hl.invocation<slice>"
#define NSS "!torq_hl.invocation<nss>"

typedef struct fixture {
    tacho_dict dict;
    tacho_debug_info info;
    test_text text;
} fixture;

static void setup(fixture *made)
{
    memset(made, 0, sizeof(*made));
    assert_ok(tacho_dict_init(&made->dict));
    tacho_debug_info_init(&made->info, &made->dict);
}

static void teardown(fixture *made)
{
    tacho_debug_info_deinit(&made->info);
    tacho_dict_deinit(&made->dict);
}

static tacho_status read_text(fixture *to, tacho_str text)
{
    tacho_mlir_module module;
    assert_ok(tacho_mlir_module_init(&module));
    assert_ok(tacho_mlir_text_read("t.mlir", text, &module));
    tacho_status status = torq_ir_read_module(&module, TACHO_STR("t.mlir"), &to->info);
    tacho_mlir_module_deinit(&module);
    return status;
}

static const char *str(const fixture *from, uint32_t string)
{
    return tacho_dict_string(&from->dict, string).data;
}

static void put_job(fixture *to, const tacho_debug_job *job)
{
    const tacho_debug_info *info = &to->info;
    put(&to->text, "job %lld %s:", (long long)job->id, str(to, job->name));
    for (uint32_t i = 0; i < job->op_count; i++) {
        const tacho_inner_op *op = &info->ops[job->first_op + i];
        const tacho_engine *engine = &info->engines[op->engine];
        put(&to->text, " %c%s%u", "cSW"[op->kind], tacho_track_class_name(engine->track_class),
            (unsigned)engine -> index);
        if (op->unit != TACHO_NONE) {
            put(&to->text, "#%u", (unsigned)op->unit);
        }
        if (op->name != 0) {
            put(&to->text, "(%s)", str(to, op->name));
        }
    }
    put(&to->text, "; used");
    for (uint32_t i = 0; i < job->used_count; i++) {
        const tacho_engine *engine = &info->engines[info->used[job->first_used + i]];
        put(&to->text, " %s%u", tacho_track_class_name(engine->track_class),
            (unsigned)engine->index);
    }
    put(&to->text, "\n");
}

static void render(fixture *from)
{
    const tacho_debug_info *info = &from->info;
    for (size_t d = 0; d < info->dispatch_count; d++) {
        const tacho_dispatch *dispatch = &info->dispatches[d];
        put(&from->text, "%s:", str(from, dispatch->name));
        for (uint32_t i = 0; i < dispatch->action_count; i++) {
            const tacho_action *action = &info->actions[dispatch->first_action + i];
            put(&from->text, " %lld%c", (long long)action->id, "SWCADO"[action->kind]);
            if (action->job != TACHO_NONE) {
                put(&from->text, "%u", (unsigned)action->job);
            }
        }
        put(&from->text, "\n");
        for (uint32_t i = 0; i < dispatch->job_count; i++) {
            put_job(from, &info->jobs[dispatch->first_job + i]);
        }
    }
    put(&from->text, "unknown %llu, unmatched %llu, unwaited %llu\n",
        (unsigned long long)info->unknown_op_count, (unsigned long long)info->unmatched_wait_count,
        (unsigned long long)info->unwaited_count);
}

static void check(const char *text, const char *expected)
{
    static fixture made;
    setup(&made);
    assert_ok(read_text(&made, tacho_str_from_cstring(text)));
    render(&made);
    assert_string_equal(made.text.bytes, expected);
    teardown(&made);
}

/* An invocation of a slice's program: "%name" runs |kernel|. */
#define KERNEL(name, kernel)                                                                       \
    "%" name "p = torq_hl.program \"slice_program_torq_hl." kernel "\" : "                         \
    "!torq_hl.program<slice> { torq_hl.return }\n"                                                 \
    "%" name " = torq_hl.create_invocation \"slice_program_torq_hl." kernel "\" program(%" name    \
    "p : !torq_hl.program<slice>) : " SLICE "\n"
/* A job's program and its invocation "%name". */
#define JOB(name, arguments, body)                                                                 \
    "%" name "p = torq_hl.program \"" name "\" : !torq_hl.program<nss> {\n^bb0(" arguments         \
    "):\n" body "torq_hl.return }\n"                                                               \
    "%" name " = torq_hl.create_invocation \"" name "\" program(%" name                            \
    "p : !torq_hl.program<nss>) : " NSS "\n"
#define START(name, arguments) "torq_hl.start_program %" name " : " NSS arguments "\n"
#define WAIT(name) "torq_hl.wait_program %" name " : " NSS "\n"
#define TASK(body) "torq_hw.nss_task {} () {\n" body "}\n"
#define SLICE_START(argument, id)                                                                  \
    "\"torq_hw.slice_start\"(" argument ") <{id = " id " : index}> : (" SLICE ") -> ()\n"
#define SLICE_WAIT(id) "\"torq_hw.slice_wait\"() <{id = " id " : index}> : () -> ()\n"
#define FUNCTION(name, body) "func.func @" name "() {\n" body "return }\n"

/* ---- jobs ------------------------------------------------------------------------------- */

/* Arguments pass from block to block in any order; each job binds them anew. */
static void test_next_chain(void **state)
{
    (void)state;
    check(FUNCTION("d",
                   KERNEL("x", "conv_0") KERNEL("y", "add_1") JOB(
                       "j", "%a: " SLICE ", %b: " SLICE,
                       TASK(SLICE_START(
                           "%a", "0")) "torq_hl.next %b, %a : " SLICE ", " SLICE "\n^bb1(%c: " SLICE
                                       ", %d: " SLICE "):\n" TASK(SLICE_START(
                                           "%c", "0")) "torq_hl.next %d, %c, %c : " SLICE ", " SLICE
                                                       ", " SLICE "\n^bb2(%e: " SLICE
                                                       "):\n" TASK(SLICE_START("%e", "1")))
                       START("j", " args(%x, %y : " SLICE ", " SLICE ")") WAIT("j")
                           START("j", " args(%y, %x : " SLICE ", " SLICE ")") WAIT("j")),
          "d: 0S0 1W0 2S1 3W1\n"
          "job 0 j: Scompute0#0(conv_0) Scompute0#1(add_1) Scompute1#2(conv_0); used compute0 "
          "compute1\n"
          "job 0 j: Scompute0#3(add_1) Scompute0#4(conv_0) Scompute1#5(add_1); used compute0 "
          "compute1\n"
          "unknown 0, unmatched 0, unwaited 6\n");
}

/* Five slices, two pieces of work on one of them; waits end the oldest, in a later job too. */
static void test_queues(void **state)
{
    (void)state;
    check(FUNCTION("d", KERNEL("x", "a_0") KERNEL("y", "b_0")
                            JOB("j", "%a: " SLICE ", %b: " SLICE,
                                TASK(SLICE_START("%a", "4") SLICE_START("%b", "4")
                                         SLICE_START("%b", "2") SLICE_WAIT("2")))
                                JOB("k", "", TASK(SLICE_WAIT("4") "torq_hw.dma_in_start\n"))
                                    JOB("l", "", TASK(SLICE_WAIT("4") SLICE_WAIT("4"))) START(
                                        "j", " args(%x, %y : " SLICE ", " SLICE ")") START("k", "")
                                        START("l", "") WAIT("j") WAIT("l") WAIT("k")),
          "d: 0S0 1S1 2S2 3W0 4W2 5W1\n"
          "job 0 j: Scompute4#0(a_0) Scompute4#1(b_0) Scompute2#2(b_0) Wcompute2#2(b_0); used "
          "compute2 compute4\n"
          /* Slice 4 is still busy. */
          "job 1 k: Wcompute4#0(a_0) Sdma_in0#3; used dma_in0 compute4\n"
          /* The last wait has nothing to wait for; the transfer never ends. */
          "job 2 l: Wcompute4#1(b_0) Wcompute4; used dma_in0 compute4\n"
          "unknown 0, unmatched 1, unwaited 1\n");
}

static const char *kernel(const fixture *from, size_t job, uint32_t index)
{
    const tacho_debug_job *facts = &from->info.jobs[job];
    return index < facts->kernel_count ? str(from, from->info.kernels[facts->first_kernel + index])
                                       : "";
}

/*
 * A kernel belongs to the job that starts it and to the one that waits; vendors' additions to names
 * are removed.
 */
static void test_kernels(void **state)
{
    (void)state;
    static fixture made;
    setup(&made);
    static const char text[] = FUNCTION(
        "d",
        KERNEL("x", "a_0") KERNEL(
            "y",
            "b_0") "%zp = torq_hl.program \"css_program_torq_hl.topk_3\" : !torq_hl.program<css> "
                   "{ torq_hl.return }\n"
                   "%z = torq_hl.create_invocation \"css_program_torq_hl.topk_3\" program(%zp : "
                   "!torq_hl.program<css>) : !torq_hl.invocation<css>\n" JOB(
                       "j", "%a: " SLICE ", %b: " SLICE ", %c: !torq_hl.invocation<css>",
                       TASK(SLICE_START("%a", "0") SLICE_START("%b", "1") SLICE_WAIT(
                           "0") "\"torq_hw.css_start\"(%c) : (!torq_hl.invocation<css>) -> ()\n"))
                       JOB("k", "", TASK(SLICE_WAIT("1") "\"torq_hw.css_wait\"() : () -> ()\n"))
                           START("j", " args(%x, %y, %z : " SLICE ", " SLICE
                                      ", !torq_hl.invocation<css>)") WAIT("j") START("k", "")
                               WAIT("k"));
    assert_ok(read_text(&made, tacho_str_from_cstring(text)));
    assert_int_equal(made.info.job_count, 2);
    static const char *const expected[2][4] = {{"a_0", "b_0", "topk_3", ""}, {"b_0", "topk_3", ""}};
    for (size_t job = 0; job < 2; job++) {
        for (uint32_t i = 0; i < (job == 0 ? 4 : 3); i++) {
            assert_string_equal(kernel(&made, job, i), expected[job][i]);
        }
    }
    teardown(&made);
}

/* The same invocation twice: the waits end the jobs in order. */
static void test_job_queue(void **state)
{
    (void)state;
    check(FUNCTION("d", JOB("j", "", TASK("torq_hw.dma_in_start\ntorq_hw.dma_in_wait\n")) START(
                            "j", "") START("j", "") WAIT("j") WAIT("j") WAIT("j") START("j", "")),
          "d: 0S0 1S1 2W0 3W1 4W 5S2\n"
          "job 0 j: Sdma_in0#0 Wdma_in0#0; used dma_in0\n"
          "job 0 j: Sdma_in0#1 Wdma_in0#1; used dma_in0\n"
          "job 0 j: Sdma_in0#2 Wdma_in0#2; used dma_in0\n"
          "unknown 0, unmatched 1, unwaited 1\n");
}

static void test_unknown(void **state)
{
    (void)state;
    check(FUNCTION(
              "d",
              "\"torq_hl.magic\"() : () -> ()\n"
              "\"other.magic\"() : () -> ()\n" JOB(
                  "j", "",
                  TASK("\"torq_hw.magic\"() : () -> ()\n\"other.magic\"() : () -> ()\n" SLICE_WAIT(
                      "1024") SLICE_WAIT("-1") "\"torq_hw.slice_wait\"() : () -> ()\n"))
                  START("j", "")),
          "d: 0O 1O 2S0\n"
          "job 0 j:; used\n"
          "unknown 5, unmatched 0, unwaited 1\n");
}

/* ---- actions ---------------------------------------------------------------------------- */

/* Without numbers, operations with work are counted; invocations get the numbers of jobs. */
static void test_numbering(void **state)
{
    (void)state;
    check(FUNCTION(
              "d",
              "%c0 = arith.constant 0 : index\n"
              "%m = memref.alloc() : memref<64xi8>\n" JOB("j", "", "") JOB(
                  "k", "",
                  "") "%v = memref.cast %m : memref<64xi8> to memref<?xi8>\n"
                      "\"torq_hl.host_copy\"(%m, %v) : (memref<64xi8>, memref<?xi8>) -> ()\n" START(
                          "k", "") WAIT("k") "\"torq_hl.dynamic_host_copy\"(%m, %v) : "
                                             "(memref<64xi8>, memref<?xi8>) -> "
                                             "()\n"
                                             "memref.dealloc %m : memref<64xi8>\n"),
          "d: 0A 1C 2S0 3W0 4C 5D\n"
          "job 1 k:; used\n"
          "unknown 0, unmatched 0, unwaited 0\n");
}

/*
 * Where there are numbers only they count; out of order they are sorted, and jobs keep their
 * actions.
 */
static void test_numbers(void **state)
{
    (void)state;
    static fixture made;
    setup(&made);
    assert_ok(read_text(
        &made,
        TACHO_STR(FUNCTION(
            "d",
            JOB("j", "", "") "torq_hl.start_program %j : " NSS " {\"torq-action-id\" = 9 : i32}\n"
                             "%m = memref.alloc() : memref<64xi8>\n"
                             "torq_hl.wait_program %j : " NSS " {\"torq-action-id\" = 4 : i32}\n"
                             "memref.dealloc %m {\"torq-action-id\" = 7 : i32} : "
                             "memref<64xi8>\n"))));
    render(&made);
    assert_string_equal(made.text.bytes, "d: 4W0 7D 9S0\njob 0 j:; used\n"
                                         "unknown 0, unmatched 0, unwaited 0\n");
    assert_int_equal(made.info.jobs[0].start_action, 2);
    assert_int_equal(made.info.jobs[0].wait_action, 0);
    assert_int_equal(made.info.actions[0].order, 1);
    const tacho_action *found = tacho_debug_info_action(&made.info, &made.info.dispatches[0], 7);
    assert_non_null(found);
    assert_int_equal(found->kind, TACHO_ACTION_DEALLOC);
    assert_null(tacho_debug_info_action(&made.info, &made.info.dispatches[0], 5));
    teardown(&made);
}

/* Functions of the host's program are not dispatches; a repeated name is a problem. */
static void test_functions(void **state)
{
    (void)state;
    static fixture made;
    setup(&made);
    assert_ok(read_text(
        &made, TACHO_STR("module {\n" FUNCTION("main", "")
                             FUNCTION("d", "\"torq_hl.host_copy\"() : () -> ()\n")
                                 FUNCTION("e", "\"torq_hl.host_copy\"() : () -> ()\n") "}")));
    assert_ok(read_text(&made, TACHO_STR(FUNCTION("d", "\"torq_hl.host_copy\"() : () -> ()\n"
                                                       "\"torq_hl.host_copy\"() : () -> ()\n"))));
    render(&made);
    assert_string_equal(made.text.bytes, "d: 0C\ne: 0C\nunknown 0, unmatched 0, unwaited 0\n");
    assert_int_equal(made.info.problem_count, 1);
    assert_string_equal(str(&made, made.info.problems[0]),
                        "t.mlir: dispatch d is in t.mlir already; this one is left out");
    assert_null(tacho_debug_info_dispatch(&made.info, 0));
    teardown(&made);
}

/* A program started again and again costs time on each start: there is a limit. */
static void test_limit(void **state)
{
    (void)state;
    static fixture made;
    enum { OP_COUNT = 5000, START_COUNT = 3000 };
    size_t room = (OP_COUNT + START_COUNT) * 64 + 1024;
    char *text = malloc(room);
    assert_non_null(text);
    size_t len = (size_t)snprintf(text, room,
                                  "func.func @d() {\n"
                                  "%%jp = torq_hl.program \"j\" : !torq_hl.program<nss> "
                                  "{\n torq_hw.nss_task {} () {\n");
    for (int i = 0; i < OP_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len, "torq_hw.dma_in_wait\n");
    }
    len += (size_t)snprintf(text + len, room - len,
                            "}\ntorq_hl.return }\n%%j = torq_hl.create_invocation \"j\" "
                            "program(%%jp : !torq_hl.program<nss>) : " NSS "\n");
    for (int i = 0; i < START_COUNT; i++) {
        len += (size_t)snprintf(text + len, room - len, "torq_hl.start_program %%j : " NSS "\n");
    }
    len += (size_t)snprintf(text + len, room - len, "return }\n");
    setup(&made);
    tacho_status status = read_text(&made, tacho_str_make(text, len));
    assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
    tacho_status_free(status);
    assert_int_equal(made.info.dispatch_count, 0);
    assert_int_equal(made.info.op_count, 0);
    assert_int_equal(made.info.unmatched_wait_count, 0);
    uint32_t name = 0;
    assert_ok(tacho_dict_ensure_string(&made.dict, TACHO_STR("d"), &name));
    assert_null(tacho_debug_info_dispatch(&made.info, name));
    teardown(&made);
    free(text);
}

/* ---- files ------------------------------------------------------------------------------ */

typedef struct folder {
    char path[64];
    char names[12][96];
    size_t count;
} folder;

static void make_folder(folder *made)
{
    made->count = 0;
    snprintf(made->path, sizeof(made->path), "/tmp/tacho_ir_XXXXXX");
    assert_non_null(mkdtemp(made->path));
}

static void add_file(folder *to, const char *name, const char *text)
{
    char path[sizeof(to->path)]; /* some compilers warn that |to| is printed into itself */
    memcpy(path, to->path, sizeof(path));
    snprintf(to->names[to->count], sizeof(to->names[0]), "%s/%s", path, name);
    FILE *file = fopen(to->names[to->count++], "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void remove_folder(folder *made)
{
    for (size_t i = 0; i < made->count; i++) {
        unlink(made->names[i]);
    }
    rmdir(made->path);
}

#define COPY(name) FUNCTION(name, "\"torq_hl.host_copy\"() : () -> ()\n")

/* By number, each stem once, bytecode first; unreadable files are named. */
static void test_folder(void **state)
{
    (void)state;
    static fixture made;
    folder files;
    make_folder(&files);
    add_file(&files, "d_10.mlir", COPY("d_10"));
    add_file(&files, "d_9.mlirb", COPY("d_9"));
    add_file(&files, "d_9.mlir", COPY("other"));
    add_file(&files, "d_1.mlir", COPY("d_1"));
    add_file(&files, "d_2.mlir", "ML\xefR");
    add_file(&files, "notes.txt", "no");
    add_file(&files, ".d_3.mlir", COPY("hidden"));
    setup(&made);
    assert_ok(torq_ir_read_path(files.path, NULL, &made.info));
    render(&made);
    assert_string_equal(made.text.bytes, "d_1: 0C\nd_9: 0C\nd_10: 0C\n"
                                         "unknown 0, unmatched 0, unwaited 0\n");
    assert_int_equal(made.info.problem_count, 1);
    assert_non_null(strstr(str(&made, made.info.problems[0]), "d_2.mlir"));
    assert_int_equal(made.info.note_count, 1);
    assert_non_null(strstr(str(&made, made.info.notes[0]), "d_9.mlir is ignored"));
    teardown(&made);

    tacho_strings wanted;
    uint32_t id = 0;
    assert_ok(tacho_strings_init(&wanted));
    assert_ok(tacho_strings_ensure(&wanted, TACHO_STR("d_10"), &id));
    setup(&made);
    assert_ok(torq_ir_read_path(files.path, &wanted, &made.info));
    render(&made);
    assert_string_equal(made.text.bytes, "d_10: 0C\nunknown 0, unmatched 0, unwaited 0\n");
    assert_int_equal(made.info.problem_count, 0);
    teardown(&made);

    /* The last phase of the phase dumps is used. */
    add_file(&files, "m.9.executable-targets.mlir", COPY("d_10"));
    setup(&made);
    assert_ok(torq_ir_read_path(files.path, &wanted, &made.info));
    assert_int_equal(made.info.dispatch_count, 1);
    assert_non_null(strstr(str(&made, made.info.dispatches[0].file), "m.9.exec"));
    teardown(&made);
    tacho_strings_deinit(&wanted);
    remove_folder(&files);
}

/* Dumps of several models: the one that contains the profile's locations, or none. */
static void test_folder_of_models(void **state)
{
    (void)state;
    static const char *const models[] = {"/w/b.mlir", "/w/x.mlir", "/w/b", "b.9.mlir", "/w/a.onnx"};
    static const char *const expected[] = {"/b.9.exec", NULL, NULL, NULL, "/a.9.exec"};
    folder files;
    make_folder(&files);
    add_file(&files, "a.9.executable-targets.mlir", COPY("d_0"));
    add_file(&files, "b.9.executable-targets.mlir", COPY("d_0"));
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
        static fixture made;
        tacho_location location = {.line = 7};
        uint32_t id = 0;
        setup(&made);
        assert_ok(tacho_strings_ensure(&made.dict.strings, tacho_str_from_cstring(models[i]),
                                       &location.file));
        assert_ok(tacho_dict_ensure_location(&made.dict, &location, &id));
        tacho_status status = torq_ir_read_path(files.path, NULL, &made.info);
        assert_int_equal(status == TACHO_OK, expected[i] != NULL);
        tacho_status_free(status);
        assert_int_equal(made.info.dispatch_count, expected[i] != NULL);
        if (expected[i] != NULL) {
            assert_non_null(strstr(str(&made, made.info.dispatches[0].file), expected[i]));
        }
        teardown(&made);
    }
    remove_folder(&files);
}

static void check_refused(const char *path, tacho_code code, const char *words)
{
    static fixture made;
    setup(&made);
    tacho_status status = torq_ir_read_path(path, NULL, &made.info);
    assert_int_equal(tacho_status_code(status), code);
    if (strstr(tacho_status_message(status), words) == NULL) {
        fail_msg("'%s' does not say '%s'", tacho_status_message(status), words);
    }
    tacho_status_free(status);
    teardown(&made);
}

static void test_refused(void **state)
{
    (void)state;
    folder files;
    char path[96];
    make_folder(&files);
    check_refused(files.path, TACHO_CODE_NOT_FOUND, "the directory is empty");
    add_file(&files, "a.txt", "");
    check_refused(files.path, TACHO_CODE_NOT_FOUND, "it holds a.txt");
    add_file(&files, "b.mlirb", "ML\xefR");
    check_refused(files.path, TACHO_CODE_BAD_DATA, "no readable debug information");
    snprintf(path, sizeof(path), "%s/b.mlirb", files.path);
    check_refused(path, TACHO_CODE_BAD_DATA, "b.mlirb");
    snprintf(path, sizeof(path), "%s/none", files.path);
    check_refused(path, TACHO_CODE_NOT_FOUND, "none");
    add_file(&files, "c.mlir", FUNCTION("main", ""));
    snprintf(path, sizeof(path), "%s/c.mlir", files.path);
    check_refused(path, TACHO_CODE_BAD_DATA, "no function in it has an operation of torq");
    remove_folder(&files);
}

/* Complete dispatches in a damaged file are read; without any the file is refused. */
static void test_damaged(void **state)
{
    (void)state;
    static fixture made;
    folder files;
    char path[96];
    make_folder(&files);
    add_file(&files, "a.mlir", "module {\n" COPY("d") COPY("e") "func.func @f() {\n torq_hl.");
    snprintf(path, sizeof(path), "%s/a.mlir", files.path);
    setup(&made);
    assert_ok(torq_ir_read_path(path, NULL, &made.info));
    render(&made);
    assert_string_equal(made.text.bytes, "d: 0C\ne: 0C\nunknown 0, unmatched 0, unwaited 0\n");
    assert_true(made.info.is_partial);
    assert_int_equal(made.info.problem_count, 1);
    assert_non_null(strstr(str(&made, made.info.problems[0]),
                           "a.mlir:9:10: expected '}' after the region, found the end; "
                           "2 dispatches before that are used"));
    teardown(&made);

    add_file(&files, "b.mlir", "module {\nfunc.func @f() {\n \"torq_hl.host_copy\"() : ()");
    snprintf(path, sizeof(path), "%s/b.mlir", files.path);
    check_refused(path, TACHO_CODE_BAD_DATA, "b.mlir:3:28: expected '->'");
    /* The host's function is complete, but not a dispatch. */
    add_file(&files, "c.mlir", "module {\n" FUNCTION("main", "") "func.func @f() {");
    snprintf(path, sizeof(path), "%s/c.mlir", files.path);
    check_refused(path, TACHO_CODE_BAD_DATA, "c.mlir:4:17: expected '}'");
    remove_folder(&files);
}

/* An operation without its end is not a dispatch. */
static void test_open_function(void **state)
{
    (void)state;
    static fixture made;
    tacho_mlir_module module;
    static const uint32_t open_ops[] = {0, 4};
    setup(&made);
    assert_ok(tacho_mlir_module_init(&module));
    assert_ok(
        tacho_mlir_text_read("t.mlir", TACHO_STR("module {\n" COPY("d") COPY("e") "}"), &module));
    module.damage = TACHO_STR("cut");
    module.open_ops = open_ops; /* the module and e */
    module.open_op_count = 2;
    assert_ok(torq_ir_read_module(&module, TACHO_STR("t.mlir"), &made.info));
    tacho_mlir_module_deinit(&module);
    render(&made);
    assert_string_equal(made.text.bytes, "d: 0C\nunknown 0, unmatched 0, unwaited 0\n");
    assert_string_equal(str(&made, made.info.problems[0]), "cut; 1 dispatch before that is used");
    teardown(&made);
}

/* Node names written by tacho's compiler; incomplete entries are ignored. */
static void test_named_operators(void **state)
{
    (void)state;
    fixture made;
    setup(&made);
    assert_ok(read_text(
        &made, TACHO_STR("\"builtin.module\"() ({\n"
                         "  \"tacho.operators\"() {name = \"a\\22b\", operators = "
                         "\"onnx.Conv@a\\22b onnx.Relu@c\"} : () -> ()\n"
                         "  \"tacho.operators\"() {operators = \"onnx.Add@d\"} : () -> ()\n"
                         "  \"tacho.operators\"() {name = \"e\", operators = 7 : i32} : () -> ()\n"
                         "  \"tacho.operator\"() {name = \"f\", operators = \"x\"} : () -> ()\n"
                         "}) : () -> ()\n")));
    tacho_str found = tacho_debug_info_named_operators(&made.info, TACHO_STR("a\"b"));
    assert_string_equal(found.data, "onnx.Conv@a\"b onnx.Relu@c");
    assert_int_equal(tacho_debug_info_named_operators(&made.info, TACHO_STR("")).len, 0);
    assert_int_equal(tacho_debug_info_named_operators(&made.info, TACHO_STR("e")).len, 0);
    assert_int_equal(tacho_debug_info_named_operators(&made.info, TACHO_STR("f")).len, 0);
    teardown(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next_chain),    cmocka_unit_test(test_queues),
        cmocka_unit_test(test_job_queue),     cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_numbering),     cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_functions),     cmocka_unit_test(test_limit),
        cmocka_unit_test(test_folder),        cmocka_unit_test(test_folder_of_models),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_open_function), cmocka_unit_test(test_named_operators),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
