/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stats: tasks and places of records, files through cuts and turned bits, and records that cannot
 * belong to the program.
 */
#include "program/stats_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/index.h"
#include "base/output_testing.h"
#include "program/program_testing.h"

enum { ROOM = 16384, ENGINE = 7, OPS = 3 };

/* A program and a file of it. */
typedef struct fixture {
    tacho_program program;
    tacho_stats_layout layout;
    tacho_stats_thread threads[8];
    tacho_stats_op ops[OPS];
    tacho_stats_pmu pmus[1];
    tacho_stats_stall stalls[2];
    tacho_stats_array arrays[4];
    tacho_stats_buffer buffer;
    _Alignas(8) char bytes[ROOM];
    size_t len;
} fixture;

static void seal(fixture *self)
{
    tacho_output output;
    open_test_output(&output);
    tacho_stats_seal(&self->buffer, &output);
    self->len = read_test_output(&output, self->bytes, ROOM);
}

static void setup(fixture *self)
{
    *self = (fixture){.len = 0};
    assert_null(tacho_program_init(&self->program));
    assert_null(make_test_program(&self->program));
    assert_null(tacho_stats_layout_init(&self->layout, &self->program));
    for (uint16_t i = 0; i < 8; i++) {
        self->threads[i] = (tacho_stats_thread){.core = i / 4,
                                                .thread = i % 4,
                                                .start_u = 100,
                                                .flush_start_u = 300,
                                                .end_u = 400,
                                                .end_p = 5000};
    }
    for (uint32_t i = 0; i < OPS; i++) {
        self->ops[i] = (tacho_stats_op){.oc = i,
                                        .sync_start_u = 100 + 10 * i,
                                        .op_start_u = 104 + 10 * i,
                                        .op_end_u = 108 + 10 * i,
                                        .barrier_end_u = 110 + 10 * i,
                                        .op_end_p = 9 + i};
    }
    self->pmus[0] = (tacho_stats_pmu){.core = 1, .thread = 3, .event_count = 2};
    self->stalls[0] = (tacho_stats_stall){.op = 0, .end_p = 7, .cycles = {4, 0, 0, 0, -1}};
    self->stalls[1] = (tacho_stats_stall){.op = 1, .end_p = 9};
    self->arrays[0] = (tacho_stats_array){TACHO_STATS_TYPE_thread, 0, 8, self->threads};
    self->arrays[1] = (tacho_stats_array){TACHO_STATS_TYPE_op, ENGINE, OPS, self->ops};
    self->arrays[2] = (tacho_stats_array){TACHO_STATS_TYPE_pmu, 0, 1, self->pmus};
    self->arrays[3] = (tacho_stats_array){TACHO_STATS_TYPE_stall, 0, 2, self->stalls};
    self->buffer = (tacho_stats_buffer){
        .head = {.layout_id = self->layout.id,
                 .inference = 12,
                 .device_count = 1,
                 .timer_hz = 19200000,
                 .core_hz = 1000000000,
                 .level = 70,
                 .core_count = 2,
                 .thread_count = 4},
        .arrays = self->arrays,
        .array_count = 4,
        .record_cost_ns = 77,
    };
    seal(self);
}

static void teardown(fixture *self)
{
    tacho_stats_layout_deinit(&self->layout);
    tacho_program_deinit(&self->program);
}

/* Each array of |file| is one of the written ones. */
static void check_arrays(const fixture *self, const tacho_stats_file *file)
{
    for (size_t i = 0; i < file->array_count; i++) {
        const tacho_stats_array *array = &file->arrays[i];
        size_t j = 0;
        while (j < 4 && self->arrays[j].type != array->type) {
            j++;
        }
        assert_true(j < 4);
        assert_int_equal(array->stream, self->arrays[j].stream);
        assert_int_equal(array->count, self->arrays[j].count);
        assert_memory_equal(array->records, self->arrays[j].records,
                            array->count * tacho_stats_record_bytes(array->type));
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    fixture self;
    tacho_stats_file file;
    setup(&self);
    assert_true(tacho_stats_is_file(tacho_str_make(self.bytes, self.len)));
    assert_null(tacho_stats_read(&file, tacho_str_make(self.bytes, self.len)));
    assert_memory_equal(&file.head, &self.buffer.head, sizeof(file.head));
    assert_int_equal(file.array_count, 4);
    assert_int_equal(file.end.chunk_count, 5);
    assert_int_equal(file.end.record_cost_ns, 77);
    assert_false(file.damage.is_cut);
    check_arrays(&self, &file);
    assert_null(tacho_stats_bind(&file, &self.layout));
    assert_int_equal(file.damage.bad_records, 0);
    assert_int_equal(file.array_count, 4);
    tacho_stats_file_deinit(&file);
    teardown(&self);
}

/* Records that are not aligned are copied. */
static void test_unaligned(void **state)
{
    (void)state;
    fixture self;
    tacho_stats_file file;
    setup(&self);
    memmove(self.bytes + 1, self.bytes, self.len);
    assert_null(tacho_stats_read(&file, tacho_str_make(self.bytes + 1, self.len)));
    assert_int_equal(file.array_count, 4);
    assert_int_equal((uintptr_t)file.arrays[1].records % 8, 0);
    check_arrays(&self, &file);
    tacho_stats_file_deinit(&file);
    teardown(&self);
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    size_t head_end = TACHO_CHUNK_FILE_BYTES + TACHO_CHUNK_OVERHEAD + sizeof(tacho_stats_head);
    size_t counts[6] = {0};
    for (size_t cut = 0; cut <= self.len; cut++) {
        tacho_stats_file file;
        tacho_status status = tacho_stats_read(&file, tacho_str_make(self.bytes, cut));
        assert_true((status == TACHO_OK) == (cut >= head_end));
        if (status == TACHO_OK) {
            check_arrays(&self, &file);
            assert_true(file.damage.is_cut == (cut < self.len));
            assert_null(tacho_stats_bind(&file, &self.layout));
            counts[file.array_count]++;
        }
        tacho_status_free(status);
        tacho_stats_file_deinit(&file);
    }
    for (size_t i = 0; i < 5; i++) {
        assert_true(counts[i] > 0); /* each number of whole arrays was seen */
    }
    teardown(&self);
}

static void test_any_bit(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    for (size_t bit = 0; bit < 8 * self.len; bit++) {
        tacho_stats_file file;
        self.bytes[bit / 8] = (char)(self.bytes[bit / 8] ^ (1 << bit % 8));
        tacho_status status = tacho_stats_read(&file, tacho_str_make(self.bytes, self.len));
        if (status == TACHO_OK) {
            check_arrays(&self, &file);
            assert_true(file.array_count >= 3);
            assert_true(file.array_count == 4 || file.damage.damaged_bytes > 0);
            assert_null(tacho_stats_bind(&file, &self.layout));
            assert_int_equal(file.damage.bad_records, 0);
        }
        tacho_status_free(status);
        tacho_stats_file_deinit(&file);
        self.bytes[bit / 8] = (char)(self.bytes[bit / 8] ^ (1 << bit % 8));
    }
    teardown(&self);
}

/* Seals what |self| has now; how many records and arrays cannot be. */
static void check_bad(fixture *self, uint64_t bad_records, size_t array_count)
{
    tacho_stats_file file;
    seal(self);
    assert_null(tacho_stats_read(&file, tacho_str_make(self->bytes, self->len)));
    assert_null(tacho_stats_bind(&file, &self->layout));
    assert_int_equal(file.damage.bad_records, bad_records);
    assert_int_equal(file.array_count, array_count);
    tacho_stats_file_deinit(&file);
}

static void test_impossible_records(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    self.ops[1].oc = 100; /* tasks of core 1 are fewer */
    check_bad(&self, 1, 4);
    self.ops[2].op_end_u = self.ops[2].op_start_u - 1;
    check_bad(&self, 2, 4);
    self.arrays[1].stream = 8; /* engines are 8 */
    check_bad(&self, OPS, 3);
    self.arrays[1].stream = ENGINE;
    self.threads[5].core = 2;
    check_bad(&self, 2 + 8, 3);
    self.threads[5].core = 1;
    self.threads[5].flush_start_u = 401;
    check_bad(&self, 2 + 8, 3);
    self.threads[5].flush_start_u = 400;
    self.pmus[0].event_count = 9;
    check_bad(&self, 2 + 1, 3);
    self.pmus[0].event_count = 8;
    self.stalls[1].op = 2;
    check_bad(&self, 2 + 2, 3);
    self.stalls[1].op = 1;
    check_bad(&self, 2, 4);
    teardown(&self);
}

static void test_other_files(void **state)
{
    (void)state;
    fixture self;
    tacho_stats_file file;
    setup(&self);
    tacho_status status = tacho_stats_read(&file, TACHO_STR("vendor's own bytes"));
    assert_non_null(strstr(tacho_status_message(status), "not a stats buffer that tacho has"));
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
    self.buffer.head.layout_id++;
    seal(&self);
    assert_null(tacho_stats_read(&file, tacho_str_make(self.bytes, self.len)));
    status = tacho_stats_bind(&file, &self.layout);
    assert_non_null(strstr(tacho_status_message(status), "recorded by another program"));
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
    self.buffer.head.timer_hz = 0;
    seal(&self);
    status = tacho_stats_read(&file, tacho_str_make(self.bytes, self.len));
    assert_non_null(strstr(tacho_status_message(status), "a clock of 0 Hz"));
    tacho_status_free(status);
    tacho_stats_file_deinit(&file);
    teardown(&self);
}

/* Tasks of the test program: two on core 0 (load, HMX; the wait is a third), five on core 1. */
static void test_layout(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    const tacho_stats_layout *layout = &self.layout;
    assert_int_equal(layout->core_first_task[1], 3);
    assert_int_equal(layout->core_first_task[2], 8);
    assert_int_equal(layout->group_count, 6); /* HMX, HVX, DMAIssue of each core */
    assert_int_equal(layout->engine_jobs[7], 2);
    assert_int_equal(layout->job_slot[6], 1);
    const tacho_stats_task *task = tacho_stats_layout_task(layout, 0, 1, layout->job_task[6]);
    assert_int_equal(task->first_job, 6);
    assert_int_equal(task->bytes, 4096);
    assert_null(tacho_stats_layout_task(layout, 0, 1, 5));
    assert_null(tacho_stats_layout_task(layout, 0, 2, 0));
    assert_null(tacho_stats_layout_task(layout, 1, 0, 0));
    assert_true(tacho_stats_is_async(&self.program, 3));
    assert_false(tacho_stats_is_async(&self.program, 0));
    uint64_t bytes = 8 * (sizeof(tacho_stats_thread) + sizeof(tacho_stats_pmu)) +
                     2 * (sizeof(tacho_stats_core_pmu) + sizeof(tacho_stats_ddr)) +
                     8 * sizeof(tacho_stats_op);
    assert_int_equal(layout->buffer_bytes, bytes);
    uint64_t id = layout->id;
    tacho_stats_layout_deinit(&self.layout);
    self.program.facts.stats.level = 50; /* no job is a signal */
    assert_null(tacho_stats_layout_init(&self.layout, &self.program));
    assert_int_equal(self.layout.buffer_bytes, bytes - 8 * sizeof(tacho_stats_op));
    assert_true(self.layout.id != id);
    tacho_stats_layout_deinit(&self.layout);
    self.program.jobs[0].kind = TACHO_JOB_SIGNAL;
    assert_null(tacho_stats_layout_init(&self.layout, &self.program));
    assert_int_equal(self.layout.buffer_bytes, bytes - 7 * sizeof(tacho_stats_op));
    teardown(&self);
}

static void test_threads(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    static const uint32_t counts[] = {0, 65536, 65535};
    for (size_t i = 0; i < 3; i++) {
        self.program.facts.thread_count = counts[i];
        self.program.facts.core_count = i == 2 ? 65 : 2;
        tacho_status status = tacho_stats_check_threads(&self.program);
        assert_int_equal(tacho_status_code(status), TACHO_CODE_LIMIT);
        tacho_status_free(status);
    }
    self.program.facts.core_count = 64;
    assert_null(tacho_stats_check_threads(&self.program));
    teardown(&self);
}

/* Jobs on engines of one group that follow one another with the same tile are one task. */
static void test_siblings(void **state)
{
    (void)state;
    fixture self;
    setup(&self);
    tacho_stats_layout_deinit(&self.layout);
    self.program.jobs[5].op = self.program.jobs[4].op; /* HVX 1 and HVX 2 of core 1 */
    self.program.jobs[5].tile = self.program.jobs[4].tile;
    assert_null(tacho_stats_layout_init(&self.layout, &self.program));
    assert_int_equal(self.layout.job_task[5], self.layout.job_task[4]);
    assert_int_equal(self.layout.task_count, 7);
    assert_int_equal(
        tacho_stats_layout_task(&self.layout, 0, 1, self.layout.job_task[4])->job_count, 2);
    teardown(&self);
}

/* Every type that has records has a row, the first type as well; their counts are added up. */
static void test_every_type_is_accounted(void **state)
{
    (void)state;
    static const tacho_stats_array arrays[] = {
        {.type = TACHO_STATS_TYPE_op, .stream = 0, .count = 3},
        {.type = TACHO_STATS_TYPE_head, .stream = 0, .count = 1},
        {.type = TACHO_STATS_TYPE_pmu, .stream = 0, .count = 0},
        {.type = TACHO_STATS_TYPE_op, .stream = 1, .count = 4},
    };
    tacho_stats_drop drops[TACHO_STATS_TYPE_COUNT];
    assert_int_equal(tacho_stats_account(arrays, sizeof(arrays) / sizeof(arrays[0]), drops), 2);
    assert_int_equal(drops[0].type, TACHO_FOURCC('H', 'E', 'A', 'D'));
    assert_int_equal(drops[0].emitted, 1);
    assert_int_equal(drops[1].type, TACHO_FOURCC('O', 'P', 'R', 'C'));
    assert_int_equal(drops[1].emitted, 7);
    assert_int_equal(drops[1].stored, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_unaligned),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_any_bit),
        cmocka_unit_test(test_impossible_records),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_every_type_is_accounted),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
