/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a file is, told by its content: so that people learn what can be done with it.
 */
#ifndef TACHO_API_FILE_KIND_H
#define TACHO_API_FILE_KIND_H

#include "base/status.h"

typedef enum tacho_file_kind {
    TACHO_FILE_UNKNOWN,
    TACHO_FILE_EMPTY,
    TACHO_FILE_SPECIAL, /* a pipe or a device: what is read from it is gone */
    TACHO_FILE_PACKED,  /* a compressed model or program, which only profiles may be */
    TACHO_FILE_EVENTS,  /* tacho's own table of events, which is written for other programs */
    TACHO_FILE_REPORT,  /* a page of tacho's */
    TACHO_FILE_PART,    /* sums of profiles, which fleets are made of */
    TACHO_FILE_PROGRAM,
    TACHO_FILE_DEBUG, /* debug information of a Torq program, or a folder of it */
    TACHO_FILE_MODEL,
    TACHO_FILE_MACHINE,
    TACHO_FILE_STATS,   /* raw stats of a device */
    TACHO_FILE_RUNTIME, /* a profile that can be annotated */
    TACHO_FILE_PROFILE,
    TACHO_FILE_FOREIGN, /* a format that tacho recognises and does not read */
    TACHO_FILE_PIECE,   /* of a run whose logs are read together */
    TACHO_FILE_LOGS,    /* a folder of those */
    TACHO_FILE_KIND_COUNT,
} tacho_file_kind;

typedef struct tacho_file_facts {
    tacho_file_kind kind;
    const char *detail; /* constant: its format; of PACKED "model" or "program"; NULL: none */
    const char *remedy; /* constant, of FOREIGN: as in tacho_known_format */
} tacho_file_facts;

/*
 * Looks at |path|, which is a folder only where its files are one input: debug information, or the
 * logs of a run. A failure is that of opening or reading it.
 */
tacho_status tacho_file_recognise(const char *path, tacho_file_facts *out_facts) TACHO_MUST_USE;

#endif
