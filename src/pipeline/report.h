/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One page of many profiles: each file is read once and added; one that cannot be read is named on
 * the page, and the rest goes on.
 */
#ifndef TACHO_PIPELINE_REPORT_H
#define TACHO_PIPELINE_REPORT_H

#include "base/notes.h"
#include "pipeline/input_list.h"
#include "pipeline/intake.h"

struct tacho_report;

typedef struct tacho_page_request {
    tacho_intake intake; /* options, progress; inputs are filled in one by one */
    const tacho_selection *selection;
    const tacho_source *source;    /* of all files; NULL: recognised */
    const struct tacho_roof *roof; /* of the machine, for a roofline (optional) */
    const char *output_path, *title;
    bool is_strict;   /* a file that cannot be read, or a loss, is a failure */
    bool says_inputs; /* what was read of each file */
    const tacho_notes *notes;
    const tacho_notes *remarks; /* of what is good to know and no loss (optional) */
    /*
     * Told why a file is skipped, and may add to it; the status stays the caller's. (optional) And
     * told before anything is said, so that a line of progress can be removed. (optional)
     */
    tacho_status (*explain)(void *user, tacho_status status, const tacho_intake *only);
    void (*skip)(void *user, tacho_status status);
    void (*pause)(void *user);
    void *user;
    /* What else the page holds, ahead of its profiles, which it may then be without. (optional) */
    tacho_status (*lead)(void *leader, struct tacho_report *report);
    void *leader;
} tacho_page_request;

typedef struct tacho_page_result {
    size_t read_count, skipped_count; /* files */
    uint64_t span_count;
    bool has_losses;
} tacho_page_result;

/* The title of a page that was not given one: the name of its only file. */
const char *tacho_page_default_title(const tacho_input_list *list);

/* Writes the page. */
tacho_status tacho_page_write(tacho_page_request *request, const tacho_input_list *list,
                              tacho_page_result *out_result) TACHO_MUST_USE;

#endif
