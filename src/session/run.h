/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run: module, device, inputs, then inferences, some of which are recorded. Shared by tacho run
 * and the drop-in names that run.
 *
 *     run_request  completes what the caller leaves open
 *     open         run_device, run_inputs and run_values, run_module: a loaded program
 *     go           inferences; run_rescue writes what was recorded should an interrupt end them
 *     recording    run_stats -> run_profile -> run_tables -> run_report; run_outputs, run_file
 *     close
 *
 * run_job.h puts these in the order of one tool, and run_notes.h has their messages.
 *
 * An interrupt (Ctrl-C) ends the inferences after the one that runs; what was recorded stays, and
 * the caller goes on with it. What further ones do is in session/run_rescue.h.
 */
#ifndef TACHO_SESSION_RUN_H
#define TACHO_SESSION_RUN_H

#include "base/input.h"
#include "device/device.h"
#include "remote/remote.h"
#include "session/run_inputs.h"
#include "session/run_module.h"
#include "session/run_rescue.h"
#include "session/run_observer.h"

enum { TACHO_RUN_ITERATIONS_MAX = 10000000 };

/* Which inferences are recorded: |count| from iteration |start| on, and when |delay_ms| of the
 * device's time have passed; the last ones where that never happens. */
typedef struct tacho_run_sampling {
    uint64_t count;
    uint64_t start;
    int64_t delay_ms;
} tacho_run_sampling;

typedef struct tacho_run_request {
    const char *path;   /* program or model */
    const char *device; /* "sim:aic100" */
    tacho_device_options device_options;
    tacho_remote_options board; /* where that device is; |host| NULL: on this computer */
    tacho_run_compile compile;
    const char *function; /* NULL: not checked */
    const char *const *inputs;
    size_t input_count;
    uint64_t seed; /* of inputs that are not given */
    uint64_t iterations;
    tacho_run_sampling sampling;
    const char *stats_dir;      /* where raw stats go; NULL: nowhere */
    bool makes_stats_dir;       /* where it is not there */
    bool keeps_stats_in_memory; /* that folder is checked, and others write there */
    /*
     * Records that are held in memory at most, beside the first inference's; what is recorded later
     * is written, given to |take| and forgotten. 0: all of them are held.
     */
    uint64_t held_bytes_max;
    /* Optional: sees each inference that was recorded; the records are good until it returns. */
    tacho_status (*take)(void *taker, const tacho_program *program, const tacho_run_sample *sample);
    void *taker;
    /* Optional: sees every inference, recorded or not; a failure ends the run. */
    tacho_status (*see)(void *seer, const tacho_run_sample *sample, int64_t latency_ns,
                        bool is_recorded);
    void *seer;
    const tacho_run_observer *observer; /* optional */
    bool leaves_signals; /* interrupts are the caller's, who may be a stranger's program */
    bool is_quiet;       /* of what is said, warnings alone */
    const tacho_notes *notes;
    /* Inputs are handed over, and outputs read, at each inference, and samples say how long. */
    bool moves_values;
} tacho_run_request;

/* What tables may hold of records: hundreds of inferences of a network of usual size. */
enum { TACHO_RUN_HELD_BYTES = 16 << 20 };

typedef struct tacho_run_session {
    const tacho_run_request *request;
    tacho_run_module module;
    tacho_device *device;
    tacho_arena arena;
    tacho_arena records; /* of samples; emptied by the next run */
    tacho_run_totals totals;
    int64_t open_ns; /* when it was opened, in its time: that of the first, or 0 simulated */
    tacho_run_inputs inputs;
    tacho_output_place *places; /* of the program and of files of inputs, then of outputs */
    size_t place_count, place_capacity;
    size_t read_count;         /* of them, those that are read */
    tacho_run_sample *samples; /* the first that were recorded: those that are held */
    size_t sample_count, sample_capacity;
    uint64_t held_bytes; /* of their records */
    uint64_t stats_file_count;
    bool is_decided;         /* values of inputs decided what the program is ... */
    bool has_new_inputs;     /* ... and some are others by now */
    bool is_late;            /* the delay had not passed: the last inferences were recorded */
    bool is_interrupted;     /* not all iterations ran */
    void *observer;          /* of the request; NULL: it does not observe */
    tacho_run_rescue rescue; /* who writes what was recorded should a second interrupt come */
} tacho_run_session;

/* Close it even after a failure. */
tacho_status tacho_run_open(tacho_run_session *session,
                            const tacho_run_request *request) TACHO_MUST_USE;

/*
 * Gives input |index| a value, which is copied, in place of the one it has. Another type or shape
 * than the program's is USAGE, and so is any value where none are computed.
 */
tacho_status tacho_run_set_input(tacho_run_session *session, size_t index,
                                 const tacho_array *value) TACHO_MUST_USE;

/*
 * Runs the inferences; |progress|, which may be NULL, is told how many are done. What was recorded
 * by a run before is forgotten. A model whose control flow or sizes follow from values is compiled
 * again if inputs that were set decide otherwise: program and device are others then.
 */
tacho_status tacho_run_go(tacho_run_session *session,
                          const tacho_progress *progress) TACHO_MUST_USE;

void tacho_run_close(tacho_run_session *session);

/*
 * Whether a file can be written to |path|, which is borrowed, and is neither the program, nor an
 * input, nor another output: said before inferences run rather than after. Pipes and devices are
 * not asked; NULL is fine.
 */
tacho_status tacho_run_check_output(tacho_run_session *session, const char *path) TACHO_MUST_USE;

/* The same for a name that the user did not type; |mark|: see tacho_output_open_chosen. */
tacho_status tacho_run_check_chosen_output(tacho_run_session *session, const char *path,
                                           const char *mark) TACHO_MUST_USE;

/* What there is of it for analyses and sinks; good until the session runs again or is closed. */
tacho_recording tacho_run_recording(const tacho_run_session *session);

static inline tacho_str tacho_run_string(const tacho_run_session *session, uint32_t id)
{
    return tacho_strings_get(&session->module.program.strings, id);
}

#endif
