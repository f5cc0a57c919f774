/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Help and man pages, printed from the command tables.
 */
#include "cli/command.h"
#include "cli/piece.h"

#include <stdio.h>

enum { OPTION_COLUMN = 28, LINE_WIDTH = 80, PARAGRAPH_BYTES = 4096 };

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

/* Prints the words of |text| in lines that fit; the first starts at |column|, later ones at
 * |indent|. */
static void print_words(tacho_piece text, size_t column, size_t indent)
{
    bool is_first = true;
    while (text.len > 0) {
        size_t len = tacho_piece_find(text, ' ');
        bool is_next = !is_first && column + 1 + len > LINE_WIDTH;
        printf("%s%*s", is_next ? "\n" : "", is_next ? (int)indent : (is_first ? 0 : 1), "");
        column = (is_next ? indent : column + (is_first ? 0 : 1)) + len;
        printf("%.*s", (int)len, text.data);
        text = tacho_piece_from(text, len < text.len ? len + 1 : len);
        is_first = false;
    }
    putchar('\n');
}

void tacho_help_print_wrapped(const char *text, size_t column, size_t indent)
{
    print_words(tacho_piece_of(text), column, indent);
}

/* Where two blanks part a term from what it means; the length where none do. */
static size_t find_gap(tacho_piece line)
{
    size_t at = 0;
    while (at + 1 < line.len && (line.data[at] != ' ' || line.data[at + 1] != ' ')) {
        at++;
    }
    return at + 1 < line.len ? at : line.len;
}

/* The first line of |*rest|, which is taken away. */
static tacho_piece next_line(tacho_piece *rest)
{
    size_t len = tacho_piece_find(*rest, '\n');
    tacho_piece line = tacho_piece_make(rest->data, len);
    *rest = tacho_piece_from(*rest, len < rest->len ? len + 1 : len);
    return line;
}

/* Terms with what they mean, one below the other; lines without a term go on with the last one. */
static void print_terms(tacho_piece paragraph)
{
    enum { MARGIN = 2 };
    char words[PARAGRAPH_BYTES];
    size_t widest = 0;
    for (tacho_piece rest = paragraph; rest.len > 0;) {
        tacho_piece line = next_line(&rest);
        size_t gap = find_gap(line);
        widest = gap < line.len && gap > widest ? gap : widest;
    }
    size_t indent = MARGIN + widest + MARGIN;
    while (paragraph.len > 0) {
        tacho_piece line = next_line(&paragraph);
        size_t gap = find_gap(line);
        tacho_piece meaning = tacho_piece_trim(tacho_piece_from(line, gap));
        int len = snprintf(words, sizeof(words), "%.*s", TACHO_PIECE_ARG(meaning));
        for (tacho_piece rest = paragraph; rest.len > 0;) {
            tacho_piece more = next_line(&rest);
            if (find_gap(more) < more.len) {
                break;
            }
            len +=
                snprintf(words + len, sizeof(words) - (size_t)len, " %.*s", TACHO_PIECE_ARG(more));
            paragraph = rest;
        }
        printf("%*s%-*.*s", MARGIN, "", (int)(widest + MARGIN), (int)gap, line.data);
        print_words(tacho_piece_make(words, (size_t)len), indent, indent);
    }
}

/* Where the next paragraph begins, behind an empty line; the length where there is none. */
static size_t find_paragraph(tacho_piece text)
{
    size_t at = 0;
    while (at + 1 < text.len && (text.data[at] != '\n' || text.data[at + 1] != '\n')) {
        at++;
    }
    return at + 1 < text.len ? at + 2 : text.len;
}

/* Paragraphs filled anew, so that a change of words moves no line breaks in the tables. */
static void print_paragraphs(const char *description)
{
    char words[PARAGRAPH_BYTES];
    for (tacho_piece text = tacho_piece_of(description); text.len > 0;) {
        size_t next = find_paragraph(text);
        tacho_piece paragraph = tacho_piece_make(text.data, next < text.len ? next - 2 : next);
        if (paragraph.len >= sizeof(words)) {
            printf("%.*s\n", TACHO_PIECE_ARG(paragraph));
        } else if (find_gap(paragraph) < paragraph.len) {
            print_terms(paragraph);
        } else {
            for (size_t i = 0; i < paragraph.len; i++) {
                words[i] = paragraph.data[i] == '\n' ? ' ' : paragraph.data[i];
            }
            print_words(tacho_piece_make(words, paragraph.len), 0, 0);
        }
        text = tacho_piece_from(text, next);
        printf("%s", text.len > 0 ? "\n" : "");
    }
}

/* The end of the word that begins at |text|: quotes hold blanks together. */
static size_t shell_word(tacho_piece text)
{
    char quote = 0;
    size_t at = 0;
    for (; at < text.len && (quote != 0 || text.data[at] != ' '); at++) {
        if (quote == 0 && (text.data[at] == '\'' || text.data[at] == '"')) {
            quote = text.data[at];
        } else if (text.data[at] == quote) {
            quote = 0;
        }
    }
    return at;
}

/* How much of |text| belongs on one line: a word, or an option and the word behind it. */
static size_t shell_piece(tacho_piece text)
{
    size_t len = shell_word(text);
    tacho_piece rest = tacho_piece_from(text, len < text.len ? len + 1 : len);
    bool has_value = text.data[0] == '-' && rest.len > 0 && rest.data[0] != '-';
    return has_value ? len + 1 + shell_word(rest) : len;
}

/* A command, continued on the next lines where it is long. */
static void print_example(tacho_piece line)
{
    bool is_comment = line.len > 0 && line.data[0] == '#';
    size_t column = 0;
    while (line.len > 0) {
        size_t len = shell_piece(line);
        if (column > 0 && column + 1 + len > LINE_WIDTH - 2 && len + 4 < LINE_WIDTH) {
            printf("%s", is_comment ? "\n#" : " \\\n   ");
            column = is_comment ? 1 : 3;
        }
        printf("%s%.*s", column > 0 ? " " : "", (int)len, line.data);
        column += len + (column > 0 ? 1 : 0);
        line = tacho_piece_from(line, len < line.len ? len + 1 : len);
    }
    putchar('\n');
}

static void print_examples(const char *examples)
{
    for (tacho_piece text = tacho_piece_of(examples); text.len > 0;) {
        size_t len = tacho_piece_find(text, '\n');
        print_example(tacho_piece_make(text.data, len));
        text = tacho_piece_from(text, len < text.len ? len + 1 : len);
    }
}

void tacho_command_print_help(const tacho_command *command)
{
    const char *tool = command->is_dropin ? "" : "tacho ";
    size_t indent = strlen("Usage: ") + strlen(tool) + strlen(command->name) + 1;
    printf("Usage: %s%s ", tool, command->name);
    tacho_help_print_wrapped(command->usage, indent, indent);
    printf("\n");
    print_paragraphs(command->description);
    printf("\nOptions:\n");
    size_t count = 0;
    const tacho_option *options = tacho_command_options(command, &count);
    for (size_t i = 0; i < count; i++) {
        char help[TACHO_HELP_BYTES];
        print_option_name(command, &options[i]);
        tacho_help_print_wrapped(tacho_command_spell(command, options[i].help, help), OPTION_COLUMN,
                                 OPTION_COLUMN);
    }
    printf("\nExamples:\n");
    print_examples(command->examples);
    printf("\nExit status: %s\n",
           command->runs_program
               ? "that of COMMAND, or 128 plus the signal that ended it; 2 misuse;\n"
                 "124 timed out; 125 tacho failed; 126 COMMAND cannot be run; 127 not found."
           : command->is_gate
               ? "0 success; 1 failure, nothing written; 2 misuse; 3 some records\n"
                 "could not be read; 4 the gate found a regression; 5 it cannot tell."
               : "0 success; 1 failure, nothing written; 2 misuse; 3 some records\n"
                 "could not be read.");
}

/* Underscores and asterisks mean emphasis to scdoc, a leading dot a request. */
static void print_scdoc_span(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (strchr("\\_*<>#`", text[i]) != NULL) {
            putchar('\\');
        }
        putchar(text[i]);
    }
}

static void print_scdoc_text(const char *text)
{
    print_scdoc_span(text, strlen(text));
}

/* Terms in bold, what they mean indented below; lines without a term go on with the last one. */
static void print_scdoc_terms(tacho_piece paragraph)
{
    bool is_first = true;
    while (paragraph.len > 0) {
        tacho_piece line = next_line(&paragraph);
        size_t gap = find_gap(line);
        tacho_piece meaning = tacho_piece_trim(tacho_piece_from(line, gap));
        if (gap < line.len) {
            printf("%s*", is_first ? "" : "\n");
            print_scdoc_span(line.data, gap);
            printf("*\n");
            is_first = false;
        } else {
            meaning = line;
        }
        putchar('\t');
        print_scdoc_span(meaning.data, meaning.len);
        putchar('\n');
    }
}

/* A paragraph with indented lines is a table: printed as it is. Two blanks part terms from what
 * they mean, as in help. */
static void print_scdoc_paragraphs(const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        const char *indented = strstr(text, "\n ");
        size_t len = end != NULL ? (size_t)(end - text) : strlen(text);
        tacho_piece paragraph = tacho_piece_make(text, len);
        if (indented != NULL && (end == NULL || indented < end)) {
            printf("```\n%.*s\n```", (int)len, text);
        } else if (find_gap(paragraph) < len) {
            print_scdoc_terms(paragraph);
        } else {
            print_scdoc_span(text, len);
        }
        text += len;
        if (end != NULL) {
            printf("\n\n");
            text += 2;
        }
    }
}

static void print_scdoc_options(const tacho_command *command)
{
    size_t count = 0;
    const tacho_option *options = tacho_command_options(command, &count);
    for (size_t i = 0; i < count; i++) {
        char help[TACHO_HELP_BYTES];
        const tacho_option *option = &options[i];
        if (option->letter != 0) {
            printf("*-%c*, ", option->letter);
        }
        printf("*%s%s*", tacho_command_dashes(command), option->name);
        if (option->value != NULL) {
            printf("%c_%s_%s", command->has_single_dash ? '=' : ' ', option->value,
                   option->takes == TACHO_TAKES_LIST ? "..." : "");
        }
        printf("\n\t");
        print_scdoc_text(tacho_command_spell(command, option->help, help));
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
    print_scdoc_paragraphs(command->description);
    printf("\n\n# OPTIONS\n\n");
    print_scdoc_options(command);
    printf("# EXAMPLES\n\n```\n");
    print_examples(command->examples);
    printf(
        "```\n\n# EXIT STATUS\n\n%s\n\n# SEE ALSO\n\n*tacho*(1)\n",
        command->runs_program
            ? "That of COMMAND, or 128 plus the number of the signal that ended it; 2 misuse of "
              "the command line; 124 the program timed out; 125 tacho failed; 126 COMMAND "
              "cannot be run; 127 COMMAND is not found."
        : command->is_gate
            ? "0 success; 1 failure, nothing written; 2 misuse of the command line; 3 some "
              "records of the input could not be read; 4 the gate found a regression; 5 the gate "
              "cannot tell."
            : "0 success; 1 failure, nothing written; 2 misuse of the command line; 3 some "
              "records of the input could not be read.");
}
