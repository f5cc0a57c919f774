/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options for reading an input: those of every format, and those that only some formats have. A
 * source lists the latter in a table of its own, and callers set them by name, so adding one does
 * not change this file.
 */
#ifndef TACHO_SOURCES_OPTIONS_H
#define TACHO_SOURCES_OPTIONS_H

#include "base/str.h"
#include "profile/summed_args.h"

typedef enum tacho_source_option_type {
    TACHO_SOURCE_OPTION_COUNT, /* 0: the format's default */
    TACHO_SOURCE_OPTION_FILE,  /* the path of another file that is read, too; empty: none */
    TACHO_SOURCE_OPTION_FLAG,  /* 0 or 1 */
} tacho_source_option_type;

/* An option of one source. */
typedef struct tacho_source_option {
    const char *name; /* a noun: plural of a count ("slices"), singular of a file ("program") */
    tacho_source_option_type type;
} tacho_source_option;

typedef struct tacho_source_choice {
    const tacho_source_option *option;
    uint64_t number; /* of a count or a flag */
    tacho_str path;  /* of a file; it ends with a NUL */
} tacho_source_choice;

enum { TACHO_SOURCE_CHOICES_MAX = 8 };

/* The user's choices; a source uses those that it supports. */
typedef struct tacho_source_options {
    tacho_str clock_mhz; /* of cycle counts; empty for the format's default */
    tacho_args_wanted args;
    tacho_source_choice choices[TACHO_SOURCE_CHOICES_MAX]; /* in the order in which they were set */
    size_t choice_count;
} tacho_source_options;

/* Sets the option that a source has under |name|; 0 and the empty path leave it at its default. */
void tacho_source_options_set_number(tacho_source_options *options, const char *name,
                                     uint64_t number);
void tacho_source_options_set_path(tacho_source_options *options, const char *name, tacho_str path);

/* The value of an option; 0 or empty where it was not set. */
uint64_t tacho_source_options_number(const tacho_source_options *options,
                                     const tacho_source_option *option);
tacho_str tacho_source_options_path(const tacho_source_options *options,
                                    const tacho_source_option *option);

#endif
