/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws a trace with the time-chart API: a host that feeds an accelerator, whose two engines
 * overlap, and a counter of the bytes in flight. Times are cycles at 800 MHz.
 *
 *   timechart OUT          OUT ends in .pb, .json or .jsonl
 */
#include <stdio.h>
#include <tacho/timechart.h>

/* Prints a failure and releases it; returns the exit code. */
static int report(tacho_status status)
{
    fprintf(stderr, "timechart: %s\n", tacho_status_message(status));
    tacho_status_free(status);
    return 1;
}

/* The layers of a network: weights are copied in, then the work is done. Copies overlap. */
static tacho_status draw_layers(tacho_timechart *chart)
{
    static const tacho_timechart_log logs[] = {
        {"npu", "Slice 0", "conv", 800, 1300}, /* any order will do */
        {"npu", "DMA", "load conv", 0, 800},
        {"npu", "DMA", "load add", 600, 1400},
        {"npu", "Slice 0", "add", 1400, 1900},
        {"npu", "DMA", "load fully_connected", 1200, 2000},
        {"npu", "Slice 0", "fully_connected", 2000, 2500},
    };
    tacho_status status = TACHO_OK;
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]) && status == TACHO_OK; i++) {
        status = tacho_timechart_render(chart, &logs[i]);
    }
    return status;
}

static tacho_status draw_bytes(tacho_timechart *chart)
{
    static const int64_t times[] = {0, 600, 800, 1200, 1400, 2000};
    static const double bytes[] = {4096, 8192, 4096, 8192, 4096, 0};
    tacho_status status = tacho_timechart_add_counter(chart, "npu", "in flight", "bytes");
    for (size_t i = 0; i < 6 && status == TACHO_OK; i++) {
        status = tacho_timechart_add_sample(chart, "npu", "in flight", times[i], bytes[i]);
    }
    return status;
}

/* The host waits from beginning to end. */
static tacho_status draw_host(tacho_timechart *chart)
{
    tacho_timechart_log infer = {"host", "main", "infer", 0, 0};
    tacho_status status = tacho_timechart_set_track_event(chart, 0, TACHO_TIMECHART_BEGIN, &infer);
    if (status == TACHO_OK) {
        status = tacho_timechart_set_track_event(chart, 2600, TACHO_TIMECHART_END, &infer);
    }
    return status;
}

static tacho_status draw(tacho_timechart *chart)
{
    tacho_status status = draw_host(chart);
    if (status == TACHO_OK) {
        status = tacho_timechart_add_thread(chart, "npu", "DMA", "dma_in");
    }
    if (status == TACHO_OK) {
        status = tacho_timechart_add_thread(chart, "npu", "Slice 0", "compute");
    }
    if (status == TACHO_OK) {
        status = draw_layers(chart);
    }
    if (status == TACHO_OK) {
        status = draw_bytes(chart);
    }
    return status == TACHO_OK ? tacho_timechart_flush(chart) : status;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: timechart OUT\n");
        return 2;
    }
    tacho_timechart_options options = {0};
    options.clock_mhz = "800";
    options.origin = "simulated";
    tacho_timechart *chart = NULL;
    tacho_status status = tacho_timechart_open(argv[1], &options, &chart);
    if (status == TACHO_OK) {
        status = draw(chart);
    }
    tacho_timechart_close(chart);
    if (status != TACHO_OK) {
        return report(status);
    }
    printf("wrote %s\n", argv[1]);
    return 0;
}
