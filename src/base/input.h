/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a file, a pipe or bytes in memory, read once from front to back through a sliding
 * window. gzip and zstd are recognised by content and decompressed on the way.
 *
 * A view returned by an input stays good until the next call on it. Text that must live longer is
 * interned or copied. No token may be longer than TACHO_INPUT_TOKEN_MAX. TACHO_INPUT_LEAD_BYTES
 * bytes ahead of a view can be read, but have no meaning.
 *
 * Damage to a compressed stream (truncation, bad checksum) ends the input early and is remembered:
 * the reader calls tacho_input_damage at the end and counts it as loss.
 */
#ifndef TACHO_BASE_INPUT_H
#define TACHO_BASE_INPUT_H

#include "base/attributes.h"
#include "base/decoder.h"
#include "base/status.h"
#include "base/str.h"

enum {
    TACHO_INPUT_TOKEN_MAX = 16 << 20,
    TACHO_INPUT_USELESS_MAX = 64 << 20, /* see tacho_input_use */
    TACHO_INPUT_LEAD_BYTES = 16,        /* that can be read ahead of any view */
    TACHO_INPUT_RATIO_MAX = 200,        /* see tacho_budget_add_input */
};

/* Receives progress now and then; |total_bytes| is 0 when unknown. */
typedef struct tacho_progress {
    void (*update)(void *self, uint64_t done_bytes, uint64_t total_bytes);
    void *self;
} tacho_progress;

/*
 * Whether anything useful was found in an input so far. A device or a pipe may have no end: if it
 * is useless for TACHO_INPUT_USELESS_MAX bytes, reading stops with LIMIT.
 */
typedef struct tacho_input_use {
    bool (*has_any)(const void *self);
    const void *self;
} tacho_input_use;

typedef struct tacho_input {
    char *name; /* as the user wrote it; "-" reads "standard input" */

    /* The window: unread bytes are [cursor, limit). */
    const char *cursor;
    const char *limit;
    char *buffer; /* after TACHO_INPUT_LEAD_BYTES zeros */
    size_t buffer_capacity;
    uint64_t limit_offset; /* offset of |limit| in the decompressed stream */
    uint64_t line_number;  /* of the last returned line, 1 for the first */
    bool at_end;           /* nothing follows |limit| */

    /* The source of the bytes. */
    int fd; /* -1 for bytes in memory */
    bool owns_fd;
    tacho_decoder *decoder; /* NULL when plain */
    unsigned char *raw;     /* compressed bytes not yet decoded: [raw_at, raw_at + raw_len) */
    size_t raw_at;
    size_t raw_len;
    bool raw_at_end;
    bool stream_ended; /* the decoder is between two whole streams */
    uint64_t raw_read_bytes;
    uint64_t raw_total_bytes; /* 0 when unknown */
    const char *damage;       /* static text, NULL while sound */
    tacho_progress progress;  /* update may be NULL */
    tacho_input_use use;      /* has_any may be NULL */
} tacho_input;

/* Opens |path|, or standard input for "-". A directory is refused. */
tacho_status tacho_input_open(const char *path, tacho_input *out_input) TACHO_MUST_USE;

/* An input over a copy of |bytes|; |name| is used in messages. */
tacho_status tacho_input_open_bytes(const char *name, tacho_str bytes,
                                    tacho_input *out_input) TACHO_MUST_USE;

void tacho_input_close(tacho_input *input);

/* Whether |path| can be opened again for the same bytes: a file, not a pipe. */
bool tacho_input_is_rereadable(const char *path);

/* Whether both paths name the same file; false when either does not exist. */
bool tacho_input_is_same_file(const char *path, const char *other_path);

/* Whether writing to both would be writing to one file, which need not exist: "x" and "./x". */
bool tacho_input_is_same_place(const char *path, const char *other_path);

/* Offset of the next unread byte in the decompressed stream. */
static inline uint64_t tacho_input_offset(const tacho_input *input)
{
    return input->limit_offset - (uint64_t)(input->limit - input->cursor);
}

/* "gzip", "zstd" or NULL. */
const char *tacho_input_compression(const tacho_input *input);

/* Whether it may go on for ever: no file, nor bytes in memory. */
static inline bool tacho_input_may_be_endless(const tacho_input *input)
{
    return input->fd >= 0 && input->raw_total_bytes == 0;
}

/* Why the input ended early, or NULL. */
static inline const char *tacho_input_damage(const tacho_input *input)
{
    return input->damage;
}

/*
 * Makes at least |want| bytes visible, fewer only at the end, without consuming them.
 * |want| is at most TACHO_INPUT_TOKEN_MAX.
 */
tacho_status tacho_input_peek(tacho_input *input, size_t want, tacho_str *out_bytes) TACHO_MUST_USE;

/*
 * Copies the next bytes to |bytes|, at most |room| > 0 of them, and consumes them; 0 at the end.
 * Bytes that are not visible yet are read directly into |bytes|, which saves a copy of the input.
 */
tacho_status tacho_input_take(tacho_input *input, char *bytes, size_t room,
                              size_t *out_len) TACHO_MUST_USE;

/* Consumes |len| bytes that are visible. */
static inline void tacho_input_skip(tacho_input *input, size_t len)
{
    input->cursor += len;
}

/* The general case of tacho_input_line: refills, grows the window, meets the end. */
tacho_status tacho_input_line_slow(tacho_input *input, tacho_str *out_line,
                                   bool *out_got) TACHO_MUST_USE;

/*
 * Takes the line that ends with |newline|, the first from the cursor on; false where it is longer
 * than the token limit. Views of lines got before stay good.
 */
static inline bool tacho_input_try_line_to(tacho_input *input, const char *newline,
                                           tacho_str *out_line)
{
    size_t len = (size_t)(newline - input->cursor);
    if (TACHO_UNLIKELY(len > TACHO_INPUT_TOKEN_MAX)) {
        return false;
    }
    *out_line = tacho_str_make(input->cursor, len);
    if (len > 0 && newline[-1] == '\r') {
        out_line->len--;
    }
    input->cursor = newline + 1;
    input->line_number++;
    return true;
}

/*
 * The next line as tacho_input_line has it, where all of it is visible; false where it is not.
 * Views of lines got before stay good.
 */
static inline bool tacho_input_try_line(tacho_input *input, tacho_str *out_line)
{
    size_t visible = (size_t)(input->limit - input->cursor);
    const char *newline = visible == 0 ? NULL : memchr(input->cursor, '\n', visible);
    return TACHO_LIKELY(newline != NULL) && tacho_input_try_line_to(input, newline, out_line);
}

/*
 * Where the next lines end that are visible, at most |max| of them, for tacho_input_try_line_to;
 * how many. |out_newlines| has room for one more. Many at once take less than one by one: where
 * the next line ends no processor can guess.
 */
size_t tacho_input_find_newlines(const tacho_input *input, const char **out_newlines, size_t max);

/*
 * The next line without its LF (or CR LF). |*out_got| is false at the end of input. A line
 * without a final LF counts; a longer one than the token limit is a failure.
 */
TACHO_MUST_USE static inline tacho_status tacho_input_line(tacho_input *input, tacho_str *out_line,
                                                           bool *out_got)
{
    *out_got = tacho_input_try_line(input, out_line);
    return TACHO_LIKELY(*out_got) ? TACHO_OK : tacho_input_line_slow(input, out_line, out_got);
}

/*
 * The first bytes of a file, at most |size|; how many, 0 where there are none to be had. Only
 * regular files are opened (a pipe that is opened and closed loses its writer), and standard input
 * stays where it is.
 */
size_t tacho_input_read_head(const char *path, char *out_head, size_t size);

/*
 * The same, decompressed where the file is compressed: the bytes that tacho_input_peek would show,
 * at the price of a few kilobytes. Of a damaged stream, the bytes before the damage.
 */
size_t tacho_input_read_content(const char *path, char *out_head, size_t size);

#endif
