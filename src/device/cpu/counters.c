/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which counters there are, and why not.
 */
#include "device/cpu/counters.h"

#include <errno.h>
#include <stdio.h>

#include "base/index.h"
#include "base/maths.h"
#include "base/perf.h"

static const tacho_counter_source kernel = {
    .open = tacho_perf_open,
    .close = tacho_perf_close,
    .start = tacho_perf_start,
    .read = tacho_perf_read,
    .stop = tacho_perf_stop,
};

static const char *reason_of(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "the kernel does not allow it (kernel.perf_event_paranoid)";
    case ENOENT:
    case EINVAL:
    case EOPNOTSUPP:
    case ENOSYS:
    case ENODEV:
        return "this computer has no such counter";
    default:
        return strerror(error);
    }
}

/* All that fail are named, with the reason of the first. */
static void say_missing(tacho_counters *self, const tacho_stats_config *stats)
{
    char list[TACHO_PMU_EVENTS_MAX * 8] = "";
    size_t used = 0;
    int error = 0;
    for (uint32_t i = 0; i < self->count; i++) {
        if (self->files[i] < 0) {
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%02X",
                                     error != 0 ? ", " : "", stats->pmu_events[i]);
            error = error != 0 ? error : -self->files[i];
        }
    }
    bool is_one = self->count - self->counted == 1;
    snprintf(self->why, sizeof(self->why), "counter%s %s %s not recorded: %s", is_one ? "" : "s",
             list, is_one ? "is" : "are", reason_of(error));
    self->missing = self->why;
}

void tacho_counters_open(tacho_counters *counters, const tacho_program *program,
                         const tacho_counter_source *source)
{
    const tacho_stats_config *stats = &program->facts.stats;
    tacho_str machine = tacho_strings_get(&program->strings, program->facts.machine);
    *counters = (tacho_counters){.source = source != NULL ? source : &kernel};
    if (stats->pmu_event_count > 0 && !tacho_str_equal(machine, TACHO_STR("host-cpu"))) {
        snprintf(
            counters->why, sizeof(counters->why),
            "counters are not recorded: the program counts events of %.*s, not of this computer",
            (int)(machine.len < 60 ? machine.len : 60), machine.data);
        counters->missing = counters->why;
        return;
    }
    counters->count = stats->pmu_event_count;
    for (uint32_t i = 0; i < counters->count; i++) {
        counters->files[i] = counters->source->open(stats->pmu_events[i]);
        counters->counted += counters->files[i] >= 0 ? 1 : 0;
    }
    if (counters->counted < counters->count) {
        say_missing(counters, stats);
    }
}

void tacho_counters_close(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->files[i] >= 0) {
            counters->source->close(counters->files[i]);
        }
    }
    counters->count = counters->counted = 0;
}

void tacho_counters_start(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->files[i] >= 0) {
            counters->source->start(counters->files[i]);
        }
    }
}

void tacho_counters_stop(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        if (counters->files[i] >= 0) {
            counters->values[i] = counters->source->stop(counters->files[i]);
        }
    }
}

void tacho_counters_read(const tacho_counters *counters, uint64_t out_values[TACHO_PMU_EVENTS_MAX])
{
    for (uint32_t i = 0; i < TACHO_PMU_EVENTS_MAX; i++) {
        bool is_counted = i < counters->count && counters->files[i] >= 0;
        out_values[i] = is_counted ? counters->source->read(counters->files[i]) : 0;
    }
}

tacho_stats_op_pmu tacho_counters_between(const uint64_t before[TACHO_PMU_EVENTS_MAX],
                                          const uint64_t after[TACHO_PMU_EVENTS_MAX], uint32_t oc)
{
    tacho_stats_op_pmu counted = {.oc = oc};
    for (uint32_t i = 0; i < TACHO_PMU_EVENTS_MAX; i++) {
        uint64_t more = after[i] > before[i] ? after[i] - before[i] : 0;
        counted.values[i] = (uint32_t)tacho_least(more, UINT32_MAX);
    }
    return counted;
}
