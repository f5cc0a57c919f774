/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by tests of compiling: a graph that is built node by node, a machine of its own that a
 * test may change, and its program, whose bytes and times are checked.
 */
#ifndef TACHO_COMPILE_COMPILE_TESTING_H
#define TACHO_COMPILE_COMPILE_TESTING_H

#include "base/grow.h"
#include "base/index.h"
#include "compile/compile.h"
#include "program/timing.h"
#include "program/traffic.h"

#include "graph/graph_testing.h"

typedef struct fixture {
    tacho_graph graph;
    tacho_fusion fusion;
    tacho_arena arena;
    tacho_machine *machine;
    tacho_estimate estimate;
    tacho_program program;
} fixture;

static inline void begin(fixture *self, const char *machine)
{
    assert_null(tacho_graph_init(&self->graph));
    self->graph.path = TACHO_STR("m");
    tacho_arena_init(&self->arena);
    assert_null(tacho_machine_find(machine, &self->arena, &self->machine));
}

static inline uint32_t add_input(fixture *self, tacho_dtype dtype, const int64_t *dims)
{
    tacho_graph *graph = &self->graph;
    uint32_t id = test_tensor(graph, dtype, dims);
    assert_null(tacho_grow(&graph->inputs, &graph->input_capacity, graph->input_count + 1));
    graph->inputs[graph->input_count++] = id;
    graph->tensors[id].is_input = true;
    return id;
}

static inline void add_output(fixture *self, uint32_t id)
{
    tacho_graph *graph = &self->graph;
    assert_null(tacho_grow(&graph->outputs, &graph->output_capacity, graph->output_count + 1));
    graph->outputs[graph->output_count++] = id;
    graph->tensors[id].is_output = true;
}

/* The table, the sums and the jobs agree on shared memory; a multicast transfer counts once. */
static inline void check_bytes(const fixture *self)
{
    uint64_t rows = 0;
    uint64_t jobs = 0;
    tacho_traffic traffic = {0};
    uint64_t moved = self->program.facts.moved_bytes;
    for (size_t i = 0; i < self->program.op_count; i++) {
        rows += self->estimate.ops[i].ddr_read_bytes + self->estimate.ops[i].ddr_write_bytes;
    }
    for (size_t i = 0; i < self->program.job_count; i++) {
        const tacho_job *job = &self->program.jobs[i];
        jobs += tacho_traffic_read(&traffic, job) + tacho_traffic_written(job);
    }
    assert_int_equal(rows, moved);
    assert_int_equal(self->estimate.ddr_bytes, moved);
    assert_int_equal(jobs, moved);
}

static inline void compile(fixture *self, const tacho_compile_options *options)
{
    assert_null(tacho_fusion_init(&self->fusion, &self->graph));
    assert_null(tacho_compile_program(&self->fusion, self->machine, options, &self->estimate,
                                      &self->program));
    assert_null(tacho_program_check_timeline(&self->program));
    check_bytes(self);
}

static inline void end(fixture *self)
{
    tacho_program_deinit(&self->program);
    tacho_estimate_deinit(&self->estimate);
    tacho_fusion_deinit(&self->fusion);
    tacho_graph_deinit(&self->graph);
    tacho_arena_deinit(&self->arena);
}

#endif
