/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Both clocks count ns, from different moments on, and drift apart: ours = theirs + shift.
 */
#include "cuda/clock.h"

#include "cuda/facts.h"

#include <pthread.h>
#include <tacho/client.h>

enum { TRIES = 5 }; /* at a reading of two clocks */

static const uint64_t ns_per_s = 1000000000;
static const uint64_t clock_slack_ns = 1000;

typedef struct clock_facts {
    uint32_t version; /* 0: not read yet */
    int64_t shift;
    uint64_t error;
} clock_facts;

static struct {
    pthread_mutex_t lock;
    clock_facts now;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool read_clocks(const tacho_cupti *cupti, clock_facts *out_clock)
{
    bool is_read = false;
    for (int i = 0; i < TRIES; i++) {
        uint64_t theirs = 0;
        uint64_t before = tacho_client_now();
        bool is_good = cupti->GetTimestamp(&theirs) == 0;
        uint64_t error = (tacho_client_now() - before) / 2;
        if (is_good && (!is_read || error < out_clock->error)) {
            out_clock->error = error;
            out_clock->shift = (int64_t)(before + error - theirs);
            is_read = true;
        }
    }
    return is_read;
}

void tacho_cu_clock_compare(const tacho_cupti *cupti)
{
    clock_facts seen = {0};
    if (!read_clocks(cupti, &seen)) {
        return;
    }
    pthread_mutex_lock(&state.lock);
    clock_facts *clock = &state.now;
    int64_t moved = seen.shift - clock->shift;
    uint64_t distance = moved < 0 ? (uint64_t)-moved : (uint64_t)moved;
    /* Moved only where it has to be, so that work does not seem to overlap. */
    if (clock->version == 0 || distance > seen.error + clock->error + clock_slack_ns) {
        seen.version = clock->version + 1;
        *clock = seen;
    }
    pthread_mutex_unlock(&state.lock);
}

static clock_facts read_state(void)
{
    pthread_mutex_lock(&state.lock);
    const clock_facts clock = state.now;
    pthread_mutex_unlock(&state.lock);
    return clock;
}

/* Streams of threads are read one by one: each has to send the clock, once per device. */
void tacho_cu_clock_say(uint32_t device, const char *device_name, uint64_t ticks)
{
    static _Thread_local uint32_t said[TACHO_CU_DEVICES_MAX];
    const clock_facts clock = read_state();
    if (said[device] != clock.version) {
        said[device] = clock.version;
        tacho_client_describe_queues(device, device_name[0] != '\0' ? device_name : "CUDA",
                                     "stream");
        tacho_client_clock_pair(device, ticks + (uint64_t)clock.shift, ticks, ns_per_s);
    }
}

uint64_t tacho_cu_clock_ns(uint64_t ticks)
{
    return ticks + (uint64_t)read_state().shift;
}
