/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with CUDA as libtacho-cuda sees one: it loads what CUDA_INJECTION64_PATH and
 * NVTX_INJECTION64_PATH name as the driver and NVTX do, calls, and has the stand-in say what a GPU
 * did. It prints nothing but "done".
 *
 *   load train STEPS    each step: a range, a copy, three kernels, a memset, a synchronisation
 *   load graph N        a graph of four kernels, launched N times
 *   load threads T N    T threads that launch N kernels each on a stream of their own
 *   load worker T N     the same, while two threads of CUPTI hand buffers over all the time
 *   load untimed N      N kernels without times and one with
 *   load fork           a child that forks, and launches one kernel in each
 *   load abrupt N       N kernels; once they have been handed over, it kills itself
 *   load names N        N kernels, one at a time, each with another name at the same address
 *   load memory         takes and gives back memory
 *   load teardown N     profiles itself, and takes CUPTI down in a later call, as PyTorch does;
 * then N kernels, 10 ms apart load itself N       a kernel; then it profiles itself, launches N,
 * and says how many it saw
 */
#define _GNU_SOURCE
#include "standin.h"

#include "cuda/abi.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STREAM = 7, PLACES = 16 };

#define DECLARE(name, arguments) tacho_cu_result cupti##name arguments;
TACHO_CU_FUNCTIONS(DECLARE)
#undef DECLARE

/* ---- what the driver and NVTX do ------------------------------------------------------------ */

static int (*nvtx_push)(const char *text);
static int (*nvtx_pop)(void);
static int (*nvtx_push_wide)(const wchar_t *text);
static void (*nvtx_mark)(const char *text);
static void (*nvtx_mark_ex)(const tacho_nvtx_attributes *attributes);
static uint64_t (*nvtx_start_ex)(const tacho_nvtx_attributes *attributes);
static void (*nvtx_end)(uint64_t id);
static int (*nvtx_domain_push)(const char *domain, const tacho_nvtx_attributes *attributes);
static int (*nvtx_domain_pop)(const char *domain);
static const char *(*nvtx_create)(const char *name);

static int find_table(int32_t module, tacho_nvtx_function ***out_table, uint32_t *out_count)
{
    static tacho_nvtx_function *core[PLACES], *core2[PLACES];
    static tacho_nvtx_function unused[PLACES];
    for (size_t i = 0; i < PLACES; i++) {
        core[i] = &unused[i];
        core2[i] = &unused[i];
    }
    core[TACHO_NVTX_RANGE_PUSH] = (tacho_nvtx_function *)&nvtx_push;
    core[TACHO_NVTX_RANGE_PUSH_WIDE] = (tacho_nvtx_function *)&nvtx_push_wide;
    core[TACHO_NVTX_RANGE_POP] = (tacho_nvtx_function *)&nvtx_pop;
    core[TACHO_NVTX_MARK] = (tacho_nvtx_function *)&nvtx_mark;
    core[TACHO_NVTX_MARK_EX] = (tacho_nvtx_function *)&nvtx_mark_ex;
    core[TACHO_NVTX_RANGE_START_EX] = (tacho_nvtx_function *)&nvtx_start_ex;
    core[TACHO_NVTX_RANGE_END] = (tacho_nvtx_function *)&nvtx_end;
    core2[TACHO_NVTX_DOMAIN_RANGE_PUSH_EX] = (tacho_nvtx_function *)&nvtx_domain_push;
    core2[TACHO_NVTX_DOMAIN_RANGE_POP] = (tacho_nvtx_function *)&nvtx_domain_pop;
    core2[TACHO_NVTX_DOMAIN_CREATE] = (tacho_nvtx_function *)&nvtx_create;
    *out_table = module == TACHO_NVTX_CORE ? core : core2;
    *out_count = PLACES;
    return 1;
}

static const void *find_export(uint32_t id)
{
    static const tacho_nvtx_callbacks callbacks = {sizeof(callbacks), find_table};
    return id == TACHO_NVTX_CALLBACKS ? &callbacks : NULL;
}

static void *find_injection(const char *variable, const char *name)
{
    const char *path = getenv(variable);
    void *library = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    return library != NULL ? dlsym(library, name) : NULL;
}

static void inject(void)
{
    int (*initialize)(void) = NULL;
    int (*initialize_nvtx)(tacho_nvtx_find_export *) = NULL;
    void *symbol = find_injection("CUDA_INJECTION64_PATH", "InitializeInjection");
    memcpy(&initialize, &symbol, sizeof(symbol));
    symbol = find_injection("NVTX_INJECTION64_PATH", "InitializeInjectionNvtx2");
    memcpy(&initialize_nvtx, &symbol, sizeof(symbol));
    if (initialize != NULL) {
        initialize();
    }
    if (initialize_nvtx != NULL) {
        initialize_nvtx(find_export);
    }
}

/* ---- work ----------------------------------------------------------------------------------- */

/* Launches a kernel, which runs after the call for |ns|. */
static void launch(const char *name, uint32_t stream, uint64_t ns)
{
    uint32_t correlation = standin_call_begin("cudaLaunchKernel_v7000");
    uint32_t inside = standin_call_begin("cuLaunchKernel"); /* as the runtime does */
    standin_call_end("cuLaunchKernel", inside);
    standin_call_end("cudaLaunchKernel_v7000", correlation);
    uint64_t start = standin_now();
    standin_kernel(&(standin_work){.name = name,
                                   .start = start,
                                   .end = start + ns,
                                   .stream = stream,
                                   .correlation = correlation});
}

static void train_step(void)
{
    if (nvtx_push != NULL) {
        nvtx_push("step");
    }
    uint32_t copy = standin_call_begin("cudaMemcpyAsync_v3020");
    standin_call_end("cudaMemcpyAsync_v3020", copy);
    uint64_t now = standin_now();
    standin_copy(&(standin_work){
        .start = now, .end = now + 500, .bytes = 4096, .stream = STREAM, .correlation = copy});
    standin_external(copy + 1, 77);
    launch("_Z5scalePfi", STREAM, 1000);
    launch("gemm", STREAM, 2000);
    launch("gemm", STREAM, 2000);
    uint32_t set = standin_call_begin("cudaMemsetAsync_v3020");
    standin_call_end("cudaMemsetAsync_v3020", set);
    now = standin_now();
    standin_set(&(standin_work){
        .start = now, .end = now + 100, .bytes = 64, .stream = STREAM, .correlation = set});
    uint32_t wait = standin_call_begin("cudaStreamSynchronize_v3020");
    standin_call_end("cudaStreamSynchronize_v3020", wait);
    standin_sync(
        &(standin_work){.start = now, .end = now + 300, .stream = STREAM, .correlation = wait});
    if (nvtx_pop != NULL) {
        nvtx_pop();
    }
}

static void say_ranges(void)
{
    if (nvtx_create == NULL) {
        return;
    }
    const char *domain = nvtx_create("loader");
    const tacho_nvtx_attributes attributes = {.version = 3,
                                              .size = sizeof(attributes),
                                              .color_type = TACHO_NVTX_COLOR_ARGB,
                                              .color = 0xff00ff00,
                                              .message_type = TACHO_NVTX_ASCII,
                                              .message = "batch"};
    nvtx_domain_push(domain, &attributes);
    nvtx_mark("a mark");
    nvtx_mark(NULL);
    nvtx_push_wide(L"wide");
    nvtx_push(NULL);
    nvtx_pop();
    nvtx_pop();
    nvtx_domain_pop(domain);
}

static void launch_graph(void)
{
    uint32_t correlation = standin_call_begin("cudaGraphLaunch_v10000");
    standin_call_end("cudaGraphLaunch_v10000", correlation);
    uint64_t start = standin_now();
    for (uint64_t node = 1; node <= 4; node++) {
        standin_kernel(&(standin_work){.name = "node",
                                       .start = start + 100 * node,
                                       .end = start + 100 * node + 50,
                                       .stream = STREAM,
                                       .correlation = correlation,
                                       .graph = 5,
                                       .node = node});
    }
    standin_graph(&(standin_work){.start = start + 100,
                                  .end = start + 450,
                                  .stream = STREAM,
                                  .correlation = correlation,
                                  .graph = 5});
}

typedef struct thread_work {
    uint32_t stream;
    long count;
} thread_work;

static void *launch_many(void *argument)
{
    const thread_work *work = argument;
    for (long i = 0; i < work->count; i++) {
        launch("many", work->stream, 10);
    }
    return NULL;
}

static void run_threads(long threads, long count)
{
    pthread_t ids[64];
    thread_work works[64];
    for (long i = 0; i < threads && i < 64; i++) {
        works[i] = (thread_work){.stream = (uint32_t)(10 + i), .count = count};
        if (pthread_create(&ids[i], NULL, launch_many, &works[i]) != 0) {
            abort();
        }
    }
    for (long i = 0; i < threads && i < 64; i++) {
        pthread_join(ids[i], NULL);
    }
}

static void *deliver_until(void *argument)
{
    atomic_bool *is_done = argument;
    while (!atomic_load_explicit(is_done, memory_order_relaxed)) {
        standin_deliver();
    }
    return NULL;
}

static void run_worker(long threads, long count)
{
    pthread_t ids[2];
    atomic_bool is_done = false;
    for (size_t i = 0; i < 2; i++) {
        if (pthread_create(&ids[i], NULL, deliver_until, &is_done) != 0) {
            abort();
        }
    }
    run_threads(threads, count);
    atomic_store_explicit(&is_done, true, memory_order_relaxed);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(ids[i], NULL);
    }
}

static void run_untimed(long count)
{
    for (long i = 0; i < count; i++) {
        standin_kernel(&(standin_work){.name = "untimed", .stream = STREAM, .correlation = 1000});
    }
    launch("timed", STREAM, 100);
}

static void run_fork(void)
{
    launch("parent", STREAM, 100);
    pid_t child = fork();
    if (child == 0) {
        launch("child", STREAM, 100);
        nvtx_push("in the child");
        nvtx_pop();
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void run_abrupt(long count)
{
    for (long i = 0; i < count; i++) {
        launch("abrupt", STREAM, 10);
    }
    standin_deliver();
    kill(getpid(), SIGKILL);
}

static void run_names(long count)
{
    char name[32];
    for (long i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "kernel %ld", i);
        launch(name, STREAM, 10);
        standin_deliver();
    }
}

static void run_memory(void)
{
    const standin_work first = {.bytes = 1000, .start = standin_now()};
    const standin_work second = {.bytes = 500, .start = standin_now()};
    standin_memory(&first, 0);
    standin_memory(&second, 0);
    standin_memory(&first, 1);
    launch("timed", STREAM, 100);
}

/* What is no work: pools, clocks, power, a stream that comes first. */
static void run_facts(void)
{
    standin_pool(0x1000, 1000, 1);
    standin_pool(0x2000, 5000, 1);
    standin_pool(0x2000, 1000, 3);
    standin_pool(0x1000, 1000, 2);
    standin_environment(1, 1980, 2619);
    standin_environment(2, 41, 0);
    standin_environment(3, 350500, 700000);
    standin_environment(99, 1, 1);
    standin_stream(1, STREAM, -5);
    standin_context(2, 0);
    launch("first", STREAM, 100);
    launch("second", STREAM + 1, 100);
}

/* A payload of each type, of a range in this thread, of one across threads, and of a mark. */
static void run_payloads(void)
{
    static const struct {
        int32_t type;
        uint64_t bits;
    } payloads[] = {
        {TACHO_NVTX_U64, UINT64_MAX},
        {TACHO_NVTX_I64, (uint64_t)-7},
        {TACHO_NVTX_F64, 0x3ff8000000000000},
        {TACHO_NVTX_U32, 0xaaaaaaaaffffffff},
        {TACHO_NVTX_I32, 0xaaaaaaaafffffff8},
        {TACHO_NVTX_F32, 0xaaaaaaaa3f000000},
        {0, 5},
        {77, 5},
    };
    for (size_t i = 0; nvtx_start_ex != NULL && i < sizeof(payloads) / sizeof(payloads[0]); i++) {
        const tacho_nvtx_attributes attributes = {.version = 3,
                                                  .size = sizeof(attributes),
                                                  .category = (uint32_t)i,
                                                  .payload_type = payloads[i].type,
                                                  .payload = payloads[i].bits,
                                                  .message_type = TACHO_NVTX_ASCII,
                                                  .message = "paid"};
        nvtx_domain_push("", &attributes);
        nvtx_mark_ex(&attributes);
        nvtx_domain_pop("");
        nvtx_end(nvtx_start_ex(&attributes));
    }
}

/* ---- a program that profiles itself --------------------------------------------------------- */

enum { OWN_BYTES = 1 << 16 };

/* As torch.profiler does it: a buffer that it has not handed out is none of its. */
static struct {
    uint8_t *given;
    long kernels, calls, strangers, strange; /* strange: times that are not by its clock */
    bool has_clock;
} own;

static void give_own(uint8_t **out_buffer, size_t *out_size, size_t *out_record_max)
{
    own.given = malloc(OWN_BYTES);
    if (own.given != NULL) {
        memset(own.given, 0x5a, OWN_BYTES); /* as memory is */
    }
    *out_buffer = own.given;
    *out_size = own.given != NULL ? OWN_BYTES : 0;
    *out_record_max = 0;
}

static void take_own(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
    uint8_t *record = NULL;
    (void)context;
    (void)stream;
    (void)size;
    own.strangers += buffer != own.given;
    while (buffer == own.given && cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        own.kernels += record[0] == TACHO_CU_CONCURRENT_KERNEL;
        own.strange += own.has_clock && tacho_cu_u64(record, 16) > standin_now() / 2;
    }
    if (buffer == own.given) {
        free(buffer);
    }
}

static void count_own(void *user, uint32_t domain, uint32_t id, const void *data)
{
    (void)user;
    (void)domain;
    (void)id;
    own.calls += ((const tacho_cu_call *)data)->site == 0;
}

enum { LONG_NS = 1000000 };

static void launch_often(const char *name, long count)
{
    for (long i = 0; i < count; i++) {
        launch(name, STREAM, LONG_NS);
    }
}

static void run_itself(long count)
{
    void *subscriber = NULL;
    launch("before", STREAM, 100);
    tacho_cu_result subscribed = cuptiSubscribe(&subscriber, count_own, NULL);
    cuptiActivityRegisterCallbacks(give_own, take_own);
    cuptiEnableCallback(1, subscriber, TACHO_CU_RUNTIME_API, 211);
    cuptiActivityEnable(TACHO_CU_CONCURRENT_KERNEL);
    launch_often("profiled by itself", count);
    cuptiActivityFlushAll(TACHO_CU_FLUSH_FORCED);
    printf("result %d, kernels %ld, calls %ld, unknown buffers %ld\n", (int)subscribed, own.kernels,
           own.calls, own.strangers);
}

extern tacho_cu_result cuptiFinalize(void);
extern tacho_cu_result cuptiActivityRegisterTimestampCallback(uint64_t (*clock)(void));

/* Ticks of a processor: neither nanoseconds nor since when others count. */
static uint64_t own_clock(void)
{
    return standin_now() / 3;
}

static void wait_for_capture(void)
{
    const struct timespec pause = {.tv_sec = 1, .tv_nsec = 500000000};
    cuptiActivityDisable(TACHO_CU_MEMCPY); /* which it never enabled: nothing to anybody */
    nanosleep(&pause, NULL);
}

/*
 * Profiles itself twice, and registers for records only once: the second time somebody else may
 * have done so. |how| it ends: "keep" its subscription, "leave" it, or "finalize" CUPTI.
 */
static void run_sometimes(const char *how, long count)
{
    void *subscriber = NULL;
    launch("before", STREAM, LONG_NS);
    cuptiActivityRegisterTimestampCallback(own_clock);
    own.has_clock = true;
    cuptiActivityRegisterCallbacks(give_own, take_own);
    for (int i = 0; i < 2; i++) {
        if (i == 0 || strcmp(how, "keep") != 0) {
            cuptiSubscribe(&subscriber, count_own, NULL);
            cuptiEnableCallback(1, subscriber, TACHO_CU_RUNTIME_API, 211);
        }
        cuptiActivityEnable(TACHO_CU_CONCURRENT_KERNEL);
        launch_often("profiled by itself", count);
        cuptiActivityDisable(TACHO_CU_CONCURRENT_KERNEL);
        cuptiActivityFlushAll(TACHO_CU_FLUSH_FORCED);
        if (strcmp(how, "leave") == 0) {
            cuptiUnsubscribe(subscriber);
        } else if (strcmp(how, "finalize") == 0) {
            cuptiFinalize();
        }
        launch("too early", STREAM, 100);
        wait_for_capture();
        launch_often(i == 0 ? "between" : "after", 3);
    }
    cuptiActivityFlushAll(TACHO_CU_FLUSH_FORCED);
    printf("kernels %ld, unknown buffers %ld, strange times %ld\n", own.kernels, own.strangers,
           own.strange);
}

/* PyTorch with TEARDOWN_CUPTI=1: at the end of the next call, from the callback of it. */
static void tear_down(void *user, uint32_t domain, uint32_t id, const void *data)
{
    (void)domain;
    (void)id;
    if (((const tacho_cu_call *)data)->site == 1) {
        cuptiUnsubscribe(*(void **)user);
        cuptiFinalize();
        nvtx_mark("torn down");
    }
}

static void run_teardown(long count)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    void *subscriber = NULL;
    cuptiActivityRegisterCallbacks(give_own, take_own);
    cuptiActivityEnable(TACHO_CU_CONCURRENT_KERNEL);
    launch("profiled by itself", STREAM, LONG_NS);
    cuptiActivityDisable(TACHO_CU_CONCURRENT_KERNEL);
    cuptiActivityFlushAll(TACHO_CU_FLUSH_FORCED);
    wait_for_capture();
    launch("between", STREAM, LONG_NS);
    wait_for_capture();
    cuptiSubscribe(&subscriber, tear_down, &subscriber);
    cuptiEnableCallback(1, subscriber, TACHO_CU_RUNTIME_API, 211);
    for (long i = 0; i < count; i++) {
        launch("after", STREAM, LONG_NS);
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "train";
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    inject();
    if (strcmp(mode, "train") == 0) {
        say_ranges();
        for (long i = 0; i < count; i++) {
            train_step();
        }
    } else if (strcmp(mode, "graph") == 0) {
        launch("alone", STREAM, 10);
        for (long i = 0; i < count; i++) {
            launch_graph();
        }
    } else if (strcmp(mode, "threads") == 0) {
        run_threads(count, argc > 3 ? strtol(argv[3], NULL, 10) : 1);
    } else if (strcmp(mode, "worker") == 0) {
        run_worker(count, argc > 3 ? strtol(argv[3], NULL, 10) : 1);
    } else if (strcmp(mode, "untimed") == 0) {
        run_untimed(count);
    } else if (strcmp(mode, "fork") == 0) {
        run_fork();
    } else if (strcmp(mode, "abrupt") == 0) {
        run_abrupt(count);
    } else if (strcmp(mode, "names") == 0) {
        run_names(count);
    } else if (strcmp(mode, "memory") == 0) {
        run_memory();
    } else if (strcmp(mode, "facts") == 0) {
        run_facts();
    } else if (strcmp(mode, "payloads") == 0) {
        run_payloads();
    } else if (strcmp(mode, "itself") == 0) {
        run_itself(count);
    } else if (strcmp(mode, "teardown") == 0) {
        run_teardown(count);
    } else if (strcmp(mode, "sometimes") == 0) {
        run_sometimes(argc > 3 ? argv[3] : "leave", count);
    } else {
        return 2;
    }
    puts("done");
    return 0;
}
