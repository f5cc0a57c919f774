/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's end of a connection to a board: the user's own ssh with lines, then messages, through
 * it. Failures name the action under way, and quote ssh.
 */
#ifndef TACHO_REMOTE_LINK_H
#define TACHO_REMOTE_LINK_H

#include "base/tether.h"
#include "remote/wire.h"

enum { TACHO_LINK_LINE_BYTES = 1024 };

typedef struct tacho_link {
    const char *host; /* outlives it */
    tacho_tether tether;
    bool is_up;         /* ssh has connected */
    uint64_t silence_s; /* how long it may be silent; 0: as long as by default */
    int64_t started_ns;
    int64_t answered_ns; /* when the last message arrived */
    uint64_t board_ns;   /* how long the runtime had been running then, by the board's clock */
    char buffer[4096];   /* received and not read yet */
    size_t at, end;
    tacho_bytes text; /* of messages that are sent */
    tacho_wire_message message;
} tacho_link;

/* USAGE unless |host| is [USER@]HOST or ssh://..., in characters that names have. */
tacho_status tacho_link_check_host(const char *host) TACHO_MUST_USE;

/*
 * Starts ssh, which runs |command|, a text for any shell, there. Every wait ends after |silence_s|
 * seconds without a byte (0: a default). Close it even after a failure.
 */
tacho_status tacho_link_open(tacho_link *link, const char *host, const char *command,
                             uint64_t silence_s) TACHO_MUST_USE;
/* The shell there has greeted. */
void tacho_link_set_up(tacho_link *link);
void tacho_link_close(tacho_link *link);

/* Sends bytes; |doing| is for messages: "copying the runtime". */
tacho_status tacho_link_send(tacho_link *link, tacho_str bytes, const char *doing) TACHO_MUST_USE;

/* The next line without its end, printable as it is or not; a long one is cut, and one without end
 * is BAD_DATA. */
tacho_status tacho_link_read_line(tacho_link *link, char out_line[TACHO_LINK_LINE_BYTES],
                                  const char *doing) TACHO_MUST_USE;

/*
 * Sends a message, |text| of the link followed by |more|, and waits for its answer, which must be
 * of type |wanted| and, where it carries data, have no more bytes than |message.limit| of the link,
 * which applies to one answer. NONE as |type|: nothing is sent; as |wanted|: any answer will do. A
 * failure of the board is returned.
 */
tacho_status tacho_link_ask(tacho_link *link, tacho_wire_type type, tacho_str more,
                            tacho_wire_type wanted, const char *doing) TACHO_MUST_USE;

/* How long the board may be silent, in the present state of |link|. */
uint64_t tacho_link_silence_s(const tacho_link *link);

/* A failure that reports the end of the connection, or the silence of the board, and why. */
tacho_status tacho_link_lost(tacho_link *link, const char *doing) TACHO_MUST_USE;

#endif
