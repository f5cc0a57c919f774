/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hints: the remedy for a failure or a note, by name rather than in words. A program has an option
 * for it, a library a field of a struct; so the library only names the hint, and the code that
 * prints the message adds its own words (cli/hints.c), or none.
 */
#ifndef TACHO_HINT_H
#define TACHO_HINT_H

typedef enum tacho_hint_id {
    TACHO_HINT_NONE,
    TACHO_HINT_FORCE_COMPILE,      /* compile it in spite of a limit */
    TACHO_HINT_FORCE_RUN,          /* run it in spite of a limit */
    TACHO_HINT_FORCE_OR_NO_VALUES, /* that, or compute no values */
    TACHO_HINT_TIMES_ALONE,        /* simulate it without values */
    TACHO_HINT_REFERENCE_KERNELS,  /* compute without the fast kernels */
    TACHO_HINT_SIZE,               /* give a dimension a size: "NAME=SIZE", one hint for each */
    TACHO_HINT_SIZES,              /* give symbolic dimensions sizes */
    TACHO_HINT_BATCH,              /* run several inferences as one */
    TACHO_HINT_FIX_INPUT,          /* make an input a constant: "NAME" */
    TACHO_HINT_GIVE_VALUES,        /* give inputs, or run it, as it depends on values */
    TACHO_HINT_GIVE_INPUT,         /* give an input: its value, one hint for each */
    TACHO_HINT_STRICT,             /* it failed because losses were to be failures */
    TACHO_HINT_STRICT_HEALTH,      /* the same, of files of a fleet: "it" or "them" */
    TACHO_HINT_MACHINES,           /* which machines there are */
    TACHO_HINT_FORMATS,            /* which formats there are */
    TACHO_HINT_NAME_FORMAT,        /* name the format of an input */
    TACHO_HINT_CHOOSE_FORMAT,      /* the same, where it could be two */
    TACHO_HINT_WRITE_TRACE,        /* write a trace rather than a table */
    TACHO_HINT_NAME_PROGRAM,       /* name the program that recorded raw stats */
    TACHO_HINT_COMPILE_PROGRAM,    /* how to make programs */
    TACHO_HINT_ALL_ROWS,           /* show rows that were left out */
    TACHO_HINT_TRACK_CLASS,        /* show spans of a class of tracks */
    TACHO_HINT_RECORD_OPERATORS,   /* compile a program so that operators are recorded */
    TACHO_HINT_SELECTION,          /* parts of an input that could be selected */
    TACHO_HINT_SEED,               /* choose other random inputs: the seed of these */
    TACHO_HINT_MORE_INFERENCES,    /* run more of them */
    TACHO_HINT_SIGNPOSTS,          /* choose another window of signposts, or none */
    TACHO_HINT_BOARD_RUNTIME,      /* name the runtime that goes to a board */
    TACHO_HINT_BOARD_WAIT,         /* wait for others who use a board */
    TACHO_HINT_BOARD_TIMEOUT,      /* wait longer for an answer of a board */
    TACHO_HINT_FIT,                /* name the numbers to fit */
    TACHO_HINT_FIT_ONLY,           /* fit these: their paths */
    TACHO_HINT_BY_OPERATOR,        /* compare operators of the framework rather than kernels */
    TACHO_HINT_RUN,                /* choose one run of several */
    TACHO_HINT_WEIGHTS,            /* ask for made-up values where a model has none */
    TACHO_HINT_MEMORY,             /* allow more memory */
    TACHO_HINT_COUNT,
} tacho_hint_id;

typedef struct tacho_hint {
    tacho_hint_id id;
    const char *detail; /* the argument that the list above names; "" for none */
} tacho_hint;

#endif
