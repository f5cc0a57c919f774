/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands: the words around a request. What a command can do, and its options, are those of the
 * request of its name (tacho/request.h); help, man pages and completions are printed from both.
 */
#ifndef TACHO_CLI_COMMAND_H
#define TACHO_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <tacho/front.h>
#include <tacho/request.h>

#define TACHO_CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))

typedef struct tacho_arguments tacho_arguments;
typedef struct tacho_hint_dialect tacho_hint_dialect; /* cli/hints.h */

typedef struct tacho_command {
    const char *name;        /* of the request, too */
    bool is_dropin;          /* called by its own name, not as a verb */
    bool runs_program;       /* what follows the first plain word is a program's command line, and
                                signals are left for it as they were */
    bool computes_values;    /* with a library that does not survive a lack of memory */
    bool is_gate;            /* its exit status may be a verdict */
    bool has_single_dash;    /* -name=value is an option's name, too, as in LLVM's tools */
    const char *summary;     /* one line for the list of verbs */
    const char *usage;       /* what follows the name */
    const char *description; /* paragraphs separated by empty lines */
    const char *examples;    /* one command per line, "# " lines explain */
    const tacho_hint_dialect *dialect; /* of hints; NULL: tacho's own */
    /* Of a command that is no request: its options, and what it does. (optional) */
    const tacho_option *options;
    size_t option_count;
    int (*run)(const tacho_arguments *arguments);
} tacho_command;

/* The options of a command, in the order of its help. */
const tacho_option *tacho_command_options(const tacho_command *command, size_t *out_count);

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
 * of a command that cannot run, TACHO_OUTCOME_DONE where it can.
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

/* Prints a usage error with a hint at --help; returns TACHO_OUTCOME_USAGE. */
int tacho_command_misuse(const tacho_command *command, const char *format, ...)
    TACHO_CLI_PRINTF(2, 3);

/* Prints the hint at --help alone; the same. */
int tacho_command_show_help(const tacho_command *command);

/* Runs the request of the command with |arguments|; returns the exit status (ask.c). */
int tacho_command_ask(const tacho_arguments *arguments);

/* What this command's options begin with in its documents: "--", or "-". */
static inline const char *tacho_command_dashes(const tacho_command *command)
{
    return command->has_single_dash ? "-" : "--";
}

/* How the command writes names: "--sort", "-o", "tacho ops". */
tacho_spelling tacho_command_spelling(const tacho_command *command);

/* |help| of an option in that spelling; |out| has room for it. */
enum { TACHO_HELP_BYTES = 1024 };
const char *tacho_command_spell(const tacho_command *command, const char *help,
                                char out[TACHO_HELP_BYTES]);

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

#endif
