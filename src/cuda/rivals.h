/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that profile their GPU themselves, as torch.profiler does. CUPTI has room for one: the
 * second subscriber is refused, and the second to register gets the other's buffers and drops them.
 * So such calls of the program are noticed just before they happen, and its requests are counted:
 * when none is left, CUPTI is ours again.
 */
#ifndef TACHO_CUDA_RIVALS_H
#define TACHO_CUDA_RIVALS_H

#include "cuda/cupti.h"

/* Actions just before the program's own call. */
typedef struct tacho_cu_rival_actions {
    bool (*make_way)(void);  /* it asks for records; whether ours had its place until now */
    void (*hang_up)(void);   /* it subscribes to calls */
    void (*forget)(void);    /* it takes CUPTI down, with our requests ... */
    void (*come_back)(void); /* ... and has done so */
} tacho_cu_rival_actions;

/*
 * Watches what libraries that are loaded by now ask of CUPTI. Those that ask the loader for its
 * functions (dlsym) are not seen.
 */
void tacho_cu_rivals_watch(const tacho_cupti *cupti, const tacho_cu_rival_actions *actions);

/*
 * Times of records are CUPTI's again, if the program had given it a clock of its own; that returns
 * with the program's records.
 */
void tacho_cu_rivals_restore_clock(void);

/*
 * Whether the program wants no records, and has not used CUPTI for |quiet_ns|, or for |down_ns| if
 * its last call took CUPTI down: then it is surely done, but may still be in the callback that it
 * did so from.
 */
bool tacho_cu_rivals_are_done(uint64_t quiet_ns, uint64_t down_ns);

/* Whether the program is subscribed to calls. */
bool tacho_cu_rivals_listen(void);

#endif
