/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take turns. Each reads a lot of lines and parses it by itself, with memory that no
 * other processor has touched; then, in the order of the file, each has its rows taken. The rows
 * taken, and their order, are the same as with one thread.
 */
#ifndef TACHO_SOURCES_TORQ_TORQ_TURNS_H
#define TACHO_SOURCES_TORQ_TORQ_TURNS_H

#include "sources/torq/torq_rows.h"

/* Whether there is a second processor, a large enough file, and a taker for several threads. */
bool torq_turns_are_worth(const tacho_input *input, const torq_rows_format *format);

/* torq_rows_read with several threads, or with fewer if they cannot be started. */
tacho_status torq_turns_read(tacho_input *input, const torq_rows_format *format) TACHO_MUST_USE;

#endif
