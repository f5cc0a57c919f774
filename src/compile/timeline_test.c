/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timelines of estimates that are written by hand: overlaps, order, and the exact text of Torq's
 * two forms.
 */
#include "compile/timeline.h"

#include "base/grow.h"
#include "base/index.h"
#include "compile/schedule.h"
#include "profile/profile.h"

#include <stdio.h>

#include "graph/graph_testing.h"

#include "base/output_testing.h"

#define WHOLE(n)                                                                                   \
    {                                                                                              \
        .value = {(n), 1 }                                                                         \
    }

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_op_estimate ops[3];
    tacho_engine engines[2];
    tacho_machine machine;
    tacho_memory memories[2];
    tacho_estimate estimate;
    tacho_program program;
    tacho_timeline timeline;
} fixture;

/* The jobs of the estimate's operators. */
static void schedule(fixture *self)
{
    static const uint32_t device_of[3];
    tacho_op_timing timings[3] = {{.cycles = 0}};
    tacho_placement placement;
    tacho_program *program = &self->program;
    assert_null(tacho_placement_init(&placement, &self->fusion, &(tacho_placement_options){0}));
    assert_null(tacho_program_init(program));
    program->facts.device_count = program->facts.core_count = program->facts.thread_count = 1;
    assert_null(tacho_grow(&program->ops, &program->op_capacity, 3));
    memset(program->ops, 0, 3 * sizeof(*program->ops));
    program->op_count = 3;
    assert_null(tacho_grow(&program->dispatches, &program->dispatch_capacity, 1));
    program->dispatches[program->dispatch_count++] = (tacho_dispatch_info){.op_count = 3};
    tacho_schedule all = {.estimate = &self->estimate,
                          .placement = &placement,
                          .device_of = device_of,
                          .cores = 1,
                          .devices = 1,
                          .limit = INT64_MAX,
                          .bytes_max = UINT64_MAX,
                          .program = program,
                          .timings = timings};
    assert_null(tacho_schedule_run(&all));
    assert_int_equal(program->facts.total_cycles, 427);
    for (size_t i = 0; i < program->op_count; i++) {
        int64_t start;
        program->ops[i].cycles = tacho_program_op_span(program, &program->ops[i], &start);
    }
    tacho_placement_deinit(&placement);
}

/* A convolution with a rescale that fits one after the other, a view, a pool that overlaps, and
 * an unknown operator that only moves bytes locally. */
static void setup(fixture *self)
{
    tacho_graph *g = &self->graph;
    assert_null(tacho_graph_init(g));
    g->path = TACHO_STR("m.mlir");
    uint32_t x = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 4, 4, 8));
    uint32_t w = test_constant(g, TACHO_DTYPE_I8, TEST_DIMS(8, 1, 1, 8));
    uint32_t y = test_tensor(g, TACHO_DTYPE_I32, TEST_DIMS(1, 4, 4, 8));
    uint32_t q = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 4, 4, 8));
    uint32_t p = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 2, 2, 8));
    uint32_t u = test_tensor(g, TACHO_DTYPE_I8, TEST_DIMS(1, 2, 2, 8));
    TEST_NODE(g, "tosa.conv2d", y, x, w);
    TEST_NODE(g, "tosa.rescale", q, y);
    tacho_node *pool = TEST_NODE(g, "tosa.avg_pool2d", p, q);
    assert_null(tacho_strings_ensure(&g->strings, TACHO_STR("tosa.pool,odd"), &pool->type));
    TEST_NODE(g, "strange, one", u, p);
    assert_null(tacho_fusion_init(&self->fusion, g));
    assert_int_equal(self->fusion.op_count, 3);
    self->engines[0] = (tacho_engine){
        .name = TACHO_STR("Slice"), .class = TACHO_ENGINE_COMPUTE, .count = WHOLE(2)};
    self->engines[1] =
        (tacho_engine){.name = TACHO_STR("CSS"), .class = TACHO_ENGINE_VECTOR, .count = WHOLE(1)};
    self->machine = (tacho_machine){.name = TACHO_STR("test"),
                                    .core_clock_hz = WHOLE(800000000),
                                    .grid_x = WHOLE(1),
                                    .grid_y = WHOLE(1),
                                    .engines = self->engines,
                                    .engine_count = 2,
                                    .memories = self->memories,
                                    .memory_count = 2};
    self->memories[0] = (tacho_memory){
        .name = TACHO_STR("LRAM"), .kind = TACHO_MEMORY_LOCAL, .size_bytes = WHOLE(4096)};
    self->memories[1] = (tacho_memory){
        .name = TACHO_STR("XRAM"), .kind = TACHO_MEMORY_DDR, .bytes_per_cycle = WHOLE(8)};
    self->ops[0] = (tacho_op_estimate){.cost = {.engine = 0,
                                                .engine_count = 2,
                                                .cycles = 310,
                                                .compute_cycles = 100,
                                                .read_cycles = 200,
                                                .write_cycles = 10,
                                                .macs = 1024,
                                                .padded_macs = 2048,
                                                .ideal_cycles = 31,
                                                .bound = TACHO_BOUND_MEMORY,
                                                .compute = TACHO_DTYPE_I8},
                                       .work = {.kind = TACHO_WORK_MATRIX},
                                       .ddr_read_bytes = 192,
                                       .ddr_write_bytes = 128};
    self->ops[1] = (tacho_op_estimate){.cost = {.engine = 1,
                                                .engine_count = 1,
                                                .cycles = 110,
                                                .compute_cycles = 90,
                                                .read_cycles = 100,
                                                .write_cycles = 30,
                                                .bound = TACHO_BOUND_MEMORY},
                                       .start_cycles = 310,
                                       .ddr_read_bytes = 128,
                                       .ddr_write_bytes = 32};
    self->ops[2] =
        (tacho_op_estimate){.cost = {.engine = TACHO_NONE, .cycles = 7, .bound = TACHO_BOUND_LOCAL},
                            .start_cycles = 420,
                            .local_bytes = 64};
    self->estimate = (tacho_estimate){
        .fusion = &self->fusion, .machine = &self->machine, .ops = self->ops, .cycles = 427};
    schedule(self);
    self->timeline = (tacho_timeline){.estimate = &self->estimate, .program = &self->program};
}

static void teardown(fixture *self)
{
    tacho_program_deinit(&self->program);
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
}

/* The |i|-th job that is shown. */
static const tacho_job *shown_job(const fixture *self, size_t i)
{
    for (size_t j = 0; j < self->program.job_count; j++) {
        const tacho_job *job = &self->program.jobs[j];
        if (tacho_timeline_class(&self->timeline, job) != TACHO_TRACK_GROUP && i-- == 0) {
            return job;
        }
    }
    return NULL;
}

static void check_job(const fixture *self, size_t i, tacho_track_class track_class, int64_t start,
                      int64_t end)
{
    const tacho_job *job = shown_job(self, i);
    assert_int_equal(tacho_timeline_class(&self->timeline, job), track_class);
    assert_int_equal(job->start, start);
    assert_int_equal(job->end, end);
}

static void test_jobs(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    check_job(&f, 0, TACHO_TRACK_DMA_IN, 0, 200);
    check_job(&f, 1, TACHO_TRACK_COMPUTE, 200, 300); /* when all data has arrived */
    check_job(&f, 2, TACHO_TRACK_COMPUTE, 200, 300);
    assert_int_equal(f.program.engines[shown_job(&f, 2)->engine].index, 1);
    check_job(&f, 3, TACHO_TRACK_DMA_OUT, 300, 310);
    check_job(&f, 4, TACHO_TRACK_DMA_IN, 310, 410);
    check_job(&f, 5, TACHO_TRACK_VECTOR, 330, 420); /* with the first of it */
    check_job(&f, 6, TACHO_TRACK_DMA_OUT, 390, 420);
    check_job(&f, 7, TACHO_TRACK_DMA_LOCAL, 420, 427);
    assert_null(shown_job(&f, 8));
    assert_null(tacho_program_check_timeline(&f.program));
    teardown(&f);
}

static const tacho_track *track_of(const tacho_dict *dict, const char *name)
{
    for (size_t i = 0; i < dict->track_count; i++) {
        if (strcmp(tacho_dict_string(dict, dict->tracks[i].name).data, name) == 0) {
            return &dict->tracks[i];
        }
    }
    return NULL;
}

static void test_events(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    tacho_dict dict;
    tacho_profile profile;
    assert_null(tacho_dict_init(&dict));
    tacho_profile_init(&profile, &dict);
    assert_null(tacho_timeline_push(&f.timeline, &profile.events));
    assert_int_equal(dict.part_count, 1);
    assert_int_equal(dict.parts[0].origin, TACHO_ORIGIN_ESTIMATED);
    assert_int_equal(tacho_clock_hz(&dict.clocks[dict.parts[0].clock]), 800000000);
    assert_non_null(track_of(&dict, "Slice 0"));
    assert_int_equal(track_of(&dict, "Slice 1")->index, 1);
    assert_int_equal(track_of(&dict, "CSS")->track_class, TACHO_TRACK_VECTOR);
    assert_int_equal(track_of(&dict, "DMA In")->track_class, TACHO_TRACK_DMA_IN);
    bool has_conv = false;
    for (size_t i = 0; i < dict.site_count; i++) {
        const tacho_site *site = &dict.sites[i];
        if (strcmp(tacho_dict_string(&dict, site->name).data, "conv2d+rescale") == 0) {
            has_conv = true;
            assert_int_equal(dict.locations[site->location].line, 1);
        }
    }
    assert_true(has_conv);
    tacho_profile_deinit(&profile);
    tacho_dict_deinit(&dict);
    teardown(&f);
}

static void test_shares(void **state)
{
    (void)state;
    fixture f;
    setup(&f);
    assert_true(tacho_op_estimate_utilisation(&f.ops[0]) == 10.0);
    assert_true(tacho_op_estimate_padding(&f.ops[0]) == 50.0);
    assert_true(tacho_op_estimate_padding(&f.ops[1]) == 0.0);
    assert_false(tacho_estimate_is_unknown(&f.estimate, 1));
    assert_true(tacho_estimate_is_unknown(&f.estimate, 2));
    teardown(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
