/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of Ascend NPUs: databases and tables of operators of msprof and torch_npu.
 */
#ifndef TACHO_SOURCES_ASCEND_ASCEND_H
#define TACHO_SOURCES_ASCEND_ASCEND_H

#include "sources/source.h"

extern const tacho_source tacho_source_ascend_db;
extern const tacho_source tacho_source_ascend_csv;

#endif
