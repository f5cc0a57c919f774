/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tacho help: the list of verbs, of one verb, of formats; and the source of man pages.
 */
#include "cli/command.h"
#include "cli/completion.h"

#include <stdio.h>
#include <stdlib.h>

static const tacho_option options[] = {
    {.name = "scdoc", .help = "print the man page's scdoc source instead"},
    {.name = "completion",
     .value = "bash|zsh|fish",
     .help = "print the completions for this shell instead"},
    {.name = "help", .letter = 'h', .help = "show this help"},
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

enum { FORMAT_COLUMN = 19, LIMIT_INDENT = 21, COMMANDS_MAX = 64 };

/* Prints "  name   text", wrapped. */
static void print_format(const char *name, const char *text)
{
    printf("  %-16s ", name);
    tacho_help_print_wrapped(text, FORMAT_COLUMN, FORMAT_COLUMN);
}

/* Data that a trace format does not carry, or whether it is for other programs only. */
static void print_limits(unsigned limits)
{
    char text[160];
    const char *phrase = NULL;
    bool is_remark = false;
    for (unsigned i = 0; (phrase = tacho_front_limit(i, &is_remark)) != NULL; i++) {
        if ((limits & (1U << i)) != 0) {
            snprintf(text, sizeof(text), "%s%s", is_remark ? "" : "does not carry ", phrase);
            printf("%*s", LIMIT_INDENT, "");
            tacho_help_print_wrapped(text, LIMIT_INDENT, LIMIT_INDENT + 2);
        }
    }
}

static void print_formats(void)
{
    tacho_format_view format;
    printf("Read (--from):\n");
    for (size_t i = 0; tacho_front_format(TACHO_FORMAT_READ, i, &format); i++) {
        print_format(format.name, format.title);
    }
    printf("Files may be plain, gzip or zstd; the format is detected from the content.\n\n"
           "Written (--to):\n");
    for (size_t i = 0; tacho_front_format(TACHO_FORMAT_WRITTEN, i, &format); i++) {
        char text[160];
        int len = snprintf(text, sizeof(text), "%s;", format.title);
        for (const char *const *suffix = format.suffixes; *suffix != NULL; suffix++) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, " %s", *suffix);
        }
        print_format(format.name, text);
        print_limits(format.limits);
    }
    printf("Add .gz or .zst to the suffix to compress.\n\nTables (--format):\n");
    for (size_t i = 0; tacho_front_format(TACHO_FORMAT_TABLE, i, &format); i++) {
        print_format(format.name, format.title);
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
    const char *names[COMMANDS_MAX] = {"formats"};
    size_t count = 1;
    for (size_t i = 0; tacho_commands[i] != NULL && count < COMMANDS_MAX; i++) {
        names[count++] = tacho_commands[i]->name;
    }
    const char *near = tacho_front_nearest(topic, names, count);
    return near != NULL
               ? tacho_command_misuse(command, "no help for '%s'; did you mean '%s'?", topic, near)
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
                   ? TACHO_OUTCOME_DONE
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
    return TACHO_OUTCOME_DONE;
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
