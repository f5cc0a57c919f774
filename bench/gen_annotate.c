/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen_annotate: writes a synthetic program, as the Torq compiler leaves it after all phases, or the
 * profile of a run of it, as inputs of the benchmarks of annotation.
 *
 *     gen_annotate mlir|csv|model JOBS > file
 *
 * One dispatch of JOBS jobs. A job is a start and a wait (four rows of the profile, R2i), three
 * tasks and three pieces of work: a transfer in, a kernel on one of two slices, a transfer out.
 * |model| is the source that the program's locations name: one operator per line.
 */
#include "gen.h"

enum {
    LINE_COUNT = 2000, /* of the model; jobs take turns on them */
    SLICE_COUNT = 2,
    TASK_CYCLES = 300,
    JOB_PERIOD_US = 40,
    JOB_US = 20,
    STREAM_TIME = 7,
};

static const uint64_t FIRST_US = UINT64_C(81234567000);
static const uint64_t JOBS_MAX = UINT64_C(1) << 28;

static unsigned line_of(uint64_t job)
{
    return (unsigned)(3 + job % LINE_COUNT);
}

static void write_model(void)
{
    printf("module {\n  func.func @main() {\n");
    for (unsigned i = 0; i < LINE_COUNT; ++i)
        printf("    %%%u = tosa.%s %%a, %%b : tensor<1x64xi8>\n", i, i % 3 == 0 ? "conv2d" : "add");
    printf("  }\n}\n");
}

static void write_task(uint64_t job, unsigned task)
{
    const unsigned line = line_of(job), slice = (unsigned)(job % SLICE_COUNT);
    const uint64_t start = (job * 3 + task) * TASK_CYCLES;
    printf("\"torq_hw.nss_task\"() ({\n");
    if (task == 0)
        printf("\"torq_hw.dma_in_start\"() {\"torq-async-duration-cycles\" = 250 : i64} : () -> () "
               "loc(#l%u)\n\"torq_hw.dma_in_wait\"() : () -> () loc(#l%u)\n",
               line, line);
    if (task == 1)
        printf("\"torq_hw.slice_start\"(%%a) <{id = %u : index}> {\"torq-async-duration-cycles\" = "
               "280 : i64} : (!torq_hl.invocation<slice>) -> () loc(#l%u)\n",
               slice, line);
    if (task == 2)
        printf("\"torq_hw.slice_wait\"() <{id = %u : index}> : () -> () loc(#l%u)\n"
               "\"torq_hw.dma_out_start\"() : () -> () loc(#l%u)\n"
               "\"torq_hw.dma_out_wait\"() : () -> () loc(#l%u)\n",
               slice, line, line, line);
    printf("}) {\"torq-end-time-cycles\" = %llu : i64, \"torq-start-time-cycles\" = %llu : i64, "
           "\"torq-task-id\" = %llu : i64} : () -> () loc(#l%u)\n",
           (unsigned long long)(start + TASK_CYCLES), (unsigned long long)start,
           (unsigned long long)(job * 3 + task), line);
}

static void write_program(uint64_t job)
{
    const unsigned long long number = job;
    printf("%%p%llu = \"torq_hl.program\"() <{name = \"nss_program_%llu\"}> ({\n"
           "^bb0(%%a: !torq_hl.invocation<slice>):\n",
           number, number);
    for (unsigned task = 0; task < 3; ++task)
        write_task(job, task);
    printf("\"torq_hl.return\"() : () -> ()\n}) : () -> !torq_hl.program<nss> loc(#l%u)\n"
           "%%j%llu = \"torq_hl.create_invocation\"(%%p%llu) <{name = \"nss_program_%llu\"}> "
           "{\"torq-job-id\" = %llu : i32} : (!torq_hl.program<nss>) -> !torq_hl.invocation<nss> "
           "loc(#l%u)\n",
           line_of(job), number, number, number, number, line_of(job));
}

static void write_actions(uint64_t job)
{
    const unsigned long long number = job;
    const unsigned line = line_of(job);
    printf("\"torq_hl.start_program\"(%%j%llu, %%i%llu) <{operandSegmentSizes = array<i32: 1, 0, "
           "1>}> {\"torq-action-id\" = %llu : i32} : (!torq_hl.invocation<nss>, "
           "!torq_hl.invocation<slice>) -> () loc(#l%u)\n",
           number, number % LINE_COUNT, 2 * number, line);
    printf("\"torq_hl.wait_program\"(%%j%llu) {\"torq-action-id\" = %llu : i32} : "
           "(!torq_hl.invocation<nss>) -> () loc(#l%u)\n",
           number, 2 * number + 1, line);
}

static void write_mlir(uint64_t jobs)
{
    for (unsigned i = 0; i < LINE_COUNT; ++i)
        printf("#l%u = loc(\"model.mlir\":%u:10)\n", 3 + i, 3 + i);
    printf("module {\nfunc.func @main$async_dispatch_0() {\n"
           "%%s = \"torq_hl.program\"() <{name = \"slice_program_torq_hl.any_0\"}> ({\n"
           "\"torq_hl.return\"() : () -> ()\n}) : () -> !torq_hl.program<slice>\n");
    for (unsigned i = 0; i < LINE_COUNT; ++i)
        printf("%%i%u = \"torq_hl.create_invocation\"(%%s) <{name = \"slice_program_torq_hl.%s_%u\""
               "}> : (!torq_hl.program<slice>) -> !torq_hl.invocation<slice>\n",
               i, i % 3 == 0 ? "conv2d" : "add", i);
    for (uint64_t job = 0; job < jobs; ++job)
        write_program(job);
    for (uint64_t job = 0; job < jobs; ++job)
        write_actions(job);
    printf("return\n}\n}\n");
}

static void write_row(long long action, uint64_t time_us, const char *event)
{
    printf("main$async_dispatch_0,1,%lld,%llu,%s\n", action, (unsigned long long)time_us, event);
}

static void write_csv(uint64_t jobs)
{
    printf("dispatch_name,invocation_id,action_id,timestamp_us,event\n");
    printf("main$async_dispatch_0,0,-1,%llu,INIT_BEGIN\n", (unsigned long long)FIRST_US - 90);
    printf("main$async_dispatch_0,0,-1,%llu,INIT_END\n", (unsigned long long)FIRST_US - 20);
    write_row(-1, FIRST_US - 10, "DISPATCH_BEGIN");
    for (uint64_t job = 0; job < jobs; ++job) {
        const uint64_t start = FIRST_US + job * JOB_PERIOD_US;
        const uint64_t end = start + 3 + draw(1, STREAM_TIME, job) % JOB_US;
        write_row((long long)(2 * job), start, "NSS_START_BEGIN");
        write_row((long long)(2 * job), start + 1, "NSS_START_END");
        write_row((long long)(2 * job + 1), start + 2, "NSS_WAIT_BEGIN");
        write_row((long long)(2 * job + 1), end, "NSS_WAIT_END");
    }
    write_row(-1, FIRST_US + jobs * JOB_PERIOD_US, "DISPATCH_END");
}

int main(int argc, char **argv)
{
    uint64_t jobs = 0;
    const char *what = argc == 3 ? argv[1] : "";
    if (argc != 3 || !number_parse(argv[2], &jobs) || jobs > JOBS_MAX) {
        fprintf(stderr, "usage: gen_annotate mlir|csv|model JOBS\n");
        return 2;
    }
    if (strcmp(what, "mlir") == 0)
        write_mlir(jobs);
    else if (strcmp(what, "csv") == 0)
        write_csv(jobs);
    else if (strcmp(what, "model") == 0)
        write_model();
    else
        return fprintf(stderr, "gen_annotate: '%s' is none of mlir, csv, model\n", what), 2;
    return fflush(stdout) == 0 ? 0 : 1;
}
