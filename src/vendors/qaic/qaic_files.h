/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files that the runner of Qualcomm Cloud AI 100 writes of a run: profiles of several types in
 * one folder, and the values of outputs in another.
 */
#ifndef TACHO_VENDORS_QAIC_QAIC_FILES_H
#define TACHO_VENDORS_QAIC_QAIC_FILES_H

#include "session/run.h"
#include "sinks/qaic/runner.h"

/* Types of profiles, as bits. */
enum {
    TACHO_QAIC_RAW = 1 << 0,     /* "raw_device_stats": for qaic-opstats */
    TACHO_QAIC_STATS = 1 << 1,   /* "stats": summaries */
    TACHO_QAIC_TRACE = 1 << 2,   /* "trace": a Chrome trace */
    TACHO_QAIC_LATENCY = 1 << 3, /* "latency": inference times */
};

typedef struct tacho_qaic_files {
    unsigned types;
    const char *folder;     /* of profiles */
    const char *output_dir; /* of values, or NULL */
    tacho_run_qaic qaic;    /* what is taken of each inference; to be deinitialised */
} tacho_qaic_files;

/* The bit of a type; 0 for any other word. */
unsigned tacho_qaic_file_type(const char *name);

/* Whether they are made of what a device records. */
bool tacho_qaic_files_need_stats(const tacho_qaic_files *files);

/* Asks a run for what the files need. |files| outlive it. */
void tacho_qaic_files_ask(tacho_qaic_files *files, tacho_run_request *request);

/* Writes what the run has not written itself; names lie in |arena|. */
tacho_status tacho_qaic_files_write(const tacho_qaic_files *files, tacho_run_session *session,
                                    tacho_arena *arena) TACHO_MUST_USE;

/* Tells the notes of the run what was written. */
void tacho_qaic_files_say(const tacho_qaic_files *files, const tacho_run_session *session);

#endif
