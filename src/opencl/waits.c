/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that enqueue nothing and may take long: waiting, and building programs. After those that
 * wait, commands that have ended are reported.
 */
#include "opencl/commands.h"

/* Waiting is not work: hence its own category. */
static tacho_client_site wait_site = {"clWaitForEvents", "opencl_wait", NULL, 0, 0, 0};
static tacho_client_site finish_site = {"clFinish", "opencl_wait", NULL, 0, 0, 0};

typedef void program_callback(tacho_cl_handle program, void *self);

static int32_t wrap_wait(uint32_t count, const tacho_cl_handle *events)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, &wait_site);
    int32_t status = TACHO_CL_NEXT(WaitForEvents, wrap_wait)(count, events);
    tacho_client_zone_end(&zone);
    tacho_cl_commands_sweep();
    return status;
}

static int32_t wrap_finish(tacho_cl_handle queue)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, &finish_site);
    int32_t status = TACHO_CL_NEXT(Finish, wrap_finish)(queue);
    tacho_client_zone_end(&zone);
    tacho_cl_commands_sweep();
    return status;
}

static int32_t wrap_flush(tacho_cl_handle queue)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, tacho_cl_site(TACHO_CL_Flush));
    int32_t status = TACHO_CL_NEXT(Flush, wrap_flush)(queue);
    tacho_client_zone_end(&zone);
    return status;
}

static int32_t wrap_release_queue(tacho_cl_handle queue)
{
    tacho_cl_commands_sweep();
    return TACHO_CL_NEXT(ReleaseCommandQueue, wrap_release_queue)(queue);
}

static int32_t wrap_release_context(tacho_cl_handle context)
{
    tacho_cl_commands_sweep();
    return TACHO_CL_NEXT(ReleaseContext, wrap_release_context)(context);
}

static int32_t wrap_build(tacho_cl_handle program, uint32_t device_count,
                          const tacho_cl_handle *devices, const char *options,
                          program_callback *callback, void *self)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, tacho_cl_site(TACHO_CL_BuildProgram));
    int32_t status = TACHO_CL_NEXT(BuildProgram, wrap_build)(program, device_count, devices,
                                                             options, callback, self);
    tacho_client_zone_end(&zone);
    return status;
}

static int32_t wrap_compile(tacho_cl_handle program, uint32_t device_count,
                            const tacho_cl_handle *devices, const char *options,
                            uint32_t header_count, const tacho_cl_handle *headers,
                            const char **header_names, program_callback *callback, void *self)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, tacho_cl_site(TACHO_CL_CompileProgram));
    int32_t status = TACHO_CL_NEXT(CompileProgram, wrap_compile)(program, device_count, devices,
                                                                 options, header_count, headers,
                                                                 header_names, callback, self);
    tacho_client_zone_end(&zone);
    return status;
}

static tacho_cl_handle wrap_link(tacho_cl_handle context, uint32_t device_count,
                                 const tacho_cl_handle *devices, const char *options,
                                 uint32_t program_count, const tacho_cl_handle *programs,
                                 program_callback *callback, void *self, int32_t *out_error)
{
    tacho_client_zone zone;
    tacho_client_zone_begin(&zone, tacho_cl_site(TACHO_CL_LinkProgram));
    tacho_cl_handle program =
        TACHO_CL_NEXT(LinkProgram, wrap_link)(context, device_count, devices, options,
                                              program_count, programs, callback, self, out_error);
    tacho_client_zone_end(&zone);
    return program;
}

tacho_cl_wrapper_list tacho_cl_wait_wrappers(void)
{
    static const tacho_cl_wrapper items[] = {
        TACHO_CL_WRAPS(WaitForEvents, wrap_wait),
        TACHO_CL_WRAPS(Finish, wrap_finish),
        TACHO_CL_WRAPS(Flush, wrap_flush),
        TACHO_CL_WRAPS(ReleaseCommandQueue, wrap_release_queue),
        TACHO_CL_WRAPS(ReleaseContext, wrap_release_context),
        TACHO_CL_WRAPS(BuildProgram, wrap_build),
        TACHO_CL_WRAPS(CompileProgram, wrap_compile),
        TACHO_CL_WRAPS(LinkProgram, wrap_link),
    };
    return (tacho_cl_wrapper_list){items, sizeof(items) / sizeof(items[0])};
}
