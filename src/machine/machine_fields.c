/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of machine_fields.h. A new number of machines is one line here and one in machine.h.
 */
#include "machine/machine_fields.h"

/* Caps: larger numbers are typing errors. */
static const int64_t CYCLES_MAX = 1000000000;
static const int64_t RATE_MAX = 1000000000;
enum { LIST_MAX = 256, ALIGN_MAX = 65536, COUNT_MAX = 65536, SUM_BYTES_MAX = 16 };

static const char *class_word(unsigned index)
{
    return index < TACHO_ENGINE_CLASS_COUNT ? tacho_engine_class_name((tacho_engine_class)index)
                                            : NULL;
}

static const char *memory_word(unsigned index)
{
    return index <= TACHO_MEMORY_DDR ? tacho_memory_kind_name((tacho_memory_kind)index) : NULL;
}

static const char *form_word(unsigned index)
{
    return index < TACHO_FORM_COUNT ? tacho_form_name((tacho_form)index) : NULL;
}

static const char *dtype_word(unsigned index)
{
    return index < TACHO_DTYPE_COUNT ? tacho_dtype_name((tacho_dtype)index) : NULL;
}

/* One row per field, by kind. */
#define TEXT(type, member, optional)                                                               \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_TEXT, .is_optional = optional,                        \
        .offset = offsetof(type, member)                                                           \
    }
#define FLAG(type, member)                                                                         \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_FLAG, .is_optional = true,                            \
        .offset = offsetof(type, member)                                                           \
    }
#define WORD(type, member, of)                                                                     \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_WORD, .offset = offsetof(type, member), .word = (of)  \
    }
#define NEED(type, member, base, limit, rule)                                                      \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_QUANTITY, .rules = (rule), .unit = (base),            \
        .max = (limit), .offset = offsetof(type, member)                                           \
    }
#define MAYBE(type, member, base, limit, rule)                                                     \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_QUANTITY, .is_optional = true, .rules = (rule),       \
        .unit = (base), .max = (limit), .offset = offsetof(type, member)                           \
    }
#define LIST(type, key, member, count, optional, of)                                               \
    {                                                                                              \
        .name = (key), .kind = TACHO_FIELD_LIST, .is_optional = optional, .max = LIST_MAX,         \
        .offset = offsetof(type, member), .count_offset = offsetof(type, count), .fields = &(of)   \
    }
#define FIELDS(name, type, rows)                                                                   \
    static const tacho_fields name = {rows, sizeof(rows) / sizeof((rows)[0]), sizeof(type)}

enum {
    WHOLE = TACHO_RULE_WHOLE,
    CYCLES = TACHO_RULE_WHOLE | TACHO_RULE_ZERO,
    SHARE = TACHO_RULE_FRACTION,
};

static const tacho_field mac_rows[] = {
    WORD(tacho_rate, dtype, dtype_word),
    NEED(tacho_rate, per_cycle, "MAC/cycle", RATE_MAX, 0),
};
FIELDS(mac_fields, tacho_rate, mac_rows);

static const tacho_field element_rows[] = {
    WORD(tacho_rate, dtype, dtype_word),
    NEED(tacho_rate, per_cycle, "elements/cycle", RATE_MAX, 0),
};
FIELDS(element_fields, tacho_rate, element_rows);

static const tacho_field engine_rows[] = {
    TEXT(tacho_engine, name, false),
    WORD(tacho_engine, class, class_word),
    NEED(tacho_engine, count, "engines", COUNT_MAX, WHOLE),
    LIST(tacho_engine, "macs", macs, mac_count, true, mac_fields),
    LIST(tacho_engine, "elements", elements, element_count, true, element_fields),
    MAYBE(tacho_engine, align_m, "elements", ALIGN_MAX, WHOLE),
    MAYBE(tacho_engine, align_n, "elements", ALIGN_MAX, WHOLE),
    MAYBE(tacho_engine, align_k, "elements", ALIGN_MAX, WHOLE),
    NEED(tacho_engine, start_up_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_engine, issue_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_engine, fixed_job_cycles, "cycles", CYCLES_MAX, WHOLE),
    MAYBE(tacho_engine, operand_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    MAYBE(tacho_engine, accumulator_bytes, "B", INT64_MAX, WHOLE),
    MAYBE(tacho_engine, sum_bytes, "B", SUM_BYTES_MAX, WHOLE),
    MAYBE(tacho_engine, step_overhead_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    MAYBE(tacho_engine, short_pass_cycles, "cycles", CYCLES_MAX, 0),
    MAYBE(tacho_engine, block_overhead_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
};
FIELDS(engine_fields, tacho_engine, engine_rows);

static const tacho_field memory_rows[] = {
    TEXT(tacho_memory, name, false),
    WORD(tacho_memory, kind, memory_word),
    NEED(tacho_memory, size_bytes, "B", INT64_MAX, WHOLE),
    MAYBE(tacho_memory, bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    MAYBE(tacho_memory, efficiency, "ratio", 1, SHARE),
    MAYBE(tacho_memory, write_efficiency, "ratio", 1, SHARE),
    MAYBE(tacho_memory, banks, "banks", COUNT_MAX, WHOLE),
    MAYBE(tacho_memory, page_bytes, "B", INT64_MAX, WHOLE),
    MAYBE(tacho_memory, latency_cycles, "cycles", CYCLES_MAX, CYCLES),
    FLAG(tacho_memory, is_cache),
};
FIELDS(memory_fields, tacho_memory, memory_rows);

static const tacho_field dma_rows[] = {
    TEXT(tacho_dma, name, false),
    WORD(tacho_dma, class, class_word),
    NEED(tacho_dma, bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    MAYBE(tacho_dma, efficiency, "ratio", 1, SHARE),
    MAYBE(tacho_dma, burst_beats, "beats", ALIGN_MAX, WHOLE),
    MAYBE(tacho_dma, burst_overhead_beats, "beats", ALIGN_MAX, TACHO_RULE_ZERO),
    NEED(tacho_dma, start_up_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_dma, queue_depth, "transfers", COUNT_MAX, WHOLE),
};
FIELDS(dma_fields, tacho_dma, dma_rows);

static const tacho_field noc_rows[] = {
    MAYBE(tacho_noc, link_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    FLAG(tacho_noc, has_multicast),
};
FIELDS(noc_fields, tacho_noc, noc_rows);

static const tacho_field mesh_rows[] = {
    NEED(tacho_mesh, buffer_bytes, "B", INT64_MAX, WHOLE),
    NEED(tacho_mesh, request_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    NEED(tacho_mesh, result_tiles, "tiles", 1024, WHOLE),
    NEED(tacho_mesh, partial_bytes, "B", 16, WHOLE),
    NEED(tacho_mesh, single_cast_tiles, "tiles", 65536, WHOLE),
    NEED(tacho_mesh, narrow_ratio, "ratio", 65536, WHOLE),
};
FIELDS(mesh_fields, tacho_mesh, mesh_rows);

static const tacho_field kernel_rows[] = {
    WORD(tacho_gpu_row, form, form_word),
    NEED(tacho_gpu_row, latency_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu_row, elements_per_cycle, "elements/cycle", RATE_MAX, 0),
    MAYBE(tacho_gpu_row, line_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    MAYBE(tacho_gpu_row, depth_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    FLAG(tacho_gpu_row, is_serial),
};
FIELDS(kernel_fields, tacho_gpu_row, kernel_rows);

static const tacho_field gpu_product_rows[] = {
    NEED(tacho_gpu_product, start_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu_product, efficiency, "ratio", 1, SHARE),
    NEED(tacho_gpu_product, step_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    MAYBE(tacho_gpu_product, latency_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    MAYBE(tacho_gpu_product, operand_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    MAYBE(tacho_gpu_product, row_ratio, "ratio", 16, 0),
    MAYBE(tacho_gpu_product, place_channels, "elements", 65536, CYCLES),
    MAYBE(tacho_gpu_product, reduce_cycles, "cycles", CYCLES_MAX, CYCLES),
};
FIELDS(gpu_product_fields, tacho_gpu_product, gpu_product_rows);

#define PRODUCTS(member)                                                                           \
    {                                                                                              \
        .name = #member, .kind = TACHO_FIELD_OBJECT, .offset = offsetof(tacho_gpu, member),        \
        .fields = &gpu_product_fields                                                              \
    }
static const tacho_field gpu_rows[] = {
    NEED(tacho_gpu, l2_bytes, "B", INT64_MAX, WHOLE),
    NEED(tacho_gpu, l2_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    NEED(tacho_gpu, hot_bytes, "B", INT32_MAX, WHOLE),
    NEED(tacho_gpu, cold_bytes, "B", INT32_MAX, WHOLE),
    NEED(tacho_gpu, host_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, switch_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, overlap, "ratio", 1, SHARE | TACHO_RULE_ZERO),
    NEED(tacho_gpu, tf32_macs_per_cycle, "MAC/cycle", RATE_MAX, 0),
    NEED(tacho_gpu, unaligned_macs_per_cycle, "MAC/cycle", RATE_MAX, 0),
    NEED(tacho_gpu, unaligned_step_bytes, "B", ALIGN_MAX, WHOLE),
    NEED(tacho_gpu, position_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, position_macs_per_cycle, "MAC/cycle", RATE_MAX, 0),
    NEED(tacho_gpu, position_wide_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, position_wide_macs_per_cycle, "MAC/cycle", RATE_MAX, 0),
    MAYBE(tacho_gpu, group_step_cycles, "cycles", CYCLES_MAX, TACHO_RULE_ZERO),
    NEED(tacho_gpu, attention_start_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, attention_wide_start_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, attention_block_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_gpu, attention_score_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_gpu, attention_fetch_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    NEED(tacho_gpu, attention_wide_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_gpu, attention_wide_latency_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_gpu, attention_masked_start_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_gpu, attention_masked_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_gpu, attention_masked_latency_cycles, "cycles", CYCLES_MAX, CYCLES),
    PRODUCTS(tensor),
    PRODUCTS(vector),
    PRODUCTS(vector_bias),
    PRODUCTS(tensor_window),
    PRODUCTS(vector_window),
    LIST(tacho_gpu, "kernels", kernels, kernel_count, false, kernel_fields),
};
FIELDS(gpu_fields, tacho_gpu, gpu_rows);

static const tacho_field fidelity_rows[] = {
    TEXT(tacho_fidelity, name, false),
    NEED(tacho_fidelity, passes, "passes", 64, WHOLE),
};
FIELDS(fidelity_fields, tacho_fidelity, fidelity_rows);

static const tacho_field peak_rows[] = {
    TEXT(tacho_peaks, chip, false),
    NEED(tacho_peaks, worker_cores, "cores", COUNT_MAX, WHOLE),
    NEED(tacho_peaks, dram_rate, "GB/s", RATE_MAX, 0),
    NEED(tacho_peaks, counted_cores, "cores", COUNT_MAX, WHOLE),
    NEED(tacho_peaks, lofi_rate, "TFLOP/s", RATE_MAX, 0),
    NEED(tacho_peaks, hifi2_rate, "TFLOP/s", RATE_MAX, 0),
    NEED(tacho_peaks, hifi4_rate, "TFLOP/s", RATE_MAX, 0),
};
FIELDS(peak_fields, tacho_peaks, peak_rows);

static const tacho_field legalise_rows[] = {
    WORD(tacho_legalise, from, dtype_word),
    WORD(tacho_legalise, to, dtype_word),
};
FIELDS(legalise_fields, tacho_legalise, legalise_rows);

static const tacho_field counter_rows[] = {
    TEXT(tacho_counter_def, id, false),
    TEXT(tacho_counter_def, name, false),
    TEXT(tacho_counter_def, counts, true),
    {
        .name = "event",
        .kind = TACHO_FIELD_WORD,
        .is_optional = true,
        .offset = offsetof(tacho_counter_def, event),
        .word = tacho_event_word,
    },
};
FIELDS(counter_fields, tacho_counter_def, counter_rows);

static const tacho_field fitted_rows[] = {
    TEXT(tacho_fitted, constant, false),
};
FIELDS(fitted_fields, tacho_fitted, fitted_rows);

static const tacho_field word_rows[] = {
    TEXT(tacho_word, of, false),
    TEXT(tacho_word, word, false),
};
FIELDS(word_fields, tacho_word, word_rows);

static const tacho_field device_rows[] = {TEXT(tacho_device_name, called, false)};
FIELDS(device_fields, tacho_device_name, device_rows);

static const tacho_field machine_rows[] = {
    TEXT(tacho_machine, name, false),
    TEXT(tacho_machine, title, false),
    TEXT(tacho_machine, about, true),
    LIST(tacho_machine, "devices", devices, device_count, true, device_fields),
    NEED(tacho_machine, core_clock_hz, "Hz", RATE_MAX * 1000, WHOLE),
    MAYBE(tacho_machine, timer_hz, "Hz", RATE_MAX * 1000, WHOLE),
    NEED(tacho_machine, grid_x, "cores", 4096, WHOLE),
    NEED(tacho_machine, grid_y, "cores", 4096, WHOLE),
    MAYBE(tacho_machine, threads, "threads", 4096, WHOLE),
    MAYBE(tacho_machine, semaphores, "semaphores", COUNT_MAX, WHOLE),
    MAYBE(tacho_machine, device_link_bytes_per_cycle, "B/cycle", RATE_MAX, 0),
    MAYBE(tacho_machine, semaphore_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_machine, doorbell_cycles, "cycles", CYCLES_MAX, CYCLES),
    NEED(tacho_machine, launch_cycles, "cycles", CYCLES_MAX, CYCLES),
    MAYBE(tacho_machine, launch_alone_cycles, "cycles", CYCLES_MAX, CYCLES),
    LIST(tacho_machine, "fidelities", fidelities, fidelity_count, true, fidelity_fields),
    TEXT(tacho_machine, default_fidelity, true),
    TEXT(tacho_machine, block_fidelity, true),
    LIST(tacho_machine, "engines", engines, engine_count, false, engine_fields),
    LIST(tacho_machine, "memories", memories, memory_count, false, memory_fields),
    LIST(tacho_machine, "dma", dma, dma_count, false, dma_fields),
    {
        .name = "noc",
        .kind = TACHO_FIELD_OBJECT,
        .is_optional = true,
        .offset = offsetof(tacho_machine, noc),
        .fields = &noc_fields,
    },
    {
        .name = "mesh",
        .kind = TACHO_FIELD_OBJECT,
        .is_optional = true,
        .offset = offsetof(tacho_machine, mesh),
        .fields = &mesh_fields,
    },
    {
        .name = "gpu",
        .kind = TACHO_FIELD_OBJECT,
        .is_optional = true,
        .offset = offsetof(tacho_machine, gpu),
        .fields = &gpu_fields,
    },
    LIST(tacho_machine, "peaks", peaks, peak_count, true, peak_fields),
    LIST(tacho_machine, "legalise", legalise, legalise_count, true, legalise_fields),
    LIST(tacho_machine, "counters", counters, counter_count, true, counter_fields),
    LIST(tacho_machine, "fitted", fitted, fitted_count, true, fitted_fields),
    TEXT(tacho_machine, timeline, true),
    LIST(tacho_machine, "op_names", op_names, op_name_count, true, word_fields),
};

const tacho_fields tacho_machine_fields = {
    machine_rows,
    sizeof(machine_rows) / sizeof(machine_rows[0]),
    sizeof(tacho_machine),
};

const tacho_unit *tacho_unit_find(const char *base, tacho_str name)
{
    static const tacho_unit units[] = {
        {"B", "B", 1},
        {"KiB", "B", 1024},
        {"MiB", "B", 1024 * 1024},
        {"GiB", "B", 1024 * 1024 * 1024},
        {"Hz", "Hz", 1},
        {"kHz", "Hz", 1000},
        {"MHz", "Hz", 1000000},
        {"GHz", "Hz", 1000000000},
        {"cycles", "cycles", 1},
        {"cores", "cores", 1},
        {"engines", "engines", 1},
        {"threads", "threads", 1},
        {"semaphores", "semaphores", 1},
        {"passes", "passes", 1},
        {"beats", "beats", 1},
        {"tiles", "tiles", 1},
        {"transfers", "transfers", 1},
        {"banks", "banks", 1},
        {"elements", "elements", 1},
        {"ratio", "ratio", 1},
        {"B/cycle", "B/cycle", 1},
        {"MAC/cycle", "MAC/cycle", 1},
        {"elements/cycle", "elements/cycle", 1},
        {"GB/s", "GB/s", 1},
        {"TFLOP/s", "TFLOP/s", 1},
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(units[i].base, base) == 0 &&
            tacho_str_equal(name, tacho_str_from_cstring(units[i].name))) {
            return &units[i];
        }
    }
    return NULL;
}
