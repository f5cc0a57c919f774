/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Columns of tables: the id, type and unit of each. One list has them all, so that a column has the
 * same name and meaning in every table; sinks and callers ask for a column by its id.
 */
#ifndef TACHO_TABLE_COLUMN_H
#define TACHO_TABLE_COLUMN_H

#include <stddef.h>

typedef enum tacho_column_type {
    TACHO_COLUMN_TEXT,
    TACHO_COLUMN_INT,      /* signed 64 bits */
    TACHO_COLUMN_REAL,     /* finite; a sink prints three decimals */
    TACHO_COLUMN_PERCENT,  /* a real number; sinks print two decimals */
    TACHO_COLUMN_DURATION, /* nanoseconds; people see 1.234 ms, programs the integer */
    TACHO_COLUMN_FLAG,     /* yes or no; people see True and False, programs their own booleans */
    TACHO_COLUMN_PICTURE,  /* text drawn for people; sinks for programs leave it out */
} tacho_column_type;

/* One row per unit: id, name for programs. */
#define TACHO_COLUMN_UNITS(X)                                                                      \
    X(NONE, "")                                                                                    \
    X(NS, "ns")                                                                                    \
    X(US, "us")                                                                                    \
    X(BYTES, "bytes")                                                                              \
    X(CYCLES, "cycles")                                                                            \
    X(UCYCLES, "ucycles") /* ticks of a device's timer */                                          \
    X(PCYCLES, "pcycles") /* cycles of a core's clock */                                           \
    X(MHZ, "mhz")                                                                                  \
    X(HZ, "hz")                                                                                    \
    X(PERCENT, "percent")

typedef enum tacho_column_unit {
#define TACHO_COLUMN_UNIT_ENUM(id, word) TACHO_COLUMN_UNIT_##id,
    TACHO_COLUMN_UNITS(TACHO_COLUMN_UNIT_ENUM)
#undef TACHO_COLUMN_UNIT_ENUM
        TACHO_COLUMN_UNIT_COUNT,
} tacho_column_unit;

/* One row per column: id, name for programs with the unit as suffix, unit. */
#define TACHO_COLUMN_IDS(X)                                                                        \
    X(A_BUSY_NS, "a_busy_ns", NS)                                                                  \
    X(A_BYTES, "a_bytes", BYTES)                                                                   \
    X(A_COUNT, "a_count", NONE)                                                                    \
    X(A_FILES, "a_files", NONE)                                                                    \
    X(A_GAP_NS, "a_gap_ns", NS)                                                                    \
    X(A_NS, "a_ns", NS)                                                                            \
    X(A_SHARE_PERCENT, "a_share_percent", PERCENT)                                                 \
    X(ABSENT_WEIGHT_COUNT, "absent_weight_count", NONE)                                            \
    X(ACTION, "action", NONE)                                                                      \
    X(ACTION_COUNT, "action_count", NONE)                                                          \
    X(ACTIVATE_UCYCLES, "activate_ucycles", UCYCLES)                                               \
    X(ACTIVATION, "activation", NONE)                                                              \
    X(ACTIVITY, "activity", NONE)                                                                  \
    X(ADVICE, "advice", NONE)                                                                      \
    X(AFTER, "after", NONE)                                                                        \
    X(API, "api", NONE)                                                                            \
    X(ASIDE, "aside", NONE)                                                                        \
    X(AVG, "avg", NONE)                                                                            \
    X(B_BUSY_NS, "b_busy_ns", NS)                                                                  \
    X(B_BYTES, "b_bytes", BYTES)                                                                   \
    X(B_COUNT, "b_count", NONE)                                                                    \
    X(B_FILES, "b_files", NONE)                                                                    \
    X(B_GAP_NS, "b_gap_ns", NS)                                                                    \
    X(B_NS, "b_ns", NS)                                                                            \
    X(B_SHARE_PERCENT, "b_share_percent", PERCENT)                                                 \
    X(BAD_RECORDS, "bad_records", NONE)                                                            \
    X(BAR, "bar", NONE)                                                                            \
    X(BARRIER_UCYCLES, "barrier_ucycles", UCYCLES)                                                 \
    X(BATCH, "batch", NONE)                                                                        \
    X(BATCH_PER_S, "batch_per_s", NONE)                                                            \
    X(BATCH_SIZE, "batch_size", NONE)                                                              \
    X(BEFORE, "before", NONE)                                                                      \
    X(BLOCK, "block", NONE)                                                                        \
    X(BOARD_NS, "board_ns", NS)                                                                    \
    X(BOUND, "bound", NONE)                                                                        \
    X(BOUND_PERCENT, "bound_percent", PERCENT)                                                     \
    X(BUFFER_BYTES, "buffer_bytes", BYTES)                                                         \
    X(BUFFER_COUNT, "buffer_count", NONE)                                                          \
    X(BUSIEST_NS, "busiest_ns", NS)                                                                \
    X(BUSIEST_UCYCLES, "busiest_ucycles", UCYCLES)                                                 \
    X(BUSY_CYCLES, "busy_cycles", CYCLES)                                                          \
    X(BUSY_NS, "busy_ns", NS)                                                                      \
    X(BUSY_PERCENT, "busy_percent", PERCENT)                                                       \
    X(BYTES, "bytes", BYTES)                                                                       \
    X(CACHE_BYTES, "cache_bytes", BYTES)                                                           \
    X(CALL_MEAN_NS, "call_mean_ns", NS)                                                            \
    X(CATEGORY, "category", NONE)                                                                  \
    X(CAUSE, "cause", NONE)                                                                        \
    X(CAUSED_WAIT_NS, "caused_wait_ns", NS)                                                        \
    X(CEILING, "ceiling", NONE)                                                                    \
    X(CHANGE_PERCENT, "change_percent", PERCENT)                                                   \
    X(CLASS, "class", NONE)                                                                        \
    X(CLEARLY_LAST_COUNT, "clearly_last_count", NONE)                                              \
    X(CLOCK, "clock", NONE)                                                                        \
    X(CLOCK_HZ, "clock_hz", HZ)                                                                    \
    X(CLOCK_MHZ, "clock_mhz", MHZ)                                                                 \
    X(COLLECTIVE, "collective", NONE)                                                              \
    X(COMMUNICATION_NS, "communication_ns", NS)                                                    \
    X(COMMUNICATION_START_NS, "communication_start_ns", NS)                                        \
    X(COMPUTE_COUNT, "compute_count", NONE)                                                        \
    X(COMPUTE_CYCLES, "compute_cycles", CYCLES)                                                    \
    X(COMPUTE_NS, "compute_ns", NS)                                                                \
    X(COMPUTED, "computed", NONE)                                                                  \
    X(CONNECTION_NS, "connection_ns", NS)                                                          \
    X(CONSTANT_BYTES, "constant_bytes", BYTES)                                                     \
    X(COPIED_BYTES, "copied_bytes", BYTES)                                                         \
    X(COPY_NS, "copy_ns", NS)                                                                      \
    X(COPY_START_NS, "copy_start_ns", NS)                                                          \
    X(CORE, "core", NONE)                                                                          \
    X(CORE_COUNT, "core_count", NONE)                                                              \
    X(CORES, "cores", NONE)                                                                        \
    X(COUNT, "count", NONE)                                                                        \
    X(COUNTS, "counts", NONE)                                                                      \
    X(COUNTS_DDR, "counts_ddr", NONE)                                                              \
    X(CPU_NS, "cpu_ns", NS)                                                                        \
    X(CPU_PERCENT, "cpu_percent", PERCENT)                                                         \
    X(CRC32C, "crc32c", NONE)                                                                      \
    X(CYCLES, "cycles", CYCLES)                                                                    \
    X(DAMAGED_BYTES, "damaged_bytes", BYTES)                                                       \
    X(DDR_BYTES, "ddr_bytes", BYTES)                                                               \
    X(DDR_CYCLES, "ddr_cycles", CYCLES)                                                            \
    X(DDR_GB_PER_S, "ddr_gb_per_s", NONE)                                                          \
    X(DDR_MB, "ddr_mb", NONE)                                                                      \
    X(DDR_MB_PER_S, "ddr_mb_per_s", NONE)                                                          \
    X(DDR_READ_BYTES, "ddr_read_bytes", BYTES)                                                     \
    X(DDR_READ_KB, "ddr_read_kb", NONE)                                                            \
    X(DDR_WRITE_BYTES, "ddr_write_bytes", BYTES)                                                   \
    X(DDR_WRITE_KB, "ddr_write_kb", NONE)                                                          \
    X(DEPENDENCY_NS, "dependency_ns", NS)                                                          \
    X(DEPTH, "depth", NONE)                                                                        \
    X(DESCRIBED, "described", NONE)                                                                \
    X(DETAIL, "detail", NONE)                                                                      \
    X(DEVICE, "device", NONE)                                                                      \
    X(DEVICE_COUNT, "device_count", NONE)                                                          \
    X(DEVICE_PERCENT, "device_percent", PERCENT)                                                   \
    X(DEVICE_SELF_NS, "device_self_ns", NS)                                                        \
    X(DEVICE_TIME_NS, "device_time_ns", NS)                                                        \
    X(DEVICE_TOTAL_NS, "device_total_ns", NS)                                                      \
    X(DEVICES, "devices", NONE)                                                                    \
    X(DIFFERENCE_CYCLES, "difference_cycles", CYCLES)                                              \
    X(DIFFERENCE_NS, "difference_ns", NS)                                                          \
    X(DIFFERENCE_PERCENT, "difference_percent", PERCENT)                                           \
    X(DIMENSION, "dimension", NONE)                                                                \
    X(DIRECTION, "direction", NONE)                                                                \
    X(DISPATCH, "dispatch", NONE)                                                                  \
    X(DISPATCH_COUNT, "dispatch_count", NONE)                                                      \
    X(DMA_IN_COUNT, "dma_in_count", NONE)                                                          \
    X(DMA_LOCAL_COUNT, "dma_local_count", NONE)                                                    \
    X(DMA_OUT_COUNT, "dma_out_count", NONE)                                                        \
    X(DRAM_GB_S, "dram_gb_s", NONE)                                                                \
    X(DRAM_PERCENT, "dram_percent", PERCENT)                                                       \
    X(DTYPE, "dtype", NONE)                                                                        \
    X(EFFECTIVE_MHZ, "effective_mhz", MHZ)                                                         \
    X(ELEMENT_COUNT, "element_count", NONE)                                                        \
    X(END_CYCLES, "end_cycles", CYCLES)                                                            \
    X(END_NS, "end_ns", NS)                                                                        \
    X(END_STATUS, "end_status", NONE)                                                              \
    X(END_U, "end_u", NONE)                                                                        \
    X(ENGINE, "engine", NONE)                                                                      \
    X(ENGINE_COUNT, "engine_count", NONE)                                                          \
    X(ENGINE_UCYCLES, "engine_ucycles", UCYCLES)                                                   \
    X(ERROR_NS, "error_ns", NS)                                                                    \
    X(ESTIMATE_CYCLES, "estimate_cycles", CYCLES)                                                  \
    X(ESTIMATE_NS, "estimate_ns", NS)                                                              \
    X(ESTIMATED_CYCLES, "estimated_cycles", CYCLES)                                                \
    X(ESTIMATED_NS, "estimated_ns", NS)                                                            \
    X(EVENT, "event", NONE)                                                                        \
    X(EVENTS, "events", NONE)                                                                      \
    X(EXAMPLE, "example", NONE)                                                                    \
    X(EXPOSED_COMMUNICATION_NS, "exposed_communication_ns", NS)                                    \
    X(EXPOSED_COPY_NS, "exposed_copy_ns", NS)                                                      \
    X(FASTEST, "fastest", NONE)                                                                    \
    X(FIDELITY, "fidelity", NONE)                                                                  \
    X(FILE, "file", NONE)                                                                          \
    X(FILES, "files", NONE)                                                                        \
    X(FIRST_LINE, "first_line", NONE)                                                              \
    X(FIRST_NS, "first_ns", NS)                                                                    \
    X(FIT_RATIO, "fit_ratio", NONE)                                                                \
    X(FITS, "fits", NONE)                                                                          \
    X(FLOPS_PERCENT, "flops_percent", PERCENT)                                                     \
    X(FLUSH_UCYCLES, "flush_ucycles", UCYCLES)                                                     \
    X(FOLDED, "folded", NONE)                                                                      \
    X(FOLDS, "folds", NONE)                                                                        \
    X(FORM, "form", NONE)                                                                          \
    X(FORMAT, "format", NONE)                                                                      \
    X(FROM_DEVICE, "from_device", NONE)                                                            \
    X(FUSED, "fused", NONE)                                                                        \
    X(GAIN_NS, "gain_ns", NS)                                                                      \
    X(GAP_COUNT, "gap_count", NONE)                                                                \
    X(GAP_NS, "gap_ns", NS)                                                                        \
    X(GAP_START_NS, "gap_start_ns", NS)                                                            \
    X(GB_PER_S, "gb_per_s", NONE)                                                                  \
    X(GENERATION, "generation", NONE)                                                              \
    X(GFLOP_PER_S, "gflop_per_s", NONE)                                                            \
    X(GROUP, "group", NONE)                                                                        \
    X(HIDEABLE_COMMUNICATION_NS, "hideable_communication_ns", NS)                                  \
    X(HIDEABLE_COPY_NS, "hideable_copy_ns", NS)                                                    \
    X(HOST, "host", NONE)                                                                          \
    X(HOST_LATE_NS, "host_late_ns", NS)                                                            \
    X(HOST_OP, "host_op", NONE)                                                                    \
    X(HOST_PERCENT, "host_percent", PERCENT)                                                       \
    X(HOST_SELF_NS, "host_self_ns", NS)                                                            \
    X(HOST_TOTAL_NS, "host_total_ns", NS)                                                          \
    X(ID, "id", NONE)                                                                              \
    X(IDEAL_CYCLES, "ideal_cycles", CYCLES)                                                        \
    X(IDLE_NS, "idle_ns", NS)                                                                      \
    X(IDLE_PERCENT, "idle_percent", PERCENT)                                                       \
    X(INFERENCE, "inference", NONE)                                                                \
    X(INFERENCE_PCYCLES, "inference_pcycles", PCYCLES)                                             \
    X(INFERENCES_PER_RUN, "inferences_per_run", NONE)                                              \
    X(INFERENCES_PER_S, "inferences_per_s", NONE)                                                  \
    X(INFERENCES_PER_SECOND, "inferences_per_second", NONE)                                        \
    X(INNER_COUNT, "inner_count", NONE)                                                            \
    X(INPUT_COUNT, "input_count", NONE)                                                            \
    X(INTENSITY, "intensity", NONE)                                                                \
    X(IR_VERSION, "ir_version", NONE)                                                              \
    X(IS_TRUNCATED, "is_truncated", NONE)                                                          \
    X(JOB_COUNT, "job_count", NONE)                                                                \
    X(KERNEL, "kernel", NONE)                                                                      \
    X(KIND, "kind", NONE)                                                                          \
    X(KNOWN, "known", NONE)                                                                        \
    X(LABEL, "label", NONE)                                                                        \
    X(LAST_BY_NS, "last_by_ns", NS)                                                                \
    X(LAST_COUNT, "last_count", NONE)                                                              \
    X(LAST_NS, "last_ns", NS)                                                                      \
    X(LAST_RANK, "last_rank", NONE)                                                                \
    X(LAUNCH_COUNT, "launch_count", NONE)                                                          \
    X(LAUNCH_CYCLES, "launch_cycles", CYCLES)                                                      \
    X(LAYER, "layer", NONE)                                                                        \
    X(LEAST_NS, "least_ns", NS)                                                                    \
    X(LEVEL, "level", NONE)                                                                        \
    X(LIMIT_NS, "limit_ns", NS)                                                                    \
    X(LIMIT_PERCENT, "limit_percent", PERCENT)                                                     \
    X(LINE, "line", NONE)                                                                          \
    X(LINK_BYTES, "link_bytes", BYTES)                                                             \
    X(LINK_CYCLES, "link_cycles", CYCLES)                                                          \
    X(LOCAL_BYTES, "local_bytes", BYTES)                                                           \
    X(LOCAL_PEAK_BYTES, "local_peak_bytes", BYTES)                                                 \
    X(LOCATION, "location", NONE)                                                                  \
    X(LONG_LATE_NS, "long_late_ns", NS)                                                            \
    X(LONGEST_NS, "longest_ns", NS)                                                                \
    X(LONGEST_UCYCLES, "longest_ucycles", UCYCLES)                                                 \
    X(LONGEST_WAIT_NS, "longest_wait_ns", NS)                                                      \
    X(LOST, "lost", NONE)                                                                          \
    X(MACHINE, "machine", NONE)                                                                    \
    X(MACHINE_TEXT_BYTES, "machine_text_bytes", BYTES)                                             \
    X(MACS, "macs", NONE)                                                                          \
    X(MARGIN_NS, "margin_ns", NS)                                                                  \
    X(MARK, "mark", NONE)                                                                          \
    X(MATCHED_COUNT, "matched_count", NONE)                                                        \
    X(MAX, "max", NONE)                                                                            \
    X(MAX_ERROR_PERCENT, "max_error_percent", PERCENT)                                             \
    X(MAX_FLOPS_PERCENT, "max_flops_percent", PERCENT)                                             \
    X(MAX_INPUT_WAIT_UCYCLES, "max_input_wait_ucycles", UCYCLES)                                   \
    X(MAX_NS, "max_ns", NS)                                                                        \
    X(MAX_OUTPUT_WAIT_UCYCLES, "max_output_wait_ucycles", UCYCLES)                                 \
    X(MAX_RSS_BYTES, "max_rss_bytes", BYTES)                                                       \
    X(MEAN, "mean", NONE)                                                                          \
    X(MEAN_BUSY_NS, "mean_busy_ns", NS)                                                            \
    X(MEAN_ERROR_PERCENT, "mean_error_percent", PERCENT)                                           \
    X(MEAN_FLOPS_PERCENT, "mean_flops_percent", PERCENT)                                           \
    X(MEAN_NS, "mean_ns", NS)                                                                      \
    X(MEANING, "meaning", NONE)                                                                    \
    X(MEASURED_NS, "measured_ns", NS)                                                              \
    X(MEMORY, "memory", NONE)                                                                      \
    X(MEMORY_BYTES, "memory_bytes", BYTES)                                                         \
    X(METHOD, "method", NONE)                                                                      \
    X(METRIC, "metric", NONE)                                                                      \
    X(MIN, "min", NONE)                                                                            \
    X(MIN_FLOPS_PERCENT, "min_flops_percent", PERCENT)                                             \
    X(MIN_NS, "min_ns", NS)                                                                        \
    X(MISSING_CHUNKS, "missing_chunks", NONE)                                                      \
    X(MISSING_COUNT, "missing_count", NONE)                                                        \
    X(MODEL, "model", NONE)                                                                        \
    X(NAME, "name", NONE)                                                                          \
    X(NEEDS, "needs", NONE)                                                                        \
    X(NETWORK, "network", NONE)                                                                    \
    X(NOC_CYCLES, "noc_cycles", CYCLES)                                                            \
    X(NODE_COUNT, "node_count", NONE)                                                              \
    X(NODES, "nodes", NONE)                                                                        \
    X(NOTE, "note", NONE)                                                                          \
    X(OF_MEAN_PERCENT, "of_mean_percent", PERCENT)                                                 \
    X(OFFSET_BYTES, "offset_bytes", BYTES)                                                         \
    X(OFFSET_NS, "offset_ns", NS)                                                                  \
    X(OFFSET_UCYCLES, "offset_ucycles", UCYCLES)                                                   \
    X(OP, "op", NONE)                                                                              \
    X(OP_COUNT, "op_count", NONE)                                                                  \
    X(OP_LEVEL, "op_level", NONE)                                                                  \
    X(OP_RECORDS, "op_records", NONE)                                                              \
    X(OP_UCYCLES, "op_ucycles", UCYCLES)                                                           \
    X(OPDETAILS, "opdetails", NONE)                                                                \
    X(OPERATION, "operation", NONE)                                                                \
    X(OPERATIONS, "operations", NONE)                                                              \
    X(OPERATOR, "operator", NONE)                                                                  \
    X(OPERATORS, "operators", NONE)                                                                \
    X(OPSETS, "opsets", NONE)                                                                      \
    X(OPTION, "option", NONE)                                                                      \
    X(ORIGIN, "origin", NONE)                                                                      \
    X(OUT_KB, "out_kb", NONE)                                                                      \
    X(OUTPUT_BYTES, "output_bytes", BYTES)                                                         \
    X(OUTPUT_COUNT, "output_count", NONE)                                                          \
    X(P50_NS, "p50_ns", NS)                                                                        \
    X(P90_ERROR_PERCENT, "p90_error_percent", PERCENT)                                             \
    X(P99_NS, "p99_ns", NS)                                                                        \
    X(PADDING_PERCENT, "padding_percent", PERCENT)                                                 \
    X(PAGE, "page", NONE)                                                                          \
    X(PATH, "path", NONE)                                                                          \
    X(PCYCLES, "pcycles", PCYCLES)                                                                 \
    X(PCYCLES_PER_INFERENCE, "pcycles_per_inference", NONE)                                        \
    X(PCYCLES_PER_KB, "pcycles_per_kb", NONE)                                                      \
    X(PCYCLES_PER_KB_STDDEV, "pcycles_per_kb_stddev", NONE)                                        \
    X(PCYCLES_PERCENT, "pcycles_percent", PERCENT)                                                 \
    X(PEAK_ACTIVATION_BYTES, "peak_activation_bytes", BYTES)                                       \
    X(PEAK_MACS_PER_CYCLE, "peak_macs_per_cycle", NONE)                                            \
    X(PEAK_TYPE, "peak_type", NONE)                                                                \
    X(PEER, "peer", NONE)                                                                          \
    X(PER_PCYCLE, "per_pcycle", NONE)                                                              \
    X(PERCENT, "percent", PERCENT)                                                                 \
    X(PERIOD, "period", NONE)                                                                      \
    X(PHASE, "phase", NONE)                                                                        \
    X(PICTURE, "picture", NONE)                                                                    \
    X(PID, "pid", NONE)                                                                            \
    X(PMU_EVENTS, "pmu_events", NONE)                                                              \
    X(PMU_LEVEL, "pmu_level", NONE)                                                                \
    X(PMU_RECIPE, "pmu_recipe", NONE)                                                              \
    X(PORT, "port", NONE)                                                                          \
    X(PROBLEM, "problem", NONE)                                                                    \
    X(PROBLEM_COUNT, "problem_count", NONE)                                                        \
    X(PROCESS, "process", NONE)                                                                    \
    X(PRODUCER, "producer", NONE)                                                                  \
    X(PROGRAM, "program", NONE)                                                                    \
    X(PROPERTY, "property", NONE)                                                                  \
    X(QUALITY, "quality", NONE)                                                                    \
    X(QUEUE_CYCLES, "queue_cycles", CYCLES)                                                        \
    X(QUEUE_EMPTY_NS, "queue_empty_ns", NS)                                                        \
    X(QUEUE_MAX, "queue_max", NONE)                                                                \
    X(QUEUE_MEAN, "queue_mean", NONE)                                                              \
    X(QUEUED_NS, "queued_ns", NS)                                                                  \
    X(RANDOM_INPUT_COUNT, "random_input_count", NONE)                                              \
    X(RANDOM_WEIGHT_COUNT, "random_weight_count", NONE)                                            \
    X(RANK, "rank", NONE)                                                                          \
    X(RANK_COUNT, "rank_count", NONE)                                                              \
    X(RATIO, "ratio", NONE)                                                                        \
    X(READ_CYCLES, "read_cycles", CYCLES)                                                          \
    X(REASON, "reason", NONE)                                                                      \
    X(RECEIVE_WAIT_UCYCLES, "receive_wait_ucycles", UCYCLES)                                       \
    X(RECORD_COST_NS, "record_cost_ns", NS)                                                        \
    X(RECORD_COUNT, "record_count", NONE)                                                          \
    X(RECORDED_RUNS, "recorded_runs", NONE)                                                        \
    X(RECORDS, "records", NONE)                                                                    \
    X(RIDGE, "ridge", NONE)                                                                        \
    X(ROOF_GFLOP_PER_S, "roof_gflop_per_s", NONE)                                                  \
    X(ROOF_PERCENT, "roof_percent", PERCENT)                                                       \
    X(RULE, "rule", NONE)                                                                          \
    X(RUN, "run", NONE)                                                                            \
    X(RUNS, "runs", NONE)                                                                          \
    X(SAMPLE_KIND, "sample_kind", NONE)                                                            \
    X(SAMPLES, "samples", NONE)                                                                    \
    X(SAVED, "saved", NONE)                                                                        \
    X(SAVES, "saves", NONE)                                                                        \
    X(SECONDS, "seconds", NONE)                                                                    \
    X(SEGMENT, "segment", NONE)                                                                    \
    X(SELF_NS, "self_ns", NS)                                                                      \
    X(SEND_WAIT_UCYCLES, "send_wait_ucycles", UCYCLES)                                             \
    X(SEQUENCE, "sequence", NONE)                                                                  \
    X(SHAPE, "shape", NONE)                                                                        \
    X(SHARE_PERCENT, "share_percent", PERCENT)                                                     \
    X(SHORT_COUNT, "short_count", NONE)                                                            \
    X(SHORT_LATE_NS, "short_late_ns", NS)                                                          \
    X(SHORT_PERCENT, "short_percent", PERCENT)                                                     \
    X(SIDE, "side", NONE)                                                                          \
    X(SIMULATED_CYCLES, "simulated_cycles", CYCLES)                                                \
    X(SIZE_BYTES, "size_bytes", BYTES)                                                             \
    X(SIZES, "sizes", NONE)                                                                        \
    X(SLACK_CYCLES, "slack_cycles", CYCLES)                                                        \
    X(SLICE, "slice", NONE)                                                                        \
    X(SLOWER_PERCENT, "slower_percent", PERCENT)                                                   \
    X(SLOWEST, "slowest", NONE)                                                                    \
    X(SOURCE, "source", NONE)                                                                      \
    X(SOURCES, "sources", NONE)                                                                    \
    X(SPAN_NS, "span_ns", NS)                                                                      \
    X(SPREAD_NS, "spread_ns", NS)                                                                  \
    X(STANDARD_ERROR_PERCENT, "standard_error_percent", PERCENT)                                   \
    X(START_CYCLES, "start_cycles", CYCLES)                                                        \
    X(START_NS, "start_ns", NS)                                                                    \
    X(START_U, "start_u", NONE)                                                                    \
    X(STATS_BATCH, "stats_batch", NONE)                                                            \
    X(STATS_LEVEL, "stats_level", NONE)                                                            \
    X(STD, "std", NONE)                                                                            \
    X(STD_FLOPS_PERCENT, "std_flops_percent", PERCENT)                                             \
    X(STEP, "step", NONE)                                                                          \
    X(STEP_COUNT, "step_count", NONE)                                                              \
    X(STREAM, "stream", NONE)                                                                      \
    X(STREAMS, "streams", NONE)                                                                    \
    X(SYNC_UCYCLES, "sync_ucycles", UCYCLES)                                                       \
    X(TASK_COUNT, "task_count", NONE)                                                              \
    X(TENSOR_COUNT, "tensor_count", NONE)                                                          \
    X(TFLOPS, "tflops", NONE)                                                                      \
    X(THREAD, "thread", NONE)                                                                      \
    X(THREAD_COUNT, "thread_count", NONE)                                                          \
    X(TIME_NS, "time_ns", NS)                                                                      \
    X(TIMER_KHZ, "timer_khz", NONE)                                                                \
    X(TIMER_MHZ, "timer_mhz", MHZ)                                                                 \
    X(TITLE, "title", NONE)                                                                        \
    X(TO_DEVICE, "to_device", NONE)                                                                \
    X(TOKENS_PER_S, "tokens_per_s", NONE)                                                          \
    X(TOTAL, "total", NONE)                                                                        \
    X(TOTAL_NS, "total_ns", NS)                                                                    \
    X(TOTAL_PERCENT, "total_percent", PERCENT)                                                     \
    X(TRACK, "track", NONE)                                                                        \
    X(TRACKS, "tracks", NONE)                                                                      \
    X(TRANSACTION, "transaction", NONE)                                                            \
    X(TYPE, "type", NONE)                                                                          \
    X(TYPES, "types", NONE)                                                                        \
    X(UCYCLES, "ucycles", UCYCLES)                                                                 \
    X(UCYCLES_PER_INFERENCE, "ucycles_per_inference", NONE)                                        \
    X(UCYCLES_PER_KB, "ucycles_per_kb", NONE)                                                      \
    X(UCYCLES_PERCENT, "ucycles_percent", PERCENT)                                                 \
    X(UNIT, "unit", NONE)                                                                          \
    X(UNKNOWN, "unknown", NONE)                                                                    \
    X(UNKNOWN_NS, "unknown_ns", NS)                                                                \
    X(UNUSED, "unused", NONE)                                                                      \
    X(UTILISATION_PERCENT, "utilisation_percent", PERCENT)                                         \
    X(UTILIZATION_PERCENT, "utilization_percent", PERCENT)                                         \
    X(VALUE, "value", NONE)                                                                        \
    X(VARIATION_PERCENT, "variation_percent", PERCENT)                                             \
    X(VECTOR_COUNT, "vector_count", NONE)                                                          \
    X(VECTOR_THREAD_COUNT, "vector_thread_count", NONE)                                            \
    X(VERDICT, "verdict", NONE)                                                                    \
    X(VERSION, "version", NONE)                                                                    \
    X(VIEWS, "views", NONE)                                                                        \
    X(WAIT_COUNT, "wait_count", NONE)                                                              \
    X(WAIT_NS, "wait_ns", NS)                                                                      \
    X(WAIT_PERCENT, "wait_percent", PERCENT)                                                       \
    X(WAIT_UCYCLES, "wait_ucycles", UCYCLES)                                                       \
    X(WAITING_RANK, "waiting_rank", NONE)                                                          \
    X(WALL_NS, "wall_ns", NS)                                                                      \
    X(WARM_UP, "warm_up", NONE)                                                                    \
    X(WARM_UP_COUNT, "warm_up_count", NONE)                                                        \
    X(WEIGHT_BYTES, "weight_bytes", BYTES)                                                         \
    X(WEIGHT_COUNT, "weight_count", NONE)                                                          \
    X(WEIGHTED_MEAN_FLOPS_PERCENT, "weighted_mean_flops_percent", PERCENT)                         \
    X(WHAT, "what", NONE)                                                                          \
    X(WORK_COUNT, "work_count", NONE)                                                              \
    X(WORK_UCYCLES, "work_ucycles", UCYCLES)                                                       \
    X(WRITE_CYCLES, "write_cycles", CYCLES)                                                        \
    X(ZERO_NS, "zero_ns", NS)                                                                      \
    X(ZERO_WEIGHT_COUNT, "zero_weight_count", NONE)

typedef enum tacho_column_id {
    TACHO_COL_OTHER, /* has a name and a unit of its own, such as a vendor's column; ends lists */
#define TACHO_COLUMN_ENUM(id, name, unit) TACHO_COL_##id,
    TACHO_COLUMN_IDS(TACHO_COLUMN_ENUM)
#undef TACHO_COLUMN_ENUM
        TACHO_COLUMN_ID_COUNT,
} tacho_column_id;

typedef struct tacho_column {
    tacho_column_id id;
    const char *title; /* for people */
    tacho_column_type type;
    const char *name;       /* of TACHO_COL_OTHER; else NULL, and the list has it */
    tacho_column_unit unit; /* the same */
} tacho_column;

/* A column of the list, and one that is not in it and has no unit. */
#define TACHO_COLUMN(id, title, type)                                                              \
    {                                                                                              \
        TACHO_COL_##id, title, TACHO_COLUMN_##type, NULL, TACHO_COLUMN_UNIT_NONE                   \
    }
#define TACHO_COLUMN_NAMED(name, title, type)                                                      \
    {                                                                                              \
        TACHO_COL_OTHER, title, TACHO_COLUMN_##type, name, TACHO_COLUMN_UNIT_NONE                  \
    }

/* The column's name for programs, and its unit: "total_ns", TACHO_COLUMN_UNIT_NS. */
const char *tacho_column_name(const tacho_column *column);
tacho_column_unit tacho_column_unit_of(const tacho_column *column);

/* The unit's name for programs; "" for none. */
const char *tacho_column_unit_name(tacho_column_unit unit);

#endif
