/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parsing command lines by option tables.
 */
#include "cli/command.h"
#include "cli/piece.h"
#include "cli/talk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int tacho_command_misuse(const tacho_command *command, const char *format, ...)
{
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    tacho_talk("error", "%s", message);
    return tacho_command_show_help(command);
}

int tacho_command_show_help(const tacho_command *command)
{
    fprintf(stderr, "Try '%s%s --help'.\n", command->is_dropin ? "" : "tacho ", command->name);
    return TACHO_OUTCOME_USAGE;
}

/* ---- options -----------------------------------------------------------------------------------
 */

const tacho_option *tacho_command_options(const tacho_command *command, size_t *out_count)
{
    *out_count = command->option_count;
    return command->options != NULL ? command->options
                                    : tacho_request_options(command->name, out_count);
}

tacho_spelling tacho_command_spelling(const tacho_command *command)
{
    return (tacho_spelling){
        .option = tacho_command_dashes(command), .letter = "-", .request = "tacho "};
}

const char *tacho_command_spell(const tacho_command *command, const char *help,
                                char out[TACHO_HELP_BYTES])
{
    const tacho_spelling spelling = tacho_command_spelling(command);
    tacho_spelling_apply(&spelling, help, out, TACHO_HELP_BYTES);
    return out;
}

/* Equal but for '-' and '_', which vendors' tools use in turns. */
static bool equal_names(tacho_piece word, const char *name)
{
    if (word.len != strlen(name)) {
        return false;
    }
    for (size_t i = 0; i < word.len; i++) {
        char letter = word.data[i] == '_' ? '-' : word.data[i];
        if (letter != (name[i] == '_' ? '-' : name[i])) {
            return false;
        }
    }
    return true;
}

static const tacho_option *find_option(const tacho_command *command, tacho_piece name)
{
    size_t count = 0;
    const tacho_option *options = tacho_command_options(command, &count);
    for (size_t i = 0; i < count; i++) {
        if (equal_names(name, options[i].name)) {
            return &options[i];
        }
    }
    return NULL;
}

static const tacho_option *find_letter(const tacho_command *command, char letter)
{
    size_t count = 0;
    const tacho_option *options = tacho_command_options(command, &count);
    for (size_t i = 0; i < count; i++) {
        if (options[i].letter == letter) {
            return &options[i];
        }
    }
    return NULL;
}

enum { OPTIONS_MAX = 128 };

/* The words being parsed. */
typedef struct word_list {
    char **words;
    int count;
    int at; /* the next one */
} word_list;

static void add(tacho_arguments *arguments, const tacho_option *option, const char *value)
{
    arguments->items[arguments->item_count++] = (tacho_argument){option, value};
}

static bool is_option_word(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

/* A flag as LLVM's tools take it: true, or false, which takes back what was said before. */
static bool take_flag(tacho_arguments *arguments, const tacho_option *option, const char *attached)
{
    bool is_dropin = arguments->command->is_dropin;
    if (attached == NULL || (is_dropin && strcmp(attached, "true") == 0)) {
        add(arguments, option, "");
        return true;
    }
    if (!is_dropin || strcmp(attached, "false") != 0) {
        tacho_command_misuse(arguments->command,
                             is_dropin ? "%s%s: expected true or false, not '%s'"
                                       : "%s%s takes no value",
                             tacho_command_dashes(arguments->command), option->name, attached);
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < arguments->item_count; i++) {
        arguments->items[kept] = arguments->items[i];
        kept += arguments->items[i].option != option ? 1 : 0;
    }
    arguments->item_count = kept;
    return true;
}

/* Takes the value of |option|, |attached| or from the words that follow. */
static bool take_value(tacho_arguments *arguments, const tacho_option *option, const char *attached,
                       word_list *list)
{
    if (option->value == NULL) {
        return take_flag(arguments, option, attached);
    }
    if (attached != NULL) {
        add(arguments, option, attached);
        return true;
    }
    if (option->value[0] == '[') { /* may be left out: only what can be meant is taken */
        bool is_there = list->at < list->count && (strcmp(list->words[list->at], "true") == 0 ||
                                                   strcmp(list->words[list->at], "false") == 0);
        add(arguments, option, is_there ? list->words[list->at++] : "");
        return true;
    }
    if (list->at >= list->count ||
        (option->takes == TACHO_TAKES_LIST && is_option_word(list->words[list->at]))) {
        tacho_command_misuse(arguments->command, "%s%s needs a value: %s",
                             tacho_command_dashes(arguments->command), option->name, option->value);
        return false;
    }
    do {
        add(arguments, option, list->words[list->at++]);
    } while (option->takes == TACHO_TAKES_LIST && list->at < list->count &&
             !is_option_word(list->words[list->at]));
    return true;
}

/* The name of an option that |typed| may have meant; NULL: none. */
static const char *nearest_option(const tacho_command *command, const char *typed)
{
    const char *names[OPTIONS_MAX];
    size_t count = 0;
    const tacho_option *options = tacho_command_options(command, &count);
    count = count < OPTIONS_MAX ? count : OPTIONS_MAX;
    for (size_t i = 0; i < count; i++) {
        names[i] = options[i].name;
    }
    return tacho_front_nearest(typed, names, count);
}

/* Refuses |word|, and names the option that may have been meant. */
static bool refuse_word(const tacho_arguments *arguments, const char *word)
{
    const tacho_command *command = arguments->command;
    tacho_piece name = tacho_piece_of(word + (word[1] == '-' ? 2 : 1));
    char *typed = strndup(name.data, tacho_piece_find(name, '='));
    const char *near = typed != NULL ? nearest_option(command, typed) : NULL;
    free(typed);
    if (near != NULL) {
        tacho_command_misuse(command, "unknown option '%s'; did you mean %s%s?", word,
                             tacho_command_dashes(command), near);
    } else {
        tacho_command_misuse(command, "unknown option '%s'", word);
    }
    return false;
}

/* Whether the word is -name or -name=value of a command that takes such. */
static bool is_long_with_one_dash(const tacho_command *command, const char *word)
{
    tacho_piece text = tacho_piece_of(word + 1);
    text.len = tacho_piece_find(text, '=');
    return command->has_single_dash && find_option(command, text) != NULL;
}

static bool parse_long(tacho_arguments *arguments, const char *word, word_list *list)
{
    tacho_piece text = tacho_piece_of(word + (word[1] == '-' ? 2 : 1));
    size_t equals = tacho_piece_find(text, '=');
    const tacho_option *option =
        find_option(arguments->command, tacho_piece_make(text.data, equals));
    if (option == NULL) {
        return refuse_word(arguments, word);
    }
    return take_value(arguments, option, equals < text.len ? text.data + equals + 1 : NULL, list);
}

/* "-m file" and "-m=file", where "-mfile" would be another option's name. */
static bool parse_letter(tacho_arguments *arguments, const char *word, word_list *list)
{
    const tacho_option *option = find_letter(arguments->command, word[1]);
    if (option == NULL || (word[2] != '\0' && word[2] != '=')) {
        return refuse_word(arguments, word);
    }
    return take_value(arguments, option, word[2] == '=' ? word + 3 : NULL, list);
}

/* "-q", "-o out", "-oout", "-qo out". */
static bool parse_short(tacho_arguments *arguments, const char *word, word_list *list)
{
    tacho_piece text = tacho_piece_of(word + 1);
    if (text.len > 1 &&
        find_option(arguments->command, tacho_piece_make(text.data, tacho_piece_find(text, '='))) !=
            NULL) {
        return refuse_word(arguments, word); /* with one dash too few */
    }
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const tacho_option *option = find_letter(arguments->command, *letter);
        if (option == NULL) {
            tacho_command_misuse(arguments->command, "unknown option '-%c' in '%s'", *letter, word);
            return false;
        }
        if (option->value != NULL) {
            return take_value(arguments, option, letter[1] != '\0' ? letter + 1 : NULL, list);
        }
        add(arguments, option, "");
    }
    return true;
}

static size_t count_words(const tacho_arguments *arguments)
{
    size_t count = 0;
    for (size_t i = 0; i < arguments->item_count; i++) {
        count += arguments->items[i].option == NULL ? 1 : 0;
    }
    return count;
}

static bool parse_words(tacho_arguments *arguments, word_list *list)
{
    bool options_ended = false;
    while (list->at < list->count) {
        const char *word = list->words[list->at++];
        bool parsed = true;
        if (options_ended || !is_option_word(word)) {
            add(arguments, NULL, word);
            options_ended = options_ended || arguments->command->runs_program;
        } else if (strcmp(word, "--") == 0) {
            options_ended = true;
            arguments->ended_at = count_words(arguments);
        } else if (word[1] == '-' || is_long_with_one_dash(arguments->command, word)) {
            parsed = parse_long(arguments, word, list);
        } else {
            parsed = arguments->command->has_single_dash ? parse_letter(arguments, word, list)
                                                         : parse_short(arguments, word, list);
        }
        if (!parsed) {
            return false;
        }
    }
    return true;
}

/* The first value that |item|'s option was given, which may be its own. */
static const char *first_value(const tacho_arguments *arguments, const tacho_argument *item)
{
    const tacho_argument *first = arguments->items;
    while (first->option != item->option) {
        first++;
    }
    return first->value;
}

/* One value that is given twice is a slip, but for vendors' tools, which take the last. */
static bool check_values(const tacho_arguments *arguments)
{
    for (size_t i = 0; !arguments->command->is_dropin && i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        if (item->option == NULL || item->option->takes != TACHO_TAKES_ONE) {
            continue;
        }
        const char *first = first_value(arguments, item);
        if (strcmp(first, item->value) != 0) {
            tacho_command_misuse(
                arguments->command, "%s%s was given twice: '%s' and '%s'; it takes one value",
                tacho_command_dashes(arguments->command), item->option->name, first, item->value);
            return false;
        }
    }
    return true;
}

static int fail_without_memory(void)
{
    tacho_talk("error", "out of memory");
    return TACHO_OUTCOME_FAILED;
}

static void gather_words(tacho_arguments *arguments)
{
    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].option == NULL) {
            arguments->words[arguments->word_count++] = arguments->items[i].value;
        }
    }
}

int tacho_arguments_parse(const tacho_command *command, int word_count, char **words,
                          tacho_arguments *out_arguments)
{
    *out_arguments = (tacho_arguments){.command = command, .ended_at = SIZE_MAX};
    size_t item_max = 1;
    for (int i = 0; i < word_count; i++) {
        item_max += strlen(words[i]) + 1; /* a word of letters may be that many flags */
    }
    out_arguments->items = calloc(item_max, sizeof(*out_arguments->items));
    out_arguments->words = calloc((size_t)word_count + 1, sizeof(*out_arguments->words));
    if (out_arguments->items == NULL || out_arguments->words == NULL) {
        tacho_arguments_free(out_arguments);
        return fail_without_memory();
    }
    word_list list = {words, word_count, 0};
    if (!parse_words(out_arguments, &list) || !check_values(out_arguments)) {
        tacho_arguments_free(out_arguments);
        return TACHO_OUTCOME_USAGE;
    }
    gather_words(out_arguments);
    return TACHO_OUTCOME_DONE;
}

void tacho_arguments_free(tacho_arguments *arguments)
{
    free(arguments->items);
    free(arguments->words);
    *arguments = (tacho_arguments){0};
}

const char *tacho_arguments_value(const tacho_arguments *arguments, const char *name)
{
    const char *last = NULL;
    for (size_t i = 0; i < arguments->item_count; i++) {
        const tacho_argument *item = &arguments->items[i];
        last = item->option != NULL && strcmp(item->option->name, name) == 0 ? item->value : last;
    }
    return last;
}
