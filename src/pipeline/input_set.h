/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inputs of a request, from the paths that a person or a program names: a directory stands for
 * the files in it, and those of them that are not profiles are left out.
 */
#ifndef TACHO_PIPELINE_INPUT_SET_H
#define TACHO_PIPELINE_INPUT_SET_H

#include "pipeline/input_list.h"
#include "pipeline/intake.h"

typedef struct tacho_input_set {
    tacho_input_list list;
    tacho_intake_input *inputs; /* one per path of |list| */
    const char *const *paths;   /* as they were named */
    size_t path_count;
    size_t skipped_count; /* files of directories that are left out */
} tacho_input_set;

/* What paths mean. */
typedef struct tacho_input_set_options {
    const char *output_path; /* not an input, although it may lie in a directory; or NULL */
    bool (*is_whole)(const char *path);  /* a directory that is one input (optional: none is) */
    bool keeps_empty;                    /* so is one without files; else it is refused */
    const tacho_source *source;          /* NULL: recognise by content */
    const tacho_source *const *accepted; /* NULL: any format */
} tacho_input_set_options;

/* Whom to tell about a file that is left out; owns |status|, which says why. */
typedef struct tacho_input_skips {
    void (*skip)(void *user, const tacho_intake_input *input, tacho_status status);
    void *user;
} tacho_input_skips;

/*
 * Fills |out_intake| with the inputs that |paths| stand for; the paths outlive the set. Close it
 * even after a failure.
 */
tacho_status tacho_input_set_open(tacho_input_set *set, const char *const *paths, size_t path_count,
                                  const tacho_input_set_options *options,
                                  tacho_intake *out_intake) TACHO_MUST_USE;
void tacho_input_set_close(tacho_input_set *set);

/* Skips symbolic links that lead out of their directories. */
void tacho_input_set_skip_links(tacho_input_set *set, const tacho_input_skips *to);

/*
 * Of the files of directories, skips those that cannot be opened or have no known format. A failure
 * when no input is left.
 */
tacho_status tacho_input_set_skip_strangers(tacho_input_set *set, const tacho_input_skips *to,
                                            tacho_intake *intake) TACHO_MUST_USE;

#endif
