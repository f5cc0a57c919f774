/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines are data: a JSON description of cores, engines, memories and clocks, each number with
 * its physical name, its unit and where it is published (docs/machines.md). machine/cost.h
 * computes with it.
 *
 * Fields are filled by the tables of machine_fields.c; a quantity that a description may leave out
 * has the denominator 0 then (tacho_quantity_is_set).
 */
#ifndef TACHO_MACHINE_MACHINE_H
#define TACHO_MACHINE_MACHINE_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/event.h"
#include "base/status.h"
#include "machine/quantity.h"
#include "machine/work.h"

/* The built-in machine that models are compiled for where none is named. */
#define TACHO_DEFAULT_MACHINE "torq-sl2610"

/* The kind of work of an engine or a queue; the names are those of track classes. */
#define TACHO_ENGINE_CLASSES(X)                                                                    \
    X(COMPUTE, "compute")                                                                          \
    X(VECTOR, "vector")                                                                            \
    X(CONTROL, "control")                                                                          \
    X(DMA_IN, "dma_in")                                                                            \
    X(DMA_OUT, "dma_out")                                                                          \
    X(DMA_LOCAL, "dma_local")                                                                      \
    X(HOST, "host")

typedef enum tacho_engine_class {
#define TACHO_ENGINE_CLASS_ENUM(name, text) TACHO_ENGINE_##name,
    TACHO_ENGINE_CLASSES(TACHO_ENGINE_CLASS_ENUM)
#undef TACHO_ENGINE_CLASS_ENUM
        TACHO_ENGINE_CLASS_COUNT
} tacho_engine_class;

/* Multiply-accumulates or elements per cycle of one engine for a type. */
typedef struct tacho_rate {
    tacho_dtype dtype;
    tacho_quantity per_cycle;
} tacho_rate;

typedef struct tacho_engine {
    tacho_str name; /* as the vendor prints it */
    tacho_engine_class class;
    tacho_quantity count;   /* in each core */
    tacho_rate *macs;       /* at fidelity passes of 1 ... */
    size_t mac_count;       /* ... none: the engine multiplies no matrices */
    tacho_rate *elements;   /* elementary steps on elements */
    size_t element_count;   /* none: the engine does nothing to single elements */
    tacho_quantity align_m; /* rows, columns and depth of a product are padded to these */
    tacho_quantity align_n; /* multiples; absent: 1 */
    tacho_quantity align_k;
    tacho_quantity start_up_cycles;         /* of every job: until the pipeline is full */
    tacho_quantity issue_cycles;            /* that starting a job keeps the sequencer busy */
    tacho_quantity fixed_job_cycles;        /* where set, the time of any job */
    tacho_quantity operand_bytes_per_cycle; /* mesh: from local memory into the engine */
    tacho_quantity accumulator_bytes;       /* results that it keeps while it sums over k */
    tacho_quantity sum_bytes;               /* of each of these results; goes with the above */
    tacho_quantity step_overhead_cycles;    /* mesh: between two products of align_m x n x k */
    tacho_quantity short_pass_cycles; /* of a pass over the array that has fewer rows than that */
    tacho_quantity block_overhead_cycles; /* between two blocks that were loaded together */
} tacho_engine;

typedef enum tacho_memory_kind {
    TACHO_MEMORY_LOCAL, /* of each core: holds tensors while they are worked on */
    TACHO_MEMORY_AUX,   /* of each core, for other things: code, stack, a cache */
    TACHO_MEMORY_DDR,   /* that all cores share */
} tacho_memory_kind;

typedef struct tacho_memory {
    tacho_str name;
    tacho_memory_kind kind;
    tacho_quantity size_bytes;
    tacho_quantity bytes_per_cycle;  /* DDR: of all cores together */
    tacho_quantity efficiency;       /* share of that which long transfers reach */
    tacho_quantity write_efficiency; /* the same of writing; absent: as efficiency */
    tacho_quantity banks;            /* that pages of a tensor alternate between; absent: one ... */
    tacho_quantity page_bytes;       /* ... and bytes of a page; goes with the above */
    tacho_quantity latency_cycles;
    bool is_cache; /* LOCAL: what is larger than it runs, too, and slower */
} tacho_memory;

/* A queue of transfers. */
typedef struct tacho_dma {
    tacho_str name;
    tacho_engine_class class;
    tacho_quantity bytes_per_cycle;
    tacho_quantity efficiency;
    tacho_quantity burst_beats;          /* beats of a burst ... */
    tacho_quantity burst_overhead_beats; /* ... and beats lost between two */
    tacho_quantity start_up_cycles;
    tacho_quantity queue_depth; /* transfers that it holds, the one at work included; absent: any */
} tacho_dma;

typedef struct tacho_noc {
    tacho_quantity link_bytes_per_cycle;
    bool has_multicast;
} tacho_noc;

/*
 * How products are spread over a mesh of cores that multicast: rows of cores share rows of the
 * first operand, columns share columns of the second, and blocks of tiles follow one another
 * along k. Absent (buffer_bytes is): the general rules of compile/op_split.c.
 */
typedef struct tacho_mesh {
    tacho_quantity buffer_bytes;      /* of local memory for blocks of operands and results */
    tacho_quantity request_cycles;    /* that a core spends on the request of each tile */
    tacho_quantity result_tiles;      /* that the engine holds while it sums over k */
    tacho_quantity partial_bytes;     /* of an element of a partial sum in local memory */
    tacho_quantity single_cast_tiles; /* results with no more tiles one way are cast one way */
    tacho_quantity narrow_ratio;      /* results longer than so many times their width are, too */
} tacho_mesh;

/* A kernel: latency + line * depth + lines * line_cycles / cores + the longer of memory and reach
 * / (elements_per_cycle * cores), or their sum if it is serial. */
typedef struct tacho_gpu_row {
    tacho_form form;
    tacho_quantity latency_cycles;     /* of one with next to nothing to do */
    tacho_quantity elements_per_cycle; /* of each core */
    tacho_quantity line_cycles;        /* of a core, for each line; absent: none */
    tacho_quantity depth_cycles;       /* for each element of a line; absent: none */
    bool is_serial;                    /* memory and elements take turns */
} tacho_gpu_row;

/* How products of one kind of engine run: a tile of results for each block of threads. */
typedef struct tacho_gpu_product {
    tacho_quantity start_cycles;   /* launch, first operands, last results */
    tacho_quantity efficiency;     /* share of the engine's peak that the inner loop reaches */
    tacho_quantity step_cycles;    /* of a block, for each step along k */
    tacho_quantity latency_cycles; /* of all blocks of a core together, for each step along k */
    tacho_quantity operand_bytes_per_cycle; /* from L2 into a core; absent: no limit */
    tacho_quantity row_ratio;               /* the cost of fetching a row relative to a column's */
    tacho_quantity place_channels; /* in the time of which it finds the next place of a window */
    tacho_quantity reduce_cycles;  /* of the kernel that adds parts of k; absent: k is not cut */
} tacho_gpu_product;

/* A GPU whose operators are kernels, one after the other: compile/op_gpu.c. Absent: l2_bytes is. */
typedef struct tacho_gpu {
    tacho_quantity l2_bytes;
    tacho_quantity l2_bytes_per_cycle; /* of all cores together */
    tacho_quantity hot_bytes;          /* that a kernel finds in L2 if it moves no more ... */
    tacho_quantity cold_bytes;         /* ... and none of them if it moves so many */
    tacho_quantity host_cycles;        /* from launch to launch, where the host launches kernels */
    tacho_quantity switch_cycles;      /* a kernel after another one: code and addresses are new */
    tacho_quantity overlap;            /* share of the shorter of computing and moving that shows */
    tacho_quantity tf32_macs_per_cycle;      /* of a core, at the fidelity of that name */
    tacho_quantity unaligned_macs_per_cycle; /* of a core, in 16 bits */
    tacho_quantity unaligned_step_bytes;     /* rows of operands are aligned to so many */
    tacho_quantity position_cycles; /* convolution of few channels: of 128 rows and one place */
    tacho_quantity position_macs_per_cycle;
    tacho_quantity position_wide_cycles; /* in 32 bits */
    tacho_quantity position_wide_macs_per_cycle;
    tacho_quantity group_step_cycles; /* convolution in groups and 32 bits: each step of a tile */
    tacho_quantity attention_start_cycles;
    tacho_quantity attention_wide_start_cycles; /* in 32 bits */
    tacho_quantity attention_block_cycles;      /* for each block of queries in 16 bits */
    tacho_quantity attention_score_cycles;      /* for each tile of 128 x 128 scores in 16 bits */
    tacho_quantity attention_fetch_bytes_per_cycle; /* keys and values of a block; absent: all */
    tacho_quantity attention_wide_cycles;           /* for each tile of 64 x 64 scores in 32 bits */
    tacho_quantity attention_wide_latency_cycles; /* the same of heads up to 64, products included,
                                                     where a core has one block; absent: no more */
    tacho_quantity attention_masked_start_cycles; /* in 16 bits with a mask ... */
    tacho_quantity attention_masked_cycles;       /* ... for each tile of 64 x 64 x 128; absent:
                                                     as without one ... */
    tacho_quantity attention_masked_latency_cycles; /* ... where a core has one block */
    tacho_gpu_product tensor;                       /* engines of class compute */
    tacho_gpu_product vector;                       /* engines of class vector */
    tacho_gpu_product vector_bias;                  /* the same, with a bias to add */
    tacho_gpu_product tensor_window;                /* the same for convolutions */
    tacho_gpu_product vector_window;
    tacho_gpu_row *kernels;
    size_t kernel_count;
} tacho_gpu;

/* How often the engine passes over its operands: precision bought with time. */
typedef struct tacho_fidelity {
    tacho_str name;
    tacho_quantity passes;
} tacho_fidelity;

/* The peaks of a chip as its vendor's reports count them: percentages are of these. */
typedef struct tacho_peaks {
    tacho_str chip;              /* as the vendor's files call it */
    tacho_quantity worker_cores; /* that a whole chip has; a file may declare that fewer are left */
    tacho_quantity dram_rate;
    tacho_quantity counted_cores; /* that the rates below are of, together */
    tacho_quantity lofi_rate, hifi2_rate, hifi4_rate;
} tacho_peaks;

typedef struct tacho_legalise {
    tacho_dtype from;
    tacho_dtype to;
} tacho_legalise;

typedef struct tacho_counter_def {
    tacho_str id; /* as the vendor writes it */
    tacho_str name;
    tacho_str counts;
    tacho_event event; /* that a simulated device counts under this id; OTHER: none */
} tacho_counter_def;

/*
 * The vendor's name of the operators that we call |of|: a type of a model ("MaxPool",
 * "tosa.max_pool2d") or a kind of them ("convolution").
 */
typedef struct tacho_word {
    tacho_str of;
    tacho_str word;
} tacho_word;

/* A name that drivers report for the device, and profiles record. */
typedef struct tacho_device_name {
    tacho_str called;
} tacho_device_name;

/*
 * A number that may be fitted to measurements, by its path (machine/constant.h); several with a +
 * between them change by the same factor.
 */
typedef struct tacho_fitted {
    tacho_str constant;
} tacho_fitted;

typedef struct tacho_machine {
    tacho_str name;
    tacho_str title;
    tacho_str about;
    tacho_str path; /* of the file, or the name of a built-in */
    tacho_str text; /* the whole description */
    tacho_device_name *devices;
    size_t device_count;
    tacho_quantity core_clock_hz;
    tacho_quantity timer_hz; /* of time stamps; absent: the core clock */
    tacho_quantity grid_x;   /* cores */
    tacho_quantity grid_y;
    tacho_quantity semaphore_cycles;    /* of raising one; a part of launch_cycles */
    tacho_quantity doorbell_cycles;     /* until a thread that waits for one has seen it ring */
    tacho_quantity launch_cycles;       /* from one operator's end to the next one's first work */
    tacho_quantity launch_alone_cycles; /* the same where one core works, and none has to be woken;
                                           absent: launch_cycles */
    tacho_quantity threads;             /* of each core that issue work; absent: 1 */
    tacho_quantity semaphores;          /* absent: none */
    tacho_quantity device_link_bytes_per_cycle; /* from other devices into one; absent: any */
    tacho_engine *engines;
    size_t engine_count;
    tacho_memory *memories;
    size_t memory_count;
    tacho_dma *dma;
    size_t dma_count;
    tacho_noc noc;
    tacho_mesh mesh;
    tacho_gpu gpu;
    tacho_fidelity *fidelities;
    size_t fidelity_count;
    tacho_str default_fidelity;
    tacho_str block_fidelity; /* the default for block formats; empty: that of all */
    tacho_peaks *peaks;
    size_t peak_count;
    tacho_legalise *legalise;
    size_t legalise_count;
    tacho_counter_def *counters;
    size_t counter_count;
    tacho_fitted *fitted;
    size_t fitted_count;
    tacho_str timeline; /* whose timelines its compiler writes: tacho_machine_has_timeline */
    tacho_word *op_names;
    size_t op_name_count;
} tacho_machine;

const char *tacho_engine_class_name(tacho_engine_class engine_class);
const char *tacho_memory_kind_name(tacho_memory_kind kind);
const char *tacho_form_name(tacho_form form);

/* Whether it is a GPU: its operators are kernels. */
static inline bool tacho_machine_is_gpu(const tacho_machine *machine)
{
    return tacho_quantity_is_set(&machine->gpu.l2_bytes);
}

/* Names of the built-in machines, NULL after the last. */
const char *tacho_machine_builtin(size_t index);

/* The JSON text of a built-in machine or of "template"; empty when the name is unknown. */
tacho_str tacho_machine_builtin_text(tacho_str name);

/* A device ("NVIDIA H200") and the built-in machine that lists it. */
typedef struct tacho_machine_device {
    tacho_str name;
    const char *machine;
} tacho_machine_device;

/* All such devices, in |arena|. */
tacho_status tacho_machine_devices(tacho_arena *arena, const tacho_machine_device **out_devices,
                                   size_t *out_count) TACHO_MUST_USE;

/*
 * The machine of |device|; NULL if none lists it. Names must be equal: variants of one chip differ
 * in clock and memory.
 */
const char *tacho_machine_of_device(const tacho_machine_device *devices, size_t device_count,
                                    tacho_str device);

/*
 * The machine of this name, else the one described in the file at this path. All of it is in
 * |arena|. A failure names the file, the byte, and the JSON path of the fault.
 */
tacho_status tacho_machine_find(const char *name_or_path, tacho_arena *arena,
                                tacho_machine **out_machine) TACHO_MUST_USE;

/* Reads a description from |text|; |path| is used in messages. */
tacho_status tacho_machine_read(const char *path, tacho_str text, tacho_arena *arena,
                                tacho_machine **out_machine) TACHO_MUST_USE;

/*
 * A Torq machine with the hardware of |spec|, as --torq-hw gives it: a name of a built-in Torq
 * machine, or "<id>:<lram_kb>:<slices>:<css>:<nss>[:<dma bytes/cycle>[:<factor>:<triple>:<cpu>:
 * <features>]]". Any other machine is refused (USAGE). The shared memory feeds both directions of
 * the DMA at its new rate.
 */
tacho_status tacho_machine_torq_hw(tacho_machine *machine, const char *spec,
                                   tacho_arena *arena) TACHO_MUST_USE;

static inline uint32_t tacho_machine_cores(const tacho_machine *machine)
{
    return (uint32_t)(tacho_quantity_whole(&machine->grid_x) *
                      tacho_quantity_whole(&machine->grid_y));
}

/* Whether one sequencer starts the jobs of all engines, one after the other: starting costs. */
bool tacho_machine_is_sequenced(const tacho_machine *machine);

/* The rate of |dtype| in a list, or NULL. */
const tacho_rate *tacho_rate_find(const tacho_rate *rates, size_t rate_count, tacho_dtype dtype);

/* The type that |dtype| is computed as; itself unless the machine has another. */
tacho_dtype tacho_machine_legalise(const tacho_machine *machine, tacho_dtype dtype);

/* The first memory of this kind, or NULL. */
const tacho_memory *tacho_machine_memory(const tacho_machine *machine, tacho_memory_kind kind);

/* Whether it is a computer, whose memories bound the speed of an operator and not its size. */
static inline bool tacho_machine_is_computer(const tacho_machine *machine)
{
    const tacho_memory *local = tacho_machine_memory(machine, TACHO_MEMORY_LOCAL);
    return local != NULL && local->is_cache;
}

/* The first queue of this class, or NULL. */
const tacho_dma *tacho_machine_dma(const tacho_machine *machine, tacho_engine_class dma_class);

/* Index + 1 of the fidelity of this name, 0 when there is none; the default is index + 1 too. */
uint32_t tacho_machine_fidelity_find(const tacho_machine *machine, tacho_str name);

/* The same of the default for products of |dtype|. */
uint32_t tacho_machine_fidelity_default(const tacho_machine *machine, tacho_dtype dtype);

/* Sets the launch cycles to those of |cores| working cores; 0: all cores. */
void tacho_machine_use_cores(tacho_machine *machine, uint64_t cores);

/* The counter whose id is |code| in hexadecimal, or NULL. */
const tacho_counter_def *tacho_machine_counter_find(const tacho_machine *machine, uint64_t code);

/* The vendor's name of operators of this type or kind; |of| itself where there is none. */
tacho_str tacho_machine_op_name(const tacho_machine *machine, tacho_str of);

/* Whether the machine's own compiler writes timelines of this vendor: "torq" has T1 and T4. */
bool tacho_machine_has_timeline(const tacho_machine *machine, const char *vendor);

#endif
