/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person should know of a run, told to its notes: before it, when it was cut short, and of
 * what was written.
 */
#ifndef TACHO_SESSION_RUN_NOTES_H
#define TACHO_SESSION_RUN_NOTES_H

#include "session/run.h"

/* That simulated times are no measurements, and what the device cannot record. */
void tacho_run_say_device(const tacho_run_session *session);

/* Which values are not the model's; where nobody asked for that, a quiet run says it, too. */
void tacho_run_say_weights(const tacho_run_session *session);

/* That it was interrupted, or recorded later than asked for. */
void tacho_run_say_end(const tacho_run_session *session);

/* How many inputs were random, if any; |hints| at how to choose others. */
void tacho_run_say_random(const tacho_run_session *session, bool hints);

/* How many inferences were recorded, where that is not as asked; |has_tables| shows operators. */
void tacho_run_say_samples(const tacho_run_session *session, bool has_tables);

/* "DIR: 3 files of raw stats"; nothing of no files. */
void tacho_run_say_files(const tacho_run_session *session, const char *folder, uint64_t count,
                         const char *what);

#endif
