/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rooms that meet in a capture: the wrapper makes events, the sink writes them.
 */
#define _DEFAULT_SOURCE /* realpath */
#include "session/capture_run.h"

#include "base/input.h"
#include "session/capture_stage.h"
#include "sinks/tacho.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tacho_status seal(void *self)
{
    tacho_capture_stage *stage = self;
    tacho_capture_stage_look(stage);
    return tacho_sink_tacho_seal(stage->next);
}

/* What a run leaves besides the capture. */
typedef struct run_outcome {
    tacho_wrapper_result *result;
    tacho_profiling_clocks *clocks;
} run_outcome;

static tacho_status run_into(const tacho_profiling *request, tacho_dict *dict, tacho_output *output,
                             const run_outcome *outcome)
{
    const tacho_trace_options options = {0};
    tacho_events *events = NULL;
    tacho_capture_stage stage;
    TACHO_TRY(tacho_sink_tacho.open(dict, output, &options, &events));
    tacho_capture_stage_init(&stage, request, events);
    const tacho_wrapper_request wrapper = {
        .words = request->words,
        .timeout_ns = request->timeout_ns,
        .stats_level = request->stats_level,
        .port = request->port,
        .omits_tracy = request->omits_tracy,
        .tracy_port = request->tracy_port,
        .events = &stage.events,
        .seal = seal,
        .seal_self = &stage,
        .live = request->live,
        .live_self = request->live_self,
    };
    tacho_status status = tacho_wrapper_run(&wrapper, outcome->result);
    tacho_sink_tacho.close(events);
    if (outcome->result->store_error == TACHO_OK) {
        outcome->result->store_error = tacho_output_commit(output);
    }
    *outcome->clocks = stage.clocks;
    return status;
}

tacho_status tacho_profiling_run(const tacho_profiling *request, tacho_wrapper_result *out_result,
                                 tacho_profiling_clocks *out_clocks)
{
    const run_outcome outcome = {out_result, out_clocks};
    tacho_dict dict;
    tacho_output output;
    *out_result = (tacho_wrapper_result){.exit_status = TACHO_WRAPPER_FAILED};
    *out_clocks = (tacho_profiling_clocks){.step_ns = 0};
    TACHO_TRY(tacho_dict_init(&dict));
    tacho_status status = tacho_output_open_live(request->path, &output);
    if (status == TACHO_OK) {
        status = run_into(request, &dict, &output, &outcome);
        tacho_output_close(&output);
    }
    tacho_dict_deinit(&dict);
    return status;
}

/* ---- checking ------------------------------------------------------------------------------ */

tacho_status tacho_profiling_check_output(const char *target, const char *program)
{
    struct stat facts;
    if (target == NULL) {
        return TACHO_OK;
    }
    if (tacho_input_is_same_file(target, program)) {
        return tacho_fail(TACHO_CODE_USAGE, "%s is the program being run and would be overwritten",
                          target);
    }
    if (stat(target, &facts) != 0) {
        return lstat(target, &facts) == 0 && S_ISLNK(facts.st_mode)
                   ? tacho_fail(TACHO_CODE_IO, "%s is a dangling symbolic link", target)
                   : TACHO_OK;
    }
    return S_ISDIR(facts.st_mode)
               ? tacho_fail(TACHO_CODE_IO, "%s is a directory; name a file", target)
               : TACHO_OK;
}

/* ---- putting it in place ------------------------------------------------------------------- */

static tacho_status failure(const char *path, const char *what)
{
    return tacho_fail(TACHO_CODE_IO, "%s: cannot %s: %s", path, what, strerror(errno));
}

/* The mode of the file that is replaced, or that of a new one. */
static mode_t mode_of(const char *target)
{
    struct stat facts;
    if (stat(target, &facts) == 0) {
        return facts.st_mode & 0777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static tacho_status sync_file(const char *path, mode_t mode)
{
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
        return failure(path, "open");
    }
    bool is_synced = fchmod(fd, mode) == 0 && fsync(fd) == 0;
    tacho_status status = is_synced ? TACHO_OK : failure(path, "sync");
    close(fd);
    return status;
}

tacho_status tacho_profiling_put_in_place(const char *path, const char *target)
{
    TACHO_TRY(sync_file(path, mode_of(target)));
    char *resolved = realpath(target, NULL);
    bool is_done = rename(path, resolved != NULL ? resolved : target) == 0;
    tacho_status status = is_done ? TACHO_OK : failure(target, "put in place");
    free(resolved);
    return status;
}

/* Something of one that was killed, and had the same number, may lie there: it stays. */
tacho_status tacho_profiling_name_capture(const char *target, char **out_path)
{
    enum { MARK_BYTES = 64 };
    const char *folder = getenv("TMPDIR");
    const char *stem = target != NULL                        ? target
                       : folder != NULL && folder[0] != '\0' ? folder
                                                             : "/tmp";
    const char *mark = target != NULL ? "." : "/tacho-profile-";
    struct stat facts;
    size_t room = strlen(stem) + MARK_BYTES;
    char *path = malloc(room);
    if (path == NULL) {
        return tacho_no_memory();
    }
    snprintf(path, room, "%s%s%ld.partial", stem, mark, (long)getpid());
    for (uint32_t i = 1; lstat(path, &facts) == 0 && i < UINT32_MAX; i++) {
        snprintf(path, room, "%s%s%ld-%" PRIu32 ".partial", stem, mark, (long)getpid(), i);
    }
    *out_path = path;
    return TACHO_OK;
}
