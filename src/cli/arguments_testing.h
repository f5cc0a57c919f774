/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of command lines share: words from a line, and what is said on standard error.
 */
#ifndef TACHO_CLI_ARGUMENTS_TESTING_H
#define TACHO_CLI_ARGUMENTS_TESTING_H

#include "cli/command.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WORDS_MAX = 12, SAID_MAX = 1024 };

/* Standard error while it goes to a file. */
typedef struct said_text {
    FILE *file;
    int kept;
} said_text;

static inline said_text listen_begin(void)
{
    said_text self = {tmpfile(), dup(STDERR_FILENO)};
    assert_true(self.file != NULL && self.kept >= 0);
    fflush(stderr);
    assert_true(dup2(fileno(self.file), STDERR_FILENO) >= 0);
    return self;
}

static inline void listen_end(said_text *self, char said[SAID_MAX])
{
    fflush(stderr);
    assert_true(dup2(self->kept, STDERR_FILENO) >= 0);
    close(self->kept);
    rewind(self->file);
    said[fread(said, 1, SAID_MAX - 1, self->file)] = '\0';
    fclose(self->file);
}

/* Parses the words in |line|, which blanks part; what is said on standard error goes to |said|. */
static inline int parse(const tacho_command *command, const char *line,
                        tacho_arguments *out_arguments, char said[SAID_MAX])
{
    static char copy[256];
    char *words[WORDS_MAX];
    int count = 0;
    snprintf(copy, sizeof(copy), "%s", line);
    for (char *at = copy; *at != '\0';) {
        size_t len = strcspn(at, " ");
        assert_true(count < WORDS_MAX);
        words[count++] = at;
        at += len + (at[len] == ' ' ? 1 : 0);
        words[count - 1][len] = '\0';
    }
    said_text listening = listen_begin();
    int code = tacho_arguments_parse(command, count, words, out_arguments);
    listen_end(&listening, said);
    return code;
}

#endif
