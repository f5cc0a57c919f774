/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of Tenstorrent's profiler (tt-metal, tt-torch).
 */
#ifndef TACHO_SOURCES_TENSTORRENT_LOG_H
#define TACHO_SOURCES_TENSTORRENT_LOG_H

#include "sources/source.h"

/* The device log, profile_log_device.csv. */
extern const tacho_source tacho_source_tenstorrent_log;

/* A folder of logs, as tt_log_set_is_folder defines it. The name of the input is its path. */
extern const tacho_source tacho_source_tenstorrent_set;

#endif
