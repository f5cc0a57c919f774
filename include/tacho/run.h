/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running models: a program, or a model that is compiled first, on a device, with input and output
 * values and a profile of the run: the API of `tacho run`.
 *
 *     const tacho_runner_options options = {.device = "cpu"};
 *     tacho_runner *runner = NULL;
 *     tacho_tables *tables = NULL;
 *     tacho_value_view x = {.dtype = "f32", .rank = 2, .dims = {1, 4}, .data = numbers,
 *                           .byte_count = sizeof(numbers)};
 *     tacho_value_view y;
 *     tacho_status status = tacho_runner_open("model.onnx", &options, &runner);
 *     if (status == TACHO_OK) status = tacho_runner_set_input(runner, 0, &x);
 *     if (status == TACHO_OK) status = tacho_runner_go(runner, NULL);
 *     if (status == TACHO_OK) status = tacho_runner_output(runner, 0, &y);
 *     if (status == TACHO_OK) status = tacho_runner_tables(runner, &tables);
 *     ...
 *     tacho_tables_free(tables);
 *     tacho_runner_close(runner);
 *
 * Devices: "sim" simulates the machine that a program was compiled for, "sim:aic100" a named one;
 * "cpu" runs and measures operators on this computer; "null" does nothing. Except for "null",
 * values are computed on this computer. A model is compiled for the device's machine.
 *
 * One thread at a time may use a runner, several threads may use several. The library sets no
 * signal handlers: to stop a run, return false from its progress callback. NULL for a required
 * argument is TACHO_CODE_USAGE. Structs of options are set to zero first, as in tacho/convert.h.
 */
#ifndef TACHO_RUN_H
#define TACHO_RUN_H

#include <tacho/compile.h>
#include <tacho/table.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacho_runner tacho_runner;

/* How to run; all zero is the default. */
typedef struct tacho_runner_options {
    const char *device; /* NULL: "sim" */
    /*
     * How a model is compiled; ignored for a program, except for |note|. The device selects the
     * machine: |machine| stays NULL. A stats level of 0 means 70 here: operators are recorded.
     */
    tacho_compiled_options compile;
    uint32_t activations;     /* copies of the program, each on its own cores; 0: one */
    uint32_t threads;         /* of this computer that compute values; 0: one */
    bool reference_kernels;   /* the same bits on every computer, but slow */
    bool skips_values;        /* simulate time only, without outputs */
    bool is_unlimited;        /* simulate without contention */
    bool ignores_limit;       /* run a program of any amount of work */
    uint64_t seed;            /* of inputs that are not set */
    const char *stats_folder; /* also write raw stats of recorded inferences there; NULL: do not */
    /*
     * Another computer that the device is on: [USER@]HOST, or a name of the user's ssh
     * configuration; NULL: this one. The user's ssh carries everything. See docs/remote.md.
     */
    const char *host;
    const char *board_path;    /* of the runtime there, from the home directory on; NULL: default */
    const char *board_runtime; /* the file here; NULL: the one installed for its processor */
    uint64_t board_wait_s;     /* how long to wait while others use it; 0: fail at once */
    uint64_t board_timeout_s;  /* how long it may be silent; 0: 60 s, or 150 s to log in */
    uint64_t reserved[3];      /* zero */
} tacho_runner_options;

/*
 * Opens a program or a model on a device. Inputs are seeded-random until they are set. A model
 * whose weights are missing is NOT_FOUND, unless |compile.has_random_weights|,
 * |compile.has_zero_weights| or |skips_values| is set. |options| may be NULL; its pointers need not
 * outlive the call, but |compile.note| is called until the runner is closed. While it waits for a
 * board, |compile.progress| is called now and then with 0 of 0; false gives up. |*out_runner| is
 * NULL after a failure.
 */
TACHO_API tacho_status tacho_runner_open(const char *path, const tacho_runner_options *options,
                                         tacho_runner **out_runner) TACHO_MUST_USE;

/* Releases it; NULL is allowed. */
TACHO_API void tacho_runner_close(tacho_runner *runner);

/* The connection of a runner to another computer. Texts are good until the runner is closed. */
typedef struct tacho_runner_board {
    const char *host;
    const char *machine;   /* its processor, as `uname -m` names it */
    const char *path;      /* of the runtime there */
    uint64_t pushed_bytes; /* of the runtime that was copied; 0: it was there already */
    int64_t wall_ns;       /* from connecting to the last answer, by the clock here */
    int64_t board_ns;      /* from the start of the runtime to that, by the clock there */
    int64_t wait_ns;       /* for others who used the board; not part of either of the two */
    uint64_t reserved[3];
} tacho_runner_board;

/* False where the device is on this computer, or for NULL. */
TACHO_API bool tacho_runner_get_board(const tacho_runner *runner, tacho_runner_board *out_board);

/* ---- values ------------------------------------------------------------------------------- */

#define TACHO_VALUE_RANK_MAX 8

/* A tensor: elements in a row, the last dimension the fastest, little-endian. */
typedef struct tacho_value_view {
    const char *name;  /* of the input or output; ignored when a value is set */
    const char *dtype; /* "f32", "f16", "i8", "u8", "i64", "bool" and so on */
    uint32_t rank;
    int64_t dims[TACHO_VALUE_RANK_MAX];
    const void *data; /* NULL where only the shape is known */
    size_t byte_count;
    uint64_t reserved[4];
} tacho_value_view;

/* How many inputs and outputs there are; 0 for NULL. */
TACHO_API size_t tacho_runner_input_count(const tacho_runner *runner);
TACHO_API size_t tacho_runner_output_count(const tacho_runner *runner);

/* Name, type, shape and size of an input; false past the last one. */
TACHO_API bool tacho_runner_input(const tacho_runner *runner, size_t index,
                                  tacho_value_view *out_input);

/*
 * Name, type, shape and size of an output, known before the first inference; false past the last
 * one. A shape that follows from values is that of the current inputs, until tacho_runner_go
 * compiles the model for others.
 */
TACHO_API bool tacho_runner_output_kind(const tacho_runner *runner, size_t index,
                                        tacho_value_view *out_output);

/*
 * Sets an input, which keeps its value until it is set again; the elements are copied. A model may
 * have branches, numbers of steps or sizes that follow from values: when inputs change them, the
 * next tacho_runner_go compiles it again.
 */
TACHO_API tacho_status tacho_runner_set_input(tacho_runner *runner, size_t index,
                                              const tacho_value_view *value) TACHO_MUST_USE;

/*
 * The value of an output after the last inference; good until the next one or close. USAGE before
 * the first, or where values are skipped.
 */
TACHO_API tacho_status tacho_runner_output(const tacho_runner *runner, size_t index,
                                           tacho_value_view *out_output) TACHO_MUST_USE;

/* ---- inferences --------------------------------------------------------------------------- */

/* One inference that has ended. */
typedef struct tacho_inference {
    uint64_t number;    /* from 0 on */
    int64_t latency_ns; /* of the device's time, which "sim" simulates */
    int64_t cycles;     /* of the core clock; -1: not known */
    bool is_recorded;
    uint64_t reserved[4];
} tacho_inference;

/* How many inferences, and which are recorded; all zero is the default: one, recorded. */
typedef struct tacho_runner_plan {
    uint64_t inference_count; /* 0: one */
    uint64_t recorded_count;  /* 0: one */
    uint64_t first_recorded;  /* number of the first; 0: the first of all, but the second of several
                                 on a device that measures, where the first is slow */
    bool omits_records;       /* nothing is recorded */
    /* Optional: called after each inference; false ends the run as TACHO_CODE_CANCELLED. While a
     * board is waited for it is also called now and then, with 0 of 0: then false also ends the
     * connection. */
    bool (*progress)(void *user, uint64_t done_count, uint64_t total_count);
    /* Optional: called with each inference. */
    void (*result)(void *user, const tacho_inference *inference);
    void *user;
    uint64_t delay_ms;    /* record from this much device time on, at the latest the last ones */
    uint64_t reserved[5]; /* zero */
} tacho_runner_plan;

/*
 * Runs inferences. Records of an earlier call are discarded. |plan| may be NULL. After a run that
 * was cancelled or failed, tables and profile are of the inferences that ended. A model whose
 * branches, steps or sizes follow from values is compiled again, with a note, if its inputs now
 * decide them differently than those it was compiled with; a program is not compiled, and fails.
 */
TACHO_API tacho_status tacho_runner_go(tacho_runner *runner,
                                       const tacho_runner_plan *plan) TACHO_MUST_USE;

/* ---- results ------------------------------------------------------------------------------ */

/*
 * Tables of the last tacho_runner_go: "run" (what ran where), "latency", "overview" (how busy the
 * engines were), "ops" (operators of all recorded inferences), "blocks" (times of the blocks that
 * the host starts and waits for, if the program has any), and if operators were recorded "compare"
 * (each beside its estimate). Tables without records are absent. USAGE before the first run.
 */
TACHO_API tacho_status tacho_runner_tables(tacho_runner *runner,
                                           tacho_tables **out_tables) TACHO_MUST_USE;

/*
 * Writes a trace of the recorded inferences. |format| is the name of a trace format; NULL: by the
 * suffix of |path|; or, for programs of Torq, "r0", "r1" or "r2", the profiles of Torq's runtime.
 * UNSUPPORTED without records.
 */
TACHO_API tacho_status tacho_runner_write_profile(const tacho_runner *runner, const char *path,
                                                  const char *format) TACHO_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
