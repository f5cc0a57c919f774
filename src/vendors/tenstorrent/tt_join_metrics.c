/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics are quotients of counters, mostly: a table says of which. Where a counter is missing on a
 * core, or the divisor is zero, the metric has no value there.
 */
#include "vendors/tenstorrent/tt_join_metrics.h"

#include <math.h>
#include <stdio.h>

typedef enum metric_kind {
    UTIL,         /* a by its cycles */
    RATE,         /* the same, not in percent */
    MEAN_UTIL,    /* the mean of a and b by the cycles of a */
    RATIO,        /* a of b */
    BLOCKED,      /* what is missing in a of b, 0 at least */
    STALLED,      /* the same, below 0 too */
    BACKPRESSURE, /* requests a and c that grants b and d do not cover, 0 at least */
    SPECIAL,
} metric_kind;

/* What a metric is worked out from. */
typedef struct metric_input {
    const tt_core_counts *core;
    const tt_counter_chip *chip;
} metric_input;

typedef double (*metric_value)(const metric_input *in);
typedef bool (*metric_shown)(const tt_counter_chip *chip);

typedef struct metric {
    const char *name;
    metric_kind kind;
    int needed; /* so many of |of| the chip must have for the metric to be shown */
    tt_counter of[4];
    metric_value value; /* of SPECIAL ones ... */
    metric_shown shown; /* ... and when they are shown beside |needed|; NULL: always */
} metric;

#define V(name) (in->core->values[TT_##name])
#define CYCLES(name) (in->core->cycles[TT_##name])

static double percent(double part, double whole)
{
    return part / whole * 100;
}

/* What is not there, as a share; requests of which none were made are not blocked. */
static double blocked(double whole, double part)
{
    double value = (whole - part) / whole * 100;
    return value < 0 ? 0 : value;
}

static double finite_or_nan(double value)
{
    return isfinite(value) ? value : (double)NAN;
}

/* ---- metrics of their own kind ------------------------------------------------------------- */

static double unpacker_writes(const metric_input *in)
{
    double first = finite_or_nan(percent(V(SRCA_WRITE_ACTUAL), V(UNPACK0_BUSY_THREAD0)));
    double second = finite_or_nan(percent(V(SRCB_WRITE_NOT_BLOCKED_PORT), V(UNPACK1_BUSY_THREAD0)));
    if (isnan(first)) {
        return second;
    }
    return isnan(second) ? first : (first + second) / 2;
}

/* By what the packer was granted where its busy cycles are not counted. */
static double packer_efficiency(const metric_input *in)
{
    if (in->chip->sums[TT_PACKER_BUSY] > 0) {
        return percent(V(PACKER_DEST_READ_AVAILABLE), V(PACKER_BUSY));
    }
    return percent(V(DEST_READ_GRANTED_0), V(PACKER_DEST_READ_AVAILABLE));
}

static double math_pipeline(const metric_input *in)
{
    return in->chip->sums[TT_MATH_INSTRN_STARTED] > 0
               ? percent(V(MATH_INSTRN_STARTED), V(MATH_INSTRN_AVAILABLE))
               : (double)NAN;
}

static double math_to_pack(const metric_input *in)
{
    return in->chip->sums[TT_PACKER_BUSY] > 0 ? percent(V(AVAILABLE_MATH), V(PACKER_BUSY))
                                              : percent(V(AVAILABLE_MATH), CYCLES(AVAILABLE_MATH));
}

static double unpacker_to_math(const metric_input *in)
{
    return percent((V(SRCA_WRITE_AVAILABLE) + V(SRCB_WRITE_AVAILABLE)) / 2,
                   (V(UNPACK0_BUSY_THREAD0) + V(UNPACK1_BUSY_THREAD0)) / 2);
}

static double hifi_fraction(const metric_input *in)
{
    double several = V(MATH_INSTRN_HF_2_CYCLE) + V(MATH_INSTRN_HF_4_CYCLE);
    return percent(several, V(MATH_INSTRN_HF_1_CYCLE) + several);
}

static double fidelity_cycles(const metric_input *in)
{
    double one = V(MATH_INSTRN_HF_1_CYCLE);
    double two = V(MATH_INSTRN_HF_2_CYCLE);
    double four = V(MATH_INSTRN_HF_4_CYCLE);
    return (one + 2 * two + 4 * four) / (one + two + four);
}

/* Blackhole has one packer at this port; Wormhole shares it with others. */
static tt_counter packer_port(const tt_counter_chip *chip)
{
    return chip->has[TT_L1_0_UNIFIED_PACKER] ? TT_L1_0_UNIFIED_PACKER
                                             : TT_L1_0_UNPACKER_1_ECC_PACK1;
}

static bool has_packer_port(const tt_counter_chip *chip)
{
    return chip->has[packer_port(chip)];
}

static double packer_port_util(const metric_input *in)
{
    tt_counter port = packer_port(in->chip);
    return percent(in->core->values[port], in->core->cycles[port]);
}

static double packer_port_blocked(const metric_input *in)
{
    return blocked(in->core->values[packer_port(in->chip)], V(L1_0_PORT1_GRANT));
}

static bool has_matching_grants(const tt_counter_chip *chip)
{
    return chip->has_matching_grants;
}

static bool has_unstalled_math(const tt_counter_chip *chip)
{
    return chip->sums[TT_MATH_NOT_STALLED_DEST_WR_PORT] > 0;
}

static double noc_out(const metric_input *in)
{
    return V(L1_0_NOC_RING0_OUTGOING_0) + V(L1_0_NOC_RING0_OUTGOING_1);
}

static double noc_in(const metric_input *in)
{
    return V(L1_0_NOC_RING0_INCOMING_0) + V(L1_0_NOC_RING0_INCOMING_1);
}

/* Requests at the ports that the chip counts, of those that all eight could have made. */
static double l1_total(const metric_input *in)
{
    enum { PORTS = 8 };
    const tt_counter ports[PORTS] = {
        TT_L1_0_UNPACKER_0,           packer_port(in->chip),        TT_L1_0_TDMA_BUNDLE_0_RISC,
        TT_L1_0_TDMA_BUNDLE_1_TRISC,  TT_L1_0_NOC_RING0_OUTGOING_0, TT_L1_0_NOC_RING0_OUTGOING_1,
        TT_L1_0_NOC_RING0_INCOMING_0, TT_L1_0_NOC_RING0_INCOMING_1,
    };
    double total = 0;
    for (size_t i = 0; i < PORTS; i++) {
        total += in->chip->has[ports[i]] ? in->core->values[ports[i]] : 0;
    }
    return percent(total, PORTS * CYCLES(L1_0_UNPACKER_0));
}

static double l1_reads(const metric_input *in)
{
    double reads = V(L1_0_UNPACKER_0) + noc_out(in);
    double writes = in->core->values[packer_port(in->chip)] + noc_in(in);
    return percent(reads, reads + writes);
}

static double noc_asymmetry(const metric_input *in)
{
    return percent(noc_out(in), noc_out(in) + noc_in(in));
}

static double tdma_share(const metric_input *in)
{
    double tdma = V(L1_0_TDMA_BUNDLE_0_RISC) + V(L1_0_TDMA_BUNDLE_1_TRISC);
    return percent(tdma, tdma + noc_out(in) + noc_in(in));
}

static const tt_counter contended[][2] = {
    {TT_L1_0_UNPACKER_0, TT_L1_0_UNPACKER_0_GRANT},
    {TT_L1_0_NOC_RING0_OUTGOING_0, TT_L1_0_NOC_RING0_OUTGOING_0_GRANT},
    {TT_L1_0_NOC_RING0_OUTGOING_1, TT_L1_0_NOC_RING0_OUTGOING_1_GRANT},
    {TT_L1_0_NOC_RING0_INCOMING_0, TT_L1_0_NOC_RING0_INCOMING_0_GRANT},
    {TT_L1_0_NOC_RING0_INCOMING_1, TT_L1_0_NOC_RING0_INCOMING_1_GRANT},
};

static bool has_pair(const tt_counter_chip *chip, size_t pair)
{
    return chip->has[contended[pair][0]] && chip->has[contended[pair][1]];
}

static bool has_contention(const tt_counter_chip *chip)
{
    bool has_any = false;
    for (size_t i = 0; i < sizeof(contended) / sizeof(contended[0]); i++) {
        has_any |= has_pair(chip, i);
    }
    return has_any;
}

static double contention(const metric_input *in)
{
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < sizeof(contended) / sizeof(contended[0]); i++) {
        if (has_pair(in->chip, i)) {
            sum += finite_or_nan(
                blocked(in->core->values[contended[i][0]], in->core->values[contended[i][1]]));
            count++;
        }
    }
    return sum / count;
}

static double noc_balance(const metric_input *in)
{
    double moved = noc_out(in) + noc_in(in);
    return percent(moved, V(FPU_COUNTER) + moved);
}

/* ---- the table ----------------------------------------------------------------------------- */

#define OF1(a)                                                                                     \
    {                                                                                              \
        TT_##a                                                                                     \
    }
#define OF2(a, b)                                                                                  \
    {                                                                                              \
        TT_##a, TT_##b                                                                             \
    }
#define OF4(a, b, c, d)                                                                            \
    {                                                                                              \
        TT_##a, TT_##b, TT_##c, TT_##d                                                             \
    }
#define UTIL_OF(name, a)                                                                           \
    {                                                                                              \
        name, UTIL, 1, OF1(a), NULL, NULL                                                          \
    }
#define MEAN_OF(name, a, b)                                                                        \
    {                                                                                              \
        name, MEAN_UTIL, 2, OF2(a, b), NULL, NULL                                                  \
    }
#define RATIO_OF(name, a, b)                                                                       \
    {                                                                                              \
        name, RATIO, 2, OF2(a, b), NULL, NULL                                                      \
    }
#define BLOCKED_OF(name, a, b)                                                                     \
    {                                                                                              \
        name, BLOCKED, 2, OF2(a, b), NULL, NULL                                                    \
    }
#define STALLED_OF(name, a, b)                                                                     \
    {                                                                                              \
        name, STALLED, 2, OF2(a, b), NULL, NULL                                                    \
    }
#define RATE_OF(name, a)                                                                           \
    {                                                                                              \
        name, RATE, 1, OF1(a), NULL, NULL                                                          \
    }

/* In the order of their columns. The first eleven are shown with any counter. */
static const metric metrics[TT_METRIC_COUNT] = {
    {"SFPU Util", UTIL, 0, OF1(SFPU_COUNTER), NULL, NULL},
    {"FPU Util", UTIL, 0, OF1(FPU_COUNTER), NULL, NULL},
    {"MATH Util", UTIL, 0, OF1(MATH_COUNTER), NULL, NULL},
    {"Unpacker0 Write Efficiency", RATIO, 0, OF2(SRCA_WRITE_ACTUAL, UNPACK0_BUSY_THREAD0), NULL,
     NULL},
    {"Unpacker1 Write Efficiency", RATIO, 0, OF2(SRCB_WRITE_NOT_BLOCKED_PORT, UNPACK1_BUSY_THREAD0),
     NULL, NULL},
    {"Unpacker Write Efficiency", SPECIAL, 0, {0}, unpacker_writes, NULL},
    {"Packer Efficiency", SPECIAL, 0, {0}, packer_efficiency, NULL},
    {"FPU Execution Efficiency", RATIO, 0, OF2(FPU_COUNTER, FPU_INSTRN_AVAILABLE_1), NULL, NULL},
    {"Math Pipeline Utilization", SPECIAL, 0, {0}, math_pipeline, NULL},
    {"Math-to-Pack Handoff Efficiency", SPECIAL, 0, {0}, math_to_pack, NULL},
    {"Unpacker-to-Math Data Flow", SPECIAL, 0, {0}, unpacker_to_math, NULL},
    UTIL_OF("Thread 0 Stall Rate", THREAD_STALLS_0),
    UTIL_OF("Thread 1 Stall Rate", THREAD_STALLS_1),
    UTIL_OF("Thread 2 Stall Rate", THREAD_STALLS_2),
    UTIL_OF("SrcA Valid Wait", WAITING_FOR_SRCA_VALID),
    UTIL_OF("SrcB Valid Wait", WAITING_FOR_SRCB_VALID),
    UTIL_OF("SrcA Clear Wait", WAITING_FOR_SRCA_CLEAR),
    UTIL_OF("SrcB Clear Wait", WAITING_FOR_SRCB_CLEAR),
    UTIL_OF("Math Idle Wait T1", WAITING_FOR_MATH_IDLE_1),
    UTIL_OF("Pack Idle Wait T2", WAITING_FOR_PACK_IDLE_2),
    UTIL_OF("Unpack Idle Wait T0", WAITING_FOR_UNPACK_IDLE_0),
    UTIL_OF("Semaphore Zero Wait T0", WAITING_FOR_NONZERO_SEM_0),
    UTIL_OF("Semaphore Zero Wait T1", WAITING_FOR_NONZERO_SEM_1),
    UTIL_OF("Semaphore Zero Wait T2", WAITING_FOR_NONZERO_SEM_2),
    UTIL_OF("Semaphore Full Wait T0", WAITING_FOR_NONFULL_SEM_0),
    UTIL_OF("Semaphore Full Wait T1", WAITING_FOR_NONFULL_SEM_1),
    UTIL_OF("Semaphore Full Wait T2", WAITING_FOR_NONFULL_SEM_2),
    BLOCKED_OF("Data Hazard Stall Rate", DATA_HAZARD_STALLS_MOVD2A, MATH_INSTRN_AVAILABLE),
    RATIO_OF("Fidelity Stall Rate", MATH_FIDELITY_STALL, MATH_INSTRN_AVAILABLE),
    {"HiFi Fraction", SPECIAL, 3,
     OF4(MATH_INSTRN_HF_1_CYCLE, MATH_INSTRN_HF_2_CYCLE, MATH_INSTRN_HF_4_CYCLE,
         MATH_INSTRN_HF_4_CYCLE),
     hifi_fraction, NULL},
    {"Avg HF Cycles Per Instrn", SPECIAL, 3,
     OF4(MATH_INSTRN_HF_1_CYCLE, MATH_INSTRN_HF_2_CYCLE, MATH_INSTRN_HF_4_CYCLE,
         MATH_INSTRN_HF_4_CYCLE),
     fidelity_cycles, NULL},
    UTIL_OF("L1 Unpacker Port Util", L1_0_UNPACKER_0),
    MEAN_OF("L1 TDMA Bundle Util", L1_0_TDMA_BUNDLE_0_RISC, L1_0_TDMA_BUNDLE_1_TRISC),
    MEAN_OF("NOC Ring 0 Outgoing Util", L1_0_NOC_RING0_OUTGOING_0, L1_0_NOC_RING0_OUTGOING_1),
    MEAN_OF("NOC Ring 0 Incoming Util", L1_0_NOC_RING0_INCOMING_0, L1_0_NOC_RING0_INCOMING_1),
    MEAN_OF("NOC Ring 1 Outgoing Util", L1_1_NOC_RING1_OUTGOING_0, L1_1_NOC_RING1_OUTGOING_1),
    MEAN_OF("NOC Ring 1 Incoming Util", L1_1_NOC_RING1_INCOMING_0, L1_1_NOC_RING1_INCOMING_1),
    {"L1 Packer Port Util", SPECIAL, 0, {0}, packer_port_util, has_packer_port},
    {"NOC Ring 0 Outgoing Backpressure", BACKPRESSURE, 2,
     OF4(L1_0_NOC_RING0_OUTGOING_0, L1_0_NOC_RING0_OUTGOING_0_GRANT, L1_0_NOC_RING0_OUTGOING_1,
         L1_0_NOC_RING0_OUTGOING_1_GRANT),
     NULL, NULL},
    {"NOC Ring 0 Incoming Backpressure", BACKPRESSURE, 2,
     OF4(L1_0_NOC_RING0_INCOMING_0, L1_0_NOC_RING0_INCOMING_0_GRANT, L1_0_NOC_RING0_INCOMING_1,
         L1_0_NOC_RING0_INCOMING_1_GRANT),
     NULL, NULL},
    {"NOC Ring 1 Outgoing Backpressure", BACKPRESSURE, 2,
     OF4(L1_1_NOC_RING1_OUTGOING_0, L1_1_NOC_RING1_OUTGOING_0_GRANT, L1_1_NOC_RING1_OUTGOING_1,
         L1_1_NOC_RING1_OUTGOING_1_GRANT),
     NULL, NULL},
    {"NOC Ring 1 Incoming Backpressure", BACKPRESSURE, 2,
     OF4(L1_1_NOC_RING1_INCOMING_0, L1_1_NOC_RING1_INCOMING_0_GRANT, L1_1_NOC_RING1_INCOMING_1,
         L1_1_NOC_RING1_INCOMING_1_GRANT),
     NULL, NULL},
    {"L1 Unpacker Backpressure", BLOCKED, 2, OF2(L1_0_UNPACKER_0_GRANT, L1_0_UNPACKER_0), NULL,
     has_matching_grants},
    {"L1 Packer Port Backpressure", SPECIAL, 1, OF1(L1_0_PORT1_GRANT), packer_port_blocked,
     has_packer_port},
    BLOCKED_OF("SrcA Write Port Blocked Rate", SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE),
    BLOCKED_OF("SrcA Write Overwrite Blocked Rate", SRCA_WRITE_NOT_BLOCKED_OVR,
               SRCA_WRITE_AVAILABLE),
    BLOCKED_OF("SrcB Write Overwrite Blocked Rate", SRCB_WRITE_ACTUAL, SRCB_WRITE_AVAILABLE),
    STALLED_OF("Dest Read Backpressure", DEST_READ_GRANTED_0, PACKER_DEST_READ_AVAILABLE),
    {"Math Dest Write Port Stall Rate", STALLED, 2,
     OF2(MATH_NOT_STALLED_DEST_WR_PORT, MATH_INSTRN_AVAILABLE), NULL, has_unstalled_math},
    STALLED_OF("Math Scoreboard Stall Rate", AVAILABLE_MATH, MATH_INSTRN_AVAILABLE),
    RATE_OF("T0 Instrn Issue Rate", THREAD_INSTRUCTIONS_0),
    RATE_OF("T1 Instrn Issue Rate", THREAD_INSTRUCTIONS_1),
    RATE_OF("T2 Instrn Issue Rate", THREAD_INSTRUCTIONS_2),
    UTIL_OF("CFG Instrn Avail Rate T0", CFG_INSTRN_AVAILABLE_0),
    UTIL_OF("SYNC Instrn Avail Rate T0", SYNC_INSTRN_AVAILABLE_0),
    UTIL_OF("THCON Instrn Avail Rate T0", THCON_INSTRN_AVAILABLE_0),
    UTIL_OF("MOVE Instrn Avail Rate T0", MOVE_INSTRN_AVAILABLE_0),
    UTIL_OF("MATH Instrn Avail Rate T1", FPU_INSTRN_AVAILABLE_1),
    UTIL_OF("UNPACK Instrn Avail Rate T0", UNPACK_INSTRN_AVAILABLE_0),
    UTIL_OF("PACK Instrn Avail Rate T2", PACK_INSTRN_AVAILABLE_2),
    BLOCKED_OF("SrcB Write Port Blocked Rate", SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE),
    RATIO_OF("SrcA Write Actual Efficiency", SRCA_WRITE_ACTUAL, SRCA_WRITE_AVAILABLE),
    RATIO_OF("SrcB Write Actual Efficiency", SRCB_WRITE_NOT_BLOCKED_PORT, SRCB_WRITE_AVAILABLE),
    UTIL_OF("Packer Engine 0 Util", PACKER_BUSY_0),
    UTIL_OF("Packer Engine 1 Util", PACKER_BUSY_1),
    UTIL_OF("Packer Engine 2 Util", PACKER_BUSY_2),
    UTIL_OF("MMIO Idle Wait T0", WAITING_FOR_MMIO_IDLE_0),
    UTIL_OF("SFPU Idle Wait T1", WAITING_FOR_SFPU_IDLE_1),
    UTIL_OF("THCON Idle Wait T0", WAITING_FOR_THCON_IDLE_0),
    UTIL_OF("MOVE Idle Wait T0", WAITING_FOR_MOVE_IDLE_0),
    UTIL_OF("RISC Core L1 Util", L1_1_RISC_CORE),
    {"L1 Total Bandwidth Util", SPECIAL, 2, OF2(L1_0_UNPACKER_0, L1_0_NOC_RING0_OUTGOING_0),
     l1_total, NULL},
    {"L1 Read vs Write Ratio", SPECIAL, 2, OF2(L1_0_UNPACKER_0, L1_0_NOC_RING0_OUTGOING_0),
     l1_reads, NULL},
    {"NOC Ring 0 Asymmetry", SPECIAL, 2, OF2(L1_0_UNPACKER_0, L1_0_NOC_RING0_OUTGOING_0),
     noc_asymmetry, NULL},
    {"L1 Contention Index", SPECIAL, 2, OF2(L1_0_UNPACKER_0_GRANT, L1_0_NOC_RING0_OUTGOING_0_GRANT),
     contention, has_contention},
    RATIO_OF("Unpacker L1 Efficiency", L1_0_UNPACKER_0_GRANT, UNPACK0_BUSY_THREAD0),
    RATIO_OF("Packer L1 Efficiency", L1_0_PORT1_GRANT, PACKER_BUSY),
    {"NOC vs Compute Balance", SPECIAL, 2, OF2(FPU_COUNTER, L1_0_NOC_RING0_OUTGOING_0), noc_balance,
     NULL},
    {"TDMA vs NOC L1 Share", SPECIAL, 2, OF2(L1_0_UNPACKER_0, L1_0_NOC_RING0_OUTGOING_0),
     tdma_share, NULL},
};

static const struct {
    const char *column;
    tt_counter counter;
} grids[TT_METRIC_GRIDS] = {
    {"Avg SFPU util on full grid (%)", TT_SFPU_COUNTER},
    {"Avg FPU util on full grid (%)", TT_FPU_COUNTER},
    {"Avg Math util on full grid (%)", TT_MATH_COUNTER},
};

static bool is_percent(const metric *of)
{
    return of->kind != RATE && of->value != fidelity_cycles;
}

bool tt_metric_is_of_grid(size_t number, size_t stat)
{
    return number < TT_METRIC_GRIDS && stat == TT_METRIC_STATS - 1;
}

void tt_metric_column(size_t number, size_t stat, char out_name[TT_METRIC_NAME_MAX])
{
    static const char *const stats[TT_METRIC_STATS] = {"Min", "Median", "Max", "Avg"};
    if (tt_metric_is_of_grid(number, stat)) {
        snprintf(out_name, TT_METRIC_NAME_MAX, "%s", grids[number].column);
    } else {
        snprintf(out_name, TT_METRIC_NAME_MAX, "%s %s%s", metrics[number].name, stats[stat],
                 is_percent(&metrics[number]) ? " (%)" : "");
    }
}

bool tt_metric_is_column(tacho_str name)
{
    for (size_t i = 0; i < (size_t)TT_METRIC_COUNT * TT_METRIC_STATS; i++) {
        char column[TT_METRIC_NAME_MAX];
        tt_metric_column(i / TT_METRIC_STATS, i % TT_METRIC_STATS, column);
        if (tacho_str_equal(name, tacho_str_from_cstring(column))) {
            return true;
        }
    }
    return false;
}

/* ---- values -------------------------------------------------------------------------------- */

bool tt_metric_is_shown(size_t number, const tt_counter_chip *chip)
{
    const metric *of = &metrics[number];
    for (int i = 0; i < of->needed; i++) {
        if (!chip->has[of->of[i]]) {
            return false;
        }
    }
    return of->shown == NULL || of->shown(chip);
}

static double value_of(const metric *of, const metric_input *in)
{
    const double *values = in->core->values;
    const double *cycles = in->core->cycles;
    double a = values[of->of[0]];
    double b = values[of->of[1]];
    double c = values[of->of[2]];
    double d = values[of->of[3]];
    double pressure = 0;
    switch (of->kind) {
    case UTIL:
        return percent(a, cycles[of->of[0]]);
    case RATE:
        return a / cycles[of->of[0]];
    case MEAN_UTIL:
        return percent((a + b) / 2, cycles[of->of[0]]);
    case RATIO:
        return percent(a, b);
    case BLOCKED:
        return blocked(b, a);
    case STALLED:
        return (b - a) / b * 100;
    case BACKPRESSURE:
        pressure = ((a - b) + (c - d)) / (a + c) * 100;
        return pressure < 0 ? 0 : pressure;
    case SPECIAL:
        break;
    }
    return of->value(in);
}

double tt_metric_value(size_t number, const tt_core_counts *core, const tt_counter_chip *chip)
{
    return finite_or_nan(value_of(&metrics[number], &(metric_input){core, chip}));
}

tt_counter tt_metric_grid_counter(size_t number)
{
    return grids[number].counter;
}
