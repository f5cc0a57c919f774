/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN's threads. Debian's library divides its kernels among threads of OpenMP, which wait for
 * one another in a loop even where the computer has other work, so that two of them can take longer
 * than one. Its calls to OpenMP, of which there are six, are pointed to a team (kernels/team.h)
 * when the library is opened; nothing else in the process is touched. Where a call is not found as
 * expected, all stay what they were, and only the loops are shortened.
 */
#include "base/library.h"
#include "kernels/onednn_library.h"

#include <stdlib.h>

#define WAIT_VARIABLE "GOMP_SPINCOUNT"
#define WAIT_TURNS "100"

enum {
    WORK_OF_ELEMENT = 8, /* reading or writing one, in products of two numbers */
    WORK_OF_WAKING = 1 << 19,
};

/* The team of the execution that runs in this thread, and how many of it a kernel uses. */
static _Thread_local struct {
    tacho_team *team;
    int threads;
} onednn_threads;

void tacho_onednn_use_team(tacho_team *team, int threads)
{
    onednn_threads.team = team;
    onednn_threads.threads = threads;
}

/* ---- in place of OpenMP's ------------------------------------------------------------------ */

static int most_threads(void)
{
    return tacho_team_is_working()      ? (int)tacho_team_parts()
           : onednn_threads.threads > 0 ? onednn_threads.threads
                                        : 1;
}

void tacho_onednn_share(void (*work)(void *data), void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    tacho_team_run(onednn_threads.team, work, data,
                   threads > 0 ? threads : (unsigned)most_threads());
}

static int threads_of_work(void)
{
    return (int)tacho_team_parts();
}

static int thread_of_work(void)
{
    return (int)tacho_team_part();
}

static int is_sharing(void)
{
    return tacho_team_is_working() ? 1 : 0;
}

bool tacho_onednn_take_threads(void *library)
{
    static const tacho_library_call calls[] = {
        {"GOMP_parallel", (tacho_any_call *)tacho_onednn_share},
        {"GOMP_barrier", tacho_team_wait},
        {"omp_get_max_threads", (tacho_any_call *)most_threads},
        {"omp_get_num_threads", (tacho_any_call *)threads_of_work},
        {"omp_get_thread_num", (tacho_any_call *)thread_of_work},
        {"omp_in_parallel", (tacho_any_call *)is_sharing},
    };
    return tacho_library_redirect(library, calls, sizeof(calls) / sizeof(calls[0]));
}

bool tacho_onednn_shorten_waits(void)
{
    bool is_decided = getenv("OMP_WAIT_POLICY") != NULL || getenv(WAIT_VARIABLE) != NULL;
    return !is_decided && setenv(WAIT_VARIABLE, WAIT_TURNS, 0) == 0;
}

void tacho_onednn_forget_waits(bool is_mine)
{
    if (is_mine) {
        (void)unsetenv(WAIT_VARIABLE);
    }
}

/* ---- how many ------------------------------------------------------------------------------- */

static double elements_of(const tacho_fast_tensor *tensor)
{
    double count = 1;
    for (int32_t i = 0; i < tensor->shape.rank; i++) {
        count *= (double)tensor->shape.dims[i];
    }
    return count;
}

/* Products of numbers that a kernel sums up, for each of its results. */
static double depth_of(const tacho_fast_spec *spec)
{
    const tacho_fast_tensor *last = &spec->inputs[spec->input_count > 1 ? 1 : 0];
    double depth = 1;
    switch ((int)spec->kind) {
    case TACHO_FAST_MATMUL:
        return (double)spec->inputs[0].shape.dims[spec->inputs[0].shape.rank - 1];
    case TACHO_FAST_CONVOLUTION:
    case TACHO_FAST_DECONVOLUTION:
        return elements_of(last) / (double)spec->output.shape.dims[1];
    case TACHO_FAST_POOL:
        for (int32_t i = 0; i < spec->window->spatial; i++) {
            depth *= (double)spec->window->kernel[i];
        }
        return depth;
    default:
        return depth;
    }
}

int tacho_onednn_threads_for(const tacho_fast *fast, const tacho_fast_spec *spec)
{
    double moved = elements_of(&spec->output);
    for (size_t i = 0; i < spec->input_count + spec->post_input_count; i++) {
        moved += elements_of(&spec->inputs[i]);
    }
    double work = moved * WORK_OF_ELEMENT + elements_of(&spec->output) * depth_of(spec);
    return work < WORK_OF_WAKING ? 1 : fast->threads;
}
