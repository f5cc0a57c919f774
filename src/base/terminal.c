/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes are gathered to characters one by one: a terminal is slower than that by far.
 */
#include "base/terminal.h"

#include "base/utf8.h"

enum { ROOM = 4096 };

typedef struct shown_text {
    char bytes[ROOM];
    size_t len;
} shown_text;

/* How many bytes the character has that starts with |lead|. */
static size_t expected_len(char lead)
{
    unsigned char byte = (unsigned char)lead;
    return byte < 0xc0 ? 1 : (byte < 0xe0 ? 2 : (byte < 0xf0 ? 3 : 4));
}

static void show_character(tacho_terminal *terminal, shown_text *shown)
{
    uint32_t point = 0;
    tacho_str held = tacho_str_make(terminal->held, terminal->held_len);
    size_t len = tacho_utf8_decode(held, &point);
    if (tacho_utf8_acts_on_terminal(point) && point != '\n' && point != '\t') {
        shown->len += tacho_utf8_escape(held, shown->bytes + shown->len);
    } else {
        memcpy(shown->bytes + shown->len, held.data, len);
        shown->len += len;
    }
    terminal->held_len -= len;
    memmove(terminal->held, terminal->held + len, terminal->held_len);
}

tacho_status tacho_terminal_run(tacho_terminal *terminal, tacho_str bytes, bool is_last,
                                tacho_encoder_write write, void *self)
{
    shown_text shown = {.len = 0};
    for (size_t i = 0; i < bytes.len; i++) {
        terminal->held[terminal->held_len++] = bytes.data[i];
        while (terminal->held_len > 0 && terminal->held_len >= expected_len(terminal->held[0])) {
            show_character(terminal, &shown);
        }
        if (shown.len + 4 * TACHO_UTF8_ESCAPE_MAX > ROOM) {
            TACHO_TRY(write(self, shown.bytes, shown.len));
            shown.len = 0;
        }
    }
    while (is_last && terminal->held_len > 0) {
        show_character(terminal, &shown);
    }
    return shown.len > 0 ? write(self, shown.bytes, shown.len) : TACHO_OK;
}
