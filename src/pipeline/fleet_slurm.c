/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The job is a script that sbatch reads from its standard input: nothing that a user names becomes
 * part of a command line here. It is a file, not a pipe: sbatch may end without reading it.
 */
#include "pipeline/fleet_slurm.h"

#include "base/folder.h"
#include "pipeline/fleet_inputs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ATTEMPTS = 3, PATH_BYTES = 4096, NOT_FOUND = 127 };

/* |text| as one word of a shell. */
static void print_word(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text != '\0'; text++) {
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, '\0'}, script);
    }
    fputs("' ", script);
}

/* Files that cannot be read have parts that say so: that is no failure of the job (exit 3). */
static void print_script(const tacho_fleet_slurm *slurm, const char *program, FILE *script)
{
    fputs("#!/bin/sh\n", script);
    print_word(script, program);
    fputs(slurm->map_words, script);
    fputc(' ', script);
    print_word(script, slurm->map->folder);
    for (size_t i = 0; i < slurm->path_count; i++) {
        print_word(script, slurm->paths[i]);
    }
    fputs("|| [ $? = 3 ]\n", script);
}

/* Runs the command line with |script| as its input, and waits; |*out_status| is as waitpid says. */
static tacho_status run_submit(const char *submit, int script, int *out_status)
{
    pid_t child = fork();
    if (child == 0) {
        if (lseek(script, 0, SEEK_SET) == 0 && dup2(script, STDIN_FILENO) >= 0) {
            execl("/bin/sh", "sh", "-c", submit, (char *)NULL);
        }
        _exit(NOT_FOUND);
    }
    pid_t ended = -1;
    do {
        ended = child > 0 ? waitpid(child, out_status, 0) : -1;
    } while (child > 0 && ended < 0 && errno == EINTR);
    return ended > 0 ? TACHO_OK
                     : tacho_fail(TACHO_CODE_IO, "cannot run sbatch: %s", strerror(errno));
}

/* Submits the array and waits for all its tasks. |*out_has_failed| may be of a task as well. */
static tacho_status submit(const tacho_fleet_slurm *slurm, bool *out_has_failed)
{
    char program[PATH_BYTES];
    int ended = 0;
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (len <= 0) {
        return tacho_fail(TACHO_CODE_IO, "cannot find the path of this program");
    }
    program[len] = '\0';
    FILE *script = tmpfile();
    if (script == NULL) {
        return tacho_fail(TACHO_CODE_IO, "cannot make a temporary file: %s", strerror(errno));
    }
    print_script(slurm, program, script);
    tacho_status status = fflush(script) == 0
                              ? run_submit(slurm->submit, fileno(script), &ended)
                              : tacho_fail(TACHO_CODE_IO, "cannot write a temporary file");
    fclose(script);
    TACHO_TRY(status);
    *out_has_failed = !WIFEXITED(ended) || WEXITSTATUS(ended) != 0;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == NOT_FOUND
               ? tacho_fail(TACHO_CODE_IO, "cannot run sbatch: Slurm is not installed here")
               : TACHO_OK;
}

tacho_status tacho_fleet_slurm_run(const tacho_fleet_slurm *slurm)
{
    size_t missing = 0, before = 0;
    bool is_new = false, has_failed = false;
    TACHO_TRY(tacho_folder_ensure(slurm->map->folder, &is_new));
    for (int attempt = 0; attempt <= ATTEMPTS; attempt++) {
        TACHO_TRY(tacho_fleet_map_missing(slurm->map, slurm->paths, slurm->path_count, &missing));
        if (missing == 0) {
            return TACHO_OK;
        }
        if (has_failed && missing == before) { /* a task that failed leaves the work of others */
            return tacho_fail(TACHO_CODE_IO,
                              "sbatch failed, and no part was made: it refused the job, or all "
                              "tasks failed");
        }
        before = missing;
        if (attempt < ATTEMPTS) {
            tacho_note(slurm->notes, "note", "Slurm: %zu part%s to be made by %zu task%s", missing,
                       missing == 1 ? "" : "s", slurm->task_count,
                       slurm->task_count == 1 ? "" : "s");
            TACHO_TRY(submit(slurm, &has_failed));
        }
    }
    return tacho_fail(TACHO_CODE_IO,
                      "%s: %zu part%s still missing after %d jobs; do all nodes see the files and "
                      "this directory?",
                      slurm->map->folder, missing, missing == 1 ? " is" : "s are", ATTEMPTS);
}
