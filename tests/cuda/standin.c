/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One process has one stand-in. Buffers are filled under a lock and handed over without it. What
 * was asked for is read without order, so that the thread sanitizer sees whether libtacho-cuda
 * keeps its own.
 */
#include "standin.h"

#include "cuda/abi.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define API __attribute__((visibility("default")))

enum { KINDS = 64, OPEN_MAX = 64, RECORD_MAX = 256, ERROR_MAX_LIMIT_REACHED = 12, UNKNOWN = 999 };

enum { CLOCKS_APART_NS = 20000 }; /* at most, when two are read */

typedef uint64_t standin_clock(void);

typedef struct open_buffer {
    uint8_t *data;
    size_t size, used;
} open_buffer;

static struct {
    pthread_mutex_t lock;
    atomic_bool is_enabled[KINDS];
    _Atomic(tacho_cu_callback *) callback;
    _Atomic(void *) user;
    atomic_bool is_called[2][512];
    _Atomic(tacho_cu_request *) request;
    _Atomic(tacho_cu_complete *) complete;
    open_buffer buffers[OPEN_MAX];
    size_t buffer_count;
    uint32_t last_correlation;
    size_t dropped;
    atomic_bool is_zeroed; /* buffers come so, says who gives them */
    atomic_bool has_said_device;
    _Atomic(standin_clock *) clock;
} standin = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Calls that the stand-in knows, by domain. */
static const struct {
    uint32_t domain, id;
    const char *name;
} known[] = {
    {TACHO_CU_RUNTIME_API, 41, "cudaMemcpyAsync_v3020"},
    {TACHO_CU_RUNTIME_API, 51, "cudaMemsetAsync_v3020"},
    {TACHO_CU_RUNTIME_API, 20, "cudaMalloc_v3020"},
    {TACHO_CU_RUNTIME_API, 131, "cudaStreamSynchronize_v3020"},
    {TACHO_CU_RUNTIME_API, 211, "cudaLaunchKernel_v7000"},
    {TACHO_CU_RUNTIME_API, 311, "cudaGraphLaunch_v10000"},
    {TACHO_CU_DRIVER_API, 307, "cuLaunchKernel"},
};

#define SET(member, value) atomic_store_explicit(&standin.member, value, memory_order_relaxed)
#define GET(member) atomic_load_explicit(&standin.member, memory_order_relaxed)

static long setting(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

uint64_t standin_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- CUPTI --------------------------------------------------------------------------------- */

#define DECLARE(name, arguments) API tacho_cu_result cupti##name arguments;
TACHO_CU_FUNCTIONS(DECLARE)
#undef DECLARE

tacho_cu_result cuptiGetVersion(uint32_t *out_version)
{
    *out_version = (uint32_t)setting("STANDIN_VERSION", 130001);
    return 0;
}

tacho_cu_result cuptiGetResultString(tacho_cu_result result, const char **out_text)
{
    *out_text = result == UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_THE_STANDIN";
    return 0;
}

tacho_cu_result cuptiGetTimestamp(uint64_t *out_ns)
{
    standin_clock *clock = GET(clock);
    *out_ns = clock != NULL ? clock() : standin_now();
    return 0;
}

tacho_cu_result cuptiGetCallbackName(uint32_t domain, uint32_t id, const char **out_name)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i].domain == domain && known[i].id == id) {
            *out_name = known[i].name;
            return 0;
        }
    }
    return 1;
}

tacho_cu_result cuptiSubscribe(void **out_subscriber, tacho_cu_callback *callback, void *user)
{
    long refusal = setting("STANDIN_REFUSES", 0);
    if (GET(callback) != NULL) {
        refusal = TACHO_CU_MULTIPLE_SUBSCRIBERS;
    }
    if (refusal == 0) {
        SET(user, user);
        SET(callback, callback);
        *out_subscriber = &standin;
    }
    return (tacho_cu_result)refusal;
}

API tacho_cu_result cuptiSubscribe_v2(void **out_subscriber, tacho_cu_callback *callback,
                                      void *user, tacho_cu_subscription *params);

tacho_cu_result cuptiSubscribe_v2(void **out_subscriber, tacho_cu_callback *callback, void *user,
                                  tacho_cu_subscription *params)
{
    const char *holder = getenv("STANDIN_HOLDER");
    tacho_cu_result result = cuptiSubscribe(out_subscriber, callback, user);
    if (result == TACHO_CU_MULTIPLE_SUBSCRIBERS && holder != NULL && params->holder != NULL) {
        strncpy(params->holder, holder, params->holder_size);
    }
    return result;
}

tacho_cu_result cuptiUnsubscribe(void *subscriber)
{
    (void)subscriber;
    SET(callback, NULL);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        SET(is_called[known[i].domain - 1][known[i].id], false);
    }
    return 0;
}

tacho_cu_result cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t id)
{
    (void)subscriber;
    SET(is_called[domain - 1][id], enable != 0);
    return 0;
}

tacho_cu_result cuptiActivityRegisterCallbacks(tacho_cu_request *request,
                                               tacho_cu_complete *complete)
{
    SET(request, request);
    SET(complete, complete);
    standin.dropped = (size_t)setting("STANDIN_DROPS", 0);
    return 0;
}

tacho_cu_result cuptiActivityEnable(uint32_t kind)
{
    long refusal = kind == TACHO_CU_CONCURRENT_KERNEL ? setting("STANDIN_NO_KERNELS", 0) : 0;
    SET(is_enabled[kind], refusal == 0);
    return (tacho_cu_result)refusal;
}

tacho_cu_result cuptiActivityDisable(uint32_t kind)
{
    SET(is_enabled[kind], false);
    return 0;
}

tacho_cu_result cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value)
{
    if (attribute != TACHO_CU_ZEROED_BUFFERS || *size != 1) {
        return 1;
    }
    SET(is_zeroed, *(const uint8_t *)value != 0);
    return 0;
}

API tacho_cu_result cuptiActivityRegisterTimestampCallback(standin_clock *clock);

tacho_cu_result cuptiActivityRegisterTimestampCallback(standin_clock *clock)
{
    SET(clock, clock);
    return clock != NULL ? 0 : 1;
}

/* A moment by the clock that was asked for, which began when others did. */
static uint64_t stamp(uint64_t ns)
{
    standin_clock *clock = GET(clock);
    uint64_t before = 0;
    uint64_t ticks = 0;
    if (clock == NULL) {
        return ns;
    }
    do { /* both at one moment, also where others need the processor */
        before = standin_now();
        ticks = clock();
    } while (standin_now() - before > CLOCKS_APART_NS);
    return (uint64_t)((long double)ticks * (long double)ns / (long double)before);
}

/* All that was asked for is gone. */
API tacho_cu_result cuptiFinalize(void);

tacho_cu_result cuptiFinalize(void)
{
    cuptiUnsubscribe(NULL);
    for (size_t i = 0; i < KINDS; i++) {
        SET(is_enabled[i], false);
    }
    SET(request, NULL);
    SET(complete, NULL);
    SET(is_zeroed, false);
    return 0;
}

tacho_cu_result cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    standin_deliver();
    return 0;
}

/* A record begins with its kind; its size lies in front of it here, which nobody else knows. */
tacho_cu_result cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid_size, uint8_t **record)
{
    uint64_t size = 0;
    uint8_t *next = buffer;
    if (*record != NULL) {
        memcpy(&size, *record - sizeof(size), sizeof(size));
        next = *record + size;
    }
    if (next + sizeof(size) >= buffer + valid_size) {
        return ERROR_MAX_LIMIT_REACHED;
    }
    *record = next + sizeof(size);
    return 0;
}

tacho_cu_result cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *out_count)
{
    (void)context;
    (void)stream;
    *out_count = __atomic_exchange_n(&standin.dropped, 0, __ATOMIC_SEQ_CST);
    return 0;
}

/* ---- records ------------------------------------------------------------------------------- */

static void put_u32(uint8_t *record, size_t at, uint32_t value)
{
    memcpy(record + at, &value, sizeof(value));
}

static void put_u64(uint8_t *record, size_t at, uint64_t value)
{
    memcpy(record + at, &value, sizeof(value));
}

/* CUPTI sets buffers to 0 unless it was told that they are: then they have to be. */
static void check_zeroes(const open_buffer *buffer)
{
    for (size_t i = 0; i < buffer->size && GET(is_zeroed); i++) {
        if (buffer->data[i] != 0) {
            fprintf(stderr, "stand-in: byte %zu of a buffer is not 0\n", i);
            abort();
        }
    }
    if (!GET(is_zeroed)) {
        memset(buffer->data, 0, buffer->size);
        if (setting("STANDIN_TELLS", 0) != 0) {
            fprintf(stderr, "stand-in: sets a buffer to 0\n");
        }
    }
}

/* The lock is held. CUPTI asks for a buffer when it has something to put there. */
static open_buffer *find_room(size_t size)
{
    open_buffer *last =
        standin.buffer_count > 0 ? &standin.buffers[standin.buffer_count - 1] : NULL;
    if (last != NULL && last->used + size <= last->size) {
        return last;
    }
    if (standin.buffer_count == OPEN_MAX) {
        return NULL;
    }
    size_t record_max = 0;
    open_buffer made = {0};
    GET(request)(&made.data, &made.size, &record_max);
    if (made.data != NULL) {
        check_zeroes(&made);
    }
    standin.buffers[standin.buffer_count] = made;
    return made.data != NULL ? &standin.buffers[standin.buffer_count++] : NULL;
}

static void add_record(const uint8_t *record, uint64_t size)
{
    uint32_t kind;
    memcpy(&kind, record, sizeof(kind));
    pthread_mutex_lock(&standin.lock);
    open_buffer *buffer =
        GET(request) != NULL && GET(is_enabled[kind]) ? find_room(size + sizeof(size)) : NULL;
    if (buffer != NULL) {
        memcpy(buffer->data + buffer->used, &size, sizeof(size));
        memcpy(buffer->data + buffer->used + sizeof(size), record, size);
        buffer->used += size + sizeof(size);
    }
    pthread_mutex_unlock(&standin.lock);
}

void standin_deliver(void)
{
    open_buffer taken[OPEN_MAX];
    pthread_mutex_lock(&standin.lock);
    size_t count = standin.buffer_count;
    memcpy(taken, standin.buffers, sizeof(taken));
    standin.buffer_count = 0;
    pthread_mutex_unlock(&standin.lock);
    tacho_cu_complete *complete = GET(complete);
    while (count-- > 0 && complete != NULL) {
        complete(NULL, 0, taken[count].data, taken[count].size, taken[count].used);
    }
}

/* A GPU with 132 multiprocessors, as one says what it is. */
static void say_device(void)
{
    static const char name[] = "Stand-in GPU";
    const char *pointer = name;
    uint8_t record[RECORD_MAX] = {0};
    if (atomic_exchange_explicit(&standin.has_said_device, true, memory_order_relaxed)) {
        return;
    }
    put_u32(record, 0, TACHO_CU_DEVICE);
    put_u64(record, 8, 4800000000);
    put_u64(record, 16, (uint64_t)141 << 30);
    put_u32(record, 28, 50 << 20);
    put_u32(record, 32, 32);
    put_u32(record, 36, 1980000);
    put_u32(record, 44, 132);
    put_u32(record, 52, 64);
    put_u32(record, 56, 32);
    put_u32(record, 60, 233472);
    put_u32(record, 64, 65536);
    put_u32(record, 104, 9);
    memcpy(record + 136, &pointer, sizeof(pointer));
    add_record(record, 184);
}

void standin_kernel(const standin_work *work)
{
    uint8_t record[RECORD_MAX] = {0};
    const uint16_t registers = 64;
    const bool is_late = setting("STANDIN_LATE", 0) != 0;
    if (!is_late) {
        say_device();
    }
    if (work->graph != 0 && GET(is_enabled[TACHO_CU_GRAPH_TRACE])) {
        return; /* the graph is told as one */
    }
    put_u32(record, 0, TACHO_CU_CONCURRENT_KERNEL);
    memcpy(record + 6, &registers, sizeof(registers));
    put_u64(record, 16, stamp(work->start));
    put_u64(record, 24, stamp(work->end));
    put_u32(record, 40, work->device);
    put_u32(record, 44, 1);
    put_u32(record, 48, work->stream);
    put_u32(record, 52, 132);
    put_u32(record, 56, 2);
    put_u32(record, 60, 1);
    put_u32(record, 64, 256);
    put_u32(record, 68, 1);
    put_u32(record, 72, 1);
    put_u32(record, 76, 1024);
    put_u32(record, 80, 2048);
    put_u32(record, 92, work->correlation);
    memcpy(record + 104, &work->name, sizeof(work->name));
    put_u64(record, 144, work->node);
    put_u32(record, 156, work->graph);
    add_record(record, setting("STANDIN_VERSION", 130001) >= 130000 ? 216 : 208);
    say_device();
}

void standin_copy(const standin_work *work)
{
    uint8_t record[RECORD_MAX] = {0};
    say_device();
    put_u32(record, 0, TACHO_CU_MEMCPY);
    record[4] = 1; /* host to device */
    record[5] = 1; /* pageable */
    record[6] = 3; /* device */
    put_u64(record, 8, work->bytes);
    put_u64(record, 16, work->start);
    put_u64(record, 24, work->end);
    put_u32(record, 32, work->device);
    put_u32(record, 36, 1);
    put_u32(record, 40, work->stream);
    put_u32(record, 44, work->correlation);
    add_record(record, 96);
}

void standin_set(const standin_work *work)
{
    uint8_t record[RECORD_MAX] = {0};
    say_device();
    put_u32(record, 0, TACHO_CU_MEMSET);
    put_u64(record, 8, work->bytes);
    put_u64(record, 16, work->start);
    put_u64(record, 24, work->end);
    put_u32(record, 32, work->device);
    put_u32(record, 36, 1);
    put_u32(record, 40, work->stream);
    put_u32(record, 44, work->correlation);
    record[50] = 3;
    add_record(record, 88);
}

void standin_graph(const standin_work *work)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_GRAPH_TRACE);
    put_u32(record, 4, work->correlation);
    put_u64(record, 8, work->start);
    put_u64(record, 16, work->end);
    put_u32(record, 24, work->device);
    put_u32(record, 28, work->graph);
    put_u32(record, 32, 1);
    put_u32(record, 36, work->stream);
    add_record(record, 56);
}

void standin_sync(const standin_work *work)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_SYNCHRONIZATION);
    put_u32(record, 4, 3); /* of a stream */
    put_u64(record, 8, work->start);
    put_u64(record, 16, work->end);
    put_u32(record, 24, work->correlation);
    put_u32(record, 28, 1);
    put_u32(record, 32, work->stream);
    add_record(record, 56);
}

void standin_memory(const standin_work *work, int is_release)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_MEMORY);
    put_u32(record, 4, is_release ? 2 : 1);
    put_u32(record, 8, 3);
    put_u64(record, 24, work->bytes);
    put_u64(record, 32, work->start);
    put_u32(record, 52, work->device);
    add_record(record, 128);
}

void standin_pool(uint64_t address, uint64_t bytes, uint32_t operation)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_MEMORY_POOL);
    put_u32(record, 4, operation);
    put_u32(record, 8, 1);
    put_u64(record, 32, address);
    put_u64(record, 40, bytes);
    put_u64(record, 56, standin_now());
    add_record(record, 80);
}

void standin_environment(uint32_t kind, uint32_t first, uint32_t second)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_ENVIRONMENT);
    put_u64(record, 8, standin_now());
    put_u32(record, 16, kind);
    put_u32(record, 20, first);
    put_u32(record, 24, second);
    add_record(record, 40);
}

void standin_context(uint32_t context, uint32_t device)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_CONTEXT);
    put_u32(record, 4, context);
    put_u32(record, 8, device);
    add_record(record, 32);
}

void standin_stream(uint32_t context, uint32_t stream, int32_t priority)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_STREAM);
    put_u32(record, 4, context);
    put_u32(record, 8, stream);
    put_u32(record, 12, (uint32_t)priority);
    add_record(record, 24);
}

void standin_external(uint32_t correlation, uint64_t id)
{
    uint8_t record[RECORD_MAX] = {0};
    put_u32(record, 0, TACHO_CU_EXTERNAL_CORRELATION);
    put_u32(record, 4, 3);
    put_u64(record, 8, id);
    put_u32(record, 16, correlation);
    add_record(record, 24);
}

/* ---- calls --------------------------------------------------------------------------------- */

static void call_back(const char *name, uint32_t correlation, uint32_t site)
{
    tacho_cu_callback *callback = GET(callback);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].name, name) == 0 && callback != NULL &&
            GET(is_called[known[i].domain - 1][known[i].id])) {
            const tacho_cu_call call = {.site = site, .name = name, .correlation = correlation};
            callback(GET(user), known[i].domain, known[i].id, &call);
        }
    }
}

uint32_t standin_call_begin(const char *name)
{
    uint32_t correlation = __atomic_add_fetch(&standin.last_correlation, 1, __ATOMIC_SEQ_CST);
    call_back(name, correlation, 0);
    return correlation;
}

void standin_call_end(const char *name, uint32_t correlation)
{
    call_back(name, correlation, 1);
}
