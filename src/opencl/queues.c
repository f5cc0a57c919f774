/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues and devices by their handles, in two small tables under one lock. Drivers may reuse the
 * handles of released queues; all are made here, so the new one replaces the old.
 */
#include "opencl/queues.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

static const uint64_t ns_per_s = 1000000000;

typedef struct queue_entry {
    tacho_cl_queue queue;
    struct queue_entry *next;
} queue_entry;

/* A device. Host time = device time + |shift|. */
typedef struct device_entry {
    tacho_cl_handle handle;
    char name[TACHO_CL_NAME_MAX];
    uint32_t queue_count;
    uint32_t version; /* of the shift; 0: none yet */
    int64_t shift;
    uint64_t last_end; /* of the commands so far */
} device_entry;

static struct {
    pthread_mutex_t lock;
    queue_entry *buckets[BUCKETS];
    device_entry devices[TACHO_CL_DEVICES_MAX];
    uint32_t device_count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- functions below ----------------------------------------------------------------------- */

typedef int32_t get_info(tacho_cl_handle object, uint32_t param, size_t size, void *value,
                         size_t *out_size);
typedef tacho_cl_handle create_queue(tacho_cl_handle context, tacho_cl_handle device,
                                     uint64_t properties, int32_t *out_error);
typedef tacho_cl_handle create_queue_with(tacho_cl_handle context, tacho_cl_handle device,
                                          const uint64_t *properties, int32_t *out_error);

static int32_t next_info(size_t place, tacho_cl_handle object, uint32_t param, size_t size,
                         void *value)
{
    return ((get_info *)tacho_cl_next(place))(object, param, size, value, NULL);
}

/* ---- tables -------------------------------------------------------------------------------- */

static queue_entry **bucket_of(tacho_cl_handle handle)
{
    uint64_t mixed = (uint64_t)(uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return &known.buckets[mixed >> 56];
}

static queue_entry *find_entry(tacho_cl_handle handle)
{
    queue_entry *at = *bucket_of(handle);
    while (at != NULL && at->queue.handle != handle) {
        at = at->next;
    }
    return at;
}

/* The number of a device. The lock is held. */
static uint32_t ensure_device(tacho_cl_handle handle)
{
    for (uint32_t i = 0; i < known.device_count; i++) {
        if (known.devices[i].handle == handle) {
            return i;
        }
    }
    if (known.device_count == TACHO_CL_DEVICES_MAX) {
        return TACHO_CL_DEVICES_MAX;
    }
    device_entry *device = &known.devices[known.device_count];
    device->handle = handle;
    if (next_info(TACHO_CL_AT_GetDeviceInfo, handle, TACHO_CL_DEVICE_NAME, sizeof(device->name) - 1,
                  device->name) != TACHO_CL_SUCCESS) {
        memcpy(device->name, "OpenCL", sizeof("OpenCL"));
    }
    return known.device_count++;
}

/* Adds |queue|, or replaces the queue with its handle. */
static void add_queue(tacho_cl_queue *queue, tacho_cl_handle device)
{
    pthread_mutex_lock(&known.lock);
    queue->device = ensure_device(device);
    if (queue->device < TACHO_CL_DEVICES_MAX) {
        queue->number = ++known.devices[queue->device].queue_count;
    }
    queue_entry *entry = find_entry(queue->handle);
    if (entry == NULL) {
        queue_entry **bucket = bucket_of(queue->handle);
        entry = calloc(1, sizeof(*entry));
        if (entry != NULL) {
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    if (entry != NULL) {
        entry->queue = *queue;
    }
    pthread_mutex_unlock(&known.lock);
}

static bool find_queue(tacho_cl_handle handle, tacho_cl_queue *out_queue)
{
    pthread_mutex_lock(&known.lock);
    const queue_entry *entry = find_entry(handle);
    if (entry != NULL) {
        *out_queue = entry->queue;
    }
    pthread_mutex_unlock(&known.lock);
    return entry != NULL;
}

/* Queries a queue that was not made by our wrappers, or that was made as the program requested. */
static tacho_cl_queue learn_queue(tacho_cl_handle handle)
{
    const size_t place = TACHO_CL_AT_GetCommandQueueInfo;
    tacho_cl_queue queue = {.handle = handle, .device = TACHO_CL_DEVICES_MAX};
    tacho_cl_handle device = NULL;
    uint64_t properties = 0;
    if (next_info(place, handle, TACHO_CL_QUEUE_DEVICE, sizeof(device), &device) == 0 &&
        next_info(place, handle, TACHO_CL_QUEUE_PROPERTIES, sizeof(properties), &properties) == 0) {
        queue.is_timed = (properties & TACHO_CL_QUEUE_PROFILING_ENABLE) != 0;
        add_queue(&queue, device);
    }
    return queue;
}

tacho_cl_queue tacho_cl_queue_find(tacho_cl_handle handle)
{
    tacho_cl_queue queue;
    return find_queue(handle, &queue) ? queue : learn_queue(handle);
}

/* ---- clocks -------------------------------------------------------------------------------- */

/* Narrows the clock's shift by the times of a command; the lock is held. */
static void bound_shift(device_entry *device, const tacho_cl_times *times)
{
    int64_t least = (int64_t)(times->before - times->queued);
    int64_t most = (int64_t)(times->after - times->queued);
    int64_t most_by_end = (int64_t)(times->seen - times->end);
    bool is_idle = times->queued > device->last_end;
    device->last_end = times->end > device->last_end ? times->end : device->last_end;
    most = most_by_end < most ? most_by_end : most;
    if (most < least) {
        return; /* its times cannot be right */
    }
    if (device->version == 0) {
        device->shift = least + (most - least) / 2;
        device->version = 1;
    } else if (is_idle && (device->shift < least || device->shift > most)) {
        /* Moved while nothing ran, so that commands do not seem to overlap. */
        device->shift = device->shift < least ? least : most;
        device->version++;
    }
}

void tacho_cl_device_say_clock(uint32_t device, const tacho_cl_times *times)
{
    /* Sent by this thread for each device: streams of threads are read one by one. */
    static _Thread_local uint32_t said[TACHO_CL_DEVICES_MAX];
    if (device >= TACHO_CL_DEVICES_MAX) {
        return;
    }
    pthread_mutex_lock(&known.lock);
    bound_shift(&known.devices[device], times);
    const device_entry entry = known.devices[device];
    pthread_mutex_unlock(&known.lock);
    if (entry.version != said[device]) {
        said[device] = entry.version;
        tacho_client_describe_device(device, entry.name, 0);
        tacho_client_clock_pair(device, times->queued + (uint64_t)entry.shift, times->queued,
                                ns_per_s);
    }
}

/* ---- wrappers ------------------------------------------------------------------------------ */

static tacho_cl_handle wrap_create(tacho_cl_handle context, tacho_cl_handle device,
                                   uint64_t properties, int32_t *out_error)
{
    create_queue *next = (create_queue *)tacho_cl_next(TACHO_CL_AT_CreateCommandQueue);
    tacho_cl_queue queue = {.is_timed = true,
                            .is_secret = (properties & TACHO_CL_QUEUE_PROFILING_ENABLE) == 0};
    queue.handle = next(context, device, properties | TACHO_CL_QUEUE_PROFILING_ENABLE, out_error);
    if (queue.handle == NULL && queue.is_secret) { /* the device cannot, or it is another mistake */
        queue.handle = next(context, device, properties, out_error);
        queue.is_timed = false;
        queue.is_secret = false;
    }
    if (queue.handle != NULL) {
        add_queue(&queue, device);
    }
    return queue.handle;
}

/* Copies a list of properties with profiling on; false where it is on, or is not to be. */
static bool turn_on(const uint64_t *properties, tacho_cl_queue *queue,
                    uint64_t out_list[TACHO_CL_PROPERTIES_MAX + 2])
{
    size_t count = 0;
    size_t kept = 0;
    uint64_t flags = 0;
    for (; properties != NULL && properties[count] != 0; count += 2) {
        if (count + 2 >= TACHO_CL_PROPERTIES_MAX) {
            return false;
        }
        if (properties[count] == TACHO_CL_QUEUE_PROPERTIES) {
            flags = properties[count + 1];
        } else {
            out_list[kept++] = properties[count];
            out_list[kept++] = properties[count + 1];
        }
    }
    out_list[kept++] = TACHO_CL_QUEUE_PROPERTIES;
    out_list[kept++] = flags | TACHO_CL_QUEUE_PROFILING_ENABLE;
    out_list[kept] = 0;
    *queue = (tacho_cl_queue){.is_timed = true, .is_secret = true, .has_array = true};
    if (properties != NULL) {
        queue->property_count = count + 1;
        memcpy(queue->properties, properties, queue->property_count * sizeof(properties[0]));
    }
    return (flags & (TACHO_CL_QUEUE_PROFILING_ENABLE | TACHO_CL_QUEUE_ON_DEVICE)) == 0;
}

static tacho_cl_handle wrap_create_with(tacho_cl_handle context, tacho_cl_handle device,
                                        const uint64_t *properties, int32_t *out_error)
{
    create_queue_with *next =
        (create_queue_with *)tacho_cl_next(TACHO_CL_AT_CreateCommandQueueWithProperties);
    uint64_t list[TACHO_CL_PROPERTIES_MAX + 2];
    tacho_cl_queue queue;
    if (turn_on(properties, &queue, list)) {
        queue.handle = next(context, device, list, out_error);
        if (queue.handle != NULL) {
            add_queue(&queue, device);
            return queue.handle;
        }
    }
    tacho_cl_handle handle = next(context, device, properties, out_error);
    if (handle != NULL) {
        learn_queue(handle);
    }
    return handle;
}

/* The list of properties as the program gave it. */
static int32_t answer_array(const tacho_cl_queue *queue, size_t size, void *value, size_t *out_size)
{
    size_t bytes = queue->property_count * sizeof(queue->properties[0]);
    if (value != NULL && size < bytes) {
        return TACHO_CL_INVALID_VALUE;
    }
    if (value != NULL) {
        memcpy(value, queue->properties, bytes);
    }
    if (out_size != NULL) {
        *out_size = bytes;
    }
    return TACHO_CL_SUCCESS;
}

static int32_t wrap_queue_info(tacho_cl_handle handle, uint32_t param, size_t size, void *value,
                               size_t *out_size)
{
    tacho_cl_queue queue;
    bool is_array = param == TACHO_CL_QUEUE_PROPERTIES_ARRAY;
    bool is_changed = (is_array || param == TACHO_CL_QUEUE_PROPERTIES) &&
                      find_queue(handle, &queue) && queue.is_secret;
    if (is_changed && is_array && queue.has_array) {
        return answer_array(&queue, size, value, out_size);
    }
    int32_t status =
        TACHO_CL_NEXT(GetCommandQueueInfo, wrap_queue_info)(handle, param, size, value, out_size);
    if (status == TACHO_CL_SUCCESS && is_changed && !is_array && value != NULL) {
        uint64_t properties = 0;
        memcpy(&properties, value, sizeof(properties));
        properties &= ~TACHO_CL_QUEUE_PROFILING_ENABLE;
        memcpy(value, &properties, sizeof(properties));
    }
    return status;
}

static int32_t wrap_profiling_info(tacho_cl_handle event, uint32_t param, size_t size, void *value,
                                   size_t *out_size)
{
    tacho_cl_handle handle = NULL;
    tacho_cl_queue queue;
    if (next_info(TACHO_CL_AT_GetEventInfo, event, TACHO_CL_EVENT_COMMAND_QUEUE, sizeof(handle),
                  &handle) == TACHO_CL_SUCCESS &&
        handle != NULL && find_queue(handle, &queue) && queue.is_secret) {
        return TACHO_CL_PROFILING_INFO_NOT_AVAILABLE;
    }
    return TACHO_CL_NEXT(GetEventProfilingInfo, wrap_profiling_info)(event, param, size, value,
                                                                     out_size);
}

tacho_cl_wrapper_list tacho_cl_queue_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(CreateCommandQueue, wrap_create),
        TACHO_CL_WRAPS(CreateCommandQueueWithProperties, wrap_create_with),
        TACHO_CL_WRAPS(GetCommandQueueInfo, wrap_queue_info),
        TACHO_CL_WRAPS(GetEventProfilingInfo, wrap_profiling_info),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
