/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overview: how long was each kind of engine busy, how much of that at the same time, and how
 * long was nothing? Lengths are those of unions of intervals, so work that overlaps counts once.
 *
 * Tracks are told apart by class alone:
 *
 *     DMA      dma_in and dma_out          SLICE    compute; each index is one slice
 *     CDMA     dma_local                   CSS      vector
 *     HAL      runtime                     HOST     host              HOST_COPY  host_copy
 *
 * What lies on other tracks (phases, memory, sync) is no work. Programs of the sequencer (control)
 * and wholes of an inference (phases of the category "inference") count towards OVERALL; where the
 * engines that they use are unknown, they also stand in for them in IDLE and TOTAL_NPU_OPERATIONS,
 * and NSS is how long one of them ran.
 * A call of the runtime inside which the same run has more specific ones is counted by those. A
 * span that never ended is a moment.
 *
 * A metric is there when the input has a track of its class, or says that it would have shown it;
 * then it may be zero. What is one class without another is there when both are. A trace that has
 * an overview of its own (tacho_overview_tracks) is shown by the metrics of that one, and by those
 * that no such overview has a track for and that are no time of an engine. Parts are never summed
 * together, nor are origins within a part.
 *
 * Profiles of Tenstorrent's chips speak of the processors of their cores: NCRISC (dma_in), BRISC
 * (dma_out), ERISC (dma_local), TRISC (compute), and of DM, data movement, for the first two. What
 * tacho ran or estimated itself speaks of the engines of that machine, by the names of their
 * tracks. Profiles of GPUs say how long any stream was busy, and how long none was (DEVICE_IDLE).
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

/* Whose words the metrics of a block have. */
typedef enum tacho_overview_words {
    TACHO_WORDS_TORQ,       /* those of TACHO_METRICS: Torq's profiles and what is like them */
    TACHO_WORDS_GPU,        /* kernels and copies on streams of GPUs, and the host around them */
    TACHO_WORDS_STREAMS,    /* the same of devices that nothing says more of */
    TACHO_WORDS_HOST,       /* traces of programs that show no device */
    TACHO_WORDS_OWN,        /* engines have the names of their tracks: HMX, HVX */
    TACHO_WORDS_TT_RISCS,   /* Tenstorrent's, where the processors of cores are known */
    TACHO_WORDS_TT_KERNELS, /* and where only ops are */
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
    tacho_str engines[TACHO_NAMED_COUNT]; /* of TACHO_WORDS_OWN; empty: Torq's word */
    size_t first_metric;
    size_t metric_count;
    uint32_t inference_count; /* the metrics are the average of so many, |part| the first; 0: one */
    uint32_t run_name;        /* string: what was run, where there are several */
} tacho_overview_block;

typedef struct tacho_overview_options {
    bool in_cycles;       /* instead of nanoseconds */
    int64_t wall_time_ns; /* measured around the run; 0 when not known */
    bool is_of_one_part;  /* of |part| alone: the others have no blocks */
    uint32_t part;
    bool merges_inferences; /* of machines that name their own engines: one block, on average */
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
 * Works out all metrics of |profile|, whose dictionary outlives |out_overview|. Nanoseconds are
 * counted from the zero of the clock, both ends rounded down. Fails when cycles are wanted of a
 * part that does not count them. Deinitialise it even after a failure.
 */
tacho_status tacho_overview_init(tacho_overview *overview, const tacho_profile *profile,
                                 const tacho_overview_options *options) TACHO_MUST_USE;
/* The same of rows that have streamed by; |gather| is not needed any longer then. */
tacho_status tacho_overview_init_gathered(tacho_overview *overview,
                                          const tacho_overview_gather *gather,
                                          const tacho_overview_options *options) TACHO_MUST_USE;
void tacho_overview_deinit(tacho_overview *overview);

/* The value of a metric of |block|, or NULL when the input does not show it. */
const int64_t *tacho_overview_find(const tacho_overview *overview,
                                   const tacho_overview_block *block, tacho_metric metric,
                                   uint32_t index);

enum { TACHO_METRIC_LABEL_MAX = 64 };

/* ---- overview_words.c: what metrics are called ---- */

/* For programs, dashboards and people: "SLICE_1", "slice_1_time", "Slice 1". */
typedef struct tacho_metric_names {
    char key[TACHO_METRIC_LABEL_MAX];
    char dashboard[TACHO_METRIC_LABEL_MAX];
    char label[TACHO_METRIC_LABEL_MAX];
} tacho_metric_names;

void tacho_metric_name(const tacho_overview_block *block, const tacho_metric_value *value,
                       tacho_metric_names *out_names);

/*
 * Chooses the words of a block of |part|, and returns the metrics that those do not have, bit i for
 * metric i. Call it after the tracks of the part are known.
 */
uint32_t tacho_overview_choose_words(const tacho_dict *dict, uint32_t part,
                                     tacho_overview_block *block);

/* What people call a metric of |block|: "Slice 1". */
void tacho_metric_label(const tacho_overview_block *block, const tacho_metric_value *value,
                        char out_label[TACHO_METRIC_LABEL_MAX]);

/* One row per block and metric, percentages of OVERALL. */
tacho_status tacho_overview_table(const tacho_overview *overview,
                                  tacho_table *out_table) TACHO_MUST_USE;

#endif
