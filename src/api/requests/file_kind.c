/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice by what the file is and what was expected of it.
 */
#include "api/requests/file_kind.h"

#include "base/input.h"
#include "api/file_kind.h"

#include <sys/stat.h>
#include <unistd.h>

#define IS_DEBUG_INFO                                                                              \
    "is debug information of a Torq program: '{/annotate}' joins it with a runtime profile, "      \
    "'{/info}' shows it"

#define IS_PART                                                                                    \
    "is a part of a fleet, which holds sums and no events; use '{/fleet}', such as "               \
    "'{/fleet overview}'"

/* Where a profile was expected. */
static const char *const no_profiles[TACHO_FILE_KIND_COUNT] = {
    [TACHO_FILE_PROGRAM] = "is a program; use '{/info}' to inspect it or '{/run}' to run it",
    [TACHO_FILE_MODEL] = "is a model; use '{/compile}' or '{/info}'",
    [TACHO_FILE_DEBUG] = IS_DEBUG_INFO,
    [TACHO_FILE_PART] = IS_PART,
};

/* Where a model was. */
static const char *const no_models[TACHO_FILE_KIND_COUNT] = {
    [TACHO_FILE_PROGRAM] = "is a compiled program; use '{/run}' or '{/info}'",
    [TACHO_FILE_PROFILE] = "is a profile; use '{/info}'",
    [TACHO_FILE_RUNTIME] = "is a profile; use '{/info}'",
    [TACHO_FILE_STATS] = "is a profile; use '{/info}'",
    [TACHO_FILE_DEBUG] = IS_DEBUG_INFO,
    [TACHO_FILE_PART] = IS_PART,
};

static tacho_status note_kind(const tacho_request *given, tacho_status status, const char *path,
                              const char *const *advice)
{
    char text[256];
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
    if (advice[facts.kind] == NULL) {
        return status;
    }
    tacho_spelling_apply(&given->listener.spelling, advice[facts.kind], text, sizeof(text));
    return tacho_status_add_note(status, "%s %s", path, text);
}

tacho_status tacho_request_note_kinds(const tacho_request *given, tacho_status status,
                                      const tacho_intake *intake)
{
    if (tacho_status_code(status) != TACHO_CODE_UNSUPPORTED) {
        return status;
    }
    for (size_t i = 0; i < intake->input_count; i++) {
        const tacho_intake_input *input = &intake->inputs[i];
        if (input->source == NULL && tacho_input_is_rereadable(input->path)) {
            status = note_kind(given, status, input->path, no_profiles);
        }
    }
    return status;
}

tacho_status tacho_request_note_no_model(const tacho_request *given, tacho_status status,
                                         const char *path)
{
    tacho_file_facts facts = {TACHO_FILE_UNKNOWN, NULL, NULL};
    if (status == TACHO_OK || !tacho_input_is_rereadable(path)) {
        return status;
    }
    tacho_status_free(tacho_file_recognise(path, &facts));
    bool is_wanted =
        tacho_status_code(status) == TACHO_CODE_UNSUPPORTED || facts.kind == TACHO_FILE_DEBUG;
    return is_wanted ? note_kind(given, status, path, no_models) : status;
}

/* A pipe or a socket; standard input is "-". */
static bool is_pipe(const char *path)
{
    struct stat facts;
    bool is_input = strcmp(path, "-") == 0;
    bool is_known = (is_input ? fstat(STDIN_FILENO, &facts) : stat(path, &facts)) == 0;
    return is_known && (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode));
}

tacho_status tacho_request_note_pipes(tacho_status status, const tacho_intake *intake)
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
