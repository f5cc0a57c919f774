/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run as a client of 'tacho profile': each recorded inference is reported operator by operator,
 * with its times on this computer and on the device.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_RUN_CLIENT_H
#define TACHO_VENDORS_TENSTORRENT_RUN_CLIENT_H

#include "session/run_observer.h"

/* Observes nothing where no collector listens, or it asks for less than operators. */
extern const tacho_run_observer tacho_run_client;

#endif
