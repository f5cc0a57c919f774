/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts stacks of spans into pieces of the innermost one.
 */
#include "questions/timeline/host_window.h"

#include "base/grow.h"

#include <stdlib.h>

enum { PIECES_MAX = 1 << 16, DEEDS_MAX = 256 };

void tacho_host_thread_deinit(tacho_host_thread *thread)
{
    free(thread->open);
    free(thread->pieces);
    *thread = (tacho_host_thread){.now_ns = 0};
}

static tacho_status add_piece(tacho_host_thread *thread, uint32_t site, int64_t end_ns)
{
    if (end_ns <= thread->now_ns) {
        return TACHO_OK;
    }
    if (thread->piece_count < PIECES_MAX) {
        TACHO_TRY(tacho_grow(&thread->pieces, &thread->piece_capacity, thread->piece_count + 1));
        thread->piece_count++;
    }
    thread->pieces[thread->piece_next] = (tacho_host_span){site, thread->now_ns, end_ns};
    thread->piece_next = (thread->piece_next + 1) % PIECES_MAX;
    thread->now_ns = end_ns;
    return TACHO_OK;
}

/* Closes the spans that have ended by |time_ns|. */
static tacho_status pass_time(tacho_host_thread *thread, int64_t time_ns)
{
    while (thread->open_count > 0) {
        const tacho_host_span *inner = &thread->open[thread->open_count - 1];
        if (inner->end_ns > time_ns) {
            return add_piece(thread, inner->site, time_ns);
        }
        TACHO_TRY(add_piece(thread, inner->site, inner->end_ns));
        thread->open_count--;
    }
    thread->now_ns = time_ns > thread->now_ns ? time_ns : thread->now_ns;
    return TACHO_OK;
}

tacho_status tacho_host_thread_add(tacho_host_thread *thread, const tacho_host_span *span)
{
    TACHO_TRY(pass_time(thread, span->start_ns));
    TACHO_TRY(tacho_grow(&thread->open, &thread->open_capacity, thread->open_count + 1));
    thread->open[thread->open_count++] = *span;
    return TACHO_OK;
}

const tacho_host_span *tacho_host_thread_innermost(const tacho_host_thread *thread, int64_t time_ns)
{
    for (size_t i = thread->open_count; i > 0; i--) {
        if (thread->open[i - 1].end_ns > time_ns) {
            return &thread->open[i - 1];
        }
    }
    return NULL;
}

static void add_deed(tacho_host_deed *deeds, size_t *count, uint32_t site, int64_t time_ns)
{
    for (size_t i = 0; i < *count; i++) {
        if (deeds[i].site == site) {
            deeds[i].time_ns += time_ns;
            return;
        }
    }
    if (*count < DEEDS_MAX) {
        deeds[(*count)++] = (tacho_host_deed){site, time_ns};
    }
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

tacho_status tacho_host_thread_main(tacho_host_thread *thread, int64_t start_ns, int64_t end_ns,
                                    tacho_host_deed *out_deed)
{
    tacho_host_deed deeds[DEEDS_MAX];
    size_t count = 0;
    int64_t known_ns = 0;
    int64_t oldest_ns = start_ns;
    TACHO_TRY(pass_time(thread, end_ns));
    for (size_t i = 1; i <= thread->piece_count; i++) {
        size_t at = (thread->piece_next + PIECES_MAX - i) % PIECES_MAX;
        const tacho_host_span *piece = &thread->pieces[at];
        if (piece->end_ns <= start_ns) {
            break;
        }
        oldest_ns = piece->start_ns;
        int64_t from_ns = later(piece->start_ns, start_ns);
        int64_t to_ns = piece->end_ns < end_ns ? piece->end_ns : end_ns;
        if (to_ns > from_ns) {
            add_deed(deeds, &count, piece->site, to_ns - from_ns);
            known_ns += to_ns - from_ns;
        }
    }
    int64_t from_ns = thread->piece_count < PIECES_MAX ? start_ns : later(start_ns, oldest_ns);
    *out_deed = (tacho_host_deed){TACHO_NONE, end_ns - from_ns - known_ns};
    for (size_t i = 0; i < count; i++) {
        *out_deed = deeds[i].time_ns > out_deed->time_ns ? deeds[i] : *out_deed;
    }
    return TACHO_OK;
}
