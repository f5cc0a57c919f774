/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL program that the layer is tested with, written as any other: it knows nothing of tacho.
 * What it prints must be the same with and without the layer.
 *
 *   opencl_load commands        every kind of command once, and what the API says about its queues
 *   opencl_load threads N M     N threads with a queue each, M kernels each
 *   opencl_load order M         M kernels in a queue that runs them in any order
 *   opencl_load abrupt M        M kernels, then SIGKILL
 *   opencl_load leave M         M kernels, waits for them, and exits without releasing anything
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/abi.h"

/* What the layer believes of the loader's table is what its header says. */
#define SAME_PLACE(name, place)                                                                    \
    _Static_assert(offsetof(cl_icd_dispatch, cl##name) == (place) * sizeof(void *),                \
                   "cl" #name " lies elsewhere");
TACHO_CL_FUNCTIONS(SAME_PLACE)
_Static_assert((int)TACHO_CL_QUEUE_PROPERTIES_ARRAY == CL_QUEUE_PROPERTIES_ARRAY, "");
_Static_assert((int)TACHO_CL_QUEUE_PROPERTIES == CL_QUEUE_PROPERTIES, "");
_Static_assert((int)TACHO_CL_QUEUE_DEVICE == CL_QUEUE_DEVICE, "");
_Static_assert((int)TACHO_CL_DEVICE_NAME == CL_DEVICE_NAME, "");
_Static_assert((int)TACHO_CL_MEM_SIZE == CL_MEM_SIZE, "");
_Static_assert((int)TACHO_CL_IMAGE_ELEMENT_SIZE == CL_IMAGE_ELEMENT_SIZE, "");
_Static_assert((int)TACHO_CL_KERNEL_FUNCTION_NAME == CL_KERNEL_FUNCTION_NAME, "");
_Static_assert((int)TACHO_CL_EVENT_COMMAND_QUEUE == CL_EVENT_COMMAND_QUEUE, "");
_Static_assert((int)TACHO_CL_EVENT_COMMAND_EXECUTION_STATUS == CL_EVENT_COMMAND_EXECUTION_STATUS,
               "");
_Static_assert((int)TACHO_CL_PROFILING_COMMAND_QUEUED == CL_PROFILING_COMMAND_QUEUED, "");
_Static_assert((int)TACHO_CL_PROFILING_COMMAND_END == CL_PROFILING_COMMAND_END, "");
_Static_assert((int)TACHO_CL_PROFILING_INFO_NOT_AVAILABLE == CL_PROFILING_INFO_NOT_AVAILABLE, "");
_Static_assert(TACHO_CL_QUEUE_PROFILING_ENABLE == CL_QUEUE_PROFILING_ENABLE, "");
_Static_assert(TACHO_CL_QUEUE_ON_DEVICE == CL_QUEUE_ON_DEVICE, "");
_Static_assert(TACHO_CL_MIGRATE_TO_HOST == CL_MIGRATE_MEM_OBJECT_HOST, "");

enum { BYTES = 4096, SIDE = 16, SKIP = 77 };

static const char *const source = "kernel void twice(global int *x) { x[get_global_id(0)] *= 2; }\n"
                                  "kernel void spread(global int *x)\n"
                                  "{ x[get_global_id(1) * 16 + get_global_id(0)] += 1; }\n";

typedef struct setup {
    cl_device_id device;
    cl_context context;
    cl_program program;
} setup;

static void check(cl_int status, const char *what)
{
    if (status != CL_SUCCESS) {
        fprintf(stderr, "%s: error %d\n", what, status);
        exit(1);
    }
}

static void make(setup *self)
{
    cl_platform_id platform;
    cl_uint count = 0;
    cl_int status = CL_SUCCESS;
    if (clGetPlatformIDs(1, &platform, &count) != CL_SUCCESS || count == 0) {
        printf("skip: no OpenCL platform, such as pocl-opencl-icd\n");
        exit(SKIP);
    }
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &self->device, NULL), "device");
    self->context = clCreateContext(NULL, 1, &self->device, NULL, NULL, &status);
    check(status, "context");
    self->program = clCreateProgramWithSource(self->context, 1, (const char **)(uintptr_t)&source,
                                              NULL, &status);
    check(status, "program");
    check(clBuildProgram(self->program, 0, NULL, "", NULL, NULL), "build");
}

static cl_command_queue make_queue(const setup *self, cl_queue_properties flags)
{
    cl_int status = CL_SUCCESS;
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_command_queue queue =
        clCreateCommandQueueWithProperties(self->context, self->device, list, &status);
    check(status, "queue");
    return queue;
}

static cl_kernel make_kernel(const setup *self, const char *name, cl_mem buffer)
{
    cl_int status = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(self->program, name, &status);
    check(status, name);
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "argument");
    return kernel;
}

static cl_mem make_buffer(const setup *self)
{
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(self->context, CL_MEM_READ_WRITE, BYTES, NULL, &status);
    check(status, "buffer");
    return buffer;
}

/* ---- commands ------------------------------------------------------------------------------ */

/* What the API says about a queue, and about the times of a command in it. */
static void show_queue(const char *name, cl_command_queue queue, cl_mem buffer)
{
    cl_queue_properties flags = 0;
    cl_queue_properties list[16] = {0};
    size_t size = 0;
    cl_event event;
    int zero = 0;
    cl_ulong time = 0;
    check(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof(flags), &flags, NULL), "flags");
    cl_int listed =
        clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof(list), list, &size);
    check(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 4, &zero, 0, NULL, &event), "write");
    cl_int timed =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof(time), &time, NULL);
    printf("%s: flags %llu, list %d:", name, (unsigned long long)flags, listed);
    for (size_t i = 0; i < size / sizeof(list[0]); i++) {
        printf(" %llx", (unsigned long long)list[i]);
    }
    printf(", times %d %s\n", timed, time > 0 ? "known" : "unknown");
    check(clReleaseEvent(event), "event");
}

static void show_queues(const setup *self, cl_mem buffer)
{
    cl_int status = CL_SUCCESS;
    cl_command_queue bare =
        clCreateCommandQueueWithProperties(self->context, self->device, NULL, &status);
    check(status, "bare queue");
    cl_command_queue old = clCreateCommandQueue(self->context, self->device, 0, &status);
    check(status, "old queue");
    cl_command_queue timed = make_queue(self, CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue plain = make_queue(self, 0);
    show_queue("bare", bare, buffer);
    show_queue("old", old, buffer);
    show_queue("timed", timed, buffer);
    show_queue("plain", plain, buffer);
    clReleaseCommandQueue(bare);
    clReleaseCommandQueue(old);
    clReleaseCommandQueue(timed);
    clReleaseCommandQueue(plain);
    bool is_made = clCreateCommandQueue(self->context, self->device, 1 << 20, &status) != NULL;
    printf("wrong: %d %d\n", is_made, status);
}

static void run_kernels(const setup *self, cl_command_queue queue, cl_mem buffer)
{
    const size_t global[] = {SIDE, SIDE};
    const size_t local[] = {SIDE, 4};
    const size_t offset[] = {0, 2};
    const size_t one[] = {BYTES / sizeof(int)};
    cl_kernel twice = make_kernel(self, "twice", buffer);
    cl_kernel spread = make_kernel(self, "spread", buffer);
    cl_event event;
    check(clEnqueueNDRangeKernel(queue, twice, 1, NULL, one, NULL, 0, NULL, NULL), "twice");
    check(clEnqueueNDRangeKernel(queue, spread, 2, NULL, global, local, 0, NULL, &event), "spread");
    check(clEnqueueNDRangeKernel(queue, spread, 2, offset, global, local, 1, &event, NULL), "more");
    check(clEnqueueTask(queue, twice, 0, NULL, NULL), "task");
    printf("refused: %d\n",
           clEnqueueNDRangeKernel(queue, twice, 0, NULL, one, NULL, 0, NULL, NULL) != CL_SUCCESS);
    check(clWaitForEvents(1, &event), "wait");
    check(clReleaseEvent(event), "event");
    check(clFinish(queue), "finish");
    clReleaseKernel(twice);
    clReleaseKernel(spread);
}

static void run_transfers(cl_command_queue queue, cl_mem buffer, cl_mem other)
{
    static char bytes[BYTES];
    const size_t origin[3] = {0};
    const size_t region[] = {64, 2, 1};
    const cl_uint pattern = 7;
    cl_int status = CL_SUCCESS;
    cl_event event;
    check(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 1000, bytes, 0, NULL, NULL), "write");
    check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 2000, bytes, 0, NULL, NULL), "read");
    check(clEnqueueCopyBuffer(queue, buffer, other, 0, 0, 3000, 0, NULL, NULL), "copy");
    check(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 0, 400, 0, NULL, NULL), "fill");
    check(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 64, 0,
                                  bytes, 0, NULL, NULL),
          "read rect");
    check(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, origin, origin, region, 64, 0, 64, 0,
                                   bytes, 0, NULL, NULL),
          "write rect");
    check(clEnqueueCopyBufferRect(queue, buffer, other, origin, origin, region, 64, 0, 64, 0, 0,
                                  NULL, NULL),
          "copy rect");
    void *at =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 500, 0, NULL, NULL, &status);
    check(status, "map");
    check(clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, NULL), "unmap");
    check(clEnqueueMigrateMemObjects(queue, 1, &buffer, 0, 0, NULL, NULL), "migrate");
    check(clEnqueueMarker(queue, &event), "marker");
    check(clReleaseEvent(event), "event");
    check(clEnqueueMarkerWithWaitList(queue, 0, NULL, NULL), "marker with list");
    check(clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL), "barrier");
    at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, BYTES, 1, 0, NULL, NULL, &status);
    printf("map beyond the end: %d %d\n", at == NULL, status != CL_SUCCESS);
    check(clFinish(queue), "finish");
    printf("filled: %d\n", bytes[0]);
}

static void run_images(const setup *self, cl_command_queue queue, cl_mem buffer)
{
    static char bytes[BYTES];
    const cl_image_format format = {CL_RGBA, CL_UNORM_INT8};
    const cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = SIDE, .image_height = SIDE};
    const size_t origin[3] = {0};
    const size_t region[] = {SIDE, SIDE, 1};
    const float color[4] = {1, 1, 1, 1};
    size_t row = 0;
    cl_int status = CL_SUCCESS;
    cl_mem image = clCreateImage(self->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    if (status != CL_SUCCESS) {
        printf("no images\n");
        return;
    }
    check(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL),
          "write image");
    check(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL), "fill image");
    check(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL),
          "read image");
    check(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, 0, 0, NULL, NULL),
          "image to buffer");
    check(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, region, 0, NULL, NULL),
          "buffer to image");
    void *at = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0,
                                 NULL, NULL, &status);
    check(status, "map image");
    check(clEnqueueUnmapMemObject(queue, image, at, 0, NULL, NULL), "unmap image");
    check(clFinish(queue), "finish");
    printf("image: %d\n", (unsigned char)bytes[0]);
    clReleaseMemObject(image);
}

static void run_shared(const setup *self, cl_command_queue queue)
{
    const int pattern = 3;
    void *memory = clSVMAlloc(self->context, CL_MEM_READ_WRITE, BYTES, 0);
    if (memory == NULL) {
        printf("no shared memory\n");
        return;
    }
    check(clEnqueueSVMMemFill(queue, memory, &pattern, sizeof(pattern), BYTES, 0, NULL, NULL),
          "fill shared");
    check(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, BYTES, 0, NULL, NULL), "map shared");
    printf("shared: %d\n", *(int *)memory);
    check(clEnqueueSVMUnmap(queue, memory, 0, NULL, NULL), "unmap shared");
    check(clEnqueueSVMMemcpy(queue, CL_TRUE, memory, (char *)memory + 2048, 1024, 0, NULL, NULL),
          "copy shared");
    check(clEnqueueSVMFree(queue, 1, &memory, NULL, NULL, 0, NULL, NULL), "free shared");
    check(clFinish(queue), "finish");
}

static void run_commands(const setup *self)
{
    cl_mem buffer = make_buffer(self);
    cl_mem other = make_buffer(self);
    show_queues(self, buffer);
    cl_command_queue queue = make_queue(self, 0);
    run_kernels(self, queue, buffer);
    run_transfers(queue, buffer, other);
    run_images(self, queue, buffer);
    run_shared(self, queue);
    clReleaseCommandQueue(queue);
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
}

/* ---- many ---------------------------------------------------------------------------------- */

static void run_many(const setup *self, cl_queue_properties flags, int count)
{
    const size_t global[] = {SIDE};
    cl_mem buffer = make_buffer(self);
    cl_command_queue queue = make_queue(self, flags);
    cl_kernel kernel = make_kernel(self, "twice", buffer);
    for (int i = 0; i < count; i++) {
        check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, global, NULL, 0, NULL, NULL), "many");
    }
    check(clFinish(queue), "finish");
}

typedef struct worker {
    const setup *shared;
    int count;
} worker;

static void *work(void *self)
{
    const worker *mine = self;
    run_many(mine->shared, 0, mine->count);
    return NULL;
}

static void run_threads(const setup *self, int thread_count, int count)
{
    pthread_t threads[64];
    worker mine = {self, count};
    for (int i = 0; i < thread_count; i++) {
        pthread_create(&threads[i], NULL, work, &mine);
    }
    for (int i = 0; i < thread_count; i++) {
        pthread_join(threads[i], NULL);
    }
}

int main(int argc, char **argv)
{
    setup self;
    const char *what = argc > 1 ? argv[1] : "commands";
    int count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
    make(&self);
    if (strcmp(what, "commands") == 0) {
        run_commands(&self);
    } else if (strcmp(what, "threads") == 0) {
        run_threads(&self, count < 64 ? count : 64, argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1);
    } else {
        run_many(&self, strcmp(what, "order") == 0 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0,
                 count);
    }
    if (strcmp(what, "abrupt") == 0) {
        raise(SIGKILL);
    }
    if (strcmp(what, "leave") != 0) {
        clReleaseProgram(self.program);
        clReleaseContext(self.context);
    }
    printf("done\n");
    return 0;
}
