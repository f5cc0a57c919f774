/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program: finds the verb, or the tool it was called as, and runs it.
 */
#include "cli/about.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/talk.h"
#include "cli/version.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

const tacho_command *const tacho_commands[] = {
    &tacho_command_convert,
    &tacho_command_info,
    &tacho_command_overview,
    &tacho_command_breakdown,
    &tacho_command_ops,
    &tacho_command_query,
    &tacho_command_roofline,
    &tacho_command_annotate,
    &tacho_command_report,
    &tacho_command_compile,
    &tacho_command_run,
    &tacho_command_machine,
    &tacho_command_opstats,
    &tacho_command_diff,
    &tacho_command_profile,
    &tacho_command_baseline,
    &tacho_command_fleet,
    &tacho_command_help,
    NULL,
};

const tacho_command *const tacho_dropins[] = {
    &tacho_dropin_annotate_profiling,
    &tacho_dropin_perfetto_logger,
    &tacho_dropin_iree_run_module,
    &tacho_dropin_qaic_compile,
    &tacho_dropin_qaic_opstats,
    &tacho_dropin_qaic_runner,
    &tacho_dropin_torq_compile,
    &tacho_dropin_torq_run_module,
    &tacho_dropin_tt_profile,
    &tacho_dropin_tt_profile_py,
    NULL,
};

static const tacho_command *find_in(const tacho_command *const *list, const char *name)
{
    for (size_t i = 0; list[i] != NULL; i++) {
        if (strcmp(list[i]->name, name) == 0) {
            return list[i];
        }
    }
    return NULL;
}

const tacho_command *tacho_command_find(const char *name)
{
    const tacho_command *command = find_in(tacho_commands, name);
    return command != NULL ? command : find_in(tacho_dropins, name);
}

/* Reports a failed write to standard output: a full disk must not look like success. */
static int finish(int exit_code)
{
    bool has_failed = ferror(stdout) != 0;
    errno = 0;
    has_failed = fflush(stdout) != 0 || has_failed;
    if (has_failed && (exit_code == TACHO_OUTCOME_DONE || exit_code == TACHO_OUTCOME_LOSSY)) {
        tacho_talk("error", "standard output: cannot write%s%s", errno != 0 ? ": " : "",
                   errno != 0 ? strerror(errno) : "");
        return TACHO_OUTCOME_FAILED;
    }
    return exit_code;
}

static int run_command(const tacho_command *command, int word_count, char **words)
{
    tacho_arguments arguments;
    int exit_code = tacho_arguments_parse(command, word_count, words, &arguments);
    if (exit_code != TACHO_OUTCOME_DONE) {
        bool has_failed = exit_code == TACHO_OUTCOME_FAILED && command->runs_program;
        return has_failed ? TACHO_OUTCOME_NOT_STARTED : exit_code;
    }
    exit_code = tacho_common_options_apply(&arguments);
    if (exit_code == TACHO_OUTCOME_DONE && tacho_arguments_has(&arguments, "help")) {
        tacho_command_print_help(command);
    } else if (exit_code == TACHO_OUTCOME_DONE) {
        int64_t started_ns = tacho_talk_now_ns();
        exit_code = command->run != NULL ? command->run(&arguments) : tacho_command_ask(&arguments);
        if (tacho_arguments_has(&arguments, "verbose") && !command->is_dropin) {
            tacho_talk_cost(started_ns);
        }
    }
    tacho_arguments_free(&arguments);
    return finish(exit_code);
}

/* |word| is neither a command nor the path of a file. */
static int misuse(const char *word)
{
    static const char *const options[] = {"--help", "--version"};
    const char *verbs[sizeof(tacho_commands) / sizeof(tacho_commands[0])];
    bool is_option = word[0] == '-';
    size_t count = 0;
    for (; tacho_commands[count] != NULL; count++) {
        verbs[count] = tacho_commands[count]->name;
    }
    const char *near =
        is_option ? tacho_front_nearest(word, options, 2) : tacho_front_nearest(word, verbs, count);
    if (near != NULL) {
        const char *quote = is_option ? "" : "'";
        tacho_talk("error", "unknown %s '%s'; did you mean %s%s%s?",
                   is_option ? "option" : "command", word, quote, near, quote);
    } else if (strpbrk(word, "./") != NULL) {
        tacho_talk("error", "%s: no such command or file", word);
    } else {
        tacho_talk("error", "unknown %s '%s'", is_option ? "option" : "command", word);
    }
    fprintf(stderr, "Try 'tacho help'.\n");
    return TACHO_OUTCOME_USAGE;
}

/* Says so, clears the progress line, and dies of the signal as if it had not been caught. */
static void interrupted(int number)
{
    static const char text[] = "\r\033[Ktacho: interrupted\n";
    size_t skipped = isatty(STDERR_FILENO) == 1 ? 0 : 4;
    ssize_t ignored = write(STDERR_FILENO, text + skipped, sizeof(text) - 1 - skipped);
    (void)ignored;
    signal(number, SIG_DFL);
    raise(number);
}

/*
 * Makes sure that no file we open takes the place of a standard stream that was closed. What takes
 * its place cannot be read where it is standard input, nor written where it is standard output, so
 * that a command that needs the stream fails as with any other file. A program that we run finds
 * the stream closed as it was.
 */
static bool open_standard_streams(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd] | O_CLOEXEC) != fd) {
            return false;
        }
    }
    return true;
}

static void set_signals(void)
{
    /* Who reads no further wants no message: end as other programs do. */
    signal(SIGPIPE, SIG_DFL);
    /* A file size limit is a write error like any other. */
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGINT, interrupted);
    signal(SIGTERM, interrupted);
}

/* The tool that this was called as, or the verb of the command line; NULL for neither. */
static const tacho_command *choose_command(int argc, char **argv, bool *out_is_dropin)
{
    const char *called_as = argc > 0 ? argv[0] : "tacho";
    const char *slash = strrchr(called_as, '/');
    const tacho_command *dropin = find_in(tacho_dropins, slash != NULL ? slash + 1 : called_as);
    *out_is_dropin = dropin != NULL;
    if (dropin != NULL || argc < 2) {
        return dropin;
    }
    bool wants_help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0;
    return tacho_command_find(wants_help ? "help" : argv[1]);
}

int main(int argc, char **argv)
{
    bool is_dropin = false;
    const tacho_command *command = choose_command(argc, argv, &is_dropin);
    if (command == NULL || !command->runs_program) {
        set_signals();
    }
    tacho_front_return_freed();
    if (!open_standard_streams()) {
        return TACHO_OUTCOME_FAILED;
    }
    if (is_dropin) {
        return run_command(command, argc - 1, argv + 1);
    }
    if (argc < 2) {
        return run_command(&tacho_command_help, 0, NULL);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        tacho_print_version();
        return finish(TACHO_OUTCOME_DONE);
    }
    if (command == NULL && tacho_about_applies(argv[1])) {
        return finish(tacho_about_run(argc - 1, argv + 1));
    }
    return command != NULL ? run_command(command, argc - 2, argv + 2) : misuse(argv[1]);
}
