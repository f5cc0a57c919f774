/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tenstorrent's op table of a program that was just profiled, and the Tracy capture beside it.
 */
#ifndef TACHO_VENDORS_TENSTORRENT_TT_PROFILE_H
#define TACHO_VENDORS_TENSTORRENT_TT_PROFILE_H

#include "session/capture_report.h"

typedef struct tacho_tt_profile {
    const char *path;       /* of the table; its directory exists */
    const char *tracy_path; /* of a Tracy capture of operators; NULL: not wanted */
    bool has_all_columns;   /* see tacho_tt_capture_request */
} tacho_tt_profile;

/* Writes them, as |make_more| of a report; |maker| is a tacho_tt_profile. */
tacho_status tacho_tt_profile_write(const void *maker,
                                    const tacho_profile_report *report) TACHO_MUST_USE;

#endif
