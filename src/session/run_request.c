/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a request leaves open follows from its device: whether it measures, and which machine it is.
 */
#include "session/run_request.h"

#include "session/run_device.h"

/* What a comparison takes medians of where it measures, unless told. */
enum { COMPARED_RUNS = 10, COMPARED_RUNS_MAX = 100 };

static uint64_t usual_samples(const tacho_run_request *request, bool takes_medians)
{
    uint64_t after_first = request->iterations - 1;
    return !takes_medians || after_first == 0 ? 1
           : after_first < COMPARED_RUNS_MAX  ? after_first
                                              : COMPARED_RUNS_MAX;
}

void tacho_run_request_complete(tacho_run_request *request, bool compares)
{
    const tacho_device_type *type = tacho_run_device_type(request->device);
    tacho_run_sampling *sampling = &request->sampling;
    bool is_measured = type != NULL && !type->is_simulated;
    if (request->iterations == TACHO_RUN_OPEN) {
        request->iterations = is_measured && compares ? COMPARED_RUNS + 1 : 1;
    }
    if (sampling->count == TACHO_RUN_OPEN) {
        sampling->count = usual_samples(request, is_measured && compares);
    }
    if (sampling->start == TACHO_RUN_OPEN) {
        /* The first inference of a computer is slow: caches are cold, pages are new. */
        sampling->start = is_measured && request->iterations > 1 ? 1 : 0;
    }
    request->compile.machine = tacho_run_device_machine(request->device);
    request->compile.activations = request->device_options.activations;
    request->compile.threads =
        type != NULL && !type->is_simulated ? request->device_options.threads : 0;
}
