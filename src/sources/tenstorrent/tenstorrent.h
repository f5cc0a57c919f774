/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of Tenstorrent's profiler (tt-metal, tt-torch).
 */
#ifndef TACHO_SOURCES_TENSTORRENT_TENSTORRENT_H
#define TACHO_SOURCES_TENSTORRENT_TENSTORRENT_H

#include "sources/source.h"

/* Op tables: ops_perf_results*.csv, device_ops_perf_trace.csv, cpp_device_perf_report.csv. */
extern const tacho_source tacho_source_tenstorrent_ops;

#endif
