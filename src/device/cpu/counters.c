/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters by perf_event_open(2): each event by itself, of this thread and those it starts later,
 * without the kernel's own.
 */
#define _GNU_SOURCE /* syscall(2) */
#include "device/cpu/counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(uint16_t event)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_RAW,
        .size = sizeof(attr),
        .config = event,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void fail_event(tacho_counters *self, uint16_t event)
{
    const char *reason =
        errno == EACCES || errno == EPERM
            ? "the kernel does not allow it (kernel.perf_event_paranoid)"
        : errno == ENOENT || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS
            ? "this computer has no such counter"
            : strerror(errno);
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
        int file = open_event(stats->pmu_events[i]);
        if (file < 0) {
            fail_event(counters, stats->pmu_events[i]);
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
        close(counters->files[i]);
    }
    counters->count = 0;
}

void tacho_counters_start(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        ioctl(counters->files[i], PERF_EVENT_IOC_RESET, 0);
        ioctl(counters->files[i], PERF_EVENT_IOC_ENABLE, 0);
    }
}

void tacho_counters_stop(tacho_counters *counters)
{
    for (uint32_t i = 0; i < counters->count; i++) {
        uint64_t value;
        ioctl(counters->files[i], PERF_EVENT_IOC_DISABLE, 0);
        ssize_t got = read(counters->files[i], &value, sizeof(value));
        counters->values[i] = got == (ssize_t)sizeof(value) ? value : 0;
    }
}
