/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho help: the list of verbs, of one verb, of formats; and the source of man pages.
 */
#include "base/suggest.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "sinks/table_sink.h"
#include "sinks/trace_sink.h"
#include "sources/source.h"

#include <stdio.h>
#include <stdlib.h>

static const tacho_option options[] = {
    TACHO_OPT_FLAG("scdoc", 0, "print the man page's scdoc source instead"),
    TACHO_OPT_VALUE("completion", 0, "bash|zsh|fish",
                    "print the completions for this shell instead"),
    TACHO_OPTION_HELP,
};

static void print_overview(void)
{
    printf("tacho shows where the time of a neural network goes on an accelerator.\n\n"
           "Usage: tacho COMMAND [options]\n"
           "       tacho FILE...\n\nCommands:\n");
    for (size_t i = 0; tacho_commands[i] != NULL; i++) {
        printf("  %-10s %s\n", tacho_commands[i]->name, tacho_commands[i]->summary);
    }
    printf("\n'tacho FILE' says what a file is and which commands read it.\n"
           "'tacho help COMMAND' describes a command.\n"
           "'tacho help formats' lists the file formats.\n"
           "'tacho --version' shows the version and the CPU instructions in use.\n");
}

enum { FORMAT_COLUMN = 19, LIMIT_INDENT = 21 };

/* Prints "  name   text", wrapped. */
static void print_format(const char *name, const char *text)
{
    printf("  %-16s ", name);
    tacho_help_print_wrapped(text, FORMAT_COLUMN, FORMAT_COLUMN);
}

/* What a trace format has no place for, or whether it is for other programs only. */
static void print_limits(const tacho_trace_sink *sink)
{
    char text[160];
    for (unsigned i = 0; i < TACHO_TRACE_LIMIT_COUNT; i++) {
        if ((sink->limits & (1U << i)) != 0) {
            snprintf(text, sizeof(text), "%s%s",
                     i != TACHO_LIMIT_NUMBER_READING ? "does not carry " : "",
                     tacho_trace_limit_phrase(i));
            printf("%*s", LIMIT_INDENT, "");
            tacho_help_print_wrapped(text, LIMIT_INDENT, LIMIT_INDENT + 2);
        }
    }
}

static void print_formats(void)
{
    printf("Read (--from):\n");
    for (size_t i = 0; tacho_sources()[i] != NULL; i++) {
        print_format(tacho_sources()[i]->name, tacho_sources()[i]->title);
    }
    printf("Files may be plain, gzip or zstd; the format is detected from the content.\n\n"
           "Written (--to):\n");
    for (size_t i = 0; tacho_trace_sinks()[i] != NULL; i++) {
        const tacho_trace_sink *sink = tacho_trace_sinks()[i];
        char text[160];
        int len = snprintf(text, sizeof(text), "%s;", sink->title);
        for (const char *const *suffix = sink->suffixes; *suffix != NULL; suffix++) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, " %s", *suffix);
        }
        print_format(sink->name, text);
        print_limits(sink);
    }
    printf("Add .gz or .zst to the suffix to compress.\n\nTables (--format):\n");
    for (size_t i = 0; tacho_table_sinks()[i] != NULL; i++) {
        print_format(tacho_table_sinks()[i]->name, tacho_table_sinks()[i]->title);
    }
}

static void print_main_scdoc(void)
{
    printf("tacho(1)\n\n# NAME\n\ntacho - where the time of a neural network goes on an "
           "accelerator\n\n# SYNOPSIS\n\n*tacho* _COMMAND_ [options]\n\n# COMMANDS\n\n");
    for (size_t i = 0; tacho_commands[i] != NULL; i++) {
        printf("*%s*\n\t%s. See *tacho-%s*(1).\n\n", tacho_commands[i]->name,
               tacho_commands[i]->summary, tacho_commands[i]->name);
    }
    printf("# ENVIRONMENT\n\n*TMPDIR*\n\tDirectory for temporary files when events must be sorted "
           "(default: /var/tmp).\n\n*TACHO_MEMORY*\n\tThe most memory that a command may hold, as "
           "*--memory* has it (default: a quarter of the computer's).\n\n");
    printf("# EXIT STATUS\n\n0 done; 1 failed, nothing written; 2 misuse of the command line; 3 "
           "done, but some records of the input could not be read.\n");
}

static int refuse_topic(const tacho_command *command, const char *topic)
{
    tacho_suggestion near = {.typed = tacho_str_from_cstring(topic)};
    for (size_t i = 0; tacho_commands[i] != NULL; i++) {
        tacho_suggestion_offer(&near, tacho_commands[i]->name);
    }
    tacho_suggestion_offer(&near, "formats");
    return near.name != NULL
               ? tacho_command_misuse(command, "no help for '%s'; did you mean '%s'?", topic,
                                      near.name)
               : tacho_command_misuse(command, "no help for '%s'; 'tacho help' lists the commands",
                                      topic);
}

static int help_command_run(const tacho_arguments *arguments)
{
    const char *topic = arguments->word_count > 0 ? arguments->words[0] : NULL;
    bool wants_scdoc = tacho_arguments_has(arguments, "scdoc");
    const tacho_command *command = topic != NULL ? tacho_command_find(topic) : NULL;
    if (arguments->word_count > 1) {
        return tacho_command_misuse(arguments->command, "give one command");
    }
    const char *shell = tacho_arguments_value(arguments, "completion");
    if (shell != NULL) {
        return tacho_completion_print(shell)
                   ? TACHO_EXIT_DONE
                   : tacho_command_misuse(arguments->command,
                                          "--completion: unknown shell '%s'; use bash, zsh or fish",
                                          shell);
    }
    if (topic == NULL) {
        wants_scdoc ? print_main_scdoc() : print_overview();
    } else if (command != NULL) {
        wants_scdoc ? tacho_command_print_scdoc(command) : tacho_command_print_help(command);
    } else if (strcmp(topic, "formats") == 0) {
        print_formats();
    } else {
        return refuse_topic(arguments->command, topic);
    }
    return TACHO_EXIT_DONE;
}

const tacho_command tacho_command_help = {
    .name = "help",
    .summary = "describe a command or list the file formats",
    .usage = "[COMMAND|formats]",
    .description =
        "Without an argument, lists the commands; with a command, describes it. 'formats'\n"
        "lists the file formats that tacho reads and writes.",
    .examples = "tacho help convert\ntacho help formats\n",
    .options = options,
    .option_count = sizeof(options) / sizeof(options[0]),
    .run = help_command_run,
};
