/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which counters there are, and why not.
 */
#include "device/cpu/counters.h"

#include <errno.h>
#include <stdio.h>

#include "base/perf.h"

static void fail_event(tacho_counters *self, uint16_t event, int error)
{
    const char *reason =
        error == EACCES || error == EPERM
            ? "the kernel does not allow it (kernel.perf_event_paranoid)"
        : error == ENOENT || error == EINVAL || error == EOPNOTSUPP || error == ENOSYS
            ? "this computer has no such counter"
            : strerror(error);
    snprintf(self->why, sizeof(self->why), "counter %02X is not counted: %s", event, reason);
    self->missing = self->why;
}

tacho_status tacho_counters_open(tacho_counters *counters, const tacho_program *program)
{
    const tacho_stats_config *stats = &program->facts.stats;
    tacho_str machine = tacho_strings_get(&program->strings, program->facts.machine);
    *counters = (tacho_counters){.count = 0};
    if (stats->pmu_event_count > 0 && !tacho_str_equal(machine, TACHO_STR("host-cpu"))) {
        snprintf(counters->why, sizeof(counters->why),
                 "counters are not counted: the program's are those of %.*s, not this computer's",
                 (int)(machine.len < 60 ? machine.len : 60), machine.data);
        counters->missing = counters->why;
        return TACHO_OK;
    }
    for (uint32_t i = 0; i < stats->pmu_event_count; i++) {
        int file = tacho_perf_open(stats->pmu_events[i]);
        if (file < 0) {
            fail_event(counters, stats->pmu_events[i], -file);
            continue;
        }
        counters->events[counters->count] = stats->pmu_events[i];
        counters->files[counters->count++] = file;
    }
    return TACHO_OK;
}

void tacho_counters_close(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        tacho_perf_close(counters->files[i]);
    }
    counters->count = 0;
}

void tacho_counters_start(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        tacho_perf_start(counters->files[i]);
    }
}

void tacho_counters_stop(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        counters->values[i] = tacho_perf_stop(counters->files[i]);
    }
}
