/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a summary of raw stats takes from the machine's description.
 */
#ifndef TACHO_VENDORS_QAIC_OPSTATS_MACHINE_H
#define TACHO_VENDORS_QAIC_OPSTATS_MACHINE_H

#include "questions/opstats/opstats.h"

/*
 * Sets products per cycle of |stats| from the machine that its program was compiled for. They stay
 * 0 where that is not to be found: the summary has less then.
 */
void tacho_opstats_take_machine(tacho_opstats *stats);

#endif
