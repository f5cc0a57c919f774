/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of the helper: how it goes, each second, and at the end what came of it.
 */
#include "session/capture_helper.h"

#include "base/helper.h"
#include "session/capture_run.h"

#include <stdio.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024 };

typedef struct capture_message {
    bool is_end;
    tacho_capturing_live live;
    tacho_capturing_end end;
    tacho_code code; /* of a failure ... */
    char text[MESSAGE_BYTES];
} capture_message;

/* ---- in the helper --------------------------------------------------------------------------- */

typedef struct capture_helper {
    const tacho_capturing *request;
    int fd;
} capture_helper;

static void send_live(void *self, const tacho_live *live)
{
    const capture_helper *helper = self;
    const capture_message message = {.live = {.elapsed_ns = live->elapsed_ns,
                                              .process_count = live->process_count,
                                              .event_count = live->event_count,
                                              .dropped_count = live->dropped_count}};
    tacho_helper_send(helper->fd, &message, sizeof(message));
}

static void set_failure(capture_message *message, tacho_code code, const char *text)
{
    message->code = code;
    snprintf(message->text, sizeof(message->text), "%s", text);
}

/* Frees |status|. */
static void take_failure(capture_message *message, tacho_status status)
{
    if (status != TACHO_OK && message->code == TACHO_CODE_OK) {
        set_failure(message, tacho_status_code(status), tacho_status_message(status));
    }
    tacho_status_free(status);
}

static void take_refusal(capture_message *message, const char *word,
                         const tacho_process_refusal *refusal)
{
    char text[MESSAGE_BYTES];
    if (refusal->error != 0) {
        snprintf(text, sizeof(text), "cannot run '%s': %s", word, strerror(refusal->error));
        set_failure(message, refusal->is_not_found ? TACHO_CODE_NOT_FOUND : TACHO_CODE_IO, text);
    }
}

static void run_helper(void *self, int fd)
{
    capture_helper helper = {self, fd};
    const tacho_capturing *request = helper.request;
    const tacho_profiling profiling = {
        .words = (char *const *)(uintptr_t)request->words,
        .timeout_ns = request->timeout_ns,
        .stats_level = request->stats_level,
        .omits_tracy = request->omits_tracy,
        .port = request->port,
        .path = request->path,
        .live = send_live,
        .live_self = &helper,
    };
    tacho_wrapper_result result;
    tacho_profiling_clocks clocks;
    capture_message message = {.is_end = true};
    take_failure(&message, tacho_profiling_run(&profiling, &result, &clocks));
    take_refusal(&message, request->words[0], &result.refusal);
    take_failure(&message, result.store_error);
    tacho_status_free(result.collect_error);
    message.end = (tacho_capturing_end){
        .exit_status = result.exit_status,
        .is_signalled = result.is_signalled,
        .is_timed_out = result.is_timed_out,
        .elapsed_ns = result.elapsed_ns,
        .cpu_ns = result.cpu_ns,
        .process_count = result.process_count,
        .event_count = result.stored_count,
        .dropped_count = result.clients.dropped,
    };
    tacho_helper_send(fd, &message, sizeof(message));
}

/* ---- in the program -------------------------------------------------------------------------- */

tacho_status tacho_capturing_run(const tacho_capturing *request, tacho_capturing_end *out_end)
{
    tacho_helper helper;
    capture_message message = {.is_end = false};
    bool is_stopped = false;
    *out_end = (tacho_capturing_end){.exit_status = TACHO_WRAPPER_FAILED};
    TACHO_TRY(tacho_helper_start(&helper, run_helper, (void *)(uintptr_t)request));
    while (!message.is_end && tacho_helper_read(&helper, &message, sizeof(message))) {
        bool is_asked = !message.is_end && request->live != NULL && !is_stopped;
        if (is_asked && !request->live(request->user, &message.live)) {
            tacho_helper_stop(&helper);
            is_stopped = true;
        }
    }
    tacho_helper_close(&helper);
    if (!message.is_end) {
        return tacho_fail(TACHO_CODE_IO, "%s: the process that records was killed", request->path);
    }
    *out_end = message.end;
    return message.code == TACHO_CODE_OK ? TACHO_OK : tacho_fail(message.code, "%s", message.text);
}
