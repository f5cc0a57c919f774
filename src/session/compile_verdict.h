/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What limits a run, or an estimate: the analysis that commands on profiles ask, of what the
 * session made itself.
 */
#ifndef TACHO_SESSION_COMPILE_VERDICT_H
#define TACHO_SESSION_COMPILE_VERDICT_H

#include "questions/analysis.h"
#include "profile/profile.h"
#include "session/compilation.h"

/* Hands over verdict and advice on a recorded profile; tables without rows say nothing. */
tacho_status tacho_session_judge_profile(const tacho_profile *profile,
                                         const tacho_table_taker *to) TACHO_MUST_USE;

/* The same on the estimated timeline of a program. */
tacho_status tacho_session_judge_compilation(const tacho_compilation *compilation,
                                             const tacho_table_taker *to) TACHO_MUST_USE;

#endif
