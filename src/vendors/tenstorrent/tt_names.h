/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Tenstorrent's runtime would call the operators, types and memories of a program, for reports
 * of simulated runs in its form.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_NAMES_H
#define TACHO_VENDORS_TENSTORRENT_TT_NAMES_H

#include "program/program.h"

enum { TT_NAME_MAX = 96 };

/* "MatmulDeviceOperation": by its kind where that is its main work, which may follow a reshape that
 * is fused with it; else by the type of its first step. */
void tt_name_op(const tacho_program *program, const tacho_program_op *op,
                char out_name[TT_NAME_MAX]);

/* "BFLOAT16", "FLOAT32"; our own name in capitals where the vendor has no such type. */
void tt_name_dtype(tacho_dtype dtype, char out_name[TT_NAME_MAX]);

#endif
