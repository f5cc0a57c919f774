/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters by perf_event_open(2).
 */
#define _GNU_SOURCE /* syscall(2) */
#include "base/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int tacho_perf_open(uint64_t code)
{
    struct perf_event_attr attr = {
        .type = code < TACHO_PERF_RAW ? PERF_TYPE_HARDWARE : PERF_TYPE_RAW,
        .size = sizeof(attr),
        .config = code,
        .disabled = 1,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
    };
    long file = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return file < 0 ? -errno : (int)file;
}

void tacho_perf_close(int file)
{
    close(file);
}

void tacho_perf_start(int file)
{
    ioctl(file, PERF_EVENT_IOC_RESET, 0);
    ioctl(file, PERF_EVENT_IOC_ENABLE, 0);
}

uint64_t tacho_perf_read(int file)
{
    uint64_t value = 0;
    return read(file, &value, sizeof(value)) == (ssize_t)sizeof(value) ? value : 0;
}

uint64_t tacho_perf_stop(int file)
{
    ioctl(file, PERF_EVENT_IOC_DISABLE, 0);
    return tacho_perf_read(file);
}
