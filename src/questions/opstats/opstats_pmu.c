/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rates of cores, from the machine's description of its counters. Reads and writes of the bus are
 * counted by size; requests of other sizes move eight bytes.
 */
#include "questions/opstats/opstats_pmu.h"

#include "program/pmu.h"

bool tacho_opstats_is_counted(const tacho_opstats *stats, uint32_t at)
{
    return (stats->file->head.features & TACHO_STATS_SIMULATED) == 0 ||
           tacho_pmu_is_simulated(&stats->program->facts.stats, at);
}

/* The core's value of an event; false if it was not counted. */
static bool find_value(const tacho_opstats *stats, uint32_t core, tacho_event event,
                       double *out_value)
{
    const tacho_stats_config *config = &stats->program->facts.stats;
    for (uint32_t i = 0; i < config->pmu_event_count; i++) {
        if (config->pmu_counts[i] == event && tacho_opstats_is_counted(stats, i)) {
            *out_value = (double)stats->cores[core].pmu[i];
            return true;
        }
    }
    *out_value = 0.0;
    return false;
}

/* Kilobytes of the bus: |all| requests, and those of 32, 64, 128 and 256 bytes after them. */
static bool bus_kb(const tacho_opstats *stats, uint32_t core, tacho_event all, double *out_kb)
{
    double values[5];
    bool has_all = find_value(stats, core, all, &values[0]);
    double sized = 0.0;
    double bytes = 0.0;
    for (int i = 1; i < 5; i++) {
        find_value(stats, core, (tacho_event)(all + (unsigned)i), &values[i]);
        sized += values[i];
        bytes += values[i] * (double)(16 << i);
    }
    bytes += values[0] > sized ? (values[0] - sized) * 8.0 : 0.0;
    *out_kb = bytes / 1024.0;
    return has_all;
}

/* Products: multiplying cycles x products per cycle; false if either is not known. */
static bool count_macs(const tacho_opstats *stats, uint32_t core, double *out_macs)
{
    double fixed = 0.0;
    double real = 0.0;
    bool is_known = find_value(stats, core, TACHO_EVENT_MACS_FIXED, &fixed) &&
                    find_value(stats, core, TACHO_EVENT_MACS_FLOAT, &real);
    *out_macs = fixed * stats->fixed_macs_per_cycle + real * stats->real_macs_per_cycle;
    return is_known && (fixed == 0.0 || stats->fixed_macs_per_cycle > 0.0) &&
           (real == 0.0 || stats->real_macs_per_cycle > 0.0) &&
           stats->fixed_macs_per_cycle + stats->real_macs_per_cycle > 0.0;
}

size_t tacho_opstats_rates(const tacho_opstats *stats, uint32_t core,
                           tacho_opstats_rate out_rates[TACHO_OPSTATS_RATES_MAX])
{
    static const struct {
        tacho_event event;
        const char *name;
    } shares[] = {{TACHO_EVENT_COMPUTE, "HMXActivePct"},
                  {TACHO_EVENT_VECTOR, "HVXActivePct"},
                  {TACHO_EVENT_DMA, "DMAActivePct"},
                  {TACHO_EVENT_MACS, "HMXMacPct"}};
    const tacho_opstats_core *of = &stats->cores[core];
    double cycles = (double)(of->end_p - of->start_p - of->flush_p); /* all is idle meanwhile */
    double value = 0.0;
    size_t count = 0;
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        if (cycles > 0.0 && find_value(stats, core, shares[i].event, &value)) {
            out_rates[count++] = (tacho_opstats_rate){shares[i].name, 100.0 * value / cycles};
        }
    }
    if (count_macs(stats, core, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"HmxMacs", value};
    }
    if (bus_kb(stats, core, TACHO_EVENT_READS, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"AxiReadKB", value};
    }
    if (bus_kb(stats, core, TACHO_EVENT_WRITES, &value)) {
        out_rates[count++] = (tacho_opstats_rate){"AxiWriteKB", value};
    }
    return count;
}
