/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands as tables: a verb's options, help text and man page all come from one constant
 * struct, so they cannot disagree.
 */
#ifndef TACHO_CLI_COMMAND_H
#define TACHO_CLI_COMMAND_H

#include "base/attributes.h"
#include "base/status.h"
#include "base/str.h"

#include <stddef.h>

/* Exit codes of every verb. */
enum {
    TACHO_EXIT_DONE = 0,
    TACHO_EXIT_FAILED = 1,
    TACHO_EXIT_USAGE = 2,
    TACHO_EXIT_LOSSY = 3,         /* done, but some input was damaged or lost */
    TACHO_EXIT_GATE = 4,          /* done, and something is worse than the limit allows */
    TACHO_EXIT_INCONCLUSIVE = 5,  /* done, and it cannot be told whether */
    TACHO_EXIT_NOT_STARTED = 125, /* of a command that runs a program */
    TACHO_EXIT_INTERRUPTED = 130, /* as a shell says it */
};

/* How many values an option has. */
typedef enum tacho_option_takes {
    TACHO_TAKES_ONE,  /* given twice it must say the same; drop-ins take the last */
    TACHO_TAKES_LIST, /* all words up to the next option, as argparse's nargs='+' */
    TACHO_TAKES_EACH, /* it is repeatable, and each value counts */
} tacho_option_takes;

/* What becomes of an option: which member of the command's own struct it sets, and how. */
typedef enum tacho_fill_kind {
    TACHO_FILL_NONE,    /* the command looks itself */
    TACHO_FILL_FLAG,    /* bool: true where the option was given */
    TACHO_FILL_UNFLAG,  /* bool: false where it was given */
    TACHO_FILL_TRUTH,   /* bool: true or false, 1 or 0; true without a value */
    TACHO_FILL_UNTRUTH, /* the other way round */
    TACHO_FILL_TEXT,    /* const char * */
    TACHO_FILL_STRING,  /* tacho_str */
    TACHO_FILL_NUMBER,  /* a whole number from |least| to |most| */
    TACHO_FILL_WORD,    /* bool or enum: which of |words| */
} tacho_fill_kind;

typedef struct tacho_fill {
    tacho_fill_kind kind;
    size_t offset, size;      /* of the member */
    uint64_t least, most;     /* of a word: what the first one is */
    const char *const *words; /* NULL-terminated; NULL: those that |value| lists, "a|b|c" */
} tacho_fill;

/* Kinds of files that options name as outputs, for cli/output_guard: id, what people call it. */
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

typedef struct tacho_option {
    const char *name; /* without dashes */
    char letter;      /* 0 for none */
    tacho_option_takes takes;
    const char *value; /* its name in help, NULL for a flag; in brackets: may be left out */
    const char *help;  /* one sentence, no full stop */
    tacho_fill fill;
    unsigned writes; /* TACHO_WRITES_* that the file of its value may be; 0: it is not an output */
} tacho_option;

/* Rows of a table of options; the help may be followed by what the option fills. */
#define TACHO_OPT_FLAG(name_, letter_, ...)                                                        \
    {                                                                                              \
        .name = name_, .letter = letter_, .help = __VA_ARGS__                                      \
    }
#define TACHO_OPT_OF(takes_, name_, letter_, value_, ...)                                          \
    {                                                                                              \
        .name = name_, .letter = letter_, .takes = takes_, .value = value_, .help = __VA_ARGS__    \
    }
#define TACHO_OPT_VALUE(...) TACHO_OPT_OF(TACHO_TAKES_ONE, __VA_ARGS__)
#define TACHO_OPT_EACH(...) TACHO_OPT_OF(TACHO_TAKES_EACH, __VA_ARGS__)
#define TACHO_OPT_LIST(...) TACHO_OPT_OF(TACHO_TAKES_LIST, __VA_ARGS__)

/* What an option fills: a |member| of the struct |type|. */
#define TACHO_INTO(kind_, type, member, least_, most_, words_)                                     \
    .fill = {.kind = TACHO_FILL_##kind_,                                                           \
             .offset = offsetof(type, member),                                                     \
             .size = sizeof(((type *)NULL)->member),                                               \
             .least = least_,                                                                      \
             .most = most_,                                                                        \
             .words = words_}
#define TACHO_INTO_FLAG(type, member) TACHO_INTO(FLAG, type, member, 0, 0, NULL)
#define TACHO_INTO_UNFLAG(type, member) TACHO_INTO(UNFLAG, type, member, 0, 0, NULL)
#define TACHO_INTO_TRUTH(type, member) TACHO_INTO(TRUTH, type, member, 0, 0, NULL)
#define TACHO_INTO_UNTRUTH(type, member) TACHO_INTO(UNTRUTH, type, member, 0, 0, NULL)
#define TACHO_INTO_TEXT(type, member) TACHO_INTO(TEXT, type, member, 0, 0, NULL)
#define TACHO_INTO_STRING(type, member) TACHO_INTO(STRING, type, member, 0, 0, NULL)
#define TACHO_INTO_NUMBER(type, member, least, most)                                               \
    TACHO_INTO(NUMBER, type, member, least, most, NULL)
#define TACHO_INTO_WORD(type, member) TACHO_INTO(WORD, type, member, 0, 0, NULL)
#define TACHO_INTO_WORDS(type, member, words) TACHO_INTO(WORD, type, member, 0, 0, words)

typedef struct tacho_arguments tacho_arguments;

typedef struct tacho_command {
    const char *name;
    bool is_dropin;          /* called by its own name, not as a verb */
    bool runs_program;       /* what follows the first plain word is a program's command line, and
                                signals are left for it as they were */
    bool is_gate;            /* its exit status may be a verdict */
    bool has_single_dash;    /* -name=value is an option's name, too, as LLVM's tools have it */
    const char *summary;     /* one line for the list of verbs */
    const char *usage;       /* what follows the name */
    const char *description; /* paragraphs separated by empty lines */
    const char *examples;    /* one command per line, "# " lines explain */
    const tacho_option *options;
    size_t option_count;
    int (*run)(const tacho_arguments *arguments);
} tacho_command;

/* One word of a command line after parsing. */
typedef struct tacho_argument {
    const tacho_option *option; /* NULL for a word that belongs to no option */
    const char *value;          /* NULL for a flag */
} tacho_argument;

struct tacho_arguments {
    const tacho_command *command;
    tacho_argument *items;
    size_t item_count;
    const char **words; /* those that belong to no option, NULL-terminated */
    size_t word_count;
    size_t ended_at; /* how many words stand before "--"; SIZE_MAX where there is none */
};

/*
 * Parses |words| by the command's table: --name value, --name=value, -n value, -nvalue, "--"
 * ends options, "-" is a plain word. On misuse prints one line and a hint. Returns the exit status
 * of a command that cannot run, TACHO_EXIT_DONE where it can.
 */
int tacho_arguments_parse(const tacho_command *command, int word_count, char **words,
                          tacho_arguments *out_arguments);
void tacho_arguments_free(tacho_arguments *arguments);

/*
 * Fills |target|, the command's own struct, with what its table says; members whose options were
 * not given stay as they are. Returns false, and prints why, where a value is wrong.
 */
bool tacho_arguments_fill(const tacho_arguments *arguments, void *target);

/* A whole number from |least| to |most|; |*value| stays where the option is absent. */
bool tacho_arguments_number(const tacho_arguments *arguments, const char *name, uint64_t least,
                            uint64_t most, uint64_t *value);

/* The values of an option, one after the other: |*at| is 0 at first; NULL after the last. */
const char *tacho_arguments_next(const tacho_arguments *arguments, const char *name, size_t *at);

/* The last value of an option (of a flag: ""), or NULL when it was not given. */
const char *tacho_arguments_value(const tacho_arguments *arguments, const char *name);

static inline bool tacho_arguments_has(const tacho_arguments *arguments, const char *name)
{
    return tacho_arguments_value(arguments, name) != NULL;
}

/* Says that there is no memory; returns TACHO_EXIT_FAILED. */
int tacho_command_no_memory(void);

/* Prints a usage error with a hint at --help; returns TACHO_EXIT_USAGE. */
int tacho_command_misuse(const tacho_command *command, const char *format, ...) TACHO_PRINTF(2, 3);

/*
 * What became of the value of option |name|: prints a failure, frees it, and returns the exit
 * status of a command that cannot run; TACHO_EXIT_DONE after success.
 */
int tacho_command_check(const tacho_command *command, const char *name, tacho_status status);

/* What the option that fills the member at |offset| is called; "" where none does. */
const char *tacho_command_option_name(const tacho_command *command, size_t offset);

/* The first of |names| that was given, or NULL; the last of |names| is NULL. */
const char *tacho_arguments_find(const tacho_arguments *arguments, const char *const *names);

/* What this command's options begin with in its documents: "--", or "-". */
static inline const char *tacho_command_dashes(const tacho_command *command)
{
    return command->has_single_dash ? "-" : "--";
}

/* Prints |text| in lines of 80 columns; the first starts at |column|, later ones at |indent|. */
void tacho_help_print_wrapped(const char *text, size_t column, size_t indent);

/* Help of options of other tools that do nothing here begins so. */
#define TACHO_IGNORED "accepted for compatibility; no effect"

/* Says which of these were given. */
void tacho_command_say_ignored(const tacho_arguments *arguments);

/* Prints what --help shows. */
void tacho_command_print_help(const tacho_command *command);

/* Prints the man page's scdoc source. */
void tacho_command_print_scdoc(const tacho_command *command);

/* All verbs, NULL-terminated. */
extern const tacho_command *const tacho_commands[];

/* The names of other tools that this program stands in for, NULL-terminated. */
extern const tacho_command *const tacho_dropins[];

extern const tacho_command tacho_command_baseline;
extern const tacho_command tacho_command_fleet;
extern const tacho_command tacho_command_convert;
extern const tacho_command tacho_command_info;
extern const tacho_command tacho_command_breakdown;
extern const tacho_command tacho_command_overview;
extern const tacho_command tacho_command_ops;
extern const tacho_command tacho_command_annotate;
extern const tacho_command tacho_command_report;
extern const tacho_command tacho_command_compile;
extern const tacho_command tacho_command_run;
extern const tacho_command tacho_command_machine;
extern const tacho_command tacho_command_opstats;
extern const tacho_command tacho_command_profile;
extern const tacho_command tacho_command_diff;
extern const tacho_command tacho_command_query;
extern const tacho_command tacho_command_roofline;
extern const tacho_command tacho_command_help;

extern const tacho_command tacho_dropin_annotate_profiling;
extern const tacho_command tacho_dropin_perfetto_logger;
extern const tacho_command tacho_dropin_iree_run_module;
extern const tacho_command tacho_dropin_qaic_compile;
extern const tacho_command tacho_dropin_qaic_opstats;
extern const tacho_command tacho_dropin_qaic_runner;
extern const tacho_command tacho_dropin_torq_compile;
extern const tacho_command tacho_dropin_torq_run_module;
extern const tacho_command tacho_dropin_tt_profile;
extern const tacho_command tacho_dropin_tt_profile_py;

const tacho_command *tacho_command_find(const char *name);

/* Options that several verbs have. */
#define TACHO_OPTION_HELP TACHO_OPT_FLAG("help", 'h', "show this help")
#define TACHO_OPTION_QUIET                                                                         \
    TACHO_OPT_FLAG("quiet", 'q', "no progress or summary; errors and losses are still shown")
#define TACHO_OPTION_VERBOSE                                                                       \
    TACHO_OPT_FLAG("verbose", 'v', "also show what was read, the elapsed time and the memory")
#define TACHO_OPTION_COLOR                                                                         \
    TACHO_OPT_VALUE("color", 0, "auto|always|never",                                               \
                    "colour headings and messages (default: auto, on terminals)")
#define TACHO_OPTION_MEMORY                                                                        \
    TACHO_OPT_VALUE("memory", 0, "SIZE",                                                           \
                    "fail rather than hold more memory: 512M, 2G, none (default: TACHO_MEMORY in " \
                    "the environment, else a quarter of the computer's)")
/* What every verb has. */
#define TACHO_OPTIONS_COMMON                                                                       \
    TACHO_OPTION_QUIET, TACHO_OPTION_VERBOSE, TACHO_OPTION_COLOR, TACHO_OPTION_MEMORY,             \
        TACHO_OPTION_HELP
/* What every verb that prints tables has; |others| are formats of its own: "|svg". */
#define TACHO_OPTIONS_TABLES_AND(others)                                                           \
    TACHO_OPT_VALUE(                                                                               \
        "format", 0, "text|csv|json|markdown|xlsx|parquet" others,                                 \
        "how to print the tables (default: as the output file's suffix says, else text)"),         \
        TACHO_OPT_FLAG("json", 0, "same as --format json"),                                        \
        TACHO_OPT_FLAG("csv", 0, "same as --format csv")
#define TACHO_OPTIONS_TABLES TACHO_OPTIONS_TABLES_AND("")
#define TACHO_OPTION_FROM                                                                          \
    TACHO_OPT_VALUE("from", 0, "FORMAT", "read every input as FORMAT instead of detecting it")
#define TACHO_OPTION_CLOCK                                                                         \
    TACHO_OPT_VALUE("clock-mhz", 0, "N", "frequency of cycle counts in MHz (default for Torq: 800)")
#define TACHO_OPTION_SLICES                                                                        \
    TACHO_OPT_VALUE("num-slices", 0, "N",                                                          \
                    "number of slices in T1 timelines, which do not name them (default: 2)")
#define TACHO_OPTION_PROGRAM                                                                       \
    TACHO_OPT_VALUE("program", 0, "FILE",                                                          \
                    "the compiled program that recorded the raw stats among the inputs")
#define TACHO_WINDOW_HELP                                                                          \
    "only events that overlap this time range, measured from the input's first event: 10us..2ms, " \
    "1s.., ..500; units are ns (default), us, ms, s; spans are kept whole"
#define TACHO_OPTION_WINDOW TACHO_OPT_VALUE("window", 0, "A..B", TACHO_WINDOW_HELP)
#define TACHO_OPTION_FILTER                                                                        \
    TACHO_OPT_VALUE(                                                                               \
        "filter", 0, "TEXT|/REGEX/",                                                               \
        "only events whose name or location contains TEXT, or matches the extended regular "       \
        "expression between slashes")
#define TACHO_NO_ADVICE_HELP "leave out the verdict and the advice"
#define TACHO_OPTION_NO_ADVICE TACHO_OPT_FLAG("no-advice", 0, TACHO_NO_ADVICE_HELP)
#define TACHO_OPTION_FORCE                                                                         \
    TACHO_OPT_FLAG("force", 0, "replace files that were not written by tacho, without a question")
#define TACHO_OPTION_STRICT TACHO_OPT_FLAG("strict", 0, "fail if any record cannot be read")

#endif
