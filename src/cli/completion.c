/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One script per shell, for tacho and all drop-in names: commands, options, and values where the
 * table lists them or names what they are (FILE, DIR, FORMAT, a machine).
 */
#include "cli/completion.h"

#include "cli/command.h"

#include <ctype.h>
#include <stdio.h>

/* What the value of an option can be. */
typedef enum value_kind {
    VALUE_NONE, /* a flag */
    VALUE_FREE, /* a number, a name: nothing to offer */
    VALUE_FILE,
    VALUE_DIR,
    VALUE_WORDS, /* those that print_words prints */
} value_kind;

/* Whether the table lists the values: "auto|always|never", "[true|false]". */
static bool is_list(const char *value)
{
    bool has_bar = false;
    for (; *value != '\0'; value++) {
        has_bar = has_bar || *value == '|';
        if (!islower((unsigned char)*value) && strchr("|[]-", *value) == NULL) {
            return false;
        }
    }
    return has_bar;
}

static bool is_option(const tacho_option *option, const char *name)
{
    return strcmp(option->name, name) == 0;
}

static value_kind kind_of(const tacho_option *option)
{
    const char *value = option->value;
    if (value == NULL) {
        return VALUE_NONE;
    }
    bool is_format = is_option(option, "from") || is_option(option, "to");
    if (is_format || is_option(option, "machine") || is_list(value)) {
        return VALUE_WORDS;
    }
    if (strstr(value, "DIR") != NULL) {
        return VALUE_DIR;
    }
    bool is_file = strstr(value, "FILE") != NULL || strstr(value, "OUT") != NULL ||
                   strstr(value, "PATH") != NULL || strstr(value, "CSV") != NULL ||
                   strstr(value, "PB") != NULL || strstr(value, "MLIR") != NULL;
    return is_file ? VALUE_FILE : VALUE_FREE;
}

static void print_formats(tacho_format_use use)
{
    tacho_format_view format;
    for (size_t i = 0; tacho_front_format(use, i, &format); i++) {
        printf("%s%s", i > 0 ? " " : "", format.name);
    }
}

/* The words of a VALUE_WORDS, parted by blanks. */
static void print_words(const tacho_option *option)
{
    const char *separator = "";
    if (is_option(option, "from")) {
        print_formats(TACHO_FORMAT_READ);
    } else if (is_option(option, "to")) {
        print_formats(TACHO_FORMAT_WRITTEN);
    } else if (is_option(option, "machine")) {
        const char *name = NULL;
        for (size_t i = 0; (name = tacho_front_machine(i)) != NULL; i++, separator = " ") {
            printf("%s%s", separator, name);
        }
    } else {
        for (const char *letter = option->value; *letter != '\0'; letter++) {
            if (*letter != '[' && *letter != ']') {
                putchar(*letter == '|' ? ' ' : *letter);
            }
        }
    }
}

static void print_names(const tacho_command *const *list, const char *separator)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        printf("%s%s", i > 0 ? separator : "", list[i]->name);
    }
}

static bool has_letter(const tacho_option *option)
{
    return option->letter != 0;
}

/* |text| with |marks| behind backslashes, as far as the first full stop or semicolon. */
static void print_escaped(const char *text, const char *marks)
{
    for (; *text != '\0' && *text != ';'; text++) {
        if (strchr(marks, *text) != NULL) {
            putchar('\\');
        }
        putchar(*text);
    }
}

/* ---- bash ---------------------------------------------------------------------------------- */

static void print_bash_options(const tacho_command *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        const tacho_command *command = list[i];
        size_t count = 0;
        const tacho_option *options = tacho_command_options(command, &count);
        printf("    %s) words=\"", command->name);
        for (size_t k = 0; k < count; k++) {
            const tacho_option *option = &options[k];
            printf("%s%s%s", k > 0 ? " " : "", tacho_command_dashes(command), option->name);
            if (has_letter(option)) {
                printf(" -%c", option->letter);
            }
        }
        printf("\" ;;\n");
    }
}

static void print_bash_value(const tacho_command *command, const tacho_option *option)
{
    value_kind kind = kind_of(option);
    if (kind == VALUE_NONE) {
        return;
    }
    printf("    '%s %s%s'", command->name, tacho_command_dashes(command), option->name);
    if (has_letter(option)) {
        printf("|'%s -%c'", command->name, option->letter);
    }
    printf(") ");
    if (kind == VALUE_WORDS) {
        printf("words='");
        print_words(option);
        printf("'");
        printf("%s", is_option(option, "machine") ? " kind=file" : " kind=words");
    } else {
        printf("kind=%s", kind == VALUE_FILE ? "file" : kind == VALUE_DIR ? "dir" : "free");
    }
    printf(" ;;\n");
}

static void print_bash_values(const tacho_command *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        size_t count = 0;
        const tacho_option *options = tacho_command_options(list[i], &count);
        for (size_t k = 0; k < count; k++) {
            print_bash_value(list[i], &options[k]);
        }
    }
}

static void print_bash(void)
{
    printf("# bash completion for tacho and its drop-in names; written by tacho\n"
           "_tacho_options() {\n    case $1 in\n");
    print_bash_options(tacho_commands);
    print_bash_options(tacho_dropins);
    printf("    esac\n}\n\n_tacho_value() {\n    case \"$1 $2\" in\n");
    print_bash_values(tacho_commands);
    print_bash_values(tacho_dropins);
    printf("    esac\n}\n\n_tacho() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
           "    local command=${COMP_WORDS[0]##*/} words='' kind='' first=1\n"
           "    [[ $prev == '=' ]] && prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
           "    [[ $cur == '=' ]] && cur=''\n"
           "    if [[ $command == tacho ]]; then\n"
           "        if ((COMP_CWORD == 1)); then\n"
           "            words='");
    print_names(tacho_commands, " ");
    printf("'\n            mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; "
           "compgen -f -- \"$cur\")\n"
           "            return\n"
           "        fi\n"
           "        command=${COMP_WORDS[1]} first=2\n"
           "    fi\n"
           "    ((COMP_CWORD > first)) && _tacho_value \"$command\" \"$prev\"\n"
           "    if [[ -z $kind && $cur == -* ]]; then\n"
           "        _tacho_options \"$command\"\n"
           "        kind=words\n"
           "    elif [[ -z $kind && $command == help ]]; then\n"
           "        words='formats ");
    print_names(tacho_commands, " ");
    printf("' kind=words\n"
           "    elif [[ -z $kind && $command == machine && $COMP_CWORD == 2 ]]; then\n"
           "        words='list show export check calibrate' kind=words\n"
           "    elif [[ -z $kind && $command == baseline && $COMP_CWORD == 2 ]]; then\n"
           "        words='save accept list' kind=words\n"
           "    fi\n"
           "    case ${kind:-file} in\n"
           "    words) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\") ;;\n"
           "    file) mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"; compgen -f -- "
           "\"$cur\") ;;\n"
           "    dir) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
           "    *) COMPREPLY=() ;;\n"
           "    esac\n}\n\ncomplete -o filenames -F _tacho tacho ");
    print_names(tacho_dropins, " ");
    printf("\n");
}

/* ---- zsh ----------------------------------------------------------------------------------- */

static void print_zsh_action(const tacho_option *option)
{
    switch (kind_of(option)) {
    case VALUE_NONE:
        return;
    case VALUE_WORDS:
        printf(":value:");
        if (is_option(option, "machine")) {
            printf("_tacho_machines");
            return;
        }
        printf("(");
        print_words(option);
        printf(")");
        return;
    case VALUE_FILE:
        printf(":file:_files");
        return;
    case VALUE_DIR:
        printf(":directory:_files -/");
        return;
    case VALUE_FREE:
        printf(":value: ");
        return;
    }
}

/* '--name=[help]:value:action', and once more for the letter. */
static void print_zsh_option(const tacho_command *command, const tacho_option *option, bool is_long)
{
    bool has_value = option->value != NULL && option->value[0] != '[';
    bool is_repeated = option->takes != TACHO_TAKES_ONE;
    printf("        '%s", is_repeated ? "*" : "");
    if (is_long) {
        printf("%s%s%s", tacho_command_dashes(command), option->name, has_value ? "=" : "");
    } else {
        printf("-%c%s", option->letter, has_value ? "+" : "");
    }
    printf("[");
    char help[TACHO_HELP_BYTES];
    for (const char *text = tacho_command_spell(command, option->help, help);
         *text != '\0' && *text != ';'; text++) {
        const char *escape = *text == '\'' ? "'\\'" : strchr("[]:\\", *text) != NULL ? "\\" : "";
        printf("%s%c", escape, *text);
    }
    printf("]");
    if (has_value) {
        print_zsh_action(option);
    }
    printf("' \\\n");
}

static void print_zsh_cases(const tacho_command *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        size_t count = 0;
        const tacho_option *options = tacho_command_options(list[i], &count);
        printf("    %s) _arguments -s \\\n", list[i]->name);
        for (size_t k = 0; k < count; k++) {
            const tacho_option *option = &options[k];
            print_zsh_option(list[i], option, true);
            if (has_letter(option)) {
                print_zsh_option(list[i], option, false);
            }
        }
        if (list[i] == &tacho_command_help) {
            printf("        '1:topic:(formats ");
            print_names(tacho_commands, " ");
            printf(")' ;;\n");
        } else if (list[i] == &tacho_command_machine) {
            printf("        '1:action:(list show export check calibrate)' "
                   "'*:machine:_tacho_machines' ;;\n");
        } else if (list[i] == &tacho_command_baseline) {
            printf("        '1:action:(save accept list)' '*:file:_files' ;;\n");
        } else if (list[i] == &tacho_command_fleet) {
            printf("        '1:question:(ops breakdown steps stragglers collectives clocks diff "
                   "health timeline map reduce)' '*:file:_files' ;;\n");
        } else {
            printf("        '*:file:_files' ;;\n");
        }
    }
}

static void print_zsh(void)
{
    const tacho_option machine = {.name = "machine", .value = "NAME|FILE"};
    printf("#compdef tacho ");
    print_names(tacho_dropins, " ");
    printf("\n# zsh completion for tacho and its drop-in names; written by tacho\n\n"
           "_tacho_machines() {\n    compadd -- ");
    print_words(&machine);
    printf("\n    _files\n}\n\n_tacho_command() {\n    case $1 in\n");
    print_zsh_cases(tacho_commands);
    print_zsh_cases(tacho_dropins);
    printf("    esac\n}\n\n_tacho_commands() {\n    local -a commands=(\n");
    for (size_t i = 0; tacho_commands[i] != NULL; i++) {
        printf("        '%s:", tacho_commands[i]->name);
        for (const char *text = tacho_commands[i]->summary; *text != '\0'; text++) {
            *text == '\'' ? (void)printf("'\\''") : (void)putchar(*text);
        }
        printf("'\n");
    }
    printf("    )\n    _describe command commands\n    _files\n}\n\n"
           "_tacho() {\n"
           "    if [[ ${words[1]:t} != tacho ]]; then\n"
           "        _tacho_command ${words[1]:t}\n"
           "    elif ((CURRENT == 2)); then\n"
           "        _tacho_commands\n"
           "    else\n"
           "        shift words\n"
           "        ((CURRENT--))\n"
           "        _tacho_command $words[1]\n"
           "    fi\n}\n\n_tacho \"$@\"\n");
}

/* ---- fish ---------------------------------------------------------------------------------- */

static void print_fish_option(const tacho_command *command, const tacho_option *option)
{
    if (command->is_dropin) {
        printf("complete -c %s", command->name);
    } else {
        printf("complete -c tacho -n '__fish_seen_subcommand_from %s'", command->name);
    }
    printf(" %s %s", command->has_single_dash ? "-o" : "-l", option->name);
    if (has_letter(option)) {
        printf(" -s %c", option->letter);
    }
    value_kind kind = kind_of(option);
    if (kind == VALUE_WORDS) {
        printf(is_option(option, "machine") ? " -r -F -a '" : " -x -a '");
        print_words(option);
        printf("'");
    } else if (kind == VALUE_FILE) {
        printf(" -r -F");
    } else if (kind == VALUE_DIR) {
        printf(" -x -a '(__fish_complete_directories)'");
    } else if (kind == VALUE_FREE) {
        printf(" -x");
    }
    printf(" -d '");
    char help[TACHO_HELP_BYTES];
    print_escaped(tacho_command_spell(command, option->help, help), "'\\");
    printf("'\n");
}

static void print_fish_list(const tacho_command *const *list)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        size_t count = 0;
        const tacho_option *options = tacho_command_options(list[i], &count);
        for (size_t k = 0; k < count; k++) {
            print_fish_option(list[i], &options[k]);
        }
    }
}

static void print_fish(void)
{
    printf("# fish completion for tacho and its drop-in names; written by tacho\n");
    for (size_t i = 0; tacho_commands[i] != NULL; i++) {
        printf("complete -c tacho -n __fish_use_subcommand -a %s -d '", tacho_commands[i]->name);
        print_escaped(tacho_commands[i]->summary, "'\\");
        printf("'\n");
    }
    printf("complete -c tacho -n '__fish_seen_subcommand_from help' -f -a 'formats ");
    print_names(tacho_commands, " ");
    printf("'\ncomplete -c tacho -n '__fish_seen_subcommand_from machine' -a 'list show export "
           "check calibrate'\n");
    printf("complete -c tacho -n '__fish_seen_subcommand_from baseline' -a 'save accept list'\n");
    print_fish_list(tacho_commands);
    print_fish_list(tacho_dropins);
}

bool tacho_completion_print(const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(void);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        if (strcmp(scripts[i].shell, shell) == 0) {
            scripts[i].print();
            return true;
        }
    }
    return false;
}
