/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ssh is the user's: it finds its own keys, configuration and jump hosts, and none of them are read
 * here. The name of a host is one word of its command line, never text for a shell.
 */
#include "remote/link.h"

#include "device/clock.h"
#include "remote/messages.h"

#include <ctype.h>
#include <stdio.h>

enum {
    SSH_FAILED = 255,
    CANNOT_RUN = 127,
    SHOWN_LINES = 6,
    LINE_MAX_BYTES = 1 << 16,
    LOGIN_S = 150, /* until the shell greets: sshd gives two minutes for a password */
};

/* ---- names --------------------------------------------------------------------------------- */

static bool is_name(const char *text, size_t len)
{
    if (len == 0 || text[0] == '-') {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!isalnum((unsigned char)text[i]) && strchr("._-:[]%/+", text[i]) == NULL) {
            return false;
        }
    }
    return true;
}

tacho_status tacho_link_check_host(const char *host)
{
    const char *at = strrchr(host, '@');
    bool is_good = at == NULL
                       ? is_name(host, strlen(host))
                       : is_name(host, (size_t)(at - host)) && is_name(at + 1, strlen(at + 1));
    return is_good ? TACHO_OK
                   : tacho_fail(TACHO_CODE_USAGE,
                                "'%.200s' is not the name of a host; use USER@HOST, or a name of "
                                "your ssh configuration",
                                host);
}

/* ---- failures ------------------------------------------------------------------------------ */

/* The last lines that ssh, or the board through it, wrote. */
static tacho_status add_said(const tacho_tether *tether, tacho_status status)
{
    const char *from = tether->tail + tether->tail_len;
    for (int lines = 0; from > tether->tail; from--) {
        if (from[-1] == '\n' && from[0] != '\0' && ++lines == SHOWN_LINES) {
            break;
        }
    }
    while (*from != '\0') {
        size_t len = strcspn(from, "\r\n");
        if (len > 0) {
            status = tacho_status_add_note(status, "ssh said: %.*s", (int)len, from);
        }
        from += len;
        from += strspn(from, "\r\n");
    }
    return status;
}

tacho_status tacho_link_lost(tacho_link *link, const char *doing)
{
    int code = tacho_tether_close(&link->tether);
    if (link->tether.is_cancelled) {
        return tacho_fail(TACHO_CODE_CANCELLED, "%s: cancelled while %s", link->host, doing);
    }
    tacho_status status =
        link->tether.is_silent
            ? tacho_fail_hint(TACHO_CODE_IO, TACHO_HINT_BOARD_TIMEOUT,
                              "%s: no answer for %llu s while %s; check that the board still works",
                              link->host, (unsigned long long)tacho_link_silence_s(link), doing)
        : code == SSH_FAILED && !link->is_up
            ? tacho_fail(TACHO_CODE_IO, "%s: cannot connect with ssh", link->host)
        : code == CANNOT_RUN && !link->is_up
            ? tacho_fail(TACHO_CODE_NOT_FOUND, "%s: cannot start ssh, or a shell there", link->host)
        : code > 0
            ? tacho_fail(TACHO_CODE_IO, "%s: lost the connection while %s (exit status %d)",
                         link->host, doing, code)
            : tacho_fail(TACHO_CODE_IO, "%s: lost the connection while %s", link->host, doing);
    return add_said(&link->tether, status);
}

/* ---- opening ------------------------------------------------------------------------------- */

uint64_t tacho_link_silence_s(const tacho_link *link)
{
    return link->silence_s > 0 ? link->silence_s : link->is_up ? TACHO_WIRE_SILENCE_S : LOGIN_S;
}

static void set_silence(tacho_link *link)
{
    link->tether.silence_ms = (int64_t)tacho_link_silence_s(link) * 1000;
}

void tacho_link_set_up(tacho_link *link)
{
    link->is_up = true;
    set_silence(link);
}

tacho_status tacho_link_open(tacho_link *link, const char *host, const char *command,
                             uint64_t silence_s)
{
    char ssh[] = "ssh", no_terminal[] = "-T", end[] = "--";
    char alive[] = "-oServerAliveInterval=15"; /* a board that is switched off is noticed */
    char *words[] = {
        ssh, no_terminal, alive, end, (char *)(uintptr_t)host, (char *)(uintptr_t)command, NULL};
    *link = (tacho_link){
        .host = host,
        .silence_s = silence_s < TACHO_WIRE_SILENCE_MAX_S ? silence_s : TACHO_WIRE_SILENCE_MAX_S,
        .tether = {.fd = -1, .error_fd = -1, .life_fd = -1, .guard = -1},
        .started_ns = tacho_now_ns(),
        .message = {.limit = TACHO_WIRE_SMALL_BYTES},
    };
    TACHO_TRY(tacho_link_check_host(host));
    TACHO_TRY(tacho_tether_start(&link->tether, words));
    set_silence(link);
    return TACHO_OK;
}

void tacho_link_close(tacho_link *link)
{
    tacho_tether_close(&link->tether);
    tacho_bytes_deinit(&link->text);
    tacho_bytes_deinit(&link->message.payload);
}

/* ---- bytes and lines ----------------------------------------------------------------------- */

tacho_status tacho_link_send(tacho_link *link, tacho_str bytes, const char *doing)
{
    return tacho_tether_send(&link->tether, bytes.data, bytes.len) ? TACHO_OK
                                                                   : tacho_link_lost(link, doing);
}

static size_t receive_some(tacho_link *self, void *bytes, size_t len)
{
    if (self->at == self->end && len >= sizeof(self->buffer)) {
        return tacho_tether_receive(&self->tether, bytes, len);
    }
    if (self->at == self->end) {
        self->at = 0;
        self->end = tacho_tether_receive(&self->tether, self->buffer, sizeof(self->buffer));
    }
    size_t there = self->end - self->at;
    size_t taken = there < len ? there : len;
    memcpy(bytes, self->buffer + self->at, taken);
    self->at += taken;
    return taken;
}

tacho_status tacho_link_read_line(tacho_link *link, char out_line[TACHO_LINK_LINE_BYTES],
                                  const char *doing)
{
    size_t len = 0;
    size_t taken = 0;
    char byte = '\0';
    while (byte != '\n') {
        if (receive_some(link, &byte, 1) == 0) {
            return tacho_link_lost(link, doing);
        }
        if (++taken > LINE_MAX_BYTES) {
            return tacho_fail(TACHO_CODE_BAD_DATA,
                              "%s: the shell there sent a line of more than %d bytes while %s",
                              link->host, (int)LINE_MAX_BYTES, doing);
        }
        if (byte != '\n' && byte != '\0' && len < TACHO_LINK_LINE_BYTES - 1) {
            out_line[len++] = byte;
        }
    }
    out_line[len] = '\0';
    return TACHO_OK;
}

/* ---- messages ------------------------------------------------------------------------------ */

static bool send_bytes(void *self, const void *bytes, size_t len)
{
    tacho_link *link = self;
    return tacho_tether_send(&link->tether, bytes, len);
}

static size_t receive_bytes(void *self, void *bytes, size_t len)
{
    return receive_some(self, bytes, len);
}

/* The next message; those that only show that the board is alive are skipped. */
static tacho_status receive_answer(tacho_link *link, const tacho_wire *wire, bool *out_is_end)
{
    tacho_tether *tether = &link->tether;
    for (;;) {
        TACHO_TRY(tacho_wire_receive(wire, &link->message, out_is_end));
        if (*out_is_end || link->message.type != TACHO_WIRE_ALIVE) {
            return TACHO_OK;
        }
        if (tether->goes_on != NULL && !tether->goes_on(tether->watcher)) {
            tether->is_cancelled = true;
            *out_is_end = true;
            return TACHO_OK;
        }
    }
}

tacho_status tacho_link_ask(tacho_link *link, tacho_wire_type type, tacho_str more,
                            tacho_wire_type wanted, const char *doing)
{
    const tacho_wire wire = {send_bytes, receive_bytes, link};
    bool is_end = link->tether.guard < 0;
    tacho_wire_message *answer = &link->message;
    if (!is_end && type != TACHO_WIRE_NONE) {
        /* A runtime that stops reading a message may have sent the reason. */
        tacho_wire_send(&wire, type, 0, tacho_bytes_view(&link->text), more);
    }
    link->text.len = 0;
    tacho_status status = is_end ? TACHO_OK : receive_answer(link, &wire, &is_end);
    answer->limit = TACHO_WIRE_SMALL_BYTES;
    if (is_end) {
        return tacho_status_first(tacho_link_lost(link, doing), status);
    }
    if (status != TACHO_OK) {
        tacho_tether_close(&link->tether); /* nothing that follows can be understood */
        return tacho_status_add_note(status, "%s, while %s", link->host, doing);
    }
    link->answered_ns = tacho_now_ns();
    link->board_ns = answer->elapsed_ns;
    tacho_str payload = tacho_bytes_view(&answer->payload);
    if (answer->type == TACHO_WIRE_FAILED) {
        return tacho_status_add_note(tacho_wire_get_failure(payload), "on %s, while %s", link->host,
                                     doing);
    }
    return answer->type == wanted || wanted == TACHO_WIRE_NONE
               ? TACHO_OK
               : tacho_fail(TACHO_CODE_BAD_DATA, "%s: the runtime answered %s, not %s, while %s",
                            link->host, tacho_wire_type_name(answer->type),
                            tacho_wire_type_name(wanted), doing);
}
