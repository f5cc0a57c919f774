/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of the Hexagon processor by their public names. Reads and writes of the bus are counted by
 * size; what is of no listed size moves eight bytes.
 */
#include "analyses/opstats_pmu.h"

#include "program/pmu.h"

typedef struct event_row {
    uint16_t event;
    const char *name;
} event_row;

static const event_row events[] = {
    {0x03, "COMMITTED_PKT_ANY"},
    {0x0a, "CYCLES_5_THREAD_RUNNING"},
    {0x0b, "CYCLES_6_THREAD_RUNNING"},
    {0x3b, "CYCLES_1_THREAD_RUNNING"},
    {0x3c, "CYCLES_2_THREAD_RUNNING"},
    {0x3d, "CYCLES_3_THREAD_RUNNING"},
    {0x3e, "CYCLES_4_THREAD_RUNNING"},
    {0x3f, "AXI_LINE128_READ_REQUEST"},
    {0x40, "AXI_READ_REQUEST"},
    {0x41, "AXI_LINE32_READ_REQUEST"},
    {0x42, "AXI_WRITE_REQUEST"},
    {0x43, "AXI_LINE32_WRITE_REQUEST"},
    {0x46, "AXI_LINE128_WRITE_REQUEST"},
    {0x55, "AXI_LINE256_WRITE_REQUEST"},
    {0x7d, "L2_READ_MISS"},
    {0xcd, "AXI_LINE256_READ_REQUEST"},
    {0xce, "AXI_LINE64_READ_REQUEST"},
    {0xcf, "AXI_LINE64_WRITE_REQUEST"},
    {0x100, "HVX_ACTIVE"},
    {0x200, "HMX_ACTIVE"},
    {0x205, "HMX_MAC"},
    {0x211, "HMX_MAC_FXP"},
    {0x212, "HMX_MAC_FLT"},
    {0x214, "HMX_CLOCKS"},
    {0x240, "UDMA_ACTIVE"},
    {0x246, "UDMA_DMWAIT"},
};

const char *tacho_opstats_event_name(uint16_t event)
{
    for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
        if (events[i].event == event) {
            return events[i].name;
        }
    }
    return "unknown";
}

bool tacho_opstats_is_counted(const tacho_opstats *stats, uint32_t at)
{
    return (stats->file->head.features & TACHO_STATS_SIMULATED) == 0 ||
           tacho_pmu_is_simulated(stats->program, stats->program->facts.stats.pmu_events[at]);
}

/* The core's value of an event; false when it was not counted. */
static bool find_value(const tacho_opstats *stats, uint32_t core, uint16_t event, double *out_value)
{
    const tacho_stats_config *config = &stats->program->facts.stats;
    for (uint32_t i = 0; i < config->pmu_event_count; i++) {
        if (config->pmu_events[i] == event && tacho_opstats_is_counted(stats, i)) {
            *out_value = (double)stats->cores[core].pmu[i];
            return true;
        }
    }
    *out_value = 0.0;
    return false;
}

/* Kilobytes of the bus: all requests, and those of 32, 64, 128 and 256 bytes. */
static bool axi_kb(const tacho_opstats *stats, uint32_t core, const uint16_t codes[5],
                   double *out_kb)
{
    double values[5];
    bool has_all = find_value(stats, core, codes[0], &values[0]);
    double sized = 0.0;
    double bytes = 0.0;
    for (int i = 1; i < 5; i++) {
        find_value(stats, core, codes[i], &values[i]);
        sized += values[i];
        bytes += values[i] * (double)(16 << i);
    }
    bytes += values[0] > sized ? (values[0] - sized) * 8.0 : 0.0;
    *out_kb = bytes / 1024.0;
    return has_all;
}

/* Products: cycles that multiplied x what a cycle can; false when either is not known. */
static bool count_macs(const tacho_opstats *stats, uint32_t core, double *out_macs)
{
    double fixed = 0.0;
    double real = 0.0;
    bool is_known = find_value(stats, core, 0x211, &fixed) && find_value(stats, core, 0x212, &real);
    *out_macs = fixed * stats->fixed_macs_per_cycle + real * stats->real_macs_per_cycle;
    return is_known && (fixed == 0.0 || stats->fixed_macs_per_cycle > 0.0) &&
           (real == 0.0 || stats->real_macs_per_cycle > 0.0) &&
           stats->fixed_macs_per_cycle + stats->real_macs_per_cycle > 0.0;
}

size_t tacho_opstats_rates(const tacho_opstats *stats, uint32_t core,
                           tacho_opstats_rate out_rates[TACHO_OPSTATS_RATES_MAX])
{
    static const uint16_t reads[5] = {0x40, 0x41, 0xce, 0x3f, 0xcd};
    static const uint16_t writes[5] = {0x42, 0x43, 0xcf, 0x46, 0x55};
    const tacho_opstats_core *of = &stats->cores[core];
    double cycles = (double)(of->end_p - of->start_p - of->flush_p); /* nothing works meanwhile */
    double value = 0.0;
    size_t count = 0;
    if (cycles > 0.0 && find_value(stats, core, 0x200, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"HMXActivePct", 100.0 * value / cycles};
    }
    if (cycles > 0.0 && find_value(stats, core, 0x100, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"HVXActivePct", 100.0 * value / cycles};
    }
    if (cycles > 0.0 && find_value(stats, core, 0x240, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"DMAActivePct", 100.0 * value / cycles};
    }
    if (cycles > 0.0 && find_value(stats, core, 0x205, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"HMXMacPct", 100.0 * value / cycles};
    }
    if (count_macs(stats, core, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"HmxMacs", value};
    }
    if (axi_kb(stats, core, reads, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"AxiReadKB", value};
    }
    if (axi_kb(stats, core, writes, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"AxiWriteKB", value};
    }
    return count;
}
