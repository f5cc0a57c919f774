/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of AMD's ROCm: rocpd databases, and the CSV and JSON files of rocprofv3.
 */
#ifndef TACHO_SOURCES_ROCM_ROCM_H
#define TACHO_SOURCES_ROCM_ROCM_H

#include "sources/source.h"

extern const tacho_source tacho_source_rocpd;
extern const tacho_source tacho_source_rocprof_csv;
extern const tacho_source tacho_source_rocprof_json;

#endif
