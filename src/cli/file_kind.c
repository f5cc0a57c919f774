/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice by what the file is and what was expected of it.
 */
#include "cli/file_kind.h"

#include "base/input.h"
#include "api/file_kind.h"

#include <sys/stat.h>
#include <unistd.h>

#define IS_DEBUG_INFO                                                                              \
    "is debug information of a Torq program: 'tacho annotate' joins it with a runtime profile, "   \
    "'tacho info' shows it"

#define IS_PART                                                                                    \
    "is a part of a fleet, which holds sums and no events; use 'tacho fleet', such as 'tacho "     \
    "fleet overview'"

/* Where a profile was expected. */
static const char *const no_profiles[TACHO_FILE_KIND_COUNT] = {
    [TACHO_FILE_PROGRAM] = "is a program; use 'tacho info' to inspect it or 'tacho run' to run it",
    [TACHO_FILE_MODEL] = "is a model; use 'tacho compile' or 'tacho info'",
    [TACHO_FILE_DEBUG] = IS_DEBUG_INFO,
    [TACHO_FILE_PART] = IS_PART,
};

/* Where a model was. */
static const char *const no_models[TACHO_FILE_KIND_COUNT] = {
    [TACHO_FILE_PROGRAM] = "is a compiled program; use 'tacho run' or 'tacho info'",
    [TACHO_FILE_PROFILE] = "is a profile; use 'tacho info'",
    [TACHO_FILE_RUNTIME] = "is a profile; use 'tacho info'",
    [TACHO_FILE_STATS] = "is a profile; use 'tacho info'",
    [TACHO_FILE_DEBUG] = IS_DEBUG_INFO,
    [TACHO_FILE_PART] = IS_PART,
};

static tacho_status note_kind(tacho_status status, const char *path, const char *const *advice)
{
    tacho_file_facts facts;
    tacho_status looked = tacho_file_recognise(path, &facts);
    if (looked != TACHO_OK) {
        tacho_status_free(looked);
        return status;
    }
    if (facts.kind == TACHO_FILE_PACKED) {
        return tacho_status_add_note(status, "%s is a compressed %s; decompress it first", path,
                                     facts.detail);
    }
    if (facts.kind == TACHO_FILE_FOREIGN && advice == no_models) {
        return tacho_status_add_note(status, "%s is %s", path, facts.detail);
    }
    return advice[facts.kind] != NULL
               ? tacho_status_add_note(status, "%s %s", path, advice[facts.kind])
               : status;
}

tacho_status tacho_cli_note_kinds(tacho_status status, const tacho_intake *intake)
{
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        return status;
    }
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &intake->inputs[i];
        if (input->source == NULL && tacho_input_is_rereadable(input->path)) {
            status = note_kind(status, input->path, no_profiles);
        }
    }
    return status;
}

tacho_status tacho_cli_note_no_model(tacho_status status, const char *path)
{
    tacho_file_facts facts = {TACHO_FILE_UNKNOWN, NULL, NULL};
    if (status == TACHO_OK || !tacho_input_is_rereadable(path)) {
        return status;
    }
    tacho_status_free(tacho_file_recognise(path, &facts));
    bool is_wanted =
        tacho_status_code(status) == TACHO_CODE_UNSUPPORTED || facts.kind == TACHO_FILE_DEBUG;
    return is_wanted ? note_kind(status, path, no_models) : status;
}

/* A pipe or a socket; standard input is "-". */
static bool is_pipe(const char *path)
{
    struct stat facts;
    bool is_input = strcmp(path, "-") == 0;
    bool is_known = (is_input ? fstat(STDIN_FILENO, &facts) : stat(path, &facts)) == 0;
    return is_known && (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode));
}

tacho_status tacho_cli_note_pipes(tacho_status status, const tacho_intake *intake)
{
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        return status;
    }
    for (size_t i = 0; i < intake->input_count; i++) {
        const char *path = intake->inputs[i].path;
        if (intake->inputs[i].source == NULL && is_pipe(path)) {
            status = tacho_status_add_note(
                status, "%s is a pipe; a model or program must be a regular file",
                strcmp(path, "-") == 0 ? "standard input" : path);
        }
    }
    return status;
}
