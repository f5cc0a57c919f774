/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests: everything that tacho does, by name. A request has a name ("ops", "convert", "fleet"),
 * options by name with their values as text, and inputs; it gives results: tables, notes and an
 * outcome. The program is a front end of this interface, and so is tacho.request() of Python.
 *
 *     tacho_request *request = NULL;
 *     tacho_results *results = NULL;
 *     tacho_status status = tacho_request_create("ops", &request);
 *     status = status == TACHO_OK ? tacho_request_add_input(request, "trace.json") : status;
 *     status = status == TACHO_OK ? tacho_request_set(request, "top", "5") : status;
 *     status = status == TACHO_OK ? tacho_request_run(request, &results) : status;
 *     ... tacho_results_tables(results) ...
 *     tacho_results_free(results);
 *     tacho_request_free(request);
 *
 * Names of requests and options do not change between versions of one soname; texts of help and
 * notes may. A request is used by one thread at a time.
 */
#ifndef TACHO_REQUEST_H
#define TACHO_REQUEST_H

#include <stdint.h>
#include <tacho/hint.h>
#include <tacho/table.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options --------------------------------------------------------------------------------- */

/* How many values an option has. */
typedef enum tacho_option_takes {
    TACHO_TAKES_ONE,  /* given twice it must have the same value; in drop-ins the last one counts */
    TACHO_TAKES_LIST, /* all words up to the next option, as argparse's nargs='+' */
    TACHO_TAKES_EACH, /* repeatable, and each value counts */
} tacho_option_takes;

/* How a value becomes a member of the request. */
typedef enum tacho_fill_kind {
    TACHO_FILL_NONE,    /* a flag or a text that the request reads by name */
    TACHO_FILL_FLAG,    /* bool: true if the option was given */
    TACHO_FILL_UNFLAG,  /* bool: false if it was given */
    TACHO_FILL_TRUTH,   /* bool: true or false, 1 or 0; true without a value */
    TACHO_FILL_UNTRUTH, /* the opposite */
    TACHO_FILL_TEXT,    /* const char * */
    TACHO_FILL_STRING,  /* a text with its length */
    TACHO_FILL_NUMBER,  /* an integer from |least| to |most| */
    TACHO_FILL_WORD,    /* bool or enum: which of |words| */
} tacho_fill_kind;

typedef struct tacho_fill {
    tacho_fill_kind kind;
    size_t offset, size;      /* of the member, for the library */
    uint64_t least, most;     /* of a word: the number of the first one */
    const char *const *words; /* NULL-terminated; NULL: those that |value| lists, "a|b|c" */
} tacho_fill;

/* Kinds of files that options name as outputs: id, and the name that people know. */
#define TACHO_WRITES_KINDS(X)                                                                      \
    X(PAGE, "a page")                                                                              \
    X(TRACE, "a trace")                                                                            \
    X(TABLE, "a table")                                                                            \
    X(PICTURE, "a picture")                                                                        \
    X(PROGRAM, "a program")                                                                        \
    X(MODEL, "a model")                                                                            \
    X(MACHINE, "a machine description")                                                            \
    X(TENSOR, "a tensor")                                                                          \
    X(PART, "a part of a fleet")                                                                   \
    X(TORQ, "") /* a table in a format of Torq's tools */                                          \
    X(OPS, "")  /* Tenstorrent's table of operators */

enum {
#define TACHO_WRITES_NUMBER(id, name) TACHO_WRITES_NUMBER_##id,
    TACHO_WRITES_KINDS(TACHO_WRITES_NUMBER)
#undef TACHO_WRITES_NUMBER
#define TACHO_WRITES_BIT(id, name) TACHO_WRITES_##id = 1 << TACHO_WRITES_NUMBER_##id,
        TACHO_WRITES_KINDS(TACHO_WRITES_BIT)
#undef TACHO_WRITES_BIT
};

/*
 * An option. In |help| and in messages, "{name}" stands for an option, "{o|output}" for one that a
 * command line may call by its letter, and "{/ops}" for a request; tacho_spelling gives them the
 * form that the caller's users know.
 */
typedef struct tacho_option {
    const char *name; /* "critical-path" */
    char letter;      /* for command lines; 0: none */
    tacho_option_takes takes;
    const char *value; /* placeholder of its value, "N"; NULL: a flag; in brackets: optional */
    const char *help;  /* one sentence without a full stop */
    tacho_fill fill;
    unsigned writes; /* TACHO_WRITES_* that the file of its value may be; 0: it is not an output */
    bool is_front;   /* for front ends: the request itself has no use for it */
} tacho_option;

/* The name of the |index|-th request; NULL past the last. Drop-ins are requests, too. */
TACHO_API const char *tacho_request_name(size_t index);

/* The options of a request, in the order of its help; NULL if there is no request of that name. */
TACHO_API const tacho_option *tacho_request_options(const char *name, size_t *out_count);

/* How users write the names of options and requests. */
typedef struct tacho_spelling {
    const char *option;  /* before a name: "--"; "": none */
    const char *letter;  /* before a letter: "-"; "": letters are not used */
    const char *request; /* before a request: "tacho "; "": none */
    char dash;           /* in names; 0: '-' */
} tacho_spelling;

/*
 * Writes |text| with its braces replaced to |out|, up to |size| bytes with the final NUL, and
 * returns the length of the whole text. |spelling| NULL: names as they are.
 */
TACHO_API size_t tacho_spelling_apply(const tacho_spelling *spelling, const char *text, char *out,
                                      size_t size);

/* ---- asking ---------------------------------------------------------------------------------- */

typedef struct tacho_request tacho_request;
typedef struct tacho_results tacho_results;

/* A message for people: "note", "warning", "wrote", "skipped", "error", or "answer", a line of the
 * answer itself. */
typedef struct tacho_result_note {
    const char *kind;
    const char *text;
    const tacho_hint *hints; /* remedies; TACHO_HINT_NONE ends them */
    uint64_t reserved[4];
} tacho_result_note;

/* How far the work has come. */
typedef struct tacho_request_progress {
    const char *label; /* "reading"; NULL: it is over, or about to print */
    const char *unit;  /* of what is counted; NULL: bytes that are read */
    uint64_t done, total;
    const char *text; /* in place of numbers; NULL: none */
    uint64_t reserved[4];
} tacho_request_progress;

/* Who hears of a request while it runs. All zero is a valid listener: tables stay in results. */
typedef struct tacho_listener {
    /* (optional) */
    void (*note)(void *user, const tacho_result_note *note);
    /* Returns false to stop, if |may_stop|. It may be called by several threads. (optional) */
    bool (*progress)(void *user, const tacho_request_progress *progress);
    /*
     * Whether a file that tacho did not write may be replaced by an output. Without it all files
     * are; with it, outputs are also refused whose suffix belongs to another kind of file.
     * (optional)
     */
    bool (*may_replace)(void *user, const char *path);
    void *user;
    bool may_stop;      /* each row is checked for it */
    const char *output; /* where tables go that no option sends elsewhere: "-"; NULL: nowhere */
    tacho_spelling spelling;
    uint64_t reserved[4];
} tacho_listener;

/* A request by name; an unknown one is TACHO_CODE_NOT_FOUND. */
TACHO_API tacho_status tacho_request_create(const char *name,
                                            tacho_request **out_request) TACHO_MUST_USE;

/* Adds a file, directory, or other plain word, in the order of the request's usage. */
TACHO_API tacho_status tacho_request_add_input(tacho_request *request,
                                               const char *input) TACHO_MUST_USE;

/* Inputs that follow are of the second side, in a request that has two. */
TACHO_API void tacho_request_divide(tacho_request *request);

/* Sets an option; |value| of a flag is NULL. Repeatable options are set once for each value. */
TACHO_API tacho_status tacho_request_set(tacho_request *request, const char *option,
                                         const char *value) TACHO_MUST_USE;

/* |listener| is copied; what it points to outlives the request. */
TACHO_API void tacho_request_listen(tacho_request *request, const tacho_listener *listener);

/*
 * Runs the request, once. |*out_results| is what is known at the end, also after a failure; it is
 * NULL only without memory. It may be NULL if only the status matters.
 */
TACHO_API tacho_status tacho_request_run(tacho_request *request,
                                         tacho_results **out_results) TACHO_MUST_USE;

TACHO_API void tacho_request_free(tacho_request *request);

/* ---- results --------------------------------------------------------------------------------- */

/* How a request ended; the numbers are exit statuses of the program. */
typedef enum tacho_outcome {
    TACHO_OUTCOME_DONE = 0,
    TACHO_OUTCOME_FAILED = 1,
    TACHO_OUTCOME_USAGE = 2,
    TACHO_OUTCOME_LOSSY = 3,         /* done, but some input was damaged or lost */
    TACHO_OUTCOME_GATE = 4,          /* done, and something is worse than the limit allows */
    TACHO_OUTCOME_INCONCLUSIVE = 5,  /* done, and whether it is worse cannot be known */
    TACHO_OUTCOME_NOT_STARTED = 125, /* of a request that runs a program */
    TACHO_OUTCOME_INTERRUPTED = 130,
} tacho_outcome;

/* A tacho_outcome; of a request that runs a program, that program's exit status. */
TACHO_API int tacho_results_outcome(const tacho_results *results);

/* Whether the request failed for an option or input, which its help describes. */
TACHO_API bool tacho_results_is_misuse(const tacho_results *results);

/* The tables, which belong to the results; none if they went to an output instead. */
TACHO_API const tacho_tables *tacho_results_tables(const tacho_results *results);

/* The same, handed over to the caller, who frees them; NULL if that was done before. */
TACHO_API tacho_tables *tacho_results_take_tables(tacho_results *results);

/* The |index|-th message; false past the last. Texts live as long as the results. */
TACHO_API bool tacho_results_note(const tacho_results *results, size_t index,
                                  tacho_result_note *out_note);

TACHO_API void tacho_results_free(tacho_results *results);

#ifdef __cplusplus
}
#endif

#endif
