/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help and man pages, printed from the command tables.
 */
#include "cli/command.h"

#include <stdio.h>

enum { OPTION_COLUMN = 28, LINE_WIDTH = 80 };

static void print_option_name(const tacho_command *command, const tacho_option *option)
{
    char text[64];
    const char *dashes = tacho_command_dashes(command);
    const char *separator = option->value == NULL ? "" : (command->has_single_dash ? "=" : " ");
    const char *value = option->value != NULL ? option->value : "";
    const char *more = option->takes == TACHO_TAKES_LIST ? "..." : "";
    if (option->letter != 0) {
        snprintf(text, sizeof(text), "  -%c, %s%s%s%s%s", option->letter, dashes, option->name,
                 separator, value, more);
    } else {
        snprintf(text, sizeof(text), "      %s%s%s%s%s", dashes, option->name, separator, value,
                 more);
    }
    printf("%-*s", OPTION_COLUMN, text);
    if (strlen(text) >= OPTION_COLUMN) {
        printf("\n%*s", OPTION_COLUMN, "");
    }
}

/* |text| broken at spaces; later lines start at |indent|. */
static void print_wrapped(const char *text, size_t indent)
{
    size_t column = indent;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        if (column > indent && column + 1 + len > LINE_WIDTH) {
            printf("\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", (int)len, text);
        column += len;
        text += len + (text[len] == ' ' ? 1 : 0);
    }
    putchar('\n');
}

void tacho_command_print_help(const tacho_command *command)
{
    printf("Usage: %s%s %s\n\n%s\n", command->is_dropin ? "" : "tacho ", command->name,
           command->usage, command->description);
    printf("\nOptions:\n");
    for (size_t i = 0; i < command->option_count; i++) {
        print_option_name(command, &command->options[i]);
        print_wrapped(command->options[i].help, OPTION_COLUMN);
    }
    printf("\nExamples:\n%s", command->examples);
    printf("\nExit status: 0 done; 1 failed, nothing written; 2 misuse; 3 done, but some records\n"
           "could not be read.\n");
}

/* Underscores and asterisks mean emphasis to scdoc, a leading dot a request. */
static void print_scdoc_text(const char *text)
{
    for (; *text != '\0'; text++) {
        if (strchr("\\_*<>#`", *text) != NULL) {
            putchar('\\');
        }
        putchar(*text);
    }
}

static void print_scdoc_options(const tacho_command *command)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const tacho_option *option = &command->options[i];
        if (option->letter != 0) {
            printf("*-%c*, ", option->letter);
        }
        printf("*%s%s*", tacho_command_dashes(command), option->name);
        if (option->value != NULL) {
            printf("%c_%s_%s", command->has_single_dash ? '=' : ' ', option->value,
                   option->takes == TACHO_TAKES_LIST ? "..." : "");
        }
        printf("\n\t");
        print_scdoc_text(option->help);
        printf(".\n\n");
    }
}

void tacho_command_print_scdoc(const tacho_command *command)
{
    const char *before = command->is_dropin ? "" : "tacho";
    const char *dash = command->is_dropin ? "" : "-";
    const char *space = command->is_dropin ? "" : " ";
    printf("%s%s%s(1)\n\n# NAME\n\n%s%s%s - ", before, dash, command->name, before, dash,
           command->name);
    print_scdoc_text(command->summary);
    printf("\n\n# SYNOPSIS\n\n*%s%s%s* ", before, space, command->name);
    print_scdoc_text(command->usage);
    printf("\n\n# DESCRIPTION\n\n");
    print_scdoc_text(command->description);
    printf("\n\n# OPTIONS\n\n");
    print_scdoc_options(command);
    printf("# EXAMPLES\n\n```\n%s```\n\n# EXIT STATUS\n\n", command->examples);
    printf("0 done; 1 failed, nothing written; 2 misuse of the command line; 3 done, but some "
           "records of the input could not be read.\n\n# SEE ALSO\n\n*tacho*(1)\n");
}
