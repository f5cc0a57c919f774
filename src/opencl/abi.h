/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of OpenCL that a layer of its loader needs: handles, a few constants, and the places
 * of functions in the loader's table. All of it is a fixed binary interface, so neither building
 * nor running the layer needs OpenCL's headers; tests/opencl compares it with them.
 */
#ifndef TACHO_OPENCL_ABI_H
#define TACHO_OPENCL_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef struct tacho_cl_object *tacho_cl_handle; /* platform, device, queue, event, ... */

/* An entry of the loader's table, to be cast to its type. */
typedef void (*tacho_cl_function)(void);

enum {
    TACHO_CL_SUCCESS = 0,
    TACHO_CL_PROFILING_INFO_NOT_AVAILABLE = -7,
    TACHO_CL_INVALID_VALUE = -30,

    TACHO_CL_LAYER_API_VERSION = 0x4240,
    TACHO_CL_LAYER_NAME = 0x4241,
    TACHO_CL_LAYER_API_VERSION_100 = 100,

    TACHO_CL_DEVICE_NAME = 0x102B,
    TACHO_CL_QUEUE_DEVICE = 0x1091,
    TACHO_CL_QUEUE_PROPERTIES = 0x1093,
    TACHO_CL_QUEUE_PROPERTIES_ARRAY = 0x1098,
    TACHO_CL_MEM_SIZE = 0x1102,
    TACHO_CL_IMAGE_ELEMENT_SIZE = 0x1111,
    TACHO_CL_KERNEL_FUNCTION_NAME = 0x1190,
    TACHO_CL_EVENT_COMMAND_QUEUE = 0x11D0,
    TACHO_CL_EVENT_COMMAND_EXECUTION_STATUS = 0x11D3,
    TACHO_CL_PROFILING_COMMAND_QUEUED = 0x1280,
    TACHO_CL_PROFILING_COMMAND_SUBMIT = 0x1281,
    TACHO_CL_PROFILING_COMMAND_START = 0x1282,
    TACHO_CL_PROFILING_COMMAND_END = 0x1283,
    TACHO_CL_COMPLETE = 0,
};

#define TACHO_CL_QUEUE_PROFILING_ENABLE (UINT64_C(1) << 1)
#define TACHO_CL_QUEUE_ON_DEVICE (UINT64_C(1) << 2)
#define TACHO_CL_MIGRATE_TO_HOST (UINT64_C(1) << 0)

/* Entries of the table that the layer calls or replaces: X(name, place). */
#define TACHO_CL_FUNCTIONS(X)                                                                      \
    X(GetDeviceInfo, 3)                                                                            \
    X(ReleaseContext, 7)                                                                           \
    X(CreateCommandQueue, 9)                                                                       \
    X(ReleaseCommandQueue, 11)                                                                     \
    X(GetCommandQueueInfo, 12)                                                                     \
    X(GetMemObjectInfo, 20)                                                                        \
    X(GetImageInfo, 21)                                                                            \
    X(BuildProgram, 30)                                                                            \
    X(GetKernelInfo, 39)                                                                           \
    X(WaitForEvents, 41)                                                                           \
    X(GetEventInfo, 42)                                                                            \
    X(RetainEvent, 43)                                                                             \
    X(ReleaseEvent, 44)                                                                            \
    X(GetEventProfilingInfo, 45)                                                                   \
    X(Flush, 46)                                                                                   \
    X(Finish, 47)                                                                                  \
    X(EnqueueReadBuffer, 48)                                                                       \
    X(EnqueueWriteBuffer, 49)                                                                      \
    X(EnqueueCopyBuffer, 50)                                                                       \
    X(EnqueueReadImage, 51)                                                                        \
    X(EnqueueWriteImage, 52)                                                                       \
    X(EnqueueCopyImage, 53)                                                                        \
    X(EnqueueCopyImageToBuffer, 54)                                                                \
    X(EnqueueCopyBufferToImage, 55)                                                                \
    X(EnqueueMapBuffer, 56)                                                                        \
    X(EnqueueMapImage, 57)                                                                         \
    X(EnqueueUnmapMemObject, 58)                                                                   \
    X(EnqueueNDRangeKernel, 59)                                                                    \
    X(EnqueueTask, 60)                                                                             \
    X(EnqueueNativeKernel, 61)                                                                     \
    X(EnqueueMarker, 62)                                                                           \
    X(SetEventCallback, 81)                                                                        \
    X(EnqueueReadBufferRect, 86)                                                                   \
    X(EnqueueWriteBufferRect, 87)                                                                  \
    X(EnqueueCopyBufferRect, 88)                                                                   \
    X(CompileProgram, 98)                                                                          \
    X(LinkProgram, 99)                                                                             \
    X(EnqueueFillBuffer, 102)                                                                      \
    X(EnqueueFillImage, 103)                                                                       \
    X(EnqueueMigrateMemObjects, 104)                                                               \
    X(EnqueueMarkerWithWaitList, 105)                                                              \
    X(EnqueueBarrierWithWaitList, 106)                                                             \
    X(CreateCommandQueueWithProperties, 123)                                                       \
    X(EnqueueSVMFree, 128)                                                                         \
    X(EnqueueSVMMemcpy, 129)                                                                       \
    X(EnqueueSVMMemFill, 130)                                                                      \
    X(EnqueueSVMMap, 131)                                                                          \
    X(EnqueueSVMUnmap, 132)                                                                        \
    X(EnqueueSVMMigrateMem, 139)

enum {
#define TACHO_CL_PLACE(name, place) TACHO_CL_AT_##name = (place),
    TACHO_CL_FUNCTIONS(TACHO_CL_PLACE)
#undef TACHO_CL_PLACE
        TACHO_CL_TABLE_MAX = 256, /* entries that we pass on */
};

/* The same without gaps. */
typedef enum tacho_cl_call {
#define TACHO_CL_CALL(name, place) TACHO_CL_##name,
    TACHO_CL_FUNCTIONS(TACHO_CL_CALL)
#undef TACHO_CL_CALL
        TACHO_CL_CALL_COUNT,
} tacho_cl_call;

#endif
