/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands as tables: a verb's options, help text and man page all come from one constant
 * struct, so they cannot disagree.
 */
#ifndef TACHO_CLI_COMMAND_H
#define TACHO_CLI_COMMAND_H

#include "base/attributes.h"
#include "base/str.h"

/* Exit codes of every verb. */
enum {
    TACHO_EXIT_DONE = 0,
    TACHO_EXIT_FAILED = 1,
    TACHO_EXIT_USAGE = 2,
    TACHO_EXIT_LOSSY = 3,         /* done, but some input was damaged or lost */
    TACHO_EXIT_INTERRUPTED = 130, /* as a shell says it */
};

/* How many values an option has; false is the first. */
typedef enum tacho_option_takes {
    TACHO_TAKES_ONE,  /* given twice it must say the same; drop-ins take the last */
    TACHO_TAKES_LIST, /* all words up to the next option, as argparse's nargs='+' */
    TACHO_TAKES_EACH, /* it is repeatable, and each value counts */
} tacho_option_takes;

typedef struct tacho_option {
    const char *name; /* without dashes */
    char letter;      /* 0 for none */
    tacho_option_takes takes;
    const char
        *value;       /* what to call its value in help, NULL for a flag; "[true|false]" may lack */
    const char *help; /* one sentence, no full stop */
} tacho_option;

typedef struct tacho_arguments tacho_arguments;

typedef struct tacho_command {
    const char *name;
    bool is_dropin;          /* called by its own name, not as a verb */
    bool runs_program;       /* what follows the first plain word is a program's command line, and
                                signals are left for it as they were */
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
};

/*
 * Parses |words| by the command's table: --name value, --name=value, -n value, -nvalue, "--"
 * ends options, "-" is a plain word. On misuse prints one line and a hint. Returns the exit status
 * of a command that cannot run, TACHO_EXIT_DONE where it can.
 */
int tacho_arguments_parse(const tacho_command *command, int word_count, char **words,
                          tacho_arguments *out_arguments);
void tacho_arguments_free(tacho_arguments *arguments);

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

/* What this command's options begin with in its documents: "--", or "-". */
static inline const char *tacho_command_dashes(const tacho_command *command)
{
    return command->has_single_dash ? "-" : "--";
}

/* Prints |text| in lines of 80 columns; the first starts at |column|, later ones at |indent|. */
void tacho_help_print_wrapped(const char *text, size_t column, size_t indent);

/* Prints what --help shows. */
void tacho_command_print_help(const tacho_command *command);

/* Prints the man page's scdoc source. */
void tacho_command_print_scdoc(const tacho_command *command);

/* All verbs, NULL-terminated. */
extern const tacho_command *const tacho_commands[];

/* The names of other tools that this program stands in for, NULL-terminated. */
extern const tacho_command *const tacho_dropins[];

extern const tacho_command tacho_command_convert;
extern const tacho_command tacho_command_info;
extern const tacho_command tacho_command_overview;
extern const tacho_command tacho_command_ops;
extern const tacho_command tacho_command_annotate;
extern const tacho_command tacho_command_report;
extern const tacho_command tacho_command_compile;
extern const tacho_command tacho_command_run;
extern const tacho_command tacho_command_machine;
extern const tacho_command tacho_command_opstats;
extern const tacho_command tacho_command_profile;
extern const tacho_command tacho_command_help;

extern const tacho_command tacho_dropin_annotate_profiling;
extern const tacho_command tacho_dropin_perfetto_logger;
extern const tacho_command tacho_dropin_iree_run_module;
extern const tacho_command tacho_dropin_qaic_compile;
extern const tacho_command tacho_dropin_qaic_opstats;
extern const tacho_command tacho_dropin_qaic_runner;
extern const tacho_command tacho_dropin_torq_compile;
extern const tacho_command tacho_dropin_torq_run_module;

const tacho_command *tacho_command_find(const char *name);

/* Options that several verbs have. */
#define TACHO_OPTION_HELP                                                                          \
    {                                                                                              \
        "help", 'h', false, NULL, "show this help"                                                 \
    }
#define TACHO_OPTION_QUIET                                                                         \
    {                                                                                              \
        "quiet", 'q', false, NULL, "no progress or summary; errors and losses are still shown"     \
    }
#define TACHO_OPTION_VERBOSE                                                                       \
    {                                                                                              \
        "verbose", 'v', false, NULL, "also show what was read, the elapsed time and the memory"    \
    }
#define TACHO_OPTION_COLOR                                                                         \
    {                                                                                              \
        "color", 0, false, "auto|always|never",                                                    \
            "colour headings and messages (default: auto, on terminals)"                           \
    }
/* What every verb has. */
#define TACHO_OPTIONS_COMMON                                                                       \
    TACHO_OPTION_QUIET, TACHO_OPTION_VERBOSE, TACHO_OPTION_COLOR, TACHO_OPTION_HELP
/* What every verb that prints tables has. */
#define TACHO_OPTIONS_TABLES                                                                       \
    {"format", 0, false, "text|csv|json|xlsx",                                                     \
     "how to print the tables (default: by the suffix of OUT, else text)"},                        \
        {"json", 0, false, NULL, "same as --format json"},                                         \
    {                                                                                              \
        "csv", 0, false, NULL, "same as --format csv"                                              \
    }
#define TACHO_OPTION_FROM                                                                          \
    {                                                                                              \
        "from", 0, false, "FORMAT", "read every input as FORMAT instead of detecting it"           \
    }
#define TACHO_OPTION_CLOCK                                                                         \
    {                                                                                              \
        "clock-mhz", 0, false, "N", "frequency of cycle counts in MHz (default for Torq: 800)"     \
    }
#define TACHO_OPTION_SLICES                                                                        \
    {                                                                                              \
        "num-slices", 0, false, "N",                                                               \
            "number of slices in T1 timelines, which do not name them (default: 2)"                \
    }
#define TACHO_OPTION_PROGRAM                                                                       \
    {                                                                                              \
        "program", 0, false, "FILE",                                                               \
            "the compiled program that recorded the raw stats among the inputs"                    \
    }
#define TACHO_OPTION_WINDOW                                                                        \
    {                                                                                              \
        "window", 0, false, "A..B",                                                                \
            "only events that overlap this time range, measured from the input's first event: "    \
            "10us..2ms, 1s.., ..500; units are ns (default), us, ms, s; spans are kept whole"      \
    }
#define TACHO_OPTION_FILTER                                                                        \
    {                                                                                              \
        "filter", 0, false, "TEXT|/REGEX/",                                                        \
            "only events whose name or location contains TEXT, or matches the extended regular "   \
            "expression between slashes"                                                           \
    }
#define TACHO_OPTION_STRICT                                                                        \
    {                                                                                              \
        "strict", 0, false, NULL, "fail if any record cannot be read"                              \
    }

#endif
