/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of a fleet: ranks as a picture, and the profile of each rank, in the page where all of
 * them are small, else in a page of its own beside it.
 */
#ifndef TACHO_PIPELINE_FLEET_PAGE_H
#define TACHO_PIPELINE_FLEET_PAGE_H

#include "questions/fleet/fleet_matrix.h"
#include "pipeline/fleet.h"
#include "pipeline/report.h"

/* Profiles with more spans together are in pages of their own. */
enum { TACHO_FLEET_PAGE_SPANS = 1 << 21 };

typedef struct tacho_fleet_page {
    tacho_fleet_job *job; /* its sections are set here */
    const tacho_fleet_options *tables;
    tacho_page_request *page;
    bool is_split;      /* pages of their own, however small */
    tacho_fleet *fleet; /* empty; what was read */
    /* What came of it. */
    tacho_page_result result;
    size_t rank_count;
    size_t problem_count; /* of files */
    size_t page_count;    /* pages beside it */
} tacho_fleet_page;

/* Reads all files, and writes the page. */
tacho_status tacho_fleet_page_write(tacho_fleet_page *page) TACHO_MUST_USE;

#endif
