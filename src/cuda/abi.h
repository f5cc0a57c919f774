/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of CUPTI and NVTX that the library uses: functions, numbers and records in their memory
 * layout. No header of theirs is needed.
 *
 * Records of CUDA 12 and 13 have these fields in the same places; newer ones are longer. Names and
 * other pointers in them are valid while the buffer is being handed over.
 */
#ifndef TACHO_CUDA_ABI_H
#define TACHO_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int32_t tacho_cu_result; /* 0: it worked */

enum {
    TACHO_CU_MULTIPLE_SUBSCRIBERS = 39,
    TACHO_CU_VERSION_MIN = 18, /* CUDA 12.0 */
};

/* Kinds of records. */
enum {
    TACHO_CU_MEMCPY = 1,
    TACHO_CU_MEMSET = 2,
    TACHO_CU_DEVICE = 8,
    TACHO_CU_CONTEXT = 9,
    TACHO_CU_CONCURRENT_KERNEL = 10,
    TACHO_CU_OVERHEAD = 17,
    TACHO_CU_ENVIRONMENT = 20,
    TACHO_CU_MEMCPY_PEER = 22,
    TACHO_CU_STREAM = 37,
    TACHO_CU_SYNCHRONIZATION = 38,
    TACHO_CU_EXTERNAL_CORRELATION = 39,
    TACHO_CU_MEMORY = 49,
    TACHO_CU_MEMORY_POOL = 50,
    TACHO_CU_GRAPH_TRACE = 51,
};

/* Domains of callbacks. */
enum { TACHO_CU_DRIVER_API = 1, TACHO_CU_RUNTIME_API = 2 };

enum { TACHO_CU_FLUSH_FORCED = 1 };

enum { TACHO_CU_ZEROED_BUFFERS = 5 }; /* an attribute: buffers are zeroed by their provider */

#define TACHO_CU_NO_STREAM UINT32_MAX

/* The argument of a call's callback. */
typedef struct tacho_cu_call {
    uint32_t site; /* 0: it begins, 1: it has ended */
    const char *name;
    const void *params;
    void *result;
    const char *symbol; /* of a kernel that is launched */
    void *context;
    uint32_t context_id;
    uint64_t *data; /* kept from its begin to its end */
    uint32_t correlation;
} tacho_cu_call;

typedef void tacho_cu_request(uint8_t **out_buffer, size_t *out_size, size_t *out_record_max);
typedef void tacho_cu_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size,
                               size_t valid_size);
typedef void tacho_cu_callback(void *user, uint32_t domain, uint32_t id, const void *data);

/* Every function that is used: its name after "cupti", and its arguments. */
#define TACHO_CU_FUNCTIONS(X)                                                                      \
    X(GetVersion, (uint32_t * out_version))                                                        \
    X(GetResultString, (tacho_cu_result result, const char **out_text))                            \
    X(GetTimestamp, (uint64_t * out_ns))                                                           \
    X(GetCallbackName, (uint32_t domain, uint32_t id, const char **out_name))                      \
    X(Subscribe, (void **out_subscriber, tacho_cu_callback *callback, void *user))                 \
    X(Unsubscribe, (void *subscriber))                                                             \
    X(EnableCallback, (uint32_t enable, void *subscriber, uint32_t domain, uint32_t id))           \
    X(ActivityRegisterCallbacks, (tacho_cu_request * request, tacho_cu_complete * complete))       \
    X(ActivityEnable, (uint32_t kind))                                                             \
    X(ActivityDisable, (uint32_t kind))                                                            \
    X(ActivitySetAttribute, (uint32_t attribute, size_t * size, void *value))                      \
    X(ActivityFlushAll, (uint32_t flag))                                                           \
    X(ActivityGetNextRecord, (uint8_t * buffer, size_t valid_size, uint8_t * *record))             \
    X(ActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *out_count))

#define TACHO_CU_TYPE(name, arguments) typedef tacho_cu_result tacho_cu_##name arguments;
TACHO_CU_FUNCTIONS(TACHO_CU_TYPE)
#undef TACHO_CU_TYPE

/* Parameters of the newer subscription, in CUDA 13 and later only: it returns the holder's name. */
typedef struct tacho_cu_subscription {
    size_t size;
    const char *name;
    char *holder;
    size_t holder_size;
} tacho_cu_subscription;

typedef tacho_cu_result tacho_cu_SubscribeV2(void **out_subscriber, tacho_cu_callback *callback,
                                             void *user, tacho_cu_subscription *params);

/* ---- fields of records ---------------------------------------------------------------------- */

static inline uint32_t tacho_cu_u32(const uint8_t *record, size_t at)
{
    uint32_t value;
    memcpy(&value, record + at, sizeof(value));
    return value;
}

static inline uint64_t tacho_cu_u64(const uint8_t *record, size_t at)
{
    uint64_t value;
    memcpy(&value, record + at, sizeof(value));
    return value;
}

static inline const char *tacho_cu_text(const uint8_t *record, size_t at)
{
    const char *text = NULL;
    memcpy(&text, record + at, sizeof(text));
    return text;
}

/* ---- NVTX ---------------------------------------------------------------------------------- */

enum { TACHO_NVTX_CALLBACKS = 1, TACHO_NVTX_CORE = 1, TACHO_NVTX_CORE2 = 5 };

/* Places of functions in the table of the first interface, and in that of domains. */
enum {
    TACHO_NVTX_MARK_EX = 1,
    TACHO_NVTX_MARK = 2,
    TACHO_NVTX_MARK_WIDE = 3,
    TACHO_NVTX_RANGE_START_EX = 4,
    TACHO_NVTX_RANGE_START = 5,
    TACHO_NVTX_RANGE_START_WIDE = 6,
    TACHO_NVTX_RANGE_END = 7,
    TACHO_NVTX_RANGE_PUSH_EX = 8,
    TACHO_NVTX_RANGE_PUSH = 9,
    TACHO_NVTX_RANGE_PUSH_WIDE = 10,
    TACHO_NVTX_RANGE_POP = 11,
};
enum {
    TACHO_NVTX_DOMAIN_MARK_EX = 1,
    TACHO_NVTX_DOMAIN_RANGE_START_EX = 2,
    TACHO_NVTX_DOMAIN_RANGE_END = 3,
    TACHO_NVTX_DOMAIN_RANGE_PUSH_EX = 4,
    TACHO_NVTX_DOMAIN_RANGE_POP = 5,
    TACHO_NVTX_DOMAIN_REGISTER_STRING = 10,
    TACHO_NVTX_DOMAIN_REGISTER_WIDE = 11,
    TACHO_NVTX_DOMAIN_CREATE = 12,
    TACHO_NVTX_DOMAIN_CREATE_WIDE = 13,
};

enum { TACHO_NVTX_ASCII = 1, TACHO_NVTX_WIDE = 2, TACHO_NVTX_REGISTERED = 3 };
enum { TACHO_NVTX_COLOR_ARGB = 1 };
enum {
    TACHO_NVTX_U64 = 1,
    TACHO_NVTX_I64 = 2,
    TACHO_NVTX_F64 = 3,
    TACHO_NVTX_U32 = 4,
    TACHO_NVTX_I32 = 5,
    TACHO_NVTX_F32 = 6,
};

/* The attributes of a mark or a range. */
typedef struct tacho_nvtx_attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type;
    int32_t reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
} tacho_nvtx_attributes;

typedef void (*tacho_nvtx_function)(void);

typedef struct tacho_nvtx_callbacks {
    size_t size;
    int (*find_table)(int32_t module, tacho_nvtx_function ***out_table, uint32_t *out_count);
} tacho_nvtx_callbacks;

typedef const void *tacho_nvtx_find_export(uint32_t id);

#endif
