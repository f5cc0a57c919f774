/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overview: how long was each kind of engine busy, how much of that overlapped, and how long was
 * everything idle? Lengths are those of unions of intervals, so work that overlaps counts once.
 *
 * Tracks are distinguished only by class:
 *
 *     DMA      dma_in and dma_out          SLICE    compute; each index is one slice
 *     CDMA     dma_local                   CSS      vector
 *     HAL      runtime                     HOST     host              HOST_COPY  host_copy
 *
 * Spans on other tracks (phases, memory, sync) do not count as work. Programs of the sequencer
 * (control) and whole inferences (phases of the category "inference") count towards OVERALL; if the
 * engines that they use are unknown, they also replace these in IDLE and TOTAL_NPU_OPERATIONS, and
 * NSS is the time in which one of them ran. A call of the runtime that contains more specific ones
 * of the same run is replaced by those. A span that never ended is a moment.
 *
 * A metric is present if the input has a track of its class, or declares that it covers the class;
 * then it may be zero. A metric of one class without another needs both. A trace with its own
 * overview (tacho_overview_tracks) is shown with the metrics of that one, plus those that overviews
 * never have a track for and that are not engine times. Parts are never summed together, nor are
 * origins within a part.
 *
 * Profiles of Tenstorrent's chips use the names of the processors of their cores: NCRISC (dma_in),
 * BRISC (dma_out), ERISC (dma_local), TRISC (compute), and DM, data movement, for the first two.
 * Profiles that tacho ran or estimated itself use the names of that machine's engines, from their
 * tracks. Profiles of GPUs show how long any stream was busy, and how long all were idle
 * (DEVICE_IDLE).
 */
#ifndef TACHO_QUESTIONS_OVERVIEW_OVERVIEW_H
#define TACHO_QUESTIONS_OVERVIEW_OVERVIEW_H

#include "questions/overview/overview_gather.h"
#include "profile/profile.h"
#include "table/table.h"

/* In the order in which they are shown: key, name in dashboards, label. %u is a slice's number. */
#define TACHO_METRICS(X)                                                                           \
    X(WALL_TIME, "WALL_TIME", "wall_time", "WALL_TIME")                                            \
    X(OVERALL, "OVERALL", "total_duration", "OVERALL")                                             \
    X(TOTAL_NPU, "TOTAL_NPU_OPERATIONS", "total_npu_operations", "TOTAL NPU OPERATIONS")           \
    X(NSS, "NSS", "nss_time", "Nss")                                                               \
    X(DMA, "DMA", "dma_time", "Dma")                                                               \
    X(DMA_ONLY, "DMA_ONLY", "dma_only_time", "Dma Only")                                           \
    X(DMA_COMBINED, "DMA_COMBINED", "dma_total_time", "Dma Total")                                 \
    X(CDMA, "CDMA", "cdma_time", "Cdma")                                                           \
    X(CDMA_DTCM, "CDMA_DTCM", "cdma_dtcm_time", "Cdma Dtcm")                                       \
    X(CDMA_ITCM, "CDMA_ITCM", "cdma_itcm_time", "Cdma Itcm")                                       \
    X(DMA_IN, "DMA_IN", "dma_in_time", "Dma In")                                                   \
    X(DMA_OUT, "DMA_OUT", "dma_out_time", "Dma Out")                                               \
    X(COMPUTE, "COMPUTE_COMBINED", "compute_time", "Compute")                                      \
    X(COMPUTE_ONLY, "COMPUTE_ONLY", "compute_only_time", "Compute Only")                           \
    X(SLICE, "SLICE", "slice_time", "Slice")                                                       \
    X(SLICE_N, "SLICE_%u", "slice_%u_time", "Slice %u")                                            \
    X(CSS, "CSS", "css_time", "Css")                                                               \
    X(DEVICE_IDLE, "DEVICE_IDLE", "device_idle_time", "Device idle")                               \
    X(OVERLAP, "DMA_COMPUTE_OVERLAP", "overlap_time", "Overlap")                                   \
    X(IDLE, "IDLE", "idle_time", "Idle")                                                           \
    X(HAL, "HAL", "hal_time", "Hal")                                                               \
    X(HOST, "HOST", "host_time", "Host")                                                           \
    X(HOST_COPY, "HOST_COPY", "host_copy_time", "Host Copy")

typedef enum tacho_metric {
#define TACHO_METRIC_ENUM(name, key, dashboard, label) TACHO_METRIC_##name,
    TACHO_METRICS(TACHO_METRIC_ENUM)
#undef TACHO_METRIC_ENUM
        TACHO_METRIC_COUNT,
} tacho_metric;

typedef struct tacho_metric_value {
    tacho_metric metric;
    uint32_t index; /* of a slice */
    int64_t value;  /* nanoseconds or cycles */
} tacho_metric_value;

/* The vocabulary of a block's metrics. */
typedef enum tacho_overview_words {
    TACHO_WORDS_TORQ,       /* those of TACHO_METRICS: Torq's profiles and similar ones */
    TACHO_WORDS_GPU,        /* kernels and copies on streams of GPUs, and the host around them */
    TACHO_WORDS_STREAMS,    /* the same for devices of unknown kind */
    TACHO_WORDS_HOST,       /* traces of programs that show no device */
    TACHO_WORDS_OWN,        /* engines have the names of their tracks: HMX, HVX */
    TACHO_WORDS_TT_RISCS,   /* Tenstorrent's, if the processors of cores are known */
    TACHO_WORDS_TT_KERNELS, /* Tenstorrent's, if only ops are known */
} tacho_overview_words;

/* Engines that have names of their own. */
typedef enum tacho_overview_engine {
    TACHO_NAMED_DMA_IN,
    TACHO_NAMED_DMA_OUT,
    TACHO_NAMED_DMA_LOCAL,
    TACHO_NAMED_COMPUTE,
    TACHO_NAMED_VECTOR,
    TACHO_NAMED_COUNT,
} tacho_overview_engine;

/* The metrics of one origin in one part. */
typedef struct tacho_overview_block {
    uint32_t part;
    tacho_origin origin;
    tacho_overview_words words;
    tacho_str engines[TACHO_NAMED_COUNT]; /* for TACHO_WORDS_OWN; empty: Torq's word */
    size_t first_metric;
    size_t metric_count;
    uint32_t inference_count; /* metrics are the average of these, |part| is the first; 0: one */
    uint32_t run_name;        /* string: the program, if there are several */
} tacho_overview_block;

typedef struct tacho_overview_options {
    bool in_cycles;       /* instead of nanoseconds */
    int64_t wall_time_ns; /* measured around the run; 0 when not known */
    bool is_of_one_part;  /* only |part| has blocks */
    uint32_t part;
    bool merges_inferences; /* for machines with TACHO_WORDS_OWN: one block, the average */
} tacho_overview_options;

typedef struct tacho_overview {
    const tacho_dict *dict;
    tacho_overview_options options;
    tacho_overview_block *blocks;
    size_t block_count, block_capacity;
    tacho_metric_value *metrics;
    size_t metric_count, metric_capacity;
} tacho_overview;

/*
 * Computes all metrics of |profile|, whose dictionary outlives |out_overview|. Nanoseconds are
 * counted from the zero of the clock, both ends rounded down. Fails if cycles are requested of a
 * part that does not count them. Deinitialise it even after a failure.
 */
tacho_status tacho_overview_init(tacho_overview *overview, const tacho_profile *profile,
                                 const tacho_overview_options *options) TACHO_MUST_USE;
/* The same for gathered rows; |gather| is not needed afterwards. */
tacho_status tacho_overview_init_gathered(tacho_overview *overview,
                                          const tacho_overview_gather *gather,
                                          const tacho_overview_options *options) TACHO_MUST_USE;
void tacho_overview_deinit(tacho_overview *overview);

/* The value of a metric of |block|, or NULL if the input does not show it. */
const int64_t *tacho_overview_find(const tacho_overview *overview,
                                   const tacho_overview_block *block, tacho_metric metric,
                                   uint32_t index);

enum { TACHO_METRIC_LABEL_MAX = 64 };

/* ---- overview_words.c: names of metrics ---- */

/* For programs, dashboards and users: "SLICE_1", "slice_1_time", "Slice 1". */
typedef struct tacho_metric_names {
    char key[TACHO_METRIC_LABEL_MAX];
    char dashboard[TACHO_METRIC_LABEL_MAX];
    char label[TACHO_METRIC_LABEL_MAX];
} tacho_metric_names;

void tacho_metric_name(const tacho_overview_block *block, const tacho_metric_value *value,
                       tacho_metric_names *out_names);

/*
 * Chooses the words of a block of |part|, and returns the metrics that these hide, bit i for metric
 * i. Call it after the tracks of the part are known.
 */
uint32_t tacho_overview_choose_words(const tacho_dict *dict, uint32_t part,
                                     tacho_overview_block *block);

/* The label of a metric of |block|: "Slice 1". */
void tacho_metric_label(const tacho_overview_block *block, const tacho_metric_value *value,
                        char out_label[TACHO_METRIC_LABEL_MAX]);

/* One row per block and metric, percentages of OVERALL. */
tacho_status tacho_overview_table(const tacho_overview *overview,
                                  tacho_table *out_table) TACHO_MUST_USE;

#endif
