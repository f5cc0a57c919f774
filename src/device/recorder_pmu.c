/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters.
 */
#include "device/recorder_parts.h"

void tacho_recorder_fill_counters(tacho_recorder *recorder, const tacho_recording *recording)
{
    (void)recorder;
    (void)recording;
}
