/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiling models: a network and a machine give a program, an estimate of its cost, and a
 * timeline: the API of `tacho compile`.
 *
 *     const tacho_compiled_options options = {.machine = "aic100"};
 *     tacho_compiled *compiled = NULL;
 *     tacho_tables *tables = NULL;
 *     tacho_status status = tacho_compiled_open("model.onnx", &options, &compiled);
 *     if (status == TACHO_OK) status = tacho_compiled_tables(compiled, &tables);
 *     if (status == TACHO_OK) status = tacho_compiled_write_program(compiled, "model.bin");
 *     ...
 *     tacho_tables_free(tables);
 *     tacho_compiled_close(compiled);
 *
 * A model is ONNX, or MLIR in TOSA or torch-onnx. A compiled model does not change: several threads
 * may get tables or files from it at once. NULL for a required argument is TACHO_CODE_USAGE.
 * Structs of options are set to zero first, as in tacho/convert.h.
 */
#ifndef TACHO_COMPILE_H
#define TACHO_COMPILE_H

#include <tacho/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_compiled tacho_compiled;

/* The size of a dimension that a model leaves open: "N", or "x.0" for the first of input x. */
typedef struct tacho_model_size {
    const char *name;
    int64_t size;
} tacho_model_size;

/* An input that is fixed before compiling: one value for all elements, or all, with commas. */
typedef struct tacho_model_constant {
    const char *name;
    const char *values; /* "16000", "1,2,3", "true" */
} tacho_model_constant;

/* How to compile; all zero is the default. */
typedef struct tacho_compiled_options {
    const char *machine; /* a name that tacho_machines_list has, or the path of a description; NULL:
                            "torq-sl2610" */
    const tacho_model_size *sizes;
    size_t size_count;
    const tacho_model_constant *constants;
    size_t constant_count;
    bool has_random_weights; /* seeded-random weights, also where the model has none */
    bool is_estimate;        /* tables and timeline only: large weights are not read */
    bool ignores_limit;      /* compile it whatever memory its jobs take */
    bool counts_ddr;         /* the program counts traffic to shared memory, per core */
    bool is_tuned;           /* hand-tuned blocking and placement, on machines that support it */
    bool has_zero_weights;   /* zeros for weights that are missing from the model's files */
    uint64_t seed;           /* of random weights */
    const char *dtype;       /* store and compute real numbers as this, "bf16"; NULL: the model's */
    const char *fidelity;    /* multiplication precision, of machines that offer a choice */
    const char *pmu_recipe;  /* counters of the cores: "KernelUtil" and so on; NULL: none */
    uint32_t cores;          /* at most; 0: all */
    uint32_t devices;        /* that operators are spread over; 0: one */
    uint32_t batch;          /* inferences that run as one; 0: one */
    uint32_t stats_level;    /* what the program records: 40 inferences, 50 also ports, 70 also
                                operators, 100 also counters per operator, 1 nothing; 0: 40 */
    /* Optional: called with messages for people. |kind| is "note" or "warning"; |text| is printable
     * and valid until it returns. */
    void (*note)(void *user, const char *kind, const char *text);
    void *user;
    /* Optional: called after each operator, of every number of cores that is tried; false ends the
     * call as TACHO_CODE_CANCELLED. */
    bool (*progress)(void *user, uint64_t done_count, uint64_t total_count);
    const char *grid;       /* "8x4" cores, on machines whose cores form a grid; NULL: by |cores| */
    const char *places;     /* of operands, "in0=l1,in1=dram,out=l1", on machines with a mesh; for
                               estimates alone; NULL: as they fit */
    const char *pmu_events; /* counters of the cores by code, "3F,70,200"; NULL: none */
    uint64_t reserved[4];   /* zero */
} tacho_compiled_options;

/*
 * Reads and compiles |model|. |options| may be NULL. An unknown operator is a warning and
 * costed by its bytes; one with unknown shapes is a failure. Missing weights are a warning:
 * the estimate needs no values, and the program gets seeded-random ones. |*out_compiled| is NULL
 * after a failure.
 */
TACHO_API tacho_status tacho_compiled_open(const char *model, const tacho_compiled_options *options,
                                           tacho_compiled **out_compiled) TACHO_MUST_USE;

/*
 * Tables of the estimate: "operators", one row each with its cycles, MACs, bytes and bottleneck;
 * "total"; "bounds"; "memory"; "metrics" and "cores", the make-up of the program.
 */
TACHO_API tacho_status tacho_compiled_tables(const tacho_compiled *compiled,
                                             tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * Writes the program, which tacho_runner_open and `tacho run` run. The file is replaced as a whole
 * or, on failure, left as it was; the model itself is refused.
 */
TACHO_API tacho_status tacho_compiled_write_program(const tacho_compiled *compiled,
                                                    const char *path) TACHO_MUST_USE;

/*
 * Writes the estimated timeline as a trace. |format| is the name of a trace format; NULL: by the
 * suffix of |path|; or, for machines of Torq, "t1" or "t4", the timelines of Torq's compiler. A
 * suffix .csv is "t1" there, and else an event table for other programs, which tacho does not read.
 */
TACHO_API tacho_status tacho_compiled_write_timeline(const tacho_compiled *compiled,
                                                     const char *path,
                                                     const char *format) TACHO_MUST_USE;

/* Dumps of the compiler's work, as MLIR in generic form. */
typedef enum tacho_compiled_dumps {
    TACHO_DUMPS_PHASES,     /* the model after each phase: MODEL.<n>.<phase>.mlir */
    TACHO_DUMPS_DISPATCHES, /* the last phase of each dispatch, DISPATCH.mlir: debug information for
                               tacho_analyse_annotate */
} tacho_compiled_dumps;

/* Writes them to |folder|, which is created if missing; all of them, or none. */
TACHO_API tacho_status tacho_compiled_write_dumps(const tacho_compiled *compiled,
                                                  tacho_compiled_dumps which,
                                                  const char *folder) TACHO_MUST_USE;

/* Releases it; NULL is allowed. */
TACHO_API void tacho_compiled_close(tacho_compiled *compiled);

#ifdef __cplusplus
}
#endif

#endif
