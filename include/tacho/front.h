/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For front ends: programs that put requests (tacho/request.h) before people. Names to complete,
 * what a file is, how text is shown on a terminal, and limits of the whole process.
 */
#ifndef TACHO_FRONT_H
#define TACHO_FRONT_H

#include <stdint.h>
#include <tacho/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files ----------------------------------------------------------------------------------- */

typedef enum tacho_file_kind {
    TACHO_FILE_UNKNOWN,
    TACHO_FILE_EMPTY,
    TACHO_FILE_SPECIAL, /* a pipe or a device: what is read from it is gone */
    TACHO_FILE_PACKED,  /* a compressed model or program, which only profiles may be */
    TACHO_FILE_EVENTS,  /* tacho's own table of events, which is written for other programs */
    TACHO_FILE_REPORT,  /* a page of tacho's */
    TACHO_FILE_PART,    /* sums of profiles, which fleets are made of */
    TACHO_FILE_PROGRAM,
    TACHO_FILE_DEBUG, /* debug information of a Torq program, or a directory of it */
    TACHO_FILE_MODEL,
    TACHO_FILE_MACHINE,
    TACHO_FILE_STATS,   /* raw stats of a device */
    TACHO_FILE_RUNTIME, /* a profile that can be annotated */
    TACHO_FILE_PROFILE,
    TACHO_FILE_FOREIGN, /* a format that tacho recognises and does not read */
    TACHO_FILE_PIECE,   /* of a run whose logs are read together */
    TACHO_FILE_LOGS,    /* a directory of those */
    TACHO_FILE_KIND_COUNT,
} tacho_file_kind;

typedef struct tacho_file_facts {
    tacho_file_kind kind;
    const char *detail; /* constant: its format; of PACKED "model" or "program"; NULL: none */
    const char
        *remedy; /* constant, of FOREIGN: what makes a format that tacho reads of it, of "FILE" */
} tacho_file_facts;

/* What the file at |path| is, by its content. A failure is that of opening or reading it. */
TACHO_API tacho_status tacho_front_recognise(const char *path,
                                             tacho_file_facts *out_facts) TACHO_MUST_USE;

/*
 * Whether |path| is a directory whose files are inputs of their own, rather than one input
 * together; then counts them by kind.
 */
TACHO_API tacho_status tacho_front_count_kinds(const char *path, bool *out_is_directory,
                                               size_t counts[TACHO_FILE_KIND_COUNT]) TACHO_MUST_USE;

/* ---- names ----------------------------------------------------------------------------------- */

typedef enum tacho_format_use {
    TACHO_FORMAT_READ,    /* of inputs */
    TACHO_FORMAT_WRITTEN, /* of traces */
    TACHO_FORMAT_TABLE,   /* of tables */
} tacho_format_use;

typedef struct tacho_format_view {
    const char *name;
    const char *title;
    const char *const *suffixes; /* of traces: NULL-terminated; else NULL */
    unsigned limits;             /* of traces: bits of tacho_front_limit */
} tacho_format_view;

/* The |index|-th format; false past the last. */
TACHO_API bool tacho_front_format(tacho_format_use use, size_t index,
                                  tacho_format_view *out_format);

/*
 * The phrase for bit |number| of limits: what the format does not carry; |*out_is_remark|: a remark
 * on the format instead. NULL past the last.
 */
TACHO_API const char *tacho_front_limit(unsigned number, bool *out_is_remark);

/* The name of the |index|-th built-in machine; NULL past the last. */
TACHO_API const char *tacho_front_machine(size_t index);

/* The one of |count| names that is nearest to |typed|; NULL if none is near. */
TACHO_API const char *tacho_front_nearest(const char *typed, const char *const *names,
                                          size_t count);

/* What computes values, such as "oneDNN 2.6.3, instruction set avx2 (...)": up to |size| bytes. */
TACHO_API void tacho_front_kernels(char *text, size_t size);

/* ---- the process ----------------------------------------------------------------------------- */

/*
 * |text| with control characters as escapes, for a terminal: up to |size| bytes with the final NUL.
 * Returns the length of the whole text without it.
 */
TACHO_API size_t tacho_front_printable(const char *text, char *out, size_t size);

/* Whether output to the descriptor |file| is to be coloured. */
TACHO_API bool tacho_front_has_color(int file);

/* "auto", "always" or "never", for this process; TACHO_CODE_USAGE for anything else. */
TACHO_API tacho_status tacho_front_set_color(const char *when) TACHO_MUST_USE;

/*
 * The most memory that the process may hold: "512M", "2G", "none"; NULL: a quarter of the
 * computer's. False if |size| is not a size, or less than 16 MiB.
 */
TACHO_API bool tacho_front_limit_memory(const char *size);

/* Gives memory that is freed back to the system at once, as suits a program that runs one request.
 */
TACHO_API void tacho_front_return_freed(void);

#ifdef __cplusplus
}
#endif

#endif
