/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: profiles as one HTML page, which opens from disk in any current browser: the API of
 * `tacho report`.
 *
 *     const char *paths[] = {"before.pb", "after.pb"};
 *     const tacho_report_options options = {.title = "Before and after"};
 *     tacho_status status = tacho_report_write(paths, 2, "report.html", &options, NULL);
 */
#ifndef TACHO_REPORT_H
#define TACHO_REPORT_H

#include <tacho/profile.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to write it; all zero is the default. */
typedef struct tacho_report_options {
    tacho_view_options input; /* how to read the files, and which of their events to show */
    const char *title;        /* of the page; NULL: after the only file, else "Profiles" */
    bool is_strict;           /* a file or record that cannot be read is a failure */
    /* Optional: called with each file that is left out. |message| has its name and the reason, is
     * printable and valid until it returns. |user| is that of |input|. */
    void (*skipped)(void *user, const char *message);
    uint64_t reserved[6]; /* zero */
} tacho_report_options;

/* The result of a report. */
typedef struct tacho_report_result {
    uint64_t read_count;    /* files on the page */
    uint64_t skipped_count; /* files that could not be read; the page names them, too */
    uint64_t span_count;
    bool has_losses; /* records of files on the page could not be read */
    uint64_t reserved[4];
} tacho_report_result;

/*
 * Writes the page. A path may be a folder, which stands for the files in it; "-" is standard input,
 * or output. Of several files, those that cannot be read are left out; it is a failure if none is
 * left. |options| and |out_result| may be NULL; any other NULL is TACHO_CODE_USAGE. The page
 * is replaced as a whole or, on failure, left as it was. Memory does not grow with the number of
 * events. Safe to call from several threads at once.
 */
TACHO_API tacho_status tacho_report_write(const char *const *paths, size_t path_count,
                                          const char *output_path,
                                          const tacho_report_options *options,
                                          tacho_report_result *out_result) TACHO_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
