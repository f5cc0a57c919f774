/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that share the work of a kernel, as many parts of it as there are threads. A part goes to
 * whoever comes first, the calling thread included: where the others are late, because they slept
 * or the computer is busy, it works off all parts and waits for nobody. The result is the same,
 * since parts are what they are whoever does them.
 *
 * Threads wait for the next work in a short loop and then sleep. Those that make the caller wait,
 * since the system has put them aside in the middle of a part, are not woken for a while.
 */
#ifndef TACHO_KERNELS_TEAM_H
#define TACHO_KERNELS_TEAM_H

#include <stdbool.h>

typedef struct tacho_team tacho_team;

/* A team of |threads|, the calling one included, or as many as the system gives; NULL when memory
 * is short. */
tacho_team *tacho_team_create(unsigned threads);
unsigned tacho_team_size(const tacho_team *team);
void tacho_team_free(tacho_team *team); /* also NULL; ends its threads */

/*
 * Calls |work| |parts| times; it learns which part it is from tacho_team_part. With more parts than
 * threads, without a team and within work it calls work once, as part 0 of 1. Invalid operations
 * (kernels/invalid.h) of all threads are noted in the calling one.
 */
void tacho_team_run(tacho_team *team, void (*work)(void *data), void *data, unsigned parts);

/* Of the work that the calling thread is at: which part, and of how many. 0 of 1 elsewhere. */
unsigned tacho_team_part(void);
unsigned tacho_team_parts(void);
bool tacho_team_is_working(void);

/* Waits within work until all its parts have come here: each then has a thread of its own. */
void tacho_team_wait(void);

#endif
